// One step of an actor: intent -> activity -> predicted trajectory -> source -> rest of the transitions -> root ->
// feet.
#include "actor/actor.h"

#include "actor/push.h"
#include "method/latent.h"

#include <string.h>

#define LONGEST_STEP_S 0.1f
// A body slower than this near its goal has stopped there: it counts as there farther away, and farther still where
// the plan lets a standing character step to the goal (stand.c).
#define STOPPED_MPS 0.25f
#define STEPS_MPS 0.6f // the same where one step does the rest
#define STEPPED_S 1.0f // by then it is there
static const ami_near moving = { 0.06f, 8.0f * AM_DEG };
static const ami_near stopped = { 0.12f, 15.0f * AM_DEG };
static const ami_near stepping = { AMI_ARRIVAL_M, AMI_ARRIVAL_RAD };

void am_actor_place(am_actor *c, const am_vec3 *position, float heading)
{
    ami_state *s = c->state;
    if (!((position->x + position->z + heading) * 0.0f == 0.0f)) {
        return;
    }
    am_transform from = s->root;
    s->root.translation = s->position = am_v3_ground(*position);
    s->heading = s->target_heading = s->searched_heading = am_wrap_angle(heading);
    s->root.rotation = am_quat_from_heading(s->heading);
    ami_history_move(c, from, s->root);
    ami_feet_reset(&s->feet);
    ami_push_forget(c);
    // Body and motion move too: a caller that looks before the next step sees the pose at the new place.
    am_transform moved = am_transform_mul(s->root, am_transform_inv(from));
    s->velocity = am_quat_rotate(moved.rotation, s->velocity);
    s->acceleration = am_quat_rotate(moved.rotation, s->acceleration);
    for (int j = 0; j < c->joint_count; j++) {
        c->world[j] = am_transform_mul(moved, c->world[j]);
        c->world_raw[j] = am_transform_mul(moved, c->world_raw[j]);
    }
    c->recent->previous_root = am_transform_mul(moved, c->recent->previous_root);
    ami_stand_move(c, moved);
    ami_objects_turn(c, moved.rotation);
}

// ---------------------------------------------------------------------------------------------
// One step

static ami_near near_of(const am_actor *c, const ami_step *step)
{
    const ami_state *s = c->state;
    bool stepped = c->stand->on && c->stand->since_s > STEPPED_S; // and another goal may be there now
    bool rests = s->activity == AM_ACTIVITY_STAND || s->speed < (step->arrives ? STEPS_MPS : STOPPED_MPS);
    return !rests || (stepped && step->arrives) ? moving : step->arrives ? stepping : stopped;
}

/// Whether a control value, a point to arrive at, or a source that hears nothing else wants the body to go on.
static bool is_asked(const am_actor *c, const ami_step *step, const am_intent *intent)
{
    const am_source *source = c->prepared->source;
    const am_transform root = c->state->root;
    const ami_near near = near_of(c, step);
    if (!ami_is_latent(source)) {
        return false;
    }
    if (intent->control) {
        return !ami_latent_rests(source, intent->control, root, near);
    }
    return !ami_latent_hears_intent(source) ||
           (step->arrives && !ami_is_there(root, step->arrival.point, step->arrival.facing, near));
}

/// What the body is to meet; nothing where the network is to do all alone.
static ami_things find_things(const am_actor *c, const am_intent *intent)
{
    const am_source *source = c->prepared->source;
    bool asks = c->settings.plan && intent->control && ami_is_latent(source);
    return asks ? ami_latent_things(source, intent->control) : (ami_things){ .hand = -1 };
}

/// Takes the target over; returns false and keeps the previous one when it is not finite.
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
    // Faster than any animal: a target beyond that is a mistake. Its square must also stay finite.
    float speed = am_v3_length(v);
    s->target_velocity = speed > 50.0f ? am_v3_scale(v, 50.0f / speed) : v;
    s->target_facing = am_v3_normalize_or(f, am_v3_zero());
    return true;
}

/// The target for sources that follow no trajectory: the stick's, or that of the character's point on its path.
static am_source_target find_target(const am_actor *c)
{
    const ami_state *s = c->state;
    am_source_target target = { .velocity = s->target_velocity,
                                .heading = s->target_heading,
                                .faces = am_v3_length(s->target_facing) > 0.5f };
    const ami_path *path = c->path.head;
    if (path && ami_path_active(c)) {
        const am_path_point *at = &c->path.points[ami_path_index(path, path->context.at)];
        const am_path_point *next = &c->path.points[ami_path_index(path, path->context.at + 1)];
        float speed = am_max(next->along - at->along, 0.0f) * path->fps;
        target.heading = at->heading;
        target.velocity = am_v3_scale(am_v3(am_sin(at->heading), 0.0f, am_cos(at->heading)), speed);
        target.point = am_v3(at->x, 0.0f, at->z);
        target.has_point = target.faces = true;
    }
    target.jump = (s->target_buttons & ami_button_jump) != 0;
    target.creep = (s->target_buttons & ami_button_creep) != 0;
    target.dance = (s->target_buttons & ami_button_dance) != 0;
    target.run = (s->target_buttons & ami_button_run) != 0;
    return target;
}

