// Ten minutes of a random stick, played by matching and by the networks: checks for numbers that blow up, frozen
// poses, drift from the data and foot slide, and measures response times.
#include "eval_learned.h"

#include "wander.h"

#include "data/features.h"
#include "data/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fps = 60, whole_s = 600, quick_s = 20, search_every = 10 };

// A body all of whose joints are slower than this in its own space has the same pose.
#define STILL_MPS 0.05f
// Targets faster than this ask for movement.
#define MOVE_MPS 0.3f
// Targets that change again sooner call for no response.
#define HELD_S 1.2f
// A character whose target was to stand for this long counts as standing.
#define STOPPED_S 1.5f

/// What one character did over all its frames.
typedef struct watcher {
    const am_db *db;
    am_index *index;
    am_search_work *work;
    float *weights; ///< [stride] 1 for channels of the body, 0 for those of the target
    am_transform before[AM_MAX_JOINTS];
    am_vec3 root_before;
    int frames, not_finite;
    int still, longest_still; ///< frames
    float rest_s;             ///< since the target ended
    double rest_way, rest_time;
    float lowest, highest;        ///< hips, m
    double away_first, away_last; ///< sums over the first and the last tenth
    int first, last, whole;
    double away_most;
    am_metrics m;
    double turn_s, start_s, stop_s;
} watcher;

// ---------------------------------------------------------------------------------------------
// Watching

/// How far the body, its feet and hips with their velocities, is from anything that was captured.
static void measure_away(watcher *w, const am_run_sample *s, const am_transform *pose, const am_velocity *velocity)
{
    float x[AM_MAX_FEATURES + 8] = { 0 };
    am_hit hit;
    ami_query query = ami_query_default();
    ami_search search = ami_search_default();
    query.pose = pose;
    query.velocity = velocity;
    query.roles = &w->db->roles;
    ami_query_make(&w->db->features, x, &query);
    search.x = x;
    search.k = 1;
    search.weights = w->weights;
    if (ami_index_search(w->index, &hit, &search, w->work) < 1) {
        return;
    }
    const double away = sqrt((double)am_max(hit.cost, 0.0f));
    w->away_most = fmax(w->away_most, away);
    if (s->frame < w->whole / 10) {
        w->away_first += away;
        w->first++;
    } else if (s->frame >= w->whole - w->whole / 10) {
        w->away_last += away;
        w->last++;
    }
}

/// The body in the root's space with its velocities there; the fastest joint relative to the root.
static float see_body(const watcher *w, const am_run_sample *s, am_transform *pose, am_velocity *velocity)
{
    const am_transform back = am_transform_inv(s->pose.root);
    const am_vec3 root = am_v3_scale(am_v3_sub(s->pose.root.translation, w->root_before), 1.0f / s->dt);
    float fastest = 0.0f;
    for (int j = 0; j < w->db->joint_count; j++) {
        const am_vec3 way = am_v3_sub(s->pose.world[j].translation, w->before[j].translation);
        const am_vec3 v = am_v3_scale(way, 1.0f / s->dt);
        pose[j] = am_transform_mul(back, s->pose.world[j]);
        velocity[j] = (am_velocity){ .linear = am_quat_unrotate(s->pose.root.rotation, v) };
        fastest = am_max(fastest, am_v3_distance(v, root));
    }
    return fastest;
}

static bool is_finite_pose(const am_transform *world, int count)
{
    float sum = 0.0f;
    for (int j = 0; j < count; j++) {
        const am_quat q = world[j].rotation;
        const am_vec3 t = world[j].translation;
        sum += (q.x + q.y + q.z + q.w + t.x + t.y + t.z) * 0.0f;
    }
    return !(sum != 0.0f);
}

static void watch_rest(watcher *w, const am_run_sample *s, bool asked)
{
    w->rest_s = asked ? 0.0f : w->rest_s + s->dt;
    if (w->rest_s > STOPPED_S) {
        w->rest_way += (double)am_v3_distance(s->pose.root.translation, w->root_before);
        w->rest_time += (double)s->dt;
    }
}

static am_result watch_frame(void *user, const am_run_sample *s, am_error *err)
{
    (void)err;
    watcher *w = user;
    am_transform pose[AM_MAX_JOINTS];
    am_velocity velocity[AM_MAX_JOINTS];
    const float target = am_v3_length(s->intent.velocity);
    w->frames++;
    if (!is_finite_pose(s->pose.world, w->db->joint_count)) {
        w->not_finite++;
        return AM_OK;
    }
    if (w->frames > 1) {
        const float fastest = see_body(w, s, pose, velocity);
        w->still = target > MOVE_MPS && fastest < STILL_MPS ? w->still + 1 : 0;
        w->longest_still = w->still > w->longest_still ? w->still : w->longest_still;
        watch_rest(w, s, target > 0.0f);
        if (w->index && w->frames % search_every == 0) {
            measure_away(w, s, pose, velocity);
        }
    }
    const float hips = s->pose.world[0].translation.y;
    w->lowest = w->frames == 1 ? hips : am_min(w->lowest, hips);
    w->highest = w->frames == 1 ? hips : am_max(w->highest, hips);
    memcpy(w->before, s->pose.world, (size_t)w->db->joint_count * sizeof *w->before);
    w->root_before = s->pose.root.translation;
    return AM_OK;
}

