// The networks that ship: whole, small, with the recipe that makes them again, and of the shape that their users
// want.
#include "actor/get.h"
#include "support/check.h"
#include "method/sources.h"
#include "train/direction_check.h"

#include <math.h>

#include <dirent.h>

static int count_models(void (*look)(const char *path, const char *name))
{
    DIR *dir = opendir(AMBLE_SOURCE_DIR "/models");
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length > 6 && strcmp(entry->d_name + length - 6, ".amnet") == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/models/%s", AMBLE_SOURCE_DIR, entry->d_name);
            look(path, entry->d_name);
            count++;
        }
    }
    closedir(dir);
    return count;
}

static void look_inside(const char *path, const char *name)
{
    am_error err = { 0 };
    am_model *model = NULL;
    assert_int_equal(test_shell(NULL, 0, "%s info --verify %s >/dev/null", test_command(), path), 0);
    check_ok(am_model_open(&model, path, NULL, &err), &err);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, model->recipe, strlen(model->recipe), name, NULL, &err), &err);
    assert_non_null(am_json_get(am_json_root(doc), "stages"));
    am_json_free(doc);
    assert_non_null(strstr(model->provenance, "\"losses\""));
    assert_true(model->seed > 0 && model->data_hash != 0);
    if (am_model_find(model, "projector") >= 0) { // a character tells how good it is
        char out[16384];
        assert_non_null(strstr(model->provenance, "\"quality\""));
        assert_int_equal(test_shell(out, sizeof out, "%s info %s", test_command(), path), 0);
        assert_non_null(strstr(out, "measured on '"));
        assert_non_null(strstr(out, "decompressor: all clips, frames"));
    }
    am_model_close(model);
}

static void shipped_models_are_whole_and_tell_how_they_were_made(void **state)
{
    (void)state;
    assert_true(count_models(look_inside) >= 4);
}

static void each_data_set_has_a_network_that_faces(void **state)
{
    (void)state;
    static const char *const names[] = { "direction", "direction_basketball", "direction_salsa",
                                         "direction_indian_dance" };
    for (int i = 0; i < 4; i++) {
        char path[1024];
        am_error err = { 0 };
        am_model *model = NULL;
        am_net *net = NULL;
        int folds, fold;
        snprintf(path, sizeof path, "%s/models/%s.amnet", AMBLE_SOURCE_DIR, names[i]);
        check_ok(am_model_open(&model, path, NULL, &err), &err);
        check_ok(ami_direction_net_open(&net, model, NULL, &err), &err);
        assert_int_equal(am_net_state_size(net), 30);
        ami_direction_kept(model, &folds, &fold);
        assert_true(folds == 5 && fold >= 0);
        assert_true(model->image_size < 32768);
        // The recipe inside is the one that lies in configs; comments before it may have changed.
        size_t size = 0;
        snprintf(path, sizeof path, "%s/configs/recipes/%s.json", AMBLE_SOURCE_DIR, names[i]);
        char *text = test_read_file(path, &size);
        assert_string_equal(strchr(model->recipe, '{'), strchr(text, '{'));
        free(text);
        am_net_destroy(net);
        am_model_close(model);
    }
}

