/// A page about a database for the people who capture and build: what is in it, what repeats, what is missing.
#ifndef AMBLE_REPORT_H
#define AMBLE_REPORT_H

#include <amble/db.h>
#include <amble/tools/files.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_SPEED_BINS 11 ///< 0.5 m/s each, the last one open-ended
#define AM_TURN_BINS 9   ///< 60 degrees per second each from -270 to 270, the ends open
#define AM_WAY_BINS 8 ///< direction of movement relative to the facing: forward, forward left, ..., 45 degrees each

/// How often each way of moving occurs. Counts are frames.
typedef struct am_coverage {
    int64_t total;
    int64_t speed[AM_SPEED_BINS];
    int64_t turn[AM_TURN_BINS];
    int64_t speed_way[AM_SPEED_BINS]
                     [AM_WAY_BINS]; ///< frames slower than 0.25 m/s have no direction: not counted here
    int64_t speed_turn[AM_SPEED_BINS][AM_TURN_BINS];
    int64_t cells[AM_SPEED_BINS][AM_WAY_BINS][AM_TURN_BINS];
} am_coverage;
/// Over windows of 0.25 s. Mirrored ranges count like the others.
AM_API void am_coverage_measure(am_coverage *out, const am_db *db);

/// Two stretches of nearly the same motion.
typedef struct am_repeat {
    int range_a, range_b;
    int first_a, first_b; ///< frames of the database
    int frames;
    float distance; ///< root mean square of the stored features' difference, per dimension
} am_repeat;
/// Finds stretches of at least half a second whose stored features differ by less than `limit` (per dimension, in
/// standard deviations) from an earlier stretch. Writes up to `capacity` of them, longest first; returns how many.
/// Ranges that mirror one another are not compared.
AM_API am_result am_repeats_find(am_repeat *out, int capacity, int *count, const am_db *db, float limit,
                                 const am_alloc *alloc, am_error *err);

/// A way of moving that is missing from the data although similar ones are there.
typedef struct am_gap {
    int speed, way, turn; ///< bins
    int64_t frames;       ///< frames that there are
    int64_t neighbours;   ///< frames in the neighbouring cells
    bool both_sides;      ///< its mirror image is missing, too, and is not listed separately
    char text[200];       ///< in words, for the director of the next capture
} am_gap;
/// Writes up to `capacity` gaps, the most important first; returns how many.
AM_API int am_gaps_find(am_gap *out, int capacity, const am_coverage *coverage, float fps);

/// Start from am_report_def_default().
typedef struct am_report_def {
    const am_alloc *alloc;
    float repeat_limit; ///< for am_repeats_find (default 0.12)
    uint32_t cookie;
} am_report_def;
AM_API am_report_def am_report_def_default(void);
/// One self-contained HTML page. Free it with am_bytes_free.
AM_API am_result am_report_write(am_bytes *out, const am_db *db, const am_report_def *def, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
