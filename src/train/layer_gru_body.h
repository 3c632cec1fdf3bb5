/// PyTorch's GRU cell.

#include <amble/tools/network.h>
/// Memory of one block: gi, gh, gates, dgi, dgh, each (3 units, columns).
static size_t gru_part(const PLAN *plan, const am_net_op *op)
{
    return 3 * (size_t)width_of(plan, op->out) * (size_t)plan->columns;
}
static size_t gru_aux(const PLAN *plan, const am_net_op *op) { return 5 * gru_part(plan, op); }

static void gru_forward(const pass *p)
{
    const PLAN *plan = p->plan;
    const int units = p->width;
    const size_t part = gru_part(plan, p->op);
    const real *h = input_of(p, 1);
    real *gi = p->aux, *gh = gi + part, *gates = gh + part;
    plan->ops->forward(gi, tensor_at(plan, p->op, 0), tensor_at(plan, p->op, 2), p->x, 3 * units, p->in, p->n);
    plan->ops->forward(gh, tensor_at(plan, p->op, 1), tensor_at(plan, p->op, 3), h, 3 * units, units, p->n);
    plan->ops->gru(p->y, gates, gi, gh, h, units, p->n);
}

static void gru_back(const pass *p)
{
    const PLAN *plan = p->plan;
    const int n = p->n, units = p->width;
    const size_t part = gru_part(plan, p->op);
    real *dx = p->dx, *dh = grad_of(p, 1);
    const bool same = p->op->in[0] == p->op->in[1];
    real *gi = p->aux, *gh = gi + part, *gates = gh + part, *dgi = gates + part, *dgh = dgi + part;
    // The state's share comes first. A state of a single slot has no gradient: what flows to it goes into gi, which
    // is spent by now.
    plan->ops->gru_back(dgi, dgh, dh ? dh : gi, p->dy, gates, gh, input_of(p, 1), units, n,
                        dh && adds_to(p, same ? 0 : 1));
    if (dh) {
        plan->ops->backward(dh, tensor_at(plan, p->op, 1), dgh, 3 * units, units, n, true);
    }
    if (dx) {
        plan->ops->backward(dx, tensor_at(plan, p->op, 0), dgi, 3 * units, p->in, n, same || p->add);
    }
}

static factor gru_factor(const PLAN *plan, const ami_job *job)
{
    const size_t part = gru_part(plan, &plan->graph->ops[job->op]);
    return (factor){ plan->aux[job->op] + (size_t)(3 + job->part) * part, plan->aux_span[job->op], part, 1 };
}

static const layer_row layer_gru = {
    .aux = gru_aux, .forward = gru_forward, .backward = gru_back, .factor = gru_factor
};
