// Long-horizon motion matching (LHMM section IV, algorithm 1): the k nearest frames are played on virtually for the
// time between two searches, searched again from where they lead, and so on for l levels; the first frame of the path
// with the smallest sum of costs is taken.
//
// The tree grows level by level instead of by recursion, so that the searches of a level go to the index together,
// cheapest branch first: those that follow find tight bounds, and on the last level a branch whose sum already
// reaches the best whole path is left out, which cannot change the answer.
#include "method/match.h"

#include "base/error.h"
#include "data/database.h"

#include <string.h>

// Branches that one level keeps. Larger trees need a limit of searches, which drops the most expensive branches.
#define MOST_NODES AMI_MOST_BRANCHES
// Searches that go to the index together.
#define BATCH 8

typedef struct node {
    ami_match_moment end; ///< where it leads
    float cost;           ///< sum so far
    int first;            ///< which of the first frames it comes from
    uint8_t context[AM_MAX_CONTEXT];
} node;

typedef struct level {
    node nodes[MOST_NODES]; ///< ascending by cost, equal ones in the order they came
    int count;
} level;

/// What one call knows.
typedef struct look {
    const am_source *source;
    const ami_ahead *ahead;
    const am_source_input *input;
    am_search_work *work;
    int searches, left; ///< spent, and still allowed
    int best;           ///< first frame of the best whole path, -1 before there is one
    float best_cost;
    float *totals; ///< [first frame]
} look;

ami_long_horizon_def ami_long_horizon_def_default(void)
{
    // LHMM VIII-A: k = l = 3; larger ones cost more and follow no better.
    ami_long_horizon_def def = { .match = ami_match_def_default(), .k = 3, .l = 3, .cookie = AM_COOKIE };
    return def;
}

bool ami_tree_fits(int k, int l, int most_searches)
{
    int branches = 1;
    for (int i = 1; i < l && branches <= AMI_MOST_BRANCHES; i++) {
        branches *= k;
    }
    return most_searches > 0 || branches <= AMI_MOST_BRANCHES;
}

am_result ami_long_horizon_create(am_source **out, const ami_long_horizon_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || def->k < 1 || def->k > AMI_MAX_HITS || def->l < 1 || def->l > 8 ||
        def->most_searches < 0) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the long-horizon def with ami_long_horizon_def_default(); k is 1 to %d, l 1 to 8, "
            "most_searches at least 0",
            AMI_MAX_HITS);
    }
    if (!ami_tree_fits(def->k, def->l, def->most_searches)) {
        return ami_fail(err, AM_ERR_DEF, AMI_TREE_REFUSED, def->k, def->l, AMI_MOST_BRANCHES);
    }
    ami_ahead ahead = { .k = def->k, .l = def->l, .most_searches = def->most_searches };
    return ami_matching_create(out, &def->match, &ahead, err);
}

/// Where a new branch of this cost goes, or NULL when it is more expensive than all that a level keeps.
static node *insert(level *to, float cost)
{
    int at = to->count;
    while (at > 0 && cost < to->nodes[at - 1].cost) {
        at--;
    }
    if (at >= MOST_NODES) {
        return NULL;
    }
    int last = to->count < MOST_NODES ? to->count++ : MOST_NODES - 1;
    memmove(&to->nodes[at + 1], &to->nodes[at], (size_t)(last - at) * sizeof to->nodes[0]);
    to->nodes[at].cost = cost;
    return &to->nodes[at];
}

/// What a hit adds to a sum: its distance, as printed, or the square that the index returns.
static float cost_of(const look *l, am_hit hit) { return l->ahead->distances ? sqrtf(hit.cost) : hit.cost; }

/// Plays on from `frame`, starting at the body in `from`, until the next search.
static void branch(const look *l, level *to, am_transform root, const void *context, am_hit hit, float before,
                   int first)
{
    node *n = insert(to, before + cost_of(l, hit));
    if (!n) {
        return;
    }
    const am_db *db = l->source->db;
    const am_horizon *horizon = l->input->horizon;
    n->first = first;
    n->end = (ami_match_moment){ .frame = ami_db_clamp(db, hit.frame, l->ahead->frames) };
    am_transform step = am_transform_mul(am_transform_inv(ami_db_root(db, hit.frame)), ami_db_root(db, n->end.frame));
    n->end.root = am_transform_mul(root, step);
    horizon->update_context(horizon->user, n->context, context, (float)l->ahead->frames / db->fps);
}

