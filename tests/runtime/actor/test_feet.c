// The foot lock: planted toes stay, released ones return without a pop, nothing goes below the floor.
#include "support/motion.h"
#include "actor/post.h"
#include "data/kinematics.h"

typedef struct walker {
    am_clip *clip;
    am_roles roles;
    ami_feet_def def;
    ami_feet feet;
    am_transform local[64], world[64];
} walker;

static void walker_make(walker *w)
{
    memset(w, 0, sizeof *w);
    w->clip = test_walker(240);
    w->roles = test_roles(w->clip->skeleton);
    w->def = ami_feet_def_default();
    w->def.skeleton = w->clip->skeleton;
    w->def.roles = &w->roles;
    w->def.floor_m = -10.0f;
    w->def.heel_m = -10.0f;
    ami_feet_reset(&w->feet);
}

/// One step of frame `frame` with the root drifting, so that an unlocked foot slides.
static uint8_t walker_step(walker *w, int frame, uint8_t contacts, am_vec3 drift)
{
    am_clip_local(w->clip, frame, w->local);
    am_transform root = am_transform_identity();
    root.translation = am_v3_add(drift, am_v3(0.0f, -0.03f, 0.0f)); // knees a little bent
    return ami_feet_apply(&w->feet, &w->def, w->local, w->world, root, contacts, 1.0f / 60.0f);
}

static am_vec3 toe(const walker *w) { return w->world[w->roles.joint[AM_ROLE_LEFT_TOE]].translation; }

static void a_planted_toe_stays_while_the_root_drifts(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    w.def.floor_m = -10.0f;
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    am_vec3 at = toe(&w);
    float worst = 0.0f;
    for (int i = 0; i < 30; i++) {
        uint8_t locked = walker_step(&w, 0, AM_CONTACT_LEFT, am_v3(0.0f, 0.0f, 0.002f * (float)i));
        assert_int_equal(locked, AM_CONTACT_LEFT);
        worst = am_max(worst, am_v3_distance(toe(&w), at));
    }
    printf("worst drift of a planted toe %.4f m\n", (double)worst);
    assert_true(worst < 2e-3f);
    am_clip_destroy(w.clip);
}

static void a_released_toe_finds_back_in_the_blend_time(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    for (int i = 0; i < 20; i++) {
        walker_step(&w, 0, AM_CONTACT_LEFT, am_v3(0.0f, 0.0f, 0.003f * (float)i));
    }
    am_vec3 before = toe(&w);
    float largest = 0.0f;
    for (int i = 0; i < 14; i++) {
        assert_int_equal(walker_step(&w, 0, 0, am_v3(0.0f, 0.0f, 0.057f)), 0);
        largest = am_max(largest, am_v3_distance(toe(&w), before));
        before = toe(&w);
    }
    assert_true(largest < 0.025f); // 6 cm away, never faster than a step
    am_transform animated[64];
    am_clip_local(w.clip, 0, animated);
    animated[0].translation.z += 0.057f;
    animated[0].translation.y -= 0.03f;
    am_fk(animated, animated, w.clip->skeleton->parents, w.clip->skeleton->joint_count);
    assert_true(am_v3_distance(toe(&w), animated[w.roles.joint[AM_ROLE_LEFT_TOE]].translation) < 4e-3f);
    am_clip_destroy(w.clip);
}

static void a_foot_left_far_behind_lets_go(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    assert_int_equal(walker_step(&w, 0, AM_CONTACT_LEFT, am_v3_zero()), AM_CONTACT_LEFT);
    assert_int_equal(walker_step(&w, 0, AM_CONTACT_LEFT, am_v3(0.0f, 0.0f, 0.5f)), 0);
    am_clip_destroy(w.clip);
}

static void a_foot_left_behind_catches_up_by_a_step_and_stands_again(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    float highest = 0.0f;
    int stands = 0;
    int let_go = 0;
    bool was = false;
    for (int i = 0; i < 160; i++) {
        // The source says that it stands all the while; the body is drawn away at 0.3 m/s.
        bool locked = walker_step(&w, 0, AM_CONTACT_LEFT, am_v3(0.0f, 0.0f, 0.005f * (float)i)) != 0;
        highest = am_max(highest, toe(&w).y - w.def.floor_m);
        stands += locked;
        let_go += was && !locked;
        was = locked;
    }
    assert_true(let_go >= 2); // once for each 0.28 m and what it needs to catch up
    assert_true(stands > 60);
    assert_true(highest > 0.02f && highest < 0.08f);
    am_clip_destroy(w.clip);
}

