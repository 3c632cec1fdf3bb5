// The default answer to a push: the upper body leans as the forces turn it, the centre of mass moves as a pendulum
// over the feet, planted feet stay, and steps catch a body that is out of balance (capture_step.c). The source plays
// on; only the root is moved.
#include "actor/push.h"
#include "data/kinematics.h"

#include <string.h>

#define GRAVITY 9.81f
#define FRAME_S (1.0f / AM_PUSH_FPS)
// The lean follows the forces with this share each frame, so that a second push does not make it jump, and then
// returns with this one.
#define FOLLOWS 0.5f
#define RETURNS 0.2f
// Slower, the motion stands; a toe that is faster swings. m/s
#define STANDS_MPS 0.35f
#define SWINGS_MPS 0.4f
#define RESTS_MPS 0.1f
// A push above the centre of mass turns the body over its feet; below, it is mostly taken by the ground.
#define LEAST_LEVER 0.2f
#define MOST_LEVER 1.4f
// Legs are not stretched farther than this part of their length; the hips sink instead, with this half-life.
#define STRETCH 0.985f
#define MOST_SINK_M 0.25f
#define SINK_HALFLIFE_S 0.04f
#define LN2 0.69314718f
// Over: less than this is left.
#define OVER_M 0.002f
#define OVER_MPS 0.01f

enum { lean_frames = AM_PUSH_WINDOW / 2 }; // that the forces act for; by then the lean is past its largest

static const am_role legs[2][4] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE },
};

bool ami_push_steps(const am_actor *c)
{
    return c->push.head && c->settings.push_blend == AM_PUSH_STEPPED && c->settings.ik &&
           ami_capture_has_legs(c->prepared->source->roles);
}

static bool answers(const am_actor *c) { return ami_push_steps(c) && c->push.head->capture.active; }

bool ami_push_answered(const am_actor *c) { return ami_push_active(c) || answers(c); }

void ami_push_forget(am_actor *c)
{
    if (c->push.head) {
        memset(&c->push.head->capture, 0, sizeof c->push.head->capture);
    }
}

void ami_push_copy(am_actor *c, const am_actor *from)
{
    if (c->push.head && from->push.head) {
        c->push.head->capture = from->push.head->capture;
    } else {
        ami_push_forget(c);
    }
}

uint32_t ami_push_contacts(const am_actor *c, uint32_t contacts)
{
    static const uint32_t lifted[3] = { 0, AM_CONTACT_LEFT, AM_CONTACT_RIGHT };
    const ami_capture *k = answers(c) ? &c->push.head->capture : NULL;
    return k ? (contacts | k->held) & ~lifted[k->swing] : contacts;
}

// ---------------------------------------------------------------------------------------------
// Lean

/// The next frame of the lean: where the forces have turned the body by then.
static void next_frame(am_actor *c)
{
    ami_push_state *p = c->push.head;
    size_t size = (size_t)c->joint_count * sizeof(am_transform);
    ami_dynamics d = { 0 };
    p->ahead_s += FRAME_S;
    memcpy(c->push.from, c->push.to, size);
    bool acts = ami_push_active(c) && ++p->frame <= lean_frames &&
                ami_push_dynamics(c, &d, c->local_raw, (uint8_t)c->state->contacts, p->frame);
    if (!acts) {
        p->frame = p->count = 0;
    }
    float share = (float)(AM_PUSH_WINDOW - p->frame) / (float)AM_PUSH_WINDOW;
    for (int j = 0; j < c->joint_count; j++) {
        am_transform to = am_transform_identity();
        if (acts) {
            // The turn of the root goes to the hips: the feet, which do not turn, need no step for it.
            am_quat turned = am_quat_mul(j == 0 ? d.step.rotation : am_quat_identity(), d.pose[j].rotation);
            am_transform pose = { turned, c->local_raw[j].translation };
            to = ami_push_offset(c->local_raw[j], pose, share * share);
        }
        ami_push_mix(&c->push.to[j], &c->push.from[j], &to, 1, acts ? FOLLOWS : RETURNS);
    }
}

/// Where the body's centre of mass is, in the root's frame.
static am_vec3 centre_now(am_actor *c)
{
    am_fk(c->next, c->local_raw, c->prepared->source->skeleton->parents, c->joint_count);
    return ami_centre_of_mass(c->prepared->source->roles, c->next);
}

