// New paths that nothing was tuned for, drawn by a simulated random hand: curves, crossings, corners, shaking and
// haste, each from five starts.
#include "eval_paths.h"

#include "actor/path_def.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_samples = 4000, most_knots = 16, drawings = 20, quick_drawings = 4 };

static const char *const kinds[] = { "curves", "corners", "closed", "zigzag", "shaky", "hasty", "mixed", "eight" };

typedef struct drawing {
    am_path_sample *samples; ///< [most_samples]
    int count;
    float t;
    am_rng rng;
    float shake_x, shake_z, shake_m;
} drawing;

/// The pen moves to a place in 1/60 s.
static void put(drawing *d, float x, float z)
{
    if (d->count < most_samples) {
        // A hand's noise changes slowly: each sample moves a third of the distance to a new value.
        d->shake_x += (am_rng_normal(&d->rng) * d->shake_m - d->shake_x) * 0.3f;
        d->shake_z += (am_rng_normal(&d->rng) * d->shake_m - d->shake_z) * 0.3f;
        d->samples[d->count++] = (am_path_sample){ d->t, x + d->shake_x, z + d->shake_z };
        d->t += 1.0f / 60.0f;
    }
}

/// Straight from a to b at a speed.
static void put_line(drawing *d, am_vec3 a, am_vec3 b, float speed)
{
    float length = am_v3_distance(a, b);
    int steps = (int)(length / speed * 60.0f) + 1;
    for (int i = 0; i < steps; i++) {
        am_vec3 p = am_v3_lerp(a, b, (float)i / (float)steps);
        put(d, p.x, p.z);
    }
}

/// Straight legs with turns between them; `round` above 0 rounds the turns with arcs of about that radius.
static void put_legs(drawing *d, int legs, float low, float high, float round, float speed)
{
    am_vec3 at = am_v3_zero();
    float heading = am_rng_range(&d->rng, -0.5f, 0.5f);
    float side = 1.0f;
    for (int i = 0; i < legs; i++) {
        am_vec3 way = am_v3(am_sin(heading), 0.0f, am_cos(heading));
        am_vec3 to = am_v3_add(at, am_v3_scale(way, am_rng_range(&d->rng, 1.2f, 3.0f)));
        put_line(d, at, to, speed);
        at = to;
        side = round > 0.0f && am_rng_below(&d->rng, 3) != 0 ? side : -side;
        float turn = side * am_rng_range(&d->rng, low, high) * AM_DEG;
        if (round > 0.0f) {
            float radius = round * am_rng_range(&d->rng, 0.7f, 1.6f);
            int steps = (int)(am_abs(turn) * radius / speed * 60.0f) + 1;
            for (int s = 0; s < steps; s++) {
                heading += turn / (float)steps;
                am_vec3 step = am_v3(am_sin(heading), 0.0f, am_cos(heading));
                at = am_v3_add(at, am_v3_scale(step, am_abs(turn) * radius / (float)steps));
                put(d, at.x, at.z);
            }
        } else {
            heading += turn;
        }
    }
    put(d, at.x, at.z);
}

/// A loop or a figure eight.
static void put_round(drawing *d, bool eight, float speed)
{
    float wide = am_rng_range(&d->rng, 1.5f, 3.0f);
    float high = am_rng_range(&d->rng, 1.2f, 2.5f);
    int steps = 2000;
    am_vec3 before = am_v3_zero();
    float way = 0.0f;
    put(d, 0.0f, 0.0f);
    for (int i = 1; i <= steps; i++) {
        float a = 2.0f * AM_PI * (float)i / (float)steps;
        am_vec3 p = eight ? am_v3(wide * am_sin(a), 0.0f, high * am_sin(2.0f * a))
                          : am_v3(wide * am_cos(a) - wide, 0.0f, high * am_sin(a));
        way += am_v3_distance(before, p);
        before = p;
        if (way >= speed / 60.0f || i == steps) {
            way = 0.0f;
            put(d, p.x, p.z);
        }
    }
}

static void draw(drawing *d, int kind)
{
    float walk = am_rng_range(&d->rng, 1.0f, 2.0f);
    d->shake_m = kind == 4 ? 0.05f : kind == 6 ? 0.02f : 0.0f;
    switch (kind) {
    case 0:
    case 4:
        put_legs(d, 5, 40.0f, 170.0f, 0.9f, walk);
        break;
    case 1:
        put_legs(d, 5, 60.0f, 140.0f, 0.0f, walk);
        break;
    case 2:
    case 7:
        put_round(d, kind == 7, walk);
        break;
    case 3:
        put_legs(d, 7, 90.0f, 130.0f, 0.0f, walk);
        break;
    case 5:
        put_legs(d, 6, 30.0f, 150.0f, 1.0f, am_rng_range(&d->rng, 3.5f, 9.0f));
        break;
    default:
        put_legs(d, 4, 30.0f, 120.0f, 1.0f, am_rng_range(&d->rng, 1.0f, 3.0f));
        break;
    }
}

typedef struct work {
    const am_db *db;
    const am_db_measures *own;
    path_row row;
    path_score *scores;      ///< [count]
    am_path_sample *samples; ///< [count][most_samples]
    int *counts;             ///< [count]
} work;

static void play_one(void *context, int item)
{
    work *w = context;
    path_play(&w->scores[item], w->db, w->own, &w->row, w->samples + (size_t)item * most_samples, w->counts[item]);
}

