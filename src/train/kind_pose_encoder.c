// Stage "pose_encoder": the auto-encoder of Operators 4.1, from poses to latents and back. One hidden layer of 512
// ELU units each way, beside a linear skip that begins as the principal axes; without the hidden layer it stays those
// axes. Gives the parts "pose_encoder" and "pose_decoder".
//
// In the "space" of poses a latent is the pose itself, every number by its own mean and deviation (6.3.2).
//
// The printed weights ("weighting": "paper", latents divided by the "largest" deviation) are there to compare with;
// the usual ones are metric, with every latent standardised: feet then slide less, and a flow learns the small
// latents too.
#include "train/pose_codes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "base/rng.h"
#include "data/scale.h"
#include "method/flow_file.h"
#include "net/build.h"
#include "train/trainer.h"

enum { pca_every = 4 }; // frames between those that the principal axes are found from

typedef struct pose_encoder {
    ami_codes_poses poses;
    int latent, hidden;
    int weighting, standardise;
    int space;
    bool axes;                    ///< the linear skip begins as the principal axes (or those of the pose itself)
    float *mean, *scale, *weight; ///< [width]
    float *basis;                 ///< [latent][width] rows
    int x, raw, z, z_in, z_raw,
        y; ///< values: encoder's input, latents before they are standardised, output; the same back
    int loss_weights;
    am_rng rng;
} pose_encoder;

static const char *const keys[] = { "database", "held_out",  "events",      "latent", "hidden",
                                    "axes",     "weighting", "standardise", "space" };
enum { standardise_each, standardise_largest };
enum { space_latent, space_pose };

/// Zeros: what a layer adds to the linear skip in the beginning.
static void clear_layer(am_net_graph *g, int value)
{
    for (int o = 0; o < g->op_count; o++) {
        if (g->ops[o].out == value) {
            for (int t = 0; t < 2; t++) {
                const am_net_tensor *tensor = &g->tensors[g->ops[o].tensor[t]];
                memset(g->weights + tensor->offset, 0, ami_net_tensor_count(tensor) * sizeof(float));
            }
        }
    }
}

typedef struct branch {
    int skip, deep; ///< values: of the linear skip, and of the last layer behind the hidden one (-1 without)
} branch;

/// Linear skip of x, and a hidden layer beside it.
static int add_layers(const pose_encoder *a, am_net_graph *g, int x, int width, branch *out)
{
    out->skip = ami_net_graph_linear(g, x, width);
    out->deep = -1;
    if (a->hidden == 0) {
        return out->skip;
    }
    const int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, a->hidden), AM_NET_ELU);
    out->deep = ami_net_graph_linear(g, h, width);
    return ami_net_graph_add(g, out->skip, out->deep);
}

static void begin_weights(const pose_encoder *a, am_net_graph *g, const branch *b, bool back)
{
    const ptrdiff_t width = a->poses.width;
    if (a->axes) {
        float *w = ami_net_graph_tensor(g, b->skip, 0);
        clear_layer(g, b->skip);
        for (ptrdiff_t i = 0; i < a->latent; i++) {
            for (ptrdiff_t k = 0; k < width; k++) {
                const float root = sqrtf(a->weight[k]); // the axes are those of the weighted numbers
                w[back ? k * a->latent + i : i * width + k] = a->basis[i * width + k] * (back ? 1.0f / root : root);
            }
        }
        if (b->deep >= 0) {
            clear_layer(g, b->deep);
        }
    }
}

