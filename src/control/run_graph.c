// The controller `graph` of a run: clips of the database, and values that are made when the run begins.
#include "control/run.h"

am_result ami_run_make_graph(am_run *run, am_error *err)
{
    am_field_def field = am_field_def_default();
    field.alloc = &run->alloc;
    field.db = run->db;
    am_result result = am_field_create(&run->field, &field, err);
    if (result == AM_OK) {
        am_motion_graph_def graph = am_motion_graph_def_default();
        graph.alloc = &run->alloc;
        graph.field = run->field;
        result = am_motion_graph_create(&run->graph, &graph, err);
    }
    if (result == AM_OK) {
        am_field_task task;
        am_motion_graph_source_def def = am_motion_graph_source_def_default();
        am_field_task_find(&task, am_field_task_name(run->script->options.task));
        def.alloc = &run->alloc;
        def.graph = run->graph;
        def.task = &task;
        result = am_motion_graph_source_create(&run->source, &def, err);
    }
    return result;
}
