// Creates actors: their memory, their parts, and their first pose.
#include "actor/actor.h"

#include "actor/push.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/net.h"
#include "base/rng.h"

#include <string.h>

void am_actor_def_init(am_actor_def *def, const am_asset *asset)
{
    int method = asset ? 0 : AM_METHOD_OWN;
    while (method < AM_METHOD_OWN && (am_asset_methods(asset) >> method & 1) == 0) {
        method++;
    }
    *def = (am_actor_def){ .asset = asset, .start_frame = -1, .cookie = AM_COOKIE };
    am_settings_init(&def->settings, (am_method)method);
}

// ---------------------------------------------------------------------------------------------
// Memory

/// The parts of the flat block of a method, in their order.
static void place_flat(am_actor *c, ami_layout *layout, const ami_prepared *prepared)
{
    const am_source *source = prepared->source;
    size_t joints = (size_t)c->joint_count;
    ami_inertia_def inertia = c->inertia_def;
    inertia.moving_count = source->db ? source->db->moving_count : 1;
    c->state = ami_layout_take(layout, 1, sizeof *c->state);
    c->trajectory = ami_layout_take(layout, AM_MAX_TRAJECTORY, sizeof *c->trajectory);
    c->past = c->keeps_past ? ami_layout_take(layout, AMI_PAST_PLACES, sizeof *c->past) : NULL;
    c->source_state = ami_layout_take(layout, 1, source->interface->state_size(source));
    c->inertia = ami_layout_take(layout, 1, ami_inertia_size(&inertia));
    c->source_local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->local_raw = ami_layout_take(layout, joints, sizeof(am_transform));
    c->local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->world_raw = ami_layout_take(layout, joints, sizeof(am_transform));
    c->world = ami_layout_take(layout, joints, sizeof(am_transform));
    if (c->path.room > 0) {
        c->path.head = ami_layout_take(layout, 1, sizeof *c->path.head);
        c->path.laid = ami_layout_take(layout, (size_t)c->path.room, sizeof *c->path.laid);
        c->path.points = ami_layout_take(layout, (size_t)c->path.room, sizeof *c->path.points);
        size_t told = c->direction ? (size_t)c->path.room : 0;
        c->path.facings = told > 0 ? ami_layout_take(layout, told, sizeof *c->path.facings) : NULL;
    }
    c->plain_size = layout->size;
    c->stand = ami_layout_take(layout, 1, sizeof *c->stand);
    c->stand_pose = ami_layout_take(layout, joints, sizeof(am_transform));
    c->stood_size = layout->size;
    if (c->solver) {
        c->push.head = ami_layout_take(layout, 1, sizeof *c->push.head);
        c->push.from = ami_layout_take(layout, joints, sizeof(am_transform));
        c->push.to = ami_layout_take(layout, joints, sizeof(am_transform));
        c->push.before = ami_layout_take(layout, joints, sizeof(am_transform));
    }
    c->pushed_size = layout->size;
    c->objects = ami_layout_take(layout, 1, sizeof *c->objects);
}

size_t ami_actor_flat_size(const am_actor *c, const ami_prepared *prepared)
{
    am_actor sketch = *c;
    ami_layout layout = { 0 };
    place_flat(&sketch, &layout, prepared);
    return layout.size;
}

void ami_actor_lay_out(am_actor *c)
{
    ami_layout layout = { c->flat, 0, false };
    place_flat(c, &layout, c->prepared);
    c->flat_size = layout.size;
    c->output.local = c->source_local;
}

static void place_recent(am_actor *c, ami_layout *layout)
{
    size_t joints = (size_t)c->joint_count;
    c->recent = ami_layout_take(layout, 1, sizeof *c->recent);
    c->before = ami_layout_take(layout, joints, sizeof(am_transform));
    c->previous = ami_layout_take(layout, joints, sizeof(am_transform));
    c->arrival = ami_layout_take(layout, 2 * joints, sizeof(am_velocity));
}

static void place_all(am_actor *c, ami_layout *layout, size_t stride)
{
    size_t joints = (size_t)c->joint_count;
    c->flat = ami_layout_take(layout, 1, c->flat_room);
    c->recent_block = ami_layout_take(layout, 1, c->recent_size);
    c->next = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.left.local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.left.velocity = ami_layout_take(layout, joints, sizeof(am_velocity));
    c->output.landed.local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.landed.velocity = ami_layout_take(layout, joints, sizeof(am_velocity));
    c->weight_room = ami_layout_take(layout, 3 * stride, sizeof(float));
    size_t pushed = c->solver ? joints : 0;
    c->push.x = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->push.pose = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->push.previous = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->window = ami_layout_take(layout, c->direction ? 1 : 0, sizeof *c->window);
    c->path.scratch = ami_layout_take(layout, (size_t)c->path.room * ami_path_scratch, sizeof(float));
}

// ---------------------------------------------------------------------------------------------
// Parts

