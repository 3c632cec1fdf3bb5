// The whole sweep of a line's value function (Fields eq. 17): see value_line.h.
#include "train/value_line.h"

#include <limits.h>
#include <math.h>

enum { lane = 8 };

bool ami_value_line_make(ami_value_line *line, const am_field_task *task, float gamma, float steer)
{
    am_field_task own;
    *line = (ami_value_line){ .gamma = gamma, .weight = task->weight, .steer = steer };
    if (!am_field_task_find(&own, "line") || own.advance != task->advance || own.reward != task->reward) {
        return false;
    }
    const am_field_axis *turn = &task->axis[0], *axis = &task->axis[1];
    const float gap = (turn->high - turn->low) / (float)turn->samples;
    if (!turn->cyclic || turn->dense || axis->cyclic || turn->samples > ami_line_most_angles ||
        axis->samples > ami_line_most_across || 2.0f * steer > gap * (float)(ami_line_most_bands - 3)) {
        return false;
    }
    line->angles = turn->samples;
    line->across = axis->samples;
    line->wide = (axis->samples + lane - 1) / lane * lane;
    line->axis = *axis;
    for (int i = 0; i < line->angles; i++) {
        float theta[AM_FIELD_MAX_AXES];
        am_field_task_theta(task, theta, i * line->across);
        line->angle[i] = theta[0];
        am_sincos(theta[0], &line->sine[i], &line->cosine[i]);
    }
    for (int j = 0; j < line->wide; j++) {
        float theta[AM_FIELD_MAX_AXES];
        am_field_task_theta(task, theta, j < line->across ? j : line->across - 1);
        line->place[j] = theta[1];
    }
    for (int j = 0; j + 1 < line->across; j++) {
        line->gap[j] = 1.0f / (line->place[j + 1] - line->place[j]);
    }
    return true;
}

/// Where all places lead from one angle.
typedef struct crossing {
    int32_t at[ami_line_most_across];                      ///< sample before
    float share[ami_line_most_across];                     ///< of the one after
    float cost[ami_line_most_across];                      ///< of the place, as a reward
    float band[ami_line_most_bands][ami_line_most_across]; ///< values there, for each row of the grid
} crossing;

/// `move`: metres to the left of the line.
static void cross(const ami_value_line *line, crossing *to, float move)
{
    const am_field_axis *axis = &line->axis;
    const float scale = 1.0f / (axis->high - axis->low), gaps = (float)(line->across - 1);
    const bool dense = axis->dense != 0;
    float next[ami_line_most_across];
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

static void read_band(const ami_value_line *line, crossing *to, int band, const float *row)
{
    for (int j = 0; j < line->wide; j++) {
        const float *here = row + to->at[j];
        to->band[band][j] = am_lerp(here[0], here[1], to->share[j]);
    }
}

/// One way of an action: how far it turns, and where that lies among the samples.
typedef struct turning {
    float turn, share;
    int shift; ///< samples
} turning;

static int turnings(const ami_value_line *line, turning *out, am_field_step step, int *least)
{
    const int ways = ami_ways(line->steer);
    const float gap = (line->angle[line->angles - 1] - line->angle[0]) / (float)(line->angles - 1);
    int most = INT_MIN;
    *least = INT_MAX;
    for (int w = 0; w < ways; w++) {
        const float turn = ami_steered(step, line->steer, w).turn, at = -turn / gap, shift = floorf(at);
        out[w] = (turning){ turn, at - shift, (int)shift };
        *least = out[w].shift < *least ? out[w].shift : *least;
        most = out[w].shift > most ? out[w].shift : most;
    }
    return most - *least + 2;
}

/// The best of all ways for the cells of one angle.
static void take(const ami_value_line *line, float *restrict best, int32_t *restrict policy, const crossing *from,
                 const turning *way, int least, float angle, int32_t action)
{
    const float share = way->share, gamma = line->gamma;
    const float reward = -am_abs(am_wrap_angle(angle - way->turn));
    const float *restrict here = from->band[way->shift - least], *restrict there = from->band[way->shift - least + 1];
    for (int j = 0; j < line->wide; j++) {
        const float worth = (reward + from->cost[j]) + gamma * am_lerp(here[j], there[j], share);
        policy[j] = worth > best[j] ? action : policy[j];
        best[j] = worth > best[j] ? worth : best[j];
    }
}

void ami_value_line_visit(const ami_value_line *line, float *best, uint16_t *policy, const float *mixed,
                          am_field_step step, int action, int actions)
{
    turning ways[ami_steer_ways];
    int least;
    const int bands = turnings(line, ways, step, &least);
    const int first = ((least % line->angles) + line->angles) % line->angles;
    for (int i = 0; i < line->angles; i++) {
        crossing to;
        cross(line, &to, line->cosine[i] * step.x - line->sine[i] * step.z);
        for (int b = 0; b < bands; b++) {
            read_band(line, &to, b, mixed + (size_t)((i + first + b) % line->angles) * (size_t)line->across);
        }
        float top[ami_line_most_across];
        int32_t chosen[ami_line_most_across];
        for (int j = 0; j < ami_line_most_across; j++) {
            top[j] = -INFINITY;
            chosen[j] = 0;
        }
        for (int w = 0; w < ami_ways(line->steer); w++) {
            take(line, top, chosen, &to, &ways[w], least, line->angle[i], (int32_t)(action + w * actions));
        }
        float *own = best + (size_t)i * (size_t)line->across;
        uint16_t *taken = policy + (size_t)i * (size_t)line->across;
        for (int j = 0; j < line->across; j++) {
            taken[j] = top[j] > own[j] ? (uint16_t)chosen[j] : taken[j];
            own[j] = top[j] > own[j] ? top[j] : own[j];
        }
    }
}
