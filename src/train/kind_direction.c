// Stage "direction": DirectionNet (LHMM VI-G): a GRU of 30 units and a linear layer that predict, from the points of
// a path and the facing so far, how a person would face along it. Gives the part "direction" (actor/direction_net.h).
//
// A window has 2 s with known facings and 2 s in which the previous facing is the network's own, made a unit vector,
// as when it runs; the loss is L1 over those. Where the paper is silent: points are seen from the one before and
// facings from the window's present, so that place and heading do not matter; paths are smoothed like drawn paths and
// read a little ahead of the facing, since people turn before they walk; some windows begin at the present, like a
// path, with its first point repeated; hands shake and hurry, so paths are bent by slow waves and stretched in time,
// and mirrored where the clips are not.
#include "train/stage.h"

#include <amble/tools/database.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "actor/direction.h"
#include "base/rng.h"
#include "net/build.h"
#include "train/direction_check.h"

#define TURN (2.0f * AM_PI)
// Time in which a nudge fades to a third: about as fast as people turn.
#define NUDGE_S 0.35f

enum { steps = AMI_DIRECTION_STEPS, known = AMI_DIRECTION_KNOWN, points = AMI_DIRECTION_POINTS };

typedef struct direction {
    am_db *db;
    ami_direction_ways ways;
    int *present; ///< [present_count] frames that may be a window's present
    int *stop;    ///< [present_count] where their clip ends
    int *start;   ///< [present_count] and begins
    int present_count;
    float stride; ///< frames of the database between two steps
    float starts, noise_m, stretch, nudge_deg, turned, stops;
    int units, folds, fold;
    bool mirror;
    int point, facing, out;
    am_rng rng;
} direction;

static const char *const keys[] = { "database", "units",     "folds",  "fold",  "starts", "noise_m",
                                    "stretch",  "nudge_deg", "turned", "stops", "mirror" };

static am_result read_keys(ami_stage *s, direction *d, am_error *err)
{
    const struct {
        const char *key;
        float *to;
        float hi;
    } numbers[] = {
        { "starts", &d->starts, 1.0f },        { "noise_m", &d->noise_m, 1.0f }, { "stretch", &d->stretch, 1.0f },
        { "nudge_deg", &d->nudge_deg, 90.0f }, { "turned", &d->turned, 1.0f },   { "stops", &d->stops, 1.0f },
    };
    am_result result = am_json_read_int(s->doc, s->json, "units", false, &d->units, 1, 4096, err);
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "folds", false, &d->folds, 2, 1000, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "fold", false, &d->fold, -1, d->folds - 1, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, s->json, "mirror", false, &d->mirror, err);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && result == AM_OK; i++) {
        result = am_json_read_float(s->doc, s->json, numbers[i].key, false, numbers[i].to, 0.0f, numbers[i].hi, err);
    }
    return result == AM_OK ? ami_stage_database(s, &d->db, err) : result;
}

/// Presents of the clips that are trained on with at least half a second to come. What lies beyond a clip's end has
/// no truth and no loss; before its beginning the first point is repeated.
static am_result list_presents(ami_stage *s, direction *d, am_error *err)
{
    const size_t frames = (size_t)d->db->frame_count;
    const int ahead = (int)(0.5f * d->db->fps + 0.5f);
    d->present = ami_alloc_array(&s->alloc, 3 * frames, sizeof *d->present);
    if (!d->present) {
        return ami_fail_memory(err, 3 * frames * sizeof *d->present);
    }
    d->start = d->present + frames;
    d->stop = d->present + 2 * frames;
    for (int r = 0; r < d->db->range_count; r++) {
        const am_db_range *range = &d->db->ranges[r];
        const bool kept = ami_direction_fold(range, d->folds) == d->fold;
        for (int f = range->start; !kept && f + ahead < range->stop; f++) {
            d->start[d->present_count] = range->start;
            d->stop[d->present_count] = range->stop;
            d->present[d->present_count++] = f;
        }
    }
    return d->present_count > 0
               ? AM_OK
               : ami_fail(err, AM_ERR_EMPTY,
                          "every clip of the database that is not held out is shorter than half a second");
}

/// One window as it was drawn from the clips.
typedef struct window {
    float x[points], z[points], sine[points], cosine[points];
    int end;    ///< the first step without truth
    float left; ///< 1, or -1 for its mirror image
} window;

/// A place between two frames, and the facing there.
static void look_up(const direction *d, window *w, int t, float frame, int start, int stop)
{
    frame = frame < (float)start ? (float)start : frame > (float)(stop - 1) ? (float)(stop - 1) : frame;
    const int a = (int)frame, b = a + 1 < stop ? a + 1 : a;
    const float part = frame - (float)a;
    w->x[t] = am_lerp(d->ways.x[a], d->ways.x[b], part);
    w->z[t] = am_lerp(d->ways.z[a], d->ways.z[b], part);
    const float sine = am_lerp(d->ways.sine[a], d->ways.sine[b], part);
    const float cosine = am_lerp(d->ways.cosine[a], d->ways.cosine[b], part);
    const float length = sqrtf(sine * sine + cosine * cosine) + 1e-9f;
    w->sine[t] = sine / length;
    w->cosine[t] = cosine / length;
}