static void add_rows(eval *e, const work *w, int count, const am_db_measures *own)
{
    for (int i = 0; i < count; i++) {
        const path_score *s = &w->scores[i];
        char name[64];
        snprintf(name, sizeof name, "%s %d", kinds[i % (int)CLI_COUNT(kinds)], i / (int)CLI_COUNT(kinds) + 1);
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, name);
        ami_tables_number(e->tables, (double)s->drawn_mps);
        ami_tables_bounded(e->tables, s->error, 0.08);
        ami_tables_bounded(e->tables, s->cover, 0.08);
        ami_tables_bounded(e->tables, s->cover_max, 0.35);
        ami_tables_bounded(e->tables, s->ratio, path_ratio_bound(s));
        ami_tables_bounded(e->tables, s->end, 0.3);
        ami_tables_at_least(e->tables, s->completed, path_starts - 1);
        ami_tables_number(e->tables, s->recoveries);
        ami_tables_bounded(e->tables, s->slide, 0.5 * own->quality.foot_slide_cm);
        ami_tables_bounded(e->tables, s->jitter, fmax(1.3 * own->quality.jitter_cm, 1.3 * s->played_jitter));
        ami_tables_bounded(e->tables, s->skate, 1.1 * own->quality.skate_share);
    }
    for (int i = 0; i < count && i < (int)CLI_COUNT(kinds); i++) {
        const path_score *s = &w->scores[i];
        am_track track = { s->places, s->place_count, s->dt };
        am_polyline line = { .points = s->line, .count = s->line_count };
        ami_tables_path(e->tables, kinds[i], &track, &line);
    }
}

/// Draws count paths of the given kinds, one after another, and follows them.
static am_result work_play(work *w, const eval *e, const int *of, int kind_count, int count, uint64_t seed,
                           am_error *err)
{
    w->scores = calloc((size_t)count, sizeof *w->scores);
    w->samples = calloc((size_t)count * most_samples, sizeof *w->samples);
    w->counts = calloc((size_t)count, sizeof *w->counts);
    am_result result = AM_OK;
    if (!w->scores || !w->samples || !w->counts) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d paths", count);
        result = AM_ERR_MEMORY;
    }
    am_rng rng = ami_rng_make(seed);
    for (int i = 0; result == AM_OK && i < count; i++) {
        drawing d = { .samples = w->samples + (size_t)i * most_samples, .rng = ami_rng_fork(&rng, (uint64_t)i) };
        draw(&d, of[i % kind_count]);
        w->counts[i] = d.count;
    }
    if (result == AM_OK) {
        e->tasks->run(e->tasks->user, count, play_one, w);
    }
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = w->scores[i].result;
        *err = result != AM_OK ? w->scores[i].err : *err;
    }
    return result;
}

static void work_free(work *w, int count)
{
    for (int i = 0; w->scores && i < count; i++) {
        path_score_free(&w->scores[i]);
    }
    free(w->scores);
    free(w->samples);
    free(w->counts);
    w->scores = NULL;
    w->samples = NULL;
    w->counts = NULL;
}

am_result path_table_smooth(eval *e, const am_db *db, const am_db_measures *own, const path_row *rows, int row_count,
                            am_error *err)
{
    static const int of[] = { 0, 2, 7 };
    int count = e->quick ? 3 : 15;
    ami_tables_begin(e->tables, "smooth curves",
                     "curves, loops and figure eights by a random hand: long-horizon against basic");
    static const ami_column columns[] = {
        { "configuration", -1 }, { "path_error_m", 4 }, { "oscillation_m", 4 }, { "completed", 0 }
    };
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
    am_result result = AM_OK;
    for (int r = 0; result == AM_OK && r < row_count; r++) {
        work w = { .db = db, .own = own, .row = rows[r] };
        result = work_play(&w, e, of, (int)CLI_COUNT(of), count, 11, err);
        double error = 0.0, swing = 0.0;
        int completed = 0;
        for (int i = 0; result == AM_OK && i < count; i++) {
            error += w.scores[i].error_mean / count;
            swing += w.scores[i].oscillation / count;
            completed += w.scores[i].completed;
        }
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, rows[r].name);
        ami_tables_number(e->tables, error);
        ami_tables_number(e->tables, swing);
        ami_tables_number(e->tables, completed);
        work_free(&w, count);
    }
    ami_tables_note(e->tables, "Means over %d paths with five starts each, as in the paper, and by Amble.", count);
    return result;
}

am_result path_table_new(eval *e, const am_db *db, const am_db_measures *own, am_error *err)
{
    static const int all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    int count = e->quick ? quick_drawings : drawings;
    work w = { .db = db, .own = own, .row = { .method = ami_path_method_default(), .k = 3, .l = 3 } };
    am_result result = work_play(&w, e, all, (int)CLI_COUNT(all), count, 7, err);
    if (result == AM_OK) {
        ami_tables_begin(e->tables, "new paths", "drawn by a random hand, five starts each, the worst counts");
        static const ami_column columns[] = {
            { "path", -1 },         { "drawn_mps", 2 },        { "path_error_m", 3 },
            { "path_cover_m", 3 },  { "path_cover_max_m", 3 }, { "path_time_ratio", 2 },
            { "path_end_m", 3 },    { "completed", 0 },        { "recoveries", 0 },
            { "foot_slide_cm", 3 }, { "jitter_cm", 3 },        { "skate_share", 3 }
        };
        ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
        add_rows(e, &w, count, own);
    }
    work_free(&w, count);
    return result;
}
