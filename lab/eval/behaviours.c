// Crowds of characters of one model: asked step by step, recorded, measured. Rows of the table of behaviours.
#include "behaviours.h"

#include "method/flow_file.h"
#include "method/learned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float dt = 1.0f / 60.0f;
#define FROZEN_MPS 0.1f
#define FLOATS_M 0.4f // higher than the toes of a walker or runner together

// ---------------------------------------------------------------------------------------------
// A model

am_result behaviours_open(behaviours *b, const eval *e, const am_db *db, const am_model *model, am_error *err)
{
    *b = (behaviours){ .e = e, .db = db };
    b->method = am_model_find(model, "segments") >= 0 ? AM_METHOD_SEGMENTS : AM_METHOD_FLOW;
    am_asset_def def;
    am_asset_def_init(&def);
    def.models = &model;
    def.model_count = 1;
    def.methods = 1u << b->method;
    am_result result = am_asset_create(&b->asset, &def, err);
    if (result != AM_OK) {
        return result;
    }
    b->schema = am_asset_control_schema(b->asset, b->method);
    b->body = am_body_find(am_asset_skeleton(b->asset), am_asset_roles(b->asset));
    result = ami_learned_facts(&b->facts, model, err);
    b->floor = (am_floor){ b->facts.toe_m, b->facts.heel_m };
    am_reference_def reference = am_reference_def_default();
    reference.db = db;
    reference.body = &b->body;
    result = result == AM_OK ? am_reference_create(&b->reference, &reference, err) : result;
    if (result == AM_OK && b->schema) {
        result = behaviours_find(b->parts, b->schema, model, err);
    }
    // A file of controls that asks for something while nobody gives values; all ready ones do.
    size_t size = 0;
    const char *text = b->schema ? am_model_attached(model, AMI_FLOW_CONTROLS, &size) : NULL;
    am_error none = { 0 };
    ami_runtime_controls *controls = NULL;
    bool offers = false;
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        offers |= b->parts[i].has && i != BEHAVIOUR_TRAJECTORY;
    }
    if (result == AM_OK && text && (b->parts[BEHAVIOUR_TRAJECTORY].has || !offers)) {
        b->follows =
            ami_runtime_controls_read(&controls, b->schema, text, size, AMI_FLOW_CONTROLS, NULL, &none) == AM_OK;
    }
    ami_runtime_controls_destroy(controls);
    return result;
}

void behaviours_close(behaviours *b)
{
    am_reference_destroy(b->reference);
    am_asset_close(b->asset);
}

// ---------------------------------------------------------------------------------------------
// Crowds

static am_result open_one(crowd *c, int i, const am_actor_def *def, am_error *err)
{
    am_meter_def meter = am_meter_def_default();
    meter.skeleton = am_asset_skeleton(c->b->asset);
    meter.roles = am_asset_roles(c->b->asset);
    meter.floor = c->b->floor;
    am_result result = am_actor_create(&c->actors[i], def, err);
    if (result == AM_OK && c->b->schema) {
        result = am_control_create(&c->controls[i], c->b->schema, NULL, err);
    }
    c->intents[i].control = c->controls[i];
    return result == AM_OK ? am_meter_create(&c->meters[i], &meter, err) : result;
}

am_result crowd_open(crowd *c, behaviours *b, int count, float seconds, bool plan, uint64_t seed, am_error *err)
{
    *c = (crowd){ .b = b, .count = count, .room = (int)(seconds / dt + 0.5f) };
    const size_t most = (size_t)count, frames = most * (size_t)c->room;
    c->actors = calloc(most, sizeof *c->actors);
    c->controls = calloc(most, sizeof *c->controls);
    c->intents = calloc(most, sizeof *c->intents);
    c->meters = calloc(most, sizeof *c->meters);
    c->points = calloc(frames * AM_POINT_COUNT, sizeof *c->points);
    c->roots = calloc(frames, sizeof *c->roots);
    if (!c->actors || !c->controls || !c->intents || !c->meters || !c->points || !c->roots) {
        c->count = 0;
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d characters", count);
    }
    am_result result = AM_OK;
    for (int i = 0; i < count && result == AM_OK; i++) {
        am_actor_def def;
        am_actor_def_init(&def, b->asset);
        am_settings_init(&def.settings, b->method);
        def.settings.plan = plan;
        def.seed = am_run_seed(seed, i);
        result = open_one(c, i, &def, err);
    }
    return result;
}

