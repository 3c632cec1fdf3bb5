// The index object: which frames are offered, filters, the linear reference, and the choice between the two kinds.
#include "data/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

ami_index_def ami_index_def_default(void)
{
    ami_index_def def = { .kind = AMI_INDEX_FAST, .cookie = AM_COOKIE };
    return def;
}

ami_search ami_search_default(void)
{
    ami_search search = { .k = 1, .current = -1, .ignore_first = 0, .ignore_last = -1, .cookie = AM_COOKIE };
    return search;
}

/// Sets the bits of every frame outside the ignored heads and tails.
static int mark_offered(uint64_t *bits, const am_db *db)
{
    int count = 0;
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        for (int f = range->start + range->head; f < range->stop - range->tail; f++) {
            bits[f >> 6] |= (uint64_t)1 << (f & 63);
            count++;
        }
    }
    return count;
}

am_result ami_index_create(am_index **out, const ami_index_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->db || (int)def->kind < 0 || def->kind > AMI_INDEX_FAST) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the index def with ami_index_def_default() and give it a database");
    }
    const ami_kernels *kernels = def->kernels ? ami_kernels_named(def->kernels) : ami_kernels_pick();
    if (!kernels) {
        return ami_fail(err, AM_ERR_SUPPORT, "this machine has no kernels called '%s'", def->kernels);
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t words = ami_frame_words(def->db->frame_count);
    am_index *index = ami_alloc_zero(&alloc, sizeof *index);
    uint64_t *offered = index ? ami_alloc_array(&alloc, words, sizeof *offered) : NULL;
    if (!offered) {
        ami_release(&alloc, index, sizeof *index);
        return ami_fail_memory(err, words * sizeof *offered);
    }
    *index = (am_index){ .db = def->db,
                         .kernels = kernels,
                         .kind = def->kind,
                         .alloc = alloc,
                         .offered = offered,
                         .words = words,
                         .bytes = sizeof *index + words * sizeof *offered };
    am_result result = AM_OK;
    int count = mark_offered(offered, def->db);
    if (count == 0) {
        result = ami_fail(err, AM_ERR_EMPTY, "no frame to offer: every range is shorter than its ignored ends");
    } else if (def->kind == AMI_INDEX_FAST) {
        result = ami_fast_map(&index->fast, index, count, err);
        result = result == AM_OK && !index->fast ? ami_fast_create(&index->fast, index, err) : result;
    }
    if (result != AM_OK) {
        ami_index_destroy(index);
        return result;
    }
    *out = index;
    return AM_OK;
}

void ami_index_destroy(am_index *index)
{
    if (index) {
        am_alloc alloc = index->alloc;
        ami_fast_destroy(index->fast, &alloc);
        ami_release(&alloc, index->offered, index->words * sizeof *index->offered);
        ami_release(&alloc, index, sizeof *index);
    }
}

size_t ami_index_bytes(const am_index *index) { return index->bytes; }

// ---------------------------------------------------------------------------------------------
// Filters

/// From a query, or from a mask when that is not NULL.
static am_result make_filter(am_filter **out, const am_index *index, const ami_tag_query *query, const uint8_t *mask,
                             bool *fell_back, const am_alloc *allocator, am_error *err)
{
    *out = NULL;
    am_alloc alloc = ami_alloc_or_default(allocator);
    size_t node_words = index->fast ? ami_node_words(index->fast->leaf_count) : 0;
    am_filter *filter = ami_alloc_zero(&alloc, sizeof *filter);
    uint64_t *frames = filter ? ami_alloc_array(&alloc, index->words + node_words, sizeof *frames) : NULL;
    if (!frames) {
        ami_release(&alloc, filter, sizeof *filter);
        return ami_fail_memory(err, (index->words + node_words) * sizeof *frames);
    }
    const am_db *db = index->db;
    int count = 0;
    int offered = 0;
    for (int f = 0; f < db->frame_count; f++) {
        uint64_t bit = index->offered[f >> 6] & (uint64_t)1 << (f & 63);
        bool accepted = bit && (mask ? mask[f] != 0 : ami_tag_query_accepts(query, db->tags[f]));
        frames[f >> 6] |= accepted ? bit : 0;
        count += accepted;
        offered += bit != 0;
    }
    *fell_back = count == 0;
    if (count == 0) {
        // A query that matches nothing must not stop a character.
        memcpy(frames, index->offered, index->words * sizeof *frames);
        count = offered;
    }
    *filter = (am_filter){ .frames = frames,
                           .nodes = node_words ? frames + index->words : NULL,
                           .words = index->words,
                           .node_words = node_words,
                           .count = count,
                           .alloc = alloc };
    if (filter->nodes) {
        ami_fast_filter_nodes(index->fast, filter->nodes, frames);
    }
    *out = filter;
    return AM_OK;
}

