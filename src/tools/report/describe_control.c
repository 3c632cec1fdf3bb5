// Describes control schemas: their parts with sizes and parameters, as JSON or one after another.
#include <amble/tools/describe.h>

#include "operators/control.h"

#include <stdio.h>
#include <string.h>

typedef struct walk {
    const am_control_schema *schema;
    void (*visit)(void *user, const am_control_part *part);
    void *user;
} walk;

static void list_names(char *out, size_t size, const ami_control_node *n)
{
    size_t used = 0;
    for (int i = 0; i < n->name_count; i++) {
        char more[96];
        int length = snprintf(more, sizeof more, "%s%s", i ? ", " : "", n->names[i]);
        if (used + (size_t)length > 60) {
            snprintf(out + used, size - used, ", ... (%d)", n->name_count);
            return;
        }
        memcpy(out + used, more, (size_t)length + 1);
        used += (size_t)length;
    }
}

static const char *activation_of(const ami_control_node *n)
{
    return n->activation < 0 ? "no activation" : am_net_kind_name(n->activation);
}

/// The parameters of an operator in words.
static void detail_of(char *out, size_t size, const ami_control_node *n)
{
    out[0] = '\0';
    switch (n->kind) {
    case AMI_OP_NUMBER:
        if (n->scale != 1.0f) {
            snprintf(out, size, "scale %g", (double)n->scale);
        }
        break;
    case AMI_OP_INDEX:
        snprintf(out, size, "of %d", n->most);
        break;
    case AMI_OP_ONE_OF:
    case AMI_OP_SOME_OF:
        list_names(out, size, n);
        break;
    case AMI_OP_HEIGHT_MAP: {
        int used = snprintf(out, size, "%d x %d, channels", n->rows, n->columns);
        for (int i = 0; i < n->layers; i++) {
            used += snprintf(out + used, size - (size_t)used, " %d", n->channels[i]);
        }
        snprintf(out + used, size - (size_t)used, ", %s", activation_of(n));
        break;
    }
    case AMI_OP_ENCODE:
        snprintf(out, size, "%s", activation_of(n));
        break;
    case AMI_OP_AND:
        if (n->numbered) {
            snprintf(out, size, "%d times", n->count);
        }
        break;
    case AMI_OP_OR:
        snprintf(out, size, "width %d", n->width);
        break;
    case AMI_OP_SET:
        snprintf(out, size, "at most %d, %d heads, keys of %d, values of %d", n->most, n->heads, n->key, n->head);
        break;
    default:
        break;
    }
    if (ami_control_is_typed(n->kind) && !n->world) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%slocal", used ? ", " : "");
    }
}

static void walk_node(const walk *w, int node, int depth, bool repeated)
{
    const ami_control_node *n = &w->schema->nodes[node];
    const ami_control_node *above = n->parent >= 0 ? &w->schema->nodes[n->parent] : NULL;
    am_control_part part = { .operator_name = n->word, .depth = depth, .repeated = repeated };
    ami_control_path(w->schema, node, part.path, sizeof part.path);
    if (above && above->kind == AMI_OP_SET) {
        snprintf(part.label, sizeof part.label, "[*]");
    } else if (above && above->numbered) {
        snprintf(part.label, sizeof part.label, "[%d]", node - above->first);
    } else {
        snprintf(part.label, sizeof part.label, "%s", n->name);
    }
    detail_of(part.detail, sizeof part.detail, n);
    part.value = n->value_count;
    part.vector = n->vector_count;
    part.width = n->out;
    part.parameters = ami_control_parameters(w->schema, node);
    part.names = n->names;
    part.name_count = n->name_count;
    part.most = n->kind == AMI_OP_SET ? n->most : n->numbered ? n->count : 0;
    part.local = ami_control_is_typed(n->kind) && !n->world;
    w->visit(w->user, &part);
    for (int i = n->optional; i < n->count; i++) { // the absent side of an optional is no part
        walk_node(w, n->first + i, depth + 1, repeated || (n->numbered && i > 0));
    }
}

void am_control_schema_walk(const am_control_schema *schema, void (*visit)(void *user, const am_control_part *part),
                            void *user)
{
    const walk w = { schema, visit, user };
    walk_node(&w, 0, 0, false);
}

int64_t am_control_schema_parameters(const am_control_schema *schema)
{
    int64_t sum = 0;
    for (int i = 0; i < schema->node_count; i++) {
        sum += ami_control_parameters(schema, i);
    }
    return sum;
}

const char *am_control_schema_name(const am_control_schema *schema) { return schema->name; }

static void put_part(void *user, const am_control_part *part)
{
    am_json_writer *writer = user;
    am_json_begin_object(writer, NULL);
    am_json_string(writer, "path", part->path);
    am_json_string(writer, "operator", part->operator_name);
    am_json_string(writer, "detail", part->detail);
    am_json_integer(writer, "depth", part->depth);
    am_json_integer(writer, "value", part->value);
    am_json_integer(writer, "vector", part->vector);
    am_json_integer(writer, "width", part->width);
    am_json_integer(writer, "parameters", part->parameters);
    if (part->name_count > 0) {
        am_json_begin_array(writer, "names");
        for (int i = 0; i < part->name_count; i++) {
            am_json_string(writer, NULL, part->names[i]);
        }
        am_json_end_array(writer);
    }
    if (part->most > 0) {
        am_json_integer(writer, "most", part->most);
    }
    if (part->local) {
        am_json_bool(writer, "local", true);
    }
    am_json_end_object(writer);
}

void am_control_schema_describe(am_json_writer *writer, const am_control_schema *schema)
{
    am_json_string(writer, "kind", "control");
    am_json_string(writer, "name", schema->name);
    am_json_integer(writer, "value", schema->value_count);
    am_json_integer(writer, "vector", schema->vector_count);
    am_json_integer(writer, "width", schema->width);
    am_json_integer(writer, "parameters", am_control_schema_parameters(schema));
    am_json_hash(writer, "hash", schema->hash);
    am_json_begin_array(writer, "parts");
    am_control_schema_walk(schema, put_part, writer);
    am_json_end_array(writer);
}

int am_control_schema_check(const char *text, size_t size, const char *file,
                            void (*report)(void *user, const am_error *err), void *user)
{
    return ami_control_schema_check(text, size, file, NULL, report, user);
}
