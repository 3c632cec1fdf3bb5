/// A graph made ready for training: every value of every sample, time slot and layer kept, with its gradient.
///
/// The batch is cut into `blocks` of `columns` samples, each a unit of work for one thread from the first layer to
/// the last and back; recurrence runs over `slots`. A value of rows x width numbers lies as [slot][block][row][width]
/// [columns]. Forward and backward touch one block only, so threads meet once an iteration: before the gradients of
/// the weights, which sum over all blocks and are cut over threads by rows of the matrices.
#ifndef AMI_TRAIN_PLAN_H
#define AMI_TRAIN_PLAN_H

#include <amble/net.h>

#include "train/ops.h"

/// One tensor (two for a layer norm: gain and shift) whose gradient can be computed in any range of its rows.
typedef struct ami_job {
    int op;
    int tensor, tensor_2; ///< numbers in the graph; tensor_2 is -1 but for a layer norm
    int part;             ///< which product of a GRU or attention: see plan_body.h
    bool matrix;
    int rows, columns;
} ami_job;

#define AMI_PLAN(name, real, ops_type)                                                                               \
    typedef struct name {                                                                                            \
        const am_graph *graph;                                                                                       \
        const ops_type *ops;                                                                                         \
        real *weights; /* [graph->weight_count], the caller's */                                                     \
        int columns, blocks, slots;                                                                                  \
        real **value, **grad; /* [value] -> first slot, first block; grad NULL where none is wanted */               \
        size_t *span;         /* [value] numbers of one slot's block */                                              \
        real **turned;        /* [value] the same transposed, (row, columns, ldx): for the weights' gradients */     \
        real **aux;           /* [op] what the operation keeps for its way back */                                   \
        size_t *aux_span;                                                                                            \
        bool *seeded;     /* [value] gradient begins at zero: outputs, and what states take over */                  \
        int *first_touch; /* [value] the last operation that reads it: on the way back it overwrites */              \
        ami_job *jobs;                                                                                               \
        int job_count;                                                                                               \
        void *block; /* all of the above in one allocation */                                                        \
        size_t block_size;                                                                                           \
        am_alloc alloc;                                                                                              \
    } name;

AMI_PLAN(ami_plan_f32, float, ami_ops_f32)
AMI_PLAN(ami_plan_f64, double, ami_ops_f64)

/// `columns` is a multiple of AMI_COLUMNS. With input_grads the gradients of the graph's inputs are kept too.
typedef struct ami_plan_def {
    const am_graph *graph; ///< borrowed
    int columns, blocks, slots;
    bool input_grads;
    const am_alloc *alloc;
} ami_plan_def;

#define AMI_PLAN_FUNCTIONS(suffix, real)                                                                             \
    am_result ami_plan_create_##suffix(ami_plan_##suffix **out, const ami_plan_def *def,                             \
                                       const ami_ops_##suffix *ops, real *weights, am_error *err);                   \
    void ami_plan_destroy_##suffix(ami_plan_##suffix *plan);                                                         \
    /* Numbers of a value in one slot's block; NULL gradient where none is kept. */                                  \
    real *ami_plan_value_##suffix(const ami_plan_##suffix *plan, int value, int slot, int block);                    \
    real *ami_plan_grad_##suffix(const ami_plan_##suffix *plan, int value, int slot, int block);                     \
    /* All values of a slot's block from its inputs and, through states, the slot before; gradients of outputs       \
       become zero. */                                                                                               \
    void ami_plan_forward_##suffix(const ami_plan_##suffix *plan, int slot, int block);                              \
    /* All gradients of a slot's block from those of its outputs; slots from the last to the first. */               \
    void ami_plan_backward_##suffix(const ami_plan_##suffix *plan, int slot, int block);                             \
    /* Gradient of rows first .. first + rows - 1 of a job's tensor into g(rows, columns) (g_2 for its second). */   \
    void ami_plan_gradient_##suffix(const ami_plan_##suffix *plan, int job, int first, int rows, real *g, real *g_2);

AMI_PLAN_FUNCTIONS(f32, float)
AMI_PLAN_FUNCTIONS(f64, double)

#endif