void crowd_close(crowd *c)
{
    for (int i = 0; i < c->count; i++) {
        am_actor_destroy(c->actors[i]);
        am_control_destroy(c->controls[i]);
        am_meter_destroy(c->meters[i]);
    }
    free(c->actors);
    free(c->controls);
    free(c->intents);
    free(c->meters);
    free(c->points);
    free(c->roots);
}

static void record(crowd *c, int i)
{
    am_actor_pose pose;
    am_actor_get_pose(c->actors[i], &pose);
    const ptrdiff_t at = (ptrdiff_t)i * c->room + c->frames;
    am_body_take(c->points + at * AM_POINT_COUNT, &c->b->body, pose.world);
    c->roots[at] = pose.root;
    am_meter_add(c->meters[i], pose.world, dt, false);
}

am_result crowd_play(crowd *c, float seconds, crowd_ask *ask, void *user, am_error *err)
{
    const int end = c->frames + (int)(seconds / dt + 0.5f);
    for (; c->frames < end && c->frames < c->room; c->frames++) {
        for (int i = 0; i < c->count; i++) {
            am_actor_pose pose;
            am_actor_get_pose(c->actors[i], &pose);
            if (c->controls[i]) {
                am_control_clear(c->controls[i]);
                ask(user, i, (float)c->frames * dt, pose.root, c->controls[i]);
                if (c->b->complete) {
                    c->b->complete(c->b, c->controls[i], pose.root);
                }
            }
        }
        am_actors_step(c->actors, c->intents, c->count, dt, c->b->e->tasks);
        for (int i = 0; i < c->count; i++) {
            record(c, i);
        }
        if (cli_interrupted()) {
            return cli_error(err, AM_ERR_CANCELLED, NULL, "stopped");
        }
    }
    return AM_OK;
}

