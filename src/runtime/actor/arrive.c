// A planned arrival: a straight way to a point that gains speed and brakes as the data's characters do, and turns to
// the facing wanted there before it ends. Sources without frames follow it as their trajectory; near its end the
// root's own movement is bent to meet the point.
#include "actor/actor.h"

#include "method/latent.h"

// The body turns from its way to the facing at the end within this distance of it.
#define TURN_FROM_M 0.9f
#define TURN_TO_M 0.25f
// The root is bent within this distance; farther away the plan itself corrects.
#define BEND_M 1.0f
// Most that the movement is bent by, as a share of it, and how fast the gap closes.
#define BEND_SHARE 0.35f
#define BEND_HALFLIFE_S 0.15f
// How much a body may turn in addition to its own turning, in radians per metre travelled, as in root.c.
#define TURN_PER_METRE 1.2f
// The data's braking where they have none.
#define USUAL_MPS2 1.0f
#define PLAN_DT (1.0f / 30.0f)
#define LN2 0.69314718f

/// Speed that can still be braked away over a distance.
static float braking(float mps2, float metres) { return sqrtf(2.0f * mps2 * am_max(metres, 0.0f)); }

static float mix_angle(float a, float b, float t) { return am_wrap_angle(a + am_wrap_angle(b - a) * t); }

/// Facing of a body that is `left` metres from the point and came along `way`.
static float facing_at(const ami_arrival *a, float way, float left)
{
    float t = am_clamp((TURN_FROM_M - left) / (TURN_FROM_M - TURN_TO_M), 0.0f, 1.0f);
    return a->faces ? mix_angle(way, a->heading, t * t * (3.0f - 2.0f * t)) : way;
}

void ami_arrival_plan(am_actor *c, const ami_arrival *a)
{
    const ami_prepared *prepared = c->prepared;
    const ami_path_limits *limits = &prepared->limits;
    am_intent_def speeds;
    am_actor_get_speeds(c, &speeds);
    float gain = limits->faster_mps2 > 0.1f ? limits->faster_mps2 : USUAL_MPS2;
    float brake = limits->slower_mps2 > 0.1f ? 0.7f * limits->slower_mps2 : USUAL_MPS2;
    am_transform root = c->state->root;
    am_vec3 gap = am_v3_ground(am_v3_sub(a->point, root.translation));
    float whole = am_v3_length(gap);
    float own = am_quat_heading(root.rotation);
    float way = whole > 0.05f ? am_atan2(gap.x, gap.z) : own;
    am_vec3 along = am_v3_normalize_or(gap, am_v3_zero());
    am_vec3 moves = am_quat_rotate(root.rotation, c->recent->root_linear);
    float speed = am_clamp(am_v3_dot(moves, along), 0.0f, speeds.walk_mps);
    float gone = 0.0f;
    float t = 0.0f;
    for (int i = 0; i < c->state->trajectory_count; i++) {
        am_query_point *p = &c->trajectory[i];
        for (; p->time > 0.0f && t + 0.5f * PLAN_DT < p->time; t += PLAN_DT) {
            float most = am_min(speeds.walk_mps, braking(brake, whole - gone));
            speed = am_min(speed + gain * PLAN_DT, most);
            gone = am_min(gone + speed * PLAN_DT, whole);
        }
        if (p->time >= 0.0f) {
            // A body that stands turns to its way first.
            float turned = am_clamp(p->time / 0.6f, 0.0f, 1.0f);
            float heading = mix_angle(own, facing_at(a, way, whole - gone), turned);
            p->position = am_v3_add(am_v3_ground(root.translation), am_v3_scale(along, gone));
            p->position.y = prepared->facts.hip_m;
            p->direction = am_v3(am_sin(heading), 0.0f, am_cos(heading));
            p->velocity = am_v3_scale(along, speed);
        }
    }
}

void ami_arrival_target(const am_actor *c, const ami_arrival *a, am_source_target *target)
{
    am_vec3 gap = am_v3_ground(am_v3_sub(a->point, c->state->root.translation));
    float left = am_v3_length(gap);
    am_intent_def speeds;
    am_actor_get_speeds(c, &speeds);
    const ami_path_limits *limits = &c->prepared->limits;
    float brake = limits->slower_mps2 > 0.1f ? 0.7f * limits->slower_mps2 : USUAL_MPS2;
    float speed = am_min(speeds.walk_mps, braking(brake, left));
    target->velocity = am_v3_scale(am_v3_normalize_or(gap, am_v3_zero()), speed);
    target->heading = facing_at(a, left > 0.05f ? am_atan2(gap.x, gap.z) : a->heading, left);
    target->faces = a->faces;
    target->point = a->point;
    target->has_point = true;
}

void ami_arrival_bend(am_actor *c, const ami_arrival *a, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    am_vec3 gap = am_v3_ground(am_v3_sub(a->point, s->root.translation));
    float left = am_v3_length(gap);
    float way = am_v3_length(moved);
    if (left > BEND_M) {
        return;
    }
    float part = 1.0f - am_exp(-LN2 * dt / BEND_HALFLIFE_S);
    float step = am_min(left * part, BEND_SHARE * way);
    am_vec3 bent = am_v3_scale(am_v3_normalize_or(gap, am_v3_zero()), step);
    s->root.translation = am_v3_add(s->root.translation, bent);
    s->position = am_v3_add(s->position, bent);
    if (a->faces && left < TURN_FROM_M) {
        float own = am_quat_heading(s->root.rotation);
        float wanted = facing_at(a, left > 0.05f ? am_atan2(gap.x, gap.z) : a->heading, left);
        float most = BEND_SHARE * am_abs(turned) + TURN_PER_METRE * way;
        float turn = am_clamp(am_wrap_angle(wanted - own) * part, -most, most);
        am_quat q = am_quat_mul(s->root.rotation, am_quat_from_heading(turn));
        s->root.rotation = am_quat_normalize(am_q(0.0f, q.y, 0.0f, q.w));
        s->heading = am_wrap_angle(s->heading + turn);
    }
}

bool ami_arrival_find(const am_actor *c, const am_intent *intent, ami_arrival *out)
{
    const am_source *source = c->prepared->source;
    am_vec3 facing = am_v3_ground(intent->facing);
    bool found = intent->has_point && am_v3_length(intent->point) * 0.0f == 0.0f;
    *out = (ami_arrival){ .point = am_v3_ground(intent->point) };
    if (!c->settings.plan || !ami_is_latent(source)) {
        return false;
    }
    if (intent->control) {
        found = ami_latent_goal(source, intent->control, &out->point, &facing);
    }
    out->facing = am_v3_normalize_or(facing, am_v3_zero());
    out->faces = am_v3_length(out->facing) > 0.5f;
    out->heading = out->faces ? am_atan2(out->facing.x, out->facing.z) : 0.0f;
    return found;
}
