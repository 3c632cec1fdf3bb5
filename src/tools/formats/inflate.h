/// Deflate (RFC 1951), the compression inside zip files.
#ifndef AMI_IO_INFLATE_H
#define AMI_IO_INFLATE_H

#include <amble/base.h>

/// Unpacks `size` bytes of raw deflate into exactly `out_size` bytes. AM_ERR_TRUNCATED when the input ends early,
/// AM_ERR_FORMAT when it is damaged or gives another number of bytes; offsets in errors count from data[0].
am_result ami_inflate(uint8_t *out, size_t out_size, const uint8_t *data, size_t size, am_error *err);

/// CRC-32 as zip uses it (polynomial 0xEDB88320, reflected).
uint32_t ami_crc32(const uint8_t *data, size_t size);

#endif
