/// Captured motion to measure against: points of all clips, what is usual in them, and an index of their windows.
#ifndef AMI_REPORT_REFERENCE_H
#define AMI_REPORT_REFERENCE_H

#include "report/body.h"

enum {
    ami_window_floats = AM_NOVELTY_SAMPLES * AM_POINT_NOVELTY * 3,
    ami_window_axes = 32, ///< principal axes that windows are compared along first
    ami_window_lanes = 8, ///< windows side by side
};

/// A captured clip, or a piece of one.
typedef struct ami_captured {
    int first, frames;
    int source; ///< pieces of one clip have the same
    am_floor floor;
} ami_captured;

/// Where a captured window has its middle.
typedef struct ami_window_place {
    int32_t clip, frame; ///< frame of the clip
} ami_window_place;

/// A lower bound of all distances: windows along the principal axes, with the length of what the axes leave.
typedef struct ami_window_index {
    int count, block_count;
    ami_window_place *places; ///< [count]
    float *mean;              ///< [ami_window_floats]
    float *axes;              ///< [ami_window_floats][ami_window_axes], orthonormal
    float *rows;              ///< [block][ami_window_axes + 1][ami_window_lanes]
    float *bounds;            ///< [block][ami_window_lanes] scratch: squared distances
} ami_window_index;

struct am_reference {
    am_alloc alloc;
    size_t block_size;
    am_body body;
    uint32_t has; ///< points that reference and character have
    float fps;
    am_vec3 *points; ///< [frame][AM_POINT_COUNT]
    int frames;
    ami_captured *clips; ///< [clip_count]
    int clip_count;
    int skipped; ///< source that novelties leave out, -1 for none
    am_standing_limits standing;
    am_step_limits steps[AM_STEP_BINS];
    ami_window_index index;
};

/// novelty.c: windows in a clip of `frames` frames.
int ami_windows_in(int frames, float fps);
/// novelty.c: fills places, axes and rows.
am_result ami_window_index_fill(am_reference *r, am_error *err);

/// The clips of a reference, for calibration: clip_count of them.
am_motion ami_reference_clip(const am_reference *reference, int index);
/// Leaves the source of one of its clips out of novelties, to measure that clip against the others; -1: none.
void ami_reference_skip(am_reference *reference, int index);
/// The novelty (cm) of the window around a time; -1 when it does not lie within the motion. `linear` compares with
/// every captured window, one after another: the truth for tests.
float ami_novelty_at(am_reference *reference, const am_motion *motion, float seconds, bool linear);

#endif
