// PNG files: a palette, or 8 bits of red, green and blue (W3C PNG, 2nd edition, sections 5 and 9 to 11).
#include "formats/png.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/zip.h"

#include <string.h>

enum { most_chunk = 0x7FFFFFFF, most_colours = 256, slots = 1024 };

/// The colours of a picture, in the order they appear.
typedef struct palette {
    uint8_t colours[most_colours][3];
    int count;
    int16_t slot[slots]; ///< 1 + colour, by hash; 0: free
} palette;

/// The index of a colour, -1 when there is no room for it.
static int find_colour(palette *p, const uint8_t *colour)
{
    uint32_t at = (uint32_t)colour[0] * 7919u + (uint32_t)colour[1] * 263u + (uint32_t)colour[2] * 31u;
    for (;; at++) {
        int16_t *slot = &p->slot[at % slots];
        if (*slot == 0) {
            if (p->count == most_colours) {
                return -1;
            }
            memcpy(p->colours[p->count], colour, 3);
            *slot = (int16_t)++p->count;
        }
        if (memcmp(p->colours[*slot - 1], colour, 3) == 0) {
            return *slot - 1;
        }
    }
}

static bool put_big(am_bytes *out, uint32_t v)
{
    return ami_put_u8(out, (uint8_t)(v >> 24)) && ami_put_u8(out, (uint8_t)(v >> 16)) &&
           ami_put_u8(out, (uint8_t)(v >> 8)) && ami_put_u8(out, (uint8_t)v);
}

/// A chunk's length is known at its end; its checksum covers name and body.
static size_t begin_chunk(am_bytes *out, const char *name, bool *ok)
{
    *ok = *ok && ami_put_zeros(out, 4) && ami_put_text(out, name);
    return out->size;
}

static void end_chunk(am_bytes *out, size_t body, bool *ok)
{
    if (!*ok || out->size - body > most_chunk) {
        *ok = false;
        return;
    }
    uint32_t length = (uint32_t)(out->size - body);
    for (int i = 0; i < 4; i++) {
        out->data[body - 8 + (size_t)i] = (uint8_t)(length >> (24 - 8 * i));
    }
    *ok = put_big(out, ami_crc32(out->data + body - 4, length + 4));
}

static uint32_t adler32(const uint8_t *data, size_t size)
{
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/// Rows as the file has them, each behind its filter: none, which packs drawings best. Indices of colours when all
/// have room in the palette; else the colours themselves, and the palette is left empty. Gives the number of bytes.
static size_t make_rows(uint8_t *out, palette *p, const uint8_t *pixels, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    uint8_t *to = out;
    for (size_t i = 0; i < count; i++) {
        int index = find_colour(p, pixels + 3 * i);
        if (index < 0) {
            p->count = 0;
            break;
        }
        if (i % (size_t)width == 0) {
            *to++ = 0;
        }
        *to++ = (uint8_t)index;
    }
    for (int y = 0; y < height && p->count == 0; y++) {
        size_t row = (size_t)width * 3;
        to = out + (row + 1) * (size_t)y;
        *to++ = 0;
        memcpy(to, pixels + (size_t)y * row, row);
        to += row;
    }
    return (size_t)(to - out);
}

am_result ami_png_write(am_bytes *out, const uint8_t *pixels, int width, int height, const am_alloc *alloc,
                        am_error *err)
{
    static const uint8_t magic[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n' };
    am_alloc memory = ami_alloc_or_default(alloc);
    size_t room = ((size_t)width * 3 + 1) * (size_t)height;
    uint8_t *rows = ami_alloc_zero(&memory, room);
    if (!rows) {
        return ami_fail_memory(err, room);
    }
    palette p = { 0 };
    size_t size = make_rows(rows, &p, pixels, width, height);
    *out = ami_bytes_make(alloc);
    bool ok = ami_put(out, magic, sizeof magic);
    size_t body = begin_chunk(out, "IHDR", &ok);
    ok = ok && put_big(out, (uint32_t)width) && put_big(out, (uint32_t)height) && ami_put_u8(out, 8) &&
         ami_put_u8(out, p.count > 0 ? 3 : 2) && ami_put_zeros(out, 3);
    end_chunk(out, body, &ok);
    if (p.count > 0) {
        body = begin_chunk(out, "PLTE", &ok);
        ok = ok && ami_put(out, p.colours, 3 * (size_t)p.count);
        end_chunk(out, body, &ok);
    }
    body = begin_chunk(out, "IDAT", &ok);
    ok = ok && ami_put_u8(out, 0x78) && ami_put_u8(out, 0xDA) && ami_deflate(out, rows, size) &&
         put_big(out, adler32(rows, size));
    end_chunk(out, body, &ok);
    body = begin_chunk(out, "IEND", &ok);
    end_chunk(out, body, &ok);
    ami_release(&memory, rows, room);
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, size);
    }
    return AM_OK;
}
