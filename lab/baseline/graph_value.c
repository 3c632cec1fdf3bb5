// Values of the graph-based controller: the discounted reward after the end of each clip, for samples of the task's
// parameters, by value iteration over clips, bends and followers with the rewards of a motion field's ticks.
#include "graph.h"

#include "base/error.h"
#include "net/format.h"

#include <string.h>

// Iteration ends when no value changes by more: far below the steps of 16-bit numbers of this size.
#define SETTLED 1e-3f
#define MOST_ROUNDS 2000

float ami_graph_play(const ami_graph_rules *rules, float *theta, int clip, float warp)
{
    const lab_motion_graph_clip *c = &rules->graph->clips[clip];
    const ami_field *field = rules->graph->field;
    float turn = warp / (float)(c->last - c->first);
    float discount = 1.0f;
    float sum = 0.0f;
    for (int s = c->first; s < c->last; s++) {
        ami_field_step step = ami_field_velocity_step(ami_field_v(field, s));
        step.turn += turn;
        rules->task->advance(rules->task, theta, theta, step);
        sum += discount * rules->task->reward(rules->task, theta, step);
        discount *= rules->gamma;
    }
    return sum;
}

float ami_graph_discount(const ami_graph_rules *rules, int clip)
{
    const lab_motion_graph_clip *c = &rules->graph->clips[clip];
    float discount = 1.0f;
    for (int s = c->first; s < c->last; s++) {
        discount *= rules->gamma;
    }
    return discount;
}

float ami_graph_value(const ami_graph_rules *rules, const uint16_t *values, int clip, const float *theta)
{
    ami_field_corners corners;
    ami_field_task_corners(rules->task, &corners, theta);
    const uint16_t *row = values + (size_t)clip * (size_t)rules->cells;
    float sum = 0.0f;
    for (int i = 0; i < corners.count; i++) {
        sum += corners.share[i] * ami_half_to(row[corners.cell[i]]);
    }
    return sum;
}

float ami_graph_bend(const ami_graph_rules *rules, int i)
{
    return rules->warps > 1 ? rules->warp * (2.0f * (float)i / (float)(rules->warps - 1) - 1.0f) : 0.0f;
}

// ---------------------------------------------------------------------------------------------
// Iteration

/// Where a clip leads from a cell of the grid with a given bend.
typedef struct outcome {
    float reward;
    int32_t cell[AMI_FIELD_MAX_CORNERS];
    float share[AMI_FIELD_MAX_CORNERS];
} outcome;

typedef struct iteration {
    const ami_graph_rules *rules;
    outcome *outcomes; ///< [clip][cell][warp]
    float *values;     ///< [clip][cell] at the end of a clip
    float *whole;      ///< [clip][cell] before a clip: its rewards and what comes after it
    float *changes;    ///< [clip] largest change of a round
} iteration;

static void play_clip(void *context, int clip)
{
    iteration *it = context;
    const ami_graph_rules *rules = it->rules;
    outcome *out = it->outcomes + (size_t)clip * (size_t)rules->cells * (size_t)rules->warps;
    for (int cell = 0; cell < rules->cells; cell++) {
        for (int w = 0; w < rules->warps; w++, out++) {
            float theta[AMI_FIELD_MAX_AXES];
            ami_field_corners corners;
            ami_field_task_theta(rules->task, theta, cell);
            out->reward = ami_graph_play(rules, theta, clip, ami_graph_bend(rules, w));
            ami_field_task_corners(rules->task, &corners, theta);
            memcpy(out->cell, corners.cell, sizeof out->cell);
            memcpy(out->share, corners.share, sizeof out->share);
        }
    }
}

/// whole: the best bend of a clip for each cell.
static void bend_clip(void *context, int clip)
{
    iteration *it = context;
    const ami_graph_rules *rules = it->rules;
    const outcome *o = it->outcomes + (size_t)clip * (size_t)rules->cells * (size_t)rules->warps;
    const float *row = it->values + (size_t)clip * (size_t)rules->cells;
    float *whole = it->whole + (size_t)clip * (size_t)rules->cells;
    float discount = ami_graph_discount(rules, clip);
    int corners = 1 << rules->task->axes;
    for (int cell = 0; cell < rules->cells; cell++) {
        float best = -INFINITY;
        for (int w = 0; w < rules->warps; w++, o++) {
            float value = 0.0f;
            for (int i = 0; i < corners; i++) {
                value += o->share[i] * row[o->cell[i]];
            }
            best = am_max(best, o->reward + discount * value);
        }
        whole[cell] = best;
    }
}

/// values: the best follower of a clip for each cell.
static void follow_clip(void *context, int clip)
{
    iteration *it = context;
    const ami_graph_rules *rules = it->rules;
    const lab_motion_graph_clip *c = &rules->graph->clips[clip];
    float *row = it->values + (size_t)clip * (size_t)rules->cells;
    float change = 0.0f;
    for (int cell = 0; cell < rules->cells; cell++) {
        float best = -INFINITY;
        for (int e = 0; e < c->edge_count; e++) {
            int to = rules->graph->edges[c->edge + e];
            best = am_max(best, it->whole[(size_t)to * (size_t)rules->cells + (size_t)cell]);
        }
        change = am_max(change, am_abs(best - row[cell]));
        row[cell] = best;
    }
    it->changes[clip] = change;
}

static void iterate(iteration *it, const am_tasks *tasks)
{
    int clips = it->rules->graph->clip_count;
    tasks->run(tasks->user, clips, play_clip, it);
    float change = INFINITY;
    for (int round = 0; round < MOST_ROUNDS && change > SETTLED; round++) {
        tasks->run(tasks->user, clips, bend_clip, it);
        tasks->run(tasks->user, clips, follow_clip, it);
        change = 0.0f;
        for (int c = 0; c < clips; c++) {
            change = am_max(change, it->changes[c]);
        }
    }
}

am_result ami_graph_iterate(uint16_t *values, const ami_graph_rules *rules, const am_tasks *tasks,
                            const am_alloc *alloc, am_error *err)
{
    size_t clips = (size_t)rules->graph->clip_count;
    size_t cells = clips * (size_t)rules->cells;
    size_t outcomes = cells * (size_t)rules->warps * sizeof(outcome);
    size_t bytes = outcomes + (2 * cells + clips) * sizeof(float);
    uint8_t *room = ami_alloc_zero(alloc, bytes);
    if (!room) {
        return ami_fail_memory(err, bytes);
    }
    iteration it = { .rules = rules, .outcomes = (outcome *)(void *)room };
    it.values = (float *)(void *)(room + outcomes);
    it.whole = it.values + cells;
    it.changes = it.whole + cells;
    iterate(&it, tasks);
    for (size_t i = 0; i < cells; i++) {
        values[i] = ami_half_from(am_clamp(it.values[i], -65504.0f, 65504.0f));
    }
    ami_release(alloc, room, bytes);
    return AM_OK;
}
