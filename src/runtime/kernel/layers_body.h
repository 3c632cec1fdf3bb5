// The layers once for all instruction sets, over a vector of sixteen lanes.
//
// A file of an instruction set defines `v16` (sixteen floats) and `i16` (sixteen 32-bit integers) with the operations
// below, the sizes of its tiles, LAYERS_NAME, LAYERS_TABLE and LAYERS_FUSED, and includes this body. Steps and their
// order are those of layers_reference.c.
//   v16_load v16_store v16_set add sub mul div; v16_half: load sixteen 16-bit floats
//   v16_madd(a, b, c) = c + a * b, fused in fused versions
//   v16_min(a, b) = a < b ? a : b, v16_max(a, b) = a > b ? a : b (b when either is NaN)
//   v16_pick_less(a, b, x, y) = a < b ? x : y, lane by lane; v16_abs
//   v16_power(s) = 2^k of s = k + AMI_ROUND
//   v16_fold: the lanes added 8+8, 4+4, 2+2, 1+1; v16_nonzero: a bit for each lane that is not 0
//   i16_zero i16_float; i16_madd(sum, w, x): sum + the products of byte pairs w(16, 2) with the 16-bit pair x
//   v16_to_i16(q, a): sixteen integers as int16_t
// GEMV_PANELS panels (2, 4 or 8) are summed at once for a single vector; a tile of a batch has TILE_ITEMS x
// TILE_PANELS sums. With LAYERS_PLACES a file brings its own places(). The file is no header in the usual sense: it
// is included once by each of those files.
#include "base/coefficients.h"
#include <amble/math.h>

#include <string.h>

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

// Every number of panels below GEMV_PANELS.
#if GEMV_PANELS == 8
#define EACH_REST REST(1) REST(2) REST(3) REST(4) REST(5) REST(6) REST(7)
#elif GEMV_PANELS == 4
#define EACH_REST REST(1) REST(2) REST(3)
#else
#define EACH_REST REST(1)
#endif

// ---------------------------------------------------------------------------------------------
// One vector

INLINE void gemv_panels(float *out, const ami_matrix *m, size_t p, const float *x, const uint32_t *index,
                        size_t count, const int panels, const bool half)
{
    v16 sum[GEMV_PANELS];
    const size_t stride = m->n_in * AMI_PANEL;
    UNROLL for (int i = 0; i < panels; i++) { sum[i] = v16_load(m->bias + (p + (size_t)i) * AMI_PANEL); }
    for (size_t k = 0; k < count; k++) {
        size_t c = index ? index[k] : k;
        v16 xs = v16_set(x[c]);
        size_t at = p * stride + c * AMI_PANEL;
        UNROLL for (int i = 0; i < panels; i++)
        {
            v16 w = half ? v16_half(m->w16 + at + (size_t)i * stride) : v16_load(m->w32 + at + (size_t)i * stride);
            sum[i] = v16_madd(w, xs, sum[i]);
        }
    }
    UNROLL for (int i = 0; i < panels; i++) { v16_store(out + (p + (size_t)i) * AMI_PANEL, sum[i]); }
}

/// The last panels, fewer than GEMV_PANELS, in one go: each alone would wait for its own additions.
INLINE void gemv_rest(float *out, const ami_matrix *m, size_t p, const float *x, const uint32_t *index, size_t count,
                      const bool half)
{
    switch (m->panels - p) {
#define REST(n)                                                                                                      \
    case n:                                                                                                          \
        gemv_panels(out, m, p, x, index, count, n, half);                                                            \
        break;
        EACH_REST
#undef REST
    default:
        break;
    }
}

INLINE void gemv(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count,
                 const bool half)
{
    size_t p = 0;
    for (; p + GEMV_PANELS <= m->panels; p += GEMV_PANELS) {
        gemv_panels(out, m, p, x, index, count, GEMV_PANELS, half);
    }
    gemv_rest(out, m, p, x, index, count, half);
}

static void gemv32(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count)
{
    if (index) {
        gemv(out, m, x, index, count, false);
    } else {
        gemv(out, m, x, NULL, count, false);
    }
}

static void gemv16(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count)
{
    if (index) {
        gemv(out, m, x, index, count, true);
    } else {
        gemv(out, m, x, NULL, count, true);
    }
}

