// Plays a script: input devices over time, a step for every character, samples for observers.
#include "script/run.h"

#include "actor/actor.h"
#include "clip/clip.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/features.h"
#include <amble/tools/schema.h>

#include <string.h>

am_run_def am_run_def_default(void)
{
    am_run_def def = { .cookie = AM_COOKIE };
    return def;
}

// ---------------------------------------------------------------------------------------------
// Making one

/// Factors by channel from the script's object of names.
static am_result find_weights(float *out, bool *any, const am_run_script *script, const am_db *db, am_error *err)
{
    const am_schema *schema = db->features.schema;
    const char *names[AM_MAX_CHANNELS];
    for (int c = 0; c < schema->channel_count; c++) {
        names[c] = schema->channels[c].name;
        out[c] = 1.0f;
    }
    *any = script->options.weights != NULL;
    for (const am_json *w = script->options.weights ? script->options.weights->first : NULL; w; w = w->next) {
        int channel = am_schema_find(schema, w->key);
        if (channel < 0) {
            const char *near = am_nearest_name(w->key, names, schema->channel_count);
            return am_json_fail(ami_run_doc(script), w, AM_ERR_KEY, err,
                                "the database has no feature channel '%s'%s%s", w->key, near ? "; did you mean " : "",
                                near ? near : "");
        }
        out[channel] = (float)w->number;
    }
    return AM_OK;
}

uint64_t am_run_seed(uint64_t seed, int actor)
{
    // Every character draws from a stream of its own.
    am_rng rng = ami_rng_make(seed);
    rng = ami_rng_fork(&rng, (uint64_t)actor);
    return am_rng_u64(&rng);
}

static am_result make_players(am_run *run, am_error *err)
{
    const am_run_script *script = run->script;
    float weights[AM_MAX_CHANNELS];
    bool weighted;
    am_result result = find_weights(weights, &weighted, script, run->db, err);
    for (int i = 0; result == AM_OK && i < run->actor_count; i++) {
        const am_run_actor *actor = &script->actors[i];
        am_actor_def def;
        am_actor_def_init(&def, run->asset);
        def.alloc = &run->alloc;
        def.settings = script->options.settings;
        def.settings.method = run->method;
        memcpy(def.tags, script->options.tags, sizeof def.tags);
        def.work = run->work;
        def.clock = run->clock;
        def.channel_weights = weighted ? weights : NULL;
        def.position = actor->position;
        def.heading = am_atan2(actor->facing.x, actor->facing.z); // 0 for no direction
        def.seed = am_run_seed(script->seed, i);
        def.path_points = ami_run_path_room(actor, run->db->fps);
        def.push = run->solver;
        result = am_actor_create(&run->players[i].character, &def, err);
        if (result == AM_OK) {
            am_actor_get_speeds(run->players[i].character, &run->intent_def);
            am_intent_state_init(&run->players[i].devices, &run->intent_def);
            result = ami_run_open_goals(run, &run->players[i], actor, err);
        }
    }
    return result;
}

static bool wants_direction(const am_run_script *script)
{
    bool wanted = false;
    for (int a = 0; a < script->actor_count; a++) {
        for (int p = 0; p < script->actors[a].path_count; p++) {
            wanted |= script->actors[a].paths[p].def.facing == AM_PATH_FACING_NET;
        }
    }
    return wanted;
}

/// The asset of the script's files and what the program has at hand.
static am_result open_asset(am_run *run, const am_run_def *def, am_error *err)
{
    const am_run_script *script = run->script;
    am_asset_file files[AM_MAX_RUN_MODELS + 1] = { { 0 } };
    am_asset_def asset;
    am_asset_def_init(&asset);
    run->method = def->source ? AM_METHOD_OWN : script->options.settings.method;
    int count;
    bool database = run->method != AM_METHOD_OWN && am_methods(&count)[run->method].database;
    for (int i = 0; i < script->model_count; i++) {
        files[asset.file_count++].name = script->models[i];
    }
    if (database && !def->db) {
        files[asset.file_count++].name = script->database;
    }
    asset.alloc = &run->alloc;
    asset.files = files;
    asset.db = database ? def->db : NULL;
    asset.models = def->models;
    asset.model_count = def->model_count;
    asset.source = def->source;
    asset.methods = 1u << run->method;
    am_result result = am_asset_create(&run->asset, &asset, err);
    if (result == AM_OK && wants_direction(script) && !ami_asset_direction(run->asset)) {
        result = ami_fail(err, AM_ERR_SUPPORT,
                          "a path has \"facing\": \"net\", and no model has a part 'direction'; name one with "
                          "\"model\": [\"direction.amnet\"] (amble train makes it), or use 'tangent' or 'joystick'");
    }
    run->db = result == AM_OK ? am_asset_db(run->asset, run->method) : NULL;
    return result;
}

