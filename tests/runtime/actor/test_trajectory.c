// Predicted trajectories: springs against the closed form and against small steps, the ablation, heights in a jump,
// and devices.
#include "actor/get.h"
#include "support/world.h"

/// Velocity and position of the character spring of Responsive eq. 10-11 by plain doubles, from rest.
static void closed_form(double *x, double *v, double v_goal, double halflife, double t)
{
    double y = 2.0 * 0.6931471805599453 / halflife;
    double e = exp(-y * t);
    double j0 = -v_goal;
    double j1 = j0 * y;
    *v = (j0 + j1 * t) * e + v_goal;
    // The integral of (j0 + j1 t) exp(-y t) + v_goal.
    *x = (j0 / y + j1 / (y * y)) - e * (j0 / y + j1 / (y * y) + j1 * t / y) + v_goal * t;
}

static const am_query_point *point_at(const am_actor_view *view, float time)
{
    for (int i = 0; i < view->trajectory_count; i++) {
        if (am_abs(view->trajectory[i].time - time) < 1e-5f) {
            return &view->trajectory[i];
        }
    }
    fail();
    return NULL;
}

static void prediction_is_the_closed_form(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    am_intent intent = { .velocity = { 0.0f, 0.0f, 1.5f } };
    am_actor_step(w.character, &intent, DT);
    am_actor_view view = ami_view_of(w.character);
    assert_int_equal(view.trajectory_count, 4); // now and LMM's three
    const float times[] = { 1.0f / 3.0f, 2.0f / 3.0f, 1.0f };
    for (int i = 0; i < 3; i++) {
        double x, v;
        closed_form(&x, &v, 1.5, (double)def.settings.velocity_halflife, (double)times[i]);
        const am_query_point *p = point_at(&view, times[i]);
        check_near(p->position.z, x, 1e-4);
        check_near(p->velocity.z, v, 1e-4);
        check_near(p->position.x, 0.0, 1e-4);
    }
    free_world(&w);
}

static void a_sprint_from_a_stand_first_asks_for_a_walk(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    am_intent intent = { .velocity = { 0.0f, 0.0f, 4.0f } };
    am_actor_step(w.character, &intent, DT);
    am_actor_view view = ami_view_of(w.character);
    assert_true(point_at(&view, 1.0f)->velocity.z < 2.0f);
    for (int i = 0; i < 240; i++) {
        am_actor_step(w.character, &intent, DT);
    }
    view = ami_view_of(w.character);
    assert_true(point_at(&view, 1.0f)->velocity.z > 2.0f);
    free_world(&w);
}

/// What is predicted now for a second ahead is where the point is a second later, whatever the steps.
static void prediction_comes_true_with_any_step(void **state)
{
    (void)state;
    const float steps[] = { 1.0f / 25.0f, 1.0f / 60.0f, 1.0f / 200.0f };
    for (int i = 0; i < 3; i++) {
        world w;
        am_error err = { 0 };
        am_actor_def def = open_world(&w);
        def.settings.root = AM_ROOT_SIMULATION;
        check_ok(am_actor_create(&w.character, &def, &err), &err);
        am_intent walk = { .velocity = { 0.9f, 0.0f, 0.9f } };
        am_intent back = { .velocity = { 0.0f, 0.0f, -1.0f } };
        int count = (int)(1.0f / steps[i] + 0.5f);
        for (int k = 0; k < count; k++) {
            am_actor_step(w.character, &walk, steps[i]);
        }
        am_actor_step(w.character, &back, steps[i]);
        am_actor_view view = ami_view_of(w.character);
        am_query_point ahead = *point_at(&view, 1.0f);
        for (int k = 0; k < count - 1; k++) {
            am_actor_step(w.character, &back, steps[i]);
        }
        view = ami_view_of(w.character);
        am_vec3 there = am_v3_ground(view.simulation.translation);
        assert_true(am_v3_distance(there, am_v3_ground(ahead.position)) < 1e-3f);
        am_vec3 facing = am_quat_rotate(view.simulation.rotation, am_v3(0.0f, 0.0f, 1.0f));
        assert_true(am_v3_distance(facing, ahead.direction) < 1e-2f);
        free_world(&w);
    }
}

