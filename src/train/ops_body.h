/// Element-wise halves of the layers, and the table of all functions. Included once for each instruction set and
/// number type by a file that defines `real`, REAL_IS_DOUBLE, VEC_BYTES, TILE_ROWS, TABLE, TABLE_TYPE and ISA.
#include "train/ops.h"

#include <math.h>

#include "train/gemm_body.h"

// ---------------------------------------------------------------------------------------------
// Functions that the compiler can vectorise: no branches, no calls in float

#if REAL_IS_DOUBLE
static inline real exp_of(real x) { return exp(x); }
static inline real expm1_of(real x) { return expm1(x); }
static inline real erf_of(real x, real gauss)
{
    (void)gauss;
    return erf(x);
}
#else
/// exp by a power of two and a polynomial of degree 6 on [-ln 2 / 2, ln 2 / 2]; relative error 2e-7.
static inline real exp_of(real x)
{
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    const real shift = 12582912.0f; // 1.5 * 2^23: adding it rounds to a whole number
    real n = x * 1.44269504f + shift;
    n -= shift;
    real f = x - n * 0.693359375f;
    f += n * 2.12194440e-4f;
    real p = 1.3888889e-3f;
    p = p * f + 8.3333333e-3f;
    p = p * f + 4.1666667e-2f;
    p = p * f + 1.6666667e-1f;
    p = p * f + 0.5f;
    p = p * f + 1.0f;
    p = p * f + 1.0f;
    const int32_t bits = ((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/// exp(x) - 1 for x <= 0, by its series near 0, where the difference would lose its digits.
static inline real expm1_of(real x)
{
    const real series = x * (1.0f + x * (0.5f + x * (0.16666667f + x * 0.041666667f)));
    const real plain = exp_of(x) - 1.0f;
    return x > -0.02f ? series : plain;
}

/// erf after Abramowitz and Stegun 7.1.26, absolute error 1.5e-7; gauss is exp(-x^2).
static inline real erf_of(real x, real gauss)
{
    const real a = fabsf(x);
    const real t = 1.0f / (1.0f + 0.3275911f * a);
    real p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const real y = 1.0f - p * t * gauss;
    return x < 0.0f ? -y : y;
}
#endif

/// Goes before a loop whose iterations are independent although its arrays may be the same. In double the loop has
/// calls, which cannot be vectorised.
#if REAL_IS_DOUBLE
#define IN_STEP
#elif defined(__clang__)
#if __has_feature(address_sanitizer)
#define IN_STEP // instrumented loops cannot become vectors, and clang warns of a hint that it cannot follow
#else
#define IN_STEP _Pragma("clang loop vectorize(assume_safety)")
#endif
#else
#define IN_STEP _Pragma("GCC ivdep")
#endif

static inline real sigmoid_of(real x) { return (real)1 / ((real)1 + exp_of(-x)); }
static inline real tanh_of(real x) { return (real)1 - (real)2 / (exp_of((real)2 * x) + (real)1); }

/// y may be x or any other array. IN_STEP says so to the compiler, which would otherwise check for overlap and fall
/// back to scalar code.
static void activate(real *y, const real *x, size_t count, ami_activation kind)
{
    switch (kind) {
    case AMI_RELU:
        IN_STEP
        for (size_t i = 0; i < count; i++) {
            y[i] = x[i] < (real)0 ? (real)0 : x[i]; // a NaN stays one, so that the loss shows it
        }
        break;
    case AMI_ELU:
        IN_STEP
        for (size_t i = 0; i < count; i++) {
            const real low = expm1_of(x[i] < (real)0 ? x[i] : (real)0);
            y[i] = x[i] > (real)0 ? x[i] : low;
        }
        break;
    case AMI_GELU:
        for (size_t i = 0; i < count; i++) {
            const real u = x[i] * (real)0.70710678118654752440;
            y[i] = (real)0.5 * x[i] * ((real)1 + erf_of(u, exp_of(-u * u)));
        }
        break;
    case AMI_TANH:
        IN_STEP
        for (size_t i = 0; i < count; i++) {
            y[i] = tanh_of(x[i]);
        }
        break;
    case AMI_SIGMOID:
        IN_STEP
        for (size_t i = 0; i < count; i++) {
            y[i] = sigmoid_of(x[i]);
        }
        break;
    }
}

/// f'(x) where y = f(x).
static inline __attribute__((always_inline)) real slope(real x, real y, const ami_activation kind)
{
    switch (kind) {
    case AMI_RELU:
        return x > (real)0 ? (real)1 : (real)0;
    case AMI_ELU:
        return x > (real)0 ? (real)1 : y + (real)1;
    case AMI_GELU: {
        const real u = x * (real)0.70710678118654752440;
        const real gauss = exp_of(-u * u);
        return (real)0.5 * ((real)1 + erf_of(u, gauss)) + x * gauss * (real)0.39894228040143267794;
    }
    case AMI_TANH:
        return (real)1 - y * y;
    case AMI_SIGMOID:
        return y * ((real)1 - y);
    }
    return (real)0;
}

static inline __attribute__((always_inline)) void slope_all(real *dx, const real *dy, const real *x, const real *y,
                                                            size_t count, const ami_activation kind, bool add)
{
    if (add) {
        for (size_t i = 0; i < count; i++) {
            dx[i] += dy[i] * slope(x[i], y[i], kind);
        }
    } else {
        IN_STEP // dx may be dy
            for (size_t i = 0; i < count; i++)
        {
            dx[i] = dy[i] * slope(x[i], y[i], kind);
        }
    }
}

static void activate_back(real *dx, const real *dy, const real *x, const real *y, size_t count, ami_activation kind,
                          bool add)
{
    switch (kind) {
    case AMI_RELU:
        slope_all(dx, dy, x, y, count, AMI_RELU, add);
        break;
    case AMI_ELU:
        slope_all(dx, dy, x, y, count, AMI_ELU, add);
        break;
    case AMI_GELU:
        slope_all(dx, dy, x, y, count, AMI_GELU, add);
        break;
    case AMI_TANH:
        slope_all(dx, dy, x, y, count, AMI_TANH, add);
        break;
    case AMI_SIGMOID:
        slope_all(dx, dy, x, y, count, AMI_SIGMOID, add);
        break;
    }
}

// ---------------------------------------------------------------------------------------------
// Products

static void forward(real *y, const real *w, const real *bias, const real *x, int m, int k, int n)
{
    const tile t = { .y = y,
                     .a = w,
                     .x = x,
                     .ldy = n,
                     .lda = k,
                     .ldx = n,
                     .x_panel = AMI_PANEL,
                     .k = k,
                     .slots = 1,
                     .bias = bias,
                     .ahead = (ptrdiff_t)TILE_ROWS * k };
    product(&t, m, n);
}

static void backward(real *dx, const real *w, const real *dy, int m, int k, int n, bool add)
{
    const tile t = { .y = dx,
                     .a = w,
                     .x = dy,
                     .ldy = n,
                     .lda = k,
                     .ldx = n,
                     .x_panel = AMI_PANEL,
                     // The columns of the next tiles lie next to these, a whole row apart: hardware prefetch does not
                     // follow that.
                     .ahead = 64 / sizeof(real),
                     .k = m,
                     .slots = 1,
                     .transposed = true,
                     .add = add };
    product(&t, k, n);
}

static void banded(real *y, const real *bands, const real *bias, const real *x, int m, int k, int n, bool add)
{
    const tile t = { .y = y,
                     .a = bands,
                     .x = x,
                     .ldy = n,
                     .lda = AMI_BAND,
                     .ldx = n,
                     .ahead = 512 / sizeof(real), // 145 without, 175 with it, of the 179 GFLOP/s that there are
                     .k = k,
                     .slots = 1,
                     .transposed = true,
                     .add = add,
                     .bias = bias };
    product_of_bands(&t, m, n);
}

static void weights(real *dw, const real *dy, const real *xt, int rows, int k, int n, int slots, ptrdiff_t dy_slot,
                    ptrdiff_t xt_slot, bool add)
{
    const tile t = { .y = dw,
                     .a = dy,
                     .x = xt,
                     .ldy = k,
                     .lda = n,
                     .ldx = AMI_PANEL,
                     .x_panel = (ptrdiff_t)n * AMI_PANEL,
                     .a_slot = dy_slot,
                     .x_slot = xt_slot,
                     .k = n,
                     .slots = slots,
                     .add = add };
    product(&t, rows, k);
}

static void row_sums(real *db, const real *dy, int rows, int n, int slots, ptrdiff_t dy_slot, bool add)
{
    for (int r = 0; r < rows; r++) {
        vec sum = { 0 };
        for (int s = 0; s < slots; s++) {
            const real *row = dy + s * dy_slot + (ptrdiff_t)r * n;
            for (int c = 0; c < n; c += lanes) {
                sum += *(const vec *)(row + c);
            }
        }
        real total = (real)0;
        for (int l = 0; l < lanes; l++) {
            total += sum[l];
        }
        db[r] = add ? db[r] + total : total;
    }
}

typedef real four __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));

/// to(4, 4) = from(4, 4)^T in registers.
static inline void transpose_4(real *to, ptrdiff_t ldx, const real *from, ptrdiff_t n)
{
    const four a = *(const four *)from, b = *(const four *)(from + n);
    const four c = *(const four *)(from + 2 * n), d = *(const four *)(from + 3 * n);
    const four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)to = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *(four *)(to + ldx) = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *(four *)(to + 2 * ldx) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *(four *)(to + 3 * ldx) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// to(16, 16) = from(16, 16)^T.
static inline void turn_square(real *to, ptrdiff_t ld_to, const real *from, ptrdiff_t ld_from)
{
#if defined(TRANSPOSE_16)
    TRANSPOSE_16(to, ld_to, from, ld_from);
#else
    for (int c = 0; c < 16; c += 4) {
        for (int r = 0; r < 16; r += 4) {
            transpose_4(to + c * ld_to + r, ld_to, from + r * ld_from + c, ld_from);
        }
    }
#endif
}

static void transpose(real *xt, const real *x, int k, int n)
{
    for (int p = 0; p < k; p += AMI_PANEL, xt += (ptrdiff_t)n * AMI_PANEL) {
        const int rows = k - p < AMI_PANEL ? k - p : AMI_PANEL;
        const real *from = x + (ptrdiff_t)p * n;
        for (int c = 0; c < n; c += AMI_COLUMNS) {
            real *to = xt + (ptrdiff_t)c * AMI_PANEL;
            int r = 0;
            for (; r + 16 <= rows; r += 16) {
                turn_square(to + r, AMI_PANEL, from + (ptrdiff_t)r * n + c, n);
            }
            for (; r < AMI_PANEL; r++) {
                for (int i = 0; i < AMI_COLUMNS; i++) {
                    to[(ptrdiff_t)i * AMI_PANEL + r] = r < rows ? from[(ptrdiff_t)r * n + c + i] : (real)0;
                }
            }
        }
    }
}

static void band_rows(real *bands, const real *w, int m, int k, int first, int stop)
{
    for (int b = first; b < stop; b++) {
        const int rows = m - b * AMI_BAND < AMI_BAND ? m - b * AMI_BAND : AMI_BAND;
        const real *from = w + (ptrdiff_t)b * AMI_BAND * k;
        real *to = bands + (ptrdiff_t)b * AMI_BAND * k;
        int i = 0;
        for (; rows == AMI_BAND && i + 16 <= k; i += 16) {
            turn_square(to + (ptrdiff_t)i * AMI_BAND, AMI_BAND, from + i, k);
        }
        for (; i < k; i++) {
            for (int r = 0; r < AMI_BAND; r++) {
                to[(ptrdiff_t)i * AMI_BAND + r] = r < rows ? from[(ptrdiff_t)r * k + i] : (real)0;
            }
        }
    }
}

static void band_columns(real *bands, const real *w, int m, int k, int first, int stop)
{
    for (int b = first; b < stop; b++) {
        const int columns = k - b * AMI_BAND < AMI_BAND ? k - b * AMI_BAND : AMI_BAND;
        real *to = bands + (ptrdiff_t)b * AMI_BAND * m;
        for (int r = 0; r < m; r++, to += AMI_BAND) {
            memset(to, 0, AMI_BAND * sizeof *to);
            memcpy(to, w + (ptrdiff_t)r * k + (ptrdiff_t)b * AMI_BAND, (size_t)columns * sizeof *to);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Layer norm: each column by itself, sums in the order of the features

static void norm(real *y, real *stats, const real *x, const real *gain, const real *shift, int w, int n, real eps)
{
    real *mean = stats, *scale = stats + n;
    memset(stats, 0, 2 * (size_t)n * sizeof *stats);
    for (int r = 0; r < w; r++) {
        for (int c = 0; c < n; c++) {
            mean[c] += x[(ptrdiff_t)r * n + c];
        }
    }
    for (int c = 0; c < n; c++) {
        mean[c] /= (real)w;
    }
    for (int r = 0; r < w; r++) {
        for (int c = 0; c < n; c++) {
            const real d = x[(ptrdiff_t)r * n + c] - mean[c];
            scale[c] += d * d;
        }
    }
    for (int c = 0; c < n; c++) {
        scale[c] = (real)1 / (real)sqrt((double)(scale[c] / (real)w + eps));
    }
    for (int r = 0; r < w; r++) {
        for (int c = 0; c < n; c++) {
            y[(ptrdiff_t)r * n + c] = (x[(ptrdiff_t)r * n + c] - mean[c]) * scale[c] * gain[r] + shift[r];
        }
    }
}

/// With g = dy * gain and u = (x - mean) * scale: dx = scale * (g - mean g - u * mean(g u)).
static void norm_back(real *dx, const real *dy, const real *x, const real *stats, const real *gain, int w, int n,
                      bool add)
{
    const real *mean = stats, *scale = stats + n;
    enum { part = AMI_COLUMNS };
    for (int c0 = 0; c0 < n; c0 += part) {
        real g_sum[part] = { 0 }, gu_sum[part] = { 0 };
        for (int r = 0; r < w; r++) {
            const ptrdiff_t at = (ptrdiff_t)r * n + c0;
            for (int c = 0; c < part; c++) {
                const real g = dy[at + c] * gain[r];
                g_sum[c] += g;
                gu_sum[c] += g * (x[at + c] - mean[c0 + c]) * scale[c0 + c];
            }
        }
        for (int c = 0; c < part; c++) {
            g_sum[c] /= (real)w;
            gu_sum[c] /= (real)w;
        }
        for (int r = 0; r < w; r++) {
            const ptrdiff_t at = (ptrdiff_t)r * n + c0;
            for (int c = 0; c < part; c++) {
                const real u = (x[at + c] - mean[c0 + c]) * scale[c0 + c];
                const real d = scale[c0 + c] * (dy[at + c] * gain[r] - g_sum[c] - u * gu_sum[c]);
                dx[at + c] = add ? dx[at + c] + d : d;
            }
        }
    }
}

static void norm_weights(real *dgain, real *dshift, const real *dy, const real *x, const real *stats, int w, int n,
                         int slots, ptrdiff_t span, ptrdiff_t stats_span, bool add)
{
    for (int r = 0; r < w; r++) {
        vec gain = { 0 }, shift = { 0 };
        for (int s = 0; s < slots; s++) {
            const ptrdiff_t at = s * span + (ptrdiff_t)r * n;
            const real *mean = stats + s * stats_span, *scale = mean + n;
            for (int c = 0; c < n; c += lanes) {
                const vec g = *(const vec *)(dy + at + c);
                const vec u = *(const vec *)(x + at + c) - *(const vec *)(mean + c);
                gain += g * u * *(const vec *)(scale + c);
                shift += g;
            }
        }
        real gain_sum = (real)0, shift_sum = (real)0;
        for (int l = 0; l < lanes; l++) {
            gain_sum += gain[l];
            shift_sum += shift[l];
        }
        dgain[r] = add ? dgain[r] + gain_sum : gain_sum;
        dshift[r] = add ? dshift[r] + shift_sum : shift_sum;
    }
}

// ---------------------------------------------------------------------------------------------
// GRU, PyTorch's cell: r, z = sigmoid(gi + gh), n = tanh(gi_n + r gh_n), y = (1 - z) n + z h

static void gru(real *y, real *gates, const real *gi, const real *gh, const real *h, int units, int n)
{
    const size_t count = (size_t)units * (size_t)n;
    for (size_t i = 0; i < 2 * count; i++) {
        gates[i] = sigmoid_of(gi[i] + gh[i]);
    }
    const real *r = gates, *z = gates + count;
    real *candidate = gates + 2 * count;
    for (size_t i = 0; i < count; i++) {
        candidate[i] = tanh_of(gi[2 * count + i] + r[i] * gh[2 * count + i]);
        y[i] = ((real)1 - z[i]) * candidate[i] + z[i] * h[i];
    }
}

static void gru_back(real *dgi, real *dgh, real *dh, const real *dy, const real *gates, const real *gh, const real *h,
                     int units, int n, bool add)
{
    const size_t count = (size_t)units * (size_t)n;
    const real *r = gates, *z = gates + count, *candidate = gates + 2 * count;
    for (size_t i = 0; i < count; i++) {
        const real dn = dy[i] * ((real)1 - z[i]) * ((real)1 - candidate[i] * candidate[i]);
        const real dz = dy[i] * (h[i] - candidate[i]) * z[i] * ((real)1 - z[i]);
        const real dr = dn * gh[2 * count + i] * r[i] * ((real)1 - r[i]);
        dgi[i] = dr;
        dgh[i] = dr;
        dgi[count + i] = dz;
        dgh[count + i] = dz;
        dgi[2 * count + i] = dn;
        dgh[2 * count + i] = dn * r[i];
        dh[i] = (add ? dh[i] : (real)0) + dy[i] * z[i];
    }
}

// ---------------------------------------------------------------------------------------------
// The rest

static void affine(real *y, const real *x, const real *scale, const real *offset, int w, int n, bool add)
{
    for (int r = 0; r < w; r++) {
        const real s = scale[r], o = offset ? offset[r] : (real)0;
        for (int c = 0; c < n; c++) {
            const ptrdiff_t i = (ptrdiff_t)r * n + c;
            const real v = x[i] * s + o;
            y[i] = add ? y[i] + v : v;
        }
    }
}

static void add_to(real *y, const real *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        y[i] += x[i];
    }
}

/// The numbers of a step in this type.
typedef struct step_numbers {
    real b1, b2, c1, c2, rate, plain, eps, keep, scale;
} step_numbers;

#if defined(INVERSE_OF_ROOT)
static inline void step_lanes(real *p, real *mean, real *square, const real *g, const step_numbers *s)
{
    const vec gradient = *(const vec *)g * s->scale;
    const vec m = s->b1 * *(const vec *)mean + s->c1 * gradient;
    const vec v = s->b2 * *(const vec *)square + s->c2 * gradient * gradient;
    *(vec *)mean = m;
    *(vec *)square = v;
    *(vec *)p = s->keep * *(const vec *)p - m * (s->plain + s->rate * INVERSE_OF_ROOT(v, s->eps));
}

/// The last numbers by the same arithmetic, so that it does not matter where a thread's share ends.
static void step_rest(real *p, real *mean, real *square, const real *g, size_t count, const step_numbers *s)
{
    real rest[4][lanes] = { { 0 } };
    memcpy(rest[0], p, count * sizeof *p);
    memcpy(rest[1], mean, count * sizeof *p);
    memcpy(rest[2], square, count * sizeof *p);
    memcpy(rest[3], g, count * sizeof *p);
    step_lanes(rest[0], rest[1], rest[2], rest[3], s);
    memcpy(p, rest[0], count * sizeof *p);
    memcpy(mean, rest[1], count * sizeof *p);
    memcpy(square, rest[2], count * sizeof *p);
}

static void step_all(real *p, real *mean, real *square, const real *g, size_t count, const step_numbers *s)
{
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        step_lanes(p + i, mean + i, square + i, g + i, s);
    }
    if (i < count) {
        step_rest(p + i, mean + i, square + i, g + i, count - i, s);
    }
}
#else
static void step_all(real *p, real *mean, real *square, const real *g, size_t count, const step_numbers *s)
{
    for (size_t i = 0; i < count; i++) {
        const real gradient = g[i] * s->scale;
        const real m = s->b1 * mean[i] + s->c1 * gradient;
        const real v = s->b2 * square[i] + s->c2 * gradient * gradient;
        mean[i] = m;
        square[i] = v;
        p[i] = s->keep * p[i] - m * (s->plain + s->rate / (SQRT_OF(v) + s->eps));
    }
}
#endif

static void step(real *p, real *mean, real *square, const real *g, size_t count, const ami_step_scale *s)
{
    const step_numbers numbers = { .b1 = (real)s->beta1,
                                   .b2 = (real)s->beta2,
                                   .c1 = (real)(1.0 - s->beta1),
                                   .c2 = (real)(1.0 - s->beta2),
                                   .rate = (real)s->rate,
                                   .plain = (real)s->plain,
                                   .eps = (real)s->eps,
                                   .keep = (real)(1.0 - s->decay),
                                   .scale = (real)s->gradient };
    step_all(p, mean, square, g, count, &numbers);
}

static double sum_squares(const real *x, size_t count)
{
    double sums[8] = { 0 };
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int l = 0; l < 8; l++) {
            sums[l] += (double)x[i + (size_t)l] * (double)x[i + (size_t)l];
        }
    }
    for (; i < count; i++) {
        sums[0] += (double)x[i] * (double)x[i];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

const TABLE_TYPE TABLE = { ISA,          lanes,    forward,   backward, band_rows,     band_columns, banded,
                           weights,      row_sums, transpose, activate, activate_back, norm,         norm_back,
                           norm_weights, gru,      gru_back,  affine,   add_to,        step,         sum_squares };
