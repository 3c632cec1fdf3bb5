// D(x, 0, i) of Fields eq. 15: a pose at rest under forces, with pinned feet and no gravity, after i frames of
// dynamics.
#include "physics/body.h"

#include <string.h>

// How much stiffer legs get: at about this factor a push of 0.1 s on a foot moves the pelvis as soon as the foot.
#define BRACE 30

static am_vec3 centre_of(const am_physics *p, const ami_body_part *part)
{
    return am_transform_point(p->pose[part->joint], part->centre);
}

/// Puts every part where the pose has it, at rest.
static void place_parts(am_physics *p, const am_transform *local)
{
    const am_skeleton *s = p->skeleton;
    am_fk(p->pose, local, s->parents, s->joint_count);
    for (int i = 0; i < p->part_count; i++) {
        ami_body_part *part = &p->parts[i];
        am_vec3 c = centre_of(p, part);
        am_quat q = p->pose[part->joint].rotation;
        dQuaternion rotation = { (dReal)q.w, (dReal)q.x, (dReal)q.y, (dReal)q.z };
        dBodyEnable(part->body);
        dBodySetPosition(part->body, (dReal)c.x, (dReal)c.y, (dReal)c.z);
        dBodySetQuaternion(part->body, rotation);
        dBodySetLinearVel(part->body, 0, 0, 0);
        dBodySetAngularVel(part->body, 0, 0, 0);
        dBodySetForce(part->body, 0, 0, 0);
        dBodySetTorque(part->body, 0, 0, 0);
    }
}

static bool is_pinned(const am_physics *p, int part, uint8_t contacts)
{
    return ((contacts & AM_CONTACT_LEFT) != 0 && part == p->foot[0]) ||
           ((contacts & AM_CONTACT_RIGHT) != 0 && part == p->foot[1]);
}

/// Connects parts at their joints. All connections are removed first and made in the same order: the engine works
/// through its lists, so the same input gives the same bits whatever was computed before.
static void tie_parts(am_physics *p, uint8_t contacts)
{
    for (int i = 1; i < p->part_count; i++) {
        dJointAttach(p->parts[i].ball, 0, 0);
        dJointAttach(p->parts[i].motor, 0, 0);
    }
    for (int i = 1; i < p->part_count; i++) {
        ami_body_part *part = &p->parts[i];
        dBodyID parent = p->parts[part->parent].body;
        bool pinned = is_pinned(p, i, contacts);
        am_vec3 at = p->pose[part->joint].translation;
        if (pinned) {
            // The foot stays as it is; the leg hangs on a ball joint at the ankle, which holds nothing up but does
            // not let the leg spin: soles do not turn on the floor.
            dBodyDisable(part->body);
            dJointAttach(part->ball, parent, 0);
            dJointAttach(part->motor, parent, 0);
            memcpy(part->rest, dBodyGetQuaternion(parent), sizeof part->rest);
        } else {
            dJointAttach(part->ball, part->body, parent);
            dJointAttach(part->motor, part->body, parent);
            dQMultiply1(part->rest, dBodyGetQuaternion(parent), dBodyGetQuaternion(part->body));
        }
        dJointSetBallAnchor(part->ball, (dReal)at.x, (dReal)at.y, (dReal)at.z);
    }
}

/// By how much (rad, world axes) a part is turned from where it was relative to its parent, or the shank of a pinned
/// foot from where it was.
static void find_turn(const am_physics *p, const ami_body_part *part, bool pinned, dReal turn[3])
{
    dQuaternion wanted, away;
    dBodyID parent = p->parts[part->parent].body;
    dQMultiply0(wanted, dBodyGetQuaternion(parent), part->rest);
    if (pinned) {
        dQMultiply2(away, dBodyGetQuaternion(parent), part->rest);
    } else {
        dQMultiply2(away, dBodyGetQuaternion(part->body), wanted);
    }
    dReal sign = away[0] < 0 ? -1 : 1;
    dReal sine = dSqrt(away[1] * away[1] + away[2] * away[2] + away[3] * away[3]);
    // 2 atan2(sine, cosine) / sine is 2 near no turn at all.
    dReal scale = sine > REAL(1e-9) ? 2 * dAtan2(sine, sign * away[0]) / sine : 2;
    for (int i = 0; i < 3; i++) {
        turn[i] = sign * scale * away[i + 1];
    }
}

/// A pushed leg stiffens, and so does the one that the body stands on: the whole tips as one piece, where a limp leg
/// would fly off alone. Not while both feet stand: two stiff legs are a trestle, which gives way only sideways.
static dReal find_brace(const am_physics *p, const am_push_query *query)
{
    bool both = (query->contacts & AM_CONTACT_LEFT) != 0 && (query->contacts & AM_CONTACT_RIGHT) != 0;
    bool pushed = false;
    for (int i = 0; i < query->push_count; i++) {
        pushed |= p->parts[p->part_of[query->pushes[i].joint]].leg >= 0;
    }
    return pushed && !both ? BRACE : 1;
}

