// Bad stretches: each kind planted in a clean walk must be found where it is, and a clean walk must be left alone.
#include "support/motion.h"

#include "clip/faults.h"
#include "base/budget.h"
#include "data/kinematics.h"

enum { FRAMES = 240, MOST = 64 };

static am_fault found[MOST];

static int find(const am_clip *clip, const am_roles *roles)
{
    int count = -1;
    am_error err = { 0 };
    check_ok(am_faults_find(found, MOST, &count, clip, roles, NULL, &err), &err);
    return count < MOST ? count : MOST;
}

/// The first fault of a kind that overlaps first..last, or NULL.
static const am_fault *find_kind(int count, am_fault_kind kind, int first, int last)
{
    for (int i = 0; i < count; i++) {
        if (found[i].kind == kind && found[i].first <= last && found[i].last >= first) {
            return &found[i];
        }
    }
    return NULL;
}

static am_quat *turn(am_clip *clip, int frame, const char *joint)
{
    return &clip->rotations[frame * clip->skeleton->joint_count + am_skeleton_find(clip->skeleton, joint)];
}

/// A walker that also swings its arms and travels, so that no limb stands still.
static am_clip *mover(am_roles *roles)
{
    am_clip *clip = test_walker(FRAMES);
    *roles = test_roles(clip->skeleton);
    for (int f = 0; f < FRAMES; f++) {
        float swing = 0.4f * am_sin(0.1f * (float)f);
        am_vec3 axis = am_v3(0.0f, 1.0f, 0.0f);
        *turn(clip, f, "LeftArm") = am_quat_from_axis_angle(axis, swing);
        *turn(clip, f, "RightArm") = am_quat_from_axis_angle(axis, swing + 0.1f);
        am_quat tremble = am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), 0.05f * swing);
        *turn(clip, f, "LeftUpLeg") = am_quat_mul(*turn(clip, f, "LeftUpLeg"), tremble);
        *turn(clip, f, "RightUpLeg") = am_quat_mul(*turn(clip, f, "RightUpLeg"), tremble);
        *turn(clip, f, "Spine") = am_quat_from_axis_angle(axis, 0.1f * swing);
        clip->translations[f].z += 0.02f * (float)f;
    }
    return clip;
}

static void a_clean_walk_has_no_faults(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    int count = find(clip, &roles);
    for (int i = 0; i < count; i++) {
        fail_msg("%s at %d-%d", am_fault_name(found[i].kind), found[i].first, found[i].last);
    }
    assert_true(ami_rest_is_stance(clip->skeleton, &roles));
    am_clip_destroy(clip);
}

static void a_jump_of_the_hips_is_a_step_that_can_be_bridged(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    clip->translations[100].x += 0.05f;
    int count = find(clip, &roles);
    const am_fault *fault = find_kind(count, AM_FAULT_STEP, 100, 100);
    assert_non_null(fault);
    assert_int_equal(fault->joint, 0);
    check_near(fault->amount, 0.10, 0.02);
    assert_false(fault->serious);
    am_clip *repaired = NULL;
    am_error err = { 0 };
    check_ok(am_clip_bridge(&repaired, clip, fault->first, fault->last, NULL, &err), &err);
    assert_int_equal(find(repaired, &roles), 0);
    am_clip_destroy(repaired);
    am_clip_destroy(clip);
}

static void a_jump_at_the_very_start_must_be_cut(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    clip->translations[1].x += 0.06f;
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_STEP, 0, 2);
    assert_non_null(fault);
    assert_true(fault->serious);
    am_clip_destroy(clip);
}

static void a_leg_that_jumps_is_named(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    *turn(clip, 80, "RightUpLeg") = am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), 0.6f);
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_STEP, 80, 80);
    assert_non_null(fault);
    assert_true(strncmp(clip->skeleton->names[fault->joint], "Right", 5) == 0);
    am_clip_destroy(clip);
}

