// Stage "direction": DirectionNet (LHMM VI-G): a GRU of 30 units and a linear layer that tell, from the points of a
// path and the facing so far, how a person would face along it. Gives the part "direction".
//
// A window is `seconds` long at `rate_hz`, its first part (`past_s`) is past: there the previous facing is the true
// one, from then on the network's own, made a unit vector, as when it runs. Where the paper is silent: points and
// facings are in the frame of the ground root at the window's present, so that place and heading do not matter, and
// points are in metres times the inverse deviation over the database.
#include "train/stage.h"

#include <amble/db.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

typedef struct direction {
    am_db *db;
    int *present; ///< [present_count] frames that may be a window's present
    int present_count;
    int steps, past;
    int stride; ///< frames of the database between two steps
    int point, facing, out;
    am_rng rng;
} direction;

static const char *const keys[] = { "database", "units", "rate_hz", "seconds", "past_s" };

typedef struct direction_keys {
    float rate_hz, seconds, past_s;
    int units;
} direction_keys;

static am_result read_keys(ami_stage *s, direction *d, direction_keys *k, am_error *err)
{
    const char *database = NULL;
    char path[1024];
    am_result result = am_json_read_string(s->doc, s->json, "database", true, &database, err);
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "units", false, &k->units, 1, 4096, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "rate_hz", false, &k->rate_hz, 1.0f, 240.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "seconds", false, &k->seconds, 0.2f, 30.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "past_s", false, &k->past_s, 0.0f, k->seconds, err);
    }
    if (result == AM_OK) {
        result = ami_stage_path(s, database, path, sizeof path, err);
    }
    return result == AM_OK ? am_db_open(&d->db, path, &s->alloc, err) : result;
}

/// Presents whose whole future lies in their range; the past may be cut short: the first point is then repeated.
static am_result list_presents(ami_stage *s, direction *d, am_error *err)
{
    const int future = (d->steps - d->past) * d->stride;
    d->present = ami_alloc_array(&s->alloc, (size_t)d->db->frame_count, sizeof *d->present);
    if (!d->present) {
        return ami_fail_memory(err, (size_t)d->db->frame_count * sizeof *d->present);
    }
    for (int r = 0; r < d->db->range_count; r++) {
        for (int f = d->db->ranges[r].start; f + future < d->db->ranges[r].stop; f++) {
            d->present[d->present_count++] = f;
        }
    }
    return d->present_count > 0 ? AM_OK
                                : ami_fail(err, AM_ERR_EMPTY,
                                           "no clip of the database is longer than the %d frames "
                                           "of a window's future",
                                           future);
}

/// Point (x, z) and facing (x, z) of a frame, seen from the root `from`.
static void seen_from(const direction *d, am_transform from, int frame, float out[4])
{
    const am_transform root = am_db_root(d->db, frame);
    const am_quat back = am_quat_inv(from.rotation);
    const am_vec3 place = am_quat_rotate(back, am_v3_sub(root.translation, from.translation));
    const am_vec3 way = am_quat_rotate(back, am_quat_rotate(root.rotation, am_v3(0.0f, 0.0f, 1.0f)));
    const float length = sqrtf(way.x * way.x + way.z * way.z);
    out[0] = place.x;
    out[1] = place.z;
    out[2] = length > 0.0f ? way.x / length : 0.0f;
    out[3] = length > 0.0f ? way.z / length : 1.0f;
}

static int frame_at(const direction *d, int present, int step)
{
    return am_db_clamp(d->db, present, (step - d->past) * d->stride);
}

/// Deviation of the points over windows spread evenly over the database: one number for x and z.
static float point_deviation(const direction *d)
{
    double squares = 0.0;
    int count = 0;
    const int skip = d->present_count / 500 + 1;
    for (int p = 0; p < d->present_count; p += skip) {
        const am_transform from = am_db_root(d->db, d->present[p]);
        for (int t = 0; t < d->steps; t++, count++) {
            float seen[4];
            seen_from(d, from, frame_at(d, d->present[p], t), seen);
            squares += 0.5 * ((double)seen[0] * (double)seen[0] + (double)seen[1] * (double)seen[1]);
        }
    }
    const double deviation = sqrt(squares / (count > 0 ? count : 1));
    return deviation > 1e-3 ? (float)deviation : 1.0f;
}

