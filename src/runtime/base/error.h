/// Filling am_error from inside the library.
#ifndef AMI_BASE_ERROR_H
#define AMI_BASE_ERROR_H

#include <amble/base.h>
#include <stdarg.h>

/// Fills err (which may be NULL) with code and text, clears line, column, offset and file, and returns
/// code, so that a failure reads `return ami_fail(err, AM_ERR_FORMAT, "...")`.
am_result ami_fail(am_error *err, am_result code, const char *format, ...) AM_PRINTF(3, 4);
am_result ami_fail_v(am_error *err, am_result code, const char *format, va_list args);
/// The same at a line of a text file (column 0 means none).
am_result ami_fail_line(am_error *err, am_result code, const char *file, int64_t line, int64_t column,
                        const char *format, ...) AM_PRINTF(6, 7);
/// The same at a byte offset of a binary file.
am_result ami_fail_at(am_error *err, am_result code, const char *file, int64_t offset, const char *format, ...)
    AM_PRINTF(5, 6);
/// Out of memory while asking for `size` bytes.
am_result ami_fail_memory(am_error *err, size_t size);
/// Names the file in an error that has none yet.
void ami_error_file(am_error *err, const char *file);

#endif
