// The trainer: steps, threads, clipping, saving, losses.
#include "support/check.h"

#include "train/trainer.h"
#include "base/budget.h"
#include "net/build.h"

#include <amble/train.h>
#include <math.h>

/// A small network and fixed data to learn by heart.
typedef struct world {
    am_net_graph *graph;
    ami_trainer *trainer;
    int x, y;
    int samples;
} world;

static float input_of(uint64_t sample, int i) { return (float)sin(1.3 * (double)(sample + 1) * (i + 1)); }
static float target_of(uint64_t sample, int i) { return (float)cos(0.7 * (double)(sample + 2) * (i + 2)); }

static double pass(void *user, ami_train_block *block)
{
    const world *w = user;
    const int n = ami_block_columns(block);
    float *x = ami_block_value(block, 0, w->x, 0), *target = ami_block_scratch(block, 3 * (size_t)n);
    for (int c = 0; c < ami_block_used(block); c++) {
        const uint64_t sample = ami_block_item(block, c) % (uint64_t)w->samples;
        for (int i = 0; i < 4; i++) {
            x[i * n + c] = input_of(sample, i);
        }
        for (int i = 0; i < 3; i++) {
            target[i * n + c] = target_of(sample, i);
        }
    }
    ami_block_forward(block, 0, 0);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, 0, w->y, 0),
                                        ami_block_value(block, 0, w->y, 0), target, 3);
    ami_block_backward(block, 0, 0);
    return value;
}

static world make(ami_trainer_def def)
{
    world w = { .samples = 8 };
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&w.graph, "test", NULL, &err), &err);
    w.x = ami_net_graph_input(w.graph, "x", 4);
    int h = ami_net_graph_activation(w.graph, ami_net_graph_linear(w.graph, w.x, 50), AM_NET_ELU);
    h = ami_net_graph_layer_norm(w.graph, h);
    w.y = ami_net_graph_linear(
        w.graph, ami_net_graph_activation(w.graph, ami_net_graph_linear(w.graph, h, 33), AM_NET_RELU), 3);
    ami_net_graph_output(w.graph, "y", w.y);
    check_ok(ami_net_graph_finish(w.graph, &err), &err);
    ami_net_graph_randomise(w.graph, 5);
    def.graphs = &w.graph;
    def.graph_count = 1;
    check_ok(ami_trainer_create(&w.trainer, &def, &err), &err);
    return w;
}

static void end(world *w)
{
    ami_trainer_destroy(w->trainer);
    am_net_graph_destroy(w->graph);
}

static double train(world *w, int iterations)
{
    double loss = 0.0;
    am_error err = { 0 };
    for (int i = 0; i < iterations; i++) {
        check_ok(ami_trainer_step(w->trainer, pass, w, &loss, &err), &err);
    }
    return loss;
}

static ami_trainer_def usual(int batch, int threads)
{
    ami_trainer_def def = ami_trainer_def_default();
    def.batch = batch;
    def.threads = threads;
    def.optimiser.rate = 0.003f;
    return def;
}

static void eight_samples_are_learnt_by_heart(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        ami_trainer_def def = usual(8, 2);
        def.optimiser.kind = kind ? AMI_RADAM : AMI_ADAM;
        world w = make(def);
        const double first = train(&w, 1);
        const double last = train(&w, 1500);
        assert_true(first > 0.1);
        if (!(last < 1e-5)) {
            fail_msg("loss is still %g", last);
        }
        end(&w);
    }
}

static void check_threads(int batch, int iterations)
{
    world one = make(usual(batch, 1));
    train(&one, iterations);
    for (int threads = 2; threads <= 5; threads++) {
        world w = make(usual(batch, threads));
        train(&w, iterations);
        assert_memory_equal(w.graph->weights, one.graph->weights, one.graph->weight_count * sizeof(float));
        end(&w);
    }
    end(&one);
}

static void weights_do_not_depend_on_threads(void **state)
{
    (void)state;
    check_threads(50, 40);
    check_threads(300, 8); // four threads cut it into blocks of 80 columns, one into blocks of 128
}

