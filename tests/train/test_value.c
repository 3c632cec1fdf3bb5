// Fitted value iteration on small problems whose optimum is known, with threads and with two processes.
//
// The test of processes starts itself under mpirun, as test_mpi does.
#include "support/check.h"

#include "train/value.h"
#include "base/budget.h"
#include "base/rng.h"
#include "base/tasks.h"

#include <math.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Problems

enum { rows = 83, actions = 4, entries = 5 };

typedef struct world {
    ami_field_task task;
    int32_t index[rows * actions * entries];
    float weight[rows * actions * entries];
    ami_field_step steps[rows * actions];
} world;

/// Random states that lead to random mixtures of others.
static world *random_world(const char *task)
{
    world *w = calloc(1, sizeof *w);
    am_rng rng = ami_rng_make(7);
    assert_true(ami_field_task_find(&w->task, task));
    for (int a = 0; a < rows * actions; a++) {
        float sum = 0.0f;
        w->steps[a] = (ami_field_step){ am_rng_range(&rng, -0.05f, 0.05f), am_rng_range(&rng, -0.02f, 0.1f),
                                        am_rng_range(&rng, -0.3f, 0.3f) };
        for (int e = a * entries; e < (a + 1) * entries; e++) {
            w->index[e] = (int32_t)am_rng_below(&rng, rows);
            w->weight[e] = am_rng_float(&rng);
            sum += w->weight[e];
        }
        for (int e = a * entries; e < (a + 1) * entries; e++) {
            w->weight[e] /= sum;
        }
    }
    return w;
}

static ami_value_problem problem_of(const world *w, int first, int count)
{
    return (ami_value_problem){ .task = &w->task,
                                .gamma = 0.97f,
                                .rows = rows,
                                .actions = actions,
                                .entries = entries,
                                .index = w->index + first * actions * entries,
                                .weight = w->weight + first * actions * entries,
                                .steps = w->steps + first * actions,
                                .first = first,
                                .count = count };
}

/// The fixed point by plain iteration in double, straight from the definition.
static void brute_force(const world *w, double *v)
{
    const int cells = ami_field_task_cells(&w->task);
    double *next = calloc(rows * (size_t)cells, sizeof *next);
    for (int sweep = 0; sweep < 1200; sweep++) {
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cells; c++) {
                double best = -1e30;
                for (int a = r * actions; a < (r + 1) * actions; a++) {
                    float theta[AMI_FIELD_MAX_AXES];
                    ami_field_corners at;
                    ami_field_task_theta(&w->task, theta, c);
                    w->task.advance(&w->task, theta, theta, w->steps[a]);
                    ami_field_task_corners(&w->task, &at, theta);
                    double worth = (double)w->task.reward(&w->task, theta, w->steps[a]);
                    for (int e = a * entries; e < (a + 1) * entries; e++) {
                        for (int i = 0; i < at.count; i++) {
                            worth += 0.97 * (double)w->weight[e] * (double)at.share[i] *
                                     v[w->index[e] * cells + at.cell[i]];
                        }
                    }
                    best = worth > best ? worth : best;
                }
                next[r * cells + c] = best;
            }
        }
        memcpy(v, next, rows * (size_t)cells * sizeof *v);
    }
    free(next);
}

/// Sweeps until nothing is farther than 2.5e-3 from the fixed point, which is about what float resolves of a line's
/// values, near -200, times the 33 ticks that count; out(rows, cells).
static int solve(const world *w, const am_tasks *tasks, const am_train_group *group, float *out)
{
    ami_value value;
    am_error err = { 0 };
    const int half = group && group->size == 2 ? rows / 2 : rows;
    const ami_value_problem problem =
        group && group->rank == 1 ? problem_of(w, half, rows - half) : problem_of(w, 0, half);
    check_ok(ami_value_create(&value, &problem, tasks, group, NULL, &err), &err);
    assert_true(isinf(value.bound));
    while (value.bound > 2.5e-3 && value.iterations < 2000) {
        ami_value_sweep(&value);
        ami_value_settle(&value, 4);
    }
    ami_value_sweep(&value);
    const int sweeps = value.iterations;
    ami_value_get(&value, out);
    ami_value_free(&value);
    return sweeps;
}

// ---------------------------------------------------------------------------------------------
// Tests

static void values_of_a_turn_are_what_arithmetic_says(void **state)
{
    (void)state;
    // One state that can stay as it is or turn by one cell, 20 degrees, to either side.
    const double cell = 20.0 * (double)AM_DEG, gamma = 0.9;
    const int32_t index[3] = { 0, 0, 0 };
    const float weight[3] = { 1.0f, 1.0f, 1.0f };
    const ami_field_step steps[3] = { { 0 }, { .turn = (float)cell }, { .turn = (float)-cell } };
    ami_field_task task;
    assert_true(ami_field_task_find(&task, "direction"));
    const ami_value_problem problem = { &task, (float)gamma, 0.0f, 0.0f, 1, 3, 1, index, weight, steps, 0, 1, false };
    const am_tasks serial = ami_tasks_serial();
    ami_value value;
    am_error err = { 0 };
    check_ok(ami_value_create(&value, &problem, &serial, NULL, NULL, &err), &err);
    for (int i = 0; i < 200; i++) {
        ami_value_sweep(&value);
    }
    assert_true(value.bound < 1e-4);
    for (int c = 0; c < 18; c++) {
        double worth = 0.0;
        for (int n = abs(c - 9) - 1, t = 0; n > 0; n--, t++) { // cells still to turn after each tick
            worth -= pow(gamma, t) * n * cell;
        }
        check_near(value.values[c], worth, 1e-4);
    }
    ami_value_free(&value);
}

