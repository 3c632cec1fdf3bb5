/// A database of procedural motion, made in memory: the same on every machine. No test framework here, so that the
/// bits program can use it too.
#ifndef AMBLE_TEST_SYNTH_DB_H
#define AMBLE_TEST_SYNTH_DB_H

#include <amble/tools/tools.h>

#include "data/features.h"
#include <stdlib.h>
#include <string.h>
#include "support/lmm_schema.h"

/// The 33 features of the Responsive paper: LMM's with heights.
static const char synth_db_schema_3d[] =
    "{\"channels\": ["
    "{\"kind\": \"trajectory_position\", \"times\": [0.3333333, 0.6666667, 1], \"axes\": \"xyz\"},"
    "{\"kind\": \"trajectory_direction\", \"times\": [0.3333333, 0.6666667, 1], \"axes\": \"xyz\"},"
    "{\"kind\": \"position\", \"joint\": \"left_foot\"}, {\"kind\": \"position\", \"joint\": \"right_foot\"},"
    "{\"kind\": \"velocity\", \"joint\": \"left_foot\"}, {\"kind\": \"velocity\", \"joint\": \"right_foot\"},"
    "{\"kind\": \"velocity\", \"joint\": \"hips\"}]}";

/// The clips before the sharp corners: golden bits and figures that tests expect are of these.
enum { synth_db_clips = 34, synth_db_tags = AM_AUTO_TAG_COUNT + 1 };

/// One clip and what am_db_clip borrows of it.
typedef struct synth_db_clip {
    am_synth synth;
    am_vec3 *positions;
    am_quat *rotations;
    uint8_t *contacts;
    uint64_t *tags;
} synth_db_clip;

static inline uint64_t synth_db_tag(uint8_t tag)
{
    switch (tag) {
    case AM_SYNTH_TAG_IDLE:
        return (uint64_t)1 << AM_TAG_IDLE;
    case AM_SYNTH_TAG_JOG:
    case AM_SYNTH_TAG_RUN:
        return (uint64_t)1 << AM_TAG_RUN;
    case AM_SYNTH_TAG_TURN:
        return (uint64_t)1 << AM_TAG_TURN;
    case AM_SYNTH_TAG_JUMP:
        return (uint64_t)1 << AM_TAG_JUMP;
    case AM_SYNTH_TAG_CREEP:
        return (uint64_t)1 << AM_TAG_CREEP;
    case AM_SYNTH_TAG_SIT:
        return (uint64_t)1 << AM_AUTO_TAG_COUNT; // stands in for a dance: played through from its best start
    default:
        return (uint64_t)1 << AM_TAG_WALK;
    }
}

static inline bool synth_db_read(synth_db_clip *out, const am_synth_def *def, am_error *err)
{
    if (am_synth_make(&out->synth, def, err) != AM_OK) {
        return false;
    }
    const am_clip *clip = out->synth.clip;
    size_t frames = (size_t)clip->frame_count;
    out->positions = calloc(frames, sizeof *out->positions);
    out->rotations = calloc(frames, sizeof *out->rotations);
    out->contacts = calloc(frames, sizeof *out->contacts);
    out->tags = calloc(frames, sizeof *out->tags);
    am_root_def root = am_root_def_default();
    for (size_t f = 0; f < frames; f++) {
        out->contacts[f] = out->synth.truth[f].contacts & (AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
        out->tags[f] = synth_db_tag(out->synth.truth[f].tag);
    }
    return am_root_track(out->positions, out->rotations, clip, &out->synth.roles, &root, NULL, err) == AM_OK;
}

static inline void synth_db_clip_free(synth_db_clip *clip)
{
    am_synth_free(&clip->synth);
    free(clip->positions);
    free(clip->rotations);
    free(clip->contacts);
    free(clip->tags);
}

/// The schema that a text says, or LMM's for NULL.
static inline bool synth_db_schema(am_schema *out, const char *text, am_error *err)
{
    *out = lmm_schema();
    if (!text) {
        return true;
    }
    am_json_doc *doc = NULL;
    bool good = am_json_parse(&doc, text, strlen(text), "schema", NULL, err) == AM_OK &&
                am_schema_parse(out, doc, am_json_root(doc), err) == AM_OK;
    am_json_free(doc);
    return good;
}

/// A database of some clips of am_synth_all_item, of the first 34 with `which` NULL. The features are what `text`
/// says, LMM's 27 for NULL. NULL with *err filled when it cannot be made.
static inline am_db *synth_db_make_some(const char *text, const int *which, int count, am_error *err)
{
    static const char *const tag_names[synth_db_tags] = { "idle", "walk", "run",    "creep",
                                                          "jump", "turn", "windup", "dance" };
    synth_db_clip clips[synth_db_clips];
    am_db_clip items[synth_db_clips];
    memset(clips, 0, sizeof clips);
    memset(items, 0, sizeof items);
    count = which && count < synth_db_clips ? count : synth_db_clips;
    am_schema schema;
    bool good = synth_db_schema(&schema, text, err);
    for (int i = 0; good && i < count; i++) {
        am_synth_def def = am_synth_all_item(which ? which[i] : i, 1);
        good = synth_db_read(&clips[i], &def, err);
        items[i] = (am_db_clip){ .clip = clips[i].synth.clip,
                                 .root_positions = clips[i].positions,
                                 .root_rotations = clips[i].rotations,
                                 .contacts = clips[i].contacts,
                                 .tags = clips[i].tags,
                                 .source = i,
                                 .tail = 20 };
    }
    am_db_def def = am_db_def_default();
    def.clips = items;
    def.clip_count = count;
    def.roles = clips[0].synth.roles;
    def.schema = &schema;
    def.tag_names = tag_names;
    def.tag_count = synth_db_tags;
    def.name = "synth";
    am_db *db = NULL;
    if (good && am_db_create(&db, &def, err) != AM_OK) {
        db = NULL;
    }
    for (int i = 0; i < count; i++) {
        synth_db_clip_free(&clips[i]);
    }
    return db;
}

/// All 34 clips: 20,944 frames.
static inline am_db *synth_db_make_of(const char *text, am_error *err)
{
    return synth_db_make_some(text, NULL, 0, err);
}

/// Standing, three walks and a run, 2,645 frames: enough to train on where what is learnt does not matter.
static inline am_db *synth_db_make_few(am_error *err)
{
    static const int which[5] = { 0, 1, 3, 8, 25 };
    return synth_db_make_some(NULL, which, 5, err);
}

/// `high`: with heights (33 features), else LMM's 27.
static inline am_db *synth_db_make(bool high, am_error *err)
{
    return synth_db_make_of(high ? synth_db_schema_3d : NULL, err);
}

#endif
