// The frames that each activity may use: by the tags that the def or the database names, and of those the frames at
// which the activity may begin.
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

am_result ami_prepared_filters(ami_prepared *prepared, const char *const *words, am_error *err)
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
