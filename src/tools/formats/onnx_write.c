// Writes a graph as an ONNX file with standard operators only, so that other runtimes can run it.
#include "formats/onnx_layer.h"

#include <amble/tools/formats.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/build.h"

#include <stdio.h>
#include <string.h>

#define LAYER(KIND, name) [AM_NET_##KIND] = ami_onnx_put_##name,
static void (*const put_of[AM_NET_KIND_COUNT])(ami_onnx_layer *e) = { AMI_NET_LAYERS(LAYER) };

// ---------------------------------------------------------------------------------------------
// What layers share

ami_onnx_name ami_onnx_vector(ami_onnx_layer *e, int which)
{
    int64_t dims[1] = { ami_onnx_tensor(e, which)->columns };
    return ami_onnx_floats(&e->onnx, ami_onnx_data(e, which), dims, 1);
}

ami_onnx_name ami_onnx_range(ami_onnx_layer *e, int n)
{
    for (int i = 0; i < n; i++) {
        e->room[i] = (float)i;
    }
    int64_t dims[2] = { 1, n };
    return ami_onnx_floats(&e->onnx, e->room, dims, 2);
}

ami_onnx_name ami_onnx_rounded(ami_onnx_layer *e, const char *x)
{
    return ami_onnx_op(&e->onnx, "Floor",
                       ami_onnx_op(&e->onnx, "Add", x, ami_onnx_number(&e->onnx, 0.5f).text, NULL).text, NULL, NULL);
}

void ami_onnx_last(ami_onnx_layer *e, const char *type, const char *a, const char *b, const char *c)
{
    const char *inputs[3] = { a, b, c };
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, type, inputs, c ? 3 : b ? 2 : a ? 1 : 0, outputs, 1);
}

void ami_onnx_last_plain(ami_onnx_layer *e, const char *type, const char *a, const char *b, const char *c)
{
    ami_onnx_last(e, type, a, b, c);
    ami_onnx_end(&e->onnx);
}

// ---------------------------------------------------------------------------------------------
// The whole

/// A beginning that no value's name has: "t", or "t_", "t__", ...
static void pick_prefix(ami_onnx_layer *e)
{
    size_t length = 1;
    e->onnx.prefix[0] = 't';
    for (int v = 0; v < e->graph->value_count && length + 1 < sizeof e->onnx.prefix; v++) {
        if (strncmp(e->graph->values[v].name, e->onnx.prefix, length) == 0) {
            e->onnx.prefix[length++] = '_'; // longer than all names in the end
            v = -1;
        }
    }
}

static void name_values(ami_onnx_layer *e)
{
    pick_prefix(e);
    for (int v = 0; v < e->graph->value_count; v++) {
        const am_net_value *val = &e->graph->values[v];
        if (val->name[0]) {
            snprintf(e->names[v].text, sizeof e->names[v].text, "%s", val->name);
        } else {
            snprintf(e->names[v].text, sizeof e->names[v].text, "%sv%d", e->onnx.prefix, v);
        }
        if (val->role != AM_NET_INNER) {
            ami_onnx_info(&e->onnx, 11, e->names[v].text, val->rows, val->width);
        }
    }
}

/// Outputs in their order, then what the states take over, as NAME_next.
static void put_outputs(ami_onnx_layer *e)
{
    const am_net_graph *g = e->graph;
    for (int i = 0; i < g->output_count; i++) {
        int v = ami_net_graph_output_at(g, i);
        ami_onnx_info(&e->onnx, 12, e->names[v].text, g->values[v].rows, g->values[v].width);
    }
    for (int i = 0; i < g->state_count; i++) {
        const am_net_value *state = &g->values[ami_net_graph_state_at(g, i)];
        char next[48];
        snprintf(next, sizeof next, "%s_next", state->name);
        const char *inputs[1] = { e->names[state->next].text };
        const char *outputs[1] = { next };
        ami_onnx_begin(&e->onnx, "Identity", inputs, 1, outputs, 1);
        ami_onnx_end(&e->onnx);
        ami_onnx_info(&e->onnx, 12, next, 1, state->width);
    }
}

/// What a state takes over is called NAME_next: so no value may be.
static am_result check_names(const am_net_graph *g, am_error *err)
{
    for (int i = 0; i < g->state_count; i++) {
        char next[48];
        snprintf(next, sizeof next, "%s_next", g->values[ami_net_graph_state_at(g, i)].name);
        if (ami_net_graph_find(g, next) >= 0) {
            return ami_fail(
                err, AM_ERR_DEF,
                "network '%s': the name of value '%s' is needed for the next state in ONNX; rename the value",
                g->name, next);
        }
    }
    return AM_OK;
}

/// Numbers of the largest matrix, or row of positions.
static size_t room_for(const am_net_graph *g)
{
    size_t most = AM_NET_MOST_ROWS;
    for (int t = 0; t < g->tensor_count; t++) {
        size_t count = ami_net_tensor_count(&g->tensors[t]);
        most = count > most ? count : most;
    }
    for (int v = 0; v < g->value_count; v++) {
        most = (size_t)g->values[v].width > most ? (size_t)g->values[v].width : most;
    }
    return most;
}

am_result am_onnx_write(am_bytes *out, const am_net_graph *graph, const am_alloc *alloc, am_error *err)
{
    am_alloc use = ami_alloc_or_default(alloc);
    *out = ami_bytes_make(&use);
    am_result result = check_names(graph, err);
    if (result != AM_OK) {
        return result;
    }
    size_t values = (size_t)graph->value_count, room = room_for(graph);
    ami_onnx_layer e = { .graph = graph };
    e.onnx = (ami_onnx){ .nodes = ami_bytes_make(&use),
                         .initializers = ami_bytes_make(&use),
                         .infos = ami_bytes_make(&use),
                         .node = ami_bytes_make(&use),
                         .part = ami_bytes_make(&use) };
    e.names = ami_alloc_array(&use, values, sizeof *e.names);
    e.room = ami_alloc_array(&use, room, sizeof *e.room);
    bool ok = e.names && e.room && graph->weights;
    if (ok) {
        name_values(&e);
        for (int i = 0; i < graph->op_count; i++) {
            e.op = &graph->ops[i];
            put_of[e.op->kind](&e);
        }
        put_outputs(&e);
        ok = ami_onnx_finish(&e.onnx, out, graph->name);
    }
    ami_onnx_free(&e.onnx);
    ami_release(&use, e.names, values * sizeof *e.names);
    ami_release(&use, e.room, room * sizeof *e.room);
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, room * sizeof *e.room);
    }
    return AM_OK;
}
