// amble eval operators over a folder of networks: the paper's tables of those that are there, and the names of
// others.
#include "support/check.h"

#include <math.h>

enum { text_size = 1 << 19 };

static const char recipe[] =
    "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"build/databases/synth.amdb\", %s \"hidden\": 0, "
    "\"iterations\": 0 },\n"
    "  { \"kind\": \"flow\", \"database\": \"build/databases/synth.amdb\", \"hidden\": 1, \"units\": 32, %s\n"
    "    \"batch\": 32, \"iterations\": %d, \"optimiser\": \"adam\", \"rate\": 0.002 } ] }";

static void train(const char *dir, const char *name, const char *encoder, const char *flow, int iterations)
{
    char text[2400], path[700];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/%s.json", dir, name);
    snprintf(text, sizeof text, recipe, encoder, flow, iterations);
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
    assert_int_equal(test_shell(text, sizeof text, "cd %s && mkdir -p nets && %s train %s.json -o nets/%s.amnet 2>&1",
                                dir, test_command(), name, name),
                     0);
}

static const am_json *table_called(const am_json_doc *doc, const char *name)
{
    for (const am_json *t = am_json_get(am_json_root(doc), "tables")->first; t; t = t->next) {
        if (strcmp(am_json_get(t, "name")->string, name) == 0) {
            return t;
        }
    }
    fail_msg("there is no table '%s'", name);
    return NULL;
}

static const am_json *cell(const am_json *row, int column)
{
    const am_json *at = row->first;
    for (int i = 0; i < column && at; i++) {
        at = at->next;
    }
    assert_non_null(at);
    return at;
}

static int row_count(const am_json *table)
{
    int count = 0;
    for (const am_json *r = am_json_get(table, "rows")->first; r; r = r->next) {
        count++;
    }
    return count;
}

static bool noted(const am_json *table, const char *part)
{
    for (const am_json *n = am_json_get(table, "notes")->first; n; n = n->next) {
        if (strstr(n->string, part)) {
            return true;
        }
    }
    return false;
}

static void folders_give_the_tables_of_what_is_there(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("eval_operators");
    char *text = calloc(1, text_size);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    // The command makes the database before it finds that the folder is empty.
    test_shell(text, text_size,
               "mkdir -p %s/build %s/empty && cd %s && %s eval operators --config synth --quick "
               "--networks empty 2>&1",
               dir, dir, dir, test_command());
    assert_non_null(strstr(text, "absent: no_latent.amnet (configs/recipes/operators/no_latent.json)"));
    train(dir, "flow", "\"latent\": 24,", "", 80);
    train(dir, "no_skips", "\"latent\": 24,", "\"skip\": \"none\",", 10);
    train(dir, "no_latent", "\"space\": \"pose\",", "", 10);
    assert_int_equal(test_shell(text, text_size,
                                "cd %s && %s eval operators --config synth --quick --networks nets --timings --json "
                                "2>/dev/null",
                                dir, test_command()),
                     0);
    check_ok(am_json_parse(&doc, text, strlen(text), "eval", NULL, &err), &err);
    const am_json *one = table_called(doc, "table 1"), *two = table_called(doc, "table 2"),
                  *three = table_called(doc, "table 3");
    assert_int_equal(row_count(one), 4); // with the ground truth
    assert_true(noted(one, "absent: no_layer_norm.amnet") && !noted(one, "absent: flow.amnet"));
    const am_json *truth = am_json_get(one, "rows")->first;
    check_near(cell(truth, 2)->number, 1.0, 1e-9);
    assert_string_equal(cell(truth->next, 0)->string, "flow");
    assert_string_equal(cell(truth->next->next->next, 0)->string, "w/o latent");
    // A network that learned nothing moves otherwise than one that learned something.
    assert_true(fabs(cell(truth->next, 4)->number - cell(truth->next->next, 4)->number) > 0.01);
    assert_int_equal(row_count(two), 6);
    const am_json *steps = am_json_get(two, "rows")->first;
    check_near(cell(steps, 1)->number, 1.0, 0.0);
    check_near(cell(steps->next->next->next->next->next, 1)->number, 32.0, 0.0);
    // Four steps of table 2 are those of table 1.
    check_near(cell(steps->next->next, 2)->number, cell(truth->next, 1)->number, 1e-9);
    assert_int_equal(row_count(table_called(doc, "root diversity")), 3);
    assert_int_equal(row_count(three), 3 + 2); // three kinds of weights, and the paper's
    const am_json *fp32 = am_json_get(three, "rows")->first, *int8 = fp32->next->next;
    assert_true(cell(fp32, 5)->number > 1.8 * cell(int8, 5)->number); // MB
    assert_true(cell(fp32, 9)->number > 0.0);                         // us
    assert_true(noted(table_called(doc, "figure 12"), "absent: eight.amnet"));
    assert_true(noted(table_called(doc, "figure 13"), "absent: transfer.amnet"));
    am_json_free(doc);
    free(text);
}

/// Networks of two tasks: rows of both, by an encoder and by hand, and eight numbers of each way.
static void networks_of_two_tasks_are_compared(void **state)
{
    (void)state;
    static const char *const names[] = { "both", "by_hand", "eight" };
    const char *dir = test_temp_dir("eval_two_tasks");
    char *text = calloc(1, text_size);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    test_shell(
        text, text_size,
        "mkdir -p %s/build %s/empty && cd %s && %s eval operators --config synth --quick --networks empty 2>&1", dir,
        dir, dir, test_command());
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char flow[800];
        snprintf(flow, sizeof flow,
                 "\"schema\": \"%s/configs/schemas/operators/%s.json\", "
                 "\"controls\": \"%s/configs/controls/operators/%s.json\",",
                 AMBLE_SOURCE_DIR, names[i], AMBLE_SOURCE_DIR, names[i]);
        train(dir, names[i], "\"latent\": 24,", flow, 10);
    }
    assert_int_equal(
        test_shell(text, text_size,
                   "cd %s && %s eval operators --config synth --quick --networks nets --json 2>/dev/null", dir,
                   test_command()),
        0);
    check_ok(am_json_parse(&doc, text, strlen(text), "eval", NULL, &err), &err);
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        const am_json *tasks = table_called(doc, by_hand ? "6.2.1, by hand" : "6.2.1, encoder");
        assert_int_equal(row_count(tasks), 3);
        assert_string_equal(cell(am_json_get(tasks, "rows")->first, 0)->string, "trajectory");
    }
    const am_json *eight = table_called(doc, "figure 12");
    assert_int_equal(row_count(eight), 6);
    assert_true(noted(eight, "the nearest of ten targets"));
    const am_json *right = am_json_get(eight, "rows")->first, *left = right->next->next;
    bool differ = false;
    for (int i = 1; i <= 8; i++) {
        differ |= fabs(cell(right, i)->number - cell(left, i)->number) > 1e-3;
    }
    assert_true(differ);
    am_json_free(doc);
    free(text);
}

static void folders_that_are_not_there_are_named(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(test_shell(text, sizeof text, "%s eval operators --networks /none/at/all 2>&1", test_command()),
                     1);
    assert_non_null(strstr(text, "/none/at/all is no folder of networks"));
    assert_int_equal(test_shell(text, sizeof text, "%s eval operators 2>&1", test_command()), 1);
    assert_true(strstr(text, "--model X.amnet") && strstr(text, "--networks DIR/"));
}

TEST_SUITE(eval_operators)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_give_the_tables_of_what_is_there),
        cmocka_unit_test(networks_of_two_tasks_are_compared),
        cmocka_unit_test(folders_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
