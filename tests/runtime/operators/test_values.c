// Values of a schema: set, chosen, dropped and cleared by path, with what that does to the parts around.
#include "runtime/operators/support.h"

static float *place_of(const am_control *control, const char *path)
{
    int place = 0;
    am_error err = { 0 };
    if (ami_control_find(control->schema, path, &place, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return control->numbers + place;
}

static void set(am_control *control, const char *path, const float *numbers, int count)
{
    am_error err = { 0 };
    check_ok(am_control_set(control, path, numbers, count, &err), &err);
}

static void choose(am_control *control, const char *path, const char *name)
{
    am_error err = { 0 };
    check_ok(am_control_choose(control, path, name, &err), &err);
}

static const float xyz[3] = { 1.0f, 2.0f, 3.0f };

static void setting_a_part_makes_what_holds_it_present(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema);
    for (int i = 0; i < schema->value_count; i++) {
        assert_true(control->numbers[i] == 0.0f);
    }
    set(control, "walk.target", xyz, 3);
    assert_true(control->numbers[0] == 1.0f); // the branch
    assert_memory_equal(place_of(control, "walk.target"), xyz, sizeof xyz);
    assert_true(place_of(control, "walk.facing")[0] == 0.0f);
    set(control, "walk.facing", xyz, 3);
    assert_true(place_of(control, "walk.facing")[0] == 1.0f);
    assert_memory_equal(place_of(control, "walk.facing") + 1, xyz, sizeof xyz);
    set(control, "follow.path[2].position", xyz, 3);
    assert_true(control->numbers[0] == 2.0f);
    assert_true(place_of(control, "follow.path")[0] == 3.0f);
    set(control, "follow.path[0].gait.fast", xyz, 3);
    assert_true(place_of(control, "follow.path")[0] == 3.0f); // no fewer than before
    assert_true(place_of(control, "follow.path[0].gait")[0] == 1.0f);
    assert_true(place_of(control, "follow.path[1].gait")[0] == 0.0f);
    assert_memory_equal(place_of(control, "walk.target"), xyz, sizeof xyz); // the other branch keeps its numbers
    set(control, "use.hand.prop.velocity", xyz, 3);
    assert_true(control->numbers[0] == 3.0f && place_of(control, "use.hand")[0] == 1.0f);
    assert_true(place_of(control, "use.look")[0] == 0.0f);
    set(control, "meet.doors[1].value", xyz, 3);
    assert_true(place_of(control, "meet.doors")[0] == 2.0f);
    assert_true(place_of(control, "meet.doors[1].value")[0] == 1.0f);
    assert_true(place_of(control, "meet.doors[0].value")[0] == 0.0f);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static void every_kind_takes_its_own_count_of_numbers(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema);
    static const float numbers[32] = { 1.0f, 1.0f, 1.0f, 1.0f };
    int typed = 0;
    for (int i = 0; i < schema->node_count; i++) {
        const ami_control_node *n = &schema->nodes[i];
        char path[200];
        ami_control_path(schema, i, path, sizeof path);
        char *star = strstr(path, "[*]");
        if (star) {
            star[1] = '1';
        }
        if (ami_control_is_typed(n->kind)) {
            set(control, path, numbers, n->value_count);
            am_error err = { 0 };
            check_refused(am_control_set(control, path, numbers, n->value_count + 1, &err), AM_ERR_TYPE);
            check_refused(am_control_set(control, path, numbers, 0, NULL), AM_ERR_TYPE);
            typed++;
        }
    }
    assert_true(typed > 30);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static void choices_are_made_by_name(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema);
    choose(control, "", "use");
    assert_true(control->numbers[0] == 3.0f);
    choose(control, "", "stand"); // without numbers of its own
    assert_true(control->numbers[0] == 0.0f);
    choose(control, "walk.style", "sad");
    assert_true(control->numbers[0] == 1.0f && place_of(control, "walk.style")[0] == 2.0f);
    choose(control, "walk.how", "loaded");
    assert_true(place_of(control, "walk.how")[0] == 0.0f && place_of(control, "walk.how")[1] == 1.0f);
    choose(control, "walk.how", "quiet");
    assert_true(place_of(control, "walk.how")[0] == 1.0f && place_of(control, "walk.how")[1] == 1.0f);
    choose(control, "follow.path[3].gait", "fast");
    assert_true(place_of(control, "follow.path")[0] == 4.0f && place_of(control, "follow.path[3].gait")[0] == 1.0f);
    choose(control, "meet.doors[0].key", "gate");
    assert_true(control->numbers[0] == 4.0f && place_of(control, "meet.doors[0].key")[0] == 1.0f);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

/// A part without numbers becomes present by setting none.
static void empty_parts_become_present_by_themselves(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(
        "{'control': {'and': {'go': {'optional': 'null'}, 'at': {'optional': {'and': {'p': 'location'}}}}}}");
    am_control *control = test_control(schema);
    set(control, "go", NULL, 0);
    assert_true(place_of(control, "go")[0] == 1.0f);
    set(control, "at", NULL, 0);
    assert_true(place_of(control, "at")[0] == 1.0f && place_of(control, "at.p")[0] == 0.0f);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static void dropped_parts_are_as_if_never_set(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema), *fresh = test_control(schema);
    size_t bytes = (size_t)schema->value_count * sizeof(float);
    static const char *const paths[] = { "walk.facing", "walk.how",   "follow.path",         "use.chair",
                                         "use.hand",    "meet.doors", "meet.doors[1].value", "meet.others" };
    set(control, "walk.facing", xyz, 3);
    choose(control, "walk.how", "loaded");
    set(control, "follow.path[2].position", xyz, 3);
    set(control, "use.chair.position", xyz, 3);
    set(control, "use.hand.prop.size", xyz, 3);
    set(control, "meet.doors[1].value", xyz, 3);
    choose(control, "meet.others[2].flags", "b");
    choose(control, "", "stand");
    assert_memory_not_equal(control->numbers, fresh->numbers, bytes);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        am_error err = { 0 };
        check_ok(am_control_drop(control, paths[i], &err), &err);
    }
    assert_memory_equal(control->numbers, fresh->numbers, bytes);
    set(control, "walk.target", xyz, 3);
    am_control_clear(control);
    assert_memory_equal(control->numbers, fresh->numbers, bytes);
    am_control_destroy(control);
    am_control_destroy(fresh);
    am_control_schema_destroy(schema);
}

typedef struct refusal {
    const char *path;
    const float *numbers; ///< NULL: a choice
    int count;            ///< -1: dropped
    const char *name;
    am_result code;
    const char *says;
} refusal;

static void refusals_name_path_and_reason_and_change_nothing(void **state)
{
    (void)state;
    static const float nan3[3] = { 0.0f, NAN, 0.0f }, inf3[3] = { 0.0f, 0.0f, INFINITY }, none[4] = { 0.0f },
                       half[1] = { 0.5f }, nine[1] = { 9.0f }, minus[3] = { 1.0f, -1.0f, 1.0f }, least[1] = { -1.0f };
    static const refusal cases[] = {
        { "walk.targt", xyz, 3, NULL, AM_ERR_KEY,
          "there is no \"walk.targt\" in schema 'everything': did you mean \"target\"?" },
        { "walk.target", xyz, 2, NULL, AM_ERR_TYPE, "walk.target: a location has 3 numbers, not 2" },
        { "walk.hurry", xyz, 3, NULL, AM_ERR_TYPE, "walk.hurry: a bool has 1 number, not 3" },
        { "walk.facing", xyz, 4, NULL, AM_ERR_TYPE, "walk.facing: a direction has 3 numbers, not 4" },
        { "walk", xyz, 3, NULL, AM_ERR_TYPE, "walk: an and has no numbers of its own; set its parts" },
        { "", xyz, 3, NULL, AM_ERR_TYPE, "the control: an or has no numbers of its own; set its parts" },
        { "walk.target", nan3, 3, NULL, AM_ERR_NUMBER, "walk.target: number 1 is not finite" },
        { "walk.target", inf3, 3, NULL, AM_ERR_NUMBER, "walk.target: number 2 is not finite" },
        { "use.chair.rotation", none, 4, NULL, AM_ERR_RANGE,
          "use.chair.rotation: a rotation is a quaternion x y z w, not four zeros" },
        { "use.chair.scale", minus, 3, NULL, AM_ERR_RANGE, "use.chair.scale: a scale is above 0" },
        { "use.hand.which", half, 1, NULL, AM_ERR_RANGE,
          "use.hand.which: an index is a whole number from 0 to its n" },
        { "use.hand.which", nine, 1, NULL, AM_ERR_RANGE,
          "use.hand.which: an index is a whole number from 0 to its n" },
        { "walk.style", nine, 1, NULL, AM_ERR_RANGE,
          "walk.style: a choice is the number of one of its names, from 0 on" },
        { "walk.style", least, 1, NULL, AM_ERR_RANGE,
          "walk.style: a choice is the number of one of its names, from 0 on" },
        { "follow.path[4].position", xyz, 3, NULL, AM_ERR_LIMIT,
          "there is no \"follow.path[4].position\" in schema 'everything': follow.path has at most 4 items, 0 to 3" },
        { "follow.path[*].position", xyz, 3, NULL, AM_ERR_KEY, "follow.path[*].position: name one item, as in [0]" },
        { "walk.style", NULL, 0, "prod", AM_ERR_KEY, "walk.style: there is no \"prod\"; did you mean \"proud\"?" },
        { "walk.how", NULL, 0, "xyzzyxyzzy", AM_ERR_KEY,
          "walk.how: there is no \"xyzzyxyzzy\"; did you mean \"quiet\"?" },
        { "", NULL, 0, "wlak", AM_ERR_KEY, "the control: there is no \"wlak\"; did you mean \"walk\"?" },
        { "walk.target", NULL, 0, "near", AM_ERR_TYPE, "walk.target: a location offers no choice" },
        { "walk.facing", NULL, 0, "near", AM_ERR_TYPE, "walk.facing: a direction offers no choice" },
        { "wlk.style", NULL, 0, "sad", AM_ERR_KEY,
          "there is no \"wlk.style\" in schema 'everything': did you mean "
          "\"walk\"?" },
        { "walk.target", NULL, -1, NULL, AM_ERR_TYPE,
          "walk.target: a location is always there; only an optional, a set and flags can be dropped" },
        { "follow.path[1]", NULL, -1, NULL, AM_ERR_TYPE,
          "follow.path[1]: an and is always there; only an optional, a set and flags can be dropped" },
        { "walk.facng", NULL, -1, NULL, AM_ERR_KEY,
          "there is no \"walk.facng\" in schema 'everything': did you mean \"facing\"?" },
    };
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema), *fresh = test_control(schema);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const refusal *c = &cases[i];
        for (int silent = 0; silent < 2; silent++) {
            am_error err = { 0 }, *to = silent ? NULL : &err;
            am_result result = c->numbers     ? am_control_set(control, c->path, c->numbers, c->count, to)
                               : c->count < 0 ? am_control_drop(control, c->path, to)
                                              : am_control_choose(control, c->path, c->name, to);
            check_refused(result, c->code);
            if (!silent) {
                assert_string_equal(err.text, c->says);
            }
        }
    }
    assert_memory_equal(control->numbers, fresh->numbers, (size_t)schema->value_count * sizeof(float));
    am_control_destroy(control);
    am_control_destroy(fresh);
    am_control_schema_destroy(schema);
}

