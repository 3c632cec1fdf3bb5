// What is asked of a flow or segment character: values from the caller or from the runtime controls, pose features
// from its own body, all as a vector in its frame, kept within what was seen in training, and encoded once a tick.
#include "method/latent.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Opening

/// What a walk over a schema gathers; counts alone where there is no room.
typedef struct gather {
    ami_latent *latent;
    int places;
} gather;

static bool is_spatial(ami_operator kind) { return kind == AMI_OP_LOCATION || kind == AMI_OP_VELOCITY; }

/// Notes where locations and velocities lie in a vector, those of every item of sets.
static void gather_places(gather *g, int node, int shift)
{
    const am_control_schema *schema = g->latent->schema;
    const ami_control_node *n = &schema->nodes[node];
    if (is_spatial(n->kind)) {
        if (g->latent->places) {
            g->latent->places[g->places] = n->vector + shift;
        }
        g->places++;
    }
    int items = n->kind == AMI_OP_SET ? n->most : 1;
    int item = n->kind == AMI_OP_SET && n->most > 0 ? (n->vector_count - 1) / n->most : 0;
    for (int i = 0; i < items; i++) {
        for (int p = 0; p < n->count; p++) {
            gather_places(g, n->first + p, shift + i * item);
        }
    }
}

static am_result gather_all(ami_latent *l, am_error *err)
{
    const am_skeleton *skeleton = l->character->skeleton;
    const am_roles *roles = &l->character->roles;
    gather g = { .latent = l };
    gather_places(&g, 0, 0);
    l->place_count = g.places;
    l->feature_count = ami_control_pose_parts(l->schema, skeleton, roles, NULL);
    l->places = ami_alloc_array(&l->base.alloc, (size_t)l->place_count + 1, sizeof *l->places);
    l->features = ami_alloc_array(&l->base.alloc, (size_t)l->feature_count + 1, sizeof *l->features);
    if (!l->places || !l->features) {
        return ami_fail_memory(err, (size_t)l->feature_count * sizeof *l->features);
    }
    g.places = 0;
    gather_places(&g, 0, 0);
    ami_control_pose_parts(l->schema, skeleton, roles, l->features);
    return AM_OK;
}

/// The runtime controls of an attached file of controls, which may have none.
static am_result open_runtime(ami_latent *l, const char *text, size_t size, am_error *err)
{
    am_json_doc *doc = NULL;
    am_result result = am_json_parse(&doc, text, size, AMI_FLOW_CONTROLS, &l->base.alloc, err);
    bool runtime = result == AM_OK && am_json_get(am_json_root(doc), "runtime");
    am_json_free(doc);
    return runtime ? ami_runtime_controls_read(&l->controls, l->schema, text, size, AMI_FLOW_CONTROLS, &l->base.alloc,
                                               err)
                   : result;
}

am_result ami_latent_open_controls(ami_latent *l, am_error *err)
{
    const ami_flow_head *h = &l->data.head;
    size_t size = 0;
    const char *text = am_model_attached(l->model, AMI_FLOW_SCHEMA, &size);
    if (h->vector_count == 0) {
        return AM_OK; // nothing can be asked
    }
    if (!text) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the network has no attachment '%s' of the controls that it was trained with",
                        AMI_FLOW_SCHEMA);
    }
    am_result result = am_control_schema_read(&l->schema, text, size, AMI_FLOW_SCHEMA, &l->base.alloc, err);
    if (result != AM_OK) {
        return result;
    }
    if (l->schema->vector_count != h->vector_count || l->schema->width != h->control_count ||
        l->schema->hash != h->schema_hash) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the attached schema asks for %d numbers and encodes them as %d; the networks were trained "
                        "with %d and %d of another one",
                        l->schema->vector_count, l->schema->width, h->vector_count, h->control_count);
    }
    result = am_control_create(&l->empty, l->schema, &l->base.alloc, err);
    result = result == AM_OK ? gather_all(l, err) : result;
    text = am_model_attached(l->model, AMI_FLOW_CONTROLS, &size);
    return result == AM_OK && text ? open_runtime(l, text, size, err) : result;
}

void ami_latent_close_controls(ami_latent *l)
{
    const am_alloc *alloc = &l->base.alloc;
    ami_release(alloc, l->places, ((size_t)l->place_count + 1) * sizeof *l->places);
    ami_release(alloc, l->features, ((size_t)l->feature_count + 1) * sizeof *l->features);
    ami_runtime_controls_destroy(l->controls);
    am_control_destroy(l->empty);
    am_control_schema_destroy(l->schema);
}

