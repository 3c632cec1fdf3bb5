// The bounded byte reader, the growing writer, and the text of errors.
#include "support/check.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/budget.h"

static void what_is_written_reads_back(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    assert_true(ami_put_u8(&bytes, 0xAB));
    assert_true(ami_put_u16(&bytes, 0x1234));
    assert_true(ami_put_u32(&bytes, 0xDEADBEEF));
    assert_true(ami_put_u64(&bytes, 0x0123456789ABCDEFu));
    assert_true(ami_put_f32(&bytes, -1.5f));
    assert_true(ami_put_text(&bytes, "text"));
    assert_int_equal(bytes.size, 1 + 2 + 4 + 8 + 4 + 4);
    assert_int_equal(bytes.data[1], 0x34); // little-endian
    ami_reader reader = ami_reader_make(bytes.data, bytes.size);
    assert_int_equal(ami_read_u8(&reader), 0xAB);
    assert_int_equal(ami_read_u16(&reader), 0x1234);
    assert_int_equal(ami_read_u32(&reader), 0xDEADBEEF);
    assert_true(ami_read_u64(&reader) == 0x0123456789ABCDEFu);
    assert_int_equal(ami_read_u32(&reader), 0xBFC00000); // the bits of -1.5f
    assert_memory_equal(ami_read_bytes(&reader, 4), "text", 4);
    assert_false(reader.failed);
    assert_int_equal(reader.at, reader.size);
    am_bytes_free(&bytes);
}

static void reading_past_the_end_gives_zeros_and_fails_for_good(void **state)
{
    (void)state;
    const uint8_t three[3] = { 1, 2, 3 };
    ami_reader reader = ami_reader_make(three, 3);
    assert_int_equal(ami_read_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(ami_read_u8(&reader), 0); // also what would have fitted
    assert_null(ami_read_bytes(&reader, 0));

    ami_reader exact = ami_reader_make(three, 3);
    assert_non_null(ami_read_bytes(&exact, 3));
    assert_non_null(ami_read_bytes(&exact, 0));
    assert_null(ami_read_bytes(&exact, 1));

    ami_reader huge = ami_reader_make(three, 3);
    ami_read_u8(&huge);
    assert_null(ami_read_bytes(&huge, SIZE_MAX)); // must not wrap
    ami_reader empty = ami_reader_make(NULL, 0);
    assert_int_equal(ami_read_u8(&empty), 0);
    assert_true(empty.failed);
}

static void seeking_stays_within_the_bytes(void **state)
{
    (void)state;
    const uint8_t three[3] = { 1, 2, 3 };
    ami_reader reader = ami_reader_make(three, 3);
    ami_reader_seek(&reader, 2);
    assert_int_equal(ami_read_u8(&reader), 3);
    ami_reader_seek(&reader, 3);
    assert_false(reader.failed);
    ami_reader_seek(&reader, 4);
    assert_true(reader.failed);
}

static void the_writer_grows_pads_and_formats(void **state)
{
    (void)state;
    am_bytes bytes = ami_bytes_make(NULL);
    for (int i = 0; i < 1000; i++) {
        assert_true(ami_put_format(&bytes, "%d,", i));
    }
    assert_memory_equal(bytes.data, "0,1,2,", 6);
    assert_memory_equal(bytes.data + bytes.size - 8, "998,999,", 8);
    size_t size = bytes.size;
    assert_true(ami_put_align(&bytes, 64));
    assert_int_equal(bytes.size % 64, 0);
    assert_true(bytes.size - size < 64);
    assert_int_equal(bytes.data[bytes.size - 1], 0);
    size = bytes.size;
    assert_true(ami_put_align(&bytes, 64)); // nothing to do
    assert_int_equal(bytes.size, size);
    assert_true(ami_put(&bytes, NULL, 0));
    assert_int_equal(bytes.size, size);
    am_bytes_free(&bytes);
    assert_null(bytes.data);
    am_bytes_free(&bytes);
    am_bytes_free(NULL);
}

static void a_failed_allocation_leaves_the_bytes_as_they_were(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_bytes bytes = ami_bytes_make(&alloc);
    assert_true(ami_put_text(&bytes, "kept"));
    budget.max_bytes = 300;
    assert_false(ami_put_zeros(&bytes, 1000));
    assert_false(ami_put(&bytes, bytes.data, 1000));
    assert_false(ami_put_format(&bytes, "%1000d", 1));
    assert_false(ami_bytes_reserve(&bytes, SIZE_MAX / 2));
    assert_int_equal(bytes.size, 4);
    assert_memory_equal(bytes.data, "kept", 4);
    am_bytes_free(&bytes);
    assert_int_equal(budget.live_count, 0);
}

static void every_result_has_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < AM_ERR_COUNT; i++) {
        assert_true(strlen(am_result_name((am_result)i)) > 1);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(am_result_name((am_result)i), am_result_name((am_result)k));
        }
    }
    assert_string_equal(am_result_name(AM_ERR_COUNT), "unknown");
    assert_string_equal(am_result_name((am_result)-1), "unknown");
}

