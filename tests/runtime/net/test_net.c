// Evaluation: every layer against PyTorch, the fast path against the plain one, batches against single samples, every
// version of the kernels against the reference.
#include "runtime/net/torch_cases.h"
#include "runtime/net/zoo.h"

#include "kernel/layers.h"
#include "base/budget.h"

#include <math.h>

/// Runs the net on the case's samples (in time order where there is a state) and compares with PyTorch's outputs; the
/// plain evaluation is held to the same numbers where there is no state.
static void check_case(am_net_graph *g, const torch_case *c, int batch, int steps)
{
    am_model *model = zoo_model(g, AM_NET_FP32);
    zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, batch);
    int width = am_net_output_size(z.net, 0);
    assert_int_equal(c->output.count, (size_t)steps * (size_t)batch * (size_t)width);
    float *out = calloc((size_t)width, sizeof *out);
    for (int t = 0; t < steps; t++) {
        for (int s = 0; s < batch; s++) {
            for (int i = 0; i < c->input_count; i++) {
                am_net_put(z.work, i, s, c->inputs[i].data + (t * batch + s) * am_net_input_size(z.net, i));
            }
        }
        am_net_run(z.net, z.work, batch);
        for (int s = 0; s < batch; s++) {
            am_net_get(z.work, 0, s, out);
            for (int i = 0; i < width; i++) {
                check_near(out[i], c->output.data[(t * batch + s) * width + i], 1e-5);
            }
        }
    }
    free(out);
    zoo_end(&z);
    am_model_close(model);
}

/// The same by ami_net_graph_eval.
static void check_plain(const am_net_graph *g, const torch_case *c, int batch)
{
    double **values = calloc((size_t)g->value_count, sizeof *values);
    int input = 0;
    for (int v = 0; v < g->value_count; v++) {
        size_t count = (size_t)batch * (size_t)g->values[v].rows * (size_t)g->values[v].width;
        values[v] = calloc(count, sizeof **values);
        if (g->values[v].role == AM_NET_INPUT) {
            for (size_t i = 0; i < count; i++) {
                values[v][i] = (double)c->inputs[input].data[i];
            }
            input++;
        }
    }
    ami_net_graph_eval(g, values, batch);
    for (size_t i = 0; i < c->output.count; i++) {
        check_near(values[ami_net_graph_output_at(g, 0)][i], c->output.data[i], 1e-5);
    }
    for (int v = 0; v < g->value_count; v++) {
        free(values[v]);
    }
    free(values);
}

static void every_layer_equals_pytorch(void **state)
{
    (void)state;
    char *text = torch_text();
    for (size_t n = 0; n < torch_layer_count; n++) {
        torch_case c = torch_load(text, torch_layers[n]);
        am_net_graph *g = torch_build_layer(&c, torch_layers[n]);
        check_case(g, &c, torch_batch, 1);
        check_plain(g, &c, torch_batch);
        am_net_graph_destroy(g);
        torch_free(&c);
    }
    free(text);
}

static void gru_steps_like_pytorch(void **state)
{
    (void)state;
    char *text = torch_text();
    torch_case c = torch_load(text, "gru");
    am_net_graph *g = torch_build_gru(&c);
    check_case(g, &c, 3, 4);
    am_net_graph_destroy(g);
    torch_free(&c);
    free(text);
}

static void flow_network_equals_pytorch(void **state)
{
    (void)state;
    char *text = torch_text();
    torch_case c = torch_load(text, "flow");
    am_net_graph *g = torch_build_flow(&c);
    check_case(g, &c, 4, 1);
    check_plain(g, &c, 4);
    am_net_graph_destroy(g);
    torch_free(&c);
    free(text);
}

// ---------------------------------------------------------------------------------------------
// The zoo

enum { zoo_batch = 9, zoo_steps = 3 };

