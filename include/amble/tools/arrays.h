/// Plain arrays of numbers from an .npz, as NumPy saves them: what a regression is trained on.
#ifndef AMBLE_ARRAYS_H
#define AMBLE_ARRAYS_H

#include <amble/base.h>
#include <amble/tools/files.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One array, its numbers turned into floats. A vector counts as one column; further dimensions count into columns.
typedef struct am_array {
    char name[64];
    int64_t rows, columns;
    const float *data; ///< (rows, columns)
} am_array;

typedef struct am_arrays {
    const am_array *items;
    int count;
    struct am_arrays_own *own;
} am_arrays;

/// Reads all numeric arrays of an .npz (stored or deflated); arrays of text are skipped. `file` is the name in
/// errors.
AM_API am_result am_arrays_read(am_arrays **out, const void *data, size_t size, const char *file,
                                const am_alloc *alloc, am_error *err);
AM_API void am_arrays_free(am_arrays *arrays);
/// The array of that name, or NULL.
AM_API const am_array *am_arrays_find(const am_arrays *arrays, const char *name);
/// Makes an .npz of `count` arrays, whose names differ; free it with am_bytes_free.
AM_API am_result am_arrays_write(am_bytes *out, const am_array *arrays, int count, am_error *err);

/// Arrays of several files, each read when it is first asked for. Begin with zeros; free with am_array_files_free.
typedef struct am_array_files {
    struct am_array_file *items;
    int count;
} am_array_files;
/// The array `name` of the file at `path`. It stays until am_array_files_free. A miss lists the arrays of the file.
AM_API am_result am_array_files_find(am_array_files *files, const am_array **out, const char *path, const char *name,
                                     am_error *err);
AM_API void am_array_files_free(am_array_files *files);

#ifdef __cplusplus
}
#endif
#endif
