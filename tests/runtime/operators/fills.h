/// Rules read from JSON with ' for ", for tests.
#ifndef AMBLE_TEST_OPERATORS_FILLS_H
#define AMBLE_TEST_OPERATORS_FILLS_H

#include "operators/fill.h"
#include "runtime/operators/host.h"
#include "runtime/operators/support.h"

static inline am_result fill_read_with(ami_fill **out, const am_control_schema *schema, const char *text, bool strict,
                                       const am_alloc *alloc, am_error *err)
{
    static const char *const branch_keys[] = { "share" };
    char quoted[8192];
    size_t size = strlen(text);
    assert_true(size < sizeof quoted);
    for (size_t i = 0; i <= size; i++) {
        quoted[i] = text[i] == '\'' ? '"' : text[i] == '`' ? '\'' : text[i];
    }
    am_json_doc *doc = NULL;
    *out = NULL;
    am_result result = am_json_parse(&doc, quoted, size, "c.json", alloc, err);
    if (result == AM_OK) {
        ami_fill_host def = { .scope = host_scope(),
                              .variables = strict ? "draw" : "let",
                              .strict = strict,
                              .branch_keys = branch_keys,
                              .branch_key_count = strict ? 1 : 0 };
        def.scope.local_count = 0;
        def.scope.free.count = 0;
        result = ami_fill_read(out, schema, doc, am_json_root(doc), &def, alloc, err);
    }
    am_json_free(doc);
    return result;
}

static inline ami_fill *test_fill(const am_control_schema *schema, const char *text, bool strict)
{
    ami_fill *fill = NULL;
    am_error err = { 0 };
    check_ok(fill_read_with(&fill, schema, text, strict, NULL, &err), &err);
    return fill;
}

/// Takes branch `chosen` of every choice.
typedef struct fill_host {
    host host;
    int chosen;
} fill_host;

static inline int fill_choose(void *context, int choice)
{
    (void)choice;
    return ((fill_host *)context)->chosen;
}

static inline bool run_fill(const ami_fill *fill, float *value, int chosen, uint64_t seed)
{
    fill_host h = { .chosen = chosen };
    am_rng_init(&h.host.rng, seed);
    ami_fill_run run = { .context = &h, .choose = fill_choose, .rng = &h.host.rng };
    return ami_fill_run_rules(fill, value, &run);
}

#endif