static void a_body_frozen_in_full_motion_is_found(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    size_t joints = (size_t)clip->skeleton->joint_count;
    for (int f = 151; f < 171; f++) {
        memcpy(clip->rotations + (size_t)f * joints, clip->rotations + 150 * joints, joints * sizeof(am_quat));
        clip->translations[f] = clip->translations[150];
    }
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_FROZEN, 150, 170);
    assert_non_null(fault);
    assert_int_equal(fault->first, 150);
    assert_int_equal(fault->last, 170);
    assert_int_equal(fault->joint, -1);
    assert_true(fault->serious);
    am_clip_destroy(clip);
}

static void a_person_who_stands_still_is_not_frozen(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    size_t joints = (size_t)clip->skeleton->joint_count;
    for (int f = 1; f < FRAMES; f++) {
        memcpy(clip->rotations + (size_t)f * joints, clip->rotations, joints * sizeof(am_quat));
        clip->translations[f] = clip->translations[0];
    }
    assert_int_equal(find(clip, &roles), 0);
    am_clip_destroy(clip);
}

static void an_arm_that_is_no_longer_tracked_is_found(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    for (int f = 100; f < 160; f++) {
        *turn(clip, f, "LeftArm") = *turn(clip, 100, "LeftArm");
    }
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_FROZEN, 100, 159);
    assert_non_null(fault);
    assert_int_equal(fault->joint, am_skeleton_find(clip->skeleton, "LeftArm"));
    assert_true(fault->first >= 98 && fault->last <= 160);
    am_clip_destroy(clip);
}

static void an_arm_that_comes_gently_to_rest_is_held_on_purpose(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    for (int f = 60; f < 180; f++) { // eased in and out, as an animator does
        float t = am_clamp(am_min((float)(f - 60), (float)(179 - f)) / 30.0f, 0.0f, 1.0f);
        float swing = 0.4f * am_sin(0.1f * (float)f);
        float ease = t * t * (3.0f - 2.0f * t);
        *turn(clip, f, "LeftArm") = am_quat_from_axis_angle(am_v3(0.0f, 1.0f, 0.0f), swing * (1.0f - ease));
    }
    assert_null(find_kind(find(clip, &roles), AM_FAULT_FROZEN, 0, FRAMES - 1));
    am_clip_destroy(clip);
}

static void a_flipped_joint_is_found_and_a_flipped_hand_forgiven(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    for (int f = 120; f < FRAMES; f++) {
        *turn(clip, f, "Head") = am_quat_from_axis_angle(am_v3(0.0f, 1.0f, 0.0f), 3.0f);
        *turn(clip, f, "LeftHand") = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 3.0f);
    }
    int count = find(clip, &roles);
    bool head = false;
    bool hand = false;
    for (int i = 0; i < count; i++) {
        if (found[i].kind == AM_FAULT_FLIP && found[i].first == 119) {
            head = head || (found[i].joint == roles.joint[AM_ROLE_HEAD] && found[i].serious);
            hand = hand || (found[i].joint == roles.joint[AM_ROLE_LEFT_HAND] && !found[i].serious);
        }
    }
    assert_true(head);
    assert_true(hand);
    const am_fault *fault = find_kind(count, AM_FAULT_RANGE, 120, FRAMES - 1);
    assert_non_null(fault);
    assert_int_equal(fault->last, FRAMES - 1);
    am_clip_destroy(clip);
}

static void joints_beyond_their_range_are_found_at_any_speed(void **state)
{
    (void)state;
    static const struct {
        const char *joint;
        float angle_deg;
        bool bad;
    } cases[] = {
        { "LeftUpLeg", 160.0f, true },   { "LeftUpLeg", 130.0f, false },   { "RightFoot", 140.0f, true },
        { "RightFoot", 60.0f, false },   { "Spine", 120.0f, true },        { "Spine", 60.0f, false },
        { "Neck1", 110.0f, true },       { "Neck1", 60.0f, false },        { "RightLeg", 175.0f, true },
        { "LeftForeArm", 178.0f, true }, { "LeftForeArm", 150.0f, false },
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        am_roles roles;
        am_clip *clip = mover(&roles);
        for (int f = 0; f < FRAMES; f++) { // slowly in and out
            float t = am_sin(AM_PI * (float)f / (float)FRAMES);
            *turn(clip, f, cases[i].joint) =
                am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), t * cases[i].angle_deg * AM_DEG);
        }
        const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_RANGE, 0, FRAMES - 1);
        if ((fault != NULL) != cases[i].bad) {
            fail_msg("%s at %.0f degrees: %s", cases[i].joint, (double)cases[i].angle_deg,
                     fault ? "called bad" : "missed");
        }
        am_clip_destroy(clip);
    }
}

