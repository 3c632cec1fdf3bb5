/// The backward pass over a graph, and the gradients of its weights. Part of plan_body.h.

static void join_rows_back(const PLAN *plan, int o, const real *dy, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    const size_t n = (size_t)plan->columns;
    for (int r = 0; r < rows_of(plan, op->out); r++) {
        for (int i = 0; i < inputs_of(op); i++) {
            const size_t count = (size_t)width_of(plan, op->in[i]) * n;
            real *dx = NAME(grad)(plan, op->in[i], slot, block);
            if (dx && adds(plan, o, i)) {
                plan->ops->add(dx + (size_t)r * count, dy, count);
            } else if (dx) {
                memcpy(dx + (size_t)r * count, dy, count * sizeof *dx);
            }
            dy += count;
        }
    }
}

static void add_back(const PLAN *plan, int o, const real *dy, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    for (int i = 0; i < 2; i++) {
        real *dx = NAME(grad)(plan, op->in[i], slot, block);
        if (dx && adds(plan, o, i)) {
            plan->ops->add(dx, dy, plan->span[op->out]);
        } else if (dx) {
            memcpy(dx, dy, plan->span[op->out] * sizeof *dx);
        }
    }
}

static void choose_back(const PLAN *plan, int o, const real *dy, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    const int n = plan->columns;
    const real *index = NAME(value)(plan, op->in[0], slot, block);
    for (int i = 1; i < inputs_of(op); i++) {
        real *dx = NAME(grad)(plan, op->in[i], slot, block);
        const bool add = dx && adds(plan, o, i);
        for (ptrdiff_t r = 0; dx && r < width_of(plan, op->out); r++) {
            for (int c = 0; c < n; c++) {
                const real d = chosen(op, index[c]) == i - 1 ? dy[r * n + c] : (real)0;
                dx[r * n + c] = add ? dx[r * n + c] + d : d;
            }
        }
    }
}

static void waves_back(const PLAN *plan, const am_net_op *op, real *dx, const real *dy, const real *x, bool add)
{
    const int n = plan->columns, width = width_of(plan, op->out);
    for (int c = 0; c < n; c++) {
        double sum = add ? (double)dx[c] : 0.0;
        for (int i = 0; i < width; i++) {
            const double f = frequency_of(op, i, width), at = f * (double)x[c];
            sum += f * (i % 2 ? -sin(at) : cos(at)) * (double)dy[(ptrdiff_t)i * n + c];
        }
        dx[c] = (real)sum;
    }
}

static void linear_back(const PLAN *plan, const am_net_op *op, real *dx, const real *dy, int width, int in, bool add)
{
    const real *bands = plan->by_columns[op->tensor[0]];
    if (bands) { // the transposed matrix in bands of its rows
        plan->ops->banded(dx, bands, NULL, dy, in, width, plan->columns, add);
    } else {
        plan->ops->backward(dx, tensor_at(plan, op, 0), dy, width, in, plan->columns, add);
    }
}

/// Row by row of a set: linear, layer norm, slice.
static void rows_back(const PLAN *plan, const am_net_op *op, real *dx, const real *dy, const real *x, const real *aux,
                      bool add)
{
    const int n = plan->columns, in = width_of(plan, op->in[0]), width = width_of(plan, op->out);
    for (int r = 0; r < rows_of(plan, op->in[0]); r++) {
        real *to = dx + (ptrdiff_t)r * in * n;
        const real *from = dy + (ptrdiff_t)r * width * n;
        if (op->kind == AM_NET_LINEAR) {
            linear_back(plan, op, to, from, width, in, add);
        } else if (op->kind == AM_NET_LAYER_NORM) {
            plan->ops->norm_back(to, from, x + (ptrdiff_t)r * in * n, aux + (ptrdiff_t)2 * r * n,
                                 tensor_at(plan, op, 0), in, n, add);
        } else {
            if (!add) {
                memset(to, 0, (size_t)in * (size_t)n * sizeof *to);
            }
            plan->ops->add(to + (ptrdiff_t)op->size[0] * n, from, (size_t)width * (size_t)n);
        }
    }
}

