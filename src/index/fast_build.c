// The fast exact index. Three levels of boxes over leaves of eight consecutive frames, their corners rounded outward
// to eight bits on one grid for all dimensions, so that one instruction compares a corner of 16 boxes and a squared
// distance is an integer. Leaves that look alike are neighbours (balanced splits along the dimension that varies
// most), 16 leaves make a node, 16 nodes a group. A search expands what is nearest first, from a queue of buckets,
// and reads the real numbers only of leaves whose rounded box comes within the bound.
//
// A rounded distance is never above the true one: corners are rounded outward, the query inward, values beyond the
// grid are clamped (which only shrinks distances), products and sums saturate. The bound gets a margin of one
// grid step squared and a thousandth for float rounding.
#include "index/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Building

typedef struct builder {
    const am_db *db;
    ami_fast *fast;
    float *lo, *hi; // [leaf][dims] in order of frames
    int32_t *first; // [leaf]
    uint8_t *valid; // [leaf]
    int32_t *order; // [leaf] leaf at each place of the tree
} builder;

/// Leaves are up to eight consecutive offered frames of one range. Counts them, and writes their first frames and
/// the bits of the frames that are there when `first` is given.
static int list_leaves(const am_index *index, int32_t *first, uint8_t *valid)
{
    int count = 0;
    for (int r = 0; r < index->db->range_count; r++) {
        const am_db_range *range = &index->db->ranges[r];
        int end = range->stop - range->tail;
        for (int f = range->start + range->head; f < end; f += ami_leaf_frames) {
            if (first) {
                first[count] = f;
                valid[count] = (uint8_t)(0xFF >> (end - f < ami_leaf_frames ? ami_leaf_frames - (end - f) : 0));
            }
            count++;
        }
    }
    return count;
}

static void box_leaves(builder *b)
{
    size_t dims = b->fast->dims;
    for (int l = 0; l < b->fast->leaf_count; l++) {
        float *lo = b->lo + (size_t)l * dims;
        float *hi = b->hi + (size_t)l * dims;
        uint8_t valid = b->valid[l];
        for (size_t d = 0; d < dims; d++) {
            lo[d] = INFINITY;
            hi[d] = -INFINITY;
        }
        for (int i = 0; i < ami_leaf_frames; i++) {
            const float *row = valid >> i & 1 ? am_db_x(b->db, b->first[l] + i) : NULL;
            for (size_t d = 0; row && d < dims; d++) {
                lo[d] = am_min(lo[d], row[d]);
                hi[d] = am_max(hi[d], row[d]);
            }
        }
    }
}

static float centre(const builder *b, int32_t leaf, size_t d)
{
    size_t at = (size_t)leaf * b->fast->dims + d;
    return b->lo[at] + b->hi[at];
}

/// True when leaf x stands before leaf y along d; ties by number, so that every machine builds the same tree.
static bool stands_before(const builder *b, int32_t x, int32_t y, size_t d)
{
    float cx = centre(b, x, d);
    float cy = centre(b, y, d);
    return cx < cy || (!(cx > cy) && x < y);
}

