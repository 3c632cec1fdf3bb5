// How much each feature counts in a search: with and without heights, and on a path.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"

static bool is_trajectory(const am_channel *channel)
{
    return channel->kind == AM_FEATURE_TRAJECTORY_POSITION || channel->kind == AM_FEATURE_TRAJECTORY_DIRECTION;
}

// On a path the trajectory counts for more; tuned on the paths of `amble eval paths`.
#define PATH_TRAJECTORY_WEIGHT 1.5f

static bool all_one(const float *weights, int count)
{
    for (int i = 0; i < count; i++) {
        if (weights[i] != 1.0f) {
            return false;
        }
    }
    return true;
}

/// A height shares its channel's deviation with the movement on the ground, next to which it is small. Where heights
/// matter, they are scaled by their own deviation, measured on at least every 64th frame and limited to a factor of
/// 100.
static float own_scale(const am_db *db, int dim)
{
    double sum = 0.0;
    double squares = 0.0;
    int count = 0;
    for (int f = 0; f < db->frame_count; f += 64) {
        double x = (double)am_db_x(db, f)[dim];
        sum += x;
        squares += x * x;
        count++;
    }
    double mean = sum / count;
    double variance = squares / count - mean * mean;
    return variance > 0.01 ? (float)(1.0 / variance) : 100.0f;
}

/// The factor of one dimension's squared difference.
static float weigh(const ami_weighing *how, const am_db *db, int index, int dim, bool high)
{
    const am_channel *channel = &db->features.schema->channels[index];
    bool weighted = how->trajectory > 0.0f || how->pose > 0.0f;
    float weight = !weighted ? 1.0f : is_trajectory(channel) ? how->trajectory : how->pose;
    if (how->channels) {
        // Like the schema's weights, these scale the difference, so its square is scaled by their square.
        weight *= how->channels[index] * how->channels[index];
    }
    bool up = is_trajectory(channel) && channel->axes == 3 && dim % 3 == 1;
    bool place = channel->kind == AM_FEATURE_TRAJECTORY_POSITION;
    // Responsive eq. 13 as printed has one weight for all numbers of the trajectory. With it the hips' bob weighs in
    // ordinary movement, and next to metres on the ground a height hardly counts in a jump.
    return !up || how->printed ? weight
           : !high             ? 0.0f
           : place             ? weight * own_scale(db, channel->first + dim)
                               : weight;
}

bool ami_weighing_matters(const ami_weighing *how)
{
    return how->trajectory > 0.0f || how->pose > 0.0f || how->channels || how->printed;
}

const float *ami_weights_get(const ami_weights *weights, bool high)
{
    return high ? (weights->high_matters ? weights->high : NULL) : (weights->flat_matters ? weights->flat : NULL);
}

void ami_weights_set(ami_weights *out, float *room, const am_db *db, const ami_weighing *how)
{
    const am_features *features = &db->features;
    int stride = features->stride;
    *out = (ami_weights){ .flat = room, .high = room + stride, .path = room + 2 * stride };
    for (int d = 0; d < 3 * stride; d++) {
        room[d] = 1.0f;
    }
    for (int c = 0; c < features->schema->channel_count; c++) {
        const am_channel *channel = &features->schema->channels[c];
        for (int i = 0; i < channel->dims; i++) {
            int d = channel->first + i;
            out->flat[d] = weigh(how, db, c, i, false);
            out->high[d] = weigh(how, db, c, i, true);
            out->path[d] = out->flat[d] * (is_trajectory(channel) ? PATH_TRAJECTORY_WEIGHT : 1.0f);
        }
    }
    // A search without weights is faster.
    out->flat_matters = !all_one(out->flat, stride);
    out->high_matters = !all_one(out->high, stride);
}

am_result ami_prepared_weigh(ami_prepared *prepared, am_error *err)
{
    const am_db *db = prepared->source->db;
    if (!db || db->features.pca) {
        return AM_OK;
    }
    const ami_weighing usual = { 0 };
    size_t count = 3 * (size_t)db->features.stride;
    prepared->weight_room = ami_alloc_array(&prepared->alloc, count, sizeof(float));
    if (!prepared->weight_room) {
        return ami_fail_memory(err, count * sizeof(float));
    }
    ami_weights_set(&prepared->weights, prepared->weight_room, db, &usual);
    return AM_OK;
}

bool ami_asks_trajectory(const am_channel *channel)
{
    return is_trajectory(channel) || channel->kind == AM_FEATURE_HEIGHT;
}
