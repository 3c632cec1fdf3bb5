// Tables of results as text, JSON and a page.
#include "support/check.h"
#include "base/budget.h"

#include "tables.h"

static ami_tables *make_tables(const am_alloc *alloc)
{
    am_error err = { 0 };
    ami_tables *t = NULL;
    if (ami_tables_create(&t, alloc, &err) != AM_OK) {
        return NULL;
    }
    am_vec3 places[3] = { { 0, 0, 0 }, { 0, 0, 2 }, { 1, 0, 2 } };
    am_track track = { places, 3, 1.0f / 60.0f };
    ami_tables_begin(t, "speeds", "how <fast>");
    static const ami_column columns[] = { { "who", -1 }, { "mps", 2 }, { "answer_s", 1 } };
    ami_tables_columns(t, columns, 3);
    ami_tables_row(t);
    ami_tables_text(t, "walker & co");
    ami_tables_bounded(t, 1.5, 2.0);
    ami_tables_number(t, (double)NAN);
    ami_tables_row(t);
    ami_tables_text(t, "runner");
    ami_tables_bounded(t, 3.25, 2.0);
    ami_tables_number(t, (double)INFINITY);
    ami_tables_note(t, "measured %d times", 3);
    ami_tables_plot(t, "mps", 0);
    ami_tables_track(t, "way", &track);
    static const double sizes[3] = { 100, 1000, 20000 }, times[3] = { 0.5, 4, 90 }, worst[3] = { 1, 8, 2000 };
    const ami_curve curves[2] = { { "slow <one>", sizes, times, worst, 3 }, { "fast", sizes + 1, times, NULL, 2 } };
    ami_tables_curves(t, "growth", "frames", "us", curves, 2);
    static const double seconds[3] = { 0, 1.5, 4.2 }, degrees[3] = { -30, 0, 120 };
    const ami_curve facing = { "facing", seconds, degrees, NULL, 3 };
    ami_tables_lines(t, "turns", "seconds", "degrees", &facing, 1);
    am_polyline line = { .points = places, .count = 2 };
    ami_tables_path(t, "along", &track, &line);
    return t;
}

static char *terminated(am_bytes *bytes)
{
    char *text = malloc(bytes->size + 1);
    memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = '\0';
    am_bytes_free(bytes);
    return text;
}

static void text_lines_up_and_marks_what_is_beyond_its_bound(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_tables *t = make_tables(NULL);
    am_bytes bytes = { 0 };
    check_ok(ami_tables_print(&bytes, t, &err), &err);
    char *text = terminated(&bytes);
    assert_string_equal(text, "speeds: how <fast>\n"
                              "who            mps  answer_s\n"
                              "walker & co   1.50          \n"
                              "runner       3.25!     never\n"
                              "measured 3 times\n\n");
    assert_int_equal(ami_tables_bad_count(t), 1);
    free(text);
    ami_tables_destroy(t);
}

static void json_has_names_columns_and_rows(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_tables *t = make_tables(NULL);
    am_json_writer *w = NULL;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    ami_tables_json(w, t);
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    assert_non_null(strstr(text, "\"columns\":[\"who\",\"mps\",\"answer_s\"]"));
    assert_non_null(strstr(text, "\"rows\":[[\"walker & co\",1.5,null],[\"runner\",3.25,\"never\"]]"));
    am_json_writer_destroy(w);
    ami_tables_destroy(t);
}

static void the_page_is_safe_and_has_its_plots(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_tables *t = make_tables(NULL);
    am_bytes bytes = { 0 };
    check_ok(ami_tables_page(&bytes, t, "A <title>", "about", &err), &err);
    char *text = terminated(&bytes);
    assert_non_null(strstr(text, "A &lt;title&gt;"));
    assert_non_null(strstr(text, "walker &amp; co"));
    assert_null(strstr(text, "how <fast>"));
    assert_non_null(strstr(text, "class=\"n bad\">3.25"));
    assert_non_null(strstr(text, "class=\"track\""));
    assert_non_null(strstr(text, "slow &lt;one&gt;"));
    assert_non_null(strstr(text, "frames / us"));
    assert_non_null(strstr(text, ">100000</text>")); // the axes run over whole decades: 100 to 100000, 0.1 to 10000
    assert_non_null(strstr(text, ">0.1</text>"));
    // 1,000 lies a third of the way from 100 to 100,000, 4 at 0.32 from 0.1 to 10,000.
    assert_non_null(strstr(text, "cx=\"184.0\" cy=\"207.7\""));
    assert_non_null(strstr(text, "class=\"drawn\""));
    assert_non_null(strstr(text, "class=\"spot\" x=")); // the bar beyond its bound is red
    free(text);
    ami_tables_destroy(t);
}

static void cells_beyond_the_columns_are_dropped(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_tables *t = NULL;
    check_ok(ami_tables_create(&t, NULL, &err), &err);
    ami_tables_row(t); // no table yet: nothing happens
    ami_tables_number(t, 1.0);
    ami_tables_begin(t, "one", "column");
    ami_tables_column(t, "a", 0);
    ami_tables_number(t, 1.0); // no row yet
    ami_tables_row(t);
    ami_tables_at_least(t, 1.0, 1.0);
    ami_tables_number(t, 2.0);
    am_bytes bytes = { 0 };
    check_ok(ami_tables_print(&bytes, t, &err), &err);
    char *text = terminated(&bytes);
    assert_string_equal(text, "one: column\n a\n1!\n\n");
    free(text);
    ami_tables_destroy(t);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    bool passed = false;
    for (size_t n = 1; n < 100 && !passed; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        ami_tables *t = make_tables(&alloc);
        if (t) {
            am_error err = { 0 };
            am_bytes text = { 0 };
            am_bytes page = { 0 };
            am_result first = ami_tables_print(&text, t, &err);
            am_result second = ami_tables_page(&page, t, "title", "about", &err);
            passed = first == AM_OK && second == AM_OK;
            assert_true(passed || first == AM_ERR_MEMORY || second == AM_ERR_MEMORY);
            am_bytes_free(&text);
            am_bytes_free(&page);
        }
        ami_tables_destroy(t);
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(passed);
}

TEST_SUITE(tables)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_lines_up_and_marks_what_is_beyond_its_bound),
        cmocka_unit_test(json_has_names_columns_and_rows),
        cmocka_unit_test(the_page_is_safe_and_has_its_plots),
        cmocka_unit_test(cells_beyond_the_columns_are_dropped),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
