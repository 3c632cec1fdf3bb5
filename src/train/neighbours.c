// Searches for nearest frames ahead of training: a ring of small groups of queries, taken in order by any free
// thread.
#include "train/neighbours.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "base/thread.h"
#include "base/rng.h"
#include "data/features.h"
#include "data/search.h"
#include <amble/source.h>

enum { group = 8, ahead = 6, most_helpers = 64 }; // queries of one search batch; iterations that helpers run ahead

/// One group of queries in the ring.
typedef struct cell {
    atomic_uint_least64_t done; ///< number of the group + 1 when it holds that group
    int frames[group];
} cell;

struct ami_neighbours {
    ami_neighbours_def def;
    am_index *index;
    am_search_work **works; ///< [blocks + helpers]
    float *amplitude;       ///< [features] of the noise
    uint8_t *target;        ///< [features] 1 where the number is a target rather than the pose
    int features, stride;
    cell *cells;    ///< [cell_count]
    float *queries; ///< [cell_count][group][stride]
    int cell_count;
    atomic_uint_least64_t next;  ///< first group that is not taken yet
    atomic_uint_least64_t begun; ///< first group that the running iteration may want
    atomic_bool known; ///< the first pass has said where the run goes on; before, helpers would fill other groups
    atomic_bool over;
    ami_thread threads[most_helpers];
    struct helper {
        ami_neighbours *of;
        int number;
    } helpers[most_helpers];
    int helper_count;
};

// ---------------------------------------------------------------------------------------------
// One query

static void mark_targets(ami_neighbours *a)
{
    const am_features *f = &a->def.db->features;
    for (int i = 0; i < a->features; i++) {
        a->amplitude[i] = f->pca ? 1.0f : f->weight[i];
    }
    for (int c = 0; c < f->schema->channel_count && !f->pca; c++) { // with PCA every number mixes all features
        const am_channel *channel = &f->schema->channels[c];
        memset(a->target + channel->first, ami_channel_is_target(channel), (size_t)channel->dims);
    }
}

/// x(stride); the frame that it began from.
static int make_query(const ami_neighbours *a, uint64_t item, float *x)
{
    am_rng rng = ami_rng_fork(&a->def.rng, item);
    const int from = a->def.first[am_rng_below(&rng, (uint32_t)a->def.first_count)];
    const int other = a->def.first[am_rng_below(&rng, (uint32_t)a->def.first_count)];
    const bool swap = am_rng_float(&rng) < a->def.swap;
    const float size = a->def.noise * am_rng_float(&rng);
    const float *own = am_db_x(a->def.db, from), *target = swap ? am_db_x(a->def.db, other) : own;
    memset(x, 0, (size_t)a->stride * sizeof *x);
    for (int i = 0; i < a->features; i++) {
        x[i] = (a->target[i] ? target[i] : own[i]) + size * a->amplitude[i] * am_rng_normal(&rng);
    }
    return from;
}

static void make_group(const ami_neighbours *a, uint64_t number, am_search_work *work, float *x, int *frames)
{
    ami_search searches[group];
    am_hit hits[group];
    int found[group];
    for (int i = 0; i < group; i++) {
        searches[i] = ami_search_default();
        searches[i].x = x + (ptrdiff_t)i * a->stride;
        searches[i].k = 1;
        searches[i].current = make_query(a, number * group + (uint64_t)i, x + (ptrdiff_t)i * a->stride);
    }
    ami_index_search_batch(a->index, hits, found, searches, work, group);
    for (int i = 0; i < group; i++) {
        frames[i] = found[i] > 0 ? hits[i].frame : searches[i].current;
    }
}

// ---------------------------------------------------------------------------------------------
// The ring

static cell *cell_of(const ami_neighbours *a, uint64_t number) { return &a->cells[number % (uint64_t)a->cell_count]; }

static float *queries_of(const ami_neighbours *a, uint64_t number)
{
    return a->queries + (number % (uint64_t)a->cell_count) * (size_t)(group * a->stride);
}

/// Takes the next group when it lies before `limit`.
static bool take_next(ami_neighbours *a, uint64_t limit, uint64_t *number)
{
    uint64_t at = atomic_load(&a->next);
    while (at < limit) {
        if (atomic_compare_exchange_weak(&a->next, &at, at + 1)) {
            *number = at;
            return true;
        }
    }
    return false;
}

static void fill_cell(ami_neighbours *a, uint64_t number, am_search_work *work)
{
    cell *c = cell_of(a, number);
    make_group(a, number, work, queries_of(a, number), c->frames);
    atomic_store_explicit(&c->done, number + 1, memory_order_release);
}

/// Groups may be made until they would overwrite one that the running iteration still wants.
static uint64_t limit_of(ami_neighbours *a) { return atomic_load(&a->begun) + (uint64_t)a->cell_count; }

static void help(void *user)
{
    const struct helper *me = user;
    ami_neighbours *a = me->of;
    am_search_work *work = a->works[a->def.blocks + me->number];
    while (!atomic_load(&a->over)) {
        uint64_t number;
        if (atomic_load(&a->known) && take_next(a, limit_of(a), &number)) {
            fill_cell(a, number, work);
        } else {
            am_sleep_us(100.0); // the ring holds some milliseconds of work
        }
    }
}

static void copy_out(const ami_neighbours *a, const float *query, float *x, int c, int n)
{
    for (int i = 0; i < a->features; i++) {
        x[(ptrdiff_t)i * n + c] = query[i];
    }
}

