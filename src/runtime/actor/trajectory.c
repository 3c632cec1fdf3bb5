// The simulated point and its future (its past is the body's own track, history.c): a spring drives the velocity to
// the target and its integral is the position (Responsive eq. 10-11 with the erratum), another one turns the facing,
// a third moves the hips up and down.
#include "actor/actor.h"

#define LN2 0.69314718f
// From rest the spring gains at most 2 ln 2 / e of its target in a half-life.
#define PEAK 0.51f
// From a stand bodies turn no faster than this: beyond it the feet are left behind, and a start into another
// direction begins with a hop.
#define TURN_RADPS 4.0f
#define STARTS_MPS 0.4f // a slower body has its next steps still to choose
// What a runner brakes with, of the 99th percentile of captured ones. A runner who goes on in another direction may
// brake harder.
#define RUN_OUT 0.9f
#define RUN_ON 2.0f
// A runner who stops may brake harder, too: stops should be quick. Without a limit the body stands within one stride.
#define RUN_HALT 1.6f

/// One state of the point: now, or at some later time.
typedef struct point {
    am_vec3 position, velocity, acceleration;
    float heading, heading_velocity;
    float height, height_velocity, height_acceleration;
} point;

static point now(const ami_state *s)
{
    point p = { s->position,         s->velocity, s->acceleration,    s->heading,
                s->heading_velocity, s->height,   s->height_velocity, s->height_acceleration };
    return p;
}

/// Linear interpolation toward the target, which the paper compares its springs with (4.2.1): the velocity closes a
/// fixed share of the gap in a given time, without inertia.
static void interpolate(const am_actor *c, point *p, const ami_activity_plan *plan, float t)
{
    float rate = LN2 / am_max(c->settings.velocity_halflife, 1e-5f);
    float left = am_exp(-rate * t);
    am_vec3 gap = am_v3_sub(p->velocity, plan->velocity);
    am_vec3 way = am_v3_add(am_v3_scale(plan->velocity, t), am_v3_scale(gap, (1.0f - left) / rate));
    p->position = am_v3_add(p->position, way);
    p->velocity = am_v3_add(plan->velocity, am_v3_scale(gap, left));
    p->acceleration = am_v3_zero();
    float turn = am_wrap_angle(p->heading - plan->heading);
    float facing_left = am_exp(-LN2 / am_max(c->settings.facing_halflife, 1e-5f) * t);
    p->heading = plan->heading + turn * facing_left;
    p->heading_velocity = 0.0f;
}

float ami_velocity_halflife(const am_actor *c, am_vec3 target)
{
    const ami_state *s = c->state;
    const ami_path_limits *limits = &c->prepared->limits;
    float usual = c->settings.velocity_halflife;
    if (ami_is_running(c)) {
        bool halts = !(am_v3_length(target) > 0.0f);
        float most = limits->slower_mps2 * (ami_builds_up(c) ? RUN_ON : halts ? RUN_HALT : RUN_OUT);
        return am_max(usual, PEAK * am_v3_distance(target, s->velocity) / most);
    }
    float gain = am_v3_length(target) - am_v3_length(s->velocity);
    return ami_builds_up(c) && gain > 0.0f ? am_max(usual, PEAK * gain / limits->faster_mps2) : usual;
}

float ami_facing_halflife(const am_actor *c, am_vec3 target)
{
    float usual = c->settings.facing_halflife;
    if (ami_is_running(c)) {
        // A runner brakes as it turns: otherwise the body faces the new way long before it goes there.
        return usual * ami_velocity_halflife(c, target) / am_max(c->settings.velocity_halflife, 1e-5f);
    }
    return ami_follows_springs(c) ? am_max(usual, c->state->turn_halflife) : usual;
}