static void set_feet(am_actor *c)
{
    const am_source *source = c->prepared->source;
    const int16_t *joint = source->roles->joint;
    c->feet_def = ami_feet_def_default();
    c->feet_def.skeleton = source->skeleton;
    c->feet_def.roles = source->roles;
    c->feet_def.floor_m = c->prepared->facts.toe_m;
    c->feet_def.heel_m = c->prepared->facts.heel_m;
    static const am_role sides[2][2] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
                                         { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE } };
    for (int side = 0; side < 2; side++) {
        int ankle = joint[sides[side][0]];
        int toe = joint[sides[side][1]];
        bool whole = ankle >= 0 && toe >= 0;
        c->feet_def.heel_offset[side] = whole ? ami_heel_offset(source->skeleton, ankle, toe) : am_v3_zero();
    }
}

void ami_actor_set_parts(am_actor *c)
{
    static const int16_t hips = 0;
    const am_db *db = c->prepared->source->db;
    const am_settings *set = &c->settings;
    c->inertia_def.mode = set->inertialise;
    c->inertia_def.halflife = set->inertialise_halflife;
    c->inertia_def.seconds = set->inertialise_seconds;
    c->inertia_def.bend_mps2 = set->inertialise_bend;
    c->inertia_def.reach = c->prepared->reach;
    c->inertia_def.moving = db ? db->moving : &hips;
    c->inertia_def.moving_count = db ? db->moving_count : 1;
    set_feet(c);
    ami_actor_weigh(c);
}

static void begin(am_actor *c, const am_actor_def *def)
{
    ami_state *s = c->state;
    s->rng = ami_rng_make(def->seed);
    s->root.rotation = am_quat_from_heading(def->heading);
    s->root.translation = am_v3_ground(def->position);
    s->position = s->root.translation;
    s->heading = s->target_heading = s->searched_heading = am_wrap_angle(def->heading);
    s->height = c->prepared->facts.hip_m;
    s->activity = (c->prepared->activities >> AM_ACTIVITY_STAND & 1) != 0 ? AM_ACTIVITY_STAND : AM_ACTIVITY_MOVE;
    ami_inertia_reset(c->inertia, &c->inertia_def);
    ami_feet_reset(&s->feet);
    const am_source *source = c->prepared->source;
    size_t size = (size_t)c->joint_count * sizeof *c->local;
    source->interface->reset(source, c->source_state, def->start_frame, ami_source_settings(c));
    source->interface->pose(source, c->source_state, &c->output, c->work);
    s->frame = c->output.frame;
    s->contacts = c->output.contacts;
    memcpy(c->local_raw, c->source_local, size);
    memcpy(c->local, c->source_local, size);
    memcpy(c->previous, c->source_local, size);
    c->recent->previous_root = s->root;
    am_fk(c->world, c->local, source->skeleton->parents, c->joint_count);
    for (int j = 0; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(s->root, c->world[j]);
    }
    memcpy(c->world_raw, c->world, size);
    ami_history_begin(c);
    ami_push_end(c);
}

// ---------------------------------------------------------------------------------------------

static am_result check_def(const am_actor_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || (!def->asset && !def->source)) {
        return ami_fail(err, AM_ERR_DEF, "initialise the actor def with am_actor_def_init() and give it an asset");
    }
    float sum = def->position.x + def->position.z + def->heading;
    if (!(sum * 0.0f == 0.0f) || def->path_points < 0 || def->path_points > 100000000) {
        return ami_fail(err, AM_ERR_DEF, "actor def: start or path_points out of range");
    }
    return am_settings_check(&def->settings, err);
}

/// Everything that is known before memory is allocated; returns the longest stride of weights.
static size_t sketch_actor(am_actor *c, const am_actor_def *def, const am_asset *asset, const ami_prepared *prepared)
{
    size_t stride = 0;
    c->asset = asset;
    c->joint_count = am_asset_skeleton(asset)->joint_count;
    c->path.room = def->path_points;
    c->solver = def->push;
    c->clock = def->clock;
    c->direction = def->path_points > 0 ? ami_asset_direction(asset) : NULL;
    c->inertia_def = ami_inertia_def_default();
    c->inertia_def.joint_count = c->joint_count;
    c->lent_work = def->work;
    c->lent_family = ami_method_family(def->settings.method);
    c->prepared = prepared;
    for (int pass = 0; pass < 2; pass++) {
        for (int m = 0; m < AM_METHOD_COUNT; m++) {
            const ami_prepared *one = ami_asset_prepared(asset, (am_method)m);
            if (one && pass == 0) {
                size_t wide = one->source->db ? (size_t)one->source->db->features.stride : 0;
                c->keeps_past |= one->past_s > 0.0f;
                stride = wide > stride ? wide : stride;
            } else if (one) {
                size_t size = ami_actor_flat_size(c, one);
                c->flat_room = size > c->flat_room ? size : c->flat_room;
            }
        }
    }
    return stride;
}

