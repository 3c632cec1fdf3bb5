// Measures the cost of a controlled frame of a motion field, against the number of neighbours k and the size of the
// data.
#include "eval_fields.h"

#include "database.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { frames = 200, repeats = 3 };

/// Room for the frames of one field.
typedef struct rate_room {
    ami_field_work *work;
    float *x, *v, *next_x, *next_v, *rows;
    ami_field_step *steps;
    ami_field_neighbours *near; ///< [1 + k]
} rate_room;

static void free_room(rate_room *r)
{
    ami_field_work_destroy(r->work);
    free(r->x);
    free(r->v);
    free(r->next_x);
    free(r->next_v);
    free(r->rows);
    free(r->steps);
    free(r->near);
}

static am_result make_room(rate_room *r, const ami_field *field, am_error *err)
{
    size_t k = (size_t)field->k;
    size_t pose = (size_t)field->pose_count, velocity = (size_t)field->velocity_count;
    *r = (rate_room){ 0 };
    r->x = calloc(pose, sizeof(float));
    r->v = calloc(velocity, sizeof(float));
    r->next_x = calloc(k * pose, sizeof(float));
    r->next_v = calloc(k * velocity, sizeof(float));
    r->rows = calloc((k + 1) * (size_t)field->stride, sizeof(float));
    r->steps = calloc(k, sizeof *r->steps);
    r->near = calloc(k + 1, sizeof *r->near);
    if (!r->x || !r->v || !r->next_x || !r->next_v || !r->rows || !r->steps || !r->near) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
    }
    return ami_field_work_create(&r->work, field, NULL, err);
}

/// One frame: neighbours, all actions, the neighbours of their results; then a random action is taken.
static void one_frame(const ami_field *field, rate_room *r, am_rng *rng)
{
    int32_t hint[AMI_FIELD_MAX_K];
    ami_field_embed(field, r->rows, r->x, r->v);
    ami_field_search(field, r->near, r->rows, 1, NULL, 0, r->work);
    int count = r->near->count;
    for (int i = 0; i < count; i++) {
        int next = field->next[r->near->state[i]];
        hint[i] = next >= 0 ? next : r->near->state[i];
    }
    ami_field_try_all(field, r->next_x, r->next_v, r->rows, r->steps, r->x, r->near, r->work);
    ami_field_search(field, r->near + 1, r->rows, count, hint, count, r->work);
    size_t taken = (size_t)am_rng_below(rng, (uint32_t)count);
    memcpy(r->x, r->next_x + taken * (size_t)field->pose_count, (size_t)field->pose_count * sizeof(float));
    memcpy(r->v, r->next_v + taken * (size_t)field->velocity_count, (size_t)field->velocity_count * sizeof(float));
}

/// Frames per second of this thread's processor time, the best of a few.
static am_result measure(double *out, const ami_field *field, am_error *err)
{
    rate_room r;
    am_result result = make_room(&r, field, err);
    *out = 0.0;
    for (int repeat = 0; repeat < repeats && result == AM_OK; repeat++) {
        am_rng rng = ami_rng_make(3);
        int start = (int)am_rng_below(&rng, (uint32_t)field->state_count);
        memcpy(r.x, ami_field_x(field, start), (size_t)field->pose_count * sizeof(float));
        memcpy(r.v, ami_field_v(field, start), (size_t)field->velocity_count * sizeof(float));
        double before = cli_cpu_us(NULL);
        for (int i = 0; i < frames; i++) {
            one_frame(field, &r, &rng);
        }
        *out = fmax(*out, 1e6 * frames / fmax(cli_cpu_us(NULL) - before, 1.0));
    }
    free_room(&r);
    return result;
}

static am_result add_rate(const fields *f, const am_db *db, const char *name, int k, double least, am_error *err)
{
    ami_tables *t = f->e->tables;
    ami_field *field = NULL;
    double rate = 0.0;
    ami_field_def def = ami_field_def_default();
    def.db = db;
    def.tasks = f->e->tasks;
    def.k = k;
    am_result result = ami_field_create(&field, &def, err);
    result = result == AM_OK ? measure(&rate, field, err) : result;
    if (result == AM_OK) {
        ami_tables_row(t);
        ami_tables_text(t, name);
        ami_tables_number(t, field->state_count);
        ami_tables_number(t, k);
        least > 0.0 ? ami_tables_at_least(t, rate, least) : ami_tables_number(t, rate);
        ami_tables_number(t, k == 15 && least > 1000.0 ? 200.0 : (double)NAN);
    }
    ami_field_destroy(field);
    return result;
}

/// The whole step of the source with its value function.
static am_result add_whole_step(const fields *f, am_error *err)
{
    ami_tables *t = f->e->tables;
    fields_source s;
    lab_agility out;
    am_result result = fields_source_make(&s, f, "direction", fields_finest(f), err);
    double rate = 0.0;
    for (int repeat = 0; repeat < repeats && result == AM_OK; repeat++) {
        lab_agility_def def = lab_agility_def_default();
        def.source = s.source;
        def.starts = 4;
        def.changes = 4;
        double before = cli_cpu_us(NULL);
        result = lab_agility_measure(&out, &def, err);
        rate = fmax(rate, 1e6 * out.steps / fmax(cli_cpu_us(NULL) - before, 1.0));
    }
    if (result == AM_OK) {
        ami_tables_row(t);
        ami_tables_text(t, "whole steps with values");
        ami_tables_number(t, f->field->state_count);
        ami_tables_number(t, f->field->k);
        f->real ? ami_tables_at_least(t, rate, 3000.0) : ami_tables_number(t, rate);
        ami_tables_number(t, 200.0);
    }
    fields_source_free(&s);
    return result;
}

am_result fields_rates(const fields *f, am_error *err)
{
    static const int ks[] = { 5, 10, 15, 20, 30 };
    static const char *const larger[] = { "basketball", "locomotion" };
    ami_tables *t = f->e->tables;
    if (f->e->quick && !f->e->timings) {
        return AM_OK;
    }
    ami_tables_begin(t, "rate",
                     "controlled frames a second on one core: 1 + k neighbour searches and k integrations");
    static const ami_column columns[] = {
        { "data", -1 }, { "states", 0 }, { "k", 0 }, { "frames_per_s", 0 }, { "paper_frames_per_s", 0 }
    };
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    am_result result = AM_OK;
    for (size_t i = 0; i < sizeof ks / sizeof ks[0] && result == AM_OK; i++) {
        result = add_rate(f, f->db, f->config, ks[i], f->real && ks[i] == 15 ? 3000.0 : 0.0, err);
    }
    if (result == AM_OK && f->model) {
        result = add_whole_step(f, err);
    }
    for (size_t i = 0; i < sizeof larger / sizeof larger[0] && result == AM_OK && f->real && !f->e->quick; i++) {
        am_db *db = NULL;
        if (!cli_database_has_data(larger[i])) {
            continue;
        }
        result = cli_database_open(&db, larger[i], f->e->tasks, f->e->progress, err);
        result = result == AM_OK ? add_rate(f, db, larger[i], 15, i == 1 ? 300.0 : 0.0, err) : result;
        am_db_close(db);
    }
    ami_tables_note(
        t,
        "Processor time of one thread, best of %d; actions are taken at random. These numbers differ from "
        "run to run.",
        (int)repeats);
    return result;
}
