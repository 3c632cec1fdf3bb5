/// Skeletons, the roles of their joints, forward and inverse kinematics. Metres, y up, +z forward.
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
/// True when both have the same joints, names and parents (offsets may differ).
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

/// Lower-case name as configs spell it: "hips", "left_foot", "right_up_leg", ...
AM_API const char *am_role_name(am_role role);
/// The role called `name`, or -1.
AM_API int am_role_find(const char *name);

/// Joint of each role, -1 where the rig has none.
typedef struct am_roles {
    int16_t joint[AM_ROLE_COUNT];
} am_roles;

/// All -1.
AM_API am_roles am_roles_none(void);

// Feet that touch the ground, as bits.
#define AM_CONTACT_LEFT 1u  ///< left toe
#define AM_CONTACT_RIGHT 2u ///< right toe

// ---------------------------------------------------------------------------------------------
// Forward kinematics

/// out(joint_count) = transforms in the skeleton's space from local ones. out may be local.
AM_API void am_fk(am_transform *out, const am_transform *local, const int16_t *parents, int joint_count);

/// Linear (m/s) and angular (rad/s) velocity of a joint.
typedef struct am_velocity {
    am_vec3 linear;
    am_vec3 angular;
} am_velocity;

/// LMM appendix C, eq. 2-6 with the erratum (the parent's angular velocity in the cross term).
/// Local velocities are in the parent's space; outputs in the skeleton's. Sizes joint_count each.
AM_API void am_fk_velocity(am_transform *out, am_velocity *out_velocity, const am_transform *local,
                           const am_velocity *local_velocity, const int16_t *parents, int joint_count);

// ---------------------------------------------------------------------------------------------
// Inverse kinematics

/// Analytic two-bone IK on model-space transforms: turns hip and knee (local rotations) so that the ankle reaches
/// `target`; `pole` is the model-space direction in which the knee bends. Exact where the leg reaches; within
/// `soften_m` of full stretch (or full fold) the target is eased in so that the knee does not pop, and the ankle then
/// stays up to 0.4 soften_m short. Joints between the three are carried along. The ankle's own local rotation stays
/// (see am_ik_keep_rotation). A target or pole that is not finite, or a bone without length, changes nothing.
typedef struct am_ik_chain {
    am_transform *local;       ///< [joint] changed in place
    const am_transform *model; ///< [joint] model-space transforms of `local` before the change
    int upper, middle, end;    ///< hip, knee, ankle joints; each an ancestor of the next
} am_ik_chain;
AM_API void am_ik_two_bone(const am_ik_chain *chain, am_vec3 target, am_vec3 pole, float soften_m);
/// Restores the model-space rotation that `joint` has in `model` after its ancestors in `local` changed: keeps a foot
/// flat after its leg moved.
AM_API void am_ik_keep_rotation(am_transform *local, const am_transform *model, const int16_t *parents, int joint);

#ifdef __cplusplus
}
#endif
#endif
