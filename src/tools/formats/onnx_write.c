// Writes a graph as an ONNX file with standard operators only, so that other runtimes can run it.
#include "formats/onnx.h"

#include <amble/tools/formats.h>
#include <amble/math.h>

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct export
{
    ami_onnx onnx;
    const am_net_graph *graph;
    const am_net_op *op;
    ami_onnx_name *names; ///< [value]
    float *room;          ///< a transposed matrix, or a row of numbers
}
export;

static const char *in(const export *e, int i) { return e->names[e->op->in[i]].text; }
static const am_net_value *value(const export *e, int i) { return &e->graph->values[e->op->in[i]]; }
static const am_net_value *out_value(const export *e) { return &e->graph->values[e->op->out]; }

static const am_net_tensor *tensor(const export *e, int which) { return &e->graph->tensors[e->op->tensor[which]]; }
static const float *data(const export *e, int which) { return e->graph->weights + tensor(e, which)->offset; }

/// A tensor with one row as a constant of that many numbers.
static ami_onnx_name vector(export *e, int which)
{
    int64_t dims[1] = { tensor(e, which)->columns };
    return ami_onnx_floats(&e->onnx, data(e, which), dims, 1);
}

/// One node with the operation's own output.
static void last(export *e, const char *type, const char *a, const char *b, const char *c)
{
    const char *inputs[3] = { a, b, c };
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, type, inputs, c ? 3 : b ? 2 : a ? 1 : 0, outputs, 1);
}

static void last_plain(export *e, const char *type, const char *a, const char *b, const char *c)
{
    last(e, type, a, b, c);
    ami_onnx_end(&e->onnx);
}

// ---------------------------------------------------------------------------------------------
// Products

/// x W^T + b of a vector: Gemm, which every runtime knows well.
static void gemm(export *e, const char *out, const char *x, int weight, int bias)
{
    int64_t dims[2] = { tensor(e, weight)->rows, tensor(e, weight)->columns };
    ami_onnx_name w = ami_onnx_floats(&e->onnx, data(e, weight), dims, 2);
    ami_onnx_name b = vector(e, bias);
    const char *inputs[3] = { x, w.text, b.text };
    ami_onnx_begin(&e->onnx, "Gemm", inputs, 3, &out, 1);
    ami_onnx_int(&e->onnx, "transB", 1);
    ami_onnx_end(&e->onnx);
}

/// The same of every row of a set.
static ami_onnx_name matmul(export *e, const char *x, int weight, int bias)
{
    size_t rows = (size_t)tensor(e, weight)->rows, columns = (size_t)tensor(e, weight)->columns;
    const float *w = data(e, weight);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            e->room[c * rows + r] = w[r * columns + c];
        }
    }
    int64_t dims[2] = { (int64_t)columns, (int64_t)rows };
    ami_onnx_name turned = ami_onnx_floats(&e->onnx, e->room, dims, 2);
    ami_onnx_name b = vector(e, bias);
    ami_onnx_name product = ami_onnx_op(&e->onnx, "MatMul", x, turned.text, NULL);
    return ami_onnx_op(&e->onnx, "Add", product.text, b.text, NULL);
}

static void linear(export *e)
{
    if (value(e, 0)->rows == 1) {
        gemm(e, e->names[e->op->out].text, in(e, 0), 0, 1);
    } else {
        last_plain(e, "Identity", matmul(e, in(e, 0), 0, 1).text, NULL, NULL);
    }
}

/// The three gates of one product.
static void split(export *e, ami_onnx_name part[3], const char *x)
{
    const char *outputs[3];
    for (int i = 0; i < 3; i++) {
        part[i] = ami_onnx_fresh(&e->onnx);
        outputs[i] = part[i].text;
    }
    int64_t width = out_value(e)->width;
    const int64_t sizes[3] = { width, width, width };
    ami_onnx_name lengths = ami_onnx_integers(&e->onnx, sizes, 3);
    const char *inputs[2] = { x, lengths.text };
    ami_onnx_begin(&e->onnx, "Split", inputs, 2, outputs, 3);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
}

