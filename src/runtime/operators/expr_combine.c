// Which operators go between which types of values.
#include "operators/expr_program.h"

#include <string.h>

/// One way in which an operator combines two values.
typedef struct combination {
    char mark[3];
    ami_expr_type left, right, result;
    ami_expr_op_code code;
} combination;

#define B AMI_EXPR_BOOL
#define N AMI_EXPR_NUMBER
#define V AMI_EXPR_VECTOR
#define Q AMI_EXPR_ROTATION
#define T AMI_EXPR_NAME
static const combination combinations[] = {
    { "*", N, N, N, AMI_EXPR_OP_MULTIPLY_NN },    { "*", N, V, V, AMI_EXPR_OP_MULTIPLY_NV },
    { "*", V, N, V, AMI_EXPR_OP_MULTIPLY_VN },    { "*", Q, V, V, AMI_EXPR_OP_MULTIPLY_QV },
    { "*", Q, Q, Q, AMI_EXPR_OP_MULTIPLY_QQ },    { "/", N, N, N, AMI_EXPR_OP_DIVIDE_NN },
    { "/", V, N, V, AMI_EXPR_OP_DIVIDE_VN },      { "+", N, N, N, AMI_EXPR_OP_ADD_NN },
    { "+", V, V, V, AMI_EXPR_OP_ADD_VV },         { "-", N, N, N, AMI_EXPR_OP_SUBTRACT_NN },
    { "-", V, V, V, AMI_EXPR_OP_SUBTRACT_VV },    { "<=", N, N, B, AMI_EXPR_OP_LESS_EQUAL },
    { ">=", N, N, B, AMI_EXPR_OP_GREATER_EQUAL }, { "<", N, N, B, AMI_EXPR_OP_LESS },
    { ">", N, N, B, AMI_EXPR_OP_GREATER },        { "==", N, N, B, AMI_EXPR_OP_SAME },
    { "==", B, B, B, AMI_EXPR_OP_SAME },          { "==", T, T, B, AMI_EXPR_OP_SAME_NAME },
    { "!=", N, N, B, AMI_EXPR_OP_SAME },          { "!=", B, B, B, AMI_EXPR_OP_SAME },
    { "!=", T, T, B, AMI_EXPR_OP_SAME_NAME },
};
#undef B
#undef N
#undef V
#undef Q
#undef T
enum { combination_count = (int)(sizeof combinations / sizeof *combinations) };

int ami_expr_combine(const char *mark, ami_expr_type left, ami_expr_type right, ami_expr_type *result)
{
    for (int i = 0; i < combination_count; i++) {
        const combination *c = &combinations[i];
        if (strcmp(c->mark, mark) == 0 && c->left == left && c->right == right) {
            *result = c->result;
            return (int)c->code;
        }
    }
    return -1;
}
