// Gaits in place, other strides and loops, made from synth motion, whose truth is known.
#include "clip/track.h"
#include "support/motion.h"

#include <amble/tools/synth.h>

static am_synth make(am_synth_kind kind, float speed)
{
    am_synth_def def = am_synth_def_default();
    def.kind = kind;
    def.speed = speed;
    def.seconds = 6.0f;
    def.fps = 60.0f;
    am_synth synth = { 0 };
    am_error err = { 0 };
    assert_int_equal(am_synth_make(&synth, &def, &err), AM_OK);
    return synth;
}

/// Two seconds of steady gait; in place the mean way of the hips is taken out.
static am_clip *steady(const am_synth *synth, bool in_place)
{
    am_clip *clip = NULL;
    am_error err = { 0 };
    assert_int_equal(am_clip_trim(&clip, synth->clip, 150, 270, NULL, &err), AM_OK);
    size_t row = (size_t)clip->moving_count;
    am_vec3 way = am_v3_sub(clip->translations[120 * row], clip->translations[0]);
    for (int f = 0; in_place && f < clip->frame_count; f++) {
        am_vec3 *hips = &clip->translations[(size_t)f * row];
        hips->x -= way.x * (float)f / 120.0f;
        hips->z -= way.z * (float)f / 120.0f;
    }
    return clip;
}

static void a_gait_in_place_gets_its_way_back(void **state)
{
    (void)state;
    const float speeds[2] = { 1.3f, 3.0f };
    for (int i = 0; i < 2; i++) {
        am_synth synth = make(i == 0 ? AM_SYNTH_WALK : AM_SYNTH_RUN, speeds[i]);
        am_clip *clip = steady(&synth, true);
        am_clip *captured = steady(&synth, false);
        am_roles roles = am_roles_guess(clip->skeleton);
        am_error err = { 0 };
        float speed = 0.0f;
        assert_int_equal(am_clip_find_in_place(&speed, captured, &roles, NULL, &err), AM_OK);
        check_near(speed, 0.0f, 0.0);
        assert_int_equal(am_clip_find_in_place(&speed, clip, &roles, NULL, &err), AM_OK);
        am_clip *made = NULL;
        assert_int_equal(am_clip_give_motion(&made, clip, &roles, NULL, &err), AM_OK);
        size_t last = 120 * (size_t)clip->moving_count;
        float truth = am_v3_distance(captured->translations[last], captured->translations[0]);
        float given = am_v3_distance(made->translations[last], made->translations[0]);
        check_near(speed, truth / 2.0f, 0.15 * (double)truth / 2.0);
        check_near(given, truth, 0.15 * (double)truth);
        am_clip_destroy(made);
        am_clip_destroy(captured);
        am_clip_destroy(clip);
        am_synth_free(&synth);
    }
}

/// How fast toes slide in the middle of their stances, m/s.
static float slide_of(const am_clip *clip, const am_roles *roles)
{
    static const am_role toes[2] = { AM_ROLE_LEFT_TOE, AM_ROLE_RIGHT_TOE };
    float sum = 0.0f;
    int count = 0;
    for (int side = 0; side < 2; side++) {
        const int toe = roles->joint[toes[side]];
        float lowest = INFINITY;
        for (int f = 0; f < clip->frame_count; f++) {
            lowest = am_min(lowest, test_position(clip, f, toe).y);
        }
        for (int f = 3; f + 3 < clip->frame_count; f++) {
            bool low = true;
            for (int k = f - 3; k <= f + 3; k++) {
                low = low && test_position(clip, k, toe).y < lowest + 0.02f;
            }
            if (low) { // the middle of a stance
                am_vec3 way = am_v3_sub(test_position(clip, f + 1, toe), test_position(clip, f - 1, toe));
                sum += am_v3_length(am_v3_ground(way)) * clip->fps / 2.0f;
                count++;
            }
        }
    }
    assert_true(count > 0);
    return sum / (float)count;
}

static void feet_of_other_strides_stand(void **state)
{
    (void)state;
    am_synth synth = make(AM_SYNTH_WALK, 1.3f);
    am_clip *clip = steady(&synth, false);
    am_roles roles = am_roles_guess(clip->skeleton);
    am_error err = { 0 };
    const float strides[3] = { 0.6f, 0.87f, 1.25f };
    const size_t last = 120 * (size_t)clip->moving_count;
    float truth = am_v3_distance(clip->translations[last], clip->translations[0]);
    float captured = slide_of(clip, &roles);
    for (int i = 0; i < 3; i++) {
        am_clip *made = NULL;
        assert_int_equal(am_clip_stride(&made, NULL, clip, &roles, strides[i], NULL, &err), AM_OK);
        float way = am_v3_distance(made->translations[last], made->translations[0]);
        float slide = slide_of(made, &roles);
        printf("stride %.2f: %.2f of %.2f m, planted toes slide at %.3f m/s (captured %.3f)\n", (double)strides[i],
               (double)way, (double)truth, (double)slide, (double)captured);
        check_near(way, strides[i] * truth, 0.03 * (double)truth);
        assert_true(slide < captured + 0.05f);
        for (int f = 0; f < made->frame_count; f++) { // what is in the air falls as before
            size_t at = (size_t)f * (size_t)clip->moving_count;
            check_near(made->translations[at].y, clip->translations[at].y, 0.01);
        }
        am_clip_destroy(made);
    }
    am_clip *made = NULL;
    assert_int_equal(am_clip_stride(&made, NULL, clip, &roles, 0.1f, NULL, &err), AM_ERR_RANGE);
    assert_int_equal(am_clip_stride(&made, NULL, clip, &roles, NAN, NULL, &err), AM_ERR_RANGE);
    assert_null(made);
    am_clip_destroy(clip);
    am_synth_free(&synth);
}

