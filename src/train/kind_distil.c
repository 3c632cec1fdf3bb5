// Stage "distil": a flow network that makes in one step what its teacher, the flow of an earlier stage, makes in S
// (Operators eq. 24). It begins as the teacher, and takes the place of the part "flow".
//
// Start noise is drawn at every scale between the two numbers of "start": in play it is smaller than in training.
// With "guidance" the student learns what the teacher gives under classifier-free guidance, in its one step as well.
#include "train/flow.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "net/build.h"

enum { student, teacher, encoder };

typedef struct distil {
    ami_flow_data data;
    ami_stage *stage;
    ami_flow_values at;   ///< of student and teacher alike
    int vector, encoding; ///< values of the encoder
    bool velocity;
    float start[2], guidance;
    float *weights; ///< [latent]
} distil;

static const char *const keys[] = { AMI_FLOW_DATA_KEYS, "predict", "start", "loss_power", "steps", "guidance" };

static am_result read_keys(const ami_stage *s, distil *a, float *power, am_error *err)
{
    static const char *const predicts[] = { "clean", "velocity" };
    int predict = 0, count = 0;
    a->start[0] = 0.3f;
    a->start[1] = 1.0f;
    a->guidance = 1.0f;
    *power = 0.5f;
    am_result result = am_json_read_choice(s->doc, s->json, "predict", false, &predict, predicts, 2, err);
    a->velocity = predict == 1;
    if (result == AM_OK && am_json_get(s->json, "start")) {
        result = am_json_read_floats(s->doc, s->json, "start", false, a->start, 2, &count, err);
    }
    if (result == AM_OK && count != 0 && (count != 2 || !(a->start[0] >= 0.0f && a->start[1] >= a->start[0]))) {
        result = am_json_fail(s->doc, am_json_get(s->json, "start"), AM_ERR_RANGE, err,
                              "'start' must be two scales, the smaller first");
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "loss_power", false, power, 0.0f, 4.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "guidance", false, &a->guidance, 0.0f, 10.0f, err);
    }
    return result;
}

/// A copy of an earlier stage's graph; with `fixed` its weights are not trained and it is no part of the model.
static am_result add_copy(ami_stage *s, const char *name, bool fixed, am_error *err)
{
    const am_net_graph *from = ami_stage_finished(s, name);
    if (!from) {
        return ami_fail(err, AM_ERR_KEY, "a stage '%s' needs the part '%s' of an earlier stage in the recipe",
                        s->kind->name, name);
    }
    const am_result result = ami_net_graph_copy(&s->graphs[s->graph_count], from, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_net_graph *g = s->graphs[s->graph_count];
    for (int t = 0; t < g->tensor_count && fixed; t++) {
        g->tensors[t].flags |= AM_NET_FROZEN;
    }
    if (fixed) { // under another name: later stages look for the part that is trained
        s->hidden |= 1u << s->graph_count;
        snprintf(g->name, sizeof g->name, "frozen_%.20s", name);
    }
    s->graph_count++;
    return AM_OK;
}

static am_result create(ami_stage *s, am_error *err)
{
    distil *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    float power;
    am_result result = read_keys(s, a, &power, err);
    result = result == AM_OK ? ami_flow_data_open(&a->data, s, 1, err) : result;
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "steps", false, &a->data.steps, 1, AMI_FLOW_MOST_STEPS, err);
    }
    result = result == AM_OK ? add_copy(s, "flow", false, err) : result;
    result = result == AM_OK ? add_copy(s, "flow", true, err) : result;
    if (result == AM_OK && a->data.controls) {
        result = add_copy(s, "control_encoder", true, err);
    }
    if (result != AM_OK) {
        return result;
    }
    a->at = ami_flow_find(s->graphs[student]);
    if (s->graphs[student]->values[a->at.x].width != a->data.codes.width) {
        return ami_fail(err, AM_ERR_FORMAT, "the flow has other latents than the pose encoder");
    }
    if (a->data.controls) {
        a->vector = ami_net_graph_input_at(s->graphs[encoder], 0);
        a->encoding = ami_net_graph_output_at(s->graphs[encoder], 0);
    }
    const size_t width = (size_t)a->data.codes.width;
    a->weights = ami_alloc_array(&s->alloc, width, sizeof *a->weights);
    if (!a->weights) {
        return ami_fail_memory(err, width * sizeof *a->weights);
    }
    ami_flow_weights(a->weights, &a->data.codes, power);
    s->scratch = 3 * (a->data.codes.width + 16);
    ami_flow_data told = a->data;
    told.steps = 1;
    told.play_guidance = 1.0f; // it is in the student
    return ami_flow_attach(s, &told, AMI_FLOW_DISTILLED | (a->velocity ? AMI_FLOW_VELOCITY : 0u), 1, err);
}

static void copy_rows(ami_train_block *block, int to, int from, int value)
{
    const am_net_graph *g = block->trainer->def.graphs[from];
    if (value >= 0) {
        memcpy(ami_block_value(block, to, value, 0), ami_block_value(block, from, value, 0),
               (size_t)g->values[value].width * (size_t)ami_block_columns(block) * sizeof(float));
    }
}

