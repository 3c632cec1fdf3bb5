// Ten minutes of a motion field, alone and with random directions, beside the graph and matching on the same data:
// distance from the data and foot measures.
#include "eval_fields.h"
#include <amble/tools/metrics.h>

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fps = 60, whole_s = 600, quick_s = 5 };

/// One way to move through the ten minutes.
typedef struct method {
    const char *name, *controller, *options;
    const char *task; ///< whose value functions it needs, NULL: none
    bool graph;       ///< the graph-based controller takes the place of the script's
} method;

static const method methods[] = {
    { "matching", "match", "", NULL, false },
    { "graph-based", "field", "\"policy\": \"passive\"", NULL, true },
    { "motion field, passive", "field", "\"policy\": \"passive\"", NULL, false },
    { "motion field", "field", "\"task\": \"direction\", \"policy\": \"lookahead\"", "direction", false },
    { "motion field, line", "field", "\"task\": \"line\", \"policy\": \"lookahead\"", "line", false },
};

enum { method_count = sizeof methods / sizeof methods[0], passive = 2 };

typedef struct run_score {
    am_metrics m;
    double away_sum, away_most; ///< distance from the nearest state of the data
    int ticks, not_finite;
    uint8_t *seen;         ///< [frame of the database] 1: the nearest state of the data at some time was there
    int visited;           ///< how many are
    float lowest, highest; ///< hips, m
    am_result result;
    am_error err;
} run_score;

typedef struct flow {
    const fields *f;
    am_db_measures own;
    am_gamepad_event *events;
    int event_count, seconds;
    run_score scores[method_count];
} flow;

// ---------------------------------------------------------------------------------------------
// Playing

static am_result watch(void *user, const am_run_sample *s, am_error *err)
{
    (void)err;
    run_score *score = user;
    float hips = s->pose.world[0].translation.y;
    if (!(hips * 0.0f == 0.0f)) {
        score->not_finite++;
        return AM_OK;
    }
    score->lowest = s->frame == 0 ? hips : am_min(score->lowest, hips);
    score->highest = s->frame == 0 ? hips : am_max(score->highest, hips);
    if (s->view.output->searched) {
        double away = sqrt((double)am_max(s->view.output->cost, 0.0f));
        score->away_sum += away;
        score->away_most = fmax(score->away_most, away);
        score->ticks++;
        const int frame = s->view.output->frame;
        if (frame >= 0 && !score->seen[frame]) {
            score->seen[frame] = 1;
            score->visited++;
        }
    }
    return AM_OK;
}

static am_result play(const flow *w, run_score *score, const am_run_script *script, bool graph, am_error *err)
{
    fields_source own = { 0 };
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    const am_model *models[1] = { w->f->model };
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = w->f->db;
    def.models = models;
    def.model_count = w->f->model ? 1 : 0;
    am_result result = graph ? fields_source_make(&own, w->f, "direction", 0, err) : AM_OK;
    if (result == AM_OK) {
        def.source = own.source;
        result = am_run_create(&run, &def, err);
    }
    if (result == AM_OK) {
        am_run_meter_def meter_def = am_run_meter_def_default();
        meter_def.run = run;
        meter_def.own = &w->own;
        result = am_run_meter_create(&meter, &meter_def, err);
    }
    if (result == AM_OK) {
        am_run_observer observers[2] = { am_run_meter_observer(meter), { score, watch } };
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, observers, 2, &quiet, err);
    }
    if (result == AM_OK) {
        score->m = am_run_meter_result(meter, 0);
        score->m.responses = NULL; // the meter's, which ends
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    fields_source_free(&own);
    return result;
}

static bool has_method(const fields *f, int i)
{
    return !methods[i].task || (f->model && fields_measures(f, methods[i].task, fields_finest(f)));
}

