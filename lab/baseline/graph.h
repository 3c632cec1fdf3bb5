/// Types and functions shared by the files of the graph-based controller.
#ifndef AMI_SOURCE_GRAPH_H
#define AMI_SOURCE_GRAPH_H

#include "motion_graph.h"

#include "base/memory.h"
#include "method/task.h"

/// graph_cut.c: cuts(state_count) becomes 1 at the states where clips begin or end. *minima counts the local minima
/// that were found.
am_result ami_graph_cut(uint8_t *cuts, int *minima, const lab_motion_graph_def *def, const am_alloc *alloc,
                        am_error *err);

/// A graph during construction: clips between cuts with their followers, room for branches + 1 each.
typedef struct ami_graph_draft {
    lab_motion_graph_clip *clips; ///< [clip_count]; `edge` is where its followers begin
    int32_t *edges;               ///< [clip_count][branches + 1]
    int clip_count;
    int minima; ///< places where two motions are most alike
} ami_graph_draft;

/// graph_link.c: fills the followers of every clip.
am_result ami_graph_link(ami_graph_draft *draft, const lab_motion_graph_def *def, const am_alloc *alloc,
                         am_error *err);
/// graph_link.c: keep(clip_count) becomes 1 for the clips of the largest strongly connected part; *kept is their
/// number.
am_result ami_graph_connected(uint8_t *keep, int *kept, const ami_graph_draft *draft, const am_alloc *alloc,
                              am_error *err);

/// A task on a graph.
typedef struct ami_graph_rules {
    const lab_motion_graph *graph;
    const ami_field_task *task;
    float gamma; ///< of a tick
    float warp;  ///< rad, largest bend
    int warps;   ///< bends that are tried
    int cells;   ///< samples of the task's parameters
} ami_graph_rules;

/// graph_value.c: plays a clip bent by `warp`: its discounted rewards; theta(axes) becomes what it is at the end.
float ami_graph_play(const ami_graph_rules *rules, float *theta, int clip, float warp);
/// graph_value.c: discount of what comes after a clip.
float ami_graph_discount(const ami_graph_rules *rules, int clip);
/// graph_value.c: the value of the future at the end of a clip.
float ami_graph_value(const ami_graph_rules *rules, const uint16_t *values, int clip, const float *theta);
/// graph_value.c: bend i of those that are tried.
float ami_graph_bend(const ami_graph_rules *rules, int i);
/// graph_value.c: values(clip, cell) in 16 bits.
am_result ami_graph_iterate(uint16_t *values, const ami_graph_rules *rules, const am_tasks *tasks,
                            const am_alloc *alloc, am_error *err);

/// Ticks of `seconds`, at least one.
static inline int ami_graph_ticks(const ami_field *field, float seconds)
{
    int ticks = (int)(seconds * field->fps + 0.5f);
    return ticks > 1 ? ticks : 1;
}

/// Whether states a <= b belong to one range: the motion leads from one to the other.
static inline bool ami_graph_same(const ami_field *field, int a, int b)
{
    return field->ranges[a] == field->ranges[b];
}

#endif
