// Readers of operators without parts, and of the ready objects that are made of them.
#include "operators/schema_read.h"

#include "base/error.h"

#include <string.h>

enum { most_side = 256, most_channels = 256 };

static ami_control_node *node_at(const ami_control_reader *r, int node) { return &r->schema->nodes[node]; }

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
        am_result result = ami_control_keep_text(r, &names[n->name_count++], item->string);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
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

// ---------------------------------------------------------------------------------------------
// Typed operators

am_result ami_control_read_plain(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)r, (void)node, (void)parameters, (void)object;
    return AM_OK;
}

am_result ami_control_read_spatial(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    return read_space(r, node, parameters);
}

am_result ami_control_read_number(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    if (!parameters) {
        return AM_OK;
    }
    return ami_control_placed(
        r, node,
        am_json_read_float(r->doc, parameters, "scale", false, &node_at(r, node)->scale, 1e-6f, 1e6f, r->err));
}

am_result ami_control_read_index(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    (void)object;
    return ami_control_read_int(r, node, parameters, "n", true, &node_at(r, node)->most, 1, 1 << 20);
}

am_result ami_control_read_choices(ami_control_reader *r, int node, const am_json *parts, const am_json *object)
{
    (void)object;
    return read_names(r, node, parts);
}

am_result ami_control_read_height_map(ami_control_reader *r, int node, const am_json *parameters,
                                      const am_json *object)
{
    (void)object;
    ami_control_node *n = node_at(r, node);
    float channels[4] = { 8.0f };
    n->layers = 1;
    am_result result = read_space(r, node, parameters);
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, parameters, "rows", true, &n->rows, 2, most_side);
    }
    if (result == AM_OK) {
        result = ami_control_read_int(r, node, parameters, "columns", true, &n->columns, 2, most_side);
    }
    if (result == AM_OK) {
        result = ami_control_read_activation(r, node, parameters);
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
// Ready objects (3.3.1)

typedef struct ready {
    const char *name;
    ami_operator kind;
    const char *word;
} ready;

static am_result add_ready(ami_control_reader *r, int node, const am_json *parameters, const am_json *object,
                           const ready *parts, int count)
{
    am_result result = ami_control_add_parts(r, node, count, object);
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

am_result ami_control_read_transform(ami_control_reader *r, int node, const am_json *parameters,
                                     const am_json *object)
{
    static const ready parts[] = { { "position", AMI_OP_LOCATION, "location" },
                                   { "rotation", AMI_OP_ROTATION, "rotation" },
                                   { "scale", AMI_OP_SCALE, "scale" } };
    return add_ready(r, node, parameters, object, parts, 3);
}

am_result ami_control_read_prop(ami_control_reader *r, int node, const am_json *parameters, const am_json *object)
{
    static const ready parts[] = { { "position", AMI_OP_LOCATION, "location" },
                                   { "rotation", AMI_OP_ROTATION, "rotation" },
                                   { "size", AMI_OP_SCALE, "scale" },
                                   { "velocity", AMI_OP_VELOCITY, "velocity" } };
    return add_ready(r, node, parameters, object, parts, 4);
}

/// Another character: where it is, looks and goes, and where some of its joints are.
am_result ami_control_read_character(ami_control_reader *r, int node, const am_json *parameters,
                                     const am_json *object)
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
