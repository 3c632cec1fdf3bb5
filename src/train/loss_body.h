/// Losses over a block of values, each with its gradient. Included with `real` and LOSS(name).
///
/// Values lie feature-major: row r of `width` has `columns` numbers, of which the first `used` are samples. `mean` is
/// what one squared (absolute, ...) difference counts: scale / (samples of the batch * width).
#include "train/training.h"

/// Value and slope of one difference.
static inline double LOSS(of)(ami_loss_kind kind, real d, real *slope)
{
    const real a = d < 0 ? -d : d;
    switch (kind) {
    case AMI_LOSS_L1:
        *slope = d > 0 ? (real)1 : d < 0 ? (real)-1 : (real)0;
        return (double)a;
    case AMI_LOSS_HUBER:
        *slope = a < 1 ? d : d > 0 ? (real)1 : (real)-1;
        return a < 1 ? 0.5 * (double)d * (double)d : (double)a - 0.5;
    case AMI_LOSS_L2:
    default:
        *slope = 2 * d;
        return (double)d * (double)d;
    }
}

/// The square alone: the usual loss, in a loop that the compiler turns into vectors.
static double LOSS(squares)(real *dy, const real *y, const real *target, int used, real factor)
{
    real sum = 0;
    for (int c = 0; c < used; c++) {
        const real d = y[c] - target[c];
        dy[c] += 2 * factor * d;
        sum += d * d;
    }
    return (double)sum;
}

static double LOSS(values)(const ami_loss *loss, double mean, real *dy, const real *y, const real *target, int width,
                           int columns, int used)
{
    double total = 0.0;
    for (ptrdiff_t r = 0; r < width; r++) {
        const ptrdiff_t at = r * columns;
        const double weight = loss->weights ? (double)loss->weights[r] : 1.0;
        const real factor = (real)(mean * weight);
        if (loss->kind == AMI_LOSS_L2) {
            total += weight * LOSS(squares)(dy + at, y + at, target + at, used, factor);
            continue;
        }
        double sum = 0.0;
        for (ptrdiff_t i = at; i < at + used; i++) {
            real slope;
            sum += LOSS(of)(loss->kind, y[i] - target[i], &slope);
            dy[i] += factor * slope;
        }
        total += weight * sum;
    }
    return mean * total;
}

/// Of differences in deviations of each row: units(width).
static double LOSS(huber)(double mean, real *dy, const real *y, const real *target, const float *units, int width,
                          int columns, int used)
{
    double total = 0.0;
    for (ptrdiff_t r = 0; r < width; r++) {
        const real inverse = 1 / (real)units[r], factor = (real)mean * inverse;
        for (ptrdiff_t i = r * columns; i < r * columns + used; i++) {
            real slope;
            total += LOSS(of)(AMI_LOSS_HUBER, (y[i] - target[i]) * inverse, &slope);
            dy[i] += factor * slope;
        }
    }
    return mean * total;
}
