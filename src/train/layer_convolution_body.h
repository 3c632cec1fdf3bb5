/// Convolutions as products: the patches of all places side by side, (channels 3 3, places n), are what the weights
/// multiply, and (channels, places n) is how the result lies anyway.

#include <amble/tools/network.h>
enum { convolution_side = 3, convolution_patch = 9 };

typedef struct convolution {
    int channels, rows, columns, made; ///< of the input, and channels of the output
    int places, wide;                  ///< of the output, and its columns
    int k, n;                          ///< numbers of a patch; places x samples
    size_t turned, span;               ///< from the patches to the transposed ones; all of one set row
} convolution;

static convolution convolution_of(const PLAN *plan, const am_net_op *op)
{
    convolution v = { op->size[0], op->size[1], op->size[2], op->size[3], 0, (op->size[2] + 1) / 2, 0, 0, 0, 0 };
    v.places = (v.rows + 1) / 2 * v.wide;
    v.k = v.channels * convolution_patch;
    v.n = v.places * plan->columns;
    v.turned = (size_t)v.k * (size_t)v.n;
    v.span = v.turned + (size_t)padded(v.k) * (size_t)v.n;
    return v;
}

static size_t convolution_aux(const PLAN *plan, const am_net_op *op)
{
    return (size_t)rows_of(plan, op->out) * convolution_of(plan, op).span;
}

/// Where the input of patch number k at a place lies, -1 in the zeros around the grid.
static ptrdiff_t convolution_at(const convolution *v, int k, int place)
{
    const int y = 2 * (place / v->wide) + k % convolution_patch / convolution_side - 1;
    const int x = 2 * (place % v->wide) + k % convolution_side - 1;
    const bool inside = y >= 0 && y < v->rows && x >= 0 && x < v->columns;
    return inside ? ((ptrdiff_t)(k / convolution_patch) * v->rows + y) * v->columns + x : -1;
}

static void convolution_forward(const pass *p)
{
    const convolution v = convolution_of(p->plan, p->op);
    for (int r = 0; r < p->rows; r++) {
        const real *x = p->x + (ptrdiff_t)r * p->in * p->n;
        real *patches = p->aux + (size_t)r * v.span;
        for (int k = 0; k < v.k; k++) {
            for (int place = 0; place < v.places; place++) {
                const ptrdiff_t at = convolution_at(&v, k, place);
                real *to = patches + ((ptrdiff_t)k * v.places + place) * p->n;
                if (at < 0) {
                    memset(to, 0, (size_t)p->n * sizeof *to);
                } else {
                    memcpy(to, x + at * p->n, (size_t)p->n * sizeof *to);
                }
            }
        }
        p->plan->ops->forward(p->y + (ptrdiff_t)r * p->width * p->n, tensor_at(p->plan, p->op, 0),
                              tensor_at(p->plan, p->op, 1), patches, v.made, v.k, v.n);
        p->plan->ops->transpose(patches + v.turned, patches, v.k, v.n);
    }
}

/// The patches' gradients take their place; each goes to where the patch came from.
static void convolution_back(const pass *p)
{
    const convolution v = convolution_of(p->plan, p->op);
    for (int r = 0; r < p->rows; r++) {
        real *dx = p->dx + (ptrdiff_t)r * p->in * p->n, *patches = p->aux + (size_t)r * v.span;
        p->plan->ops->backward(patches, tensor_at(p->plan, p->op, 0), p->dy + (ptrdiff_t)r * p->width * p->n, v.made,
                               v.k, v.n, false);
        if (!p->add) {
            memset(dx, 0, (size_t)p->in * (size_t)p->n * sizeof *dx);
        }
        for (int k = 0; k < v.k; k++) {
            for (int place = 0; place < v.places; place++) {
                const ptrdiff_t at = convolution_at(&v, k, place);
                if (at >= 0) {
                    p->plan->ops->add(dx + at * p->n, patches + ((ptrdiff_t)k * v.places + place) * p->n,
                                      (size_t)p->n);
                }
            }
        }
    }
}

static void convolution_gradient(const PLAN *plan, const ami_job *job, int first, int rows, real *g, real *g_2)
{
    (void)g_2;
    const am_net_op *op = &plan->graph->ops[job->op];
    const convolution v = convolution_of(plan, op);
    const int places = plan->slots * plan->blocks;
    for (int row = 0; row < rows_of(plan, op->out); row++) {
        const real *dy = plan->grad[op->out] + ((size_t)row * (size_t)v.made + (size_t)first) * (size_t)v.n;
        if (job->matrix) {
            plan->ops->weights(g, dy, plan->aux[job->op] + (size_t)row * v.span + v.turned, rows, v.k, v.n, places,
                               (ptrdiff_t)plan->pitch[op->out], (ptrdiff_t)plan->aux_span[job->op], row > 0);
        } else {
            plan->ops->row_sums(g, dy, rows, v.n, places, (ptrdiff_t)plan->pitch[op->out], row > 0);
        }
    }
}

static const layer_row layer_convolution = { .aux = convolution_aux,
                                             .forward = convolution_forward,
                                             .backward = convolution_back,
                                             .gradient = convolution_gradient };
