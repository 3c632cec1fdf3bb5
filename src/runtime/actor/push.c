// Pushes: the forces on a character, their effect on a pose (Fields eq. 15), and the blend within the ticks of
// sources that have ticks.
#include "actor/push.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/format.h"

#include <string.h>

// Quantile of the data's joint angles that a push may reach, and the tolerance beyond it: the engine's joints have no
// limits of their own.
#define RANGE_SHARE 0.001f
#define RANGE_MARGIN (5.0f * AM_DEG)
#define LONGEST_S 10.0f

enum {
    most_frames = 4096, // frames that ranges are taken from
    few_frames = 2000,  // fewer frames, such as a network's start states, say little about how far joints turn
};

am_result ami_prepared_ranges(ami_prepared *prepared, am_error *err)
{
    const am_db *db = prepared->source->db;
    int joints = prepared->source->skeleton->joint_count;
    prepared->ranges = ami_alloc_array(&prepared->alloc, (size_t)joints, sizeof *prepared->ranges);
    if (!prepared->ranges) {
        return ami_fail_memory(err, (size_t)joints * sizeof *prepared->ranges);
    }
    prepared->few = db->frame_count < few_frames;
    if (db->own && db->own->derived.joint_ranges) {
        memcpy(prepared->ranges, db->own->derived.joint_ranges, (size_t)joints * sizeof *prepared->ranges);
        return AM_OK;
    }
    return ami_joint_ranges(prepared->ranges, db, prepared->few ? 0.0f : RANGE_SHARE, most_frames, &prepared->alloc,
                            err);
}

// ---------------------------------------------------------------------------------------------
// The forces

bool ami_push_active(const am_actor *c) { return c->push.head && c->push.head->count > 0; }

void ami_push_end(am_actor *c)
{
    ami_push_state *p = c->push.head;
    if (p) {
        ami_push_state before = *p;
        memset(p, 0, sizeof *p);
        p->total = before.total;
        p->limit_s = before.limit_s;
        p->capture = before.capture; // the feet are where they are
        for (int j = 0; j < c->joint_count; j++) {
            c->push.from[j] = c->push.to[j] = am_transform_identity();
        }
    }
}

am_result am_actor_push(am_actor *c, int joint, const am_vec3 *force, float seconds, am_error *err)
{
    ami_push_state *p = c->push.head;
    if (!p) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the actor has no push solver; set push in its def (am_physics_solver, in a build with Open "
                        "Dynamics Engine)");
    }
    if (joint < 0 || joint >= c->joint_count) {
        return ami_fail(err, AM_ERR_RANGE, "there is no joint %d to push; the skeleton has %d joints", joint,
                        c->joint_count);
    }
    if (!(am_v3_length(*force) <= AM_PUSH_MOST_N) || !(seconds > 0.0f && seconds <= LONGEST_S)) {
        return ami_fail(err, AM_ERR_RANGE, "a push may have at most %g N and must last more than 0 and at most %g s",
                        (double)AM_PUSH_MOST_N, (double)LONGEST_S);
    }
    if (p->frame > 0) {
        // A blend in progress ends here; its displacement so far stays, and fades out or is continued from.
        p->frame = 0;
        p->count = 0;
    }
    if (p->count == AM_MAX_PUSHES) {
        return ami_fail(err, AM_ERR_LIMIT, "at most %d pushes can act at once", AM_MAX_PUSHES);
    }
    p->pushes[p->count++] = (am_push){ joint, seconds, *force };
    p->total++;
    if (ami_push_steps(c)) {
        p->capture.active = p->capture.active > 0 ? 2 : 1;
        p->capture.pushed_s = 0.0f;
        p->capture.swung &= 3; // the next foot that lands is the first
    } else {
        ami_push_watch(c);
    }
    return AM_OK;
}

void am_actor_get_push(const am_actor *c, am_push_view *out)
{
    const ami_push_state *p = c->push.head;
    *out = (am_push_view){ p ? p->pushes : NULL, p ? p->count : 0, p ? p->frame : 0, p ? p->total : 0 };
}

// ---------------------------------------------------------------------------------------------
// What they do to a pose

void ami_push_mix(am_transform *out, const am_transform *a, const am_transform *b, int joints, float t)
{
    for (int j = 0; j < joints; j++) {
        out[j].rotation = am_quat_nlerp(a[j].rotation, b[j].rotation, t);
        out[j].translation = am_v3_lerp(a[j].translation, b[j].translation, t);
    }
}

am_transform ami_push_offset(am_transform a, am_transform b, float share)
{
    am_quat turn = am_quat_mul(b.rotation, am_quat_inv(a.rotation));
    am_transform offset = { am_quat_nlerp(am_quat_identity(), turn, share),
                            am_v3_scale(am_v3_sub(b.translation, a.translation), share) };
    return offset;
}

am_transform ami_push_apply(am_transform offset, am_transform a)
{
    am_transform out = { am_quat_normalize(am_quat_mul(offset.rotation, a.rotation)),
                         am_v3_add(offset.translation, a.translation) };
    return out;
}

/// The turn about y of the rotation from a to b.
static am_quat turn_between(am_quat a, am_quat b)
{
    am_quat rel = am_quat_abs(am_quat_mul(b, am_quat_inv(a)));
    return am_quat_normalize(am_q(0.0f, rel.y, 0.0f, rel.w));
}

