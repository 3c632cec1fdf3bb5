// Evaluates a graph in double, straight from the definitions in net.h (each in the file of its layer). Slow and
// clear: the fast version, the exports and PyTorch's tensors are compared with it.
#include "net/layer.h"
#include "net/build.h"

#include <math.h>

/// exp, erf, tanh in double from series and the library's own float functions would lose digits; these keep 1e-12.
double ami_eval_exp(double x)
{
    if (x > 700.0 || x < -700.0 || x != x) {
        return x != x ? x : x > 0.0 ? 1e300 : 0.0;
    }
    // x = k ln 2 + r, |r| <= ln 2 / 2; the series of exp r ends below 1e-17 at term 18.
    double k = floor(x * 1.4426950408889634 + 0.5);
    double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double term = 1.0, sum = 1.0;
    for (int i = 1; i < 18; i++) {
        term *= r / i;
        sum += term;
    }
    int whole = (int)k;
    for (; whole > 0; whole--) {
        sum *= 2.0;
    }
    for (; whole < 0; whole++) {
        sum *= 0.5;
    }
    return sum;
}

double ami_eval_tanh(double x)
{
    double e = ami_eval_exp(-2.0 * (x < 0.0 ? -x : x));
    double t = (1.0 - e) / (1.0 + e);
    return x < 0.0 ? -t : t;
}

/// erf x = 2 / sqrt pi * exp(-x^2) * sum of 2^n x^(2n + 1) / (2n + 1)!!, which has no cancellation.
double ami_eval_erf(double x)
{
    double a = x < 0.0 ? -x : x;
    if (!(a < 6.0)) {
        return x != x ? x : x < 0.0 ? -1.0 : 1.0;
    }
    double term = a, sum = a;
    for (int n = 1; n < 200 && term > sum * 1e-17; n++) {
        term *= 2.0 * a * a / (2 * n + 1);
        sum += term;
    }
    double e = 1.1283791670955126 * ami_eval_exp(-a * a) * sum;
    return x < 0.0 ? -e : e;
}

double ami_eval_sigmoid(double x) { return 1.0 / (1.0 + ami_eval_exp(-x)); }

double ami_eval_product(const float *w, const float *b, const double *x, int row, int m)
{
    double sum = b[row];
    for (int c = 0; c < m; c++) {
        sum += (double)w[(size_t)row * (size_t)m + (size_t)c] * x[c];
    }
    return sum;
}

double *ami_eval_row(const ami_net_eval *e, int value, int row)
{
    const am_net_value *v = &e->graph->values[value];
    return e->values[value] + ((size_t)e->sample * (size_t)v->rows + (size_t)row) * (size_t)v->width;
}

void ami_graph_eval_op(const am_net_graph *graph, int o, double *const *values, int batch)
{
    const am_net_op *op = &graph->ops[o];
    const am_net_value *out = &graph->values[op->out], *in = op->in[0] >= 0 ? &graph->values[op->in[0]] : NULL;
    ami_net_eval e = { .graph = graph, .op = op, .values = values, .n = out->width, .m = in ? in->width : 0 };
    for (int t = 0; t < AM_NET_MOST_TENSORS && op->tensor[t] >= 0; t++) {
        e.tensor[t] = graph->weights + graph->tensors[op->tensor[t]].offset;
    }
    for (e.sample = 0; e.sample < batch; e.sample++) {
        for (e.row = 0; e.row < out->rows; e.row++) {
            e.y = ami_eval_row(&e, op->out, e.row);
            e.x = in ? ami_eval_row(&e, op->in[0], in->rows == out->rows ? e.row : 0) : NULL;
            ami_net_layer_of(op->kind)->eval(&e);
        }
    }
}

void ami_net_graph_eval(const am_net_graph *graph, double *const *values, int batch)
{
    for (int i = 0; i < graph->op_count; i++) {
        ami_graph_eval_op(graph, i, values, batch);
    }
}
