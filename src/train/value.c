// Fitted value iteration: sweeps over rows, shared among threads and processes.
#include "train/value.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "method/field_task.h"

enum { chunk_rows = 32, lane = 8, most_processes = 1024 };

static size_t value_count(const ami_value *v) { return (size_t)v->problem.rows * (size_t)v->stride; }

am_result ami_value_create(ami_value *v, const ami_value_problem *problem, const am_tasks *tasks,
                           const am_train_group *group, const am_alloc *alloc, am_error *err)
{
    if (group && group->size > most_processes) {
        *v = (ami_value){ .alloc = ami_alloc_or_default(alloc) };
        return ami_fail(err, AM_ERR_RANGE, "value functions can be trained by at most %d processes, not by %d",
                        (int)most_processes, group->size);
    }
    *v = (ami_value){ .alloc = ami_alloc_or_default(alloc), .problem = *problem, .tasks = tasks, .bound = INFINITY };
    v->group = group && group->size > 1 ? group : NULL;
    v->cells = ami_field_task_cells(problem->task);
    v->stride = (v->cells + lane - 1) / lane * lane;
    v->chunks = (problem->count + chunk_rows - 1) / chunk_rows;
    const size_t chunks = (size_t)v->chunks, count = value_count(v);
    v->values = ami_alloc_array(&v->alloc, count, sizeof(float));
    v->next = ami_alloc_array(&v->alloc, count, sizeof(float));
    v->thetas = ami_alloc_array(&v->alloc, (size_t)v->cells * AMI_FIELD_MAX_AXES, sizeof(float));
    v->policy = ami_alloc_array(&v->alloc, (size_t)problem->count * (size_t)v->cells, sizeof *v->policy);
    v->places = ami_alloc_array(&v->alloc, (size_t)problem->count * (size_t)v->cells, sizeof *v->places);
    v->low = ami_alloc_array(&v->alloc, chunks, sizeof(float));
    v->high = ami_alloc_array(&v->alloc, chunks, sizeof(float));
    if (!v->values || !v->next || !v->thetas || !v->policy || !v->places || !v->low || !v->high) {
        ami_value_free(v);
        return ami_fail_memory(err, 2 * count * sizeof(float));
    }
    for (int c = 0; c < v->cells; c++) {
        ami_field_task_theta(problem->task, v->thetas + (size_t)c * AMI_FIELD_MAX_AXES, c);
    }
    v->is_line = !problem->plain && problem->steer_cost == 0.0f &&
                 ami_value_line_make(&v->line, problem->task, problem->gamma, problem->steer);
    return AM_OK;
}

void ami_value_free(ami_value *v)
{
    const size_t chunks = (size_t)v->chunks, count = value_count(v);
    ami_release(&v->alloc, v->values, count * sizeof(float));
    ami_release(&v->alloc, v->next, count * sizeof(float));
    ami_release(&v->alloc, v->thetas, (size_t)v->cells * AMI_FIELD_MAX_AXES * sizeof(float));
    ami_release(&v->alloc, v->policy, (size_t)v->problem.count * (size_t)v->cells * sizeof *v->policy);
    ami_release(&v->alloc, v->places, (size_t)v->problem.count * (size_t)v->cells * sizeof *v->places);
    ami_release(&v->alloc, v->low, chunks * sizeof(float));
    ami_release(&v->alloc, v->high, chunks * sizeof(float));
    memset(v, 0, sizeof *v);
}

/// mixed(stride): the values on the whole grid of the state that an action leads to.
static void mix_rows(const ami_value *v, float *restrict mixed, const int32_t *index, const float *weight)
{
    const int stride = v->stride;
    memset(mixed, 0, (size_t)stride * sizeof *mixed);
    for (int e = 0; e < v->problem.entries; e++) {
        const float w = weight[e];
        if (w == 0.0f) {
            break; // those behind have none either
        }
        const float *restrict row = v->values + (size_t)index[e] * (size_t)stride;
        for (int c = 0; c < stride; c++) {
            mixed[c] += w * row[c];
        }
    }
}

/// Where a step leads from a cell, on a grid of one or two axes.
static inline ami_value_place place_of(const ami_value *v, int cell, ami_field_step step)
{
    const ami_field_task *task = v->problem.task;
    const ami_field_axis *axis = task->axis;
    float theta[AMI_FIELD_MAX_AXES];
    ami_value_place place;
    task->advance(task, theta, v->thetas + (size_t)cell * AMI_FIELD_MAX_AXES, step);
    int i = ami_axis_place(&axis[0], theta[0], &place.share[0]), after = ami_axis_after(&axis[0], i);
    int j = 0, next = 0;
    place.share[1] = 0.0f;
    if (task->axes == 2) {
        j = ami_axis_place(&axis[1], theta[1], &place.share[1]);
        next = ami_axis_after(&axis[1], j);
        i *= axis[1].samples;
        after *= axis[1].samples;
    }
    place.cell[0] = (uint16_t)(i + j);
    place.cell[1] = (uint16_t)(i + next);
    place.cell[2] = (uint16_t)(after + j);
    place.cell[3] = (uint16_t)(after + next);
    place.reward = task->reward(task, theta, step);
    return place;
}

