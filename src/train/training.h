/// The trainer: any graphs, and the caller's function that fills a block of samples, runs the graphs and returns a
/// loss.
///
/// A block holds values feature-major: x(width, columns), one column a sample. Numbers of a column do not depend on
/// the threads or on its neighbours. Training repeats its bits on the same machine with the same threads.
#ifndef AMI_TRAIN_TRAINING_H
#define AMI_TRAIN_TRAINING_H

#include <amble/tools/files.h>
#include <amble/tools/network.h>
#include <amble/train.h>
#include <amble/db.h>

typedef enum ami_optimiser_kind {
    AMI_ADAM,
    AMI_RADAM ///< rectified Adam (Liu et al. 2019), as the papers use it
} ami_optimiser_kind;

typedef enum ami_schedule_kind {
    AMI_RATE_CONSTANT,
    AMI_RATE_STEP,       ///< times `factor` after every `every` iterations
    AMI_RATE_LINEAR,     ///< down to `factor` of the rate at the last iteration
    AMI_RATE_EXPONENTIAL ///< as step, but smoothly
} ami_schedule_kind;

/// How parameters follow their gradients. Start from ami_optimiser_default(): RAdam, 0.001, 0.9, 0.999, 1e-8.
typedef struct ami_optimiser {
    ami_optimiser_kind kind;
    ami_schedule_kind schedule;
    float rate, beta1, beta2, eps;
    float decay;   ///< AdamW: share of a parameter taken off for each unit of rate
    float clip;    ///< longest gradient over all parameters; 0 for no limit
    float average; ///< share that an average of the parameters keeps in an iteration (0.999), 0 for no average
    float factor;
    int every;
    int iterations; ///< of the whole training, for AMI_RATE_LINEAR
} ami_optimiser;
ami_optimiser ami_optimiser_default(void);
/// The rate of iteration i (0-based).
double ami_optimiser_rate(const ami_optimiser *optimiser, int64_t i);

// ---------------------------------------------------------------------------------------------
// Trainer

typedef struct ami_trainer ami_trainer;
/// A share of the batch, processed by one thread.
typedef struct ami_train_block ami_train_block;

/// Start from ami_trainer_def_default().
typedef struct ami_trainer_def {
    const am_alloc *alloc;
    am_net_graph *const *graphs; ///< [graph_count] finished; trained in place, borrowed
    int graph_count;             ///< at most 8
    int batch;                   ///< samples of one iteration, over all processes
    int slots;                   ///< time steps that are kept: 1 without recurrence
    int threads;                 ///< 0: all
    bool input_grads;            ///< also compute the gradients of the graphs' inputs
    unsigned fixed_inputs;       ///< bit g: except those of graph g
    int scratch;                 ///< floats for each column that a pass may take; default 2048
    ami_optimiser optimiser;
    const am_train_group *group; ///< NULL: this process alone
    const char *isa;             ///< "avx512", "avx2", "base" to ask for one; NULL: the fastest here
    uint32_t cookie;
} ami_trainer_def;
ami_trainer_def ami_trainer_def_default(void);
am_result ami_trainer_create(ami_trainer **out, const ami_trainer_def *def, am_error *err);
void ami_trainer_destroy(ami_trainer *trainer);
/// How many steps it has made.
int64_t ami_trainer_iteration(const ami_trainer *trainer);

/// Fills the block's inputs, runs the graphs forward and back, and gives the block's share of the loss: the sum over
/// blocks is the loss of the batch. Called from several threads at once.
typedef double (*ami_train_pass)(void *user, ami_train_block *block);

/// One iteration: passes of all blocks, gradients of all weights, one step of the optimiser. AM_ERR_NUMBER when the
/// loss is not finite: the parameters are then as they were.
am_result ami_trainer_step(ami_trainer *trainer, ami_train_pass pass, void *user, double *loss, am_error *err);
/// Exchanges the graphs' weights with their averages (ami_optimiser.average), where there are any: call it to look at
/// the averages, and once more before the next step.
void ami_trainer_swap_average(ami_trainer *trainer);
/// Everything that the next step depends on besides the caller's data: parameters, running means, iteration.
am_result ami_trainer_save(const ami_trainer *trainer, am_bytes *out, am_error *err);
/// Refuses bytes of other graphs (AM_ERR_FORMAT) and damaged ones (AM_ERR_CHECKSUM, AM_ERR_TRUNCATED): the trainer
/// is then as it was.
am_result ami_trainer_load(ami_trainer *trainer, const void *data, size_t size, am_error *err);

// A block, from inside a pass.
int ami_block_columns(const ami_train_block *block); ///< stride of its values
int ami_block_used(const ami_train_block *block);    ///< columns that hold samples: 0 .. used - 1
int ami_block_batch(const ami_train_block *block);   ///< samples of the whole batch
int ami_block_slots(const ami_train_block *block);
/// Number of column c among all samples ever drawn: iteration * batch + place in the batch. Fork random streams by
/// it.
uint64_t ami_block_item(const ami_train_block *block, int c);
/// x(rows * width, columns) of a value of a graph. Write inputs before forward.
float *ami_block_value(const ami_train_block *block, int graph, int value, int slot);
/// Its gradient: of outputs zero after forward, then what losses add. NULL when none is computed.
float *ami_block_grad(const ami_train_block *block, int graph, int value, int slot);
void ami_block_forward(ami_train_block *block, int graph, int slot);
/// Slots from the last to the first.
void ami_block_backward(ami_train_block *block, int graph, int slot);
/// Memory for `count` floats, zeroed, valid until the block's pass ends; NULL when not enough is left (the def's
/// `scratch` for each column).
float *ami_block_scratch(ami_train_block *block, size_t count);

typedef enum ami_loss_kind {
    AMI_LOSS_L2,   ///< d^2
    AMI_LOSS_L1,   ///< |d|
    AMI_LOSS_HUBER ///< d^2 / 2 up to 1, then |d| - 1/2
} ami_loss_kind;

/// The weighted mean over samples and rows of loss(y - target): adds scale times its gradient to dy, returns scale
/// times its value. y, dy and target are (width, columns); weights(width), or NULL for ones.
typedef struct ami_loss {
    ami_loss_kind kind;
    const float *weights;
    double scale;
} ami_loss;
double ami_block_loss(const ami_train_block *block, const ami_loss *loss, float *dy, const float *y,
                      const float *target, int width);

// ---------------------------------------------------------------------------------------------
// Learned characters

/// A copy of a model of the three parts with the attachments that make it a character. Start states are projected
/// from frames of `db` that stand, walk, run, creep, jump and dance; their poses are decompressed. Facts are measured
/// over all of `db`.
am_result ami_learned_pack(am_model **out, const am_model *model, const am_db *db, const am_alloc *alloc,
                           am_error *err);

#endif
