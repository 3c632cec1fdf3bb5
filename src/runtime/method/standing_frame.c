// The frame at which a character begins when none is given: the one nearest to standing.
#include "method/match.h"

#include "data/database.h"
#include "data/features.h"
#include "data/index.h"

#include <math.h>
#include <string.h>

/// The features of a standing character, as far as the schema can express them: mean pose, no velocity, no
/// displacement.
static void standing_features(const am_features *features, float *out)
{
    float raw[AM_MAX_FEATURES];
    for (int c = 0; c < features->schema->channel_count; c++) {
        const am_channel *channel = &features->schema->channels[c];
        for (int i = 0; i < channel->dims; i++) {
            int axis = channel->axes > 0 ? i % channel->axes : 0;
            bool height = channel->axes == 3 && axis == 1;
            float mean = features->offset[channel->first + i];
            float value = mean;
            if (channel->kind == AM_FEATURE_VELOCITY ||
                (channel->kind == AM_FEATURE_TRAJECTORY_POSITION && !height)) {
                value = 0.0f;
            } else if (channel->kind == AM_FEATURE_TRAJECTORY_DIRECTION) {
                value = axis == channel->axes - 1 ? 1.0f : 0.0f;
            }
            raw[channel->first + i] = value;
        }
    }
    ami_features_normalise(features, out, raw);
}

int ami_find_standing(const am_db *db, const am_index *index)
{
    float x[AM_MAX_FEATURES + 8];
    standing_features(&db->features, x);
    int best = 0;
    bool best_idle = false;
    float best_cost = INFINITY;
    uint64_t idle = 0;
    for (int t = 0; t < db->tag_count; t++) {
        idle |= strcmp(db->tag_names[t], ami_auto_tag_name(AM_TAG_IDLE)) == 0 ? (uint64_t)1 << t : 0;
    }
    for (int f = 0; f < db->frame_count; f++) {
        bool is_idle = (db->tags[f] & idle) != 0;
        if ((index->offered[f >> 6] >> (f & 63) & 1) == 0 || (best_idle && !is_idle)) {
            continue;
        }
        float cost = ami_index_cost(index, f, x, NULL);
        if (cost < best_cost || (is_idle && !best_idle)) {
            best = f;
            best_cost = cost;
            best_idle = is_idle;
        }
    }
    return best;
}
