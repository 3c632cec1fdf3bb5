// Recording: devices as they were, frame by frame, as a RUN.json that gives the same frames again.
#include "script/run.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/// A change of a device of one character.
typedef struct change {
    int32_t actor, frame;
    uint32_t keys;
    am_gamepad pad;
    uint32_t of_keys; ///< 1: the keys changed, 2: the gamepad, 3: both
} change;

struct am_recording {
    am_alloc alloc;
    const am_run *run;
    am_bytes changes; ///< change[]
    int frames;
    am_run_sample *last; ///< [actor_count] devices of the frame before
    size_t block_size;
};

am_result am_recording_create(am_recording **out, const am_run *run, const am_alloc *allocator, am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    size_t size = sizeof(am_recording) + (size_t)run->actor_count * sizeof(am_run_sample);
    am_recording *recording = ami_alloc_zero(&alloc, size);
    if (!recording) {
        return ami_fail_memory(err, size);
    }
    recording->alloc = alloc;
    recording->run = run;
    recording->block_size = size;
    recording->changes = ami_bytes_make(&recording->alloc);
    recording->last = (am_run_sample *)(void *)(recording + 1);
    *out = recording;
    return AM_OK;
}

void am_recording_destroy(am_recording *recording)
{
    if (recording) {
        am_alloc alloc = recording->alloc;
        am_bytes_free(&recording->changes);
        ami_release(&alloc, recording, recording->block_size);
    }
}

static bool same_pad(const am_gamepad *a, const am_gamepad *b)
{
    return a->left[0] == b->left[0] && a->left[1] == b->left[1] && a->right[0] == b->right[0] &&
           a->right[1] == b->right[1] && a->buttons == b->buttons;
}

am_result am_recording_add(am_recording *recording, const am_run_sample *sample, am_error *err)
{
    am_run_sample *last = &recording->last[sample->actor];
    uint32_t of = (sample->keys != last->keys ? 1u : 0u) | (same_pad(&sample->gamepad, &last->gamepad) ? 0u : 2u);
    last->keys = sample->keys;
    last->gamepad = sample->gamepad;
    recording->frames = sample->frame + 1;
    change c = { sample->actor, sample->frame, sample->keys, sample->gamepad, of };
    return of == 0 || ami_put(&recording->changes, &c, sizeof c) ? AM_OK : ami_fail_memory(err, sizeof c);
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_key_names(am_json_writer *w, const char *key, uint32_t bits)
{
    am_json_begin_array(w, key);
    for (int i = 0; i < AM_KEY_COUNT; i++) {
        if ((bits >> i & 1) != 0) {
            am_json_string(w, NULL, am_key_name(i));
        }
    }
    am_json_end_array(w);
}

static void write_pair(am_json_writer *w, const char *key, double a, double b)
{
    am_json_begin_array(w, key);
    am_json_number(w, NULL, a);
    am_json_number(w, NULL, b);
    am_json_end_array(w);
}

static void write_events(am_json_writer *w, const am_recording *recording, int actor, uint32_t of)
{
    const change *changes = (const change *)(const void *)recording->changes.data;
    size_t count = recording->changes.size / sizeof *changes;
    am_json_begin_array(w, of == 1 ? "keys" : "gamepad");
    for (size_t i = 0; i < count; i++) {
        if (changes[i].actor != actor || (changes[i].of_keys & of) == 0) {
            continue;
        }
        am_json_begin_object(w, NULL);
        am_json_number(w, "t", (double)(float)((double)changes[i].frame / (double)recording->run->script->fps));
        if (of == 1) {
            write_key_names(w, "down", changes[i].keys);
        } else {
            write_pair(w, "left", (double)changes[i].pad.left[0], (double)changes[i].pad.left[1]);
            write_pair(w, "right", (double)changes[i].pad.right[0], (double)changes[i].pad.right[1]);
            write_key_names(w, "buttons", changes[i].pad.buttons);
        }
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

/// Options one by one, so that the run is the same when defaults change.
static void write_options(am_json_writer *w, const am_run *run)
{
    const am_match_def *m = &run->script->options.match;
    const am_character_def *c = &run->script->options.character;
    static const char *const blends[] = { "off", "spring", "quintic" };
    const struct {
        const char *key;
        float value;
    } numbers[] = {
        { "search_every_s", m->search_every_s },
        { "stay_bias", m->stay_bias },
        { "surround_s", m->surround_s },
        { "rough_mps2", m->rough_mps2 },
        { "inertialise_halflife_s", c->inertialise_halflife },
        { "inertialise_bend_mps2", c->inertialise_bend },
        { "inertialise_s", c->inertialise_seconds },
        { "velocity_halflife_s", c->velocity_halflife },
        { "facing_halflife_s", c->facing_halflife },
        { "adjust_position_halflife_s", c->adjust_position_halflife },
        { "adjust_facing_halflife_s", c->adjust_facing_halflife },
        { "adjust_position_ratio", c->adjust_position_ratio },
        { "adjust_facing_ratio", c->adjust_facing_ratio },
        { "clamp_m", c->clamp_m },
        { "clamp_rad", c->clamp_rad },
        { "time_scale", c->time_scale },
        { "trajectory_weight", c->trajectory_weight },
        { "pose_weight", c->pose_weight },
        { "walk_mps", run->intent_def.walk_mps },
        { "sprint_mps", run->intent_def.sprint_mps },
    };
    const struct {
        const char *key, *value;
    } texts[] = { { "tags", c->tags },
                  { "stand_tags", c->stand_tags },
                  { "creep_tags", c->creep_tags },
                  { "jump_tags", c->jump_tags },
                  { "dance_tags", c->dance_tags } };
    am_json_begin_object(w, "options");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        am_json_number(w, numbers[i].key, (double)numbers[i].value);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].value) {
            am_json_string(w, texts[i].key, texts[i].value);
        }
    }
    am_json_string(w, "root", am_root_mode_name(c->root));
    am_json_string(w, "inertialise", blends[c->inertialise]);
    am_json_bool(w, "ik", c->ik);
    am_json_bool(w, "springs", c->springs);
    const am_run_options *o = &run->script->options;
    am_json_integer(w, "k", o->looks_ahead ? o->k : c->candidates);
    if (o->looks_ahead) {
        am_json_integer(w, "l", o->l);
        am_json_integer(w, "most_searches", o->most_searches);
    }
    if (o->field) {
        ami_run_write_field(w, o);
    }
    am_json_begin_object(w, "weights");
    for (const am_json *item = run->script->weights ? run->script->weights->first : NULL; item; item = item->next) {
        am_json_number(w, item->key, item->number);
    }
    am_json_end_object(w);
    am_json_end_object(w);
}

