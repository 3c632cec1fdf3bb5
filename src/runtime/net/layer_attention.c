// Multi-head self-attention over the rows of a set in use, the mean over these rows, heads behind one another
// (Control Operators, eq. 12; the mean is our reading).
#include "net/run.h"
#include "net/build.h"

#include <amble/math.h>

#include <string.h>

int ami_net_graph_attention(am_net_graph *graph, int set, int count, int heads, int key, int value)
{
    const int in[2] = { set, count };
    am_net_op op = { .kind = AM_NET_ATTENTION, .size = { heads, key, value } };
    return ami_graph_add(graph, op, in, 2, 1);
}

static const char *shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    const am_net_value *set = &values[op->in[0]], *count = &values[op->in[1]];
    int32_t heads = op->size[0], key = op->size[1], value = op->size[2];
    if (heads < 1 || key < 1 || value < 1 || heads > 1024 || key > 4096 || value > 4096 ||
        heads * key > AM_NET_MOST_WIDTH || heads * value > AM_NET_MOST_WIDTH) {
        return "has heads, keys or values out of range";
    }
    if (count->rows != 1 || count->width != 1) {
        return "has a count that is no single number";
    }
    out->out = (ami_net_dims){ 1, heads * value };
    const int32_t rows[3] = { heads * key, heads * key, heads * value };
    for (int i = 0; i < 3; i++) {
        ami_net_add_tensor(out, rows[i], set->width, AM_NET_MATRIX);
        ami_net_add_tensor(out, 1, rows[i], 0);
    }
    return NULL;
}

static int choices(const am_net_op *op, const am_net_value *values) { return values[op->in[0]].rows + 1; }

// ---------------------------------------------------------------------------------------------
// In double

/// How many rows of a set are in use.
static int used_rows(double count, int most)
{
    int used = count > 0.0 ? (int)(count < most ? count + 0.5 : most) : 0;
    return used < most ? used : most;
}

/// q . k / sqrt(key) of rows i and j of the set, one head
static double score(const ami_net_eval *e, int head, int i, int j)
{
    int key = e->op->size[1];
    const double *a = e->x + (size_t)i * (size_t)e->m, *b = e->x + (size_t)j * (size_t)e->m;
    double sum = 0.0;
    for (int d = head * key; d < (head + 1) * key; d++) {
        sum += ami_eval_product(e->tensor[0], e->tensor[1], a, d, e->m) *
               ami_eval_product(e->tensor[2], e->tensor[3], b, d, e->m);
    }
    return sum / sqrt((double)key);
}

/// y += what row i of one head attends to.
static void eval_row(const ami_net_eval *e, int head, int i, int used)
{
    int value = e->op->size[2];
    double total = 0.0, most = -1e300;
    for (int j = 0; j < used; j++) {
        double s = score(e, head, i, j);
        most = s > most ? s : most;
    }
    for (int j = 0; j < used; j++) {
        total += ami_eval_exp(score(e, head, i, j) - most);
    }
    for (int j = 0; j < used; j++) {
        double weight = ami_eval_exp(score(e, head, i, j) - most) / total / used;
        for (int d = head * value; d < (head + 1) * value; d++) {
            const double *x = e->x + (size_t)j * (size_t)e->m;
            e->y[d] += weight * ami_eval_product(e->tensor[4], e->tensor[5], x, d, e->m);
        }
    }
}

static void eval(const ami_net_eval *e)
{
    int used = used_rows(ami_eval_row(e, e->op->in[1], 0)[0], e->graph->values[e->op->in[0]].rows);
    memset(e->y, 0, (size_t)e->n * sizeof *e->y);
    for (int head = 0; head < e->op->size[0]; head++) {
        for (int i = 0; i < used; i++) {
            eval_row(e, head, i, used);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// In a frame

static size_t up16(size_t n) { return (n + 15) / 16 * 16; }

static size_t scratch(const ami_net_step *step, const am_net_value *values)
{
    size_t rows = (size_t)values[step->op->in[0]].rows, width = 0;
    for (int m = 0; m < 3; m++) {
        width += step->matrix[m].panels * AMI_PANEL;
    }
    return rows * width + 2 * up16(rows);
}

/// weight(used) = softmax of the scores of row i, divided by the number of rows that the mean goes over.
static void soften(const ami_net_pass *r, float *weight, const float *q, const float *k, size_t k_stride, size_t used)
{
    size_t key = (size_t)r->step->op->size[1];
    float most = -3.0e38f, total = 0.0f;
    float scale = 1.0f / sqrtf((float)key);
    for (size_t j = 0; j < used; j++) {
        weight[j] = r->net->kernels->dot(q, k + j * k_stride, key) * scale;
        most = am_max(weight[j], most);
    }
    for (size_t j = 0; j < used; j++) {
        weight[j] = am_exp(weight[j] - most);
        total += weight[j];
    }
    float share = 1.0f / (total * (float)used);
    for (size_t j = 0; j < used; j++) {
        weight[j] *= share;
    }
}

/// The mean over the rows of softmax(Q K^T / sqrt key) V is one weighted sum of the values: weights are added first.
static void run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    const am_net_op *op = r->step->op;
    const ami_net_place *set = &r->net->places[op->in[0]];
    size_t heads = (size_t)op->size[0], key = (size_t)op->size[1], value = (size_t)op->size[2];
    memset(y, 0, heads * value * sizeof *y);
    int count = ami_run_index(ami_run_row(r, op->in[1], item)[0], set->rows);
    if (count < 1) {
        return;
    }
    size_t used = (size_t)count, stride[3];
    float *part[3], *at = r->work->scratch;
    for (int m = 0; m < 3; m++) {
        stride[m] = r->step->matrix[m].panels * AMI_PANEL;
        part[m] = at;
        at += (size_t)set->rows * stride[m];
        ami_run_product(r, part[m], stride[m], &r->step->matrix[m], x, set->stride, used);
    }
    float *weight = at, *sum = at + up16(used);
    for (size_t head = 0; head < heads; head++) {
        memset(sum, 0, used * sizeof *sum);
        for (size_t i = 0; i < used; i++) {
            soften(r, weight, part[0] + i * stride[0] + head * key, part[1] + head * key, stride[1], used);
            for (size_t j = 0; j < used; j++) {
                sum[j] += weight[j];
            }
        }
        for (size_t j = 0; j < used; j++) {
            r->net->kernels->axpy(y + head * value, part[2] + j * stride[2] + head * value, sum[j], value);
        }
    }
}

const ami_net_layer ami_net_layer_attention = { .name = "attention",
                                                .tensors = { { "weight_q", .bound_by = 0 },
                                                             { "bias_q", .bound_by = 0 },
                                                             { "weight_k", .bound_by = 2 },
                                                             { "bias_k", .bound_by = 2 },
                                                             { "weight_v", .bound_by = 4 },
                                                             { "bias_v", .bound_by = 4 } },
                                                .products = { { 0, 1, 0 }, { 2, 3, 0 }, { 4, 5, 0 } },
                                                .product_count = 3,
                                                .least_in = 2,
                                                .most_in = 2,
                                                .whole_in = 1u << 1,
                                                .shape = shape,
                                                .choices = choices,
                                                .eval = eval,
                                                .run = run,
                                                .scratch = scratch };
