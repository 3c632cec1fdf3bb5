/// Intent from single devices, the speeds that they ask for, and targets that look into the future.
#ifndef AMI_ACTOR_INTENT_H
#define AMI_ACTOR_INTENT_H

#include <amble/input.h>

/// The bit of a key's name ("W", "Shift", "ArrowUp", ...; any case), or 0.
uint32_t ami_key_find(const char *name);

am_intent_def ami_intent_def_default(void);
/// The same with the speeds of a database: medians of its frames tagged walk, run and creep.
am_intent_def ami_intent_def_of(const am_db *db);
/// The same of a source, whether it has a database or not.
am_intent_def ami_intent_def_for(const am_source *source);

am_intent ami_intent_from_keys(am_intent_state *state, const am_intent_def *def, uint32_t keys, float dt);
am_intent ami_intent_from_gamepad(am_intent_state *state, const am_intent_def *def, const am_gamepad *pad, float dt);

// ---------------------------------------------------------------------------------------------
// Targets with a future, for sources that look ahead

/// A stick that stays as it is: springs drive a point to its velocity and facing.
typedef struct ami_stick_target {
    am_vec3 velocity; ///< m/s
    float heading;    ///< rad
    float velocity_halflife, facing_halflife;
    float hip_m;                    ///< desired height of the hips
    float times[AM_MAX_TRAJECTORY]; ///< [time_count] s, ascending
    int time_count;
} ami_stick_target;
/// context(AM_MAX_CONTEXT) is filled in: where the point is now and how it moves. Both are borrowed.
am_horizon ami_stick_horizon(const ami_stick_target *target, void *context, am_vec3 position, am_vec3 velocity,
                             am_vec3 acceleration, float heading, float heading_velocity);

/// A point to walk to and stop at.
typedef struct ami_point_target {
    am_vec3 place;
    float speed;                    ///< m/s
    float near_m;                   ///< this close counts as there
    float hip_m;                    ///< desired height of the hips
    float times[AM_MAX_TRAJECTORY]; ///< [time_count] s, ascending
    int time_count;
} ami_point_target;
am_horizon ami_target_horizon(const ami_point_target *target, void *context);

#endif