am_motion crowd_motion(const crowd *c, int character)
{
    return (am_motion){ .points = c->points + (ptrdiff_t)character * c->room * AM_POINT_COUNT,
                        .frames = c->frames,
                        .fps = 1.0f / dt,
                        .body = c->b->body,
                        .floor = c->b->floor };
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double sorted_part(float *values, int count, double part)
{
    if (!values || count < 1) {
        return (double)NAN;
    }
    qsort(values, (size_t)count, sizeof *values, compare);
    const int i = (int)(part * count);
    return (double)values[i < count ? i : count - 1];
}

/// How far the hips go over the ground in half a second around a frame, in m/s.
static double speed_at(const crowd *c, int i, int f)
{
    enum { half = 15 };
    const am_vec3 a = crowd_point(c, i, f - half, AM_POINT_HIPS), b = crowd_point(c, i, f + half, AM_POINT_HIPS);
    return (double)(am_v3_length(am_v3_ground(am_v3_sub(b, a))) / (2.0f * (float)half * dt));
}

static void measure_moves(const crowd *c, crowd_quality *q)
{
    int frames = 0, frozen = 0, floats = 0;
    for (int i = 0; i < c->count; i++) {
        for (int f = 15; f + 15 < c->frames; f++, frames++) {
            const double speed = speed_at(c, i, f);
            const float left = crowd_point(c, i, f, AM_POINT_LEFT_TOE).y;
            const float right = crowd_point(c, i, f, AM_POINT_RIGHT_TOE).y;
            frozen += speed < (double)FROZEN_MPS;
            floats += am_min(left, right) > c->b->floor.toe_m + FLOATS_M;
            q->fastest = speed > q->fastest || speed != speed ? speed : q->fastest;
        }
    }
    q->frozen = frames > 0 ? (double)frozen / frames : 0.0;
    q->floats = frames > 0 ? (double)floats / frames : 0.0;
}

crowd_quality crowd_measure(const crowd *c, float every_s)
{
    crowd_quality q = { 0 };
    const float seconds = (float)c->frames * dt;
    const int most = c->count * ((int)(seconds / every_s) + 1);
    float *novelty = calloc((size_t)most, sizeof *novelty);
    int count = 0, steps = 0, odd = 0, glides = 0;
    const am_step_limits *limits = am_reference_steps(c->b->reference);
    for (int i = 0; i < c->count; i++) {
        const am_motion motion = crowd_motion(c, i);
        for (float t = 0.5f * every_s; t < seconds && novelty && count < most; t += every_s) {
            const float cm = ami_novelty_at(c->b->reference, &motion, t, false);
            if (cm >= 0.0f) {
                novelty[count++] = cm;
            }
        }
        const am_stepping s = am_stepping_measure(&motion, limits);
        const am_quality feet = am_meter_result(c->meters[i]);
        steps += s.steps;
        odd += s.steps_odd;
        glides += s.glides;
        q.slide_cm += feet.foot_slide_cm / c->count;
        q.jitter_cm += feet.jitter_cm / c->count;
    }
    q.novelty_median = sorted_part(novelty, count, 0.5);
    q.novelty_p95 = sorted_part(novelty, count, 0.95);
    q.odd_steps = steps > 0 ? (double)odd / steps : 0.0;
    q.glides = (double)glides * 60.0 / ((double)seconds * c->count);
    measure_moves(c, &q);
    free(novelty);
    return q;
}

// ---------------------------------------------------------------------------------------------
// Asking. The paths come from behaviours_find, so nothing can be refused but numbers.

void ask_place(am_control *control, const char *path, am_vec3 v)
{
    const float numbers[3] = { v.x, v.y, v.z };
    (void)am_control_set(control, path, numbers, 3, NULL);
}

void ask_item(am_control *control, const char *array, int item, const char *part, am_vec3 v)
{
    char path[behaviour_path + 32];
    snprintf(path, sizeof path, "%s[%d]%s", array, item, part);
    ask_place(control, path, v);
}

// ---------------------------------------------------------------------------------------------
// Rows

behaviour_row behaviour_row_of(const char *name, int trials)
{
    const double no = (double)NAN;
    return (behaviour_row){ .name = name,
                            .trials = trials,
                            .off_m = no,
                            .line_m = no,
                            .speed = no,
                            .within_25 = no,
                            .within_15 = no,
                            .median_m = no,
                            .facing_deg = no,
                            .done = no,
                            .time_s = no };
}

static void put_most(ami_tables *t, double value, double bound)
{
    if (bound > 0.0) {
        ami_tables_bounded(t, value, bound);
    } else {
        ami_tables_number(t, value);
    }
}

static void put_least(ami_tables *t, double value, double bound)
{
    if (bound > 0.0) {
        ami_tables_at_least(t, value, bound - 1e-9); // "at least" of tables means more than
    } else {
        ami_tables_number(t, value);
    }
}

void behaviours_table(const behaviours *b)
{
    behaviours_table_named(b, "behaviours", "what the model can be asked, and how well it does it");
}

void behaviours_table_named(const behaviours *b, const char *name, const char *about)
{
    static const ami_column columns[] = {
        { "behaviour", -1 },     { "trials", 0 },          { "off m", 3 },           { "off line m", 3 },
        { "velocity off %", 1 }, { "within 0.25 m %", 1 }, { "within 0.15 m %", 1 }, { "median m", 3 },
        { "facing off deg", 1 }, { "done %", 1 },          { "time s", 2 },          { "novelty median cm", 2 },
        { "novelty p95 cm", 2 }, { "foot slide cm", 3 },   { "odd steps %", 1 },     { "glides/min", 1 }
    };
    ami_tables_begin(b->e->tables, name, about);
    ami_tables_columns(b->e->tables, columns, CLI_COUNT(columns));
}

void behaviour_row_put(behaviours *b, const behaviour_row *r, const crowd_quality *q)
{
    ami_tables *t = b->e->tables;
    ami_tables_row(t);
    ami_tables_text(t, r->name);
    ami_tables_number(t, r->trials);
    put_most(t, r->off_m, r->off_bound);
    put_most(t, r->line_m, r->line_bound);
    put_most(t, 100.0 * r->speed, 100.0 * r->speed_bound);
    put_least(t, 100.0 * r->within_25, 100.0 * r->within_25_bound);
    put_least(t, 100.0 * r->within_15, 100.0 * r->within_15_bound);
    put_most(t, r->median_m, r->median_bound);
    put_most(t, r->facing_deg, r->facing_bound);
    put_least(t, 100.0 * r->done, 100.0 * r->done_bound);
    ami_tables_number(t, r->time_s);
    ami_tables_number(t, q->novelty_median);
    put_most(t, q->novelty_p95, r->p95_bound);
    ami_tables_number(t, q->slide_cm);
    ami_tables_number(t, 100.0 * q->odd_steps);
    ami_tables_number(t, q->glides);
}
