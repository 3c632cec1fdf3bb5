// The .amnet file: round trips, refusals, and graphs that cannot be built.
#include "runtime/net/zoo.h"

#include <math.h>
#include "support/refuse.h"

#include "net/format.h"
#include "base/budget.h"

static am_result open_bytes(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    void *copy = NULL; // a file's bytes are mapped to a page: here to 64
    am_model *model = NULL;
    am_error err = { 0 };
    copy = test_aligned(size + 1);
    memcpy(copy, data, size);
    am_result result = am_model_from_memory(&model, copy, size, "x.amnet", alloc, &err);
    result = refuse_checked(result, &err);
    if (result == AM_OK) {
        am_net_def def;
        am_net_def_init(&def);
        def.alloc = alloc;
        def.model = model;
        am_net *net = NULL;
        am_net_work *work = NULL;
        am_net_graph *graph = NULL;
        result = refuse_checked(am_net_create(&net, &def, &err), &err);
        result = result == AM_OK ? refuse_checked(am_net_work_create(&work, net, 5, alloc, &err), &err) : result;
        result = result == AM_OK ? refuse_checked(am_model_graph(model, 0, &graph, alloc, &err), &err) : result;
        if (result == AM_OK) {
            am_net_run(net, work, 1); // whatever the weights are: no crash
            am_net_run(net, work, 5);
        }
        am_net_graph_destroy(graph);
        am_net_work_destroy(work);
        am_net_destroy(net);
    }
    am_model_close(model);
    test_aligned_free(copy);
    return result;
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    am_net_graph *g = zoo_all(NULL);
    for (int w = 0; w < 3; w++) {
        am_model *model = zoo_model(g, (am_net_weights)w);
        refuse_options options = { .flips = 500, .truncations = 500 };
        refuse_counts counts = refuse_loop(open_bytes, NULL, model->image, model->image_size, &options);
        assert_true(counts.refused_truncations > 100 && counts.refused_flips > 20);
        assert_true(counts.failed_allocations >= 4);
        am_model_close(model);
    }
    am_net_graph_destroy(g);
}

static void every_flipped_byte_is_found_by_verify(void **state)
{
    (void)state;
    const int widths[3] = { 5, 17, 3 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    am_model *model = zoo_model(g, AM_NET_FP32);
    uint8_t *copy = NULL;
    copy = test_aligned(model->image_size);
    memcpy(copy, model->image, model->image_size);
    const ami_header *header = (const ami_header *)(const void *)copy;
    const ami_section *table = (const ami_section *)(const void *)(copy + sizeof *header);
    for (uint32_t s = 0; s < header->section_count; s++) {
        for (uint64_t i = 0; i < table[s].size; i += 7) {
            copy[table[s].offset + i] ^= 0x10;
            am_model *other = NULL;
            am_error err = { 0 };
            am_result result = am_model_from_memory(&other, copy, model->image_size, NULL, NULL, &err);
            result = result == AM_OK ? am_model_verify(other, &err) : result;
            check_refused(result, AM_ERR_CHECKSUM);
            assert_true(err.offset == (int64_t)table[s].offset);
            am_model_close(other);
            copy[table[s].offset + i] ^= 0x10;
        }
    }
    test_aligned_free(copy);
    am_model_close(model);
    am_net_graph_destroy(g);
}

/// Makes all checksums match again, so that what lies behind them is reached.
static void sign(uint8_t *image)
{
    ami_header *header = (ami_header *)(void *)image;
    ami_section *table = (ami_section *)(void *)(image + sizeof *header);
    for (uint32_t i = 0; i < header->section_count; i++) {
        table[i].checksum = am_hash64(image + table[i].offset, (size_t)table[i].size, table[i].id);
    }
    header->table_hash = 0;
    uint64_t hash = am_hash64(header, sizeof *header, 0);
    header->table_hash = am_hash64(table, header->section_count * sizeof *table, hash);
}

static uint8_t *section(uint8_t *image, int which)
{
    ami_header *header = (ami_header *)(void *)image;
    ami_section *table = (ami_section *)(void *)(image + sizeof *header);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (table[i].id == ami_section_id(ami_net_letters(which))) {
            return image + table[i].offset;
        }
    }
    fail_msg("no section %s", ami_net_letters(which));
    return NULL;
}

