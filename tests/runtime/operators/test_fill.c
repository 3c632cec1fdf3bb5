// Rules that fill values: every kind of body, what is missing, what holds parts, messages.
#include "runtime/operators/fills.h"

enum { most_numbers = 4096 };

typedef struct filled {
    am_control_schema *schema;
    float value[most_numbers];
    bool good;
} filled;

/// Host: now is 2.5, position(joint, t) is (place of the joint, t, 0) and missing from 10 s on, never is missing.
static filled fill_of(const char *schema, const char *rules, bool strict, int chosen)
{
    filled f = { .schema = test_schema(schema) };
    ami_fill *fill = test_fill(f.schema, rules, strict);
    assert_true(f.schema->value_count <= most_numbers);
    for (int i = 0; i < most_numbers; i++) {
        f.value[i] = -7.0f; // all that belongs to the value is written
    }
    f.good = run_fill(fill, f.value, chosen, 1);
    ami_fill_destroy(fill);
    return f;
}

/// The numbers of the part at a path.
static const float *at(const filled *f, const char *path)
{
    int place = 0;
    am_error err = { 0 };
    int node = ami_control_find(f->schema, path, &place, &err);
    if (node < 0) {
        fail_msg("%s", err.text);
    }
    int inside = ami_control_inside(f->schema, node);
    return f->value + place + f->schema->nodes[inside].value - f->schema->nodes[node].value;
}

/// Whether the optional at a path is given.
static bool is_given(const filled *f, const char *path)
{
    int place = 0;
    int node = ami_control_find(f->schema, path, &place, NULL);
    assert_true(node >= 0 && f->schema->nodes[node].optional);
    return f->value[place] == 1.0f;
}

static void check_vector(const float *v, float x, float y, float z)
{
    check_near(v[0], x, 1e-6);
    check_near(v[1], y, 1e-6);
    check_near(v[2], z, 1e-6);
}

static void typed_parts_get_their_numbers(void **state)
{
    (void)state;
    filled f =
        fill_of("{'control': {'and': {'hurry': 'bool', 'speed': 'number', 'which': {'index': {'n': 4}}, 'place': "
                "'location', 'turn': 'rotation', 'size': 'scale', 'way': 'direction', 'v': 'velocity', 'style': "
                "{'one_of': ['drunk', 'mummy']}, 'how': {'some_of': ['quiet', 'loaded', 'fast']}}}}",
                "{'draw': {'later': 'now + 1', 'gait': 'style(run)', 'mood': 'if(now > 1, `mummy`, `drunk`)'}, "
                "'set': {'hurry': true, 'speed': 1.5, "
                "'which': 'later', 'place': 'position(hips, later)', 'turn': 'turned', 'size': 'vec(1, 2, 3)', "
                "'way': 'vec(0, 0, 1)', 'v': '2 * vec(0, 0, 1)', 'style': 'mood', 'how': {'flags': {'quiet': "
                "'now > 1', 'fast': 'gait == `run`'}}}}",
                true, 0);
    assert_true(f.good);
    assert_true(at(&f, "hurry")[0] == 1.0f && at(&f, "speed")[0] == 1.5f);
    assert_true(at(&f, "which")[0] == 4.0f); // 3.5 is nearest to 4
    check_vector(at(&f, "place"), 1.0f, 3.5f, 0.0f);
    check_vector(at(&f, "turn"), 0.0f, 0.70710678f, 0.0f);
    check_vector(at(&f, "size"), 1.0f, 2.0f, 3.0f);
    check_vector(at(&f, "way"), 0.0f, 0.0f, 1.0f);
    check_vector(at(&f, "v"), 0.0f, 0.0f, 2.0f);
    assert_true(at(&f, "style")[0] == 1.0f);
    check_vector(at(&f, "how"), 1.0f, 0.0f, 1.0f);
    am_control_schema_destroy(f.schema);
}

