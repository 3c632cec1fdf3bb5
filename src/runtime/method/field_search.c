// The nearest states of a motion field (Fields section 3.1): exact, ties to the lower state.
//
// The queries of one frame lie close together (the next states of a character's actions differ by part of a tick's
// movement), and close to where the last frame's neighbours went. So one centre stands for all: whatever is among the
// k nearest of a query at distance r from the centre lies within kth + 2 r of the centre, where kth is the distance
// of the centre's k-th neighbour (the triangle inequality twice). Candidates within that are found by lower bounds in
// the first principal axes of the rows: distances to boxes around half a second of a clip, eight boxes at once, then
// to the states themselves, eight at once. What bounds leave out could never be an answer, and what they leave in is
// measured in the one shape of all distances, so the answer has the bits of the reference.
#include "base/error.h"
#include "base/memory.h"
#include "method/field_work.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Room

static ami_field_work *lay_out(ami_layout *layout, const ami_field *field)
{
    ami_field_work *work = ami_layout_take(layout, 1, sizeof *work);
    ami_field_work at = {
        .bounds = ami_layout_take(layout, (size_t)field->own->box_count, sizeof(float)),
        .candidates = ami_layout_take(layout, (size_t)field->state_count, sizeof(ami_field_candidate)),
        .rows = ami_layout_take(layout, (size_t)ami_field_gather * (size_t)field->stride, sizeof(float)),
        .centre = ami_layout_take(layout, (size_t)field->stride, sizeof(float)),
        .x = ami_layout_take(layout, (size_t)field->pose_count, sizeof(float)),
        .v = ami_layout_take(layout, (size_t)field->velocity_count, sizeof(float)),
    };
    if (work) {
        *work = at;
    }
    return work;
}

am_result ami_field_work_create(ami_field_work **out, const ami_field *field, const am_alloc *allocator,
                                am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    ami_layout measure = { 0 };
    lay_out(&measure, field);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    *out = lay_out(&place, field);
    (*out)->alloc = alloc;
    (*out)->block_size = measure.size;
    return AM_OK;
}

