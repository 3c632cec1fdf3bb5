// The layers of networks: products of weight matrices with vectors and batches, activations, layer normalisation. One
// version for each instruction set; the exact ones all have the bits of layers_reference.c, the fused ones use
// multiply-add in the products.
//
// A weight matrix (n_out, n_in) is stored in panels of 16 rows: panel p holds rows 16 p .. 16 p + 15, column after
// column, [panel][n_in][16]; rows behind the last are zero. So an output is
//     bias + w0 x0 + w1 x1 + ...
// from left to right in one lane, whatever the width of a vector, and a zero among x may be left out: no sum is ever
// -0 (biases are stored without -0), hence adding +-0 changes nothing. 8-bit weights stand in pairs of columns,
// [panel][n_in / 2 rounded up][16][2], and meet inputs rounded to integers: their sums are exact in 32 bits.
#ifndef AMI_KERNEL_LAYERS_H
#define AMI_KERNEL_LAYERS_H

#include "kernel/kernel.h"

#define AMI_PANEL 16 ///< rows of a panel

typedef enum ami_activation {
    AMI_ACT_NONE,
    AMI_ACT_RELU,
    AMI_ACT_ELU,
    AMI_ACT_GELU,
    AMI_ACT_TANH,
    AMI_ACT_SIGMOID
} ami_activation;

/// A matrix in panels: one of w32, w16, w8 is set.
typedef struct ami_matrix {
    const float *w32;
    const uint16_t *w16; ///< IEEE half precision
    const int8_t *w8;
    const float *scale; ///< (16 panels), of w8
    const float *bias;  ///< (16 panels)
    size_t n_in;
    size_t panels;
} ami_matrix;

/// One version of every layer. Outputs have room for 16 * panels floats.
typedef struct ami_layers {
    const char *name; ///< "reference", "sse2", "avx2", "avx512", "neon", "wasm"
    bool fused;

    /// out = W x + bias. With `index` only the columns index(count) are summed; else count is n_in.
    void (*gemv32)(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count);
    void (*gemv16)(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count);
    /// x as pairs of 16-bit integers; index counts pairs. out = sum * (scale * x_scale) + bias.
    void (*gemv8)(float *out, const ami_matrix *m, const int32_t *pairs, const uint32_t *index, size_t count,
                  float x_scale);
    /// The same for items rows x(items, x_stride) -> out(items, out_stride): the bits of gemv of each. `room` has
    /// AMI_LAYERS_ROOM floats (16-bit weights).
    void (*gemm32)(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items);
    void (*gemm16)(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items,
                   float *room);
    /// pairs(items, pair_stride), x_scale(items)
    void (*gemm8)(float *out, size_t out_stride, const ami_matrix *m, const int32_t *pairs, size_t pair_stride,
                  const float *x_scale, size_t items);

    /// How many of x(n) are other than 0; if fewer than `most`, index has their places, ascending, and room for n
    /// + 16.
    size_t (*nonzeros)(uint32_t *index, const float *x, size_t n, size_t most);
    /// q(n) = x / scale rounded to the nearest even integer, |q| <= most; returns scale, NaN when an x is not finite.
    float (*quantise)(int16_t *q, const float *x, size_t n, int most);
    /// x(n) = activation of x(n).
    void (*activate)(float *x, size_t n, ami_activation which);
    /// out(n) = (x - mean) / sqrt(var + eps) * gain + shift; sums in 16 lanes folded 8+8, 4+4, 2+2, 1+1. May work in
    /// place.
    void (*layer_norm)(float *out, const float *x, const float *gain, const float *shift, size_t n, float eps);
} ami_layers;

#define AMI_BLOCK 256 ///< columns of a batch's block
#define AMI_LAYERS_ROOM (AMI_BLOCK * 2 * AMI_PANEL)

/// The fastest version that this machine runs, fused or exact. Never NULL.
const ami_layers *ami_layers_pick(bool fused);
/// Version `index` of the exact ones that this machine runs, slowest (the reference) first; NULL past the last.
const ami_layers *ami_layers_at(size_t index);
/// The version of that name, or NULL when this build or machine has none.
const ami_layers *ami_layers_named(const char *name, bool fused);

extern const ami_layers ami_layers_reference;
extern const ami_layers ami_layers_sse2;
extern const ami_layers ami_layers_avx2;
extern const ami_layers ami_layers_avx2_fused;
extern const ami_layers ami_layers_avx512;
extern const ami_layers ami_layers_avx512_fused;
extern const ami_layers ami_layers_neon;
extern const ami_layers ami_layers_neon_fused;
extern const ami_layers ami_layers_wasm;

#endif
