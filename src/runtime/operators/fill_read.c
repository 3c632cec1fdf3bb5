// Reads rules from JSON and checks them against the schema.
#include "operators/fill_reader.h"

#include "base/error.h"
#include "operators/pose_parts.h"

#include <stdio.h>
#include <string.h>

/// Where a body stands.
typedef struct body {
    const am_json *json;
    int path_node; ///< what its path names; the rule's node is inside it
    int place;     ///< of path_node in the value
    int base;      ///< node of the rule that holds it, -1 for none
    const char *path;
    bool top, branch;
} body;

ami_expr_type ami_fill_type(ami_operator kind)
{
    switch (kind) {
    case AMI_OP_BOOL:
    case AMI_OP_SOME_OF:
        return AMI_EXPR_BOOL;
    case AMI_OP_LOCATION:
    case AMI_OP_SCALE:
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        return AMI_EXPR_VECTOR;
    case AMI_OP_ROTATION:
        return AMI_EXPR_ROTATION;
    case AMI_OP_ONE_OF:
        return AMI_EXPR_NAME;
    default:
        return AMI_EXPR_NUMBER;
    }
}

// ---------------------------------------------------------------------------------------------
// Holders

/// Climbs from the rule's node to the rule that holds it. Behind an item that the path numbers, places stand `shift`
/// further than those of item 0.
static am_result read_marks(ami_fill_reader *r, ami_fill_rule *rule, const body *b)
{
    ami_fill_mark marks[64];
    int shift = b->place - ami_fill_node(r, b->path_node)->value;
    for (int at = rule->node; at != b->base && ami_fill_node(r, at)->parent >= 0; at = ami_fill_node(r, at)->parent) {
        int above = ami_fill_node(r, at)->parent;
        const ami_control_node *n = ami_fill_node(r, above);
        if (above == b->base) {
            break;
        }
        if (rule->mark_count == 64) {
            return ami_fill_fail(r, b->json, AM_ERR_LIMIT, rule->node, "nested deeper than 64 choices");
        }
        ami_fill_mark mark = { .place = n->value + shift, .number = (float)(at - n->first), .optional = n->optional };
        if (n->kind == AMI_OP_SET) {
            int item = shift / ami_fill_node(r, n->first)->value_count;
            mark = (ami_fill_mark){ .place = n->value, .number = (float)(item + 1), .least = true };
            shift = 0;
        } else if (n->kind != AMI_OP_OR) {
            continue;
        }
        marks[rule->mark_count++] = mark;
    }
    ami_fill_mark *kept = ami_fill_get(r, (size_t)rule->mark_count, sizeof *kept);
    if (!kept) {
        return ami_fail_memory(r->err, sizeof marks);
    }
    memcpy(kept, marks, (size_t)rule->mark_count * sizeof *kept);
    rule->marks = kept;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Kinds of bodies

static am_result read_body(ami_fill_reader *r, ami_fill_rule **out, const body *b);

static am_result read_noise(ami_fill_reader *r, ami_fill_rule *rule, const am_json *noise)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    bool vector = n->kind == AMI_OP_LOCATION || n->kind == AMI_OP_VELOCITY || n->kind == AMI_OP_DIRECTION;
    if (!vector && n->kind != AMI_OP_NUMBER && n->kind != AMI_OP_ROTATION) {
        return ami_fill_fail(r, noise, AM_ERR_TYPE, rule->node, "%s takes no noise", n->word);
    }
    bool list = noise->type == AM_JSON_ARRAY && noise->count == 3 && vector;
    if (noise->type != AM_JSON_NUMBER && !list) {
        return ami_fill_fail(r, noise, AM_ERR_TYPE, rule->node, "\"noise\" is a number%s",
                             vector ? " or three, for x, y and z" : "");
    }
    const am_json *item = list ? noise->first : noise;
    for (int axis = 0; axis < 3; axis++) {
        if (item->type != AM_JSON_NUMBER || !(item->number >= 0.0) || item->number > 1000.0) {
            return ami_fill_fail(r, item, AM_ERR_RANGE, rule->node, "\"noise\" is a number from 0 to 1000");
        }
        rule->noise[axis] = (float)item->number;
        item = list ? item->next : item;
    }
    rule->noisy = true;
    return AM_OK;
}

