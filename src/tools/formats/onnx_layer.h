/// One operation on its way into an ONNX file: what the layers of formats/onnx_*.c share.
#ifndef AMI_IO_ONNX_LAYER_H
#define AMI_IO_ONNX_LAYER_H

#include "formats/onnx.h"
#include "net/build.h"
#include <amble/tools/network.h>

typedef struct ami_onnx_layer {
    ami_onnx onnx;
    const am_net_graph *graph;
    const am_net_op *op;
    ami_onnx_name *names; ///< [value]
    float *room;          ///< a transposed matrix, or a row of numbers
} ami_onnx_layer;

/// Appends the nodes of one operation; the last of them makes the operation's own output.
#define AMI_LAYER(KIND, name) void ami_onnx_put_##name(ami_onnx_layer *e);
AMI_NET_LAYERS(AMI_LAYER)
#undef AMI_LAYER

/// Name and value of input i.
static inline const char *ami_onnx_in(const ami_onnx_layer *e, int i) { return e->names[e->op->in[i]].text; }
static inline const am_net_value *ami_onnx_value(const ami_onnx_layer *e, int i)
{
    return &e->graph->values[e->op->in[i]];
}
/// What it makes.
static inline const am_net_value *ami_onnx_out(const ami_onnx_layer *e) { return &e->graph->values[e->op->out]; }
static inline const am_net_tensor *ami_onnx_tensor(const ami_onnx_layer *e, int which)
{
    return &e->graph->tensors[e->op->tensor[which]];
}
static inline const float *ami_onnx_data(const ami_onnx_layer *e, int which)
{
    return e->graph->weights + ami_onnx_tensor(e, which)->offset;
}

/// A tensor with one row as a constant of that many numbers.
ami_onnx_name ami_onnx_vector(ami_onnx_layer *e, int which);
/// Numbers 0 .. n - 1 as a row.
ami_onnx_name ami_onnx_range(ami_onnx_layer *e, int n);
/// The nearest integer of an index, as the runtime rounds: floor(x + 1/2).
ami_onnx_name ami_onnx_rounded(ami_onnx_layer *e, const char *x);
/// Begins a node with the operation's own output: attributes follow, then ami_onnx_end.
void ami_onnx_last(ami_onnx_layer *e, const char *type, const char *a, const char *b, const char *c);
/// The same without attributes.
void ami_onnx_last_plain(ami_onnx_layer *e, const char *type, const char *a, const char *b, const char *c);

#endif
