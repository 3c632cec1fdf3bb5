// Reading JSON: what is accepted, what is refused and where, and the typed readers.
#include "support/check.h"

#include "base/utf8.h"

static am_json_doc *parse(const char *text)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), "t.json", NULL, &err), &err);
    return doc;
}

// A value as compact text, to compare whole documents.
static void describe(char *out, const am_json *value)
{
    out += strlen(out);
    if (value->key) {
        out += sprintf(out, "%s:", value->key);
    }
    switch (value->type) {
    case AM_JSON_NULL:
        sprintf(out, "null");
        break;
    case AM_JSON_BOOL:
        sprintf(out, value->boolean ? "true" : "false");
        break;
    case AM_JSON_NUMBER:
        sprintf(out, "%g", value->number);
        break;
    case AM_JSON_STRING:
        sprintf(out, "'%s'", value->string);
        break;
    default:
        sprintf(out, "%c%d ", value->type == AM_JSON_ARRAY ? '[' : '{', value->count);
        for (const am_json *item = value->first; item; item = item->next) {
            describe(out, item);
            strcat(out, " ");
        }
        strcat(out, value->type == AM_JSON_ARRAY ? "]" : "}");
    }
}

static void good_texts_are_understood(void **state)
{
    (void)state;
    const struct {
        const char *text, *meaning;
    } rows[] = {
        { "null", "null" },
        { " true ", "true" },
        { "false//", "false" },
        { "-0.5e1", "-5" },
        { "0", "0" },
        { "\"\"", "''" },
        { "[]", "[0 ]" },
        { "{}", "{0 }" },
        { "[1,2,]", "[2 1 2 ]" },
        { "{\"a\":1,}", "{1 a:1 }" },
        { "/* a */ [ // b\n 1 /*c*/ , /**/ 2 ] /* d */", "[2 1 2 ]" },
        { "{\"a\" /*x*/ : [true, null], \"b\": {\"c\": \"d\"}}", "{2 a:[2 true null ] b:{1 c:'d' } }" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'" },
        { "\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"", "'A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'" },
        { "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 // no comment\"",
          "'\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 // no comment'" },
        { "\xEF\xBB\xBF[1]", "[1 1 ]" },
        { "{\"\": 1, \" \": 2}", "{2 :1  :2 }" },
        { "[[[[[]]]]]", "[1 [1 [1 [1 [0 ] ] ] ] ]" },
        { "[1e308, 5e-324, 123456789012345678901234567890]", "[3 1e+308 4.94066e-324 1.23457e+29 ]" },
        { "\t\r\n 7\n", "7" },
        { "\"\x7F\"", "'\x7F'" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        am_json_doc *doc = parse(rows[i].text);
        char meaning[512] = "";
        describe(meaning, am_json_root(doc));
        assert_string_equal(meaning, rows[i].meaning);
        am_json_free(doc);
    }
    am_json_free(NULL);
}

static void bad_texts_are_refused_at_the_right_place(void **state)
{
    (void)state;
    const struct {
        const char *text;
        am_result code;
        int line, column;
        const char *says;
    } rows[] = {
        { "", AM_ERR_SYNTAX, 1, 1, "the text ends" },
        { "  \n ", AM_ERR_SYNTAX, 2, 2, "the text ends" },
        { "[1, 2", AM_ERR_SYNTAX, 1, 6, "a comma or ]" },
        { "[1 2]", AM_ERR_SYNTAX, 1, 4, "not '2'" },
        { "[,1]", AM_ERR_SYNTAX, 1, 2, "a value" },
        { "[1,,2]", AM_ERR_SYNTAX, 1, 4, "a value" },
        { "{,}", AM_ERR_SYNTAX, 1, 2, "a key in quotes" },
        { "{\"a\":1 \"b\":2}", AM_ERR_SYNTAX, 1, 8, "a comma or }" },
        { "{\"a\" 1}", AM_ERR_SYNTAX, 1, 6, "a colon" },
        { "{\"a\":}", AM_ERR_SYNTAX, 1, 6, "a value" },
        { "{a:1}", AM_ERR_SYNTAX, 1, 2, "a key in quotes" },
        { "{\"a\":1]", AM_ERR_SYNTAX, 1, 7, "not ']'" },
        { "{\"a\"", AM_ERR_SYNTAX, 1, 5, "cut short" },
        { "[1]]", AM_ERR_SYNTAX, 1, 4, "remove the rest" },
        { "1 2", AM_ERR_SYNTAX, 1, 3, "remove the rest" },
        { "\n\n  tru", AM_ERR_SYNTAX, 3, 3, "'tru' is not a value" },
        { "[True]", AM_ERR_SYNTAX, 1, 2, "'True'" },
        { "walk", AM_ERR_SYNTAX, 1, 1, "quote it" },
        { "[\x01]", AM_ERR_SYNTAX, 1, 2, "0x01" },
        { "'a'", AM_ERR_SYNTAX, 1, 1, "a value" },
        { "\xC3\xA9", AM_ERR_SYNTAX, 1, 1, "'\xC3\xA9'" },
        { "01", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "+1", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { ".5", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "1.", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "-", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "1e", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "1e+", AM_ERR_SYNTAX, 1, 1, "not a number" },
        { "[0x10]", AM_ERR_SYNTAX, 1, 3, "a comma" },
        { "[1, 1e999]", AM_ERR_NUMBER, 1, 5, "too large" },
        { "-1e309", AM_ERR_NUMBER, 1, 1, "too large" },
        { "\"abc", AM_ERR_SYNTAX, 1, 1, "never ends" },
        { "\"abc\\", AM_ERR_SYNTAX, 1, 6, "cut short" },
        { "[\"abc\n\"]", AM_ERR_SYNTAX, 1, 2, "does not end on its line" },
        { "\"a\tb\"", AM_ERR_SYNTAX, 1, 3, "\\u0009" },
        { "\"a\\x\"", AM_ERR_SYNTAX, 1, 3, "backslash" },
        { "\"C:\\Users\"", AM_ERR_SYNTAX, 1, 4, "backslash" },
        { "\"\\u12\"", AM_ERR_SYNTAX, 1, 2, "four hexadecimal" },
        { "\"\\u12G4\"", AM_ERR_SYNTAX, 1, 2, "four hexadecimal" },
        { "\"\\u12", AM_ERR_SYNTAX, 1, 2, "four hexadecimal" },
        { "\"\\u0000\"", AM_ERR_SYNTAX, 1, 2, "\\u0000" },
        { "\"x\\ud83d\"", AM_ERR_SYNTAX, 1, 3, "surrogate" },
        { "\"\\ud83d\\u0041\"", AM_ERR_SYNTAX, 1, 2, "surrogate" },
        { "\"\\ude00\"", AM_ERR_SYNTAX, 1, 2, "surrogate" },
        { "\"\\ud83d\\uZZZZ\"", AM_ERR_SYNTAX, 1, 2, "surrogate" },
        { "[\"\xC3\xA9\xE2\x82\xAC\", x]", AM_ERR_SYNTAX, 1, 8, "'x'" }, // columns count characters
        { "\"a\xFF\"", AM_ERR_SYNTAX, 1, 3, "0xFF is not UTF-8" },
        { "[1]\n// \xC0\x80", AM_ERR_SYNTAX, 2, 4, "0xC0" },
        { "\"\xED\xA0\x80\"", AM_ERR_SYNTAX, 1, 2, "0xED" },
        { "[1] /", AM_ERR_SYNTAX, 1, 5, "a comment" },
        { "[1] / 2", AM_ERR_SYNTAX, 1, 5, "a comment" },
        { "[1,\n/* x", AM_ERR_SYNTAX, 2, 1, "never ends" },
        { "{\"a\"/*", AM_ERR_SYNTAX, 1, 5, "never ends" },
        { "{\"a\":/", AM_ERR_SYNTAX, 1, 6, "a comment" },
        { "[1/*", AM_ERR_SYNTAX, 1, 3, "never ends" },
        { "[/", AM_ERR_SYNTAX, 1, 2, "a comment" },
        { "/", AM_ERR_SYNTAX, 1, 1, "a comment" },
        { "/*/", AM_ERR_SYNTAX, 1, 1, "never ends" },
        { "{\"a\":1,\n \"a\":2}", AM_ERR_KEY, 2, 2, "\"a\" appears twice in this object" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        am_json_doc *doc = NULL;
        am_error err = { 0 };
        am_result result = am_json_parse(&doc, rows[i].text, strlen(rows[i].text), "t.json", NULL, &err);
        bool right = result == rows[i].code && err.code == result && err.line == rows[i].line &&
                     err.column == rows[i].column && strstr(err.text, rows[i].says) &&
                     strcmp(err.file, "t.json") == 0;
        if (!right || doc) {
            char text[1024];
            am_error_format(&err, text, sizeof text);
            fail_msg("'%s' gave '%s': %s; wanted '%s' at %d:%d saying '%s'", rows[i].text, am_result_name(result),
                     text, am_result_name(rows[i].code), rows[i].line, rows[i].column, rows[i].says);
        }
    }
    am_json_doc *doc = NULL;
    check_refused(am_json_parse(&doc, "[", 1, NULL, NULL, NULL), AM_ERR_SYNTAX); // without a name and an error
    check_refused(am_json_parse(&doc, "1\0", 2, NULL, NULL, NULL), AM_ERR_SYNTAX);
    check_refused(am_json_parse(&doc, "\"\\\0\"", 4, NULL, NULL, NULL), AM_ERR_SYNTAX);
    check_refused(am_json_parse(&doc, "{\"a\":1,\"a\":1}", 13, NULL, NULL, NULL), AM_ERR_KEY);
}

static void depth_is_limited_to_64(void **state)
{
    (void)state;
    char text[200];
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text + 1, 128, NULL, NULL, &err), &err);
    am_json_free(doc);
    check_refused(am_json_parse(&doc, text, 130, NULL, NULL, &err), AM_ERR_LIMIT);
    assert_int_equal(err.column, 65);
    assert_null(doc);
}

static void repeated_keys_of_large_objects_are_found(void **state)
{
    (void)state;
    enum { keys = 2000 };
    char *text = malloc(keys * 16);
    assert_non_null(text);
    for (int twice = 15; twice < keys; twice += 397) {
        size_t size = 0;
        text[size++] = '{';
        for (int i = 0; i < keys; i++) {
            size += (size_t)sprintf(text + size, "\"%d\":0,\n", i == twice ? 3 : i);
        }
        text[size++] = '}';
        am_json_doc *doc = NULL;
        am_error err = { 0 };
        check_refused(am_json_parse(&doc, text, size, "t.json", NULL, &err), AM_ERR_KEY);
        assert_int_equal(err.line, twice + 1);
        assert_int_equal(err.column, 1);
    }
    free(text);
}

static void values_know_where_they_stand(void **state)
{
    (void)state;
    am_json_doc *doc = parse("// first\n{ \"\xC3\xA9\": 1,\r\n  \"b\": [true,\n false] }");
    const am_json *root = am_json_root(doc);
    assert_int_equal(root->line, 2);
    assert_int_equal(root->column, 1);
    assert_null(root->key);
    const am_json *a = root->first;
    assert_int_equal(a->key_line, 2);
    assert_int_equal(a->key_column, 3);
    assert_int_equal(a->column, 8);
    const am_json *b = am_json_get(root, "b");
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 8);
    assert_int_equal(b->first->next->line, 4);
    assert_int_equal(b->first->next->column, 2);
    assert_null(am_json_get(root, "c"));
    assert_null(am_json_get(b, "b")); // not an object
    am_json_free(doc);
}

static void files_are_parsed_under_their_name(void **state)
{
    (void)state;
    char path[1200];
    snprintf(path, sizeof path, "%s/x.json", test_temp_dir("base.json"));
    am_error err = { 0 };
    check_ok(am_file_write(path, "{\"a\": 1}", 8, &err), &err);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse_file(&doc, path, NULL, &err), &err);
    assert_int_equal(am_json_root(doc)->count, 1);
    am_json_free(doc);
    check_ok(am_file_write(path, "{\"a\": ", 6, &err), &err);
    check_refused(am_json_parse_file(&doc, path, NULL, &err), AM_ERR_SYNTAX);
    assert_null(doc);
    assert_non_null(strstr(err.file, "x.json"));
    remove(path);
    check_refused(am_json_parse_file(&doc, path, NULL, &err), AM_ERR_OPEN);
}

static void utf8_follows_the_standard(void **state)
{
    (void)state;
    // Encoding and checking agree for every code point but the surrogates.
    for (uint32_t code = 1; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 61) {
        char bytes[4];
        int length = ami_utf8_encode(bytes, code);
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        assert_int_equal(ami_utf8_length(bytes, bytes + length), surrogate ? 0 : length);
        if (length > 1) {
            assert_int_equal(ami_utf8_length(bytes, bytes + length - 1), 0);
        }
    }
    const char *const bad[] = {
        "\x80",  "\xC1\xBF",  "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xC3(", "\xE2\x82(", "\xF0\x9F\x98("
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ami_utf8_length(bad[i], bad[i] + strlen(bad[i])), 0);
    }
    const char text[] = "0123456789ab\xC3\xA9 01234567\xFF 0123456789";
    assert_int_equal(ami_utf8_check(text, text + sizeof text - 1) - text, 23);
}