static void gru(export *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name x = ami_onnx_fresh(o), h = ami_onnx_fresh(o), i[3], g[3];
    gemm(e, x.text, in(e, 0), 0, 2);
    gemm(e, h.text, in(e, 1), 1, 3);
    split(e, i, x.text);
    split(e, g, h.text);
    ami_onnx_name reset =
        ami_onnx_op(o, "Sigmoid", ami_onnx_op(o, "Add", i[0].text, g[0].text, NULL).text, NULL, NULL);
    ami_onnx_name keep =
        ami_onnx_op(o, "Sigmoid", ami_onnx_op(o, "Add", i[1].text, g[1].text, NULL).text, NULL, NULL);
    ami_onnx_name past = ami_onnx_op(o, "Mul", reset.text, g[2].text, NULL);
    ami_onnx_name fresh = ami_onnx_op(o, "Tanh", ami_onnx_op(o, "Add", i[2].text, past.text, NULL).text, NULL, NULL);
    ami_onnx_name rest = ami_onnx_op(o, "Sub", ami_onnx_number(o, 1.0f).text, keep.text, NULL);
    ami_onnx_name a = ami_onnx_op(o, "Mul", rest.text, fresh.text, NULL);
    ami_onnx_name b = ami_onnx_op(o, "Mul", keep.text, in(e, 1), NULL);
    last_plain(e, "Add", a.text, b.text, NULL);
}

// ---------------------------------------------------------------------------------------------
// Attention

static ami_onnx_name reshape(export *e, const char *x, const int64_t *dims, int count)
{
    return ami_onnx_op(&e->onnx, "Reshape", x, ami_onnx_integers(&e->onnx, dims, count).text, NULL);
}

static ami_onnx_name transpose(export *e, const char *x, const int64_t order[4])
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Transpose", &x, 1, outputs, 1);
    ami_onnx_ints(&e->onnx, "perm", order, 4);
    ami_onnx_end(&e->onnx);
    return name;
}

/// Numbers 0 .. n - 1 as a row.
static ami_onnx_name range(export *e, int n)
{
    for (int i = 0; i < n; i++) {
        e->room[i] = (float)i;
    }
    int64_t dims[2] = { 1, n };
    return ami_onnx_floats(&e->onnx, e->room, dims, 2);
}

/// The nearest integer of an index, as the runtime rounds: floor(x + 1/2).
static ami_onnx_name rounded(export *e, const char *x)
{
    return ami_onnx_op(&e->onnx, "Floor",
                       ami_onnx_op(&e->onnx, "Add", x, ami_onnx_number(&e->onnx, 0.5f).text, NULL).text, NULL, NULL);
}

static ami_onnx_name to_float(export *e, const char *x)
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Cast", &x, 1, outputs, 1);
    ami_onnx_int(&e->onnx, "to", 1);
    ami_onnx_end(&e->onnx);
    return name;
}

/// softmax over the last axis
static ami_onnx_name softmax(export *e, const char *x)
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Softmax", &x, 1, outputs, 1);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
    return name;
}

/// softmax(Q K^T / sqrt key) as [batch][head][row][row], unused columns out of it
static ami_onnx_name weights(export *e, const char *used)
{
    ami_onnx *o = &e->onnx;
    int64_t rows = value(e, 0)->rows, heads = e->op->size[0], key = e->op->size[1];
    const int64_t split_key[4] = { 0, rows, heads, key };
    const int64_t by_head[4] = { 0, 2, 1, 3 }, by_column[4] = { 0, 2, 3, 1 };
    const int64_t over[4] = { 0, 1, 1, rows };
    ami_onnx_name q = reshape(e, matmul(e, in(e, 0), 0, 1).text, split_key, 4);
    ami_onnx_name k = reshape(e, matmul(e, in(e, 0), 2, 3).text, split_key, 4);
    q = transpose(e, q.text, by_head);
    k = transpose(e, k.text, by_column);
    ami_onnx_name score = ami_onnx_op(o, "MatMul", q.text, k.text, NULL);
    score = ami_onnx_op(o, "Mul", score.text, ami_onnx_number(o, 1.0f / sqrtf((float)key)).text, NULL);
    ami_onnx_name column = reshape(e, used, over, 4);
    score = ami_onnx_op(o, "Where", column.text, score.text, ami_onnx_number(o, -1e30f).text);
    return softmax(e, score.text);
}

