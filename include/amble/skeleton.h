/// Skeletons, the roles of their joints, forward kinematics, and rig maps, which bring poses onto other skeletons.
/// Metres, y up, +z forward.
#ifndef AMBLE_SKELETON_H
#define AMBLE_SKELETON_H

#include <amble/base.h>
#include <amble/math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_JOINTS 512 ///< more than any rig in use (detailed hands and faces have about 300)

// ---------------------------------------------------------------------------------------------
// Skeleton

/// A tree of joints, parents before children. One block; read it, do not write it.
typedef struct am_skeleton {
    int joint_count;
    int end_count;
    const int16_t *parents;     ///< [joint]; parents[j] < j, -1 for joint 0 only
    const am_vec3 *offsets;     ///< [joint] rest translation from the parent
    const am_quat *rests;       ///< [joint] rest rotation relative to the parent (identity in BVH)
    const char **names;         ///< [joint] terminated, unique within the skeleton
    const int16_t *end_joints;  ///< [end] joint that carries the end site
    const am_vec3 *end_offsets; ///< [end] tip relative to that joint
} am_skeleton;

/// Index of the joint called `name`, or -1.
AM_API int am_skeleton_find(const am_skeleton *skeleton, const char *name);
/// Whether both have the same joints, names and parents; offsets may differ.
AM_API bool am_skeleton_same_shape(const am_skeleton *a, const am_skeleton *b);

/// What a joint is on a body, whatever a rig calls it.
typedef enum am_role {
    AM_ROLE_HIPS,
    AM_ROLE_SPINE, ///< first joint above the hips that bends the trunk
    AM_ROLE_CHEST, ///< the joint that carries neck and shoulders
    AM_ROLE_NECK,
    AM_ROLE_HEAD,
    AM_ROLE_LEFT_UP_LEG,
    AM_ROLE_LEFT_LEG,  ///< knee
    AM_ROLE_LEFT_FOOT, ///< ankle
    AM_ROLE_LEFT_TOE,  ///< ball of the foot
    AM_ROLE_RIGHT_UP_LEG,
    AM_ROLE_RIGHT_LEG,
    AM_ROLE_RIGHT_FOOT,
    AM_ROLE_RIGHT_TOE,
    AM_ROLE_LEFT_SHOULDER, ///< clavicle
    AM_ROLE_LEFT_ARM,
    AM_ROLE_LEFT_FOREARM,
    AM_ROLE_LEFT_HAND,
    AM_ROLE_RIGHT_SHOULDER,
    AM_ROLE_RIGHT_ARM,
    AM_ROLE_RIGHT_FOREARM,
    AM_ROLE_RIGHT_HAND,
    AM_ROLE_COUNT
} am_role;

/// The name of a role as configs spell it: "hips", "left_foot", "right_up_leg", ...
AM_API const char *am_role_name(am_role role);
/// The role called `name`, or -1.
AM_API int am_role_find(const char *name);

/// Joint of each role, -1 where the rig has none.
typedef struct am_roles {
    int16_t joint[AM_ROLE_COUNT];
} am_roles;

// Feet that touch the ground, as bits.
#define AM_CONTACT_LEFT 1u  ///< left toe
#define AM_CONTACT_RIGHT 2u ///< right toe

// ---------------------------------------------------------------------------------------------
// Forward kinematics

/// out(joint_count): transforms in the space of joint 0's parent, from local(joint_count). out may be local.
AM_API void am_fk(am_transform *out, const am_transform *local, const int16_t *parents, int joint_count);

/// Linear (m/s) and angular (rad/s) velocity of a joint.
typedef struct am_velocity {
    am_vec3 linear;
    am_vec3 angular;
} am_velocity;

// ---------------------------------------------------------------------------------------------
// Rig maps

/// How poses of one skeleton come onto another, the rig of a game. Begin with am_rig_map_def_init().
typedef struct am_rig_map_def {
    const am_alloc *alloc;
    const am_skeleton *from, *to;          ///< borrowed; must outlive the map
    const am_roles *from_roles, *to_roles; ///< read during create; joints without a role are paired by name
    uint32_t cookie;
} am_rig_map_def;
AM_API void am_rig_map_def_init(am_rig_map_def *def);

/// A rig map. Immutable: any number of threads may apply it.
typedef struct am_rig_map am_rig_map;
/// Refuses a def without skeletons or roles (AM_ERR_DEF).
AM_API am_result am_rig_map_create(am_rig_map **out, const am_rig_map_def *def, am_error *err);
AM_API void am_rig_map_destroy(am_rig_map *map);
/// to(joints of def.to): the pose from(joints of def.from). Both are local transforms, joint 0 relative to the ground
/// root. Allocates nothing.
AM_API void am_rig_map_apply(const am_rig_map *map, am_transform *to, const am_transform *from);
/// The leg length of def.to divided by that of def.from: multiply the root's travel by it, and feet do not slide.
AM_API float am_rig_map_scale(const am_rig_map *map);

#ifdef __cplusplus
}
#endif
#endif
