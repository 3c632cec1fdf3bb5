// Header, section table and checksums of Amble's own files.
#include "base/container.h"

#include "base/error.h"

#include <string.h>

uint32_t ami_section_id(const char letters[4])
{
    uint32_t id = 0;
    for (int i = 0; i < 4; i++) {
        id |= (uint32_t)(uint8_t)letters[i] << (8 * i);
    }
    return id;
}

static void make_magic(uint8_t out[8], const ami_container_kind *kind)
{
    const uint8_t magic[8] = { 0x89,
                               (uint8_t)kind->letters[0],
                               (uint8_t)kind->letters[1],
                               (uint8_t)kind->letters[2],
                               (uint8_t)kind->letters[3],
                               '\r',
                               '\n',
                               0x1A };
    memcpy(out, magic, sizeof magic);
}

typedef struct checking {
    const uint8_t *data;
    size_t size;
    const char *file;
    const ami_container_kind *kind;
    am_error *err;
} checking;

static am_result fail(const checking *c, am_result code, uint64_t offset, const char *text)
{
    return ami_fail_at(c->err, code, c->file, (int64_t)offset, "%s", text);
}

static am_result check_header(const checking *c, ami_header *h)
{
    uint8_t magic[8];
    make_magic(magic, c->kind);
    if (c->size < sizeof *h) {
        bool foreign = c->size >= sizeof magic && memcmp(c->data, magic, sizeof magic) != 0;
        return ami_fail_at(c->err, foreign ? AM_ERR_FORMAT : AM_ERR_TRUNCATED, c->file, (int64_t)c->size,
                           "too short for a %s; check the file, or %s", c->kind->what, c->kind->make);
    }
    memcpy(h, c->data, sizeof *h);
    if (memcmp(h->magic, magic, sizeof magic) != 0) {
        return ami_fail_at(c->err, AM_ERR_FORMAT, c->file, 0, "not an Amble %s: its first bytes differ",
                           c->kind->what);
    }
    if (h->endian != AMI_CONTAINER_ENDIAN) {
        return ami_fail_at(c->err, AM_ERR_FORMAT, c->file, 12, "written with another byte order; %s on this machine",
                           c->kind->make);
    }
    if (h->version < 1 || h->version > c->kind->version) {
        return ami_fail_at(c->err, AM_ERR_VERSION, c->file, 8,
                           "version %u of the format; this build reads up to %u: update Amble", h->version,
                           c->kind->version);
    }
    if (h->file_size > c->size) {
        return ami_fail_at(c->err, AM_ERR_TRUNCATED, c->file, (int64_t)c->size,
                           "the file ends here but should have %llu bytes; copy it again or %s",
                           (unsigned long long)h->file_size, c->kind->make);
    }
    if (h->file_size < c->size) {
        return ami_fail_at(c->err, AM_ERR_FORMAT, c->file, (int64_t)h->file_size,
                           "there are bytes after the end of the %s", c->kind->what);
    }
    return AM_OK;
}

static am_result check_table_hash(const checking *c, ami_header h)
{
    uint64_t end = (uint64_t)h.table_offset + (uint64_t)h.section_count * sizeof(ami_section);
    if (h.table_offset != sizeof h || h.section_count < 1 || h.section_count > AMI_CONTAINER_MOST || end > c->size) {
        return fail(c, AM_ERR_FORMAT, 24, "the section table does not fit the file");
    }
    uint64_t stored = h.table_hash;
    h.table_hash = 0;
    uint64_t hash = am_hash64(&h, sizeof h, 0);
    hash = am_hash64(c->data + h.table_offset, (size_t)(end - h.table_offset), hash);
    if (hash != stored) {
        return fail(c, AM_ERR_CHECKSUM, 32,
                    "header and section table do not match their checksum: the file is damaged");
    }
    return AM_OK;
}

