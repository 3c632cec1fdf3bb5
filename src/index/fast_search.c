// Searching the fast index: best first over groups, nodes and leaves; the real numbers only of leaves that are next.
#include "index/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum {
    bucket_shift = 5, // 32 keys share a bucket of the queue
    bucket_count = 65536 >> bucket_shift,
    group_bit = 1 << 30,
    leaf_bit = 1 << 29, // frames are fewer than 2^26
};

struct am_search_work {
    am_alloc alloc;
    size_t block_size;
    uint8_t *query;    ///< [pairs][4 * 16] what the bounds kernel reads
    uint16_t *weights; ///< [pairs][2 * 16]
    uint16_t *keys;    ///< [item] of the queue
    int32_t *items;    ///< a node, a group with group_bit, or a leaf with leaf_bit
    int32_t *nexts;
    int32_t heads[bucket_count];
    int item_count, lowest;
};

static am_search_work *lay_out(ami_layout *layout, const ami_fast *fast)
{
    size_t items = fast ? (size_t)(fast->leaf_count + fast->node_count + fast->group_count) : 0;
    size_t pairs = fast ? fast->pairs : 0;
    am_search_work *work = ami_layout_take(layout, 1, sizeof *work);
    uint8_t *query = ami_layout_take(layout, pairs, 4 * ami_fan);
    uint16_t *weights = ami_layout_take(layout, pairs, 2 * ami_fan * sizeof(uint16_t));
    uint16_t *keys = ami_layout_take(layout, items, sizeof(uint16_t));
    int32_t *numbers = ami_layout_take(layout, items, sizeof(int32_t));
    int32_t *nexts = ami_layout_take(layout, items, sizeof(int32_t));
    if (work) {
        work->query = query;
        work->weights = weights;
        work->keys = keys;
        work->items = numbers;
        work->nexts = nexts;
    }
    return work;
}

am_result am_search_work_create(am_search_work **out, const am_index *index, const am_alloc *allocator, am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    ami_layout measure = { 0 };
    lay_out(&measure, index->fast);
    void *block = ami_alloc_zero(&alloc, measure.size);
    if (!block) {
        return ami_fail_memory(err, measure.size);
    }
    ami_layout place = { block, 0, false };
    *out = lay_out(&place, index->fast);
    (*out)->alloc = alloc;
    (*out)->block_size = measure.size;
    return AM_OK;
}

