// Convert, reroot, rest pose, trim, resample: the motion stays what it is.
#include "support/motion.h"

#include <math.h>

static void converting_scales_and_turns_every_position(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(1, 12, 8, 60.0f);
    am_quat axes = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), -0.5f * AM_PI); // z up to y up
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_convert(&made, clip, 0.01f, axes, 24.0f, NULL, &err), &err);
    check_near(made->fps, 24.0, 0.0);
    for (int f = 0; f < 8; f++) {
        for (int j = 0; j < 12; j++) {
            am_vec3 want = am_v3_scale(am_quat_rotate(axes, test_position(clip, f, j)), 0.01f);
            check_near(am_v3_distance(test_position(made, f, j), want), 0.0, 1e-6);
        }
    }
    check_near(made->skeleton->end_offsets[0].z, -0.001, 1e-6);
    am_clip_destroy(made);
    check_ok(am_clip_convert(&made, clip, 1.0f, am_quat_identity(), 0.0f, NULL, &err), &err);
    check_near(made->fps, 60.0, 0.0);
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void identity_rests_survive_a_change_of_axes(void **state)
{
    (void)state;
    am_clip *clip = test_walker(2);
    am_quat axes = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 0.5f * AM_PI);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_convert(&made, clip, 1.0f, axes, 0.0f, NULL, &err), &err);
    for (int j = 0; j < made->skeleton->joint_count; j++) {
        check_near(made->skeleton->rests[j].w, 1.0, 1e-6);
    }
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void conversions_out_of_range_are_refused(void **state)
{
    (void)state;
    am_clip *clip = test_walker(2);
    am_clip *made = (am_clip *)1;
    am_error err = { 0 };
    check_refused(am_clip_convert(&made, clip, 0.0f, am_quat_identity(), 0.0f, NULL, &err), AM_ERR_RANGE);
    assert_null(made);
    check_refused(am_clip_convert(&made, clip, NAN, am_quat_identity(), 0.0f, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_convert(&made, clip, 1.0f, am_q(0, 0, 0, 0), 0.0f, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_reroot(&made, clip, 23, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_reroot(&made, clip, -1, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_trim(&made, clip, 1, 2, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_trim(&made, clip, 1, 0, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_trim(&made, clip, -1, 0, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_resample(&made, clip, 0.0f, NULL, &err), AM_ERR_RANGE);
    check_refused(am_clip_resample(&made, clip, NAN, NULL, &err), AM_ERR_RANGE);
    am_quat rests[32];
    memset(rests, 0, sizeof rests);
    check_refused(am_clip_set_rest(&made, clip, rests, NULL, &err), AM_ERR_NUMBER);
    assert_non_null(strstr(err.text, "Hips"));
    am_clip_destroy(clip);
}

static void rerooting_keeps_every_kept_joint_where_it_was(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(11, 30, 10, 60.0f);
    for (int root = 0; root < 30; root += 3) {
        am_clip *made = NULL;
        am_error err = { 0 };
        check_ok(am_clip_reroot(&made, clip, root, NULL, &err), &err);
        assert_string_equal(made->skeleton->names[0], clip->skeleton->names[root]);
        assert_int_equal(made->moving[0], 0);
        for (int j = 0; j < made->skeleton->joint_count; j++) {
            int was = am_skeleton_find(clip->skeleton, made->skeleton->names[j]);
            for (int f = 0; f < 10; f += 3) {
                check_near(am_v3_distance(test_position(made, f, j), test_position(clip, f, was)), 0.0, 2e-5);
            }
        }
        am_clip_destroy(made);
    }
    am_clip_destroy(clip);
}

static void rerooting_drops_an_added_root_and_its_other_branches(void **state)
{
    (void)state;
    static const int16_t parents[4] = { -1, 0, 0, 1 };
    static const am_vec3 offsets[4] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0.5f, 0 } };
    static const char *const names[4] = { "Armature", "Hips", "Camera", "Spine" };
    static const int16_t moving[3] = { 0, 1, 3 };
    static const int16_t ends[2] = { 2, 3 };
    static const am_vec3 tips[2] = { { 1, 1, 1 }, { 0, 0.25f, 0 } };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 4;
    def.frame_count = 2;
    def.moving_count = 3;
    def.end_count = 2;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.end_joints = ends;
    def.end_offsets = tips;
    am_clip *clip = NULL;
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    clip->translations[3] = am_v3(5.0f, 0.0f, 0.0f);
    clip->translations[5] = am_v3(0.0f, 0.7f, 0.0f);
    check_ok(am_clip_reroot(&made, clip, 1, NULL, &err), &err);
    assert_int_equal(made->skeleton->joint_count, 2);
    assert_int_equal(made->skeleton->end_count, 1);
    assert_int_equal(made->moving_count, 2);
    check_near(made->skeleton->end_offsets[0].y, 0.25, 0.0);
    check_near(test_position(made, 1, 0).x, 5.0, 1e-6);
    check_near(test_position(made, 1, 1).y, 1.7, 1e-6);
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void another_rest_pose_leaves_the_motion_alone(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(5, 8, 4, 60.0f);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_set_rest(&made, clip, clip->rotations + 8, NULL, &err), &err);
    assert_memory_equal(made->skeleton->rests, clip->rotations + 8, 8 * sizeof(am_quat));
    assert_memory_equal(made->rotations, clip->rotations, 32 * sizeof(am_quat));
    assert_memory_equal(made->translations, clip->translations, 4 * sizeof(am_vec3));
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void trimming_keeps_the_frames_between(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(6, 8, 20, 60.0f);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_trim(&made, clip, 5, 9, NULL, &err), &err);
    assert_int_equal(made->frame_count, 5);
    assert_memory_equal(made->rotations, clip->rotations + 5 * 8, 5 * 8 * sizeof(am_quat));
    assert_memory_equal(made->translations, clip->translations + 5, 5 * sizeof(am_vec3));
    am_clip_destroy(made);
    check_ok(am_clip_trim(&made, clip, 0, 19, NULL, &err), &err);
    assert_true(am_clip_hash(made) == am_clip_hash(clip));
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void resampling_copies_frames_that_fall_on_frames(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(8, 6, 31, 1.0f / 0.0333333f);
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_resample(&made, clip, 60.0f, NULL, &err), &err);
    assert_int_equal(made->frame_count, 61);
    check_near(made->fps, 60.0, 0.0);
    for (int f = 0; f < 31; f++) {
        assert_memory_equal(made->rotations + 12 * f, clip->rotations + 6 * f, 6 * sizeof(am_quat));
        assert_memory_equal(made->translations + 2 * f, clip->translations + f, sizeof(am_vec3));
    }
    am_clip *back = NULL;
    check_ok(am_clip_resample(&back, made, clip->fps, NULL, &err), &err);
    assert_true(am_clip_hash(back) == am_clip_hash(clip));
    am_clip_destroy(back);
    am_clip_destroy(made);
    am_clip_destroy(clip);
    // A ratio that is no simple fraction: the times still fit.
    clip = test_random_clip(8, 6, 31, 30.0f);
    check_ok(am_clip_resample(&made, clip, 59.0f, NULL, &err), &err);
    assert_int_equal(made->frame_count, 60);
    check_near(made->translations[59].z, 59.0 / 59.0, 1e-4);
    check_near(made->translations[30].z, 30.0 / 59.0, 1e-4);
    am_clip_destroy(made);
    am_clip_destroy(clip);
}

static void resampling_edge_lengths_work(void **state)
{
    (void)state;
    am_error err = { 0 };
    for (int frames = 0; frames <= 3; frames++) {
        am_clip *clip = test_random_clip(9, 3, frames, 30.0f);
        am_clip *made = NULL;
        check_ok(am_clip_resample(&made, clip, 120.0f, NULL, &err), &err);
        assert_int_equal(made->frame_count, frames == 0 ? 0 : 4 * (frames - 1) + 1);
        am_clip_destroy(made);
        am_clip_destroy(clip);
    }
    am_clip *clip = test_random_clip(9, 1, 200, 0.01f);
    am_clip *made = (am_clip *)1;
    check_refused(am_clip_resample(&made, clip, 10000.0f, NULL, &err), AM_ERR_LIMIT);
    assert_null(made);
    am_clip_destroy(clip);
}

/// Mean distance (m) of all joints in the odd frames, which resampling made, from the captured ones; `slerp` takes
/// the rotations halfway between neighbours instead.
static double odd_frame_error(const am_clip *clip, const am_clip *made, bool slerp)
{
    am_transform a[64];
    am_transform b[64];
    am_transform next[64];
    int joints = clip->skeleton->joint_count;
    double sum = 0.0;
    int count = 0;
    for (int f = 1; f < made->frame_count; f += 2) {
        am_clip_local(clip, f, a);
        am_clip_local(made, f, b);
        if (slerp) {
            am_vec3 root = b[0].translation;
            am_clip_local(made, f - 1, b);
            am_clip_local(made, f + 1, next);
            for (int j = 0; j < joints; j++) {
                b[j].rotation = am_quat_slerp(b[j].rotation, next[j].rotation, 0.5f);
            }
            b[0].translation = root;
        }
        am_fk(a, a, clip->skeleton->parents, joints);
        am_fk(b, b, clip->skeleton->parents, joints);
        for (int j = 0; j < joints; j++, count++) {
            sum += (double)am_v3_distance(a[j].translation, b[j].translation);
        }
    }
    return count ? sum / count : 0.0;
}

static void cubic_rotations_are_nearer_to_what_was_captured_than_slerp(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char *paths[40];
    int count = test_list(paths, 40, dir);
    double cubic = 0.0;
    double slerp = 0.0;
    am_error err = { 0 };
    for (int i = 0; i < count; i++) {
        am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
        am_clip *half = NULL;
        am_clip *made = NULL;
        check_ok(am_clip_resample(&half, clip, clip->fps * 0.5f, NULL, &err), &err);
        check_ok(am_clip_resample(&made, half, clip->fps, NULL, &err), &err);
        cubic += odd_frame_error(clip, made, false) / count;
        slerp += odd_frame_error(clip, made, true) / count;
        am_clip_destroy(clip);
        am_clip_destroy(half);
        am_clip_destroy(made);
        free(paths[i]);
    }
    printf("60 -> 30 -> 60 Hz: cubic %.3f mm, slerp %.3f mm from the captured frames\n", 1e3 * cubic, 1e3 * slerp);
    assert_true(cubic < 0.85 * slerp);
    assert_true(cubic < 0.0015);
}

/// Mean second difference of all joint positions, scaled to 60 Hz frames.
static double jitter(const am_clip *clip)
{
    am_transform p[3][64];
    int joints = clip->skeleton->joint_count;
    double scale = (double)clip->fps / 60.0;
    double sum = 0.0;
    int count = 0;
    for (int f = 1; f + 1 < clip->frame_count; f++) {
        for (int k = 0; k < 3; k++) {
            am_clip_local(clip, f - 1 + k, p[k]);
            am_fk(p[k], p[k], clip->skeleton->parents, joints);
        }
        for (int j = 0; j < joints; j++, count++) {
            am_vec3 middle = am_v3_scale(p[1][j].translation, -2.0f);
            am_vec3 second = am_v3_add(am_v3_add(p[0][j].translation, p[2][j].translation), middle);
            sum += (double)am_v3_length(second) * scale * scale;
        }
    }
    return count ? sum / count : 0.0;
}

static void doubling_the_rate_of_captured_motion_adds_little_jitter(void **state)
{
    (void)state;
    const char *dir = test_data_dir("accad_male1");
    if (!dir) {
        skip();
    }
    char *paths[20];
    int count = test_list(paths, 20, dir);
    double before = 0.0;
    double after = 0.0;
    am_error err = { 0 };
    for (int i = 0; i < count; i++) {
        am_clip *clip = test_load(paths[i], TEST_ACCAD_UNIT);
        am_clip *made = NULL;
        check_ok(am_clip_resample(&made, clip, 60.0f, NULL, &err), &err);
        before += jitter(clip) / count;
        after += jitter(made) / count;
        am_clip_destroy(clip);
        am_clip_destroy(made);
        free(paths[i]);
    }
    printf("ACCAD 30 -> 60 Hz: jitter %.4f -> %.4f cm\n", 100.0 * before, 100.0 * after);
    assert_true(after < 1.15 * before);
}

TEST_SUITE(convert)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converting_scales_and_turns_every_position),
        cmocka_unit_test(identity_rests_survive_a_change_of_axes),
        cmocka_unit_test(conversions_out_of_range_are_refused),
        cmocka_unit_test(rerooting_keeps_every_kept_joint_where_it_was),
        cmocka_unit_test(rerooting_drops_an_added_root_and_its_other_branches),
        cmocka_unit_test(another_rest_pose_leaves_the_motion_alone),
        cmocka_unit_test(trimming_keeps_the_frames_between),
        cmocka_unit_test(resampling_copies_frames_that_fall_on_frames),
        cmocka_unit_test(resampling_edge_lengths_work),
        cmocka_unit_test(cubic_rotations_are_nearer_to_what_was_captured_than_slerp),
        cmocka_unit_test(doubling_the_rate_of_captured_motion_adds_little_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