/// Springs and dampers as soft constraints, which stay stable at any step: torque = -spring (turn + h w) - damper w.
static void set_springs(am_physics *p, uint8_t contacts, dReal h)
{
    for (int i = 1; i < p->part_count; i++) {
        ami_body_part *part = &p->parts[i];
        if (!(part->spring > 0)) {
            continue;
        }
        bool pinned = is_pinned(p, i, contacts);
        dReal spring = pinned ? p->twist : part->spring * (part->leg >= 0 ? p->brace : 1);
        dReal soft = 1 / (spring * (p->damping_s + h));
        dReal turn[3];
        find_turn(p, part, pinned, turn);
        for (int axis = 0; axis < 3; axis++) {
            bool held = !pinned || axis == 1; // about the vertical
            dJointSetAMotorParam(part->motor, dParamFMax + axis * dParamGroup, held ? dInfinity : 0);
            dJointSetAMotorParam(part->motor, dParamVel + axis * dParamGroup, -spring * soft * turn[axis]);
            dJointSetAMotorParam(part->motor, dParamCFM + axis * dParamGroup, soft);
        }
    }
}

static void add_force(const ami_body_part *part, am_vec3 force, dReal share)
{
    dBodyAddForce(part->body, share * (dReal)force.x, share * (dReal)force.y, share * (dReal)force.z);
}

/// Applies the force to the pushed part and, by mass, to all parts.
static void add_forces(am_physics *p, const am_push_query *query, double time, double h)
{
    for (int i = 0; i < query->push_count; i++) {
        const am_push *push = &query->pushes[i];
        double share = ((double)push->seconds - time) / h;
        if (share > 0.0) {
            const ami_body_part *pushed = &p->parts[p->part_of[push->joint]];
            dReal f = (dReal)(share < 1.0 ? share : 1.0);
            dReal spread = f * (dReal)pushed->spread;
            add_force(pushed, push->force, f - spread);
            for (int k = 0; k < p->part_count && spread > 0; k++) {
                add_force(&p->parts[k], push->force, spread * (dReal)p->parts[k].mass / p->mass);
            }
        }
    }
}

/// The pose of all parts; joints within a part keep their own rotation.
static void read_pose(const am_physics *p, am_transform *out, const am_transform *was)
{
    const am_skeleton *s = p->skeleton;
    am_quat world[AM_MAX_JOINTS];
    for (int j = 0; j < s->joint_count; j++) {
        const ami_body_part *part = &p->parts[p->part_of[j]];
        int parent = s->parents[j];
        out[j] = was[j];
        if (part->joint != j) {
            world[j] = am_quat_mul(world[parent], was[j].rotation);
            continue;
        }
        const dReal *q = dBodyGetQuaternion(part->body);
        world[j] = am_quat_normalize(am_q((float)q[1], (float)q[2], (float)q[3], (float)q[0]));
        am_quat local = parent >= 0 ? am_quat_mul(am_quat_inv(world[parent]), world[j]) : world[j];
        out[j].rotation = am_quat_nearest(am_quat_normalize(local), was[j].rotation);
    }
    const dReal *c = dBodyGetPosition(p->parts[0].body);
    am_vec3 centre = am_v3((float)c[0], (float)c[1], (float)c[2]);
    out[0].translation = am_v3_sub(centre, am_quat_rotate(world[0], p->parts[0].centre));
}

static bool is_finite(const am_transform *pose, int count)
{
    float sum = 0.0f;
    for (int j = 0; j < count; j++) {
        am_quat q = pose[j].rotation;
        am_vec3 t = pose[j].translation;
        sum += (q.x + q.y + q.z + q.w + t.x + t.y + t.z) * 0.0f;
    }
    return sum == 0.0f;
}

bool ami_body_solve(void *user, am_transform *local, am_transform *before, const am_push_query *query)
{
    am_physics *p = user;
    int joints = p->skeleton->joint_count;
    if (query->frames < 1 || query->frames > AM_PUSH_WINDOW || !is_finite(query->local, joints)) {
        return false;
    }
    double h = 1.0 / ((double)AM_PUSH_FPS * p->substeps);
    p->brace = find_brace(p, query);
    place_parts(p, query->local);
    tie_parts(p, query->contacts);
    memcpy(before, query->local, (size_t)joints * sizeof *before);
    for (int step = 0; step < query->frames * p->substeps; step++) {
        if (step > 0 && step == (query->frames - 1) * p->substeps) {
            read_pose(p, before, query->local);
        }
        add_forces(p, query, step * h, h);
        set_springs(p, query->contacts, (dReal)h);
        dWorldStep(p->world, (dReal)h);
    }
    read_pose(p, local, query->local);
    return is_finite(local, joints) && is_finite(before, joints);
}