static void first_losses_are_pinned(void **state)
{
    (void)state;
    world w = make(usual(32, 1));
    check_near(train(&w, 1), 0.5736, 2e-3);
    assert_int_equal(ami_trainer_iteration(w.trainer), 1);
    end(&w);
}

/// One parameter by the papers' own formulas, in double, against ten steps of the table's function.
static void steps_follow_the_published_formulas(void **state)
{
    (void)state;
    static const char *const isas[] = { "base", "avx2", "avx512" };
    for (int variant = 0; variant < 6; variant++) {
        const ami_ops_f32 *ops = ami_train_ops(isas[variant / 2]);
        if (!ops) {
            continue;
        }
        ami_optimiser o = ami_optimiser_default();
        o.kind = variant % 2 ? AMI_RADAM : AMI_ADAM;
        o.decay = 0.1f;
        double p = 0.5, m = 0.0, v = 0.0;
        float ps[19], ms[19] = { 0 }, vs[19] = { 0 }, gs[19];
        for (int i = 0; i < 19; i++) {
            ps[i] = 0.5f;
        }
        for (int t = 1; t <= 10; t++) {
            const double g = sin(3.0 * t) + 0.2, b1 = 0.9f, b2 = 0.999f, rate = 0.001f;
            m = b1 * m + (1.0 - b1) * g;
            v = b2 * v + (1.0 - b2) * g * g;
            p -= rate * (double)o.decay * p;
            const double mh = m / (1.0 - pow(b1, t)), most = 2.0 / (1.0 - b2) - 1.0;
            const double length = most - 2.0 * t * pow(b2, t) / (1.0 - pow(b2, t));
            if (o.kind == AMI_ADAM) {
                p -= rate * mh / (sqrt(v / (1.0 - pow(b2, t))) + 1e-8);
            } else if (length > 5.0) {
                const double r = sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length));
                p -= rate * r * mh / (sqrt(v / (1.0 - pow(b2, t))) + 1e-8);
            } else {
                p -= rate * mh;
            }
            for (int i = 0; i < 19; i++) {
                gs[i] = (float)g;
            }
            const ami_step_scale s = ami_step_scale_at(&o, t - 1, 1.0);
            ops->step(ps, ms, vs, gs, 19, &s);
        }
        for (int i = 0; i < 19; i++) {
            check_near(ps[i], p, 1e-6);
        }
    }
}

static void schedules_give_their_rates(void **state)
{
    (void)state;
    ami_optimiser o = ami_optimiser_default();
    o.rate = 0.1f;
    o.factor = 0.5f;
    o.every = 10;
    o.iterations = 101;
    check_near(ami_optimiser_rate(&o, 77), 0.1, 1e-8);
    o.schedule = AMI_RATE_STEP;
    check_near(ami_optimiser_rate(&o, 9), 0.1, 1e-8);
    check_near(ami_optimiser_rate(&o, 25), 0.025, 1e-8);
    o.schedule = AMI_RATE_EXPONENTIAL;
    check_near(ami_optimiser_rate(&o, 5), 0.1 * sqrt(0.5), 1e-8);
    o.schedule = AMI_RATE_LINEAR;
    check_near(ami_optimiser_rate(&o, 50), 0.075, 1e-8);
    check_near(ami_optimiser_rate(&o, 500), 0.05, 1e-8);
}

