// Stage "decompressor": Compressor and Decompressor of Learned Motion Matching (section 4.1, algorithm 1). From pairs
// of consecutive frames the Compressor learns what the features x leave out of a pose, as latent numbers z, and the
// Decompressor to give the pose from x and z. Gives the parts "decompressor" and, where the recipe keeps it,
// "compressor". With "features": "none" both are a plain compression of poses.
//
// Where the paper is silent: every group of numbers (rotations, places, ...) is measured in its own mean absolute
// deviation over the data, that of differences between frames for the velocity losses, so that weights are plain
// shares; local rotations are compared as the two columns that the network gives, which keeps their lengths at one.
#include "train/lmm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "net/build.h"

enum { term_loc, term_chr, term_lvel, term_cvel, term_lreg, term_sreg, term_vreg, term_count };
static const char *const term_names[term_count] = { "loc", "chr", "lvel", "cvel", "lreg", "sreg", "vreg" };

typedef struct decompressor {
    ami_lmm data;
    ami_stage *stage;
    int latent;
    bool mse;
    float noise;                          ///< on the latent numbers
    int in, z;                            ///< of the Compressor
    int x, z_in, y;                       ///< of the Decompressor; x is -1 without features
    float *scales;                        ///< mean, deviation of y; then of the Compressor's input
    float term_weight[term_count];        ///< from the recipe
    double scale[AMI_POSE_GROUPS];        ///< mean absolute deviation of a group
    double group_weight[AMI_POSE_GROUPS]; ///< of mean |d|, everything included
    am_rng rng, noise_rng;
} decompressor;

static const char *const keys[] = { "database",        "held_out",        "features", "latent",
                                    "compressor",      "layers",          "loss",     "loss_weights",
                                    "keep_compressor", "latent_database", "noise" };

// Weights of groups inside their loss: positions and rotations make the pose, velocities only help.
static const struct {
    int term;
    double share;
} groups[AMI_POSE_GROUPS] = {
    [AMI_LOC_TRANSLATIONS] = { term_loc, 0.35 }, [AMI_LOC_ROTATIONS] = { term_loc, 0.7 },
    [AMI_LOC_VELOCITIES] = { term_loc, 0.07 },   [AMI_LOC_ANGULAR] = { term_loc, 0.07 },
    [AMI_LOC_ROOT_LINEAR] = { term_loc, 0.2 },   [AMI_LOC_ROOT_ANGULAR] = { term_loc, 0.1 },
    [AMI_LOC_CONTACTS] = { term_loc, 0.1 },      [AMI_CHR_PLACES] = { term_chr, 1.0 },
    [AMI_CHR_ROTATIONS] = { term_chr, 0.5 },     [AMI_CHR_VELOCITIES] = { term_chr, 0.1 },
    [AMI_CHR_ANGULAR] = { term_chr, 0.1 },       [AMI_LVEL_TRANSLATIONS] = { term_lvel, 0.15 },
    [AMI_LVEL_ROTATIONS] = { term_lvel, 0.4 },   [AMI_CVEL_PLACES] = { term_cvel, 0.45 },
    [AMI_CVEL_ROTATIONS] = { term_cvel, 0.25 },
};

// ---------------------------------------------------------------------------------------------
// Scales of the data

enum { sample_columns = 64, sample_blocks = 128 };

/// Room for statistics over blocks of pairs: first frames in the first half of the columns.
typedef struct statistics {
    float *y, *q, *m, *input;
    double *sum, *squares, *size; ///< [width] of the Compressor's input
    double step[AMI_POSE_GROUPS]; ///< sums of |second - first|
    size_t bytes;
} statistics;

static void draw_pairs(const ami_lmm *d, int *frames, uint64_t item, const am_rng *rng, int used)
{
    const int half = used / 2;
    for (int c = 0; c < half; c++) {
        am_rng stream = ami_rng_fork(rng, item + (uint64_t)c);
        frames[c] = d->first[am_rng_below(&stream, (uint32_t)d->first_count)];
        frames[half + c] = frames[c] + 1;
    }
}

