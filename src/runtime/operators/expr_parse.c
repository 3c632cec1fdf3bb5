// Compiles expressions to postfix by recursive descent; every node's type is known while it is read.
//
//   or := and ("or" and)*         and := not ("and" not)*            not := "not" not | compare
//   compare := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*     sum := product (("+" | "-") product)*
//   product := unary (("*" | "/") unary)*      unary := "-" unary | part      part := item ("." ("x" | "y" | "z"))*
//   item := NUMBER | 'NAME' | "NAME" | WORD | WORD "(" [or ("," or)*] ")" | "(" or ")"
#include "operators/expr_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <string.h>

static am_result parse_number(ami_expr_reader *p, ami_expr_type *type)
{
    const char *at = p->text + p->at;
    double number = 0.0;
    if (!ami_parse_number(&at, p->text + strlen(p->text), &number) || !isfinite((float)number)) {
        return ami_expr_fail(p, p->at, AM_ERR_NUMBER, "the number is malformed or too large");
    }
    p->at = (size_t)(at - p->text);
    if (ami_expr_is_letter(*at)) {
        return ami_expr_fail(p, p->at, AM_ERR_SYNTAX, "an operator is missing after the number");
    }
    *type = AMI_EXPR_NUMBER;
    return ami_expr_emit_value(p, (ami_expr_value){ .type = AMI_EXPR_NUMBER, .number = { (float)number } });
}

static am_result parse_item(ami_expr_reader *p, ami_expr_type *type)
{
    char mark = ami_expr_peek(p);
    if (ami_expr_is_letter(mark)) {
        return ami_expr_parse_word(p, type);
    }
    if (ami_expr_is_digit(mark) || mark == '.') {
        return parse_number(p, type);
    }
    ami_expr_word w = { p->text, p->at, 0 };
    bool quoted;
    am_result result = ami_expr_take_quoted(p, &w, &quoted);
    if (result != AM_OK || quoted) {
        *type = AMI_EXPR_NAME;
        return result == AM_OK ? ami_expr_parse_free(p, &w) : result;
    }
    if (!ami_expr_take_mark(p, '(')) {
        return ami_expr_fail(p, p->at, AM_ERR_SYNTAX,
                             mark ? "a value is expected before '%c'" : "it ends where a value is expected", mark);
    }
    result = ami_expr_parse(p, type);
    return result == AM_OK && !ami_expr_take_mark(p, ')') ? ami_expr_fail(p, p->at, AM_ERR_SYNTAX, "a ')' is missing")
                                                          : result;
}

static am_result parse_part(ami_expr_reader *p, ami_expr_type *type)
{
    am_result result = parse_item(p, type);
    while (result == AM_OK && ami_expr_peek(p) == '.') {
        size_t at = p->at++;
        ami_expr_word w = ami_expr_peek_word(p);
        if (w.size != 1 || w.at != at + 1 || w.text[0] < 'x' || w.text[0] > 'z') {
            return ami_expr_fail(p, at, AM_ERR_SYNTAX, "after '.' write x, y or z");
        }
        if (*type != AMI_EXPR_VECTOR) {
            return ami_expr_fail(p, at, AM_ERR_TYPE, "'.%c' is of vectors, not of %s", w.text[0],
                                 ami_expr_type_name(*type));
        }
        p->at += 1;
        *type = AMI_EXPR_NUMBER;
        ami_expr_op op = { .code = AMI_EXPR_OP_PART, .at = (uint16_t)(w.text[0] - 'x') };
        result = ami_expr_emit(p, op, 1);
    }
    return result;
}

/// Deeper by one level; the level ends with p->nesting--.
static am_result enter(ami_expr_reader *p)
{
    return ++p->nesting > AMI_EXPR_DEPTH
               ? ami_expr_fail(p, p->at, AM_ERR_LIMIT, "nested deeper than %d", AMI_EXPR_DEPTH)
               : AM_OK;
}

