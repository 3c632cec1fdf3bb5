// The plain evaluation of control schemas; see operators.h.
#include "support/operators.h"

#include <math.h>

const char *const operators_everything =
    "{'name': 'everything', 'control': {'or': {\n"
    "  'stand': 'null',\n"
    "  'walk': {'and': {\n"
    "    'target': 'location',\n"
    "    'facing': {'optional': 'direction', 'width': 5},\n"
    "    'speed': {'number': {'scale': 2}},\n"
    "    'style': {'one_of': ['plain', 'proud', 'sad']},\n"
    "    'how': {'some_of': ['quiet', 'loaded']},\n"
    "    'hurry': 'bool'}},\n"
    "  'follow': {'struct': {\n"
    "    'at': {'fixed_array': {'and': {'position': 'location', 'facing': 'direction'}}, 'count': 3},\n"
    "    'path': {'array': {'and': {'position': 'location', 'gait': {'either': {'slow': 'null', 'fast': "
    "'velocity'}}}},\n"
    "      'most': 4, 'heads': 2, 'key_width': 3, 'head_width': 5},\n"
    "    'ground': {'height_map': {'rows': 5, 'columns': 4, 'channels': [2, 3]}}}},\n"
    "  'use': {'inclusive_or': {\n"
    "    'look': 'location',\n"
    "    'chair': 'transform',\n"
    "    'hand': {'encode': {'and': {'which': {'index': {'n': 4}}, 'prop': 'prop'}}, 'width': 6, 'activation': "
    "'tanh'}}},\n"
    "  'meet': {'and': {\n"
    "    'who': {'character': {'joints': ['left_hand']}},\n"
    "    'doors': {'dictionary': {'key': {'enum': ['door', 'gate']}, 'value': {'optional': {'encode': 'velocity', "
    "'width': 4}}},\n"
    "      'most': 3, 'heads': 1, 'key_width': 4, 'head_width': 3},\n"
    "    'others': {'set': {'and': {'place': {'location': {'space': 'local'}}, 'flags': {'flags': ['a', 'b']}}}, "
    "'most': 3}}}},\n"
    "  'width': 7}}\n";

am_control_schema *operators_schema(const char *text)
{
    char quoted[8192];
    size_t size = strlen(text);
    assert_true(size < sizeof quoted);
    for (size_t i = 0; i <= size; i++) {
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    }
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    check_ok(am_control_schema_read(&schema, quoted, size, "test.json", NULL, &err), &err);
    return schema;
}

am_net_graph *operators_graph(const am_control_schema *schema, uint64_t seed)
{
    am_net_graph *graph = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&graph, "encoder", NULL, &err), &err);
    int x = ami_net_graph_input(graph, "control", schema->vector_count);
    ami_net_graph_output(graph, "encoding", ami_control_encoder(graph, schema, x));
    check_ok(ami_net_graph_finish(graph, &err), &err);
    ami_net_graph_randomise(graph, seed);
    enum { count = 50 };
    float *value = calloc((size_t)schema->value_count, sizeof *value);
    float *vectors = calloc((size_t)schema->vector_count * count, sizeof *vectors);
    am_rng rng;
    am_rng_init(&rng, seed);
    const am_transform root = am_transform_identity();
    for (int i = 0; i < count; i++) {
        operators_draw(schema, value, &rng);
        ami_control_flatten(schema, vectors + (ptrdiff_t)i * schema->vector_count, value, &root);
    }
    ami_control_encoder_scales(graph, schema, vectors, count);
    free(vectors);
    free(value);
    return graph;
}

// ---------------------------------------------------------------------------------------------
// Values

