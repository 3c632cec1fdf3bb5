// The principal axes of a field's rows, in which lower bounds of distances are cheap (see field_search.c). They only
// prune, so their rounding errors need only stay within the margin of the search.
#include "base/error.h"
#include "base/memory.h"
#include "data/scale.h"
#include "method/field.h"

#include <string.h>

enum { most_samples = 2048 }; // rows that the axes are found from: more change them little

/// out(samples, dims): every n-th row, less the mean.
static void take_samples(const ami_field *field, float *out, int samples)
{
    double mean[6 + 6 * AM_MAX_JOINTS] = { 0 };
    int dims = field->dims;
    for (int i = 0; i < samples; i++) {
        const float *row = ami_field_row(field, (int)((int64_t)i * field->state_count / samples));
        memcpy(out + (size_t)i * (size_t)dims, row, (size_t)dims * sizeof *out);
        for (int d = 0; d < dims; d++) {
            mean[d] += (double)row[d] / samples;
        }
    }
    for (int i = 0; i < samples * dims; i++) {
        out[i] -= (float)mean[i % dims];
    }
}

static void project_all(ami_field *field)
{
    struct ami_field_own *own = field->own;
    static const float none[ami_field_axes] = { 0 };
    double longest = 0.0;
    for (int s = 0; s < field->state_count; s++) {
        float out[ami_field_axes];
        const float *row = ami_field_row(field, s);
        own->kernels->gemv(out, own->axes, row, none, ami_field_axes, (size_t)field->stride);
        for (int a = 0; a < ami_field_axes; a++) {
            own->projected[((size_t)(s / 8) * ami_field_axes + (size_t)a) * 8 + (size_t)(s % 8)] = out[a];
        }
        double length2 = (double)own->kernels->dot(row, row, (size_t)field->stride);
        longest = length2 > longest ? length2 : longest;
    }
    own->longest = (float)sqrt(longest);
    // The last block is padded with states too far away to pass any bound.
    for (int s = field->state_count; s < 8 * own->block_count; s++) {
        for (int a = 0; a < ami_field_axes; a++) {
            own->projected[((size_t)(s / 8) * ami_field_axes + (size_t)a) * 8 + (size_t)(s % 8)] = 1e15f;
        }
    }
}

/// Boxes around the projections; those beyond the last state are empty and far away.
static void bound_all(ami_field *field)
{
    struct ami_field_own *own = field->own;
    enum { states = 8 * ami_field_box_blocks };
    for (int b = 0; b < own->box_count; b++) {
        for (int a = 0; a < ami_field_first_axes; a++) {
            float low = 1e15f;
            float high = b * states < field->state_count ? -1e15f : 1e15f;
            for (int s = b * states; s < (b + 1) * states && s < field->state_count; s++) {
                float at = own->projected[((size_t)(s / 8) * ami_field_axes + (size_t)a) * 8 + (size_t)(s % 8)];
                low = am_min(low, at);
                high = am_max(high, at);
            }
            size_t place = ((size_t)(b / 8) * ami_field_first_axes + (size_t)a) * 8 + (size_t)(b % 8);
            own->low[place] = low;
            own->high[place] = high;
        }
    }
}

am_result ami_field_find_axes(ami_field *field, am_error *err)
{
    struct ami_field_own *own = field->own;
    int samples = field->state_count < most_samples ? field->state_count : most_samples;
    int axes = field->dims < ami_field_axes ? field->dims : ami_field_axes;
    size_t dims = (size_t)field->dims;
    size_t count = (size_t)samples * dims + (size_t)axes * dims;
    float *rows = ami_alloc_array(&own->alloc, count, sizeof(float));
    if (!rows) {
        return ami_fail_memory(err, count * sizeof(float));
    }
    float *basis = rows + (size_t)samples * dims;
    take_samples(field, rows, samples);
    am_result result = ami_pca_find(basis, axes, rows, (size_t)samples, dims, field->dims, &own->alloc, err);
    for (int a = 0; a < axes && result == AM_OK; a++) {
        memcpy(own->axes + (size_t)a * (size_t)field->stride, basis + (size_t)a * dims, dims * sizeof(float));
    }
    ami_release(&own->alloc, rows, count * sizeof(float));
    if (result == AM_OK) {
        project_all(field);
        bound_all(field);
    }
    return result;
}
