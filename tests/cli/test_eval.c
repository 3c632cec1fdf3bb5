// amble eval: on procedural motion, so that it runs everywhere.
#include "support/check.h"

static void check_page(const char *dir)
{
    char path[600];
    snprintf(path, sizeof path, "%s/page.html", dir);
    size_t size = 0;
    char *page = test_read_file(path, &size);
    assert_non_null(strstr(page, "Motion matching on fixed courses"));
    assert_non_null(strstr(page, "class=\"track\""));
    free(page);
}

static void matching_gives_the_same_tables_with_any_threads_and_a_page(void **state)
{
    (void)state;
    size_t size = 1 << 18;
    char *one = malloc(size);
    char *two = malloc(size);
    const char *dir = test_temp_dir("eval");
    assert_int_equal(test_shell(one, size, "%s eval matching --config synth --quick --json --threads 1 2>/dev/null",
                                test_command()),
                     0);
    assert_int_equal(test_shell(two, size,
                                "%s eval matching --config synth --quick --json --threads 2 --html %s/page.html "
                                "2>/dev/null",
                                test_command(), dir),
                     0);
    assert_string_equal(one, two);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, one, strlen(one), "tables", NULL, &err), &err);
    const am_json *tables = am_json_get(am_json_root(doc), "tables");
    assert_int_equal(tables->count, 2);
    const am_json *courses = tables->first;
    assert_string_equal(am_json_get(courses, "name")->string, "courses synth");
    const am_json *columns = am_json_get(courses, "columns");
    const am_json *rows = am_json_get(courses, "rows");
    assert_int_equal(rows->count, 2 + 3 + 1); // own and bound, three courses, all
    for (const am_json *row = rows->first; row; row = row->next) {
        assert_int_equal(row->count, columns->count);
    }
    assert_string_equal(am_json_get(courses->next, "name")->string, "ablations");
    am_json_free(doc);
    free(one);
    free(two);
    check_page(dir);
}

/// The number in a row under a column's name, NAN when there is none.
static double cell(const am_json *table, const am_json *row, const char *column)
{
    const am_json *value = row->first;
    for (const am_json *c = am_json_get(table, "columns")->first; c && value; c = c->next, value = value->next) {
        if (strcmp(c->string, column) == 0) {
            return value->type == AM_JSON_NUMBER ? value->number : (double)NAN;
        }
    }
    fail_msg("no column %s", column);
    return 0.0;
}

static const am_json *row_of(const am_json *table, const char *name)
{
    const am_json *row = am_json_get(table, "rows")->first;
    while (row && strcmp(row->first->string, name) != 0) {
        row = row->next;
    }
    assert_non_null(row);
    return row;
}

static void check_courses(const char *config)
{
#if defined(__SANITIZE_ADDRESS__)
    skip(); // minutes under the sanitizer; the same code runs there on procedural motion
#endif
    size_t size = 1 << 18;
    char *text = malloc(size);
    assert_int_equal(
        test_shell(text, size, "%s eval matching --config %s --quick --json 2>/dev/null", test_command(), config), 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "tables", NULL, &err), &err);
    const am_json *table = am_json_get(am_json_root(doc), "tables")->first;
    const am_json *bound = row_of(table, "bound");
    const am_json *all = row_of(table, "all");
    static const char *const bounded[] = { "foot_slide_cm",   "skate_share",        "jitter_cm", "penetration_cm",
                                           "joint_travel_cm", "transition_bend_cm", "turn_90_s", "stop_s" };
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0]; i++) {
        if (!(cell(table, all, bounded[i]) <= cell(table, bound, bounded[i]))) {
            fail_msg("%s is %g, beyond %g", bounded[i], cell(table, all, bounded[i]), cell(table, bound, bounded[i]));
        }
    }
    // What the design says of the source's skate share.
    check_near(cell(table, row_of(table, "the database's own"), "skate_share"), 0.18, 0.005);
    const am_json *ablations = am_json_get(am_json_root(doc), "tables")->first->next;
    assert_true(cell(ablations, row_of(ablations, "no inertialisation"), "times") > 3.0);
    assert_true(cell(ablations, row_of(ablations, "no springs"), "times") > 1.05);
    am_json_free(doc);
    free(text);
}

static void the_cmu_courses_keep_their_bounds(void **state)
{
    (void)state;
    if (test_quick() || !test_data_dir("locomotion")) {
        skip();
    }
    check_courses("locomotion");
}

