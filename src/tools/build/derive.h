/// The parts of a database that follow from its frames: facts, joint ranges, roughness, filters, index.
#ifndef AMI_BUILD_DERIVE_H
#define AMI_BUILD_DERIVE_H

#include <amble/db.h>

#include "data/format.h"

/// Where they go, zeroed: the sections of an image.
typedef struct ami_derive_target {
    am_facts *facts;
    ami_joint_range *joint_ranges; ///< [joint]
    float *roughness;              ///< [frame]
    ami_filters_head *filters;
    ami_index_head *index;
    float *index_rows; ///< NULL: left out
} ami_derive_target;

/// Measures a database that has none of them, as a character with default settings would.
am_result ami_derive(const ami_derive_target *target, const am_db *db, const am_tasks *tasks, const am_alloc *alloc,
                     am_error *err);

#endif
