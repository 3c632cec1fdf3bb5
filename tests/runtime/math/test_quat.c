// Properties of rotations: inverse pairs, decompositions that multiply back, and the places where formulas break.
#include "support/check.h"

#include <math.h>

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static float uniform(uint32_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)next_random(state) / 16777216.0f;
}

static am_vec3 random_unit(uint32_t *state)
{
    am_vec3 v;
    do {
        v = am_v3(uniform(state, -1.0f, 1.0f), uniform(state, -1.0f, 1.0f), uniform(state, -1.0f, 1.0f));
    } while (am_v3_length(v) > 1.0f || am_v3_length(v) < 0.1f);
    return am_v3_normalize_or(v, am_v3(1.0f, 0.0f, 0.0f));
}

static am_quat random_quat(uint32_t *state)
{
    return am_quat_from_axis_angle(random_unit(state), uniform(state, -AM_PI, AM_PI));
}

static void check_v3(am_vec3 got, am_vec3 want, double tolerance)
{
    check_near(got.x, want.x, tolerance);
    check_near(got.y, want.y, tolerance);
    check_near(got.z, want.z, tolerance);
}

/// The same rotation: q and -q are equal.
static void check_rotation(am_quat got, am_quat want, double tolerance)
{
    am_quat near = am_quat_nearest(got, want);
    check_near(near.x, want.x, tolerance);
    check_near(near.y, want.y, tolerance);
    check_near(near.z, want.z, tolerance);
    check_near(near.w, want.w, tolerance);
}

static void composition_applies_the_right_factor_first(void **unused)
{
    (void)unused;
    uint32_t state = 1;
    for (int i = 0; i < 100; i++) {
        am_quat a = random_quat(&state), b = random_quat(&state);
        am_vec3 v = random_unit(&state);
        check_v3(am_quat_rotate(am_quat_mul(a, b), v), am_quat_rotate(a, am_quat_rotate(b, v)), 1e-6);
        check_v3(am_quat_unrotate(a, am_quat_rotate(a, v)), v, 1e-6);
    }
    am_vec3 left = am_quat_rotate(am_quat_from_heading(AM_PI / 2.0f), am_v3(0.0f, 0.0f, 1.0f));
    check_v3(left, am_v3(1.0f, 0.0f, 0.0f), 1e-6);
}

static void heading_comes_back(void **unused)
{
    (void)unused;
    for (float h = -3.1f; h < 3.14f; h += 0.01f) {
        check_near(am_quat_heading(am_quat_from_heading(h)), h, 1e-6);
        // Pitch and roll of the rotated frame leave it alone.
        am_quat pitched = am_quat_mul(am_quat_from_heading(h), am_quat_from_euler("xzy", 0.7f, 0.0f, 0.0f));
        check_near(am_quat_heading(pitched), h, 1e-6);
    }
    check_near(am_quat_heading(am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), -AM_PI / 2.0f)), 0.0, 0.0);
}

static void log_undoes_exp_at_all_sizes(void **unused)
{
    (void)unused;
    uint32_t state = 2;
    for (int i = 0; i < 2000; i++) {
        // Half angles from 1e-9 to just under pi, relative accuracy.
        float size = am_exp(uniform(&state, am_log(1e-9f), am_log(AM_PI * 0.999f)));
        am_vec3 v = am_v3_scale(random_unit(&state), size);
        am_vec3 back = am_quat_log(am_quat_exp(v));
        double tolerance = size > 3.0f ? 1e-4 : 4e-7 * (double)size;
        check_v3(back, v, size > 1.0f ? 1e-4 : tolerance);
        am_quat q = random_quat(&state);
        check_rotation(am_quat_exp(am_quat_log(q)), q, 5e-7);
    }
}

static void log_survives_identity_and_its_antipode(void **unused)
{
    (void)unused;
    check_v3(am_quat_log(am_quat_identity()), am_v3_zero(), 0.0);
    am_quat antipode = am_q(0.0f, 0.0f, 0.0f, -1.0f);
    am_quat back = am_quat_exp(am_quat_log(antipode));
    check_near(back.w, -1.0, 1e-6);
    check_near(back.x, 0.0, 1e-6);
    // Near half a turn of the whole angle, where w is lost beside x.
    am_vec3 v = am_v3(AM_PI - 1e-4f, 0.0f, 0.0f);
    check_v3(am_quat_to_scaled_axis(am_quat_from_scaled_axis(v)), v, 5e-7);
    // And past it: the shorter way round.
    check_v3(am_quat_to_scaled_axis(am_quat_from_scaled_axis(am_v3(0.0f, 4.0f, 0.0f))),
             am_v3(0.0f, 4.0f - 2.0f * AM_PI, 0.0f), 1e-6);
    // A vector whose square underflows is not lost.
    assert_true(am_quat_exp(am_v3(1e-30f, 0.0f, 0.0f)).x == 1e-30f);
    assert_true(am_quat_log(am_q(1e-30f, 0.0f, 0.0f, 1.0f)).x == 1e-30f);
}

