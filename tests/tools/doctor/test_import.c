// Clean clips written to a folder: their names, and what is never overwritten.
#include "support/alter.h"
#include "support/motion.h"

static char dir[1024];

static int make_folder(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "%s", test_temp_dir("doctor.import"));
    return 0;
}

/// A path in the test's folder, until the third call after this one.
static const char *at(const char *name)
{
    static char paths[3][1200];
    static int next;
    next = (next + 1) % 3;
    snprintf(paths[next], sizeof paths[next], "%s/%s", dir, name);
    return paths[next];
}

/// Imports these files and folders into another folder, and checks the names of what is there afterwards.
static void check_written(const char *const *inputs, int count, const char *folder, const char *expected)
{
    am_import import = am_import_begin(NULL);
    am_error err = { 0 };
    for (int i = 0; i < count; i++) {
        check_ok(am_import_add(&import, at(inputs[i]), &err), &err);
    }
    check_ok(am_import_read(&import, &err), &err);
    check_ok(am_import_examine(&import, &err), &err);
    assert_true(am_folder_make_all(at(folder)));
    check_ok(am_import_write(&import, at(folder), &err), &err);
    for (int i = 0; i < import.count; i++) {
        check_ok(import.clips[i].error.code, &import.clips[i].error);
        assert_true(import.clips[i].finished && !import.clips[i].left_out);
        assert_int_equal(import.clips[i].pieces.count, 0);
    }
    am_import_free(&import);
    am_folder_names names;
    char text[400] = "";
    assert_true(am_folder_list(&names, at(folder)));
    for (int i = 0; i < names.count; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", names.items[i]);
    }
    am_folder_names_free(&names);
    assert_string_equal(text, expected);
}

static void clips_of_one_name_do_not_overwrite_each_other(void **state)
{
    (void)state;
    static const char *const inputs[] = { "one", "two" };
    assert_true(am_folder_make(at("one")) && am_folder_make(at("two")));
    alter_write_walker(at("one/walk.bvh"), false);
    alter_write_walker(at("two/walk.bvh"), false);
    check_written(inputs, 2, "apart", "walk-2.bvh walk.bvh ");
}

static void a_piece_does_not_overwrite_a_clip_of_that_name(void **state)
{
    (void)state;
    static const char *const inputs[] = { "pieces" };
    assert_true(am_folder_make(at("pieces")));
    alter_write_walker(at("pieces/walk.bvh"), true); // becomes walk-a and walk-b
    alter_write_walker(at("pieces/walk-a.bvh"), false);
    check_written(inputs, 1, "cut", "walk-2-a.bvh walk-2-b.bvh walk-a.bvh ");
}

static void names_from_inside_a_file_stay_in_the_folder(void **state)
{
    (void)state;
    am_clip *walks = test_walker(120);
    am_clip_def like = am_clip_def_like(walks);
    like.frame_count = walks->frame_count;
    like.rotations = walks->rotations;
    like.translations = walks->translations;
    like.name = "../away/from";
    am_clip *named = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&named, &like, &err), &err);
    const am_clip *clips[2] = { named, walks };
    am_bytes bytes = { 0 };
    am_write_def def = am_write_def_default();
    check_ok(am_glb_write(&bytes, clips, 2, &def, &err), &err);
    check_ok(am_file_write(at("two.glb"), bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(named);
    am_clip_destroy(walks);
    static const char *const inputs[] = { "two.glb" };
    assert_true(am_folder_make(at("away")));
    check_written(inputs, 1, "inside", "two#.._away_from.bvh two#walker.bvh ");
    am_folder_names names;
    assert_true(am_folder_list(&names, at("away")));
    assert_int_equal(names.count, 0);
    am_folder_names_free(&names);
}

static void an_input_is_never_overwritten(void **state)
{
    (void)state;
    alter_write_walker(at("walk.bvh"), false);
    size_t before = 0, after = 0;
    char *old = test_read_file(at("walk.bvh"), &before);
    am_import import = am_import_begin(NULL);
    am_error err = { 0 };
    check_ok(am_import_add(&import, at("walk.bvh"), &err), &err);
    check_ok(am_import_read(&import, &err), &err);
    check_ok(am_import_examine(&import, &err), &err);
    check_ok(am_import_write(&import, at("one/.."), &err), &err); // the same folder, spelt otherwise
    check_refused(import.clips[0].error.code, AM_ERR_WRITE);
    assert_non_null(strstr(import.clips[0].error.text, "is one of the files to clean"));
    am_import_free(&import);
    char *now = test_read_file(at("walk.bvh"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
}

TEST_SUITE(import)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_of_one_name_do_not_overwrite_each_other),
        cmocka_unit_test(a_piece_does_not_overwrite_a_clip_of_that_name),
        cmocka_unit_test(names_from_inside_a_file_stay_in_the_folder),
        cmocka_unit_test(an_input_is_never_overwritten),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
