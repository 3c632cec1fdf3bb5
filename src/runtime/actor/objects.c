// A seat is met twice: the root's movement is bent as at an arrival, and the hips close the rest once they are near.
// Hands reach by the analytic IK of limbs. A jump is bent in the air, where no foot can slide, by what the body's own
// flight would miss.
#include "actor/objects.h"

#include "actor/actor.h"
#include "data/kinematics.h"
#include "method/latent.h"

// Hips of a body on a chair, above the chair's place (configs/controls/sit.json).
#define SEAT_M 0.1f
#define BEND_M 1.0f // the root is bent within this distance
#define BEND_SHARE 0.35f
#define BEND_HALFLIFE_S 0.15f
#define TURN_PER_METRE 1.2f // as in arrive.c
// Hips and hands nearer than the first distance meet their object, farther than the second they are the animation's.
#define SEAT_NEAR_M 0.25f
#define SEAT_FAR_M 0.5f
#define HAND_NEAR_M 0.35f
#define HAND_FAR_M 0.7f
#define SEAT_HALFLIFE_S 0.15f
#define HAND_HALFLIFE_S 0.08f
#define ARM_SOFTEN_M 0.01f
// A flight is bent by at most this speed: beyond it, it would show.
#define FLIGHT_MPS 0.8f
#define FLIGHT_M 2.0f
#define LANDING_LEGS 0.95f // hips of a landing body, of standing ones
#define GRAVITY_MPS2 9.81f
#define LONGEST_FLIGHT_S 0.8f

