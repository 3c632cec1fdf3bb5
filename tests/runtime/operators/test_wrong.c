// Wrong schemas and the errors that they give: file, line, column, the path inside the schema, and what to do.
#include "runtime/operators/support.h"

typedef struct wrong {
    const char *text; ///< ' for "; the control of a schema where it begins with neither a brace of the whole nor '#'
    am_result code;
    const char *says; ///< the whole message
} wrong;

#define OPERATORS                                                                                                    \
    "null, bool, number, location, rotation, scale, direction, velocity, index, height_map, one_of, enum, some_of, " \
    "flags, encode, and, struct, or, exclusive_union, either, optional, inclusive_or, inclusive_union, "             \
    "fixed_array, "                                                                                                  \
    "set, array, dictionary, transform, character, prop"

// Files: the whole text.
static const wrong files[] = {
    { "", AM_ERR_SYNTAX, "s.json:1:1: " },
    { "[]", AM_ERR_TYPE, "s.json:1:1: expected an object { ... } here, not an array" },
    { "{'name': 'x'}", AM_ERR_KEY,
      "s.json:1:1: \"control\" is missing: the operator that the schema is, as in {\"control\": {\"and\": "
      "{\"target\": \"location\"}}}" },
    { "{'name': 3, 'control': 'null'}", AM_ERR_TYPE, "s.json:1:10: \"name\" should be a string, not a number" },
    { "{'contrl': 'null'}", AM_ERR_KEY, "s.json:1:2: unknown key \"contrl\"; did you mean \"control\"?" },
    { "{'control': 'null', 'training': {}}", AM_ERR_KEY,
      "s.json:1:21: unknown key \"training\"; known here: name, control" },
    { "{'control': 'null', 'control': 'null'}", AM_ERR_KEY, "s.json:1:21: " },
    { "{'control': {'and': {'a': 'bool',\n  'a': 'bool'}}}", AM_ERR_KEY, "s.json:2:3: " },
};

