/// Small networks: a graph of layers with its weights, the `.amnet` file that holds several of them, and the
/// evaluation inside a game's frame.
///
/// Three things:
/// - *am_net_graph* describes one network and holds its weights as plain fp32 arrays. It is built layer by layer,
///   filled (by a trainer, from an NPZ) and packed into a model. Training and export read it.
/// - *am_model* is a `.amnet` file in memory: graphs, packed weights and where they came from. Immutable.
/// - *am_net* is one part of a model ready to run. Immutable; any number of *am_net_work* (the numbers of one
///   evaluation, and the state of recurrent layers) run on it at once. A run allocates nothing.
///
/// A graph is a list of operations over numbered values, in order: each operation reads earlier values and makes a
/// new one. A value is rows x width floats for each sample of a batch; rows is 1 but for sets (attention).
///
/// Numbers: in `exact` mode every output is bias + w0 x0 + w1 x1 + ... from left to right, without fused
/// multiply-add, so that scalar, SSE2, AVX2, AVX-512, NEON and WebAssembly give the same bits for any batch. In
/// `fast` mode the products are fused where the machine can: the same build on the same machine repeats its bits.
#ifndef AMBLE_NET_H
#define AMBLE_NET_H

#include <amble/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_NET_MOST_IN 16     ///< values that one operation reads
#define AM_NET_MOST_TENSORS 6 ///< tensors of one operation
#define AM_NET_NAME_SIZE 32   ///< bytes of a name with its terminator
#define AM_NET_MOST_WIDTH 65536
#define AM_NET_MOST_ROWS 1024 ///< of a set
#define AM_NET_MOST_OPS 4096
#define AM_NET_MOST_PARTS 64
#define AM_NET_MOST_BATCH 65536
#define AM_NET_MOST_ATTACHMENTS 16

/// What an operation does. x is in[0]; tensors in the order named. The numbers stand in files: append only.
typedef enum am_net_kind {
    AM_NET_LINEAR = 0, ///< y = W x + b; weight (out, in), bias (1, out)
    AM_NET_RELU = 1,   ///< max(x, 0)
    AM_NET_ELU = 2,    ///< x > 0 ? x : exp x - 1
    AM_NET_GELU = 3,   ///< x/2 (1 + erf(x / sqrt 2)): the exact form, PyTorch's default
    AM_NET_TANH = 4,
    AM_NET_SIGMOID = 5,
    AM_NET_LAYER_NORM = 6, ///< (x - mean x) / sqrt(var x + eps) * gain + shift; gain (1, w), shift (1, w)
    AM_NET_CONCAT = 7,     ///< all inputs one behind another
    AM_NET_ADD = 8,        ///< in[0] + in[1]
    AM_NET_NORMALISE = 9,  ///< (x - mean) * scale; mean (1, w), scale (1, w), both fixed: scale is 1 / deviation
    AM_NET_RESTORE = 10,   ///< x * scale + mean, the way back; mean, scale fixed: scale is the deviation
    AM_NET_GRU = 11,       ///< h' of x = in[0], h = in[1]; PyTorch's cell: weight_ih (3h, in), weight_hh (3h, h),
                           ///< bias_ih, bias_hh, gates in the order r z n
    AM_NET_ATTENTION = 12, ///< of a set in[0] with in[1] rows used: per head softmax(Q K^T / sqrt key) V, the mean
                           ///< over the rows used, heads behind one another; zeros for an empty set. weight_q (heads
                           ///< key, in), bias_q, weight_k, bias_k, weight_v (heads value, in), bias_v
    AM_NET_ONE_HOT = 13,   ///< of an index in[0], rounded: 1 there, else 0; all 0 outside
    AM_NET_COUNT = 14,     ///< of a count in[0]: ones, then zeros: Count(3, 5) = 1 1 1 0 0
    AM_NET_FRACTION = 15,  ///< x / n: the plain positional encoding of Operators eq. 8
    AM_NET_WAVES = 16,     ///< of a position p: sin(p f_i), cos(p f_i) in pairs, f_i = n^(-2 i / width)
    AM_NET_SLICE = 17,     ///< `width` numbers of x from `first` on
    AM_NET_CHOOSE = 18,    ///< in[1 + i] for the index i = in[0], rounded; zeros outside
    AM_NET_CONSTANT = 19,  ///< reads nothing; value (1, w): what an absent control encodes to
    AM_NET_KIND_COUNT
} am_net_kind;