static void velocity_turns_one_into_the_other(void **unused)
{
    (void)unused;
    uint32_t state = 3;
    for (int i = 0; i < 200; i++) {
        am_quat a = random_quat(&state), b = random_quat(&state);
        float dt = uniform(&state, 0.001f, 0.1f);
        am_vec3 w = am_quat_velocity(a, b, dt);
        check_rotation(am_quat_mul(am_quat_from_scaled_axis(am_v3_scale(w, dt)), a), b, 2e-6);
        assert_true(am_v3_length(w) * dt <= AM_PI + 1e-5f);
        check_near(am_quat_angle(a, b), am_v3_length(w) * dt, 2e-6);
        check_near(am_quat_angle(a, am_quat_neg(a)), 0.0, 5e-7);
    }
    // A thousandth of a degree is still seen: an arc cosine would say 0.
    am_quat tiny = am_quat_from_axis_angle(am_v3(0.0f, 1.0f, 0.0f), 1.7453e-5f);
    check_near(am_quat_angle(am_quat_identity(), tiny), 1.7453e-5, 1e-10);
}

static void between_takes_one_vector_to_the_other(void **unused)
{
    (void)unused;
    uint32_t state = 4;
    for (int i = 0; i < 500; i++) {
        am_vec3 a = random_unit(&state);
        // From equal to opposed, with the last ones close to it.
        am_vec3 side = random_unit(&state);
        float off = am_exp(uniform(&state, -14.0f, 1.0f));
        am_vec3 b = am_v3_normalize_or(am_v3_add(am_v3_scale(a, i % 2 ? -1.0f : 1.0f), am_v3_scale(side, off)), a);
        check_v3(am_quat_rotate(am_quat_between(a, b), a), b, 1e-6);
        am_quat half = am_quat_between(a, am_v3_neg(a));
        check_v3(am_quat_rotate(half, a), am_v3_neg(a), 1e-6);
        check_near(am_quat_dot(half, half), 1.0, 1e-6);
    }
    check_rotation(am_quat_between(am_v3_zero(), am_v3(1.0f, 0.0f, 0.0f)), am_quat_identity(), 0.0);
}

static void interpolation_meets_its_ends_and_middle(void **unused)
{
    (void)unused;
    uint32_t state = 5;
    for (int i = 0; i < 200; i++) {
        am_quat a = random_quat(&state), b = random_quat(&state);
        check_rotation(am_quat_slerp(a, b, 0.0f), a, 1e-6);
        check_rotation(am_quat_slerp(a, b, 1.0f), b, 1e-6);
        check_rotation(am_quat_nlerp(a, b, 0.0f), a, 1e-6);
        check_rotation(am_quat_nlerp(a, b, 1.0f), b, 1e-6);
        check_rotation(am_quat_slerp(a, b, 0.5f), am_quat_nlerp(a, b, 0.5f), 2e-5);
        float whole = am_quat_angle(a, b);
        float t = uniform(&state, 0.0f, 1.0f);
        check_near(am_quat_angle(a, am_quat_slerp(a, b, t)), t * whole, 2e-6);
        // The other sign is the same rotation: the shorter way all the same.
        check_rotation(am_quat_slerp(a, am_quat_neg(b), t), am_quat_slerp(a, b, t), 2e-6);
    }
}