// Operators: the text behind {"control":, from column 13 of the first line on.
static const wrong controls[] = {
    { "3", AM_ERR_TYPE, "s.json:1:13: control: control expects an operator, got 3" },
    { "true", AM_ERR_TYPE, "s.json:1:13: control: control expects an operator, got true" },
    { "null", AM_ERR_TYPE,
      "s.json:1:13: control: control expects an operator, got null; write \"null\" for the empty control" },
    { "['location']", AM_ERR_TYPE, "s.json:1:13: control: control expects an operator, got an array" },
    { "{}", AM_ERR_EMPTY,
      "s.json:1:13: control: an operator is missing in this empty object; write \"null\" for the empty control" },
    { "'locaton'", AM_ERR_KEY, "s.json:1:13: control: unknown operator \"locaton\"; did you mean \"location\"?" },
    { "'Location'", AM_ERR_KEY, "s.json:1:13: control: unknown operator \"Location\"; did you mean \"location\"?" },
    { "'xyzzyxyzzy'", AM_ERR_KEY, "s.json:1:13: control: unknown operator \"xyzzyxyzzy\"; choose from: " OPERATORS },
    { "{'optinal': 'direction'}", AM_ERR_KEY,
      "s.json:1:14: control: unknown operator \"optinal\"; did you mean \"optional\"?" },
    { "{'and': {'walk': {'and': {'target': {'and': {\n   'facing': {'optional': 3}}}}}}}", AM_ERR_TYPE,
      "s.json:2:27: walk.target.facing: optional expects an operator, got 3" },
    { "{'and': {'a': 'bool'}, 'or': {'b': 'bool'}}", AM_ERR_KEY,
      "s.json:1:36: control: two operators in one object, \"and\" and \"or\"; put one inside the other" },
    { "'and'", AM_ERR_KEY,
      "s.json:1:13: control: and needs more than its name, as in {\"and\": {\"target\": \"location\"}}" },
    { "'optional'", AM_ERR_KEY,
      "s.json:1:13: control: optional needs more than its name, as in {\"optional\": \"direction\"}" },
    { "'index'", AM_ERR_KEY, "s.json:1:13: control: index needs more than its name, as in {\"index\": {\"n\": 8}}" },
    { "{'and': ['location']}", AM_ERR_TYPE,
      "s.json:1:21: control: and expects an object of named parts, got an array" },
    { "{'and': 'location'}", AM_ERR_TYPE,
      "s.json:1:21: control: and expects an object of named parts, got \"location\"" },
    { "{'and': {}}", AM_ERR_EMPTY, "s.json:1:21: control: and has 0 parts; it needs at least 1" },
    { "{'and': {'a': {'or': {}}}}", AM_ERR_EMPTY, "s.json:1:34: a: or has 0 parts; it needs at least 1" },
    { "{'either': {'a': 'bool', 'b': 'bool', 'c': 'bool'}}", AM_ERR_LIMIT,
      "s.json:1:24: control: either has 3 parts; at most 2 are allowed" },
    { "{'either': {'a': 'bool'}}", AM_ERR_EMPTY, "s.json:1:24: control: either has 1 part; it needs at least 2" },
    { "{'or': {'a':'null','b':'null','c':'null','d':'null','e':'null','f':'null','g':'null','h':'null','i':'null',"
      "'j':'null','k':'null','l':'null','m':'null','n':'null','o':'null','p':'null'}}",
      AM_ERR_LIMIT, "s.json:1:20: control: or has 16 parts; at most 15 are allowed" },
    { "{'and': {'the target': 'location'}}", AM_ERR_KEY,
      "s.json:1:22: control: \"the target\" is no name for a part; begin with a letter and use at most 31 letters, "
      "digits and _" },
    { "{'and': {'2nd': 'location'}}", AM_ERR_KEY,
      "s.json:1:22: control: \"2nd\" is no name for a part; begin with a letter and use at most 31 letters, digits "
      "and "
      "_" },
    { "{'or': {'a_name_of_more_than_thirty_one_bytes': 'null'}}", AM_ERR_KEY,
      "s.json:1:21: control: \"a_name_of_more_than_thirty_one_bytes\" is no name for a part; begin with a letter and "
      "use at most 31 letters, digits and _" },
    { "{'and': {'a': {'inclusive_or': {'': 'null'}}}}", AM_ERR_KEY,
      "s.json:1:45: a: \"\" is no name for a part; begin with a letter and use at most 31 letters, digits and _" },
    { "{'and': {'a': 'bool'}, 'width': 3}", AM_ERR_KEY,
      "s.json:1:36: control: unknown key \"width\"; known here: and" },
    { "{'optional': 'bool', 'widht': 3}", AM_ERR_KEY,
      "s.json:1:34: control: unknown key \"widht\"; did you mean \"width\"?" },
    { "{'optional': 'bool', 'width': 0}", AM_ERR_RANGE,
      "s.json:1:43: control: \"width\" is 0, but should be from 1 to 4096" },
    { "{'and': {'a': {'or': {'b': 'bool'}, 'width': 5000}}}", AM_ERR_RANGE,
      "s.json:1:58: a: \"width\" is 5000, but should be from 1 to 4096" },
    { "{'or': {'b': 'bool'}, 'width': 2.5}", AM_ERR_TYPE,
      "s.json:1:44: control: \"width\" is 2.5, but should be a whole number" },
    { "{'encode': 'location'}", AM_ERR_KEY, "s.json:1:13: control: \"width\" is missing in this object; add it" },
    { "{'encode': 'location', 'width': 4, 'activation': 'relo'}", AM_ERR_RANGE,
      "s.json:1:62: control: \"activation\" cannot be \"relo\"; did you mean \"relu\"?" },
    { "{'number': 3}", AM_ERR_TYPE,
      "s.json:1:24: control: number takes an object of parameters, as in {\"number\": {\"scale\": 2}}, not 3" },
    { "{'number': {'scale': 0}}", AM_ERR_RANGE,
      "s.json:1:34: control: \"scale\" is 0, but should be from 1e-06 to 1000000" },
    { "{'number': {'unit': 'm'}}", AM_ERR_KEY, "s.json:1:25: control: unknown key \"unit\"; known here: scale" },
    { "{'bool': {'scale': 2}}", AM_ERR_KEY, "s.json:1:23: control: bool has no parameters" },
    { "{'location': {'space': 'wrld'}}", AM_ERR_RANGE,
      "s.json:1:36: control: \"space\" cannot be \"wrld\"; did you mean \"world\"?" },
    { "{'location': {}, 'space': 'local'}", AM_ERR_KEY,
      "s.json:1:30: control: \"space\" stands inside the operator, as in {\"location\": {\"space\": \"local\"}}" },
    { "{'location': {}, 'width': 3}", AM_ERR_KEY,
      "s.json:1:30: control: unknown key \"width\"; known here: location" },
    { "{'index': {}}", AM_ERR_KEY, "s.json:1:23: control: \"n\" is missing in this object; add it" },
    { "{'index': {'n': 0}}", AM_ERR_RANGE, "s.json:1:29: control: \"n\" is 0, but should be from 1 to 1048576" },
    { "{'one_of': 'walk'}", AM_ERR_TYPE, "s.json:1:24: control: one_of expects a list of 1 to 128 names" },
    { "{'one_of': []}", AM_ERR_LIMIT, "s.json:1:24: control: one_of expects a list of 1 to 128 names" },
    { "{'and': {'style': {'enum': ['walk', 3]}}}", AM_ERR_TYPE,
      "s.json:1:49: style: a name has 1 to 63 bytes of text" },
    { "{'flags': ['a', 'b', 'a']}", AM_ERR_KEY, "s.json:1:34: control: \"a\" is named twice" },
    { "{'fixed_array': 'location'}", AM_ERR_KEY,
      "s.json:1:13: control: \"count\" is missing in this object; add it" },
    { "{'fixed_array': 'location', 'count': 1025}", AM_ERR_RANGE,
      "s.json:1:50: control: \"count\" is 1025, but should be from 1 to 1024" },
    { "{'and': {'at': {'fixed_array': {'and': {'p': 'locatio'}}, 'count': 3}}}", AM_ERR_KEY,
      "s.json:1:58: at[0].p: unknown operator \"locatio\"; did you mean \"location\"?" },
    { "{'fixed_array': {'and': {'a': 'bool', 'b': 'bool'}}, 'count': 400}", AM_ERR_LIMIT,
      "s.json:1:37: [311]: the schema has more than 1024 operators" },
    { "{'set': 'location'}", AM_ERR_KEY, "s.json:1:13: control: \"most\" is missing in this object; add it" },
    { "{'set': 'location', 'most': 1025}", AM_ERR_RANGE,
      "s.json:1:41: control: \"most\" is 1025, but should be from 1 to 1024" },
    { "{'set': 'location', 'most': 4, 'heads': 65}", AM_ERR_RANGE,
      "s.json:1:53: control: \"heads\" is 65, but should be from 1 to 64" },
    { "{'set': 'location', 'most': 4, 'key': 8}", AM_ERR_KEY,
      "s.json:1:44: control: unknown key \"key\"; known here: set, most, heads, key_width, head_width" },
    { "{'set': 'null', 'most': 4}", AM_ERR_EMPTY, "s.json:1:13: control: set holds items without any number" },
    { "{'array': {'and': {'near': {'optional': {\n 'set': 'location', 'most': 2}}}}, 'most': 4}", AM_ERR_SUPPORT,
      "s.json:1:53: [*].near: set inside array: a set holds no further set; put them beside each other" },
    { "{'and': {'path': {'array': {'and': {'position': 'locaton'}}, 'most': 4}}}", AM_ERR_KEY,
      "s.json:1:61: path[*].position: unknown operator \"locaton\"; did you mean \"location\"?" },
    { "{'dictionary': {'key': 'bool'}, 'most': 2}", AM_ERR_KEY,
      "s.json:1:28: control: dictionary expects a \"key\" and a \"value\"" },
    { "{'dictionary': {'key': 'bool', 'value': 'bool', 'other': 'bool'}, 'most': 2}", AM_ERR_KEY,
      "s.json:1:61: control: unknown key \"other\"; known here: key, value" },
    { "{'dictionary': 'location', 'most': 2}", AM_ERR_TYPE,
      "s.json:1:28: control: dictionary expects an object of named parts, got \"location\"" },
    { "{'height_map': {'rows': 8}}", AM_ERR_KEY,
      "s.json:1:28: control: \"columns\" is missing in this object; add it" },
    { "{'height_map': {'rows': 1, 'columns': 8}}", AM_ERR_RANGE,
      "s.json:1:37: control: \"rows\" is 1, but should be from 2 to 256" },
    { "{'height_map': {'rows': 8, 'columns': 8, 'channels': []}}", AM_ERR_EMPTY,
      "s.json:1:66: control: \"channels\" is empty; give the channels of each convolution, as in [8, 16]" },
    { "{'height_map': {'rows': 8, 'columns': 8, 'channels': [8, 2.5]}}", AM_ERR_RANGE,
      "s.json:1:66: control: a convolution has 1 to 256 channels, not 2.5" },
    { "{'height_map': {'rows': 8, 'columns': 8, 'channels': [1, 2, 3, 4, 5]}}", AM_ERR_RANGE,
      "s.json:1:66: control: \"channels\" has 5 numbers, but at most 4 are used" },
    { "{'height_map': {'rows': 256, 'columns': 256, 'channels': [8]}}", AM_ERR_LIMIT,
      "s.json:1:13: control: its encoding has 131072 numbers; networks take at most 65536" },
    { "{'and': {'all': {'set': {'and': {'t': 'transform', 'u': {'height_map': {'rows': 8, 'columns': 8}}}}, 'most': "
      "1000}}}",
      AM_ERR_LIMIT, "s.json:1:29: all: its value has 74001 numbers; networks take at most 65536" },
    { "{'fixed_array': 'location', 'count': 0}", AM_ERR_RANGE,
      "s.json:1:50: control: \"count\" is 0, but should be from 1 to 1024" },
    { "{'set': 'location', 'most': 4, 'heads': 64, 'head_width': 1024}", AM_ERR_LIMIT,
      "s.json:1:13: control: its encoding has 65540 numbers; networks take at most 65536" },
    { "{'encode': 'null', 'width': 16}", AM_ERR_EMPTY,
      "s.json:1:13: control: it encodes no numbers; write \"null\" for no control" },
    { "{'fixed_array': {'height_map': {'rows': 3, 'columns': 3, 'channels': [1, 1, 1, 1]}}, 'count': 512}",
      AM_ERR_LIMIT, "s.json:1:13: control: its encoder is too large: more than 4096 operations" },
    { "{'character': {'joints': ['left_hnd']}}", AM_ERR_RANGE,
      "s.json:1:39: control: no joint has the role \"left_hnd\"; did you mean \"left_hand\"?" },
    { "{'character': {'joints': 'head'}}", AM_ERR_TYPE,
      "s.json:1:38: control: \"joints\" is a list of joints, as in [\"head\"]" },
    { "{'transform': {'parent': 'hand'}}", AM_ERR_KEY,
      "s.json:1:28: control: unknown key \"parent\"; known here: space" },
};