/// The gradient as a whole against differences of the loss, and what clipping makes of it.
static void the_gradient_is_that_of_the_loss(void **state)
{
    (void)state;
    world w = make(usual(20, 3));
    float *grad = calloc(w.graph->weight_count, sizeof *grad), *other = calloc(w.graph->weight_count, sizeof *other);
    am_error err = { 0 };
    double loss = 0.0, up = 0.0, down = 0.0, length = 0.0;
    check_ok(ami_trainer_gradient(w.trainer, pass, &w, &loss, &grad, &err), &err);
    for (size_t i = 0; i < w.graph->weight_count; i += 37) {
        const float kept = w.graph->weights[i];
        w.graph->weights[i] = kept + 1e-3f;
        ami_trainer_gradient(w.trainer, pass, &w, &up, &other, &err);
        w.graph->weights[i] = kept - 1e-3f;
        ami_trainer_gradient(w.trainer, pass, &w, &down, &other, &err);
        w.graph->weights[i] = kept;
        check_near(grad[i], (up - down) / 2e-3, 5e-4);
    }
    for (size_t i = 0; i < w.graph->weight_count; i++) {
        length += (double)grad[i] * (double)grad[i];
    }
    assert_true(sqrt(length) > 0.05);
    end(&w);
    // A clip far below the length must step as the same gradient scaled: Adam's first moments show it.
    ami_trainer_def def = usual(20, 2);
    def.optimiser.clip = 0.01f;
    world clipped = make(def);
    train(&clipped, 1);
    double squares = 0.0;
    for (size_t i = 0; i < clipped.graph->weight_count; i++) {
        const double g = (double)clipped.trainer->parts[0].mean[i] / (1.0 - (double)def.optimiser.beta1);
        squares += g * g;
    }
    check_near(sqrt(squares), 0.01, 1e-5);
    end(&clipped);
    free(grad);
    free(other);
}

static void a_saved_trainer_goes_on_bit_for_bit(void **state)
{
    (void)state;
    am_error err = { 0 };
    world whole = make(usual(32, 2)), half = make(usual(32, 2)), rest = make(usual(32, 2));
    train(&whole, 30);
    train(&half, 13);
    am_bytes bytes;
    check_ok(ami_trainer_save(half.trainer, &bytes, &err), &err);
    check_ok(ami_trainer_load(rest.trainer, bytes.data, bytes.size, &err), &err);
    train(&rest, 17);
    assert_memory_equal(rest.graph->weights, whole.graph->weights, whole.graph->weight_count * sizeof(float));
    // Damaged bytes are refused and change nothing.
    for (size_t i = 0; i < bytes.size; i += bytes.size / 97 + 1) {
        bytes.data[i] ^= 0x40;
        assert_true(ami_trainer_load(rest.trainer, bytes.data, bytes.size, &err) != AM_OK);
        bytes.data[i] ^= 0x40;
        assert_true(ami_trainer_load(rest.trainer, bytes.data, i, &err) != AM_OK);
    }
    assert_memory_equal(rest.graph->weights, whole.graph->weights, whole.graph->weight_count * sizeof(float));
    am_bytes_free(&bytes);
    end(&whole);
    end(&half);
    end(&rest);
}

static double bad_pass(void *user, ami_train_block *block)
{
    (void)pass(user, block);
    return (double)NAN;
}

static void a_loss_that_is_no_number_stops_before_the_step(void **state)
{
    (void)state;
    world w = make(usual(32, 2));
    float *before = malloc(w.graph->weight_count * sizeof *before);
    memcpy(before, w.graph->weights, w.graph->weight_count * sizeof *before);
    am_error err = { 0 };
    double loss = 0.0;
    check_refused(ami_trainer_step(w.trainer, bad_pass, &w, &loss, &err), AM_ERR_NUMBER);
    assert_memory_equal(before, w.graph->weights, w.graph->weight_count * sizeof *before);
    assert_int_equal(ami_trainer_iteration(w.trainer), 0);
    free(before);
    end(&w);
}

static double endless_pass(void *user, ami_train_block *block)
{
    const double loss = pass(user, block);
    const world *w = user;
    ami_block_grad(block, 0, w->y, 0)[0] = INFINITY;
    ami_block_backward(block, 0, 0);
    return loss;
}

static void an_endless_gradient_is_neither_clipped_nor_saved(void **state)
{
    (void)state;
    am_error err = { 0 };
    double loss = 0.0;
    ami_trainer_def def = usual(32, 2);
    def.optimiser.clip = 1.0f;
    world w = make(def);
    float *before = malloc(w.graph->weight_count * sizeof *before);
    memcpy(before, w.graph->weights, w.graph->weight_count * sizeof *before);
    check_refused(ami_trainer_step(w.trainer, endless_pass, &w, &loss, &err), AM_ERR_NUMBER);
    assert_memory_equal(before, w.graph->weights, w.graph->weight_count * sizeof *before);
    free(before);
    end(&w);
    // Unclipped it is stepped before anybody looks: the state is no checkpoint, and the next loss shows it.
    w = make(usual(32, 2));
    am_bytes bytes = { 0 };
    check_ok(ami_trainer_step(w.trainer, endless_pass, &w, &loss, &err), &err);
    check_refused(ami_trainer_save(w.trainer, &bytes, &err), AM_ERR_NUMBER);
    assert_null(bytes.data);
    check_refused(ami_trainer_step(w.trainer, pass, &w, &loss, &err), AM_ERR_NUMBER);
    end(&w);
}

