// The source `field`: a state that moves through a motion field one tick at a time, and its pose between the ticks.

#include "base/error.h"
#include "base/memory.h"
#include "method/field_source.h"
#include "method/sources.h"

#include <string.h>

ami_field_source_def ami_field_source_def_default(void)
{
    ami_field_source_def def = { .policy = AM_FIELD_LOOKAHEAD, .cookie = AM_COOKIE };
    ami_field_task_find(&def.task, "direction");
    return def;
}

// ---------------------------------------------------------------------------------------------
// States

static size_t state_size(const am_source *source) { return ami_field_source_of(source)->state_size; }

/// The state of the field at a frame of the database, or the last before it in its range.
static int state_at(const ami_field *field, int frame)
{
    int lo = 0;
    int hi = field->state_count - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        if (field->frames[middle] <= frame) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return lo;
}

static void reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    (void)settings;
    const ami_field_source *f = ami_field_source_of(source);
    const ami_field *field = f->field;
    memset(state, 0, f->state_size);
    ami_field_view s = ami_field_view_of(f, state);
    int at = frame >= 0 && frame < field->db->frame_count ? state_at(field, frame) : f->standing;
    size_t velocity = (size_t)field->velocity_count * sizeof(float);
    memcpy(s.x, ami_field_x(field, at), (size_t)field->pose_count * sizeof(float));
    memcpy(s.next_x, s.x, (size_t)field->pose_count * sizeof(float));
    memcpy(s.next_v, ami_field_v(field, at), velocity);
    memcpy(s.d, s.next_v, velocity);
    memcpy(s.was, s.next_v, velocity);
    s.head->phase = 1.0f; // the first step ticks
    s.head->frame = field->frames[at];
    s.head->contacts = field->contacts[at];
}

/// Coefficients of the displacements before, in and after a tick in a curve through its ends with the mean
/// displacements as slopes (Hermite): 0 at t = 0, the tick's own displacement at t = 1.
static void curve(float t, float out[3])
{
    float t2 = t * t;
    float t3 = t2 * t;
    float leave = t3 - 2.0f * t2 + t;
    float arrive = t3 - t2;
    out[0] = 0.5f * leave;
    out[1] = 3.0f * t2 - 2.0f * t3 + 0.5f * (leave + arrive);
    out[2] = 0.5f * arrive;
}

/// v(velocity_count): the displacement from the last tick to phase t of this one. Sines of half angles replace the
/// angles: a joint turns little in a tick, and the ends are exact.
static void displacement_at(const ami_field *field, float *v, const ami_field_view *s, float t)
{
    float c[3];
    curve(t, c);
    int head = ami_field_velocity_head(field);
    int lanes = field->lanes;
    for (int i = 0; i < head + 3 * lanes; i++) {
        v[i] = c[0] * s->was[i] + c[1] * s->d[i] + c[2] * s->next_v[i];
    }
    const float *x = v + head;
    for (int i = 0; i < lanes; i++) {
        float sine2 = x[i] * x[i] + x[lanes + i] * x[lanes + i] + x[2 * lanes + i] * x[2 * lanes + i];
        v[head + 3 * lanes + i] = sqrtf(am_max(1.0f - sine2, 0.0f));
    }
}

static void pose_at(const ami_field_source *f, am_transform *local, const ami_field_view *s, float t)
{
    const ami_field *field = f->field;
    float v[AMI_FIELD_MOST_NUMBERS];
    float x[AMI_FIELD_MOST_NUMBERS];
    displacement_at(field, v, s, t);
    ami_field_displace(field, x, s->x, v);
    ami_field_show_life(f, x, s->head);
    ami_field_pose_get(field, local, x);
}

static void show_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    (void)work;
    const ami_field_source *f = ami_field_source_of(source);
    ami_field_view s = ami_field_view_of(f, (void *)state);
    pose_at(f, out->local, &s, s.head->phase);
    out->contacts = (uint8_t)s.head->contacts;
    out->frame = s.head->frame;
    out->fraction = 0.0f;
}

// ---------------------------------------------------------------------------------------------
// A body that another source moved

