// Configs by name, as a user types them: one lookup for build, train, run and eval.
#include "support/check.h"

static void a_name_is_found_from_any_folder(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("configs_name");
    char out[4096];
    assert_int_equal(
        test_shell(out, sizeof out,
                   "cd '%s' && '%s' synth walk -o clips 2>&1 && '%s' build synth --clips clips -o x.amdb "
                   "2>&1",
                   dir, test_command(), test_command()),
        0);
    // It is read, and lacks its data.
    assert_int_equal(test_shell(out, sizeof out,
                                "cd '%s' && AMBLE_DATA=none '%s' build fields_walks --clips none -o x.amdb 2>&1", dir,
                                test_command()),
                     1);
    assert_null(strstr(out, "config"));
}

static void the_working_folder_comes_first(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("configs_own");
    char out[4096];
    assert_int_equal(test_shell(out, sizeof out,
                                "cd '%s' && mkdir -p configs/runs && echo '{ \"mine\": 1 }' >configs/runs/curve.json "
                                "&& echo '{ \"file\": 1 }' >spiral && '%s' run curve 2>&1",
                                dir, test_command()),
                     1);
    assert_non_null(strstr(out, "configs/runs/curve.json:1"));
    assert_non_null(strstr(out, "\"mine\""));
    // A file of that very name is what was meant.
    assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' run spiral 2>&1", dir, test_command()), 1);
    assert_non_null(strstr(out, "\"file\""));
}

static void a_miss_names_the_nearest_and_lists_the_others(void **state)
{
    (void)state;
    const struct {
        const char *words, *nearest, *other;
    } cases[] = {
        { "build locomotive -o x.amdb", "database config 'locomotive' (nearest: 'locomotion')", "agile" },
        { "run curv", "run config 'curv' (nearest: 'curve')", "zigzag" },
        { "eval matching --config sinth", "database config 'sinth' (nearest: 'synth')", "agile" },
        { "train directions -o x.amnet", "recipe config 'directions' (nearest: 'direction')", "everyday" },
    };
    char out[4096];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(test_shell(out, sizeof out, "cd '%s' && '%s' %s 2>&1", test_temp_dir("configs_miss"),
                                    test_command(), cases[i].words),
                         1);
        assert_non_null(strstr(out, cases[i].nearest));
        assert_non_null(strstr(out, cases[i].other));
    }
    // A path is a path: its reader says that it is not there.
    assert_int_equal(test_shell(out, sizeof out, "'%s' run none/curve.json 2>&1", test_command()), 1);
    assert_non_null(strstr(out, "none/curve.json"));
    assert_null(strstr(out, "zigzag"));
}

TEST_SUITE(configs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_found_from_any_folder),
        cmocka_unit_test(the_working_folder_comes_first),
        cmocka_unit_test(a_miss_names_the_nearest_and_lists_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
