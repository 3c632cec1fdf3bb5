// The encoder of a schema against the plain evaluation of Operators eq. 1 to 19, and what it promises: order,
// absence, branches, scales.
#include "runtime/operators/support.h"

#include <math.h>

/// An encoder ready to run, as a game has it.
typedef struct encoder {
    am_control_schema *schema;
    am_net_graph *graph;
    am_model *model;
    am_net *net;
    am_net_work *work;
    float *value, *vector, *encoding;
    double *want;
} encoder;

static encoder encoder_of(const char *text)
{
    encoder e = { .schema = test_schema(text) };
    am_error err = { 0 };
    e.graph = operators_graph(e.schema, 3);
    const am_net_graph *graphs[1] = { e.graph };
    am_model_def def = ami_model_def_default();
    def.graphs = graphs;
    def.graph_count = 1;
    check_ok(am_model_create(&e.model, &def, &err), &err);
    am_net_def net;
    am_net_def_init(&net);
    net.model = e.model;
    check_ok(am_net_create(&e.net, &net, &err), &err);
    check_ok(am_net_work_create(&e.work, e.net, 1, NULL, &err), &err);
    assert_int_equal(am_net_output_size(e.net, 0), e.schema->width);
    e.value = calloc((size_t)e.schema->value_count + 1, sizeof *e.value);
    e.vector = calloc((size_t)e.schema->vector_count + 1, sizeof *e.vector);
    e.encoding = calloc((size_t)e.schema->width, sizeof *e.encoding);
    e.want = calloc((size_t)e.schema->width, sizeof *e.want);
    return e;
}

static void encoder_end(encoder *e)
{
    free(e->value);
    free(e->vector);
    free(e->encoding);
    free(e->want);
    am_net_work_destroy(e->work);
    am_net_destroy(e->net);
    am_model_close(e->model);
    am_net_graph_destroy(e->graph);
    am_control_schema_destroy(e->schema);
}

/// encoding of e->value for a character at root.
static void encode(encoder *e, const am_transform *root)
{
    ami_control_flatten(e->schema, e->vector, e->value, root);
    am_net_put(e->work, 0, 0, e->vector);
    am_net_run(e->net, e->work, 1);
    am_net_get(e->work, 0, 0, e->encoding);
}

static am_transform some_root(am_rng *rng)
{
    am_transform root;
    root.rotation = am_quat_from_heading(am_rng_range(rng, -3.0f, 3.0f));
    root.translation = am_v3(am_rng_normal(rng), 0.1f * am_rng_normal(rng), am_rng_normal(rng));
    return root;
}

/// `rounds` random values through the network and through the equations.
static void check_schema(const char *text, int rounds)
{
    encoder e = encoder_of(text);
    am_rng rng;
    am_rng_init(&rng, 21);
    double largest = 0.0;
    for (int round = 0; round < rounds; round++) {
        const am_transform root = some_root(&rng);
        operators_draw(e.schema, e.value, &rng);
        encode(&e, &root);
        operators_reference(e.want, e.schema, e.graph, e.value, &root);
        for (int i = 0; i < e.schema->width; i++) {
            if (!(fabs((double)e.encoding[i] - e.want[i]) <= 1e-5 * (1.0 + fabs(e.want[i])))) {
                fail_msg("%s: number %d is %.8g, by the equations %.8g", text, i, (double)e.encoding[i], e.want[i]);
            }
            largest = fmax(largest, fabs(e.want[i]));
        }
    }
    assert_true(largest > 0.1);
    encoder_end(&e);
}

