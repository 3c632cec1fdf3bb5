/// A graph made ready for training: every value of every sample, time slot and layer kept, with its gradient.
///
/// The batch is cut into `blocks` of `columns` samples, each a unit of work for one thread from the first layer to
/// the last and back; recurrence runs over `slots`. A value of rows x width numbers lies as [slot][block][row][width]
/// [columns]. Forward and backward touch one block only, so threads meet once an iteration: before the gradients of
/// the weights, which sum over all blocks and are cut over threads by rows of the matrices.
#ifndef AMI_TRAIN_PLAN_H
#define AMI_TRAIN_PLAN_H

#include <amble/net.h>
#include <amble/tools/network.h>

#include "train/ops.h"

/// One tensor (two for a layer without products, such as a layer norm's gain and shift) whose gradient can be
/// computed in any range of its rows.
typedef struct ami_job {
    int op;
    int tensor, tensor_2; ///< numbers in the graph; tensor_2 is -1 for a single one
    int part;             ///< which of its layer's products
    bool matrix;
    int rows, columns;
} ami_job;

/// `columns` is a multiple of AMI_COLUMNS. With input_grads the gradients of the graph's inputs are kept too.
typedef struct ami_plan_def {
    const am_net_graph *graph; ///< borrowed
    int columns, blocks, slots;
    bool input_grads;
    const am_alloc *alloc;
    bool banded; ///< linear layers keep their matrices in bands too: ami_plan_band follows each change of them
} ami_plan_def;

#define real float
#define PLAN ami_plan_f32
#define OPS ami_ops_f32
#define NAME(x) ami_plan_##x##_f32
#include "train/plan_table.h"
#undef real
#undef PLAN
#undef OPS
#undef NAME

#endif