// ---------------------------------------------------------------------------------------------
// Typed readers

static const char config[] =
    "{ \"on\": true, \"k\": 3, \"half\": 0.5, \"big\": 1e20, \"name\": \"walk\",\n"
    "  \"list\": [1, 2.5, -3], \"mixed\": [1, \"a\"], \"huge\": [1e300], \"mode\": \"sprng\" }";

static void readers_give_what_is_there(void **state)
{
    (void)state;
    am_json_doc *doc = parse(config);
    const am_json *root = am_json_root(doc);
    bool on = false;
    int k = 0;
    float half = 0.0f;
    const char *name = NULL;
    float list[3] = { 0 };
    int count = 0;
    check_ok(am_json_read_bool(doc, root, "on", true, &on, NULL), NULL);
    check_ok(am_json_read_int(doc, root, "k", true, &k, 3, 3, NULL), NULL);
    check_ok(am_json_read_float(doc, root, "half", true, &half, 0.0f, 0.5f, NULL), NULL);
    check_ok(am_json_read_string(doc, root, "name", true, &name, NULL), NULL);
    check_ok(am_json_read_floats(doc, root, "list", true, list, 3, &count, NULL), NULL);
    assert_true(on);
    assert_int_equal(k, 3);
    assert_true(half == 0.5f);
    assert_string_equal(name, "walk");
    assert_int_equal(count, 3);
    assert_true(list[0] == 1.0f && list[1] == 2.5f && list[2] == -3.0f);
    const char *const names[] = { "run", "walk" };
    int choice = -1;
    check_ok(am_json_read_choice(doc, root, "name", true, &choice, names, 2, NULL), NULL);
    assert_int_equal(choice, 1);
    am_json_free(doc);
}

