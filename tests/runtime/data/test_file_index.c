// The index in a database's file: the answers of linear search, and no harm from sections that lie.
#include "runtime/data/image.h"

#include "data/fast.h"

typedef struct searcher {
    am_index *index;
    am_search_work *work;
} searcher;

static searcher open_searcher(const am_db *db, ami_index_kind kind)
{
    searcher s = { 0 };
    am_error err = { 0 };
    ami_index_def def = ami_index_def_default();
    def.db = db;
    def.kind = kind;
    check_ok(ami_index_create(&s.index, &def, &err), &err);
    check_ok(ami_search_work_create(&s.work, s.index, NULL, &err), &err);
    return s;
}

static void close_searcher(searcher *s)
{
    ami_search_work_destroy(s->work);
    ami_index_destroy(s->index);
}

/// A query near a frame, or far from all.
static void draw_query(float *x, const am_db *db, am_rng *rng)
{
    const float *row = am_db_x(db, (int)am_rng_below(rng, (uint32_t)db->frame_count));
    float noise = am_rng_below(rng, 5) ? 0.3f : 20.0f;
    memset(x, 0, (size_t)db->features.stride * sizeof *x);
    for (int d = 0; d < db->features.count; d++) {
        x[d] = row[d] + noise * am_rng_normal(rng);
    }
}

static void check_linear_answers(const am_db *db, searcher *fast, int queries)
{
    searcher linear = open_searcher(db, AMI_INDEX_LINEAR);
    am_rng rng = ami_rng_make(3);
    for (int i = 0; i < queries; i++) {
        float x[AM_MAX_FEATURES + 8];
        draw_query(x, db, &rng);
        ami_search search = ami_search_default();
        search.x = x;
        search.k = 1 + i % 7;
        am_hit a[8], b[8];
        assert_int_equal(ami_index_search(linear.index, a, &search, linear.work), search.k);
        assert_int_equal(ami_index_search(fast->index, b, &search, fast->work), search.k);
        assert_memory_equal(a, b, (size_t)search.k * sizeof *a);
    }
    close_searcher(&linear);
}

static void the_index_of_a_file_is_the_one_that_would_be_built(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        am_db *db = image_make(i % 2, i / 2 ? AM_PRECISION_COMPACT : AM_PRECISION_FLOAT);
        assert_non_null(db->facts);
        assert_int_equal(db->own->derived.index_rows != NULL, db->precision == AM_PRECISION_FLOAT);
        am_db *plain = NULL;
        am_error err = { 0 };
        am_db_copy_def def = am_db_copy_def_default();
        def.db = db;
        def.contacts = db->contacts;
        check_ok(am_db_copy(&plain, &def, &err), &err);
        searcher stored = open_searcher(db, AMI_INDEX_FAST);
        searcher built = open_searcher(plain, AMI_INDEX_FAST);
        const ami_fast *a = stored.index->fast, *b = built.index->fast;
        assert_true(a->mapped);
        assert_false(b->mapped);
        size_t tables = ami_fast_table_bytes((int)a->dims, a->leaf_count) - sizeof(ami_index_head);
        assert_memory_equal(a->base, b->base, tables);
        assert_memory_equal(a->leaf_x, b->leaf_x, ami_fast_row_bytes((int)a->dims, a->leaf_count));
        check_linear_answers(db, &stored, 300);
        close_searcher(&stored);
        close_searcher(&built);
        am_db_close(plain);
        am_db_close(db);
    }
}

/// Opens a signed image and searches it; true when its index was used. Every hit must be an offered frame.
static bool search_image(const uint8_t *image, size_t size, bool exact)
{
    am_db *db = NULL;
    am_error err = { 0 };
    if (am_db_from_memory(&db, image, size, "bad.amdb", NULL, &err) != AM_OK) {
        return false;
    }
    searcher s = open_searcher(db, AMI_INDEX_FAST);
    bool mapped = s.index->fast->mapped;
    am_rng rng = ami_rng_make(5);
    for (int i = 0; i < 2 * AMI_SLOT_COUNT; i++) {
        am_filter *filter = NULL;
        if (mapped && i < AMI_SLOT_COUNT) {
            check_ok(ami_filter_stored(&filter, s.index, i, NULL, &err), &err);
        }
        float x[AM_MAX_FEATURES + 8];
        draw_query(x, db, &rng);
        ami_search search = ami_search_default();
        search.x = x;
        search.k = 5;
        search.filter = filter;
        am_hit hits[5];
        int count = ami_index_search(s.index, hits, &search, s.work);
        for (int h = 0; h < count; h++) {
            assert_true(hits[h].frame >= 0 && hits[h].frame < db->frame_count);
            assert_true(s.index->offered[hits[h].frame >> 6] >> (hits[h].frame & 63) & 1);
        }
        ami_filter_destroy(filter);
    }
    if (exact) {
        check_linear_answers(db, &s, 50);
    }
    close_searcher(&s);
    am_db_close(db);
    return mapped;
}

