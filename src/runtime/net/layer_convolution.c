// 3 x 3 convolution with stride 2 over a grid with zeros around it, channel after channel in one row: what height
// maps go through. Each place of the result is a product of the weights with the 3 x 3 patch of all channels around
// it.
#include "net/run.h"
#include "net/build.h"

#include <string.h>

enum { side = 3, patch = side * side };

int ami_net_graph_convolution(am_net_graph *graph, int x, int channels, int rows, int columns, int channels_out)
{
    am_net_op op = { .kind = AM_NET_CONVOLUTION, .size = { channels, rows, columns, channels_out } };
    return ami_graph_add(graph, op, &x, 1, 1);
}

static int halved(int n) { return (n + 1) / 2; }

/// Places of the result.
static int places_of(const am_net_op *op) { return halved(op->size[1]) * halved(op->size[2]); }

static const char *shape(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width)
{
    (void)width;
    for (int i = 0; i < 4; i++) {
        if (op->size[i] < 1 || op->size[i] > AM_NET_MOST_WIDTH) {
            return "has a grid or channels out of range";
        }
    }
    int64_t grid = (int64_t)op->size[1] * op->size[2];
    if (grid > AM_NET_MOST_WIDTH || grid * op->size[0] != values[op->in[0]].width) {
        return "reads a grid of another size";
    }
    int64_t made = (int64_t)op->size[3] * places_of(op), taken = (int64_t)op->size[0] * patch;
    if (made > AM_NET_MOST_WIDTH || taken > AM_NET_MOST_WIDTH) {
        return "is too wide";
    }
    out->out.columns = (int32_t)made;
    ami_net_add_tensor(out, op->size[3], (int32_t)taken, AM_NET_MATRIX);
    ami_net_add_tensor(out, 1, op->size[3], 0);
    return NULL;
}

static void eval(const ami_net_eval *e)
{
    const int *size = e->op->size;
    int rows = size[1], columns = size[2], wide = halved(columns), places = places_of(e->op);
    for (int i = 0; i < e->n; i++) {
        int made = i / places, row = i % places / wide, column = i % places % wide;
        double sum = (double)e->tensor[1][made];
        for (int k = 0; k < size[0] * patch; k++) {
            int y = 2 * row + k % patch / side - 1, x = 2 * column + k % side - 1;
            bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
            double w = (double)e->tensor[0][made * size[0] * patch + k];
            sum += inside ? w * e->x[(k / patch * rows + y) * columns + x] : 0.0;
        }
        e->y[i] = sum;
    }
}

// ---------------------------------------------------------------------------------------------
// In a frame

static size_t up16(size_t n) { return (n + 15) / 16 * 16; }

static size_t items(const am_net_op *op) { return (size_t)places_of(op); }

static size_t scratch(const ami_net_step *step, const am_net_value *values)
{
    (void)values;
    return (size_t)places_of(step->op) * (up16(step->matrix[0].n_in) + step->matrix[0].panels * AMI_PANEL);
}

/// out(channels, 3, 3): the patch around one place.
static void gather(float *out, const float *x, const int *size, int row, int column)
{
    int rows = size[1], columns = size[2];
    for (int channel = 0; channel < size[0]; channel++) {
        for (int y = 2 * row - 1; y <= 2 * row + 1; y++) {
            for (int at = 2 * column - 1; at <= 2 * column + 1; at++) {
                bool inside = y >= 0 && y < rows && at >= 0 && at < columns;
                *out++ = inside ? x[(channel * rows + y) * columns + at] : 0.0f;
            }
        }
    }
}

static void run(const ami_net_pass *r, float *y, const float *x, size_t item)
{
    (void)item;
    const am_net_op *op = r->step->op;
    const ami_matrix *m = &r->step->matrix[0];
    size_t places = items(op), stride = up16(m->n_in), made = m->panels * AMI_PANEL;
    float *patches = r->work->scratch, *out = patches + places * stride;
    int wide = halved(op->size[2]);
    for (size_t p = 0; p < places; p++) {
        gather(patches + p * stride, x, op->size, (int)p / wide, (int)p % wide);
    }
    ami_run_product(r, out, made, m, patches, stride, places);
    for (size_t channel = 0; channel < (size_t)op->size[3]; channel++) {
        for (size_t p = 0; p < places; p++) {
            y[channel * places + p] = out[p * made + channel];
        }
    }
}

const ami_net_layer ami_net_layer_convolution = { .name = "convolution",
                                                  .tensors = { { .name = "weight" }, { .name = "bias" } },
                                                  .products = { { 0, 1, -1 } },
                                                  .product_count = 1,
                                                  .least_in = 1,
                                                  .most_in = 1,
                                                  .shape = shape,
                                                  .eval = eval,
                                                  .run = run,
                                                  .scratch = scratch,
                                                  .items = items };
