/// Memory for the large arrays of training.
#ifndef AMI_TRAIN_PAGES_H
#define AMI_TRAIN_PAGES_H

#include <amble/base.h>

/// count * size bytes of zeros, as ami_alloc_array gives them; of megabytes the system is asked for large pages. An
/// iteration reads tens of megabytes at places all over: looking up where small pages lie was an eighth of its time.
/// Given back by ami_release.
void *ami_pages_array(const am_alloc *alloc, size_t count, size_t size);

#endif
