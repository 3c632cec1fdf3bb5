/// The walk over a graph, forward and back. Included for float and for double by a file that defines `real`, PLAN,
/// OPS and NAME(x).
#include "train/plan.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pages.h"
#include "net/layer.h"

// ---------------------------------------------------------------------------------------------
// Places

static size_t place(const PLAN *plan, int slot, int block)
{
    return (size_t)slot * (size_t)plan->blocks + (size_t)block;
}

real *NAME(value)(const PLAN *plan, int value, int slot, int block)
{
    return plan->value[value] + place(plan, slot, block) * plan->pitch[value];
}

real *NAME(grad)(const PLAN *plan, int value, int slot, int block)
{
    return plan->grad[value] ? plan->grad[value] + place(plan, slot, block) * plan->pitch[value] : NULL;
}

static int padded(int width) { return (width + AMI_PANEL - 1) / AMI_PANEL * AMI_PANEL; }

/// From one slot's block to the next, with room between them: a product over slots reads the same rows, or the same
/// panel, of each, and powers of two apart they would share a few places of the first cache.
static size_t pitch_of(const PLAN *plan, int value)
{
    enum { tile_rows = 8 };
    const am_net_value *v = &plan->graph->values[value];
    return ((size_t)v->rows * (size_t)v->width + tile_rows) * (size_t)plan->columns;
}

static size_t turned_pitch(const PLAN *plan, int value)
{
    const am_net_value *v = &plan->graph->values[value];
    return ((size_t)v->rows * (size_t)padded(v->width) + AMI_PANEL) * (size_t)plan->columns;
}

static real *turned_at(const PLAN *plan, int value, int slot, int block)
{
    return plan->turned[value] + place(plan, slot, block) * turned_pitch(plan, value);
}

static const real *tensor_at(const PLAN *plan, const am_net_op *op, int which)
{
    return plan->weights + plan->graph->tensors[op->tensor[which]].offset;
}

static int width_of(const PLAN *plan, int value) { return plan->graph->values[value].width; }
static int rows_of(const PLAN *plan, int value) { return plan->graph->values[value].rows; }
static size_t span_of(const PLAN *plan, int value)
{
    return (size_t)rows_of(plan, value) * (size_t)width_of(plan, value) * (size_t)plan->columns;
}

#include "train/layers_body.h"

// ---------------------------------------------------------------------------------------------
// Which gradients are wanted

static bool is_trained(const am_net_graph *g, const am_net_op *op)
{
    for (int t = 0; t < AM_NET_MOST_TENSORS && op->tensor[t] >= 0; t++) {
        if (!(g->tensors[op->tensor[t]].flags & (AM_NET_FIXED | AM_NET_FROZEN))) {
            return true;
        }
    }
    return false;
}

