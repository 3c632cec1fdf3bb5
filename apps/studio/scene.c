// Who is on the page's scene: sources by the method, characters over them, and how new ones take over from the old.
#include "scene.h"

#include "view.h"

#if defined(AMBLE_HAS_PHYSICS)
#include <amble/physics.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Room for a path: at 60 points a second eighteen minutes, of a round eight.
#define PATH_POINTS 65536
// Of a path that is measured.
#define LONGEST_WAY_S 600

web_page web_now = { .lineup = { .count = 1 }, .task = WEB_TASK_SPEED, .policy = AM_FIELD_LOOKAHEAD };

static double microseconds(void *user)
{
    (void)user;
    return am_clock_us();
}

static const am_clock page_clock = { NULL, microseconds };

double web_microseconds(void) { return microseconds(NULL); }

am_character *web_chosen(void) { return web_now.open.actors[web_now.chosen].character; }

void web_scene_options(void)
{
    if (!web_now.options_set) {
        web_now.match = am_match_def_default();
        web_now.character = am_character_def_default();
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

static am_result make_match(web_set *b, bool ahead, am_error *err)
{
    am_long_horizon_def horizon = am_long_horizon_def_default();
    horizon.match = web_now.match;
    horizon.match.db = b->db;
    horizon.match.index = b->index;
    return ahead ? am_long_horizon_create(&b->source, &horizon, err)
                 : am_match_create(&b->source, &horizon.match, err);
}

am_result web_scene_learned(web_set *b, am_error *err)
{
    am_learned_def def = am_learned_def_default();
    def.model = b->networks;
    def.search_every_s = web_now.match.search_every_s;
    am_result result = am_learned_create(&b->learned, &def, err);
    if (result == AM_OK && !am_skeleton_same_shape(b->learned->skeleton, b->db->skeleton)) {
        *err = (am_error){ .code = AM_ERR_SKELETON, .offset = -1, .text = "the networks have another skeleton" };
        result = AM_ERR_SKELETON;
    }
    return result;
}

/// The sources that a cast needs. Refuses methods that there is nothing for.
static am_result make_sources(web_set *b, const web_lineup *who, am_error *err)
{
    if (who->method == WEB_FIELD) {
        // Drawings are lines that bend.
        return web_fields_source(&b->flow, &b->fields, b->db, who->ahead ? WEB_TASK_LINE : web_now.task,
                                 web_now.policy, err);
    }
    bool learned = who->method == WEB_LEARNED || who->method == WEB_SIDE_BY_SIDE;
    bool match = who->method != WEB_LEARNED;
    if ((learned && !b->networks) || (match && !b->index)) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1 };
        snprintf(err->text, sizeof err->text,
                 learned && !b->networks ? "there are no networks for this data set" : "matching needs a database");
        return AM_ERR_SUPPORT;
    }
    am_result result = match ? make_match(b, who->ahead || who->method == WEB_LONG_HORIZON, err) : AM_OK;
    return result == AM_OK && learned ? web_scene_learned(b, err) : result;
}

/// One more character, which stands at place [x m, z m, heading rad].
static am_result add_actor(web_set *b, bool ahead, const float *place, am_error *err)
{
    web_actor *a = &b->actors[b->actor_count];
    am_character_def def = web_now.character;
    bool second = b->source && b->learned && b->actor_count > 0; // side by side
    a->source = b->flow ? b->flow : b->source && !second ? b->source : b->learned;
    def.source = a->source;
    def.like = b->actor_count > 0 && !second ? b->actors[0].character : NULL;
    def.work = b->work;
    if (b->flow) {
        def.root = AM_ROOT_ANIMATION; // its own flow is how a field turns and goes
        def.candidates = AM_MAX_CANDIDATES;
    }
    def.clock = &page_clock;
    def.seed = run_seed(b->actor_count);
    def.path_points = ahead ? PATH_POINTS : 0;
    def.direction = ahead ? b->direction : NULL;
    def.push = b->solver;
    def.position = am_v3(place[0], 0.0f, place[1]);
    def.heading = place[2];
    a->stroll = web_stroll_make(def.seed, def.position);
    am_result result = am_character_create(&a->character, &def, err);
    if (result == AM_OK && ahead && !web_drawn_create(&a->drawn, LONGEST_WAY_S)) {
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "no memory for the ways of paths" };
        result = AM_ERR_MEMORY;
    }
    b->actor_count++;
    return result;
}

