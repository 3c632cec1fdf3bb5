// A character on a path: where it is, what it targets, how its root is steered, when it has arrived, and what happens
// when it makes no progress.
#include "actor/actor.h"

#include "base/error.h"

#include <string.h>

// A character that advances by less than this in this time is stuck.
#define STUCK_S 2.0f
#define STUCK_M 0.1f
// How far the target is then advanced.
#define RECOVER_S 0.7f
// Progress below this fraction of the pace is slow; after this time the target advances by itself at this fraction of
// the pace, up to this distance.
#define DRIFT_SLOW 0.25f
#define DRIFT_AFTER_S 0.1f
#define DRIFT_PACE 0.7f
#define DRIFT_M 0.25f
// Distance that a stop takes beyond the last step: a base, plus a time at the present speed.
#define STOP_M 0.03f
#define STOP_S 0.12f
// Farther than this from the end, a character has not arrived.
#define ARRIVED_M 0.2f
#define ARRIVE_LONGEST_S 3.0f
// Steering: at most this fraction of the body's own movement across and along the path (14 degrees, 10 per cent), and
// the half-lives of the remaining error.
#define STEER_ACROSS 0.25f
#define STEER_ALONG 0.1f
#define STEER_HALFLIFE_S 0.1f
#define TURN_HALFLIFE_S 0.2f
#define TURN_PER_METRE 0.7f

static bool has(const am_actor *c, uint32_t what) { return ami_path_has(c->path.head, what); }

bool ami_path_active(const am_actor *c)
{
    return c->path.head && (c->path.head->phase == ami_path_follows || c->path.head->phase == ami_path_arrives);
}

// ---------------------------------------------------------------------------------------------
// Beginning

static uint32_t switches_of(const am_path_method *m)
{
    const struct {
        bool on;
        uint32_t bit;
    } all[] = {
        { m->smooth, ami_path_smooth },   { m->speed_limit, ami_path_speed_limit },
        { m->corners, ami_path_corners }, { m->retime, ami_path_retime },
        { m->lead, ami_path_lead },       { m->steer, ami_path_steer },
        { m->weigh, ami_path_weigh },     { m->recover, ami_path_recover },
        { m->plant, ami_path_plant },     { m->guard, ami_path_guard },
        { m->squares, ami_path_squares },
    };
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bits |= all[i].on ? all[i].bit : 0;
    }
    return bits;
}

static float fastest(const am_actor *c)
{
    return c->settings.v_max > 0.0f ? c->settings.v_max : c->path.head->own_v_max;
}

am_result am_actor_follow(am_actor *c, const am_path_def *def, am_error *err)
{
    am_result result = ami_path_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    ami_path *path = c->path.head;
    if (!path || !c->prepared->source->db) {
        return ami_fail(err, AM_ERR_DEF, "the character has no room for paths; set path_points in its def");
    }
    if (def->facing == AM_PATH_FACING_NET && !c->path.facings) {
        am_actor_leave_path(c);
        return ami_fail(
            err, AM_ERR_SUPPORT,
            "facing by a network needs a model with a 'direction' part, and none was given; use 'tangent' "
            "or 'joystick'");
    }
    memset(path, 0, sizeof *path);
    path->limits = c->prepared->limits;
    path->own_v_max = def->v_max > 0.0f ? def->v_max : path->limits.v_max;
    path->v_max = fastest(c);
    path->fps = c->prepared->source->db->fps;
    path->facing = (int32_t)def->facing;
    path->desired = (int32_t)def->method.desired;
    path->switches = switches_of(&def->method);
    result = ami_path_lay(&c->path, def, c->state->root.translation, err);
    if (result == AM_OK) {
        float heading = am_quat_heading(c->state->root.rotation);
        result = ami_path_shape(&c->path, c->state->speed, 0.0f, heading, err);
    }
    path->phase = result == AM_OK ? ami_path_follows : ami_path_none;
    path->context.before = path->context.corner = -1;
    ami_path_facing_begin(c);
    path->fresh = 1;
    return result;
}

void am_actor_leave_path(am_actor *c)
{
    if (c->path.head) {
        c->path.head->phase = ami_path_none;
    }
}

void am_actor_get_path(const am_actor *c, am_path_view *out)
{
    const ami_path *path = c->path.head;
    am_path_view view = { 0 };
    if (path && path->phase != ami_path_none) {
        view.following = ami_path_active(c);
        view.ended = path->phase == ami_path_ended;
        view.points = c->path.points;
        view.count = path->count;
        view.loop_first = path->loop_first;
        view.at = ami_path_index(path, path->context.at);
        view.v_max = path->v_max;
        view.recoveries = (int)path->recoveries;
        view.laps = (int)path->laps;
        view.offset = path->drawn_offset;
    }
    *out = view;
}

