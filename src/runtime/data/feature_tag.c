// Tags as one-hot features (LMM section 3: "added to the feature vector as one-hot encoded vectors"): gaits and
// the like as a preference rather than the hard limit of a tag query.
#include "data/feature_kinds.h"

#include <stdio.h>

static int dims(const am_channel *channel) { return channel->tag_count; }

static void put_bits(float *out, const am_channel *channel, uint64_t bits)
{
    for (int i = 0; i < channel->tag_count; i++) {
        out[i] = (bits >> channel->tags[i]) & 1u ? 1.0f : 0.0f;
    }
}

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    put_bits(out, channel, motion->tags ? motion->tags[frame] : 0);
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (!target->tags) {
        return false;
    }
    put_bits(out, channel, *target->tags);
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    snprintf(out, size, ".%d", channel->tags[dim]);
}

const ami_feature_kind ami_feature_tag = {
    .uses = AMI_USES_TAGS,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
