// Near-duplicate stretches: seeds every half second are compared with every second earlier frame (with an early
// exit), and the best match is extended forward and backward while the two motions stay close. Standing still, which
// always repeats itself, and mirrored ranges are skipped.
#include <amble/tools/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/database.h"

#include <string.h>

#define SEED_S 0.5f
#define LEAST_S 0.5f
#define APART_S 1.0f // within one range, nearby frames do not count as repeats
#define STILL_MPS 0.25f

typedef struct search {
    const am_db *db;
    float limit2;     ///< squared distance of two rows that are alike
    uint8_t *moving;  ///< [frame] not standing
    uint8_t *covered; ///< [frame] already within a repeat
} search;

static float distance2(const am_db *db, int a, int b, float stop)
{
    const float *x = am_db_x(db, a);
    const float *y = am_db_x(db, b);
    float sum = 0.0f;
    for (int d = 0; d < db->features.count; d++) {
        float away = x[d] - y[d];
        sum += away * away;
        if ((d & 3) == 3 && sum >= stop) {
            return sum;
        }
    }
    return sum;
}

static void mark_moving(search *s)
{
    int half = (int)(0.125f * s->db->fps + 0.5f);
    half = half < 1 ? 1 : half;
    for (int f = 0; f < s->db->frame_count; f++) {
        int a = ami_db_clamp(s->db, f, -half);
        int b = ami_db_clamp(s->db, f, half);
        float away = am_v3_distance(s->db->root_positions[a], s->db->root_positions[b]);
        s->moving[f] = away * s->db->fps >= STILL_MPS * (float)(b > a ? b - a : 1);
    }
}

/// The earlier frame most like `seed`, or -1.
static int best_match(const search *s, int seed)
{
    const am_db *db = s->db;
    int own = am_db_range_of(db, seed);
    int apart = (int)(APART_S * db->fps);
    float best = s->limit2;
    int found = -1;
    for (int r = 0; r <= own; r++) {
        const am_db_range *range = &db->ranges[r];
        if (range->flags & AM_RANGE_MIRRORED) {
            continue;
        }
        int stop = r == own ? seed - apart : range->stop;
        for (int f = range->start; f < stop; f += 2) {
            float d = s->moving[f] ? distance2(db, seed, f, best) : best;
            if (d < best) {
                best = d;
                found = f;
            }
        }
    }
    return found;
}

static am_repeat follow(const search *s, int seed, int match)
{
    const am_db *db = s->db;
    const am_db_range *a = &db->ranges[am_db_range_of(db, match)];
    const am_db_range *b = &db->ranges[am_db_range_of(db, seed)];
    double sum = 0.0;
    int back = 0;
    int ahead = 0;
    while (match - back - 1 >= a->start && seed - back - 1 >= b->start &&
           distance2(db, match - back - 1, seed - back - 1, s->limit2) < s->limit2) {
        back++;
    }
    while (match + ahead + 1 < a->stop && seed + ahead + 1 < b->stop &&
           distance2(db, match + ahead + 1, seed + ahead + 1, s->limit2) < s->limit2) {
        ahead++;
    }
    // A cyclic motion that is like itself a period later: only the part that does not overlap itself repeats.
    int shift = seed - match;
    if (a == b && back + ahead + 1 > shift) {
        int spare = back + ahead + 1 - shift;
        back -= spare < back ? spare : back;
        ahead = shift - 1 - back < ahead ? shift - 1 - back : ahead;
    }
    am_repeat repeat = { (int)(a - db->ranges), (int)(b - db->ranges), match - back,
                         seed - back,           back + ahead + 1,      0.0f };
    for (int i = 0; i < repeat.frames; i++) {
        sum += (double)distance2(db, repeat.first_a + i, repeat.first_b + i, 3.4e38f);
    }
    repeat.distance = (float)sqrt(sum / ((double)repeat.frames * db->features.count));
    return repeat;
}

/// Longest first; equal ones in the order they were found.
static void insert(am_repeat *list, int *count, int capacity, const am_repeat *repeat)
{
    int at = *count;
    while (at > 0 && list[at - 1].frames < repeat->frames) {
        at--;
    }
    if (at >= capacity) {
        return;
    }
    int kept = *count < capacity ? *count : capacity - 1;
    memmove(&list[at + 1], &list[at], (size_t)(kept - at) * sizeof *list);
    list[at] = *repeat;
    *count = kept + 1;
}

am_result am_repeats_find(am_repeat *out, int capacity, int *count, const am_db *db, float limit,
                          const am_alloc *alloc, am_error *err)
{
    am_alloc from = ami_alloc_or_default(alloc);
    size_t frames = (size_t)db->frame_count;
    *count = 0;
    uint8_t *flags = ami_alloc_array(&from, 2 * frames, 1);
    if (!flags) {
        return ami_fail_memory(err, 2 * frames);
    }
    search s = { db, limit * limit * (float)db->features.count, flags, flags + frames };
    mark_moving(&s);
    int step = (int)(SEED_S * db->fps);
    step = step < 1 ? 1 : step;
    for (int r = 0; r < db->range_count && capacity > 0; r++) {
        const am_db_range *range = &db->ranges[r];
        for (int f = range->start; f < range->stop && !(range->flags & AM_RANGE_MIRRORED); f += step) {
            int match = s.moving[f] && !s.covered[f] ? best_match(&s, f) : -1;
            if (match < 0) {
                continue;
            }
            am_repeat repeat = follow(&s, f, match);
            if ((float)repeat.frames >= LEAST_S * db->fps) {
                memset(s.covered + repeat.first_b, 1, (size_t)repeat.frames);
                insert(out, count, capacity, &repeat);
            }
        }
    }
    ami_release(&from, flags, 2 * frames);
    return AM_OK;
}
