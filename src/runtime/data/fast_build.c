// The fast exact index. Three levels of boxes over leaves of eight consecutive frames, their corners rounded outward
// to eight bits on one grid for all dimensions, so that one instruction compares a corner of 16 boxes and a squared
// distance is an integer. Leaves that look alike are neighbours (balanced splits across the direction in which they
// vary most), 16 leaves make a node, 16 nodes a group. A search expands the nearest first, from a queue of buckets,
// and reads the features only of leaves whose rounded box is within the bound.
//
// A rounded distance is never above the true one: corners are rounded outward, the query inward, values beyond the
// grid are clamped (which only shrinks distances), products and sums saturate. For queries beyond the grid, see
// fast_search.c.
#include "data/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Building

typedef struct builder {
    const am_db *db;
    ami_fast *fast;
    float *lo, *hi;                  // [leaf][dims] in order of frames
    int32_t *first;                  // [leaf]
    uint8_t *valid;                  // [leaf]
    int32_t *order;                  // [leaf] leaf at each place of the tree
    float *along;                    // [leaf] position along the direction of a split
    double *products, *mean, *delta; // [dims][dims], [dims], [dims]
} builder;

/// Buffers for the statistics that define the grid, one item per feature.
typedef struct grid_room {
    double *sums, *squares;
    float *lo, *hi;
} grid_room;

enum {
    sampled = 65536, // numbers that the direction of a split is found from: 2,400 leaves of 27 features
    axis_rounds = 8,
};

// Fewer deviations make a finer grid, but more frames fall into its outermost cells.
static const double grid_deviations = 8.0;

