// Responses to the target and paths, on tracks drawn by hand.
#include "support/check.h"

#include "report/metrics_parts.h"

#define DT (1.0f / 60.0f)
enum { most = 1200 };

/// A track and its targets, drawn stretch by stretch.
typedef struct drawing {
    am_vec3 places[most], targets[most];
    int count;
} drawing;

/// `seconds` of going at `velocity` while `target` is desired.
static void draw(drawing *d, float seconds, am_vec3 velocity, am_vec3 target)
{
    int frames = (int)(seconds * 60.0f + 0.5f);
    for (int f = 0; f < frames && d->count < most; f++) {
        am_vec3 from = d->count > 0 ? d->places[d->count - 1] : am_v3_zero();
        d->places[d->count] = am_v3_add(from, am_v3_scale(velocity, DT));
        d->targets[d->count++] = target;
    }
}

static int judge(am_response *out, const drawing *d)
{
    am_track track = { d->places, d->count, DT };
    am_response_def def = am_response_def_default();
    return am_responses_find(out, 16, &track, d->targets, &def);
}

static const am_vec3 forward = { 0.0f, 0.0f, 1.0f };
static const am_vec3 left = { 1.0f, 0.0f, 0.0f };
static const am_vec3 nowhere = { 0.0f, 0.0f, 0.0f };

static void a_turn_is_answered_when_the_movement_has_turned(void **state)
{
    (void)state;
    drawing d = { .count = 0 };
    draw(&d, 2.0f, forward, forward);
    draw(&d, 0.5f, forward, left); // half a second too late
    draw(&d, 2.0f, left, left);
    am_response r[16];
    assert_int_equal(judge(r, &d), 1);
    assert_int_equal(r[0].kind, AM_RESPONSE_TURN);
    check_near(r[0].t, 2.0, 1e-4);
    check_near(r[0].turn_rad, 90.0f * AM_DEG, 1e-4);
    check_near(r[0].speed_mps, 1.0, 1e-3);
    // Within 15 degrees when the 0.2 s before hold 0.0423 s of the old way: tan 15 = old / new.
    check_near(r[0].seconds, 0.5 + 0.2 - 0.0423, 0.02);
}

static void an_answer_that_does_not_stay_is_none(void **state)
{
    (void)state;
    drawing d = { .count = 0 };
    draw(&d, 1.0f, forward, forward);
    draw(&d, 0.4f, left, left);    // right for less than 0.3 s of windows
    draw(&d, 0.4f, forward, left); // wrong again
    draw(&d, 1.0f, left, left);
    am_response r[16];
    assert_int_equal(judge(r, &d), 1);
    assert_true(r[0].seconds > 0.8f && r[0].seconds < 1.1f);
}

static void a_target_that_changes_too_soon_is_never_answered(void **state)
{
    (void)state;
    drawing d = { .count = 0 };
    draw(&d, 1.0f, forward, forward);
    draw(&d, 0.4f, left, left);
    draw(&d, 2.0f, forward, forward);
    am_response r[16];
    assert_int_equal(judge(r, &d), 2);
    assert_true(r[0].seconds == INFINITY);
    assert_true(r[1].seconds < 0.3f);
    assert_true(am_responses_median(r, 2, AM_RESPONSE_TURN, 0.0f, AM_PI) == INFINITY);
}

static void starts_and_stops_are_told_apart(void **state)
{
    (void)state;
    drawing d = { .count = 0 };
    draw(&d, 1.0f, nowhere, nowhere);
    draw(&d, 1.0f, forward, forward);
    draw(&d, 0.3f, forward, nowhere); // goes on for 0.3 s
    draw(&d, 1.0f, nowhere, nowhere);
    am_response r[16];
    assert_int_equal(judge(r, &d), 2);
    assert_int_equal(r[0].kind, AM_RESPONSE_START);
    assert_int_equal(r[1].kind, AM_RESPONSE_STOP);
    check_near(r[1].seconds, 0.3 + 0.18 + DT, 0.02); // a tenth of the window at full speed is 0.1 m/s
}

static void a_small_change_of_the_stick_asks_for_nothing(void **state)
{
    (void)state;
    drawing d = { .count = 0 };
    draw(&d, 1.0f, forward, forward);
    draw(&d, 1.0f, forward, am_v3(0.17f, 0.0f, 0.98f)); // 10 degrees
    am_response r[16];
    assert_int_equal(judge(r, &d), 0);
    assert_true(am_responses_median(r, 0, AM_RESPONSE_TURN, 0.0f, AM_PI) != 0.0f);
}

