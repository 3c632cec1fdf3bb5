// Layers with weight matrices as ONNX nodes: linear, GRU, attention, convolution.
#include "formats/onnx_layer.h"

#include <math.h>

/// x W^T + b of a vector: Gemm, which every runtime knows well.
static void gemm(ami_onnx_layer *e, const char *out, const char *x, int weight, int bias)
{
    int64_t dims[2] = { ami_onnx_tensor(e, weight)->rows, ami_onnx_tensor(e, weight)->columns };
    ami_onnx_name w = ami_onnx_floats(&e->onnx, ami_onnx_data(e, weight), dims, 2);
    ami_onnx_name b = ami_onnx_vector(e, bias);
    const char *inputs[3] = { x, w.text, b.text };
    ami_onnx_begin(&e->onnx, "Gemm", inputs, 3, &out, 1);
    ami_onnx_int(&e->onnx, "transB", 1);
    ami_onnx_end(&e->onnx);
}

/// The same of every row of a set.
static ami_onnx_name matmul(ami_onnx_layer *e, const char *x, int weight, int bias)
{
    size_t rows = (size_t)ami_onnx_tensor(e, weight)->rows, columns = (size_t)ami_onnx_tensor(e, weight)->columns;
    const float *w = ami_onnx_data(e, weight);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            e->room[c * rows + r] = w[r * columns + c];
        }
    }
    int64_t dims[2] = { (int64_t)columns, (int64_t)rows };
    ami_onnx_name turned = ami_onnx_floats(&e->onnx, e->room, dims, 2);
    ami_onnx_name b = ami_onnx_vector(e, bias);
    ami_onnx_name product = ami_onnx_op(&e->onnx, "MatMul", x, turned.text, NULL);
    return ami_onnx_op(&e->onnx, "Add", product.text, b.text, NULL);
}

void ami_onnx_put_linear(ami_onnx_layer *e)
{
    if (ami_onnx_value(e, 0)->rows == 1) {
        gemm(e, e->names[e->op->out].text, ami_onnx_in(e, 0), 0, 1);
    } else {
        ami_onnx_last_plain(e, "Identity", matmul(e, ami_onnx_in(e, 0), 0, 1).text, NULL, NULL);
    }
}

// ---------------------------------------------------------------------------------------------
// GRU

/// The three gates of one product.
static void split(ami_onnx_layer *e, ami_onnx_name part[3], const char *x)
{
    const char *outputs[3];
    for (int i = 0; i < 3; i++) {
        part[i] = ami_onnx_fresh(&e->onnx);
        outputs[i] = part[i].text;
    }
    int64_t width = ami_onnx_out(e)->width;
    const int64_t sizes[3] = { width, width, width };
    ami_onnx_name lengths = ami_onnx_integers(&e->onnx, sizes, 3);
    const char *inputs[2] = { x, lengths.text };
    ami_onnx_begin(&e->onnx, "Split", inputs, 2, outputs, 3);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
}

void ami_onnx_put_gru(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name x = ami_onnx_fresh(o), h = ami_onnx_fresh(o), i[3], g[3];
    gemm(e, x.text, ami_onnx_in(e, 0), 0, 2);
    gemm(e, h.text, ami_onnx_in(e, 1), 1, 3);
    split(e, i, x.text);
    split(e, g, h.text);
    ami_onnx_name reset =
        ami_onnx_op(o, "Sigmoid", ami_onnx_op(o, "Add", i[0].text, g[0].text, NULL).text, NULL, NULL);
    ami_onnx_name keep =
        ami_onnx_op(o, "Sigmoid", ami_onnx_op(o, "Add", i[1].text, g[1].text, NULL).text, NULL, NULL);
    ami_onnx_name past = ami_onnx_op(o, "Mul", reset.text, g[2].text, NULL);
    ami_onnx_name fresh = ami_onnx_op(o, "Tanh", ami_onnx_op(o, "Add", i[2].text, past.text, NULL).text, NULL, NULL);
    ami_onnx_name rest = ami_onnx_op(o, "Sub", ami_onnx_number(o, 1.0f).text, keep.text, NULL);
    ami_onnx_name a = ami_onnx_op(o, "Mul", rest.text, fresh.text, NULL);
    ami_onnx_name b = ami_onnx_op(o, "Mul", keep.text, ami_onnx_in(e, 1), NULL);
    ami_onnx_last_plain(e, "Add", a.text, b.text, NULL);
}

// ---------------------------------------------------------------------------------------------
// Attention

static ami_onnx_name reshape(ami_onnx_layer *e, const char *x, const int64_t *dims, int count)
{
    return ami_onnx_op(&e->onnx, "Reshape", x, ami_onnx_integers(&e->onnx, dims, count).text, NULL);
}

static ami_onnx_name transpose(ami_onnx_layer *e, const char *x, const int64_t order[4])
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Transpose", &x, 1, outputs, 1);
    ami_onnx_ints(&e->onnx, "perm", order, 4);
    ami_onnx_end(&e->onnx);
    return name;
}

static ami_onnx_name to_float(ami_onnx_layer *e, const char *x)
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Cast", &x, 1, outputs, 1);
    ami_onnx_int(&e->onnx, "to", 1);
    ami_onnx_end(&e->onnx);
    return name;
}