/// Splits the movement of the hips into a step of the ground root and the rest: the root stays under the hips and
/// turns with them, so that position and yaw stay out of the pose, as in the paper.
static am_transform divide(am_transform *hips, am_transform was)
{
    am_transform step;
    step.rotation = turn_between(was.rotation, hips->rotation);
    am_vec3 ground = am_v3_ground(was.translation);
    step.translation = am_v3_sub(am_v3_ground(hips->translation), am_quat_rotate(step.rotation, ground));
    *hips = am_transform_mul(am_transform_inv(step), *hips);
    return step;
}

/// Planted feet whose leg is pushed: they are not flung when they lift soon after, while the force of eq. 15 still
/// acts.
static uint32_t find_held(const am_actor *c, uint8_t contacts)
{
    static const am_role legs[2] = { AM_ROLE_LEFT_UP_LEG, AM_ROLE_RIGHT_UP_LEG };
    const ami_push_state *p = c->push.head;
    const am_source *source = c->prepared->source;
    uint32_t held = 0;
    for (int i = 0; i < p->count; i++) {
        for (int joint = p->pushes[i].joint; joint > 0; joint = source->skeleton->parents[joint]) {
            held |= joint == source->roles->joint[legs[0]] ? AM_CONTACT_LEFT : 0;
            held |= joint == source->roles->joint[legs[1]] ? AM_CONTACT_RIGHT : 0;
        }
    }
    return held & contacts;
}

/// The foot that will be planted next or was planted last. A body in flight tips about it, too: otherwise a push
/// moves chest and feet alike, which is true in the air but looks like no push at all.
static uint8_t lower_foot(const am_actor *c, const am_transform *x)
{
    const am_source *source = c->prepared->source;
    int left = source->roles->joint[AM_ROLE_LEFT_FOOT], right = source->roles->joint[AM_ROLE_RIGHT_FOOT];
    if (left < 0 || right < 0) {
        return 0;
    }
    float left_m = ami_joint_place(source->skeleton, x, left).translation.y;
    float right_m = ami_joint_place(source->skeleton, x, right).translation.y;
    return left_m <= right_m ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
}

bool ami_push_dynamics(am_actor *c, ami_dynamics *out, const am_transform *x, uint8_t contacts, int frame)
{
    ami_push_state *p = c->push.head;
    const am_push_solver *solver = c->solver;
    size_t size = (size_t)c->joint_count * sizeof *x;
    // Forces have world axes: only the root's rotation matters, not where it is.
    am_transform root = { c->state->root.rotation, am_v3_zero() };
    am_transform back = am_transform_inv(root);
    memcpy(c->push.x, x, size);
    c->push.x[0] = am_transform_mul(root, x[0]);
    // Done before the lower foot of a body in flight replaces a planted foot: it is released when another foot is
    // planted.
    p->held = frame == 1 ? find_held(c, contacts) : p->held;
    contacts = contacts != 0 ? contacts : lower_foot(c, x);
    am_push_query query = { c->push.x, p->pushes, p->count, (uint8_t)(contacts | p->held), frame };
    if (!solver->solve(solver->user, c->push.pose, c->push.previous, &query)) {
        return false;
    }
    out->pose = c->push.pose;
    out->previous = c->push.previous;
    am_transform steps[2];
    am_transform *poses[2] = { c->push.previous, c->push.pose };
    for (int i = 0; i < 2; i++) {
        poses[i][0] = am_transform_mul(back, poses[i][0]);
        steps[i] = divide(&poses[i][0], x[0]);
        for (int j = 0; j < c->joint_count; j++) {
            const ami_joint_range *range = &c->prepared->ranges[j];
            float margin = am_max(RANGE_MARGIN, ami_joint_excess(range, x[j].rotation));
            poses[i][j].rotation = ami_joint_clamp(range, poses[i][j].rotation, margin);
        }
    }
    out->step = steps[1];
    out->last_step = am_transform_mul(am_transform_inv(steps[0]), steps[1]);
    return true;
}

/// After eq. 15, within a tick of the source.
void ami_push_tick(void *user, am_tick *tick)
{
    am_actor *c = user;
    ami_push_state *p = c->push.head;
    ami_dynamics d;
    tick->share = 0.0f;
    if (!ami_push_active(c)) {
        return;
    }
    int frame = ++p->frame;
    float share = (float)(AM_PUSH_WINDOW - frame) / (float)AM_PUSH_WINDOW;
    if (frame >= AM_PUSH_WINDOW || !ami_push_dynamics(c, &d, tick->before, tick->contacts, frame)) {
        ami_push_end(c);
        return;
    }
    if (c->settings.push_blend == AM_PUSH_PRINTED) {
        ami_push_mix(tick->after, tick->after, d.pose, c->joint_count, share);
        ami_push_mix(&tick->step, &tick->step, &d.step, 1, share);
    } else {
        for (int j = 0; j < c->joint_count; j++) {
            tick->after[j] = ami_push_apply(ami_push_offset(tick->before[j], d.pose[j], share), tick->after[j]);
        }
        tick->step = ami_push_apply(ami_push_offset(am_transform_identity(), d.step, share), tick->step);
    }
    for (int j = 0; j < c->joint_count; j++) {
        tick->after[j].rotation = ami_joint_clamp(&c->prepared->ranges[j], tick->after[j].rotation, AMI_PUSH_MARGIN);
    }
    tick->from = d.previous;
    tick->to = d.pose;
    tick->fast = d.last_step;
    tick->share = share;
    tick->mixed = c->settings.push_blend == AM_PUSH_PRINTED;
}