static am_result build(ami_stage *s, pose_encoder *a, am_error *err)
{
    const int width = a->poses.width;
    branch there, back;
    am_result result = ami_net_graph_create(&s->graphs[0], "pose_encoder", &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_net_graph *g = s->graphs[0];
    a->x = ami_net_graph_input(g, "pose", width);
    const int scaled = ami_net_graph_normalise(g, a->x);
    a->raw = add_layers(a, g, scaled, a->latent, &there);
    a->z = ami_net_graph_normalise(g, a->raw);
    ami_net_graph_output(g, "latent", a->z);
    result = ami_net_graph_finish(g, err);
    if (result != AM_OK) {
        return result;
    }
    result = ami_net_graph_create(&s->graphs[1], "pose_decoder", &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 2;
    am_net_graph *d = s->graphs[1];
    a->z_in = ami_net_graph_input(d, "latent", a->latent);
    a->z_raw = ami_net_graph_restore(d, a->z_in);
    a->y = ami_net_graph_restore(d, add_layers(a, d, a->z_raw, width, &back));
    ami_net_graph_output(d, "pose", a->y);
    result = ami_net_graph_finish(d, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed);
        ami_net_graph_randomise(d, s->seed + 1);
        begin_weights(a, g, &there, false);
        begin_weights(a, d, &back, true);
        memcpy(ami_net_graph_tensor(g, scaled, 0), a->mean, (size_t)width * sizeof(float));
        memcpy(ami_net_graph_tensor(g, scaled, 1), a->scale, (size_t)width * sizeof(float));
        float *deviation = ami_net_graph_tensor(d, a->y, 1);
        memcpy(ami_net_graph_tensor(d, a->y, 0), a->mean, (size_t)width * sizeof(float));
        for (int i = 0; i < width; i++) {
            deviation[i] = 1.0f / a->scale[i];
            a->weight[i] *= a->scale[i] * a->scale[i]; // the loss is taken of y itself
        }
    }
    return result;
}

/// The principal axes of the scaled poses, from every fourth frame that may be learned from.
static am_result find_axes(const ami_stage *s, pose_encoder *a, am_error *err)
{
    const size_t width = (size_t)a->poses.width,
                 rows = (size_t)(a->poses.data.first_count + pca_every - 1) / pca_every;
    float *scaled = ami_pages_array(&s->alloc, rows * width, sizeof *scaled);
    if (!scaled) {
        return ami_fail_memory(err, rows * width * sizeof *scaled);
    }
    for (size_t r = 0; r < rows; r++) {
        float *row = scaled + r * width;
        ami_codes_pose(&a->poses, a->poses.data.first[r * pca_every], row);
        for (size_t i = 0; i < width; i++) {
            row[i] = (row[i] - a->mean[i]) * a->scale[i] * sqrtf(a->weight[i]);
        }
    }
    am_result result = ami_pca_find(a->basis, a->latent, scaled, rows, width, a->poses.width, &s->alloc, err);
    ami_pages_release(&s->alloc, scaled, rows * width, sizeof *scaled);
    return result;
}

static am_result read_keys(const ami_stage *s, pose_encoder *a, am_error *err)
{
    static const char *const weightings[] = { "metric", "paper" }, *const standards[] = { "each", "largest" },
                             *const spaces[] = { "latent", "pose" };
    a->latent = 96;
    a->hidden = 512;
    a->axes = true;
    am_result result = am_json_read_int(s->doc, s->json, "latent", false, &a->latent, 1, AMI_FLOW_MOST_LATENTS, err);
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "hidden", false, &a->hidden, 0, AM_NET_MOST_WIDTH, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, s->json, "axes", false, &a->axes, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, s->json, "weighting", false, &a->weighting, weightings, 2, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, s->json, "standardise", false, &a->standardise, standards, 2, err);
    }
    return result == AM_OK ? am_json_read_choice(s->doc, s->json, "space", false, &a->space, spaces, 2, err) : result;
}

/// In the space of poses the numbers of a pose are their own axes, and nothing is learned. The keys that say
/// otherwise are refused.
static am_result take_pose_space(const ami_stage *s, pose_encoder *a, am_error *err)
{
    static const char *const others[] = { "latent", "axes" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const am_json *at = am_json_get(s->json, others[i]);
        if (at) {
            return am_json_fail(s->doc, at, AM_ERR_RANGE, err,
                                "the space of poses has no \"%s\"; remove it, or \"space\"", others[i]);
        }
    }
    if (a->hidden > 0 || s->iterations > 0) {
        return am_json_fail(s->doc, am_json_get(s->json, "space"), AM_ERR_RANGE, err,
                            "the space of poses needs \"hidden\": 0, \"iterations\": 0");
    }
    if (a->poses.width > AMI_FLOW_MOST_LATENTS) {
        return am_json_fail(s->doc, am_json_get(s->json, "space"), AM_ERR_LIMIT, err,
                            "a pose has %d numbers, latents at most %d", a->poses.width, AMI_FLOW_MOST_LATENTS);
    }
    a->latent = a->poses.width;
    return AM_OK;
}

static am_result create(ami_stage *s, am_error *err)
{
    pose_encoder *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    s->input_grads = true;
    s->fixed_inputs = 1u;
    am_result result = read_keys(s, a, err);
    result = result == AM_OK ? ami_codes_open(&a->poses, s, err) : result;
    result = result == AM_OK ? ami_lmm_list(&a->poses.data, 0, err) : result;
    result = result == AM_OK && a->space == space_pose ? take_pose_space(s, a, err) : result;
    if (result != AM_OK) {
        return result;
    }
    if (a->latent > a->poses.width) {
        return am_json_fail(s->doc, am_json_get(s->json, "latent"), AM_ERR_RANGE, err,
                            "\"latent\" is %d, but a pose has only %d numbers", a->latent, a->poses.width);
    }
    const size_t width = (size_t)a->poses.width;
    a->mean = ami_alloc_array(&s->alloc, 3 * width, sizeof(float));
    a->basis = ami_alloc_array(&s->alloc, (size_t)a->latent * width, sizeof(float));
    if (!a->mean || !a->basis) {
        return ami_fail_memory(err, (size_t)a->latent * width * sizeof(float));
    }
    a->scale = a->mean + width;
    a->weight = a->scale + width;
    ami_codes_scales(a->mean, a->scale, a->weight, &a->poses, (ami_pose_weighting)a->weighting);
    a->rng = ami_rng_make(s->seed ^ 0x706f73656e63u);
    if (a->space == space_pose) {
        for (size_t i = 0; i < width; i++) {
            memset(a->basis + i * width, 0, width * sizeof *a->basis);
            a->basis[i * width + i] = 1.0f;
        }
    } else if (a->axes && !s->from) {
        result = find_axes(s, a, err);
    }
    return result == AM_OK ? build(s, a, err) : result;
}