/// A slow wave across each axis: a hand that shakes.
static void shake(const direction *d, window *w, am_rng *rng)
{
    for (int axis = 0; axis < 2; axis++) {
        float *at = axis == 0 ? w->x : w->z;
        const float reach = d->noise_m * am_rng_normal(rng), hz = am_rng_range(rng, 0.2f, 1.5f);
        const float phase = am_rng_range(rng, 0.0f, TURN);
        for (int t = 0; t < points; t++) {
            at[t] += reach * am_sin(phase + TURN * hz * (float)t / AMI_DIRECTION_HZ);
        }
    }
}

/// Known facings that are off by one angle, which fades out from then on: a character at the start of a path may face
/// anywhere, and must neither take a small error for a style of walking nor a large one for a side step.
static void nudge(const direction *d, window *w, am_rng *rng)
{
    const float small = d->nudge_deg * AM_DEG * am_rng_normal(rng), any = am_rng_range(rng, -AM_PI, AM_PI);
    const float angle = am_rng_float(rng) < d->turned ? any : small;
    for (int t = 0; t < steps; t++) {
        float sine, cosine;
        const int left = t - (known - 1);
        am_sincos(left > 0 ? angle * am_exp(-(float)left / (NUDGE_S * AMI_DIRECTION_HZ)) : angle, &sine, &cosine);
        const float s = w->sine[t], c = w->cosine[t];
        w->sine[t] = s * cosine + c * sine;
        w->cosine[t] = c * cosine - s * sine;
    }
}

/// Stands from some step on, as at a path's end.
static void halt(window *w, am_rng *rng)
{
    const int at = known + (int)am_rng_below(rng, steps - known);
    for (int t = at + 1; t < points; t++) {
        w->x[t] = w->x[at];
        w->z[t] = w->z[at];
        w->sine[t] = w->sine[at];
        w->cosine[t] = w->cosine[at];
    }
    w->end = w->end > at ? steps : w->end;
}

static void draw(const direction *d, window *w, uint64_t item)
{
    am_rng rng = ami_rng_fork(&d->rng, item);
    const uint32_t which = am_rng_below(&rng, (uint32_t)d->present_count);
    const int present = d->present[which], start = d->start[which], stop = d->stop[which];
    const bool fresh = am_rng_float(&rng) < d->starts;
    const float pace = am_rng_range(&rng, 1.0f - 0.5f * d->stretch, 1.0f + d->stretch) * d->stride;
    w->end = steps;
    w->left = d->mirror && am_rng_float(&rng) < 0.5f ? -1.0f : 1.0f;
    for (int t = 0; t < points; t++) {
        const int step = t - (known - 1);
        const float frame = (float)present + (float)step * pace;
        look_up(d, w, t, step < 0 && fresh ? (float)present : frame, start, stop);
        w->end = frame > (float)(stop - 1) && t < w->end ? t : w->end;
    }
    if (d->noise_m > 0.0f) {
        shake(d, w, &rng);
    }
    if (am_rng_float(&rng) < d->stops) {
        halt(w, &rng);
    }
    nudge(d, w, &rng);
    for (int t = 0; t < known - 1 && fresh; t++) {
        w->x[t] = w->x[known - 1];
        w->z[t] = w->z[known - 1];
    }
}

/// Deviation of the steps from one point to the next: one number for x and z.
static float point_deviation(const direction *d)
{
    double squares = 0.0;
    const int windows = 500;
    window w;
    for (int i = 0; i < windows; i++) {
        draw(d, &w, ~(uint64_t)i);
        for (int t = known; t < steps; t++) {
            const double x = (double)(w.x[t] - w.x[t - 1]), z = (double)(w.z[t] - w.z[t - 1]);
            squares += 0.5 * (x * x + z * z);
        }
    }
    const double deviation = sqrt(squares / (windows * (steps - known)));
    return deviation > 1e-4 ? (float)deviation : 1.0f;
}

static am_result build(ami_stage *s, direction *d, am_error *err)
{
    am_result result = ami_net_graph_create(&s->graphs[0], s->name, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_net_graph *g = s->graphs[0];
    d->point = ami_net_graph_input(g, "point", 2);
    d->facing = ami_net_graph_input(g, "facing", 2);
    const int h = ami_net_graph_state(g, "h", d->units);
    const int scaled = ami_net_graph_normalise(g, d->point);
    const int next = ami_net_graph_gru(g, ami_net_graph_concat(g, (int[]){ scaled, d->facing }, 2), h);
    ami_net_graph_keep(g, h, next);
    d->out = ami_net_graph_linear(g, next, 2);
    ami_net_graph_output(g, "direction", d->out);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        const float deviation = point_deviation(d);
        ami_net_graph_randomise(g, s->seed);
        ami_set_scales(g, scaled, (float[]){ 0.0f, 0.0f }, (float[]){ deviation, deviation });
    }
    return result;
}

