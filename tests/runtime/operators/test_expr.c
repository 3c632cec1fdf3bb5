// Expressions: values, types, missing values, messages, limits.
#include "support/refuse.h"
#include "runtime/operators/host.h"

static ami_expr_value value_of(const char *text)
{
    ami_expr *expr = NULL;
    am_error err = { 0 };
    ami_expr_scope scope = host_scope();
    am_result result = ami_expr_compile(&expr, text, &scope, NULL, &err);
    if (result != AM_OK) {
        fail_msg("%s", err.text);
    }
    ami_expr_value locals[3], value;
    host_values(locals);
    host h = { 0 };
    am_rng_init(&h.rng, 1);
    ami_expr_run(expr, &value, &h, locals);
    assert_int_equal(value.type, ami_expr_result(expr));
    ami_expr_destroy(expr);
    return value;
}

typedef struct number_case {
    const char *text;
    double number;
} number_case;

static void numbers_come_out_as_computed_by_hand(void **state)
{
    (void)state;
    static const number_case cases[] = {
        { "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", 9 },
        { "8 / 4 / 2", 1 },
        { "7 - 2 - 1", 4 },
        { "-2 * -3", 6 },
        { "--2", 2 },
        { "1.5e1 + .25", 15.25 },
        { "now + later", 4 },
        { "now() * 2", 5 },
        { "abs(-3)", 3 },
        { "min(3, 2, 5)", 2 },
        { "max(3, 2, 5)", 5 },
        { "clamp(7, 0, 4)", 4 },
        { "clamp(-7, 0, 4)", 0 },
        { "floor(2.7)", 2 },
        { "floor(-2.1)", -3 },
        { "floor(-2)", -2 },
        { "nth(1, 5, 6, 7)", 6 },
        { "nth(1.6, 5, 6, 7)", 7 },
        { "nth(0, goal, vec(4, 5, 6)).y", 2 },
        { "sqrt(9)", 3 },
        { "sin(pi / 2)", 1 },
        { "cos(pi)", -1 },
        { "length(vec(3, 0, 4))", 5 },
        { "dot(vec(1, 2, 3), goal)", 14 },
        { "angle(vec(1, 0, 0), vec(0, 0, 2))", 1.5707963 },
        { "goal.x + goal.y * 10 + goal.z * 100", 321 },
        { "(goal - vec(1, 1, 1)).y", 1 },
        { "position(left_hand, now).x", 2 },
        { "position('hips', 3).y", 3 },
        { "position(\"root\", 3).y", 3 },
        { "if(faced, 1, 2)", 1 },
        { "if(later > 2 or not faced, 1, 2)", 2 },
        { "or_else(never, 4)", 4 },
        { "or_else(3, never)", 3 },
        { "if(true, 5, never)", 5 },
        { "if(never > 1, 5, 6)", 6 }, // a missing condition counts as false
        { "if(not never > 1, 5, 6)", 6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ami_expr_value value = value_of(cases[i].text);
        assert_int_equal(value.type, AMI_EXPR_NUMBER);
        if (value.missing || fabs((double)value.number[0] - cases[i].number) > 1e-6) {
            fail_msg("%s gave %g, not %g", cases[i].text, (double)value.number[0], cases[i].number);
        }
    }
}

typedef struct vector_case {
    const char *text;
    am_vec3 vector;
} vector_case;

static void vectors_and_rotations_combine(void **state)
{
    (void)state;
    static const vector_case cases[] = {
        { "goal + vec(1, 0, -1)", { 2, 2, 2 } },
        { "goal * 2", { 2, 4, 6 } },
        { "2 * goal", { 2, 4, 6 } },
        { "goal / 2", { 0.5f, 1, 1.5f } },
        { "-goal", { -1, -2, -3 } },
        { "flat(goal)", { 1, 0, 3 } },
        { "normalise(vec(0, 0, 4))", { 0, 0, 1 } },
        { "turned * vec(0, 0, 1)", { 1, 0, 0 } },
        { "turned * turned * vec(0, 0, 1)", { 0, 0, -1 } },
        { "inverse(turned) * vec(0, 0, 1)", { -1, 0, 0 } },
        { "turn(pi / 2) * vec(0, 0, 1)", { 1, 0, 0 } },
        { "towards(vec(-3, 7, 0)) * vec(0, 0, 1)", { -1, 0, 0 } },
        { "if(faced, goal, vec(0, 0, 0))", { 1, 2, 3 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ami_expr_value value = value_of(cases[i].text);
        assert_int_equal(value.type, AMI_EXPR_VECTOR);
        if (value.missing || am_v3_distance(ami_expr_vector(&value), cases[i].vector) > 1e-6f) {
            fail_msg("%s gave %g %g %g", cases[i].text, (double)value.number[0], (double)value.number[1],
                     (double)value.number[2]);
        }
    }
}

typedef struct bool_case {
    const char *text;
    bool truth;
} bool_case;

static void truth_and_names_compare(void **state)
{
    (void)state;
    static const bool_case cases[] = {
        { "1 < 2", true },
        { "2 <= 2", true },
        { "2 > 2", false },
        { "2 >= 3", false },
        { "2 == 2", true },
        { "2 != 2", false },
        { "true == faced", true },
        { "faced != false", true },
        { "false or false and true", false },
        { "true or false and false", true }, // and binds tighter than or
        { "not false and false", false },    // not binds tighter than and
        { "not 1 > 2", true },               // but looser than a comparison
        { "style() == 'mummy'", true },
        { "style(run, walk) == 'walk'", true },
        { "style() != 'drunk'", true },
        { "has(never)", false },
        { "has(now) and now > 2", true },
        { "never > 1 and false", false }, // decided whatever is missing
        { "true or never > 1", true },
        { "has(normalise(vec(0, 0, 0)))", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ami_expr_value value = value_of(cases[i].text);
        assert_int_equal(value.type, AMI_EXPR_BOOL);
        if (value.missing || (value.number[0] != 0.0f) != cases[i].truth) {
            fail_msg("%s is wrong", cases[i].text);
        }
    }
    ami_expr_value style = value_of("if(faced, 'drunk', style())");
    assert_string_equal(style.name, "drunk");
    assert_true(style.number[0] == 1.0f); // its place among the names of the part
}

static void what_is_not_there_is_missing(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "never",
        "1 / 0",
        "0 / 0",
        "goal / 0",
        "sqrt(-1)",
        "normalise(vec(0, 0, 0))",
        "towards(vec(0, 1, 0))",
        "never + 1",
        "position(root, 11)",
        "position(root, 11).x * 0",
        "position(root, never)",
        "if(false, 1, never)",
        "not never > 1",
        "never > 1 or false",
        "never > 1 and true",
        "1e38 * 10",
        "vec(1e38, 0, 0) * 10",
        "length(vec(1e38, 0, 0))",
        "or_else(never, never)",
        "nth(3, 5, 6, 7)",
        "nth(-1, 5, 6, 7)",
        "-never",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!value_of(cases[i]).missing) {
            fail_msg("%s is there", cases[i]);
        }
    }
}

static void functions_are_not_called_with_what_is_missing(void **state)
{
    (void)state;
    ami_expr *expr = NULL;
    am_error err = { 0 };
    ami_expr_scope scope = host_scope();
    check_ok(ami_expr_compile(&expr, "position(root, never)", &scope, NULL, &err), &err);
    ami_expr_value locals[3], value;
    host_values(locals);
    host h = { 0 };
    ami_expr_run(expr, &value, &h, locals);
    assert_int_equal(h.calls, 0);
    assert_true(value.missing && value.type == AMI_EXPR_VECTOR);
    ami_expr_destroy(expr);
}

static void draws_are_known_and_repeat(void **state)
{
    (void)state;
    ami_expr_value a = value_of("uniform(1, 2) * 100"), b = value_of("uniform(1, 2) * 100");
    assert_true(a.number[0] == b.number[0] && a.number[0] >= 100.0f && a.number[0] < 200.0f);
    ami_expr *expr = NULL;
    am_error err = { 0 };
    ami_expr_scope scope = host_scope();
    check_ok(ami_expr_compile(&expr, "1 + uniform(0, 1)", &scope, NULL, &err), &err);
    assert_true(ami_expr_draws(expr));
    ami_expr_destroy(expr);
    scope.fixed = true;
    check_refused(ami_expr_compile(&expr, "1 + uniform(0, 1)", &scope, NULL, &err), AM_ERR_TYPE);
    assert_non_null(strstr(err.text, "uniform draws"));
    assert_null(expr);
    check_ok(ami_expr_compile(&expr, "1 + now", &scope, NULL, &err), &err);
    assert_false(ami_expr_draws(expr));
    ami_expr_destroy(expr);
}

typedef struct bad_case {
    const char *text;
    am_result code;
    int column;
    const char *says;
} bad_case;

static void wrong_expressions_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        { "", AM_ERR_SYNTAX, 1, "ends where a value is expected" },
        { "1 +", AM_ERR_SYNTAX, 4, "ends where a value is expected" },
        { "1 + * 2", AM_ERR_SYNTAX, 5, "a value is expected before '*'" },
        { "(1 + 2", AM_ERR_SYNTAX, 7, "a ')' is missing" },
        { "1 + 2)", AM_ERR_SYNTAX, 6, "an operator is missing before ')'" },
        { "1 2", AM_ERR_SYNTAX, 3, "an operator is missing before '2'" },
        { "2later", AM_ERR_SYNTAX, 2, "an operator is missing after the number" },
        { "and 1", AM_ERR_SYNTAX, 1, "a value is missing before 'and'" },
        { "later = 2", AM_ERR_SYNTAX, 7, "write '=='" },
        { "'mummy", AM_ERR_SYNTAX, 1, "the closing ' is missing" },
        { "min(1, 2", AM_ERR_SYNTAX, 9, "the ')' of min" },
        { "goal.w", AM_ERR_SYNTAX, 5, "write x, y or z" },
        { "goal.xy", AM_ERR_SYNTAX, 5, "write x, y or z" },
        { "1 & 2", AM_ERR_SYNTAX, 3, "before '&'" },
        { "latr + 1", AM_ERR_KEY, 1, "did you mean 'later'" },
        { "psition(root, 1)", AM_ERR_KEY, 1, "no function is called 'psition'; did you mean 'position'" },
        { "lengt(goal)", AM_ERR_KEY, 1, "'length'" },
        { "position(rot, 1)", AM_ERR_KEY, 10, "no joint is called 'rot'; did you mean 'root'" },
        { "position('left hand', 1)", AM_ERR_KEY, 10, "did you mean 'left_hand'" },
        { "style(wlk)", AM_ERR_KEY, 7, "no tag is called 'wlk'; did you mean 'walk'" },
        { "'munny'", AM_ERR_KEY, 1, "did you mean 'mummy'" },
        { "position(1, 1)", AM_ERR_TYPE, 10, "takes the name of a joint" },
        { "position(root)", AM_ERR_TYPE, 1, "position takes 2 arguments: position(joint, time)" },
        { "position(root, 1, 2)", AM_ERR_TYPE, 1, "position takes 2 arguments" },
        { "position(root, goal)", AM_ERR_TYPE, 16, "argument 2 of position should be a number, not a vector" },
        { "min(1)", AM_ERR_TYPE, 1, "min takes 2 to 8 arguments" },
        { "now(1)", AM_ERR_TYPE, 1, "now takes 0 arguments" },
        { "nth(0, 1, goal)", AM_ERR_TYPE, 11, "argument 3 of nth should be a number, not a vector" },
        { "goal + 1", AM_ERR_TYPE, 6, "'+' does not go between a vector and a number" },
        { "goal * goal", AM_ERR_TYPE, 6, "between a vector and a vector" },
        { "1 / goal", AM_ERR_TYPE, 3, "between a number and a vector" },
        { "goal < goal", AM_ERR_TYPE, 6, "'<' does not go" },
        { "1 < 2 < 3", AM_ERR_TYPE, 7, "between a truth value and a number" },
        { "1 and true", AM_ERR_TYPE, 3, "'and' needs truth values, not a number" },
        { "true or goal", AM_ERR_TYPE, 6, "not a vector" },
        { "not 1", AM_ERR_TYPE, 1, "'not' needs truth values, not a number" },
        { "-faced", AM_ERR_TYPE, 1, "'-' needs a number or a vector, not a truth value" },
        { "now.x", AM_ERR_TYPE, 4, "'.x' is of vectors, not of a number" },
        { "if(1, 2, 3)", AM_ERR_TYPE, 4, "argument 1 of if should be a truth value" },
        { "if(faced, 2, goal)", AM_ERR_TYPE, 14, "argument 3 of if should be a number, not a vector" },
        { "or_else(never, goal)", AM_ERR_TYPE, 16, "argument 2 of or_else" },
        { "has()", AM_ERR_TYPE, 1, "has takes 1 argument" },
        { "1e39", AM_ERR_NUMBER, 1, "too large" },
        { ".", AM_ERR_NUMBER, 1, "malformed" },
    };
    ami_expr_scope scope = host_scope();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ami_expr *expr = NULL;
        am_error err = { 0 };
        am_result result = ami_expr_compile(&expr, cases[i].text, &scope, NULL, &err);
        if (result != cases[i].code || err.column != cases[i].column || !strstr(err.text, cases[i].says) || expr) {
            fail_msg("\"%s\" gave '%s' at %d: %s", cases[i].text, am_result_name(result), (int)err.column, err.text);
        }
    }
}

