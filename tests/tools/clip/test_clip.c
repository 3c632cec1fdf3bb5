// Skeletons, clips and forward kinematics: what is refused, what is copied, and velocities against differences.
#include "support/motion.h"
#include "data/kinematics.h"

#include <math.h>

static am_clip_def two_joints(void)
{
    static const int16_t parents[2] = { -1, 0 };
    static const am_vec3 offsets[2] = { { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.5f, 0.0f } };
    static const char *const names[2] = { "root", "tip" };
    static const int16_t moving[1] = { 0 };
    am_clip_def def = am_clip_def_default();
    def.joint_count = 2;
    def.frame_count = 3;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.moving_count = 1;
    return def;
}

static am_result refuse(const am_clip_def *def)
{
    am_clip *clip = (am_clip *)1;
    am_error err = { 0 };
    am_result result = am_clip_create(&clip, def, &err);
    assert_null(clip);
    assert_int_equal(err.code, result);
    assert_true(err.text[0] != '\0');
    return result;
}

static void defs_out_of_range_are_refused(void **state)
{
    (void)state;
    static const int16_t bad_parents[2] = { -1, 1 };
    static const int16_t bad_moving[2] = { 1, 0 };
    static const char *const no_names[2] = { "root", NULL };
    static const int16_t bad_end = 2;
    static const am_vec3 end = { 0.0f, 0.0f, 0.0f };
    am_clip_def def = two_joints();
    def.cookie = 0;
    check_refused(refuse(&def), AM_ERR_DEF);
    check_refused(refuse(NULL), AM_ERR_DEF);
    def = two_joints();
    def.joint_count = 0;
    check_refused(refuse(&def), AM_ERR_LIMIT);
    def = two_joints();
    def.frame_count = AM_MAX_FRAMES + 1;
    check_refused(refuse(&def), AM_ERR_LIMIT);
    def = two_joints();
    def.fps = NAN;
    check_refused(refuse(&def), AM_ERR_DEF);
    def = two_joints();
    def.offsets = NULL;
    check_refused(refuse(&def), AM_ERR_DEF);
    def = two_joints();
    def.parents = bad_parents;
    check_refused(refuse(&def), AM_ERR_SKELETON);
    def = two_joints();
    def.names = no_names;
    check_refused(refuse(&def), AM_ERR_DEF);
    def = two_joints();
    def.moving = bad_moving;
    def.moving_count = 2;
    check_refused(refuse(&def), AM_ERR_DEF);
    def = two_joints();
    def.end_count = 1;
    def.end_joints = &bad_end;
    def.end_offsets = &end;
    check_refused(refuse(&def), AM_ERR_SKELETON);
}

static void a_clip_without_frames_to_copy_is_at_rest(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_clip_def def = two_joints();
    am_clip *clip = NULL;
    check_ok(am_clip_create(&clip, &def, &err), &err);
    am_transform local[2];
    am_clip_local(clip, 2, local);
    assert_memory_equal(&local[0].translation, &def.offsets[0], sizeof(am_vec3));
    check_near(local[1].rotation.w, 1.0f, 0.0);
    check_near(test_position(clip, 0, 1).y, 1.5, 0.0);
    assert_int_equal(am_skeleton_find(clip->skeleton, "tip"), 1);
    assert_int_equal(am_skeleton_find(clip->skeleton, "Tip"), -1);
    assert_string_equal(clip->name, "");
    am_clip_destroy(clip);
    am_clip_destroy(NULL);
}

static void skeletons_have_the_same_shape_by_names_and_parents(void **state)
{
    (void)state;
    am_clip *a = test_random_clip(1, 6, 2, 60.0f);
    am_clip *b = test_random_clip(1, 6, 2, 60.0f);
    am_clip *c = test_random_clip(2, 7, 2, 60.0f);
    am_clip *d = test_walker(2);
    assert_true(am_skeleton_same_shape(a->skeleton, b->skeleton));
    assert_false(am_skeleton_same_shape(a->skeleton, c->skeleton));
    am_clip_def def = am_clip_def_like(d);
    const char *names[32];
    memcpy(names, def.names, (size_t)def.joint_count * sizeof names[0]);
    names[3] = "another";
    def.names = names;
    am_clip *e = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&e, &def, &err), &err);
    assert_false(am_skeleton_same_shape(d->skeleton, e->skeleton));
    am_clip_destroy(a);
    am_clip_destroy(b);
    am_clip_destroy(c);
    am_clip_destroy(d);
    am_clip_destroy(e);
}

static void roles_are_found_by_the_names_they_have(void **state)
{
    (void)state;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        assert_int_equal(am_role_find(am_role_name((am_role)r)), r);
    }
    assert_int_equal(am_role_find("left_wing"), -1);
    assert_string_equal(am_role_name(AM_ROLE_COUNT), "none");
    assert_int_equal(ami_roles_none().joint[AM_ROLE_HEAD], -1);
}

