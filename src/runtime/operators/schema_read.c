// Reads the operators of a schema from JSON (Operators section 3). Composed operators become the basic ones that the
// paper defines them by: a transform is an `and` (eq. 13), an optional an `or` of null and its part (eq. 15), an
// array a set whose items begin with their index (eq. 18), and so on.
#include "operators/schema_read.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { most_width = 4096, most_heads = 64, most_head = 1024, most_side = 256, most_channels = 256 };

/// A word that a schema may use.
typedef struct word {
    const char *word;
    ami_operator kind;
    /// `parts` is what the word's key holds; NULL for a bare word. `object` is the whole.
    am_result (*read)(ami_control_reader *r, int node, const am_json *parts, const am_json *object);
    bool leaf;           ///< its parameters are inside: {"index": {"n": 8}}; else beside it
    bool bare;           ///< may stand without parameters
    const char *keys[5]; ///< parameters
    const char *example;
} word;

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
static am_result fail_key(const ami_control_reader *r, int node, const am_json *member, const char *text)
{
    am_result result = ami_control_fail(r, node, member, AM_ERR_KEY, "%s", text);
    if (r->err) {
        r->err->line = member->key_line;
        r->err->column = member->key_column;
    }
    return result;
}

/// What stands there, for "got ...".
static const char *got(char *text, size_t size, const am_json *at)
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

static ami_control_node *node_at(const ami_control_reader *r, int node) { return &r->schema->nodes[node]; }

/// Room for the parts of a node, one behind another.
static am_result add_parts(ami_control_reader *r, int node, int count, const am_json *at)
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

static am_result keep_text(ami_control_reader *r, const char **out, const char *text)
{
    *out = ami_arena_text(r->arena, text, strlen(text));
    return *out ? AM_OK : ami_fail_memory(r->err, strlen(text) + 1);
}

/// A part's name is a segment of paths: letters, digits and underscores.
static am_result read_name(ami_control_reader *r, int node, const am_json *member)
{
    const char *name = member->key;
    size_t length = strlen(name);
    bool good = length > 0 && length < AMI_CONTROL_NAME_SIZE;
    for (size_t i = 0; i < length && good; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        good = letter || (i > 0 && (c == '_' || (c >= '0' && c <= '9')));
    }
    if (!good) {
        char text[200];
        snprintf(text, sizeof text,
                 "\"%.60s\" is no name for a part; begin with a letter and use at most %d letters, digits and _",
                 name, AMI_CONTROL_NAME_SIZE - 1);
        return fail_key(r, node_at(r, node)->parent, member, text);
    }
    return keep_text(r, &node_at(r, node)->name, name);
}