static void fill_sample(const decompressor *a, statistics *s, int block)
{
    const am_rng rng = ami_rng_make(77);
    int frames[sample_columns];
    draw_pairs(&a->data, frames, (uint64_t)block * sample_columns, &rng, sample_columns);
    ami_lmm_gather(&a->data, s->y, frames, sample_columns, sample_columns);
    ami_lmm_input(&a->data, s->input, s->q, s->m, s->y, sample_columns);
}

static void add_sums(const decompressor *a, statistics *s, int width)
{
    const int n = sample_columns, half = n / 2;
    for (int i = 0; i < width; i++) {
        for (int c = 0; c < n; c++) {
            const double v = (double)s->input[(ptrdiff_t)i * n + c];
            s->sum[i] += v;
            s->squares[i] += v * v;
        }
    }
    for (int g = AMI_LVEL_TRANSLATIONS; g < AMI_POSE_GROUPS; g++) {
        int first;
        bool of_q;
        const int rows = ami_pose_group(&a->data.shape.layout, g, &first, &of_q);
        const float *from = (of_q ? s->q : s->y) + (ptrdiff_t)first * n;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < half; c++) {
                s->step[g] += fabs((double)from[(ptrdiff_t)r * n + half + c] - (double)from[(ptrdiff_t)r * n + c]);
            }
        }
    }
}

/// Rows of the Compressor's input that begin a group and how many: the input has two columns of a matrix where q has
/// three.
static int input_rows(const ami_pose_layout *l, int g, int *first)
{
    bool of_q;
    int rows = ami_pose_group(l, g, first, &of_q);
    const int joints = l->joint_count;
    if (of_q) { // two columns of a matrix instead of three: 6 numbers per joint
        const int at = g == AMI_CHR_PLACES ? 0 : g == AMI_CHR_ROTATIONS ? 3 : g == AMI_CHR_VELOCITIES ? 9 : 12;
        *first = l->count + at * joints;
        rows = g == AMI_CHR_ROTATIONS ? 6 * joints : rows;
    }
    return rows;
}

/// Means and deviations into a->scales, mean absolute deviations into a->scale.
static void set_scales(decompressor *a, const statistics *s, int width)
{
    const ami_pose_layout *l = &a->data.shape.layout;
    const double count = (double)sample_columns * sample_blocks;
    float *y_mean = a->scales, *y_deviation = y_mean + l->count;
    float *mean = y_deviation + l->count, *deviation = mean + width;
    for (int i = 0; i < width; i++) {
        const double middle = s->sum[i] / count, variance = s->squares[i] / count - middle * middle;
        mean[i] = (float)middle;
        deviation[i] = (float)sqrt(variance > 0.0 ? variance : 0.0);
        if (i < l->count) {
            y_mean[i] = mean[i];
            y_deviation[i] = deviation[i] > 1e-3f ? deviation[i] : 1e-3f;
        }
    }
    for (int g = 0; g < AMI_LVEL_TRANSLATIONS; g++) {
        int first;
        const int rows = input_rows(l, g, &first);
        double squares = 0.0, size = 0.0;
        for (int i = first; i < first + rows; i++) {
            squares += (double)deviation[i] * (double)deviation[i] / rows;
            size += s->size[i] / (count * rows);
        }
        for (int i = first; i < first + rows;
             i++) { // one for the group: joints that hardly move must not be amplified
            deviation[i] = squares > 1e-8 ? (float)sqrt(squares) : 1.0f;
        }
        a->scale[g] = size > 1e-6 ? size : 1.0;
    }
    for (int g = AMI_LVEL_TRANSLATIONS; g < AMI_POSE_GROUPS; g++) {
        int first;
        bool of_q;
        const int rows = ami_pose_group(l, g, &first, &of_q);
        const double step = s->step[g] / (0.5 * count * rows);
        a->scale[g] = step > 1e-7 ? step : 1.0;
    }
}

