// Coverage, gaps, repeats and the page, on motion whose truth is known.
#include "support/check.h"
#include "base/memory.h"
#include "support/motion.h"

#include "report/steps.h"
#include "base/budget.h"
#include "data/features.h"
#include "support/lmm_schema.h"

/// A database of straight glides: clip c moves at speeds[c] towards ways[c] degrees of its facing, turning at
/// turns[c].
typedef struct glide {
    float speed, way_deg, turn_deg, seconds;
} glide;

static am_db *make_glides(const glide *glides, int count, uint32_t mirrored)
{
    am_db_clip *items = calloc((size_t)count, sizeof *items);
    am_clip **clips = calloc((size_t)count, sizeof *clips);
    void **blocks = calloc(3 * (size_t)count, sizeof *blocks);
    for (int c = 0; c < count; c++) {
        int frames = (int)(glides[c].seconds * 60.0f);
        am_clip *clip = test_walker(frames);
        am_vec3 *positions = calloc((size_t)frames, sizeof *positions);
        am_quat *rotations = calloc((size_t)frames, sizeof *rotations);
        uint8_t *contacts = calloc((size_t)frames, 1);
        am_vec3 at = am_v3_zero();
        for (int f = 0; f < frames; f++) {
            float heading = glides[c].turn_deg * AM_DEG * (float)f / 60.0f;
            rotations[f] = am_quat_from_heading(heading);
            positions[f] = at;
            am_quat way = am_quat_from_heading(heading + glides[c].way_deg * AM_DEG);
            at = am_v3_add(at, am_quat_rotate(way, am_v3(0.0f, 0.0f, glides[c].speed / 60.0f)));
            am_vec3 *hips = &clip->translations[(size_t)f * (size_t)clip->moving_count];
            *hips = am_v3_add(*hips, positions[f]);
            contacts[f] = (uint8_t)(f % 60 < 30 ? AM_CONTACT_LEFT : f % 60 < 45 ? 3 : 0);
        }
        clips[c] = clip;
        blocks[3 * c] = positions;
        blocks[3 * c + 1] = rotations;
        blocks[3 * c + 2] = contacts;
        items[c] = (am_db_clip){ .clip = clip,
                                 .root_positions = positions,
                                 .root_rotations = rotations,
                                 .contacts = contacts,
                                 .source = c,
                                 .mirrored = (mirrored >> c) & 1u };
    }
    am_schema schema = lmm_schema();
    am_db_def def = am_db_def_default();
    def.clips = items;
    def.clip_count = count;
    def.roles = test_roles(clips[0]->skeleton);
    def.schema = &schema;
    def.name = "<glides & \"more\">";
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &def, &err), &err);
    for (int c = 0; c < count; c++) {
        am_clip_destroy(clips[c]);
    }
    for (int i = 0; i < 3 * count; i++) {
        free(blocks[i]);
    }
    free(blocks);
    free(clips);
    free(items);
    return db;
}

static void coverage_counts_speed_direction_and_turn(void **state)
{
    (void)state;
    static const glide glides[] = {
        { 1.25f, 0.0f, 0.0f, 2.0f },    // forward
        { 1.25f, 90.0f, 0.0f, 2.0f },   // to the left
        { 0.75f, 180.0f, 0.0f, 2.0f },  // backward
        { 2.25f, -45.0f, 60.0f, 2.0f }, // forward right, turning left
        { 0.0f, 0.0f, -120.0f, 2.0f },  // on the spot, turning right
        { 9.0f, 0.0f, 400.0f, 2.0f },   // beyond both ends
    };
    am_db *db = make_glides(glides, 6, 0);
    static am_coverage c;
    am_coverage_measure(&c, db);
    assert_int_equal(c.total, db->frame_count);
    assert_int_equal(c.cells[2][0][4], 120);
    assert_int_equal(c.cells[2][2][4], 120);
    assert_int_equal(c.cells[1][4][4], 120);
    assert_true(c.cells[4][7][5] > 100);
    assert_int_equal(c.speed_turn[0][2], 120);
    assert_int_equal(c.speed_way[0][0], 0); // standing has no direction
    assert_true(c.speed[10] > 100 && c.turn[8] > 100);
    am_db_close(db);
}

static void an_empty_cell_amid_full_ones_is_a_gap_in_words(void **state)
{
    (void)state;
    static am_coverage c;
    memset(&c, 0, sizeof c);
    for (int s = 1; s <= 3; s++) {
        for (int t = 3; t <= 5; t++) {
            for (int w = 0; w < AM_WAY_BINS; w++) {
                c.cells[s][w][t] = 600;
            }
        }
    }
    c.cells[2][2][5] = 3; // to the left, turning left
    am_gap gaps[100];
    int count = am_gaps_find(gaps, 100, &c, 60.0f);
    int found = -1;
    for (int i = 0; i < count; i++) {
        found = gaps[i].speed == 2 && gaps[i].way == 2 && gaps[i].turn == 5 ? i : found;
        assert_true(i == 0 || gaps[i - 1].neighbours >= gaps[i].neighbours);
    }
    assert_true(found >= 0);
    assert_false(gaps[found].both_sides);
    assert_string_equal(gaps[found].text,
                        "Walk sideways to the left at 1.0 to 1.5 m/s, while turning left at about 60 "
                        "degrees per second: 0.1 s captured, 170 s around it");
    // The same hole on both sides is reported once.
    c.cells[2][6][3] = 3;
    int both = am_gaps_find(gaps, 100, &c, 60.0f);
    for (int i = 0; i < both; i++) {
        assert_false(gaps[i].speed == 2 && gaps[i].way == 6 && gaps[i].turn == 3);
        if (gaps[i].speed == 2 && gaps[i].way == 2 && gaps[i].turn == 5) {
            assert_true(gaps[i].both_sides);
            assert_non_null(strstr(gaps[i].text, "mirror image"));
        }
    }
    assert_int_equal(am_gaps_find(gaps, 3, &c, 60.0f), 3); // a short list keeps the most wanted
    assert_int_equal(am_gaps_find(gaps, 0, &c, 60.0f), 0);
}

