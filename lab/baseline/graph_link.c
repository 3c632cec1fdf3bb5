// Finds which clips may follow each clip, and keeps the largest strongly connected part of the graph (Tarjan's
// algorithm), so that a character never walks into a dead end.
#include "graph.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "base/tasks.h"

#include <string.h>

/// What the tasks share.
typedef struct linker {
    ami_graph_draft *draft;
    const ami_field *field;
    const ami_kernels *kernels;
    float most_d2;
    int branches;
} linker;

/// The followers of one clip: the captured one, then the nearest beginnings; ties go to the lower clip.
static void link_clip(void *context, int item)
{
    const linker *l = context;
    lab_motion_graph_clip *clip = &l->draft->clips[item];
    int32_t *edges = l->draft->edges + (size_t)item * (size_t)(l->branches + 1);
    float d2[LAB_MOTION_GRAPH_MAX_BRANCHES + 1] = { 0 };
    bool captured = item + 1 < l->draft->clip_count && clip[1].first == clip->last;
    clip->edge = item * (l->branches + 1);
    clip->edge_count = 0;
    if (captured) {
        edges[clip->edge_count++] = item + 1;
    }
    int first = clip->edge_count;
    const float *end = ami_field_row(l->field, clip->last);
    for (int c = 0; c < l->draft->clip_count; c++) {
        float distance;
        l->kernels->distances(&distance, end, ami_field_row(l->field, l->draft->clips[c].first), 1,
                              (size_t)l->field->stride);
        int count = clip->edge_count - first;
        if (!(distance < l->most_d2) || (captured && c == item + 1) ||
            (count > 0 && count == l->branches && !(distance < d2[count - 1]))) {
            continue;
        }
        int at = count < l->branches ? count : count - 1;
        for (; at > 0 && distance < d2[at - 1]; at--) {
            d2[at] = d2[at - 1];
            edges[first + at] = edges[first + at - 1];
        }
        d2[at] = distance;
        edges[first + at] = c;
        clip->edge_count += count < l->branches;
    }
}

am_result ami_graph_link(ami_graph_draft *draft, const lab_motion_graph_def *def, const am_alloc *alloc,
                         am_error *err)
{
    size_t bytes = (size_t)draft->clip_count * (size_t)(def->branches + 1) * sizeof *draft->edges;
    draft->edges = ami_alloc_zero(alloc, bytes);
    if (!draft->edges) {
        return ami_fail_memory(err, bytes);
    }
    linker l = { draft, def->field, ami_kernels_pick(), def->similar * def->similar, def->branches };
    am_tasks tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    tasks.run(tasks.user, draft->clip_count, link_clip, &l);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// The strongly connected part

/// One clip in Tarjan's algorithm.
typedef struct visit {
    int32_t number;  ///< in the order of arrival, 0 before it
    int32_t lowest;  ///< number that it reaches back to
    int32_t edge;    ///< next follower to go to
    int32_t part;    ///< 1 and up when its part is known
    int32_t path;    ///< [depth] clips on the way
    int32_t waiting; ///< [height] clips whose part is not known
} visit;

typedef struct walk {
    const ami_graph_draft *draft;
    visit *v;
    int depth, height, numbers, parts;
} walk;

static void arrive(walk *w, int clip)
{
    w->v[clip].number = w->v[clip].lowest = ++w->numbers;
    w->v[w->depth++].path = clip;
    w->v[w->height++].waiting = clip;
}

/// Leaves the clip at the end of the path; when nothing before it can be reached from it, its part is complete.
static void leave(walk *w)
{
    int clip = w->v[--w->depth].path;
    if (w->v[clip].lowest == w->v[clip].number) {
        w->parts++;
        int top;
        do {
            top = w->v[--w->height].waiting;
            w->v[top].part = w->parts;
        } while (top != clip);
    }
    if (w->depth > 0) {
        visit *parent = &w->v[w->v[w->depth - 1].path];
        parent->lowest = parent->lowest < w->v[clip].lowest ? parent->lowest : w->v[clip].lowest;
    }
}

static void walk_from(walk *w, int start)
{
    arrive(w, start);
    while (w->depth > 0) {
        int at = w->v[w->depth - 1].path;
        const lab_motion_graph_clip *clip = &w->draft->clips[at];
        if (w->v[at].edge == clip->edge_count) {
            leave(w);
            continue;
        }
        int to = w->draft->edges[clip->edge + w->v[at].edge++];
        if (w->v[to].number == 0) {
            arrive(w, to);
        } else if (w->v[to].part == 0 && w->v[to].number < w->v[at].lowest) {
            w->v[at].lowest = w->v[to].number;
        }
    }
}

am_result ami_graph_connected(uint8_t *keep, int *kept, const ami_graph_draft *draft, const am_alloc *alloc,
                              am_error *err)
{
    size_t bytes = (size_t)draft->clip_count * sizeof(visit);
    visit *visits = ami_alloc_zero(alloc, bytes);
    if (!visits) {
        return ami_fail_memory(err, bytes);
    }
    walk w = { draft, visits, 0, 0, 0, 0 };
    for (int c = 0; c < draft->clip_count; c++) {
        if (visits[c].number == 0) {
            walk_from(&w, c);
        }
    }
    // Sizes of the parts, in a column that is free again; part p is counted at p - 1.
    for (int c = 0; c < draft->clip_count; c++) {
        visits[c].edge = 0;
    }
    int best = 0;
    for (int c = 0; c < draft->clip_count; c++) {
        int part = visits[c].part - 1;
        visits[part].edge++;
        best = visits[part].edge > visits[best].edge ? part : best;
    }
    *kept = draft->clip_count > 0 ? visits[best].edge : 0;
    for (int c = 0; c < draft->clip_count; c++) {
        keep[c] = visits[c].part - 1 == best;
    }
    ami_release(alloc, visits, bytes);
    return AM_OK;
}
