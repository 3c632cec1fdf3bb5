// Layers without weight matrices as ONNX nodes.
#include "formats/onnx_layer.h"
#include "net/build.h"

#include <amble/math.h>

// ---------------------------------------------------------------------------------------------
// Activations

static void unary(ami_onnx_layer *e, const char *type)
{
    ami_onnx_last_plain(e, type, ami_onnx_in(e, 0), NULL, NULL);
}

void ami_onnx_put_relu(ami_onnx_layer *e) { unary(e, "Relu"); }
void ami_onnx_put_elu(ami_onnx_layer *e) { unary(e, "Elu"); }
void ami_onnx_put_tanh(ami_onnx_layer *e) { unary(e, "Tanh"); }
void ami_onnx_put_sigmoid(ami_onnx_layer *e) { unary(e, "Sigmoid"); }

void ami_onnx_put_gelu(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name scaled = ami_onnx_op(o, "Div", ami_onnx_in(e, 0), ami_onnx_number(o, 1.41421356f).text, NULL);
    ami_onnx_name erf = ami_onnx_op(o, "Erf", scaled.text, NULL, NULL);
    ami_onnx_name one = ami_onnx_op(o, "Add", erf.text, ami_onnx_number(o, 1.0f).text, NULL);
    ami_onnx_name product = ami_onnx_op(o, "Mul", ami_onnx_in(e, 0), one.text, NULL);
    ami_onnx_last_plain(e, "Mul", product.text, ami_onnx_number(o, 0.5f).text, NULL);
}

// ---------------------------------------------------------------------------------------------
// Normalisation

void ami_onnx_put_norm(ami_onnx_layer *e)
{
    ami_onnx_name gain = ami_onnx_vector(e, 0), shift = ami_onnx_vector(e, 1);
    ami_onnx_last(e, "LayerNormalization", ami_onnx_in(e, 0), gain.text, shift.text);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_float(&e->onnx, "epsilon", e->op->number[0]);
    ami_onnx_end(&e->onnx);
}

/// a, then b, each with a constant vector: Sub and Mul, or Mul and Add.
static void affine(ami_onnx_layer *e, const char *a, int first, const char *b, int second)
{
    ami_onnx_name half = ami_onnx_op(&e->onnx, a, ami_onnx_in(e, 0), ami_onnx_vector(e, first).text, NULL);
    ami_onnx_last_plain(e, b, half.text, ami_onnx_vector(e, second).text, NULL);
}

void ami_onnx_put_normalise(ami_onnx_layer *e) { affine(e, "Sub", 0, "Mul", 1); }
void ami_onnx_put_restore(ami_onnx_layer *e) { affine(e, "Mul", 1, "Add", 0); }

// ---------------------------------------------------------------------------------------------
// Values put together and taken apart

void ami_onnx_put_concat(ami_onnx_layer *e)
{
    const char *inputs[AM_NET_MOST_IN];
    int count = 0;
    for (; count < AM_NET_MOST_IN && e->op->in[count] >= 0; count++) {
        inputs[count] = ami_onnx_in(e, count);
    }
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, "Concat", inputs, count, outputs, 1);
    ami_onnx_int(&e->onnx, "axis", -1);
    ami_onnx_end(&e->onnx);
}

void ami_onnx_put_add(ami_onnx_layer *e)
{
    ami_onnx_last_plain(e, "Add", ami_onnx_in(e, 0), ami_onnx_in(e, 1), NULL);
}

void ami_onnx_put_slice(ami_onnx_layer *e)
{
    int64_t first = e->op->size[0], end = first + ami_onnx_out(e)->width, axis = -1;
    ami_onnx_name starts = ami_onnx_integers(&e->onnx, &first, 1), ends = ami_onnx_integers(&e->onnx, &end, 1);
    ami_onnx_name axes = ami_onnx_integers(&e->onnx, &axis, 1);
    const char *inputs[4] = { ami_onnx_in(e, 0), starts.text, ends.text, axes.text };
    const char *outputs[1] = { e->names[e->op->out].text };
    ami_onnx_begin(&e->onnx, "Slice", inputs, 4, outputs, 1);
    ami_onnx_end(&e->onnx);
}

/// A vector's numbers as a set of vectors; one row stays a vector.
void ami_onnx_put_rows(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    const am_net_value *out = ami_onnx_out(e);
    int64_t first = e->op->size[0], end = first + (int64_t)out->rows * out->width, axis = -1;
    const int64_t dims[3] = { 0, out->rows, out->width }, flat[2] = { 0, out->width };
    ami_onnx_name starts = ami_onnx_integers(o, &first, 1), ends = ami_onnx_integers(o, &end, 1);
    ami_onnx_name axes = ami_onnx_integers(o, &axis, 1), part = ami_onnx_fresh(o);
    const char *inputs[4] = { ami_onnx_in(e, 0), starts.text, ends.text, axes.text };
    const char *outputs[1] = { part.text };
    ami_onnx_begin(o, "Slice", inputs, 4, outputs, 1);
    ami_onnx_end(o);
    ami_onnx_name shape = out->rows > 1 ? ami_onnx_integers(o, dims, 3) : ami_onnx_integers(o, flat, 2);
    ami_onnx_last_plain(e, "Reshape", part.text, shape.text, NULL);
}

