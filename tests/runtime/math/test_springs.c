// Springs: independence of the step size, the stated half-lives, and agreement with the differential equation.
#include "support/check.h"

#include <math.h>

static void check_v3(am_vec3 got, am_vec3 want, double tolerance)
{
    check_near(got.x, want.x, tolerance);
    check_near(got.y, want.y, tolerance);
    check_near(got.z, want.z, tolerance);
}

static void half_lives_mean_what_they_say(void **unused)
{
    (void)unused;
    float x = 1.0f, v = 0.0f;
    am_decay_f(&x, &v, 0.25f, 0.25f);
    check_near(x, 0.5966, 1e-4); // (1 + 2 ln 2) / 4
    am_decay_f(&x, &v, 0.25f, 0.25f);
    check_near(x, 0.2358, 1e-4);
}

static void decay_ignores_step_size(void **unused)
{
    (void)unused;
    for (float halflife = 0.01f; halflife < 2.0f; halflife *= 1.7f) {
        float x1 = 1.5f, v1 = -3.0f, x2 = 1.5f, v2 = -3.0f;
        am_decay_f(&x1, &v1, halflife, 0.1f);
        for (int i = 0; i < 10; i++) {
            am_decay_f(&x2, &v2, halflife, 0.01f);
        }
        check_near(x1, x2, 2e-6);
        check_near(v1, v2, 2e-5);
    }
}

static void spring_two_half_steps_equal_one(void **unused)
{
    (void)unused;
    am_vec3 goal = am_v3(1.0f, -2.0f, 0.5f), drift = am_v3(0.3f, 0.0f, -1.0f);
    am_vec3 x1 = am_v3(0.0f, 1.0f, 3.0f), v1 = am_v3(4.0f, -1.0f, 0.0f), x2 = x1, v2 = v1;
    am_spring_v3(&x1, &v1, goal, 0.2f, 0.1f);
    am_spring_v3(&x2, &v2, goal, 0.2f, 0.05f);
    am_spring_v3(&x2, &v2, goal, 0.2f, 0.05f);
    check_v3(x2, x1, 2e-6);
    check_v3(v2, v1, 2e-5);
    am_spring_moving_v3(&x1, &v1, goal, drift, 0.2f, 0.1f);
    am_spring_moving_v3(&x2, &v2, goal, drift, 0.2f, 0.05f);
    am_spring_moving_v3(&x2, &v2, goal, drift, 0.2f, 0.05f);
    check_v3(x2, x1, 4e-6);
    check_v3(v2, v1, 4e-5);
}

static void vector_springs_repeat_the_scalar_ones(void **unused)
{
    (void)unused;
    am_vec3 x = am_v3(0.2f, 1.0f, -1.0f), v = am_v3(1.0f, 0.0f, 2.0f);
    float fx = x.z, fv = v.z;
    am_decay_v3(&x, &v, 0.3f, 0.02f);
    am_decay_f(&fx, &fv, 0.3f, 0.02f);
    assert_true(fx == x.z && fv == v.z);
    am_spring_v3(&x, &v, am_v3(0.0f, 0.0f, 5.0f), 0.3f, 0.02f);
    am_spring_f(&fx, &fv, 5.0f, 0.3f, 0.02f);
    assert_true(fx == x.z && fv == v.z);
    am_spring_moving_v3(&x, &v, am_v3(0.0f, 0.0f, 5.0f), am_v3(0.0f, 0.0f, 2.0f), 0.3f, 0.02f);
    am_spring_moving_f(&fx, &fv, 5.0f, 2.0f, 0.3f, 0.02f);
    assert_true(fx == x.z && fv == v.z);
    am_vec3 a = am_v3(0.0f, 1.0f, -4.0f);
    float fa = a.z;
    am_spring_character_v3(&x, &v, &a, am_v3(1.0f, 0.0f, 3.0f), 0.3f, 0.02f);
    am_spring_character_f(&fx, &fv, &fa, 3.0f, 0.3f, 0.02f);
    assert_true(fx == x.z && fv == v.z && fa == a.z);
}

