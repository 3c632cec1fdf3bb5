/// Checking and limits of paths.
#ifndef AMI_ACTOR_PATH_DEF_H
#define AMI_ACTOR_PATH_DEF_H

#include <amble/input.h>

am_path_method ami_path_method_default(void);
/// LHMM as published, without what Amble adds.
am_path_method ami_path_method_paper(void);

/// Refuses numbers that are not finite or far too large, decreasing times, and an empty path.
am_result ami_path_check(const am_path_def *def, am_error *err);

/// What a database can do on a path: percentiles of its moving frames.
typedef struct ami_path_limits {
    float v_max;       ///< m/s: 98th percentile of the speed
    float v_least;     ///< m/s: 20th percentile, within 0.4 and 0.65
    float v_run;       ///< m/s: median of the frames tagged run, for Shift
    float lateral;     ///< m/s^2: 99th percentile across the direction of travel, at most 4
    float faster_mps2; ///< m/s^2: 99th percentiles along it, at most 3
    float slower_mps2;
} ami_path_limits;
am_result ami_path_limits_of(ami_path_limits *out, const am_db *db, const am_alloc *alloc, am_error *err);

#endif
