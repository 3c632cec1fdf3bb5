// Two-bone inverse kinematics: reaches, bends where it is told, never pops, never makes a NaN.
#include "support/motion.h"
#include "base/rng.h"
#include "data/kinematics.h"

#include <math.h>

#define JOINTS 6 // root, socket of no length, hip, knee, ankle, toe

static const int16_t parents[JOINTS] = { -1, 0, 1, 2, 3, 4 };
static const float thigh = 0.43f;
static const float shin = 0.41f;

typedef struct leg_pose {
    am_transform local[JOINTS];
    am_transform model[JOINTS];
} leg_pose;

/// A leg bent by `bend` at the knee, turned this way and that.
static leg_pose make_leg(float bend, uint64_t seed)
{
    leg_pose pose;
    am_rng rng = ami_rng_make(seed);
    for (int j = 0; j < JOINTS; j++) {
        pose.local[j] = am_transform_identity();
    }
    if (seed) {
        pose.local[0].rotation = am_quat_from_scaled_axis(
            am_v3(am_rng_range(&rng, -1.0f, 1.0f), am_rng_range(&rng, -1.0f, 1.0f), am_rng_range(&rng, -1.0f, 1.0f)));
        pose.local[2].rotation = am_quat_from_scaled_axis(am_v3(am_rng_range(&rng, -1.0f, 1.0f), 0.3f, 0.2f));
        pose.local[4].rotation = am_quat_from_scaled_axis(am_v3(0.4f, -0.2f, 0.1f));
    }
    pose.local[0].translation = am_v3(0.1f, 0.9f, -0.2f);
    pose.local[2].translation = am_v3(0.09f, -0.06f, 0.0f);
    pose.local[3].translation = am_v3(0.0f, -thigh, 0.0f);
    pose.local[3].rotation = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), bend);
    pose.local[4].translation = am_v3(0.0f, -shin, 0.0f);
    pose.local[5].translation = am_v3(0.0f, -0.05f, 0.13f);
    am_fk(pose.model, pose.local, parents, JOINTS);
    return pose;
}

static void solve(leg_pose *pose, am_vec3 target, am_vec3 pole, float soften)
{
    am_transform before[JOINTS];
    memcpy(before, pose->model, sizeof before);
    ami_ik_chain chain = { pose->local, before, 2, 3, 4 };
    ami_ik_two_bone(&chain, target, pole, soften);
    am_fk(pose->model, pose->local, parents, JOINTS);
}

/// A target at `distance` from the hip in direction (x, y, z).
static am_vec3 target_at(const leg_pose *pose, float distance, am_vec3 direction)
{
    am_vec3 unit = am_v3_normalize_or(direction, am_v3(0.0f, -1.0f, 0.0f));
    return am_v3_add(pose->model[2].translation, am_v3_scale(unit, distance));
}

static void targets_within_reach_are_met(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(7);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        leg_pose pose = make_leg(am_rng_range(&rng, 0.0f, 2.5f), seed);
        float soften = seed % 2 ? 0.0f : 0.02f;
        float distance = am_rng_range(&rng, 0.05f, thigh + shin - 0.021f);
        am_vec3 way = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        am_vec3 pole = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        am_vec3 target = target_at(&pose, distance, way);
        am_quat ankle = pose.local[4].rotation;
        solve(&pose, target, pole, soften);
        check_near(am_v3_distance(pose.model[4].translation, target), 0.0, 1e-5);
        assert_memory_equal(&ankle, &pose.local[4].rotation, sizeof ankle);
        check_near(am_v3_distance(pose.model[3].translation, pose.model[2].translation), thigh, 1e-5);
    }
}

