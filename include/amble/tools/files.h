/// Whole files and bytes in memory, for programs around the library. The code is in src/runtime/base.
#ifndef AMBLE_TOOLS_FILES_H
#define AMBLE_TOOLS_FILES_H

#include <amble/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes made by a writer. Free with am_bytes_free.
typedef struct am_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
    am_alloc alloc;
} am_bytes;
AM_API void am_bytes_free(am_bytes *bytes);

/// A whole file's bytes, mapped where the platform can (read into memory elsewhere).
typedef struct am_file {
    const uint8_t *data;
    size_t size;
    bool mapped;
} am_file;

AM_API am_result am_file_open(am_file *out, const char *path, am_error *err);
AM_API void am_file_close(am_file *file);

/// Writes `size` bytes to `path`, all or nothing: to a temporary file beside it, which is then renamed.
AM_API am_result am_file_write(const char *path, const void *data, size_t size, am_error *err);

/// Finds out before hours of work whether a file can be written at `path`: its folder exists and is writable. Writes
/// nothing.
AM_API am_result am_file_check_output(const char *path, am_error *err);

/// A file written in pieces, which appears under its name only when committed.
typedef struct am_outfile am_outfile;
AM_API am_result am_outfile_begin(am_outfile **out, const char *path, am_error *err);
AM_API am_result am_outfile_put(am_outfile *file, const void *data, size_t size, am_error *err);
/// Ends the file: renames it into place. The handle is gone whether or not this succeeds.
AM_API am_result am_outfile_commit(am_outfile *file, am_error *err);
/// Discards the file. NULL is allowed.
AM_API void am_outfile_abort(am_outfile *file);

#ifdef __cplusplus
}
#endif
#endif