static void closed_forms_solve_the_equation_of_motion(void **unused)
{
    (void)unused;
    // x'' = (d^2 / 4) (goal - x) + d (goal velocity - v), integrated in double with a tiny step.
    const double halflife = 0.3, d = 4.0 * 0.69314718055994531 / halflife, goal = 2.0, drift = 0.7, span = 0.4;
    double x = -1.0, v = 0.5;
    const int steps = 400000;
    for (int i = 0; i < steps; i++) {
        double dt = span / steps;
        double middle_x = x + 0.5 * dt * v;
        double middle_v = v + 0.5 * dt * (d * d / 4.0 * (goal - x) + d * (drift - v));
        x += dt * middle_v;
        v += dt * (d * d / 4.0 * (goal - middle_x) + d * (drift - middle_v));
    }
    float fx = -1.0f, fv = 0.5f;
    am_spring_moving_f(&fx, &fv, (float)goal, (float)drift, (float)halflife, (float)span);
    check_near(fx, x, 3e-6);
    check_near(fv, v, 2e-5);
}

static void a_moving_goal_is_followed(void **unused)
{
    (void)unused;
    // Against a goal that moves at 2 m/s the plain spring trails far behind; with the goal's velocity it does not.
    float x = 0.0f, v = 0.0f, plain_x = 0.0f, plain_v = 0.0f;
    const float dt = 1.0f / 240.0f;
    for (int i = 0; i < 1200; i++) {
        float goal = 2.0f * dt * (float)i;
        am_spring_moving_f(&x, &v, goal, 2.0f, 0.2f, dt);
        am_spring_f(&plain_x, &plain_v, goal, 0.2f, dt);
    }
    check_near(x, 10.0, 0.02);
    check_near(v, 2.0, 0.02);
    assert_true(plain_x < 9.6f);
}

static void character_position_is_the_integral_of_its_velocity(void **unused)
{
    (void)unused;
    // From long half-lives, where the closed form alone would cancel away, to instant ones.
    const float halflives[] = { 1e-6f, 0.01f, 0.1f, 0.27f, 1.0f, 20.0f, 1000.0f };
    for (size_t h = 0; h < sizeof halflives / sizeof halflives[0]; h++) {
        float x = 0.3f, v = -1.0f, a = 2.0f;
        am_spring_character_f(&x, &v, &a, 3.0f, halflives[h], 0.5f);
        double y = 2.0 * 0.69314718055994531 / fmax((double)halflives[h], 1e-5), sum = 0.0;
        double j0 = -1.0 - 3.0, j1 = 2.0 + j0 * y;
        const int steps = 200000;
        for (int i = 0; i < steps; i++) { // the middle of each slice
            double t = 0.5 * (i + 0.5) / steps;
            sum += 3.0 + (j0 + j1 * t) * exp(-y * t);
        }
        // Slices of 2.5 microseconds are coarse beside the shortest spring.
        check_near(x, 0.3 + sum * 0.5 / steps, halflives[h] < 1e-4f ? 1e-4 : 1e-6);
        check_near(v, 3.0 + (j0 + j1 * 0.5) * exp(-y * 0.5), 2e-6);
        check_near(a, (2.0 - j1 * y * 0.5) * exp(-y * 0.5), 4e-5);
    }
}

static void character_ignores_step_size(void **unused)
{
    (void)unused;
    am_vec3 x1 = am_v3_zero(), v1 = am_v3(1.0f, 0.0f, -2.0f), a1 = am_v3(0.0f, 3.0f, 1.0f);
    am_vec3 x2 = x1, v2 = v1, a2 = a1, goal = am_v3(0.0f, 0.0f, 4.0f);
    am_spring_character_v3(&x1, &v1, &a1, goal, 0.27f, 0.4f);
    for (int i = 0; i < 8; i++) {
        am_spring_character_v3(&x2, &v2, &a2, goal, 0.27f, 0.05f);
    }
    check_v3(x2, x1, 3e-6);
    check_v3(v2, v1, 1e-5);
    check_v3(a2, a1, 1e-4);
}

