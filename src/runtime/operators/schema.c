// Control schemas: the file around the operators, the sizes of each, and their places in value and vector.
#include "operators/schema_read.h"

#include "base/error.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Sizes

static am_result check_most(const ami_control_reader *r, int node, const am_json *at, const char *what, int64_t size)
{
    if (size <= AM_NET_MOST_WIDTH) {
        return AM_OK;
    }
    return ami_control_fail(r, node, at, AM_ERR_LIMIT, "its %s has %lld numbers; networks take at most %d", what,
                            (long long)size, AM_NET_MOST_WIDTH);
}

/// Rows or columns behind a convolution of stride 2.
static int halved(int n) { return (n + 1) / 2; }

static int64_t map_out(const ami_control_node *n)
{
    int rows = n->rows, columns = n->columns;
    for (int i = 0; i < n->layers; i++) {
        rows = halved(rows);
        columns = halved(columns);
    }
    return (int64_t)n->channels[n->layers - 1] * rows * columns;
}

typedef struct sizes {
    int64_t value, vector, out;
} sizes;

/// Of operators without parts.
static sizes leaf_sizes(const ami_control_node *n)
{
    int64_t grid = (int64_t)n->rows * n->columns;
    switch (n->kind) {
    case AMI_OP_BOOL:
    case AMI_OP_NUMBER:
    case AMI_OP_INDEX:
        return (sizes){ 1, 1, 1 };
    case AMI_OP_LOCATION:
    case AMI_OP_SCALE:
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        return (sizes){ 3, 3, 3 };
    case AMI_OP_ROTATION:
        return (sizes){ 4, 6, 6 };
    case AMI_OP_ONE_OF:
        return (sizes){ 1, n->name_count, n->name_count };
    case AMI_OP_SOME_OF:
        return (sizes){ n->name_count, n->name_count, n->name_count };
    case AMI_OP_HEIGHT_MAP:
        return (sizes){ grid, grid, map_out(n) };
    default:
        return (sizes){ 0, 0, 0 };
    }
}

/// Of the others, from the sums over their parts and the widest part.
static sizes joined_sizes(ami_control_node *n, sizes sum, int widest)
{
    int64_t stride = sum.vector + n->indexed;
    switch (n->kind) {
    case AMI_OP_ENCODE:
        return (sizes){ sum.value, sum.vector, n->width };
    case AMI_OP_OR:
        n->width = n->width ? n->width : widest;
        return (sizes){ 1 + sum.value, 1 + sum.vector, (int64_t)n->width + n->count };
    case AMI_OP_SET:
        return (sizes){ 1 + n->most * sum.value, 1 + n->most * stride, (int64_t)n->heads * n->head + n->most };
    default:
        return sum;
    }
}

am_result ami_control_measure(const ami_control_reader *r, int node, const am_json *at)
{
    ami_control_node *n = &r->schema->nodes[node];
    sizes s = leaf_sizes(n);
    int widest = 0;
    for (int i = 0; i < n->count; i++) {
        const ami_control_node *part = &r->schema->nodes[n->first + i];
        s.value += part->value_count;
        s.vector += part->vector_count;
        s.out += part->out;
        widest = part->out > widest ? part->out : widest;
    }
    if (n->kind == AMI_OP_SET && (s.vector == 0 || s.out == 0) && r->mistakes == 0) {
        return ami_control_fail(r, node, at, AM_ERR_EMPTY, "%s holds items without any number", n->word);
    }
    if (n->count) {
        s = joined_sizes(n, s, widest);
    }
    am_result result = check_most(r, node, at, "value", s.value);
    result = result == AM_OK ? check_most(r, node, at, "vector", s.vector) : result;
    result = result == AM_OK ? check_most(r, node, at, "encoding", s.out) : result;
    if (result == AM_OK) {
        n->value_count = (int)s.value;
        n->vector_count = (int)s.vector;
        n->out = (int)s.out;
    }
    return result;
}

