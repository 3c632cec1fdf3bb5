// Matching functions: costs computed by hand, and messages.
#include "tools/control/clips_db.h"

#include "control/matching.h"

static am_result read_matching(ami_matching **out, const am_control_schema *schema, const char *text,
                               const am_alloc *alloc, am_error *err)
{
    am_json_doc *doc = NULL;
    const char *quoted = clips_text(text);
    *out = NULL;
    am_result result = am_json_parse(&doc, quoted, strlen(quoted), "c.json", alloc, err);
    if (result == AM_OK) {
        result = ami_matching_read(out, schema, doc, am_json_root(doc), alloc, err);
    }
    am_json_free(doc);
    return result;
}

static ami_matching *matching_of(const am_control_schema *schema, const char *text)
{
    ami_matching *matching = NULL;
    am_error err = { 0 };
    check_ok(read_matching(&matching, schema, text, NULL, &err), &err);
    return matching;
}

/// The vector of a value that is set by path.
typedef struct setting {
    const char *path;
    float numbers[3];
    int count; ///< 0: a name to choose
    const char *name;
} setting;

static void make_vector(float *out, const am_control_schema *schema, const setting *settings, int count)
{
    am_control *control = NULL;
    am_error err = { 0 };
    check_ok(am_control_create(&control, schema, NULL, &err), &err);
    for (int i = 0; i < count; i++) {
        const setting *s = &settings[i];
        check_ok(s->count ? am_control_set(control, s->path, s->numbers, s->count, &err)
                          : am_control_choose(control, s->path, s->name, &err),
                 &err);
    }
    am_transform root = am_transform_identity();
    ami_control_flatten(schema, out, control->numbers, &root);
    am_control_destroy(control);
}

static void plain_schemas_have_weights_for_an_index(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema(
        "{'control': {'and': {'target': 'location', 'facing': 'direction', 'style': {'one_of': ['a', 'b', 'c']}}}}");
    ami_matching *matching = matching_of(schema, "{'matching': {'parts': {'': 1, 'facing': 0.5, 'style': 10}}}");
    const float *weights = ami_matching_weights(matching);
    static const float expected[] = { 1, 1, 1, 0.5f, 0.5f, 0.5f, 5, 5, 5 };
    assert_int_equal(schema->vector_count, 9);
    assert_memory_equal(weights, expected, sizeof expected);
    const setting one[] = { { "target", { 1, 0, 2 }, 3, NULL },
                            { "facing", { 0, 0, 1 }, 3, NULL },
                            { "style", { 0 }, 0, "b" } };
    const setting other[] = { { "target", { 3, 0, 3 }, 3, NULL },
                              { "facing", { 1, 0, 0 }, 3, NULL },
                              { "style", { 0 }, 0, "c" } };
    float asked[9], offered[9];
    make_vector(asked, schema, one, 3);
    make_vector(offered, schema, other, 3);
    // 4 + 1 of the target, 0.5 * 2 of the facing, 10 for another style
    check_near(ami_matching_cost(matching, asked, offered), 16.0, 1e-5);
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        double d = (double)(asked[i] - offered[i]);
        sum += (double)weights[i] * d * d;
    }
    check_near(sum, 16.0, 1e-5);
    check_near(ami_matching_cost(matching, asked, asked), 0.0, 0.0);
    ami_matching_destroy(matching);
    am_control_schema_destroy(schema);
}

static void only_what_is_asked_for_counts(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema("{'control': {'or': {'go': {'and': {'target': 'location', 'facing': "
                                             "{'optional': 'direction'}}}, 'path': {'array': {'and': "
                                             "{'position': 'location'}}, 'most': 4}, 'stand': 'null'}}}");
    ami_matching *matching =
        matching_of(schema, "{'matching': {'parts': {'go.target': 1, 'go.facing': 2, 'path': 3}, 'absent': 50}}");
    assert_null(ami_matching_weights(matching));
    assert_true(schema->vector_count <= 64);
    const setting plain[] = { { "go.target", { 1, 0, 0 }, 3, NULL } };
    const setting faced[] = { { "go.target", { 1, 0, 2 }, 3, NULL }, { "go.facing", { 0, 0, 1 }, 3, NULL } };
    const setting turned[] = { { "go.target", { 1, 0, 2 }, 3, NULL }, { "go.facing", { 1, 0, 0 }, 3, NULL } };
    const setting two[] = { { "path[0].position", { 1, 0, 0 }, 3, NULL },
                            { "path[1].position", { 2, 0, 0 }, 3, NULL } };
    const setting three[] = { { "path[0].position", { 1, 0, 1 }, 3, NULL },
                              { "path[1].position", { 2, 0, 3 }, 3, NULL },
                              { "path[2].position", { 3, 0, 0 }, 3, NULL } };
    const setting stand[] = { { "", { 0 }, 0, "stand" } };
    float v[6][64];
    make_vector(v[0], schema, plain, 1);
    make_vector(v[1], schema, faced, 2);
    make_vector(v[2], schema, turned, 2);
    make_vector(v[3], schema, two, 2);
    make_vector(v[4], schema, three, 3);
    make_vector(v[5], schema, stand, 1);
    check_near(ami_matching_cost(matching, v[0], v[1]), 4.0, 1e-5);         // no facing was asked for
    check_near(ami_matching_cost(matching, v[1], v[0]), 4.0 + 100.0, 1e-4); // the facing is not there: 2 * 50
    check_near(ami_matching_cost(matching, v[1], v[2]), 4.0, 1e-5);         // 2 * |(0, 0, 1) - (1, 0, 0)|^2
    check_near(ami_matching_cost(matching, v[3], v[4]), 3.0 * (1 + 9) / 2, 1e-4);
    check_near(ami_matching_cost(matching, v[4], v[3]), (3.0 * (1 + 9) + 3.0 * 50.0) / 3, 1e-3);
    check_near(ami_matching_cost(matching, v[0], v[3]), 50.0 + 50.0, 1e-3); // another behaviour
    check_near(ami_matching_cost(matching, v[5], v[0]), 50.0, 1e-3);
    check_near(ami_matching_cost(matching, v[5], v[5]), 0.0, 0.0);
    ami_matching_destroy(matching);
    am_control_schema_destroy(schema);
}

