// The inner loops over many numbers, one version for each instruction set, all with the same bits.
//
// Every version repeats the steps of reference.c: no fused multiply-add, and a sum over an array has one fixed
// shape. Element i goes to lane i % 8; the eight lanes are folded 4+4, 2+2, 1+1. Where a result is not a number it is
// so in every version, but its payload is free. Pick a table once, when an object is created, and keep the pointer.
#ifndef AMI_KERNEL_H
#define AMI_KERNEL_H

#include <amble/math.h>

#define AMI_BOUNDS_LANES 16 ///< boxes that one call of `bounds` compares

/// The order of one joint's three angles; see ami_euler_order_make.
typedef struct ami_euler_order {
    uint8_t axis[3]; ///< 0 x, 1 y, 2 z, in the order of am_quat_from_euler
    uint8_t code;    ///< the three axes in one number: equal for equal orders
    float parity;    ///< +1 when the axes run x y z x, -1 backwards, 0 when two of them are the same
} ami_euler_order;

/// "zyx" and the like, upper or lower case.
ami_euler_order ami_euler_order_make(const char axes[3]);

/// One version of every kernel. `stride` is the distance of two rows in floats, a multiple of 8; padding columns are
/// zero in rows and query alike, so that they add nothing. No alignment is required. n may be 0. Outputs must not
/// overlap inputs unless said.
typedef struct ami_kernels {
    const char *name; ///< "reference", "sse2", "avx2", "neon", "wasm"

    /// out(n) = squared distance of query(stride) to each of rows(n, stride).
    void (*distances)(float *out, const float *query, const float *rows, size_t n, size_t stride);
    /// out(n) = sum over d of weights[d] * (query[d] - row[d])^2, weights(stride).
    void (*distances_weighted)(float *out, const float *query, const float *weights, const float *rows, size_t n,
                               size_t stride);
    /// out(8) = squared distance of query(dims) to eight frames stored dimension by dimension, block(dims, 8).
    /// The sum over dims has the shape of `distances`: the same bits whatever the layout.
    void (*distances_block)(float out[8], const float *query, const float *block, size_t dims);
    /// The same with weights(dims): the bits of `distances_weighted`.
    void (*distances_block_weighted)(float out[8], const float *query, const float *weights, const float *block,
                                     size_t dims);
    /// out(8) = squared distance of query(dims) to eight boxes lo(dims, 8) .. hi(dims, 8), 0 inside. With the shape
    /// of `distances` and monotonic rounding it is never above the distance to a point in the box, so that a search
    /// may prune on it without a margin.
    void (*distances_box)(float out[8], const float *query, const float *lo, const float *hi, size_t dims);

    /// out(16) = squared distance, in steps of an 8-bit grid, of a point to 16 boxes; saturates at 65535 and, for
    /// each dimension, at 127 steps. block(pairs, 64): for each pair of dimensions the low corners of 16 boxes (two
    /// bytes each, one per dimension), then the high ones. query(pairs, 64): likewise the point, rounded up, then
    /// down. Returns a bit for each box that is not beyond `limit`. When there is none it may stop early: `out` is
    /// then not set.
    unsigned (*bounds)(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query, size_t pairs,
                       uint16_t limit);
    /// The same, without the limit of 127 steps, with d * d * weight / 65536 + d * slope / 256 for the distance d in
    /// each dimension, both rounded down. factors(2 * pairs, 2, 16): a dimension's weights, then its slopes.
    unsigned (*bounds_weighted)(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query,
                                const uint16_t *factors, size_t pairs, uint16_t limit);

    /// Sum of a[i] * b[i] over n, any n.
    float (*dot)(const float *a, const float *b, size_t n);
    /// out(n_out) = W(n_out, stride) * in(stride) + bias(n_out); W and in padded with zeros to stride.
    void (*gemv)(float *out, const float *w, const float *in, const float *bias, size_t n_out, size_t stride);
    /// y[i] += a * x[i] over n, any n.
    void (*axpy)(float *y, const float *x, float a, size_t n);

    /// For each column d = x - center: sum(stride) of d and squares(stride) of d * d over rows(n, stride), in double,
    /// row after row. center(stride) may be NULL for 0.
    void (*column_moments)(double *sum, double *squares, const float *rows, const double *center, size_t n,
                           size_t stride);
    /// Smallest and largest of each column of rows(n, stride); NaNs are skipped; +inf and -inf when none is left.
    void (*column_bounds)(float *lo, float *hi, const float *rows, size_t n, size_t stride);

    /// sines(n), cosines(n) of angles(n) in radians: the bits of am_sincos. May work in place.
    void (*sincos)(float *sines, float *cosines, const float *angles, size_t n);
    /// out(n) = rotation of degrees(n, 3), item i in orders[i]: the bits of am_quat_from_euler of degrees * AM_DEG.
    /// Fastest where eight neighbours share their order.
    void (*euler)(am_quat *out, const float *degrees, const ami_euler_order *orders, size_t n);
    /// out(n) = am_quat_nlerp(a[i], b[i], t). May work in place.
    void (*nlerp)(am_quat *out, const am_quat *a, const am_quat *b, float t, size_t n);
    /// q(n) = am_quat_normalize(q[i]).
    void (*normalize)(am_quat *q, size_t n);
} ami_kernels;

/// The fastest version that this machine runs. Never NULL.
const ami_kernels *ami_kernels_pick(void);
/// Version `index` of those that this machine runs, slowest (the reference) first; NULL past the last.
const ami_kernels *ami_kernels_at(size_t index);
/// The version of that name, or NULL when this build or machine has none.
const ami_kernels *ami_kernels_named(const char *name);

/// The tables themselves; only those of the platform are linked.
extern const ami_kernels ami_kernels_reference;
extern const ami_kernels ami_kernels_sse2;
extern const ami_kernels ami_kernels_avx2;
extern const ami_kernels ami_kernels_neon;
extern const ami_kernels ami_kernels_wasm;

// Which of them this build has.
#if !defined(AMI_SCALAR) && defined(__x86_64__)
#define AMI_HAS_X86 1
#elif !defined(AMI_SCALAR) && defined(__aarch64__)
#define AMI_HAS_NEON 1
#elif !defined(AMI_SCALAR) && defined(__wasm_simd128__)
#define AMI_HAS_WASM 1
#endif

#endif