static void a_recipe_says_what_it_kept(void **state)
{
    (void)state;
    static const struct {
        const char *recipe;
        int folds, fold;
    } cases[] = { { "", 5, -1 },
                  { "{ \"stages\": [ { \"kind\": \"regression\" } ] }", 5, -1 },
                  { "{ \"stages\": [ { \"kind\": \"direction\" } ] }", 5, 0 },
                  { "{ \"stages\": [ { \"kind\": \"direction\", \"folds\": 7, \"fold\": 3 } ] }", 7, 3 },
                  { "{ \"stages\": [ { \"kind\": \"direction\", \"fold\": -1 } ] }", 5, -1 },
                  { "{ \"stages\": [ { \"kind\": \"direction\", \"fold\": 9 } ] }", 5, -1 },
                  { "not a recipe", 5, -1 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const am_model model = { .recipe = cases[i].recipe };
        int folds, fold;
        ami_direction_kept(&model, &folds, &fold);
        assert_int_equal(folds, cases[i].folds);
        assert_int_equal(fold, cases[i].fold);
    }
}

/// A path drawn to the character's left: a character that faces as people do steps sideways, at least at first.
static void amble_run_takes_the_shipped_network(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("models_run");
    char script[600], out[4096];
    snprintf(script, sizeof script, "%s/run.json", dir);
    assert_int_equal(
        test_shell(NULL, 0,
                   "%s synth all -o %s/clips >/dev/null 2>&1 && %s build %s/configs/databases/synth.json "
                   "--clips %s/clips -o %s/s.amdb >/dev/null 2>&1",
                   test_command(), dir, test_command(), AMBLE_SOURCE_DIR, dir, dir),
        0);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fputs("{ \"database\": \"s.amdb\", \"controller\": \"long-horizon\", \"characters\": [ { \"path\": "
          "{ \"facing\": \"net\", \"points\": [[0,0,0],[3,3,0]] } } ] }",
          f);
    fclose(f);
    assert_int_equal(test_shell(out, sizeof out, "%s run %s --json 2>/dev/null", test_command(), script), 0);
    assert_non_null(strstr(out, "\"hash\""));
    f = fopen(script, "w");
    assert_non_null(f);
    fputs("{ \"database\": \"s.amdb\", \"model\": \"missing.amnet\", \"characters\": [ { \"path\": "
          "{ \"facing\": \"net\", \"points\": [[0,0,0],[3,3,0]] } } ] }",
          f);
    fclose(f);
    assert_int_equal(test_shell(out, sizeof out, "%s run %s 2>&1", test_command(), script), 1);
    assert_non_null(strstr(out, "missing.amnet"));
}

/// The learned character: no database, a few megabytes, and it goes where the keys point.
static void the_shipped_character_walks_runs_and_stops(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("models_character");
    const char *path = AMBLE_SOURCE_DIR "/models/locomotion.amnet";
    char script[600], out[8192];
    am_error err = { 0 };
    am_model *model = NULL;
    check_ok(am_model_open(&model, path, NULL, &err), &err);
    assert_true(model->image_size < 2900000);
    am_model_close(model);
    snprintf(script, sizeof script, "%s/run.json", dir);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f,
            "{ \"model\": \"%s\", \"controller\": \"learned\", \"seconds\": 12, \"characters\": [ { \"keys\": "
            "[ { \"t\": 1, \"down\": [\"W\"] }, { \"t\": 5, \"down\": [\"W\", \"Shift\"] }, { \"t\": 9, \"down\": [] "
            "} ] } ] }",
            path);
    fclose(f);
    assert_int_equal(
        test_shell(out, sizeof out, "%s run %s --metrics %s/m.json --json 2>/dev/null", test_command(), script, dir),
        0);
    size_t size = 0;
    char name[600];
    snprintf(name, sizeof name, "%s/m.json", dir);
    char *text = test_read_file(name, &size);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, text, size, name, NULL, &err), &err);
    const am_json *metrics = am_json_get(am_json_root(doc), "characters")->first;
    assert_true(am_json_get(metrics, "fallback_frames")->number == 0.0);
    assert_true(am_json_get(metrics, "foot_slide_cm")->number < 0.049); // as matching
    assert_true(am_json_get(metrics, "jitter_cm")->number < 0.25);
    assert_true(am_json_get(metrics, "stop_s")->number < 1.5);
    am_json_free(doc);
    free(text);
}

