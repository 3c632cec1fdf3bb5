// Paths into a schema: "target.facing", "path[2].position", "path[*].position".
#include "operators/control.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// JSON nests 64 deep at most, and an operator adds three levels of nodes at most (a dictionary's set, item, part).
enum { most_depth = 256 };

void ami_control_path(const am_control_schema *schema, int node, char *out, size_t size)
{
    int chain[most_depth], depth = 0;
    for (; node >= 0 && depth < most_depth; node = schema->nodes[node].parent) {
        chain[depth++] = node;
    }
    size_t used = 0;
    out[0] = '\0';
    while (depth-- > 1) {
        const ami_control_node *above = &schema->nodes[chain[depth]], *n = &schema->nodes[chain[depth - 1]];
        char segment[AMI_CONTROL_NAME_SIZE + 16] = "";
        if (above->kind == AMI_OP_SET) {
            snprintf(segment, sizeof segment, "[*]");
        } else if (above->numbered) {
            snprintf(segment, sizeof segment, "[%d]", chain[depth - 1] - above->first);
        } else if (n->name[0]) {
            snprintf(segment, sizeof segment, "%s%s", used ? "." : "", n->name);
        }
        size_t length = strlen(segment);
        if (used + length < size) {
            memcpy(out + used, segment, length + 1);
            used += length;
        }
    }
}

/// The part that an optional or an encode is about; else -1.
static int through(const ami_control_node *n)
{
    return n->optional ? n->first + 1 : n->kind == AMI_OP_ENCODE ? n->first : -1;
}

int ami_control_inside(const am_control_schema *schema, int node)
{
    for (int next = node; next >= 0; next = through(&schema->nodes[node])) {
        node = next;
    }
    return node;
}

/// A path while it is followed.
typedef struct walk {
    const am_control_schema *schema;
    const char *path, *at; ///< the whole, and what is left
    int node;
    int shift; ///< from item 0 of the set that was passed to the one that the path names
    am_error *err;
} walk;

static int fail(const walk *w, am_result code, const char *text)
{
    ami_fail(w->err, code, "there is no \"%.80s\" in schema '%.40s': %s", w->path, w->schema->name, text);
    return -1;
}

/// "target" as far as it was followed, for messages.
static const char *so_far(const walk *w, char *out, size_t size)
{
    ami_control_path(w->schema, w->node, out, size);
    if (!out[0]) {
        snprintf(out, size, "the schema");
    }
    return out;
}

static int fail_name(const walk *w, const ami_control_node *n, const char *name)
{
    const char *names[AMI_CONTROL_MOST_NAMES];
    char place[80], text[300];
    int count = 0;
    bool named = (n->kind == AMI_OP_AND || n->kind == AMI_OP_OR) && !n->numbered;
    for (int i = 0; i < n->count && named && count < AMI_CONTROL_MOST_NAMES; i++) {
        names[count++] = w->schema->nodes[n->first + i].name;
    }
    so_far(w, place, sizeof place);
    const char *near = am_nearest_name(name, names, count);
    if (near) {
        snprintf(text, sizeof text, "did you mean \"%s\"?", near);
    } else if (count > 0) {
        size_t used = (size_t)snprintf(text, sizeof text, "%s has: ", place);
        for (int i = 0; i < count && used + AMI_CONTROL_NAME_SIZE + 2 < sizeof text; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", names[i]);
        }
    } else {
        snprintf(text, sizeof text, "%s is %s%s, which has no named parts", place,
                 strchr("aeiou", n->word[0]) ? "an " : "a ", n->word);
    }
    return fail(w, AM_ERR_KEY, text);
}

/// A segment "name".
static int step_name(walk *w)
{
    const ami_control_node *n = &w->schema->nodes[w->node];
    size_t length = strcspn(w->at, ".[");
    char name[AMI_CONTROL_NAME_SIZE] = "";
    bool fits = length > 0 && length < sizeof name;
    if (fits) {
        memcpy(name, w->at, length);
    }
    for (int i = 0; i < n->count && fits && !n->optional; i++) {
        if (strcmp(w->schema->nodes[n->first + i].name, name) == 0) {
            w->at += length;
            return n->first + i;
        }
    }
    return length == 0 ? fail(w, AM_ERR_KEY, "a name is missing between dots") : fail_name(w, n, name);
}

/// A segment "[2]" or "[*]".
static int step_item(walk *w)
{
    const ami_control_node *n = &w->schema->nodes[w->node];
    char place[80], text[200];
    const char *p = w->at + 1;
    int index = 0, digits = 0;
    for (; p[digits] >= '0' && p[digits] <= '9' && digits < 8; digits++) {
        index = index * 10 + (p[digits] - '0');
    }
    bool all = p[0] == '*';
    if ((!all && digits == 0) || p[all ? 1 : digits] != ']') {
        return fail(w, AM_ERR_KEY, "an item is written as [2], and all items of a set as [*]");
    }
    so_far(w, place, sizeof place);
    if (n->kind != AMI_OP_SET && !n->numbered) {
        snprintf(text, sizeof text, "%s is %s%s, which has no items", place,
                 strchr("aeiou", n->word[0]) ? "an " : "a ", n->word);
        return fail(w, AM_ERR_KEY, text);
    }
    if (all && n->numbered) {
        snprintf(text, sizeof text, "[*] names the items of a set; %s has parts 0 to %d", place, n->count - 1);
        return fail(w, AM_ERR_KEY, text);
    }
    int most = n->numbered ? n->count : n->most;
    if (index >= most) {
        snprintf(text, sizeof text, "%s has at most %d items, 0 to %d", place, most, most - 1);
        return fail(w, AM_ERR_LIMIT, text);
    }
    w->at = p + (all ? 2 : digits + 1);
    if (n->numbered) {
        return n->first + index;
    }
    w->shift = index * w->schema->nodes[n->first].value_count;
    return n->first;
}

int ami_control_find(const am_control_schema *schema, const char *path, int *value, am_error *err)
{
    walk w = { .schema = schema, .path = path, .at = path, .err = err };
    while (*w.at) {
        w.node = ami_control_inside(schema, w.node);
        bool dot = *w.at == '.' && w.at > path;
        w.at += dot;
        int next = *w.at == '[' && !dot ? step_item(&w) : step_name(&w);
        if (next < 0) {
            return -1;
        }
        if (*w.at && *w.at != '.' && *w.at != '[') {
            return fail(&w, AM_ERR_KEY, "write a dot between names");
        }
        w.node = next;
    }
    *value = schema->nodes[w.node].value + w.shift;
    return w.node;
}

void ami_control_mark(const am_control_schema *schema, float *value, int node, int place)
{
    const ami_control_node *nodes = schema->nodes;
    int shift = place - nodes[node].value;
    if (nodes[node].optional) {
        value[place] = 1.0f;
    }
    for (int at = node; nodes[at].parent >= 0; at = nodes[at].parent) {
        const ami_control_node *above = &nodes[nodes[at].parent];
        if (above->kind == AMI_OP_OR) {
            value[above->value + shift] = (float)(at - above->first);
        } else if (above->kind == AMI_OP_SET) {
            const int items = shift / nodes[above->first].value_count + 1;
            const float count = (float)items;
            shift = 0;
            value[above->value] = count > value[above->value] ? count : value[above->value];
        }
    }
}
