// The BVH writer: what it writes comes back the same, whatever the skeleton.
#include "support/check.h"
#include "support/motion.h"
#include "base/budget.h"
#include "base/rng.h"

#include <math.h>

static am_bytes must_write(const am_clip *clip, bool zero_rest)
{
    am_bytes bytes;
    am_error err = { 0 };
    am_write_def def = am_write_def_default();
    def.zero_rest = zero_rest;
    check_ok(am_bvh_write(&bytes, clip, &def, &err), &err);
    return bytes;
}

static am_clip *read_back(const am_bytes *bytes)
{
    am_clip *clip = NULL;
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    check_ok(am_bvh_read(&clip, bytes->data, bytes->size, &def, &err), &err);
    return clip;
}

static am_clip *round_trip(const am_clip *clip, bool zero_rest)
{
    am_bytes bytes = must_write(clip, zero_rest);
    am_clip *back = read_back(&bytes);
    am_bytes_free(&bytes);
    return back;
}

static am_clip *make(const am_clip_def *def)
{
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, def, &err), &err);
    return clip;
}

static void model_pose(am_transform *out, const am_clip *clip, int frame)
{
    am_clip_local(clip, frame, out);
    am_fk(out, out, clip->skeleton->parents, clip->skeleton->joint_count);
}

/// Angle of a rotation in degrees, without the loss of digits that an arc cosine has near zero.
static double degrees_between(am_quat a, am_quat b)
{
    am_quat d = am_quat_mul(am_quat_inv(a), b);
    double sine = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    return 2.0 * atan2(sine, fabs((double)d.w)) * 180.0 / 3.14159265358979323846;
}

/// Joints are matched by name; model positions within `metres`, local rotations within `degrees` (if >= 0).
static void check_same_motion(const am_clip *a, const am_clip *b, double metres, double degrees)
{
    int joints = a->skeleton->joint_count;
    assert_int_equal(b->skeleton->joint_count, joints);
    assert_int_equal(b->frame_count, a->frame_count);
    assert_true(a->fps == b->fps);
    am_transform pose_a[AM_MAX_JOINTS], pose_b[AM_MAX_JOINTS];
    for (int f = 0; f < a->frame_count; f++) {
        model_pose(pose_a, a, f);
        model_pose(pose_b, b, f);
        for (int j = 0; j < joints; j++) {
            int k = am_skeleton_find(b->skeleton, a->skeleton->names[j]);
            assert_true(k >= 0);
            check_near(am_v3_distance(pose_a[j].translation, pose_b[k].translation), 0, metres);
            if (degrees >= 0.0) {
                check_near(degrees_between(a->rotations[f * joints + j], b->rotations[f * joints + k]), 0, degrees);
            }
        }
    }
}

static void a_random_clip_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        am_clip *clip = test_random_clip(seed, 1 + (int)seed * 3, 40, seed % 2 ? 60.0f : 29.5f);
        am_clip *back = round_trip(clip, false);
        check_same_motion(clip, back, 1e-5, 0.005);
        am_clip_destroy(back);
        am_clip_destroy(clip);
    }
}

static void the_text_is_what_other_programs_expect(void **state)
{
    (void)state;
    const int16_t parents[3] = { -1, 0, 1 };
    const am_vec3 offsets[3] = { { 1, 2, 3 }, { 0, 0.5f, 0 }, { 0.25f, 0, -0.125f } };
    const char *const names[3] = { "Hips", "Upper Leg", "" };
    const int16_t moving[2] = { 0, 2 };
    const int16_t end_joints[1] = { 1 };
    const am_vec3 end_offsets[1] = { { 0, 0.1f, 0 } };
    const am_quat rotations[3] = { { 0, 0, 0, 1 },
                                   { 0, 0, 0.70710678f, 0.70710678f },
                                   { 0.70710678f, 0, 0, 0.70710678f } };
    const am_vec3 translations[2] = { { 4, -5, 6 }, { 0.001f, 0, 0.0000001f } };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 3;
    def.end_count = 1;
    def.frame_count = 1;
    def.moving_count = 2;
    def.fps = 30.0f;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.end_joints = end_joints;
    def.end_offsets = end_offsets;
    def.rotations = rotations;
    def.translations = translations;
    am_clip *clip = make(&def);
    am_bytes bytes = must_write(clip, false);
    static const char wanted[] =
        "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
        "Xrotation\n"
        "\tJOINT Upper_Leg\n\t{\n\t\tOFFSET 0 0.500000 0\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n"
        "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 0.100000 0\n\t\t}\n"
        "\t\tJOINT joint\n\t\t{\n\t\t\tOFFSET 0.250000 0 -0.125000\n"
        "\t\t\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
        "\t\t\tEnd Site\n\t\t\t{\n\t\t\t\tOFFSET 0 0 0\n\t\t\t}\n\t\t}\n\t}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.033333333333\n"
        "4.000000 -5.000000 6.000000 0 0 0 90.00000 0 0 0.001000 0 0.000000 0 0 90.00000\n";
    assert_int_equal(bytes.size, sizeof wanted - 1);
    assert_memory_equal(bytes.data, wanted, bytes.size);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void joints_in_any_order_come_out_depth_first(void **state)
{
    (void)state;
    const int16_t parents[5] = { -1, 0, 0, 1, 2 }; // breadth first
    const am_vec3 offsets[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 1, 1, 0 }, { -1, 1, 0 } };
    const char *const names[5] = { "root", "left", "right", "left_tip", "right_tip" };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 5;
    def.frame_count = 2;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    am_clip *clip = make(&def);
    for (int i = 0; i < 10; i++) {
        clip->rotations[i] = am_quat_from_axis_angle(am_v3(0, 0, 1), 0.1f * (float)i);
    }
    am_clip *back = round_trip(clip, false);
    static const char *const wanted[5] = { "root", "left", "left_tip", "right", "right_tip" };
    for (int j = 0; j < 5; j++) {
        assert_string_equal(back->skeleton->names[j], wanted[j]);
    }
    check_same_motion(clip, back, 1e-5, 0.005);
    am_clip_destroy(back);
    am_clip_destroy(clip);
}