/// 1 up to the first distance, 0 from the second.
static float nearness(float metres, float near, float far)
{
    float t = am_clamp((far - metres) / (far - near), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

static am_vec3 hips_of(const am_transform *local) { return local[0].translation; }

// ---------------------------------------------------------------------------------------------
// The root

static void shift(ami_state *s, am_vec3 by)
{
    s->root.translation = am_v3_add(s->root.translation, am_v3_ground(by));
    s->position = am_v3_add(s->position, am_v3_ground(by));
}

static void bend_to_seat(am_actor *c, const ami_things *things, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    am_vec3 hips = am_transform_point(s->root, hips_of(c->local_raw));
    am_vec3 gap = am_v3_ground(am_v3_sub(things->chair, hips));
    float way = am_v3_length(moved) + am_v3_distance(hips_of(c->local_raw), hips_of(c->before));
    float part = ami_share(BEND_HALFLIFE_S, dt);
    if (am_v3_length(gap) > BEND_M) {
        return;
    }
    shift(s, ami_limit(am_v3_scale(gap, part), BEND_SHARE * way));
    if (am_v3_length(things->facing) > 0.5f) {
        float own = am_quat_heading(s->root.rotation);
        float most = BEND_SHARE * am_abs(turned) + TURN_PER_METRE * way;
        float wanted = am_wrap_angle(am_atan2(things->facing.x, things->facing.z) - own);
        float turn = am_clamp(wanted * part, -most, most);
        am_quat q = am_quat_mul(s->root.rotation, am_quat_from_heading(turn));
        s->root.rotation = am_quat_normalize(am_q(0.0f, q.y, 0.0f, q.w));
        s->heading = am_wrap_angle(s->heading + turn);
    }
}

/// How long a body in the air still flies, by its hips.
static float flight_left(const am_actor *c, float dt)
{
    float height = hips_of(c->local_raw).y;
    float rise = (height - hips_of(c->before).y) / dt;
    float fall = am_max(height - LANDING_LEGS * c->prepared->facts.hip_m, 0.0f);
    float left = (rise + sqrtf(rise * rise + 2.0f * GRAVITY_MPS2 * fall)) / GRAVITY_MPS2;
    return am_clamp(left, dt, LONGEST_FLIGHT_S);
}

static void bend_flight(am_actor *c, const ami_things *things, am_vec3 moved, float dt)
{
    ami_state *s = c->state;
    am_vec3 gap = am_v3_ground(am_v3_sub(things->spot, s->root.translation));
    if (s->contacts != 0 || am_v3_length(gap) > FLIGHT_M) {
        return;
    }
    float left = flight_left(c, dt);
    am_vec3 ahead = am_v3_scale(am_quat_rotate(s->root.rotation, moved), left / dt);
    am_vec3 lack = am_v3_ground(am_v3_sub(gap, ahead));
    shift(s, ami_limit(am_v3_scale(lack, dt / left), FLIGHT_MPS * dt));
}

void ami_objects_move(am_actor *c, const ami_things *things, am_vec3 moved, float turned, float dt)
{
    if (things->sits) {
        bend_to_seat(c, things, moved, turned, dt);
    }
    if (things->jumps) {
        bend_flight(c, things, moved, dt);
    }
}

// ---------------------------------------------------------------------------------------------
// Hips and hands

static int hand_joint(const am_actor *c, int side)
{
    return c->prepared->source->roles->joint[side == 0 ? AM_ROLE_LEFT_HAND : AM_ROLE_RIGHT_HAND];
}

/// How far the hands are to be off where the hips carry them: one is at the object, or the middle between both.
static void hands_wanted(const am_actor *c, const ami_things *things, am_vec3 out[2])
{
    int left = hand_joint(c, 0);
    int right = hand_joint(c, 1);
    if (left < 0 || right < 0) {
        return;
    }
    // The hips' own offset carries the hands along.
    am_vec3 at[2] = { am_v3_add(c->world_raw[left].translation, c->objects->hips.at),
                      am_v3_add(c->world_raw[right].translation, c->objects->hips.at) };
    am_vec3 hand = things->hand < 0 ? am_v3_lerp(at[0], at[1], 0.5f) : at[things->hand];
    am_vec3 gap = am_v3_sub(things->object, hand);
    am_vec3 wanted = am_v3_scale(gap, nearness(am_v3_length(gap), HAND_NEAR_M, HAND_FAR_M));
    for (int side = 0; side < 2; side++) {
        out[side] = things->hand < 0 || things->hand == side ? wanted : am_v3_zero();
    }
}

/// A critically damped spring brings an offset to what is wanted: it begins gently where something is asked for or
/// let go.
static void follow(ami_offset *o, am_vec3 wanted, float halflife, float dt)
{
    am_vec3 gap = am_v3_sub(o->at, wanted);
    am_decay_v3(&gap, &o->velocity, halflife, dt);
    o->at = am_v3_add(wanted, gap);
    if (am_v3_length2(o->at) + am_v3_length2(o->velocity) < 1e-10f) {
        *o = (ami_offset){ 0 }; // what cannot be seen any more is over
    }
}

void ami_objects_seat(am_actor *c, const ami_things *things, float dt)
{
    ami_objects *o = c->objects;
    am_vec3 hips = am_v3_zero();
    am_vec3 hands[2] = { am_v3_zero(), am_v3_zero() };
    if (things->sits) {
        am_vec3 seat = am_v3_add(things->chair, am_v3(0.0f, SEAT_M, 0.0f));
        am_vec3 gap = am_v3_sub(seat, c->world_raw[0].translation);
        hips = am_v3_scale(gap, nearness(am_v3_length(gap), SEAT_NEAR_M, SEAT_FAR_M));
    }
    if (o->met || am_v3_length2(hips) > 0.0f) {
        follow(&o->hips, hips, SEAT_HALFLIFE_S, dt);
    }
    if (things->takes) {
        hands_wanted(c, things, hands);
    }
    o->met |= (uint32_t)(am_v3_length2(hips) + am_v3_length2(hands[0]) + am_v3_length2(hands[1]) > 0.0f);
    if (o->met) {
        follow(&o->hands[0], hands[0], HAND_HALFLIFE_S, dt);
        follow(&o->hands[1], hands[1], HAND_HALFLIFE_S, dt);
        am_vec3 own = am_quat_unrotate(c->state->root.rotation, o->hips.at);
        c->local[0].translation = am_v3_add(c->local[0].translation, own);
    }
}

static void reach(am_actor *c, int side, am_vec3 offset)
{
    static const am_role roles[2][2] = { { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM },
                                         { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM } };
    const am_source *source = c->prepared->source;
    const int16_t *parents = source->skeleton->parents;
    ami_ik_chain chain = { c->local, c->world, source->roles->joint[roles[side][0]],
                           source->roles->joint[roles[side][1]], hand_joint(c, side) };
    if (chain.upper < 0 || chain.middle < 0 || chain.end < 0) {
        return;
    }
    am_vec3 target = am_v3_add(c->world[chain.end].translation, offset);
    ami_ik_two_bone(&chain, target, am_v3_zero(), ARM_SOFTEN_M);
    for (int j = chain.upper; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(c->world[parents[j]], c->local[j]);
    }
}

void ami_objects_reach(am_actor *c)
{
    const ami_objects *o = c->objects;
    for (int side = 0; side < 2; side++) {
        if (am_v3_length2(o->hands[side].at) > 0.0f) {
            reach(c, side, o->hands[side].at);
        }
    }
}

void ami_objects_turn(am_actor *c, am_quat turn)
{
    ami_offset *const all[] = { &c->objects->hips, &c->objects->hands[0], &c->objects->hands[1] };
    for (int i = 0; i < 3; i++) {
        all[i]->at = am_quat_rotate(turn, all[i]->at);
        all[i]->velocity = am_quat_rotate(turn, all[i]->velocity);
    }
}
