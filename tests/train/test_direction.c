// Stage "direction": what it learns from clips, what it keeps from training, what it refuses.
#include "support/check.h"
#include "support/synth_db.h"
#include "base/budget.h"
#include "train/direction_check.h"

#include <amble/train.h>

typedef struct place {
    char database[600], recipe[600], output[600];
} place;

static place make_place(const char *name)
{
    place p;
    const char *dir = test_temp_dir(name);
    snprintf(p.database, sizeof p.database, "%s/synth.amdb", dir);
    snprintf(p.recipe, sizeof p.recipe, "%s/recipe.json", dir);
    snprintf(p.output, sizeof p.output, "%s/out.amnet", dir);
    return p;
}

static am_result train(const place *p, const char *keys, am_train_summary *summary, const am_alloc *alloc,
                       am_error *err)
{
    FILE *f = fopen(p->recipe, "w");
    assert_non_null(f);
    fprintf(f, "{ \"stages\": [ { \"kind\": \"direction\", \"database\": \"synth.amdb\", \"batch\": 16%s } ] }",
            keys);
    fclose(f);
    am_train_def def;
    am_train_def_init(&def);
    def.alloc = alloc;
    def.recipe = p->recipe;
    def.output = p->output;
    return am_train_run(summary, &def, err);
}

static void a_net_learns_to_face_along_the_way(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    am_error err = { 0 };
    place p = make_place("train_direction");
    am_db *db = synth_db_make(false, &err);
    assert_non_null(db);
    check_ok(am_db_write(db, p.database, &err), &err);
    am_train_summary summary;
    check_ok(train(&p,
                   ", \"iterations\": 400, \"rate\": 0.01, \"clip\": 1, \"noise_m\": 0.01, \"stretch\": 0.1, "
                   "\"nudge_deg\": 10, \"turned\": 0.02, \"stops\": 0.1, \"mirror\": true, \"fold\": 2",
                   &summary, NULL, &err),
             &err);
    assert_true(summary.last_loss < 0.5 * summary.first_loss);
    am_model *model = NULL;
    am_net *net = NULL;
    ami_direction_report report;
    int folds, fold;
    check_ok(am_model_open(&model, p.output, NULL, &err), &err);
    check_ok(ami_direction_net_open(&net, model, NULL, &err), &err);
    ami_direction_kept(model, &folds, &fold);
    assert_true(folds == 5 && fold == 2 && model->database_hash == db->hash);
    check_ok(ami_direction_check(&report, net, db, folds, -1, NULL, &err), &err);
    assert_true(report.scores[AMI_DIRECTION_FORWARD].net_deg < 30.0);
    // The same again gives the same bytes.
    uint64_t hash = model->hash;
    am_net_destroy(net);
    am_model_close(model);
    check_ok(train(&p,
                   ", \"iterations\": 400, \"rate\": 0.01, \"clip\": 1, \"noise_m\": 0.01, \"stretch\": 0.1, "
                   "\"nudge_deg\": 10, \"turned\": 0.02, \"stops\": 0.1, \"mirror\": true, \"fold\": 2",
                   &summary, NULL, &err),
             &err);
    assert_true(summary.hash == hash);
    am_db_close(db);
}

static void strange_recipes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        am_result code;
        const char *says;
    } cases[] = {
        { ", \"iterations\": 1, \"fold\": 5", AM_ERR_RANGE, "fold" },
        { ", \"iterations\": 1, \"folds\": 1", AM_ERR_RANGE, "folds" },
        { ", \"iterations\": 1, \"starts\": 2", AM_ERR_RANGE, "starts" },
        { ", \"iterations\": 1, \"turned\": -1", AM_ERR_RANGE, "turned" },
        { ", \"iterations\": 1, \"mirror\": 1", AM_ERR_TYPE, "mirror" },
        { ", \"iterations\": 1, \"past_s\": 2", AM_ERR_KEY, "past_s" },
    };
    place p = make_place("train_direction_refused");
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    check_ok(am_db_write(db, p.database, &err), &err);
    am_db_close(db);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_train_summary summary;
        check_refused(train(&p, cases[i].keys, &summary, NULL, &err), cases[i].code);
        assert_non_null(strstr(err.text, cases[i].says));
    }
    am_result result = AM_ERR_MEMORY;
    int failed = 0;
    for (size_t fail_at = 1; result == AM_ERR_MEMORY && fail_at < 400; fail_at++, failed++) {
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        am_train_summary summary;
        budget.fail_at = fail_at;
        result = train(&p, ", \"iterations\": 1", &summary, &alloc, &err);
        assert_int_equal((int)budget.live_count, 0);
    }
    check_refused(result, AM_OK);
    assert_true(failed > 10);
}

TEST_SUITE(direction)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_learns_to_face_along_the_way),
        cmocka_unit_test(strange_recipes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
