// A small recurrent network against PyTorch: outputs, gradients and twelve steps of Adam and RAdam, from the stored
// tests/reference/training.txt (made by scripts/reference_training.py).
#include "support/check.h"

#include "train/trainer.h"
#include "net/build.h"

#include <amble/train.h>
#include <math.h>

enum { steps = 3, samples = 6, n_in = 5, n_out = 3, tensors = 12 };

typedef struct reference {
    char *text;
    const char *at;
} reference;

/// The next array, which must be called `name`; numbers into out[most]. Returns how many.
static int next(reference *r, const char *name, float *out, int most)
{
    const size_t length = strlen(name);
    if (strncmp(r->at, name, length) != 0 || r->at[length] != ' ') {
        fail_msg("the reference has '%.20s' where '%s' should be", r->at, name);
    }
    char *end = NULL;
    const int count = (int)strtol(r->at + length, &end, 10);
    assert_true(*end == ':' && count <= most);
    end++;
    for (int i = 0; i < count; i++) {
        out[i] = strtof(end, &end);
    }
    r->at = end + 1;
    return count;
}

typedef struct world {
    am_net_graph *graph;
    ami_trainer *trainer;
    int x, y;
    float inputs[steps * samples * n_in], targets[steps * samples * n_out];
} world;

/// The tensor of that place in the reference's order: operations as they were built.
static float *tensor_at(const am_net_graph *g, int i, size_t *count)
{
    *count = ami_net_tensor_count(&g->tensors[i]);
    return g->weights + g->tensors[i].offset;
}

static void build(world *w)
{
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&w->graph, "test", NULL, &err), &err);
    am_net_graph *g = w->graph;
    w->x = ami_net_graph_input(g, "x", n_in);
    const int h = ami_net_graph_state(g, "h", 4);
    const int u = ami_net_graph_activation(g, ami_net_graph_linear(g, w->x, 7), AM_NET_GELU);
    const int both = ami_net_graph_concat(g, (int[]){ ami_net_graph_layer_norm(g, u), w->x }, 2);
    const int next_h =
        ami_net_graph_gru(g, ami_net_graph_activation(g, ami_net_graph_linear(g, both, 6), AM_NET_ELU), h);
    ami_net_graph_keep(g, h, next_h);
    w->y = ami_net_graph_linear(g, next_h, n_out);
    ami_net_graph_output(g, "y", w->y);
    check_ok(ami_net_graph_finish(g, &err), &err);
    assert_int_equal(g->tensor_count, tensors);
}

static double pass(void *user, ami_train_block *block)
{
    const world *w = user;
    const int n = ami_block_columns(block);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 / steps };
    double value = 0.0;
    for (int t = 0; t < steps; t++) {
        float *x = ami_block_value(block, 0, w->x, t);
        for (int c = 0; c < samples; c++) {
            for (int i = 0; i < n_in; i++) {
                x[i * n + c] = w->inputs[(t * samples + c) * n_in + i];
            }
        }
        ami_block_forward(block, 0, t);
        float *target = ami_block_scratch(block, (size_t)(n_out * n));
        for (int c = 0; c < samples; c++) {
            for (int i = 0; i < n_out; i++) {
                target[i * n + c] = w->targets[(t * samples + c) * n_out + i];
            }
        }
        value += ami_block_loss(block, &loss, ami_block_grad(block, 0, w->y, t), ami_block_value(block, 0, w->y, t),
                                target, n_out);
    }
    for (int t = steps - 1; t >= 0; t--) {
        ami_block_backward(block, 0, t);
    }
    return value;
}

static void set_weights(const world *w, const float *start)
{
    for (int i = 0; i < tensors; i++) {
        size_t count = 0;
        float *to = tensor_at(w->graph, i, &count);
        memcpy(to, start, count * sizeof *to);
        start += count;
    }
}

static void check_weights(const float *have, const am_net_graph *g, reference *r, const char *name, double tolerance)
{
    float want[256];
    for (int i = 0; i < tensors; i++) {
        const int count = next(r, name, want, 256);
        assert_int_equal(count, ami_net_tensor_count(&g->tensors[i]));
        for (int k = 0; k < count; k++) {
            check_near(have[g->tensors[i].offset + (size_t)k], want[k], tolerance);
        }
    }
}

