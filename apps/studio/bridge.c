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
    am_net *net = NULL;
    am_result result = am_model_from_memory(&model, data, (size_t)size, "direction", NULL, &web_now.error);
    if (result == AM_OK) {
        result = am_direction_open(&net, model, NULL, &web_now.error);
    }
    am_net_destroy(net);
    am_model_close(model);
    if (result != AM_OK) {
        web_scene_free(&web_now.next_direction);
    }
    return (int)result;
}

int web_open(void *data, int size, const char *name)
{
    (void)name; // the bytes name it
    web_scene_options();
    web_now.error = (am_error){ 0 };
    bool networks = size > 5 && memcmp((const char *)data + 1, "AMNT", 4) == 0;
    const web_bytes bytes = { data, (size_t)size };
    web_set next = { .direction = web_now.next_direction };
    *(networks ? &next.networks : &next.database) = bytes;
    web_now.next_direction = (web_bytes){ 0 };
    int kind = networks ? WEB_ASSET_LEARNED : WEB_ASSET_MATCH;
    am_result result = web_scene_open(&next, kind, &web_now.error);
    web_lineup who = web_now.lineup;
    who.count = who.method == WEB_SIDE_BY_SIDE ? 1 : who.count;
    who.method = networks ? WEB_LEARNED : WEB_MATCH;
    if (result == AM_OK) {
        next.db = am_asset_db(next.assets[kind], networks ? AM_METHOD_LEARNED : AM_METHOD_MATCH);
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

/// Other bytes for an asset beside the open database. Characters that use the old ones match while they are
/// exchanged.
static am_result exchange(int kind, web_bytes *bytes, web_bytes given, bool used)
{
    int method = web_now.lineup.method;
    web_set *open = &web_now.open;
    web_set trial = *open;
    *(kind == WEB_ASSET_FIELD ? &trial.values : &trial.networks) = given;
    trial.assets[kind] = NULL;
    am_result result = web_scene_open(&trial, kind, &web_now.error);
    if (result == AM_OK && used) {
        result = (am_result)web_method(WEB_MATCH);
    }
    if (result != AM_OK) {
        am_asset_close(trial.assets[kind]);
        web_scene_free(&given);
        return result;
    }
    am_asset_close(open->assets[kind]);
    web_scene_free(bytes);
    *bytes = given;
    open->assets[kind] = trial.assets[kind];
    return used ? (am_result)web_method(method) : AM_OK;
}

int web_networks(void *data, int size)
{
    web_now.error = (am_error){ 0 };
    int method = web_now.lineup.method;
    if (!web_now.open.database.data) {
        free(data);
        return (int)AM_ERR_EMPTY;
    }
    bool used = method == WEB_LEARNED || method == WEB_SIDE_BY_SIDE;
    return (int)exchange(WEB_ASSET_LEARNED, &web_now.open.networks, (web_bytes){ data, (size_t)size }, used);
}

int web_values(void *data, int size)
{
    web_now.error = (am_error){ 0 };
    if (!web_now.open.database.data) {
        free(data);
        web_now.error = (am_error){ .code = AM_ERR_EMPTY, .offset = -1, .text = "a field needs a database" };
        return (int)AM_ERR_EMPTY;
    }
    bool used = web_now.lineup.method == WEB_FIELD;
    return (int)exchange(WEB_ASSET_FIELD, &web_now.open.values, (web_bytes){ data, (size_t)size }, used);
}

// ---------------------------------------------------------------------------------------------
// Options

/// Takes settings; when they are refused, nothing changes.
static int change_settings(const am_settings *settings)
{
    am_settings before = web_now.settings;
    web_now.settings = *settings;
    int code = web_scene_set();
    if (code != 0) {
        web_now.settings = before;
    }
    return code;
}

int web_options(int root, int inertialise, int ik, float search_every_s, float stay_bias)
{
    web_scene_options();
    am_settings settings = web_now.settings;
    settings.search_every_s = search_every_s;
    settings.stay_bias = stay_bias;
    settings.root = (am_root_mode)root;
    settings.inertialise = (am_inertialise)inertialise;
    settings.ik = ik != 0;
    return change_settings(&settings);
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
        // The second stands to the right of the first.
        am_actor_pose pose;
        am_actor_get_pose(web_now.open.actors[0].character, &pose);
        am_vec3 beside = am_transform_point(pose.root, am_v3(-1.2f, 0.0f, 0.0f));
        am_actor_place(web_now.open.actors[1].character, beside, am_quat_heading(pose.root.rotation));
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
    web_scene_options();
    am_settings settings = web_now.settings;
    settings.task = task;
    settings.policy = (am_field_policy)policy;
    return change_settings(&settings);
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
    const am_asset *match = open->assets[WEB_ASSET_MATCH];
    am_actor_facts facts;
    am_actor_view view;
    am_intent_def speeds;
    am_actor_get_facts(web_chosen(), &facts);
    am_actor_get_view(web_chosen(), &view);
    am_actor_get_speeds(web_chosen(), &speeds);
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)db->hash);
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", db->name);
    am_json_string(w, "hash", hash);
    am_json_number(w, "fps", (double)db->fps);
    am_json_integer(w, "frames", db->frame_count);
    am_json_integer(w, "ranges", db->range_count);
    am_json_integer(w, "bytes", (int64_t)db->image_size);
    am_json_integer(w, "indexBytes", match ? (int64_t)am_index_bytes(am_asset_index(match)) : 0);
    am_json_bool(w, "matches", match != NULL);
    am_json_bool(w, "networks", open->assets[WEB_ASSET_LEARNED] != NULL);
    am_json_integer(w, "networkBytes", (int64_t)open->networks.size);
    am_json_integer(w, "features", db->features.count);
    am_json_number(w, "walkMps", (double)speeds.walk_mps);
    am_json_number(w, "sprintMps", (double)web_now.open.intent.sprint_mps);
    am_json_number(w, "toeM", (double)facts.toe_m);
    am_json_integer(w, "mostActors", WEB_MOST_ACTORS);
    am_json_bool(w, "direction", open->direction.data != NULL);
    am_json_bool(w, "canBePushed", web_now.open.solver != NULL);
    web_fields_describe(w, open->assets[WEB_ASSET_FIELD], open->values.size);
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
