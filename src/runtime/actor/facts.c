// Facts about a database that a character needs: heights of hips, toes and heels, speeds, how far jumps rise.
#include "actor/actor.h"

#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum {
    most_samples = 16384, // frames to sample: enough for a percentile, quick for any database
    most_leaps = 256,
};

/// Sorts the values; 0 without any.
static float quantile(float *values, int count, float share)
{
    ami_sort_floats(values, count);
    return count > 0 ? ami_quantile(values, count, share) : 0.0f;
}

/// Room for the samples of one measure, and how many it has.
typedef struct samples {
    float *values;
    int count;
} samples;

enum { hips_upright, hips_creep, speed_creep, measure_count };

static void take(samples *s, float value)
{
    if (s->count < most_samples && value * 0.0f == 0.0f) {
        s->values[s->count++] = value;
    }
}

static void take_frame(samples *all, const ami_prepared *prepared, int frame, am_transform *pose)
{
    const am_db *db = prepared->source->db;
    am_db_pose(db, frame, pose);
    if (ami_prepared_accepts(prepared, AM_ACTIVITY_MOVE, frame)) {
        take(&all[hips_upright], pose[0].translation.y);
    }
    bool creeps = (prepared->activities >> AM_ACTIVITY_CREEP & 1) != 0;
    if (creeps && ami_prepared_accepts(prepared, AM_ACTIVITY_CREEP, frame)) {
        take(&all[hips_creep], pose[0].translation.y);
        take(&all[speed_creep], am_v3_length(ami_db_root_velocity(db, frame).linear));
    }
}

static float hip_height(const am_db *db, int frame)
{
    am_transform pose[AM_MAX_JOINTS];
    am_db_pose(db, frame, pose);
    return pose[0].translation.y;
}

/// The median over all jumps of how far the hips rise above where the jump begins.
static float leap_rise(const ami_prepared *prepared, float *values)
{
    const am_db *db = prepared->source->db;
    int count = 0;
    if ((prepared->activities >> AM_ACTIVITY_JUMP & 1) == 0) {
        return 0.0f;
    }
    for (int r = 0; r < db->range_count; r++) {
        int f = db->ranges[r].start;
        while (f < db->ranges[r].stop && count < most_leaps) {
            float first = ami_prepared_accepts(prepared, AM_ACTIVITY_JUMP, f) ? hip_height(db, f) : 0.0f;
            float highest = first;
            int begin = f;
            for (; f < db->ranges[r].stop && ami_prepared_accepts(prepared, AM_ACTIVITY_JUMP, f); f++) {
                highest = am_max(highest, hip_height(db, f));
            }
            if (f > begin && (highest - first) * 0.0f == 0.0f) {
                values[count++] = highest - first;
            }
            f = f > begin ? f : f + 1;
        }
    }
    return quantile(values, count, 0.5f);
}

am_result ami_prepared_measure(ami_prepared *prepared, am_error *err)
{
    const am_db *db = prepared->source->db;
    // The facts in a database's file are valid for a character's default tags.
    const am_facts *known = prepared->source->facts  ? prepared->source->facts
                            : db && prepared->stored ? db->facts
                                                     : NULL;
    if (known) {
        uint32_t unmet = prepared->facts.unmet;
        prepared->facts = (am_actor_facts){ .hip_m = known->hip_m,
                                            .creep_hip_m = known->creep_hip_m,
                                            .creep_mps = known->creep_mps,
                                            .jump_rise_m = known->jump_rise_m,
                                            .toe_m = known->toe_m,
                                            .heel_m = known->heel_m,
                                            .unmet = unmet };
        return AM_OK;
    }
    if (!db) {
        return AM_OK;
    }
    size_t each = most_samples;
    float *room = ami_alloc_array(&prepared->alloc, measure_count * each, sizeof *room);
    if (!room) {
        return ami_fail_memory(err, measure_count * each * sizeof *room);
    }
    samples all[measure_count];
    for (int m = 0; m < measure_count; m++) {
        all[m] = (samples){ room + (size_t)m * each, 0 };
    }
    int stride = (db->frame_count + most_samples - 1) / most_samples;
    for (int f = 0; f < db->frame_count; f += stride) {
        am_transform pose[AM_MAX_JOINTS];
        take_frame(all, prepared, f, pose);
    }
    am_actor_facts *facts = &prepared->facts;
    facts->hip_m = quantile(all[hips_upright].values, all[hips_upright].count, 0.5f);
    facts->creep_hip_m = quantile(all[hips_creep].values, all[hips_creep].count, 0.5f);
    facts->creep_mps = quantile(all[speed_creep].values, all[speed_creep].count, 0.5f);
    facts->jump_rise_m = leap_rise(prepared, room);
    ami_release(&prepared->alloc, room, measure_count * each * sizeof *room);
    return ami_db_floor(db, &facts->toe_m, &facts->heel_m, &prepared->alloc, err);
}

