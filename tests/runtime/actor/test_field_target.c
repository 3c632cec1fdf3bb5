// A target that names a point reaches a source that follows no trajectory.
#include "support/check.h"
#include "support/synth_field.h"
#include "method/sources.h"

static ami_field_task line;
static ami_field_target heard;

/// Reads as the line does, and tells.
static void listen(const ami_field_task *task, float *theta, const ami_field_target *target, am_transform root)
{
    heard = *target;
    line.read(task, theta, target, root);
}

/// What a source hears of an intent.
static ami_field_target tell(const am_intent *target)
{
    am_error err = { 0 };
    am_source *source = NULL;
    am_actor *character = NULL;
    ami_field_source_def def = ami_field_source_def_default();
    def.field = field;
    def.policy = AM_FIELD_GREEDY;
    assert_true(ami_field_task_find(&line, "line"));
    def.task = line;
    def.task.read = listen;
    check_ok(ami_field_source_create(&source, &def, &err), &err);
    am_actor_def setup;
    am_actor_def_init(&setup, NULL);
    setup.source = source;
    setup.settings.root = AM_ROOT_ANIMATION;
    check_ok(am_actor_create(&character, &setup, &err), &err);
    for (int i = 0; i < 2; i++) {
        am_actor_step(character, target, 1.0f / 60.0f);
    }
    am_actor_destroy(character);
    ami_source_destroy(source);
    return heard;
}

static void a_desired_point_reaches_the_source_on_the_ground(void **state)
{
    (void)state;
    const am_vec3 point = { 2.0f, 5.0f, 3.0f };
    const am_vec3 west = { 1.0f, 0.0f, 0.0f };
    am_intent said = { .velocity = west, .facing = west, .point = point, .has_point = true };
    ami_field_target target = tell(&said);
    assert_true(target.point.x == 2.0f && target.point.y == 0.0f && target.point.z == 3.0f);
    assert_float_equal(target.heading, 0.5f * AM_PI, 1e-4f);
    assert_float_equal(target.speed, 1.0f, 1e-5f);
}

static void without_one_or_with_numbers_that_are_none_a_line_begins_at_the_character(void **state)
{
    (void)state;
    am_intent unsaid = { .point = { 2.0f, 0.0f, 3.0f } };
    am_intent broken = { .point = { NAN, 0.0f, 3.0f }, .has_point = true };
    am_vec3 at = tell(&unsaid).point;
    assert_true(am_v3_length(at) < 0.1f);
    at = tell(&broken).point;
    assert_true(am_v3_length(at) < 0.1f);
}

TEST_SUITE(field_target)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_desired_point_reaches_the_source_on_the_ground),
        cmocka_unit_test(without_one_or_with_numbers_that_are_none_a_line_begins_at_the_character),
    };
    return cmocka_run_group_tests(tests, synth_field_open, synth_field_close);
}
