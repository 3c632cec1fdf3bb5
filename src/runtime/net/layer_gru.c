// PyTorch's GRU cell: r = s(i_r + h_r), z = s(i_z + h_z), n = tanh(i_n + r h_n), h' = (1 - z) n + z h.
#include "net/run.h"
#include "net/build.h"

int ami_net_graph_gru(am_net_graph *graph, int x, int h)
{
    const int in[2] = { x, h };
    return ami_graph_add(graph, (am_net_op){ .kind = AM_NET_GRU }, in, 2, 1);
}

static const char *shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    const am_net_value *x = &values[op->in[0]], *h = &values[op->in[1]];
    if (x->rows != 1 || h->rows != 1) {
        return "cannot step a set";
    }
    if (h->width > AM_NET_MOST_WIDTH / 3) {
        return "is too wide";
    }
    out->out = (ami_net_dims){ 1, h->width };
    ami_net_add_tensor(out, 3 * h->width, x->width, AM_NET_MATRIX);
    ami_net_add_tensor(out, 3 * h->width, h->width, AM_NET_MATRIX);
    ami_net_add_tensor(out, 1, 3 * h->width, 0);
    ami_net_add_tensor(out, 1, 3 * h->width, 0);
    return NULL;
}

static void eval(const ami_net_eval *e)
{
    const float *const *t = e->tensor;
    const double *x = e->x, *h = ami_eval_row(e, e->op->in[1], 0);
    for (int i = 0, n = e->n, m = e->m; i < n; i++) {
        double gi[3], gh[3];
        for (int gate = 0; gate < 3; gate++) {
            gi[gate] = ami_eval_product(t[0], t[2], x, gate * n + i, m);
            gh[gate] = ami_eval_product(t[1], t[3], h, gate * n + i, n);
        }
        double reset = ami_eval_sigmoid(gi[0] + gh[0]), keep = ami_eval_sigmoid(gi[1] + gh[1]);
        double fresh = ami_eval_tanh(gi[2] + reset * gh[2]);
        e->y[i] = (1.0 - keep) * fresh + keep * h[i];
    }
}

static size_t scratch(const ami_net_step *step, const am_net_value *values)
{
    (void)values;
    return 2 * AMI_PANEL * step->matrix[0].panels;
}

static void run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    size_t n = ami_run_width(r);
    float *gi = r->work->scratch, *gh = gi + AMI_PANEL * r->step->matrix[0].panels;
    const float *h = ami_run_row(r, r->step->op->in[1], item);
    ami_run_product(r, gi, 0, &r->step->matrix[0], x, 0, 1);
    ami_run_product(r, gh, 0, &r->step->matrix[1], h, 0, 1);
    for (size_t i = 0; i < 2 * n; i++) {
        gi[i] += gh[i];
    }
    r->net->layers->activate(gi, 2 * n, AMI_ACT_SIGMOID);
    float *fresh = gi + 2 * n;
    for (size_t i = 0; i < n; i++) {
        fresh[i] += gi[i] * gh[2 * n + i];
    }
    r->net->layers->activate(fresh, n, AMI_ACT_TANH);
    for (size_t i = 0; i < n; i++) {
        y[i] = (1.0f - gi[n + i]) * fresh[i] + gi[n + i] * h[i];
    }
}

const ami_net_layer ami_net_layer_gru = { .name = "gru",
                                          .tensors = { { "weight_ih", .bound_by = 1 },
                                                       { "weight_hh", .bound_by = 1 },
                                                       { "bias_ih", .bound_by = 1 },
                                                       { "bias_hh", .bound_by = 1 } },
                                          .products = { { 0, 2, 0 }, { 1, 3, 1 } },
                                          .product_count = 2,
                                          .least_in = 2,
                                          .most_in = 2,
                                          .shape = shape,
                                          .eval = eval,
                                          .run = run,
                                          .scratch = scratch };
