// What a method prepares once for all its characters: the frames that each activity may use, the weights of features
// with and without heights, and the times at which the future is predicted.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/format.h"
#include "data/index.h"

#include <stdio.h>
#include <string.h>

bool ami_prepared_accepts(const ami_prepared *prepared, am_activity activity, int frame)
{
    const am_db *db = prepared->source->db;
    return !db || frame < 0 || ami_tag_query_accepts(&prepared->queries[activity], db->tags[frame]);
}

// ---------------------------------------------------------------------------------------------
// Filters

static const char *tag_of(am_activity activity)
{
    return activity == AM_ACTIVITY_STAND ? ami_auto_tag_name(AM_TAG_IDLE) : am_activity_name(activity);
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
    bool windup = has_tag(db, ami_auto_tag_name(AM_TAG_WINDUP));
    if (activity == AM_ACTIVITY_MOVE) {
        const char *parts[4] = { creep ? "not creep" : NULL, jump ? "not jump" : NULL, dance ? "not dance" : NULL,
                                 windup ? "not windup" : NULL };
        size_t at = 0;
        for (int i = 0; i < 4; i++) {
            if (parts[i] && at < size) {
                at += (size_t)snprintf(out + at, size - at, "%s%s", at > 0 ? " and " : "", parts[i]);
            }
        }
    } else if (activity == AM_ACTIVITY_STAND && has_tag(db, tag_of(AM_ACTIVITY_STAND))) {
        // Crouching and landing are not standing.
        snprintf(out, size, "idle%s%s%s%s", creep ? " and not creep" : "", jump ? " and not jump" : "",
                 dance ? " and not dance" : "", windup ? " and not windup" : "");
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
// Ordinary movement that leads to a jump or a crouch is not entered so shortly before it.
#define PHASE_LEAST_S 0.8f

/// Number of consecutive frames from `frame` on, within its range, that belong to the activity.
static int lasting(const ami_prepared *prepared, am_activity activity, int frame, int stop)
{
    int f = frame;
    while (f < stop && ami_prepared_accepts(prepared, activity, f)) {
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

/// The tags of jumps and wind-ups.
static uint64_t phase_tags(const am_db *db)
{
    uint64_t bits = 0;
    for (int t = 0; t < db->tag_count; t++) {
        bool phase = strcmp(db->tag_names[t], ami_auto_tag_name(AM_TAG_JUMP)) == 0 ||
                     strcmp(db->tag_names[t], ami_auto_tag_name(AM_TAG_WINDUP)) == 0;
        bits |= phase ? (uint64_t)1 << t : 0;
    }
    return bits;
}

/// Keeps in the mask only the frames at which the activity may begin. Standing must also stay in place.
static void keep_beginnings(const ami_prepared *prepared, am_activity activity, uint8_t *mask)
{
    const am_db *db = prepared->source->db;
    float least = activity == AM_ACTIVITY_DANCE   ? DANCE_LEAST_S
                  : activity == AM_ACTIVITY_STAND ? STAND_LEAST_S
                                                  : MOVE_LEAST_S;
    int ahead = (int)(least * db->fps);
    int phase_ahead = activity == AM_ACTIVITY_MOVE ? (int)(PHASE_LEAST_S * db->fps) : 0;
    uint64_t phases = phase_tags(db);
    bool lasts = activity == AM_ACTIVITY_MOVE || activity == AM_ACTIVITY_CREEP; // the end of the clip does not end it
    for (int r = 0; r < db->range_count; r++) {
        int last = db->ranges[r].stop;
        for (int f = db->ranges[r].start; f < last;) {
            int stop = f + lasting(prepared, activity, f, last);
            int lead = stop < last && (db->tags[stop] & phases) != 0 && phase_ahead > ahead ? phase_ahead : ahead;
            for (int g = f; g < stop; g++) {
                bool begins = g + lead < stop || (lasts && stop == last);
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
static am_result make_beginnings(ami_prepared *prepared, am_activity activity, bool *fell_back, am_error *err)
{
    size_t size = (size_t)prepared->source->db->frame_count;
    uint8_t *mask = ami_alloc_zero(&prepared->alloc, size);
    if (!mask) {
        return ami_fail_memory(err, size);
    }
    keep_beginnings(prepared, activity, mask);
    am_result result = ami_filter_create_mask(&prepared->filters[activity], prepared->source->index, mask, fell_back,
                                              &prepared->alloc, err);
    ami_release(&prepared->alloc, mask, size);
    return result;
}

_Static_assert(AMI_SLOT_BEGIN + AM_ACTIVITY_COUNT == AMI_SLOT_STAY_MOVE, "a filter in the file for each activity");

/// The filter of an activity from the database's file.
static am_result take_filter(ami_prepared *prepared, am_activity activity, am_error *err)
{
    const am_index *index = prepared->source->index;
    int stay = activity == AM_ACTIVITY_MOVE    ? AMI_SLOT_STAY_MOVE
               : activity == AM_ACTIVITY_CREEP ? AMI_SLOT_STAY_CREEP
                                               : AMI_SLOT_COUNT;
    am_result result =
        ami_filter_stored(&prepared->filters[activity], index, AMI_SLOT_BEGIN + (int)activity, &prepared->alloc, err);
    if (result == AM_OK && stay != AMI_SLOT_COUNT) {
        result = ami_filter_stored(&prepared->stays[activity], index, stay, &prepared->alloc, err);
    }
    if (prepared->filters[activity]) {
        prepared->activities |= 1u << activity;
    } else if (result == AM_OK) {
        result = ami_db_tag_query(prepared->source->db, &prepared->queries[activity], "", err);
    }
    return result;
}

static am_result make_filter(ami_prepared *prepared, am_activity activity, const char *words, am_error *err)
{
    const am_db *db = prepared->source->db;
    char text[512];
    if (words && strlen(words) >= sizeof text) {
        return ami_fail(err, AM_ERR_LIMIT, "a tag query may have %d characters at most", (int)sizeof text - 1);
    }
    tag_words(text, sizeof text, db, activity, words);
    am_result result = ami_db_tag_query(db, &prepared->queries[activity], text, err);
    if (result != AM_OK) {
        return result;
    }
    if (text[0] == '\0') {
        return AM_OK; // ordinary movement with every frame, or an activity that is not available
    }
    if (prepared->stored) {
        return take_filter(prepared, activity, err);
    }
    bool fell_back = true;
    bool lasts = activity == AM_ACTIVITY_MOVE || activity == AM_ACTIVITY_CREEP;
    result = make_beginnings(prepared, activity, &fell_back, err);
    if (result == AM_OK && !fell_back) {
        prepared->activities |= 1u << activity;
        return !lasts ? AM_OK
                      : ami_filter_create(&prepared->stays[activity], prepared->source->index,
                                          &prepared->queries[activity], &fell_back, &prepared->alloc, err);
    }
    ami_filter_destroy(prepared->filters[activity]);
    prepared->filters[activity] = NULL;
    if (result != AM_OK) {
        return result;
    }
    result = ami_filter_create(&prepared->filters[activity], prepared->source->index, &prepared->queries[activity],
                               &fell_back, &prepared->alloc, err);
    if (result == AM_OK && fell_back) {
        // No frame has these tags: movement uses every frame, a special activity is left out.
        prepared->facts.unmet |= words ? 1u << activity : 0;
        ami_filter_destroy(prepared->filters[activity]);
        prepared->filters[activity] = NULL;
        am_error unused = { 0 };
        ami_db_tag_query(db, &prepared->queries[activity], "", &unused);
        return AM_OK;
    }
    if (result == AM_OK) {
        prepared->activities |= 1u << activity;
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
static am_result make_targets(ami_prepared *prepared, const char *const *words, am_error *err)
{
    const am_source *source = prepared->source;
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
            prepared->activities |= 1u << a;
            prepared->wanted[a] = bit & heard;
        }
        prepared->facts.unmet |= words[a] && words[a][0] ? 1u << a : 0;
        am_result result = ami_db_tag_query(source->db, &prepared->queries[a], asked ? tag : "", err);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

static am_result make_filters(ami_prepared *prepared, const char *const *words, am_error *err)
{
    prepared->activities = 1u << AM_ACTIVITY_MOVE;
    if (!prepared->source->db || !prepared->source->index) {
        return prepared->source->db ? make_targets(prepared, words, err) : AM_OK;
    }
    prepared->stored = ami_filters_stored(prepared->source->index);
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        prepared->stored = prepared->stored && !words[a];
    }
    am_result result = AM_OK;
    for (int a = 0; result == AM_OK && a < AM_ACTIVITY_COUNT; a++) {
        result = make_filter(prepared, (am_activity)a, words[a], err);
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

static am_result make_weights(ami_prepared *prepared, am_error *err)
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

/// Now, and what the schema's trajectory channels ask for; LMM's three times where there is no schema.
static void make_times(ami_prepared *prepared)
{
    add_time(prepared, 0.0f);
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
        result = make_filters(prepared, tags, err);
    }
    if (result == AM_OK) {
        result = make_weights(prepared, err);
    }
    if (result == AM_OK) {
        result = measure(prepared, err);
    }
    if (result == AM_OK && source->db && source->db->has_poses) {
        result = ami_prepared_ranges(prepared, err);
    }
    if (result == AM_OK) {
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
