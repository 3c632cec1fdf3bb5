// y = W x + b, also of each row of a set.
#include "net/run.h"
#include "net/build.h"

int ami_net_graph_linear(am_net_graph *graph, int x, int width)
{
    return ami_graph_add_plain(graph, AM_NET_LINEAR, x, width);
}

static const char *shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    out->out.columns = width;
    ami_net_add_tensor(out, width, values[op->in[0]].width, AM_NET_MATRIX);
    ami_net_add_tensor(out, 1, width, 0);
    return NULL;
}

static void eval(const ami_net_eval *e)
{
    for (int i = 0; i < e->n; i++) {
        e->y[i] = ami_eval_product(e->tensor[0], e->tensor[1], e->x, i, e->m);
    }
}

static void run_all(const ami_net_pass *r)
{
    const am_net_op *op = r->step->op;
    const ami_net_place *in = &r->net->places[op->in[0]], *out = &r->net->places[op->out];
    ami_run_product(r, ami_run_row(r, op->out, 0), out->stride, &r->step->matrix[0], ami_run_row(r, op->in[0], 0),
                    in->stride, r->batch * (size_t)in->rows);
}

const ami_net_layer ami_net_layer_linear = { .name = "linear",
                                             .tensors = { { .name = "weight" }, { .name = "bias" } },
                                             .products = { { 0, 1, 0 } },
                                             .product_count = 1,
                                             .least_in = 1,
                                             .most_in = 1,
                                             .build = ami_graph_add_plain,
                                             .sized = true,
                                             .shape = shape,
                                             .eval = eval,
                                             .run_all = run_all };