/// The dancer: P makes it dance, not merely stand, until it is steered; then it walks off.
static void the_shipped_dancer_dances_and_walks(void **state)
{
    (void)state;
    const char *path = AMBLE_SOURCE_DIR "/models/salsa.amnet";
    am_error err = { 0 };
    am_model *model = NULL;
    am_source *source = NULL;
    am_actor *body = NULL;
    check_ok(am_model_open(&model, path, NULL, &err), &err);
    assert_true(model->image_size < 1500000);
    ami_learned_def learned = ami_learned_def_default();
    learned.model = model;
    check_ok(ami_learned_create(&source, &learned, &err), &err);
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = source;
    check_ok(am_actor_create(&body, &def, &err), &err);
    am_vec3 hand = { 0 };
    double way = 0.0;
    int frames = 0, right = source->roles->joint[AM_ROLE_RIGHT_HAND];
    for (int i = 0; i < 60 * 30; i++) {
        am_intent intent = { .dance = i >= 30 };
        am_actor_step(body, &intent, 1.0f / 60.0f);
        am_actor_pose pose = ami_pose_of(body);
        am_vec3 now = am_transform_point(am_transform_inv(pose.root), pose.world_raw[right].translation);
        float height = pose.world_raw[0].translation.y;
        assert_true(height > 0.6f && height < 1.2f);
        if (i > 120) {
            assert_int_equal(ami_view_of(body).activity, AM_ACTIVITY_DANCE);
            way += (double)am_v3_distance(now, hand);
            frames++;
        }
        hand = now;
    }
    assert_true(way / frames * 60.0 > 0.4); // m/s in its own space; a dancer that waits for the music has 0.05
    am_vec3 from = ami_pose_of(body).root.translation;
    for (int i = 0; i < 240; i++) {
        am_intent intent = { .velocity = { 0.0f, 0.0f, 1.4f } };
        am_actor_step(body, &intent, 1.0f / 60.0f);
    }
    am_vec3 to = ami_pose_of(body).root.translation;
    assert_true(to.z - from.z > 3.5f);
    assert_int_equal(ami_view_of(body).fallback_frames, 0);
    am_actor_destroy(body);
    ami_source_destroy(source);
    am_model_close(model);
}

/// Steps with one intent; gives the lowest and the highest hips.
static void play(am_actor *body, const am_intent *intent, int frames, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < frames; i++) {
        am_actor_step(body, intent, 1.0f / 60.0f);
        float height = ami_pose_of(body).world_raw[0].translation.y;
        *low = am_min(*low, height);
        *high = am_max(*high, height);
    }
}

/// The character that answers every key: it jumps and lands, walks on, creeps low, dances
/// until it is steered, and stands.
static void the_everyday_character_jumps_creeps_and_dances(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_actor *body = NULL;
    check_ok(am_actor_open(&body, AMBLE_SOURCE_DIR "/models/everyday.amnet", &err), &err);
    const am_vec3 ahead = { 0.0f, 0.0f, 1.2f };
    const am_intent stand = { 0 }, jump = { .jump = true }, walk = { .velocity = ahead };
    const am_intent creep = { .velocity = ahead, .creep = true }, dance = { .dance = true };
    float low, high;
    play(body, &stand, 60, &low, &high);
    assert_true(low > 0.9f && high < 1.1f);
    play(body, &jump, 72, &low, &high);
    assert_true(low < 0.95f && high > 1.2f); // a wind-up, and a flight
    play(body, &walk, 60, &low, &high);
    assert_int_equal(ami_view_of(body).activity, AM_ACTIVITY_MOVE); // the landing ends the jump
    am_vec3 from = ami_pose_of(body).root.translation;
    play(body, &walk, 120, &low, &high);
    assert_true(ami_pose_of(body).root.translation.z - from.z > 1.8f);
    play(body, &creep, 60, &low, &high);
    play(body, &creep, 120, &low, &high);
    assert_int_equal(ami_view_of(body).activity, AM_ACTIVITY_CREEP);
    assert_true(high < 0.88f);
    play(body, &stand, 120, &low, &high);
    play(body, &dance, 240, &low, &high);
    assert_int_equal(ami_view_of(body).activity, AM_ACTIVITY_DANCE);
    play(body, &walk, 180, &low, &high);
    assert_int_equal(ami_view_of(body).activity, AM_ACTIVITY_MOVE);
    assert_int_equal(ami_view_of(body).fallback_frames, 0);
    am_actor_destroy(body);
}

/// Number called `key` of the only character in a metrics file.
static double measured(const char *path, const char *key)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse_file(&doc, path, NULL, &err), &err);
    const am_json *value = am_json_get(am_json_get(am_json_root(doc), "characters")->first, key);
    const double number = value && value->type == AM_JSON_NUMBER ? value->number : (double)NAN;
    am_json_free(doc);
    return number;
}

