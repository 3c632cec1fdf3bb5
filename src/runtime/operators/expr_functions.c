// The functions of expressions that need no host.
#include "operators/expr.h"

static void call_abs(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_abs(a[0].number[0]));
}

static void call_min(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    float least = a[0].number[0];
    for (int i = 1; i < count; i++) {
        least = am_min(least, a[i].number[0]);
    }
    ami_expr_set_number(out, least);
}

static void call_max(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    float most = a[0].number[0];
    for (int i = 1; i < count; i++) {
        most = am_max(most, a[i].number[0]);
    }
    ami_expr_set_number(out, most);
}

static void call_clamp(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_clamp(a[0].number[0], a[1].number[0], a[2].number[0]));
}

static void call_floor(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    float x = a[0].number[0];
    if (am_abs(x) < 8388608.0f) { // from 2^23 on every float is whole
        float whole = (float)(int)x;
        x = whole > x ? whole - 1.0f : whole;
    }
    ami_expr_set_number(out, x);
}

static void call_sqrt(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, sqrtf(a[0].number[0]));
}

static void call_sin(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_sin(a[0].number[0]));
}

static void call_cos(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_cos(a[0].number[0]));
}

static void call_vec(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_vector(out, am_v3(a[0].number[0], a[1].number[0], a[2].number[0]));
}

static void call_flat(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_vector(out, am_v3_ground(ami_expr_vector(a)));
}

static void call_length(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_v3_length(ami_expr_vector(a)));
}

static void call_normalise(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    am_vec3 v = am_v3_normalize_or(ami_expr_vector(a), am_v3_zero());
    out->missing = am_v3_length2(v) == 0.0f;
    ami_expr_set_vector(out, v);
}

static void call_dot(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_number(out, am_v3_dot(ami_expr_vector(a), ami_expr_vector(a + 1)));
}

static void call_angle(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    am_vec3 v = ami_expr_vector(a), w = ami_expr_vector(a + 1);
    ami_expr_set_number(out, am_atan2(am_v3_length(am_v3_cross(v, w)), am_v3_dot(v, w)));
}

static void call_turn(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_rotation(out, am_quat_from_heading(a[0].number[0]));
}

static void call_towards(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    float x = a[0].number[0], z = a[0].number[2];
    out->missing = x * x + z * z < 1e-16f; // straight up or down
    ami_expr_set_rotation(out, am_quat_from_heading(am_atan2(x, z)));
}

static void call_inverse(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)count;
    ami_expr_set_rotation(out, am_quat_inv(ami_expr_rotation(a)));
}

static void call_nth(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    float i = a[0].number[0] + 0.5f;
    bool there = i >= 0.0f && i < (float)(count - 1);
    *out = a[there ? 1 + (int)i : 1];
    out->missing = !there;
}

static void call_pi(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    ami_expr_set_number(out, AM_PI);
}

#define N AMI_EXPR_NUMBER
#define V AMI_EXPR_VECTOR
#define Q AMI_EXPR_ROTATION

static const ami_expr_function functions[] = {
    { "abs", N, 1, 1, { N }, "the size of a number", call_abs, NULL, false },
    { "min", N, 2, 8, { N }, "the least of some numbers", call_min, NULL, false },
    { "max", N, 2, 8, { N }, "the greatest of some numbers", call_max, NULL, false },
    { "clamp", N, 3, 3, { N }, "clamp(x, least, most): the nearest number within limits", call_clamp, NULL, false },
    { "floor", N, 1, 1, { N }, "the whole number at or below", call_floor, NULL, false },
    { "nth",
      AMI_EXPR_ANY,
      2,
      17,
      { N, AMI_EXPR_ANY },
      "nth(i, a, b, ...): a for i = 0, b for 1, ...; missing beyond",
      call_nth,
      NULL,
      false },
    { "sqrt", N, 1, 1, { N }, "square root; missing below 0", call_sqrt, NULL, false },
    { "sin", N, 1, 1, { N }, "sine of an angle in radians", call_sin, NULL, false },
    { "cos", N, 1, 1, { N }, "cosine of an angle in radians", call_cos, NULL, false },
    { "pi", N, 0, 0, { N }, "3.14159...: half a turn", call_pi, NULL, false },
    { "vec", V, 3, 3, { N }, "vec(x, y, z)", call_vec, NULL, false },
    { "flat", V, 1, 1, { V }, "the same with y = 0", call_flat, NULL, false },
    { "length", N, 1, 1, { V }, "length of a vector", call_length, NULL, false },
    { "normalise",
      V,
      1,
      1,
      { V },
      "the same direction with length 1; missing for the zero vector",
      call_normalise,
      NULL,
      false },
    { "dot", N, 2, 2, { V }, "dot product", call_dot, NULL, false },
    { "angle", N, 2, 2, { V }, "angle between two vectors, 0 to pi", call_angle, NULL, false },
    { "turn",
      Q,
      1,
      1,
      { N },
      "rotation about y by an angle: turn(pi / 2) * vec(0, 0, 1) is vec(1, 0, 0)",
      call_turn,
      NULL,
      false },
    { "towards",
      Q,
      1,
      1,
      { V },
      "rotation about y that turns +z into a direction over the ground",
      call_towards,
      NULL,
      false },
    { "inverse", Q, 1, 1, { Q }, "the opposite rotation", call_inverse, NULL, false },
};

#undef N
#undef V
#undef Q

const ami_expr_function *ami_expr_functions(int *count)
{
    *count = (int)(sizeof functions / sizeof *functions);
    return functions;
}