typedef struct patch {
    const char *what;
    int section;
    size_t at;
    int32_t value;
} patch;

static void graphs_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const patch patches[] = {
        { "no parts", AMI_NET_INFO, 0, 0 },
        { "more values than there are", AMI_NET_INFO, 4, 99 },
        { "unknown weights", AMI_NET_PARTS, offsetof(am_model_part, weights), 3 },
        { "operations from elsewhere", AMI_NET_PARTS, offsetof(am_model_part, op_first), 1 },
        { "too many operations", AMI_NET_PARTS, offsetof(am_model_part, op_count), 1000 },
        { "no name", AMI_NET_PARTS, 0, 0 },
        { "huge width", AMI_NET_VALUES, offsetof(am_net_value, width), 1 << 20 },
        { "no rows", AMI_NET_VALUES, offsetof(am_net_value, rows), 0 },
        { "unknown role", AMI_NET_VALUES, offsetof(am_net_value, role), 7 },
        { "kept without being a state", AMI_NET_VALUES, offsetof(am_net_value, next), 2 },
        { "output out of order", AMI_NET_VALUES, offsetof(am_net_value, output), 5 },
        { "unknown kind", AMI_NET_OPS, offsetof(am_net_op, kind), 99 },
        { "negative kind", AMI_NET_OPS, offsetof(am_net_op, kind), -1 },
        { "reads itself", AMI_NET_OPS, offsetof(am_net_op, in), 1 },
        { "reads nothing", AMI_NET_OPS, offsetof(am_net_op, in), -1 },
        { "reads two", AMI_NET_OPS, offsetof(am_net_op, in) + 4, 0 },
        { "makes another value", AMI_NET_OPS, offsetof(am_net_op, out), 2 },
        { "another's tensor", AMI_NET_OPS, offsetof(am_net_op, tensor), 1 },
        { "a tensor too many", AMI_NET_OPS, offsetof(am_net_op, tensor) + 8, 1 },
        { "tensor of another size", AMI_NET_TENSORS, offsetof(am_net_tensor, rows), 18 },
        { "tensor outside", AMI_NET_TENSORS, offsetof(am_net_tensor, offset), 1 << 20 },
        { "tensor askew", AMI_NET_TENSORS, offsetof(am_net_tensor, offset), 4 },
        { "other flags", AMI_NET_TENSORS, offsetof(am_net_tensor, flags), 0 },
    };
    const int widths[3] = { 5, 17, 3 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    am_model *model = zoo_model(g, AM_NET_FP32);
    uint8_t *copy = NULL;
    copy = test_aligned(model->image_size);
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        memcpy(copy, model->image, model->image_size);
        memcpy(section(copy, patches[i].section) + patches[i].at, &patches[i].value, sizeof(int32_t));
        sign(copy);
        am_model *other = NULL;
        am_error err = { 0 };
        am_result result = am_model_from_memory(&other, copy, model->image_size, "x.amnet", NULL, &err);
        if (result != AM_ERR_FORMAT || other || !err.text[0] || err.offset < 64) {
            fail_msg("%s: gave %s", patches[i].what, am_result_name(result));
        }
    }
    test_aligned_free(copy);
    am_model_close(model);
    am_net_graph_destroy(g);
}

static void foreign_files_say_what_they_are_not(void **state)
{
    (void)state;
    am_model *model = NULL;
    am_error err = { 0 };
    _Alignas(64) uint8_t bytes[256] = "BVH HIERARCHY and so on";
    check_refused(am_model_from_memory(&model, bytes, sizeof bytes, "a.bvh", NULL, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "network"));
    check_refused(am_model_from_memory(&model, bytes + 1, 100, "a.bvh", NULL, &err), AM_ERR_DEF);
    check_refused(am_model_open(&model, "/nonexistent.amnet", NULL, &err), AM_ERR_OPEN);
}

