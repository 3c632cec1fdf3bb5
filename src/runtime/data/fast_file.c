// The fast index's memory: its tables, the sections of a file that hold them, and the bits of filters over its nodes.
#include "data/fast.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void ami_fast_lay(ami_layout *layout, ami_fast *fast, int dims, int leaves)
{
    fast->dims = (size_t)dims;
    fast->pairs = (fast->dims + 1) / 2;
    fast->block_bytes = fast->pairs * 4 * ami_fan;
    fast->leaf_count = leaves;
    fast->node_count = (leaves + ami_fan - 1) / ami_fan;
    fast->group_count = (fast->node_count + ami_fan - 1) / ami_fan;
    fast->top_count = (fast->group_count + ami_fan - 1) / ami_fan;
    fast->base = ami_layout_take(layout, fast->dims, sizeof(float));
    fast->least = ami_layout_take(layout, fast->dims, sizeof(float));
    fast->most = ami_layout_take(layout, fast->dims, sizeof(float));
    fast->dim_order = ami_layout_take(layout, fast->dims, sizeof(int32_t));
    fast->leaf_first = ami_layout_take(layout, (size_t)leaves, sizeof(int32_t));
    fast->leaf_valid = ami_layout_take(layout, (size_t)leaves, 1);
    fast->node_boxes = ami_layout_take(layout, (size_t)fast->node_count, fast->block_bytes);
    fast->group_boxes = ami_layout_take(layout, (size_t)fast->group_count, fast->block_bytes);
    fast->top_boxes = ami_layout_take(layout, (size_t)fast->top_count, fast->block_bytes);
}

size_t ami_fast_table_bytes(int dims, int leaves)
{
    ami_layout measure = { 0 };
    ami_fast fast = { 0 };
    ami_layout_take(&measure, 1, sizeof(ami_index_head));
    ami_fast_lay(&measure, &fast, dims, leaves);
    return measure.size;
}

size_t ami_fast_row_bytes(int dims, int leaves)
{
    return (size_t)leaves * (size_t)dims * ami_leaf_frames * sizeof(float);
}

/// The tables of a section; never written through these pointers.
static void map_tables(ami_fast *fast, const ami_index_head *head)
{
    ami_layout at = { (uint8_t *)head, sizeof *head, false };
    ami_fast_lay(&at, fast, head->dims, head->leaf_count);
    fast->step = head->step;
    fast->inverse_step = 1.0f / head->step;
    fast->mapped = true;
}

void ami_fast_write(const ami_fast *fast, void *section, float *rows)
{
    int dims = (int)fast->dims;
    ami_index_head head = { .leaf_count = fast->leaf_count, .dims = dims, .step = fast->step };
    memcpy(section, &head, sizeof head);
    ami_fast to = { 0 };
    map_tables(&to, section);
    // In memory the tables lie as in the file.
    size_t size = ami_fast_table_bytes(dims, fast->leaf_count) - sizeof head;
    memcpy(to.base, fast->base, size);
    if (rows) {
        memcpy(rows, fast->leaf_x, ami_fast_row_bytes(dims, fast->leaf_count));
    }
}

static bool is_finite(float x) { return x - x == 0.0f; }

bool ami_fast_tables_sane(const ami_index_head *head, int dims, int leaves)
{
    if (head->dims != dims || head->leaf_count != leaves || !(head->step > 0.0f) || !is_finite(head->step) ||
        !is_finite(1.0f / head->step)) {
        return false;
    }
    ami_fast fast = { 0 };
    map_tables(&fast, head);
    bool seen[AM_MAX_FEATURES] = { false };
    for (int d = 0; d < dims; d++) {
        int32_t place = fast.dim_order[d];
        if (place < 0 || place >= dims || seen[place] || !is_finite(fast.base[d]) || !is_finite(fast.least[d]) ||
            !is_finite(fast.most[d])) {
            return false;
        }
        seen[place] = true;
    }
    return true;
}

/// True when the leaves hold only offered frames, and as many as there are.
static bool leaves_fit(const ami_fast *fast, const am_index *index, int offered)
{
    for (int i = 0; i < fast->leaf_count; i++) {
        int first = fast->leaf_first[i];
        unsigned valid = fast->leaf_valid[i];
        if (first < 0 || first >= index->db->frame_count || (ami_leaf_bits(index->offered, first) & valid) != valid) {
            return false;
        }
        offered -= __builtin_popcount(valid);
    }
    return offered == 0;
}

void ami_fast_gather(const ami_fast *fast, const am_db *db)
{
    for (int i = 0; i < fast->leaf_count; i++) {
        float *x = fast->leaf_x + (size_t)i * fast->dims * ami_leaf_frames;
        for (int j = 0; j < ami_leaf_frames; j++) {
            const float *row = fast->leaf_valid[i] >> j & 1 ? am_db_x(db, fast->leaf_first[i] + j) : NULL;
            for (size_t d = 0; d < fast->dims; d++) {
                x[d * ami_leaf_frames + (size_t)j] = row ? row[d] : 0.0f;
            }
        }
    }
}

am_result ami_fast_map(ami_fast **out, am_index *index, int offered, am_error *err)
{
    *out = NULL;
    const am_db *db = index->db;
    const ami_index_head *head = db->own ? db->own->derived.index : NULL;
    ami_fast mapped = { 0 };
    if (!head || head->leaf_count != ami_count_leaves(db->ranges, db->range_count)) {
        return AM_OK;
    }
    map_tables(&mapped, head);
    if (!leaves_fit(&mapped, index, offered)) {
        return AM_OK;
    }
    const float *rows = db->own->derived.index_rows;
    ami_layout measure = { 0 };
    ami_layout_take(&measure, 1, sizeof mapped);
    ami_layout_take(&measure, 1, rows ? 0 : ami_fast_row_bytes(head->dims, head->leaf_count));
    ami_layout place = ami_layout_room(&measure, &index->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    ami_fast *fast = ami_layout_take(&place, 1, sizeof mapped);
    float *own_rows = ami_layout_take(&place, 1, rows ? 0 : ami_fast_row_bytes(head->dims, head->leaf_count));
    *fast = mapped;
    fast->block_size = measure.size;
    fast->leaf_x = rows ? (float *)rows : own_rows;
    if (!rows) {
        ami_fast_gather(fast, db);
    }
    index->bytes += measure.size;
    *out = fast;
    return AM_OK;
}

void ami_fast_destroy(ami_fast *fast, const am_alloc *alloc)
{
    if (fast) {
        ami_release(alloc, fast, fast->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// Filters: a bit for each node with any accepted frame below it

void ami_fast_filter_nodes(const ami_fast *fast, uint64_t *nodes, const uint64_t *frames)
{
    for (int i = 0; i < fast->leaf_count; i++) {
        uint64_t any = 0;
        for (int j = 0; j < ami_leaf_frames; j++) {
            int f = fast->leaf_first[i] + j;
            any |= fast->leaf_valid[i] >> j & 1 ? frames[f >> 6] >> (f & 63) & 1 : 0;
        }
        nodes[i / ami_fan / 64] |= any << (i / ami_fan % 64);
    }
}
