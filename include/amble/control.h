/// A character: intent in, pose out. It predicts the desired trajectory (critically damped springs), gets the next
/// pose from its source, fades out transitions, keeps feet planted, and moves its root.
///
/// Its whole state is one flat block without pointers: snapshot, restore and hash work on bytes, so that rollback and
/// replay give the same frames again, on any machine.
#ifndef AMBLE_CONTROL_H
#define AMBLE_CONTROL_H

#include <amble/net.h>
#include <amble/path.h>
#include <amble/post.h>
#include <amble/push.h>
#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Input devices -> intent

/// Keys that steer. Letters and arrows as the keyboard names them.
enum {
    AM_KEY_W = 1 << 0, ///< +z
    AM_KEY_A = 1 << 1, ///< +x: the character's left at the start
    AM_KEY_S = 1 << 2,
    AM_KEY_D = 1 << 3,
    AM_KEY_UP = 1 << 4,    ///< target speed up while held
    AM_KEY_DOWN = 1 << 5,  ///< target speed down
    AM_KEY_SHIFT = 1 << 6, ///< sprint
    AM_KEY_J = 1 << 7,     ///< jump
    AM_KEY_C = 1 << 8,     ///< creep while held
    AM_KEY_P = 1 << 9      ///< dance
};
#define AM_KEY_COUNT 10
/// The bit of a key's name ("W", "Shift", "ArrowUp", ...; any case), or 0.
AM_API uint32_t am_key_find(const char *name);
/// The name of bit 1 << index, 0 <= index < AM_KEY_COUNT, as am_key_find reads it.
AM_API const char *am_key_name(int index);

/// A gamepad's sticks: [right, forward] each, -1 to 1; the right stick is the desired facing.
typedef struct am_gamepad {
    float left[2];
    float right[2];
    uint32_t buttons; ///< AM_KEY_* bits: south = J, east = C, north = P, shoulder = Shift
} am_gamepad;

/// The user's target, whatever the device.
typedef struct am_intent {
    am_vec3 velocity; ///< desired velocity in the world, m/s
    am_vec3 facing;   ///< desired facing in the world, unit; zero means: the way it moves
    bool jump, creep, dance;
    bool run;       ///< along a path: faster than it was drawn
    bool has_point; ///< for sources that follow no trajectory (field): `point` counts
    am_vec3 point;  ///< in the world, on the line to keep to, or to go to
} am_intent;

/// How devices become intent. Start from am_intent_def_default() or am_intent_def_of().
typedef struct am_intent_def {
    float walk_mps, sprint_mps, creep_mps; ///< speeds of a full stick or a key
    float speed_change_mps2;               ///< how fast the arrows change the target speed
    float dead_zone;                       ///< of a stick
    uint32_t cookie;
} am_intent_def;
AM_API am_intent_def am_intent_def_default(void);
/// The same with the speeds of a database: medians of its frames tagged walk, run and creep.
AM_API am_intent_def am_intent_def_of(const am_db *db);
/// The same of a source, whether it has a database or not.
AM_API am_intent_def am_intent_def_for(const am_source *source);

/// What devices keep between frames: the target speed. One state for all devices of a user.
typedef struct am_intent_state {
    float target_mps;
    uint32_t held;
} am_intent_state;
AM_API am_intent_state am_intent_state_make(const am_intent_def *def);
AM_API am_intent am_intent_from_keys(am_intent_state *state, const am_intent_def *def, uint32_t keys, float dt);
AM_API am_intent am_intent_from_gamepad(am_intent_state *state, const am_intent_def *def, const am_gamepad *pad,
                                        float dt);
/// Both devices as one: the gamepad while it is touched (a button, or a stick beyond the dead zone: worn ones are
/// never quite at rest), else the keys.
AM_API am_intent am_intent_from_devices(am_intent_state *state, const am_intent_def *def, uint32_t keys,
                                        const am_gamepad *pad, float dt);
/// Intent to walk straight from `root` to a point on the ground, m/s, and stop within 0.4 m of it: steps toward a
/// point that was not seen do not end closer.
AM_API am_intent am_intent_to_point(am_transform root, am_vec3 point, float mps);

// ---------------------------------------------------------------------------------------------
// Targets with a future, for sources that look ahead

/// A stick that stays as it is: springs drive a point to its velocity and facing.
typedef struct am_stick_target {
    am_vec3 velocity; ///< m/s
    float heading;    ///< rad
    float velocity_halflife, facing_halflife;
    float hip_m;                    ///< desired height of the hips
    float times[AM_MAX_TRAJECTORY]; ///< [time_count] s, ascending
    int time_count;
} am_stick_target;
/// context(AM_MAX_CONTEXT) is filled in: where the point is now and how it moves. Both are borrowed.
AM_API am_horizon am_stick_horizon(const am_stick_target *target, void *context, am_vec3 position, am_vec3 velocity,
                                   am_vec3 acceleration, float heading, float heading_velocity);

