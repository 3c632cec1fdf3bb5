// The stages of Learned Motion Matching through am_train_run: what they learn, leave behind, repeat and refuse.
#include "support/check.h"
#include "train/recipe_place.h"
#include "base/budget.h"
#include "method/sources.h"

#include <amble/train.h>

#include <math.h>
#include <unistd.h>

static const char three[] =
    "{ \"seed\": 3, \"stages\": [\n"
    "{ \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 8, \"compressor\": [\"linear 32\", "
    "\"elu\"],\n"
    "  \"layers\": [\"linear 48\", \"relu\"], \"iterations\": 150, \"rate\": 0.003, \"held_out\": 5, \"batch\": 24,\n"
    "  \"latent_database\": \"z.amdb\", \"noise\": 0.05 },\n"
    "{ \"kind\": \"stepper\", \"database\": \"db.amdb\", \"layers\": [\"linear 32\", \"relu\"], \"window\": 6,\n"
    "  \"iterations\": 60, \"checkpoint_every\": 7, \"preview_every\": 25 },\n"
    "{ \"kind\": \"projector\", \"beside\": true, \"database\": \"db.amdb\", \"layers\": [\"linear 32\", \"relu\"],\n"
    "  \"noise\": 0.8, \"swap\": 0.5, \"rate\": 0.004, \"iterations\": 300, \"checkpoint_every\": 11 } ] }\n";

static void a_recipe_gives_a_whole_character(void **state)
{
    (void)state;
    place p = make_place("lmm_whole");
    put_database(&p, 0);
    watcher w = { 0 };
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run_as(&p, three, 2, false, &w, &s, &err), &err);
    assert_int_equal(s.iterations, 510);
    assert_true(s.last_loss < 0.9 * s.first_loss);
    assert_non_null(strstr(w.terms, "zval"));
    am_model *model = NULL;
    check_ok(am_model_open(&model, p.output, NULL, &err), &err);
    assert_int_equal(model->part_count, 3); // the Compressor served its turn
    am_source *source = NULL;
    ami_learned_def def = ami_learned_def_default();
    def.model = model;
    check_ok(ami_learned_create(&source, &def, &err), &err);
    ami_source_destroy(source);
    char path[600];
    am_db *latent = NULL;
    snprintf(path, sizeof path, "%s/z.amdb", p.dir);
    check_ok(am_db_open(&latent, path, NULL, &err), &err);
    check_ok(am_db_verify(latent, &err), &err);
    assert_int_equal(latent->latent_count, 8);
    assert_false(latent->has_poses);
    double size = 0.0;
    for (int i = 0; i < 8 * latent->frame_count; i++) {
        size += fabs((double)latent->z[i]);
    }
    assert_true(size > 0.0 && isfinite(size));
    am_db_close(latent);
    am_model_close(model);
}

static uint64_t hash_of(const place *p, const char *text, int threads)
{
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run_as(p, text, threads, false, NULL, &s, &err), &err);
    return s.hash;
}

static void stopped_anywhere_the_lanes_go_on_to_the_same_bits(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    place p = make_place("lmm_resume");
    put_database(&p, 0);
    const uint64_t want = hash_of(&p, three, 2);
    am_train_summary s;
    am_error err = { 0 };
    am_result result = AM_ERR_CANCELLED;
    int stops = 0;
    for (; result == AM_ERR_CANCELLED && stops < 20; stops++) {
        // Reports come when a stage begins, when it ends and twice a second: so runs stop in every stage.
        watcher w = { .stop_after = stops < 8 ? 1 + stops % 2 : 0 };
        result = run_as(&p, three, 2, true, &w, &s, &err);
    }
    check_ok(result, &err);
    assert_true(stops >= 4);
    assert_true(s.hash == want);
}

