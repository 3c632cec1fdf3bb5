// The character on real motion capture: one subject's walks, steered by keys.
#include "support/check.h"
#include "actor/intent.h"

#define DT (1.0f / 60.0f)

/// A database of subject 69 (walks, turns, stops) by the shipped config.
static am_db *build_db(const char *folder)
{
    char path[512];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/cmu.json", test_temp_dir("cmu"));
    char text[1024];
    int size = snprintf(text, sizeof text,
                        "{\"name\": \"cmu\", \"clips\": {\"folders\": [\"%s\"], \"include\": [\"69_*\"]}, "
                        "\"mirror\": true, \"doctor\": "
                        "{\"fps\": 60}, \"features\": \"%s/configs/features/lmm.json\"}",
                        folder, AMBLE_SOURCE_DIR);
    check_ok(am_file_write(path, text, (size_t)size, &err), &err);
    am_build_def def = am_build_def_default();
    def.config_path = path;
    am_db *db = NULL;
    check_ok(am_build(&db, NULL, &def, &err), &err);
    return db;
}

static void real_walks_answer_the_keys(void **state)
{
    (void)state;
    const char *folder = test_data_dir("locomotion");
    if (!folder) {
        skip();
    }
    am_db *db = build_db(folder);
    static const char text[] =
        "{\"database\": \"-\", \"seconds\": 16, \"options\": {\"walk_mps\": 1.1}, \"characters\": [{\"keys\": ["
        "{\"t\": 0.5, \"down\": [\"W\"]}, {\"t\": 4, \"down\": [\"A\"]}, {\"t\": 7, \"down\": [\"S\"]},"
        "{\"t\": 10, \"down\": [\"A\"]}, {\"t\": 13, \"down\": []}]}]}";
    am_run_script script;
    am_error err = { 0 };
    check_ok(am_run_parse(&script, text, strlen(text), "run", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    am_run *run = NULL;
    check_ok(am_run_create(&run, &def, &err), &err);
    static am_vec3 hips[960];
    while (am_run_step(run)) {
        am_run_sample sample = am_run_get_sample(run, 0);
        hips[sample.frame] = am_v3_ground(sample.pose.world[0].translation);
        assert_true(sample.pose.world[0].translation.y * 0.0f == 0.0f);
    }
    // A second after each turn the body goes where the key says, to within 15 degrees.
    const struct {
        int frame;
        float heading;
    } turns[] = { { 300, 90.0f }, { 480, 180.0f }, { 660, 90.0f } };
    for (int i = 0; i < 3; i++) {
        am_vec3 way = am_v3_sub(hips[turns[i].frame + 6], hips[turns[i].frame - 6]);
        float off = am_wrap_angle(am_atan2(way.x, way.z) - turns[i].heading * AM_DEG);
        assert_true(am_abs(off) < 15.0f * AM_DEG);
    }
    // And it stops within a second.
    assert_true(am_v3_distance(hips[840], hips[846]) / (6.0f * DT) < 0.15f);
    assert_true(am_v3_distance(hips[846], hips[959]) < 0.15f);
    am_run_destroy(run);
    am_run_script_free(&script);
    am_db_close(db);
}

static am_run *make_run(am_run_script *script, const am_db *db, const char *text)
{
    am_error err = { 0 };
    check_ok(am_run_parse(script, text, strlen(text), "run", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = db;
    am_run *run = NULL;
    check_ok(am_run_create(&run, &def, &err), &err);
    return run;
}

/// Ten seconds of W from a stand: as fast as desired, 0 being the database's own walk, and by steps.
static void check_walk(const am_db *db, const char *method, float mps)
{
    char text[512];
    char option[64] = "";
    if (mps > 0.0f) {
        snprintf(option, sizeof option, "\"walk_mps\": %g", (double)mps);
    }
    snprintf(text, sizeof text,
             "{\"database\": \"-\", \"controller\": \"%s\", \"seconds\": 10, \"options\": {%s}, \"characters\": "
             "[{\"keys\": [{\"t\": 0, \"down\": [\"W\"]}]}]}",
             method, option);
    am_run_script script;
    am_run *run = make_run(&script, db, text);
    float desired = mps > 0.0f ? mps : ami_intent_def_of(db).walk_mps;
    am_vec3 before = am_v3_zero();
    int steps = 0;
    uint8_t stood = 0;
    while (am_run_step(run)) {
        am_run_sample sample = am_run_get_sample(run, 0);
        am_vec3 now = sample.pose.world[0].translation;
        steps += (sample.pose.contacts & 1) != 0 && (stood & 1) == 0;
        stood = sample.pose.contacts;
        // Every two seconds: the hips sway within a step.
        if (sample.frame >= 240 && sample.frame % 120 == 0) {
            check_near(now.z - before.z, 2.0f * desired, 0.2f * desired);
        }
        before = sample.frame % 120 == 0 ? now : before;
    }
    assert_true(steps >= 6 && steps <= 14); // of the left foot, in ten seconds
    am_run_destroy(run);
    am_run_script_free(&script);
}

/// What a person meets first: the studio's own database. Jumps are in it, whose crouches look like walks, and runs
/// that begin as walks do.
static void the_studios_character_walks_as_fast_as_desired(void **state)
{
    (void)state;
    if (!test_data_dir("locomotion") || !test_data_dir("jump")) {
        skip();
    }
    am_build_def build = am_build_def_default();
    build.config_path = AMBLE_SOURCE_DIR "/configs/databases/studio_cmu.json";
    build.find_set = test_find_set;
    am_error err = { 0 };
    am_db *db = NULL;
    check_ok(am_build(&db, NULL, &build, &err), &err);
    static const char *const methods[] = { "match", "long-horizon" };
    for (int i = 0; i < 2; i++) {
        check_walk(db, methods[i], 0.0f);
        check_walk(db, methods[i], 1.2f); // the page's
    }
    am_db_close(db);
}

TEST_SUITE(cmu)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_walks_answer_the_keys),
        cmocka_unit_test(the_studios_character_walks_as_fast_as_desired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
