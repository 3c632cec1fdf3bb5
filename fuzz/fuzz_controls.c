// Fuzzes files of controls: training controls over a second of generated motion, runtime controls and matching
// functions of a schema with every kind of part. What is read must draw and fill finite numbers.
#include <amble/tools/tools.h>

#include "control/matching.h"
#include "control/training.h"

#include <stdlib.h>
#include <string.h>

static const char *const schema_text = "{\"name\": \"fuzz\", \"control\": {\"or\": {\"stand\": \"null\", \"go\": "
                                       "{\"and\": {\"target\": \"location\", \"facing\": "
                                       "{\"optional\": \"direction\"}, \"turn\": \"rotation\", \"size\": \"scale\", "
                                       "\"v\": \"velocity\", \"speed\": \"number\"}}, "
                                       "\"path\": {\"array\": {\"and\": {\"position\": \"location\", \"gait\": "
                                       "{\"either\": {\"slow\": \"null\", \"fast\": "
                                       "\"bool\"}}}}, \"most\": 4}, \"at\": {\"fixed_array\": {\"optional\": "
                                       "\"location\"}, \"count\": 2}, \"style\": {\"and\": "
                                       "{\"one\": {\"one_of\": [\"walk\", \"b\"]}, \"some\": {\"some_of\": [\"c\", "
                                       "\"d\"]}, \"which\": {\"index\": {\"n\": 4}}, "
                                       "\"ground\": {\"height_map\": {\"rows\": 3, \"columns\": 2}}}}}}}";

static am_db *make_db(void)
{
    static const char *const tags[] = { "walk", "jump" };
    static am_vec3 positions[4096];
    static am_quat rotations[4096];
    static uint64_t marks[4096];
    am_error err = { 0 };
    am_synth synth = { 0 };
    am_synth_def make = am_synth_def_default();
    make.seconds = 1.0f;
    am_root_def root = am_root_def_default();
    if (am_synth_make(&synth, &make, &err) != AM_OK || synth.clip->frame_count > 4096 ||
        am_root_track(positions, rotations, synth.clip, &synth.roles, &root, NULL, &err) != AM_OK) {
        abort();
    }
    for (int f = 0; f < synth.clip->frame_count; f++) {
        marks[f] = 1u | (f > 20 && f < 30 ? 2u : 0u);
    }
    am_db_clip clip = { .clip = synth.clip, .root_positions = positions, .root_rotations = rotations, .tags = marks };
    am_db_def def = am_db_def_default();
    static am_schema features;
    am_json_doc *doc = NULL;
    const char *text = "{\"channels\": [{\"kind\": \"position\", \"joint\": \"left_foot\"}]}";
    if (am_json_parse(&doc, text, strlen(text), "f", NULL, &err) != AM_OK ||
        am_schema_parse(&features, doc, am_json_root(doc), &err) != AM_OK) {
        abort();
    }
    def.clips = &clip;
    def.clip_count = 1;
    def.roles = synth.roles;
    def.schema = &features;
    def.tag_names = tags;
    def.tag_count = 2;
    def.name = "fuzz";
    am_db *db = NULL;
    if (am_db_create(&db, &def, &err) != AM_OK) {
        abort();
    }
    am_json_free(doc);
    am_synth_free(&synth);
    return db;
}

static void check_finite(const float *value, int count)
{
    for (int i = 0; i < count; i++) {
        if (value[i] - value[i] != 0.0f) {
            abort();
        }
    }
}

static void check_error(am_result result, const am_error *err)
{
    if (err->code != result || !err->text[0]) {
        abort();
    }
}

static void try_training(const am_control_schema *schema, const am_json_doc *doc, const am_db *db, float *value)
{
    ami_training_controls *controls = NULL;
    am_error err = { 0 };
    am_result result = ami_training_controls_read(&controls, schema, doc, am_json_root(doc), db, NULL, &err);
    if (result != AM_OK) {
        check_error(result, &err);
        return;
    }
    am_rng rng;
    am_rng_init(&rng, 1);
    for (int i = 0; i < 20; i++) {
        int frame = 0;
        if (ami_training_controls_sample(controls, value, &frame, &rng)) {
            check_finite(value, schema->value_count);
        }
    }
    ami_training_controls_destroy(controls);
}

static void try_runtime(const am_control_schema *schema, const uint8_t *data, size_t size, float *value)
{
    const am_query_point trajectory[] = { { 0.2f, { 0, 1, 0.2f }, { 0, 0, 1 }, { 0, 0, 1 } },
                                          { 1.0f, { 0, 1, 1.0f }, { 1, 0, 0 }, { 1, 0, 0 } } };
    ami_runtime_controls *controls = NULL;
    am_error err = { 0 };
    am_result result = ami_runtime_controls_read(&controls, schema, (const char *)data, size, "fuzz", NULL, &err);
    if (result != AM_OK) {
        check_error(result, &err);
        return;
    }
    for (int i = 0; i < 2; i++) {
        ami_control_world world = { .root = am_transform_identity(),
                                    .trajectory = trajectory,
                                    .trajectory_count = 2 * i };
        world.has_point = world.jump = i > 0;
        ami_runtime_controls_fill(controls, value, &world);
        check_finite(value, schema->value_count);
    }
    ami_runtime_controls_destroy(controls);
}

static void try_matching(const am_control_schema *schema, const am_json_doc *doc, const float *value)
{
    static float vector[2][4096];
    ami_matching *matching = NULL;
    am_error err = { 0 };
    am_result result = ami_matching_read(&matching, schema, doc, am_json_root(doc), NULL, &err);
    if (result != AM_OK) {
        check_error(result, &err);
        return;
    }
    const am_transform root = am_transform_identity();
    ami_control_flatten(schema, vector[0], value, &root);
    if (ami_matching_cost(matching, vector[0], vector[0]) != 0.0f ||
        !(ami_matching_cost(matching, vector[0], vector[1]) >= 0.0f)) {
        abort();
    }
    ami_matching_destroy(matching);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static am_db *db;
    static am_control_schema *schema;
    static float value[4096];
    am_error err = { 0 };
    if (!db) {
        db = make_db();
        if (am_control_schema_read(&schema, schema_text, strlen(schema_text), "schema", NULL, &err) != AM_OK ||
            schema->value_count > 4096 || schema->vector_count > 4096) {
            abort();
        }
    }
    am_json_doc *doc = NULL;
    if (am_json_parse(&doc, (const char *)data, size, "fuzz", NULL, &err) == AM_OK) {
        memset(value, 0, sizeof value);
        try_training(schema, doc, db, value);
        try_matching(schema, doc, value);
    }
    am_json_free(doc);
    try_runtime(schema, data, size, value);
    return 0;
}
