// Scripts for flow and segment characters: goals as values of the model's schema, recordings, traces, and values that
// are refused with their place.
#include "support/check.h"
#include "support/flow_model.h"
#include "support/synth_db.h"

#include <math.h>

static am_db *db;
static am_model *models[2]; // a puppet by flow, and segments

static int make_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    static const flow_model_def defs[2] = { { .puppet = true }, { .segments = true } };
    db = synth_db_make_few(&err);
    for (int i = 0; i < 2 && db; i++) {
        models[i] = flow_model_make(db, &defs[i], &err);
    }
    return db && models[0] && models[1] ? 0 : -1;
}

static int free_all(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        am_model_close(models[i]);
    }
    am_db_close(db);
    return 0;
}

static am_result make_run(am_run **out, am_run_script *script, const char *text, am_error *err)
{
    *out = NULL;
    am_result result = am_run_parse(script, text, strlen(text), "goals.json", NULL, err);
    am_run_def def = am_run_def_default();
    def.script = script;
    def.models = (const am_model *const *)models;
    def.model_count = 2;
    return result == AM_OK ? am_run_create(out, &def, err) : result;
}

static const char walk[] =
    "{\"controller\": \"flow\", \"fps\": 60, \"seconds\": 16, \"options\": {\"steps\": 2, \"noise\": 0}, "
    "\"characters\": "
    "[{\"goals\": [{\"t\": 0, \"values\": {\"target\": [1, 0, 2], \"style\": \"sad\", \"facing\": null}}, {\"t\": 8, "
    "\"values\": {\"target\": [-1, 0, 2.5], \"style\": \"proud\"}}]}]}";

static void goals_are_values_of_the_schema(void **state)
{
    (void)state;
    const am_vec3 target[2] = { { 1.0f, 0.0f, 2.0f }, { -1.0f, 0.0f, 2.5f } };
    am_error err = { 0 };
    am_run_script script, again;
    am_run *run = NULL, *replay = NULL;
    am_recording *recording = NULL;
    am_bytes text = { 0 };
    check_ok(make_run(&run, &script, walk, &err), &err);
    check_ok(am_recording_create(&recording, run, NULL, &err), &err);
    float off[2] = { 0 };
    while (am_run_step(run)) {
        const am_run_sample sample = am_run_get_sample(run, 0);
        check_ok(am_recording_add(recording, &sample, &err), &err);
        const int leg = sample.frame < 480 ? 0 : 1;
        off[leg] = am_v3_distance(am_v3_ground(sample.pose.root.translation), target[leg]);
    }
    assert_true(off[0] < 0.16f && off[1] < 0.16f);
    // The recording plays the same again.
    check_ok(am_recording_write(&text, recording, NULL, &err), &err);
    char *copy = calloc(text.size + 1, 1);
    memcpy(copy, text.data, text.size);
    assert_non_null(strstr(copy, "\"proud\""));
    check_ok(make_run(&replay, &again, copy, &err), &err);
    while (am_run_step(replay)) {
    }
    assert_true(am_run_hash(run) == am_run_hash(replay));
    free(copy);
    am_bytes_free(&text);
    am_recording_destroy(recording);
    am_run_destroy(run);
    am_run_destroy(replay);
    am_run_script_free(&script);
    am_run_script_free(&again);
}

static void values_that_do_not_fit_are_refused_with_their_place(void **state)
{
    (void)state;
    const struct {
        const char *values;
        am_result code;
        const char *word;
    } faults[] = {
        { "{\"taget\": [1, 0, 2]}", AM_ERR_KEY, "target" },
        { "{\"target\": [1, 0]}", AM_ERR_RANGE, "target" },
        { "{\"target\": {\"position\": [1, 0, 2]}}", AM_ERR_KEY, "position" },
        { "{\"style\": \"happy\"}", AM_ERR_KEY, "plain" },
        { "{\"style\": [[1]]}", AM_ERR_TYPE, "style" },
        { "{\"target\": [1e9, 0, 0]}", AM_ERR_RANGE, "target" },
        { "{\"target\": null}", AM_ERR_TYPE, "target" },
        { "{\"facing\": [1, 0]}", AM_ERR_TYPE, "facing" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"controller\": \"flow\", \"seconds\": 1, \"characters\": [{\"goals\": [{\"t\": 0, \"values\": %s}]}]}",
            faults[i].values);
        am_error err = { 0 };
        am_run_script script;
        am_run *run = NULL;
        am_result result = make_run(&run, &script, text, &err);
        if (result == AM_OK || result != faults[i].code || !strstr(err.text, faults[i].word) || err.line == 0) {
            print_message("%s: %s (%d)\n", faults[i].values, err.text, (int)result);
        }
        assert_true(result != AM_OK && strstr(err.text, faults[i].word) && err.line > 0);
        check_refused(result, faults[i].code);
        am_run_destroy(run);
        am_run_script_free(&script);
    }
}

static void a_trace_says_what_the_network_hears(void **state)
{
    (void)state;
    static const char *const controllers[2] = { "flow", "segments" };
    for (int c = 0; c < 2; c++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"controller\": \"%s\", \"seconds\": 1, \"characters\": [{\"goals\": [{\"t\": 0.5, \"values\": "
                 "{\"target\": [0, 0, 2]}}]}]}",
                 controllers[c]);
        am_error err = { 0 };
        am_run_script script;
        am_run *run = NULL;
        check_ok(make_run(&run, &script, text, &err), &err);
        int asked = 0, seams = 0;
        while (am_run_step(run)) {
            const am_run_sample sample = am_run_get_sample(run, 0);
            am_bytes line = { 0 };
            am_json_doc *doc = NULL;
            check_ok(am_run_trace(&line, run, &sample, &err), &err);
            check_ok(am_json_parse(&doc, (const char *)line.data, line.size, "line", NULL, &err), &err);
            const am_json *root = am_json_root(doc);
            assert_non_null(am_json_get(root, "control"));
            double square = 0.0;
            for (int i = 0; i < sample.view.output->encoding_count; i++) {
                square += (double)(sample.view.output->answer[i] * sample.view.output->answer[i]);
            }
            check_near(am_json_get(root, "control")->number, sqrt(square), 1e-5);
            asked += am_json_get(root, "asked")->boolean;
            seams += am_json_get(root, "transition")->boolean;
            if (c == 0) {
                assert_int_equal((int)am_json_get(root, "steps")->number, sample.view.output->steps);
            }
            am_json_free(doc);
            am_bytes_free(&line);
        }
        assert_int_equal(asked, 30);
        assert_true(c == 0 || seams >= 7);
        am_run_destroy(run);
        am_run_script_free(&script);
    }
}

TEST_SUITE(run_flow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_are_values_of_the_schema),
        cmocka_unit_test(values_that_do_not_fit_are_refused_with_their_place),
        cmocka_unit_test(a_trace_says_what_the_network_hears),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
