// The networks of a run: files that its script names, and those that the caller provides.
#include "script/run.h"

#include "base/error.h"

#include <amble/direction.h>

#include <string.h>

static am_result read_name(am_run_script *script, ami_arena *arena, const am_json_doc *doc, const char *file,
                           const am_json *item, const char **names, am_error *err)
{
    if (item->type != AM_JSON_STRING || !item->string[0]) {
        return am_json_fail(doc, item, AM_ERR_TYPE, err, "'model' must be the name of an .amnet, or a list of them");
    }
    names[script->model_count] = ami_run_path(arena, file, item->string);
    return names[script->model_count++] ? AM_OK : ami_fail_memory(err, strlen(item->string));
}

am_result ami_run_read_models(am_run_script *script, ami_arena *arena, const am_json_doc *doc, const char *file,
                              const am_json *root, am_error *err)
{
    const am_json *value = am_json_get(root, "model");
    if (!value) {
        return AM_OK;
    }
    bool list = value->type == AM_JSON_ARRAY;
    int count = list ? value->count : 1;
    if (count > AM_MAX_RUN_MODELS) {
        return am_json_fail(doc, value, AM_ERR_LIMIT, err, "%d models; at most %d", count, AM_MAX_RUN_MODELS);
    }
    const char **names = ami_arena_get(arena, (size_t)count * sizeof *names + 1);
    if (!names) {
        return ami_fail_memory(err, (size_t)count * sizeof *names);
    }
    am_result result = AM_OK;
    for (const am_json *item = list ? value->first : value; result == AM_OK && item;
         item = list ? item->next : NULL) {
        result = read_name(script, arena, doc, file, item, names, err);
    }
    script->models = names;
    return result;
}

am_result ami_run_open_models(am_run *run, const am_run_def *def, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < run->script->model_count; i++) {
        result = am_model_open(&run->own_models[run->own_model_count], run->script->models[i], &run->alloc, err);
        run->own_model_count += result == AM_OK;
    }
    for (int i = 0; i < run->own_model_count; i++) {
        run->models[run->model_count++] = run->own_models[i];
    }
    for (int i = 0; i < def->model_count && i < AM_MAX_RUN_MODELS; i++) {
        run->models[run->model_count++] = def->models[i];
    }
    return result;
}

const am_model *ami_run_model_with(const am_run *run, const char *part)
{
    for (int i = 0; i < run->model_count; i++) {
        if (am_model_find(run->models[i], part) >= 0) {
            return run->models[i];
        }
    }
    return NULL;
}

am_result ami_run_open_direction(am_run *run, am_error *err)
{
    bool wanted = false;
    for (int a = 0; a < run->actor_count; a++) {
        for (int p = 0; p < run->script->actors[a].path_count; p++) {
            wanted |= run->script->actors[a].paths[p].def.facing == AM_PATH_FACING_NET;
        }
    }
    const am_model *model = wanted ? ami_run_model_with(run, "direction") : NULL;
    if (wanted && !model) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "a path has \"facing\": \"net\", and no model has a part 'direction'; name one with "
                        "\"model\": [\"direction.amnet\"] (amble train makes it), or use 'tangent' or 'joystick'");
    }
    return model ? am_direction_open(&run->direction, model, &run->alloc, err) : AM_OK;
}

void ami_run_close_models(am_run *run)
{
    am_net_destroy(run->direction);
    for (int i = 0; i < run->own_model_count; i++) {
        am_model_close(run->own_models[i]);
    }
}
