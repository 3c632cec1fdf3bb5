/// Attention over small sets and its backward pass, column by column of a block.
///
/// For each head: p[i, j] = softmax over the rows j in use of q_i . k_j / sqrt(key); y = sum over j of pbar_j v_j,
/// where pbar_j is the mean over the rows i in use of p[i, j] (papers' errata: mean over rows, then heads behind one
/// another). Rows beyond the count of a column have p = 0, so that they take no part in anything.

#include <amble/tools/network.h>
/// Where the parts of an attention's memory lie for one block. r rows, n columns.
typedef struct attention_parts {
    int rows, width, heads, key, val, n;
    real *q, *k, *v;    ///< (rows, heads * key or value, n)
    real *p;            ///< (heads, rows, rows, n)
    real *dq, *dk, *dv; ///< as q, k, v
} attention_parts;

static size_t attention_aux(const PLAN *plan, const am_net_op *op)
{
    const int rows = rows_of(plan, op->in[0]), n = plan->columns;
    const size_t keys = (size_t)op->size[0] * (size_t)op->size[1], values = (size_t)op->size[0] * (size_t)op->size[2];
    return ((size_t)rows * (4 * keys + 2 * values) + (size_t)op->size[0] * (size_t)rows * (size_t)rows) * (size_t)n;
}

static attention_parts attention_at(const PLAN *plan, const am_net_op *op, real *aux)
{
    const am_net_value *set = &plan->graph->values[op->in[0]];
    attention_parts a = { .rows = set->rows,
                          .width = set->width,
                          .heads = op->size[0],
                          .key = op->size[1],
                          .val = op->size[2],
                          .n = plan->columns };
    const size_t keys = (size_t)a.rows * (size_t)(a.heads * a.key) * (size_t)a.n;
    const size_t values = (size_t)a.rows * (size_t)(a.heads * a.val) * (size_t)a.n;
    a.q = aux;
    a.k = a.q + keys;
    a.v = a.k + keys;
    a.dq = a.v + values;
    a.dk = a.dq + keys;
    a.dv = a.dk + keys;
    a.p = a.dv + values;
    return a;
}

static int rows_used(real count, int most)
{
    const int used = count > (real)0 ? (int)(count < (real)most ? count + (real)0.5 : (real)most) : 0;
    return used < most ? used : most;
}

/// The weights p of one head and row i, and y += pbar v.
static void attend(const attention_parts *a, real *y, int head, int i, const real *count)
{
    const real scale = (real)(1.0 / sqrt((double)a->key));
    const int n = a->n;
    real *p = a->p + ((ptrdiff_t)(head * a->rows + i) * a->rows) * n;
    for (int c = 0; c < n; c++) {
        const int used = rows_used(count[c], a->rows);
        real most = (real)-1e30, total = (real)0;
        for (int j = 0; j < used; j++) {
            real s = (real)0;
            for (int d = 0; d < a->key; d++) {
                const ptrdiff_t at = head * a->key + d;
                s += a->q[(i * (ptrdiff_t)(a->heads * a->key) + at) * n + c] *
                     a->k[(j * (ptrdiff_t)(a->heads * a->key) + at) * n + c];
            }
            p[j * (ptrdiff_t)n + c] = s * scale;
            most = s * scale > most ? s * scale : most;
        }
        for (int j = 0; j < a->rows; j++) {
            const real e = j < used && i < used ? (real)exp((double)(p[j * (ptrdiff_t)n + c] - most)) : (real)0;
            p[j * (ptrdiff_t)n + c] = e;
            total += e;
        }
        for (int j = 0; j < used && i < used; j++) {
            p[j * (ptrdiff_t)n + c] /= total;
            const real share = p[j * (ptrdiff_t)n + c] / (real)used;
            for (int d = 0; d < a->val; d++) {
                const ptrdiff_t at = head * a->val + d;
                y[at * n + c] += share * a->v[(j * (ptrdiff_t)(a->heads * a->val) + at) * n + c];
            }
        }
    }
}

