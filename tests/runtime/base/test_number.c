// Text <-> numbers: against strtod, at the edges of double, and round trips of the writers.
#include "support/check.h"

#include "base/bytes.h"
#include "base/number.h"
#include "base/budget.h"
#include "base/rng.h"

#include <math.h>

// Sanitizers make everything several times slower.
#if defined(__SANITIZE_ADDRESS__)
static int effort(void) { return 1; }
#else
static int effort(void) { return test_quick() ? 1 : 8; }
#endif

// Reads text both with room behind it (the inline tiers) and without, and compares value and length with strtod.
static void check_like_strtod(const char *text)
{
    char *stop;
    double wanted = strtod(text, &stop);
    size_t length = (size_t)(stop - text);
    size_t size = strlen(text);
    char padded[2048];
    assert_true(size + 40 < sizeof padded);
    memcpy(padded, text, size);
    memset(padded + size, ' ', 40);
    char *exact = malloc(size + 1); // so that a sanitizer sees a read beyond the end
    assert_non_null(exact);
    memcpy(exact, text, size);
    for (int i = 0; i < 2; i++) {
        const char *begin = i ? exact : padded;
        const char *at = begin;
        double value = -1.0;
        bool ok = ami_parse_number(&at, begin + size + (i ? 0 : 40), &value);
        if (isinf(wanted)) {
            assert_false(ok);
            assert_ptr_equal(at, begin);
        } else {
            assert_int_equal(ok, length > 0);
            assert_int_equal(at - begin, length);
        }
        if (length > 0 && memcmp(&value, &wanted, sizeof value) != 0) {
            fail_msg("%.60s read as %.17g (%a), wanted %.17g (%a)", text, value, value, wanted, wanted);
        }
    }
    free(exact);
}

static void plain_numbers_of_every_shape(void **state)
{
    (void)state;
    const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "5",
        "-12.3456",
        "-12.3456 7",
        "12.",
        ".5",
        "-.5",
        "+7.25",
        "1.2.3",
        "1..2",
        "1/2",
        "1.5/2",
        "12,5",
        "1e3",
        "1E+3",
        "1e-3",
        "1e",
        "1e+",
        "-",
        "+",
        ".",
        "-.",
        "",
        "abc",
        "e5",
        "--5",
        "+-5",
        "-12.3456e2",
        "1234567.1",
        "-123456.7",
        "12345678",
        "123456789",
        "1234567890",
        "0.00000001",
        "-123.4567890",
        "0.0796527",
        "00012.5000",
        "1.0000000",
        "99999999.9",
        "1.2345678",
        "-1.2345678",
        "0000000000",
        "0.000000000",
        "123456.1234e1",
        "1.5\t2",
        "1.5\n2",
        "1.5\xC3\xA9",
        "1\3779",
        "5e",
        "5e1x",
        "7:8",
        "7;8",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_like_strtod(texts[i]);
    }
}

static void words_that_strtod_knows_are_no_numbers_here(void **state)
{
    (void)state;
    const char *const texts[] = { "inf", "-inf", "nan", "infinity", "-nan(1)" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = texts[i];
        double value = 1.0;
        assert_false(ami_parse_number(&at, texts[i] + strlen(texts[i]), &value));
        assert_ptr_equal(at, texts[i]);
        assert_true(value == 0.0);
    }
    const char *hex = "0x10";
    double value;
    assert_true(ami_parse_number(&hex, hex + 4, &value)); // a zero; the caller sees the x
    assert_true(value == 0.0 && *hex == 'x');
}

