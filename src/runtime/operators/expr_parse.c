// Compiles expressions to postfix by recursive descent; every node's type is known while it is read.
//
//   or := and ("or" and)*         and := not ("and" not)*            not := "not" not | compare
//   compare := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*     sum := product (("+" | "-") product)*
//   product := unary (("*" | "/") unary)*      unary := "-" unary | part      part := item ("." ("x" | "y" | "z"))*
//   item := NUMBER | 'NAME' | "NAME" | WORD | WORD "(" [or ("," or)*] ")" | "(" or ")"
#include <amble/tools/json.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "operators/expr_program.h"

#include <stdio.h>

#define MAX_VALUES 64
#define MAX_WORDS 128 // offered as the nearest name

typedef struct parser {
    const char *text;
    size_t at;
    const ami_expr_scope *scope;
    am_error *err;
    int nesting;
    int depth, most_depth; ///< of the stack at run time
    int op_count, value_count;
    bool draws;
    ami_expr_op ops[AMI_EXPR_OPS];
    ami_expr_value values[MAX_VALUES];
} parser;

typedef struct word {
    const char *text;
    size_t at, size;
} word;

static const char *const type_names[AMI_EXPR_TYPES] = { "nothing",  "a truth value", "a number",
                                                        "a vector", "a rotation",    "a name" };

const char *ami_expr_type_name(ami_expr_type type)
{
    return (unsigned)type < AMI_EXPR_TYPES ? type_names[type] : "any value";
}

// ---------------------------------------------------------------------------------------------
// Errors

static am_result fail_at(const parser *p, size_t at, am_result code, const char *format, ...) AM_PRINTF(4, 5);
static am_result fail_at(const parser *p, size_t at, am_result code, const char *format, ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ami_fail_line(p->err, code, NULL, 0, (int64_t)at + 1, "'%.*s%s': at character %d: %s", 120, p->text,
                         strlen(p->text) > 120 ? "..." : "", (int)at + 1, what);
}

/// "nothing is called 'psition' here; did you mean 'position'?"
static am_result fail_unknown(const parser *p, const word *w, const char *what, const char *const *names, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(w->size < 60 ? w->size : 60), w->text);
    const char *near = am_nearest_name(text, names, count);
    return fail_at(p, w->at, AM_ERR_KEY, "%s is called '%s'%s%s%s", what, text, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

// ---------------------------------------------------------------------------------------------
// Words and marks

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char peek(parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' || p->text[p->at] == '\r') {
        p->at++;
    }
    return p->text[p->at];
}

static word peek_word(parser *p)
{
    bool letter = is_letter(peek(p));
    word w = { p->text + p->at, p->at, 0 };
    if (letter) {
        while (is_letter(w.text[w.size]) || is_digit(w.text[w.size])) {
            w.size++;
        }
    }
    return w;
}

static bool is_word(const word *w, const char *text)
{
    return strlen(text) == w->size && memcmp(w->text, text, w->size) == 0;
}

static bool take_word(parser *p, const char *text)
{
    word w = peek_word(p);
    if (w.size == 0 || !is_word(&w, text)) {
        return false;
    }
    p->at += w.size;
    return true;
}

static bool take_mark(parser *p, char mark)
{
    if (peek(p) != mark) {
        return false;
    }
    p->at++;
    return true;
}

