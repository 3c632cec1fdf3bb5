/// Databases for tests: a few generated walkers, with everything that a def can carry.
#ifndef AMBLE_TEST_DB_SUPPORT_H
#define AMBLE_TEST_DB_SUPPORT_H

#include "support/check.h"
#include "support/motion.h"
#include "base/rng.h"
#include "data/features.h"
#include "support/lmm_schema.h"

enum { test_clip_count = 3 };

/// What a def borrows; free with test_world_free after the database is made.
typedef struct test_world {
    am_clip *clips[test_clip_count];
    am_vec3 *positions[test_clip_count];
    am_quat *rotations[test_clip_count];
    uint8_t *contacts[test_clip_count];
    uint64_t *tags[test_clip_count];
    float *custom[test_clip_count];
    am_db_clip items[test_clip_count];
    am_schema schema;
    am_db_def def;
} test_world;

/// Three walkers that travel, with every feature kind in the schema when `all_kinds`, else LMM's 27.
static inline void test_world_make(test_world *w, bool all_kinds);
static inline void test_world_free(test_world *w);

static const char *const test_tag_names[] = { "idle", "walk", "run", "creep", "jump", "turn", "odd" };

static const char test_all_kinds[] =
    "{\"channels\": [\n"
    "{\"kind\": \"position\", \"joint\": \"left_foot\", \"weight\": 2},\n"
    "{\"kind\": \"position\", \"joint\": \"right_toe\", \"times\": [-0.1, 0, 0.25]},\n"
    "{\"kind\": \"velocity\", \"joint\": \"hips\", \"normalise\": \"dimension\"},\n"
    "{\"kind\": \"heading\", \"joint\": \"head\"},\n"
    "{\"kind\": \"trajectory_position\", \"times\": [-0.2, 0.2, 0.5]},\n"
    "{\"kind\": \"trajectory_position\", \"times\": [0.3], \"axes\": \"xyz\", \"name\": \"high\"},\n"
    "{\"kind\": \"trajectory_position\", \"times\": [0.3], \"axes\": \"xyz\", \"height\": \"relative\", \"name\": "
    "\"rel\"},\n"
    "{\"kind\": \"trajectory_direction\", \"times\": [0.2, 0.5]},\n"
    "{\"kind\": \"trajectory_direction\", \"times\": [0.2], \"axes\": \"xyz\", \"name\": \"pitch\"},\n"
    "{\"kind\": \"trajectory_direction\", \"times\": [0.2], \"direction\": \"velocity\", \"name\": \"way\"},\n"
    "{\"kind\": \"height\", \"joint\": \"hips\", \"times\": [0, 0.5]},\n"
    "{\"kind\": \"tag\", \"tags\": [\"odd\", \"walk\"], \"normalise\": \"none\"},\n"
    "{\"kind\": \"terrain\", \"times\": [0, 0.25]},\n"
    "{\"kind\": \"custom\", \"name\": \"props\", \"dims\": 3, \"mirror\": [2, 1, -3], \"weight\": 0.5}\n"
    "]}";

static inline void test_parse_schema(am_schema *out, const char *text)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "schema.json", NULL, &err), &err);
    check_ok(am_schema_parse(out, doc, am_json_root(doc), &err), &err);
    am_json_free(doc);
}

static inline void test_world_make(test_world *w, bool all_kinds)
{
    memset(w, 0, sizeof *w);
    if (all_kinds) {
        test_parse_schema(&w->schema, test_all_kinds);
    } else {
        w->schema = lmm_schema();
    }
    am_rng rng = ami_rng_make(7);
    for (int c = 0; c < test_clip_count; c++) {
        int frames = 90 + 17 * c;
        am_clip *clip = test_walker(frames);
        w->clips[c] = clip;
        w->positions[c] = calloc((size_t)frames, sizeof(am_vec3));
        w->rotations[c] = calloc((size_t)frames, sizeof(am_quat));
        w->contacts[c] = calloc((size_t)frames, 1);
        w->tags[c] = calloc((size_t)frames, sizeof(uint64_t));
        w->custom[c] = calloc((size_t)frames * 3, sizeof(float));
        for (int f = 0; f < frames; f++) {
            // A bent path, so that every feature has something to say.
            float t = (float)f / clip->fps;
            am_quat turn = am_quat_from_heading(0.7f * t * (float)(c + 1));
            am_vec3 *hips = &clip->translations[(size_t)f * (size_t)clip->moving_count];
            *hips =
                am_v3_add(am_quat_rotate(turn, *hips), am_v3(1.3f * t + 0.1f * t * t, 0.02f * am_sin(9.0f * t), t));
            am_quat *q = &clip->rotations[(size_t)f * (size_t)clip->skeleton->joint_count];
            *q = am_quat_mul(turn, *q);
            q[am_skeleton_find(clip->skeleton, "Head")] = am_quat_from_heading(0.6f * am_sin(4.0f * t));
            w->positions[c][f] = am_v3(hips->x + 0.01f, 0.0f, hips->z);
            w->rotations[c][f] = turn;
            w->contacts[c][f] = (uint8_t)((f / 20) % 2 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT);
            w->tags[c][f] = (uint64_t)1 << AM_TAG_WALK | (f % 2 ? (uint64_t)1 << 6 : 0);
            for (int i = 0; i < 3; i++) {
                w->custom[c][3 * f + i] = am_rng_normal(&rng);
            }
        }
        w->items[c] = (am_db_clip){ .clip = clip,
                                    .root_positions = w->positions[c],
                                    .root_rotations = w->rotations[c],
                                    .contacts = w->contacts[c],
                                    .tags = w->tags[c],
                                    .custom = all_kinds ? w->custom[c] : NULL,
                                    .source = c,
                                    .tail = 5,
                                    .mirrored = c == 2 };
    }
    w->def = am_db_def_default();
    w->def.clips = w->items;
    w->def.clip_count = test_clip_count;
    w->def.roles = test_roles(w->clips[0]->skeleton);
    w->def.schema = &w->schema;
    w->def.tag_names = test_tag_names;
    w->def.tag_count = 7;
    w->def.name = "walkers";
    w->def.config = "{\"made\": \"up\"}";
}

static inline void test_world_free(test_world *w)
{
    for (int c = 0; c < test_clip_count; c++) {
        am_clip_destroy(w->clips[c]);
        free(w->positions[c]);
        free(w->rotations[c]);
        free(w->contacts[c]);
        free(w->tags[c]);
        free(w->custom[c]);
    }
}

#endif
