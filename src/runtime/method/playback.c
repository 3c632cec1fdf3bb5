// Samples a database at times between its frames.
#include "method/playback.h"
#include "data/database.h"

// A time this near a frame is that frame: 1/60 s in floats is not quite a frame of 60 Hz.
#define SNAP 1e-4f

static am_transform mix(am_transform a, am_transform b, float t)
{
    am_transform out = { am_quat_nlerp(a.rotation, b.rotation, t), am_v3_lerp(a.translation, b.translation, t) };
    return out;
}

void ami_play_pose(const am_db *db, am_transform *out, int frame, float fraction)
{
    am_db_pose(db, frame, out);
    if (fraction > 0.0f) {
        am_transform next[AM_MAX_JOINTS];
        am_db_pose(db, ami_db_clamp(db, frame, 1), next);
        for (int j = 0; j < db->joint_count; j++) {
            out[j] = mix(out[j], next[j], fraction);
        }
    }
}

am_transform ami_play_root(const am_db *db, int frame, float fraction)
{
    am_transform root = ami_db_root(db, frame);
    return fraction > 0.0f ? mix(root, ami_db_root(db, ami_db_clamp(db, frame, 1)), fraction) : root;
}

void ami_play_advance(int32_t *frame, float *fraction, int last, float frames)
{
    float ahead = *fraction + frames;
    float whole = floorf(ahead + SNAP);
    *fraction = am_max(ahead - whole, 0.0f);
    *fraction = *fraction < SNAP ? 0.0f : *fraction;
    int64_t at = (int64_t)*frame + (int64_t)whole;
    if (at >= last) {
        at = last;
        *fraction = 0.0f;
    }
    *frame = (int32_t)at;
}

void ami_play_velocities(const am_db *db, am_source_pose *side, const am_transform *from, const am_transform *to,
                         int first, int last)
{
    float rate = last > first ? db->fps : 0.0f;
    for (int j = 0; j < db->joint_count; j++) {
        side->velocity[j] = (am_velocity){ am_v3_zero(), am_v3_zero() };
        if (from) {
            side->velocity[j].linear = am_v3_scale(am_v3_sub(to[j].translation, from[j].translation), rate);
            side->velocity[j].angular = am_quat_velocity(from[j].rotation, to[j].rotation, 1.0f / db->fps);
        }
    }
    am_quat facing = db->root_rotations[first];
    am_vec3 way = am_v3_sub(db->root_positions[last], db->root_positions[first]);
    side->root_linear = am_v3_scale(am_quat_unrotate(facing, way), rate);
    side->root_angular = am_quat_velocity(facing, db->root_rotations[last], 1.0f / db->fps);
}

void ami_play_moved(am_source_output *out, am_transform before, am_transform after, float dt)
{
    am_vec3 way = am_quat_unrotate(before.rotation, am_v3_sub(after.translation, before.translation));
    am_quat turn = am_quat_mul(am_quat_inv(before.rotation), after.rotation);
    out->root_linear = am_v3_scale(way, 1.0f / dt);
    out->root_angular = am_v3_scale(am_quat_to_scaled_axis(am_quat_abs(turn)), 1.0f / dt);
}

bool ami_play_is_finite(const am_transform *pose, int joint_count, am_transform root)
{
    // Zero times anything finite is zero.
    float sum = (root.translation.x + root.translation.z + root.rotation.y + root.rotation.w) * 0.0f;
    for (int j = 0; j < joint_count; j++) {
        am_quat q = pose[j].rotation;
        am_vec3 t = pose[j].translation;
        sum += (q.x + q.y + q.z + q.w + t.x + t.y + t.z) * 0.0f;
    }
    return !(sum != 0.0f);
}
