// Every layer: forward against the plain evaluation, gradients against finite differences, in double and in float.
#include "support/check.h"
#include "base/rng.h"
#include "net/build.h"

#include "in_double.h"

#include <amble/net.h>
#include <math.h>

enum { samples = 20, columns = 16, blocks = 2 }; // the second block is not full

/// One network under test: built by `build`, run over `slots` time steps.
typedef struct subject {
    const char *name;
    void (*build)(am_net_graph *graph);
    int slots;
} subject;

static int chain(am_net_graph *g, int hidden, am_net_kind kind)
{
    int x = ami_net_graph_input(g, "x", 5);
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, hidden), kind);
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, h, 3));
    return x;
}

static void build_relu(am_net_graph *g) { chain(g, 19, AM_NET_RELU); }
static void build_elu(am_net_graph *g) { chain(g, 9, AM_NET_ELU); }
static void build_gelu(am_net_graph *g) { chain(g, 7, AM_NET_GELU); }
static void build_tanh(am_net_graph *g) { chain(g, 6, AM_NET_TANH); }
static void build_sigmoid(am_net_graph *g) { chain(g, 6, AM_NET_SIGMOID); }

/// Operators' flow network in small: layer norm, input skips, and a residual.
static void build_skips(am_net_graph *g)
{
    int x = ami_net_graph_input(g, "x", 5);
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 8), AM_NET_GELU);
    for (int i = 0; i < 2; i++) {
        int both[2] = { ami_net_graph_layer_norm(g, h), x };
        int next =
            ami_net_graph_activation(g, ami_net_graph_linear(g, ami_net_graph_concat(g, both, 2), 8), AM_NET_GELU);
        h = ami_net_graph_add(g, h, next);
    }
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, h, 3));
}

static void build_gru(am_net_graph *g)
{
    int x = ami_net_graph_input(g, "x", 4);
    int h = ami_net_graph_state(g, "h", 6);
    int next = ami_net_graph_gru(g, ami_net_graph_linear(g, x, 5), h);
    ami_net_graph_keep(g, h, next);
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, next, 2));
}

static void build_attention(am_net_graph *g)
{
    int set = ami_net_graph_input_set(g, "set", 3, 4);
    int count = ami_net_graph_input(g, "count", 1);
    int rows = ami_net_graph_activation(g, ami_net_graph_linear(g, set, 5), AM_NET_TANH);
    int pooled = ami_net_graph_attention(g, ami_net_graph_layer_norm(g, rows), count, 2, 3, 4);
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, pooled, 3));
}

static void build_encodings(am_net_graph *g)
{
    int index = ami_net_graph_input(g, "index", 1);
    int count = ami_net_graph_input(g, "count", 1);
    int x = ami_net_graph_input(g, "x", 6);
    int parts[5] = { ami_net_graph_encode(g, index, AM_NET_ONE_HOT, 4),
                     ami_net_graph_encode(g, count, AM_NET_COUNT, 3),
                     ami_net_graph_waves(g, ami_net_graph_slice(g, x, 1, 1), 6, 50.0f),
                     ami_net_graph_fraction(g, x, 3.0f), ami_net_graph_slice(g, x, 2, 3) };
    int options[3] = { ami_net_graph_linear(g, ami_net_graph_concat(g, parts, 5), 4), ami_net_graph_constant(g, 1, 4),
                       ami_net_graph_linear(g, x, 4) };
    int chosen = ami_net_graph_choose(g, index, options, 3);
    ami_net_graph_output(g, "y", ami_net_graph_add(g, chosen, chosen));
}

static void build_encodings_of_a_set(am_net_graph *g)
{
    int index = ami_net_graph_input_set(g, "index", 3, 1), x = ami_net_graph_input_set(g, "x", 3, 1);
    int count = ami_net_graph_input(g, "count", 1);
    int parts[3] = { ami_net_graph_encode(g, index, AM_NET_ONE_HOT, 4),
                     ami_net_graph_encode(g, index, AM_NET_COUNT, 3), ami_net_graph_waves(g, x, 4, 20.0f) };
    int rows = ami_net_graph_concat(g, parts, 3);
    ami_net_graph_output(g, "y", ami_net_graph_attention(g, rows, count, 1, 3, 2));
}