/// wanted[v]: something trainable (or an input whose gradient is requested) comes before v, and an output after it.
static void find_wanted(PLAN *plan, bool *wanted, bool input_grads)
{
    const am_net_graph *g = plan->graph;
    for (int v = 0; v < g->value_count; v++) {
        const int role = g->values[v].role;
        wanted[v] = (role == AM_NET_INPUT && input_grads) || (role == AM_NET_STATE && plan->slots > 1);
        plan->seeded[v] = g->values[v].output >= 0;
        plan->first_touch[v] = -1;
    }
    for (int v = 0; v < g->value_count; v++) {
        if (g->values[v].role == AM_NET_STATE && g->values[v].next >= 0 && plan->slots > 1) {
            plan->seeded[g->values[v].next] = true;
        }
    }
    for (int o = 0; o < g->op_count; o++) {
        const am_net_op *op = &g->ops[o];
        bool any = is_trained(g, op);
        for (int i = 0; i < ami_net_in_count(op); i++) {
            any |= flows(op, i) && wanted[op->in[i]];
        }
        wanted[op->out] = any;
    }
    // From the outputs back: a value that no later operation reads has no gradient.
    for (int o = g->op_count - 1; o >= 0; o--) {
        const am_net_op *op = &g->ops[o];
        const bool alive = wanted[op->out] && (plan->seeded[op->out] || plan->first_touch[op->out] >= 0);
        for (int i = 0; i < ami_net_in_count(op) && alive; i++) {
            if (flows(op, i) && wanted[op->in[i]] && plan->first_touch[op->in[i]] < 0) {
                plan->first_touch[op->in[i]] = o;
            }
        }
        wanted[op->out] = alive;
    }
    for (int v = 0; v < g->value_count; v++) {
        wanted[v] &= plan->seeded[v] || plan->first_touch[v] >= 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Jobs

static void add_job(PLAN *plan, bool place_it, int op, int which, int which_2, int part)
{
    const am_net_graph *g = plan->graph;
    const am_net_tensor *t = &g->tensors[g->ops[op].tensor[which]];
    if (place_it) {
        const bool matrix = t->rows > 1 || (t->flags & AM_NET_MATRIX) != 0;
        plan->jobs[plan->job_count] =
            (ami_job){ .op = op,
                       .tensor = g->ops[op].tensor[which],
                       .tensor_2 = which_2 >= 0 ? g->ops[op].tensor[which_2] : -1,
                       .part = part,
                       .matrix = matrix,
                       .rows = matrix ? t->rows : t->columns, // a vector's items are its rows
                       .columns = matrix ? t->columns : 1 };
    }
    plan->job_count++;
}

/// The gradients to compute, from the last layer to the first: the order in which they can be sent to other machines.
static void list_jobs(PLAN *plan, bool place_them)
{
    const am_net_graph *g = plan->graph;
    plan->job_count = 0;
    for (int o = g->op_count - 1; o >= 0; o--) {
        const am_net_op *op = &g->ops[o];
        if (place_them && !plan->grad[op->out]) {
            continue;
        }
        const ami_net_layer *layer = ami_net_layer_of(op->kind);
        for (int part = 0; part < layer->product_count; part++) {
            if (is_trained(g, op)) {
                add_job(plan, place_them, o, layer->products[part].weight, -1, part);
                add_job(plan, place_them, o, layer->products[part].bias, -1, part);
            }
        }
        if (layer->product_count == 0 && is_trained(g, op)) {
            add_job(plan, place_them, o, 0, op->tensor[1] >= 0 ? 1 : -1, 0);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Creation

/// True when a product reads input i: its gradient wants the transposed one.
static bool needs_turned(const am_net_op *op, int i)
{
    const ami_net_layer *layer = ami_net_layer_of(op->kind);
    bool read = false;
    for (int m = 0; m < layer->product_count; m++) {
        read |= layer->products[m].in == i;
    }
    return read;
}

/// Outputs, and what a state takes over: read from outside, or in the next slot.
static bool is_read_later(const am_net_graph *g, int v)
{
    bool later = g->values[v].output >= 0;
    for (int i = 0; i < g->value_count; i++) {
        later |= g->values[i].role == AM_NET_STATE && g->values[i].next == v;
    }
    return later;
}

/// The operation that may write over value v, -1 when there is none: v is a linear layer's, nothing else reads it,
/// and the way back through the operation needs what it gave only. Its gradient is written over likewise. Over many
/// slots these are half of all numbers, and they do not fit the caches.
static int overwritten_by(const PLAN *plan, int v)
{
    const am_net_graph *g = plan->graph;
    int reader = -1, readers = 0;
    bool made = false;
    for (int o = 0; o < g->op_count; o++) {
        made |= g->ops[o].out == v && g->ops[o].kind == AM_NET_LINEAR;
        for (int i = 0; i < ami_net_in_count(&g->ops[o]); i++) {
            reader = g->ops[o].in[i] == v ? o : reader;
            readers += g->ops[o].in[i] == v;
        }
    }
    const bool may = made && readers == 1 && row_of(&g->ops[reader])->by_output && !is_read_later(g, v) &&
                     !is_read_later(g, g->ops[reader].out);
    return may ? reader : -1;
}

/// Gives an overwritten value the place of what is written over it.
static void share_places(PLAN *plan)
{
    for (int v = 0; v < plan->graph->value_count; v++) {
        const int by = overwritten_by(plan, v);
        if (by >= 0) {
            const int out = plan->graph->ops[by].out;
            plan->value[v] = plan->value[out];
            plan->grad[v] = plan->grad[out];
        }
    }
}

static void lay_out(PLAN *plan, ami_layout *room, const bool *wanted)
{
    const am_net_graph *g = plan->graph;
    const size_t values = (size_t)g->value_count, ops = (size_t)g->op_count;
    const size_t places = (size_t)plan->slots * (size_t)plan->blocks;
    plan->value = ami_layout_take(room, values, sizeof *plan->value);
    plan->grad = ami_layout_take(room, values, sizeof *plan->grad);
    plan->span = ami_layout_take(room, values, sizeof *plan->span);
    plan->pitch = ami_layout_take(room, values, sizeof *plan->pitch);
    plan->turned = ami_layout_take(room, values, sizeof *plan->turned);
    plan->aux = ami_layout_take(room, ops, sizeof *plan->aux);
    plan->aux_span = ami_layout_take(room, ops, sizeof *plan->aux_span);
    plan->seeded = ami_layout_take(room, values, sizeof *plan->seeded);
    plan->first_touch = ami_layout_take(room, values, sizeof *plan->first_touch);
    list_jobs(plan, false);
    plan->jobs = ami_layout_take(room, (size_t)plan->job_count, sizeof *plan->jobs);
    for (int v = 0; v < g->value_count; v++) {
        const size_t pitch = pitch_of(plan, v);
        const bool own = overwritten_by(plan, v) < 0;
        real *value = own ? ami_layout_take(room, places * pitch, sizeof(real)) : NULL;
        real *grad = own && wanted[v] ? ami_layout_take(room, places * pitch, sizeof(real)) : NULL;
        bool turned = false;
        for (int o = 0; o < g->op_count; o++) {
            for (int i = 0; i < ami_net_in_count(&g->ops[o]); i++) {
                turned |= g->ops[o].in[i] == v && needs_turned(&g->ops[o], i);
            }
        }
        real *other = turned ? ami_layout_take(room, places * turned_pitch(plan, v), sizeof(real)) : NULL;
        if (room->base) {
            plan->value[v] = value;
            plan->grad[v] = grad;
            plan->turned[v] = other;
            plan->span[v] = span_of(plan, v);
            plan->pitch[v] = pitch;
        }
    }
    for (int o = 0; o < g->op_count; o++) {
        const layer_row *row = row_of(&g->ops[o]);
        const size_t size = row->aux ? row->aux(plan, &g->ops[o]) : 0;
        real *aux = ami_layout_take(room, places * size, sizeof(real));
        if (room->base) {
            plan->aux[o] = aux;
            plan->aux_span[o] = size;
        }
    }
}

static int bands_of(int rows) { return (rows + AMI_BAND - 1) / AMI_BAND; }

/// Bands of the linear layers' matrices, each once, by columns only where a gradient goes back through them.
static void lay_out_bands(PLAN *plan, ami_layout *room, const bool *wanted)
{
    const am_net_graph *g = plan->graph;
    plan->by_rows = ami_layout_take(room, (size_t)g->tensor_count, sizeof *plan->by_rows);
    plan->by_columns = ami_layout_take(room, (size_t)g->tensor_count, sizeof *plan->by_columns);
    for (int o = 0; o < g->op_count && plan->banded; o++) {
        if (g->ops[o].kind != AM_NET_LINEAR) {
            continue;
        }
        const int t = g->ops[o].tensor[0];
        const size_t m = (size_t)g->tensors[t].rows, k = (size_t)g->tensors[t].columns;
        real *rows = ami_layout_take(room, (size_t)bands_of((int)m) * AMI_BAND * k, sizeof(real));
        real *columns = wanted[g->ops[o].in[0]]
                            ? ami_layout_take(room, (size_t)bands_of((int)k) * AMI_BAND * m, sizeof(real))
                            : NULL;
        if (room->base) {
            plan->by_rows[t] = rows;
            plan->by_columns[t] = columns;
        }
    }
}

am_result NAME(create)(PLAN **out, const ami_plan_def *def, const OPS *ops, real *weights, am_error *err)
{
    *out = NULL;
    const am_alloc alloc = ami_alloc_or_default(def->alloc);
    const am_net_graph *g = def->graph;
    PLAN plan = { .graph = g, .ops = ops, .weights = weights, .alloc = alloc };
    plan.columns = def->columns;
    plan.blocks = def->blocks;
    plan.slots = def->slots;
    plan.banded = def->banded;
    const size_t values = (size_t)g->value_count;
    bool *scratch = ami_alloc_array(&alloc, values, 2 * sizeof(bool) + sizeof(int));
    if (!scratch) {
        return ami_fail_memory(err, values);
    }
    // seeded and first_touch first into scratch: which gradients are wanted decides the layout.
    plan.first_touch = (int *)(void *)scratch;
    bool *wanted = scratch + values * sizeof(int);
    plan.seeded = wanted + values;
    find_wanted(&plan, wanted, def->input_grads);
    ami_layout room = { 0 };
    ami_layout_take(&room, 1, sizeof plan);
    lay_out(&plan, &room, wanted);
    lay_out_bands(&plan, &room, wanted);
    plan.block_size = room.size;
    plan.block = room.overflow ? NULL : ami_pages_array(&alloc, 1, room.size);
    if (plan.block) {
        room = (ami_layout){ .base = plan.block };
        PLAN *placed = ami_layout_take(&room, 1, sizeof plan);
        lay_out(&plan, &room, wanted);
        lay_out_bands(&plan, &room, wanted);
        share_places(&plan);
        find_wanted(&plan, wanted, def->input_grads);
        list_jobs(&plan, true);
        *placed = plan;
        *out = placed;
    }
    ami_release(&alloc, scratch, values * (2 * sizeof(bool) + sizeof(int)));
    return *out ? AM_OK : ami_fail_memory(err, room.size);
}

void NAME(destroy)(PLAN *plan)
{
    if (plan) {
        const am_alloc alloc = plan->alloc;
        ami_pages_release(&alloc, plan->block, 1, plan->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// Forward

void NAME(band)(const PLAN *plan, int thread, int threads)
{
    const am_net_graph *g = plan->graph;
    for (int t = 0; t < g->tensor_count && plan->banded; t++) {
        const int m = g->tensors[t].rows, k = g->tensors[t].columns;
        const real *w = plan->weights + g->tensors[t].offset;
        if (plan->by_rows[t]) {
            const int bands = bands_of(m);
            plan->ops->band_rows(plan->by_rows[t], w, m, k, bands * thread / threads, bands * (thread + 1) / threads);
        }
        if (plan->by_columns[t]) {
            const int bands = bands_of(k);
            plan->ops->band_columns(plan->by_columns[t], w, m, k, bands * thread / threads,
                                    bands * (thread + 1) / threads);
        }
    }
}

static void turn(const PLAN *plan, int v, int slot, int block)
{
    const int width = width_of(plan, v), n = plan->columns;
    for (int r = 0; r < rows_of(plan, v); r++) {
        plan->ops->transpose(turned_at(plan, v, slot, block) + (ptrdiff_t)r * n * padded(width),
                             NAME(value)(plan, v, slot, block) + (ptrdiff_t)r * width * n, width, n);
    }
}

void NAME(forward)(const PLAN *plan, int slot, int block)
{
    const am_net_graph *g = plan->graph;
    for (int v = 0; v < g->value_count; v++) {
        const size_t bytes = plan->span[v] * sizeof(real);
        if (plan->seeded[v] && plan->grad[v]) {
            memset(NAME(grad)(plan, v, slot, block), 0, bytes);
        }
        if (g->values[v].role != AM_NET_STATE) {
            continue;
        }
        if (slot > 0 && g->values[v].next >= 0) {
            memcpy(NAME(value)(plan, v, slot, block), NAME(value)(plan, g->values[v].next, slot - 1, block), bytes);
        } else {
            memset(NAME(value)(plan, v, slot, block), 0, bytes);
        }
    }
    for (int o = 0; o < g->op_count; o++) {
        const pass p = pass_at(plan, o, slot, block);
        row_of(p.op)->forward(&p);
    }
}

#include "train/plan_back_body.h"
