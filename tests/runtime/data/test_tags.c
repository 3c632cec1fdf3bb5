// Tag files, tag queries, automatic tags.
#include "runtime/data/support.h"
#include "support/refuse.h"
#include "data/database.h"

static const char *const names[] = { "walk", "run", "turn", "jump" };
enum { walk = 1, run = 2, turn = 4, jump = 8 };

typedef struct query_case {
    const char *text;
    uint64_t tags;
    bool accepts;
} query_case;

static void queries_mean_what_they_say(void **state)
{
    (void)state;
    static const query_case cases[] = {
        { "", 0, true },
        { "  ", run, true },
        { "walk", walk, true },
        { "walk", run, false },
        { "walk or run", run, true },
        { "walk and turn", walk, false },
        { "walk and turn", walk | turn, true },
        { "not walk", run, true },
        { "not not walk", walk, true },
        { "not walk or walk", walk, true },     // not binds tighter than or
        { "walk or run and turn", walk, true }, // and binds tighter than or
        { "(walk or run) and turn", walk, false },
        { "not (walk or run)", 0, true },
        { "walk and not (turn or jump)", walk | jump, false },
        { "walk and not(turn or jump)", walk, true },
        { "((jump))", jump, true },
        { "walk\nor\trun", run, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ami_tag_query query;
        am_error err = { 0 };
        check_ok(ami_tag_query_parse(&query, cases[i].text, names, 4, &err), &err);
        if (ami_tag_query_accepts(&query, cases[i].tags) != cases[i].accepts) {
            fail_msg("'%s' on %llx", cases[i].text, (unsigned long long)cases[i].tags);
        }
    }
}

typedef struct bad_query {
    const char *text;
    am_result code;
    const char *says;
} bad_query;

static void wrong_queries_say_what_is_wrong(void **state)
{
    (void)state;
    static const bad_query cases[] = {
        { "wlak", AM_ERR_KEY, "walk" },        { "walk and rnu", AM_ERR_KEY, "run" },
        { "walk and", AM_ERR_SYNTAX, "ends" }, { "and walk", AM_ERR_SYNTAX, "missing" },
        { "or", AM_ERR_SYNTAX, "missing" },    { "walk run", AM_ERR_SYNTAX, "'and' or 'or'" },
        { "(walk", AM_ERR_SYNTAX, "')'" },     { "walk)", AM_ERR_SYNTAX, "'and' or 'or'" },
        { "()", AM_ERR_SYNTAX, "missing" },    { "not", AM_ERR_SYNTAX, "ends" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ami_tag_query query;
        am_error err = { 0 };
        am_result result = ami_tag_query_parse(&query, cases[i].text, names, 4, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says) || err.column < 1) {
            fail_msg("'%s' gave '%s': %s", cases[i].text, am_result_name(result), err.text);
        }
        assert_int_equal(query.op_count, 0);
    }
}

static void endless_queries_are_refused(void **state)
{
    (void)state;
    char deep[200];
    memset(deep, '(', 100);
    snprintf(deep + 100, 100, "walk");
    ami_tag_query query;
    am_error err = { 0 };
    check_refused(ami_tag_query_parse(&query, deep, names, 4, &err), AM_ERR_LIMIT);
    char text[2000] = "walk";
    for (int i = 0; i < 100; i++) {
        strcat(text, " or run");
    }
    check_refused(ami_tag_query_parse(&query, text, names, 4, &err), AM_ERR_LIMIT);
}

static void a_query_is_about_the_tags_of_its_database(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    ami_tag_query query;
    check_ok(ami_db_tag_query(db, &query, "odd", &err), &err);
    int count = 0;
    for (int f = 0; f < db->frame_count; f++) {
        assert_int_equal(ami_tag_query_accepts(&query, db->tags[f]), (db->tags[f] >> 6) & 1u);
        count += ami_tag_query_accepts(&query, db->tags[f]);
    }
    assert_true(count > 0 && count < db->frame_count);
    check_ok(ami_db_tag_query(db, &query, "odd and jump", &err), &err);
    for (int f = 0; f < db->frame_count; f++) {
        assert_false(ami_tag_query_accepts(&query, db->tags[f]));
    }
    check_refused(ami_db_tag_query(db, &query, "ode", &err), AM_ERR_KEY);
    am_db_close(db);
    test_world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Sheets

static const char sheet_text[] = "clip, tag, first, last\n"
                                 "# a comment\n"
                                 "16_11 , veer_left,0,-1\r\n"
                                 "\n"
                                 "16_12,fast, 10 , 20 # behind a row\n"
                                 "16_12,veer_left,5,5";

static void a_sheet_gives_its_rows(void **state)
{
    (void)state;
    am_tag_sheet sheet;
    am_error err = { 0 };
    check_ok(am_tag_sheet_read(&sheet, sheet_text, strlen(sheet_text), "t.csv", NULL, &err), &err);
    assert_int_equal(sheet.row_count, 3);
    assert_int_equal(sheet.name_count, 2);
    assert_string_equal(sheet.names[1], "fast");
    assert_string_equal(sheet.rows[0].clip, "16_11");
    assert_int_equal(sheet.rows[0].last, -1);
    assert_int_equal(sheet.rows[1].first, 10);
    assert_int_equal(sheet.rows[1].last, 20);
    assert_int_equal(sheet.rows[2].tag, 0);
    am_tag_sheet_free(&sheet);
    check_ok(am_tag_sheet_read(&sheet, "", 0, NULL, NULL, &err), &err);
    assert_int_equal(sheet.row_count, 0);
    am_tag_sheet_free(&sheet);
}

typedef struct bad_sheet {
    const char *text;
    am_result code;
    int line;
} bad_sheet;

static void wrong_sheets_are_refused_with_their_line(void **state)
{
    (void)state;
    static const bad_sheet cases[] = {
        { "a,walk,0\n", AM_ERR_SYNTAX, 1 },
        { "a,walk,0,1,2\n", AM_ERR_SYNTAX, 1 },
        { "clip,tag,first,last\na,walk,x,1\n", AM_ERR_SYNTAX, 2 },
        { "a,walk,0,\n", AM_ERR_SYNTAX, 1 },
        { "a,walk,0,-\n", AM_ERR_SYNTAX, 1 },
        { "a,walk,0,99999999999\n", AM_ERR_SYNTAX, 1 },
        { "a,walk,5,4\n", AM_ERR_RANGE, 1 },
        { "a,walk,-3,4\n", AM_ERR_RANGE, 1 },
        { "a,walk,0,-2\n", AM_ERR_RANGE, 1 },
        { "a,wa lk,0,1\n", AM_ERR_SYNTAX, 1 },
        { "a,,0,1\n", AM_ERR_SYNTAX, 1 },
        { "a,and,0,1\n", AM_ERR_SYNTAX, 1 },
        { "a,a_tag_that_is_much_too_long_to_be_kept,0,1\n", AM_ERR_SYNTAX, 1 },
        { ",walk,0,1\n", AM_ERR_SYNTAX, 1 },
        { "# one\n\na,walk,1,1\nclip,walk,0,0,0\n", AM_ERR_SYNTAX, 4 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_tag_sheet sheet;
        am_error err = { 0 };
        am_result result = am_tag_sheet_read(&sheet, cases[i].text, strlen(cases[i].text), "t.csv", NULL, &err);
        if (result != cases[i].code || err.line != cases[i].line) {
            fail_msg("'%s' gave '%s' at line %d: %s", cases[i].text, am_result_name(result), (int)err.line, err.text);
        }
    }
}

static void more_than_64_tags_are_refused(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 65; i++) {
        char row[32];
        snprintf(row, sizeof row, "a,tag%d,0,1\n", i);
        strcat(text, row);
    }
    am_tag_sheet sheet;
    am_error err = { 0 };
    check_refused(am_tag_sheet_read(&sheet, text, strlen(text), "t.csv", NULL, &err), AM_ERR_LIMIT);
    assert_int_equal(err.line, 65);
}

static am_result read_sheet(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_tag_sheet sheet;
    am_error err = { 0 };
    am_result result = am_tag_sheet_read(&sheet, (const char *)data, size, "t.csv", alloc, &err);
    am_tag_sheet_free(&sheet);
    return refuse_checked(result, &err);
}

static void damaged_sheets_do_no_harm(void **state)
{
    (void)state;
    refuse_options options = { .any_prefix = true };
    refuse_loop(read_sheet, NULL, sheet_text, strlen(sheet_text), &options);
}

// ---------------------------------------------------------------------------------------------
// Automatic tags

enum { frames = 240 };

typedef struct stretch {
    am_vec3 positions[frames];
    am_quat rotations[frames];
    float hips[frames], toes[frames];
    uint8_t contacts[frames];
    uint64_t tags[frames];
} stretch;

static void fill(stretch *s, float speed, float turn_deg, float hips)
{
    memset(s, 0, sizeof *s);
    for (int f = 0; f < frames; f++) {
        float t = (float)f / 60.0f;
        s->positions[f] = am_v3(0.0f, 0.0f, speed * t);
        s->rotations[f] = am_quat_from_heading(turn_deg * AM_DEG * t);
        s->hips[f] = hips;
        s->contacts[f] = AM_CONTACT_LEFT;
    }
}

static void find(stretch *s)
{
    am_auto_tag_input in = { frames, 60.0f, s->positions, s->rotations, s->hips, s->toes, s->contacts, 0.95f };
    am_auto_tags(s->tags, &in);
}

static uint64_t bit(am_auto_tag tag) { return (uint64_t)1 << tag; }

static void speeds_heights_and_turns_are_tagged(void **state)
{
    (void)state;
    static stretch s;
    const struct {
        float speed, turn, hips;
        uint64_t want;
    } cases[] = {
        { 0.0f, 0.0f, 0.95f, bit(AM_TAG_IDLE) },
        { 0.0f, 45.0f, 0.95f, 0 }, // turning on the spot is no standing still
        { 0.1f, 90.0f, 0.95f, bit(AM_TAG_TURN) },
        { 1.2f, 0.0f, 0.95f, bit(AM_TAG_WALK) },
        { 1.2f, -90.0f, 0.95f, bit(AM_TAG_WALK) | bit(AM_TAG_TURN) },
        { 3.0f, 0.0f, 0.95f, bit(AM_TAG_RUN) },
        { 0.8f, 0.0f, 0.6f, bit(AM_TAG_WALK) | bit(AM_TAG_CREEP) | bit(AM_TAG_WINDUP) },
        { 2.5f, 0.0f, 0.88f, bit(AM_TAG_RUN) }, // runs are lower than walks
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill(&s, cases[i].speed, cases[i].turn, cases[i].hips);
        find(&s);
        for (int f = 0; f < frames; f++) {
            assert_true(s.tags[f] == cases[i].want);
        }
    }
}

static void a_long_high_flight_is_a_jump_and_a_running_step_is_not(void **state)
{
    (void)state;
    static stretch s;
    fill(&s, 1.0f, 0.0f, 0.95f);
    for (int f = 0; f < frames; f++) {
        bool step = f >= 30 && f < 39;    // 0.15 s
        bool leap = f >= 100 && f < 118;  // 0.3 s
        bool glide = f >= 200 && f < 230; // long, but the toes stay low: a contact was missed
        s.contacts[f] = step || leap || glide ? 0 : AM_CONTACT_RIGHT;
        s.toes[f] = step || leap ? 0.2f : 0.01f;
    }
    find(&s);
    for (int f = 0; f < frames; f++) {
        bool around = f >= 100 - 12 && f < 118 + 12; // with 0.2 s before and after
        assert_int_equal((s.tags[f] & bit(AM_TAG_JUMP)) != 0, around);
    }
    assert_string_equal(ami_auto_tag_name(AM_TAG_CREEP), "creep");
    assert_string_equal(ami_auto_tag_name(AM_AUTO_TAG_COUNT), "none");
}

/// Hips that sink smoothly by `depth` around frame `at`, within half a second on both sides.
static void sink(stretch *s, int at, float depth)
{
    for (int f = at - 30; f <= at + 30; f++) {
        s->hips[f] -= depth * 0.5f * (1.0f + am_cos(AM_PI * (float)(f - at) / 30.0f));
    }
}

static void a_wind_up_and_a_landing_belong_to_the_jump(void **state)
{
    (void)state;
    static stretch s;
    fill(&s, 0.0f, 0.0f, 0.95f);
    sink(&s, 90, 0.2f);
    sink(&s, 145, 0.2f);
    for (int f = 105; f < 130; f++) {
        s.contacts[f] = 0;
        s.toes[f] = 0.2f;
    }
    find(&s);
    // The hips are 3 % lower from 23 frames before the lowest on, and again 23 frames after it.
    for (int f = 0; f < frames; f++) {
        bool phase = f >= 90 - 24 && f <= 145 + 24;
        bool sure = phase && f >= 90 - 22 && f <= 145 + 22;
        bool is = (s.tags[f] & bit(AM_TAG_JUMP)) != 0;
        assert_true(is ? phase : !sure);
    }
}

static void a_crouch_without_a_jump_is_a_wind_up_with_the_way_into_it(void **state)
{
    (void)state;
    static stretch s;
    fill(&s, 0.3f, 0.0f, 0.95f);
    sink(&s, 60, 0.1f);
    sink(&s, 180, 0.04f); // a step
    find(&s);
    assert_true((s.tags[60] & bit(AM_TAG_WINDUP)) != 0);
    assert_true((s.tags[60 - 16] & bit(AM_TAG_WINDUP)) != 0);
    assert_true((s.tags[60 + 16] & bit(AM_TAG_WINDUP)) != 0);
    assert_true((s.tags[30] & bit(AM_TAG_WINDUP)) == 0);
    assert_true((s.tags[180] & bit(AM_TAG_WINDUP)) == 0);
    assert_string_equal(ami_auto_tag_name(AM_TAG_WINDUP), "windup");
}

TEST_SUITE(tags)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_mean_what_they_say),
        cmocka_unit_test(wrong_queries_say_what_is_wrong),
        cmocka_unit_test(endless_queries_are_refused),
        cmocka_unit_test(a_query_is_about_the_tags_of_its_database),
        cmocka_unit_test(a_sheet_gives_its_rows),
        cmocka_unit_test(wrong_sheets_are_refused_with_their_line),
        cmocka_unit_test(more_than_64_tags_are_refused),
        cmocka_unit_test(damaged_sheets_do_no_harm),
        cmocka_unit_test(speeds_heights_and_turns_are_tagged),
        cmocka_unit_test(a_long_high_flight_is_a_jump_and_a_running_step_is_not),
        cmocka_unit_test(a_wind_up_and_a_landing_belong_to_the_jump),
        cmocka_unit_test(a_crouch_without_a_jump_is_a_wind_up_with_the_way_into_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
