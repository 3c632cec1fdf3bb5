// Custom numbers: whatever the builder is given for each frame (a side file, an array) and the controller supplies
// at run time: chairs, partners, props. Mirrored frames swap and negate them as the channel's "mirror" list says.
#include "data/feature_kinds.h"

#include <stdio.h>

static int dims(const am_channel *channel) { return channel->dims; }

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    for (int i = 0; i < channel->dims; i++) {
        if (!motion->custom) {
            out[i] = 0.0f;
            continue;
        }
        const float *values = motion->custom + (size_t)frame * (size_t)motion->custom_count + channel->custom_first;
        int from = motion->mirrored ? channel->mirror[i] : 0;
        out[i] = from == 0 ? values[i] : from > 0 ? values[from - 1] : -values[-from - 1];
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (!target->custom) {
        return false;
    }
    for (int i = 0; i < channel->dims; i++) {
        out[i] = target->custom[channel->custom_first + i];
    }
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    (void)channel;
    snprintf(out, size, ".%d", dim);
}

const ami_feature_kind ami_feature_custom = {
    .uses = AMI_USES_CUSTOM,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
