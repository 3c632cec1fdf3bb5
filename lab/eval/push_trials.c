// Random pushes: how far they move a character from the data, how soon it recovers, what feet and joints do, and in
// which direction the chest moves.
#include "actor/actor.h"
#include "push_trials.h"

#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/tasks.h"

#include <string.h>

#define DT (1.0f / 60.0f)
#define WARM_S 1.0f  // before a push: transitions of the start are over
#define WATCH_S 3.0f // after it
#define LEAN_S 0.3f
#define LEAST_M 0.005f  // less does not count as movement of the chest
#define SLIGHT_M 0.001f // but twins have the same bits, so even this much is an effect of the push
#define RANGE_SHARE 0.001f
#define REACH_SHARE 0.99f

enum {
    ticks = ami_push_ticks,
    per_item = 10,           // trials that share a body and its characters
    most_starts = 64,        // frames to begin at, of each kind
    most_points = 60 * 4 + 2 // steps of a recording: WARM_S and WATCH_S
};

lab_push_trials_def lab_push_trials_def_default(void)
{
    lab_push_trials_def def = {
        .count = 200, .least_n = 10.0f, .most_n = 400.0f, .seconds = 0.1f, .seed = 1, .cookie = AM_COOKIE
    };
    return def;
}

/// What all items share.
typedef struct trials_job {
    const lab_push_trials_def *def;
    am_alloc alloc;
    ami_joint_range *ranges; ///< [joint]
    am_asset *asset;         ///< around the source
    const am_push_solver *solver;
    lab_push_trial *trials;
    float (*far)[ticks];        ///< [trial] distances of the pushed
    float (*twins)[ticks];      ///< [trial] of the others
    float *sorted;              ///< [trial * ticks] of all others
    int starts[2][most_starts]; ///< standing, walking
    int start_counts[2];
    am_result *results; ///< [item]
    am_error *errors;   ///< [item]
} trials_job;

/// A character under observation.
typedef struct watched {
    am_actor *character;
    am_transform *pose; ///< [joint] at the last tick
    am_transform root;
    float *x, *to, *v, *row;
    ami_field_work *work;
    am_vec3 *points; ///< [most_points][AM_POINT_COUNT] from WARM_S before the push on
    am_motion motion;
} watched;

// ---------------------------------------------------------------------------------------------
// One character

static am_vec3 part_of(const watched *w, am_role role)
{
    const am_source *source = ami_asset_source(am_actor_asset(w->character), AM_METHOD_OWN);
    int joint = source->roles->joint[role];
    return joint >= 0 ? ami_pose_of(w->character).world[joint].translation : am_v3_zero();
}

/// The chest from one foot or the middle of both, on the ground.
static am_vec3 lean_of(const watched *w, uint8_t feet)
{
    am_vec3 left = part_of(w, AM_ROLE_LEFT_FOOT), right = part_of(w, AM_ROLE_RIGHT_FOOT);
    float share = feet == AM_CONTACT_LEFT ? 0.0f : feet == AM_CONTACT_RIGHT ? 1.0f : 0.5f;
    return am_v3_ground(am_v3_sub(part_of(w, AM_ROLE_CHEST), am_v3_lerp(left, right, share)));
}

/// Distance of the state since the last tick from the nearest of the data; remembers the pose.
static float take_distance(watched *w, const ami_field *field)
{
    am_actor_pose pose = ami_pose_of(w->character);
    size_t size = (size_t)field->joint_count * sizeof *w->pose;
    am_transform moved = am_transform_mul(am_transform_inv(w->root), pose.root);
    ami_field_step step = { moved.translation.x, moved.translation.z, am_quat_heading(moved.rotation) };
    ami_field_neighbours near;
    ami_field_pose_put(field, w->x, w->pose);
    ami_field_pose_put(field, w->to, pose.local_raw);
    ami_field_difference(field, w->v, w->x, w->to, step);
    ami_field_embed(field, w->row, w->x, w->v);
    ami_field_search(field, &near, w->row, 1, NULL, 0, w->work);
    memcpy(w->pose, pose.local_raw, size);
    w->root = pose.root;
    return near.count > 0 ? sqrtf(near.d2[0]) : 1e6f;
}

