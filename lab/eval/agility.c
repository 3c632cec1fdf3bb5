// Response times of a source that runs by itself, over many starts and changes of the target.
#include "agility.h"

#include "data/filter.h"
#include "base/batch.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/tasks.h"
#include "data/search.h"

#include <string.h>

lab_agility_def lab_agility_def_default(void)
{
    lab_agility_def def = { .stage = "response",
                            .changes = 36,
                            .starts = 50,
                            .offset_m = 0.5f,
                            .near_rad = 5.0f * AM_DEG,
                            .near_m = 0.1f,
                            .hold_s = 0.3f,
                            .most_s = 3.0f,
                            .settle_s = 2.0f,
                            .dt = 1.0f / 30.0f,
                            .seed = 1,
                            .cookie = AM_COOKIE };
    return def;
}

static am_result check_def(const lab_agility_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->source || !def->source->db) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the agility def with lab_agility_def_default() and give it a source with a database");
    }
    if (def->changes < 2 || def->changes % 2 != 0 || def->changes > 100000 || def->starts < 1 ||
        def->starts > 100000 || !(def->offset_m >= 0.0f) || !(def->near_rad > 0.0f) || !(def->near_m > 0.0f) ||
        !(def->dt > 0.0f && def->dt <= 0.1f) || !(def->hold_s >= 0.0f && def->hold_s <= 100.0f) ||
        !(def->most_s > 0.0f && def->most_s <= 100.0f) || !(def->settle_s >= 0.0f && def->settle_s <= 1000.0f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "agility def: changes must be even, starts, tolerances and times above 0, dt at most 0.1");
    }
    return AM_OK;
}

static int steps_of(float seconds, float dt) { return (int)(seconds / dt + 0.5f); }

// ---------------------------------------------------------------------------------------------
// A source that walks by itself

typedef struct walker {
    const am_source *source;
    am_search_work *work;
    uint8_t *state;
    size_t state_size;
    am_source_output out;
    double turned, own; ///< rad: all of the turns, and what the motion itself had of them
    am_transform root;
    am_rng rng;
    am_alloc alloc;
    uint8_t *room;
    size_t room_size;
} walker;

static void place(walker *w, ami_layout *layout)
{
    size_t joints = (size_t)w->source->skeleton->joint_count;
    w->state = ami_layout_take(layout, 2, w->state_size);
    am_source_pose *sides[2] = { &w->out.left, &w->out.landed };
    w->out.local = ami_layout_take(layout, joints, sizeof(am_transform));
    for (int i = 0; i < 2; i++) {
        sides[i]->local = ami_layout_take(layout, joints, sizeof(am_transform));
        sides[i]->velocity = ami_layout_take(layout, joints, sizeof(am_velocity));
    }
}

static am_result walker_begin(walker *w, const lab_agility_def *def, int frame, am_error *err)
{
    memset(w, 0, sizeof *w);
    w->source = def->source;
    w->alloc = ami_alloc_or_default(def->alloc);
    w->state_size = def->source->interface->state_size(def->source);
    ami_layout measure = { 0 };
    place(w, &measure);
    ami_layout layout = ami_layout_room(&measure, &w->alloc);
    w->room_size = measure.size;
    w->room = layout.base;
    if (!w->room) {
        return ami_fail_memory(err, w->room_size);
    }
    place(w, &layout);
    am_result result = am_source_work_create(&w->work, w->source, 1, &w->alloc, err);
    if (result == AM_OK) {
        w->root = am_transform_identity();
        w->rng = ami_rng_make(def->seed);
        w->source->interface->reset(w->source, w->state, frame, NULL);
        w->source->interface->pose(w->source, w->state, &w->out, w->work);
    }
    return result;
}

static void walker_end(walker *w)
{
    ami_search_work_destroy(w->work);
    ami_release(&w->alloc, w->room, w->room_size);
}

/// A target: a direction, and a point of the line.
typedef struct target {
    float heading;
    am_vec3 point;
} target;

