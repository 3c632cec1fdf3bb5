/// Internals of the trainer.
#ifndef AMI_TRAIN_TRAINER_H
#define AMI_TRAIN_TRAINER_H

#include <amble/train.h>

#include "train/plan.h"
#include "train/team.h"
#include "train/training.h"

enum { AMI_MOST_GRAPHS = 8, AMI_MOST_THREADS = 64 };
/// Columns of a block: what passes may keep on their stacks.
enum { AMI_MOST_COLUMNS = 256 };

struct ami_train_block {
    ami_trainer *trainer;
    int index;     ///< among the blocks of this process
    int used;      ///< columns with samples
    int first;     ///< place of its first sample in the whole batch
    double loss;   ///< what its pass gave
    float *memory; ///< [memory_size] of its thread
    size_t taken;
};

/// What one graph's parameters need besides themselves.
typedef struct ami_trained_part {
    am_net_graph *graph;
    ami_plan_f32 *plan;
    float *mean, *square; ///< [weight_count]
    float *grad;          ///< [weight_count]; unused when gradients go straight into the step
    float *average;       ///< [weight_count]; NULL without
} ami_trained_part;

struct ami_trainer {
    am_alloc alloc;
    ami_trainer_def def;
    const ami_ops_f32 *ops;
    am_train_group group;
    ami_trained_part parts[AMI_MOST_GRAPHS];
    ami_team *team;
    int threads, columns, block_count;
    bool banded; ///< plans keep their weights in bands
    ami_train_block *blocks;
    float *scratch; ///< [threads][strip + memory_size]: gradients on their way into the step, then the passes' memory
    size_t strip;   ///< floats for gradients of one strip of rows
    size_t memory_size;
    int64_t iteration;
};

/// The mean of Huber's loss of (y - target) / units[row], and its gradient: where it turns from square to straight
/// must not depend on the units of the data.
double ami_block_huber(const ami_train_block *b, float *dy, const float *y, const float *target, const float *units,
                       int width);

/// The numbers of step i (0-based) of an optimiser, for a gradient that is scaled first.
ami_step_scale ami_step_scale_at(const ami_optimiser *optimiser, int64_t i, double gradient);

/// ami_trainer_step without the optimiser: the gradient of graph g's weights into gradients[g](weight_count).
am_result ami_trainer_gradient(ami_trainer *trainer, ami_train_pass pass, void *user, double *loss,
                               float *const *gradients, am_error *err);

#endif