static void take_feet(const watched *w, lab_push_trial *out)
{
    static const am_role sides[2][2] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
                                         { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE } };
    const am_source *source = ami_asset_source(am_actor_asset(w->character), AM_METHOD_OWN);
    const am_transform *world = ami_pose_of(w->character).world;
    am_actor_facts facts = ami_facts_of(w->character);
    for (int side = 0; side < 2; side++) {
        int ankle = source->roles->joint[sides[side][0]], toe = source->roles->joint[sides[side][1]];
        if (ankle >= 0 && toe >= 0) {
            am_vec3 heel = am_transform_point(world[ankle], ami_heel_offset(source->skeleton, ankle, toe));
            out->depth_m = am_max(out->depth_m, facts.toe_m - world[toe].translation.y);
            out->depth_m = am_max(out->depth_m, facts.heel_m - heel.y);
        }
    }
}

static float excess_of(const watched *w, const ami_joint_range *ranges, int joints, int *which)
{
    const am_transform *local = ami_pose_of(w->character).local;
    float most = 0.0f;
    for (int j = 0; j < joints; j++) {
        float excess = ami_joint_excess(&ranges[j], local[j].rotation);
        *which = excess > most ? j : *which;
        most = am_max(most, excess);
    }
    return most;
}

static void watched_free(const trials_job *job, watched *w)
{
    const ami_field *field = job->def->field;
    size_t numbers = 2 * (size_t)field->pose_count + (size_t)field->velocity_count + (size_t)field->stride;
    am_actor_destroy(w->character);
    ami_field_work_destroy(w->work);
    ami_release(&job->alloc, w->pose, (size_t)field->joint_count * sizeof *w->pose);
    ami_release(&job->alloc, w->x, numbers * sizeof(float));
    ami_release(&job->alloc, w->points, (size_t)most_points * AM_POINT_COUNT * sizeof *w->points);
}

static am_result watched_make(const trials_job *job, watched *w, const am_push_solver *solver, am_error *err)
{
    const ami_field *field = job->def->field;
    size_t numbers = 2 * (size_t)field->pose_count + (size_t)field->velocity_count + (size_t)field->stride;
    *w = (watched){ .pose = ami_alloc_array(&job->alloc, (size_t)field->joint_count, sizeof *w->pose),
                    .x = ami_alloc_array(&job->alloc, numbers, sizeof(float)),
                    .points = ami_alloc_array(&job->alloc, (size_t)most_points * AM_POINT_COUNT, sizeof *w->points) };
    w->motion = (am_motion){ .points = w->points,
                             .fps = 1.0f / DT,
                             .body = am_body_find(job->def->source->skeleton, job->def->source->roles) };
    if (!w->pose || !w->x || !w->points) {
        return ami_fail_memory(err, numbers * sizeof(float));
    }
    w->to = w->x + field->pose_count;
    w->v = w->to + field->pose_count;
    w->row = w->v + field->velocity_count;
    am_result result = ami_field_work_create(&w->work, field, &job->alloc, err);
    am_actor_def def;
    am_actor_def_init(&def, job->asset);
    def.alloc = &job->alloc;
    def.push = solver;
    def.settings.push_blend = job->def->blend;
    return result == AM_OK ? am_actor_create(&w->character, &def, err) : result;
}

// ---------------------------------------------------------------------------------------------
// One trial

static void step(watched *w, const am_intent *target, float seconds)
{
    for (int i = 0; i < (int)(seconds / DT + 0.5f); i++) {
        am_actor_step(w->character, target, DT);
        if (w->motion.frames < most_points) {
            am_body_take(w->points + (size_t)w->motion.frames++ * AM_POINT_COUNT, &w->motion.body,
                         ami_pose_of(w->character).world);
        }
    }
}

static float angle_from(am_vec3 moved, am_vec3 way)
{
    float length = am_v3_length(moved);
    return length > 0.0f ? am_acos(am_v3_dot(moved, way) / length) : AM_PI;
}

/// moved: relative to the middle of the feet; from_stance: to those that stood.
static void take_lean(lab_push_trial *out, am_vec3 moved, am_vec3 from_stance, am_vec3 way)
{
    float along = am_v3_dot(moved, way);
    float length = am_v3_length(moved);
    float off = angle_from(moved, way);
    out->moved_m = am_max(out->moved_m, length);
    out->off_end = length > LEAST_M ? off : AM_PI; // the last tick's stays
    out->off = am_min(out->off, out->off_end);
    if (length > SLIGHT_M) {
        out->off_slight = am_min(out->off_slight, off);
    }
    if (am_v3_length(from_stance) > LEAST_M) {
        out->off_stance = am_min(out->off_stance, angle_from(from_stance, way));
    }
    if (along > out->lean_m) {
        out->lean_m = along;
        out->off_last = off;
    }
}

