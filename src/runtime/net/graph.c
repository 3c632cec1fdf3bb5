// Builds a graph: its values, its operations with their tensors, and the finished graph. The builders of operations
// are in the files of their layers.
#include "net/layer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/rng.h"
#include "net/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

am_result ami_net_graph_create(am_net_graph **out, const char *name, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc use = ami_alloc_or_default(alloc);
    if (!name || !name[0] || strlen(name) >= AM_NET_NAME_SIZE) {
        return ami_fail(err, AM_ERR_DEF, "a graph's name must have 1 to %d bytes", AM_NET_NAME_SIZE - 1);
    }
    am_net_graph *graph = ami_alloc_zero(&use, sizeof *graph);
    if (!graph) {
        return ami_fail_memory(err, sizeof *graph);
    }
    graph->alloc = use;
    memcpy(graph->name, name, strlen(name) + 1);
    *out = graph;
    return AM_OK;
}

void am_net_graph_destroy(am_net_graph *graph)
{
    if (!graph) {
        return;
    }
    am_alloc alloc = graph->alloc;
    ami_release(&alloc, graph->values, (size_t)graph->value_room * sizeof *graph->values);
    ami_release(&alloc, graph->ops, (size_t)graph->op_room * sizeof *graph->ops);
    ami_release(&alloc, graph->tensors, (size_t)graph->tensor_room * sizeof *graph->tensors);
    ami_pages_release(&alloc, graph->weights, graph->weight_count, sizeof(float));
    ami_release(&alloc, graph, sizeof *graph);
}

int ami_graph_fault(am_net_graph *graph, am_result code, const char *format, ...)
{
    if (graph->failed == AM_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(graph->reason, sizeof graph->reason, format, args);
        va_end(args);
        graph->failed = code;
    }
    return -1;
}

/// Room for one more item; the old block is copied.
static bool grow(am_net_graph *graph, void **items, int *room, int count, size_t size)
{
    if (count < *room) {
        return true;
    }
    int more = *room ? *room * 2 : 16;
    void *bigger = ami_alloc_array(&graph->alloc, (size_t)more, size);
    if (!bigger) {
        ami_graph_fault(graph, AM_ERR_MEMORY, "out of memory for a graph of %d items", more);
        return false;
    }
    if (*items) {
        memcpy(bigger, *items, (size_t)count * size);
        ami_release(&graph->alloc, *items, (size_t)*room * size);
    }
    *items = bigger;
    *room = more;
    return true;
}

static bool copy_name(am_net_graph *graph, char *out, const char *name)
{
    if (!name || !name[0] || strlen(name) >= AM_NET_NAME_SIZE) {
        ami_graph_fault(graph, AM_ERR_DEF, "a name must have 1 to %d bytes", AM_NET_NAME_SIZE - 1);
        return false;
    }
    if (ami_net_graph_find(graph, name) >= 0) {
        ami_graph_fault(graph, AM_ERR_DEF, "two values are called '%s'", name);
        return false;
    }
    memcpy(out, name, strlen(name) + 1);
    return true;
}

/// Appends a value; -1 after a fault.
static int add_value(am_net_graph *graph, int rows, int width, am_net_role role)
{
    if (graph->failed != AM_OK) {
        return -1;
    }
    if (graph->weights) {
        return ami_graph_fault(graph, AM_ERR_DEF, "the graph is finished");
    }
    if (rows < 1 || rows > AM_NET_MOST_ROWS || width < 1 || width > AM_NET_MOST_WIDTH) {
        return ami_graph_fault(graph, AM_ERR_LIMIT, "a value of %d x %d numbers; at most %d x %d are allowed", rows,
                               width, AM_NET_MOST_ROWS, AM_NET_MOST_WIDTH);
    }
    if (graph->value_count >= 2 * AM_NET_MOST_OPS) {
        return ami_graph_fault(graph, AM_ERR_LIMIT, "more than %d values", 2 * AM_NET_MOST_OPS);
    }
    void *items = graph->values;
    if (!grow(graph, &items, &graph->value_room, graph->value_count, sizeof *graph->values)) {
        return -1;
    }
    graph->values = items;
    graph->values[graph->value_count] =
        (am_net_value){ .rows = rows, .width = width, .role = (int32_t)role, .next = -1, .output = -1 };
    return graph->value_count++;
}