static void gru_backward(const PLAN *plan, int o, const real *dy, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    const int n = plan->columns, units = width_of(plan, op->out);
    const size_t part = 3 * (size_t)units * (size_t)n;
    real *aux = plan->aux[o] + place(plan, slot, block) * plan->aux_span[o];
    real *dx = NAME(grad)(plan, op->in[0], slot, block), *dh = NAME(grad)(plan, op->in[1], slot, block);
    const real *h = NAME(value)(plan, op->in[1], slot, block);
    const int first = op->in[0] == op->in[1] ? 0 : 1; // the state's share comes first
    real *dgi = aux + 3 * part, *dgh = aux + 4 * part;
    // A state of a single slot has no gradient: what flows to it goes into gi, which is spent by now.
    plan->ops->gru_back(dgi, dgh, dh ? dh : aux, dy, aux + 2 * part, aux + part, h, units, n,
                        dh && adds(plan, o, first));
    if (dh) {
        plan->ops->backward(dh, tensor_at(plan, op, 1), dgh, 3 * units, units, n, true);
    }
    if (dx) {
        plan->ops->backward(dx, tensor_at(plan, op, 0), dgi, 3 * units, width_of(plan, op->in[0]), n,
                            op->in[0] == op->in[1] || adds(plan, o, 0));
    }
}

/// Operations with one input that takes a gradient.
static void single_back(const PLAN *plan, int o, const real *dy, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    real *dx = NAME(grad)(plan, op->in[0], slot, block);
    const real *x = NAME(value)(plan, op->in[0], slot, block);
    real *aux = plan->aux[o] + place(plan, slot, block) * plan->aux_span[o];
    const bool add = dx && adds(plan, o, 0);
    if (op->kind == AM_NET_ATTENTION) { // also without dx: its weights' gradients need dq, dk, dv
        attention_backward(plan, op, dx, dy, NAME(value)(plan, op->in[1], slot, block), aux, add);
        return;
    }
    if (!dx) {
        return;
    }
    if (is_activation(op->kind)) {
        plan->ops->activate_back(dx, dy, x, NAME(value)(plan, op->out, slot, block), plan->span[op->out],
                                 activation_of(op->kind), add);
        return;
    }
    switch (op->kind) {
    case AM_NET_LINEAR:
    case AM_NET_LAYER_NORM:
    case AM_NET_SLICE:
        rows_back(plan, op, dx, dy, x, aux, add);
        break;
    case AM_NET_NORMALISE:
    case AM_NET_RESTORE:
        for (int r = 0; r < rows_of(plan, op->out); r++) {
            const ptrdiff_t at = (ptrdiff_t)r * width_of(plan, op->out) * plan->columns;
            plan->ops->affine(dx + at, dy + at, tensor_at(plan, op, 1), NULL, width_of(plan, op->out), plan->columns,
                              add);
        }
        break;
    case AM_NET_FRACTION:
        for (size_t i = 0; i < plan->span[op->out]; i++) {
            dx[i] = (add ? dx[i] : (real)0) + dy[i] / (real)op->number[0];
        }
        break;
    case AM_NET_WAVES:
        waves_back(plan, op, dx, dy, x, add);
        break;
    default:
        break;
    }
}

/// The transposed inputs of an operation, for the gradients of its weights, once for each value.
static void turn_inputs(const PLAN *plan, int o, int slot, int block)
{
    const am_net_op *op = &plan->graph->ops[o];
    for (int i = 0; i < inputs_of(op) && i < 2; i++) {
        if (!needs_turned(op, i)) {
            continue;
        }
        bool done = false;
        for (int other = plan->graph->op_count - 1; other > o && !done; other--) {
            const am_net_op *later = &plan->graph->ops[other];
            for (int k = 0; k < inputs_of(later) && plan->grad[later->out]; k++) {
                done |= later->in[k] == op->in[i] && needs_turned(later, k);
            }
        }
        if (!done) {
            turn(plan, op->in[i], slot, block);
        }
    }
}