// A part of the way only: told of all of it, searches cut to frames that are farther from the body than before
// (joints travel up to 15.6 instead of 11.4 cm in a frame), and the Projector answers a walker with a runner.
#define FEET_SHARE 0.25f

/// The feet that are locked, for a search: a frame is to be found for the body as it stands. Not on a path, which is
/// followed less closely with them: zigzags take up to 1.53 of the drawn time instead of 1.3.
static void tell_feet(const am_actor *c, am_source_input *input)
{
    if (ami_path_active(c) || c->settings.as_printed) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        am_vec3 gap;
        if (ami_foot_gap(c, side, &gap)) {
            am_vec3 own = am_quat_unrotate(c->state->root.rotation, am_v3_ground(gap));
            input->feet[side] = am_v3_scale(own, FEET_SHARE);
        }
    }
}

static am_source_input make_input(am_actor *c, const ami_activity_plan *plan, const am_horizon *horizon, float dt)
{
    ami_state *s = c->state;
    const ami_prepared *prepared = c->prepared;
    bool plants = prepared->path_filter && s->activity == AM_ACTIVITY_MOVE && ami_path_active(c) &&
                  ami_path_has(c->path.head, ami_path_plant);
    const ami_path *path = ami_path_active(c) ? c->path.head : NULL;
    am_source_input input = {
        .dt = dt,
        .root = s->root,
        .trajectory = c->trajectory,
        .trajectory_count = s->trajectory_count,
        .horizon = horizon,
        .filter = plants ? prepared->path_filter : prepared->filters[s->activity],
        .stay = plants && prepared->path_stay ? prepared->path_stay : prepared->stays[s->activity],
        .wanted_tags = c->prepared->wanted[s->activity],
        .weights = ami_actor_weights(c, plan->high),
        .candidates = c->settings.candidates,
        .search_now = plan->search_now,
        .leave = plan->leave,
        .hold = plan->hold,
        .stand = plan->stand,
        .printed = path && !ami_path_has(path, ami_path_guard),
        .distances = path && !ami_path_has(path, ami_path_squares),
        .target = find_target(c),
        .rng = &s->rng,
        .settings = ami_source_settings(c),
        .clock = c->clock,
    };
    tell_feet(c, &input);
    ami_push_begin(c, &input);
    return input;
}

static void take_answer(am_actor *c, float dt)
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
        ami_inertia_pose from = { out->left.local, out->left.velocity, out->left.root_linear,
                                  out->left.root_angular };
        ami_inertia_pose to = { out->landed.local, out->landed.velocity, out->landed.root_linear,
                                out->landed.root_angular };
        ami_inertia_transition(c->inertia, &c->inertia_def, &from, &to);
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

/// The source's pose plus the rest of the transitions, and the root's movement in its own frame. Keeps the last pose
/// and drops the offsets when something is not finite.
static bool settle(am_actor *c, am_vec3 *moved, float *turned, float dt)
{
    am_vec3 linear = c->output.root_linear;
    am_vec3 angular = c->output.root_angular;
    memcpy(c->next, c->source_local, (size_t)c->joint_count * sizeof *c->next);
    ami_inertia_apply(c->inertia, &c->inertia_def, c->next, NULL, &linear, &angular, dt);
    *moved = am_v3_zero();
    *turned = 0.0f;
    if (!pose_is_finite(c->next, c->joint_count, linear, angular)) {
        ami_inertia_reset(c->inertia, &c->inertia_def);
        return false;
    }
    memcpy(c->before, c->local_raw, (size_t)c->joint_count * sizeof *c->next);
    memcpy(c->local_raw, c->next, (size_t)c->joint_count * sizeof *c->next);
    c->recent->before_dt = dt;
    c->recent->root_linear = linear;
    c->recent->root_angular = angular;
    *moved = am_v3_ground(am_v3_scale(linear, dt));
    *turned = angular.y * dt;
    return true;
}

/// Height of a toe in the source's own pose.
static float toe_height(const am_actor *c, am_role role)
{
    int toe = c->prepared->source->roles->joint[role];
    float height =
        toe >= 0 ? ami_joint_place(c->prepared->source->skeleton, c->source_local, toe).translation.y : 0.0f;
    return height * 0.0f == 0.0f ? height : 0.0f;
}

