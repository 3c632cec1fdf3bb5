/// Inside the synthesiser. The stages, each in a file of its own, each reading only the ones before it:
///   plan   (synth_plan.c)   commands over time: velocity in the body's frame, turn, crouch, jumps, sitting
///   path   (synth_path.c)   the commands smoothed and integrated: root position and heading on a fine grid
///   steps  (synth_steps.c)  when each foot lifts and lands, and where
///   feet   (synth_feet.c)   pose of a foot at any time: rolling about fixed points in stance, a curve in swing
///   pelvis (synth_pelvis.c) tracks locked to the steps: height, sway, turn, list, arms, bends
///   pose   (synth_pose.c)   all joints of a frame
/// Times are seconds since the plan's begin, in double: a float second would cost a tenth of a millimetre in
/// the fifth minute of a run.
#ifndef AMI_MAKE_SYNTH_H
#define AMI_MAKE_SYNTH_H

#include <amble/tools/synth.h>

#include "base/memory.h"

// ---------------------------------------------------------------------------------------------
// Body: 1.75 m, proportions of Winter's anthropometric tables (segment lengths over stature)

enum {
    J_HIPS,
    J_SPINE,
    J_SPINE1,
    J_SPINE2,
    J_NECK,
    J_HEAD,
    J_LEFT_SHOULDER,
    J_LEFT_ARM,
    J_LEFT_FOREARM,
    J_LEFT_HAND,
    J_RIGHT_SHOULDER,
    J_RIGHT_ARM,
    J_RIGHT_FOREARM,
    J_RIGHT_HAND,
    J_LEFT_UP_LEG,
    J_LEFT_LEG,
    J_LEFT_FOOT,
    J_LEFT_TOE,
    J_RIGHT_UP_LEG,
    J_RIGHT_LEG,
    J_RIGHT_FOOT,
    J_RIGHT_TOE,
    J_COUNT
};
enum { LEFT, RIGHT };

#define BODY_THIGH_M 0.430f
#define BODY_SHANK_M 0.420f
#define BODY_LEG_M (BODY_THIGH_M + BODY_SHANK_M)
#define BODY_ANKLE_M 0.085f                                       // height of the ankle joint over the floor
#define BODY_SOLE_M 0.025f                                        // height of the toe joint over the floor
#define BODY_BALL_M 0.125f                                        // toe joint ahead of the ankle
#define BODY_HEEL_M 0.045f                                        // heel behind the ankle
#define BODY_TOES_M 0.075f                                        // tip of the toes ahead of the toe joint
#define BODY_HIP_SIDE_M 0.088f                                    // hip joint beside the middle
#define BODY_HIP_DROP_M 0.040f                                    // hip joint under the hips' origin
#define BODY_REST_M (BODY_LEG_M + BODY_ANKLE_M + BODY_HIP_DROP_M) // height of the hips, legs straight
// Longest hip-ankle distance of a standing leg: the knee keeps 11 degrees, where its angle still changes slowly with
// the distance (it has an infinite slope at full stretch).
#define BODY_REACH_M (0.9955f * BODY_LEG_M)

/// Fills joints, names, ends and moving joints (static tables) of a def.
void ami_synth_figure(am_clip_def *def);
am_roles ami_synth_roles(void);

// ---------------------------------------------------------------------------------------------
// Curves

/// Value at t in [0, T] of the quintic with the given ends (position, velocity, acceleration).
typedef struct synth_end {
    float x, v, a;
} synth_end;
float ami_synth_quintic(synth_end from, synth_end to, float seconds, float t);
/// 0 below lo, 1 above hi, smooth between.
float ami_synth_step(float lo, float hi, float x);

/// A curve through knots, quintic between them (so C2), constant outside.
typedef struct synth_knot {
    double t;
    synth_end end;
} synth_knot;
typedef struct synth_track {
    synth_knot *knots;
    int count, capacity;
} synth_track;
/// Knots come in rising time; one that does not come at least a millisecond after the last is left out.
/// False when there is no memory.
bool ami_synth_knot(ami_arena *arena, synth_track *track, double t, float x, float v, float a);
float ami_synth_track_at(const synth_track *track, double t);

/// Room for one more item: doubles the array in the arena. False when there is no memory.
bool ami_synth_room(ami_arena *arena, void **items, int count, int *capacity, size_t size);

// ---------------------------------------------------------------------------------------------
// Plan

/// Velocities to reach (over `ramp` seconds from the last ones) and to hold.
typedef struct synth_move {
    float ramp, hold;
    float forward, left; ///< m/s in the body's frame
    float turn;          ///< rad/s, positive to the left
    float crouch;        ///< 0 upright to 1
} synth_move;

typedef enum synth_act_kind { ACT_JUMP, ACT_SIT } synth_act_kind;
/// Something done on the spot, while the plan's velocities are zero.
typedef struct synth_act {
    synth_act_kind kind;
    double t;       ///< begin
    float seconds;  ///< of sitting
    float height;   ///< m the hips rise in a jump's flight
    float distance; ///< m a jump goes forward
} synth_act;

typedef struct synth_plan {
    synth_move *moves;
    int move_count, move_capacity;
    synth_act *acts;
    int act_count, act_capacity;
    double seconds; ///< sum of all moves
    double begin;   ///< where the clip begins and how long it is
    double length;
    ami_arena *arena;
    bool failed; ///< no memory
} synth_plan;