/// softmax over the last axis
static ami_onnx_name softmax(ami_onnx_layer *e, const char *x)
{
    ami_onnx_name name = ami_onnx_fresh(&e->onnx);
    const char *outputs[1] = { name.text };
    ami_onnx_begin(&e->onnx, "Softmax", &x, 1, outputs, 1);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
    return name;
}

/// softmax(Q K^T / sqrt key) as [batch][head][row][row], unused columns out of it
static ami_onnx_name weights(ami_onnx_layer *e, const char *used)
{
    ami_onnx *o = &e->onnx;
    int64_t rows = ami_onnx_value(e, 0)->rows, heads = e->op->size[0], key = e->op->size[1];
    const int64_t split_key[4] = { 0, rows, heads, key };
    const int64_t by_head[4] = { 0, 2, 1, 3 }, by_column[4] = { 0, 2, 3, 1 };
    const int64_t over[4] = { 0, 1, 1, rows };
    ami_onnx_name q = reshape(e, matmul(e, ami_onnx_in(e, 0), 0, 1).text, split_key, 4);
    ami_onnx_name k = reshape(e, matmul(e, ami_onnx_in(e, 0), 2, 3).text, split_key, 4);
    q = transpose(e, q.text, by_head);
    k = transpose(e, k.text, by_column);
    ami_onnx_name score = ami_onnx_op(o, "MatMul", q.text, k.text, NULL);
    score = ami_onnx_op(o, "Mul", score.text, ami_onnx_number(o, 1.0f / sqrtf((float)key)).text, NULL);
    ami_onnx_name column = reshape(e, used, over, 4);
    score = ami_onnx_op(o, "Where", column.text, score.text, ami_onnx_number(o, -1e30f).text);
    return softmax(e, score.text);
}

void ami_onnx_put_attention(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    int64_t rows = ami_onnx_value(e, 0)->rows, heads = e->op->size[0], width = e->op->size[2];
    const int64_t split_value[4] = { 0, rows, heads, width }, by_head[4] = { 0, 2, 1, 3 };
    const int64_t down[4] = { 0, 1, rows, 1 }, flat[2] = { 0, heads * width }, one[4] = { 0, 1, 1, 1 },
                  axis[1] = { 2 };
    ami_onnx_name count = ami_onnx_rounded(e, ami_onnx_in(e, 1));
    ami_onnx_name most = ami_onnx_number(o, (float)rows), least = ami_onnx_number(o, 1.0f);
    ami_onnx_name used = ami_onnx_op(o, "Less", ami_onnx_range(e, (int)rows).text, count.text, NULL);
    ami_onnx_name soft = weights(e, used.text);
    // The mean over the rows in use: one weight for each row of V.
    ami_onnx_name mask = reshape(e, to_float(e, used.text).text, down, 4);
    soft = ami_onnx_op(o, "Mul", soft.text, mask.text, NULL);
    soft = ami_onnx_op(o, "ReduceSum", soft.text, ami_onnx_integers(o, axis, 1).text, NULL);
    ami_onnx_name divisor =
        ami_onnx_op(o, "Max", ami_onnx_op(o, "Min", count.text, most.text, NULL).text, least.text, NULL);
    soft = ami_onnx_op(o, "Div", soft.text, reshape(e, divisor.text, one, 4).text, NULL);
    ami_onnx_name v = transpose(e, reshape(e, matmul(e, ami_onnx_in(e, 0), 4, 5).text, split_value, 4).text, by_head);
    ami_onnx_name sum = ami_onnx_op(o, "MatMul", soft.text, v.text, NULL);
    ami_onnx_last_plain(e, "Reshape", sum.text, ami_onnx_integers(o, flat, 2).text, NULL);
}

// ---------------------------------------------------------------------------------------------
// Convolution

void ami_onnx_put_convolution(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    const int32_t *size = e->op->size;
    const am_net_value *out = ami_onnx_out(e);
    const int64_t grid[4] = { -1, size[0], size[1], size[2] }, dims[4] = { size[3], size[0], 3, 3 };
    const int64_t kernel[2] = { 3, 3 }, stride[2] = { 2, 2 }, pads[4] = { 1, 1, 1, 1 };
    const int64_t flat[2] = { -1, out->width }, set[3] = { -1, out->rows, out->width };
    ami_onnx_name x = reshape(e, ami_onnx_in(e, 0), grid, 4), y = ami_onnx_fresh(o);
    ami_onnx_name w = ami_onnx_floats(o, ami_onnx_data(e, 0), dims, 4), b = ami_onnx_vector(e, 1);
    const char *inputs[3] = { x.text, w.text, b.text };
    const char *outputs[1] = { y.text };
    ami_onnx_begin(o, "Conv", inputs, 3, outputs, 1);
    ami_onnx_ints(o, "kernel_shape", kernel, 2);
    ami_onnx_ints(o, "strides", stride, 2);
    ami_onnx_ints(o, "pads", pads, 4);
    ami_onnx_end(o);
    ami_onnx_name shape = out->rows > 1 ? ami_onnx_integers(o, set, 3) : ami_onnx_integers(o, flat, 2);
    ami_onnx_last_plain(e, "Reshape", y.text, shape.text, NULL);
}