static void walk(walker *w, const target *desired, float dt)
{
    float sine, cosine;
    am_sincos(desired->heading, &sine, &cosine);
    am_source_input input = { .dt = dt, .root = w->root, .rng = &w->rng };
    input.target = (am_source_target){
        .velocity = am_v3(sine, 0.0f, cosine), .heading = desired->heading, .point = desired->point, .has_point = true
    };
    w->source->interface->step(w->source, w->state, &w->out, &input, w->work);
    w->turned += (double)w->out.turned;
    w->own += (double)w->out.turned_by_motion;
    am_vec3 moved = am_quat_rotate(w->root.rotation, am_v3_scale(w->out.root_linear, dt));
    am_quat turned = am_quat_mul(w->root.rotation, am_quat_from_heading(w->out.root_angular.y * dt));
    w->root.translation = am_v3_ground(am_v3_add(w->root.translation, moved));
    w->root.rotation = am_quat_normalize(am_q(0.0f, turned.y, 0.0f, turned.w));
}

static bool is_near(const lab_agility_def *def, const walker *w, const target *desired)
{
    float angle = am_wrap_angle(desired->heading - am_quat_heading(w->root.rotation));
    float sine, cosine;
    am_sincos(desired->heading, &sine, &cosine);
    am_vec3 gap = am_v3_sub(w->root.translation, desired->point);
    float across = gap.x * cosine - gap.z * sine;
    return am_abs(angle) <= def->near_rad && (!def->line || am_abs(across) <= def->near_m);
}

// ---------------------------------------------------------------------------------------------
// Trials

typedef struct trials {
    const lab_agility_def *def;
    float *seconds;     ///< [start][change]
    int32_t *steps;     ///< [start]
    double *turned;     ///< [start][2] all, by motion
    am_error *errors;   ///< [start]
    am_result *results; ///< [start]
} trials;

/// Change c of the direction: the negative half, then the positive one, never 0.
static float change_of(const lab_agility_def *def, int c)
{
    int half = def->changes / 2;
    int step = c < half ? c - half : c - half + 1;
    return AM_PI * (float)step / (float)half;
}

/// Seconds until the target is reached, most_s when it is late (-1 steps then).
static float one_trial(const lab_agility_def *def, walker *w, const target *desired, int32_t *steps, bool *late)
{
    int most = steps_of(def->most_s, def->dt);
    int hold = steps_of(def->hold_s, def->dt);
    int since = is_near(def, w, desired) ? 0 : 1;
    for (int i = 1; since <= most && i - 1 - since < hold; i++) {
        walk(w, desired, def->dt);
        since = is_near(def, w, desired) ? since : i + 1;
        ++*steps;
    }
    *late = since > most;
    return *late ? def->most_s : (float)since * def->dt;
}

static void run_start(void *context, int start)
{
    trials *t = context;
    const lab_agility_def *def = t->def;
    am_rng rng = ami_rng_make(def->seed);
    rng = ami_rng_fork(&rng, (uint64_t)start);
    walker w;
    am_result result =
        walker_begin(&w, def, (int)am_rng_below(&rng, (uint32_t)def->source->db->frame_count), &t->errors[start]);
    target before = { 0.0f, am_v3_zero() };
    for (int i = 0; result == AM_OK && i < steps_of(def->settle_s, def->dt); i++) {
        walk(&w, &before, def->dt);
        t->steps[start]++;
    }
    am_transform root = w.root;
    am_rng drawn = w.rng;
    uint8_t *kept = w.state + w.state_size;
    if (result == AM_OK) {
        memcpy(kept, w.state, w.state_size);
    }
    for (int c = 0; result == AM_OK && c < def->changes; c++) {
        memcpy(w.state, kept, w.state_size);
        w.root = root;
        w.rng = drawn;
        w.source->interface->pose(w.source, w.state, &w.out, w.work);
        target after = { am_wrap_angle(before.heading + change_of(def, c)), root.translation };
        float offset = def->line ? am_rng_range(&rng, -def->offset_m, def->offset_m) : 0.0f;
        float sine, cosine;
        am_sincos(after.heading, &sine, &cosine);
        after.point = am_v3_add(after.point, am_v3(offset * cosine, 0.0f, -offset * sine));
        bool late = false;
        w.turned = w.own = 0.0;
        float seconds = one_trial(def, &w, &after, &t->steps[start], &late);
        t->turned[2 * start] += w.turned;
        t->turned[2 * start + 1] += w.own;
        t->seconds[start * def->changes + c] = late ? -1.0f : seconds;
    }
    walker_end(&w);
    t->results[start] = result;
}

