/// The arithmetic of training over feature-major blocks, in float for work and in double for the gradient tests.
///
/// A block holds x(features, columns): one column per sample, columns contiguous, their number a multiple of
/// AMI_COLUMNS. So every loop runs over samples, element-wise work needs no horizontal sums, and a column's numbers
/// do not depend on how the batch is cut into blocks or over threads.
#ifndef AMI_TRAIN_OPS_H
#define AMI_TRAIN_OPS_H

#include <amble/base.h>

/// Columns come in multiples of this: one AVX-512 vector, one cache line.
enum { AMI_COLUMNS = 16 };
/// Transposed values are stored in panels this many features wide, (panel, samples, AMI_PANEL): a product reads one
/// from end to end, where rows a power of two apart would share a few places of the cache.
enum { AMI_PANEL = 32 };
/// Weights that many products need are stored in bands this many rows (or columns) wide, (band, depth, AMI_BAND): a
/// product reads them from end to end, one cache line after the other.
enum { AMI_BAND = 16 };

typedef enum ami_activation { AMI_RELU, AMI_ELU, AMI_GELU, AMI_TANH, AMI_SIGMOID } ami_activation;

/// Numbers of one optimiser step, the same for all parameters.
typedef struct ami_step_scale {
    double beta1, beta2; ///< of the running means
    double rate;         ///< what multiplies mean / (sqrt(square) + eps), corrections for the start included
    double plain;        ///< what multiplies the mean alone (RAdam's first steps); then `rate` is 0
    double eps;          ///< already times the square root of the start's correction
    double decay;        ///< taken off a parameter, as a share of it (AdamW)
    double gradient;     ///< scales the gradient first: 1, or less when it was clipped
} ami_step_scale;

// Filled for each instruction set; the tests have the table in double, too.
#define real float
#define OPS ami_ops_f32
#include "train/ops_table.h"
#undef real
#undef OPS

/// The fastest here; `isa` asks for one ("avx512", "avx2", "base"), NULL when this machine lacks it.
const ami_ops_f32 *ami_train_ops(const char *isa);

extern const ami_ops_f32 ami_ops_base, ami_ops_avx2, ami_ops_avx512;

#endif
