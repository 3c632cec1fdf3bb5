// Targets with a future, besides paths: a stick that stays as it is, and a point to walk to. Looking ahead (LHMM
// section IV) works with any of them.
#include "actor/actor.h"

#include <string.h>

// Deceleration on arrival at a point, m/s^2.
#define BRAKE_MPS2 1.5f

// ---------------------------------------------------------------------------------------------
// A stick

/// The simulated point continues by its springs; the body's position shifts with it.
typedef struct stick_context {
    am_vec3 position, velocity, acceleration;
    float heading, heading_velocity;
} stick_context;

static stick_context stick_later(const ami_stick_target *target, stick_context c, float t)
{
    if (t > 0.0f) {
        am_spring_character_v3(&c.position, &c.velocity, &c.acceleration, target->velocity, target->velocity_halflife,
                               t);
        float turn = am_wrap_angle(c.heading - target->heading);
        am_decay_f(&turn, &c.heading_velocity, target->facing_halflife, t);
        c.heading = target->heading + turn;
    }
    return c;
}

static int stick_query(const void *user, void *context, am_query_point *out, const am_transform *root)
{
    const ami_stick_target *target = user;
    stick_context now;
    (void)root;
    memcpy(&now, context, sizeof now);
    for (int i = 0; i < target->time_count; i++) {
        stick_context p = stick_later(target, now, target->times[i]);
        float s, co;
        am_sincos(p.heading, &s, &co);
        out[i].time = target->times[i];
        out[i].position = am_v3(p.position.x, target->hip_m, p.position.z);
        out[i].direction = am_v3(s, 0.0f, co);
        out[i].velocity = p.velocity;
    }
    return target->time_count;
}

static void stick_update(const void *user, void *next, const void *context, float seconds)
{
    stick_context now;
    memcpy(&now, context, sizeof now);
    now = stick_later(user, now, seconds);
    memcpy(next, &now, sizeof now);
}

am_horizon ami_stick_horizon(const ami_stick_target *target, void *context, am_vec3 position, am_vec3 velocity,
                             am_vec3 acceleration, float heading, float heading_velocity)
{
    stick_context now = { position, velocity, acceleration, heading, heading_velocity };
    memset(context, 0, AM_MAX_CONTEXT);
    memcpy(context, &now, sizeof now);
    am_horizon horizon = { target, sizeof now, context, stick_query, stick_update };
    return horizon;
}

// ---------------------------------------------------------------------------------------------
// A place

static int target_query(const void *user, void *context, am_query_point *out, const am_transform *root)
{
    const ami_point_target *target = user;
    (void)context; // nothing to remember: the target is the same wherever the body is
    am_vec3 here = am_v3_ground(root->translation);
    am_vec3 gap = am_v3_sub(am_v3_ground(target->place), here);
    float away = am_v3_length(gap);
    am_vec3 facing = am_quat_rotate(root->rotation, am_v3(0.0f, 0.0f, 1.0f));
    am_vec3 way = away > target->near_m ? am_v3_scale(gap, 1.0f / away) : am_v3_zero();
    for (int i = 0; i < target->time_count; i++) {
        // As fast as desired, but slow enough to stop there.
        float speed = am_min(target->speed, sqrtf(2.0f * BRAKE_MPS2 * away));
        float far = am_min(speed * am_max(target->times[i], 0.0f), away);
        out[i].time = target->times[i];
        out[i].position = am_v3_add(here, am_v3_scale(way, far));
        out[i].position.y = target->hip_m;
        out[i].direction = away > target->near_m ? way : facing;
        out[i].velocity = far < away ? am_v3_scale(way, speed) : am_v3_zero();
    }
    return target->time_count;
}

static void target_update(const void *user, void *next, const void *context, float seconds)
{
    (void)user;
    (void)seconds;
    memcpy(next, context, AM_MAX_CONTEXT);
}

am_horizon ami_target_horizon(const ami_point_target *target, void *context)
{
    memset(context, 0, AM_MAX_CONTEXT);
    am_horizon horizon = { target, AM_MAX_CONTEXT, context, target_query, target_update };
    return horizon;
}