static void summarise(lab_agility *out, const lab_agility_def *def, float *seconds, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        out->late += seconds[i] < 0.0f;
        seconds[i] = seconds[i] < 0.0f ? def->most_s : seconds[i];
        sum += (double)seconds[i];
    }
    out->trials = count;
    out->average = (float)(sum / count);
    ami_sort_floats(seconds, count);
    out->minimum = seconds[0];
    out->maximum = seconds[count - 1];
    out->median = ami_quantile(seconds, count, 0.5f);
    out->p95 = ami_quantile(seconds, count, 0.95f);
}

am_result lab_agility_measure(lab_agility *out, const lab_agility_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_tasks tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    size_t starts = (size_t)def->starts;
    size_t count = starts * (size_t)def->changes;
    size_t bytes = starts * (sizeof(am_error) + 2 * sizeof(double) + sizeof(am_result) + sizeof(int32_t)) +
                   count * sizeof(float);
    uint8_t *room = ami_alloc_zero(&alloc, bytes);
    if (!room) {
        return ami_fail_memory(err, bytes);
    }
    trials t = { .def = def, .turned = (double *)(void *)room };
    t.errors = (am_error *)(void *)(t.turned + 2 * starts);
    t.results = (am_result *)(void *)(t.errors + starts);
    t.steps = (int32_t *)(void *)(t.results + starts);
    t.seconds = (float *)(void *)(t.steps + starts);
    result = ami_run_batches(&tasks, def->progress, def->stage, def->starts, run_start, &t, err);
    for (int s = 0; result == AM_OK && s < def->starts; s++) {
        result = t.results[s];
        out->steps += t.steps[s];
        if (result != AM_OK && err) {
            *err = t.errors[s];
        }
    }
    if (result == AM_OK) {
        double all = 0.0, own = 0.0;
        for (int s = 0; s < def->starts; s++) {
            all += t.turned[2 * s];
            own += t.turned[2 * s + 1];
        }
        out->by_motion = all > 0.0 ? (float)(own / all) : 1.0f;
        summarise(out, def, t.seconds, (int)count);
    }
    ami_release(&alloc, room, bytes);
    return result;
}

/// Whether there was a turn before step i.
static bool is_due(const lab_agility_turn *turn, int i, float dt) { return turn->t <= (float)i * dt + 1e-4f; }

am_result lab_agility_curve(const lab_agility_def *def, float *out, int count, const lab_agility_turn *turns,
                            int turn_count, am_error *err)
{
    am_result result = check_def(def, err);
    walker w = { 0 };
    if (result != AM_OK) {
        return result;
    }
    am_rng rng = ami_rng_make(def->seed);
    result = walker_begin(&w, def, (int)am_rng_below(&rng, (uint32_t)def->source->db->frame_count), err);
    target desired = { 0.0f, am_v3_zero() };
    for (int i = 0; result == AM_OK && i < steps_of(def->settle_s, def->dt); i++) {
        walk(&w, &desired, def->dt);
    }
    desired.point = w.root.translation;
    float facing = result == AM_OK ? am_quat_heading(w.root.rotation) : 0.0f;
    for (int i = 0, next = 0; result == AM_OK && i < count; i++) {
        for (; next < turn_count && is_due(&turns[next], i, def->dt); next++) {
            desired.heading = am_wrap_angle(desired.heading + turns[next].angle);
        }
        walk(&w, &desired, def->dt);
        facing += am_wrap_angle(am_quat_heading(w.root.rotation) - facing);
        out[i] = facing;
    }
    walker_end(&w);
    return result;
}

void lab_agility_answers(const lab_agility_def *def, float *out, const float *facing, int count,
                         const lab_agility_turn *turns, int turn_count)
{
    const int hold = steps_of(def->hold_s, def->dt);
    float desired = 0.0f;
    for (int t = 0, first = 0; t < turn_count; t++) {
        while (first < count && !is_due(&turns[t], first, def->dt)) {
            first++;
        }
        desired += turns[t].angle;
        out[t] = INFINITY;
        int since = first;
        for (int i = first; i < count && (t + 1 == turn_count || !is_due(&turns[t + 1], i, def->dt)); i++) {
            since = am_abs(am_wrap_angle(desired - facing[i])) <= def->near_rad ? since : i + 1;
            if (i - since == hold) {
                out[t] = (float)(since + 1 - first) * def->dt;
                break;
            }
        }
    }
}