void ami_field_work_destroy(ami_field_work *work)
{
    if (work) {
        am_alloc alloc = work->alloc;
        ami_release(&alloc, work, work->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// The nearest so far

/// Enters a state among the k nearest so far, in any order of states.
static inline void enter(ami_field_neighbours *near, int k, int state, float d2)
{
    int at = near->count;
    if (at == k) {
        at = k - 1;
        if (d2 > near->d2[at] || (d2 == near->d2[at] && state > near->state[at])) {
            return;
        }
    } else {
        near->count++;
    }
    while (at > 0 && (near->d2[at - 1] > d2 || (near->d2[at - 1] == d2 && near->state[at - 1] > state))) {
        near->d2[at] = near->d2[at - 1];
        near->state[at] = near->state[at - 1];
        at--;
    }
    near->d2[at] = d2;
    near->state[at] = state;
}

static bool row_is_finite(const float *row, int dims)
{
    float sum = 0.0f;
    for (int d = 0; d < dims; d++) {
        sum += row[d] * 0.0f;
    }
    return sum == 0.0f;
}

static float distance2(const ami_field *field, const float *a, const float *b)
{
    float d2 = 0.0f;
    field->own->kernels->distances(&d2, a, b, 1, (size_t)field->stride);
    return d2;
}

void ami_field_search_reference(const ami_field *field, ami_field_neighbours *out, const float *rows, int count)
{
    for (int q = 0; q < count; q++) {
        const float *row = rows + (size_t)q * (size_t)field->stride;
        out[q].count = 0;
        for (int s = 0; s < field->state_count && row_is_finite(row, field->dims); s++) {
            enter(&out[q], field->k, s, distance2(field, row, ami_field_row(field, s)));
        }
        ami_field_weights(out[q].weight, out[q].d2, out[q].count);
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

/// An upper bound of what a distance of true length d can measure, in full or in the first axes. `size` is the length
/// of the longest projected vector: rounding is relative to it.
static float with_margin(const ami_field *field, float d, float size)
{
    return d * 1.0001f + 2e-5f * (field->own->longest + size);
}

static void project(const ami_field *field, float *out, const float *row)
{
    static const float none[ami_field_axes] = { 0 };
    field->own->kernels->gemv(out, field->own->axes, row, none, ami_field_axes, (size_t)field->stride);
}

/// Squared distances of a projected centre to all boxes, in the first few axes.
static void find_bounds(const ami_field *field, float *bounds, const float *centre)
{
    const struct ami_field_own *own = field->own;
    for (int b = 0; b < own->box_count; b += 8) {
        size_t at = (size_t)b * ami_field_first_axes;
        own->kernels->distances_box(bounds + b, centre, own->low + at, own->high + at, ami_field_first_axes);
    }
}

/// Enters states(count), each once, by their distances to the centre.
static void enter_states(const ami_field *field, ami_field_neighbours *best, const float *centre,
                         const int32_t *states, int count)
{
    for (int i = 0; i < count; i++) {
        bool known = states[i] < 0 || states[i] >= field->state_count;
        for (int n = 0; n < best->count && !known; n++) {
            known = best->state[n] == states[i];
        }
        if (!known) {
            enter(best, field->k, states[i], distance2(field, centre, ami_field_row(field, states[i])));
        }
    }
}

/// An upper bound of the distance of the centre's k-th neighbour: that of the k-th of the hints or, where they are
/// too few, of the states in the nearest boxes.
static float first_kth(const ami_field *field, float *bounds, const float *centre, const int32_t *hint,
                       int hint_count)
{
    enum { states = 8 * ami_field_box_blocks };
    ami_field_neighbours best = { 0 };
    int32_t boxes[AMI_FIELD_MAX_K];
    enter_states(field, &best, centre, hint, hint_count);
    for (int box_count = 0; best.count < field->k; box_count++) {
        int nearest = 0;
        for (int b = 1; b < field->own->box_count; b++) {
            nearest = bounds[b] < bounds[nearest] ? b : nearest;
        }
        int32_t inside[states];
        for (int i = 0; i < states; i++) {
            inside[i] = nearest * states + i;
        }
        enter_states(field, &best, centre, inside, states);
        boxes[box_count] = nearest;
        bounds[nearest] =
            INFINITY; // do not pick it again; its bound is no longer needed, since it is visited in any case
        if (best.count >= field->k) {
            for (int i = 0; i <= box_count; i++) {
                bounds[boxes[i]] = 0.0f;
            }
        }
    }
    return sqrtf(best.d2[field->k - 1]);
}

/// The states within kth + 2 radius of the centre by all axes, ascending, with their distances. *kth is an upper
/// bound of the k-th neighbour's distance that shrinks to the true one during the search: where the data are dense,
/// the first bound lets in many times too many.
static int find_candidates(const ami_field *field, ami_field_work *work, const float *projected, float *kth,
                           float radius, float size)
{
    const struct ami_field_own *own = field->own;
    ami_field_neighbours best = { 0 };
    float limit = with_margin(field, *kth + 2.0f * radius, size);
    int count = 0;
    for (int box = 0; box < own->box_count; box++) {
        for (int b = box * ami_field_box_blocks;
             work->bounds[box] <= limit * limit && b < (box + 1) * ami_field_box_blocks && b < own->block_count;
             b++) {
            float eight[8];
            own->kernels->distances_block(eight, projected, own->projected + (size_t)b * 8 * ami_field_axes,
                                          ami_field_axes);
            for (int n = 0; n < 8; n++) {
                int s = 8 * b + n;
                if (eight[n] <= limit * limit && s < field->state_count) {
                    float d = sqrtf(distance2(field, work->centre, ami_field_row(field, s)));
                    work->candidates[count++] = (ami_field_candidate){ s, d };
                    enter(&best, field->k, s, d);
                }
            }
            if (best.count == field->k && best.d2[field->k - 1] < *kth) {
                *kth = best.d2[field->k - 1];
                limit = with_margin(field, *kth + 2.0f * radius, size);
            }
        }
    }
    return count;
}

/// Keeps those within a limit, in their order.
static int keep_within(ami_field_candidate *candidates, int count, float limit)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        candidates[kept] = candidates[i];
        kept += candidates[i].d <= limit;
    }
    return kept;
}

/// Measures every query against every candidate, some at a time side by side.
static void measure_all(const ami_field *field, ami_field_neighbours *const *out, const float *const *rows, int count,
                        int candidates, ami_field_work *work)
{
    size_t stride = (size_t)field->stride;
    float d2[ami_field_gather];
    for (int first = 0; first < candidates; first += ami_field_gather) {
        int some = candidates - first < ami_field_gather ? candidates - first : ami_field_gather;
        const ami_field_candidate *from = work->candidates + first;
        for (int i = 0; i < some; i++) {
            memcpy(work->rows + (size_t)i * stride, ami_field_row(field, from[i].state), stride * sizeof(float));
        }
        for (int q = 0; q < count; q++) {
            field->own->kernels->distances(d2, rows[q], work->rows, (size_t)some, stride);
            for (int i = 0; i < some; i++) {
                enter(out[q], field->k, from[i].state, d2[i]);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Searching

enum { most_together = 64 };

/// The mean of the queries.
static void find_centre(const ami_field *field, float *centre, const float *const *rows, int count)
{
    size_t stride = (size_t)field->stride;
    memcpy(centre, rows[0], stride * sizeof *centre);
    for (int q = 1; q < count; q++) {
        field->own->kernels->axpy(centre, rows[q], 1.0f, stride);
    }
    for (size_t d = 0; d < stride && count > 1; d++) {
        centre[d] /= (float)count;
    }
}

/// The distance of the query farthest from the centre.
static float find_radius(const ami_field *field, const float *centre, const float *const *rows, int count)
{
    float most = 0.0f;
    for (int q = 0; q < count && count > 1; q++) {
        most = am_max(most, distance2(field, centre, rows[q]));
    }
    return sqrtf(most);
}

/// Finite queries, at most most_together. False when they lie too far apart to be searched together.
static bool search_together(const ami_field *field, ami_field_neighbours *const *out, const float *const *rows,
                            int count, const int32_t *hint, int hint_count, ami_field_work *work)
{
    float projected[ami_field_axes];
    find_centre(field, work->centre, rows, count);
    float radius = find_radius(field, work->centre, rows, count);
    float size = sqrtf(field->own->kernels->dot(work->centre, work->centre, (size_t)field->stride));
    project(field, projected, work->centre);
    find_bounds(field, work->bounds, projected);
    float kth = first_kth(field, work->bounds, work->centre, hint, hint_count);
    if (radius > kth) {
        return false;
    }
    int candidates = find_candidates(field, work, projected, &kth, radius, size);
    candidates = keep_within(work->candidates, candidates, with_margin(field, kth + 2.0f * radius, size));
    measure_all(field, out, rows, count, candidates, work);
    return true;
}

void ami_field_search(const ami_field *field, ami_field_neighbours *out, const float *rows, int count,
                      const int32_t *hint, int hint_count, ami_field_work *work)
{
    size_t stride = (size_t)field->stride;
    ami_field_neighbours *some[most_together];
    const float *some_rows[most_together] = { NULL };
    for (int first = 0; first < count; first += most_together) {
        int finite = 0;
        for (int q = first; q < count && q < first + most_together; q++) {
            out[q].count = 0;
            some[finite] = &out[q];
            some_rows[finite] = rows + (size_t)q * stride;
            finite += row_is_finite(some_rows[finite], field->dims);
        }
        bool together = finite == 0 || search_together(field, some, some_rows, finite, hint, hint_count, work);
        for (int q = 0; q < finite && !together; q++) {
            search_together(field, some + q, some_rows + q, 1, hint, hint_count, work);
        }
    }
    for (int q = 0; q < count; q++) {
        ami_field_weights(out[q].weight, out[q].d2, out[q].count);
    }
}
