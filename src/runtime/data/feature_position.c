// Joint position relative to the ground root: LMM's f^t for the feet. Other times than now look ahead or back
// along the clip (LMM section 5 asks for future toe positions).
#include "data/feature_kinds.h"

static int dims(const am_channel *channel) { return 3 * channel->time_count; }

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        am_vec3 world = ami_bake_joint(motion, at, channel->role).translation;
        ami_put_axes(out + 3 * t, ami_bake_local_point(motion, frame, world), 3);
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    int joint = target->pose && target->roles ? target->roles->joint[channel->role] : -1;
    if (joint < 0 || channel->time_count != 1 || channel->times[0] != 0.0f) {
        return false; // a pose describes only the present
    }
    ami_put_axes(out, target->pose[joint].translation, 3);
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, 3);
}

const ami_feature_kind ami_feature_position = {
    .uses = AMI_USES_JOINT | AMI_USES_TIMES | AMI_USES_BODY,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