static void every_operator_is_its_equation(void **state)
{
    (void)state;
    static const char *const operators[] = {
        "'bool'",
        "'number'",
        "{'number': {'scale': 3}}",
        "'location'",
        "{'location': {'space': 'local'}}",
        "'rotation'",
        "{'rotation': {'space': 'local'}}",
        "'scale'",
        "'direction'",
        "{'direction': {'space': 'local'}}",
        "'velocity'",
        "{'index': {'n': 7}}",
        "{'one_of': ['a', 'b', 'c']}",
        "{'some_of': ['a', 'b', 'c']}",
        "{'height_map': {'rows': 7, 'columns': 6, 'channels': [3, 4, 2]}}",
        "{'height_map': {'rows': 4, 'columns': 5, 'activation': 'none', 'space': 'local'}}",
        "{'encode': 'location', 'width': 9}",
        "{'encode': 'rotation', 'width': 5, 'activation': 'none'}",
        "{'encode': 'velocity', 'width': 5, 'activation': 'relu'}",
        "{'encode': 'velocity', 'width': 5, 'activation': 'gelu'}",
        "{'encode': 'velocity', 'width': 5, 'activation': 'sigmoid'}",
        "{'encode': {'encode': 'scale', 'width': 4}, 'width': 3, 'activation': 'tanh'}",
        "{'and': {'a': 'location', 'b': 'bool', 'c': 'null', 'd': 'rotation'}}",
        "{'and': {'a': 'bool', 'b': {'encode': 'null', 'width': 3}, 'c': 'bool'}}",
        "{'or': {'a': 'location', 'b': 'bool', 'c': 'null', 'd': 'rotation'}}",
        "{'or': {'a': 'null', 'b': 'null', 'c': 'null'}}",
        "{'either': {'a': 'location', 'b': 'velocity'}, 'width': 6}",
        "{'optional': 'direction'}",
        "{'optional': {'optional': 'direction'}}",
        "{'inclusive_or': {'a': 'location', 'b': 'null', 'c': 'rotation'}}",
        "{'set': 'location', 'most': 5}",
        "{'set': 'velocity', 'most': 1, 'heads': 2}",
        "{'set': {'optional': 'location'}, 'most': 5, 'heads': 2, 'key_width': 7, 'head_width': 3}",
        "{'array': 'location', 'most': 5, 'heads': 3, 'key_width': 4, 'head_width': 6}",
        "{'dictionary': {'key': {'one_of': ['a', 'b']}, 'value': {'encode': 'rotation', 'width': 5}}, 'most': 4}",
        "{'fixed_array': {'and': {'p': 'location', 'd': {'optional': 'direction'}}}, 'count': 3}",
        "'transform'",
        "'prop'",
        "'character'",
    };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{'control': %s}", operators[i]);
        check_schema(text, 25);
    }
}

/// Inside a set each of them works item by item.
static void every_operator_works_on_the_items_of_a_set(void **state)
{
    (void)state;
    static const char *const items[] = {
        "'transform'",
        "'prop'",
        "{'index': {'n': 7}}",
        "{'some_of': ['a', 'b', 'c']}",
        "{'height_map': {'rows': 5, 'columns': 3, 'channels': [3, 2]}}",
        "{'encode': {'and': {'a': 'bool', 'b': 'scale'}}, 'width': 4, 'activation': 'gelu'}",
        "{'or': {'a': 'location', 'b': {'one_of': ['x', 'y']}, 'c': 'null'}}",
        "{'and': {'a': {'encode': 'null', 'width': 3}, 'b': {'number': {'scale': 2}}}}",
        "{'inclusive_or': {'a': 'location', 'b': {'either': {'u': 'velocity', 'v': 'null'}}}}",
        "{'fixed_array': {'optional': {'encode': 'location', 'width': 3}}, 'count': 2}",
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        for (int array = 0; array < 2; array++) {
            char text[400];
            snprintf(text, sizeof text,
                     "{'control': {'and': {'before': 'location', 'all': {'%s': %s, 'most': 4, 'heads': 2, "
                     "'key_width': 5, 'head_width': 3}, 'behind': {'optional': 'bool'}}}}",
                     array ? "array" : "set", items[i]);
            check_schema(text, 20);
        }
    }
}

static void everything_together_is_its_equations(void **state)
{
    (void)state;
    check_schema(operators_everything, 200);
}

/// An `and` of more parts than one operation reads.
static void wide_schemas_are_joined_in_steps(void **state)
{
    (void)state;
    check_schema("{'control': {'fixed_array': {'optional': 'bool'}, 'count': 70}}", 5);
}

