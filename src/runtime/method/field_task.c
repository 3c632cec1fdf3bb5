// Tasks of motion fields (Fields eq. 16-17): direction, line, and beyond the paper speed and point.
#include "method/field_task.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Direction

static float heading_of(am_transform root) { return am_quat_heading(root.rotation); }

static void read_direction(const ami_field_task *task, float *theta, const ami_field_target *target,
                           am_transform root)
{
    (void)task;
    theta[0] = am_wrap_angle(target->heading - heading_of(root));
}

static void advance_direction(const ami_field_task *task, float *next, const float *theta, ami_field_step step)
{
    (void)task;
    next[0] = am_wrap_angle(theta[0] - step.turn);
}

static float reward_direction(const ami_field_task *task, const float *theta, ami_field_step step)
{
    (void)task, (void)step;
    return -am_abs(theta[0]);
}

// ---------------------------------------------------------------------------------------------
// Line: theta[1] is how far to the left of the line the root stands, looking along it

static void read_line(const ami_field_task *task, float *theta, const ami_field_target *target, am_transform root)
{
    float sine, cosine;
    am_sincos(target->heading, &sine, &cosine);
    read_direction(task, theta, target, root);
    theta[1] = cosine * (root.translation.x - target->point.x) - sine * (root.translation.z - target->point.z);
}

static void advance_line(const ami_field_task *task, float *next, const float *theta, ami_field_step step)
{
    float sine, cosine;
    am_sincos(theta[0], &sine, &cosine);
    next[1] = theta[1] + cosine * step.x - sine * step.z;
    advance_direction(task, next, theta, step);
}

static float reward_line(const ami_field_task *task, const float *theta, ami_field_step step)
{
    (void)step;
    return -am_abs(theta[0]) - task->weight * am_abs(theta[1]);
}

// ---------------------------------------------------------------------------------------------
// Speed: theta[1] is the desired speed and stays constant

// A slower target means standing.
#define REST_MPS 0.05f
// Planted feet let a body turn this fast, walking feet faster; anything beyond would spin on the spot.
#define FREE_TURN 0.5f       // rad/s
#define FREE_TURN_PER_M 3.0f // rad/m: a full circle on 2 m of way
#define SPIN_WEIGHT 1.0f     // rad of a wrong facing for each rad/s beyond

/// The cost of a turn that is quicker than steps at this speed allow.
static float spin_of(const ami_field_task *task, ami_field_step step, float speed)
{
    return SPIN_WEIGHT * am_max(am_abs(step.turn) * task->fps - FREE_TURN - FREE_TURN_PER_M * speed, 0.0f);
}

static void read_speed(const ami_field_task *task, float *theta, const ami_field_target *target, am_transform root)
{
    read_direction(task, theta, target, root);
    theta[0] = target->speed < REST_MPS && !target->faces ? 0.0f : theta[0]; // released: it keeps its facing
    theta[1] = target->speed;
}

static void advance_speed(const ami_field_task *task, float *next, const float *theta, ami_field_step step)
{
    next[1] = theta[1];
    advance_direction(task, next, theta, step);
}

static float reward_speed(const ami_field_task *task, const float *theta, ami_field_step step)
{
    const float speed = ami_step_speed(task, step);
    return -am_abs(theta[0]) - task->weight * am_abs(speed - theta[1]) - spin_of(task, step, speed);
}

static bool speed_rests(const ami_field_task *task, const float *theta)
{
    (void)task;
    return theta[1] < REST_MPS;
}

// ---------------------------------------------------------------------------------------------
// Point: theta is x (to the left) and z (ahead) of the point in the root's frame

/// A point beyond the grid lies on its rim in the same direction.
static void keep_near(const ami_field_task *task, float *theta)
{
    const float most = task->axis[0].high, length = sqrtf(theta[0] * theta[0] + theta[1] * theta[1]);
    if (length > most) {
        theta[0] *= most / length;
        theta[1] *= most / length;
    }
}

static void read_point(const ami_field_task *task, float *theta, const ami_field_target *target, am_transform root)
{
    const am_vec3 seen = am_quat_unrotate(root.rotation, am_v3_sub(target->point, root.translation));
    theta[0] = seen.x;
    theta[1] = seen.z;
    keep_near(task, theta);
}

static void advance_point(const ami_field_task *task, float *next, const float *theta, ami_field_step step)
{
    float sine, cosine;
    am_sincos(step.turn, &sine, &cosine);
    const float x = theta[0] - step.x, z = theta[1] - step.z;
    next[0] = cosine * x - sine * z;
    next[1] = sine * x + cosine * z;
    keep_near(task, next);
}

