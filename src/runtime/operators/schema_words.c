// Reads the operators of a schema from JSON (Operators section 3). Composed operators become the basic ones that the
// paper defines them by: a transform is an `and` (eq. 13), an optional an `or` of null and its part (eq. 15), an
// array a set whose items begin with their index (eq. 18), and so on.
#include "operators/schema_read.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { most_width = 4096, most_heads = 64, most_head = 1024 };

/// A word that a schema may use.
typedef struct word {
    const char *word;
    ami_operator kind;
    ami_control_reading *read;
    bool leaf;           ///< its parameters are inside: {"index": {"n": 8}}; else beside it
    bool bare;           ///< may stand without parameters
    const char *keys[5]; ///< parameters
    const char *example; ///< ' for ", # for the word
} word;

static ami_control_node *node_at(const ami_control_reader *r, int node) { return &r->schema->nodes[node]; }

// ---------------------------------------------------------------------------------------------
// Operators with parts

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
        return ami_control_fail_key(r, node_at(r, node)->parent, member, text);
    }
    return ami_control_keep_text(r, &node_at(r, node)->name, name);
}

static am_result need_parts(ami_control_reader *r, int node, const am_json *parts, int least, int most)
{
    const char *operator= node_at(r, node)->word;
    char text[100];
    if (parts->type != AM_JSON_OBJECT) {
        return ami_control_fail(r, node, parts, AM_ERR_TYPE, "%s expects an object of named parts, got %s", operator,
                                ami_control_got(text, sizeof text, parts));
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
    am_result result = ami_control_add_parts(r, node, 2, part);
    if (result == AM_OK) {
        result = ami_control_read_operator(r, n->first + 1, part, n->word);
    }
    return result;
}

/// The named parts of a node; each an optional one where `width` is not NULL.
static am_result read_parts(ami_control_reader *r, int node, const am_json *parts, const int *width)
{
    ami_control_node *n = node_at(r, node);
    am_result result = ami_control_add_parts(r, node, parts->count, parts);
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
        result = ami_control_read_int(r, node, object, "width", false, width, 1, most_width);
    }
    return result == AM_OK ? read_parts(r, node, parts, NULL) : result;
}

/// An `and` of optionals (eq. 17).
static am_result read_inclusive_or(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    int width = 0;
    am_result result = need_parts(r, node, parts, 1, AMI_CONTROL_MOST_NODES);
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, object, "width", false, &width, 1, most_width);
    }
    return result == AM_OK ? read_parts(r, node, parts, &width) : result;
}

static am_result read_optional(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    int width = 0;
    am_result result = ami_control_read_int(r, node, object, "width", false, &width, 1, most_width);
    return result == AM_OK ? read_maybe(r, node, part, width) : result;
}

/// An `and` of equal parts (eq. 14).
static am_result read_fixed_array(ami_control_reader *r, int node, const am_json *part, const am_json *object)
{
    int count = 0;
    am_result result = ami_control_read_int(r, node, object, "count", true, &count, 1, AMI_CONTROL_MOST_NODES);
    ami_control_node *n = node_at(r, node);
    n->numbered = true;
    if (result == AM_OK) {
        result = ami_control_add_parts(r, node, count, part);
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
    am_result result = ami_control_read_int(r, node, object, "width", true, &n->width, 1, most_width);
    if (result == AM_OK) {
        result = ami_control_read_activation(r, node, object);
    }
    if (result == AM_OK) {
        result = ami_control_add_parts(r, node, 1, part);
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
    am_result result = ami_control_read_int(r, node, object, "most", true, &n->most, 1, AM_NET_MOST_ROWS);
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, object, "heads", false, &n->heads, 1, most_heads);
    }
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, object, "key_width", false, &n->key, 1, most_head);
    }
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, object, "head_width", false, &n->head, 1, most_head);
    }
    return result == AM_OK ? ami_control_add_parts(r, node, 1, part) : result;
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
// Words

