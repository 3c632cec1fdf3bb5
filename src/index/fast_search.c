// Searching the fast index: a first bound from the leaf that looks nearest, then best first over groups, nodes and
// leaves; the real numbers only of leaves that are next.
//
// Keys are squared distances in grid steps, never above the true ones. A query beyond the grid by e steps in a
// dimension is clamped to it; a box d steps from the edge is then (d + e)^2 = d^2 + 2 e d + e^2 away. The last term
// is the same for all boxes (as far as no frame lies beyond the grid itself) and comes off the bound, the middle one
// is the `slope` of the weighted kernel. Distances above the 16 bits of a key are scaled down. The bound gets a
// margin of one step squared and of a ten thousandth for the rounding of floats.
#include "index/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum {
    bucket_shift = 5, // 32 keys share a bucket of the queue
    bucket_count = 65536 >> bucket_shift,
    group_bit = 1 << 30,
    leaf_bit = 1 << 29, // frames are fewer than 2^26
    // Entries are taken from the queue by the handful, so that the memory of the later ones is on its way while the
    // earlier ones are visited. They come from neighbouring buckets: not much farther than the nearest.
    handful = 8,
    handful_buckets = 16,
    expected_lines = 8, // of a block: most visits stop before its end
};

/// Something to visit, in a list of its bucket.
typedef struct entry {
    int32_t item; ///< a node, a group with group_bit, or a leaf with leaf_bit
    int32_t next; ///< entry in the same bucket, -1 after the last
    int32_t key;
} entry;

struct am_search_work {
    am_alloc alloc;
    size_t block_size;
    uint8_t *query;    ///< [pairs][4 * 16] what the bounds kernel reads
    uint16_t *factors; ///< [2 * pairs][2][16] weights and slopes of each dimension
    float *excess;     ///< [dims] steps that the query lies beyond the grid
    entry *entries;    ///< of the queue
    int32_t heads[bucket_count];
    int item_count, lowest;
};

