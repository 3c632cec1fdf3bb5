/// Bounded reading and growing writing of bytes, little-endian on every machine.
#ifndef AMI_BASE_BYTES_H
#define AMI_BASE_BYTES_H

#include <amble/base.h>
#include <amble/tools/files.h>

/// Reads forward through bytes it does not own. A read past the end gives zeros and sets `failed`.
typedef struct ami_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool failed;
} ami_reader;

static inline ami_reader ami_reader_make(const void *data, size_t size)
{
    ami_reader reader = { (const uint8_t *)data, size, 0, false };
    return reader;
}
/// A pointer to the next n bytes, or NULL (and failed) when there are fewer.
const uint8_t *ami_read_bytes(ami_reader *reader, size_t n);
uint8_t ami_read_u8(ami_reader *reader);
uint16_t ami_read_u16(ami_reader *reader);
uint32_t ami_read_u32(ami_reader *reader);
uint64_t ami_read_u64(ami_reader *reader);
/// Moves to an absolute offset; past the end it fails.
void ami_reader_seek(ami_reader *reader, size_t at);

/// Writing appends to an am_bytes. A failed allocation returns false and leaves the bytes as they were.
am_bytes ami_bytes_make(const am_alloc *alloc);
bool ami_put(am_bytes *bytes, const void *data, size_t size);
bool ami_put_zeros(am_bytes *bytes, size_t size);
bool ami_put_u8(am_bytes *bytes, uint8_t v);
bool ami_put_u16(am_bytes *bytes, uint16_t v);
bool ami_put_u32(am_bytes *bytes, uint32_t v);
bool ami_put_u64(am_bytes *bytes, uint64_t v);
bool ami_put_f32(am_bytes *bytes, float v);
/// Appends text without its terminator.
bool ami_put_text(am_bytes *bytes, const char *text);
bool ami_put_format(am_bytes *bytes, const char *format, ...) AM_PRINTF(2, 3);
/// Room for `size` more bytes without writing them.
bool ami_bytes_reserve(am_bytes *bytes, size_t size);
/// Zeros up to a multiple of `align`.
bool ami_put_align(am_bytes *bytes, size_t align);

#endif
