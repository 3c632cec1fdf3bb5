// Limits the legs of a pushed character after the feet were placed: planted feet under a tipping body would bend
// ankles and knees further than people can. Joints are brought back to the range of the data, and the foot is lifted
// onto its toe or heel, as it would roll.
#include "actor/push.h"
#include "data/kinematics.h"

#include <string.h>

#define MARGIN AMI_PUSH_MARGIN
// s after a push.
#define LIMIT_S 3.0f
// Frames of the data may be beyond the percentiles by themselves. They are also pulled back, over this time, and
// released afterwards, so that nothing jumps.
#define EASE_S 0.3f
#define ENOUGH_M 0.001f

enum { passes = 3 };

static const am_role legs[2][4] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE },
};

/// The share of the source's own excess over the range that is allowed: all of it at the beginning and at the end,
/// and where the range comes from few frames.
static float let_be(const am_actor *c)
{
    float left = c->prepared->few ? 0.0f : c->push.head->limit_s;
    return am_clamp(am_max((left - LIMIT_S - EASE_S) / EASE_S, 1.0f - left / EASE_S), 0.0f, 1.0f);
}

void ami_push_watch(am_actor *c)
{
    // Continues from the present limit, so that a character already limited stays so.
    c->push.head->limit_s = LIMIT_S + EASE_S + let_be(c) * EASE_S;
}

/// World transforms of the joints from `first` on, which come after it.
static void refresh(am_actor *c, int first)
{
    const int16_t *parents = c->prepared->source->skeleton->parents;
    for (int j = first > 0 ? first : 1; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(c->world[parents[j]], c->local[j]);
    }
}

/// True when a joint was beyond its range plus the allowed part of the source's own excess.
static bool clamp_joint(am_actor *c, int joint)
{
    const ami_joint_range *range = &c->prepared->ranges[joint];
    am_quat *rotation = &c->local[joint].rotation;
    float excess = ami_joint_excess(range, *rotation);
    if (!(excess > MARGIN)) {
        return false;
    }
    // A source with ticks has a pushed pose itself.
    bool own = !c->prepared->source->interface->ticks;
    float beyond = own ? ami_joint_excess(range, c->source_local[joint].rotation) - MARGIN : 0.0f;
    float margin = MARGIN + let_be(c) * am_max(beyond, 0.0f);
    *rotation = ami_joint_clamp(range, *rotation, margin);
    return excess > margin;
}

static bool clamp_leg(am_actor *c, const int *joints)
{
    bool clamped = false;
    for (int i = 0; i < 4; i++) {
        clamped |= clamp_joint(c, joints[i]);
    }
    return clamped;
}

/// How far toe or heel is below the floor.
static float depth_of(const am_actor *c, const int *joints, int side)
{
    am_vec3 heel = am_transform_point(c->world[joints[2]], c->feet_def.heel_offset[side]);
    return am_max(c->feet_def.floor_m - c->world[joints[3]].translation.y, c->feet_def.heel_m - heel.y);
}

/// Lifts the ankle with the foot as it is turned.
static void lift(am_actor *c, const int *joints, float by)
{
    const int16_t *parents = c->prepared->source->skeleton->parents;
    am_vec3 hip = c->world[joints[0]].translation, knee = c->world[joints[1]].translation;
    am_vec3 ankle = c->world[joints[2]].translation;
    am_vec3 pole = am_v3_sub(knee, am_v3_lerp(hip, ankle, 0.5f));
    am_vec3 front = am_quat_rotate(c->world[0].rotation, am_v3(0.0f, 0.0f, 1.0f));
    memcpy(c->next, c->world, (size_t)c->joint_count * sizeof *c->next);
    ami_ik_chain chain = { c->local, c->next, joints[0], joints[1], joints[2] };
    // Works in any space: `next` has the position of the chain's root.
    ami_ik_two_bone(&chain, am_v3_add(ankle, am_v3(0.0f, by, 0.0f)), am_v3_normalize_or(pole, front), 0.0f);
    refresh(c, joints[0]);
    am_quat parent = c->world[parents[joints[2]]].rotation;
    am_quat turned = am_quat_mul(am_quat_inv(parent), c->next[joints[2]].rotation);
    c->local[joints[2]].rotation = am_quat_nearest(am_quat_normalize(turned), c->local[joints[2]].rotation);
    refresh(c, joints[2]);
}

void ami_push_limit(am_actor *c, float dt)
{
    ami_push_state *p = c->push.head;
    if (!p || !(p->limit_s > 0.0f)) {
        return;
    }
    p->limit_s = am_max(p->limit_s - dt, 0.0f);
    bool clamped = false;
    for (int j = 0; j < c->joint_count; j++) {
        clamped |= clamp_joint(c, j);
    }
    if (clamped) {
        c->world[0] = am_transform_mul(c->state->root, c->local[0]);
        refresh(c, 1);
    }
    float rise = 0.0f;
    for (int side = 0; side < 2; side++) {
        int joints[4];
        bool whole = true;
        for (int i = 0; i < 4; i++) {
            joints[i] = c->prepared->source->roles->joint[legs[side][i]];
            whole &= joints[i] > 0;
        }
        float depth = whole ? depth_of(c, joints, side) : 0.0f;
        for (int pass = 0; depth > ENOUGH_M && pass < passes; pass++) {
            lift(c, joints, depth);
            if (clamp_leg(c, joints)) {
                refresh(c, joints[0]);
            }
            depth = depth_of(c, joints, side);
        }
        rise = am_max(rise, depth);
    }
    // The hips correct what the legs cannot.
    if (rise > 0.0f) {
        c->local[0].translation.y += rise;
        c->world[0].translation.y += rise;
        refresh(c, 1);
    }
}
