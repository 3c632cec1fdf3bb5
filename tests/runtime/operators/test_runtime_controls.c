// Runtime controls: what the player asks for becomes a value.
#include "runtime/operators/support.h"

static const am_query_point trajectory[] = {
    { 0.25f, { 0, 0.9f, 0.5f }, { 0, 0, 1 }, { 0, 0, 2 } },
    { 0.75f, { 1, 0.9f, 1.5f }, { 1, 0, 0 }, { 2, 0, 0 } },
};

static ami_control_world world_of(void)
{
    return (ami_control_world){ .root = { am_quat_from_heading(0.5f * AM_PI), { 1, 0, 2 } },
                                .trajectory = trajectory,
                                .trajectory_count = 2,
                                .velocity = { 0, 0, 2 },
                                .facing = { 0, 0, 3 },
                                .point = { 5, 0, 6 },
                                .has_point = true,
                                .jump = true,
                                .time_s = 7.0f };
}

static am_result read_controls(ami_runtime_controls **out, const am_control_schema *schema, const char *text,
                               const am_alloc *alloc, am_error *err)
{
    char quoted[4096];
    size_t size = strlen(text);
    assert_true(size < sizeof quoted);
    for (size_t i = 0; i <= size; i++) {
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    }
    return ami_runtime_controls_read(out, schema, quoted, size, "c.json", alloc, err);
}

/// One location, filled by an expression.
static bool fill_location(float out[4], const char *expression, const ami_control_world *world)
{
    am_control_schema *schema = test_schema("{'control': {'and': {'x': {'optional': 'location'}}}}");
    char text[300];
    snprintf(text, sizeof text, "{'runtime': {'set': {'x': '%s'}}}", expression);
    ami_runtime_controls *controls = NULL;
    am_error err = { 0 };
    check_ok(read_controls(&controls, schema, text, NULL, &err), &err);
    ami_runtime_controls_fill(controls, out, world);
    ami_runtime_controls_destroy(controls);
    am_control_schema_destroy(schema);
    return out[0] == 1.0f;
}

typedef struct location_case {
    const char *text;
    am_vec3 expected;
} location_case;

static void the_functions_give_what_the_world_holds(void **state)
{
    (void)state;
    static const location_case cases[] = {
        { "root", { 1, 0, 2 } },
        { "root_facing", { 1, 0, 0 } },
        { "velocity", { 0, 0, 2 } },
        { "facing", { 0, 0, 1 } },
        { "point", { 5, 0, 6 } },
        { "trajectory_position(0.5)", { 0.5f, 0, 1 } }, // on the ground: y of a trajectory is the hips' height
        { "trajectory_position(0.25)", { 0, 0, 0.5f } },
        { "trajectory_position(0)", { 0, 0, 0.5f } }, // its ends go on for ever
        { "trajectory_position(9)", { 1, 0, 1.5f } },
        { "trajectory_facing(0.5)", { 0.70710678f, 0, 0.70710678f } },
        { "trajectory_velocity(0.5)", { 1, 0, 1 } },
        { "if(has_point and pressed(jump), vec(1, 2, 3), root)", { 1, 2, 3 } },
        { "if(pressed(creep) or pressed(dance) or pressed(run), vec(1, 2, 3), root)", { 1, 0, 2 } },
        { "vec(time, 0, 0)", { 7, 0, 0 } },
    };
    const ami_control_world world = world_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float out[4];
        assert_true(fill_location(out, cases[i].text, &world));
        if (am_v3_distance(am_v3(out[1], out[2], out[3]), cases[i].expected) > 1e-5f) {
            fail_msg("%s gave %g %g %g", cases[i].text, (double)out[1], (double)out[2], (double)out[3]);
        }
    }
}

static void what_nobody_asks_for_is_absent(void **state)
{
    (void)state;
    ami_control_world world = world_of();
    world.has_point = false;
    world.facing = am_v3_zero();
    world.trajectory_count = 0;
    float out[4];
    assert_false(fill_location(out, "point", &world));
    assert_false(fill_location(out, "facing", &world));
    assert_false(fill_location(out, "trajectory_position(0.5)", &world));
    assert_true(fill_location(out, "root", &world));
}