static void parts_are_reached_by_path_or_by_nesting(void **state)
{
    (void)state;
    static const char *const schema = "{'control': {'and': {'target': {'optional': {'and': {'position': 'location', "
                                      "'facing': {'optional': 'direction'}}}}, 'at': {'fixed_array': {'and': {'p': "
                                      "'location'}}, 'count': 2}, 'x': {'encode': 'number', 'width': 3}}}}";
    static const char *const rules[] = {
        "{'set': {'target.position': 'vec(1, 2, 3)', 'target.facing': 'vec(0, 0, 1)', 'at[0].p': 'vec(4, 5, 6)', "
        "'at[1].p': 'vec(7, 8, 9)', 'x': 3}}",
        "{'set': {'target': {'set': {'position': 'vec(1, 2, 3)', 'facing': {'value': 'vec(0, 0, 1)'}}}, 'at': "
        "{'set': "
        "{'[0]': {'set': {'p': 'vec(4, 5, 6)'}}, '[1].p': 'vec(7, 8, 9)'}}, 'x': {'value': '3'}}}",
        "{'set': {'target.position': 'vec(1, 2, 3)', 'target': {'when': 'true', 'set': {'facing': {'when': 'now > "
        "2', "
        "'value': 'vec(0, 0, 1)'}}}, 'at': {'item': {'set': {'p': 'vec(4 + 3 * i, 5 + 3 * i, 6 + 3 * i)'}}}, 'x': "
        "3}}",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        filled f = fill_of(schema, rules[i], true, 0);
        assert_true(f.good && is_given(&f, "target") && is_given(&f, "target.facing"));
        check_vector(at(&f, "target.position"), 1.0f, 2.0f, 3.0f);
        check_vector(at(&f, "target.facing"), 0.0f, 0.0f, 1.0f);
        check_vector(at(&f, "at[0].p"), 4.0f, 5.0f, 6.0f);
        check_vector(at(&f, "at[1].p"), 7.0f, 8.0f, 9.0f);
        assert_true(at(&f, "x")[0] == 3.0f);
        am_control_schema_destroy(f.schema);
    }
}

static const char *const optionals = "{'control': {'and': {'target': {'optional': {'and': {'position': 'location', "
                                     "'facing': {'optional': 'direction'}}}}, 'speed': 'number'}}}";

static void optional_parts_come_and_go(void **state)
{
    (void)state;
    filled f =
        fill_of(optionals,
                "{'set': {'target': {'when': 'now > 3', 'set': {'position': 'vec(1, 2, 3)'}}, 'speed': 2}}", true, 0);
    assert_true(f.good && !is_given(&f, "target") && at(&f, "speed")[0] == 2.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of(optionals, "{'set': {'target.position': 'vec(1, 2, 3)', 'speed': 2}}", true, 0);
    assert_true(f.good && is_given(&f, "target") && !is_given(&f, "target.facing"));
    am_control_schema_destroy(f.schema);
    f = fill_of(optionals, "{'set': {'speed': 2}}", true, 0); // never given
    assert_true(f.good && !is_given(&f, "target"));
    am_control_schema_destroy(f.schema);
}

static void what_is_missing_refuses_a_sample(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "{'set': {'target.position': 'position(hips, 11)', 'speed': 2}}",
        "{'set': {'speed': 'never'}}",
        "{'draw': {'later': 'never'}, 'set': {'speed': 'later'}}",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        filled f = fill_of(optionals, rules[i], true, 0);
        assert_false(f.good);
        am_control_schema_destroy(f.schema);
    }
    // A condition that is missing counts as false.
    filled f = fill_of(optionals,
                       "{'set': {'target': {'when': 'never > 1', 'set': {'position': 'vec(1, 2, 3)'}}, 'speed': 2}}",
                       true, 0);
    assert_true(f.good && !is_given(&f, "target"));
    am_control_schema_destroy(f.schema);
    // A variable may be missing when nothing needs it.
    f = fill_of(optionals,
                "{'draw': {'later': 'never'}, 'set': {'target': {'when': 'has(later)', 'set': {'position': "
                "'position(hips, later)'}}, 'speed': 'or_else(later, 3)'}}",
                true, 0);
    assert_true(f.good && !is_given(&f, "target") && at(&f, "speed")[0] == 3.0f);
    am_control_schema_destroy(f.schema);
}

