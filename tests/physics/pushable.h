/// A body that can be pushed and a motion field on procedural motion, for the tests of pushes.
#ifndef AMBLE_TEST_PHYSICS_PUSHABLE_H
#define AMBLE_TEST_PHYSICS_PUSHABLE_H

#include "support/world.h"
#include "method/sources.h"
#include "physics/body.h"

#include <amble/physics.h>

static am_physics *body;
static ami_field *field;
static am_source *passive;

static inline int open_all(void **state)
{
    am_error err = { 0 };
    if (make_db(state) != 0) {
        return -1;
    }
    am_physics_def def;
    am_physics_def_init(&def);
    def.skeleton = shared_db->skeleton;
    def.roles = &shared_db->roles;
    am_result result = am_physics_create(&body, &def, &err);
    ami_field_def field_def = ami_field_def_default();
    field_def.db = shared_db;
    result = result == AM_OK ? ami_field_create(&field, &field_def, &err) : result;
    ami_field_source_def source_def = ami_field_source_def_default();
    source_def.field = field;
    source_def.policy = AM_FIELD_PASSIVE;
    result = result == AM_OK ? ami_field_source_create(&passive, &source_def, &err) : result;
    return result == AM_OK ? 0 : -1;
}

static inline int close_all(void **state)
{
    ami_source_destroy(passive);
    ami_field_destroy(field);
    am_physics_destroy(body);
    return free_db(state);
}

#endif