static void the_agile_courses_keep_theirs(void **state)
{
    (void)state;
    if (test_quick() || !test_data_dir("locomotion") || !test_data_dir("basketball") ||
        !test_data_dir("accad_male1")) {
        skip();
    }
    check_courses("agile");
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    (void)state;
    char text[2048];
    assert_int_equal(test_shell(text, sizeof text, "%s eval machting 2>&1", test_command()), 2);
    assert_non_null(strstr(text, "did you mean 'matching'"));
    assert_int_equal(test_shell(text, sizeof text, "%s eval matching --config nothing 2>&1", test_command()), 1);
    assert_non_null(strstr(text, "database config 'nothing'"));
}

static const am_json *named(const am_json_doc *doc, const char *name)
{
    const am_json *table = am_json_get(am_json_root(doc), "tables")->first;
    while (table && strcmp(am_json_get(table, "name")->string, name) != 0) {
        table = table->next;
    }
    assert_non_null(table);
    return table;
}

/// What an animator would see: starts by steps, stops that end in a stand, stands that stand, motion as captured.
static void motion_looks_like_captured_motion(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); // minutes under the sanitizer
#endif
    bool real =
        test_data_dir("locomotion") && test_data_dir("jump") && test_data_dir("low") && test_data_dir("dance");
    size_t size = 1 << 16;
    char *text = malloc(size);
    assert_int_equal(test_shell(text, size, "%s eval motion --quick --json 2>/dev/null", test_command()), 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "tables", NULL, &err), &err);
    static const char *const rows[] = { "match", "long-horizon", "learned, everyday" };
    for (int i = 0; i < 3; i++) {
        const am_json *table = named(doc, "stand");
        assert_true(cell(table, row_of(table, rows[i]), "drift_m") < 0.01);
        assert_true(cell(table, row_of(table, rows[i]), "turn_deg") < 1.0);
        double hands = cell(table, row_of(table, "captured"), "hands_cm");
        assert_true(cell(table, row_of(table, rows[i]), "hands_cm") > 0.3 * hands);
        assert_true(cell(table, row_of(table, rows[i]), "hands_cm") < 3.0 * hands);
        table = named(doc, "starts");
        assert_int_equal((int)cell(table, row_of(table, rows[i]), "starts_odd"), 0);
        table = named(doc, "ten_seconds");
        assert_true(cell(table, row_of(table, rows[i]), "steps") > 15.0);
        assert_int_equal((int)cell(table, row_of(table, rows[i]), "starts_odd"), 0);
        if (!real) {
            continue; // the limits of stops and novelty are those of captured motion
        }
        assert_true(cell(table, row_of(table, rows[i]), "novelty_cm") < 8.0);
        assert_true(cell(table, row_of(table, rows[i]), "novelty_p95_cm") < 14.0);
        assert_true(cell(table, row_of(table, rows[i]), "novelty_max_cm") < 21.0); // long-horizon 20.2
        table = named(doc, "stops");
        assert_int_equal((int)cell(table, row_of(table, rows[i]), "stops_bad"), 0);
        assert_int_equal((int)cell(table, row_of(table, rows[i]), "starts_odd"), 0);
    }
    am_json_free(doc);
    free(text);
}

/// The set-up of Responsive is played, not only built: every key does something, on 33 features, as printed and by
/// Amble.
static void responsive_is_played_as_printed(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); // minutes under the sanitizer
#endif
    bool real = !test_quick() && test_data_dir("locomotion") && test_data_dir("jump") && test_data_dir("low") &&
                test_data_dir("dance");
    char text[8192];
    assert_int_equal(test_shell(text, sizeof text, "%s eval responsive --config %s --json 2>/dev/null",
                                test_command(), real ? "responsive" : "synth"),
                     0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "tables", NULL, &err), &err);
    const am_json *table = am_json_get(am_json_root(doc), "tables")->first;
    static const char *const rows[] = { "as in the paper", "amble" };
    for (int i = 0; i < 2; i++) {
        const am_json *row = row_of(table, rows[i]);
        assert_true(cell(table, row, "move_s") > 5.0);
        if (real) {
            assert_true(cell(table, row, "jump_s") > 0.3);
            assert_true(cell(table, row, "creep_s") > 4.0);
            assert_true(cell(table, row, "dance_s") > 2.0);
            // As printed, the flight of a bounding step is taken for a jump: 0.06 m there.
            assert_true(cell(table, row, "jump_hips_m") > cell(table, row, "move_hips_m") + (i == 0 ? 0.03 : 0.1));
            assert_true(cell(table, row, "creep_hips_m") < cell(table, row, "move_hips_m") - 0.08);
        }
    }
    am_json_free(doc);
}

TEST_SUITE(eval)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_gives_the_same_tables_with_any_threads_and_a_page),
        cmocka_unit_test(the_cmu_courses_keep_their_bounds),
        cmocka_unit_test(the_agile_courses_keep_theirs),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
        cmocka_unit_test(motion_looks_like_captured_motion),
        cmocka_unit_test(responsive_is_played_as_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