static am_result read_value(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const am_json *value)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    rule->kind = AMI_FILL_VALUE;
    ami_expr_names names = { "name", n->names, n->kind == AMI_OP_ONE_OF ? n->name_count : 0 };
    am_result result =
        ami_fill_compile_as(r, &rule->expr, &rule->text, value, rule->node, ami_fill_type(n->kind), &names);
    const am_json *noise = value != b->json ? am_json_get(b->json, "noise") : NULL;
    if (result == AM_OK && noise) {
        result = read_noise(r, rule, noise);
    }
    return result == AM_OK ? ami_fill_claim(r, value, rule->node, rule->place) : result;
}

/// "target" and "facing" give "target.facing", "path" and "[2]" give "path[2]".
static am_result join_path(const ami_fill_reader *r, char out[AMI_FILL_PATH], const char *path, const char *key,
                           const am_json *at, int node)
{
    bool dot = path[0] && key[0] && key[0] != '[';
    int size = snprintf(out, AMI_FILL_PATH, "%s%s%s", path, dot ? "." : "", key);
    return size < AMI_FILL_PATH ? AM_OK : ami_fill_fail(r, at, AM_ERR_LIMIT, node, "the path is too long");
}

/// A body at a path below that of `rule`.
static am_result read_part(ami_fill_reader *r, ami_fill_rule **out, const ami_fill_rule *rule, const body *b,
                           const char *key, const am_json *json)
{
    char path[AMI_FILL_PATH];
    am_result result = join_path(r, path, b->path, key, json, rule->node);
    if (result != AM_OK) {
        return result;
    }
    body part = { .json = json, .base = rule->node, .path = path };
    am_error inner = { 0 };
    part.path_node = ami_control_find(r->schema, path, &part.place, &inner);
    if (part.path_node < 0) {
        result = ami_fill_fail(r, json, inner.code, rule->node, "%s", inner.text);
        if (r->err && json->key) {
            r->err->line = json->key_line;
            r->err->column = json->key_column;
        }
        return result;
    }
    return read_body(r, out, &part);
}

static am_result take_parts(ami_fill_reader *r, ami_fill_rule *rule, const am_json *parts, const char *key)
{
    if (parts->type != AM_JSON_OBJECT) {
        return ami_fill_fail(r, parts, AM_ERR_TYPE, rule->node, "\"%s\" should be an object", key);
    }
    rule->parts = ami_fill_get(r, (size_t)parts->count, sizeof *rule->parts);
    return rule->parts ? AM_OK : ami_fail_memory(r->err, (size_t)parts->count * sizeof *rule->parts);
}

static am_result read_set(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const am_json *parts)
{
    rule->kind = AMI_FILL_SET;
    am_result result = take_parts(r, rule, parts, "set");
    for (const am_json *item = parts->first; item && result == AM_OK; item = item->next) {
        result = read_part(r, &rule->parts[rule->part_count], rule, b, item->key, item);
        rule->part_count++;
    }
    return result;
}

static am_result read_items(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const am_json *item)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    const am_json *count = am_json_get(b->json, "count");
    rule->kind = AMI_FILL_ITEMS;
    if (!count && n->kind == AMI_OP_SET) {
        return ami_fill_fail(r, b->json, AM_ERR_KEY, rule->node, "\"item\" needs \"count\": how many of at most %d",
                             n->most);
    }
    if (count && n->kind != AMI_OP_SET) {
        return ami_fill_fail(r, count, AM_ERR_KEY, rule->node, "\"%s\" always has %d items; take \"count\" out",
                             n->word, n->count);
    }
    am_result result = AM_OK;
    if (count) {
        result = ami_fill_compile_as(r, &rule->expr, &rule->text, count, rule->node, AMI_EXPR_NUMBER, NULL);
    }
    bool sure = r->sure;
    int claims = r->claim_count;
    r->sure = false;
    rule->slot = r->local_count;
    rule->step = ami_fill_node(r, n->first)->value_count;
    if (result == AM_OK) {
        result = ami_fill_push(r, "i", AMI_EXPR_NUMBER, item, rule->node);
    }
    rule->parts = result == AM_OK ? ami_fill_get(r, 1, sizeof *rule->parts) : NULL;
    if (result == AM_OK && !rule->parts) {
        result = ami_fail_memory(r->err, sizeof *rule->parts);
    }
    if (result == AM_OK) {
        result = read_part(r, &rule->parts[0], rule, b, n->kind == AMI_OP_SET ? "[*]" : "[0]", item);
        rule->part_count = 1;
    }
    result = result == AM_OK ? ami_fill_check_covered(r, item, n->first) : result;
    r->local_count = rule->slot;
    r->sure = sure;
    r->claim_count = result == AM_OK ? claims : r->claim_count; // the items are covered as a whole
    return result == AM_OK ? ami_fill_claim(r, item, rule->node, rule->place) : result;
}

