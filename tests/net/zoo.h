/// Networks for tests: one with every kind of operation, and small plain ones.
#ifndef AMBLE_TEST_NET_ZOO_H
#define AMBLE_TEST_NET_ZOO_H

#include "support/check.h"

/// Every kind of operation at least once; inputs x (21), set (6 x 5), count, index, position; state h.
static inline am_graph *zoo_all(const am_alloc *alloc)
{
    am_graph *g = NULL;
    am_error err = { 0 };
    check_ok(am_graph_create(&g, "zoo", alloc, &err), &err);
    int x = am_graph_input(g, "x", 21), set = am_graph_input_set(g, "set", 6, 5);
    int count = am_graph_input(g, "count", 1), index = am_graph_input(g, "index", 1);
    int position = am_graph_input(g, "position", 1), h = am_graph_state(g, "h", 19);
    int normal = am_graph_normalise(g, x);
    int a = am_graph_activation(g, am_graph_linear(g, normal, 33), AM_NET_RELU);
    int b = am_graph_activation(g, am_graph_linear(g, a, 33), AM_NET_ELU);
    int sum = am_graph_layer_norm(g, am_graph_add(g, a, b));
    int gelu = am_graph_activation(g, am_graph_linear(g, sum, 18), AM_NET_GELU);
    int rows = am_graph_activation(g, am_graph_linear(g, set, 9), AM_NET_TANH);
    int pooled = am_graph_attention(g, rows, count, 2, 4, 5);
    int hot = am_graph_encode(g, index, AM_NET_ONE_HOT, 3), ones = am_graph_encode(g, count, AM_NET_COUNT, 6);
    int part = am_graph_fraction(g, position, 10.0f), waves = am_graph_waves(g, position, 8, 100.0f);
    const int options[3] = { am_graph_linear(g, x, 7), am_graph_constant(g, 7), am_graph_slice(g, x, 4, 7) };
    int chosen = am_graph_choose(g, index, options, 3);
    const int all[7] = { gelu, pooled, hot, ones, part, waves, chosen };
    int joined = am_graph_concat(g, all, 7);
    int next = am_graph_gru(g, joined, h);
    am_graph_keep(g, h, next);
    int y = am_graph_restore(g, am_graph_linear(g, next, 11));
    am_graph_output(g, "y", y);
    am_graph_output(g, "gate", am_graph_activation(g, am_graph_linear(g, joined, 4), AM_NET_SIGMOID));
    check_ok(am_graph_finish(g, &err), &err);
    am_graph_randomise(g, 5);
    for (int i = 0; i < 21; i++) {
        am_graph_tensor(g, normal, 0)[i] = 0.1f * (float)i - 1.0f;
        am_graph_tensor(g, normal, 1)[i] = 0.5f + 0.05f * (float)i;
    }
    for (int i = 0; i < 11; i++) {
        am_graph_tensor(g, y, 0)[i] = (float)i;
        am_graph_tensor(g, y, 1)[i] = 2.0f;
    }
    return g;
}

/// widths[0] - widths[1] - ... with ReLUs between.
static inline am_graph *zoo_mlp(const char *name, const int *widths, int count, uint64_t seed)
{
    am_graph *g = NULL;
    am_error err = { 0 };
    check_ok(am_graph_create(&g, name, NULL, &err), &err);
    int v = am_graph_input(g, "x", widths[0]);
    for (int i = 1; i < count; i++) {
        v = am_graph_linear(g, v, widths[i]);
        v = i + 1 < count ? am_graph_activation(g, v, AM_NET_RELU) : v;
    }
    am_graph_output(g, "y", v);
    check_ok(am_graph_finish(g, &err), &err);
    am_graph_randomise(g, seed);
    return g;
}

/// A model of one graph; the graph stays the caller's.
static inline am_model *zoo_model(const am_graph *graph, am_net_weights weights)
{
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = am_model_def_default();
    def.graphs = &graph;
    def.graph_count = 1;
    def.weights = &weights;
    def.sample_count = 64;
    def.recipe = "{ \"what\": \"a test\" }";
    def.data_hash = 0x1234;
    check_ok(am_model_create(&model, &def, &err), &err);
    return model;
}

/// A net and its work on part 0 of a model.
typedef struct zoo_net {
    am_net *net;
    am_net_work *work;
} zoo_net;

static inline zoo_net zoo_ready(const am_model *model, am_net_mode mode, const char *kernels, int batch)
{
    zoo_net z = { 0 };
    am_error err = { 0 };
    am_net_def def = am_net_def_default();
    def.model = model;
    def.mode = mode;
    def.kernels = kernels;
    check_ok(am_net_create(&z.net, &def, &err), &err);
    check_ok(am_net_work_create(&z.work, z.net, batch, NULL, &err), &err);
    return z;
}

static inline void zoo_end(zoo_net *z)
{
    am_net_work_destroy(z->work);
    am_net_destroy(z->net);
}

/// Inputs of zoo_all for sample s: counts from 0 on, indices in and out of range.
static inline void zoo_inputs(float *x, float *set, float *scalars, int s)
{
    am_rng rng = am_rng_make(100 + (uint64_t)s);
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

static inline void zoo_put(zoo_net *z, int s, int seed)
{
    float x[21], set[30], scalars[3];
    zoo_inputs(x, set, scalars, seed);
    am_net_put(z->work, 0, s, x);
    am_net_put(z->work, 1, s, set);
    for (int i = 0; i < 3; i++) {
        am_net_put(z->work, 2 + i, s, &scalars[i]);
    }
}

#endif
