/// A graph-based controller (Kovar 2002, Treuille 2007, Lee 2009) that motion fields are compared with. The motion is
/// cut into short clips where it resembles other motion; a clip may be followed by any clip that begins like it ends;
/// decisions are made only there. Each clip may be bent by up to 45 degrees while it plays.
///
/// States, metric (Fields eq. 1) and steps of the ground root are those of a motion field, tasks and rewards too.
#ifndef AMBLE_MOTION_GRAPH_H
#define AMBLE_MOTION_GRAPH_H

#include <amble/source.h>

#include "method/task.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_MOTION_GRAPH_MAX_BRANCHES 256 ///< most followers of a clip
#define LAB_MOTION_GRAPH_MAX_STATES (1 << 16)

/// How a graph is made. Start from lab_motion_graph_def_default().
typedef struct lab_motion_graph_def {
    const am_alloc *alloc;  ///< NULL means malloc/free
    const am_tasks *tasks;  ///< NULL means serial
    const ami_field *field; ///< borrowed; at most LAB_MOTION_GRAPH_MAX_STATES states
    float similar;          ///< distance of two states (eq. 1) below which one may be followed by the other
    float least_s;          ///< shortest clip
    int branches;           ///< clips offered at the end of one, the nearest; 1 to LAB_MOTION_GRAPH_MAX_BRANCHES
    uint32_t cookie;
} lab_motion_graph_def;
lab_motion_graph_def lab_motion_graph_def_default(void);

/// A clip: states `first` to `last` of one range. Its last state is where the next clip is chosen, and is the first
/// state of the clip that was captured after it.
typedef struct lab_motion_graph_clip {
    int32_t first, last;
    int32_t edge, edge_count; ///< its followers are edges[edge .. edge + edge_count - 1]; the captured one first
} lab_motion_graph_clip;

/// A graph. Read it, do not write it. Strongly connected: every clip can be reached from every other.
typedef struct lab_motion_graph {
    const ami_field *field;
    int clip_count, edge_count;
    const lab_motion_graph_clip *clips; ///< [clip] ascending
    const int32_t *edges;               ///< [edge] clips
    int minima;                         ///< places where two motions are most alike, of which the cuts were taken
    int pruned;                         ///< clips left out, because they cannot be reached or left
    float mean_s, longest_s;            ///< length of the clips
    uint64_t hash;
    struct lab_motion_graph_own *own;
} lab_motion_graph;
am_result lab_motion_graph_create(lab_motion_graph **out, const lab_motion_graph_def *def, am_error *err);
void lab_motion_graph_destroy(lab_motion_graph *graph);

/// How the graph is followed. Start from lab_motion_graph_source_def_default().
typedef struct lab_motion_graph_source_def {
    const am_alloc *alloc;         ///< NULL means malloc/free
    const am_tasks *tasks;         ///< NULL means serial
    const lab_motion_graph *graph; ///< borrowed
    const ami_field_task *task;    ///< borrowed: target and reward
    float gamma;                   ///< discount of one tick (default 0.99)
    float warp;                    ///< rad that a clip may be bent by to either side (default 45 degrees)
    int warps;                     ///< bends that are tried, odd (default 19); the best is then refined
    uint32_t cookie;
} lab_motion_graph_source_def;
lab_motion_graph_source_def lab_motion_graph_source_def_default(void);
/// Computes the value function over clips and task parameters by value iteration, which takes about a second for 400
/// clips, and gives the source `graph`.
am_result lab_motion_graph_source_create(am_source **out, const lab_motion_graph_source_def *def, am_error *err);
/// Bytes of such a source's value function: 16-bit numbers for each clip and sample of the task's parameters.
size_t lab_motion_graph_source_value_bytes(const am_source *source);

#ifdef __cplusplus
}
#endif
#endif