static void sets_do_not_depend_on_order_and_arrays_do(void **state)
{
    (void)state;
    for (int array = 0; array < 2; array++) {
        encoder e = encoder_of(array ? "{'control': {'array': {'and': {'a': 'location', 'b': {'optional': 'bool'}}}, "
                                       "'most': 6}}"
                                     : "{'control': {'set': {'and': {'a': 'location', 'b': {'optional': 'bool'}}}, "
                                       "'most': 6}}");
        const am_transform root = am_transform_identity();
        const int item = e.schema->nodes[e.schema->nodes[0].first].value_count;
        float *first = calloc((size_t)e.schema->width, sizeof *first), kept[16];
        am_rng rng;
        am_rng_init(&rng, 5);
        double largest = 0.0;
        for (int round = 0; round < 20; round++) {
            operators_draw(e.schema, e.value, &rng);
            e.value[0] = 5.0f;
            encode(&e, &root);
            memcpy(first, e.encoding, (size_t)e.schema->width * sizeof *first);
            for (int i = 4; i > 0; i--) { // shuffle the five
                float *a = e.value + 1 + (ptrdiff_t)i * item;
                float *b = e.value + 1 + (ptrdiff_t)am_rng_below(&rng, (uint32_t)i) * item;
                memcpy(kept, a, (size_t)item * sizeof *a);
                memcpy(a, b, (size_t)item * sizeof *a);
                memcpy(b, kept, (size_t)item * sizeof *a);
            }
            encode(&e, &root);
            for (int i = 0; i < e.schema->width; i++) {
                largest = fmax(largest, fabs((double)(e.encoding[i] - first[i])));
            }
        }
        if (array) {
            assert_true(largest > 1e-3);
        } else {
            assert_true(largest < 2e-6);
        }
        free(first);
        encoder_end(&e);
    }
}

/// Numbers of absent parts, of other branches and beyond the items in use change not one bit.
static void what_is_absent_does_not_matter(void **state)
{
    (void)state;
    encoder e = encoder_of(operators_everything);
    float *first = calloc((size_t)e.schema->width, sizeof *first);
    am_rng rng;
    am_rng_init(&rng, 8);
    int changed = 0;
    for (int round = 0; round < 100; round++) {
        const am_transform root = some_root(&rng);
        operators_draw(e.schema, e.value, &rng);
        encode(&e, &root);
        memcpy(first, e.encoding, (size_t)e.schema->width * sizeof *first);
        // The root's other branches.
        const ami_control_node *nodes = e.schema->nodes;
        for (int i = 0; i < nodes[0].count; i++) {
            const ami_control_node *branch = &nodes[nodes[0].first + i];
            for (int k = 0; k < branch->value_count && i != (int)e.value[0]; k++) {
                e.value[branch->value + k] = am_rng_normal(&rng);
                changed++;
            }
        }
        // Absent optionals of this one.
        for (int i = 1; i < e.schema->node_count; i++) {
            const ami_control_node *n = &nodes[i], *part = &nodes[n->first + 1];
            bool in_set = false;
            for (int above = n->parent; above >= 0; above = nodes[above].parent) {
                in_set |= nodes[above].kind == AMI_OP_SET;
            }
            for (int k = 0; n->optional && !in_set && e.value[n->value] < 0.5f && k < part->value_count; k++) {
                e.value[part->value + k] = am_rng_normal(&rng);
                changed++;
            }
        }
        encode(&e, &root);
        assert_memory_equal(first, e.encoding, (size_t)e.schema->width * sizeof *first);
    }
    assert_true(changed > 1000);
    free(first);
    encoder_end(&e);
}

/// eq. 15: an absent optional is its bias and 1 0; a present one W x + b and 0 1.
static void an_absent_optional_is_its_bias(void **state)
{
    (void)state;
    encoder e = encoder_of("{'control': {'optional': 'direction', 'width': 4}}");
    const am_transform root = am_transform_identity();
    const float *bias = NULL;
    for (int i = 0; i < e.graph->op_count; i++) {
        if (e.graph->ops[i].kind == AM_NET_CONSTANT) {
            bias = ami_net_graph_tensor(e.graph, e.graph->ops[i].out, 0);
        }
    }
    assert_non_null(bias);
    e.value[1] = 7.0f;
    encode(&e, &root);
    assert_memory_equal(e.encoding, bias, 4 * sizeof *bias);
    assert_true(e.encoding[4] == 1.0f && e.encoding[5] == 0.0f);
    e.value[0] = 1.0f;
    encode(&e, &root);
    assert_memory_not_equal(e.encoding, bias, 4 * sizeof *bias);
    assert_true(e.encoding[4] == 0.0f && e.encoding[5] == 1.0f);
    encoder_end(&e);
}

