// libamble for the page: a data set from bytes, methods and options, and the characters on the scene.
#include "bridge.h"

#include "describe.h"
#include "scene.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *web_alloc(int size) { return aligned_alloc(64, ((size_t)size + 63) / 64 * 64); }
void web_free(void *block) { free(block); }

const char *web_error(void)
{
    static char text[1024];
    am_error_format(&web_now.error, text, sizeof text);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Opening

int web_direction(void *data, int size)
{
    web_scene_free(&web_now.next_direction);
    if (!data) {
        return 0;
    }
    web_now.error = (am_error){ 0 };
    web_now.next_direction = (web_bytes){ data, (size_t)size };
    am_model *model = NULL;
    am_result result = am_model_from_memory(&model, data, (size_t)size, "direction", NULL, &web_now.error);
    if (result == AM_OK && am_model_find(model, "direction") < 0) {
        web_now.error = (am_error){ .code = AM_ERR_KEY, .offset = -1, .text = "the file has no part 'direction'" };
        result = AM_ERR_KEY;
    }
    am_model_close(model);
    if (result != AM_OK) {
        web_scene_free(&web_now.next_direction);
    }
    return (int)result;
}

/// The first method that plays frames.
static am_method method_of_frames(void)
{
    int count;
    const am_method_row *rows = am_methods(&count);
    int m = 0;
    while (m < count - 1 && !rows[m].database) {
        m++;
    }
    return (am_method)m;
}

/// The first method that plays networks alone whose part a model has.
static am_result method_of_networks(am_method *out, const void *data, size_t size, const char *name, am_error *err)
{
    int count;
    const am_method_row *rows = am_methods(&count);
    am_model *model = NULL;
    am_result result = am_model_from_memory(&model, data, size, name, NULL, err);
    int m = 0;
    while (result == AM_OK && m < count &&
           (rows[m].database || !rows[m].part || am_model_find(model, rows[m].part) < 0)) {
        m++;
    }
    am_model_close(model);
    if (m == count) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1, .text = "these networks are no character" };
        return AM_ERR_SUPPORT;
    }
    *out = (am_method)m;
    return result;
}

int web_open(void *data, int size, const char *name)
{
    web_scene_options();
    am_settings settings = web_now.settings;
    web_now.settings.walk_mps = web_now.settings.sprint_mps = 0.0f; // the new data's own
    web_now.error = (am_error){ 0 };
    bool networks = size > 5 && memcmp((const char *)data + 1, "AMNT", 4) == 0;
    web_lineup lineup = web_now.lineup;
    lineup.count = lineup.pair ? 1 : lineup.count;
    lineup.pair = false;
    lineup.method = method_of_frames();
    am_result result =
        networks ? method_of_networks(&lineup.method, data, (size_t)size, name, &web_now.error) : AM_OK;
    web_set next = { .direction = web_now.next_direction };
    web_now.next_direction = (web_bytes){ 0 };
    *(networks ? &next.models[lineup.method] : &next.database) = (web_bytes){ data, (size_t)size };
    if (!networks) {
        result = am_db_from_memory(&next.own_db, data, (size_t)size, name, NULL, &web_now.error);
    }
    next.db = next.own_db;
    result = result == AM_OK ? web_scene_open(&next, lineup.method, &web_now.error) : result;
    if (result == AM_OK) {
        next.db = am_asset_db(next.assets[lineup.method], lineup.method);
        web_scene_solver(&next);
        result = web_scene_fill(&next, &lineup, NULL, &web_now.error);
    }
    if (result != AM_OK) {
        web_now.settings = settings;
        web_scene_close(&next);
        return (int)result;
    }
    web_scene_close(&web_now.open);
    web_now.open = next;
    web_now.lineup = lineup;
    web_settings_walk();
    web_view_clear();
    return 0;
}

/// The number of a method, or -1.
static int find_method(const char *name)
{
    int count;
    const am_method_row *rows = am_methods(&count);
    for (int m = 0; m < count; m++) {
        if (strcmp(rows[m].name, name) == 0) {
            return m;
        }
    }
    return -1;
}

int web_model(const char *name, void *data, int size)
{
    web_set *open = &web_now.open;
    int method = find_method(name);
    web_now.error = (am_error){ 0 };
    if (method < 0 || !open->db) {
        free(data);
        web_now.error = (am_error){ .code = AM_ERR_EMPTY, .offset = -1, .text = "a model needs an open data set" };
        return (int)AM_ERR_EMPTY;
    }
    web_set next = *open;
    web_bytes given = { data, (size_t)size };
    web_set old = { .solver = open->own_db ? NULL : open->solver };
    old.models[method] = open->models[method];
    old.assets[method] = open->assets[method];
    next.models[method] = given;
    next.assets[method] = NULL;
    int code = (int)web_scene_open(&next, (am_method)method, &web_now.error);
    bool used = !open->own_db;
    for (int i = 0; i < open->actor_count; i++) {
        used |= web_scene_method(&web_now.lineup, i) == (am_method)method;
    }
    if (code == 0 && !open->own_db) { // networks alone: the new ones also say what the skeleton is
        next.db = am_asset_db(next.assets[method], (am_method)method);
        web_scene_solver(&next);
    }
    if (code == 0 && used) {
        code = web_scene_exchange(&next, &web_now.lineup, open);
    }
    if (code != 0) {
        if (next.solver != open->solver) {
            web_scene_close_solver(&next);
        }
        am_asset_close(next.assets[method]);
        web_scene_free(&given);
        return code;
    }
    open->models[method] = given;
    open->assets[method] = next.assets[method];
    web_scene_close(&old);
    return 0;
}

