// Makes a network ready to run: tensors are resolved to panels, values to places in the work memory, which are shared
// as soon as their value is no longer read.
#include "net/net.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/build.h"

#include <string.h>

void am_net_def_init(am_net_def *def) { *def = (am_net_def){ .mode = AM_NET_EXACT, .cookie = AM_COOKIE }; }

static size_t up16(size_t n) { return (n + 15) / 16 * 16; }

// ---------------------------------------------------------------------------------------------
// Tensors

static const float *vector_at(const am_net *net, int tensor)
{
    const am_net_tensor *t = net->model->own->tensors + net->part->tensor_first + tensor;
    return (const float *)(const void *)(net->model->own->body + t->offset);
}

/// Matrix of tensor `weight` of an operation with the bias in its tensor `bias`.
static ami_matrix matrix_at(const am_net *net, const am_net_op *op, int weight, int bias)
{
    const am_net_tensor *t = net->model->own->tensors + net->part->tensor_first + op->tensor[weight];
    return ami_net_matrix(net->model, net->part, t, vector_at(net, op->tensor[bias]));
}

/// Largest integer so that no sum of n products with 8-bit weights leaves 32 bits.
static int most_for(size_t n)
{
    size_t most = 2147483647u / (128 * n);
    return most < 32767 ? (int)most : 32767;
}

static void resolve(am_net *net, ami_net_step *step)
{
    const am_net_op *op = step->op;
    const ami_net_layer *layer = ami_net_layer_of(op->kind);
    step->layer = layer;
    step->in_count = ami_net_in_count(op);
    step->quant_most = 32767;
    for (int m = 0; m < layer->product_count; m++) {
        step->matrix[m] = matrix_at(net, op, layer->products[m].weight, layer->products[m].bias);
        int most = most_for(step->matrix[m].n_in);
        step->quant_most = most < step->quant_most ? most : step->quant_most;
        size_t wide = up16(step->matrix[m].n_in);
        net->most_in = wide > net->most_in ? wide : net->most_in;
    }
    for (int t = 0; t < AM_NET_MOST_TENSORS && op->tensor[t] >= 0; t++) {
        const am_net_tensor *tensor = net->model->own->tensors + net->part->tensor_first + op->tensor[t];
        step->vector[t] = tensor->flags & AM_NET_MATRIX ? NULL : vector_at(net, op->tensor[t]);
    }
    if (op->in[0] >= 0) {
        size_t rows = layer->items ? layer->items(op) : (size_t)net->values[op->in[0]].rows;
        net->most_rows = rows > net->most_rows ? rows : net->most_rows;
    }
    size_t scratch = layer->scratch ? layer->scratch(step, net->values) : 0;
    net->scratch = scratch > net->scratch ? scratch : net->scratch;
}

// ---------------------------------------------------------------------------------------------
// Places

/// Memory that a value frees after its last reader.
typedef struct gap {
    size_t slot, size;
} gap;

typedef struct placing {
    am_net *net;
    int *last; ///< [value] the last operation that reads it; op_count for those that stay
    gap *gaps; ///< [value_count]
    int gap_count;
} placing;

static size_t size_of(const am_net *net, int v) { return net->places[v].stride * (size_t)net->places[v].rows; }

static void give_back(placing *p, int v)
{
    p->gaps[p->gap_count++] = (gap){ p->net->places[v].slot, size_of(p->net, v) };
}

/// The smallest gap that is large enough, or new memory.
static void take_slot(placing *p, int v)
{
    size_t size = size_of(p->net, v);
    int best = -1;
    for (int g = 0; g < p->gap_count; g++) {
        if (p->gaps[g].size >= size && (best < 0 || p->gaps[g].size < p->gaps[best].size)) {
            best = g;
        }
    }
    if (best < 0) {
        p->net->places[v].slot = p->net->slot_size;
        p->net->slot_size += size;
        return;
    }
    // A batch spreads the slot to slot * most_batch: a value may only take the whole of a gap's start.
    p->net->places[v].slot = p->gaps[best].slot;
    p->gaps[best].slot += size;
    p->gaps[best].size -= size;
}

static void find_last(placing *p)
{
    const am_net *net = p->net;
    for (int v = 0; v < net->part->value_count; v++) {
        p->last[v] = -1;
    }
    for (int i = 0; i < net->part->op_count; i++) {
        for (int k = 0; k < net->steps[i].in_count; k++) {
            p->last[net->steps[i].op->in[k]] = i;
        }
    }
    for (int v = 0; v < net->part->value_count; v++) {
        if (net->values[v].role != AM_NET_INNER || net->values[v].output >= 0) {
            p->last[v] = net->part->op_count;
        }
        if (net->values[v].next >= 0) {
            p->last[net->values[v].next] = net->part->op_count;
        }
    }
}