static am_search_work *lay_out(ami_layout *layout, const ami_fast *fast)
{
    size_t items = fast ? (size_t)(fast->leaf_count + fast->node_count + fast->group_count) : 0;
    size_t pairs = fast ? fast->pairs : 0;
    am_search_work *work = ami_layout_take(layout, 1, sizeof *work);
    uint8_t *query = ami_layout_take(layout, pairs, 4 * ami_fan);
    uint16_t *factors = ami_layout_take(layout, 2 * pairs, 2 * ami_fan * sizeof(uint16_t));
    float *excess = ami_layout_take(layout, 2 * pairs, sizeof(float));
    entry *entries = ami_layout_take(layout, items, sizeof(entry));
    if (work) {
        work->query = query;
        work->factors = factors;
        work->excess = excess;
        work->entries = entries;
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
    // A leaf stands before boxes that look nearer by half: what it costs soon keeps others out of the queue.
    int bucket = key >> (item & leaf_bit ? bucket_shift + 1 : bucket_shift);
    int at = work->item_count++;
    work->entries[at] = (entry){ item, work->heads[bucket], key };
    work->heads[bucket] = at;
    if (bucket < work->lowest) {
        work->lowest = bucket;
    }
}

/// Takes up to `handful` entries from the lowest buckets, those beyond the threshold left out. Returns how many: none
/// when all that is left lies beyond.
static int pop(am_search_work *work, entry out[handful], int threshold)
{
    int count = 0;
    int bucket = work->lowest;
    int last = threshold >> bucket_shift;
    for (; count < handful && bucket <= last; bucket++) {
        if (work->heads[bucket] < 0) {
            continue;
        }
        while (work->heads[bucket] >= 0 && count < handful) {
            const entry *e = &work->entries[work->heads[bucket]];
            work->heads[bucket] = e->next;
            if (e->key <= threshold) {
                out[count++] = *e;
                last = last < bucket + handful_buckets ? last : bucket + handful_buckets;
            }
        }
        if (work->heads[bucket] >= 0) {
            break;
        }
    }
    work->lowest = bucket;
    return count;
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
    bool weighted;        ///< the keys are those of the weighted kernel
    float to_steps;       ///< from a cost to squared grid steps
    float beyond;         ///< squared steps that every frame is away at least, outside the grid
    float bent;           ///< sum of the squared excesses: what the slopes are worth
    float scale;          ///< from squared grid steps to keys
    int threshold;        ///< items with a larger key cannot hold a hit
} visit;

/// Squared steps within the grid that a box may be away at a cost, with the margins.
static float steps_within(const visit *v, float cost) { return cost * v->to_steps * 1.0001f + 1.0f - v->beyond; }

/// The largest key that a box within the bound can have.
static void update_threshold(visit *v)
{
    float key = steps_within(v, v->best->bound) * v->scale + 1.0f;
    v->threshold = key < 65535.0f ? (int)am_max(key, 0.0f) : 65535; // the last also when it is not a number
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

/// Steps from the edge of the grid, a little less against rounding.
static float past(float steps) { return am_max(steps * 0.9999f - 0.01f, 0.0f); }

/// How far the query at `t` lies beyond the grid in dimension d; *frames: beyond all frames too.
static float measure_excess(const ami_fast *fast, float *frames, float t, int32_t d)
{
    *frames = 0.0f;
    if (t > 255.0f) {
        *frames = past(t - am_max(fast->most[d], 255.0f));
        return past(t - 255.0f);
    }
    if (t < 0.0f) {
        *frames = past(am_min(fast->least[d], 0.0f) - t);
        return past(-t);
    }
    return 0.0f;
}

/// The query on the grid, rounded inward: ceil to compare with low corners, floor with high ones.
static void quantise_query(visit *v, float largest)
{
    const ami_fast *fast = v->fast;
    const am_search *search = v->search;
    uint8_t *query = v->work->query;
    v->beyond = 0.0f;
    v->bent = 0.0f;
    for (size_t p = 0; p < fast->pairs; p++) {
        uint8_t up[2] = { 255, 255 }; // a dimension that only fills the last pair adds nothing
        uint8_t down[2] = { 0, 0 };
        for (size_t place = 2 * p; place < 2 * p + 2 && place < fast->dims; place++) {
            int32_t d = fast->dim_order[place];
            float t = (search->x[d] - fast->base[d]) * fast->inverse_step;
            float frames;
            float excess = measure_excess(fast, &frames, t, d);
            float share = search->weights ? search->weights[d] / largest : 1.0f;
            up[place % 2] = ami_grid_ceil(t);
            down[place % 2] = ami_grid_floor(t);
            v->work->excess[place] = excess;
            v->bent += share * excess * excess;
            v->beyond += share * frames * frames;
        }
        spread_pair(query + p * 4 * ami_fan, up);
        spread_pair(query + p * 4 * ami_fan + 2 * ami_fan, down);
    }
}

/// A factor of the weighted kernel: rounded down, and at most what its 16 bits hold.
static uint16_t to_fixed(float value) { return (uint16_t)am_clamp(value, 0.0f, 65535.0f); }

/// What the weighted kernel multiplies with: shares of the largest weight, scaled, in 1/65536; slopes in 1/256.
static void make_factors(visit *v, float largest)
{
    const float *weights = v->search->weights;
    for (size_t place = 0; place < v->fast->pairs * 2; place++) {
        float share = 0.0f;
        float slope = 0.0f;
        if (place < v->fast->dims && largest > 0.0f) {
            share = weights ? weights[v->fast->dim_order[place]] / largest : 1.0f;
            slope = 2.0f * v->work->excess[place] * share;
        }
        uint16_t *at = v->work->factors + place * 2 * ami_fan;
        uint16_t fixed[2] = { to_fixed(share * v->scale * 65535.0f), to_fixed(slope * v->scale * 256.0f) };
        for (size_t lane = 0; lane < 2 * ami_fan; lane++) {
            at[lane] = fixed[lane / ami_fan];
        }
    }
}

/// Boxes of a block that are not beyond the threshold.
static unsigned bounds(const visit *v, uint16_t keys[AMI_BOUNDS_LANES], const uint8_t *block, int threshold)
{
    const ami_kernels *kernels = v->index->kernels;
    uint16_t limit = (uint16_t)threshold;
    if (v->weighted) {
        return kernels->bounds_weighted(keys, block, v->work->query, v->work->factors, v->fast->pairs, limit);
    }
    return kernels->bounds(keys, block, v->work->query, v->fast->pairs, limit);
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

/// Bits of the first `count` lanes.
static unsigned lanes_below(int count) { return count < ami_fan ? (1u << count) - 1 : 0xFFFF; }

static unsigned leaves_within(const visit *v, uint16_t keys[AMI_BOUNDS_LANES], int node, int threshold)
{
    unsigned within = bounds(v, keys, v->fast->node_boxes + (size_t)node * v->fast->block_bytes, threshold);
    return within & lanes_below(v->fast->leaf_count - node * ami_fan);
}

static unsigned nodes_within(const visit *v, uint16_t keys[AMI_BOUNDS_LANES], int group, int threshold)
{
    unsigned within = bounds(v, keys, v->fast->group_boxes + (size_t)group * v->fast->block_bytes, threshold);
    if (v->search->filter) {
        int first = group * ami_fan; // 16 divides 64: the bits of a group lie in one word
        within &= (unsigned)(v->search->filter->nodes[first >> 6] >> (first & 63));
    }
    return within & lanes_below(v->fast->node_count - group * ami_fan);
}

static unsigned groups_within(const visit *v, uint16_t keys[AMI_BOUNDS_LANES], int top, int threshold)
{
    unsigned within = bounds(v, keys, v->fast->top_boxes + (size_t)top * v->fast->block_bytes, threshold);
    return within & lanes_below(v->fast->group_count - top * ami_fan);
}

/// Takes the lowest bit off the set.
static int take_lane(unsigned *set)
{
    int lane = __builtin_ctz(*set);
    *set &= *set - 1;
    return lane;
}

static void visit_node(visit *v, int node)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    unsigned within = leaves_within(v, keys, node, v->threshold);
    while (within) {
        int lane = take_lane(&within);
        push(v->work, keys[lane], (node * ami_fan + lane) | leaf_bit);
    }
}

static void visit_group(visit *v, int group)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    unsigned within = nodes_within(v, keys, group, v->threshold);
    while (within) {
        int lane = take_lane(&within);
        push(v->work, keys[lane], group * ami_fan + lane);
    }
}

static void visit_top(visit *v)
{
    for (int t = 0; t < v->fast->top_count; t++) {
        uint16_t keys[AMI_BOUNDS_LANES];
        unsigned within = groups_within(v, keys, t, v->threshold);
        while (within) {
            int lane = take_lane(&within);
            push(v->work, keys[lane], (t * ami_fan + lane) | group_bit);
        }
    }
}

/// Asks the memory for what a visit reads, or at least for its begin.
static void expect(const visit *v, int32_t item)
{
    const ami_fast *fast = v->fast;
    if (item & leaf_bit) {
        size_t size = fast->dims * ami_leaf_frames;
        const float *x = fast->leaf_x + (size_t)(item & ~leaf_bit) * size;
        for (size_t i = 0; i < size; i += 64 / sizeof *x) {
            __builtin_prefetch(x + i);
        }
    } else {
        const uint8_t *boxes = item & group_bit ? fast->group_boxes : fast->node_boxes;
        boxes += (size_t)(item & ~group_bit) * fast->block_bytes;
        for (size_t i = 0; i < expected_lines * 64 && i < fast->block_bytes; i += 64) {
            __builtin_prefetch(boxes + i);
        }
    }
}

static int nearest_lane(const uint16_t keys[AMI_BOUNDS_LANES], unsigned set)
{
    int nearest = -1;
    while (set) {
        int lane = take_lane(&set);
        nearest = nearest < 0 || keys[lane] < keys[nearest] ? lane : nearest;
    }
    return nearest;
}

/// The cost of the k-th frame in the leaves that look nearest: what the answer costs at most. Only a bound: the
/// frames themselves are found again by the search.
static float dive(const visit *v)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    int group = -1, least = 65536;
    for (int t = 0; t < v->fast->top_count; t++) {
        int lane = nearest_lane(keys, groups_within(v, keys, t, least - 1));
        if (lane >= 0) {
            least = keys[lane];
            group = t * ami_fan + lane;
        }
        if (least == 0) {
            break;
        }
    }
    int lane = nearest_lane(keys, nodes_within(v, keys, group, 65535));
    if (lane < 0) {
        return INFINITY; // no frame of that group passes the filter
    }
    int node = group * ami_fan + lane;
    unsigned set = leaves_within(v, keys, node, 65535);
    am_hit hits[AM_MAX_HITS];
    ami_best best = ami_best_make(hits, v->best->k);
    visit probe = *v;
    probe.best = &best;
    while (set && best.count < best.k) {
        lane = nearest_lane(keys, set);
        set &= ~(1u << lane);
        visit_leaf(&probe, node * ami_fan + lane);
    }
    return best.bound;
}

