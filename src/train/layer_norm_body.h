/// Layer norm, and normalisation by means and scales that are given.

#include <amble/tools/network.h>
/// Mean and 1 / deviation of each column and row of a set.
static size_t norm_aux(const PLAN *plan, const am_net_op *op)
{
    return 2 * (size_t)plan->columns * (size_t)rows_of(plan, op->in[0]);
}

static void norm_forward(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        const ptrdiff_t at = (ptrdiff_t)r * p->width * p->n;
        p->plan->ops->norm(p->y + at, p->aux + (ptrdiff_t)2 * r * p->n, p->x + at, tensor_at(p->plan, p->op, 0),
                           tensor_at(p->plan, p->op, 1), p->width, p->n, (real)p->op->number[0]);
    }
}

static void norm_back(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        const ptrdiff_t at = (ptrdiff_t)r * p->width * p->n;
        p->plan->ops->norm_back(p->dx + at, p->dy + at, p->x + at, p->aux + (ptrdiff_t)2 * r * p->n,
                                tensor_at(p->plan, p->op, 0), p->width, p->n, p->add);
    }
}

static void norm_gradient(const PLAN *plan, const ami_job *job, int first, int rows, real *g, real *g_2)
{
    const am_net_op *op = &plan->graph->ops[job->op];
    const int n = plan->columns, width = width_of(plan, op->out);
    for (int row = 0; row < rows_of(plan, op->out); row++) {
        const size_t offset = (size_t)(row * width + first) * (size_t)n;
        plan->ops->norm_weights(g, g_2, plan->grad[op->out] + offset, plan->value[op->in[0]] + offset,
                                plan->aux[job->op] + (size_t)(2 * row) * (size_t)n, rows, n,
                                plan->slots * plan->blocks, (ptrdiff_t)plan->pitch[op->out],
                                (ptrdiff_t)plan->aux_span[job->op], row > 0);
    }
}

static const layer_row layer_norm = {
    .aux = norm_aux, .forward = norm_forward, .backward = norm_back, .gradient = norm_gradient
};

/// (x - mean) * scale of each row of a set. In this order: x * scale would lose the digits that are left when the
/// mean is large beside the deviation.
static void normalise_forward(const pass *p)
{
    const real *mean = tensor_at(p->plan, p->op, 0), *scale = tensor_at(p->plan, p->op, 1);
    for (int r = 0; r < p->rows * p->width; r++) {
        const real s = scale[r % p->width], m = mean[r % p->width];
        for (int c = 0; c < p->n; c++) {
            p->y[(ptrdiff_t)r * p->n + c] = (p->x[(ptrdiff_t)r * p->n + c] - m) * s;
        }
    }
}

static void restore_forward(const pass *p)
{
    const real *mean = tensor_at(p->plan, p->op, 0), *scale = tensor_at(p->plan, p->op, 1);
    for (int r = 0; r < p->rows * p->width; r++) {
        const real s = scale[r % p->width], m = mean[r % p->width];
        for (int c = 0; c < p->n; c++) {
            p->y[(ptrdiff_t)r * p->n + c] = p->x[(ptrdiff_t)r * p->n + c] * s + m;
        }
    }
}

/// dy * scale, for both ways.
static void scale_back(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        const ptrdiff_t at = (ptrdiff_t)r * p->width * p->n;
        p->plan->ops->affine(p->dx + at, p->dy + at, tensor_at(p->plan, p->op, 1), NULL, p->width, p->n, p->add);
    }
}

static const layer_row layer_normalise = { .forward = normalise_forward, .backward = scale_back };
static const layer_row layer_restore = { .forward = restore_forward, .backward = scale_back };
