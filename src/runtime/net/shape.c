// The inputs, outputs and tensors of each kind of operation, and the check of a whole graph against them.
#include "net/layer.h"
#include "net/build.h"

#include <string.h>

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

void ami_net_add_tensor(ami_net_shape *shape, int32_t rows, int32_t columns, uint32_t flags)
{
    shape->tensor[shape->tensor_count] = (ami_net_dims){ rows, columns };
    shape->flags[shape->tensor_count++] = flags;
}

const char *ami_net_shape_same(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)out, (void)op, (void)values, (void)width;
    return NULL;
}

const char *ami_net_infer(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    memset(out, 0, sizeof *out);
    const ami_net_layer *layer = ami_net_layer_of(op->kind);
    if (!layer) {
        return "is of a kind that this build does not know";
    }
    int count = ami_net_in_count(op);
    if (count < layer->least_in || count > layer->most_in) {
        return "reads too many or too few values";
    }
    if (width < 1 || width > AM_NET_MOST_WIDTH) {
        return "has a width out of range";
    }
    if (count > 0) {
        out->out = (ami_net_dims){ values[op->in[0]].rows, values[op->in[0]].width };
    }
    return layer->shape(out, op, values, width);
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
