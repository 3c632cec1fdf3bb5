/// Places on the axes of a task's grid, for the loops that ask for millions of them.
#ifndef AMI_SOURCE_FIELD_TASK_H
#define AMI_SOURCE_FIELD_TASK_H

#include <amble/field_task.h>

/// How many intervals an axis has.
static inline int ami_axis_gaps(const am_field_axis *axis)
{
    return axis->cyclic ? axis->samples : axis->samples - 1;
}

/// The sample before x, and the share of the one after it.
static inline int ami_axis_place(const am_field_axis *axis, float x, float *share)
{
    const int count = ami_axis_gaps(axis);
    float at = (x - axis->low) / (axis->high - axis->low);
    if (axis->cyclic && !(at >= 0.0f && at < 1.0f)) {
        at -= floorf(at);
    }
    at = at > 0.0f ? at * (float)count : 0.0f; // also for what is no number
    at = at < (float)count ? at : (float)count;
    const int i = at < (float)count ? (int)at : count - 1;
    *share = at - (float)i;
    return i;
}

/// The sample behind sample i.
static inline int ami_axis_after(const am_field_axis *axis, int i) { return i + 1 < axis->samples ? i + 1 : 0; }

#endif