static am_result parse_unary(ami_expr_reader *p, ami_expr_type *type)
{
    ami_expr_peek(p);
    size_t at = p->at;
    if (!ami_expr_take_mark(p, '-')) {
        return parse_part(p, type);
    }
    am_result result = enter(p);
    result = result == AM_OK ? parse_unary(p, type) : result;
    p->nesting--;
    if (result != AM_OK) {
        return result;
    }
    if (*type != AMI_EXPR_NUMBER && *type != AMI_EXPR_VECTOR) {
        return ami_expr_fail(p, at, AM_ERR_TYPE, "'-' needs a number or a vector, not %s", ami_expr_type_name(*type));
    }
    return ami_expr_emit_code(p, *type == AMI_EXPR_NUMBER ? AMI_EXPR_OP_NEGATE_N : AMI_EXPR_OP_NEGATE_V, 1);
}

static am_result emit_combination(ami_expr_reader *p, const char *mark, size_t at, ami_expr_type *left,
                                  ami_expr_type right)
{
    int code = ami_expr_combine(mark, *left, right, left);
    if (code >= 0) {
        am_result result = ami_expr_emit_code(p, (ami_expr_op_code)code, 2);
        return result == AM_OK && mark[0] == '!' ? ami_expr_emit_code(p, AMI_EXPR_OP_NOT, 1) : result;
    }
    return ami_expr_fail(p, at, AM_ERR_TYPE, "'%s' does not go between %s and %s", mark, ami_expr_type_name(*left),
                         ami_expr_type_name(right));
}

/// Which of marks(count) comes next; NULL for none.
static const char *take_operator(ami_expr_reader *p, const char *const *marks, int count)
{
    ami_expr_peek(p);
    for (int i = 0; i < count; i++) {
        if (strncmp(p->text + p->at, marks[i], strlen(marks[i])) == 0) {
            p->at += strlen(marks[i]);
            return marks[i];
        }
    }
    return NULL;
}

typedef am_result (*parse_fn)(ami_expr_reader *p, ami_expr_type *type);

/// next (mark next)*, from the left.
static am_result parse_chain(ami_expr_reader *p, ami_expr_type *type, parse_fn next, const char *const *marks,
                             int count)
{
    am_result result = next(p, type);
    while (result == AM_OK) {
        ami_expr_peek(p);
        size_t at = p->at;
        const char *mark = take_operator(p, marks, count);
        if (!mark) {
            break;
        }
        ami_expr_type right;
        result = next(p, &right);
        result = result == AM_OK ? emit_combination(p, mark, at, type, right) : result;
    }
    return result;
}

static am_result parse_product(ami_expr_reader *p, ami_expr_type *type)
{
    static const char *const marks[] = { "*", "/" };
    return parse_chain(p, type, parse_unary, marks, 2);
}

static am_result parse_sum(ami_expr_reader *p, ami_expr_type *type)
{
    static const char *const marks[] = { "+", "-" };
    return parse_chain(p, type, parse_product, marks, 2);
}

static am_result parse_compare(ami_expr_reader *p, ami_expr_type *type)
{
    static const char *const marks[] = { "<=", ">=", "==", "!=", "<", ">" };
    am_result result = parse_chain(p, type, parse_sum, marks, 6);
    if (result == AM_OK && ami_expr_peek(p) == '=') {
        return ami_expr_fail(p, p->at, AM_ERR_SYNTAX, "write '==' to compare");
    }
    return result;
}

static am_result need_bool(const ami_expr_reader *p, size_t at, const char *text, ami_expr_type type)
{
    return type == AMI_EXPR_BOOL
               ? AM_OK
               : ami_expr_fail(p, at, AM_ERR_TYPE, "'%s' needs truth values, not %s", text, ami_expr_type_name(type));
}