static void a_file_holds_several_parts_and_where_they_came_from(void **state)
{
    (void)state;
    const int small[3] = { 5, 17, 3 }, large[3] = { 9, 33, 20 };
    am_net_graph *a = zoo_mlp("decompressor", small, 3, 1), *b = zoo_mlp("stepper", large, 3, 2);
    const am_net_graph *graphs[2] = { a, b };
    const am_net_weights weights[2] = { AM_NET_FP32, AM_NET_FP16 };
    am_model_def def = ami_model_def_default();
    def.graphs = graphs;
    def.graph_count = 2;
    def.weights = weights;
    def.recipe = "{}";
    def.provenance = "{ \"loss\": 0.5 }";
    def.data_hash = 1;
    def.database_hash = 2;
    def.skeleton_hash = 3;
    def.seed = 4;
    am_model *model = NULL, *read = NULL;
    am_error err = { 0 };
    check_ok(am_model_create(&model, &def, &err), &err);
    char path[600];
    snprintf(path, sizeof path, "%s/two.amnet", test_temp_dir("amnet"));
    check_ok(am_model_write(model, path, &err), &err);
    check_ok(am_model_open(&read, path, NULL, &err), &err);
    check_ok(am_model_verify(read, &err), &err);
    assert_int_equal(read->part_count, 2);
    assert_int_equal(am_model_find(read, "stepper"), 1);
    assert_int_equal(am_model_find(read, "projector"), -1);
    assert_string_equal(read->recipe, "{}");
    assert_string_equal(read->provenance, "{ \"loss\": 0.5 }");
    assert_true(read->data_hash == 1 && read->database_hash == 2 && read->skeleton_hash == 3 && read->seed == 4);
    assert_true(read->hash == model->hash && read->hash != 0);
    am_net_graph *back = NULL;
    check_ok(am_model_graph(read, 0, &back, NULL, &err), &err);
    assert_int_equal(back->weight_count, a->weight_count);
    assert_memory_equal(back->weights, a->weights, a->weight_count * sizeof(float));
    am_net_graph_destroy(back);
    check_ok(am_model_graph(read, 1, &back, NULL, &err), &err);
    for (size_t i = 0; i < b->weight_count; i++) {
        check_near(back->weights[i], b->weights[i], 1e-3 * 0.4);
    }
    am_net_graph_destroy(back);
    check_refused(am_model_graph(read, 2, &back, NULL, &err), AM_ERR_DEF);
    am_model_close(read);
    am_model_close(model);
    am_net_graph_destroy(a);
    am_net_graph_destroy(b);
}

static void models_refuse_what_they_cannot_store(void **state)
{
    (void)state;
    const int widths[3] = { 5, 17, 3 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    const am_net_graph *graphs[2] = { g, g };
    am_net_weights weights[2] = { AM_NET_FP16, AM_NET_FP16 };
    am_model *model = NULL;
    am_error err = { 0 };
    am_model_def def = { 0 };
    check_refused(am_model_create(&model, &def, &err), AM_ERR_DEF);
    def = ami_model_def_default();
    def.graphs = graphs;
    def.weights = weights;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_LIMIT);
    def.graph_count = 2;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_DEF); // two of one name
    def.graph_count = 1;
    g->weights[3] = 70000.0f;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_RANGE);
    g->weights[3] = NAN;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_NUMBER);
    g->weights[3] = 0.0f;
    weights[0] = (am_net_weights)9;
    check_refused(am_model_create(&model, &def, &err), AM_ERR_DEF);
    assert_null(model);
    am_net_graph_destroy(g);
}

