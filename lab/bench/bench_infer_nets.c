// Makes the networks of bench infer.
#include "bench_infer.h"

#include "bench.h"

#include "net/build.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[INFER_COUNT] = { "decompressor", "stepper", "projector", "flow", "segments" };
static const int widths[INFER_COUNT] = { 59, 59, 27, 285, 285 };

const char *infer_name(infer_net net) { return names[net]; }
int infer_width(infer_net net) { return widths[net]; }

static int mlp(am_net_graph *g, int x, int hidden, int units, int out, am_net_kind kind)
{
    for (int i = 0; i < hidden; i++) {
        x = ami_net_graph_activation(g, ami_net_graph_linear(g, x, units), kind);
    }
    return ami_net_graph_linear(g, x, out);
}

/// Operators 4.2: GELU, layer norm before each inner linear layer, the input joined to each hidden layer.
static int flow(am_net_graph *g, int x)
{
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 800), AM_NET_GELU);
    for (int i = 1; i < 8; i++) {
        const int both[2] = { h, x };
        int normed = ami_net_graph_layer_norm(g, ami_net_graph_concat(g, both, 2));
        h = ami_net_graph_activation(g, ami_net_graph_linear(g, normed, 800), AM_NET_GELU);
    }
    const int both[2] = { h, x };
    return ami_net_graph_linear(g, ami_net_graph_layer_norm(g, ami_net_graph_concat(g, both, 2)), 128);
}

/// Room for every value of a graph.
static double **make_values(const am_net_graph *g, int samples)
{
    double **values = calloc((size_t)g->value_count, sizeof *values);
    for (int v = 0; values && v < g->value_count; v++) {
        values[v] = calloc((size_t)samples * (size_t)g->values[v].width, sizeof **values);
    }
    return values;
}

static void free_values(double **values, const am_net_graph *g)
{
    for (int v = 0; values && v < g->value_count; v++) {
        free(values[v]);
    }
    free(values);
}

/// Shifts the biases before each ReLU so that `zeros` percent of its outputs are 0.
static void set_zeros(am_net_graph *g, double **values, int samples, int zeros)
{
    for (int i = 0; i < g->op_count; i++) {
        const am_net_op *op = &g->ops[i];
        if (op->kind != AM_NET_RELU) {
            continue;
        }
        ami_net_graph_eval(g, values, samples);
        int x = op->in[0], width = g->values[x].width, count = samples * width;
        double *sorted = values[op->out]; // overwritten by the next evaluation
        for (int k = 0; k < count; k++) {
            sorted[k] = values[x][k];
        }
        bench_sort(sorted, count);
        double level = zeros > 0 ? sorted[(int64_t)count * zeros / 100] : sorted[0] - 0.01;
        float *bias = ami_net_graph_tensor(g, x, 1);
        for (int k = 0; k < width; k++) {
            bias[k] -= (float)level;
        }
    }
}

am_result infer_build(am_net_graph **out, infer_net net, int zeros, const float *inputs, int samples, am_error *err)
{
    am_net_graph *g = NULL;
    am_result result = ami_net_graph_create(&g, names[net], NULL, err);
    if (result != AM_OK) {
        return result;
    }
    int x = ami_net_graph_input(g, "x", widths[net]), y = -1;
    switch (net) {
    case INFER_DECOMPRESSOR:
        y = mlp(g, x, 1, 512, 420, AM_NET_RELU);
        break;
    case INFER_STEPPER:
        y = mlp(g, x, 2, 512, 59, AM_NET_RELU);
        break;
    case INFER_PROJECTOR:
        y = mlp(g, x, 4, 512, 59, AM_NET_RELU);
        break;
    case INFER_FLOW:
        y = flow(g, x);
        break;
    default:
        y = mlp(g, x, 9, 1536, 1024, AM_NET_GELU);
    }
    ami_net_graph_output(g, "y", y);
    result = ami_net_graph_finish(g, err);
    double **values = result == AM_OK ? make_values(g, samples) : NULL;
    if (result == AM_OK && values) {
        ami_net_graph_randomise(g, 7);
        for (int i = 0; i < samples * widths[net]; i++) {
            values[x][i] = (double)inputs[i];
        }
        set_zeros(g, values, samples, zeros);
    }
    free_values(values, g);
    if (result != AM_OK) {
        am_net_graph_destroy(g);
        g = NULL;
    }
    *out = g;
    return result;
}

/// The peer's number for an operation; -1 when it has none.
static int chain_kind(int kind)
{
    switch (kind) {
    case AM_NET_LINEAR:
        return 0;
    case AM_NET_RELU:
        return 1;
    case AM_NET_GELU:
        return 2;
    case AM_NET_CONCAT:
        return 3;
    case AM_NET_LAYER_NORM:
        return 4;
    default:
        return -1;
    }
}

bool infer_write_chain(const am_net_graph *g, const char *path)
{
    FILE *file = fopen(path, "wb");
    const int32_t head[3] = { g->op_count, g->values[ami_net_graph_input_at(g, 0)].width,
                              g->values[ami_net_graph_output_at(g, 0)].width };
    bool ok = file && fwrite(head, sizeof head, 1, file) == 1;
    for (int i = 0; ok && i < g->op_count; i++) {
        const am_net_op *op = &g->ops[i];
        const am_net_tensor *t = op->tensor[0] >= 0 ? &g->tensors[op->tensor[0]] : NULL;
        const int32_t shape[3] = { chain_kind(op->kind), t ? t->rows : 0, t ? t->columns : 0 };
        ok = shape[0] >= 0 && fwrite(shape, sizeof shape, 1, file) == 1;
        for (int k = 0; ok && t && k < 2; k++) {
            const am_net_tensor *own = &g->tensors[op->tensor[k]];
            size_t count = ami_net_tensor_count(own);
            ok = fwrite(g->weights + own->offset, sizeof(float), count, file) == count;
        }
    }
    return file && fclose(file) == 0 && ok;
}
