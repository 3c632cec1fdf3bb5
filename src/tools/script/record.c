// Records the input devices frame by frame as a RUN.json that gives the same frames again.
#include "script/run.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

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

static void write_option(am_json_writer *w, const am_run *run, const am_settings *settings, const am_option *o)
{
    const am_run_options *options = &run->script->options;
    double value = o->type <= AM_OPTION_CHOICE ? am_option_get(o, settings) : 0.0;
    switch (o->type) {
    case AM_OPTION_NUMBER:
        am_json_number(w, o->key, value);
        break;
    case AM_OPTION_INTEGER:
        am_json_integer(w, o->key, (int64_t)value);
        break;
    case AM_OPTION_SWITCH:
        am_json_bool(w, o->key, value != 0.0);
        break;
    case AM_OPTION_CHOICE:
        am_json_string(w, o->key, o->choices[(int)value]);
        break;
    case AM_OPTION_TAGS:
        if (options->tags[o->offset]) {
            am_json_string(w, o->key, options->tags[o->offset]);
        }
        break;
    case AM_OPTION_WEIGHTS:
        am_json_begin_object(w, o->key);
        for (const am_json *item = run->script->options.weights ? run->script->options.weights->first : NULL; item;
             item = item->next) {
            am_json_number(w, item->key, item->number);
        }
        am_json_end_object(w);
        break;
    }
}

/// Options one by one, so that the run is the same when defaults change.
static void write_options(am_json_writer *w, const am_run *run)
{
    int count;
    const am_option *table = am_options(&count);
    am_settings settings = run->script->options.settings;
    settings.walk_mps = run->intent_def.walk_mps;
    settings.sprint_mps = run->intent_def.sprint_mps;
    am_json_begin_object(w, "options");
    for (int i = 0; i < count; i++) {
        if ((table[i].methods >> run->script->options.settings.method & 1) != 0) {
            write_option(w, run, &settings, &table[i]);
        }
    }
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
    ami_run_write_changes(w, a);
    am_json_end_object(w);
}

/// Paths inside a file are relative to that file; those of the script are relative to the working folder by now.
static void write_path(am_json_writer *w, const char *key, const char *file, const char *path)
{
    char relative[4096];
    if (file && path[0] && am_path_relative(relative, sizeof relative, file, path)) {
        path = relative;
    }
    am_json_string(w, key, path);
}

am_result am_recording_write(am_bytes *out, const am_recording *recording, const char *file, am_error *err)
{
    const am_run *run = recording->run;
    am_json_writer *w = NULL;
    am_result result = am_json_writer_create(&w, 2, &recording->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    *out = ami_bytes_make(&recording->alloc);
    am_json_begin_object(w, NULL);
    int count;
    bool needs_one = run->method == AM_METHOD_OWN || am_methods(&count)[run->method].database;
    if (run->script->database || needs_one) {
        write_path(w, "database", file, run->script->database ? run->script->database : "");
    }
    if (run->script->model_count > 0) {
        am_json_begin_array(w, "model");
        for (int i = 0; i < run->script->model_count; i++) {
            write_path(w, NULL, file, run->script->models[i]);
        }
        am_json_end_array(w);
    }
    am_json_string(w, "controller", ami_run_controller(run));
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
