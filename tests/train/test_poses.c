// Poses in training: kinematics against the library's own, losses against finite differences in double, every
// instruction set against double.
#include "support/check.h"
#include "support/synth_db.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/kinematics.h"

#include <math.h>

#include "in_double.h"

enum { joints = 5, moving = 2, n = 16, used = 14 };
static const int16_t parents[joints] = { -1, 0, 1, 1, 3 };
static const int16_t moves[joints] = { 0, -1, -1, 1, -1 };
static const am_vec3 offsets[joints] = {
    { 0, 0, 0 }, { 0.1f, 0.4f, 0 }, { 0, 0.5f, 0.2f }, { 0, 0, 0 }, { 1, 0, 0 }
};

static ami_pose_shape shape_of(void)
{
    return (ami_pose_shape){ ami_pose_layout_of(joints, moving), parents, moves, offsets };
}

enum { most_rows = 3 * moving + 6 * joints + 3 * moving + 3 * joints + 8, q_rows = AMI_Q_COUNT * joints };

/// Weights of the groups: all different, so that none can stand in for another.
static double weight_of(int g) { return 0.3 + 0.17 * g; }

/// The loss of all groups of y against target, in double; with dy also its gradient.
static double loss_of(const double *y, const double *target, double *dy)
{
    const ami_poses_f64 *p = &ami_poses_double;
    const ami_pose_shape shape = shape_of();
    static double q[q_rows * n], m[9 * joints * n], truth[q_rows * n], truth_m[9 * joints * n];
    double dq[q_rows * n] = { 0 }, sink[most_rows * n] = { 0 }, total = 0.0;
    p->fk(&shape, q, m, y, n);
    p->fk(&shape, truth, truth_m, target, n);
    for (int g = 0; g < AMI_POSE_GROUPS; g++) {
        int first;
        bool of_q;
        const int rows = ami_pose_group(&shape.layout, g, &first, &of_q);
        double *to = (of_q ? dq : dy ? dy : sink) + first * n;
        const double *from = (of_q ? q : y) + first * n, *want = (of_q ? truth : target) + first * n;
        const double w = weight_of(g);
        total += w * (g >= AMI_LVEL_TRANSLATIONS ? p->l1_pairs(to, from, want, rows, n, used, w)
                                                 : p->l1(to, from, want, rows, n, used, w));
    }
    if (dy) {
        p->fk_back(&shape, dy, dq, q, m, y, n);
    }
    return total;
}

static void fill(double *y, uint64_t seed)
{
    am_rng rng = ami_rng_make(seed);
    for (int i = 0; i < most_rows * n; i++) {
        y[i] = (double)am_rng_normal(&rng);
    }
}

static void gradients_of_all_losses_match_differences(void **state)
{
    (void)state;
    double y[most_rows * n], target[most_rows * n], dy[most_rows * n] = { 0 };
    fill(y, 3);
    fill(target, 4);
    loss_of(y, target, dy);
    int tried = 0;
    for (int i = 0; i < most_rows * n; i++) {
        const double kept = y[i];
        double slope[2];
        for (int k = 0; k < 2; k++) {
            const double h = k ? 1e-6 : 2e-6;
            y[i] = kept + h;
            const double up = loss_of(y, target, NULL);
            y[i] = kept - h;
            slope[k] = (up - loss_of(y, target, NULL)) / (2.0 * h);
            y[i] = kept;
        }
        if (fabs(slope[0] - slope[1]) > 1e-5) {
            continue; // a kink of |d| lies within the step
        }
        check_near(dy[i], slope[1], 1e-6 * (fabs(dy[i]) + 1.0));
        tried++;
    }
    assert_true(tried > most_rows * n * 95 / 100);
    for (int r = 0; r < most_rows; r++) { // columns without samples learn nothing
        for (int c = used; c < n; c++) {
            check_near(dy[r * n + c], 0.0, 0.0);
        }
    }
}

static void latent_losses_match_differences(void **state)
{
    (void)state;
    double z[4 * n], dz[4 * n] = { 0 }, none[4 * n] = { 0 }, sink[4 * n];
    am_rng rng = ami_rng_make(8);
    for (int i = 0; i < 4 * n; i++) {
        z[i] = (double)am_rng_normal(&rng);
    }
    const ami_poses_f64 *p = &ami_poses_double;
    p->size(dz, z, 4, n, used, 0.7);
    p->square(dz, z, 4, n, used, 0.4);
    p->l1_pairs(dz, z, none, 4, n, used, 0.9);
    for (int i = 0; i < 4 * n; i++) {
        const double kept = z[i], h = 1e-6;
        double value[2];
        for (int k = 0; k < 2; k++) {
            z[i] = kept + (k ? h : -h);
            value[k] = 0.7 * p->size(sink, z, 4, n, used, 0.0) + 0.4 * p->square(sink, z, 4, n, used, 0.0) +
                       0.9 * p->l1_pairs(sink, z, none, 4, n, used, 0.0);
        }
        z[i] = kept;
        check_near(dz[i], (value[1] - value[0]) / (2.0 * h), 1e-6 * (fabs(dz[i]) + 1.0));
    }
}

