// From values in the world to the vector in the character's frame (Operators eq. 1 to 8).
#include "runtime/operators/support.h"

#include <math.h>

// The character stands at (3, 0.5, -2) and faces +x: its left, +x of its frame, is -z of the world.
static am_transform root_at(void)
{
    am_transform root = { .translation = { 3.0f, 0.5f, -2.0f } };
    root.rotation = am_quat_from_heading(1.57079633f);
    return root;
}

/// The vector of a control that is one part of `text`, after setting it; checked against want(count).
static void check_typed(const char *operator, const float * numbers, const float *want, int count)
{
    char text[256];
    snprintf(text, sizeof text, "{'control': %s}", operator);
    am_control_schema *schema = test_schema(text);
    am_control *control = test_control(schema);
    am_error err = { 0 };
    check_ok(am_control_set(control, "", numbers, schema->value_count, &err), &err);
    float vector[64];
    const am_transform root = root_at();
    assert_int_equal(schema->vector_count, count);
    ami_control_flatten(schema, vector, control->numbers, &root);
    for (int i = 0; i < count; i++) {
        if (!(fabsf(vector[i] - want[i]) <= 1e-6f)) {
            fail_msg("%s: number %d is %g, not %g", operator, i, (double)vector[i], (double)want[i]);
        }
    }
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

#define TYPED(operator, numbers, ...)                                                                                \
    do {                                                                                                             \
        const float want[] = { __VA_ARGS__ };                                                                        \
        check_typed(operator, numbers, want, (int)(sizeof want / sizeof want[0]));                                   \
    } while (0)

static void typed_operators_go_to_the_character_as_the_paper_says(void **state)
{
    (void)state;
    const float at[3] = { 4.0f, 1.5f, -2.0f }, along[3] = { 1.0f, 0.0f, 0.0f }, left[3] = { 0.0f, 0.0f, -2.0f };
    // One metre ahead of the character and one above its ground.
    TYPED("'location'", at, 0.0f, 1.0f, 1.0f);
    TYPED("{'location': {'space': 'local'}}", at, 4.0f, 1.5f, -2.0f);
    TYPED("'direction'", along, 0.0f, 0.0f, 1.0f);
    TYPED("{'direction': {'space': 'local'}}", along, 1.0f, 0.0f, 0.0f);
    TYPED("'velocity'", left, 2.0f, 0.0f, 0.0f);
    TYPED("{'velocity': {'space': 'local'}}", left, 0.0f, 0.0f, -2.0f);
    // Turned as the character is: the axes x and y of its frame. Of any length.
    const am_quat q = root_at().rotation;
    const float same[4] = { 2.0f * q.x, 2.0f * q.y, 2.0f * q.z, 2.0f * q.w }, none[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
    TYPED("'rotation'", same, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f);
    TYPED("'rotation'", none, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f);
    TYPED("{'rotation': {'space': 'local'}}", none, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f);
    const float scale[3] = { 1.0f, 2.71828183f, 0.5f }, yes[1] = { 1.0f }, three[1] = { 3.0f };
    TYPED("'scale'", scale, 0.0f, 1.0f, -0.69314718f);
    TYPED("'bool'", yes, 1.0f);
    TYPED("'bool'", three, 1.0f);
    TYPED("'number'", three, 3.0f);
    TYPED("{'number': {'scale': 2}}", three, 1.5f);
    TYPED("{'index': {'n': 4}}", three, 0.75f);
    TYPED("{'one_of': ['a', 'b', 'c', 'd', 'e']}", three, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f);
    const float flags[3] = { 1.0f, 0.0f, 1.0f }, heights[4] = { 0.5f, 1.0f, 0.0f, -0.5f };
    TYPED("{'some_of': ['a', 'b', 'c']}", flags, 1.0f, 0.0f, 1.0f);
    TYPED("{'height_map': {'rows': 2, 'columns': 2}}", heights, 0.0f, 0.5f, -0.5f, -1.0f);
    TYPED("{'height_map': {'rows': 2, 'columns': 2, 'space': 'local'}}", heights, 0.5f, 1.0f, 0.0f, -0.5f);
}

/// What nobody has set is neutral: the character's own rotation, a scale of 1, the first name.
static void unset_numbers_are_neutral(void **state)
{
    (void)state;
    am_control_schema *schema =
        test_schema("{'control': {'and': {'r': 'rotation', 's': 'scale', 'o': {'one_of': ['a', 'b']}}}}");
    am_control *control = test_control(schema);
    static const float want[11] = { 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f };
    float vector[11];
    const am_transform root = root_at();
    ami_control_flatten(schema, vector, control->numbers, &root);
    assert_memory_equal(vector, want, sizeof want);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static void absent_parts_are_zero(void **state)
{
    (void)state;
    am_control_schema *schema =
        test_schema("{'control': {'and': {'facing': {'optional': 'direction'},"
                    "  'to': {'or': {'none': 'null', 'place': 'location', 'way': 'velocity'}},"
                    "  'path': {'array': 'location', 'most': 3}}}}");
    assert_int_equal(schema->vector_count, 4 + 7 + (1 + 3 * 4));
    am_control *control = test_control(schema);
    float vector[24], want[24] = { 0.0f };
    const float ahead[3] = { 1.0f, 0.0f, 0.0f }, at[3] = { 4.0f, 0.5f, -2.0f };
    const am_transform root = root_at();
    am_error err = { 0 };
    // Numbers everywhere, then the parts that hold them go away again.
    for (int i = 0; i < schema->value_count; i++) {
        control->numbers[i] = 5.0f;
    }
    int place = 0;
    static const char *const own[] = { "facing", "to", "path" };
    for (int i = 0; i < 3; i++) {
        ami_control_find(schema, own[i], &place, NULL);
        control->numbers[place] = 0.0f;
    }
    ami_control_flatten(schema, vector, control->numbers, &root);
    assert_memory_equal(vector, want, sizeof want);
    check_ok(am_control_set(control, "facing", ahead, 3, &err), &err);
    check_ok(am_control_set(control, "to.way", ahead, 3, &err), &err);
    check_ok(am_control_set(control, "path[0]", at, 3, &err), &err);
    check_ok(am_control_set(control, "path[1]", at, 3, &err), &err);
    const float facing[4] = { 1.0f, 0.0f, 0.0f, 1.0f }, to[7] = { 2.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f },
                path[9] = { 2.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f / 3.0f, 0.0f, 0.0f, 1.0f };
    ami_control_flatten(schema, vector, control->numbers, &root);
    for (int i = 0; i < 24; i++) {
        check_near(vector[i], i < 4 ? facing[i] : i < 11 ? to[i - 4] : i < 20 ? path[i - 11] : 0.0f, 1e-6);
    }
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

/// Values are plain numbers that come from anywhere: no bits make the vector other than finite, and branches, counts
/// and names stay within what there is.
static void any_bits_give_a_finite_vector(void **state)
{
    (void)state;
    static const float odd[] = {
        NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, -0.6f, 0.4f, 2.6f, 1e9f, 0.0f, 1.0f
    };
    am_control_schema *schema = test_schema(operators_everything);
    am_control *control = test_control(schema);
    float *vector = calloc((size_t)schema->vector_count, sizeof *vector);
    am_rng rng;
    am_rng_init(&rng, 4);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < schema->value_count; i++) {
            control->numbers[i] = odd[am_rng_below(&rng, sizeof odd / sizeof odd[0])];
        }
        const am_transform root = root_at();
        ami_control_flatten(schema, vector, control->numbers, &root);
        for (int i = 0; i < schema->vector_count; i++) {
            assert_true(vector[i] - vector[i] == 0.0f);
        }
        assert_true(vector[0] >= 0.0f && vector[0] <= 4.0f && vector[0] == floorf(vector[0]));
    }
    free(vector);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

/// Moving value and character together changes nothing.
static void the_vector_does_not_know_where_in_the_world_it_is(void **state)
{
    (void)state;
    am_control_schema *schema =
        test_schema("{'control': {'and': {'p': 'prop', 'c': 'character', 't': 'transform'}}}");
    am_control *control = test_control(schema);
    float *a = calloc((size_t)schema->vector_count, sizeof *a), *b = calloc((size_t)schema->vector_count, sizeof *b);
    am_rng rng;
    am_rng_init(&rng, 9);
    for (int i = 0; i < schema->value_count; i++) {
        control->numbers[i] = am_rng_range(&rng, 0.2f, 2.0f);
    }
    am_transform root = root_at(), move = { .translation = { 10.0f, 1.0f, 7.0f } };
    move.rotation = am_quat_from_heading(0.7f);
    ami_control_flatten(schema, a, control->numbers, &root);
    for (int i = 0; i < schema->node_count; i++) {
        const ami_control_node *n = &schema->nodes[i];
        float *x = control->numbers + n->value;
        am_vec3 v = { 0 };
        if (n->kind == AMI_OP_LOCATION) {
            v = am_transform_point(move, am_v3(x[0], x[1], x[2]));
        } else if (n->kind == AMI_OP_DIRECTION || n->kind == AMI_OP_VELOCITY) {
            v = am_quat_rotate(move.rotation, am_v3(x[0], x[1], x[2]));
        } else if (n->kind == AMI_OP_ROTATION) {
            am_quat q = am_quat_mul(move.rotation, am_q(x[0], x[1], x[2], x[3]));
            v = am_v3(q.x, q.y, q.z);
            x[3] = q.w;
        } else {
            continue;
        }
        x[0] = v.x;
        x[1] = v.y;
        x[2] = v.z;
    }
    root = am_transform_mul(move, root);
    ami_control_flatten(schema, b, control->numbers, &root);
    for (int i = 0; i < schema->vector_count; i++) {
        check_near(a[i], b[i], 2e-5);
    }
    free(a);
    free(b);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

TEST_SUITE(flatten)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_operators_go_to_the_character_as_the_paper_says),
        cmocka_unit_test(unset_numbers_are_neutral),
        cmocka_unit_test(absent_parts_are_zero),
        cmocka_unit_test(any_bits_give_a_finite_vector),
        cmocka_unit_test(the_vector_does_not_know_where_in_the_world_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
