// Response times of made-up sources whose answers are known.
#include "agility.h"
#include "support/check.h"
#include "base/memory.h"
#include "base/budget.h"
#include "data/search.h"

#include <math.h>

#define DT (1.0f / 30.0f)

/// A source that turns at a fixed rate, and past the target by some angle before it comes back.
typedef struct turner {
    am_source base;
    float per_step, past; ///< rad
    am_db db;
    am_skeleton skeleton;
} turner;

typedef struct turner_state {
    float desired;
    float goal; ///< in the world; beyond the target at first
    int32_t back, reserved;
} turner_state;

static const turner *turner_of(const am_source *source) { return (const turner *)(const void *)source; }

static size_t turner_size(const am_source *source)
{
    (void)source;
    return sizeof(turner_state);
}

static void turner_reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    (void)source, (void)frame, (void)settings;
    memset(state, 0, sizeof(turner_state));
}

static void turner_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    (void)source, (void)state, (void)out, (void)work;
}

static void turner_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                        am_search_work *work)
{
    (void)work;
    const turner *t = turner_of(source);
    turner_state *s = state;
    float heading = am_quat_heading(input->root.rotation);
    if (am_abs(am_wrap_angle(input->target.heading - s->desired)) > 1e-4f) {
        float angle = am_wrap_angle(input->target.heading - heading);
        s->desired = input->target.heading;
        s->goal = input->target.heading + (angle < 0.0f ? -t->past : t->past);
        s->back = 0;
    }
    float left = am_wrap_angle(s->goal - heading);
    if (am_abs(left) < 1e-3f && !s->back) {
        s->goal = s->desired;
        s->back = 1;
        left = am_wrap_angle(s->goal - heading);
    }
    out->root_angular = am_v3(0.0f, am_clamp(left, -t->per_step, t->per_step) / input->dt, 0.0f);
    out->root_linear = am_v3(0.0f, 0.0f, 1.0f);
}

static void turner_destroy(am_source *source) { (void)source; }

static const am_source_interface interface = { .name = "turner",
                                               .state_size = turner_size,
                                               .reset = turner_reset,
                                               .pose = turner_pose,
                                               .step = turner_step,
                                               .destroy = turner_destroy };

static void turner_make(turner *t, float per_step_deg, float past_deg)
{
    *t = (turner){ .per_step = per_step_deg * AM_DEG, .past = past_deg * AM_DEG };
    t->db.frame_count = 10;
    t->skeleton.joint_count = 1;
    t->base = (am_source){ .interface = &interface, .skeleton = &t->skeleton, .db = &t->db };
    t->base.alloc = ami_alloc_or_default(NULL);
}

static lab_agility measure(const turner *t, const lab_agility_def *changed)
{
    am_error err = { 0 };
    lab_agility out;
    lab_agility_def def = *changed;
    def.source = &t->base;
    check_ok(lab_agility_measure(&out, &def, &err), &err);
    return out;
}