static void edges_of_double(void **state)
{
    (void)state;
    const char *const texts[] = {
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.8e308",
        "1e309",
        "1e400",
        "-1e999999999999999999999",
        "1e-999999999999999999999",
        "4.9406564584124654e-324",
        "5e-324",
        "2.5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "1e-400",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992",
        "9007199254740991",
        "9007199254740993.0000000000000000000000000000000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "0.1",
        "0.2",
        "0.3",
        "3.141592653589793238462643383279502884",
        "123456789012345678e-27",
        "123456789012345678e27",
        "1234567890123456789e-27",
        "9999999999999999999e-28",
        "8.5e-27",
        "6929495644600919.5",
        "3.2378839133029012895883524125015321748630094e-31",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0.0000000000000000000000000000000000000000e9",
        "6.631236846766476e-316",
        "3.237883913302901e-319",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_like_strtod(texts[i]);
    }
}

static void digits_beyond_any_double_still_count(void **state)
{
    (void)state;
    // 1 + 2^-53 exactly halfway, then 900 zeros, then perhaps a one: only that last digit tips it.
    char text[1200];
    int length = sprintf(text, "1.00000000000000011102230246251565404236316680908203125");
    memset(text + length, '0', 900);
    text[length + 900] = '\0';
    check_like_strtod(text);
    text[length + 899] = '1';
    check_like_strtod(text);
    memset(text, '9', 1000); // overflows
    text[1000] = '\0';
    check_like_strtod(text);
    memset(text, '0', 1000);
    memcpy(text + 1000, "1e3", 4);
    check_like_strtod(text);
    text[1] = '.';
    check_like_strtod(text);
}

// Text of a random shape; what a motion file, a printf or a fuzzer would write.
static void random_text(char *text, am_rng *rng)
{
    uint64_t bits = am_rng_u64(rng);
    double any;
    memcpy(&any, &bits, sizeof any);
    unsigned long long a = bits >> am_rng_below(rng, 64);
    unsigned long long b = am_rng_u64(rng) >> am_rng_below(rng, 64);
    const char *sign = am_rng_below(rng, 2) ? "-" : "";
    switch (am_rng_below(rng, 6)) {
    case 0:
        sprintf(text, "%.*g", (int)am_rng_below(rng, 20) + 1, isfinite(any) ? any : 0.5);
        break;
    case 1:
        sprintf(text, "%.*f", (int)am_rng_below(rng, 10), (double)am_rng_range(rng, -400.0f, 400.0f));
        break;
    case 2:
        sprintf(text, "%s%llu.%llu", sign, a, b);
        break;
    case 3:
        sprintf(text, "%s%llu%llu.%llue%d", sign, a, a, b, (int)am_rng_below(rng, 700) - 360);
        break;
    case 4:
        sprintf(text, "%s%llue%d", sign, a, (int)am_rng_below(rng, 80) - 40);
        break;
    default:
        sprintf(text, "%s%u.%0*u", sign, am_rng_below(rng, 1000), (int)am_rng_below(rng, 9) + 1,
                am_rng_below(rng, 1000));
        break;
    }
}

static void random_texts_read_like_strtod(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(11);
    for (int i = 0; i < 250000 * effort(); i++) {
        char text[256];
        random_text(text, &rng);
        check_like_strtod(text);
    }
}

static void halfway_points_round_to_even(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(12);
    for (int i = 0; i < 20000; i++) {
        // A 54-bit odd integer is exactly halfway between two doubles.
        uint64_t m = am_rng_u64(&rng) >> 10 | (uint64_t)1 << 53 | 1;
        const char *const tails[] = { "", ".0", ".0000000001", ".00000000000000000000", "e3", "00000e-5" };
        for (int k = 0; k < 6; k++) {
            char text[64];
            snprintf(text, sizeof text, "%llu%s", (unsigned long long)m, tails[k]);
            check_like_strtod(text);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Writing

static const char *as_text(am_bytes *bytes)
{
    assert_true(ami_put(bytes, "", 1));
    return (const char *)bytes->data;
}

#if defined(_WIN32) // whose strtod is off by one just below powers of two; ours was compared with a better one
static double read_double(const char *text)
{
    double v = 0.0;
    const char *at = text;
    return ami_parse_number(&at, text + strlen(text), &v) ? v
                                                          : INFINITY; // few digits may round up beyond the largest
}
#else
static double read_double(const char *text) { return strtod(text, NULL); }
#endif

// Fewest digits with which printf's %g still reads back; the yardstick of "shortest".
static int fewest_digits(double v, bool single)
{
    char text[64];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (single ? strtof(text, NULL) == (float)v : read_double(text) == v) {
            return digits;
        }
    }
    return 17;
}

// Significant digits of a text, leading and trailing zeros left out.
static int significant(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && count > 0) {
            zeros++;
        }
    }
    return count;
}