static void a_weight_that_is_no_number_shows_behind_a_relu(void **state)
{
    (void)state;
    world w = make(usual(32, 1));
    am_error err = { 0 };
    double loss = 0.0;
    for (int t = 0; t < w.graph->tensor_count; t++) {
        if (w.graph->tensors[t].rows == 33) { // the layer before the ReLU
            w.graph->weights[w.graph->tensors[t].offset + 7] = NAN;
        }
    }
    check_refused(ami_trainer_step(w.trainer, pass, &w, &loss, &err), AM_ERR_NUMBER);
    end(&w);
}

static double delayed_pass(void *user, ami_train_block *block)
{
    const world *w = user;
    const int n = ami_block_columns(block);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 0.5 };
    float *target = ami_block_scratch(block, 4 * (size_t)n);
    double value = 0.0;
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 4; i++) {
            for (int c = 0; c < ami_block_used(block); c++) {
                ami_block_value(block, 0, w->x, t)[i * n + c] = input_of((uint64_t)(c + t), i);
                target[i * n + c] = t ? input_of((uint64_t)c, i) : 0.0f; // what came before
            }
        }
        ami_block_forward(block, 0, t);
        value += ami_block_loss(block, &loss, ami_block_grad(block, 0, w->y, t), ami_block_value(block, 0, w->y, t),
                                target, 4);
    }
    for (int t = 1; t >= 0; t--) {
        ami_block_backward(block, 0, t);
    }
    return value;
}

static void a_state_may_take_over_an_input(void **state)
{
    (void)state;
    world w = { .samples = 8 };
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&w.graph, "delay", NULL, &err), &err);
    w.x = ami_net_graph_input(w.graph, "x", 4);
    const int before = ami_net_graph_state(w.graph, "before", 4);
    ami_net_graph_keep(w.graph, before, w.x);
    const int seen = ami_net_graph_concat(w.graph, (int[]){ w.x, before }, 2);
    w.y = ami_net_graph_linear(w.graph, seen, 4);
    ami_net_graph_output(w.graph, "y", w.y);
    check_ok(ami_net_graph_finish(w.graph, &err), &err);
    ami_net_graph_randomise(w.graph, 5);
    ami_trainer_def def = usual(16, 1);
    def.slots = 2;
    def.graphs = &w.graph;
    def.graph_count = 1;
    def.optimiser.rate = 0.02f;
    check_ok(ami_trainer_create(&w.trainer, &def, &err), &err);
    double loss = 1.0;
    for (int i = 0; i < 1000; i++) {
        check_ok(ami_trainer_step(w.trainer, delayed_pass, &w, &loss, &err), &err);
    }
    assert_true(loss < 1e-4);
    end(&w);
}

static double far_pass(void *user, ami_train_block *block)
{
    const world *w = user;
    const int n = ami_block_columns(block);
    for (int c = 0; c < n; c++) {
        ami_block_value(block, 0, w->x, 0)[c] = 100000.0f + (float)c / 64.0f;
    }
    ami_block_forward(block, 0, 0);
    for (int c = 0; c < n; c++) {
        check_near(ami_block_value(block, 0, w->y, 0)[c], 10.0 * c / 64.0, 1e-5);
    }
    ami_block_backward(block, 0, 0);
    return 0.0;
}