/// x, v of a body from its joints' places and velocities in the root's space.
static void read_body(const ami_field *field, float *x, float *v, const am_source_input *input)
{
    const int16_t *parents = field->db->skeleton->parents;
    const am_transform *world = input->pose;
    const am_velocity *fast = input->velocity;
    float tick = 1.0f / field->fps;
    am_transform now[AM_MAX_JOINTS], then[AM_MAX_JOINTS];
    // The hips' movement over ground and their turn about the vertical become the ground root's.
    am_quat turn = am_quat_from_heading(fast[0].angular.y * tick);
    for (int j = 0; j < field->joint_count; j++) {
        am_transform up = j > 0 ? world[parents[j]] : am_transform_identity();
        am_vec3 relative = j > 0 ? am_v3_sub(fast[j].angular, fast[parents[j]].angular) : fast[j].angular;
        am_vec3 spin = am_v3_scale(am_quat_unrotate(up.rotation, relative), tick);
        now[j] = am_transform_mul(am_transform_inv(up), world[j]);
        then[j] = now[j];
        then[j].rotation = am_quat_normalize(am_quat_mul(am_quat_from_scaled_axis(spin), now[j].rotation));
    }
    then[0].rotation = am_quat_mul(am_quat_inv(turn), then[0].rotation);
    am_vec3 way = am_v3_scale(fast[0].linear, tick);
    am_vec3 hips = am_v3_add(now[0].translation, am_v3(0.0f, way.y, 0.0f));
    then[0].translation = hips;
    am_vec3 step = am_v3_sub(am_v3_add(way, now[0].translation), am_quat_rotate(turn, hips));
    float next[AMI_FIELD_MOST_NUMBERS];
    ami_field_pose_put(field, x, now);
    ami_field_pose_put(field, next, then);
    ami_field_difference(field, v, x, next, (ami_field_step){ step.x, step.z, fast[0].angular.y * tick });
}

/// Makes that body the state, and reports a transition that changes nothing.
static void take_body(const ami_field_source *f, ami_field_view *s, am_source_output *out,
                      const am_source_input *input)
{
    const ami_field *field = f->field;
    int head = ami_field_velocity_head(field);
    int lanes = field->lanes;
    read_body(field, s->next_x, s->next_v, input);
    memcpy(s->x, s->next_x, (size_t)field->pose_count * sizeof(float));
    memcpy(s->d, s->next_v, (size_t)field->velocity_count * sizeof(float));
    s->head->near_count = s->head->fresh = 0;
    s->head->action = -1;
    s->head->rest = AMI_FIELD_MOVES;
    s->head->life = 0.0f;
    s->head->phase = 1.0f;
    ami_field_pose_get(field, out->landed.local, s->next_x);
    memset(out->landed.velocity, 0, (size_t)field->joint_count * sizeof *out->landed.velocity);
    const float *q = s->next_v + head;
    for (int j = 0; j < field->joint_count; j++) {
        int i = field->lane[j];
        am_quat turn = am_q(q[i], q[lanes + i], q[2 * lanes + i], q[3 * lanes + i]);
        out->landed.velocity[j].angular = am_v3_scale(am_quat_to_scaled_axis(turn), field->fps);
    }
    for (int m = 0; m < field->db->moving_count; m++) {
        const float *t = s->next_v + 3 + 3 * m;
        out->landed.velocity[field->db->moving[m]].linear = am_v3_scale(am_v3(t[0], t[1], t[2]), field->fps);
    }
    out->landed.root_linear = am_v3_scale(am_v3(s->next_v[0], 0.0f, s->next_v[1]), field->fps);
    out->landed.root_angular = am_v3(0.0f, s->next_v[2] * field->fps, 0.0f);
    out->transition = true;
}

// ---------------------------------------------------------------------------------------------
// One step

/// Where the ground root is at phase t of the tick, from where it was at the last tick.
static am_transform root_at(const ami_field_view *s, float t)
{
    float c[3];
    curve(t, c);
    float at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = c[0] * s->was[i] + c[1] * s->d[i] + c[2] * s->next_v[i];
    }
    return ami_field_step_transform((ami_field_step){ at[0], at[1], at[2] });
}

const ami_field_value *ami_field_source_value(const am_source *source, int task, int every)
{
    const ami_field_source *f = ami_field_source_of(source);
    const ami_field_value *best = NULL;
    for (int i = 0; i < f->value_count; i++) {
        const ami_field_value *v = f->values[i];
        bool fits = strcmp(v->task.name, ami_field_task_name(task)) == 0 && (every == 0 || v->head.every == every);
        best = fits && (!best || v->head.every < best->head.every) ? v : best;
    }
    return best;
}

/// The source as the character's settings define it.
static ami_field_source chosen(const ami_field_source *f, const am_settings *settings)
{
    ami_field_source out = *f;
    bool ahead = settings->policy == AM_FIELD_LOOKAHEAD;
    out.value = ahead ? ami_field_source_value(&f->base, settings->task, settings->every) : NULL;
    out.policy = ahead && !out.value ? AM_FIELD_GREEDY : settings->policy;
    out.wander_s = settings->policy == AM_FIELD_PASSIVE ? AMI_FIELD_WANDER_S : 0.0f;
    if (out.value) {
        out.task = out.value->task;
    } else {
        ami_field_task_find(&out.task, ami_field_task_name(settings->task));
    }
    out.task.fps = f->field->fps;
    return out;
}