/// All outputs of three steps of nine samples, evaluated in batches of `batch`.
static void run_zoo(float out[zoo_steps][zoo_batch][15], const am_model *model, am_net_mode mode, const char *kernels,
                    int batch)
{
    for (int first = 0; first < zoo_batch; first += batch) {
        zoo_net z = zoo_ready(model, mode, kernels, batch);
        for (int t = 0; t < zoo_steps; t++) {
            int count = zoo_batch - first < batch ? zoo_batch - first : batch;
            for (int s = 0; s < count; s++) {
                zoo_put(&z, s, t * zoo_batch + first + s);
            }
            am_net_run(z.net, z.work, count);
            for (int s = 0; s < count; s++) {
                am_net_get(z.work, 0, s, out[t][first + s]);
                am_net_get(z.work, 1, s, out[t][first + s] + 11);
            }
        }
        zoo_end(&z);
    }
}

/// The same by ami_net_graph_eval, states carried by hand.
static void eval_zoo(double out[zoo_steps][zoo_batch][15], const am_net_graph *g)
{
    double **values = calloc((size_t)g->value_count, sizeof *values);
    for (int v = 0; v < g->value_count; v++) {
        values[v] = calloc((size_t)(zoo_batch * g->values[v].rows * g->values[v].width), sizeof **values);
    }
    int h = ami_net_graph_state_at(g, 0);
    for (int t = 0; t < zoo_steps; t++) {
        for (int s = 0; s < zoo_batch; s++) {
            float x[21], set[30], scalars[3];
            zoo_inputs(x, set, scalars, t * zoo_batch + s);
            for (int i = 0; i < 21; i++) {
                values[ami_net_graph_find(g, "x")][s * 21 + i] = (double)x[i];
            }
            for (int i = 0; i < 30; i++) {
                values[ami_net_graph_find(g, "set")][s * 30 + i] = (double)set[i];
            }
            values[ami_net_graph_find(g, "count")][s] = (double)scalars[0];
            values[ami_net_graph_find(g, "index")][s] = (double)scalars[1];
            values[ami_net_graph_find(g, "position")][s] = (double)scalars[2];
        }
        ami_net_graph_eval(g, values, zoo_batch);
        for (int s = 0; s < zoo_batch; s++) {
            memcpy(out[t][s], values[ami_net_graph_output_at(g, 0)] + s * 11, 11 * sizeof(double));
            memcpy(out[t][s] + 11, values[ami_net_graph_output_at(g, 1)] + s * 4, 4 * sizeof(double));
        }
        memcpy(values[h], values[g->values[h].next], zoo_batch * 19 * sizeof(double));
    }
    for (int v = 0; v < g->value_count; v++) {
        free(values[v]);
    }
    free(values);
}

static void all_operations_agree_with_the_plain_evaluation(void **state)
{
    (void)state;
    static float out[zoo_steps][zoo_batch][15];
    static double plain[zoo_steps][zoo_batch][15];
    am_net_graph *g = zoo_all(NULL);
    am_model *model = zoo_model(g, AM_NET_FP32);
    eval_zoo(plain, g);
    for (int mode = 0; mode < 2; mode++) {
        run_zoo(out, model, (am_net_mode)mode, NULL, zoo_batch);
        for (int i = 0; i < zoo_steps * zoo_batch * 15; i++) {
            check_near((&out[0][0][0])[i], (&plain[0][0][0])[i], 2e-5);
        }
    }
    am_model_close(model);
    am_net_graph_destroy(g);
}

static void any_kernels_and_any_batch_give_the_same_bits(void **state)
{
    (void)state;
    static float want[zoo_steps][zoo_batch][15], out[zoo_steps][zoo_batch][15];
    am_net_graph *g = zoo_all(NULL);
    for (int w = 0; w < 3; w++) {
        am_model *model = zoo_model(g, (am_net_weights)w);
        run_zoo(want, model, AM_NET_EXACT, "reference", 1);
        for (size_t k = 0; ami_layers_at(k); k++) {
            for (int batch = 1; batch <= zoo_batch; batch += 4) {
                memset(out, 0, sizeof out);
                run_zoo(out, model, AM_NET_EXACT, ami_layers_at(k)->name, batch);
                assert_memory_equal(out, want, sizeof out);
            }
        }
        am_model_close(model);
    }
    am_net_graph_destroy(g);
}

