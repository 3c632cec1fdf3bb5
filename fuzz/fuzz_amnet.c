// Fuzzes the network reader; networks that pass are run.
#include "net/format.h"
#include "base/budget.h"
#include "net/build.h"

#include <amble/tools/formats.h>

#include <math.h>

#include "containers.h"

/// Ordinary and extraordinary numbers into every input: counts and indices beyond their ends, no numbers at all.
static void put_numbers(const am_net *net, am_net_work *work, int batch)
{
    static const float numbers[] = { 1.0f, 0.0f, 3.0f, -2.5f, 0.5f, 1e30f, 2.0f, -1e9f, NAN, 7.0f, INFINITY };
    size_t at = 0;
    for (int i = 0; i < ami_net_input_count(net); i++) {
        for (int s = 0; s < batch; s++) {
            float *x = ami_net_input(work, i, s, 0);
            for (int k = 0; k < am_net_input_size(net, i) && k < 16; k++) {
                x[k] = numbers[at++ % (sizeof numbers / sizeof numbers[0])];
            }
        }
    }
}

/// Runs a part in one mode.
static void run_part(const am_model *model, int part, am_net_mode mode, const am_alloc *alloc)
{
    am_error err = { 0 };
    am_net_def def;
    am_net_def_init(&def);
    def.alloc = alloc;
    def.model = model;
    def.part = part;
    def.mode = mode;
    am_net *net = NULL;
    am_net_work *work = NULL;
    if (am_net_create(&net, &def, &err) == AM_OK && am_net_work_create(&work, net, 5, alloc, &err) == AM_OK) {
        am_net_run(net, work, 1);
        put_numbers(net, work, 5);
        am_net_run(net, work, 1); // both ways through the layers
        am_net_run(net, work, 5);
    }
    am_net_work_destroy(work);
    am_net_destroy(net);
}

/// Everything that a user of a network does.
static void use(const am_model *model)
{
    am_error err = { 0 };
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = 64 << 20;
    am_alloc alloc = ami_budget_alloc(&budget);
    size_t size = 0;
    const char *at = am_model_attached(model, "character", &size);
    if (at && size > 0) {
        err.line = at[0] + at[size - 1]; // all of it can be read
    }
    am_model_verify(model, &err);
    for (int p = 0; p < model->part_count; p++) {
        run_part(model, p, AM_NET_EXACT, &alloc);
        run_part(model, p, AM_NET_FAST, &alloc);
        am_net_graph *graph = NULL;
        am_bytes bytes = { 0 };
        if (am_model_graph(model, p, &graph, &alloc, &err) == AM_OK) {
            am_onnx_write(&bytes, graph, &alloc, &err);
            am_bytes_free(&bytes);
        }
        am_net_graph_destroy(graph);
    }
}

static void try(const uint8_t *data, size_t size)
{
    am_model *model = NULL;
    am_error err = { 0 };
    am_result result = am_model_from_memory(&model, data, size, "fuzz.amnet", NULL, &err);
    if (result == AM_OK) {
        use(model);
    } else if (model || err.code != result || !err.text[0]) {
        abort();
    }
    am_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container(data, size, 1 << 18, try);
    return 0;
}