// A point this close counts as reached: steps toward it end no closer. Moving costs, so that a character that has
// arrived stands: m for each m/s.
#define THERE_M 0.3f
#define MOVE_WEIGHT 0.2f
// Within this distance a character may stand: otherwise one that has stopped short of the point would creep on. Wider
// than where the targets of other methods end (intent.c), since a field's steps end where the data's do.
#define REST_M 0.5f

static float reward_point(const ami_field_task *task, const float *theta, ami_field_step step)
{
    const float speed = ami_step_speed(task, step);
    const float far = sqrtf(theta[0] * theta[0] + theta[1] * theta[1]);
    return -task->weight * am_max(far - THERE_M, 0.0f) - MOVE_WEIGHT * speed - spin_of(task, step, speed);
}

static bool point_rests(const ami_field_task *task, const float *theta)
{
    (void)task;
    return theta[0] * theta[0] + theta[1] * theta[1] < REST_M * REST_M;
}

// ---------------------------------------------------------------------------------------------
// The list of them

#define ANGLE                                                                                                        \
    {                                                                                                                \
        18, -AM_PI, AM_PI, 1, 0                                                                                      \
    }

static const ami_field_task tasks[] = {
    { "direction", 1, { ANGLE }, 0.0f, 30.0f, read_direction, advance_direction, reward_direction, NULL },
    { "line", 2, { ANGLE, { 13, -2.0f, 2.0f, 0, 1 } }, 5.0f, 30.0f, read_line, advance_line, reward_line, NULL },
    { "speed",
      2,
      { ANGLE, { 7, 0.0f, 4.5f, 0, 0 } },
      0.5f,
      30.0f,
      read_speed,
      advance_speed,
      reward_speed,
      speed_rests },
    { "point",
      2,
      { { 15, -3.5f, 3.5f, 0, 1 }, { 15, -3.5f, 3.5f, 0, 1 } },
      1.0f,
      30.0f,
      read_point,
      advance_point,
      reward_point,
      point_rests },
};
enum { task_count = sizeof tasks / sizeof tasks[0] };

bool ami_field_task_find(ami_field_task *out, const char *name)
{
    for (int i = 0; i < task_count; i++) {
        if (strcmp(tasks[i].name, name) == 0) {
            *out = tasks[i];
            return true;
        }
    }
    return false;
}

const char *ami_field_task_name(int i) { return i >= 0 && i < task_count ? tasks[i].name : NULL; }

// ---------------------------------------------------------------------------------------------
// The grid

int ami_field_task_cells(const ami_field_task *task)
{
    int cells = 1;
    if (task->axes < 1 || task->axes > AMI_FIELD_MAX_AXES) {
        return 0;
    }
    for (int a = 0; a < task->axes; a++) {
        const ami_field_axis *axis = &task->axis[a];
        const float extent = axis->high - axis->low;
        if (axis->samples < 2 || axis->samples > AMI_FIELD_MAX_CELLS / cells || !(extent > 0.0f && extent < 1e6f) ||
            !(am_abs(axis->low) < 1e6f)) {
            return 0;
        }
        cells *= axis->samples;
    }
    return cells;
}

void ami_field_task_theta(const ami_field_task *task, float *theta, int cell)
{
    for (int a = task->axes - 1; a >= 0; a--) {
        const ami_field_axis *axis = &task->axis[a];
        const int i = cell % axis->samples;
        cell /= axis->samples;
        const float at = (float)i / (float)ami_axis_gaps(axis);
        theta[a] = axis->low + (axis->high - axis->low) * (axis->dense ? ami_axis_dense(at) : at);
    }
}

void ami_field_task_corners(const ami_field_task *task, ami_field_corners *out, const float *theta)
{
    out->count = 1;
    out->cell[0] = 0;
    out->share[0] = 1.0f;
    for (int a = 0; a < task->axes; a++) {
        const ami_field_axis *axis = &task->axis[a];
        float share;
        const int i = ami_axis_place(axis, theta[a], &share), after = ami_axis_after(axis, i);
        for (int c = out->count - 1; c >= 0; c--) { // backward, so that none is overwritten before it is read
            const int cell = out->cell[c] * axis->samples;
            const float part = out->share[c];
            out->cell[2 * c] = cell + i;
            out->share[2 * c] = part * (1.0f - share);
            out->cell[2 * c + 1] = cell + after;
            out->share[2 * c + 1] = part * share;
        }
        out->count *= 2;
    }
}
