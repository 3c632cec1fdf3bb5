// Rounding to int8 with samples: inputs that go together must suffer far less than by plain rounding.
#include "runtime/net/zoo.h"

#include "base/budget.h"

#include <math.h>

enum { inputs = 12, outputs = 9, sample_count = 512 };
static const int widths[3] = { inputs, 64, outputs };

/// Twelve numbers made of three: what a network meets is seldom as manifold as its input is wide.
static void draw_samples(float *out, uint64_t seed)
{
    am_rng rng = ami_rng_make(seed), mix_rng = ami_rng_make(5);
    float mix[inputs][3];
    for (int i = 0; i < inputs; i++) {
        for (int k = 0; k < 3; k++) {
            mix[i][k] = am_rng_normal(&mix_rng);
        }
    }
    for (int s = 0; s < sample_count; s++) {
        float causes[3] = { am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng) };
        for (int i = 0; i < inputs; i++) {
            out[s * inputs + i] = 0.5f + mix[i][0] * causes[0] + mix[i][1] * causes[1] + mix[i][2] * causes[2];
        }
    }
}

static am_model *pack(const am_net_graph *graph, const float *samples, int count)
{
    static const am_net_weights eight = AM_NET_INT8;
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = ami_model_def_default();
    def.graphs = &graph;
    def.graph_count = 1;
    def.weights = &eight;
    def.samples = samples ? &samples : NULL;
    def.sample_count = count;
    check_ok(am_model_create(&model, &def, &err), &err);
    return model;
}

/// RMS of what a model answers to the samples against what another does.
static double apart(const am_model *a, const am_model *b, const float *samples, const char *kernels)
{
    zoo_net x = zoo_ready(a, AM_NET_EXACT, NULL, 1), y = zoo_ready(b, AM_NET_EXACT, kernels, 1);
    double sum = 0.0;
    for (int s = 0; s < sample_count; s++) {
        am_net_put(x.work, 0, 0, samples + s * inputs);
        am_net_put(y.work, 0, 0, samples + s * inputs);
        am_net_run(x.net, x.work, 1);
        am_net_run(y.net, y.work, 1);
        for (int i = 0; i < outputs; i++) {
            double d = (double)ami_net_output(x.work, 0, 0, 0)[i] - (double)ami_net_output(y.work, 0, 0, 0)[i];
            sum += d * d;
        }
    }
    zoo_end(&x);
    zoo_end(&y);
    return sqrt(sum / (sample_count * outputs));
}

static void rounding_that_knows_its_inputs_errs_less(void **state)
{
    (void)state;
    static float seen[sample_count * inputs], fresh[sample_count * inputs];
    draw_samples(seen, 1);
    draw_samples(fresh, 2);
    am_net_graph *graph = zoo_mlp("mlp", widths, 3, 4);
    am_model *whole = zoo_model(graph, AM_NET_FP32), *plain = pack(graph, NULL, sample_count);
    am_model *fitted = pack(graph, seen, sample_count), *again = pack(graph, seen, sample_count);
    double by_plain = apart(whole, plain, fresh, NULL), by_fitted = apart(whole, fitted, fresh, NULL);
    assert_true(by_fitted > 0.0 && by_fitted < 0.4 * by_plain);
    assert_true(fitted->parts[0].error_rms < plain->parts[0].error_rms);
    assert_true(fitted->hash == again->hash);
    assert_true(apart(fitted, fitted, fresh, "reference") == 0.0);
    assert_int_equal(fitted->image_size, plain->image_size);
    am_model_close(whole);
    am_model_close(plain);
    am_model_close(fitted);
    am_model_close(again);
    am_net_graph_destroy(graph);
}

static void what_was_fitted_is_packed_again_as_it_is(void **state)
{
    (void)state;
    static float seen[sample_count * inputs];
    draw_samples(seen, 1);
    am_error err = { 0 };
    am_net_graph *graph = zoo_mlp("mlp", widths, 3, 4), *unpacked = NULL;
    am_model *fitted = pack(graph, seen, sample_count);
    check_ok(am_model_graph(fitted, 0, &unpacked, NULL, &err), &err);
    am_model *repacked = pack(unpacked, NULL, sample_count);
    assert_true(apart(fitted, repacked, seen, NULL) < 1e-6);
    am_model_close(fitted);
    am_model_close(repacked);
    am_net_graph_destroy(graph);
    am_net_graph_destroy(unpacked);
}

/// Inputs that never move, rows of zeros and a single sample leave finite numbers.
static void poor_samples_do_no_harm(void **state)
{
    (void)state;
    static float still[sample_count * inputs];
    am_net_graph *graph = zoo_mlp("mlp", widths, 3, 4);
    memset(ami_net_graph_tensor(graph, ami_net_graph_output_at(graph, 0), 0), 0, 2 * 64 * sizeof(float));
    for (int count = 1; count <= sample_count; count *= sample_count) {
        am_error err = { 0 };
        am_model *model = pack(graph, still, count), *whole = zoo_model(graph, AM_NET_FP32);
        check_ok(am_model_verify(model, &err), &err);
        assert_true(apart(whole, model, still, NULL) < 1e-2);
        am_model_close(model);
        am_model_close(whole);
    }
    am_net_graph_destroy(graph);
}

static void samples_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const am_net_weights eight = AM_NET_INT8;
    static float samples[2 * inputs];
    const float *all = samples;
    samples[inputs + 3] = NAN;
    am_net_graph *graph = zoo_mlp("mlp", widths, 3, 4);
    const am_net_graph *graphs[1] = { graph };
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = ami_model_def_default();
    def.graphs = graphs;
    def.graph_count = 1;
    def.weights = &eight;
    def.samples = &all;
    def.sample_count = 2;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_NUMBER);
    assert_non_null(strstr(err.text, "number 3 of sample 1"));
    am_net_graph_destroy(graph);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    static const am_net_weights eight = AM_NET_INT8;
    static float samples[4 * inputs];
    const float *all = samples;
    am_net_graph *graph = zoo_mlp("mlp", widths, 3, 4);
    const am_net_graph *graphs[1] = { graph };
    am_result result = AM_ERR_MEMORY;
    for (size_t n = 1; result != AM_OK; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_error err = { 0 };
        am_model *model = NULL;
        am_model_def def = ami_model_def_default();
        def.alloc = &alloc;
        def.graphs = graphs;
        def.graph_count = 1;
        def.weights = &eight;
        def.samples = &all;
        def.sample_count = 4;
        result = am_model_create(&model, &def, &err);
        assert_true(result == AM_OK || (result == AM_ERR_MEMORY && !model));
        am_model_close(model);
        assert_int_equal(budget.live_count, 0);
    }
    am_net_graph_destroy(graph);
}

TEST_SUITE(calibrate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_that_knows_its_inputs_errs_less),
        cmocka_unit_test(what_was_fitted_is_packed_again_as_it_is),
        cmocka_unit_test(poor_samples_do_no_harm),
        cmocka_unit_test(samples_that_are_not_finite_are_refused),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