/// A run in place at twice its rate slides faster than people run.
static void a_sprint_in_place_gets_the_speed_of_people(void **state)
{
    (void)state;
    am_synth synth = make(AM_SYNTH_RUN, 3.5f);
    am_clip *clip = steady(&synth, true);
    clip->fps *= 2.0f;
    am_roles roles = am_roles_guess(clip->skeleton);
    am_error err = { 0 };
    float speed = 0.0f;
    assert_int_equal(am_clip_find_in_place(&speed, clip, &roles, NULL, &err), AM_OK);
    assert_true(speed > AM_SPRINT_MPS + 0.5f);
    am_clip *made = NULL;
    assert_int_equal(am_clip_give_motion(&made, clip, &roles, NULL, &err), AM_OK);
    const size_t last = (size_t)(made->frame_count - 1) * (size_t)made->moving_count;
    float way = am_v3_distance(made->translations[last], made->translations[0]);
    check_near(way * made->fps / (float)(made->frame_count - 1), AM_SPRINT_MPS, 0.3);
    assert_true(slide_of(made, &roles) < 0.3f);
    am_clip_destroy(made);
    am_clip_destroy(clip);
    am_synth_free(&synth);
}

/// A swinging arm: `frames` of a round of 40.
static am_clip *swing(int frames)
{
    am_synth synth = make(AM_SYNTH_STAND, 0.0f);
    am_clip *clip = NULL;
    am_error err = { 0 };
    assert_int_equal(am_clip_trim(&clip, synth.clip, 0, frames - 1, NULL, &err), AM_OK);
    size_t joints = (size_t)clip->skeleton->joint_count;
    for (int f = 0; f < frames; f++) {
        for (size_t j = 0; j < joints; j++) {
            clip->rotations[(size_t)f * joints + j] = clip->rotations[j];
        }
        clip->translations[(size_t)f * (size_t)clip->moving_count] =
            am_v3(0.0f, 1.0f + 0.1f * am_sin(6.2831853f * (float)f / 40.0f), 0.05f * (float)f);
        clip->rotations[(size_t)f * joints] = am_quat_from_heading(0.5f * am_sin(6.2831853f * (float)f / 40.0f));
    }
    am_synth_free(&synth);
    return clip;
}

static void a_loop_is_found_with_and_without_its_first_frame_again(void **state)
{
    (void)state;
    const int frames[3] = { 41, 40, 30 };
    const int periods[3] = { 40, 40, 0 };
    for (int i = 0; i < 3; i++) {
        am_clip *clip = swing(frames[i]);
        assert_int_equal(am_clip_find_loop(clip), periods[i]);
        am_clip_destroy(clip);
    }
}

static void an_unrolled_loop_goes_on_where_a_round_ended(void **state)
{
    (void)state;
    am_error err = { 0 };
    for (int frames = 40; frames <= 41; frames++) {
        am_clip *clip = swing(frames);
        am_clip *made = NULL;
        assert_int_equal(am_clip_unroll(&made, clip, 40, 3, NULL, &err), AM_OK);
        assert_int_equal(made->frame_count, frames == 41 ? 121 : 120);
        for (int f = 0; f < made->frame_count; f++) {
            check_near(made->translations[(size_t)f * (size_t)made->moving_count].z, 0.05f * (float)f, 1e-4);
        }
        am_clip_destroy(clip);
        assert_int_equal(am_clip_unroll(&clip, made, 1, 3, NULL, &err), AM_ERR_RANGE);
        assert_null(clip);
        am_clip_destroy(made);
    }
}

TEST_SUITE(games)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gait_in_place_gets_its_way_back),
        cmocka_unit_test(feet_of_other_strides_stand),
        cmocka_unit_test(a_sprint_in_place_gets_the_speed_of_people),
        cmocka_unit_test(a_loop_is_found_with_and_without_its_first_frame_again),
        cmocka_unit_test(an_unrolled_loop_goes_on_where_a_round_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
