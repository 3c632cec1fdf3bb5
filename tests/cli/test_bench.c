// amble bench: its JSON, its list, and its refusals.
#include "support/check.h"

static am_json_doc *run_json(const char *arguments)
{
    static char text[1 << 17];
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

static void check_times(const am_json *row)
{
    double least = am_json_get(row, "us_min")->number;
    double middle = am_json_get(row, "us_median")->number;
    assert_true(least > 0.0 && middle >= least && am_json_get(row, "us_p99")->number >= middle);
}

static void all_searches_find_the_same_frames(void **state)
{
    (void)state;
    am_json_doc *doc = run_json("search --config synth --size 1500 --rounds 2");
    static const char *const sets[3] = { "heldout", "mixed", "n1.0" };
    const am_json *rows = am_json_get(am_json_root(doc), "rows");
    int seen[3] = { 0, 0, 0 }, batches = 0;
    for (const am_json *row = rows->first; row; row = row->next) {
        if (strstr(am_json_get(row, "subject")->string, "batch=")) {
            batches++;
            check_times(row);
            continue; // other questions: the bench itself compares them with single searches
        }
        assert_string_equal(am_json_get(row, "subject")->string, "search k=1");
        assert_true(am_json_get(row, "n")->number == 1500);
        check_times(row);
        for (int s = 0; s < 3; s++) {
            if (strcmp(am_json_get(row, "set")->string, sets[s]) != 0) {
                continue;
            }
            seen[s]++;
            for (const am_json *other = rows->first; other; other = other->next) {
                if (strcmp(am_json_get(other, "set")->string, sets[s]) == 0 &&
                    !strstr(am_json_get(other, "subject")->string, "batch=")) {
                    assert_string_equal(am_json_get(other, "checksum")->string, am_json_get(row, "checksum")->string);
                }
            }
        }
    }
    assert_int_equal(batches, 6); // three cases, each as a batch and one by one
    // amble, boxes and linear are always there; the peers when their libraries are.
    assert_true(seen[0] >= 3 && seen[1] == seen[0] && seen[2] == seen[0]);
    static const char *const own[3] = { "amble", "boxes", "linear" };
    for (int v = 0; v < 3; v++) {
        assert_non_null(find_row(doc, own[v]));
    }
    const am_json *notes = am_json_get(am_json_root(doc), "notes");
    static const char *const peers[4] = { "flann", "nanoflann", "ann", "faiss" };
    for (int p = 0; p < 4; p++) {
        bool said = find_row(doc, peers[p]) != NULL;
        for (const am_json *note = notes->first; note; note = note->next) {
            said = said || strstr(note->string, "absent") != NULL;
        }
        assert_true(said);
    }
    am_json_free(doc);
}

static void a_page_has_rows_and_curves(void **state)
{
    (void)state;
    char path[256], command[600];
    static char text[1 << 17];
    snprintf(path, sizeof path, "%s/bench.html", test_temp_dir("bench"));
    snprintf(command, sizeof command, "load --rounds 1 --html %s", path);
    am_json_doc *doc = run_json(command);
    am_json_free(doc);
    assert_int_equal(test_shell(text, sizeof text, "cat %s", path), 0);
    assert_non_null(strstr(text, "<h1>amble bench load</h1>"));
    assert_non_null(strstr(text, "strtof"));
    assert_int_equal(test_shell(text, sizeof text, "%s bench load --html /nowhere/x.html 2>&1", test_command()), 1);
}

static void a_crowd_repeats_and_allocates_nothing(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    am_json_doc *one = run_json("crowd --config synth --size 7 --rounds 90");
    am_json_doc *two = run_json("crowd --config synth --size 7 --rounds 90");
    const am_json *row = find_row(one, "amble");
    assert_non_null(row);
    assert_string_equal(am_json_get(row, "subject")->string, "crowd step");
    assert_string_equal(am_json_get(row, "set")->string, "synth");
    assert_true(am_json_get(row, "n")->number == 7);
    check_times(row);
    assert_string_equal(am_json_get(row, "checksum")->string,
                        am_json_get(find_row(two, "amble"), "checksum")->string);
    bool none = false;
    for (const am_json *note = am_json_get(am_json_root(one), "notes")->first; note; note = note->next) {
        none = none || strstr(note->string, " 0 allocations") != NULL;
    }
    assert_true(none);
    am_json_free(one);
    am_json_free(two);
}

static void the_list_names_every_bench(void **state)
{
    (void)state;
    char text[1024];
    assert_int_equal(test_shell(text, sizeof text, "%s bench --list", test_command()), 0);
    assert_non_null(strstr(text, "load\n"));
    assert_non_null(strstr(text, "search\n"));
    assert_non_null(strstr(text, "crowd\n"));
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
    assert_int_equal(test_shell(NULL, 0, "%s bench search --size -1 2>/dev/null", test_command()), 2);
    assert_int_equal(test_shell(NULL, 0, "%s bench crowd --config nosuch 2>/dev/null", test_command()), 1);
    assert_int_equal(test_shell(NULL, 0, "%s bench search --config nosuch 2>/dev/null", test_command()), 1);
}

TEST_SUITE(bench)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_prints_a_row_for_each_variant), cmocka_unit_test(the_same_files_give_the_same_checksum),
        cmocka_unit_test(all_searches_find_the_same_frames),  cmocka_unit_test(a_crowd_repeats_and_allocates_nothing),
        cmocka_unit_test(the_list_names_every_bench),         cmocka_unit_test(the_table_compares_with_amble),
        cmocka_unit_test(an_unknown_bench_is_a_usage_error),  cmocka_unit_test(a_page_has_rows_and_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
