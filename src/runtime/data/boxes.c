// The two-level box search of LMM appendix B, written plainly: boxes of 16 and of 64 consecutive frames, visited in
// file order, each abandoned as soon as its distance so far exceeds the best. It is the baseline that the fast index
// is measured against, and an independent second answer.
#include "data/index.h"

#include "base/error.h"
#include "base/memory.h"

enum { small_frames = 16, large_frames = 64 };

struct ami_boxes {
    size_t dims;
    size_t small_count, large_count;
    float *small_lo, *small_hi; ///< [small][dims]
    float *large_lo, *large_hi; ///< [large][dims]
    size_t block_size;
};

static void grow(float *lo, float *hi, const float *row, size_t dims)
{
    for (size_t d = 0; d < dims; d++) {
        lo[d] = am_min(lo[d], row[d]);
        hi[d] = am_max(hi[d], row[d]);
    }
}

static ami_boxes *lay_out(ami_layout *layout, size_t dims, size_t small_count, size_t large_count)
{
    ami_boxes *boxes = ami_layout_take(layout, 1, sizeof *boxes);
    float *small_lo = ami_layout_take(layout, small_count * dims, sizeof(float));
    float *small_hi = ami_layout_take(layout, small_count * dims, sizeof(float));
    float *large_lo = ami_layout_take(layout, large_count * dims, sizeof(float));
    float *large_hi = ami_layout_take(layout, large_count * dims, sizeof(float));
    if (boxes) {
        *boxes = (ami_boxes){ dims, small_count, large_count, small_lo, small_hi, large_lo, large_hi, 0 };
    }
    return boxes;
}

am_result ami_boxes_create(ami_boxes **out, am_index *index, am_error *err)
{
    const am_db *db = index->db;
    size_t frames = (size_t)db->frame_count;
    size_t dims = (size_t)db->features.count;
    size_t small_count = (frames + small_frames - 1) / small_frames;
    size_t large_count = (frames + large_frames - 1) / large_frames;
    ami_layout measure = { 0 };
    lay_out(&measure, dims, small_count, large_count);
    ami_layout place = ami_layout_room(&measure, &index->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    ami_boxes *boxes = lay_out(&place, dims, small_count, large_count);
    boxes->block_size = measure.size;
    for (size_t i = 0; i < small_count * dims; i++) {
        boxes->small_lo[i] = INFINITY;
        boxes->small_hi[i] = -INFINITY;
    }
    for (size_t i = 0; i < large_count * dims; i++) {
        boxes->large_lo[i] = INFINITY;
        boxes->large_hi[i] = -INFINITY;
    }
    for (size_t f = 0; f < frames; f++) {
        const float *row = am_db_x(db, (int)f);
        grow(boxes->small_lo + f / small_frames * dims, boxes->small_hi + f / small_frames * dims, row, dims);
        grow(boxes->large_lo + f / large_frames * dims, boxes->large_hi + f / large_frames * dims, row, dims);
    }
    index->bytes += measure.size;
    *out = boxes;
    return AM_OK;
}

void ami_boxes_destroy(ami_boxes *boxes, const am_alloc *alloc)
{
    if (boxes) {
        ami_release(alloc, boxes, boxes->block_size);
    }
}

/// True when no point of the box can be as near as the bound. The running sum is not in the kernels' shape, so a
/// margin keeps rounding from hiding a tie.
static bool box_is_far(const float *lo, const float *hi, const am_search *search, size_t dims, float limit)
{
    float sum = 0.0f;
    for (size_t d = 0; d < dims; d++) {
        float q = search->x[d];
        float delta = q - am_clamp(q, lo[d], hi[d]);
        sum += search->weights ? search->weights[d] * (delta * delta) : delta * delta;
        if (sum > limit) {
            return true;
        }
    }
    return false;
}

static bool row_is_far(const float *row, const am_search *search, size_t dims, float limit)
{
    float sum = 0.0f;
    for (size_t d = 0; d < dims; d++) {
        float delta = search->x[d] - row[d];
        sum += search->weights ? search->weights[d] * (delta * delta) : delta * delta;
        if (sum > limit) {
            return true;
        }
    }
    return false;
}

static float limit_of(const ami_best *best) { return best->bound + best->bound * 1e-4f; }

/// The frames of one small box.
static void visit_frames(const am_index *index, ami_best *best, const am_search *search, const uint64_t *bits,
                         size_t first, size_t last)
{
    size_t dims = index->boxes->dims;
    for (size_t f = first; f < last; f++) {
        if (ami_allowed(bits, search, (int)f) &&
            !row_is_far(am_db_x(index->db, (int)f), search, dims, limit_of(best))) {
            ami_best_add(best, (int)f, am_index_cost(index, (int)f, search->x, search->weights));
        }
    }
}

void ami_boxes_search(const am_index *index, ami_best *best, const am_search *search)
{
    const ami_boxes *boxes = index->boxes;
    size_t dims = boxes->dims;
    size_t frames = (size_t)index->db->frame_count;
    const uint64_t *bits = ami_search_bits(index, search);
    const size_t ratio = large_frames / small_frames;
    for (size_t l = 0; l < boxes->large_count; l++) {
        if (box_is_far(boxes->large_lo + l * dims, boxes->large_hi + l * dims, search, dims, limit_of(best))) {
            continue;
        }
        size_t end = (l + 1) * ratio < boxes->small_count ? (l + 1) * ratio : boxes->small_count;
        for (size_t s = l * ratio; s < end; s++) {
            if (box_is_far(boxes->small_lo + s * dims, boxes->small_hi + s * dims, search, dims, limit_of(best))) {
                continue;
            }
            size_t last = (s + 1) * small_frames < frames ? (s + 1) * small_frames : frames;
            visit_frames(index, best, search, bits, s * small_frames, last);
        }
    }
}
