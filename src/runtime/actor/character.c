// The character: one step from intent to pose. Intent -> activity -> predicted trajectory -> source -> transition
// dies out -> root -> feet.
#include "actor/character.h"

#include "base/error.h"
#include "base/memory.h"
#include "actor/push.h"
#include "net/net.h"

#include <string.h>

#define LONGEST_STEP_S 0.1f

am_character_def am_character_def_default(void)
{
    // Half-lives, ratios and clamps by the eight courses of `amble eval matching` on CMU: shorter half-lives answer
    // no sooner, since feet must land first; a larger position ratio turns sooner and skates more.
    am_character_def def = {
        .root = AM_ROOT_MIXED,
        .inertialise = AM_INERTIALISE_SPRING,
        .inertialise_halflife = 0.12f,
        .inertialise_seconds = 0.35f,
        .inertialise_bend = 40.0f,
        .ik = true,
        .springs = true,
        .velocity_halflife = 0.18f,
        .facing_halflife = 0.18f,
        .time_scale = 1.0f,
        .adjust_position_halflife = 0.1f,
        .adjust_facing_halflife = 0.2f,
        .adjust_position_ratio = 0.4f,
        .adjust_facing_ratio = 0.6f,
        .clamp_m = 0.15f,
        .clamp_rad = 60.0f * AM_DEG,
        .sharp_mps = 0.7f,
        .sharp_rad = 30.0f * AM_DEG,
        .stand_mps = 0.25f,
        .candidates = 1,
        .start_frame = -1,
        .cookie = AM_COOKIE,
    };
    return def;
}

// ---------------------------------------------------------------------------------------------
// Making one

static am_result check_def(const am_character_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->source) {
        return ami_fail(err, AM_ERR_DEF,
                        "character def not begun from am_character_def_default(), or without a source");
    }
    if (def->like && def->like->kit->source != def->source) {
        return ami_fail(err, AM_ERR_DEF, "def.like has another source");
    }
    if (def->push && def->like && !def->like->kit->ranges) {
        return ami_fail(err, AM_ERR_DEF, "def.like has no push solver; give it one too");
    }
    if (def->push && (!def->push->solve || !am_skeleton_same_shape(def->push->skeleton, def->source->skeleton))) {
        return ami_fail(err, AM_ERR_SKELETON, "the push solver has another skeleton");
    }
    const float above[] = { def->inertialise_halflife,  def->inertialise_seconds, def->velocity_halflife,
                            def->facing_halflife,       def->time_scale,          def->adjust_position_halflife,
                            def->adjust_facing_halflife };
    const float least[] = { def->inertialise_bend,    def->adjust_position_ratio,
                            def->adjust_facing_ratio, def->clamp_m,
                            def->clamp_rad,           def->sharp_mps,
                            def->sharp_rad,           def->stand_mps,
                            def->trajectory_weight,   def->pose_weight };
    for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
        if (!(above[i] > 0.0f && above[i] < 1e6f)) {
            return ami_fail(err, AM_ERR_DEF, "character def: half-lives, seconds and time_scale must be above 0");
        }
    }
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        if (!(least[i] >= 0.0f && least[i] < 1e6f)) {
            return ami_fail(err, AM_ERR_DEF,
                            "character def: ratios, clamps, thresholds and weights must not be below 0");
        }
    }
    float sum = def->position.x + def->position.z + def->heading;
    if (!(sum * 0.0f == 0.0f) || (int)def->root < 0 || def->root > AM_ROOT_MIXED || (int)def->inertialise < 0 ||
        def->inertialise > AM_INERTIALISE_QUINTIC || def->candidates < 0 || def->candidates > AM_MAX_CANDIDATES ||
        def->path_points < 0 || def->path_points > 100000000 || (int)def->push_blend < 0 ||
        def->push_blend > AM_PUSH_PRINTED) {
        return ami_fail(err, AM_ERR_DEF,
                        "character def: start, root, inertialise, candidates or path_points out of range");
    }
    return AM_OK;
}

