// Height of a joint above the floor, now or at other times: distinguishes standing from creeping and jumping without
// the full 3-D trajectory.
#include "data/feature_kinds.h"

static int dims(const am_channel *channel) { return channel->time_count; }

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        out[t] = ami_bake_joint(motion, at, channel->role).translation.y;
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (channel->role == AM_ROLE_HIPS && target->trajectory && target->trajectory_count > 0) {
        for (int t = 0; t < channel->time_count; t++) {
            out[t] = ami_query_sample(target, channel->times[t]).position.y;
        }
        return true;
    }
    int joint = target->pose && target->roles ? target->roles->joint[channel->role] : -1;
    if (joint < 0 || channel->time_count != 1 || channel->times[0] != 0.0f) {
        return false;
    }
    out[0] = target->pose[joint].translation.y;
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, 1);
}

const ami_feature_kind ami_feature_height = {
    .uses = AMI_USES_JOINT | AMI_USES_TIMES,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
