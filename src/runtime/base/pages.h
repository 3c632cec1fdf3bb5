/// Memory for large arrays that are read in no particular order.
#ifndef AMI_BASE_PAGES_H
#define AMI_BASE_PAGES_H

#include <amble/base.h>

/// count * size bytes of zeros, as ami_alloc_array gives them; from a quarter of a megabyte on they begin and end
/// with a large page, for which the system is asked. An iteration of training reads tens of megabytes at
/// scattered places: address translation for small pages took an eighth of its time, on a virtual machine more.
void *ami_pages_array(const am_alloc *alloc, size_t count, size_t size);
/// Gives back what ami_pages_array gave for the same numbers. NULL is allowed.
void ami_pages_release(const am_alloc *alloc, void *block, size_t count, size_t size);

#endif
