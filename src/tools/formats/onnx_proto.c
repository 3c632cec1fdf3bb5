// The protocol buffers of ONNX (onnx.proto of IR version 8), written field by field.
#include "formats/onnx.h"

#include <stdio.h>
#include <string.h>

// Field numbers of the messages that are used.
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    INFO_NAME = 1,
    INFO_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEM = 1,
    TENSOR_TYPE_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_PARAM = 2,
    ELEM_FLOAT = 1,
    ELEM_INT64 = 7,
    KIND_FLOAT = 1,
    KIND_INT = 2,
    KIND_INTS = 7,
    IR_VERSION = 8,
    OPSET = 17, // the first with LayerNormalization
};

static void put_varint(ami_onnx *o, am_bytes *out, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)(value & 0x7F);
        value >>= 7;
        o->failed = o->failed || !ami_put_u8(out, (uint8_t)(byte | (value ? 0x80 : 0)));
    } while (value);
}

static void put_int(ami_onnx *o, am_bytes *out, int field, int64_t value)
{
    put_varint(o, out, (uint64_t)field << 3);
    put_varint(o, out, (uint64_t)value);
}

static void put_block(ami_onnx *o, am_bytes *out, int field, const void *data, size_t size)
{
    put_varint(o, out, (uint64_t)field << 3 | 2u);
    put_varint(o, out, size);
    o->failed = o->failed || (size && !ami_put(out, data, size));
}

static void put_text(ami_onnx *o, am_bytes *out, int field, const char *text)
{
    put_block(o, out, field, text, strlen(text));
}

ami_onnx_name ami_onnx_fresh(ami_onnx *o)
{
    ami_onnx_name name;
    snprintf(name.text, sizeof name.text, "%s%d", o->prefix, o->fresh++);
    return name;
}

// ---------------------------------------------------------------------------------------------
// Nodes

void ami_onnx_begin(ami_onnx *o, const char *type, const char *const *inputs, int input_count,
                    const char *const *outputs, int output_count)
{
    o->node.size = 0; // keeps its room
    for (int i = 0; i < input_count; i++) {
        put_text(o, &o->node, NODE_INPUT, inputs[i]);
    }
    for (int i = 0; i < output_count; i++) {
        put_text(o, &o->node, NODE_OUTPUT, outputs[i]);
    }
    put_text(o, &o->node, NODE_TYPE, type);
}

static void end_attribute(ami_onnx *o, int kind)
{
    put_int(o, &o->part, ATTRIBUTE_TYPE, kind);
    put_block(o, &o->node, NODE_ATTRIBUTE, o->part.data, o->part.size);
}

static void begin_attribute(ami_onnx *o, const char *name)
{
    o->part.size = 0;
    put_text(o, &o->part, ATTRIBUTE_NAME, name);
}

void ami_onnx_int(ami_onnx *o, const char *name, int64_t value)
{
    begin_attribute(o, name);
    put_int(o, &o->part, ATTRIBUTE_I, value);
    end_attribute(o, KIND_INT);
}

void ami_onnx_ints(ami_onnx *o, const char *name, const int64_t *values, int count)
{
    begin_attribute(o, name);
    for (int i = 0; i < count; i++) {
        put_int(o, &o->part, ATTRIBUTE_INTS, values[i]);
    }
    end_attribute(o, KIND_INTS);
}

void ami_onnx_float(ami_onnx *o, const char *name, float value)
{
    begin_attribute(o, name);
    put_varint(o, &o->part, (uint64_t)ATTRIBUTE_F << 3 | 5u);
    o->failed = o->failed || !ami_put_f32(&o->part, value);
    end_attribute(o, KIND_FLOAT);
}

void ami_onnx_end(ami_onnx *o) { put_block(o, &o->nodes, GRAPH_NODE, o->node.data, o->node.size); }

ami_onnx_name ami_onnx_op(ami_onnx *o, const char *type, const char *a, const char *b, const char *c)
{
    ami_onnx_name name = ami_onnx_fresh(o);
    const char *inputs[3] = { a, b, c };
    const char *outputs[1] = { name.text };
    ami_onnx_begin(o, type, inputs, c ? 3 : b ? 2 : 1, outputs, 1);
    ami_onnx_end(o);
    return name;
}