static am_result read_names(ami_control_reader *r, int node, const am_json *list)
{
    ami_control_node *n = node_at(r, node);
    if (list->type != AM_JSON_ARRAY || list->count < 1 || list->count > AMI_CONTROL_MOST_NAMES) {
        return ami_control_fail(r, node, list, list->type == AM_JSON_ARRAY ? AM_ERR_LIMIT : AM_ERR_TYPE,
                                "%s expects a list of 1 to %d names", n->word, AMI_CONTROL_MOST_NAMES);
    }
    const char **names = ami_arena_get(r->arena, (size_t)list->count * sizeof *names);
    if (!names) {
        return ami_fail_memory(r->err, (size_t)list->count * sizeof *names);
    }
    n->names = names;
    for (const am_json *item = list->first; item; item = item->next) {
        if (item->type != AM_JSON_STRING || !item->string[0] || strlen(item->string) > 63) {
            return ami_control_fail(r, node, item, AM_ERR_TYPE, "a name has 1 to 63 bytes of text");
        }
        for (int i = 0; i < n->name_count; i++) {
            if (strcmp(names[i], item->string) == 0) {
                return ami_control_fail(r, node, item, AM_ERR_KEY, "\"%s\" is named twice", item->string);
            }
        }
        am_result result = keep_text(r, &names[n->name_count++], item->string);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Parameters

static am_result read_int(ami_control_reader *r, int node, const am_json *object, const char *key, bool required,
                          int *out, int lo, int hi)
{
    return ami_control_placed(r, node, am_json_read_int(r->doc, object, key, required, out, lo, hi, r->err));
}

/// "space": whether places are in the world or already in the character's frame.
static am_result read_space(ami_control_reader *r, int node, const am_json *parameters)
{
    static const char *const spaces[] = { "world", "local" };
    int space = 0;
    am_result result = AM_OK;
    if (parameters) {
        result = ami_control_placed(
            r, node, am_json_read_choice(r->doc, parameters, "space", false, &space, spaces, 2, r->err));
    }
    node_at(r, node)->world = space == 0;
    return result;
}

static am_result read_activation(ami_control_reader *r, int node, const am_json *object)
{
    static const char *const names[] = { "none", "relu", "elu", "gelu", "tanh", "sigmoid" };
    static const int kinds[] = { -1, AM_NET_RELU, AM_NET_ELU, AM_NET_GELU, AM_NET_TANH, AM_NET_SIGMOID };
    int choice = 2;
    am_result result = ami_control_placed(
        r, node, am_json_read_choice(r->doc, object, "activation", false, &choice, names, 6, r->err));
    node_at(r, node)->activation = kinds[choice];
    return result;
}

// ---------------------------------------------------------------------------------------------
// Typed operators

static am_result read_plain(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)r, (void)node, (void)parameters, (void)object;
    return AM_OK;
}

static am_result read_spatial(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    return read_space(r, node, parameters);
}

static am_result read_number(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    if (!parameters) {
        return AM_OK;
    }
    return ami_control_placed(
        r, node,
        am_json_read_float(r->doc, parameters, "scale", false, &node_at(r, node)->scale, 1e-6f, 1e6f, r->err));
}

static am_result read_index(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    return read_int(r, node, parameters, "n", true, &node_at(r, node)->most, 1, 1 << 20);
}

static am_result read_choices(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    (void)object;
    return read_names(r, node, parts);
}

static am_result read_height_map(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    ami_control_node *n = node_at(r, node);
    float channels[4] = { 8.0f };
    n->layers = 1;
    am_result result = read_space(r, node, parameters);
    if (result == AM_OK) {
        result = read_int(r, node, parameters, "rows", true, &n->rows, 2, most_side);
    }
    if (result == AM_OK) {
        result = read_int(r, node, parameters, "columns", true, &n->columns, 2, most_side);
    }
    if (result == AM_OK) {
        result = read_activation(r, node, parameters);
    }
    if (result == AM_OK) {
        result = ami_control_placed(
            r, node, am_json_read_floats(r->doc, parameters, "channels", false, channels, 4, &n->layers, r->err));
    }
    if (result == AM_OK && n->layers < 1) {
        return ami_control_fail(r, node, am_json_get(parameters, "channels"), AM_ERR_EMPTY,
                                "\"channels\" is empty; give the channels of each convolution, as in [8, 16]");
    }
    for (int i = 0; i < n->layers && result == AM_OK; i++) {
        n->channels[i] = channels[i] >= 1.0f && channels[i] <= (float)most_channels ? (int)channels[i] : 0;
        if ((float)n->channels[i] != channels[i]) {
            return ami_control_fail(r, node, am_json_get(parameters, "channels"), AM_ERR_RANGE,
                                    "a convolution has 1 to %d channels, not %g", most_channels, (double)channels[i]);
        }
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Operators with parts

static am_result need_parts(ami_control_reader *r, int node, const am_json *parts, int least, int most)
{
    const char *operator= node_at(r, node)->word;
    char text[100];
    if (parts->type != AM_JSON_OBJECT) {
        return ami_control_fail(r, node, parts, AM_ERR_TYPE, "%s expects an object of named parts, got %s", operator,
                                got(text, sizeof text, parts));
    }
    if (parts->count < least) {
        return ami_control_fail(r, node, parts, AM_ERR_EMPTY, "%s has %d part%s; it needs at least %d", operator,
                                parts->count, parts->count == 1 ? "" : "s", least);
    }
    if (parts->count > most) {
        return ami_control_fail(r, node, parts, AM_ERR_LIMIT, "%s has %d parts; at most %d are allowed", operator,
                                parts->count, most);
    }
    return AM_OK;
}

/// An `or` of nothing and one part (eq. 15).
static am_result read_maybe(ami_control_reader *r, int node, const am_json *part, int width)
{
    ami_control_node *n = node_at(r, node);
    n->kind = AMI_OP_OR;
    n->optional = true;
    n->width = width;
    am_result result = add_parts(r, node, 2, part);
    if (result == AM_OK) {
        result = ami_control_read_operator(r, n->first + 1, part, n->word);
    }
    return result;
}

/// The named parts of a node; each an optional one where `width` is not NULL.
static am_result read_parts(ami_control_reader *r, int node, const am_json *parts, const int *width)
{
    ami_control_node *n = node_at(r, node);
    am_result result = add_parts(r, node, parts->count, parts);
    int at = n->first;
    for (const am_json *part = parts->first; part && result == AM_OK; part = part->next, at++) {
        result = read_name(r, at, part);
        if (result == AM_OK && width) {
            node_at(r, at)->word = n->word;
            result = read_maybe(r, at, part, *width);
            result = result == AM_OK ? ami_control_measure(r, at, part) : result;
        } else if (result == AM_OK) {
            result = ami_control_read_operator(r, at, part, n->word);
        }
        result = ami_control_tolerate(r, result);
    }
    return result;
}

static am_result read_and(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    (void)object;
    am_result result = need_parts(r, node, parts, 1, AMI_CONTROL_MOST_NODES);
    return result == AM_OK ? read_parts(r, node, parts, NULL) : result;
}

static am_result read_or(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    int *width = &node_at(r, node)->width;
    bool two = strcmp(node_at(r, node)->word, "either") == 0; // eq. 16
    am_result result = need_parts(r, node, parts, two ? 2 : 1, two ? 2 : AM_NET_MOST_IN - 1);
    if (result == AM_OK) {
        result = read_int(r, node, object, "width", false, width, 1, most_width);
    }
    return result == AM_OK ? read_parts(r, node, parts, NULL) : result;
}

/// An `and` of optionals (eq. 17).
static am_result read_inclusive_or(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    int width = 0;
    am_result result = need_parts(r, node, parts, 1, AMI_CONTROL_MOST_NODES);
    if (result == AM_OK) {
        result = read_int(r, node, object, "width", false, &width, 1, most_width);
    }
    return result == AM_OK ? read_parts(r, node, parts, &width) : result;
}

static am_result read_optional(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    int width = 0;
    am_result result = read_int(r, node, object, "width", false, &width, 1, most_width);
    return result == AM_OK ? read_maybe(r, node, part, width) : result;
}

/// An `and` of equal parts (eq. 14).
static am_result read_fixed_array(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    int count = 0;
    am_result result = read_int(r, node, object, "count", true, &count, 1, AMI_CONTROL_MOST_NODES);
    ami_control_node *n = node_at(r, node);
    n->numbered = true;
    if (result == AM_OK) {
        result = add_parts(r, node, count, part);
    }
    const int mistakes = r->mistakes; // of the first part are those of all
    for (int i = 0; i < count && result == AM_OK && r->mistakes == mistakes; i++) {
        result = ami_control_read_operator(r, n->first + i, part, n->word);
    }
    return result;
}

static am_result read_encode(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    ami_control_node *n = node_at(r, node);
    am_result result = read_int(r, node, object, "width", true, &n->width, 1, most_width);
    if (result == AM_OK) {
        result = read_activation(r, node, object);
    }
    if (result == AM_OK) {
        result = add_parts(r, node, 1, part);
    }
    return result == AM_OK ? ami_control_read_operator(r, n->first, part, n->word) : result;
}

/// Parameters of eq. 12, and room for its item.
static am_result begin_set(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    ami_control_node *n = node_at(r, node);
    for (int above = n->parent; above >= 0; above = node_at(r, above)->parent) {
        if (node_at(r, above)->kind == AMI_OP_SET) {
            return ami_control_fail(r, node, object, AM_ERR_SUPPORT,
                                    "%s inside %s: a set holds no further set; put them beside each other", n->word,
                                    node_at(r, above)->word);
        }
    }
    n->heads = 4;
    n->key = n->head = 16;
    am_result result = read_int(r, node, object, "most", true, &n->most, 1, AM_NET_MOST_ROWS);
    if (result == AM_OK) {
        result = read_int(r, node, object, "heads", false, &n->heads, 1, most_heads);
    }
    if (result == AM_OK) {
        result = read_int(r, node, object, "key_width", false, &n->key, 1, most_head);
    }
    if (result == AM_OK) {
        result = read_int(r, node, object, "head_width", false, &n->head, 1, most_head);
    }
    return result == AM_OK ? add_parts(r, node, 1, part) : result;
}

static am_result read_set(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    ami_control_node *n = node_at(r, node);
    n->indexed = strcmp(n->word, "array") == 0; // eq. 18
    am_result result = begin_set(r, node, part, object);
    return result == AM_OK ? ami_control_read_operator(r, n->first, part, n->word) : result;
}

/// A set of pairs (eq. 19).
static am_result read_dictionary(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    const ami_control_node *n = node_at(r, node);
    static const char *const keys[] = { "key", "value" };
    am_result result = need_parts(r, node, parts, 0, AMI_CONTROL_MOST_NODES);
    if (result == AM_OK) {
        result = ami_control_placed(r, node, am_json_only(r->doc, parts, keys, 2, r->err));
    }
    if (result == AM_OK && parts->count < 2) {
        return ami_control_fail(r, node, parts, AM_ERR_KEY, "dictionary expects a \"key\" and a \"value\"");
    }
    if (result == AM_OK) {
        result = begin_set(r, node, parts, object);
    }
    if (result == AM_OK) {
        node_at(r, n->first)->kind = AMI_OP_AND;
        node_at(r, n->first)->word = n->word;
        result = read_parts(r, n->first, parts, NULL);
    }
    return result == AM_OK ? ami_control_measure(r, n->first, parts) : result;
}

// ---------------------------------------------------------------------------------------------
// Ready objects (3.3.1)

typedef struct ready {
    const char *name;
    ami_operator kind;
    const char *word;
} ready;

static am_result add_ready(ami_control_reader *r, int node, const am_json *parameters, const am_json *object,
                           const ready *parts, int count)
{
    am_result result = add_parts(r, node, count, object);
    for (int i = 0; i < count && result == AM_OK; i++) {
        int at = node_at(r, node)->first + i;
        ami_control_node *part = node_at(r, at);
        part->kind = parts[i].kind;
        part->word = parts[i].word;
        part->name = parts[i].name;
        result = read_space(r, at, parameters);
        result = result == AM_OK ? ami_control_measure(r, at, object) : result;
    }
    return result;
}

static am_result read_transform(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    static const ready parts[] = { { "position", AMI_OP_LOCATION, "location" },
                                   { "rotation", AMI_OP_ROTATION, "rotation" },
                                   { "scale", AMI_OP_SCALE, "scale" } };
    return add_ready(r, node, parameters, object, parts, 3);
}

static am_result read_prop(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    static const ready parts[] = { { "position", AMI_OP_LOCATION, "location" },
                                   { "rotation", AMI_OP_ROTATION, "rotation" },
                                   { "size", AMI_OP_SCALE, "scale" },
                                   { "velocity", AMI_OP_VELOCITY, "velocity" } };
    return add_ready(r, node, parameters, object, parts, 4);
}

/// Where somebody is, looks and goes, and where some of their joints are.
static am_result read_character(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    ready parts[3 + AM_ROLE_COUNT] = { { "position", AMI_OP_LOCATION, "location" },
                                       { "facing", AMI_OP_DIRECTION, "direction" },
                                       { "velocity", AMI_OP_VELOCITY, "velocity" } };
    static const am_role usual[] = { AM_ROLE_HEAD, AM_ROLE_LEFT_HAND, AM_ROLE_RIGHT_HAND, AM_ROLE_LEFT_FOOT,
                                     AM_ROLE_RIGHT_FOOT };
    const char *roles[AM_ROLE_COUNT];
    bool with[AM_ROLE_COUNT] = { false };
    for (int i = 0; i < AM_ROLE_COUNT; i++) {
        roles[i] = am_role_name((am_role)i);
    }
    const am_json *list = parameters ? am_json_get(parameters, "joints") : NULL;
    if (list && list->type != AM_JSON_ARRAY) {
        return ami_control_fail(r, node, list, AM_ERR_TYPE, "\"joints\" is a list of joints, as in [\"head\"]");
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && !list; i++) {
        with[usual[i]] = true;
    }
    for (const am_json *item = list ? list->first : NULL; item; item = item->next) {
        const char *name = item->type == AM_JSON_STRING ? item->string : "";
        int role = 0;
        while (role < AM_ROLE_COUNT && strcmp(roles[role], name) != 0) {
            role++;
        }
        if (role == AM_ROLE_COUNT) {
            const char *near = am_nearest_name(name, roles, AM_ROLE_COUNT);
            return ami_control_fail(r, node, item, AM_ERR_RANGE,
                                    "no joint has the role \"%.60s\"; did you mean \"%s\"?", name,
                                    near ? near : "head");
        }
        with[role] = true;
    }
    int count = 3;
    for (int i = 0; i < AM_ROLE_COUNT; i++) {
        if (with[i]) {
            parts[count++] = (ready){ roles[i], AMI_OP_LOCATION, "location" };
        }
    }
    return add_ready(r, node, parameters, object, parts, count);
}

// ---------------------------------------------------------------------------------------------
// Words

#define SET_KEYS "most", "heads", "key_width", "head_width"
static const word words[] = {
    { "null", AMI_OP_NULL, read_plain, true, true, { 0 }, "\"null\"" },
    { "bool", AMI_OP_BOOL, read_plain, true, true, { 0 }, "\"bool\"" },
    { "number", AMI_OP_NUMBER, read_number, true, true, { "scale" }, "{\"number\": {\"scale\": 2}}" },
    { "location", AMI_OP_LOCATION, read_spatial, true, true, { "space" }, "{\"location\": {\"space\": \"local\"}}" },
    { "rotation", AMI_OP_ROTATION, read_spatial, true, true, { "space" }, "{\"rotation\": {\"space\": \"local\"}}" },
    { "scale", AMI_OP_SCALE, read_plain, true, true, { 0 }, "\"scale\"" },
    { "direction",
      AMI_OP_DIRECTION,
      read_spatial,
      true,
      true,
      { "space" },
      "{\"direction\": {\"space\": \"local\"}}" },
    { "velocity", AMI_OP_VELOCITY, read_spatial, true, true, { "space" }, "{\"velocity\": {\"space\": \"local\"}}" },
    { "index", AMI_OP_INDEX, read_index, true, false, { "n" }, "{\"index\": {\"n\": 8}}" },
    { "height_map",
      AMI_OP_HEIGHT_MAP,
      read_height_map,
      true,
      false,
      { "rows", "columns", "channels", "activation", "space" },
      "{\"height_map\": {\"rows\": 16, \"columns\": 16}}" },
    { "one_of", AMI_OP_ONE_OF, read_choices, false, false, { 0 }, "{\"one_of\": [\"walk\", \"run\"]}" },
    { "enum", AMI_OP_ONE_OF, read_choices, false, false, { 0 }, "{\"enum\": [\"walk\", \"run\"]}" },
    { "some_of", AMI_OP_SOME_OF, read_choices, false, false, { 0 }, "{\"some_of\": [\"sneak\", \"carry\"]}" },
    { "flags", AMI_OP_SOME_OF, read_choices, false, false, { 0 }, "{\"flags\": [\"sneak\", \"carry\"]}" },
    { "encode",
      AMI_OP_ENCODE,
      read_encode,
      false,
      false,
      { "width", "activation" },
      "{\"encode\": \"location\", \"width\": 16}" },
    { "and", AMI_OP_AND, read_and, false, false, { 0 }, "{\"and\": {\"target\": \"location\"}}" },
    { "struct", AMI_OP_AND, read_and, false, false, { 0 }, "{\"struct\": {\"target\": \"location\"}}" },
    { "or",
      AMI_OP_OR,
      read_or,
      false,
      false,
      { "width" },
      "{\"or\": {\"to\": \"location\", \"along\": \"velocity\"}}" },
    { "exclusive_union",
      AMI_OP_OR,
      read_or,
      false,
      false,
      { "width" },
      "{\"exclusive_union\": {\"to\": \"location\", \"along\": \"velocity\"}}" },
    { "either",
      AMI_OP_OR,
      read_or,
      false,
      false,
      { "width" },
      "{\"either\": {\"to\": \"location\", \"along\": \"velocity\"}}" },
    { "optional", AMI_OP_OR, read_optional, false, false, { "width" }, "{\"optional\": \"direction\"}" },
    { "inclusive_or",
      AMI_OP_AND,
      read_inclusive_or,
      false,
      false,
      { "width" },
      "{\"inclusive_or\": {\"look\": \"location\", \"reach\": \"location\"}}" },
    { "inclusive_union",
      AMI_OP_AND,
      read_inclusive_or,
      false,
      false,
      { "width" },
      "{\"inclusive_union\": {\"look\": \"location\", \"reach\": \"location\"}}" },
    { "fixed_array",
      AMI_OP_AND,
      read_fixed_array,
      false,
      false,
      { "count" },
      "{\"fixed_array\": \"location\", \"count\": 4}" },
    { "set", AMI_OP_SET, read_set, false, false, { SET_KEYS }, "{\"set\": \"location\", \"most\": 8}" },
    { "array", AMI_OP_SET, read_set, false, false, { SET_KEYS }, "{\"array\": \"location\", \"most\": 8}" },
    { "dictionary",
      AMI_OP_SET,
      read_dictionary,
      false,
      false,
      { SET_KEYS },
      "{\"dictionary\": {\"key\": {\"one_of\": [\"door\", \"gate\"]}, \"value\": \"location\"}, \"most\": 8}" },
    { "transform", AMI_OP_AND, read_transform, true, true, { "space" }, "\"transform\"" },
    { "character",
      AMI_OP_AND,
      read_character,
      true,
      true,
      { "joints", "space" },
      "{\"character\": {\"joints\": [\"head\"]}}" },
    { "prop", AMI_OP_AND, read_prop, true, true, { "space" }, "\"prop\"" },
};
enum { word_count = sizeof words / sizeof words[0] };

static const word *find_word(const char *text)
{
    for (int i = 0; i < word_count; i++) {
        if (strcmp(words[i].word, text) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

static am_result fail_unknown(const ami_control_reader *r, int node, const am_json *at, const char *text)
{
    const char *names[word_count];
    char known[300] = "";
    size_t used = 0;
    for (int i = 0; i < word_count; i++) {
        names[i] = words[i].word;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = am_nearest_name(text, names, word_count);
    char message[400];
    if (near) {
        snprintf(message, sizeof message, "unknown operator \"%.60s\"; did you mean \"%s\"?", text, near);
    } else {
        snprintf(message, sizeof message, "unknown operator \"%.60s\"; choose from: %s", text, known);
    }
    return at->type == AM_JSON_STRING ? ami_control_fail(r, node, at, AM_ERR_KEY, "%s", message)
                                      : fail_key(r, node, at, message);
}

/// The one member of an object that is an operator.
static am_result pick_word(const ami_control_reader *r, int node, const am_json *object, const am_json **out)
{
    const am_json *found = NULL;
    for (const am_json *member = object->first; member; member = member->next) {
        if (find_word(member->key) && found) {
            char text[200];
            snprintf(text, sizeof text, "two operators in one object, \"%s\" and \"%s\"; put one inside the other",
                     found->key, member->key);
            return fail_key(r, node, member, text);
        }
        found = find_word(member->key) ? member : found;
    }
    *out = found;
    if (found) {
        return AM_OK;
    }
    if (!object->first) {
        return ami_control_fail(r, node, object, AM_ERR_EMPTY,
                                "an operator is missing in this empty object; write \"null\" for the empty control");
    }
    am_json key = *object->first; // a key that is no word, whatever it holds
    key.type = AM_JSON_NULL;
    return fail_unknown(r, node, &key, key.key);
}

/// Refuses parameters that the word does not have.
static am_result check_keys(const ami_control_reader *r, int node, const word *w, const am_json *object,
                            const am_json *parts)
{
    const char *keys[8] = { w->word };
    int count = 0;
    while (count < 5 && w->keys[count]) {
        count++;
    }
    if (!w->leaf) {
        memcpy(keys + 1, w->keys, (size_t)count * sizeof keys[0]);
        return ami_control_placed(r, node, am_json_only(r->doc, object, keys, count + 1, r->err));
    }
    for (const am_json *member = object->first; member; member = member->next) {
        for (int i = 0; i < count; i++) {
            if (strcmp(member->key, w->keys[i]) == 0) {
                char text[200];
                snprintf(text, sizeof text, "\"%s\" stands inside the operator, as in %s", w->keys[i], w->example);
                return fail_key(r, node, member, text);
            }
        }
    }
    am_result result = ami_control_placed(r, node, am_json_only(r->doc, object, keys, 1, r->err));
    if (result == AM_OK && parts->type != AM_JSON_OBJECT) {
        char text[100];
        return ami_control_fail(r, node, parts, AM_ERR_TYPE, "%s takes an object of parameters, as in %s, not %s",
                                w->word, w->example, got(text, sizeof text, parts));
    }
    if (result == AM_OK && count == 0 && parts->first) {
        char text[100];
        snprintf(text, sizeof text, "%s has no parameters", w->word);
        return fail_key(r, node, parts->first, text);
    }
    return result == AM_OK ? ami_control_placed(r, node, am_json_only(r->doc, parts, w->keys, count, r->err))
                           : result;
}

am_result ami_control_read_operator(ami_control_reader *r, int node, const am_json *at, const char *parent)
{
    const word *w = NULL;
    const am_json *member = NULL;
    am_result result = AM_OK;
    if (at->type == AM_JSON_STRING) {
        w = find_word(at->string);
        if (!w) {
            return fail_unknown(r, node, at, at->string);
        }
        if (!w->bare) {
            return ami_control_fail(r, node, at, AM_ERR_KEY, "%s needs more than its name, as in %s", w->word,
                                    w->example);
        }
    } else if (at->type == AM_JSON_OBJECT) {
        result = pick_word(r, node, at, &member);
        if (result != AM_OK) {
            return result;
        }
        w = find_word(member->key);
        result = check_keys(r, node, w, at, member);
    } else {
        char text[100];
        return ami_control_fail(r, node, at, AM_ERR_TYPE, "%s expects an operator, got %s", parent,
                                got(text, sizeof text, at));
    }
    if (result == AM_OK) {
        node_at(r, node)->kind = w->kind;
        node_at(r, node)->word = w->word;
        result = w->read(r, node, member, at);
    }
    return result == AM_OK ? ami_control_measure(r, node, at) : result;
}
