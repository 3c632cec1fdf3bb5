// Names, variables and calls of functions in expressions.
#include "operators/expr_reader.h"

#include <stdio.h>
#include <string.h>

enum { most_words = 128 }; // offered as the nearest name

// ---------------------------------------------------------------------------------------------
// Names

static bool emit_name(ami_expr_reader *p, const ami_expr_names *list, const ami_expr_word *w, am_result *result)
{
    for (int i = 0; i < list->count; i++) {
        if (ami_expr_is_word(w, list->names[i])) {
            ami_expr_value value = { .type = AMI_EXPR_NAME, .number = { (float)i }, .name = list->names[i] };
            *result = ami_expr_emit_value(p, value);
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
static am_result parse_listed(ami_expr_reader *p, const ami_expr_function *function)
{
    static const ami_expr_names none = { "name", NULL, 0 };
    const ami_expr_names *list = find_list(p->scope, function->names);
    list = list ? list : &none;
    ami_expr_word w = { p->text, p->at, 0 };
    bool quoted;
    am_result result = ami_expr_take_quoted(p, &w, &quoted);
    if (result == AM_OK && !quoted) {
        w = ami_expr_peek_word(p);
        p->at += w.size;
    }
    if (result != AM_OK) {
        return result;
    }
    if (w.size == 0) {
        return ami_expr_fail(p, w.at, AM_ERR_TYPE, "%s takes the name of a %s here", function->name, function->names);
    }
    if (!emit_name(p, list, &w, &result)) {
        char what[64];
        snprintf(what, sizeof what, "no %s", function->names);
        return ami_expr_fail_unknown(p, &w, what, list->names, list->count);
    }
    return result;
}

am_result ami_expr_parse_free(ami_expr_reader *p, const ami_expr_word *w)
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
    return ami_expr_fail_unknown(p, w, scope->free.count ? "no name" : "nothing", scope->free.names,
                                 scope->free.count);
}

// ---------------------------------------------------------------------------------------------
// Calls

static am_result parse_argument(ami_expr_reader *p, const ami_expr_function *function, int i, ami_expr_type *any)
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
    ami_expr_peek(p);
    size_t at = p->at;
    ami_expr_type type;
    am_result result = ami_expr_parse(p, &type);
    if (result != AM_OK) {
        return result;
    }
    if (wanted == AMI_EXPR_ANY) {
        *any = *any == AMI_EXPR_ANY ? type : *any;
        wanted = *any;
    }
    return type == wanted ? AM_OK
                          : ami_expr_fail(p, at, AM_ERR_TYPE, "argument %d of %s should be %s, not %s", i + 1,
                                          function->name, ami_expr_type_name(wanted), ami_expr_type_name(type));
}

static am_result fail_arguments(const ami_expr_reader *p, size_t at, const ami_expr_function *function)
{
    char count[32];
    if (function->least == function->most) {
        snprintf(count, sizeof count, "%d", function->least);
    } else {
        snprintf(count, sizeof count, "%d to %d", function->least, function->most);
    }
    return ami_expr_fail(p, at, AM_ERR_TYPE, "%s takes %s argument%s: %s", function->name, count,
                         function->most == 1 ? "" : "s", function->help);
}

static am_result parse_call(ami_expr_reader *p, const ami_expr_function *function, const ami_expr_word *name,
                            ami_expr_type *type)
{
    if (function->draws && p->scope->fixed) {
        return ami_expr_fail(p, name->at, AM_ERR_TYPE, "%s draws, which is not possible here", function->name);
    }
    p->draws |= function->draws;
    ami_expr_type any = AMI_EXPR_ANY;
    int count = 0;
    am_result result = AM_OK;
    if (ami_expr_take_mark(p, '(') && !ami_expr_take_mark(p, ')')) {
        do {
            result = count == function->most ? fail_arguments(p, name->at, function)
                                             : parse_argument(p, function, count++, &any);
        } while (result == AM_OK && ami_expr_take_mark(p, ','));
        if (result == AM_OK && !ami_expr_take_mark(p, ')')) {
            result = ami_expr_fail(p, p->at, AM_ERR_SYNTAX, "a ',' or the ')' of %s is missing", function->name);
        }
    }
    if (result == AM_OK && count < function->least) {
        result = fail_arguments(p, name->at, function);
    }
    *type = function->result == AMI_EXPR_ANY ? any : function->result;
    ami_expr_op op = { function->call, (uint16_t)*type, AMI_EXPR_OP_CALL, (uint8_t)count };
    return result == AM_OK ? ami_expr_emit(p, op, count) : result;
}

static void call_nothing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)context;
    (void)a;
    (void)count;
    out->missing = true;
}