am_result ami_container_check(ami_header *header, ami_section *parts, const uint32_t *ids, int count,
                              const ami_container_kind *kind, const void *data, size_t size, const char *file,
                              am_error *err)
{
    checking c = { data, size, file, kind, err };
    am_result result = check_header(&c, header);
    result = result == AM_OK ? check_table_hash(&c, *header) : result;
    if (result != AM_OK) {
        return result;
    }
    memset(parts, 0, (size_t)count * sizeof *parts);
    uint64_t last = sizeof *header + (uint64_t)header->section_count * sizeof(ami_section);
    for (uint32_t i = 0; i < header->section_count; i++) {
        ami_section section;
        size_t at = header->table_offset + i * sizeof section;
        memcpy(&section, c.data + at, sizeof section);
        if (section.offset % AMI_CONTAINER_ALIGN != 0 || section.offset < last || section.offset > size ||
            section.size > size - section.offset) {
            return fail(&c, AM_ERR_FORMAT, at, "a section lies outside the file or overlaps another");
        }
        last = section.offset + section.size;
        for (int p = 0; p < count; p++) {
            if (section.id == ids[p] && parts[p].id) {
                return fail(&c, AM_ERR_FORMAT, at, "a section appears twice");
            }
            parts[p] = section.id == ids[p] ? section : parts[p];
        }
    }
    return AM_OK;
}

static void letters_of(char out[5], uint32_t id)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (char)((id >> (8 * i)) & 0x7F);
    }
    out[4] = '\0';
}

am_result ami_container_sum(const ami_section *section, const void *data, const char *file, am_error *err)
{
    const uint8_t *body = (const uint8_t *)data + section->offset;
    if (am_hash64(body, (size_t)section->size, section->id) != section->checksum) {
        char letters[5];
        letters_of(letters, section->id);
        return ami_fail_at(err, AM_ERR_CHECKSUM, file, (int64_t)section->offset,
                           "section '%s' does not match its checksum: the file is damaged", letters);
    }
    return AM_OK;
}

am_result ami_container_verify(const void *data, const char *make, am_error *err)
{
    const uint8_t *bytes = data;
    ami_header header;
    memcpy(&header, bytes, sizeof header);
    for (uint32_t i = 0; i < header.section_count; i++) {
        ami_section s;
        memcpy(&s, bytes + header.table_offset + i * sizeof s, sizeof s);
        if (ami_container_sum(&s, data, NULL, NULL) != AM_OK) {
            char letters[5];
            letters_of(letters, s.id);
            return ami_fail_at(err, AM_ERR_CHECKSUM, NULL, (int64_t)s.offset,
                               "section '%s' (%llu bytes) does not match its checksum: the file is damaged; copy it "
                               "again or %s",
                               letters, (unsigned long long)s.size, make);
        }
    }
    return AM_OK;
}

uint64_t ami_container_place(ami_section *parts, int count)
{
    uint64_t present = 0;
    for (int p = 0; p < count; p++) {
        present += parts[p].id != 0;
    }
    uint64_t at = sizeof(ami_header) + present * sizeof(ami_section);
    for (int p = 0; p < count; p++) {
        if (parts[p].id) {
            at = (at + AMI_CONTAINER_ALIGN - 1) / AMI_CONTAINER_ALIGN * AMI_CONTAINER_ALIGN;
            parts[p].offset = at;
            at += parts[p].size;
        }
    }
    return at;
}

void ami_container_seal(void *image, uint64_t size, const ami_section *parts, int count,
                        const ami_container_kind *kind, bool (*counts)(int part))
{
    uint8_t *bytes = image;
    ami_header header = { .version = kind->version, .endian = AMI_CONTAINER_ENDIAN, .file_size = size };
    make_magic(header.magic, kind);
    header.table_offset = sizeof header;
    uint64_t content = 0;
    for (int p = 0; p < count; p++) {
        const ami_section *s = &parts[p];
        if (!s->id) {
            continue;
        }
        memcpy(bytes + sizeof header + header.section_count++ * sizeof *s, s, sizeof *s);
        if (counts(p)) {
            uint64_t item[3] = { s->id, s->size, s->checksum };
            content = am_hash64(item, sizeof item, content);
        }
    }
    header.content_hash = content;
    uint64_t hash = am_hash64(&header, sizeof header, 0);
    header.table_hash = am_hash64(bytes + sizeof header, header.section_count * sizeof(ami_section), hash);
    memcpy(bytes, &header, sizeof header);
}
