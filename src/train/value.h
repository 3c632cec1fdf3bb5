/// Fitted value iteration (Fields 4.2.1, with the discount that eq. 11-13 leave out) over plain arrays: rows of
/// values on a task's grid, and for each row and action where it leads.
///
/// V(row, cell) = max over actions a of R + gamma V(next), where the next value is the sum over the action's entries
/// of weight * V(entry's row, theta after the step), interpolated on the grid.
///
/// Weights of an action sum to 1, so adding a number to all values adds gamma times it to all sums: the values'
/// common height, which plain iteration finds only at the rate gamma, is put right after each sweep from the least
/// and the greatest change (MacQueen 1966, Porteus 1971); these also bound how far the values are from the fixed
/// point. What is left dies out at the rate at which the character forgets where it began. Between two sweeps over
/// all actions some go over the best ones alone, which cost a fraction (modified policy iteration, Puterman and Shin
/// 1978).
#ifndef AMI_TRAIN_VALUE_H
#define AMI_TRAIN_VALUE_H

#include <amble/train.h>

#include "train/value_line.h"

typedef struct ami_value_problem {
    const ami_field_task *task;
    float gamma;
    float steer;      ///< rad per tick by which any action may also turn the root to either side; 0: none
    float steer_cost; ///< reward that a radian of it costs
    int rows;
    int actions;                 ///< of each row
    int entries;                 ///< of each action
    const int32_t *index;        ///< [row][action][entry] rows
    const float *weight;         ///< [row][action][entry] sum 1; entries behind the last have 0
    const ami_field_step *steps; ///< [row][action]
    int first, count;            ///< rows that this process sweeps: the arrays above begin with row `first`
    bool plain;                  ///< a line is swept like any other task: the reference of its own sweep
} ami_value_problem;

/// Where the best action of a cell leads, as long as it is the best: the cells around that, and their shares.
typedef struct ami_value_place {
    uint16_t cell[4]; ///< along the first axis before and after, each along the second before and after
    float share[2];   ///< of what is after
    float reward;
} ami_value_place;

/// A value function during iteration.
typedef struct ami_value {
    am_alloc alloc;
    ami_value_problem problem;
    const am_tasks *tasks;
    const am_train_group *group; ///< NULL: this process alone
    int cells, stride;           ///< of a row: floats with padding
    float *values;               ///< [row][stride]
    float *next;                 ///< [row][stride]
    float *thetas;               ///< [cell][AMI_FIELD_MAX_AXES]
    float *low, *high;           ///< [chunk] least and greatest change
    uint16_t *policy;            ///< [row of this process][cell] the best action of the last whole sweep
    ami_value_place *places;     ///< [row of this process][cell] where it leads
    ami_value_line line;
    bool is_line; ///< its own sweep does it
    int chunks;
    int iterations; ///< whole sweeps so far
    double bound;   ///< no value is farther from the fixed point; infinite before the first sweep
} ami_value;

/// All-zero values. What the problem and the rest point to is borrowed.
am_result ami_value_create(ami_value *value, const ami_value_problem *problem, const am_tasks *tasks,
                           const am_train_group *group, const am_alloc *alloc, am_error *err);
void ami_value_free(ami_value *value);
/// One sweep over all rows and actions. Every process ends with the same values, in the bits of one process and any
/// threads.
void ami_value_sweep(ami_value *value);
/// Runs `sweeps` sweeps with the actions that were best in the last full sweep.
void ami_value_settle(ami_value *value, int sweeps);
/// out(rows, cells) without padding, and back.
void ami_value_get(const ami_value *value, float *out);
void ami_value_set(ami_value *value, const float *in);

#endif
