/// Skeletons, clips and the operations on them: forward kinematics, inverse kinematics, mirroring,
/// resampling, ground root, contacts, retargeting, glitches.
///
/// A clip owns a copy of its skeleton. Clips are immutable once built: operations read one and make
/// another. Data fresh from a file is in that file's unit and axes; am_clip_convert brings it to
/// metres, y up, +z forward, which everything that speaks of metres below expects.
#ifndef AMBLE_ANIM_H
#define AMBLE_ANIM_H

#include <amble/base.h>
#include <amble/math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_JOINTS 512 ///< more than any rig in use (detailed hands and faces have about 300)
#define AM_MAX_FRAMES (1 << 24)

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

// ---------------------------------------------------------------------------------------------
// Clip

/// Motion of one skeleton at a fixed rate. Local rotations of every joint, and local translations
/// of the few joints whose translation changes (the hips as a rule); the others keep their offsets.
typedef struct am_clip {
    am_skeleton *skeleton; ///< owned
    int frame_count;
    int moving_count;
    float fps;
    int unread_rows;       ///< rows of its file beyond the frames that the file announces; 0 for a made clip
    const int16_t *moving; ///< [moving] joints with translations of their own, ascending
    am_quat *rotations;    ///< [frame][joint]
    am_vec3 *translations; ///< [frame][moving]
    char *name;            ///< file stem, "" when unknown
    am_alloc alloc;
    size_t block_size;
} am_clip;

/// How a clip is made. Start from am_clip_def_default(). Arrays are copied.
typedef struct am_clip_def {
    const am_alloc *alloc; ///< NULL means malloc/free
    int joint_count;       ///< 1 to AM_MAX_JOINTS
    int end_count;
    int frame_count; ///< 0 is allowed: a skeleton alone
    int moving_count;
    float fps;                   ///< > 0
    const int16_t *parents;      ///< [joint]
    const am_vec3 *offsets;      ///< [joint]
    const am_quat *rests;        ///< [joint]; NULL means identity
    const char *const *names;    ///< [joint]
    const int16_t *end_joints;   ///< [end]
    const am_vec3 *end_offsets;  ///< [end]
    const int16_t *moving;       ///< [moving], ascending
    const am_quat *rotations;    ///< [frame][joint]; NULL leaves identity, for the caller to fill
    const am_vec3 *translations; ///< [frame][moving]; NULL leaves the offsets, for the caller to fill
    const char *name;            ///< NULL means ""
    uint32_t cookie;
} am_clip_def;

AM_API am_clip_def am_clip_def_default(void);
/// A def that describes `like` (skeleton, rate, moving joints, name) without its frames: set
/// frame_count and create, then fill the arrays.
AM_API am_clip_def am_clip_def_like(const am_clip *like);
AM_API am_result am_clip_create(am_clip **out, const am_clip_def *def, am_error *err);
AM_API void am_clip_destroy(am_clip *clip);

/// Local transforms of one frame. out(joint_count).
AM_API void am_clip_local(const am_clip *clip, int frame, am_transform *out);
/// Local transforms at a time in seconds: nlerp of rotations, linear translations, clamped ends.
AM_API void am_clip_sample(const am_clip *clip, float seconds, am_transform *out);
/// 64-bit hash of everything but the name.
AM_API uint64_t am_clip_hash(const am_clip *clip);

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

/// Local velocities of one frame by finite differences (central inside, one-sided at the ends).
AM_API void am_clip_velocity(const am_clip *clip, int frame, am_velocity *out);

#ifdef __cplusplus
}
#endif
#endif