/// eq. 16: each branch of four, and what tells them apart.
static void an_or_takes_each_of_its_branches(void **state)
{
    (void)state;
    encoder e =
        encoder_of("{'control': {'or': {'a': 'location', 'b': 'bool', 'c': 'null', 'd': 'velocity'}, 'width': 3}}");
    const am_transform root = am_transform_identity();
    assert_int_equal(e.schema->width, 3 + 4);
    for (int branch = 0; branch < 4; branch++) {
        for (int i = 1; i < e.schema->value_count; i++) {
            e.value[i] = 1.0f;
        }
        e.value[0] = (float)branch;
        encode(&e, &root);
        operators_reference(e.want, e.schema, e.graph, e.value, &root);
        int told = 0;
        for (int i = 0; i < 7; i++) {
            check_near(e.encoding[i], e.want[i], 1e-5);
            told += i >= 3 && e.encoding[i] == 1.0f;
        }
        assert_int_equal(told, 1);
        assert_true(e.encoding[3 + branch] == 1.0f);
    }
    encoder_end(&e);
}

/// eq. 17: every combination of three.
static void an_inclusive_or_has_all_combinations(void **state)
{
    (void)state;
    encoder e =
        encoder_of("{'control': {'inclusive_or': {'a': 'location', 'b': 'bool', 'c': 'velocity'}, 'width': 3}}");
    const am_transform root = am_transform_identity();
    float seen[8][15];
    for (int mask = 0; mask < 8; mask++) {
        for (int i = 0; i < 3; i++) {
            const ami_control_node *part = &e.schema->nodes[e.schema->nodes[0].first + i];
            for (int k = 1; k < part->value_count; k++) {
                e.value[part->value + k] = 1.0f;
            }
            e.value[part->value] = (float)(mask >> i & 1);
        }
        encode(&e, &root);
        operators_reference(e.want, e.schema, e.graph, e.value, &root);
        memcpy(seen[mask], e.encoding, sizeof seen[mask]);
        for (int i = 0; i < 15; i++) {
            check_near(e.encoding[i], e.want[i], 1e-5);
        }
        for (int other = 0; other < mask; other++) {
            for (int i = 0; i < 3; i++) { // a part's own five numbers tell whether it is there, and nothing else does
                bool same = memcmp(seen[mask] + 5 * i, seen[other] + 5 * i, 5 * sizeof(float)) == 0;
                assert_int_equal(same, (mask >> i & 1) == (other >> i & 1));
            }
        }
    }
    encoder_end(&e);
}

static void empty_and_full_sets_are_counted(void **state)
{
    (void)state;
    encoder e = encoder_of("{'control': {'set': 'location', 'most': 4, 'heads': 1, 'head_width': 3}}");
    const am_transform root = am_transform_identity();
    for (int i = 1; i < e.schema->value_count; i++) {
        e.value[i] = 0.3f * (float)i;
    }
    for (int used = 0; used <= 4; used++) {
        e.value[0] = (float)used;
        encode(&e, &root);
        operators_reference(e.want, e.schema, e.graph, e.value, &root);
        for (int i = 0; i < 7; i++) {
            check_near(e.encoding[i], e.want[i], 1e-5);
        }
        for (int i = 0; i < 4; i++) {
            assert_true(e.encoding[3 + i] == (i < used ? 1.0f : 0.0f)); // Count(M, N)
        }
    }
    e.value[0] = 0.0f;
    encode(&e, &root);
    assert_true(e.encoding[0] == 0.0f && e.encoding[1] == 0.0f && e.encoding[2] == 0.0f);
    encoder_end(&e);
}

