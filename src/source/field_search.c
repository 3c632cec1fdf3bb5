// The nearest states of a motion field (Fields section 3.1): exact, ties to the lower state.
#include "base/error.h"
#include "base/memory.h"
#include "source/field_work.h"

#include <string.h>

static am_field_work *lay_out(ami_layout *layout, const am_field *field)
{
    am_field_work *work = ami_layout_take(layout, 1, sizeof *work);
    float *distances = ami_layout_take(layout, (size_t)field->state_count, sizeof(float));
    if (work) {
        work->distances = distances;
    }
    return work;
}

am_result am_field_work_create(am_field_work **out, const am_field *field, const am_alloc *allocator, am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    ami_layout measure = { 0 };
    lay_out(&measure, field);
    void *block = ami_alloc_zero(&alloc, measure.size);
    if (!block) {
        return ami_fail_memory(err, measure.size);
    }
    ami_layout place = { block, 0, false };
    *out = lay_out(&place, field);
    (*out)->alloc = alloc;
    (*out)->block_size = measure.size;
    return AM_OK;
}

void am_field_work_destroy(am_field_work *work)
{
    if (work) {
        am_alloc alloc = work->alloc;
        ami_release(&alloc, work, work->block_size);
    }
}

/// Enters a state among the k nearest so far. States must come in ascending order: an equal distance does not pass.
static void enter(am_field_neighbours *near, int k, int state, float d2)
{
    if (near->count == k && !(d2 < near->d2[k - 1])) {
        return;
    }
    int at = near->count < k ? near->count++ : k - 1;
    while (at > 0 && near->d2[at - 1] > d2) {
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

void am_field_search_reference(const am_field *field, am_field_neighbours *out, const float *rows, int count)
{
    size_t stride = (size_t)field->stride;
    for (int q = 0; q < count; q++) {
        const float *row = rows + (size_t)q * stride;
        memset(&out[q], 0, sizeof out[q]);
        for (int s = 0; s < field->state_count && row_is_finite(row, field->dims); s++) {
            float d2 = 0.0f;
            field->own->kernels->distances(&d2, row, am_field_row(field, s), 1, stride);
            enter(&out[q], field->k, s, d2);
        }
        am_field_weights(out[q].weight, out[q].d2, out[q].count);
    }
}

void am_field_search(const am_field *field, am_field_neighbours *out, const float *rows, int count,
                     const int32_t *hint, int hint_count, am_field_work *work)
{
    (void)hint;
    (void)hint_count;
    size_t stride = (size_t)field->stride;
    for (int q = 0; q < count; q++) {
        const float *row = rows + (size_t)q * stride;
        memset(&out[q], 0, sizeof out[q]);
        if (row_is_finite(row, field->dims)) {
            field->own->kernels->distances(work->distances, row, field->rows, (size_t)field->state_count, stride);
            for (int s = 0; s < field->state_count; s++) {
                enter(&out[q], field->k, s, work->distances[s]);
            }
        }
        am_field_weights(out[q].weight, out[q].d2, out[q].count);
    }
}