/// Leaves are up to eight consecutive offered frames of one range: their first frames, and the bits of those that are
/// there.
static void list_leaves(const am_index *index, int32_t *first, uint8_t *valid)
{
    int count = 0;
    for (int r = 0; r < index->db->range_count; r++) {
        const am_db_range *range = &index->db->ranges[r];
        int end = range->stop - range->tail;
        for (int f = range->start + range->head; f < end; f += ami_leaf_frames) {
            first[count] = f;
            valid[count++] = (uint8_t)(0xFF >> (end - f < ami_leaf_frames ? ami_leaf_frames - (end - f) : 0));
        }
    }
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

/// True when leaf x comes before leaf y; ties by number, so that every machine builds the same tree.
static bool stands_before(const builder *b, int32_t x, int32_t y)
{
    float cx = b->along[x];
    float cy = b->along[y];
    return cx < cy || (!(cx > cy) && x < y);
}

/// Puts the k smallest in front (quickselect with a middle pivot).
static void select_front(const builder *b, int32_t *items, int count, int k)
{
    int left = 0;
    int right = count - 1;
    while (left < right) {
        int32_t pivot = items[left + (right - left) / 2];
        int i = left;
        int j = right;
        while (i <= j) {
            while (stands_before(b, items[i], pivot)) {
                i++;
            }
            while (stands_before(b, pivot, items[j])) {
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

/// The products of the centres' deviations from their mean, over a sample of the leaves.
static void correlate(const builder *b, const int32_t *items, int count)
{
    size_t dims = b->fast->dims;
    double *mean = b->mean;
    double *delta = b->delta;
    int skip = 1 + (int)((size_t)count * dims / sampled);
    memset(mean, 0, dims * sizeof *mean);
    memset(b->products, 0, dims * dims * sizeof *b->products);
    for (int i = 0; i < count; i += skip) {
        for (size_t d = 0; d < dims; d++) {
            mean[d] += (double)centre(b, items[i], d);
        }
    }
    int taken = (count + skip - 1) / skip;
    double weight = 1.0 / (double)taken;
    for (int i = 0; i < count; i += skip) {
        for (size_t d = 0; d < dims; d++) {
            delta[d] = (double)centre(b, items[i], d) - mean[d] * weight;
        }
        for (size_t d = 0; d < dims; d++) {
            double *row = b->products + d * dims;
            for (size_t e = 0; e <= d; e++) {
                row[e] += delta[d] * delta[e];
            }
        }
    }
    for (size_t d = 0; d < dims; d++) {
        for (size_t e = d + 1; e < dims; e++) {
            b->products[d * dims + e] = b->products[e * dims + d];
        }
    }
}

/// delta(dims) = the direction along which the centres vary most, by a few power iterations, starting from the row of
/// the dimension that varies most.
static void find_axis(const builder *b)
{
    size_t dims = b->fast->dims;
    size_t widest = 0;
    for (size_t d = 1; d < dims; d++) {
        widest = b->products[d * dims + d] > b->products[widest * dims + widest] ? d : widest;
    }
    memset(b->delta, 0, dims * sizeof *b->delta);
    b->delta[widest] = 1.0;
    for (int round = 0; round < axis_rounds; round++) {
        double most = 0.0;
        for (size_t d = 0; d < dims; d++) {
            double sum = 0.0;
            for (size_t e = 0; e < dims; e++) {
                sum += b->products[d * dims + e] * b->delta[e];
            }
            b->mean[d] = sum;
            most = sum > most ? sum : -sum > most ? -sum : most;
        }
        for (size_t d = 0; most > 0.0 && d < dims; d++) {
            b->delta[d] = b->mean[d] / most;
        }
    }
}

/// Position of each leaf along the direction in which they vary most. A split across it makes smaller boxes than one
/// along a single dimension: a sixth fewer nodes are visited at 1M frames.
static void project(const builder *b, const int32_t *items, int count)
{
    correlate(b, items, count);
    find_axis(b);
    for (int i = 0; i < count; i++) {
        float sum = 0.0f;
        for (size_t d = 0; d < b->fast->dims; d++) {
            sum += (float)b->delta[d] * centre(b, items[i], d);
        }
        b->along[items[i]] = sum;
    }
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
        project(b, items, count);
        select_front(b, items, count, half);
        arrange(b, items, half); // depth: log2 of the leaves
        items += half;
        count -= half;
    }
}

/// Where the grid of a dimension begins: centred on the range of the frames, or, when that is wider than the grid, on
/// the mean, without leaving the range. Values beyond fall into the outermost cells.
static double grid_base(double lo, double hi, double mean, double step)
{
    double width = 255.0 * step;
    if (hi - lo <= width) {
        return 0.5 * (lo + hi - width);
    }
    double base = mean - 0.5 * width;
    return base < lo ? lo : base > hi - width ? hi - width : base;
}

/// One grid step for all dimensions: 255 of them span `grid_deviations` of the dimension that varies most.
static void make_grid(ami_fast *fast, const am_db *db, const ami_kernels *kernels, grid_room *room)
{
    size_t frames = (size_t)db->frame_count;
    size_t stride = (size_t)db->features.stride;
    double *sums = room->sums;
    double *squares = room->squares;
    kernels->column_moments(sums, squares, db->x, NULL, frames, stride);
    kernels->column_bounds(room->lo, room->hi, db->x, frames, stride);
    double widest = 0.0;
    for (size_t d = 0; d < fast->dims; d++) {
        double mean = sums[d] / (double)frames;
        double variance = squares[d] / (double)frames - mean * mean;
        sums[d] = mean;
        squares[d] = variance > 0.0 ? variance : 0.0;
        widest = squares[d] > widest ? squares[d] : widest;
    }
    fast->step = widest > 0.0 ? (float)(sqrt(widest) * grid_deviations / 255.0) : 1.0f;
    fast->inverse_step = 1.0f / fast->step;
    for (size_t d = 0; d < fast->dims; d++) {
        fast->base[d] = (float)grid_base((double)room->lo[d], (double)room->hi[d], sums[d], (double)fast->step);
        fast->least[d] = (room->lo[d] - fast->base[d]) * fast->inverse_step;
        fast->most[d] = (room->hi[d] - fast->base[d]) * fast->inverse_step;
        size_t at = d;
        for (; at > 0 && squares[fast->dim_order[at - 1]] < squares[d]; at--) {
            fast->dim_order[at] = fast->dim_order[at - 1];
        }
        fast->dim_order[at] = (int32_t)d;
    }
}

/// Writes box `lane` of a block, rounded outward.
static void put_box(const ami_fast *fast, uint8_t *block, int lane, const float *lo, const float *hi)
{
    for (size_t place = 0; place < fast->dims; place++) {
        uint8_t *at = block + place / 2 * (4 * ami_fan) + (size_t)lane * 2 + place % 2;
        int32_t d = fast->dim_order[place];
        at[0] = ami_grid_floor((lo[d] - fast->base[d]) * fast->inverse_step);
        at[2 * ami_fan] = ami_grid_ceil((hi[d] - fast->base[d]) * fast->inverse_step);
    }
}

/// A block of boxes that contain everything: lanes without a child keep them and are skipped by number.
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
        fast->leaf_first[i] = b->first[leaf];
        fast->leaf_valid[i] = b->valid[leaf];
        memcpy(lo + (size_t)i * dims, b->lo + (size_t)leaf * dims, dims * sizeof(float));
        memcpy(hi + (size_t)i * dims, b->hi + (size_t)leaf * dims, dims * sizeof(float));
    }
    ami_fast_gather(fast, b->db);
}

/// A tree of its own: all in one block, that begins with the struct.
static ami_fast *lay_out(ami_layout *layout, int dims, int leaves)
{
    ami_fast measure = { 0 };
    ami_fast *fast = ami_layout_take(layout, 1, sizeof *fast);
    ami_fast_lay(layout, fast ? fast : &measure, dims, leaves);
    float *rows = ami_layout_take(layout, 1, ami_fast_row_bytes(dims, leaves));
    if (fast) {
        fast->leaf_x = rows;
    }
    return fast;
}

static void build_tree(builder *b, const am_index *index, float *lo, float *hi, grid_room *room)
{
    ami_fast *fast = b->fast;
    list_leaves(index, b->first, b->valid);
    box_leaves(b);
    for (int i = 0; i < fast->leaf_count; i++) {
        b->order[i] = i;
    }
    arrange(b, b->order, fast->leaf_count);
    make_grid(fast, b->db, index->kernels, room);
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
    int leaf_count = ami_count_leaves(index->db->ranges, index->db->range_count);
    ami_layout measure = { 0 };
    lay_out(&measure, index->db->features.count, leaf_count);
    ami_layout place = ami_layout_room(&measure, &index->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    ami_fast *fast = lay_out(&place, index->db->features.count, leaf_count);
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
    b.along = ami_arena_get(&arena, leaves * sizeof(float));
    b.products = ami_arena_get(&arena, fast->dims * fast->dims * sizeof(double));
    b.mean = ami_arena_get(&arena, fast->dims * sizeof(double));
    b.delta = ami_arena_get(&arena, fast->dims * sizeof(double));
    float *lo = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    float *hi = ami_arena_get(&arena, leaves * fast->dims * sizeof(float));
    grid_room room = { ami_arena_get(&arena, stride * sizeof(double)), ami_arena_get(&arena, stride * sizeof(double)),
                       ami_arena_get(&arena, stride * sizeof(float)), ami_arena_get(&arena, stride * sizeof(float)) };
    if (!b.lo || !b.hi || !b.first || !b.valid || !b.order || !b.along || !b.products || !b.mean || !b.delta || !lo ||
        !hi || !room.sums || !room.squares || !room.lo || !room.hi) {
        size_t wanted = leaves * fast->dims * 4 * sizeof(float);
        ami_arena_free(&arena);
        ami_fast_destroy(fast, &index->alloc);
        return ami_fail_memory(err, wanted);
    }
    build_tree(&b, index, lo, hi, &room);
    ami_arena_free(&arena);
    index->bytes += measure.size;
    *out = fast;
    return AM_OK;
}