/// Operators' set in small: rows of a vector, of which each chooses between a constant, itself and a linear layer.
static void build_rows(am_net_graph *g)
{
    int x = ami_net_graph_input(g, "x", 20), kinds = ami_net_graph_input_set(g, "index", 4, 1);
    int count = ami_net_graph_input(g, "count", 1);
    int rows = ami_net_graph_rows(g, x, 3, 4, 3), other = ami_net_graph_rows(g, x, 1, 1, 5);
    int options[3] = { ami_net_graph_constant(g, 4, 3), rows, ami_net_graph_linear(g, rows, 3) };
    int parts[2] = { ami_net_graph_choose(g, kinds, options, 3), ami_net_graph_encode(g, kinds, AM_NET_ONE_HOT, 3) };
    int set = ami_net_graph_concat(g, parts, 2);
    int all[2] = { ami_net_graph_attention(g, set, count, 2, 3, 2), ami_net_graph_linear(g, other, 2) };
    ami_net_graph_output(g, "y", ami_net_graph_concat(g, all, 2));
}

/// Of a grid behind other numbers, and of each row of a set; the second layer's gradient goes on.
static void build_convolution(am_net_graph *g)
{
    int x = ami_net_graph_input(g, "x", 3 + 2 * 5 * 4), set = ami_net_graph_input_set(g, "set", 2, 6);
    int first = ami_net_graph_convolution(g, ami_net_graph_slice(g, x, 3, 40), 2, 5, 4, 3);
    int second = ami_net_graph_convolution(g, ami_net_graph_activation(g, first, AM_NET_TANH), 3, 3, 2, 2);
    int count = ami_net_graph_input(g, "count", 1);
    int rows = ami_net_graph_convolution(g, set, 1, 2, 3, 4);
    int all[3] = { second, ami_net_graph_attention(g, rows, count, 1, 3, 2), ami_net_graph_slice(g, x, 1, 4) };
    ami_net_graph_output(g, "y", ami_net_graph_concat(g, all, 3));
}

static void build_scales(am_net_graph *g)
{
    int x = ami_net_graph_normalise(g, ami_net_graph_input(g, "x", 5));
    ami_net_graph_output(g, "y", ami_net_graph_restore(g, ami_net_graph_linear(g, ami_net_graph_linear(g, x, 7), 3)));
}

static const subject subjects[] = {
    { "relu", build_relu, 1 },
    { "elu", build_elu, 1 },
    { "gelu", build_gelu, 1 },
    { "tanh", build_tanh, 1 },
    { "sigmoid", build_sigmoid, 1 },
    { "skips and layer norm", build_skips, 1 },
    { "gru through time", build_gru, 4 },
    { "attention", build_attention, 1 },
    { "encodings", build_encodings, 1 },
    { "encodings of a set", build_encodings_of_a_set, 1 },
    { "rows of a vector", build_rows, 1 },
    { "convolution", build_convolution, 1 },
    { "input and output scales", build_scales, 1 },
};
enum { subject_count = sizeof subjects / sizeof subjects[0] };

static am_net_graph *make(const subject *s)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "test", NULL, &err), &err);
    s->build(g);
    check_ok(ami_net_graph_finish(g, &err), &err);
    ami_net_graph_randomise(g, 7);
    am_rng rng = ami_rng_make(3);
    for (int t = 0; t < g->tensor_count; t++) { // gains, scales and constants away from 1 and 0
        for (size_t i = 0; i < ami_net_tensor_count(&g->tensors[t]) && !(g->tensors[t].flags & AM_NET_MATRIX); i++) {
            g->weights[g->tensors[t].offset + i] += am_rng_range(&rng, 0.05f, 0.5f);
        }
    }
    return g;
}

/// Number j of an input: indices and counts are small whole numbers.
static double input_number(const am_net_graph *g, int v, am_rng *rng)
{
    const bool whole = strcmp(g->values[v].name, "index") == 0 || strcmp(g->values[v].name, "count") == 0;
    return whole ? (double)am_rng_below(rng, 4) : (double)am_rng_normal(rng);
}

