// Cuts motion into clips. Two motions are most alike at the local minima of the distance between their states over
// both times (Kovar 2002); the best of these become cuts, as long as clips do not get too short. Long clips are
// divided further, so that the bend can change even where no other clip can follow.
#include "graph.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "base/tasks.h"

#include <string.h>

enum {
    block_rows = 64, // states that one task compares with all others
    row_minima = 32, // minima that are kept of one state, the nearest
    snap_ticks = 2   // a minimum this near a cut takes the cut
};

/// A pair of states at which two motions are alike.
typedef struct minimum {
    float d2;
    int32_t from, to;
} minimum;

/// What the tasks share.
typedef struct seeker {
    const ami_field *field;
    const ami_kernels *kernels;
    const am_alloc *alloc;
    minimum *found; ///< [state][row_minima]
    int32_t *counts;
    uint8_t *failed; ///< [block]
    float most_d2;
    int gap;
} seeker;

static bool linked(const ami_field *field, int a, int b)
{
    return a >= 0 && b < field->state_count && ami_graph_same(field, a, b);
}

/// rows[0..2]: distances of states i - 1, i, i + 1 to all. Ties go to the lower state.
static bool is_minimum(const ami_field *field, float *const rows[3], int i, int j)
{
    float d2 = rows[1][j];
    for (int a = -1; a <= 1; a++) {
        for (int b = -1; b <= 1; b++) {
            bool there = (a == 0 || linked(field, a < 0 ? i - 1 : i, a < 0 ? i : i + 1)) &&
                         (b == 0 || linked(field, b < 0 ? j - 1 : j, b < 0 ? j : j + 1));
            bool before = a < 0 || (a == 0 && b < 0);
            if (there && (a != 0 || b != 0) && (rows[a + 1][j + b] < d2 || (before && rows[a + 1][j + b] == d2))) {
                return false;
            }
        }
    }
    return true;
}

/// Adds a minimum to the nearest of its state, in order.
static void keep(seeker *s, int i, int j, float d2)
{
    minimum *list = s->found + (size_t)i * row_minima;
    int count = s->counts[i];
    if (count == row_minima && !(d2 < list[count - 1].d2)) {
        return;
    }
    int at = count < row_minima ? count : row_minima - 1;
    for (; at > 0 && d2 < list[at - 1].d2; at--) {
        list[at] = list[at - 1];
    }
    list[at] = (minimum){ d2, i, j };
    s->counts[i] = count < row_minima ? count + 1 : count;
}

/// Distances of state i to those from i - 2 on, which is all that the minima with j > i need.
static void measure_row(const seeker *s, float *out, int i)
{
    int count = s->field->state_count;
    if (i >= 0 && i < count) {
        int first = i > 2 ? i - 2 : 0;
        s->kernels->distances(out + first, ami_field_row(s->field, i), ami_field_row(s->field, first),
                              (size_t)(count - first), (size_t)s->field->stride);
    }
}

static void seek_block(void *context, int block)
{
    seeker *s = context;
    int count = s->field->state_count;
    size_t bytes = 3 * (size_t)count * sizeof(float);
    float *room = s->alloc->alloc(s->alloc->user, bytes, 64);
    if (!room) {
        s->failed[block] = 1;
        return;
    }
    int first = block * block_rows;
    int stop = first + block_rows < count ? first + block_rows : count;
    float *rows[3] = { room, room + count, room + 2 * (size_t)count };
    measure_row(s, rows[0], first - 1);
    measure_row(s, rows[1], first);
    for (int i = first; i < stop; i++) {
        measure_row(s, rows[2], i + 1);
        for (int j = i + 1; j < count; j++) {
            if (rows[1][j] < s->most_d2 && (!ami_graph_same(s->field, i, j) || j - i >= s->gap) &&
                is_minimum(s->field, rows, i, j)) {
                keep(s, i, j, rows[1][j]);
            }
        }
        float *oldest = rows[0];
        rows[0] = rows[1];
        rows[1] = rows[2];
        rows[2] = oldest;
    }
    s->alloc->release(s->alloc->user, room, bytes);
}

// ---------------------------------------------------------------------------------------------
// Choosing

static bool before(minimum a, minimum b)
{
    return a.d2 != b.d2 ? a.d2 < b.d2 : a.from != b.from ? a.from < b.from : a.to < b.to;
}

