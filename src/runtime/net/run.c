// Runs a network: one operation after another over the work's memory, each by its layer; and the products that layers
// share. No allocation, and branches only on sizes and zeros.
#include "net/run.h"

#include "base/assert.h"

#include <string.h>

// Batches of at least this many samples go through tiles; smaller ones sample by sample, with zeros skipped.
enum { tiles_from = 4 };

// Panels that a backward run takes at a time: a multiple of what every kernel sums at once.
enum { back_panels = 8 };

/// The integers of one row for 8-bit weights; an odd last column is paired with 0.
static int32_t *round_row(const ami_net_pass *r, size_t item, const float *x, size_t n)
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

static void product_one(const ami_net_pass *r, float *out, const ami_matrix *m, const float *x)
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

void ami_run_product(const ami_net_pass *r, float *out, size_t out_stride, const ami_matrix *m, const float *x,
                     size_t x_stride, size_t items)
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

static void run_rows(const ami_net_pass *r)
{
    const am_net_op *op = r->step->op;
    const ami_net_layer *layer = r->step->layer;
    size_t rows = (size_t)r->net->places[op->out].rows;
    size_t in_rows = op->in[0] >= 0 ? (size_t)r->net->places[op->in[0]].rows : 0;
    for (size_t item = 0; item < r->batch * rows; item++) {
        size_t at = in_rows == rows ? item : item / rows * in_rows;
        layer->run(r, ami_run_row(r, op->out, item), in_rows ? ami_run_row(r, op->in[0], at) : NULL, item);
    }
}

/// States take over their next values: all are read before any is written.
static void step_states(const ami_net_pass *r)
{
    const am_net *net = r->net;
    for (int pass = 0; pass < 2; pass++) {
        float *staged = r->work->staged;
        for (int s = 0; s < net->state_count; s++) {
            int state = net->states[s];
            size_t width = (size_t)net->values[state].width;
            for (size_t i = 0; i < r->batch; i++, staged += width) {
                float *at = ami_run_row(r, pass ? state : net->values[state].next, i);
                memcpy(pass ? at : staged, pass ? staged : at, width * sizeof *at);
            }
        }
    }
}

void am_net_run(const am_net *net, am_net_work *work, int batch)
{
    AM_ASSERT(work->net == net && batch >= 1 && batch <= work->most_batch);
    ami_net_pass r = { net, work, net->steps, (size_t)batch };
    for (int i = 0; i < net->part->op_count; i++, r.step++) {
        if (r.step->layer->run_all) {
            r.step->layer->run_all(&r);
        } else {
            run_rows(&r);
        }
    }
    step_states(&r);
    work->backwards = !work->backwards;
}