/// What a value is.
typedef enum am_net_role {
    AM_NET_INNER = 0, ///< made by an operation
    AM_NET_INPUT = 1, ///< given by the caller before each run
    AM_NET_STATE = 2  ///< kept from run to run; zeros after a reset
} am_net_role;

/// One value. Also its record in the file: 64 bytes.
typedef struct am_net_value {
    char name[AM_NET_NAME_SIZE]; ///< of inputs, states and outputs; else ""
    int32_t rows;                ///< 1, or the most rows of a set
    int32_t width;
    int32_t role;   ///< am_net_role
    int32_t next;   ///< of a state: the value that it takes over after a run; else -1
    int32_t output; ///< place among the outputs, -1 for none
    int32_t reserved[3];
} am_net_value;

/// One operation. Also its record in the file: 128 bytes.
typedef struct am_net_op {
    int32_t kind;                        ///< am_net_kind
    int32_t out;                         ///< the value that it makes
    int32_t in[AM_NET_MOST_IN];          ///< the values that it reads, -1 behind the last
    int32_t tensor[AM_NET_MOST_TENSORS]; ///< -1 behind the last
    int32_t size[4];                     ///< attention: heads, key width, value width; slice: first; else 0
    float number[2];                     ///< layer norm: eps; fraction and waves: n; else 0
    int32_t reserved[2];
} am_net_op;

#define AM_NET_FIXED 1u  ///< not trained: means and scales
#define AM_NET_MATRIX 2u ///< a weight matrix: what 16- and 8-bit weights apply to

/// One tensor of a graph: rows x columns floats, row after row, at graph->weights + offset.
typedef struct am_net_tensor {
    char name[AM_NET_NAME_SIZE]; ///< "3.weight": number of the operation, name of the tensor
    int32_t rows, columns;
    uint32_t flags; ///< AM_NET_FIXED, AM_NET_MATRIX
    uint32_t reserved;
    uint64_t offset; ///< in floats, a multiple of 16
    uint64_t reserved_word;
} am_net_tensor;

// ---------------------------------------------------------------------------------------------
// Graph

/// A network as it is built and trained. Read everything; write only `weights`.
typedef struct am_net_graph {
    char name[AM_NET_NAME_SIZE]; ///< of the part: "decompressor", ...
    am_net_value *values;
    am_net_op *ops;
    am_net_tensor *tensors;
    int value_count, op_count, tensor_count;
    int input_count, output_count, state_count;
    float *weights;         ///< all tensors in one array; NULL before am_net_graph_finish
    size_t weight_count;    ///< floats of `weights`, padding included
    size_t parameter_count; ///< numbers that training may change
    am_result failed;       ///< why building stopped; the builders do nothing from then on
    char reason[160];
    int value_room, op_room, tensor_room;
    am_alloc alloc;
} am_net_graph;

/// An empty graph called `name`.
AM_API am_result am_net_graph_create(am_net_graph **out, const char *name, const am_alloc *alloc, am_error *err);
AM_API void am_net_graph_destroy(am_net_graph *graph);

