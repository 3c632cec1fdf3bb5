// Where a motion field leads: similarity weights, actions, integration with drift correction, contacts
// (Fields eq. 2, 4-8).
#include "method/field.h"

#include "method/field_work.h"

#include <string.h>

void ami_field_weights(float *w, const float *d2, int count)
{
    int same = 0;
    for (int i = 0; i < count; i++) {
        same += !(d2[i] > 0.0f);
    }
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        // Relative to the nearest: 1 / d^2 of a state that is almost one of the data's must not overflow.
        w[i] = same > 0 ? (d2[i] > 0.0f ? 0.0f : 1.0f) : d2[0] / d2[i];
        sum += w[i];
    }
    for (int i = 0; i < count; i++) {
        w[i] /= sum;
    }
}

void ami_field_action(float *a, const float *w, int count, int i)
{
    float sum = 0.0f;
    for (int n = 0; n < count; n++) {
        a[n] = n == i ? 1.0f : w[n];
        sum += a[n];
    }
    for (int n = 0; n < count; n++) {
        a[n] /= sum;
    }
}

uint8_t ami_field_contacts(const ami_field *field, const ami_field_neighbours *near)
{
    uint8_t contacts = 0;
    for (int bit = 0; bit < 8; bit++) {
        float vote = 0.0f;
        for (int i = 0; i < near->count; i++) {
            vote += (field->contacts[near->state[i]] >> bit & 1) ? near->weight[i] : 0.0f;
        }
        contacts = (uint8_t)(contacts | (vote >= 0.5f ? 1u << bit : 0u));
    }
    return contacts;
}

/// out(count) = sum of a(n) times a row of each neighbour.
static void sum_rows(const ami_field *field, float *out, const float *rows, size_t count, const float *a,
                     const ami_field_neighbours *near)
{
    memset(out, 0, count * sizeof *out);
    for (int n = 0; n < near->count; n++) {
        field->own->kernels->axpy(out, rows + (size_t)near->state[n] * count, a[n], count);
    }
}

/// The pull of the nearest state (the second term of eq. 5): from x to where that state goes. World position and yaw
/// are left out of a pose, so the root follows the nearest state's own step.
static void find_tug(const ami_field *field, float *out, const float *x, int nearest)
{
    const float *v = ami_field_v(field, nearest);
    float there[3 * AM_MAX_JOINTS + 4 * AM_MAX_JOINTS];
    ami_field_displace(field, there, ami_field_x(field, nearest), v);
    ami_field_difference(field, out, x, there, ami_field_velocity_step(v));
}

enum { most_numbers = 3 + 7 * AM_MAX_JOINTS };

ami_field_step ami_field_integrate(const ami_field *field, float *next_x, float *next_v, const float *x,
                                   const ami_field_neighbours *near, const float *a)
{
    float tug[most_numbers];
    float v[most_numbers];
    size_t count = (size_t)field->velocity_count;
    find_tug(field, tug, x, near->state[0]);
    sum_rows(field, v, field->v, count, a, near);
    ami_field_velocity_mix(field, v, v, tug, field->delta);
    sum_rows(field, next_v, field->y, count, a, near);
    ami_field_velocity_mix(field, next_v, next_v, ami_field_y(field, near->state[0]), field->delta);
    ami_field_displace(field, next_x, x, v);
    return ami_field_velocity_step(v);
}

void ami_field_try_all(const ami_field *field, float *next_x, float *next_v, float *rows, ami_field_step *steps,
                       const float *x, const ami_field_neighbours *near, ami_field_work *work)
{
    float a[AMI_FIELD_MAX_K];
    for (int i = 0; i < near->count; i++) {
        float *to_x = next_x ? next_x + (size_t)i * (size_t)field->pose_count : work->x;
        float *to_v = next_v ? next_v + (size_t)i * (size_t)field->velocity_count : work->v;
        ami_field_action(a, near->weight, near->count, i);
        ami_field_step step = ami_field_integrate(field, to_x, to_v, x, near, a);
        if (steps) {
            steps[i] = step;
        }
        if (rows) {
            ami_field_embed(field, rows + (size_t)i * (size_t)field->stride, to_x, to_v);
        }
    }
}
