// Rounds weights to int8 for the inputs that a layer meets: the weights of a row are rounded one after another, and
// the remaining ones, the bias last, absorb the error of the ones before, as far as the layer's inputs are correlated
// (the nearest-plane method, to which OPTQ belongs; Frantar 2022). Plain rounding cannot use this: inputs after an
// activation have means far from zero and are strongly correlated.
#include "net/pack.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/graph.h"
#include "net/build.h"

#include <math.h>
#include <string.h>

// On the diagonal, as a share of its mean: inputs that hardly vary over the samples must not get large weights.
#define DAMPING 0.01
// The scales tried for a row: the largest weight becomes 127, or is cut to it.
#define SCALE_STEP 0.04
enum { scale_tries = 12 };

/// One layer's rounding.
typedef struct rounding {
    int count;       ///< the constant that the bias goes with, then the inputs
    int *order;      ///< [count] inputs by how large they are; order[0] is not used
    double *factor;  ///< [count][count] R^T, lower triangle: the error of weights d is |R d|^2
    double *taken;   ///< [count] what the errors so far ask of each weight, times its place on R's diagonal
    int8_t *rounded; ///< [count]
    int8_t *best;
    size_t bytes; ///< of it all
} rounding;

static am_result make_room(rounding *r, int inputs, const am_alloc *alloc, am_error *err)
{
    size_t n = (size_t)inputs + 1;
    r->count = inputs + 1;
    r->bytes = n * n * sizeof(double) + n * sizeof(double) + n * sizeof(int) + 2 * n;
    r->factor = ami_alloc_zero(alloc, r->bytes);
    if (!r->factor) {
        return ami_fail_memory(err, r->bytes);
    }
    r->taken = r->factor + n * n;
    r->order = (int *)(void *)(r->taken + n);
    r->rounded = (int8_t *)(r->order + n);
    r->best = r->rounded + n;
    return AM_OK;
}

/// Large inputs last, since rounding begins at the end: most other weights can then absorb their errors.
static void sort_inputs(rounding *r, const double *x, int rows)
{
    int inputs = r->count - 1;
    for (int s = 0; s < rows; s++) {
        for (int i = 0; i < inputs; i++) {
            r->taken[i] += x[(size_t)s * (size_t)inputs + (size_t)i] * x[(size_t)s * (size_t)inputs + (size_t)i];
        }
    }
    for (int i = 0; i < inputs; i++) {
        int at = i + 1;
        while (at > 1 && r->taken[r->order[at - 1]] > r->taken[i]) {
            r->order[at] = r->order[at - 1];
            at--;
        }
        r->order[at] = i;
    }
}

/// The upper triangle of the mean of x x^T over the samples, the constant 1 first.
static void sum_products(rounding *r, const double *x, int rows)
{
    size_t n = (size_t)r->count, inputs = n - 1;
    for (int s = 0; s < rows; s++, x += inputs) {
        r->taken[0] = 1.0;
        for (size_t i = 1; i < n; i++) {
            r->taken[i] = x[r->order[i]];
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i; j < n && r->taken[i] != 0.0; j++) {
                r->factor[i * n + j] += r->taken[i] * r->taken[j];
            }
        }
    }
    double trace = 0.0;
    for (size_t i = 1; i < n; i++) {
        trace += r->factor[i * n + i];
    }
    double more = DAMPING * trace / (double)inputs;
    for (size_t i = 1; i < n; i++) {
        r->factor[i * n + i] += more > 0.0 ? more : 1.0;
    }
}

/// In place: products become R with R^T R = products, then R^T, whose rows the rounding uses.
static void factorise(rounding *r)
{
    size_t n = (size_t)r->count;
    for (size_t k = 0; k < n; k++) {
        double *row = r->factor + k * n;
        double root = sqrt(row[k] > 1e-30 ? row[k] : 1e-30);
        for (size_t j = k; j < n; j++) {
            row[j] /= root;
        }
        for (size_t i = k + 1; i < n; i++) {
            double *lower = r->factor + i * n;
            for (size_t j = i; j < n && row[i] != 0.0; j++) {
                lower[j] -= row[i] * row[j];
            }
        }
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t j = k + 1; j < n; j++) {
            r->factor[j * n + k] = r->factor[k * n + j];
        }
    }
}

static int largest_of(const float *w, int count)
{
    int largest = 0;
    for (int i = 1; i < count; i++) {
        largest = fabsf(w[i]) > fabsf(w[largest]) ? i : largest;
    }
    return largest;
}

/// Rounds one row with a scale; gives the squared error, `*bias` what the bias takes over.
static double round_row(rounding *r, const float *w, double scale, int largest, double *bias)
{
    size_t n = (size_t)r->count;
    double sum = 0.0;
    memset(r->taken, 0, n * sizeof *r->taken);
    for (size_t k = n - 1; k > 0; k--) {
        const double *column = r->factor + k * n;
        double target = (double)w[r->order[k]] + r->taken[k] / column[k];
        double q = floor(target / scale + 0.5);
        q = q < 127.0 ? q : 127.0;
        q = q > -127.0 ? q : -127.0;
        if (r->order[k] == largest) {
            q = w[largest] < 0.0f ? -127.0 : 127.0; // packing finds the scale by it
        }
        double off = (target - q * scale) * column[k];
        double error = (double)w[r->order[k]] - q * scale;
        sum += off * off;
        for (size_t j = 0; j < k; j++) {
            r->taken[j] += column[j] * error;
        }
        r->rounded[k] = (int8_t)q;
    }
    *bias = r->taken[0] / r->factor[0];
    return sum;
}