/// Both for WATCH_S from the push on.
static void watch_both(const trials_job *job, int trial, watched *pushed, watched *twin, const am_intent *target)
{
    lab_push_trial *out = &job->trials[trial];
    const ami_field *field = job->def->field;
    am_vec3 way = am_v3(am_sin(out->angle), 0.0f, am_cos(out->angle));
    uint8_t stance = ami_pose_of(twin->character).contacts;
    out->off = out->off_slight = out->off_last = out->off_end = out->off_stance = AM_PI; // nothing along it
    for (int tick = 0; tick < ticks; tick++) {
        for (int half = 0; half < 2; half++) {
            step(pushed, target, DT);
            step(twin, target, DT);
            int unused = 0;
            float before = out->excess;
            int joint = 0;
            out->excess = am_max(out->excess, excess_of(pushed, job->ranges, field->joint_count, &joint));
            out->excess_joint = out->excess > before ? joint : out->excess_joint;
            out->usual_excess = am_max(out->usual_excess, excess_of(twin, job->ranges, field->joint_count, &unused));
            take_feet(pushed, out);
        }
        job->far[trial][tick] = take_distance(pushed, field);
        job->twins[trial][tick] = take_distance(twin, field);
        out->farthest = am_max(out->farthest, job->far[trial][tick]);
        out->end_far = tick >= ticks - ami_push_stay_ticks ? am_max(out->end_far, job->far[trial][tick]) : 0.0f;
        if ((float)(tick + 1) / 30.0f <= LEAN_S + 1e-3f) {
            am_vec3 moved = am_v3_sub(lean_of(pushed, 0), lean_of(twin, 0));
            take_lean(out, moved, am_v3_sub(lean_of(pushed, stance), lean_of(twin, stance)), way);
        }
    }
}

/// How the pushed one and its twin kept their balance.
static void take_balance(lab_push_trial *out, watched *pushed, watched *twin, const am_intent *target)
{
    am_actor_facts facts = ami_facts_of(pushed->character);
    pushed->motion.floor = twin->motion.floor = (am_floor){ facts.toe_m, facts.heel_m };
    if (am_motion_usable(&pushed->motion)) {
        out->balance = am_balance_measure(&pushed->motion, WARM_S, target->velocity);
        out->usual_balance = am_balance_measure(&twin->motion, WARM_S, target->velocity);
    }
}

static am_result run_trial(const trials_job *job, int trial, watched *pushed, watched *twin, am_rng rng,
                           void *snapshot, am_error *err)
{
    const lab_push_trials_def *def = job->def;
    lab_push_trial *out = &job->trials[trial];
    const am_source *source = def->source;
    int start_count = job->start_counts[out->walks];
    int start = start_count > 0 ? job->starts[out->walks][am_rng_below(&rng, (uint32_t)start_count)] : -1;
    float heading = am_rng_range(&rng, -AM_PI, AM_PI);
    am_intent_def devices = ami_intent_def_for(source);
    float speed = out->walks ? (def->walk_mps > 0.0f ? def->walk_mps : devices.walk_mps) : 0.0f;
    am_intent target = { .velocity = am_v3(speed * am_sin(heading), 0.0f, speed * am_cos(heading)) };
    am_actor_def character;
    am_actor_def_init(&character, job->asset);
    character.alloc = &job->alloc;
    character.push = job->solver;
    character.settings.push_blend = def->blend;
    character.start_frame = start;
    character.heading = heading;
    character.seed = am_rng_u64(&rng);
    am_actor *fresh = NULL;
    am_result result = am_actor_create(&fresh, &character, err);
    if (result == AM_OK) {
        size_t size = am_actor_snapshot(fresh, NULL, 0);
        am_actor_snapshot(fresh, snapshot, size);
        result = am_actor_restore(pushed->character, snapshot, size, err);
        pushed->motion.frames = 0;
        step(pushed, &target, WARM_S);
        memcpy(twin->points, pushed->points, (size_t)pushed->motion.frames * AM_POINT_COUNT * sizeof *twin->points);
        twin->motion.frames = pushed->motion.frames;
        (void)take_distance(pushed, def->field);
        am_actor_snapshot(pushed->character, snapshot, size);
        result = result == AM_OK ? am_actor_restore(twin->character, snapshot, size, err) : result;
    }
    am_actor_destroy(fresh);
    if (result == AM_OK) {
        memcpy(twin->pose, pushed->pose, (size_t)def->field->joint_count * sizeof *twin->pose);
        twin->root = pushed->root;
        am_vec3 force = am_v3(out->newton * am_sin(out->angle), 0.0f, out->newton * am_cos(out->angle));
        result = am_actor_push(pushed->character, out->joint, &force, def->seconds, err);
    }
    if (result == AM_OK) {
        watch_both(job, trial, pushed, twin, &target);
        take_balance(out, pushed, twin, &target);
    }
    return result;
}