/// Searches for nodes(count) of a level in one batch; k hits each.
static void ask(look *l, node *nodes, int count, am_hit *hits, int *found, int k)
{
    float x[BATCH][AM_MAX_FEATURES + 8];
    ami_search targets[BATCH];
    am_query_point trajectory[AM_MAX_TRAJECTORY];
    const am_horizon *horizon = l->input->horizon;
    for (int i = 0; i < count; i++) {
        int points = horizon->compute_query(horizon->user, nodes[i].context, trajectory, &nodes[i].end.root);
        ami_match_query(l->source, x[i], &nodes[i].end, trajectory, points);
        targets[i] = ami_search_default();
        targets[i].x = x[i];
        targets[i].weights = l->input->weights;
        targets[i].filter = l->input->filter;
        targets[i].k = k;
        targets[i].current = nodes[i].end.frame;
    }
    ami_index_search_batch(l->source->index, hits, found, targets, l->work, count);
    l->searches += count;
    l->left -= count;
}

/// The sums of branches that the last level leaves out: they can only grow.
static void bound_rest(const look *l, const level *from, int at)
{
    for (; at < from->count; at++) {
        const node *n = &from->nodes[at];
        l->totals[n->first] = am_min(l->totals[n->first], n->cost);
    }
}

/// One level: every branch in turn, cheapest first, while searches are left. The last level only adds up costs.
static void grow(look *l, level *from, level *to, bool last)
{
    am_hit hits[BATCH * AMI_MAX_HITS];
    int found[BATCH];
    int k = last ? 1 : l->ahead->k;
    to->count = 0;
    for (int at = 0; at < from->count && l->left > 0;) {
        int count = from->count - at < BATCH ? from->count - at : BATCH;
        count = count < l->left ? count : l->left;
        while (last && count > 0 && !(from->nodes[at + count - 1].cost < l->best_cost)) {
            count--;
        }
        if (count == 0) {
            bound_rest(l, from, at);
            break;
        }
        ask(l, &from->nodes[at], count, hits, found, k);
        for (int i = 0; i < count; i++, at++) {
            const node *n = &from->nodes[at];
            for (int h = 0; h < found[i] && !last; h++) {
                branch(l, to, n->end.root, n->context, hits[i * k + h], n->cost, n->first);
            }
            float sum = last && found[i] > 0 ? n->cost + cost_of(l, hits[i]) : INFINITY;
            l->totals[n->first] = am_min(l->totals[n->first], sum);
            if (sum < l->best_cost) {
                l->best_cost = sum;
                l->best = n->first;
            }
        }
    }
}

int ami_look_ahead(const am_source *source, const ami_ahead *ahead, float *totals, const am_hit *first, int count,
                   const am_source_input *input, am_search_work *work, int *searches)
{
    level levels[2];
    look l = { source, ahead, input, work, 0, INT32_MAX, -1, INFINITY, totals };
    l.left = ahead->most_searches > 0 ? ahead->most_searches - *searches : INT32_MAX;
    levels[0].count = levels[1].count = 0;
    for (int i = 0; i < count; i++) {
        totals[i] = INFINITY;
        branch(&l, &levels[0], input->root, input->horizon->context, first[i], 0.0f, i);
    }
    int at = 0;
    for (int depth = 2; depth <= ahead->l && l.left > 0; depth++) {
        grow(&l, &levels[at], &levels[1 - at], depth == ahead->l);
        if (depth == ahead->l || levels[1 - at].count == 0) {
            break;
        }
        at = 1 - at;
    }
    *searches += l.searches;
    // Out of searches before the last level: the costs so far decide.
    if (l.best < 0) {
        bound_rest(&l, &levels[at], 0);
    }
    return l.best >= 0 ? l.best : levels[at].count > 0 ? levels[at].nodes[0].first : 0;
}
