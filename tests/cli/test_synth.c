// amble synth as a user calls it.
#include "support/check.h"

#include <amble/tools/clip.h>

static void the_command_writes_clips_truth_and_tags(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("synth");
    static const char *const formats[] = { "bvh", "glb", "npz" };
    for (int i = 0; i < 3; i++) {
        char out[4096], path[512];
        int status = test_shell(out, sizeof out, "%s synth walk -o %s/%s --seconds 1 --format %s --json",
                                test_command(), dir, formats[i], formats[i]);
        assert_int_equal(status, 0);
        assert_non_null(strstr(out, "\"frames\""));
        snprintf(path, sizeof path, "%s/%s/walk.%s", dir, formats[i], formats[i]);
        am_clips clips;
        am_error err = { 0 };
        am_read_def read = am_read_def_default();
        check_ok(am_motion_read_file(&clips, path, &read, &err), &err);
        assert_int_equal(clips.items[0]->frame_count, 61);
        am_clips_free(&clips);
        snprintf(path, sizeof path, "%s/%s/walk.truth.csv", dir, formats[i]);
        free(test_read_file(path, NULL));
        snprintf(path, sizeof path, "%s/%s/tags.csv", dir, formats[i]);
        char *tags = test_read_file(path, NULL);
        assert_non_null(strstr(tags, "walk, walk, 0, 60"));
        free(tags);
    }
    assert_int_equal(test_shell(NULL, 0, "%s synth fly -o %s 2>/dev/null", test_command(), dir), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk 2>/dev/null", test_command()), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --format fbx 2>/dev/null", test_command(), dir), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --speed 9 2>/dev/null", test_command(), dir), 1);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o /proc/none/x 2>/dev/null", test_command()), 1);
}

static void a_folder_may_end_with_a_slash(void **state)
{
    (void)state;
    char out[8192];
    const char *dir = test_temp_dir("synth_slash");
    int status = test_shell(out, sizeof out, "%s synth walk -o %s/ --seconds 1 && %s import %s/ --fix -o %s/clean/",
                            test_command(), dir, test_command(), dir, dir);
    assert_int_equal(status, 0);
    assert_non_null(strstr(out, "synth_slash/walk.bvh: "));
    assert_null(strstr(out, "//"));
}

TEST_SUITE(synth)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_writes_clips_truth_and_tags),
        cmocka_unit_test(a_folder_may_end_with_a_slash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