/// Median response time to targets of one kind that were held for a while; a missing response is infinite.
static double held_median(const am_metrics *m, am_response_kind kind)
{
    am_response *held = calloc((size_t)m->response_count + 1, sizeof *held);
    int count = 0;
    for (int i = 0; held && i < m->response_count; i++) {
        const am_response *r = &m->responses[i];
        const float until = i + 1 < m->response_count ? m->responses[i + 1].t : (float)m->seconds;
        if (until - r->t >= HELD_S && (kind != AM_RESPONSE_STOP || r->speed_mps > MOVE_MPS)) {
            held[count++] = *r;
        }
    }
    const double median = (double)am_responses_median(held, count, kind, 0.0f, 4.0f);
    free(held);
    return median;
}

static void take(void *user, am_run_meter *meter)
{
    watcher *w = user;
    w->m = am_run_meter_result(meter, 0);
    w->turn_s = held_median(&w->m, AM_RESPONSE_TURN);
    w->start_s = held_median(&w->m, AM_RESPONSE_START);
    w->stop_s = held_median(&w->m, AM_RESPONSE_STOP);
    w->m.responses = NULL; // the meter's, which ends
}

static am_result open_watcher(watcher *w, const learned *l, int frames, am_error *err)
{
    const am_db *db = l->db;
    const am_schema *schema = db->features.schema;
    *w = (watcher){ .db = db, .whole = frames };
    if (l->alone) {
        return AM_OK; // there are no data to measure from
    }
    ami_index_def def = ami_index_def_default();
    def.db = db;
    am_result result = ami_index_create(&w->index, &def, err);
    if (result == AM_OK) {
        result = ami_search_work_create(&w->work, w->index, NULL, err);
    }
    w->weights = calloc((size_t)db->features.stride, sizeof *w->weights);
    if (result == AM_OK && !w->weights) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        result = AM_ERR_MEMORY;
    }
    for (int c = 0; c < schema->channel_count && w->weights && !db->features.pca; c++) {
        for (int d = 0; d < schema->channels[c].dims; d++) {
            w->weights[schema->channels[c].first + d] = ami_channel_is_target(&schema->channels[c]) ? 0.0f : 1.0f;
        }
    }
    return result;
}

static void close_watcher(watcher *w)
{
    ami_search_work_destroy(w->work);
    ami_index_destroy(w->index);
    free(w->weights);
}

// ---------------------------------------------------------------------------------------------
// Playing

typedef struct endurance {
    const learned *l;
    am_db_measures own;
    am_gamepad_event *events; ///< [frames]
    int frames;
    watcher watchers[2]; ///< matching, networks
    am_result results[2];
    am_error errs[2];
} endurance;

static void run_item(void *context, int item)
{
    endurance *e = context;
    am_error *err = &e->errs[item];
    am_run_script script = { 0 };
    char text[160];
    if (item == 0 && e->l->alone) {
        return;
    }
    snprintf(text, sizeof text,
             "{ \"database\": \"none.amdb\", \"fps\": %d, \"seconds\": %d, \"characters\": [ {} ] }", fps,
             e->frames / fps);
    am_result result = am_run_parse(&script, text, strlen(text), "endurance", NULL, err);
    if (result == AM_OK) {
        am_run_actor actor = script.actors[0];
        actor.gamepad = e->events;
        actor.gamepad_count = e->frames;
        script.actors = &actor;
        const learned_player player = { .db = item == 0 ? e->l->db : NULL,
                                        .model = item == 0 ? NULL : e->l->model,
                                        .own = &e->own,
                                        .watch = { &e->watchers[item], watch_frame },
                                        .take = take,
                                        .user = &e->watchers[item] };
        result = learned_run(&player, &script, err);
    }
    am_run_script_free(&script);
    e->results[item] = result;
}

static void draw_stick(endurance *e)
{
    lab_wander wander = lab_wander_make(10);
    for (int f = 0; f < e->frames; f++) {
        e->events[f] = (am_gamepad_event){ (float)f / fps, lab_wander_next(&wander, 1.0f / fps) };
    }
}

