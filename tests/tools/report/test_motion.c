// Novelty, standing and steps on procedural clips whose truth is known, each with a fault planted that it must see.
#include "report/played.h"
#include "base/budget.h"
#include "report/reference.h"

// ---------------------------------------------------------------------------------------------
// Novelty

static void captured_motion_is_no_news(void **state)
{
    (void)state;
    for (int c = 0; c < shared_reference->clip_count; c += 7) {
        am_motion clip = ami_reference_clip(shared_reference, c);
        assert_true(ami_novelty_at(shared_reference, &clip, 0.4f, false) < 0.01f);
        am_novelty all = am_novelty_measure(shared_reference, &clip);
        assert_true(all.windows > 0 && all.max_cm < 0.5f); // windows between captured ones are a sixtieth away
    }
}

/// Turned, moved, taller, on a higher floor, and left for right.
static void place_size_floor_and_side_do_not_count(void **state)
{
    (void)state;
    am_motion clip = ami_reference_clip(shared_reference, 8);
    size_t count = (size_t)clip.frames * AM_POINT_COUNT;
    am_vec3 *points = calloc(count, sizeof *points);
    am_quat turn = am_quat_from_heading(2.0f);
    for (size_t i = 0; i < count; i++) {
        int p = (int)(i % AM_POINT_COUNT);
        size_t from = p < AM_POINT_LEFT_THIGH ? i : (p & 1) == 0 ? i + 1 : i - 1;
        am_vec3 v = clip.points[from];
        v = am_v3_scale(am_v3(-v.x, v.y, v.z), 1.3f);
        points[i] = am_v3_add(am_quat_rotate(turn, v), am_v3(5.0f, 0.4f, -7.0f));
    }
    am_motion other = clip;
    other.points = points;
    other.body.leg_m *= 1.3f;
    other.floor.toe_m = 1.3f * clip.floor.toe_m + 0.4f;
    assert_true(ami_novelty_at(shared_reference, &other, 0.4f, false) < 0.02f);
    assert_true(ami_novelty_at(shared_reference, &other, 0.9f, false) < 0.02f);
    other.floor.toe_m -= 0.1f; // ten centimetres above the ground
    assert_true(ami_novelty_at(shared_reference, &other, 0.4f, false) > 3.0f);
    free(points);
}

/// Three samples a second, at another rate, bent and straight: all the same as by looking at every window.
static void the_search_is_exact(void **state)
{
    (void)state;
    const am_synth_kind kinds[] = { AM_SYNTH_WANDER, AM_SYNTH_CORNER, AM_SYNTH_JUMP };
    int compared = 0;
    for (int k = 0; k < 3; k++) {
        played p;
        play(&p, kinds[k], 6.0f, 77);
        for (int f = 0; k == 1 && f < p.motion.frames; f++) {
            *point(&p, f, AM_POINT_HEAD) = am_v3(0.0f, 0.1f * (float)(f % 17), 0.0f);
        }
        for (int i = 0; i < 7; i++) {
            float t = 0.4f + 0.71f * (float)i;
            float quick = ami_novelty_at(shared_reference, &p.motion, t, false);
            float truth = ami_novelty_at(shared_reference, &p.motion, t, true);
            assert_true(quick >= 0.0f);
            check_near((double)quick, (double)truth, 0.0);
            compared++;
        }
        stop_playing(&p);
    }
    assert_true(compared > 15);
}

static void a_skipped_clip_is_compared_with_the_others(void **state)
{
    (void)state;
    am_motion clip = ami_reference_clip(shared_reference, 8);
    ami_reference_skip(shared_reference, 8);
    float quick = ami_novelty_at(shared_reference, &clip, 2.0f, false);
    check_near((double)quick, (double)ami_novelty_at(shared_reference, &clip, 2.0f, true), 0.0);
    ami_reference_skip(shared_reference, -1);
    assert_true(quick > 0.1f && ami_novelty_at(shared_reference, &clip, 2.0f, false) < 0.01f);
}