static am_result measure(decompressor *a, am_error *err)
{
    const ami_pose_layout *l = &a->data.shape.layout;
    const int width = ami_lmm_input_width(l);
    const size_t n = sample_columns, joints = (size_t)l->joint_count, w = (size_t)width;
    const size_t floats = ((size_t)l->count + (AMI_Q_COUNT + 9) * joints + w) * n;
    const size_t bytes = floats * sizeof(float) + 3 * w * sizeof(double);
    double *room = ami_alloc_zero(&a->data.alloc, bytes);
    if (!room) {
        return ami_fail_memory(err, bytes);
    }
    statistics s = { .sum = room, .squares = room + w, .size = room + 2 * w, .y = (float *)(void *)(room + 3 * w) };
    s.q = s.y + (size_t)l->count * n;
    s.m = s.q + AMI_Q_COUNT * joints * n;
    s.input = s.m + 9 * joints * n;
    for (int b = 0; b < sample_blocks; b++) {
        fill_sample(a, &s, b);
        add_sums(a, &s, width);
    }
    for (int b = 0; b < sample_blocks; b++) { // again, now that the means are known
        fill_sample(a, &s, b);
        for (size_t i = 0; i < w; i++) {
            const double middle = s.sum[i] / ((double)n * sample_blocks);
            for (size_t c = 0; c < n; c++) {
                s.size[i] += fabs((double)s.input[i * n + c] - middle);
            }
        }
    }
    set_scales(a, &s, width);
    ami_release(&a->data.alloc, room, bytes);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Networks

/// The layers under `key`, or `count` times linear 512 with an activation (table 1).
static am_result add_layers(const ami_stage *s, const char *key, am_net_graph *g, int x, int count, am_net_kind kind,
                            int *out, am_error *err)
{
    *out = x;
    if (am_json_get(s->json, key)) {
        return ami_stage_layers(s, key, g, x, out, err);
    }
    for (int i = 0; i < count; i++) {
        *out = ami_net_graph_activation(g, ami_net_graph_linear(g, *out, 512), kind);
    }
    return AM_OK;
}

static am_result build_compressor(ami_stage *s, decompressor *a, am_error *err)
{
    am_result result = ami_net_graph_create(&s->graphs[0], "compressor", &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_net_graph *g = s->graphs[0];
    const int width = ami_lmm_input_width(&a->data.shape.layout), count = a->data.shape.layout.count;
    a->in = ami_net_graph_input(g, "yq", width);
    const int scaled = ami_net_graph_normalise(g, a->in);
    int last = scaled;
    result = add_layers(s, "compressor", g, scaled, 3, AM_NET_ELU, &last, err);
    if (result != AM_OK) {
        return result;
    }
    a->z = ami_net_graph_linear(g, last, a->latent);
    ami_net_graph_output(g, "z", a->z);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed);
        ami_set_scales(g, scaled, a->scales + 2 * (ptrdiff_t)count, a->scales + 2 * (ptrdiff_t)count + width);
    }
    return result;
}