// ---------------------------------------------------------------------------------------------
// Speeds for the keys

/// Median speed of the frames with a tag, or `fallback` where they last less than a second.
static float tag_speed(const am_db *db, const char *name, float fallback)
{
    uint64_t bit = 0;
    for (int t = 0; t < db->tag_count; t++) {
        bit |= strcmp(db->tag_names[t], name) == 0 ? (uint64_t)1 << t : 0;
    }
    float values[1024];
    int total = 0;
    for (int f = 0; f < db->frame_count; f++) {
        total += (db->tags[f] & bit) != 0;
    }
    if ((float)total < db->fps) {
        return fallback;
    }
    int stride = (total + 1023) / 1024;
    int seen = 0;
    int count = 0;
    for (int f = 0; f < db->frame_count; f++) {
        if ((db->tags[f] & bit) != 0 && seen++ % stride == 0 && count < 1024) {
            float speed = am_v3_length(ami_db_root_velocity(db, f).linear);
            values[count] = speed;
            count += speed * 0.0f == 0.0f;
        }
    }
    return count > 0 ? quantile(values, count, 0.5f) : fallback;
}

static am_intent_def with_speeds(am_intent_def def, const am_facts *facts)
{
    def.walk_mps = facts->walk_mps;
    def.sprint_mps = facts->sprint_mps;
    def.creep_mps = facts->sneak_mps;
    return def;
}

am_intent_def ami_intent_def_of(const am_db *db)
{
    am_intent_def def = ami_intent_def_default();
    if (db->facts) {
        return with_speeds(def, db->facts);
    }
    def.walk_mps = tag_speed(db, ami_auto_tag_name(AM_TAG_WALK), def.walk_mps);
    def.sprint_mps = tag_speed(db, ami_auto_tag_name(AM_TAG_RUN), def.sprint_mps);
    def.creep_mps = tag_speed(db, ami_auto_tag_name(AM_TAG_CREEP), def.creep_mps);
    return def;
}

am_intent_def ami_intent_def_for(const am_source *source)
{
    am_intent_def def = ami_intent_def_default();
    if (source->facts) {
        return with_speeds(def, source->facts);
    }
    return source->db ? ami_intent_def_of(source->db) : def;
}

am_facts ami_prepared_facts(const ami_prepared *prepared)
{
    const am_actor_facts *f = &prepared->facts;
    const ami_path_limits *limits = &prepared->limits;
    am_intent_def intent = ami_intent_def_for(prepared->source);
    return (am_facts){ .version = AMI_FACTS_VERSION,
                       .activities = prepared->activities,
                       .hip_m = f->hip_m,
                       .creep_hip_m = f->creep_hip_m,
                       .creep_mps = f->creep_mps,
                       .jump_rise_m = f->jump_rise_m,
                       .toe_m = f->toe_m,
                       .heel_m = f->heel_m,
                       .walk_mps = intent.walk_mps,
                       .sprint_mps = intent.sprint_mps,
                       .sneak_mps = intent.creep_mps,
                       .v_max = limits->v_max,
                       .v_least = limits->v_least,
                       .v_run = limits->v_run,
                       .lateral = limits->lateral,
                       .faster_mps2 = limits->faster_mps2,
                       .slower_mps2 = limits->slower_mps2 };
}