static am_result parse_not(ami_expr_reader *p, ami_expr_type *type)
{
    ami_expr_peek(p);
    size_t at = p->at;
    if (!ami_expr_take_word(p, "not")) {
        return parse_compare(p, type);
    }
    am_result result = enter(p);
    result = result == AM_OK ? parse_not(p, type) : result;
    p->nesting--;
    result = result == AM_OK ? need_bool(p, at, "not", *type) : result;
    return result == AM_OK ? ami_expr_emit_code(p, AMI_EXPR_OP_NOT, 1) : result;
}

static am_result parse_logic(ami_expr_reader *p, ami_expr_type *type, parse_fn next, const char *text,
                             ami_expr_op_code code)
{
    am_result result = next(p, type);
    while (result == AM_OK) {
        ami_expr_peek(p);
        size_t at = p->at;
        if (!ami_expr_take_word(p, text)) {
            break;
        }
        ami_expr_type right;
        result = need_bool(p, at, text, *type);
        result = result == AM_OK ? next(p, &right) : result;
        result = result == AM_OK ? need_bool(p, at, text, right) : result;
        result = result == AM_OK ? ami_expr_emit_code(p, code, 2) : result;
    }
    return result;
}

static am_result parse_and(ami_expr_reader *p, ami_expr_type *type)
{
    return parse_logic(p, type, parse_not, "and", AMI_EXPR_OP_AND);
}

am_result ami_expr_parse(ami_expr_reader *p, ami_expr_type *type)
{
    am_result result = enter(p);
    result = result == AM_OK ? parse_logic(p, type, parse_and, "or", AMI_EXPR_OP_OR) : result;
    p->nesting--;
    return result;
}

// ---------------------------------------------------------------------------------------------

static ami_expr *place(const ami_expr_reader *p, ami_layout *layout)
{
    ami_expr *expr = ami_layout_take(layout, 1, sizeof *expr);
    ami_expr_op *ops = ami_layout_take(layout, (size_t)p->op_count, sizeof *ops);
    ami_expr_value *values = ami_layout_take(layout, (size_t)p->value_count, sizeof *values);
    if (expr) {
        memcpy(ops, p->ops, (size_t)p->op_count * sizeof *ops);
        memcpy(values, p->values, (size_t)p->value_count * sizeof *values);
        expr->op_count = p->op_count;
        expr->value_count = p->value_count;
        expr->most_values = p->most_depth;
        expr->ops = ops;
        expr->values = values;
        expr->draws = p->draws;
    }
    return expr;
}

static am_result publish(ami_expr **out, const ami_expr_reader *p, ami_expr_type type, const am_alloc *alloc,
                         am_error *err)
{
    ami_layout measured = { 0 };
    place(p, &measured);
    am_alloc own = ami_alloc_or_default(alloc);
    ami_layout layout = ami_layout_room(&measured, &own);
    if (!layout.base) {
        return ami_fail_memory(err, measured.size);
    }
    ami_expr *expr = place(p, &layout);
    expr->alloc = own;
    expr->size = measured.size;
    expr->result = type;
    *out = expr;
    return AM_OK;
}

am_result ami_expr_compile(ami_expr **out, const char *text, const ami_expr_scope *scope, const am_alloc *alloc,
                           am_error *err)
{
    *out = NULL;
    if (strlen(text) > AMI_EXPR_TEXT) {
        return ami_fail(err, AM_ERR_LIMIT, "the expression '%.60s...' is longer than %d characters; split it", text,
                        AMI_EXPR_TEXT);
    }
    ami_expr_reader p = { .text = text, .scope = scope, .err = err };
    ami_expr_type type = AMI_EXPR_NUMBER;
    am_result result = ami_expr_parse(&p, &type);
    if (result == AM_OK && ami_expr_peek(&p)) {
        result = ami_expr_fail(&p, p.at, AM_ERR_SYNTAX, "an operator is missing before '%c'", p.text[p.at]);
    }
    return result == AM_OK ? publish(out, &p, type, alloc, err) : result;
}
