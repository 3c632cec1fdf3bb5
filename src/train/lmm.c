// Loads the data of the stages of Learned Motion Matching.
#include "train/lmm.h"

#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "train/plan.h"
#include "net/build.h"

static am_result open_database(ami_lmm *d, ami_stage *s, am_error *err)
{
    const am_result result = am_json_read_int(s->doc, s->json, "held_out", false, &d->held_out, 0, 1 << 20, err);
    return result == AM_OK ? ami_stage_database(s, &d->db, err) : result;
}

static am_result make_vectors(ami_lmm *d, am_error *err)
{
    const am_db *db = d->db;
    const size_t count = (size_t)d->shape.layout.count, frames = (size_t)db->frame_count;
    d->moves = ami_alloc_array(&d->alloc, (size_t)db->joint_count, sizeof *d->moves);
    d->y = ami_pages_array(&d->alloc, frames * count, sizeof *d->y);
    if (!d->moves || !d->y) {
        return ami_fail_memory(err, frames * count * sizeof *d->y);
    }
    for (int j = 0; j < db->joint_count; j++) {
        d->moves[j] = -1;
    }
    for (int m = 0; m < db->moving_count; m++) {
        d->moves[db->moving[m]] = (int16_t)m;
    }
    d->shape.moves = d->moves;
    for (size_t f = 0; f < frames; f++) {
        ami_pose_vector(db, (int)f, d->y + f * count);
    }
    return AM_OK;
}

am_result ami_lmm_open(ami_lmm *d, ami_stage *s, am_error *err)
{
    d->alloc = s->alloc;
    am_result result = open_database(d, s, err);
    if (result == AM_OK && !d->db->has_poses) {
        result = ami_fail(err, AM_ERR_EMPTY, "the database has no poses to learn from");
        ami_error_file(err, s->database);
    }
    if (result != AM_OK) {
        return result;
    }
    d->shape = (ami_pose_shape){ .layout = ami_pose_layout_of(d->db->joint_count, d->db->moving_count),
                                 .parents = d->db->skeleton->parents,
                                 .offsets = d->db->skeleton->offsets };
    d->poses = ami_train_poses(ami_train_ops(NULL)->isa);
    d->features = d->db->features.count;
    s->data_hash = s->database_hash = d->db->hash;
    return make_vectors(d, err);
}

void ami_lmm_drop_poses(ami_lmm *d)
{
    ami_pages_release(&d->alloc, d->y, (size_t)d->db->frame_count * (size_t)d->shape.layout.count, sizeof *d->y);
    d->y = NULL;
}

void ami_lmm_close(ami_lmm *d)
{
    if (d->db) {
        const size_t frames = (size_t)d->db->frame_count;
        ami_lmm_drop_poses(d);
        ami_release(&d->alloc, d->first, frames * sizeof *d->first);
        ami_release(&d->alloc, d->moves, (size_t)d->db->joint_count * sizeof *d->moves);
    }
    am_db_close(d->db);
    *d = (ami_lmm){ 0 };
}

bool ami_lmm_is_held_out(const am_db *db, int range, int held_out)
{
    return held_out > 0 && db->ranges[range].source % held_out == held_out - 1;
}

am_result ami_lmm_list(ami_lmm *d, int steps, am_error *err)
{
    const size_t frames = (size_t)d->db->frame_count;
    d->first = ami_alloc_array(&d->alloc, frames, sizeof *d->first);
    if (!d->first) {
        return ami_fail_memory(err, frames * sizeof *d->first);
    }
    for (int r = 0; r < d->db->range_count; r++) {
        const am_db_range *range = &d->db->ranges[r];
        for (int f = range->start; f + steps < range->stop && !ami_lmm_is_held_out(d->db, r, d->held_out); f++) {
            d->first[d->first_count++] = f;
        }
    }
    return d->first_count > 0
               ? AM_OK
               : ami_fail(err, AM_ERR_EMPTY,
                          "no training clip of the database is longer than the %d frames of a sample", steps);
}

// ---------------------------------------------------------------------------------------------
// Blocks

int ami_lmm_input_width(const ami_pose_layout *l) { return l->count + 15 * l->joint_count; }

void ami_lmm_input(const ami_lmm *d, float *input, float *q, float *m, const float *y, int n)
{
    const ami_pose_layout *l = &d->shape.layout;
    const size_t row = (size_t)n, joints = (size_t)l->joint_count;
    d->poses->fk(&d->shape, q, m, y, n);
    memcpy(input, y, (size_t)l->count * row * sizeof *y);
    input += (size_t)l->count * row;
    memcpy(input, q, 3 * joints * row * sizeof *q);
    input += 3 * joints * row;
    for (size_t j = 0; j < joints; j++) {
        for (size_t k = 0; k < 6; k++, input += row) { // first column, then second, of the row-major matrix
            const size_t entry = 3 * (k % 3) + k / 3;
            memcpy(input, q + (AMI_Q_ROTATIONS * joints + 9 * j + entry) * row, row * sizeof *q);
        }
    }
    memcpy(input, q + AMI_Q_VELOCITIES * joints * row, 6 * joints * row * sizeof *q);
}

