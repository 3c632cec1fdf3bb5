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

/// A learned character is its own data set: its database is that of the start states.
static am_result open_networks(web_set *b, const void *data, size_t size, const char *name)
{
    size_t image_size = 0;
    am_result result = am_model_from_memory(&b->networks, data, size, name, NULL, &web_now.error);
    const void *image = result == AM_OK ? am_model_attached(b->networks, AM_LEARNED_CHARACTER, &image_size) : NULL;
    if (result == AM_OK && !image) {
        web_now.error =
            (am_error){ .code = AM_ERR_FORMAT, .offset = -1, .text = "these networks are not a learned character" };
        return AM_ERR_FORMAT;
    }
    return result == AM_OK ? am_db_from_memory(&b->db, image, image_size, name, NULL, &web_now.error) : result;
}

int web_direction(void *data, int size)
{
    web_scene_close_model(&web_now.next);
    if (!data) {
        return 0;
    }
    web_now.error = (am_error){ 0 };
    web_now.next.model_bytes = data;
    am_result result =
        am_model_from_memory(&web_now.next.model, data, (size_t)size, "direction", NULL, &web_now.error);
    if (result == AM_OK) {
        result = am_direction_open(&web_now.next.direction, web_now.next.model, NULL, &web_now.error);
    }
    if (result != AM_OK) {
        web_scene_close_model(&web_now.next);
    }
    return (int)result;
}

int web_open(void *data, int size, const char *name)
{
    web_scene_options();
    web_now.error = (am_error){ 0 };
    web_set next = web_now.next; // from here on its own
    next.bytes = data;
    web_now.next = (web_set){ 0 };
    bool networks = size > 5 && memcmp((const char *)data + 1, "AMNT", 4) == 0;
    am_result result = networks ? open_networks(&next, data, (size_t)size, name)
                                : am_db_from_memory(&next.db, data, (size_t)size, name, NULL, &web_now.error);
    web_lineup who = web_now.lineup;
    who.count = who.method == WEB_SIDE_BY_SIDE ? 1 : who.count;
    who.method = networks ? WEB_LEARNED : WEB_MATCH;
    if (result == AM_OK && !networks) {
        am_index_def def = am_index_def_default();
        def.db = next.db;
        result = am_index_create(&next.index, &def, &web_now.error);
    }
    if (result == AM_OK) {
        web_scene_solver(&next);
        result = web_scene_fill(&next, &who, NULL, &web_now.error);
    }
    if (result != AM_OK) {
        web_scene_close(&next);
        return (int)result;
    }
    web_scene_close(&web_now.open);
    web_now.open = next;
    web_now.lineup = who;
    web_scene_devices(&web_now.open);
    web_view_clear();
    return 0;
}

int web_networks(void *data, int size)
{
    web_now.error = (am_error){ 0 };
    web_set trial = web_now.open;
    web_scene_forget(&trial);
    trial.networks = NULL;
    am_result result = web_now.open.index ? AM_OK : AM_ERR_EMPTY;
    result = result == AM_OK
                 ? am_model_from_memory(&trial.networks, data, (size_t)size, "networks", NULL, &web_now.error)
                 : result;
    result = result == AM_OK ? web_scene_learned(&trial, &web_now.error) : result;
    am_source_destroy(trial.learned);
    if (result != AM_OK) {
        am_model_close(trial.networks);
        free(data);
        return (int)result;
    }
    am_model *old = web_now.open.networks;
    void *old_bytes = web_now.open.network_bytes;
    web_now.open.networks = trial.networks;
    web_now.open.network_bytes = data;
    if (old && web_now.open.learned) {
        result = (am_result)web_scene_replace(&web_now.lineup, &web_now.open); // off the old networks before they go
    }
    am_model_close(old);
    free(old_bytes);
    return (int)result;
}

int web_values(void *data, int size)
{
    web_now.error = (am_error){ 0 };
    if (!web_now.open.index) {
        free(data);
        web_now.error = (am_error){ .code = AM_ERR_EMPTY, .offset = -1, .text = "a field needs a database" };
        return (int)AM_ERR_EMPTY;
    }
    bool flows = web_now.open.flow != NULL;
    int code = flows ? web_method(WEB_MATCH) : 0; // off the old values before they go
    am_result result = web_fields_take(&web_now.open.fields, web_now.open.db, data, (size_t)size, &web_now.error);
    return code != 0 ? code : flows && result == AM_OK ? web_method(WEB_FIELD) : (int)result;
}

// ---------------------------------------------------------------------------------------------
// Options

int web_options(int root, int inertialise, int ik, float search_every_s, float stay_bias)
{
    web_scene_options();
    am_match_def match = web_now.match;
    am_character_def character = web_now.character;
    web_now.match.search_every_s = search_every_s;
    web_now.match.stay_bias = stay_bias;
    web_now.character.root = (am_root_mode)root;
    web_now.character.inertialise = (am_inertialise)inertialise;
    web_now.character.ik = ik != 0;
    int code = 0;
    if (web_now.open.actor_count > 0) {
        code = web_scene_replace(&web_now.lineup, &web_now.open);
    }
    if (code != 0) {
        web_now.match = match;
        web_now.character = character;
    }
    return code;
}

void web_walk_speed(float mps)
{
    web_now.walk_mps = mps;
    if (web_now.open.db) {
        web_scene_devices(&web_now.open);
    }
}