am_result am_run_create(am_run **out, const am_run_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->script || def->script->actor_count < 1 ||
        !(def->script->fps > 0.0f) || !(def->script->seconds > 0.0f)) {
        return ami_fail(err, AM_ERR_DEF, "initialise the run def with am_run_def_default() and give it a script");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t count = (size_t)def->script->actor_count;
    am_run *run = ami_alloc_zero(&alloc, sizeof *run + count * sizeof *run->players);
    if (!run) {
        return ami_fail_memory(err, sizeof *run);
    }
    run->alloc = alloc;
    run->script = def->script;
    run->actor_count = def->script->actor_count;
    run->players = (ami_player *)(void *)(run + 1);
    run->clock = def->clock;
    run->frame_count = (int)((double)def->script->seconds * (double)def->script->fps + 0.5);
    am_result result = open_asset(run, def, err);
    if (result == AM_OK) {
        const am_source *source = ami_asset_source(run->asset, run->method);
        result = am_source_work_create(&run->work, source, 1, &run->alloc, err);
    }
    if (result == AM_OK) {
        result = ami_run_open_pushes(run, def->engine, err);
    }
    if (result == AM_OK) {
        result = make_players(run, err);
    }
    if (result != AM_OK) {
        am_run_destroy(run);
        return result;
    }
    *out = run;
    return AM_OK;
}

void am_run_destroy(am_run *run)
{
    if (!run) {
        return;
    }
    for (int i = 0; i < run->actor_count; i++) {
        am_actor_destroy(run->players[i].character);
        am_control_destroy(run->players[i].control);
    }
    if (run->solver) {
        run->engine.destroy(run->engine.user, run->solver);
    }
    am_source_work_destroy(run->work);
    am_asset_close(run->asset);
    am_alloc alloc = run->alloc;
    ami_release(&alloc, run, sizeof *run + (size_t)run->actor_count * sizeof *run->players);
}

const am_db *am_run_db(const am_run *run) { return run->db; }
const char *ami_run_controller(const am_run *run)
{
    bool own = run->method == AM_METHOD_OWN;
    return own ? ami_asset_source(run->asset, run->method)->interface->name : am_method_name(run->method);
}

const am_run_script *am_run_get_script(const am_run *run) { return run->script; }
int am_run_frame_count(const am_run *run) { return run->frame_count; }
int am_run_actor_count(const am_run *run) { return run->actor_count; }
am_actor *am_run_character(am_run *run, int actor) { return run->players[actor].character; }

// ---------------------------------------------------------------------------------------------
// Playing

/// Events are due at a frame up to a quarter of a frame later, so that times which were rounded when written down
/// fall where they did.
static double due_at(const am_run *run) { return ((double)run->frame + 0.25) / (double)run->script->fps; }

/// Takes the events that are due.
static void take_events(const am_run *run, ami_player *player, const am_run_actor *actor)
{
    const double due = due_at(run);
    while (player->next_key < actor->key_count && (double)actor->keys[player->next_key].t <= due) {
        player->keys = actor->keys[player->next_key++].down;
    }
    while (player->next_pad < actor->gamepad_count && (double)actor->gamepad[player->next_pad].t <= due) {
        player->pad = actor->gamepad[player->next_pad++].pad;
    }
    ami_run_take_pushes(run, player, actor, due);
}

/// Begins the path that is due.
static am_result take_path(am_run *run, ami_player *player, const am_run_actor *actor)
{
    const double due = due_at(run);
    am_result result = AM_OK;
    while (result == AM_OK && player->next_path < actor->path_count &&
           (double)actor->paths[player->next_path].t <= due) {
        result = am_actor_follow(player->character, &actor->paths[player->next_path++].def, &run->why);
    }
    return result;
}

/// With nothing but paths to wait for, a run is over two seconds after the last of them.
static void watch_paths(am_run *run)
{
    bool over = run->script->ends_with_paths;
    for (int i = 0; i < run->actor_count; i++) {
        ami_player *p = &run->players[i];
        bool done = p->next_path == run->script->actors[i].path_count;
        am_path_view path = ami_path_of(p->character);
        done &= !path.following || path.laps > 0;
        p->stands = done ? p->stands + 1 : 0;
        over &= (float)p->stands >= 2.0f * run->script->fps;
    }
    run->frame_count = over ? run->frame : run->frame_count;
}

