/// Internals of pushes: what lies in a character's flat block, and the parts of a step that respond to them.
#ifndef AMI_CONTROL_PUSH_H
#define AMI_CONTROL_PUSH_H

#include "actor/actor.h"
#include "actor/capture.h"

// How far joints of a pushed character may exceed the data's range. The documented limit is ten degrees; the range
// over some frames is up to three degrees narrower than over all.
#define AMI_PUSH_MARGIN (6.5f * AM_DEG)

/// The head of the push part of the flat block; only characters with a solver have one. No padding.
typedef struct ami_push_state {
    int32_t frame; ///< i of eq. 15, the last that was blended; 0: none yet
    int32_t count; ///< pushes that act; 0: none
    am_push pushes[AM_MAX_PUSHES];
    float ahead_s; ///< reaction: of the frame that plays, still to come
    float turn;    ///< reaction: of the root in this frame, rad
    am_vec3 move;  ///< reaction: of the root in this frame, in its own frame, m
    // How the body moved in the last step, for re-entry.
    am_vec3 root_linear, root_angular;
    float before_dt;
    float limit_s;       ///< s for which joints are kept within their range
    uint32_t held;       ///< feet that were planted when their leg was pushed: pinned for the whole window
    uint64_t total;      ///< pushes ever
    ami_capture capture; ///< blend AM_PUSH_STEPPED
    uint32_t reserved;
} ami_push_state;

/// D(x, 0, i): a pose at rest under the character's forces.
typedef struct ami_dynamics {
    am_transform *pose, *previous; ///< [joint] the pose i frames later, and i - 1; joint 0 relative to the new roots
    am_transform step;             ///< of the ground root in its own frame, from x to the pose
    am_transform last_step;        ///< the part of it in the last frame
} ami_dynamics;

/// True when pushes act on the character.
bool ami_push_active(const am_actor *character);
/// One frame of dynamics from x(joint), joint 0 relative to the ground root. False without an answer.
bool ami_push_dynamics(am_actor *character, ami_dynamics *out, const am_transform *x, uint8_t contacts, int frame);
/// out(joint) = (1 - t) a + t b, the shorter way; out may be a or b.
void ami_push_mix(am_transform *out, const am_transform *a, const am_transform *b, int joints, float t);
/// `share` of the offset from a to b, as a rotation from the left and a translation.
am_transform ami_push_offset(am_transform a, am_transform b, float share);
/// out = a moved by an offset.
am_transform ami_push_apply(am_transform offset, am_transform a);
/// Eq. 15 within a tick of a source that has its own: am_tick_hook.tick of the character.
void ami_push_tick(void *character, am_tick *tick);
/// push_react.c: at the beginning of a step. When a reaction is over, the source re-enters at the state nearest to
/// the body.
void ami_push_plan(am_actor *character);
/// push_react.c: before the source is asked.
void ami_push_begin(am_actor *character, am_source_input *input);
/// push_react.c: moves the pose of a source without ticks of its own by the effect of the forces.
void ami_push_react(am_actor *character, float dt);
/// push_react.c: the same for the root, after the source has moved it.
void ami_push_move(am_actor *character, float dt);
/// push_limit.c: starts a time in which joints are kept within their range.
void ami_push_watch(am_actor *character);
/// push_limit.c: keeps them within it, after the feet were placed.
void ami_push_limit(am_actor *character, float dt);
/// Whether a push is being answered: by the forces, or by steps after them.
bool ami_push_answered(const am_actor *c);
/// push_capture.c: whether this character answers pushes with steps.
bool ami_push_steps(const am_actor *character);
/// push_capture.c: ami_push_react and ami_push_move of such a character.
void ami_push_lean(am_actor *character, float dt);
void ami_push_balance(am_actor *character, float dt);
/// push_capture.c: AM_CONTACT_* bits, with the feet that a push holds and without the one that a step has lifted.
uint32_t ami_push_contacts(const am_actor *character, uint32_t contacts);
/// push_capture.c: the body was moved elsewhere.
void ami_push_forget(am_actor *character);
/// push_capture.c: another actor's body is taken over.
void ami_push_copy(am_actor *character, const am_actor *from);
/// Nothing acts any more.
void ami_push_end(am_actor *character);

#endif
