// Smoothing and order statistics of tracks.
#include "data/filter.h"

#include "base/memory.h"

#define ORDER 3 ///< cubic: keeps accelerations, as the field's ground roots do

/// Discrete orthogonal (Gram) polynomials on -half..half and their squared norms.
typedef struct gram {
    double ratio[ORDER + 1]; ///< recurrence: p[k+1](x) = x p[k](x) - ratio[k] p[k-1](x)
    double norm[ORDER + 1];
    int order;
} gram;

static gram gram_make(int half)
{
    double n = 2.0 * half + 1.0;
    gram g = { { 0.0 }, { n }, 2 * half < ORDER ? 2 * half : ORDER };
    for (int k = 1; k <= g.order; k++) {
        double k2 = (double)k * k;
        g.ratio[k] = k2 * (n * n - k2) / (4.0 * (4.0 * k2 - 1.0));
        g.norm[k] = g.ratio[k] * g.norm[k - 1];
    }
    return g;
}

static void gram_values(double *out, const gram *g, double x)
{
    out[0] = 1.0;
    out[1] = x;
    for (int k = 1; k < g->order; k++) {
        out[k + 1] = x * out[k] - g->ratio[k] * out[k - 1];
    }
}

/// Weights of the 2 half + 1 values for the fitted cubic's value in the middle.
static void savgol_weights(double *weights, const gram *g, int half)
{
    double at[ORDER + 1];
    double here[ORDER + 1];
    gram_values(at, g, 0.0);
    for (int i = -half; i <= half; i++) {
        gram_values(here, g, (double)i);
        double sum = 0.0;
        for (int k = 0; k <= g->order; k++) {
            sum += here[k] * at[k] / g->norm[k];
        }
        weights[i + half] = sum;
    }
}

/// Item i of a track that is continued beyond its ends by a half turn about the end point.
static double reflected(const float *in, int i, int count, size_t stride)
{
    if (i < 0) {
        return 2.0 * (double)in[0] - (double)in[(size_t)-i * stride];
    }
    if (i >= count) {
        double end = (double)in[(size_t)(count - 1) * stride];
        return 2.0 * end - (double)in[(size_t)(2 * (count - 1) - i) * stride];
    }
    return (double)in[(size_t)i * stride];
}

bool ami_savgol(float *out, const float *in, int count, int stride, int window, const am_alloc *alloc)
{
    int half = (window - 1) / 2;
    half = half < count - 1 ? half : count - 1;
    half = half > 0 ? half : 0;
    size_t size = (size_t)(2 * half + 1) * sizeof(double);
    double *weights = ami_alloc_zero(alloc, size);
    if (!weights) {
        return false;
    }
    gram g = gram_make(half);
    savgol_weights(weights, &g, half);
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int k = -half; k <= half; k++) {
            sum += weights[k + half] * reflected(in, i + k, count, (size_t)stride);
        }
        out[(size_t)i * (size_t)stride] = (float)sum;
    }
    ami_release(alloc, weights, size);
    return true;
}

int ami_window_frames(float seconds, float fps)
{
    float frames = seconds * fps;
    if (!(frames > 0.0f)) {
        return 1;
    }
    return frames < 1e8f ? 2 * (int)(frames * 0.5f) + 1 : 100000001;
}

void ami_majority(uint8_t *out, const uint8_t *in, int count, uint8_t bit, int window)
{
    for (int i = 0; i < count; i++) {
        int half = window / 2;
        half = half < i ? half : i;
        half = half < count - 1 - i ? half : count - 1 - i;
        int set = 0;
        for (int k = i - half; k <= i + half; k++) {
            set += (in[k] & bit) != 0;
        }
        out[i] = (uint8_t)(2 * set > 2 * half + 1 ? out[i] | bit : out[i] & ~bit);
    }
}

static void sift(float *values, int from, int count)
{
    float value = values[from];
    int at = from;
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && values[child] < values[child + 1];
        if (!(value < values[child])) {
            break;
        }
        values[at] = values[child];
        at = child;
    }
    values[at] = value;
}

void ami_sort_floats(float *values, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(values, i, count);
    }
    for (int i = count - 1; i > 0; i--) {
        float largest = values[0];
        values[0] = values[i];
        values[i] = largest;
        sift(values, 0, i);
    }
}

float ami_quantile(const float *ascending, int count, float share)
{
    float at = am_clamp(share, 0.0f, 1.0f) * (float)(count - 1);
    int below = (int)at;
    int above = below + 1 < count ? below + 1 : below;
    return am_lerp(ascending[below], ascending[above], at - (float)below);
}

bool ami_all_finite(const float *numbers, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += numbers[i] * 0.0f; // zero times anything finite is zero
    }
    return !(sum != 0.0f);
}
