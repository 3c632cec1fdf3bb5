// Mirroring: partners by name, and what mirrored motion must keep.
#include "support/motion.h"

/// A flat skeleton with these names under one root.
static am_clip *named(const char *const *names, int count)
{
    int16_t parents[64];
    am_vec3 offsets[64];
    for (int j = 0; j < count; j++) {
        parents[j] = (int16_t)(j == 0 ? -1 : 0);
        offsets[j] = am_v3_zero();
    }
    am_clip_def def = am_clip_def_default();
    def.joint_count = count;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    return clip;
}

static void partners_are_found_in_every_naming_in_use(void **state)
{
    (void)state;
    // Pairs stand side by side.
    static const char *const names[] = {
        "root",
        "Spine",
        "LeftArm",
        "RightArm",
        "mixamorig:LeftFoot",
        "mixamorig:RightFoot",
        "hand_left",
        "hand_right",
        "LEFTKNEE",
        "RIGHTKNEE",
        "LHipJoint",
        "RHipJoint",
        "LThumb",
        "RThumb",
        "lfemur",
        "rfemur",
        "lFoot",
        "rFoot",
        "thigh_l",
        "thigh_r",
        "UpperArm.L",
        "UpperArm.R",
        "Bip01 L Thigh",
        "Bip01 R Thigh",
        "l_wrist",
        "r_wrist",
        "L_Ear",
        "R_Ear",
        "ToeL",
        "ToeR",
        "finger_l_01",
        "finger_r_01",
        "upperArmLTwist",
        "upperArmRTwist",
        "J_Bip_L_Shin",
        "J_Bip_R_Shin",
        "rig:l.clav",
        "rig:r.clav",
    };
    int count = (int)(sizeof names / sizeof names[0]);
    am_clip *clip = named(names, count);
    int16_t map[64];
    am_mirror_map(map, clip->skeleton);
    assert_int_equal(map[0], 0);
    assert_int_equal(map[1], 1);
    for (int j = 2; j < count; j++) {
        if (map[j] != (j ^ 1)) {
            fail_msg("'%s' was paired with '%s'", names[j], names[map[j]]);
        }
    }
    am_clip_destroy(clip);
}

static void names_without_a_partner_stay_alone(void **state)
{
    (void)state;
    static const char *const names[] = { "left", "right", "Head", "LeftHand", "lowerback", "relbow", "Cleft" };
    am_clip *clip = named(names, 7);
    int16_t map[64];
    am_mirror_map(map, clip->skeleton);
    for (int j = 0; j < 7; j++) {
        assert_int_equal(map[j], j); // the root is on no side, and so its partner is alone too
    }
    am_clip_destroy(clip);
    char longest[400];
    memset(longest, 'L', sizeof longest - 1);
    longest[399] = '\0';
    const char *const two[] = { "root", longest };
    clip = named(two, 2);
    am_mirror_map(map, clip->skeleton);
    assert_int_equal(map[1], 1);
    am_clip_destroy(clip);
}

static void only_mutual_partners_count(void **state)
{
    (void)state;
    static const char *const names[] = { "root", "lLeftEye", "rRightEye", "lRightEye" };
    am_clip *clip = named(names, 4);
    int16_t map[64];
    am_mirror_map(map, clip->skeleton);
    for (int j = 0; j < 4; j++) {
        assert_int_equal(map[map[j]], j);
    }
    // lLeftEye swaps its word to lRightEye, which swaps back; rRightEye names lRightEye by its letter alone.
    assert_int_equal(map[1], 3);
    assert_int_equal(map[2], 2);
    am_clip_destroy(clip);
}

static void mirroring_twice_gives_the_clip_again(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(21, 16, 12, 60.0f);
    // Any involution that leaves the root alone will do, here with rest poses that are not symmetrical.
    int16_t map[16] = { 0, 2, 1, 3, 5, 4, 7, 6, 8, 9, 11, 10, 15, 13, 14, 12 };
    am_clip *once = NULL;
    am_clip *twice = NULL;
    am_error err = { 0 };
    check_ok(am_clip_mirror(&once, clip, map, NULL, &err), &err);
    check_ok(am_clip_mirror(&twice, once, map, NULL, &err), &err);
    for (int i = 0; i < 16 * 12; i++) {
        check_near(am_quat_angle(twice->rotations[i], clip->rotations[i]), 0.0, 2e-3);
    }
    for (int f = 0; f < 12; f++) {
        check_near(am_v3_distance(twice->translations[f], clip->translations[f]), 0.0, 1e-6);
        check_near(once->translations[f].x, -clip->translations[f].x, 0.0);
    }
    am_clip_destroy(clip);
    am_clip_destroy(once);
    am_clip_destroy(twice);
}

static void a_symmetrical_body_mirrors_exactly(void **state)
{
    (void)state;
    am_clip *clip = test_walker(60);
    int16_t map[32];
    am_mirror_map(map, clip->skeleton);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_mirror(&made, clip, map, NULL, &err), &err);
    for (int f = 0; f < 60; f += 7) {
        for (int j = 0; j < clip->skeleton->joint_count; j++) {
            am_vec3 want = test_position(clip, f, map[j]);
            want.x = -want.x;
            check_near(am_v3_distance(test_position(made, f, j), want), 0.0, 1e-5);
        }
    }
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