// ---------------------------------------------------------------------------------------------
// Constants

static ami_onnx_name put_tensor(ami_onnx *o, int type, const void *data, size_t size, const int64_t *dims,
                                int dim_count)
{
    ami_onnx_name name = ami_onnx_fresh(o);
    o->part.size = 0;
    for (int i = 0; i < dim_count; i++) {
        put_int(o, &o->part, TENSOR_DIMS, dims[i]);
    }
    put_int(o, &o->part, TENSOR_TYPE, type);
    put_text(o, &o->part, TENSOR_NAME, name.text);
    put_block(o, &o->part, TENSOR_RAW, data, size);
    put_block(o, &o->initializers, GRAPH_INITIALIZER, o->part.data, o->part.size);
    return name;
}

ami_onnx_name ami_onnx_floats(ami_onnx *o, const float *data, const int64_t *dims, int dim_count)
{
    size_t count = 1;
    for (int i = 0; i < dim_count; i++) {
        count *= (size_t)dims[i];
    }
    return put_tensor(o, ELEM_FLOAT, data, count * sizeof *data, dims, dim_count);
}

ami_onnx_name ami_onnx_number(ami_onnx *o, float value)
{
    return put_tensor(o, ELEM_FLOAT, &value, sizeof value, NULL, 0);
}

ami_onnx_name ami_onnx_integers(ami_onnx *o, const int64_t *data, int count)
{
    int64_t dims[1] = { count };
    return put_tensor(o, ELEM_INT64, data, (size_t)count * sizeof *data, dims, 1);
}

// ---------------------------------------------------------------------------------------------
// The whole

static void put_dim(ami_onnx *o, am_bytes *shape, int64_t value)
{
    o->part.size = 0;
    if (value > 0) {
        put_int(o, &o->part, DIM_VALUE, value);
    } else {
        put_text(o, &o->part, DIM_PARAM, "batch");
    }
    put_block(o, shape, SHAPE_DIM, o->part.data, o->part.size);
}

void ami_onnx_info(ami_onnx *o, int field, const char *name, int rows, int width)
{
    am_bytes shape = ami_bytes_make(&o->nodes.alloc);
    put_dim(o, &shape, 0);
    if (rows > 1) {
        put_dim(o, &shape, rows);
    }
    put_dim(o, &shape, width);
    o->part.size = 0;
    put_int(o, &o->part, TENSOR_TYPE_ELEM, ELEM_FLOAT);
    put_block(o, &o->part, TENSOR_TYPE_SHAPE, shape.data, shape.size);
    shape.size = 0;
    put_block(o, &shape, TYPE_TENSOR, o->part.data, o->part.size);
    o->part.size = 0;
    put_text(o, &o->part, INFO_NAME, name);
    put_block(o, &o->part, INFO_TYPE, shape.data, shape.size);
    put_block(o, &o->infos, field, o->part.data, o->part.size);
    am_bytes_free(&shape);
}

bool ami_onnx_finish(ami_onnx *o, am_bytes *out, const char *name)
{
    am_bytes graph = ami_bytes_make(&o->nodes.alloc);
    o->failed = o->failed || (o->nodes.size && !ami_put(&graph, o->nodes.data, o->nodes.size));
    put_text(o, &graph, GRAPH_NAME, name);
    o->failed = o->failed || (o->initializers.size && !ami_put(&graph, o->initializers.data, o->initializers.size));
    o->failed = o->failed || !ami_put(&graph, o->infos.data, o->infos.size);
    put_int(o, out, MODEL_IR_VERSION, IR_VERSION);
    put_text(o, out, MODEL_PRODUCER, "amble");
    put_block(o, out, MODEL_GRAPH, graph.data, graph.size);
    o->part.size = 0;
    put_int(o, &o->part, OPSET_VERSION, OPSET);
    put_block(o, out, MODEL_OPSET, o->part.data, o->part.size);
    am_bytes_free(&graph);
    return !o->failed;
}

void ami_onnx_free(ami_onnx *o)
{
    am_bytes_free(&o->nodes);
    am_bytes_free(&o->initializers);
    am_bytes_free(&o->infos);
    am_bytes_free(&o->node);
    am_bytes_free(&o->part);
}
