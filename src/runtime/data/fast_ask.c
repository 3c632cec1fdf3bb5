// One query of a fast search on the grid of its index; fast_ask.h describes it.
#include "data/fast_ask.h"

#include <string.h>

/// How far away a box within this cost may be, in squared grid steps, margins included.
static float steps_within(const ami_ask *ask, float cost)
{
    return cost * ask->to_steps * 1.0001f + 1.0f - ask->beyond;
}

/// Updates the largest key that a box within the bound can have; call it after every better bound.
static void update_key(ami_ask *ask)
{
    float key = steps_within(ask, ask->best.bound) * ask->scale + 1.0f;
    ask->threshold = key < 65535.0f ? (int)am_max(key, 0.0f) : 65535; // the last also when it is not a number
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

/// Steps from the edge of the grid, slightly reduced to allow for rounding.
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
static void quantise_query(ami_ask *ask, const ami_fast *fast)
{
    const ami_search *search = ask->search;
    float largest = ask->largest > 0.0f ? ask->largest : 1.0f;
    uint8_t *query = ask->query;
    ask->beyond = 0.0f;
    ask->bent = 0.0f;
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
            ask->excess[place] = excess;
            ask->bent += share * excess * excess;
            ask->beyond += share * frames * frames;
        }
        spread_pair(query + p * 4 * ami_fan, up);
        spread_pair(query + p * 4 * ami_fan + 2 * ami_fan, down);
    }
}

/// A factor of the weighted kernel: rounded down, and at most what its 16 bits hold.
static uint16_t to_fixed(float value) { return (uint16_t)am_clamp(value, 0.0f, 65535.0f); }

/// What the weighted kernel multiplies with: shares of the largest weight, scaled, in 1/65536; slopes in 1/256.
static void make_factors(ami_ask *ask, const ami_fast *fast)
{
    const float *weights = ask->search->weights;
    for (size_t place = 0; place < fast->pairs * 2; place++) {
        float share = 0.0f;
        float slope = 0.0f;
        if (place < fast->dims && ask->largest > 0.0f) {
            share = weights ? weights[fast->dim_order[place]] / ask->largest : 1.0f;
            slope = 2.0f * ask->excess[place] * share;
        }
        uint16_t *at = ask->factors + place * 2 * ami_fan;
        uint16_t fixed[2] = { to_fixed(share * ask->scale * 65535.0f), to_fixed(slope * ask->scale * 256.0f) };
        for (size_t lane = 0; lane < 2 * ami_fan; lane++) {
            at[lane] = fixed[lane / ami_fan];
        }
    }
}

void ami_ask_choose_keys(ami_ask *ask, const ami_fast *fast)
{
    float steps = steps_within(ask, ask->best.bound);
    bool near = steps < 60000.0f || !(ask->best.bound < INFINITY); // without a bound any order will do
    ask->weighted = ask->search->weights || !near || ask->bent > steps * 0.0625f;
    // Far beyond the grid, keys keep as much as 16 bits can hold.
    ask->scale = near || !(steps < 1e30f) ? 1.0f : 40000.0f / steps;
    if (ask->weighted) {
        make_factors(ask, fast);
    }
    update_key(ask);
}

static float largest_weight(const ami_search *search, size_t dims)
{
    float largest = search->weights ? 0.0f : 1.0f;
    for (size_t d = 0; search->weights && d < dims; d++) {
        largest = am_max(largest, search->weights[d]);
    }
    return largest;
}

void ami_ask_begin(ami_ask *ask, const am_index *index, const ami_search *search, ami_best best)
{
    const ami_fast *fast = index->fast;
    ask->search = search;
    ask->best = best;
    ask->bits = ami_search_bits(index, search);
    ask->largest = largest_weight(search, fast->dims);
    // All weights zero: every cost is 0 and nothing can be left out.
    ask->to_steps = ask->largest > 0.0f ? fast->inverse_step * fast->inverse_step / ask->largest : 0.0f;
    quantise_query(ask, fast);
    if (search->current >= 0 && best.k == 1 && ami_allowed(ask->bits, search, search->current)) {
        float cost = ami_index_cost(index, search->current, search->x, search->weights);
        ask->best.bound = am_min(ask->best.bound, cost);
    }
    ami_ask_choose_keys(ask, fast);
}

void ami_ask_leaf(ami_ask *ask, const am_index *index, int leaf)
{
    const ami_fast *fast = index->fast;
    const ami_search *search = ask->search;
    int first = fast->leaf_first[leaf];
    unsigned valid = fast->leaf_valid[leaf];
    if (search->filter) {
        valid &= ami_leaf_bits(ask->bits, first);
    }
    if (!valid) {
        return;
    }
    float costs[ami_leaf_frames];
    const float *x = fast->leaf_x + (size_t)leaf * fast->dims * ami_leaf_frames;
    if (search->weights) {
        index->kernels->distances_block_weighted(costs, search->x, search->weights, x, fast->dims);
    } else {
        index->kernels->distances_block(costs, search->x, x, fast->dims);
    }
    bool better = false;
    for (int i = 0; i < ami_leaf_frames; i++) {
        int frame = first + i;
        if ((valid >> i & 1) && costs[i] <= ask->best.bound &&
            !(frame >= search->ignore_first && frame <= search->ignore_last)) {
            ami_best_add(&ask->best, frame, costs[i]);
            better = true;
        }
    }
    if (better) {
        update_key(ask);
    }
}
