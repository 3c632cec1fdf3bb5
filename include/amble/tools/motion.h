/// Measures that see what an animator sees: poses that nobody captured, a character that stands but creeps away,
/// stops in mid-stride, glides without steps, starts through the wind-up of a jump, or slides under a push.
///
/// They read points of the body over time, found by role, so that a character is compared with captured motion of
/// another rig. What is usual is taken from captured clips (am_reference): percentiles of standing, steps of each
/// speed, and the nearest captured window of any moment.
#ifndef AMBLE_MOTION_H
#define AMBLE_MOTION_H

#include <amble/db.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Points of a body

/// The first AM_POINT_NOVELTY are compared with captured motion. Left is followed by right.
typedef enum am_point {
    AM_POINT_HIPS,
    AM_POINT_HEAD,
    AM_POINT_LEFT_THIGH,
    AM_POINT_RIGHT_THIGH,
    AM_POINT_LEFT_KNEE,
    AM_POINT_RIGHT_KNEE,
    AM_POINT_LEFT_ANKLE,
    AM_POINT_RIGHT_ANKLE,
    AM_POINT_LEFT_TOE,
    AM_POINT_RIGHT_TOE,
    AM_POINT_LEFT_ELBOW,
    AM_POINT_RIGHT_ELBOW,
    AM_POINT_LEFT_HAND,
    AM_POINT_RIGHT_HAND,
    AM_POINT_NOVELTY,
    AM_POINT_LEFT_ARM = AM_POINT_NOVELTY, ///< the shoulder's joint
    AM_POINT_RIGHT_ARM,
    AM_POINT_LEFT_HEEL, ///< the point under the ankle at toe height at rest
    AM_POINT_RIGHT_HEEL,
    AM_POINT_COUNT
} am_point;

/// Where a rig has them.
typedef struct am_body {
    int16_t joint[AM_POINT_COUNT]; ///< -1 where the rig has none; for a heel: its ankle
    am_vec3 heels[2];              ///< in the ankle's space
    uint32_t has;                  ///< 1 << am_point
    float leg_m;                   ///< thigh and shin
} am_body;
AM_API am_body am_body_find(const am_skeleton *skeleton, const am_roles *roles);
/// out(AM_POINT_COUNT) from world(joint_count); points that the rig lacks are zero.
AM_API void am_body_take(am_vec3 *out, const am_body *body, const am_transform *world);

/// Heights of a standing foot: the 1st percentiles of toe and heel, m.
typedef struct am_floor {
    float toe_m, heel_m;
} am_floor;

/// A stretch of motion. The measures below need hips, both legs with feet and toes, and frames at an even rate.
typedef struct am_motion {
    const am_vec3 *points; ///< [frame][AM_POINT_COUNT] world, m
    int frames;
    float fps;
    am_body body;
    am_floor floor; ///< am_motion_floor, or known
} am_motion;
/// True when the body has what the measures need.
AM_API bool am_motion_usable(const am_motion *motion);
/// Heights of a standing foot: 1st percentiles of the lower toe and the lower heel. room(frames) is scratch.
AM_API am_floor am_motion_floor(const am_motion *motion, float *room);

// ---------------------------------------------------------------------------------------------
// The yardstick

/// Limits of captured standing. Lengths are in legs (thigh and shin), so that they hold for other rigs.
typedef struct am_standing_limits {
    int frames;      ///< of captured standing; with less than two seconds the limits are those of the CMU sets
    float ankles;    ///< 99th percentile of the distance between the ankles on the ground, legs
    float knee_deg;  ///< 99th percentile of the more bent knee
    float hips;      ///< 1st percentile of the height of the hips, legs
    float trunk_deg; ///< 99th percentile of the lean of the trunk
    float bob, hands, head, sway; ///< medians over windows of 2 s of the deviations that am_standing lists, legs
} am_standing_limits;

#define AM_STEP_BINS 20
#define AM_STEP_BIN_MPS 0.25f ///< from 0.4 m/s on

/// Captured steps of one speed, lengths in legs.
typedef struct am_step_limits {
    int count;               ///< steps; with less than 20 the bin says nothing
    float low, median, high; ///< 1st, 50th and 99th percentile
} am_step_limits;

/// Captured motion to measure against: the clips of a database, without their mirrored copies.
typedef struct am_reference am_reference;

/// Start from am_reference_def_default().
typedef struct am_reference_def {
    const am_alloc *alloc;
    const am_db *db;     ///< borrowed for the creation
    const am_body *body; ///< of the character: points that it lacks are left out; NULL: the database's own
    uint32_t cookie;
} am_reference_def;
AM_API am_reference_def am_reference_def_default(void);
/// Refuses a database without poses, or whose rig has no hips, legs, feet and toes.
AM_API am_result am_reference_create(am_reference **out, const am_reference_def *def, am_error *err);
AM_API void am_reference_destroy(am_reference *reference);
AM_API const am_standing_limits *am_reference_standing(const am_reference *reference);
/// [AM_STEP_BINS]
AM_API const am_step_limits *am_reference_steps(const am_reference *reference);

// ---------------------------------------------------------------------------------------------
// Novelty

#define AM_NOVELTY_SAMPLES 9 ///< of a window
#define AM_NOVELTY_EVERY_S 0.1f

