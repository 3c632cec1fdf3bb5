/// PyTorch's tensors of every layer: tests/reference/layers.txt, made by scripts/reference_tensors.py.
#ifndef AMBLE_TEST_NET_TORCH_CASES_H
#define AMBLE_TEST_NET_TORCH_CASES_H

#include "support/check.h"
#include "net/build.h"

#include <amble/net.h>

enum { torch_most_arrays = 16, torch_batch = 5 };

/// Cases of one layer, a batch of torch_batch; beside them there are "gru" and "flow".
static const char *const torch_layers[] = { "linear",     "relu",   "elu",      "gelu",      "tanh",    "sigmoid",
                                            "layer norm", "concat", "add",      "normalise", "restore", "attention",
                                            "one-hot",    "count",  "fraction", "waves" };
enum { torch_layer_count = sizeof torch_layers / sizeof torch_layers[0] };

typedef struct torch_array {
    float *data; ///< NULL where the file has none
    size_t count;
} torch_array;

typedef struct torch_case {
    torch_array weights[torch_most_arrays], inputs[2], output;
    torch_array d_weights[torch_most_arrays], d_inputs[2]; ///< gradients of sum sin(1 + 0.9 j) output[j]
    int weight_count, input_count;
} torch_case;

static inline char *torch_text(void)
{
    size_t size;
    return test_read_file(AMBLE_SOURCE_DIR "/tests/reference/layers.txt", &size);
}

/// Where array KIND NUMBER of a case belongs.
static inline torch_array *torch_place(torch_case *c, const char *kind)
{
    const char *digits = kind + strcspn(kind, "0123456789");
    const int i = atoi(digits);
    const size_t length = (size_t)(digits - kind);
    assert_true(i < torch_most_arrays);
    if (strncmp(kind, "weight", length) == 0) {
        c->weight_count = i + 1;
        return &c->weights[i];
    }
    if (strncmp(kind, "dweight", length) == 0) {
        return &c->d_weights[i];
    }
    assert_true(i < 2);
    if (strncmp(kind, "input", length) == 0) {
        c->input_count = i + 1;
        return &c->inputs[i];
    }
    return strncmp(kind, "dinput", length) == 0 ? &c->d_inputs[i] : &c->output;
}

static inline torch_case torch_load(const char *text, const char *name)
{
    char head[64];
    snprintf(head, sizeof head, "case %s\n", name);
    const char *at = strstr(text, head);
    assert_non_null(at);
    at += strlen(head);
    torch_case c = { 0 };
    while (strncmp(at, "array ", 6) == 0) {
        char kind[16];
        int count = 0, used = 0;
        assert_int_equal(sscanf(at, "array %15s %d:%n", kind, &count, &used), 2);
        torch_array *array = torch_place(&c, kind);
        *array = (torch_array){ calloc((size_t)count + 1, sizeof(float)), (size_t)count };
        at += used;
        for (int i = 0; i < count; i++) {
            char *next = NULL;
            array->data[i] = strtof(at, &next);
            at = next;
        }
        at = strchr(at, '\n') + 1;
    }
    return c;
}

static inline void torch_free(torch_case *c)
{
    for (int i = 0; i < torch_most_arrays; i++) {
        free(c->weights[i].data);
        free(c->d_weights[i].data);
    }
    for (int i = 0; i < 2; i++) {
        free(c->inputs[i].data);
        free(c->d_inputs[i].data);
    }
    free(c->output.data);
}

static inline int torch_layer(am_net_graph *g, const char *name, int x, int second)
{
    const int both[2] = { x, second };
    static const char *const activations[] = { "relu", "elu", "gelu", "tanh", "sigmoid" };
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, activations[i]) == 0) {
            return ami_net_graph_activation(g, x, (am_net_kind)(AM_NET_RELU + i));
        }
    }
    return strcmp(name, "linear") == 0       ? ami_net_graph_linear(g, x, 29)
           : strcmp(name, "layer norm") == 0 ? ami_net_graph_layer_norm(g, x)
           : strcmp(name, "concat") == 0     ? ami_net_graph_concat(g, both, 2)
           : strcmp(name, "add") == 0        ? ami_net_graph_add(g, x, second)
           : strcmp(name, "normalise") == 0  ? ami_net_graph_normalise(g, x)
           : strcmp(name, "restore") == 0    ? ami_net_graph_restore(g, x)
           : strcmp(name, "attention") == 0  ? ami_net_graph_attention(g, x, second, 3, 5, 7)
           : strcmp(name, "one-hot") == 0    ? ami_net_graph_encode(g, x, AM_NET_ONE_HOT, 7)
           : strcmp(name, "count") == 0      ? ami_net_graph_encode(g, x, AM_NET_COUNT, 7)
           : strcmp(name, "fraction") == 0   ? ami_net_graph_fraction(g, x, 7.0f)
                                             : ami_net_graph_waves(g, x, 8, 1000.0f);
}

/// Puts the case's weights into all tensors in order, and finishes the graph with `y` as its output.
static inline void torch_finish(am_net_graph *g, int y, const torch_case *c)
{
    am_error err = { 0 };
    ami_net_graph_output(g, "y", y);
    check_ok(ami_net_graph_finish(g, &err), &err);
    assert_int_equal(g->tensor_count, c->weight_count);
    for (int t = 0; t < g->tensor_count; t++) {
        memcpy(g->weights + g->tensors[t].offset, c->weights[t].data,
               ami_net_tensor_count(&g->tensors[t]) * sizeof(float));
    }
}

/// The network of a case of one layer.
static inline am_net_graph *torch_build_layer(const torch_case *c, const char *name)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "layer", NULL, &err), &err);
    const bool set = strcmp(name, "attention") == 0;
    const int x = set ? ami_net_graph_input_set(g, "x", 6, 10)
                      : ami_net_graph_input(g, "x", (int)c->inputs[0].count / torch_batch);
    const int second = c->input_count > 1 ? ami_net_graph_input(g, "z", (int)c->inputs[1].count / torch_batch) : -1;
    torch_finish(g, torch_layer(g, name, x, second), c);
    return g;
}

/// Case "gru": a batch of 3 over 4 steps.
static inline am_net_graph *torch_build_gru(const torch_case *c)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "direction", NULL, &err), &err);
    int x = ami_net_graph_input(g, "x", 7), h = ami_net_graph_state(g, "h", 19);
    int next = ami_net_graph_gru(g, x, h);
    ami_net_graph_keep(g, h, next);
    torch_finish(g, next, c);
    return g;
}

/// Case "flow": a batch of 4.
static inline am_net_graph *torch_build_flow(const torch_case *c)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "flow", NULL, &err), &err);
    int x = ami_net_graph_input(g, "x", 11);
    int hidden = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 18), AM_NET_GELU);
    for (int i = 0; i < 3; i++) {
        const int both[2] = { hidden, x };
        hidden =
            ami_net_graph_linear(g, ami_net_graph_layer_norm(g, ami_net_graph_concat(g, both, 2)), i < 2 ? 18 : 9);
        hidden = i < 2 ? ami_net_graph_activation(g, hidden, AM_NET_GELU) : hidden;
    }
    torch_finish(g, hidden, c);
    return g;
}

#endif
