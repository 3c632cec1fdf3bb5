/// The fast index's memory: shared by its builder and its search.
#ifndef AMI_INDEX_FAST_H
#define AMI_INDEX_FAST_H

#include "data/index.h"

enum {
    ami_leaf_frames = 8,
    ami_fan = AMI_BOUNDS_LANES, ///< 16 boxes are compared at once
    ami_crowd = 8,              ///< queries that are searched for together
};

struct ami_fast {
    size_t dims, pairs;                                 ///< features, and pairs of them in a block of boxes
    size_t block_bytes;                                 ///< of 16 boxes
    int leaf_count, node_count, group_count, top_count; ///< top: blocks of 16 groups
    float step, inverse_step;
    float *base;          ///< [dims] value of grid line 0
    float *least, *most;  ///< [dims] range of the frames in grid steps; may reach beyond 0 and 255
    int32_t *dim_order;   ///< [dims] dimension at each place of a block: those that vary most come first
    int32_t *leaf_first;  ///< [leaf] first frame, in the order of the tree
    uint8_t *leaf_valid;  ///< [leaf] bits of the frames that are there and offered
    float *leaf_x;        ///< [leaf][dims][8]
    uint8_t *node_boxes;  ///< [node] block of its 16 leaves
    uint8_t *group_boxes; ///< [group] block of its 16 nodes
    uint8_t *top_boxes;   ///< [top] block of 16 groups
    size_t block_size;
};

static inline uint8_t ami_grid_floor(float t) { return (uint8_t)am_clamp(floorf(t), 0.0f, 255.0f); }
static inline uint8_t ami_grid_ceil(float t) { return (uint8_t)am_clamp(ceilf(t), 0.0f, 255.0f); }

/// Eight bits of a set from bit `first` on; the set has a spare word at its end.
static inline uint8_t ami_leaf_bits(const uint64_t *bits, int first)
{
    size_t word = (size_t)first >> 6;
    int shift = first & 63;
    uint64_t value = bits[word] >> shift;
    if (shift > 64 - ami_leaf_frames) {
        value |= bits[word + 1] << (64 - shift);
    }
    return (uint8_t)(value & 0xFF);
}

#endif