/// if, has and or_else look like calls but take what is missing.
static am_result parse_special(ami_expr_reader *p, ami_expr_op_code code, const ami_expr_word *name,
                               ami_expr_type *type)
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

static const ami_expr_function *find_function(const ami_expr_function *functions, int count, const ami_expr_word *w)
{
    for (int i = 0; i < count; i++) {
        if (ami_expr_is_word(w, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

static am_result fail_word(const ami_expr_reader *p, const ami_expr_word *w, bool called)
{
    static const char *const others[] = { "true", "false", "not" };
    const char *known[most_words];
    int count = 0, own_count = 0;
    const ami_expr_scope *scope = p->scope;
    const ami_expr_function *own = ami_expr_functions(&own_count);
    for (int i = 0; i < scope->local_count && count < most_words; i++) {
        known[count++] = scope->locals[i];
    }
    for (int i = 0; i < scope->function_count && count < most_words; i++) {
        known[count++] = scope->functions[i].name;
    }
    for (int i = 0; i < own_count && count < most_words; i++) {
        known[count++] = own[i].name;
    }
    for (int i = 0; i < special_count && count < most_words; i++) {
        known[count++] = special[i];
    }
    for (int i = 0; i < 3 && count < most_words; i++) {
        known[count++] = others[i];
    }
    return ami_expr_fail_unknown(p, w, called ? "no function" : "nothing here", known, count);
}

am_result ami_expr_parse_word(ami_expr_reader *p, ami_expr_type *type)
{
    ami_expr_word w = ami_expr_peek_word(p);
    const ami_expr_scope *scope = p->scope;
    p->at += w.size;
    for (int i = 0; i < scope->local_count; i++) {
        if (ami_expr_is_word(&w, scope->locals[i])) {
            *type = scope->local_types[i];
            return ami_expr_emit(p, (ami_expr_op){ .code = AMI_EXPR_OP_LOCAL, .at = (uint16_t)i }, 0);
        }
    }
    if (ami_expr_is_word(&w, "true") || ami_expr_is_word(&w, "false")) {
        *type = AMI_EXPR_BOOL;
        return ami_expr_emit_value(
            p, (ami_expr_value){ .type = AMI_EXPR_BOOL, .number = { ami_expr_is_word(&w, "true") ? 1.0f : 0.0f } });
    }
    if (ami_expr_is_word(&w, "and") || ami_expr_is_word(&w, "or")) {
        return ami_expr_fail(p, w.at, AM_ERR_SYNTAX, "a value is missing before '%.*s'", (int)w.size, w.text);
    }
    for (int i = 0; i < special_count; i++) {
        if (ami_expr_is_word(&w, special[i])) {
            return parse_special(p, (ami_expr_op_code)(AMI_EXPR_OP_IF + i), &w, type);
        }
    }
    int own_count;
    const ami_expr_function *own = ami_expr_functions(&own_count);
    const ami_expr_function *function = find_function(scope->functions, scope->function_count, &w);
    function = function ? function : find_function(own, own_count, &w);
    return function ? parse_call(p, function, &w, type) : fail_word(p, &w, ami_expr_peek(p) == '(');
}