static void repeat(char *out, const char *piece, int count, const char *end)
{
    size_t size = strlen(piece);
    for (int i = 0; i < count; i++) {
        memcpy(out + (size_t)i * size, piece, size + 1);
    }
    strcat(out, end);
}

static void endless_expressions_are_refused(void **state)
{
    (void)state;
    static char text[5][8000];
    repeat(text[0], "(", 1000, "1");
    repeat(text[1], "-", 1000, "1");
    repeat(text[2], "later+", 200, "1");
    repeat(text[3], "1+", 200, "1");
    repeat(text[4], "later + ", 500, "1");
    ami_expr_scope scope = host_scope();
    for (int i = 0; i < 5; i++) {
        ami_expr *expr = NULL;
        am_error err = { 0 };
        check_refused(ami_expr_compile(&expr, text[i], &scope, NULL, &err), AM_ERR_LIMIT);
        assert_null(expr);
    }
    text[0][0] = '\0';
    repeat(text[0], "not ", 30, "faced");
    assert_false(value_of(text[0]).missing);
    repeat(text[0], "1 + (", 60, "");
    am_error err = { 0 };
    ami_expr *expr = NULL;
    check_refused(ami_expr_compile(&expr, text[0], &scope, NULL, &err), AM_ERR_LIMIT);
}

