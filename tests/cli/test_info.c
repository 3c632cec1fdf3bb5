// amble info of control schemas: what it prints, and what it says about mistakes.
#include "support/check.h"

static const char *schemas(void) { return AMBLE_SOURCE_DIR "/configs/schemas"; }

static void info_prints_the_encoder_of_a_schema(void **state)
{
    (void)state;
    static char out[16384];
    assert_int_equal(test_shell(out, sizeof out, "%s info %s/target.json", test_command(), schemas()), 0);
    assert_non_null(strstr(out, "control schema 'target', an encoder of 15 parameters\n"));
    assert_non_null(strstr(out, "  and                                       7      7      8          -\n"));
    assert_non_null(strstr(out, "    facing: optional                        4      4      5         15  width 3\n"));
    assert_int_equal(test_shell(out, sizeof out, "%s info %s/all.json --json", test_command(), schemas()), 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, out, strlen(out), "info", NULL, &err), &err);
    const am_json *root = am_json_root(doc), *parts = am_json_get(root, "parts");
    assert_string_equal(am_json_get(root, "kind")->string, "control");
    assert_int_equal((int)am_json_get(root, "width")->number, 73);
    double parameters = 0.0;
    bool path = false;
    for (const am_json *part = parts->first; part; part = part->next) {
        parameters += am_json_get(part, "parameters")->number;
        path |= strcmp(am_json_get(part, "path")->string, "path[*].position") == 0 &&
                strcmp(am_json_get(part, "operator")->string, "location") == 0;
    }
    assert_true(path && parameters == am_json_get(root, "parameters")->number);
    am_json_free(doc);
}

static void check_lists_every_mistake(void **state)
{
    (void)state;
    static char out[4096];
    char path[600];
    am_error err = { 0 };
    const char *wrong = "{\"control\": {\"and\": {\"walk\": {\"and\": {\"target\": {\"and\": {\n"
                        "  \"facing\": {\"optional\": 3},\n"
                        "  \"hand\": \"locaton\"}}}}}}}";
    snprintf(path, sizeof path, "%s/wrong.json", test_temp_dir("info"));
    check_ok(am_file_write(path, wrong, strlen(wrong), &err), &err);
    assert_int_equal(test_shell(out, sizeof out, "%s info %s 2>&1", test_command(), path), 1);
    assert_non_null(strstr(out, "wrong.json:2:26: walk.target.facing: optional expects an operator, got 3"));
    assert_null(strstr(out, "locaton"));
    assert_int_equal(test_shell(out, sizeof out, "%s info %s --check 2>&1", test_command(), path), 1);
    assert_non_null(strstr(out, "wrong.json:2:26: walk.target.facing: optional expects an operator, got 3\n"));
    assert_non_null(strstr(out, "wrong.json:3:11: walk.target.hand: unknown operator \"locaton\"; did you mean"));
    assert_int_equal(test_shell(out, sizeof out, "%s info %s --check --json", test_command(), path), 1);
    assert_non_null(strstr(out, "\"line\": 3"));
    assert_int_equal(test_shell(out, sizeof out, "%s info %s/all.json --check", test_command(), schemas()), 0);
    assert_non_null(strstr(out, "no mistakes"));
    assert_int_equal(test_shell(out, sizeof out, "%s info none.json --check 2>&1", test_command()), 1);
    // A schema of features is none of controls.
    assert_int_equal(test_shell(out, sizeof out, "%s info %s/../features/lmm.json", test_command(), schemas()), 0);
}

TEST_SUITE(info)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_prints_the_encoder_of_a_schema),
        cmocka_unit_test(check_lists_every_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
