// Schemas: what each operator becomes, its sizes and places, and what is refused with which words.
#include "runtime/operators/support.h"

static const ami_control_node *node_of(const am_control_schema *schema, const char *path)
{
    int place = 0;
    am_error err = { 0 };
    int node = ami_control_find(schema, path, &place, &err);
    if (node < 0) {
        fail_msg("%s", err.text);
    }
    return &schema->nodes[node];
}

/// A schema that is one operator, and its sizes.
typedef struct one {
    const char *text;
    ami_operator kind;
    int value, vector, out;
} one;

static void operators_have_the_sizes_of_their_equations(void **state)
{
    (void)state;
    static const one cases[] = {
        { "'null'", AMI_OP_NULL, 0, 0, 0 },
        { "'bool'", AMI_OP_BOOL, 1, 1, 1 },
        { "'number'", AMI_OP_NUMBER, 1, 1, 1 },
        { "'location'", AMI_OP_LOCATION, 3, 3, 3 },
        { "'rotation'", AMI_OP_ROTATION, 4, 6, 6 },
        { "'scale'", AMI_OP_SCALE, 3, 3, 3 },
        { "'direction'", AMI_OP_DIRECTION, 3, 3, 3 },
        { "'velocity'", AMI_OP_VELOCITY, 3, 3, 3 },
        { "{'index': {'n': 8}}", AMI_OP_INDEX, 1, 1, 1 },
        { "{'one_of': ['a', 'b', 'c']}", AMI_OP_ONE_OF, 1, 3, 3 },
        { "{'enum': ['a', 'b', 'c']}", AMI_OP_ONE_OF, 1, 3, 3 },
        { "{'some_of': ['a', 'b']}", AMI_OP_SOME_OF, 2, 2, 2 },
        { "{'flags': ['a', 'b']}", AMI_OP_SOME_OF, 2, 2, 2 },
        { "{'height_map': {'rows': 5, 'columns': 8, 'channels': [4, 3]}}", AMI_OP_HEIGHT_MAP, 40, 40, 3 * 2 * 2 },
        { "{'encode': 'rotation', 'width': 16}", AMI_OP_ENCODE, 4, 6, 16 },
        { "{'and': {'a': {'encode': 'null', 'width': 16}, 'b': 'bool'}}", AMI_OP_AND, 1, 1, 17 },
        { "{'and': {'a': 'location', 'b': 'bool'}}", AMI_OP_AND, 4, 4, 4 },
        { "{'struct': {'a': 'location', 'b': 'bool'}}", AMI_OP_AND, 4, 4, 4 },
        { "{'or': {'a': 'location', 'b': 'bool', 'c': 'null'}, 'width': 9}", AMI_OP_OR, 5, 5, 9 + 3 },
        { "{'exclusive_union': {'a': 'location', 'b': 'rotation'}}", AMI_OP_OR, 8, 10, 6 + 2 },
        { "{'or': {'a': 'null', 'b': 'null'}}", AMI_OP_OR, 1, 1, 2 },
        { "{'either': {'a': 'location', 'b': 'bool'}, 'width': 4}", AMI_OP_OR, 5, 5, 4 + 2 },
        { "{'optional': 'direction'}", AMI_OP_OR, 4, 4, 3 + 2 },
        { "{'optional': 'direction', 'width': 8}", AMI_OP_OR, 4, 4, 8 + 2 },
        { "{'inclusive_or': {'a': 'location', 'b': 'bool'}}", AMI_OP_AND, 6, 6, 5 + 3 },
        { "{'inclusive_union': {'a': 'location', 'b': 'bool'}, 'width': 4}", AMI_OP_AND, 6, 6, 6 + 6 },
        { "{'set': 'rotation', 'most': 5}", AMI_OP_SET, 21, 31, 4 * 16 + 5 },
        { "{'set': 'location', 'most': 2, 'heads': 3, 'key_width': 4, 'head_width': 5}", AMI_OP_SET, 7, 7, 17 },
        { "{'array': 'location', 'most': 2, 'heads': 3, 'key_width': 4, 'head_width': 5}", AMI_OP_SET, 7, 9, 17 },
        { "{'dictionary': {'key': {'enum': ['a', 'b']}, 'value': 'bool'}, 'most': 3, 'heads': 1, 'head_width': 2}",
          AMI_OP_SET, 7, 10, 5 },
        { "{'fixed_array': {'optional': 'bool'}, 'count': 3}", AMI_OP_AND, 6, 6, 9 },
        { "'transform'", AMI_OP_AND, 10, 12, 12 },
        { "'prop'", AMI_OP_AND, 13, 15, 15 },
        { "'character'", AMI_OP_AND, 24, 24, 24 },
        { "{'character': {'joints': ['hips', 'head']}}", AMI_OP_AND, 15, 15, 15 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{'control': %s}", cases[i].text);
        am_control_schema *schema = test_schema(text);
        const ami_control_node *root = &schema->nodes[0];
        if (root->kind != cases[i].kind || schema->value_count != cases[i].value ||
            schema->vector_count != cases[i].vector || schema->width != cases[i].out) {
            fail_msg("%s: kind %d, value %d, vector %d, out %d", cases[i].text, (int)root->kind, schema->value_count,
                     schema->vector_count, schema->width);
        }
        am_control_schema_destroy(schema);
    }
}

static void every_operator_can_be_nested(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    assert_string_equal(schema->name, "everything");
    bool seen[AMI_OP_COUNT] = { false };
    for (int i = 0; i < schema->node_count; i++) {
        const ami_control_node *n = &schema->nodes[i];
        seen[n->kind] = true;
        assert_true(n->parent < i && (i == 0 || n->parent >= 0));
        assert_true(n->value >= 0 && n->value + n->value_count <= schema->value_count);
        assert_true(n->vector >= 0 && n->vector + n->vector_count <= schema->vector_count);
    }
    for (int kind = 0; kind < AMI_OP_COUNT; kind++) {
        assert_true(seen[kind]);
    }
    am_control_schema_destroy(schema);
}

/// Places of parts that exist together never overlap, and each is found again under its path.
static void paths_lead_to_every_part_and_back(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    for (int i = 0; i < schema->node_count; i++) {
        char path[200], again[200];
        int place = -1;
        am_error err = { 0 };
        ami_control_path(schema, i, path, sizeof path);
        int node = ami_control_find(schema, path, &place, &err);
        if (schema->nodes[i].kind == AMI_OP_NULL && !schema->nodes[i].name[0]) {
            continue; // the absent side of an optional has the optional's path
        }
        if (node < 0) {
            fail_msg("%s", err.text);
        }
        ami_control_path(schema, node, again, sizeof again);
        assert_string_equal(path, again);
        assert_int_equal(ami_control_inside(schema, node), ami_control_inside(schema, i));
        assert_int_equal(place, schema->nodes[node].value);
    }
    assert_string_equal(node_of(schema, "follow.path[*].position")->word, "location");
    assert_string_equal(node_of(schema, "follow.at[2].facing")->word, "direction");
    assert_string_equal(node_of(schema, "use.hand.prop.size")->word, "scale");
    assert_string_equal(node_of(schema, "meet.doors[1].key")->word, "enum");
    assert_string_equal(node_of(schema, "meet.who.left_hand")->word, "location");
    int zero = 0, second = 0;
    ami_control_find(schema, "follow.path[0].position", &zero, NULL);
    ami_control_find(schema, "follow.path[2].position", &second, NULL);
    assert_int_equal(second - zero, 2 * node_of(schema, "follow.path[*]")->value_count);
    am_control_schema_destroy(schema);
}

typedef struct wrong {
    const char *text; ///< ' for "
    am_result code;
    const char *says; ///< the whole message
} wrong;

static void wrong_paths_say_what_is_there(void **state)
{
    (void)state;
    static const wrong cases[] = {
        { "wlak", AM_ERR_KEY, "there is no \"wlak\" in schema 'everything': did you mean \"walk\"?" },
        { "walk.targt", AM_ERR_KEY, "there is no \"walk.targt\" in schema 'everything': did you mean \"target\"?" },
        { "walk.xyzzyxyzzy", AM_ERR_KEY,
          "there is no \"walk.xyzzyxyzzy\" in schema 'everything': walk has: target, facing, speed, style, how, "
          "hurry" },
        { "walk.target.x", AM_ERR_KEY,
          "there is no \"walk.target.x\" in schema 'everything': walk.target is a location, which has no named "
          "parts" },
        { "walk..target", AM_ERR_KEY,
          "there is no \"walk..target\" in schema 'everything': a name is missing between dots" },
        { "walk.", AM_ERR_KEY, "there is no \"walk.\" in schema 'everything': a name is missing between dots" },
        { ".walk", AM_ERR_KEY, "there is no \".walk\" in schema 'everything': a name is missing between dots" },
        { "walk[0]", AM_ERR_KEY,
          "there is no \"walk[0]\" in schema 'everything': walk is an and, which has no items" },
        { "follow.path[4]", AM_ERR_LIMIT,
          "there is no \"follow.path[4]\" in schema 'everything': follow.path has at most 4 items, 0 to 3" },
        { "follow.at[3]", AM_ERR_LIMIT,
          "there is no \"follow.at[3]\" in schema 'everything': follow.at has at most 3 items, 0 to 2" },
        { "follow.at[*]", AM_ERR_KEY,
          "there is no \"follow.at[*]\" in schema 'everything': [*] names the items of a set; follow.at has parts 0 "
          "to "
          "2" },
        { "follow.path[x]", AM_ERR_KEY,
          "there is no \"follow.path[x]\" in schema 'everything': an item is written as [2], and all items of a set "
          "as "
          "[*]" },
        { "follow.path[1", AM_ERR_KEY,
          "there is no \"follow.path[1\" in schema 'everything': an item is written as [2], and all items of a set "
          "as "
          "[*]" },
        { "follow.path[1]position", AM_ERR_KEY,
          "there is no \"follow.path[1]position\" in schema 'everything': write a dot between names" },
        { "follow.path.position", AM_ERR_KEY,
          "there is no \"follow.path.position\" in schema 'everything': follow.path is an array, which has no named "
          "parts" },
    };
    am_control_schema *schema = test_schema(operators_everything);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int place = 0;
        am_error err = { 0 };
        assert_int_equal(ami_control_find(schema, cases[i].text, &place, &err), -1);
        check_refused(err.code, cases[i].code);
        assert_string_equal(err.text, cases[i].says);
    }
    am_control_schema_destroy(schema);
}