/// One row and its bias with the best of the scales.
static void fit_row(rounding *r, float *w, float *bias)
{
    int largest = largest_of(w, r->count - 1);
    double most = fabs((double)w[largest]) / 127.0, least = INFINITY, best_scale = most, best_bias = 0.0;
    if (!(most > 1e-30)) {
        return; // nothing to round
    }
    for (int t = 0; t < scale_tries; t++) {
        double taken, scale = (double)(float)(most * (1.0 - SCALE_STEP * t));
        double error = round_row(r, w, scale, largest, &taken);
        if (error < least) {
            int8_t *rounded = r->rounded;
            least = error;
            best_scale = scale;
            best_bias = taken;
            r->rounded = r->best;
            r->best = rounded;
        }
    }
    for (int k = 1; k < r->count; k++) {
        w[r->order[k]] = (float)((double)r->best[k] * best_scale);
    }
    *bias = (float)((double)*bias + best_bias);
}

/// A layer whose inputs x(rows, columns) are known.
static am_result fit_layer(const am_net_graph *graph, const am_net_op *op, const double *x, int rows,
                           const am_alloc *alloc, am_error *err)
{
    const am_net_tensor *weight = &graph->tensors[op->tensor[0]];
    float *w = graph->weights + weight->offset;
    float *bias = graph->weights + graph->tensors[op->tensor[1]].offset;
    rounding r = { 0 };
    am_result result = make_room(&r, weight->columns, alloc, err);
    if (result != AM_OK || !r.taken) { // there then, which clang-tidy cannot know
        return result;
    }
    sort_inputs(&r, x, rows);
    sum_products(&r, x, rows);
    factorise(&r);
    for (int row = 0; row < weight->rows; row++) {
        fit_row(&r, w + (size_t)row * (size_t)weight->columns, &bias[row]);
    }
    ami_release(alloc, r.factor, r.bytes);
    return AM_OK;
}

/// Doubles of one sample of all values.
static size_t sample_size(const am_net_graph *graph)
{
    size_t size = 0;
    for (int v = 0; v < graph->value_count; v++) {
        size += (size_t)graph->values[v].rows * (size_t)graph->values[v].width;
    }
    return size;
}

/// The numbers of one sample that a network reads.
static size_t input_size(const am_net_graph *graph)
{
    size_t size = 0;
    for (int i = 0; i < graph->input_count; i++) {
        const am_net_value *v = &graph->values[ami_net_graph_input_at(graph, i)];
        size += (size_t)v->rows * (size_t)v->width;
    }
    return size;
}

static am_result check_samples(const am_net_graph *graph, const float *samples, int count, am_error *err)
{
    size_t size = input_size(graph);
    for (size_t n = 0; n < size * (size_t)count; n++) {
        if (!(samples[n] - samples[n] == 0.0f)) {
            return ami_fail(err, AM_ERR_NUMBER, "network '%s': number %zu of sample %zu is not finite", graph->name,
                            n % size, n / size);
        }
    }
    return AM_OK;
}

/// Places of the values in `room`; inputs are filled, states are zero.
static void place_values(double **values, double *room, const am_net_graph *graph, const float *samples, int count)
{
    size_t all = input_size(graph), before = 0;
    for (int v = 0; v < graph->value_count; v++) {
        values[v] = room;
        room += (size_t)graph->values[v].rows * (size_t)graph->values[v].width * (size_t)count;
    }
    for (int i = 0; i < graph->input_count; i++) {
        int input = ami_net_graph_input_at(graph, i);
        size_t size = (size_t)graph->values[input].rows * (size_t)graph->values[input].width;
        for (size_t n = 0; n < (size_t)count * size; n++) {
            values[input][n] = (double)samples[n / size * all + before + n % size];
        }
        before += size;
    }
}

/// Layer after layer: later ones see the inputs that the rounded ones before them give.
static am_result fit_graph(am_net_graph *graph, double *const *values, int count, const am_alloc *alloc,
                           am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < graph->op_count && result == AM_OK; i++) {
        const am_net_op *op = &graph->ops[i];
        if (op->kind == AM_NET_LINEAR) {
            result = fit_layer(graph, op, values[op->in[0]], count * graph->values[op->in[0]].rows, alloc, err);
        }
        ami_graph_eval_op(graph, i, values, count);
    }
    return result;
}

am_result ami_net_calibrate(am_net_graph **out, const am_net_graph *graph, const float *samples, int sample_count,
                            const am_alloc *alloc, am_error *err)
{
    am_result result = check_samples(graph, samples, sample_count, err);
    if (result != AM_OK) {
        return result;
    }
    size_t doubles = sample_size(graph) * (size_t)sample_count;
    size_t pointers = (size_t)graph->value_count * sizeof(double *);
    double **values = ami_alloc_zero(alloc, pointers);
    double *room = ami_alloc_array(alloc, doubles, sizeof *room);
    if (!values || !room) {
        ami_release(alloc, room, doubles * sizeof *room);
        ami_release(alloc, values, pointers);
        return ami_fail_memory(err, doubles * sizeof *room + pointers);
    }
    result = ami_net_graph_copy(out, graph, alloc, err);
    if (result == AM_OK) {
        memset(room, 0, doubles * sizeof *room);
        place_values(values, room, graph, samples, sample_count);
        result = fit_graph(*out, values, sample_count, alloc, err);
        if (result != AM_OK) {
            am_net_graph_destroy(*out);
            *out = NULL;
        }
    }
    ami_release(alloc, room, doubles * sizeof *room);
    ami_release(alloc, values, pointers);
    return result;
}