INLINE void gemv8_panels(float *out, const ami_matrix *m, size_t p, const int32_t *pairs, const uint32_t *index,
                         size_t count, float x_scale, const int panels)
{
    i16 sum[GEMV_PANELS];
    const size_t stride = (m->n_in + 1) / 2 * AMI_PANEL * 2;
    const int8_t *w = m->w8 + p * stride;
    UNROLL for (int i = 0; i < panels; i++) { sum[i] = i16_zero(); }
    for (size_t k = 0; k < count; k++) {
        size_t c = index ? index[k] : k;
        const int8_t *at = w + c * AMI_PANEL * 2;
        UNROLL for (int i = 0; i < panels; i++) { sum[i] = i16_madd(sum[i], at + (size_t)i * stride, pairs[c]); }
    }
    UNROLL for (int i = 0; i < panels; i++)
    {
        size_t row = (p + (size_t)i) * AMI_PANEL;
        v16 scale = v16_mul(v16_load(m->scale + row), v16_set(x_scale));
        v16_store(out + row, v16_add(v16_mul(i16_float(sum[i]), scale), v16_load(m->bias + row)));
    }
}

INLINE void gemv8_any(float *out, const ami_matrix *m, const int32_t *pairs, const uint32_t *index, size_t count,
                      float x_scale)
{
    size_t p = 0;
    for (; p + GEMV_PANELS <= m->panels; p += GEMV_PANELS) {
        gemv8_panels(out, m, p, pairs, index, count, x_scale, GEMV_PANELS);
    }
    switch (m->panels - p) {
#define REST(n)                                                                                                      \
    case n:                                                                                                          \
        gemv8_panels(out, m, p, pairs, index, count, x_scale, n);                                                    \
        break;
        EACH_REST
#undef REST
    default:
        break;
    }
}

static void gemv8(float *out, const ami_matrix *m, const int32_t *pairs, const uint32_t *index, size_t count,
                  float x_scale)
{
    if (index) {
        gemv8_any(out, m, pairs, index, count, x_scale);
    } else {
        gemv8_any(out, m, pairs, NULL, count, x_scale);
    }
}

// ---------------------------------------------------------------------------------------------
// A batch

// Columns are taken in blocks, so that the weights of one, read again for each few items, and the inputs of those
// items stay in the first cache: 32 + 12 KiB with AVX-512. Between blocks the sums are kept in `out`; their order is
// unchanged.

/// A block of columns of weights w(panels, w_stride, 16), and inputs and outputs in rows.
typedef struct block {
    float *out;
    size_t out_stride;
    const float *w;
    size_t w_stride;
    size_t columns;
    const float *x;
    size_t x_stride;
    const float *from; ///< sums so far: the biases with stride 0, or `out`
    size_t from_stride;
} block;

/// Items i .. i + items - 1 against `panels` panels.
INLINE void tile(const block *b, size_t i, const int items, const int panels)
{
    v16 sum[TILE_ITEMS][TILE_PANELS];
    UNROLL for (int t = 0; t < items; t++)
    {
        const float *from = b->from + (i + (size_t)t) * b->from_stride;
        UNROLL for (int p = 0; p < panels; p++) { sum[t][p] = v16_load(from + p * AMI_PANEL); }
    }
    const float *x = b->x + i * b->x_stride, *w = b->w;
    const size_t columns = b->columns, w_stride = b->w_stride, x_stride = b->x_stride;
    for (size_t k = 0; k < columns; k++) {
        v16 ws[TILE_PANELS];
        UNROLL for (int p = 0; p < panels; p++) { ws[p] = v16_load(w + ((size_t)p * w_stride + k) * AMI_PANEL); }
        UNROLL for (int t = 0; t < items; t++)
        {
            v16 xs = v16_set(x[(size_t)t * x_stride + k]);
            UNROLL for (int p = 0; p < panels; p++) { sum[t][p] = v16_madd(ws[p], xs, sum[t][p]); }
        }
    }
    UNROLL for (int t = 0; t < items; t++)
    {
        float *out = b->out + (i + (size_t)t) * b->out_stride;
        UNROLL for (int p = 0; p < panels; p++) { v16_store(out + p * AMI_PANEL, sum[t][p]); }
    }
}

/// All items against `panels` panels.
INLINE void tiles(const block *b, size_t items, const int panels)
{
    size_t i = 0;
    for (; i + TILE_ITEMS <= items; i += TILE_ITEMS) {
        tile(b, i, TILE_ITEMS, panels);
    }
    for (; i + 2 <= items; i += 2) {
        tile(b, i, 2, panels);
    }
    for (; i < items; i++) {
        tile(b, i, 1, panels);
    }
}

static void tiles_many(const block *b, size_t items) { tiles(b, items, TILE_PANELS); }
static void tiles_one(const block *b, size_t items) { tiles(b, items, 1); }