// ---------------------------------------------------------------------------------------------
// On the way

/// Shift, or another v_max: the same path at a run or within the new limit, or again as it was drawn. The part
/// already walked stays as it is.
static void change_pace(am_actor *c)
{
    ami_path *path = c->path.head;
    uint32_t runs = (c->state->target_buttons & ami_button_run) != 0;
    if (runs == path->runs && fastest(c) == path->v_max) {
        return;
    }
    path->v_max = fastest(c);
    float along = c->path.points[ami_path_index(path, path->context.at)].along;
    float heading = am_quat_heading(c->state->root.rotation);
    am_error unused = { 0 };
    path->runs = runs;
    ami_path_shape(&c->path, c->state->speed, runs ? path->limits.v_run : 0.0f, heading, &unused);
    int at = 0;
    while (at + 1 < path->count && c->path.points[at].along < along) {
        at++;
    }
    path->context.at = path->context.before = at;
    path->context.clock = (float)at;
    path->fresh = 1;
    ami_path_facing_begin(c);
}

/// Counts laps by going back to the first point of the lap.
static void go_round(ami_path *path, const am_path_point *points)
{
    int lap = path->count - path->loop_first;
    while (path->loop_first >= 0 && path->context.at >= path->count) {
        path->context.at -= lap;
        path->context.before -= lap;
        path->context.corner -= path->context.corner >= 0 ? lap : 0;
        path->context.clock -= (float)lap;
        path->told_to -= lap;
        path->still_along -= points[path->count - 1].along - points[path->loop_first].along;
        path->laps++;
    }
}

/// A character without progress is pulled along: the target advances by itself.
static void watch_progress(am_actor *c, float dt)
{
    ami_path *path = c->path.head;
    float along = ami_path_along(path, c->path.points, path->context.at);
    path->still_s += dt;
    if (along > path->still_along + STUCK_M) {
        path->still_along = along;
        path->still_s = 0.0f;
    } else if (path->still_s > STUCK_S && has(c, ami_path_recover)) {
        int to = path->context.at + (int)(RECOVER_S * path->fps);
        int last = path->count - 1;
        path->context.at = path->loop_first < 0 && to > last ? last : to;
        path->context.clock = (float)path->context.at;
        path->still_s = 0.0f;
        path->recoveries++;
        path->fresh = 1;
    }
}

/// A character that turns on the spot does not advance along the path, and near a hairpin the nearest point may be
/// one that it has left behind: after a moment the target advances by itself, as long as it stays within reach.
static void drift_on(am_actor *c, int came_on, float dt)
{
    ami_path *path = c->path.head;
    float pace = dt * path->fps;
    bool slow = (float)came_on < DRIFT_SLOW * pace;
    path->lag_s = slow ? path->lag_s + dt : am_max(path->lag_s - 2.0f * dt, 0.0f);
    if (!has(c, ami_path_lead) || path->lag_s < DRIFT_AFTER_S) {
        path->drift = 0.0f;
        return;
    }
    path->drift += DRIFT_PACE * pace;
    for (; path->drift >= 1.0f; path->drift -= 1.0f) {
        const am_path_point *next = &c->path.points[ami_path_index(path, path->context.at + 1)];
        bool near = am_v3_distance(am_v3_ground(c->state->root.translation), am_v3(next->x, 0.0f, next->z)) < DRIFT_M;
        path->context.at += near && (path->loop_first >= 0 || path->context.at + 1 < path->count);
    }
    path->context.clock = am_max(path->context.clock, (float)path->context.at);
}

/// The path is over when its end is within stopping distance.
static void watch_end(am_actor *c, float dt)
{
    ami_path *path = c->path.head;
    if (path->loop_first >= 0) {
        return;
    }
    const am_path_point *last = &c->path.points[path->count - 1];
    am_vec3 root = c->state->root.translation;
    float left = last->along - c->path.points[ami_path_index(path, path->context.at)].along;
    float away = am_v3_distance(am_v3_ground(root), am_v3(last->x, 0.0f, last->z));
    bool there = left < STOP_M + STOP_S * c->state->speed;
    path->arrive_s = there ? path->arrive_s + dt : 0.0f;
    if (there && (away < ARRIVED_M || path->arrive_s > ARRIVE_LONGEST_S)) {
        path->phase = ami_path_ended;
    }
}

