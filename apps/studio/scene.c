// The characters on the page: an asset for each method, its actors, and how new actors take over from old ones.
#include "scene.h"

#include "view.h"

#if defined(AMBLE_HAS_PHYSICS)
#include <amble/physics.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Room for a path: eighteen minutes at 60 points per second, or a lap of eight.
#define PATH_POINTS 65536
// Of a path that is measured.
#define LONGEST_WAY_S 600

web_page web_now = { .lineup = { .count = 1 } };

static double microseconds(void *user)
{
    (void)user;
    return am_clock_us();
}

static const am_clock page_clock = { NULL, microseconds };

double web_microseconds(void) { return microseconds(NULL); }

am_actor *web_chosen(void) { return web_now.open.actors[web_now.chosen].character; }

// ---------------------------------------------------------------------------------------------
// Making

am_method web_scene_method(const web_lineup *lineup, int number)
{
    bool ahead = lineup->ahead && lineup->method == AM_METHOD_MATCH;
    return lineup->pair && number > 0 ? AM_METHOD_LEARNED : ahead ? AM_METHOD_LONG_HORIZON : lineup->method;
}

am_settings web_scene_settings(const web_set *b, const web_lineup *lineup, int number)
{
    am_settings settings = web_settings_for(web_scene_method(lineup, number));
    if (settings.method == AM_METHOD_FIELD) {
        settings.task = lineup->ahead ? WEB_TASK_LINE : settings.task; // drawings are lines that bend
        // Without trained values for a task, greedy is used.
        bool ahead = settings.policy == AM_FIELD_LOOKAHEAD;
        bool values = am_asset_value(web_scene_asset(b, AM_METHOD_FIELD), settings.task, settings.every) > 0;
        settings.policy = ahead && !values ? AM_FIELD_GREEDY : settings.policy;
    }
    return settings;
}

const am_control_schema *web_scene_schema(const web_set *b, const am_actor *character)
{
    am_settings settings;
    am_actor_get_settings(character, &settings);
    return am_asset_control_schema(web_scene_asset(b, settings.method), settings.method);
}

am_asset *web_scene_asset(const web_set *b, am_method method)
{
    for (int m = 0; m < AM_METHOD_OWN; m++) {
        if (b->assets[m] && (am_asset_methods(b->assets[m]) >> method & 1) != 0) {
            return b->assets[m];
        }
    }
    return NULL;
}

am_result web_scene_open(web_set *b, am_method method, am_error *err)
{
    int count;
    const am_method_row *row = &am_methods(&count)[method];
    const web_bytes *model = &b->models[method];
    am_asset_file files[2] = { { "direction", b->direction.data, b->direction.size },
                               { row->name, model->data, model->size } };
    int first = b->direction.data ? 0 : 1;
    am_asset_def def;
    am_asset_def_init(&def);
    def.files = files + first;
    def.file_count = (model->data ? 2 : 1) - first;
    def.db = row->database ? b->own_db : NULL;
    def.methods = 1u << method;
    if (web_scene_asset(b, method)) {
        return AM_OK;
    }
    if ((row->database && !b->own_db) || (row->part && !model->data)) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1 };
        snprintf(err->text, sizeof err->text, "%s needs %s; this data set has none", row->label,
                 row->part ? "networks" : "a database");
        return AM_ERR_SUPPORT;
    }
    am_result result = am_asset_create(&b->assets[method], &def, err);
    if (result == AM_OK && b->db && !am_skeleton_same_shape(am_asset_skeleton(b->assets[method]), b->db->skeleton)) {
        *err = (am_error){ .code = AM_ERR_SKELETON,
                           .offset = -1,
                           .text = "the networks were made for another skeleton" };
        result = AM_ERR_SKELETON;
        am_asset_close(b->assets[method]);
        b->assets[method] = NULL;
    }
    return result;
}

/// One more character, which stands at place [x m, z m, heading rad].
static am_result add_actor(web_set *b, const web_lineup *lineup, am_error *err)
{
    int number = b->actor_count;
    am_result result = web_scene_open(b, web_scene_method(lineup, number), err);
    if (result != AM_OK) {
        return result;
    }
    const float *place = lineup->places[number];
    web_actor *a = &b->actors[number];
    am_actor_def def;
    am_settings settings = web_scene_settings(b, lineup, number);
    am_actor_def_init(&def, web_scene_asset(b, settings.method));
    def.settings = settings;
    memcpy(def.tags, b->tags, sizeof def.tags);
    def.clock = &page_clock;
    def.seed = am_run_seed(1, number); // as in a script without a seed
    def.path_points = lineup->ahead ? PATH_POINTS : 0;
    def.push = b->solver;
    def.position = am_v3(place[0], 0.0f, place[1]);
    def.heading = place[2];
    a->stroll = web_stroll_make(def.seed, def.position);
    result = am_actor_create(&a->character, &def, err);
    if (result == AM_OK) {
        web_settings_weigh(b, a->character);
    }
    if (result == AM_OK && lineup->ahead && !web_path_track_create(&a->drawn, LONGEST_WAY_S)) {
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "out of memory for the tracks of paths" };
        result = AM_ERR_MEMORY;
    }
    b->actor_count++;
    return result;
}

