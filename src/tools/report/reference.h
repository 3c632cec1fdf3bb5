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
    am_stander_limits standers;
    am_step_limits steps[AM_STEP_BINS];
    ami_window_index index;
};

/// novelty.c: windows in a clip of so many frames, and their distance in frames.
int ami_windows_in(int frames, float fps);
int ami_window_stride(float fps);
/// novelty.c: fills places, axes and rows.
am_result ami_window_index_fill(am_reference *r, am_error *err);

#endif
