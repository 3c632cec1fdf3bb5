// Where a trained character can begin, and the facts that only the whole database can provide.
#include "train/starts.h"

#include <amble/actor.h>
#include <amble/tools/database.h>
#include <amble/tools/metrics.h>

#include "actor/actor.h"
#include "data/database.h"
#include "method/sources.h"

#include <math.h>
#include <string.h>

static uint64_t tag_bit(const am_db *db, const char *name)
{
    for (int t = 0; t < db->tag_count; t++) {
        if (strcmp(db->tag_names[t], name) == 0) {
            return (uint64_t)1 << t;
        }
    }
    return 0;
}

/// The frame with all of `wanted` and none of `unwanted` whose root moves most nearly at `speed`; -1 without any.
static int find_frame(const am_db *db, uint64_t wanted, uint64_t unwanted, float speed)
{
    int best = -1;
    float best_gap = INFINITY;
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        for (int f = range->start + range->head; f < range->stop - range->tail; f++) {
            if ((db->tags[f] & wanted) != wanted || (db->tags[f] & unwanted) != 0) {
                continue;
            }
            am_velocity v = ami_db_root_velocity(db, f);
            float gap = am_abs(am_v3_length(v.linear) - speed) + 0.2f * am_v3_length(v.angular);
            if (gap < best_gap) {
                best_gap = gap;
                best = f;
            }
        }
    }
    return best;
}

static void add_start(ami_starts *p, const char *name, int frame)
{
    if (frame >= 0 && p->count < AMI_MOST_STARTS) {
        p->frames[p->count] = frame;
        p->names[p->count++] = name;
    }
}

/// How fast the root goes on average over some frames.
static float mean_speed(const am_db *db, int first, int last)
{
    float sum = 0.0f;
    for (int f = first; f < last; f++) {
        sum += am_v3_length(ami_db_root_velocity(db, f).linear);
    }
    return last > first ? sum / (float)(last - first) : 0.0f;
}

/// The same over all frames of a tag.
static float usual_speed(const am_db *db, uint64_t tag)
{
    double sum = 0.0;
    int count = 0;
    for (int f = 0; f < db->frame_count; f++) {
        if (db->tags[f] & tag) {
            sum += (double)am_v3_length(ami_db_root_velocity(db, f).linear);
            count++;
        }
    }
    return count > 0 ? (float)(sum / count) : 0.0f;
}

static float x_apart(const ami_starts *p, int a, int b)
{
    float sum = 0.0f;
    for (int d = 0; d < p->db->features.count; d++) {
        float difference = am_db_x(p->db, a)[d] - am_db_x(p->db, b)[d];
        sum += difference * difference;
    }
    return sum;
}

/// Where a dance begins: in the middle of it, with half as much again as the usual movement a second before and
/// after, not where the dancer waits for the music; among those, as close as possible to standing.
static int find_dance(const ami_starts *p, uint64_t dance, int standing)
{
    const am_db *db = p->db;
    int around = (int)db->fps, found = -1;
    float least = 1.5f * usual_speed(db, dance), best = INFINITY;
    for (int r = 0; r < db->range_count; r++) {
        for (int f = db->ranges[r].start + around; f < db->ranges[r].stop - around; f++) {
            float away = db->tags[f] & dance ? x_apart(p, f, standing) : INFINITY;
            if (away < best && mean_speed(db, f - around, f) > least && mean_speed(db, f, f + around) > least) {
                best = away;
                found = f;
            }
        }
    }
    return found;
}

/// Standing first, then one for each gait that the data have.
static void choose_starts(ami_starts *p)
{
    const am_db *db = p->db;
    const char *names[] = { ami_auto_tag_name(AM_TAG_WALK), ami_auto_tag_name(AM_TAG_RUN),
                            ami_auto_tag_name(AM_TAG_CREEP), ami_auto_tag_name(AM_TAG_JUMP), "dance" };
    uint64_t idle = tag_bit(db, ami_auto_tag_name(AM_TAG_IDLE));
    const float speeds[] = { p->facts.walk_mps, p->facts.sprint_mps, p->facts.creep_mps, p->facts.walk_mps };
    uint64_t dance = tag_bit(db, names[4]), special = tag_bit(db, names[2]) | tag_bit(db, names[3]) | dance;
    int standing = find_frame(db, idle, special, 0.0f);
    standing = standing >= 0 ? standing : find_frame(db, 0, 0, 0.0f);
    add_start(p, "stand", standing >= 0 ? standing : 0);
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        uint64_t bit = tag_bit(db, names[i]);
        add_start(p, names[i], bit ? find_frame(db, bit, i < 2 ? special : dance, speeds[i]) : -1);
    }
    add_start(p, names[4], find_dance(p, dance, p->frames[0]));
}

/// The facts that an asset measures on the whole database.
static am_result ask_asset(ami_starts *p, const am_alloc *alloc, am_error *err)
{
    am_asset *asset = NULL;
    am_asset_def def;
    am_asset_def_init(&def);
    def.alloc = alloc;
    def.db = p->db;
    def.methods = 1u << AM_METHOD_MATCH;
    am_result result = am_asset_create(&asset, &def, err);
    if (result == AM_OK) {
        p->facts = ami_prepared_facts(ami_asset_prepared(asset, AM_METHOD_MATCH));
    }
    am_asset_close(asset);
    return result;
}

static am_result measure(ami_starts *p, const am_alloc *alloc, am_error *err)
{
    am_facts *f = &p->facts;
    am_db_measures own = { 0 };
    am_result result = ask_asset(p, alloc, err);
    result = result == AM_OK ? am_db_measure(&own, p->db, alloc, err) : result;
    f->data_hash = p->db->hash;
    f->foot_slide_cm = (float)own.quality.foot_slide_cm;
    f->skate_share = (float)own.quality.skate_share;
    f->jitter_cm = (float)own.quality.jitter_cm;
    f->penetration_cm = (float)own.quality.penetration_cm;
    f->joint_travel_cm = (float)own.quality.joint_travel_cm;
    f->bend_p999_cm = (float)own.bend_p999_cm;
    return result;
}

am_result ami_starts_find(ami_starts *starts, const am_db *db, const am_alloc *alloc, am_error *err)
{
    *starts = (ami_starts){ .db = db };
    const am_result result = measure(starts, alloc, err);
    if (result == AM_OK) {
        choose_starts(starts);
    }
    return result;
}