static void a_glide_is_news(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_WALK, 6.0f, 3);
    am_novelty walk = am_novelty_measure(shared_reference, &p.motion);
    freeze(&p, 60, am_v3(0.0f, 0.0f, 1.2f));
    am_novelty glide = am_novelty_measure(shared_reference, &p.motion);
    assert_int_equal(walk.windows, glide.windows);
    assert_true(walk.median_cm < 3.0f && glide.median_cm > 3.0f * walk.median_cm);
    assert_true(glide.max_s > 1.0f);
    stop_playing(&p);
}

static void windows_end_with_the_motion(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_WALK, 2.0f, 3);
    assert_true(ami_novelty_at(shared_reference, &p.motion, 0.39f, false) < 0.0f);
    assert_true(ami_novelty_at(shared_reference, &p.motion, 1.7f, false) < 0.0f);
    p.motion.frames = 40;
    assert_int_equal(am_novelty_measure(shared_reference, &p.motion).windows, 0);
    stop_playing(&p);
}

// ---------------------------------------------------------------------------------------------
// Standing

static am_standing stand_of(const played *p)
{
    am_stand_span stands[8];
    int count = am_stands_find(stands, 8, &p->motion, p->targets);
    assert_int_equal(count, 1);
    return am_standing_measure(&p->motion, stands, count);
}

static void a_standing_character_stays(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 20.0f, 1);
    am_standing s = stand_of(&p);
    check_near((double)s.seconds, 19.0, 0.1);
    assert_true(s.drift_m < 0.015f && s.turn_deg < 1.0f); // its weight shifts by a centimetre
    assert_true(s.bob_cm < 0.3f);
    stop_playing(&p);
}

static void drifting_while_standing_is_seen(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 20.0f, 1);
    float whole = (float)p.motion.frames - 61.0f; // from a second on
    for (int f = 60; f < p.motion.frames; f++) {
        shift(&p, f, am_v3(0.0f, 0.0f, 0.3f * ((float)f - 60.0f) / whole), false);
    }
    check_near((double)stand_of(&p).drift_m, 0.3, 0.015);
    stop_playing(&p);
}

static void turning_while_standing_is_seen(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 20.0f, 1);
    float whole = (float)p.motion.frames - 61.0f;
    for (int f = 60; f < p.motion.frames; f++) {
        am_quat turn = am_quat_from_heading(48.0f * AM_DEG * ((float)f - 60.0f) / whole);
        for (int i = 0; i < AM_POINT_COUNT; i++) {
            *point(&p, f, i) = am_quat_rotate(turn, *point(&p, f, i));
        }
    }
    check_near((double)stand_of(&p).turn_deg, 48.0, 1.5);
    stop_playing(&p);
}

static void bobbing_knees_are_seen(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 20.0f, 1);
    for (int f = 0; f < p.motion.frames; f++) {
        shift(&p, f, am_v3(0.0f, 0.02f * am_sin(AM_PI * (float)f / 60.0f), 0.0f), true); // every 2 s
    }
    check_near((double)stand_of(&p).bob_cm, 1.414, 0.15);
    stop_playing(&p);
}

static void a_statue_has_no_life(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 20.0f, 1);
    assert_true(stand_of(&p).hands_cm > 0.05f);
    freeze(&p, 0, am_v3_zero());
    am_standing s = stand_of(&p);
    assert_true(s.hands_cm < 1e-3f && s.head_cm < 1e-3f && s.sway_cm < 1e-3f && s.bob_cm < 1e-3f);
    stop_playing(&p);
}

static void stops_end_in_a_stand(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_START_STOP, 12.0f, 5);
    for (int f = 0; f < p.motion.frames; f++) { // what a user would have asked for 0.3 s before
        int then = f + 18 < p.motion.frames ? f + 18 : p.motion.frames - 1;
        p.targets[f] = am_v3(0.0f, 0.0f, p.synth.truth[then].speed > 0.5f ? 1.4f : 0.0f);
    }
    am_standing_limits limits = am_standing_limits_default(); // procedural stands are all alike: no percentiles
    am_stand_span stands[8];
    int count = am_stands_find(stands, 8, &p.motion, p.targets);
    int judged = 0;
    for (int i = 0; i < count; i++) {
        int rest = stands[i].stop ? am_stand_rest(&p.motion, &stands[i]) : -1;
        if (rest >= 15 && p.synth.truth[rest - 15].speed < 0.01f) { // some of its stops are only a pause in stride
            assert_int_equal(am_posture_check(&p.motion, rest, &limits), 0);
            judged++;
        }
    }
    assert_true(judged > 0);
    stop_playing(&p);
}

