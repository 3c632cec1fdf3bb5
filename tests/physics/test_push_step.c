// Pushes answered by steps: planted feet stay, a light push needs no step, a strong one is caught by one or two.
#include "actor/actor.h"
#include "actor/get.h"
#include "actor/push.h"
#include "physics/pushable.h"

#include <amble/tools/motion.h>

#include <stdlib.h>

enum { after = 150, before = 90 }; // steps of a recording

/// A character that is pushed, and what it did.
typedef struct pushed {
    world w;
    am_motion motion;
    am_vec3 *points;
} pushed;

static void record(pushed *p, uint32_t keys, int steps)
{
    for (int i = 0; i < steps; i++) {
        hold(&p->w, keys, DT);
        am_body_take(p->points + (size_t)p->motion.frames++ * AM_POINT_COUNT, &p->motion.body,
                     ami_pose_of(p->w.character).world);
    }
}

static void pushed_make(pushed *p, uint32_t keys, am_role role, am_vec3 force)
{
    am_error err = { 0 };
    am_actor_def def = open_world(&p->w);
    def.push = am_physics_solver(body);
    check_ok(am_actor_create(&p->w.character, &def, &err), &err);
    hold(&p->w, keys, 1.0f);
    am_actor_facts facts = ami_facts_of(p->w.character);
    p->points = calloc((before + after) * AM_POINT_COUNT, sizeof *p->points);
    p->motion = (am_motion){ .points = p->points,
                             .fps = 60.0f,
                             .body = am_body_find(shared_db->skeleton, &shared_db->roles),
                             .floor = { facts.toe_m, facts.heel_m } };
    record(p, keys, before);
    check_ok(am_actor_push(p->w.character, shared_db->roles.joint[role], &force, 0.1f, &err), &err);
    record(p, keys, after);
}

static void pushed_free(pushed *p)
{
    free(p->points);
    free_world(&p->w);
}

static am_vec3 toe_at(const pushed *p, int frame, int side)
{
    return p->points[(size_t)frame * AM_POINT_COUNT + AM_POINT_LEFT_TOE + (size_t)side];
}

static void a_light_push_is_taken_without_a_step(void **state)
{
    (void)state;
    pushed p;
    pushed_make(&p, 0, AM_ROLE_HIPS, am_v3(0.0f, 0.0f, 60.0f));
    am_balance b = am_balance_measure(&p.motion, (float)before * DT, am_v3_zero());
    assert_int_equal(b.steps, 0);
    assert_true(b.slide_cm < 1.0f);
    pushed_free(&p);
}

static void strong_pushes_on_a_standing_character_are_caught_by_one_or_two_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        float s, c;
        pushed p;
        am_sincos((float)i * AM_PI / 4.0f, &s, &c);
        pushed_make(&p, 0, i % 2 == 0 ? AM_ROLE_CHEST : AM_ROLE_HIPS, am_v3(380.0f * s, 0.0f, 380.0f * c));
        am_balance b = am_balance_measure(&p.motion, (float)before * DT, am_v3_zero());
        assert_true(b.beyond_cm > 0.0f);
        assert_true(b.slide_cm < 3.0f);
        assert_true(b.steps >= 1 && b.steps <= 2);
        assert_true(b.balance_s < 1.5f);
        // The body ends where it was pushed to, with its feet under it and not crossed.
        am_vec3 left = toe_at(&p, p.motion.frames - 1, 0), right = toe_at(&p, p.motion.frames - 1, 1);
        assert_true(left.x > right.x);
        assert_true(am_v3_distance(left, right) < 0.4f);
        pushed_free(&p);
    }
}

/// The steps move the standing character: its source is not asked, and it is held again where it ends, not on the
/// way. With the character that ships, since a caller's own source is never held.
static void a_standing_character_stays_one_while_steps_answer(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_asset *asset = NULL;
    am_physics *own = NULL;
    am_actor *c = NULL;
    am_asset_file file = { .name = AMBLE_SOURCE_DIR "/models/locomotion.amnet" };
    check_ok(am_asset_open(&asset, &file, 1, NULL, &err), &err);
    am_physics_def physics;
    am_physics_def_init(&physics);
    physics.skeleton = am_asset_skeleton(asset);
    physics.roles = am_asset_roles(asset);
    check_ok(am_physics_create(&own, &physics, &err), &err);
    am_actor_def def;
    am_actor_def_init(&def, asset);
    def.push = am_physics_solver(own);
    check_ok(am_actor_create(&c, &def, &err), &err);
    am_intent nothing = { 0 };
    for (int i = 0; i < 120; i++) {
        am_actor_step(c, &nothing, DT);
    }
    assert_int_equal(c->stand->on, 1);
    am_vec3 force = am_v3(-300.0f, 0.0f, -100.0f);
    const int16_t *joint = physics.roles->joint;
    check_ok(am_actor_push(c, joint[AM_ROLE_CHEST], &force, 0.1f, &err), &err);
    am_vec3 start = ami_pose_of(c).root.translation;
    am_vec3 ankle[2];
    int answered = 0;
    for (int i = 0; i < before + after; i++) {
        am_actor_step(c, &nothing, DT);
        bool steps = ami_push_answered(c);
        answered += steps;
        assert_true(c->stand->on == 2 || (c->stand->on == 1 && !steps));
        for (int side = 0; side < 2 && i < before + after - 30; side++) {
            ankle[side] = c->world[joint[side == 0 ? AM_ROLE_LEFT_FOOT : AM_ROLE_RIGHT_FOOT]].translation;
        }
    }
    assert_true(answered > 30 && c->stand->on == 1); // half a second and more, and over at the end
    assert_true(am_v3_distance(ami_pose_of(c).root.translation, start) > 0.05f);
    for (int side = 0; side < 2; side++) {
        am_vec3 now = c->world[joint[side == 0 ? AM_ROLE_LEFT_FOOT : AM_ROLE_RIGHT_FOOT]].translation;
        assert_true(am_v3_distance(now, ankle[side]) < 0.005f);
    }
    am_actor_destroy(c);
    am_physics_destroy(own);
    am_asset_close(asset);
}

