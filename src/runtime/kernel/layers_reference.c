// The layers of networks in plain C: every other version is compared with these.
#include "kernel/layers.h"

#include "base/coefficients.h"

#include <string.h>

static float half_to_float(uint16_t h)
{
    // Exponent and mantissa moved into place, then scaled by 2^112: right for subnormals too. No infinities: the
    // packer refuses them.
    uint32_t bits = (uint32_t)(h & 0x7FFFu) << 13;
    float x;
    memcpy(&x, &bits, sizeof x);
    x *= 5.192296858534828e33f;
    return h & 0x8000u ? -x : x;
}

/// Weight (16 p + r, c) of a matrix of 32 or 16 bits.
static float weight(const ami_matrix *m, size_t p, size_t c, size_t r)
{
    size_t at = (p * m->n_in + c) * AMI_PANEL + r;
    return m->w32 ? m->w32[at] : half_to_float(m->w16[at]);
}

static void gemv(float *out, const ami_matrix *m, const float *x, const uint32_t *index, size_t count)
{
    for (size_t p = 0; p < m->panels; p++) {
        for (size_t r = 0; r < AMI_PANEL; r++) {
            float sum = m->bias[p * AMI_PANEL + r];
            for (size_t i = 0; i < count; i++) {
                size_t c = index ? index[i] : i;
                sum += weight(m, p, c, r) * x[c];
            }
            out[p * AMI_PANEL + r] = sum;
        }
    }
}

static void gemv8(float *out, const ami_matrix *m, const int32_t *pairs, const uint32_t *index, size_t count,
                  float x_scale)
{
    size_t pair_count = (m->n_in + 1) / 2;
    for (size_t p = 0; p < m->panels; p++) {
        for (size_t r = 0; r < AMI_PANEL; r++) {
            int32_t sum = 0;
            for (size_t i = 0; i < count; i++) {
                size_t c = index ? index[i] : i;
                const int8_t *w = m->w8 + ((p * pair_count + c) * AMI_PANEL + r) * 2;
                int16_t x[2];
                memcpy(x, &pairs[c], sizeof x);
                sum += w[0] * x[0] + w[1] * x[1];
            }
            size_t row = p * AMI_PANEL + r;
            out[row] = (float)sum * (m->scale[row] * x_scale) + m->bias[row];
        }
    }
}

static void gemm32(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        gemv(out + i * out_stride, m, x + i * x_stride, NULL, m->n_in);
    }
}

static void gemm16(float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride, size_t items,
                   float *room)
{
    (void)room;
    gemm32(out, out_stride, m, x, x_stride, items);
}

static void gemm8(float *out, size_t out_stride, const ami_matrix *m, const int32_t *pairs, size_t pair_stride,
                  const float *x_scale, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        gemv8(out + i * out_stride, m, pairs + i * pair_stride, NULL, (m->n_in + 1) / 2, x_scale[i]);
    }
}

static size_t nonzeros(uint32_t *index, const float *x, size_t n, size_t most)
{
    (void)most;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        index[count] = (uint32_t)i;
        count += x[i] != 0.0f; // a NaN is no zero
    }
    return count;
}

static float quantise(int16_t *q, const float *x, size_t n, int most)
{
    float largest = 0.0f, check = 0.0f;
    for (size_t i = 0; i < n; i++) {
        float a = am_abs(x[i]);
        largest = a > largest ? a : largest;
        check += x[i] * 0.0f; // NaN as soon as one is not finite
    }
    if (check != 0.0f) {
        return check;
    }
    float up = largest > 1e-30f ? (float)most / largest : 0.0f;
    for (size_t i = 0; i < n; i++) {
        q[i] = (int16_t)(x[i] * up + AMI_ROUND - AMI_ROUND);
    }
    return largest / (float)most;
}

// ---------------------------------------------------------------------------------------------
// Activations

