// Recipes of kind "value": from a small procedural database to value functions that open again, stopped and resumed
// at any time with the same bytes, alone and as two processes.
#include "support/check.h"
#include "support/synth_db.h"
#include "method/field_value.h"

#include <amble/train.h>

#include <unistd.h>

typedef struct place {
    char folder[512], recipe[600], output[600], database[600];
} place;

static place make_place(const char *name, const char *recipe)
{
    place p;
    am_error err = { 0 };
    snprintf(p.folder, sizeof p.folder, "%s", test_temp_dir(name));
    snprintf(p.recipe, sizeof p.recipe, "%s/recipe.json", p.folder);
    snprintf(p.output, sizeof p.output, "%s/values.amnet", p.folder);
    snprintf(p.database, sizeof p.database, "%s/small.amdb", p.folder);
    am_db *db = synth_db_make_few(&err);
    assert_non_null(db);
    check_ok(am_db_write(db, p.database, &err), &err);
    am_db_close(db);
    check_ok(am_file_write(p.recipe, recipe, strlen(recipe), &err), &err);
    return p;
}

static const char usual[] =
    "{ \"stages\": ["
    "{ \"kind\": \"value\", \"name\": \"direction\", \"database\": \"small.amdb\", \"task\": \"direction\","
    "  \"every\": [8, 20], \"gamma\": 0.9, \"steer_deg_s\": 90, \"k\": 4, \"bound\": 0.01 },"
    "{ \"kind\": \"value\", \"name\": \"speed\", \"database\": \"small.amdb\", \"task\": \"speed\", \"every\": 40,"
    "  \"gamma\": 0.9, \"k\": 4, \"bound\": 0.01, \"weights\": \"fp32\" } ] }";

/// Stops after this many reports; 0: never.
typedef struct stopper {
    int64_t at; ///< iteration of a stage to stop at
    int stage;
} stopper;

static bool report(void *user, const am_train_progress *p)
{
    const stopper *s = user;
    return !(s && p->stage_number == s->stage && p->iteration >= s->at);
}

static am_result train(const place *p, bool resume, stopper *s, int threads, am_error *err)
{
    am_train_def def;
    am_train_def_init(&def);
    am_train_summary summary;
    def.recipe = p->recipe;
    def.output = p->output;
    def.resume = resume;
    def.threads = threads;
    def.report = report;
    def.report_user = s;
    return am_train_run(&summary, &def, err);
}

static void recipes_give_value_functions_that_open(void **state)
{
    (void)state;
    const place p = make_place("value_recipe", usual);
    am_error err = { 0 };
    check_ok(train(&p, false, NULL, 2, &err), &err);
    am_model *model = NULL;
    am_db *db = NULL;
    ami_field *field = NULL;
    check_ok(am_model_open(&model, p.output, NULL, &err), &err);
    check_ok(am_model_verify(model, &err), &err);
    check_ok(am_db_open(&db, p.database, NULL, &err), &err);
    assert_int_equal(model->part_count, 0);
    assert_int_equal(model->attachment_count, 3);
    assert_true(ami_field_value_has(model, "direction") && ami_field_value_has(model, "speed"));
    assert_false(ami_field_value_has(model, "line"));
    assert_true(model->database_hash == db->hash);
    ami_field_def def = ami_field_def_default();
    def.db = db;
    assert_true(ami_field_value_field(&def, model));
    assert_int_equal(def.k, 4);
    check_ok(ami_field_create(&field, &def, &err), &err);
    static const struct {
        const char *task;
        int every;
        am_net_weights numbers;
    } wanted[] = { { "direction", 8, AM_NET_FP16 }, { "direction", 20, AM_NET_FP16 }, { "speed", 40, AM_NET_FP32 } };
    for (int i = 0; i < 3; i++) {
        ami_field_value_def value_def = ami_field_value_def_default();
        ami_field_value *value = NULL;
        value_def.model = model;
        value_def.field = field;
        value_def.task = wanted[i].task;
        value_def.every = i == 1 ? 20 : 0; // by itself it takes the finest
        check_ok(ami_field_value_create(&value, &value_def, &err), &err);
        assert_int_equal(value->head.every, wanted[i].every);
        assert_int_equal(value->head.numbers, wanted[i].numbers);
        assert_true(value->head.bound <= 0.01f && value->head.iterations > 3);
        // Facing the target is worth more than facing away from it, wherever one is.
        const ami_field_neighbours near = { .count = 1, .state = { 5 }, .weight = { 1.0f } };
        const float there[2] = { 0.0f, 1.0f }, away[2] = { 3.0f, 1.0f };
        assert_true(ami_field_value_at(value, &near, there) > ami_field_value_at(value, &near, away) + 1.0f);
        ami_field_value_destroy(value);
    }
    ami_field_destroy(field);
    am_db_close(db);
    am_model_close(model);
}