static void two_axis_form_comes_back(void **unused)
{
    (void)unused;
    uint32_t state = 6;
    for (int i = 0; i < 500; i++) {
        am_quat q = random_quat(&state);
        float m[6];
        am_quat_to_two_axis(q, m);
        check_v3(am_v3(m[0], m[1], m[2]), am_quat_rotate(q, am_v3(1.0f, 0.0f, 0.0f)), 1e-6);
        check_v3(am_v3(m[3], m[4], m[5]), am_quat_rotate(q, am_v3(0.0f, 1.0f, 0.0f)), 1e-6);
        check_rotation(am_quat_from_two_axis(m), q, 1e-6);
        // A network's output: neither unit nor perpendicular. Lengths and a lean of y towards x change nothing.
        for (int k = 0; k < 3; k++) {
            m[3 + k] = 0.3f * (m[3 + k] + 0.5f * m[k]);
            m[k] *= 7.0f;
        }
        check_rotation(am_quat_from_two_axis(m), q, 1e-6);
    }
    const float parallel[6] = { 1, 2, 3, 2, 4, 6 }, zero[6] = { 0 }, bad[6] = { NAN, 0, 0, 0, 1, 0 };
    check_rotation(am_quat_from_two_axis(parallel), am_quat_identity(), 0.0);
    check_rotation(am_quat_from_two_axis(zero), am_quat_identity(), 0.0);
    check_rotation(am_quat_from_two_axis(bad), am_quat_identity(), 0.0);
}

static void columns_give_the_rotation_also_at_half_turns(void **unused)
{
    (void)unused;
    uint32_t state = 7;
    for (int i = 0; i < 800; i++) {
        am_quat q = random_quat(&state);
        if (i % 4 == 1) { // half a turn: w is 0 and the trace says nothing
            q = am_quat_from_axis_angle(random_unit(&state), AM_PI);
        } else if (i % 4 == 2) { // about a main axis: two squares vanish
            am_vec3 axis = am_v3((float)(i % 3 == 0), (float)(i % 3 == 1), (float)(i % 3 == 2));
            q = am_quat_from_axis_angle(axis, uniform(&state, 3.0f, AM_PI));
        }
        am_vec3 x = am_quat_rotate(q, am_v3(1.0f, 0.0f, 0.0f));
        am_vec3 y = am_quat_rotate(q, am_v3(0.0f, 1.0f, 0.0f));
        am_vec3 z = am_quat_rotate(q, am_v3(0.0f, 0.0f, 1.0f));
        am_quat back = am_quat_from_columns(x, y, z);
        check_rotation(back, q, 1e-6);
        assert_true(back.w >= 0.0f);
    }
}

static void swing_times_twist_is_the_rotation(void **unused)
{
    (void)unused;
    uint32_t state = 8;
    for (int i = 0; i < 500; i++) {
        am_quat q = random_quat(&state);
        am_vec3 axis = random_unit(&state);
        am_quat swing, twist;
        am_quat_swing_twist(&swing, &twist, q, axis);
        check_rotation(am_quat_mul(swing, twist), q, 1e-6);
        // The twist turns about the axis, the swing about a perpendicular one.
        check_v3(am_v3_cross(am_v3(twist.x, twist.y, twist.z), axis), am_v3_zero(), 1e-6);
        check_near(am_v3_dot(am_v3(swing.x, swing.y, swing.z), axis), 0.0, 1e-6);
    }
    am_quat swing, twist;
    am_quat_swing_twist(&swing, &twist, am_q(1.0f, 0.0f, 0.0f, 0.0f), am_v3(0.0f, 1.0f, 0.0f));
    check_rotation(twist, am_quat_identity(), 0.0);
    check_rotation(swing, am_q(1.0f, 0.0f, 0.0f, 0.0f), 0.0);
}

static const char *const orders[12] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                        "xyx", "xzx", "yxy", "yzy", "zxz", "zyz" };

static am_quat product(const char *axes, const float angle[3])
{
    am_quat q = am_quat_identity();
    for (int i = 0; i < 3; i++) {
        am_vec3 axis = am_v3((float)(axes[i] == 'x'), (float)(axes[i] == 'y'), (float)(axes[i] == 'z'));
        q = am_quat_mul(q, am_quat_from_axis_angle(axis, angle[i]));
    }
    return q;
}

static void euler_angles_multiply_in_the_order_of_their_axes(void **unused)
{
    (void)unused;
    uint32_t state = 9;
    for (int i = 0; i < 1200; i++) {
        const char *axes = orders[i % 12];
        const float a[3] = { uniform(&state, -4.0f, 4.0f), uniform(&state, -4.0f, 4.0f),
                             uniform(&state, -4.0f, 4.0f) };
        am_quat q = am_quat_from_euler(axes, a[0], a[1], a[2]);
        am_quat want = product(axes, a);
        check_near(q.x, want.x, 1e-6);
        check_near(q.y, want.y, 1e-6);
        check_near(q.z, want.z, 1e-6);
        check_near(q.w, want.w, 1e-6);
    }
    check_rotation(am_quat_from_euler("ZYX", 0.1f, 0.2f, 0.3f), am_quat_from_euler("zyx", 0.1f, 0.2f, 0.3f), 0.0);
}