static void place_values(placing *p)
{
    am_net *net = p->net;
    find_last(p);
    for (int v = 0; v < net->part->value_count; v++) {
        const am_net_value *value = &net->values[v];
        net->places[v] =
            (ami_net_place){ .stride = up16((size_t)value->width), .rows = value->rows, .width = value->width };
        if (value->role != AM_NET_INNER) {
            take_slot(p, v);
        }
    }
    for (int i = 0; i < net->part->op_count; i++) {
        ami_net_step *step = &net->steps[i];
        const am_net_op *op = step->op;
        step->in_place = step->layer->in_place && p->last[op->in[0]] == i;
        if (step->in_place) {
            net->places[op->out].slot = net->places[op->in[0]].slot;
        } else {
            take_slot(p, op->out);
        }
        for (int k = 0; k < step->in_count; k++) {
            bool again = false;
            for (int j = 0; j < k; j++) {
                again = again || op->in[j] == op->in[k];
            }
            if (p->last[op->in[k]] == i && !again && !(step->in_place && k == 0)) {
                give_back(p, op->in[k]);
            }
        }
        if (p->last[op->out] < 0) {
            p->last[op->out] = net->part->op_count; // never read: it keeps its place
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The whole

typedef struct block {
    am_net *net;
    ami_net_step *steps;
    ami_net_place *places;
    int *inputs, *outputs, *states;
    int *last;
    gap *gaps;
} block;

static block lay_out(ami_layout *layout, const am_model_part *part)
{
    size_t values = (size_t)part->value_count;
    block b;
    b.net = ami_layout_take(layout, 1, sizeof(am_net));
    b.steps = ami_layout_take(layout, (size_t)part->op_count, sizeof(ami_net_step));
    b.places = ami_layout_take(layout, values, sizeof(ami_net_place));
    b.inputs = ami_layout_take(layout, values, sizeof(int));
    b.outputs = ami_layout_take(layout, values, sizeof(int));
    b.states = ami_layout_take(layout, values, sizeof(int));
    b.last = ami_layout_take(layout, values, sizeof(int));
    b.gaps = ami_layout_take(layout, 2 * values, sizeof(gap));
    return b;
}

static void list_values(am_net *net)
{
    for (int v = 0; v < net->part->value_count; v++) {
        if (net->values[v].role == AM_NET_INPUT) {
            net->inputs[net->input_count++] = v;
        }
        if (net->values[v].role == AM_NET_STATE) {
            net->states[net->state_count++] = v;
            net->state_size += (size_t)net->values[v].width;
        }
        if (net->values[v].output >= 0) {
            net->outputs[net->values[v].output] = v;
            net->output_count++;
        }
    }
}

static am_result check_def(const am_net_def *def, const ami_layers **layers, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->model || def->part < 0 || def->part >= def->model->part_count) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the net def with am_net_def_init() and give it a model and one of its parts");
    }
    bool fused = def->mode == AM_NET_FAST;
    *layers = def->kernels ? ami_layers_named(def->kernels, fused) : ami_layers_pick(fused);
    if (!*layers) {
        return ami_fail(err, AM_ERR_SUPPORT, "this machine has no kernels called '%s'", def->kernels);
    }
    return AM_OK;
}

am_result am_net_create(am_net **out, const am_net_def *def, am_error *err)
{
    *out = NULL;
    const ami_layers *layers = NULL;
    am_result result = check_def(def, &layers, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    const am_model_part *part = &def->model->parts[def->part];
    ami_layout measure = { 0 };
    lay_out(&measure, part);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    block b = lay_out(&place, part);
    am_net *net = b.net;
    *net = (am_net){ .alloc = alloc,
                     .block_size = measure.size,
                     .model = def->model,
                     .part = part,
                     .values = def->model->own->values + part->value_first,
                     .layers = layers,
                     .kernels = ami_kernels_pick(),
                     .steps = b.steps,
                     .places = b.places,
                     .inputs = b.inputs,
                     .outputs = b.outputs,
                     .states = b.states,
                     .most_in = 16,
                     .most_rows = 1,
                     .half = part->weights == AM_NET_FP16,
                     .quant = part->weights == AM_NET_INT8 };
    for (int i = 0; i < part->op_count; i++) {
        net->steps[i].op = def->model->own->ops + part->op_first + i;
        resolve(net, &net->steps[i]);
    }
    list_values(net);
    placing p = { net, b.last, b.gaps, 0 };
    place_values(&p);
    *out = net;
    return AM_OK;
}

void am_net_destroy(am_net *net)
{
    if (net) {
        am_alloc alloc = net->alloc;
        ami_release(&alloc, net, net->block_size);
    }
}

int ami_net_input_count(const am_net *net) { return net->input_count; }
int ami_net_output_count(const am_net *net) { return net->output_count; }
int am_net_state_size(const am_net *net) { return (int)net->state_size; }

static int size_at(const am_net *net, int v) { return net->values[v].rows * net->values[v].width; }
int am_net_input_size(const am_net *net, int input) { return size_at(net, net->inputs[input]); }
int am_net_output_size(const am_net *net, int output) { return size_at(net, net->outputs[output]); }

static int find(const am_net *net, const int *list, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(net->values[list[i]].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int am_net_input_find(const am_net *net, const char *name) { return find(net, net->inputs, net->input_count, name); }
int am_net_output_find(const am_net *net, const char *name)
{
    return find(net, net->outputs, net->output_count, name);
}