/// A point to walk to and stop at.
typedef struct am_point_target {
    am_vec3 place;
    float speed;                    ///< m/s
    float near_m;                   ///< this close counts as there
    float hip_m;                    ///< desired height of the hips
    float times[AM_MAX_TRAJECTORY]; ///< [time_count] s, ascending
    int time_count;
} am_point_target;
AM_API am_horizon am_target_horizon(const am_point_target *target, void *context);

// ---------------------------------------------------------------------------------------------
// Character

/// What moves the root.
typedef enum am_root_mode {
    AM_ROOT_ANIMATION,  ///< the animation's own root motion; the simulated point follows it
    AM_ROOT_SIMULATION, ///< the simulated point
    AM_ROOT_MIXED       ///< the animation's, pulled to the simulated point, which waits at the clamps
} am_root_mode;
AM_API const char *am_root_mode_name(am_root_mode mode);

/// What the character is doing, for pages and traces.
typedef enum am_activity {
    AM_ACTIVITY_MOVE,
    AM_ACTIVITY_STAND,
    AM_ACTIVITY_CREEP,
    AM_ACTIVITY_JUMP,
    AM_ACTIVITY_DANCE,
    AM_ACTIVITY_COUNT
} am_activity;
AM_API const char *am_activity_name(am_activity activity);

typedef struct am_character am_character;

/// Start from am_character_def_default().
typedef struct am_character_def {
    const am_alloc *alloc;
    const am_source *source;  ///< borrowed
    const am_character *like; ///< borrowed: shares its filters and measures of the database: a crowd has them
                              ///< once; its tags and weights then count, not these. NULL means its own
    am_search_work *work;     ///< borrowed, one for each thread that steps characters; NULL means its own
    am_root_mode root;
    am_inertialise inertialise;
    float inertialise_halflife; ///< s, spring
    float inertialise_seconds;  ///< s, quintic
    float inertialise_bend; ///< m/s^2, spring: what a transition may bend arms, head and trunk by; a turn that would
                            ///< do more dies out more slowly. 0 means no limit
    bool ik;                ///< foot lock
    bool springs;           ///< false: straight interpolation of the trajectory (the paper's ablation)
    float velocity_halflife, facing_halflife;               ///< s, of the predicted trajectory
    float time_scale;                                       ///< 1 plays as captured
    float adjust_position_halflife, adjust_facing_halflife; ///< s, mixed root: how fast it is drawn to the point
    float adjust_position_ratio, adjust_facing_ratio;       ///< but by no more than this part of its own movement
    float clamp_m, clamp_rad;   ///< mixed root: largest distance from the simulated point, which waits there
    float sharp_mps, sharp_rad; ///< a change of the target beyond these searches at once
    float stand_mps;            ///< below this predicted speed without input the character stands
    const char *tags;           ///< frames for ordinary movement, "" means all; NULL: none of the special ones
    const char *creep_tags, *jump_tags, *dance_tags,
        *stand_tags;                      ///< frames for the special motions, "" means the
                                          ///< character has none; NULL: those tagged creep, jump, dance, idle if any
    float trajectory_weight, pose_weight; ///< Responsive eq. 13: 0.8 and 0.2; both 0 means unweighted (default)
    const float *channel_weights;         ///< [channel] factors of the schema's own weights, or NULL; not with PCA
    int candidates;                       ///< best frames that the view shows, 1 to AM_MAX_CANDIDATES
    const am_clock *clock;                ///< borrowed, for timings; NULL means none
    const am_net *direction;    ///< borrowed: predicts facings on paths (am_direction_open); NULL means none
    const am_push_solver *push; ///< borrowed: answers pushes; NULL: the character cannot be pushed
    am_push_blend push_blend;   ///< how pushes and the motion are combined
    int path_points;            ///< room for points of a path (am_path_room); 0: follows none
    uint64_t seed;              ///< of the character's random stream
    am_vec3 position;           ///< start
    float heading;              ///< start, radians
    int start_frame;            ///< database frame to begin with, -1 means a standing one
    uint32_t cookie;
} am_character_def;
AM_API am_character_def am_character_def_default(void);

AM_API am_result am_character_create(am_character **out, const am_character_def *def, am_error *err);
AM_API void am_character_destroy(am_character *character);
/// One step of dt seconds (above 0, at most 0.1: longer ones count as that). No allocation, no lock, no I/O. Numbers
/// that are not finite are ignored: the last target stays, and the frame is counted.
AM_API void am_character_step(am_character *character, const am_intent *intent, float dt);
/// One step of many characters: the same bits as single steps. Those of a source that can (learned) run its networks
/// once for all of them, in `work` (am_source_work_create for the size of a batch); put characters of the same source
/// next to each other. work NULL: one after another.
AM_API void am_characters_step(am_character *const *characters, const am_intent *intents, int count, float dt,
                               am_search_work *work);
