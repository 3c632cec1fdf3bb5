// Training's own evaluation of every layer, and its gradients, directly against PyTorch's.
#include "runtime/net/torch_cases.h"

#include "train/plan.h"

#include <math.h>

enum { columns = 16 };

typedef struct run {
    ami_plan_f32 *plan;
    float *gradient;
    int batch, steps;
} run;

/// Number i of sample s at step t of an array (step, sample, size).
static size_t place_of(const run *r, int t, int s, int size, int i)
{
    return ((size_t)t * (size_t)r->batch + (size_t)s) * (size_t)size + (size_t)i;
}

static int size_of(const am_net_graph *g, int v) { return g->values[v].rows * g->values[v].width; }

static void forward(const run *r, const torch_case *c)
{
    const am_net_graph *g = r->plan->graph;
    for (int t = 0; t < r->steps; t++) {
        for (int i = 0; i < c->input_count; i++) {
            const int v = ami_net_graph_input_at(g, i), size = size_of(g, v);
            float *x = ami_plan_value_f32(r->plan, v, t, 0);
            for (int s = 0; s < r->batch * size; s++) {
                x[s % size * columns + s / size] = c->inputs[i].data[place_of(r, t, s / size, size, s % size)];
            }
        }
        ami_plan_forward_f32(r->plan, t, 0);
    }
}

static void check_outputs(const run *r, const torch_case *c)
{
    const int v = ami_net_graph_output_at(r->plan->graph, 0), size = size_of(r->plan->graph, v);
    assert_int_equal(c->output.count, (size_t)(r->steps * r->batch * size));
    for (int t = 0; t < r->steps; t++) {
        const float *y = ami_plan_value_f32(r->plan, v, t, 0);
        for (int s = 0; s < r->batch * size; s++) {
            check_near(y[s % size * columns + s / size], c->output.data[place_of(r, t, s / size, size, s % size)],
                       1e-5);
        }
    }
}

static void backward(const run *r)
{
    const int v = ami_net_graph_output_at(r->plan->graph, 0), size = size_of(r->plan->graph, v);
    for (int t = r->steps - 1; t >= 0; t--) {
        float *dy = ami_plan_grad_f32(r->plan, v, t, 0);
        for (int s = 0; dy && s < r->batch * size; s++) {
            dy[s % size * columns + s / size] +=
                (float)sin(1.0 + 0.9 * (double)place_of(r, t, s / size, size, s % size));
        }
        ami_plan_backward_f32(r->plan, t, 0);
    }
    for (int j = 0; j < r->plan->job_count; j++) {
        const ami_job *job = &r->plan->jobs[j];
        const am_net_tensor *tensors = r->plan->graph->tensors;
        ami_plan_gradient_f32(r->plan, j, 0, job->rows, r->gradient + tensors[job->tensor].offset,
                              job->tensor_2 >= 0 ? r->gradient + tensors[job->tensor_2].offset : NULL);
    }
}

/// How many gradients were compared.
static int check_gradients(const run *r, const torch_case *c, const char *name)
{
    const am_net_graph *g = r->plan->graph;
    int compared = 0;
    for (int i = 0; i < c->weight_count; i++) {
        const am_net_tensor *tensor = &g->tensors[i];
        for (size_t k = 0; k < c->d_weights[i].count && !(tensor->flags & AM_NET_FIXED); k++, compared++) {
            const float want = c->d_weights[i].data[k], have = r->gradient[tensor->offset + k];
            if (!(fabsf(have - want) <= 1e-5f * (1.0f + fabsf(want)))) {
                fail_msg("%s: gradient %zu of tensor %d is %.9g, PyTorch's %.9g", name, k, i, (double)have,
                         (double)want);
            }
        }
    }
    for (int i = 0; i < c->input_count; i++) {
        const int v = ami_net_graph_input_at(g, i), size = size_of(g, v);
        for (int k = 0; k < (int)c->d_inputs[i].count; k++, compared++) {
            const int t = k / (r->batch * size), s = k / size % r->batch;
            const float want = c->d_inputs[i].data[k];
            const float have = ami_plan_grad_f32(r->plan, v, t, 0)[k % size * columns + s];
            if (!(fabsf(have - want) <= 1e-5f * (1.0f + fabsf(want)))) {
                fail_msg("%s: gradient %d of input %d is %.9g, PyTorch's %.9g", name, k, i, (double)have,
                         (double)want);
            }
        }
    }
    return compared;
}

/// Forward and back on every instruction set; the number of gradients that were compared.
static int check_case(const am_net_graph *g, const torch_case *c, int batch, int steps, const char *name)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };
    int compared = 0;
    for (int i = 0; i < 3; i++) {
        const ami_ops_f32 *ops = ami_train_ops(isas[i]);
        if (!ops) {
            continue;
        }
        run r = { .batch = batch, .steps = steps };
        const ami_plan_def def = { g, columns, 1, steps, true, NULL, false };
        am_error err = { 0 };
        check_ok(ami_plan_create_f32(&r.plan, &def, ops, g->weights, &err), &err);
        r.gradient = calloc(g->weight_count + 1, sizeof *r.gradient);
        forward(&r, c);
        check_outputs(&r, c);
        backward(&r);
        compared = check_gradients(&r, c, name);
        free(r.gradient);
        ami_plan_destroy_f32(r.plan);
    }
    return compared;
}

static void every_layer_and_its_gradients_equal_pytorch(void **state)
{
    (void)state;
    char *text = torch_text();
    for (size_t n = 0; n < torch_layer_count; n++) {
        torch_case c = torch_load(text, torch_layers[n]);
        am_net_graph *g = torch_build_layer(&c, torch_layers[n]);
        const int compared = check_case(g, &c, torch_batch, 1, torch_layers[n]);
        const bool steps = strcmp(torch_layers[n], "one-hot") == 0 || strcmp(torch_layers[n], "count") == 0;
        assert_true(steps ? compared == 0 : compared > 0); // those two have no gradient
        am_net_graph_destroy(g);
        torch_free(&c);
    }
    free(text);
}

static void gru_through_time_equals_pytorch(void **state)
{
    (void)state;
    char *text = torch_text();
    torch_case c = torch_load(text, "gru");
    am_net_graph *g = torch_build_gru(&c);
    assert_true(check_case(g, &c, 3, 4, "gru") > 1000);
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
    assert_true(check_case(g, &c, 4, 1, "flow") > 1000);
    am_net_graph_destroy(g);
    torch_free(&c);
    free(text);
}

TEST_SUITE(torch_layers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_and_its_gradients_equal_pytorch),
        cmocka_unit_test(gru_through_time_equals_pytorch),
        cmocka_unit_test(flow_network_equals_pytorch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
