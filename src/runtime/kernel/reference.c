// The kernels in plain C: what every other version must repeat bit for bit.
#include "kernel/kernel.h"

#include <string.h>

static float fold(const float lane[8])
{
    float four[4], two[2];
    for (int i = 0; i < 4; i++) {
        four[i] = lane[i] + lane[i + 4];
    }
    for (int i = 0; i < 2; i++) {
        two[i] = four[i] + four[i + 2];
    }
    return two[0] + two[1];
}

static void distances(float *out, const float *query, const float *rows, size_t n, size_t stride)
{
    for (size_t r = 0; r < n; r++) {
        float lane[8] = { 0 };
        for (size_t d = 0; d < stride; d++) {
            float diff = query[d] - rows[r * stride + d];
            lane[d % 8] += diff * diff;
        }
        out[r] = fold(lane);
    }
}

static void distances_weighted(float *out, const float *query, const float *weights, const float *rows, size_t n,
                               size_t stride)
{
    for (size_t r = 0; r < n; r++) {
        float lane[8] = { 0 };
        for (size_t d = 0; d < stride; d++) {
            float diff = query[d] - rows[r * stride + d];
            lane[d % 8] += weights[d] * (diff * diff);
        }
        out[r] = fold(lane);
    }
}

static void distances_block(float out[8], const float *query, const float *block, size_t dims)
{
    for (int frame = 0; frame < 8; frame++) {
        float lane[8] = { 0 };
        for (size_t d = 0; d < dims; d++) {
            float diff = query[d] - block[d * 8 + (size_t)frame];
            lane[d % 8] += diff * diff;
        }
        out[frame] = fold(lane);
    }
}

static void distances_block_weighted(float out[8], const float *query, const float *weights, const float *block,
                                     size_t dims)
{
    for (int frame = 0; frame < 8; frame++) {
        float lane[8] = { 0 };
        for (size_t d = 0; d < dims; d++) {
            float diff = query[d] - block[d * 8 + (size_t)frame];
            lane[d % 8] += weights[d] * (diff * diff);
        }
        out[frame] = fold(lane);
    }
}

static void distances_box(float out[8], const float *query, const float *lo, const float *hi, size_t dims)
{
    for (int box = 0; box < 8; box++) {
        float lane[8] = { 0 };
        for (size_t d = 0; d < dims; d++) {
            float inside = am_min(am_max(query[d], lo[d * 8 + (size_t)box]), hi[d * 8 + (size_t)box]);
            float diff = query[d] - inside;
            lane[d % 8] += diff * diff;
        }
        out[box] = fold(lane);
    }
}

/// How far a point (rounded up, rounded down) lies outside lo .. hi.
static unsigned outside(uint8_t lo, uint8_t hi, uint8_t up, uint8_t down)
{
    unsigned below = lo > up ? (unsigned)(lo - up) : 0;
    unsigned above = down > hi ? (unsigned)(down - hi) : 0;
    return below | above; // one of them is 0 unless the box is empty
}

static uint16_t add_saturated(unsigned a, unsigned b) { return (uint16_t)(a + b < 65535 ? a + b : 65535); }

static unsigned bounds(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query, size_t pairs,
                       uint16_t limit)
{
    unsigned within = 0;
    for (size_t lane = 0; lane < AMI_BOUNDS_LANES; lane++) {
        uint16_t sum = 0;
        for (size_t p = 0; p < pairs; p++) {
            unsigned pair = 0;
            for (size_t at = p * 64 + lane * 2; at < p * 64 + lane * 2 + 2; at++) {
                unsigned d = outside(block[at], block[at + 32], query[at], query[at + 32]);
                d = d < 127 ? d : 127;
                pair += d * d;
            }
            sum = add_saturated(sum, pair);
        }
        out[lane] = sum;
        within |= (unsigned)(sum <= limit) << lane;
    }
    return within;
}

static unsigned bounds_weighted(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query,
                                const uint16_t *factors, size_t pairs, uint16_t limit)
{
    unsigned within = 0;
    for (size_t lane = 0; lane < AMI_BOUNDS_LANES; lane++) {
        uint16_t sum = 0;
        for (size_t d = 0; d < pairs * 2; d++) {
            size_t at = d / 2 * 64 + lane * 2 + d % 2;
            unsigned far = outside(block[at], block[at + 32], query[at], query[at + 32]);
            const uint16_t *factor = factors + d * 2 * AMI_BOUNDS_LANES + lane;
            sum = add_saturated(sum, far * far * factor[0] >> 16);
            sum = add_saturated(sum, far * factor[AMI_BOUNDS_LANES] >> 8);
        }
        out[lane] = sum;
        within |= (unsigned)(sum <= limit) << lane;
    }
    return within;
}

static float dot(const float *a, const float *b, size_t n)
{
    float lane[8] = { 0 };
    for (size_t i = 0; i < n; i++) {
        lane[i % 8] += a[i] * b[i];
    }
    return fold(lane);
}

static void gemv(float *out, const float *w, const float *in, const float *bias, size_t n_out, size_t stride)
{
    for (size_t r = 0; r < n_out; r++) {
        out[r] = dot(w + r * stride, in, stride) + bias[r];
    }
}

static void axpy(float *y, const float *x, float a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

static void column_moments(double *sum, double *squares, const float *rows, const double *center, size_t n,
                           size_t stride)
{
    for (size_t c = 0; c < stride; c++) {
        double middle = center ? center[c] : 0.0;
        sum[c] = 0.0;
        squares[c] = 0.0;
        for (size_t r = 0; r < n; r++) {
            double d = (double)rows[r * stride + c] - middle;
            sum[c] += d;
            squares[c] += d * d;
        }
    }
}

static void column_bounds(float *lo, float *hi, const float *rows, size_t n, size_t stride)
{
    for (size_t c = 0; c < stride; c++) {
        lo[c] = INFINITY;
        hi[c] = -INFINITY;
        for (size_t r = 0; r < n; r++) {
            // The new value first: a comparison with NaN is false, which keeps the old one.
            lo[c] = am_min(rows[r * stride + c], lo[c]);
            hi[c] = am_max(rows[r * stride + c], hi[c]);
        }
    }
}

static void sincos_many(float *sines, float *cosines, const float *angles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        am_sincos(angles[i], &sines[i], &cosines[i]);
    }
}

static void euler(am_quat *out, const float *degrees, const ami_euler_order *orders, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *axis = orders[i].axis;
        const char axes[3] = { "xyz"[axis[0]], "xyz"[axis[1]], "xyz"[axis[2]] };
        const float *angle = degrees + 3 * i;
        out[i] = am_quat_from_euler(axes, angle[0] * AM_DEG, angle[1] * AM_DEG, angle[2] * AM_DEG);
    }
}

static void nlerp(am_quat *out, const am_quat *a, const am_quat *b, float t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = am_quat_nlerp(a[i], b[i], t);
    }
}

static void normalize(am_quat *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        q[i] = am_quat_normalize(q[i]);
    }
}

const ami_kernels ami_kernels_reference = {
    .name = "reference",
    .distances = distances,
    .distances_weighted = distances_weighted,
    .distances_block = distances_block,
    .distances_block_weighted = distances_block_weighted,
    .distances_box = distances_box,
    .bounds = bounds,
    .bounds_weighted = bounds_weighted,
    .dot = dot,
    .gemv = gemv,
    .axpy = axpy,
    .column_moments = column_moments,
    .column_bounds = column_bounds,
    .sincos = sincos_many,
    .euler = euler,
    .nlerp = nlerp,
    .normalize = normalize,
};