/// Text with " for '.
static size_t quote(char *out, size_t size, const char *before, const char *text, const char *behind)
{
    int length = snprintf(out, size, "%s%s%s", before, text, behind);
    assert_true(length >= 0 && (size_t)length < size);
    for (int i = 0; i < length; i++) {
        out[i] = out[i] == '\'' ? '"' : out[i];
    }
    return (size_t)length;
}

/// Messages of the JSON parser itself are given by where they point.
static void check_wrong(const char *text, size_t size, const wrong *w)
{
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    char message[1200];
    am_result result = am_control_schema_read(&schema, text, size, "s.json", NULL, &err);
    assert_null(schema);
    am_error_format(&err, message, sizeof message);
    size_t length = strlen(w->says);
    bool whole = w->says[length - 1] != ' ';
    if (result != w->code || refuse_checked(result, &err) != result ||
        (whole ? strcmp(message, w->says) : strncmp(message, w->says, length)) != 0) {
        fail_msg("%s\n  gives '%s':  %s\n  wanted '%s': %s", text, am_result_name(result), message,
                 am_result_name(w->code), w->says);
    }
}

static void wrong_schemas_give_precise_errors(void **state)
{
    (void)state;
    char text[1024];
    enum { file_count = sizeof files / sizeof files[0], control_count = sizeof controls / sizeof controls[0] };
    assert_true(file_count + control_count >= 50);
    for (int i = 0; i < file_count; i++) {
        check_wrong(text, quote(text, sizeof text, "", files[i].text, ""), &files[i]);
    }
    for (int i = 0; i < control_count; i++) {
        check_wrong(text, quote(text, sizeof text, "{'control': ", controls[i].text, "}"), &controls[i]);
    }
}