static void verify_finds_a_weight_that_is_no_number(void **state)
{
    (void)state;
    const int widths[3] = { 5, 17, 3 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    for (int w = 0; w < 3; w++) {
        am_model *model = zoo_model(g, (am_net_weights)w), *other = NULL;
        am_error err = { 0 };
        uint8_t *copy = NULL;
        copy = test_aligned(model->image_size);
        memcpy(copy, model->image, model->image_size);
        // fp16: half a NaN is one too; int8: the first scale lies behind 3 pairs of columns of 2 panels.
        memset(section(copy, AMI_NET_BODY) + (w == AM_NET_INT8 ? 3 * 32 * 2 : 0), 0xFF, 4);
        sign(copy);
        check_ok(am_model_from_memory(&other, copy, model->image_size, NULL, NULL, &err), &err);
        check_refused(am_model_verify(other, &err), AM_ERR_NUMBER);
        assert_true(err.offset > 0);
        am_model_close(other);
        am_model_close(model);
        test_aligned_free(copy);
    }
    am_net_graph_destroy(g);
}

static void half_precision_rounds_to_nearest_even(void **state)
{
    (void)state;
    const struct {
        float x;
        uint16_t half;
    } pairs[] = { { 0.0f, 0 },
                  { -0.0f, 0x8000 },
                  { 1.0f, 0x3C00 },
                  { 65504.0f, 0x7BFF },
                  { -2.0f, 0xC000 },
                  { 5.9604645e-8f, 1 },
                  { 2.9802322e-8f, 0 },
                  { 6.1035156e-5f, 0x0400 },
                  { 1.00048828f, 0x3C00 },
                  { 1.00146484f, 0x3C02 },
                  { 6.0975552e-5f, 0x03FF } };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_int_equal(ami_half_from(pairs[i].x), pairs[i].half);
    }
    for (uint32_t h = 0; h < 0x7C00u; h++) {
        assert_int_equal(ami_half_from(ami_half_to((uint16_t)h)), h);
        assert_int_equal(ami_half_from(ami_half_to((uint16_t)(h | 0x8000u))), h | 0x8000u);
    }
}

/// A file of the first version, kept as it was: it opens, and gives the outputs it gave then, on any machine.
static void files_of_the_first_version_keep_their_outputs(void **state)
{
    (void)state;
    am_model *model = NULL;
    am_error err = { 0 };
    check_ok(am_model_open(&model, AMBLE_SOURCE_DIR "/tests/runtime/net/golden/version1.amnet", NULL, &err), &err);
    check_ok(am_model_verify(model, &err), &err);
    assert_int_equal(model->parts[0].weights, AM_NET_INT8);
    zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, 3);
    uint64_t hash = 0;
    for (int t = 0; t < 4; t++) {
        for (int s = 0; s < 3; s++) {
            zoo_put(&z, s, 3 * t + s);
        }
        am_net_run(z.net, z.work, 3);
        for (int s = 0; s < 3; s++) {
            hash = am_hash64(ami_net_output(z.work, 0, s, 0), 11 * sizeof(float), hash);
        }
    }
    if (hash != 0xd574b62336553bc0ull) {
        fail_msg("the outputs have the hash 0x%016llx", (unsigned long long)hash);
    }
    zoo_end(&z);
    am_model_close(model);
}

// ---------------------------------------------------------------------------------------------
// Building

static am_net_graph *fresh(int *x)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "g", NULL, &err), &err);
    *x = ami_net_graph_input(g, "x", 4);
    return g;
}

static void check_fault(am_net_graph *g, am_result code)
{
    am_error err = { 0 };
    check_refused(ami_net_graph_finish(g, &err), code);
    assert_true(err.text[0] != '\0');
    am_net_graph_destroy(g);
}

static void faults_of_building_are_told_at_the_end(void **state)
{
    (void)state;
    int x;
    am_net_graph *g = fresh(&x);
    ami_net_graph_linear(g, 7, 3);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_linear(g, x, 0);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_add(g, x, ami_net_graph_input(g, "z", 5));
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_input(g, "x", 5);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_slice(g, x, 2, 3);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_input(g, "wide", AM_NET_MOST_WIDTH + 1);
    check_fault(g, AM_ERR_LIMIT);
    g = fresh(&x);
    ami_net_graph_activation(g, x, AM_NET_LINEAR);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_waves(g, x, 3, 10.0f);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_keep(g, x, x);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_output(g, "y", x);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x); // no output
    ami_net_graph_linear(g, x, 3);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x); // a state that keeps nothing
    ami_net_graph_state(g, "h", 3);
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, x, 3));
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_attention(g, x, x, 2, 2, 2);
    check_fault(g, AM_ERR_DEF);
    g = fresh(&x);
    ami_net_graph_gru(g, ami_net_graph_input_set(g, "set", 3, 4), x);
    check_fault(g, AM_ERR_DEF);
}

