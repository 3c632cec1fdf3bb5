// amble eval responsive: every key of Responsive (3.4.1) on its 33 features, as the paper prints it and by Amble.
#include "places.h"
#include "database.h"
#include "eval.h"
#include <amble/tools/metrics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// What a run shows of each activity.
typedef struct shown {
    double seconds[AM_ACTIVITY_COUNT];
    double height[AM_ACTIVITY_COUNT]; ///< sum of the hips' heights
    double highest;                   ///< m, of the hips in a jump
    double way[AM_ACTIVITY_COUNT];    ///< m over the ground
    am_vec3 before;
} shown;

static am_result watch(void *user, const am_run_sample *sample, am_error *err)
{
    (void)err;
    shown *s = user;
    int a = (int)sample->view.activity;
    am_vec3 hips = sample->pose.world[0].translation;
    am_vec3 place = am_v3_ground(hips);
    s->seconds[a] += (double)sample->dt;
    s->height[a] += (double)(hips.y * sample->dt);
    s->way[a] += sample->frame > 0 ? (double)am_v3_distance(place, s->before) : 0.0;
    s->highest = a == AM_ACTIVITY_JUMP ? fmax(s->highest, (double)hips.y) : s->highest;
    s->before = place;
    return AM_OK;
}

static double per_second(const double *sums, const shown *s, am_activity activity)
{
    return s->seconds[activity] > 0.0 ? sums[activity] / s->seconds[activity] : (double)NAN;
}

static am_result play(eval *e, const char *name, const am_run_script *script, const am_db *db, bool captured,
                      am_error *err)
{
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = db;
    am_db_measures own;
    am_result result = am_db_measure(&own, db, NULL, err);
    result = result == AM_OK ? am_run_create(&run, &def, err) : result;
    if (result == AM_OK) {
        am_run_meter_def meter_def = am_run_meter_def_default();
        meter_def.run = run;
        meter_def.own = &own;
        result = am_run_meter_create(&meter, &meter_def, err);
    }
    if (result == AM_OK) {
        shown s = { 0 };
        am_run_observer observers[2] = { am_run_meter_observer(meter), { &s, watch } };
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, observers, 2, &quiet, err);
        am_metrics m = am_run_meter_result(meter, 0);
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, name);
        for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
            ami_tables_at_least(e->tables, s.seconds[a], captured ? 0.2 : 0.0); // every key does something
        }
        ami_tables_number(e->tables, per_second(s.height, &s, AM_ACTIVITY_MOVE));
        ami_tables_number(e->tables, s.highest);
        ami_tables_number(e->tables, per_second(s.height, &s, AM_ACTIVITY_CREEP));
        ami_tables_number(e->tables, per_second(s.way, &s, AM_ACTIVITY_CREEP));
        ami_tables_number(e->tables, per_second(s.way, &s, AM_ACTIVITY_STAND));
        ami_tables_number(e->tables, m.final.foot_slide_cm);
        ami_tables_number(e->tables, m.final.jitter_cm);
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    return result;
}

static void begin_table(eval *e)
{
    static const ami_column columns[] = { { "configuration", -1 }, { "move_s", 1 },      { "stand_s", 1 },
                                          { "creep_s", 1 },        { "jump_s", 1 },      { "dance_s", 1 },
                                          { "move_hips_m", 2 },    { "jump_hips_m", 2 }, { "creep_hips_m", 2 },
                                          { "creep_mps", 2 },      { "stand_mps", 3 },   { "foot_slide_cm", 3 },
                                          { "jitter_cm", 3 } };
    ami_tables_begin(e->tables, "keys", "every key of configs/runs/responsive.json: as in the paper, and by Amble");
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
}

am_result eval_responsive(eval *e, am_error *err)
{
    bool real = cli_database_has_data("responsive");
    const char *config = e->config ? e->config : real ? "responsive" : "synth";
    char path[1024];
    am_run_script script = { 0 };
    am_db *db = NULL;
    snprintf(e->title, sizeof e->title, "Responsive, as printed and by Amble");
    if (!real && !e->config) {
        eval_without_capture(e, "Procedural motion (amble synth)");
    }
    am_result result = cli_config_find(path, sizeof path, CLI_RUN, "responsive", err);
    result = result == AM_OK ? am_run_read(&script, path, NULL, err) : result;
    result = result == AM_OK ? cli_database_open(&db, config, e->tasks, e->progress, err) : result;
    if (result == AM_OK) {
        begin_table(e);
        result = play(e, "as in the paper", &script, db, strcmp(config, "responsive") == 0, err);
    }
    if (result == AM_OK) {
        am_settings_init(&script.options.settings, AM_METHOD_MATCH);
        result = play(e, "amble", &script, db, strcmp(config, "responsive") == 0, err);
    }
    if (result == AM_OK) {
        script.options.settings.as_printed = 1; // alone, so that the rows above can be told apart
        result = play(e, "amble, as_printed", &script, db, strcmp(config, "responsive") == 0, err);
    }
    if (result == AM_OK) {
        ami_tables_note(e->tables,
                        "As in the paper: the 33 features with the weights of eq. 13 and nothing else, the "
                        "quintic, the animation's root, standing that holds its last frame. The stand is "
                        "matched among standing frames; the paper plays one that was chosen by hand.");
    }
    snprintf(e->about, sizeof e->about, "On %s; %d values beyond their bound (marked !).", config,
             result == AM_OK ? ami_tables_bad_count(e->tables) : 0);
    am_db_close(db);
    am_run_script_free(&script);
    return result;
}
