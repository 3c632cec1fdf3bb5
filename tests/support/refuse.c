// Truncations, flipped bytes and failing allocations against any reader; see refuse.h.
#include "support/refuse.h"
#include "base/budget.h"
#include "base/rng.h"

typedef struct loop {
    refuse_read read;
    void *user;
    refuse_options options;
    refuse_counts counts;
    char place[96]; // what is being tried, for messages
} loop;

am_result refuse_checked(am_result result, const am_error *err)
{
    if (result < AM_OK || result >= AM_ERR_COUNT) {
        fail_msg("%d is no result", (int)result);
    }
    if (result != AM_OK) {
        if (err->code != result) {
            fail_msg("returned '%s', but the error says '%s'", am_result_name(result), am_result_name(err->code));
        }
        size_t length = strnlen(err->text, sizeof err->text);
        if (length == 0 || length == sizeof err->text || err->line < 0 || err->column < 0 || err->offset < -1) {
            fail_msg("'%s' came without a proper text or place", am_result_name(result));
        }
    }
    return result;
}

int refuse_allocations(refuse_work work, void *user)
{
    int failed = 0;
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_result result = work(user, &alloc);
        if (budget.live_count != 0 || budget.live_bytes != 0) {
            fail_msg("allocation %zu failed: %zu allocations (%zu bytes) were not released", n, budget.live_count,
                     budget.live_bytes);
        }
        if (result != AM_OK) {
            check_refused(result, AM_ERR_MEMORY);
            failed++;
        } else if (budget.total_count < n) {
            return failed;
        }
    }
}

// One reading of an exact copy, with limits; checks that nothing is left behind.
static am_result try_once(loop *l, const uint8_t *data, size_t size, size_t fail_at, ami_budget *budget)
{
    *budget = ami_budget_make(NULL);
    budget->max_bytes = l->options.max_bytes;
    budget->fail_at = fail_at;
    am_alloc alloc = ami_budget_alloc(budget);
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    am_result result = l->read(l->user, copy, size, &alloc);
    free(copy);
    l->counts.runs++;
    if (budget->live_count != 0 || budget->live_bytes != 0) {
        fail_msg("%s: %zu allocations (%zu bytes) were not released, result '%s'", l->place, budget->live_count,
                 budget->live_bytes, am_result_name(result));
    }
    if (result < AM_OK || result >= AM_ERR_COUNT) {
        fail_msg("%s: %d is no result", l->place, (int)result);
    }
    return result;
}

static bool blank(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!strchr(" \t\r\n", data[i]) || data[i] == 0) {
            return false;
        }
    }
    return true;
}

static void try_truncations(loop *l, const uint8_t *good, size_t size)
{
    size_t stride = size / (size_t)l->options.truncations + 1;
    for (size_t length = 0; length < size; length++) {
        bool near_end = length < 64 || size - length <= 64;
        if (!near_end && length % stride != 0) {
            continue;
        }
        snprintf(l->place, sizeof l->place, "cut to %zu of %zu bytes", length, size);
        ami_budget budget;
        am_result result = try_once(l, good, length, 0, &budget);
        l->counts.refused_truncations += result != AM_OK;
        if (result == AM_OK && !l->options.any_prefix && !blank(good + length, size - length)) {
            fail_msg("%s: accepted", l->place);
        }
    }
}

static void try_flips(loop *l, const uint8_t *good, size_t size)
{
    if (size == 0) {
        return;
    }
    uint8_t *bad = malloc(size);
    assert_non_null(bad);
    am_rng base = ami_rng_make(l->options.seed);
    for (int i = 0; i < l->options.flips; i++) {
        am_rng rng = ami_rng_fork(&base, (uint64_t)i);
        memcpy(bad, good, size);
        int bytes = 1 + (int)am_rng_below(&rng, 4);
        for (int k = 0; k < bytes; k++) {
            size_t at = (size_t)(am_rng_u64(&rng) % size);
            // A flipped bit, any byte, or one of those that size and sign checks stumble over.
            static const uint8_t nasty[] = { 0x00, 0x7F, 0x80, 0xFF, '-', '0', '{', '"' };
            uint32_t kind = am_rng_below(&rng, 3);
            uint32_t byte = kind == 0   ? bad[at] ^ 1u << am_rng_below(&rng, 8)
                            : kind == 1 ? am_rng_below(&rng, 256)
                                        : nasty[am_rng_below(&rng, sizeof nasty)];
            bad[at] = (uint8_t)byte;
        }
        snprintf(l->place, sizeof l->place, "damaged input %d of seed %llu", i, (unsigned long long)l->options.seed);
        ami_budget budget;
        l->counts.refused_flips += try_once(l, bad, size, 0, &budget) != AM_OK;
    }
    free(bad);
}

static void try_failures(loop *l, const uint8_t *good, size_t size, size_t total)
{
    size_t stride = total / (size_t)l->options.failures + 1;
    for (size_t n = 1; n <= total; n += stride) {
        snprintf(l->place, sizeof l->place, "allocation %zu of %zu fails", n, total);
        ami_budget budget;
        am_result result = try_once(l, good, size, n, &budget);
        if (result != AM_ERR_MEMORY) {
            fail_msg("%s: gave '%s', wanted '%s'", l->place, am_result_name(result), am_result_name(AM_ERR_MEMORY));
        }
        l->counts.failed_allocations++;
    }
}

refuse_counts refuse_loop(refuse_read read, void *user, const void *good, size_t size, const refuse_options *options)
{
    loop l = { .read = read, .user = user };
    if (options) {
        l.options = *options;
    }
    l.options.truncations = l.options.truncations ? l.options.truncations : 2000;
    l.options.flips = l.options.flips ? l.options.flips : 2000;
    l.options.failures = l.options.failures ? l.options.failures : 500;
    l.options.max_bytes = l.options.max_bytes ? l.options.max_bytes : (size_t)256 << 20;

    snprintf(l.place, sizeof l.place, "the undamaged input");
    ami_budget budget;
    am_result result = try_once(&l, good, size, 0, &budget);
    if (result != AM_OK) {
        fail_msg("the undamaged input was refused: %s", am_result_name(result));
    }
    size_t total = budget.total_count;
    try_truncations(&l, good, size);
    try_flips(&l, good, size);
    try_failures(&l, good, size, total);
    return l.counts;
}
