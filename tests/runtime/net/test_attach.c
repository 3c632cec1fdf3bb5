// Attachments of a network: they come back as they went in, and damaged or senseless ones are refused.
#include "runtime/net/zoo.h"
#include "support/refuse.h"

#include "net/format.h"

static const char words[] = "a character of few words";
static const uint8_t numbers[5] = { 1, 2, 3, 4, 5 };

static am_net_graph *small_graph(void)
{
    const int widths[3] = { 5, 17, 3 };
    return zoo_mlp("mlp", widths, 3, 1);
}

static am_model *attached_model(void)
{
    am_net_graph *g = small_graph();
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = ami_model_def_default();
    const am_net_graph *graphs[1] = { g };
    const am_model_blob blobs[2] = { { "words", words, sizeof words }, { "numbers", numbers, sizeof numbers } };
    def.graphs = graphs;
    def.graph_count = 1;
    def.attachments = blobs;
    def.attachment_count = 2;
    check_ok(am_model_create(&model, &def, &err), &err);
    am_net_graph_destroy(g);
    return model;
}

static void check_attached(const am_model *model, const char *name, const void *data, size_t size)
{
    size_t found = 0;
    const void *at = am_model_attached(model, name, &found);
    assert_non_null(at);
    assert_int_equal(found, size);
    assert_memory_equal(at, data, size);
    assert_int_equal((uintptr_t)at % 64, 0);
}

static void attachments_come_back_as_they_went_in(void **state)
{
    (void)state;
    am_model *model = attached_model();
    am_error err = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/attached.amnet", test_temp_dir("attach"));
    check_ok(am_model_write(model, path, &err), &err);
    am_model *again = NULL;
    check_ok(am_model_open(&again, path, NULL, &err), &err);
    check_ok(am_model_verify(again, &err), &err);
    assert_int_equal(again->attachment_count, 2);
    check_attached(again, "words", words, sizeof words);
    check_attached(again, "numbers", numbers, sizeof numbers);
    size_t size = 7;
    assert_null(am_model_attached(again, "nothing", &size));
    assert_int_equal(size, 0);
    assert_true(again->hash == model->hash);
    am_model_close(again);
    am_model_close(model);
}

static void a_model_without_attachments_has_the_same_bytes_as_ever(void **state)
{
    (void)state;
    am_net_graph *g = small_graph();
    am_model *plain = zoo_model(g, AM_NET_FP32);
    am_model *copy = NULL;
    am_error err = { 0 };
    check_ok(ami_model_attach(&copy, plain, NULL, 0, NULL, &err), &err);
    assert_int_equal(plain->attachment_count, 0);
    assert_int_equal(copy->image_size, plain->image_size);
    assert_memory_equal(copy->image, plain->image, plain->image_size);
    am_model_close(copy);
    am_model_close(plain);
    am_net_graph_destroy(g);
}

static void attaching_keeps_the_others_and_replaces_the_same_name(void **state)
{
    (void)state;
    am_model *model = attached_model();
    am_model *more = NULL;
    am_error err = { 0 };
    const am_model_blob blobs[2] = { { "words", "other", 6 }, { "third", words, sizeof words } };
    check_ok(ami_model_attach(&more, model, blobs, 2, NULL, &err), &err);
    assert_int_equal(more->attachment_count, 3);
    check_attached(more, "words", "other", 6);
    check_attached(more, "third", words, sizeof words);
    check_attached(more, "numbers", numbers, sizeof numbers);
    check_ok(am_model_verify(more, &err), &err);
    assert_true(more->hash != model->hash); // what it carries is part of what it is
    assert_int_equal(am_model_find(more, "mlp"), 0);
    am_model_close(more);
    am_model_close(model);
}