static void moving_joints_take_their_partners_way(void **state)
{
    (void)state;
    static const char *const names[] = { "root", "LeftEye", "RightEye" };
    static const int16_t parents[] = { -1, 0, 0 };
    static const am_vec3 offsets[] = { { 0, 0, 0 }, { 0.1f, 0, 0 }, { -0.1f, 0, 0 } };
    static const int16_t moving[] = { 0, 1 };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 3;
    def.frame_count = 1;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.moving_count = 2;
    am_clip *clip = NULL;
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    clip->translations[1] = am_v3(0.15f, 0.02f, 0.03f);
    int16_t map[3];
    am_mirror_map(map, clip->skeleton);
    check_ok(am_clip_mirror(&made, clip, map, NULL, &err), &err);
    assert_int_equal(made->moving_count, 3);
    check_near(am_v3_distance(test_position(made, 0, 2), am_v3(-0.15f, 0.02f, 0.03f)), 0.0, 1e-6);
    check_near(am_v3_distance(test_position(made, 0, 1), am_v3(0.1f, 0.0f, 0.0f)), 0.0, 1e-6);
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

static void maps_that_do_not_pair_are_refused(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(2, 3, 2, 60.0f);
    am_clip *made = (am_clip *)1;
    am_error err = { 0 };
    int16_t crossed[3] = { 0, 2, 2 };
    int16_t outside[3] = { 0, 3, 2 };
    int16_t root[3] = { 1, 0, 2 };
    check_refused(am_clip_mirror(&made, clip, crossed, NULL, &err), AM_ERR_SKELETON);
    assert_null(made);
    check_refused(am_clip_mirror(&made, clip, outside, NULL, &err), AM_ERR_SKELETON);
    check_refused(am_clip_mirror(&made, clip, root, NULL, &err), AM_ERR_SKELETON);
    check_refused(am_skeleton_symmetric(&made, clip, crossed, NULL, &err), AM_ERR_SKELETON);
    am_clip_destroy(clip);
}

static void captured_walks_keep_bones_and_swap_contacts(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char path[1100];
    snprintf(path, sizeof path, "%s/02_01.bvh", dir);
    am_clip *clip = test_load(path, TEST_CMU_UNIT);
    am_roles roles = test_roles(clip->skeleton);
    int joints = clip->skeleton->joint_count;
    int16_t map[64];
    am_mirror_map(map, clip->skeleton);
    int paired = 0;
    for (int j = 0; j < joints; j++) {
        paired += map[j] != j;
    }
    assert_int_equal(paired, 24); // all but hips, back, spine, neck and head
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_mirror(&made, clip, map, NULL, &err), &err);
    for (int j = 1; j < joints; j++) {
        am_vec3 bone = am_v3_sub(test_position(made, 50, j), test_position(made, 50, clip->skeleton->parents[j]));
        check_near(am_v3_length(bone), am_v3_length(clip->skeleton->offsets[j]), 1e-5);
    }
    uint8_t was[2000];
    uint8_t is[2000];
    am_contact_def def = am_contact_def_default();
    check_ok(am_contacts_find(was, clip, &roles, &def, NULL, &err), &err);
    check_ok(am_contacts_find(is, made, &roles, &def, NULL, &err), &err);
    int same = 0;
    for (int f = 0; f < clip->frame_count; f++) {
        uint8_t swapped = (uint8_t)((was[f] & 1u) << 1 | (was[f] & 2u) >> 1);
        same += swapped == is[f];
    }
    // Legs of unequal length and feet of unequal slope shift a few lift-offs.
    assert_true(same > clip->frame_count * 9 / 10);
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

static void a_symmetrical_skeleton_has_equal_sides(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char path[1100];
    snprintf(path, sizeof path, "%s/69_01.bvh", dir);
    am_clip *clip = test_load(path, TEST_CMU_UNIT);
    const am_skeleton *was = clip->skeleton;
    int16_t map[64];
    am_mirror_map(map, was);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_skeleton_symmetric(&made, clip, map, NULL, &err), &err);
    const am_skeleton *s = made->skeleton;
    assert_true(am_skeleton_same_shape(s, was));
    assert_int_equal(made->frame_count, 0);
    int toe = am_skeleton_find(was, "LeftToeBase");
    assert_true(am_abs(was->offsets[toe].y - was->offsets[map[toe]].y) > 0.01f); // lopsided as captured
    for (int j = 0; j < s->joint_count; j++) {
        am_vec3 other = s->offsets[map[j]];
        check_near(am_v3_distance(s->offsets[j], am_v3(-other.x, other.y, other.z)), 0.0, 1e-7);
    }
    check_near(am_abs(s->end_offsets[0].z - s->end_offsets[1].z), 0.0, 1e-7);
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

TEST_SUITE(mirror)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_are_found_in_every_naming_in_use),
        cmocka_unit_test(names_without_a_partner_stay_alone),
        cmocka_unit_test(only_mutual_partners_count),
        cmocka_unit_test(mirroring_twice_gives_the_clip_again),
        cmocka_unit_test(a_symmetrical_body_mirrors_exactly),
        cmocka_unit_test(moving_joints_take_their_partners_way),
        cmocka_unit_test(maps_that_do_not_pair_are_refused),
        cmocka_unit_test(captured_walks_keep_bones_and_swap_contacts),
        cmocka_unit_test(a_symmetrical_skeleton_has_equal_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
