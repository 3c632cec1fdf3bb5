// Changes the settings of an actor while it runs. Everything is checked and prepared first, so that a refusal changes
// nothing.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "method/field_source.h"
#include "data/features.h"
#include <amble/tools/schema.h>

#include <stdlib.h>
#include <string.h>

static ami_weighing weighing_of(const am_actor *c, const am_settings *settings)
{
    ami_weighing how = { settings->trajectory_weight, settings->pose_weight, c->factored ? c->factors : NULL,
                         settings->as_printed != 0 };
    return how;
}

void ami_actor_weigh(am_actor *c)
{
    const am_db *db = c->prepared->source->db;
    ami_weighing how = weighing_of(c, &c->settings);
    c->weighs = db && !db->features.pca && ami_weighing_matters(&how);
    if (c->weighs) {
        ami_weights_set(&c->weights, c->weight_room, db, &how);
    }
}

// ---------------------------------------------------------------------------------------------
// Changes

static am_result check(const am_actor *c, const am_settings *settings, const ami_prepared *prepared, am_error *err)
{
    am_result result = am_settings_check(settings, err);
    ami_weighing how = weighing_of(c, settings);
    if (result != AM_OK) {
        return result;
    }
    if (!prepared) {
        return ami_fail(err, AM_ERR_SUPPORT, "the asset has no database or networks for the method '%s'",
                        am_method_name(settings->method));
    }
    if (prepared->source->db && prepared->source->db->features.pca && ami_weighing_matters(&how)) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "weights need features as they are, and this database keeps their principal components; "
                        "build it without \"pca\"");
    }
    if (c->solver && !prepared->ranges) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "pushes need the poses of a database to know how far joints turn; this method has none");
    }
    bool values = settings->method == AM_METHOD_FIELD && settings->policy == AM_FIELD_LOOKAHEAD;
    if (values && am_asset_value(c->asset, settings->task, settings->every) == 0) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the policy 'lookahead' needs a model with values of the task '%s'; name one with \"model\": "
                        "[\"field.amnet\"] (amble train makes it), or use the policy 'greedy' or 'passive'",
                        ami_field_task_name(settings->task));
    }
    return AM_OK;
}

/// Copies of the texts; *any says whether there is one.
static am_result copy_tags(char **out, bool *any, const am_actor *c, const char *const *tags, am_error *err)
{
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        size_t size = tags[a] ? strlen(tags[a]) + 1 : 0;
        out[a] = size > 0 ? ami_alloc_zero(&c->alloc, size) : NULL;
        if (size > 0 && !out[a]) {
            return ami_fail_memory(err, size);
        }
        if (out[a]) {
            memcpy(out[a], tags[a], size);
        }
        *any |= out[a] != NULL;
    }
    return AM_OK;
}

static bool same_tags(const am_actor *c, char *const *tags)
{
    bool same = true;
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        bool equal = c->tags[a] && tags[a] ? strcmp(c->tags[a], tags[a]) == 0 : c->tags[a] == tags[a];
        same &= equal;
    }
    return same;
}

am_result ami_change_make(ami_change *out, am_actor *c, const am_settings *settings, const char *const *tags,
                          am_error *err)
{
    am_method family = ami_method_family(settings->method);
    const ami_prepared *shared = ami_asset_prepared(c->asset, settings->method);
    bool any = false;
    *out = (ami_change){ .settings = *settings, .prepared = shared };
    am_result result = check(c, settings, shared, err);
    result = result == AM_OK ? copy_tags(out->tags, &any, c, tags, err) : result;
    if (result == AM_OK && any) {
        bool kept = c->own_prepared && c->own_prepared->source == shared->source && same_tags(c, out->tags);
        out->own_prepared = kept ? c->own_prepared : NULL;
        result = kept ? AM_OK : ami_prepared_create(&out->own_prepared, shared->source, tags, &c->alloc, err);
        out->prepared = out->own_prepared;
    }
    if (result == AM_OK) { // only now is the method known to be one
        out->work = c->lent_work && c->lent_family == family ? c->lent_work : c->own_works[family];
    }
    if (result == AM_OK && !out->work) {
        result = am_source_work_create(&c->own_works[family], shared->source, 1, &c->alloc, err);
        out->work = c->own_works[family];
    }
    if (result != AM_OK) {
        ami_change_drop(out, c);
    }
    return result;
}

void ami_change_drop(ami_change *change, const am_actor *c)
{
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        ami_release(&c->alloc, change->tags[a], change->tags[a] ? strlen(change->tags[a]) + 1 : 0);
        change->tags[a] = NULL;
    }
    if (change->own_prepared != c->own_prepared) {
        ami_prepared_destroy(change->own_prepared);
    }
    change->own_prepared = NULL;
}