static void place_feet(am_actor *c, const ami_things *things, float dt)
{
    ami_state *s = c->state;
    size_t size = (size_t)c->joint_count * sizeof *c->local;
    am_transform *world = c->world_raw;
    const int16_t *parents = c->prepared->source->skeleton->parents;
    world[0] = am_transform_mul(s->root, c->local_raw[0]);
    for (int j = 1; j < c->joint_count; j++) {
        world[j] = am_transform_mul(world[parents[j]], c->local_raw[j]);
    }
    memcpy(c->local, c->local_raw, size);
    if (c->settings.ik) {
        ami_objects_seat(c, things, dt);
        ami_feet_swing(&s->feet, toe_height(c, AM_ROLE_LEFT_TOE), toe_height(c, AM_ROLE_RIGHT_TOE));
        uint32_t contacts = s->contacts | (s->grace_s > 0.0f ? s->grace : 0);
        contacts = ami_push_contacts(c, contacts);
        s->locked = ami_feet_apply(&s->feet, &c->feet_def, c->local, c->world, s->root, (uint8_t)contacts, dt);
        ami_push_limit(c, dt);
        ami_objects_reach(c);
    } else {
        memcpy(c->world, world, size);
        s->locked = 0;
    }
}

/// The stick as a target with a future, for ordinary movement that the springs predict; false when something else
/// leads.
static bool look_along_stick(const am_actor *c, const ami_activity_plan *plan, ami_stick_target *target,
                             void *context, am_horizon *out)
{
    const ami_state *s = c->state;
    if (s->activity != AM_ACTIVITY_MOVE || !c->settings.springs || c->settings.time_scale != 1.0f ||
        c->prepared->past_s > 0.0f) {
        return false;
    }
    *target = (ami_stick_target){ .velocity = plan->velocity,
                                  .heading = plan->heading,
                                  .velocity_halflife = ami_velocity_halflife(c, plan->velocity),
                                  .facing_halflife = ami_facing_halflife(c, plan->velocity),
                                  .hip_m = plan->height,
                                  .time_count = c->prepared->time_count };
    memcpy(target->times, c->prepared->times, sizeof target->times);
    *out = ami_stick_horizon(target, context, s->position, s->velocity, s->acceleration, s->heading,
                             s->heading_velocity);
    return true;
}

void ami_step_begin(am_actor *c, ami_step *step, const am_intent *intent, float dt)
{
    ami_state *s = c->state;
    c->recent->previous_root = s->root;
    memcpy(c->previous, c->local, (size_t)c->joint_count * sizeof *c->local);
    step->good = take_target(s, intent);
    step->arrives = ami_arrival_find(c, intent, &step->arrival);
    step->things = find_things(c, intent);
    s->target_buttons |= is_asked(c, step, intent) ? (uint32_t)ami_button_asked : 0;
    s->steps++;
    step->over = !(dt > 0.0f);
    if (step->over) {
        s->fallbacks++; // no time passes, or time is not a number
        return;
    }
    dt = am_min(dt, LONGEST_STEP_S);
    step->dt = dt;
    step->scaled = dt * c->settings.time_scale;
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
        step->arrives &= s->activity == AM_ACTIVITY_MOVE || s->activity == AM_ACTIVITY_STAND;
        if (step->arrives && s->activity == AM_ACTIVITY_MOVE) {
            ami_arrival_plan(c, &step->arrival);
        }
        ahead = look_along_stick(c, &step->plan, &step->target, step->stick, &step->horizon);
    }
    step->held = ami_stand_begin(c, step);
    step->input = make_input(c, &step->plan, ahead ? &step->horizon : NULL, step->scaled);
    if (!on_path && intent->has_point && am_v3_length(intent->point) * 0.0f == 0.0f) {
        step->input.target.point = am_v3_ground(intent->point);
        step->input.target.has_point = true;
    }
    if (!on_path && step->arrives) {
        ami_arrival_target(c, &step->arrival, &step->input.target);
    }
    step->input.target.run |= intent->run;
    step->input.control = intent->control;
    ami_arrive(c, step);
}

void ami_step_end(am_actor *c, ami_step *step)
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
        moved = am_v3_add(moved, am_quat_unrotate(s->root.rotation, ami_stand_shift(c, step->dt)));
        turned += ami_stand_turn(c, step->dt);
        ami_simulate(c, &step->plan, step->dt);
        ami_root_move(c, &step->plan, moved, turned, step->dt);
        if (step->arrives && !step->held) {
            ami_arrival_bend(c, &step->arrival, moved, turned, step->dt);
        }
        ami_objects_move(c, &step->things, moved, turned, step->dt);
    }
    ami_push_move(c, step->dt);
    ami_stand_legs(c);
    place_feet(c, &step->things, step->dt);
    ami_history_add(c, before, step->dt);
    s->fallbacks += !step->good || c->output.fell_back;
}

void am_actor_step(am_actor *c, const am_intent *intent, float dt)
{
    const am_source *source = c->prepared->source;
    ami_step step;
    ami_step_begin(c, &step, intent, dt);
    if (!step.over) {
        if (!step.held) {
            source->interface->step(source, c->source_state, &c->output, &step.input, c->work);
        }
        ami_step_end(c, &step);
    }
}
