/// The inside of `.amnet` files, for programs that print, convert and write them: graphs of layers with their
/// weights, and the model that packs them. The code is in src/runtime/net.
///
/// A graph is a list of operations over numbered values, in order: each operation reads earlier values and makes a
/// new one. A value is rows x width floats for each sample of a batch; rows is 1 except for sets (attention).
#ifndef AMBLE_TOOLS_NETWORK_H
#define AMBLE_TOOLS_NETWORK_H

#include <amble/net.h>

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
    AM_NET_LAYER_NORM = 6,   ///< (x - mean x) / sqrt(var x + eps) * gain + shift; gain (1, w), shift (1, w)
    AM_NET_CONCAT = 7,       ///< all inputs one after another
    AM_NET_ADD = 8,          ///< in[0] + in[1]
    AM_NET_NORMALISE = 9,    ///< (x - mean) * scale; mean (1, w), scale (1, w), both fixed: scale is 1 / deviation
    AM_NET_RESTORE = 10,     ///< x * scale + mean, the inverse; mean, scale fixed: scale is the deviation
    AM_NET_GRU = 11,         ///< h' of x = in[0], h = in[1]; PyTorch's cell: weight_ih (3h, in), weight_hh (3h, h),
                             ///< bias_ih, bias_hh, gates in the order r z n
    AM_NET_ATTENTION = 12,   ///< of a set in[0] with in[1] rows used: per head softmax(Q K^T / sqrt key) V, the mean
                             ///< over the rows used, heads one after another; zeros for an empty set. weight_q (heads
                             ///< key, in), bias_q, weight_k, bias_k, weight_v (heads value, in), bias_v
    AM_NET_ONE_HOT = 13,     ///< of an index in[0], rounded: 1 there, else 0; all 0 outside
    AM_NET_COUNT = 14,       ///< of a count in[0]: ones, then zeros: Count(3, 5) = 1 1 1 0 0
    AM_NET_FRACTION = 15,    ///< x / n: the plain positional encoding of Operators eq. 8
    AM_NET_WAVES = 16,       ///< of a position p: sin(p f_i), cos(p f_i) in pairs, f_i = n^(-2 i / width)
    AM_NET_SLICE = 17,       ///< `width` numbers of x from `first` on
    AM_NET_CHOOSE = 18,      ///< in[1 + i] for the index i = in[0], rounded; zeros outside
    AM_NET_CONSTANT = 19,    ///< reads nothing; value (1, w), the same in each row: what an absent control encodes to
    AM_NET_ROWS = 20,        ///< rows x width numbers of a vector x from `first` on, as a set
    AM_NET_CONVOLUTION = 21, ///< of x as channels x rows x columns: 3 x 3, stride 2, zeros around it, so that n rows
                             ///< become (n + 1) / 2; weight (out, in 3 3), bias (1, out)
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
    int32_t in[AM_NET_MOST_IN];          ///< the values that it reads, -1 after the last
    int32_t tensor[AM_NET_MOST_TENSORS]; ///< -1 after the last
    int32_t size[4]; ///< attention: heads, key width, value width; slice: first; rows: first, rows;
                     ///< constant: rows, 0 for 1; convolution: channels, rows, columns of x,
                     ///< channels that it makes; else 0
    float number[2]; ///< layer norm: eps; fraction and waves: n; else 0
    int32_t reserved[2];
} am_net_op;

#define AM_NET_FIXED 1u  ///< not trained: means and scales
#define AM_NET_FROZEN 4u ///< not trained for now; files do not say so
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
    float *weights;         ///< all tensors in one array; NULL while it is built
    size_t weight_count;    ///< floats of `weights`, padding included
    size_t parameter_count; ///< numbers that training may change
    am_result failed;       ///< why building stopped; the builders do nothing from then on
    char reason[160];
    int value_room, op_room, tensor_room;
    am_alloc alloc;
} am_net_graph;
AM_API void am_net_graph_destroy(am_net_graph *graph);
/// "linear", "layer norm", ...; never NULL.
AM_API const char *am_net_kind_name(int kind);

// ---------------------------------------------------------------------------------------------
// Model

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

/// Bytes that travel with a network under a name: AM_LEARNED_CHARACTER, ... Also its record in the file: 64
/// bytes.
typedef struct am_model_attachment {
    char name[AM_NET_NAME_SIZE];
    uint64_t offset; ///< from the start of the attachments' section, a multiple of 64
    uint64_t size;   ///< bytes
    uint8_t reserved[16];
} am_model_attachment;

/// A `.amnet` file in memory. Read it, do not write it.
struct am_model {
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
};

/// The attachment that makes a model a learned character: the small database of its start states.
#define AM_LEARNED_CHARACTER "character"

/// One attachment to be made.
typedef struct am_model_blob {
    const char *name; ///< 1 to 31 bytes
    const void *data;
    size_t size; ///< at least 1
} am_model_blob;

/// How a model is made. Begin with am_model_def_init(). Everything is borrowed for the call.
typedef struct am_model_def {
    const am_alloc *alloc;
    const am_net_graph *const *graphs; ///< [graph_count], finished; their names become the parts'. A model of
                                       ///< attachments alone may have none
    const am_net_weights *weights;     ///< [graph_count], or NULL: all fp32
    const float *const *samples; ///< [graph_count] of [sample_count][all inputs one after another] to measure errors
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
/// The defaults, with recipe, provenance, hashes and seed of a model (borrowed; NULL: none of them).
AM_API void am_model_def_init(am_model_def *def, const am_model *model);

/// Packs graphs into a file's image. Refuses numbers that are not finite (AM_ERR_NUMBER), or beyond fp16's 65504
/// where that is asked for (AM_ERR_RANGE).
AM_API am_result am_model_create(am_model **out, const am_model_def *def, am_error *err);
/// Writes the image, all or nothing.
AM_API am_result am_model_write(const am_model *model, const char *path, am_error *err);
/// Reads every body: checksums, and that all numbers are finite. The error names section and offset.
AM_API am_result am_model_verify(const am_model *model, am_error *err);
/// The bytes attached under that name, aligned to 64, inside the image; NULL when there are none.
AM_API const void *am_model_attached(const am_model *model, const char *name, size_t *size);
/// A part as a graph with fp32 weights again (of 16- and 8-bit ones: the numbers that they stand for).
AM_API am_result am_model_graph(const am_model *model, int part, am_net_graph **out, const am_alloc *alloc,
                                am_error *err);

/// A value function of a motion field (Fields section 4.2), which a model has as an attachment.
typedef struct am_model_value {
    char task[16];
    am_net_weights weights;     ///< fp32 or fp16
    int every;                  ///< ticks between anchors
    int states, anchors, cells; ///< of the database, with values, and values at each
    int axes, samples[3];       ///< grid of the task: samples on each axis
    int k;                      ///< neighbours and actions that it was made with
    int iterations;             ///< sweeps of value iteration
    float gamma, weight;        ///< discount of a tick, and weight of the reward's second term
    float steer_rad_s;          ///< by which an action may turn the root more or less than the motion does
    float steer_cost;           ///< reward that a radian of it costs
    float bound;                ///< no value is farther from the fixed point
    uint64_t database_hash;     ///< of the database that its states are of
} am_model_value;
/// Attachment number i as a value function; false when it is none.
AM_API bool am_model_get_value(const am_model *model, int i, am_model_value *out);

#ifdef __cplusplus
}
#endif
#endif
