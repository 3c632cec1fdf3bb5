// amble build, info and export, as a user calls them one after another.
#include "support/folder.h"

static void the_command_builds_reports_and_exports(void **state)
{
    (void)state;
    const char *folder = make_folder("build_command", "{\"name\": \"made\", " FEATURES "}");
    char out[16384];
    assert_int_equal(test_shell(out, sizeof out,
                                "cd '%s' && '%s' build config.json --clips clips -o x.amdb --json "
                                "--report r.html 2>/dev/null",
                                folder, test_command()),
                     0);
    assert_non_null(strstr(out, "\"retarget\""));
    assert_non_null(strstr(out, "\"hash\""));
    char path[1200];
    snprintf(path, sizeof path, "%s/r.html", folder);
    size_t size = 0;
    char *page = test_read_file(path, &size);
    assert_non_null(strstr(page, "Worth capturing next"));
    free(page);
    assert_int_equal(test_shell(out, sizeof out,
                                "cd '%s' && '%s' build config.json --clips clips -o y.amdb 2>/dev/null", folder,
                                test_command()),
                     0);
    assert_non_null(strstr(out, "features"));
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' info x.amdb", folder, test_command()), 0);
    assert_non_null(strstr(out, "12 features"));
    assert_int_equal(
        test_shell(out, sizeof out, "cd '%s' && '%s' export x.amdb --clip walk -o w.bvh", folder, test_command()), 0);
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' export x.amdb -o all.glb", folder, test_command()),
                     0);
    assert_int_equal(
        test_shell(out, sizeof out, "cd '%s' && '%s' export x.amdb --clip 1 -o w.csv", folder, test_command()), 0);
    assert_int_equal(
        test_shell(out, sizeof out, "cd '%s' && '%s' export x.amdb -o w.bvh 2>&1", folder, test_command()), 2);
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' info config.json --json", folder, test_command()),
                     0);
    assert_non_null(strstr(out, "\"schema\""));
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' info config.json", folder, test_command()), 0);
    // A config that names its schema instead of holding it.
    assert_int_equal(
        test_shell(out, sizeof out, "'%s' info '%s/configs/databases/synth.json'", test_command(), AMBLE_SOURCE_DIR),
        0);
    assert_non_null(strstr(out, "schema of 27 features"));
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' info w.bvh --json", folder, test_command()), 0);
    assert_non_null(strstr(out, "\"motion\""));
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' info w.bvh", folder, test_command()), 0);
    assert_int_equal(test_shell(out, sizeof out, "'%s' build 2>&1", test_command()), 2);
    assert_int_equal(test_shell(out, sizeof out, "'%s' info 2>&1", test_command()), 2);
    assert_int_equal(
        test_shell(out, sizeof out, "cd '%s' && '%s' build config.json -o z.amdb 2>&1", folder, test_command()), 1);
    assert_non_null(strstr(out, "no motion files"));
}

/// The folder that AMBLE_DATA names has no sets: those of build/data, where there are any, stay hidden.
static void sets_are_taken_from_amble_data_alone(void **state)
{
    (void)state;
    char out[2048];
    const char *folder = test_temp_dir("cli_build_data");
    assert_int_equal(
        test_shell(out, sizeof out,
                   "AMBLE_DATA='%s' '%s' build '%s/configs/databases/locomotion.json' -o '%s/x.amdb' 2>&1", folder,
                   test_command(), AMBLE_SOURCE_DIR, folder),
        1);
    assert_non_null(strstr(out, "'locomotion'"));
}

TEST_SUITE(build)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_builds_reports_and_exports),
        cmocka_unit_test(sets_are_taken_from_amble_data_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
