// The inputs, outputs and tensors of each kind of operation, and the check of a whole graph against them.
#include "net/graph.h"

#include <string.h>

typedef struct kind_info {
    const char *name;
    const char *tensors[AM_NET_MOST_TENSORS];
} kind_info;

static const kind_info kinds[AM_NET_KIND_COUNT] = {
    [AM_NET_LINEAR] = { "linear", { "weight", "bias" } },
    [AM_NET_RELU] = { "relu", { NULL } },
    [AM_NET_ELU] = { "elu", { NULL } },
    [AM_NET_GELU] = { "gelu", { NULL } },
    [AM_NET_TANH] = { "tanh", { NULL } },
    [AM_NET_SIGMOID] = { "sigmoid", { NULL } },
    [AM_NET_LAYER_NORM] = { "layer norm", { "gain", "shift" } },
    [AM_NET_CONCAT] = { "concat", { NULL } },
    [AM_NET_ADD] = { "add", { NULL } },
    [AM_NET_NORMALISE] = { "normalise", { "mean", "scale" } },
    [AM_NET_RESTORE] = { "restore", { "mean", "scale" } },
    [AM_NET_GRU] = { "gru", { "weight_ih", "weight_hh", "bias_ih", "bias_hh" } },
    [AM_NET_ATTENTION] = { "attention", { "weight_q", "bias_q", "weight_k", "bias_k", "weight_v", "bias_v" } },
    [AM_NET_ONE_HOT] = { "one-hot", { NULL } },
    [AM_NET_COUNT] = { "count", { NULL } },
    [AM_NET_FRACTION] = { "fraction", { NULL } },
    [AM_NET_WAVES] = { "waves", { NULL } },
    [AM_NET_SLICE] = { "slice", { NULL } },
    [AM_NET_CHOOSE] = { "choose", { NULL } },
    [AM_NET_CONSTANT] = { "constant", { "value" } },
};

const char *am_net_kind_name(int kind) { return kind >= 0 && kind < AM_NET_KIND_COUNT ? kinds[kind].name : "?"; }

const char *am_net_tensor_name(int kind, int which)
{
    bool known = kind >= 0 && kind < AM_NET_KIND_COUNT && which >= 0 && which < AM_NET_MOST_TENSORS;
    return known ? kinds[kind].tensors[which] : NULL;
}

const char *am_net_weights_name(am_net_weights weights)
{
    return weights == AM_NET_INT8 ? "int8" : weights == AM_NET_FP16 ? "fp16" : "fp32";
}

