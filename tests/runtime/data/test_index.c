// The fast index against linear search: the same frames and the same bits of cost, whatever is asked.
#include "runtime/data/fake.h"

#include "base/budget.h"

static void check_same_answer(tool *want, tool *got, ami_search search, bool filtered)
{
    am_hit a[AMI_MAX_HITS], b[AMI_MAX_HITS];
    search.filter = filtered ? want->filter : NULL;
    int count = ami_index_search(want->index, a, &search, want->work);
    search.filter = filtered ? got->filter : NULL;
    assert_int_equal(ami_index_search(got->index, b, &search, got->work), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(a[i].frame, b[i].frame);
        assert_memory_equal(&a[i].cost, &b[i].cost, sizeof(float));
    }
}

static void check_database(int dims, int frames, uint64_t seed, int searches, int how)
{
    fake f;
    fake_make(&f, dims, frames, seed);
    fake_spoil(&f, how);
    am_error err = { 0 };
    const char *names[] = { "a", "b", "c" };
    ami_tag_query tags;
    check_ok(ami_tag_query_parse(&tags, "a and not b or c", names, 3, &err), &err);
    tool linear = tool_make(&f.db, AMI_INDEX_LINEAR, "reference", &tags);
    tool fast = tool_make(&f.db, AMI_INDEX_FAST, NULL, &tags);
    tool plain = tool_make(&f.db, AMI_INDEX_FAST, "reference", &tags);
    am_rng rng = ami_rng_make(seed + 100);
    for (int i = 0; i < searches; i++) {
        float x[64], weights[64];
        ami_search search = draw_search(&f.db, x, weights, &rng);
        bool filtered = am_rng_below(&rng, 2);
        check_same_answer(&linear, &fast, search, filtered);
        check_same_answer(&linear, &plain, search, filtered);
    }
    tool_free(&linear);
    tool_free(&fast);
    tool_free(&plain);
    fake_free(&f);
}

static void the_fast_index_gives_the_linear_answer(void **state)
{
    (void)state;
    check_database(27, 8000, 1, 1000, -1);
    check_database(33, 5000, 3, 600, -1);
    check_database(5, 3000, 5, 600, -1);
    check_database(1, 200, 7, 300, -1);
    check_database(27, 40, 9, 300, -1);
}

/// A batch of searches of all kinds, many of them alike, against one search after another.
static void a_batch_gives_the_hits_of_single_searches(void **state)
{
    (void)state;
    enum { most = 40 };
    fake f;
    fake_make(&f, 27, 6000, 11);
    am_error err = { 0 };
    const char *names[] = { "a", "b", "c" };
    ami_tag_query tags;
    check_ok(ami_tag_query_parse(&tags, "a or c", names, 3, &err), &err);
    tool tools[2] = { tool_make(&f.db, AMI_INDEX_FAST, NULL, &tags),
                      tool_make(&f.db, AMI_INDEX_LINEAR, NULL, &tags) };
    am_rng rng = ami_rng_make(12);
    static float x[most][64], weights[most][64];
    static am_hit hits[most * AMI_MAX_HITS];
    for (int round = 0; round < 60; round++) {
        tool *t = &tools[round % 10 < 8 ? 0 : 1];
        ami_search searches[most];
        int found[most], count = (int)am_rng_below(&rng, most + 1);
        for (int i = 0; i < count; i++) {
            searches[i] = draw_search(&f.db, x[i], weights[i], &rng);
            searches[i].filter = am_rng_below(&rng, 2) ? t->filter : NULL;
            if (i > 0 && am_rng_below(&rng, 3) > 0) {
                for (int d = 0; d < f.db.features.count; d++) {
                    x[i][d] = x[i - 1][d] + 0.1f * am_rng_normal(&rng);
                }
                searches[i].weights = searches[i - 1].weights;
                searches[i].filter = searches[i - 1].filter;
                searches[i].k = searches[i - 1].k;
            }
        }
        if (count > 3) {
            x[2][1] = INFINITY; // finds nothing, and must not disturb the others
        }
        ami_index_search_batch(t->index, hits, found, searches, t->work, count);
        const am_hit *row = hits;
        for (int i = 0; i < count; i++) {
            am_hit single[AMI_MAX_HITS];
            assert_int_equal(ami_index_search(t->index, single, &searches[i], t->work), found[i]);
            assert_memory_equal(single, row, (size_t)found[i] * sizeof *row);
            row += searches[i].k;
        }
    }
    for (int i = 0; i < 2; i++) {
        tool_free(&tools[i]);
    }
    fake_free(&f);
}

static void searching_allocates_nothing(void **state)
{
    (void)state;
    fake f;
    fake_make(&f, 27, 3000, 13);
    am_error err = { 0 };
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    ami_index_def def = ami_index_def_default();
    def.db = &f.db;
    def.alloc = &alloc;
    am_index *index;
    am_search_work *work;
    check_ok(ami_index_create(&index, &def, &err), &err);
    check_ok(ami_search_work_create(&work, index, &alloc, &err), &err);
    size_t count = budget.total_count;
    ami_search searches[20];
    am_hit hits[20 * 10];
    int found[20];
    for (int i = 0; i < 20; i++) {
        searches[i] = ami_search_default();
        searches[i].x = am_db_x(&f.db, 100 * i);
        searches[i].k = 10;
    }
    ami_index_search_batch(index, hits, found, searches, work, 20);
    assert_int_equal(ami_index_search(index, hits, &searches[0], work), 10);
    assert_int_equal(budget.total_count, count);
    ami_search_work_destroy(work);
    ami_index_destroy(index);
    assert_int_equal(budget.live_count, 0);
    fake_free(&f);
}

