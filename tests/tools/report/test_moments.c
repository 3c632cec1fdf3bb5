// Starts, stops, turns, jumps and pushes on procedural clips, each with a fault planted that it must see.
#include "report/played.h"

// ---------------------------------------------------------------------------------------------
// Starts, stops, turns, jumps

/// The frame in which a start of a start_stop clip begins.
static int find_start(const played *p)
{
    int f = 1;
    while (f < p->motion.frames && !(p->synth.truth[f - 1].speed < 0.05f && p->synth.truth[f].speed >= 0.05f)) {
        f++;
    }
    assert_true(f + 90 < p->motion.frames);
    return f;
}

static uint32_t odd_start(const played *p, int frame)
{
    am_moment moment = { (float)frame / 60.0f, 1e9f, 1.4f };
    return am_moment_check(&p->motion, &moment);
}

static void a_start_by_steps_is_not_odd(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_START_STOP, 12.0f, 5);
    assert_int_equal(odd_start(&p, find_start(&p)), 0);
    stop_playing(&p);
}

static void a_crouch_and_leap_is_odd(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_START_STOP, 12.0f, 5);
    int start = find_start(&p);
    for (int f = 0; f < 30; f++) { // from 1.0 to 0.85 m, as in a wind-up
        shift(&p, start + f, am_v3(0.0f, -0.15f * am_sin(AM_PI * (float)f / 30.0f), 0.0f), true);
    }
    assert_int_equal(odd_start(&p, start), AM_ODD_CROUCH);
    for (int f = 30; f < 50; f++) { // a third of a second in the air
        shift(&p, start + f, am_v3(0.0f, 0.15f, 0.0f), false);
    }
    assert_int_equal(odd_start(&p, start), AM_ODD_CROUCH | AM_ODD_FLIGHT);
    assert_string_equal(am_odd_name(AM_ODD_CROUCH | AM_ODD_FLIGHT), "crouch");
    assert_null(am_odd_name(0));
    stop_playing(&p);
}

static void a_lunge_and_a_lean_are_odd(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_START_STOP, 12.0f, 5);
    int start = find_start(&p);
    for (int f = start + 20; f < start + 60; f++) {
        for (int i = AM_POINT_LEFT_ARM; i <= AM_POINT_RIGHT_ARM; i++) {
            point(&p, f, i)->z += 0.6f;
        }
    }
    assert_int_equal(odd_start(&p, start), AM_ODD_LEAN);
    for (int f = start; f < p.motion.frames; f++) {
        shift(&p, f, am_v3(0.0f, 0.0f, 3.0f * am_min((float)(f - start) / 60.0f, 1.0f)), false);
    }
    assert_true((odd_start(&p, start) & AM_ODD_LUNGE) != 0);
    stop_playing(&p);
    play(&p, AM_SYNTH_START_STOP, 12.0f, 5);
    for (int f = start; f < p.motion.frames; f++) { // 0.2 m within a tenth of a second, and no further
        shift(&p, f, am_v3(0.0f, 0.0f, am_min(2.0f * (float)(f - start) / 60.0f, 0.2f)), false);
    }
    assert_int_equal(odd_start(&p, start), AM_ODD_LUNGE);
    stop_playing(&p);
}

static void a_jump_winds_up_and_flies(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_JUMP, 9.0f, 1);
    int off = 1;
    while (off < p.motion.frames && p.synth.truth[off].contacts != 0) {
        off++;
    }
    assert_true(off > 60 && off < p.motion.frames - 60);
    am_moment jump = { (float)(off - 50) / 60.0f, 1e9f, 0.0f };
    assert_int_equal(am_jump_check(&p.motion, &jump), 0);
    jump.t = (float)(off - 4) / 60.0f;
    assert_int_equal(am_jump_check(&p.motion, &jump), AM_ODD_NO_WIND_UP);
    jump.t = (float)(off - 50) / 60.0f;
    jump.speed_mps = 1.2f; // it should have moved on
    assert_int_equal(am_jump_check(&p.motion, &jump), AM_ODD_HALT);
    stop_playing(&p);
    play(&p, AM_SYNTH_STAND, 4.0f, 1);
    jump = (am_moment){ 1.0f, 1e9f, 0.0f };
    assert_int_equal(am_jump_check(&p.motion, &jump), AM_ODD_NO_FLIGHT);
    stop_playing(&p);
}

// ---------------------------------------------------------------------------------------------
// Pushes

/// A standing character whose body above the ankles is off by a way that begins at 1 s, lasts and comes back.
static void tip(played *p, float way, float out_s, float back_s)
{
    for (int f = 60; f < p->motion.frames; f++) {
        float t = (float)(f - 60) / 60.0f;
        float share = am_clamp(t / out_s, 0.0f, 1.0f) - am_clamp((t - 0.6f) / back_s, 0.0f, 1.0f);
        shift(p, f, am_v3(0.0f, 0.0f, way * share), true);
    }
}