int ami_net_in_count(const am_net_op *op)
{
    int count = 0;
    while (count < AM_NET_MOST_IN && op->in[count] >= 0) {
        count++;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// One operation

static void tensor(ami_net_shape *s, int32_t rows, int32_t columns, uint32_t flags)
{
    s->tensor[s->tensor_count] = (ami_net_dims){ rows, columns };
    s->flags[s->tensor_count++] = flags;
}

static const char *infer_many(ami_net_shape *s, const am_net_op *op, const am_net_value *values, int count)
{
    const am_net_value *first = &values[op->in[0]];
    s->out = (ami_net_dims){ first->rows, first->width };
    if (op->kind == AM_NET_ADD) {
        const am_net_value *other = &values[op->in[1]];
        return other->rows != first->rows || other->width != first->width ? "adds values of different sizes" : NULL;
    }
    if (op->kind == AM_NET_CHOOSE) {
        const am_net_value *one = &values[op->in[1]];
        s->out = (ami_net_dims){ 1, one->width };
        for (int i = 1; i < count; i++) {
            if (values[op->in[i]].rows != 1 || values[op->in[i]].width != one->width) {
                return "chooses between values of different sizes";
            }
        }
        return first->rows != 1 || first->width != 1 ? "chooses by an index that is not a single number" : NULL;
    }
    int64_t width = 0;
    for (int i = 0; i < count; i++) {
        if (values[op->in[i]].rows != first->rows) {
            return "joins sets with different numbers of rows";
        }
        width += values[op->in[i]].width;
    }
    if (width > AM_NET_MOST_WIDTH) {
        return "is too wide";
    }
    s->out.columns = (int32_t)width;
    return NULL;
}

static const char *infer_gru(ami_net_shape *s, const am_net_value *x, const am_net_value *h)
{
    if (x->rows != 1 || h->rows != 1) {
        return "cannot step a set";
    }
    if (h->width > AM_NET_MOST_WIDTH / 3) {
        return "is too wide";
    }
    s->out = (ami_net_dims){ 1, h->width };
    tensor(s, 3 * h->width, x->width, AM_NET_MATRIX);
    tensor(s, 3 * h->width, h->width, AM_NET_MATRIX);
    tensor(s, 1, 3 * h->width, 0);
    tensor(s, 1, 3 * h->width, 0);
    return NULL;
}

static const char *infer_attention(ami_net_shape *s, const am_net_op *op, const am_net_value *x,
                                   const am_net_value *count)
{
    int32_t heads = op->size[0], key = op->size[1], value = op->size[2];
    if (heads < 1 || key < 1 || value < 1 || heads > 1024 || key > 4096 || value > 4096 ||
        heads * key > AM_NET_MOST_WIDTH || heads * value > AM_NET_MOST_WIDTH) {
        return "has heads, keys or values out of range";
    }
    if (count->rows != 1 || count->width != 1) {
        return "has a count that is not a single number";
    }
    s->out = (ami_net_dims){ 1, heads * value };
    const int32_t rows[3] = { heads * key, heads * key, heads * value };
    for (int i = 0; i < 3; i++) {
        tensor(s, rows[i], x->width, AM_NET_MATRIX);
        tensor(s, 1, rows[i], 0);
    }
    return NULL;
}

/// Kinds that read one number and make `width` of them.
static const char *infer_encoding(ami_net_shape *s, const am_net_op *op, const am_net_value *x, int width)
{
    s->out = (ami_net_dims){ x->rows, width };
    if (op->kind == AM_NET_FRACTION) {
        s->out.columns = x->width;
    } else if (x->width != 1 || (op->kind == AM_NET_WAVES && width % 2 != 0)) {
        return "encodes a value that is not a single number, or in an odd width";
    }
    if ((op->kind == AM_NET_FRACTION || op->kind == AM_NET_WAVES) &&
        !(op->number[0] >= 1e-6f && op->number[0] <= 1e9f)) {
        return "divides by a number out of range";
    }
    return NULL;
}

static const char *infer_one(ami_net_shape *s, const am_net_op *op, const am_net_value *x, int width)
{
    s->out = (ami_net_dims){ x->rows, x->width };
    switch (op->kind) {
    case AM_NET_LINEAR:
        s->out.columns = width;
        tensor(s, width, x->width, AM_NET_MATRIX);
        tensor(s, 1, width, 0);
        return NULL;
    case AM_NET_LAYER_NORM:
        tensor(s, 1, x->width, 0);
        tensor(s, 1, x->width, 0);
        return op->number[0] >= 0.0f && op->number[0] <= 1.0f ? NULL : "has an eps out of range";
    case AM_NET_NORMALISE:
    case AM_NET_RESTORE:
        tensor(s, 1, x->width, AM_NET_FIXED);
        tensor(s, 1, x->width, AM_NET_FIXED);
        return NULL;
    case AM_NET_SLICE:
        s->out.columns = width;
        return op->size[0] >= 0 && op->size[0] <= x->width - width ? NULL : "reaches beyond the value that it cuts";
    case AM_NET_ONE_HOT:
    case AM_NET_COUNT:
    case AM_NET_FRACTION:
    case AM_NET_WAVES:
        return infer_encoding(s, op, x, width);
    default:
        return NULL; // activations
    }
}

static bool takes(int kind, int count)
{
    switch (kind) {
    case AM_NET_CONSTANT:
        return count == 0;
    case AM_NET_ADD:
    case AM_NET_GRU:
    case AM_NET_ATTENTION:
        return count == 2;
    case AM_NET_CONCAT:
        return count >= 1;
    case AM_NET_CHOOSE:
        return count >= 2;
    default:
        return count == 1;
    }
}

const char *ami_net_infer(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    memset(out, 0, sizeof *out);
    if (op->kind < 0 || op->kind >= AM_NET_KIND_COUNT) {
        return "is of a kind that this build does not know";
    }
    int count = ami_net_in_count(op);
    if (!takes(op->kind, count)) {
        return "reads too many or too few values";
    }
    if (width < 1 || width > AM_NET_MOST_WIDTH) {
        return "has a width out of range";
    }
    switch (op->kind) {
    case AM_NET_CONSTANT:
        out->out = (ami_net_dims){ 1, width };
        tensor(out, 1, width, 0);
        return NULL;
    case AM_NET_ADD:
    case AM_NET_CONCAT:
    case AM_NET_CHOOSE:
        return infer_many(out, op, values, count);
    case AM_NET_GRU:
        return infer_gru(out, &values[op->in[0]], &values[op->in[1]]);
    case AM_NET_ATTENTION:
        return infer_attention(out, op, &values[op->in[0]], &values[op->in[1]]);
    default:
        return infer_one(out, op, &values[op->in[0]], width);
    }
}

// ---------------------------------------------------------------------------------------------
// A whole graph

static bool name_ends(const char *name) { return memchr(name, 0, AM_NET_NAME_SIZE) != NULL; }

static const char *check_value(const am_net_value *values, int count, int v)
{
    const am_net_value *value = &values[v];
    if (value->rows < 1 || value->rows > AM_NET_MOST_ROWS || value->width < 1 || value->width > AM_NET_MOST_WIDTH ||
        !name_ends(value->name) || value->role < AM_NET_INNER || value->role > AM_NET_STATE) {
        return "value out of range";
    }
    if (value->role != AM_NET_STATE) {
        return value->next == -1 ? NULL : "value is kept but is not a state";
    }
    if (value->next < 0 || value->next >= count || value->rows != 1 || values[value->next].rows != 1 ||
        values[value->next].width != value->width) {
        return "state takes over no value, or one of a different size";
    }
    return NULL;
}

static const char *check_outputs(const am_net_value *values, int count)
{
    int outputs = 0, inputs = 0;
    for (int v = 0; v < count; v++) {
        outputs += values[v].output != -1;
        inputs += values[v].role == AM_NET_INPUT;
    }
    for (int o = 0; o < outputs; o++) {
        int found = 0;
        for (int v = 0; v < count; v++) {
            found += values[v].output == o;
        }
        if (found != 1) {
            return "outputs are not numbered consecutively";
        }
    }
    return outputs < 1 || inputs < 1 ? "a graph needs an input and an output" : NULL;
}

static const char *check_op(const am_net_value *values, const am_net_op *op, int made, const am_net_tensor *tensors,
                            int *next_tensor, int tensor_count)
{
    int count = ami_net_in_count(op);
    for (int i = 0; i < AM_NET_MOST_IN; i++) {
        if (i < count ? op->in[i] >= made : op->in[i] != -1) {
            return "reads a value that is not made yet";
        }
    }
    if (op->out != made) {
        return "makes a value out of order";
    }
    ami_net_shape shape;
    const char *wrong = ami_net_infer(&shape, op, values, values[made].width);
    if (wrong) {
        return wrong;
    }
    if (shape.out.rows != values[made].rows || shape.out.columns != values[made].width) {
        return "makes a value of the wrong size";
    }
    for (int t = 0; t < AM_NET_MOST_TENSORS; t++) {
        if (t >= shape.tensor_count) {
            if (op->tensor[t] != -1) {
                return "has too many tensors";
            }
            continue;
        }
        if (op->tensor[t] != *next_tensor || *next_tensor >= tensor_count) {
            return "has no tensor of its own";
        }
        const am_net_tensor *own = &tensors[(*next_tensor)++];
        if (own->rows != shape.tensor[t].rows || own->columns != shape.tensor[t].columns ||
            own->flags != shape.flags[t] || !name_ends(own->name)) {
            return "has a tensor of the wrong size";
        }
    }
    return NULL;
}

const char *ami_net_check(const am_net_value *values, int value_count, const am_net_op *ops, int op_count,
                          const am_net_tensor *tensors, int tensor_count, int *place)
{
    int given = 0;
    *place = 0;
    for (int v = 0; v < value_count; v++) {
        const char *wrong = check_value(values, value_count, v);
        if (wrong) {
            *place = v;
            return wrong;
        }
        given += values[v].role != AM_NET_INNER;
    }
    if (value_count - given != op_count) {
        return "there must be one operation for each value that is not an input or a state";
    }
    int next_tensor = 0, made = 0;
    for (int i = 0; i < op_count; i++, made++) {
        while (made < value_count && values[made].role != AM_NET_INNER) {
            made++;
        }
        const char *wrong = check_op(values, &ops[i], made, tensors, &next_tensor, tensor_count);
        if (wrong) {
            *place = i;
            return wrong;
        }
    }
    if (next_tensor != tensor_count) {
        return "there are tensors that no operation owns";
    }
    return check_outputs(values, value_count);
}