#define SET_KEYS "most", "heads", "key_width", "head_width"
static const word words[] = {
    { "null", AMI_OP_NULL, ami_control_read_plain, true, true, { 0 }, "'#'" },
    { "bool", AMI_OP_BOOL, ami_control_read_plain, true, true, { 0 }, "'#'" },
    { "number", AMI_OP_NUMBER, ami_control_read_number, true, true, { "scale" }, "{'#': {'scale': 2}}" },
    { "location", AMI_OP_LOCATION, ami_control_read_spatial, true, true, { "space" }, "{'#': {'space': 'local'}}" },
    { "rotation", AMI_OP_ROTATION, ami_control_read_spatial, true, true, { "space" }, "{'#': {'space': 'local'}}" },
    { "scale", AMI_OP_SCALE, ami_control_read_plain, true, true, { 0 }, "'#'" },
    { "direction", AMI_OP_DIRECTION, ami_control_read_spatial, true, true, { "space" }, "{'#': {'space': 'local'}}" },
    { "velocity", AMI_OP_VELOCITY, ami_control_read_spatial, true, true, { "space" }, "{'#': {'space': 'local'}}" },
    { "index", AMI_OP_INDEX, ami_control_read_index, true, false, { "n" }, "{'#': {'n': 8}}" },
    { "height_map",
      AMI_OP_HEIGHT_MAP,
      ami_control_read_height_map,
      true,
      false,
      { "rows", "columns", "channels", "activation", "space" },
      "{'#': {'rows': 16, 'columns': 16}}" },
    { "one_of", AMI_OP_ONE_OF, ami_control_read_choices, false, false, { 0 }, "{'#': ['walk', 'run']}" },
    { "enum", AMI_OP_ONE_OF, ami_control_read_choices, false, false, { 0 }, "{'#': ['walk', 'run']}" },
    { "some_of", AMI_OP_SOME_OF, ami_control_read_choices, false, false, { 0 }, "{'#': ['quiet', 'loaded']}" },
    { "flags", AMI_OP_SOME_OF, ami_control_read_choices, false, false, { 0 }, "{'#': ['quiet', 'loaded']}" },
    { "encode",
      AMI_OP_ENCODE,
      read_encode,
      false,
      false,
      { "width", "activation" },
      "{'#': 'location', 'width': 16}" },
    { "and", AMI_OP_AND, read_and, false, false, { 0 }, "{'#': {'target': 'location'}}" },
    { "struct", AMI_OP_AND, read_and, false, false, { 0 }, "{'#': {'target': 'location'}}" },
    { "or", AMI_OP_OR, read_or, false, false, { "width" }, "{'#': {'to': 'location', 'along': 'velocity'}}" },
    { "exclusive_union",
      AMI_OP_OR,
      read_or,
      false,
      false,
      { "width" },
      "{'#': {'to': 'location', 'along': 'velocity'}}" },
    { "either", AMI_OP_OR, read_or, false, false, { "width" }, "{'#': {'to': 'location', 'along': 'velocity'}}" },
    { "optional", AMI_OP_OR, read_optional, false, false, { "width" }, "{'#': 'direction'}" },
    { "inclusive_or",
      AMI_OP_AND,
      read_inclusive_or,
      false,
      false,
      { "width" },
      "{'#': {'look': 'location', 'reach': 'location'}}" },
    { "inclusive_union",
      AMI_OP_AND,
      read_inclusive_or,
      false,
      false,
      { "width" },
      "{'#': {'look': 'location', 'reach': 'location'}}" },
    { "fixed_array", AMI_OP_AND, read_fixed_array, false, false, { "count" }, "{'#': 'location', 'count': 4}" },
    { "set", AMI_OP_SET, read_set, false, false, { SET_KEYS }, "{'#': 'location', 'most': 8}" },
    { "array", AMI_OP_SET, read_set, false, false, { SET_KEYS }, "{'#': 'location', 'most': 8}" },
    { "dictionary",
      AMI_OP_SET,
      read_dictionary,
      false,
      false,
      { SET_KEYS },
      "{'#': {'key': 'bool', 'value': 'location'}, 'most': 8}" },
    { "transform", AMI_OP_AND, ami_control_read_transform, true, true, { "space" }, "'#'" },
    { "character",
      AMI_OP_AND,
      ami_control_read_character,
      true,
      true,
      { "joints", "space" },
      "{'#': {'joints': ['head']}}" },
    { "prop", AMI_OP_AND, ami_control_read_prop, true, true, { "space" }, "'#'" },
};
enum { word_count = sizeof words / sizeof words[0] };

static const char *example(char *out, size_t size, const word *w)
{
    size_t used = 0;
    for (const char *p = w->example; *p && used + 1 < size; p++) {
        if (*p == '#') {
            used += (size_t)snprintf(out + used, size - used, "%s", w->word);
        } else {
            out[used++] = *p == '\'' ? '"' : *p;
        }
    }
    out[used < size ? used : size - 1] = '\0';
    return out;
}

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
                                      : ami_control_fail_key(r, node, at, message);
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
            return ami_control_fail_key(r, node, member, text);
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
                char text[200], shown[100];
                snprintf(text, sizeof text, "\"%s\" stands inside the operator, as in %s", w->keys[i],
                         example(shown, sizeof shown, w));
                return ami_control_fail_key(r, node, member, text);
            }
        }
    }
    am_result result = ami_control_placed(r, node, am_json_only(r->doc, object, keys, 1, r->err));
    if (result == AM_OK && parts->type != AM_JSON_OBJECT) {
        char text[100], shown[100];
        return ami_control_fail(r, node, parts, AM_ERR_TYPE, "%s takes an object of parameters, as in %s, not %s",
                                w->word, example(shown, sizeof shown, w), ami_control_got(text, sizeof text, parts));
    }
    if (result == AM_OK && count == 0 && parts->first) {
        char text[100];
        snprintf(text, sizeof text, "%s has no parameters", w->word);
        return ami_control_fail_key(r, node, parts->first, text);
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
            char shown[100];
            return ami_control_fail(r, node, at, AM_ERR_KEY, "%s needs more than its name, as in %s", w->word,
                                    example(shown, sizeof shown, w));
        }
    } else if (at->type == AM_JSON_OBJECT) {
        result = pick_word(r, node, at, &member);
        if (result != AM_OK || !member) { // there then, which clang-tidy cannot know
            return result;
        }
        w = find_word(member->key);
        result = check_keys(r, node, w, at, member);
    } else {
        char text[100];
        return ami_control_fail(r, node, at, AM_ERR_TYPE, "%s expects an operator, got %s", parent,
                                ami_control_got(text, sizeof text, at));
    }
    if (result == AM_OK) {
        node_at(r, node)->kind = w->kind;
        node_at(r, node)->word = w->word;
        result = w->read(r, node, member, at);
    }
    return result == AM_OK ? ami_control_measure(r, node, at) : result;
}