static void check_float_text(am_bytes *bytes, float v)
{
    bytes->size = 0;
    assert_true(ami_put_float(bytes, v));
    const char *text = as_text(bytes);
    float back = strtof(text, NULL);
    if (memcmp(&back, &v, sizeof v) != 0 || significant(text) > fewest_digits((double)v, true)) {
        fail_msg("%a was written as %s, which reads as %a", (double)v, text, (double)back);
    }
    const char *at = text;
    double ours;
    assert_true(ami_parse_number(&at, text + strlen(text), &ours) && *at == '\0');
    assert_true((float)ours == v);
}

static void floats_are_written_shortest_and_exact(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    am_rng rng = ami_rng_make(13);
    const float special[] = { 1e-5f,      1.1754944e-38f, 1e-45f,      3.4028235e38f,       16777216.0f,
                              1.0f,       0.1f,           1.0f / 3.0f, 9.5367431640625e-7f, 33554432.0f,
                              8388608.5f, 5e-5f,          1e10f,       9.999999e-5f,        -0.0f };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        check_float_text(&bytes, special[i]);
    }
    for (int power = -149; power < 128; power++) { // the lopsided intervals
        check_float_text(&bytes, ldexpf(1.0f, power));
        check_float_text(&bytes, -nextafterf(ldexpf(1.0f, power), 0.0f));
    }
    for (int i = 0; i < 10000 * effort(); i++) {
        uint32_t bits = (uint32_t)am_rng_u64(&rng);
        float v;
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v)) {
            check_float_text(&bytes, v);
        }
        check_float_text(&bytes, am_rng_range(&rng, -200.0f, 200.0f));
        check_float_text(&bytes, am_rng_range(&rng, -0.01f, 0.01f));
    }
    am_bytes_free(&bytes);
}

static void check_double_text(am_bytes *bytes, double v)
{
    bytes->size = 0;
    assert_true(ami_put_double(bytes, v));
    const char *text = as_text(bytes);
    double back = read_double(text);
    if (memcmp(&back, &v, sizeof v) != 0 || significant(text) > fewest_digits(v, false)) {
        fail_msg("%a was written as %s", v, text);
    }
}

static void doubles_are_written_shortest_and_exact(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    am_rng rng = ami_rng_make(14);
    for (int power = -1074; power < 1024; power += 3) {
        check_double_text(&bytes, ldexp(1.0, power));
        check_double_text(&bytes, nextafter(ldexp(1.0, power), 0.0));
    }
    for (int i = 0; i < 1000 * effort(); i++) {
        uint64_t bits = am_rng_u64(&rng);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v)) {
            check_double_text(&bytes, v);
        }
        check_double_text(&bytes, (double)am_rng_below(&rng, 1000000) / 1000.0);
    }
    am_bytes_free(&bytes);
}

static void the_form_of_numbers_is_pinned(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } rows[] = {
        { 0.0, "0" },
        { -0.0, "-0" },
        { 1.0, "1" },
        { -2.5, "-2.5" },
        { 0.1, "0.1" },
        { 1e-6, "0.000001" },
        { 1.5e-7, "1.5e-7" },
        { 123456789.0, "123456789" },
        { 1e15, "1000000000000000" },
        { 1e16, "1e+16" },
        { 1.25e300, "1.25e+300" },
        { 5e-324, "5e-324" },
        { 0.3, "0.3" },
        { 2.0 / 3.0, "0.6666666666666666" },
        { 9007199254740993.0, "9007199254740992" },
    };
    am_bytes bytes = ami_bytes_make(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes.size = 0;
        assert_true(ami_put_double(&bytes, rows[i].value));
        assert_string_equal(as_text(&bytes), rows[i].text);
    }
    am_bytes_free(&bytes);
}

