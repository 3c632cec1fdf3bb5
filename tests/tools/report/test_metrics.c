// Metrics of poses: motions whose measures are known beforehand, with a fault planted in each.
#include "support/check.h"
#include "support/motion.h"

/// A body that a test moves as it likes.
typedef struct dummy {
    am_clip *clip;
    am_roles roles;
    am_meter *meter;
    am_transform *world;
    int toe;
} dummy;

static const am_floor floor_at_2cm = { 0.02f, 0.0f };

static void make_dummy(dummy *d, double bend_limit_cm)
{
    am_error err = { 0 };
    d->clip = test_walker(1);
    d->roles = test_roles(d->clip->skeleton);
    d->toe = d->roles.joint[AM_ROLE_LEFT_TOE];
    am_meter_def def = am_meter_def_default();
    def.skeleton = d->clip->skeleton;
    def.roles = &d->roles;
    def.floor = floor_at_2cm;
    def.bend_limit_cm = bend_limit_cm;
    check_ok(am_meter_create(&d->meter, &def, &err), &err);
    d->world = calloc((size_t)d->clip->skeleton->joint_count, sizeof *d->world);
    for (int j = 0; j < d->clip->skeleton->joint_count; j++) {
        d->world[j] = am_transform_identity();
        d->world[j].translation = am_v3(0.0f, 1.0f, 0.0f); // out of the way of every measure of feet
    }
}

static void free_dummy(dummy *d)
{
    am_meter_destroy(d->meter);
    am_clip_destroy(d->clip);
    free(d->world);
}

/// Carries every joint along so that the pose at time t is the one at rest plus place(t); then takes it.
static void add_at(dummy *d, am_vec3 place, float dt, bool transition)
{
    am_transform moved[AM_MAX_JOINTS];
    for (int j = 0; j < d->clip->skeleton->joint_count; j++) {
        moved[j] = d->world[j];
        moved[j].translation = am_v3_add(moved[j].translation, place);
    }
    am_meter_add(d->meter, moved, dt, transition);
}

/// A left toe at a height, going along x at a speed for a second.
static am_quality toe_at(float height, float speed, float rate)
{
    dummy d;
    make_dummy(&d, 0.0);
    for (int f = 0; f <= (int)rate; f++) {
        d.world[d.toe].translation = am_v3(speed * (float)f / rate, height, 0.0f);
        am_meter_add(d.meter, d.world, 1.0f / rate, false);
    }
    am_quality quality = am_meter_result(d.meter);
    free_dummy(&d);
    return quality;
}

static void a_standing_body_measures_nothing(void **state)
{
    (void)state;
    am_quality q = toe_at(0.02f, 0.0f, 60.0f);
    assert_int_equal(q.frames, 61);
    check_near(q.foot_slide_cm, 0.0, 1e-9);
    check_near(q.skate_share, 0.0, 1e-9);
    check_near(q.jitter_cm, 0.0, 1e-5);
    check_near(q.penetration_cm, 0.0, 1e-9);
    check_near(q.joint_travel_cm, 0.0, 1e-5);
}

static void a_slow_toe_slides_by_its_speed(void **state)
{
    (void)state;
    const float rates[] = { 30.0f, 60.0f, 120.0f };
    for (int i = 0; i < 3; i++) {
        am_quality q = toe_at(0.02f, 0.1f, rates[i]);
        check_near(q.foot_slide_cm, 10.0 / 60.0, 1e-4); // 0.1 m/s is a sixtieth of 10 cm a frame at any rate
        check_near(q.skate_share, 0.0, 1e-9);
    }
    check_near(toe_at(0.21f, 0.1f, 60.0f).foot_slide_cm, 0.0, 1e-9); // too high to be meant
}

static void a_fast_toe_near_the_ground_skates(void **state)
{
    (void)state;
    am_quality q = toe_at(0.025f, 0.3f, 60.0f);
    check_near(q.skate_share, 1.0, 1e-9);
    check_near(q.foot_slide_cm, 0.0, 1e-9);
    check_near(toe_at(0.035f, 0.3f, 60.0f).skate_share, 0.0, 1e-9);
    check_near(toe_at(0.025f, 0.19f, 60.0f).skate_share, 0.0, 1e-9);
}

static void the_other_toe_at_rest_halves_the_slide(void **state)
{
    (void)state;
    dummy d;
    make_dummy(&d, 0.0);
    int other = d.roles.joint[AM_ROLE_RIGHT_TOE];
    d.world[other].translation = am_v3(0.0f, 0.02f, 0.0f);
    for (int f = 0; f < 60; f++) {
        d.world[d.toe].translation = am_v3(0.1f * (float)f / 60.0f, 0.02f, 0.0f);
        am_meter_add(d.meter, d.world, 1.0f / 60.0f, false);
    }
    check_near(am_meter_result(d.meter).foot_slide_cm, 5.0 / 60.0, 1e-4);
    free_dummy(&d);
}

