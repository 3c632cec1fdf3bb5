/// A body that meets what a control names: a chair that it sits down on, an object that a hand takes, a spot that it
/// jumps onto. The network moves it there; what is left of the gap is closed here (Operators leaves this to the
/// game).
#ifndef AMI_ACTOR_OBJECTS_H
#define AMI_ACTOR_OBJECTS_H

#include <amble/math.h>

#include <stdint.h>

/// How far something is off the animation, in the world, and how fast that changes.
typedef struct ami_offset {
    am_vec3 at, velocity;
} ami_offset;

/// Part of a character's state. Plain data without padding.
typedef struct ami_objects {
    ami_offset hips, hands[2];
    uint32_t met; ///< 1 once something was met
} ami_objects;

struct am_actor;
struct ami_things;

/// After the root has moved: a part of the body's own movement goes to the chair and turns to its facing, and a body
/// in the air goes to where it is to land.
void ami_objects_move(struct am_actor *character, const struct ami_things *things, am_vec3 moved, float turned,
                      float dt);
/// Before the feet are placed: finds the offsets from the animation's own pose in world_raw, and moves the hips.
void ami_objects_seat(struct am_actor *character, const struct ami_things *things, float dt);
/// After the feet were placed: brings the hands to the object in local and world.
void ami_objects_reach(struct am_actor *character);
/// The body was moved elsewhere.
void ami_objects_turn(struct am_actor *character, am_quat turn);

#endif