static void run_item(void *context, int item)
{
    const trials_job *job = context;
    const lab_push_trials_def *def = job->def;
    const am_source *source = def->source;
    am_error *err = &job->errors[item];
    const am_push_solver *solver = NULL;
    watched pushed = { 0 }, twin = { 0 };
    am_result result =
        def->engine->create(def->engine->user, &solver, source->skeleton, source->roles, &job->alloc, err);
    result = result == AM_OK ? watched_make(job, &pushed, solver, err) : result;
    result = result == AM_OK ? watched_make(job, &twin, solver, err) : result;
    size_t size = result == AM_OK ? am_actor_snapshot(pushed.character, NULL, 0) : 0;
    void *snapshot = ami_alloc_zero(&job->alloc, size);
    result = result == AM_OK && !snapshot ? ami_fail_memory(err, size) : result;
    am_rng rng = ami_rng_make(def->seed);
    for (int i = item * per_item; i < (item + 1) * per_item && i < def->count && result == AM_OK; i++) {
        result = run_trial(job, i, &pushed, &twin, ami_rng_fork(&rng, (uint64_t)i), snapshot, err);
    }
    ami_release(&job->alloc, snapshot, size);
    watched_free(job, &pushed);
    watched_free(job, &twin);
    if (solver) {
        def->engine->destroy(def->engine->user, solver);
    }
    job->results[item] = result;
}

// ---------------------------------------------------------------------------------------------
// All of them

/// Frames tagged idle and walk, evenly spread, where there are any.
static void find_starts(trials_job *job)
{
    static const char *const tags[2] = { "idle", "walk" };
    const am_db *db = job->def->source->db;
    for (int kind = 0; kind < 2 && db; kind++) {
        ami_tag_query query;
        if (ami_db_tag_query(db, &query, tags[kind], NULL) != AM_OK) {
            continue;
        }
        int total = 0;
        for (int f = 0; f < db->frame_count; f++) {
            total += ami_tag_query_accepts(&query, db->tags[f]);
        }
        int seen = 0;
        for (int f = 0; f < db->frame_count; f++) {
            const am_db_range *range = &db->ranges[am_db_range_of(db, f)];
            if (ami_tag_query_accepts(&query, db->tags[f]) && job->start_counts[kind] < most_starts) {
                bool due = (int64_t)seen++ * most_starts >= (int64_t)job->start_counts[kind] * total;
                if (due && (float)f + db->fps < (float)range->stop) {
                    job->starts[kind][job->start_counts[kind]++] = f;
                }
            }
        }
    }
}

/// The parts take turns; which way and how strong is random. Roles that a body has parts for.
static void deal_pushes(trials_job *job)
{
    static const am_role roles[] = { AM_ROLE_HIPS,       AM_ROLE_SPINE,        AM_ROLE_CHEST,
                                     AM_ROLE_HEAD,       AM_ROLE_LEFT_UP_LEG,  AM_ROLE_LEFT_LEG,
                                     AM_ROLE_LEFT_FOOT,  AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG,
                                     AM_ROLE_RIGHT_FOOT, AM_ROLE_LEFT_ARM,     AM_ROLE_LEFT_FOREARM,
                                     AM_ROLE_LEFT_HAND,  AM_ROLE_RIGHT_ARM,    AM_ROLE_RIGHT_FOREARM,
                                     AM_ROLE_RIGHT_HAND };
    int16_t joints[sizeof roles / sizeof *roles] = { 0 };
    int count = 0;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        int joint = job->def->source->roles->joint[roles[i]];
        if (joint >= 0) {
            joints[count++] = (int16_t)joint;
        }
    }
    am_rng all = ami_rng_make(job->def->seed);
    for (int i = 0; i < job->def->count; i++) {
        am_rng rng = ami_rng_fork(&all, (uint64_t)i + 1000003u);
        lab_push_trial *t = &job->trials[i];
        *t = (lab_push_trial){ .joint = count > 0 ? joints[(i / 2) % count] : 0, .walks = i % 2 == 1 };
        if (job->def->trunk) {
            t->joint = job->def->source->roles->joint[am_rng_below(&rng, 2) == 0 ? AM_ROLE_CHEST : AM_ROLE_HIPS];
        }
        t->newton = am_rng_range(&rng, job->def->least_n, job->def->most_n);
        t->angle = am_rng_range(&rng, -AM_PI, AM_PI);
    }
}

