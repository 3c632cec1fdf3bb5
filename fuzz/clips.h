/// What the fuzzers of motion readers share: reading under limits, and what must hold whatever the bytes were.
#ifndef AMBLE_FUZZ_CLIPS_H
#define AMBLE_FUZZ_CLIPS_H

#include <amble/tools/formats.h>

#include "base/budget.h"

#include <stdlib.h>
#include <string.h>

typedef am_result (*fuzz_reader)(am_clips *out, const void *data, size_t size, const am_read_def *def, am_error *err);

/// Reads the bytes with at most 256 MB; a refusal says why and leaves nothing, a success goes to `check`.
static inline void fuzz_clips(const uint8_t *data, size_t size, fuzz_reader read,
                              void (*check)(const am_clips *clips, const am_alloc *alloc))
{
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = (size_t)256 << 20;
    am_alloc alloc = ami_budget_alloc(&budget);
    am_read_def def = am_read_def_default();
    def.alloc = &alloc;
    def.file = "fuzz";
    def.max_frames = 2000; // so that runs are short
    def.max_joints = 64;
    am_clips clips;
    am_error err = { 0 };
    am_result result = read(&clips, data, size, &def, &err);
    if (result == AM_OK) {
        check(&clips, &alloc);
    } else if (clips.items || err.code != result || strlen(err.text) == 0) {
        abort();
    }
    am_clips_free(&clips);
    if (budget.live_count != 0) {
        abort();
    }
}

typedef am_result (*fuzz_writer)(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                                 am_error *err);

/// Writes clips and reads them again into `again`, which the caller frees; AM_ERR_MEMORY when the writer refused.
static inline am_result fuzz_write_again(am_clips *again, const am_clips *clips, const am_alloc *alloc,
                                         fuzz_writer write_them, fuzz_reader read_them)
{
    am_write_def write = am_write_def_default();
    am_read_def read = am_read_def_default();
    write.alloc = read.alloc = alloc;
    am_bytes bytes;
    am_error err = { 0 };
    memset(again, 0, sizeof *again);
    if (write_them(&bytes, (const am_clip *const *)clips->items, clips->count, &write, &err) != AM_OK) {
        return AM_ERR_MEMORY;
    }
    am_result result = read_them(again, bytes.data, bytes.size, &read, &err);
    am_bytes_free(&bytes);
    return result;
}

#endif
