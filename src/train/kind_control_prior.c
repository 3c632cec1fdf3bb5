// Stage "control_prior": a quick change of control (Operators section 7). The flow of an earlier stage or of a model
// ("prior"), uncontrolled and distilled, stays as it is; only the encoder of the new controls and a small network
// learn, which moves the start noise to where the flow makes what is asked of it. Gives "control_encoder", and a part
// "flow" that reads controls, in the place of the earlier one.
//
// The paper's encoder gives a deviation of the start noise, too. Here the scale of the noise stays a setting: under
// the loss of the flow a learned deviation only shrinks.
#include "train/flow.h"

#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "net/build.h"
#include "net/layer.h"

typedef struct control_prior {
    ami_flow_data data;
    ami_stage *stage;
    ami_flow_values at;
    int vector, encoding;      ///< values of the encoder
    int mean;                  ///< value: what moves the start noise
    int kept[AM_NET_MOST_OPS]; ///< tensors of the earlier flow in the new graph
    int kept_count;
    float start;
    float *weights; ///< [latent]
} control_prior;

enum { encoder, net };
static const char *const keys[] = { AMI_FLOW_DATA_KEYS, "units", "start", "loss_power", "prior" };

/// The operations of `from` behind new inputs: map[value of from] -> value of g. Notes the tensors that they make.
static void add_operations(control_prior *a, am_net_graph *g, const am_net_graph *from, int *map)
{
    for (int o = 0; o < from->op_count; o++) {
        am_net_op op = from->ops[o];
        int in[AM_NET_MOST_IN], count = 0;
        while (count < AM_NET_MOST_IN && op.in[count] >= 0) {
            in[count] = map[op.in[count]];
            count++;
        }
        const int first = g->tensor_count;
        map[from->ops[o].out] = ami_graph_add(g, op, in, count, from->values[from->ops[o].out].width);
        for (int t = first; t < g->tensor_count && a->kept_count < AM_NET_MOST_OPS; t++) {
            a->kept[a->kept_count++] = t;
        }
    }
}

/// Weights of the earlier flow, in the order in which its operations were added.
static void take_weights(const control_prior *a, am_net_graph *g, const am_net_graph *from)
{
    int at = 0;
    for (int o = 0; o < from->op_count; o++) {
        for (int t = 0; t < AM_NET_MOST_TENSORS && from->ops[o].tensor[t] >= 0; t++) {
            const am_net_tensor *source = &from->tensors[from->ops[o].tensor[t]];
            am_net_tensor *tensor = &g->tensors[a->kept[at++]];
            memcpy(g->weights + tensor->offset, from->weights + source->offset,
                   ami_net_tensor_count(source) * sizeof(float));
            tensor->flags |= AM_NET_FROZEN;
        }
    }
}

static am_result build_flow(ami_stage *s, control_prior *a, const am_net_graph *from, int units, am_error *err)
{
    const ami_flow_values old = ami_flow_find(from);
    const int width = a->data.codes.width;
    am_result result = ami_net_graph_create(&s->graphs[net], "flow", &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 2;
    am_net_graph *g = s->graphs[net];
    int *map = ami_alloc_array(&s->alloc, (size_t)from->value_count, sizeof *map);
    if (!map) {
        return ami_fail_memory(err, (size_t)from->value_count * sizeof *map);
    }
    const int x = ami_net_graph_input(g, "x", width);
    map[old.previous] = ami_net_graph_input(g, "previous", width);
    const int control = ami_net_graph_input(g, "control", a->data.encoding);
    map[old.time] = ami_net_graph_input(g, "time", 1);
    if (old.noise >= 0) {
        map[old.noise] = ami_net_graph_input(g, "noise", 1);
    }
    const int both[2] = { control, map[old.previous] };
    int h = ami_net_graph_concat(g, both, 2);
    h = ami_net_graph_activation(g, ami_net_graph_linear(g, h, units), AM_NET_ELU);
    h = ami_net_graph_activation(g, ami_net_graph_linear(g, h, units), AM_NET_ELU);
    a->mean = ami_net_graph_linear(g, h, width);
    map[old.x] = ami_net_graph_add(g, x, a->mean);
    add_operations(a, g, from, map);
    ami_net_graph_output(g, "latent", map[old.out]);
    ami_release(&s->alloc, map, (size_t)from->value_count * sizeof *map);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed + 1);
        take_weights(a, g, from);
        a->at = ami_flow_find(g);
    }
    return result;
}

/// The flow that stays: *own is the caller's where it comes from a model's file, or NULL.
static am_result find_flow(const am_net_graph **out, am_net_graph **own, ami_stage *s, am_error *err)
{
    const char *name = NULL;
    char path[1024];
    am_model *model = NULL;
    *own = NULL;
    *out = ami_stage_finished(s, "flow");
    am_result result = am_json_read_string(s->doc, s->json, "prior", false, &name, err);
    if (result == AM_OK && name) {
        result = ami_stage_path(s, name, path, sizeof path, err);
        result = result == AM_OK ? am_model_open(&model, path, &s->alloc, err) : result;
        const int part = result == AM_OK ? am_model_find(model, "flow") : -1;
        result = part >= 0 ? am_model_graph(model, part, own, &s->alloc, err) : result;
        s->data_hash = model ? am_hash64(&model->hash, sizeof model->hash, s->data_hash) : s->data_hash;
        *out = *own;
        am_model_close(model);
    }
    return result == AM_OK && (!*out || ami_flow_find(*out).control >= 0)
               ? am_json_fail(s->doc, s->json, AM_ERR_KEY, err,
                              "a stage 'control_prior' needs a flow without controls: of an earlier stage, or of the "
                              "model 'prior'")
               : result;
}