static void a_standing_character_is_in_balance(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    am_balance b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    assert_true(b.slide_cm < 0.5f && b.steps == 0 && b.balance_s == 0.0f && b.beyond_cm == 0.0f);
    stop_playing(&p);
}

static void a_body_that_tips_is_out_of_balance(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    tip(&p, 0.5f, 0.3f, 0.6f);
    am_balance b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    assert_true(b.beyond_cm > 20.0f);
    assert_true(b.balance_s > 0.6f && b.balance_s < 1.6f);
    assert_int_equal(b.steps, 0);
    stop_playing(&p);
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    tip(&p, 0.5f, 0.3f, 100.0f);
    b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    assert_true(b.balance_s == INFINITY);
    stop_playing(&p);
}

static void feet_that_slide_under_a_push_are_seen(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    for (int f = 60; f < p.motion.frames; f++) {
        shift(&p, f, am_v3(0.0f, 0.0f, 0.2f * am_min((float)(f - 60) / 30.0f, 1.0f)), false);
    }
    am_balance b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    check_near((double)b.slide_cm, 20.0, 1.0);
    stop_playing(&p);
}

/// Both feet leave the ground and land half a metre on, as when a body is dragged.
static void feet_that_are_dragged_take_no_step(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    for (int f = 60; f < p.motion.frames; f++) {
        float t = am_clamp(((float)f - 66.0f) / 20.0f, 0.0f, 1.0f);
        shift(&p, f, am_v3(0.0f, 0.06f * am_sin(AM_PI * t), 0.5f * t), false);
    }
    assert_int_equal(am_balance_measure(&p.motion, 1.0f, am_v3_zero()).steps, 0);
    stop_playing(&p);
}

static void a_step_catches_the_fall(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    for (int f = 60; f < p.motion.frames; f++) {
        float t = am_clamp((float)(f - 60) / 60.0f, 0.0f, 1.0f);
        shift(&p, f, am_v3(0.0f, 0.0f, 0.25f * t), true);
        float swing = am_clamp(((float)f - 66.0f) / 24.0f, 0.0f, 1.0f);
        am_vec3 step = am_v3(0.0f, 0.12f * am_sin(AM_PI * swing), 0.5f * swing);
        for (int i = AM_POINT_LEFT_ANKLE; i < AM_POINT_COUNT; i += 2) {
            bool foot = i <= AM_POINT_LEFT_TOE || i == AM_POINT_LEFT_HEEL;
            *point(&p, f, i) = foot ? am_v3_add(*point(&p, f, i), step) : *point(&p, f, i);
        }
    }
    am_balance b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    assert_int_equal(b.steps, 1);
    assert_true(b.balance_s < 1.0f);
    assert_true(b.slide_cm < 6.0f); // until it is off the ground
    stop_playing(&p);
}

/// A push comes just before a foot lands that is swinging already: that landing is the answer's first step.
static void the_step_that_a_walk_is_taking_counts(void **state)
{
    (void)state;
    played p;
    play(&p, AM_SYNTH_STAND, 5.0f, 1);
    for (int f = 0; f < p.motion.frames; f++) {
        float swing = am_clamp(((float)f - 30.0f) / 33.0f, 0.0f, 1.0f); // at frame 60 it is 4 cm from where it lands
        am_vec3 off = am_v3(0.0f, 0.12f * am_sin(AM_PI * swing), 0.4f * (swing - 1.0f));
        for (int i = AM_POINT_LEFT_ANKLE; i < AM_POINT_COUNT; i += 2) {
            bool foot = i <= AM_POINT_LEFT_TOE || i == AM_POINT_LEFT_HEEL;
            *point(&p, f, i) = foot ? am_v3_add(*point(&p, f, i), off) : *point(&p, f, i);
        }
    }
    tip(&p, 0.5f, 0.3f, 100.0f);
    am_balance b = am_balance_measure(&p.motion, 1.0f, am_v3_zero());
    assert_true(b.balance_s == INFINITY);
    assert_int_equal(b.steps, 1);
    stop_playing(&p);
}

TEST_SUITE(moments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_by_steps_is_not_odd),
        cmocka_unit_test(a_crouch_and_leap_is_odd),
        cmocka_unit_test(a_lunge_and_a_lean_are_odd),
        cmocka_unit_test(a_jump_winds_up_and_flies),
        cmocka_unit_test(a_standing_character_is_in_balance),
        cmocka_unit_test(a_body_that_tips_is_out_of_balance),
        cmocka_unit_test(feet_that_slide_under_a_push_are_seen),
        cmocka_unit_test(feet_that_are_dragged_take_no_step),
        cmocka_unit_test(a_step_catches_the_fall),
        cmocka_unit_test(the_step_that_a_walk_is_taking_counts),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
