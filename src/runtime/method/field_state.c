// Poses and velocities of a motion field: differences, displacements, mixtures, and the embedding of eq. 1.
#include "method/field.h"

#include <string.h>

// Unused lanes hold the identity, so that loops may run over all of them.
static void clear_quats(const ami_field *field, ami_field_quats q)
{
    size_t bytes = (size_t)field->lanes * sizeof(float);
    memset(q.x, 0, 3 * bytes);
    for (int i = 0; i < field->lanes; i++) {
        q.w[i] = 1.0f;
    }
}

void ami_field_pose_put(const ami_field *field, float *x, const am_transform *local)
{
    const am_db *db = field->db;
    for (int m = 0; m < db->moving_count; m++) {
        am_vec3 t = local[db->moving[m]].translation;
        x[3 * m] = t.x;
        x[3 * m + 1] = t.y;
        x[3 * m + 2] = t.z;
    }
    ami_field_quats q = ami_field_quats_at(field, x, ami_field_pose_head(field));
    clear_quats(field, q);
    for (int j = 0; j < field->joint_count; j++) {
        int lane = field->lane[j];
        am_quat p = local[j].rotation;
        q.x[lane] = p.x;
        q.y[lane] = p.y;
        q.z[lane] = p.z;
        q.w[lane] = p.w;
    }
}

void ami_field_pose_get(const ami_field *field, am_transform *local, const float *x)
{
    const am_db *db = field->db;
    const float *q = x + ami_field_pose_head(field);
    int lanes = field->lanes;
    for (int j = 0; j < field->joint_count; j++) {
        int i = field->lane[j];
        local[j].rotation = am_q(q[i], q[lanes + i], q[2 * lanes + i], q[3 * lanes + i]);
        local[j].translation = db->skeleton->offsets[j];
    }
    for (int m = 0; m < db->moving_count; m++) {
        local[db->moving[m]].translation = am_v3(x[3 * m], x[3 * m + 1], x[3 * m + 2]);
    }
}

am_transform ami_field_step_transform(ami_field_step step)
{
    am_transform t = { am_quat_from_heading(step.turn), am_v3(step.x, 0.0f, step.z) };
    return t;
}

/// out(lanes): each quaternion to unit length with w >= 0 where `positive`.
static void normalise(const ami_field_quats q, int lanes, bool positive)
{
    for (int i = 0; i < lanes; i++) {
        float length = sqrtf(q.x[i] * q.x[i] + q.y[i] * q.y[i] + q.z[i] * q.z[i] + q.w[i] * q.w[i]);
        float s = length > 1e-8f ? 1.0f / length : 0.0f;
        s = positive && q.w[i] < 0.0f ? -s : s;
        q.x[i] *= s;
        q.y[i] *= s;
        q.z[i] *= s;
        q.w[i] = length > 1e-8f ? q.w[i] * s : 1.0f;
    }
}

void ami_field_difference(const ami_field *field, float *v, const float *from, const float *to, ami_field_step step)
{
    int head = ami_field_pose_head(field);
    int lanes = field->lanes;
    v[0] = step.x;
    v[1] = step.z;
    v[2] = step.turn;
    for (int i = 0; i < head; i++) {
        v[3 + i] = to[i] - from[i];
    }
    const float *a = from + head;
    const float *b = to + head;
    ami_field_quats q = ami_field_quats_at(field, v, ami_field_velocity_head(field));
    for (int i = 0; i < lanes; i++) {
        am_quat p = am_q(a[i], a[lanes + i], a[2 * lanes + i], a[3 * lanes + i]);
        am_quat r = am_q(b[i], b[lanes + i], b[2 * lanes + i], b[3 * lanes + i]);
        am_quat d = am_quat_mul(r, am_quat_inv(p));
        q.x[i] = d.x;
        q.y[i] = d.y;
        q.z[i] = d.z;
        q.w[i] = d.w;
    }
    normalise(q, lanes, true);
}

void ami_field_displace(const ami_field *field, float *out, const float *x, const float *v)
{
    int head = ami_field_pose_head(field);
    int lanes = field->lanes;
    for (int i = 0; i < head; i++) {
        out[i] = x[i] + v[3 + i];
    }
    const float *a = v + ami_field_velocity_head(field);
    const float *b = x + head;
    ami_field_quats q = ami_field_quats_at(field, out, head);
    for (int i = 0; i < lanes; i++) {
        am_quat d = am_q(a[i], a[lanes + i], a[2 * lanes + i], a[3 * lanes + i]);
        am_quat p = am_q(b[i], b[lanes + i], b[2 * lanes + i], b[3 * lanes + i]);
        am_quat r = am_quat_mul(d, p);
        q.x[i] = r.x;
        q.y[i] = r.y;
        q.z[i] = r.z;
        q.w[i] = r.w;
    }
    normalise(q, lanes, false);
}

static void mix_numbers(float *out, const float *a, const float *b, float t, int count)
{
    for (int i = 0; i < count; i++) {
        out[i] = a[i] + (b[i] - a[i]) * t;
    }
}

