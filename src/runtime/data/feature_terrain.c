// Terrain: height of the ground under the left and the right toe now and at later times, against the hips' height now
// (LMM section 5). Where the ground was is read off the clip itself: the height under a point is that of the nearest
// footprint (LMM appendix D, nearest-neighbour regression, "stepped" terrain).
#include "data/feature_kinds.h"

#include <stdio.h>

static int dims(const am_channel *channel) { return 2 * channel->time_count; }

static float ground_height(const ami_bake *motion, am_vec3 point)
{
    float best = 0.0f; // a stretch without a footprint stands on the floor
    float nearest = 3.4e38f;
    for (int i = 0; i < motion->print_count; i++) {
        float d = am_v3_length2(am_v3_ground(am_v3_sub(motion->prints[i], point)));
        if (d < nearest) { // the earliest print wins a tie
            nearest = d;
            best = motion->prints[i].y - motion->toe_floor;
        }
    }
    return best;
}

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    float hips = ami_bake_joint(motion, frame, AM_ROLE_HIPS).translation.y;
    for (int t = 0; t < channel->time_count; t++) {
        int at = ami_bake_at(motion, frame, channel->times[t]);
        out[2 * t] = ground_height(motion, ami_bake_joint(motion, at, AM_ROLE_LEFT_TOE).translation) - hips;
        out[2 * t + 1] = ground_height(motion, ami_bake_joint(motion, at, AM_ROLE_RIGHT_TOE).translation) - hips;
    }
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    if (!target->terrain) {
        return false;
    }
    for (int i = 0; i < channel->dims; i++) {
        out[i] = target->terrain[i];
    }
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    snprintf(out, size, "@%.3g.%s", (double)channel->times[dim / 2], dim % 2 ? "right" : "left");
}

const ami_feature_kind ami_feature_terrain = {
    .uses = AMI_USES_FUTURE | AMI_USES_FEET,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