/// A list of 129 names, and a name of 64 bytes.
static void names_have_limits(void **state)
{
    (void)state;
    char text[2048] = "{'one_of': [";
    for (int i = 0; i <= AMI_CONTROL_MOST_NAMES; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s'n%d'", i ? "," : "", i);
    }
    strcat(text, "]}");
    char whole[2100];
    const wrong many = { text, AM_ERR_LIMIT, "s.json:1:24: control: one_of expects a list of 1 to 128 names" };
    check_wrong(whole, quote(whole, sizeof whole, "{'control': ", text, "}"), &many);
    snprintf(text, sizeof text, "{'some_of': ['%064d']}", 0);
    const wrong wide = { text, AM_ERR_TYPE, "s.json:1:26: control: a name has 1 to 63 bytes of text" };
    check_wrong(whole, quote(whole, sizeof whole, "{'control': ", text, "}"), &wide);
}

static void errors_may_be_left_out(void **state)
{
    (void)state;
    const char *text = "{\"control\": {\"and\": {\"a\": 3}}}";
    am_control_schema *schema = NULL;
    check_refused(am_control_schema_read(&schema, text, strlen(text), NULL, NULL, NULL), AM_ERR_TYPE);
    assert_null(schema);
}

typedef struct heap {
    char text[2000];
    int count;
} heap;