static void without_parts_everything_weighs_one(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema("{'control': {'and': {'a': 'location', 'b': 'bool'}}}");
    ami_matching *matching = matching_of(schema, "{'matching': {}}");
    static const float ones[] = { 1, 1, 1, 1 };
    assert_memory_equal(ami_matching_weights(matching), ones, sizeof ones);
    assert_int_equal(ami_matching_pose_count(matching), 0);
    ami_matching_destroy(matching);
    am_control_schema_destroy(schema);
}

static void poses_are_rows_whose_distances_add(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema("{'control': 'null'}");
    ami_matching *matching = matching_of(
        schema, "{'matching': {'pose': {'hips': {'position': 4, 'velocity': 0.25}, 'left_foot': {'position': 1}}}}");
    assert_int_equal(ami_matching_pose_count(matching), 9);
    float row[9];
    ami_matching_pose_row(matching, row, clips, clips_frame(1, 0.5f));
    // The hips 1 m above the root, running at 2 m/s along its facing.
    static const float expected[] = { 0, 2, 0, 0, 0, 1 };
    for (int i = 0; i < 6; i++) {
        check_near(row[i], expected[i], 1e-3);
    }
    assert_true(row[7] > 0.0f && row[7] < 1.0f); // the foot's height
    ami_matching_destroy(matching);
    am_control_schema_destroy(schema);
}

typedef struct wrong_matching {
    const char *text;
    am_result code;
    const char *says;
} wrong_matching;

static void wrong_files_say_what_is_wrong(void **state)
{
    (void)state;
    static const wrong_matching wrongs[] = {
        { "{'training': {}}", AM_ERR_KEY, "this file has no \"matching\"" },
        { "{'matching': 3}", AM_ERR_TYPE, "c.json:1:14: expected an object" },
        { "{'matching': {'part': {}}}", AM_ERR_KEY, "unknown key \"part\"; did you mean \"parts\"?" },
        { "{'matching': {'parts': []}}", AM_ERR_TYPE,
          "c.json:1:24: \"parts\" should be an object of paths and weights" },
        { "{'matching': {'parts': {'trget': 1}}}", AM_ERR_KEY, "did you mean \"target\"?" },
        { "{'matching': {'parts': {'target': 'x'}}}", AM_ERR_TYPE, "the weight of \"target\" should be a number" },
        { "{'matching': {'parts': {'target': -1}}}", AM_ERR_RANGE,
          "the weight of \"target\" should be from 0 to 1000000" },
        { "{'matching': {'absent': -1}}", AM_ERR_RANGE, "\"absent\"" },
        { "{'matching': {'pose': 3}}", AM_ERR_TYPE, "\"pose\" should be an object of joints by role" },
        { "{'matching': {'pose': {'left_fot': {}}}}", AM_ERR_KEY, "did you mean \"left_foot\"?" },
        { "{'matching': {'pose': {'hips': {'place': 1}}}}", AM_ERR_KEY, "unknown key \"place\"" },
        { "{'matching': {'pose': {'hips': {'position': -1}}}}", AM_ERR_RANGE, "\"position\"" },
    };
    am_control_schema *schema = clips_schema("{'control': {'and': {'target': 'location'}}}");
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        ami_matching *matching;
        am_error err = { 0 };
        char said[1000];
        am_result result = read_matching(&matching, schema, wrongs[i].text, NULL, &err);
        am_error_format(&err, said, sizeof said);
        if (result != wrongs[i].code || !strstr(said, wrongs[i].says) || matching) {
            fail_msg("%s gave '%s': %s", wrongs[i].text, am_result_name(result), said);
        }
    }
    am_control_schema_destroy(schema);
}

static am_result read_and_free(void *user, const am_alloc *alloc)
{
    ami_matching *matching;
    am_error err = { 0 };
    am_result result = read_matching(&matching, user, "{'matching': {'parts': {'target': 1}}}", alloc, &err);
    ami_matching_destroy(matching);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema("{'control': {'and': {'target': 'location'}}}");
    assert_true(refuse_allocations(read_and_free, schema) > 3);
    am_control_schema_destroy(schema);
}

TEST_SUITE(matching)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_schemas_have_weights_for_an_index),
        cmocka_unit_test(only_what_is_asked_for_counts),
        cmocka_unit_test(without_parts_everything_weighs_one),
        cmocka_unit_test(poses_are_rows_whose_distances_add),
        cmocka_unit_test(wrong_files_say_what_is_wrong),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, clips_open, clips_close);
}
