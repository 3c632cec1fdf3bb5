// The motion fields of amble bench crowd: the page's data and value functions, or procedural motion with the greedy
// policy.
#include "bench.h"

#include "database.h"
#include "places.h"

#include "method/task.h"

#include <string.h>

static am_result open_values(bench_field_ground *g, am_error *err)
{
    char path[1024];
    if (!cli_model_find(path, sizeof path, "fields_page.amnet")) {
        cli_error(err, AM_ERR_OPEN, NULL, "models/fields_page.amnet was not found");
        return AM_ERR_OPEN;
    }
    return am_model_open(&g->model, path, NULL, err);
}

am_result bench_field_ground_open(bench_field_ground *g, const char **set, am_settings *settings, am_error *err)
{
    const bool data = cli_database_has_data("fields_play");
    *set = data ? "play" : "synth";
    am_result result = cli_database_open(&g->db, data ? "fields_play" : "synth", NULL, NULL, err);
    result = result == AM_OK && data ? open_values(g, err) : result;
    am_asset_def def;
    am_asset_def_init(&def);
    def.db = g->db;
    def.models = (const am_model *const *)&g->model;
    def.model_count = g->model != NULL;
    def.methods = 1u << AM_METHOD_FIELD;
    am_settings_init(settings, AM_METHOD_FIELD);
    settings->policy = data ? AM_FIELD_LOOKAHEAD : AM_FIELD_GREEDY;
    while (strcmp(ami_field_task_name(settings->task), "speed") != 0) {
        settings->task++;
    }
    return result == AM_OK ? am_asset_create(&g->asset, &def, err) : result;
}

void bench_field_ground_close(bench_field_ground *g)
{
    am_asset_close(g->asset);
    am_model_close(g->model);
    am_db_close(g->db);
}
