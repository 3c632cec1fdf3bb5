// GLB written and read back: what Amble writes comes back the same, and damaged files are refused.
#include "support/check.h"
#include "support/motion.h"
#include "support/refuse.h"

#include "base/bytes.h"

static am_bytes write_glb(const am_clip *const *clips, int count)
{
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_glb_write(&bytes, clips, count, &def, &err), &err);
    return bytes;
}

/// Leaves a file for the browser tests, which run it through gltf-validator.
static void keep_file(const am_bytes *bytes, const char *name)
{
    char path[1200];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/test-files/glb/%s.glb", AMBLE_BINARY_DIR, name);
    check_ok(am_file_write(path, bytes->data, bytes->size, &err), &err);
}

static int make_folder(void **state)
{
    (void)state;
    test_temp_dir("glb");
    return 0;
}

static am_clips read_glb(const am_bytes *bytes)
{
    am_read_def def = am_read_def_default();
    def.file = "walk.glb";
    am_clips clips;
    am_error err = { 0 };
    check_ok(am_glb_read(&clips, bytes->data, bytes->size, &def, &err), &err);
    return clips;
}

static void check_same_bits(const am_clip *a, const am_clip *b)
{
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->skeleton->joint_count, b->skeleton->joint_count);
    assert_int_equal(a->moving_count, b->moving_count);
    assert_true(am_skeleton_same_shape(a->skeleton, b->skeleton));
    assert_true(a->fps == b->fps);
    assert_true(am_clip_hash(a) == am_clip_hash(b));
}

static void a_clip_comes_back_bit_for_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int joints = 1 + (int)(seed * 7 % 40);
        am_clip *clip = test_random_clip(seed, joints, 1 + (int)seed * 3, seed % 2 ? 60.0f : 119.88012f);
        am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
        am_clips back = read_glb(&bytes);
        assert_int_equal(back.count, 1);
        check_same_bits(clip, back.items[0]);
        am_clips_free(&back);
        am_bytes_free(&bytes);
        am_clip_destroy(clip);
    }
}

static void several_clips_become_several_animations(void **state)
{
    (void)state;
    am_clip *clips[3] = { test_random_clip(5, 9, 40, 30.0f), test_random_clip(5, 9, 25, 60.0f),
                          test_random_clip(5, 9, 1, 120.0f) };
    const char *const names[3] = { "walk", "run \"fast\"", "\xC3\xA9t\xC3\xA9" };
    am_clip *named[3];
    for (int i = 0; i < 3; i++) {
        am_error err = { 0 };
        am_clip_def def = am_clip_def_like(clips[i]);
        def.frame_count = clips[i]->frame_count;
        def.rotations = clips[i]->rotations;
        def.translations = clips[i]->translations;
        def.name = names[i];
        check_ok(am_clip_create(&named[i], &def, &err), &err);
    }
    am_bytes bytes = write_glb((const am_clip *const *)named, 3);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "several");
    assert_int_equal(back.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(back.items[i]->name, names[i]);
        check_same_bits(named[i], back.items[i]);
        am_clip_destroy(named[i]);
        am_clip_destroy(clips[i]);
    }
    am_clips_free(&back);
    am_bytes_free(&bytes);
}

static void a_clip_with_other_bones_keeps_its_own(void **state)
{
    (void)state;
    am_clip *a = test_random_clip(3, 6, 20, 60.0f);
    am_vec3 longer[6];
    for (int j = 0; j < 6; j++) {
        longer[j] = am_v3_scale(a->skeleton->offsets[j], 1.25f);
    }
    am_clip_def def = am_clip_def_like(a);
    def.offsets = longer;
    def.frame_count = a->frame_count;
    def.rotations = a->rotations;
    def.translations = a->translations;
    am_clip *b = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&b, &def, &err), &err);
    const am_clip *both[2] = { a, b };
    am_bytes bytes = write_glb(both, 2);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "bones");
    for (int f = 0; f < 20; f++) {
        for (int j = 0; j < 6; j++) {
            am_vec3 wanted = test_position(b, f, j);
            am_vec3 got = test_position(back.items[1], f, j);
            check_near(am_v3_length(am_v3_sub(wanted, got)), 0.0f, 1e-6f);
        }
    }
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(b);
    am_clip_destroy(a);
}

static void joints_that_stand_still_take_little_room(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(8, 20, 300, 60.0f);
    am_bytes moving = write_glb((const am_clip *const *)&clip, 1);
    for (int f = 1; f < clip->frame_count; f++) { // joints 10 to 19: one pose throughout, half of them the rest pose
        for (int j = 10; j < 20; j++) {
            clip->rotations[f * 20 + j] = j < 15 ? clip->rotations[j] : clip->skeleton->rests[j];
        }
    }
    for (int j = 15; j < 20; j++) {
        clip->rotations[j] = clip->skeleton->rests[j];
    }
    am_bytes still = write_glb((const am_clip *const *)&clip, 1);
    am_clips back = read_glb(&still);
    keep_file(&still, "still");
    check_same_bits(clip, back.items[0]);
    assert_true(still.size + 9 * 300 * 16 < moving.size);
    am_clips_free(&back);
    am_bytes_free(&still);
    am_bytes_free(&moving);
    am_clip_destroy(clip);
}

