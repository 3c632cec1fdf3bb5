// Plays a graph: a clip plays to its end, bent by its chosen angle; then the follower and the bend with the highest
// expected reward are chosen. A follower that was not captured after the clip is a transition, which the character
// fades out. Ground root and facing move exactly as planned; the body alone carries the difference.
#include "graph.h"

#include "base/error.h"
#include "method/playback.h"
#include "method/target.h"
#include "base/tasks.h"
#include "data/database.h"
#include "data/search.h"

#include <string.h>

// A step that ends this near a frame ends on it.
#define SNAP 1e-4f
// Halvings of the distance of two bends after the best of them is known: 5 degrees become 0.6.
#define REFINEMENTS 3

typedef struct graph_source {
    am_source base;
    ami_graph_rules rules;
    ami_field_task task;
    uint16_t *values; ///< [clip][cell]
    size_t value_bytes;
} graph_source;

/// A character's state of this source.
typedef struct graph_state {
    int32_t clip;
    int32_t frame;  ///< of the database
    float fraction; ///< [0, 1) of a frame beyond it
    float warp;     ///< rad that the clip is bent by over its whole length
    ami_line line;
} graph_state;

static const graph_source *graph_of(const am_source *source) { return (const graph_source *)(const void *)source; }

static size_t graph_state_size(const am_source *source)
{
    (void)source;
    return sizeof(graph_state);
}

static int first_frame(const graph_source *g, int clip)
{
    return g->rules.graph->field->frames[g->rules.graph->clips[clip].first];
}

static int last_frame(const graph_source *g, int clip)
{
    return g->rules.graph->field->frames[g->rules.graph->clips[clip].last];
}

/// Radians that the bend of a state turns in one frame.
static float bend_per_frame(const graph_source *g, const graph_state *s)
{
    return s->warp / (float)(last_frame(g, s->clip) - first_frame(g, s->clip));
}

/// The clip that holds a frame, else the one that begins or ends nearest to it in the order of frames.
static int clip_near(const graph_source *g, int frame)
{
    int best = 0;
    int nearest = INT32_MAX;
    for (int c = 0; c < g->rules.graph->clip_count; c++) {
        int first = first_frame(g, c);
        int last = last_frame(g, c);
        int away = frame < first ? first - frame : frame >= last ? frame - last + 1 : 0;
        if (away < nearest) {
            nearest = away;
            best = c;
        }
    }
    return best;
}

static void graph_reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    (void)settings; // its own def says
    const graph_source *g = graph_of(source);
    graph_state *s = state;
    s->clip = frame >= 0 ? clip_near(g, frame) : 0;
    int first = first_frame(g, s->clip);
    s->frame = frame >= first && frame < last_frame(g, s->clip) ? frame : first;
    s->fraction = 0.0f;
    s->warp = 0.0f;
    s->line = (ami_line){ 0 };
}

static void graph_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    (void)work;
    const graph_state *s = state;
    ami_play_pose(source->db, out->local, s->frame, s->fraction);
    out->contacts = source->db->contacts[s->frame];
    out->frame = s->frame;
    out->fraction = s->fraction;
}

// ---------------------------------------------------------------------------------------------
// Choosing

/// A follower and how it is bent.
typedef struct choice {
    int clip;
    float warp, value;
} choice;

static float judge(const graph_source *g, const float *theta, int clip, float warp)
{
    float end[AMI_FIELD_MAX_AXES];
    memcpy(end, theta, sizeof end);
    float reward = ami_graph_play(&g->rules, end, clip, warp);
    return reward + ami_graph_discount(&g->rules, clip) * ami_graph_value(&g->rules, g->values, clip, end);
}

static void consider(const graph_source *g, choice *best, const float *theta, int clip, float warp)
{
    float value = judge(g, theta, clip, warp);
    if (value > best->value) {
        *best = (choice){ clip, warp, value };
    }
}

/// The best follower of a clip. On equal terms the captured one, which comes first, as it was captured.
static choice choose(const graph_source *g, int clip, const float *theta)
{
    const lab_motion_graph_clip *c = &g->rules.graph->clips[clip];
    const int32_t *edges = g->rules.graph->edges + c->edge;
    choice best = { edges[0], 0.0f, -INFINITY };
    consider(g, &best, theta, edges[0], 0.0f);
    for (int e = 0; e < c->edge_count; e++) {
        for (int w = 0; w < g->rules.warps; w++) {
            consider(g, &best, theta, edges[e], ami_graph_bend(&g->rules, w));
        }
    }
    float apart = g->rules.warps > 1 ? 2.0f * g->rules.warp / (float)(g->rules.warps - 1) : 0.0f;
    for (int i = 0; i < REFINEMENTS && apart > 0.0f; i++) {
        apart *= 0.5f;
        float middle = best.warp;
        consider(g, &best, theta, best.clip, am_min(middle + apart, g->rules.warp));
        consider(g, &best, theta, best.clip, am_max(middle - apart, -g->rules.warp));
    }
    return best;
}

