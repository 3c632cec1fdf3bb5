// Encodings of an index, a count or a position.
#include "net/run.h"
#include "net/build.h"

#include <amble/math.h>

// ---------------------------------------------------------------------------------------------
// One-hot and count

int ami_net_graph_encode(am_net_graph *graph, int x, am_net_kind kind, int width)
{
    if (kind != AM_NET_ONE_HOT && kind != AM_NET_COUNT) {
        return ami_graph_fault(graph, AM_ERR_DEF, "%s is no encoding of an index", am_net_kind_name((int)kind));
    }
    return ami_graph_add_plain(graph, kind, x, width);
}

static const char *encode_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    out->out.columns = width;
    bool odd = op->kind == AM_NET_WAVES && width % 2 != 0;
    return values[op->in[0]].width == 1 && !odd ? NULL
                                                : "encodes a value that is no single number, or in an odd width";
}

static int encode_choices(const am_net_op *op, const am_net_value *values) { return values[op->out].width; }

static void encode_eval(const ami_net_eval *e)
{
    double x = e->x[0];
    int index = x > -0.5 && x < e->n ? (int)(x + 0.5) : x >= e->n ? e->n : -1;
    for (int i = 0; i < e->n; i++) {
        e->y[i] = (e->op->kind == AM_NET_ONE_HOT ? i == index : i < index) ? 1.0 : 0.0;
    }
}

static void one_hot_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    int width = (int)ami_run_width(r), index = ami_run_index(x[0], width + 1);
    for (int i = 0; i < width; i++) {
        y[i] = i == index ? 1.0f : 0.0f;
    }
}

static void count_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    int width = (int)ami_run_width(r), index = ami_run_index(x[0], width + 1);
    for (int i = 0; i < width; i++) {
        y[i] = i < index ? 1.0f : 0.0f;
    }
}

const ami_net_layer ami_net_layer_one_hot = { .name = "one-hot",
                                              .least_in = 1,
                                              .most_in = 1,
                                              .whole_in = 1u << 0,
                                              .shape = encode_shape,
                                              .choices = encode_choices,
                                              .eval = encode_eval,
                                              .run = one_hot_run };

const ami_net_layer ami_net_layer_count = { .name = "count",
                                            .least_in = 1,
                                            .most_in = 1,
                                            .whole_in = 1u << 0,
                                            .shape = encode_shape,
                                            .choices = encode_choices,
                                            .eval = encode_eval,
                                            .run = count_run };

// ---------------------------------------------------------------------------------------------
// Positions

static const char *check_divisor(const am_net_op *op)
{
    return op->number[0] >= 1e-6f && op->number[0] <= 1e9f ? NULL : "divides by a number out of range";
}

int ami_net_graph_fraction(am_net_graph *graph, int x, float n)
{
    am_net_op op = { .kind = AM_NET_FRACTION, .number = { n } };
    return ami_graph_add(graph, op, &x, 1, 1);
}

static const char *fraction_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)out, (void)values, (void)width;
    return check_divisor(op);
}

static void fraction_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = e->x[i] / e->op->number[0];
    }
}

static void fraction_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    for (size_t i = 0, n = ami_run_width(r); i < n; i++) {
        y[i] = x[i] / r->step->op->number[0];
    }
}

const ami_net_layer ami_net_layer_fraction = { .name = "fraction",
                                               .least_in = 1,
                                               .most_in = 1,
                                               .in_place = true,
                                               .shape = fraction_shape,
                                               .eval = fraction_eval,
                                               .run = fraction_run };

int ami_net_graph_waves(am_net_graph *graph, int x, int width, float n)
{
    am_net_op op = { .kind = AM_NET_WAVES, .number = { n } };
    return ami_graph_add(graph, op, &x, 1, width);
}

static const char *waves_shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    const char *wrong = encode_shape(out, op, values, width);
    return wrong ? wrong : check_divisor(op);
}

static void waves_eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        // n^(-2i/width), the frequency rounded to float as the runtime keeps it
        float f = am_exp(-(float)(i - i % 2) / (float)e->n * am_log(e->op->number[0]));
        float angle = (float)e->x[0] * f;
        e->y[i] = (double)(i % 2 ? am_cos(angle) : am_sin(angle));
    }
}

static void waves_run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    int width = (int)ami_run_width(r);
    float rate = am_log(r->step->op->number[0]);
    for (int i = 0; i < width; i++) {
        float angle = x[0] * am_exp(-(float)(i - i % 2) / (float)width * rate);
        y[i] = i % 2 ? am_cos(angle) : am_sin(angle);
    }
}

const ami_net_layer ami_net_layer_waves = {
    .name = "waves", .least_in = 1, .most_in = 1, .shape = waves_shape, .eval = waves_eval, .run = waves_run
};
