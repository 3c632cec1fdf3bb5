// Reads 'path' of RUN.json.
#include "script/run.h"

#include "base/error.h"
#include "actor/path_def.h"

#include <string.h>

// A path takes at most three times its own duration, plus some time to start.
#define PATIENCE 3.0f
#define EXTRA_S 20.0f
#define AFTER_S 2.0f

static const char *const modes[] = { "global", "local" };
static const char *const facings[] = { "tangent", "joystick", "net" };
static const char *const desired_names[] = { "window", "frame", "nearest" };

enum { switch_count = 11 };
static const char *const switch_names[switch_count] = { "smooth",  "speed_limit", "corners", "retime",
                                                        "lead",    "steer",       "plant",   "weigh",
                                                        "recover", "guard",       "squares" };

static bool *switch_of(am_path_method *m, int i)
{
    bool *all[switch_count] = { &m->smooth, &m->speed_limit, &m->corners, &m->retime, &m->lead,   &m->steer,
                                &m->plant,  &m->weigh,       &m->recover, &m->guard,  &m->squares };
    return all[i];
}

/// What the parts pass on.
typedef struct reader {
    ami_arena *arena;
    const am_json_doc *doc;
    am_error *err;
} reader;

/// Rows of three numbers; an array of them called `key`.
static am_result read_rows(const reader *r, const am_json *object, const char *key, const char *what, float **out,
                           int *count)
{
    const am_json *array = am_json_get(object, key);
    *count = 0;
    if (!array || array->type != AM_JSON_ARRAY) {
        return am_json_fail(r->doc, array ? array : object, array ? AM_ERR_TYPE : AM_ERR_KEY, r->err,
                            "'%s' must be an array of %s", key, what);
    }
    float *rows = ami_arena_get(r->arena, (size_t)array->count * 3 * sizeof *rows + 1);
    if (!rows) {
        return ami_fail_memory(r->err, (size_t)array->count * 3 * sizeof *rows);
    }
    for (const am_json *item = array->first; item; item = item->next) {
        bool row = item->type == AM_JSON_ARRAY && item->count == 3;
        const am_json *number = row ? item->first : NULL;
        for (int i = 0; row && i < 3; i++, number = number->next) {
            row = number->type == AM_JSON_NUMBER && number->number >= -1e6 && number->number <= 1e6;
            rows[3 * *count + i] = row ? (float)number->number : 0.0f;
        }
        if (!row) {
            return am_json_fail(r->doc, item, AM_ERR_TYPE, r->err, "an item of '%s' must be %s", key, what);
        }
        ++*count;
    }
    *out = rows;
    return AM_OK;
}

static am_result read_samples(const reader *r, const am_json *object, am_path_def *def)
{
    float *rows = NULL;
    am_result result = read_rows(r, object, "points", "points [time s, x m, z m]", &rows, &def->count);
    if (result == AM_OK) {
        am_path_sample *samples = ami_arena_get(r->arena, (size_t)def->count * sizeof *samples + 1);
        if (!samples) {
            return ami_fail_memory(r->err, (size_t)def->count * sizeof *samples);
        }
        for (int i = 0; i < def->count; i++) {
            samples[i] = (am_path_sample){ rows[3 * i], rows[3 * i + 1], rows[3 * i + 2] };
        }
        def->samples = samples;
    }
    if (result != AM_OK || !am_json_get(object, "obstacles")) {
        return result;
    }
    result = read_rows(r, object, "obstacles", "obstacles [x m, z m, radius m]", &rows, &def->obstacle_count);
    am_path_obstacle *obstacles =
        result == AM_OK ? ami_arena_get(r->arena, (size_t)def->obstacle_count * sizeof *obstacles + 1) : NULL;
    if (result == AM_OK && !obstacles) {
        return ami_fail_memory(r->err, (size_t)def->obstacle_count * sizeof *obstacles);
    }
    for (int i = 0; result == AM_OK && i < def->obstacle_count; i++) {
        obstacles[i] = (am_path_obstacle){ rows[3 * i], rows[3 * i + 1], rows[3 * i + 2] };
    }
    def->obstacles = obstacles;
    return result;
}

