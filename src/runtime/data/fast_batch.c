// Batches of searches in the fast index. One query is searched for alone; queries near it then start with the cost of
// its hits as their bound, which is nearly their own, and are searched for together.
//
// Searching for queries together that are far from one another is slower than one by one (2.5 times for unrelated
// ones): each has to look at boxes that only others need.
#include "data/fast.h"

enum { window = 64 }; // searches among which near ones are looked for

/// The searches of a window, with the place of their hits.
typedef struct batch {
    const am_index *index;
    const ami_search *searches;
    am_search_work *work;
    am_hit *rows[window];
    int *found;
    uint64_t left; ///< bits of those not yet searched for
} batch;

static ami_best begin(const batch *b, int i)
{
    int k = b->searches[i].k < AMI_MAX_HITS ? b->searches[i].k : AMI_MAX_HITS;
    return ami_best_make(b->rows[i], k);
}

/// What the k hits of search `from` cost search `to`: a bound when all of them are allowed, else infinite.
static float cost_of_hits(const batch *b, int from, int to, int k)
{
    const ami_search *search = &b->searches[to];
    const uint64_t *bits = ami_search_bits(b->index, search);
    float bound = b->found[from] < k ? INFINITY : 0.0f;
    for (int i = 0; i < k && bound < INFINITY; i++) {
        int frame = b->rows[from][i].frame;
        float cost = ami_index_cost(b->index, frame, search->x, search->weights);
        bound = ami_allowed(bits, search, frame) ? am_max(bound, cost) : INFINITY;
    }
    return bound;
}

/// True when the queries differ by less than `limit`.
static bool are_near(const batch *b, int one, int other, float limit)
{
    const ami_search *x = &b->searches[one];
    const ami_search *y = &b->searches[other];
    float apart = INFINITY;
    size_t stride = (size_t)b->index->db->features.stride;
    if (x->weights) {
        b->index->kernels->distances_weighted(&apart, x->x, x->weights, y->x, 1, stride);
    } else {
        b->index->kernels->distances(&apart, x->x, y->x, 1, stride);
    }
    return apart < limit;
}

/// Up to eight searches nearer to `leader` than its last hit, with bounds from its hits; returns how many.
static int gather(const batch *b, int leader, int members[ami_crowd], ami_best bests[ami_crowd])
{
    int hits = b->found[leader];
    float limit = hits > 0 ? b->rows[leader][hits - 1].cost : 0.0f;
    int count = 0;
    for (uint64_t rest = b->left; rest && count < ami_crowd; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        const ami_search *search = &b->searches[i];
        bool alike = search->weights == b->searches[leader].weights && search->filter == b->searches[leader].filter;
        if (alike && are_near(b, leader, i, limit)) {
            bests[count] = begin(b, i);
            bests[count].bound = cost_of_hits(b, leader, i, bests[count].k);
            members[count++] = i;
        }
    }
    return count;
}

static void search_members(batch *b, const int *members, ami_best *bests, int count)
{
    const ami_search *together[ami_crowd] = { 0 };
    for (int i = 0; i < count; i++) {
        together[i] = &b->searches[members[i]];
        b->left &= ~(UINT64_C(1) << members[i]);
    }
    ami_fast_search(b->index, bests, together, b->work, count);
    for (int i = 0; i < count; i++) {
        b->found[members[i]] = bests[i].count;
    }
}

static void search_window(batch *b)
{
    while (b->left) {
        int members[ami_crowd] = { __builtin_ctzll(b->left) };
        ami_best bests[ami_crowd] = { begin(b, members[0]) };
        int leader = members[0];
        search_members(b, members, bests, 1);
        for (int count = gather(b, leader, members, bests); count > 0; count = gather(b, leader, members, bests)) {
            search_members(b, members, bests, count);
        }
    }
}

void ami_fast_search_batch(const am_index *index, am_hit *out, int *found, const ami_search *searches,
                           am_search_work *work, int count)
{
    for (int first = 0; first < count; first += window) {
        batch b = { .index = index, .searches = searches + first, .work = work, .found = found + first };
        for (int i = 0; i < window && first + i < count; i++) {
            bool finite = ami_search_is_finite(&b.searches[i], index->db->features.count);
            b.rows[i] = out;
            b.found[i] = 0;
            b.left |= (uint64_t)finite << i;
            out += b.searches[i].k;
        }
        search_window(&b);
    }
}