static void close_actors(web_set *b)
{
    for (int i = 0; i < b->actor_count; i++) {
        am_actor_destroy(b->actors[i].character);
        web_path_track_free(&b->actors[i].drawn);
        web_asked_clear(&b->actors[i].ask);
    }
    memset(b->actors, 0, sizeof b->actors);
    b->actor_count = 0;
}

/// Every character continues from where its predecessor is, on its path and with its devices; additional ones from
/// where the first is.
static am_result take_over(web_set *b, const web_set *before, bool flows, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < b->actor_count && result == AM_OK; i++) {
        const web_actor *from = &before->actors[i < before->actor_count ? i : 0];
        result = am_actor_take_over(b->actors[i].character, from->character, err);
        b->actors[i].devices = from->devices;
        b->actors[i].stroll = from->stroll;
        web_asked_copy(&b->actors[i].ask, &from->ask, web_scene_schema(b, b->actors[i].character));
        if (flows) {
            b->actors[i].target = from->target; // others cannot be sent
        }
        am_settings settings;
        am_actor_get_settings(b->actors[i].character, &settings);
        if (settings.root == AM_ROOT_SIMULATION) {
            // The point that moves the root starts at the body, which may have been elsewhere.
            am_actor_pose pose;
            am_actor_get_pose(b->actors[i].character, &pose);
            am_actor_place(b->actors[i].character, &pose.root.translation, am_quat_heading(pose.root.rotation));
        }
    }
    return result;
}

/// Whether the page offers to send its characters somewhere.
static bool can_be_sent(am_method method)
{
    int count;
    return method == AM_METHOD_FIELD || am_methods(&count)[method].asked;
}

am_result web_scene_fill(web_set *b, const web_lineup *lineup, const web_set *before, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < lineup->count && result == AM_OK; i++) {
        result = add_actor(b, lineup, err);
    }
    if (result == AM_OK && before) {
        result = take_over(b, before, can_be_sent(lineup->method), err);
    }
    if (result != AM_OK) {
        close_actors(b);
    }
    return result;
}

void web_scene_devices(web_set *b)
{
    am_actor_get_speeds(b->actors[0].character, &b->intent);
    for (int i = 0; i < b->actor_count; i++) {
        am_intent_state_init(&b->actors[i].devices, &b->intent);
    }
}

int web_scene_exchange(web_set *next, const web_lineup *lineup, const web_set *before)
{
    memset(next->actors, 0, sizeof next->actors);
    next->actor_count = 0;
    am_result result = web_scene_fill(next, lineup, before, &web_now.error);
    if (result != AM_OK) {
        return (int)result;
    }
    for (int i = 0; before && lineup->ahead && i < web_now.open.actor_count && i < next->actor_count; i++) {
        // Characters that were steered until now have no room for one: the new ones keep theirs.
        if (web_now.open.actors[i].drawn.room > 0) {
            web_path_track_swap(&next->actors[i].drawn, &web_now.open.actors[i].drawn);
        }
    }
    close_actors(&web_now.open);
    web_now.open = *next;
    if (!before) {
        web_scene_devices(&web_now.open);
        web_view_clear();
    }
    return 0;
}

int web_scene_replace(const web_lineup *lineup, const web_set *before)
{
    web_set next = web_now.open;
    int code = web_scene_exchange(&next, lineup, before);
    memcpy(web_now.open.assets, next.assets, sizeof next.assets); // one that was opened for them stays
    return code;
}

// ---------------------------------------------------------------------------------------------
// Closing

void web_scene_free(web_bytes *bytes)
{
    free(bytes->data);
    *bytes = (web_bytes){ 0 };
}

void web_scene_solver(web_set *b)
{
#if defined(AMBLE_HAS_PHYSICS)
    const am_push_engine *engine = am_physics_engine();
    if (b->db->has_poses &&
        engine->create(engine->user, &b->solver, b->db->skeleton, &b->db->roles, NULL, NULL) != AM_OK) {
        b->solver = NULL;
    }
#else
    b->solver = NULL;
#endif
}

void web_scene_close_solver(web_set *b)
{
#if defined(AMBLE_HAS_PHYSICS)
    const am_push_engine *engine = am_physics_engine();
    engine->destroy(engine->user, b->solver);
#endif
    b->solver = NULL;
}

void web_scene_close(web_set *b)
{
    close_actors(b);
    web_scene_close_solver(b);
    for (int m = 0; m < AM_METHOD_OWN; m++) {
        am_asset_close(b->assets[m]);
        web_scene_free(&b->models[m]);
    }
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        free(b->tags[a]);
    }
    am_db_close(b->own_db);
    web_scene_free(&b->database);
    web_scene_free(&b->direction);
    *b = (web_set){ 0 };
}
