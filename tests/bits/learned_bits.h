/// A learned character of small networks that know nothing: what it does is nonsense, but the same everywhere.
#ifndef AMBLE_TESTS_BITS_LEARNED_BITS_H
#define AMBLE_TESTS_BITS_LEARNED_BITS_H

#include <amble/tools/tools.h>

#include "data/pose_vector.h"
#include "net/build.h"
#include "train/training.h"

enum { bits_latent = 9, bits_hidden = 40 };

/// x (and z) through two layers; NULL when it cannot be made.
static inline am_net_graph *bits_graph(const char *name, const char *output, int x, int z, int out, uint64_t seed)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    if (ami_net_graph_create(&g, name, NULL, &err) != AM_OK) {
        return NULL;
    }
    int inputs[2] = { ami_net_graph_input(g, "x", x), z > 0 ? ami_net_graph_input(g, "z", z) : -1 };
    int v = ami_net_graph_normalise(g, z > 0 ? ami_net_graph_concat(g, inputs, 2) : inputs[0]);
    v = ami_net_graph_activation(g, ami_net_graph_linear(g, v, bits_hidden), AM_NET_RELU);
    v = ami_net_graph_activation(g, ami_net_graph_linear(g, v, bits_hidden), AM_NET_RELU);
    ami_net_graph_output(g, output, ami_net_graph_restore(g, ami_net_graph_linear(g, v, out)));
    if (ami_net_graph_finish(g, &err) != AM_OK) {
        am_net_graph_destroy(g);
        return NULL;
    }
    ami_net_graph_randomise(g, seed);
    return g;
}

/// A packed model over a database; NULL with *err filled when it cannot be made.
static inline am_model *bits_learned_model(const am_db *db, am_net_weights weights, am_error *err)
{
    ami_pose_layout layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    int x = db->features.count;
    am_net_graph *graphs[3] = { bits_graph("decompressor", "pose", x, bits_latent, layout.count, 1),
                                bits_graph("stepper", "rate", x, bits_latent, x + bits_latent, 2),
                                bits_graph("projector", "xz", x, 0, x + bits_latent, 3) };
    const am_net_graph *all[3] = { graphs[0], graphs[1], graphs[2] };
    const am_net_weights kinds[3] = { weights, weights, weights };
    am_model_def def = ami_model_def_default();
    def.graphs = all;
    def.graph_count = 3;
    def.weights = kinds;
    def.sample_count = 8;
    am_model *bare = NULL;
    am_model *packed = NULL;
    if (am_model_create(&bare, &def, err) == AM_OK && ami_learned_pack(&packed, bare, db, NULL, err) != AM_OK) {
        packed = NULL;
    }
    am_model_close(bare);
    for (int g = 0; g < 3; g++) {
        am_net_graph_destroy(graphs[g]);
    }
    return packed;
}

#endif