void ami_push_lean(am_actor *c, float dt)
{
    if (!answers(c)) {
        return;
    }
    ami_push_state *p = c->push.head;
    while (p->ahead_s < 0.5f * dt) {
        next_frame(c);
    }
    p->ahead_s -= dt;
    float t = am_clamp(1.0f - p->ahead_s / FRAME_S, 0.0f, 1.0f);
    am_vec3 before = centre_now(c);
    for (int j = 0; j < c->joint_count; j++) {
        am_transform offset;
        ami_push_mix(&offset, &c->push.from[j], &c->push.to[j], 1, t);
        c->local_raw[j] = ami_push_apply(offset, c->local_raw[j]);
    }
    am_vec3 leans = am_v3_ground(am_v3_sub(centre_now(c), before));
    p->capture.lean = am_quat_rotate(c->state->root.rotation, leans);
}

// ---------------------------------------------------------------------------------------------
// Balance

/// c->next: world transforms of the raw pose.
static void place_body(am_actor *c)
{
    am_fk(c->next, c->local_raw, c->prepared->source->skeleton->parents, c->joint_count);
    for (int j = 0; j < c->joint_count; j++) {
        c->next[j] = am_transform_mul(c->state->root, c->next[j]);
    }
}

/// The body without what the push has moved.
static ami_stance find_stance(am_actor *c, float dt)
{
    ami_capture *k = &c->push.head->capture;
    const int16_t *joint = c->prepared->source->roles->joint;
    am_vec3 centre = ami_centre_of_mass(c->prepared->source->roles, c->next);
    float height = am_max(centre.y - c->feet_def.floor_m, 0.1f);
    am_vec3 own = am_v3_sub(am_v3_sub(am_v3_ground(centre), k->moved), k->lean);
    ami_stance out = { .centre = own, .omega = sqrtf(GRAVITY / height) };
    out.right = am_quat_rotate(c->state->root.rotation, am_v3(-1.0f, 0.0f, 0.0f));
    out.stands = am_v3_length(am_v3_ground(c->recent->root_linear)) < STANDS_MPS;
    for (int side = 0; side < 2; side++) {
        am_vec3 toe = c->next[joint[legs[side][3]]].translation;
        am_vec3 heel = am_transform_point(c->next[joint[legs[side][2]]], c->feet_def.heel_offset[side]);
        out.toe[side] = am_v3_sub(toe, k->moved);
        out.heel[side] = am_v3_ground(am_v3_sub(heel, toe));
        float way = am_v3_distance(am_v3_ground(out.toe[side]), am_v3_ground(k->toe[side]));
        uint32_t bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        bool known = am_v3_length2(k->toe[side]) > 0.0f;
        bool lifted = known && (c->state->contacts & bit) == 0;
        out.swings[side] = lifted && way > SWINGS_MPS * dt;
        out.moves[side] = lifted && !(way < RESTS_MPS * dt);
        out.stands &= !out.swings[side];
        // Contacts flicker; a foot that rests is planted all the same.
        out.held |= way < RESTS_MPS * dt ? bit : 0;
        k->toe[side] = out.toe[side];
    }
    out.held = out.stands ? out.held : 0;
    return out;
}

/// A push begins: the feet are where they are, which may be away from where the motion has them.
static void begin(am_actor *c, const ami_stance *stance)
{
    ami_capture *k = &c->push.head->capture;
    for (int side = 0; side < 2; side++) {
        ami_foot *foot = &c->state->feet.foot[side];
        am_vec3 away = am_v3_ground(am_v3_sub(foot->position, stance->toe[side]));
        bool planted = foot->locked && am_v3_length(away) < c->feet_def.unlock_radius_m;
        k->foot[side] = planted ? away : am_v3_zero();
        foot->animated = am_v3_add(foot->animated, k->foot[side]); // as if it had been so in the last step
    }
    k->active = 2;
}

