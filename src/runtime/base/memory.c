// Allocators: malloc/free, budgets with limits, arenas, and one-block layouts.
#include "base/memory.h"

#include "base/os.h"
#include "base/budget.h"

#include <string.h>

static void *default_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    size_t rounded = (size + align - 1) / align * align;
    if (rounded < size) {
        return NULL;
    }
    return ami_os_alloc(rounded ? rounded : align, align);
}

static void default_release(void *user, void *block, size_t size)
{
    (void)user;
    (void)size;
    ami_os_free(block);
}

am_alloc ami_alloc_or_default(const am_alloc *alloc)
{
    const am_alloc heap = { NULL, default_alloc, default_release };
    return alloc ? *alloc : heap;
}

ami_budget ami_budget_make(const am_alloc *parent)
{
    ami_budget budget = { .parent = ami_alloc_or_default(parent) };
    return budget;
}

static void *budget_alloc(void *user, size_t size, size_t align)
{
    ami_budget *budget = user;
    size_t count = ++budget->total_count;
    bool refused = (budget->fail_at && count == budget->fail_at) ||
                   (budget->max_count && count > budget->max_count) ||
                   (budget->max_bytes && (size > budget->max_bytes || budget->live_bytes > budget->max_bytes - size));
    void *block = refused ? NULL : budget->parent.alloc(budget->parent.user, size, align);
    if (block) {
        budget->live_bytes += size;
        budget->live_count++;
        if (budget->live_bytes > budget->peak_bytes) {
            budget->peak_bytes = budget->live_bytes;
        }
    }
    return block;
}

static void budget_release(void *user, void *block, size_t size)
{
    ami_budget *budget = user;
    budget->live_bytes -= size;
    budget->live_count--;
    budget->parent.release(budget->parent.user, block, size);
}

am_alloc ami_budget_alloc(ami_budget *budget)
{
    am_alloc alloc = { budget, budget_alloc, budget_release };
    return alloc;
}

void *ami_alloc_zero(const am_alloc *alloc, size_t size)
{
    void *block = alloc->alloc(alloc->user, size, 64);
    if (block) {
        memset(block, 0, size);
    }
    return block;
}

void *ami_alloc_array(const am_alloc *alloc, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        return NULL;
    }
    return ami_alloc_zero(alloc, count * size);
}

void ami_release(const am_alloc *alloc, void *block, size_t size)
{
    if (block) {
        alloc->release(alloc->user, block, size);
    }
}

// ---------------------------------------------------------------------------------------------
// Arena

struct ami_arena_block {
    struct ami_arena_block *next;
    size_t size; // of the whole block with this header
    size_t used;
    size_t pad; // keeps the header a multiple of 16 on 32- and 64-bit machines
};

enum { arena_block_bytes = 64 * 1024 };

ami_arena ami_arena_make(const am_alloc *alloc)
{
    ami_arena arena = { ami_alloc_or_default(alloc), NULL };
    return arena;
}

void ami_arena_free(ami_arena *arena)
{
    struct ami_arena_block *block = arena->blocks;
    while (block) {
        struct ami_arena_block *next = block->next;
        ami_release(&arena->alloc, block, block->size);
        block = next;
    }
    arena->blocks = NULL;
}

void *ami_arena_get(ami_arena *arena, size_t size)
{
    const size_t header = (sizeof(struct ami_arena_block) + 15) / 16 * 16;
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + 15) / 16 * 16;
    struct ami_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t want = header + size > arena_block_bytes ? header + size : arena_block_bytes;
        block = ami_alloc_zero(&arena->alloc, want);
        if (!block) {
            return NULL;
        }
        block->size = want;
        block->used = header;
        // A block made for one large item goes after the current one, which may still have room.
        if (arena->blocks && want > arena_block_bytes) {
            block->next = arena->blocks->next;
            arena->blocks->next = block;
        } else {
            block->next = arena->blocks;
            arena->blocks = block;
        }
    }
    void *item = (uint8_t *)block + block->used;
    block->used += size;
    return item;
}

char *ami_arena_text(ami_arena *arena, const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? ami_arena_get(arena, size + 1) : NULL;
    if (copy && size) {
        memcpy(copy, text, size);
    }
    return copy;
}

void *ami_layout_take(ami_layout *layout, size_t count, size_t item_size)
{
    // Half of the address space is left free, so that rounding up cannot wrap either.
    if (layout->overflow || (item_size && count > (SIZE_MAX / 2 - 63 - layout->size) / item_size)) {
        layout->overflow = true;
        return NULL;
    }
    void *at = layout->base ? layout->base + layout->size : NULL;
    layout->size += (count * item_size + 63) / 64 * 64;
    return at;
}

ami_layout ami_layout_room(const ami_layout *measured, const am_alloc *alloc)
{
    ami_layout place = { measured->overflow ? NULL : ami_alloc_zero(alloc, measured->size), 0, false };
    return place;
}