/// Chooses the kernel and the scale of the keys for the bound that there is.
static void choose_keys(visit *v, float largest)
{
    float steps = steps_within(v, v->best->bound);
    bool near = steps < 60000.0f;
    v->weighted = v->search->weights || !near || v->bent > steps * 0.0625f;
    // Far beyond the grid the keys keep what 16 bits can tell.
    v->scale = near || !(steps < 1e30f) ? 1.0f : 40000.0f / steps;
    if (v->weighted) {
        make_factors(v, largest);
    }
}

static void visit_item(visit *v, int32_t item)
{
    if (item & leaf_bit) {
        visit_leaf(v, item & ~leaf_bit);
    } else if (item & group_bit) {
        visit_group(v, item & ~group_bit);
    } else {
        visit_node(v, item);
    }
}

static float largest_weight(const am_search *search, size_t dims)
{
    float largest = search->weights ? 0.0f : 1.0f;
    for (size_t d = 0; search->weights && d < dims; d++) {
        largest = am_max(largest, search->weights[d]);
    }
    return largest;
}

void ami_fast_search(const am_index *index, ami_best *best, const am_search *search, am_search_work *work)
{
    const ami_fast *fast = index->fast;
    visit v = { .index = index, .fast = fast, .search = search, .work = work, .best = best, .scale = 1.0f };
    v.bits = ami_search_bits(index, search);
    memset(work->heads, -1, sizeof work->heads);
    work->item_count = 0;
    work->lowest = bucket_count;
    float largest = largest_weight(search, fast->dims);
    quantise_query(&v, largest > 0.0f ? largest : 1.0f);
    // All weights zero: every cost is 0 and nothing can be left out.
    v.to_steps = largest > 0.0f ? fast->inverse_step * fast->inverse_step / largest : 0.0f;
    if (search->current >= 0 && ami_allowed(v.bits, search, search->current) && best->k == 1) {
        best->bound = am_min(best->bound, am_index_cost(index, search->current, search->x, search->weights));
    }
    choose_keys(&v, largest);
    best->bound = am_min(best->bound, dive(&v));
    choose_keys(&v, largest);
    update_threshold(&v);
    visit_top(&v);
    entry next[handful];
    for (int count = pop(work, next, v.threshold); count > 0; count = pop(work, next, v.threshold)) {
        for (int i = 1; i < count; i++) {
            expect(&v, next[i].item);
        }
        for (int i = 0; i < count; i++) {
            if (next[i].key <= v.threshold) {
                visit_item(&v, next[i].item);
            }
        }
    }
}
