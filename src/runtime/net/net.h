/// One part of a model, ready to run.
#ifndef AMI_NET_NET_H
#define AMI_NET_NET_H

#include "net/format.h"
#include "net/layer.h"

/// Where a value's numbers are in the work memory: at slot * most_batch, [sample][row][stride].
typedef struct ami_net_place {
    size_t slot;   ///< offset in floats for a batch of one
    size_t stride; ///< floats of one row: the width filled up to a multiple of 16
    int rows, width;
} ami_net_place;

/// One operation with everything it needs resolved.
typedef struct ami_net_step {
    const am_net_op *op;
    const ami_net_layer *layer;
    int in_count;
    ami_matrix matrix[AMI_NET_MOST_MATRICES]; ///< of the layer's products
    const float *vector[AM_NET_MOST_TENSORS]; ///< tensors that are no matrices
    int quant_most;                           ///< largest integer of an input for 8-bit weights
    bool in_place;                            ///< writes where its input lies
} ami_net_step;

struct am_net {
    am_alloc alloc;
    size_t block_size;
    const am_model *model;
    const am_model_part *part;
    const am_net_value *values;
    const ami_layers *layers;
    const ami_kernels *kernels;
    ami_net_step *steps;            ///< [op_count]
    ami_net_place *places;          ///< [value_count]
    int *inputs, *outputs, *states; ///< values
    int input_count, output_count, state_count;
    size_t slot_size;  ///< floats of all values for a batch of one
    size_t state_size; ///< floats of all states of one sample
    size_t most_in;    ///< widest input of a matrix, filled up
    size_t most_rows;  ///< of a set, or of another product of one sample
    size_t scratch;    ///< floats, the most that a layer asks for
    bool half, quant;
};

struct am_net_work {
    am_alloc alloc;
    size_t block_size;
    const am_net *net;
    int most_batch;
    float *values;
    float *staged; ///< [most_batch][state_size] states on their way
    float *scratch;
    float *room;      ///< unpacked 16-bit panels
    float *scales;    ///< [items] of rounded inputs
    int16_t *rounded; ///< [items][most_in]
    uint32_t *index;  ///< [most_in + 16]
    bool backwards;   ///< the next run reads the weights of each layer from the end; the results are the same
};

/// The numbers of one row of a value.
static inline float *ami_net_row(const am_net_work *work, int value, size_t sample, size_t row)
{
    const ami_net_place *p = &work->net->places[value];
    return work->values + p->slot * (size_t)work->most_batch + (sample * (size_t)p->rows + row) * p->stride;
}

#endif
