// Value functions of motion fields at run time: anchors (Fields eq. 14), lookup, lookahead (eq. 12) and greedy (eq.
// 9) policies.

#include <string.h>

#include "base/memory.h"
#include "net/format.h"
#include "method/field_task.h"
#include "method/field_value.h"

// ---------------------------------------------------------------------------------------------
// Anchors

/// The first state after the range of `first`.
static int range_end(const ami_field *field, int first)
{
    int end = first + 1;
    while (end < field->state_count && field->ranges[end] == field->ranges[first]) {
        end++;
    }
    return end;
}

/// Tick of anchor g when `gaps` gaps share a range's ticks.
static int tick_of(int ticks, int gaps, int g) { return gaps ? (int)((int64_t)ticks * g / gaps) : 0; }

int ami_field_anchors(const ami_field *field, int every, int32_t *anchor, float *share, int32_t *at)
{
    int count = 0;
    for (int first = 0, end; first < field->state_count; first = end) {
        end = range_end(field, first);
        // A range has a whole number of gaps, each as close to `every` as possible, so that its end is an anchor too.
        const int ticks = end - 1 - first;
        const int gaps = ticks == 0 ? 0 : ticks < every ? 1 : (ticks + every / 2) / every;
        for (int g = 0; at && g <= gaps; g++) {
            at[count + g] = first + tick_of(ticks, gaps, g);
        }
        for (int s = first, g = 0; s < end; s++) {
            while (g < gaps && s - first >= tick_of(ticks, gaps, g + 1)) {
                g++;
            }
            const int from = tick_of(ticks, gaps, g), to = tick_of(ticks, gaps, g + 1);
            if (anchor) {
                anchor[s] = count + g;
            }
            if (share) {
                share[s] = g < gaps ? (float)(s - first - from) / (float)(to - from) : 0.0f;
            }
        }
        count += gaps + 1;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Lookup

/// The values of one row at the corners, mixed.
static float row_at(const ami_field_value *value, int anchor, const ami_field_corners *corners)
{
    const size_t row = (size_t)anchor * (size_t)value->head.cells;
    float sum = 0.0f;
    if (value->head.numbers == AM_NET_FP16) {
        const uint16_t *half = (const uint16_t *)value->values + row;
        for (int c = 0; c < corners->count; c++) {
            sum += corners->share[c] * ami_half_to(half[corners->cell[c]]);
        }
    } else {
        const float *full = (const float *)value->values + row;
        for (int c = 0; c < corners->count; c++) {
            sum += corners->share[c] * full[corners->cell[c]];
        }
    }
    return sum;
}

static float value_at(const ami_field_value *value, const ami_field_neighbours *near,
                      const ami_field_corners *corners)
{
    float sum = 0.0f;
    for (int i = 0; i < near->count; i++) {
        const int state = near->state[i];
        const float share = value->share[state];
        float here = row_at(value, value->anchor[state], corners);
        if (share > 0.0f) {
            here = am_lerp(here, row_at(value, value->anchor[state] + 1, corners), share);
        }
        sum += near->weight[i] * here;
    }
    for (int c = 0; c < corners->count; c++) {
        sum += corners->share[c] * value->mean[corners->cell[c]];
    }
    return sum;
}

float ami_field_value_at(const ami_field_value *value, const ami_field_neighbours *near, const float *theta)
{
    ami_field_corners corners;
    ami_field_task_corners(&value->task, &corners, theta);
    return value_at(value, near, &corners);
}

/// What an action with this step is worth: reward and discounted value.
static ami_field_worth worth_of(const ami_field_task *task, const ami_field_value *value, const float *theta,
                                ami_field_step step, const ami_field_neighbours *near)
{
    float next[AMI_FIELD_MAX_AXES];
    task->advance(task, next, theta, step);
    ami_field_worth worth = { task->reward(task, next, step), 0.0f };
    if (value && near) {
        worth.value = value->head.gamma * ami_field_value_at(value, near, next);
    }
    return worth;
}

int ami_field_choose(const ami_field_task *task, const ami_field_value *value, const float *theta,
                     ami_field_step *steps, const ami_field_neighbours *near, int count, ami_field_worth *worth)
{
    const float steer = value ? value->head.steer : 0.0f, cost = value ? value->head.steer_cost : 0.0f;
    int best = -1;
    float most = 0.0f;
    ami_field_step taken = { 0 };
    for (int i = 0; i < count; i++) {
        float own = -INFINITY;
        ami_field_worth here = { -INFINITY, 0.0f };
        for (int way = 0; way < ami_ways(steer); way++) {
            const ami_field_step step = ami_steered(steps[i], steer, way);
            ami_field_worth w = worth_of(task, value, theta, step, near ? &near[i] : NULL);
            w.reward -= cost * am_abs(ami_steering(steer, way));
            const float sum = w.reward + w.value;
            here = sum > own ? w : here;
            own = sum > own ? sum : own;
            if (sum - sum == 0.0f && (best < 0 || sum > most)) { // a number, and more than those before
                best = i;
                most = sum;
                taken = step;
            }
        }
        if (worth) {
            worth[i] = here;
        }
    }
    if (best >= 0) {
        steps[best] = taken;
    }
    return best;
}