static void a_copied_stretch_is_found_and_a_mirrored_one_is_not(void **state)
{
    (void)state;
    static const glide glides[] = {
        { 1.2f, 0.0f, 10.0f, 4.0f },
        { 2.6f, 30.0f, -80.0f, 4.0f },
        { 1.2f, 0.0f, 10.0f, 4.0f },
        { 1.2f, 0.0f, 10.0f, 4.0f },
    };
    am_db *db = make_glides(glides, 4, 8);
    am_repeat repeats[32];
    int count = 0;
    am_error err = { 0 };
    check_ok(am_repeats_find(repeats, 32, &count, db, 0.05f, NULL, &err), &err);
    assert_true(count >= 1);
    assert_int_equal(repeats[0].range_b, 2);
    assert_int_equal(repeats[0].range_a, 0);
    assert_true(repeats[0].frames > 200);
    check_near(repeats[0].distance, 0.0, 0.01);
    for (int i = 0; i < count; i++) {
        assert_true(repeats[i].range_a != 3 && repeats[i].range_b != 3);
        if (repeats[i].range_a == repeats[i].range_b) {
            assert_true(repeats[i].first_a + repeats[i].frames <= repeats[i].first_b);
        }
    }
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 1;
    am_alloc alloc = ami_budget_alloc(&budget);
    check_refused(am_repeats_find(repeats, 32, &count, db, 0.05f, &alloc, &err), AM_ERR_MEMORY);
    am_db_close(db);
}

static void steps_are_counted_with_their_times(void **state)
{
    (void)state;
    static const glide glides[] = { { 0.0f, 0.0f, 0.0f, 4.0f } };
    am_db *db = make_glides(glides, 1, 0);
    ami_steps steps;
    am_error err = { 0 };
    am_alloc alloc = ami_alloc_or_default(NULL);
    check_ok(ami_steps_measure(&steps, db, &alloc, &err), &err);
    assert_int_equal(steps.count, 8); // left 0 to 44, right 30 to 44, of each 60 frames
    assert_int_equal(steps.left, 4 * 30);
    assert_int_equal(steps.both, 4 * 15);
    assert_int_equal(steps.none, 4 * 15);
    check_near(steps.median_s, 0.25, 0.01);
    am_db_close(db);
}

static void the_page_is_whole_escaped_and_the_same_again(void **state)
{
    (void)state;
    static const glide glides[] = { { 1.2f, 0.0f, 10.0f, 12.0f },
                                    { 2.6f, 30.0f, -80.0f, 12.0f },
                                    { 1.2f, 0.0f, 10.0f, 12.0f } };
    am_db *db = make_glides(glides, 3, 0);
    am_report_def def = am_report_def_default();
    am_bytes a = { 0 };
    am_bytes b = { 0 };
    am_error err = { 0 };
    check_ok(am_report_write(&a, db, &def, &err), &err);
    check_ok(am_report_write(&b, db, &def, &err), &err);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    char *text = calloc(a.size + 1, 1);
    memcpy(text, a.data, a.size);
    assert_non_null(strstr(text, "&lt;glides &amp; &quot;more&quot;&gt;"));
    assert_null(strstr(text, "<glides"));
    static const char *const parts[] = {
        "Speeds",    "Turn rates", "Directions",      "Speed and turning",    "Contacts",
        "Durations", "Tags",       "Near-duplicates", "Worth capturing next", "</main>"
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        assert_non_null(strstr(text, parts[i]));
    }
    assert_null(strstr(text, "nan"));
    free(text);
    am_bytes_free(&a);
    am_bytes_free(&b);
    def.cookie = 0;
    check_refused(am_report_write(&a, db, &def, &err), AM_ERR_DEF);
    am_db_close(db);
}

static void the_page_survives_every_failed_allocation(void **state)
{
    (void)state;
    static const glide glides[] = { { 1.2f, 0.0f, 10.0f, 2.0f }, { 1.2f, 0.0f, 10.0f, 2.0f } };
    am_db *db = make_glides(glides, 2, 0);
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_report_def def = am_report_def_default();
        def.alloc = &alloc;
        am_bytes page = { 0 };
        am_error err = { 0 };
        am_result result = am_report_write(&page, db, &def, &err);
        am_bytes_free(&page);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 4);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
    }
    am_db_close(db);
}

TEST_SUITE(report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_counts_speed_direction_and_turn),
        cmocka_unit_test(an_empty_cell_amid_full_ones_is_a_gap_in_words),
        cmocka_unit_test(a_copied_stretch_is_found_and_a_mirrored_one_is_not),
        cmocka_unit_test(steps_are_counted_with_their_times),
        cmocka_unit_test(the_page_is_whole_escaped_and_the_same_again),
        cmocka_unit_test(the_page_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
