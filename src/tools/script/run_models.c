// Reads 'model' of RUN.json: the names of its networks.
#include "script/run.h"

#include "base/error.h"

#include <string.h>

static am_result read_name(am_run_script *script, ami_arena *arena, const am_json_doc *doc, const char *file,
                           const am_json *item, const char **names, am_error *err)
{
    if (item->type != AM_JSON_STRING || !item->string[0]) {
        return am_json_fail(doc, item, AM_ERR_TYPE, err, "'model' must be the name of an .amnet, or a list of them");
    }
    names[script->model_count] = ami_run_file_path(arena, file, item->string);
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
