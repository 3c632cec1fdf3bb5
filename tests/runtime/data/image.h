/// Images of databases that tests spoil.
#ifndef AMBLE_TEST_DATA_IMAGE_H
#define AMBLE_TEST_DATA_IMAGE_H

#include "runtime/data/support.h"

#include "data/format.h"

static inline am_db *image_make(bool all_kinds, am_precision precision)
{
    static test_world w;
    test_world_make(&w, all_kinds);
    w.def.precision = precision;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    test_world_free(&w);
    return db;
}

static inline void *image_copy(const void *data, size_t size)
{

    void *copy = test_aligned(size + 64);
    memcpy(copy, data, size);
    return copy;
}

/// Makes checksum and table hash right again, so that only the planted nonsense is wrong.
static inline void image_sign(uint8_t *image)
{
    ami_db_header *header = (ami_db_header *)(void *)image;
    ami_db_section *table = (ami_db_section *)(void *)(image + sizeof *header);
    for (uint32_t i = 0; i < header->section_count; i++) {
        table[i].checksum = am_hash64(image + table[i].offset, (size_t)table[i].size, table[i].id);
    }
    header->table_hash = 0;
    uint64_t hash = am_hash64(header, sizeof *header, 0);
    header->table_hash = am_hash64(table, header->section_count * sizeof *table, hash);
}

static inline ami_db_section *image_section(uint8_t *image, int part)
{
    ami_db_header *header = (ami_db_header *)(void *)image;
    ami_db_section *table = (ami_db_section *)(void *)(image + sizeof *header);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (table[i].id == ami_part_id(part)) {
            return &table[i];
        }
    }
    fail_msg("no section %d", part);
    return NULL;
}

#endif