static float stretch_of(const am_actor *c) { return 1.0f / c->settings.time_scale; }

static void set_target(am_actor *c)
{
    ami_state *s = c->state;
    const ami_path *path = c->path.head;
    int i = ami_path_index(path, (int)(path->context.clock + 0.5f));
    const am_path_point *p = &c->path.points[i];
    float ahead = ami_path_along(path, c->path.points, (int)(path->context.clock + 0.5f) + 1) -
                  ami_path_along(path, c->path.points, (int)(path->context.clock + 0.5f));
    float speed = am_max(am_abs(ahead) * path->fps, path->limits.v_least);
    float sn, co;
    am_sincos(p->heading, &sn, &co);
    s->target_velocity = am_v3(sn * speed, 0.0f, co * speed);
    s->heading = ami_path_tell(c, p->heading, path->context.clock);
    am_sincos(s->heading, &sn, &co);
    s->target_facing = am_v3(sn, 0.0f, co);
    s->position = am_v3(p->x, 0.0f, p->z);
    s->velocity = s->target_velocity;
    s->acceleration = am_v3_zero();
    s->heading_velocity = 0.0f;
    // The query, not a change of the target, says when to search.
    s->searched_velocity = s->target_velocity;
    s->searched_heading = s->heading;
}

void ami_path_begin_step(am_actor *c, float dt)
{
    ami_state *s = c->state;
    ami_path *path = c->path.head;
    path->stick = s->target_facing;
    change_pace(c);
    int was = path->context.at;
    path->context.clock += dt * path->fps;
    ami_path_progress(path, c->path.points, &path->context, s->root.translation);
    bool turned = path->context.corner >= was && path->context.at > path->context.corner;
    path->fresh |= turned && path->context.corner >= 0; // appendix D: a new query as soon as the corner is passed
    drift_on(c, path->context.at - was, dt);
    watch_progress(c, dt);
    ami_path_facing_step(c, dt);
    go_round(path, c->path.points);
    watch_end(c, dt);
    if (path->phase == ami_path_ended) {
        s->target_velocity = s->velocity = s->acceleration = am_v3_zero();
        s->target_facing = am_v3_zero();
        // The simulated point stays at the end of the path, and the remaining movement is pulled to it.
        const am_path_point *last = &c->path.points[path->count - 1];
        s->position = am_v3(last->x, 0.0f, last->z);
        s->heading = s->target_heading = am_quat_heading(s->root.rotation);
        return;
    }
    set_target(c);
}

// ---------------------------------------------------------------------------------------------
// The query

/// The target from the context's i_d on.
static int target_at(const am_actor *c, ami_path_context *context, am_query_point *out)
{
    const ami_prepared *prepared = c->prepared;
    float times[AM_MAX_TRAJECTORY];
    float stretch = stretch_of(c);
    int past = prepared->first_ahead - 1; // number of times before now
    for (int i = 0; i < prepared->time_count; i++) {
        times[i] = prepared->times[i] * stretch;
    }
    ami_path_query(&c->path, context, out + past, times + past, prepared->time_count - past);
    for (int i = 0; i < prepared->time_count; i++) {
        if (i < past) {
            out[i] = ami_history_at(c, -times[i]); // also for virtual steps, whose own past is not known
        } else {
            out[i].position.y = prepared->facts.hip_m;
            out[i].direction = ami_path_turned(c, out[i].direction);
        }
        out[i].time = prepared->times[i];
        out[i].velocity = am_v3_scale(out[i].velocity, stretch);
    }
    return prepared->time_count;
}

/// A step of the lookahead: i_d first (LHMM algorithm 2).
static int compute_query(const void *user, void *context, am_query_point *out, const am_transform *root)
{
    const am_actor *c = user;
    ami_path_context now;
    memcpy(&now, context, sizeof now);
    ami_path_progress(c->path.head, c->path.points, &now, root->translation);
    int count = target_at(c, &now, out);
    memcpy(context, &now, sizeof now);
    return count;
}

static void update_context(const void *user, void *next, const void *context, float seconds)
{
    const am_actor *c = user;
    ami_path_context now;
    memcpy(&now, context, sizeof now);
    now.before = now.at;
    now.clock += seconds * stretch_of(c) * c->path.head->fps;
    memcpy(next, &now, sizeof now);
}