/// Typed parts come out with a deviation of 1, items of a set together, and only where they are present; flags,
/// names, branches and counts stay as they are.
static void scales_are_one_over_the_deviation(void **state)
{
    (void)state;
    am_control_schema *s =
        test_schema("{'control': {'and': {'far': 'location', 'near': {'optional': 'location'}, 'yes': 'bool',"
                    " 'style': {'one_of': ['a', 'b']}, 'all': {'array': {'and': {'flag': 'bool', 'v': "
                    "'velocity'}}, 'most': 3}}}}");
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "encoder", NULL, &err), &err);
    ami_net_graph_output(g, "y", ami_control_encoder(g, s, ami_net_graph_input(g, "x", s->vector_count)));
    check_ok(ami_net_graph_finish(g, &err), &err);
    enum { count = 400 };
    float *vectors = calloc((size_t)(s->vector_count * count), sizeof *vectors);
    am_rng rng;
    am_rng_init(&rng, 2);
    // far: 5; near: 0.1, present in every other; v: 2, in one of three items.
    for (int i = 0; i < count; i++) {
        float *x = vectors + (ptrdiff_t)i * s->vector_count;
        for (int k = 0; k < 3; k++) {
            x[k] = 5.0f * am_rng_normal(&rng);
            x[4 + k] = i % 2 ? 0.1f * am_rng_normal(&rng) : 0.0f;
            x[10 + 1 + 2 + k] = 2.0f * am_rng_normal(&rng);
        }
        x[3] = (float)(i % 2);
        x[7] = 1.0f;
        x[8] = 1.0f;
        x[10] = 1.0f;
    }
    ami_control_encoder_scales(g, s, vectors, count);
    const float *scale = ami_net_graph_tensor(g, g->ops[0].out, 1), *mean = ami_net_graph_tensor(g, g->ops[0].out, 0);
    for (int i = 0; i < s->vector_count; i++) {
        int in_item = (i - 11) % 5;
        float want = i < 3 ? 0.2f : i >= 4 && i < 7 ? 10.0f : i > 10 && in_item >= 2 ? 0.5f : 1.0f;
        check_near(scale[i] / want, 1.0, 0.1);
        assert_true(mean[i] == 0.0f);
        assert_true(want != 1.0f || scale[i] == 1.0f);
    }
    // Nothing to measure: scales of 1.
    ami_control_encoder_scales(g, s, NULL, 0);
    for (int i = 0; i < s->vector_count; i++) {
        assert_true(scale[i] == 1.0f);
    }
    free(vectors);
    am_net_graph_destroy(g);
    am_control_schema_destroy(s);
}

/// What `amble info` prints: the parameters of all parts are those of the graph.
static void parameters_of_parts_are_those_of_the_graph(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    am_net_graph *graph = operators_graph(schema, 1);
    int64_t sum = 0;
    for (int i = 0; i < schema->node_count; i++) {
        sum += ami_control_parameters(schema, i);
    }
    assert_int_equal(sum, graph->parameter_count);
    am_net_graph_destroy(graph);
    am_control_schema_destroy(schema);
}

static void a_schema_without_numbers_has_no_encoder(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema("{'control': 'null'}"), *other = test_schema("{'control': 'bool'}");
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, "encoder", NULL, &err), &err);
    int x = ami_net_graph_input(g, "x", 3);
    assert_int_equal(ami_control_encoder(g, schema, x), -1);
    assert_int_equal(g->failed, AM_OK);
    assert_int_equal(ami_control_encoder(g, other, x), -1); // reads 1 number, not 3
    check_refused(ami_net_graph_finish(g, &err), AM_ERR_DEF);
    am_net_graph_destroy(g);
    am_control_schema_destroy(schema);
    am_control_schema_destroy(other);
}

static am_result build(void *user, const am_alloc *alloc)
{
    const am_control_schema *schema = user;
    am_net_graph *g = NULL;
    am_error err = { 0 };
    am_result result = ami_net_graph_create(&g, "encoder", alloc, &err);
    if (result == AM_OK) {
        ami_net_graph_output(g, "y",
                             ami_control_encoder(g, schema, ami_net_graph_input(g, "x", schema->vector_count)));
        result = ami_net_graph_finish(g, &err);
        am_net_graph_destroy(g);
    }
    return result;
}

static void building_survives_failing_allocations(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    assert_true(refuse_allocations(build, schema) > 5);
    am_control_schema_destroy(schema);
}

TEST_SUITE(encoder)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_its_equation),
        cmocka_unit_test(every_operator_works_on_the_items_of_a_set),
        cmocka_unit_test(everything_together_is_its_equations),
        cmocka_unit_test(wide_schemas_are_joined_in_steps),
        cmocka_unit_test(sets_do_not_depend_on_order_and_arrays_do),
        cmocka_unit_test(what_is_absent_does_not_matter),
        cmocka_unit_test(an_absent_optional_is_its_bias),
        cmocka_unit_test(an_or_takes_each_of_its_branches),
        cmocka_unit_test(an_inclusive_or_has_all_combinations),
        cmocka_unit_test(empty_and_full_sets_are_counted),
        cmocka_unit_test(scales_are_one_over_the_deviation),
        cmocka_unit_test(parameters_of_parts_are_those_of_the_graph),
        cmocka_unit_test(a_schema_without_numbers_has_no_encoder),
        cmocka_unit_test(building_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
