/// What the two indices share: the offered frames, the best hits so far, filters.
#ifndef AMI_INDEX_INDEX_H
#define AMI_INDEX_INDEX_H

#include "kernel/kernel.h"
#include "data/search.h"

#include <amble/net.h>

typedef struct ami_fast ami_fast;

struct am_index {
    const am_db *db;
    const ami_kernels *kernels;
    ami_index_kind kind;
    am_alloc alloc;
    uint64_t *offered; ///< [words] a bit for each frame that may be returned
    size_t words;
    size_t bytes;
    ami_fast *fast; ///< when kind is AMI_INDEX_FAST
};

struct am_filter {
    uint64_t *frames; ///< [words]
    uint64_t *nodes;  ///< [words of the fast index's nodes] a bit where any frame below is accepted; NULL otherwise
    size_t words, node_words;
    int count;
    bool mapped; ///< the bits are those of the database's file
    am_alloc alloc;
};

/// The k best hits so far, ascending by cost, then frame. `bound` is the cost above which nothing can enter.
typedef struct ami_best {
    am_hit *hits;
    int count, k;
    float bound;
} ami_best;

static inline ami_best ami_best_make(am_hit *hits, int k)
{
    ami_best best = { hits, 0, k, INFINITY };
    return best;
}
/// Enters a hit if it is among the k best.
void ami_best_add(ami_best *best, int frame, float cost);

/// True when the search may return the frame (offered, accepted, not ignored).
static inline bool ami_allowed(const uint64_t *bits, const ami_search *search, int frame)
{
    return (bits[frame >> 6] >> (frame & 63) & 1) != 0 &&
           !(frame >= search->ignore_first && frame <= search->ignore_last);
}
/// The bits that a search reads: the filter's, or the index's own.
static inline const uint64_t *ami_search_bits(const am_index *index, const ami_search *search)
{
    return search->filter ? search->filter->frames : index->offered;
}

#define AMI_WORK_NETS 4 ///< networks that a source runs in one step
/// Work memory for the networks of a source: [AMI_WORK_NETS], NULL where there is none. They are freed with the work.
am_net_work **ami_search_work_nets(am_search_work *work);

/// Other work memory of a source; freed with the work.
typedef struct ami_work_room {
    void *room;
    void (*release)(void *room);
} ami_work_room;
ami_work_room *ami_search_work_room(am_search_work *work);

/// True when the database's file has filters over this index.
bool ami_filters_stored(const am_index *index);
/// One of them (ami_slot); *out is NULL when there is no such filter.
am_result ami_filter_stored(am_filter **out, const am_index *index, int slot, const am_alloc *alloc, am_error *err);

// The parts of the fast index.
am_result ami_fast_create(ami_fast **out, am_index *index, am_error *err);
/// The index of the database's file over `offered` frames, after checking everything that it points to; NULL where
/// there is none or it does not fit.
am_result ami_fast_map(ami_fast **out, am_index *index, int offered, am_error *err);
void ami_fast_destroy(ami_fast *fast, const am_alloc *alloc);
/// bests(count) for searches(count) of finite queries, at most ami_crowd; their initial bounds must be valid.
void ami_fast_search(const am_index *index, ami_best *bests, const ami_search *const *searches, am_search_work *work,
                     int count);
/// All of a batch: see ami_index_search_batch.
void ami_fast_search_batch(const am_index *index, am_hit *out, int *found, const ami_search *searches,
                           am_search_work *work, int count);
/// False when a number of the query or a weight is not finite.
bool ami_search_is_finite(const ami_search *search, int count);
/// The bits of a filter over the nodes from those of the frames.
void ami_fast_filter_nodes(const ami_fast *fast, uint64_t *nodes, const uint64_t *frames);

#endif