static void the_knee_bends_towards_the_pole(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(8);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        leg_pose pose = make_leg(am_rng_range(&rng, 0.0f, 1.5f), seed);
        am_vec3 target = target_at(&pose, 0.6f, am_v3(am_rng_normal(&rng), -2.0f, am_rng_normal(&rng)));
        am_vec3 pole = am_v3(am_rng_normal(&rng), 0.0f, am_rng_normal(&rng));
        solve(&pose, target, pole, 0.0f);
        am_vec3 hip = pose.model[2].translation;
        am_vec3 line = am_v3_normalize_or(am_v3_sub(target, hip), am_v3_zero());
        am_vec3 knee = am_v3_sub(pose.model[3].translation, hip);
        am_vec3 out = am_v3_sub(knee, am_v3_scale(line, am_v3_dot(knee, line)));
        am_vec3 want = am_v3_sub(pole, am_v3_scale(line, am_v3_dot(pole, line)));
        float cosine = am_v3_dot(out, want) / (am_v3_length(out) * am_v3_length(want));
        check_near(cosine, 1.0, 1e-4);
    }
}

static void a_target_where_the_ankle_is_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        leg_pose pose = make_leg(0.02f * (float)seed, seed);
        leg_pose was = pose;
        am_vec3 hip = pose.model[2].translation;
        am_vec3 line = am_v3_normalize_or(am_v3_sub(pose.model[4].translation, hip), am_v3_zero());
        am_vec3 knee = am_v3_sub(pose.model[3].translation, hip);
        am_vec3 pole = am_v3_sub(knee, am_v3_scale(line, am_v3_dot(knee, line)));
        solve(&pose, pose.model[4].translation, pole, 0.0f);
        for (int j = 0; j < JOINTS; j++) {
            // The straighter the leg, the less the distance says about the angle: this is its rounding.
            check_near(am_quat_angle(pose.local[j].rotation, was.local[j].rotation), 0.0, 5e-3);
        }
    }
}

static float knee_angle(const leg_pose *pose)
{
    am_vec3 a = am_v3_sub(pose->model[2].translation, pose->model[3].translation);
    am_vec3 b = am_v3_sub(pose->model[4].translation, pose->model[3].translation);
    return am_atan2(am_v3_length(am_v3_cross(a, b)), am_v3_dot(a, b));
}

/// Largest slope of the knee's angle and largest jump of that slope as the target moves out beyond full stretch.
static void knee_slopes(float soften, double *steepest, double *jump)
{
    const float step = 0.0005f;
    double last_angle = 0.0;
    double last_slope = 0.0;
    *steepest = *jump = 0.0;
    for (int i = 0; i < 800; i++) {
        leg_pose pose = make_leg(0.5f, 0);
        solve(&pose, target_at(&pose, 0.55f + step * (float)i, am_v3(0.0f, -1.0f, 0.0f)), am_v3(0, 0, 1), soften);
        double angle = (double)knee_angle(&pose);
        double slope = (angle - last_angle) / (double)step;
        if (i > 0) {
            *steepest = fabs(slope) > *steepest ? fabs(slope) : *steepest;
        }
        if (i > 1) {
            *jump = fabs(slope - last_slope) > *jump ? fabs(slope - last_slope) : *jump;
        }
        last_angle = angle;
        last_slope = slope;
    }
}

static void the_knee_does_not_pop_near_full_stretch(void **state)
{
    (void)state;
    double soft, soft_jump, hard, hard_jump;
    knee_slopes(0.03f, &soft, &soft_jump);
    knee_slopes(0.0f, &hard, &hard_jump);
    printf("knee angle per metre of target: eased %.1f (jump %.2f), not eased %.1f (jump %.1f)\n", soft, soft_jump,
           hard, hard_jump);
    // Continuous slope: half a millimetre changes it little. Without easing it breaks off steeply.
    assert_true(soft < 12.0);
    assert_true(soft_jump < 0.2);
    assert_true(hard > 60.0);
    assert_true(hard_jump > 30.0);
}