static void behaviours_follow_the_keys(void **state)
{
    (void)state;
    am_control_schema *schema =
        test_schema("{'control': {'or': {'stand': 'null', 'jump': 'location', 'go': {'and': {'target': "
                    "'location', 'facing': {'optional': 'direction'}}}}}}");
    ami_runtime_controls *controls = NULL;
    am_error err = { 0 };
    check_ok(
        read_controls(
            &controls, schema,
            "{'runtime': {'let': {'way': 'point - root'}, 'choose': {'jump': {'when': 'pressed(jump)', 'value': "
            "'root + "
            "2 * root_facing'}, 'go': {'when': 'length(way) > 0.5', 'set': {'target': 'point', 'facing': 'facing'}}, "
            "'stand': {}}}}",
            NULL, &err),
        &err);
    ami_control_world world = world_of();
    float value[16];
    assert_true(schema->value_count <= 16);
    ami_runtime_controls_fill(controls, value, &world);
    assert_true(value[0] == 1.0f && fabsf(value[1] - 3.0f) < 1e-5f && fabsf(value[3] - 2.0f) < 1e-5f);
    world.jump = false;
    ami_runtime_controls_fill(controls, value, &world);
    assert_true(value[0] == 2.0f && value[4] == 5.0f && value[7] == 1.0f);
    world.facing = am_v3_zero();
    ami_runtime_controls_fill(controls, value, &world);
    assert_true(value[0] == 2.0f && value[7] == 0.0f);
    world.has_point = false;
    ami_runtime_controls_fill(controls, value, &world);
    assert_true(value[0] == 0.0f);
    ami_runtime_controls_destroy(controls);
    am_control_schema_destroy(schema);
}

typedef struct wrong_text {
    const char *text;
    am_result code;
    const char *says;
} wrong_text;

static void wrong_files_say_what_is_wrong(void **state)
{
    (void)state;
    static const wrong_text wrongs[] = {
        { "{'training': {}}", AM_ERR_KEY,
          "c.json:1:1: this file has no \"runtime\"; add that section, or name another file" },
        { "{'runtime': ", AM_ERR_SYNTAX, "c.json:1" },
        { "{'runtime': {'set': {'y': 'root'}}}", AM_ERR_KEY, "c.json:1:22: the schema: there is no \"y\" in schema" },
        { "{'runtime': {'set': {'x': 'rot'}}}", AM_ERR_KEY,
          "c.json:1:27: x: 'rot': at character 1: nothing here is called 'rot'; did you mean 'root'?" },
        { "{'runtime': {'set': {'x': 'time'}}}", AM_ERR_TYPE, "x: a vector is expected, but 'time' is a number" },
        { "{'runtime': {'set': {'x': 'if(pressed(jmp), root, point)'}}}", AM_ERR_KEY,
          "no action is called 'jmp'; did you mean 'jump'?" },
        { "{'runtime': {'draw': {}, 'set': {'x': 'root'}}}", AM_ERR_KEY, "unknown key \"draw\"" },
    };
    am_control_schema *schema = test_schema("{'control': {'and': {'x': 'location'}}}");
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        ami_runtime_controls *controls = NULL;
        am_error err = { 0 };
        char said[1000];
        am_result result = read_controls(&controls, schema, wrongs[i].text, NULL, &err);
        am_error_format(&err, said, sizeof said);
        if (result != wrongs[i].code || !strstr(said, wrongs[i].says) || controls) {
            fail_msg("%s gave '%s': %s", wrongs[i].text, am_result_name(result), said);
        }
    }
    am_control_schema_destroy(schema);
}

static am_result read_and_free(void *user, const am_alloc *alloc)
{
    ami_runtime_controls *controls = NULL;
    am_error err = { 0 };
    am_result result = read_controls(
        &controls, user, "{'runtime': {'let': {'a': 'root'}, 'set': {'x': 'a + velocity'}}}", alloc, &err);
    ami_runtime_controls_destroy(controls);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema("{'control': {'and': {'x': 'location'}}}");
    assert_true(refuse_allocations(read_and_free, schema) > 5);
    am_control_schema_destroy(schema);
}

TEST_SUITE(runtime_controls)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_functions_give_what_the_world_holds),
        cmocka_unit_test(what_nobody_asks_for_is_absent),
        cmocka_unit_test(behaviours_follow_the_keys),
        cmocka_unit_test(wrong_files_say_what_is_wrong),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
