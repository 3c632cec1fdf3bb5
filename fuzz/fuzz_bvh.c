// Fuzzes the BVH readers: both must agree, and what is read must survive being written and read again.
#include "formats/bvh.h"

#include <stdlib.h>
#include <string.h>

/// Stops the fuzzer: whatever is false here is a bug.
static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void write_and_read_again(const am_clip *clip, bool zero_rest)
{
    am_error err = { 0 };
    am_bytes bytes;
    am_write_def write = am_write_def_default();
    write.zero_rest = zero_rest;
    must(am_bvh_write(&bytes, clip, &write, &err) == AM_OK);
    am_clip *again = NULL;
    am_read_def read = am_read_def_default();
    am_result result = am_bvh_read(&again, bytes.data, bytes.size, &read, &err);
    // A sum of offsets near the largest float may leave its range; nothing else may fail.
    must(result == AM_OK || result == AM_ERR_NUMBER);
    must(result != AM_OK ||
         (again->frame_count == clip->frame_count && again->skeleton->joint_count == clip->skeleton->joint_count));
    am_clip_destroy(again);
    am_bytes_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    am_error fast_err = { 0 }, plain_err = { 0 };
    am_clip *fast = NULL, *plain = NULL;
    am_read_def def = am_read_def_default();
    am_result result = am_bvh_read(&fast, data, size, &def, &fast_err);
    must(ami_bvh_read_plain(&plain, data, size, &def, &plain_err) == result);
    if (result == AM_OK) {
        must(am_clip_hash(fast) == am_clip_hash(plain));
        write_and_read_again(fast, false);
        write_and_read_again(fast, true);
    } else {
        must(!fast && !plain && fast_err.code == result && fast_err.line >= 1 && fast_err.text[0]);
        must(fast_err.line == plain_err.line && strcmp(fast_err.text, plain_err.text) == 0);
    }
    am_clip_destroy(fast);
    am_clip_destroy(plain);
    return 0;
}