int web_method(int method)
{
    web_now.error = (am_error){ 0 };
    if (method < 0 || method > WEB_FIELD || web_now.open.actor_count == 0) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup who = web_now.lineup;
    who.method = method;
    who.count = method == WEB_SIDE_BY_SIDE ? 2 : web_now.lineup.method == WEB_SIDE_BY_SIDE ? 1 : who.count;
    who.crowd &= method != WEB_SIDE_BY_SIDE;
    int code = web_scene_replace(&who, &web_now.open);
    if (code != 0) {
        return code;
    }
    if (method == WEB_SIDE_BY_SIDE) {
        // The second stands at the first one's right.
        am_transform root = am_character_get_pose(web_now.open.actors[0].character).root;
        am_vec3 beside = am_transform_point(root, am_v3(-1.2f, 0.0f, 0.0f));
        am_character_place(web_now.open.actors[1].character, beside, am_quat_heading(root.rotation));
    }
    web_now.lineup = who;
    web_now.chosen = web_now.chosen < who.count ? web_now.chosen : 0;
    return 0;
}

int web_field_options(int task, int policy)
{
    web_now.error = (am_error){ 0 };
    if (task < 0 || task >= WEB_TASK_COUNT || policy < 0 || policy > AM_FIELD_PASSIVE) {
        return (int)AM_ERR_RANGE;
    }
    int task_before = web_now.task;
    am_field_policy policy_before = web_now.policy;
    web_now.task = task;
    web_now.policy = (am_field_policy)policy;
    int code = web_now.open.flow ? web_scene_replace(&web_now.lineup, &web_now.open) : 0;
    if (code != 0) {
        web_now.task = task_before;
        web_now.policy = policy_before;
    }
    return code;
}

// ---------------------------------------------------------------------------------------------
// The characters on the scene

int web_cast(int count, int ahead, const float *places)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup who = { .count = count, .ahead = ahead != 0, .method = web_now.lineup.method };
    if (who.method == WEB_SIDE_BY_SIDE && (count != 2 || places)) {
        who.method = WEB_MATCH;
    }
    for (int i = 0; places && i < count; i++) {
        memcpy(who.places[i], places + 3 * i, sizeof who.places[i]);
    }
    bool stay = !places && count <= web_now.open.actor_count;
    int code = web_now.open.actor_count > 0 ? web_scene_replace(&who, stay ? &web_now.open : NULL) : 0;
    if (code == 0) {
        web_now.lineup = who;
        web_now.chosen = 0;
    }
    return code;
}

int web_crowd(int count)
{
    if (count < 1 || count > WEB_MOST_ACTORS) {
        return (int)AM_ERR_RANGE;
    }
    web_lineup who = { .count = count, .method = web_now.lineup.method, .crowd = count > 1 };
    who.method = who.method == WEB_SIDE_BY_SIDE ? WEB_MATCH : who.method;
    for (int i = 1; i < count; i++) {
        // Like a sunflower's seeds: evenly spread for any number of characters.
        float angle = 2.39996323f * (float)i;
        float far = 0.75f * sqrtf((float)i + 1.0f);
        who.places[i][0] = far * am_sin(angle);
        who.places[i][1] = far * am_cos(angle);
        who.places[i][2] = angle;
    }
    int code = web_now.open.actor_count > 0 ? web_scene_replace(&who, NULL) : 0;
    if (code != 0) {
        return code;
    }
    web_now.lineup = who;
    web_now.chosen = 0;
    const am_intent still = { 0 };
    for (int i = 1; i < web_now.open.actor_count; i += 2) {
        // Half of them tick in the steps between: no step has the work of all.
        am_character_step(web_now.open.actors[i].character, &still, 1.0f / 60.0f);
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
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)db->hash);
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", db->name);
    am_json_string(w, "hash", hash);
    am_json_number(w, "fps", (double)db->fps);
    am_json_integer(w, "frames", db->frame_count);
    am_json_integer(w, "ranges", db->range_count);
    am_json_integer(w, "bytes", (int64_t)db->image_size);
    am_json_integer(w, "indexBytes", web_now.open.index ? (int64_t)am_index_bytes(web_now.open.index) : 0);
    am_json_bool(w, "matches", web_now.open.index != NULL);
    am_json_bool(w, "networks", web_now.open.networks != NULL);
    am_json_integer(w, "networkBytes", web_now.open.networks ? (int64_t)web_now.open.networks->image_size : 0);
    am_json_integer(w, "features", db->features.count);
    am_json_number(w, "walkMps", (double)am_intent_def_for(web_now.open.actors[0].source).walk_mps);
    am_json_number(w, "sprintMps", (double)web_now.open.intent.sprint_mps);
    am_json_number(w, "toeM", (double)am_character_get_facts(web_chosen()).toe_m);
    am_json_integer(w, "mostActors", WEB_MOST_ACTORS);
    am_json_bool(w, "direction", web_now.open.direction != NULL);
    am_json_bool(w, "canBePushed", web_now.open.solver != NULL);
    web_fields_describe(w, &web_now.open.fields);
    web_describe_skeleton(w, db);
    web_describe_names(w, db, am_character_get_view(web_chosen()).activities);
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
        uint64_t one = am_character_hash(web_now.open.actors[i].character);
        hash = am_hash64(&one, sizeof one, hash);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return text;
}