static void a_missing_key_keeps_the_default_unless_required(void **state)
{
    (void)state;
    am_json_doc *doc = parse("\n  {}");
    const am_json *root = am_json_root(doc);
    bool b = true;
    int i = 7, choice = 1, count = 2;
    float f = 1.5f, list[1] = { 4.0f };
    const char *s = "default";
    const char *const names[] = { "a", "b" };
    for (int required = 0; required < 2; required++) {
        am_result wanted = required ? AM_ERR_KEY : AM_OK;
        am_error err = { 0 };
        check_refused(am_json_read_bool(doc, root, "x", required, &b, &err), wanted);
        check_refused(am_json_read_int(doc, root, "x", required, &i, 0, 1, &err), wanted);
        check_refused(am_json_read_float(doc, root, "x", required, &f, 0.0f, 1.0f, &err), wanted);
        check_refused(am_json_read_string(doc, root, "x", required, &s, &err), wanted);
        check_refused(am_json_read_choice(doc, root, "x", required, &choice, names, 2, &err), wanted);
        check_refused(am_json_read_floats(doc, root, "x", required, list, 1, &count, &err), wanted);
        if (required) {
            assert_non_null(strstr(err.text, "\"x\" is missing"));
            assert_int_equal(err.line, 2);
            assert_int_equal(err.column, 3);
        }
    }
    assert_true(b && i == 7 && f == 1.5f && choice == 1 && count == 2 && list[0] == 4.0f);
    assert_string_equal(s, "default");
    am_json_free(doc);
}