// Builders. Each returns the number of the value it made, or -1; a fault is remembered, so that a chain of calls
// needs one check, by am_net_graph_finish. Add inputs and states in the order in which a caller of the network passes
// them.
AM_API int am_net_graph_input(am_net_graph *graph, const char *name, int width);
/// A set of at most `rows` vectors.
AM_API int am_net_graph_input_set(am_net_graph *graph, const char *name, int rows, int width);
AM_API int am_net_graph_state(am_net_graph *graph, const char *name, int width);
/// `state` takes over `value` after each run.
AM_API void am_net_graph_keep(am_net_graph *graph, int state, int value);
AM_API void am_net_graph_output(am_net_graph *graph, const char *name, int value);
/// y = W x + b, of each row of a set too.
AM_API int am_net_graph_linear(am_net_graph *graph, int x, int width);
/// AM_NET_RELU, _ELU, _GELU, _TANH or _SIGMOID.
AM_API int am_net_graph_activation(am_net_graph *graph, int x, am_net_kind kind);
AM_API int am_net_graph_layer_norm(am_net_graph *graph, int x); ///< eps 1e-5
AM_API int am_net_graph_concat(am_net_graph *graph, const int *values, int count);
AM_API int am_net_graph_add(am_net_graph *graph, int a, int b);
AM_API int am_net_graph_normalise(am_net_graph *graph, int x); ///< means 0, scales 1 until they are set
AM_API int am_net_graph_restore(am_net_graph *graph, int x);
AM_API int am_net_graph_gru(am_net_graph *graph, int x, int h);
/// `count` is a value of width 1: the rows of `set` in use, 0 .. rows.
AM_API int am_net_graph_attention(am_net_graph *graph, int set, int count, int heads, int key, int value);
/// AM_NET_ONE_HOT, _COUNT; x has width 1.
AM_API int am_net_graph_encode(am_net_graph *graph, int x, am_net_kind kind, int width);
AM_API int am_net_graph_fraction(am_net_graph *graph, int x, float n);
AM_API int am_net_graph_waves(am_net_graph *graph, int x, int width, float n); ///< even width
AM_API int am_net_graph_slice(am_net_graph *graph, int x, int first, int width);
AM_API int am_net_graph_choose(am_net_graph *graph, int index, const int *values, int count);
AM_API int am_net_graph_constant(am_net_graph *graph, int width);
/// Ends building: checks the whole, lays out the weights (zeros; gains, scales and deviations 1).
AM_API am_result am_net_graph_finish(am_net_graph *graph, am_error *err);
/// The usual start of training: weights and biases uniform within 1 / sqrt(inputs) (GRU: 1 / sqrt(units)), gains 1,
/// shifts 0; fixed tensors stay.
AM_API void am_net_graph_randomise(am_net_graph *graph, uint64_t seed);
/// A copy with its weights.
AM_API am_result am_net_graph_copy(am_net_graph **out, const am_net_graph *graph, const am_alloc *alloc,
                                   am_error *err);

/// The value of that input, state or output name, or -1.
AM_API int am_net_graph_find(const am_net_graph *graph, const char *name);
/// The i-th input, state or output: a value's number.
AM_API int am_net_graph_input_at(const am_net_graph *graph, int i);
AM_API int am_net_graph_state_at(const am_net_graph *graph, int i);
AM_API int am_net_graph_output_at(const am_net_graph *graph, int i);
/// Tensor `which` (0 weight, 1 bias, ...) of the operation that made `value`; NULL when it has none.
AM_API float *am_net_graph_tensor(const am_net_graph *graph, int value, int which);
/// Floats of one tensor.
static inline size_t am_net_tensor_count(const am_net_tensor *t) { return (size_t)t->rows * (size_t)t->columns; }
/// "linear", "layer norm", ...; never NULL.
AM_API const char *am_net_kind_name(int kind);
/// "weight", "bias_ih", ... of a kind's tensor, or NULL behind its last.
AM_API const char *am_net_tensor_name(int kind, int which);

/// The plain evaluation in double, straight from the definitions above: the fast one and every export are compared
/// with it. values[v] is room for batch x rows x width doubles of each value v; inputs and states are read, all
/// others written.
AM_API void am_net_graph_eval(const am_net_graph *graph, double *const *values, int batch);

// ---------------------------------------------------------------------------------------------
// Model: the .amnet file

/// How the weight matrices of a part are stored. Biases, gains, means and scales stay fp32.
typedef enum am_net_weights {
    AM_NET_FP32 = 0,
    AM_NET_FP16 = 1,
    AM_NET_INT8 = 2 ///< with one scale for each row; inputs are rounded to at most 15 bits on the way in
} am_net_weights;

/// "fp32", "fp16", "int8".
AM_API const char *am_net_weights_name(am_net_weights weights);

