// Transitions: the quintic never overshoots, and neither spring nor quintic lets anything on screen jump.
#include "support/motion.h"
#include "actor/post.h"
#include "base/rng.h"

static void the_quintic_never_leaves_its_band(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(3);
    for (int i = 0; i < 20000; i++) {
        float x0 = am_rng_range(&rng, 0.0f, 3.0f);
        float v0 = am_rng_range(&rng, -30.0f, 5.0f);
        float t1 = am_rng_range(&rng, 0.05f, 1.0f);
        ami_quintic q = ami_quintic_make(x0, v0, t1);
        assert_true(q.t1 <= t1);
        float highest = x0 * 1e-4f + 1e-6f;
        for (int k = 0; k <= 50; k++) {
            float t = (float)k / 50.0f * q.t1;
            float raw = ((((q.c5 * t + q.c4) * t + q.c3) * t + q.c2) * t + q.v0) * t + q.x0;
            assert_true(raw >= -highest && raw <= q.x0 + highest); // before the clamp
            float x = ami_quintic_at(&q, t, NULL);
            assert_true(x >= 0.0f && x <= q.x0);
        }
        check_near(ami_quintic_at(&q, 0.0f, NULL), x0, 1e-6);
        check_near(ami_quintic_at(&q, q.t1, NULL), 0.0, 0.0);
    }
}

static void the_quintic_starts_with_its_velocity_and_ends_at_rest(void **state)
{
    (void)state;
    ami_quintic q = ami_quintic_make(1.0f, -2.0f, 0.5f);
    float v = 0.0f;
    ami_quintic_at(&q, 0.0f, &v);
    check_near(v, -2.0, 1e-6);
    ami_quintic_at(&q, q.t1 * 0.999f, &v);
    check_near(v, 0.0, 1e-2);
    float h = 1e-3f;
    for (float t = 0.05f; t < 0.45f; t += 0.05f) {
        ami_quintic_at(&q, t, &v);
        check_near(v, (ami_quintic_at(&q, t + h, NULL) - ami_quintic_at(&q, t - h, NULL)) / (2.0f * h), 1e-2);
    }
}

enum { joints = 6, most = 4096 };

typedef struct rig {
    ami_inertia_def def;
    am_transform a[joints], b[joints];
    am_velocity va[joints], vb[joints];
    int16_t moving[1];
    union {
        max_align_t align;
        unsigned char bytes[most];
    } memory;
} rig;

static ami_inertia *rig_state(rig *r) { return (ami_inertia *)(void *)r->memory.bytes; }

static void rig_make(rig *r, am_inertialise mode, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    am_rng rng = ami_rng_make(seed);
    r->def = ami_inertia_def_default();
    r->def.mode = mode;
    r->def.joint_count = joints;
    r->def.moving = r->moving;
    r->def.moving_count = 1;
    for (int j = 0; j < joints; j++) {
        am_vec3 turn = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        r->a[j].rotation = am_quat_from_scaled_axis(turn);
        r->b[j].rotation = am_quat_from_scaled_axis(am_v3_scale(turn, 0.5f));
        r->a[j].translation = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        r->b[j].translation = am_v3(am_rng_normal(&rng), 1.0f, 0.0f);
        r->va[j].angular = am_v3(am_rng_normal(&rng), 0.0f, am_rng_normal(&rng));
        r->va[j].linear = am_v3(am_rng_normal(&rng), 0.0f, 0.0f);
    }
    assert_true(ami_inertia_size(&r->def) <= most);
    ami_inertia_reset(rig_state(r), &r->def);
}

static void rig_jump(rig *r)
{
    ami_inertia_pose from = { r->a, r->va, am_v3(0.0f, 0.0f, 2.0f), am_v3(0.0f, 1.0f, 0.0f) };
    ami_inertia_pose to = { r->b, r->vb, am_v3(1.0f, 0.0f, 0.0f), am_v3_zero() };
    ami_inertia_transition(rig_state(r), &r->def, &from, &to);
}