static void check_error(am_result result, const am_error *err, am_result code, int line, int column, const char *says)
{
    check_refused(result, code);
    assert_int_equal(err->code, code);
    if (err->line != line || err->column != column || !strstr(err->text, says)) {
        fail_msg("got %d:%d '%s', wanted %d:%d '%s'", (int)err->line, (int)err->column, err->text, line, column,
                 says);
    }
}

static void wrong_types_and_values_are_named(void **state)
{
    (void)state;
    am_json_doc *doc = parse(config);
    const am_json *root = am_json_root(doc);
    am_error e = { 0 };
    bool b;
    int i = 5;
    float f, list[3] = { 9.0f };
    const char *s;
    check_error(am_json_read_bool(doc, root, "k", true, &b, &e), &e, AM_ERR_TYPE, 1, 20,
                "\"k\" should be true or false, not a number");
    check_error(am_json_read_int(doc, root, "on", true, &i, 0, 9, &e), &e, AM_ERR_TYPE, 1, 9,
                "should be a number, not true or false");
    check_error(am_json_read_int(doc, root, "half", true, &i, 0, 9, &e), &e, AM_ERR_TYPE, 1, 31, "a whole number");
    check_error(am_json_read_int(doc, root, "k", true, &i, 4, 9, &e), &e, AM_ERR_RANGE, 1, 20, "from 4 to 9");
    check_error(am_json_read_int(doc, root, "big", true, &i, 0, 9, &e), &e, AM_ERR_RANGE, 1, 43, "1e+20");
    check_error(am_json_read_float(doc, root, "k", true, &f, 0.0f, 2.0f, &e), &e, AM_ERR_RANGE, 1, 20, "from 0 to 2");
    check_error(am_json_read_float(doc, root, "k", true, &f, 4.0f, INFINITY, &e), &e, AM_ERR_RANGE, 1, 20,
                "at least 4");
    check_error(am_json_read_float(doc, root, "k", true, &f, -INFINITY, 2.0f, &e), &e, AM_ERR_RANGE, 1, 20,
                "at most 2");
    check_error(am_json_read_string(doc, root, "k", true, &s, &e), &e, AM_ERR_TYPE, 1, 20, "a string");
    int count;
    check_error(am_json_read_floats(doc, root, "k", true, list, 3, &count, &e), &e, AM_ERR_TYPE, 1, 20, "an array");
    check_error(am_json_read_floats(doc, root, "list", true, list, 2, &count, &e), &e, AM_ERR_RANGE, 2, 11,
                "at most 2");
    check_error(am_json_read_floats(doc, root, "mixed", true, list, 3, &count, &e), &e, AM_ERR_TYPE, 2, 38,
                "numbers only");
    check_error(am_json_read_floats(doc, root, "huge", true, list, 3, &count, &e), &e, AM_ERR_RANGE, 2, 53,
                "too large");
    assert_true(i == 5 && list[0] == 9.0f); // refused values leave the default
    const am_json *name = am_json_get(root, "name");
    check_error(am_json_read_bool(doc, name, "k", false, &b, &e), &e, AM_ERR_TYPE, 1, 57, "an object");
    check_error(am_json_fail(doc, name, AM_ERR_ROLE, &e, "no %s", "feet"), &e, AM_ERR_ROLE, 1, 57, "no feet");
    assert_string_equal(e.file, "t.json");
    check_refused(am_json_fail(doc, name, AM_ERR_ROLE, NULL, "x"), AM_ERR_ROLE);
    am_json_free(doc);

    doc = parse("{\"f\": 1e300}");
    check_error(am_json_read_float(doc, am_json_root(doc), "f", true, &f, -INFINITY, INFINITY, &e), &e, AM_ERR_RANGE,
                1, 7, "at most 3.4");
    am_json_free(doc);
}

