/// Small networks at run time: open an `.amnet` file and evaluate its parts within a frame of a game. Assets do this
/// by themselves; this header is for your own networks, made by `amble train`.
///
/// - *am_model* is a `.amnet` file in memory: named parts with their weights. Immutable.
/// - *am_net* is one part of a model ready to run. Immutable; any number of *am_net_work* (the numbers of one
///   evaluation, and the state of recurrent layers) run on it at once. A run allocates nothing.
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

// ---------------------------------------------------------------------------------------------
// Model: the .amnet file

/// A file of networks. Immutable.
typedef struct am_model am_model;
/// Maps a file and checks its header, section table, graphs and everything small. Refuses foreign, damaged and newer
/// files (AM_ERR_FORMAT, AM_ERR_TRUNCATED, AM_ERR_CHECKSUM, AM_ERR_VERSION).
AM_API am_result am_model_open(am_model **out, const char *path, const am_alloc *alloc, am_error *err);
/// The same over bytes that must outlive the model and be aligned to 64; `file` is their name in errors.
AM_API am_result am_model_from_memory(am_model **out, const void *data, size_t size, const char *file,
                                      const am_alloc *alloc, am_error *err);
/// Call it after the last net of it is destroyed. NULL is allowed.
AM_API void am_model_close(am_model *model);
/// The number of the part with that name, or -1.
AM_API int am_model_find(const am_model *model, const char *name);

// ---------------------------------------------------------------------------------------------
// Evaluation

/// How sums of products are rounded.
typedef enum am_net_mode {
    AM_NET_EXACT, ///< the same bits everywhere
    AM_NET_FAST   ///< fused multiply-add where the machine has it
} am_net_mode;

/// A part of a model, ready to run. Immutable.
typedef struct am_net am_net;
/// The numbers of one evaluation, for one thread at a time.
typedef struct am_net_work am_net_work;

/// How a net is made. Begin with am_net_def_init().
typedef struct am_net_def {
    const am_alloc *alloc;
    const am_model *model; ///< borrowed; must outlive the net, which runs on the model's own bytes
    int part;              ///< number of the part (am_model_find)
    am_net_mode mode;      ///< AM_NET_EXACT by default
    const char *kernels;   ///< an instruction set ("reference", "sse2", ...), for tests; NULL: the fastest here
    uint32_t cookie;
} am_net_def;
AM_API void am_net_def_init(am_net_def *def);
/// Refuses a def without a model or with a part that it does not have (AM_ERR_DEF).
AM_API am_result am_net_create(am_net **out, const am_net_def *def, am_error *err);
AM_API void am_net_destroy(am_net *net);
/// How many numbers an input or output has: rows x width.
AM_API int am_net_input_size(const am_net *net, int input);
AM_API int am_net_output_size(const am_net *net, int output);
/// The number of the input or output with that name, or -1.
AM_API int am_net_input_find(const am_net *net, const char *name);
AM_API int am_net_output_find(const am_net *net, const char *name);
/// How many numbers the states of recurrent layers have for one sample: what a snapshot must hold.
AM_API int am_net_state_size(const am_net *net);

/// Working memory for runs of at most `most_batch` samples.
AM_API am_result am_net_work_create(am_net_work **out, const am_net *net, int most_batch, const am_alloc *alloc,
                                    am_error *err);
AM_API void am_net_work_destroy(am_net_work *work);
/// Sets the states of all samples to zero.
AM_API void am_net_reset(am_net_work *work);
/// Copies data(am_net_input_size), row after row, to an input of one sample of the batch.
AM_API void am_net_put(am_net_work *work, int input, int sample, const float *data);
/// Copies an output of one sample to data(am_net_output_size).
AM_API void am_net_get(const am_net_work *work, int output, int sample, float *data);
/// Copies the states of one sample to and from state(am_net_state_size).
AM_API void am_net_state_get(const am_net_work *work, int sample, float *state);
AM_API void am_net_state_set(am_net_work *work, int sample, const float *state);
/// Evaluates samples 0 to batch - 1 and steps their states. Allocates nothing.
AM_API void am_net_run(const am_net *net, am_net_work *work, int batch);

#ifdef __cplusplus
}
#endif
#endif