static void a_skeleton_alone_comes_back_without_frames(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(9, 7, 0, 60.0f);
    am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "skeleton");
    assert_int_equal(back.count, 1);
    assert_int_equal(back.items[0]->frame_count, 0);
    assert_true(am_skeleton_same_shape(clip->skeleton, back.items[0]->skeleton));
    assert_string_equal(back.items[0]->name, "walk");
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void more_than_256_joints_fit(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(10, 400, 3, 60.0f);
    am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "wide");
    check_same_bits(clip, back.items[0]);
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void a_lone_joint_still_has_a_figure(void **state)
{
    (void)state;
    am_clip_def def = am_clip_def_default();
    int16_t parent = -1;
    am_vec3 offset = { 0 };
    const char *name = "only";
    def.joint_count = 1;
    def.frame_count = 2;
    def.parents = &parent;
    def.offsets = &offset;
    def.names = &name;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "lone");
    check_same_bits(clip, back.items[0]);
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void the_unit_is_noted(void **state)
{
    (void)state;
    am_clip *clip = test_walker(3);
    am_write_def def = am_write_def_default();
    def.unit_m = 0.0254f;
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_glb_write(&bytes, (const am_clip *const *)&clip, 1, &def, &err), &err);
    am_clips back = read_glb(&bytes);
    keep_file(&bytes, "unit");
    assert_true(back.unit_m == 0.0254f);
    am_clips_free(&back);
    am_bytes_free(&bytes);
    bytes = write_glb((const am_clip *const *)&clip, 1);
    back = read_glb(&bytes);
    assert_true(back.unit_m == 1.0f); // glTF's own unit
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

// ---------------------------------------------------------------------------------------------
// Refusals

static void the_writer_refuses_what_it_cannot_write(void **state)
{
    (void)state;
    am_clip *a = test_random_clip(1, 5, 4, 60.0f);
    am_clip *b = test_random_clip(2, 6, 4, 60.0f);
    const am_clip *both[2] = { a, b };
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    check_refused(am_glb_write(&bytes, both, 0, &def, &err), AM_ERR_EMPTY);
    check_refused(am_glb_write(&bytes, both, 2, &def, &err), AM_ERR_SKELETON);
    a->rotations[7].y = NAN;
    check_refused(am_glb_write(&bytes, both, 1, &def, &err), AM_ERR_NUMBER);
    a->rotations[7].y = 0.0f;
    a->translations[2].x = INFINITY;
    check_refused(am_glb_write(&bytes, both, 1, &def, &err), AM_ERR_NUMBER);
    def.cookie = 0;
    check_refused(am_glb_write(&bytes, both, 1, &def, &err), AM_ERR_DEF);
    assert_null(bytes.data);
    am_clip_destroy(a);
    am_clip_destroy(b);
}

static void the_writer_survives_every_failed_allocation(void **state)
{
    (void)state;
    test_failing_writer(am_glb_write);
}

static am_result read_for_refusal(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_read_def def = am_read_def_default();
    def.alloc = alloc;
    def.max_frames = 100000;
    am_clips clips;
    am_error err = { 0 };
    am_result result = am_glb_read(&clips, data, size, &def, &err);
    am_clips_free(&clips);
    return refuse_checked(result, &err);
}

static void damaged_files_are_refused_without_a_trace(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(6, 4, 6, 60.0f);
    am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
    refuse_counts counts = refuse_loop(read_for_refusal, NULL, bytes.data, bytes.size, NULL);
    assert_true(counts.refused_truncations > 500);
    assert_true(counts.refused_flips > 100);
    assert_true(counts.failed_allocations >= 4);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

// ---------------------------------------------------------------------------------------------
// Real data

static void captured_motion_comes_back_within_a_hundredth_of_a_millimetre(void **state)
{
    (void)state;
    const char *folder = test_data_dir("locomotion");
    if (!folder) {
        skip();
    }
    char *paths[3];
    int count = test_list(paths, 3, folder);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
        am_bytes bytes = write_glb((const am_clip *const *)&clip, 1);
        am_clips back = read_glb(&bytes);
        assert_int_equal(back.items[0]->frame_count, clip->frame_count);
        float worst = 0.0f;
        for (int f = 0; f < clip->frame_count; f += 7) {
            for (int j = 0; j < clip->skeleton->joint_count; j++) {
                am_vec3 gap = am_v3_sub(test_position(clip, f, j), test_position(back.items[0], f, j));
                worst = am_max(worst, am_v3_length(gap));
            }
        }
        assert_true(worst <= 1e-5f);
        am_clips_free(&back);
        am_bytes_free(&bytes);
        am_clip_destroy(clip);
        free(paths[i]);
    }
}

TEST_SUITE(glb)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_comes_back_bit_for_bit),
        cmocka_unit_test(several_clips_become_several_animations),
        cmocka_unit_test(a_clip_with_other_bones_keeps_its_own),
        cmocka_unit_test(joints_that_stand_still_take_little_room),
        cmocka_unit_test(a_skeleton_alone_comes_back_without_frames),
        cmocka_unit_test(more_than_256_joints_fit),
        cmocka_unit_test(a_lone_joint_still_has_a_figure),
        cmocka_unit_test(the_unit_is_noted),
        cmocka_unit_test(the_writer_refuses_what_it_cannot_write),
        cmocka_unit_test(the_writer_survives_every_failed_allocation),
        cmocka_unit_test(damaged_files_are_refused_without_a_trace),
        cmocka_unit_test(captured_motion_comes_back_within_a_hundredth_of_a_millimetre),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