/// Largest turning speed (rad/s) of the simulated point on the way to a target behind a body, and the time (s) until
/// it faces there.
static float turn_round(world *w, float *seconds)
{
    am_intent back = { .velocity = { 0.0f, 0.0f, -1.0f } };
    float fastest = 0.0f;
    float before = am_quat_heading(ami_view_of(w->character).simulation.rotation);
    *seconds = 0.0f;
    for (int i = 0; i < 180; i++) {
        am_actor_step(w->character, &back, DT);
        float heading = am_quat_heading(ami_view_of(w->character).simulation.rotation);
        fastest = am_max(fastest, am_abs(am_wrap_angle(heading - before)) / DT);
        before = heading;
        *seconds += am_abs(heading) < AM_PI - 0.2f ? DT : 0.0f;
    }
    return fastest;
}

/// From a stand the feet could not follow the springs' own 480 degrees a second; a walker turns as before.
static void a_standing_character_turns_round_no_faster_than_its_feet_can(void **state)
{
    (void)state;
    float fastest[2], seconds[2];
    for (int walks = 0; walks < 2; walks++) {
        world w;
        am_error err = { 0 };
        am_actor_def def = open_world(&w);
        def.settings.root = AM_ROOT_SIMULATION;
        check_ok(am_actor_create(&w.character, &def, &err), &err);
        am_intent ahead = { .velocity = { 0.0f, 0.0f, walks ? 1.0f : 0.0f } };
        for (int i = 0; i < 60; i++) {
            am_actor_step(w.character, &ahead, DT);
        }
        fastest[walks] = turn_round(&w, &seconds[walks]);
        free_world(&w);
    }
    assert_true(fastest[0] < 4.2f && fastest[1] > 6.0f);
    assert_true(seconds[0] > seconds[1] && seconds[0] < 1.5f);
}