static void ranges_are_not_judged_from_a_contorted_rest_pose(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    am_vec3 *offsets = (am_vec3 *)clip->skeleton->offsets;
    offsets[am_skeleton_find(clip->skeleton, "LeftLeg")] = am_v3(0.42f, 0.0f, 0.0f);
    assert_false(ami_rest_is_stance(clip->skeleton, &roles));
    for (int f = 50; f < FRAMES; f++) {
        *turn(clip, f, "RightFoot") = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 3.0f);
    }
    assert_null(find_kind(find(clip, &roles), AM_FAULT_RANGE, 0, FRAMES - 1));
    am_clip_destroy(clip);
}

static void feet_that_sink_and_floors_that_shift_are_shown(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = test_walker(FRAMES);
    roles = test_roles(clip->skeleton);
    for (int f = 120; f < 150; f++) {
        float t = am_sin(AM_PI * (float)(f - 120) / 30.0f);
        clip->translations[f].y -= 0.12f * t * t;
    }
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_FLOOR, 125, 145);
    assert_non_null(fault);
    assert_true(fault->amount < -0.06f);
    assert_false(fault->serious);
    am_clip_destroy(clip);
    clip = test_walker(FRAMES);
    for (int f = 60; f < FRAMES; f++) {
        clip->translations[f].y += 0.1f * am_min(1.0f, (float)(f - 60) / 60.0f);
    }
    fault = find_kind(find(clip, &roles), AM_FAULT_FLOOR, 60, FRAMES - 1);
    assert_non_null(fault);
    assert_true(fault->amount > 0.06f);
    am_clip_destroy(clip);
}

static void a_pose_that_falls_to_the_origin_is_found(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    for (int f = 60; f < 63; f++) {
        clip->translations[f] = am_v3_zero();
    }
    const am_fault *fault = find_kind(find(clip, &roles), AM_FAULT_ORIGIN, 60, 62);
    assert_non_null(fault);
    assert_int_equal(fault->first, 60);
    assert_int_equal(fault->last, 62);
    am_clip_destroy(clip);
}

static void numbers_that_are_not_finite_are_found_and_stop_nothing_else(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    clip->translations[30].x = NAN;
    turn(clip, 31, "Neck")->w = INFINITY;
    clip->translations[200].x += 0.06f;
    int count = find(clip, &roles);
    const am_fault *fault = find_kind(count, AM_FAULT_NUMBER, 30, 31);
    assert_non_null(fault);
    assert_int_equal(fault->first, 30);
    assert_int_equal(fault->last, 31);
    assert_non_null(find_kind(count, AM_FAULT_STEP, 200, 200));
    assert_null(find_kind(count, AM_FAULT_STEP, 28, 33));
    am_clip_destroy(clip);
}

static void faults_come_in_order_and_are_counted_beyond_the_room(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    for (int f = 40; f < FRAMES - 10; f += 40) {
        clip->translations[f].x += 0.06f;
    }
    int all = find(clip, &roles);
    assert_true(all >= 4);
    for (int i = 1; i < all; i++) {
        assert_true(found[i].first >= found[i - 1].first);
    }
    int count = 0;
    am_error err = { 0 };
    check_ok(am_faults_find(found, 2, &count, clip, &roles, NULL, &err), &err);
    assert_int_equal(count, all);
    check_ok(am_faults_find(NULL, 0, &count, clip, &roles, NULL, &err), &err);
    assert_int_equal(count, all);
    am_clip_destroy(clip);
}