static void choices_name_the_nearest(void **state)
{
    (void)state;
    am_json_doc *doc = parse(config);
    am_error e = { 0 };
    const char *const names[] = { "quintic", "spring", "off" };
    int choice = 9;
    check_error(am_json_read_choice(doc, am_json_root(doc), "mode", true, &choice, names, 3, &e), &e, AM_ERR_RANGE, 2,
                69, "did you mean \"spring\"?");
    check_error(am_json_read_choice(doc, am_json_root(doc), "name", true, &choice, names, 3, &e), &e, AM_ERR_RANGE, 1,
                57, "choose from: quintic, spring, off");
    assert_int_equal(choice, 9);
    am_json_free(doc);
}

static void unknown_keys_name_the_nearest(void **state)
{
    (void)state;
    const char *const keys[] = { "database", "controller", "seconds", "fps" };
    const struct {
        const char *text, *says;
        int column;
    } rows[] = {
        { "{\"databse\": 1}", "did you mean \"database\"?", 2 },
        { "{\"fps\": 1, \"contorller\": 1}", "did you mean \"controller\"?", 12 },
        { "{\"Seconds\": 1}", "did you mean \"seconds\"?", 2 },
        { "{\"FPS\": 1}", "did you mean \"fps\"?", 2 },
        { "{\"xyz\": 1}", "known here: database, controller, seconds, fps", 2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        am_json_doc *doc = parse(rows[i].text);
        am_error e = { 0 };
        check_error(am_json_only(doc, am_json_root(doc), keys, 4, &e), &e, AM_ERR_KEY, 1, rows[i].column,
                    rows[i].says);
        check_refused(am_json_only(doc, am_json_root(doc), keys, 4, NULL), AM_ERR_KEY);
        am_json_free(doc);
    }
    am_json_doc *doc = parse("{\"fps\": 1, \"database\": 2}");
    check_ok(am_json_only(doc, am_json_root(doc), keys, 4, NULL), NULL);
    am_error e = { 0 };
    check_error(am_json_only(doc, am_json_root(doc)->first, keys, 4, &e), &e, AM_ERR_TYPE, 1, 9, "an object");
    am_json_free(doc);
}

static void a_long_list_of_keys_fits_the_error(void **state)
{
    (void)state;
    const char *keys[60];
    for (int i = 0; i < 60; i++) {
        keys[i] = "a_rather_long_known_key";
    }
    am_json_doc *doc = parse("{\"q\": 1}");
    am_error e = { 0 };
    check_refused(am_json_only(doc, am_json_root(doc), keys, 60, &e), AM_ERR_KEY);
    assert_true(strlen(e.text) < sizeof e.text - 1);
    am_json_free(doc);
}

static void nearest_name_knows_slips_of_the_hand(void **state)
{
    (void)state;
    const char *const names[] = { "walk", "run", "left_foot", "right_foot", "a", "search_every_s" };
    const struct {
        const char *word, *nearest;
    } rows[] = {
        { "wlak", "walk" },
        { "walkk", "walk" },
        { "wal", "walk" },
        { "wAlk", "walk" },
        { "WALK", "walk" },
        { "rnu", "run" },
        { "leftfoot", "left_foot" },
        { "rigth_foot", "right_foot" },
        { "b", NULL },
        { "crouch", NULL },
        { "", NULL },
        { "search_evry_s", "search_every_s" },
        { "LeftFoot", "left_foot" },
        { "walk", "walk" },
        { "a_word_of_more_than_sixty_three_letters_that_nobody_would_ever_write", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *nearest = am_nearest_name(rows[i].word, names, 6);
        if (!rows[i].nearest || !nearest) {
            assert_ptr_equal(nearest, rows[i].nearest);
        } else {
            assert_string_equal(nearest, rows[i].nearest);
        }
    }
    const char *const twins[] = { "ab1", "ab2",
                                  "a_name_of_more_than_sixty_three_letters_that_nobody_would_ever_write_either" };
    assert_string_equal(am_nearest_name("ab3", twins, 3), "ab1"); // the first of equals
    assert_null(am_nearest_name("x", NULL, 0));
}

TEST_SUITE(json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_texts_are_understood),
        cmocka_unit_test(bad_texts_are_refused_at_the_right_place),
        cmocka_unit_test(depth_is_limited_to_64),
        cmocka_unit_test(repeated_keys_of_large_objects_are_found),
        cmocka_unit_test(values_know_where_they_stand),
        cmocka_unit_test(files_are_parsed_under_their_name),
        cmocka_unit_test(utf8_follows_the_standard),
        cmocka_unit_test(readers_give_what_is_there),
        cmocka_unit_test(a_missing_key_keeps_the_default_unless_required),
        cmocka_unit_test(wrong_types_and_values_are_named),
        cmocka_unit_test(choices_name_the_nearest),
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(a_long_list_of_keys_fits_the_error),
        cmocka_unit_test(nearest_name_knows_slips_of_the_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
