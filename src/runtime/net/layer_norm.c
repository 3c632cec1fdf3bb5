// Normalisation: by the numbers themselves (layer norm), or by means and scales that are given.
#include "net/run.h"
#include "net/build.h"

#include <math.h>

int ami_net_graph_layer_norm(am_net_graph *graph, int x)
{
    am_net_op op = { .kind = AM_NET_LAYER_NORM, .number = { 1e-5f } }; // PyTorch's
    return ami_graph_add(graph, op, &x, 1, 1);
}

int ami_net_graph_normalise(am_net_graph *graph, int x) { return ami_graph_add_plain(graph, AM_NET_NORMALISE, x, 1); }
int ami_net_graph_restore(am_net_graph *graph, int x) { return ami_graph_add_plain(graph, AM_NET_RESTORE, x, 1); }

// ---------------------------------------------------------------------------------------------
// Layer norm

static int norm_build(am_net_graph *graph, am_net_kind kind, int x, int width)
{
    (void)kind, (void)width;
    return ami_net_graph_layer_norm(graph, x);
}

static const char *norm_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)values, (void)width;
    ami_net_add_tensor(out, 1, out->out.columns, 0);
    ami_net_add_tensor(out, 1, out->out.columns, 0);
    return op->number[0] >= 0.0f && op->number[0] <= 1.0f ? NULL : "has an eps out of range";
}

static void norm_eval(const ami_net_eval *e)
{
    const float *gain = e->tensor[0], *shift = e->tensor[1];
    int n = e->n;
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        mean += e->x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        square += (e->x[i] - mean) * (e->x[i] - mean) / n;
    }
    for (int i = 0; i < n; i++) {
        e->y[i] = (e->x[i] - mean) / sqrt(square + (double)e->op->number[0]) * gain[i] + shift[i];
    }
}

static void norm_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    r->net->layers->layer_norm(y, x, r->step->vector[0], r->step->vector[1], ami_run_width(r),
                               r->step->op->number[0]);
}

const ami_net_layer ami_net_layer_norm = { .name = "layer norm",
                                           .tensors = { { .name = "gain", .ones = true }, { .name = "shift" } },
                                           .least_in = 1,
                                           .most_in = 1,
                                           .in_place = true,
                                           .plain_start = true,
                                           .build = norm_build,
                                           .shape = norm_shape,
                                           .eval = norm_eval,
                                           .run = norm_run };

// ---------------------------------------------------------------------------------------------
// Given means and scales

static const char *scale_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)op, (void)values, (void)width;
    ami_net_add_tensor(out, 1, out->out.columns, AM_NET_FIXED);
    ami_net_add_tensor(out, 1, out->out.columns, AM_NET_FIXED);
    return NULL;
}

static void normalise_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = (e->x[i] - e->tensor[0][i]) * e->tensor[1][i];
    }
}

static void normalise_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    const float *mean = r->step->vector[0], *scale = r->step->vector[1];
    for (size_t i = 0, n = ami_run_width(r); i < n; i++) {
        y[i] = (x[i] - mean[i]) * scale[i];
    }
}

static void restore_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = e->x[i] * e->tensor[1][i] + e->tensor[0][i];
    }
}

static void restore_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    const float *mean = r->step->vector[0], *scale = r->step->vector[1];
    for (size_t i = 0, n = ami_run_width(r); i < n; i++) {
        y[i] = x[i] * scale[i] + mean[i];
    }
}

const ami_net_layer ami_net_layer_normalise = { .name = "normalise",
                                                .tensors = { { .name = "mean" }, { .name = "scale", .ones = true } },
                                                .least_in = 1,
                                                .most_in = 1,
                                                .in_place = true,
                                                .shape = scale_shape,
                                                .eval = normalise_eval,
                                                .run = normalise_run };

const ami_net_layer ami_net_layer_restore = { .name = "restore",
                                              .tensors = { { .name = "mean" }, { .name = "scale", .ones = true } },
                                              .least_in = 1,
                                              .most_in = 1,
                                              .in_place = true,
                                              .shape = scale_shape,
                                              .eval = restore_eval,
                                              .run = restore_run };
