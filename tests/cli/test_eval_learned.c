// amble eval learned: all its tables on networks trained for a moment, the same for any number of threads.
#include "support/check.h"
#include "net/build.h"

#include <math.h>

enum { text_size = 1 << 20 };

static const char recipe[] =
    "{ \"seed\": 2, \"stages\": [\n"
    "{ \"kind\": \"decompressor\", \"database\": \"build/databases/synth.amdb\", \"latent\": 6, \"held_out\": 5,\n"
    "  \"compressor\": [\"linear 24\", \"elu\"], \"layers\": [\"linear 48\", \"relu\"], \"iterations\": 150,\n"
    "  \"rate\": 0.003, \"keep_compressor\": %s },\n"
    "{ \"kind\": \"stepper\", \"database\": \"build/databases/synth.amdb\", \"layers\": [\"linear 32\", \"relu\"],\n"
    "  \"window\": 5, \"iterations\": 40, \"preview_every\": 40 },\n"
    "{ \"kind\": \"projector\", \"beside\": true, \"database\": \"build/databases/synth.amdb\",\n"
    "  \"layers\": [\"linear 32\", \"relu\"], \"iterations\": 60, \"preview_every\": 60 } ] }\n";

/// Networks in a folder of their own, with the database that the command keeps there.
static void train(const char *dir, bool compressor)
{
    char text[2000], path[700], own[1200];
    am_error err = { 0 };
    // The command makes the database before it finds that there is no such model.
    assert_int_equal(
        test_shell(text, sizeof text,
                   "mkdir -p %s/build && cd %s && %s eval learned --config synth --model none.amnet 2>&1", dir, dir,
                   test_command()),
        1);
    assert_non_null(strstr(text, "none.amnet"));
    snprintf(path, sizeof path, "%s/recipe.json", dir);
    snprintf(own, sizeof own, recipe, compressor ? "true" : "false");
    check_ok(am_file_write(path, own, strlen(own), &err), &err);
    assert_int_equal(test_shell(text, sizeof text, "cd %s && %s train recipe.json -o out.amnet --threads 2 2>&1", dir,
                                test_command()),
                     0);
}

static double number_at(const am_json *row, int column)
{
    const am_json *cell = row->first;
    for (int i = 0; i < column && cell; i++) {
        cell = cell->next;
    }
    return cell && cell->type == AM_JSON_NUMBER ? cell->number : (double)NAN;
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

/// odd.amnet: a Compressor and a Decompressor of no skeleton at all.
static void write_odd(const char *dir)
{
    char path[700];
    am_net_graph *graphs[2] = { NULL, NULL };
    am_model *model = NULL;
    am_error err = { 0 };
    const char *const names[] = { "compressor", "decompressor" };
    for (int i = 0; i < 2; i++) {
        check_ok(ami_net_graph_create(&graphs[i], names[i], NULL, &err), &err);
        ami_net_graph_output(graphs[i], "y",
                             ami_net_graph_linear(graphs[i], ami_net_graph_input(graphs[i], "x", 4), 4));
        check_ok(ami_net_graph_finish(graphs[i], &err), &err);
    }
    am_model_def def = ami_model_def_default();
    def.graphs = (const am_net_graph *const *)graphs;
    def.graph_count = 2;
    check_ok(am_model_create(&model, &def, &err), &err);
    snprintf(path, sizeof path, "%s/odd.amnet", dir);
    check_ok(am_model_write(model, path, &err), &err);
    am_model_close(model);
    for (int i = 0; i < 2; i++) {
        am_net_graph_destroy(graphs[i]);
    }
}

static void all_tables_are_there_for_any_threads(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("eval_learned");
    char *one = calloc(1, text_size), *two = calloc(1, text_size);
    static const char *const names[] = { "table 3",   "decompressor", "joints",   "compression", "stepper",
                                         "projector", "play",         "figure 9", "endurance" };
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    train(dir, true);
#if defined(__SANITIZE_ADDRESS__)
    const int first = 2; // half a minute each there; that threads do not matter is seen without the sanitizer
#else
    const int first = test_quick() ? 2 : 1;
#endif
    for (int threads = first; threads <= 2; threads++) {
        assert_int_equal(
            test_shell(threads == 1 ? one : two, text_size,
                       "cd %s && %s eval learned --config synth --model out.amnet --ablation out.amnet --quick "
                       "--json --threads %d 2>/dev/null",
                       dir, test_command(), threads),
            0);
    }
    if (first == 1) {
        assert_string_equal(one, two);
    }
    check_ok(am_json_parse(&doc, two, strlen(two), "eval", NULL, &err), &err);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(table_called(doc, names[i]));
    }
    const am_json *rows = am_json_get(table_called(doc, "decompressor"), "rows");
    const double all = number_at(rows->first, 1), trained = number_at(rows->first->next, 1);
    const double held_out = number_at(rows->first->next->next, 1);
    check_near(trained + held_out, all, 0.0); // every frame in one of them
    assert_true(held_out > 0.0);
    assert_true(number_at(rows->first, 2) > 0.0 && number_at(rows->first, 2) < 30.0);        // cm
    check_near(number_at(rows->first->next->next->next, 2), number_at(rows->first, 2), 0.0); // the ablation is itself
    // Whatever networks trained for a moment do, matching plays the random stick well.
    const am_json *mm = am_json_get(table_called(doc, "endurance"), "rows")->first;
    check_near(number_at(mm, 1), 20.0, 0.01);                        // seconds
    assert_true(number_at(mm, 2) > 0.0 && number_at(mm, 2) < 0.1);   // foot slide
    check_near(number_at(mm, 16), 0.0, 0.0);                         // frames that are not finite
    assert_true(number_at(mm, 14) > 0.5 && number_at(mm, 15) < 1.5); // hips
    assert_true(number_at(mm->next, 12) > number_at(mm, 12) * 0.1);  // distance from the data
    write_odd(dir);                                                  // an ablation of another skeleton
    assert_int_equal(
        test_shell(one, text_size,
                   "cd %s && %s eval learned --config synth --model out.amnet --ablation odd.amnet --quick 2>&1", dir,
                   test_command()),
        1);
    assert_non_null(strstr(one, "do not fit"));
    am_json_free(doc);
    free(one);
    free(two);
}

