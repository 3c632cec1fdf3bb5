/// The paths of captured clips as DirectionNet sees them, for its training and its check.
#ifndef AMI_CONTROL_DIRECTION_H
#define AMI_CONTROL_DIRECTION_H

#include <amble/db.h>

#include "base/memory.h"

/// Positions of a database's root, smoothed like drawn paths, and its facings.
typedef struct ami_direction_ways {
    float *x, *z;         ///< [frame] m
    float *sine, *cosine; ///< [frame] of the heading
    size_t size;          ///< bytes of all four, one block
} ami_direction_ways;

am_result ami_direction_ways_make(ami_direction_ways *out, const am_db *db, const am_alloc *alloc, am_error *err);
void ami_direction_ways_free(ami_direction_ways *ways, const am_alloc *alloc);

#endif