/// A value is flat memory: copied bytes mean the same.
static void copies_of_the_numbers_are_the_value(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything), *again = test_schema(operators_everything);
    am_control *one = test_control(schema), *two = test_control(again);
    set(one, "follow.path[2].position", xyz, 3);
    choose(one, "follow.path[1].gait", "fast");
    memcpy(two->numbers, one->numbers, (size_t)schema->value_count * sizeof(float));
    float *a = calloc((size_t)schema->vector_count, sizeof *a), *b = calloc((size_t)schema->vector_count, sizeof *b);
    const am_transform root = am_transform_identity();
    ami_control_flatten(schema, a, one->numbers, &root);
    ami_control_flatten(again, b, two->numbers, &root);
    assert_memory_equal(a, b, (size_t)schema->vector_count * sizeof *a);
    free(a);
    free(b);
    am_control_destroy(one);
    am_control_destroy(two);
    am_control_schema_destroy(schema);
    am_control_schema_destroy(again);
}

static am_result create_and_destroy(void *user, const am_alloc *alloc)
{
    am_control *control = NULL;
    am_error err = { 0 };
    am_result result = am_control_create(&control, user, alloc, &err);
    assert_true((result == AM_OK) == (control != NULL));
    am_control_destroy(control);
    return result;
}

static void creation_survives_failing_allocations(void **state)
{
    (void)state;
    am_control_schema *schema = test_schema(operators_everything);
    assert_int_equal(refuse_allocations(create_and_destroy, schema), 1);
    am_control_destroy(NULL);
    am_control_schema_destroy(schema);
    am_control_schema_destroy(NULL);
}

TEST_SUITE(values)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_a_part_makes_what_holds_it_present),
        cmocka_unit_test(every_kind_takes_its_own_count_of_numbers),
        cmocka_unit_test(choices_are_made_by_name),
        cmocka_unit_test(empty_parts_become_present_by_themselves),
        cmocka_unit_test(dropped_parts_are_as_if_never_set),
        cmocka_unit_test(refusals_name_path_and_reason_and_change_nothing),
        cmocka_unit_test(copies_of_the_numbers_are_the_value),
        cmocka_unit_test(creation_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
