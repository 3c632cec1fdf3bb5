// Reads RUN.json: the keys of the format, which of them this build plays, and errors that name the place.
#include "script/run.h"

#include "base/error.h"
#include "base/memory.h"

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

static const char *const controllers[] = { "match", "long-horizon", "learned", "field", "flow", "segments" };

/// Fails when `object` has a key that the format knows and this build does not play.
static am_result refuse(const reader *r, const am_json *object, const char *const *keys, int count, const char *why)
{
    for (int i = 0; i < count; i++) {
        const am_json *value = am_json_get(object, keys[i]);
        if (value) {
            return am_json_fail(r->doc, value, AM_ERR_SUPPORT, r->err, "'%s' %s", keys[i], why);
        }
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Options

/// One number of the options and where it goes.
typedef struct number_option {
    const char *key;
    float *out;
    float low, high;
} number_option;

static am_result read_numbers(const reader *r, const am_json *object)
{
    am_run_options *o = &r->script->options;
    am_character_def *c = &o->character;
    const number_option numbers[] = {
        { "search_every_s", &o->match.search_every_s, 0.001f, 60.0f },
        { "stay_bias", &o->match.stay_bias, 0.0f, 1e6f },
        { "surround_s", &o->match.surround_s, 0.0f, 60.0f },
        { "rough_mps2", &o->match.rough_mps2, 0.0f, 1e4f },
        { "inertialise_halflife_s", &c->inertialise_halflife, 1e-4f, 10.0f },
        { "inertialise_bend_mps2", &c->inertialise_bend, 0.0f, 1e4f },
        { "inertialise_s", &c->inertialise_seconds, 1e-3f, 10.0f },
        { "velocity_halflife_s", &c->velocity_halflife, 1e-4f, 10.0f },
        { "facing_halflife_s", &c->facing_halflife, 1e-4f, 10.0f },
        { "adjust_position_halflife_s", &c->adjust_position_halflife, 1e-4f, 10.0f },
        { "adjust_facing_halflife_s", &c->adjust_facing_halflife, 1e-4f, 10.0f },
        { "adjust_position_ratio", &c->adjust_position_ratio, 0.0f, 10.0f },
        { "adjust_facing_ratio", &c->adjust_facing_ratio, 0.0f, 10.0f },
        { "clamp_m", &c->clamp_m, 0.0f, 100.0f },
        { "clamp_rad", &c->clamp_rad, 0.0f, 10.0f },
        { "time_scale", &c->time_scale, 0.05f, 20.0f },
        { "trajectory_weight", &c->trajectory_weight, 0.0f, 1e3f },
        { "pose_weight", &c->pose_weight, 0.0f, 1e3f },
        { "walk_mps", &o->intent.walk_mps, 0.05f, 20.0f },
        { "sprint_mps", &o->intent.sprint_mps, 0.05f, 20.0f },
    };
    for (int i = 0; i < COUNT(numbers); i++) {
        am_result result = am_json_read_float(r->doc, object, numbers[i].key, false, numbers[i].out, numbers[i].low,
                                              numbers[i].high, r->err);
        if (result != AM_OK) {
            return result;
        }
    }
    o->has_walk = am_json_get(object, "walk_mps") != NULL;
    o->has_sprint = am_json_get(object, "sprint_mps") != NULL;
    return AM_OK;
}

static am_result read_choices(const reader *r, const am_json *object)
{
    static const char *const roots[] = { "animation", "simulation", "mixed" };
    static const char *const blends[] = { "off", "spring", "quintic" };
    am_character_def *c = &r->script->options.character;
    int root = (int)c->root;
    int blend = (int)c->inertialise;
    am_result result = am_json_read_choice(r->doc, object, "root", false, &root, roots, COUNT(roots), r->err);
    if (result == AM_OK) {
        result = am_json_read_choice(r->doc, object, "inertialise", false, &blend, blends, COUNT(blends), r->err);
    }
    c->root = (am_root_mode)root;
    c->inertialise = (am_inertialise)blend;
    if (result == AM_OK) {
        result = am_json_read_bool(r->doc, object, "ik", false, &c->ik, r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(r->doc, object, "springs", false, &c->springs, r->err);
    }
    am_run_options *o = &r->script->options;
    if (result == AM_OK && o->looks_ahead) {
        result = am_json_read_int(r->doc, object, "k", false, &o->k, 1, AM_MAX_HITS, r->err);
        result = result == AM_OK ? am_json_read_int(r->doc, object, "l", false, &o->l, 1, 8, r->err) : result;
        result = result == AM_OK
                     ? am_json_read_int(r->doc, object, "most_searches", false, &o->most_searches, 0, 1000000, r->err)
                     : result;
    } else if (result == AM_OK) {
        result = am_json_read_int(r->doc, object, "k", false, &c->candidates, 1, AM_MAX_CANDIDATES, r->err);
    }
    const struct {
        const char *key;
        const char **out;
    } texts[] = { { "tags", &c->tags },
                  { "stand_tags", &c->stand_tags },
                  { "creep_tags", &c->creep_tags },
                  { "jump_tags", &c->jump_tags },
                  { "dance_tags", &c->dance_tags } };
    for (int i = 0; result == AM_OK && i < COUNT(texts); i++) {
        result = am_json_read_string(r->doc, object, texts[i].key, false, texts[i].out, r->err);
    }
    return result;
}

static am_result read_weights(const reader *r, const am_json *object)
{
    const am_json *weights = am_json_get(object, "weights");
    if (!weights) {
        return AM_OK;
    }
    if (weights->type != AM_JSON_OBJECT) {
        return am_json_fail(r->doc, weights, AM_ERR_TYPE, r->err,
                            "'weights' must be an object: names of feature channels with a factor each");
    }
    for (const am_json *w = weights->first; w; w = w->next) {
        if (w->type != AM_JSON_NUMBER || !(w->number >= 0.0) || !(w->number <= 1e3)) {
            return am_json_fail(r->doc, w, w->type != AM_JSON_NUMBER ? AM_ERR_TYPE : AM_ERR_RANGE, r->err,
                                "the weight of '%s' must be a number from 0 to 1000", w->key);
        }
    }
    r->script->weights = weights->count > 0 ? weights : NULL;
    return AM_OK;
}

static am_result read_options(const reader *r, const am_json *root)
{
    static const char *const keys[] = {
        "search_every_s",
        "k",
        "l",
        "root",
        "ik",
        "inertialise",
        "tags",
        "weights",
        "task",
        "policy",
        "every",
        "most_searches",
        "stay_bias",
        "surround_s",
        "rough_mps2",
        "springs",
        "inertialise_halflife_s",
        "inertialise_bend_mps2",
        "inertialise_s",
        "velocity_halflife_s",
        "facing_halflife_s",
        "adjust_position_halflife_s",
        "adjust_facing_halflife_s",
        "adjust_position_ratio",
        "adjust_facing_ratio",
        "clamp_m",
        "clamp_rad",
        "time_scale",
        "trajectory_weight",
        "pose_weight",
        "walk_mps",
        "sprint_mps",
        "stand_tags",
        "creep_tags",
        "jump_tags",
        "dance_tags",
    };
    static const char *const others[] = { "task", "policy", "every", "l", "most_searches" };
    const am_json *object = am_json_get(root, "options");
    if (!object) {
        return AM_OK;
    }
    am_result result = am_json_only(r->doc, object, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        const am_run_options *o = &r->script->options;
        int first = o->field ? 3 : 0;
        result = refuse(r, object, others + first, (o->looks_ahead ? 3 : COUNT(others)) - first,
                        o->field         ? "is not an option of the controller 'field'; leave it out"
                        : o->looks_ahead ? "is not an option of the controller 'long-horizon'; leave it out"
                                         : "is not an option of the controller 'match'; leave it out");
    }
    if (result == AM_OK && r->script->options.field) {
        result = ami_run_read_field(&r->script->options, r->doc, object, r->err);
    }
    if (result == AM_OK) {
        result = read_numbers(r, object);
    }
    if (result == AM_OK) {
        result = read_choices(r, object);
    }
    return result == AM_OK ? read_weights(r, object) : result;
}

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
        uint32_t bit = am_key_find(item->string);
        if (bit == 0) {
            const char *near = am_nearest_name(item->string, names, AM_KEY_COUNT);
            return am_json_fail(r->doc, item, AM_ERR_RANGE, r->err, "unknown key '%s'; %s%s", item->string,
                                near ? "did you mean " : "known are W A S D ArrowUp ArrowDown Shift J C P",
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
    static const char *const keys[] = { "start", "keys", "gamepad", "path", "goals", "pushes" };
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
        result = ami_run_read_goals(actor, r->arena, r->doc, object, r->err);
    }
    if (result == AM_OK) {
        result = ami_run_read_pushes(actor, r->arena, r->doc, object, r->err);
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

char *ami_run_path(ami_arena *arena, const char *file, const char *name)
{
    const char *slash = file && name[0] != '/' ? strrchr(file, '/') : NULL;
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
    // A learned character is its networks; a script that switches methods may keep its database.
    bool needed = !r->script->options.learned;
    am_result result = am_json_read_string(r->doc, root, "database", needed, &name, r->err);
    if (result != AM_OK || !needed) {
        return result;
    }
    r->script->database = ami_run_path(r->arena, r->file, name);
    return r->script->database ? AM_OK : ami_fail_memory(r->err, strlen(name));
}

static am_result read_controller(const reader *r, const am_json *root)
{
    static const char *const later[] = { "schema" };
    int controller = 0;
    am_result result =
        am_json_read_choice(r->doc, root, "controller", false, &controller, controllers, COUNT(controllers), r->err);
    if (result == AM_OK && controller > 3) {
        return am_json_fail(r->doc, am_json_get(root, "controller"), AM_ERR_SUPPORT, r->err,
                            "the controller '%s' is not part of this version; 'match', 'long-horizon', 'learned' "
                            "and 'field' are",
                            controllers[controller]);
    }
    r->script->options.looks_ahead = controller == 1;
    r->script->options.learned = controller == 2;
    r->script->options.field = controller == 3;
    if (r->script->options.field) { // the field's own flow turns and moves the root
        r->script->options.character.root = AM_ROOT_ANIMATION;
    }
    return result == AM_OK
               ? refuse(r, root, later, COUNT(later), "is not used by the controller 'match'; leave it out")
               : result;
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
    script->options.match = am_match_def_default();
    am_long_horizon_def ahead = am_long_horizon_def_default();
    script->options.k = ahead.k;
    script->options.l = ahead.l;
    script->options.character = am_character_def_default();
    script->options.intent = am_intent_def_default();
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
