// The same inputs played by matching (MM), matching with the Decompressor (DMM) and the networks alone (LMM).
#include "eval_learned.h"

#include "places.h"
#include "database.h"
#include <amble/tools/database.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum method { MM, DMM, LMM, method_count } method;
static const char *const method_names[method_count] = { "mm", "dmm", "lmm" };

static const char *const courses[] = { "turns_90", "stops", "random", "straight", "turns_180", "zigzag", "sprint" };
static const char *const paths[] = { "curve", "spiral", "figure_a", "figure_b" };
enum {
    course_count = sizeof courses / sizeof courses[0],
    path_count = sizeof paths / sizeof paths[0],
    quick_courses = 3,
    quick_paths = 1
};

typedef struct played {
    am_metrics m;
    float turn_90;
    am_vec3 *places; ///< [place_count], free() it
    int place_count;
    float dt;
    am_result result;
    am_error err;
} played;

typedef struct trials {
    const learned *l;
    const am_db *latent; ///< X and Z without poses
    am_db_measures own;
    played *runs; ///< [item][method]
    int courses, paths;
} trials;

static void take(void *user, am_run_meter *meter)
{
    played *p = user;
    p->m = am_run_meter_result(meter, 0);
    p->turn_90 =
        am_responses_median(p->m.responses, p->m.response_count, AM_RESPONSE_TURN, 80.0f * AM_DEG, 100.0f * AM_DEG);
    p->m.responses = NULL; // the meter's, which ends
    const am_track track = am_run_meter_track(meter, 0);
    p->places = malloc((size_t)track.count * sizeof *p->places);
    p->place_count = p->places ? track.count : 0;
    p->dt = track.dt;
    if (p->places) {
        memcpy(p->places, track.places, (size_t)track.count * sizeof *p->places);
    }
}

am_result learned_run(const learned_player *player, am_run_script *script, am_error *err)
{
    am_clock clock = { NULL, cli_cpu_us }; // others may be using the machine
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    am_run_def def = am_run_def_default();
    script->options.settings.method = player->db ? AM_METHOD_MATCH : AM_METHOD_LEARNED;
    def.script = script;
    def.db = player->db;
    def.models = &player->model;
    def.model_count = player->model ? 1 : 0;
    def.clock = &clock;
    am_result result = am_run_create(&run, &def, err);
    if (result == AM_OK) {
        am_run_meter_def meter_def = am_run_meter_def_default();
        meter_def.run = run;
        meter_def.own = player->own;
        result = am_run_meter_create(&meter, &meter_def, err);
    }
    if (result == AM_OK) {
        const am_run_observer observers[2] = { am_run_meter_observer(meter), player->watch };
        const am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, observers, player->watch.frame ? 2 : 1, &quiet, err);
    }
    if (result == AM_OK) {
        player->take(player->user, meter);
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    return result;
}

static am_result play(const trials *s, played *p, am_run_script *script, method how)
{
    const learned_player player = { .db = how == MM    ? s->l->db
                                          : how == DMM ? s->latent
                                                       : NULL,
                                    .model = how == MM ? NULL : s->l->model,
                                    .own = &s->own,
                                    .take = take,
                                    .user = p };
    return learned_run(&player, script, &p->err);
}

/// Whether a method can be played: the latents of all frames, and the frames themselves, are not always there.
static bool plays(const trials *s, int how) { return how == LMM || (how == MM ? !s->l->alone : s->latent != NULL); }

static void run_item(void *context, int item)
{
    trials *s = context;
    played *p = &s->runs[item];
    if (!plays(s, item % method_count)) {
        return;
    }
    const int which = item / method_count;
    char path[1024];
    const char *name = which < s->courses ? courses[which] : paths[which - s->courses];
    am_run_script script = { 0 };
    p->result = cli_config_find(path, sizeof path, CLI_RUN, name, &p->err);
    p->result = p->result == AM_OK ? am_run_read(&script, path, NULL, &p->err) : p->result;
    if (p->result == AM_OK) {
        p->result = play(s, p, &script, (method)(item % method_count));
    }
    am_run_script_free(&script);
}

