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

void web_scene_options(void)
{
    if (!web_now.options_set) {
        am_settings_init(&web_now.settings, AM_METHOD_MATCH);
        web_now.settings.task = WEB_TASK_SPEED;
        web_now.path = am_path_def_default();
        web_now.options_set = true;
    }
}

// ---------------------------------------------------------------------------------------------
// Making

/// The seed that `amble run` gives the characters of a script without one.
static uint64_t run_seed(int number)
{
    am_rng rng = am_rng_make(1);
    rng = am_rng_fork(&rng, (uint64_t)number);
    return am_rng_u64(&rng);
}

static am_method method_of(const web_lineup *who, int number)
{
    bool second = who->method == WEB_SIDE_BY_SIDE && number > 0;
    bool ahead = who->ahead || who->method == WEB_LONG_HORIZON;
    return who->method == WEB_FIELD               ? AM_METHOD_FIELD
           : who->method == WEB_LEARNED || second ? AM_METHOD_LEARNED
           : ahead                                ? AM_METHOD_LONG_HORIZON
                                                  : AM_METHOD_MATCH;
}

static int kind_of(am_method method)
{
    return method == AM_METHOD_FIELD     ? WEB_ASSET_FIELD
           : method == AM_METHOD_LEARNED ? WEB_ASSET_LEARNED
                                         : WEB_ASSET_MATCH;
}

am_settings web_scene_settings(const web_set *b, const web_lineup *who, int number)
{
    am_settings settings = web_now.settings;
    settings.method = method_of(who, number);
    if (settings.method == AM_METHOD_FIELD) {
        settings.root = AM_ROOT_ANIMATION; // a field turns and moves by its own flow
        settings.candidates = AM_MAX_CANDIDATES;
        settings.task = who->ahead ? WEB_TASK_LINE : settings.task; // drawings are lines that bend
        // Without trained values for a task, greedy is used.
        bool ahead = settings.policy == AM_FIELD_LOOKAHEAD;
        bool values = am_asset_value(b->assets[WEB_ASSET_FIELD], settings.task, 0) > 0;
        settings.policy = ahead && !values ? AM_FIELD_GREEDY : settings.policy;
    }
    return settings;
}

int web_scene_set(void)
{
    am_result result = am_settings_check(&web_now.settings, &web_now.error);
    for (int i = 0; i < web_now.open.actor_count && result == AM_OK; i++) {
        am_settings settings = web_scene_settings(&web_now.open, &web_now.lineup, i);
        result = am_actor_set(web_now.open.actors[i].character, &settings, &web_now.error);
    }
    return (int)result;
}

am_result web_scene_open(web_set *b, int kind, am_error *err)
{
    static const uint32_t methods[WEB_ASSET_COUNT] = { 1u << AM_METHOD_MATCH, 1u << AM_METHOD_LEARNED,
                                                       1u << AM_METHOD_FIELD };
    const web_bytes *main = kind == WEB_ASSET_MATCH     ? &b->database
                            : kind == WEB_ASSET_LEARNED ? &b->networks
                                                        : &b->values;
    am_asset_file files[2] = { { "direction", b->direction.data, b->direction.size },
                               { "data", main->data, main->size } };
    int first = b->direction.data ? 0 : 1;
    am_asset_def def;
    am_asset_def_init(&def);
    def.files = files + first;
    def.file_count = (main->data ? 2 : 1) - first;
    def.db = kind == WEB_ASSET_FIELD ? b->db : NULL;
    def.methods = methods[kind];
    if (b->assets[kind]) {
        return AM_OK;
    }
    am_result result = am_asset_create(&b->assets[kind], &def, err);
    if (result == AM_OK && b->db && !am_skeleton_same_shape(am_asset_skeleton(b->assets[kind]), b->db->skeleton)) {
        *err = (am_error){ .code = AM_ERR_SKELETON,
                           .offset = -1,
                           .text = "the networks were made for another skeleton" };
        result = AM_ERR_SKELETON;
        am_asset_close(b->assets[kind]);
        b->assets[kind] = NULL;
    }
    return result;
}

/// The assets that a cast needs. Refuses methods without data.
static am_result find_assets(web_set *b, const web_lineup *who, am_error *err)
{
    if (who->method == WEB_FIELD && b->database.data) {
        return web_scene_open(b, WEB_ASSET_FIELD, err);
    }
    bool learned = who->method == WEB_LEARNED || who->method == WEB_SIDE_BY_SIDE;
    bool match = who->method != WEB_LEARNED;
    if ((learned && !b->assets[WEB_ASSET_LEARNED]) || (match && !b->assets[WEB_ASSET_MATCH])) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1 };
        snprintf(err->text, sizeof err->text,
                 learned && !b->assets[WEB_ASSET_LEARNED] ? "there are no networks for this data set"
                                                          : "matching needs a database");
        return AM_ERR_SUPPORT;
    }
    return AM_OK;
}

