// The box search of Learned Motion Matching, appendix B, against linear search: the same frames and bits of cost.
#include "boxes.h"
#include "runtime/data/fake.h"

#include "base/budget.h"

static void check_boxes(int dims, int frames, uint64_t seed, int searches, int how)
{
    fake f;
    fake_make(&f, dims, frames, seed);
    fake_spoil(&f, how);
    am_error err = { 0 };
    const char *names[] = { "a", "b", "c" };
    ami_tag_query tags;
    check_ok(ami_tag_query_parse(&tags, "a and not b or c", names, 3, &err), &err);
    tool linear = tool_make(&f.db, AMI_INDEX_LINEAR, NULL, &tags);
    lab_boxes *boxes = NULL;
    check_ok(lab_boxes_create(&boxes, linear.index, NULL, &err), &err);
    am_rng rng = ami_rng_make(seed + 100);
    for (int i = 0; i < searches; i++) {
        float x[64], weights[64];
        am_hit a[AMI_MAX_HITS], b[AMI_MAX_HITS];
        ami_search search = draw_search(&f.db, x, weights, &rng);
        search.filter = am_rng_below(&rng, 2) ? linear.filter : NULL;
        const int count = ami_index_search(linear.index, a, &search, linear.work);
        assert_int_equal(lab_boxes_search(boxes, b, &search), count);
        for (int h = 0; h < count; h++) {
            assert_int_equal(a[h].frame, b[h].frame);
            assert_memory_equal(&a[h].cost, &b[h].cost, sizeof(float));
        }
    }
    lab_boxes_destroy(boxes);
    tool_free(&linear);
    fake_free(&f);
}

static void boxes_give_the_linear_answer(void **state)
{
    (void)state;
    check_boxes(27, 8000, 1, 1000, -1);
    check_boxes(33, 5000, 3, 600, -1);
    check_boxes(5, 3000, 5, 600, -1);
    check_boxes(1, 200, 7, 300, -1);
    check_boxes(27, 40, 9, 300, -1);
    for (int how = 0; how < 8; how++) {
        check_boxes(27, 2000, 21 + (uint64_t)how, 100, how);
    }
}

static void what_is_not_finite_or_has_no_memory_is_refused(void **state)
{
    (void)state;
    fake f;
    fake_make(&f, 27, 500, 1);
    am_error err = { 0 };
    ami_tag_query all = { 0 };
    check_ok(ami_tag_query_parse(&all, "", NULL, 0, &err), &err);
    tool linear = tool_make(&f.db, AMI_INDEX_LINEAR, NULL, &all);
    lab_boxes *boxes = NULL;
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 1;
    const am_alloc alloc = ami_budget_alloc(&budget);
    check_refused(lab_boxes_create(&boxes, linear.index, &alloc, &err), AM_ERR_MEMORY);
    assert_null(boxes);
    check_ok(lab_boxes_create(&boxes, linear.index, NULL, &err), &err);
    float x[32] = { [5] = NAN };
    ami_search search = ami_search_default();
    search.x = x;
    am_hit hit;
    assert_int_equal(lab_boxes_search(boxes, &hit, &search), 0);
    lab_boxes_destroy(boxes);
    tool_free(&linear);
    fake_free(&f);
}

TEST_SUITE(boxes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_give_the_linear_answer),
        cmocka_unit_test(what_is_not_finite_or_has_no_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
