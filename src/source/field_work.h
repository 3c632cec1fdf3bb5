/// The room that a motion field's searches work in.
#ifndef AMI_SOURCE_FIELD_WORK_H
#define AMI_SOURCE_FIELD_WORK_H

#include "source/field.h"

struct am_field_work {
    am_alloc alloc;
    size_t block_size;
    float *distances; ///< [state]
};

#endif