// ---------------------------------------------------------------------------------------------
// Tables

/// One number of a run, and how many times matching's the networks may have.
typedef struct measure {
    const char *name;
    int digits;
    double (*of)(const played *p);
    double times; ///< 0: no bound
} measure;

static double slide_of(const played *p) { return p->m.final.foot_slide_cm; }
static double raw_slide_of(const played *p) { return p->m.raw.foot_slide_cm; }
static double skate_of(const played *p) { return p->m.final.skate_share; }
static double jitter_of(const played *p) { return p->m.final.jitter_cm; }
static double turn_of(const played *p) { return (double)p->turn_90; }
static double response_of(const played *p) { return (double)p->m.response_s; }
static double direction_of(const played *p) { return p->m.direction_error_deg; }
static double fallback_of(const played *p) { return (double)p->m.fallback_frames; }
static double frame_of(const played *p) { return p->m.frame_us; }
static double error_of(const played *p) { return p->m.path.path_error_m; }
static double cover_of(const played *p) { return p->m.path.path_cover_m; }
static double ratio_of(const played *p) { return p->m.path.path_time_ratio; }
static double completed_of(const played *p) { return p->m.path.path_completed ? 1.0 : 0.0; }

static const measure course_measures[] = {
    { "foot_slide_cm", 4, slide_of, 1.5 },
    { "foot_slide_cm_raw", 4, raw_slide_of, 0.0 },
    { "skate_share", 3, skate_of, 0.0 },
    { "jitter_cm", 4, jitter_of, 0.0 },
    { "turn_90_s", 3, turn_of, 0.0 },
    { "response_s", 3, response_of, 1.2 },
    { "direction_error_deg", 2, direction_of, 0.0 },
    { "fallback_frames", 0, fallback_of, 0.0 },
    { "frame_us", 1, frame_of, 0.0 },
};
static const measure path_measures[] = {
    { "path_error_m", 3, error_of, 1.3 },    { "path_cover_m", 3, cover_of, 0.0 },
    { "path_time_ratio", 2, ratio_of, 0.0 }, { "path_completed", 0, completed_of, 0.0 },
    { "foot_slide_cm", 4, slide_of, 0.0 },   { "jitter_cm", 4, jitter_of, 0.0 },
};
enum {
    course_measure_count = sizeof course_measures / sizeof course_measures[0],
    path_measure_count = sizeof path_measures / sizeof path_measures[0]
};

static void add_row(const trials *s, const char *name, method how, const measure *measures, int count,
                    const double *values, const double *matching)
{
    ami_tables *t = s->l->e->tables;
    ami_tables_row(t);
    ami_tables_text(t, name);
    ami_tables_text(t, method_names[how]);
    for (int i = 0; i < count; i++) {
        if (how == LMM && measures[i].times > 0.0 && matching && matching[i] > 0.0) {
            ami_tables_bounded(t, values[i], measures[i].times * matching[i]);
        } else {
            ami_tables_number(t, values[i]);
        }
    }
}

/// Rows of items first .. first + count - 1, then their means over what is finite.
static void add_rows(const trials *s, const char *const *names, int first, int count, const measure *measures,
                     int measure_count)
{
    double sums[method_count][16] = { { 0 } };
    int counts[method_count][16] = { { 0 } };
    for (int i = 0; i < count; i++) {
        for (int how = 0; how < method_count; how++) {
            const played *p = &s->runs[(first + i) * method_count + how];
            double values[16];
            if (!plays(s, how)) {
                continue;
            }
            for (int k = 0; k < measure_count; k++) {
                values[k] = measures[k].of(p);
                if (isfinite(values[k])) {
                    sums[how][k] += values[k];
                    counts[how][k]++;
                }
            }
            add_row(s, names[i], (method)how, measures, measure_count, values, NULL);
        }
    }
    for (int how = 0; how < method_count; how++) {
        for (int k = 0; k < measure_count; k++) {
            sums[how][k] = counts[how][k] > 0 ? sums[how][k] / counts[how][k] : (double)NAN;
        }
        if (plays(s, how)) {
            add_row(s, "all", (method)how, measures, measure_count, sums[how], sums[MM]);
        }
    }
}