/// The reward plus the value of the resulting state, mixed(stride).
static inline float worth_at(const ami_value *v, const float *mixed, const ami_value_place *p)
{
    const float here = am_lerp(mixed[p->cell[0]], mixed[p->cell[1]], p->share[1]);
    const float there = am_lerp(mixed[p->cell[2]], mixed[p->cell[3]], p->share[1]);
    return p->reward + v->problem.gamma * am_lerp(here, there, p->share[0]);
}

/// The value of an action in a cell, on a grid with any number of axes.
static inline float worth_of(const ami_value *v, const float *mixed, int cell, ami_field_step step)
{
    const ami_field_task *task = v->problem.task;
    if (task->axes <= 2) {
        const ami_value_place place = place_of(v, cell, step);
        return worth_at(v, mixed, &place);
    }
    float theta[AMI_FIELD_MAX_AXES], ahead = 0.0f;
    ami_field_corners corners;
    task->advance(task, theta, v->thetas + (size_t)cell * AMI_FIELD_MAX_AXES, step);
    ami_field_task_corners(task, &corners, theta);
    for (int c = 0; c < corners.count; c++) {
        ahead += corners.share[c] * mixed[corners.cell[c]];
    }
    return task->reward(task, theta, step) + v->problem.gamma * ahead;
}

/// mixed(stride) of an action of a row of this process; returns its step.
static ami_field_step mix_action(const ami_value *v, float *mixed, int row, int action)
{
    const ami_value_problem *p = &v->problem;
    const size_t at = (size_t)row * (size_t)p->actions + (size_t)action;
    mix_rows(v, mixed, p->index + at * (size_t)p->entries, p->weight + at * (size_t)p->entries);
    return p->steps[at];
}

/// What the steering of a variant costs.
static inline float cost_of(const ami_value_problem *p, int way)
{
    return p->steer_cost * am_abs(ami_steering(p->steer, way));
}

/// best(cells): the greatest worth over all actions of a row of this process, and its policy.
static void sweep_row(ami_value *v, float *best, int row)
{
    const ami_value_problem *p = &v->problem;
    uint16_t *policy = v->policy + (size_t)row * (size_t)v->cells;
    float mixed[AMI_FIELD_MAX_CELLS];
    for (int c = 0; c < v->cells; c++) {
        best[c] = -INFINITY;
    }
    for (int a = 0; a < p->actions; a++) {
        const ami_field_step step = mix_action(v, mixed, row, a);
        if (v->is_line) {
            ami_value_line_visit(&v->line, best, policy, mixed, step, a, p->actions);
            continue;
        }
        for (int way = 0; way < ami_ways(p->steer); way++) {
            const ami_field_step to = ami_steered(step, p->steer, way);
            const float cost = cost_of(p, way);
            for (int c = 0; c < v->cells; c++) {
                const float worth = worth_of(v, mixed, c, to) - cost;
                if (worth > best[c]) {
                    best[c] = worth;
                    policy[c] = (uint16_t)(a + way * p->actions);
                }
            }
        }
    }
}

/// Where the policy of a row leads.
static void plan_row(ami_value *v, int row)
{
    const ami_value_problem *p = &v->problem;
    const size_t at = (size_t)row * (size_t)v->cells;
    for (int c = 0; c < v->cells; c++) {
        const int action = v->policy[at + (size_t)c] % p->actions, way = v->policy[at + (size_t)c] / p->actions;
        const ami_field_step step = p->steps[(size_t)row * (size_t)p->actions + (size_t)action];
        v->places[at + (size_t)c] = place_of(v, c, ami_steered(step, p->steer, way));
        v->places[at + (size_t)c].reward -= cost_of(p, way);
    }
}

/// The same as a sweep with the actions of the policy alone.
static void settle_row(const ami_value *v, float *best, int row)
{
    const ami_value_problem *p = &v->problem;
    const uint16_t *policy = v->policy + (size_t)row * (size_t)v->cells;
    const ami_value_place *places = v->places + (size_t)row * (size_t)v->cells;
    float mixed[AMI_FIELD_MAX_CELLS];
    bool used[AMI_FIELD_MAX_K] = { false };
    for (int c = 0; c < v->cells; c++) {
        used[policy[c] % p->actions] = true;
    }
    for (int a = 0; a < p->actions; a++) {
        if (!used[a]) {
            continue;
        }
        const ami_field_step step = mix_action(v, mixed, row, a);
        for (int c = 0; c < v->cells; c++) {
            if (policy[c] % p->actions == a) {
                const int way = policy[c] / p->actions;
                best[c] = p->task->axes <= 2
                              ? worth_at(v, mixed, &places[c])
                              : worth_of(v, mixed, c, ami_steered(step, p->steer, way)) - cost_of(p, way);
            }
        }
    }
}

