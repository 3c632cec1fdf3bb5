/// W x + b of each row of a set, where most of the time of training goes: matrices in bands, if the plan has them.

static void linear_forward(const pass *p)
{
    const PLAN *plan = p->plan;
    const real *bands = plan->by_rows[p->op->tensor[0]], *bias = tensor_at(plan, p->op, 1);
    for (int r = 0; r < p->rows; r++) {
        const real *x = p->x + (ptrdiff_t)r * p->in * p->n;
        real *y = p->y + (ptrdiff_t)r * p->width * p->n;
        if (bands) {
            plan->ops->banded(y, bands, bias, x, p->width, p->in, p->n, false);
        } else {
            plan->ops->forward(y, tensor_at(plan, p->op, 0), bias, x, p->width, p->in, p->n);
        }
    }
}

static void linear_back(const pass *p)
{
    const PLAN *plan = p->plan;
    const real *bands = plan->by_columns[p->op->tensor[0]];
    for (int r = 0; r < p->rows; r++) {
        real *dx = p->dx + (ptrdiff_t)r * p->in * p->n;
        const real *dy = p->dy + (ptrdiff_t)r * p->width * p->n;
        if (bands) { // the transposed matrix in bands of its rows
            plan->ops->banded(dx, bands, NULL, dy, p->in, p->width, p->n, p->add);
        } else {
            plan->ops->backward(dx, tensor_at(plan, p->op, 0), dy, p->width, p->in, p->n, p->add);
        }
    }
}

static const layer_row layer_linear = { .forward = linear_forward, .backward = linear_back };