static void begin_table(const trials *s, const char *name, const char *about, const measure *measures, int count)
{
    ami_tables *t = s->l->e->tables;
    ami_tables_begin(t, name, about);
    ami_tables_column(t, "course", -1);
    ami_tables_column(t, "method", -1);
    for (int i = 0; i < count; i++) {
        ami_tables_column(t, measures[i].name, measures[i].digits);
    }
}

static void add_tracks(const trials *s, const char *const *names, int first, int count)
{
    for (int i = 0; i < count * method_count; i++) {
        const played *p = &s->runs[first * method_count + i];
        char caption[64];
        if (!plays(s, i % method_count)) {
            continue;
        }
        const am_track track = { p->places, p->place_count, p->dt };
        snprintf(caption, sizeof caption, "%s, %s", names[i / method_count], method_names[i % method_count]);
        ami_tables_track(s->l->e->tables, caption, &track);
    }
}

static void add_tables(const trials *s)
{
    // Microseconds differ from run to run.
    const int columns = s->l->e->timings ? course_measure_count : course_measure_count - 1;
    begin_table(s, "play", "the same keys and sticks, a minute each; the last rows are the means", course_measures,
                columns);
    add_rows(s, courses, 0, s->courses, course_measures, columns);
    ami_tables_note(
        s->l->e->tables,
        "Bounds of the last row: foot slide after the foot lock within 1.5 times matching's, response within "
        "1.2 times. fallback_frames are those with a query far outside the data, answered by the last good "
        "one.");
    add_tracks(s, courses, 0, s->courses);
    begin_table(s, "figure 9", "drawn paths by basic matching and by the networks", path_measures,
                path_measure_count);
    add_rows(s, paths, s->courses, s->paths, path_measures, path_measure_count);
    ami_tables_note(s->l->e->tables, "Bound of the last row: path error within 1.3 times matching's.");
    add_tracks(s, paths, s->courses, s->paths);
}

static am_result copy_with_latent(const learned *l, am_db **out, am_error *err)
{
    am_db_copy_def def = am_db_copy_def_default();
    def.db = l->db;
    def.z = l->z;
    def.latent_count = l->latent;
    def.latent_key = l->model->latent_key;
    def.drop_poses = true;
    return am_db_copy(out, &def, err);
}

am_result learned_play(const learned *l, am_error *err)
{
    am_db *latent = NULL;
    trials s = { .l = l, .courses = l->e->quick ? quick_courses : course_count };
    s.paths = l->e->quick ? quick_paths : path_count;
    const int items = (s.courses + s.paths) * method_count;
    am_result result = learned_own(l, &s.own, err);
    if (result == AM_OK && l->z) {
        result = copy_with_latent(l, &latent, err);
    }
    s.latent = latent;
    s.runs = calloc((size_t)items, sizeof *s.runs);
    if (result == AM_OK && !s.runs) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the runs");
        result = AM_ERR_MEMORY;
    }
    if (result == AM_OK) {
        l->e->tasks->run(l->e->tasks->user, items, run_item, &s);
    }
    for (int i = 0; i < items && result == AM_OK; i++) {
        if (s.runs[i].result != AM_OK) {
            *err = s.runs[i].err;
            result = s.runs[i].result;
        }
    }
    if (result == AM_OK) {
        add_tables(&s);
    }
    for (int i = 0; s.runs && i < items; i++) {
        free(s.runs[i].places);
    }
    free(s.runs);
    am_db_close(latent);
    return result;
}