static am_result take_parts(am_actor *c, const am_actor_def *def, am_error *err)
{
    const am_schema *schema = c->prepared->source->db ? c->prepared->source->db->features.schema : NULL;
    for (int i = 0; i < AM_MAX_CHANNELS; i++) {
        bool given = def->channel_weights && schema && i < schema->channel_count;
        if (given && !(def->channel_weights[i] >= 0.0f && def->channel_weights[i] <= 1e3f)) {
            return ami_fail(err, AM_ERR_RANGE, "the weight of '%s' must be a number from 0 to 1000",
                            schema->channels[i].name);
        }
        c->factors[i] = given ? def->channel_weights[i] : 1.0f;
        c->factored |= given;
    }
    const uint64_t words[] = { ami_asset_key(c->asset), (uint64_t)c->path.room, c->solver != NULL };
    c->key = am_hash64(words, sizeof words, 1);
    ami_change change;
    am_result result = ami_change_make(&change, c, &def->settings, def->tags, err);
    if (result == AM_OK) {
        ami_change_take(&change, c);
    }
    if (result == AM_OK && c->direction) {
        result = am_net_work_create(&c->direction_work, c->direction, 1, &c->alloc, err);
    }
    return result;
}

static am_result create_over(am_actor **out, const am_actor_def *def, const am_asset *asset, am_error *err)
{
    const ami_prepared *prepared = ami_asset_prepared(asset, def->settings.method);
    if (!prepared) {
        return ami_fail(err, AM_ERR_SUPPORT, "the asset has no database or networks for the method '%s'",
                        am_method_name(def->settings.method));
    }
    if (def->push && (!def->push->solve || !am_skeleton_same_shape(def->push->skeleton, am_asset_skeleton(asset)))) {
        return ami_fail(err, AM_ERR_SKELETON, "the push solver was made for another skeleton");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_actor sketch = { .alloc = alloc };
    size_t stride = sketch_actor(&sketch, def, asset, prepared);
    ami_layout recent = { 0 }, whole = { 0 };
    place_recent(&sketch, &recent);
    sketch.recent_size = recent.size;
    ami_layout_take(&whole, 1, sizeof sketch);
    place_all(&sketch, &whole, stride);
    uint8_t *block = ami_alloc_zero(&alloc, whole.size);
    if (!block) {
        return ami_fail_memory(err, whole.size);
    }
    ami_layout place = { block, 0, false };
    am_actor *c = ami_layout_take(&place, 1, sizeof *c);
    *c = sketch;
    c->block_size = whole.size;
    place_all(c, &place, stride);
    ami_layout inner = { c->recent_block, 0, false };
    place_recent(c, &inner);
    ami_actor_lay_out(c);
    am_result result = take_parts(c, def, err);
    if (result != AM_OK) {
        am_actor_destroy(c);
        return result;
    }
    begin(c, def);
    *out = c;
    return AM_OK;
}

am_result am_actor_create(am_actor **out, const am_actor_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK || !def->source) {
        return result == AM_OK ? create_over(out, def, def->asset, err) : result;
    }
    am_asset *asset = NULL;
    am_asset_def around;
    am_asset_def_init(&around);
    around.alloc = def->alloc;
    around.source = def->source;
    result = am_asset_create(&asset, &around, err);
    if (result == AM_OK) {
        am_actor_def own = *def;
        own.settings.method = AM_METHOD_OWN;
        result = create_over(out, &own, asset, err);
    }
    if (result != AM_OK || !*out) {
        am_asset_close(asset);
        return result;
    }
    (*out)->own_asset = asset;
    return AM_OK;
}

am_result am_actor_open(am_actor **out, const char *file, am_error *err)
{
    *out = NULL;
    am_asset *asset = NULL;
    am_asset_file one = { .name = file };
    am_result result = am_asset_open(&asset, &one, 1, NULL, err);
    if (result == AM_OK) {
        am_actor_def def;
        am_actor_def_init(&def, asset);
        result = am_actor_create(out, &def, err);
    }
    if (result != AM_OK || !*out) {
        ami_error_file(err, file);
        am_asset_close(asset);
        return result;
    }
    (*out)->own_asset = asset;
    return AM_OK;
}

void am_actor_destroy(am_actor *c)
{
    if (!c) {
        return;
    }
    am_alloc alloc = c->alloc;
    am_asset *asset = c->own_asset;
    for (int m = 0; m < AM_METHOD_COUNT; m++) {
        ami_search_work_destroy(c->own_works[m]);
    }
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        ami_release(&alloc, c->tags[a], c->tags[a] ? strlen(c->tags[a]) + 1 : 0);
    }
    ami_prepared_destroy(c->own_prepared);
    am_net_work_destroy(c->direction_work);
    ami_release(&alloc, c, c->block_size);
    am_asset_close(asset);
}
