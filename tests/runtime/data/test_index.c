// Every index against linear search: the same frames and the same bits of cost, whatever is asked.
#include "support/check.h"
#include "base/budget.h"
#include "base/rng.h"
#include "data/search.h"

/// A database of features alone: smooth random walks in ranges of many lengths, with tags in stretches.
typedef struct fake {
    am_db db;
    am_db_range ranges[64];
    float *x;
    uint64_t *tags;
} fake;

static void fake_make(fake *f, int dims, int frames, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    am_rng rng = ami_rng_make(seed);
    int stride = (dims + 7) / 8 * 8;
    f->x = calloc((size_t)(frames * stride), sizeof *f->x);
    f->tags = calloc((size_t)frames, sizeof *f->tags);
    float value[64] = { 0 };
    uint64_t tag = 0;
    int start = 0;
    for (int r = 0; start < frames && r < 64; r++) {
        int length = r == 0 ? 3 : r == 63 ? frames - start : 1 + (int)am_rng_below(&rng, (uint32_t)(frames / 24));
        length = start + length > frames ? frames - start : length;
        f->ranges[r] = (am_db_range){ .start = start, .stop = start + length };
        f->ranges[r].head = (int)am_rng_below(&rng, 3);
        f->ranges[r].tail = (int)am_rng_below(&rng, 2) * 20;
        f->db.range_count = r + 1;
        for (int d = 0; d < dims; d++) {
            value[d] = am_rng_normal(&rng) * (d < 6 ? 2.0f : 1.0f);
        }
        for (int i = start; i < start + length; i++) {
            if (am_rng_below(&rng, 40) == 0) {
                tag = am_rng_below(&rng, 8);
            }
            f->tags[i] = tag;
            for (int d = 0; d < dims; d++) {
                value[d] = value[d] * 0.99f + 0.1f * am_rng_normal(&rng);
                // Coarse numbers make ties, which must go to the lower frame.
                f->x[i * stride + d] = seed % 2 ? value[d] : floorf(value[d]);
            }
        }
        start += length;
    }
    f->db.frame_count = start;
    f->db.ranges = f->ranges;
    f->db.x = f->x;
    f->db.tags = f->tags;
    f->db.tag_count = 3;
    f->db.features.count = dims;
    f->db.features.stride = stride;
}

/// What else comes in a database: see the cases.
static void fake_spoil(fake *f, int how)
{
    int stride = f->db.features.stride;
    for (int i = 0; i < f->db.frame_count; i++) {
        float *row = f->x + (size_t)i * (size_t)stride;
        if (how == 2) {
            memcpy(row, f->x + (size_t)(i % 11) * (size_t)stride,
                   (size_t)stride * sizeof *row); // copies of few frames
        }
        for (int d = 0; d < f->db.features.count; d++) {
            row[d] = how == 0   ? 3.0f                              // all frames the same
                     : how == 1 ? (d % 2 ? -1.5f : row[d])          // constant dimensions
                     : how == 3 ? (i % 37 == 7 ? 1e4f : 1) * row[d] // frames far from all others
                     : how == 4 ? 1e6f + row[d]                     // far from zero: few bits are left
                     : how == 5 ? 1e-20f * row[d]                   // squares that vanish
                     : how == 6 ? 1e18f * row[d]                    // squares that overflow
                     : how == 7 ? row[d] * row[d] * row[d]          // tails longer than a grid
                                : row[d];
        }
    }
}

static void fake_free(fake *f)
{
    free(f->x);
    free(f->tags);
}

typedef struct tool {
    am_index *index;
    am_search_work *work;
    am_filter *filter;
} tool;

static tool tool_make(const am_db *db, ami_index_kind kind, const char *kernels, const ami_tag_query *tags)
{
    tool t = { 0 };
    am_error err = { 0 };
    ami_index_def def = ami_index_def_default();
    def.db = db;
    def.kind = kind;
    def.kernels = kernels;
    check_ok(ami_index_create(&t.index, &def, &err), &err);
    check_ok(ami_search_work_create(&t.work, t.index, NULL, &err), &err);
    bool fell_back = false;
    check_ok(ami_filter_create(&t.filter, t.index, tags, &fell_back, NULL, &err), &err);
    return t;
}

static void tool_free(tool *t)
{
    ami_filter_destroy(t->filter);
    ami_search_work_destroy(t->work);
    ami_index_destroy(t->index);
}

