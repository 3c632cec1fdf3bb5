/// Internals of the answer to a push: planted feet stay, and a step catches a body that is out of balance.
#ifndef AMI_ACTOR_CAPTURE_H
#define AMI_ACTOR_CAPTURE_H

#include <amble/skeleton.h>

/// Part of the push state in the flat block: no padding. Vectors lie on the ground, world axes, m. Offsets are from
/// where the motion alone would be.
typedef struct ami_capture {
    int32_t active;         ///< 1: from the next step on, 2: now
    int32_t swing;          ///< foot that steps, 1 left, 2 right; 0: none
    int32_t stepped;        ///< a step was taken
    uint32_t held;          ///< AM_CONTACT_* bits of feet that stay where they are
    float swing_s, whole_s; ///< since it lifted; from lifting to landing
    float waited_s;         ///< since one landed
    float pushed_s;         ///< since the forces began
    float sink_m;           ///< how far the hips are lowered
    int32_t swung;    ///< walking: 1 << side of feet that the motion swings, caught: 4 once one of them has landed
    am_vec3 x, v;     ///< offset of the centre of mass, its velocity
    am_vec3 lean;     ///< the part of x that comes from the turned body
    am_vec3 moved;    ///< offset of the root: the rest of x
    am_vec3 goal;     ///< offset that the body settles at: that of the foot that landed last
    am_vec3 foot[2];  ///< offsets of the feet
    am_vec3 from, to; ///< of the foot that steps
    am_vec3 toe[2];   ///< of the motion alone, in the last step
} ami_capture;

/// What a step of the capture reads of the body.
typedef struct ami_stance {
    am_vec3 centre;  ///< of mass, where the motion alone has it
    am_vec3 toe[2];  ///< of the motion alone, world
    am_vec3 heel[2]; ///< relative to the toe
    am_vec3 right;   ///< of the body
    float omega;     ///< of the pendulum, 1/s
    bool swings[2];  ///< the motion itself swings the foot
    bool moves[2];   ///< or moves it, if only slowly
    bool stands;     ///< the motion goes nowhere
    uint32_t held;   ///< AM_CONTACT_* bits of feet at rest, when it stands
} ami_stance;

/// capture_body.c: whether the rig has what is needed: hips, both legs with feet and toes.
bool ami_capture_has_legs(const am_roles *roles);
/// capture_body.c: centre of mass of world(joint), by roles (de Leva 1996, rounded).
am_vec3 ami_centre_of_mass(const am_roles *roles, const am_transform *world);
/// capture_body.c: mass of a body with these legs, kg.
float ami_body_mass(const am_skeleton *skeleton, const am_roles *roles);
/// capture_body.c: the point of the hull of points(count), on the ground, that is nearest to `to`.
am_vec3 ami_hull_nearest(const am_vec3 *points, int count, am_vec3 to);

/// capture_step.c: lets dt pass. `push` is the acceleration by the forces.
void ami_capture_advance(ami_capture *capture, const ami_stance *stance, am_vec3 push, float dt);
/// capture_step.c: where a foot is: its offset from the motion alone, with the lift of its step.
am_vec3 ami_capture_foot(const ami_capture *capture, int side);

#endif