/// The parts of the flat block, in their order.
static void place_flat(am_character *c, ami_layout *layout)
{
    const am_source *source = c->def.source;
    size_t joints = (size_t)c->joint_count;
    c->state = ami_layout_take(layout, 1, sizeof *c->state);
    c->trajectory = ami_layout_take(layout, AM_MAX_TRAJECTORY, sizeof *c->trajectory);
    bool past = ami_history_longest(source) > 0.0f;
    c->past = past ? ami_layout_take(layout, AMI_PAST_PLACES, sizeof *c->past) : NULL;
    c->source_state = ami_layout_take(layout, 1, source->interface->state_size(source));
    c->inertia = ami_layout_take(layout, 1, am_inertia_size(&c->inertia_def));
    c->source_local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->local_raw = ami_layout_take(layout, joints, sizeof(am_transform));
    c->local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->world_raw = ami_layout_take(layout, joints, sizeof(am_transform));
    c->world = ami_layout_take(layout, joints, sizeof(am_transform));
    if (c->path.room > 0) {
        c->path.head = ami_layout_take(layout, 1, sizeof *c->path.head);
        c->path.laid = ami_layout_take(layout, (size_t)c->path.room, sizeof *c->path.laid);
        c->path.points = ami_layout_take(layout, (size_t)c->path.room, sizeof *c->path.points);
        size_t told = c->def.direction ? (size_t)c->path.room : 0;
        c->path.facings = told > 0 ? ami_layout_take(layout, told, sizeof *c->path.facings) : NULL;
    }
    c->plain_size = layout->size;
    if (c->def.push) {
        c->push.head = ami_layout_take(layout, 1, sizeof *c->push.head);
        c->push.from = ami_layout_take(layout, joints, sizeof(am_transform));
        c->push.to = ami_layout_take(layout, joints, sizeof(am_transform));
        c->push.before = ami_layout_take(layout, joints, sizeof(am_transform));
    }
}

static void place_all(am_character *c, ami_layout *layout)
{
    size_t joints = (size_t)c->joint_count;
    c->flat = ami_layout_take(layout, 1, c->flat_size);
    c->next = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.left.local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.left.velocity = ami_layout_take(layout, joints, sizeof(am_velocity));
    c->output.landed.local = ami_layout_take(layout, joints, sizeof(am_transform));
    c->output.landed.velocity = ami_layout_take(layout, joints, sizeof(am_velocity));
    c->before = ami_layout_take(layout, joints, sizeof(am_transform));
    c->arrival = ami_layout_take(layout, 2 * joints, sizeof(am_velocity));
    size_t pushed = c->def.push ? joints : 0;
    c->push.x = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->push.pose = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->push.previous = ami_layout_take(layout, pushed, sizeof(am_transform));
    c->window = ami_layout_take(layout, c->def.direction ? 1 : 0, sizeof *c->window);
    c->path.scratch = ami_layout_take(layout, (size_t)c->path.room * ami_path_scratch, sizeof(float));
}

static void set_defs(am_character *c, const am_character_def *def)
{
    c->def = *def;
    c->def.like = NULL;
    c->def.work = NULL;
    c->def.tags = c->def.creep_tags = c->def.jump_tags = c->def.dance_tags = c->def.stand_tags = NULL;
    c->def.channel_weights = NULL;
    c->joint_count = def->source->skeleton->joint_count;
    c->path.room = def->path_points;
    c->inertia_def = am_inertia_def_default();
    c->inertia_def.mode = def->inertialise;
    c->inertia_def.halflife = def->inertialise_halflife;
    c->inertia_def.seconds = def->inertialise_seconds;
    c->inertia_def.bend_mps2 = def->inertialise_bend;
    c->inertia_def.joint_count = c->joint_count;
    static const int16_t hips = 0;
    c->inertia_def.moving = def->source->db ? def->source->db->moving : &hips;
    c->inertia_def.moving_count = def->source->db ? def->source->db->moving_count : 1;
}

static void set_feet(am_character *c)
{
    const am_skeleton *skeleton = c->def.source->skeleton;
    const int16_t *joint = c->def.source->roles->joint;
    c->feet_def = am_feet_def_default();
    c->feet_def.skeleton = skeleton;
    c->feet_def.roles = c->def.source->roles;
    c->feet_def.floor_m = c->kit->facts.toe_m;
    c->feet_def.heel_m = c->kit->facts.heel_m;
    static const am_role sides[2][2] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
                                         { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE } };
    for (int side = 0; side < 2; side++) {
        int ankle = joint[sides[side][0]];
        int toe = joint[sides[side][1]];
        c->feet_def.heel_offset[side] = ankle >= 0 && toe >= 0 ? am_heel_offset(skeleton, ankle, toe) : am_v3_zero();
    }
}

