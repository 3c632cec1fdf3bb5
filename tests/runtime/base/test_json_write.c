// Writing JSON: form, escapes, numbers, failures, and that the reader reads it back.
#include "support/check.h"
#include "base/budget.h"

static void check_text(const am_json_writer *writer, const char *wanted)
{
    size_t size = 0;
    const char *text = am_json_text(writer, &size);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    assert_int_equal(size, strlen(wanted));
}

static am_json_writer *make_writer(int indent)
{
    am_json_writer *writer = NULL;
    am_error err = { 0 };
    check_ok(am_json_writer_create(&writer, indent, NULL, &err), &err);
    return writer;
}

static void write_sample(am_json_writer *w)
{
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", "walk");
    am_json_begin_array(w, "points");
    am_json_number(w, NULL, 1.0);
    am_json_number(w, NULL, 2.5);
    am_json_end_array(w);
    am_json_begin_array(w, "rows");
    for (int i = 0; i < 2; i++) {
        am_json_begin_object(w, NULL);
        am_json_bool(w, "ok", i == 0);
        am_json_null(w, "none");
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_begin_object(w, "empty");
    am_json_end_object(w);
    am_json_begin_array(w, "nothing");
    am_json_end_array(w);
    am_json_integer(w, "n", -9007199254740993);
    am_json_end_object(w);
}

static void the_compact_form(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(0);
    write_sample(w);
    check_text(w, "{\"name\":\"walk\",\"points\":[1,2.5],\"rows\":[{\"ok\":true,\"none\":null},{\"ok\":false,"
                  "\"none\":null}],\"empty\":{},\"nothing\":[],\"n\":-9007199254740993}");
    am_json_writer_destroy(w);
}

static void the_indented_form(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(2);
    write_sample(w);
    check_text(w, "{\n  \"name\": \"walk\",\n  \"points\": [1, 2.5],\n  \"rows\": [\n    {\n      \"ok\": true,\n"
                  "      \"none\": null\n    },\n    {\n      \"ok\": false,\n      \"none\": null\n    }\n  ],\n"
                  "  \"empty\": {},\n  \"nothing\": [],\n  \"n\": -9007199254740993\n}");
    am_json_writer_destroy(w);
}

static void text_is_there_after_every_call(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(0);
    assert_null(am_json_text(w, NULL)); // nothing yet
    am_json_begin_array(w, NULL);
    check_text(w, "[");
    am_json_null(w, NULL);
    check_text(w, "[null");
    am_json_end_array(w);
    check_text(w, "[null]");
    am_json_writer_destroy(w);
    am_json_writer_destroy(NULL);
}

static void strings_are_escaped_and_always_utf8(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(0);
    am_json_begin_array(w, NULL);
    am_json_string(w, NULL, "\"\\\b\f\n\r\t\x01\x1F\x7F/");
    am_json_string(w, NULL, "\xC3\xA9\xF0\x9F\x98\x80");
    am_json_string(w, NULL, "a\xFF\xC3z\xE2\x82");
    am_json_string(w, NULL, "");
    am_json_string(w, NULL, NULL);
    am_json_end_array(w);
    check_text(w, "[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f/\",\"\xC3\xA9\xF0\x9F\x98\x80\",\"a\xEF\xBF\xBD"
                  "\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\",\"\",null]");
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    check_ok(am_json_parse(&doc, text, size, NULL, NULL, &err), &err);
    assert_string_equal(am_json_root(doc)->first->string, "\"\\\b\f\n\r\t\x01\x1F\x7F/");
    am_json_free(doc);
    am_json_writer_destroy(w);
}

static void numbers_print_shortest_exact(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(0);
    am_json_begin_array(w, NULL);
    am_json_number(w, NULL, (double)0.1f);
    am_json_number(w, NULL, 0.1);
    am_json_number(w, NULL, 1073741824.0); // a float too, but a whole number prints exactly
    am_json_number(w, NULL, 1.0 / 3.0);
    am_json_number(w, NULL, (double)(1.0f / 3.0f));
    am_json_number(w, NULL, -0.0);
    am_json_number(w, NULL, 1e300);
    am_json_number(w, NULL, (double)1e30f);
    am_json_number(w, NULL, (double)NAN);
    am_json_number(w, NULL, (double)INFINITY);
    am_json_integer(w, NULL, INT64_MIN);
    am_json_end_array(w);
    check_text(w,
               "[0.1,0.1,1073741824,0.3333333333333333,0.33333334,-0,1e+300,1e+30,null,null,-9223372036854775808]");
    am_json_writer_destroy(w);
}

static void each_failing_allocation_is_told_and_freed(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    bool succeeded = false;
    size_t failures = 0;
    for (size_t n = 1; !succeeded; n++) {
        budget.total_count = 0;
        budget.fail_at = n;
        am_json_writer *w = NULL;
        am_error err = { 0 };
        am_result result = am_json_writer_create(&w, 2, &alloc, &err);
        check_refused(result, n == 1 ? AM_ERR_MEMORY : AM_OK);
        assert_true((w == NULL) == (n == 1)); // NULL is a writer that failed at once
        am_json_begin_object(w, NULL);
        for (int i = 0; i < 100; i++) {
            char key[16];
            snprintf(key, sizeof key, "key_%d", i);
            am_json_string(w, key, "some text to fill the buffer");
            am_json_begin_array(w, "rows"); // a failure inside must not confuse the levels
            am_json_begin_object(w, NULL);
            am_json_number(w, "n", 0.5);
            am_json_integer(w, "i", i);
            am_json_bool(w, "b", true);
            am_json_hash(w, "h", 1);
            am_json_null(w, "none");
            am_json_end_object(w);
            am_json_end_array(w);
        }
        am_json_end_object(w);
        succeeded = am_json_text(w, NULL) != NULL;
        am_json_writer_destroy(w);
        failures += !succeeded;
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(failures >= 4);
}

static void nesting_deeper_than_64_fails(void **state)
{
    (void)state;
    am_json_writer *w = make_writer(0);
    for (int i = 0; i < 64; i++) {
        am_json_begin_array(w, NULL);
    }
    assert_non_null(am_json_text(w, NULL));
    am_json_begin_array(w, NULL);
    assert_null(am_json_text(w, NULL));
    for (int i = 0; i < 65; i++) {
        am_json_end_array(w);
    }
    assert_null(am_json_text(w, NULL));
    am_json_writer_destroy(w);
}

TEST_SUITE(json_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_compact_form),
        cmocka_unit_test(the_indented_form),
        cmocka_unit_test(text_is_there_after_every_call),
        cmocka_unit_test(strings_are_escaped_and_always_utf8),
        cmocka_unit_test(numbers_print_shortest_exact),
        cmocka_unit_test(each_failing_allocation_is_told_and_freed),
        cmocka_unit_test(nesting_deeper_than_64_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
