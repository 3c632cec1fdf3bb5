/// Steps and contacts of a database.
#ifndef AMI_MEASURE_STEPS_H
#define AMI_MEASURE_STEPS_H

#include <amble/db.h>

typedef struct ami_steps {
    int64_t both, left, right, none; ///< frames
    int count;                       ///< stretches in which one foot stands
    float median_s;                  ///< how long a foot stands
    float slide_m;                   ///< median way of a toe on the ground while it stands
    float fast_share;                ///< share of standing frames in which the toe is faster than 0.2 m/s
} ami_steps;

am_result ami_steps_measure(ami_steps *out, const am_db *db, const am_alloc *alloc, am_error *err);

#endif
