// Evaluates a graph in double, straight from the definitions in net.h. Slow and clear: the fast version, the exports
// and PyTorch's tensors are compared with it.
#include "net/graph.h"
#include "net/build.h"

#include <amble/math.h>

#include <string.h>

/// exp, erf, tanh in double from series and the library's own float functions would lose digits; these keep 1e-12.
static double exp_of(double x)
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

static double tanh_of(double x)
{
    double e = exp_of(-2.0 * (x < 0.0 ? -x : x));
    double t = (1.0 - e) / (1.0 + e);
    return x < 0.0 ? -t : t;
}

/// erf x = 2 / sqrt pi * exp(-x^2) * sum of 2^n x^(2n + 1) / (2n + 1)!!, which has no cancellation.
static double erf_of(double x)
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
    double e = 1.1283791670955126 * exp_of(-a * a) * sum;
    return x < 0.0 ? -e : e;
}

static double activate(int kind, double x)
{
    switch (kind) {
    case AM_NET_RELU:
        return x > 0.0 ? x : 0.0;
    case AM_NET_ELU:
        return x > 0.0 ? x : exp_of(x) - 1.0;
    case AM_NET_GELU:
        return 0.5 * x * (1.0 + erf_of(x * 0.70710678118654752));
    case AM_NET_TANH:
        return tanh_of(x);
    default:
        return 1.0 / (1.0 + exp_of(-x));
    }
}

/// y(n) = W(n, m) x(m) + b(n)
static void product(double *y, const float *w, const float *b, const double *x, int n, int m)
{
    for (int r = 0; r < n; r++) {
        double sum = b[r];
        for (int c = 0; c < m; c++) {
            sum += (double)w[(size_t)r * (size_t)m + (size_t)c] * x[c];
        }
        y[r] = sum;
    }
}

static void layer_norm(double *y, const double *x, const float *gain, const float *shift, int n, double eps)
{
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        mean += x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        square += (x[i] - mean) * (x[i] - mean) / n;
    }
    for (int i = 0; i < n; i++) {
        y[i] = (x[i] - mean) / sqrt(square + eps) * gain[i] + shift[i];
    }
}

/// One row of W x + b.
static double row_of(const float *w, const float *b, const double *x, int row, int m)
{
    double y;
    product(&y, w + (size_t)row * (size_t)m, b + row, x, 1, m);
    return y;
}

/// h'(n) of x(m), h(n)
static void gru(double *out, const double *x, const double *h, const float *const t[], int n, int m)
{
    for (int i = 0; i < n; i++) {
        double reset = activate(AM_NET_SIGMOID, row_of(t[0], t[2], x, i, m) + row_of(t[1], t[3], h, i, n));
        double keep = activate(AM_NET_SIGMOID, row_of(t[0], t[2], x, n + i, m) + row_of(t[1], t[3], h, n + i, n));
        double fresh = tanh_of(row_of(t[0], t[2], x, 2 * n + i, m) + reset * row_of(t[1], t[3], h, 2 * n + i, n));
        out[i] = (1.0 - keep) * fresh + keep * h[i];
    }
}

/// How many rows of a set are in use.
static int used_rows(double count, int most)
{
    int used = count > 0.0 ? (int)(count < most ? count + 0.5 : most) : 0;
    return used < most ? used : most;
}

/// q . k / sqrt(key) of two rows of a set, one head
static double score(const double *a, const double *b, const float *const t[], int head, int key, int m)
{
    double sum = 0.0;
    for (int d = 0; d < key; d++) {
        sum += row_of(t[0], t[1], a, head * key + d, m) * row_of(t[2], t[3], b, head * key + d, m);
    }
    return sum / sqrt((double)key);
}

static void attention(double *out, const double *set, int used, const float *const t[], const am_net_op *op, int m)
{
    int heads = op->size[0], key = op->size[1], value = op->size[2];
    memset(out, 0, (size_t)(heads * value) * sizeof *out);
    for (int head = 0; head < heads; head++) {
        for (int i = 0; i < used; i++) {
            double total = 0.0, most = -1e300;
            for (int j = 0; j < used; j++) {
                double s = score(set + (size_t)i * (size_t)m, set + (size_t)j * (size_t)m, t, head, key, m);
                most = s > most ? s : most;
            }
            for (int j = 0; j < used; j++) {
                double s = score(set + (size_t)i * (size_t)m, set + (size_t)j * (size_t)m, t, head, key, m);
                total += exp_of(s - most);
            }
            for (int j = 0; j < used; j++) {
                const double *x = set + (size_t)j * (size_t)m;
                double s = score(set + (size_t)i * (size_t)m, x, t, head, key, m);
                double weight = exp_of(s - most) / total / used;
                for (int d = 0; d < value; d++) {
                    out[head * value + d] += weight * row_of(t[4], t[5], x, head * value + d, m);
                }
            }
        }
    }
}