// The loss is the sum over samples, outputs and slots of coefficient * y: its gradient is the coefficient itself.
static double coefficient(int slot, int row, int sample) { return sin(1.0 + 3.0 * slot + 1.7 * row + 0.9 * sample); }

#define DEFINE_RUNS(suffix, real)                                                                                    \
    static void fill_##suffix(const ami_plan_##suffix *plan)                                                         \
    {                                                                                                                \
        am_rng rng = ami_rng_make(11);                                                                               \
        const am_net_graph *g = plan->graph;                                                                         \
        for (int i = 0; i < g->input_count; i++) {                                                                   \
            const int v = ami_net_graph_input_at(g, i);                                                              \
            for (int slot = 0; slot < plan->slots; slot++) {                                                         \
                for (int s = 0; s < samples; s++) {                                                                  \
                    for (int r = 0; r < g->values[v].rows * g->values[v].width; r++) {                               \
                        ami_plan_value_##suffix(plan, v, slot, s / columns)[r * columns + s % columns] =             \
                            (real)input_number(g, v, &rng);                                                          \
                    }                                                                                                \
                }                                                                                                    \
            }                                                                                                        \
        }                                                                                                            \
    }                                                                                                                \
    static double run_##suffix(const ami_plan_##suffix *plan)                                                        \
    {                                                                                                                \
        const int y = ami_net_graph_output_at(plan->graph, 0), width = plan->graph->values[y].width;                 \
        double loss = 0.0;                                                                                           \
        for (int slot = 0; slot < plan->slots; slot++) {                                                             \
            for (int b = 0; b < blocks; b++) {                                                                       \
                ami_plan_forward_##suffix(plan, slot, b);                                                            \
                for (int r = 0; r < width; r++) {                                                                    \
                    for (int c = 0; c < columns && b * columns + c < samples; c++) {                                 \
                        const double k = coefficient(slot, r, b * columns + c);                                      \
                        loss += k * (double)ami_plan_value_##suffix(plan, y, slot, b)[r * columns + c];              \
                        ami_plan_grad_##suffix(plan, y, slot, b)[r * columns + c] = (real)k;                         \
                    }                                                                                                \
                }                                                                                                    \
            }                                                                                                        \
        }                                                                                                            \
        return loss;                                                                                                 \
    }                                                                                                                \
    static void back_##suffix(const ami_plan_##suffix *plan, real *g)                                                \
    {                                                                                                                \
        for (int slot = plan->slots - 1; slot >= 0; slot--) {                                                        \
            for (int b = 0; b < blocks; b++) {                                                                       \
                ami_plan_backward_##suffix(plan, slot, b);                                                           \
            }                                                                                                        \
        }                                                                                                            \
        for (int j = 0; j < plan->job_count; j++) { /* in two pieces, as two threads would */                        \
            const ami_job *job = &plan->jobs[j];                                                                     \
            real *to = g + plan->graph->tensors[job->tensor].offset;                                                 \
            real *to_2 = job->tensor_2 >= 0 ? g + plan->graph->tensors[job->tensor_2].offset : NULL;                 \
            const int half = job->rows / 2;                                                                          \
            ami_plan_gradient_##suffix(plan, j, 0, half, to, to_2);                                                  \
            ami_plan_gradient_##suffix(plan, j, half, job->rows - half, to + (ptrdiff_t)half * job->columns,         \
                                       to_2 ? to_2 + half : NULL);                                                   \
        }                                                                                                            \
    }

DEFINE_RUNS(f64, double)
DEFINE_RUNS(f32, float)

static ami_plan_f64 *plan_in_double(const am_net_graph *g, int slots, double **weights)
{
    *weights = calloc(g->weight_count, sizeof **weights);
    for (size_t i = 0; i < g->weight_count; i++) {
        (*weights)[i] = (double)g->weights[i];
    }
    ami_plan_def def = { g, columns, blocks, slots, true, NULL, false };
    ami_plan_f64 *plan = NULL;
    am_error err = { 0 };
    check_ok(ami_plan_create_f64(&plan, &def, &ami_ops_double, *weights, &err), &err);
    fill_f64(plan);
    return plan;
}