/// A random clip whose rest rotations are anything but zero.
static am_clip *make_with_rests(uint64_t seed)
{
    am_clip *plain = test_random_clip(seed, 12, 20, 60.0f);
    am_quat rests[12];
    am_rng rng = ami_rng_make(seed);
    for (int j = 0; j < 12; j++) {
        am_vec3 axis = am_v3(am_rng_range(&rng, -1, 1), am_rng_range(&rng, -1, 1), am_rng_range(&rng, -1, 1));
        rests[j] = am_quat_from_scaled_axis(am_v3_scale(axis, 2.0f));
    }
    am_clip_def def = am_clip_def_like(plain);
    def.frame_count = plain->frame_count;
    def.rotations = plain->rotations;
    def.translations = plain->translations;
    def.rests = rests;
    am_clip *clip = make(&def);
    am_clip_destroy(plain);
    // The first frame is the rest pose itself.
    memcpy(clip->rotations, rests, sizeof rests);
    return clip;
}

static void rest_rotations_do_not_change_the_motion(void **state)
{
    (void)state;
    am_clip *clip = make_with_rests(3);
    am_clip *back = round_trip(clip, false);
    check_same_motion(clip, back, 1e-5, 0.005);
    am_clip_destroy(back);
    am_clip_destroy(clip);
}

static void zero_rest_bakes_the_rest_pose_and_keeps_positions(void **state)
{
    (void)state;
    am_clip *clip = make_with_rests(4);
    am_clip *back = round_trip(clip, true);
    check_same_motion(clip, back, 1e-5, -1.0);
    for (int j = 0; j < 12; j++) {
        check_near(degrees_between(back->rotations[j], am_quat_identity()), 0, 0.005);
    }
    // Tips too: in frame 5 each end site must be where it was.
    am_transform a[12], b[12];
    model_pose(a, clip, 5);
    model_pose(b, back, 5);
    for (int e = 0; e < clip->skeleton->end_count; e++) {
        int carrier = clip->skeleton->end_joints[e];
        int other = am_skeleton_find(back->skeleton, clip->skeleton->names[carrier]);
        for (int k = 0; k < back->skeleton->end_count; k++) {
            if (back->skeleton->end_joints[k] == other) {
                check_near(am_v3_distance(am_transform_point(a[carrier], clip->skeleton->end_offsets[e]),
                                          am_transform_point(b[other], back->skeleton->end_offsets[k])),
                           0, 1e-5);
            }
        }
    }
    am_clip_destroy(back);
    am_clip_destroy(clip);
}

/// One joint over `frames` frames, its rotation given by the caller.
static am_clip *make_single(int frames)
{
    static const int16_t parents[1] = { -1 };
    static const am_vec3 offsets[1] = { { 0, 0, 0 } };
    static const char *const names[1] = { "a" };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 1;
    def.frame_count = frames;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    return make(&def);
}

static void rotations_at_and_near_the_poles_come_back(void **state)
{
    (void)state;
    am_clip *clip = make_single(2000);
    for (int f = 0; f < 2000; f++) {
        // y within 0.05 degrees of +-90, where angles about z and x melt into one.
        float near = ((float)(f % 1000) - 500.0f) * 1e-4f;
        float y = (f < 1000 ? 90.0f : -90.0f) + near;
        clip->rotations[f] = am_quat_from_euler("zyx", (float)f, y * AM_DEG, 0.3f * (float)f);
    }
    am_clip *back = round_trip(clip, false);
    check_same_motion(clip, back, 1e-5, 0.005);
    am_clip_destroy(back);
    am_clip_destroy(clip);
}

