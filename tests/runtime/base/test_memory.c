// Allocators, budgets, arenas and layouts.
#include "support/check.h"

#include "base/memory.h"
#include "base/pages.h"
#include "base/budget.h"

static void default_allocator_aligns_and_takes_any_size(void **state)
{
    (void)state;
    am_alloc alloc = ami_alloc_or_default(NULL);
    const size_t sizes[] = { 0, 1, 63, 64, 65, 4097 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *block = alloc.alloc(alloc.user, sizes[i], 64);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 0xAB, sizes[i]);
        alloc.release(alloc.user, block, sizes[i]);
    }
    assert_null(alloc.alloc(alloc.user, SIZE_MAX - 3, 64)); // rounding up must not wrap to a small block
}

static void null_allocator_means_malloc(void **state)
{
    (void)state;
    am_alloc alloc = ami_alloc_or_default(NULL);
    assert_true(alloc.alloc == ami_alloc_or_default(NULL).alloc);
    ami_budget budget = ami_budget_make(NULL);
    am_alloc mine = ami_budget_alloc(&budget);
    assert_ptr_equal(ami_alloc_or_default(&mine).user, &budget);
}

static void zeroed_arrays_refuse_overflow(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    uint8_t *array = ami_alloc_array(&alloc, 10, 7);
    assert_non_null(array);
    for (int i = 0; i < 70; i++) {
        assert_int_equal(array[i], 0);
    }
    ami_release(&alloc, array, 70);
    ami_release(&alloc, NULL, 70);
    assert_int_equal(budget.live_bytes, 0);
    assert_null(ami_alloc_array(&alloc, SIZE_MAX / 4, 5));
    assert_int_equal(budget.total_count, 1); // the overflow was never asked for
}

static void budget_counts_live_peak_and_total(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    void *a = ami_alloc_zero(&alloc, 100);
    void *b = ami_alloc_zero(&alloc, 50);
    assert_int_equal(budget.live_bytes, 150);
    assert_int_equal(budget.live_count, 2);
    ami_release(&alloc, a, 100);
    void *c = ami_alloc_zero(&alloc, 20);
    assert_int_equal(budget.live_bytes, 70);
    assert_int_equal(budget.peak_bytes, 150);
    assert_int_equal(budget.total_count, 3);
    ami_release(&alloc, b, 50);
    ami_release(&alloc, c, 20);
    assert_int_equal(budget.live_bytes, 0);
    assert_int_equal(budget.live_count, 0);
}

static void arrays_of_large_pages_are_zeros_and_are_given_back_whole(void **state)
{
    (void)state;
    const size_t sizes[] = { 0, 1, 1000, (1u << 18) - 1, 1u << 18, (1u << 21) + 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        unsigned char *block = ami_pages_array(&alloc, sizes[i], 3);
        assert_non_null(block);
        assert_true(budget.live_bytes >= 3 * sizes[i]);
        for (size_t b = 0; b < 3 * sizes[i]; b++) {
            assert_int_equal(block[b], 0);
            block[b] = 0xAB;
        }
        ami_pages_release(&alloc, block, sizes[i], 3);
        assert_int_equal(budget.live_bytes, 0);
        assert_int_equal(budget.live_count, 0);
        budget.fail_at = budget.total_count + 1;
        assert_null(ami_pages_array(&alloc, sizes[i], 3));
        assert_null(ami_pages_array(&alloc, SIZE_MAX / 2, 3));
        ami_pages_release(&alloc, NULL, sizes[i], 3);
        assert_int_equal(budget.live_count, 0);
    }
}

static void budget_limits_live_bytes(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = 100;
    am_alloc alloc = ami_budget_alloc(&budget);
    void *a = ami_alloc_zero(&alloc, 60);
    assert_non_null(a);
    assert_null(ami_alloc_zero(&alloc, 41));
    assert_null(ami_alloc_zero(&alloc, SIZE_MAX));
    void *b = ami_alloc_zero(&alloc, 40);
    assert_non_null(b);
    ami_release(&alloc, a, 60);
    a = ami_alloc_zero(&alloc, 60); // released bytes may be used again
    assert_non_null(a);
    ami_release(&alloc, a, 60);
    ami_release(&alloc, b, 40);
}

static void budget_limits_the_count_over_its_life(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    budget.max_count = 2;
    am_alloc alloc = ami_budget_alloc(&budget);
    for (int i = 0; i < 2; i++) {
        void *block = ami_alloc_zero(&alloc, 8);
        assert_non_null(block);
        ami_release(&alloc, block, 8);
    }
    assert_null(ami_alloc_zero(&alloc, 8));
}

static void budget_fails_the_chosen_allocation_only(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 2;
    am_alloc alloc = ami_budget_alloc(&budget);
    for (int i = 1; i <= 3; i++) {
        void *block = ami_alloc_zero(&alloc, 8);
        assert_int_equal(block == NULL, i == 2);
        ami_release(&alloc, block, 8);
    }
    assert_int_equal(budget.live_count, 0);
}