static void steering_is_worth_its_cost_or_left(void **state)
{
    (void)state;
    // One state that goes straight on, and may be steered by one cell.
    const double cell = 20.0 * (double)AM_DEG, gamma = 0.9, costs[2] = { 0.01, 1e3 };
    const int32_t index[1] = { 0 };
    const float weight[1] = { 1.0f };
    const ami_field_step steps[1] = { { 0 } };
    ami_field_task task;
    assert_true(ami_field_task_find(&task, "direction"));
    for (int i = 0; i < 2; i++) {
        const ami_value_problem problem = { &task, (float)gamma, (float)cell, (float)costs[i], 1, 1,
                                            1,     index,        weight,      steps,           0, 1,
                                            false };
        const am_tasks serial = ami_tasks_serial();
        ami_value value;
        am_error err = { 0 };
        check_ok(ami_value_create(&value, &problem, &serial, NULL, NULL, &err), &err);
        for (int k = 0; k < 200; k++) {
            ami_value_sweep(&value);
            ami_value_settle(&value, 2);
        }
        for (int c = 0; c < 18; c++) {
            double worth = i == 0 ? 0.0 : -abs(c - 9) * cell / (1.0 - gamma);
            for (int n = abs(c - 9), t = 0; i == 0 && n > 0; n--, t++) { // each tick a cell nearer, at its cost
                worth -= pow(gamma, t) * ((n - 1) + costs[i]) * cell;
            }
            check_near(value.values[c], worth, 1e-3);
        }
        ami_value_free(&value);
    }
}

static void more_processes_than_can_share_changes_are_refused(void **state)
{
    (void)state;
    const int32_t index[1] = { 0 };
    const float weight[1] = { 1.0f };
    const ami_field_step steps[1] = { { 0 } };
    ami_field_task task;
    assert_true(ami_field_task_find(&task, "direction"));
    const ami_value_problem problem = { &task, 0.9f, 0.0f, 0.0f, 1, 1, 1, index, weight, steps, 0, 1, false };
    const am_tasks serial = ami_tasks_serial();
    const am_train_group group = { .size = 1025 };
    ami_value value;
    check_refused(ami_value_create(&value, &problem, &serial, &group, NULL, NULL), AM_ERR_RANGE);
    ami_value_free(&value);
}

static void values_are_the_fixed_point_of_plain_iteration(void **state)
{
    (void)state;
    static const char *const names[] = { "direction", "line" };
    for (int t = 0; t < 2; t++) {
        world *w = random_world(names[t]);
        const int cells = ami_field_task_cells(&w->task);
        double *plain = calloc(rows * (size_t)cells, sizeof *plain);
        float *found = calloc(rows * (size_t)cells, sizeof *found);
        const am_tasks serial = ami_tasks_serial();
        const int sweeps = solve(w, &serial, NULL, found);
        assert_true(sweeps < 150); // the common height is found at once, not at the rate gamma
        if (t == 0) {              // the line's grid would take long in double
            brute_force(w, plain);
            for (int i = 0; i < rows * cells; i++) {
                check_near(found[i], plain[i], 2e-3);
            }
        }
        float least = 0.0f, most = -1e9f;
        for (int i = 0; i < rows * cells; i++) {
            least = am_min(least, found[i]);
            most = am_max(most, found[i]);
        }
        assert_true(most < 0.0f && least < most - 1.0f);
        free(plain);
        free(found);
        free(w);
    }
}

static void a_line_is_swept_as_any_other_task_is(void **state)
{
    (void)state;
    const float steers[] = { 0.0f, 0.13f, 0.9f };
    for (int i = 0; i < 3; i++) {
        world *w = random_world("line");
        w->task.axis[0].dense = (int16_t)(i > 0);
        w->task.axis[1].dense = (int16_t)(i == 1);
        ami_value_problem problem = problem_of(w, 0, rows);
        problem.steer = steers[i];
        const am_tasks serial = ami_tasks_serial();
        ami_value own, plain;
        am_error err = { 0 };
        check_ok(ami_value_create(&own, &problem, &serial, NULL, NULL, &err), &err);
        problem.plain = true;
        check_ok(ami_value_create(&plain, &problem, &serial, NULL, NULL, &err), &err);
        assert_true(own.is_line && !plain.is_line);
        for (int sweep = 0; sweep < 12; sweep++) {
            ami_value_sweep(&own);
            ami_value_sweep(&plain);
            ami_value_settle(&own, 2);
            ami_value_settle(&plain, 2);
        }
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < own.cells; c++) {
                check_near(own.values[r * own.stride + c], plain.values[r * plain.stride + c], 2e-3); // of 200
            }
        }
        ami_value_free(&own);
        ami_value_free(&plain);
        free(w);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    world *w = random_world("direction");
    float one[rows * 18], three[rows * 18];
    const am_tasks serial = ami_tasks_serial();
    am_pool *pool = NULL;
    am_error err = { 0 };
    check_ok(am_pool_create(&pool, 3, NULL, &err), &err);
    const am_tasks tasks = *am_pool_tasks(pool);
    assert_int_equal(solve(w, &serial, NULL, one), solve(w, &tasks, NULL, three));
    assert_memory_equal(one, three, sizeof one);
    am_pool_destroy(pool);
    free(w);
}

