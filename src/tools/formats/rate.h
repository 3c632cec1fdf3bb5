/// The frame rate behind the key times of an animation: for formats that store times, not rates.
#ifndef AMI_IO_RATE_H
#define AMI_IO_RATE_H

#include <amble/base.h>

/// Key times (seconds, not descending) of one track.
typedef struct ami_keys {
    const float *times;
    int count;
} ami_keys;

/// When and how often to sample.
typedef struct ami_rate {
    double first, last; ///< seconds: of the earliest and latest key
    float fps;
    double frames; ///< how many that makes; the caller checks it against its limits
} ami_rate;

/// Keys nearer than this part of a frame to a frame count as lying on it: well above the rounding of float times
/// (0.007 frames after 1000 s at 120 Hz), well below what is visible.
#define AMI_RATE_SLACK 0.02

/// The rate at which all keys fall on frames: `stated` when that fits (0 means none is), else the tracks' own, else a
/// common one; 60 when none fits, when keys are too sparse to be frames, or (with `smooth`, for curves between keys)
/// when they are below 24 per second.
ami_rate ami_rate_find(const ami_keys *tracks, int count, float stated, bool smooth);

#endif