static void check_format(const am_error *err, const char *wanted)
{
    char text[1024];
    am_error_format(err, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void errors_say_where_and_what(void **state)
{
    (void)state;
    am_error err = { 0 };
    check_refused(ami_fail_line(&err, AM_ERR_SYNTAX, "a.json", 3, 7, "odd %s", "thing"), AM_ERR_SYNTAX);
    assert_int_equal(err.code, AM_ERR_SYNTAX);
    check_format(&err, "a.json:3:7: odd thing");
    ami_fail_line(&err, AM_ERR_FORMAT, "a.bvh", 12, 0, "short row");
    check_format(&err, "a.bvh:12: short row");
    ami_fail_line(&err, AM_ERR_FORMAT, NULL, 12, 4, "short row");
    check_format(&err, "line:12:4: short row");
    ami_fail_at(&err, AM_ERR_TRUNCATED, "a.amdb", 64, "ends early");
    check_format(&err, "a.amdb: at byte 64: ends early");
    ami_fail_at(&err, AM_ERR_TRUNCATED, NULL, 64, "ends early");
    check_format(&err, "at byte 64: ends early");
    ami_fail(&err, AM_ERR_EMPTY, "nothing");
    check_format(&err, "nothing");
    ami_error_file(&err, "x.bvh");
    ami_error_file(&err, "y.bvh"); // the first name stays
    check_format(&err, "x.bvh: nothing");
    ami_fail(&err, AM_ERR_EMPTY, "%s", "");
    check_format(&err, "empty");
    check_refused(ami_fail_memory(&err, 4096), AM_ERR_MEMORY);
    assert_non_null(strstr(err.text, "4096"));
}

static void errors_are_cut_to_their_room_and_may_be_left_out(void **state)
{
    (void)state;
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    am_error err = { 0 };
    ami_fail_line(&err, AM_ERR_SYNTAX, name, 1, 1, "%s", name);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    char little[8];
    am_error_format(&err, little, sizeof little);
    assert_string_equal(little, "nnnnnnn");
    am_error_format(&err, little, 0); // writes nothing
    assert_string_equal(little, "nnnnnnn");
    check_refused(ami_fail(NULL, AM_ERR_ROLE, "x"), AM_ERR_ROLE);
    check_refused(ami_fail_line(NULL, AM_ERR_ROLE, "f", 1, 1, "x"), AM_ERR_ROLE);
    check_refused(ami_fail_at(NULL, AM_ERR_ROLE, "f", 1, "x"), AM_ERR_ROLE);
    ami_error_file(NULL, "f");
}

TEST_SUITE(bytes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(reading_past_the_end_gives_zeros_and_fails_for_good),
        cmocka_unit_test(seeking_stays_within_the_bytes),
        cmocka_unit_test(the_writer_grows_pads_and_formats),
        cmocka_unit_test(a_failed_allocation_leaves_the_bytes_as_they_were),
        cmocka_unit_test(every_result_has_its_own_name),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(errors_are_cut_to_their_room_and_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