/// The character continues from where another one is, which stays unchanged: place, pose, movement, target and path.
/// In the next step its own source takes over, from the pose nearest to this one, and the difference fades out: this
/// is how a character changes its method while it runs (make one for each). Refuses another skeleton. Allocates
/// nothing.
AM_API am_result am_character_take_over(am_character *character, const am_character *from, am_error *err);
/// Moves the character to another place at once, with its pose; its motion continues, turned with it.
AM_API void am_character_place(am_character *character, am_vec3 position, float heading);

/// Follows a path from the next step on, instead of one that it follows already, until its end, where the character
/// stands. While on it the desired velocity does not count; the facing does with AM_PATH_FACING_JOYSTICK, and `run`
/// runs. A path that is refused leaves the character without one. Allocates nothing.
AM_API am_result am_character_follow(am_character *character, const am_path_def *def, am_error *err);
/// Leaves the path: the target counts again.
AM_API void am_character_leave_path(am_character *character);

/// A path as it is followed.
typedef struct am_path_view {
    bool following, ended;
    const am_path_point *points; ///< [count] lives as long as the character
    int count;
    int loop_first; ///< first point of the round, -1 without
    int at;         ///< where the character is taken to be
    float v_max;
    int recoveries; ///< times without progress for 2 s
    int laps;
    am_vec3 offset; ///< by how much the drawing was moved
} am_path_view;
AM_API am_path_view am_character_get_path(const am_character *character);

/// Pushes the part of the body that `joint` moves with `force` (N, world axes) for `seconds` (above 0, at most 10)
/// from the next step on. Over AM_PUSH_WINDOW frames the pose is blended with what the forces do to it (after Fields
/// eq. 15, see am_push_blend); a source with ticks of its own (field) goes on from there, others re-enter by the
/// state nearest to the pushed body. Pushes before the same step act together; later ones end the blend that is on
/// its way and begin another. Forces end with the blend: of a longer push a source with ticks feels AM_PUSH_WINDOW -
/// 1 frames (0.63 s), others the ten (0.33 s) until they re-enter. Refuses a character without solver
/// (AM_ERR_SUPPORT), more than AM_MAX_PUSHES and what is not finite. Allocates nothing of its own.
AM_API am_result am_character_push(am_character *character, int joint, am_vec3 force, float seconds, am_error *err);
/// The pushes on the character.
typedef struct am_push_view {
    const am_push *pushes; ///< [count] that act now
    int count;
    int frame;      ///< of the blend, 0 before the first
    uint64_t total; ///< pushes since it was made
} am_push_view;
AM_API am_push_view am_character_get_push(const am_character *character);

/// The pose after the last step. Pointers live as long as the character.
typedef struct am_character_pose {
    am_transform root;             ///< ground root in the world
    const am_transform *local;     ///< [joint] final local transforms; joint 0 relative to the root
    const am_transform *local_raw; ///< [joint] before IK
    const am_transform *world;     ///< [joint] final
    const am_transform *world_raw; ///< [joint] before IK
    uint8_t contacts;              ///< AM_CONTACT_* as the source says
    uint8_t locked;                ///< AM_CONTACT_* that the foot lock holds
} am_character_pose;
AM_API am_character_pose am_character_get_pose(const am_character *character);

/// What was desired, predicted and chosen in the last step.
typedef struct am_character_view {
    am_intent intent;
    am_activity activity;
    uint32_t activities;     ///< 1 << am_activity for each that the database has frames for
    am_transform simulation; ///< the simulated point; its height is the desired one of the hips
    am_vec3 simulation_velocity;
    const am_query_point *trajectory; ///< [trajectory_count] predicted
    int trajectory_count;
    const am_source_output *output;
    const float *weights;     ///< [stride] of the last search, NULL means 1
    uint64_t fallback_frames; ///< frames that kept the last good pose or target
    uint64_t transitions, searches, steps;
} am_character_view;
AM_API am_character_view am_character_get_view(const am_character *character);
AM_API const am_source *am_character_source(const am_character *character);

/// What a character measured of its database when it was created.
typedef struct am_character_facts {
    float hip_m;                  ///< median height of the hips when moving upright
    float creep_hip_m, creep_mps; ///< medians of the frames tagged creep; 0 without any
    float jump_rise_m;            ///< median rise of the hips in a jump; 0 without any
    float toe_m, heel_m;          ///< the floor: 1st percentiles of the heights of toe and heel (the point under the
                                  ///< ankle at toe height at rest)
    uint32_t unmet;               ///< 1 << am_activity for each whose given tags no frame has: movement then takes
                                  ///< every frame, another activity is left out
} am_character_facts;
AM_API am_character_facts am_character_get_facts(const am_character *character);

AM_API size_t am_character_snapshot_size(const am_character *character);
AM_API void am_character_snapshot(const am_character *character, void *out);
/// Refuses bytes that are not a snapshot of a character made by the same def (AM_ERR_FORMAT), or that were changed
/// (AM_ERR_CHECKSUM); the character then stays as it is.
AM_API am_result am_character_restore(am_character *character, const void *snapshot, size_t size, am_error *err);
/// 64-bit hash of the whole state.
AM_API uint64_t am_character_hash(const am_character *character);

#ifdef __cplusplus
}
#endif
#endif
