// Bounded byte reader and growing byte writer.
#include "base/bytes.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const uint8_t *ami_read_bytes(ami_reader *reader, size_t n)
{
    if (reader->failed || n > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *at = reader->data + reader->at;
    reader->at += n;
    return at;
}

static uint64_t read_little(ami_reader *reader, size_t n)
{
    const uint8_t *at = ami_read_bytes(reader, n);
    uint64_t value = 0;
    for (size_t i = 0; at && i < n; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

uint8_t ami_read_u8(ami_reader *reader) { return (uint8_t)read_little(reader, 1); }
uint16_t ami_read_u16(ami_reader *reader) { return (uint16_t)read_little(reader, 2); }
uint32_t ami_read_u32(ami_reader *reader) { return (uint32_t)read_little(reader, 4); }
uint64_t ami_read_u64(ami_reader *reader) { return read_little(reader, 8); }

void ami_reader_seek(ami_reader *reader, size_t at)
{
    if (at > reader->size) {
        reader->failed = true;
    } else {
        reader->at = at;
    }
}

am_bytes ami_bytes_make(const am_alloc *alloc)
{
    am_bytes bytes = { .alloc = ami_alloc_or_default(alloc) };
    return bytes;
}

void am_bytes_free(am_bytes *bytes)
{
    if (bytes && bytes->data) {
        ami_release(&bytes->alloc, bytes->data, bytes->capacity);
        bytes->data = NULL;
        bytes->size = 0;
        bytes->capacity = 0;
    }
}

bool ami_bytes_reserve(am_bytes *bytes, size_t size)
{
    if (size <= bytes->capacity - bytes->size) {
        return true;
    }
    if (size > SIZE_MAX / 4 || bytes->size > SIZE_MAX / 4) {
        return false;
    }
    size_t capacity = bytes->capacity ? bytes->capacity : 256;
    while (capacity - bytes->size < size) {
        capacity *= 2;
    }
    uint8_t *data = bytes->alloc.alloc(bytes->alloc.user, capacity, 64);
    if (!data) {
        return false;
    }
    if (bytes->data) {
        memcpy(data, bytes->data, bytes->size);
        ami_release(&bytes->alloc, bytes->data, bytes->capacity);
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

bool ami_put(am_bytes *bytes, const void *data, size_t size)
{
    if (!ami_bytes_reserve(bytes, size)) {
        return false;
    }
    if (size) {
        memcpy(bytes->data + bytes->size, data, size);
    }
    bytes->size += size;
    return true;
}

bool ami_put_zeros(am_bytes *bytes, size_t size)
{
    if (!ami_bytes_reserve(bytes, size)) {
        return false;
    }
    memset(bytes->data + bytes->size, 0, size);
    bytes->size += size;
    return true;
}

static bool put_little(am_bytes *bytes, uint64_t value, size_t n)
{
    uint8_t raw[8];
    for (size_t i = 0; i < n; i++) {
        raw[i] = (uint8_t)(value >> (8 * i));
    }
    return ami_put(bytes, raw, n);
}

bool ami_put_u8(am_bytes *bytes, uint8_t v) { return put_little(bytes, v, 1); }
bool ami_put_u16(am_bytes *bytes, uint16_t v) { return put_little(bytes, v, 2); }
bool ami_put_u32(am_bytes *bytes, uint32_t v) { return put_little(bytes, v, 4); }
bool ami_put_u64(am_bytes *bytes, uint64_t v) { return put_little(bytes, v, 8); }

bool ami_put_f32(am_bytes *bytes, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return ami_put_u32(bytes, bits);
}

bool ami_put_text(am_bytes *bytes, const char *text) { return ami_put(bytes, text, strlen(text)); }

bool ami_put_format(am_bytes *bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    bool ok = length >= 0 && ami_bytes_reserve(bytes, (size_t)length + 1);
    if (ok) {
        vsnprintf((char *)bytes->data + bytes->size, (size_t)length + 1, format, again);
        bytes->size += (size_t)length;
    }
    va_end(again);
    return ok;
}

bool ami_put_align(am_bytes *bytes, size_t align)
{
    size_t extra = bytes->size % align;
    return extra == 0 || ami_put_zeros(bytes, align - extra);
}
