/// Weights between a graph's plain rows and a file's panels.
#ifndef AMI_NET_PACK_H
#define AMI_NET_PACK_H

#include <amble/net.h>
#include <amble/tools/network.h>

/// out has ami_net_stored_size zeroed bytes.
void ami_net_pack(void *out, const am_net_tensor *tensor, const float *data, am_net_weights weights);
/// out(rows, columns)
void ami_net_unpack(float *out, const am_net_tensor *tensor, const void *body, am_net_weights weights);

/// am_model_create of a def that was checked; without `measured` the errors are left out.
am_result ami_model_pack(am_model **out, const am_model_def *def, bool measured, am_error *err);

/// A copy of `graph` for int8: matrices of linear layers hold only what int8 holds, chosen so that the layers'
/// outputs on the samples change least.
am_result ami_net_calibrate(am_net_graph **out, const am_net_graph *graph, const float *samples, int sample_count,
                            const am_alloc *alloc, am_error *err);

/// Fills error_rms and error_max of a part: graph in fp32 against `rounded` in part->weights, on samples or random
/// inputs.
am_result ami_net_measure(am_model_part *part, const am_net_graph *graph, const am_net_graph *rounded,
                          const float *samples, int sample_count, const am_alloc *alloc, am_error *err);

#endif