static am_result build_decompressor(ami_stage *s, decompressor *a, am_error *err)
{
    am_result result = ami_net_graph_create(&s->graphs[1], s->name, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 2;
    am_net_graph *g = s->graphs[1];
    const int count = a->data.shape.layout.count;
    a->x = a->data.features > 0 ? ami_net_graph_input(g, "x", a->data.features) : -1;
    a->z_in = ami_net_graph_input(g, "z", a->latent);
    const int both = a->x >= 0 ? ami_net_graph_concat(g, (int[]){ a->x, a->z_in }, 2) : a->z_in;
    const int scaled = ami_net_graph_normalise(g, both); // stored features have scale one already, z learns its own
    int last = scaled;
    result = add_layers(s, "layers", g, scaled, 1, AM_NET_RELU, &last, err);
    if (result != AM_OK) {
        return result;
    }
    a->y = ami_net_graph_restore(g, ami_net_graph_linear(g, last, count));
    ami_net_graph_output(g, "pose", a->y);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed + 1);
        ami_set_scales(g, a->y, a->scales, a->scales + count);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Creation

/// Stepper and Projector predict features: with latents alone their training would be useless.
static am_result check_alone(const ami_stage *s, am_error *err)
{
    const am_json *stages = am_json_get(am_json_root(s->doc), "stages");
    for (const am_json *other = stages ? stages->first : NULL; other; other = other->next) {
        const am_json *kind = am_json_get(other, "kind");
        const bool named = kind && kind->type == AM_JSON_STRING;
        if (named && (strcmp(kind->string, "stepper") == 0 || strcmp(kind->string, "projector") == 0)) {
            return am_json_fail(s->doc, other, AM_ERR_KEY, err,
                                "a stage '%s' needs a Decompressor that reads features; remove 'features' from the "
                                "decompressor's stage",
                                kind->string);
        }
    }
    return AM_OK;
}

static am_result read_keys(ami_stage *s, decompressor *a, am_error *err)
{
    static const float usual[term_count] = { 1.0f, 1.0f, 1.0f, 1.0f, 0.02f, 0.02f, 0.01f };
    static const char *const losses[] = { "kinematic", "mse" }, *const features[] = { "database", "none" };
    int loss = 0, wanted = 0;
    bool keep = false;
    a->latent = 32;
    am_result result = am_json_read_int(s->doc, s->json, "latent", false, &a->latent, 1, 1024, err);
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, s->json, "loss", false, &loss, losses, 2, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, s->json, "features", false, &wanted, features, 2, err);
    }
    if (result == AM_OK && wanted == 1) {
        result = check_alone(s, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, s->json, "keep_compressor", false, &keep, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "noise", false, &a->noise, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = ami_stage_weights(s, term_names, term_count, usual, a->term_weight, err);
    }
    a->mse = loss == 1;
    a->data.features = wanted == 1 ? 0 : a->data.features;
    s->hidden = keep ? 0u : 1u;
    return result;
}

/// Pairs must not be split between processes.
static am_result check_group(const ami_stage *s, am_error *err)
{
    const am_train_group *group = s->def->group;
    return group && s->batch % group->size != 0
               ? ami_fail(err, AM_ERR_RANGE, "a batch of %d pairs cannot be shared evenly by %d processes", s->batch,
                          group->size)
               : AM_OK;
}

