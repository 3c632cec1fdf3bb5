/// A body that a source moves over the procedural database, shared by the tests of sources. Each test program has one
/// database, one index and one search work.
#ifndef AMBLE_TESTS_SOURCE_PLAYER_H
#define AMBLE_TESTS_SOURCE_PLAYER_H

#include "support/check.h"
#include "support/synth_db.h"
#include "data/search.h"

#define DT (1.0f / 60.0f)
enum { most_joints = 64 };

static am_db *db;
static am_index *index_;
static am_search_work *work;

static inline int open_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make(false, &err);
    ami_index_def def = ami_index_def_default();
    def.db = db;
    return db && ami_index_create(&index_, &def, &err) == AM_OK &&
                   ami_search_work_create(&work, index_, NULL, &err) == AM_OK
               ? 0
               : -1;
}

static inline int close_all(void **state)
{
    (void)state;
    ami_search_work_destroy(work);
    ami_index_destroy(index_);
    am_db_close(db);
    return 0;
}

typedef struct player {
    am_source *source;
    uint64_t state[8];
    am_transform local[most_joints], left[most_joints], landed[most_joints];
    am_velocity left_velocity[most_joints], landed_velocity[most_joints];
    am_source_output out;
    am_query_point target[4];
    am_transform root;
} player;

/// Takes the source over and begins at a frame, -1 for where the source begins by itself.
static inline void player_begin(player *p, am_source *source, int frame)
{
    memset(p, 0, sizeof *p);
    p->source = source;
    assert_true(p->source->interface->state_size(p->source) <= sizeof p->state);
    p->out.local = p->local;
    p->out.left = (am_source_pose){ .local = p->left, .velocity = p->left_velocity };
    p->out.landed = (am_source_pose){ .local = p->landed, .velocity = p->landed_velocity };
    p->root = am_transform_identity();
    p->source->interface->reset(p->source, p->state, frame, NULL);
}

#endif