static void a_script_is_played_by_what_is_given(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("run_given");
    char out[4096], metrics[600];
    const struct {
        const char *script, *given, *measure;
        double bound;
    } cases[] = {
        { "runs/keys.json", "", "response_s", 0.7 },
        { "runs/keys.json", "--database synth.amdb", "response_s", 0.8 },
        { "runs/corners.json", "--model " AMBLE_SOURCE_DIR "/models/locomotion.amnet", "path_error_m", 0.03 },
    };
    assert_int_equal(
        test_shell(
            NULL, 0,
            "cd %s && %s synth all -o synth >/dev/null 2>&1 && %s build %s/configs/databases/synth.json --clips "
            "synth -o synth.amdb >/dev/null 2>&1",
            dir, test_command(), test_command(), AMBLE_SOURCE_DIR),
        0);
    snprintf(metrics, sizeof metrics, "%s/m.json", dir);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (test_shell(out, sizeof out, "cd %s && %s run %s/configs/%s %s --metrics m.json --record r%d.json 2>&1",
                       dir, test_command(), AMBLE_SOURCE_DIR, cases[i].script, cases[i].given, (int)i) != 0) {
            fail_msg("%s %s: %s", cases[i].script, cases[i].given, out);
        }
        const double value = measured(metrics, cases[i].measure);
        assert_true(value > 0.0 && value < cases[i].bound);
        // The recording names what it was played by: it gives the same frames without being given anything.
        char again[4096];
        assert_int_equal(
            test_shell(again, sizeof again, "cd %s && %s run r%d.json 2>&1", dir, test_command(), (int)i), 0);
        const char *hash = strstr(out, "hash "), *same = strstr(again, "hash ");
        assert_true(hash && same);
        assert_memory_equal(hash, same, 5 + 16);
    }
}

/// A flow character plays goals from nothing but its model: where it comes to from (0, 0) tells what was asked.
typedef struct flow_case {
    const char *name, *goals;
    double least_z, most_z; ///< where it is in the end
    double most_x;          ///< off z
} flow_case;

static void a_flow_character_does_what_its_goals_ask(const flow_case *c)
{
    const char *dir = test_temp_dir("models_flow");
    char script[600], metrics[600], out[8192];
    double x = NAN, z = NAN;
    snprintf(script, sizeof script, "%s/run.json", dir);
    snprintf(metrics, sizeof metrics, "%s/m.json", dir);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f,
            "{ \"model\": \"%s/models/flow_%s.amnet\", \"controller\": \"flow\", \"seconds\": 8, "
            "\"characters\": [ { \"start\": { \"position\": [0, 0], \"facing\": [0, 1] }, \"goals\": [ %s ] } ] }",
            AMBLE_SOURCE_DIR, c->name, c->goals);
    fclose(f);
    if (test_shell(out, sizeof out, "%s run %s --metrics %s 2>&1", test_command(), script, metrics) != 0) {
        fail_msg("%s: %s", c->name, out);
    }
    const char *at = strstr(out, "at (");
    assert_true(at && sscanf(at, "at (%lf, %lf)", &x, &z) == 2);
    if (!(z > c->least_z && z < c->most_z && fabs(x) < c->most_x)) {
        fail_msg("%s comes to (%g, %g)", c->name, x, z);
    }
    assert_true(measured(metrics, "fallback_frames") == 0.0);
    assert_true(measured(metrics, "foot_slide_cm") < 0.1);
    assert_true(measured(metrics, "jitter_cm") < 0.3);
}

