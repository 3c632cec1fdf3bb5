/// Training of networks on the CPU: no Python, no graphics card. A library of its own (libamble_train): the run
/// time does not need it.
///
/// am_train_run runs a recipe (JSON with stages, see docs/train.md), as `amble train` does, and writes one `.amnet`,
/// with checkpoints, previews, losses and a plot on the way.
#ifndef AMBLE_TRAIN_H
#define AMBLE_TRAIN_H

#include <amble/tools/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Several processes that train together; am_train_mpi fills one in. Every process holds all parameters and a share
/// of each batch; gradients are summed while further ones are computed.
typedef struct am_train_group {
    void *user;
    int rank, size;
    void (*begin_sum)(void *user, float *x, size_t count); ///< over all processes, in place, while others go on
    void (*end_sums)(void *user);                          ///< waits for all that were begun
    double (*sum)(void *user, double x);
} am_train_group;

// ---------------------------------------------------------------------------------------------
// Recipes

/// An array of a data file, as am_arrays_read gives it: training itself reads no foreign files.
typedef struct am_train_array {
    const float *data; ///< (rows, columns)
    int64_t rows, columns;
} am_train_array;
/// Gives the array `name` of the data file at `path`, valid until the run ends.
typedef am_result (*am_train_load)(void *user, am_train_array *out, const char *path, const char *name,
                                   am_error *err);

/// The progress of a run.
typedef struct am_train_progress {
    const char *stage;
    int stage_number, stage_count;
    int64_t iteration, iterations;
    double loss;         ///< mean since the last report
    double rate;         ///< iterations per second
    double seconds_left; ///< of this stage
    const char *terms;   ///< what the loss is made of ("loc 0.31, chr 0.29, ..."), means since the last report; ""
} am_train_progress;

/// Begin with am_train_def_init(). Paths inside the recipe are relative to it.
typedef struct am_train_def {
    const am_alloc *alloc;
    const char *recipe;   ///< path
    const char *database; ///< path; every stage that names a database takes this one instead. NULL: the recipe's own
    const char *output;   ///< X.amnet; beside it X.checkpoint, X.preview.amnet, X.losses.csv, X.losses.html,
                          ///< X.times.json
    bool resume;          ///< go on from X.checkpoint (from the start when there is none)
    int threads;          ///< 0: all
    am_train_load load;
    void *load_user;
    bool (*report)(
        void *user,
        const am_train_progress *progress); ///< about every half second; false: write a checkpoint and stop
    void *report_user;
    const am_train_group *group; ///< NULL: this process alone
    uint32_t cookie;
} am_train_def;
AM_API void am_train_def_init(am_train_def *def);

typedef struct am_train_summary {
    int stage_count;
    int64_t iterations;
    double first_loss, last_loss; ///< of the last stage: means over its first and last hundredth
    double seconds;
    uint64_t hash; ///< of the written model
} am_train_summary;

/// Runs a recipe. AM_ERR_CANCELLED after `report` said stop: the checkpoint is then of that very iteration.
AM_API am_result am_train_run(am_train_summary *out, const am_train_def *def, am_error *err);

/// The group of an MPI job: false when this build has no MPI or the program was not started by mpirun. end it before
/// the program ends; with `failed` it ends the other processes too.
AM_API bool am_train_mpi(am_train_group *out);
AM_API void am_train_mpi_end(am_train_group *group, bool failed);

/// A copy of a packed character whose parts have `weights` [model->part_count]. No data is needed: 8-bit weights are
/// rounded for the least error on what the networks meet in play, which is found by letting them play from the start
/// states. The same model gives the same bits.
AM_API am_result am_learned_weights(am_model **out, const am_model *model, const am_net_weights *weights,
                                    const am_alloc *alloc, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
