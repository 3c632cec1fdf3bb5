// Every version of the text kernels: words against a plain scan, decimals bit for bit against the exact reader.
#include "support/check.h"

#include "base/number.h"
#include "formats/text.h"

enum { most_words = 64, room = 2048, margin = 32 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/// Text with readable bytes in front, as the kernels ask for, and none behind (ASan sees a read too far).
static char *place_text(char **block, const char *text, size_t size)
{
    *block = malloc(margin + size);
    assert_non_null(*block);
    memset(*block, '7', margin);
    memcpy(*block + margin, text, size);
    return *block + margin;
}

static size_t scan_words(uint32_t *edges, const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size;) {
        if ((unsigned char)text[i] <= ' ') {
            i++;
            continue;
        }
        edges[2 * count] = (uint32_t)i;
        while (i < size && (unsigned char)text[i] > ' ') {
            i++;
        }
        edges[2 * count++ + 1] = (uint32_t)i;
    }
    return count;
}

static void words_are_found_like_by_a_plain_scan(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char text[room];
        size_t size = next_random(&seed) % 300;
        unsigned density = 1 + next_random(&seed) % 8;
        for (size_t i = 0; i < size; i++) {
            static const char blanks[] = " \t\r\n\v\0\x1f";
            bool blank = next_random(&seed) % 9 < density;
            text[i] =
                (char)(blank ? blanks[next_random(&seed) % 7] : (int)(0x21 + next_random(&seed) % (0x100 - 0x21)));
        }
        uint32_t wanted[2 * room];
        size_t count = scan_words(wanted, text, size);
        char *block;
        const char *at = place_text(&block, text, size);
        for (size_t v = 0; ami_text_kernels_at(v); v++) {
            uint32_t edges[2 * room + AMI_TEXT_SPARE];
            const ami_text_kernels *kernels = ami_text_kernels_at(v);
            assert_int_equal(kernels->find_words(edges, at, size, room), count);
            assert_memory_equal(edges, wanted, 2 * count * sizeof edges[0]);
            if (count > 0) {
                assert_int_equal(kernels->find_words(edges, at, size, count), count);
                assert_int_equal(kernels->find_words(edges, at, size, count - 1), count);
            }
        }
        free(block);
    }
}

static void too_many_words_never_write_past_the_spare_room(void **state)
{
    (void)state;
    char text[600];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = i % 2 ? ' ' : '1';
    }
    for (size_t v = 0; ami_text_kernels_at(v); v++) {
        for (size_t most = 0; most < 80; most++) {
            size_t items = 2 * most + AMI_TEXT_SPARE;
            uint32_t *edges = malloc(items * sizeof *edges); // exactly, for ASan
            assert_int_equal(ami_text_kernels_at(v)->find_words(edges, text, sizeof text, most), most + 1);
            free(edges);
        }
    }
}

/// A decimal of at most `longest` characters after its sign; now and then without a point, or with one at an end.
static size_t make_decimal(char *out, uint32_t *seed, size_t longest)
{
    size_t size = 0, length = 1 + next_random(seed) % longest;
    if (next_random(seed) % 3 == 0) {
        out[size++] = '-';
    }
    size_t point = next_random(seed) % (length + 3);
    point = length < 2 ? length : point;
    for (size_t i = 0; i < length; i++) {
        out[size++] = (char)(i == point ? '.' : (int)('0' + next_random(seed) % 10));
    }
    return size;
}

static void check_values(const ami_text_kernels *kernels, const char *at, const uint32_t *edges, size_t n)
{
    float values[most_words + 1];
    values[n] = 12345.0f; // nothing is written behind the last
    assert_true(kernels->read_decimals(values, at, edges, n));
    assert_true(values[n] == 12345.0f);
    for (size_t i = 0; i < n; i++) {
        const char *word = at + edges[2 * i];
        double exact = 0.0;
        assert_true(ami_parse_number(&word, at + edges[2 * i + 1], &exact));
        float wanted = (float)exact;
        if (memcmp(&wanted, &values[i], sizeof wanted) != 0) {
            fail_msg("%s: '%.*s' read as %.9g, wanted %.9g", kernels->name, (int)(edges[2 * i + 1] - edges[2 * i]),
                     at + edges[2 * i], (double)values[i], (double)wanted);
        }
    }
}

