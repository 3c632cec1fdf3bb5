/// The networks of bench infer: shapes of the papers, with a chosen share of zeros behind their ReLUs.
#ifndef AMBLE_CLI_BENCH_INFER_H
#define AMBLE_CLI_BENCH_INFER_H

#include "cli.h"
#include <amble/tools/network.h>

typedef enum infer_net {
    INFER_DECOMPRESSOR, ///< 59-512-420
    INFER_STEPPER,      ///< 59-512-512-59
    INFER_PROJECTOR,    ///< 27-512x4-59
    INFER_FLOW,         ///< 285, 8x800 with layer norm and the input joined to each layer, 128
    INFER_SEGMENTS,     ///< 9x1536, 1024 out
    INFER_COUNT
} infer_net;

const char *infer_name(infer_net net);
/// The graph with random weights: input "x", output "y". `zeros` is the share in percent of ReLU outputs that are 0
/// on inputs(samples, width), reached by shifting biases; ignored where there is no ReLU.
am_result infer_build(am_net_graph **out, infer_net net, int zeros, const float *inputs, int samples, am_error *err);
/// Numbers that the network reads.
int infer_width(infer_net net);
/// The network as the list of steps that the OpenBLAS peer reads (see lab/peers/infer_peers.c). False when it
/// cannot be written.
bool infer_write_chain(const am_net_graph *graph, const char *path);

#endif