void web_scene_forget(web_set *b)
{
    b->source = b->learned = b->flow = NULL;
    b->work = NULL;
}

static void close_actors(web_set *b)
{
    // The first one last: the others share what it owns.
    for (int i = b->actor_count - 1; i >= 0; i--) {
        am_character_destroy(b->actors[i].character);
        web_drawn_free(&b->actors[i].drawn);
    }
    memset(b->actors, 0, sizeof b->actors);
    b->actor_count = 0;
    am_source_destroy(b->source);
    am_source_destroy(b->learned);
    am_source_destroy(b->flow);
    am_search_work_destroy(b->work);
    web_scene_forget(b);
}

/// Every character goes on from where the one before it is, on its path and with its devices; those who are new from
/// where the first is.
static am_result take_over(web_set *b, const web_set *before, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < b->actor_count && result == AM_OK; i++) {
        const web_actor *from = &before->actors[i < before->actor_count ? i : 0];
        result = am_character_take_over(b->actors[i].character, from->character, err);
        b->actors[i].devices = from->devices;
        b->actors[i].stroll = from->stroll;
        if (b->flow) {
            b->actors[i].target = from->target; // others cannot be sent
        }
        if (web_now.character.root == AM_ROOT_SIMULATION) {
            // The point that moves the root begins at the body, which may have been away from it.
            am_transform root = am_character_get_pose(b->actors[i].character).root;
            am_character_place(b->actors[i].character, root.translation, am_quat_heading(root.rotation));
        }
    }
    return result;
}

am_result web_scene_fill(web_set *b, const web_lineup *who, const web_set *before, am_error *err)
{
    am_result result = make_sources(b, who, err);
    if (result == AM_OK && who->crowd) {
        const am_source *source = b->flow ? b->flow : b->source ? b->source : b->learned;
        result = am_source_work_create(&b->work, source, who->count, NULL, err);
    }
    for (int i = 0; i < who->count && result == AM_OK; i++) {
        result = add_actor(b, who->ahead, who->places[i], err);
    }
    if (result == AM_OK && before) {
        result = take_over(b, before, err);
    }
    if (result != AM_OK) {
        close_actors(b);
    }
    return result;
}

void web_scene_devices(web_set *b)
{
    b->intent = am_intent_def_for(b->actors[0].source);
    b->intent.walk_mps = web_now.walk_mps > 0.0f ? web_now.walk_mps : b->intent.walk_mps;
    for (int i = 0; i < b->actor_count; i++) {
        b->actors[i].devices = am_intent_state_make(&b->intent);
    }
}

int web_scene_replace(const web_lineup *who, const web_set *before)
{
    web_set next = web_now.open;
    web_scene_forget(&next);
    memset(next.actors, 0, sizeof next.actors);
    next.actor_count = 0;
    am_result result = web_scene_fill(&next, who, before, &web_now.error);
    web_now.open.fields = next.fields; // a field that was made for them stays, also when they do not
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

void web_scene_close_model(web_set *b)
{
    am_net_destroy(b->direction);
    am_model_close(b->model);
    free(b->model_bytes);
    b->direction = NULL;
    b->model = NULL;
    b->model_bytes = NULL;
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
    web_scene_close_model(b);
    web_fields_close(&b->fields);
    am_index_destroy(b->index);
    am_db_close(b->db);
    am_model_close(b->networks);
    free(b->network_bytes);
    free(b->bytes);
    *b = (web_set){ 0 };
}