/// Pose b with what is left of the offset after dt more seconds.
static void rig_show(rig *r, am_transform *out, am_velocity *velocity, am_vec3 *linear, float dt)
{
    memcpy(out, r->b, sizeof r->b);
    memcpy(velocity, r->vb, sizeof r->vb);
    *linear = am_v3(1.0f, 0.0f, 0.0f);
    am_vec3 angular = am_v3_zero();
    ami_inertia_apply(rig_state(r), &r->def, out, velocity, linear, &angular, dt);
}

static void nothing_jumps_at_a_transition(void **state)
{
    (void)state;
    for (int mode = AM_INERTIALISE_SPRING; mode <= AM_INERTIALISE_QUINTIC; mode++) {
        rig r;
        rig_make(&r, (am_inertialise)mode, 7);
        rig_jump(&r);
        am_transform out[joints];
        am_velocity velocity[joints];
        am_vec3 linear;
        rig_show(&r, out, velocity, &linear, 1e-4f);
        for (int j = 0; j < joints; j++) {
            assert_true(am_quat_angle(out[j].rotation, r.a[j].rotation) < 2e-3f);
        }
        assert_true(am_v3_distance(out[0].translation, r.a[0].translation) < 2e-3f);
        check_near(linear.z, 2.0, 0.01);
        check_near(linear.x, 0.0, 0.01);
        // And it is all gone in the end.
        rig_show(&r, out, velocity, &linear, 3.0f);
        for (int j = 0; j < joints; j++) {
            assert_true(am_quat_angle(out[j].rotation, r.b[j].rotation) < 1e-3f);
        }
        assert_true(am_v3_distance(out[0].translation, r.b[0].translation) < 1e-4f);
        check_near(linear.x, 1.0, 1e-4);
    }
}

static void a_second_transition_carries_the_first_one_on(void **state)
{
    (void)state;
    for (int mode = AM_INERTIALISE_SPRING; mode <= AM_INERTIALISE_QUINTIC; mode++) {
        rig r;
        rig_make(&r, (am_inertialise)mode, 8);
        rig_jump(&r);
        am_transform before[joints], after[joints];
        am_velocity velocity[joints];
        am_vec3 linear;
        rig_show(&r, before, velocity, &linear, 0.08f);
        ami_inertia_pose from = { r.b, r.vb, am_v3_zero(), am_v3_zero() };
        ami_inertia_pose to = { r.a, r.va, am_v3_zero(), am_v3_zero() };
        ami_inertia_transition(rig_state(&r), &r.def, &from, &to);
        memcpy(after, r.a, sizeof r.a);
        am_vec3 angular = am_v3_zero();
        ami_inertia_apply(rig_state(&r), &r.def, after, velocity, &linear, &angular, 1e-4f);
        for (int j = 0; j < joints; j++) {
            assert_true(am_quat_angle(before[j].rotation, after[j].rotation) < 5e-3f);
        }
        assert_true(am_v3_distance(before[0].translation, after[0].translation) < 5e-3f);
    }
}

static void the_spring_continues_the_velocity(void **state)
{
    (void)state;
    rig r;
    rig_make(&r, AM_INERTIALISE_SPRING, 9);
    rig_jump(&r);
    am_transform x0[joints], x1[joints];
    am_velocity velocity[joints];
    am_vec3 linear;
    const float h = 2e-4f;
    rig_show(&r, x0, velocity, &linear, 1e-5f);
    rig_show(&r, x1, velocity, &linear, h);
    for (int j = 0; j < joints; j++) {
        // Pose b stands still here, so all that moves is the offset, with the velocity that pose a had.
        am_vec3 v = am_quat_velocity(x0[j].rotation, x1[j].rotation, h);
        assert_true(am_v3_distance(v, r.va[j].angular) < 0.25f);
    }
}