static am_result compile_with(void *user, const am_alloc *alloc)
{
    ami_expr_scope scope = host_scope();
    ami_expr *expr = NULL;
    am_error err = { 0 };
    am_result result = ami_expr_compile(&expr, user, &scope, alloc, &err);
    ami_expr_destroy(expr);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    assert_int_equal(refuse_allocations(compile_with, "position(root, now + later) + goal * uniform(1, 2)"), 1);
}

static void the_guide_can_list_every_function(void **state)
{
    (void)state;
    int count;
    const ami_expr_function *functions = ami_expr_functions(&count);
    for (int i = 0; i < count; i++) {
        assert_true(functions[i].help && functions[i].help[0]);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(functions[i].name, functions[j].name);
        }
    }
}

TEST_SUITE(expr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_out_as_computed_by_hand),
        cmocka_unit_test(vectors_and_rotations_combine),
        cmocka_unit_test(truth_and_names_compare),
        cmocka_unit_test(what_is_not_there_is_missing),
        cmocka_unit_test(functions_are_not_called_with_what_is_missing),
        cmocka_unit_test(draws_are_known_and_repeat),
        cmocka_unit_test(wrong_expressions_say_what_is_wrong_and_where),
        cmocka_unit_test(endless_expressions_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(the_guide_can_list_every_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