/// Everything around the flow that stays.
static am_result build_around(ami_stage *s, control_prior *a, const am_net_graph *flow, int units, float power,
                              am_error *err)
{
    const int makes = flow->values[ami_flow_find(flow).out].width;
    if (makes != a->data.codes.width) {
        return am_json_fail(s->doc, s->json, AM_ERR_FORMAT, err, "the flow makes %d latents, the pose encoder %d",
                            makes, a->data.codes.width);
    }
    if (!a->data.controls) {
        return am_json_fail(s->doc, s->json, AM_ERR_KEY, err,
                            "a stage 'control_prior' needs a 'schema' and 'controls'");
    }
    a->weights = ami_alloc_array(&s->alloc, (size_t)a->data.codes.width, sizeof *a->weights);
    if (!a->weights) {
        return ami_fail_memory(err, (size_t)a->data.codes.width * sizeof *a->weights);
    }
    ami_flow_weights(a->weights, &a->data.codes, power);
    s->input_grads = true;
    s->fixed_inputs = 1u;
    s->scratch = a->data.codes.width + 64;
    am_result result = ami_flow_controls_graph(&s->graphs[encoder], a->data.controls, s->seed, &s->alloc, err);
    s->graph_count = s->graphs[encoder] != NULL;
    if (result == AM_OK) {
        a->vector = ami_net_graph_input_at(s->graphs[encoder], 0);
        a->encoding = ami_net_graph_output_at(s->graphs[encoder], 0);
        result = build_flow(s, a, flow, units, err);
    }
    return result == AM_OK ? ami_flow_attach(s, &a->data, AMI_FLOW_DISTILLED, 1, err) : result;
}

static am_result create(ami_stage *s, am_error *err)
{
    control_prior *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    a->start = 0.3f;
    int units = 256;
    float power = 0.5f;
    const am_net_graph *flow = NULL;
    am_net_graph *own = NULL;
    am_result result = am_json_read_int(s->doc, s->json, "units", false, &units, 1, AM_NET_MOST_WIDTH, err);
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "start", false, &a->start, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "loss_power", false, &power, 0.0f, 4.0f, err);
    }
    result = result == AM_OK ? ami_flow_data_open(&a->data, s, 1, err) : result;
    a->data.play_noise = am_json_get(s->json, "play") ? a->data.play_noise : a->start;
    a->data.steps = 1;
    result = result == AM_OK ? find_flow(&flow, &own, s, err) : result;
    result = result == AM_OK && flow ? build_around(s, a, flow, units, power, err) : result;
    am_net_graph_destroy(own);
    return result;
}

static double pass(void *user, ami_train_block *block)
{
    const control_prior *a = user;
    const int n = ami_block_columns(block), width = a->data.codes.width;
    const size_t encoded = (size_t)a->data.encoding * (size_t)n * sizeof(float);
    float *x = ami_block_value(block, net, a->at.x, 0), *previous = ami_block_value(block, net, a->at.previous, 0);
    float *time = ami_block_value(block, net, a->at.time, 0), *vector = ami_block_value(block, encoder, a->vector, 0);
    float *noise = a->at.noise >= 0 ? ami_block_value(block, net, a->at.noise, 0) : NULL;
    float *target = ami_block_scratch(block, (size_t)width * (size_t)n);
    for (int c = 0; c < ami_block_used(block); c++) {
        ami_flow_sample sample;
        ami_flow_draw(&a->data, a->stage, block, c, &sample, previous + c, vector + c, n);
        time[c] = 0.0f;
        if (noise) {
            noise[c] = sample.noise;
        }
        const float *next = a->data.codes.z + (ptrdiff_t)(sample.frame + 1) * width;
        for (ptrdiff_t i = 0; i < width; i++) {
            x[i * n + c] = a->start * a->data.codes.deviation[i] * am_rng_normal(&sample.rng);
            target[i * n + c] = next[i];
        }
    }
    ami_block_forward(block, encoder, 0);
    memcpy(ami_block_value(block, net, a->at.control, 0), ami_block_value(block, encoder, a->encoding, 0), encoded);
    ami_block_forward(block, net, 0);
    const ami_loss loss = { AMI_LOSS_L2, a->weights, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, net, a->at.out, 0),
                                        ami_block_value(block, net, a->at.out, 0), target, width);
    ami_block_backward(block, net, 0);
    float *back = ami_block_grad(block, encoder, a->encoding, 0);
    if (back) {
        memcpy(back, ami_block_grad(block, net, a->at.control, 0), encoded);
        ami_block_backward(block, encoder, 0);
    }
    return value;
}

/// The flow is whole again: another stage may train all of it.
static am_result finish(ami_stage *s, am_error *err)
{
    (void)err;
    const am_net_graph *g = s->graphs[net];
    for (int t = 0; t < g->tensor_count; t++) {
        g->tensors[t].flags &= ~AM_NET_FROZEN;
    }
    return AM_OK;
}

static void destroy(ami_stage *s)
{
    control_prior *a = s->state;
    if (a) {
        ami_release(&s->alloc, a->weights, (size_t)a->data.codes.width * sizeof *a->weights);
        ami_flow_data_close(&a->data, &s->alloc);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_control_prior = {
    .name = "control_prior",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .finish = finish,
    .destroy = destroy,
};
