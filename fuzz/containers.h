/// What the fuzzers of memory-mapped files share. A file has checksums all over, which a fuzzer never guesses: every
/// input is opened as it is and once more with its sums made right, so that the checks behind them are reached.
#ifndef AMBLE_FUZZ_CONTAINERS_H
#define AMBLE_FUZZ_CONTAINERS_H

#include "base/container.h"

#include <stdlib.h>
#include <string.h>

static inline void fuzz_sign(uint8_t *image, size_t size)
{
    ami_header header;
    if (size < sizeof header) {
        return;
    }
    memcpy(&header, image, sizeof header);
    header.file_size = size;
    header.endian = AMI_CONTAINER_ENDIAN;
    header.table_offset = sizeof header;
    uint64_t end = sizeof header + (uint64_t)header.section_count * sizeof(ami_section);
    if (header.section_count > AMI_CONTAINER_MOST || end > size) {
        return;
    }
    for (uint32_t i = 0; i < header.section_count; i++) {
        ami_section s;
        uint8_t *at = image + sizeof header + i * sizeof s;
        memcpy(&s, at, sizeof s);
        if (s.offset <= size && s.size <= size - s.offset) {
            s.checksum = am_hash64(image + s.offset, (size_t)s.size, s.id);
            memcpy(at, &s, sizeof s);
        }
    }
    header.table_hash = 0;
    uint64_t hash = am_hash64(&header, sizeof header, 0);
    header.table_hash = am_hash64(image + sizeof header, (size_t)(end - sizeof header), hash);
    memcpy(image, &header, sizeof header);
}

/// Gives the bytes to `try` twice, aligned as a mapped file is. Inputs above `most` bytes are left alone.
static inline void fuzz_container(const uint8_t *data, size_t size, size_t most,
                                  void (*try)(const uint8_t *data, size_t size))
{
    void *copy = NULL;
    if (size > most || posix_memalign(&copy, 64, size + 1) != 0) {
        return;
    }
    memcpy(copy, data, size);
    try(copy, size);
    fuzz_sign(copy, size);
    try(copy, size);
    free(copy);
}

#endif
