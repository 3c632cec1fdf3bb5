/// One query of a fast search: what it looks like on the grid, and how far it still looks.
///
/// Keys are squared distances in grid steps, never above the true ones. A query beyond the grid by e steps in a
/// dimension is clamped to it; a box d steps from the edge is then (d + e)^2 = d^2 + 2 e d + e^2 away. The last term
/// is the same for all boxes (as far as no frame lies beyond the grid itself) and comes off the bound, the middle one
/// is the `slope` of the weighted kernel. Distances above the 16 bits of a key are scaled down. The bound gets a
/// margin of one step squared and of a ten thousandth for the rounding of floats.
#ifndef AMI_INDEX_FAST_ASK_H
#define AMI_INDEX_FAST_ASK_H

#include "data/fast.h"
#include "data/search.h"

typedef struct ami_ask {
    const ami_search *search;
    ami_best best;
    const uint64_t *bits; ///< frames that may be returned
    bool weighted;        ///< the keys are those of the weighted kernel
    float largest;        ///< weight
    float to_steps;       ///< from a cost to squared grid steps
    float beyond;         ///< least distance of every frame outside the grid, squared steps
    float bent;           ///< sum of the squared excesses, which the slopes scale
    float scale;          ///< from squared grid steps to keys
    int threshold;        ///< boxes with a larger key cannot hold a hit
    uint8_t *query;       ///< [pairs][4 * 16] what the bounds kernel reads
    uint16_t *factors;    ///< [2 * pairs][2][16] weights and slopes of each dimension
    float *excess;        ///< [2 * pairs] steps that the query lies beyond the grid
} ami_ask;

/// Sets everything but the buffers, for a search and its best hits so far; their bound must be valid.
void ami_ask_begin(ami_ask *ask, const am_index *index, const ami_search *search, ami_best best);
/// Chooses the kernel and the scale of the keys for the present bound, and updates the threshold. Earlier keys cannot
/// be compared with later ones.
void ami_ask_choose_keys(ami_ask *ask, const ami_fast *fast);
/// Keys of a block of 16 boxes; returns those that are not beyond the limit.
static inline unsigned ami_ask_bounds(const ami_ask *ask, const am_index *index, uint16_t keys[AMI_BOUNDS_LANES],
                                      const uint8_t *block, int limit)
{
    const ami_kernels *kernels = index->kernels;
    size_t pairs = index->fast->pairs;
    if (ask->weighted) {
        return kernels->bounds_weighted(keys, block, ask->query, ask->factors, pairs, (uint16_t)limit);
    }
    return kernels->bounds(keys, block, ask->query, pairs, (uint16_t)limit);
}
/// Compares the frames of a leaf and enters the better ones.
void ami_ask_leaf(ami_ask *ask, const am_index *index, int leaf);

#endif