static void senseless_attachments_are_refused(void **state)
{
    (void)state;
    am_model *model = attached_model();
    am_model *out = NULL;
    am_error err = { 0 };
    const am_model_blob twice[2] = { { "a", words, 3 }, { "a", words, 4 } };
    const am_model_blob nameless = { "", words, 3 };
    const am_model_blob empty = { "a", words, 0 };
    const am_model_blob lengthy = { "a name that is longer than thirty-one bytes", words, 3 };
    check_refused(ami_model_attach(&out, model, twice, 2, NULL, &err), AM_ERR_DEF);
    check_refused(ami_model_attach(&out, model, &nameless, 1, NULL, &err), AM_ERR_DEF);
    check_refused(ami_model_attach(&out, model, &empty, 1, NULL, &err), AM_ERR_DEF);
    check_refused(ami_model_attach(&out, model, &lengthy, 1, NULL, &err), AM_ERR_DEF);
    check_refused(ami_model_attach(&out, model, twice, AM_NET_MOST_ATTACHMENTS + 1, NULL, &err), AM_ERR_LIMIT);
    am_model_blob many[AM_NET_MOST_ATTACHMENTS];
    char names[AM_NET_MOST_ATTACHMENTS][16];
    for (int i = 0; i < AM_NET_MOST_ATTACHMENTS; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        many[i] = (am_model_blob){ names[i], words, 1 };
    }
    check_refused(ami_model_attach(&out, model, many, AM_NET_MOST_ATTACHMENTS, NULL, &err), AM_ERR_LIMIT);
    assert_null(out);
    am_model_close(model);
}

static am_result open_and_attach(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    void *copy = NULL;
    am_model *model = NULL;
    am_model *more = NULL;
    am_error err = { 0 };
    const am_model_blob blob = { "numbers", words, sizeof words };
    copy = test_aligned(size + 1);
    memcpy(copy, data, size);
    am_result result = refuse_checked(am_model_from_memory(&model, copy, size, "x.amnet", alloc, &err), &err);
    if (result == AM_OK) {
        result = refuse_checked(ami_model_attach(&more, model, &blob, 1, alloc, &err), &err);
        size_t found = 0;
        am_model_attached(model, "words", &found);
    }
    am_model_close(more);
    am_model_close(model);
    test_aligned_free(copy);
    return result;
}

static void damaged_attachments_are_refused(void **state)
{
    (void)state;
    am_model *model = attached_model();
    refuse_options options = { .flips = 400, .truncations = 400 };
    refuse_counts counts = refuse_loop(open_and_attach, NULL, model->image, model->image_size, &options);
    assert_true(counts.refused_truncations > 100 && counts.refused_flips > 20 && counts.failed_allocations >= 3);
    am_model_close(model);
}

static void records_that_lie_are_refused_even_with_right_sums(void **state)
{
    (void)state;
    const am_model_attachment good = { .name = "a", .offset = 64, .size = 10 };
    am_model_attachment bad = good;
    assert_null(ami_attach_wrong(&good, 1, 74));
    assert_non_null(ami_attach_wrong(&good, 1, 73));
    bad.offset = 63;
    assert_non_null(ami_attach_wrong(&bad, 1, 1000));
    bad = good;
    bad.size = UINT64_MAX;
    assert_non_null(ami_attach_wrong(&bad, 1, 1000));
    bad = good;
    memset(bad.name, 'x', sizeof bad.name);
    assert_non_null(ami_attach_wrong(&bad, 1, 1000));
}

static void a_note_changes_where_it_came_from_and_nothing_else(void **state)
{
    (void)state;
    am_model *model = attached_model(), *noted = NULL;
    am_error err = { 0 };
    static const char text[] = "{\"quality\": {\"decompressor\": 0.28}}";
    check_ok(ami_model_note(&noted, model, text, NULL, &err), &err);
    check_ok(am_model_verify(noted, &err), &err);
    assert_string_equal(noted->provenance, text);
    assert_string_equal(noted->recipe, model->recipe);
    assert_true(noted->hash == model->hash);
    check_attached(noted, "words", words, sizeof words);
    check_attached(noted, "numbers", numbers, sizeof numbers);
    am_model_close(model);
    am_model_close(noted);
}

TEST_SUITE(attach)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_come_back_as_they_went_in),
        cmocka_unit_test(a_note_changes_where_it_came_from_and_nothing_else),
        cmocka_unit_test(a_model_without_attachments_has_the_same_bytes_as_ever),
        cmocka_unit_test(attaching_keeps_the_others_and_replaces_the_same_name),
        cmocka_unit_test(senseless_attachments_are_refused),
        cmocka_unit_test(damaged_attachments_are_refused),
        cmocka_unit_test(records_that_lie_are_refused_even_with_right_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