static void a_walk_goes_on_beside_its_track(void **state)
{
    (void)state;
    pushed p, still;
    pushed_make(&p, AM_KEY_W, AM_ROLE_CHEST, am_v3(300.0f, 0.0f, 0.0f));
    pushed_make(&still, AM_KEY_W, AM_ROLE_CHEST, am_v3(0.01f, 0.0f, 0.0f));
    am_vec3 moved = am_v3_sub(place(&p.w), place(&still.w));
    assert_true(moved.x > 0.1f && moved.x < 0.8f);
    am_balance b = am_balance_measure(&p.motion, (float)before * DT, am_v3(0.0f, 0.0f, 1.2f));
    am_balance usual = am_balance_measure(&still.motion, (float)before * DT, am_v3(0.0f, 0.0f, 1.2f));
    assert_true(b.slide_cm < usual.slide_cm + 3.0f);
    assert_true(b.balance_s < 1.5f);
    pushed_free(&p);
    pushed_free(&still);
}

static void a_step_under_way_is_part_of_a_snapshot(void **state)
{
    (void)state;
    pushed p;
    pushed_make(&p, 0, AM_ROLE_CHEST, am_v3(0.0f, 0.0f, 380.0f));
    am_error err = { 0 };
    am_vec3 force = am_v3(0.0f, 0.0f, -380.0f);
    check_ok(am_actor_push(p.w.character, shared_db->roles.joint[AM_ROLE_CHEST], &force, 0.1f, &err), &err);
    hold(&p.w, 0, 0.25f);
    assert_true(p.w.character->push.head->capture.swing > 0);
    size_t size = am_actor_snapshot(p.w.character, NULL, 0);
    void *snapshot = malloc(size);
    am_actor_snapshot(p.w.character, snapshot, size);
    hold(&p.w, 0, 1.0f);
    uint64_t hash = am_actor_hash(p.w.character);
    hold(&p.w, AM_KEY_A, 0.3f);
    check_ok(am_actor_restore(p.w.character, snapshot, size, &err), &err);
    hold(&p.w, 0, 1.0f);
    assert_true(am_actor_hash(p.w.character) == hash);
    free(snapshot);
    pushed_free(&p);
}

static void the_hull_of_the_feet_holds_what_lies_between_them(void **state)
{
    (void)state;
    const am_vec3 feet[4] = {
        { 0.1f, 0.0f, 0.2f }, { 0.1f, 0.0f, 0.0f }, { -0.1f, 0.0f, 0.2f }, { -0.1f, 0.0f, 0.0f }
    };
    am_vec3 in = am_v3(0.05f, 0.9f, 0.13f), out = am_v3(0.3f, 0.9f, 0.1f), corner = am_v3(-0.2f, 0.0f, -0.1f);
    check_near(am_v3_distance(ami_hull_nearest(feet, 4, in), am_v3_ground(in)), 0.0f, 1e-6f);
    check_near(am_v3_distance(ami_hull_nearest(feet, 4, out), am_v3(0.1f, 0.0f, 0.1f)), 0.0f, 1e-6f);
    check_near(am_v3_distance(ami_hull_nearest(feet, 4, corner), feet[3]), 0.0f, 1e-6f);
}

TEST_SUITE(push_step)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_light_push_is_taken_without_a_step),
        cmocka_unit_test(strong_pushes_on_a_standing_character_are_caught_by_one_or_two_steps),
        cmocka_unit_test(a_standing_character_stays_one_while_steps_answer),
        cmocka_unit_test(a_walk_goes_on_beside_its_track),
        cmocka_unit_test(a_step_under_way_is_part_of_a_snapshot),
        cmocka_unit_test(the_hull_of_the_feet_holds_what_lies_between_them),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
