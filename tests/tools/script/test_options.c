// The table of options: the docs are made from it, and a script hears of its own controller only.
#include "support/check.h"
#include "support/refuse.h"

#include <amble/tools/script.h>

#include <string.h>

static void the_docs_have_the_table(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_bytes table = { 0 };
    am_file docs = { 0 };
    check_ok(am_run_options_table(&table, &err), &err);
    check_ok(am_file_open(&docs, AMBLE_SOURCE_DIR "/docs/run.md", &err), &err);
    size_t at = 0;
    while (at + table.size <= docs.size && memcmp(docs.data + at, table.data, table.size) != 0) {
        at++;
    }
    assert_true(at + table.size <= docs.size); // else: put the output of `amble run --options` there
    am_file_close(&docs);
    am_bytes_free(&table);
}

static void a_script_hears_of_its_own_controller(void **state)
{
    (void)state;
    const struct {
        const char *controller, *key;
    } wrong[] = {
        { "learned", "stay_bias" }, { "learned", "l" }, { "field", "search_every_s" }, { "match", "task" }
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512], expected[64];
        am_error err = { 0 };
        am_run_script script;
        snprintf(text, sizeof text,
                 "{ \"database\": \"x.amdb\", \"controller\": \"%s\", \"seconds\": 1, \"options\": { \"%s\": 1 }, "
                 "\"characters\": [ {} ] }",
                 wrong[i].controller, wrong[i].key);
        check_refused(am_run_parse(&script, text, strlen(text), "run.json", NULL, &err), AM_ERR_SUPPORT);
        snprintf(expected, sizeof expected, "controller '%s'", wrong[i].controller);
        assert_non_null(strstr(err.text, expected));
        assert_non_null(strstr(err.text, wrong[i].key));
    }
}

TEST_SUITE(options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_docs_have_the_table),
        cmocka_unit_test(a_script_hears_of_its_own_controller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
