// amble info SCHEMA --samples: what it prints, and the file of a sample's clip.
#include "tools/control/clips_db.h"

static char database[700];

static int write_db(void **state)
{
    am_error err = { 0 };
    if (clips_open(state) != 0) {
        return -1;
    }
    snprintf(database, sizeof database, "%s/clips.amdb", test_temp_dir("samples"));
    return am_db_write(clips, database, &err) == AM_OK ? 0 : -1;
}

static const char *configs(void) { return AMBLE_SOURCE_DIR "/configs"; }

static int info(char *out, size_t size, const char *options)
{
    return test_shell(out, size, "%s info %s/schemas/target.json %s 2>&1", test_command(), configs(), options);
}

static void samples_are_listed_with_their_clips(void **state)
{
    (void)state;
    static char out[16384];
    char options[1600];
    snprintf(options, sizeof options, "--samples %s/controls/target.json --database %s -n 5 --seed 3", configs(),
             database);
    assert_int_equal(info(out, sizeof out, options), 0);
    assert_non_null(strstr(out, "training controls of 'target' over 'clips'\n  536 of 544 frames may be drawn; "));
    assert_non_null(strstr(out, "  target: location                    100.0 %  "));
    assert_non_null(strstr(out, "\n   5  0"));
    assert_null(strstr(out, "\n   6  0"));
    const char *hint = strstr(out, "amble export ");
    assert_non_null(hint);
    // The hint is a command that works.
    char line[1200], path[800];
    size_t size = strcspn(hint + 6, "\n") - strlen(" -o sample.bvh");
    snprintf(path, sizeof path, "%s/sample.bvh", test_temp_dir("sample"));
    snprintf(line, sizeof line, "%.*s -o %s", (int)size, hint + 6, path);
    static char exported[2000];
    assert_int_equal(test_shell(exported, sizeof exported, "%s %s 2>&1", test_command(), line), 0);
    assert_non_null(strstr(exported, "wrote "));
}

static void samples_are_an_object_for_programs(void **state)
{
    (void)state;
    static char out[65536];
    char options[1600];
    snprintf(options, sizeof options, "--samples %s/controls/target.json --database %s -n 2 --json", configs(),
             database);
    assert_int_equal(info(out, sizeof out, options), 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, out, strlen(out), "info", NULL, &err), &err);
    assert_string_equal(am_json_get(am_json_root(doc), "kind")->string, "samples");
    assert_int_equal(am_json_get(am_json_root(doc), "samples")->count, 2);
    am_json_free(doc);
}

static void wrong_calls_say_what_is_missing(void **state)
{
    (void)state;
    static char out[4096];
    char options[1600];
    assert_int_equal(info(out, sizeof out, "--samples x.json"), 2);
    assert_non_null(strstr(out, "--samples needs --database X.amdb"));
    assert_int_equal(info(out, sizeof out, "--database x.amdb"), 2);
    assert_non_null(strstr(out, "--database goes with --samples"));
    snprintf(options, sizeof options, "--samples none.json --database %s", database);
    assert_int_equal(info(out, sizeof out, options), 1);
    assert_non_null(strstr(out, "none.json"));
    snprintf(options, sizeof options, "--samples %s/controls/jump.json --database %s", configs(), database);
    assert_int_equal(info(out, sizeof out, options), 1);
    assert_non_null(strstr(out, "jump.json:"));
    assert_non_null(strstr(out, "there is no \"spot\" in schema 'target'"));
    snprintf(options, sizeof options, "--samples %s/controls/target.json --database %s -n 1001", configs(), database);
    assert_int_equal(info(out, sizeof out, options), 2);
}

static void a_part_of_a_clip_is_exported(void **state)
{
    (void)state;
    static char out[4096];
    char path[800];
    snprintf(path, sizeof path, "%s/part.bvh", test_temp_dir("part"));
    const char *command = test_command();
    assert_int_equal(test_shell(out, sizeof out, "%s export %s --clip 01_01 --from 0.5 --to 1 -o %s 2>&1", command,
                                database, path),
                     0);
    assert_non_null(strstr(out, "01_01: 31 frames at 60 Hz"));
    assert_int_equal(
        test_shell(out, sizeof out, "%s export %s --clip 01_01 --from 3.5 -o %s 2>&1", command, database, path), 0);
    assert_non_null(strstr(out, "01_01: 31 frames at 60 Hz"));
    assert_int_equal(
        test_shell(out, sizeof out, "%s export %s --clip 01_01 --to 99 -o %s 2>&1", command, database, path), 0);
    assert_non_null(strstr(out, "01_01: 241 frames at 60 Hz"));
    assert_int_equal(
        test_shell(out, sizeof out, "%s export %s --clip 01_01 --from 5 -o %s 2>&1", command, database, path), 1);
    assert_non_null(strstr(out, "clip '01_01' lasts 4.00 s; --from and --to leave nothing of it"));
    assert_int_equal(test_shell(out, sizeof out, "%s export %s --from 1 -o %s.npz 2>&1", command, database, path), 1);
    assert_non_null(strstr(out, "has 4 clips; choose the one"));
    assert_int_equal(
        test_shell(out, sizeof out, "%s export %s --clip 01_01 --from -1 -o %s 2>&1", command, database, path), 2);
}

TEST_SUITE(samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_listed_with_their_clips),
        cmocka_unit_test(samples_are_an_object_for_programs),
        cmocka_unit_test(wrong_calls_say_what_is_missing),
        cmocka_unit_test(a_part_of_a_clip_is_exported),
    };
    return cmocka_run_group_tests(tests, write_db, clips_close);
}
