/// The floor of a database: how high its toes and heels are when they stand on it.
#ifndef AMI_ACTOR_FLOOR_H
#define AMI_ACTOR_FLOOR_H

#include <amble/db.h>

/// Where a joint is in the space of local[0]'s parent.
am_transform ami_joint_place(const am_skeleton *skeleton, const am_transform *local, int joint);
/// 1st percentiles of the heights of toes and heels: from the facts of the file, or measured where it has none. 0 for
/// a skeleton without feet.
am_result ami_db_floor(const am_db *db, float *toe_m, float *heel_m, const am_alloc *alloc, am_error *err);

#endif
