// What a method prepares once for all its characters: the frames that each activity may use, the weights of features
// with and without heights, and the times at which the future is predicted.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/format.h"
#include "data/index.h"

#include <stdio.h>
#include <string.h>

bool ami_kit_accepts(const ami_kit *kit, am_activity activity, int frame)
{
    const am_db *db = kit->source->db;
    return !db || frame < 0 || am_tag_query_accepts(&kit->queries[activity], db->tags[frame]);
}

// ---------------------------------------------------------------------------------------------
// Filters

static const char *tag_of(am_activity activity)
{
    return activity == AM_ACTIVITY_STAND ? am_auto_tag_name(AM_TAG_IDLE) : am_activity_name(activity);
}

static bool has_tag(const am_db *db, const char *name)
{
    for (int t = 0; t < db->tag_count; t++) {
        if (strcmp(db->tag_names[t], name) == 0) {
            return true;
        }
    }
    return false;
}

/// The tags of a def, or what the database itself suggests; "" when the activity is not available.
static void tag_words(char *out, size_t size, const am_db *db, am_activity activity, const char *words)
{
    out[0] = '\0';
    if (words) {
        snprintf(out, size, "%s", words);
        return;
    }
    bool creep = has_tag(db, tag_of(AM_ACTIVITY_CREEP));
    bool jump = has_tag(db, tag_of(AM_ACTIVITY_JUMP));
    bool dance = has_tag(db, tag_of(AM_ACTIVITY_DANCE));
    if (activity == AM_ACTIVITY_MOVE) {
        const char *parts[3] = { creep ? "not creep" : NULL, jump ? "not jump" : NULL, dance ? "not dance" : NULL };
        size_t at = 0;
        for (int i = 0; i < 3; i++) {
            if (parts[i] && at < size) {
                at += (size_t)snprintf(out + at, size - at, "%s%s", at > 0 ? " and " : "", parts[i]);
            }
        }
    } else if (activity == AM_ACTIVITY_STAND && has_tag(db, tag_of(AM_ACTIVITY_STAND))) {
        // Crouching and landing are not standing.
        snprintf(out, size, "idle%s%s%s", creep ? " and not creep" : "", jump ? " and not jump" : "",
                 dance ? " and not dance" : "");
    } else if (has_tag(db, tag_of(activity))) {
        snprintf(out, size, "%s", tag_of(activity));
    }
}

// A fixed motion may begin where at least this much of it remains.
#define DANCE_LEAST_S 2.0f
#define STAND_LEAST_S 1.0f
#define STAND_DRIFT_M 0.05f // within that time
#define PUSH_OFF_S 0.1f     // at least, of a jump before its flight
#define STAND_TURN_RAD (6.0f * AM_DEG)
// A character that lands on a frame may play on for this long: two searches, so that leaving is rarely forced.
#define MOVE_LEAST_S 0.35f

/// Number of consecutive frames from `frame` on, within its range, that belong to the activity.
static int lasting(const ami_kit *kit, am_activity activity, int frame, int stop)
{
    int f = frame;
    while (f < stop && ami_kit_accepts(kit, activity, f)) {
        f++;
    }
    return f - frame;
}

/// A jump begins on the ground with time to push off before its flight.
static bool leaps_ahead(const am_db *db, int frame, int stop)
{
    int push = (int)(PUSH_OFF_S * db->fps + 0.5f);
    for (int f = frame; f < stop; f++) {
        if (db->contacts[f] == 0) {
            return f - frame >= push;
        }
    }
    return false;
}