static void the_hash_sees_every_part_but_the_name(void **state)
{
    (void)state;
    am_clip *a = test_random_clip(3, 9, 20, 60.0f);
    am_clip *b = test_random_clip(3, 9, 20, 60.0f);
    assert_true(am_clip_hash(a) == am_clip_hash(b));
    b->rotations[100].x += 1e-6f;
    assert_false(am_clip_hash(a) == am_clip_hash(b));
    b->rotations[100] = a->rotations[100];
    b->translations[19].z += 1e-5f;
    assert_false(am_clip_hash(a) == am_clip_hash(b));
    b->translations[19] = a->translations[19];
    b->fps = 30.0f;
    assert_false(am_clip_hash(a) == am_clip_hash(b));
    am_clip_destroy(a);
    am_clip_destroy(b);
}

/// Local velocities of a frame inside the clip, by central differences.
static void clip_velocity(const am_clip *clip, int frame, am_velocity *out)
{
    int joints = clip->skeleton->joint_count;
    static am_transform before[AM_MAX_JOINTS], after[AM_MAX_JOINTS];
    am_clip_local(clip, frame - 1, before);
    am_clip_local(clip, frame + 1, after);
    for (int j = 0; j < joints; j++) {
        am_vec3 way = am_v3_sub(after[j].translation, before[j].translation);
        out[j].linear = am_v3_scale(way, 0.5f * clip->fps);
        out[j].angular = am_quat_velocity(before[j].rotation, after[j].rotation, 2.0f / clip->fps);
    }
}

/// Largest difference between velocities of forward kinematics and central differences of its positions,
/// relative to the largest speed of the frame.
static double worst_velocity_error(const am_clip *clip, int first, int last)
{
    static am_transform local[AM_MAX_JOINTS], model[AM_MAX_JOINTS];
    static am_velocity in[AM_MAX_JOINTS], out[AM_MAX_JOINTS];
    static am_transform before[AM_MAX_JOINTS], after[AM_MAX_JOINTS];
    int joints = clip->skeleton->joint_count;
    const int16_t *parents = clip->skeleton->parents;
    double worst = 0.0;
    for (int f = first; f <= last; f++) {
        am_clip_local(clip, f, local);
        clip_velocity(clip, f, in);
        ami_fk_velocity(model, out, local, in, parents, joints);
        am_clip_local(clip, f - 1, before);
        am_clip_local(clip, f + 1, after);
        am_fk(before, before, parents, joints);
        am_fk(after, after, parents, joints);
        double largest = 0.05; // below 5 cm/s the file's rounding speaks
        double error = 0.0;
        for (int j = 0; j < joints; j++) {
            am_vec3 way = am_v3_sub(after[j].translation, before[j].translation);
            am_vec3 want = am_v3_scale(way, clip->fps * 0.5f);
            double speed = (double)am_v3_length(want);
            largest = speed > largest ? speed : largest;
            double miss = (double)am_v3_distance(want, out[j].linear);
            error = miss > error ? miss : error;
        }
        worst = error / largest > worst ? error / largest : worst;
    }
    return worst;
}

static void velocities_agree_with_differences_on_random_trees(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        // A high rate makes central differences exact enough to compare with.
        am_clip *clip = test_random_clip(seed, 20, 60, 1000.0f);
        check_near(worst_velocity_error(clip, 1, 58), 0.0, 0.01);
        am_clip_destroy(clip);
    }
}

static void velocities_agree_with_differences_on_captured_motion(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char *paths[12];
    int count = test_list(paths, 12, dir);
    for (int i = 0; i < count; i++) {
        am_clip *coarse = test_load(paths[i], TEST_CMU_UNIT);
        am_clip *clip = NULL;
        am_error err = { 0 };
        // Between captured frames the interpolated motion is smooth, so that differences converge.
        check_ok(am_clip_resample(&clip, coarse, coarse->fps * 8.0f, NULL, &err), &err);
        double worst = 0.0;
        for (int f = 9; f + 9 < clip->frame_count; f += f % 8 == 7 ? 3 : 1) {
            if (f % 8 != 0) { // at the captured frames themselves the curve's second derivative jumps
                double error = worst_velocity_error(clip, f, f);
                worst = error > worst ? error : worst;
            }
        }
        check_near(worst, 0.0, 0.01);
        am_clip_destroy(clip);
        am_clip_destroy(coarse);
        free(paths[i]);
    }
}

TEST_SUITE(clip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defs_out_of_range_are_refused),
        cmocka_unit_test(a_clip_without_frames_to_copy_is_at_rest),
        cmocka_unit_test(skeletons_have_the_same_shape_by_names_and_parents),
        cmocka_unit_test(roles_are_found_by_the_names_they_have),
        cmocka_unit_test(the_hash_sees_every_part_but_the_name),
        cmocka_unit_test(velocities_agree_with_differences_on_random_trees),
        cmocka_unit_test(velocities_agree_with_differences_on_captured_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