/// (f(w + h) - f(w - h)) / 2h, with one Richardson step: error h^4.
static double difference(const ami_plan_f64 *plan, double *w)
{
    const double kept = *w;
    double d[2];
    for (int i = 0; i < 2; i++) {
        const double h = i ? 1e-4 : 2e-4;
        *w = kept + h;
        const double up = run_f64(plan);
        *w = kept - h;
        d[i] = (up - run_f64(plan)) / (2.0 * h);
        *w = kept;
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void check_relative(double a, double b, double scale, double tolerance, const char *what)
{
    if (!(fabs(a - b) <= tolerance * (fabs(b) + scale))) {
        fail_msg("%s: analytic %.9g, differences %.9g", what, a, b);
    }
}

/// Largest magnitude: what a gradient near zero is measured against.
static double most_of(const double *x, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    }
    return most;
}

static void gradients_of_weights_match_differences(void **state)
{
    (void)state;
    for (int i = 0; i < subject_count; i++) {
        am_net_graph *g = make(&subjects[i]);
        double *w = NULL;
        ami_plan_f64 *plan = plan_in_double(g, subjects[i].slots, &w);
        double *grad = calloc(g->weight_count, sizeof *grad), *want = calloc(g->weight_count, sizeof *want);
        run_f64(plan);
        back_f64(plan, grad);
        size_t trained = 0;
        for (int t = 0; t < g->tensor_count; t++) {
            const am_net_tensor *tensor = &g->tensors[t];
            for (size_t k = 0; k < ami_net_tensor_count(tensor) && !(tensor->flags & AM_NET_FIXED); k++) {
                want[tensor->offset + k] = difference(plan, &w[tensor->offset + k]);
                trained++;
            }
        }
        assert_int_equal(trained, g->parameter_count);
        const double scale = most_of(want, g->weight_count);
        assert_true(scale > 0.0);
        for (size_t k = 0; k < g->weight_count; k++) {
            check_relative(grad[k], want[k], 1e-2 * scale, 1e-6, subjects[i].name);
        }
        free(grad);
        free(want);
        free(w);
        ami_plan_destroy_f64(plan);
        am_net_graph_destroy(g);
    }
}

static void gradients_of_inputs_match_differences(void **state)
{
    (void)state;
    for (int i = 0; i < subject_count; i++) {
        am_net_graph *g = make(&subjects[i]);
        double *w = NULL;
        ami_plan_f64 *plan = plan_in_double(g, subjects[i].slots, &w);
        double *grad = calloc(g->weight_count, sizeof *grad);
        run_f64(plan);
        back_f64(plan, grad);
        for (int k = 0; k < g->input_count; k++) {
            const int v = ami_net_graph_input_at(g, k);
            if (!plan->grad[v]) {
                continue; // an index or a count
            }
            const size_t span = plan->span[v];
            double *kept = calloc(span, sizeof *kept);
            memcpy(kept, ami_plan_grad_f64(plan, v, 0, 0), span * sizeof *kept);
            double *x = ami_plan_value_f64(plan, v, 0, 0);
            for (size_t n = 0; n < span; n += 3) {
                check_relative(kept[n], difference(plan, &x[n]), 1e-2 * most_of(kept, span), 1e-6, subjects[i].name);
            }
            free(kept);
        }
        free(grad);
        free(w);
        ami_plan_destroy_f64(plan);
        am_net_graph_destroy(g);
    }
}

enum { set_count = 3 };

/// Instruction set number `i`, or NULL where this machine or build is without it.
static const ami_ops_f32 *ops_of(int i)
{
    static const char *const names[set_count] = { "base", "avx2", "avx512" };
    return ami_train_ops(names[i]);
}

/// Calls `test` with every subject's graph for every instruction set that is here.
static void with_every_set(void (*test)(const subject *s, const am_net_graph *g, const ami_ops_f32 *ops))
{
    for (int i = 0; i < subject_count * set_count; i++) {
        const ami_ops_f32 *ops = ops_of(i % set_count);
        const subject *s = &subjects[i / set_count];
        if (ops) {
            am_net_graph *g = make(s);
            test(s, g, ops);
            am_net_graph_destroy(g);
        }
    }
}

static void check_float_gradients(const subject *s, const am_net_graph *g, const ami_ops_f32 *ops)
{
    double *w = NULL;
    ami_plan_f64 *exact = plan_in_double(g, s->slots, &w);
    ami_plan_def def = { g, columns, blocks, s->slots, true, NULL, false };
    ami_plan_f32 *plan = NULL;
    am_error err = { 0 };
    check_ok(ami_plan_create_f32(&plan, &def, ops, g->weights, &err), &err);
    fill_f32(plan);
    double *want = calloc(g->weight_count, sizeof *want);
    float *grad = calloc(g->weight_count, sizeof *grad);
    check_near(run_f32(plan), run_f64(exact), 1e-5 * samples);
    back_f32(plan, grad);
    back_f64(exact, want);
    const double scale = most_of(want, g->weight_count);
    for (size_t k = 0; k < g->weight_count; k++) {
        check_relative((double)grad[k], want[k], 1e-2 * scale, 1e-3, s->name);
    }
    free(want);
    free(grad);
    free(w);
    ami_plan_destroy_f64(exact);
    ami_plan_destroy_f32(plan);
}

/// Float gradients of every instruction set against those in double, which the test above holds to differences.
static void float_gradients_match(void **state)
{
    (void)state;
    with_every_set(check_float_gradients);
}

/// Gradients of weights and the values of all slots, into one array.
static float *gradients_and_values(const am_net_graph *g, const ami_ops_f32 *ops, int slots, bool banded,
                                   size_t *count)
{
    const ami_plan_def def = {
        .graph = g, .columns = columns, .blocks = blocks, .slots = slots, .input_grads = true, .banded = banded
    };
    const int y = ami_net_graph_output_at(g, 0);
    ami_plan_f32 *plan = NULL;
    am_error err = { 0 };
    check_ok(ami_plan_create_f32(&plan, &def, ops, g->weights, &err), &err);
    fill_f32(plan);
    for (int thread = 0; thread < 3; thread++) {
        ami_plan_band_f32(plan, thread, 3);
    }
    const size_t span = plan->span[y], places = (size_t)slots * blocks;
    *count = g->weight_count + places * span;
    float *all = calloc(*count, sizeof *all);
    run_f32(plan);
    back_f32(plan, all);
    for (size_t i = 0; i < places; i++) {
        memcpy(all + g->weight_count + i * span, ami_plan_value_f32(plan, y, (int)i / blocks, (int)i % blocks),
               span * sizeof *all);
    }
    ami_plan_destroy_f32(plan);
    return all;
}

static void check_bands(const subject *s, const am_net_graph *g, const ami_ops_f32 *ops)
{
    size_t count = 0;
    float *plain = gradients_and_values(g, ops, s->slots, false, &count);
    float *banded = gradients_and_values(g, ops, s->slots, true, &count);
    assert_memory_equal(plain, banded, count * sizeof *plain);
    free(plain);
    free(banded);
}

static void weights_in_bands_give_the_same_bits(void **state)
{
    (void)state;
    with_every_set(check_bands);
}

/// Deeper than what a product takes at once, and no whole number of bands either way.
static void deep_products_of_bands_give_the_same_bits(void **state)
{
    (void)state;
    enum { m = 37, k = 303, n = 16, room = 320 };
    static float w[m * k + 16], x[room * n], dy[room * n], bands[room * room], want[room * n], got[room * n];
    am_rng rng = ami_rng_make(9);
    for (int i = 0; i < m * k; i++) {
        w[i] = am_rng_normal(&rng);
    }
    for (int i = 0; i < room * n; i++) {
        x[i] = am_rng_normal(&rng);
        dy[i] = am_rng_normal(&rng);
    }
    for (int i = 0; i < set_count; i++) {
        const ami_ops_f32 *ops = ops_of(i);
        if (!ops) {
            continue;
        }
        ops->forward(want, w, dy, x, m, k, n);
        ops->band_rows(bands, w, m, k, 0, (m + AMI_BAND - 1) / AMI_BAND);
        ops->banded(got, bands, dy, x, m, k, n, false);
        assert_memory_equal(want, got, sizeof(float) * m * n);
        memcpy(want, x, sizeof want);
        memcpy(got, x, sizeof got);
        ops->backward(want, w, dy, m, k, n, true);
        ops->band_columns(bands, w, m, k, 0, (k + AMI_BAND - 1) / AMI_BAND);
        ops->banded(got, bands, NULL, dy, k, m, n, true);
        assert_memory_equal(want, got, sizeof want);
    }
}

/// Activations write over what they read, and over the gradient on the way back: nothing may depend on that.
static void activations_give_the_same_bits_in_place(void **state)
{
    (void)state;
    enum { count = 16 * 37 };
    static float x[count], dy[count], y[count], dx[count], over[count], d_over[count];
    static const char *const isas[] = { "base", "avx2", "avx512" };
    static const ami_activation kinds[] = { AMI_RELU, AMI_ELU, AMI_TANH, AMI_SIGMOID };
    am_rng rng = ami_rng_make(10);
    for (int i = 0; i < count; i++) {
        x[i] = i % 16 == 3 ? 0.0f : i % 16 == 5 ? -0.0f : 3.0f * am_rng_normal(&rng);
        dy[i] = am_rng_normal(&rng);
    }
    for (int i = 0; i < 12; i++) {
        const ami_ops_f32 *ops = ami_train_ops(isas[i / 4]);
        if (!ops) {
            continue;
        }
        memcpy(over, x, sizeof x);
        memcpy(d_over, dy, sizeof dy);
        ops->activate(y, x, count, kinds[i % 4]);
        ops->activate_back(dx, dy, x, y, count, kinds[i % 4], false);
        ops->activate(over, over, count, kinds[i % 4]);
        ops->activate_back(d_over, d_over, over, over, count, kinds[i % 4], false);
        assert_memory_equal(y, over, sizeof y);
        assert_memory_equal(dx, d_over, sizeof dx);
    }
}

/// The same numbers as ami_net_graph_eval, which PyTorch's reference tensors are held against.
static void forward_equals_the_plain_evaluation(void **state)
{
    (void)state;
    for (int i = 0; i < subject_count; i++) {
        if (subjects[i].slots > 1) {
            continue;
        }
        am_net_graph *g = make(&subjects[i]);
        double *w = NULL;
        ami_plan_f64 *plan = plan_in_double(g, 1, &w);
        run_f64(plan);
        double **values = calloc((size_t)g->value_count, sizeof *values);
        for (int v = 0; v < g->value_count; v++) {
            const int count = g->values[v].rows * g->values[v].width;
            values[v] = calloc((size_t)(samples * count), sizeof **values);
            for (int s = 0; s < samples && g->values[v].role == AM_NET_INPUT; s++) {
                for (int r = 0; r < count; r++) {
                    values[v][s * count + r] = ami_plan_value_f64(plan, v, 0, s / columns)[r * columns + s % columns];
                }
            }
        }
        ami_net_graph_eval(g, values, samples);
        const int y = ami_net_graph_output_at(g, 0), width = g->values[y].width;
        for (int s = 0; s < samples; s++) {
            for (int r = 0; r < width; r++) {
                check_near(ami_plan_value_f64(plan, y, 0, s / columns)[r * columns + s % columns],
                           values[y][s * width + r], 1e-6);
            }
        }
        for (int v = 0; v < g->value_count; v++) {
            free(values[v]);
        }
        free(values);
        free(w);
        ami_plan_destroy_f64(plan);
        am_net_graph_destroy(g);
    }
}

/// A graph that reads a count and an index in every way that there is.
static am_net_graph *make_readers(void)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "readers", NULL, &err), &err);
    const int number = ami_net_graph_input(g, "number", 1), set = ami_net_graph_input_set(g, "set", 3, 2);
    const int options[2] = { ami_net_graph_constant(g, 1, 2), ami_net_graph_constant(g, 1, 2) };
    const int parts[4] = { ami_net_graph_encode(g, number, AM_NET_ONE_HOT, 4),
                           ami_net_graph_encode(g, number, AM_NET_COUNT, 4),
                           ami_net_graph_attention(g, set, number, 1, 2, 2),
                           ami_net_graph_choose(g, number, options, 2) };
    ami_net_graph_output(g, "y", ami_net_graph_concat(g, parts, 4));
    check_ok(ami_net_graph_finish(g, &err), &err);
    ami_net_graph_randomise(g, 3);
    return g;
}