/// Takes the queries from the ring; missing ones are made here.
static void take_from_ring(ami_neighbours *a, int block, uint64_t item, int count, float *x, int *frames, int n)
{
    const uint64_t first = item / group, behind = (item + (uint64_t)count + group - 1) / group;
    uint64_t number;
    while (take_next(a, behind, &number)) {
        fill_cell(a, number, a->works[block]);
    }
    for (number = first; number < behind; number++) {
        const cell *c = cell_of(a, number);
        while (atomic_load_explicit(&c->done, memory_order_acquire) != number + 1) {
            ami_thread_yield();
        }
    }
    for (int i = 0; i < count; i++) {
        const uint64_t at = item + (uint64_t)i;
        copy_out(a, queries_of(a, at / group) + at % group * (size_t)a->stride, x, i, n);
        frames[i] = cell_of(a, at / group)->frames[at % group];
    }
}

/// Without helpers: into the block's own cell, group by group.
static void take_alone(ami_neighbours *a, int block, uint64_t item, int count, float *x, int *frames, int n)
{
    float *queries = a->queries + (size_t)block * (size_t)(group * a->stride);
    cell *c = &a->cells[block];
    for (int i = 0; i < count;) {
        const uint64_t at = item + (uint64_t)i;
        make_group(a, at / group, a->works[block], queries, c->frames);
        for (uint64_t k = at % group; k < group && i < count; k++, i++) {
            copy_out(a, queries + k * (size_t)a->stride, x, i, n);
            frames[i] = c->frames[k];
        }
    }
}

void ami_neighbours_take(ami_neighbours *a, int block, uint64_t begun, uint64_t item, int count, float *x,
                         int *frames, int n)
{
    if (a->helper_count == 0) {
        take_alone(a, block, item, count, x, frames, n);
        return;
    }
    const uint64_t first = begun / group;
    uint64_t next = atomic_load(&a->next);
    while (next < first && !atomic_compare_exchange_weak(&a->next, &next, first)) { // a resumed run begins late
    }
    uint64_t seen = atomic_load(&a->begun);
    while (seen < first && !atomic_compare_exchange_weak(&a->begun, &seen, first)) {
    }
    atomic_store(&a->known, true);
    take_from_ring(a, block, item, count, x, frames, n);
}

// ---------------------------------------------------------------------------------------------
// Creation

static am_result create_works(ami_neighbours *a, am_error *err)
{
    const int count = a->def.blocks + a->def.helpers;
    am_result result = AM_OK;
    for (int i = 0; i < count && result == AM_OK; i++) {
        result = ami_search_work_create(&a->works[i], a->index, &a->def.alloc, err);
    }
    return result;
}

static am_result create_arrays(ami_neighbours *a, am_error *err)
{
    const int ring = ahead * (a->def.batch / group + 2);
    a->cell_count = ring > a->def.blocks ? ring : a->def.blocks;
    const size_t cells = (size_t)a->cell_count, features = (size_t)a->features;
    a->works = ami_alloc_zero(&a->def.alloc, (size_t)(a->def.blocks + a->def.helpers) * sizeof *a->works);
    a->amplitude = ami_alloc_array(&a->def.alloc, features, sizeof *a->amplitude);
    a->target = ami_alloc_zero(&a->def.alloc, features);
    a->cells = ami_alloc_zero(&a->def.alloc, cells * sizeof *a->cells);
    a->queries = ami_alloc_array(&a->def.alloc, cells * (size_t)(group * a->stride), sizeof *a->queries);
    return a->works && a->amplitude && a->target && a->cells && a->queries
               ? AM_OK
               : ami_fail_memory(err, cells * (size_t)(group * a->stride) * sizeof *a->queries);
}

am_result ami_neighbours_create(ami_neighbours **out, const ami_neighbours_def *def, am_error *err)
{
    *out = NULL;
    ami_neighbours *a = ami_alloc_zero(&def->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    a->def = *def;
    a->def.helpers = def->helpers < most_helpers ? def->helpers : most_helpers;
    a->features = def->db->features.count;
    a->stride = def->db->features.stride;
    ami_index_def index = ami_index_def_default();
    index.db = def->db;
    index.alloc = &a->def.alloc;
    index.kind = AMI_INDEX_FAST;
    am_result result = create_arrays(a, err);
    if (result == AM_OK) {
        result = ami_index_create(&a->index, &index, err);
    }
    if (result == AM_OK) {
        result = create_works(a, err);
    }
    if (result != AM_OK) {
        ami_neighbours_destroy(a);
        return result;
    }
    mark_targets(a);
    atomic_store(&a->begun, 0);
    for (int i = 0; i < a->def.helpers; i++) {
        a->helpers[i] = (struct helper){ a, i };
        if (!ami_thread_start(&a->threads[i], help, &a->helpers[i])) {
            break; // the passes do the work instead
        }
        a->helper_count++;
    }
    *out = a;
    return AM_OK;
}

void ami_neighbours_destroy(ami_neighbours *a)
{
    if (!a) {
        return;
    }
    atomic_store(&a->over, true);
    for (int i = 0; i < a->helper_count; i++) {
        ami_thread_join(&a->threads[i]);
    }
    const am_alloc alloc = a->def.alloc;
    const size_t cells = (size_t)a->cell_count;
    for (int i = 0; a->works && i < a->def.blocks + a->def.helpers; i++) {
        ami_search_work_destroy(a->works[i]);
    }
    ami_index_destroy(a->index);
    ami_release(&alloc, a->works, (size_t)(a->def.blocks + a->def.helpers) * sizeof *a->works);
    ami_release(&alloc, a->amplitude, (size_t)a->features * sizeof *a->amplitude);
    ami_release(&alloc, a->target, (size_t)a->features);
    ami_release(&alloc, a->cells, cells * sizeof *a->cells);
    ami_release(&alloc, a->queries, cells * (size_t)(group * a->stride) * sizeof *a->queries);
    ami_release(&alloc, a, sizeof *a);
}