/// Way (m) by which a body is drawn away before its left foot lets go.
static float way_until_let_go(uint8_t contacts)
{
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    float way = 0.0f;
    while (way < 1.0f && (walker_step(&w, 0, contacts, am_v3(0.0f, 0.0f, way)) & AM_CONTACT_LEFT) != 0) {
        way += 0.005f;
    }
    am_clip_destroy(w.clip);
    return way;
}

/// Catching up while the other foot is in the air would be a hop.
static void a_foot_that_carries_the_body_alone_lets_go_later(void **state)
{
    (void)state;
    float with_other = way_until_let_go(AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
    float alone = way_until_let_go(AM_CONTACT_LEFT);
    assert_true(with_other > 0.18f && with_other < 0.23f);
    assert_true(alone > 1.3f * with_other && alone < 0.35f);
}

static void toe_and_heel_stay_above_the_floor(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    w.def.heel_m = w.world[w.roles.joint[AM_ROLE_LEFT_FOOT]].translation.y;
    for (int i = 0; i < 120; i++) {
        walker_step(&w, i, 0, am_v3(0.0f, -0.04f, 0.0f)); // the root sinks into the ground
        assert_true(toe(&w).y > w.def.floor_m - 1e-3f);
        assert_true(w.world[w.roles.joint[AM_ROLE_LEFT_FOOT]].translation.y > w.def.heel_m - 1e-3f);
    }
    am_clip_destroy(w.clip);
}

static void a_stretched_leg_does_not_pop(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    w.def.floor_m = toe(&w).y;
    int knee = w.roles.joint[AM_ROLE_LEFT_LEG];
    am_quat last = am_quat_identity(), before = last;
    float worst = 0.0f;
    for (int i = 0; i < 60; i++) {
        // The hips rise slowly until the leg is straight and beyond.
        walker_step(&w, 0, AM_CONTACT_LEFT, am_v3(0.0f, 0.002f * (float)i, 0.0f));
        am_quat now = w.local[knee].rotation;
        if (i > 4) {
            float second =
                am_v3_length(am_v3_sub(am_quat_velocity(last, now, 1.0f), am_quat_velocity(before, last, 1.0f)));
            worst = am_max(worst, second);
        }
        before = last;
        last = now;
    }
    assert_true(worst < 0.03f);
    am_clip_destroy(w.clip);
}

/// A leg that the animation itself stretches is pulled further by a foot left behind, which then comes in again.
static void a_straight_leg_does_not_pop_when_its_foot_comes_in(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    const int16_t *joint = w.roles.joint;
    am_vec3 last = am_v3_zero();
    am_vec3 before = last;
    float worst = 0.0f;
    float straightest = 1.0f;
    for (int i = 0; i < 90; i++) {
        am_clip_local(w.clip, 0, w.local);
        w.local[joint[AM_ROLE_LEFT_UP_LEG]].rotation = am_quat_identity();
        w.local[joint[AM_ROLE_LEFT_LEG]].rotation = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 6.0f * AM_DEG);
        am_transform root = am_transform_identity();
        root.translation.x = 0.004f * (float)i;
        ami_feet_apply(&w.feet, &w.def, w.local, w.world, root, i < 30 ? AM_CONTACT_LEFT : 0, 1.0f / 60.0f);
        if (i == 0) {
            w.def.floor_m = toe(&w).y - 0.01f;
        }
        am_vec3 hip = w.world[joint[AM_ROLE_LEFT_UP_LEG]].translation;
        am_vec3 ankle = w.world[joint[AM_ROLE_LEFT_FOOT]].translation;
        am_vec3 knee = w.world[joint[AM_ROLE_LEFT_LEG]].translation;
        float spare = am_v3_distance(hip, knee) + am_v3_distance(knee, ankle) - am_v3_distance(hip, ankle);
        straightest = am_min(straightest, spare);
        if (i > 4) {
            am_vec3 bend = am_v3_add(am_v3_sub(knee, am_v3_scale(last, 2.0f)), before);
            worst = am_max(worst, am_v3_length(bend));
        }
        before = last;
        last = knee;
    }
    printf("sharpest bend of the knee %.4f m, straightest leg %.4f m\n", (double)worst, (double)straightest);
    assert_true(straightest > 1e-4f);
    assert_true(worst < 0.01f);
    am_clip_destroy(w.clip);
}

