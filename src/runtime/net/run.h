/// What the layers' evaluations share: places of rows, products with weights of any type.
#ifndef AMI_NET_RUN_H
#define AMI_NET_RUN_H

#include "net/layer.h"
#include "net/net.h"

/// One operation over a batch.
typedef struct ami_net_pass {
    const am_net *net;
    am_net_work *work;
    const ami_net_step *step;
    size_t batch;
} ami_net_pass;

/// Row `item` of a value, counted over all samples.
static inline float *ami_run_row(const ami_net_pass *r, int value, size_t item)
{
    return ami_net_row(r->work, value, 0, 0) + item * r->net->places[value].stride;
}

/// The width of what the operation makes.
static inline size_t ami_run_width(const ami_net_pass *r) { return (size_t)r->net->places[r->step->op->out].width; }

/// A number given as an index: the nearest integer, -1 for anything else.
static inline int ami_run_index(float x, int most)
{
    return x > -0.5f && x < (float)most ? (int)(x + 0.5f) : x >= (float)most ? most : -1;
}

/// out(items, out_stride) = matrix * x(items, x_stride) + bias, where x is read by the operation: 8-bit weights round
/// it by the step's own bound.
void ami_run_product(const ami_net_pass *r, float *out, size_t out_stride, const ami_matrix *m, const float *x,
                     size_t x_stride, size_t items);

#endif
