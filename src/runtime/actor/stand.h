/// Standing: when no movement is asked for and the body has come to rest, the root is held, the feet stay where they
/// are (or step once into a stance like captured standing), and the body moves a little. The source waits meanwhile.
#ifndef AMI_ACTOR_STAND_H
#define AMI_ACTOR_STAND_H

#include <amble/math.h>

#include <stdint.h>

/// A foot that steps into the stance. Plain data without padding.
typedef struct ami_stand_foot {
    am_transform from, to; ///< of the ankle in the world
    float begin_s;         ///< when its step begins; below 0: it stays at `from`
} ami_stand_foot;

/// Part of a character's state.
typedef struct ami_stand {
    uint32_t on; ///< 1 while the character is held, 2 while it is and steps answer a push
    float since_s;
    uint32_t seed; ///< of its small movements
    float turn;    ///< of the root while it steps, rad
    am_vec3 shift; ///< the same, world
    ami_stand_foot foot[2];
} ami_stand;

struct am_actor;
struct ami_prepared;
struct ami_step;

/// Fills prepared->stance: a pose of the source that stands well.
void ami_stand_prepare(struct ami_prepared *prepared);
/// Before the source is asked: holds the body, or lets go of it. True when the source is not asked in this step; its
/// output then holds the pose of the stand.
bool ami_stand_begin(struct am_actor *character, const struct ami_step *step);
/// How far the root moves in this step because the body steps, in the world.
am_vec3 ami_stand_shift(const struct am_actor *character, float dt);
/// How far the root turns in this step for the same reason.
float ami_stand_turn(const struct am_actor *character, float dt);
/// After the root was moved: brings the feet of local_raw to where they stand.
void ami_stand_legs(struct am_actor *character);
/// The body was moved elsewhere.
void ami_stand_move(struct am_actor *character, am_transform moved);

#endif
