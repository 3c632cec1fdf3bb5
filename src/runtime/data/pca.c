// Principal directions by cyclic Jacobi rotations: slow next to library eigen solvers, but short, exact to rounding,
// and the same bits everywhere (additions, products, quotients and square roots in a fixed order).
#include "data/scale.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define SWEEPS 60 // ten are plenty for 512 dimensions; the loop ends when nothing is left to turn

static void find_covariance(double *a, int n, const float *rows, size_t row_count, size_t stride)
{
    for (size_t i = 0; i < row_count; i++) {
        const float *row = rows + i * stride;
        for (int p = 0; p < n; p++) {
            double x = (double)row[p];
            for (int q = p; q < n; q++) {
                a[p * n + q] += x * (double)row[q];
            }
        }
    }
    for (int p = 0; p < n; p++) {
        for (int q = p; q < n; q++) {
            a[p * n + q] /= (double)row_count;
            a[q * n + p] = a[p * n + q];
        }
    }
}

/// One rotation in the plane of axes p and q that makes a(p, q) zero; v gathers the rotations in its rows.
static void turn(double *a, double *v, int n, int p, int q)
{
    double apq = a[p * n + q];
    double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    double root = sqrt(theta * theta + 1.0);
    double t = theta >= 0.0 ? 1.0 / (theta + root) : 1.0 / (theta - root);
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    for (int k = 0; k < n; k++) {
        double kp = a[k * n + p];
        double kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        double pk = a[p * n + k];
        double qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
        double vp = v[p * n + k];
        double vq = v[q * n + k];
        v[p * n + k] = c * vp - s * vq;
        v[q * n + k] = s * vp + c * vq;
    }
}

static void diagonalise(double *a, double *v, int n)
{
    double size = 0.0;
    for (int p = 0; p < n; p++) {
        v[p * n + p] = 1.0;
        size += a[p * n + p];
    }
    double small = size * 1e-14;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool turned = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                if (fabs(a[p * n + q]) > small) {
                    turn(a, v, n, p, q);
                    turned = true;
                }
            }
        }
        if (!turned) {
            return;
        }
    }
}

/// Copies the row with the largest remaining variance, its largest component made positive.
static void take_largest(float *out, double *a, const double *v, int n)
{
    int best = 0;
    for (int p = 1; p < n; p++) {
        if (a[p * n + p] > a[best * n + best]) {
            best = p;
        }
    }
    a[best * n + best] = -1.0; // variances are not negative: taken
    const double *row = v + (size_t)best * (size_t)n;
    int top = 0;
    for (int k = 1; k < n; k++) {
        if (fabs(row[k]) > fabs(row[top])) {
            top = k;
        }
    }
    for (int k = 0; k < n; k++) {
        out[k] = (float)(row[top] < 0.0 ? -row[k] : row[k]);
    }
}

am_result ami_pca_find(float *basis, int keep, const float *rows, size_t row_count, size_t row_stride, int raw_count,
                       const am_alloc *alloc, am_error *err)
{
    size_t n = (size_t)raw_count;
    double *work = ami_alloc_array(alloc, 2 * n * n, sizeof(double));
    if (!work) {
        return ami_fail_memory(err, 2 * n * n * sizeof(double));
    }
    double *a = work;
    double *v = work + n * n;
    find_covariance(a, raw_count, rows, row_count, row_stride);
    diagonalise(a, v, raw_count);
    for (int k = 0; k < keep; k++) {
        take_largest(basis + (size_t)k * n, a, v, raw_count);
    }
    ami_release(alloc, work, 2 * n * n * sizeof(double));
    return AM_OK;
}