static am_result read_method(const reader *r, const am_json *object, am_path_method *method)
{
    static const char *const methods[] = { "amble", "paper" };
    int which = 0;
    am_result result = am_json_read_choice(r->doc, object, "method", false, &which, methods, COUNT(methods), r->err);
    *method = which == 1 ? ami_path_method_paper() : ami_path_method_default();
    for (int i = 0; result == AM_OK && i < switch_count; i++) {
        result = am_json_read_bool(r->doc, object, switch_names[i], false, switch_of(method, i), r->err);
    }
    if (!am_json_get(object, "corners")) {
        method->corners = !method->retime; // a retimed path takes corners slowly instead
    }
    int where = (int)method->desired;
    if (result == AM_OK) {
        result = am_json_read_choice(r->doc, object, "desired", false, &where, desired_names, COUNT(desired_names),
                                     r->err);
    }
    method->desired = (am_path_desired)where;
    return result;
}

static am_result read_path(const reader *r, const am_json *object, am_run_path *path, float before)
{
    static const char *const keys[] = { "t",       "points",    "mode",   "facing", "v_max",   "scale",
                                        "loop",    "obstacles", "method", "smooth", "desired", "speed_limit",
                                        "corners", "retime",    "lead",   "steer",  "plant",   "weigh",
                                        "recover", "guard",     "squares" };
    am_path_def *def = &path->def;
    am_path_def_init(def);
    int mode = 0;
    int facing = 0;
    am_result result = am_json_only(r->doc, object, keys, COUNT(keys), r->err);
    if (result == AM_OK) {
        result = am_json_read_float(r->doc, object, "t", false, &path->t, 0.0f, 36000.0f, r->err);
    }
    if (result == AM_OK) {
        result = ami_run_in_order(r->doc, object, "paths", path->t, before, r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(r->doc, object, "mode", false, &mode, modes, COUNT(modes), r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(r->doc, object, "facing", false, &facing, facings, COUNT(facings), r->err);
    }
    def->mode = (am_path_mode)mode;
    def->facing = (am_path_facing)facing;
    if (result == AM_OK) {
        result = am_json_read_float(r->doc, object, "v_max", false, &def->v_max, 0.05f, 50.0f, r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(r->doc, object, "scale", false, &def->scale, 0.01f, 100.0f, r->err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(r->doc, object, "loop", false, &def->loop, r->err);
    }
    if (result == AM_OK) {
        result = read_method(r, object, &def->method);
    }
    return result == AM_OK ? read_samples(r, object, def) : result;
}

am_result ami_run_read_paths(am_run_actor *actor, ami_arena *arena, const am_json_doc *doc, const am_json *object,
                             am_error *err)
{
    reader r = { arena, doc, err };
    const am_json *value = am_json_get(object, "path");
    if (!value) {
        return AM_OK;
    }
    int count = value->type == AM_JSON_ARRAY ? value->count : 1;
    am_run_path *paths = ami_arena_get(arena, (size_t)count * sizeof *paths + 1);
    if (!paths) {
        return ami_fail_memory(err, (size_t)count * sizeof *paths);
    }
    const am_json *item = value->type == AM_JSON_ARRAY ? value->first : value;
    for (int i = 0; i < count; i++, item = item->next) {
        am_error why = { 0 };
        am_result result = read_path(&r, item, &paths[i], i > 0 ? paths[i - 1].t : 0.0f);
        if (result == AM_OK && ami_path_check(&paths[i].def, &why) != AM_OK) {
            result = am_json_fail(doc, item, why.code, err, "%s", why.text);
        }
        if (result != AM_OK) {
            return result;
        }
    }
    actor->paths = paths;
    actor->path_count = count;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

/// Where a path begins and ends, how far it goes and how long it was drawn.
static float length_of(const am_path_def *def)
{
    float length = 0.0f;
    for (int i = 1; i < def->count; i++) {
        float x = def->samples[i].x - def->samples[i - 1].x;
        float z = def->samples[i].z - def->samples[i - 1].z;
        length += sqrtf(x * x + z * z);
    }
    return length;
}

/// How far the character may be from a path's beginning when it is drawn: from its start, or anywhere on the paths
/// before.
static float farthest(const am_run_actor *actor, int path)
{
    const am_path_sample first = actor->paths[path].def.samples[0];
    float far = am_v3_distance(am_v3_ground(actor->position), am_v3(first.x, 0.0f, first.z));
    for (int i = 0; i < path; i++) {
        const am_path_def *def = &actor->paths[i].def;
        for (int s = 0; s < def->count; s++) {
            float x = def->samples[s].x - first.x;
            float z = def->samples[s].z - first.z;
            far = am_max(far, sqrtf(x * x + z * z));
        }
        far += def->mode == AM_PATH_LOCAL ? length_of(def) : 0.0f;
    }
    return far + 3.0f; // keys may have led it elsewhere
}

float ami_run_paths_end(const am_run_actor *actor)
{
    const float walk = 1.0f; // m/s: what even a dance does
    float end = 0.0f;
    for (int i = 0; i < actor->path_count; i++) {
        const am_path_def *def = &actor->paths[i].def;
        float drawn = (def->samples[def->count - 1].t - def->samples[0].t) / def->scale;
        float going = (length_of(def) + farthest(actor, i)) / (def->v_max > 0.0f ? am_min(def->v_max, walk) : walk);
        end = am_max(end, actor->paths[i].t + PATIENCE * am_max(drawn, going) + EXTRA_S + AFTER_S);
    }
    return end;
}

int ami_run_path_room(const am_run_actor *actor, float fps)
{
    int room = 0;
    for (int i = 0; i < actor->path_count; i++) {
        int wants = am_path_room(&actor->paths[i].def, farthest(actor, i), fps);
        room = wants > room ? wants : room;
    }
    return room;
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_row(am_json_writer *w, float a, float b, float c)
{
    am_json_begin_array(w, NULL);
    am_json_number(w, NULL, (double)a);
    am_json_number(w, NULL, (double)b);
    am_json_number(w, NULL, (double)c);
    am_json_end_array(w);
}

static void write_path(am_json_writer *w, const am_run_path *path)
{
    const am_path_def *def = &path->def;
    am_path_method method = def->method;
    am_json_begin_object(w, NULL);
    am_json_number(w, "t", (double)path->t);
    am_json_string(w, "mode", modes[def->mode]);
    am_json_string(w, "facing", facings[def->facing]);
    if (def->v_max > 0.0f) {
        am_json_number(w, "v_max", (double)def->v_max);
    }
    am_json_number(w, "scale", (double)def->scale);
    am_json_bool(w, "loop", def->loop);
    am_json_string(w, "desired", desired_names[method.desired]);
    for (int i = 0; i < switch_count; i++) {
        am_json_bool(w, switch_names[i], *switch_of(&method, i));
    }
    am_json_begin_array(w, "obstacles");
    for (int i = 0; i < def->obstacle_count; i++) {
        write_row(w, def->obstacles[i].x, def->obstacles[i].z, def->obstacles[i].radius);
    }
    am_json_end_array(w);
    am_json_begin_array(w, "points");
    for (int i = 0; i < def->count; i++) {
        write_row(w, def->samples[i].t, def->samples[i].x, def->samples[i].z);
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

void ami_run_write_paths(am_json_writer *w, const am_run_actor *actor)
{
    if (actor->path_count == 0) {
        return;
    }
    am_json_begin_array(w, "path");
    for (int i = 0; i < actor->path_count; i++) {
        write_path(w, &actor->paths[i]);
    }
    am_json_end_array(w);
}
