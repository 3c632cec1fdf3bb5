// Control encoders in training: the forward pass against the plain evaluation of the equations, and the gradients of
// all weights against finite differences.
#include "support/operators.h"

#include "in_double.h"

#include <math.h>

enum { samples = 24, columns = 16, blocks = 2 };

/// An encoder in double with values in every sample.
typedef struct subject {
    am_control_schema *schema;
    am_net_graph *graph;
    ami_plan_f64 *plan;
    double *weights;
    float *values; ///< [samples][value_count]
    am_transform root;
    int x, y;
} subject;

static subject subject_of(const char *text)
{
    subject s = { .schema = operators_schema(text) };
    s.graph = operators_graph(s.schema, 11);
    s.weights = calloc(s.graph->weight_count, sizeof *s.weights);
    for (size_t i = 0; i < s.graph->weight_count; i++) {
        s.weights[i] = (double)s.graph->weights[i];
    }
    const ami_plan_def def = { s.graph, columns, blocks, 1, true, NULL, false };
    am_error err = { 0 };
    check_ok(ami_plan_create_f64(&s.plan, &def, &ami_ops_double, s.weights, &err), &err);
    s.x = ami_net_graph_input_at(s.graph, 0);
    s.y = ami_net_graph_output_at(s.graph, 0);
    s.root = am_transform_identity();
    s.root.translation.x = 0.5f;
    s.values = calloc((size_t)s.schema->value_count * samples, sizeof *s.values);
    float *vector = calloc((size_t)s.schema->vector_count, sizeof *vector);
    am_rng rng;
    am_rng_init(&rng, 6);
    for (int i = 0; i < samples; i++) {
        float *value = s.values + (ptrdiff_t)i * s.schema->value_count;
        operators_draw(s.schema, value, &rng);
        ami_control_flatten(s.schema, vector, value, &s.root);
        for (int k = 0; k < s.schema->vector_count; k++) {
            ami_plan_value_f64(s.plan, s.x, 0, i / columns)[k * columns + i % columns] = (double)vector[k];
        }
    }
    free(vector);
    return s;
}

static void subject_end(subject *s)
{
    free(s->values);
    free(s->weights);
    ami_plan_destroy_f64(s->plan);
    am_net_graph_destroy(s->graph);
    am_control_schema_destroy(s->schema);
}

/// The sum of coefficients times encodings, whose gradient is the coefficients.
static double loss_of(const subject *s)
{
    double loss = 0.0;
    for (int i = 0; i < samples; i++) {
        if (i % columns == 0) {
            ami_plan_forward_f64(s->plan, 0, i / columns);
        }
        for (int k = 0; k < s->schema->width; k++) {
            const double c = sin(1.0 + 1.7 * k + 0.9 * i);
            loss += c * ami_plan_value_f64(s->plan, s->y, 0, i / columns)[k * columns + i % columns];
            ami_plan_grad_f64(s->plan, s->y, 0, i / columns)[k * columns + i % columns] = c;
        }
    }
    return loss;
}

static void check_gradients(const char *text, int every)
{
    subject s = subject_of(text);
    double *grad = calloc(s.graph->weight_count, sizeof *grad), largest = 0.0;
    loss_of(&s);
    for (int b = 0; b < blocks; b++) {
        ami_plan_backward_f64(s.plan, 0, b);
    }
    for (int j = 0; j < s.plan->job_count; j++) {
        const ami_job *job = &s.plan->jobs[j];
        ami_plan_gradient_f64(s.plan, j, 0, job->rows, grad + s.graph->tensors[job->tensor].offset, NULL);
    }
    for (size_t i = 0; i < s.graph->weight_count; i++) {
        largest = fmax(largest, fabs(grad[i]));
    }
    assert_true(largest > 0.1);
    int checked = 0, moved = 0;
    for (int t = 0; t < s.graph->tensor_count; t++) {
        const am_net_tensor *tensor = &s.graph->tensors[t];
        for (size_t k = (size_t)t % (size_t)every; k < ami_net_tensor_count(tensor); k += (size_t)every) {
            if (tensor->flags & AM_NET_FIXED) {
                continue;
            }
            double *w = &s.weights[tensor->offset + k], kept = *w, d[2];
            for (int i = 0; i < 2; i++) {         // one Richardson step
                const double h = i ? 1e-5 : 2e-5; // small beside the kinks of elu
                *w = kept + h;
                const double up = loss_of(&s);
                *w = kept - h;
                d[i] = (up - loss_of(&s)) / (2.0 * h);
                *w = kept;
            }
            const double want = (4.0 * d[1] - d[0]) / 3.0, got = grad[tensor->offset + k];
            if (!(fabs(got - want) <= 1e-6 * (fabs(want) + 1e-2 * largest))) {
                fail_msg("%s: %s[%zu]: analytic %.9g, differences %.9g", text, tensor->name, k, got, want);
            }
            checked++;
            moved += fabs(want) > 1e-3 * largest;
        }
    }
    assert_true(checked >= 10 && 3 * moved > checked);
    free(grad);
    subject_end(&s);
}

