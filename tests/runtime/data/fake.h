/// Databases of features alone, and searches in them: what every index and baseline must answer alike.
#ifndef TESTS_DATA_FAKE_H
#define TESTS_DATA_FAKE_H

#include "support/check.h"
#include "base/rng.h"
#include "data/search.h"

/// A database of features alone: smooth random walks in ranges of many lengths, with tags in stretches.
typedef struct fake {
    am_db db;
    am_db_range ranges[64];
    float *x;
    uint64_t *tags;
} fake;

static inline void fake_make(fake *f, int dims, int frames, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    am_rng rng = ami_rng_make(seed);
    int stride = (dims + 7) / 8 * 8;
    f->x = calloc((size_t)(frames * stride), sizeof *f->x);
    f->tags = calloc((size_t)frames, sizeof *f->tags);
    float value[64] = { 0 };
    uint64_t tag = 0;
    int start = 0;
    for (int r = 0; start < frames && r < 64; r++) {
        int length = r == 0 ? 3 : r == 63 ? frames - start : 1 + (int)am_rng_below(&rng, (uint32_t)(frames / 24));
        length = start + length > frames ? frames - start : length;
        f->ranges[r] = (am_db_range){ .start = start, .stop = start + length };
        f->ranges[r].head = (int)am_rng_below(&rng, 3);
        f->ranges[r].tail = (int)am_rng_below(&rng, 2) * 20;
        f->db.range_count = r + 1;
        for (int d = 0; d < dims; d++) {
            value[d] = am_rng_normal(&rng) * (d < 6 ? 2.0f : 1.0f);
        }
        for (int i = start; i < start + length; i++) {
            if (am_rng_below(&rng, 40) == 0) {
                tag = am_rng_below(&rng, 8);
            }
            f->tags[i] = tag;
            for (int d = 0; d < dims; d++) {
                value[d] = value[d] * 0.99f + 0.1f * am_rng_normal(&rng);
                // Coarse numbers make ties, which must go to the lower frame.
                f->x[i * stride + d] = seed % 2 ? value[d] : floorf(value[d]);
            }
        }
        start += length;
    }
    f->db.frame_count = start;
    f->db.ranges = f->ranges;
    f->db.x = f->x;
    f->db.tags = f->tags;
    f->db.tag_count = 3;
    f->db.features.count = dims;
    f->db.features.stride = stride;
}

/// What else comes in a database: see the cases.
static inline void fake_spoil(fake *f, int how)
{
    int stride = f->db.features.stride;
    for (int i = 0; i < f->db.frame_count; i++) {
        float *row = f->x + (size_t)i * (size_t)stride;
        if (how == 2) {
            memcpy(row, f->x + (size_t)(i % 11) * (size_t)stride,
                   (size_t)stride * sizeof *row); // copies of few frames
        }
        for (int d = 0; d < f->db.features.count; d++) {
            row[d] = how == 0   ? 3.0f                              // all frames the same
                     : how == 1 ? (d % 2 ? -1.5f : row[d])          // constant dimensions
                     : how == 3 ? (i % 37 == 7 ? 1e4f : 1) * row[d] // frames far from all others
                     : how == 4 ? 1e6f + row[d]                     // far from zero: few bits are left
                     : how == 5 ? 1e-20f * row[d]                   // squares that vanish
                     : how == 6 ? 1e18f * row[d]                    // squares that overflow
                     : how == 7 ? row[d] * row[d] * row[d]          // tails longer than a grid
                                : row[d];
        }
    }
}

static inline void fake_free(fake *f)
{
    free(f->x);
    free(f->tags);
}

typedef struct tool {
    am_index *index;
    am_search_work *work;
    am_filter *filter;
} tool;

static inline tool tool_make(const am_db *db, ami_index_kind kind, const char *kernels, const ami_tag_query *tags)
{
    tool t = { 0 };
    am_error err = { 0 };
    ami_index_def def = ami_index_def_default();
    def.db = db;
    def.kind = kind;
    def.kernels = kernels;
    check_ok(ami_index_create(&t.index, &def, &err), &err);
    check_ok(ami_search_work_create(&t.work, t.index, NULL, &err), &err);
    bool fell_back = false;
    check_ok(ami_filter_create(&t.filter, t.index, tags, &fell_back, NULL, &err), &err);
    return t;
}

static inline void tool_free(tool *t)
{
    ami_filter_destroy(t->filter);
    ami_search_work_destroy(t->work);
    ami_index_destroy(t->index);
}

/// A random search: near a frame or far from all, with or without weights, current frame and surroundings.
static inline ami_search draw_search(const am_db *db, float *x, float *weights, am_rng *rng)
{
    static const int ks[] = { 1, 3, 15, 64 };
    ami_search search = ami_search_default();
    int stride = db->features.stride;
    float noise = am_rng_float(rng) * 2.0f;
    const float *row = am_db_x(db, (int)am_rng_below(rng, (uint32_t)db->frame_count));
    for (int d = 0; d < db->features.count; d++) {
        x[d] = row[d] + noise * am_rng_normal(rng) * (am_rng_below(rng, 200) == 0 ? 100.0f : 1.0f);
        weights[d] = am_rng_below(rng, 5) ? am_rng_float(rng) * 3.0f : 0.0f;
    }
    if (am_rng_below(rng, 8) == 0) {
        // Beyond all frames: in one dimension or in all, by little or by far.
        float far = am_rng_below(rng, 2) ? 100.0f : 6.0f;
        int only = am_rng_below(rng, 2) ? (int)am_rng_below(rng, (uint32_t)db->features.count) : -1;
        for (int d = 0; d < db->features.count; d++) {
            x[d] += only < 0 || d == only ? far * (am_rng_below(rng, 2) ? 1.0f : -1.0f) : 0.0f;
        }
    }
    if (am_rng_below(rng, 6) == 0) {
        const float odd[4] = { 0.0f, 1e6f, 1e-6f, 1.0f };
        for (int d = 0; d < db->features.count; d++) {
            weights[d] = odd[am_rng_below(rng, 4)];
        }
    } else if (am_rng_below(rng, 50) == 0) {
        memset(weights, 0, (size_t)stride * sizeof *weights);
    }
    memset(x + db->features.count, 0, (size_t)(stride - db->features.count) * sizeof *x);
    memset(weights + db->features.count, 0, (size_t)(stride - db->features.count) * sizeof *weights);
    search.x = x;
    search.weights = am_rng_below(rng, 2) ? weights : NULL;
    search.k = ks[am_rng_below(rng, 4)];
    if (am_rng_below(rng, 2)) {
        search.current = (int)am_rng_below(rng, (uint32_t)db->frame_count);
        if (am_rng_below(rng, 2)) {
            search.ignore_first = search.current - 10;
            search.ignore_last = search.current + 10;
        }
    }
    return search;
}

#endif
