/// An allocator with limits, for untrusted input and for tests.
#ifndef AMI_BASE_BUDGET_H
#define AMI_BASE_BUDGET_H

#include <amble/base.h>

/// An allocator with limits in front of another one: for untrusted input and for tests.
/// Counters are exact when used from one thread at a time.
typedef struct ami_budget {
    am_alloc parent;
    size_t max_bytes; ///< live bytes allowed; 0 means no limit
    size_t max_count; ///< allocations allowed over its life; 0 means no limit
    size_t fail_at;   ///< the n-th allocation fails (1-based); 0 means never
    size_t live_bytes;
    size_t live_count;
    size_t peak_bytes;
    size_t total_count;
} ami_budget;

/// A budget without limits over `parent` (NULL means malloc/free); set limits before first use.
ami_budget ami_budget_make(const am_alloc *parent);
/// The allocator that draws on `budget`, which must outlive everything allocated from it.
am_alloc ami_budget_alloc(ami_budget *budget);

#endif
