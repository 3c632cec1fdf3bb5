// Which reader a motion file goes to, and the name of its clip.
#include "support/check.h"
#include "support/motion.h"

#include "formats/defs.h"
#include "base/budget.h"

static const char *const bvh_text = "HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation } "
                                    "MOTION Frames: 1 Frame Time: 0.1\n1 2 3\n";

/// Writes a file into this test's folder; the path stays valid until the next call.
static const char *put(const char *name, const void *data, size_t size)
{
    static char path[1300];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/test-files/motion_file/%s", AMBLE_BINARY_DIR, name);
    check_ok(am_file_write(path, data, size, &err), &err);
    return path;
}

static am_result read_path(am_clips *clips, const char *path, am_error *err)
{
    am_read_def def = am_read_def_default();
    memset(err, 0, sizeof *err);
    return am_motion_read_file(clips, path, &def, err);
}

static int make_folder(void **state)
{
    (void)state;
    test_temp_dir("motion_file");
    return 0;
}

static void bvh_is_known_by_its_words_and_by_its_extension(void **state)
{
    (void)state;
    static const char *const names[] = { "walk.bvh", "walk.BVH", "walk.motion.txt", "walk" };
    static const char *const stems[] = { "walk", "walk", "walk.motion", "walk" };
    for (int i = 0; i < 4; i++) {
        am_clips clips;
        am_error err;
        check_ok(read_path(&clips, put(names[i], bvh_text, strlen(bvh_text)), &err), &err);
        assert_int_equal(clips.count, 1);
        assert_string_equal(clips.items[0]->name, stems[i]);
        am_clips_free(&clips);
        assert_null(clips.items);
    }
    // Without HIERARCHY only the extension tells.
    am_clips clips;
    am_error err;
    check_ok(read_path(&clips, put("short.bvh", bvh_text + 10, strlen(bvh_text) - 10), &err), &err);
    am_clips_free(&clips);
}

static void glb_and_npz_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(1, 6, 10, 30.0f);
    const am_clip *list[1] = { clip };
    am_write_def def = am_write_def_default();
    am_error err = { 0 };
    am_result (*const writers[2])(am_bytes *, const am_clip *const *, int, const am_write_def *,
                                  am_error *) = { am_glb_write, am_npz_write };
    for (int w = 0; w < 2; w++) {
        am_bytes bytes;
        check_ok(writers[w](&bytes, list, 1, &def, &err), &err);
        am_clips clips;
        check_ok(read_path(&clips, put("no_extension", bytes.data, bytes.size), &err), &err);
        assert_int_equal(clips.items[0]->frame_count, 10);
        assert_int_equal(clips.items[0]->skeleton->joint_count, 6);
        am_clips_free(&clips);
        am_bytes_free(&bytes);
    }
    am_clip_destroy(clip);
}

static void a_file_of_the_wrong_kind_is_refused_by_the_reader_of_its_extension(void **state)
{
    (void)state;
    am_clips clips;
    am_error err;
    check_refused(read_path(&clips, put("x.bvh", "what", 4), &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.file, "x.bvh"));
    assert_int_equal(clips.count, 0);
    assert_int_not_equal(read_path(&clips, put("x.glb", "what", 4), &err), AM_OK);
    assert_non_null(strstr(err.file, "x.glb"));
    assert_int_not_equal(read_path(&clips, put("x.npz", "what", 4), &err), AM_OK);
    assert_non_null(strstr(err.file, "x.npz"));
    // An unknown format: Assimp's child does not know it either, or is not installed.
    assert_int_not_equal(read_path(&clips, put("x.what", "what", 4), &err), AM_OK);
    assert_true(strlen(err.text) > 0);
    assert_non_null(strstr(err.file, "x.what"));
}

static void a_missing_file_and_a_bad_def_are_refused(void **state)
{
    (void)state;
    am_clips clips;
    am_error err;
    check_refused(read_path(&clips, "no/such/file.bvh", &err), AM_ERR_OPEN);
    am_read_def def = { 0 };
    check_refused(am_motion_read_file(&clips, "x.bvh", &def, &err), AM_ERR_DEF);
    am_clips_free(&clips);
    am_clips_free(NULL);
}

static void errors_carry_the_name_that_the_caller_gave(void **state)
{
    (void)state;
    am_clips clips;
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    def.file = "the user's words";
    check_refused(am_motion_read_file(&clips, put("y.bvh", "what", 4), &def, &err), AM_ERR_FORMAT);
    assert_string_equal(err.file, "the user's words");
}

static void each_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    const char *path = put("z.bvh", bvh_text, strlen(bvh_text));
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_read_def def = am_read_def_default();
        def.alloc = &alloc;
        am_clips clips;
        am_error err = { 0 };
        am_result result = am_motion_read_file(&clips, path, &def, &err);
        am_clips_free(&clips);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 3);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
    }
}

static void stems_and_extensions(void **state)
{
    (void)state;
    char stem[8];
    ami_file_stem(stem, sizeof stem, "a\\b/walk.bvh");
    assert_string_equal(stem, "walk");
    ami_file_stem(stem, sizeof stem, ".bvh");
    assert_string_equal(stem, ".bvh");
    ami_file_stem(stem, sizeof stem, "a_long_name.bvh");
    assert_string_equal(stem, "a_long_");
    ami_file_stem(stem, sizeof stem, NULL);
    assert_string_equal(stem, "");
    assert_true(ami_file_has_extension("x.GlB", ".glb"));
    assert_false(ami_file_has_extension("lb", ".glb"));
    assert_false(ami_file_has_extension("x.gltf", ".glb"));
}

TEST_SUITE(motion_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bvh_is_known_by_its_words_and_by_its_extension),
        cmocka_unit_test(glb_and_npz_are_known_by_their_first_bytes),
        cmocka_unit_test(a_file_of_the_wrong_kind_is_refused_by_the_reader_of_its_extension),
        cmocka_unit_test(a_missing_file_and_a_bad_def_are_refused),
        cmocka_unit_test(errors_carry_the_name_that_the_caller_gave),
        cmocka_unit_test(each_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(stems_and_extensions),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
