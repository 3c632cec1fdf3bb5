// What the verbs report before they begin to work: places that cannot be written, tags that no frame has, files that
// are not motion; and what they leave behind after a failure.
#include "support/check.h"

static char text[1 << 16];

/// Runs a command line in a folder of its own, stderr beside stdout; gives the exit status.
static int run(const char *arguments)
{
    return test_shell(text, sizeof text, "cd '%s' && %s %s 2>&1", test_temp_dir("outputs"), test_command(),
                      arguments);
}

static void a_place_that_cannot_be_written_is_told_at_once(void **state)
{
    (void)state;
    // None of the inputs is there: the place is looked at before them.
    static const char *const lines[] = {
        "build none.json -o nowhere/x.amdb",     "build none.json -o x.amdb --report nowhere/x.html",
        "run none.json -o nowhere/x.bvh",        "run none.json --metrics nowhere/m.json",
        "run none.json --trace nowhere/t.jsonl", "run none.json --record nowhere/r.json",
        "run none.json --asked nowhere/a.npz",   "export none.glb -o nowhere/x.bvh",
        "eval matching --html nowhere/x.html",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int status = run(lines[i]);
        if (status != 1 || !strstr(text, "nowhere/") || !strstr(text, "the folder nowhere does not exist")) {
            fail_msg("%s: status %d, %s", lines[i], status, text);
        }
    }
    assert_int_equal(run("build none.json -o ."), 1);
    assert_non_null(strstr(text, "is a folder"));
    assert_int_equal(run("run none.json -o x.fbx"), 2);
    assert_non_null(strstr(text, "end it in .bvh"));
    // Devices are no files to be replaced: the input is what is missing.
    assert_int_equal(run("run none.json -o /dev/null"), 1);
    assert_non_null(strstr(text, "none.json"));
}

static void a_reference_is_for_metrics_and_must_be_there(void **state)
{
    (void)state;
    assert_int_equal(run("run none.json --reference x.amdb"), 2);
    assert_non_null(strstr(text, "--metrics"));
    assert_int_equal(run("run " AMBLE_SOURCE_DIR "/configs/runs/keys.json --metrics m.json --reference x.amdb"), 1);
    assert_non_null(strstr(text, "x.amdb"));
}

static void help_is_shown_whatever_else_is_said(void **state)
{
    (void)state;
    static const char *const verbs[] = { "import", "build", "info", "run",    "strip",
                                         "export", "synth", "eval", "studio", "bench" };
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s --nonsense --help", verbs[i]);
        assert_int_equal(run(line), 0);
        assert_non_null(strstr(text, "usage: amble"));
        assert_non_null(strstr(text, "--threads N"));
    }
}

static void an_unknown_kind_of_file_is_told_in_plain_words(void **state)
{
    (void)state;
    static const char *const files[] = { "a.xyz", "b" };
    for (int i = 0; i < 2; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s", test_temp_dir("outputs"), files[i]);
        am_error err = { 0 };
        check_ok(am_file_write(path, "x", 1, &err), &err);
        int status = test_shell(text, sizeof text, "%s info '%s' 2>&1", test_command(), path);
        assert_int_equal(status, 1);
        assert_null(strstr(text, "suitable reader"));
        bool plain = strstr(text, "Amble does not know this kind of file") || strstr(text, "not BVH, GLB or NPZ");
        assert_true(plain);
    }
}

static void nothing_written_is_not_called_clean(void **state)
{
    (void)state;
    int status = test_shell(text, sizeof text,
                            "cd '%s' && printf 'HIERARCHY' > bad.bvh && %s import bad.bvh --fix -o clean 2>&1",
                            test_temp_dir("outputs"), test_command());
    assert_int_equal(status, 1);
    assert_null(strstr(text, "clean clips are in"));
    assert_non_null(strstr(text, "nothing was written"));
}

static void tags_that_no_frame_has_are_told(void **state)
{
    (void)state;
    int status = test_shell(text, sizeof text,
                            "cd '%s' && A=%s && $A synth walk -o clips 2>&1 && printf '{\"features\": {\"channels\": "
                            "[{\"kind\": \"trajectory_position\", \"times\": [0.33]}]}, \"clips\": {\"folders\": "
                            "[\"clips\"]}}' > c.json && $A build c.json -o w.amdb 2>&1 && printf '{\"database\": "
                            "\"w.amdb\", \"seconds\": 1, \"options\": {\"tags\": \"walk and run\"}, "
                            "\"characters\": [{}]}' > r.json && $A run r.json 2>&1",
                            test_temp_dir("outputs"), test_command());
    if (status != 0 || !strstr(text, "no frame matches the tags of 'move'; all frames are used")) {
        fail_msg("status %d, %s", status, text);
    }
}

TEST_SUITE(outputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_that_cannot_be_written_is_told_at_once),
        cmocka_unit_test(a_reference_is_for_metrics_and_must_be_there),
        cmocka_unit_test(help_is_shown_whatever_else_is_said),
        cmocka_unit_test(an_unknown_kind_of_file_is_told_in_plain_words),
        cmocka_unit_test(nothing_written_is_not_called_clean),
        cmocka_unit_test(tags_that_no_frame_has_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
