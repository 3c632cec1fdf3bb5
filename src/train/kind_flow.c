// Stage "flow": the Flow Network of Operators 4.2 (algorithm 1), trained together with the encoder of its controls.
// Gives the parts "flow" and, where the recipe has controls, "control_encoder".
//
// As printed it learns the velocity z_f - z~ from unit start noise. What measured better is usual here: the clean
// sample, start noise of each latent's own deviation, times 0, 1/S, ... alone, and a loss in which small latents
// count more than they weigh. The network is told how noisy the pose before is ("told"): it then does not take the
// spread that this noise causes for a spread of the motion.
#include "train/flow.h"

#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "net/build.h"

typedef struct flow {
    ami_flow_data data;
    ami_stage *stage;
    ami_flow_shape shape;
    ami_flow_values at;
    int net;              ///< number of the flow's graph: 1 behind an encoder of controls
    int vector, encoding; ///< values of that encoder
    int predict;
    bool continuous, unit_start;
    float start, power;
    float *weights; ///< [latent]
    float *start_deviation;
} flow;

static const char *const keys[] = { AMI_FLOW_DATA_KEYS, "hidden", "units",      "skip",       "layer_norm", "told",
                                    "predict",          "start",  "unit_start", "loss_power", "times",      "steps" };
enum { predict_clean, predict_velocity };

static am_result read_keys(const ami_stage *s, flow *a, am_error *err)
{
    static const char *const skips[] = { "concat", "residual", "none" }, *const predicts[] = { "clean", "velocity" },
                             *const times[] = { "steps", "continuous" };
    a->shape = (ami_flow_shape){ .hidden = 4, .units = 512, .norm = true, .told = true };
    a->start = 1.0f;
    a->power = 0.5f;
    int time = 0;
    const am_json *j = s->json;
    am_result result = am_json_read_int(s->doc, j, "hidden", false, &a->shape.hidden, 1, 64, err);
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, j, "units", false, &a->shape.units, 1, AM_NET_MOST_WIDTH, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, j, "skip", false, &a->shape.skip, skips, 3, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, j, "layer_norm", false, &a->shape.norm, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, j, "told", false, &a->shape.told, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, j, "predict", false, &a->predict, predicts, 2, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, j, "start", false, &a->start, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, j, "unit_start", false, &a->unit_start, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, j, "loss_power", false, &a->power, 0.0f, 4.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, j, "times", false, &time, times, 2, err);
    }
    a->continuous = time == 1;
    return result;
}

static am_result build(ami_stage *s, flow *a, am_error *err)
{
    am_result result = AM_OK;
    if (a->data.controls) {
        result = ami_flow_controls_graph(&s->graphs[0], a->data.controls, s->seed, &s->alloc, err);
        s->graph_count = s->graphs[0] != NULL;
        if (result == AM_OK) {
            a->vector = ami_net_graph_input_at(s->graphs[0], 0);
            a->encoding = ami_net_graph_output_at(s->graphs[0], 0);
        }
    }
    if (result != AM_OK) {
        return result;
    }
    a->net = s->graph_count;
    result = ami_flow_graph(&s->graphs[a->net], &a->data, &a->shape, s->seed + 1, &s->alloc, err);
    s->graph_count += s->graphs[a->net] != NULL;
    if (result == AM_OK) {
        a->at = ami_flow_find(s->graphs[a->net]);
    }
    return result;
}

static am_result create(ami_stage *s, am_error *err)
{
    flow *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    am_result result = read_keys(s, a, err);
    result = result == AM_OK ? ami_flow_data_open(&a->data, s, 1, err) : result;
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "steps", false, &a->data.steps, 1, AMI_FLOW_MOST_STEPS, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const size_t width = (size_t)a->data.codes.width;
    a->weights = ami_alloc_array(&s->alloc, 2 * width, sizeof *a->weights);
    if (!a->weights) {
        return ami_fail_memory(err, 2 * width * sizeof *a->weights);
    }
    a->start_deviation = a->weights + width;
    ami_flow_weights(a->weights, &a->data.codes, a->power);
    for (size_t i = 0; i < width; i++) {
        a->start_deviation[i] = a->start * (a->unit_start ? 1.0f : a->data.codes.deviation[i]);
    }
    s->input_grads = a->data.controls != NULL;
    s->fixed_inputs = 1u;
    s->scratch = a->data.codes.width + 64;
    result = build(s, a, err);
    return result == AM_OK
               ? ami_flow_attach(s, &a->data, a->predict == predict_velocity ? AMI_FLOW_VELOCITY : 0u, 1, err)
               : result;
}

