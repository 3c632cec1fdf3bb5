// The encoder of a schema as a graph (Operators eq. 1 to 19). Parts whose encoding is their part of the vector as it
// is are cut out of it together; everything else becomes layers.
#include "operators/control.h"

#include "net/layer.h"

#include <math.h>

/// Where parts are read from: the whole vector, or the items of a set.
typedef struct builder {
    am_net_graph *graph;
    const am_control_schema *schema;
    int x;     ///< value with rows x width numbers
    int first; ///< place in the vector of its first number, of item 0
    int rows;  ///< 1, or the most items
} builder;

static const ami_control_node *node_at(const builder *b, int node) { return &b->schema->nodes[node]; }

static int build(const builder *b, int node);

/// Numbers first .. first + width - 1 of the vector.
static int cut(const builder *b, int first, int width)
{
    const am_net_graph *g = b->graph;
    bool all = g->failed == AM_OK && b->x >= 0 && first == b->first && width == g->values[b->x].width;
    return all ? b->x : ami_net_graph_slice(b->graph, b->x, first - b->first, width);
}

/// Values joined one behind another, more than one operation can read at once.
typedef struct joint {
    const builder *b;
    int values[AM_NET_MOST_IN], count;
} joint;

static void add_value(joint *j, int value)
{
    if (j->count == AM_NET_MOST_IN) {
        j->values[0] = ami_net_graph_concat(j->b->graph, j->values, j->count);
        j->count = 1;
    }
    j->values[j->count++] = value;
}

static int joined(const joint *j)
{
    return j->count == 1 ? j->values[0] : ami_net_graph_concat(j->b->graph, j->values, j->count);
}

/// True when a part's encoding is what the vector has.
static bool is_plain(const builder *b, int node)
{
    const ami_control_node *n = node_at(b, node);
    bool plain = n->kind == AMI_OP_NULL || n->kind == AMI_OP_AND ||
                 (ami_control_is_typed(n->kind) && n->kind != AMI_OP_HEIGHT_MAP);
    for (int i = 0; i < n->count && plain; i++) {
        plain = is_plain(b, n->first + i);
    }
    return plain;
}

/// eq. 10, 13, 14, 17. Plain neighbours are cut out together.
static int build_and(const builder *b, const ami_control_node *n)
{
    joint j = { .b = b };
    int first = n->vector, width = 0;
    for (int i = 0; i < n->count; i++) {
        const ami_control_node *part = node_at(b, n->first + i);
        if (is_plain(b, n->first + i)) {
            width += part->vector_count;
            continue;
        }
        if (width) {
            add_value(&j, cut(b, first, width));
        }
        add_value(&j, build(b, n->first + i));
        first = part->vector + part->vector_count;
        width = 0;
    }
    if (width) {
        add_value(&j, cut(b, first, width));
    }
    return joined(&j);
}

/// W x + b of a part; of nothing, the bias alone (eq. 15).
static int build_linear(const builder *b, int part, int width)
{
    return node_at(b, part)->out ? ami_net_graph_linear(b->graph, build(b, part), width)
                                 : ami_net_graph_constant(b->graph, b->rows, width);
}

/// eq. 11, 15, 16
static int build_or(const builder *b, const ami_control_node *n)
{
    int index = cut(b, n->vector, 1), branch[AM_NET_MOST_IN];
    int hot = ami_net_graph_encode(b->graph, index, AM_NET_ONE_HOT, n->count);
    if (!n->width) {
        return hot; // a choice between names alone
    }
    for (int i = 0; i < n->count; i++) {
        branch[i] = build_linear(b, n->first + i, n->width);
    }
    const int both[2] = { ami_net_graph_choose(b->graph, index, branch, n->count), hot };
    return ami_net_graph_concat(b->graph, both, 2);
}

/// eq. 12, 18, 19
static int build_set(const builder *b, const ami_control_node *n)
{
    const ami_control_node *item = node_at(b, n->first);
    int stride = item->vector_count + n->indexed, count = cut(b, n->vector, 1);
    builder inside = { b->graph, b->schema, 0, n->vector + 1, n->most };
    inside.x = ami_net_graph_rows(b->graph, b->x, n->vector + 1 - b->first, n->most, stride);
    int set = inside.x;
    if (!is_plain(b, n->first)) {
        joint j = { .b = b };
        if (n->indexed) {
            add_value(&j, cut(&inside, n->vector + 1, 1));
        }
        add_value(&j, build(&inside, n->first));
        set = joined(&j);
    }
    const int both[2] = { ami_net_graph_attention(b->graph, set, count, n->heads, n->key, n->head),
                          ami_net_graph_encode(b->graph, count, AM_NET_COUNT, n->most) };
    return ami_net_graph_concat(b->graph, both, 2);
}

static int activated(const builder *b, const ami_control_node *n, int value)
{
    return n->activation < 0 ? value : ami_net_graph_activation(b->graph, value, (am_net_kind)n->activation);
}

