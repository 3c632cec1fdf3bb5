// What the readers of operators share: failing with a path, room for parts, parameters.
#include "operators/schema_read.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Failing

am_result ami_control_placed(const ami_control_reader *r, int node, am_result result)
{
    if (result != AM_OK && result != AM_ERR_MEMORY && r->err) {
        char path[160], text[sizeof r->err->text];
        ami_control_path(r->schema, node, path, sizeof path);
        snprintf(text, sizeof text, "%s: %.340s", path[0] ? path : "control", r->err->text);
        memcpy(r->err->text, text, sizeof text);
    }
    return result;
}

am_result ami_control_fail(const ami_control_reader *r, int node, const am_json *at, am_result code,
                           const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ami_control_placed(r, node, am_json_fail(r->doc, at, code, r->err, "%s", text));
}

am_result ami_control_tolerate(ami_control_reader *r, am_result result)
{
    if (result == AM_OK || result == AM_ERR_MEMORY || !r->report) {
        return result;
    }
    r->report(r->user, r->err);
    r->mistakes++;
    return AM_OK;
}

/// The same at a member's key.
am_result ami_control_fail_key(const ami_control_reader *r, int node, const am_json *member, const char *text)
{
    am_result result = ami_control_fail(r, node, member, AM_ERR_KEY, "%s", text);
    if (r->err) {
        r->err->line = member->key_line;
        r->err->column = member->key_column;
    }
    return result;
}

/// What stands there, for "got ...".
const char *ami_control_got(char *text, size_t size, const am_json *at)
{
    switch (at->type) {
    case AM_JSON_NULL:
        snprintf(text, size, "null; write \"null\" for the empty control");
        break;
    case AM_JSON_BOOL:
        snprintf(text, size, "%s", at->boolean ? "true" : "false");
        break;
    case AM_JSON_NUMBER:
        snprintf(text, size, "%.9g", at->number);
        break;
    case AM_JSON_STRING:
        snprintf(text, size, "\"%.60s\"", at->string);
        break;
    case AM_JSON_ARRAY:
        snprintf(text, size, "an array");
        break;
    case AM_JSON_OBJECT:
        snprintf(text, size, "an object");
        break;
    }
    return text;
}

// ---------------------------------------------------------------------------------------------
// Nodes and names

/// Room for the parts of a node, one behind another.
am_result ami_control_add_parts(ami_control_reader *r, int node, int count, const am_json *at)
{
    am_control_schema *s = r->schema;
    if (count > AMI_CONTROL_MOST_NODES - s->node_count) {
        return ami_control_fail(r, node, at, AM_ERR_LIMIT, "the schema has more than %d operators",
                                AMI_CONTROL_MOST_NODES);
    }
    s->nodes[node].first = s->node_count;
    s->nodes[node].count = count;
    for (int i = 0; i < count; i++) {
        s->nodes[s->node_count++] = (ami_control_node){
            .word = "null", .name = "", .parent = node, .activation = -1, .scale = 1.0f, .world = true
        };
    }
    return AM_OK;
}

am_result ami_control_keep_text(ami_control_reader *r, const char **out, const char *text)
{
    *out = ami_arena_text(r->arena, text, strlen(text));
    return *out ? AM_OK : ami_fail_memory(r->err, strlen(text) + 1);
}

// ---------------------------------------------------------------------------------------------
// Parameters

am_result ami_control_read_int(ami_control_reader *r, int node, const am_json *object, const char *key, bool required,
                               int *out, int lo, int hi)
{
    return ami_control_placed(r, node, am_json_read_int(r->doc, object, key, required, out, lo, hi, r->err));
}

am_result ami_control_read_activation(ami_control_reader *r, int node, const am_json *object)
{
    static const char *const names[] = { "none", "relu", "elu", "gelu", "tanh", "sigmoid" };
    static const int kinds[] = { -1, AM_NET_RELU, AM_NET_ELU, AM_NET_GELU, AM_NET_TANH, AM_NET_SIGMOID };
    int choice = 2;
    am_result result = ami_control_placed(
        r, node, am_json_read_choice(r->doc, object, "activation", false, &choice, names, 6, r->err));
    r->schema->nodes[node].activation = kinds[choice];
    return result;
}