static void arena_gives_zeroed_aligned_pieces_around_its_block_size(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    ami_arena arena = ami_arena_make(&alloc);
    const size_t block = 64 * 1024;
    const size_t sizes[] = { 0,          1,          15,         16,         17,         block - 64,
                             block - 48, block - 33, block - 32, block - 31, block - 16, block - 1,
                             block,      block + 1,  3 * block,  100,        block / 2,  7 };
    enum { count = sizeof sizes / sizeof sizes[0] };
    uint8_t *pieces[count];
    for (int i = 0; i < count; i++) {
        pieces[i] = ami_arena_get(&arena, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(pieces[i][k], 0);
        }
        memset(pieces[i], i + 1, sizes[i]);
    }
    for (int i = 0; i < count; i++) { // none overlaps another
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(pieces[i][k], i + 1);
        }
    }
    ami_arena_free(&arena);
    assert_int_equal(budget.live_count, 0);
    ami_arena_free(&arena); // twice is fine
}

static void a_large_piece_leaves_the_current_block_in_use(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    ami_arena arena = ami_arena_make(&alloc);
    assert_non_null(ami_arena_get(&arena, 100));
    assert_non_null(ami_arena_get(&arena, 1 << 20));
    assert_non_null(ami_arena_get(&arena, 100));
    assert_int_equal(budget.total_count, 2);
    ami_arena_free(&arena);
}

static void arena_passes_on_failure(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 2;
    am_alloc alloc = ami_budget_alloc(&budget);
    ami_arena arena = ami_arena_make(&alloc);
    assert_non_null(ami_arena_get(&arena, 16));
    assert_null(ami_arena_get(&arena, 1 << 20));
    assert_null(ami_arena_get(&arena, SIZE_MAX - 4));
    assert_null(ami_arena_text(&arena, "x", SIZE_MAX));
    assert_non_null(ami_arena_get(&arena, 16)); // still usable
    ami_arena_free(&arena);
    assert_int_equal(budget.live_count, 0);
}

static void arena_copies_text(void **state)
{
    (void)state;
    ami_arena arena = ami_arena_make(NULL);
    assert_string_equal(ami_arena_text(&arena, "hips and more", 4), "hips");
    assert_string_equal(ami_arena_text(&arena, NULL, 0), "");
    ami_arena_free(&arena);
}

typedef struct arrays {
    float *a;
    uint8_t *b;
    double *c;
} arrays;

static void place(ami_layout *layout, arrays *out)
{
    out->a = ami_layout_take(layout, 17, sizeof *out->a);
    out->b = ami_layout_take(layout, 1, 1);
    out->c = ami_layout_take(layout, 0, sizeof *out->c);
}

static void layout_measures_then_places(void **state)
{
    (void)state;
    arrays out;
    ami_layout layout = { 0 };
    place(&layout, &out);
    assert_null(out.a);
    assert_null(out.b);
    assert_int_equal(layout.size, 128 + 64);
    am_alloc alloc = ami_alloc_or_default(NULL);
    ami_layout placed = ami_layout_room(&layout, &alloc);
    assert_non_null(placed.base);
    place(&placed, &out);
    assert_ptr_equal(out.a, placed.base);
    assert_ptr_equal(out.b, placed.base + 128);
    assert_ptr_equal(out.c, placed.base + 192);
    assert_int_equal(placed.size, layout.size);
    assert_false(placed.overflow);
    ami_release(&alloc, placed.base, layout.size);
}

static void layout_notices_overflow_and_stays_so(void **state)
{
    (void)state;
    ami_layout layout = { 0 };
    ami_layout_take(&layout, SIZE_MAX / 2 - 127, 1);
    assert_false(layout.overflow);
    ami_layout_take(&layout, 128, 1);
    assert_true(layout.overflow);
    size_t size = layout.size;
    ami_layout_take(&layout, 1, 1);
    assert_true(layout.overflow);
    assert_int_equal(layout.size, size);

    ami_layout product = { 0 };
    assert_null(ami_layout_take(&product, SIZE_MAX / 8, 16));
    assert_true(product.overflow);
    am_alloc alloc = ami_alloc_or_default(NULL);
    assert_null(ami_layout_room(&product, &alloc).base); // little was measured, but not all of it
}

TEST_SUITE(memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_allocator_aligns_and_takes_any_size),
        cmocka_unit_test(null_allocator_means_malloc),
        cmocka_unit_test(zeroed_arrays_refuse_overflow),
        cmocka_unit_test(budget_counts_live_peak_and_total),
        cmocka_unit_test(arrays_of_large_pages_are_zeros_and_are_given_back_whole),
        cmocka_unit_test(budget_limits_live_bytes),
        cmocka_unit_test(budget_limits_the_count_over_its_life),
        cmocka_unit_test(budget_fails_the_chosen_allocation_only),
        cmocka_unit_test(arena_gives_zeroed_aligned_pieces_around_its_block_size),
        cmocka_unit_test(a_large_piece_leaves_the_current_block_in_use),
        cmocka_unit_test(arena_passes_on_failure),
        cmocka_unit_test(arena_copies_text),
        cmocka_unit_test(layout_measures_then_places),
        cmocka_unit_test(layout_notices_overflow_and_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