static void ties_go_to_the_lower_frame(void **state)
{
    (void)state;
    check_database(3, 4000, 2, 800, -1);
    check_database(8, 3000, 4, 600, -1);
}

static void odd_frames_keep_the_linear_answer(void **state)
{
    (void)state;
    for (int how = 0; how <= 7; how++) {
        check_database(27, 2500, 21, 250, how);
        check_database(9, 2500, 23, 250, how);
        check_database(4, 1500, 22, 150, how);
    }
}

static void a_query_that_is_not_finite_finds_nothing(void **state)
{
    (void)state;
    fake f;
    fake_make(&f, 27, 500, 1);
    ami_tag_query all = { 0 };
    am_error err = { 0 };
    check_ok(ami_tag_query_parse(&all, "", NULL, 0, &err), &err);
    for (int kind = 0; kind <= AMI_INDEX_FAST; kind++) {
        tool t = tool_make(&f.db, (ami_index_kind)kind, NULL, &all);
        const float bad[3] = { NAN, INFINITY, -INFINITY };
        for (int i = 0; i < 6; i++) {
            float x[32] = { 0 }, weights[32] = { 0 };
            (i < 3 ? x : weights)[5] = bad[i % 3];
            ami_search search = ami_search_default();
            search.x = x;
            search.weights = weights;
            am_hit hit;
            assert_int_equal(ami_index_search(t.index, &hit, &search, t.work), 0);
        }
        tool_free(&t);
    }
    fake_free(&f);
}

static void a_filter_without_frames_accepts_all(void **state)
{
    (void)state;
    fake f;
    fake_make(&f, 4, 300, 1);
    memset(f.tags, 0, 300 * sizeof *f.tags);
    am_error err = { 0 };
    const char *names[] = { "a" };
    ami_tag_query tags;
    check_ok(ami_tag_query_parse(&tags, "a", names, 1, &err), &err);
    tool t = tool_make(&f.db, AMI_INDEX_FAST, NULL, &tags);
    am_filter *filter;
    bool fell_back = false;
    check_ok(ami_filter_create(&filter, t.index, &tags, &fell_back, NULL, &err), &err);
    assert_true(fell_back);
    float x[8] = { 0 };
    am_hit of_all, of_filter;
    ami_search search = ami_search_default();
    search.x = x;
    assert_int_equal(ami_index_search(t.index, &of_all, &search, t.work), 1);
    search.filter = filter;
    assert_int_equal(ami_index_search(t.index, &of_filter, &search, t.work), 1);
    assert_int_equal(of_filter.frame, of_all.frame);
    ami_filter_destroy(filter);
    tool_free(&t);
    fake_free(&f);
}

static void creation_refuses_and_survives_failed_allocations(void **state)
{
    (void)state;
    fake f;
    fake_make(&f, 27, 2000, 1);
    am_error err = { 0 };
    am_index *index = NULL;
    ami_index_def def = ami_index_def_default();
    check_refused(ami_index_create(&index, &def, &err), AM_ERR_DEF);
    def.db = &f.db;
    def.kernels = "abacus";
    check_refused(ami_index_create(&index, &def, &err), AM_ERR_SUPPORT);
    def.kernels = NULL;
    for (int kind = 0; kind <= AMI_INDEX_FAST; kind++) {
        for (size_t n = 1;; n++) {
            ami_budget budget = ami_budget_make(NULL);
            budget.fail_at = n;
            am_alloc alloc = ami_budget_alloc(&budget);
            def.alloc = &alloc;
            def.kind = (ami_index_kind)kind;
            am_result result = ami_index_create(&index, &def, &err);
            if (result == AM_OK) {
                ami_index_destroy(index);
                assert_int_equal(budget.live_count, 0);
                break;
            }
            check_refused(result, AM_ERR_MEMORY);
            assert_int_equal(budget.live_count, 0);
        }
    }
    def.alloc = NULL;
    for (int r = 0; r < f.db.range_count; r++) {
        f.ranges[r].tail = f.ranges[r].stop - f.ranges[r].start;
    }
    check_refused(ami_index_create(&index, &def, &err), AM_ERR_EMPTY);
    fake_free(&f);
}

TEST_SUITE(index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fast_index_gives_the_linear_answer),
        cmocka_unit_test(a_batch_gives_the_hits_of_single_searches),
        cmocka_unit_test(searching_allocates_nothing),
        cmocka_unit_test(ties_go_to_the_lower_frame),
        cmocka_unit_test(odd_frames_keep_the_linear_answer),
        cmocka_unit_test(a_query_that_is_not_finite_finds_nothing),
        cmocka_unit_test(a_filter_without_frames_accepts_all),
        cmocka_unit_test(creation_refuses_and_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
