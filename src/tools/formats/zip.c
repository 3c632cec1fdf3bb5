// Zip archives: the directory at the end is authoritative; local headers are only checked against it. Layouts from
// PKWARE's APPNOTE 6.3, sections 4.3.7 (local), 4.3.12 (directory), 4.3.16 (end).
#include "formats/zip.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>
#ifdef AMI_HAS_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

enum {
    LOCAL_MAGIC = 0x04034B50,
    ENTRY_MAGIC = 0x02014B50,
    END_MAGIC = 0x06054B50,
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    COMMENT_MOST = 65535,
    DOS_DATE_1980 = 0x21, // 1 January 1980: the same bytes whenever an archive is written
};

// Deflate cannot compress better than 1032 to 1: an archive that claims more only exhausts memory.
#define BEST_RATIO 1032

static uint32_t peek_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static am_result find_end(size_t *out, const ami_zip *zip, am_error *err)
{
    if (zip->size < END_SIZE) {
        return ami_fail_at(err, AM_ERR_TRUNCATED, zip->file, (int64_t)zip->size, "too short for a zip file");
    }
    size_t most = zip->size < END_SIZE + COMMENT_MOST ? zip->size : END_SIZE + COMMENT_MOST;
    for (size_t back = END_SIZE; back <= most; back++) {
        if (peek_u32(zip->data + zip->size - back) == END_MAGIC) {
            *out = zip->size - back;
            return AM_OK;
        }
    }
    return ami_fail_at(err, AM_ERR_TRUNCATED, zip->file, (int64_t)zip->size,
                       "no zip directory at the end: the file is cut off, or not an .npz");
}

static am_result read_entry(ami_zip_entry *out, ami_reader *in, const char *file, am_error *err)
{
    size_t begin = in->at;
    uint32_t magic = ami_read_u32(in);
    ami_read_u32(in); // versions
    uint16_t flags = ami_read_u16(in);
    out->method = ami_read_u16(in);
    ami_read_u32(in); // time and date
    out->crc = ami_read_u32(in);
    out->packed_size = ami_read_u32(in);
    out->size = ami_read_u32(in);
    out->name_size = ami_read_u16(in);
    uint16_t extra = ami_read_u16(in);
    uint16_t comment = ami_read_u16(in);
    ami_read_u64(in); // disk, attributes
    out->at = ami_read_u32(in);
    out->name = (const char *)ami_read_bytes(in, out->name_size);
    ami_read_bytes(in, (size_t)extra + comment);
    if (in->failed || magic != ENTRY_MAGIC) {
        return ami_fail_at(err, AM_ERR_FORMAT, file, (int64_t)begin, "the zip directory is damaged");
    }
    if (flags & 1) {
        return ami_fail_at(err, AM_ERR_SUPPORT, file, (int64_t)begin,
                           "an encrypted zip file; save it without a password");
    }
    if (out->packed_size == UINT32_MAX || out->size == UINT32_MAX || out->at == UINT32_MAX) {
        return ami_fail_at(err, AM_ERR_SUPPORT, file, (int64_t)begin, "an array of 4 GB or more; save fewer frames");
    }
    return AM_OK;
}

am_result ami_zip_open(ami_zip *out, const void *data, size_t size, const char *file, ami_arena *arena, am_error *err)
{
    *out = (ami_zip){ .data = data, .size = size, .file = file };
    size_t end = 0;
    am_result result = find_end(&end, out, err);
    if (result != AM_OK) {
        return result;
    }
    ami_reader in = ami_reader_make(data, size);
    ami_reader_seek(&in, end + 10);
    int count = ami_read_u16(&in);
    ami_read_u32(&in); // size of the directory
    size_t at = ami_read_u32(&in);
    in.size = end; // entries lie before the end record
    if (at > end || (size_t)count > (end - at) / ENTRY_SIZE) {
        return ami_fail_at(err, AM_ERR_FORMAT, file, (int64_t)end,
                           "the zip directory should have %d parts at byte %zu, but there is no room for them", count,
                           at);
    }
    ami_reader_seek(&in, at);
    out->entries = ami_arena_get(arena, (size_t)count * sizeof *out->entries);
    if (!out->entries) {
        return ami_fail_memory(err, (size_t)count * sizeof *out->entries);
    }
    while (out->count < count && result == AM_OK) {
        result = read_entry(&out->entries[out->count++], &in, file, err);
    }
    return result;
}