/// 'text' or "text"; size 0 with at == p->at when there is none.
static am_result take_quoted(parser *p, word *out, bool *found)
{
    char mark = peek(p);
    *found = mark == '\'' || mark == '"';
    if (!*found) {
        return AM_OK;
    }
    out->at = p->at;
    out->text = p->text + p->at + 1;
    const char *end = strchr(out->text, mark);
    if (!end) {
        return fail_at(p, p->at, AM_ERR_SYNTAX, "the closing %c is missing", mark);
    }
    out->size = (size_t)(end - out->text);
    p->at += out->size + 2;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Code

static am_result emit(parser *p, ami_expr_op op, int pops)
{
    if (p->op_count == AMI_EXPR_OPS) {
        return fail_at(p, p->at, AM_ERR_LIMIT, "the expression has more than %d operations; split it", AMI_EXPR_OPS);
    }
    p->depth += 1 - pops;
    if (p->depth > AMI_EXPR_STACK) {
        return fail_at(p, p->at, AM_ERR_LIMIT, "more than %d values at once; split it", AMI_EXPR_STACK);
    }
    p->most_depth = p->depth > p->most_depth ? p->depth : p->most_depth;
    p->ops[p->op_count++] = op;
    return AM_OK;
}

static am_result emit_code(parser *p, ami_expr_op_code code, int pops)
{
    return emit(p, (ami_expr_op){ .code = (uint8_t)code }, pops);
}

static am_result emit_value(parser *p, ami_expr_value value)
{
    if (p->value_count == MAX_VALUES) {
        return fail_at(p, p->at, AM_ERR_LIMIT, "more than %d numbers and names; split it", MAX_VALUES);
    }
    p->values[p->value_count] = value;
    ami_expr_op op = { .code = AMI_EXPR_OP_CONSTANT, .at = (uint16_t)p->value_count++ };
    return emit(p, op, 0);
}

static am_result parse_or(parser *p, ami_expr_type *type);

// ---------------------------------------------------------------------------------------------
// Names

static bool emit_name(parser *p, const ami_expr_names *list, const word *w, am_result *result)
{
    for (int i = 0; i < list->count; i++) {
        if (is_word(w, list->names[i])) {
            ami_expr_value value = { .type = AMI_EXPR_NAME, .number = { (float)i }, .name = list->names[i] };
            *result = emit_value(p, value);
            return true;
        }
    }
    return false;
}

static const ami_expr_names *find_list(const ami_expr_scope *scope, const char *what)
{
    for (int i = 0; i < scope->list_count; i++) {
        if (strcmp(scope->lists[i].what, what) == 0) {
            return &scope->lists[i];
        }
    }
    return NULL;
}

/// A name that a function takes from a list: bare or in quotes.
static am_result parse_listed(parser *p, const ami_expr_function *function)
{
    static const ami_expr_names none = { "name", NULL, 0 };
    const ami_expr_names *list = find_list(p->scope, function->names);
    list = list ? list : &none;
    word w = { p->text, p->at, 0 };
    bool quoted;
    am_result result = take_quoted(p, &w, &quoted);
    if (result == AM_OK && !quoted) {
        w = peek_word(p);
        p->at += w.size;
    }
    if (result != AM_OK) {
        return result;
    }
    if (w.size == 0) {
        return fail_at(p, w.at, AM_ERR_TYPE, "%s takes the name of a %s here", function->name, function->names);
    }
    if (!emit_name(p, list, &w, &result)) {
        char what[64];
        snprintf(what, sizeof what, "no %s", function->names);
        return fail_unknown(p, &w, what, list->names, list->count);
    }
    return result;
}

/// A name in quotes that stands alone: one of the part that is set, or of any list.
static am_result parse_free(parser *p, const word *w)
{
    const ami_expr_scope *scope = p->scope;
    am_result result = AM_OK;
    if (emit_name(p, &scope->free, w, &result)) {
        return result;
    }
    for (int i = 0; i < scope->list_count; i++) {
        if (emit_name(p, &scope->lists[i], w, &result)) {
            return result;
        }
    }
    return fail_unknown(p, w, scope->free.count ? "no name" : "nothing", scope->free.names, scope->free.count);
}

// ---------------------------------------------------------------------------------------------
// Calls

static am_result parse_argument(parser *p, const ami_expr_function *function, int i, ami_expr_type *any)
{
    int last = (int)(sizeof function->arguments / sizeof *function->arguments) - 1;
    int row = i < last ? i : last;
    while (row > 0 && function->arguments[row] == AMI_EXPR_LIKE_LAST) {
        row--;
    }
    ami_expr_type wanted = function->arguments[row];
    if (wanted == AMI_EXPR_NAME && function->names) {
        return parse_listed(p, function);
    }
    peek(p);
    size_t at = p->at;
    ami_expr_type type;
    am_result result = parse_or(p, &type);
    if (result != AM_OK) {
        return result;
    }
    if (wanted == AMI_EXPR_ANY) {
        *any = *any == AMI_EXPR_ANY ? type : *any;
        wanted = *any;
    }
    return type == wanted ? AM_OK
                          : fail_at(p, at, AM_ERR_TYPE, "argument %d of %s should be %s, not %s", i + 1,
                                    function->name, ami_expr_type_name(wanted), ami_expr_type_name(type));
}

static am_result fail_arguments(const parser *p, size_t at, const ami_expr_function *function)
{
    char count[32];
    if (function->least == function->most) {
        snprintf(count, sizeof count, "%d", function->least);
    } else {
        snprintf(count, sizeof count, "%d to %d", function->least, function->most);
    }
    return fail_at(p, at, AM_ERR_TYPE, "%s takes %s argument%s: %s", function->name, count,
                   function->most == 1 ? "" : "s", function->help);
}

static am_result parse_call(parser *p, const ami_expr_function *function, const word *name, ami_expr_type *type)
{
    if (function->draws && p->scope->fixed) {
        return fail_at(p, name->at, AM_ERR_TYPE, "%s draws, which is not possible here", function->name);
    }
    p->draws |= function->draws;
    ami_expr_type any = AMI_EXPR_ANY;
    int count = 0;
    am_result result = AM_OK;
    if (take_mark(p, '(') && !take_mark(p, ')')) {
        do {
            result = count == function->most ? fail_arguments(p, name->at, function)
                                             : parse_argument(p, function, count++, &any);
        } while (result == AM_OK && take_mark(p, ','));
        if (result == AM_OK && !take_mark(p, ')')) {
            result = fail_at(p, p->at, AM_ERR_SYNTAX, "a ',' or the ')' of %s is missing", function->name);
        }
    }
    if (result == AM_OK && count < function->least) {
        result = fail_arguments(p, name->at, function);
    }
    *type = function->result == AMI_EXPR_ANY ? any : function->result;
    ami_expr_op op = { function->call, (uint16_t)*type, AMI_EXPR_OP_CALL, (uint8_t)count };
    return result == AM_OK ? emit(p, op, count) : result;
}

static void call_nothing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    out->missing = true;
}