/// A random search: near a frame or far from all, with or without weights, current frame and surroundings.
static ami_search draw_search(const am_db *db, float *x, float *weights, am_rng *rng)
{
    static const int ks[] = { 1, 3, 15, 64 };
    ami_search search = ami_search_default();
    int stride = db->features.stride;
    float noise = am_rng_float(rng) * 2.0f;
    const float *row = am_db_x(db, (int)am_rng_below(rng, (uint32_t)db->frame_count));
    for (int d = 0; d < db->features.count; d++) {
        x[d] = row[d] + noise * am_rng_normal(rng) * (am_rng_below(rng, 200) == 0 ? 100.0f : 1.0f);
        weights[d] = am_rng_below(rng, 5) ? am_rng_float(rng) * 3.0f : 0.0f;
    }
    if (am_rng_below(rng, 8) == 0) {
        // Beyond all frames: in one dimension or in all, by little or by far.
        float far = am_rng_below(rng, 2) ? 100.0f : 6.0f;
        int only = am_rng_below(rng, 2) ? (int)am_rng_below(rng, (uint32_t)db->features.count) : -1;
        for (int d = 0; d < db->features.count; d++) {
            x[d] += only < 0 || d == only ? far * (am_rng_below(rng, 2) ? 1.0f : -1.0f) : 0.0f;
        }
    }
    if (am_rng_below(rng, 6) == 0) {
        const float odd[4] = { 0.0f, 1e6f, 1e-6f, 1.0f };
        for (int d = 0; d < db->features.count; d++) {
            weights[d] = odd[am_rng_below(rng, 4)];
        }
    } else if (am_rng_below(rng, 50) == 0) {
        memset(weights, 0, (size_t)stride * sizeof *weights);
    }
    memset(x + db->features.count, 0, (size_t)(stride - db->features.count) * sizeof *x);
    memset(weights + db->features.count, 0, (size_t)(stride - db->features.count) * sizeof *weights);
    search.x = x;
    search.weights = am_rng_below(rng, 2) ? weights : NULL;
    search.k = ks[am_rng_below(rng, 4)];
    if (am_rng_below(rng, 2)) {
        search.current = (int)am_rng_below(rng, (uint32_t)db->frame_count);
        if (am_rng_below(rng, 2)) {
            search.ignore_first = search.current - 10;
            search.ignore_last = search.current + 10;
        }
    }
    return search;
}

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
    tool boxes = tool_make(&f.db, AMI_INDEX_BOXES, NULL, &tags);
    tool fast = tool_make(&f.db, AMI_INDEX_FAST, NULL, &tags);
    tool plain = tool_make(&f.db, AMI_INDEX_FAST, "reference", &tags);
    am_rng rng = ami_rng_make(seed + 100);
    for (int i = 0; i < searches; i++) {
        float x[64], weights[64];
        ami_search search = draw_search(&f.db, x, weights, &rng);
        bool filtered = am_rng_below(&rng, 2);
        check_same_answer(&linear, &boxes, search, filtered);
        check_same_answer(&linear, &fast, search, filtered);
        check_same_answer(&linear, &plain, search, filtered);
    }
    tool_free(&linear);
    tool_free(&boxes);
    tool_free(&fast);
    tool_free(&plain);
    fake_free(&f);
}

static void all_indices_give_the_linear_answer(void **state)
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
    tool tools[3] = { tool_make(&f.db, AMI_INDEX_FAST, NULL, &tags), tool_make(&f.db, AMI_INDEX_BOXES, NULL, &tags),
                      tool_make(&f.db, AMI_INDEX_LINEAR, NULL, &tags) };
    am_rng rng = ami_rng_make(12);
    static float x[most][64], weights[most][64];
    static am_hit hits[most * AMI_MAX_HITS];
    for (int round = 0; round < 60; round++) {
        tool *t = &tools[round % 10 < 8 ? 0 : round % 10 - 7];
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
    for (int i = 0; i < 3; i++) {
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
    ami_index_def def = ami_index_def_default();
    def.db = &f.db;
    am_index *index;
    check_ok(ami_index_create(&index, &def, &err), &err);
    am_filter *filter;
    bool fell_back = false;
    check_ok(ami_filter_create(&filter, index, &tags, &fell_back, NULL, &err), &err);
    assert_true(fell_back);
    assert_true(ami_filter_count(filter) > 0);
    ami_filter_destroy(filter);
    ami_index_destroy(index);
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
        cmocka_unit_test(all_indices_give_the_linear_answer),
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
