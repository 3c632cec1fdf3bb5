/// Value functions of motion fields (Fields section 4.2): the value of a task state (m, theta) under the best
/// actions, as numbers on the grid of a task for states of a database, and the policies that choose an action by
/// them.
///
/// Values stand at anchors (eq. 14): the first and the last state of every range and states between them, evenly
/// spaced and about `every` ticks apart; with `every` 1 all states are anchors. A state between two anchors has their
/// values mixed linearly in time, a state off the database those of its neighbours by their similarity weights, and a
/// theta off the grid is interpolated multilinearly.
///
/// In a file a value function is the attachment `value.TASK` or `value.TASK.xEVERY` of an `.amnet`
/// (docs/networks.md). 16-bit values are stored as differences from the mean over all anchors, which each cell of the
/// grid keeps in fp32: what is left is small, so that half precision resolves less than a tick's reward.
#ifndef AMI_METHOD_FIELD_VALUE_H
#define AMI_METHOD_FIELD_VALUE_H

#include <amble/tools/network.h>
#include <amble/tools/files.h>
#include "method/task.h"

#define AMI_FIELD_MAX_EVERY 1000 ///< ticks between anchors
#define AMI_FIELD_MAX_STEER 1.0f ///< rad a tick: upper bound of an action's steering

/// What a value function is: the head of its attachment, 192 bytes, behind which stand mean[cells] in fp32 and
/// values[anchors][cells].
typedef struct ami_field_value_head {
    uint32_t version; ///< 1
    uint32_t numbers; ///< am_net_weights: AM_NET_FP32 or AM_NET_FP16
    char task[16];
    int32_t axes;
    ami_field_axis axis[AMI_FIELD_MAX_AXES];
    float weight;
    float fps;
    float gamma; ///< discount of a tick
    int32_t every, states, anchors, cells;
    int32_t k; ///< neighbours and actions that it was made with
    int32_t iterations;
    float bound;            ///< no value is farther from the fixed point
    float steer;            ///< rad a tick that an action may turn the root more or less than the motion does
    uint64_t database_hash; ///< of the database that its states are of
    uint64_t field_hash;    ///< of the field
    float field_fps, field_delta, field_root, field_turn, field_thin; ///< numbers of the field's def, with k
    float steer_cost;                                                 ///< reward that a radian of that costs
    uint8_t reserved[32];
} ami_field_value_head;
#define AMI_FIELD_VALUE_VERSION 1u

/// A value function ready for use. Read it, do not write it.
typedef struct ami_field_value {
    ami_field_value_head head;
    ami_field_task task;
    const float *mean;     ///< [cell]
    const void *values;    ///< [anchor][cell] float or half
    const int32_t *anchor; ///< [state] the anchor before it (or at it)
    const float *share;    ///< [state] of the next anchor
    struct ami_field_value_own *own;
} ami_field_value;

/// How one is opened. Start from ami_field_value_def_default().
typedef struct ami_field_value_def {
    const am_alloc *alloc;
    const am_model *model;  ///< borrowed; the values stay in it
    const ami_field *field; ///< borrowed; whose states they are of
    const char *task;       ///< name of the task
    int every;              ///< of the anchors; 0 means the least that the model has
    uint32_t cookie;
} ami_field_value_def;
ami_field_value_def ami_field_value_def_default(void);
/// Refuses what is damaged (AM_ERR_FORMAT, AM_ERR_TRUNCATED, AM_ERR_NUMBER), unknown (AM_ERR_KEY, AM_ERR_VERSION) or
/// of another database or field (AM_ERR_FORMAT).
am_result ami_field_value_create(ami_field_value **out, const ami_field_value_def *def, am_error *err);
void ami_field_value_destroy(ami_field_value *value);

/// Sets the numbers of a field's def (fps, k, delta, weights) to those that the model's value functions were made
/// with. False, with the def as it was, when the model has none.
bool ami_field_value_field(ami_field_def *def, const am_model *model);
/// The head of attachment number i of a model when that is a value function; false when it is none.
bool ami_field_value_peek(ami_field_value_head *out, const am_model *model, int i);
/// Whether a model has values of a task, at any distance of anchors.
bool ami_field_value_has(const am_model *model, const char *task);

/// The value of a task state: of a motion state with these neighbours.
float ami_field_value_at(const ami_field_value *value, const ami_field_neighbours *near, const float *theta);

/// What an action is worth: R and gamma V, which is 0 without a value function.
typedef struct ami_field_worth {
    float reward, value;
} ami_field_worth;

/// Eq. 12 with its discount: the action i below `count` with the greatest R + gamma V, where steps[i] is the root's
/// step of action i and near[i] are the neighbours of the state that it leads to. Without a value function (NULL) eq.
/// 9, the greedy policy, which looks at no neighbours (near may be NULL). Equal ones: the lower action. -1 when no
/// action has a worth that is a number. worth(count) gets both parts of each, or is NULL. Allocates nothing, the
/// same bits everywhere.
///
/// A value function with `steer` has each action seven times: as it is, and with the root turned more to either side,
/// by `steer` and by 0.4 and 0.1 of it, which changes only the step and costs `steer_cost` for each radian. steps[i]
/// of the chosen action is then the step to take.
int ami_field_choose(const ami_field_task *task, const ami_field_value *value, const float *theta,
                     ami_field_step *steps, const ami_field_neighbours *near, int count, ami_field_worth *worth);

/// Anchors of a field: anchor(state_count) and share(state_count) as in ami_field_value; at(anchors) gets the state
/// of each anchor. Any may be NULL. Returns how many anchors there are.
int ami_field_anchors(const ami_field *field, int every, int32_t *anchor, float *share, int32_t *at);
/// The attachment's bytes of values(anchors, cells): what ami_field_value_create reads. Of the head the caller fills
/// numbers, gamma, every, steer, steer_cost, iterations, bound and the numbers of the field's def. Refuses numbers
/// that are not finite (AM_ERR_NUMBER) or beyond half precision (AM_ERR_RANGE).
am_result ami_field_value_pack(am_bytes *out, const ami_field_value_head *head, const ami_field_task *task,
                               const ami_field *field, const float *values, const am_alloc *alloc, am_error *err);
/// name(AM_NET_NAME_SIZE) of the attachment.
void ami_field_value_name(char *name, const char *task, int every);

#endif
