// What moves the root: the animation, the simulated point, or the animation pulled to the point. The pull is limited
// to a fraction of the body's own movement, so that a standing character does not glide; beyond that the point waits
// for the body.
#include "actor/actor.h"

#define LN2 0.69314718f
// How much a walking body may turn in addition to its own turning, in radians per metre travelled.
#define TURN_PER_METRE 0.7f
// Planted feet that are this far behind the motion would soon be let go, and the body would glide over them.
#define BEHIND_M 0.2f
// How fast the point approaches a standing body.
#define REST_HALFLIFE_S 0.15f

/// The share of a gap that closes in dt.
float ami_share(float halflife, float dt) { return 1.0f - am_exp(-LN2 * dt / am_max(halflife, 1e-5f)); }

am_vec3 ami_limit(am_vec3 v, float longest)
{
    float length = am_v3_length(v);
    return length > longest ? am_v3_scale(v, longest / length) : v;
}

void ami_root_follow(ami_state *s, am_vec3 moved, float turned)
{
    s->root.translation = am_v3_ground(am_v3_add(s->root.translation, am_quat_rotate(s->root.rotation, moved)));
    am_quat turn = am_quat_mul(s->root.rotation, am_quat_from_heading(turned));
    s->root.rotation = am_quat_normalize(am_q(0.0f, turn.y, 0.0f, turn.w));
}

bool ami_foot_gap(const am_actor *c, int side, am_vec3 *gap)
{
    static const am_role feet[2] = { AM_ROLE_LEFT_FOOT, AM_ROLE_RIGHT_FOOT };
    static const uint8_t bits[2] = { AM_CONTACT_LEFT, AM_CONTACT_RIGHT };
    int ankle = c->prepared->source->roles->joint[feet[side]];
    if (ankle < 0 || (c->state->locked & bits[side]) == 0) {
        return false;
    }
    *gap = am_v3_sub(c->world[ankle].translation, c->world_raw[ankle].translation);
    return true;
}

/// How much of a pull the planted feet let through: none once they are BEHIND_M behind the motion.
static float yields(const am_actor *c, am_vec3 pull)
{
    am_vec3 way = am_v3_normalize_or(pull, am_v3_zero());
    float behind = 0.0f;
    for (int side = 0; side < 2; side++) {
        am_vec3 gap;
        if (ami_foot_gap(c, side, &gap)) {
            behind = am_max(behind, -am_v3_dot(gap, way));
        }
    }
    return am_clamp(1.0f - behind / BEHIND_M, 0.0f, 1.0f);
}

/// Pulls the body to the point.
static void draw(am_actor *c, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    const am_settings *set = &c->settings;
    float way = am_v3_length(moved);
    am_vec3 gap = am_v3_sub(s->position, s->root.translation);
    am_vec3 step = am_v3_scale(gap, ami_share(set->adjust_position_halflife, dt));
    s->root.translation =
        am_v3_add(s->root.translation, ami_limit(step, yields(c, step) * set->adjust_position_ratio * way));
    float angle = am_wrap_angle(s->heading - am_quat_heading(s->root.rotation));
    float turn = angle * ami_share(set->adjust_facing_halflife, dt);
    float most = set->adjust_facing_ratio * (am_abs(turned) + TURN_PER_METRE * way);
    am_quat turned_on = am_quat_mul(s->root.rotation, am_quat_from_heading(am_clamp(turn, -most, most)));
    s->root.rotation = am_quat_normalize(am_q(0.0f, turned_on.y, 0.0f, turned_on.w));
}

/// The point waits at the clamps.
static void wait(am_actor *c)
{
    ami_state *s = c->state;
    am_vec3 gap = am_v3_sub(s->position, s->root.translation);
    s->position = am_v3_add(s->root.translation, ami_limit(gap, c->settings.clamp_m));
    float heading = am_quat_heading(s->root.rotation);
    float angle = am_wrap_angle(s->heading - heading);
    s->heading = am_wrap_angle(heading + am_clamp(angle, -c->settings.clamp_rad, c->settings.clamp_rad));
}

/// The point comes to the body: a standing character is not dragged.
static void come_to_rest(ami_state *s, float dt)
{
    float part = ami_share(REST_HALFLIFE_S, dt);
    am_vec3 gap = am_v3_sub(s->root.translation, s->position);
    s->position = am_v3_add(s->position, am_v3_scale(gap, part));
    if (!(am_v3_length(s->target_facing) > 0.5f)) {
        float angle = am_wrap_angle(am_quat_heading(s->root.rotation) - s->heading);
        s->heading = am_wrap_angle(s->heading + angle * part);
        s->target_heading = s->heading;
    }
}

void ami_root_move(am_actor *c, const ami_activity_plan *plan, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    am_vec3 before = s->root.translation;
    am_root_mode mode = plan->own_root ? AM_ROOT_ANIMATION : c->settings.root;
    if (mode == AM_ROOT_SIMULATION) {
        s->root.translation = am_v3_ground(s->position);
        s->root.rotation = am_quat_from_heading(s->heading);
    } else {
        ami_root_follow(s, moved, turned);
    }
    if (mode == AM_ROOT_MIXED) {
        draw(c, moved, turned, dt);
        if (plan->rest) {
            come_to_rest(s, dt);
        }
        wait(c);
    } else if (mode == AM_ROOT_ANIMATION) {
        s->position = s->root.translation;
        s->heading = am_quat_heading(s->root.rotation);
        if (plan->own_root) {
            s->heading_velocity = 0.0f;
            s->target_heading = s->heading;
        }
    }
    s->speed = am_v3_distance(s->root.translation, before) / dt;
}