/// One number for all that a snapshot depends on beside the source.
static uint64_t make_key(const am_character *c)
{
    const am_character_def *def = &c->def;
    const float numbers[] = {
        def->inertialise_halflife,
        def->inertialise_seconds,
        def->inertialise_bend,
        def->velocity_halflife,
        def->facing_halflife,
        def->time_scale,
        def->adjust_position_halflife,
        def->adjust_facing_halflife,
        def->adjust_position_ratio,
        def->adjust_facing_ratio,
        def->clamp_m,
        def->clamp_rad,
        def->sharp_mps,
        def->sharp_rad,
        def->stand_mps,
        def->trajectory_weight,
        def->pose_weight,
    };
    const uint64_t words[] = {
        def->source->db ? def->source->db->hash : 0,
        (uint64_t)c->joint_count,
        (uint64_t)c->flat_size,
        (uint64_t)def->root | (uint64_t)def->push_blend << 8,
        (uint64_t)def->inertialise,
        def->ik,
        def->springs,
        c->kit->activities,
        c->kit->key,
        def->source->key,
        def->direction ? def->direction->model->hash : 0,
    };
    const char *name = def->source->interface->name;
    uint64_t key = am_hash64(numbers, sizeof numbers, am_hash64(words, sizeof words, 1));
    return am_hash64(name, strlen(name), key);
}

static void begin(am_character *c, const am_character_def *def)
{
    ami_state *s = c->state;
    s->rng = am_rng_make(def->seed);
    s->root.rotation = am_quat_from_heading(def->heading);
    s->root.translation = am_v3_ground(def->position);
    s->position = s->root.translation;
    s->heading = s->target_heading = s->searched_heading = am_wrap_angle(def->heading);
    s->height = c->kit->facts.hip_m;
    s->activity = (c->kit->activities >> AM_ACTIVITY_STAND & 1) != 0 ? AM_ACTIVITY_STAND : AM_ACTIVITY_MOVE;
    am_inertia_reset(c->inertia, &c->inertia_def);
    am_feet_reset(&s->feet);
    const am_source *source = def->source;
    source->interface->reset(source, c->source_state, def->start_frame);
    source->interface->pose(source, c->source_state, &c->output, c->work);
    s->frame = c->output.frame;
    s->contacts = c->output.contacts;
    memcpy(c->local_raw, c->source_local, (size_t)c->joint_count * sizeof *c->local_raw);
    memcpy(c->local, c->source_local, (size_t)c->joint_count * sizeof *c->local);
    am_fk(c->world, c->local, source->skeleton->parents, c->joint_count);
    for (int j = 0; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(s->root, c->world[j]);
    }
    memcpy(c->world_raw, c->world, (size_t)c->joint_count * sizeof *c->world);
    ami_history_begin(c);
    ami_push_end(c);
}

static am_result make_parts(am_character *c, const am_character_def *def, am_error *err)
{
    am_result result = AM_OK;
    if (def->like) {
        c->kit = def->like->kit;
    } else {
        c->owns_kit = true;
        result = ami_kit_create(&c->kit, def, &c->alloc, err);
    }
    c->work = def->work;
    if (result == AM_OK && !c->work) {
        c->owns_work = true;
        result = am_source_work_create(&c->work, def->source, 1, &c->alloc, err);
    }
    if (result == AM_OK && def->direction) {
        result = am_net_work_create(&c->direction_work, def->direction, 1, &c->alloc, err);
    }
    return result;
}

am_result am_character_create(am_character **out, const am_character_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_character sketch = { 0 };
    set_defs(&sketch, def);
    ami_layout flat = { 0 };
    place_flat(&sketch, &flat);
    sketch.flat_size = flat.size;
    ami_layout whole = { 0 };
    ami_layout_take(&whole, 1, sizeof sketch);
    place_all(&sketch, &whole);
    uint8_t *block = ami_alloc_zero(&alloc, whole.size);
    if (!block) {
        return ami_fail_memory(err, whole.size);
    }
    ami_layout place = { block, 0, false };
    am_character *c = ami_layout_take(&place, 1, sizeof *c);
    *c = sketch;
    c->alloc = alloc;
    c->block_size = whole.size;
    place_all(c, &place);
    ami_layout inner = { c->flat, 0, false };
    place_flat(c, &inner);
    c->output.local = c->source_local;
    result = make_parts(c, def, err);
    if (result != AM_OK) {
        am_character_destroy(c);
        return result;
    }
    set_feet(c);
    c->inertia_def.reach = c->kit->reach;
    c->key = make_key(c);
    begin(c, def);
    *out = c;
    return AM_OK;
}

