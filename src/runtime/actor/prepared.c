// What a method prepares once for all its characters: the times at which the future is predicted, how far the body
// extends beyond each joint, and what other files measure: filters, weights, facts, ranges.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "method/latent.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Times

static void add_time(ami_prepared *prepared, float time)
{
    int at = 0;
    while (at < prepared->time_count && prepared->times[at] < time) {
        at++;
    }
    if ((at < prepared->time_count && prepared->times[at] == time) || prepared->time_count == AM_MAX_TRAJECTORY) {
        return;
    }
    memmove(prepared->times + at + 1, prepared->times + at,
            (size_t)(prepared->time_count - at) * sizeof *prepared->times);
    prepared->times[at] = time;
    prepared->time_count++;
}

/// Now, and what the schema's trajectory channels ask for; LMM's three times where there is no schema. Runtime
/// controls may ask for any time: a flow or segment character gets the next 1.5 s in even steps.
static void make_times(ami_prepared *prepared)
{
    enum { steps = 12 };
    add_time(prepared, 0.0f);
    if (ami_is_latent(prepared->source)) {
        for (int i = 1; i <= steps; i++) {
            add_time(prepared, 1.5f * (float)i / (float)steps);
        }
        prepared->first_ahead = 1;
        return;
    }
    const am_schema *schema = prepared->source->db ? prepared->source->db->features.schema : NULL;
    for (int c = 0; schema && c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        for (int t = 0; ami_asks_trajectory(channel) && t < channel->time_count; t++) {
            add_time(prepared, channel->times[t]);
        }
    }
    prepared->past_s = ami_history_longest(prepared->source);
    if (!(prepared->times[prepared->time_count - 1] > 0.0f)) {
        add_time(prepared, 20.0f / 60.0f);
        add_time(prepared, 40.0f / 60.0f);
        add_time(prepared, 1.0f);
    }
    while (prepared->first_ahead < prepared->time_count && !(prepared->times[prepared->first_ahead] > 0.0f)) {
        prepared->first_ahead++;
    }
}

// ---------------------------------------------------------------------------------------------
// Reach

/// Marks a leg and its ancestors: joints that move the feet keep the half-life of the whole body.
static void bar_leg(float *reach, const am_skeleton *skeleton, int hip)
{
    for (int j = hip; j >= 0; j = skeleton->parents[j]) {
        reach[j] = -1.0f;
    }
    for (int j = hip + 1; hip >= 0 && j < skeleton->joint_count; j++) {
        int up = j;
        while (up > hip) {
            up = skeleton->parents[up];
        }
        reach[j] = up == hip ? -1.0f : reach[j];
    }
}

static am_result make_reach(ami_prepared *prepared, am_error *err)
{
    const am_skeleton *skeleton = prepared->source->skeleton;
    const int16_t *joint = prepared->source->roles->joint;
    size_t count = (size_t)skeleton->joint_count;
    prepared->reach = ami_alloc_zero(&prepared->alloc, count * sizeof(float));
    if (!prepared->reach) {
        return ami_fail_memory(err, count * sizeof(float));
    }
    prepared->reach[0] = -1.0f;
    bar_leg(prepared->reach, skeleton, joint[AM_ROLE_LEFT_UP_LEG]);
    bar_leg(prepared->reach, skeleton, joint[AM_ROLE_RIGHT_UP_LEG]);
    for (int j = skeleton->joint_count - 1; j > 0; j--) {
        int parent = skeleton->parents[j];
        if (prepared->reach[parent] >= 0.0f) {
            float beyond = am_max(prepared->reach[j], 0.0f) + am_v3_length(skeleton->offsets[j]);
            prepared->reach[parent] = am_max(prepared->reach[parent], beyond);
        }
    }
    for (size_t j = 0; j < count; j++) {
        prepared->reach[j] = am_max(prepared->reach[j], 0.0f);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

static am_result measure(ami_prepared *prepared, am_error *err)
{
    const am_source *source = prepared->source;
    am_result result = ami_prepared_measure(prepared, err);
    prepared->speeds = ami_intent_def_for(source);
    if (result == AM_OK && source->facts) {
        const am_facts *f = source->facts;
        prepared->limits =
            (ami_path_limits){ f->v_max, f->v_least, f->v_run, f->lateral, f->faster_mps2, f->slower_mps2 };
    } else if (result == AM_OK && source->db) {
        result = ami_path_limits_of(&prepared->limits, source->db, &prepared->alloc, err);
    }
    return result;
}

am_result ami_prepared_create(ami_prepared **out, const am_source *source, const char *const *tags,
                              const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    ami_prepared *prepared = ami_alloc_zero(alloc, sizeof *prepared);
    if (!prepared) {
        return ami_fail_memory(err, sizeof *prepared);
    }
    prepared->alloc = *alloc;
    prepared->source = source;
    make_times(prepared);
    am_result result = make_reach(prepared, err);
    if (result == AM_OK) {
        result = ami_prepared_filters(prepared, tags, err);
    }
    if (result == AM_OK) {
        result = ami_prepared_weigh(prepared, err);
    }
    if (result == AM_OK) {
        result = measure(prepared, err);
    }
    if (result == AM_OK && source->db && source->db->has_poses) {
        result = ami_prepared_ranges(prepared, err);
    }
    if (result == AM_OK) {
        ami_stand_prepare(prepared);
        result = ami_prepared_plant(prepared, err);
    }
    if (result != AM_OK) {
        ami_prepared_destroy(prepared);
        return result;
    }
    *out = prepared;
    return AM_OK;
}

void ami_prepared_destroy(ami_prepared *prepared)
{
    if (prepared) {
        am_alloc alloc = prepared->alloc;
        for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
            ami_filter_destroy(prepared->filters[a]);
            ami_filter_destroy(prepared->stays[a]);
        }
        ami_filter_destroy(prepared->path_filter);
        ami_filter_destroy(prepared->path_stay);
        size_t joints = (size_t)prepared->source->skeleton->joint_count;
        size_t stride = prepared->source->db ? (size_t)prepared->source->db->features.stride : 0;
        ami_release(&alloc, prepared->reach, joints * sizeof(float));
        ami_release(&alloc, prepared->ranges, joints * sizeof *prepared->ranges);
        ami_release(&alloc, prepared->weight_room, 3 * stride * sizeof(float));
        ami_release(&alloc, prepared, sizeof *prepared);
    }
}