static void collect(void *user, const am_error *err)
{
    heap *h = user;
    char line[700];
    am_error_format(err, line, sizeof line);
    size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%s\n", line);
    h->count++;
}

/// One of each part, where reading stops at the first.
static void a_check_lists_all_mistakes(void **state)
{
    (void)state;
    char text[1024];
    size_t size = quote(text, sizeof text, "",
                        "{'nam': 'x', 'control': {'and': {\n"
                        " 'a': 3,\n"
                        " 'b': {'optional': 'locaton'},\n"
                        " '4': 'bool',\n"
                        " 'c': {'array': {'and': {'p': 'location', 'q': {'index': {}}, 'r': 'index'}}, 'most': 4},\n"
                        " 'd': {'fixed_array': {'and': {'s': 'bol'}}, 'count': 9},\n"
                        " 'e': {'set': 'bool', 'most': 0}}}}",
                        "");
    static const char *const want =
        "s.json:1:2: unknown key \"nam\"; did you mean \"name\"?\n"
        "s.json:2:7: a: and expects an operator, got 3\n"
        "s.json:3:20: b: unknown operator \"locaton\"; did you mean \"location\"?\n"
        "s.json:4:2: control: \"4\" is no name for a part; begin with a letter and use at most "
        "31 letters, digits and _\n"
        "s.json:5:58: c[*].q: \"n\" is missing in this object; add it\n"
        "s.json:5:68: c[*].r: index needs more than its name, as in {\"index\": {\"n\": 8}}\n"
        "s.json:6:37: d[0].s: unknown operator \"bol\"; did you mean \"bool\"?\n"
        "s.json:7:31: e: \"most\" is 0, but should be from 1 to 1024\n";
    heap h = { .count = 0 };
    assert_int_equal(ami_control_schema_check(text, size, "s.json", NULL, collect, &h), 8);
    assert_int_equal(h.count, 8);
    assert_string_equal(h.text, want);
    // What reading finds alone, checking finds too, first.
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        heap one = { .count = 0 };
        size = quote(text, sizeof text, "{'control': ", controls[i].text, "}");
        int count = ami_control_schema_check(text, size, "s.json", NULL, collect, &one);
        assert_true(count >= 1 && count == one.count);
        assert_int_equal(strncmp(one.text, controls[i].says, strlen(controls[i].says)), 0);
    }
    heap none = { .count = 0 };
    size = quote(text, sizeof text, "", "{'control': {'optional': 'bool'}}", "");
    assert_int_equal(ami_control_schema_check(text, size, "s.json", NULL, collect, &none), 0);
    assert_int_equal(ami_control_schema_check("{", 1, "s.json", NULL, collect, &none), 1);
    assert_int_equal(ami_control_schema_check("3", 1, "s.json", NULL, collect, &none), 1);
    assert_int_equal(none.count, 2);
}

TEST_SUITE(wrong)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_lists_all_mistakes),
        cmocka_unit_test(wrong_schemas_give_precise_errors),
        cmocka_unit_test(names_have_limits),
        cmocka_unit_test(errors_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
