/// Random streams by value: the public functions take a pointer.
#ifndef AMI_BASE_RNG_H
#define AMI_BASE_RNG_H

#include <amble/base.h>

am_rng ami_rng_make(uint64_t seed);
/// An independent stream for item `item` of a parallel job: fork by item, never by thread.
am_rng ami_rng_fork(const am_rng *rng, uint64_t item);

#endif
