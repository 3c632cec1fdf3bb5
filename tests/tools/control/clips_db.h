/// A database of four clips at 60 Hz whose places can be computed by hand. The hips are 1 m above the root.
/// - 01_01: 241 frames. Walks 2 m along +z at 1 m/s, then stands; faces +z. Tags: walk until 2 s, idle after;
///   jump from 1 to 1.5 s and from 3 to 3.5 s; grasp at 2.5 s
/// - 01_02: 121 frames. Runs along +x at 2 m/s, faces +x. Tags: run, drunk. Frame 10 on of a file at 120 Hz
/// - 01_02_m: its mirror image along -x
/// - 02_01-a: 61 frames. Stands at (3, 0, 4), faces -z. Tags: idle, chair; seated from 0.2 to 0.9 s
#ifndef AMBLE_TEST_CONTROL_CLIPS_DB_H
#define AMBLE_TEST_CONTROL_CLIPS_DB_H

#include "control/training.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/refuse.h"

#include "data/features.h"
#include "support/lmm_schema.h"

enum { tag_drunk = AM_AUTO_TAG_COUNT, tag_chair, tag_box, tag_seated, tag_grasp, clips_tags };

typedef struct clips_one {
    am_clip *clip;
    am_vec3 positions[256];
    am_quat rotations[256];
    uint64_t tags[256];
} clips_one;

static inline am_transform clips_root(int clip, float t)
{
    static const float headings[] = { 0.0f, 0.5f * AM_PI, -0.5f * AM_PI, AM_PI };
    const am_vec3 places[] = { { 0, 0, t < 2.0f ? t : 2.0f }, { 2.0f * t, 0, 0 }, { -2.0f * t, 0, 0 }, { 3, 0, 4 } };
    return (am_transform){ am_quat_from_heading(headings[clip]), places[clip] };
}

static inline uint64_t clips_tag(int clip, int frame)
{
    uint64_t tags = 0;
    if (clip == 0) {
        tags |= (uint64_t)1 << (frame <= 120 ? AM_TAG_WALK : AM_TAG_IDLE);
        tags |= frame == 150 ? (uint64_t)1 << tag_grasp : 0;
        tags |= (frame >= 60 && frame <= 90) || (frame >= 180 && frame <= 210) ? (uint64_t)1 << AM_TAG_JUMP : 0;
    } else if (clip == 3) {
        tags = (uint64_t)1 << AM_TAG_IDLE | (uint64_t)1 << tag_chair;
        tags |= frame >= 12 && frame <= 54 ? (uint64_t)1 << tag_seated : 0;
    } else {
        tags = (uint64_t)1 << AM_TAG_RUN | (uint64_t)1 << tag_drunk;
    }
    return tags;
}

static inline void clips_make(clips_one *out, int number, int frames)
{
    out->clip = test_walker(frames);
    for (int f = 0; f < frames; f++) {
        am_transform root = clips_root(number, (float)f / 60.0f);
        out->positions[f] = root.translation;
        out->rotations[f] = root.rotation;
        out->tags[f] = clips_tag(number, f);
        out->clip->translations[f] = am_v3_add(root.translation, am_v3(0.0f, 1.0f, 0.0f));
        out->clip->rotations[f * out->clip->skeleton->joint_count] = root.rotation;
    }
}

static inline am_db *clips_db(am_precision precision)
{
    static const char *const names[] = { "01_01", "01_02", "01_02_m", "02_01-a" };
    static const char *const tags[clips_tags] = { "idle",   "walk",  "run",   "creep", "jump",   "turn",
                                                  "windup", "drunk", "chair", "box",   "seated", "grasp" };
    static const int frames[] = { 241, 121, 121, 61 };
    static clips_one ones[4];
    am_db_clip items[4];
    for (int i = 0; i < 4; i++) {
        clips_make(&ones[i], i, frames[i]);
        items[i] = (am_db_clip){ .clip = ones[i].clip,
                                 .root_positions = ones[i].positions,
                                 .root_rotations = ones[i].rotations,
                                 .tags = ones[i].tags,
                                 .name = names[i],
                                 .source = i > 1 ? i - 1 : i,
                                 .source_first = i == 1 || i == 2 ? 10 : 0,
                                 .source_fps = i == 1 || i == 2 ? 120.0f : 60.0f,
                                 .mirrored = i == 2 };
    }
    am_schema schema = lmm_schema();
    am_db_def def = am_db_def_default();
    def.clips = items;
    def.clip_count = 4;
    def.roles = test_roles(ones[0].clip->skeleton);
    def.schema = &schema;
    def.tag_names = tags;
    def.tag_count = clips_tags;
    def.name = "clips";
    def.precision = precision;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &def, &err), &err);
    for (int i = 0; i < 4; i++) {
        am_clip_destroy(ones[i].clip);
    }
    return db;
}

static am_db *clips;

static inline int clips_open(void **state)
{
    (void)state;
    clips = clips_db(AM_PRECISION_FLOAT);
    return clips ? 0 : -1;
}

static inline int clips_close(void **state)
{
    (void)state;
    am_db_close(clips);
    return 0;
}

/// The frame of a clip at a time.
static inline int clips_frame(int clip, float time) { return clips->ranges[clip].start + (int)(time * 60.0f + 0.5f); }

/// A text with ' for " and ` for '.
static inline const char *clips_text(const char *text)
{
    static char quoted[8192];
    size_t size = strlen(text);
    assert_true(size < sizeof quoted);
    for (size_t i = 0; i <= size; i++) {
        quoted[i] = text[i] == '\'' ? '"' : text[i] == '`' ? '\'' : text[i];
    }
    return quoted;
}

static inline am_control_schema *clips_schema(const char *text)
{
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    const char *quoted = clips_text(text);
    check_ok(am_control_schema_read(&schema, quoted, strlen(quoted), "schema.json", NULL, &err), &err);
    return schema;
}

static inline am_result clips_read(ami_training_controls **out, const am_control_schema *schema, const char *text,
                                   const am_alloc *alloc, am_error *err)
{
    am_json_doc *doc = NULL;
    const char *quoted = clips_text(text);
    *out = NULL;
    am_result result = am_json_parse(&doc, quoted, strlen(quoted), "c.json", alloc, err);
    if (result == AM_OK) {
        result = ami_training_controls_read(out, schema, doc, am_json_root(doc), clips, alloc, err);
    }
    am_json_free(doc);
    return result;
}

static inline ami_training_controls *clips_controls(const am_control_schema *schema, const char *text)
{
    ami_training_controls *controls = NULL;
    am_error err = { 0 };
    check_ok(clips_read(&controls, schema, text, NULL, &err), &err);
    return controls;
}

#endif
