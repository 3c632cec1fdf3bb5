// Asks the system for large pages.
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): madvise
#endif
#include "base/pages.h"

#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/memory.h"

#if defined(MADV_HUGEPAGE)

/// The size of a large page on x86-64 and, with pages of 4 KB, on 64-bit ARM; and what is worth one of its own.
enum { large_page = 1 << 21, worth_it = 1 << 18 };

/// What to ask for: the last page is large only when all of it is ours. 0: plain memory will do.
static size_t whole_pages(size_t count, size_t size)
{
    if (size == 0 || count > (SIZE_MAX - large_page) / size || count * size < worth_it) {
        return 0;
    }
    return (count * size + large_page - 1) / large_page * large_page;
}

void *ami_pages_array(const am_alloc *alloc, size_t count, size_t size)
{
    const size_t bytes = whole_pages(count, size);
    if (bytes == 0) {
        return ami_alloc_array(alloc, count, size);
    }
    void *block = alloc->alloc(alloc->user, bytes, large_page);
    if (block) {
        (void)madvise(block, bytes, MADV_HUGEPAGE); // before the first touch; a refusal costs time only
        memset(block, 0, count * size);
    }
    return block;
}

void ami_pages_release(const am_alloc *alloc, void *block, size_t count, size_t size)
{
    const size_t bytes = whole_pages(count, size);
    ami_release(alloc, block, bytes ? bytes : count * size);
}

#else

void *ami_pages_array(const am_alloc *alloc, size_t count, size_t size)
{
    return ami_alloc_array(alloc, count, size);
}

void ami_pages_release(const am_alloc *alloc, void *block, size_t count, size_t size)
{
    ami_release(alloc, block, count * size);
}

#endif
