// Runs a network: one operation after another over the work's memory. No allocation, and branches only on sizes and
// zeros.
#include "net/net.h"

#include "base/assert.h"

#include <string.h>

// Batches of at least this many samples go through tiles; smaller ones sample by sample, with zeros skipped.
enum { tiles_from = 4 };

// Panels that a backward run takes at a time: a multiple of what every kernel sums at once.
enum { back_panels = 8 };

typedef struct run {
    const am_net *net;
    am_net_work *work;
    const ami_net_step *step;
    size_t batch;
} run;

/// The integers of one row for 8-bit weights; an odd last column is paired with 0.
static int32_t *round_row(const run *r, size_t item, const float *x, size_t n)
{
    int16_t *q = r->work->rounded + item * r->net->most_in;
    float scale = r->net->layers->quantise(q, x, n, r->step->quant_most);
    if (scale != scale) {
        memset(q, 0, n * sizeof *q); // the scale makes every output NaN
    }
    if (n % 2) {
        q[n] = 0;
    }
    r->work->scales[item] = scale;
    return (int32_t *)(void *)q;
}

/// The pairs that are not both 0.
static size_t list_pairs(uint32_t *index, const int32_t *pairs, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        index[used] = (uint32_t)i;
        used += pairs[i] != 0;
    }
    return used;
}

/// What a product with one vector needs beside the matrix.
typedef struct single {
    const float *x;
    const int32_t *pairs;  ///< 8-bit weights: x as integers, by scale
    const uint32_t *index; ///< columns to sum, or pairs of them; NULL for all
    size_t count;
    float scale;
} single;

static void multiply(const ami_layers *layers, float *out, const ami_matrix *m, const single *s)
{
    if (m->w8) {
        layers->gemv8(out, m, s->pairs, s->index, s->count, s->scale);
    } else if (m->w16) {
        layers->gemv16(out, m, s->x, s->index, s->count);
    } else {
        layers->gemv32(out, m, s->x, s->index, s->count);
    }
}

/// `panels` panels of a matrix from `first` on.
static ami_matrix part_of(const ami_matrix *m, size_t first, size_t panels)
{
    ami_matrix part = *m;
    part.panels = panels;
    part.bias += first * AMI_PANEL;
    if (m->w8) {
        part.w8 += first * ((m->n_in + 1) / 2) * 2 * AMI_PANEL;
        part.scale += first * AMI_PANEL;
    } else if (m->w16) {
        part.w16 += first * m->n_in * AMI_PANEL;
    } else {
        part.w32 += first * m->n_in * AMI_PANEL;
    }
    return part;
}

/// The same from the last panels to the first. When every run goes the same way, a cache that is too small for a
/// network has just evicted what is needed next; alternating directions finds part of each layer again (dense
/// Projector: 4 % less time).
static void multiply_back(const ami_layers *layers, float *out, const ami_matrix *m, const single *s)
{
    for (size_t end = m->panels; end > 0;) {
        size_t first = (end - 1) / back_panels * back_panels;
        ami_matrix part = part_of(m, first, end - first);
        multiply(layers, out + first * AMI_PANEL, &part, s);
        end = first;
    }
}

static void product_one(const run *r, float *out, const ami_matrix *m, const float *x)
{
    const ami_layers *layers = r->net->layers;
    uint32_t *index = r->work->index;
    // Columns with a zero are left out where there are enough of them to pay for the list: an eighth.
    size_t n = m->n_in, most = (7 * n + 7) / 8;
    single s = { .x = x, .count = n };
    size_t used = layers->nonzeros(index, x, n, m->w8 ? 0 : most);
    if (m->w8) {
        s.pairs = round_row(r, 0, x, n);
        s.scale = r->work->scales[0];
        s.count = (n + 1) / 2;
    }
    if (used < most) {
        s.count = m->w8 ? list_pairs(index, s.pairs, s.count) : used;
        s.index = index;
    }
    if (r->work->backwards) {
        multiply_back(layers, out, m, &s);
    } else {
        multiply(layers, out, m, &s);
    }
}

/// out(items, out_stride) = matrix * x(items, x_stride) + bias
static void product(const run *r, float *out, size_t out_stride, const ami_matrix *m, const float *x, size_t x_stride,
                    size_t items)
{
    const ami_layers *layers = r->net->layers;
    if (items < tiles_from) {
        for (size_t i = 0; i < items; i++) {
            product_one(r, out + i * out_stride, m, x + i * x_stride);
        }
    } else if (m->w8) {
        for (size_t i = 0; i < items; i++) {
            round_row(r, i, x + i * x_stride, m->n_in);
        }
        layers->gemm8(out, out_stride, m, (const int32_t *)(const void *)r->work->rounded, r->net->most_in / 2,
                      r->work->scales, items);
    } else if (m->w16) {
        layers->gemm16(out, out_stride, m, x, x_stride, items, r->work->room);
    } else {
        layers->gemm32(out, out_stride, m, x, x_stride, items);
    }
}

