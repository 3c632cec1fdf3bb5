// Stage "autoencoder": an encoder and a decoder trained together so that decode(encode(x)) is x (Operators 4.1: one
// hidden layer of 512 ELU units each). Gives the parts "encoder" and "decoder".
#include "train/stage.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "net/build.h"

typedef struct autoencoder {
    am_train_array data;
    float *scales; ///< mean, deviation, the loss's weights
    int latent;
    int x, z, z_in, y; ///< values: encoder's input and output, decoder's input and output
    float noise;       ///< on the latent numbers, so that near ones decode alike
    ami_loss loss;
    am_rng rng;
} autoencoder;

static const char *const keys[] = { "samples", "encoder", "decoder", "latent", "noise", "loss" };

static am_result begin_graph(ami_stage *stage, const char *role, am_net_graph **out, am_error *err)
{
    char name[AM_NET_NAME_SIZE];
    if (strcmp(stage->name, stage->kind->name) == 0) {
        snprintf(name, sizeof name, "%s", role);
    } else {
        snprintf(name, sizeof name, "%.20s_%s", stage->name, role);
    }
    const am_result result = ami_net_graph_create(&stage->graphs[stage->graph_count], name, &stage->alloc, err);
    if (result == AM_OK) {
        *out = stage->graphs[stage->graph_count++];
    }
    return result;
}

static am_result build_encoder(ami_stage *stage, autoencoder *a, am_error *err)
{
    am_net_graph *g = NULL;
    am_result result = begin_graph(stage, "encoder", &g, err);
    if (result != AM_OK) {
        return result;
    }
    const int width = (int)a->data.columns;
    a->x = ami_net_graph_input(g, "x", width);
    const int scaled = ami_net_graph_normalise(g, a->x);
    int last = scaled;
    result = ami_stage_layers(stage, "encoder", g, scaled, &last, err);
    if (result != AM_OK) {
        return result;
    }
    a->z = ami_net_graph_linear(g, last, a->latent);
    ami_net_graph_output(g, "z", a->z);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, stage->seed);
        ami_set_scales(g, scaled, a->scales, a->scales + width);
    }
    return result;
}

static am_result build_decoder(ami_stage *stage, autoencoder *a, am_error *err)
{
    am_net_graph *g = NULL;
    am_result result = begin_graph(stage, "decoder", &g, err);
    if (result != AM_OK) {
        return result;
    }
    const int width = (int)a->data.columns;
    a->z_in = ami_net_graph_input(g, "z", a->latent);
    int last = a->z_in;
    result = ami_stage_layers(stage, "decoder", g, a->z_in, &last, err);
    if (result != AM_OK) {
        return result;
    }
    a->y = ami_net_graph_restore(g, ami_net_graph_linear(g, last, width));
    ami_net_graph_output(g, "y", a->y);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, stage->seed + 1);
        ami_set_scales(g, a->y, a->scales, a->scales + width);
    }
    return result;
}

static am_result create(ami_stage *stage, am_error *err)
{
    static const char *const losses[] = { "l2", "l1", "huber" };
    autoencoder *a = ami_alloc_zero(&stage->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    stage->state = a;
    stage->input_grads = true;
    int kind = 0;
    am_result result =
        am_json_read_int(stage->doc, stage->json, "latent", true, &a->latent, 1, AM_NET_MOST_WIDTH, err);
    if (result == AM_OK) {
        result = am_json_read_float(stage->doc, stage->json, "noise", false, &a->noise, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(stage->doc, stage->json, "loss", false, &kind, losses, 3, err);
    }
    if (result == AM_OK) {
        result = ami_stage_array(stage, "samples", "samples", &a->data, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const size_t width = (size_t)a->data.columns;
    a->scales = ami_alloc_array(&stage->alloc, 3 * width, sizeof(float));
    if (!a->scales) {
        return ami_fail_memory(err, 3 * width * sizeof(float));
    }
    ami_column_scales(a->scales, a->scales + width, &a->data);
    a->rng = ami_rng_make(stage->seed ^ 0x6175746f656e63u);
    a->loss = (ami_loss){ (ami_loss_kind)kind, a->scales + 2 * width, 1.0 };
    for (size_t i = 0; i < width; i++) {
        const float inverse = 1.0f / a->scales[width + i];
        a->scales[2 * width + i] = kind == AMI_LOSS_L2 ? inverse * inverse : inverse;
    }
    result = build_encoder(stage, a, err);
    return result == AM_OK ? build_decoder(stage, a, err) : result;
}

static double pass(void *user, ami_train_block *block)
{
    const autoencoder *a = user;
    const int n = ami_block_columns(block), width = (int)a->data.columns;
    const size_t latents = (size_t)a->latent * (size_t)n;
    float *x = ami_block_value(block, 0, a->x, 0), *z_in = ami_block_value(block, 1, a->z_in, 0);
    am_rng streams[AMI_MOST_COLUMNS];
    for (int c = 0; c < ami_block_used(block); c++) {
        streams[c] = ami_rng_fork(&a->rng, ami_block_item(block, c));
        const int64_t row = am_rng_below(&streams[c], (uint32_t)a->data.rows);
        for (ptrdiff_t i = 0; i < width; i++) {
            x[i * n + c] = a->data.data[row * width + i];
        }
    }
    ami_block_forward(block, 0, 0);
    memcpy(z_in, ami_block_value(block, 0, a->z, 0), latents * sizeof(float));
    for (int c = 0; c < ami_block_used(block) && a->noise > 0.0f; c++) {
        for (ptrdiff_t i = 0; i < a->latent; i++) {
            z_in[i * n + c] += a->noise * am_rng_normal(&streams[c]);
        }
    }
    ami_block_forward(block, 1, 0);
    float *dy = ami_block_grad(block, 1, a->y, 0);
    const float *y = ami_block_value(block, 1, a->y, 0);
    const double loss = a->loss.kind == AMI_LOSS_HUBER ? ami_block_huber(block, dy, y, x, a->scales + width, width)
                                                       : ami_block_loss(block, &a->loss, dy, y, x, width);
    ami_block_backward(block, 1, 0);
    memcpy(ami_block_grad(block, 0, a->z, 0), ami_block_grad(block, 1, a->z_in, 0), latents * sizeof(float));
    ami_block_backward(block, 0, 0);
    return loss;
}

static void destroy(ami_stage *stage)
{
    autoencoder *a = stage->state;
    if (a) {
        ami_release(&stage->alloc, a->scales, 3 * (size_t)a->data.columns * sizeof(float));
        ami_release(&stage->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_autoencoder = {
    .name = "autoencoder",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