static void draw(const am_control_schema *schema, int node, float *value, am_rng *rng)
{
    const ami_control_node *n = &schema->nodes[node], *first = &schema->nodes[n->first];
    for (int i = 0; i < n->value_count; i++) {
        value[i] = am_rng_normal(rng);
    }
    switch (n->kind) {
    case AMI_OP_BOOL:
    case AMI_OP_SOME_OF:
        for (int i = 0; i < n->value_count; i++) {
            value[i] = (float)am_rng_below(rng, 2);
        }
        return;
    case AMI_OP_SCALE:
        for (int i = 0; i < 3; i++) {
            value[i] = am_rng_range(rng, 0.3f, 3.0f);
        }
        return;
    case AMI_OP_INDEX:
        value[0] = (float)am_rng_below(rng, (uint32_t)n->most + 1);
        return;
    case AMI_OP_ONE_OF:
        value[0] = (float)am_rng_below(rng, (uint32_t)n->name_count);
        return;
    case AMI_OP_SET:
        value[0] = (float)am_rng_below(rng, (uint32_t)n->most + 1);
        for (int i = 0; i < n->most; i++) {
            draw(schema, n->first, value + 1 + (ptrdiff_t)i * first->value_count, rng);
        }
        return;
    case AMI_OP_OR:
        value[0] = (float)am_rng_below(rng, (uint32_t)n->count);
        break;
    default:
        break;
    }
    for (int i = 0; i < n->count; i++) {
        draw(schema, n->first + i, value + (first[i].value - n->value), rng);
    }
}

void operators_draw(const am_control_schema *schema, float *value, am_rng *rng) { draw(schema, 0, value, rng); }

// ---------------------------------------------------------------------------------------------
// Places in the character's frame

typedef struct evaluation {
    const am_control_schema *schema;
    const am_net_graph *graph;
    const float *scales; ///< of the normalisation
    double turn[3][3];   ///< columns are the character's axes in the world
    double at[3];        ///< the character
    int op;              ///< the next operation whose weights are due
} evaluation;

/// The rotation matrix of a quaternion of any length.
static void matrix_of(double m[3][3], const double q[4])
{
    const double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double all[3][3] = { { 1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w) },
                               { s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w) },
                               { s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y) } };
    memcpy(m, all, sizeof all);
}

/// turn^T (x - from)
static void to_character(const evaluation *e, double *out, const float *x, const double *from)
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            out[i] += e->turn[k][i] * ((double)x[k] - (from ? from[k] : 0.0));
        }
    }
}

/// Two axes of turn^T R(q).
static void two_axes(const evaluation *e, double *out, const float *x, bool world)
{
    const double q[4] = { (double)x[0], (double)x[1], (double)x[2], (double)x[3] };
    double m[3][3];
    matrix_of(m, q);
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < 3; i++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += e->turn[k][i] * m[k][axis];
            }
            out[3 * axis + i] = world ? sum : m[i][axis];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Equations

/// Tensor `which` of the operation that is due, which is of this kind.
static const float *weights_of(const evaluation *e, am_net_kind kind, int which)
{
    const am_net_op *op = &e->graph->ops[e->op];
    assert_int_equal(op->kind, (int)kind);
    return e->graph->weights + e->graph->tensors[op->tensor[which]].offset;
}

static bool has_weights(const am_net_op *op) { return op->tensor[0] >= 0 && op->kind != AM_NET_NORMALISE; }

static void find_weights(evaluation *e)
{
    while (e->op < e->graph->op_count && !has_weights(&e->graph->ops[e->op])) {
        e->op++;
    }
}

static void next_weights(evaluation *e)
{
    e->op++;
    find_weights(e);
}

/// y(rows) = W x(columns) + b
static void product(double *y, const float *w, const float *b, const double *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        y[r] = (double)b[r];
        for (int c = 0; c < columns; c++) {
            y[r] += (double)w[r * columns + c] * x[c];
        }
    }
}

/// Of a part with numbers a linear layer, of an empty one the bias.
static void linear(evaluation *e, double *y, const double *x, int columns, int rows)
{
    if (columns > 0) {
        product(y, weights_of(e, AM_NET_LINEAR, 0), weights_of(e, AM_NET_LINEAR, 1), x, rows, columns);
    } else {
        product(y, NULL, weights_of(e, AM_NET_CONSTANT, 0), x, rows, 0);
    }
    next_weights(e);
}

static double activated(int kind, double x)
{
    switch (kind) {
    case AM_NET_RELU:
        return x > 0.0 ? x : 0.0;
    case AM_NET_ELU:
        return x > 0.0 ? x : expm1(x);
    case AM_NET_GELU:
        return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
    case AM_NET_TANH:
        return tanh(x);
    case AM_NET_SIGMOID:
        return 1.0 / (1.0 + exp(-x));
    default:
        return x;
    }
}

