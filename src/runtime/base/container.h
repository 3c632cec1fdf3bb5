/// What .amdb and .amnet share: a 64-byte header, a table of sections, bodies aligned to 64 bytes, a checksum for
/// each. Little-endian; the file is the memory image.
#ifndef AMI_BASE_CONTAINER_H
#define AMI_BASE_CONTAINER_H

#include <amble/base.h>

#define AMI_CONTAINER_ENDIAN 0x01020304u
#define AMI_CONTAINER_ALIGN 64u
#define AMI_CONTAINER_MOST 64u ///< sections

/// Offset 0, 64 bytes.
typedef struct ami_header {
    uint8_t magic[8]; ///< 89, four letters, 0D 0A 1A: text mode and 7-bit transfers break it visibly
    uint32_t version;
    uint32_t endian; ///< AMI_CONTAINER_ENDIAN as the writer's machine sees it
    uint64_t file_size;
    uint32_t section_count;
    uint32_t table_offset; ///< 64
    uint64_t table_hash;   ///< of this header (with this field zero) and the table
    uint64_t content_hash; ///< of the sections that make up what the file is (not of texts about it)
    uint8_t reserved[16];
} ami_header;

/// One row of the table, 32 bytes.
typedef struct ami_section {
    uint32_t id; ///< four letters, the first in the lowest byte
    uint32_t reserved;
    uint64_t offset;   ///< from the file's start, a multiple of 64
    uint64_t size;     ///< bytes without padding
    uint64_t checksum; ///< am_hash64 of the body, seed = id
} ami_section;

/// One kind of file.
typedef struct ami_container_kind {
    char letters[5];  ///< of the magic
    uint32_t version; ///< the newest that is read
    const char *what; ///< "database"
    const char *make; ///< how to get another one, for messages: "build it again with amble build"
} ami_container_kind;

uint32_t ami_section_id(const char letters[4]);

/// Checks header and table. parts(count) gets the section of each id in ids(count), id 0 where the file has none;
/// sections with other ids come from a later version and are ignored.
am_result ami_container_check(ami_header *header, ami_section *parts, const uint32_t *ids, int count,
                              const ami_container_kind *kind, const void *data, size_t size, const char *file,
                              am_error *err);
/// Compares one body with its checksum.
am_result ami_container_sum(const ami_section *section, const void *data, const char *file, am_error *err);
/// Compares every body with its checksum; header and table were checked.
am_result ami_container_verify(const void *data, const char *make, am_error *err);
/// Places parts(count) with size and id set (id 0: absent) one after another; returns the file's size.
uint64_t ami_container_place(ami_section *parts, int count);
/// Writes header and table into an image whose bodies and checksums are complete. `counts(i)` says whether part i
/// belongs to the content hash.
void ami_container_seal(void *image, uint64_t size, const ami_section *parts, int count,
                        const ami_container_kind *kind, bool (*counts)(int part));

#endif
