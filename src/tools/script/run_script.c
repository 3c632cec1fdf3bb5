// Reads RUN.json: the keys of the format, those that this build supports, and errors that name the place in the file.
#include "script/run.h"

#include <amble/tools/os.h>

#include "base/error.h"
#include "base/memory.h"
#include "actor/intent.h"

#include <string.h>

struct am_run_script_own {
    am_alloc alloc;
    ami_arena arena;
    am_json_doc *doc; ///< weights and texts point into it
};

/// What the parts of the reader pass on.
typedef struct reader {
    am_run_script *script;
    ami_arena *arena;
    const am_json_doc *doc;
    const char *file;
    am_error *err;
} reader;

// ---------------------------------------------------------------------------------------------
// Characters

/// The bits of an array of key names.
static am_result read_key_names(const reader *r, const am_json *object, const char *key, uint32_t *out)
{
    const am_json *array = am_json_get(object, key);
    *out = 0;
    if (!array) {
        return AM_OK;
    }
    if (array->type != AM_JSON_ARRAY) {
        return am_json_fail(r->doc, array, AM_ERR_TYPE, r->err, "'%s' must be an array of key names, such as [\"W\"]",
                            key);
    }
    const char *names[AM_KEY_COUNT];
    for (int i = 0; i < AM_KEY_COUNT; i++) {
        names[i] = am_key_name(i);
    }
    for (const am_json *item = array->first; item; item = item->next) {
        if (item->type != AM_JSON_STRING) {
            return am_json_fail(r->doc, item, AM_ERR_TYPE, r->err, "a key is a string, such as \"W\" or \"Shift\"");
        }
        uint32_t bit = ami_key_find(item->string);
        if (bit == 0) {
            const char *near = am_nearest_name(item->string, names, AM_KEY_COUNT);
            return am_json_fail(r->doc, item, AM_ERR_RANGE, r->err, "unknown key '%s'; %s%s", item->string,
                                near ? "did you mean " : "the known keys are W A S D ArrowUp ArrowDown Shift J C P",
                                near ? near : "");
        }
        *out |= bit;
    }
    return AM_OK;
}

/// A pair of numbers, each from -limit to limit.
static am_result read_pair(const reader *r, const am_json *object, const char *key, float out[2], float limit)
{
    int count = 2;
    am_result result = am_json_read_floats(r->doc, object, key, false, out, 2, &count, r->err);
    if (result != AM_OK) {
        return result;
    }
    bool inside = am_abs(out[0]) <= limit && am_abs(out[1]) <= limit;
    if (count != 2 || !inside) {
        return am_json_fail(r->doc, am_json_get(object, key), AM_ERR_RANGE, r->err,
                            "'%s' must be two numbers from -%g to %g", key, (double)limit, (double)limit);
    }
    return AM_OK;
}

am_result ami_run_in_order(const am_json_doc *doc, const am_json *item, const char *what, float t, float before,
                           am_error *err)
{
    return t >= before ? AM_OK
                       : am_json_fail(doc, am_json_get(item, "t"), AM_ERR_RANGE, err,
                                      "%s must be in the order of their times; %g comes after %g", what, (double)t,
                                      (double)before);
}

static am_result read_time(const reader *r, const am_json *event, float before, float *t)
{
    am_result result = am_json_read_float(r->doc, event, "t", true, t, 0.0f, 1e6f, r->err);
    return result == AM_OK ? ami_run_in_order(r->doc, event, "events", *t, before, r->err) : result;
}

/// The array called `key`, or NULL; *result says whether it is one.
static const am_json *find_array(const reader *r, const am_json *object, const char *key, am_result *result)
{
    const am_json *array = am_json_get(object, key);
    *result = AM_OK;
    if (array && array->type != AM_JSON_ARRAY) {
        *result = am_json_fail(r->doc, array, AM_ERR_TYPE, r->err, "'%s' must be an array of events", key);
        return NULL;
    }
    return array;
}

static am_result read_keys(const reader *r, const am_json *object, am_run_actor *actor)
{
    static const char *const keys[] = { "t", "down" };
    am_result result;
    const am_json *array = find_array(r, object, "keys", &result);
    if (!array) {
        return result;
    }
    am_key_event *events = ami_arena_get(r->arena, (size_t)array->count * sizeof *events + 1);
    if (!events) {
        return ami_fail_memory(r->err, (size_t)array->count * sizeof *events);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next) {
        result = am_json_only(r->doc, item, keys, COUNT(keys), r->err);
        if (result == AM_OK) {
            result = read_time(r, item, count > 0 ? events[count - 1].t : 0.0f, &events[count].t);
        }
        if (result == AM_OK) {
            result = read_key_names(r, item, "down", &events[count].down);
        }
        if (result != AM_OK) {
            return result;
        }
        count++;
    }
    actor->keys = events;
    actor->key_count = count;
    return AM_OK;
}

