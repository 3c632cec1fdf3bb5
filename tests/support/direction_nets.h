/// Networks in the shape of DirectionNet whose answers are known, made by hand.
#ifndef AMBLE_TEST_CONTROL_DIRECTION_NETS_H
#define AMBLE_TEST_CONTROL_DIRECTION_NETS_H

#include "net/build.h"

#include <string.h>

/// A model whose part `name` gives m * (point x, point z, facing x, facing z), m(2, 4), as long as that is small: the
/// GRU's update gate is shut and its new state is tanh of that. NULL when it cannot be built.
static inline am_model *direction_net(const char *name, const float m[8], const am_alloc *alloc)
{
    am_net_graph *g = NULL;
    am_model *model = NULL;
    am_error err = { 0 };
    if (ami_net_graph_create(&g, name, alloc, &err) != AM_OK) {
        return NULL;
    }
    int point = ami_net_graph_input(g, "point", 2), facing = ami_net_graph_input(g, "facing", 2),
        h = ami_net_graph_state(g, "h", 2);
    int scaled = ami_net_graph_normalise(g, point);
    int next = ami_net_graph_gru(g, ami_net_graph_concat(g, (int[]){ scaled, facing }, 2), h);
    ami_net_graph_keep(g, h, next);
    int out = ami_net_graph_linear(g, next, 2);
    ami_net_graph_output(g, "direction", out);
    if (ami_net_graph_finish(g, &err) == AM_OK) {
        float *weight_ih = ami_net_graph_tensor(g, next, 0), *bias_ih = ami_net_graph_tensor(g, next, 2);
        memcpy(weight_ih + 4 * 4, m, 8 * sizeof *m); // gates r z n, two rows each
        bias_ih[2] = bias_ih[3] = -30.0f;
        float *linear = ami_net_graph_tensor(g, out, 0);
        linear[0] = linear[3] = 1.0f;
        am_model_def def = ami_model_def_default();
        def.alloc = alloc;
        def.graphs = (const am_net_graph *const *)&g;
        def.graph_count = 1;
        if (am_model_create(&model, &def, &err) != AM_OK) {
            model = NULL;
        }
    }
    am_net_graph_destroy(g);
    return model;
}

/// Faces the way it goes, a quarter turn to its left of it, against it.
static const float direction_ahead[8] = { 1, 0, 0, 0, 0, 1, 0, 0 };
static const float direction_crab[8] = { 0, 1, 0, 0, -1, 0, 0, 0 };
static const float direction_back[8] = { -1, 0, 0, 0, 0, -1, 0, 0 };

#endif