static am_result create(ami_stage *s, am_error *err)
{
    decompressor *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    am_result result = check_group(s, err);
    if (result == AM_OK) {
        result = ami_lmm_open(&a->data, s, err);
    }
    if (result == AM_OK) {
        result = read_keys(s, a, err);
    }
    if (result == AM_OK) {
        result = ami_lmm_list(&a->data, 1, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const ami_pose_layout *l = &a->data.shape.layout;
    const size_t floats = 2 * ((size_t)l->count + (size_t)ami_lmm_input_width(l));
    a->scales = ami_alloc_array(&s->alloc, floats, sizeof *a->scales);
    if (!a->scales) {
        return ami_fail_memory(err, floats * sizeof *a->scales);
    }
    result = measure(a, err);
    for (int g = 0; g < AMI_POSE_GROUPS; g++) {
        a->group_weight[g] = (double)a->term_weight[groups[g].term] * groups[g].share / a->scale[g];
    }
    a->rng = ami_rng_make(s->seed ^ 0x6465636f6du);
    a->noise_rng = ami_rng_make(s->seed ^ 0x6e6f697365u);
    s->input_grads = true;
    s->fixed_inputs = 1u; // no gradient of the Compressor's input is needed
    s->columns_each = 2;
    s->scratch = l->count + (3 * AMI_Q_COUNT + 2 * 9) * l->joint_count + a->latent + 64;
    s->term_names = term_names;
    s->term_count = term_count;
    if (result == AM_OK) {
        result = build_compressor(s, a, err);
    }
    return result == AM_OK ? build_decompressor(s, a, err) : result;
}

// ---------------------------------------------------------------------------------------------
// One block

typedef struct own_block {
    int n, used;
    float *target, *target_q, *target_m; ///< of the true frames
    float *q, *m, *dq;                   ///< of what the network gives
    const float *zeros;                  ///< (latent, n)
} own_block;

/// Mean over a group's rows and the batch's columns (or pairs) of |y - target|, weighted, with its gradient.
static double group_loss(const decompressor *a, const own_block *b, int g, float *dy, const float *y, int batch)
{
    int first;
    bool of_q;
    const int rows = ami_pose_group(&a->data.shape.layout, g, &first, &of_q);
    const ptrdiff_t at = (ptrdiff_t)first * b->n;
    const bool pairs = g >= AMI_LVEL_TRANSLATIONS;
    const double weight = a->group_weight[g] / ((double)rows * batch * (pairs ? 0.5 : 1.0));
    float *to = (of_q ? b->dq : dy) + at;
    const float *from = (of_q ? b->q : y) + at, *truth = (of_q ? b->target_q : b->target) + at;
    return weight * (pairs ? a->data.poses->l1_pairs(to, from, truth, rows, b->n, b->used, (float)weight)
                           : a->data.poses->l1(to, from, truth, rows, b->n, b->used, (float)weight));
}

static void pose_losses(const decompressor *a, const own_block *b, float *dy, const float *y, int batch,
                        double terms[term_count])
{
    a->data.poses->fk(&a->data.shape, b->q, b->m, y, b->n);
    for (int g = 0; g < AMI_POSE_GROUPS; g++) {
        terms[groups[g].term] += group_loss(a, b, g, dy, y, batch);
    }
    a->data.poses->fk_back(&a->data.shape, dy, b->dq, b->q, b->m, y, b->n);
}

/// The ablation of section 6.3: squares of all numbers in their deviations, nothing else.
static double square_loss(const decompressor *a, const own_block *b, float *dy, const float *y, int batch)
{
    const int count = a->data.shape.layout.count;
    double total = 0.0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const float inverse = 1.0f / a->scales[count + i];
        const float weight = inverse * inverse / ((float)count * (float)batch);
        for (ptrdiff_t c = i * b->n; c < i * b->n + b->used; c++) {
            const float d = y[c] - b->target[c];
            total += (double)(weight * d * d);
            dy[c] += 2.0f * weight * d;
        }
    }
    return total;
}

static void latent_losses(const decompressor *a, const own_block *b, float *dz, const float *z, int batch,
                          double terms[term_count])
{
    const ami_poses_f32 *p = a->data.poses;
    const double mean = 1.0 / ((double)a->latent * batch);
    const double lreg = (double)a->term_weight[term_lreg] * mean, sreg = (double)a->term_weight[term_sreg] * mean;
    const double vreg = 2.0 * (double)a->term_weight[term_vreg] * mean * (double)a->data.db->fps;
    terms[term_lreg] += lreg * p->square(dz, z, a->latent, b->n, b->used, (float)lreg);
    terms[term_sreg] += sreg * p->size(dz, z, a->latent, b->n, b->used, (float)sreg);
    terms[term_vreg] += vreg * p->l1_pairs(dz, z, b->zeros, a->latent, b->n, b->used, (float)vreg);
}

static own_block take_block(const decompressor *a, ami_train_block *block)
{
    own_block b = { .n = ami_block_columns(block), .used = ami_block_used(block) };
    const size_t n = (size_t)b.n, joints = (size_t)a->data.shape.layout.joint_count;
    b.target = ami_block_scratch(block, (size_t)a->data.shape.layout.count * n);
    b.target_q = ami_block_scratch(block, AMI_Q_COUNT * joints * n);
    b.target_m = ami_block_scratch(block, 9 * joints * n);
    b.q = ami_block_scratch(block, AMI_Q_COUNT * joints * n);
    b.m = ami_block_scratch(block, 9 * joints * n);
    b.dq = ami_block_scratch(block, AMI_Q_COUNT * joints * n);
    b.zeros = ami_block_scratch(block, (size_t)a->latent * n);
    return b;
}

/// The same for both frames of a pair: Stepper and Projector will be wrong by something that changes slowly, and the
/// pose should then be a little off, not shake. Not in the paper.
static void add_noise(const decompressor *a, const own_block *b, float *z, uint64_t item)
{
    const int half = b->used / 2;
    for (int c = 0; c < half && a->noise > 0.0f; c++) {
        am_rng stream = ami_rng_fork(&a->noise_rng, item + (uint64_t)c);
        for (ptrdiff_t i = 0; i < a->latent; i++) {
            const float d = a->noise * am_rng_normal(&stream);
            z[i * b->n + c] += d;
            z[i * b->n + half + c] += d;
        }
    }
}

static double pass(void *user, ami_train_block *block)
{
    const decompressor *a = user;
    const own_block b = take_block(a, block);
    const size_t latents = (size_t)a->latent * (size_t)b.n * sizeof(float);
    const int batch = ami_block_batch(block);
    int frames[AMI_MOST_COLUMNS];
    draw_pairs(&a->data, frames, ami_block_item(block, 0) / 2, &a->rng, b.used);
    ami_lmm_gather(&a->data, b.target, frames, b.n, b.used);
    ami_lmm_input(&a->data, ami_block_value(block, 0, a->in, 0), b.target_q, b.target_m, b.target, b.n);
    ami_block_forward(block, 0, 0);
    const float *z = ami_block_value(block, 0, a->z, 0);
    memcpy(ami_block_value(block, 1, a->z_in, 0), z, latents);
    add_noise(a, &b, ami_block_value(block, 1, a->z_in, 0), ami_block_item(block, 0) / 2);
    if (a->x >= 0) {
        ami_lmm_gather_x(&a->data, ami_block_value(block, 1, a->x, 0), frames, b.n, b.used);
    }
    ami_block_forward(block, 1, 0);
    double terms[term_count] = { 0 }, loss = 0.0;
    float *dz = ami_block_grad(block, 0, a->z, 0), *dy = ami_block_grad(block, 1, a->y, 0);
    const float *y = ami_block_value(block, 1, a->y, 0);
    if (a->mse) {
        terms[term_loc] = square_loss(a, &b, dy, y, batch);
    } else {
        latent_losses(a, &b, dz, z, batch, terms);
        pose_losses(a, &b, dy, y, batch, terms);
    }
    ami_block_backward(block, 1, 0);
    const float *back = ami_block_grad(block, 1, a->z_in, 0);
    for (size_t i = 0; i < (size_t)a->latent * (size_t)b.n; i++) {
        dz[i] += back[i];
    }
    ami_block_backward(block, 0, 0);
    for (int i = 0; i < term_count; i++) {
        a->stage->terms[block->index * term_count + i] = terms[i];
        loss += terms[i];
    }
    return loss;
}

/// Z beside X in a copy of the database without its poses: what matching with the Decompressor alone needs (DMM).
static am_result write_latent(ami_stage *s, am_error *err)
{
    const decompressor *a = s->state;
    const char *name = NULL;
    char path[1024];
    float *z = NULL;
    int latent = 0;
    am_result result = am_json_read_string(s->doc, s->json, "latent_database", false, &name, err);
    if (!name || result != AM_OK || (s->def->group && s->def->group->rank > 0)) {
        return result;
    }
    result = ami_stage_path(s, name, path, sizeof path, err);
    if (result == AM_OK) {
        result = ami_lmm_latent(&a->data, s->graphs[0], &z, &latent, err);
    }
    am_db *copy = NULL;
    if (result == AM_OK) {
        am_db_copy_def def = am_db_copy_def_default();
        def.alloc = &s->alloc;
        def.db = a->data.db;
        def.z = z;
        def.latent_count = latent;
        def.latent_key = ami_lmm_latent_key(s->graphs[0]);
        def.drop_poses = true;
        result = am_db_copy(&copy, &def, err);
    }
    if (result == AM_OK) {
        result = am_db_write(copy, path, err);
    }
    am_db_close(copy);
    ami_release(&s->alloc, z, (size_t)a->data.db->frame_count * (size_t)latent * sizeof *z);
    return result;
}

static void destroy(ami_stage *s)
{
    decompressor *a = s->state;
    if (a) {
        const ami_pose_layout *l = &a->data.shape.layout;
        const size_t floats = 2 * ((size_t)l->count + (size_t)ami_lmm_input_width(l));
        ami_release(&s->alloc, a->scales, floats * sizeof *a->scales);
        ami_lmm_close(&a->data);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_decompressor = {
    .name = "decompressor",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .finish = write_latent,
    .destroy = destroy,
};
