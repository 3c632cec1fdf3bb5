/// Matching functions of the segment controller (Operators 4.3): how well a frame answers a control. Weighted squared
/// differences of the parts of two values, and of the pose (docs/operators.md).
#ifndef AMI_CONTROL_MATCHING_H
#define AMI_CONTROL_MATCHING_H

#include "operators/control.h"

#include <amble/db.h>

/// A matching function. Immutable.
typedef struct ami_matching ami_matching;
/// Reads the section "matching" of a file of controls (`json`: the file's root) for a schema, which must outlive it.
am_result ami_matching_read(ami_matching **out, const am_control_schema *schema, const am_json_doc *doc,
                            const am_json *json, const am_alloc *alloc, am_error *err);
/// NULL is allowed.
void ami_matching_destroy(ami_matching *matching);
/// The cost of answering vector `asked` with a frame whose own vector is `offered` (both vector_count of
/// ami_control_flatten). Only what is asked for counts: an optional that `asked` does not have costs nothing.
float ami_matching_cost(const ami_matching *matching, const float *asked, const float *offered);
/// weights(vector_count) when the cost is the sum of weight * (asked - offered)^2, so that an index can search; else
/// NULL: the schema has choices or sets.
const float *ami_matching_weights(const ami_matching *matching);

/// The pose's part: squared distances of rows of this many numbers add to the cost. 0 when it has none.
int ami_matching_pose_count(const ami_matching *matching);
/// row(pose_count): places (m) and velocities (m/s) of the joints in the character's frame, times the roots of their
/// weights. Joints that the rig does not have give 0.
void ami_matching_pose_row(const ami_matching *matching, float *row, const am_db *db, int frame);

#endif
