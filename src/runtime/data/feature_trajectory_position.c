// Trajectory positions: where the ground root is at other times, seen from the root now (LMM's t^t; LHMM's path
// points; past times for history). With three axes y is the hips' height (Responsive 3.2.2, the 33-feature form).
#include "data/feature_kinds.h"

static int dims(const am_channel *channel) { return channel->axes * channel->time_count; }

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    float now = 0.0f;
    if (channel->height == AM_HEIGHT_RELATIVE) {
        now = ami_bake_joint(motion, frame, AM_ROLE_HIPS).translation.y;
    }
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        am_vec3 local = ami_bake_local_point(motion, frame, motion->root_positions[at]);
        local.y = ami_bake_joint(motion, at, AM_ROLE_HIPS).translation.y - now;
        ami_put_axes(out + channel->axes * t, local, channel->axes);
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (!target->trajectory || target->trajectory_count < 1) {
        return false;
    }
    float now = channel->height == AM_HEIGHT_RELATIVE ? ami_query_sample(target, 0.0f).position.y : 0.0f;
    for (int t = 0; t < channel->time_count; t++) {
        am_vec3 world = ami_query_sample(target, channel->times[t]).position;
        am_vec3 away = am_v3_ground(am_v3_sub(world, target->root.translation));
        am_vec3 local = am_quat_unrotate(target->root.rotation, away);
        local.y = world.y - now;
        ami_put_axes(out + channel->axes * t, local, channel->axes);
    }
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, channel->axes);
}

const ami_feature_kind ami_feature_trajectory_position = {
    .uses = AMI_USES_FUTURE | AMI_USES_AXES | AMI_USES_HEIGHT,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