static am_result build(ami_stage *s, direction *d, int units, am_error *err)
{
    am_result result = am_graph_create(&s->graphs[0], s->name, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_graph *g = s->graphs[0];
    d->point = am_graph_input(g, "point", 2);
    d->facing = am_graph_input(g, "facing", 2);
    const int h = am_graph_state(g, "h", units);
    const int scaled = am_graph_normalise(g, d->point);
    const int next = am_graph_gru(g, am_graph_concat(g, (int[]){ scaled, d->facing }, 2), h);
    am_graph_keep(g, h, next);
    d->out = am_graph_linear(g, next, 2);
    am_graph_output(g, "direction", d->out);
    result = am_graph_finish(g, err);
    if (result == AM_OK) {
        const float deviation = point_deviation(d);
        am_graph_randomise(g, s->seed);
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
    direction_keys k = { .rate_hz = 30.0f, .seconds = 4.0f, .past_s = 2.0f, .units = 30 };
    am_result result = read_keys(s, d, &k, err);
    if (result != AM_OK) {
        return result;
    }
    d->stride = (int)(d->db->fps / k.rate_hz + 0.5f);
    d->stride = d->stride > 0 ? d->stride : 1;
    d->steps = (int)(k.seconds * k.rate_hz + 0.5f);
    d->past = (int)(k.past_s * k.rate_hz + 0.5f);
    d->rng = am_rng_make(s->seed ^ 0x646972656374u);
    if (d->steps < 2 || d->steps > 4096 || d->past >= d->steps) {
        return am_json_fail(s->doc, s->json, AM_ERR_RANGE, err, "a window needs 2 to 4096 steps, some in the future");
    }
    s->slots = d->steps;
    s->input_grads = true;
    s->scratch = 2 * d->steps + 8;
    s->data_hash = s->database_hash = d->db->hash;
    result = list_presents(s, d, err);
    return result == AM_OK ? build(s, d, k.units, err) : result;
}

/// Points into the inputs, the truth into truth[step](2, columns), the previous facing of step 0.
static void fill(const direction *d, am_train_block *block, float *truth)
{
    const int n = am_block_columns(block);
    for (int c = 0; c < am_block_used(block); c++) {
        am_rng rng = am_rng_fork(&d->rng, am_block_item(block, c));
        const int present = d->present[am_rng_below(&rng, (uint32_t)d->present_count)];
        const am_transform from = am_db_root(d->db, present);
        for (int t = 0; t < d->steps; t++) {
            float seen[4], *point = am_block_value(block, 0, d->point, t);
            float *facing = am_block_value(block, 0, d->facing, t);
            seen_from(d, from, frame_at(d, present, t), seen);
            for (int i = 0; i < 2; i++) {
                point[i * n + c] = seen[i];
                truth[(2 * t + i) * n + c] = seen[2 + i];
                if (t <= d->past) { // the facing before this step; before the first there is only the first
                    facing[i * n + c] = t > 0 ? truth[(2 * (t - 1) + i) * n + c] : seen[2 + i];
                }
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

static double pass(void *user, am_train_block *block)
{
    const direction *d = user;
    const int n = am_block_columns(block);
    const am_loss loss = { AM_LOSS_L1, NULL, 1.0 / d->steps };
    float *truth = am_block_scratch(block, (size_t)(2 * d->steps) * (size_t)n);
    double value = 0.0;
    fill(d, block, truth);
    for (int t = 0; t < d->steps; t++) {
        if (t > d->past) {
            make_unit(am_block_value(block, 0, d->facing, t), am_block_value(block, 0, d->out, t - 1), n);
        }
        am_block_forward(block, 0, t);
    }
    for (int t = d->steps - 1; t >= 0; t--) {
        float *dy = am_block_grad(block, 0, d->out, t);
        const float *y = am_block_value(block, 0, d->out, t);
        value += am_block_loss(block, &loss, dy, y, truth + (ptrdiff_t)2 * t * n, 2);
        if (t + 1 < d->steps && t + 1 > d->past) {
            make_unit_back(dy, am_block_grad(block, 0, d->facing, t + 1), y, n);
        }
        am_block_backward(block, 0, t);
    }
    return value;
}

static void destroy(ami_stage *s)
{
    direction *d = s->state;
    if (d) {
        ami_release(&s->alloc, d->present, d->db ? (size_t)d->db->frame_count * sizeof *d->present : 0);
        am_db_close(d->db);
        ami_release(&s->alloc, d, sizeof *d);
    }
}

const ami_kind ami_kind_direction = { "direction", keys, sizeof keys / sizeof keys[0], create, pass, destroy };