/// One block of `panels` panels of 16-bit weights as floats.
INLINE void unpack(float *room, const uint16_t *half, size_t w_stride, size_t columns, size_t panels)
{
    for (size_t p = 0; p < panels; p++) {
        for (size_t i = 0; i < columns * AMI_PANEL; i += 16) {
            v16_store(room + p * columns * AMI_PANEL + i, v16_half(half + p * w_stride * AMI_PANEL + i));
        }
    }
}

/// 32-bit weights, or 16-bit ones through `room`.
INLINE void gemm(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items,
                 float *room)
{
    for (size_t p = 0; p < m->panels;) {
        size_t panels = p + TILE_PANELS <= m->panels ? TILE_PANELS : 1;
        block b = { out + p * AMI_PANEL, out_stride, NULL, m->n_in, 0, x, x_stride, m->bias + p * AMI_PANEL, 0 };
        for (size_t k = 0; k < m->n_in; k += b.columns) {
            size_t at = (p * m->n_in + k) * AMI_PANEL;
            b.columns = m->n_in - k < AMI_BLOCK ? m->n_in - k : AMI_BLOCK;
            b.x = x + k;
            if (room) {
                unpack(room, m->w16 + at, m->n_in, b.columns, panels);
                b.w = room;
                b.w_stride = b.columns;
            } else {
                b.w = m->w32 + at;
            }
            if (panels == TILE_PANELS) {
                tiles_many(&b, items);
            } else {
                tiles_one(&b, items);
            }
            b.from = b.out;
            b.from_stride = out_stride;
        }
        p += panels;
    }
}

static void gemm32(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items)
{
    gemm(out, out_stride, m, x, x_stride, items, NULL);
}

static void gemm16(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items,
                   float *room)
{
    gemm(out, out_stride, m, x, x_stride, items, room);
}

/// `items` items of 8-bit weights against one panel.
INLINE void tile8(float *out, size_t out_stride, const ami_matrix *m, size_t p, const int32_t *pairs,
                  size_t pair_stride, const float *x_scale, const int items)
{
    i16 sum[4];
    size_t count = (m->n_in + 1) / 2;
    const int8_t *w = m->w8 + p * count * AMI_PANEL * 2;
    UNROLL for (int i = 0; i < items; i++) { sum[i] = i16_zero(); }
    for (size_t k = 0; k < count; k++) {
        UNROLL for (int i = 0; i < items; i++)
        {
            sum[i] = i16_madd(sum[i], w + k * AMI_PANEL * 2, pairs[(size_t)i * pair_stride + k]);
        }
    }
    size_t row = p * AMI_PANEL;
    UNROLL for (int i = 0; i < items; i++)
    {
        v16 scale = v16_mul(v16_load(m->scale + row), v16_set(x_scale[i]));
        v16_store(out + (size_t)i * out_stride + row,
                  v16_add(v16_mul(i16_float(sum[i]), scale), v16_load(m->bias + row)));
    }
}