/// A mean that is large beside the deviation must not eat the digits, as x * scale - mean * scale would.
static void data_far_from_zero_keep_their_digits(void **state)
{
    (void)state;
    world w = { 0 };
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&w.graph, "far", NULL, &err), &err);
    w.x = ami_net_graph_input(w.graph, "x", 1);
    w.y = ami_net_graph_normalise(w.graph, w.x);
    ami_net_graph_output(w.graph, "y", ami_net_graph_linear(w.graph, w.y, 1));
    check_ok(ami_net_graph_finish(w.graph, &err), &err);
    ami_net_graph_randomise(w.graph, 1);
    *ami_net_graph_tensor(w.graph, w.y, 0) = 100000.0f;
    *ami_net_graph_tensor(w.graph, w.y, 1) = 10.0f;
    ami_trainer_def def = usual(16, 1);
    def.isa = "base"; // where the sum of a product is rounded twice
    def.graphs = &w.graph;
    def.graph_count = 1;
    double loss = 0.0;
    check_ok(ami_trainer_create(&w.trainer, &def, &err), &err);
    check_ok(ami_trainer_step(w.trainer, far_pass, &w, &loss, &err), &err);
    end(&w);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    world w = make(usual(32, 1));
    ami_trainer *t = NULL;
    am_error err = { 0 };
    for (int i = 0; i < 7; i++) {
        ami_trainer_def def = usual(32, 1);
        def.graphs = &w.graph;
        def.graph_count = 1;
        def.cookie -= i == 0;
        def.graph_count -= i == 1;
        def.batch -= i == 2 ? 32 : 0;
        def.slots -= i == 3;
        def.optimiser.rate = i == 4 ? NAN : 0.1f;
        def.optimiser.beta2 = i == 5 ? 1.0f : 0.9f;
        def.optimiser.clip = i == 6 ? -1.0f : 0.0f;
        check_refused(ami_trainer_create(&t, &def, &err), AM_ERR_DEF);
        assert_null(t);
    }
    ami_trainer_def def = usual(32, 1);
    def.graphs = &w.graph;
    def.graph_count = 1;
    def.isa = "abacus";
    check_refused(ami_trainer_create(&t, &def, &err), AM_ERR_SUPPORT);
    end(&w);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    world w = make(usual(32, 1));
    for (size_t n = 1;; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        const am_alloc alloc = ami_budget_alloc(&budget);
        ami_trainer_def def = usual(32, 2);
        def.graphs = &w.graph;
        def.graph_count = 1;
        def.alloc = &alloc;
        ami_trainer *t = NULL;
        am_error err = { 0 };
        const am_result result = ami_trainer_create(&t, &def, &err);
        ami_trainer_destroy(t);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(result, AM_ERR_MEMORY);
    }
    end(&w);
}

// ---------------------------------------------------------------------------------------------
// Losses

enum { rows = 3, columns = 16, used = 11 };

static double loss_at(ami_loss_kind kind, const ami_train_block *block, float *dy, const float *y)
{
    static const float weights[rows] = { 0.5f, 1.0f, 2.5f };
    static const float zeros[rows * columns];
    const ami_loss loss = { kind, weights, 1.7 };
    return ami_block_loss(block, &loss, dy, y, zeros, rows);
}

static void gradients_of_losses_match_differences(void **state)
{
    (void)state;
    world w = make(usual(used, 1));
    const ami_train_block *block = &w.trainer->blocks[0];
    static const ami_loss_kind kinds[] = { AMI_LOSS_L2, AMI_LOSS_L1, AMI_LOSS_HUBER };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        float y[rows * columns], dy[rows * columns] = { 0 }, other[rows * columns] = { 0 };
        for (int i = 0; i < rows * columns; i++) {
            y[i] = 1.6f * (float)sin(1.0 + 2.3 * i);
        }
        assert_true(loss_at(kinds[k], block, dy, y) > 0.0);
        for (int i = 0; i < rows * columns; i++) {
            const float kept = y[i], h = 1e-3f;
            y[i] = kept + h;
            const double up = loss_at(kinds[k], block, other, y);
            y[i] = kept - h;
            const double down = loss_at(kinds[k], block, other, y);
            y[i] = kept;
            check_near(dy[i], (up - down) / (2.0 * (double)h), 1e-3 * fabs((double)dy[i]) + 2e-4);
            if (i % columns >= used) {
                assert_true(dy[i] == 0.0f);
            }
        }
    }
    end(&w);
}