static void a_steady_turn_takes_what_it_must(void **state)
{
    (void)state;
    turner t;
    turner_make(&t, 3.7f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    def.starts = 2;
    lab_agility out = measure(&t, &def);
    double sum = 0.0;
    for (int change = 10; change <= 180; change += 10) {
        sum += (double)(((change - 5) * 10 + 36) / 37) / 30.0; // steps of 3.7 degrees until 5 are left
    }
    assert_int_equal(out.trials, 72);
    assert_int_equal(out.late, 0);
    check_near(out.minimum, 2.0 / 30.0, 1e-5);
    check_near(out.average, sum / 18.0, 1e-5);
    check_near(out.maximum, 48.0 / 30.0, 1e-5);
    assert_true(out.median > 0.7f && out.median < 0.9f);
}

static void passing_by_does_not_count(void **state)
{
    (void)state;
    turner t;
    turner_make(&t, 3.0f, 30.0f); // through the target in four steps, back in it after twenty
    lab_agility_def def = lab_agility_def_default();
    def.starts = 1;
    def.changes = 12;
    lab_agility out = measure(&t, &def);
    // 30 degrees there, 30 beyond, 25 back.
    check_near(out.minimum, 29.0 / 30.0, 1e-5);
    def.hold_s = 0.0f;
    check_near(measure(&t, &def).minimum, 9.0 / 30.0, 1e-5);
}

static void what_does_not_arrive_is_late(void **state)
{
    (void)state;
    turner t;
    turner_make(&t, 1.0f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    def.starts = 1;
    lab_agility out = measure(&t, &def);
    // 90 steps of one degree in 3 s: changes of 100 degrees and more do not arrive, 9 of either side.
    assert_int_equal(out.late, 18);
    check_near(out.maximum, 3.0, 1e-5);
}

static void a_line_must_be_reached_too(void **state)
{
    (void)state;
    turner t;
    turner_make(&t, 20.0f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    def.line = true;
    def.offset_m = 0.0f;
    def.starts = 1;
    def.near_m = 10.0f;
    assert_int_equal(measure(&t, &def).late, 0);
    def.near_m = 0.01f; // it turns on the way and never comes back to the line
    assert_true(measure(&t, &def).late > 20);
}

static void any_number_of_threads_measures_the_same(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_pool *pool = NULL;
    check_ok(am_pool_create(&pool, 3, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    turner t;
    turner_make(&t, 7.0f, 10.0f);
    lab_agility_def def = lab_agility_def_default();
    def.line = true;
    lab_agility serial = measure(&t, &def);
    def.tasks = &tasks;
    lab_agility threaded = measure(&t, &def);
    assert_memory_equal(&serial, &threaded, sizeof serial);
    am_pool_destroy(pool);
}

static void the_curve_follows_the_turns(void **state)
{
    (void)state;
    am_error err = { 0 };
    turner t;
    turner_make(&t, 3.0f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    def.source = &t.base;
    const lab_agility_turn turns[2] = { { 0.0f, 150.0f * AM_DEG }, { 2.0f, 90.0f * AM_DEG } };
    float facing[90];
    check_ok(lab_agility_curve(&def, facing, 90, turns, 2, &err), &err);
    check_near(facing[0] / AM_DEG, 3.0, 1e-2);
    check_near(facing[49] / AM_DEG, 150.0, 1e-2);
    check_near(facing[59] / AM_DEG, 150.0, 1e-2);
    check_near(facing[89] / AM_DEG, 240.0, 1e-2); // beyond 180: unwrapped
}

static void answers_in_a_curve_are_those_of_a_measurement(void **state)
{
    (void)state;
    am_error err = { 0 };
    turner t;
    turner_make(&t, 3.0f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    def.source = &t.base;
    // 1.41 s are no whole number of steps: the second turn is seen by step 43, not 42.
    const lab_agility_turn turns[3] = { { 0.0f, 90.0f * AM_DEG },
                                        { 1.41f, -30.0f * AM_DEG },
                                        { 1.41f + 0.5f, 60.0f * AM_DEG } };
    float facing[90], answers[3];
    check_ok(lab_agility_curve(&def, facing, 90, turns, 3, &err), &err);
    lab_agility_answers(&def, answers, facing, 90, turns, 3);
    check_near(facing[42] / AM_DEG, 90.0, 1e-2);
    check_near(facing[43] / AM_DEG, 87.0, 1e-2);
    check_near(answers[0], 29.0 / 30.0, 1e-5); // 85 of 90 degrees, 3 a step
    assert_true(isinf(answers[1]));            // there after 9 steps, but turned away after 15: not held for 0.3 s
    check_near(answers[2], 19.0 / 30.0, 1e-5); // 55 of 60 degrees
    lab_agility_answers(&def, answers, facing, 80, turns, 3);
    assert_true(isinf(answers[2])); // the end comes too soon
}

static void defs_out_of_range_are_refused_and_allocations_may_fail(void **state)
{
    (void)state;
    am_error err = { 0 };
    lab_agility out;
    float facing[4];
    turner t;
    turner_make(&t, 3.0f, 0.0f);
    lab_agility_def def = lab_agility_def_default();
    check_refused(lab_agility_measure(&out, &def, &err), AM_ERR_DEF);
    check_refused(lab_agility_curve(&def, facing, 4, NULL, 0, &err), AM_ERR_DEF);
    def.source = &t.base;
    def.changes = 3;
    check_refused(lab_agility_measure(&out, &def, &err), AM_ERR_DEF);
    def.changes = 2;
    def.starts = 2;
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        def.alloc = &alloc;
        am_result result = lab_agility_measure(&out, &def, &err);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 3);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
    }
}

TEST_SUITE(agility)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_turn_takes_what_it_must),
        cmocka_unit_test(passing_by_does_not_count),
        cmocka_unit_test(what_does_not_arrive_is_late),
        cmocka_unit_test(a_line_must_be_reached_too),
        cmocka_unit_test(any_number_of_threads_measures_the_same),
        cmocka_unit_test(the_curve_follows_the_turns),
        cmocka_unit_test(answers_in_a_curve_are_those_of_a_measurement),
        cmocka_unit_test(defs_out_of_range_are_refused_and_allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