static am_result read_pad(const reader *r, const am_json *item, am_gamepad_event *event, float before)
{
    static const char *const keys[] = { "t", "left", "right", "buttons" };
    am_result result = am_json_only(r->doc, item, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        result = read_time(r, item, before, &event->t);
    }
    if (result == AM_OK) {
        result = read_pair(r, item, "left", event->pad.left, 1.0f);
    }
    if (result == AM_OK) {
        result = read_pair(r, item, "right", event->pad.right, 1.0f);
    }
    return result == AM_OK ? read_key_names(r, item, "buttons", &event->pad.buttons) : result;
}

static am_result read_gamepad(const reader *r, const am_json *object, am_run_actor *actor)
{
    am_result result;
    const am_json *array = find_array(r, object, "gamepad", &result);
    if (!array) {
        return result;
    }
    am_gamepad_event *events = ami_arena_get(r->arena, (size_t)array->count * sizeof *events + 1);
    if (!events) {
        return ami_fail_memory(r->err, (size_t)array->count * sizeof *events);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next) {
        result = read_pad(r, item, &events[count], count > 0 ? events[count - 1].t : 0.0f);
        if (result != AM_OK) {
            return result;
        }
        count++;
    }
    actor->gamepad = events;
    actor->gamepad_count = count;
    return AM_OK;
}

static am_result read_start(const reader *r, const am_json *object, am_run_actor *actor)
{
    static const char *const keys[] = { "position", "facing" };
    const am_json *start = am_json_get(object, "start");
    if (!start) {
        return AM_OK;
    }
    float position[2] = { 0.0f, 0.0f };
    float facing[2] = { 0.0f, 1.0f };
    am_result result = am_json_only(r->doc, start, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        result = read_pair(r, start, "position", position, 1e4f);
    }
    if (result == AM_OK) {
        result = read_pair(r, start, "facing", facing, 1e4f);
    }
    if (result == AM_OK && facing[0] == 0.0f && facing[1] == 0.0f) {
        return am_json_fail(r->doc, am_json_get(start, "facing"), AM_ERR_RANGE, r->err,
                            "'facing' is a direction [x, z]; it must not be zero");
    }
    actor->position = am_v3(position[0], 0.0f, position[1]);
    actor->facing = am_v3(facing[0], 0.0f, facing[1]);
    return result;
}

static am_result read_actor(const reader *r, const am_json *object, am_run_actor *actor)
{
    static const char *const keys[] = { "start", "keys", "gamepad", "path", "goals", "pushes", "changes" };
    am_result result = am_json_only(r->doc, object, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        result = read_start(r, object, actor);
    }
    if (result == AM_OK) {
        result = read_keys(r, object, actor);
    }
    if (result == AM_OK) {
        result = read_gamepad(r, object, actor);
    }
    if (result == AM_OK) {
        result = ami_run_read_goals(actor, r->script->options.settings.method, r->arena, r->doc, object, r->err);
    }
    if (result == AM_OK) {
        result = ami_run_read_pushes(actor, r->arena, r->doc, object, r->err);
    }
    if (result == AM_OK) {
        result = ami_run_read_changes(actor, &r->script->options, r->arena, r->doc, object, r->err);
    }
    return result == AM_OK ? ami_run_read_paths(actor, r->arena, r->doc, object, r->err) : result;
}

