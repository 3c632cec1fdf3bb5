/// Networks for tests, ready to run.
#ifndef AMBLE_TEST_NET_ZOO_H
#define AMBLE_TEST_NET_ZOO_H

#include "runtime/net/zoo_graph.h"
#include "support/check.h"
#include "net/build.h"

/// widths[0] - widths[1] - ... with ReLUs between.
static inline am_net_graph *zoo_mlp(const char *name, const int *widths, int count, uint64_t seed)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, name, NULL, &err), &err);
    int v = ami_net_graph_input(g, "x", widths[0]);
    for (int i = 1; i < count; i++) {
        v = ami_net_graph_linear(g, v, widths[i]);
        v = i + 1 < count ? ami_net_graph_activation(g, v, AM_NET_RELU) : v;
    }
    ami_net_graph_output(g, "y", v);
    check_ok(ami_net_graph_finish(g, &err), &err);
    ami_net_graph_randomise(g, seed);
    return g;
}

/// A model of one graph; the graph stays the caller's.
static inline am_model *zoo_model(const am_net_graph *graph, am_net_weights weights)
{
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = ami_model_def_default();
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
    am_net_def def;
    am_net_def_init(&def);
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
