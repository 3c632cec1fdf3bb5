/// Positions on the axes of a task's grid, for loops that need millions of them.
#ifndef AMI_SOURCE_FIELD_TASK_H
#define AMI_SOURCE_FIELD_TASK_H

#include "method/task.h"

/// How many intervals an axis has.
static inline int ami_axis_gaps(const ami_field_axis *axis)
{
    return axis->cyclic ? axis->samples : axis->samples - 1;
}

/// Of an axis with dense samples: where a share of its samples ends, as a share of its extent.
static inline float ami_axis_dense(float at)
{
    const float from = 2.0f * at - 1.0f;
    return 0.5f + 0.5f * from * am_abs(from);
}

/// The other way.
static inline float ami_axis_even(float at)
{
    const float from = 2.0f * at - 1.0f;
    return 0.5f + (from < 0.0f ? -0.5f : 0.5f) * sqrtf(am_abs(from));
}

/// The sample before x, and the weight of the sample after it: linear in x.
static inline int ami_axis_place(const ami_field_axis *axis, float x, float *share)
{
    const int count = ami_axis_gaps(axis);
    float extent = (x - axis->low) / (axis->high - axis->low);
    if (axis->cyclic && !(extent >= 0.0f && extent < 1.0f)) {
        extent -= floorf(extent);
    }
    float at = axis->dense ? ami_axis_even(extent) : extent;
    at = at > 0.0f ? at * (float)count : 0.0f; // also for NaN
    at = at < (float)count ? at : (float)count;
    const int i = at < (float)count ? (int)at : count - 1;
    if (!axis->dense) {
        *share = at - (float)i;
        return i;
    }
    const float here = ami_axis_dense((float)i / (float)count), there = ami_axis_dense((float)(i + 1) / (float)count);
    const float part = (extent - here) / (there - here);
    *share = part > 0.0f ? (part < 1.0f ? part : 1.0f) : 0.0f;
    return i;
}

/// Speed over ground, m/s.
static inline float ami_step_speed(const ami_field_task *task, ami_field_step step)
{
    return sqrtf(step.x * step.x + step.z * step.z) * task->fps;
}

/// Each action has this many variants: as it is, and with the root turned more to either side, by the full steering
/// and by fractions of it, so that a direction can be met exactly.
enum { ami_steer_ways = 7 };
static inline int ami_ways(float steer) { return steer > 0.0f ? ami_steer_ways : 1; }
/// rad that variant `way` turns the root more.
static inline float ami_steering(float steer, int way)
{
    static const float parts[ami_steer_ways] = { 0.0f, 1.0f, -1.0f, 0.4f, -0.4f, 0.1f, -0.1f };
    return steer * parts[way];
}
static inline ami_field_step ami_steered(ami_field_step step, float steer, int way)
{
    step.turn += ami_steering(steer, way);
    return step;
}

/// The sample behind sample i.
static inline int ami_axis_after(const ami_field_axis *axis, int i) { return i + 1 < axis->samples ? i + 1 : 0; }

#endif
