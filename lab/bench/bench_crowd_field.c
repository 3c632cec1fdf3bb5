// The motion fields of amble bench crowd: the page's data and value functions, or procedural motion with the greedy
// policy.
#include "bench.h"

#include "database.h"
#include "models.h"

static am_result take_values(bench_field_ground *g, am_error *err)
{
    char path[1024];
    if (!cli_model_find(path, sizeof path, "fields_page.amnet")) {
        *err = cli_error(AM_ERR_OPEN, NULL, "models/fields_page.amnet was not found");
        return AM_ERR_OPEN;
    }
    am_result result = am_model_open(&g->model, path, NULL, err);
    am_field_def def = am_field_def_default();
    def.db = g->db;
    if (result == AM_OK) {
        am_field_value_field(&def, g->model);
        result = am_field_create(&g->field, &def, err);
    }
    am_field_value_def value = am_field_value_def_default();
    value.model = g->model;
    value.field = g->field;
    value.task = "speed";
    return result == AM_OK ? am_field_value_create(&g->value, &value, err) : result;
}

am_result bench_field_ground_open(bench_field_ground *g, const char **set, am_error *err)
{
    const bool data = cli_database_has_data("fields_play");
    *set = data ? "play" : "synth";
    am_result result = cli_database_open(&g->db, data ? "fields_play" : "synth", NULL, NULL, err);
    am_field_def def = am_field_def_default();
    def.db = g->db;
    if (result == AM_OK) {
        result = data ? take_values(g, err) : am_field_create(&g->field, &def, err);
    }
    am_field_source_def flow = am_field_source_def_default();
    flow.field = g->field;
    flow.value = g->value;
    flow.policy = data ? AM_FIELD_LOOKAHEAD : AM_FIELD_GREEDY;
    am_field_task_find(&flow.task, "speed");
    return result == AM_OK ? am_field_source_create(&g->source, &flow, err) : result;
}

void bench_field_ground_close(bench_field_ground *g)
{
    am_source_destroy(g->source);
    am_field_value_destroy(g->value);
    am_field_destroy(g->field);
    am_model_close(g->model);
    am_db_close(g->db);
}
