/// The list of layers, building graphs layer by layer, their reference evaluation, and models with other attachments.
#ifndef AMI_NET_BUILD_H
#define AMI_NET_BUILD_H

#include <amble/tools/network.h>

/// Every kind of layer once, in the order of am_net_kind: LAYER(KIND, name). The tables of kinds follow this list:
/// - net/layer.c: ami_net_layer_NAME, its shape and evaluation (net/layer_*.c)
/// - train/layers_body.h: layer_NAME, its training (train/layer_*_body.h)
/// - formats/onnx_write.c: ami_onnx_put_NAME, its nodes (formats/onnx_*.c)
#define AMI_NET_LAYERS(LAYER)                                                                                        \
    LAYER(LINEAR, linear)                                                                                            \
    LAYER(RELU, relu)                                                                                                \
    LAYER(ELU, elu)                                                                                                  \
    LAYER(GELU, gelu)                                                                                                \
    LAYER(TANH, tanh)                                                                                                \
    LAYER(SIGMOID, sigmoid)                                                                                          \
    LAYER(LAYER_NORM, norm)                                                                                          \
    LAYER(CONCAT, concat)                                                                                            \
    LAYER(ADD, add)                                                                                                  \
    LAYER(NORMALISE, normalise)                                                                                      \
    LAYER(RESTORE, restore)                                                                                          \
    LAYER(GRU, gru)                                                                                                  \
    LAYER(ATTENTION, attention)                                                                                      \
    LAYER(ONE_HOT, one_hot)                                                                                          \
    LAYER(COUNT, count)                                                                                              \
    LAYER(FRACTION, fraction)                                                                                        \
    LAYER(WAVES, waves)                                                                                              \
    LAYER(SLICE, slice)                                                                                              \
    LAYER(CHOOSE, choose)                                                                                            \
    LAYER(CONSTANT, constant)                                                                                        \
    LAYER(ROWS, rows)                                                                                                \
    LAYER(CONVOLUTION, convolution)

/// An empty graph called `name`.
am_result ami_net_graph_create(am_net_graph **out, const char *name, const am_alloc *alloc, am_error *err);

// Builders. Each returns the number of the value it made, or -1; a fault is remembered, so that a chain of calls
// needs one check, by ami_net_graph_finish. Add inputs and states in the order in which a caller of the network
// passes them.
int ami_net_graph_input(am_net_graph *graph, const char *name, int width);
/// A set of at most `rows` vectors.
int ami_net_graph_input_set(am_net_graph *graph, const char *name, int rows, int width);
int ami_net_graph_state(am_net_graph *graph, const char *name, int width);
/// `state` takes over `value` after each run.
void ami_net_graph_keep(am_net_graph *graph, int state, int value);
void ami_net_graph_output(am_net_graph *graph, const char *name, int value);
/// y = W x + b, of each row of a set too.
int ami_net_graph_linear(am_net_graph *graph, int x, int width);
/// AM_NET_RELU, _ELU, _GELU, _TANH or _SIGMOID.
int ami_net_graph_activation(am_net_graph *graph, int x, am_net_kind kind);
int ami_net_graph_layer_norm(am_net_graph *graph, int x); ///< eps 1e-5
int ami_net_graph_concat(am_net_graph *graph, const int *values, int count);
int ami_net_graph_add(am_net_graph *graph, int a, int b);
int ami_net_graph_normalise(am_net_graph *graph, int x); ///< means 0, scales 1 until they are set
int ami_net_graph_restore(am_net_graph *graph, int x);
int ami_net_graph_gru(am_net_graph *graph, int x, int h);
/// `count` is a value of width 1: the rows of `set` in use, 0 .. rows.
int ami_net_graph_attention(am_net_graph *graph, int set, int count, int heads, int key, int value);
/// AM_NET_ONE_HOT, _COUNT; x has width 1.
int ami_net_graph_encode(am_net_graph *graph, int x, am_net_kind kind, int width);
int ami_net_graph_fraction(am_net_graph *graph, int x, float n);
int ami_net_graph_waves(am_net_graph *graph, int x, int width, float n); ///< even width
int ami_net_graph_slice(am_net_graph *graph, int x, int first, int width);
/// Of each row of a set, too: index and values have the same rows.
int ami_net_graph_choose(am_net_graph *graph, int index, const int *values, int count);
int ami_net_graph_constant(am_net_graph *graph, int rows, int width);
int ami_net_graph_rows(am_net_graph *graph, int x, int first, int rows, int width);
/// x has channels x rows x columns numbers.
int ami_net_graph_convolution(am_net_graph *graph, int x, int channels, int rows, int columns, int channels_out);
/// Ends building: checks the whole, lays out the weights (zeros; gains, scales and deviations 1).
am_result ami_net_graph_finish(am_net_graph *graph, am_error *err);
/// The usual start of training: weights and biases uniform within 1 / sqrt(inputs) (GRU: 1 / sqrt(units)), gains 1,
/// shifts 0; fixed tensors stay.
void ami_net_graph_randomise(am_net_graph *graph, uint64_t seed);
/// A copy with its weights.
am_result ami_net_graph_copy(am_net_graph **out, const am_net_graph *graph, const am_alloc *alloc, am_error *err);

/// The value of that input, state or output name, or -1.
int ami_net_graph_find(const am_net_graph *graph, const char *name);
/// The i-th input, state or output: a value's number.
int ami_net_graph_input_at(const am_net_graph *graph, int i);
int ami_net_graph_state_at(const am_net_graph *graph, int i);
int ami_net_graph_output_at(const am_net_graph *graph, int i);
/// Tensor `which` (0 weight, 1 bias, ...) of the operation that made `value`; NULL when it has none.
float *ami_net_graph_tensor(const am_net_graph *graph, int value, int which);
/// Floats of one tensor.
static inline size_t ami_net_tensor_count(const am_net_tensor *t) { return (size_t)t->rows * (size_t)t->columns; }
/// "weight", "bias_ih", ... of a kind's tensor, or NULL behind its last.
const char *ami_net_tensor_name(int kind, int which);

/// The plain evaluation in double, straight from the definitions above: the fast one and every export are compared
/// with it. values[v] is room for batch x rows x width doubles of each value v; inputs and states are read, all
/// others written.
void ami_net_graph_eval(const am_net_graph *graph, double *const *values, int batch);

am_model_def ami_model_def_default(void);
/// A copy with these attachments (borrowed for the call) beside its own; of the same name they take its place.
am_result ami_model_attach(am_model **out, const am_model *model, const am_model_blob *blobs, int count,
                           const am_alloc *alloc, am_error *err);
/// A copy with another provenance (JSON text, borrowed for the call), for later measurements. Its hash stays.
am_result ami_model_note(am_model **out, const am_model *model, const char *provenance, const am_alloc *alloc,
                         am_error *err);

// ---------------------------------------------------------------------------------------------
// Evaluation without copies

int ami_net_input_count(const am_net *net);
int ami_net_output_count(const am_net *net);
/// The most samples of a run in it.
int ami_net_work_batch(const am_net_work *work);
/// The input's own memory for one row: write width numbers there instead of am_net_put.
float *ami_net_input(am_net_work *work, int input, int sample, int row);
/// The output's own memory for one row, until the next run.
const float *ami_net_output(const am_net_work *work, int output, int sample, int row);

#endif