static void decimals_have_the_bits_of_the_exact_reader(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int round = 0; round < 20000; round++) {
        char text[room];
        size_t size = 0, n = 1 + next_random(&seed) % 20;
        for (size_t i = 0; i < n; i++) {
            size += make_decimal(text + size, &seed, next_random(&seed) % (uint32_t)(round % 9 + 1) ? 7 : 15);
            text[size++] = ' ';
        }
        char *block;
        const char *at = place_text(&block, text, size);
        uint32_t edges[2 * most_words];
        assert_int_equal(scan_words(edges, at, size), n);
        for (size_t v = 0; ami_text_kernels_at(v); v++) {
            check_values(ami_text_kernels_at(v), at, edges, n);
        }
        free(block);
    }
}

static void every_length_and_place_of_the_point_is_read(void **state)
{
    (void)state;
    for (int length = 1; length <= 15; length++) {
        for (int point = length == 1 ? 1 : 0; point <= length; point++) {
            for (int minus = 0; minus < 2; minus++) {
                char text[64];
                int size = sprintf(text, "%s", minus ? "-" : "");
                for (int i = 0; i < length; i++) {
                    text[size++] = (char)(i == point ? '.' : '9' - i % 10);
                }
                char *block;
                const char *at = place_text(&block, text, (size_t)size);
                uint32_t edges[2] = { 0, (uint32_t)size };
                for (size_t v = 0; ami_text_kernels_at(v); v++) {
                    check_values(ami_text_kernels_at(v), at, edges, 1);
                }
                free(block);
            }
        }
    }
}

static void what_is_no_plain_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = { "-",
                                         ".",
                                         "-.",
                                         "--1",
                                         "1-",
                                         "1-2",
                                         "+1",
                                         "1e5",
                                         "1.2.3",
                                         "..",
                                         "1,5",
                                         "nan",
                                         "inf",
                                         "0x10",
                                         "1 ",
                                         "/",
                                         ":",
                                         "12:3",
                                         "1\x80",
                                         "\xFF",
                                         "1/2",
                                         "123456789012345.6",
                                         "1234567890123456",
                                         "-123456789012345.6",
                                         "-1234567890123456",
                                         "12345678901234567890",
                                         "1.2.345678901",
                                         "1.23456789.1",
                                         "-1.234567-9",
                                         "1234567890.12e4",
                                         "123456789-12" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (size_t place = 0; place < 9; place++) { // alone, and at each place among good words
            char text[256] = "";
            size_t size = 0;
            uint32_t edges[2 * 9];
            for (size_t k = 0; k < 9; k++) {
                const char *word = k == place ? words[i] : "-12.5";
                edges[2 * k] = (uint32_t)size;
                size += (size_t)sprintf(text + size, "%s", word);
                edges[2 * k + 1] = (uint32_t)size;
                size += (size_t)sprintf(text + size, " ");
            }
            char *block;
            const char *at = place_text(&block, text, size);
            for (size_t v = 0; ami_text_kernels_at(v); v++) {
                float values[9];
                if (ami_text_kernels_at(v)->read_decimals(values, at, edges, 9)) {
                    fail_msg("%s took '%s'", ami_text_kernels_at(v)->name, words[i]);
                }
            }
            free(block);
        }
    }
}

static void the_fastest_version_is_the_last(void **state)
{
    (void)state;
    size_t count = 0;
    while (ami_text_kernels_at(count)) {
        count++;
    }
    assert_true(count >= 1);
    assert_ptr_equal(ami_text_kernels_pick(), ami_text_kernels_at(count - 1));
    assert_string_equal(ami_text_kernels_at(0)->name, "portable");
}

TEST_SUITE(text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_like_by_a_plain_scan),
        cmocka_unit_test(too_many_words_never_write_past_the_spare_room),
        cmocka_unit_test(decimals_have_the_bits_of_the_exact_reader),
        cmocka_unit_test(every_length_and_place_of_the_point_is_read),
        cmocka_unit_test(what_is_no_plain_decimal_is_refused),
        cmocka_unit_test(the_fastest_version_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
