/// Zip archives as far as NPZ needs them: a few named files, stored or deflated, no encryption, below 4 GB.
#ifndef AMI_IO_ZIP_H
#define AMI_IO_ZIP_H

#include "base/memory.h"
#include <amble/tools/files.h>

/// One file of an archive.
typedef struct ami_zip_entry {
    const char *name; ///< in the archive's bytes, not terminated
    size_t name_size;
    size_t at; ///< where its local header begins
    size_t packed_size;
    size_t size;
    uint32_t crc;
    int method; ///< 0 stored, 8 deflated
} ami_zip_entry;

typedef struct ami_zip {
    const uint8_t *data;
    size_t size;
    const char *file; ///< name for errors
    ami_zip_entry *entries;
    int count;
} ami_zip;

/// Reads the directory; entries live in the arena, names in data.
am_result ami_zip_open(ami_zip *out, const void *data, size_t size, const char *file, ami_arena *arena,
                       am_error *err);
/// The entry called `name`, or NULL.
const ami_zip_entry *ami_zip_find(const ami_zip *zip, const char *name);
/// An entry's bytes, unpacked into the arena when they are deflated, with the checksum checked.
am_result ami_zip_extract(const uint8_t **out, const ami_zip *zip, const ami_zip_entry *entry, ami_arena *arena,
                          am_error *err);

/// Unpacks `size` bytes of raw deflate (below 4 GB) into exactly `out_size` bytes. AM_ERR_TRUNCATED when the input
/// ends early, AM_ERR_FORMAT when it is damaged or gives another number of bytes, AM_ERR_SUPPORT in a build without
/// zlib; offsets in errors count from data[0].
am_result ami_inflate(uint8_t *out, size_t out_size, const uint8_t *data, size_t size, am_error *err);
/// Appends `size` bytes (below 4 GB) as raw deflate: packed, or in a build without zlib as they are. False when there
/// is no memory.
bool ami_deflate(am_bytes *out, const uint8_t *data, size_t size);
/// CRC-32 as zip uses it (polynomial 0xEDB88320, reflected).
uint32_t ami_crc32(const uint8_t *data, size_t size);

enum { AMI_ZIP_MOST = 1024 }; ///< files that one archive of ours can have

/// Writes an archive of stored files.
typedef struct ami_zip_writer {
    am_bytes out;
    ami_zip_entry entries[AMI_ZIP_MOST];
    int count;
    bool failed; ///< an allocation failed, or it grew beyond 4 GB
} ami_zip_writer;

/// `name` must outlive the writer.
void ami_zip_add(ami_zip_writer *zip, const char *name, const am_bytes *body);
/// Ends the archive with its directory. False when something failed; free `out` either way.
bool ami_zip_end(ami_zip_writer *zip);

#endif
