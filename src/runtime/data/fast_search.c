// Searching the fast index: a first bound from the leaf that looks nearest, then best first over groups, nodes and
// leaves; the features themselves are read only for leaves whose turn has come.
//
// Up to eight queries are searched for together. They share the queue: an entry knows which of them it concerns, and
// what is read from memory for one is there for the others. Each keeps its own bound, so that each looks at the boxes
// that it would have looked at alone, and queries that resemble one another look at nearly the same ones.
#include "data/fast_ask.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum {
    bucket_shift = 7, // 128 keys share a bucket of the queue
    bucket_count = 65536 >> bucket_shift,
    group_bit = 1 << 30,
    leaf_bit = 1 << 29, // frames are fewer than 2^26
    // Entries are taken from the queue in small groups, so that the memory of the later ones is being fetched while
    // the earlier ones are visited. They come from neighbouring buckets, hardly farther than the nearest.
    handful = 8,
    handful_buckets = 4,
    expected_lines = 8, // of a block: most visits stop before its end
};

/// Something to visit, in a list of its bucket.
typedef struct entry {
    int32_t item;  ///< a node, a group with group_bit, or a leaf with leaf_bit
    int32_t next;  ///< entry in the same bucket, -1 after the last
    uint16_t key;  ///< least of those that it concerns
    uint16_t asks; ///< the queries it concerns, a bit for each
} entry;

struct am_search_work {
    am_alloc alloc;
    size_t block_size;
    ami_ask asks[ami_crowd];
    int ask_count;
    entry *entries; ///< of the queue
    int32_t heads[bucket_count];
    int item_count, lowest;
    am_net_work *nets[AMI_WORK_NETS];
    ami_work_room room;
};

static am_search_work *lay_out(ami_layout *layout, const ami_fast *fast)
{
    size_t items = fast ? (size_t)(fast->leaf_count + fast->node_count + fast->group_count) : 0;
    size_t pairs = fast ? fast->pairs : 0;
    am_search_work *work = ami_layout_take(layout, 1, sizeof *work);
    for (int i = 0; i < ami_crowd; i++) {
        uint8_t *query = ami_layout_take(layout, pairs, 4 * ami_fan);
        uint16_t *factors = ami_layout_take(layout, 2 * pairs, 2 * ami_fan * sizeof(uint16_t));
        float *excess = ami_layout_take(layout, 2 * pairs, sizeof(float));
        if (work) {
            work->asks[i] = (ami_ask){ .query = query, .factors = factors, .excess = excess };
        }
    }
    entry *entries = ami_layout_take(layout, items, sizeof(entry));
    if (work) {
        work->entries = entries;
    }
    return work;
}

am_result ami_search_work_create(am_search_work **out, const am_index *index, const am_alloc *allocator,
                                 am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    ami_layout measure = { 0 };
    const ami_fast *fast = index ? index->fast : NULL;
    lay_out(&measure, fast);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    *out = lay_out(&place, fast);
    (*out)->alloc = alloc;
    (*out)->block_size = measure.size;
    return AM_OK;
}

void ami_search_work_destroy(am_search_work *work)
{
    if (work) {
        am_alloc alloc = work->alloc;
        for (int i = 0; i < AMI_WORK_NETS; i++) {
            am_net_work_destroy(work->nets[i]);
        }
        if (work->room.release) {
            work->room.release(work->room.room);
        }
        ami_release(&alloc, work, work->block_size);
    }
}

am_net_work **ami_search_work_nets(am_search_work *work) { return work->nets; }

ami_work_room *ami_search_work_room(am_search_work *work) { return &work->room; }

// ---------------------------------------------------------------------------------------------
// The queue

static void push(am_search_work *work, uint16_t key, int32_t item, unsigned asks)
{
    // A leaf is queued ahead of boxes that look up to twice as near: its cost soon keeps others out of the queue.
    int bucket = key >> (item & leaf_bit ? bucket_shift + 1 : bucket_shift);
    int at = work->item_count++;
    work->entries[at] = (entry){ item, work->heads[bucket], key, (uint16_t)asks };
    work->heads[bucket] = at;
    if (bucket < work->lowest) {
        work->lowest = bucket;
    }
}