/// A sprinter that is to walk aside loses speed as captured runners do; one that is to stop brakes harder, but not
/// within a stride.
static void a_runner_brakes_before_it_turns_aside_or_stops(void **state)
{
    (void)state;
    const am_vec3 targets[] = { { 1.2f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
    float hardest[2] = { 0.0f, 0.0f };
    for (int i = 0; i < 2; i++) {
        world w;
        am_error err = { 0 };
        am_actor_def def = open_world(&w);
        def.settings.root = AM_ROOT_SIMULATION;
        check_ok(am_actor_create(&w.character, &def, &err), &err);
        am_intent run = { .velocity = { 0.0f, 0.0f, 3.4f } };
        for (int k = 0; k < 300; k++) {
            am_actor_step(w.character, &run, DT);
        }
        assert_true(ami_view_of(w.character).simulation_velocity.z > 3.3f);
        am_intent then = { .velocity = targets[i] };
        float before = 3.4f;
        for (int k = 0; k < 60; k++) {
            am_actor_step(w.character, &then, DT);
            float now = ami_view_of(w.character).simulation_velocity.z;
            hardest[i] = am_max(hardest[i], now > 2.0f ? (before - now) / DT : 0.0f);
            before = now;
        }
        free_world(&w);
    }
    assert_true(hardest[0] < 3.5f);
    assert_true(hardest[1] > hardest[0] && hardest[1] < 6.5f);
}

/// Springs start gently; straight interpolation has its largest acceleration at once.
static void the_ablation_snaps_where_springs_ease(void **state)
{
    (void)state;
    float first[2];
    for (int springs = 0; springs < 2; springs++) {
        world w;
        am_error err = { 0 };
        am_actor_def def = open_world(&w);
        def.settings.springs = springs == 1;
        check_ok(am_actor_create(&w.character, &def, &err), &err);
        am_intent intent = { .velocity = { 0.0f, 0.0f, 1.5f } };
        am_actor_step(w.character, &intent, DT);
        first[springs] = ami_view_of(w.character).simulation_velocity.z / DT;
        for (int i = 0; i < 120; i++) {
            am_actor_step(w.character, &intent, DT);
        }
        check_near(ami_view_of(w.character).simulation_velocity.z, 1.5f, 0.02f);
        free_world(&w);
    }
    assert_true(first[0] > 3.0f * first[1]);
}

static void a_jump_predicts_hips_that_rise_and_come_down(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, 0, 0.5f);
    am_actor_facts facts = ami_facts_of(w.character);
    hold(&w, AM_KEY_J, DT);
    float highest = 0.0f;
    float ground = ami_view_of(w.character).simulation.translation.y;
    for (int i = 0; i < 90 && activity(&w) == AM_ACTIVITY_JUMP; i++) {
        float height = ami_view_of(w.character).simulation.translation.y;
        highest = am_max(highest, height);
        assert_true(height >= facts.hip_m - 0.02f);
        hold(&w, 0, DT);
    }
    // The spring's top lies within a third of the captured rise.
    check_near(highest - ground, facts.jump_rise_m, 0.34f * facts.jump_rise_m);
    free_world(&w);
}

static void keys_are_found_by_name_and_arrows_change_the_speed(void **state)
{
    (void)state;
    for (int i = 0; i < AM_KEY_COUNT; i++) {
        assert_int_equal(ami_key_find(am_key_name(i)), 1u << i);
    }
    assert_int_equal(ami_key_find("arrowup"), AM_KEY_UP);
    assert_int_equal(ami_key_find("x"), 0);
    assert_int_equal(ami_key_find(""), 0);
    assert_int_equal(ami_key_find(NULL), 0);
    am_intent_def def = ami_intent_def_default();
    am_intent_state state_;
    am_intent_state_init(&state_, &def);
    for (int i = 0; i < 600; i++) {
        ami_intent_from_keys(&state_, &def, AM_KEY_UP, DT);
    }
    am_intent fast = ami_intent_from_keys(&state_, &def, AM_KEY_D, DT);
    check_near(fast.velocity.x, -def.sprint_mps, 1e-4f); // no faster than a sprint
    for (int i = 0; i < 600; i++) {
        ami_intent_from_keys(&state_, &def, AM_KEY_DOWN, DT);
    }
    am_intent slow = ami_intent_from_keys(&state_, &def, AM_KEY_W | AM_KEY_A, DT);
    check_near(am_v3_length(slow.velocity), 0.3f, 1e-4f);
    check_near(slow.velocity.x, slow.velocity.z, 1e-6f); // as fast across as straight
    am_intent none = ami_intent_from_keys(&state_, &def, AM_KEY_W | AM_KEY_S, DT);
    check_near(am_v3_length(none.velocity), 0.0f, 0.0f);
}

static void a_stick_at_rest_is_no_target(void **state)
{
    (void)state;
    am_intent_def def = ami_intent_def_default();
    am_intent_state devices;
    am_intent_state_init(&devices, &def);
    am_gamepad pad = { .left = { 0.1f, -0.05f }, .right = { 0.0f, 0.1f } };
    am_intent intent = ami_intent_from_gamepad(&devices, &def, &pad, DT);
    assert_true(am_v3_length(intent.velocity) == 0.0f && am_v3_length(intent.facing) == 0.0f);
    pad.left[0] = 1.0f;
    pad.left[1] = 1.0f; // a corner: no faster than straight
    pad.buttons = AM_KEY_SHIFT | AM_KEY_J;
    intent = ami_intent_from_gamepad(&devices, &def, &pad, DT);
    check_near(am_v3_length(intent.velocity), def.sprint_mps, 1e-4f);
    assert_true(intent.velocity.x < 0.0f && intent.jump && !intent.creep);
    pad.left[0] = NAN;
    intent = ami_intent_from_gamepad(&devices, &def, &pad, DT);
    assert_true(am_v3_length(intent.velocity) == 0.0f);
}

TEST_SUITE(trajectory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prediction_is_the_closed_form),
        cmocka_unit_test(a_sprint_from_a_stand_first_asks_for_a_walk),
        cmocka_unit_test(prediction_comes_true_with_any_step),
        cmocka_unit_test(a_standing_character_turns_round_no_faster_than_its_feet_can),
        cmocka_unit_test(a_runner_brakes_before_it_turns_aside_or_stops),
        cmocka_unit_test(the_ablation_snaps_where_springs_ease),
        cmocka_unit_test(a_jump_predicts_hips_that_rise_and_come_down),
        cmocka_unit_test(keys_are_found_by_name_and_arrows_change_the_speed),
        cmocka_unit_test(a_stick_at_rest_is_no_target),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}