/// Sifts the item at `at` down: a heap with the last in order on top.
static void sink(minimum *items, int at, int count)
{
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(items[child], items[child + 1]);
        if (!before(items[at], items[child])) {
            return;
        }
        minimum swap = items[at];
        items[at] = items[child];
        items[child] = swap;
        at = child;
    }
}

static void sort_minima(minimum *items, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sink(items, i, count);
    }
    for (int last = count - 1; last > 0; last--) {
        minimum swap = items[0];
        items[0] = items[last];
        items[last] = swap;
        sink(items, 0, last);
    }
}

/// The cut for state i: one nearby, i itself, or -1 where that would make a clip too short.
static int place_of(const ami_field *field, const uint8_t *cuts, int i, int least)
{
    for (int k = 0; k < least; k++) {
        bool ahead = linked(field, i, i + k) && cuts[i + k];
        bool behind = i - k >= 0 && linked(field, i - k, i) && cuts[i - k];
        if (ahead || behind) {
            return k <= snap_ticks ? (ahead ? i + k : i - k) : -1;
        }
    }
    return i;
}

/// Ends of ranges as cuts, and more cuts where two are further apart than twice the least.
static void fill_gaps(const ami_field *field, uint8_t *cuts, int least)
{
    for (int first = 0; first < field->state_count;) {
        int stop = first;
        while (stop < field->state_count && ami_graph_same(field, first, stop)) {
            stop++;
        }
        const int ends[2] = { first, stop - 1 };
        for (int e = 0; e < 2; e++) {
            cuts[ends[e]] = cuts[ends[e]] || place_of(field, cuts, ends[e], least) == ends[e];
        }
        int last = -1;
        for (int i = first; i < stop; i++) {
            if (!cuts[i]) {
                continue;
            }
            int parts = last >= 0 ? (i - last) / least : 1;
            parts = parts > 2 || (parts == 2 && i - last > 2 * least) ? parts : 1;
            for (int p = 1; p < parts; p++) {
                cuts[last + (i - last) * p / parts] = 1;
            }
            last = i;
        }
        first = stop;
    }
}

am_result ami_graph_cut(uint8_t *cuts, int *minima, const lab_motion_graph_def *def, const am_alloc *alloc,
                        am_error *err)
{
    const ami_field *field = def->field;
    am_tasks tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    size_t count = (size_t)field->state_count;
    int blocks = (field->state_count + block_rows - 1) / block_rows;
    size_t bytes = count * (row_minima * sizeof(minimum) + sizeof(int32_t)) + (size_t)blocks;
    uint8_t *room = ami_alloc_zero(alloc, bytes);
    if (!room) {
        return ami_fail_memory(err, bytes);
    }
    seeker s = { .field = field,
                 .kernels = ami_kernels_pick(),
                 .alloc = alloc,
                 .found = (minimum *)(void *)room,
                 .counts = (int32_t *)(void *)(room + count * row_minima * sizeof(minimum)),
                 .failed = room + count * (row_minima * sizeof(minimum) + sizeof(int32_t)),
                 .most_d2 = def->similar * def->similar,
                 .gap = ami_graph_ticks(field, def->least_s) };
    tasks.run(tasks.user, blocks, seek_block, &s);
    bool failed = false;
    for (int b = 0; b < blocks; b++) {
        failed = failed || s.failed[b] != 0;
    }
    // Moves all minima to the front of the array.
    int found = 0;
    for (int i = 0; i < field->state_count; i++) {
        memmove(s.found + found, s.found + (size_t)i * row_minima, (size_t)s.counts[i] * sizeof(minimum));
        found += s.counts[i];
    }
    sort_minima(s.found, found);
    for (int m = 0; m < found; m++) {
        int from = place_of(field, cuts, s.found[m].from, s.gap);
        int to = place_of(field, cuts, s.found[m].to, s.gap);
        if (from >= 0 && to >= 0) {
            cuts[from] = cuts[to] = 1;
        }
    }
    fill_gaps(field, cuts, s.gap);
    *minima = found;
    ami_release(alloc, room, bytes);
    return failed ? ami_fail_memory(err, 3 * count * sizeof(float)) : AM_OK;
}