static void encode(double *y, const am_net_op *op, double x, int width)
{
    int index = x > -0.5 && x < width ? (int)(x + 0.5) : x >= width ? width : -1;
    for (int i = 0; i < width; i++) {
        if (op->kind == AM_NET_ONE_HOT) {
            y[i] = i == index ? 1.0 : 0.0;
        } else if (op->kind == AM_NET_COUNT) {
            y[i] = i < index ? 1.0 : 0.0;
        } else {
            // n^(-2i/width), the frequency rounded to float as the runtime keeps it
            float f = am_exp(-(float)(i - i % 2) / (float)width * am_log(op->number[0]));
            float angle = (float)x * f;
            y[i] = (double)(i % 2 ? am_cos(angle) : am_sin(angle));
        }
    }
}

typedef struct step {
    const am_net_graph *graph;
    const am_net_op *op;
    double *const *values;
    int sample;
} step;

/// The numbers of one row of a value.
static double *row_at(const step *s, int value, int row)
{
    const am_net_value *v = &s->graph->values[value];
    return s->values[value] + ((size_t)s->sample * (size_t)v->rows + (size_t)row) * (size_t)v->width;
}

static void join(const step *s, double *y, int row)
{
    for (int i = 0; i < ami_net_in_count(s->op); i++) {
        int width = s->graph->values[s->op->in[i]].width;
        memcpy(y, row_at(s, s->op->in[i], row), (size_t)width * sizeof *y);
        y += width;
    }
}

static void choose(const step *s, double *y, double x, int n)
{
    int count = ami_net_in_count(s->op) - 1;
    int index = x > -0.5 && x < 1e6 ? (int)(x + 0.5) : count;
    if (index < count) {
        memcpy(y, row_at(s, s->op->in[1 + index], 0), (size_t)n * sizeof *y);
    } else {
        memset(y, 0, (size_t)n * sizeof *y);
    }
}

/// Operations that go through a row number by number.
static void elementwise(const step *s, double *y, const double *x, const float *const t[], int row, int n)
{
    const am_net_op *op = s->op;
    const double *other = op->kind == AM_NET_ADD ? row_at(s, op->in[1], row) : NULL;
    for (int i = 0; i < n; i++) {
        switch (op->kind) {
        case AM_NET_ADD:
            y[i] = x[i] + other[i];
            break;
        case AM_NET_NORMALISE:
            y[i] = (x[i] - t[0][i]) * t[1][i];
            break;
        case AM_NET_RESTORE:
            y[i] = x[i] * t[1][i] + t[0][i];
            break;
        case AM_NET_FRACTION:
            y[i] = x[i] / op->number[0];
            break;
        case AM_NET_SLICE:
            y[i] = x[op->size[0] + i];
            break;
        case AM_NET_CONSTANT:
            y[i] = t[0][i];
            break;
        default:
            y[i] = activate(op->kind, x[i]);
        }
    }
}

static void run_row(const step *s, int row)
{
    const am_net_graph *g = s->graph;
    const am_net_op *op = s->op;
    const float *t[AM_NET_MOST_TENSORS];
    for (int i = 0; i < AM_NET_MOST_TENSORS; i++) {
        t[i] = op->tensor[i] >= 0 ? g->weights + g->tensors[op->tensor[i]].offset : NULL;
    }
    double *y = row_at(s, op->out, row);
    int n = g->values[op->out].width;
    const double *x = op->in[0] >= 0 ? row_at(s, op->in[0], row) : NULL;
    int m = op->in[0] >= 0 ? g->values[op->in[0]].width : 0;
    switch (op->kind) {
    case AM_NET_LINEAR:
        product(y, t[0], t[1], x, n, m);
        break;
    case AM_NET_LAYER_NORM:
        layer_norm(y, x, t[0], t[1], n, (double)op->number[0]);
        break;
    case AM_NET_CONCAT:
        join(s, y, row);
        break;
    case AM_NET_GRU:
        gru(y, x, row_at(s, op->in[1], 0), t, n, m);
        break;
    case AM_NET_ATTENTION:
        attention(y, x, used_rows(row_at(s, op->in[1], 0)[0], g->values[op->in[0]].rows), t, op, m);
        break;
    case AM_NET_ONE_HOT:
    case AM_NET_COUNT:
    case AM_NET_WAVES:
        encode(y, op, x[0], n);
        break;
    case AM_NET_CHOOSE:
        choose(s, y, x[0], n);
        break;
    default:
        elementwise(s, y, x, t, row, n);
    }
}

void ami_graph_eval_op(const am_net_graph *graph, int op, double *const *values, int batch)
{
    step s = { graph, &graph->ops[op], values, 0 };
    int rows = graph->values[graph->ops[op].out].rows;
    for (s.sample = 0; s.sample < batch; s.sample++) {
        for (int row = 0; row < rows; row++) {
            run_row(&s, row);
        }
    }
}

void ami_net_graph_eval(const am_net_graph *graph, double *const *values, int batch)
{
    for (int i = 0; i < graph->op_count; i++) {
        ami_graph_eval_op(graph, i, values, batch);
    }
}
