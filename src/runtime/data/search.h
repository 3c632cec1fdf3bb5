/// Exact nearest frames: a query in stored features against every frame of a database that may be offered.
///
/// Two indices with the same answers: the linear reference and the fast one. The cost of a frame is the squared
/// distance (optionally weighted), summed in the one shape of the library's kernels; ties go to the lower frame.
/// Frames in the ignored head and tail of a range are never offered.
#ifndef AMI_DATA_SEARCH_H
#define AMI_DATA_SEARCH_H

#include <amble/db.h>
#include "data/tags.h"

#define AMI_MAX_HITS 64 ///< most frames that one search returns

typedef enum ami_index_kind {
    AMI_INDEX_LINEAR, ///< every frame, one after another: the truth
    AMI_INDEX_FAST    ///< 8-bit boxes of 8 frames, 16 and 256 of those, best first
} ami_index_kind;

/// How an index is built. Start from ami_index_def_default().
typedef struct ami_index_def {
    const am_db *db;       ///< borrowed; must outlive the index
    const am_alloc *alloc; ///< NULL means malloc/free
    ami_index_kind kind;
    const char *kernels; ///< name of an instruction set for tests ("reference", "sse2", ...); NULL means the best
    uint32_t cookie;
} ami_index_def;
ami_index_def ami_index_def_default(void);

typedef struct am_index am_index;
am_result ami_index_create(am_index **out, const ami_index_def *def, am_error *err);
void ami_index_destroy(am_index *index);
/// Bytes that the index holds beside the database.
size_t ami_index_bytes(const am_index *index);

/// The frames that a tag query accepts, prepared for one index. Immutable; make it once, use it in every search.
typedef struct am_filter am_filter;
/// A query that accepts no offered frame gives a filter that accepts all, and sets *fell_back.
am_result ami_filter_create(am_filter **out, const am_index *index, const ami_tag_query *query, bool *fell_back,
                            const am_alloc *alloc, am_error *err);
/// The same from mask(frame_count): not 0 accepts the frame, where it is offered.
am_result ami_filter_create_mask(am_filter **out, const am_index *index, const uint8_t *mask, bool *fell_back,
                                 const am_alloc *alloc, am_error *err);
void ami_filter_destroy(am_filter *filter);

/// The working memory of a search: one for each thread that searches. Nothing is allocated later. index NULL: for
/// sources without one (am_source_work_create).
typedef struct am_search_work am_search_work;
am_result ami_search_work_create(am_search_work **out, const am_index *index, const am_alloc *alloc, am_error *err);
void ami_search_work_destroy(am_search_work *work);

/// One search. Start from ami_search_default().
typedef struct ami_search {
    const float *x;          ///< [stride] stored features, padding zero (ami_query_make)
    const float *weights;    ///< [stride] factors >= 0 of the squared differences; NULL means all 1
    const am_filter *filter; ///< NULL means every offered frame
    int k;                   ///< how many, 1 to AMI_MAX_HITS
    int current;      ///< frame that plays: its cost is the first bound; -1 means none. Never changes the answer
    int ignore_first; ///< frames ignore_first..ignore_last are not returned (the surroundings of the
    int ignore_last;  ///< playing frame); none when the last is below the first
    uint32_t cookie;
} ami_search;
ami_search ami_search_default(void);

/// out(k): the nearest frames, nearest first. Returns how many there are: fewer than k when fewer are offered, none
/// when the query is not finite.
int ami_index_search(const am_index *index, am_hit *out, const ami_search *search, am_search_work *work);
/// Many searches at once, for crowds and for trees of queries: the same bits as `count` single searches, in less time
/// where they resemble one another (those that follow begin with the bounds of those before). They may differ in
/// everything. out: k hits of each search, one search after another, so that those of search i begin at i * k when
/// all ask for the same k; k must lie within 1 to AMI_MAX_HITS. found(count): how many of its hits each search has.
void ami_index_search_batch(const am_index *index, am_hit *out, int *found, const ami_search *searches,
                            am_search_work *work, int count);
/// The cost of one frame for a query, in the bits of a search.
float ami_index_cost(const am_index *index, int frame, const float *x, const float *weights);

#endif