static void medians_take_the_turns_that_are_asked_for(void **state)
{
    (void)state;
    am_response r[5] = { { .kind = AM_RESPONSE_TURN, .turn_rad = 1.57f, .seconds = 0.5f },
                         { .kind = AM_RESPONSE_TURN, .turn_rad = 1.57f, .seconds = INFINITY },
                         { .kind = AM_RESPONSE_TURN, .turn_rad = 1.57f, .seconds = 0.7f },
                         { .kind = AM_RESPONSE_TURN, .turn_rad = 3.14f, .seconds = 9.0f },
                         { .kind = AM_RESPONSE_STOP, .seconds = 0.1f } };
    check_near(am_responses_median(r, 5, AM_RESPONSE_TURN, 1.5f, 1.6f), 0.7, 1e-6);
    check_near(am_responses_median(r, 5, AM_RESPONSE_TURN, 3.0f, 3.2f), 9.0, 1e-6);
    check_near(am_responses_median(r, 5, AM_RESPONSE_STOP, 0.0f, 1.0f), 0.1, 1e-6);
}

// ---------------------------------------------------------------------------------------------
// Paths

/// A track along corner points at a speed, shifted sideways.
static am_path_metrics follow(const am_vec3 *corners, int corner_count, const am_polyline *path, float speed,
                              am_vec3 shift)
{
    static am_vec3 places[4 * most];
    int count = 0;
    for (int c = 0; c + 1 < corner_count; c++) {
        float length = am_v3_distance(corners[c], corners[c + 1]);
        int frames = (int)(length / speed * 60.0f + 0.5f);
        for (int f = 0; f < frames && count < 4 * most; f++) {
            am_vec3 place = am_v3_lerp(corners[c], corners[c + 1], (float)f / (float)frames);
            places[count++] = am_v3_add(place, shift);
        }
    }
    places[count++] = am_v3_add(corners[corner_count - 1], shift);
    am_track track = { places, count, DT };
    return am_path_measure(&track, path);
}

static void a_track_on_the_path_has_no_error(void **state)
{
    (void)state;
    am_vec3 corners[] = { { 0, 0, 0 }, { 0, 0, 4 }, { 3, 0, 4 } };
    am_polyline path = { corners, 3, 7.0f, 0.0f, 0.0f };
    am_path_metrics m = follow(corners, 3, &path, 1.0f, am_v3_zero());
    check_near(m.path_error_m, 0.0, 1e-5);
    check_near(m.path_cover_max_m, 0.0, 1e-5);
    check_near(m.path_time_ratio, 6.7 / 7.0, 0.01);
    check_near(m.path_end_m, 0.0, 1e-5);
    assert_true(m.path_completed);
}

static void a_parallel_track_is_as_far_as_it_is(void **state)
{
    (void)state;
    am_vec3 corners[] = { { 0, 0, 0 }, { 0, 0, 4 } };
    am_polyline path = { corners, 2, 0.0f, 2.0f, 0.0f };
    am_path_metrics m = follow(corners, 2, &path, 1.0f, am_v3(0.2f, 5.0f, 0.0f)); // heights do not count
    check_near(m.path_error_m, 0.2, 1e-4);
    check_near(m.path_end_m, 0.2, 1e-4);
    assert_true(m.path_completed);
    check_near(m.path_time_ratio, (4.0 - 0.2236) / 2.0, 0.02); // 4 m at 2 m/s would take 2 s
}

static void no_shortcut_pays(void **state)
{
    (void)state;
    am_vec3 corners[] = { { 0, 0, 0 }, { 0, 0, 4 }, { 4, 0, 4 }, { 4, 0, 0 } };
    am_vec3 straight[] = { { 0, 0, 0 }, { 4, 0, 0 } };
    am_polyline path = { corners, 4, 12.0f, 0.0f, 0.0f };
    am_path_metrics m = follow(straight, 2, &path, 1.0f, am_v3_zero());
    check_near(m.path_cover_max_m, 4.0, 1e-3);
    assert_true(m.path_cover_m > 1.9);
    assert_false(m.path_completed); // it is at the end, but did not go the way
    check_near(m.path_end_m, 0.0, 1e-4);
}

/// Whether the bounds of the paths let a track pass.
static bool passes(am_path_metrics m)
{
    return m.path_completed && m.path_error_m <= 0.08 && m.path_cover_m <= 0.08 && m.path_cover_max_m <= 0.35 &&
           m.path_time_ratio <= 1.3;
}

