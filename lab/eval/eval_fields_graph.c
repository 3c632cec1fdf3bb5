// Measures how the graph-based controller depends on its settings, to show that it is a fair peer.
#include "eval_fields.h"

#include "method/sources.h"

typedef struct setting {
    float similar, least_s;
    int branches;
    float warp_deg;
} setting;

/// Both responses of one setting: a row of the table.
static am_result add_setting(const fields *f, const setting *s, am_error *err)
{
    static const char *const tasks[2] = { "direction", "line" };
    ami_tables *t = f->e->tables;
    lab_motion_graph *graph = NULL;
    lab_motion_graph_def def = lab_motion_graph_def_default();
    def.field = f->field;
    def.tasks = f->e->tasks;
    def.similar = s->similar;
    def.least_s = s->least_s;
    def.branches = s->branches;
    am_result result = lab_motion_graph_create(&graph, &def, err);
    lab_agility out[2] = { { 0 } };
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        am_source *source = NULL;
        ami_field_task task;
        ami_field_task_find(&task, tasks[i]);
        lab_motion_graph_source_def source_def = lab_motion_graph_source_def_default();
        source_def.graph = graph;
        source_def.tasks = f->e->tasks;
        source_def.task = &task;
        source_def.warp = s->warp_deg * AM_DEG;
        source_def.warps = s->warp_deg > 0.0f ? source_def.warps : 1;
        result = lab_motion_graph_source_create(&source, &source_def, err);
        lab_agility_def agility = lab_agility_def_default();
        agility.source = source;
        agility.tasks = f->e->tasks;
        agility.line = i == 1;
        agility.starts = 20;
        result = result == AM_OK ? lab_agility_measure(&out[i], &agility, err) : result;
        ami_source_destroy(source);
    }
    if (result == AM_OK) {
        const double cells[] = { (double)s->similar,     (double)s->least_s,
                                 (double)s->warp_deg,    graph->clip_count,
                                 (double)graph->mean_s,  (double)graph->edge_count / graph->clip_count,
                                 (double)out[0].average, 100.0 * out[0].late / out[0].trials,
                                 (double)out[1].average, 100.0 * out[1].late / out[1].trials };
        ami_tables_row(t);
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
            ami_tables_number(t, cells[i]);
        }
    }
    lab_motion_graph_destroy(graph);
    return result;
}

am_result fields_settings(const fields *f, am_error *err)
{
    const lab_motion_graph_def usual = lab_motion_graph_def_default();
    const setting settings[] = {
        { usual.similar, usual.least_s, usual.branches, 45.0f },
        { 0.6f * usual.similar, usual.least_s, usual.branches, 45.0f },
        { 1.3f * usual.similar, usual.least_s, usual.branches, 45.0f },
        { usual.similar, 0.3f, usual.branches, 45.0f },
        { usual.similar, 0.6f, usual.branches, 45.0f },
        { usual.similar, usual.least_s, usual.branches / 4, 45.0f },
        { usual.similar, usual.least_s, usual.branches, 15.0f },
        { usual.similar, usual.least_s, usual.branches, 0.0f },
    };
    static const ami_column columns[] = {
        { "similar", 2 },      { "least_s", 2 },          { "warp_deg", 0 },          { "clips", 0 },
        { "mean_s", 2 },       { "followers", 1 },        { "direction_average", 2 }, { "direction_late_percent", 1 },
        { "line_average", 2 }, { "line_late_percent", 1 }
    };
    ami_tables *t = f->e->tables;
    if (f->e->quick) {
        return AM_OK;
    }
    ami_tables_begin(t, "graph",
                     "the graph-based controller with other settings; the first row is what the others are "
                     "compared with");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    am_result result = AM_OK;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && result == AM_OK; i++) {
        result = add_setting(f, &settings[i], err);
    }
    ami_tables_note(
        t, "similar: distance (eq. 1) below which a clip may follow; least_s: shortest clip. Shorter clips and a "
           "larger 'similar' respond sooner; the chosen settings respond no later than the paper's graph.");
    return result;
}