static int find_branch(const ami_fill_reader *r, const ami_control_node *n, const char *name)
{
    for (int i = 0; i < n->count; i++) {
        if (strcmp(ami_fill_node(r, n->first + i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static am_result fail_branch(const ami_fill_reader *r, const ami_fill_rule *rule, const am_json *item)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    const char *names[AMI_CONTROL_MOST_NAMES];
    int count = n->count < AMI_CONTROL_MOST_NAMES ? n->count : AMI_CONTROL_MOST_NAMES;
    for (int i = 0; i < count; i++) {
        names[i] = ami_fill_node(r, n->first + i)->name;
    }
    const char *near = am_nearest_name(item->key, names, count);
    am_result result = ami_fill_fail(r, item, AM_ERR_KEY, rule->node, "no branch is called '%.40s'%s%s%s", item->key,
                                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (r->err) {
        r->err->line = item->key_line;
        r->err->column = item->key_column;
    }
    return result;
}

static am_result read_branch(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const am_json *item)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    int part = find_branch(r, n, item->key);
    if (part < 0) {
        return fail_branch(r, rule, item);
    }
    r->branch = rule->part_count;
    char path[AMI_FILL_PATH];
    am_result result = join_path(r, path, b->path, item->key, item, rule->node);
    if (result == AM_OK && r->host->branch) {
        result = r->host->branch(r->host->user, rule->choice, r->branch, item, r->err);
    }
    int node = n->first + part, shift = rule->place - n->value;
    body branch = { .json = item,
                    .path_node = node,
                    .place = ami_fill_node(r, node)->value + shift,
                    .base = rule->node,
                    .path = path,
                    .branch = true };
    result = result == AM_OK ? read_body(r, &rule->parts[rule->part_count], &branch) : result;
    if (result == AM_OK) {
        rule->parts[rule->part_count]->part = part;
        result = ami_fill_check_covered(r, item, node);
    }
    rule->part_count++;
    return result;
}

static am_result read_choose(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const am_json *branches)
{
    ami_fill *fill = r->fill;
    rule->kind = AMI_FILL_CHOOSE;
    am_result result = take_parts(r, rule, branches, "choose");
    if (result != AM_OK) {
        return result;
    }
    if (fill->choice_count == AMI_FILL_CHOICES || branches->count > AMI_FILL_BRANCHES) {
        return ami_fill_fail(r, branches, AM_ERR_LIMIT, rule->node,
                             "more than %d choices in a file or %d branches of one", AMI_FILL_CHOICES,
                             AMI_FILL_BRANCHES);
    }
    if (branches->count == 0) {
        return ami_fill_fail(r, branches, AM_ERR_EMPTY, rule->node, "\"choose\" names no branch");
    }
    rule->choice = fill->choice_count++;
    ami_fill_choice *choice = &fill->choices[rule->choice];
    *choice = (ami_fill_choice){ .node = rule->node,
                                 .branch_count = branches->count,
                                 .parent = r->choice,
                                 .parent_branch = r->branch,
                                 .sure = r->sure };
    ami_fill_reader before = *r;
    r->choice = rule->choice;
    r->sure = true;
    for (const am_json *item = branches->first; item && result == AM_OK; item = item->next) {
        choice->names[rule->part_count] = ami_arena_text(&fill->arena, item->key, strlen(item->key));
        result = choice->names[rule->part_count] ? read_branch(r, rule, b, item)
                                                 : ami_fail_memory(r->err, strlen(item->key) + 1);
    }
    r->choice = before.choice;
    r->branch = before.branch;
    r->sure = before.sure;
    return result == AM_OK ? ami_fill_claim(r, branches, rule->node, rule->place) : result;
}

static am_result read_flags(ami_fill_reader *r, ami_fill_rule *rule, const am_json *flags)
{
    const ami_control_node *n = ami_fill_node(r, rule->node);
    rule->kind = AMI_FILL_FLAGS;
    am_result result = take_parts(r, rule, flags, "flags");
    for (const am_json *item = flags->first; item && result == AM_OK; item = item->next) {
        ami_fill_rule *flag = ami_fill_get(r, 1, sizeof *flag);
        int at = 0;
        while (at < n->name_count && strcmp(n->names[at], item->key) != 0) {
            at++;
        }
        if (at == n->name_count) {
            const char *near = am_nearest_name(item->key, n->names, n->name_count);
            return ami_fill_fail(r, item, AM_ERR_KEY, rule->node, "no flag is called '%.40s'%s%s%s", item->key,
                                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        if (!flag) {
            return ami_fail_memory(r->err, sizeof *flag);
        }
        *flag = (ami_fill_rule){ .kind = AMI_FILL_VALUE, .node = rule->node, .place = rule->place + at, .part = -1 };
        rule->parts[rule->part_count++] = flag;
        result = ami_fill_compile_as(r, &flag->expr, &flag->text, item, rule->node, AMI_EXPR_BOOL, NULL);
    }
    return result == AM_OK ? ami_fill_claim(r, flags, rule->node, rule->place) : result;
}

static am_result read_cells(ami_fill_reader *r, ami_fill_rule *rule, const am_json *cell)
{
    rule->kind = AMI_FILL_CELLS;
    rule->slot = r->local_count;
    am_result result = ami_fill_push(r, "row", AMI_EXPR_NUMBER, cell, rule->node);
    result = result == AM_OK ? ami_fill_push(r, "column", AMI_EXPR_NUMBER, cell, rule->node) : result;
    if (result == AM_OK) {
        result = ami_fill_compile_as(r, &rule->expr, &rule->text, cell, rule->node, AMI_EXPR_NUMBER, NULL);
    }
    return result == AM_OK ? ami_fill_claim(r, cell, rule->node, rule->place) : result;
}

// ---------------------------------------------------------------------------------------------
// Bodies

static const char *const kinds[] = { "value", "set", "item", "choose", "flags", "cell" };
enum { kind_count = 6 };

/// The key by which a part is set.
static const char *right_kind(const ami_control_node *n)
{
    switch (n->kind) {
    case AMI_OP_SOME_OF:
        return "flags";
    case AMI_OP_HEIGHT_MAP:
        return "cell";
    case AMI_OP_SET:
        return "item";
    case AMI_OP_OR:
        return "choose";
    case AMI_OP_AND:
        return "set";
    default:
        return ami_control_is_typed(n->kind) ? "value" : "";
    }
}

static bool fits_kind(const ami_control_node *n, const char *kind)
{
    bool parts = n->kind == AMI_OP_AND || n->kind == AMI_OP_OR || n->kind == AMI_OP_SET;
    return strcmp(kind, right_kind(n)) == 0 || (strcmp(kind, "set") == 0 && parts) ||
           (strcmp(kind, "item") == 0 && n->numbered);
}

/// Refuses unknown keys.
static am_result check_keys(const ami_fill_reader *r, const body *b, int node)
{
    const char *keys[32];
    int count = 0;
    for (int i = 0; i < kind_count; i++) {
        keys[count++] = kinds[i];
    }
    keys[count++] = "count";
    keys[count++] = "when";
    keys[count++] = r->host->variables;
    if (r->host->strict) {
        keys[count++] = "noise";
    }
    const ami_fill_host *host = r->host;
    for (int i = 0; b->top && i < host->key_count; i++) {
        keys[count++] = host->keys[i];
    }
    for (int i = 0; b->branch && i < host->branch_key_count; i++) {
        keys[count++] = host->branch_keys[i];
    }
    if (b->json->type != AM_JSON_OBJECT) {
        return ami_fill_fail(r, b->json, AM_ERR_TYPE, node, "expected an expression or an object");
    }
    return am_json_only(r->doc, b->json, keys, count, r->err);
}

/// Which of the kinds the object is; NULL for none.
static am_result find_kind(const ami_fill_reader *r, const body *b, int node, const char **kind)
{
    *kind = NULL;
    for (int i = 0; i < kind_count; i++) {
        const am_json *item = am_json_get(b->json, kinds[i]);
        if (item && *kind) {
            return ami_fill_fail(r, item, AM_ERR_KEY, node, "\"%s\" and \"%s\" do not go together", *kind, kinds[i]);
        }
        *kind = item ? kinds[i] : *kind;
    }
    const char *const alone[] = { "noise", "count" }, *const with[] = { "value", "item" };
    for (int i = 0; i < 2; i++) {
        const am_json *item = am_json_get(b->json, alone[i]);
        if (item && (!*kind || strcmp(*kind, with[i]) != 0)) {
            return ami_fill_fail(r, item, AM_ERR_KEY, node, "\"%s\" goes with \"%s\"", alone[i], with[i]);
        }
    }
    return AM_OK;
}

static am_result read_when(ami_fill_reader *r, ami_fill_rule *rule, const body *b)
{
    const am_json *when = am_json_get(b->json, "when");
    if (!when) {
        return AM_OK;
    }
    const ami_control_node *n = ami_fill_node(r, rule->node);
    bool optional = ami_fill_node(r, b->path_node)->optional || n->kind == AMI_OP_SET || n->kind == AMI_OP_SOME_OF;
    if (!optional && !((b->top || b->branch) && !r->host->strict)) {
        return ami_fill_fail(r, when, AM_ERR_KEY, rule->node,
                             "\"when\" needs an optional part or a set; this %s is always there", n->word);
    }
    r->sure = false;
    const char *text;
    return ami_fill_compile_as(r, &rule->when, &text, when, rule->node, AMI_EXPR_BOOL, NULL);
}

static am_result read_kind(ami_fill_reader *r, ami_fill_rule *rule, const body *b, const char *kind)
{
    const am_json *item = am_json_get(b->json, kind);
    switch (kind[0]) {
    case 'v':
        return read_value(r, rule, b, item);
    case 's':
        return read_set(r, rule, b, item);
    case 'i':
        return read_items(r, rule, b, item);
    case 'f':
        return read_flags(r, rule, item);
    default: // "choose" and "cell"
        return kind[1] == 'h' ? read_choose(r, rule, b, item) : read_cells(r, rule, item);
    }
}

static am_result read_object(ami_fill_reader *r, ami_fill_rule *rule, const body *b)
{
    const char *kind;
    am_result result = check_keys(r, b, rule->node);
    result = result == AM_OK ? find_kind(r, b, rule->node, &kind) : result;
    if (result != AM_OK) {
        return result;
    }
    const ami_control_node *n = ami_fill_node(r, rule->node);
    if (kind && !fits_kind(n, kind)) {
        const char *right = right_kind(n);
        return ami_fill_fail(r, am_json_get(b->json, kind), AM_ERR_KEY, rule->node,
                             "\"%s\" does not fit \"%s\"; %s%s%s", kind, n->word,
                             right[0] ? "write \"" : "it has nothing to set", right, right[0] ? "\"" : "");
    }
    bool sure = r->sure;
    int locals = r->local_count;
    const am_json *variables = am_json_get(b->json, r->host->variables);
    result = variables ? ami_fill_variables(r, rule, variables) : AM_OK;
    result = result == AM_OK ? read_when(r, rule, b) : result;
    result = result == AM_OK && kind ? read_kind(r, rule, b, kind) : result;
    r->local_count = locals;
    r->sure = sure;
    return result;
}

static am_result read_body(ami_fill_reader *r, ami_fill_rule **out, const body *b)
{
    ami_fill_rule *rule = ami_fill_get(r, 1, sizeof *rule);
    *out = rule;
    if (!rule) {
        return ami_fail_memory(r->err, sizeof *rule);
    }
    if (ami_control_in_pose(r->schema, b->path_node)) {
        return ami_fill_fail(r, b->json, AM_ERR_KEY, b->path_node, "the character's own body fills it; take it out");
    }
    rule->part = -1;
    rule->node = ami_control_inside(r->schema, b->path_node);
    rule->place = ami_fill_node(r, rule->node)->value + (b->place - ami_fill_node(r, b->path_node)->value);
    am_result result = read_marks(r, rule, b);
    if (result != AM_OK) {
        return result;
    }
    bool plain = b->json->type == AM_JSON_STRING || b->json->type == AM_JSON_NUMBER || b->json->type == AM_JSON_BOOL;
    const ami_control_node *n = ami_fill_node(r, rule->node);
    if (plain && !fits_kind(n, "value")) {
        const char *right = right_kind(n);
        return ami_fill_fail(r, b->json, AM_ERR_TYPE, rule->node, "an expression does not fit \"%s\"; %s%s%s",
                             n->word, right[0] ? "write {\"" : "it has nothing to set", right,
                             right[0] ? "\": ...}" : "");
    }
    return plain ? read_value(r, rule, b, b->json) : read_object(r, rule, b);
}

// ---------------------------------------------------------------------------------------------

static am_result collect_names(ami_fill_reader *r)
{
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        const char **names = pass ? ami_fill_get(r, (size_t)count, sizeof *names) : NULL;
        if (pass && !names) {
            return ami_fail_memory(r->err, (size_t)count * sizeof *names);
        }
        count = 0;
        for (int n = 0; n < r->schema->node_count; n++) {
            const ami_control_node *node = ami_fill_node(r, n);
            for (int i = 0; node->kind == AMI_OP_ONE_OF && i < node->name_count; i++, count++) {
                if (names) {
                    names[count] = node->names[i];
                }
            }
        }
        r->names = (ami_expr_names){ "name", names, count };
    }
    return AM_OK;
}

void ami_fill_destroy(ami_fill *fill)
{
    if (!fill) {
        return;
    }
    for (ami_fill_expr *item = fill->exprs; item; item = item->next) {
        ami_expr_destroy(item->expr);
    }
    am_alloc alloc = fill->alloc;
    ami_arena_free(&fill->arena);
    ami_release(&alloc, fill, sizeof *fill);
}

am_result ami_fill_read(ami_fill **out, const am_control_schema *schema, const am_json_doc *doc, const am_json *json,
                        const ami_fill_host *host, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_fill *fill = ami_alloc_zero(&own, sizeof *fill);
    if (!fill) {
        return ami_fail_memory(err, sizeof *fill);
    }
    *fill = (ami_fill){ .alloc = own, .arena = ami_arena_make(&own), .schema = schema, .strict = host->strict };
    ami_fill_reader r = { .fill = fill, .schema = schema, .doc = doc, .host = host, .err = err };
    r.choice = r.branch = -1;
    r.sure = true;
    fill->choices = ami_fill_get(&r, AMI_FILL_CHOICES, sizeof *fill->choices);
    r.claims = ami_alloc_array(&own, AMI_FILL_CLAIMS, sizeof *r.claims);
    am_result result = fill->choices && r.claims ? AM_OK : ami_fail_memory(err, AMI_FILL_CLAIMS * sizeof *r.claims);
    ami_fill_rule *root = NULL;
    body top = { .json = json, .base = -1, .path = "", .top = true };
    result = result == AM_OK ? collect_names(&r) : result;
    result = result == AM_OK ? read_body(&r, &root, &top) : result;
    result = result == AM_OK ? ami_fill_check_covered(&r, json, 0) : result;
    fill->root = root;
    ami_release(&own, r.claims, AMI_FILL_CLAIMS * sizeof *r.claims);
    if (result != AM_OK) {
        ami_fill_destroy(fill);
        return result;
    }
    *out = fill;
    return AM_OK;
}