void NAME(backward)(const PLAN *plan, int slot, int block)
{
    const am_net_graph *g = plan->graph;
    for (int o = g->op_count - 1; o >= 0; o--) {
        const am_net_op *op = &g->ops[o];
        const real *dy = NAME(grad)(plan, op->out, slot, block);
        if (!dy || op->kind == AM_NET_CONSTANT) {
            continue;
        }
        turn_inputs(plan, o, slot, block);
        switch (op->kind) {
        case AM_NET_CONCAT:
            join_rows_back(plan, o, dy, slot, block);
            break;
        case AM_NET_ADD:
            add_back(plan, o, dy, slot, block);
            break;
        case AM_NET_CHOOSE:
            choose_back(plan, o, dy, slot, block);
            break;
        case AM_NET_GRU:
            gru_backward(plan, o, dy, slot, block);
            break;
        default:
            single_back(plan, o, dy, slot, block);
            break;
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

/// What multiplies what for one tensor: dy(rows of the tensor, columns) of each set row, and the value transposed.
typedef struct factor {
    const real *dy;
    size_t dy_span, dy_row; ///< from place to place, from set row to set row
    int value;
    int set_rows;
} factor;

static factor factor_of(const PLAN *plan, const ami_job *job)
{
    const am_net_op *op = &plan->graph->ops[job->op];
    const size_t n = (size_t)plan->columns;
    factor f = { plan->grad[op->out], plan->pitch[op->out], (size_t)width_of(plan, op->out) * n, op->in[0], 1 };
    if (op->kind == AM_NET_LINEAR) {
        f.set_rows = rows_of(plan, op->out);
    } else if (op->kind == AM_NET_GRU) {
        f.dy = plan->aux[job->op] + (size_t)(3 + job->part) * 3 * (size_t)width_of(plan, op->out) * n;
        f.dy_span = plan->aux_span[job->op];
        f.value = op->in[job->part];
    } else if (op->kind == AM_NET_ATTENTION) {
        const attention_parts a = attention_at(plan, op, plan->aux[job->op]);
        f.dy = job->part == 0 ? a.dq : job->part == 1 ? a.dk : a.dv;
        f.dy_span = plan->aux_span[job->op];
        f.dy_row = (size_t)(a.heads * (job->part == 2 ? a.val : a.key)) * n;
        f.set_rows = a.rows;
    }
    return f;
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
    const int n = plan->columns, places = plan->slots * plan->blocks, wide = padded(job->columns);
    const size_t turned = turned_pitch(plan, f.value);
    const int chunk = places_at_once(n);
    for (int row = 0; row < f.set_rows; row++) {
        for (int at = 0; at < places; at += chunk) {
            plan->ops->weights(g, f.dy + (size_t)at * f.dy_span + (size_t)row * f.dy_row + (size_t)first * (size_t)n,
                               plan->turned[f.value] + (size_t)at * turned + (size_t)row * (size_t)n * (size_t)wide,
                               rows, job->columns, n, places - at < chunk ? places - at : chunk, (ptrdiff_t)f.dy_span,
                               (ptrdiff_t)turned, row > 0 || at > 0);
        }
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

void NAME(gradient)(const PLAN *plan, int j, int first, int rows, real *g, real *g_2)
{
    const ami_job *job = &plan->jobs[j];
    if (job->matrix) {
        matrix_gradient(plan, job, first, rows, g);
        return;
    }
    if (job->tensor_2 >= 0) {
        norm_gradient(plan, job, first, rows, g, g_2);
        return;
    }
    const factor f = factor_of(plan, job);
    for (int row = 0; row < f.set_rows; row++) {
        plan->ops->row_sums(g, f.dy + (size_t)row * f.dy_row + (size_t)first * (size_t)plan->columns, rows,
                            plan->columns, plan->slots * plan->blocks, (ptrdiff_t)f.dy_span, row > 0);
    }
}
