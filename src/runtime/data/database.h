/// Reading a database inside the library: roots, velocities, raw features, tags, ranges of joints.
#ifndef AMI_DATA_DATABASE_H
#define AMI_DATA_DATABASE_H

#include <amble/db.h>
#include "data/facts.h"
#include "data/tags.h"

/// `frame` + `offset` frames, clamped to the range that holds `frame`.
int ami_db_clamp(const am_db *db, int frame, int offset);
/// The ground root in the clip's world.
am_transform ami_db_root(const am_db *db, int frame);
/// One joint's local transform, as am_db_pose gives it. `moving` is its place in db->moving, -1 when it has none.
am_transform ami_db_joint(const am_db *db, int frame, int joint, int moving);
/// out(joint_count): local velocities by finite differences inside the range; scratch(2 * joint_count).
void ami_db_velocity(const am_db *db, int frame, am_velocity *out, am_transform *scratch);
/// Velocity of the ground root, in the root's own frame at `frame`.
am_velocity ami_db_root_velocity(const am_db *db, int frame);
/// The latent row of a frame of a database that has them.
static inline const float *ami_db_z(const am_db *db, int frame)
{
    return db->z + (size_t)frame * (size_t)db->latent_count;
}

/// Parses a tag query against the database's tags.
am_result ami_db_tag_query(const am_db *db, ami_tag_query *out, const char *text, am_error *err);

/// The range of a joint in motion data: rotation vectors of mean^-1 q between low and high, in radians.
typedef struct ami_joint_range {
    am_quat mean;
    am_vec3 low, high;
} ami_joint_range;

/// out(joint_count): the range of each joint's local rotation, joint 0's relative to the ground root. low and high
/// are the `share` and 1 - `share` quantiles over at most `most` frames, evenly spread; most 0 means every frame.
am_result ami_joint_ranges(ami_joint_range *out, const am_db *db, float share, int most, const am_alloc *alloc,
                           am_error *err);
/// How far (rad) a rotation lies outside a range: the largest of the three components; 0 inside.
float ami_joint_excess(const ami_joint_range *range, am_quat rotation);
/// The rotation clamped to within `margin` (rad) of the range; the same bits when it is inside.
am_quat ami_joint_clamp(const ami_joint_range *range, am_quat rotation, float margin);

#endif
