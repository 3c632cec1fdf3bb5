/// The layers in training: one row for each kind, in a file for each layer or family. Part of plan_body.h; the files
/// are compiled for each number type, so all in them is static and begins with the layer's name.

/// One operation at one slot's block.
typedef struct pass {
    const PLAN *plan;
    const am_net_op *op;
    int o, slot, block;
    int n;         ///< columns
    int rows;      ///< of what it makes
    int width, in; ///< of what it makes, and of in[0]
    real *y;       ///< (rows, width, n)
    const real *x; ///< in[0]; NULL without inputs
    real *aux;     ///< (aux of its row), what it keeps for the way back
    const real *dy;
    real *dx; ///< of in[0]; NULL where none is wanted
    bool add; ///< dx holds something already
} pass;

/// What multiplies what for the gradient of one tensor: dy(rows of the tensor, columns) of each set row, and the
/// input transposed.
typedef struct factor {
    const real *dy;
    size_t dy_span, dy_row; ///< from place to place, from set row to set row
    int set_rows;
} factor;

typedef struct layer_row {
    /// Numbers to keep for each block, NULL for none. Asked before the plan's arrays are there: by rows_of, width_of,
    /// span_of alone.
    size_t (*aux)(const PLAN *plan, const am_net_op *op);
    void (*forward)(const pass *p);
    /// Called when an input wants a gradient, or the weights' gradients come from `factor`; NULL where none flows.
    void (*backward)(const pass *p);
    /// dy of the tensors of one product, job->part, where it is not the gradient of the output.
    factor (*factor)(const PLAN *plan, const ami_job *job);
    /// The gradient of its tensors, as NAME(gradient), where it is no product and no sum of dy.
    void (*gradient)(const PLAN *plan, const ami_job *job, int first, int rows, real *g, real *g_2);
    bool by_output; ///< the way back needs its output only: it may write over the linear layer that it reads
} layer_row;

/// True when a gradient flows from the operation to its input i: not to indices and counts.
static bool flows(const am_net_op *op, int i) { return !(ami_net_layer_of(op->kind)->whole_in >> i & 1u); }

/// Whether input i of operation o adds to the gradient, or is the first on the way back and overwrites it.
static bool adds(const PLAN *plan, int o, int i)
{
    const am_net_op *op = &plan->graph->ops[o];
    const int v = op->in[i];
    if (plan->seeded[v] || plan->first_touch[v] != o) {
        return true;
    }
    for (int other = 0; other < i; other++) {
        if (op->in[other] == v && flows(op, other)) {
            return true;
        }
    }
    return false;
}

/// Input i of a pass, its gradient (NULL where none is wanted), and whether that holds something already.
static const real *input_of(const pass *p, int i) { return NAME(value)(p->plan, p->op->in[i], p->slot, p->block); }
static real *grad_of(const pass *p, int i)
{
    return flows(p->op, i) ? NAME(grad)(p->plan, p->op->in[i], p->slot, p->block) : NULL;
}
static bool adds_to(const pass *p, int i) { return adds(p->plan, p->o, i); }

static pass pass_at(const PLAN *plan, int o, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    pass p = { .plan = plan, .op = op, .o = o, .slot = slot, .block = block, .n = plan->columns };
    p.rows = rows_of(plan, op->out);
    p.width = width_of(plan, op->out);
    p.y = NAME(value)(plan, op->out, slot, block);
    p.aux = plan->aux[o] + place(plan, slot, block) * plan->aux_span[o];
    if (op->in[0] >= 0) {
        p.in = width_of(plan, op->in[0]);
        p.x = input_of(&p, 0);
    }
    return p;
}

#include "train/layer_linear_body.h"
#include "train/layer_activation_body.h"
#include "train/layer_norm_body.h"
#include "train/layer_join_body.h"
#include "train/layer_encode_body.h"
#include "train/layer_gru_body.h"
#include "train/layer_attention_body.h"
#include "train/layer_convolution_body.h"

#define LAYER(KIND, name) [AM_NET_##KIND] = &layer_##name,
static const layer_row *const layer_table[AM_NET_KIND_COUNT] = { AMI_NET_LAYERS(LAYER) };
#undef LAYER

static const layer_row *row_of(const am_net_op *op) { return layer_table[op->kind]; }
