/// The fast index's memory: shared by its builder and its search.
#ifndef AMI_INDEX_FAST_H
#define AMI_INDEX_FAST_H

#include "base/memory.h"
#include "data/format.h"
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
    // The tables. In this order, each at a multiple of 64 bytes, they follow the head of the section `indx`.
    float *base;          ///< [dims] value of grid line 0
    float *least, *most;  ///< [dims] range of the frames in grid steps; may reach beyond 0 and 255
    int32_t *dim_order;   ///< [dims] dimension at each place of a block: those that vary most come first
    int32_t *leaf_first;  ///< [leaf] first frame, in the order of the tree
    uint8_t *leaf_valid;  ///< [leaf] bits of the frames that are there and offered
    uint8_t *node_boxes;  ///< [node] block of its 16 leaves
    uint8_t *group_boxes; ///< [group] block of its 16 nodes
    uint8_t *top_boxes;   ///< [top] block of 16 groups
    float *leaf_x;        ///< [leaf][dims][8]: the section `ixro`
    size_t block_size;
    bool mapped; ///< the tables are those of the database's file
};

/// Words of a bit set over frames, with one spare word, so that eight bits can be read anywhere; and over nodes.
static inline size_t ami_frame_words(int frames) { return ((size_t)frames + 63) / 64 + 1; }
static inline size_t ami_node_words(int leaves) { return (((size_t)leaves + ami_fan - 1) / ami_fan + 63) / 64; }

/// Sets the counts of a tree and lays out its tables one after another.
void ami_fast_lay(ami_layout *layout, ami_fast *fast, int dims, int leaves);
/// Fills leaf_x from the rows of the database.
void ami_fast_gather(const ami_fast *fast, const am_db *db);
/// Bytes of the section `indx`, and of `ixro`.
size_t ami_fast_table_bytes(int dims, int leaves);
size_t ami_fast_row_bytes(int dims, int leaves);
/// The two sections of an index; rows NULL leaves them out.
void ami_fast_write(const ami_fast *fast, void *section, float *rows);
/// False when the head or the tables of the grid are invalid. The time depends only on dims.
bool ami_fast_tables_sane(const ami_index_head *head, int dims, int leaves);

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
