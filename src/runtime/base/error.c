// Results, their names, and error messages.
#include "base/error.h"

#include <stdio.h>
#include <string.h>

const char *am_result_name(am_result code)
{
    static const char *const names[AM_ERR_COUNT] = {
        "ok",           "out of memory", "limit exceeded", "bad def",   "cannot open", "cannot read",
        "cannot write", "truncated",     "format",         "version",   "checksum",    "syntax",
        "key",          "type",          "range",          "number",    "skeleton",    "role",
        "empty",        "unsupported",   "child process",  "cancelled",
    };
    return (int)code >= 0 && code < AM_ERR_COUNT ? names[code] : "unknown";
}

am_result ami_fail_v(am_error *err, am_result code, const char *format, va_list args)
{
    if (err) {
        err->code = code;
        err->line = 0;
        err->column = 0;
        err->offset = -1;
        err->file[0] = '\0';
        vsnprintf(err->text, sizeof err->text, format, args);
    }
    return code;
}

am_result ami_fail(am_error *err, am_result code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ami_fail_v(err, code, format, args);
    va_end(args);
    return code;
}

am_result ami_fail_line(am_error *err, am_result code, const char *file, int64_t line, int64_t column,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ami_fail_v(err, code, format, args);
    va_end(args);
    if (err) {
        err->line = line;
        err->column = column;
    }
    ami_error_file(err, file);
    return code;
}

am_result ami_fail_at(am_error *err, am_result code, const char *file, int64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ami_fail_v(err, code, format, args);
    va_end(args);
    if (err) {
        err->offset = offset;
    }
    ami_error_file(err, file);
    return code;
}

am_result ami_fail_memory(am_error *err, size_t size)
{
    return ami_fail(err, AM_ERR_MEMORY,
                    "out of memory asking for %zu bytes; close other programs or use smaller input", size);
}

void ami_error_file(am_error *err, const char *file)
{
    if (err && file && err->file[0] == '\0') {
        snprintf(err->file, sizeof err->file, "%s", file);
    }
}

void am_error_format(const am_error *err, char *out, size_t size)
{
    if (size == 0) {
        return;
    }
    char where[320] = "";
    const char *file = err->file[0] ? err->file : NULL;
    if (err->line > 0 && err->column > 0) {
        snprintf(where, sizeof where, "%s:%lld:%lld: ", file ? file : "line", (long long)err->line,
                 (long long)err->column);
    } else if (err->line > 0) {
        snprintf(where, sizeof where, "%s:%lld: ", file ? file : "line", (long long)err->line);
    } else if (file && err->offset >= 0) {
        snprintf(where, sizeof where, "%s: at byte %lld: ", file, (long long)err->offset);
    } else if (err->offset >= 0) {
        snprintf(where, sizeof where, "at byte %lld: ", (long long)err->offset);
    } else if (file) {
        snprintf(where, sizeof where, "%s: ", file);
    }
    snprintf(out, size, "%s%s", where, err->text[0] ? err->text : am_result_name(err->code));
}
