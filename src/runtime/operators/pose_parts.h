/// Parts of a schema that a character fills from its own body: locations, velocities and directions below the part
/// `pose` of the whole (docs/operators.md).
#ifndef AMI_OPERATORS_POSE_PARTS_H
#define AMI_OPERATORS_POSE_PARTS_H

#include "operators/control.h"

/// One of them.
typedef struct ami_pose_part {
    int value; ///< its place in a value
    ami_operator kind;
    int joint;  ///< that it is named after, or a part around it; -1: the ground root
    bool world; ///< false: in the character's frame
} ami_pose_part;

/// The part `pose`, or -1.
int ami_control_pose(const am_control_schema *schema);
/// Whether a node is that part or below it.
bool ami_control_in_pose(const am_control_schema *schema, int node);
/// out: NULL, or room for as many as the result says.
int ami_control_pose_parts(const am_control_schema *schema, const am_skeleton *skeleton, const am_roles *roles,
                           ami_pose_part *out);

#endif
