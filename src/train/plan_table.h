/// A plan of one number type and its functions. Included by plan.h with `real`, PLAN, OPS and NAME(x) defined.

#include <amble/tools/network.h>
typedef struct PLAN {
    const am_net_graph *graph;
    const OPS *ops;
    real *weights; ///< [graph->weight_count], the caller's
    int columns, blocks, slots;
    bool banded;
    real **value, **grad; ///< [value] -> first slot, first block; grad NULL where none is wanted
    size_t *span;         ///< [value] numbers of one slot's block
    size_t *pitch;        ///< [value] from one slot's block to the next
    real **turned; ///< [value] the same transposed, (row, panel, columns, AMI_PANEL): for the weights' gradients
    real **by_rows, **by_columns; ///< [tensor] in bands, for the way forward and back; NULL where it is not
    real **aux;                   ///< [op] what the operation keeps for its way back
    size_t *aux_span;
    bool *seeded;     ///< [value] gradient begins at zero: outputs, and what states take over
    int *first_touch; ///< [value] the last operation that reads it: on the way back it overwrites
    ami_job *jobs;
    int job_count;
    void *block; ///< all of the above in one allocation
    size_t block_size;
    am_alloc alloc;
} PLAN;

am_result NAME(create)(PLAN **out, const ami_plan_def *def, const OPS *ops, real *weights, am_error *err);
void NAME(destroy)(PLAN *plan);
/// Numbers of a value in one slot's block; NULL gradient where none is kept.
real *NAME(value)(const PLAN *plan, int value, int slot, int block);
real *NAME(grad)(const PLAN *plan, int value, int slot, int block);
/// Brings a thread's share of the bands up to date.
void NAME(band)(const PLAN *plan, int thread, int threads);
/// All values of a slot's block from its inputs and, through states, the slot before; gradients of outputs
/// become zero.
void NAME(forward)(const PLAN *plan, int slot, int block);
/// All gradients of a slot's block from those of its outputs; slots from the last to the first.
void NAME(backward)(const PLAN *plan, int slot, int block);
/// Gradient of rows first .. first + rows - 1 of a job's tensor into g(rows, columns) (g_2 for its second).
void NAME(gradient)(const PLAN *plan, int job, int first, int rows, real *g, real *g_2);