/// if, has and or_else look like calls but take what is missing.
static am_result parse_special(parser *p, ami_expr_op_code code, const word *name, ami_expr_type *type)
{
    static const ami_expr_function rows[] = {
        { "if",
          AMI_EXPR_ANY,
          3,
          3,
          { AMI_EXPR_BOOL, AMI_EXPR_ANY, AMI_EXPR_ANY },
          "if(condition, value, otherwise), both of one type",
          call_nothing,
          NULL,
          false },
        { "has",
          AMI_EXPR_BOOL,
          1,
          1,
          { AMI_EXPR_ANY },
          "has(value): whether it is there",
          call_nothing,
          NULL,
          false },
        { "or_else",
          AMI_EXPR_ANY,
          2,
          2,
          { AMI_EXPR_ANY, AMI_EXPR_ANY },
          "or_else(value, otherwise), both of one type",
          call_nothing,
          NULL,
          false },
    };
    am_result result = parse_call(p, &rows[code - AMI_EXPR_OP_IF], name, type);
    if (result == AM_OK) {
        p->ops[p->op_count - 1] = (ami_expr_op){ .code = (uint8_t)code };
    }
    return result;
}

static const char *const special[] = { "if", "has", "or_else" }; // in the order of their codes
enum { special_count = 3 };

