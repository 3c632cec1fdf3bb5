// A complete sweep of a line's value function (Fields eq. 17); value_line.h describes it.
#include "train/value_line.h"

#include <math.h>

enum { lane = 8 };

bool ami_value_line_make(ami_value_line *line, const ami_field_task *task, float gamma, float steer)
{
    ami_field_task own;
    *line = (ami_value_line){ .gamma = gamma, .weight = task->weight, .steer = steer };
    if (!ami_field_task_find(&own, "line") || own.advance != task->advance || own.reward != task->reward) {
        return false;
    }
    const ami_field_axis *turn = &task->axis[0], *axis = &task->axis[1];
    if (axis->cyclic || turn->samples > ami_line_most_angles || axis->samples > ami_line_most_across) {
        return false;
    }
    line->angles = turn->samples;
    line->across = axis->samples;
    line->wide = (axis->samples + lane - 1) / lane * lane;
    line->turn = *turn;
    line->axis = *axis;
    for (int i = 0; i < line->angles; i++) {
        float theta[AMI_FIELD_MAX_AXES];
        ami_field_task_theta(task, theta, i * line->across);
        line->angle[i] = theta[0];
        am_sincos(theta[0], &line->sine[i], &line->cosine[i]);
    }
    for (int j = 0; j < line->wide; j++) {
        float theta[AMI_FIELD_MAX_AXES];
        ami_field_task_theta(task, theta, j < line->across ? j : line->across - 1);
        line->place[j] = theta[1];
    }
    for (int j = 0; j + 1 < line->across; j++) {
        line->gap[j] = 1.0f / (line->place[j + 1] - line->place[j]);
    }
    return true;
}

/// Where all places lead from one angle.
typedef struct crossing {
    int32_t at[ami_line_most_across];  ///< sample before
    float share[ami_line_most_across]; ///< of the one after
    float cost[ami_line_most_across];  ///< of the place, as a reward
    int band_of[ami_line_most_angles]; ///< which band holds what an angle's row is worth there, -1: none
    int bands;
    float band[2 * ami_steer_ways][ami_line_most_across];
} crossing;

/// `move`: metres to the left of the line.
static void cross(const ami_value_line *line, crossing *to, float move)
{
    const ami_field_axis *axis = &line->axis;
    const float scale = 1.0f / (axis->high - axis->low), gaps = (float)(line->across - 1);
    const bool dense = axis->dense != 0;
    float next[ami_line_most_across];
    to->bands = 0;
    for (int i = 0; i < line->angles; i++) {
        to->band_of[i] = -1;
    }
    for (int j = 0; j < line->wide; j++) {
        next[j] = line->place[j] + move;
        to->cost[j] = -line->weight * am_abs(next[j]);
        const float extent = (next[j] - axis->low) * scale;
        float at = (dense ? ami_axis_even(extent) : extent) * gaps;
        at = at > 0.0f ? at : 0.0f;
        to->at[j] = (int32_t)(at < gaps - 1.0f ? at : gaps - 1.0f);
    }
    for (int j = 0; j < line->wide; j++) {
        const float share = (next[j] - line->place[to->at[j]]) * line->gap[to->at[j]];
        to->share[j] = share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
    }
}

/// What the places that are led to are worth at angle i.
static const float *band_at(const ami_value_line *line, crossing *to, const float *mixed, int i)
{
    if (to->band_of[i] < 0) {
        const float *row = mixed + (size_t)i * (size_t)line->across;
        float *band = to->band[to->bands];
        for (int j = 0; j < line->wide; j++) {
            const float *here = row + to->at[j];
            band[j] = am_lerp(here[0], here[1], to->share[j]);
        }
        to->band_of[i] = to->bands++;
    }
    return to->band[to->band_of[i]];
}

/// The best of all actions so far for the cells of one angle.
typedef struct top {
    float worth[ami_line_most_across];
    int32_t action[ami_line_most_across];
} top;

/// Takes one way of an action into it, which turns from `angle` by `turn`.
static void take(const ami_value_line *line, top *best, crossing *to, const float *mixed, float angle, float turn,
                 int32_t action)
{
    const float next = am_wrap_angle(angle - turn), reward = -am_abs(next), gamma = line->gamma;
    float share;
    const int i = ami_axis_place(&line->turn, next, &share);
    const float *here = band_at(line, to, mixed, i);
    const float *there = band_at(line, to, mixed, ami_axis_after(&line->turn, i));
    for (int j = 0; j < line->wide; j++) {
        const float worth = (reward + to->cost[j]) + gamma * am_lerp(here[j], there[j], share);
        best->action[j] = worth > best->worth[j] ? action : best->action[j];
        best->worth[j] = worth > best->worth[j] ? worth : best->worth[j];
    }
}

void ami_value_line_visit(const ami_value_line *line, float *best, uint16_t *policy, const float *mixed,
                          ami_field_step step, int action, int actions)
{
    for (int i = 0; i < line->angles; i++) {
        crossing to;
        cross(line, &to, line->cosine[i] * step.x - line->sine[i] * step.z);
        top found;
        for (int j = 0; j < ami_line_most_across; j++) {
            found.worth[j] = -INFINITY;
            found.action[j] = 0;
        }
        for (int w = 0; w < ami_ways(line->steer); w++) {
            const float turn = ami_steered(step, line->steer, w).turn;
            take(line, &found, &to, mixed, line->angle[i], turn, (int32_t)(action + w * actions));
        }
        float *own = best + (size_t)i * (size_t)line->across;
        uint16_t *taken = policy + (size_t)i * (size_t)line->across;
        for (int j = 0; j < line->across; j++) {
            taken[j] = found.worth[j] > own[j] ? (uint16_t)found.action[j] : taken[j];
            own[j] = found.worth[j] > own[j] ? found.worth[j] : own[j];
        }
    }
}
