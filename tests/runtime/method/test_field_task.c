// Tasks of motion fields against plain geometry, and their grids against plain interpolation.
#include "support/check.h"
#include "base/rng.h"
#include "method/task.h"

#include <math.h>

static ami_field_task task_called(const char *name)
{
    ami_field_task task;
    assert_true(ami_field_task_find(&task, name));
    return task;
}

static am_transform root_at(float x, float z, float heading)
{
    am_transform root = { am_quat_from_heading(heading), { x, 0.0f, z } };
    return root;
}

/// The root after a step, by plain composition.
static am_transform moved(am_transform root, ami_field_step step)
{
    const am_transform local = { am_quat_from_heading(step.turn), { step.x, 0.0f, step.z } };
    return am_transform_mul(root, local);
}

/// theta after a step of the root is the theta that is read there.
static void advance_is_what_is_read_after_the_step(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(1);
    for (int t = 0; ami_field_task_name(t); t++) {
        const ami_field_task task = task_called(ami_field_task_name(t));
        for (int i = 0; i < 500; i++) {
            const am_transform root = root_at(am_rng_range(&rng, -1.0f, 1.0f), am_rng_range(&rng, -1.0f, 1.0f),
                                              am_rng_range(&rng, -3.0f, 3.0f));
            const ami_field_target target = { am_rng_range(&rng, -3.0f, 3.0f),
                                              am_rng_range(&rng, 0.0f, 3.0f),
                                              { am_rng_range(&rng, -1.0f, 1.0f), 0.0f,
                                                am_rng_range(&rng, -1.0f, 1.0f) },
                                              true };
            const ami_field_step step = { am_rng_range(&rng, -0.1f, 0.1f), am_rng_range(&rng, -0.1f, 0.1f),
                                          am_rng_range(&rng, -0.3f, 0.3f) };
            float theta[AMI_FIELD_MAX_AXES], next[AMI_FIELD_MAX_AXES], read[AMI_FIELD_MAX_AXES];
            task.read(&task, theta, &target, root);
            task.advance(&task, next, theta, step);
            task.read(&task, read, &target, moved(root, step));
            for (int a = 0; a < task.axes; a++) {
                const float off = task.axis[a].cyclic ? am_wrap_angle(next[a] - read[a]) : next[a] - read[a];
                check_near(off, 0.0, 1e-4);
            }
            task.advance(&task, theta, theta, step); // in place
            assert_memory_equal(theta, next, (size_t)task.axes * sizeof *theta);
        }
    }
}

static void a_target_is_read_as_geometry_says(void **state)
{
    (void)state;
    const ami_field_task direction = task_called("direction"), line = task_called("line"),
                         point = task_called("point"), speed = task_called("speed");
    float theta[AMI_FIELD_MAX_AXES];
    const am_transform root = root_at(2.0f, 1.0f, 0.5f);
    ami_field_target target = { .heading = 0.75f, .speed = 1.5f, .point = { 1.0f, 0.0f, 5.0f } };
    direction.read(&direction, theta, &target, root);
    check_near(theta[0], 0.25, 1e-6); // the target lies to the left
    speed.read(&speed, theta, &target, root);
    check_near(theta[1], 1.5, 0.0);
    target.heading = 0.0f; // a line along +z through x = 1: the root stands 1 m to its left
    line.read(&line, theta, &target, root);
    check_near(theta[0], -0.5, 1e-6);
    check_near(theta[1], 1.0, 1e-6);
    target.heading = AM_PI; // seen the other way it stands to its right
    line.read(&line, theta, &target, root);
    check_near(theta[1], -1.0, 1e-6);
    point.read(&point, theta, &target, root_at(1.0f, 2.0f, 0.0f)); // 3 m ahead
    check_near(theta[0], 0.0, 1e-6);
    check_near(theta[1], 3.0, 1e-6);
    point.read(&point, theta, &target, root_at(1.0f, 4.0f, AM_PI / 2.0f)); // facing +x, 1 m to the right
    check_near(theta[0], -1.0, 1e-6);
    check_near(theta[1], 0.0, 1e-6);
    point.read(&point, theta, &target, root_at(1.0f, -100.0f, 0.0f)); // far away: the same direction, at the rim
    check_near(theta[1], point.axis[1].high, 1e-5);
}

static void rewards_are_the_papers_with_their_weights(void **state)
{
    (void)state;
    const ami_field_task direction = task_called("direction"), line = task_called("line"),
                         point = task_called("point"), speed = task_called("speed");
    const ami_field_step step = { 0.03f, 0.04f, 0.1f };
    const float theta[2] = { -0.5f, 0.4f };
    check_near(direction.reward(&direction, theta, step), -0.5, 1e-6);
    check_near(line.reward(&line, theta, step), -0.5 - (double)line.weight * 0.4, 1e-6);
    check_near(speed.reward(&speed, theta, step), -0.5 - (double)speed.weight * (1.5 - 0.4), 1e-5);
    check_near(point.reward(&point, theta, step), -(sqrt(0.41) - 0.3) - 0.2 * 1.5, 1e-5);
    const float near[2] = { 0.1f, -0.2f }; // as good as there
    check_near(point.reward(&point, near, step), -0.2 * 1.5, 1e-5);
    ami_field_task none;
    assert_false(ami_field_task_find(&none, "dance"));
    assert_null(ami_field_task_name(-1));
}