/// One part. Also its record in the file: 192 bytes.
typedef struct am_model_part {
    char name[AM_NET_NAME_SIZE];
    int32_t weights; ///< am_net_weights
    int32_t value_first, value_count;
    int32_t op_first, op_count;
    int32_t tensor_first, tensor_count;
    int32_t error_samples; ///< on how many inputs the errors were measured; 0 for fp32
    uint64_t parameters;   ///< numbers that training may change
    uint64_t bytes;        ///< of its weights in the file
    float error_rms;       ///< RMS of the output's change by 16- or 8-bit weights over the RMS of the output
    float error_max;       ///< largest change over the RMS of the output
    uint8_t reserved[104];
} am_model_part;

/// Bytes that travel with a network under a name: `character` (amble/learned.h), ... Also its record in the file: 64
/// bytes.
typedef struct am_model_attachment {
    char name[AM_NET_NAME_SIZE];
    uint64_t offset; ///< from the start of the attachments' section, a multiple of 64
    uint64_t size;   ///< bytes
    uint8_t reserved[16];
} am_model_attachment;

typedef struct am_model {
    const am_model_part *parts;
    int part_count;
    const char *recipe;     ///< text of the recipe, "" when unknown
    const char *provenance; ///< JSON text: losses, quality, times; "" when unknown
    uint64_t data_hash;     ///< of what it was trained on; 0 when unknown
    uint64_t database_hash; ///< of the database that it belongs to; 0 for none
    uint64_t skeleton_hash; ///< 0 for none
    uint64_t latent_key; ///< of the latents that a Decompressor was trained with (am_db.latent_key); 0 when unknown
    uint64_t seed;
    const am_model_attachment *attachments; ///< [attachment_count]
    int attachment_count;
    uint64_t hash;     ///< of graphs, weights and attachments
    const void *image; ///< the file's bytes
    size_t image_size;
    struct am_model_own *own;
} am_model;

/// One attachment to be made.
typedef struct am_model_blob {
    const char *name; ///< 1 to 31 bytes
    const void *data;
    size_t size; ///< at least 1
} am_model_blob;

/// How a model is made. Start from am_model_def_default(). Everything is borrowed for the call.
typedef struct am_model_def {
    const am_alloc *alloc;
    const am_net_graph *const *graphs; ///< [graph_count], finished; their names become the parts'. A model of
                                       ///< attachments alone may have none
    const am_net_weights *weights;     ///< [graph_count], or NULL: all fp32
    const float *const *samples; ///< [graph_count] of [sample_count][all inputs behind one another] to measure errors
                                 ///< on, and to round int8 weights so that these inputs suffer least; NULL (as may
                                 ///< be each item): plain rounding, measured on standard normal numbers before
                                 ///< normalisation
    int graph_count;
    int sample_count;                 ///< at most 4096; default 256
    const char *recipe;               ///< or NULL
    const char *provenance;           ///< or NULL
    const am_model_blob *attachments; ///< [attachment_count], or NULL
    int attachment_count;             ///< at most AM_NET_MOST_ATTACHMENTS
    uint64_t data_hash, database_hash, skeleton_hash, latent_key, seed;
    uint32_t cookie;
} am_model_def;
AM_API am_model_def am_model_def_default(void);
/// The default with recipe, provenance, hashes and seed of a model (borrowed).
AM_API am_model_def am_model_def_like(const am_model *model);

/// Packs graphs into a file's image. Refuses numbers that are not finite (AM_ERR_NUMBER), or beyond fp16's 65504
/// where that is asked for (AM_ERR_RANGE).
AM_API am_result am_model_create(am_model **out, const am_model_def *def, am_error *err);
/// Maps a file and checks header, section table, graphs and everything small.
AM_API am_result am_model_open(am_model **out, const char *path, const am_alloc *alloc, am_error *err);
/// The same over bytes that the caller keeps alive; `data` must be aligned to 64.
AM_API am_result am_model_from_memory(am_model **out, const void *data, size_t size, const char *file,
                                      const am_alloc *alloc, am_error *err);