static void make_trainer(world *w, const char *isa, ami_optimiser_kind kind)
{
    ami_trainer_def def = ami_trainer_def_default();
    def.graphs = &w->graph;
    def.graph_count = 1;
    def.batch = samples;
    def.slots = steps;
    def.threads = 1;
    def.isa = isa;
    def.optimiser.kind = kind;
    def.optimiser.rate = 0.01f;
    am_error err = { 0 };
    check_ok(ami_trainer_create(&w->trainer, &def, &err), &err);
}

/// Opens the stored tensors and reads what a training begins with: inputs, targets, weights, and the outputs y.
static reference begin(world *w, float start[1024], float *y)
{
    size_t size = 0;
    reference r = { .text = test_read_file(AMBLE_SOURCE_DIR "/tests/reference/training.txt", &size) };
    r.at = r.text;
    build(w);
    next(&r, "x", w->inputs, steps * samples * n_in);
    next(&r, "target", w->targets, steps * samples * n_out);
    int total = 0;
    for (int i = 0; i < tensors; i++) {
        total += next(&r, "weights", start + total, 1024 - total);
    }
    const int y_count = next(&r, "y", y, steps * samples * n_out);
    assert_int_equal(y_count, steps * samples * n_out);
    return r;
}

static void check_isa(const char *isa)
{
    world w = { 0 };
    float start[1024], y[steps * samples * n_out], loss = 0.0f;
    reference r = begin(&w, start, y);
    next(&r, "loss", &loss, 1);
    set_weights(&w, start);
    make_trainer(&w, isa, AMI_ADAM);
    float *gradient = calloc(w.graph->weight_count, sizeof *gradient);
    double value = 0.0;
    am_error err = { 0 };
    check_ok(ami_trainer_gradient(w.trainer, pass, &w, &value, &gradient, &err), &err);
    check_near(value, loss, 1e-5);
    check_weights(gradient, w.graph, &r, "gradient", 1e-5);
    free(gradient);
    for (int kind = 0; kind < 2; kind++) {
        ami_trainer_destroy(w.trainer);
        set_weights(&w, start);
        make_trainer(&w, isa, kind ? AMI_RADAM : AMI_ADAM);
        for (int i = 0; i < 12; i++) {
            check_ok(ami_trainer_step(w.trainer, pass, &w, &value, &err), &err);
        }
        check_weights(w.graph->weights, w.graph, &r, kind ? "radam" : "adam", 5e-5);
    }
    ami_trainer_destroy(w.trainer);
    am_net_graph_destroy(w.graph);
    free(r.text);
}

static void training_is_that_of_pytorch(void **state)
{
    (void)state;
    check_isa("base");
    check_isa(NULL);
}

/// Outputs of each step, with the first block's columns as samples.
static double keep_outputs(void *user, ami_train_block *block)
{
    world *w = user;
    const double value = pass(user, block);
    for (int t = 0; t < steps; t++) {
        const float *y = ami_block_value(block, 0, w->y, t);
        for (int c = 0; c < samples; c++) {
            for (int i = 0; i < n_out; i++) {
                w->targets[(t * samples + c) * n_out + i] = y[i * ami_block_columns(block) + c];
            }
        }
    }
    return value;
}

static void outputs_are_those_of_pytorch(void **state)
{
    (void)state;
    world w = { 0 };
    float start[1024], y[steps * samples * n_out];
    reference r = begin(&w, start, y);
    set_weights(&w, start);
    make_trainer(&w, NULL, AMI_ADAM);
    float *gradient = calloc(w.graph->weight_count, sizeof *gradient);
    double value = 0.0;
    am_error err = { 0 };
    check_ok(ami_trainer_gradient(w.trainer, keep_outputs, &w, &value, &gradient, &err), &err);
    for (int i = 0; i < steps * samples * n_out; i++) {
        check_near(w.targets[i], y[i], 1e-5);
    }
    free(gradient);
    ami_trainer_destroy(w.trainer);
    am_net_graph_destroy(w.graph);
    free(r.text);
}

TEST_SUITE(torch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_that_of_pytorch),
        cmocka_unit_test(outputs_are_those_of_pytorch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