static int add_given(am_net_graph *graph, const char *name, int rows, int width, am_net_role role)
{
    char kept[AM_NET_NAME_SIZE] = "";
    if (graph->failed != AM_OK || !copy_name(graph, kept, name)) {
        return -1;
    }
    int value = add_value(graph, rows, width, role);
    if (value >= 0) {
        memcpy(graph->values[value].name, kept, sizeof kept);
        graph->input_count += role == AM_NET_INPUT;
        graph->state_count += role == AM_NET_STATE;
    }
    return value;
}

int ami_net_graph_input(am_net_graph *graph, const char *name, int width)
{
    return add_given(graph, name, 1, width, AM_NET_INPUT);
}

int ami_net_graph_input_set(am_net_graph *graph, const char *name, int rows, int width)
{
    return add_given(graph, name, rows, width, AM_NET_INPUT);
}

int ami_net_graph_state(am_net_graph *graph, const char *name, int width)
{
    return add_given(graph, name, 1, width, AM_NET_STATE);
}

static bool is_value(am_net_graph *graph, int value)
{
    if (graph->failed == AM_OK && (value < 0 || value >= graph->value_count)) {
        ami_graph_fault(graph, AM_ERR_DEF, "there is no value %d", value);
    }
    return graph->failed == AM_OK;
}

void ami_net_graph_keep(am_net_graph *graph, int state, int value)
{
    if (is_value(graph, state) && is_value(graph, value)) {
        if (graph->values[state].role != AM_NET_STATE || graph->values[state].width != graph->values[value].width) {
            ami_graph_fault(graph, AM_ERR_DEF, "value %d is not a state of the same width as value %d", state, value);
            return;
        }
        graph->values[state].next = value;
    }
}

void ami_net_graph_output(am_net_graph *graph, const char *name, int value)
{
    if (!is_value(graph, value)) {
        return;
    }
    am_net_value *v = &graph->values[value];
    if (v->role != AM_NET_INNER || v->output >= 0) {
        ami_graph_fault(graph, AM_ERR_DEF, "value %d is already an input or an output", value);
    } else if (copy_name(graph, v->name, name)) {
        v->output = graph->output_count++;
    }
}

static bool add_tensors(am_net_graph *graph, am_net_op *op, const ami_net_shape *shape)
{
    for (int t = 0; t < shape->tensor_count; t++) {
        void *items = graph->tensors;
        if (!grow(graph, &items, &graph->tensor_room, graph->tensor_count, sizeof *graph->tensors)) {
            return false;
        }
        graph->tensors = items;
        am_net_tensor *tensor = &graph->tensors[graph->tensor_count];
        *tensor = (am_net_tensor){ .rows = shape->tensor[t].rows,
                                   .columns = shape->tensor[t].columns,
                                   .flags = shape->flags[t] };
        snprintf(tensor->name, sizeof tensor->name, "%d.%s", graph->op_count, ami_net_tensor_name(op->kind, t));
        op->tensor[t] = graph->tensor_count++;
    }
    return true;
}

int ami_graph_add(am_net_graph *graph, am_net_op op, const int *in, int in_count, int width)
{
    if (in_count > AM_NET_MOST_IN) {
        return ami_graph_fault(graph, AM_ERR_LIMIT, "an operation reads at most %d values", AM_NET_MOST_IN);
    }
    for (int i = 0; i < AM_NET_MOST_IN; i++) {
        if (i < in_count && !is_value(graph, in[i])) {
            return -1;
        }
        op.in[i] = i < in_count ? in[i] : -1;
    }
    for (int t = 0; t < AM_NET_MOST_TENSORS; t++) {
        op.tensor[t] = -1;
    }
    if (graph->failed != AM_OK) {
        return -1;
    }
    ami_net_shape shape;
    const char *wrong = ami_net_infer(&shape, &op, graph->values, width);
    if (wrong) {
        return ami_graph_fault(graph, AM_ERR_DEF, "operation %d (%s) %s", graph->op_count, am_net_kind_name(op.kind),
                               wrong);
    }
    if (graph->op_count >= AM_NET_MOST_OPS) {
        return ami_graph_fault(graph, AM_ERR_LIMIT, "more than %d operations", AM_NET_MOST_OPS);
    }
    void *items = graph->ops;
    if (!grow(graph, &items, &graph->op_room, graph->op_count, sizeof *graph->ops)) {
        return -1;
    }
    graph->ops = items;
    op.out = add_value(graph, shape.out.rows, shape.out.columns, AM_NET_INNER);
    if (op.out < 0 || !add_tensors(graph, &op, &shape)) {
        return -1;
    }
    graph->ops[graph->op_count++] = op;
    return op.out;
}

