// Gradients through two-axis rotations and forward kinematics, in double against differences, in float against
// double.
#include "support/check.h"

#include <amble/train.h>
#include <math.h>

#define real double
#define KINEMATICS(name) exact_##name
#define ROOT sqrt
void exact_two_axes(double *m, const double *x, int columns);
void exact_two_axes_back(double *dx, const double *dm, const double *x, int columns);
void exact_block_fk(double *rotations, double *places, const double *r, const double *t, const int16_t *parents,
                    int joints, int columns);
void exact_block_fk_back(double *dr, double *dt, double *d_rotations, double *d_places, const double *rotations,
                         const double *r, const double *t, const int16_t *parents, int joints, int columns);
#include "train/kinematics_body.h"

enum { joints = 4, n = 16 };
static const int16_t parents[joints] = { -1, 0, 1, 1 };

static double coefficient(int i) { return sin(0.3 + 1.9 * i); }

/// The pose x(joints * 6), t(joints * 3) -> sum of coefficients times all model-space rotations and places.
static double value_of(const double *x, const double *t)
{
    double r[joints * 9 * n], rotations[joints * 9 * n], places[joints * 3 * n], sum = 0.0;
    for (int j = 0; j < joints; j++) {
        exact_two_axes(r + j * 9 * n, x + j * 6 * n, n);
    }
    exact_block_fk(rotations, places, r, t, parents, joints, n);
    for (int i = 0; i < joints * 9 * n; i++) {
        sum += coefficient(i) * rotations[i];
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        sum += coefficient(7 * i) * places[i];
    }
    return sum;
}

static void fill(double *x, double *t)
{
    am_rng rng = am_rng_make(9);
    for (int i = 0; i < joints * 6 * n; i++) {
        x[i] = (double)am_rng_normal(&rng);
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        t[i] = (double)am_rng_normal(&rng);
    }
}

static void gradients_in_double(double *dx, double *dt, const double *x, const double *t)
{
    double r[joints * 9 * n], rotations[joints * 9 * n], places[joints * 3 * n];
    double d_rotations[joints * 9 * n], d_places[joints * 3 * n], dr[joints * 9 * n] = { 0 };
    for (int j = 0; j < joints; j++) {
        exact_two_axes(r + j * 9 * n, x + j * 6 * n, n);
    }
    exact_block_fk(rotations, places, r, t, parents, joints, n);
    for (int i = 0; i < joints * 9 * n; i++) {
        d_rotations[i] = coefficient(i);
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        d_places[i] = coefficient(7 * i);
    }
    exact_block_fk_back(dr, dt, d_rotations, d_places, rotations, r, t, parents, joints, n);
    for (int j = 0; j < joints; j++) {
        exact_two_axes_back(dx + j * 6 * n, dr + j * 9 * n, x + j * 6 * n, n);
    }
}

static double difference(double *at, const double *x, const double *t)
{
    const double kept = *at;
    double d[2];
    for (int i = 0; i < 2; i++) {
        const double h = i ? 1e-4 : 2e-4;
        *at = kept + h;
        const double up = value_of(x, t);
        *at = kept - h;
        d[i] = (up - value_of(x, t)) / (2.0 * h);
        *at = kept;
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void gradients_match_differences(void **state)
{
    (void)state;
    double x[joints * 6 * n], t[joints * 3 * n], dx[joints * 6 * n] = { 0 }, dt[joints * 3 * n] = { 0 };
    fill(x, t);
    gradients_in_double(dx, dt, x, t);
    for (int i = 0; i < joints * 6 * n; i++) {
        check_near(dx[i], difference(&x[i], x, t), 1e-6 * (fabs(dx[i]) + 1.0));
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        check_near(dt[i], difference(&t[i], x, t), 1e-6 * (fabs(dt[i]) + 1.0));
    }
}

static void two_axes_give_rotations(void **state)
{
    (void)state;
    double x[joints * 6 * n], t[joints * 3 * n];
    float xs[6 * n], m[9 * n];
    fill(x, t);
    for (int i = 0; i < 6 * n; i++) {
        xs[i] = (float)x[i];
    }
    am_two_axes(m, xs, n);
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double dot = 0.0;
                for (int k = 0; k < 3; k++) {
                    dot += (double)m[(3 * k + i) * n + c] * (double)m[(3 * k + j) * n + c];
                }
                check_near(dot, i == j ? 1.0 : 0.0, 1e-5);
            }
        }
        // The first column keeps its direction.
        const double along =
            (double)m[c] * x[c] + (double)m[3 * n + c] * x[n + c] + (double)m[6 * n + c] * x[2 * n + c];
        check_near(along, sqrt(x[c] * x[c] + x[n + c] * x[n + c] + x[2 * n + c] * x[2 * n + c]), 1e-5);
    }
}

static void float_agrees_with_double(void **state)
{
    (void)state;
    double x[joints * 6 * n], t[joints * 3 * n], dx[joints * 6 * n] = { 0 }, dt[joints * 3 * n] = { 0 };
    fill(x, t);
    gradients_in_double(dx, dt, x, t);
    float xs[joints * 6 * n], ts[joints * 3 * n], r[joints * 9 * n], rotations[joints * 9 * n],
        places[joints * 3 * n];
    float d_rotations[joints * 9 * n], d_places[joints * 3 * n], dr[joints * 9 * n] = { 0 };
    float dxs[joints * 6 * n] = { 0 }, dts[joints * 3 * n] = { 0 };
    for (int i = 0; i < joints * 6 * n; i++) {
        xs[i] = (float)x[i];
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        ts[i] = (float)t[i];
        d_places[i] = (float)coefficient(7 * i);
    }
    for (int i = 0; i < joints * 9 * n; i++) {
        d_rotations[i] = (float)coefficient(i);
    }
    for (int j = 0; j < joints; j++) {
        am_two_axes(r + j * 9 * n, xs + j * 6 * n, n);
    }
    am_block_fk(rotations, places, r, ts, parents, joints, n);
    am_block_fk_back(dr, dts, d_rotations, d_places, rotations, r, ts, parents, joints, n);
    for (int j = 0; j < joints; j++) {
        am_two_axes_back(dxs + j * 6 * n, dr + j * 9 * n, xs + j * 6 * n, n);
    }
    for (int i = 0; i < joints * 6 * n; i++) {
        check_near(dxs[i], dx[i], 1e-3 * (fabs(dx[i]) + 1.0));
    }
    for (int i = 0; i < joints * 3 * n; i++) {
        check_near(dts[i], dt[i], 1e-3 * (fabs(dt[i]) + 1.0));
    }
}

TEST_SUITE(kinematics)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(two_axes_give_rotations),
        cmocka_unit_test(float_agrees_with_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