const ami_zip_entry *ami_zip_find(const ami_zip *zip, const char *name)
{
    size_t size = strlen(name);
    for (int i = 0; i < zip->count; i++) {
        if (zip->entries[i].name_size == size && memcmp(zip->entries[i].name, name, size) == 0) {
            return &zip->entries[i];
        }
    }
    return NULL;
}

/// The packed bytes of an entry.
static am_result locate(const uint8_t **out, const ami_zip *zip, const ami_zip_entry *entry, am_error *err)
{
    ami_reader in = ami_reader_make(zip->data, zip->size);
    ami_reader_seek(&in, entry->at);
    uint32_t magic = ami_read_u32(&in);
    ami_read_bytes(&in, 22); // what the directory says too
    size_t name = ami_read_u16(&in);
    size_t extra = ami_read_u16(&in);
    ami_read_bytes(&in, name + extra);
    *out = ami_read_bytes(&in, entry->packed_size);
    if (!*out || magic != LOCAL_MAGIC) {
        return ami_fail_at(err, AM_ERR_FORMAT, zip->file, (int64_t)entry->at,
                           "a part of the zip file is not where its directory says");
    }
    return AM_OK;
}

uint32_t ami_crc32(const uint8_t *data, size_t size)
{
    // Archives are written where zlib is not, too. Four bits at a time: 16 constants instead of a table of 256.
    static const uint32_t table[16] = { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C };
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

#ifdef AMI_HAS_ZLIB
am_result ami_inflate(uint8_t *out, size_t out_size, const uint8_t *data, size_t size, am_error *err)
{
    z_stream z = { .next_in = data, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)out_size };
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) { // negative: raw deflate without a header
        return ami_fail_memory(err, out_size);
    }
    int status = inflate(&z, Z_FINISH);
    uint8_t spare = 0;
    if (status == Z_BUF_ERROR && z.avail_out == 0) { // the end may be all that is left, or more than was promised
        z.next_out = &spare;
        z.avail_out = 1;
        status = inflate(&z, Z_FINISH);
    }
    size_t read = z.total_in;
    size_t made = z.total_out;
    const char *why = z.msg ? z.msg : "damaged";
    inflateEnd(&z);
    if (status == Z_MEM_ERROR) {
        return ami_fail_memory(err, out_size);
    }
    if (status == Z_BUF_ERROR && made <= out_size) {
        return ami_fail_at(err, AM_ERR_TRUNCATED, NULL, (int64_t)size, "the compressed data ends early");
    }
    if (made > out_size || (status == Z_STREAM_END && made != out_size)) {
        return ami_fail_at(err, AM_ERR_FORMAT, NULL, (int64_t)read,
                           "the compressed data does not hold the %zu bytes that the directory says", out_size);
    }
    if (status != Z_STREAM_END) {
        return ami_fail_at(err, AM_ERR_FORMAT, NULL, (int64_t)read, "the compressed data is bad: %s", why);
    }
    return AM_OK;
}

bool ami_deflate(am_bytes *out, const uint8_t *data, size_t size)
{
    z_stream z = { .next_in = data, .avail_in = (uInt)size };
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    uLong most = deflateBound(&z, (uLong)size);
    bool ok = ami_bytes_reserve(out, most);
    if (ok) {
        z.next_out = out->data + out->size;
        z.avail_out = (uInt)most;
        ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
        out->size += ok ? z.total_out : 0;
    }
    deflateEnd(&z);
    return ok;
}
#else
am_result ami_inflate(uint8_t *out, size_t out_size, const uint8_t *data, size_t size, am_error *err)
{
    (void)out, (void)out_size, (void)data, (void)size;
    return ami_fail_at(err, AM_ERR_SUPPORT, NULL, 0,
                       "a compressed array, and this build has no zlib; save with numpy.savez or use the native "
                       "command");
}

bool ami_deflate(am_bytes *out, const uint8_t *data, size_t size)
{
    // Stored blocks, of at most 65,535 bytes each: larger, but any reader takes them.
    bool ok = true;
    do {
        size_t part = size < 65535 ? size : 65535;
        ok = ami_put_u8(out, part == size) && ami_put_u16(out, (uint16_t)part) && ami_put_u16(out, (uint16_t)~part) &&
             ami_put(out, data, part);
        data += part;
        size -= part;
    } while (ok && size > 0);
    return ok;
}
#endif

