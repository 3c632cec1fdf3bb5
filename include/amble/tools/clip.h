/// Clips, operations that make one clip from another, and what is measured on a clip: ground root, contacts,
/// glitches.
///
/// A clip owns a copy of its skeleton. Clips are immutable once built: operations read one and make another. Data
/// read from a file is in that file's unit and axes; am_clip_convert converts it to metres, y up, +z forward, which
/// all functions below that use metres expect, with joint 0 = hips. Every function that makes a clip leaves *out NULL
/// when it fails.
#ifndef AMBLE_TOOLS_CLIP_H
#define AMBLE_TOOLS_CLIP_H

#include <amble/skeleton.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_FRAMES (1 << 24)

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
/// 64-bit hash of everything but the name.
AM_API uint64_t am_clip_hash(const am_clip *clip);

// ---------------------------------------------------------------------------------------------
// Change of representation (any unit and axes)

/// Multiplies lengths by unit_m and turns the whole space by `axes` (file space -> Amble space), as a
/// change of basis: rotations become axes * r * axes^-1, so a rig whose rest rotations are identity
/// keeps that. fps > 0 replaces the stated rate without resampling.
AM_API am_result am_clip_convert(am_clip **out, const am_clip *clip, float unit_m, am_quat axes, float fps,
                                 const am_alloc *alloc, am_error *err);
/// Makes `joint` joint 0 and drops its ancestors and the branches that hang on them, whose motion is
/// baked into it: removes an added ground or armature root.
AM_API am_result am_clip_reroot(am_clip **out, const am_clip *clip, int joint, const am_alloc *alloc, am_error *err);
/// The same motion with another rest pose, rests(joint_count) local: for files whose zero pose is no stance.
AM_API am_result am_clip_set_rest(am_clip **out, const am_clip *clip, const am_quat *rests, const am_alloc *alloc,
                                  am_error *err);
/// Frames first..last, both included.
AM_API am_result am_clip_trim(am_clip **out, const am_clip *clip, int first, int last, const am_alloc *alloc,
                              am_error *err);
/// The same motion at another rate, by cubic curves of rotations and translations; frames that fall on
/// source frames are copied. A lower rate picks frames without filtering.
AM_API am_result am_clip_resample(am_clip **out, const am_clip *clip, float fps, const am_alloc *alloc,
                                  am_error *err);

// ---------------------------------------------------------------------------------------------
// Mirroring

/// out(joint_count): the joint on the other side by its name (Left/Right, L_/R_, .L/.R, _l/_r,
/// lfemur/rfemur, ...); itself when it has no partner. out[out[j]] == j always.
AM_API void am_mirror_map(int16_t *out, const am_skeleton *skeleton);
/// Mirrored in the plane x = 0, through model-space rotations relative to the rest pose, so joint axes
/// need not be symmetrical (the rest pose should be). Twice gives the clip again.
AM_API am_result am_clip_mirror(am_clip **out, const am_clip *clip, const int16_t *map, const am_alloc *alloc,
                                am_error *err);
/// A clip without frames whose skeleton has each bone as the mean of left and right. As the reference of a
/// database with mirrored clips it makes their feet stand exactly where the originals' do; captured skeletons
/// are lopsided (CMU 69: feet by 7 degrees, 1.4 cm of toe height).
AM_API am_result am_skeleton_symmetric(am_clip **out, const am_clip *clip, const int16_t *map, const am_alloc *alloc,
                                       am_error *err);

// ---------------------------------------------------------------------------------------------
// Ground root: the "simulation bone"

/// Start from am_root_def_default().
typedef struct am_root_def {
    float position_seconds; ///< width of the smoothing of the position, 0 to 5
    float facing_seconds;   ///< width of the smoothing of the facing, 0 to 5
    bool pelvis;            ///< place and facing are those of the hips alone, else of chest, hips and shoulders
    uint32_t cookie;
} am_root_def;
AM_API am_root_def am_root_def_default(void);
/// positions(frame_count) on y = 0 and rotations(frame_count) about y: smoothed projection of the
/// upper body, smoothed facing (across the hips and shoulders); or both of the hips.
AM_API am_result am_root_track(am_vec3 *positions, am_quat *rotations, const am_clip *clip, const am_roles *roles,
                               const am_root_def *def, const am_alloc *alloc, am_error *err);

// ---------------------------------------------------------------------------------------------
// Contacts

/// Start from am_contact_def_default().
typedef struct am_contact_def {
    float floor_m;                     ///< height of the toe joint in stance; NAN means the clip's own
    float speed_on_mps, speed_off_mps; ///< a toe touches below the first and lifts above the second
    float height_on_m, height_off_m;   ///< above the floor, likewise
    float median_seconds;              ///< width of the median filter
    uint32_t cookie;
} am_contact_def;
AM_API am_contact_def am_contact_def_default(void);
/// out(frame_count) bits AM_CONTACT_*.
AM_API am_result am_contacts_find(uint8_t *out, const am_clip *clip, const am_roles *roles, const am_contact_def *def,
                                  const am_alloc *alloc, am_error *err);