static void visit_chunk(ami_value *v, int chunk, bool whole)
{
    const ami_value_problem *p = &v->problem;
    float low = INFINITY, high = -INFINITY;
    const int stop = (chunk + 1) * chunk_rows < p->count ? (chunk + 1) * chunk_rows : p->count;
    for (int r = chunk * chunk_rows; r < stop; r++) {
        const size_t at = (size_t)(p->first + r) * (size_t)v->stride;
        float *best = v->next + at;
        const float *old = v->values + at;
        if (whole) {
            sweep_row(v, best, r);
        } else {
            settle_row(v, best, r);
        }
        for (int c = 0; c < v->cells; c++) {
            low = am_min(low, best[c] - old[c]);
            high = am_max(high, best[c] - old[c]);
        }
    }
    v->low[chunk] = low;
    v->high[chunk] = high;
}

static void sweep_chunk(void *context, int chunk) { visit_chunk(context, chunk, true); }
static void settle_chunk(void *context, int chunk) { visit_chunk(context, chunk, false); }

static void plan_chunk(void *context, int chunk)
{
    ami_value *v = context;
    for (int r = chunk * chunk_rows; r < (chunk + 1) * chunk_rows && r < v->problem.count; r++) {
        plan_row(v, r);
    }
}

/// The least and the greatest change over all processes. A group offers only sums: each process has its own slots.
static void share_changes(const ami_value *v, float *low, float *high)
{
    float all[2 * most_processes] = { 0 };
    const am_train_group *group = v->group;
    if (!group) {
        return;
    }
    all[2 * group->rank] = *low;
    all[2 * group->rank + 1] = *high;
    group->begin_sum(group->user, all, (size_t)group->size * 2);
    group->end_sums(group->user);
    for (int i = 0; i < group->size; i++) {
        *low = am_min(*low, all[2 * i]);
        *high = am_max(*high, all[2 * i + 1]);
    }
}

/// Every process gets the rows of all: those of others are 0 here, so that the sum is exact.
static void share_rows(ami_value *v)
{
    const ami_value_problem *p = &v->problem;
    const size_t stride = (size_t)v->stride, first = (size_t)p->first * stride;
    const size_t stop = first + (size_t)p->count * stride, count = value_count(v);
    const size_t piece = (size_t)1 << 24; // MPI counts in int
    if (!v->group) {
        return;
    }
    memset(v->next, 0, first * sizeof(float));
    memset(v->next + stop, 0, (count - stop) * sizeof(float));
    for (size_t at = 0; at < count; at += piece) {
        v->group->begin_sum(v->group->user, v->next + at, count - at < piece ? count - at : piece);
    }
    v->group->end_sums(v->group->user);
}

/// All rows once; returns how far any value can be from the fixed point of what was swept.
static double visit(ami_value *v, am_task_fn fn)
{
    v->tasks->run(v->tasks->user, v->chunks, fn, v);
    float low = INFINITY, high = -INFINITY;
    for (int c = 0; c < v->chunks; c++) {
        low = am_min(low, v->low[c]);
        high = am_max(high, v->high[c]);
    }
    share_changes(v, &low, &high);
    share_rows(v);
    const double factor = (double)v->problem.gamma / (1.0 - (double)v->problem.gamma);
    const float rise = (float)(factor * 0.5 * ((double)low + (double)high));
    const size_t count = value_count(v);
    for (size_t i = 0; i < count; i++) {
        v->values[i] = v->next[i] + rise;
    }
    return factor * 0.5 * ((double)high - (double)low);
}

void ami_value_sweep(ami_value *v)
{
    v->bound = visit(v, sweep_chunk);
    v->iterations++;
}

void ami_value_settle(ami_value *v, int sweeps)
{
    if (sweeps > 0 && v->problem.task->axes <= 2) {
        v->tasks->run(v->tasks->user, v->chunks, plan_chunk, v);
    }
    for (int i = 0; i < sweeps; i++) {
        visit(v, settle_chunk);
    }
}

void ami_value_get(const ami_value *v, float *out)
{
    for (int r = 0; r < v->problem.rows; r++) {
        memcpy(out + (size_t)r * (size_t)v->cells, v->values + (size_t)r * (size_t)v->stride,
               (size_t)v->cells * sizeof(float));
    }
}

void ami_value_set(ami_value *v, const float *in)
{
    for (int r = 0; r < v->problem.rows; r++) {
        memcpy(v->values + (size_t)r * (size_t)v->stride, in + (size_t)r * (size_t)v->cells,
               (size_t)v->cells * sizeof(float));
    }
}