static void euler_angles_come_back_for_all_orders(void **unused)
{
    (void)unused;
    uint32_t state = 10;
    for (int i = 0; i < 12000; i++) {
        const char *axes = orders[i % 12];
        bool same_ends = axes[0] == axes[2];
        float middle = same_ends ? uniform(&state, 0.02f, AM_PI - 0.02f) : uniform(&state, -1.55f, 1.55f);
        const float a[3] = { uniform(&state, -3.14f, 3.14f), middle, uniform(&state, -3.14f, 3.14f) };
        float back[3];
        am_quat_to_euler(back, am_quat_from_euler(axes, a[0], a[1], a[2]), axes);
        check_near(back[1], a[1], 1e-6);
        // Outer angles lose digits as the poles come near: 1e-7 over the distance from the pole.
        check_near(am_wrap_angle(back[0] - a[0]), 0.0, 4e-5);
        check_near(am_wrap_angle(back[2] - a[2]), 0.0, 4e-5);
    }
}

static void euler_angles_survive_gimbal_lock(void **unused)
{
    (void)unused;
    uint32_t state = 11;
    for (int i = 0; i < 2400; i++) {
        const char *axes = orders[i % 12];
        bool same_ends = axes[0] == axes[2];
        float pole = same_ends ? (i / 12 % 2 ? AM_PI : 0.0f) : (i / 12 % 2 ? 0.5f : -0.5f) * AM_PI;
        // At the pole and beside it, down to where only rounding is left.
        float off = i % 5 == 0 ? 0.0f : am_exp(uniform(&state, -16.0f, -3.0f));
        const float a[3] = { uniform(&state, -3.0f, 3.0f), pole + off, uniform(&state, -3.0f, 3.0f) };
        am_quat q = am_quat_from_euler(axes, a[0], a[1], a[2]);
        float back[3];
        am_quat_to_euler(back, q, axes);
        check_rotation(am_quat_from_euler(axes, back[0], back[1], back[2]), q, 2e-6);
        if (off == 0.0f) {
            check_near(back[2], 0.0, 0.0);
        }
    }
    float out[3] = { 9.0f, 9.0f, 9.0f };
    am_quat_to_euler(out, am_quat_identity(), "xxy"); // no angles, but no harm
    assert_true(out[0] == out[0] && out[1] == out[1] && out[2] == out[2]);
}

static void transforms_invert(void **unused)
{
    (void)unused;
    uint32_t state = 12;
    for (int i = 0; i < 100; i++) {
        am_transform a = { random_quat(&state), random_unit(&state) };
        am_transform b = { random_quat(&state), random_unit(&state) };
        am_vec3 p = random_unit(&state);
        check_v3(am_transform_point(am_transform_inv(a), am_transform_point(a, p)), p, 1e-6);
        check_v3(am_transform_point(am_transform_mul(a, b), p), am_transform_point(a, am_transform_point(b, p)),
                 1e-6);
    }
}

TEST_SUITE(quat)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composition_applies_the_right_factor_first),
        cmocka_unit_test(heading_comes_back),
        cmocka_unit_test(log_undoes_exp_at_all_sizes),
        cmocka_unit_test(log_survives_identity_and_its_antipode),
        cmocka_unit_test(velocity_turns_one_into_the_other),
        cmocka_unit_test(between_takes_one_vector_to_the_other),
        cmocka_unit_test(interpolation_meets_its_ends_and_middle),
        cmocka_unit_test(two_axis_form_comes_back),
        cmocka_unit_test(columns_give_the_rotation_also_at_half_turns),
        cmocka_unit_test(swing_times_twist_is_the_rotation),
        cmocka_unit_test(euler_angles_multiply_in_the_order_of_their_axes),
        cmocka_unit_test(euler_angles_come_back_for_all_orders),
        cmocka_unit_test(euler_angles_survive_gimbal_lock),
        cmocka_unit_test(transforms_invert),
    };
    return cmocka_run_group_tests_name("quat", tests, NULL, NULL);
}
