/// The whole sweep of a line's value function, which has far more cells than the other tasks: the same values as
/// the general sweep gives, with all that is common to many cells computed once.
///
/// - The angle after an action depends on the angle before it alone, not on the place across the line.
/// - The place across the line after a step depends on the angle and the place before it, not on the path taken.
/// - Sine and cosine are those of the samples.
#ifndef AMI_TRAIN_VALUE_LINE_H
#define AMI_TRAIN_VALUE_LINE_H

#include "method/field_task.h"

/// `most_across`: samples across the line, whole lanes.
enum { ami_line_most_angles = 64, ami_line_most_across = 32 };

/// What does not change from sweep to sweep.
typedef struct ami_value_line {
    int angles, across, wide; ///< samples; `wide`: across in whole lanes
    float gamma, weight, steer;
    ami_field_axis turn, axis;                                      ///< angle, across
    float angle[ami_line_most_angles];                              ///< of the samples
    float sine[ami_line_most_angles], cosine[ami_line_most_angles]; ///< of them
    float place[ami_line_most_across];                              ///< m from the line; behind the last the last
    float gap[ami_line_most_across];                                ///< 1 / distance to the next sample
} ami_value_line;

/// False when the task is another or its grid too fine: the general sweep does it then.
bool ami_value_line_make(ami_value_line *line, const ami_field_task *task, float gamma, float steer);
/// Takes action `action` of `actions` into best(angles, across) and its policy. mixed(angles, across): what the state
/// that it leads to is worth.
void ami_value_line_visit(const ami_value_line *line, float *best, uint16_t *policy, const float *mixed,
                          ami_field_step step, int action, int actions);

#endif
