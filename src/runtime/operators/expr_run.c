// Runs a compiled expression on a stack of fixed size.
#include "operators/expr_program.h"

#include "base/assert.h"
#include "base/memory.h"

#include <string.h>

static const int numbers_of[AMI_EXPR_TYPES] = { 0, 1, 1, 3, 4, 0 };

// What is not finite counts as missing, so that no later step and no network ever meets it.
static void settle(ami_expr_value *value)
{
    for (int i = 0; i < numbers_of[value->type]; i++) {
        value->missing |= !isfinite(value->number[i]);
    }
}

static void set_number(ami_expr_value *out, float x)
{
    out->type = AMI_EXPR_NUMBER;
    out->number[0] = x;
    out->missing |= !isfinite(x);
}

static void set_vector(ami_expr_value *out, am_vec3 v)
{
    out->type = AMI_EXPR_VECTOR;
    ami_expr_set_vector(out, v);
    out->missing |= !(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
}

static void set_bool(ami_expr_value *out, bool x)
{
    out->type = AMI_EXPR_BOOL;
    ami_expr_set_bool(out, x);
}

/// a: the one operand, and where the result goes.
static void run_unary(const ami_expr_op *op, ami_expr_value *a)
{
    switch (op->code) {
    case AMI_EXPR_OP_NEGATE_N:
        set_number(a, -a->number[0]);
        break;
    case AMI_EXPR_OP_NEGATE_V:
        set_vector(a, am_v3_neg(ami_expr_vector(a)));
        break;
    case AMI_EXPR_OP_PART:
        set_number(a, a->number[op->at]);
        break;
    case AMI_EXPR_OP_NOT:
        set_bool(a, a->number[0] == 0.0f);
        break;
    default: // AMI_EXPR_OP_HAS
        set_bool(a, !a->missing);
        a->missing = false;
        break;
    }
}

/// `and` is decided by one false operand, `or` by one true one, whatever is missing in the other.
static void run_logic(ami_expr_value *a, const ami_expr_value *b, bool decides)
{
    bool x = a->number[0] != 0.0f, y = b->number[0] != 0.0f;
    bool decided = (!a->missing && x == decides) || (!b->missing && y == decides);
    a->missing = !decided && (a->missing || b->missing);
    set_bool(a, decided ? decides : !decides);
}

static void run_compare(const ami_expr_op *op, ami_expr_value *a, const ami_expr_value *b)
{
    float x = a->number[0], y = b->number[0];
    switch (op->code) {
    case AMI_EXPR_OP_LESS:
        set_bool(a, x < y);
        break;
    case AMI_EXPR_OP_LESS_EQUAL:
        set_bool(a, x <= y);
        break;
    case AMI_EXPR_OP_GREATER:
        set_bool(a, x > y);
        break;
    case AMI_EXPR_OP_GREATER_EQUAL:
        set_bool(a, x >= y);
        break;
    case AMI_EXPR_OP_SAME:
        set_bool(a, x == y);
        break;
    default: // AMI_EXPR_OP_SAME_NAME
        set_bool(a, a->name && b->name && strcmp(a->name, b->name) == 0);
        a->name = NULL;
        break;
    }
}

/// a and b: the operands; the result goes to a.
static void run_binary(const ami_expr_op *op, ami_expr_value *a, const ami_expr_value *b)
{
    if (op->code == AMI_EXPR_OP_AND || op->code == AMI_EXPR_OP_OR) {
        run_logic(a, b, op->code == AMI_EXPR_OP_OR);
        return;
    }
    if (op->code == AMI_EXPR_OP_ELSE) {
        *a = a->missing ? *b : *a;
        return;
    }
    a->missing |= b->missing;
    float x = a->number[0], y = b->number[0];
    am_vec3 v = ami_expr_vector(a), w = ami_expr_vector(b);
    switch (op->code) {
    case AMI_EXPR_OP_ADD_NN:
        set_number(a, x + y);
        break;
    case AMI_EXPR_OP_ADD_VV:
        set_vector(a, am_v3_add(v, w));
        break;
    case AMI_EXPR_OP_SUBTRACT_NN:
        set_number(a, x - y);
        break;
    case AMI_EXPR_OP_SUBTRACT_VV:
        set_vector(a, am_v3_sub(v, w));
        break;
    case AMI_EXPR_OP_MULTIPLY_NN:
        set_number(a, x * y);
        break;
    case AMI_EXPR_OP_MULTIPLY_NV:
        set_vector(a, am_v3_scale(w, x));
        break;
    case AMI_EXPR_OP_MULTIPLY_VN:
        set_vector(a, am_v3_scale(v, y));
        break;
    case AMI_EXPR_OP_MULTIPLY_QV:
        set_vector(a, am_quat_rotate(ami_expr_rotation(a), w));
        break;
    case AMI_EXPR_OP_MULTIPLY_QQ:
        ami_expr_set_rotation(a, am_quat_mul(ami_expr_rotation(a), ami_expr_rotation(b)));
        settle(a);
        break;
    case AMI_EXPR_OP_DIVIDE_NN:
        set_number(a, x / y);
        break;
    case AMI_EXPR_OP_DIVIDE_VN:
        set_vector(a, am_v3(v.x / y, v.y / y, v.z / y));
        break;
    default:
        run_compare(op, a, b);
        break;
    }
}

static void run_call(const ami_expr_op *op, void *context, ami_expr_value *arguments)
{
    ami_expr_value result = { .type = (ami_expr_type)op->at };
    for (int i = 0; i < op->count; i++) {
        result.missing |= arguments[i].missing;
    }
    if (!result.missing) {
        op->call(context, &result, arguments, op->count);
        settle(&result);
    }
    arguments[0] = result;
}

void ami_expr_run(const ami_expr *expr, ami_expr_value *out, void *context, const ami_expr_value *locals)
{
    ami_expr_value stack[AMI_EXPR_STACK];
    memset(stack, 0, (size_t)expr->most_values * sizeof *stack);
    int top = -1; // a compiled program never takes more than it pushed
    for (int i = 0; i < expr->op_count; i++) {
        const ami_expr_op *op = &expr->ops[i];
        switch (op->code) {
        case AMI_EXPR_OP_CONSTANT:
            stack[++top] = expr->values[op->at];
            break;
        case AMI_EXPR_OP_LOCAL:
            stack[++top] = locals[op->at];
            break;
        case AMI_EXPR_OP_CALL:
            top -= op->count - 1;
            run_call(op, context, &stack[top]);
            break;
        case AMI_EXPR_OP_NEGATE_N:
        case AMI_EXPR_OP_NEGATE_V:
        case AMI_EXPR_OP_PART:
        case AMI_EXPR_OP_NOT:
        case AMI_EXPR_OP_HAS:
            run_unary(op, &stack[top]);
            break;
        case AMI_EXPR_OP_IF:
            top -= 2;
            stack[top] = ami_expr_is_true(&stack[top]) ? stack[top + 1] : stack[top + 2];
            break;
        default:
            top--;
            run_binary(op, &stack[top], &stack[top + 1]);
            break;
        }
    }
    AM_ASSERT(top == 0);
    *out = stack[0];
}

ami_expr_type ami_expr_result(const ami_expr *expr) { return expr->result; }

bool ami_expr_draws(const ami_expr *expr) { return expr->draws; }

void ami_expr_destroy(ami_expr *expr)
{
    if (expr) {
        am_alloc alloc = expr->alloc;
        ami_release(&alloc, expr, expr->size);
    }
}
