/// A network with every kind of operation, for tests and for the comparison of bits between machines.
#ifndef AMBLE_TEST_NET_ZOO_GRAPH_H
#define AMBLE_TEST_NET_ZOO_GRAPH_H

#include <amble/net.h>

#include "base/rng.h"
#include "net/build.h"

/// Every kind of operation at least once; inputs x (21), set (6 x 5), count, index, position; state h. NULL when it
/// cannot be built.
static inline am_net_graph *zoo_all(const am_alloc *alloc)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    if (ami_net_graph_create(&g, "zoo", alloc, &err) != AM_OK) {
        return NULL;
    }
    int x = ami_net_graph_input(g, "x", 21), set = ami_net_graph_input_set(g, "set", 6, 5);
    int count = ami_net_graph_input(g, "count", 1), index = ami_net_graph_input(g, "index", 1);
    int position = ami_net_graph_input(g, "position", 1), h = ami_net_graph_state(g, "h", 19);
    int normal = ami_net_graph_normalise(g, x);
    int a = ami_net_graph_activation(g, ami_net_graph_linear(g, normal, 33), AM_NET_RELU);
    int b = ami_net_graph_activation(g, ami_net_graph_linear(g, a, 33), AM_NET_ELU);
    int sum = ami_net_graph_layer_norm(g, ami_net_graph_add(g, a, b));
    int gelu = ami_net_graph_activation(g, ami_net_graph_linear(g, sum, 18), AM_NET_GELU);
    int rows = ami_net_graph_activation(g, ami_net_graph_linear(g, set, 9), AM_NET_TANH);
    int pooled = ami_net_graph_attention(g, rows, count, 2, 4, 5);
    int hot = ami_net_graph_encode(g, index, AM_NET_ONE_HOT, 3),
        ones = ami_net_graph_encode(g, count, AM_NET_COUNT, 6);
    int part = ami_net_graph_fraction(g, position, 10.0f), waves = ami_net_graph_waves(g, position, 8, 100.0f);
    const int options[3] = { ami_net_graph_linear(g, x, 7), ami_net_graph_constant(g, 1, 7),
                             ami_net_graph_slice(g, x, 4, 7) };
    int chosen = ami_net_graph_choose(g, index, options, 3);
    int cells = ami_net_graph_rows(g, x, 1, 4, 5), kinds = ami_net_graph_rows(g, x, 17, 4, 1);
    const int per_row[2] = { ami_net_graph_constant(g, 4, 5), cells };
    int few = ami_net_graph_attention(g, ami_net_graph_choose(g, kinds, per_row, 2), count, 1, 3, 4);
    int grid = ami_net_graph_convolution(g, ami_net_graph_slice(g, x, 0, 20), 1, 4, 5, 2);
    const int all[9] = { gelu, pooled, hot, ones, part, waves, chosen, few, grid };
    int joined = ami_net_graph_concat(g, all, 9);
    int next = ami_net_graph_gru(g, joined, h);
    ami_net_graph_keep(g, h, next);
    int y = ami_net_graph_restore(g, ami_net_graph_linear(g, next, 11));
    ami_net_graph_output(g, "y", y);
    ami_net_graph_output(g, "gate", ami_net_graph_activation(g, ami_net_graph_linear(g, joined, 4), AM_NET_SIGMOID));
    if (ami_net_graph_finish(g, &err) != AM_OK) {
        am_net_graph_destroy(g);
        return NULL;
    }
    ami_net_graph_randomise(g, 5);
    for (int i = 0; i < 21; i++) {
        ami_net_graph_tensor(g, normal, 0)[i] = 0.1f * (float)i - 1.0f;
        ami_net_graph_tensor(g, normal, 1)[i] = 0.5f + 0.05f * (float)i;
    }
    for (int i = 0; i < 11; i++) {
        ami_net_graph_tensor(g, y, 0)[i] = (float)i;
        ami_net_graph_tensor(g, y, 1)[i] = 2.0f;
    }
    return g;
}

/// Inputs of zoo_all for sample s: counts from 0 on, indices in and out of range.
static inline void zoo_inputs(float *x, float *set, float *scalars, int s)
{
    am_rng rng = ami_rng_make(100 + (uint64_t)s);
    for (int i = 0; i < 21; i++) {
        x[i] = am_rng_normal(&rng);
    }
    for (int i = 0; i < 30; i++) {
        set[i] = am_rng_normal(&rng);
    }
    scalars[0] = (float)(s % 7);
    scalars[1] = (float)(s % 4);
    scalars[2] = 0.5f * (float)s;
}

#endif