static const ami_expr_function *find_function(const ami_expr_function *functions, int count, const word *w)
{
    for (int i = 0; i < count; i++) {
        if (is_word(w, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

static am_result fail_word(const parser *p, const word *w, bool called)
{
    static const char *const others[] = { "true", "false", "not" };
    const char *known[MAX_WORDS];
    int count = 0, own_count = 0;
    const ami_expr_scope *scope = p->scope;
    const ami_expr_function *own = ami_expr_functions(&own_count);
    for (int i = 0; i < scope->local_count && count < MAX_WORDS; i++) {
        known[count++] = scope->locals[i];
    }
    for (int i = 0; i < scope->function_count && count < MAX_WORDS; i++) {
        known[count++] = scope->functions[i].name;
    }
    for (int i = 0; i < own_count && count < MAX_WORDS; i++) {
        known[count++] = own[i].name;
    }
    for (int i = 0; i < special_count && count < MAX_WORDS; i++) {
        known[count++] = special[i];
    }
    for (int i = 0; i < 3 && count < MAX_WORDS; i++) {
        known[count++] = others[i];
    }
    return fail_unknown(p, w, called ? "no function" : "nothing here", known, count);
}

static am_result parse_word(parser *p, ami_expr_type *type)
{
    word w = peek_word(p);
    const ami_expr_scope *scope = p->scope;
    p->at += w.size;
    for (int i = 0; i < scope->local_count; i++) {
        if (is_word(&w, scope->locals[i])) {
            *type = scope->local_types[i];
            return emit(p, (ami_expr_op){ .code = AMI_EXPR_OP_LOCAL, .at = (uint16_t)i }, 0);
        }
    }
    if (is_word(&w, "true") || is_word(&w, "false")) {
        *type = AMI_EXPR_BOOL;
        return emit_value(p,
                          (ami_expr_value){ .type = AMI_EXPR_BOOL, .number = { is_word(&w, "true") ? 1.0f : 0.0f } });
    }
    if (is_word(&w, "and") || is_word(&w, "or")) {
        return fail_at(p, w.at, AM_ERR_SYNTAX, "a value is missing before '%.*s'", (int)w.size, w.text);
    }
    for (int i = 0; i < special_count; i++) {
        if (is_word(&w, special[i])) {
            return parse_special(p, (ami_expr_op_code)(AMI_EXPR_OP_IF + i), &w, type);
        }
    }
    int own_count;
    const ami_expr_function *own = ami_expr_functions(&own_count);
    const ami_expr_function *function = find_function(scope->functions, scope->function_count, &w);
    function = function ? function : find_function(own, own_count, &w);
    return function ? parse_call(p, function, &w, type) : fail_word(p, &w, peek(p) == '(');
}

// ---------------------------------------------------------------------------------------------
// Operators

static am_result parse_number(parser *p, ami_expr_type *type)
{
    const char *at = p->text + p->at;
    double number = 0.0;
    if (!ami_parse_number(&at, p->text + strlen(p->text), &number) || !isfinite((float)number)) {
        return fail_at(p, p->at, AM_ERR_NUMBER, "the number is malformed or too large");
    }
    p->at = (size_t)(at - p->text);
    if (is_letter(*at)) {
        return fail_at(p, p->at, AM_ERR_SYNTAX, "an operator is missing after the number");
    }
    *type = AMI_EXPR_NUMBER;
    return emit_value(p, (ami_expr_value){ .type = AMI_EXPR_NUMBER, .number = { (float)number } });
}

static am_result parse_item(parser *p, ami_expr_type *type)
{
    char mark = peek(p);
    if (is_letter(mark)) {
        return parse_word(p, type);
    }
    if (is_digit(mark) || mark == '.') {
        return parse_number(p, type);
    }
    word w = { p->text, p->at, 0 };
    bool quoted;
    am_result result = take_quoted(p, &w, &quoted);
    if (result != AM_OK || quoted) {
        *type = AMI_EXPR_NAME;
        return result == AM_OK ? parse_free(p, &w) : result;
    }
    if (!take_mark(p, '(')) {
        return fail_at(p, p->at, AM_ERR_SYNTAX,
                       mark ? "a value is expected before '%c'" : "it ends where a value is expected", mark);
    }
    result = parse_or(p, type);
    return result == AM_OK && !take_mark(p, ')') ? fail_at(p, p->at, AM_ERR_SYNTAX, "a ')' is missing") : result;
}

static am_result parse_part(parser *p, ami_expr_type *type)
{
    am_result result = parse_item(p, type);
    while (result == AM_OK && peek(p) == '.') {
        size_t at = p->at++;
        word w = peek_word(p);
        if (w.size != 1 || w.at != at + 1 || w.text[0] < 'x' || w.text[0] > 'z') {
            return fail_at(p, at, AM_ERR_SYNTAX, "after '.' write x, y or z");
        }
        if (*type != AMI_EXPR_VECTOR) {
            return fail_at(p, at, AM_ERR_TYPE, "'.%c' is of vectors, not of %s", w.text[0],
                           ami_expr_type_name(*type));
        }
        p->at += 1;
        *type = AMI_EXPR_NUMBER;
        ami_expr_op op = { .code = AMI_EXPR_OP_PART, .at = (uint16_t)(w.text[0] - 'x') };
        result = emit(p, op, 1);
    }
    return result;
}

/// Deeper by one level; the level ends with p->nesting--.
static am_result enter(parser *p)
{
    return ++p->nesting > AMI_EXPR_DEPTH ? fail_at(p, p->at, AM_ERR_LIMIT, "nested deeper than %d", AMI_EXPR_DEPTH)
                                         : AM_OK;
}

static am_result parse_unary(parser *p, ami_expr_type *type)
{
    peek(p);
    size_t at = p->at;
    if (!take_mark(p, '-')) {
        return parse_part(p, type);
    }
    am_result result = enter(p);
    result = result == AM_OK ? parse_unary(p, type) : result;
    p->nesting--;
    if (result != AM_OK) {
        return result;
    }
    if (*type != AMI_EXPR_NUMBER && *type != AMI_EXPR_VECTOR) {
        return fail_at(p, at, AM_ERR_TYPE, "'-' needs a number or a vector, not %s", ami_expr_type_name(*type));
    }
    return emit_code(p, *type == AMI_EXPR_NUMBER ? AMI_EXPR_OP_NEGATE_N : AMI_EXPR_OP_NEGATE_V, 1);
}

static am_result emit_combination(parser *p, const char *mark, size_t at, ami_expr_type *left, ami_expr_type right)
{
    int code = ami_expr_combine(mark, *left, right, left);
    if (code >= 0) {
        am_result result = emit_code(p, (ami_expr_op_code)code, 2);
        return result == AM_OK && mark[0] == '!' ? emit_code(p, AMI_EXPR_OP_NOT, 1) : result;
    }
    return fail_at(p, at, AM_ERR_TYPE, "'%s' does not go between %s and %s", mark, ami_expr_type_name(*left),
                   ami_expr_type_name(right));
}

/// Which of marks(count) comes next; NULL for none.
static const char *take_operator(parser *p, const char *const *marks, int count)
{
    peek(p);
    for (int i = 0; i < count; i++) {
        if (strncmp(p->text + p->at, marks[i], strlen(marks[i])) == 0) {
            p->at += strlen(marks[i]);
            return marks[i];
        }
    }
    return NULL;
}

typedef am_result (*parse_fn)(parser *p, ami_expr_type *type);

/// next (mark next)*, from the left.
static am_result parse_chain(parser *p, ami_expr_type *type, parse_fn next, const char *const *marks, int count)
{
    am_result result = next(p, type);
    while (result == AM_OK) {
        peek(p);
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

static am_result parse_product(parser *p, ami_expr_type *type)
{
    static const char *const marks[] = { "*", "/" };
    return parse_chain(p, type, parse_unary, marks, 2);
}

static am_result parse_sum(parser *p, ami_expr_type *type)
{
    static const char *const marks[] = { "+", "-" };
    return parse_chain(p, type, parse_product, marks, 2);
}

static am_result parse_compare(parser *p, ami_expr_type *type)
{
    static const char *const marks[] = { "<=", ">=", "==", "!=", "<", ">" };
    am_result result = parse_chain(p, type, parse_sum, marks, 6);
    if (result == AM_OK && peek(p) == '=') {
        return fail_at(p, p->at, AM_ERR_SYNTAX, "write '==' to compare");
    }
    return result;
}

static am_result need_bool(const parser *p, size_t at, const char *text, ami_expr_type type)
{
    return type == AMI_EXPR_BOOL
               ? AM_OK
               : fail_at(p, at, AM_ERR_TYPE, "'%s' needs truth values, not %s", text, ami_expr_type_name(type));
}

static am_result parse_not(parser *p, ami_expr_type *type)
{
    peek(p);
    size_t at = p->at;
    if (!take_word(p, "not")) {
        return parse_compare(p, type);
    }
    am_result result = enter(p);
    result = result == AM_OK ? parse_not(p, type) : result;
    p->nesting--;
    result = result == AM_OK ? need_bool(p, at, "not", *type) : result;
    return result == AM_OK ? emit_code(p, AMI_EXPR_OP_NOT, 1) : result;
}

static am_result parse_logic(parser *p, ami_expr_type *type, parse_fn next, const char *text, ami_expr_op_code code)
{
    am_result result = next(p, type);
    while (result == AM_OK) {
        peek(p);
        size_t at = p->at;
        if (!take_word(p, text)) {
            break;
        }
        ami_expr_type right;
        result = need_bool(p, at, text, *type);
        result = result == AM_OK ? next(p, &right) : result;
        result = result == AM_OK ? need_bool(p, at, text, right) : result;
        result = result == AM_OK ? emit_code(p, code, 2) : result;
    }
    return result;
}

static am_result parse_and(parser *p, ami_expr_type *type)
{
    return parse_logic(p, type, parse_not, "and", AMI_EXPR_OP_AND);
}

static am_result parse_or(parser *p, ami_expr_type *type)
{
    am_result result = enter(p);
    result = result == AM_OK ? parse_logic(p, type, parse_and, "or", AMI_EXPR_OP_OR) : result;
    p->nesting--;
    return result;
}

// ---------------------------------------------------------------------------------------------

static ami_expr *place(const parser *p, ami_layout *layout)
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

static am_result publish(ami_expr **out, const parser *p, ami_expr_type type, const am_alloc *alloc, am_error *err)
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
    parser p = { .text = text, .scope = scope, .err = err };
    ami_expr_type type = AMI_EXPR_NUMBER;
    am_result result = parse_or(&p, &type);
    if (result == AM_OK && peek(&p)) {
        result = fail_at(&p, p.at, AM_ERR_SYNTAX, "an operator is missing before '%c'", p.text[p.at]);
    }
    return result == AM_OK ? publish(out, &p, type, alloc, err) : result;
}