static void rotations_decay_like_vectors(void **unused)
{
    (void)unused;
    am_vec3 axis = am_v3(0.3f, -0.5f, 0.2f), v = am_v3(1.0f, 0.5f, -2.0f);
    am_quat q = am_quat_from_scaled_axis(axis);
    am_vec3 w = v;
    am_decay_quat(&q, &w, 0.2f, 0.1f);
    am_decay_v3(&axis, &v, 0.2f, 0.1f);
    check_v3(am_quat_to_scaled_axis(q), axis, 1e-6);
    check_v3(w, v, 1e-5);

    am_quat q1 = am_quat_from_euler("zyx", 1.0f, 0.4f, -0.3f), q2 = q1, goal = am_quat_from_heading(2.0f);
    am_vec3 w1 = am_v3(0.0f, 1.0f, 0.0f), w2 = w1;
    am_spring_quat(&q1, &w1, goal, 0.3f, 0.2f);
    am_spring_quat(&q2, &w2, goal, 0.3f, 0.1f);
    am_spring_quat(&q2, &w2, goal, 0.3f, 0.1f);
    check_near(am_quat_angle(q1, q2), 0.0, 2e-6);
    check_v3(w2, w1, 1e-5);
    am_spring_quat(&q1, &w1, goal, 0.05f, 10.0f);
    check_near(am_quat_angle(q1, goal), 0.0, 1e-6);
    // The other sign of the same rotation does not send it the long way round.
    am_quat minus = am_quat_neg(am_quat_from_heading(0.1f));
    am_vec3 still = am_v3_zero();
    am_spring_quat(&minus, &still, am_quat_identity(), 0.3f, 0.05f);
    assert_true(am_quat_angle(minus, am_quat_identity()) < 0.1f);
}

static void extremes_stay_finite(void **unused)
{
    (void)unused;
    const float halflives[] = { 0.0f, 1e-30f, 1e-5f, 1.0f, 1e30f, INFINITY };
    const float steps[] = { 0.0f, 1e-30f, 0.016f, 1e6f };
    for (size_t h = 0; h < sizeof halflives / sizeof halflives[0]; h++) {
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            float x = 1.0f, v = 2.0f, a = 3.0f;
            am_spring_f(&x, &v, 5.0f, halflives[h], steps[s]);
            assert_true(isfinite(x) && isfinite(v));
            am_spring_character_f(&x, &v, &a, 5.0f, halflives[h], steps[s]);
            assert_true(isfinite(x) && isfinite(v) && isfinite(a));
        }
        float x = 1.0f, v = 2.0f;
        am_decay_f(&x, &v, halflives[h], 0.0f);
        check_near(x, 1.0, 0.0);
        check_near(v, 2.0, 0.0);
    }
    float x = 1.0f, v = 0.0f;
    am_spring_f(&x, &v, 5.0f, 0.0f, 1.0f / 60.0f);
    check_near(x, 5.0, 0.0);
}

TEST_SUITE(springs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_lives_mean_what_they_say),
        cmocka_unit_test(decay_ignores_step_size),
        cmocka_unit_test(spring_two_half_steps_equal_one),
        cmocka_unit_test(vector_springs_repeat_the_scalar_ones),
        cmocka_unit_test(closed_forms_solve_the_equation_of_motion),
        cmocka_unit_test(a_moving_goal_is_followed),
        cmocka_unit_test(character_position_is_the_integral_of_its_velocity),
        cmocka_unit_test(character_ignores_step_size),
        cmocka_unit_test(rotations_decay_like_vectors),
        cmocka_unit_test(extremes_stay_finite),
    };
    return cmocka_run_group_tests_name("springs", tests, NULL, NULL);
}