void am_character_destroy(am_character *c)
{
    if (c) {
        am_alloc alloc = c->alloc;
        if (c->owns_work) {
            am_search_work_destroy(c->work);
        }
        if (c->owns_kit) {
            ami_kit_destroy(c->kit);
        }
        am_net_work_destroy(c->direction_work);
        ami_release(&alloc, c, c->block_size);
    }
}

void am_character_place(am_character *c, am_vec3 position, float heading)
{
    ami_state *s = c->state;
    if (!((position.x + position.z + heading) * 0.0f == 0.0f)) {
        return;
    }
    am_transform from = s->root;
    s->root.translation = s->position = am_v3_ground(position);
    s->heading = s->target_heading = s->searched_heading = am_wrap_angle(heading);
    s->root.rotation = am_quat_from_heading(s->heading);
    ami_history_move(c, from, s->root);
    am_feet_reset(&s->feet);
    // Body and motion move along, so that a caller who reads the pose before the next step sees it in place.
    am_transform moved = am_transform_mul(s->root, am_transform_inv(from));
    s->velocity = am_quat_rotate(moved.rotation, s->velocity);
    s->acceleration = am_quat_rotate(moved.rotation, s->acceleration);
    for (int j = 0; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(moved, c->world[j]);
        c->world_raw[j] = am_transform_mul(moved, c->world_raw[j]);
    }
}

// ---------------------------------------------------------------------------------------------
// One step

/// Takes over a finite target; false when it is not finite, and the last target stays.
static bool take_target(ami_state *s, const am_intent *intent)
{
    am_vec3 v = am_v3_ground(intent->velocity);
    am_vec3 f = am_v3_ground(intent->facing);
    s->target_buttons = (intent->jump ? (uint32_t)ami_button_jump : 0) |
                        (intent->creep ? (uint32_t)ami_button_creep : 0) |
                        (intent->dance ? (uint32_t)ami_button_dance : 0);
    if (!((v.x + v.z + f.x + f.z) * 0.0f == 0.0f)) {
        return false;
    }
    // Faster than any animal: a target beyond that is a mistake, and its square must stay finite.
    float speed = am_v3_length(v);
    s->target_velocity = speed > 50.0f ? am_v3_scale(v, 50.0f / speed) : v;
    s->target_facing = am_v3_normalize_or(f, am_v3_zero());
    return true;
}

/// The target without a trajectory: the stick's, or on a path that of the point where the character is taken to be.
static am_source_target find_target(const am_character *c)
{
    const ami_state *s = c->state;
    am_source_target target = { .velocity = s->target_velocity,
                                .heading = s->target_heading,
                                .faces = am_v3_length(s->target_facing) > 0.5f };
    if (ami_path_active(c)) {
        const ami_path *path = c->path.head;
        const am_path_point *at = &c->path.points[ami_path_index(path, path->context.at)];
        const am_path_point *next = &c->path.points[ami_path_index(path, path->context.at + 1)];
        float speed = am_max(next->along - at->along, 0.0f) * path->fps;
        target.heading = at->heading;
        target.velocity = am_v3_scale(am_v3(am_sin(at->heading), 0.0f, am_cos(at->heading)), speed);
        target.point = am_v3(at->x, 0.0f, at->z);
        target.has_point = target.faces = true;
    }
    return target;
}

