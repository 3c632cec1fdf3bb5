// Values put together and taken apart: concat, add, slice, rows, choose, and the constant that stands in for one.
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

static void concat_run(const ami_net_pass *r, float *y, const float *x, size_t item)
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

static void add_run(const ami_net_pass *r, float *y, const float *x, size_t item)
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

static void slice_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    memcpy(y, x + r->step->op->size[0], ami_run_width(r) * sizeof *y);
}

const ami_net_layer ami_net_layer_slice = {
    .name = "slice", .least_in = 1, .most_in = 1, .shape = slice_shape, .eval = slice_eval, .run = slice_run
};

// ---------------------------------------------------------------------------------------------
// Rows

int ami_net_graph_rows(am_net_graph *graph, int x, int first, int rows, int width)
{
    am_net_op op = { .kind = AM_NET_ROWS, .size = { first, rows } };
    return ami_graph_add(graph, op, &x, 1, width);
}

static const char *rows_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    const am_net_value *x = &values[op->in[0]];
    int64_t first = op->size[0], rows = op->size[1];
    if (x->rows != 1 || rows < 1 || rows > AM_NET_MOST_ROWS || first < 0 || first + rows * width > x->width) {
        return "reaches beyond the vector that it reads as a set";
    }
    out->out = (ami_net_dims){ (int32_t)rows, width };
    return NULL;
}

static void rows_eval(const ami_net_eval *e)
{
    const double *x = ami_eval_row(e, e->op->in[0], 0) + e->op->size[0];
    memcpy(e->y, x + (size_t)e->row * (size_t)e->n, (size_t)e->n * sizeof *e->y);
}

static void rows_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    const am_net_op *op = r->step->op;
    size_t row = item % (size_t)op->size[1], width = ami_run_width(r);
    memcpy(y, x + (size_t)op->size[0] + row * width, width * sizeof *y);
}

const ami_net_layer ami_net_layer_rows = {
    .name = "rows", .least_in = 1, .most_in = 1, .shape = rows_shape, .eval = rows_eval, .run = rows_run
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
    out->out.columns = one->width;
    for (int i = 1; i < ami_net_in_count(op); i++) {
        if (values[op->in[i]].rows != index->rows || values[op->in[i]].width != one->width) {
            return "chooses between values of different sizes";
        }
    }
    return index->width != 1 ? "chooses by an index that is no single number" : NULL;
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
        memcpy(e->y, ami_eval_row(e, e->op->in[1 + index], e->row), (size_t)e->n * sizeof *e->y);
    } else {
        memset(e->y, 0, (size_t)e->n * sizeof *e->y);
    }
}

static void choose_run(const ami_net_pass *r, float *y, const float *x, size_t item)
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

int ami_net_graph_constant(am_net_graph *graph, int rows, int width)
{
    const int none[1] = { -1 };
    am_net_op op = { .kind = AM_NET_CONSTANT, .size = { rows > 1 ? rows : 0 } };
    return ami_graph_add(graph, op, none, 0, width);
}

static const char *constant_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)values;
    if (op->size[0] < 0 || op->size[0] > AM_NET_MOST_ROWS) {
        return "has rows out of range";
    }
    out->out = (ami_net_dims){ op->size[0] ? op->size[0] : 1, width };
    ami_net_add_tensor(out, 1, width, 0);
    return NULL;
}

static void constant_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = e->tensor[0][i];
    }
}

static void constant_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)x, (void)item;
    memcpy(y, r->step->vector[0], ami_run_width(r) * sizeof *y);
}

const ami_net_layer ami_net_layer_constant = { .name = "constant",
                                               .tensors = { { .name = "value" } },
                                               .shape = constant_shape,
                                               .eval = constant_eval,
                                               .run = constant_run };