static void jitter_is_acceleration_at_any_rate(void **state)
{
    (void)state;
    const float rates[] = { 30.0f, 60.0f, 120.0f };
    for (int i = 0; i < 3; i++) {
        dummy d;
        make_dummy(&d, 0.0);
        for (int f = 0; f < 40; f++) {
            float t = (float)f / rates[i];
            add_at(&d, am_v3(0.0f, 0.5f * 3.6f * t * t, 0.0f), 1.0f / rates[i], false);
        }
        check_near(am_meter_result(d.meter).jitter_cm, 0.1, 2e-3); // 3.6 m/s2 is 0.1 cm in a sixtieth, squared
        free_dummy(&d);
    }
}

static void joints_travel_relative_to_the_hips(void **state)
{
    (void)state;
    dummy d;
    make_dummy(&d, 0.0);
    int head = d.roles.joint[AM_ROLE_HEAD];
    for (int f = 0; f < 20; f++) {
        d.world[head].translation = am_v3(0.0f, 1.5f + (f == 11 ? 0.03f : 0.0f), 0.0f);
        add_at(&d, am_v3(0.5f * (float)f, 0.0f, 0.0f), 1.0f / 60.0f, false); // a body at 30 m/s
    }
    check_near(am_meter_result(d.meter).joint_travel_cm, 3.0, 1e-3);
    // One joint of all, up and down again in 19 steps.
    check_near(am_meter_result(d.meter).joint_mean_cm, 2.0 * 3.0 / 19.0 / (d.clip->skeleton->joint_count - 1), 1e-4);
    free_dummy(&d);
}

static void depth_is_the_mean_over_toes_and_heels(void **state)
{
    (void)state;
    dummy d;
    make_dummy(&d, 0.0);
    d.world[d.toe].translation.y = -0.02f; // 4 cm below its floor; the other three points are well above theirs
    for (int f = 0; f < 10; f++) {
        am_meter_add(d.meter, d.world, 1.0f / 60.0f, false);
    }
    check_near(am_meter_result(d.meter).penetration_cm, 1.0, 1e-4);
    free_dummy(&d);
}

/// A body that jumps by 5 cm between frames 9 and 10.
static am_quality jumping(bool told, bool cut)
{
    dummy d;
    make_dummy(&d, 1.0);
    for (int f = 0; f < 20; f++) {
        if (cut && f == 10) {
            am_meter_cut(d.meter);
        }
        add_at(&d, am_v3(f >= 10 ? 0.05f : 0.0f, 0.0f, 0.0f), 1.0f / 60.0f, told && f == 10);
    }
    am_quality quality = am_meter_result(d.meter);
    free_dummy(&d);
    return quality;
}

static void a_jump_at_a_transition_is_found(void **state)
{
    (void)state;
    check_near(jumping(true, false).transition_bend_cm, 5.0, 1e-3);
    check_near(jumping(true, false).transition_bend_share, 1.0, 1e-9); // both windows over the jump
    check_near(jumping(false, false).transition_bend_cm, 0.0, 1e-9);   // elsewhere it is no transition's fault
    assert_true(jumping(false, false).jitter_cm > 0.5);
}

static void a_cut_has_no_past(void **state)
{
    (void)state;
    check_near(jumping(true, true).transition_bend_cm, 0.0, 1e-4);
    check_near(jumping(true, true).jitter_cm, 0.0, 1e-4);
}

static void a_def_without_a_skeleton_is_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_meter *meter = NULL;
    am_meter_def def = am_meter_def_default();
    check_refused(am_meter_create(&meter, &def, &err), AM_ERR_DEF);
    assert_null(meter);
}

TEST_SUITE(metrics)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standing_body_measures_nothing),
        cmocka_unit_test(a_slow_toe_slides_by_its_speed),
        cmocka_unit_test(a_fast_toe_near_the_ground_skates),
        cmocka_unit_test(the_other_toe_at_rest_halves_the_slide),
        cmocka_unit_test(jitter_is_acceleration_at_any_rate),
        cmocka_unit_test(joints_travel_relative_to_the_hips),
        cmocka_unit_test(depth_is_the_mean_over_toes_and_heels),
        cmocka_unit_test(a_jump_at_a_transition_is_found),
        cmocka_unit_test(a_cut_has_no_past),
        cmocka_unit_test(a_def_without_a_skeleton_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
