// Subjects of the bits program: elementary functions, random streams, rotations and springs.
#include "bits/bits.h"
#include "base/rng.h"

// ---------------------------------------------------------------------------------------------
// Elementary functions over all floats, about half a million each

enum { sweep_step = 8009 };

static void sweep(digest *d, float (*f)(float))
{
    for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += sweep_step) {
        put(d, f(float_of((uint32_t)bits)));
    }
    // And densely where they are used.
    for (float x = -8.0f; x < 8.0f; x += 0.00037f) {
        put(d, f(x));
    }
}

void bits_sin(digest *d) { sweep(d, am_sin); }
void bits_cos(digest *d) { sweep(d, am_cos); }
void bits_tan(digest *d) { sweep(d, am_tan); }
void bits_acos(digest *d) { sweep(d, am_acos); }
void bits_asin(digest *d) { sweep(d, am_asin); }
void bits_exp(digest *d) { sweep(d, am_exp); }
void bits_log(digest *d) { sweep(d, am_log); }
void bits_tanh(digest *d) { sweep(d, am_tanh); }
void bits_wrap_angle(digest *d) { sweep(d, am_wrap_angle); }

void bits_atan2(digest *d)
{
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t j = 0; j < 400; j++) {
            put(d, am_atan2(float_of(i * 10737417u + j * 7919u), float_of(j * 10737431u + i * 104729u)));
            put(d, am_atan2((float)i - 200.3f, (float)j - 199.7f));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Random streams, rotations and springs

void bits_rng(digest *d)
{
    am_rng rng = ami_rng_make(11);
    for (uint64_t item = 0; item < 1000; item++) {
        am_rng stream = ami_rng_fork(&rng, item);
        for (int i = 0; i < 100; i++) {
            put(d, am_rng_float(&stream));
            put(d, am_rng_normal(&stream));
            put(d, (float)am_rng_below(&stream, 1000));
        }
    }
}

void bits_quat(digest *d)
{
    static const char *const orders[12] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                            "xyx", "xzx", "yxy", "yzy", "zxz", "zyz" };
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        am_quat a = am_quat_exp(random_v3(&state)), b = am_quat_from_scaled_axis(random_v3(&state));
        am_vec3 u = am_v3_normalize_or(random_v3(&state), am_v3(0.0f, 1.0f, 0.0f));
        am_vec3 v = am_v3_normalize_or(random_v3(&state), am_v3(0.0f, 1.0f, 0.0f));
        am_quat swing, twist;
        float angles[3], axes[6];
        put_v3(d, am_quat_log(a));
        put_v3(d, am_quat_velocity(a, b, 0.016f));
        put_quat(d, am_quat_slerp(a, b, 0.3f));
        put_quat(d, am_quat_nlerp(a, b, 0.3f));
        put_quat(d, am_quat_between(u, v));
        put(d, am_quat_heading(a));
        put(d, am_quat_angle(a, b));
        am_quat_swing_twist(&swing, &twist, a, u);
        put_quat(d, swing);
        put_quat(d, twist);
        am_quat_to_two_axis(b, axes);
        put_quat(d, am_quat_from_two_axis(axes));
        am_quat_to_euler(angles, a, orders[i % 12]);
        put_quat(d, am_quat_from_euler(orders[i % 12], angles[0], angles[1], angles[2]));
        put_v3(d, am_quat_rotate(a, v));
    }
}

void bits_springs(digest *d)
{
    uint32_t state = 2;
    am_vec3 x = am_v3_zero(), v = x, a = x;
    am_quat q = am_quat_identity();
    for (int i = 0; i < 20000; i++) {
        am_vec3 goal = random_v3(&state), drift = random_v3(&state);
        float halflife = am_exp(uniform(&state, -8.0f, 2.0f)), dt = uniform(&state, 0.0f, 0.05f);
        am_spring_v3(&x, &v, goal, halflife, dt);
        am_spring_moving_v3(&x, &v, goal, drift, halflife, dt);
        am_spring_character_v3(&x, &v, &a, drift, halflife, dt);
        am_spring_quat(&q, &v, am_quat_from_scaled_axis(goal), halflife, dt);
        am_decay_v3(&a, &v, halflife, dt);
        put_v3(d, x);
        put_v3(d, v);
        put_v3(d, a);
        put_quat(d, q);
    }
}