void ami_onnx_put_choose(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    ami_onnx_name index = ami_onnx_rounded(e, ami_onnx_in(e, 0));
    ami_onnx_name chosen = ami_onnx_number(o, 0.0f);
    int count = 0;
    while (count < AM_NET_MOST_IN && e->op->in[count] >= 0) {
        count++;
    }
    for (int i = 1; i < count; i++) {
        ami_onnx_name here = ami_onnx_op(o, "Equal", index.text, ami_onnx_number(o, (float)(i - 1)).text, NULL);
        chosen = ami_onnx_op(o, "Where", here.text, ami_onnx_in(e, i), chosen.text);
    }
    ami_onnx_last_plain(e, "Identity", chosen.text, NULL, NULL);
}

/// The same numbers for every sample and row: spread over the batch of the first input.
void ami_onnx_put_constant(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    const char *first = e->names[ami_net_graph_input_at(e->graph, 0)].text;
    ami_onnx_name batch = ami_onnx_fresh(o), shape = ami_onnx_fresh(o);
    const char *outputs[1] = { batch.text };
    ami_onnx_begin(o, "Shape", &first, 1, outputs, 1);
    ami_onnx_int(o, "start", 0);
    ami_onnx_int(o, "end", 1);
    ami_onnx_end(o);
    int64_t width = ami_onnx_out(e)->width, rows = ami_onnx_out(e)->rows;
    const int64_t sizes[2] = { rows, width };
    ami_onnx_name wide = rows > 1 ? ami_onnx_integers(o, sizes, 2) : ami_onnx_integers(o, &width, 1);
    const char *parts[2] = { batch.text, wide.text };
    outputs[0] = shape.text;
    ami_onnx_begin(o, "Concat", parts, 2, outputs, 1);
    ami_onnx_int(o, "axis", 0);
    ami_onnx_end(o);
    int64_t dims[2] = { 1, width };
    ami_onnx_last_plain(e, "Expand", ami_onnx_floats(o, ami_onnx_data(e, 0), dims, 2).text, shape.text, NULL);
}

// ---------------------------------------------------------------------------------------------
// Encodings

static void one_hot(ami_onnx_layer *e, const char *type, bool index_last)
{
    ami_onnx_name index = ami_onnx_rounded(e, ami_onnx_in(e, 0)), places = ami_onnx_range(e, ami_onnx_out(e)->width);
    ami_onnx_name hit = ami_onnx_op(&e->onnx, type, index_last ? places.text : index.text,
                                    index_last ? index.text : places.text, NULL);
    ami_onnx_last(e, "Cast", hit.text, NULL, NULL);
    ami_onnx_int(&e->onnx, "to", 1);
    ami_onnx_end(&e->onnx);
}

void ami_onnx_put_one_hot(ami_onnx_layer *e) { one_hot(e, "Equal", false); }
void ami_onnx_put_count(ami_onnx_layer *e) { one_hot(e, "Less", true); }

void ami_onnx_put_fraction(ami_onnx_layer *e)
{
    ami_onnx_last_plain(e, "Div", ami_onnx_in(e, 0), ami_onnx_number(&e->onnx, e->op->number[0]).text, NULL);
}

void ami_onnx_put_waves(ami_onnx_layer *e)
{
    ami_onnx *o = &e->onnx;
    int width = ami_onnx_out(e)->width;
    int64_t dims[2] = { 1, width };
    for (int i = 0; i < width; i++) {
        e->room[i] = am_exp(-(float)(i - i % 2) / (float)width * am_log(e->op->number[0]));
    }
    ami_onnx_name angle = ami_onnx_op(o, "Mul", ami_onnx_in(e, 0), ami_onnx_floats(o, e->room, dims, 2).text, NULL);
    for (int i = 0; i < width; i++) {
        e->room[i] = (float)(i % 2);
    }
    ami_onnx_name odd = ami_onnx_floats(o, e->room, dims, 2);
    ami_onnx_name cosines = ami_onnx_op(o, "Mul", ami_onnx_op(o, "Cos", angle.text, NULL, NULL).text, odd.text, NULL);
    ami_onnx_name even = ami_onnx_op(o, "Sub", ami_onnx_number(o, 1.0f).text, odd.text, NULL);
    ami_onnx_name sines = ami_onnx_op(o, "Mul", ami_onnx_op(o, "Sin", angle.text, NULL, NULL).text, even.text, NULL);
    ami_onnx_last_plain(e, "Add", sines.text, cosines.text, NULL);
}