int ami_graph_add_plain(am_net_graph *graph, am_net_kind kind, int x, int width)
{
    return ami_graph_add(graph, (am_net_op){ .kind = (int32_t)kind }, &x, 1, width);
}

// ---------------------------------------------------------------------------------------------
// The whole

/// Places all tensors in one array, each on a multiple of 64 bytes.
static am_result lay_out(am_net_graph *graph, am_error *err)
{
    size_t at = 0;
    graph->parameter_count = 0;
    for (int t = 0; t < graph->tensor_count; t++) {
        am_net_tensor *tensor = &graph->tensors[t];
        tensor->offset = at;
        size_t count = ami_net_tensor_count(tensor);
        at += (count + 15) / 16 * 16;
        graph->parameter_count += tensor->flags & AM_NET_FIXED ? 0 : count;
    }
    graph->weight_count = at ? at : 16;
    graph->weights = ami_pages_array(&graph->alloc, graph->weight_count, sizeof(float));
    if (!graph->weights) {
        size_t wanted = graph->weight_count;
        graph->weight_count = 0;
        return ami_fail_memory(err, wanted * sizeof(float));
    }
    return AM_OK;
}

/// Initial values of gains, scales and deviations.
static void fill_ones(am_net_graph *graph)
{
    for (int i = 0; i < graph->op_count; i++) {
        const am_net_op *op = &graph->ops[i];
        for (int t = 0; t < AM_NET_MOST_TENSORS && op->tensor[t] >= 0; t++) {
            const am_net_tensor *tensor = &graph->tensors[op->tensor[t]];
            bool ones = ami_net_layer_of(op->kind)->tensors[t].ones;
            for (size_t k = 0; ones && k < ami_net_tensor_count(tensor); k++) {
                graph->weights[tensor->offset + k] = 1.0f;
            }
        }
    }
}

am_result ami_net_graph_finish(am_net_graph *graph, am_error *err)
{
    if (graph->failed != AM_OK) {
        return ami_fail(err, graph->failed, "graph '%s': %s", graph->name, graph->reason);
    }
    if (graph->weights) {
        return ami_fail(err, AM_ERR_DEF, "graph '%s' is already finished", graph->name);
    }
    int place = 0;
    const char *wrong = ami_net_check(graph->values, graph->value_count, graph->ops, graph->op_count, graph->tensors,
                                      graph->tensor_count, &place);
    if (wrong) {
        return ami_fail(err, AM_ERR_DEF, "graph '%s': item %d: %s", graph->name, place, wrong);
    }
    am_result result = lay_out(graph, err);
    if (result == AM_OK) {
        fill_ones(graph);
    }
    return result;
}

void ami_net_graph_randomise(am_net_graph *graph, uint64_t seed)
{
    am_rng base = ami_rng_make(seed);
    for (int i = 0; i < graph->op_count; i++) {
        const am_net_op *op = &graph->ops[i];
        am_rng rng = ami_rng_fork(&base, (uint64_t)i);
        const ami_net_layer *layer = ami_net_layer_of(op->kind);
        for (int t = 0; t < AM_NET_MOST_TENSORS && op->tensor[t] >= 0; t++) {
            const am_net_tensor *tensor = &graph->tensors[op->tensor[t]];
            float *data = graph->weights + tensor->offset;
            int inputs = graph->tensors[op->tensor[layer->tensors[t].bound_by]].columns;
            float bound = 1.0f / sqrtf((float)inputs);
            for (size_t k = 0; k < ami_net_tensor_count(tensor) && !(tensor->flags & AM_NET_FIXED); k++) {
                data[k] = !layer->plain_start      ? am_rng_range(&rng, -bound, bound)
                          : layer->tensors[t].ones ? 1.0f
                                                   : 0.0f;
            }
        }
    }
}