float ami_push_back(const float *far, float reach)
{
    int back = ticks;
    while (back > 0 && far[back - 1] <= reach) {
        back--;
    }
    return back <= ticks - ami_push_stay_ticks ? (float)back / 30.0f : WATCH_S;
}

bool ami_push_returns(const float *far, float reach)
{
    int near = 0;
    for (int tick = AM_PUSH_WINDOW; tick < ticks && near < ami_push_stay_ticks; tick++) {
        near = far[tick] <= reach ? near + 1 : 0;
    }
    return near == ami_push_stay_ticks;
}

float ami_push_reach(float *far, int count)
{
    ami_sort_floats(far, count);
    return ami_quantile(far, count, REACH_SHARE);
}

/// Finds when each is back, once all twins have shown how far from the data the source plays by itself.
static float find_backs(const trials_job *job)
{
    memcpy(job->sorted, job->twins, (size_t)job->def->count * sizeof *job->twins);
    float reach = ami_push_reach(job->sorted, job->def->count * ticks);
    for (int i = 0; i < job->def->count; i++) {
        job->trials[i].back_s = ami_push_back(job->far[i], reach);
        job->trials[i].returns = ami_push_returns(job->far[i], reach);
        job->trials[i].usual_back_s = ami_push_back(job->twins[i], reach);
    }
    return reach;
}

static am_result run_all(trials_job *job, am_error *err)
{
    const lab_push_trials_def *def = job->def;
    int items = (def->count + per_item - 1) / per_item;
    am_tasks serial = ami_tasks_serial();
    const am_tasks *tasks = def->tasks ? def->tasks : &serial;
    am_asset_def asset;
    am_asset_def_init(&asset);
    asset.alloc = &job->alloc;
    asset.source = def->source;
    const am_push_solver *solver = NULL;
    am_result result =
        def->engine->create(def->engine->user, &solver, def->source->skeleton, def->source->roles, &job->alloc, err);
    job->solver = solver;
    result = result == AM_OK ? am_asset_create(&job->asset, &asset, err) : result;
    if (result == AM_OK) {
        find_starts(job);
        deal_pushes(job);
        tasks->run(tasks->user, items, run_item, job);
        for (int i = 0; i < items && result == AM_OK; i++) {
            result = job->results[i];
            if (result != AM_OK && err) {
                *err = job->errors[i];
            }
        }
    }
    am_asset_close(job->asset);
    if (solver) {
        def->engine->destroy(def->engine->user, solver);
    }
    return result;
}

am_result lab_push_trials(lab_push_trial *trials, float *reach, const lab_push_trials_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->source || !def->field || !def->engine || def->count < 1 ||
        def->count > 100000 || !(def->least_n >= 0.0f && def->most_n >= def->least_n) ||
        def->field->joint_count != def->source->skeleton->joint_count) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the push trials def from its default and give it a source, a field and an engine");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    int items = (def->count + per_item - 1) / per_item;
    size_t joints = (size_t)def->field->joint_count;
    ami_layout layout = { 0 };
    trials_job job = { .def = def, .alloc = alloc, .trials = trials };
    uint8_t *block = NULL;
    size_t size = 0;
    for (int pass = 0; pass < 2; pass++) {
        job.ranges = ami_layout_take(&layout, joints, sizeof *job.ranges);
        job.far = ami_layout_take(&layout, (size_t)def->count, sizeof *job.far);
        job.twins = ami_layout_take(&layout, (size_t)def->count, sizeof *job.twins);
        job.sorted = ami_layout_take(&layout, (size_t)def->count * ticks, sizeof *job.sorted);
        job.results = ami_layout_take(&layout, (size_t)items, sizeof *job.results);
        job.errors = ami_layout_take(&layout, (size_t)items, sizeof *job.errors);
        if (pass == 0) {
            size = layout.size;
            block = ami_alloc_zero(&alloc, size);
            layout = (ami_layout){ block, 0, false };
            if (!block) {
                return ami_fail_memory(err, size);
            }
        }
    }
    am_result result = ami_joint_ranges(job.ranges, def->field->db, RANGE_SHARE, 0, &alloc, err);
    result = result == AM_OK ? run_all(&job, err) : result;
    *reach = result == AM_OK ? find_backs(&job) : 0.0f;
    ami_release(&alloc, block, size);
    return result;
}