// ---------------------------------------------------------------------------------------------
// Values

static ami_control_world world_of(const ami_latent_batch *b, int member, am_transform root)
{
    const am_source_input *input = b->inputs[member];
    const ami_latent_head *head = b->states[member];
    const am_source_target *target = &input->target;
    float h = target->heading;
    return (ami_control_world){
        .root = root,
        .trajectory = input->trajectory,
        .trajectory_count = input->trajectory_count,
        .velocity = target->velocity,
        .facing = target->faces ? am_v3(am_sin(h), 0.0f, am_cos(h)) : am_v3_zero(),
        .point = target->point,
        .has_point = target->has_point,
        .jump = target->jump,
        .creep = target->creep,
        .dance = target->dance,
        .run = target->run,
        .time_s = (float)head->ticks / b->latent->data.head.fps,
    };
}

/// Where joints are and how they move, in the root's frame; `moves` includes the root's own movement.
static void find_motion(const ami_latent *l, const float *y, am_transform *places, am_velocity *moves)
{
    am_velocity local[AM_MAX_JOINTS];
    ami_pose pose = { .local = places, .velocity = local };
    ami_pose_read(&pose, &l->layout, y, l->character->skeleton, l->character->moving);
    const int16_t *parents = l->character->skeleton->parents;
    for (int j = 0; j < l->joints; j++) {
        am_transform parent = j == 0 ? am_transform_identity() : places[parents[j]];
        am_velocity with = j == 0 ? pose.root : moves[parents[j]];
        am_transform own = places[j];
        am_vec3 arm = am_quat_rotate(parent.rotation, own.translation);
        arm = j == 0 ? own.translation : arm;
        moves[j].linear = am_v3_add(
            with.linear, am_v3_add(am_v3_cross(with.angular, arm), am_quat_rotate(parent.rotation, local[j].linear)));
        moves[j].angular = am_v3_add(with.angular, am_quat_rotate(parent.rotation, local[j].angular));
        places[j] = am_transform_mul(parent, own);
    }
}

/// The pose features of a value, from the pose of the last tick.
static void fill_features(const ami_latent *l, float *value, const float *y, am_transform root)
{
    am_transform places[AM_MAX_JOINTS];
    am_velocity moves[AM_MAX_JOINTS];
    find_motion(l, y, places, moves);
    for (int i = 0; i < l->feature_count; i++) {
        const ami_pose_part *f = &l->features[i];
        am_vec3 v = f->kind == AMI_OP_DIRECTION ? am_v3(0.0f, 0.0f, 1.0f) : am_v3_zero();
        if (f->kind == AMI_OP_VELOCITY) {
            const float *own = y + l->layout.root_linear;
            v = f->joint >= 0 ? moves[f->joint].linear : am_v3(own[0], own[1], own[2]);
        } else if (f->kind == AMI_OP_LOCATION && f->joint >= 0) {
            v = places[f->joint].translation;
        }
        if (f->world) {
            v = am_quat_rotate(root.rotation, v);
            v = f->kind == AMI_OP_LOCATION ? am_v3_add(v, root.translation) : v;
        }
        memcpy(value + f->value, &v, 3 * sizeof(float));
    }
}

/// A value of the caller's that belongs to this schema.
static bool fits(const ami_latent *l, const am_control *control)
{
    return control && control->schema->hash == l->schema->hash &&
           control->schema->value_count == l->schema->value_count;
}

/// Whether a planned arrival leads a body that can be asked for several behaviours.
static bool goes_by_plan(const ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    const am_source_input *input = b->inputs[member];
    return l->controls && input->settings && input->settings->plan && input->target.has_point &&
           l->schema->nodes[0].kind == AMI_OP_OR;
}

/// The planned way as the runtime controls ask for it without a point: where they would choose another behaviour than
/// the caller's `target`, it follows the plan more closely than a network finds to a place.
static void follow_plan(ami_latent_batch *b, int member, am_transform root)
{
    const ami_latent *l = b->latent;
    const am_control *given = b->inputs[member]->control;
    const size_t size = (size_t)l->schema->value_count * sizeof(float);
    int count = l->schema->nodes[0].count;
    ami_control_world world = world_of(b, member, root);
    world.has_point = world.jump = false;
    memcpy(b->value, l->empty->numbers, size);
    ami_runtime_controls_fill(l->controls, b->value, &world);
    if (ami_control_index(b->value[0], count) == ami_control_index(given->numbers[0], count)) {
        memcpy(b->value, given->numbers, size);
    }
}