/// eq. 12: softmax(Q K^T / sqrt d_k) V of the M rows of x, the mean over rows, one head after another.
static void attention(const evaluation *e, double *y, const ami_control_node *n, const double *x, int width, int used)
{
    double *q[3];
    const int wide[3] = { n->heads * n->key, n->heads * n->key, n->heads * n->head };
    for (int m = 0; m < 3; m++) {
        q[m] = calloc((size_t)(used + 1) * (size_t)wide[m], sizeof **q);
        for (int i = 0; i < used; i++) {
            product(q[m] + i * wide[m], weights_of(e, AM_NET_ATTENTION, 2 * m),
                    weights_of(e, AM_NET_ATTENTION, 2 * m + 1), x + (ptrdiff_t)i * width, wide[m], width);
        }
    }
    memset(y, 0, (size_t)wide[2] * sizeof *y);
    double *score = calloc((size_t)used + 1, sizeof *score);
    for (int at = 0; at < n->heads * used; at++) {
        int head = at / used, row = at % used;
        double total = 0.0;
        for (int j = 0; j < used; j++) {
            double dot = 0.0;
            for (int d = 0; d < n->key; d++) {
                dot += q[0][row * wide[0] + head * n->key + d] * q[1][j * wide[1] + head * n->key + d];
            }
            score[j] = exp(dot / sqrt((double)n->key));
            total += score[j];
        }
        for (int j = 0; j < used; j++) {
            for (int d = 0; d < n->head; d++) {
                y[head * n->head + d] += score[j] / total * q[2][j * wide[2] + head * n->head + d] / used;
            }
        }
    }
    free(score);
    for (int m = 0; m < 3; m++) {
        free(q[m]);
    }
}

static double cell(const double *grid, int rows, int columns, int row, int column)
{
    return row >= 0 && row < rows && column >= 0 && column < columns ? grid[row * columns + column] : 0.0;
}

/// One convolution; gives the numbers behind it.
static double *convolved(evaluation *e, double *x, int channels, int rows, int columns, int made, int activation)
{
    const float *w = weights_of(e, AM_NET_CONVOLUTION, 0), *b = weights_of(e, AM_NET_CONVOLUTION, 1);
    const int high = (rows + 1) / 2, wide = (columns + 1) / 2;
    double *y = calloc((size_t)(made * high * wide), sizeof *y);
    for (int o = 0; o < made; o++) {
        for (int p = 0; p < high * wide; p++) {
            double sum = (double)b[o];
            for (int k = 0; k < channels * 9; k++) {
                sum += (double)w[o * channels * 9 + k] * cell(x + k / 9 * rows * columns, rows, columns,
                                                              p / wide * 2 + k % 9 / 3 - 1, p % wide * 2 + k % 3 - 1);
            }
            y[o * high * wide + p] = activated(activation, sum);
        }
    }
    free(x);
    next_weights(e);
    return y;
}

/// eq. 2 to 8 and what goes with them. `scale` is that of the part's first number.
static void typed(evaluation *e, const ami_control_node *n, double *y, const float *value, const float *scale)
{
    double *grid = NULL;
    switch (n->kind) {
    case AMI_OP_LOCATION:
        to_character(e, y, value, e->at);
        break;
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        to_character(e, y, value, NULL);
        break;
    case AMI_OP_ROTATION:
        two_axes(e, y, value, n->world);
        break;
    case AMI_OP_SCALE:
        for (int i = 0; i < 3; i++) {
            y[i] = log((double)value[i]);
        }
        break;
    case AMI_OP_INDEX:
        y[0] = (double)value[0] / n->most;
        break;
    case AMI_OP_NUMBER:
        y[0] = (double)value[0] / (double)n->scale;
        break;
    case AMI_OP_ONE_OF:
        for (int i = 0; i < n->name_count; i++) {
            y[i] = (int)value[0] == i;
        }
        break;
    case AMI_OP_HEIGHT_MAP:
        grid = calloc((size_t)n->value_count, sizeof *grid);
        for (int i = 0; i < n->value_count; i++) {
            grid[i] = ((double)value[i] - (n->world ? e->at[1] : 0.0)) * (double)scale[0];
        }
        for (int i = 0, rows = n->rows, columns = n->columns; i < n->layers; i++) {
            grid = convolved(e, grid, i ? n->channels[i - 1] : 1, rows, columns, n->channels[i], n->activation);
            rows = (rows + 1) / 2;
            columns = (columns + 1) / 2;
        }
        memcpy(y, grid, (size_t)n->out * sizeof *y);
        free(grid);
        return;
    default:
        for (int i = 0; i < n->value_count; i++) {
            y[i] = (double)value[i];
        }
    }
    if (!n->world && (n->kind == AMI_OP_LOCATION || n->kind == AMI_OP_DIRECTION || n->kind == AMI_OP_VELOCITY)) {
        for (int i = 0; i < 3; i++) {
            y[i] = (double)value[i];
        }
    }
    for (int i = 0; i < n->out; i++) {
        y[i] *= (double)scale[i];
    }
}

