// Stage "regression": any layers, from the rows of one array to the rows of another.
#include "train/stage.h"

#include <string.h>

#include "base/error.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "net/build.h"

typedef struct regression {
    am_train_array inputs, targets;
    float *scales; ///< mean and deviation of the inputs, then of the targets, then the loss's weights
    size_t scale_count;
    int x, y; ///< values of the graph
    ami_loss loss;
    float noise;
    am_rng rng;
} regression;

static const char *const keys[] = { "inputs", "targets", "layers", "loss", "noise" };

static float *input_scale(const regression *r) { return r->scales + r->inputs.columns; }
static float *target_mean(const regression *r) { return r->scales + 2 * r->inputs.columns; }
static float *target_scale(const regression *r) { return target_mean(r) + r->targets.columns; }

static am_result read_keys(ami_stage *stage, regression *r, am_error *err)
{
    static const char *const losses[] = { "l2", "l1", "huber" };
    int kind = 0;
    am_result result = am_json_read_choice(stage->doc, stage->json, "loss", false, &kind, losses, 3, err);
    if (result == AM_OK) {
        result = am_json_read_float(stage->doc, stage->json, "noise", false, &r->noise, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = ami_stage_array(stage, "inputs", "inputs", &r->inputs, err);
    }
    if (result == AM_OK) {
        result = ami_stage_array(stage, "targets", "targets", &r->targets, err);
    }
    if (result == AM_OK && r->inputs.rows != r->targets.rows) {
        result = am_json_fail(stage->doc, stage->json, AM_ERR_RANGE, err, "there are %lld inputs but %lld targets",
                              (long long)r->inputs.rows, (long long)r->targets.rows);
    }
    r->loss = (ami_loss){ .kind = (ami_loss_kind)kind, .scale = 1.0 };
    return result;
}

/// Normalise, the recipe's layers, a last linear one, restore.
static am_result build(ami_stage *stage, regression *r, am_error *err)
{
    am_result result = ami_net_graph_create(&stage->graphs[0], stage->name, &stage->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    stage->graph_count = 1;
    am_net_graph *g = stage->graphs[0];
    r->x = ami_net_graph_input(g, "x", (int)r->inputs.columns);
    const int scaled = ami_net_graph_normalise(g, r->x);
    int last = scaled;
    result = ami_stage_layers(stage, "layers", g, scaled, &last, err);
    if (result != AM_OK) {
        return result;
    }
    r->y = ami_net_graph_restore(g, ami_net_graph_linear(g, last, (int)r->targets.columns));
    ami_net_graph_output(g, "y", r->y);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, stage->seed);
        ami_set_scales(g, scaled, r->scales, input_scale(r));
        ami_set_scales(g, r->y, target_mean(r), target_scale(r));
    }
    return result;
}

static am_result create(ami_stage *stage, am_error *err)
{
    regression *r = ami_alloc_zero(&stage->alloc, sizeof *r);
    if (!r) {
        return ami_fail_memory(err, sizeof *r);
    }
    stage->state = r;
    am_result result = read_keys(stage, r, err);
    if (result != AM_OK) {
        return result;
    }
    r->rng = ami_rng_make(stage->seed ^ 0x7265677265737369u);
    r->scale_count = (size_t)(2 * r->inputs.columns + 3 * r->targets.columns);
    r->scales = ami_alloc_array(&stage->alloc, r->scale_count, sizeof(float));
    if (!r->scales) {
        return ami_fail_memory(err, r->scale_count * sizeof(float));
    }
    ami_column_scales(r->scales, input_scale(r), &r->inputs);
    ami_column_scales(target_mean(r), target_scale(r), &r->targets);
    // Errors count in deviations of each column.
    float *weights = target_scale(r) + r->targets.columns;
    for (int64_t i = 0; i < r->targets.columns; i++) {
        const float inverse = 1.0f / target_scale(r)[i];
        weights[i] = r->loss.kind == AMI_LOSS_L2 ? inverse * inverse : inverse;
    }
    r->loss.weights = weights;
    stage->scratch = (int)r->targets.columns;
    return build(stage, r, err);
}

static double pass(void *user, ami_train_block *block)
{
    const regression *r = user;
    const int n = ami_block_columns(block);
    const size_t width = (size_t)r->targets.columns;
    float *x = ami_block_value(block, 0, r->x, 0);
    float *target = ami_block_scratch(block, width * (size_t)n);
    for (int c = 0; c < ami_block_used(block); c++) {
        am_rng rng = ami_rng_fork(&r->rng, ami_block_item(block, c));
        const int64_t row = am_rng_below(&rng, (uint32_t)r->inputs.rows);
        const float *from = r->inputs.data + row * r->inputs.columns;
        for (int64_t i = 0; i < r->inputs.columns; i++) {
            const float noise = r->noise > 0.0f ? r->noise * input_scale(r)[i] * am_rng_normal(&rng) : 0.0f;
            x[i * n + c] = from[i] + noise;
        }
        for (int64_t i = 0; i < r->targets.columns; i++) {
            target[i * n + c] = r->targets.data[row * r->targets.columns + i];
        }
    }
    ami_block_forward(block, 0, 0);
    float *dy = ami_block_grad(block, 0, r->y, 0);
    const float *y = ami_block_value(block, 0, r->y, 0);
    const double loss = r->loss.kind == AMI_LOSS_HUBER
                            ? ami_block_huber(block, dy, y, target, target_scale(r), (int)width)
                            : ami_block_loss(block, &r->loss, dy, y, target, (int)width);
    ami_block_backward(block, 0, 0);
    return loss;
}

static void destroy(ami_stage *stage)
{
    regression *r = stage->state;
    if (r) {
        ami_release(&stage->alloc, r->scales, r->scale_count * sizeof(float));
        ami_release(&stage->alloc, r, sizeof *r);
    }
}

const ami_kind ami_kind_regression = {
    .name = "regression",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