static am_source_input make_input(am_character *c, const ami_activity_plan *plan, const am_horizon *horizon, float dt)
{
    ami_state *s = c->state;
    const ami_kit *kit = c->kit;
    bool plants = kit->path_filter && s->activity == AM_ACTIVITY_MOVE && ami_path_active(c) &&
                  ami_path_has(c->path.head, ami_path_plant);
    am_source_input input = {
        .dt = dt,
        .root = s->root,
        .trajectory = c->trajectory,
        .trajectory_count = s->trajectory_count,
        .horizon = horizon,
        .filter = plants ? kit->path_filter : kit->filters[s->activity],
        .stay = plants && kit->path_stay ? kit->path_stay : kit->stays[s->activity],
        .wanted_tags = c->kit->wanted[s->activity],
        .weights = ami_character_weights(c, plan->high),
        .candidates = c->def.candidates,
        .search_now = plan->search_now,
        .leave = plan->leave,
        .hold = plan->hold,
        .stand = plan->stand,
        .target = find_target(c),
        .rng = &s->rng,
        .clock = c->def.clock,
    };
    ami_push_begin(c, &input);
    ami_arrive(c, &input);
    return input;
}

static void take_answer(am_character *c, float dt)
{
    ami_state *s = c->state;
    const am_source_output *out = &c->output;
    s->ended = out->ended;
    s->frame = out->frame;
    s->contacts = out->contacts;
    if (out->searched) {
        s->searches++;
        s->searched_velocity = s->target_velocity;
        s->searched_heading = s->target_heading;
    }
    s->grace_s = am_max(s->grace_s - dt, 0.0f);
    if (s->arriving) {
        ami_arrived(c);
    } else if (out->transition) {
        s->transitions++;
        s->grace = s->locked;
        s->grace_s = AMI_GRACE_S;
        am_inertia_pose from = { out->left.local, out->left.velocity, out->left.root_linear, out->left.root_angular };
        am_inertia_pose to = { out->landed.local, out->landed.velocity, out->landed.root_linear,
                               out->landed.root_angular };
        am_inertia_transition(c->inertia, &c->inertia_def, &from, &to);
    }
}

static bool pose_is_finite(const am_transform *pose, int joint_count, am_vec3 linear, am_vec3 angular)
{
    float sum = (linear.x + linear.y + linear.z + angular.x + angular.y + angular.z) * 0.0f;
    for (int j = 0; j < joint_count; j++) {
        am_quat q = pose[j].rotation;
        am_vec3 t = pose[j].translation;
        sum += (q.x + q.y + q.z + q.w + t.x + t.y + t.z) * 0.0f;
    }
    return !(sum != 0.0f);
}

/// The source's pose with what is left of transitions; how the root moves in its own frame. Keeps the last pose and
/// forgets the offsets when something is not finite.
static bool settle(am_character *c, am_vec3 *moved, float *turned, float dt)
{
    am_vec3 linear = c->output.root_linear;
    am_vec3 angular = c->output.root_angular;
    memcpy(c->next, c->source_local, (size_t)c->joint_count * sizeof *c->next);
    am_inertia_apply(c->inertia, &c->inertia_def, c->next, NULL, &linear, &angular, dt);
    *moved = am_v3_zero();
    *turned = 0.0f;
    if (!pose_is_finite(c->next, c->joint_count, linear, angular)) {
        am_inertia_reset(c->inertia, &c->inertia_def);
        return false;
    }
    memcpy(c->before, c->local_raw, (size_t)c->joint_count * sizeof *c->next);
    memcpy(c->local_raw, c->next, (size_t)c->joint_count * sizeof *c->next);
    c->before_dt = dt;
    c->root_linear = linear;
    c->root_angular = angular;
    *moved = am_v3_ground(am_v3_scale(linear, dt));
    *turned = angular.y * dt;
    return true;
}

/// How high the source itself has a toe.
static float toe_height(const am_character *c, am_role role)
{
    int toe = c->kit->source->roles->joint[role];
    float height = toe >= 0 ? ami_joint_place(c->kit->source->skeleton, c->source_local, toe).translation.y : 0.0f;
    return height * 0.0f == 0.0f ? height : 0.0f;
}

static void place_feet(am_character *c, float dt)
{
    ami_state *s = c->state;
    size_t size = (size_t)c->joint_count * sizeof *c->local;
    am_transform *world = c->world_raw;
    const int16_t *parents = c->kit->source->skeleton->parents;
    world[0] = am_transform_mul(s->root, c->local_raw[0]);
    for (int j = 1; j < c->joint_count; j++) {
        world[j] = am_transform_mul(world[parents[j]], c->local_raw[j]);
    }
    memcpy(c->local, c->local_raw, size);
    if (c->def.ik) {
        am_feet_swing(&s->feet, toe_height(c, AM_ROLE_LEFT_TOE), toe_height(c, AM_ROLE_RIGHT_TOE));
        uint32_t contacts = s->contacts | (s->grace_s > 0.0f ? s->grace : 0);
        s->locked = am_feet_apply(&s->feet, &c->feet_def, c->local, c->world, s->root, (uint8_t)contacts, dt);
        ami_push_limit(c, dt);
    } else {
        memcpy(c->world, world, size);
        s->locked = 0;
    }
}