static void no_knee_bends_backwards(void **state)
{
    (void)state;
    const float degrees[] = { -25.0f, -5.0f, 5.0f, 25.0f };
    for (int i = 0; i < 4; i++) {
        walker w;
        walker_make(&w);
        am_clip_local(w.clip, 0, w.local);
        int hip = w.roles.joint[AM_ROLE_LEFT_UP_LEG];
        int knee = w.roles.joint[AM_ROLE_LEFT_LEG];
        int ankle = w.roles.joint[AM_ROLE_LEFT_FOOT];
        w.local[hip].rotation = am_quat_identity();
        w.local[knee].rotation = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), degrees[i] * AM_DEG);
        am_transform before[64];
        am_fk(before, w.local, w.clip->skeleton->parents, w.clip->skeleton->joint_count);
        ami_feet_apply(&w.feet, &w.def, w.local, w.world, am_transform_identity(), 0, 1.0f / 60.0f);
        am_vec3 middle = am_v3_lerp(w.world[hip].translation, w.world[ankle].translation, 0.5f);
        assert_true(w.world[knee].translation.z > middle.z); // in front of the line from hip to ankle
        assert_true(am_v3_distance(w.world[ankle].translation, before[ankle].translation) < 2e-3f);
        am_clip_destroy(w.clip);
    }
}

static void a_rig_without_toes_is_left_alone(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    w.roles = ami_roles_none();
    am_transform before[64];
    am_clip_local(w.clip, 3, before);
    walker_step(&w, 3, AM_CONTACT_LEFT, am_v3_zero());
    assert_memory_equal(before, w.local, (size_t)w.clip->skeleton->joint_count * sizeof before[0]);
    am_clip_destroy(w.clip);
}

static void a_swinging_foot_is_lifted_to_where_the_motion_has_it(void **state)
{
    (void)state;
    walker w;
    walker_make(&w);
    walker_step(&w, 0, 0, am_v3_zero());
    float low = toe(&w).y;
    w.def.floor_m = low - 0.01f;
    for (int i = 0; i < 30; i++) {
        walker_step(&w, 0, 0, am_v3_zero());
    }
    check_near(toe(&w).y, low, 1e-4); // no height was given: as the animation has it
    float before = low;
    for (int i = 0; i < 30; i++) {
        ami_feet_swing(&w.feet, low + 0.03f, low + 0.03f);
        walker_step(&w, 0, 0, am_v3_zero());
        assert_true(toe(&w).y - before < 0.012f); // no jump: the half-life is more than two steps
        before = toe(&w).y;
    }
    check_near(toe(&w).y, low + 0.03f, 1e-3);
    for (int i = 0; i < 30; i++) {
        ami_feet_swing(&w.feet, low + 1.0f, low + 1.0f);
        walker_step(&w, 0, 0, am_v3_zero());
    }
    check_near(toe(&w).y, low + 0.04f, 1e-3); // no higher than 5 cm above the floor
    for (int i = 0; i < 60; i++) {
        ami_feet_swing(&w.feet, low + 0.03f, low + 0.03f);
        walker_step(&w, 0, AM_CONTACT_LEFT, am_v3_zero());
    }
    check_near(toe(&w).y, low, 1e-3); // a planted foot is not lifted
    am_clip_destroy(w.clip);
}

TEST_SUITE(feet)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_toe_stays_while_the_root_drifts),
        cmocka_unit_test(a_released_toe_finds_back_in_the_blend_time),
        cmocka_unit_test(a_foot_left_far_behind_lets_go),
        cmocka_unit_test(a_swinging_foot_is_lifted_to_where_the_motion_has_it),
        cmocka_unit_test(a_foot_left_behind_catches_up_by_a_step_and_stands_again),
        cmocka_unit_test(a_foot_that_carries_the_body_alone_lets_go_later),
        cmocka_unit_test(toe_and_heel_stay_above_the_floor),
        cmocka_unit_test(a_stretched_leg_does_not_pop),
        cmocka_unit_test(a_straight_leg_does_not_pop_when_its_foot_comes_in),
        cmocka_unit_test(no_knee_bends_backwards),
        cmocka_unit_test(a_rig_without_toes_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