void am_search_work_destroy(am_search_work *work)
{
    if (work) {
        am_alloc alloc = work->alloc;
        ami_release(&alloc, work, work->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// The queue

static void push(am_search_work *work, uint16_t key, int32_t item)
{
    int bucket = key >> bucket_shift;
    int at = work->item_count++;
    work->keys[at] = key;
    work->items[at] = item;
    work->nexts[at] = work->heads[bucket];
    work->heads[bucket] = at;
    if (bucket < work->lowest) {
        work->lowest = bucket;
    }
}

/// The next item of the lowest bucket, or -1 when all that is left lies beyond the threshold.
static int32_t pop(am_search_work *work, int threshold)
{
    for (;;) {
        while (work->lowest < bucket_count && work->heads[work->lowest] < 0) {
            work->lowest++;
        }
        if (work->lowest >= bucket_count || work->lowest << bucket_shift > threshold) {
            return -1;
        }
        int at = work->heads[work->lowest];
        work->heads[work->lowest] = work->nexts[at];
        if (work->keys[at] <= threshold) {
            return work->items[at];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Bounds

typedef struct visit {
    const am_index *index;
    const ami_fast *fast;
    const am_search *search;
    am_search_work *work;
    ami_best *best;
    const uint64_t *bits; ///< frames that may be returned
    float to_key;         ///< from a cost to squared grid steps
    int threshold;        ///< items with a larger key cannot hold a hit
} visit;

/// The largest key that a box within the bound can have.
static void update_threshold(visit *v)
{
    float key = v->best->bound * v->to_key * 1.001f + 1.0f;
    v->threshold = key < 65535.0f ? (int)key : 65535;
}

/// The same two bytes for all 16 lanes.
static void spread_pair(uint8_t *out, const uint8_t pair[2])
{
    uint16_t both;
    memcpy(&both, pair, sizeof both);
    uint64_t four = both * UINT64_C(0x0001000100010001);
    for (size_t i = 0; i < 2 * ami_fan; i += sizeof four) {
        memcpy(out + i, &four, sizeof four);
    }
}

/// The query on the grid, rounded inward: ceil to compare with low corners, floor with high ones.
static void quantise_query(visit *v)
{
    const ami_fast *fast = v->fast;
    uint8_t *query = v->work->query;
    for (size_t p = 0; p < fast->pairs; p++) {
        uint8_t up[2] = { 255, 255 }; // a dimension that only fills the last pair adds nothing
        uint8_t down[2] = { 0, 0 };
        for (size_t d = 2 * p; d < 2 * p + 2 && d < fast->dims; d++) {
            float t = (v->search->x[d] - fast->base[d]) * fast->inverse_step;
            up[d % 2] = ami_grid_ceil(t);
            down[d % 2] = ami_grid_floor(t);
        }
        spread_pair(query + p * 4 * ami_fan, up);
        spread_pair(query + p * 4 * ami_fan + 2 * ami_fan, down);
    }
}

/// Weights as shares of the largest in 1/65536, rounded down; returns the largest.
static float quantise_weights(visit *v)
{
    const float *weights = v->search->weights;
    float largest = 0.0f;
    for (size_t d = 0; d < v->fast->dims; d++) {
        largest = am_max(largest, weights[d]);
    }
    for (size_t d = 0; d < v->fast->pairs * 2; d++) {
        float share = d < v->fast->dims && largest > 0.0f ? weights[d] / largest : 0.0f;
        uint16_t fixed = (uint16_t)am_clamp(share * 65535.0f, 0.0f, 65535.0f);
        for (size_t lane = 0; lane < ami_fan; lane++) {
            v->work->weights[d * ami_fan + lane] = fixed;
        }
    }
    return largest;
}

static void bounds(const visit *v, uint16_t keys[AMI_BOUNDS_LANES], const uint8_t *block)
{
    const ami_kernels *kernels = v->index->kernels;
    if (v->search->weights) {
        kernels->bounds_weighted(keys, block, v->work->query, v->work->weights, v->fast->pairs);
    } else {
        kernels->bounds(keys, block, v->work->query, v->fast->pairs);
    }
}

// ---------------------------------------------------------------------------------------------
// Visiting

static void visit_leaf(visit *v, int leaf)
{
    const ami_fast *fast = v->fast;
    const am_search *search = v->search;
    int first = fast->leaf_first[leaf];
    unsigned valid = fast->leaf_valid[leaf];
    if (search->filter) {
        valid &= ami_leaf_bits(v->bits, first);
    }
    if (!valid) {
        return;
    }
    float costs[ami_leaf_frames];
    const float *x = fast->leaf_x + (size_t)leaf * fast->dims * ami_leaf_frames;
    if (search->weights) {
        v->index->kernels->distances_block_weighted(costs, search->x, search->weights, x, fast->dims);
    } else {
        v->index->kernels->distances_block(costs, search->x, x, fast->dims);
    }
    bool better = false;
    for (int i = 0; i < ami_leaf_frames; i++) {
        int frame = first + i;
        if ((valid >> i & 1) && costs[i] <= v->best->bound &&
            !(frame >= search->ignore_first && frame <= search->ignore_last)) {
            ami_best_add(v->best, frame, costs[i]);
            better = true;
        }
    }
    if (better) {
        update_threshold(v);
    }
}

static void visit_node(visit *v, int node)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    bounds(v, keys, v->fast->node_boxes + (size_t)node * v->fast->block_bytes);
    int first = node * ami_fan;
    int count = v->fast->leaf_count - first < ami_fan ? v->fast->leaf_count - first : ami_fan;
    for (int i = 0; i < count; i++) {
        if (keys[i] <= v->threshold) {
            push(v->work, keys[i], (first + i) | leaf_bit);
        }
    }
}

static void visit_group(visit *v, int group)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    bounds(v, keys, v->fast->group_boxes + (size_t)group * v->fast->block_bytes);
    int first = group * ami_fan;
    int count = v->fast->node_count - first < ami_fan ? v->fast->node_count - first : ami_fan;
    const uint64_t *wanted = v->search->filter ? v->search->filter->nodes : NULL;
    for (int i = 0; i < count; i++) {
        int node = first + i;
        if (keys[i] <= v->threshold && (!wanted || (wanted[node >> 6] >> (node & 63) & 1))) {
            push(v->work, keys[i], node);
        }
    }
}

static void visit_top(visit *v)
{
    for (int t = 0; t < v->fast->top_count; t++) {
        uint16_t keys[AMI_BOUNDS_LANES];
        bounds(v, keys, v->fast->top_boxes + (size_t)t * v->fast->block_bytes);
        for (int i = 0; i < ami_fan && t * ami_fan + i < v->fast->group_count; i++) {
            push(v->work, keys[i], (t * ami_fan + i) | group_bit);
        }
    }
}

/// Asks the memory for the leaf that comes next in the queue, if it is one, while the one before it is compared.
static void expect_leaf(const visit *v)
{
    int next = v->work->heads[v->work->lowest];
    if (next >= 0 && (v->work->items[next] & leaf_bit)) {
        size_t size = v->fast->dims * ami_leaf_frames;
        const float *x = v->fast->leaf_x + (size_t)(v->work->items[next] & ~leaf_bit) * size;
        for (size_t i = 0; i < size; i += 64 / sizeof *x) {
            __builtin_prefetch(x + i);
        }
    }
}

void ami_fast_search(const am_index *index, ami_best *best, const am_search *search, am_search_work *work)
{
    const ami_fast *fast = index->fast;
    visit v = { index, fast, search, work, best, ami_search_bits(index, search), 0.0f, 65535 };
    memset(work->heads, -1, sizeof work->heads);
    work->item_count = 0;
    work->lowest = bucket_count;
    float largest = search->weights ? quantise_weights(&v) : 1.0f;
    quantise_query(&v);
    // All weights zero: every cost is 0 and nothing can be left out.
    v.to_key = largest > 0.0f ? fast->inverse_step * fast->inverse_step / largest : 0.0f;
    if (search->current >= 0 && ami_allowed(v.bits, search, search->current) && best->k == 1) {
        best->bound = am_index_cost(index, search->current, search->x, search->weights);
    }
    update_threshold(&v);
    visit_top(&v);
    for (int32_t item = pop(work, v.threshold); item >= 0; item = pop(work, v.threshold)) {
        if (item & leaf_bit) {
            expect_leaf(&v);
            visit_leaf(&v, item & ~leaf_bit);
        } else if (item & group_bit) {
            visit_group(&v, item & ~group_bit);
        } else {
            visit_node(&v, item);
        }
    }
}