static void a_graph_can_be_copied_and_looked_at(void **state)
{
    (void)state;
    am_net_graph *g = zoo_all(NULL), *copy = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_copy(&copy, g, NULL, &err), &err);
    assert_int_equal(copy->parameter_count, g->parameter_count);
    assert_int_equal(copy->output_count, 2);
    assert_memory_equal(copy->weights, g->weights, g->weight_count * sizeof(float));
    assert_int_equal(ami_net_graph_find(copy, "gate"), ami_net_graph_output_at(copy, 1));
    assert_int_equal(ami_net_graph_find(copy, "nothing"), -1);
    assert_int_equal(ami_net_graph_output_at(copy, 2), -1);
    assert_null(ami_net_graph_tensor(copy, ami_net_graph_find(copy, "x"), 0));
    assert_string_equal(am_net_kind_name(AM_NET_LAYER_NORM), "layer norm");
    assert_string_equal(am_net_kind_name(99), "?");
    assert_null(ami_net_tensor_name(AM_NET_LINEAR, 2));
    check_refused(ami_net_graph_finish(copy, &err), AM_ERR_DEF);
    assert_int_equal(ami_net_graph_linear(copy, 0, 4), -1);
    am_net_graph_destroy(copy);
    am_net_graph_destroy(g);
}

static void building_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (size_t n = 1; n < 40; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_net_graph *g = NULL;
        am_error err = { 0 };
        am_result result = ami_net_graph_create(&g, "g", &alloc, &err);
        if (result == AM_OK) {
            int v = ami_net_graph_input(g, "x", 4);
            for (int i = 0; i < 40; i++) {
                v = ami_net_graph_linear(g, v, 4);
            }
            ami_net_graph_output(g, "y", v);
            result = ami_net_graph_finish(g, &err);
        }
        const am_net_graph *graphs[1] = { g };
        am_model *model = NULL;
        if (result == AM_OK) {
            am_model_def def = ami_model_def_default();
            const am_net_weights weights[1] = { AM_NET_INT8 };
            def.alloc = &alloc;
            def.graphs = graphs;
            def.graph_count = 1;
            def.weights = weights;
            def.sample_count = 2;
            result = am_model_create(&model, &def, &err);
        }
        assert_true(result == AM_OK ? budget.total_count < n : result == AM_ERR_MEMORY);
        am_model_close(model);
        am_net_graph_destroy(g);
        assert_int_equal(budget.live_count, 0);
    }
}

/// Below 1e-43 a row's scale has no digits left: 190 / 127 of the smallest float is 1 of it.
static void the_smallest_weights_keep_their_sign_in_8_bits(void **state)
{
    (void)state;
    am_net_graph *g = zoo_mlp("small", (const int[]){ 3, 2 }, 2, 1), *back = NULL;
    const float least = 1.401298464e-45f, weights[6] = { 190 * least, -190 * least, least, -least, 0.0f, 5 * least };
    memcpy(g->weights + g->tensors[0].offset, weights, sizeof weights);
    am_model *model = zoo_model(g, AM_NET_INT8);
    am_error err = { 0 };
    check_ok(am_model_graph(model, 0, &back, NULL, &err), &err);
    for (int i = 0; i < 6; i++) {
        const float have = back->weights[back->tensors[0].offset + (size_t)i];
        assert_true(have * 1e30f * weights[i] * 1e30f >= 0.0f && fabsf(have) <= fabsf(weights[i]));
    }
    am_net_graph_destroy(back);
    am_model_close(model);
    am_net_graph_destroy(g);
}

TEST_SUITE(file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(every_flipped_byte_is_found_by_verify),
        cmocka_unit_test(graphs_that_make_no_sense_are_refused),
        cmocka_unit_test(foreign_files_say_what_they_are_not),
        cmocka_unit_test(a_file_holds_several_parts_and_where_they_came_from),
        cmocka_unit_test(models_refuse_what_they_cannot_store),
        cmocka_unit_test(verify_finds_a_weight_that_is_no_number),
        cmocka_unit_test(files_of_the_first_version_keep_their_outputs),
        cmocka_unit_test(half_precision_rounds_to_nearest_even),
        cmocka_unit_test(the_smallest_weights_keep_their_sign_in_8_bits),
        cmocka_unit_test(faults_of_building_are_told_at_the_end),
        cmocka_unit_test(a_graph_can_be_copied_and_looked_at),
        cmocka_unit_test(building_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