static void flow_characters_do_what_their_goals_ask(void **state)
{
    (void)state;
    static const flow_case cases[] = {
        { "uncontrolled", "", -30.0, 30.0, 30.0 },
        { "all", "{ \"t\": 0, \"values\": { \"velocity.velocity\": [0, 0, 1.2] } }", 7.0, 11.0, 1.5 },
        { "trajectory",
          "{ \"t\": 0, \"values\": { \"\": [ { \"position\": [0, 0, 2], \"facing\": [0, 0, 1] }, "
          "{ \"position\": [0, 0, 2], \"facing\": [0, 0, 1] }, { \"position\": [0, 0, 2], \"facing\": [0, 0, 1] }, "
          "{ \"position\": [0, 0, 2], \"facing\": [0, 0, 1] } ] } }",
          1.0, 3.0, 0.6 },
        { "velocity", "{ \"t\": 0, \"values\": { \"velocity\": [0, 0, 1.2], \"facing\": [0, 0, 1] } }", 7.0, 11.0,
          1.5 },
        { "target", "{ \"t\": 0, \"values\": { \"target\": [0, 0, 3], \"facing\": [0, 0, 1] } }", 2.7, 3.3, 0.3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[1024];
        am_error err = { 0 };
        am_model *model = NULL;
        snprintf(path, sizeof path, "%s/models/flow_%s.amnet", AMBLE_SOURCE_DIR, cases[i].name);
        check_ok(am_model_open(&model, path, NULL, &err), &err);
        assert_true(model->image_size < 4000000);
        // The recipe inside is the one that lies in configs; comments before it may have changed.
        size_t size = 0;
        snprintf(path, sizeof path, "%s/configs/recipes/flow_%s.json", AMBLE_SOURCE_DIR, cases[i].name);
        char *text = test_read_file(path, &size);
        assert_string_equal(strchr(model->recipe, '{'), strchr(text, '{'));
        free(text);
        am_model_close(model);
        a_flow_character_does_what_its_goals_ask(&cases[i]);
    }
}

/// One row for each tick, in the character's frame: what is asked ahead stays ahead.
static void a_run_writes_what_a_network_was_asked(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("models_asked");
    char script[600], path[600], out[4096];
    am_error err = { 0 };
    snprintf(script, sizeof script, "%s/run.json", dir);
    snprintf(path, sizeof path, "%s/a.npz", dir);
    char text[900];
    snprintf(
        text, sizeof text,
        "{ \"controller\": \"flow\", \"model\": \"%s/models/flow_velocity.amnet\", \"seconds\": 1, \"characters\": "
        "[ { \"goals\": [ { \"t\": 0, \"values\": { \"velocity\": [0, 0, 1] } } ] } ] }",
        AMBLE_SOURCE_DIR);
    check_ok(am_file_write(script, text, strlen(text), &err), &err);
    assert_int_equal(test_shell(out, sizeof out, "%s run %s --asked %s 2>&1", test_command(), script, path), 0);
    size_t size = 0;
    char *bytes = test_read_file(path, &size);
    am_arrays *arrays = NULL;
    check_ok(am_arrays_read(&arrays, bytes, size, path, NULL, &err), &err);
    const am_array *asked = am_arrays_find(arrays, "asked");
    assert_non_null(asked);
    assert_int_equal(asked->rows, 60);
    const float *v = asked->data; // a velocity, then an optional facing
    check_near(v[0], 0.0, 1e-3);
    check_near(v[2], 1.0, 1e-3);
    am_arrays_free(arrays);
    free(bytes);
    snprintf(path, sizeof path, "%s/none.npz", dir);
    assert_int_equal(test_shell(out, sizeof out, "%s run %s/configs/runs/keys.json --asked %s 2>&1", test_command(),
                                AMBLE_SOURCE_DIR, path),
                     1);
    assert_non_null(strstr(out, "--asked is for flow and segments"));
}

TEST_SUITE(models)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models_are_whole_and_tell_how_they_were_made),
        cmocka_unit_test(each_data_set_has_a_network_that_faces),
        cmocka_unit_test(flow_characters_do_what_their_goals_ask),
        cmocka_unit_test(a_recipe_says_what_it_kept),
        cmocka_unit_test(amble_run_takes_the_shipped_network),
        cmocka_unit_test(the_shipped_character_walks_runs_and_stops),
        cmocka_unit_test(the_shipped_dancer_dances_and_walks),
        cmocka_unit_test(the_everyday_character_jumps_creeps_and_dances),
        cmocka_unit_test(a_script_is_played_by_what_is_given),
        cmocka_unit_test(a_run_writes_what_a_network_was_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