static am_result read_actors(const reader *r, const am_json *root)
{
    const am_json *array = am_json_get(root, "characters");
    if (!array || array->type != AM_JSON_ARRAY || array->count < 1) {
        return am_json_fail(r->doc, array ? array : root, array ? AM_ERR_TYPE : AM_ERR_KEY, r->err,
                            "'characters' must be an array of at least one character, such as [{\"keys\": []}]");
    }
    if (array->count > AM_MAX_ACTORS) {
        return am_json_fail(r->doc, array, AM_ERR_LIMIT, r->err, "%d characters; at most %d", array->count,
                            AM_MAX_ACTORS);
    }
    am_run_actor *actors = ami_arena_get(r->arena, (size_t)array->count * sizeof *actors);
    if (!actors) {
        return ami_fail_memory(r->err, (size_t)array->count * sizeof *actors);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next) {
        am_result result = read_actor(r, item, &actors[count++]);
        if (result != AM_OK) {
            return result;
        }
    }
    r->script->actors = actors;
    r->script->actor_count = count;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// The whole

char *ami_run_file_path(ami_arena *arena, const char *file, const char *name)
{
    const char *slash = file && !am_path_is_absolute(name) ? strrchr(file, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    size_t length = strlen(name);
    char *path = ami_arena_get(arena, folder + length + 1);
    if (path && folder > 0) {
        memcpy(path, file, folder);
    }
    if (path) {
        memcpy(path + folder, name, length + 1);
    }
    return path;
}

static am_result read_database(const reader *r, const am_json *root)
{
    const char *name = NULL;
    int count;
    // A learned character is its networks; a script that switches methods may keep its database.
    bool needed = am_methods(&count)[r->script->options.settings.method].database;
    am_result result = am_json_read_string(r->doc, root, "database", needed, &name, r->err);
    if (result != AM_OK || !needed) {
        return result;
    }
    r->script->database = ami_run_file_path(r->arena, r->file, name);
    return r->script->database ? AM_OK : ami_fail_memory(r->err, strlen(name));
}

static am_result read_controller(const reader *r, const am_json *root)
{
    const char *names[AM_METHOD_OWN];
    int controller = 0;
    int count;
    const am_method_row *methods = am_methods(&count);
    for (int i = 0; i < count; i++) {
        names[i] = methods[i].name;
    }
    am_result result =
        am_json_read_choice(r->doc, root, "controller", false, &controller, names, COUNT(names), r->err);
    const am_json *schema = am_json_get(root, "schema");
    if (result == AM_OK && schema) {
        return am_json_fail(r->doc, schema, AM_ERR_SUPPORT, r->err,
                            "'schema' is not used by the controller '%s'; leave it out", names[controller]);
    }
    am_settings_init(&r->script->options.settings, (am_method)controller);
    return result;
}

static am_result read_seed(const reader *r, const am_json *root)
{
    const am_json *seed = am_json_get(root, "seed");
    if (!seed) {
        return AM_OK;
    }
    if (seed->type != AM_JSON_NUMBER) {
        return am_json_fail(r->doc, seed, AM_ERR_TYPE, r->err, "'seed' must be a whole number");
    }
    if (!(seed->number >= 0.0 && seed->number < 9007199254740992.0) ||
        (double)(uint64_t)seed->number != seed->number) {
        return am_json_fail(r->doc, seed, AM_ERR_RANGE, r->err, "'seed' must be a whole number from 0 to 2^53");
    }
    r->script->seed = (uint64_t)seed->number;
    return AM_OK;
}

static am_result read_options(const reader *r, const am_json *root)
{
    const am_json *object = am_json_get(root, "options");
    return object ? am_run_options_read(&r->script->options, r->doc, object, r->err) : AM_OK;
}

static am_result read_root(const reader *r, const am_json *root)
{
    static const char *const keys[] = { "database", "model", "schema",  "controller", "fps",
                                        "seconds",  "seed",  "options", "characters" };
    am_result result = am_json_only(r->doc, root, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        result = read_controller(r, root);
    }
    if (result == AM_OK) {
        result = read_database(r, root);
    }
    if (result == AM_OK) {
        result = ami_run_read_models(r->script, r->arena, r->doc, r->file, root, r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(r->doc, root, "fps", false, &r->script->fps, 10.0f, 1000.0f, r->err);
    }
    if (result == AM_OK) {
        result = read_seed(r, root);
    }
    if (result == AM_OK) {
        result = read_options(r, root);
    }
    if (result == AM_OK) {
        result = read_actors(r, root);
    }
    float last = 0.0f;
    for (int i = 0; result == AM_OK && i < r->script->actor_count; i++) {
        last = am_max(last, ami_run_paths_end(&r->script->actors[i]));
    }
    bool open = last > 0.0f && !am_json_get(root, "seconds");
    r->script->ends_with_paths = open;
    r->script->seconds = am_clamp(last, 0.1f, 36000.0f);
    return result != AM_OK || open
               ? result
               : am_json_read_float(r->doc, root, "seconds", true, &r->script->seconds, 0.1f, 36000.0f, r->err);
}

static am_result own_create(struct am_run_script_own **out, const am_alloc *allocator, am_error *err)
{
    am_alloc alloc = ami_alloc_or_default(allocator);
    struct am_run_script_own *own = ami_alloc_zero(&alloc, sizeof *own);
    if (!own) {
        return ami_fail_memory(err, sizeof *own);
    }
    own->alloc = alloc;
    own->arena = ami_arena_make(&alloc);
    *out = own;
    return AM_OK;
}

static am_result read_doc(am_run_script *script, const char *file, am_error *err)
{
    script->fps = 60.0f;
    script->seed = 1;
    reader r = { script, &script->own->arena, script->own->doc, file, err };
    am_result result = read_root(&r, am_json_root(script->own->doc));
    if (result != AM_OK) {
        am_run_script_free(script);
    }
    return result;
}

am_result am_run_parse(am_run_script *out, const char *text, size_t size, const char *file, const am_alloc *alloc,
                       am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = own_create(&out->own, alloc, err);
    if (result == AM_OK) {
        result = am_json_parse(&out->own->doc, text, size, file, alloc, err);
    }
    if (result != AM_OK) {
        am_run_script_free(out);
        return result;
    }
    return read_doc(out, file, err);
}

am_result am_run_read(am_run_script *out, const char *path, const am_alloc *alloc, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = own_create(&out->own, alloc, err);
    if (result == AM_OK) {
        result = am_json_parse_file(&out->own->doc, path, alloc, err);
    }
    if (result != AM_OK) {
        am_run_script_free(out);
        return result;
    }
    return read_doc(out, path, err);
}

void am_run_script_free(am_run_script *script)
{
    struct am_run_script_own *own = script->own;
    if (own) {
        am_alloc alloc = own->alloc;
        am_json_free(own->doc);
        ami_arena_free(&own->arena);
        ami_release(&alloc, own, sizeof *own);
    }
    memset(script, 0, sizeof *script);
}

const am_json_doc *ami_run_doc(const am_run_script *script) { return script->own ? script->own->doc : NULL; }
