// Losses over a block, each with its gradient.
#include "train/trainer.h"

#include <math.h>

/// Value and slope of one difference.
static inline double loss_of(am_loss_kind kind, float d, float *slope)
{
    const float a = fabsf(d);
    switch (kind) {
    case AM_LOSS_L1:
        *slope = d > 0.0f ? 1.0f : d < 0.0f ? -1.0f : 0.0f;
        return (double)a;
    case AM_LOSS_HUBER:
        *slope = a < 1.0f ? d : d > 0.0f ? 1.0f : -1.0f;
        return a < 1.0f ? 0.5 * (double)d * (double)d : (double)a - 0.5;
    case AM_LOSS_L2:
    default:
        *slope = 2.0f * d;
        return (double)d * (double)d;
    }
}

/// The square alone: the usual loss, in a loop that the compiler turns into vectors.
static double squares(float *dy, const float *y, const float *target, int used, float factor)
{
    float sum = 0.0f;
    double total = 0.0;
    for (int c = 0; c < used; c++) {
        const float d = y[c] - target[c];
        dy[c] += 2.0f * factor * d;
        sum += d * d;
    }
    total = (double)sum;
    return total;
}

double ami_block_huber(const am_train_block *b, float *dy, const float *y, const float *target, const float *units,
                       int width)
{
    const int n = b->trainer->columns;
    const double mean = 1.0 / ((double)b->trainer->def.batch * width);
    double total = 0.0;
    for (ptrdiff_t r = 0; r < width; r++) {
        const float inverse = 1.0f / units[r], factor = (float)mean * inverse;
        for (ptrdiff_t i = r * n; i < r * n + b->used; i++) {
            float slope;
            total += loss_of(AM_LOSS_HUBER, (y[i] - target[i]) * inverse, &slope);
            dy[i] += factor * slope;
        }
    }
    return mean * total;
}

double am_block_loss(const am_train_block *b, const am_loss *loss, float *dy, const float *y, const float *target,
                     int width)
{
    const int n = b->trainer->columns;
    const double mean = loss->scale / ((double)b->trainer->def.batch * width);
    double total = 0.0;
    for (ptrdiff_t r = 0; r < width; r++) {
        const double weight = loss->weights ? (double)loss->weights[r] : 1.0;
        if (loss->kind == AM_LOSS_L2) {
            total += weight * squares(dy + r * n, y + r * n, target + r * n, b->used, (float)(mean * weight));
            continue;
        }
        double sum = 0.0;
        for (int c = 0; c < b->used; c++) {
            float slope;
            sum += loss_of(loss->kind, y[r * n + c] - target[r * n + c], &slope);
            dy[r * n + c] += (float)(mean * weight) * slope;
        }
        total += weight * sum;
    }
    return mean * total;
}

double am_block_velocity_loss(const am_train_block *b, const am_loss *loss, float *const dy[2],
                              const float *const y[2], const float *const target[2], int width, float dt)
{
    const int n = b->trainer->columns;
    const double mean = loss->scale / ((double)b->trainer->def.batch * width);
    double total = 0.0;
    for (ptrdiff_t r = 0; r < width; r++) {
        const double weight = loss->weights ? (double)loss->weights[r] : 1.0;
        const float factor = (float)(mean * weight / (double)dt);
        for (int c = 0; c < b->used; c++) {
            const ptrdiff_t i = r * n + c;
            float slope;
            total += weight * loss_of(loss->kind, ((y[1][i] - y[0][i]) - (target[1][i] - target[0][i])) / dt, &slope);
            if (dy[1]) {
                dy[1][i] += factor * slope;
            }
            if (dy[0]) {
                dy[0][i] -= factor * slope;
            }
        }
    }
    return mean * total;
}