static void every_instruction_set_agrees_with_double(void **state)
{
    (void)state;
    static const char *const sets[] = { "base", "avx2", "avx512" };
    const ami_pose_shape shape = shape_of();
    double y[most_rows * n], dy[most_rows * n] = { 0 }, q[q_rows * n], m[9 * joints * n], dq[q_rows * n];
    float ys[most_rows * n], dys[most_rows * n], qs[q_rows * n], ms[9 * joints * n], dqs[q_rows * n];
    fill(y, 5);
    for (int i = 0; i < most_rows * n; i++) {
        ys[i] = (float)y[i];
        y[i] = (double)ys[i];
    }
    ami_poses_double.fk(&shape, q, m, y, n);
    for (int i = 0; i < q_rows * n; i++) {
        dq[i] = sin(0.3 + 1.7 * i);
    }
    ami_poses_double.fk_back(&shape, dy, dq, q, m, y, n);
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        if (!ami_train_ops(sets[s])) {
            continue;
        }
        const ami_poses_f32 *p = ami_train_poses(sets[s]);
        assert_string_equal(p->isa, sets[s]);
        memset(dys, 0, sizeof dys);
        p->fk(&shape, qs, ms, ys, n);
        for (int i = 0; i < q_rows * n; i++) {
            check_near(qs[i], q[i], 2e-5 * (fabs(q[i]) + 1.0));
            dqs[i] = (float)sin(0.3 + 1.7 * i);
        }
        p->fk_back(&shape, dys, dqs, qs, ms, ys, n);
        for (int i = 0; i < most_rows * n; i++) {
            check_near(dys[i], dy[i], 2e-4 * (fabs(dy[i]) + 1.0));
        }
    }
}

/// LMM appendix C as the library computes it, and velocities against the next frame's places (erratum of eq. 5).
static void kinematics_are_the_librarys(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    assert_non_null(db);
    int16_t numbers[AM_MAX_JOINTS];
    for (int j = 0; j < db->joint_count; j++) {
        numbers[j] = -1;
    }
    for (int i = 0; i < db->moving_count; i++) {
        numbers[db->moving[i]] = (int16_t)i;
    }
    const ami_pose_shape shape = { ami_pose_layout_of(db->joint_count, db->moving_count), db->skeleton->parents,
                                   numbers, db->skeleton->offsets };
    const size_t count = (size_t)shape.layout.count, all = (size_t)db->joint_count;
    float *y = calloc(count * n, sizeof *y), *row = calloc(count, sizeof *row);
    float *q = calloc(AMI_Q_COUNT * all * n, sizeof *q), *m = calloc(9 * all * n, sizeof *m);
    for (int c = 0; c < n; c++) {
        ami_pose_vector(db, 30 + 41 * c, row);
        for (size_t i = 0; i < count; i++) {
            y[i * n + (size_t)c] = row[i];
        }
    }
    ami_train_poses("base")->fk(&shape, q, m, y, n);
    am_transform local[AM_MAX_JOINTS], model[AM_MAX_JOINTS], scratch[2 * AM_MAX_JOINTS];
    am_velocity local_velocity[AM_MAX_JOINTS], velocity[AM_MAX_JOINTS];
    for (int c = 0; c < n; c++) {
        am_db_pose(db, 30 + 41 * c, local);
        ami_db_velocity(db, 30 + 41 * c, local_velocity, scratch);
        ami_fk_velocity(model, velocity, local, local_velocity, db->skeleton->parents, db->joint_count);
        for (size_t j = 0; j < all; j++) {
            const float *place = q + (AMI_Q_PLACES * all + 3 * j) * n + (size_t)c;
            const float *linear = q + (AMI_Q_VELOCITIES * all + 3 * j) * n + (size_t)c;
            const float *angular = q + (AMI_Q_ANGULAR * all + 3 * j) * n + (size_t)c;
            check_near(am_v3_distance(am_v3(place[0], place[n], place[2 * n]), model[j].translation), 0.0, 2e-5);
            check_near(am_v3_distance(am_v3(linear[0], linear[n], linear[2 * n]), velocity[j].linear), 0.0, 2e-4);
            check_near(am_v3_distance(am_v3(angular[0], angular[n], angular[2 * n]), velocity[j].angular), 0.0, 2e-4);
        }
    }
    free(y);
    free(row);
    free(q);
    free(m);
    am_db_close(db);
}

TEST_SUITE(poses)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_all_losses_match_differences),
        cmocka_unit_test(latent_losses_match_differences),
        cmocka_unit_test(every_instruction_set_agrees_with_double),
        cmocka_unit_test(kinematics_are_the_librarys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