am_result ami_zip_extract(const uint8_t **out, const ami_zip *zip, const ami_zip_entry *entry, ami_arena *arena,
                          am_error *err)
{
    const uint8_t *packed = NULL;
    am_result result = locate(&packed, zip, entry, err);
    if (result != AM_OK) {
        return result;
    }
    bool deflated = entry->method == 8;
    if (!deflated && (entry->method != 0 || entry->size != entry->packed_size)) {
        return ami_fail_at(err, AM_ERR_SUPPORT, zip->file, (int64_t)entry->at,
                           "compression method %d; save with numpy.savez or savez_compressed", entry->method);
    }
    *out = packed;
    if (deflated) {
        if (entry->size / BEST_RATIO > entry->packed_size + 1) {
            return ami_fail_at(err, AM_ERR_FORMAT, zip->file, (int64_t)entry->at,
                               "%zu bytes cannot unpack to the %zu that the directory says", entry->packed_size,
                               entry->size);
        }
        uint8_t *room = ami_arena_get(arena, entry->size);
        if (!room) {
            return ami_fail_memory(err, entry->size);
        }
        result = ami_inflate(room, entry->size, packed, entry->packed_size, err);
        if (result != AM_OK) {
            if (err) {
                err->offset += packed - zip->data;
            }
            return result;
        }
        *out = room;
    }
    if (ami_crc32(*out, entry->size) != entry->crc) {
        return ami_fail_at(err, AM_ERR_CHECKSUM, zip->file, (int64_t)entry->at,
                           "the checksum of '%.*s' does not match; the file is damaged", (int)entry->name_size,
                           entry->name);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Writing

/// The fields that local header and directory share, from "flags" on.
static bool put_common(am_bytes *out, const ami_zip_entry *entry)
{
    return ami_put_u16(out, 0x800) && // names are UTF-8
           ami_put_u16(out, 0) && ami_put_u16(out, 0) && ami_put_u16(out, DOS_DATE_1980) &&
           ami_put_u32(out, entry->crc) && ami_put_u32(out, (uint32_t)entry->size) &&
           ami_put_u32(out, (uint32_t)entry->size) && ami_put_u16(out, (uint16_t)entry->name_size) &&
           ami_put_u16(out, 0);
}

void ami_zip_add(ami_zip_writer *zip, const char *name, const am_bytes *body)
{
    if (zip->failed || zip->count == AMI_ZIP_MOST || body->size > UINT32_MAX - 1 ||
        zip->out.size > UINT32_MAX - 1 - body->size) {
        zip->failed = true;
        return;
    }
    ami_zip_entry *entry = &zip->entries[zip->count++];
    *entry = (ami_zip_entry){ .name = name, .name_size = strlen(name), .at = zip->out.size, .size = body->size };
    entry->crc = ami_crc32(body->data, body->size);
    zip->failed =
        !(ami_put_u32(&zip->out, LOCAL_MAGIC) && ami_put_u16(&zip->out, 20) && put_common(&zip->out, entry) &&
          ami_put(&zip->out, name, entry->name_size) && ami_put(&zip->out, body->data, body->size));
}

bool ami_zip_end(ami_zip_writer *zip)
{
    am_bytes *out = &zip->out;
    size_t begin = out->size;
    bool ok = !zip->failed;
    for (int i = 0; i < zip->count && ok; i++) {
        const ami_zip_entry *entry = &zip->entries[i];
        ok = ami_put_u32(out, ENTRY_MAGIC) && ami_put_u16(out, 20) && ami_put_u16(out, 20) &&
             put_common(out, entry) && ami_put_zeros(out, 10) && // comment, disk, attributes
             ami_put_u32(out, (uint32_t)entry->at) && ami_put(out, entry->name, entry->name_size);
    }
    size_t end = out->size;
    ok = ok && end <= UINT32_MAX - 1 && ami_put_u32(out, END_MAGIC) && ami_put_u32(out, 0) &&
         ami_put_u16(out, (uint16_t)zip->count) && ami_put_u16(out, (uint16_t)zip->count) &&
         ami_put_u32(out, (uint32_t)(end - begin)) && ami_put_u32(out, (uint32_t)begin) && ami_put_u16(out, 0);
    return ok;
}
