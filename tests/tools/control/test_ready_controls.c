// The controls of configs/controls fit the schemas of configs/schemas, and draw.
#include "tools/control/clips_db.h"

#include "control/matching.h"

static const char *const behaviours[] = { "uncontrolled", "trajectory", "path", "velocity", "target",
                                          "styled",       "jump",       "sit",  "pick_up",  "all" };
/// Of configs/recipes/operators: for the flow alone, without a matching function.
static const char *const experiments[] = { "operators/both", "operators/eight", "operators/by_hand",
                                           "operators/transfer" };
enum {
    behaviour_count = sizeof behaviours / sizeof *behaviours,
    ready_count = behaviour_count + sizeof experiments / sizeof *experiments
};

static const char *ready_name(int i)
{
    return i < behaviour_count ? behaviours[i] : experiments[i - behaviour_count];
}

typedef struct ready {
    am_control_schema *schema;
    char *text;
    size_t size;
    am_json_doc *doc;
} ready;

static ready open_ready(const char *name)
{
    ready r = { 0 };
    char path[600];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/configs/schemas/%s.json", AMBLE_SOURCE_DIR, name);
    char *schema = test_read_file(path, &r.size);
    check_ok(am_control_schema_read(&r.schema, schema, r.size, path, NULL, &err), &err);
    free(schema);
    snprintf(path, sizeof path, "%s/configs/controls/%s.json", AMBLE_SOURCE_DIR, name);
    r.text = test_read_file(path, &r.size);
    check_ok(am_json_parse(&r.doc, r.text, r.size, path, NULL, &err), &err);
    return r;
}

static void close_ready(ready *r)
{
    am_json_free(r->doc);
    free(r->text);
    am_control_schema_destroy(r->schema);
}

static void every_behaviour_can_be_trained(void **state)
{
    (void)state;
    for (int i = 0; i < ready_count - 1; i++) { // the last needs tags of styles that these clips have not
        ready r = open_ready(ready_name(i));
        ami_training_controls *controls = NULL;
        am_error err = { 0 };
        check_ok(ami_training_controls_read(&controls, r.schema, r.doc, am_json_root(r.doc), clips, NULL, &err),
                 &err);
        float *value = calloc((size_t)r.schema->value_count + 1, sizeof *value);
        float *vector = calloc((size_t)r.schema->vector_count + 1, sizeof *vector);
        am_rng rng;
        am_rng_init(&rng, 1);
        for (int k = 0; k < 200; k++) {
            int frame;
            assert_true(ami_training_controls_sample(controls, value, &frame, &rng));
            am_transform root = { clips->root_rotations[frame], clips->root_positions[frame] };
            ami_control_flatten(r.schema, vector, value, &root);
            for (int n = 0; n < r.schema->vector_count; n++) {
                assert_true(vector[n] > -50.0f && vector[n] < 50.0f);
            }
        }
        free(value);
        free(vector);
        ami_training_controls_destroy(controls);
        close_ready(&r);
    }
}

static void every_behaviour_can_be_played(void **state)
{
    (void)state;
    const am_query_point trajectory[] = { { 0.0f, { 0, 0.9f, 0 }, { 0, 0, 1 }, { 0, 0, 1 } },
                                          { 1.0f, { 0, 0.9f, 1 }, { 0, 0, 1 }, { 0, 0, 1 } } };
    for (int i = 0; i < ready_count; i++) {
        ready r = open_ready(ready_name(i));
        ami_runtime_controls *controls = NULL;
        am_error err = { 0 };
        check_ok(ami_runtime_controls_read(&controls, r.schema, r.text, r.size, ready_name(i), NULL, &err), &err);
        float *value = calloc((size_t)r.schema->value_count + 1, sizeof *value);
        for (int k = 0; k < 4; k++) {
            const ami_control_world world = { .root = am_transform_identity(),
                                              .trajectory = trajectory,
                                              .trajectory_count = 2,
                                              .velocity = { 0, 0, 1 },
                                              .point = { 1, 0, 2 },
                                              .has_point = k > 1,
                                              .jump = k % 2 == 1 };
            ami_runtime_controls_fill(controls, value, &world);
        }
        free(value);
        ami_runtime_controls_destroy(controls);
        close_ready(&r);
    }
}

static void every_behaviour_can_be_matched(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        ready r = open_ready(behaviours[i]);
        ami_matching *matching = NULL;
        am_error err = { 0 };
        check_ok(ami_matching_read(&matching, r.schema, r.doc, am_json_root(r.doc), NULL, &err), &err);
        assert_int_equal(ami_matching_pose_count(matching), 15);
        ami_matching_destroy(matching);
        close_ready(&r);
    }
}

/// A part of `all` draws what the file of the same name draws.
static void a_behaviour_of_all_is_the_behaviour_alone(void **state)
{
    (void)state;
    ready all = open_ready("all");
    const am_json *branches = am_json_get(am_json_get(am_json_root(all.doc), "training"), "choose");
    static const char *const keys[] = { "set", "count", "item", "where" };
    for (size_t i = 0; i + 1 < sizeof behaviours / sizeof *behaviours; i++) {
        ready one = open_ready(behaviours[i]);
        const am_json *own = am_json_get(am_json_root(one.doc), "training"),
                      *branch = am_json_get(branches, behaviours[i]);
        assert_non_null(branch);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const am_json *a = am_json_get(own, keys[k]), *b = am_json_get(branch, keys[k]);
            assert_true((a == NULL) == (b == NULL));
            if (a && a->type == AM_JSON_STRING) {
                assert_string_equal(a->string, b->string);
            }
        }
        close_ready(&one);
    }
    close_ready(&all);
}

static void check_documented(const char *guide, const ami_expr_function *functions, int count)
{
    for (int i = 0; i < count; i++) {
        char word[64];
        snprintf(word, sizeof word, functions[i].most > 0 ? "`%s(" : "`%s`", functions[i].name);
        if (!strstr(guide, word)) {
            fail_msg("docs/operators.md does not name %s", word);
        }
    }
}

static void the_guide_names_every_function(void **state)
{
    (void)state;
    char *guide = test_read_file(AMBLE_SOURCE_DIR "/docs/operators.md", NULL);
    int count;
    const ami_expr_function *functions = ami_expr_functions(&count);
    check_documented(guide, functions, count);
    functions = ami_moment_functions(&count);
    check_documented(guide, functions, count);
    functions = ami_runtime_controls_functions(&count);
    check_documented(guide, functions, count);
    free(guide);
}

TEST_SUITE(ready_controls)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_behaviour_can_be_trained),
        cmocka_unit_test(every_behaviour_can_be_played),
        cmocka_unit_test(every_behaviour_can_be_matched),
        cmocka_unit_test(the_guide_names_every_function),
        cmocka_unit_test(a_behaviour_of_all_is_the_behaviour_alone),
    };
    return cmocka_run_group_tests(tests, clips_open, clips_close);
}