static void turns_that_no_steps_make_cost(void **state)
{
    (void)state;
    const ami_field_task point = task_called("point"), speed = task_called("speed");
    const float theta[2] = { 0.0f, 0.0f };
    const ami_field_step slow = { 0.0f, 0.0f, 0.5f / 30.0f }, spin = { 0.0f, 0.0f, 2.0f / 30.0f },
                         walk = { 0.0f, 1.0f / 30.0f, 2.0f / 30.0f };
    check_near(speed.reward(&speed, theta, slow), 0.0, 1e-6);
    check_near(speed.reward(&speed, theta, spin), -1.5, 1e-5);
    check_near(point.reward(&point, theta, spin), -1.5, 1e-5);
    check_near(speed.reward(&speed, theta, walk), -(double)speed.weight, 1e-5); // a walking character may
}

static void who_is_let_go_stands_as_they_face(void **state)
{
    (void)state;
    const ami_field_task direction = task_called("direction"), point = task_called("point"),
                         speed = task_called("speed");
    float theta[AMI_FIELD_MAX_AXES];
    ami_field_target target = { .heading = 0.75f };
    speed.read(&speed, theta, &target, root_at(0.0f, 0.0f, 0.5f));
    check_near(theta[0], 0.0, 0.0);
    assert_true(speed.rests(&speed, theta));
    target.faces = true;
    speed.read(&speed, theta, &target, root_at(0.0f, 0.0f, 0.5f));
    check_near(theta[0], 0.25, 1e-6);
    target.speed = 1.0f;
    target.faces = false;
    speed.read(&speed, theta, &target, root_at(0.0f, 0.0f, 0.5f));
    check_near(theta[0], 0.25, 1e-6);
    assert_false(speed.rests(&speed, theta));
    const float near[2] = { 0.2f, -0.4f }, far[2] = { 0.3f, 0.45f };
    assert_true(point.rests(&point, near));
    assert_false(point.rests(&point, far));
    assert_null(direction.rests);
}

static void grids_have_the_papers_samples(void **state)
{
    (void)state;
    const ami_field_task direction = task_called("direction"), line = task_called("line");
    float theta[AMI_FIELD_MAX_AXES];
    assert_int_equal(ami_field_task_cells(&direction), 18);
    assert_int_equal(ami_field_task_cells(&line), 18 * 13);
    ami_field_task_theta(&direction, theta, 9);
    check_near(theta[0], 0.0, 1e-6);
    ami_field_task_theta(&line, theta, 12);
    check_near(theta[1], 2.0, 1e-6);
    ami_field_task_theta(&line, theta, 13 * 10 + 6);
    check_near(theta[0], 20.0 * (double)AM_DEG, 1e-6);
    check_near(theta[1], 0.0, 1e-6);
    ami_field_task_theta(&line, theta, 7); // at squares of even distances from the line
    check_near(theta[1], 2.0 / 36.0, 1e-6);
    ami_field_task_theta(&line, theta, 3);
    check_near(theta[1], -0.5, 1e-6);
    ami_field_task bad = direction;
    bad.axes = 0;
    assert_int_equal(ami_field_task_cells(&bad), 0);
    bad = direction;
    bad.axis[0].samples = 1;
    assert_int_equal(ami_field_task_cells(&bad), 0);
    bad = direction;
    bad.axis[0].high = NAN;
    assert_int_equal(ami_field_task_cells(&bad), 0);
    bad = line;
    bad.axis[1].samples = AMI_FIELD_MAX_CELLS;
    assert_int_equal(ami_field_task_cells(&bad), 0);
}

static float interpolated(const ami_field_task *task, const float *theta, float (*of)(const float *))
{
    ami_field_corners corners;
    ami_field_task_corners(task, &corners, theta);
    float sum = 0.0f, shares = 0.0f;
    for (int c = 0; c < corners.count; c++) {
        float at[AMI_FIELD_MAX_AXES];
        assert_true(corners.cell[c] >= 0 && corners.cell[c] < ami_field_task_cells(task));
        assert_true(corners.share[c] >= 0.0f);
        ami_field_task_theta(task, at, corners.cell[c]);
        sum += corners.share[c] * of(at);
        shares += corners.share[c];
    }
    check_near(shares, 1.0, 1e-6);
    return sum;
}

static float cosine_of(const float *theta) { return am_cos(theta[0]); }
static float plane_of(const float *theta) { return 3.0f + 2.0f * theta[1]; }

static void interpolation_goes_round_where_an_axis_is_cyclic(void **state)
{
    (void)state;
    const ami_field_task direction = task_called("direction"), line = task_called("line");
    for (float angle = -9.0f; angle < 9.0f;
         angle += 0.01f) { // more than once around: 20 degrees apart, 1.5 % at most
        check_near(interpolated(&direction, &angle, cosine_of), am_cos(angle), 0.016);
    }
    for (float d = -3.0f; d < 3.0f; d += 0.01f) { // linear inside, the end's value beyond
        const float theta[2] = { 3.1f, d };
        check_near(interpolated(&line, theta, plane_of), 3.0f + 2.0f * am_clamp(d, -2.0f, 2.0f), 1e-5);
    }
    ami_field_task dense = direction;
    dense.axis[0].dense = 1;
    for (float angle = -9.0f; angle < 9.0f; angle += 0.01f) { // 38 degrees apart where they are farthest
        check_near(interpolated(&dense, &angle, cosine_of), am_cos(angle), 0.056);
    }
    const float nowhere[2] = { NAN, INFINITY };
    interpolated(&line, nowhere, plane_of); // a place all the same
}

TEST_SUITE(field_task)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advance_is_what_is_read_after_the_step),
        cmocka_unit_test(a_target_is_read_as_geometry_says),
        cmocka_unit_test(rewards_are_the_papers_with_their_weights),
        cmocka_unit_test(turns_that_no_steps_make_cost),
        cmocka_unit_test(who_is_let_go_stands_as_they_face),
        cmocka_unit_test(grids_have_the_papers_samples),
        cmocka_unit_test(interpolation_goes_round_where_an_axis_is_cyclic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