am_result ami_filter_create(am_filter **out, const am_index *index, const ami_tag_query *query, bool *fell_back,
                            const am_alloc *alloc, am_error *err)
{
    return make_filter(out, index, query, NULL, fell_back, alloc, err);
}

am_result ami_filter_create_mask(am_filter **out, const am_index *index, const uint8_t *mask, bool *fell_back,
                                 const am_alloc *alloc, am_error *err)
{
    return make_filter(out, index, NULL, mask, fell_back, alloc, err);
}

bool ami_filters_stored(const am_index *index) { return index->fast && index->fast->mapped; }

am_result ami_filter_stored(am_filter **out, const am_index *index, int slot, const am_alloc *allocator,
                            am_error *err)
{
    *out = NULL;
    const ami_filters_head *head = index->db->own->derived.filters;
    if (head->count[slot] <= 0) {
        return AM_OK;
    }
    am_alloc alloc = ami_alloc_or_default(allocator);
    am_filter *filter = ami_alloc_zero(&alloc, sizeof *filter);
    if (!filter) {
        return ami_fail_memory(err, sizeof *filter);
    }
    uint64_t *bits = (uint64_t *)(head + 1); // never written
    size_t node_words = ami_node_words(index->fast->leaf_count);
    *filter = (am_filter){ .frames = bits + (size_t)slot * index->words,
                           .nodes = bits + AMI_SLOT_COUNT * index->words + (size_t)slot * node_words,
                           .words = index->words,
                           .node_words = node_words,
                           .count = head->count[slot],
                           .mapped = true,
                           .alloc = alloc };
    *out = filter;
    return AM_OK;
}

void ami_filter_destroy(am_filter *filter)
{
    if (filter) {
        am_alloc alloc = filter->alloc;
        if (!filter->mapped) {
            ami_release(&alloc, filter->frames, (filter->words + filter->node_words) * sizeof *filter->frames);
        }
        ami_release(&alloc, filter, sizeof *filter);
    }
}

// ---------------------------------------------------------------------------------------------
// Searching

void ami_best_add(ami_best *best, int frame, float cost)
{
    int at = best->count < best->k ? best->count : best->k;
    while (at > 0 && (cost < best->hits[at - 1].cost ||
                      (!(cost > best->hits[at - 1].cost) && frame < best->hits[at - 1].frame))) {
        at--;
    }
    if (at >= best->k) {
        return;
    }
    int last = best->count < best->k ? best->count++ : best->k - 1;
    memmove(best->hits + at + 1, best->hits + at, (size_t)(last - at) * sizeof *best->hits);
    best->hits[at] = (am_hit){ frame, cost };
    if (best->count == best->k) {
        best->bound = best->hits[best->k - 1].cost;
    }
}

float ami_index_cost(const am_index *index, int frame, const float *x, const float *weights)
{
    float cost = 0.0f;
    size_t stride = (size_t)index->db->features.stride;
    const float *row = am_db_x(index->db, frame);
    if (weights) {
        index->kernels->distances_weighted(&cost, x, weights, row, 1, stride);
    } else {
        index->kernels->distances(&cost, x, row, 1, stride);
    }
    return cost;
}

/// Every frame, one after another: the truth that the fast index is tested against.
static void search_linear(const am_index *index, ami_best *best, const ami_search *search)
{
    const uint64_t *bits = ami_search_bits(index, search);
    for (int f = 0; f < index->db->frame_count; f++) {
        if (ami_allowed(bits, search, f)) {
            ami_best_add(best, f, ami_index_cost(index, f, search->x, search->weights));
        }
    }
}

bool ami_search_is_finite(const ami_search *search, int count)
{
    // A sum of products with zero is 0 unless something is not finite.
    float sum = 0.0f;
    for (int d = 0; d < count; d++) {
        sum += search->x[d] * 0.0f + (search->weights ? search->weights[d] * 0.0f : 0.0f);
    }
    return !(sum != 0.0f);
}

int ami_index_search(const am_index *index, am_hit *out, const ami_search *search, am_search_work *work)
{
    if (!ami_search_is_finite(search, index->db->features.count)) {
        return 0; // the caller keeps playing, and counts it
    }
    int k = search->k < AMI_MAX_HITS ? search->k : AMI_MAX_HITS;
    ami_best best = ami_best_make(out, k);
    if (index->kind == AMI_INDEX_FAST) {
        ami_fast_search(index, &best, &search, work, 1);
    } else {
        search_linear(index, &best, search);
    }
    return best.count;
}

void ami_index_search_batch(const am_index *index, am_hit *out, int *found, const ami_search *searches,
                            am_search_work *work, int count)
{
    if (index->kind == AMI_INDEX_FAST) {
        ami_fast_search_batch(index, out, found, searches, work, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        found[i] = ami_index_search(index, out, &searches[i], work);
        out += searches[i].k;
    }
}
