/// GLB files written by hand for tests: JSON text and a binary chunk.
#ifndef AMBLE_TEST_GLB_MAKE_H
#define AMBLE_TEST_GLB_MAKE_H

#include "support/check.h"

#include "base/bytes.h"

/// Packs a GLB; the test frees it with am_bytes_free.
static inline am_bytes glb_make(const char *json, const void *bin, size_t bin_size)
{
    am_bytes out = ami_bytes_make(NULL);
    size_t text = strlen(json);
    size_t json_size = (text + 3) / 4 * 4;
    size_t padded = (bin_size + 3) / 4 * 4;
    size_t total = 12 + 8 + json_size + (bin_size ? 8 + padded : 0);
    bool ok = ami_put(&out, "glTF", 4) && ami_put_u32(&out, 2) && ami_put_u32(&out, (uint32_t)total) &&
              ami_put_u32(&out, (uint32_t)json_size) && ami_put(&out, "JSON", 4) && ami_put(&out, json, text) &&
              ami_put(&out, "   ", json_size - text);
    if (bin_size) {
        ok = ok && ami_put_u32(&out, (uint32_t)padded) && ami_put(&out, "BIN", 4) && ami_put(&out, bin, bin_size) &&
             ami_put_zeros(&out, padded - bin_size);
    }
    assert_true(ok);
    return out;
}

/// Packs and reads one; the code and text of the error are in err.
static inline am_result glb_read_text(am_clips *out, const char *json, const void *bin, size_t bin_size,
                                      am_error *err)
{
    am_bytes bytes = glb_make(json, bin, bin_size);
    am_read_def def = am_read_def_default();
    def.file = "hand.glb";
    am_result result = am_glb_read(out, bytes.data, bytes.size, &def, err);
    am_bytes_free(&bytes);
    return result;
}

#endif
