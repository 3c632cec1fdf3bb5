// The reaction of a character whose source does not handle forces (match, long-horizon, learned): for the first half
// of the window the pose is blended with the result of the forces (as eq. 15, with the source's pose for I); then the
// source re-enters at the state nearest to the pushed body, and the difference fades out as in any transition.
#include "actor/push.h"

#include <string.h>

// Frames of the blend before the source re-enters. The offset is largest about there: the push of the forces and the
// pull of the source's pose both grow.
#define REACT_FRAMES (AM_PUSH_WINDOW / 2)
#define FRAME_S (1.0f / AM_PUSH_FPS)
// A body that was pushed off its feet keeps moving, but faster than a walk it would glide.
#define FASTEST_MPS 1.5f
// Limbs that are still swinging when the source re-enters keep at most this velocity: springs would carry them past
// the joint limits.
#define FASTEST_RPS 4.0f

static bool reacts(const am_actor *c)
{
    return ami_push_active(c) && !c->prepared->source->interface->ticks && !ami_push_steps(c);
}

/// The source takes over from the body as it is now.
static void re_enter(am_actor *c)
{
    ami_state *s = c->state;
    const ami_push_state *p = c->push.head;
    memcpy(c->before, c->push.before, (size_t)c->joint_count * sizeof *c->before);
    c->recent->before_dt = p->before_dt;
    c->recent->root_linear = p->root_linear;
    c->recent->root_angular = p->root_angular;
    ami_find_velocities(c, c);
    for (int j = 0; j < 2 * c->joint_count; j++) {
        float rate = am_v3_length(c->arrival[j].angular);
        c->arrival[j].angular = am_v3_scale(c->arrival[j].angular, rate > FASTEST_RPS ? FASTEST_RPS / rate : 1.0f);
    }
    // The predicted trajectory starts with the body's present velocity, so that the search finds a step that catches
    // it.
    am_vec3 velocity = am_quat_rotate(s->root.rotation, am_v3_ground(p->root_linear));
    float speed = am_v3_length(velocity);
    s->velocity = speed > FASTEST_MPS ? am_v3_scale(velocity, FASTEST_MPS / speed) : velocity;
    s->acceleration = am_v3_zero();
    s->arriving = 1;
    ami_push_end(c);
}

void ami_push_begin(am_actor *c, am_source_input *input)
{
    if (ami_push_active(c) && c->prepared->source->interface->ticks && !ami_push_steps(c)) {
        c->hook = (am_tick_hook){ c, ami_push_tick };
        input->hook = &c->hook;
    }
}

void ami_push_plan(am_actor *c)
{
    if (reacts(c) && c->push.head->frame >= REACT_FRAMES && c->push.head->ahead_s < 0.01f * FRAME_S) {
        re_enter(c);
    }
}

/// The next frame of the blend: where the offsets go in it, and the root.
static void next_frame(am_actor *c)
{
    ami_push_state *p = c->push.head;
    ami_dynamics d;
    size_t size = (size_t)c->joint_count * sizeof(am_transform);
    p->ahead_s += FRAME_S;
    p->frame++;
    memcpy(c->push.from, c->push.to, size);
    float share = (float)(AM_PUSH_WINDOW - p->frame) / (float)AM_PUSH_WINDOW;
    if (!ami_push_dynamics(c, &d, c->before, (uint8_t)c->state->contacts, p->frame)) {
        p->move = am_v3_zero();
        p->turn = 0.0f;
        return;
    }
    for (int j = 0; j < c->joint_count; j++) {
        am_transform *to = &c->push.to[j];
        if (c->settings.push_blend == AM_PUSH_PRINTED) {
            *to = ami_push_offset(c->local_raw[j], d.pose[j], share);
        } else {
            // The source does not know about the offset so far; it is pulled back as if it were part of D.
            am_transform moved = ami_push_apply(ami_push_offset(c->before[j], d.pose[j], 1.0f), c->push.from[j]);
            *to = ami_push_offset(am_transform_identity(), moved, share);
        }
    }
    p->move = am_v3_scale(d.step.translation, share);
    p->turn = am_quat_heading(d.step.rotation) * share;
}

void ami_push_react(am_actor *c, float dt)
{
    ami_push_state *p = c->push.head;
    ami_push_lean(c, dt);
    if (!reacts(c)) {
        return;
    }
    while (p->ahead_s < 0.5f * dt && p->frame < REACT_FRAMES) {
        next_frame(c);
    }
    p->ahead_s -= dt;
    float t = am_clamp(1.0f - p->ahead_s / FRAME_S, 0.0f, 1.0f);
    am_transform offset;
    for (int j = 0; j < c->joint_count; j++) {
        ami_push_mix(&offset, &c->push.from[j], &c->push.to[j], 1, t);
        c->local_raw[j] = ami_push_apply(offset, c->local_raw[j]);
    }
    c->recent->root_linear = am_v3_add(c->recent->root_linear, am_v3_scale(p->move, AM_PUSH_FPS));
    c->recent->root_angular.y += p->turn * AM_PUSH_FPS;
    p->root_linear = c->recent->root_linear;
    p->root_angular = c->recent->root_angular;
    p->before_dt = dt;
    memcpy(c->push.before, c->before, (size_t)c->joint_count * sizeof *c->before);
}

void ami_push_move(am_actor *c, float dt)
{
    ami_state *s = c->state;
    ami_push_state *p = c->push.head;
    ami_push_balance(c, dt);
    if (!reacts(c)) {
        return;
    }
    float part = dt * AM_PUSH_FPS;
    am_vec3 was = s->root.translation;
    ami_root_follow(s, am_v3_scale(p->move, part), p->turn * part);
    // The simulated point moves along, so that the character is not pulled back to where it was pushed.
    s->position = am_v3_add(s->position, am_v3_sub(s->root.translation, was));
    s->heading = am_wrap_angle(s->heading + p->turn * part);
}