static void integers_of_every_length(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    const int64_t values[] = { 0, 7, -7, 10, 99, 100, 101, -12345, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        bytes.size = 0;
        assert_true(ami_put_integer(&bytes, values[i]));
        char wanted[32];
        snprintf(wanted, sizeof wanted, "%lld", (long long)values[i]);
        assert_string_equal(as_text(&bytes), wanted);
    }
    am_bytes_free(&bytes);
}

static void fixed_decimals_agree_with_printf_for_floats(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    am_rng rng = ami_rng_make(15);
    for (int i = 0; i < 40000 * effort(); i++) {
        int decimals = (int)am_rng_below(&rng, 10);
        float v = am_rng_range(&rng, -1000.0f, 1000.0f) * (am_rng_below(&rng, 4) ? 1.0f : 1e-4f);
        v = am_rng_below(&rng, 8) ? v : (float)(int)v + 0.5f; // ties
        bytes.size = 0;
        assert_true(ami_put_fixed(&bytes, (double)v, decimals));
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%.*f", decimals, (double)v);
        const char *skip_minus = strtod(wanted, NULL) == 0.0 && wanted[0] == '-' ? wanted + 1 : wanted;
        assert_string_equal(as_text(&bytes), skip_minus);
    }
    am_bytes_free(&bytes);
}

static void fixed_decimals_at_their_limits(void **state)
{
    (void)state;
    const struct {
        double value;
        int decimals;
        const char *text;
    } rows[] = {
        { -0.00001, 4, "0.0000" }, { 0.99996, 4, "1.0000" }, { -9.99996, 4, "-10.0000" },
        { 5.0, 0, "5" },           { 0.5, 0, "0" },          { 1.5, 0, "2" },
        { 1e300, 4, "1e+300" },    { 12.0, 15, "12" },       { 1.0, 15, "1.000000000000000" },
    };
    am_bytes bytes = ami_bytes_make(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes.size = 0;
        assert_true(ami_put_fixed(&bytes, rows[i].value, rows[i].decimals));
        assert_string_equal(as_text(&bytes), rows[i].text);
    }
    am_bytes_free(&bytes);
}

static void writing_without_memory_says_so(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = 1;
    am_alloc alloc = ami_budget_alloc(&budget);
    am_bytes bytes = ami_bytes_make(&alloc);
    assert_false(ami_put_fixed(&bytes, 1.5, 3));
    assert_false(ami_put_float(&bytes, 1.5f));
    assert_false(ami_put_float(&bytes, 1e-30f));
    assert_false(ami_put_double(&bytes, 0.1));
    assert_false(ami_put_integer(&bytes, 12));
    assert_int_equal(bytes.size, 0);
}

TEST_SUITE(number)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_of_every_shape),
        cmocka_unit_test(words_that_strtod_knows_are_no_numbers_here),
        cmocka_unit_test(edges_of_double),
        cmocka_unit_test(digits_beyond_any_double_still_count),
        cmocka_unit_test(random_texts_read_like_strtod),
        cmocka_unit_test(halfway_points_round_to_even),
        cmocka_unit_test(floats_are_written_shortest_and_exact),
        cmocka_unit_test(doubles_are_written_shortest_and_exact),
        cmocka_unit_test(the_form_of_numbers_is_pinned),
        cmocka_unit_test(integers_of_every_length),
        cmocka_unit_test(fixed_decimals_agree_with_printf_for_floats),
        cmocka_unit_test(fixed_decimals_at_their_limits),
        cmocka_unit_test(writing_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