static void wrong_roles_and_missing_memory_are_refused(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    int count = 0;
    am_error err = { 0 };
    am_roles wrong = roles;
    wrong.joint[AM_ROLE_HEAD] = 400;
    check_refused(am_faults_find(found, MOST, &count, clip, &wrong, NULL, &err), AM_ERR_ROLE);
    check_refused(am_faults_find(found, MOST, &count, clip, NULL, NULL, &err), AM_ERR_DEF);
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 1;
    am_alloc alloc = ami_budget_alloc(&budget);
    check_refused(am_faults_find(found, MOST, &count, clip, &roles, &alloc, &err), AM_ERR_MEMORY);
    assert_int_equal(budget.live_count, 0);
    assert_string_equal(am_fault_name((am_fault_kind)99), "none");
    am_roles none = ami_roles_none();
    check_ok(am_faults_find(found, MOST, &count, clip, &none, NULL, &err), &err);
    am_clip_destroy(clip);
}

// ---------------------------------------------------------------------------------------------
// Bridging

static void a_bridge_meets_the_good_frames_and_keeps_the_others(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    am_clip *broken = mover(&roles);
    for (int f = 90; f < 95; f++) {
        broken->translations[f] = am_v3(9.0f, 9.0f, 9.0f);
        *turn(broken, f, "LeftArm") = am_q(0.0f, 1.0f, 0.0f, 0.0f);
    }
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_bridge(&made, broken, 90, 94, NULL, &err), &err);
    for (int f = 0; f < FRAMES; f++) {
        float away = am_v3_distance(made->translations[f], clip->translations[f]);
        assert_true(away <= (f >= 90 && f < 95 ? 0.002f : 0.0f));
        assert_true(am_quat_angle(*turn(made, f, "LeftArm"), *turn(clip, f, "LeftArm")) < 0.01f);
    }
    am_clip_destroy(made);
    am_clip_destroy(broken);
    am_clip_destroy(clip);
}

static void a_bridge_needs_frames_on_both_sides(void **state)
{
    (void)state;
    am_roles roles;
    am_clip *clip = mover(&roles);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_refused(am_clip_bridge(&made, clip, 0, 3, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_bridge(&made, clip, 230, FRAMES - 1, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_bridge(&made, clip, 50, 49, NULL, &err), AM_ERR_RANGE);
    assert_null(made);
    check_ok(am_clip_bridge(&made, clip, 1, 1, NULL, &err), &err); // one frame before is enough
    am_clip_destroy(made);
    check_ok(am_clip_bridge(&made, clip, 200, FRAMES - 2, NULL, &err), &err);
    am_clip_destroy(made);
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 1;
    am_alloc alloc = ami_budget_alloc(&budget);
    check_refused(am_clip_bridge(&made, clip, 50, 55, &alloc, &err), AM_ERR_MEMORY);
    assert_int_equal(budget.live_count, 0);
    am_clip_destroy(clip);
}

TEST_SUITE(faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_walk_has_no_faults),
        cmocka_unit_test(a_jump_of_the_hips_is_a_step_that_can_be_bridged),
        cmocka_unit_test(a_jump_at_the_very_start_must_be_cut),
        cmocka_unit_test(a_leg_that_jumps_is_named),
        cmocka_unit_test(a_body_frozen_in_full_motion_is_found),
        cmocka_unit_test(a_person_who_stands_still_is_not_frozen),
        cmocka_unit_test(an_arm_that_is_no_longer_tracked_is_found),
        cmocka_unit_test(an_arm_that_comes_gently_to_rest_is_held_on_purpose),
        cmocka_unit_test(a_flipped_joint_is_found_and_a_flipped_hand_forgiven),
        cmocka_unit_test(joints_beyond_their_range_are_found_at_any_speed),
        cmocka_unit_test(ranges_are_not_judged_from_a_contorted_rest_pose),
        cmocka_unit_test(feet_that_sink_and_floors_that_shift_are_shown),
        cmocka_unit_test(a_pose_that_falls_to_the_origin_is_found),
        cmocka_unit_test(numbers_that_are_not_finite_are_found_and_stop_nothing_else),
        cmocka_unit_test(faults_come_in_order_and_are_counted_beyond_the_room),
        cmocka_unit_test(wrong_roles_and_missing_memory_are_refused),
        cmocka_unit_test(a_bridge_meets_the_good_frames_and_keeps_the_others),
        cmocka_unit_test(a_bridge_needs_frames_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
