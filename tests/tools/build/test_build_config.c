// Configs of builds: the shipped ones, wrong ones and damaged ones.
#include "support/folder.h"
#include "support/refuse.h"

#include "build/build_config.h"

static void every_shipped_config_is_well_formed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int features;
    } configs[] = { { "locomotion", 27 }, { "responsive", 33 },  { "salsa", 27 }, { "indian_dance", 27 },
                    { "basketball", 27 }, { "chair", 30 },       { "jump", 33 },  { "low", 33 },
                    { "terrain", 35 },    { "recovery", 30 },    { "dance", 27 }, { "styles", 27 },
                    { "pairs", 27 },      { "accad_male1", 27 }, { "synth", 27 }, { "behaviours", 27 } };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/configs/databases/%s.json", AMBLE_SOURCE_DIR, configs[i].name);
        size_t size = 0;
        char *text = test_read_file(path, &size);
        static ami_build_config config;
        am_error err = { 0 };
        check_ok(ami_build_config_parse(&config, text, size, path, NULL, &err), &err);
        assert_int_equal(config.schema.raw_count, configs[i].features);
        assert_string_equal(config.name, configs[i].name);
        ami_build_config_free(&config);
        free(text);
    }
}

/// Databases of one motion with other features must cut the same stretches, or they cannot be compared.
static void configs_of_one_motion_cut_alike(void **state)
{
    (void)state;
    static const char *const names[] = { "locomotion", "locomotion_gaits", "locomotion_lhmm", "locomotion_long" };
    static ami_build_config configs[4];
    for (int i = 0; i < 4; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/configs/databases/%s.json", AMBLE_SOURCE_DIR, names[i]);
        size_t size = 0;
        char *text = test_read_file(path, &size);
        am_error err = { 0 };
        check_ok(ami_build_config_parse(&configs[i], text, size, path, NULL, &err), &err);
        free(text);
        assert_int_equal(configs[i].cut_count, configs[0].cut_count);
        for (int c = 0; c < configs[0].cut_count; c++) {
            assert_string_equal(configs[i].cuts[c].clip, configs[0].cuts[c].clip);
            assert_int_equal(configs[i].cuts[c].first, configs[0].cuts[c].first);
            assert_int_equal(configs[i].cuts[c].last, configs[0].cuts[c].last);
        }
    }
    for (int i = 0; i < 4; i++) {
        ami_build_config_free(&configs[i]);
    }
}

typedef struct bad_config {
    const char *text;
    am_result code;
    const char *says;
} bad_config;

static void wrong_configs_say_what_is_wrong(void **state)
{
    (void)state;
    static const bad_config cases[] = {
        { "{\"mirorr\": true, " FEATURES "}", AM_ERR_KEY, "mirror" },
        { "{\"mirror\": 1, " FEATURES "}", AM_ERR_TYPE, "mirror" },
        { "{}", AM_ERR_KEY, "features" },
        { "[]", AM_ERR_TYPE, "" },
        { "{\"features\": \"nowhere.json\"}", AM_ERR_OPEN, "" },
        { "{\"fps\": -3, " FEATURES "}", AM_ERR_RANGE, "fps" },
        { "{\"precision\": \"half\", " FEATURES "}", AM_ERR_RANGE, "precision" },
        { "{\"floor\": \"none\", " FEATURES "}", AM_ERR_RANGE, "retarget" },
        { "{\"clips\": [], " FEATURES "}", AM_ERR_TYPE, "" },
        { "{\"clips\": {\"set\": []}, " FEATURES "}", AM_ERR_KEY, "sets" },
        { "{\"clips\": {\"sets\": \"locomotion\"}, " FEATURES "}", AM_ERR_TYPE, "sets" },
        { "{\"clips\": {\"sets\": [1]}, " FEATURES "}", AM_ERR_TYPE, "sets" },
        { "{\"clips\": {\"cut\": 1}, " FEATURES "}", AM_ERR_TYPE, "cut" },
        { "{\"clips\": {\"cut\": [{}]}, " FEATURES "}", AM_ERR_KEY, "clip" },
        { "{\"clips\": {\"cut\": [{\"clip\": \"a\", \"frist\": 1}]}, " FEATURES "}", AM_ERR_KEY, "first" },
        { "{\"root\": {\"seconds\": 1}, " FEATURES "}", AM_ERR_KEY, "seconds" },
        { "{\"root\": {\"of\": \"head\"}, " FEATURES "}", AM_ERR_RANGE, "of" },
        { "{\"bend\": 3, " FEATURES "}", AM_ERR_TYPE, "bend" },
        { "{\"bend\": [{\"deg_per_m\": [1]}], " FEATURES "}", AM_ERR_KEY, "deg_per_s" },
        { "{\"bend\": [{\"clips\": [\"a\"]}], " FEATURES "}", AM_ERR_TYPE, "deg_per_s" },
        { "{\"bend\": [{\"deg_per_s\": [0.5]}], " FEATURES "}", AM_ERR_RANGE, "deg_per_s" },
        { "{\"contacts\": {\"speed_on_mps\": -1}, " FEATURES "}", AM_ERR_RANGE, "speed_on_mps" },
        { "{\"doctor\": {\"unit\": 1}, " FEATURES "}", AM_ERR_KEY, "unit_m" },
        { "{\"custom\": {\"props\": \"a.csv\"}, " FEATURES "}", AM_ERR_KEY, "props" },
        { "{\"custom\": 4, " FEATURES "}", AM_ERR_TYPE, "custom" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static ami_build_config config;
        am_error err = { 0 };
        am_result result =
            ami_build_config_parse(&config, cases[i].text, strlen(cases[i].text), "c.json", NULL, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says)) {
            fail_msg("%s gave '%s': %s", cases[i].text, am_result_name(result), err.text);
        }
    }
}

static am_result read_config(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    static ami_build_config config;
    am_error err = { 0 };
    am_result result = ami_build_config_parse(&config, (const char *)data, size, "c.json", alloc, &err);
    if (result == AM_OK) {
        ami_build_config_free(&config);
    }
    return refuse_checked(result, &err);
}

static void damaged_configs_do_no_harm(void **state)
{
    (void)state;
    static const char text[] =
        "{\"name\": \"x\", \"clips\": {\"sets\": [\"a\", \"b\"], \"exclude\": [\"c\"], "
        "\"cut\": [{\"clip\": \"d\", \"first\": 1, \"last\": -1}]}, \"doctor\": {\"fps\": 60}, " FEATURES "}";
    refuse_loop(read_config, NULL, text, strlen(text), NULL);
}

static void patterns_fit_like_a_shell_s(void **state)
{
    (void)state;
    assert_true(ami_pattern_fits("16_*", "16_08"));
    assert_true(ami_pattern_fits("*", ""));
    assert_true(ami_pattern_fits("a*b*c", "axxbyybzc"));
    assert_true(ami_pattern_fits("?un", "run"));
    assert_false(ami_pattern_fits("16_*", "116_08"));
    assert_false(ami_pattern_fits("a*b", "abc"));
    assert_false(ami_pattern_fits("", "a"));
}

TEST_SUITE(build_config)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_config_is_well_formed), cmocka_unit_test(configs_of_one_motion_cut_alike),
        cmocka_unit_test(wrong_configs_say_what_is_wrong),     cmocka_unit_test(damaged_configs_do_no_harm),
        cmocka_unit_test(patterns_fit_like_a_shell_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
