/// Where every action of every anchor of a motion field leads: neighbours, weights and root steps, computed once so
/// that value iteration sweeps over plain arrays (Fields 6.1.3).
#ifndef AMI_TRAIN_VALUE_CACHE_H
#define AMI_TRAIN_VALUE_CACHE_H

#include "base/memory.h"
#include "train/value.h"

typedef struct ami_value_cache {
    am_alloc alloc;
    const ami_field *field; ///< borrowed
    am_tasks tasks;
    int rows;         ///< anchors of the field
    int first, count; ///< of them this process's share
    int done;         ///< rows of the share that are there
    int actions, entries;
    int32_t *anchor, *at;         ///< [state], [row]: ami_field_anchors
    float *share;                 ///< [state]
    int32_t *index;               ///< [count][action][entry]
    float *weight;                ///< [count][action][entry]
    ami_field_step *steps;        ///< [count][action]
    struct ami_value_room *rooms; ///< [room_count] what a thread works in
    int room_count;
    size_t bytes;
} ami_value_cache;

/// Room for the anchors of `every`; nothing is computed yet. With a group the anchors are shared among its processes.
am_result ami_value_cache_create(ami_value_cache *cache, const ami_field *field, int every, const am_tasks *tasks,
                                 const am_train_group *group, const am_alloc *alloc, am_error *err);
void ami_value_cache_free(ami_value_cache *cache);
/// Computes the next `rows` rows; false when all are done.
bool ami_value_cache_fill(ami_value_cache *cache, int rows);
/// The problem of a task, over the cache's arrays.
ami_value_problem ami_value_cache_problem(const ami_value_cache *cache, const ami_field_task *task, float gamma,
                                          float steer);

#endif