static void values_taken_out_and_put_back_go_on_as_they_were(void **state)
{
    (void)state;
    world *w = random_world("direction");
    const ami_value_problem problem = problem_of(w, 0, rows);
    const am_tasks serial = ami_tasks_serial();
    ami_value a, b;
    am_error err = { 0 };
    float between[rows * 18], one[rows * 18], two[rows * 18];
    check_ok(ami_value_create(&a, &problem, &serial, NULL, NULL, &err), &err);
    check_ok(ami_value_create(&b, &problem, &serial, NULL, NULL, &err), &err);
    ami_value_sweep(&a);
    ami_value_get(&a, between);
    ami_value_set(&b, between);
    ami_value_sweep(&a);
    ami_value_sweep(&b);
    ami_value_get(&a, one);
    ami_value_get(&b, two);
    assert_memory_equal(one, two, sizeof one);
    ami_value_free(&a);
    ami_value_free(&b);
    free(w);
}

static void too_little_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    world *w = random_world("direction");
    const ami_value_problem problem = problem_of(w, 0, rows);
    const am_tasks serial = ami_tasks_serial();
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        const am_alloc alloc = ami_budget_alloc(&budget);
        ami_value value;
        am_error err = { 0 };
        const am_result result = ami_value_create(&value, &problem, &serial, NULL, &alloc, &err);
        if (result == AM_OK) {
            ami_value_free(&value);
            assert_int_equal(budget.live_count, 0);
            assert_true(n > 3);
            break;
        }
        check_refused(result, AM_ERR_MEMORY);
        assert_int_equal(budget.live_count, 0);
    }
    free(w);
}

static int be_one_of_two(const char *path)
{
    am_train_group group;
    if (!am_train_mpi(&group) || group.size != 2) {
        fprintf(stderr, "not one of two processes\n");
        return 1;
    }
    world *w = random_world("line");
    float *values = calloc(rows * 18 * 13, sizeof *values);
    const am_tasks serial = ami_tasks_serial();
    solve(w, &serial, &group, values);
    am_error err = { 0 };
    // The second writes: what the first swept has come to it.
    const am_result result =
        group.rank == 1 ? am_file_write(path, values, rows * 18 * 13 * sizeof *values, &err) : AM_OK;
    free(values);
    free(w);
    am_train_mpi_end(&group, result != AM_OK);
    return result == AM_OK ? 0 : 1;
}

static void two_processes_have_the_values_of_one(void **state)
{
    (void)state;
    char path[600], self[1024], out[4096];
    snprintf(path, sizeof path, "%s/values", test_temp_dir("value_mpi"));
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    if (test_shell(NULL, 0, "command -v mpirun >/dev/null 2>&1") != 0 ||
        test_shell(NULL, 0, "ldd %s | grep -q libmpi", self) != 0) {
        printf("SKIPPED: several processes need mpirun and a build with MPI\n");
        skip();
    }
    if (test_shell(out, sizeof out,
                   "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -np 2 %s value %s 2>&1",
                   self, path) != 0) {
        fail_msg("mpirun: %s", out);
    }
    size_t size = 0;
    float *two = (float *)(void *)test_read_file(path, &size);
    float *one = calloc(rows * 18 * 13, sizeof *one);
    world *w = random_world("line");
    const am_tasks serial = ami_tasks_serial();
    solve(w, &serial, NULL, one);
    assert_int_equal(size, rows * 18 * 13 * sizeof *one);
    for (int i = 0; i < rows * 18 * 13; i++) {
        check_near(two[i], one[i], 1e-5);
    }
    free(w);
    free(one);
    free(two);
}

TEST_SUITE(value)
{
    if (argc == 2) {
        return be_one_of_two(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_turn_are_what_arithmetic_says),
        cmocka_unit_test(steering_is_worth_its_cost_or_left),
        cmocka_unit_test(more_processes_than_can_share_changes_are_refused),
        cmocka_unit_test(values_are_the_fixed_point_of_plain_iteration),
        cmocka_unit_test(a_line_is_swept_as_any_other_task_is),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(values_taken_out_and_put_back_go_on_as_they_were),
        cmocka_unit_test(too_little_memory_leaves_nothing_behind),
        cmocka_unit_test(two_processes_have_the_values_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