/// An arm that swings one way is replaced by one far from it that swings another way: what is seen goes on swinging.
static void a_great_offset_does_not_turn_the_velocity(void **state)
{
    (void)state;
    const float dt = 1.0f / 1000.0f; // so short that the spring has no time to pull
    for (int i = 0; i < 200; i++) {
        am_rng rng = ami_rng_make((uint64_t)i);
        rig r;
        rig_make(&r, AM_INERTIALISE_SPRING, (uint64_t)i);
        am_vec3 from[joints], to[joints];
        for (int j = 0; j < joints; j++) {
            from[j] = am_v3(am_rng_range(&rng, -8.0f, 8.0f), am_rng_range(&rng, -8.0f, 8.0f), 0.0f);
            to[j] = am_v3(am_rng_range(&rng, -8.0f, 8.0f), 0.0f, am_rng_range(&rng, -8.0f, 8.0f));
            am_vec3 way = am_v3_normalize_or(am_v3(1.0f, am_rng_range(&rng, -1.0f, 1.0f), 0.3f), am_v3_zero());
            r.a[j].rotation = am_quat_identity();
            r.b[j].rotation = am_quat_from_axis_angle(way, am_rng_range(&rng, 0.2f, 2.5f));
            r.va[j].angular = from[j];
            r.vb[j].angular = to[j];
        }
        rig_jump(&r);
        am_transform shown[joints];
        am_vec3 linear = am_v3_zero();
        am_vec3 angular = am_v3_zero();
        for (int j = 0; j < joints; j++) {
            shown[j] = r.b[j];
            shown[j].rotation = am_quat_mul(am_quat_from_scaled_axis(am_v3_scale(to[j], dt)), r.b[j].rotation);
        }
        ami_inertia_apply(rig_state(&r), &r.def, shown, NULL, &linear, &angular, dt);
        for (int j = 0; j < joints; j++) {
            am_vec3 seen = am_quat_velocity(r.a[j].rotation, shown[j].rotation, dt);
            assert_true(am_v3_distance(seen, from[j]) < 1.0f); // 0.6 is what the spring does in a thousandth
        }
    }
}

/// An arm that changes from up to down may not fling the hand: joints with a reach are limited, the others are not.
static void a_limit_bounds_the_bend_of_what_reaches_far(void **state)
{
    (void)state;
    const float dt = 1.0f / 60.0f;
    const float limit = 40.0f;
    float steepest[2] = { 0.0f, 0.0f };
    for (uint64_t seed = 0; seed < 100; seed++) {
        for (int limited = 0; limited < 2; limited++) {
            const float reach[joints] = { 0.0f, 0.6f, 0.6f, 0.3f, 0.3f, 0.0f };
            rig r;
            rig_make(&r, AM_INERTIALISE_SPRING, seed);
            memset(r.va, 0, sizeof r.va); // standing still: all that bends is the offset
            r.def.reach = reach;
            r.def.bend_mps2 = limited ? limit : 0.0f;
            rig_jump(&r);
            am_transform x[joints];
            am_velocity velocity[joints];
            am_vec3 linear;
            rig_show(&r, x, velocity, &linear, dt);
            for (int j = 1; j < joints - 1; j++) {
                float bend = am_quat_angle(r.a[j].rotation, x[j].rotation) * reach[j] / (dt * dt);
                steepest[limited] = am_max(steepest[limited], bend);
            }
            float free = am_quat_angle(r.a[0].rotation, x[0].rotation);
            assert_true(free > 1e-3f); // the hips go as before
            rig_show(&r, x, velocity, &linear, 4.0f);
            assert_true(am_quat_angle(x[1].rotation, r.b[1].rotation) < 1e-3f); // late, but it gets there
        }
    }
    assert_true(steepest[0] > 1.5f * limit);
    assert_true(steepest[1] <= limit);
}

static void switched_off_it_changes_nothing(void **state)
{
    (void)state;
    rig r;
    rig_make(&r, AM_INERTIALISE_OFF, 7);
    rig_jump(&r);
    am_transform out[joints];
    am_velocity velocity[joints];
    am_vec3 linear;
    rig_show(&r, out, velocity, &linear, 0.01f);
    assert_memory_equal(out, r.b, sizeof out);
}

TEST_SUITE(inertia)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quintic_never_leaves_its_band),
        cmocka_unit_test(the_quintic_starts_with_its_velocity_and_ends_at_rest),
        cmocka_unit_test(nothing_jumps_at_a_transition),
        cmocka_unit_test(a_second_transition_carries_the_first_one_on),
        cmocka_unit_test(the_spring_continues_the_velocity),
        cmocka_unit_test(a_great_offset_does_not_turn_the_velocity),
        cmocka_unit_test(a_limit_bounds_the_bend_of_what_reaches_far),
        cmocka_unit_test(switched_off_it_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
