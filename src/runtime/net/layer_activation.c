// Activations: a function of each number, with a loop of its own in the kernels.
#include "net/run.h"
#include "net/build.h"

#include <string.h>

int ami_net_graph_activation(am_net_graph *graph, int x, am_net_kind kind)
{
    const ami_net_layer *layer = ami_net_layer_of((int)kind);
    if (!layer || !layer->activation) {
        return ami_graph_fault(graph, AM_ERR_DEF, "%s is no activation", am_net_kind_name((int)kind));
    }
    return ami_graph_add_plain(graph, kind, x, 1);
}

static double value_of(int kind, double x)
{
    switch (kind) {
    case AM_NET_RELU:
        return x > 0.0 ? x : 0.0;
    case AM_NET_ELU:
        return x > 0.0 ? x : ami_eval_exp(x) - 1.0;
    case AM_NET_GELU:
        return 0.5 * x * (1.0 + ami_eval_erf(x * 0.70710678118654752));
    case AM_NET_TANH:
        return ami_eval_tanh(x);
    default:
        return ami_eval_sigmoid(x);
    }
}

static void eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = value_of(e->op->kind, e->x[i]);
    }
}

static void activate(const ami_net_pass *r, float *y, const float *x, ami_activation which)
{
    size_t n = ami_run_width(r);
    if (y != x) {
        memcpy(y, x, n * sizeof *y);
    }
    r->net->layers->activate(y, n, which);
}

#define ACTIVATION(id, which)                                                                                        \
    static void run_##id(const ami_net_pass *r, float *y, const float *x, size_t item)                               \
    {                                                                                                                \
        (void)item;                                                                                                  \
        activate(r, y, x, which);                                                                                    \
    }                                                                                                                \
    const ami_net_layer ami_net_layer_##id = { .name = #id,                                                          \
                                               .least_in = 1,                                                        \
                                               .most_in = 1,                                                         \
                                               .activation = true,                                                   \
                                               .in_place = true,                                                     \
                                               .build = ami_graph_add_plain,                                         \
                                               .shape = ami_net_shape_same,                                          \
                                               .eval = eval,                                                         \
                                               .run = run_##id };

ACTIVATION(relu, AMI_ACT_RELU)
ACTIVATION(elu, AMI_ACT_ELU)
ACTIVATION(gelu, AMI_ACT_GELU)
ACTIVATION(tanh, AMI_ACT_TANH)
ACTIVATION(sigmoid, AMI_ACT_SIGMOID)