/// One side of a transition at a frame, with the bend of its clip; the step that led to it, or the one that follows.
static void sample_side(const graph_source *g, am_source_pose *side, const graph_state *s, bool leaving)
{
    const am_db *db = g->base.db;
    am_transform from[AM_MAX_JOINTS];
    am_transform to[AM_MAX_JOINTS];
    int first = leaving && s->fraction == 0.0f ? ami_db_clamp(db, s->frame, -1) : s->frame;
    int last = ami_db_clamp(db, first, 1);
    ami_play_pose(db, side->local, s->frame, s->fraction);
    ami_play_pose(db, from, first, 0.0f);
    ami_play_pose(db, to, last, 0.0f);
    ami_play_velocities(db, side, from, to, first, last);
    side->root_angular.y += bend_per_frame(g, s) * db->fps;
}

/// The root continues as planned; the hips carry the difference to its earlier movement in their own space, so that
/// the body keeps its velocity in the world.
static void hand_root_over(am_source_pose *left, const am_source_pose *landed)
{
    am_vec3 turn = am_v3_sub(left->root_angular, landed->root_angular);
    am_vec3 way = am_v3_sub(left->root_linear, landed->root_linear);
    am_vec3 swept = am_v3_cross(turn, left->local[0].translation);
    left->velocity[0].linear = am_v3_add(left->velocity[0].linear, am_v3_add(way, swept));
    left->velocity[0].angular = am_v3_add(left->velocity[0].angular, turn);
    left->root_linear = landed->root_linear;
    left->root_angular = landed->root_angular;
}

/// Moves to the best follower.
static void decide(const graph_source *g, graph_state *s, am_source_output *out, const am_source_input *input)
{
    double before = input->clock ? input->clock->microseconds(input->clock->user) : 0.0;
    float theta[AMI_FIELD_MAX_AXES] = { 0.0f };
    ami_field_target target = ami_target_read(&s->line, &input->target, input->root);
    g->task.read(&g->task, theta, &target, input->root);
    choice best = choose(g, s->clip, theta);
    bool captured = first_frame(g, best.clip) == s->frame && s->fraction == 0.0f;
    if (!captured) {
        sample_side(g, &out->left, s, true);
    }
    s->clip = best.clip;
    s->warp = best.warp;
    s->frame = first_frame(g, best.clip);
    s->fraction = 0.0f;
    if (!captured) {
        sample_side(g, &out->landed, s, false);
        hand_root_over(&out->left, &out->landed);
        out->transition = true;
    }
    out->searched = true;
    out->cost = -best.value;
    out->candidate_count = 1;
    out->candidates[0] = (am_hit){ s->frame, out->cost };
    if (input->clock) {
        out->search_us = (float)(input->clock->microseconds(input->clock->user) - before);
    }
}

// ---------------------------------------------------------------------------------------------
// Playing

static void play(const graph_source *g, graph_state *s, am_source_output *out, float dt)
{
    const am_db *db = g->base.db;
    graph_state was = *s;
    am_transform before = ami_play_root(db, s->frame, s->fraction);
    ami_play_advance(&s->frame, &s->fraction, last_frame(g, s->clip), dt * db->fps);
    am_transform pose[AM_MAX_JOINTS];
    am_transform root = ami_play_root(db, s->frame, s->fraction);
    ami_play_pose(db, pose, s->frame, s->fraction);
    out->frame = s->frame;
    out->fraction = s->fraction;
    if (!ami_play_is_finite(pose, db->joint_count, root) || !ami_play_is_finite(pose, 0, before)) {
        out->fell_back = true;
        return;
    }
    memcpy(out->local, pose, (size_t)db->joint_count * sizeof *pose);
    ami_play_moved(out, before, root, dt);
    float frames = (float)(s->frame - was.frame) + s->fraction - was.fraction;
    out->root_angular.y += bend_per_frame(g, s) * frames / dt;
    out->contacts = db->contacts[s->fraction < 0.5f ? s->frame : ami_db_clamp(db, s->frame, 1)];
}