/// Height of the toe joints in stance (m): a low percentile over slow frames.
AM_API am_result am_floor_find(float *out, const am_clip *clip, const am_roles *roles, const am_alloc *alloc,
                               am_error *err);

// ---------------------------------------------------------------------------------------------
// Clips made for games: gaits in place, loops

/// *speed_mps is how fast the planted feet of a gait without root motion slide backward; 0 when the clip is not one.
AM_API am_result am_clip_find_in_place(float *speed_mps, const am_clip *clip, const am_roles *roles,
                                       const am_alloc *alloc, am_error *err);
#define AM_SPRINT_MPS 5.5f
/// A copy of a gait in place with the root motion that keeps its planted feet planted, at most AM_SPRINT_MPS, and
/// with the feet held where they stand; for any other clip, a plain copy.
AM_API am_result am_clip_give_motion(am_clip **out, const am_clip *clip, const am_roles *roles, const am_alloc *alloc,
                                     am_error *err);
/// Frames of one cycle when the last frame meets the first in pose and velocity, else 0.
AM_API int am_clip_find_loop(const am_clip *clip);
/// `rounds` cycles of a loop of `period` frames one after another, each beginning where the one before ended.
AM_API am_result am_clip_unroll(am_clip **out, const am_clip *clip, int period, int rounds, const am_alloc *alloc,
                                am_error *err);

// ---------------------------------------------------------------------------------------------
// Bending along curves

/// What bending costs.
typedef struct am_bend_error {
    float slide_m; ///< how far a planted toe is from where the straight clip would have it, root mean square
    float most_m;  ///< and at most
} am_bend_error;
/// A copy whose way over ground turns by `rad_per_m` more in each metre (positive: to the left). The body goes along
/// with the ground root and leans inward as balance asks (up to 15 degrees); planted feet stay where they stand on
/// average, and their legs follow. A clip that does not move from its place stays as it is. *error may be NULL.
AM_API am_result am_clip_bend(am_clip **out, am_bend_error *error, const am_clip *clip, const am_roles *roles,
                              float rad_per_m, const am_alloc *alloc, am_error *err);
/// A copy with steps `stride` times as long (0.2 to 2) in the same time: people change their speed so more than by
/// their cadence, and what is in the air falls as before. Feet are planted again as above.
AM_API am_result am_clip_stride(am_clip **out, am_bend_error *error, const am_clip *clip, const am_roles *roles,
                                float stride, const am_alloc *alloc, am_error *err);

// ---------------------------------------------------------------------------------------------
// Retargeting

/// Start from am_retarget_def_default().
typedef struct am_retarget_def {
    const am_skeleton *reference;    ///< borrowed
    const am_roles *reference_roles; ///< borrowed
    const am_roles *roles;           ///< of the clip, borrowed
    float floor_m;                   ///< toe height in stance of the clip; NAN means found
    float reference_floor_m;         ///< median toe height in stance to bring it to (default 0.02)
    bool ik;                         ///< touch up planted feet
    uint32_t cookie;
} am_retarget_def;
AM_API am_retarget_def am_retarget_def_default(void);
/// The clip's motion on the reference skeleton: joints paired by role, then by name; local rotations
/// copied (through rest poses where they differ: both must be plausible stances, see am_clip_set_rest),
/// hips scaled by leg length, floor shifted, planted feet touched up by IK. Only joint 0 has translations.
AM_API am_result am_clip_retarget(am_clip **out, const am_clip *clip, const am_retarget_def *def,
                                  const am_alloc *alloc, am_error *err);

// ---------------------------------------------------------------------------------------------
// Glitches

typedef enum am_fault_kind {
    AM_FAULT_STEP,   ///< a joint or the hips jump: second difference beyond human reach
    AM_FAULT_FROZEN, ///< identical frames amid motion, or a limb that stops being tracked
    AM_FAULT_FLIP,   ///< a joint turns by an impossible angle between frames
    AM_FAULT_RANGE,  ///< a joint held beyond its human range
    AM_FAULT_FLOOR,  ///< feet below the floor, or the floor drifts
    AM_FAULT_ORIGIN, ///< the pose falls to the origin
    AM_FAULT_NUMBER, ///< not finite
    AM_FAULT_KIND_COUNT
} am_fault_kind;
AM_API const char *am_fault_name(am_fault_kind kind);

/// A bad stretch of a clip.
typedef struct am_fault {
    am_fault_kind kind;
    int first, last; ///< frames, both included
    int joint;       ///< the worst one, -1 for the whole body
    float amount;    ///< in the kind's own unit (m, radians, frames)
    bool serious;    ///< should be cut or excluded; otherwise it can be bridged or ignored
} am_fault;

/// Finds faults; writes up to `capacity` of them and their full number to *count.
AM_API am_result am_faults_find(am_fault *out, int capacity, int *count, const am_clip *clip, const am_roles *roles,
                                const am_alloc *alloc, am_error *err);
/// Bridges frames first..last of each short fault with a Hermite curve on all channels.
AM_API am_result am_clip_bridge(am_clip **out, const am_clip *clip, int first, int last, const am_alloc *alloc,
                                am_error *err);

#ifdef __cplusplus
}
#endif
#endif