/// One more character, which stands at place [x m, z m, heading rad].
static am_result add_actor(web_set *b, const web_lineup *who, am_error *err)
{
    int number = b->actor_count;
    const float *place = who->places[number];
    web_actor *a = &b->actors[number];
    am_actor_def def;
    am_settings settings = web_scene_settings(b, who, number);
    am_actor_def_init(&def, b->assets[kind_of(settings.method)]);
    def.settings = settings;
    def.clock = &page_clock;
    def.seed = run_seed(number);
    def.path_points = who->ahead ? PATH_POINTS : 0;
    def.push = b->solver;
    def.position = am_v3(place[0], 0.0f, place[1]);
    def.heading = place[2];
    a->stroll = web_stroll_make(def.seed, def.position);
    am_result result = am_actor_create(&a->character, &def, err);
    if (result == AM_OK && who->ahead && !web_drawn_create(&a->drawn, LONGEST_WAY_S)) {
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
        web_drawn_free(&b->actors[i].drawn);
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
        if (flows) {
            b->actors[i].target = from->target; // others cannot be sent
        }
        if (web_now.settings.root == AM_ROOT_SIMULATION) {
            // The point that moves the root starts at the body, which may have been elsewhere.
            am_actor_pose pose;
            am_actor_get_pose(b->actors[i].character, &pose);
            am_actor_place(b->actors[i].character, pose.root.translation, am_quat_heading(pose.root.rotation));
        }
    }
    return result;
}

am_result web_scene_fill(web_set *b, const web_lineup *who, const web_set *before, am_error *err)
{
    am_result result = find_assets(b, who, err);
    for (int i = 0; i < who->count && result == AM_OK; i++) {
        result = add_actor(b, who, err);
    }
    if (result == AM_OK && before) {
        result = take_over(b, before, who->method == WEB_FIELD, err);
    }
    if (result != AM_OK) {
        close_actors(b);
    }
    return result;
}

void web_scene_devices(web_set *b)
{
    am_actor_get_speeds(b->actors[0].character, &b->intent);
    b->intent.walk_mps = web_now.walk_mps > 0.0f ? web_now.walk_mps : b->intent.walk_mps;
    for (int i = 0; i < b->actor_count; i++) {
        b->actors[i].devices = am_intent_state_make(&b->intent);
    }
}

int web_scene_replace(const web_lineup *who, const web_set *before)
{
    web_set next = web_now.open;
    memset(next.actors, 0, sizeof next.actors);
    next.actor_count = 0;
    am_result result = web_scene_fill(&next, who, before, &web_now.error);
    memcpy(web_now.open.assets, next.assets, sizeof next.assets); // an asset that was opened for them stays open
    if (result == AM_OK) {
        for (int i = 0; before && who->ahead && i < web_now.open.actor_count && i < next.actor_count; i++) {
            web_drawn_swap(&next.actors[i].drawn, &web_now.open.actors[i].drawn);
        }
        close_actors(&web_now.open);
        web_now.open = next;
    }
    if (result == AM_OK && !before) {
        web_scene_devices(&web_now.open);
        web_view_clear();
    }
    return (int)result;
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
    am_push_engine engine = am_physics_engine();
    if (b->db->has_poses &&
        engine.create(engine.user, &b->solver, b->db->skeleton, &b->db->roles, NULL, NULL) != AM_OK) {
        b->solver = NULL;
    }
#else
    b->solver = NULL;
#endif
}

static void close_solver(web_set *b)
{
#if defined(AMBLE_HAS_PHYSICS)
    am_push_engine engine = am_physics_engine();
    engine.destroy(engine.user, b->solver);
#endif
    b->solver = NULL;
}

void web_scene_close(web_set *b)
{
    close_actors(b);
    close_solver(b);
    for (int i = WEB_ASSET_COUNT - 1; i >= 0; i--) { // the field's before its database's
        am_asset_close(b->assets[i]);
    }
    web_scene_free(&b->database);
    web_scene_free(&b->networks);
    web_scene_free(&b->values);
    web_scene_free(&b->direction);
    *b = (web_set){ 0 };
}