static void hashes_tell_schemas_apart(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'control': {'and': {'a': 'location', 'b': 'direction'}}}",
        "{'control': {'and': {'b': 'location', 'a': 'direction'}}}",
        "{'control': {'and': {'a': 'location', 'b': 'velocity'}}}",
        "{'control': {'and': {'a': 'location', 'b': {'direction': {'space': 'local'}}}}}",
        "{'control': {'or': {'a': 'location', 'b': 'direction'}}}",
        "{'control': {'or': {'a': 'location', 'b': 'direction'}, 'width': 4}}",
        "{'control': {'number': {'scale': 2}}}",
        "{'control': {'number': {'scale': 3}}}",
        "{'control': {'one_of': ['a', 'b']}}",
        "{'control': {'one_of': ['b', 'a']}}",
        "{'control': {'set': 'location', 'most': 3}}",
        "{'control': {'array': 'location', 'most': 3}}",
    };
    enum { count = sizeof texts / sizeof texts[0] };
    uint64_t hash[count];
    for (int i = 0; i < count; i++) {
        am_control_schema *schema = test_schema(texts[i]);
        hash[i] = schema->hash;
        am_control_schema_destroy(schema);
        for (int j = 0; j < i; j++) {
            assert_true(hash[i] != hash[j]);
        }
    }
    // The name and comments decide nothing.
    am_control_schema *same = test_schema("{'name': 'x', // note\n"
                                          " 'control': {'struct': {'a': 'location', 'b': 'direction'}}}");
    assert_true(same->hash == hash[0]);
    am_control_schema_destroy(same);
}

static am_result read_bytes(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    am_result result = am_control_schema_read(&schema, (const char *)data, size, "x.json", alloc, &err);
    am_control_schema_destroy(schema);
    return refuse_checked(result, &err);
}

static void damaged_schemas_and_failing_allocations_are_refused(void **state)
{
    (void)state;
    char text[8192];
    size_t size = strlen(operators_everything);
    for (size_t i = 0; i < size; i++) {
        text[i] = operators_everything[i] == '\'' ? '"' : operators_everything[i];
    }
    const refuse_options options = { .truncations = 300, .flips = 600, .seed = 18 };
    const refuse_counts counts = refuse_loop(read_bytes, NULL, text, size, &options);
    assert_true(counts.failed_allocations >= 3 && counts.refused_flips > 100);
}

TEST_SUITE(schema)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_the_sizes_of_their_equations),
        cmocka_unit_test(every_operator_can_be_nested),
        cmocka_unit_test(paths_lead_to_every_part_and_back),
        cmocka_unit_test(wrong_paths_say_what_is_there),
        cmocka_unit_test(hashes_tell_schemas_apart),
        cmocka_unit_test(damaged_schemas_and_failing_allocations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
