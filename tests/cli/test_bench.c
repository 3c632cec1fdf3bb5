// amble bench: its JSON, its list, and its refusals.
#include "support/check.h"

static am_json_doc *run_json(const char *arguments)
{
    static char text[1 << 16];
    int status = test_shell(text, sizeof text, "%s bench %s --json 2>/dev/null", test_command(), arguments);
    assert_int_equal(status, 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "bench", NULL, &err), &err);
    return doc;
}

static const am_json *find_row(const am_json_doc *doc, const char *variant)
{
    const am_json *rows = am_json_get(am_json_root(doc), "rows");
    assert_non_null(rows);
    for (const am_json *row = rows->first; row; row = row->next) {
        if (strcmp(am_json_get(row, "variant")->string, variant) == 0) {
            return row;
        }
    }
    return NULL;
}

static void load_prints_a_row_for_each_variant(void **state)
{
    (void)state;
    am_json_doc *doc = run_json("load --rounds 2");
    assert_true(strlen(am_json_get(am_json_root(doc), "machine")->string) > 0);
    static const char *const variants[2] = { "amble", "strtof" };
    for (int v = 0; v < 2; v++) {
        const am_json *row = find_row(doc, variants[v]);
        assert_non_null(row);
        assert_string_equal(am_json_get(row, "subject")->string, "read bvh");
        assert_true(am_json_get(row, "n")->number >= 1000);
        assert_non_null(am_json_get(row, "set"));
        double least = am_json_get(row, "us_min")->number;
        double middle = am_json_get(row, "us_median")->number;
        assert_true(least > 0.0 && middle >= least && am_json_get(row, "us_p99")->number >= middle);
        assert_int_equal(strlen(am_json_get(row, "checksum")->string), 16);
    }
    am_json_free(doc);
}

static void the_same_files_give_the_same_checksum(void **state)
{
    (void)state;
    am_json_doc *one = run_json("load --rounds 1");
    am_json_doc *two = run_json("load --rounds 2");
    assert_string_equal(am_json_get(find_row(one, "amble"), "checksum")->string,
                        am_json_get(find_row(two, "amble"), "checksum")->string);
    am_json_free(one);
    am_json_free(two);
}

static void the_list_names_load(void **state)
{
    (void)state;
    char text[1024];
    assert_int_equal(test_shell(text, sizeof text, "%s bench --list", test_command()), 0);
    assert_non_null(strstr(text, "load\n"));
}

static void the_table_compares_with_amble(void **state)
{
    (void)state;
    static char text[1 << 14];
    assert_int_equal(test_shell(text, sizeof text, "%s bench load --rounds 1 2>/dev/null", test_command()), 0);
    assert_non_null(strstr(text, "as fast"));
}

static void an_unknown_bench_is_a_usage_error(void **state)
{
    (void)state;
    char text[1024];
    assert_int_equal(test_shell(text, sizeof text, "%s bench lod 2>&1", test_command()), 2);
    assert_non_null(strstr(text, "did you mean 'load'"));
    assert_int_equal(test_shell(NULL, 0, "%s bench 2>/dev/null", test_command()), 2);
    assert_int_equal(test_shell(NULL, 0, "%s bench load --ful 2>/dev/null", test_command()), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_prints_a_row_for_each_variant),
        cmocka_unit_test(the_same_files_give_the_same_checksum),
        cmocka_unit_test(the_list_names_load),
        cmocka_unit_test(the_table_compares_with_amble),
        cmocka_unit_test(an_unknown_bench_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
