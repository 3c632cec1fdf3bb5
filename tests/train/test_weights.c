// A learned character in other weights, and what keeps its networks and a database's latents together.
#include "support/check.h"
#include "train/tiny_lmm.h"
#include "base/budget.h"
#include "method/sources.h"

static tiny_lmm tiny;

static int begin(void **state)
{
    (void)state;
    tiny_begin(&tiny, NULL, 400);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tiny_end(&tiny);
    return 0;
}

/// The trained networks with the key of some latents.
static am_model *keyed_model(uint64_t key)
{
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def;
    am_model_def_init(&def, tiny.bare);
    def.graphs = (const am_net_graph *const *)tiny.graphs;
    def.graph_count = 3;
    def.latent_key = key;
    check_ok(am_model_create(&model, &def, &err), &err);
    return model;
}

/// Matching by the Decompressor over latents of `key`.
static am_result match_with(uint64_t key, const am_model *model, am_error *err)
{
    am_db *db = NULL;
    am_index *index = NULL;
    am_source *source = NULL;
    am_db_copy_def copy = am_db_copy_def_default();
    copy.db = tiny.db;
    copy.z = tiny.z;
    copy.latent_count = tiny_latent;
    copy.latent_key = key;
    copy.drop_poses = true;
    check_ok(am_db_copy(&db, &copy, err), err);
    assert_true(db->latent_key == key);
    ami_index_def index_def = ami_index_def_default();
    index_def.db = db;
    check_ok(ami_index_create(&index, &index_def, err), err);
    ami_match_def def = ami_match_def_default();
    def.db = db;
    def.index = index;
    def.decompressor = model;
    am_result result = ami_match_create(&source, &def, err);
    ami_source_destroy(source);
    ami_index_destroy(index);
    am_db_close(db);
    return result;
}

static void latents_of_another_training_are_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_model *model = keyed_model(41);
    assert_true(model->latent_key == 41);
    check_ok(match_with(41, model, &err), &err);
    check_refused(match_with(42, model, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "another training"));
    check_ok(match_with(0, model, &err), &err); // made before keys were noted
    am_model_close(model);
    check_ok(match_with(42, tiny.bare, &err), &err);
}

static float rms_of(const am_model *model, const char *part)
{
    return model->parts[am_model_find(model, part)].error_rms;
}

static void eight_bits_are_rounded_for_what_happens_in_play(void **state)
{
    (void)state;
    am_error err = { 0 };
    static const am_net_weights eight[3] = { AM_NET_INT8, AM_NET_INT8, AM_NET_INT8 };
    static const am_net_weights mixed[3] = { AM_NET_FP16, AM_NET_FP32, AM_NET_INT8 };
    am_model *plain = tiny_packed(&tiny, AM_NET_INT8), *made = NULL, *again = NULL;
    check_ok(am_learned_weights(&made, tiny.model, eight, NULL, &err), &err);
    check_ok(am_learned_weights(&again, tiny.model, eight, NULL, &err), &err);
    assert_true(made->hash == again->hash);
    assert_int_equal(made->image_size, again->image_size);
    assert_string_equal(made->recipe, tiny.model->recipe);
    assert_int_equal(made->attachment_count, tiny.model->attachment_count);
    static const char *const parts[3] = { "decompressor", "stepper", "projector" };
    for (int p = 0; p < 3; p++) {
        assert_true(rms_of(made, parts[p]) > 0.0f && rms_of(made, parts[p]) < 0.7f * rms_of(plain, parts[p]));
    }
    am_model_close(again);
    check_ok(am_learned_weights(&again, tiny.model, mixed, NULL, &err), &err);
    for (int p = 0; p < 3; p++) {
        assert_int_equal(again->parts[p].weights, mixed[p]);
    }
    am_model_close(again);
    am_source *source = NULL;
    ami_learned_def def = ami_learned_def_default();
    def.model = made;
    check_ok(ami_learned_create(&source, &def, &err), &err);
    ami_source_destroy(source);
    check_refused(am_learned_weights(&again, tiny.bare, eight, NULL, &err), AM_ERR_FORMAT); // no character
    am_model_close(plain);
    am_model_close(made);
}

static void other_weights_survive_every_failed_allocation(void **state)
{
    (void)state;
    static const am_net_weights one[3] = { AM_NET_INT8, AM_NET_FP32, AM_NET_FP32 };
    am_result result = AM_ERR_MEMORY;
    for (size_t n = 1; result != AM_OK; n += 1 + n) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_error err = { 0 };
        am_model *made = NULL;
        result = am_learned_weights(&made, tiny.model, one, &alloc, &err);
        assert_true(result == AM_OK || (result == AM_ERR_MEMORY && !made));
        am_model_close(made);
        assert_int_equal(budget.live_count, 0);
    }
}

TEST_SUITE(weights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latents_of_another_training_are_refused),
        cmocka_unit_test(eight_bits_are_rounded_for_what_happens_in_play),
        cmocka_unit_test(other_weights_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
