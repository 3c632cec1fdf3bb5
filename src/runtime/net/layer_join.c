// Values put together and taken apart: concat, add, slice, choose, and the constant that stands in for one.
#include "net/run.h"
#include "net/build.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Concat

int ami_net_graph_concat(am_net_graph *graph, const int *values, int count)
{
    return ami_graph_add(graph, (am_net_op){ .kind = AM_NET_CONCAT }, values, count, 1);
}

static const char *concat_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    int64_t sum = 0;
    for (int i = 0; i < ami_net_in_count(op); i++) {
        if (values[op->in[i]].rows != out->out.rows) {
            return "joins sets of different rows";
        }
        sum += values[op->in[i]].width;
    }
    if (sum > AM_NET_MOST_WIDTH) {
        return "is too wide";
    }
    out->out.columns = (int32_t)sum;
    return NULL;
}

static void concat_eval(const ami_net_eval *e)
{
    double *y = e->y;
    for (int i = 0; i < ami_net_in_count(e->op); i++) {
        int width = e->graph->values[e->op->in[i]].width;
        memcpy(y, ami_eval_row(e, e->op->in[i], e->row), (size_t)width * sizeof *y);
        y += width;
    }
}

static void concat_run(const ami_net_run *r, float *y, const float *x, size_t item)
{
    (void)x;
    for (int i = 0; i < r->step->in_count; i++) {
        int value = r->step->op->in[i];
        size_t width = (size_t)r->net->places[value].width;
        memcpy(y, ami_run_row(r, value, item), width * sizeof *y);
        y += width;
    }
}

const ami_net_layer ami_net_layer_concat = { .name = "concat",
                                             .least_in = 1,
                                             .most_in = AM_NET_MOST_IN,
                                             .shape = concat_shape,
                                             .eval = concat_eval,
                                             .run = concat_run };

// ---------------------------------------------------------------------------------------------
// Add

int ami_net_graph_add(am_net_graph *graph, int a, int b)
{
    const int in[2] = { a, b };
    return ami_graph_add(graph, (am_net_op){ .kind = AM_NET_ADD }, in, 2, 1);
}

static const char *add_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    const am_net_value *other = &values[op->in[1]];
    return other->rows != out->out.rows || other->width != out->out.columns ? "adds values of different sizes" : NULL;
}

static void add_eval(const ami_net_eval *e)
{
    const double *other = ami_eval_row(e, e->op->in[1], e->row);
    for (int i = 0; i < e->n; i++) {
        e->y[i] = e->x[i] + other[i];
    }
}

static void add_run(const ami_net_run *r, float *y, const float *x, size_t item)
{
    const float *other = ami_run_row(r, r->step->op->in[1], item);
    for (size_t i = 0, n = ami_run_width(r); i < n; i++) {
        y[i] = x[i] + other[i];
    }
}

const ami_net_layer ami_net_layer_add = {
    .name = "add", .least_in = 2, .most_in = 2, .in_place = true, .shape = add_shape, .eval = add_eval, .run = add_run
};

// ---------------------------------------------------------------------------------------------
// Slice

int ami_net_graph_slice(am_net_graph *graph, int x, int first, int width)
{
    am_net_op op = { .kind = AM_NET_SLICE, .size = { first } };
    return ami_graph_add(graph, op, &x, 1, width);
}

static const char *slice_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    out->out.columns = width;
    bool inside = op->size[0] >= 0 && op->size[0] <= values[op->in[0]].width - width;
    return inside ? NULL : "reaches beyond what it cuts";
}

static void slice_eval(const ami_net_eval *e) { memcpy(e->y, e->x + e->op->size[0], (size_t)e->n * sizeof *e->y); }

static void slice_run(const ami_net_run *r, float *y, const float *x, size_t item)
{
    (void)item;
    memcpy(y, x + r->step->op->size[0], ami_run_width(r) * sizeof *y);
}

const ami_net_layer ami_net_layer_slice = {
    .name = "slice", .least_in = 1, .most_in = 1, .shape = slice_shape, .eval = slice_eval, .run = slice_run
};

// ---------------------------------------------------------------------------------------------
// Choose

int ami_net_graph_choose(am_net_graph *graph, int index, const int *values, int count)
{
    int in[AM_NET_MOST_IN];
    if (count < 1 || count >= AM_NET_MOST_IN) {
        return ami_graph_fault(graph, AM_ERR_LIMIT, "chooses between 1 to %d values", AM_NET_MOST_IN - 1);
    }
    in[0] = index;
    memcpy(in + 1, values, (size_t)count * sizeof *in);
    return ami_graph_add(graph, (am_net_op){ .kind = AM_NET_CHOOSE }, in, count + 1, 1);
}

static const char *choose_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    const am_net_value *index = &values[op->in[0]], *one = &values[op->in[1]];
    out->out = (ami_net_dims){ 1, one->width };
    for (int i = 1; i < ami_net_in_count(op); i++) {
        if (values[op->in[i]].rows != 1 || values[op->in[i]].width != one->width) {
            return "chooses between values of different sizes";
        }
    }
    return index->rows != 1 || index->width != 1 ? "chooses by an index that is no single number" : NULL;
}

static int choose_choices(const am_net_op *op, const am_net_value *values)
{
    (void)values;
    return ami_net_in_count(op) - 1;
}

static void choose_eval(const ami_net_eval *e)
{
    double x = e->x[0];
    int count = ami_net_in_count(e->op) - 1;
    int index = x > -0.5 && x < 1e6 ? (int)(x + 0.5) : count;
    if (index < count) {
        memcpy(e->y, ami_eval_row(e, e->op->in[1 + index], 0), (size_t)e->n * sizeof *e->y);
    } else {
        memset(e->y, 0, (size_t)e->n * sizeof *e->y);
    }
}

static void choose_run(const ami_net_run *r, float *y, const float *x, size_t item)
{
    int count = r->step->in_count - 1;
    int index = ami_run_index(x[0], count);
    size_t bytes = ami_run_width(r) * sizeof *y;
    if (index >= 0 && index < count) {
        memcpy(y, ami_run_row(r, r->step->op->in[1 + index], item), bytes);
    } else {
        memset(y, 0, bytes);
    }
}

const ami_net_layer ami_net_layer_choose = { .name = "choose",
                                             .least_in = 2,
                                             .most_in = AM_NET_MOST_IN,
                                             .whole_in = 1u << 0,
                                             .shape = choose_shape,
                                             .choices = choose_choices,
                                             .eval = choose_eval,
                                             .run = choose_run };

// ---------------------------------------------------------------------------------------------
// Constant

int ami_net_graph_constant(am_net_graph *graph, int width)
{
    const int none[1] = { -1 };
    return ami_graph_add(graph, (am_net_op){ .kind = AM_NET_CONSTANT }, none, 0, width);
}

static const char *constant_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)op, (void)values;
    out->out = (ami_net_dims){ 1, width };
    ami_net_tensor(out, 1, width, 0);
    return NULL;
}

static void constant_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = e->tensor[0][i];
    }
}

static void constant_run(const ami_net_run *r, float *y, const float *x, size_t item)
{
    (void)x, (void)item;
    memcpy(y, r->step->vector[0], ami_run_width(r) * sizeof *y);
}

const ami_net_layer ami_net_layer_constant = { .name = "constant",
                                               .tensors = { { .name = "value" } },
                                               .shape = constant_shape,
                                               .eval = constant_eval,
                                               .run = constant_run };
