/// Training of the networks of net.h on processors: no Python, no graphics card. A library of its own
/// (libamble_train): the runtime does not need it.
///
/// Two levels. am_train_run runs a recipe (JSON with stages, see docs/train.md), as `amble train` does, and writes
/// one `.amnet`, with checkpoints, previews, losses and a plot on the way. am_trainer is the level below: any graphs,
/// and the caller's function that fills a block of samples, runs the graphs and returns a loss.
///
/// A block holds values feature-major: x(width, columns), one column a sample. Numbers of a column do not depend on
/// the threads or on its neighbours. Training repeats its bits on the same machine with the same threads.
#ifndef AMBLE_TRAIN_H
#define AMBLE_TRAIN_H

#include <amble/net.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_optimiser_kind {
    AM_ADAM,
    AM_RADAM ///< rectified Adam (Liu et al. 2019), as the papers use it
} am_optimiser_kind;

typedef enum am_schedule_kind {
    AM_RATE_CONSTANT,
    AM_RATE_STEP,       ///< times `factor` after every `every` iterations
    AM_RATE_LINEAR,     ///< down to `factor` of the rate at the last iteration
    AM_RATE_EXPONENTIAL ///< as step, but smoothly
} am_schedule_kind;

/// How parameters follow their gradients. Start from am_optimiser_default(): RAdam, 0.001, 0.9, 0.999, 1e-8.
typedef struct am_optimiser {
    am_optimiser_kind kind;
    am_schedule_kind schedule;
    float rate, beta1, beta2, eps;
    float decay; ///< AdamW: share of a parameter taken off for each unit of rate
    float clip;  ///< longest gradient over all parameters; 0 for no limit
    float factor;
    int every;
    int iterations; ///< of the whole training, for AM_RATE_LINEAR
} am_optimiser;
AM_API am_optimiser am_optimiser_default(void);
/// The rate of iteration i (0-based).
AM_API double am_optimiser_rate(const am_optimiser *optimiser, int64_t i);

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
// Trainer

typedef struct am_trainer am_trainer;
/// A share of the batch, processed by one thread.
typedef struct am_train_block am_train_block;

/// Start from am_trainer_def_default().
typedef struct am_trainer_def {
    const am_alloc *alloc;
    am_net_graph *const *graphs; ///< [graph_count] finished; trained in place, borrowed
    int graph_count;             ///< at most 8
    int batch;                   ///< samples of one iteration, over all processes
    int slots;                   ///< time steps that are kept: 1 without recurrence
    int threads;                 ///< 0: all
    bool input_grads;            ///< also compute the gradients of the graphs' inputs
    unsigned fixed_inputs;       ///< bit g: except those of graph g
    int scratch;                 ///< floats for each column that a pass may take; default 2048
    am_optimiser optimiser;
    const am_train_group *group; ///< NULL: this process alone
    const char *isa;             ///< "avx512", "avx2", "base" to ask for one; NULL: the fastest here
    uint32_t cookie;
} am_trainer_def;
AM_API am_trainer_def am_trainer_def_default(void);
AM_API am_result am_trainer_create(am_trainer **out, const am_trainer_def *def, am_error *err);
AM_API void am_trainer_destroy(am_trainer *trainer);
/// How many steps it has made.
AM_API int64_t am_trainer_iteration(const am_trainer *trainer);

/// Fills the block's inputs, runs the graphs forward and back, and gives the block's share of the loss: the sum over
/// blocks is the loss of the batch. Called from several threads at once.
typedef double (*am_train_pass)(void *user, am_train_block *block);

/// One iteration: passes of all blocks, gradients of all weights, one step of the optimiser. AM_ERR_NUMBER when the
/// loss is not finite: the parameters are then as they were.
AM_API am_result am_trainer_step(am_trainer *trainer, am_train_pass pass, void *user, double *loss, am_error *err);
/// Everything that the next step depends on besides the caller's data: parameters, running means, iteration.
AM_API am_result am_trainer_save(const am_trainer *trainer, am_bytes *out, am_error *err);
/// Refuses bytes of other graphs (AM_ERR_FORMAT) and damaged ones (AM_ERR_CHECKSUM, AM_ERR_TRUNCATED): the trainer
/// is then as it was.
AM_API am_result am_trainer_load(am_trainer *trainer, const void *data, size_t size, am_error *err);

// A block, from inside a pass.
AM_API int am_block_columns(const am_train_block *block); ///< stride of its values
AM_API int am_block_used(const am_train_block *block);    ///< columns that hold samples: 0 .. used - 1
AM_API int am_block_batch(const am_train_block *block);   ///< samples of the whole batch
AM_API int am_block_slots(const am_train_block *block);
/// Number of column c among all samples ever drawn: iteration * batch + place in the batch. Fork random streams by
/// it.
AM_API uint64_t am_block_item(const am_train_block *block, int c);
/// x(rows * width, columns) of a value of a graph. Write inputs before forward.
AM_API float *am_block_value(const am_train_block *block, int graph, int value, int slot);
/// Its gradient: of outputs zero after forward, then what losses add. NULL when none is computed.
AM_API float *am_block_grad(const am_train_block *block, int graph, int value, int slot);
AM_API void am_block_forward(am_train_block *block, int graph, int slot);
/// Slots from the last to the first.
AM_API void am_block_backward(am_train_block *block, int graph, int slot);
/// Memory for `count` floats, zeroed, valid until the block's pass ends; NULL when not enough is left (the def's
/// `scratch` for each column).
AM_API float *am_block_scratch(am_train_block *block, size_t count);

typedef enum am_loss_kind {
    AM_LOSS_L2,   ///< d^2
    AM_LOSS_L1,   ///< |d|
    AM_LOSS_HUBER ///< d^2 / 2 up to 1, then |d| - 1/2
} am_loss_kind;

/// The weighted mean over samples and rows of loss(y - target): adds scale times its gradient to dy, returns scale
/// times its value. y, dy and target are (width, columns); weights(width), or NULL for ones.
typedef struct am_loss {
    am_loss_kind kind;
    const float *weights;
    double scale;
} am_loss;
AM_API double am_block_loss(const am_train_block *block, const am_loss *loss, float *dy, const float *y,
                            const float *target, int width);

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
    double rate;         ///< iterations a second
    double seconds_left; ///< of this stage
    const char *terms;   ///< what the loss is made of ("loc 0.31, chr 0.29, ..."), means since the last report; ""
} am_train_progress;

/// Start from am_train_def_default(). Paths inside the recipe are relative to it.
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
    bool (*report)(void *user,
                   const am_train_progress *progress); ///< about each half second; false: checkpoint, stop
    void *report_user;
    const am_train_group *group; ///< NULL: this process alone
    uint32_t cookie;
} am_train_def;
AM_API am_train_def am_train_def_default(void);

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

#ifdef __cplusplus
}
#endif
#endif
