/// Schemas for the tests of operators.
#ifndef AMBLE_TEST_OPERATORS_H
#define AMBLE_TEST_OPERATORS_H

#include "operators/control.h"
#include "support/check.h"
#include "support/refuse.h"

/// Reads a schema with ' for "; fails the test when it is refused.
static inline am_control_schema *test_schema(const char *text)
{
    char quoted[8192];
    size_t size = strlen(text);
    assert_true(size < sizeof quoted);
    for (size_t i = 0; i <= size; i++) {
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    }
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    check_ok(am_control_schema_read(&schema, quoted, size, "test.json", NULL, &err), &err);
    return schema;
}

static inline am_control *test_control(const am_control_schema *schema)
{
    am_control *control = NULL;
    am_error err = { 0 };
    check_ok(am_control_create(&control, schema, NULL, &err), &err);
    return control;
}

/// Every operator, nested.
static const char *const test_everything =
    "{'name': 'everything', 'control': {'or': {\n"
    "  'stand': 'null',\n"
    "  'walk': {'and': {\n"
    "    'target': 'location',\n"
    "    'facing': {'optional': 'direction', 'width': 5},\n"
    "    'speed': {'number': {'scale': 2}},\n"
    "    'style': {'one_of': ['plain', 'proud', 'sad']},\n"
    "    'how': {'some_of': ['quiet', 'loaded']},\n"
    "    'hurry': 'bool'}},\n"
    "  'follow': {'struct': {\n"
    "    'at': {'fixed_array': {'and': {'position': 'location', 'facing': 'direction'}}, 'count': 3},\n"
    "    'path': {'array': {'and': {'position': 'location', 'gait': {'either': {'slow': 'null', 'fast': "
    "'velocity'}}}},\n"
    "      'most': 4, 'heads': 2, 'key_width': 3, 'head_width': 5},\n"
    "    'ground': {'height_map': {'rows': 5, 'columns': 4, 'channels': [2, 3]}}}},\n"
    "  'use': {'inclusive_or': {\n"
    "    'look': 'location',\n"
    "    'chair': 'transform',\n"
    "    'hand': {'encode': {'and': {'which': {'index': {'n': 4}}, 'prop': 'prop'}}, 'width': 6, 'activation': "
    "'tanh'}}},\n"
    "  'meet': {'and': {\n"
    "    'who': {'character': {'joints': ['left_hand']}},\n"
    "    'doors': {'dictionary': {'key': {'enum': ['door', 'gate']}, 'value': {'optional': {'encode': 'velocity', "
    "'width': 4}}},\n"
    "      'most': 3, 'heads': 1, 'key_width': 4, 'head_width': 3},\n"
    "    'others': {'set': {'and': {'place': {'location': {'space': 'local'}}, 'flags': {'flags': ['a', 'b']}}}, "
    "'most': 3}}}},\n"
    "  'width': 7}}\n";

#endif