/// The widest stride of a walk, held for ever.
static void a_stop_in_mid_stride_is_bad(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_WALK, 8.0f, 5);
    int widest = 120;
    for (int f = 120; f < 240; f++) {
        widest = ami_posture_of(&p.motion, f).ankles > ami_posture_of(&p.motion, widest).ankles ? f : widest;
    }
    freeze(&p, widest, am_v3_zero());
    memset(p.targets + widest - 20, 0, (size_t)(p.motion.frames - widest + 20) * sizeof *p.targets);
    am_stand_span stand;
    assert_int_equal(am_stands_find(&stand, 1, &p.motion, p.targets), 1);
    assert_true(stand.stop);
    int rest = am_stand_rest(&p.motion, &stand);
    assert_true(rest > widest);
    assert_true((am_posture_check(&p.motion, rest, am_reference_standing(shared_reference)) & AM_BAD_ANKLES) != 0);
    am_standing_limits usual = am_standing_limits_default();
    assert_true((am_posture_check(&p.motion, rest, &usual) & AM_BAD_ANKLES) != 0);
    for (int f = widest; f < p.motion.frames; f++) {
        shift(&p, f, am_v3(0.0f, -0.2f, 0.0f), true);
    }
    assert_true((am_posture_check(&p.motion, rest, &usual) & AM_BAD_HIPS) != 0);
    stop_playing(&p);
}

// ---------------------------------------------------------------------------------------------
// Steps

/// Landings by the truth: contacts of a foot that begin.
static int true_landings(const played *p)
{
    int count = 0;
    const unsigned left = AM_SYNTH_LEFT_TOE | AM_SYNTH_LEFT_HEEL;
    const unsigned right = AM_SYNTH_RIGHT_TOE | AM_SYNTH_RIGHT_HEEL;
    for (int f = 1; f < p->motion.frames; f++) {
        unsigned now = p->synth.truth[f].contacts;
        unsigned before = p->synth.truth[f - 1].contacts;
        count += (now & left) != 0 && (before & left) == 0;
        count += (now & right) != 0 && (before & right) == 0;
    }
    return count;
}

static void steps_are_those_of_the_truth(void **state)
{
    (void)state;
    const am_synth_kind kinds[] = { AM_SYNTH_WALK, AM_SYNTH_JOG, AM_SYNTH_RUN };
    for (int k = 0; k < 3; k++) {
        played p;
        play(&p, kinds[k], 8.0f, 9);
        am_stepping s = am_stepping_measure(&p.motion, am_reference_steps(shared_reference));
        assert_true(abs(s.steps - true_landings(&p)) <= 2); // the ends of the clip
        assert_int_equal(s.steps_repeated, 0);
        assert_true(s.steps_odd <= 1);
        assert_int_equal(s.glides, 0);
        // The database has few steps as quick as the run's.
        assert_true(k == 2 || (s.step_ratio > 0.8f && s.step_ratio < 1.25f));
        stop_playing(&p);
    }
}

static void a_glide_has_no_steps(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 6.0f, 1);
    freeze(&p, 0, am_v3(0.0f, 0.0f, 1.2f));
    am_stepping s = am_stepping_measure(&p.motion, am_reference_steps(shared_reference));
    assert_int_equal(s.steps, 0);
    assert_int_equal(s.glides, 1);
    check_near((double)s.glide_s, 6.0, 0.1);
    stop_playing(&p);
}

static void hops_on_one_foot_are_repeated(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_WALK, 8.0f, 9);
    for (int f = 0; f < p.motion.frames; f++) {
        for (int i = AM_POINT_LEFT_ANKLE; i < AM_POINT_COUNT; i += 2) {
            point(&p, f, i)->y += 0.3f;
        }
    }
    am_stepping s = am_stepping_measure(&p.motion, NULL);
    assert_true(s.steps > 3 && s.steps_repeated >= s.steps - 1);
    stop_playing(&p);
}

