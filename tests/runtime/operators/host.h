/// A small host for tests of expressions: a few variables and functions, joints, tags and styles.
#ifndef AMBLE_TEST_OPERATORS_HOST_H
#define AMBLE_TEST_OPERATORS_HOST_H

#include "operators/expr.h"

typedef struct host {
    int calls;
    am_rng rng;
} host;

static inline void host_now(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ((host *)context)->calls++;
    ami_expr_set_number(out, 2.5f);
}

/// (place of the joint, time, 0), missing after 10 s
static inline void host_position(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    ((host *)context)->calls++;
    out->missing = a[1].number[0] > 10.0f;
    ami_expr_set_vector(out, am_v3(a[0].number[0], a[1].number[0], 0.0f));
}

static inline void host_turned(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    ami_expr_set_rotation(out, am_quat_from_heading(0.5f * AM_PI));
}

static inline void host_never(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    ami_expr_set_missing(out);
}

static inline void host_style(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    out->name = count > 0 ? a[count - 1].name : "mummy";
}

static inline void host_uniform(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    ami_expr_set_number(out, am_rng_range(&((host *)context)->rng, a[0].number[0], a[1].number[0]));
}

static const ami_expr_function host_functions[] = {
    { "now", AMI_EXPR_NUMBER, 0, 0, { AMI_EXPR_NUMBER }, "this moment", host_now, NULL, false },
    { "position",
      AMI_EXPR_VECTOR,
      2,
      2,
      { AMI_EXPR_NAME, AMI_EXPR_NUMBER },
      "position(joint, time)",
      host_position,
      "joint",
      false },
    { "turned", AMI_EXPR_ROTATION, 0, 0, { AMI_EXPR_NUMBER }, "a quarter turn", host_turned, NULL, false },
    { "never", AMI_EXPR_NUMBER, 0, 0, { AMI_EXPR_NUMBER }, "nothing", host_never, NULL, false },
    { "style", AMI_EXPR_NAME, 0, 3, { AMI_EXPR_NAME }, "style(tag...)", host_style, "tag", false },
    { "uniform", AMI_EXPR_NUMBER, 2, 2, { AMI_EXPR_NUMBER }, "uniform(from, to)", host_uniform, NULL, true },
};

static const char *const host_joints[] = { "root", "hips", "left_hand" };
static const char *const host_tags[] = { "walk", "run", "jump" };
static const char *const host_styles[] = { "mummy", "drunk" };
static const ami_expr_names host_lists[] = { { "joint", host_joints, 3 }, { "tag", host_tags, 3 } };
static const char *const host_locals[] = { "later", "goal", "faced" };
static const ami_expr_type host_local_types[] = { AMI_EXPR_NUMBER, AMI_EXPR_VECTOR, AMI_EXPR_BOOL };

static inline ami_expr_scope host_scope(void)
{
    return (ami_expr_scope){ .functions = host_functions,
                             .function_count = (int)(sizeof host_functions / sizeof *host_functions),
                             .lists = host_lists,
                             .list_count = 2,
                             .locals = host_locals,
                             .local_types = host_local_types,
                             .local_count = 3,
                             .free = { "style", host_styles, 2 } };
}

/// later = 1.5, goal = (1, 2, 3), faced = true
static inline void host_values(ami_expr_value *out)
{
    out[0] = (ami_expr_value){ .type = AMI_EXPR_NUMBER, .number = { 1.5f } };
    out[1] = (ami_expr_value){ .type = AMI_EXPR_VECTOR, .number = { 1.0f, 2.0f, 3.0f } };
    out[2] = (ami_expr_value){ .type = AMI_EXPR_BOOL, .number = { 1.0f } };
}

#endif