static void run_method(void *context, int item)
{
    flow *w = context;
    run_score *score = &w->scores[item];
    char text[400];
    am_run_script script = { 0 };
    if (!has_method(w->f, item)) {
        return;
    }
    snprintf(text, sizeof text,
             "{ \"database\": \"none.amdb\", \"controller\": \"%s\", \"fps\": %d, \"seconds\": %d, "
             "\"options\": { %s }, \"characters\": [ {} ] }",
             methods[item].controller, fps, w->seconds, methods[item].options);
    score->result = am_run_parse(&script, text, strlen(text), "fields", NULL, &score->err);
    score->seen = calloc((size_t)w->f->db->frame_count, 1);
    if (!score->seen) {
        cli_error(&score->err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        score->result = AM_ERR_MEMORY;
    }
    if (score->result == AM_OK) {
        am_run_actor actor = script.actors[0];
        actor.gamepad = w->events;
        actor.gamepad_count = w->event_count;
        script.actors = &actor;
        score->result = play(w, score, &script, methods[item].graph, &score->err);
    }
    free(score->seen);
    score->seen = NULL;
    am_run_script_free(&script);
}

/// A fully tilted stick, in a new direction every one to three seconds.
static void draw_directions(flow *w)
{
    am_rng rng = ami_rng_make(7);
    float t = 0.0f;
    while (t < (float)w->seconds) {
        float heading = am_rng_range(&rng, -AM_PI, AM_PI);
        am_gamepad_event *event = &w->events[w->event_count++];
        *event = (am_gamepad_event){ .t = t, .pad = { .left = { -am_sin(heading), am_cos(heading) } } };
        t += am_rng_range(&rng, 1.0f, 3.0f);
    }
}

// ---------------------------------------------------------------------------------------------
// What the data themselves are like

/// How far states of the data are from the nearest state of another time (half a second or more): mean and largest.
am_result fields_apart(const ami_field *field, double *mean, double *most, am_error *err)
{
    ami_field_work *work = NULL;
    am_result result = ami_field_work_create(&work, field, NULL, err);
    ami_field_neighbours *near = calloc(1, sizeof *near);
    int apart = (int)(0.5f * field->fps);
    int step = field->state_count > 2000 ? field->state_count / 2000 : 1;
    int count = 0;
    *mean = *most = 0.0;
    for (int s = 0; near && result == AM_OK && s < field->state_count; s += step) {
        ami_field_search(field, near, ami_field_row(field, s), 1, NULL, 0, work);
        for (int i = 0; i < near->count; i++) {
            bool other = field->ranges[near->state[i]] != field->ranges[s] || abs(near->state[i] - s) >= apart;
            if (other || i == near->count - 1) { // all of them near in time: no nearer than the last
                double away = sqrt((double)near->d2[i]);
                *mean += away;
                *most = fmax(*most, away);
                count++;
                break;
            }
        }
    }
    *mean /= count > 0 ? count : 1;
    free(near);
    ami_field_work_destroy(work);
    return result;
}

// ---------------------------------------------------------------------------------------------
// The table

static void add_row(const flow *w, int i, double most)
{
    ami_tables *t = w->f->e->tables;
    const run_score *s = &w->scores[i];
    const am_quality *q = &s->m.final;
    bool field = i >= passive;
    ami_tables_row(t);
    ami_tables_text(t, methods[i].name);
    ami_tables_number(t, s->m.seconds);
    // Matching's own bound: half of what the data do.
    field && w->f->real ? ami_tables_bounded(t, q->foot_slide_cm, 0.5 * w->own.quality.foot_slide_cm)
                        : ami_tables_number(t, q->foot_slide_cm);
    ami_tables_number(t, s->m.raw.foot_slide_cm);
    // A character held in one pose while its root moves on skates in every frame.
    i == passive && w->f->real ? ami_tables_bounded(t, q->skate_share, w->own.quality.skate_share)
                               : ami_tables_number(t, q->skate_share);
    ami_tables_number(t, q->jitter_cm);
    ami_tables_number(t, q->joint_mean_cm);
    ami_tables_number(t, q->joint_travel_cm);
    ami_tables_number(t, field && s->ticks > 0 ? s->away_sum / s->ticks : (double)NAN);
    field ? ami_tables_bounded(t, s->away_most, most) : ami_tables_number(t, (double)NAN);
    ami_tables_number(t, (double)s->lowest);
    ami_tables_number(t, (double)s->highest);
    ami_tables_bounded(t, s->not_finite, 0.0);
    ami_tables_number(t, (double)s->m.fallback_frames);
    ami_tables_number(t, field ? (double)s->visited / (double)w->f->field->state_count : (double)NAN);
}

static void add_own_row(const flow *w, double mean, double most)
{
    ami_tables *t = w->f->e->tables;
    const am_quality *q = &w->own.quality;
    const double cells[] = { (double)w->f->db->frame_count / (double)w->f->db->fps,
                             q->foot_slide_cm,
                             q->foot_slide_cm,
                             q->skate_share,
                             q->jitter_cm,
                             q->joint_mean_cm,
                             q->joint_travel_cm,
                             mean,
                             most };
    ami_tables_row(t);
    ami_tables_text(t, "the data");
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        ami_tables_number(t, cells[i]);
    }
}

static void add_table(const flow *w, double mean, double most)
{
    static const ami_column columns[] = {
        { "method", -1 },     { "seconds", 0 },         { "foot_slide_cm", 4 }, { "foot_slide_cm_raw", 4 },
        { "skate_share", 3 }, { "jitter_cm", 4 },       { "joint_mean_cm", 3 }, { "joint_travel_cm", 2 },
        { "away_mean", 3 },   { "away_most", 3 },       { "lowest_m", 3 },      { "highest_m", 3 },
        { "not_finite", 0 },  { "fallback_frames", 0 }, { "states_visited", 3 }
    };
    ami_tables *t = w->f->e->tables;
    ami_tables_begin(t, "endurance", "endurance: a new direction every one to three seconds");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int i = 0; i < method_count; i++) {
        if (has_method(w->f, i)) {
            add_row(w, i, most);
        }
    }
    add_own_row(w, mean, most);
    ami_tables_note(t,
                    "away: distance (eq. 1) of the character's state from the nearest state of the data; of the data "
                    "itself from the nearest at another time, the most of which is the bound. Foot slide after IK "
                    "has matching's bound, half of the data's own; feet of the passive field skate no more than the "
                    "data's. joint_mean: mean way of all joints relative to the hips in a frame, joint_travel: the "
                    "largest. states_visited: share of the data's states that were nearest at "
                    "some time. The passive field takes no directions; of a line each direction begins a new one.");
}

am_result fields_endurance(const fields *f, am_error *err)
{
    flow *w = calloc(1, sizeof *w);
    int seconds = f->e->quick ? quick_s : whole_s;
    am_gamepad_event *events = calloc((size_t)seconds + 1, sizeof *events);
    double mean = 0.0, most = 0.0;
    am_result result = AM_OK;
    if (!w || !events) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        result = AM_ERR_MEMORY;
    } else {
        w->f = f;
        w->seconds = seconds;
        w->events = events;
        draw_directions(w);
        result = am_db_measure(&w->own, f->db, NULL, err);
    }
    if (result == AM_OK) {
        result = fields_apart(f->field, &mean, &most, err);
    }
    if (result == AM_OK) {
        f->e->tasks->run(f->e->tasks->user, method_count, run_method, w);
        for (int i = 0; i < method_count && result == AM_OK; i++) {
            result = w->scores[i].result;
            *err = result == AM_OK ? *err : w->scores[i].err;
        }
    }
    if (result == AM_OK) {
        add_table(w, mean, most);
    }
    free(events);
    free(w);
    return result;
}
