// The character on real motion capture: one subject's walks, steered by keys.
#include "support/check.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_walks_answer_the_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
