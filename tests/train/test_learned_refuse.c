// Refusals of learned characters: models without its parts, damaged attachments, other databases, too little memory.
#include "train/tiny_walk.h"
#include "base/budget.h"

#include <math.h>

static int train(void **state)
{
    (void)state;
    return tiny_train(300);
}

static void creating_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_error err = { 0 };
        am_source *source = NULL;
        am_search_work *work = NULL;
        ami_learned_def def = ami_learned_def_default();
        def.model = tiny.model;
        def.alloc = &alloc;
        am_result result = ami_learned_create(&source, &def, &err);
        result = result == AM_OK ? am_source_work_create(&work, source, 4, &alloc, &err) : result;
        ami_search_work_destroy(work);
        ami_source_destroy(source);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 8);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
    }
}

static void refuse(const am_model *model, am_result code, const char *word)
{
    am_source *source = NULL;
    am_error err = { 0 };
    ami_learned_def def = ami_learned_def_default();
    def.model = model;
    check_refused(ami_learned_create(&source, &def, &err), code);
    assert_null(source);
    assert_non_null(strstr(err.text, word));
}

/// A model of some of the tiny graphs with the attachments of the whole.
static am_model *model_of(const am_net_graph *const *graphs, int count)
{
    am_error err = { 0 };
    am_model *model = NULL;
    am_model_blob blobs[2] = { { AM_LEARNED_CHARACTER, NULL, 0 }, { AMI_LEARNED_FACTS, NULL, 0 } };
    for (int i = 0; i < 2; i++) {
        blobs[i].data = am_model_attached(tiny.model, blobs[i].name, &blobs[i].size);
    }
    am_model_def def = ami_model_def_default();
    def.graphs = graphs;
    def.graph_count = count;
    def.attachments = blobs;
    def.attachment_count = 2;
    check_ok(am_model_create(&model, &def, &err), &err);
    return model;
}

static void models_that_are_no_character_are_refused(void **state)
{
    (void)state;
    refuse(tiny.bare, AM_ERR_FORMAT, "facts");
    const am_net_graph *two[2] = { tiny.graphs[0], tiny.graphs[1] };
    am_model *model = model_of(two, 2);
    refuse(model, AM_ERR_FORMAT, "projector");
    am_model_close(model);
    // A Projector that gives as many numbers as a Stepper but is called one.
    am_net_graph *wrong = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_copy(&wrong, tiny.graphs[2], NULL, &err), &err);
    snprintf(wrong->name, sizeof wrong->name, "stepper");
    const am_net_graph *three[3] = { tiny.graphs[0], wrong, tiny.graphs[2] };
    model = model_of(three, 3);
    refuse(model, AM_ERR_FORMAT, "stepper");
    am_model_close(model);
    am_net_graph_destroy(wrong);
    ami_learned_def def = ami_learned_def_default();
    am_source *source = NULL;
    check_refused(ami_learned_create(&source, &def, &err), AM_ERR_DEF);
    def.model = tiny.model;
    def.search_every_s = 0.0f;
    check_refused(ami_learned_create(&source, &def, &err), AM_ERR_DEF);
}

static void damaged_attachments_are_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    size_t size = 0;
    const void *image = am_model_attached(tiny.model, AM_LEARNED_CHARACTER, &size);
    uint8_t *bytes = malloc(size);
    am_facts facts;
    size_t facts_size = 0;
    memcpy(&facts, am_model_attached(tiny.model, AMI_LEARNED_FACTS, &facts_size), sizeof facts);
    int tried = 0, refused = 0;
    for (size_t at = 0; at < size; at += 101, tried++) {
        memcpy(bytes, image, size);
        bytes[at] ^= 0x41;
        am_model *model = NULL;
        am_source *source = NULL;
        const am_model_blob blob = { AM_LEARNED_CHARACTER, bytes, size };
        check_ok(ami_model_attach(&model, tiny.model, &blob, 1, NULL, &err), &err);
        ami_learned_def def = ami_learned_def_default();
        def.model = model;
        am_result result = ami_learned_create(&source, &def, &err);
        refused += result != AM_OK;
        ami_source_destroy(source);
        am_model_close(model);
    }
    if (!(tried > 10 && 5 * refused >= 4 * tried)) { // the rest is padding between sections
        fail_msg("%d of %d damaged images were refused", refused, tried);
    }
    for (int kind = 0; kind < 3; kind++) {
        am_facts bad = facts;
        bad.version = kind == 0 ? 99 : bad.version;
        bad.hip_m = kind == 1 ? NAN : bad.hip_m;
        const am_model_blob blob = { AMI_LEARNED_FACTS, &bad, sizeof bad - (kind == 2 ? 4 : 0) };
        am_model *model = NULL;
        check_ok(ami_model_attach(&model, tiny.model, &blob, 1, NULL, &err), &err);
        refuse(model, kind == 0 ? AM_ERR_VERSION : kind == 1 ? AM_ERR_NUMBER : AM_ERR_FORMAT, "facts");
        am_model_close(model);
    }
    free(bytes);
}

static void packing_refuses_what_does_not_fit(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_model *out = NULL;
    am_db *high = synth_db_make(true, &err); // 33 features
    assert_non_null(high);
    check_refused(ami_learned_pack(&out, tiny.bare, high, NULL, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "features"));
    am_db_close(high);
    check_refused(ami_learned_pack(&out, tiny.bare, NULL, NULL, &err), AM_ERR_DEF);
    assert_null(out);
}

TEST_SUITE(learned_refuse)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_survives_every_failed_allocation),
        cmocka_unit_test(models_that_are_no_character_are_refused),
        cmocka_unit_test(damaged_attachments_are_refused),
        cmocka_unit_test(packing_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, train, tiny_free);
}
