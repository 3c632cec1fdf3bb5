// Joint velocity (world velocity, seen from the root's frame): LMM's derivative of f^t for the feet and of h^t for
// the hips.
#include "data/feature_kinds.h"

static int dims(const am_channel *channel) { return 3 * channel->time_count; }

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        am_vec3 world = ami_bake_velocity(motion, at, channel->role);
        ami_put_axes(out + 3 * t, ami_bake_local_vector(motion, frame, world), 3);
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    int joint = target->velocity && target->roles ? target->roles->joint[channel->role] : -1;
    if (joint < 0 || channel->time_count != 1 || channel->times[0] != 0.0f) {
        return false;
    }
    ami_put_axes(out, target->velocity[joint].linear, 3);
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, 3);
}

const ami_feature_kind ami_feature_velocity = {
    .uses = AMI_USES_JOINT | AMI_USES_TIMES | AMI_USES_BODY,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