/// The value of this tick, in the batch's own memory.
static void find_value(ami_latent_batch *b, int member, am_transform root)
{
    const ami_latent *l = b->latent;
    const am_control *given = b->inputs[member]->control;
    const bool own = fits(l, given);
    const am_control *value = given && own ? given : l->empty;
    memcpy(b->value, value->numbers, (size_t)l->schema->value_count * sizeof(float));
    if (given && !own) {
        b->outs[member]->fell_back = true;
    } else if (own && goes_by_plan(b, member)) {
        follow_plan(b, member, root);
    } else if (!given && l->controls) {
        ami_control_world world = world_of(b, member, root);
        ami_runtime_controls_fill(l->controls, b->value, &world);
    }
    if (l->feature_count > 0) {
        fill_features(l, b->value, ami_latent_at(l, b->states[member], l->at_y[1]), root);
    }
}

// ---------------------------------------------------------------------------------------------
// Vectors

/// What a number may be scaled by so that it lies within a range; 1 inside.
static float room_for(float x, float low, float high)
{
    float end = x > high ? high : x < low ? low : x;
    return end != x && x * end >= 0.0f ? end / x : 1.0f;
}

void ami_latent_limit(const ami_latent *l, float *vector)
{
    const float *low = l->data.control_low;
    const float *high = l->data.control_high;
    for (int p = 0; p < l->place_count; p++) {
        int at = l->places[p];
        float scale =
            am_min(room_for(vector[at], low[at], high[at]), room_for(vector[at + 2], low[at + 2], high[at + 2]));
        vector[at] *= scale;
        vector[at + 2] *= scale;
    }
    for (int i = 0; i < l->data.head.vector_count; i++) {
        vector[i] = am_clamp(vector[i], low[i], high[i]);
    }
}

void ami_latent_ask(ami_latent_batch *b)
{
    const ami_latent *l = b->latent;
    if (l->c == 0) {
        return;
    }
    const ami_latent_net *net = &l->nets[ami_latent_control];
    am_net_work *work = b->nets[ami_latent_control];
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        am_transform root = am_transform_mul(b->inputs[m]->root, b->moved[m]);
        float *vector = ami_net_input(work, net->in[0], i, 0);
        find_value(b, m, root);
        ami_control_flatten(l->schema, vector, b->value, &root);
        ami_latent_limit(l, vector);
        int count = l->schema->vector_count < AM_MAX_FEATURES ? l->schema->vector_count : AM_MAX_FEATURES;
        memcpy(b->outs[m]->query, vector, (size_t)count * sizeof(float));
        b->outs[m]->asked_count = count;
    }
    ami_latent_run(b, ami_latent_control, b->listed);
    for (int i = 0; i < b->listed; i++) {
        float *encoding = ami_latent_at(l, b->states[b->list[i]], l->at_encoding);
        memcpy(encoding, ami_net_output(work, net->out, i, 0), (size_t)l->c * sizeof(float));
    }
}

// ---------------------------------------------------------------------------------------------
// Standing

#define STILL_MPS 0.05f

/// What the present parts of a value ask for.
typedef struct rest {
    const am_control_schema *schema;
    const float *value;
    am_transform root;
    ami_near near;
    int asked; ///< places and velocities that rest
    bool moves;
    const am_vec3 *goal;   ///< the place below `target` in the world; NULL: none
    am_vec3 place, facing; ///< zero: none
    ami_things things;
} rest;