static am_result create(ami_stage *s, am_error *err)
{
    direction *d = ami_alloc_zero(&s->alloc, sizeof *d);
    if (!d) {
        return ami_fail_memory(err, sizeof *d);
    }
    s->state = d;
    d->units = 30;
    d->folds = 5;
    d->starts = 0.5f;
    am_result result = read_keys(s, d, err);
    if (result != AM_OK) {
        return result;
    }
    d->stride = d->db->fps / AMI_DIRECTION_HZ;
    d->rng = ami_rng_make(s->seed ^ 0x646972656374u);
    s->slots = steps;
    s->input_grads = true;
    s->scratch = 3 * steps + 8;
    s->data_hash = s->database_hash = d->db->hash;
    result = ami_direction_ways_make(&d->ways, d->db, &s->alloc, err);
    if (result == AM_OK) {
        result = list_presents(s, d, err);
    }
    return result == AM_OK ? build(s, d, err) : result;
}

/// Points into the inputs, the truth into truth[step](2, columns), how much each step counts into counts[step]
/// (columns), the known facings into the inputs.
static void fill(const direction *d, ami_train_block *block, float *truth, float *counts)
{
    const int n = ami_block_columns(block);
    window w;
    for (int c = 0; c < ami_block_used(block); c++) {
        draw(d, &w, ami_block_item(block, c));
        const float sine = w.sine[known - 1], cosine = w.cosine[known - 1];
        for (int t = 0; t < steps; t++) {
            const int before = t > 0 ? t - 1 : 0; // before the first step, use the first facing
            const int seen = t + AMI_DIRECTION_AHEAD, left = seen > 0 ? seen - 1 : 0;
            const float x = w.x[seen] - w.x[left], z = w.z[seen] - w.z[left];
            float *point = ami_block_value(block, 0, d->point, t), *facing = ami_block_value(block, 0, d->facing, t);
            point[c] = w.left * (x * cosine - z * sine);
            point[n + c] = x * sine + z * cosine;
            truth[2 * t * n + c] = w.left * (w.sine[t] * cosine - w.cosine[t] * sine);
            truth[(2 * t + 1) * n + c] = w.sine[t] * sine + w.cosine[t] * cosine;
            counts[t * n + c] = t >= known && t < w.end ? 1.0f : 0.0f;
            for (int i = 0; i < 2 && t <= known; i++) {
                facing[i * n + c] = truth[(2 * before + i) * n + c];
            }
        }
    }
}

/// u = y / |y| of each column, into the facing of the next step.
static void make_unit(float *u, const float *y, int n)
{
    for (int c = 0; c < n; c++) {
        const float length = sqrtf(y[c] * y[c] + y[n + c] * y[n + c]) + 1e-6f;
        u[c] = y[c] / length;
        u[n + c] = y[n + c] / length;
    }
}

/// dy += (du - u (u . du)) / |y|.
static void make_unit_back(float *dy, const float *du, const float *y, int n)
{
    for (int c = 0; c < n; c++) {
        const float length = sqrtf(y[c] * y[c] + y[n + c] * y[n + c]) + 1e-6f;
        const float u0 = y[c] / length, u1 = y[n + c] / length, dot = u0 * du[c] + u1 * du[n + c];
        dy[c] += (du[c] - u0 * dot) / length;
        dy[n + c] += (du[n + c] - u1 * dot) / length;
    }
}

static double pass(void *user, ami_train_block *block)
{
    const direction *d = user;
    const int n = ami_block_columns(block);
    const ami_loss loss = { AMI_LOSS_L1, NULL, 1.0 / (steps - known) };
    float *truth = ami_block_scratch(block, (size_t)(2 * steps) * (size_t)n);
    float *counts = ami_block_scratch(block, (size_t)steps * (size_t)n);
    double value = 0.0;
    fill(d, block, truth, counts);
    for (int t = 0; t < steps; t++) {
        if (t > known) {
            make_unit(ami_block_value(block, 0, d->facing, t), ami_block_value(block, 0, d->out, t - 1), n);
        }
        ami_block_forward(block, 0, t);
    }
    for (int t = steps - 1; t >= 0; t--) {
        float *dy = ami_block_grad(block, 0, d->out, t), *aim = truth + (ptrdiff_t)2 * t * n;
        const float *y = ami_block_value(block, 0, d->out, t);
        for (int c = 0; c < 2 * n; c++) {
            aim[c] = counts[t * n + c % n] > 0.0f ? aim[c] : y[c];
        }
        value += ami_block_loss(block, &loss, dy, y, aim, 2);
        if (t >= known && t + 1 < steps) {
            make_unit_back(dy, ami_block_grad(block, 0, d->facing, t + 1), y, n);
        }
        ami_block_backward(block, 0, t);
    }
    return value;
}

static void destroy(ami_stage *s)
{
    direction *d = s->state;
    if (d) {
        ami_direction_ways_free(&d->ways, &s->alloc);
        ami_release(&s->alloc, d->present, d->db ? 3 * (size_t)d->db->frame_count * sizeof *d->present : 0);
        am_db_close(d->db);
        ami_release(&s->alloc, d, sizeof *d);
    }
}

const ami_kind ami_kind_direction = {
    .name = "direction",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