static void encode(evaluation *e, int node, double *y, const float *value, const float *scale);

/// eq. 12, 18, 19; weights of an item are the same for all items.
static void encode_set(evaluation *e, const ami_control_node *n, double *y, const float *value, const float *scale)
{
    const ami_control_node *item = &e->schema->nodes[n->first];
    const int used = (int)value[0], width = item->out + n->indexed, begin = e->op;
    double *rows = calloc((size_t)n->most * (size_t)width, sizeof *rows);
    for (int i = 0; i < n->most; i++) {
        double *row = rows + (ptrdiff_t)i * width;
        e->op = begin;
        row[0] = (double)i / n->most; // an item's own numbers follow, or stand in its place
        encode(e, n->first, row + n->indexed, value + 1 + (ptrdiff_t)i * item->value_count, scale + 1 + n->indexed);
    }
    attention(e, y, n, rows, width, used);
    next_weights(e);
    for (int i = 0; i < n->most; i++) {
        y[n->heads * n->head + i] = i < used;
    }
    free(rows);
}

/// eq. 11, 15, 16: W_i x + b_i of the branch, then which it is.
static void encode_or(evaluation *e, const ami_control_node *n, double *y, const float *value, const float *scale)
{
    const ami_control_node *first = &e->schema->nodes[n->first];
    double *chosen = calloc((size_t)n->width + 1, sizeof *chosen);
    for (int i = 0; i < n->count; i++) { // all of them, to pass their weights
        double *x = calloc((size_t)first[i].out + 1, sizeof *x);
        encode(e, n->first + i, x, value + (first[i].value - n->value), scale + (first[i].vector - n->vector));
        if (n->width) {
            linear(e, chosen, x, first[i].out, n->width);
        }
        if ((int)value[0] == i) {
            memcpy(y, chosen, (size_t)n->width * sizeof *y);
        }
        y[n->width + i] = (int)value[0] == i;
        free(x);
    }
    free(chosen);
}

static void encode(evaluation *e, int node, double *y, const float *value, const float *scale)
{
    const ami_control_node *n = &e->schema->nodes[node], *first = &e->schema->nodes[n->first];
    if (n->kind == AMI_OP_OR) {
        encode_or(e, n, y, value, scale);
    } else if (n->kind == AMI_OP_SET) {
        encode_set(e, n, y, value, scale);
    } else if (n->kind == AMI_OP_ENCODE) { // eq. 9
        double *x = calloc((size_t)first->out + 1, sizeof *x);
        encode(e, n->first, x, value, scale);
        linear(e, y, x, first->out, n->width);
        for (int i = 0; i < n->width; i++) {
            y[i] = activated(n->activation, y[i]);
        }
        free(x);
    } else if (n->kind == AMI_OP_AND) { // eq. 10
        for (int i = 0; i < n->count; i++) {
            encode(e, n->first + i, y, value + (first[i].value - n->value), scale + (first[i].vector - n->vector));
            y += first[i].out;
        }
    } else if (n->kind != AMI_OP_NULL) {
        typed(e, n, y, value, scale);
    }
}

void operators_reference(double *encoding, const am_control_schema *schema, const am_net_graph *graph,
                         const float *value, const am_transform *root)
{
    evaluation e = { .schema = schema, .graph = graph };
    const double q[4] = { (double)root->rotation.x, (double)root->rotation.y, (double)root->rotation.z,
                          (double)root->rotation.w };
    matrix_of(e.turn, q);
    e.at[0] = (double)root->translation.x;
    e.at[1] = (double)root->translation.y;
    e.at[2] = (double)root->translation.z;
    assert_int_equal(graph->ops[0].kind, AM_NET_NORMALISE);
    e.scales = graph->weights + graph->tensors[graph->ops[0].tensor[1]].offset;
    find_weights(&e);
    encode(&e, 0, encoding, value, e.scales);
    assert_int_equal(e.op, graph->op_count); // every weight was met
}
