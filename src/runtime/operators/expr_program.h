/// What the compiler of expressions and their evaluation share.
#ifndef AMI_OPERATORS_EXPR_PROGRAM_H
#define AMI_OPERATORS_EXPR_PROGRAM_H

#include "operators/expr.h"

typedef void (*ami_expr_call)(void *context, ami_expr_value *out, const ami_expr_value *arguments, int count);

/// Postfix operations. N number, V vector, Q rotation.
typedef enum ami_expr_op_code {
    AMI_EXPR_OP_CONSTANT, ///< values[at]
    AMI_EXPR_OP_LOCAL,    ///< locals[at]
    AMI_EXPR_OP_CALL,     ///< call(count); the result is of type `at`
    AMI_EXPR_OP_NEGATE_N,
    AMI_EXPR_OP_NEGATE_V,
    AMI_EXPR_OP_ADD_NN,
    AMI_EXPR_OP_ADD_VV,
    AMI_EXPR_OP_SUBTRACT_NN,
    AMI_EXPR_OP_SUBTRACT_VV,
    AMI_EXPR_OP_MULTIPLY_NN,
    AMI_EXPR_OP_MULTIPLY_NV,
    AMI_EXPR_OP_MULTIPLY_VN,
    AMI_EXPR_OP_MULTIPLY_QV,
    AMI_EXPR_OP_MULTIPLY_QQ,
    AMI_EXPR_OP_DIVIDE_NN,
    AMI_EXPR_OP_DIVIDE_VN,
    AMI_EXPR_OP_PART, ///< number[at] of a vector
    AMI_EXPR_OP_LESS,
    AMI_EXPR_OP_LESS_EQUAL,
    AMI_EXPR_OP_GREATER,
    AMI_EXPR_OP_GREATER_EQUAL,
    AMI_EXPR_OP_SAME,      ///< numbers or truth values
    AMI_EXPR_OP_SAME_NAME, ///< names, by their letters
    AMI_EXPR_OP_NOT,
    AMI_EXPR_OP_AND,
    AMI_EXPR_OP_OR,
    AMI_EXPR_OP_IF,
    AMI_EXPR_OP_HAS,
    AMI_EXPR_OP_ELSE
} ami_expr_op_code;

typedef struct ami_expr_op {
    ami_expr_call call;
    uint16_t at;
    uint8_t code; ///< ami_expr_op_code
    uint8_t count;
} ami_expr_op;

struct ami_expr {
    am_alloc alloc;
    size_t size; ///< of this block, which holds everything
    ami_expr_type result;
    bool draws;
    int op_count, value_count;
    int most_values; ///< on the stack at once
    const ami_expr_op *ops;
    const ami_expr_value *values;
};

/// The operation of `left mark right`, and the type that it gives; -1 when the operator does not go between them.
/// `!=` is that of `==`, to be followed by a `not`.
int ami_expr_combine(const char *mark, ami_expr_type left, ami_expr_type right, ami_expr_type *result);

#endif
