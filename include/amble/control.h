/// From input devices to what a character should do, and targets that look into the future.
#ifndef AMBLE_CONTROL_H
#define AMBLE_CONTROL_H

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

#ifdef __cplusplus
}
#endif
#endif