static int build_height_map(const builder *b, const ami_control_node *n)
{
    int value = cut(b, n->vector, n->vector_count);
    for (int i = 0, rows = n->rows, columns = n->columns; i < n->layers; i++) {
        int channels = i ? n->channels[i - 1] : 1;
        value = ami_net_graph_convolution(b->graph, value, channels, rows, columns, n->channels[i]);
        value = activated(b, n, value);
        rows = (rows + 1) / 2;
        columns = (columns + 1) / 2;
    }
    return value;
}

/// The encoding of a part that has one.
static int build(const builder *b, int node)
{
    const ami_control_node *n = node_at(b, node);
    if (is_plain(b, node)) {
        return cut(b, n->vector, n->vector_count);
    }
    switch (n->kind) {
    case AMI_OP_HEIGHT_MAP:
        return build_height_map(b, n);
    case AMI_OP_ENCODE: // eq. 9
        return activated(b, n, build_linear(b, n->first, n->width));
    case AMI_OP_OR:
        return build_or(b, n);
    case AMI_OP_SET:
        return build_set(b, n);
    default:
        return build_and(b, n);
    }
}

int ami_control_encoder(am_net_graph *graph, const am_control_schema *schema, int x)
{
    if (schema->width == 0) {
        return -1;
    }
    if (graph->failed == AM_OK && (x < 0 || x >= graph->value_count || graph->values[x].rows != 1 ||
                                   graph->values[x].width != schema->vector_count)) {
        return ami_graph_fault(graph, AM_ERR_DEF, "schema '%s' is read from a vector of %d numbers", schema->name,
                               schema->vector_count);
    }
    const builder b = { graph, schema, ami_net_graph_normalise(graph, x), 0, 1 };
    return build(&b, 0);
}

// ---------------------------------------------------------------------------------------------
// Scales

/// Squares of the numbers of each typed part, over all vectors in which it is there.
typedef struct sums {
    const am_control_schema *schema;
    double square[AMI_CONTROL_MOST_NODES], count[AMI_CONTROL_MOST_NODES];
} sums;

static bool is_scaled(ami_operator kind)
{
    return ami_control_is_typed(kind) && kind != AMI_OP_BOOL && kind != AMI_OP_ONE_OF && kind != AMI_OP_SOME_OF;
}

static void add_squares(sums *s, int node, const float *vector)
{
    const ami_control_node *n = &s->schema->nodes[node], *first = &s->schema->nodes[n->first];
    if (n->kind == AMI_OP_OR) {
        int branch = ami_control_index(vector[0], n->count);
        add_squares(s, n->first + branch, vector + (first[branch].vector - n->vector));
    } else if (n->kind == AMI_OP_SET) {
        int used = ami_control_index(vector[0], n->most + 1);
        for (int i = 0; i < used; i++) {
            ptrdiff_t at = 1 + n->indexed + (ptrdiff_t)i * (first->vector_count + n->indexed);
            add_squares(s, n->first, vector + at);
        }
    } else {
        for (int i = 0; i < n->count; i++) {
            add_squares(s, n->first + i, vector + (first[i].vector - n->vector));
        }
        for (int i = 0; i < n->vector_count && is_scaled(n->kind); i++) {
            s->square[node] += (double)vector[i] * (double)vector[i];
            s->count[node] += 1.0;
        }
    }
}

/// Writes the scale of a typed part, in a set that of each item.
static void put_scale(const am_control_schema *schema, int node, float *scales, float scale)
{
    const ami_control_node *n = &schema->nodes[node];
    int items = 1, stride = 0;
    for (int above = n->parent; above >= 0; above = schema->nodes[above].parent) {
        const ami_control_node *set = &schema->nodes[above];
        if (set->kind == AMI_OP_SET) {
            items = set->most;
            stride = schema->nodes[set->first].vector_count + set->indexed;
        }
    }
    for (int i = 0; i < items * n->vector_count; i++) {
        scales[n->vector + i / n->vector_count * stride + i % n->vector_count] = scale;
    }
}

void ami_control_encoder_scales(am_net_graph *graph, const am_control_schema *schema, const float *vectors, int count)
{
    const double least = 1e-4; // below, a part did not vary: it is left as it is
    float *scales = NULL;
    for (int i = 0; i < graph->op_count && !scales; i++) {
        const am_net_op *op = &graph->ops[i];
        if (op->kind == AM_NET_NORMALISE && graph->values[op->out].width == schema->vector_count) {
            scales = ami_net_graph_tensor(graph, op->out, 1);
        }
    }
    sums s = { .schema = schema };
    for (int i = 0; i < count; i++) {
        add_squares(&s, 0, vectors + (size_t)i * (size_t)schema->vector_count);
    }
    for (int i = 0; i < schema->node_count && scales; i++) {
        double deviation = s.count[i] > 0.0 ? sqrt(s.square[i] / s.count[i]) : 0.0;
        if (is_scaled(schema->nodes[i].kind)) {
            put_scale(schema, i, scales, deviation > least && deviation < 1e12 ? (float)(1.0 / deviation) : 1.0f);
        }
    }
}