static void strides_of_another_speed_are_odd(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_WALK, 8.0f, 9);
    for (int f = 0; f < p.motion.frames; f++) {
        for (int i = 0; i < AM_POINT_COUNT; i++) { // twice as quick over the ground, with steps twice as long
            point(&p, f, i)->z *= 1.8f;
        }
    }
    am_stepping s = am_stepping_measure(&p.motion, am_reference_steps(shared_reference));
    assert_true(s.steps_odd * 2 > s.steps);
    assert_true(s.step_ratio > 1.15f);
    stop_playing(&p);
}

// ---------------------------------------------------------------------------------------------
// Creation

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_error err = { 0 };
    for (size_t n = 1; n <= 4; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_reference_def def = am_reference_def_default();
        def.db = shared_db;
        def.alloc = &alloc;
        am_reference *reference = NULL;
        am_result result = am_reference_create(&reference, &def, &err);
        assert_int_equal(result, n <= 3 ? AM_ERR_MEMORY : AM_OK); // itself, what is usual, the axes
        am_reference_destroy(reference);
        assert_int_equal(budget.live_count, 0);
    }
}

static void a_reference_needs_poses_and_feet(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_reference *reference = NULL;
    am_reference_def def = { 0 };
    check_refused(am_reference_create(&reference, &def, &err), AM_ERR_DEF);
    am_db toeless = *shared_db;
    toeless.roles.joint[AM_ROLE_LEFT_TOE] = -1;
    def = am_reference_def_default();
    def.db = &toeless;
    check_refused(am_reference_create(&reference, &def, &err), AM_ERR_SUPPORT);
    am_db bare = *shared_db;
    bare.has_poses = false;
    def.db = &bare;
    check_refused(am_reference_create(&reference, &def, &err), AM_ERR_SUPPORT);
    assert_non_null(strstr(err.text, "synth"));
}

/// A character without hands is compared by its other points.
static void missing_points_are_left_out(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_body body = am_body_find(shared_db->skeleton, &shared_db->roles);
    body.has &= ~(1u << AM_POINT_LEFT_HAND | 1u << AM_POINT_RIGHT_HAND | 1u << AM_POINT_HEAD);
    am_reference_def def = am_reference_def_default();
    def.db = shared_db;
    def.body = &body;
    am_reference *reference = NULL;
    check_ok(am_reference_create(&reference, &def, &err), &err);
    played p;
    play(&p, AM_SYNTH_WALK, 4.0f, 3);
    float before = ami_novelty_at(reference, &p.motion, 2.0f, false);
    for (int f = 0; f < p.motion.frames; f++) {
        *point(&p, f, AM_POINT_LEFT_HAND) = am_v3_zero();
    }
    check_near((double)ami_novelty_at(reference, &p.motion, 2.0f, false), (double)before, 0.0);
    stop_playing(&p);
    am_reference_destroy(reference);
}

TEST_SUITE(motion)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_motion_is_no_news),
        cmocka_unit_test(place_size_floor_and_side_do_not_count),
        cmocka_unit_test(the_search_is_exact),
        cmocka_unit_test(a_skipped_clip_is_compared_with_the_others),
        cmocka_unit_test(a_glide_is_news),
        cmocka_unit_test(windows_end_with_the_motion),
        cmocka_unit_test(a_standing_character_stays),
        cmocka_unit_test(drifting_while_standing_is_seen),
        cmocka_unit_test(turning_while_standing_is_seen),
        cmocka_unit_test(bobbing_knees_are_seen),
        cmocka_unit_test(a_statue_has_no_life),
        cmocka_unit_test(stops_end_in_a_stand),
        cmocka_unit_test(a_stop_in_mid_stride_is_bad),
        cmocka_unit_test(steps_are_those_of_the_truth),
        cmocka_unit_test(a_glide_has_no_steps),
        cmocka_unit_test(hops_on_one_foot_are_repeated),
        cmocka_unit_test(strides_of_another_speed_are_odd),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(a_reference_needs_poses_and_feet),
        cmocka_unit_test(missing_points_are_left_out),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
