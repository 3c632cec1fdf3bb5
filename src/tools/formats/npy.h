/// NumPy's .npy: a short header that reads like a Python dict, then the numbers.
#ifndef AMI_IO_NPY_H
#define AMI_IO_NPY_H

#include <amble/base.h>
#include <amble/tools/files.h>

enum { AMI_NPY_MAX_DIMS = 4 };

/// An array as it lies in the file: C order, little-endian.
typedef struct ami_npy {
    char kind;        ///< 'f', 'i', 'u', 'b' or 'U'
    size_t item_size; ///< bytes of one item (4 for each character of a 'U')
    int dims;
    size_t shape[AMI_NPY_MAX_DIMS];
    size_t count; ///< items in all
    const uint8_t *data;
} ami_npy;

/// Reads the header; `name` is for errors, which have no offset or file yet.
am_result ami_npy_parse(ami_npy *out, const uint8_t *data, size_t size, const char *name, am_error *err);
/// Item i of a numeric array.
double ami_npy_number(const ami_npy *array, size_t i);
/// Character k of item i of a 'U' array, 0 behind its end.
uint32_t ami_npy_char(const ami_npy *array, size_t i, size_t k);

/// Appends a version 1 header; the caller appends the data. descr is NumPy's name of the type, e.g. "<f4".
bool ami_npy_begin(am_bytes *out, const char *descr, const size_t *shape, int dims);

#endif