/// How far the motion is from anything captured. A window of 0.8 s is nine samples of 14 points, relative to the hips
/// on the ground and the facing (across hips and shoulders) of the middle sample, scaled by the length of the legs,
/// heights above the floor; its novelty is the root mean square distance of its points from those of the nearest
/// captured window or its mirror image.
typedef struct am_novelty {
    int windows; ///< one every 0.1 s; 0 when the motion is too short
    float median_cm, p95_cm, max_cm;
    float max_s; ///< time of the middle of the worst window
} am_novelty;
/// Exact: captured windows begin every 1/30 s. A reference belongs to one thread at a time.
AM_API am_novelty am_novelty_measure(am_reference *reference, const am_motion *motion);

// ---------------------------------------------------------------------------------------------
// Standing

/// A stand: from when the body has come to rest until the target moves again.
typedef struct am_stand_span {
    int first, last; ///< frames, both included
    bool stop;       ///< the body moved before
} am_stand_span;

/// How a character stands, from one second after it came to rest.
typedef struct am_standing {
    float seconds; ///< measured
    float
        drift_m; ///< farthest that the middle between the ankles, or the hips' mean over 8 s, moved from where it was
    float turn_deg; ///< largest turn of the feet, or of the body's mean facing over 8 s
    /// Root mean square deviations from the mean over windows of 2 s, averaged: the height of the hips; the hands and
    /// the head relative to the hips; the hips over the feet.
    float bob_cm, hands_cm, head_cm, sway_cm;
} am_standing;

#define AM_BAD_ANKLES 1u
#define AM_BAD_KNEES 2u
#define AM_BAD_HIPS 4u
#define AM_BAD_TRUNK 8u

/// Finds the stands of a motion: targets(frames) are desired velocities. Writes up to `capacity`; returns how many.
AM_API int am_stands_find(am_stand_span *out, int capacity, const am_motion *motion, const am_vec3 *targets);
/// Of all stands: the largest drift and turn, mean deviations by time.
AM_API am_standing am_standing_measure(const am_motion *motion, const am_stand_span *stands, int count);
/// AM_BAD_* bits of the posture in one frame.
AM_API uint32_t am_posture_check(const am_motion *motion, int frame, const am_standing_limits *limits);
/// The frame in which the posture of a stop is judged: a second after the body came to rest, or the stand's last; -1
/// when the stand is shorter than half a second.
AM_API int am_stand_rest(const am_motion *motion, const am_stand_span *stand);
AM_API am_standing_limits am_standing_limits_default(void);

// ---------------------------------------------------------------------------------------------
// Steps

/// How feet carry a body that moves faster than 0.4 m/s.
typedef struct am_stepping {
    int steps;          ///< landings
    int steps_repeated; ///< by the foot that landed before
    int steps_odd;      ///< shorter or longer than captured ones of that speed
    float step_ratio;   ///< median length / the captured median of that speed; NAN without any
    float glide_s;      ///< longest time without a planted foot, flights left out
    int glides;         ///< of more than 0.15 s
} am_stepping;
/// limits(AM_STEP_BINS) or NULL: no lengths are judged.
AM_API am_stepping am_stepping_measure(const am_motion *motion, const am_step_limits *limits);

// ---------------------------------------------------------------------------------------------
// Starts, stops, turns and jumps

#define AM_ODD_CROUCH 1u     ///< the hips drop as they do before or after a jump
#define AM_ODD_FLIGHT 2u     ///< both feet leave the ground at a walk
#define AM_ODD_LUNGE 4u      ///< much faster than asked, or within a moment
#define AM_ODD_LEAN 8u       ///< the trunk leans as in a sprint's start
#define AM_ODD_NO_FLIGHT 16u ///< of jumps: both feet never leave the ground
#define AM_ODD_NO_WIND_UP 32u
#define AM_ODD_HALT 64u ///< of jumps: the body nearly halts after the landing, though it should move on

/// The change of a target or the beginning of a jump.
typedef struct am_moment {
    float t;         ///< s
    float until_s;   ///< the next change; the second that is judged ends there
    float speed_mps; ///< of the target from then on, or before for a stop
} am_moment;
/// AM_ODD_* bits of a start, stop or turn: its first second goes through frames of another activity.
AM_API uint32_t am_moment_check(const am_motion *motion, const am_moment *moment);
AM_API uint32_t am_jump_check(const am_motion *motion, const am_moment *moment);
/// The first of the bits in a word: "crouch", "flight", ...; NULL for none.
AM_API const char *am_odd_name(uint32_t odd);

// ---------------------------------------------------------------------------------------------
// Pushes

/// How a body answers a push.
typedef struct am_balance {
    float slide_cm; ///< farthest that a foot on the ground slides before its first step, within 2 s
    int steps; ///< landings of feet that swung past a planted one, until the body is in balance or 2 s have passed
    float balance_s; ///< until the extrapolated centre of mass (Hof 2008) is back over the feet for 0.2 s; 0 when it
                     ///< never left, infinite when it does not return within 2 s
    float beyond_cm; ///< how far it went beyond the feet
} am_balance;
/// velocity: the desired one; only movement beyond it has to be caught.
AM_API am_balance am_balance_measure(const am_motion *motion, float seconds, am_vec3 velocity);

#ifdef __cplusplus
}
#endif
#endif