int web_method(const char *name)
{
    bool pair = strcmp(name, WEB_SIDE_BY_SIDE) == 0;
    int method = pair ? AM_METHOD_MATCH : find_method(name);
    web_now.error = (am_error){ 0 };
    if (method < 0 || web_now.open.actor_count == 0) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup lineup = web_now.lineup;
    lineup.method = (am_method)method;
    lineup.pair = pair;
    lineup.count = pair ? 2 : web_now.lineup.pair ? 1 : lineup.count;
    lineup.crowd &= !pair;
    int code = web_scene_replace(&lineup, &web_now.open);
    if (code != 0) {
        return code;
    }
    if (pair) {
        // The second stands to the right of the first.
        am_actor_pose pose;
        am_actor_get_pose(web_now.open.actors[0].character, &pose);
        am_vec3 beside = am_transform_point(pose.root, am_v3(-1.2f, 0.0f, 0.0f));
        am_actor_place(web_now.open.actors[1].character, &beside, am_quat_heading(pose.root.rotation));
    }
    web_now.lineup = lineup;
    web_now.chosen = web_now.chosen < lineup.count ? web_now.chosen : 0;
    return 0;
}

// ---------------------------------------------------------------------------------------------
// The characters on the scene

int web_cast(int count, int ahead, const float *places)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup lineup = { .count = count, .ahead = ahead != 0, .method = web_now.lineup.method };
    lineup.pair = web_now.lineup.pair && count == 2 && !places;
    for (int i = 0; places && i < count; i++) {
        memcpy(lineup.places[i], places + 3 * i, sizeof lineup.places[i]);
    }
    bool stay = !places && count <= web_now.open.actor_count;
    int code = web_now.open.actor_count > 0 ? web_scene_replace(&lineup, stay ? &web_now.open : NULL) : 0;
    if (code == 0) {
        web_now.lineup = lineup;
        web_now.chosen = 0;
    }
    return code;
}

int web_crowd(int count)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup lineup = { .count = count, .method = web_now.lineup.method, .crowd = count > 1 };
    for (int i = 1; i < count; i++) {
        // Like a sunflower's seeds: evenly spread for any number of characters.
        float angle = 2.39996323f * (float)i;
        float far = 0.75f * sqrtf((float)i + 1.0f);
        lineup.places[i][0] = far * am_sin(angle);
        lineup.places[i][1] = far * am_cos(angle);
        lineup.places[i][2] = angle;
    }
    int code = web_now.open.actor_count > 0 ? web_scene_replace(&lineup, NULL) : 0;
    if (code != 0) {
        return code;
    }
    web_now.lineup = lineup;
    web_now.chosen = 0;
    const am_intent still = { 0 };
    for (int i = 1; i < web_now.open.actor_count; i += 2) {
        // Half of them tick in the steps between, so that no step has the work of all.
        am_actor_step(web_now.open.actors[i].character, &still, 1.0f / 60.0f);
    }
    return 0;
}

void web_choose(int number)
{
    if (number >= 0 && number < web_now.open.actor_count) {
        web_now.chosen = number;
    }
}

int web_reset(void)
{
    if (!web_now.open.db) {
        return (int)AM_ERR_EMPTY;
    }
    return web_scene_replace(&web_now.lineup, NULL);
}

// ---------------------------------------------------------------------------------------------
// Telling

const char *web_describe(void)
{
    static am_json_writer *description; // callers read its text after the call
    const am_db *db = web_now.open.db;
    am_json_writer_destroy(description);
    description = NULL;
    if (!db || am_json_writer_create(&description, 0, NULL, &web_now.error) != AM_OK) {
        return "{}";
    }
    am_json_writer *w = description;
    const web_set *open = &web_now.open;
    const am_asset *match = web_scene_asset(open, AM_METHOD_MATCH);
    const am_asset *field = web_scene_asset(open, AM_METHOD_FIELD);
    am_asset_info info = { 0 };
    if (match) {
        am_asset_get_info(match, &info);
    }
    am_actor_facts facts;
    am_actor_view view;
    am_actor_get_facts(web_chosen(), &facts);
    am_actor_get_view(web_chosen(), &view);
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)db->hash);
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", db->name);
    am_json_string(w, "hash", hash);
    am_json_number(w, "fps", (double)db->fps);
    am_json_integer(w, "frames", db->frame_count);
    am_json_integer(w, "ranges", db->range_count);
    am_json_integer(w, "bytes", (int64_t)db->image_size);
    am_json_integer(w, "indexBytes", (int64_t)info.index_bytes);
    am_json_bool(w, "hasFrames", open->own_db != NULL);
    am_json_integer(w, "features", db->features.count);
    am_json_number(w, "toeM", (double)facts.toe_m);
    am_json_integer(w, "mostActors", WEB_MOST_ACTORS);
    am_json_bool(w, "direction", open->direction.data != NULL);
    am_json_bool(w, "canBePushed", web_now.open.solver != NULL);
    web_describe_methods(w, open, &web_now.lineup);
    web_fields_describe(w, field);
    web_describe_control(w, web_scene_schema(open, web_chosen()));
    web_describe_skeleton(w, db);
    web_describe_names(w, db, view.activities);
    web_view_describe(w);
    am_json_end_object(w);
    const char *text = am_json_text(w, NULL);
    return text ? text : "{}";
}

const char *web_clip_name(int frame)
{
    bool inside = web_now.open.db && frame >= 0 && frame < web_now.open.db->frame_count;
    return inside ? web_now.open.db->ranges[am_db_range_of(web_now.open.db, frame)].name : "";
}

const char *web_hash(void)
{
    static char text[24];
    uint64_t hash = 0;
    for (int i = 0; i < web_now.open.actor_count; i++) {
        uint64_t one = am_actor_hash(web_now.open.actors[i].character);
        hash = am_hash64(&one, sizeof one, hash);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return text;
}
