// PNG files: what is written is read back to the same pixels, with a palette and without one; checksums hold.
#include "support/check.h"
#include "support/refuse.h"

#include "base/bytes.h"
#include "formats/png.h"
#include "formats/zip.h"

static uint32_t big(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/// Raw deflate; stored blocks where this build has no zlib.
static void unpack(uint8_t *out, size_t size, const uint8_t *data, size_t packed)
{
    am_error err = { 0 };
    am_result result = ami_inflate(out, size, data, packed, &err);
    if (result != AM_ERR_SUPPORT) {
        check_ok(result, &err);
        return;
    }
    for (size_t at = 0, last = 0; !last; data += 5 + at) {
        last = data[0] & 1u;
        at = data[1] | (size_t)data[2] << 8;
        assert_true(at <= size);
        memcpy(out, data + 5, at);
        out += at;
        size -= at;
    }
    assert_int_equal(size, 0);
}

/// Decodes a file of ours; *colours is the size of its palette. The pixels are malloc'ed.
static uint8_t *decode(const am_bytes *file, int *width, int *height, int *colours)
{
    static const uint8_t magic[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n' };
    assert_memory_equal(file->data, magic, 8);
    const uint8_t *palette = NULL, *body = NULL;
    size_t body_size = 0;
    *colours = 0;
    bool ended = false;
    for (size_t at = 8; at < file->size && !ended;) {
        uint32_t length = big(file->data + at);
        const uint8_t *name = file->data + at + 4;
        assert_true(length <= file->size - at - 12);
        assert_int_equal(big(name + 4 + length), ami_crc32(name, length + 4));
        if (memcmp(name, "IHDR", 4) == 0) {
            *width = (int)big(name + 4);
            *height = (int)big(name + 8);
        } else if (memcmp(name, "PLTE", 4) == 0) {
            palette = name + 4;
            *colours = (int)length / 3;
        } else if (memcmp(name, "IDAT", 4) == 0) {
            body = name + 4;
            body_size = length;
        }
        ended = memcmp(name, "IEND", 4) == 0;
        at += 12 + length;
        assert_true(!ended || at == file->size);
    }
    assert_true(ended && body && body_size > 6);
    size_t each = palette ? 1 : 3;
    size_t row = (size_t)*width * each + 1;
    uint8_t *rows = malloc(row * (size_t)*height);
    uint8_t *pixels = malloc((size_t)*width * (size_t)*height * 3);
    unpack(rows, row * (size_t)*height, body + 2, body_size - 6);
    for (int y = 0; y < *height; y++) {
        assert_int_equal(rows[row * (size_t)y], 0);
        for (int x = 0; x < *width; x++) {
            const uint8_t *p = rows + row * (size_t)y + 1 + (size_t)x * each;
            memcpy(pixels + 3 * (y * *width + x), palette ? palette + 3 * p[0] : p, 3);
        }
    }
    free(rows);
    return pixels;
}

static void check_round_trip(int width, int height, unsigned colours, int palette)
{
    size_t size = (size_t)width * (size_t)height * 3;
    uint8_t *pixels = malloc(size);
    for (size_t i = 0; i < size / 3; i++) {
        unsigned v = (unsigned)(i * 7919u) % colours;
        pixels[3 * i] = (uint8_t)v;
        pixels[3 * i + 1] = (uint8_t)(v >> 8);
        pixels[3 * i + 2] = (uint8_t)(255u - (v & 255u));
    }
    am_error err = { 0 };
    am_bytes file = { 0 };
    check_ok(ami_png_write(&file, pixels, width, height, NULL, &err), &err);
    int w = 0, h = 0, found = 0;
    uint8_t *back = decode(&file, &w, &h, &found);
    assert_int_equal(w, width);
    assert_int_equal(h, height);
    assert_int_equal(found, palette);
    assert_memory_equal(back, pixels, size);
    free(back);
    free(pixels);
    am_bytes_free(&file);
}

static void pixels_come_back(void **state)
{
    (void)state;
    check_round_trip(1, 1, 1, 1);
    check_round_trip(61, 47, 12, 12);
    check_round_trip(64, 64, 256, 256);
    check_round_trip(64, 64, 257, 0);    // too many for a palette
    check_round_trip(200, 150, 5000, 0); // more than one stored block
}

static void deflated_bytes_come_back(void **state)
{
    (void)state;
    static uint8_t data[150000], back[150000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * i >> 7);
    }
    static const size_t sizes[] = { 0, 1, 65535, 65536, sizeof data };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        am_bytes out = ami_bytes_make(NULL);
        assert_true(ami_deflate(&out, data, sizes[i]));
        unpack(back, sizes[i], out.data, out.size);
        assert_memory_equal(back, data, sizes[i]);
        am_bytes_free(&out);
    }
}

static am_result write_small(void *user, const am_alloc *alloc)
{
    (void)user;
    static const uint8_t pixels[8 * 8 * 3];
    am_error err = { 0 };
    am_bytes file = { 0 };
    am_result result = ami_png_write(&file, pixels, 8, 8, alloc, &err);
    am_bytes_free(&file);
    return refuse_checked(result, &err);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    assert_true(refuse_allocations(write_small, NULL) >= 2);
}

TEST_SUITE(png)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_come_back),
        cmocka_unit_test(deflated_bytes_come_back),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