// Runs go through the panels of a matrix to and fro: 26 panels are more than are taken at a time.
static void a_run_backwards_gives_the_bits_of_one_forwards(void **state)
{
    (void)state;
    const int widths[3] = { 21, 205, 405 };
    am_net_graph *g = zoo_mlp("wide", widths, 3, 5);
    for (int w = AM_NET_FP32; w <= AM_NET_INT8; w++) {
        am_model *model = zoo_model(g, (am_net_weights)w);
        zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, 1);
        float x[21], first[405], again[405];
        for (int i = 0; i < 21; i++) {
            x[i] = 0.3f * (float)(i % 7) - 1.0f;
        }
        am_net_put(z.work, 0, 0, x);
        am_net_run(z.net, z.work, 1);
        am_net_get(z.work, 0, 0, first);
        for (int run = 0; run < 2; run++) {
            memset(ami_net_input(z.work, 0, 0, 0), 0, sizeof x);
            am_net_run(z.net, z.work, 1); // whatever lay in the outputs is written over
            am_net_put(z.work, 0, 0, x);
            am_net_run(z.net, z.work, 1);
            am_net_get(z.work, 0, 0, again);
            assert_memory_equal(again, first, sizeof first);
            am_net_run(z.net, z.work, 1);
        }
        zoo_end(&z);
        am_model_close(model);
    }
    am_net_graph_destroy(g);
}

static void a_run_allocates_nothing(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_net_graph *g = zoo_all(&alloc);
    am_error err = { 0 };
    am_model *model = NULL;
    am_model_def def = ami_model_def_default();
    const am_net_graph *graphs[1] = { g };
    const am_net_weights weights[1] = { AM_NET_INT8 };
    def.alloc = &alloc;
    def.graphs = graphs;
    def.graph_count = 1;
    def.weights = weights;
    check_ok(am_model_create(&model, &def, &err), &err);
    am_net_def net_def;
    am_net_def_init(&net_def);
    net_def.alloc = &alloc;
    net_def.model = model;
    zoo_net z = { 0 };
    check_ok(am_net_create(&z.net, &net_def, &err), &err);
    check_ok(am_net_work_create(&z.work, z.net, 6, &alloc, &err), &err);
    size_t before = budget.total_count;
    for (int s = 0; s < 6; s++) {
        zoo_put(&z, s, s);
    }
    am_net_run(z.net, z.work, 1);
    am_net_run(z.net, z.work, 6);
    assert_int_equal(budget.total_count, before);
    zoo_end(&z);
    am_model_close(model);
    am_net_graph_destroy(g);
    assert_int_equal(budget.live_count, 0);
}

static void states_can_be_saved_and_set_back(void **state)
{
    (void)state;
    am_net_graph *g = zoo_all(NULL);
    am_model *model = zoo_model(g, AM_NET_FP32);
    zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, 2);
    assert_int_equal(am_net_state_size(z.net), 19);
    assert_int_equal(ami_net_input_count(z.net), 5);
    assert_int_equal(am_net_input_find(z.net, "set"), 1);
    assert_int_equal(am_net_output_find(z.net, "gate"), 1);
    assert_int_equal(am_net_output_find(z.net, "none"), -1);
    assert_int_equal(ami_net_output_count(z.net), 2);
    float kept[19], first[11], again[11], fresh[11];
    zoo_put(&z, 0, 1);
    am_net_run(z.net, z.work, 1);
    am_net_get(z.work, 0, 0, fresh);
    am_net_state_get(z.work, 0, kept);
    am_net_run(z.net, z.work, 1);
    am_net_get(z.work, 0, 0, first);
    am_net_state_set(z.work, 0, kept);
    am_net_run(z.net, z.work, 1);
    am_net_get(z.work, 0, 0, again);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, fresh, sizeof first);
    am_net_reset(z.work);
    am_net_run(z.net, z.work, 1);
    am_net_get(z.work, 0, 0, again);
    assert_memory_equal(again, fresh, sizeof fresh);
    zoo_end(&z);
    am_model_close(model);
    am_net_graph_destroy(g);
}