/// Rotations at `first`, the shorter way.
static void mix_quats(const ami_field *field, float *out, const float *a, const float *b, float t, int first)
{
    int lanes = field->lanes;
    a += first;
    b += first;
    ami_field_quats q = ami_field_quats_at(field, out, first);
    for (int i = 0; i < lanes; i++) {
        float dot = a[i] * b[i] + a[lanes + i] * b[lanes + i] + a[2 * lanes + i] * b[2 * lanes + i] +
                    a[3 * lanes + i] * b[3 * lanes + i];
        float there = dot < 0.0f ? -t : t;
        q.x[i] = a[i] * (1.0f - t) + b[i] * there;
        q.y[i] = a[lanes + i] * (1.0f - t) + b[lanes + i] * there;
        q.z[i] = a[2 * lanes + i] * (1.0f - t) + b[2 * lanes + i] * there;
        q.w[i] = a[3 * lanes + i] * (1.0f - t) + b[3 * lanes + i] * there;
    }
    normalise(q, lanes, false);
}

void ami_field_pose_mix(const ami_field *field, float *out, const float *a, const float *b, float t)
{
    int head = ami_field_pose_head(field);
    mix_numbers(out, a, b, t, head);
    mix_quats(field, out, a, b, t, head);
}

void ami_field_velocity_mix(const ami_field *field, float *out, const float *a, const float *b, float t)
{
    int head = ami_field_velocity_head(field);
    mix_numbers(out, a, b, t, head);
    mix_quats(field, out, a, b, t, head);
}

void ami_field_velocity_add(const ami_field *field, float *out, const float *a, const float *b, float t)
{
    int head = ami_field_velocity_head(field);
    int lanes = field->lanes;
    for (int i = 0; i < head; i++) {
        out[i] = a[i] + t * b[i];
    }
    a += head;
    b += head;
    ami_field_quats q = ami_field_quats_at(field, out, head);
    for (int i = 0; i < lanes; i++) {
        am_quat first = am_q(a[i], a[lanes + i], a[2 * lanes + i], a[3 * lanes + i]);
        am_quat whole = am_q(b[i], b[lanes + i], b[2 * lanes + i], b[3 * lanes + i]);
        am_quat sum = am_quat_mul(am_quat_nlerp(am_quat_identity(), whole, t), first);
        q.x[i] = sum.x;
        q.y[i] = sum.y;
        q.z[i] = sum.z;
        q.w[i] = sum.w;
    }
    normalise(q, lanes, true);
}

// ---------------------------------------------------------------------------------------------
// Embedding

/// The displacement and turn of the hips in the world over one tick, in the frame of the ground root: first two terms
/// of eq. 1.
static void embed_root(const ami_field *field, float *row, const float *x, const float *v)
{
    int lane = field->lane[0];
    const float *q = v + ami_field_velocity_head(field);
    int lanes = field->lanes;
    am_quat turn = am_quat_from_heading(v[2]);
    am_vec3 hips = am_v3(x[0], x[1], x[2]);
    am_vec3 after = am_v3_add(hips, am_v3(v[3], v[4], v[5]));
    am_vec3 way = am_v3_sub(am_v3_add(am_quat_rotate(turn, after), am_v3(v[0], 0.0f, v[1])), hips);
    am_quat hips_turn = am_q(q[lane], q[lanes + lane], q[2 * lanes + lane], q[3 * lanes + lane]);
    am_vec3 turned = am_quat_rotate(am_quat_mul(turn, hips_turn), field->axis);
    row[0] = field->root_scale * way.x;
    row[1] = field->root_scale * way.y;
    row[2] = field->root_scale * way.z;
    row[3] = field->turn_scale * turned.x;
    row[4] = field->turn_scale * turned.y;
    row[5] = field->turn_scale * turned.z;
}

void ami_field_embed(const ami_field *field, float *row, const float *x, const float *v)
{
    int lanes = field->lanes;
    int bones = field->bones;
    const float *p = x + ami_field_pose_head(field);
    const float *q = v + ami_field_velocity_head(field);
    float *out = row + 6;
    embed_root(field, row, x, v);
    for (int i = 0; i < bones; i++) {
        float scale = field->bone_scale[i];
        am_quat now = am_q(p[i], p[lanes + i], p[2 * lanes + i], p[3 * lanes + i]);
        am_quat step = am_q(q[i], q[lanes + i], q[2 * lanes + i], q[3 * lanes + i]);
        am_vec3 here = am_quat_rotate(now, field->axis);
        am_vec3 there = am_quat_rotate(step, here); // (q p)(u) = q(p(u))
        out[i] = scale * here.x;
        out[bones + i] = scale * here.y;
        out[2 * bones + i] = scale * here.z;
        out[3 * bones + i] = scale * there.x;
        out[4 * bones + i] = scale * there.y;
        out[5 * bones + i] = scale * there.z;
    }
    for (int d = field->dims; d < field->stride; d++) {
        row[d] = 0.0f;
    }
}
