// Plays a script: devices over time, a step for every character, samples for observers.
#include "script/run.h"

#include "clip/clip.h"
#include "base/error.h"
#include "base/memory.h"

#include <amble/learned.h>

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
    *any = script->weights != NULL;
    for (const am_json *w = script->weights ? script->weights->first : NULL; w; w = w->next) {
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

static am_result make_players(am_run *run, am_error *err)
{
    const am_run_script *script = run->script;
    float weights[AM_MAX_CHANNELS];
    bool weighted;
    am_result result = find_weights(weights, &weighted, script, run->db, err);
    for (int i = 0; result == AM_OK && i < run->actor_count; i++) {
        const am_run_actor *actor = &script->actors[i];
        am_character_def def = script->options.character;
        def.alloc = &run->alloc;
        def.source = run->source;
        def.like = i > 0 ? run->players[0].character : NULL;
        def.work = run->work;
        def.clock = run->clock;
        def.channel_weights = weighted ? weights : NULL;
        def.position = actor->position;
        def.heading = am_atan2(actor->facing.x, actor->facing.z); // 0 for no direction
        // Every character draws from a stream of its own.
        am_rng rng = am_rng_make(script->seed);
        rng = am_rng_fork(&rng, (uint64_t)i);
        def.seed = am_rng_u64(&rng);
        run->players[i].devices = am_intent_state_make(&run->intent_def);
        def.path_points = ami_run_path_room(actor, run->db->fps);
        def.direction = run->direction;
        def.push = run->solver;
        result = am_character_create(&run->players[i].character, &def, err);
    }
    return result;
}

/// Networks alone; the database is that of their start states.
static am_result make_learned(am_run *run, am_error *err)
{
    const am_model *model = ami_run_model_with(run, "projector");
    am_learned_def def = am_learned_def_default();
    if (!model) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the controller 'learned' needs a model with the parts decompressor, stepper and projector; "
                        "name one with \"model\": [\"locomotion.amnet\"] (amble train makes it)");
    }
    def.alloc = &run->alloc;
    def.model = model;
    def.search_every_s = run->script->options.match.search_every_s;
    am_result result = am_learned_create(&run->made_source, &def, err);
    run->db = result == AM_OK ? run->made_source->db : NULL;
    return result;
}

static am_result make_match(am_run *run, am_error *err)
{
    const am_run_options *options = &run->script->options;
    am_index_def index = am_index_def_default();
    index.db = run->db;
    index.alloc = &run->alloc;
    am_result result = am_index_create(&run->index, &index, err);
    if (result == AM_OK) {
        am_match_def match = options->match;
        match.alloc = &run->alloc;
        match.db = run->db;
        match.index = run->index;
        match.decompressor = run->db->z ? ami_run_model_with(run, "decompressor") : NULL;
        am_long_horizon_def ahead = am_long_horizon_def_default();
        ahead.match = match;
        ahead.k = options->k;
        ahead.l = options->l;
        ahead.most_searches = options->most_searches;
        result = options->looks_ahead ? am_long_horizon_create(&run->made_source, &ahead, err)
                                      : am_match_create(&run->made_source, &match, err);
    }
    return result;
}

static am_result make_source(am_run *run, am_error *err)
{
    const am_run_options *options = &run->script->options;
    am_result result = AM_OK;
    if (!run->source) {
        result = options->learned ? make_learned(run, err)
                 : options->field ? ami_run_make_field(run, err)
                                  : make_match(run, err);
        run->source = run->made_source;
    }
    if (result == AM_OK) {
        result = am_source_work_create(&run->work, run->source, 1, &run->alloc, err);
    }
    if (result != AM_OK) {
        return result;
    }
    run->intent_def = am_intent_def_for(run->source);
    run->intent_def.walk_mps = options->has_walk ? options->intent.walk_mps : run->intent_def.walk_mps;
    run->intent_def.sprint_mps = options->has_sprint ? options->intent.sprint_mps : run->intent_def.sprint_mps;
    return result;
}

am_result am_run_create(am_run **out, const am_run_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->script || def->script->actor_count < 1 ||
        !(def->script->fps > 0.0f) || !(def->script->seconds > 0.0f)) {
        return ami_fail(err, AM_ERR_DEF, "run def not begun from am_run_def_default(), or without a script");
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
    run->source = def->source;
    run->db = def->source ? def->source->db : def->db;
    am_result result = AM_OK;
    if (!run->db && !def->script->options.learned) {
        result = am_db_open(&run->own_db, def->script->database, &alloc, err);
        run->db = run->own_db;
    }
    if (result == AM_OK) {
        result = ami_run_open_models(run, def, err);
    }
    if (result == AM_OK) {
        result = ami_run_open_direction(run, err);
    }
    if (result == AM_OK) {
        result = make_source(run, err);
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
    // The first one last: the others share what it owns.
    for (int i = run->actor_count - 1; i >= 0; i--) {
        am_character_destroy(run->players[i].character);
    }
    if (run->solver) {
        run->engine.destroy(run->engine.user, run->solver);
    }
    am_search_work_destroy(run->work);
    am_source_destroy(run->made_source);
    am_field_value_destroy(run->value);
    am_field_destroy(run->field);
    am_index_destroy(run->index);
    ami_run_close_models(run);
    am_db_close(run->own_db);
    am_alloc alloc = run->alloc;
    ami_release(&alloc, run, sizeof *run + (size_t)run->actor_count * sizeof *run->players);
}

const am_db *am_run_db(const am_run *run) { return run->db; }
const am_source *am_run_source(const am_run *run) { return run->source; }
const am_run_script *am_run_get_script(const am_run *run) { return run->script; }
int am_run_frame_count(const am_run *run) { return run->frame_count; }
int am_run_actor_count(const am_run *run) { return run->actor_count; }
am_character *am_run_character(am_run *run, int actor) { return run->players[actor].character; }

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
        result = am_character_follow(player->character, &actor->paths[player->next_path++].def, &run->why);
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
        am_path_view path = am_character_get_path(p->character);
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
        if (take_path(run, &run->players[i], &run->script->actors[i]) != AM_OK) {
            run->frame_count = run->frame;
            return false;
        }
    }
    float dt = 1.0f / run->script->fps;
    for (int i = 0; i < run->actor_count; i++) {
        ami_player *p = &run->players[i];
        take_events(run, p, &run->script->actors[i]);
        p->intent = am_intent_from_devices(&p->devices, &run->intent_def, p->keys, &p->pad, dt);
        p->intent = ami_run_take_goal(p, &run->script->actors[i], p->intent, due_at(run));
        double before = run->clock ? run->clock->microseconds(run->clock->user) : 0.0;
        am_character_step(p->character, &p->intent, dt);
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
        .pose = am_character_get_pose(p->character),
        .view = am_character_get_view(p->character),
        .path = am_character_get_path(p->character),
        .path_index = p->next_path - 1,
        .push = am_character_get_push(p->character),
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
        uint64_t one = am_character_hash(run->players[i].character);
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
