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
#ifndef AMBLE_POSE_H
#define AMBLE_POSE_H

#include <amble/db.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_POSE_CONTACTS 2 ///< AM_CONTACT_LEFT, AM_CONTACT_RIGHT

/// Where each piece begins.
typedef struct am_pose_layout {
    int joint_count, moving_count;
    int translations, rotations, velocities, angular, root_linear, root_angular, contacts;
    int count; ///< numbers of the whole vector
} am_pose_layout;
/// Sizes up to AM_MAX_JOINTS.
AM_API am_pose_layout am_pose_layout_of(int joint_count, int moving_count);

/// y(count): a frame of a database, velocities by finite differences within its range.
AM_API void am_pose_vector(const am_db *db, int frame, float *y);

/// A vector read back. The arrays are the caller's.
typedef struct am_pose {
    am_transform *local;              ///< [joint] joint 0 relative to the ground root
    am_velocity *velocity;            ///< [joint], or NULL when not wanted
    am_velocity root;                 ///< in the root's own frame
    float contacts[AM_POSE_CONTACTS]; ///< clamped to 0..1
} am_pose;
/// Rotations become unit quaternions by Gram-Schmidt whatever y holds; axes without a plane give the identity, other
/// numbers that are not finite give 0 (translations the skeleton's own). Joints that are not among moving(M) have the
/// skeleton's offsets.
AM_API void am_pose_read(am_pose *out, const am_pose_layout *layout, const float *y, const am_skeleton *skeleton,
                         const int16_t *moving);

/// A pose on another skeleton: the user's own rig. Begin with am_rig_map_def_init().
typedef struct am_rig_map_def {
    const am_alloc *alloc;
    const am_skeleton *from, *to;          ///< borrowed; must outlive the map
    const am_roles *from_roles, *to_roles; ///< read during create; joints without a role are paired by name
    uint32_t cookie;
} am_rig_map_def;
AM_API void am_rig_map_def_init(am_rig_map_def *def);
typedef struct am_rig_map am_rig_map;
AM_API am_result am_rig_map_create(am_rig_map **out, const am_rig_map_def *def, am_error *err);
AM_API void am_rig_map_destroy(am_rig_map *map);
/// to(joints of `to`) from from(joints of `from`): local transforms, joint 0 relative to the ground root. Allocates
/// nothing.
AM_API void am_rig_map_apply(const am_rig_map *map, am_transform *to, const am_transform *from);
/// Leg length of `to` by that of `from`: a root that travels this much less or more keeps feet from sliding.
AM_API float am_rig_map_scale(const am_rig_map *map);

#ifdef __cplusplus
}
#endif
#endif