static void what_is_missing_is_absent_while_a_person_plays(void **state)
{
    (void)state;
    filled f = fill_of(optionals, "{'set': {'target.position': 'position(hips, 11)', 'speed': 2}}", false, 0);
    assert_true(f.good && !is_given(&f, "target") && at(&f, "speed")[0] == 2.0f);
    am_control_schema_destroy(f.schema);
    // The facing alone.
    f = fill_of(
        optionals,
        "{'set': {'target.facing': 'normalise(vec(0, 0, 0))', 'target.position': 'vec(1, 2, 3)', 'speed': 2}}", false,
        0);
    assert_true(f.good && is_given(&f, "target") && !is_given(&f, "target.facing"));
    am_control_schema_destroy(f.schema);
    // Whichever comes first: the target has no place, so it is absent.
    static const char *const orders[] = {
        "{'set': {'target.position': 'position(hips, 11)', 'target.facing': 'vec(0, 0, 1)', 'speed': 2}}",
        "{'set': {'target.facing': 'vec(0, 0, 1)', 'target.position': 'position(hips, 11)', 'speed': 2}}",
        "{'set': {'target': {'set': {'facing': 'vec(0, 0, 1)', 'position': 'position(hips, 11)'}}, 'speed': 2}}",
    };
    for (int i = 0; i < 3; i++) {
        f = fill_of(optionals, orders[i], false, 0);
        assert_true(f.good && !is_given(&f, "target"));
        am_control_schema_destroy(f.schema);
    }
}

static const char *const ways = "{'control': {'and': {'path': {'array': {'and': {'position': 'location', 'facing': "
                                "{'optional': 'direction'}}}, 'most': 4}, 'gait': 'number'}}}";

static void items_are_filled_one_by_one(void **state)
{
    (void)state;
    filled f =
        fill_of(ways,
                "{'draw': {'n': '3', 'later': '6'}, 'set': {'path': {'count': 'n', 'item': {'set': {'position': "
                "'position(left_hand, now + (i + 1) * later / n)', 'facing': {'when': 'i > 1', 'value': 'vec(0, 0, "
                "1)'}}}}, 'gait': 1}}",
                true, 0);
    assert_true(f.good && at(&f, "path")[0] == 3.0f);
    check_vector(at(&f, "path[0].position"), 2.0f, 4.5f, 0.0f);
    check_vector(at(&f, "path[1].position"), 2.0f, 6.5f, 0.0f);
    check_vector(at(&f, "path[2].position"), 2.0f, 8.5f, 0.0f);
    check_vector(at(&f, "path[3].position"), 0.0f, 0.0f, 0.0f);
    assert_true(!is_given(&f, "path[0].facing") && is_given(&f, "path[2].facing"));
    assert_true(at(&f, "gait")[0] == 1.0f);
    am_control_schema_destroy(f.schema);
    // As many as there is room for, none, and by their numbers.
    static const char *const rules =
        "{'set': {'path': {'count': %s, 'item': {'set': {'position': 'vec(i, 0, 0)'}}}, 'gait': 1}}";
    static const char *const counts[] = { "99", "0", "-3", "2.4" };
    static const float numbers[] = { 4, 0, 0, 2 };
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text, rules, counts[i]);
        f = fill_of(ways, text, true, 0);
        assert_true(f.good && at(&f, "path")[0] == numbers[i]);
        am_control_schema_destroy(f.schema);
    }
    f = fill_of(ways, "{'set': {'path[1].position': 'vec(1, 2, 3)', 'path[0].position': 'vec(4, 5, 6)', 'gait': 1}}",
                true, 0);
    assert_true(f.good && at(&f, "path")[0] == 2.0f && at(&f, "path[1].position")[1] == 2.0f);
    am_control_schema_destroy(f.schema);
}