/// The clip that begins most like a pose that another source gave: joints in the root's space.
static int nearest_clip(const graph_source *g, const am_transform *pose)
{
    const am_db *db = g->base.db;
    am_transform local[AM_MAX_JOINTS];
    int best = 0;
    float least = INFINITY;
    for (int c = 0; c < g->rules.graph->clip_count; c++) {
        am_db_pose(db, first_frame(g, c), local);
        am_fk(local, local, db->skeleton->parents, db->joint_count);
        float sum = 0.0f;
        for (int j = 0; j < db->joint_count; j++) {
            sum += am_v3_length2(am_v3_sub(local[j].translation, pose[j].translation));
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

static void graph_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                       am_search_work *work)
{
    (void)work;
    const graph_source *g = graph_of(source);
    graph_state *s = state;
    out->transition = out->searched = out->ended = out->fell_back = false;
    out->root_linear = out->root_angular = am_v3_zero();
    out->candidate_count = out->searches = 0;
    out->stay_cost = INFINITY;
    if (input->pose) {
        // The character itself joins the two poses.
        s->clip = nearest_clip(g, input->pose);
        s->frame = first_frame(g, s->clip);
        s->fraction = s->warp = 0.0f;
    }
    float ahead = (float)(last_frame(g, s->clip) - s->frame) - s->fraction;
    if (ahead < input->dt * source->db->fps - SNAP) {
        decide(g, s, out, input);
    }
    play(g, s, out, input->dt);
}

// ---------------------------------------------------------------------------------------------
// Making one

lab_motion_graph_source_def lab_motion_graph_source_def_default(void)
{
    lab_motion_graph_source_def def = { .gamma = 0.99f, .warp = 45.0f * AM_DEG, .warps = 19, .cookie = AM_COOKIE };
    return def;
}

static void graph_destroy(am_source *source)
{
    am_alloc alloc = source->alloc;
    graph_source *g = (graph_source *)(void *)source;
    ami_release(&alloc, g->values, g->value_bytes);
    ami_release(&alloc, g, sizeof *g);
}

static const am_source_interface interface = { .name = "graph",
                                               .state_size = graph_state_size,
                                               .reset = graph_reset,
                                               .pose = graph_pose,
                                               .step = graph_step,
                                               .destroy = graph_destroy };

static am_result check_def(const lab_motion_graph_source_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->graph || !def->task) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the graph source def with lab_motion_graph_source_def_default() and give it a "
                        "graph and a task");
    }
    if (!(def->gamma > 0.0f && def->gamma < 1.0f) || !(def->warp >= 0.0f && def->warp <= AM_PI) || def->warps < 1 ||
        def->warps > 361 || def->warps % 2 == 0 || ami_field_task_cells(def->task) < 1) {
        return ami_fail(err, AM_ERR_DEF,
                        "graph source def: gamma must lie between 0 and 1, warp from 0 to pi; warps must be odd, and "
                        "the task needs a grid");
    }
    return AM_OK;
}

am_result lab_motion_graph_source_create(am_source **out, const lab_motion_graph_source_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_tasks tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    graph_source *g = ami_alloc_zero(&alloc, sizeof *g);
    if (!g) {
        return ami_fail_memory(err, sizeof *g);
    }
    const am_db *db = def->graph->field->db;
    g->base = (am_source){
        .interface = &interface, .skeleton = db->skeleton, .roles = &db->roles, .db = db, .alloc = alloc
    };
    g->task = *def->task;
    g->task.fps = def->graph->field->fps; // rewards count metres and radians per second
    g->rules = (ami_graph_rules){ .graph = def->graph,
                                  .task = &g->task,
                                  .gamma = def->gamma,
                                  .warp = def->warp,
                                  .warps = def->warps,
                                  .cells = ami_field_task_cells(def->task) };
    g->value_bytes = (size_t)def->graph->clip_count * (size_t)g->rules.cells * sizeof *g->values;
    g->values = ami_alloc_zero(&alloc, g->value_bytes);
    result = g->values ? ami_graph_iterate(g->values, &g->rules, &tasks, &alloc, err)
                       : ami_fail_memory(err, g->value_bytes);
    if (result != AM_OK) {
        graph_destroy(&g->base);
        return result;
    }
    const float numbers[] = { def->gamma, def->warp, (float)def->warps };
    g->base.key = am_hash64(numbers, sizeof numbers, am_hash64(g->values, g->value_bytes, def->graph->hash));
    *out = &g->base;
    return AM_OK;
}

size_t lab_motion_graph_source_value_bytes(const am_source *source) { return graph_of(source)->value_bytes; }