bool am_run_step(am_run *run)
{
    if (run->frame >= run->frame_count) {
        return false;
    }
    for (int i = 0; i < run->actor_count; i++) {
        ami_player *p = &run->players[i];
        const am_run_actor *actor = &run->script->actors[i];
        if (ami_run_take_changes(run, p, actor, due_at(run), &run->why) != AM_OK ||
            take_path(run, p, actor) != AM_OK) {
            run->frame_count = run->frame;
            return false;
        }
    }
    float dt = 1.0f / run->script->fps;
    for (int i = 0; i < run->actor_count; i++) {
        ami_player *p = &run->players[i];
        take_events(run, p, &run->script->actors[i]);
        am_intent_from_devices(&p->devices, &p->intent, &run->intent_def, p->keys, &p->pad, dt);
        p->intent = ami_run_take_goal(run, p, &run->script->actors[i], p->intent, due_at(run));
        double before = run->clock ? run->clock->microseconds(run->clock->user) : 0.0;
        am_actor_step(p->character, &p->intent, dt);
        p->step_us = run->clock ? run->clock->microseconds(run->clock->user) - before : 0.0;
    }
    run->frame++;
    watch_paths(run);
    return true;
}

am_run_sample am_run_get_sample(const am_run *run, int actor)
{
    const ami_player *p = &run->players[actor];
    int frame = run->frame > 0 ? run->frame - 1 : 0;
    am_run_sample sample = {
        .actor = actor,
        .frame = frame,
        .time = (float)((double)frame / (double)run->script->fps),
        .dt = 1.0f / run->script->fps,
        .keys = p->keys,
        .gamepad = p->pad,
        .intent = p->intent,
        .pose = ami_pose_of(p->character),
        .view = ami_view_of(p->character),
        .path = ami_path_of(p->character),
        .path_index = p->next_path - 1,
        .push = ami_push_of(p->character),
        .step_us = p->step_us,
    };
    return sample;
}

am_result am_run_play(am_run *run, const am_run_observer *observers, int count, const am_progress *progress,
                      am_error *err)
{
    while (am_run_step(run)) {
        for (int i = 0; i < run->actor_count; i++) {
            am_run_sample sample = am_run_get_sample(run, i);
            for (int o = 0; o < count; o++) {
                am_result result = observers[o].frame(observers[o].user, &sample, err);
                if (result != AM_OK) {
                    return result;
                }
            }
        }
        if (progress && !progress->report(progress->user, "run", run->frame, run->frame_count)) {
            return ami_fail(err, AM_ERR_CANCELLED, "stopped at frame %d of %d", run->frame, run->frame_count);
        }
    }
    if (run->why.code != AM_OK && err) {
        *err = run->why;
    }
    return run->why.code;
}

uint64_t am_run_hash(const am_run *run)
{
    uint64_t hash = 0;
    for (int i = 0; i < run->actor_count; i++) {
        uint64_t one = am_actor_hash(run->players[i].character);
        hash = am_hash64(&one, sizeof one, hash);
    }
    return hash;
}

// ---------------------------------------------------------------------------------------------
// Clips

am_result am_run_clip_create(am_clip **out, const am_run *run, const char *name, const am_alloc *alloc, am_error *err)
{
    const am_db *db = run->db;
    am_clip_def def = ami_clip_def_of(db->skeleton);
    def.alloc = alloc;
    def.frame_count = run->frame_count;
    def.moving_count = db->moving_count;
    def.fps = run->script->fps;
    def.moving = db->moving;
    def.name = name;
    return am_clip_create(out, &def, err);
}

void am_run_clip_add(am_clip *clip, const am_run_sample *sample)
{
    size_t frame = (size_t)sample->frame;
    size_t joints = (size_t)clip->skeleton->joint_count;
    size_t moving = (size_t)clip->moving_count;
    if (sample->frame >= clip->frame_count) {
        return;
    }
    for (size_t j = 0; j < joints; j++) {
        clip->rotations[frame * joints + j] =
            j == 0 ? sample->pose.world[0].rotation : sample->pose.local[j].rotation;
    }
    for (size_t m = 0; m < moving; m++) {
        int j = clip->moving[m];
        clip->translations[frame * moving + m] =
            j == 0 ? sample->pose.world[0].translation : sample->pose.local[j].translation;
    }
}