// ---------------------------------------------------------------------------------------------
// The table

static double mean_of(double sum, int count) { return count > 0 ? sum / count : (double)NAN; }

static void add_row(ami_tables *t, const char *name, const watcher *w, const watcher *mm)
{
    const am_quality *q = &w->m.final;
    ami_tables_row(t);
    ami_tables_text(t, name);
    ami_tables_number(t, w->m.seconds);
    mm ? ami_tables_bounded(t, q->foot_slide_cm, 1.5 * mm->m.final.foot_slide_cm)
       : ami_tables_number(t, q->foot_slide_cm);
    ami_tables_number(t, q->skate_share);
    ami_tables_number(t, q->jitter_cm);
    const double answers[3][2] = { { w->turn_s, mm ? mm->turn_s : 0.0 },
                                   { w->start_s, mm ? mm->start_s : 0.0 },
                                   { w->stop_s, mm ? mm->stop_s : 0.0 } };
    for (int i = 0; i < 3; i++) {
        mm ? ami_tables_bounded(t, answers[i][0], 1.2 * answers[i][1]) : ami_tables_number(t, answers[i][0]);
    }
    ami_tables_number(t, w->m.direction_error_deg);
    ami_tables_number(t, w->rest_time > 0.0 ? 100.0 * w->rest_way / w->rest_time : (double)NAN);
    ami_tables_number(t, mean_of(w->away_first, w->first));
    ami_tables_number(t, mean_of(w->away_last, w->last));
    ami_tables_number(t, w->index ? w->away_most : (double)NAN);
    ami_tables_bounded(t, (double)w->longest_still / fps, 0.5);
    ami_tables_number(t, (double)w->lowest);
    ami_tables_number(t, (double)w->highest);
    ami_tables_bounded(t, w->not_finite, 0.0);
    ami_tables_number(t, (double)w->m.fallback_frames);
}

static void add_table(const endurance *e)
{
    static const ami_column columns[] = { { "method", -1 },       { "seconds", 0 },    { "foot_slide_cm", 4 },
                                          { "skate_share", 3 },   { "jitter_cm", 4 },  { "turn_s", 3 },
                                          { "start_s", 3 },       { "stop_s", 3 },     { "direction_error_deg", 2 },
                                          { "standing_cmps", 2 }, { "away_first", 3 }, { "away_last", 3 },
                                          { "away_most", 2 },     { "frozen_s", 2 },   { "lowest_m", 3 },
                                          { "highest_m", 3 },     { "not_finite", 0 }, { "fallback_frames", 0 } };
    ami_tables *t = e->l->e->tables;
    ami_tables_begin(t, "endurance", "endurance: the same random stick for matching and for the networks");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    const bool alone = e->l->alone;
    if (!alone) {
        add_row(t, "mm", &e->watchers[0], NULL);
    }
    add_row(t, "lmm", &e->watchers[1], alone ? NULL : &e->watchers[0]);
    ami_tables_note(t,
                    "Bounds: foot slide 1.5 times matching's, response times 1.2 times. Response times are medians "
                    "over turns, starts and stops that were held for at least %.1f s. standing_cmps: speed of the "
                    "root from %.1f s after the stick was released. frozen_s: longest time in which no joint is "
                    "faster than %.0f cm/s relative to the root while the target moves.",
                    (double)HELD_S, (double)STOPPED_S, 100.0 * (double)STILL_MPS);
    ami_tables_note(t,
                    "away: distance of the body (feet and hips with their velocities) from the nearest frame of the "
                    "data, in stored units; means of the first and the last tenth of the time, and the largest. "
                    "lowest_m, highest_m: of the hips.");
}

am_result learned_endurance(const learned *l, am_error *err)
{
    endurance *e = calloc(1, sizeof *e);
    const int frames = fps * (l->e->quick ? quick_s : whole_s);
    am_gamepad_event *events = calloc((size_t)frames, sizeof *events);
    am_result result = AM_OK;
    if (!e || !events) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        result = AM_ERR_MEMORY;
    } else {
        e->l = l;
        e->frames = frames;
        e->events = events;
        draw_stick(e);
        result = learned_own(l, &e->own, err);
    }
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        result = open_watcher(&e->watchers[i], l, frames, err);
    }
    if (result == AM_OK) {
        l->e->tasks->run(l->e->tasks->user, 2, run_item, e);
    }
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        if (e->results[i] != AM_OK) {
            *err = e->errs[i];
            result = e->results[i];
        }
    }
    if (result == AM_OK) {
        add_table(e);
    }
    for (int i = 0; i < 2 && e; i++) {
        close_watcher(&e->watchers[i]);
    }
    free(events);
    free(e);
    return result;
}
