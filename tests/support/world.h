/// A character on procedural motion, for the tests of control.
#ifndef AMBLE_TEST_CONTROL_WORLD_H
#define AMBLE_TEST_CONTROL_WORLD_H

#include "actor/get.h"
#include "support/check.h"
#include "support/synth_db.h"
#include "actor/intent.h"
#include "method/sources.h"

#define DT (1.0f / 60.0f)

typedef struct world {
    am_index *index;
    am_source *source;
    am_asset *asset; ///< of tests that need more than the source; NULL
    am_actor *character;
    am_intent_def intent_def;
} world;

static am_db *shared_db; // made once for all tests of a program: it takes a second

static inline int make_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    shared_db = synth_db_make(true, &err);
    return shared_db ? 0 : -1;
}

static inline int free_db(void **state)
{
    (void)state;
    am_db_close(shared_db);
    return 0;
}

/// Everything but the character, whose def it gives.
static inline am_actor_def open_world(world *w)
{
    am_error err = { 0 };
    memset(w, 0, sizeof *w);
    ami_index_def index = ami_index_def_default();
    index.db = shared_db;
    check_ok(ami_index_create(&w->index, &index, &err), &err);
    ami_match_def match = ami_match_def_default();
    match.db = shared_db;
    match.index = w->index;
    check_ok(ami_match_create(&w->source, &match, &err), &err);
    w->intent_def = ami_intent_def_of(shared_db);
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = w->source;
    return def;
}

static inline void make_world(world *w)
{
    am_error err = { 0 };
    am_actor_def def = open_world(w);
    check_ok(am_actor_create(&w->character, &def, &err), &err);
}

static inline void free_world(world *w)
{
    am_actor_destroy(w->character);
    am_asset_close(w->asset);
    ami_source_destroy(w->source);
    ami_index_destroy(w->index);
}

/// Holds keys for some seconds, in steps of dt.
static inline void hold_at(world *w, uint32_t keys, float seconds, float dt)
{
    am_intent_state state;
    am_intent_state_init(&state, &w->intent_def);
    int steps = (int)(seconds / dt + 0.5f);
    for (int i = 0; i < steps; i++) {
        am_intent intent = ami_intent_from_keys(&state, &w->intent_def, keys, dt);
        am_actor_step(w->character, &intent, dt);
    }
}

static inline void hold(world *w, uint32_t keys, float seconds) { hold_at(w, keys, seconds, DT); }

static inline am_vec3 place(const world *w) { return ami_pose_of(w->character).root.translation; }
static inline am_activity activity(const world *w) { return ami_view_of(w->character).activity; }

#endif