/// Rows of a table into columns of a block: sixteen rows are read side by side, so that stores are whole lines.
static void gather(float *to, const float *table, size_t stride, int count, const int *frames, int n, int used)
{
    for (int c = 0; c < used; c += AMI_COLUMNS) {
        const int columns = used - c < AMI_COLUMNS ? used - c : AMI_COLUMNS;
        const float *rows[AMI_COLUMNS];
        for (int k = 0; k < columns; k++) {
            rows[k] = table + (size_t)frames[c + k] * stride;
        }
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < columns; k++) {
                to[(ptrdiff_t)i * n + c + k] = rows[k][i];
            }
        }
    }
}

void ami_lmm_gather(const ami_lmm *d, float *y, const int *frames, int n, int used)
{
    gather(y, d->y, (size_t)d->shape.layout.count, d->shape.layout.count, frames, n, used);
}

void ami_lmm_gather_x(const ami_lmm *d, float *x, const int *frames, int n, int used)
{
    gather(x, d->db->x, (size_t)d->db->features.stride, d->features, frames, n, used);
}

// ---------------------------------------------------------------------------------------------
// Z

enum { latent_columns = 64 };

/// One block of frames after another through the Compressor.
static void run_latent(const ami_lmm *d, const ami_plan_f32 *plan, float *work, float *z, int in, int out, int latent)
{
    const int joints = d->shape.layout.joint_count, n = latent_columns;
    float *y = work, *q = y + (ptrdiff_t)d->shape.layout.count * n, *m = q + (ptrdiff_t)AMI_Q_COUNT * joints * n;
    for (int f = 0; f < d->db->frame_count; f += n) {
        int frames[latent_columns];
        for (int c = 0; c < n; c++) {
            frames[c] = f + c < d->db->frame_count ? f + c : d->db->frame_count - 1;
        }
        ami_lmm_gather(d, y, frames, n, n);
        ami_lmm_input(d, ami_plan_value_f32(plan, in, 0, 0), q, m, y, n);
        ami_plan_forward_f32(plan, 0, 0);
        const float *from = ami_plan_value_f32(plan, out, 0, 0);
        for (int c = 0; c < n && f + c < d->db->frame_count; c++) {
            for (int i = 0; i < latent; i++) {
                z[(size_t)(f + c) * (size_t)latent + (size_t)i] = from[(ptrdiff_t)i * n + c];
            }
        }
    }
}

uint64_t ami_lmm_latent_key(const am_net_graph *compressor)
{
    return am_hash64(compressor->weights, compressor->weight_count * sizeof(float), 1);
}

am_result ami_lmm_latent(const ami_lmm *d, const am_net_graph *g, float **z, int *latent, am_error *err)
{
    const ami_pose_layout *l = &d->shape.layout;
    const int in = ami_net_graph_find(g, "yq"), out = ami_net_graph_find(g, "z");
    *z = NULL;
    if (in < 0 || out < 0 || g->values[in].width != ami_lmm_input_width(l)) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the Compressor does not fit the database: it was trained on another skeleton");
    }
    *latent = g->values[out].width;
    const ami_plan_def def = { .graph = g, .columns = latent_columns, .blocks = 1, .slots = 1, .alloc = &d->alloc };
    const size_t floats = (size_t)(l->count + (AMI_Q_COUNT + 9) * l->joint_count) * latent_columns;
    const size_t count = (size_t)d->db->frame_count * (size_t)*latent;
    ami_plan_f32 *plan = NULL;
    am_result result = ami_plan_create_f32(&plan, &def, ami_train_ops(NULL), g->weights, err);
    float *work = ami_alloc_array(&d->alloc, floats, sizeof *work);
    float *made = ami_alloc_array(&d->alloc, count, sizeof *made);
    if (result == AM_OK && (!work || !made)) {
        result = ami_fail_memory(err, count * sizeof *made);
    }
    if (result == AM_OK) {
        run_latent(d, plan, work, made, in, out, *latent);
        *z = made;
    } else {
        ami_release(&d->alloc, made, count * sizeof *made);
    }
    ami_release(&d->alloc, work, floats * sizeof *work);
    ami_plan_destroy_f32(plan);
    return result;
}
