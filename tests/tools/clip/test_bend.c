// Bending along curves: a walk whose way is known, and what its feet do.
#include "clip/track.h"
#include "support/motion.h"

#include <amble/tools/synth.h>

static am_synth make(am_synth_kind kind, float speed)
{
    am_synth_def def = am_synth_def_default();
    def.kind = kind;
    def.speed = speed;
    def.seconds = 8.0f;
    def.fps = 60.0f;
    am_synth synth = { 0 };
    am_error err = { 0 };
    assert_int_equal(am_synth_make(&synth, &def, &err), AM_OK);
    return synth;
}

/// Heading of the ground root of the last frame beside the first, and the length of its way.
static float turn_of(const am_clip *clip, const am_roles *roles, float *length)
{
    enum { most = 1000 };
    am_vec3 positions[most];
    am_quat rotations[most];
    am_root_def def = am_root_def_default();
    am_error err = { 0 };
    assert_true(clip->frame_count <= most);
    assert_int_equal(am_root_track(positions, rotations, clip, roles, &def, NULL, &err), AM_OK);
    float turn = 0.0f;
    *length = 0.0f;
    for (int f = 1; f < clip->frame_count; f++) {
        turn += am_wrap_angle(am_quat_heading(rotations[f]) - am_quat_heading(rotations[f - 1]));
        *length += am_v3_distance(positions[f], positions[f - 1]);
    }
    return turn;
}

static void a_walk_turns_by_what_was_asked_and_its_feet_stand(void **state)
{
    (void)state;
    const float rates[4] = { 0.4f, -0.4f, 1.2f, -2.0f }; // rad a metre
    am_synth synth = make(AM_SYNTH_WALK, 1.3f);
    am_roles roles = am_roles_guess(synth.clip->skeleton);
    float straight_m = 0.0f;
    float straight = turn_of(synth.clip, &roles, &straight_m);
    for (int i = 0; i < 4; i++) {
        am_clip *made = NULL;
        am_bend_error error = { 1.0f, 1.0f };
        am_error err = { 0 };
        assert_int_equal(am_clip_bend(&made, &error, synth.clip, &roles, rates[i], NULL, &err), AM_OK);
        float length = 0.0f;
        float turn = turn_of(made, &roles, &length);
        printf("%+.1f rad/m: turned %.2f of %.2f rad; planted toes off by %.2f cm, at most %.2f\n", (double)rates[i],
               (double)turn, (double)(rates[i] * straight_m), 100.0 * (double)error.slide_m,
               100.0 * (double)error.most_m);
        // The smoothing of a second at both ends sees less of the turn.
        check_near(turn - straight, rates[i] * straight_m, 0.06 * (double)(am_abs(rates[i]) * straight_m));
        if (i < 2) { // in a tight curve the chest leans well inside the way of the root that was bent
            check_near(length, straight_m, 0.05 * (double)straight_m);
        }
        assert_true(error.slide_m < 0.006f);
        assert_true(error.most_m < 0.05f);
        am_clip_destroy(made);
    }
    am_synth_free(&synth);
}

static void what_does_not_move_stays_as_it_is(void **state)
{
    (void)state;
    am_synth synth = make(AM_SYNTH_WALK, 1.3f);
    am_roles roles = am_roles_guess(synth.clip->skeleton);
    am_clip *made = NULL;
    am_bend_error error = { 1.0f, 1.0f };
    am_error err = { 0 };
    assert_int_equal(am_clip_bend(&made, &error, synth.clip, &roles, 0.0f, NULL, &err), AM_OK);
    assert_true(error.most_m < 1e-4f);
    for (int f = 0; f < made->frame_count; f += 7) {
        for (int j = 0; j < made->skeleton->joint_count; j++) {
            am_vec3 at = test_position(made, f, j);
            assert_true(am_v3_distance(at, test_position(synth.clip, f, j)) < 2e-4f);
        }
    }
    am_clip_destroy(made);
    assert_int_equal(am_clip_bend(&made, &error, synth.clip, &roles, NAN, NULL, &err), AM_ERR_RANGE);
    assert_null(made);
    am_synth_free(&synth);
}

static void a_body_leans_into_the_curve(void **state)
{
    (void)state;
    am_synth synth = make(AM_SYNTH_WALK, 1.5f);
    am_roles roles = am_roles_guess(synth.clip->skeleton);
    am_error err = { 0 };
    for (int side = -1; side <= 1; side += 2) {
        am_clip *made = NULL;
        assert_int_equal(am_clip_bend(&made, NULL, synth.clip, &roles, 0.8f * (float)side, NULL, &err), AM_OK);
        int middle = made->frame_count / 2;
        am_vec3 head = test_position(made, middle, roles.joint[AM_ROLE_HEAD]);
        am_vec3 toes[2] = { test_position(made, middle, roles.joint[AM_ROLE_LEFT_TOE]),
                            test_position(made, middle, roles.joint[AM_ROLE_RIGHT_TOE]) };
        am_vec3 hips = test_position(made, middle, roles.joint[AM_ROLE_HIPS]);
        am_vec3 next = test_position(made, middle + 6, roles.joint[AM_ROLE_HIPS]);
        am_vec3 ahead = am_v3_normalize_or(am_v3_ground(am_v3_sub(next, hips)), am_v3_zero());
        am_vec3 left = am_v3(ahead.z, 0.0f, -ahead.x);
        float lean = am_v3_dot(am_v3_sub(head, am_v3_lerp(toes[0], toes[1], 0.5f)), left);
        assert_true((float)side * lean > 0.1f);
        am_clip_destroy(made);
    }
    am_synth_free(&synth);
}

TEST_SUITE(bend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_turns_by_what_was_asked_and_its_feet_stand),
        cmocka_unit_test(what_does_not_move_stays_as_it_is),
        cmocka_unit_test(a_body_leans_into_the_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
