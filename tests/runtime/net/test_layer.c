// The table of layer kinds: complete rows, and activations against their definition.
#include "net/layer.h"

#include "kernel/layers.h"
#include "runtime/net/zoo.h"

#include <string.h>

static void check_tensors(const ami_net_layer *layer)
{
    for (int t = 0; t < AM_NET_MOST_TENSORS && layer->tensors[t].name; t++) {
        assert_non_null(layer->tensors[layer->tensors[t].bound_by].name);
    }
    for (int m = 0; m < layer->product_count; m++) {
        assert_non_null(layer->tensors[layer->products[m].weight].name);
        assert_non_null(layer->tensors[layer->products[m].bias].name);
        assert_true(layer->products[m].in < layer->least_in);
    }
}

static void every_kind_has_a_complete_row(void **state)
{
    (void)state;
    for (int kind = 0; kind < AM_NET_KIND_COUNT; kind++) {
        const ami_net_layer *layer = ami_net_layer_of(kind);
        assert_true(layer->shape && layer->eval && !layer->run != !layer->run_all);
        assert_true(layer->least_in <= layer->most_in && layer->most_in <= AM_NET_MOST_IN);
        assert_true(!layer->whole_in == !layer->choices);
        assert_true(!layer->activation || (layer->build && layer->most_in == 1));
        for (int other = 0; other < kind; other++) {
            assert_string_not_equal(layer->name, am_net_kind_name(other));
        }
        check_tensors(layer);
    }
    assert_null(ami_net_layer_of(-1));
    assert_null(ami_net_layer_of(AM_NET_KIND_COUNT));
}

enum { width = 37 };

/// y, one after another by all kernels, in a network whose activation works in place.
static void check_activation(const am_net_graph *g, const float *x, const double *want)
{
    am_model *model = zoo_model(g, AM_NET_FP32);
    float first[width], y[width];
    for (size_t k = 0; ami_layers_at(k); k++) {
        zoo_net z = zoo_ready(model, AM_NET_EXACT, ami_layers_at(k)->name, 1);
        am_net_put(z.work, 0, 0, x);
        am_net_run(z.net, z.work, 1);
        am_net_get(z.work, 0, 0, k == 0 ? first : y);
        zoo_end(&z);
        for (int i = 0; i < width && k == 0; i++) {
            check_near(first[i], want[i], 2e-6);
        }
        if (k > 0) {
            assert_memory_equal(y, first, sizeof y);
        }
    }
    am_model_close(model);
}

static void every_activation_is_its_definition_with_any_kernels(void **state)
{
    (void)state;
    for (int kind = 0; kind < AM_NET_KIND_COUNT; kind++) {
        if (!ami_net_layer_of(kind)->activation) {
            continue;
        }
        am_net_graph *g = NULL;
        am_error err = { 0 };
        check_ok(ami_net_graph_create(&g, "one", NULL, &err), &err);
        int scaled = ami_net_graph_fraction(g, ami_net_graph_input(g, "x", width), 1.0f);
        ami_net_graph_output(g, "y", ami_net_graph_activation(g, scaled, (am_net_kind)kind));
        check_ok(ami_net_graph_finish(g, &err), &err);
        float x[width];
        double room[3][width];
        for (int i = 0; i < width; i++) {
            x[i] = 0.5f * (float)(i - width / 2);
            room[0][i] = (double)x[i];
        }
        ami_net_graph_eval(g, (double *[]){ room[0], room[1], room[2] }, 1);
        check_activation(g, x, room[2]);
        am_net_graph_destroy(g);
    }
}

TEST_SUITE(layer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_complete_row),
        cmocka_unit_test(every_activation_is_its_definition_with_any_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
