/// Protocol buffers as far as an ONNX file needs them: fields appended to an am_bytes.
#ifndef AMI_IO_ONNX_H
#define AMI_IO_ONNX_H

#include <amble/net.h>

#include "base/bytes.h"

/// An ONNX graph in the making. After a failed allocation everything does nothing.
typedef struct ami_onnx {
    am_bytes nodes;        ///< fields 1 of GraphProto
    am_bytes initializers; ///< fields 5
    am_bytes infos;        ///< fields 11 and 12
    am_bytes node;         ///< the one that is being made
    am_bytes part;         ///< a message inside it
    bool failed;
    int fresh;       ///< numbers of values that no operation of the graph names
    char prefix[40]; ///< begins their names, and no other
} ami_onnx;

typedef struct ami_onnx_name {
    char text[56];
} ami_onnx_name;

/// A name that nothing else has: the prefix and a number.
ami_onnx_name ami_onnx_fresh(ami_onnx *o);
/// One node: up to four inputs (NULL ends them), one output. Attributes follow, then ami_onnx_end.
void ami_onnx_begin(ami_onnx *o, const char *type, const char *const *inputs, int input_count,
                    const char *const *outputs, int output_count);
void ami_onnx_int(ami_onnx *o, const char *name, int64_t value);
void ami_onnx_ints(ami_onnx *o, const char *name, const int64_t *values, int count);
void ami_onnx_float(ami_onnx *o, const char *name, float value);
void ami_onnx_end(ami_onnx *o);
/// A node without attributes whose output gets a fresh name.
ami_onnx_name ami_onnx_op(ami_onnx *o, const char *type, const char *a, const char *b, const char *c);
/// Constants.
ami_onnx_name ami_onnx_floats(ami_onnx *o, const float *data, const int64_t *dims, int dim_count);
ami_onnx_name ami_onnx_number(ami_onnx *o, float value);
ami_onnx_name ami_onnx_integers(ami_onnx *o, const int64_t *data, int count);
/// Declares an input (field 11) or output (field 12): [batch, width], or [batch, rows, width].
void ami_onnx_info(ami_onnx *o, int field, const char *name, int rows, int width);
/// The whole file.
bool ami_onnx_finish(ami_onnx *o, am_bytes *out, const char *name);
void ami_onnx_free(ami_onnx *o);

#endif
