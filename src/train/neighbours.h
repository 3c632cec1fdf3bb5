/// Queries of the Projector and their true nearest frames, made ahead of the network that learns from them.
///
/// Query i is drawn from a random stream of its own, so that it does not matter which thread makes it: a helper that
/// runs ahead, or the pass that needs it when it is not ready.
#ifndef AMI_TRAIN_NEIGHBOURS_H
#define AMI_TRAIN_NEIGHBOURS_H

#include <amble/db.h>

#include "base/memory.h"

typedef struct ami_neighbours_def {
    am_alloc alloc;
    const am_db *db;
    const int *first; ///< [first_count] frames that queries begin from
    int first_count;
    float noise; ///< largest deviation of the noise, in deviations of a feature
    float swap;  ///< share of the queries whose targets (trajectory, tags) are another frame's
    am_rng rng;
    int batch;
    int blocks;  ///< most passes at once
    int helpers; ///< threads that run ahead; 0: each pass makes its own queries
} ami_neighbours_def;

typedef struct ami_neighbours ami_neighbours;
am_result ami_neighbours_create(ami_neighbours **out, const ami_neighbours_def *def, am_error *err);
void ami_neighbours_destroy(ami_neighbours *neighbours);
/// Queries item .. item + count - 1, which belong to the iteration that begins with `begun`: x(features, n) column
/// by column, and the nearest frame of each. `block` numbers the passes that run at once.
void ami_neighbours_take(ami_neighbours *neighbours, int block, uint64_t begun, uint64_t item, int count, float *x,
                         int *frames, int n);

#endif
