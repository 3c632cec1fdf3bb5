// The fast index on real features: the 27 of LMM and the 33 of Responsive, against linear search.
#include "support/check.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/search.h"

#include <amble/tools/build.h>

/// 10,000 with AMBLE_FULL in the environment (a minute and a half), fewer in every day's run.
static int count_queries(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return 100;
#else
    return getenv("AMBLE_FULL") ? 10000 : 144;
#endif
}

typedef struct pair {
    am_index *index[2]; ///< linear, fast
    am_filter *filter[2];
    am_search_work *work[2];
} pair;

static void pair_make(pair *p, const am_db *db, const char *tags)
{
    am_error err = { 0 };
    ami_tag_query query;
    check_ok(ami_db_tag_query(db, &query, tags, &err), &err);
    for (int i = 0; i < 2; i++) {
        ami_index_def def = ami_index_def_default();
        def.db = db;
        def.kind = i ? AMI_INDEX_FAST : AMI_INDEX_LINEAR;
        check_ok(ami_index_create(&p->index[i], &def, &err), &err);
        check_ok(ami_search_work_create(&p->work[i], p->index[i], NULL, &err), &err);
        bool fell_back = true;
        check_ok(ami_filter_create(&p->filter[i], p->index[i], &query, &fell_back, NULL, &err), &err);
        assert_false(fell_back);
    }
}

static void pair_free(pair *p)
{
    for (int i = 0; i < 2; i++) {
        ami_filter_destroy(p->filter[i]);
        ami_search_work_destroy(p->work[i]);
        ami_index_destroy(p->index[i]);
    }
}

/// A database frame with noise from none to one deviation, or the trajectory of one frame and the pose of another.
static void draw_query(float *x, const am_db *db, am_rng *rng)
{
    const float *a = am_db_x(db, (int)am_rng_below(rng, (uint32_t)db->frame_count));
    const float *b = am_db_x(db, (int)am_rng_below(rng, (uint32_t)db->frame_count));
    bool mixed = am_rng_below(rng, 2);
    float noise = am_rng_float(rng);
    for (int d = 0; d < db->features.stride; d++) {
        x[d] = d >= db->features.count ? 0.0f : mixed && d < 12 ? b[d] : a[d] + noise * am_rng_normal(rng);
    }
}

static void check_features(const char *config, int features)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/configs/databases/%s.json", AMBLE_SOURCE_DIR, config);
    am_build_def def = am_build_def_default();
    am_pool *pool = NULL;
    am_error err = { 0 };
    check_ok(am_pool_create(&pool, 0, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    def.config_path = path;
    def.find_set = test_find_set;
    def.tasks = &tasks;
    am_db *db = NULL;
    check_ok(am_build(&db, NULL, &def, &err), &err);
    assert_int_equal(db->features.count, features);
    pair p;
    pair_make(&p, db, "walk and not turn or run");
    am_rng rng = ami_rng_make((uint64_t)features);
    const int ks[] = { 1, 3, 15 };
    const int query_count = count_queries();
    for (int i = 0; i < query_count; i++) {
        float x[64], weights[64];
        draw_query(x, db, &rng);
        for (int d = 0; d < db->features.stride; d++) {
            weights[d] = d < db->features.count ? am_rng_float(&rng) * 2.0f : 0.0f;
        }
        ami_search search = ami_search_default();
        search.x = x;
        search.k = ks[i % 3];
        search.weights = i / 3 % 2 ? weights : NULL;
        search.current = i / 6 % 2 ? (int)am_rng_below(&rng, (uint32_t)db->frame_count) : -1;
        am_hit hits[2][16];
        int found[2];
        for (int k = 0; k < 2; k++) {
            search.filter = i / 12 % 2 ? p.filter[k] : NULL;
            found[k] = ami_index_search(p.index[k], hits[k], &search, p.work[k]);
        }
        assert_int_equal(found[0], search.k);
        assert_int_equal(found[1], search.k);
        assert_memory_equal(hits[0], hits[1], (size_t)search.k * sizeof(am_hit));
    }
    printf("%s: %d queries over %d frames, %d features: all as linear search\n", config, query_count, db->frame_count,
           features);
    pair_free(&p);
    am_db_close(db);
    am_pool_destroy(pool);
}

static void the_27_features_of_lmm(void **state)
{
    (void)state;
    if (!test_data_dir("locomotion")) {
        skip();
    }
    check_features("locomotion", 27);
}

static void the_33_features_of_responsive(void **state)
{
    (void)state;
    if (test_quick() || !test_data_dir("locomotion") || !test_data_dir("jump") || !test_data_dir("low")) {
        skip();
    }
    check_features("responsive", 33);
}

TEST_SUITE(index_data)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_27_features_of_lmm),
        cmocka_unit_test(the_33_features_of_responsive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