/// Keeps in the mask only the frames at which the activity may begin. Standing must also stay in place.
static void keep_beginnings(const ami_kit *kit, am_activity activity, uint8_t *mask)
{
    const am_db *db = kit->source->db;
    float least = activity == AM_ACTIVITY_DANCE   ? DANCE_LEAST_S
                  : activity == AM_ACTIVITY_STAND ? STAND_LEAST_S
                                                  : MOVE_LEAST_S;
    int ahead = (int)(least * db->fps);
    bool lasts = activity == AM_ACTIVITY_MOVE || activity == AM_ACTIVITY_CREEP; // the end of the clip does not end it
    for (int r = 0; r < db->range_count; r++) {
        int last = db->ranges[r].stop;
        for (int f = db->ranges[r].start; f < last;) {
            int stop = f + lasting(kit, activity, f, last);
            for (int g = f; g < stop; g++) {
                bool begins = g + ahead < stop || (lasts && stop == last);
                if (activity == AM_ACTIVITY_JUMP) {
                    begins = leaps_ahead(db, g, stop);
                } else if (activity == AM_ACTIVITY_STAND && begins) {
                    begins = am_v3_distance(db->root_positions[g], db->root_positions[g + ahead]) < STAND_DRIFT_M &&
                             am_quat_angle(db->root_rotations[g], db->root_rotations[g + ahead]) < STAND_TURN_RAD;
                }
                mask[g] = begins;
            }
            f = stop > f ? stop : f + 1;
        }
    }
}

/// The filter of an activity that plays through: the frames at which it may begin, or all of its frames when there
/// are none.
static am_result make_beginnings(ami_kit *kit, am_activity activity, bool *fell_back, am_error *err)
{
    size_t size = (size_t)kit->source->db->frame_count;
    uint8_t *mask = ami_alloc_zero(&kit->alloc, size);
    if (!mask) {
        return ami_fail_memory(err, size);
    }
    keep_beginnings(kit, activity, mask);
    am_result result =
        am_filter_create_mask(&kit->filters[activity], kit->source->index, mask, fell_back, &kit->alloc, err);
    ami_release(&kit->alloc, mask, size);
    return result;
}

_Static_assert(AMI_SLOT_BEGIN + AM_ACTIVITY_COUNT == AMI_SLOT_STAY_MOVE, "a filter in the file for each activity");

/// The filter of an activity from the database's file.
static am_result take_filter(ami_kit *kit, am_activity activity, am_error *err)
{
    const am_index *index = kit->source->index;
    int stay = activity == AM_ACTIVITY_MOVE    ? AMI_SLOT_STAY_MOVE
               : activity == AM_ACTIVITY_CREEP ? AMI_SLOT_STAY_CREEP
                                               : AMI_SLOT_COUNT;
    am_result result =
        ami_filter_stored(&kit->filters[activity], index, AMI_SLOT_BEGIN + (int)activity, &kit->alloc, err);
    if (result == AM_OK && stay != AMI_SLOT_COUNT) {
        result = ami_filter_stored(&kit->stays[activity], index, stay, &kit->alloc, err);
    }
    if (kit->filters[activity]) {
        kit->activities |= 1u << activity;
    } else if (result == AM_OK) {
        result = am_db_tag_query(kit->source->db, &kit->queries[activity], "", err);
    }
    return result;
}

static am_result make_filter(ami_kit *kit, am_activity activity, const char *words, am_error *err)
{
    const am_db *db = kit->source->db;
    char text[512];
    if (words && strlen(words) >= sizeof text) {
        return ami_fail(err, AM_ERR_LIMIT, "a tag query may have %d characters at most", (int)sizeof text - 1);
    }
    tag_words(text, sizeof text, db, activity, words);
    am_result result = am_db_tag_query(db, &kit->queries[activity], text, err);
    if (result != AM_OK) {
        return result;
    }
    if (text[0] == '\0') {
        return AM_OK; // ordinary movement with every frame, or an activity that is not available
    }
    if (kit->stored) {
        return take_filter(kit, activity, err);
    }
    bool fell_back = true;
    bool lasts = activity == AM_ACTIVITY_MOVE || activity == AM_ACTIVITY_CREEP;
    result = make_beginnings(kit, activity, &fell_back, err);
    if (result == AM_OK && !fell_back) {
        kit->activities |= 1u << activity;
        return !lasts ? AM_OK
                      : am_filter_create(&kit->stays[activity], kit->source->index, &kit->queries[activity],
                                         &fell_back, &kit->alloc, err);
    }
    am_filter_destroy(kit->filters[activity]);
    kit->filters[activity] = NULL;
    if (result != AM_OK) {
        return result;
    }
    result = am_filter_create(&kit->filters[activity], kit->source->index, &kit->queries[activity], &fell_back,
                              &kit->alloc, err);
    if (result == AM_OK && fell_back) {
        // No frame has these tags: movement uses every frame, a special activity is left out.
        kit->facts.unmet |= words ? 1u << activity : 0;
        am_filter_destroy(kit->filters[activity]);
        kit->filters[activity] = NULL;
        am_error unused = { 0 };
        am_db_tag_query(db, &kit->queries[activity], "", &unused);
        return AM_OK;
    }
    if (result == AM_OK) {
        kit->activities |= 1u << activity;
    }
    return result;
}