/// Sixteen steps, after each eighth of which the average moves.
static void averages_follow_the_weights(void **state)
{
    (void)state;
    ami_trainer_def def = ami_trainer_def_default();
    def.batch = 8;
    def.threads = 1;
    def.optimiser.rate = 0.01f;
    def.optimiser.average = 0.5f;
    world w = make(def);
    am_error err = { 0 };
    const size_t count = w.graph->weight_count;
    float *want = calloc(count, sizeof *want), *weights = calloc(count, sizeof *weights);
    memcpy(want, w.graph->weights, count * sizeof *want);
    for (int i = 1; i <= 16; i++) {
        double loss;
        check_ok(ami_trainer_step(w.trainer, pass, &w, &loss, &err), &err);
        const float keep = 1.0f / 256; // less than the start's (1 + 1) / (10 + 1)
        for (size_t k = 0; k < count && i % 8 == 0; k++) {
            want[k] += (1.0f - keep) * (w.graph->weights[k] - want[k]);
        }
    }
    memcpy(weights, w.graph->weights, count * sizeof *weights);
    ami_trainer_swap_average(w.trainer);
    for (size_t k = 0; k < count; k++) {
        assert_true(fabsf(w.graph->weights[k] - want[k]) < 1e-6f);
    }
    ami_trainer_swap_average(w.trainer);
    assert_memory_equal(w.graph->weights, weights, count * sizeof *weights);
    free(want);
    free(weights);
    end(&w);
}

static void frozen_tensors_stay(void **state)
{
    (void)state;
    ami_trainer_def def = ami_trainer_def_default();
    def.batch = 8;
    def.threads = 1;
    world w = make(def);
    am_error err = { 0 };
    // Of a graph whose last layer is frozen only what comes before it learns.
    am_net_graph *g = NULL;
    check_ok(ami_net_graph_copy(&g, w.graph, NULL, &err), &err);
    const int last = g->ops[g->op_count - 1].tensor[0], bias = g->ops[g->op_count - 1].tensor[1];
    g->tensors[last].flags |= AM_NET_FROZEN;
    g->tensors[bias].flags |= AM_NET_FROZEN;
    world fixed = { .graph = g, .x = w.x, .y = w.y, .samples = 8 };
    def.graphs = &fixed.graph;
    def.graph_count = 1;
    check_ok(ami_trainer_create(&fixed.trainer, &def, &err), &err);
    double first = 0.0, loss = 0.0;
    for (int i = 0; i < 200; i++) {
        check_ok(ami_trainer_step(fixed.trainer, pass, &fixed, &loss, &err), &err);
        first = i == 0 ? loss : first;
    }
    assert_true(loss < 0.5 * first);
    const am_net_tensor *t = &g->tensors[last];
    assert_memory_equal(g->weights + t->offset, w.graph->weights + t->offset,
                        ami_net_tensor_count(t) * sizeof(float));
    end(&fixed);
    end(&w);
}

TEST_SUITE(trainer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_follow_the_weights),
        cmocka_unit_test(frozen_tensors_stay),
        cmocka_unit_test(eight_samples_are_learnt_by_heart),
        cmocka_unit_test(weights_do_not_depend_on_threads),
        cmocka_unit_test(first_losses_are_pinned),
        cmocka_unit_test(steps_follow_the_published_formulas),
        cmocka_unit_test(schedules_give_their_rates),
        cmocka_unit_test(the_gradient_is_that_of_the_loss),
        cmocka_unit_test(a_saved_trainer_goes_on_bit_for_bit),
        cmocka_unit_test(a_loss_that_is_no_number_stops_before_the_step),
        cmocka_unit_test(an_endless_gradient_is_neither_clipped_nor_saved),
        cmocka_unit_test(a_weight_that_is_no_number_shows_behind_a_relu),
        cmocka_unit_test(a_state_may_take_over_an_input),
        cmocka_unit_test(data_far_from_zero_keep_their_digits),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(gradients_of_losses_match_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