static void attention(export *e)
{
    ami_onnx *o = &e->onnx;
    int64_t rows = value(e, 0)->rows, heads = e->op->size[0], width = e->op->size[2];
    const int64_t split_value[4] = { 0, rows, heads, width }, by_head[4] = { 0, 2, 1, 3 };
    const int64_t down[4] = { 0, 1, rows, 1 }, flat[2] = { 0, heads * width }, one[4] = { 0, 1, 1, 1 },
                  axis[1] = { 2 };
    ami_onnx_name count = rounded(e, in(e, 1));
    ami_onnx_name most = ami_onnx_number(o, (float)rows), least = ami_onnx_number(o, 1.0f);
    ami_onnx_name used = ami_onnx_op(o, "Less", range(e, (int)rows).text, count.text, NULL);
    ami_onnx_name soft = weights(e, used.text);
    // The mean over the rows in use: one weight for each row of V.
    ami_onnx_name mask = reshape(e, to_float(e, used.text).text, down, 4);
    soft = ami_onnx_op(o, "Mul", soft.text, mask.text, NULL);
    soft = ami_onnx_op(o, "ReduceSum", soft.text, ami_onnx_integers(o, axis, 1).text, NULL);
    ami_onnx_name divisor =
        ami_onnx_op(o, "Max", ami_onnx_op(o, "Min", count.text, most.text, NULL).text, least.text, NULL);
    soft = ami_onnx_op(o, "Div", soft.text, reshape(e, divisor.text, one, 4).text, NULL);
    ami_onnx_name v = transpose(e, reshape(e, matmul(e, in(e, 0), 4, 5).text, split_value, 4).text, by_head);
    ami_onnx_name sum = ami_onnx_op(o, "MatMul", soft.text, v.text, NULL);
    last_plain(e, "Reshape", sum.text, ami_onnx_integers(o, flat, 2).text, NULL);
}

// ---------------------------------------------------------------------------------------------
// The rest

static void gelu(export *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name scaled = ami_onnx_op(o, "Div", in(e, 0), ami_onnx_number(o, 1.41421356f).text, NULL);
    ami_onnx_name erf = ami_onnx_op(o, "Erf", scaled.text, NULL, NULL);
    ami_onnx_name one = ami_onnx_op(o, "Add", erf.text, ami_onnx_number(o, 1.0f).text, NULL);
    ami_onnx_name product = ami_onnx_op(o, "Mul", in(e, 0), one.text, NULL);
    last_plain(e, "Mul", product.text, ami_onnx_number(o, 0.5f).text, NULL);
}

static void waves(export *e)
{
    ami_onnx *o = &e->onnx;
    int width = out_value(e)->width;
    int64_t dims[2] = { 1, width };
    for (int i = 0; i < width; i++) {
        e->room[i] = am_exp(-(float)(i - i % 2) / (float)width * am_log(e->op->number[0]));
    }
    ami_onnx_name angle = ami_onnx_op(o, "Mul", in(e, 0), ami_onnx_floats(o, e->room, dims, 2).text, NULL);
    for (int i = 0; i < width; i++) {
        e->room[i] = (float)(i % 2);
    }
    ami_onnx_name odd = ami_onnx_floats(o, e->room, dims, 2);
    ami_onnx_name cosines = ami_onnx_op(o, "Mul", ami_onnx_op(o, "Cos", angle.text, NULL, NULL).text, odd.text, NULL);
    ami_onnx_name even = ami_onnx_op(o, "Sub", ami_onnx_number(o, 1.0f).text, odd.text, NULL);
    ami_onnx_name sines = ami_onnx_op(o, "Mul", ami_onnx_op(o, "Sin", angle.text, NULL, NULL).text, even.text, NULL);
    last_plain(e, "Add", sines.text, cosines.text, NULL);
}

static void choose(export *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name index = rounded(e, in(e, 0));
    ami_onnx_name chosen = ami_onnx_number(o, 0.0f);
    int count = 0;
    while (count < AM_NET_MOST_IN && e->op->in[count] >= 0) {
        count++;
    }
    for (int i = 1; i < count; i++) {
        ami_onnx_name here = ami_onnx_op(o, "Equal", index.text, ami_onnx_number(o, (float)(i - 1)).text, NULL);
        chosen = ami_onnx_op(o, "Where", here.text, in(e, i), chosen.text);
    }
    last_plain(e, "Identity", chosen.text, NULL, NULL);
}

/// The same numbers for every sample: spread over the batch of the first input.
static void constant(export *e)
{
    ami_onnx *o = &e->onnx;
    const char *first = e->names[am_net_graph_input_at(e->graph, 0)].text;
    ami_onnx_name batch = ami_onnx_fresh(o), shape = ami_onnx_fresh(o);
    const char *outputs[1] = { batch.text };
    ami_onnx_begin(o, "Shape", &first, 1, outputs, 1);
    ami_onnx_int(o, "start", 0);
    ami_onnx_int(o, "end", 1);
    ami_onnx_end(o);
    int64_t width = out_value(e)->width;
    ami_onnx_name wide = ami_onnx_integers(o, &width, 1);
    const char *parts[2] = { batch.text, wide.text };
    outputs[0] = shape.text;
    ami_onnx_begin(o, "Concat", parts, 2, outputs, 1);
    ami_onnx_int(o, "axis", 0);
    ami_onnx_end(o);
    int64_t dims[2] = { 1, width };
    last_plain(e, "Expand", ami_onnx_floats(o, data(e, 0), dims, 2).text, shape.text, NULL);
}