static void step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                 am_search_work *work)
{
    ami_field_source as_set;
    const ami_field_source *f = ami_field_source_of(source);
    if (input->settings) {
        as_set = chosen(f, input->settings);
        f = &as_set;
    }
    ami_field_view s = ami_field_view_of(f, state);
    out->transition = out->searched = out->ended = out->fell_back = out->softened = false;
    out->candidate_count = out->searches = 0;
    out->turned = out->turned_by_motion = 0.0f;
    if (input->pose && input->velocity) {
        take_body(f, &s, out, input);
    }
    am_transform moved = am_transform_identity();
    float left = input->dt * f->field->fps;
    while (left > AMI_FIELD_SNAP) {
        if (s.head->phase >= 1.0f - AMI_FIELD_SNAP) {
            ami_field_tick(f, &s, out, input, am_transform_mul(input->root, moved), work);
            s.head->phase = 0.0f;
        }
        const float rate = ami_field_rate(s.head);
        float to = am_min(s.head->phase + rate * left, 1.0f);
        to = to > 1.0f - AMI_FIELD_SNAP ? 1.0f : to;
        left -= (to - s.head->phase) / rate;
        am_transform way = am_transform_mul(am_transform_inv(root_at(&s, s.head->phase)), root_at(&s, to));
        moved = am_transform_mul(moved, way);
        s.head->phase = to;
    }
    ami_field_live(f, s.head, input->dt);
    am_vec3 turn = am_quat_to_scaled_axis(am_quat_abs(moved.rotation));
    out->root_linear = am_v3_scale(am_v3_ground(moved.translation), 1.0f / input->dt);
    out->root_angular = am_v3_scale(turn, 1.0f / input->dt);
    show_pose(source, state, out, work);
}

// ---------------------------------------------------------------------------------------------
// Making one

static void destroy(am_source *source)
{
    am_alloc alloc = source->alloc;
    ami_release(&alloc, source, sizeof(ami_field_source));
}

static const am_source_interface interface = {
    .name = "field",
    .state_size = state_size,
    .reset = reset,
    .pose = show_pose,
    .step = step,
    .destroy = destroy,
    .make_work = ami_field_room_make,
    .ticks = true,
};

/// The state with the least movement: where a character begins.
static int find_standing(const ami_field *field)
{
    int best = 0;
    float least = INFINITY;
    for (int s = 0; s < field->state_count; s++) {
        const float sum = ami_field_motion(field, ami_field_row(field, s));
        best = sum < least ? s : best;
        least = am_min(sum, least);
    }
    return best;
}

static am_result check_def(const ami_field_source_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->field || (int)def->policy < 0 || def->policy > AM_FIELD_PASSIVE ||
        !(def->wander_s >= 0.0f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the field source def with ami_field_source_def_default(); it needs a field, a "
                        "known policy and wander_s of at least 0");
    }
    if (def->policy == AM_FIELD_LOOKAHEAD && !def->value) {
        return ami_fail(err, AM_ERR_DEF, "the policy 'lookahead' needs a value function; train one, or use 'greedy'");
    }
    if (def->value && def->value->head.field_hash != def->field->hash) {
        return ami_fail(err, AM_ERR_DEF, "the value function belongs to another field");
    }
    if (!def->value && (ami_field_task_cells(&def->task) < 1 || !def->task.read || !def->task.reward)) {
        return ami_fail(err, AM_ERR_DEF, "field source def: the task is incomplete");
    }
    return AM_OK;
}

/// What a state depends on. All of a value function's head counts: steering, discount and weight choose the actions.
static uint64_t key_of(const ami_field_source *f)
{
    const uint64_t words[] = { f->field->hash, (uint64_t)f->policy };
    uint64_t key = am_hash64(words, sizeof words, am_hash64(f->task.name, strlen(f->task.name), 1));
    key = am_hash64(&f->task.weight, sizeof f->task.weight, key);
    key = f->wander_s > 0.0f ? am_hash64(&f->wander_s, sizeof f->wander_s, key) : key;
    return f->value ? am_hash64(&f->value->head, sizeof f->value->head, key) : key;
}

am_result ami_field_source_create(am_source **out, const ami_field_source_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_field_source *f = ami_alloc_zero(&alloc, sizeof *f);
    if (!f) {
        return ami_fail_memory(err, sizeof *f);
    }
    const am_db *db = def->field->db;
    f->base = (am_source){
        .interface = &interface, .skeleton = db->skeleton, .roles = &db->roles, .db = db, .alloc = alloc
    };
    f->field = def->field;
    f->value = def->value;
    f->task = def->value ? def->value->task : def->task;
    f->task.fps = def->field->fps; // rewards count metres and radians per second
    f->values = def->values;
    f->value_count = def->value_count;
    f->policy = def->policy;
    f->wander_s = def->policy == AM_FIELD_PASSIVE ? def->wander_s : 0.0f;
    f->standing = find_standing(def->field);
    f->stretch = ami_field_find_stretch(def->field, f->standing);
    const ami_field *field = def->field;
    size_t numbers = 2 * (size_t)field->pose_count + 3 * (size_t)field->velocity_count + 2 * (size_t)field->k;
    f->state_size = (sizeof(ami_field_head) + numbers * sizeof(float) + 15) / 16 * 16;
    f->base.key = key_of(f);
    *out = &f->base;
    return AM_OK;
}

const ami_field *ami_field_source_field(const am_source *source)
{
    return source->interface == &interface ? ami_field_source_of(source)->field : NULL;
}