int64_t ami_control_parameters(const am_control_schema *schema, int node)
{
    const ami_control_node *n = &schema->nodes[node];
    int64_t sum = 0, item = n->count ? schema->nodes[n->first].out + n->indexed : 0;
    switch (n->kind) {
    case AMI_OP_ENCODE:
        return (item + 1) * n->width;
    case AMI_OP_OR:
        for (int i = 0; i < n->count; i++) {
            sum += (int64_t)(schema->nodes[n->first + i].out + 1) * n->width;
        }
        return sum;
    case AMI_OP_SET:
        return (item + 1) * n->heads * (2 * n->key + n->head);
    case AMI_OP_HEIGHT_MAP:
        for (int i = 0; i < n->layers; i++) {
            sum += (int64_t)((i ? n->channels[i - 1] : 1) * 9 + 1) * n->channels[i];
        }
        return sum;
    default:
        return 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Places

/// The parts of a node behind its own number; those of a set's item are of item 0.
static void place_parts(am_control_schema *s, const ami_control_node *n)
{
    int own = n->kind == AMI_OP_OR || n->kind == AMI_OP_SET;
    int value = n->value + own, vector = n->vector + own + n->indexed;
    for (int i = 0; i < n->count; i++) {
        ami_control_node *part = &s->nodes[n->first + i];
        part->value = value;
        part->vector = vector;
        value += part->value_count;
        vector += part->vector_count;
    }
}

static uint64_t hash_text(const char *text, uint64_t hash) { return am_hash64(text, strlen(text) + 1, hash); }

/// Of everything that decides layout and encoder, the names of parts included.
static uint64_t hash_nodes(const am_control_schema *s)
{
    uint64_t hash = 0;
    for (int i = 0; i < s->node_count; i++) {
        const ami_control_node *n = &s->nodes[i];
        int32_t scale = 0;
        memcpy(&scale, &n->scale, sizeof scale);
        const int32_t whole[] = { (int32_t)n->kind, n->parent,     n->first,       n->count,       n->most,
                                  n->heads,         n->key,        n->head,        n->width,       n->activation,
                                  n->world,         n->optional,   n->indexed,     n->numbered,    n->rows,
                                  n->columns,       n->layers,     n->channels[0], n->channels[1], n->channels[2],
                                  n->channels[3],   n->name_count, scale };
        for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++) {
            const uint32_t bits = (uint32_t)whole[k];
            const uint8_t bytes[4] = { (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                       (uint8_t)(bits >> 24) };
            hash = am_hash64(bytes, sizeof bytes, hash);
        }
        hash = hash_text(n->name, hash);
        for (int k = 0; k < n->name_count; k++) {
            hash = hash_text(n->names[k], hash);
        }
    }
    return hash;
}

// ---------------------------------------------------------------------------------------------
// The whole

/// Builds the encoder once: a schema that can be read can be built.
static am_result try_encoder(const ami_control_reader *r, const am_json *control)
{
    am_control_schema *s = r->schema;
    const ami_control_node *root = &s->nodes[0];
    s->vector_count = root->vector_count;
    s->width = root->out;
    if (s->width == 0) {
        return AM_OK;
    }
    if (s->vector_count == 0) {
        return ami_control_fail(r, 0, control, AM_ERR_EMPTY, "it encodes no numbers; write \"null\" for no control");
    }
    am_net_graph *graph = NULL;
    am_result result = ami_net_graph_create(&graph, "encoder", &s->alloc, r->err);
    if (result != AM_OK) {
        return result;
    }
    ami_control_encoder(graph, s, ami_net_graph_input(graph, "control", s->vector_count));
    result = graph->failed;
    if (result == AM_ERR_MEMORY) {
        ami_fail(r->err, result, "%s", graph->reason);
    } else if (result != AM_OK) {
        result = ami_control_fail(r, 0, control, AM_ERR_LIMIT, "its encoder is too large: %s", graph->reason);
    }
    am_net_graph_destroy(graph);
    return result;
}

static am_result read_root(ami_control_reader *r, const am_json *root)
{
    static const char *const keys[] = { "name", "control" };
    am_control_schema *s = r->schema;
    am_result result = am_json_only(r->doc, root, keys, 2, r->err);
    if (root->type != AM_JSON_OBJECT) {
        return result;
    }
    result = ami_control_tolerate(r, result);
    if (result == AM_OK) {
        result = ami_control_tolerate(r, am_json_read_string(r->doc, root, "name", false, &s->name, r->err));
    }
    const am_json *control = result == AM_OK ? am_json_get(root, "control") : NULL;
    if (result == AM_OK && !control) {
        return am_json_fail(r->doc, root, AM_ERR_KEY, r->err,
                            "\"control\" is missing: the operator that the schema is, as in "
                            "{\"control\": {\"and\": {\"target\": \"location\"}}}");
    }
    if (result == AM_OK) {
        s->nodes[0] = (ami_control_node){
            .word = "null", .name = "", .parent = -1, .activation = -1, .scale = 1.0f, .world = true
        };
        s->node_count = 1;
        result = ami_control_read_operator(r, 0, control, "control");
    }
    for (int i = 0; i < s->node_count && result == AM_OK; i++) {
        place_parts(s, &s->nodes[i]); // parents stand before their parts
    }
    return result == AM_OK && r->mistakes == 0 ? try_encoder(r, control) : result;
}

/// Keeps what outlives the reading: nodes without their room, name and text.
static bool keep(am_control_schema *s, ami_arena *arena, const char *text, size_t size)
{
    const ami_control_node *nodes = s->nodes;
    s->nodes = ami_arena_get(arena, (size_t)s->node_count * sizeof *nodes);
    s->name = ami_arena_text(arena, s->name, strlen(s->name));
    s->text = ami_arena_text(arena, text, size);
    s->text_size = size;
    if (s->nodes) {
        memcpy(s->nodes, nodes, (size_t)s->node_count * sizeof *nodes);
    }
    return s->nodes && s->name && s->text;
}

/// Reads into r->schema; with `report`, for the mistakes alone.
static am_result read_schema(ami_control_reader *r, const char *text, size_t size, const char *file)
{
    enum { room = AMI_CONTROL_MOST_NODES * sizeof(ami_control_node) };
    am_control_schema *s = r->schema;
    am_json_doc *doc = NULL;
    am_result result = am_json_parse(&doc, text, size, file, &s->alloc, r->err);
    if (result != AM_OK) {
        return result;
    }
    ami_control_node *nodes = ami_alloc_zero(&s->alloc, room);
    s->nodes = nodes;
    s->name = "control";
    r->doc = doc;
    result = nodes ? read_root(r, am_json_root(doc)) : ami_fail_memory(r->err, room);
    if (result == AM_OK && nodes && r->mistakes == 0) {
        s->value_count = nodes[0].value_count;
        s->hash = hash_nodes(s);
        result = keep(s, r->arena, text, size) ? AM_OK : ami_fail_memory(r->err, size);
    }
    ami_release(&s->alloc, nodes, room);
    am_json_free(doc);
    return result;
}

/// An empty schema in an arena of its own; NULL without memory.
static am_control_schema *make(ami_arena *arena, const am_alloc *alloc)
{
    *arena = ami_arena_make(alloc);
    am_control_schema *s = ami_arena_get(arena, sizeof *s);
    struct am_control_schema_own *own = ami_arena_get(arena, sizeof *own);
    if (!s || !own) {
        ami_arena_free(arena);
        return NULL;
    }
    s->alloc = arena->alloc;
    s->own = own;
    return s;
}

am_result am_control_schema_read(am_control_schema **out, const char *text, size_t size, const char *file,
                                 const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    ami_arena arena;
    am_control_schema *s = make(&arena, alloc);
    if (!s) {
        return ami_fail_memory(err, sizeof *s);
    }
    ami_control_reader r = { .schema = s, .arena = &arena, .err = err };
    am_result result = read_schema(&r, text, size, file);
    if (result != AM_OK) {
        ami_arena_free(&arena);
        return result;
    }
    s->own->arena = arena;
    *out = s;
    return AM_OK;
}

int ami_control_schema_check(const char *text, size_t size, const char *file, const am_alloc *alloc,
                             ami_control_report report, void *user)
{
    ami_arena arena;
    am_error err = { 0 };
    am_control_schema *s = make(&arena, alloc);
    if (!s) {
        return -1;
    }
    ami_control_reader r = { .schema = s, .arena = &arena, .err = &err, .report = report, .user = user };
    am_result result = ami_control_tolerate(&r, read_schema(&r, text, size, file));
    ami_arena_free(&arena);
    return result == AM_OK ? r.mistakes : -1;
}

void am_control_schema_destroy(am_control_schema *schema)
{
    if (schema) {
        ami_arena arena = schema->own->arena;
        ami_arena_free(&arena);
    }
}
