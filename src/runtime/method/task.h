/// Tasks of motion fields (Fields section 4 and 6.1): what a character should do, as a few numbers theta beside its
/// motion state, how theta changes with the ground root, and the reward of a tick.
///
/// A task is a small plug-in: a grid over theta on which values are stored, three functions, and a fourth where it
/// can ask a character to stand. Four tasks are here; a caller may fill in one of its own.
///
/// - direction: the angle from the facing to the target; 18 samples; reward -|angle|
/// - line: that angle of the line's direction, and the place across the line; 18 x 13 samples over +-2 m, denser
///   about the line; reward -|angle| - w |d|
/// - speed: angle and desired speed; 18 x 7 samples over 0 to 4.5 m/s; reward -|angle| - w |speed - target|
/// - point: the point as seen from the ground root; 15 x 15 samples over +-3.5 m; reward -distance
///
/// Angles are in radians, and positive when the target lies to the left; the weights w are radians for a metre (line,
/// default 5) and for a metre a second (speed, default 0.5). The paper's 0.05 for a line leaves the unit open: with
/// radians and metres it would never pay to turn off the desired direction for the sake of the line, so the weight
/// here is that of centimetres. Rewards are of theta as it is after the tick: the sum that a value function holds
/// differs from the paper's (theta before it) by the first term, which no action can change, and the greedy policy
/// (eq. 9) has something to choose by.
#ifndef AMI_METHOD_TASK_H
#define AMI_METHOD_TASK_H

#include "method/motion_field.h"

#define AMI_FIELD_MAX_AXES 3 ///< numbers of theta
#define AMI_FIELD_MAX_CORNERS (1 << AMI_FIELD_MAX_AXES)
#define AMI_FIELD_MAX_CELLS 4096 ///< samples of a whole grid

/// The user's target, in the world. Each task reads what it needs.
typedef struct ami_field_target {
    float heading; ///< desired facing, as am_quat_heading gives it (direction, speed); of the line (line)
    float speed;   ///< m/s (speed)
    am_vec3 point; ///< on the line (line); to go to (point)
    bool faces;    ///< the facing is desired at rest, too; otherwise a standing character keeps its own (speed)
} ami_field_target;

/// One axis of the grid: samples from low on, evenly spaced or denser in the middle. A cyclic axis comes back to low
/// at high; any other has its last sample at high, and numbers beyond an end count as the end.
typedef struct ami_field_axis {
    int32_t samples;
    float low, high;
    int16_t cyclic; ///< 0 or 1
    int16_t dense;  ///< 1: samples stand closer to the middle, at squares of even distances from it. 0: even
} ami_field_axis;

typedef struct ami_field_task ami_field_task;
struct ami_field_task {
    char name[16];
    int axes;
    ami_field_axis axis[AMI_FIELD_MAX_AXES];
    float weight; ///< of the reward's second term
    float fps;    ///< ticks a second; a source sets it to its field's
    /// theta(axes) of a target for a character whose ground root stands at `root`.
    void (*read)(const ami_field_task *task, float *theta, const ami_field_target *target, am_transform root);
    /// next(axes): theta after a step of the root; next may be theta.
    void (*advance)(const ami_field_task *task, float *next, const float *theta, ami_field_step step);
    /// The reward of a tick with this step that led to theta.
    float (*reward)(const ami_field_task *task, const float *theta, ami_field_step step);
    /// Whether the character should stand where it is. NULL: never.
    bool (*rests)(const ami_field_task *task, const float *theta);
};

/// The built-in task of that name with its usual grid and weight, at 30 ticks a second. False when there is none.
bool ami_field_task_find(ami_field_task *out, const char *name);
/// Names of the built-in tasks, NULL behind the last.
const char *ami_field_task_name(int i);
/// Samples of the whole grid; 0 when the grid makes no sense (no axis, fewer than 2 samples, no extent, too many).
int ami_field_task_cells(const ami_field_task *task);
/// theta(axes) of one cell of the grid; the last axis runs fastest.
void ami_field_task_theta(const ami_field_task *task, float *theta, int cell);

/// Where theta lies on the grid: the cells around it and their shares.
typedef struct ami_field_corners {
    int count; ///< 2 for each axis
    int32_t cell[AMI_FIELD_MAX_CORNERS];
    float share[AMI_FIELD_MAX_CORNERS]; ///< >= 0, sum 1
} ami_field_corners;
/// Multilinear; the same bits everywhere. A theta that is not a number also gives a place on the grid.
void ami_field_task_corners(const ami_field_task *task, ami_field_corners *out, const float *theta);

#endif