static void concat(export *e)
{
    const char *inputs[AM_NET_MOST_IN];
    int count = 0;
    for (; count < AM_NET_MOST_IN && e->op->in[count] >= 0; count++) {
        inputs[count] = in(e, count);
    }
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, "Concat", inputs, count, outputs, 1);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
}

static void slice(export *e)
{
    int64_t first = e->op->size[0], end = first + out_value(e)->width, axis = -1;
    ami_onnx_name starts = ami_onnx_integers(&e->onnx, &first, 1), ends = ami_onnx_integers(&e->onnx, &end, 1);
    ami_onnx_name axes = ami_onnx_integers(&e->onnx, &axis, 1);
    const char *inputs[4] = { in(e, 0), starts.text, ends.text, axes.text };
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, "Slice", inputs, 4, outputs, 1);
    ami_onnx_end(&e->onnx);
}

static void layer_norm(export *e)
{
    ami_onnx_name gain = vector(e, 0), shift = vector(e, 1);
    last(e, "LayerNormalization", in(e, 0), gain.text, shift.text);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_float(&e->onnx, "epsilon", e->op->number[0]);
    ami_onnx_end(&e->onnx);
}

/// a, then b, each with a constant vector: Sub and Mul, or Mul and Add.
static void affine(export *e, const char *a, int first, const char *b, int second)
{
    ami_onnx_name half = ami_onnx_op(&e->onnx, a, in(e, 0), vector(e, first).text, NULL);
    last_plain(e, b, half.text, vector(e, second).text, NULL);
}

static void one_hot(export *e, const char *type, bool index_last)
{
    ami_onnx_name index = rounded(e, in(e, 0)), places = range(e, out_value(e)->width);
    ami_onnx_name hit = ami_onnx_op(&e->onnx, type, index_last ? places.text : index.text,
                                    index_last ? index.text : places.text, NULL);
    last(e, "Cast", hit.text, NULL, NULL);
    ami_onnx_int(&e->onnx, "to", 1);
    ami_onnx_end(&e->onnx);
}

static void put_op(export *e)
{
    static const char *const plain[AM_NET_KIND_COUNT] = {
        [AM_NET_RELU] = "Relu", [AM_NET_ELU] = "Elu", [AM_NET_TANH] = "Tanh", [AM_NET_SIGMOID] = "Sigmoid"
    };
    switch (e->op->kind) {
    case AM_NET_LINEAR:
        linear(e);
        break;
    case AM_NET_GELU:
        gelu(e);
        break;
    case AM_NET_LAYER_NORM:
        layer_norm(e);
        break;
    case AM_NET_CONCAT:
        concat(e);
        break;
    case AM_NET_ADD:
        last_plain(e, "Add", in(e, 0), in(e, 1), NULL);
        break;
    case AM_NET_NORMALISE:
        affine(e, "Sub", 0, "Mul", 1);
        break;
    case AM_NET_RESTORE:
        affine(e, "Mul", 1, "Add", 0);
        break;
    case AM_NET_GRU:
        gru(e);
        break;
    case AM_NET_ATTENTION:
        attention(e);
        break;
    case AM_NET_ONE_HOT:
        one_hot(e, "Equal", false);
        break;
    case AM_NET_COUNT:
        one_hot(e, "Less", true);
        break;
    case AM_NET_FRACTION:
        last_plain(e, "Div", in(e, 0), ami_onnx_number(&e->onnx, e->op->number[0]).text, NULL);
        break;
    case AM_NET_WAVES:
        waves(e);
        break;
    case AM_NET_SLICE:
        slice(e);
        break;
    case AM_NET_CHOOSE:
        choose(e);
        break;
    case AM_NET_CONSTANT:
        constant(e);
        break;
    default:
        last_plain(e, plain[e->op->kind], in(e, 0), NULL, NULL);
    }
}

/// A beginning that no value's name has: "t", or "t_", "t__", ...
static void pick_prefix(export *e)
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

static void name_values(export *e)
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
static void put_outputs(export *e)
{
    const am_net_graph *g = e->graph;
    for (int i = 0; i < g->output_count; i++) {
        int v = am_net_graph_output_at(g, i);
        ami_onnx_info(&e->onnx, 12, e->names[v].text, g->values[v].rows, g->values[v].width);
    }
    for (int i = 0; i < g->state_count; i++) {
        const am_net_value *state = &g->values[am_net_graph_state_at(g, i)];
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
        snprintf(next, sizeof next, "%s_next", g->values[am_net_graph_state_at(g, i)].name);
        if (am_net_graph_find(g, next) >= 0) {
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
        size_t count = am_net_tensor_count(&g->tensors[t]);
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
    export e = { .graph = graph };
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
            put_op(&e);
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
