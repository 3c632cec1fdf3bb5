// Deflate streams of every kind unpack; damaged ones and those of another size are refused; CRC-32.
#include "support/check.h"

#include "tools/formats/deflated.h"
#include "formats/zip.h"

/// 'a' half of the time, 'b' a quarter, ...: rare letters get the longest codes.
static void make_geometric(uint8_t *out, size_t size)
{
    uint32_t x = 1;
    for (size_t i = 0; i < size; i++) {
        x = (x * 1103515245u + 12345u) & 0x7FFFFFFFu;
        uint32_t v = (x >> 8) & 0x3FFFFu;
        unsigned k = 0;
        while (k < 17 && (v >> k) & 1u) {
            k++;
        }
        out[i] = (uint8_t)('a' + k);
    }
}

/// Unpacks into a buffer of exactly the size, so that ASan sees a write too far.
static void check_unpacks(const uint8_t *packed, size_t packed_size, const void *wanted, size_t size)
{
    uint8_t *out = malloc(size + (size == 0));
    am_error err = { 0 };
    check_ok(ami_inflate(out, size, packed, packed_size, &err), &err);
    assert_memory_equal(out, wanted, size);
    free(out);
}

static void streams_of_zlib_unpack(void **state)
{
    (void)state;
    uint8_t text[3000];
    make_geometric(text, sizeof text);
    check_unpacks(deflated_geometric, sizeof deflated_geometric, text, sizeof text);
    check_unpacks(deflated_codes_only, sizeof deflated_codes_only, text, 1200);
    const char *spoken = "to be or not to be, that is to be";
    check_unpacks(deflated_fixed, sizeof deflated_fixed, spoken, strlen(spoken));
    check_unpacks(deflated_stored, sizeof deflated_stored, "stored as it is", 15);
    check_unpacks(deflated_empty, sizeof deflated_empty, "", 0);
}

static void runs_and_far_matches_unpack(void **state)
{
    (void)state;
    char *run = malloc(100000);
    memset(run, 'x', 100000);
    check_unpacks(deflated_run, sizeof deflated_run, run, 100000);
    free(run);
    uint8_t *far = calloc(1, 30128);
    memcpy(far, far_block, 64);
    memcpy(far + 30064, far_block, 64);
    check_unpacks(deflated_far, sizeof deflated_far, far, 30128);
    free(far);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    uint8_t out[3000];
    for (size_t size = 0; size < sizeof deflated_geometric; size++) {
        uint8_t *copy = malloc(size + (size == 0));
        memcpy(copy, deflated_geometric, size);
        am_error err = { 0 };
        check_refused(ami_inflate(out, sizeof out, copy, size, &err), AM_ERR_TRUNCATED);
        free(copy);
    }
    for (size_t size = 0; size < sizeof deflated_stored; size++) {
        am_error err = { 0 };
        assert_int_not_equal(ami_inflate(out, 15, deflated_stored, size, &err), AM_OK);
    }
}

static void another_size_than_promised_is_refused(void **state)
{
    (void)state;
    uint8_t out[3200];
    am_error err = { 0 };
    const struct {
        const uint8_t *data;
        size_t packed, size;
    } streams[] = { { deflated_geometric, sizeof deflated_geometric, 3000 },
                    { deflated_codes_only, sizeof deflated_codes_only, 1200 },
                    { deflated_stored, sizeof deflated_stored, 15 },
                    { deflated_fixed, sizeof deflated_fixed, 33 } };
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        for (size_t size = streams[i].size - 3; size <= streams[i].size + 3; size++) {
            am_result wanted = size == streams[i].size ? AM_OK : AM_ERR_FORMAT;
            check_refused(ami_inflate(out, size, streams[i].data, streams[i].packed, &err), wanted);
        }
    }
}

static void flipped_bits_never_crash(void **state)
{
    (void)state;
    uint8_t copy[sizeof deflated_geometric];
    uint8_t out[3000];
    int refused = 0;
    for (size_t bit = 0; bit < sizeof copy * 8; bit++) {
        memcpy(copy, deflated_geometric, sizeof copy);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        am_error err = { 0 };
        refused += ami_inflate(out, sizeof out, copy, sizeof copy, &err) != AM_OK;
    }
    assert_true(refused > 1000);
}

static void checksums_agree_with_the_standard(void **state)
{
    (void)state;
    assert_int_equal(ami_crc32((const uint8_t *)"123456789", 9), 0xCBF43926u); // the check value of CRC-32
    assert_int_equal(ami_crc32((const uint8_t *)"", 0), 0u);
}

TEST_SUITE(zip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_zlib_unpack),      cmocka_unit_test(runs_and_far_matches_unpack),
        cmocka_unit_test(every_truncation_is_refused), cmocka_unit_test(another_size_than_promised_is_refused),
        cmocka_unit_test(flipped_bits_never_crash),    cmocka_unit_test(checksums_agree_with_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