static void standing_the_middle_and_stopping_early_pass_on_no_path(void **state)
{
    (void)state;
    const am_vec3 square[] = { { 0, 0, 0 }, { 0, 0, 3 }, { 3, 0, 3 }, { 3, 0, 0 }, { 0, 0, 0 } };
    const am_vec3 zigzag[] = { { 0, 0, 0 }, { 1, 0, 1 }, { 0, 0, 2 }, { 1, 0, 3 }, { 0, 0, 4 }, { 1, 0, 5 } };
    am_polyline paths[] = { { square, 5, 12.0f, 0.0f, 0.0f }, { zigzag, 6, 7.07f, 0.0f, 0.0f } };
    const am_vec3 shrunk[] = {
        { 0.5f, 0, 0.5f }, { 0.5f, 0, 2.5f }, { 2.5f, 0, 2.5f }, { 2.5f, 0, 0.5f }, { 0, 0, 0 }
    };
    const am_vec3 middle[] = { { 0, 0, 0 }, { 0.5f, 0, 0.5f }, { 0.5f, 0, 4.5f }, { 1, 0, 5 } };
    assert_true(passes(follow(square, 5, &paths[0], 1.0f, am_v3_zero())));
    assert_true(passes(follow(zigzag, 6, &paths[1], 1.0f, am_v3_zero())));
    assert_false(passes(follow(shrunk, 5, &paths[0], 1.0f, am_v3_zero())));
    assert_false(passes(follow(middle, 4, &paths[1], 1.0f, am_v3_zero())));
    for (int p = 0; p < 2; p++) {
        // The last leg is missing; on the round its end is where it began.
        assert_false(passes(follow(paths[p].points, paths[p].count - 1, &paths[p], 1.0f, am_v3_zero())));
        const am_vec3 still[] = { paths[p].points[0], paths[p].points[0] };
        assert_false(passes(follow(still, 2, &paths[p], 1.0f, am_v3_zero())));
        // There in the end, but at half of the speed.
        assert_false(passes(follow(paths[p].points, paths[p].count, &paths[p], 0.5f, am_v3_zero())));
    }
}

static void swinging_about_a_path_is_told_from_walking_beside_it(void **state)
{
    (void)state;
    static am_vec3 places[600];
    am_vec3 ends[] = { { 0, 0, -1 }, { 0, 0, 20 } };
    am_polyline path = { ends, 2, 0.0f, 0.0f, 0.0f };
    am_track track = { places, 600, DT };
    for (int i = 0; i < 600; i++) {
        places[i] = am_v3(0.3f, 0.0f, (float)i * 0.02f);
    }
    check_near(ami_path_oscillation(&track, &path), 0.0, 1e-6); // beside it all the way
    for (int i = 0; i < 600; i++) {
        places[i].x = 0.2f * am_sin(2.0f * AM_PI * (float)i / 300.0f); // once in five seconds
    }
    check_near(ami_path_oscillation(&track, &path), 0.2 / 1.41421356, 0.01);
    am_track nothing = { places, 0, DT };
    check_near(ami_path_oscillation(&nothing, &path), 0.0, 0.0);
}

static void a_round_is_not_over_where_it_begins(void **state)
{
    (void)state;
    am_vec3 corners[] = { { 0, 0, 0 }, { 0, 0, 2 }, { 2, 0, 2 }, { 2, 0, 0 }, { 0, 0, 0 } };
    am_polyline path = { corners, 5, 8.0f, 0.0f, 0.0f };
    am_path_metrics m = follow(corners, 5, &path, 1.0f, am_v3_zero());
    assert_true(m.path_completed);
    check_near(m.path_s, 7.7, 0.05);
    am_path_metrics half = follow(corners, 3, &path, 1.0f, am_v3_zero());
    assert_false(half.path_completed);
    check_near(half.path_s, 4.0, 0.05);
    check_near(half.path_end_m, 2.828, 1e-3);
}

static void a_path_or_track_without_points_measures_nothing(void **state)
{
    (void)state;
    am_vec3 one = { 1, 0, 1 };
    am_track none = { &one, 0, DT };
    am_polyline path = { &one, 1, 1.0f, 0.0f, 0.0f };
    assert_false(am_path_measure(&none, &path).path_completed);
    am_track some = { &one, 1, DT };
    path.count = 0;
    check_near(am_path_measure(&some, &path).path_error_m, 0.0, 0.0);
    assert_true(ami_polyline_distance(&one, 0, one) == (double)INFINITY);
    check_near(ami_polyline_distance(&one, 1, am_v3(1.0f, 9.0f, 3.0f)), 2.0, 1e-6);
}

TEST_SUITE(tracks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_answered_when_the_movement_has_turned),
        cmocka_unit_test(an_answer_that_does_not_stay_is_none),
        cmocka_unit_test(a_target_that_changes_too_soon_is_never_answered),
        cmocka_unit_test(starts_and_stops_are_told_apart),
        cmocka_unit_test(a_small_change_of_the_stick_asks_for_nothing),
        cmocka_unit_test(medians_take_the_turns_that_are_asked_for),
        cmocka_unit_test(a_track_on_the_path_has_no_error),
        cmocka_unit_test(a_parallel_track_is_as_far_as_it_is),
        cmocka_unit_test(no_shortcut_pays),
        cmocka_unit_test(standing_the_middle_and_stopping_early_pass_on_no_path),
        cmocka_unit_test(swinging_about_a_path_is_told_from_walking_beside_it),
        cmocka_unit_test(a_round_is_not_over_where_it_begins),
        cmocka_unit_test(a_path_or_track_without_points_measures_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