/// The stick as a target with a future, for ordinary movement that the springs predict: false where something else
/// leads the way.
static bool look_along_stick(const am_character *c, const ami_activity_plan *plan, am_stick_target *target,
                             void *context, am_horizon *out)
{
    const ami_state *s = c->state;
    if (s->activity != AM_ACTIVITY_MOVE || !c->def.springs || c->def.time_scale != 1.0f || c->kit->past_s > 0.0f) {
        return false;
    }
    *target = (am_stick_target){ .velocity = plan->velocity,
                                 .heading = plan->heading,
                                 .velocity_halflife = c->def.velocity_halflife,
                                 .facing_halflife = c->def.facing_halflife,
                                 .hip_m = plan->height,
                                 .time_count = c->kit->time_count };
    memcpy(target->times, c->kit->times, sizeof target->times);
    *out =
        am_stick_horizon(target, context, s->position, s->velocity, s->acceleration, s->heading, s->heading_velocity);
    return true;
}

void ami_step_begin(am_character *c, ami_step *step, const am_intent *intent, float dt)
{
    ami_state *s = c->state;
    step->good = take_target(s, intent);
    s->steps++;
    step->over = !(dt > 0.0f);
    if (step->over) {
        s->fallbacks++; // no time passes, or time is not a number
        return;
    }
    dt = am_min(dt, LONGEST_STEP_S);
    step->dt = dt;
    step->scaled = dt * c->def.time_scale;
    bool on_path = ami_path_active(c);
    if (on_path) {
        s->target_buttons |= intent->run ? (uint32_t)ami_button_run : 0;
        ami_path_begin_step(c, dt);
        on_path = ami_path_active(c);
    }
    ami_push_plan(c);
    step->plan = ami_activity_update(c, dt);
    on_path &= s->activity == AM_ACTIVITY_MOVE || s->activity == AM_ACTIVITY_CREEP;
    step->on_path = on_path;
    step->horizon = (am_horizon){ 0 };
    bool ahead = on_path;
    if (on_path) {
        step->plan.search_now |= c->path.head->fresh != 0;
        step->horizon = ami_path_predict(c, &step->context);
    } else {
        ami_trajectory_predict(c, &step->plan);
        ahead = look_along_stick(c, &step->plan, &step->target, step->stick, &step->horizon);
    }
    step->input = make_input(c, &step->plan, ahead ? &step->horizon : NULL, step->scaled);
    if (!on_path && intent->has_point && am_v3_length(intent->point) * 0.0f == 0.0f) {
        step->input.target.point = am_v3_ground(intent->point);
        step->input.target.has_point = true;
    }
}

void ami_step_end(am_character *c, ami_step *step)
{
    ami_state *s = c->state;
    am_vec3 moved;
    float turned;
    take_answer(c, step->scaled);
    step->good &= settle(c, &moved, &turned, step->scaled);
    ami_push_react(c, step->dt);
    am_vec3 before = am_v3(s->root.translation.x, c->world[0].translation.y, s->root.translation.z);
    if (step->on_path) {
        if (c->output.searched) {
            ami_path_searched(c, &step->context);
        }
        ami_path_move(c, moved, turned, step->dt);
    } else {
        ami_simulate(c, &step->plan, step->dt);
        ami_root_move(c, &step->plan, moved, turned, step->dt);
    }
    ami_push_move(c, step->dt);
    place_feet(c, step->dt);
    ami_history_add(c, before, step->dt);
    s->fallbacks += !step->good || c->output.fell_back;
}

void am_character_step(am_character *c, const am_intent *intent, float dt)
{
    const am_source *source = c->kit->source;
    ami_step step;
    ami_step_begin(c, &step, intent, dt);
    if (!step.over) {
        source->interface->step(source, c->source_state, &c->output, &step.input, c->work);
        ami_step_end(c, &step);
    }
}