static void leaves_that_lie_are_not_followed(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    searcher s = open_searcher(db, AMI_INDEX_FAST);
    size_t first = (size_t)((const uint8_t *)s.index->fast->leaf_first - (const uint8_t *)db->image);
    size_t valid = (size_t)((const uint8_t *)s.index->fast->leaf_valid - (const uint8_t *)db->image);
    int leaves = s.index->fast->leaf_count;
    close_searcher(&s);
    const int32_t lies[] = { -1, INT32_MIN, INT32_MAX, db->frame_count, db->frame_count - 1 };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        uint8_t *image = image_copy(db->image, db->image_size);
        memcpy(image + first + 12, &lies[i], sizeof lies[i]);
        image_sign(image);
        assert_false(search_image(image, db->image_size, true)); // it is built instead
        test_aligned_free(image);
    }
    for (int leaf = 0; leaf < leaves; leaf++) {
        // A frame too few, or one in the ignored tail: the tree would miss a frame or offer a wrong one.
        uint8_t *image = image_copy(db->image, db->image_size);
        image[valid + (size_t)leaf] ^= (uint8_t)(image[valid + (size_t)leaf] == 0xFF ? 1 : 0x80);
        image_sign(image);
        assert_false(search_image(image, db->image_size, false));
        test_aligned_free(image);
    }
    am_db_close(db);
}

static void flipped_bytes_of_derived_sections_do_no_harm(void **state)
{
    (void)state;
    static const int parts[] = { AMI_PART_INDEX, AMI_PART_INDEX_ROWS, AMI_PART_FILTERS, AMI_PART_ROUGHNESS };
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    am_rng rng = ami_rng_make(17);
    int used = 0, tried = test_quick() ? 200 : 2000;
    for (int i = 0; i < tried; i++) {
        uint8_t *image = image_copy(db->image, db->image_size);
        const ami_db_section *section = image_section(image, parts[i % 4]);
        for (uint32_t flips = 1 + am_rng_below(&rng, 4); flips > 0; flips--) {
            image[section->offset + am_rng_below(&rng, (uint32_t)section->size)] ^=
                (uint8_t)(1 + am_rng_below(&rng, 255));
        }
        image_sign(image);
        used += search_image(image, db->image_size, false);
        test_aligned_free(image);
    }
    assert_true(used > tried / 2); // else the search was hardly tried on them
    am_db_close(db);
}

static void a_file_without_one_derived_section_is_refused(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    for (int p = AMI_FIRST_DERIVED; p < AMI_PART_COUNT; p++) {
        uint8_t *image = image_copy(db->image, db->image_size);
        image_section(image, p)->id = 0x7A7A7A7Au;
        image_sign(image);
        am_db *bad = NULL;
        check_refused(am_db_from_memory(&bad, image, db->image_size, "bad.amdb", NULL, NULL), AM_ERR_FORMAT);
        test_aligned_free(image);
    }
    am_db_close(db);
}

static void frames_that_are_not_finite_give_a_file_without_facts(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        static test_world w;
        test_world_make(&w, false);
        am_clip *clip = w.clips[1];
        size_t joints = (size_t)clip->skeleton->joint_count;
        if (kind == 0) {
            w.positions[1][40].x = NAN; // in the features, too
        }
        for (int f = 0; kind == 1 && f < clip->frame_count; f++) {
            int head = am_skeleton_find(clip->skeleton, "Head"); // in no feature
            clip->rotations[(size_t)f * joints + (size_t)head] = am_q(INFINITY, 0.0f, 0.0f, 1.0f);
        }
        am_db *db = NULL;
        am_error err = { 0 };
        check_ok(am_db_create(&db, &w.def, &err), &err);
        assert_null(db->facts);
        assert_null(db->own->derived.index);
        am_db_close(db);
        test_world_free(&w);
    }
}

TEST_SUITE(file_index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_of_a_file_is_the_one_that_would_be_built),
        cmocka_unit_test(leaves_that_lie_are_not_followed),
        cmocka_unit_test(flipped_bytes_of_derived_sections_do_no_harm),
        cmocka_unit_test(a_file_without_one_derived_section_is_refused),
        cmocka_unit_test(frames_that_are_not_finite_give_a_file_without_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