static double pass(void *user, ami_train_block *block)
{
    const pose_encoder *a = user;
    const int n = ami_block_columns(block);
    const size_t latents = (size_t)a->latent * (size_t)n * sizeof(float);
    float *x = ami_block_value(block, 0, a->x, 0);
    int frames[AMI_MOST_COLUMNS];
    for (int c = 0; c < ami_block_used(block); c++) {
        am_rng stream = ami_rng_fork(&a->rng, ami_block_item(block, c));
        frames[c] = a->poses.data.first[am_rng_below(&stream, (uint32_t)a->poses.data.first_count)];
    }
    ami_codes_gather(&a->poses, x, frames, n, ami_block_used(block));
    ami_block_forward(block, 0, 0);
    memcpy(ami_block_value(block, 1, a->z_in, 0), ami_block_value(block, 0, a->z, 0), latents);
    ami_block_forward(block, 1, 0);
    const ami_loss loss = { AMI_LOSS_L2, a->weight, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, 1, a->y, 0),
                                        ami_block_value(block, 1, a->y, 0), x, a->poses.width);
    ami_block_backward(block, 1, 0);
    memcpy(ami_block_grad(block, 0, a->z, 0), ami_block_grad(block, 1, a->z_in, 0), latents);
    ami_block_backward(block, 0, 0);
    return value;
}

/// Standardises the latents by what they are over the frames that were learned from.
static am_result finish(ami_stage *s, am_error *err)
{
    const pose_encoder *a = s->state;
    if (s->from && s->iterations == 0) {
        return AM_OK; // they are another run's
    }
    const size_t width = (size_t)a->poses.width, latent = (size_t)a->latent;
    const int count = (a->poses.data.first_count + 1) / 2;
    float *poses = ami_pages_array(&s->alloc, (size_t)count * width, sizeof(float));
    float *z = ami_pages_array(&s->alloc, (size_t)count * latent, sizeof(float));
    am_result result = poses && z ? AM_OK : ami_fail_memory(err, (size_t)count * width * sizeof(float));
    for (int r = 0; r < count && result == AM_OK; r++) { // every second frame
        ami_codes_pose(&a->poses, a->poses.data.first[2 * r], poses + (size_t)r * width);
    }
    result = result == AM_OK ? ami_graph_rows(s->graphs[0], z, poses, count, &s->alloc, err) : result;
    if (result == AM_OK) {
        float *mean = ami_net_graph_tensor(s->graphs[0], a->z, 0),
              *scale = ami_net_graph_tensor(s->graphs[0], a->z, 1);
        float *back = ami_net_graph_tensor(s->graphs[1], a->z_raw, 0),
              *deviation = ami_net_graph_tensor(s->graphs[1], a->z_raw, 1);
        const am_train_array rows = { .data = z, .rows = count, .columns = a->latent };
        ami_column_scales(back, deviation, &rows);
        float largest = 0.0f;
        for (int i = 0; i < a->latent; i++) {
            largest = deviation[i] > largest ? deviation[i] : largest;
        }
        for (int i = 0; i < a->latent; i++) {
            deviation[i] = a->standardise == standardise_largest ? largest : deviation[i];
            mean[i] = back[i];
            scale[i] = 1.0f / deviation[i];
        }
    }
    ami_pages_release(&s->alloc, poses, (size_t)count * width, sizeof(float));
    ami_pages_release(&s->alloc, z, (size_t)count * latent, sizeof(float));
    return result;
}

static void destroy(ami_stage *s)
{
    pose_encoder *a = s->state;
    if (a) {
        const size_t width = (size_t)a->poses.width;
        ami_release(&s->alloc, a->mean, 3 * width * sizeof(float));
        ami_release(&s->alloc, a->basis, (size_t)a->latent * width * sizeof(float));
        ami_codes_close(&a->poses);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_pose_encoder = {
    .name = "pose_encoder",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .finish = finish,
    .destroy = destroy,
    .may_rest = true, // principal axes alone
};