static void check_same_file(const place *a, const place *b)
{
    size_t one = 0, two = 0;
    char *x = test_read_file(a->output, &one), *y = test_read_file(b->output, &two);
    assert_int_equal(one, two);
    assert_memory_equal(x, y, one);
    free(x);
    free(y);
}

static void stopped_anywhere_a_recipe_goes_on_to_the_same_values(void **state)
{
    (void)state;
    const place whole = make_place("value_whole", usual), p = make_place("value_stopped", usual);
    am_error err = { 0 };
    check_ok(train(&whole, false, NULL, 1, &err), &err);
    // Reports come about twice a second: with the first, and with the last of each stage.
    stopper first = { 0, 0 }, end = { 2, 0 }, last = { 1, 1 };
    check_refused(train(&p, false, &first, 2, &err), AM_ERR_CANCELLED);
    check_refused(train(&p, true, &end, 2, &err), AM_ERR_CANCELLED);
    check_refused(train(&p, true, &last, 2, &err), AM_ERR_CANCELLED);
    check_ok(train(&p, true, NULL, 2, &err), &err);
    am_model *a = NULL, *b = NULL;
    check_ok(am_model_open(&a, whole.output, NULL, &err), &err);
    check_ok(am_model_open(&b, p.output, NULL, &err), &err);
    assert_true(a->hash == b->hash);
    am_model_close(a);
    am_model_close(b);
    check_same_file(&whole, &p);
}

static void wrong_keys_are_told_before_anything_is_trained(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        am_result code;
    } bad[] = {
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\" }", AM_ERR_KEY },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"dance\" }", AM_ERR_RANGE },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"line\", \"evry\": 1 }", AM_ERR_KEY },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"line\", \"every\": [0] }", AM_ERR_RANGE },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"line\", \"every\": [] }", AM_ERR_RANGE },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"line\", \"gamma\": 1.0 }", AM_ERR_RANGE },
        { "{ \"kind\": \"value\", \"database\": \"small.amdb\", \"task\": \"line\", \"fps\": 5, "
          "\"steer_deg_s\": 720 }",
          AM_ERR_RANGE },
        { "{ \"kind\": \"value\", \"database\": \"none.amdb\", \"task\": \"line\" }", AM_ERR_OPEN },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "{ \"stages\": [ %s ] }", bad[i].text);
        const place p = make_place("value_wrong", text);
        am_error err = { 0 };
        check_refused(train(&p, false, NULL, 1, &err), bad[i].code);
        assert_true(err.text[0] != '\0');
    }
}

static void two_processes_give_the_file_of_one(void **state)
{
    (void)state;
    const place one = make_place("value_one", usual), two = make_place("value_two", usual);
    char out[4096];
    if (test_shell(NULL, 0, "command -v mpirun >/dev/null 2>&1") != 0 ||
        test_shell(NULL, 0, "ldd %s | grep -q libmpi", test_command()) != 0) {
        printf("SKIPPED: several processes need mpirun and a build with MPI\n");
        skip();
    }
    am_error err = { 0 };
    check_ok(train(&one, false, NULL, 1, &err), &err);
    if (test_shell(
            out, sizeof out,
            "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -np 2 %s train %s -o %s 2>&1",
            test_command(), two.recipe, two.output) != 0) {
        fail_msg("mpirun: %s", out);
    }
    check_same_file(&one, &two);
}

TEST_SUITE(value_recipe)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_give_value_functions_that_open),
        cmocka_unit_test(stopped_anywhere_a_recipe_goes_on_to_the_same_values),
        cmocka_unit_test(wrong_keys_are_told_before_anything_is_trained),
        cmocka_unit_test(two_processes_give_the_file_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