static void gradients_of_encoders_match_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'control': {'encode': 'transform', 'width': 6, 'activation': 'tanh'}}",
        "{'control': {'or': {'a': 'location', 'b': 'rotation', 'c': 'null'}, 'width': 5}}",
        "{'control': {'and': {'a': {'optional': 'direction'}, 'b': {'encode': {'optional': 'velocity'}, 'width': "
        "4}}}}",
        "{'control': {'inclusive_or': {'a': 'location', 'b': {'encode': 'scale', 'width': 3, 'activation': "
        "'gelu'}}}}",
        "{'control': {'set': {'optional': 'location'}, 'most': 4, 'heads': 2, 'key_width': 3, 'head_width': 3}}",
        "{'control': {'array': {'or': {'a': 'location', 'b': {'encode': 'bool', 'width': 2}}}, 'most': 3, 'heads': 2,"
        " 'key_width': 2, 'head_width': 3}}",
        "{'control': {'height_map': {'rows': 6, 'columns': 5, 'channels': [2, 3]}}}",
        "{'control': {'either': {'a': 'velocity', 'b': 'scale'}}}",
        "{'control': {'fixed_array': {'optional': 'location'}, 'count': 3}}",
        "{'control': {'dictionary': {'key': {'one_of': ['a', 'b', 'c']}, 'value': 'direction'}, 'most': 3, 'heads': "
        "2,"
        " 'key_width': 2, 'head_width': 2}}",
        "{'control': {'set': {'height_map': {'rows': 3, 'columns': 4, 'channels': [2]}}, 'most': 3, 'heads': 1,"
        " 'key_width': 2, 'head_width': 3}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_gradients(texts[i], 1);
    }
    check_gradients(operators_everything, 9);
}

/// Operators that have no weights: those of a layer around them.
static void gradients_reach_through_every_operator_without_weights(void **state)
{
    (void)state;
    static const char *const operators[] = {
        "'bool'",
        "{'number': {'scale': 3}}",
        "'location'",
        "'rotation'",
        "'scale'",
        "'direction'",
        "'velocity'",
        "{'index': {'n': 7}}",
        "{'one_of': ['a', 'b', 'c']}",
        "{'some_of': ['a', 'b', 'c']}",
        "{'and': {'a': 'bool', 'b': 'null', 'c': 'velocity'}}",
        "'transform'",
        "'character'",
        "'prop'",
    };
    static const char *const activations[] = { "none", "relu", "elu", "gelu", "tanh", "sigmoid" };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "{'control': {'encode': %s, 'width': 5, 'activation': '%s'}}", operators[i],
                 activations[i % (sizeof activations / sizeof activations[0])]);
        check_gradients(text, 1);
    }
}

static void training_computes_the_equations(void **state)
{
    (void)state;
    subject s = subject_of(operators_everything);
    double *want = calloc((size_t)s.schema->width, sizeof *want);
    loss_of(&s);
    for (int i = 0; i < samples; i++) {
        operators_reference(want, s.schema, s.graph, s.values + (ptrdiff_t)i * s.schema->value_count, &s.root);
        for (int k = 0; k < s.schema->width; k++) {
            check_near(ami_plan_value_f64(s.plan, s.y, 0, i / columns)[k * columns + i % columns], want[k], 2e-6);
        }
    }
    free(want);
    subject_end(&s);
}

TEST_SUITE(encoder)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_encoders_match_differences),
        cmocka_unit_test(gradients_reach_through_every_operator_without_weights),
        cmocka_unit_test(training_computes_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
