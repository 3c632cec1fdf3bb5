// Tokens of expressions, messages about them, and the program that grows.
#include "operators/expr_reader.h"

#include <amble/tools/json.h>

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const char *const type_names[AMI_EXPR_TYPES] = { "nothing",  "a truth value", "a number",
                                                        "a vector", "a rotation",    "a name" };

const char *ami_expr_type_name(ami_expr_type type)
{
    return (unsigned)type < AMI_EXPR_TYPES ? type_names[type] : "any value";
}

// ---------------------------------------------------------------------------------------------
// Errors

am_result ami_expr_fail(const ami_expr_reader *p, size_t at, am_result code, const char *format, ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ami_fail_line(p->err, code, NULL, 0, (int64_t)at + 1, "'%.*s%s': at character %d: %s", 120, p->text,
                         strlen(p->text) > 120 ? "..." : "", (int)at + 1, what);
}

am_result ami_expr_fail_unknown(const ami_expr_reader *p, const ami_expr_word *w, const char *what,
                                const char *const *names, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(w->size < 60 ? w->size : 60), w->text);
    const char *near = am_nearest_name(text, names, count);
    return ami_expr_fail(p, w->at, AM_ERR_KEY, "%s is called '%s'%s%s%s", what, text, near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
}

// ---------------------------------------------------------------------------------------------
// Words and marks

char ami_expr_peek(ami_expr_reader *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' || p->text[p->at] == '\r') {
        p->at++;
    }
    return p->text[p->at];
}

ami_expr_word ami_expr_peek_word(ami_expr_reader *p)
{
    bool letter = ami_expr_is_letter(ami_expr_peek(p));
    ami_expr_word w = { p->text + p->at, p->at, 0 };
    if (letter) {
        while (ami_expr_is_letter(w.text[w.size]) || ami_expr_is_digit(w.text[w.size])) {
            w.size++;
        }
    }
    return w;
}

bool ami_expr_is_word(const ami_expr_word *w, const char *text)
{
    return strlen(text) == w->size && memcmp(w->text, text, w->size) == 0;
}

bool ami_expr_take_word(ami_expr_reader *p, const char *text)
{
    ami_expr_word w = ami_expr_peek_word(p);
    if (w.size == 0 || !ami_expr_is_word(&w, text)) {
        return false;
    }
    p->at += w.size;
    return true;
}

bool ami_expr_take_mark(ami_expr_reader *p, char mark)
{
    if (ami_expr_peek(p) != mark) {
        return false;
    }
    p->at++;
    return true;
}

am_result ami_expr_take_quoted(ami_expr_reader *p, ami_expr_word *out, bool *found)
{
    char mark = ami_expr_peek(p);
    *found = mark == '\'' || mark == '"';
    if (!*found) {
        return AM_OK;
    }
    out->at = p->at;
    out->text = p->text + p->at + 1;
    const char *end = strchr(out->text, mark);
    if (!end) {
        return ami_expr_fail(p, p->at, AM_ERR_SYNTAX, "the closing %c is missing", mark);
    }
    out->size = (size_t)(end - out->text);
    p->at += out->size + 2;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Code

am_result ami_expr_emit(ami_expr_reader *p, ami_expr_op op, int pops)
{
    if (p->op_count == AMI_EXPR_OPS) {
        return ami_expr_fail(p, p->at, AM_ERR_LIMIT, "the expression has more than %d operations; split it",
                             AMI_EXPR_OPS);
    }
    p->depth += 1 - pops;
    if (p->depth > AMI_EXPR_STACK) {
        return ami_expr_fail(p, p->at, AM_ERR_LIMIT, "more than %d values at once; split it", AMI_EXPR_STACK);
    }
    p->most_depth = p->depth > p->most_depth ? p->depth : p->most_depth;
    p->ops[p->op_count++] = op;
    return AM_OK;
}

am_result ami_expr_emit_code(ami_expr_reader *p, ami_expr_op_code code, int pops)
{
    return ami_expr_emit(p, (ami_expr_op){ .code = (uint8_t)code }, pops);
}

am_result ami_expr_emit_value(ami_expr_reader *p, ami_expr_value value)
{
    if (p->value_count == AMI_EXPR_VALUES) {
        return ami_expr_fail(p, p->at, AM_ERR_LIMIT, "more than %d numbers and names; split it", AMI_EXPR_VALUES);
    }
    p->values[p->value_count] = value;
    ami_expr_op op = { .code = AMI_EXPR_OP_CONSTANT, .at = (uint16_t)p->value_count++ };
    return ami_expr_emit(p, op, 0);
}