/// One stage after the other, so that both threads share each.
static void two_trainings_of_two_threads_give_the_same_bytes(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"seed\": 5, \"stages\": [\n"
        "{ \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 8, \"compressor\": [\"linear 48\", "
        "\"elu\"],\n"
        "  \"layers\": [\"linear 48\", \"relu\"], \"noise\": 0.1, \"iterations\": 40 },\n"
        "{ \"kind\": \"stepper\", \"database\": \"db.amdb\", \"layers\": [\"linear 40\", \"relu\"], \"window\": 6,\n"
        "  \"iterations\": 40 },\n"
        "{ \"kind\": \"projector\", \"database\": \"db.amdb\", \"layers\": [\"linear 32\", \"relu\"],\n"
        "  \"noise\": 0.8, \"swap\": 0.5, \"iterations\": 60 } ] }\n";
    place p = make_place("lmm_twice");
    put_database(&p, 0);
    size_t sizes[2] = { 0 };
    char *files[2];
    for (int i = 0; i < 2; i++) {
        hash_of(&p, text, 2);
        files[i] = test_read_file(p.output, &sizes[i]);
        assert_non_null(files[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    free(files[0]);
    free(files[1]);
}

/// A short training whose three networks are stored as `weights`.
static am_model *train_short(const place *p, const char *weights)
{
    char text[900];
    am_error err = { 0 };
    am_model *model = NULL;
    snprintf(
        text, sizeof text,
        "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 4, \"compressor\": "
        "[\"linear 16\", \"elu\"], \"layers\": [\"linear 24\", \"relu\"], \"iterations\": 30, \"weights\": \"%s\" }, "
        "{ \"kind\": \"stepper\", \"database\": \"db.amdb\", \"layers\": [\"linear 24\", \"relu\"], \"window\": 2, "
        "\"iterations\": 20, \"weights\": \"%s\" }, { \"kind\": \"projector\", \"database\": \"db.amdb\", "
        "\"layers\": [\"linear 24\", \"relu\"], \"iterations\": 20, \"weights\": \"%s\" } ] }",
        weights, weights, weights);
    hash_of(p, text, 1);
    check_ok(am_model_open(&model, p->output, NULL, &err), &err);
    return model;
}

static void eight_bits_of_a_recipe_are_those_of_an_export(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    place p = make_place("lmm_int8");
    put_database(&p, 0);
    am_error err = { 0 };
    am_model *whole = train_short(&p, "fp32"), *fitted = NULL;
    const am_net_weights all[3] = { AM_NET_INT8, AM_NET_INT8, AM_NET_INT8 };
    check_ok(am_learned_weights(&fitted, whole, all, NULL, &err), &err);
    am_model *small = train_short(&p, "int8");
    assert_int_equal(small->part_count, 3);
    for (int i = 0; i < 3; i++) {
        am_net_graph *want = NULL, *got = NULL;
        assert_int_equal(small->parts[i].weights, AM_NET_INT8);
        check_ok(am_model_graph(fitted, i, &want, NULL, &err), &err);
        check_ok(am_model_graph(small, i, &got, NULL, &err), &err);
        assert_int_equal(want->weight_count, got->weight_count);
        assert_memory_equal(want->weights, got->weights, want->weight_count * sizeof(float));
        am_net_graph_destroy(want);
        am_net_graph_destroy(got);
    }
    am_model_close(small);
    am_model_close(fitted);
    am_model_close(whole);
}

static void who_searches_does_not_matter(void **state)
{
    (void)state;
    place p = make_place("lmm_search");
    put_database(&p, 0);
    static const char first[] =
        "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 4, \"compressor\": "
        "[\"linear 16\", \"elu\"], \"layers\": [\"linear 16\", \"relu\"], \"iterations\": 20, \"keep_compressor\": "
        "true, "
        "\"name\": \"decompressor\" } ] }";
    static const char then[] =
        "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 4, \"compressor\": "
        "[\"linear 16\", \"elu\"], \"layers\": [\"linear 16\", \"relu\"], \"iterations\": 0, \"from\": "
        "\"begun.amnet\" }, "
        "{ \"kind\": \"projector\", \"database\": \"db.amdb\", \"layers\": [\"linear 24\", \"relu\"], \"batch\": 21, "
        "\"iterations\": 80 } ] }";
    char path[600];
    am_error err = { 0 };
    hash_of(&p, first, 1);
    snprintf(path, sizeof path, "%s/begun.amnet", p.dir);
    assert_int_equal(rename(p.output, path), 0);
    const uint64_t alone = hash_of(&p, then, 1);
    assert_true(hash_of(&p, then, 2) == alone); // one thread trains, one searches ahead
    assert_true(hash_of(&p, then, 4) == alone);
    am_model *model = NULL;
    check_ok(am_model_open(&model, path, NULL, &err), &err);
    assert_true(am_model_find(model, "compressor") >= 0);
    am_model_close(model);
}

/// Twelve frames by heart: losses through the kinematics can be driven down.
static void a_handful_of_frames_is_learnt_by_heart(void **state)
{
    (void)state;
    place p = make_place("lmm_heart");
    put_database(&p, 12);
    am_train_summary s;
    am_error err = { 0 };
    static const char pose[] =
        "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 4, \"compressor\": "
        "[\"linear 64\", \"elu\"], \"layers\": [\"linear 64\", \"relu\"], \"iterations\": 1500, \"rate\": 0.003, "
        "\"schedule\": "
        "{ \"kind\": \"linear\" }, \"features\": \"none\", \"keep_compressor\": true } ] }";
    check_ok(run_as(&p, pose, 1, false, NULL, &s, &err), &err);
    assert_true(s.last_loss < 0.06 * s.first_loss);
    static const char squares[] =
        "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 4, \"loss\": \"mse\", "
        "\"compressor\": "
        "[\"linear 64\", \"elu\"], \"layers\": [\"linear 64\", \"relu\"], \"iterations\": 1500, \"rate\": 0.003, "
        "\"schedule\": "
        "{ \"kind\": \"linear\" } }, { \"kind\": \"stepper\", \"database\": \"db.amdb\", \"layers\": [\"linear 64\", "
        "\"relu\"], "
        "\"window\": 5, \"iterations\": 1500, \"rate\": 0.003, \"schedule\": { \"kind\": \"linear\" } } ] }";
    check_ok(run_as(&p, squares, 1, false, NULL, &s, &err), &err);
    assert_true(s.last_loss < 0.15 * s.first_loss);
}

#define DECOMPRESSOR                                                                                                 \
    "{ \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 2, \"compressor\": [], \"layers\": [], "   \
    "\"iterations\": 1"

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        am_result code;
        const char *says;
    } cases[] = {
        { "{ \"stages\": [ { \"kind\": \"stepper\", \"database\": \"db.amdb\", \"window\": 3, \"iterations\": 1 } ] "
          "}",
          AM_ERR_KEY, "Compressor" },
        { "{ \"stages\": [ { \"kind\": \"decompressor\", \"iterations\": 1 } ] }", AM_ERR_KEY, "database" },
        { "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"iterations\": 0 } ] }",
          AM_ERR_RANGE, "iterations" },
        { "{ \"stages\": [ " DECOMPRESSOR ", \"loss\": \"squares\" } ] }", AM_ERR_RANGE, "mse" },
        { "{ \"stages\": [ " DECOMPRESSOR ", \"loss_weights\": { \"lok\": 1 } } ] }", AM_ERR_KEY, "loc" },
        { "{ \"stages\": [ " DECOMPRESSOR ", \"held_out\": 1 } ] }", AM_ERR_EMPTY, "frames of a sample" },
        { "{ \"stages\": [ " DECOMPRESSOR
          " }, { \"kind\": \"stepper\", \"database\": \"db.amdb\", \"iterations\": 1, "
          "\"window\": 12 } ] }",
          AM_ERR_EMPTY, "12 frames" },
        { "{ \"stages\": [ " DECOMPRESSOR ", \"from\": \"missing.amnet\" } ] }", AM_ERR_OPEN, "" },
        { "{ \"stages\": [ " DECOMPRESSOR
          ", \"features\": \"none\" }, { \"kind\": \"projector\", \"database\": \"db.amdb\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "reads features" },
        { "{ \"stages\": [ { \"kind\": \"projector\", \"database\": \"db.amdb\", \"iterations\": 1, \"nois\": 1 } ] "
          "}",
          AM_ERR_KEY, "noise" },
    };
    place p = make_place("lmm_mistakes");
    put_database(&p, 12);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_train_summary s;
        am_error err = { 0 };
        const am_result result = run_as(&p, cases[i].text, 1, false, NULL, &s, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says)) {
            fail_msg("case %zu: %s: %s", i, am_result_name(result), err.text);
        }
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    place p = make_place("lmm_fit");
    put_database(&p, 12);
    char path[600], database[600];
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run_as(&p, "{ \"stages\": [ " DECOMPRESSOR " } ] }", 1, false, NULL, &s, &err), &err);
    snprintf(path, sizeof path, "%s/begun.amnet", p.dir);
    assert_int_equal(rename(p.output, path), 0);
    // The model keeps no Compressor; nor has it these layers.
    check_refused(
        run_as(&p, "{ \"stages\": [ " DECOMPRESSOR ", \"from\": \"begun.amnet\" } ] }", 1, false, NULL, &s, &err),
        AM_ERR_KEY);
    assert_non_null(strstr(err.text, "compressor"));
    check_ok(
        run_as(&p, "{ \"stages\": [ " DECOMPRESSOR ", \"keep_compressor\": true } ] }", 1, false, NULL, &s, &err),
        &err);
    assert_int_equal(rename(p.output, path), 0);
    check_refused(
        run_as(
            &p,
            "{ \"stages\": [ { \"kind\": \"decompressor\", \"database\": \"db.amdb\", \"latent\": 3, \"compressor\": "
            "[], \"layers\": [], \"iterations\": 1, \"from\": \"begun.amnet\" } ] }",
            1, false, NULL, &s, &err),
        AM_ERR_FORMAT);
    // Nothing can be learnt from a database that has left its poses out.
    am_db *db = NULL, *bare = NULL;
    snprintf(database, sizeof database, "%s/db.amdb", p.dir);
    check_ok(am_db_open(&db, database, NULL, &err), &err);
    am_db_copy_def copy = am_db_copy_def_default();
    float *z = calloc((size_t)db->frame_count, sizeof *z);
    copy.db = db;
    copy.z = z;
    copy.latent_count = 1;
    copy.drop_poses = true;
    check_ok(am_db_copy(&bare, &copy, &err), &err);
    am_db_close(db);
    check_ok(am_db_write(bare, database, &err), &err);
    am_db_close(bare);
    free(z);
    check_refused(run_as(&p, "{ \"stages\": [ " DECOMPRESSOR " } ] }", 1, false, NULL, &s, &err), AM_ERR_EMPTY);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    place p = make_place("lmm_memory");
    put_database(&p, 12);
    static const char text[] =
        "{ \"stages\": [ " DECOMPRESSOR ", \"latent_database\": \"z.amdb\" }, { \"kind\": \"stepper\", \"database\": "
        "\"db.amdb\", \"layers\": [], \"window\": 3, \"iterations\": 1 }, { \"kind\": \"projector\", \"database\": "
        "\"db.amdb\", "
        "\"layers\": [], \"iterations\": 1 } ] }";
    am_error err = { 0 };
    check_ok(am_file_write(p.recipe, text, strlen(text), &err), &err);
    size_t n = 1;
    for (am_result result = AM_ERR_MEMORY; result != AM_OK; n += n < 40 ? 1 : 7) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        const am_alloc alloc = ami_budget_alloc(&budget);
        am_train_def def;
        am_train_def_init(&def);
        def.recipe = p.recipe;
        def.output = p.output;
        def.threads = 1;
        def.alloc = &alloc;
        am_train_summary s;
        result = am_train_run(&s, &def, &err);
        assert_true(result == AM_OK || result == AM_ERR_MEMORY);
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(n > 40);
}

TEST_SUITE(lmm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipe_gives_a_whole_character),
        cmocka_unit_test(stopped_anywhere_the_lanes_go_on_to_the_same_bits),
        cmocka_unit_test(two_trainings_of_two_threads_give_the_same_bytes),
        cmocka_unit_test(eight_bits_of_a_recipe_are_those_of_an_export),
        cmocka_unit_test(who_searches_does_not_matter),
        cmocka_unit_test(a_handful_of_frames_is_learnt_by_heart),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
