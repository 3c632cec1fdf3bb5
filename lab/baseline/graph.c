// The motion graph: cuts, the clips between them, their followers, and the strongly connected part that is kept.
#include "graph.h"

#include "base/error.h"

#include <string.h>

struct lab_motion_graph_own {
    am_alloc alloc;
    size_t bytes;
};

lab_motion_graph_def lab_motion_graph_def_default(void)
{
    // Chosen so that the graph responds as quickly as the paper's (0.94 s for a direction, 1.30 s for a line): see
    // docs/results/fields.md for other settings.
    lab_motion_graph_def def = { .similar = 0.9f, .least_s = 0.4f, .branches = 64, .cookie = AM_COOKIE };
    return def;
}

static am_result check_def(const lab_motion_graph_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->field) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the graph def with lab_motion_graph_def_default() and give it a field");
    }
    if (!(def->similar > 0.0f && def->similar < 1e6f) || !(def->least_s > 0.0f && def->least_s < 1e3f) ||
        def->branches < 1 || def->branches > LAB_MOTION_GRAPH_MAX_BRANCHES) {
        return ami_fail(err, AM_ERR_DEF,
                        "graph def: similar and least_s must be above 0, branches must be from 1 to %d",
                        LAB_MOTION_GRAPH_MAX_BRANCHES);
    }
    if (def->field->state_count > LAB_MOTION_GRAPH_MAX_STATES) {
        return ami_fail(err, AM_ERR_LIMIT, "%d states are too many; a graph compares all pairs and takes at most %d",
                        def->field->state_count, LAB_MOTION_GRAPH_MAX_STATES);
    }
    return AM_OK;
}

/// Clips between consecutive cuts of a range: their number, and they themselves when clips is not NULL.
static int list_clips(lab_motion_graph_clip *clips, const ami_field *field, const uint8_t *cuts)
{
    int count = 0;
    int last = -1;
    for (int i = 0; i < field->state_count; i++) {
        if (!cuts[i]) {
            continue;
        }
        if (last >= 0 && ami_graph_same(field, last, i)) {
            if (clips) {
                clips[count] = (lab_motion_graph_clip){ .first = last, .last = i };
            }
            count++;
        }
        last = i;
    }
    return count;
}

/// The kept clips and their kept followers, renumbered. Measures with graph->clips NULL, else fills.
static void fill(lab_motion_graph *graph, lab_motion_graph_clip *clips, int32_t *edges, const ami_graph_draft *draft,
                 const uint8_t *keep, int32_t *number)
{
    int clip_count = 0;
    for (int c = 0; c < draft->clip_count; c++) {
        number[c] = keep[c] ? clip_count++ : -1;
    }
    int edge_count = 0;
    for (int c = 0; c < draft->clip_count; c++) {
        const lab_motion_graph_clip *from = &draft->clips[c];
        int begin = edge_count;
        for (int e = 0; keep[c] && e < from->edge_count; e++) {
            int to = draft->edges[from->edge + e];
            if (keep[to]) {
                if (edges) {
                    edges[edge_count] = number[to];
                }
                edge_count++;
            }
        }
        if (keep[c] && clips) {
            clips[number[c]] = (lab_motion_graph_clip){ from->first, from->last, begin, edge_count - begin };
        }
    }
    graph->clip_count = clip_count;
    graph->edge_count = edge_count;
}

static am_result publish(lab_motion_graph **out, const lab_motion_graph_def *def, const ami_graph_draft *draft,
                         const uint8_t *keep, int32_t *number, const am_alloc *alloc, am_error *err)
{
    lab_motion_graph sketch = { .field = def->field };
    fill(&sketch, NULL, NULL, draft, keep, number);
    if (sketch.clip_count < 2) {
        return ami_fail(err, AM_ERR_EMPTY,
                        "no two clips of the database are connected; add motion, or raise 'similar'");
    }
    size_t clip_bytes = (size_t)sketch.clip_count * sizeof(lab_motion_graph_clip);
    size_t bytes = sizeof(lab_motion_graph) + sizeof(struct lab_motion_graph_own) + clip_bytes +
                   (size_t)sketch.edge_count * sizeof(int32_t);
    lab_motion_graph *graph = ami_alloc_zero(alloc, bytes);
    if (!graph) {
        return ami_fail_memory(err, bytes);
    }
    *graph = sketch;
    graph->own = (struct lab_motion_graph_own *)(void *)(graph + 1);
    *graph->own = (struct lab_motion_graph_own){ *alloc, bytes };
    lab_motion_graph_clip *clips = (lab_motion_graph_clip *)(void *)(graph->own + 1);
    int32_t *edges = (int32_t *)(void *)((uint8_t *)clips + clip_bytes);
    fill(graph, clips, edges, draft, keep, number);
    graph->clips = clips;
    graph->edges = edges;
    graph->pruned = draft->clip_count - graph->clip_count;
    graph->minima = draft->minima;
    int ticks = 0;
    int longest = 0;
    for (int c = 0; c < graph->clip_count; c++) {
        int length = clips[c].last - clips[c].first;
        ticks += length;
        longest = length > longest ? length : longest;
    }
    graph->mean_s = (float)ticks / (def->field->fps * (float)graph->clip_count);
    graph->longest_s = (float)longest / def->field->fps;
    graph->hash = am_hash64(clips, clip_bytes, def->field->hash);
    graph->hash = am_hash64(edges, (size_t)graph->edge_count * sizeof *edges, graph->hash);
    *out = graph;
    return AM_OK;
}

/// Clips, followers, the connected part. room: cuts(state_count), keep(state_count), number(state_count).
static am_result build(lab_motion_graph **out, const lab_motion_graph_def *def, uint8_t *cuts, uint8_t *keep,
                       int32_t *number, const am_alloc *alloc, am_error *err)
{
    ami_graph_draft draft = { 0 };
    am_result result = ami_graph_cut(cuts, &draft.minima, def, alloc, err);
    if (result != AM_OK) {
        return result;
    }
    draft.clip_count = list_clips(NULL, def->field, cuts);
    size_t clip_bytes = (size_t)draft.clip_count * sizeof *draft.clips;
    draft.clips = ami_alloc_zero(alloc, clip_bytes);
    if (!draft.clips) {
        return ami_fail_memory(err, clip_bytes);
    }
    list_clips(draft.clips, def->field, cuts);
    result = ami_graph_link(&draft, def, alloc, err);
    int kept = 0;
    if (result == AM_OK) {
        result = ami_graph_connected(keep, &kept, &draft, alloc, err);
    }
    if (result == AM_OK) {
        result = publish(out, def, &draft, keep, number, alloc, err);
    }
    ami_release(alloc, draft.edges, (size_t)draft.clip_count * (size_t)(def->branches + 1) * sizeof *draft.edges);
    ami_release(alloc, draft.clips, clip_bytes);
    return result;
}

am_result lab_motion_graph_create(lab_motion_graph **out, const lab_motion_graph_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t count = (size_t)def->field->state_count;
    size_t bytes = count * (2 + sizeof(int32_t));
    uint8_t *room = ami_alloc_zero(&alloc, bytes);
    if (!room) {
        return ami_fail_memory(err, bytes);
    }
    result = build(out, def, room + count * sizeof(int32_t), room + count * (sizeof(int32_t) + 1),
                   (int32_t *)(void *)room, &alloc, err);
    ami_release(&alloc, room, bytes);
    return result;
}

void lab_motion_graph_destroy(lab_motion_graph *graph)
{
    if (graph) {
        am_alloc alloc = graph->own->alloc;
        ami_release(&alloc, graph, graph->own->bytes);
    }
}
