/// A recipe while it runs.
#ifndef AMI_TRAIN_RUN_H
#define AMI_TRAIN_RUN_H

#include "train/stage.h"

/// One point of the loss curve: the mean over the iterations since the last point.
typedef struct ami_point {
    int32_t stage;
    int32_t count; ///< iterations that it is the mean of
    int64_t iteration;
    double loss, rate;
} ami_point;

typedef struct ami_run {
    const am_train_def *def;
    am_alloc alloc;
    am_json_doc *doc;
    char *text; ///< the recipe's
    size_t text_size;
    uint64_t recipe_hash;
    char folder[1024];
    char checkpoint[1100], preview[1100], csv[1100], html[1100];
    const am_json *stages[AMI_MOST_STAGES];
    int stage_count;
    uint64_t seed;
    // What is there so far:
    int stage; ///< the one that runs
    ami_stage now;
    am_trainer *trainer;
    am_graph *graphs[AM_NET_MOST_PARTS]; ///< of finished stages
    am_net_weights weights[AM_NET_MOST_PARTS];
    int graph_count;
    uint64_t data_hash, database_hash;
    ami_point *points;
    int point_count, point_room;
    double sum; ///< of losses since the last point
    int sum_count;
    double begun, stage_begun, reported;
    int64_t stage_first, reported_at; ///< iterations when the stage began (or went on), and at the last report
    double reported_sum;
} ami_run;

// Files beside the output. All are written whole or not at all.
am_result ami_run_write_checkpoint(ami_run *run, am_error *err);
/// Goes on where a checkpoint stopped: finished graphs, points and the stage that ran. *found is false, with nothing
/// changed, when there is no checkpoint. `begin` starts the stage that the checkpoint is in.
am_result ami_run_read_checkpoint(ami_run *run, bool *found, am_result (*begin)(ami_run *run, am_error *err),
                                  am_error *err);
/// The finished graphs, and with `preview` those of the stage that runs, as a model.
am_result ami_run_write_model(ami_run *run, const char *path, bool preview, uint64_t *hash, am_error *err);
am_result ami_run_write_curves(const ami_run *run, am_error *err);
bool ami_run_add_point(ami_run *run, const ami_point *point);
/// Takes over the graphs of the stage that runs.
void ami_run_keep_graphs(ami_run *run);

#endif
