/// Values put together and taken apart: concat, add, slice, rows, choose, constant.

#include <amble/tools/network.h>
/// dx of input i [+]= dy(count), from `at` on.
static void pass_on(const pass *p, int i, size_t at, const real *dy, size_t count)
{
    real *dx = grad_of(p, i);
    if (dx && adds_to(p, i)) {
        p->plan->ops->add(dx + at, dy, count);
    } else if (dx) {
        memcpy(dx + at, dy, count * sizeof *dx);
    }
}

static void concat_forward(const pass *p)
{
    real *y = p->y;
    for (int r = 0; r < p->rows; r++) {
        for (int i = 0; i < ami_net_in_count(p->op); i++) {
            const size_t count = (size_t)width_of(p->plan, p->op->in[i]) * (size_t)p->n;
            memcpy(y, input_of(p, i) + (size_t)r * count, count * sizeof *y);
            y += count;
        }
    }
}

static void concat_back(const pass *p)
{
    const real *dy = p->dy;
    for (int r = 0; r < p->rows; r++) {
        for (int i = 0; i < ami_net_in_count(p->op); i++) {
            const size_t count = (size_t)width_of(p->plan, p->op->in[i]) * (size_t)p->n;
            pass_on(p, i, (size_t)r * count, dy, count);
            dy += count;
        }
    }
}

static const layer_row layer_concat = { .forward = concat_forward, .backward = concat_back };

static void add_forward(const pass *p)
{
    const size_t count = p->plan->span[p->op->out];
    memcpy(p->y, p->x, count * sizeof *p->y);
    p->plan->ops->add(p->y, input_of(p, 1), count);
}

static void add_back(const pass *p)
{
    for (int i = 0; i < 2; i++) {
        pass_on(p, i, 0, p->dy, p->plan->span[p->op->out]);
    }
}

static const layer_row layer_add = { .forward = add_forward, .backward = add_back };

static void slice_forward(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        memcpy(p->y + (ptrdiff_t)r * p->width * p->n, p->x + ((ptrdiff_t)r * p->in + p->op->size[0]) * p->n,
               (size_t)p->width * (size_t)p->n * sizeof *p->y);
    }
}

static void slice_back(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        real *dx = p->dx + (ptrdiff_t)r * p->in * p->n;
        if (!p->add) {
            memset(dx, 0, (size_t)p->in * (size_t)p->n * sizeof *dx);
        }
        p->plan->ops->add(dx + (ptrdiff_t)p->op->size[0] * p->n, p->dy + (ptrdiff_t)r * p->width * p->n,
                          (size_t)p->width * (size_t)p->n);
    }
}

static const layer_row layer_slice = { .forward = slice_forward, .backward = slice_back };

/// A vector's numbers lie as those of a set do, row after row.
static void rows_forward(const pass *p)
{
    memcpy(p->y, p->x + (ptrdiff_t)p->op->size[0] * p->n, p->plan->span[p->op->out] * sizeof *p->y);
}

static void rows_back(const pass *p)
{
    if (!p->add) {
        memset(p->dx, 0, p->plan->span[p->op->in[0]] * sizeof *p->dx);
    }
    p->plan->ops->add(p->dx + (ptrdiff_t)p->op->size[0] * p->n, p->dy, p->plan->span[p->op->out]);
}

static const layer_row layer_rows = { .forward = rows_forward, .backward = rows_back };

/// Which input of a choice column c takes, -1 for none.
static int chosen(const am_net_op *op, real x)
{
    const int count = ami_net_in_count(op) - 1;
    const int index = x > (real)-0.5 && x < (real)1e6 ? (int)(x + (real)0.5) : count;
    return index < count ? index : -1;
}

static void choose_forward(const pass *p)
{
    const int n = p->n;
    for (int row = 0; row < p->rows; row++) {
        const real *index = p->x + (ptrdiff_t)row * n;
        const ptrdiff_t at = (ptrdiff_t)row * p->width * n;
        for (int c = 0; c < n; c++) {
            const int i = chosen(p->op, index[c]);
            const real *x = i >= 0 ? input_of(p, 1 + i) + at : NULL;
            for (ptrdiff_t r = 0; r < p->width; r++) {
                p->y[at + r * n + c] = x ? x[r * n + c] : (real)0;
            }
        }
    }
}

static void choose_back(const pass *p)
{
    const int n = p->n;
    for (int i = 1; i < ami_net_in_count(p->op); i++) {
        real *dx = grad_of(p, i);
        const bool add = dx && adds_to(p, i);
        for (ptrdiff_t r = 0; dx && r < (ptrdiff_t)p->rows * p->width; r++) {
            const real *index = p->x + r / p->width * n;
            for (int c = 0; c < n; c++) {
                const real d = chosen(p->op, index[c]) == i - 1 ? p->dy[r * n + c] : (real)0;
                dx[r * n + c] = add ? dx[r * n + c] + d : d;
            }
        }
    }
}

static const layer_row layer_choose = { .forward = choose_forward, .backward = choose_back };

static void constant_forward(const pass *p)
{
    const real *value = tensor_at(p->plan, p->op, 0);
    for (ptrdiff_t r = 0; r < (ptrdiff_t)p->rows * p->width; r++) {
        for (int c = 0; c < p->n; c++) {
            p->y[r * p->n + c] = value[r % p->width];
        }
    }
}

static const layer_row layer_constant = { .forward = constant_forward };
