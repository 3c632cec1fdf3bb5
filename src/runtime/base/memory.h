/// Allocation inside the library: through the caller's am_alloc, never malloc directly.
#ifndef AMI_BASE_MEMORY_H
#define AMI_BASE_MEMORY_H

#include <amble/base.h>

/// The caller's allocator, or malloc/free when it gave none.
am_alloc ami_alloc_or_default(const am_alloc *alloc);
/// Zeroed memory aligned to 64, or NULL. Size 0 gives a valid block.
void *ami_alloc_zero(const am_alloc *alloc, size_t size);
/// Zeroed room for count items of `size` bytes, or NULL (also when count * size overflows).
void *ami_alloc_array(const am_alloc *alloc, size_t count, size_t size);
/// NULL is allowed.
void ami_release(const am_alloc *alloc, void *block, size_t size);

/// Memory that is freed all at once: what a reader collects before it knows how much there is.
typedef struct ami_arena {
    am_alloc alloc;
    struct ami_arena_block *blocks;
} ami_arena;

ami_arena ami_arena_make(const am_alloc *alloc);
void ami_arena_free(ami_arena *arena);
/// Zeroed memory aligned to 16, or NULL.
void *ami_arena_get(ami_arena *arena, size_t size);
/// A terminated copy of `size` bytes, or NULL.
char *ami_arena_text(ami_arena *arena, const char *text, size_t size);

/// Lays out several arrays in one block: run once with base NULL to learn the size, once to place them.
typedef struct ami_layout {
    uint8_t *base;
    size_t size;
    bool overflow;
} ami_layout;

/// The next array of count items, 64-byte aligned; NULL while measuring.
void *ami_layout_take(ami_layout *layout, size_t count, size_t item_size);
/// Zeroed memory for everything that was measured: measured->size bytes at `base`, which the caller releases. `base`
/// is NULL when there is no memory or the size overflows.
ami_layout ami_layout_room(const ami_layout *measured, const am_alloc *alloc);

#endif
