// amble eval fields: its tables on procedural motion, so that it runs everywhere.
#include "support/check.h"

#include <math.h>

/// The table called `name`, or NULL.
static const am_json *find_table(const am_json *tables, const char *name)
{
    const am_json *table = tables->first;
    while (table && strcmp(am_json_get(table, "name")->string, name) != 0) {
        table = table->next;
    }
    return table;
}

/// The number in the row that begins with `row` under a column's name, NAN when there is none.
static double cell(const am_json *table, const char *row, const char *column)
{
    const am_json *line = am_json_get(table, "rows")->first;
    while (line && strcmp(line->first->string, row) != 0) {
        line = line->next;
    }
    const am_json *value = line ? line->first : NULL;
    for (const am_json *c = am_json_get(table, "columns")->first; c && value; c = c->next, value = value->next) {
        if (strcmp(c->string, column) == 0) {
            return value->type == AM_JSON_NUMBER ? value->number : (double)NAN;
        }
    }
    return (double)NAN;
}

static void it_prints_the_papers_tables_and_a_page(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    size_t size = 1 << 18;
    char *text = malloc(size);
    const char *dir = test_temp_dir("eval_fields");
    int status =
        test_shell(text, size, "%s eval fields --config synth --quick --json --html %s/page.html 2>/dev/null",
                   test_command(), dir);
    assert_int_equal(status, 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "tables", NULL, &err), &err);
    const am_json *tables = am_json_get(am_json_root(doc), "tables");
    const char *const tasks[2] = { "direction", "line" };
    const double papers[2] = { 0.94, 1.30 };
    for (int i = 0; i < 2; i++) {
        const am_json *table = find_table(tables, tasks[i]);
        assert_non_null(table);
        double average = cell(table, "graph-based", "average");
        assert_true(cell(table, "graph-based", "minimum") < average);
        assert_true(cell(table, "graph-based", "maximum") > average);
        assert_true(average > 0.3 && average < 2.0);
        check_near(cell(table, "graph-based", "paper_average"), papers[i], 1e-9);
    }
    const am_json *endurance = find_table(tables, "endurance");
    assert_non_null(endurance);
    assert_true(cell(endurance, "graph-based", "not_finite") == 0.0);
    assert_true(cell(endurance, "motion field, passive", "away_most") < 0.6);
    const double visited = cell(endurance, "motion field, passive", "states_visited");
    assert_true(visited > 0.005 && visited <= 1.0); // of 5 s
    am_json_free(doc);
    char path[600];
    snprintf(path, sizeof path, "%s/page.html", dir);
    char *page = test_read_file(path, &size);
    assert_non_null(strstr(page, "the facing while the target direction changes"));
    free(page);
    free(text);
}

static void pushes_alone_are_two_tables_and_their_costs(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    size_t size = 1 << 16;
    char *text = malloc(size);
    assert_int_equal(test_shell(text, size,
                                "%s eval fields --config synth --quick --pushes --timings --json 2>/dev/null",
                                test_command()),
                     0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "tables", NULL, &err), &err);
    const am_json *tables = am_json_get(am_json_root(doc), "tables");
    assert_null(find_table(tables, "endurance"));
    const am_json *pushes = find_table(tables, "pushes");
    if (pushes) { // the build has the engine
        const am_json *ways = find_table(tables, "push_ways");
        assert_true(cell(pushes, "synth", "pushes") == 16.0);
        assert_true(cell(pushes, "synth", "beyond_alone") <= cell(pushes, "synth", "beyond"));
        assert_true(cell(pushes, "synth", "depth_cm") < 2.0);
        assert_true(cell(ways, "synth", "trunk") == 8.0 && cell(ways, "synth", "legs") == 8.0);
        assert_true(cell(ways, "synth", "trunk_off") <= 1.0);
        assert_true(cell(find_table(tables, "push_costs"), "synth", "step_us") > 0.0);
    }
    am_json_free(doc);
    free(text);
}

TEST_SUITE(eval_fields)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_prints_the_papers_tables_and_a_page),
                                        cmocka_unit_test(pushes_alone_are_two_tables_and_their_costs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
