// Networks from anywhere. A file has checksums all over, which a fuzzer never guesses: every input is opened as it is
// and once more with its sums made right, so that the checks behind them are reached; what passes is run.
#include "net/format.h"

#include <stdlib.h>
#include <string.h>

static void sign(uint8_t *image, size_t size)
{
    ami_header header;
    if (size < sizeof header) {
        return;
    }
    memcpy(&header, image, sizeof header);
    header.file_size = size;
    header.endian = AMI_CONTAINER_ENDIAN;
    header.table_offset = sizeof header;
    uint64_t end = sizeof header + (uint64_t)header.section_count * sizeof(ami_section);
    if (header.section_count > AMI_CONTAINER_MOST || end > size) {
        return;
    }
    for (uint32_t i = 0; i < header.section_count; i++) {
        ami_section s;
        uint8_t *at = image + sizeof header + i * sizeof s;
        memcpy(&s, at, sizeof s);
        if (s.offset <= size && s.size <= size - s.offset) {
            s.checksum = am_hash64(image + s.offset, (size_t)s.size, s.id);
            memcpy(at, &s, sizeof s);
        }
    }
    header.table_hash = 0;
    uint64_t hash = am_hash64(&header, sizeof header, 0);
    header.table_hash = am_hash64(image + sizeof header, (size_t)(end - sizeof header), hash);
    memcpy(image, &header, sizeof header);
}

/// Everything that a user of a network does.
static void use(const am_model *model)
{
    am_error err = { 0 };
    am_budget budget = am_budget_make(NULL);
    budget.max_bytes = 64 << 20;
    am_alloc alloc = am_budget_alloc(&budget);
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
    if (size > 1 << 18) {
        return 0;
    }
    void *copy = NULL;
    if (posix_memalign(&copy, 64, size + 1) != 0) {
        return 0;
    }
    memcpy(copy, data, size);
    try(copy, size);
    sign(copy, size);
    try(copy, size);
    free(copy);
    return 0;
}
