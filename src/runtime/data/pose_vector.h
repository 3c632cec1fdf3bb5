/// The pose vector y of Learned Motion Matching (section 3): one frame as the numbers that networks read and write.
///
/// For J joints, M of which have translations of their own (the first is joint 0, the hips, relative to the ground
/// root), one after another:
///   [M][3] local translations, m
///   [J][6] local rotations as two axes: first and second column of the matrix
///   [M][3] local linear velocities, m/s
///   [J][3] local angular velocities, rad/s, in the parent's frame
///   [3]    linear velocity of the ground root in its own frame, m/s
///   [3]    angular velocity of the ground root, rad/s
///   [2]    contacts of the left and the right toe, 0 to 1
#ifndef AMI_DATA_POSE_VECTOR_H
#define AMI_DATA_POSE_VECTOR_H

#include <amble/db.h>

#define AMI_POSE_CONTACTS 2 ///< AM_CONTACT_LEFT, AM_CONTACT_RIGHT

/// Where each piece begins.
typedef struct ami_pose_layout {
    int joint_count, moving_count;
    int translations, rotations, velocities, angular, root_linear, root_angular, contacts;
    int count; ///< numbers of the whole vector
} ami_pose_layout;
/// Sizes up to AM_MAX_JOINTS.
ami_pose_layout ami_pose_layout_of(int joint_count, int moving_count);

/// y(count): a frame of a database, velocities by finite differences within its range.
void ami_pose_vector(const am_db *db, int frame, float *y);

/// A vector read back. The arrays are the caller's.
typedef struct ami_pose {
    am_transform *local;               ///< [joint] joint 0 relative to the ground root
    am_velocity *velocity;             ///< [joint], or NULL when not wanted
    am_velocity root;                  ///< in the root's own frame
    float contacts[AMI_POSE_CONTACTS]; ///< clamped to 0..1
} ami_pose;
/// Rotations become unit quaternions by Gram-Schmidt whatever y holds; axes without a plane give the identity, other
/// numbers that are not finite give 0 (translations the skeleton's own). Joints that are not among moving(M) have the
/// skeleton's offsets.
void ami_pose_read(ami_pose *out, const ami_pose_layout *layout, const float *y, const am_skeleton *skeleton,
                   const int16_t *moving);

#endif