/// The largest threshold of all queries.
static int threshold_of_all(const am_search_work *work)
{
    int threshold = 0;
    for (int i = 0; i < work->ask_count; i++) {
        threshold = work->asks[i].threshold > threshold ? work->asks[i].threshold : threshold;
    }
    return threshold;
}

/// Takes up to `handful` entries from the lowest buckets, except those beyond the thresholds. Returns how many: 0
/// when everything left lies beyond.
static int pop(am_search_work *work, entry out[handful])
{
    int threshold = threshold_of_all(work);
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
// Visiting

/// Bits of the first `count` lanes.
static unsigned lanes_below(int count) { return count < ami_fan ? (1u << count) - 1 : 0xFFFF; }

static unsigned leaves_within(const ami_ask *ask, const am_index *index, uint16_t keys[AMI_BOUNDS_LANES], int node,
                              int limit)
{
    const ami_fast *fast = index->fast;
    unsigned within = ami_ask_bounds(ask, index, keys, fast->node_boxes + (size_t)node * fast->block_bytes, limit);
    return within & lanes_below(fast->leaf_count - node * ami_fan);
}

static unsigned nodes_within(const ami_ask *ask, const am_index *index, uint16_t keys[AMI_BOUNDS_LANES], int group,
                             int limit)
{
    const ami_fast *fast = index->fast;
    unsigned within = ami_ask_bounds(ask, index, keys, fast->group_boxes + (size_t)group * fast->block_bytes, limit);
    if (ask->search->filter) {
        int first = group * ami_fan; // 16 divides 64: the bits of a group lie in one word
        within &= (unsigned)(ask->search->filter->nodes[first >> 6] >> (first & 63));
    }
    return within & lanes_below(fast->node_count - group * ami_fan);
}

static unsigned groups_within(const ami_ask *ask, const am_index *index, uint16_t keys[AMI_BOUNDS_LANES], int top,
                              int limit)
{
    const ami_fast *fast = index->fast;
    unsigned within = ami_ask_bounds(ask, index, keys, fast->top_boxes + (size_t)top * fast->block_bytes, limit);
    return within & lanes_below(fast->group_count - top * ami_fan);
}

/// One of the three above.
typedef unsigned look(const ami_ask *ask, const am_index *index, uint16_t keys[AMI_BOUNDS_LANES], int parent,
                      int limit);

/// Takes the lowest bit off the set.
static int take_bit(unsigned *set)
{
    int bit = __builtin_ctz(*set);
    *set &= *set - 1;
    return bit;
}

/// Queues the children of a parent for one query; `kind` is a bit of their items.
static inline void expand_one(const am_index *index, am_search_work *work, look *look_at, int parent, int kind, int a)
{
    uint16_t keys[AMI_BOUNDS_LANES];
    unsigned within = look_at(&work->asks[a], index, keys, parent, work->asks[a].threshold);
    while (within) {
        int lane = take_bit(&within);
        push(work, keys[lane], (parent * ami_fan + lane) | kind, 1u << a);
    }
}

/// The same for several: a child is queued once, with the least key and all that may find something in it.
static inline void expand(const am_index *index, am_search_work *work, look *look_at, int parent, int kind,
                          unsigned asks)
{
    uint16_t keys[AMI_BOUNDS_LANES], least[AMI_BOUNDS_LANES], axes[AMI_BOUNDS_LANES];
    unsigned any = 0;
    int a = take_bit(&asks);
    if (!asks) {
        expand_one(index, work, look_at, parent, kind, a);
        return;
    }
    memset(least, 0xFF, sizeof least);
    memset(axes, 0, sizeof axes);
    for (;; a = take_bit(&asks)) {
        unsigned within = look_at(&work->asks[a], index, keys, parent, work->asks[a].threshold);
        any |= within;
        while (within) {
            int lane = take_bit(&within);
            least[lane] = keys[lane] < least[lane] ? keys[lane] : least[lane];
            axes[lane] |= (uint16_t)(1u << a);
        }
        if (!asks) {
            break;
        }
    }
    while (any) {
        int lane = take_bit(&any);
        push(work, least[lane], (parent * ami_fan + lane) | kind, axes[lane]);
    }
}

/// The queries of an entry that may still find something in it.
static unsigned still_asking(const am_search_work *work, const entry *e)
{
    unsigned left = e->asks, still = 0;
    while (left) {
        int a = take_bit(&left);
        still |= (unsigned)(e->key <= work->asks[a].threshold) << a;
    }
    return still;
}

static void visit_leaf(const am_index *index, am_search_work *work, int leaf, unsigned asks)
{
    while (asks) {
        ami_ask_leaf(&work->asks[take_bit(&asks)], index, leaf);
    }
}

static void visit(const am_index *index, am_search_work *work, const entry *e)
{
    unsigned asks = still_asking(work, e);
    if (!asks) {
        return;
    }
    if (e->item & leaf_bit) {
        visit_leaf(index, work, e->item & ~leaf_bit, asks);
    } else if (e->item & group_bit) {
        expand(index, work, nodes_within, e->item & ~group_bit, 0, asks);
    } else {
        expand(index, work, leaves_within, e->item, leaf_bit, asks);
    }
}

/// Prefetches what a visit reads, or at least its beginning.
static void expect(const ami_fast *fast, int32_t item)
{
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
        int lane = take_bit(&set);
        nearest = nearest < 0 || keys[lane] < keys[nearest] ? lane : nearest;
    }
    return nearest;
}

