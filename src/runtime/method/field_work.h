/// The working memory of a motion field's searches.
#ifndef AMI_SOURCE_FIELD_WORK_H
#define AMI_SOURCE_FIELD_WORK_H

#include "method/field.h"

/// A state that may be among the nearest.
typedef struct ami_field_candidate {
    int32_t state;
    float d; ///< distance to the centre of the queries
} ami_field_candidate;

struct ami_field_work {
    am_alloc alloc;
    size_t block_size;
    float *bounds;                   ///< [box] squared, of the first axes
    ami_field_candidate *candidates; ///< [state]
    float *rows;                     ///< [ami_field_gather][stride] of candidates, side by side
    float *centre;                   ///< [stride]
    float *x, *v;                    ///< [pose_count], [velocity_count] of an action whose state is not needed
};

enum { ami_field_gather = 64 };

#endif
