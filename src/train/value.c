// Fitted value iteration: sweeps over rows, shared among threads and processes.
#include "train/value.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { chunk_rows = 32, lane = 8 };

static size_t value_count(const ami_value *v) { return (size_t)v->problem.rows * (size_t)v->stride; }

am_result ami_value_create(ami_value *v, const ami_value_problem *problem, const am_tasks *tasks,
                           const am_train_group *group, const am_alloc *alloc, am_error *err)
{
    *v = (ami_value){ .alloc = ami_alloc_or_default(alloc), .problem = *problem, .tasks = tasks, .bound = INFINITY };
    v->group = group && group->size > 1 ? group : NULL;
    v->cells = am_field_task_cells(problem->task);
    v->stride = (v->cells + lane - 1) / lane * lane;
    v->chunks = (problem->count + chunk_rows - 1) / chunk_rows;
    const size_t chunks = (size_t)v->chunks, count = value_count(v);
    v->values = ami_alloc_array(&v->alloc, count, sizeof(float));
    v->next = ami_alloc_array(&v->alloc, count, sizeof(float));
    v->thetas = ami_alloc_array(&v->alloc, (size_t)v->cells * AM_FIELD_MAX_AXES, sizeof(float));
    v->low = ami_alloc_array(&v->alloc, chunks, sizeof(float));
    v->high = ami_alloc_array(&v->alloc, chunks, sizeof(float));
    if (!v->values || !v->next || !v->thetas || !v->low || !v->high) {
        ami_value_free(v);
        return ami_fail_memory(err, 2 * count * sizeof(float));
    }
    for (int c = 0; c < v->cells; c++) {
        am_field_task_theta(problem->task, v->thetas + (size_t)c * AM_FIELD_MAX_AXES, c);
    }
    return AM_OK;
}

void ami_value_free(ami_value *v)
{
    const size_t chunks = (size_t)v->chunks, count = value_count(v);
    ami_release(&v->alloc, v->values, count * sizeof(float));
    ami_release(&v->alloc, v->next, count * sizeof(float));
    ami_release(&v->alloc, v->thetas, (size_t)v->cells * AM_FIELD_MAX_AXES * sizeof(float));
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
            continue;
        }
        const float *restrict row = v->values + (size_t)index[e] * (size_t)stride;
        for (int c = 0; c < stride; c++) {
            mixed[c] += w * row[c];
        }
    }
}

/// best(cells) = max(best, what an action is worth).
static void try_action(const ami_value *v, float *best, const float *mixed, am_field_step step)
{
    const am_field_task *task = v->problem.task;
    for (int c = 0; c < v->cells; c++) {
        float theta[AM_FIELD_MAX_AXES], ahead = 0.0f;
        am_field_corners corners;
        task->advance(task, theta, v->thetas + (size_t)c * AM_FIELD_MAX_AXES, step);
        am_field_task_corners(task, &corners, theta);
        for (int i = 0; i < corners.count; i++) {
            ahead += corners.share[i] * mixed[corners.cell[i]];
        }
        const float worth = task->reward(task, theta, step) + v->problem.gamma * ahead;
        best[c] = worth > best[c] ? worth : best[c];
    }
}

static void sweep_chunk(void *context, int chunk)
{
    ami_value *v = context;
    const ami_value_problem *p = &v->problem;
    const size_t actions = (size_t)p->actions, entries = (size_t)p->entries;
    float mixed[AM_FIELD_MAX_CELLS];
    float low = INFINITY, high = -INFINITY;
    const int stop = (chunk + 1) * chunk_rows < p->count ? (chunk + 1) * chunk_rows : p->count;
    for (int r = chunk * chunk_rows; r < stop; r++) {
        const size_t at = (size_t)(p->first + r) * (size_t)v->stride;
        float *best = v->next + at;
        const float *old = v->values + at;
        for (int c = 0; c < v->cells; c++) {
            best[c] = -INFINITY;
        }
        for (size_t a = (size_t)r * actions; a < ((size_t)r + 1) * actions; a++) {
            mix_rows(v, mixed, p->index + a * entries, p->weight + a * entries);
            try_action(v, best, mixed, p->steps[a]);
        }
        for (int c = 0; c < v->cells; c++) {
            low = am_min(low, best[c] - old[c]);
            high = am_max(high, best[c] - old[c]);
        }
    }
    v->low[chunk] = low;
    v->high[chunk] = high;
}

/// The least and the greatest change over all processes. Sums are all that a group offers: each process has places
/// of its own.
static void share_changes(const ami_value *v, float *low, float *high)
{
    enum { most = 1024 };
    float all[2 * most] = { 0 };
    const am_train_group *group = v->group;
    if (!group || group->size > most) {
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

void ami_value_sweep(ami_value *v)
{
    v->tasks->run(v->tasks->user, v->chunks, sweep_chunk, v);
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
    v->bound = factor * 0.5 * ((double)high - (double)low);
    v->iterations++;
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