am_horizon ami_path_predict(am_actor *c, ami_path_context *context)
{
    *context = c->path.head->context; // its i_d is this frame's already
    c->state->trajectory_count = target_at(c, context, c->trajectory);
    am_horizon horizon = { c, sizeof *context, context, compute_query, update_context };
    return horizon;
}

void ami_path_searched(am_actor *c, const ami_path_context *context)
{
    c->path.head->context = *context;
    c->path.head->context.before = context->at;
    c->path.head->fresh = 0;
}

// ---------------------------------------------------------------------------------------------
// The root

/// The position on the path nearest to the body, near the point where the body is taken to be; the direction there,
/// and the distance along the path in metres.
static am_vec3 foot_of(const am_actor *c, am_vec3 place, float *heading, float *along)
{
    const ami_path *path = c->path.head;
    am_vec3 best = place;
    float least = INFINITY;
    for (int i = path->context.at - 1; i <= path->context.at + 2; i++) {
        const am_path_point *a = &c->path.points[ami_path_index(path, i)];
        const am_path_point *b = &c->path.points[ami_path_index(path, i + 1)];
        am_vec3 from = am_v3(a->x, 0.0f, a->z);
        am_vec3 way = am_v3_sub(am_v3(b->x, 0.0f, b->z), from);
        float length2 = am_v3_length2(way);
        float part = length2 > 0.0f ? am_clamp(am_v3_dot(am_v3_sub(place, from), way) / length2, 0.0f, 1.0f) : 0.0f;
        am_vec3 on = am_v3_add(from, am_v3_scale(way, part));
        float away = am_v3_distance(on, place);
        if (away < least) {
            least = away;
            best = on;
            *heading = a->heading;
            float from_m = ami_path_along(path, c->path.points, i);
            *along = am_lerp(from_m, ami_path_along(path, c->path.points, i + 1), part);
        }
    }
    return best;
}

static am_vec3 limited(am_vec3 v, float most)
{
    float length = am_v3_length(v);
    return length > most ? am_v3_scale(v, most / length) : v;
}

/// Steers the body's movement a little toward the path, its speed toward the target, its facing toward the direction
/// of travel.
static void steer(am_actor *c, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    const ami_path *path = c->path.head;
    float way = am_v3_length(moved);
    float heading = s->heading;
    am_vec3 place = am_v3_ground(s->root.translation);
    float come_m = 0.0f;
    am_vec3 on = foot_of(c, place, &heading, &come_m);
    float sn, co;
    am_sincos(heading, &sn, &co);
    am_vec3 along = am_v3(sn, 0.0f, co);
    am_vec3 gap = am_v3_sub(on, place);
    am_vec3 across = am_v3_sub(gap, am_v3_scale(along, am_v3_dot(gap, along)));
    float part = ami_share(STEER_HALFLIFE_S, dt);
    am_vec3 step = limited(am_v3_scale(across, part), STEER_ACROSS * way);
    // Interpolates between the points: corrections that change from point to point would shake the body.
    int point = (int)path->context.clock;
    float desired_m = am_lerp(ami_path_along(path, c->path.points, point),
                              ami_path_along(path, c->path.points, point + 1), path->context.clock - (float)point);
    float push = am_clamp((desired_m - come_m) * part, 0.0f, STEER_ALONG * way);
    s->root.translation = am_v3_add(place, am_v3_add(step, am_v3_scale(along, push)));
    float facing = ami_path_tell(c, heading, (float)path->context.at);
    float angle = am_wrap_angle(facing - am_quat_heading(s->root.rotation));
    float most = c->settings.adjust_facing_ratio * (am_abs(turned) + TURN_PER_METRE * way);
    float turn = am_clamp(angle * ami_share(TURN_HALFLIFE_S, dt), -most, most);
    am_quat q = am_quat_mul(s->root.rotation, am_quat_from_heading(turn));
    s->root.rotation = am_quat_normalize(am_q(0.0f, q.y, 0.0f, q.w));
}

void ami_path_move(am_actor *c, am_vec3 moved, float turned, float dt)
{
    ami_state *s = c->state;
    am_vec3 before = s->root.translation;
    if (c->settings.root == AM_ROOT_SIMULATION) {
        s->root.translation = s->position;
        s->root.rotation = am_quat_from_heading(s->heading);
    } else {
        ami_root_follow(s, moved, turned);
    }
    if (c->settings.root == AM_ROOT_MIXED && has(c, ami_path_steer)) {
        steer(c, moved, turned, dt);
    }
    s->speed = am_v3_distance(s->root.translation, before) / dt;
}