/// Acceleration of the centre of mass by the forces during dt.
static am_vec3 find_push(const am_actor *c, float dt)
{
    const ami_push_state *p = c->push.head;
    const am_source *source = c->prepared->source;
    float mass = ami_body_mass(source->skeleton, source->roles);
    float height = am_max(ami_centre_of_mass(source->roles, c->next).y, 0.1f);
    am_vec3 sum = am_v3_zero();
    for (int i = 0; i < p->count; i++) {
        float acts = am_clamp((p->pushes[i].seconds - p->capture.pushed_s) / dt, 0.0f, 1.0f);
        float lever = am_clamp(c->next[p->pushes[i].joint].translation.y / height, LEAST_LEVER, MOST_LEVER);
        sum = am_v3_add(sum, am_v3_scale(am_v3_ground(p->pushes[i].force), acts * lever / mass));
    }
    return sum;
}

/// How far the hips must sink for a leg to reach its foot, beyond what the motion itself stretches it.
static float find_sink(const am_actor *c, int side, am_vec3 shift)
{
    const int16_t *joint = c->prepared->source->roles->joint;
    const am_vec3 hip = c->next[joint[legs[side][0]]].translation;
    const am_vec3 knee = c->next[joint[legs[side][1]]].translation;
    const am_vec3 ankle = c->next[joint[legs[side][2]]].translation;
    float longest = STRETCH * (am_v3_distance(hip, knee) + am_v3_distance(knee, ankle));
    float lacks[2];
    for (int i = 0; i < 2; i++) {
        am_vec3 way = am_v3_sub(hip, i == 0 ? ankle : am_v3_add(ankle, shift));
        float flat2 = am_v3_length2(am_v3_ground(way));
        lacks[i] = way.y - sqrtf(am_max(longest * longest - flat2, 0.0f));
    }
    return am_max(lacks[1] - am_max(lacks[0], 0.0f), 0.0f);
}

/// Moves the toes, and the hips down where a leg is too short.
static void place_shifts(am_actor *c, float dt)
{
    ami_capture *k = &c->push.head->capture;
    float sink = 0.0f;
    for (int side = 0; side < 2; side++) {
        c->feet_def.shift[side] = am_v3_sub(ami_capture_foot(k, side), k->moved);
        sink = am_max(sink, find_sink(c, side, c->feet_def.shift[side]));
    }
    k->sink_m += (am_min(sink, MOST_SINK_M) - k->sink_m) * (1.0f - am_exp(-LN2 * dt / SINK_HALFLIFE_S));
    c->local_raw[0].translation.y -= k->sink_m;
}

/// A foot that is locked stays when its offset ends; another one has to be where the motion has it.
static bool is_placed(const am_actor *c, int side)
{
    const ami_capture *k = &c->push.head->capture;
    return am_v3_distance(k->foot[side], k->goal) < OVER_M || (!k->stepped && c->state->feet.foot[side].locked);
}

static bool is_over(const am_actor *c)
{
    const ami_capture *k = &c->push.head->capture;
    return c->push.head->count == 0 && k->swing == 0 && am_v3_distance(k->x, k->goal) < OVER_M &&
           am_v3_length(k->v) < OVER_MPS && am_v3_length(k->lean) < OVER_M && k->sink_m < OVER_M && is_placed(c, 0) &&
           is_placed(c, 1);
}

void ami_push_balance(am_actor *c, float dt)
{
    c->feet_def.shift[0] = c->feet_def.shift[1] = am_v3_zero();
    if (!answers(c)) {
        return;
    }
    ami_push_state *p = c->push.head;
    ami_capture *k = &p->capture;
    ami_state *s = c->state;
    place_body(c);
    ami_stance stance = find_stance(c, dt);
    if (k->active == 1) {
        begin(c, &stance);
    }
    k->held = stance.held;
    ami_capture_advance(k, &stance, find_push(c, dt), dt);
    k->pushed_s += dt;
    am_vec3 moved = am_v3_sub(k->x, k->lean);
    am_vec3 step = am_v3_sub(moved, k->moved);
    k->moved = moved;
    s->root.translation = am_v3_add(s->root.translation, step);
    // The simulated point moves along, so that the character is not pulled back to where it was pushed.
    s->position = am_v3_add(s->position, step);
    place_body(c);
    place_shifts(c, dt);
    if (is_over(c)) {
        for (int side = 0; side < 2; side++) {
            ami_foot *foot = &s->feet.foot[side];
            foot->animated = am_v3_sub(foot->animated, c->feet_def.shift[side]); // the lock keeps the foot
            c->feet_def.shift[side] = am_v3_zero();
        }
        ami_push_end(c);
        ami_push_forget(c);
    }
}
