// The learned character that ships, at play without any data: half a minute of a random stick, stops and standing.
#include "actor/get.h"
#include "data/facts.h"
#include "wander.h"
#include "support/check.h"
#include "actor/intent.h"
#include "method/sources.h"

#include <math.h>

#define DT (1.0f / 60.0f)

typedef struct player {
    am_model *model;
    am_source *source;
    am_actor *character;
} player;

static void begin(player *p)
{
    am_error err = { 0 };
    check_ok(am_model_open(&p->model, AMBLE_SOURCE_DIR "/models/locomotion.amnet", NULL, &err), &err);
    ami_learned_def def = ami_learned_def_default();
    def.model = p->model;
    check_ok(ami_learned_create(&p->source, &def, &err), &err);
    am_actor_def body;
    am_actor_def_init(&body, NULL);
    body.source = p->source;
    check_ok(am_actor_create(&p->character, &body, &err), &err);
}

static void end(player *p)
{
    am_actor_destroy(p->character);
    ami_source_destroy(p->source);
    am_model_close(p->model);
}

/// The fastest joint relative to the root, m/s; the poses become `before`.
static float fastest_joint(const am_actor_pose *pose, am_vec3 *before, int joints)
{
    float fastest = 0.0f;
    for (int j = 0; j < joints; j++) {
        am_vec3 at = am_transform_mul(am_transform_inv(pose->root), pose->world[j]).translation;
        fastest = am_max(fastest, am_v3_distance(at, before[j]) / DT);
        before[j] = at;
    }
    return fastest;
}

static void a_random_stick_neither_explodes_nor_freezes_nor_skates(void **state)
{
    (void)state;
    player p;
    begin(&p);
    int joints = p.source->skeleton->joint_count;
    am_error err = { 0 };
    am_meter *meter = NULL;
    am_meter_def meter_def = am_meter_def_default();
    meter_def.skeleton = p.source->skeleton;
    meter_def.roles = p.source->roles;
    check_ok(am_meter_create(&meter, &meter_def, &err), &err);
    am_intent_def intents = ami_intent_def_for(p.source);
    am_intent_state devices;
    am_intent_state_init(&devices, &intents);
    lab_wander wander = lab_wander_make(3);
    am_vec3 before[AM_MAX_JOINTS] = { { 0 } };
    int still = 0, longest = 0;
    float way = 0.0f;
    am_vec3 last = am_v3_zero();
    for (int f = 0; f < 20 * 60; f++) {
        am_gamepad pad = lab_wander_next(&wander, DT);
        am_intent intent = ami_intent_from_gamepad(&devices, &intents, &pad, DT);
        am_actor_step(p.character, &intent, DT);
        am_actor_pose pose = ami_pose_of(p.character);
        float fastest = fastest_joint(&pose, before, joints);
        float hips = pose.world[0].translation.y;
        assert_true(hips > 0.75f * p.source->facts->hip_m && hips < 1.2f * p.source->facts->hip_m);
        assert_true(f == 0 || fastest < 20.0f); // hands of sprinters go 8 m/s
        still = am_v3_length(intent.velocity) > 0.3f && fastest < 0.05f ? still + 1 : 0;
        longest = still > longest ? still : longest;
        way += am_v3_distance(pose.root.translation, last);
        last = pose.root.translation;
        am_meter_add(meter, pose.world, DT, ami_view_of(p.character).output->transition);
    }
    am_quality quality = am_meter_result(meter);
    assert_true(longest < 15);
    assert_true(way > 10.0f && way < 60.0f);
    assert_true(quality.foot_slide_cm < 0.03); // matching: 0.01
    assert_true(quality.jitter_cm < 1.2 * (double)p.source->facts->jitter_cm);
    assert_true(ami_view_of(p.character).fallback_frames == 0);
    am_meter_destroy(meter);
    end(&p);
}

static float go(player *p, am_vec3 velocity, int frames)
{
    am_intent intent = { .velocity = velocity };
    am_vec3 from = ami_pose_of(p->character).root.translation;
    for (int f = 0; f < frames; f++) {
        am_actor_step(p->character, &intent, DT);
    }
    return am_v3_distance(ami_pose_of(p->character).root.translation, from);
}

static void a_walk_stops_within_a_second_and_then_stands_where_it_is(void **state)
{
    (void)state;
    player p;
    begin(&p);
    float walk = p.source->facts->walk_mps;
    for (int i = 0; i < 6; i++) {
        float angle = 1.1f * (float)i;
        am_vec3 target = am_v3_scale(am_v3(am_sin(angle), 0.0f, am_cos(angle)), walk);
        assert_true(go(&p, target, 90 + 7 * i) > 0.5f * walk); // the feet are elsewhere each time
        go(&p, am_v3_zero(), 54);
        assert_true(go(&p, am_v3_zero(), 12) < 0.2f * 0.1f); // slower than 0.1 m/s from 0.9 s on
        assert_true(go(&p, am_v3_zero(), 60) < 0.05f);
    }
    assert_true(go(&p, am_v3_zero(), 1200) < 0.1f);
    assert_int_equal(ami_view_of(p.character).activity, AM_ACTIVITY_STAND);
    end(&p);
}

static void a_hand_that_wanders_is_the_same_for_the_same_seed_and_does_all_there_is(void **state)
{
    (void)state;
    lab_wander a = lab_wander_make(7), b = lab_wander_make(7), c = lab_wander_make(8);
    int rests = 0, runs = 0, turns = 0, differs = 0;
    for (int f = 0; f < 60 * 60; f++) {
        am_gamepad pad = lab_wander_next(&a, DT), same = lab_wander_next(&b, DT), other = lab_wander_next(&c, DT);
        assert_memory_equal(pad.left, same.left, sizeof pad.left);
        assert_int_equal(pad.buttons, same.buttons);
        float push = sqrtf(pad.left[0] * pad.left[0] + pad.left[1] * pad.left[1]);
        assert_true(push < 1.001f && (push == 0.0f || push > 0.39f));
        rests += push == 0.0f;
        runs += (pad.buttons & AM_KEY_SHIFT) != 0;
        turns += a.turn != 0.0f;
        differs += pad.left[0] != other.left[0];
    }
    assert_true(rests > 200 && runs > 400 && turns > 400 && differs > 3000);
}

TEST_SUITE(learned_play)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_stick_neither_explodes_nor_freezes_nor_skates),
        cmocka_unit_test(a_walk_stops_within_a_second_and_then_stands_where_it_is),
        cmocka_unit_test(a_hand_that_wanders_is_the_same_for_the_same_seed_and_does_all_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
