// Expressions and variables of rules.
#include "operators/fill_reader.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Errors

/// "target.facing", or "the schema".
static const char *path_of(const ami_fill_reader *r, int node, char out[AMI_FILL_PATH])
{
    ami_control_path(r->schema, node, out, AMI_FILL_PATH);
    if (!out[0]) {
        snprintf(out, AMI_FILL_PATH, "the schema");
    }
    return out;
}

am_result ami_fill_fail(const ami_fill_reader *r, const am_json *at, am_result code, int node, const char *format,
                        ...)
{
    char path[AMI_FILL_PATH], what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return am_json_fail(r->doc, at, code, r->err, "%.100s: %s", path_of(r, node, path), what);
}

// ---------------------------------------------------------------------------------------------
// Expressions

void *ami_fill_get(const ami_fill_reader *r, size_t count, size_t size)
{
    return ami_arena_get(&r->fill->arena, count * size + 1);
}

/// The text of an expression: a string, a number or a truth value.
static am_result text_of(const ami_fill_reader *r, const char **out, const am_json *json, int node)
{
    char number[40];
    const char *text = number;
    if (json->type == AM_JSON_STRING) {
        text = json->string;
    } else if (json->type == AM_JSON_NUMBER) {
        snprintf(number, sizeof number, "%.9g", json->number);
    } else if (json->type == AM_JSON_BOOL) {
        text = json->boolean ? "true" : "false";
    } else {
        return ami_fill_fail(r, json, AM_ERR_TYPE, node,
                             "an expression is expected here: a string such as \"now + 1\"");
    }
    char *copy = ami_arena_text(&r->fill->arena, text, strlen(text));
    *out = copy;
    return copy ? AM_OK : ami_fail_memory(r->err, strlen(text) + 1);
}

/// Compiles `json` for a part or a variable of `node`; `free` are the names that may stand alone.
static am_result compile(ami_fill_reader *r, ami_expr **out, const char **text, const am_json *json, int node,
                         const ami_expr_names *free)
{
    *text = "";
    am_result result = text_of(r, text, json, node);
    ami_fill_expr *item = result == AM_OK ? ami_fill_get(r, 1, sizeof *item) : NULL;
    if (!item) {
        return result == AM_OK ? ami_fail_memory(r->err, sizeof *item) : result;
    }
    ami_expr_scope scope = r->host->scope;
    scope.locals = r->locals;
    scope.local_types = r->local_types;
    scope.local_count = r->local_count;
    scope.free = free && free->count ? *free : r->names;
    am_error inner = { 0 };
    result = ami_expr_compile(&item->expr, *text, &scope, &r->fill->alloc, &inner);
    if (result == AM_ERR_MEMORY) {
        if (r->err) {
            *r->err = inner;
        }
        return result;
    }
    if (result != AM_OK) {
        return ami_fill_fail(r, json, result, node, "%s", inner.text);
    }
    item->next = r->fill->exprs;
    r->fill->exprs = item;
    *out = item->expr;
    return AM_OK;
}

/// The same where one type is wanted.
am_result ami_fill_compile_as(ami_fill_reader *r, ami_expr **out, const char **text, const am_json *json, int node,
                              ami_expr_type type, const ami_expr_names *free)
{
    am_result result = compile(r, out, text, json, node, free);
    if (result == AM_OK && ami_expr_result(*out) != type) {
        return ami_fill_fail(r, json, AM_ERR_TYPE, node, "%s is expected, but '%.120s' is %s",
                             ami_expr_type_name(type), *text, ami_expr_type_name(ami_expr_result(*out)));
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Variables

static bool is_known(const ami_fill_reader *r, const char *name)
{
    static const char *const words[] = { "and", "or", "not", "true", "false", "if", "has", "or_else" };
    for (int i = 0; i < r->local_count; i++) {
        if (strcmp(r->locals[i], name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    int count;
    const ami_expr_function *own = ami_expr_functions(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(own[i].name, name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < r->host->scope.function_count; i++) {
        if (strcmp(r->host->scope.functions[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_identifier(const char *name)
{
    bool good = name[0] && !(name[0] >= '0' && name[0] <= '9');
    for (const char *c = name; *c && good; c++) {
        good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    }
    return good;
}

am_result ami_fill_push(ami_fill_reader *r, const char *name, ami_expr_type type, const am_json *at, int node)
{
    if (!is_identifier(name)) {
        return ami_fill_fail(r, at, AM_ERR_KEY, node, "'%.40s' is no name for a variable; use letters, digits and _",
                             name);
    }
    if (is_known(r, name)) {
        return ami_fill_fail(r, at, AM_ERR_KEY, node, "'%.40s' already means something here; choose another name",
                             name);
    }
    if (r->local_count == AMI_EXPR_LOCALS) {
        return ami_fill_fail(r, at, AM_ERR_LIMIT, node, "more than %d variables at once", AMI_EXPR_LOCALS);
    }
    r->locals[r->local_count] = name;
    r->local_types[r->local_count++] = type;
    return AM_OK;
}

am_result ami_fill_variables(ami_fill_reader *r, ami_fill_rule *rule, const am_json *variables)
{
    if (variables->type != AM_JSON_OBJECT) {
        return ami_fill_fail(r, variables, AM_ERR_TYPE, rule->node,
                             "\"%s\" should be an object of variables and expressions", r->host->variables);
    }
    rule->first_local = r->local_count;
    rule->locals = ami_fill_get(r, (size_t)variables->count, sizeof *rule->locals);
    am_result result =
        rule->locals ? AM_OK : ami_fail_memory(r->err, (size_t)variables->count * sizeof *rule->locals);
    for (const am_json *item = variables->first; item && rule->locals && result == AM_OK; item = item->next) {
        ami_expr *expr = NULL;
        const char *text;
        result = compile(r, &expr, &text, item, rule->node, NULL);
        if (result == AM_OK) {
            result = ami_fill_push(r, item->key, ami_expr_result(expr), item, rule->node);
        }
        if (result == AM_OK) {
            rule->locals[rule->local_count++] = expr;
        }
    }
    return result;
}
