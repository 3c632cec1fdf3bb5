/// Expressions: a small language over numbers, vectors, rotations, truth values and names, for training controls,
/// runtime controls and matching functions (docs/operators.md).
///
/// A host gives functions and variables of its own; operators and elementary functions are built in. An expression is
/// compiled once, with its types checked, and then runs without allocation on a stack of fixed size, with the same
/// bits on every machine. Both sides of an `if` are evaluated: what an expression draws from a random stream does not
/// depend on its conditions.
///
/// A value may be *missing*: a tag that never comes, a root of a negative number, a division by zero. What is
/// computed from a missing value is missing; `has`, `or_else`, `if`, `and` and `or` can do without.
#ifndef AMI_OPERATORS_EXPR_H
#define AMI_OPERATORS_EXPR_H

#include <amble/math.h>

#define AMI_EXPR_TEXT 2000    ///< longest text
#define AMI_EXPR_OPS 256      ///< longest program
#define AMI_EXPR_STACK 48     ///< values at once, the arguments of one call included
#define AMI_EXPR_DEPTH 32     ///< nesting
#define AMI_EXPR_LOCALS 32    ///< variables of the caller
#define AMI_EXPR_ARGUMENTS 40 ///< of one call

typedef enum ami_expr_type {
    AMI_EXPR_LIKE_LAST, ///< only in rows of functions, where nothing is written: of the type of the argument before
    AMI_EXPR_BOOL,
    AMI_EXPR_NUMBER,
    AMI_EXPR_VECTOR,
    AMI_EXPR_ROTATION,
    AMI_EXPR_NAME,
    AMI_EXPR_TYPES,
    /// Only in rows of functions: all arguments of this type agree, and a result of this type is of theirs.
    AMI_EXPR_ANY = AMI_EXPR_TYPES
} ami_expr_type;

typedef struct ami_expr_value {
    ami_expr_type type;
    bool missing;
    float number[4]; ///< bool 0 or 1; number; vector x y z; rotation x y z w; of a written name its place in its list
    const char *name; ///< AMI_EXPR_NAME
} ami_expr_value;

/// A function of the host, or a variable: a function without arguments. Functions are called with arguments that are
/// there and finite; a result that is not finite counts as missing.
typedef struct ami_expr_function {
    const char *name;
    ami_expr_type result;
    int least, most;            ///< arguments
    ami_expr_type arguments[4]; ///< those not written are of the type of the one before
    const char *help;           ///< one line
    void (*call)(void *context, ami_expr_value *out, const ami_expr_value *arguments, int count);
    const char *names; ///< `what` of the list that its names are from; they must be written out. NULL: any name
    bool draws;        ///< takes from a random stream: refused where the scope is fixed
} ami_expr_function;

/// Names that a function takes, such as joints.
typedef struct ami_expr_names {
    const char *what; ///< "joint"
    const char *const *names;
    int count;
} ami_expr_names;

/// What an expression may use. Lists of names must outlive it; all else is read while it is compiled.
typedef struct ami_expr_scope {
    const ami_expr_function *functions;
    int function_count;
    const ami_expr_names *lists;
    int list_count;
    const char *const *locals; ///< the caller's variables, whose values a run is given in this order
    const ami_expr_type *local_types;
    int local_count;
    ami_expr_names free; ///< names outside calls; those of all lists when there are none
    bool fixed;          ///< nothing may be drawn
} ami_expr_scope;

/// A compiled expression. Immutable: any number of threads may run it.
typedef struct ami_expr ami_expr;
/// Errors quote the text and name the character (also their column) and the nearest known name: AM_ERR_SYNTAX,
/// AM_ERR_KEY (unknown name), AM_ERR_TYPE (a type or a number of arguments that does not fit), AM_ERR_NUMBER,
/// AM_ERR_LIMIT.
am_result ami_expr_compile(ami_expr **out, const char *text, const ami_expr_scope *scope, const am_alloc *alloc,
                           am_error *err);
/// NULL is allowed.
void ami_expr_destroy(ami_expr *expr);
ami_expr_type ami_expr_result(const ami_expr *expr);
/// Whether it takes from a random stream.
bool ami_expr_draws(const ami_expr *expr);
/// Runs it. Allocates nothing. `context` goes to the host's functions.
void ami_expr_run(const ami_expr *expr, ami_expr_value *out, void *context, const ami_expr_value *locals);

/// "a number", "a vector", ...
const char *ami_expr_type_name(ami_expr_type type);
/// The functions that are built in.
const ami_expr_function *ami_expr_functions(int *count);

/// Of a truth value: what is missing is not true.
static inline bool ami_expr_is_true(const ami_expr_value *value)
{
    return !value->missing && value->number[0] != 0.0f;
}

static inline void ami_expr_set_missing(ami_expr_value *out) { out->missing = true; }
static inline void ami_expr_set_bool(ami_expr_value *out, bool value) { out->number[0] = value ? 1.0f : 0.0f; }
static inline void ami_expr_set_number(ami_expr_value *out, float value) { out->number[0] = value; }
static inline void ami_expr_set_vector(ami_expr_value *out, am_vec3 v)
{
    out->number[0] = v.x;
    out->number[1] = v.y;
    out->number[2] = v.z;
}
static inline void ami_expr_set_rotation(ami_expr_value *out, am_quat q)
{
    out->number[0] = q.x;
    out->number[1] = q.y;
    out->number[2] = q.z;
    out->number[3] = q.w;
}
static inline am_vec3 ami_expr_vector(const ami_expr_value *value)
{
    return am_v3(value->number[0], value->number[1], value->number[2]);
}
static inline am_quat ami_expr_rotation(const ami_expr_value *value)
{
    return am_q(value->number[0], value->number[1], value->number[2], value->number[3]);
}

#endif
