// Stage "control_map": another control for a flow that stays as it is. The flow of an earlier stage knows one
// control, for instance a velocity; here an encoder learns to say of a new one, for instance a target, what people
// did then in the terms of the known one. Gives the part "control_encoder" in the place of the earlier one.
//
// This is a regression of a small network, with none of a flow's noise: minutes where a flow of its own takes an
// hour. The paper's quick change of control (section 7) keeps the flow, too, but learns through it.
#include "train/flow.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "net/build.h"

enum { encoder, known, draws = 32 };

typedef struct control_map {
    ami_flow_data data;       ///< with the new controls
    ami_flow_controls *asked; ///< those that the flow knows
    int vector, encoding;     ///< values of the new encoder
    int known_vector, known_encoding;
} control_map;

static const char *const keys[] = { AMI_FLOW_DATA_KEYS, "known_schema", "known_controls" };

static am_result add_known(ami_stage *s, am_error *err)
{
    const am_net_graph *from = ami_stage_finished(s, "control_encoder"), *flow = ami_stage_finished(s, "flow");
    if (!from || !flow) {
        return ami_fail(err, AM_ERR_KEY, "a stage 'control_map' needs a flow with controls of an earlier stage");
    }
    am_result result = ami_net_graph_copy(&s->graphs[known], from, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_net_graph *g = s->graphs[known];
    s->graph_count = 2;
    s->hidden = 1u << known;
    for (int t = 0; t < g->tensor_count; t++) {
        g->tensors[t].flags |= AM_NET_FROZEN;
    }
    snprintf(g->name, sizeof g->name, "known_encoder");
    return AM_OK;
}

static am_result open_controls(ami_stage *s, control_map *a, am_error *err)
{
    const ami_flow_controls_keys second = { "known_schema", "known_controls" };
    am_result result = ami_flow_data_open(&a->data, s, 1, err);
    if (result == AM_OK) {
        result = ami_flow_controls_open(&a->asked, s, second, a->data.codes.db, a->data.codes.first,
                                        a->data.codes.first_count, err);
    }
    if (result == AM_OK && (!a->data.controls || !a->asked)) {
        result = am_json_fail(s->doc, s->json, AM_ERR_KEY, err,
                              "a stage 'control_map' needs a 'schema' and 'controls', and 'known_schema' and "
                              "'known_controls' of the flow");
    }
    return result;
}

static am_result create(ami_stage *s, am_error *err)
{
    control_map *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    am_result result = open_controls(s, a, err);
    if (result != AM_OK) {
        return result;
    }
    s->scratch = 16;
    result = ami_flow_controls_graph(&s->graphs[encoder], a->data.controls, s->seed, &s->alloc, err);
    s->graph_count = s->graphs[encoder] != NULL;
    result = result == AM_OK ? add_known(s, err) : result;
    if (result != AM_OK) {
        return result;
    }
    const am_net_graph *from = s->graphs[known];
    a->vector = ami_net_graph_input_at(s->graphs[encoder], 0);
    a->encoding = ami_net_graph_output_at(s->graphs[encoder], 0);
    a->known_vector = ami_net_graph_input_at(from, 0);
    a->known_encoding = ami_net_graph_output_at(from, 0);
    if (from->values[a->known_vector].width != ami_flow_controls_vector(a->asked) ||
        from->values[a->known_encoding].width != a->data.encoding) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the flow's control has %d numbers, encoded as %d; 'known_schema' has %d, and 'schema' is "
                        "encoded as %d",
                        from->values[a->known_vector].width, from->values[a->known_encoding].width,
                        ami_flow_controls_vector(a->asked), a->data.encoding);
    }
    return ami_flow_attach(s, &a->data, 0, 1, err);
}

/// Both controls of one frame into a column: of a frame that has both.
static void draw(const control_map *a, am_rng *rng, float *vector, float *asked, ptrdiff_t stride)
{
    float numbers[AMI_FLOW_MOST_VECTOR], answer[AMI_FLOW_MOST_VECTOR];
    bool found = false;
    for (int i = 0; i < draws && !found; i++) {
        int frame;
        found = ami_flow_controls_draw(a->data.controls, numbers, &frame, rng) &&
                ami_flow_controls_at(a->asked, answer, frame, rng);
    }
    for (ptrdiff_t i = 0; i < a->data.vector; i++) {
        vector[i * stride] = found ? numbers[i] : 0.0f;
    }
    for (ptrdiff_t i = 0; i < ami_flow_controls_vector(a->asked); i++) {
        asked[i * stride] = found ? answer[i] : 0.0f;
    }
}

static double pass(void *user, ami_train_block *block)
{
    const control_map *a = user;
    const int n = ami_block_columns(block);
    float *vector = ami_block_value(block, encoder, a->vector, 0);
    float *asked = ami_block_value(block, known, a->known_vector, 0);
    for (int c = 0; c < ami_block_used(block); c++) {
        am_rng rng = ami_rng_fork(&a->data.rng, ami_block_item(block, c));
        draw(a, &rng, vector + c, asked + c, n);
    }
    ami_block_forward(block, known, 0);
    ami_block_forward(block, encoder, 0);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, encoder, a->encoding, 0),
                                        ami_block_value(block, encoder, a->encoding, 0),
                                        ami_block_value(block, known, a->known_encoding, 0), a->data.encoding);
    ami_block_backward(block, encoder, 0);
    return value;
}

static void destroy(ami_stage *s)
{
    control_map *a = s->state;
    if (a) {
        ami_flow_controls_close(a->asked);
        ami_flow_data_close(&a->data, &s->alloc);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_control_map = {
    .name = "control_map",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
