/// Shapes of operations: the one place that knows what each kind reads, makes and owns.
#ifndef AMI_NET_GRAPH_H
#define AMI_NET_GRAPH_H

#include <amble/net.h>
#include <amble/tools/network.h>

typedef struct ami_net_dims {
    int32_t rows, columns;
} ami_net_dims;

/// What an operation makes from what it reads.
typedef struct ami_net_shape {
    ami_net_dims out;
    ami_net_dims tensor[AM_NET_MOST_TENSORS];
    uint32_t flags[AM_NET_MOST_TENSORS]; ///< AM_NET_*
    int tensor_count;
} ami_net_shape;

/// How many values `op` reads: the items of op->in before the first -1.
int ami_net_in_count(const am_net_op *op);

/// Fills `out` for an operation whose inputs are values[op->in[i]], already known to exist. `width` is the output's
/// where the kind leaves it free (linear, one-hot, ...), else ignored. NULL, or what is wrong.
const char *ami_net_infer(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width);

/// Checks a whole graph's lists: order, numbers, shapes, names, states, outputs. `place` says which operation or
/// value is at fault. The tensors' offsets are not checked. NULL, or what is wrong.
const char *ami_net_check(const am_net_value *values, int value_count, const am_net_op *ops, int op_count,
                          const am_net_tensor *tensors, int tensor_count, int *place);

/// A graph with these lists, its weights laid out and zero. The lists were checked.
am_result ami_graph_from(am_net_graph **out, const char *name, const am_net_value *values, int value_count,
                         const am_net_op *ops, int op_count, const am_net_tensor *tensors, int tensor_count,
                         const am_alloc *alloc, am_error *err);

/// One operation of ami_net_graph_eval.
void ami_graph_eval_op(const am_net_graph *graph, int op, double *const *values, int batch);

#endif