static void write_actor(am_json_writer *w, const am_recording *recording, int actor)
{
    const am_run_actor *a = &recording->run->script->actors[actor];
    bool forward = a->facing.x == 0.0f && a->facing.z == 0.0f;
    am_json_begin_object(w, NULL);
    am_json_begin_object(w, "start");
    write_pair(w, "position", (double)a->position.x, (double)a->position.z);
    write_pair(w, "facing", (double)a->facing.x, forward ? 1.0 : (double)a->facing.z);
    am_json_end_object(w);
    write_events(w, recording, actor, 1);
    write_events(w, recording, actor, 2);
    ami_run_write_paths(w, a);
    ami_run_write_goals(w, a);
    ami_run_write_pushes(w, a);
    am_json_end_object(w);
}

am_result am_recording_write(am_bytes *out, const am_recording *recording, const char *database, am_error *err)
{
    const am_run *run = recording->run;
    am_json_writer *w = NULL;
    am_result result = am_json_writer_create(&w, 2, &recording->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    *out = ami_bytes_make(&recording->alloc);
    am_json_begin_object(w, NULL);
    const char *path = database ? database : run->script->database;
    if (path || !run->script->options.learned) {
        am_json_string(w, "database", path ? path : "");
    }
    if (run->script->model_count > 0) {
        am_json_begin_array(w, "model");
        for (int i = 0; i < run->script->model_count; i++) {
            am_json_string(w, NULL, run->script->models[i]);
        }
        am_json_end_array(w);
    }
    am_json_string(w, "controller", run->source->interface->name);
    am_json_number(w, "fps", (double)run->script->fps);
    am_json_number(w, "seconds", (double)recording->frames / (double)run->script->fps);
    am_json_integer(w, "seed", (int64_t)run->script->seed);
    write_options(w, run);
    am_json_begin_array(w, "characters");
    for (int i = 0; i < run->actor_count; i++) {
        write_actor(w, recording, i);
    }
    am_json_end_array(w);
    am_json_end_object(w);
    result = ami_put_json(out, w, err);
    am_json_writer_destroy(w);
    return result;
}