static void attention_forward(const pass *p)
{
    const PLAN *plan = p->plan;
    const am_net_op *op = p->op;
    const attention_parts a = attention_at(plan, op, p->aux);
    const int n = a.n, keys = a.heads * a.key, values = a.heads * a.val;
    for (int r = 0; r < a.rows; r++) {
        const real *row = p->x + (ptrdiff_t)r * a.width * n;
        plan->ops->forward(a.q + (ptrdiff_t)r * keys * n, tensor_at(plan, op, 0), tensor_at(plan, op, 1), row, keys,
                           a.width, n);
        plan->ops->forward(a.k + (ptrdiff_t)r * keys * n, tensor_at(plan, op, 2), tensor_at(plan, op, 3), row, keys,
                           a.width, n);
        plan->ops->forward(a.v + (ptrdiff_t)r * values * n, tensor_at(plan, op, 4), tensor_at(plan, op, 5), row,
                           values, a.width, n);
    }
    memset(p->y, 0, (size_t)values * (size_t)n * sizeof *p->y);
    for (int head = 0; head < a.heads; head++) {
        for (int i = 0; i < a.rows; i++) {
            attend(&a, p->y, head, i, input_of(p, 1));
        }
    }
}

/// Adds to dq, dk, dv what row i of one head gives.
static void attend_back(const attention_parts *a, const real *dy, int head, int i, const real *count)
{
    const real scale = (real)(1.0 / sqrt((double)a->key));
    const ptrdiff_t n = a->n, keys = a->heads * a->key, values = a->heads * a->val;
    const real *p = a->p + ((ptrdiff_t)(head * a->rows + i) * a->rows) * n;
    for (int c = 0; c < n; c++) {
        const int used = rows_used(count[c], a->rows);
        real mean = (real)0; // of dp under p
        for (int round = 0; round < 2; round++) {
            for (int j = 0; j < used && i < used; j++) {
                real dp = (real)0;
                for (int d = 0; d < a->val; d++) {
                    const ptrdiff_t at = head * a->val + d;
                    dp += dy[at * n + c] * a->v[(j * values + at) * n + c];
                }
                dp /= (real)used;
                if (round == 0) {
                    mean += p[j * n + c] * dp;
                    continue;
                }
                const real ds = p[j * n + c] * (dp - mean) * scale;
                for (int d = 0; d < a->key; d++) {
                    const ptrdiff_t at = head * a->key + d;
                    a->dq[(i * keys + at) * n + c] += ds * a->k[(j * keys + at) * n + c];
                    a->dk[(j * keys + at) * n + c] += ds * a->q[(i * keys + at) * n + c];
                }
                for (int d = 0; d < a->val; d++) {
                    const ptrdiff_t at = head * a->val + d;
                    a->dv[(j * values + at) * n + c] += p[j * n + c] / (real)used * dy[at * n + c];
                }
            }
        }
    }
}

/// Also without dx: the weights' gradients need dq, dk, dv.
static void attention_back(const pass *p)
{
    const PLAN *plan = p->plan;
    const am_net_op *op = p->op;
    const attention_parts a = attention_at(plan, op, p->aux);
    const int n = a.n, keys = a.heads * a.key, values = a.heads * a.val;
    memset(a.dq, 0, (size_t)a.rows * (size_t)(2 * keys + values) * (size_t)n * sizeof *a.dq);
    for (int head = 0; head < a.heads; head++) {
        for (int i = 0; i < a.rows; i++) {
            attend_back(&a, p->dy, head, i, input_of(p, 1));
        }
    }
    for (int r = 0; p->dx && r < a.rows; r++) {
        real *row = p->dx + (ptrdiff_t)r * a.width * n;
        plan->ops->backward(row, tensor_at(plan, op, 0), a.dq + (ptrdiff_t)r * keys * n, keys, a.width, n, p->add);
        plan->ops->backward(row, tensor_at(plan, op, 2), a.dk + (ptrdiff_t)r * keys * n, keys, a.width, n, true);
        plan->ops->backward(row, tensor_at(plan, op, 4), a.dv + (ptrdiff_t)r * values * n, values, a.width, n, true);
    }
}

static factor attention_factor(const PLAN *plan, const ami_job *job)
{
    const attention_parts a = attention_at(plan, &plan->graph->ops[job->op], plan->aux[job->op]);
    const real *dy = job->part == 0 ? a.dq : job->part == 1 ? a.dk : a.dv;
    const size_t width = (size_t)a.heads * (size_t)(job->part == 2 ? a.val : a.key);
    return (factor){ dy, plan->aux_span[job->op], width * (size_t)a.n, a.rows };
}

static const layer_row layer_attention = {
    .aux = attention_aux, .forward = attention_forward, .backward = attention_back, .factor = attention_factor
};
