/// The backward pass over a graph, and the gradients of its weights. Part of plan_body.h.

#include <amble/tools/network.h>
/// The transposed inputs of an operation, for the gradients of its weights, once for each value.
static void turn_inputs(const PLAN *plan, int o, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    for (int i = 0; i < ami_net_in_count(op); i++) {
        if (!needs_turned(op, i)) {
            continue;
        }
        bool done = false;
        for (int other = plan->graph->op_count - 1; other > o && !done; other--) {
            const am_net_op *later = &plan->graph->ops[other];
            for (int k = 0; k < ami_net_in_count(later) && plan->grad[later->out]; k++) {
                done |= later->in[k] == op->in[i] && needs_turned(later, k);
            }
        }
        if (!done) {
            turn(plan, op->in[i], slot, block);
        }
    }
}

static void op_back(const PLAN *plan, int o, int slot, int block)
{
    pass p = pass_at(plan, o, slot, block);
    const layer_row *row = row_of(p.op);
    bool wanted = row->factor != NULL;
    for (int i = 0; i < ami_net_in_count(p.op); i++) {
        wanted |= grad_of(&p, i) != NULL;
    }
    if (!row->backward || !wanted) {
        return;
    }
    p.dy = NAME(grad)(plan, p.op->out, slot, block);
    p.dx = grad_of(&p, 0);
    p.add = p.dx && adds_to(&p, 0);
    row->backward(&p);
}

void NAME(backward)(const PLAN *plan, int slot, int block)
{
    const am_net_graph *g = plan->graph;
    for (int o = g->op_count - 1; o >= 0; o--) {
        if (plan->grad[g->ops[o].out]) {
            turn_inputs(plan, o, slot, block);
            op_back(plan, o, slot, block);
        }
    }
    for (int v = 0; v < g->value_count && slot > 0; v++) {
        const int next = g->values[v].role == AM_NET_STATE ? g->values[v].next : -1;
        if (next >= 0 && plan->grad[v] && plan->grad[next]) { // an input that a state takes over may have none
            plan->ops->add(NAME(grad)(plan, next, slot - 1, block), NAME(grad)(plan, v, slot, block), plan->span[v]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Gradients of the weights

static factor factor_of(const PLAN *plan, const ami_job *job)
{
    const am_net_op *op = &plan->graph->ops[job->op];
    const layer_row *row = row_of(op);
    return row->factor ? row->factor(plan, job)
                       : (factor){ plan->grad[op->out], plan->pitch[op->out],
                                   (size_t)width_of(plan, op->out) * (size_t)plan->columns, rows_of(plan, op->out) };
}

/// Number of places processed at once: a strip of their transposed values stays in the first cache while the rows of
/// dy pass by, and all of them in the second. 8 of 16 columns, which change the rows more often, are 4 % faster than
/// 16.
static int places_at_once(int columns)
{
    enum { most_columns = 256, most_places = 8 };
    const int places = columns < most_columns ? most_columns / columns : 1;
    return places < most_places ? places : most_places;
}

static void matrix_gradient(const PLAN *plan, const ami_job *job, int first, int rows, real *g)
{
    const factor f = factor_of(plan, job);
    const am_net_op *op = &plan->graph->ops[job->op];
    const int value = op->in[ami_net_layer_of(op->kind)->products[job->part].in];
    const int n = plan->columns, places = plan->slots * plan->blocks, wide = padded(job->columns);
    const size_t turned = turned_pitch(plan, value);
    const int chunk = places_at_once(n);
    for (int row = 0; row < f.set_rows; row++) {
        for (int at = 0; at < places; at += chunk) {
            plan->ops->weights(g, f.dy + (size_t)at * f.dy_span + (size_t)row * f.dy_row + (size_t)first * (size_t)n,
                               plan->turned[value] + (size_t)at * turned + (size_t)row * (size_t)n * (size_t)wide,
                               rows, job->columns, n, places - at < chunk ? places - at : chunk, (ptrdiff_t)f.dy_span,
                               (ptrdiff_t)turned, row > 0 || at > 0);
        }
    }
}

void NAME(gradient)(const PLAN *plan, int j, int first, int rows, real *g, real *g_2)
{
    const ami_job *job = &plan->jobs[j];
    const layer_row *layer = row_of(&plan->graph->ops[job->op]);
    if (layer->gradient) {
        layer->gradient(plan, job, first, rows, g, g_2);
        return;
    }
    if (job->matrix) {
        matrix_gradient(plan, job, first, rows, g);
        return;
    }
    const factor f = factor_of(plan, job);
    for (int row = 0; row < f.set_rows; row++) {
        plan->ops->row_sums(g, f.dy + (size_t)row * f.dy_row + (size_t)first * (size_t)plan->columns, rows,
                            plan->columns, plan->slots * plan->blocks, (ptrdiff_t)f.dy_span, row > 0);
    }
}
