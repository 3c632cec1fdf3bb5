// Large pages, where the system gives them when asked.
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): madvise
#endif
#include "train/pages.h"

#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/memory.h"

/// The size of a large page on x86-64 and, with pages of 4 KB, on 64-bit ARM.
enum { large_page = 1 << 21 };

void *ami_pages_array(const am_alloc *alloc, size_t count, size_t size)
{
    if (size == 0 || count > SIZE_MAX / size || count * size < large_page) {
        return ami_alloc_array(alloc, count, size);
    }
    void *block = alloc->alloc(alloc->user, count * size, large_page);
    if (block) {
#if defined(MADV_HUGEPAGE)
        (void)madvise(block, count * size, MADV_HUGEPAGE); // before the first touch; a refusal costs time only
#endif
        memset(block, 0, count * size);
    }
    return block;
}