void ami_synth_plan(synth_plan *plan, const am_synth_def *def, am_rng *rng);
/// Fixed times of a jump, from its begin.
typedef struct synth_jump {
    double low, off, down, absorbed, end; ///< deepest crouch, take-off, landing, deepest landing, upright again
    float speed_up;                       ///< m/s at take-off
} synth_jump;
synth_jump ami_synth_jump(const synth_act *act);
#define SYNTH_SIT_DOWN_S 1.5
#define SYNTH_SIT_UP_S 1.4

// ---------------------------------------------------------------------------------------------
// Path

/// Grid points per second, independent of the clip's rate, so that the motion is the same at any rate.
#define SYNTH_RATE 240

/// The root at one moment.
typedef struct synth_state {
    double x, z;
    float vx, vz, ax, az;        ///< world
    float heading, turn, crouch; ///< heading not wrapped
    float forward, left, speed;  ///< commanded velocity in the body's frame, and its length
} synth_state;

typedef struct synth_path {
    synth_state *grid;
    int count;
} synth_path;

bool ami_synth_path(synth_path *out, const synth_plan *plan);
synth_state ami_synth_state(const synth_path *path, double t);

// ---------------------------------------------------------------------------------------------
// Steps and feet

/// Numbers of the gait at a state of the path.
typedef struct synth_gait {
    float frequency; ///< strides per second
    float duty;      ///< share of the stride that a foot stands
    float width;     ///< of a footprint from the middle line, m
    float run;       ///< 0 walk to 1 run
    float effort;    ///< the same for trunk and arms, which change over more slowly
} synth_gait;
synth_gait ami_synth_gait(const synth_state *state);

/// One foot standing at one place. `down` and `lift` are its first and last moments on the floor; its pitch
/// (toes up positive) begins at pitch_down, is 0 from `flat` to `rise`, and ends at pitch_lift. While the pitch
/// is positive it rolls about the heel, while negative about the ball, both fixed on the floor.
typedef struct synth_stance {
    double down, flat, rise, lift;
    float pitch_down, pitch_lift;
    double x, z; ///< of the ball
    float yaw;
    float swing_height; ///< of the ankle in the swing that led here, above the straight line
    float toes_up;      ///< extra pitch in mid swing (backward, where the toes lead nothing)
    bool even_swing;    ///< highest in the middle (a jump) instead of early
    am_vec3 strike;     ///< velocity with which the ankle arrives and is stopped, m/s
} synth_stance;

typedef struct synth_step {
    int foot;
    double lift, down;
    bool first, last;  ///< of a stretch of stepping
    bool both;         ///< a jump: the other foot does the same
    synth_state state; ///< of the path in mid swing
    synth_gait gait;
} synth_step;

typedef struct synth_steps {
    synth_stance *stances[2]; ///< of each foot, in time
    int stance_count[2], stance_capacity[2];
    synth_step *steps; ///< of both feet, by lift
    int step_count, step_capacity;
    float *phase; ///< [grid point of the path] strides so far
} synth_steps;

bool ami_synth_steps(synth_steps *out, const synth_plan *plan, const synth_path *path, am_rng *rng);

/// A foot at one moment.
typedef struct synth_foot {
    am_vec3 ankle;
    am_quat rotation;
    float toe;         ///< bend of the toe joint, radians, tips up positive
    float ball_height; ///< of the toe joint
    float swing;       ///< 0 standing to 1 in mid swing
    float free;        ///< the same, sooner away from both ends: how far the ankle may bend as it likes
    bool ball_fixed, heel_fixed;
    bool reaching; ///< its leg is at its longest: landing, or leaving without rolling over the ball
} synth_foot;
synth_foot ami_synth_foot_at(const synth_steps *steps, int foot, double t);

// ---------------------------------------------------------------------------------------------
// Pelvis and pose

/// Everything that moves with the steps. Lengths in m, angles in radians.
typedef struct synth_tracks {
    synth_track height;    ///< of the hips
    synth_track sway;      ///< of the hips to the left
    synth_track yaw;       ///< of the pelvis beside the heading
    synth_track list;      ///< left side up
    synth_track arms;      ///< left arm forward, right arm back
    synth_track both_arms; ///< both forward
    synth_track back;      ///< hips backward: squatting, sitting
    synth_track bend;      ///< trunk forward
    synth_track sit;       ///< 0 to 1
    synth_track active;    ///< 0 standing to 1 stepping
    float *lower;          ///< [grid point] what the height gives up so that no standing leg overstretches
} synth_tracks;

bool ami_synth_tracks(synth_tracks *out, const synth_plan *plan, const synth_path *path, const synth_steps *steps,
                      am_rng *rng);

typedef struct synth_pelvis {
    am_vec3 position;
    am_quat rotation;
    am_quat facing; ///< heading alone
    am_quat lean;   ///< of the whole body against acceleration, inside `facing`
} synth_pelvis;
/// The pelvis without its height when `height` is NULL (y = 0).
synth_pelvis ami_synth_pelvis_at(const synth_path *path, const synth_tracks *tracks, double t, bool with_height);

/// Slow small motions of a standing body, from the seed.
typedef struct synth_idle {
    float phase[6];
} synth_idle;

typedef struct synth_scene {
    synth_plan plan;
    synth_path path;
    synth_steps steps;
    synth_tracks tracks;
    synth_idle idle;
} synth_scene;

/// local(J_COUNT): the pose at time t.
void ami_synth_pose(am_transform *local, const synth_scene *scene, double t);

#endif