/// The group that looks nearest.
static int nearest_group(const ami_ask *ask, const am_index *index)
{
    uint16_t keys[AMI_BOUNDS_LANES] = { 0 };
    int group = 0;
    int least = 65536;
    for (int t = 0; t < index->fast->top_count && least > 0; t++) {
        unsigned set = groups_within(ask, index, keys, t, least - 1);
        int lane = nearest_lane(keys, set);
        if (lane >= 0) {
            least = keys[lane];
            group = t * ami_fan + lane;
        }
    }
    return group;
}

/// The cost of the k-th frame in the nearest-looking leaves of the group: an upper bound of the answer's cost. The
/// search finds the frames themselves again.
static float dive(const ami_ask *ask, const am_index *index, int group)
{
    uint16_t keys[AMI_BOUNDS_LANES] = { 0 };
    unsigned set = nodes_within(ask, index, keys, group, 65535);
    int lane = nearest_lane(keys, set);
    if (lane < 0) {
        return INFINITY; // no frame of that group passes the filter
    }
    int node = group * ami_fan + lane;
    set = leaves_within(ask, index, keys, node, 65535);
    am_hit hits[AMI_MAX_HITS];
    ami_ask probe = *ask;
    probe.best = ami_best_make(hits, ask->best.k);
    while (set && probe.best.count < probe.best.k) {
        lane = nearest_lane(keys, set);
        set &= ~(1u << lane);
        ami_ask_leaf(&probe, index, node * ami_fan + lane);
    }
    return probe.best.bound;
}

static void search_all(const am_index *index, am_search_work *work)
{
    memset(work->heads, -1, sizeof work->heads);
    work->item_count = 0;
    work->lowest = bucket_count;
    for (int t = 0; t < index->fast->top_count; t++) {
        expand(index, work, groups_within, t, group_bit, (1u << work->ask_count) - 1);
    }
    entry next[handful];
    for (int count = pop(work, next); count > 0; count = pop(work, next)) {
        for (int i = 1; i < count; i++) {
            expect(index->fast, next[i].item);
        }
        for (int i = 0; i < count; i++) {
            visit(index, work, &next[i]);
        }
    }
}

void ami_fast_search(const am_index *index, ami_best *bests, const ami_search *const *searches, am_search_work *work,
                     int count)
{
    work->ask_count = count;
    for (int i = 0; i < count; i++) {
        ami_ask *ask = &work->asks[i];
        ami_ask_begin(ask, index, searches[i], bests[i]);
        float bound = bests[i].bound < INFINITY ? INFINITY : dive(ask, index, nearest_group(ask, index));
        if (bound < ask->best.bound) {
            ask->best.bound = bound;
            ami_ask_choose_keys(ask, index->fast);
        }
    }
    search_all(index, work);
    for (int i = 0; i < count; i++) {
        bests[i] = work->asks[i].best;
    }
}
