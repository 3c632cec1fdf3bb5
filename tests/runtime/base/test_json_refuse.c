// Damaged JSON: every truncation, flipped bytes, failing allocations; and that the refusal loop itself catches
// faults.
#include "support/refuse.h"

static const char sample[] =
    "\xEF\xBB\xBF// a run\n"
    "{ \"database\": \"loco.amdb\", /* both */ \"model\": [\"a\", \"b\\u00e9\\ud83d\\ude00 \xC3\xA9\"],\n"
    "  \"fps\": 60, \"seconds\": 2.5e1, \"flags\": [true, false, null],\n"
    "  \"nested\": {\"a\": {\"b\": [[1, 2], [-3, 0.25],]}},\n"
    "  \"many\": {\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,"
    "\"k\":11,\"l\":12,\"m\":13,\"n\":14,\"o\":15,\"p\":16,\"q\":17,\"r\":18} }\n\n";

static am_result read_json(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    am_result result = am_json_parse(&doc, (const char *)data, size, "sample.json", alloc, &err);
    assert_true((doc != NULL) == (result == AM_OK));
    if (result != AM_OK && result != AM_ERR_MEMORY) {
        assert_true(err.line >= 1 && err.column >= 1);
        assert_string_equal(err.file, "sample.json");
    }
    am_json_free(doc);
    return refuse_checked(result, &err);
}

static void damaged_json_is_refused_without_leaks(void **state)
{
    (void)state;
    refuse_counts counts = refuse_loop(read_json, NULL, sample, sizeof sample - 1, NULL);
    assert_true(counts.refused_truncations >= (int)sizeof sample - 8);
    assert_true(counts.refused_flips > 500);
    assert_true(counts.failed_allocations >= 2);
}

// An arena asks for memory seldom; a large document takes several blocks and the table of a large object.
static void a_large_document_survives_each_failing_allocation(void **state)
{
    (void)state;
    enum { keys = 3000 };
    char *text = malloc(keys * 24 + 16);
    assert_non_null(text);
    size_t size = 0;
    text[size++] = '{';
    for (int i = 0; i < keys; i++) {
        size += (size_t)sprintf(text + size, "\"key_%d\": [%d],\n", i, i);
    }
    text[size++] = '}';
    refuse_options few = { .truncations = 30, .flips = 30 };
    refuse_counts counts = refuse_loop(read_json, NULL, text, size, &few);
    assert_true(counts.failed_allocations >= 8);
    free(text);
}

TEST_SUITE(json_refuse)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_json_is_refused_without_leaks),
        cmocka_unit_test(a_large_document_survives_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
