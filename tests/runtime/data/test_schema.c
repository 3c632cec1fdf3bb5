// Schemas of features: their dimensions by name, what is refused, and which channels are targets.
#include "runtime/data/support.h"
#include "support/lmm_schema.h"

static void lmm_schema_has_27_dimensions_with_names(void **state)
{
    (void)state;
    am_schema schema = lmm_schema();
    assert_int_equal(schema.raw_count, 27);
    char name[64];
    am_schema_dim_name(&schema, 0, name, sizeof name);
    assert_string_equal(name, "trajectory_position@0.333.x");
    am_schema_dim_name(&schema, 14, name, sizeof name);
    assert_string_equal(name, "left_foot_position.z");
    am_schema_dim_name(&schema, 27, name, sizeof name);
    assert_string_equal(name, "?");
}

static void dimension_names_speak_of_every_kind(void **state)
{
    (void)state;
    static am_schema schema;
    test_parse_schema(&schema, test_all_kinds);
    static const char *const want[] = { "left_foot_position.x",
                                        "right_toe_position@-0.1.x",
                                        "head_heading.x",
                                        "trajectory_position@-0.2.x",
                                        "high@0.3.x",
                                        "hips_height@0",
                                        "tag.odd",
                                        "terrain@0.left",
                                        "props.0" };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        bool found = false;
        for (int d = 0; d < schema.raw_count; d++) {
            char name[64];
            am_schema_dim_name(&schema, d, name, sizeof name);
            found = found || strcmp(name, want[i]) == 0;
        }
        if (!found) {
            fail_msg("no dimension is called %s", want[i]);
        }
    }
}

typedef struct bad_schema {
    const char *text;
    am_result code;
    const char *says; ///< part of the message
} bad_schema;

static void schemas_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const bad_schema cases[] = {
        { "[]", AM_ERR_TYPE, "" },
        { "{}", AM_ERR_KEY, "channels" },
        { "{\"channels\": []}", AM_ERR_TYPE, "channels" },
        { "{\"chanels\": []}", AM_ERR_KEY, "channels" },
        { "{\"channels\": [3]}", AM_ERR_TYPE, "object" },
        { "{\"channels\": [{}]}", AM_ERR_KEY, "kind" },
        { "{\"channels\": [{\"kind\": \"positon\"}]}", AM_ERR_RANGE, "position" },
        { "{\"channels\": [{\"kind\": \"position\"}]}", AM_ERR_KEY, "joint" },
        { "{\"channels\": [{\"kind\": \"position\", \"joint\": \"left_fot\"}]}", AM_ERR_RANGE, "left_foot" },
        { "{\"channels\": [{\"kind\": \"position\", \"joint\": \"head\", \"axes\": \"xz\"}]}", AM_ERR_KEY, "axes" },
        { "{\"channels\": [{\"kind\": \"trajectory_position\"}]}", AM_ERR_KEY, "times" },
        { "{\"channels\": [{\"kind\": \"trajectory_position\", \"times\": []}]}", AM_ERR_EMPTY, "times" },
        { "{\"channels\": [{\"kind\": \"trajectory_position\", \"times\": [200]}]}", AM_ERR_RANGE, "seconds" },
        { "{\"channels\": [{\"kind\": \"trajectory_position\", \"times\": [1], \"axes\": \"xy\"}]}", AM_ERR_RANGE,
          "xz" },
        { "{\"channels\": [{\"kind\": \"tag\"}]}", AM_ERR_KEY, "tags" },
        { "{\"channels\": [{\"kind\": \"tag\", \"tags\": [1]}]}", AM_ERR_TYPE, "word" },
        { "{\"channels\": [{\"kind\": \"custom\"}]}", AM_ERR_KEY, "dims" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 99}]}", AM_ERR_RANGE, "dims" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 2, \"mirror\": [1]}]}", AM_ERR_RANGE, "mirror" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 2, \"mirror\": [1, 3]}]}", AM_ERR_RANGE, "mirror" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 2, \"mirror\": [1, 1.5]}]}", AM_ERR_RANGE, "mirror" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 1, \"name\": \"\"}]}", AM_ERR_RANGE, "name" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 1}, {\"kind\": \"custom\", \"dims\": 1}]}", AM_ERR_KEY,
          "two channels" },
        { "{\"channels\": [{\"kind\": \"custom\", \"dims\": 1, \"weight\": -1}]}", AM_ERR_RANGE, "weight" },
        { "{\"pca\": 9, \"channels\": [{\"kind\": \"custom\", \"dims\": 1}]}", AM_ERR_RANGE, "pca" },
        { "{\"normalise\": \"all\", \"channels\": [{\"kind\": \"custom\", \"dims\": 1}]}", AM_ERR_RANGE,
          "normalise" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static am_schema schema;
        am_json_doc *doc = NULL;
        am_error err = { 0 };
        check_ok(am_json_parse(&doc, cases[i].text, strlen(cases[i].text), "s.json", NULL, &err), &err);
        am_result result = am_schema_parse(&schema, doc, am_json_root(doc), &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says)) {
            fail_msg("%s gave '%s': %s", cases[i].text, am_result_name(result), err.text);
        }
        am_json_free(doc);
    }
}

static void a_schema_with_too_many_features_is_refused(void **state)
{
    (void)state;
    char text[8192] = "{\"channels\": [";
    for (int i = 0; i < 17; i++) {
        char item[128];
        snprintf(item, sizeof item, "%s{\"kind\": \"custom\", \"dims\": 32, \"name\": \"c%d\"}", i ? "," : "", i);
        strcat(text, item);
    }
    strcat(text, "]}");
    static am_schema schema;
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, text, strlen(text), NULL, NULL, &err), &err);
    check_refused(am_schema_parse(&schema, doc, am_json_root(doc), &err), AM_ERR_LIMIT);
    am_json_free(doc);
}

static void channels_tell_targets_from_bodies(void **state)
{
    (void)state;
    const am_schema schema = lmm_schema();
    int desired = 0;
    for (int c = 0; c < schema.channel_count; c++) {
        desired += ami_channel_is_target(&schema.channels[c]) ? schema.channels[c].dims : 0;
    }
    assert_int_equal(desired, 12); // three places and three directions of the trajectory, of 27 numbers
    const am_channel tag = { .kind = AM_FEATURE_TAG }, foot = { .kind = AM_FEATURE_POSITION };
    assert_true(ami_channel_is_target(&tag));
    assert_false(ami_channel_is_target(&foot));
}

TEST_SUITE(schema)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lmm_schema_has_27_dimensions_with_names),
        cmocka_unit_test(dimension_names_speak_of_every_kind),
        cmocka_unit_test(schemas_are_refused_with_a_reason),
        cmocka_unit_test(a_schema_with_too_many_features_is_refused),
        cmocka_unit_test(channels_tell_targets_from_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
