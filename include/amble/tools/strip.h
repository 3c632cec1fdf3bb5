/// Film strips: the body at moments of a run, from the side, the front and above, with its planted feet, its track
/// and curves of its motion, as one picture.
#ifndef AMBLE_STRIP_H
#define AMBLE_STRIP_H

#include <amble/tools/script.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_STRIP_FIGURES 64
#define AM_MAX_STRIP_ACTORS 16

/// Start from am_strip_def_default().
typedef struct am_strip_def {
    const am_alloc *alloc;
    const am_run *run; ///< borrowed during create
    const char *title; ///< borrowed during create; stands above the picture; NULL for none
    float from_s;      ///< moment of the first figure, >= 0 (0)
    float every_s;     ///< between figures, at least a frame (0.2)
    int count;         ///< figures, 1 to AM_MAX_STRIP_FIGURES (12); fewer where the run ends earlier
    uint32_t cookie;
} am_strip_def;
AM_API am_strip_def am_strip_def_default(void);

typedef struct am_strip am_strip;
AM_API am_result am_strip_create(am_strip **out, const am_strip_def *def, am_error *err);
AM_API void am_strip_destroy(am_strip *strip);
/// Gathers what is drawn while the run plays (am_run_play); the strip must outlive it.
AM_API am_run_observer am_strip_observer(am_strip *strip);

/// The picture as SVG text or as PNG, the same bytes every time (those of a PNG with the same zlib). AM_ERR_RANGE
/// when the run ended before the first figure. Free `out` with am_bytes_free.
AM_API am_result am_strip_write(am_bytes *out, const am_strip *strip, bool svg, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