static void gemm8(float *out, size_t out_stride, const ami_matrix *m, const int32_t *pairs, size_t pair_stride,
                  const float *x_scale, size_t items)
{
    for (size_t p = 0; p < m->panels; p++) {
        size_t i = 0;
        for (; i + 4 <= items; i += 4) {
            tile8(out + i * out_stride, out_stride, m, p, pairs + i * pair_stride, pair_stride, x_scale + i, 4);
        }
        for (; i < items; i++) {
            tile8(out + i * out_stride, out_stride, m, p, pairs + i * pair_stride, pair_stride, x_scale + i, 1);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Inputs

#ifndef LAYERS_PLACES
/// first + the places of the bits of mask, ascending; `out` has room for 16.
INLINE void places(uint32_t *out, unsigned mask, uint32_t first)
{
    for (; mask; mask &= mask - 1) {
        *out++ = first + (uint32_t)__builtin_ctz(mask);
    }
}
#endif

static size_t nonzeros(uint32_t *index, const float *x, size_t n, size_t most)
{
    size_t count = 0, whole = n / 16 * 16;
    for (size_t i = 0; i < whole; i += 16) {
        count += (size_t)__builtin_popcount(v16_nonzero(v16_load(x + i)));
    }
    for (size_t i = whole; i < n; i++) {
        count += x[i] != 0.0f;
    }
    if (count >= most) {
        return count;
    }
    uint32_t *at = index;
    for (size_t i = 0; i < whole; i += 16) {
        unsigned mask = v16_nonzero(v16_load(x + i));
        places(at, mask, (uint32_t)i);
        at += __builtin_popcount(mask);
    }
    for (size_t i = whole; i < n; i++) {
        *at = (uint32_t)i;
        at += x[i] != 0.0f;
    }
    return count;
}

/// A last vector of fewer than 16 numbers, filled up with zeros.
INLINE v16 load_tail(const float *x, size_t n)
{
    float room[16] = { 0 };
    for (size_t i = 0; i < n; i++) {
        room[i] = x[i];
    }
    return v16_load(room);
}

/// Whole numbers of one vector.
INLINE void round_to(int16_t *q, v16 a, v16 up)
{
    v16 round = v16_set(AMI_ROUND);
    v16_to_i16(q, v16_sub(v16_add(v16_mul(a, up), round), round));
}

static float quantise(int16_t *q, const float *x, size_t n, int most)
{
    // Largest and check may be gathered in any order: a sum of zeros is 0, one with a NaN is NaN.
    v16 zero = v16_set(0.0f), largest[2] = { zero, zero }, check[2] = { zero, zero };
    size_t whole = n / 32 * 32;
    for (size_t i = 0; i < whole; i += 32) {
        UNROLL for (int k = 0; k < 2; k++)
        {
            v16 a = v16_load(x + i + 16 * k);
            largest[k] = v16_max(v16_abs(a), largest[k]);
            check[k] = v16_add(check[k], v16_mul(a, zero));
        }
    }
    for (size_t i = whole; i < n; i += 16) {
        v16 a = i + 16 <= n ? v16_load(x + i) : load_tail(x + i, n - i);
        largest[0] = v16_max(v16_abs(a), largest[0]);
        check[0] = v16_add(check[0], v16_mul(a, zero));
    }
    float lane[16], most_seen = 0.0f;
    v16_store(lane, v16_max(largest[0], largest[1]));
    for (int i = 0; i < 16; i++) {
        most_seen = am_max(lane[i], most_seen);
    }
    float bad = v16_fold(v16_add(check[0], check[1]));
    if (bad != 0.0f) {
        return bad;
    }
    v16 up = v16_set(most_seen > 1e-30f ? (float)most / most_seen : 0.0f);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        round_to(q + i, v16_load(x + i), up);
    }
    if (i < n) {
        int16_t last[16];
        round_to(last, load_tail(x + i, n - i), up);
        memcpy(q + i, last, (n - i) * sizeof *q);
    }
    return most_seen / (float)most;
}

// ---------------------------------------------------------------------------------------------
// Activations

/// a * b + c, rounded twice even in fused versions.
INLINE v16 poly(v16 a, v16 b, float c) { return v16_add(v16_mul(a, b), v16_set(c)); }

INLINE v16 exp_negative(v16 x)
{
    x = v16_max(v16_set(-87.0f), x);
    v16 round = v16_set(AMI_ROUND);
    v16 sum = v16_add(v16_mul(x, v16_set(AMI_LOG2_E)), round);
    v16 k = v16_sub(sum, round);
    v16 r = v16_sub(v16_sub(x, v16_mul(k, v16_set(AMI_LN2_1))), v16_mul(k, v16_set(AMI_LN2_2)));
    v16 p = poly(v16_set(AMI_EXP_4), r, AMI_EXP_3);
    p = poly(p, r, AMI_EXP_2);
    p = poly(p, r, AMI_EXP_1);
    p = poly(p, r, AMI_EXP_0);
    v16 e = v16_add(v16_set(1.0f), v16_add(r, v16_mul(v16_mul(r, r), p)));
    return v16_mul(e, v16_power(sum));
}

INLINE v16 relu(v16 x)
{
    v16 zero = v16_set(0.0f);
    return v16_pick_less(x, zero, zero, x);
}

INLINE v16 elu(v16 x)
{
    v16 zero = v16_set(0.0f);
    v16 low = v16_sub(exp_negative(v16_min(zero, x)), v16_set(1.0f));
    return v16_pick_less(zero, x, x, low);
}

INLINE v16 gelu(v16 x)
{
    v16 zero = v16_set(0.0f);
    v16 a = v16_min(v16_set(9.0f), v16_abs(x));
    v16 q = poly(v16_set(AMI_GELU_8), a, AMI_GELU_7);
    q = poly(q, a, AMI_GELU_6);
    q = poly(q, a, AMI_GELU_5);
    q = poly(q, a, AMI_GELU_4);
    q = poly(q, a, AMI_GELU_3);
    q = poly(q, a, AMI_GELU_2);
    q = poly(q, a, AMI_GELU_1);
    q = poly(q, a, AMI_GELU_0);
    v16 tail = v16_mul(v16_mul(v16_set(0.5f), x), exp_negative(v16_sub(zero, v16_mul(q, a))));
    return v16_pick_less(zero, x, v16_sub(x, tail), tail);
}

INLINE v16 tanh_of(v16 x)
{
    v16 zero = v16_set(0.0f), one = v16_set(1.0f), a = v16_abs(x), z = v16_mul(x, x);
    v16 p = poly(v16_set(AMI_TANH_4), z, AMI_TANH_3);
    p = poly(p, z, AMI_TANH_2);
    p = poly(p, z, AMI_TANH_1);
    p = poly(p, z, AMI_TANH_0);
    v16 e = exp_negative(v16_mul(v16_set(-2.0f), a));
    v16 t = v16_div(v16_sub(one, e), v16_add(one, e));
    t = v16_pick_less(x, zero, v16_sub(zero, t), t);
    v16 small = v16_add(x, v16_mul(v16_mul(x, z), p));
    return v16_pick_less(a, v16_set(AMI_TANH_SMALL), small, t);
}

INLINE v16 sigmoid(v16 x)
{
    v16 zero = v16_set(0.0f), one = v16_set(1.0f);
    v16 e = exp_negative(v16_mul(v16_set(-1.0f), v16_abs(x)));
    v16 s = v16_div(one, v16_add(one, e));
    return v16_pick_less(x, zero, v16_mul(e, s), s);
}

INLINE v16 activated(v16 x, ami_activation which)
{
    switch (which) {
    case AMI_ACT_RELU:
        return relu(x);
    case AMI_ACT_ELU:
        return elu(x);
    case AMI_ACT_GELU:
        return gelu(x);
    case AMI_ACT_TANH:
        return tanh_of(x);
    default:
        return sigmoid(x);
    }
}

INLINE void activate_all(float *x, size_t n, const ami_activation which)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        v16_store(x + i, activated(v16_load(x + i), which));
    }
    if (i < n) {
        float room[16];
        v16_store(room, activated(load_tail(x + i, n - i), which));
        for (size_t k = 0; i + k < n; k++) {
            x[i + k] = room[k];
        }
    }
}