static void a_number_that_is_none_comes_out_as_none(void **state)
{
    (void)state;
    const int widths[3] = { 8, 40, 5 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    for (int w = 0; w < 3; w++) {
        am_model *model = zoo_model(g, (am_net_weights)w);
        zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, 1);
        const float x[8] = { 1.0f, 2.0f, NAN, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f };
        am_net_put(z.work, 0, 0, x);
        am_net_run(z.net, z.work, 1);
        for (int i = 0; i < 5; i++) {
            float y = ami_net_output(z.work, 0, 0, 0)[i];
            assert_true(y != y);
        }
        zoo_end(&z);
        am_model_close(model);
    }
    am_net_graph_destroy(g);
}

/// Issue 4: RMS relative 1e-3 for fp16, 2e-2 for int8.
static void smaller_weights_state_their_error(void **state)
{
    (void)state;
    const int widths[5] = { 27, 256, 256, 256, 59 };
    am_net_graph *g = zoo_mlp("projector", widths, 5, 3);
    am_model *half = zoo_model(g, AM_NET_FP16), *eight = zoo_model(g, AM_NET_INT8),
             *plain = zoo_model(g, AM_NET_FP32);
    assert_true(half->parts[0].error_rms > 1e-5f && half->parts[0].error_rms < 1e-3f);
    assert_true(eight->parts[0].error_rms > 1e-3f && eight->parts[0].error_rms < 2e-2f);
    assert_true(eight->parts[0].error_max >= eight->parts[0].error_rms);
    assert_int_equal(eight->parts[0].error_samples, 64);
    assert_true(plain->parts[0].error_rms == 0.0f && plain->parts[0].error_samples == 0);
    assert_true(half->parts[0].bytes < plain->parts[0].bytes * 6 / 10);
    assert_true(eight->parts[0].bytes < plain->parts[0].bytes * 4 / 10);
    am_model_close(half);
    am_model_close(eight);
    am_model_close(plain);
    am_net_graph_destroy(g);
}

static void nets_refuse_wrong_defs(void **state)
{
    (void)state;
    const int widths[2] = { 3, 2 };
    am_net_graph *g = zoo_mlp("mlp", widths, 2, 1);
    am_model *model = zoo_model(g, AM_NET_FP32);
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_error err = { 0 };
    am_net_def def;
    am_net_def_init(&def);
    check_refused(am_net_create(&net, &def, &err), AM_ERR_DEF);
    def.model = model;
    def.part = 1;
    check_refused(am_net_create(&net, &def, &err), AM_ERR_DEF);
    def.part = 0;
    def.kernels = "abacus";
    check_refused(am_net_create(&net, &def, &err), AM_ERR_SUPPORT);
    def.kernels = NULL;
    check_ok(am_net_create(&net, &def, &err), &err);
    check_refused(am_net_work_create(&work, net, 0, NULL, &err), AM_ERR_DEF);
    check_refused(am_net_work_create(&work, net, AM_NET_MOST_BATCH + 1, NULL, &err), AM_ERR_DEF);
    am_net_destroy(net);
    am_model_close(model);
    am_net_graph_destroy(g);
}

TEST_SUITE(net)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_equals_pytorch),
        cmocka_unit_test(gru_steps_like_pytorch),
        cmocka_unit_test(flow_network_equals_pytorch),
        cmocka_unit_test(all_operations_agree_with_the_plain_evaluation),
        cmocka_unit_test(any_kernels_and_any_batch_give_the_same_bits),
        cmocka_unit_test(a_run_backwards_gives_the_bits_of_one_forwards),
        cmocka_unit_test(a_run_allocates_nothing),
        cmocka_unit_test(states_can_be_saved_and_set_back),
        cmocka_unit_test(a_number_that_is_none_comes_out_as_none),
        cmocka_unit_test(smaller_weights_state_their_error),
        cmocka_unit_test(nets_refuse_wrong_defs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