static float *row(const run *r, int value, size_t item)
{
    const ami_net_place *p = &r->net->places[value];
    return ami_net_row(r->work, value, 0, 0) + item * p->stride;
}

static void linear(const run *r)
{
    const am_net_op *op = r->step->op;
    const ami_net_place *in = &r->net->places[op->in[0]], *out = &r->net->places[op->out];
    product(r, row(r, op->out, 0), out->stride, &r->step->matrix[0], row(r, op->in[0], 0), in->stride,
            r->batch * (size_t)in->rows);
}

static ami_activation activation_of(int kind)
{
    switch (kind) {
    case AM_NET_RELU:
        return AMI_ACT_RELU;
    case AM_NET_ELU:
        return AMI_ACT_ELU;
    case AM_NET_GELU:
        return AMI_ACT_GELU;
    case AM_NET_TANH:
        return AMI_ACT_TANH;
    default:
        return AMI_ACT_SIGMOID;
    }
}

/// PyTorch's cell: r = s(i_r + h_r), z = s(i_z + h_z), n = tanh(i_n + r h_n), h' = (1 - z) n + z h.
static void gru(const run *r, size_t item)
{
    const am_net_op *op = r->step->op;
    size_t n = (size_t)r->net->places[op->out].width;
    float *gi = r->work->scratch, *gh = gi + AMI_PANEL * r->step->matrix[0].panels;
    const float *h = row(r, op->in[1], item);
    product(r, gi, 0, &r->step->matrix[0], row(r, op->in[0], item), 0, 1);
    product(r, gh, 0, &r->step->matrix[1], h, 0, 1);
    for (size_t i = 0; i < 2 * n; i++) {
        gi[i] += gh[i];
    }
    r->net->layers->activate(gi, 2 * n, AMI_ACT_SIGMOID);
    float *fresh = gi + 2 * n;
    for (size_t i = 0; i < n; i++) {
        fresh[i] += gi[i] * gh[2 * n + i];
    }
    r->net->layers->activate(fresh, n, AMI_ACT_TANH);
    float *out = row(r, op->out, item);
    for (size_t i = 0; i < n; i++) {
        out[i] = (1.0f - gi[n + i]) * fresh[i] + gi[n + i] * h[i];
    }
}

/// A number given as an index: the nearest integer, -1 for anything else.
static int index_of(float x, int most)
{
    return x > -0.5f && x < (float)most ? (int)(x + 0.5f) : x >= (float)most ? most : -1;
}