/// Puts the k smallest along d in front (quickselect with a middle pivot).
static void select_front(const builder *b, int32_t *items, int count, int k, size_t d)
{
    int left = 0;
    int right = count - 1;
    while (left < right) {
        int32_t pivot = items[left + (right - left) / 2];
        int i = left;
        int j = right;
        while (i <= j) {
            while (stands_before(b, items[i], pivot, d)) {
                i++;
            }
            while (stands_before(b, pivot, items[j], d)) {
                j--;
            }
            if (i <= j) {
                int32_t swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (k <= j) {
            right = j;
        } else if (k >= i) {
            left = i;
        } else {
            return;
        }
    }
}

static size_t widest_dimension(const builder *b, const int32_t *items, int count)
{
    size_t widest = 0;
    double most = -1.0;
    for (size_t d = 0; d < b->fast->dims; d++) {
        double mean = 0.0;
        double squares = 0.0;
        for (int i = 0; i < count; i++) {
            mean += (double)centre(b, items[i], d);
        }
        mean /= (double)count;
        for (int i = 0; i < count; i++) {
            double delta = (double)centre(b, items[i], d) - mean;
            squares += delta * delta;
        }
        if (squares > most) {
            most = squares;
            widest = d;
        }
    }
    return widest;
}

/// Orders leaves so that runs of 16 and of 256 are alike: halves at multiples of those, again and again.
static void arrange(const builder *b, int32_t *items, int count)
{
    while (count > ami_fan) {
        int unit = count > ami_fan * ami_fan ? ami_fan * ami_fan : ami_fan;
        int half = (count / 2 + unit - 1) / unit * unit;
        if (half >= count) {
            half -= unit;
        }
        select_front(b, items, count, half, widest_dimension(b, items, count));
        arrange(b, items, half); // depth: log2 of the leaves
        items += half;
        count -= half;
    }
}

/// One grid for all dimensions: it spans four standard deviations each way of the dimension that varies most.
static void make_grid(ami_fast *fast, const am_db *db, const ami_kernels *kernels, double *sums, double *squares)
{
    size_t frames = (size_t)db->frame_count;
    size_t stride = (size_t)db->features.stride;
    kernels->column_moments(sums, squares, db->x, NULL, frames, stride);
    double widest = 0.0;
    for (size_t d = 0; d < fast->dims; d++) {
        double mean = sums[d] / (double)frames;
        double variance = squares[d] / (double)frames - mean * mean;
        double deviation = sqrt(variance > 0.0 ? variance : 0.0);
        fast->base[d] = (float)(mean - 4.0 * deviation);
        widest = 8.0 * deviation > widest ? 8.0 * deviation : widest;
    }
    fast->step = widest > 0.0 ? (float)(widest / 255.0) : 1.0f;
    fast->inverse_step = 1.0f / fast->step;
}

/// Writes box `lane` of a block, rounded outward.
static void put_box(const ami_fast *fast, uint8_t *block, int lane, const float *lo, const float *hi)
{
    for (size_t d = 0; d < fast->dims; d++) {
        uint8_t *at = block + d / 2 * (4 * ami_fan) + (size_t)lane * 2 + d % 2;
        at[0] = ami_grid_floor((lo[d] - fast->base[d]) * fast->inverse_step);
        at[2 * ami_fan] = ami_grid_ceil((hi[d] - fast->base[d]) * fast->inverse_step);
    }
}

/// A block of boxes that contain everything: lanes without a child stay so and are passed over by number.
static void clear_blocks(uint8_t *blocks, size_t count, const ami_fast *fast)
{
    for (size_t i = 0; i < count * fast->pairs; i++) {
        memset(blocks + i * 4 * ami_fan, 0, 2 * ami_fan);
        memset(blocks + i * 4 * ami_fan + 2 * ami_fan, 255, 2 * ami_fan);
    }
}

/// Boxes of the next level up, in place: item i of the level is the union of children 16 i and following.
static void unite(builder *b, float *lo, float *hi, int count, int parents)
{
    size_t dims = b->fast->dims;
    for (int p = 0; p < parents; p++) {
        for (size_t d = 0; d < dims; d++) {
            float low = INFINITY;
            float high = -INFINITY;
            for (int c = p * ami_fan; c < count && c < (p + 1) * ami_fan; c++) {
                low = am_min(low, lo[(size_t)c * dims + d]);
                high = am_max(high, hi[(size_t)c * dims + d]);
            }
            lo[(size_t)p * dims + d] = low;
            hi[(size_t)p * dims + d] = high;
        }
    }
}

static void put_level(const ami_fast *fast, uint8_t *blocks, const float *lo, const float *hi, int count)
{
    for (int i = 0; i < count; i++) {
        put_box(fast, blocks + (size_t)(i / ami_fan) * fast->block_bytes, i % ami_fan, lo + (size_t)i * fast->dims,
                hi + (size_t)i * fast->dims);
    }
}

static void fill_leaves(builder *b, float *lo, float *hi)
{
    ami_fast *fast = b->fast;
    size_t dims = fast->dims;
    for (int i = 0; i < fast->leaf_count; i++) {
        int32_t leaf = b->order[i];
        uint8_t valid = b->valid[leaf];
        fast->leaf_first[i] = b->first[leaf];
        fast->leaf_valid[i] = valid;
        memcpy(lo + (size_t)i * dims, b->lo + (size_t)leaf * dims, dims * sizeof(float));
        memcpy(hi + (size_t)i * dims, b->hi + (size_t)leaf * dims, dims * sizeof(float));
        float *x = fast->leaf_x + (size_t)i * dims * ami_leaf_frames;
        for (int j = 0; j < ami_leaf_frames; j++) {
            const float *row = valid >> j & 1 ? am_db_x(b->db, b->first[leaf] + j) : NULL;
            for (size_t d = 0; d < dims; d++) {
                x[d * ami_leaf_frames + (size_t)j] = row ? row[d] : 0.0f;
            }
        }
    }
}

static ami_fast *lay_out(ami_layout *layout, const am_index *index, int leaf_count)
{
    size_t dims = (size_t)index->db->features.count;
    size_t pairs = (dims + 1) / 2;
    size_t block = pairs * 4 * ami_fan;
    size_t leaves = (size_t)leaf_count;
    size_t nodes = (leaves + ami_fan - 1) / ami_fan;
    size_t groups = (nodes + ami_fan - 1) / ami_fan;
    size_t tops = (groups + ami_fan - 1) / ami_fan;
    ami_fast *fast = ami_layout_take(layout, 1, sizeof *fast);
    float *base = ami_layout_take(layout, dims, sizeof(float));
    int32_t *leaf_first = ami_layout_take(layout, leaves, sizeof(int32_t));
    uint8_t *leaf_valid = ami_layout_take(layout, leaves, 1);
    float *leaf_x = ami_layout_take(layout, leaves * dims * ami_leaf_frames, sizeof(float));
    uint8_t *node_boxes = ami_layout_take(layout, nodes, block);
    uint8_t *group_boxes = ami_layout_take(layout, groups, block);
    uint8_t *top_boxes = ami_layout_take(layout, tops, block);
    if (fast) {
        *fast = (ami_fast){ .dims = dims,
                            .pairs = pairs,
                            .block_bytes = block,
                            .leaf_count = leaf_count,
                            .node_count = (int)nodes,
                            .group_count = (int)groups,
                            .top_count = (int)tops,
                            .base = base,
                            .leaf_first = leaf_first,
                            .leaf_valid = leaf_valid,
                            .leaf_x = leaf_x,
                            .node_boxes = node_boxes,
                            .group_boxes = group_boxes,
                            .top_boxes = top_boxes };
    }
    return fast;
}

static void build_tree(builder *b, const am_index *index, float *lo, float *hi, double *sums, double *squares)
{
    ami_fast *fast = b->fast;
    list_leaves(index, b->first, b->valid);
    box_leaves(b);
    for (int i = 0; i < fast->leaf_count; i++) {
        b->order[i] = i;
    }
    arrange(b, b->order, fast->leaf_count);
    make_grid(fast, b->db, index->kernels, sums, squares);
    fill_leaves(b, lo, hi);
    clear_blocks(fast->node_boxes, (size_t)fast->node_count, fast);
    clear_blocks(fast->group_boxes, (size_t)fast->group_count, fast);
    clear_blocks(fast->top_boxes, (size_t)fast->top_count, fast);
    put_level(fast, fast->node_boxes, lo, hi, fast->leaf_count);
    unite(b, lo, hi, fast->leaf_count, fast->node_count);
    put_level(fast, fast->group_boxes, lo, hi, fast->node_count);
    unite(b, lo, hi, fast->node_count, fast->group_count);
    put_level(fast, fast->top_boxes, lo, hi, fast->group_count);
}

am_result ami_fast_create(ami_fast **out, am_index *index, am_error *err)
{
    int leaf_count = list_leaves(index, NULL, NULL);
    ami_layout measure = { 0 };
    lay_out(&measure, index, leaf_count);
    void *block = measure.overflow ? NULL : ami_alloc_zero(&index->alloc, measure.size);
    if (!block) {
        return ami_fail_memory(err, measure.size);
    }
    ami_layout place = { block, 0, false };
    ami_fast *fast = lay_out(&place, index, leaf_count);
    fast->block_size = measure.size;
    builder b = { .db = index->db, .fast = fast };
    ami_arena arena = ami_arena_make(&index->alloc);
    size_t leaves = (size_t)leaf_count;
    size_t stride = (size_t)index->db->features.stride;
    b.lo = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    b.hi = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    b.first = ami_arena_get(&arena, leaves * sizeof(int32_t));
    b.valid = ami_arena_get(&arena, leaves);
    b.order = ami_arena_get(&arena, leaves * sizeof(int32_t));
    float *lo = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    float *hi = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    double *sums = ami_arena_get(&arena, stride * sizeof(double));
    double *squares = ami_arena_get(&arena, stride * sizeof(double));
    if (!b.lo || !b.hi || !b.first || !b.valid || !b.order || !lo || !hi || !sums || !squares) {
        size_t wanted = leaves * fast->dims * 4 * sizeof(float);
        ami_arena_free(&arena);
        ami_fast_destroy(fast, &index->alloc);
        return ami_fail_memory(err, wanted);
    }
    build_tree(&b, index, lo, hi, sums, squares);
    ami_arena_free(&arena);
    index->bytes += measure.size;
    *out = fast;
    return AM_OK;
}

void ami_fast_destroy(ami_fast *fast, const am_alloc *alloc)
{
    if (fast) {
        ami_release(alloc, fast, fast->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// Filters: a bit for each node with any accepted frame below it

size_t ami_fast_node_words(const ami_fast *fast) { return ((size_t)fast->node_count + 63) / 64; }

void ami_fast_filter_nodes(const ami_fast *fast, uint64_t *nodes, const uint64_t *frames)
{
    for (int i = 0; i < fast->leaf_count; i++) {
        uint64_t any = 0;
        for (int j = 0; j < ami_leaf_frames; j++) {
            int f = fast->leaf_first[i] + j;
            any |= fast->leaf_valid[i] >> j & 1 ? frames[f >> 6] >> (f & 63) & 1 : 0;
        }
        nodes[i / ami_fan / 64] |= any << (i / ami_fan % 64);
    }
}