/// The tags that the schema of a source without frames can express.
static uint64_t heard_tags(const am_db *db)
{
    const am_schema *schema = db->features.schema;
    uint64_t heard = 0;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        for (int t = 0; channel->kind == AM_FEATURE_TAG && t < channel->tag_count; t++) {
            heard |= (uint64_t)1 << channel->tags[t];
        }
    }
    return heard;
}

/// A source without frames has the activities of its data, as far as its features can ask for them: standing is a
/// target without velocity, the others are asked for by their tags.
static am_result make_targets(ami_kit *kit, const char *const *words, am_error *err)
{
    const am_source *source = kit->source;
    uint64_t heard = heard_tags(source->db);
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        const char *tag = tag_of((am_activity)a);
        uint64_t bit = 0;
        for (int t = 0; t < source->db->tag_count; t++) {
            bit |= strcmp(source->db->tag_names[t], tag) == 0 ? (uint64_t)1 << t : 0;
        }
        bool known = !source->facts || (source->facts->activities >> a & 1) != 0;
        bool asked = (bit & heard) != 0;
        if (a != AM_ACTIVITY_MOVE && known && (asked || a == AM_ACTIVITY_STAND)) {
            kit->activities |= 1u << a;
            kit->wanted[a] = bit & heard;
        }
        kit->facts.unmet |= words[a] && words[a][0] ? 1u << a : 0;
        am_result result = am_db_tag_query(source->db, &kit->queries[a], asked ? tag : "", err);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

static am_result make_filters(ami_kit *kit, const char *const *words, am_error *err)
{
    kit->activities = 1u << AM_ACTIVITY_MOVE;
    if (!kit->source->db || !kit->source->index) {
        return kit->source->db ? make_targets(kit, words, err) : AM_OK;
    }
    kit->stored = ami_filters_stored(kit->source->index);
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        kit->stored = kit->stored && !words[a];
    }
    am_result result = AM_OK;
    for (int a = 0; result == AM_OK && a < AM_ACTIVITY_COUNT; a++) {
        result = make_filter(kit, (am_activity)a, words[a], err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Weights and times

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
    return !up ? weight : !high ? 0.0f : place ? weight * own_scale(db, channel->first + dim) : weight;
}

bool ami_weighing_matters(const ami_weighing *how)
{
    return how->trajectory > 0.0f || how->pose > 0.0f || how->channels;
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

static am_result make_weights(ami_kit *kit, am_error *err)
{
    const am_db *db = kit->source->db;
    if (!db || db->features.pca) {
        return AM_OK;
    }
    const ami_weighing usual = { 0 };
    size_t count = 3 * (size_t)db->features.stride;
    kit->weight_room = ami_alloc_array(&kit->alloc, count, sizeof(float));
    if (!kit->weight_room) {
        return ami_fail_memory(err, count * sizeof(float));
    }
    ami_weights_set(&kit->weights, kit->weight_room, db, &usual);
    return AM_OK;
}

bool ami_asks_trajectory(const am_channel *channel)
{
    return is_trajectory(channel) || channel->kind == AM_FEATURE_HEIGHT;
}

static void add_time(ami_kit *kit, float time)
{
    int at = 0;
    while (at < kit->time_count && kit->times[at] < time) {
        at++;
    }
    if ((at < kit->time_count && kit->times[at] == time) || kit->time_count == AM_MAX_TRAJECTORY) {
        return;
    }
    memmove(kit->times + at + 1, kit->times + at, (size_t)(kit->time_count - at) * sizeof *kit->times);
    kit->times[at] = time;
    kit->time_count++;
}

/// Now, and what the schema's trajectory channels ask for; LMM's three times where there is no schema.
static void make_times(ami_kit *kit)
{
    add_time(kit, 0.0f);
    const am_schema *schema = kit->source->db ? kit->source->db->features.schema : NULL;
    for (int c = 0; schema && c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        for (int t = 0; ami_asks_trajectory(channel) && t < channel->time_count; t++) {
            add_time(kit, channel->times[t]);
        }
    }
    kit->past_s = ami_history_longest(kit->source);
    if (!(kit->times[kit->time_count - 1] > 0.0f)) {
        add_time(kit, 20.0f / 60.0f);
        add_time(kit, 40.0f / 60.0f);
        add_time(kit, 1.0f);
    }
    while (kit->first_ahead < kit->time_count && !(kit->times[kit->first_ahead] > 0.0f)) {
        kit->first_ahead++;
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

static am_result make_reach(ami_kit *kit, am_error *err)
{
    const am_skeleton *skeleton = kit->source->skeleton;
    const int16_t *joint = kit->source->roles->joint;
    size_t count = (size_t)skeleton->joint_count;
    kit->reach = ami_alloc_zero(&kit->alloc, count * sizeof(float));
    if (!kit->reach) {
        return ami_fail_memory(err, count * sizeof(float));
    }
    kit->reach[0] = -1.0f;
    bar_leg(kit->reach, skeleton, joint[AM_ROLE_LEFT_UP_LEG]);
    bar_leg(kit->reach, skeleton, joint[AM_ROLE_RIGHT_UP_LEG]);
    for (int j = skeleton->joint_count - 1; j > 0; j--) {
        int parent = skeleton->parents[j];
        if (kit->reach[parent] >= 0.0f) {
            float beyond = am_max(kit->reach[j], 0.0f) + am_v3_length(skeleton->offsets[j]);
            kit->reach[parent] = am_max(kit->reach[parent], beyond);
        }
    }
    for (size_t j = 0; j < count; j++) {
        kit->reach[j] = am_max(kit->reach[j], 0.0f);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

static am_result measure(ami_kit *kit, am_error *err)
{
    const am_source *source = kit->source;
    am_result result = ami_kit_measure(kit, err);
    kit->speeds = am_intent_def_for(source);
    if (result == AM_OK && source->facts) {
        const am_facts *f = source->facts;
        kit->limits = (am_path_limits){ f->v_max, f->v_least, f->v_run, f->lateral, f->faster_mps2, f->slower_mps2 };
    } else if (result == AM_OK && source->db) {
        result = am_path_limits_of(&kit->limits, source->db, &kit->alloc, err);
    }
    return result;
}

am_result ami_kit_create(ami_kit **out, const am_source *source, const char *const *tags, const am_alloc *alloc,
                         am_error *err)
{
    *out = NULL;
    ami_kit *kit = ami_alloc_zero(alloc, sizeof *kit);
    if (!kit) {
        return ami_fail_memory(err, sizeof *kit);
    }
    kit->alloc = *alloc;
    kit->source = source;
    make_times(kit);
    am_result result = make_reach(kit, err);
    if (result == AM_OK) {
        result = make_filters(kit, tags, err);
    }
    if (result == AM_OK) {
        result = make_weights(kit, err);
    }
    if (result == AM_OK) {
        result = measure(kit, err);
    }
    if (result == AM_OK && source->db && source->db->has_poses) {
        result = ami_kit_ranges(kit, err);
    }
    if (result == AM_OK) {
        result = ami_kit_plant(kit, err);
    }
    if (result != AM_OK) {
        ami_kit_destroy(kit);
        return result;
    }
    *out = kit;
    return AM_OK;
}

void ami_kit_destroy(ami_kit *kit)
{
    if (kit) {
        am_alloc alloc = kit->alloc;
        for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
            am_filter_destroy(kit->filters[a]);
            am_filter_destroy(kit->stays[a]);
        }
        am_filter_destroy(kit->path_filter);
        am_filter_destroy(kit->path_stay);
        size_t joints = (size_t)kit->source->skeleton->joint_count;
        size_t stride = kit->source->db ? (size_t)kit->source->db->features.stride : 0;
        ami_release(&alloc, kit->reach, joints * sizeof(float));
        ami_release(&alloc, kit->ranges, joints * sizeof *kit->ranges);
        ami_release(&alloc, kit->weight_room, 3 * stride * sizeof(float));
        ami_release(&alloc, kit, sizeof *kit);
    }
}