AM_API void am_model_close(am_model *model);
/// Writes the image, all or nothing.
AM_API am_result am_model_write(const am_model *model, const char *path, am_error *err);
/// Reads every body: checksums, and that all numbers are finite. The error names section and offset.
AM_API am_result am_model_verify(const am_model *model, am_error *err);
/// The part of that name, or -1.
AM_API int am_model_find(const am_model *model, const char *name);
/// The bytes attached under that name, aligned to 64, inside the image; NULL when there are none.
AM_API const void *am_model_attached(const am_model *model, const char *name, size_t *size);
/// A copy with these attachments (borrowed for the call) beside its own; of the same name they take its place.
AM_API am_result am_model_attach(am_model **out, const am_model *model, const am_model_blob *blobs, int count,
                                 const am_alloc *alloc, am_error *err);
/// A copy with another provenance (JSON text, borrowed for the call), for later measurements. Its hash stays.
AM_API am_result am_model_note(am_model **out, const am_model *model, const char *provenance, const am_alloc *alloc,
                               am_error *err);
/// A part as a graph with fp32 weights again (of 16- and 8-bit ones: the numbers that they stand for).
AM_API am_result am_model_graph(const am_model *model, int part, am_net_graph **out, const am_alloc *alloc,
                                am_error *err);

// ---------------------------------------------------------------------------------------------
// Evaluation

typedef enum am_net_mode {
    AM_NET_EXACT, ///< the same bits everywhere
    AM_NET_FAST   ///< fused multiply-add where the machine has it
} am_net_mode;

typedef struct am_net am_net;
typedef struct am_net_work am_net_work;

/// How a net is made ready. Start from am_net_def_default().
typedef struct am_net_def {
    const am_alloc *alloc;
    const am_model *model; ///< borrowed; must outlive the net, which runs on the model's own bytes
    int part;              ///< number of the part (am_model_find)
    am_net_mode mode;
    const char *kernels; ///< "reference", "sse2", ... to ask for one version; NULL: the fastest here
    uint32_t cookie;
} am_net_def;
AM_API am_net_def am_net_def_default(void);
AM_API am_result am_net_create(am_net **out, const am_net_def *def, am_error *err);
AM_API void am_net_destroy(am_net *net);
AM_API int am_net_input_count(const am_net *net);
AM_API int am_net_output_count(const am_net *net);
/// Rows x width of an input or output.
AM_API int am_net_input_size(const am_net *net, int input);
AM_API int am_net_output_size(const am_net *net, int output);
/// The input or output of that name, or -1.
AM_API int am_net_input_find(const am_net *net, const char *name);
AM_API int am_net_output_find(const am_net *net, const char *name);
/// Numbers of all states of one sample: what a snapshot of a character keeps.
AM_API int am_net_state_size(const am_net *net);

/// Working memory for runs of at most `most_batch` samples.
AM_API am_result am_net_work_create(am_net_work **out, const am_net *net, int most_batch, const am_alloc *alloc,
                                    am_error *err);
AM_API void am_net_work_destroy(am_net_work *work);
/// The most samples of a run in it.
AM_API int am_net_work_batch(const am_net_work *work);
/// All states back to zero.
AM_API void am_net_reset(am_net_work *work);
/// Copies an input's numbers (row after row) for one sample of the batch.
AM_API void am_net_put(am_net_work *work, int input, int sample, const float *data);
/// Copies an output's numbers.
AM_API void am_net_get(const am_net_work *work, int output, int sample, float *data);
/// The input's own memory for one row: write width numbers there instead of am_net_put.
AM_API float *am_net_input(am_net_work *work, int input, int sample, int row);
/// The output's own memory for one row, until the next run.
AM_API const float *am_net_output(const am_net_work *work, int output, int sample, int row);
/// state(am_net_state_size) of one sample, out and in.
AM_API void am_net_state_get(const am_net_work *work, int sample, float *state);
AM_API void am_net_state_set(am_net_work *work, int sample, const float *state);
/// Evaluates samples 0 .. batch - 1 and steps their states. Allocates nothing.
AM_API void am_net_run(const am_net *net, am_net_work *work, int batch);

#ifdef __cplusplus
}
#endif
#endif