static void targets_out_of_reach_stretch_or_fold_the_leg_towards_them(void **state)
{
    (void)state;
    leg_pose pose = make_leg(0.4f, 3);
    am_vec3 target = target_at(&pose, 5.0f, am_v3(1.0f, -1.0f, 0.5f));
    am_vec3 hip = pose.model[2].translation;
    solve(&pose, target, am_v3(0, 0, 1), 0.0f);
    check_near(am_v3_distance(hip, pose.model[4].translation), thigh + shin, 1e-4);
    am_vec3 want = am_v3_normalize_or(am_v3_sub(target, hip), am_v3_zero());
    am_vec3 have = am_v3_normalize_or(am_v3_sub(pose.model[4].translation, hip), am_v3_zero());
    check_near(am_v3_distance(want, have), 0.0, 1e-3);
    pose = make_leg(0.4f, 3);
    solve(&pose, pose.model[2].translation, am_v3(0, 0, 1), 0.0f);
    check_near(am_v3_distance(hip, pose.model[4].translation), thigh - shin, 1e-3);
    pose = make_leg(0.4f, 3);
    solve(&pose, target_at(&pose, 0.01f, am_v3(0, -1, 0)), am_v3(0, 0, 1), 0.02f);
    assert_true(am_v3_distance(hip, pose.model[4].translation) < 0.04f);
}

static void bad_numbers_and_bones_without_length_change_nothing(void **state)
{
    (void)state;
    static const float odd[] = { NAN, INFINITY, -INFINITY, 1e30f, 0.0f };
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            leg_pose pose = make_leg(0.0f, 0);
            solve(&pose, am_v3(odd[i], 0.0f, odd[k]), am_v3(odd[k], odd[i], 0.0f), i == k ? odd[i] : 0.01f);
            for (int j = 0; j < JOINTS; j++) {
                am_quat q = pose.local[j].rotation;
                check_near(am_quat_dot(q, q), 1.0, 1e-5); // fails for NaN
            }
        }
    }
    leg_pose pose = make_leg(0.3f, 0);
    pose.local[4].translation = am_v3_zero();
    am_fk(pose.model, pose.local, parents, JOINTS);
    leg_pose was = pose;
    solve(&pose, am_v3_zero(), am_v3(0, 0, 1), 0.0f);
    assert_memory_equal(was.local, pose.local, sizeof was.local);
}

static void poles_along_the_leg_fall_back_on_the_bend_there_is(void **state)
{
    (void)state;
    leg_pose pose = make_leg(0.8f, 0);
    am_vec3 way = am_v3_sub(pose.model[4].translation, pose.model[2].translation);
    am_vec3 knee = pose.model[3].translation;
    solve(&pose, pose.model[4].translation, way, 0.0f);
    check_near(am_v3_distance(knee, pose.model[3].translation), 0.0, 1e-3);
    // A straight leg and no pole at all: some bend, and the target is met.
    pose = make_leg(0.0f, 0);
    am_vec3 target = target_at(&pose, 0.5f, am_v3(0, -1, 0));
    solve(&pose, target, am_v3_zero(), 0.0f);
    check_near(am_v3_distance(pose.model[4].translation, target), 0.0, 1e-5);
}

static void a_kept_rotation_is_the_one_before(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        leg_pose pose = make_leg(0.6f, seed);
        leg_pose was = pose;
        am_vec3 target = target_at(&pose, 0.7f, am_v3(0.2f, -1.0f, 0.3f));
        solve(&pose, target, am_v3(0, 0, 1), 0.01f);
        assert_true(am_quat_angle(pose.model[4].rotation, was.model[4].rotation) > 0.01f);
        ami_ik_keep_rotation(pose.local, was.model, parents, 4);
        am_fk(pose.model, pose.local, parents, JOINTS);
        check_near(am_quat_angle(pose.model[4].rotation, was.model[4].rotation), 0.0, 1e-3);
        check_near(am_v3_distance(pose.model[4].translation, target), 0.0, 1e-5);
    }
}

TEST_SUITE(ik)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_within_reach_are_met),
        cmocka_unit_test(the_knee_bends_towards_the_pole),
        cmocka_unit_test(a_target_where_the_ankle_is_changes_nothing),
        cmocka_unit_test(the_knee_does_not_pop_near_full_stretch),
        cmocka_unit_test(targets_out_of_reach_stretch_or_fold_the_leg_towards_them),
        cmocka_unit_test(bad_numbers_and_bones_without_length_change_nothing),
        cmocka_unit_test(poles_along_the_leg_fall_back_on_the_bend_there_is),
        cmocka_unit_test(a_kept_rotation_is_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