static bool is_named(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// A place that the body is to meet.
static void look_at_thing(rest *r, const char *name, am_vec3 at)
{
    if (!(am_v3_length(at) * 0.0f == 0.0f)) {
        return;
    }
    if (strcmp(name, "chair") == 0) {
        r->things.chair = at;
        r->things.sits = true;
    } else if (strcmp(name, "object") == 0) {
        r->things.object = at;
        r->things.takes = true;
    } else if (strcmp(name, "spot") == 0) {
        r->things.spot = at;
        r->things.jumps = true;
    }
}

/// A typed part called `name`, where `under` is a part to arrive at.
static void look_at_part(rest *r, const ami_control_node *n, const char *name, int shift, bool under)
{
    const float *at = r->value + n->value + shift;
    am_vec3 v = am_v3(at[0], at[1], at[2]);
    v = am_v3_ground(n->kind == AMI_OP_LOCATION && n->world ? am_v3_sub(v, r->root.translation) : v);
    bool facing = strcmp(name, "facing") == 0;
    if (n->kind == AMI_OP_LOCATION && n->world && strcmp(name, "target") == 0) {
        r->place = am_v3(at[0], 0.0f, at[2]);
        r->goal = &r->place;
    }
    if (n->kind == AMI_OP_LOCATION && n->world) {
        look_at_thing(r, name, am_v3(at[0], at[1], at[2]));
    }
    if (n->kind == AMI_OP_LOCATION) {
        r->moves |= !under || !(am_v3_length(v) < r->near.metres);
        r->asked++;
    } else if (n->kind == AMI_OP_VELOCITY) {
        r->moves |= !(am_v3_length(v) < STILL_MPS);
        r->asked++;
    } else if (n->kind == AMI_OP_DIRECTION && facing && am_v3_length(v) > 0.1f) {
        r->facing = n->world ? v : am_v3_zero();
        float own = n->world ? am_quat_heading(r->root.rotation) : 0.0f;
        r->moves |= !(am_abs(am_wrap_angle(am_atan2(v.x, v.z) - own)) < r->near.radians);
    }
}

/// `name`: of the nearest part around it, for optionals and encodes, whose own part has none.
static void look_at(rest *r, int node, const char *name, int shift, bool under)
{
    static const char *const places[] = { "target", "path", "trajectory" };
    const ami_control_node *n = &r->schema->nodes[node];
    bool inner = strcmp(name, "target") == 0 && strcmp(n->name, "position") == 0;
    name = n->name[0] && !inner ? n->name : name;
    under = under || is_named(name, places, 3);
    if (strcmp(name, "pose") == 0) {
        return; // what the body itself says
    }
    if (n->count == 0 && n->value_count >= 3) {
        look_at_part(r, n, name, shift, under);
    }
    if (n->kind == AMI_OP_ONE_OF && strcmp(name, "hand") == 0) {
        const char *hand = n->names[ami_control_index(r->value[n->value + shift], n->name_count)];
        r->things.hand = strcmp(hand, "left") == 0 ? 0 : strcmp(hand, "right") == 0 ? 1 : -1;
    }
    int first = 0;
    int last = n->count;
    int items = 1;
    int item = 0;
    if (n->kind == AMI_OP_OR && n->count > 0) {
        first = ami_control_index(r->value[n->value + shift], n->count);
        last = first + 1;
    } else if (n->kind == AMI_OP_SET) {
        items = ami_control_index(r->value[n->value + shift], n->most + 1);
        item = (n->value_count - 1) / n->most;
    }
    for (int i = 0; i < items; i++) {
        for (int p = first; p < last; p++) {
            look_at(r, n->first + p, name, shift + i * item, under);
        }
    }
}

bool ami_latent_rests(const am_source *source, const am_control *control, am_transform root, ami_near near)
{
    const ami_latent *l = ami_latent_of(source);
    if (!l->schema || !fits(l, control)) {
        return false;
    }
    rest r = { .schema = l->schema, .value = control->numbers, .root = root, .near = near };
    look_at(&r, 0, "", 0, false);
    return r.asked > 0 && !r.moves;
}

bool ami_latent_goal(const am_source *source, const am_control *control, am_vec3 *point, am_vec3 *facing)
{
    const ami_latent *l = ami_latent_of(source);
    if (!l->schema || !fits(l, control)) {
        return false;
    }
    rest r = { .schema = l->schema, .value = control->numbers, .root = am_transform_identity() };
    look_at(&r, 0, "", 0, false);
    *point = r.place;
    *facing = am_v3_normalize_or(r.facing, am_v3_zero());
    return r.goal && am_v3_length(r.place) * 0.0f == 0.0f;
}

ami_things ami_latent_things(const am_source *source, const am_control *control)
{
    const ami_latent *l = ami_latent_of(source);
    rest r = { .root = am_transform_identity(), .things = { .hand = -1 } };
    if (l->schema && fits(l, control)) {
        r.schema = l->schema;
        r.value = control->numbers;
        look_at(&r, 0, "", 0, false);
    }
    r.things.facing = am_v3_normalize_or(r.facing, am_v3_zero());
    return r.things;
}

bool ami_is_there(am_transform root, am_vec3 point, am_vec3 facing, ami_near near)
{
    bool faces = am_v3_length(facing) > 0.5f;
    float turn = faces ? am_wrap_angle(am_atan2(facing.x, facing.z) - am_quat_heading(root.rotation)) : 0.0f;
    return am_v3_length(am_v3_ground(am_v3_sub(point, root.translation))) < near.metres &&
           am_abs(turn) < near.radians;
}

bool ami_latent_hears_intent(const am_source *source) { return ami_latent_of(source)->controls != NULL; }
