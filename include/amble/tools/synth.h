/// Procedural motion with exact ground truth: a biped that stands, walks, runs, turns, strafes, jumps, crouches and
/// sits. It provides the character on a machine without motion capture, and the reference for everything that
/// measures motion: contacts, speed and flight are known, not estimated.
///
/// A kind is a plan of velocities, turns and actions; the plan is smoothed to a path, footsteps are placed along
/// the path where each foot's stance has its middle, the pelvis rides on the footsteps (an inverted pendulum in
/// walks, spring and free fall in runs), legs reach their feet by inverse kinematics, and the upper body swings
/// against them. Clips are in metres, y up, +z forward; the root starts at the origin and faces +z.
#ifndef AMBLE_SYNTH_H
#define AMBLE_SYNTH_H

#include <amble/tools/formats.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_SYNTH_GRAVITY 9.81f ///< m/s^2 of the hips in every flight

typedef enum am_synth_kind {
    AM_SYNTH_STAND,
    AM_SYNTH_WALK,
    AM_SYNTH_JOG,
    AM_SYNTH_RUN,
    AM_SYNTH_TURN,   ///< in place, to `side` and back
    AM_SYNTH_CURVE,  ///< turning to `side` while moving
    AM_SYNTH_STRAFE, ///< sideways to `side`, facing kept
    AM_SYNTH_BACKWARD,
    AM_SYNTH_START_STOP, ///< from rest to `speed` and back, again and again
    AM_SYNTH_JUMP,       ///< on the spot, then forward
    AM_SYNTH_CROUCH,     ///< creeping along with bent knees
    AM_SYNTH_SIT,        ///< down on a stool, a while, and up again
    AM_SYNTH_WANDER,     ///< a long mixture, planned from the seed
    AM_SYNTH_CORNER,     ///< walks with sharp turns of 60 to 180 degrees between
    AM_SYNTH_KIND_COUNT
} am_synth_kind;

/// Lower-case name, as the command spells it: "stand", "start_stop", ...
AM_API const char *am_synth_kind_name(am_synth_kind kind);

/// What to make. Start from am_synth_def_default().
typedef struct am_synth_def {
    const am_alloc *alloc; ///< NULL means malloc/free
    am_synth_kind kind;
    float fps;        ///< 10 to 480
    float seconds;    ///< length of the clip, up to 3600; 0 means the kind's own
    float speed;      ///< m/s, up to 5.5 (1.2 sideways and backward, 1.3 crouched); 0 means the kind's own
    float turn;       ///< rad/s for turn, curve (up to 2.5) and corner (4); 0 means the kind's own
    float side;       ///< 1 left, -1 right, for turn, curve, strafe and corner
    uint64_t seed;    ///< of the small variations, and of a wander's plan
    const char *name; ///< of the clip; NULL means the kind's name
    uint32_t cookie;
} am_synth_def;

AM_API am_synth_def am_synth_def_default(void);

#define AM_SYNTH_LEFT_TOE 1u ///< the toe joint (ball of the foot) stands still in the world: AM_CONTACT_LEFT
#define AM_SYNTH_RIGHT_TOE 2u
#define AM_SYNTH_LEFT_HEEL 4u ///< the heel (under the ankle at toe height, 45 mm back) stands still
#define AM_SYNTH_RIGHT_HEEL 8u

/// What the body does in a frame.
typedef enum am_synth_tag {
    AM_SYNTH_TAG_IDLE,
    AM_SYNTH_TAG_WALK,
    AM_SYNTH_TAG_JOG,
    AM_SYNTH_TAG_RUN,
    AM_SYNTH_TAG_TURN,
    AM_SYNTH_TAG_STRAFE,
    AM_SYNTH_TAG_BACKWARD,
    AM_SYNTH_TAG_JUMP,
    AM_SYNTH_TAG_CREEP,
    AM_SYNTH_TAG_SIT,
    AM_SYNTH_TAG_COUNT
} am_synth_tag;
AM_API const char *am_synth_tag_name(am_synth_tag tag);

/// The ground truth of one frame.
typedef struct am_synth_truth {
    uint8_t contacts; ///< AM_SYNTH_* bits; none means flight
    uint8_t tag;      ///< am_synth_tag
    float phase;      ///< of the stride, [0, 1): 0 when the left foot lifts, 0.5 the right one; held when standing
    float speed;      ///< of the root over ground, m/s
    am_vec3 velocity; ///< of the root, m/s, world
    float heading;    ///< of the facing, radians in (-pi, pi]
    float turn;       ///< rad/s
} am_synth_truth;

/// A clip and its ground truth. Free with am_synth_free.
typedef struct am_synth {
    am_clip *clip;
    am_synth_truth *truth; ///< [clip->frame_count]
    am_roles roles;        ///< of the clip's joints
    am_synth_kind kind;
    am_alloc alloc;
} am_synth;

AM_API am_result am_synth_make(am_synth *out, const am_synth_def *def, am_error *err);
/// A zeroed struct is allowed.
AM_API void am_synth_free(am_synth *synth);

/// The balanced set that `amble synth all` writes: how many clips, and the def of each with its own name
/// (a literal) and seed. It has enough speeds, turns, directions and changes to steer a character.
AM_API int am_synth_all_count(void);
AM_API am_synth_def am_synth_all_item(int index, uint64_t seed);
/// Writes all of them, of seed 1, as NAME.bvh into a folder.
AM_API am_result am_synth_write_all(const char *folder, am_error *err);
/// Writes the clip into a folder in this format, its truth as NAME.truth.csv, and appends its rows of tags to `tags`,
/// which may be all zeros.
AM_API am_result am_synth_write(const am_synth *synth, const char *folder, const am_motion_format *format,
                                am_bytes *tags, am_error *err);

/// NAME.truth.csv: a header line, then one row per frame.
AM_API am_result am_synth_truth_csv(am_bytes *out, const am_synth *synth, const am_alloc *alloc, am_error *err);
/// Rows `clip, tag, first frame, last frame` of one clip: a row for each stretch of one tag, and one over the
/// whole clip for kinds that are no tag themselves (curve, start_stop, wander). No header line, so that the rows
/// of several clips join.
AM_API am_result am_synth_tags_csv(am_bytes *out, const am_synth *synth, const am_alloc *alloc, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