static void odd_counts_and_indices_are_read_as_the_runtime_reads_them(void **state)
{
    (void)state;
    static const float odd[] = { NAN,  -1e30f, -1.0f, -0.5f, -0.4f, 0.0f, 0.4f, 0.5f,
                                 2.6f, 3.0f,   3.5f,  4.0f,  5.0f,  2e6f, 1e30f };
    enum { count = sizeof odd / sizeof odd[0], width = 4 + 4 + 2 + 2 };
    am_net_graph *g = make_readers();
    am_error err = { 0 };
    am_model *model = NULL;
    am_model_def model_def = ami_model_def_default();
    const am_net_graph *graphs[1] = { g };
    model_def.graphs = graphs;
    model_def.graph_count = 1;
    check_ok(am_model_create(&model, &model_def, &err), &err);
    am_net_def net_def;
    am_net_def_init(&net_def);
    net_def.model = model;
    am_net *net = NULL;
    am_net_work *work = NULL;
    check_ok(am_net_create(&net, &net_def, &err), &err);
    check_ok(am_net_work_create(&work, net, count, NULL, &err), &err);
    const ami_plan_def def = { g, columns, 1, 1, true, NULL, false };
    ami_plan_f32 *plan = NULL;
    check_ok(ami_plan_create_f32(&plan, &def, ami_train_ops(NULL), g->weights, &err), &err);
    double **values = calloc((size_t)g->value_count, sizeof *values);
    for (int v = 0; v < g->value_count; v++) {
        values[v] = calloc((size_t)(count * g->values[v].rows * g->values[v].width), sizeof **values);
    }
    const int number = ami_net_graph_input_at(g, 0), set = ami_net_graph_input_at(g, 1),
              y = ami_net_graph_output_at(g, 0);
    for (int s = 0; s < count; s++) {
        float rows[6];
        for (int i = 0; i < 6; i++) {
            rows[i] = (float)sin(1.0 + i + 2.0 * s);
            values[set][s * 6 + i] = (double)rows[i];
            ami_plan_value_f32(plan, set, 0, 0)[i * columns + s] = rows[i];
        }
        values[number][s] = (double)odd[s];
        ami_plan_value_f32(plan, number, 0, 0)[s] = odd[s];
        am_net_put(work, 0, s, &odd[s]);
        am_net_put(work, 1, s, rows);
    }
    ami_net_graph_eval(g, values, count);
    am_net_run(net, work, count);
    ami_plan_forward_f32(plan, 0, 0);
    for (int s = 0; s < count; s++) {
        float out[width];
        am_net_get(work, 0, s, out);
        for (int i = 0; i < width; i++) {
            check_near(values[y][s * width + i], out[i], 1e-5);
            check_near(ami_plan_value_f32(plan, y, 0, 0)[i * columns + s], out[i], 1e-5);
        }
    }
    for (int v = 0; v < g->value_count; v++) {
        free(values[v]);
    }
    free(values);
    ami_plan_destroy_f32(plan);
    am_net_work_destroy(work);
    am_net_destroy(net);
    am_model_close(model);
    am_net_graph_destroy(g);
}

TEST_SUITE(layers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_weights_match_differences),
        cmocka_unit_test(gradients_of_inputs_match_differences),
        cmocka_unit_test(float_gradients_match),
        cmocka_unit_test(weights_in_bands_give_the_same_bits),
        cmocka_unit_test(deep_products_of_bands_give_the_same_bits),
        cmocka_unit_test(activations_give_the_same_bits_in_place),
        cmocka_unit_test(forward_equals_the_plain_evaluation),
        cmocka_unit_test(odd_counts_and_indices_are_read_as_the_runtime_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