void ami_change_take(ami_change *change, am_actor *c)
{
    ami_change old = { .own_prepared = c->own_prepared };
    uint8_t *tail = (uint8_t *)c->source_local;
    size_t tail_size = c->flat_size - (size_t)(tail - c->flat);
    memcpy(old.tags, c->tags, sizeof old.tags);
    memcpy(c->tags, change->tags, sizeof c->tags);
    c->own_prepared = change->own_prepared;
    c->prepared = change->prepared;
    c->work = change->work;
    c->settings = change->settings;
    ami_change_drop(&old, c);
    ami_actor_set_parts(c);
    ami_actor_lay_out(c);
    memmove(c->source_local, tail, tail_size);
}

/// Takes a change; the body continues as it is.
static void go_on(am_actor *c, ami_change *change)
{
    const am_source *before = c->prepared->source;
    am_inertialise blend = c->settings.inertialise;
    am_root_mode root = c->settings.root;
    ami_state *s = c->state;
    ami_find_velocities(c, c);
    ami_change_take(change, c);
    if (c->prepared->source != before || c->settings.inertialise != blend) {
        ami_begin_arrival(c);
    } else if ((c->prepared->activities >> s->activity & 1) == 0) {
        s->activity = AM_ACTIVITY_MOVE;
    }
    if (c->settings.root == AM_ROOT_SIMULATION && root != AM_ROOT_SIMULATION) {
        // The point that moves the root starts at the body, which may have been elsewhere.
        const am_vec3 here = s->root.translation;
        am_actor_place(c, &here, am_quat_heading(s->root.rotation));
    }
}

am_result am_actor_set(am_actor *c, const am_settings *settings, am_error *err)
{
    ami_change change;
    am_result result = ami_change_make(&change, c, settings, (const char *const *)c->tags, err);
    if (result == AM_OK) {
        go_on(c, &change);
    }
    return result;
}

void am_actor_get_settings(const am_actor *c, am_settings *out) { *out = c->settings; }

am_result am_actor_set_tags(am_actor *c, am_activity activity, const char *query, am_error *err)
{
    if ((int)activity < 0 || activity >= AM_ACTIVITY_COUNT) {
        return ami_fail(err, AM_ERR_RANGE, "no such activity");
    }
    const char *tags[AM_ACTIVITY_COUNT];
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        tags[a] = a == (int)activity ? query : c->tags[a];
    }
    ami_change change;
    am_result result = ami_change_make(&change, c, &c->settings, tags, err);
    if (result == AM_OK) {
        go_on(c, &change);
    }
    return result;
}

am_result am_actor_set_weight(am_actor *c, const char *feature, float weight, am_error *err)
{
    const am_db *db = c->prepared->source->db;
    int channel = db ? am_schema_find(db->features.schema, feature) : -1;
    if (channel < 0 || !(weight >= 0.0f && weight <= 1e3f)) {
        return ami_fail(err, channel < 0 ? AM_ERR_KEY : AM_ERR_RANGE,
                        channel < 0 ? "the data have no feature channel '%s'"
                                    : "the weight of '%s' must be a number from 0 to 1000",
                        feature);
    }
    if (db->features.pca) {
        return ami_fail(err, AM_ERR_SUPPORT, "weights need features as they are; build the database without \"pca\"");
    }
    c->factors[channel] = weight;
    c->factored = false;
    for (int i = 0; i < db->features.schema->channel_count; i++) {
        c->factored |= c->factors[i] != 1.0f;
    }
    ami_actor_weigh(c);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Sticks

void am_actor_get_speeds(const am_actor *c, am_intent_def *out)
{
    const am_settings *set = &c->settings;
    *out = c->prepared->speeds;
    out->walk_mps = set->walk_mps > 0.0f ? set->walk_mps : out->walk_mps;
    out->sprint_mps = set->sprint_mps > 0.0f ? set->sprint_mps : out->sprint_mps;
}

void am_actor_steer(const am_actor *c, am_intent *out, const am_stick *stick)
{
    am_intent_def speeds;
    am_actor_get_speeds(c, &speeds);
    am_intent_state state;
    am_intent_state_init(&state, &speeds);
    am_gamepad pad = { { stick->x, stick->y }, { stick->face_x, stick->face_y }, stick->actions };
    am_quat camera = am_quat_from_heading(stick->camera_heading);
    *out = ami_intent_from_gamepad(&state, &speeds, &pad, 0.0f);
    out->velocity = am_quat_rotate(camera, out->velocity);
    out->facing = am_quat_rotate(camera, out->facing);
}