/// Draws the block's samples: inputs of both graphs, and the target.
static void draw(const flow *a, ami_train_block *block, float *target, bool *controlled)
{
    const int n = ami_block_columns(block), width = a->data.codes.width;
    float *x = ami_block_value(block, a->net, a->at.x, 0),
          *previous = ami_block_value(block, a->net, a->at.previous, 0);
    float *time = ami_block_value(block, a->net, a->at.time, 0);
    float *noise = a->at.noise >= 0 ? ami_block_value(block, a->net, a->at.noise, 0) : NULL;
    float *vector = a->data.controls ? ami_block_value(block, 0, a->vector, 0) : NULL;
    for (int c = 0; c < ami_block_used(block); c++) {
        ami_flow_sample sample;
        ami_flow_draw(&a->data, a->stage, block, c, &sample, previous + c, vector ? vector + c : NULL, n);
        controlled[c] = sample.controlled;
        const float t = a->continuous
                            ? am_rng_float(&sample.rng)
                            : (float)am_rng_below(&sample.rng, (uint32_t)a->data.steps) / (float)a->data.steps;
        time[c] = t;
        if (noise) {
            noise[c] = sample.noise;
        }
        const float *next = a->data.codes.z + (ptrdiff_t)(sample.frame + 1) * width;
        for (ptrdiff_t i = 0; i < width; i++) {
            const float start = a->start_deviation[i] * am_rng_normal(&sample.rng);
            x[i * n + c] = (1.0f - t) * start + t * next[i]; // eq. 22
            target[i * n + c] = a->predict == predict_clean ? next[i] : next[i] - start;
        }
    }
}

/// Encodings into the flow's input; zeros for samples without control.
static void copy_encodings(const flow *a, const ami_train_block *block, const bool *controlled, bool back)
{
    const int n = ami_block_columns(block);
    float *to = back ? ami_block_grad(block, 0, a->encoding, 0) : ami_block_value(block, a->net, a->at.control, 0);
    const float *from =
        back ? ami_block_grad(block, a->net, a->at.control, 0) : ami_block_value(block, 0, a->encoding, 0);
    for (ptrdiff_t i = 0; i < a->data.encoding; i++) {
        for (int c = 0; c < ami_block_used(block); c++) {
            to[i * n + c] = controlled[c] ? from[i * n + c] : 0.0f;
        }
    }
}

static double pass(void *user, ami_train_block *block)
{
    const flow *a = user;
    const int width = a->data.codes.width;
    bool controlled[AMI_MOST_COLUMNS] = { false };
    float *target = ami_block_scratch(block, (size_t)width * (size_t)ami_block_columns(block));
    draw(a, block, target, controlled);
    if (a->data.controls) {
        ami_block_forward(block, 0, 0);
        copy_encodings(a, block, controlled, false);
    }
    ami_block_forward(block, a->net, 0);
    const ami_loss loss = { AMI_LOSS_L2, a->weights, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, a->net, a->at.out, 0),
                                        ami_block_value(block, a->net, a->at.out, 0), target, width);
    ami_block_backward(block, a->net, 0);
    if (a->data.controls && ami_block_grad(block, 0, a->encoding, 0)) { // an encoder may have nothing to learn
        copy_encodings(a, block, controlled, true);
        ami_block_backward(block, 0, 0);
    }
    return value;
}

/// What is trained of a part with the same tensors; the scales stay those of this schema's numbers.
static am_result take_trained(am_net_graph *graph, const am_model *model, const am_alloc *alloc, am_error *err)
{
    const int part = am_model_find(model, graph->name);
    am_net_graph *from = NULL;
    am_result result = part >= 0 ? am_model_graph(model, part, &from, alloc, err) : AM_OK;
    for (int t = 0; from && from->tensor_count == graph->tensor_count && t < graph->tensor_count; t++) {
        const am_net_tensor *to = &graph->tensors[t], *at = &from->tensors[t];
        if (to->rows == at->rows && to->columns == at->columns && (to->flags & AM_NET_FIXED) == 0) {
            memcpy(graph->weights + to->offset, from->weights + at->offset,
                   ami_net_tensor_count(to) * sizeof *graph->weights);
        }
    }
    am_net_graph_destroy(from);
    return result;
}

/// With the model's own schema all of its weights are taken. A schema that is encoded to as many numbers begins with
/// the other's weights, too: a place to go to, say, works like a velocity at first. Any other control is learned
/// anew.
static am_result begin(ami_stage *s, const am_model *model, am_error *err)
{
    const flow *a = s->state;
    ami_flow_latents latents;
    am_result result = ami_flow_latents_read(&latents, model, err);
    bool alike = false;
    if (result == AM_OK && a->net > 0) {
        const bool same = latents.head.schema_hash == ami_flow_controls_schema(a->data.controls)->hash;
        alike = latents.head.control_count == a->data.encoding;
        result = same    ? ami_stage_take_part(model, s->graphs[0], &s->alloc, err)
                 : alike ? take_trained(s->graphs[0], model, &s->alloc, err)
                         : AM_OK;
    }
    return result == AM_OK ? ami_flow_begin(s->graphs[a->net], model, alike, &s->alloc, err) : result;
}

static void destroy(ami_stage *s)
{
    flow *a = s->state;
    if (a) {
        ami_release(&s->alloc, a->weights, 2 * (size_t)a->data.codes.width * sizeof *a->weights);
        ami_flow_data_close(&a->data, &s->alloc);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_flow = {
    .name = "flow",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .begin = begin,
    .destroy = destroy,
};