/// Takes over copies of the lists.
static bool copy_lists(am_net_graph *g, const am_net_value *values, const am_net_op *ops,
                       const am_net_tensor *tensors)
{
    g->value_room = g->value_count;
    g->op_room = g->op_count;
    g->tensor_room = g->tensor_count;
    g->values = ami_alloc_array(&g->alloc, (size_t)g->value_room, sizeof *values);
    g->ops = ami_alloc_array(&g->alloc, (size_t)g->op_room, sizeof *ops);
    g->tensors = ami_alloc_array(&g->alloc, (size_t)g->tensor_room, sizeof *tensors);
    if (!g->values || !g->ops || !g->tensors) {
        return false;
    }
    memcpy(g->values, values, (size_t)g->value_count * sizeof *values);
    memcpy(g->ops, ops, (size_t)g->op_count * sizeof *ops);
    if (g->tensor_count) {
        memcpy(g->tensors, tensors, (size_t)g->tensor_count * sizeof *tensors);
    }
    return true;
}

am_result ami_graph_from(am_net_graph **out, const char *name, const am_net_value *values, int value_count,
                         const am_net_op *ops, int op_count, const am_net_tensor *tensors, int tensor_count,
                         const am_alloc *alloc, am_error *err)
{
    am_net_graph *g = NULL;
    am_result result = ami_net_graph_create(&g, name, alloc, err);
    *out = NULL;
    if (result != AM_OK || !g) {
        return result;
    }
    g->value_count = value_count;
    g->op_count = op_count;
    g->tensor_count = tensor_count;
    result = copy_lists(g, values, ops, tensors) ? lay_out(g, err) : ami_fail_memory(err, sizeof *g);
    if (result != AM_OK) {
        am_net_graph_destroy(g);
        return result;
    }
    for (int v = 0; v < value_count; v++) {
        g->input_count += values[v].role == AM_NET_INPUT;
        g->state_count += values[v].role == AM_NET_STATE;
        g->output_count += values[v].output >= 0;
    }
    *out = g;
    return AM_OK;
}

am_result ami_net_graph_copy(am_net_graph **out, const am_net_graph *graph, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (!graph->weights) {
        return ami_fail(err, AM_ERR_DEF, "graph '%s' is not finished", graph->name);
    }
    am_result result = ami_graph_from(out, graph->name, graph->values, graph->value_count, graph->ops,
                                      graph->op_count, graph->tensors, graph->tensor_count, alloc, err);
    if (result == AM_OK && *out) {
        memcpy((*out)->weights, graph->weights, graph->weight_count * sizeof(float));
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Looking

int ami_net_graph_find(const am_net_graph *graph, const char *name)
{
    for (int v = 0; v < graph->value_count; v++) {
        if (graph->values[v].name[0] && strcmp(graph->values[v].name, name) == 0) {
            return v;
        }
    }
    return -1;
}

static int nth(const am_net_graph *graph, am_net_role role, int i)
{
    for (int v = 0; v < graph->value_count; v++) {
        if (graph->values[v].role == (int32_t)role && i-- == 0) {
            return v;
        }
    }
    return -1;
}

int ami_net_graph_input_at(const am_net_graph *graph, int i) { return nth(graph, AM_NET_INPUT, i); }
int ami_net_graph_state_at(const am_net_graph *graph, int i) { return nth(graph, AM_NET_STATE, i); }

int ami_net_graph_output_at(const am_net_graph *graph, int i)
{
    for (int v = 0; v < graph->value_count; v++) {
        if (graph->values[v].output == i && i >= 0) {
            return v;
        }
    }
    return -1;
}

float *ami_net_graph_tensor(const am_net_graph *graph, int value, int which)
{
    for (int i = 0; i < graph->op_count && which >= 0 && which < AM_NET_MOST_TENSORS; i++) {
        if (graph->ops[i].out == value && graph->ops[i].tensor[which] >= 0 && graph->weights) {
            return graph->weights + graph->tensors[graph->ops[i].tensor[which]].offset;
        }
    }
    return NULL;
}