static void activate(float *x, size_t n, ami_activation which)
{
    switch (which) {
    case AMI_ACT_RELU:
        activate_all(x, n, AMI_ACT_RELU);
        break;
    case AMI_ACT_ELU:
        activate_all(x, n, AMI_ACT_ELU);
        break;
    case AMI_ACT_GELU:
        activate_all(x, n, AMI_ACT_GELU);
        break;
    case AMI_ACT_TANH:
        activate_all(x, n, AMI_ACT_TANH);
        break;
    case AMI_ACT_SIGMOID:
        activate_all(x, n, AMI_ACT_SIGMOID);
        break;
    default:
        break;
    }
}

// ---------------------------------------------------------------------------------------------
// Layer normalisation

static void layer_norm(float *out, const float *x, const float *gain, const float *shift, size_t n, float eps)
{
    size_t whole = n / 16 * 16;
    v16 sum = v16_set(0.0f), squares = sum;
    for (size_t i = 0; i < whole; i += 16) {
        sum = v16_add(sum, v16_load(x + i));
    }
    float lane[16];
    v16_store(lane, sum);
    for (size_t i = whole; i < n; i++) {
        lane[i % 16] += x[i];
    }
    float mean = v16_fold(v16_load(lane)) / (float)n;
    v16 middle = v16_set(mean);
    for (size_t i = 0; i < whole; i += 16) {
        v16 d = v16_sub(v16_load(x + i), middle);
        squares = v16_add(squares, v16_mul(d, d));
    }
    v16_store(lane, squares);
    for (size_t i = whole; i < n; i++) {
        float d = x[i] - mean;
        lane[i % 16] += d * d;
    }
    float scale = 1.0f / sqrtf(v16_fold(v16_load(lane)) / (float)n + eps);
    v16 scales = v16_set(scale);
    for (size_t i = 0; i < whole; i += 16) {
        v16 d = v16_mul(v16_mul(v16_sub(v16_load(x + i), middle), scales), v16_load(gain + i));
        v16_store(out + i, v16_add(d, v16_load(shift + i)));
    }
    for (size_t i = whole; i < n; i++) {
        out[i] = (x[i] - mean) * scale * gain[i] + shift[i];
    }
}

const ami_layers LAYERS_TABLE = {
    .name = LAYERS_NAME,
    .fused = LAYERS_FUSED,
    .gemv32 = gemv32,
    .gemv16 = gemv16,
    .gemv8 = gemv8,
    .gemm32 = gemm32,
    .gemm16 = gemm16,
    .gemm8 = gemm8,
    .nonzeros = nonzeros,
    .quantise = quantise,
    .activate = activate,
    .layer_norm = layer_norm,
};