static void a_way_ends_where_its_next_point_is_missing(void **state)
{
    (void)state;
    static const char *const rules =
        "{'set': {'path': {'count': 4, 'item': {'set': {'position': 'position(root, 4 * i)'}}}, "
        "'gait': 1}}";
    filled f = fill_of(ways, rules, false, 0);
    assert_true(f.good && at(&f, "path")[0] == 3.0f && at(&f, "gait")[0] == 1.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of(ways, rules, true, 0);
    assert_false(f.good);
    am_control_schema_destroy(f.schema);
}

static const char *const behaviours = "{'control': {'and': {'task': {'or': {'stand': 'null', 'walk': {'and': "
                                      "{'target': {'optional': 'location'}}}, 'jump': "
                                      "'location'}}, 'speed': 'number'}}}";

static void branches_are_chosen_by_the_host(void **state)
{
    (void)state;
    static const char *const rules =
        "{'set': {'task': {'choose': {'jump': {'share': 2, 'draw': {'later': 'now * 2'}, "
        "'value': 'position(hips, later)'}, 'stand': {}, 'walk': {'set': {'target': "
        "'vec(1, 2, 3)'}}}}, 'speed': 1}}";
    filled f = fill_of(behaviours, rules, true, 0);
    assert_true(f.good && at(&f, "task")[0] == 2.0f); // the jump, which the schema has last
    check_vector(at(&f, "task.jump"), 1.0f, 5.0f, 0.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of(behaviours, rules, true, 1);
    assert_true(f.good && at(&f, "task")[0] == 0.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of(behaviours, rules, true, 2);
    assert_true(f.good && at(&f, "task")[0] == 1.0f && is_given(&f, "task.walk.target"));
    check_vector(at(&f, "task.walk.target"), 1.0f, 2.0f, 3.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of(behaviours, rules, true, -1); // no branch goes with this frame
    assert_false(f.good);
    am_control_schema_destroy(f.schema);
    // A path into a branch chooses it.
    f = fill_of(behaviours, "{'set': {'task.jump': 'vec(1, 2, 3)', 'speed': 1}}", true, 0);
    assert_true(f.good && at(&f, "task")[0] == 2.0f);
    am_control_schema_destroy(f.schema);
}

static void branches_are_chosen_by_the_first_when(void **state)
{
    (void)state;
    static const char *const rules =
        "{'let': {'far': '%s'}, 'set': {'task': {'choose': {'jump': {'when': 'far > 5', 'value': "
        "'vec(1, 2, 3)'}, 'walk': {'when': 'far > 1', 'set': {'target': 'position(hips, far "
        "* 3)'}}, 'stand': {}}}, 'speed': 1}}";
    static const char *const far[] = { "6", "2", "4", "0", "never" };
    static const float branches[] = { 2, 1, 1, 0, 0 };
    for (int i = 0; i < 5; i++) {
        char text[600];
        snprintf(text, sizeof text, rules, far[i]);
        filled f = fill_of(behaviours, text, false, 0);
        assert_true(f.good && at(&f, "task")[0] == branches[i]);
        if (branches[i] == 1.0f) { // position is missing from 10 s on
            assert_true(is_given(&f, "task.walk.target") == (i == 1));
        }
        am_control_schema_destroy(f.schema);
    }
}

static void choices_say_what_holds_them(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema("{'control': {'and': {'a': {'or': {'x': {'or': {'p': 'bool', 'q': "
                                            "'null'}}, 'y': 'null'}}, 'b': {'optional': {'or': {'u': "
                                            "'null', 'v': 'null'}}}}}}");
    ami_fill *fill =
        test_fill(schema,
                  "{'set': {'a': {'choose': {'y': {}, 'x': {'choose': {'p': {'value': true}, 'q': {}}}}}, 'b': "
                  "{'when': 'now > 3', 'choose': {'u': {}, 'v': {}}}}}",
                  true);
    int count;
    const ami_fill_choice *choices = ami_fill_choices(fill, &count);
    assert_int_equal(count, 3);
    assert_int_equal(choices[0].parent, -1);
    assert_true(choices[0].sure && choices[1].sure && !choices[2].sure);
    assert_int_equal(choices[1].parent, 0);
    assert_int_equal(choices[1].parent_branch, 1);
    assert_int_equal(choices[2].parent, -1);
    assert_string_equal(choices[1].names[1], "q");
    ami_fill_destroy(fill);
    am_control_schema_destroy(schema);
}

static void maps_are_filled_cell_by_cell(void **state)
{
    (void)state;
    filled f = fill_of("{'control': {'and': {'x': 'number', 'ground': {'height_map': {'rows': 3, 'columns': 2}}}}}",
                       "{'set': {'x': 1, 'ground': {'cell': '10 * row + column'}}}", true, 0);
    static const float heights[] = { 0, 1, 10, 11, 20, 21 };
    assert_true(f.good);
    assert_memory_equal(at(&f, "ground"), heights, sizeof heights);
    am_control_schema_destroy(f.schema);
}

static void the_whole_may_be_a_single_value_or_nothing(void **state)
{
    (void)state;
    filled f = fill_of("{'control': 'location'}", "{'value': 'vec(1, 2, 3)'}", true, 0);
    check_vector(f.value, 1.0f, 2.0f, 3.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of("{'control': 'null'}", "{}", true, 0);
    assert_true(f.good);
    am_control_schema_destroy(f.schema);
    f = fill_of("{'control': {'optional': 'location'}}", "{'value': 'position(hips, 11)'}", false, 0);
    assert_true(f.good && f.value[0] == 0.0f);
    am_control_schema_destroy(f.schema);
    f = fill_of("{'control': 'location'}", "{'when': 'now > 3', 'value': 'vec(1, 2, 3)'}", false, 0);
    assert_true(f.good && f.value[0] == 0.0f);
    am_control_schema_destroy(f.schema);
}

static void noise_has_the_size_that_is_asked_for(void **state)
{
    (void)state;
    am_control_schema *schema =
        test_schema("{'control': {'and': {'a': 'location', 'b': 'location', 'c': 'direction', 'd': "
                    "'rotation', 'e': 'number'}}}");
    ami_fill *fill = test_fill(
        schema,
        "{'set': {'a': {'value': 'vec(1, 2, 3)', 'noise': 0.3}, 'b': {'value': 'vec(1, 2, 3)', 'noise': [0.3, 0, "
        "0.6]}, 'c': {'value': 'vec(0, 0, 1)', 'noise': 0.1}, 'd': {'value': 'turned', 'noise': 0.1}, 'e': "
        "{'value': 5, 'noise': 2}}}",
        true);
    // A deviation between 0 and the most gives a variance of a third of the most's.
    enum { draws = 20000 };
    double sum[14] = { 0 }, square[14] = { 0 };
    for (int i = 0; i < draws; i++) {
        float v[14];
        assert_true(run_fill(fill, v, 0, (uint64_t)i + 1));
        check_near(am_v3_length(am_v3(v[6], v[7], v[8])), 1.0, 1e-5);
        check_near(am_quat_dot(am_q(v[9], v[10], v[11], v[12]), am_q(v[9], v[10], v[11], v[12])), 1.0, 1e-5);
        for (int k = 0; k < 14; k++) {
            sum[k] += (double)v[k] / draws;
            square[k] += (double)v[k] * (double)v[k] / draws;
        }
    }
    static const double means[] = { 1, 2, 3, 1, 2, 3 }, spreads[] = { 0.1732, 0.1732, 0.1732, 0.1732, 0, 0.3464 };
    for (int k = 0; k < 6; k++) {
        check_near(sum[k], means[k], 0.01);
        check_near(sqrt(fmax(square[k] - sum[k] * sum[k], 0.0)), spreads[k], 0.01);
    }
    check_near(sqrt(square[6]), 0.0573, 0.005);
    check_near(sum[13], 5.0, 0.05);
    check_near(sqrt(square[13] - sum[13] * sum[13]), 1.1547, 0.03);
    ami_fill_destroy(fill);
    am_control_schema_destroy(schema);
}

typedef struct wrong_rules {
    const char *schema; ///< the operator
    const char *rules;  ///< ' for ", ` for '
    bool play;          ///< as runtime controls
    am_result code;
    const char *says;
} wrong_rules;

#define TARGET                                                                                                       \
    "{'and': {'target': {'optional': {'and': {'position': 'location', 'facing': {'optional': 'direction'}}}}, "      \
    "'speed': 'number'}}"
#define PATH "{'array': {'and': {'position': 'location'}}, 'most': 4}"
#define TASK "{'or': {'walk': 'location', 'stand': 'null'}}"

static const wrong_rules wrongs[] = {
    { "'location'", "[]", false, AM_ERR_TYPE, "c.json:1:1: the schema: expected an expression or an object" },
    { "'location'", "{}", false, AM_ERR_KEY, "c.json:1:1: the schema: nothing sets this location; add it" },
    { "'location'", "{'vlue': 'now'}", false, AM_ERR_KEY,
      "c.json:1:2: unknown key \"vlue\"; did you mean \"value\"?" },
    { "'location'", "{'value': 'now'}", false, AM_ERR_TYPE,
      "c.json:1:11: the schema: a vector is expected, but 'now' is a number" },
    { "'location'", "{'value': 'nw'}", false, AM_ERR_KEY,
      "c.json:1:11: the schema: 'nw': at character 1: nothing here is called 'nw'; did you mean 'now'?" },
    { "'location'", "{'value': null}", false, AM_ERR_TYPE,
      "c.json:1:11: the schema: an expression is expected here: a string such as \"now + 1\"" },
    { "'location'", "{'set': {}}", false, AM_ERR_KEY,
      "c.json:1:9: the schema: \"set\" does not fit \"location\"; write \"value\"" },
    { "'location'", "{'value': 'vec(1, 2, 3)', 'set': {}}", false, AM_ERR_KEY,
      "c.json:1:34: the schema: \"value\" and \"set\" do not go together" },
    { "'location'", "{'when': 'true', 'value': 'vec(1, 2, 3)'}", false, AM_ERR_KEY,
      "c.json:1:10: the schema: \"when\" needs an optional part or a set; this location is always there" },
    { "'bool'", "{'value': 1}", false, AM_ERR_TYPE,
      "c.json:1:11: the schema: a truth value is expected, but '1' is a number" },
    { "'bool'", "{'value': true, 'noise': 1}", false, AM_ERR_TYPE, "c.json:1:26: the schema: bool takes no noise" },
    { "'number'", "{'value': 1, 'noise': 'x'}", false, AM_ERR_TYPE,
      "c.json:1:23: the schema: \"noise\" is a number" },
    { "'location'", "{'value': 'vec(1, 2, 3)', 'noise': [1, 2]}", false, AM_ERR_TYPE,
      "c.json:1:36: the schema: \"noise\" is a number or three, for x, y and z" },
    { "'number'", "{'value': 1, 'noise': -1}", false, AM_ERR_RANGE,
      "c.json:1:23: the schema: \"noise\" is a number from 0 to 1000" },
    { "'number'", "{'value': 1, 'noise': 1}", true, AM_ERR_KEY, "c.json:1:14: unknown key \"noise\"" },
    { "'number'", "{'value': 1, 'count': 1}", false, AM_ERR_KEY,
      "c.json:1:23: the schema: \"count\" goes with \"item\"" },
    { "'null'", "{'value': 1}", false, AM_ERR_KEY,
      "c.json:1:11: the schema: \"value\" does not fit \"null\"; it has nothing to set" },
    { "{'one_of': ['drunk', 'mummy']}", "{'value': '`munny`'}", false, AM_ERR_KEY,
      "no name is called 'munny'; did you mean 'mummy'?" },
    { "{'some_of': ['quiet', 'fast']}", "{'flags': {'quite': true}}", false, AM_ERR_KEY,
      "c.json:1:21: the schema: no flag is called 'quite'; did you mean 'quiet'?" },
    { "{'some_of': ['quiet', 'fast']}", "{'flags': {'fast': 'now'}}", false, AM_ERR_TYPE,
      "c.json:1:20: the schema: a truth value is expected, but 'now' is a number" },
    { TARGET, "{'set': []}", false, AM_ERR_TYPE, "c.json:1:9: the schema: \"set\" should be an object" },
    { TARGET, "{'set': {'speed': 1, 'targt.position': 'vec(1, 2, 3)'}}", false, AM_ERR_KEY,
      "c.json:1:22: the schema: there is no \"targt.position\" in schema 'control': did you mean \"target\"?" },
    { TARGET, "{'set': {'speed': 1, 'target': 'vec(1, 2, 3)'}}", false, AM_ERR_TYPE,
      "c.json:1:32: target: an expression does not fit \"and\"; write {\"set\": ...}" },
    { TARGET, "{'set': {'speed': 1, 'target.facing': 'vec(1, 2, 3)'}}", false, AM_ERR_KEY,
      "c.json:1:1: target.position: nothing sets this location; add it" },
    { TARGET, "{'set': {'target.position': 'vec(1, 2, 3)'}}", false, AM_ERR_KEY,
      "c.json:1:1: speed: nothing sets this number; add it" },
    { TARGET, "{'set': {'speed': 1, 'target.position': {'when': 'true', 'value': 'vec(1, 2, 3)'}}}", false,
      AM_ERR_KEY,
      "c.json:1:50: target.position: \"when\" needs an optional part or a set; this location is always there" },
    { TARGET,
      "{'set': {'speed': 1, 'target': {'set': {'position': 'vec(1, 2, 3)'}}, 'target.position': 'vec(1, 2, 3)'}}",
      false, AM_ERR_KEY, "target.position: it is set twice; take one of them out" },
    { TARGET, "{'set': {'speed': {'draw': {'now': 1}, 'value': 1}}}", false, AM_ERR_KEY,
      "c.json:1:36: speed: 'now' already means something here; choose another name" },
    { TARGET, "{'draw': {'a b': 1}, 'set': {'speed': 1}}", false, AM_ERR_KEY,
      "c.json:1:18: the schema: 'a b' is no name for a variable; use letters, digits and _" },
    { TARGET, "{'draw': [1], 'set': {'speed': 1}}", false, AM_ERR_TYPE,
      "c.json:1:10: the schema: \"draw\" should be an object of variables and expressions" },
    { TARGET, "{'draw': {'a': 'b', 'b': 1}, 'set': {'speed': 'a'}}", false, AM_ERR_KEY,
      "nothing here is called 'b'" },
    { PATH, "{'item': {'set': {'position': 'vec(i, 0, 0)'}}}", false, AM_ERR_KEY,
      "c.json:1:1: the schema: \"item\" needs \"count\": how many of at most 4" },
    { PATH, "{'count': 'true', 'item': {'set': {'position': 'vec(i, 0, 0)'}}}", false, AM_ERR_TYPE,
      "c.json:1:11: the schema: a number is expected, but 'true' is a truth value" },
    { PATH, "{'count': 'i', 'item': {'set': {'position': 'vec(i, 0, 0)'}}}", false, AM_ERR_KEY,
      "nothing here is called 'i'" },
    { PATH, "{'count': 3, 'item': {'set': {}}}", false, AM_ERR_KEY, "nothing sets this location; add it" },
    { PATH, "{'set': {'[4].position': 'vec(1, 2, 3)'}}", false, AM_ERR_LIMIT, "at most 4 items" },
    { "{'fixed_array': 'number', 'count': 3}", "{'count': 2, 'item': 1}", false, AM_ERR_KEY,
      "c.json:1:11: the schema: \"fixed_array\" always has 3 items; take \"count\" out" },
    { "{'fixed_array': 'number', 'count': 3}", "{'set': {'[0]': 1, '[2]': 1}}", false, AM_ERR_KEY,
      "c.json:1:1: [1]: nothing sets this number; add it" },
    { TASK, "{}", false, AM_ERR_KEY, "c.json:1:1: the schema: no branch of this \"or\" is set; add \"choose\"" },
    { TASK, "{'choose': {}}", false, AM_ERR_EMPTY, "c.json:1:12: the schema: \"choose\" names no branch" },
    { TASK, "{'choose': {'wlk': {}}}", false, AM_ERR_KEY,
      "c.json:1:13: the schema: no branch is called 'wlk'; did you mean 'walk'?" },
    { TASK, "{'choose': {'walk': {}}}", false, AM_ERR_KEY, "c.json:1:21: walk: nothing sets this location; add it" },
    { TASK, "{'choose': {'stand': {'value': 1}}}", false, AM_ERR_KEY,
      "c.json:1:32: stand: \"value\" does not fit \"null\"; it has nothing to set" },
    { TASK, "{'choose': {'stand': {'shore': 1}}}", false, AM_ERR_KEY,
      "unknown key \"shore\"; did you mean \"share\"?" },
    { TASK, "{'choose': {'stand': {'when': 'true'}}}", false, AM_ERR_KEY, "\"when\" needs an optional part" },
    { "{'or': {'a': 'bool', 'b': 'bool'}}", "{'set': {'a': true, 'b': true}}", false, AM_ERR_KEY,
      "c.json:1:1: the schema: both 'a' and 'b' are set; write \"choose\" to say when" },
    { "{'and': {'pose': {'and': {'hips': 'location'}}}}", "{'set': {'pose.hips': 'vec(1, 2, 3)'}}", false, AM_ERR_KEY,
      "c.json:1:23: pose.hips: the character's own body fills it; take it out" },
    { "{'height_map': {'rows': 3, 'columns': 2}}", "{'cell': 'true'}", false, AM_ERR_TYPE,
      "c.json:1:10: the schema: a number is expected, but 'true' is a truth value" },
    { "{'height_map': {'rows': 3, 'columns': 2}}", "{'value': 1}", false, AM_ERR_KEY,
      "\"value\" does not fit \"height_map\"; write \"cell\"" },
    { "{'and': {'x': 'number'}}", "{'set': {'x': {'draw': {'row': 1}, 'cell': 'row'}}}", false, AM_ERR_KEY,
      "\"cell\" does not fit \"number\"; write \"value\"" },
};

static void wrong_rules_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const wrong_rules *w = &wrongs[i];
        char text[600], said[1000];
        snprintf(text, sizeof text, "{'control': %s}", w->schema);
        am_control_schema *schema = test_schema(text);
        ami_fill *fill = NULL;
        am_error err = { 0 };
        am_result result = fill_read_with(&fill, schema, w->rules, !w->play, NULL, &err);
        am_error_format(&err, said, sizeof said);
        if (result != w->code || !strstr(said, w->says) || fill) {
            fail_msg("%s gave '%s': %s", w->rules, am_result_name(result), said);
        }
        am_control_schema_destroy(schema);
    }
}

typedef struct fill_text {
    am_control_schema *schema;
    const char *rules;
} fill_text;

static am_result read_and_free(void *user, const am_alloc *alloc)
{
    const fill_text *text = user;
    ami_fill *fill = NULL;
    am_error err = { 0 };
    am_result result = fill_read_with(&fill, text->schema, text->rules, true, alloc, &err);
    ami_fill_destroy(fill);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    fill_text text = {
        test_schema(behaviours),
        "{'draw': {'a': 'now'}, 'set': {'task': {'choose': {'jump': {'value': 'position(hips, a)'}, 'walk': {'set': "
        "{'target': {'when': 'a > 1', 'value': 'vec(1, 2, a)', 'noise': 1}}}}}, 'speed': 1}}"
    };
    assert_true(refuse_allocations(read_and_free, &text) > 5);
    am_control_schema_destroy(text.schema);
}

TEST_SUITE(fill)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_parts_get_their_numbers),
        cmocka_unit_test(parts_are_reached_by_path_or_by_nesting),
        cmocka_unit_test(optional_parts_come_and_go),
        cmocka_unit_test(what_is_missing_refuses_a_sample),
        cmocka_unit_test(what_is_missing_is_absent_while_a_person_plays),
        cmocka_unit_test(items_are_filled_one_by_one),
        cmocka_unit_test(a_way_ends_where_its_next_point_is_missing),
        cmocka_unit_test(branches_are_chosen_by_the_host),
        cmocka_unit_test(branches_are_chosen_by_the_first_when),
        cmocka_unit_test(choices_say_what_holds_them),
        cmocka_unit_test(maps_are_filled_cell_by_cell),
        cmocka_unit_test(the_whole_may_be_a_single_value_or_nothing),
        cmocka_unit_test(noise_has_the_size_that_is_asked_for),
        cmocka_unit_test(wrong_rules_say_what_is_wrong_and_where),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
