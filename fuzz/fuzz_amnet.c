// Networks from anywhere; what passes is run.
#include "net/format.h"

#include "containers.h"

/// Everything that a user of a network does.
static void use(const am_model *model)
{
    am_error err = { 0 };
    am_budget budget = am_budget_make(NULL);
    budget.max_bytes = 64 << 20;
    am_alloc alloc = am_budget_alloc(&budget);
    size_t size = 0;
    const char *at = am_model_attached(model, "character", &size);
    if (at && size > 0) {
        err.line = at[0] + at[size - 1]; // all of it can be read
    }
    am_model_verify(model, &err);
    for (int p = 0; p < model->part_count; p++) {
        am_net_def def = am_net_def_default();
        def.alloc = &alloc;
        def.model = model;
        def.part = p;
        am_net *net = NULL;
        am_net_work *work = NULL;
        am_graph *graph = NULL;
        if (am_net_create(&net, &def, &err) == AM_OK && am_net_work_create(&work, net, 5, &alloc, &err) == AM_OK) {
            am_net_run(net, work, 1);
            am_net_run(net, work, 5);
        }
        am_model_graph(model, p, &graph, &alloc, &err);
        am_graph_destroy(graph);
        am_net_work_destroy(work);
        am_net_destroy(net);
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
