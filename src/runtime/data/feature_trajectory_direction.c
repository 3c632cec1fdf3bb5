// Trajectory directions at other times, seen from the root now: the facing (LMM's t^d) or the direction of movement
// (Responsive eq. 2; the papers' errata make it a choice). Unit vectors.
#include "data/feature_kinds.h"

// Below this speed the direction of movement is noise, and the facing replaces it.
#define SLOW_MPS 0.1f

static int dims(const am_channel *channel) { return channel->axes * channel->time_count; }

static am_vec3 flatten(am_vec3 v, int axes) { return axes == 2 ? am_v3_ground(v) : v; }

static am_vec3 facing_at(const ami_bake *motion, int frame, int axes)
{
    am_vec3 forward = am_v3(0.0f, 0.0f, 1.0f);
    if (axes == 2) {
        return am_quat_rotate(motion->root_rotations[frame], forward);
    }
    am_quat rest = motion->rests[motion->slots[AM_ROLE_HIPS]];
    am_quat hips = ami_bake_joint(motion, frame, AM_ROLE_HIPS).rotation;
    return am_quat_rotate(am_quat_mul(hips, am_quat_inv(rest)), forward);
}

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        am_vec3 world = facing_at(motion, at, channel->axes);
        if (channel->direction == AM_TRAJECTORY_VELOCITY) {
            am_vec3 velocity = flatten(ami_bake_velocity(motion, at, AM_ROLE_HIPS), channel->axes);
            float speed = am_v3_length(velocity);
            world = speed >= SLOW_MPS ? am_v3_scale(velocity, 1.0f / speed) : world;
        }
        ami_put_axes(out + channel->axes * t, ami_bake_local_vector(motion, frame, world), channel->axes);
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (!target->trajectory || target->trajectory_count < 1) {
        return false;
    }
    for (int t = 0; t < channel->time_count; t++) {
        am_query_point point = ami_query_sample(target, channel->times[t]);
        am_vec3 world = flatten(point.direction, channel->axes);
        if (channel->direction == AM_TRAJECTORY_VELOCITY) {
            am_vec3 velocity = flatten(point.velocity, channel->axes);
            world = am_v3_length(velocity) >= SLOW_MPS ? velocity : world;
        }
        am_vec3 local = am_quat_unrotate(target->root.rotation, world);
        local = am_v3_normalize_or(local, am_v3(0.0f, 0.0f, 1.0f));
        ami_put_axes(out + channel->axes * t, local, channel->axes);
    }
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, channel->axes);
}

const ami_feature_kind ami_feature_trajectory_direction = {
    .uses = AMI_USES_FUTURE | AMI_USES_AXES | AMI_USES_DIRECTION,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
