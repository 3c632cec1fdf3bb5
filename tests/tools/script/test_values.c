// Values by path as the page and scripts give them, and the description of a schema by which a page offers them.
#include "support/check.h"
#include "support/refuse.h"

#include <amble/tools/describe.h>
#include <amble/tools/script.h>

#include "operators/control.h"

#include <string.h>

static const char text[] =
    "{ \"name\": \"both\", \"control\": { \"or\": {"
    "  \"go\": { \"and\": { \"target\": \"location\", \"facing\": { \"optional\": \"direction\" } } },"
    "  \"walk\": { \"and\": { \"path\": { \"set\": \"location\", \"most\": 3 },"
    "    \"style\": { \"one_of\": [\"plain\", \"proud\"] }, \"own\": { \"location\": { \"space\": \"local\" } } } } "
    "} } }";

static am_control_schema *read_schema(void)
{
    am_error err = { 0 };
    am_control_schema *schema = NULL;
    check_ok(am_control_schema_read(&schema, text, strlen(text), "both.json", NULL, &err), &err);
    return schema;
}

static am_result put(am_control *control, const char *json, am_error *err)
{
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, json, strlen(json), "values.json", NULL, err), err);
    const am_result result = am_run_put_values(control, doc, am_json_root(doc), err);
    am_json_free(doc);
    return result;
}

static float number_at(const am_control *control, const char *path, int offset)
{
    am_error err = { 0 };
    int place = 0;
    assert_true(ami_control_find(control->schema, path, &place, &err) >= 0);
    return control->numbers[place + offset];
}

static void values_are_put_by_nested_and_dotted_paths(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_control_schema *schema = read_schema();
    am_control *control = NULL;
    check_ok(am_control_create(&control, schema, NULL, &err), &err);
    check_ok(put(control, "{ \"go.target\": [1, 2, 3], \"go\": { \"facing\": [0, 0, 1] } }", &err), &err);
    assert_true(number_at(control, "", 0) == 0.0f); // the first branch
    assert_true(number_at(control, "go.target", 2) == 3.0f);
    assert_true(number_at(control, "go.facing", 0) == 1.0f); // it is given
    check_ok(put(control, "{ \"go.facing\": null }", &err), &err);
    assert_true(number_at(control, "go.facing", 0) == 0.0f && number_at(control, "go.target", 2) == 3.0f);
    check_ok(put(control, "{ \"walk\": { \"path\": [[4, 0, 5], [6, 0, 7]], \"style\": \"proud\" } }", &err), &err);
    assert_true(number_at(control, "", 0) == 1.0f && number_at(control, "walk.path", 0) == 2.0f);
    assert_true(number_at(control, "walk.path[1]", 2) == 7.0f && number_at(control, "walk.style", 0) == 1.0f);
    check_refused(put(control, "{\n \"walk.stile\": \"proud\" }", &err), AM_ERR_KEY);
    assert_true(err.line == 2 && strstr(err.text, "style") != NULL);
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static const am_json *part_at(const am_json *root, const char *path, const char *word)
{
    for (const am_json *part = am_json_get(root, "parts")->first; part; part = part->next) {
        if (strcmp(am_json_get(part, "path")->string, path) == 0 &&
            strcmp(am_json_get(part, "operator")->string, word) == 0) {
            return part;
        }
    }
    fail_msg("there is no part '%s' of kind %s", path, word);
    return NULL;
}

static void a_description_says_what_can_be_offered(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_control_schema *schema = read_schema();
    am_json_writer *w = NULL;
    am_json_doc *doc = NULL;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    am_json_begin_object(w, NULL);
    am_control_schema_describe(w, schema);
    am_json_end_object(w);
    size_t size = 0;
    const char *json = am_json_text(w, &size);
    check_ok(am_json_parse(&doc, json, size, "schema", NULL, &err), &err);
    const am_json *root = am_json_root(doc);
    const am_json *names = am_json_get(part_at(root, "walk.style", "one_of"), "names");
    assert_int_equal(names->count, 2);
    assert_string_equal(names->first->next->string, "proud");
    assert_true(am_json_get(part_at(root, "walk.path", "set"), "most")->number == 3.0);
    assert_true(am_json_get(part_at(root, "walk.own", "location"), "local")->boolean);
    const am_json *target = part_at(root, "go.target", "location");
    assert_true(!am_json_get(target, "local") && !am_json_get(target, "most") && !am_json_get(target, "names"));
    part_at(root, "go.facing", "optional");
    part_at(root, "go.facing", "direction"); // what the optional holds has its path
    am_json_free(doc);
    am_json_writer_destroy(w);
    am_control_schema_destroy(schema);
}

TEST_SUITE(values)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_put_by_nested_and_dotted_paths),
        cmocka_unit_test(a_description_says_what_can_be_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
