// Makes queries: every channel converts the controller's target into its features, which are then scaled like the
// stored rows.
#include "data/feature_kinds.h"

ami_query ami_query_default(void)
{
    ami_query query = { .root = am_transform_identity(), .cookie = AM_COOKIE };
    return query;
}

am_query_point ami_query_sample(const ami_query *query, float time)
{
    const am_query_point *points = query->trajectory;
    int count = query->trajectory_count;
    int after = 0;
    while (after < count && points[after].time < time) {
        after++;
    }
    if (after == 0 || (after < count && points[after].time == time)) {
        return points[after];
    }
    if (after == count) {
        return points[count - 1];
    }
    const am_query_point *a = &points[after - 1];
    const am_query_point *b = &points[after];
    float t = (time - a->time) / (b->time - a->time); // a->time < time < b->time
    am_query_point point = {
        time,
        am_v3_lerp(a->position, b->position, t),
        am_v3_lerp(a->direction, b->direction, t),
        am_v3_lerp(a->velocity, b->velocity, t),
    };
    return point;
}

void ami_query_raw(const am_schema *schema, float *raw, const ami_query *query)
{
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        float *out = raw + channel->first;
        if (ami_feature_of(channel->kind)->query(out, channel, query)) {
            continue;
        }
        for (int i = 0; i < channel->dims; i++) {
            out[i] = query->current ? query->current[channel->first + i] : 0.0f;
        }
    }
}

void ami_features_move_feet(const am_schema *schema, float *raw, const am_vec3 *feet)
{
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        bool left = channel->role == AM_ROLE_LEFT_FOOT || channel->role == AM_ROLE_LEFT_TOE;
        bool right = channel->role == AM_ROLE_RIGHT_FOOT || channel->role == AM_ROLE_RIGHT_TOE;
        if (channel->kind == AM_FEATURE_POSITION && (left || right)) {
            const am_vec3 *moved = &feet[right];
            raw[channel->first] += moved->x;
            raw[channel->first + 1] += moved->y;
            raw[channel->first + 2] += moved->z;
        }
    }
}

void ami_query_make(const am_features *features, float *out, const ami_query *query)
{
    float raw[AM_MAX_FEATURES];
    ami_query_raw(features->schema, raw, query);
    ami_features_normalise(features, out, raw);
}