/// Samples into the student's inputs, start noise included.
static void draw(const distil *a, ami_train_block *block, bool *controlled)
{
    const int n = ami_block_columns(block), width = a->data.codes.width;
    float *x = ami_block_value(block, student, a->at.x, 0),
          *previous = ami_block_value(block, student, a->at.previous, 0);
    float *time = ami_block_value(block, student, a->at.time, 0);
    float *noise = a->at.noise >= 0 ? ami_block_value(block, student, a->at.noise, 0) : NULL;
    float *vector = a->data.controls ? ami_block_value(block, encoder, a->vector, 0) : NULL;
    for (int c = 0; c < ami_block_used(block); c++) {
        ami_flow_sample sample;
        ami_flow_draw(&a->data, a->stage, block, c, &sample, previous + c, vector ? vector + c : NULL, n);
        controlled[c] = sample.controlled;
        time[c] = 0.0f;
        if (noise) {
            noise[c] = sample.noise;
        }
        const float scale = a->start[0] + (a->start[1] - a->start[0]) * am_rng_float(&sample.rng);
        for (ptrdiff_t i = 0; i < width; i++) {
            x[i * n + c] = scale * a->data.codes.deviation[i] * am_rng_normal(&sample.rng);
        }
    }
    if (!vector) {
        return;
    }
    ami_block_forward(block, encoder, 0);
    const float *from = ami_block_value(block, encoder, a->encoding, 0);
    float *to = ami_block_value(block, student, a->at.control, 0);
    for (ptrdiff_t i = 0; i < a->data.encoding; i++) {
        for (int c = 0; c < ami_block_used(block); c++) {
            to[i * n + c] = controlled[c] ? from[i * n + c] : 0.0f;
        }
    }
}

/// What the teacher answers at the sample x, under guidance where there is some. answer(latent, n); plain is scratch.
static void ask(const distil *a, ami_train_block *block, float *answer, float *plain)
{
    const size_t count = (size_t)a->data.codes.width * (size_t)ami_block_columns(block);
    ami_block_forward(block, teacher, 0);
    memcpy(answer, ami_block_value(block, teacher, a->at.out, 0), count * sizeof *answer);
    if (a->guidance == 1.0f || a->at.control < 0) {
        return;
    }
    float *control = ami_block_value(block, teacher, a->at.control, 0);
    memset(control, 0, (size_t)a->data.encoding * (size_t)ami_block_columns(block) * sizeof *control);
    ami_block_forward(block, teacher, 0);
    memcpy(plain, ami_block_value(block, teacher, a->at.out, 0), count * sizeof *plain);
    for (size_t i = 0; i < count; i++) {
        answer[i] = plain[i] + a->guidance * (answer[i] - plain[i]);
    }
    copy_rows(block, teacher, student, a->at.control);
}

/// target(latent, n): where the teacher comes from the start in its S steps, or the way there.
static void teach(const distil *a, ami_train_block *block, float *target, float *answer, float *plain)
{
    const size_t count = (size_t)a->data.codes.width * (size_t)ami_block_columns(block);
    const int steps = a->data.steps;
    copy_rows(block, teacher, student, a->at.x);
    copy_rows(block, teacher, student, a->at.previous);
    copy_rows(block, teacher, student, a->at.control);
    copy_rows(block, teacher, student, a->at.noise);
    float *x = ami_block_value(block, teacher, a->at.x, 0), *time = ami_block_value(block, teacher, a->at.time, 0);
    memcpy(target, x, count * sizeof *target);
    for (int step = 0; step < steps; step++) {
        for (int c = 0; c < ami_block_columns(block); c++) {
            time[c] = (float)step / (float)steps;
        }
        memcpy(x, target, count * sizeof *x);
        ask(a, block, answer, plain);
        const float rate = 1.0f / (float)(a->velocity ? steps : steps - step);
        for (size_t i = 0; i < count; i++) {
            target[i] += rate * (a->velocity ? answer[i] : answer[i] - target[i]);
        }
    }
    const float *start = ami_block_value(block, student, a->at.x, 0);
    for (size_t i = 0; i < count && a->velocity; i++) {
        target[i] -= start[i];
    }
}

static double pass(void *user, ami_train_block *block)
{
    const distil *a = user;
    const int width = a->data.codes.width;
    const size_t count = (size_t)width * (size_t)ami_block_columns(block);
    bool controlled[AMI_MOST_COLUMNS] = { false };
    float *target = ami_block_scratch(block, count), *answer = ami_block_scratch(block, count);
    float *plain = ami_block_scratch(block, count);
    draw(a, block, controlled);
    teach(a, block, target, answer, plain);
    ami_block_forward(block, student, 0);
    const ami_loss loss = { AMI_LOSS_L2, a->weights, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, student, a->at.out, 0),
                                        ami_block_value(block, student, a->at.out, 0), target, width);
    ami_block_backward(block, student, 0);
    return value;
}

static void destroy(ami_stage *s)
{
    distil *a = s->state;
    if (a) {
        ami_release(&s->alloc, a->weights, (size_t)a->data.codes.width * sizeof *a->weights);
        ami_flow_data_close(&a->data, &s->alloc);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_distil = {
    .name = "distil",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
