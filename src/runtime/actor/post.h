/// Corrections of a pose after its source chose it: transitions fade out (inertialisation), feet stay planted.
/// Functions over flat states owned by the caller, which may be copied and restored like any other bytes.
#ifndef AMI_ACTOR_POST_H
#define AMI_ACTOR_POST_H

#include <amble/options.h>
#include <amble/skeleton.h>

/// The scalar quintic of Responsive eq. 14-20 with the erratum (max in eq. 19): from x0 >= 0 with velocity v0 <= 0 to
/// rest at 0 within t1, never outside [0, x0].
typedef struct ami_quintic {
    float x0, v0, c2, c3, c4, c5, t1;
} ami_quintic;
ami_quintic ami_quintic_make(float x0, float v0, float t1);
/// Value at t (0 beyond t1); *velocity may be NULL.
float ami_quintic_at(const ami_quintic *quintic, float t, float *velocity);

/// How transitions fade out. Start from ami_inertia_def_default().
typedef struct ami_inertia_def {
    am_inertialise mode;
    float halflife;     ///< s, spring
    float seconds;      ///< s, quintic: longest blend
    const float *reach; ///< [joint] m, spring: how far the body goes on beyond the joint; NULL means all 0
    float bend_mps2;    ///< spring: a turn may not accelerate what it reaches by more; one that would gets a longer
                        ///< half-life of its own. 0 means no limit
    int joint_count;
    const int16_t *moving; ///< [moving_count] joints whose translation changes
    int moving_count;
    uint32_t cookie;
} ami_inertia_def;
ami_inertia_def ami_inertia_def_default(void);

/// Offsets of joint rotations, moving translations and the root's velocity. Flat; the size depends on the def.
typedef struct ami_inertia ami_inertia;
size_t ami_inertia_size(const ami_inertia_def *def);
void ami_inertia_reset(ami_inertia *state, const ami_inertia_def *def);
/// What plays now and what will play from here on: the difference becomes the offset. `from` is the source's pose
/// that would have come (before the offset), so that nothing on screen moves.
typedef struct ami_inertia_pose {
    const am_transform *local;   ///< [joint]
    const am_velocity *velocity; ///< [joint]
    am_vec3 root_linear, root_angular;
} ami_inertia_pose;
void ami_inertia_transition(ami_inertia *state, const ami_inertia_def *def, const ami_inertia_pose *from,
                            const ami_inertia_pose *to);
/// Lets dt seconds pass and adds what is left of the offsets to local, velocity (in place; may be NULL) and the root
/// velocity.
void ami_inertia_apply(ami_inertia *state, const ami_inertia_def *def, am_transform *local, am_velocity *velocity,
                       am_vec3 *root_linear, am_vec3 *root_angular, float dt);

/// The heel: the point under the ankle at toe height in the rest pose, in the ankle's space.
am_vec3 ami_heel_offset(const am_skeleton *skeleton, int ankle, int toe);

/// How feet are kept. Start from ami_feet_def_default().
typedef struct ami_feet_def {
    const am_skeleton *skeleton; ///< borrowed
    const am_roles *roles;       ///< borrowed; both legs with foot and toe
    float unlock_radius_m;       ///< a planted toe is released when the animation is this far away
    float blend_out_s;           ///< time in which a released foot returns to the animation (0.2)
    float floor_m;               ///< lowest height of the toe joint
    float heel_m;                ///< lowest height of the heel
    am_vec3 heel_offset[2]; ///< left and right heel in the ankle's space (ami_heel_offset); zero: the ankle itself
    am_vec3 shift[2];       ///< m: the toes are to be this far from where the animation has them, left and right
    float soften_m;         ///< how early a stretched leg gives way, so that the knee does not pop
    uint32_t cookie;
} ami_feet_def;
ami_feet_def ami_feet_def_default(void);

/// One foot's lock. Plain data.
typedef struct ami_foot {
    am_vec3 position;                ///< of the toe after the last step, world
    am_vec3 velocity;                ///< its velocity
    am_vec3 animated;                ///< where the animation had the toe in the last step
    am_vec3 lock_point;              ///< where it is kept while locked
    am_vec3 offset, offset_velocity; ///< from lock point or animation, dying out
    float left_m;                    ///< how far behind it was left; 0 when it was not
    float swing_m, rise_m;           ///< height of ami_feet_swing, and how far the foot is lifted to it
    uint8_t locked, barred;
    uint8_t told; ///< of swing_m
    uint8_t reserved;
} ami_foot;
typedef struct ami_feet {
    ami_foot foot[2]; ///< left, right
    int32_t begun;    ///< 0 before the first step
} ami_feet;

void ami_feet_reset(ami_feet *feet);
/// The height of the toes (m) in the motion that plays, without the rest of transitions: a foot that is not in
/// contact is lifted there instead of being dragged over the floor. Call it before each ami_feet_apply; if it is
/// never called, nothing is lifted.
void ami_feet_swing(ami_feet *feet, float left_m, float right_m);
/// Changes leg and foot rotations in local(joint_count) in place. world(joint_count) is scratch and holds the final
/// transforms afterwards. Returns the AM_CONTACT_* bits that are locked.
uint8_t ami_feet_apply(ami_feet *feet, const ami_feet_def *def, am_transform *local, am_transform *world,
                       am_transform root, uint8_t contacts, float dt);

#endif