/// exp x for x <= 0: the steps of am_exp, with 2^k in one factor, which is enough down to -87; below, as there.
static float exp_negative(float x)
{
    x = am_max(-87.0f, x); // NaN stays
    float sum = x * AMI_LOG2_E + AMI_ROUND;
    float k = sum - AMI_ROUND;
    float r = x - k * AMI_LN2_1 - k * AMI_LN2_2;
    float p = (((AMI_EXP_4 * r + AMI_EXP_3) * r + AMI_EXP_2) * r + AMI_EXP_1) * r + AMI_EXP_0;
    float e = 1.0f + (r + r * r * p);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits = (bits + 127u) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return e * scale;
}

static float gelu(float x)
{
    // x - x/2 T or x/2 T for negative x, T = erfc(|x| / sqrt 2) = exp(-q(|x|)): one smooth fit for all x.
    float a = am_min(9.0f, am_abs(x));
    float q = AMI_GELU_8;
    q = q * a + AMI_GELU_7;
    q = q * a + AMI_GELU_6;
    q = q * a + AMI_GELU_5;
    q = q * a + AMI_GELU_4;
    q = q * a + AMI_GELU_3;
    q = q * a + AMI_GELU_2;
    q = q * a + AMI_GELU_1;
    q = q * a + AMI_GELU_0;
    float tail = 0.5f * x * exp_negative(0.0f - q * a);
    return 0.0f < x ? x - tail : tail;
}

static float tanh_of(float x)
{
    float a = am_abs(x);
    float z = x * x;
    float p = (((AMI_TANH_4 * z + AMI_TANH_3) * z + AMI_TANH_2) * z + AMI_TANH_1) * z + AMI_TANH_0;
    float e = exp_negative(-2.0f * a);
    float t = (1.0f - e) / (1.0f + e);
    t = x < 0.0f ? 0.0f - t : t;
    return a < AMI_TANH_SMALL ? x + x * z * p : t;
}

static float sigmoid(float x)
{
    float e = exp_negative(-am_abs(x));
    float s = 1.0f / (1.0f + e);
    return x < 0.0f ? e * s : s;
}

static void activate(float *x, size_t n, ami_activation which)
{
    for (size_t i = 0; i < n; i++) {
        switch (which) {
        case AMI_ACT_RELU:
            x[i] = x[i] < 0.0f ? 0.0f : x[i]; // NaN stays
            break;
        case AMI_ACT_ELU:
            x[i] = 0.0f < x[i] ? x[i] : exp_negative(am_min(0.0f, x[i])) - 1.0f;
            break;
        case AMI_ACT_GELU:
            x[i] = gelu(x[i]);
            break;
        case AMI_ACT_TANH:
            x[i] = tanh_of(x[i]);
            break;
        case AMI_ACT_SIGMOID:
            x[i] = sigmoid(x[i]);
            break;
        default:
            break;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Layer normalisation

static float fold(const float lane[16])
{
    float eight[8], four[4];
    for (int i = 0; i < 8; i++) {
        eight[i] = lane[i] + lane[i + 8];
    }
    for (int i = 0; i < 4; i++) {
        four[i] = eight[i] + eight[i + 4];
    }
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static void layer_norm(float *out, const float *x, const float *gain, const float *shift, size_t n, float eps)
{
    float lane[16] = { 0 }, square[16] = { 0 };
    for (size_t i = 0; i < n; i++) {
        lane[i % 16] += x[i];
    }
    float mean = fold(lane) / (float)n;
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - mean;
        square[i % 16] += d * d;
    }
    float scale = 1.0f / sqrtf(fold(square) / (float)n + eps);
    for (size_t i = 0; i < n; i++) {
        out[i] = (x[i] - mean) * scale * gain[i] + shift[i];
    }
}

const ami_layers ami_layers_reference = {
    .name = "reference",
    .gemv32 = gemv,
    .gemv16 = gemv,
    .gemv8 = gemv8,
    .gemm32 = gemm32,
    .gemm16 = gemm16,
    .gemm8 = gemm8,
    .nonzeros = nonzeros,
    .quantise = quantise,
    .activate = activate,
    .layer_norm = layer_norm,
};