void ami_turn_begin(ami_state *s)
{
    bool starts = s->speed < STARTS_MPS && !(am_v3_length(s->target_facing) > 0.5f);
    s->turn_halflife = !starts ? 0.0f : PEAK * am_abs(am_wrap_angle(s->target_heading - s->heading)) / TURN_RADPS;
}

static void spring(const am_actor *c, point *p, const ami_activity_plan *plan, float t)
{
    float halflife = ami_velocity_halflife(c, plan->velocity);
    am_spring_character_v3(&p->position, &p->velocity, &p->acceleration, plan->velocity, halflife, t);
    float turn = am_wrap_angle(p->heading - plan->heading);
    am_decay_f(&turn, &p->heading_velocity, ami_facing_halflife(c, plan->velocity), t);
    p->heading = plan->heading + turn;
}

/// Vertical springs: in a leap the velocity is driven from +v to -v, until the hips are back where they began.
static void rise(const am_actor *c, point *p, const ami_activity_plan *plan, float t)
{
    float ground = plan->height;
    if (!plan->leap) {
        am_spring_f(&p->height, &p->height_velocity, ground, c->settings.velocity_halflife, t);
        return;
    }
    float speed = 0.0f;
    float halflife = 0.0f;
    ami_leap(c->prepared->facts.jump_rise_m, &speed, &halflife);
    am_spring_character_f(&p->height, &p->height_velocity, &p->height_acceleration, -speed, halflife, t);
    if (p->height < ground && p->height_velocity < 0.0f) {
        p->height = ground;
    }
}

static point later(const am_actor *c, const ami_activity_plan *plan, float t)
{
    point p = now(c->state);
    if (t > 0.0f) {
        c->settings.springs ? spring(c, &p, plan, t) : interpolate(c, &p, plan, t);
        rise(c, &p, plan, t);
    }
    return p;
}

void ami_leap(float rise_m, float *speed, float *halflife)
{
    // Ballistic: v^2 = 2 g h. The spring's velocity is zero where (1 + u) exp(-u) = 1/2, u = 1.678, which should be
    // after v / g seconds; u = 2 ln 2 t / halflife.
    const float gravity = 9.81f;
    *speed = sqrtf(2.0f * gravity * am_max(rise_m, 0.02f));
    *halflife = 1.3862944f * (*speed / gravity) / 1.6783470f;
}

void ami_trajectory_predict(am_actor *c, const ami_activity_plan *plan)
{
    const ami_prepared *prepared = c->prepared;
    float stretch = 1.0f / c->settings.time_scale; // seconds of the world in one of the source
    for (int i = 0; i < prepared->time_count; i++) {
        if (prepared->times[i] < 0.0f) {
            c->trajectory[i] = ami_history_at(c, -prepared->times[i] * stretch);
            c->trajectory[i].time = prepared->times[i];
            c->trajectory[i].velocity = am_v3_scale(c->trajectory[i].velocity, stretch);
            continue;
        }
        point p = later(c, plan, prepared->times[i] * stretch);
        float s, co;
        am_sincos(p.heading, &s, &co);
        c->trajectory[i].time = prepared->times[i];
        c->trajectory[i].position = am_v3(p.position.x, p.height, p.position.z);
        c->trajectory[i].direction = am_v3(s, 0.0f, co);
        c->trajectory[i].velocity = am_v3_scale(am_v3(p.velocity.x, p.height_velocity, p.velocity.z), stretch);
    }
    c->state->trajectory_count = prepared->time_count;
}

void ami_simulate(am_actor *c, const ami_activity_plan *plan, float dt)
{
    point p = later(c, plan, dt);
    ami_state *s = c->state;
    s->position = am_v3_ground(p.position);
    s->velocity = am_v3_ground(p.velocity);
    s->acceleration = am_v3_ground(p.acceleration);
    s->heading = am_wrap_angle(p.heading);
    s->heading_velocity = p.heading_velocity;
    s->height = p.height;
    s->height_velocity = p.height_velocity;
    s->height_acceleration = p.height_acceleration;
}