/// The networks that ship have no Compressor: what does not want one is measured all the same.
static void without_a_compressor_the_rest_is_measured(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    const char *dir = test_temp_dir("eval_learned_bare");
    char *text = calloc(1, text_size);
    train(dir, false);
    assert_int_equal(test_shell(text, text_size,
                                "cd %s && %s eval learned --config synth --model out.amnet --quick 2>/dev/null", dir,
                                test_command()),
                     0);
    static const char *const there[] = { "table 3:", "projector:", "play:", "endurance:", "(--compressor)" };
    static const char *const missing[] = { "decompressor:", "stepper:", "turns_90  dmm" };
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) {
        assert_non_null(strstr(text, there[i]));
    }
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        assert_null(strstr(text, missing[i]));
    }
    free(text);
}

static void networks_of_another_skeleton_are_refused(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("eval_learned_other");
    char text[2000];
    write_odd(dir);
    assert_int_equal(test_shell(text, sizeof text, "cd %s && %s eval learned --config synth --model odd.amnet 2>&1",
                                dir, test_command()),
                     1);
    assert_non_null(strstr(text, "do not fit"));
}

/// Where the capture is not found the shipped networks play alone, and the first line says so.
static void without_capture_the_networks_play_alone(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("eval_alone");
    char *out = calloc(1, text_size);
    assert_int_equal(test_shell(out, text_size, "cd %s && AMBLE_DATA=none %s eval learned --quick 2>/dev/null", dir,
                                test_command()),
                     0);
    const char *line =
        "The networks alone, without matching beside them: the motion capture was not found; docs/data.md";
    assert_memory_equal(out, line, strlen(line));
    assert_non_null(strstr(out, "\nlmm fp16 "));
    assert_non_null(strstr(out, "\nturns_90  lmm "));
    assert_null(strstr(out, "  mm  "));
    assert_non_null(strstr(out, "\nendurance: "));
#if !defined(__SANITIZE_ADDRESS__) // the same once more, in minutes
    assert_int_equal(test_shell(out, text_size, "cd %s && AMBLE_DATA=none %s eval learned --quick --json 2>/dev/null",
                                dir, test_command()),
                     0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, out, strlen(out), "eval", NULL, &err), &err);
    am_json_free(doc);
#endif
    // What is no whole character cannot play.
    assert_int_equal(test_shell(out, text_size,
                                "cd %s && AMBLE_DATA=none %s eval learned --model %s/models/direction.amnet 2>&1",
                                dir, test_command(), AMBLE_SOURCE_DIR),
                     1);
    free(out);
}

TEST_SUITE(eval_learned)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_capture_the_networks_play_alone),
        cmocka_unit_test(all_tables_are_there_for_any_threads),
        cmocka_unit_test(without_a_compressor_the_rest_is_measured),
        cmocka_unit_test(networks_of_another_skeleton_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
