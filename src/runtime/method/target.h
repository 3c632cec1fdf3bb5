/// How sources with tasks read a plain target.
#ifndef AMI_SOURCE_WISH_H
#define AMI_SOURCE_WISH_H

#include <amble/source.h>

#include "method/task.h"

// A target that turns by more than this starts a new line.
#define AMI_NEW_LINE_RAD (1.0f * AM_DEG)

/// The line to follow while there is no target point. Part of a state; zero before the first target.
typedef struct ami_line {
    int32_t begun;
    float heading, x, z;
} ami_line;

/// The target of a task for a character whose ground root is at `root`. Without a point of its own the line begins
/// where the character is when the desired direction changes.
static inline ami_field_target ami_target_read(ami_line *line, const am_source_target *target, am_transform root)
{
    ami_field_target out = { .heading = target->heading,
                             .speed = am_v3_length(target->velocity),
                             .point = target->point,
                             .faces = target->faces };
    if (!target->has_point) {
        if (!line->begun || am_abs(am_wrap_angle(target->heading - line->heading)) > AMI_NEW_LINE_RAD) {
            *line = (ami_line){ 1, target->heading, root.translation.x, root.translation.z };
        }
        out.point = am_v3(line->x, 0.0f, line->z);
    }
    return out;
}

#endif
