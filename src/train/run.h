/// A recipe while it runs.
#ifndef AMI_TRAIN_RUN_H
#define AMI_TRAIN_RUN_H

#include <stdatomic.h>

#include "base/thread.h"
#include "train/stage.h"
#include "train/training.h"
#include <amble/tools/json.h>

enum { AMI_MOST_BESIDE = 4 };

/// One point of the loss curve: the mean over the iterations since the last point.
typedef struct ami_point {
    int64_t iteration;
    int64_t count; ///< iterations that it is the mean of
    double loss, rate;
} ami_point;

/// The losses of one stage.
typedef struct ami_loss_curve {
    ami_point *points;
    int count, room;
    double sum; ///< of losses since the last point
    int64_t sum_count;
    double seconds; ///< of training, all runs together
} ami_loss_curve;

/// A stage in training. Stages that stand beside one another have a lane and a thread each.
typedef struct ami_stage_thread {
    struct ami_recipe_run *run;
    int number; ///< of the stage
    ami_stage stage;
    ami_trainer *trainer;
    double begun, reported;
    double before;              ///< seconds of earlier runs
    int64_t first, reported_at; ///< iterations when it began (or went on), and at the last report
    double reported_sum;
    double term_sums[AMI_MOST_TERMS]; ///< since the last report
    char terms[256];                  ///< the last report's
    am_error err;                     ///< how it ended
    ami_thread thread;
    bool threaded;
} ami_stage_thread;

typedef struct ami_recipe_run {
    const am_train_def *def;
    am_alloc alloc;
    am_json_doc *doc;
    char *text; ///< the recipe's
    size_t text_size;
    uint64_t recipe_hash;
    char folder[1024];
    char checkpoint[1100], preview[1100], csv[1100], html[1100], times[1100];
    const am_json *stages[AMI_MOST_STAGES];
    const char *names[AMI_MOST_STAGES];
    bool beside[AMI_MOST_STAGES]; ///< trained at the same time as the one before
    ami_loss_curve curves[AMI_MOST_STAGES];
    int stage_count;
    uint64_t seed;
    double begun;
    // What is there so far:
    int stage; ///< the first of those that run
    ami_stage_thread lanes[AMI_MOST_BESIDE];
    int lane_count;
    am_net_graph *graphs[AM_NET_MOST_PARTS]; ///< of finished stages
    am_net_weights weights[AM_NET_MOST_PARTS];
    bool hidden[AM_NET_MOST_PARTS]; ///< no part of the model
    int graph_count;
    ami_stage_blob blobs[AM_NET_MOST_ATTACHMENTS]; ///< of finished stages
    int blob_count;
    uint64_t data_hash, database_hash;
    char database[1024]; ///< of the finished stages
    // Lanes that run at once:
    ami_mutex lock;
    ami_condition moved; ///< a lane parked, ended or continues
    int active, parked;  ///< lanes that train; of them those that wait at the end of an iteration
    bool hold;           ///< all but one wait
    atomic_bool held;    ///< the same, to look at without the lock
    atomic_bool stop;    ///< all end after their iteration
} ami_recipe_run;

// Lanes.
/// How many stages from run->stage on are trained at once.
int ami_stage_threads_count(const ami_recipe_run *run);
/// Builds the lanes of the stages from run->stage on.
am_result ami_stage_threads_begin(ami_recipe_run *run, am_error *err);
/// Iterations that a lane has made.
int64_t ami_lane_iteration(const ami_stage_thread *lane);
/// Trains them to their ends, or until one fails or the caller wants to stop.
am_result ami_stage_threads_train(ami_recipe_run *run, am_error *err);
/// Takes over the graphs of the lanes, which end, and goes to the next stage.
void ami_stage_threads_keep(ami_recipe_run *run);
void ami_stage_threads_end(ami_recipe_run *run);
/// Keeps an attachment, in the place of an earlier one of the same name; the bytes are the run's from then on.
void ami_recipe_run_take_blob(ami_recipe_run *run, ami_stage_blob *blob);
/// Fills what a stage is before its kind builds it.
am_result ami_recipe_run_prepare(ami_recipe_run *run, ami_stage *stage, int number, am_error *err);

// Files beside the output. All are written whole or not at all.
am_result ami_recipe_run_write_checkpoint(ami_recipe_run *run, am_error *err);
/// Continues from a checkpoint: finished graphs, points and the lanes that ran. *found is false, with nothing
/// changed, when there is no checkpoint.
am_result ami_recipe_run_read_checkpoint(ami_recipe_run *run, bool *found, am_error *err);
/// The finished graphs, and with `preview` those of the lanes that run, as a model.
am_result ami_recipe_run_write_model(ami_recipe_run *run, const char *path, bool preview, uint64_t *hash,
                                     am_error *err);
am_result ami_recipe_run_write_curves(const ami_recipe_run *run, am_error *err);
bool ami_curve_add(ami_loss_curve *curve, const ami_point *point, const am_alloc *alloc);

double ami_recipe_run_now(void);

#endif