/// weight(used) = softmax of the scores of row i, divided by the number of rows that the mean goes over.
static void soften(const run *r, float *weight, const float *q, const float *k, size_t k_stride, size_t key,
                   size_t used)
{
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
static void attention(const run *r, size_t item)
{
    const am_net_op *op = r->step->op;
    const ami_net_place *set = &r->net->places[op->in[0]];
    size_t heads = (size_t)op->size[0], key = (size_t)op->size[1], value = (size_t)op->size[2];
    float *out = row(r, op->out, item);
    memset(out, 0, heads * value * sizeof *out);
    int count = index_of(row(r, op->in[1], item)[0], set->rows);
    if (count < 1) {
        return;
    }
    size_t used = (size_t)count, stride[3];
    float *part[3], *at = r->work->scratch;
    for (int m = 0; m < 3; m++) {
        stride[m] = r->step->matrix[m].panels * AMI_PANEL;
        part[m] = at;
        at += (size_t)set->rows * stride[m];
        product(r, part[m], stride[m], &r->step->matrix[m], row(r, op->in[0], item * (size_t)set->rows), set->stride,
                used);
    }
    float *weight = at, *sum = at + (used + 15) / 16 * 16;
    for (size_t head = 0; head < heads; head++) {
        memset(sum, 0, used * sizeof *sum);
        for (size_t i = 0; i < used; i++) {
            soften(r, weight, part[0] + i * stride[0] + head * key, part[1] + head * key, stride[1], key, used);
            for (size_t j = 0; j < used; j++) {
                sum[j] += weight[j];
            }
        }
        for (size_t j = 0; j < used; j++) {
            r->net->kernels->axpy(out + head * value, part[2] + j * stride[2] + head * value, sum[j], value);
        }
    }
}

static void encode(const am_net_op *op, float *y, float x, int width)
{
    int index = index_of(x, width + 1);
    float rate = op->kind == AM_NET_WAVES ? am_log(op->number[0]) : 0.0f;
    for (int i = 0; i < width; i++) {
        switch (op->kind) {
        case AM_NET_ONE_HOT:
            y[i] = i == index ? 1.0f : 0.0f;
            break;
        case AM_NET_COUNT:
            y[i] = i < index ? 1.0f : 0.0f;
            break;
        default: {
            float angle = x * am_exp(-(float)(i - i % 2) / (float)width * rate);
            y[i] = i % 2 ? am_cos(angle) : am_sin(angle);
        }
        }
    }
}

static void join(const run *r, float *y, size_t item)
{
    for (int i = 0; i < r->step->in_count; i++) {
        int value = r->step->op->in[i];
        size_t width = (size_t)r->net->places[value].width;
        memcpy(y, row(r, value, item), width * sizeof *y);
        y += width;
    }
}

static void choose(const run *r, float *y, size_t item, size_t n)
{
    const am_net_op *op = r->step->op;
    int count = r->step->in_count - 1;
    int index = index_of(row(r, op->in[0], item)[0], count);
    if (index >= 0 && index < count) {
        memcpy(y, row(r, op->in[1 + index], item), n * sizeof *y);
    } else {
        memset(y, 0, n * sizeof *y);
    }
}

/// Operations that go through a row number by number.
static void elementwise(const run *r, float *y, const float *x, size_t item, size_t n)
{
    const am_net_op *op = r->step->op;
    const float *a = r->step->vector[0], *b = r->step->vector[1];
    switch (op->kind) {
    case AM_NET_ADD: {
        const float *other = row(r, op->in[1], item);
        for (size_t i = 0; i < n; i++) {
            y[i] = x[i] + other[i];
        }
        break;
    }
    case AM_NET_NORMALISE:
        for (size_t i = 0; i < n; i++) {
            y[i] = (x[i] - a[i]) * b[i];
        }
        break;
    case AM_NET_RESTORE:
        for (size_t i = 0; i < n; i++) {
            y[i] = x[i] * b[i] + a[i];
        }
        break;
    case AM_NET_FRACTION:
        for (size_t i = 0; i < n; i++) {
            y[i] = x[i] / op->number[0];
        }
        break;
    case AM_NET_SLICE:
        memcpy(y, x + op->size[0], n * sizeof *y);
        break;
    default:
        if (y != x) {
            memcpy(y, x, n * sizeof *y);
        }
        r->net->layers->activate(y, n, activation_of(op->kind));
    }
}

static void run_item(const run *r, size_t item)
{
    const am_net_op *op = r->step->op;
    float *y = row(r, op->out, item);
    size_t n = (size_t)r->net->places[op->out].width;
    if (op->in[0] < 0) { // a constant reads nothing
        memcpy(y, r->step->vector[0], n * sizeof *y);
        return;
    }
    const float *x = row(r, op->in[0], item);
    switch (op->kind) {
    case AM_NET_LAYER_NORM:
        r->net->layers->layer_norm(y, x, r->step->vector[0], r->step->vector[1], n, op->number[0]);
        break;
    case AM_NET_CONCAT:
        join(r, y, item);
        break;
    case AM_NET_GRU:
        gru(r, item);
        break;
    case AM_NET_ATTENTION:
        attention(r, item);
        break;
    case AM_NET_ONE_HOT:
    case AM_NET_COUNT:
    case AM_NET_WAVES:
        encode(op, y, x[0], (int)n);
        break;
    case AM_NET_CHOOSE:
        choose(r, y, item, n);
        break;
    default:
        elementwise(r, y, x, item, n);
    }
}

/// States take over their next values: all are read before any is written.
static void step_states(const run *r)
{
    const am_net *net = r->net;
    for (int pass = 0; pass < 2; pass++) {
        float *staged = r->work->staged;
        for (int s = 0; s < net->state_count; s++) {
            int state = net->states[s];
            size_t width = (size_t)net->values[state].width;
            for (size_t i = 0; i < r->batch; i++, staged += width) {
                float *at = row(r, pass ? state : net->values[state].next, i);
                memcpy(pass ? at : staged, pass ? staged : at, width * sizeof *at);
            }
        }
    }
}

void am_net_run(const am_net *net, am_net_work *work, int batch)
{
    AM_ASSERT(work->net == net && batch >= 1 && batch <= work->most_batch);
    run r = { net, work, net->steps, (size_t)batch };
    for (int i = 0; i < net->part->op_count; i++, r.step++) {
        if (r.step->op->kind == AM_NET_LINEAR) {
            linear(&r);
            continue;
        }
        size_t items = r.batch * (size_t)net->places[r.step->op->out].rows;
        for (size_t item = 0; item < items; item++) {
            run_item(&r, item);
        }
    }
    step_states(&r);
    work->backwards = !work->backwards;
}