/// The largest step between rows of any rotation channel, in degrees.
static double largest_step(const am_bytes *bytes)
{
    char *text = malloc(bytes->size + 1);
    memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = '\0';
    char *at = strchr(strstr(text, "Frame Time"), '\n');
    double last[6] = { 0 }, largest = 0.0;
    for (int row = 0;; row++) {
        for (int c = 0; c < 6; c++) {
            char *end;
            double value = strtod(at, &end);
            if (end == at) {
                free(text);
                return largest;
            }
            double step = fabs(value - last[c]);
            largest = row > 0 && c >= 3 && step > largest ? step : largest;
            last[c] = value;
            at = end;
        }
    }
}

static void channels_run_on_without_jumps(void **state)
{
    (void)state;
    am_clip *clip = make_single(200);
    for (int f = 0; f < 200; f++) {
        // Swings through half a turn about x and over the pole of y, where plain angles would jump by 180 or 360.
        am_quat swing = am_quat_from_axis_angle(am_v3(1, 0, 0), AM_PI + 0.5f * am_sin(0.1f * (float)f));
        clip->rotations[f] =
            am_quat_mul(am_quat_from_axis_angle(am_v3(0, 1, 0), 1.3f + 0.6f * am_sin(0.05f * (float)f)), swing);
    }
    am_bytes bytes = must_write(clip, false);
    assert_true(largest_step(&bytes) < 10.0);
    am_clip *back = read_back(&bytes);
    check_same_motion(clip, back, 1e-5, 0.005);
    am_clip_destroy(back);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    am_clip *clip = test_random_clip(5, 4, 3, 60.0f);
    clip->rotations[5].y = NAN;
    check_refused(am_bvh_write(&bytes, clip, &def, &err), AM_ERR_NUMBER);
    assert_non_null(strstr(err.text, "frame 1"));
    clip->rotations[5].y = 0.0f;
    clip->translations[2].z = INFINITY;
    check_refused(am_bvh_write(&bytes, clip, &def, &err), AM_ERR_NUMBER);
    clip->translations[2].z = 0.0f;
    am_vec3 *offsets = (am_vec3 *)(uintptr_t)clip->skeleton->offsets;
    offsets[1].x = NAN;
    check_refused(am_bvh_write(&bytes, clip, &def, &err), AM_ERR_NUMBER);
    assert_null(bytes.data);
    am_clip_destroy(clip);
}

static void a_def_not_begun_from_its_default_is_refused(void **state)
{
    (void)state;
    am_clip *clip = make_single(1);
    am_bytes bytes;
    am_error err = { 0 };
    am_write_def def = { 0 };
    check_refused(am_bvh_write(&bytes, clip, &def, &err), AM_ERR_DEF);
    am_clip_destroy(clip);
}

static void each_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(6, 8, 30, 60.0f);
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_write_def def = am_write_def_default();
        def.alloc = &alloc;
        am_bytes bytes;
        am_error err = { 0 };
        am_result result = am_bvh_write(&bytes, clip, &def, &err);
        am_bytes_free(&bytes);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 3);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
    }
    am_clip_destroy(clip);
}

static void real_files_come_back(void **state)
{
    (void)state;
    static const char *const sets[2] = { "locomotion", "accad_male1" };
    bool any = false;
    for (int s = 0; s < 2; s++) {
        const char *folder = test_data_dir(sets[s]);
        char *paths[12];
        int count = folder ? test_list(paths, 12, folder) : 0;
        for (int i = 0; i < count; i++) {
            am_clip *clip = test_load(paths[i], s == 0 ? TEST_CMU_UNIT : TEST_ACCAD_UNIT);
            am_clip *back = round_trip(clip, false);
            check_same_motion(clip, back, 1e-5, 0.005);
            am_clip_destroy(back);
            am_clip_destroy(clip);
            free(paths[i]);
            any = true;
        }
    }
    if (!any) {
        skip();
    }
}

TEST_SUITE(bvh_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_clip_comes_back),
        cmocka_unit_test(the_text_is_what_other_programs_expect),
        cmocka_unit_test(joints_in_any_order_come_out_depth_first),
        cmocka_unit_test(rest_rotations_do_not_change_the_motion),
        cmocka_unit_test(zero_rest_bakes_the_rest_pose_and_keeps_positions),
        cmocka_unit_test(rotations_at_and_near_the_poles_come_back),
        cmocka_unit_test(channels_run_on_without_jumps),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(a_def_not_begun_from_its_default_is_refused),
        cmocka_unit_test(each_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(real_files_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
