// Bent copies of clips in a database, copies of unrolled loops, and whose clips a config's doctor is for.
#include "support/folder.h"
#include "support/motion.h"

/// Radians that the ground root of a range turns in all.
static float turn_of(const am_db *db, const char *name)
{
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        float turn = 0.0f;
        for (int f = range->start + 1; f < range->stop; f++) {
            turn +=
                am_wrap_angle(am_quat_heading(db->root_rotations[f]) - am_quat_heading(db->root_rotations[f - 1]));
        }
        if (strcmp(range->name, name) == 0) {
            return turn;
        }
    }
    fail_msg("there is no range '%s'", name);
    return 0.0f;
}

static void clips_are_bent_as_the_config_says(void **state)
{
    (void)state;
    const char *folder = make_folder(
        "build_bend", "{\"clips\": {\"folders\": [\"clips\"]}, \"mirror\": true, \"root\": {\"of\": \"pelvis\"}, "
                      "\"bend\": [{\"clips\": [\"wa*\"], \"deg_per_s\": [-60, 90]}, "
                      "{\"clips\": [\"run\"], \"deg_per_s\": [350]}], " FEATURES "}");
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(build(&db, NULL, folder, &err), &err);
    // Nobody leans as far as a run at 350 degrees a second needs.
    assert_int_equal(db->range_count, 2 * (3 + 2));
    float straight = turn_of(db, "walk");
    float left = turn_of(db, "walk_bent+90") - straight;
    float right = turn_of(db, "walk_bent-60") - straight;
    assert_true(left > 3.0f && left < 6.4f); // the walk moves for most of its four seconds
    check_near(right / left, -60.0f / 90.0f, 0.05);
    check_near(turn_of(db, "walk_bent+90_m"), -turn_of(db, "walk_bent+90"), 1e-3);
    am_db_close(db);
}

/// Two seconds of a steady gait without its way: a loop in place.
static void write_loop(const char *path, am_synth_kind kind, float speed)
{
    am_error err = { 0 };
    am_synth synth = { 0 };
    am_synth_def def = am_synth_def_default();
    def.kind = kind;
    def.speed = speed;
    def.seconds = 6.0f;
    def.fps = 60.0f;
    check_ok(am_synth_make(&synth, &def, &err), &err);
    am_clip *clip = NULL;
    int frames = 60;
    check_ok(am_clip_trim(&clip, synth.clip, 150, 270, NULL, &err), &err);
    size_t row = (size_t)clip->moving_count;
    am_vec3 way = am_v3_sub(clip->translations[120 * row], clip->translations[0]);
    for (int f = 0; f < clip->frame_count; f++) {
        am_vec3 *hips = &clip->translations[(size_t)f * row];
        hips->x -= way.x * (float)f / 120.0f;
        hips->z -= way.z * (float)f / 120.0f;
    }
    // The shortest stretch from its beginning that is a loop.
    am_clip *loop = NULL;
    for (; frames <= 120; frames++) {
        am_clip_destroy(loop);
        check_ok(am_clip_trim(&loop, clip, 0, frames, NULL, &err), &err);
        if (am_clip_find_loop(loop) > 0) {
            break;
        }
    }
    assert_true(frames <= 120);
    am_bytes bytes = { 0 };
    am_write_def write = am_write_def_default();
    check_ok(am_bvh_write(&bytes, loop, &write, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(loop);
    am_clip_destroy(clip);
    am_synth_free(&synth);
}

static float speed_of(const am_db *db, const char *name)
{
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        if (strcmp(range->name, name) == 0) {
            float way = am_v3_distance(db->root_positions[range->stop - 1], db->root_positions[range->start]);
            return way * db->fps / (float)(range->stop - range->start);
        }
    }
    fail_msg("there is no range '%s'", name);
    return 0.0f;
}

static void a_run_in_place_gets_jogs(void **state)
{
    (void)state;
    char folder[1024], path[1200];
    snprintf(folder, sizeof folder, "%s", test_temp_dir("build_runs"));
    snprintf(path, sizeof path, "%s/run.bvh", folder);
    write_loop(path, AM_SYNTH_RUN, 4.0f);
    am_build_def def = am_build_def_default();
    char config[1200];
    snprintf(config, sizeof config, "%s/config.json", test_temp_dir("build_runs_config"));
    write_text(config, "{" FEATURES "}");
    def.config_path = config;
    def.clips_dir = folder;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_build(&db, NULL, &def, &err), &err);
    char name[32];
    const float run = speed_of(db, "run");
    snprintf(name, sizeof name, "run_x%.2f", (double)(2.3f / run));
    check_near(run, 4.0f, 0.4);
    check_near(speed_of(db, name), 2.3f, 0.15);
    am_db_close(db);
}

static void a_loop_in_place_becomes_walks_of_other_paces_and_curves(void **state)
{
    (void)state;
    const char *config = "{\"doctor\": {\"fps\": 30}, " FEATURES "}"; // of the config's own clips, not of these
    char folder[1024], path[1200], loops[1200];
    snprintf(folder, sizeof folder, "%s", test_temp_dir("build_loops"));
    snprintf(loops, sizeof loops, "%s/loops", folder);
    am_folder_make(loops);
    snprintf(path, sizeof path, "%s/loops/walk.bvh", folder);
    write_loop(path, AM_SYNTH_WALK, 1.3f);
    snprintf(path, sizeof path, "%s/config.json", folder);
    write_text(path, config);
    am_build_def def = am_build_def_default();
    def.config_path = path;
    def.clips_dir = loops;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_build(&db, NULL, &def, &err), &err);
    assert_int_equal(db->range_count, 1 + 15);
    float way[3] = { 0.0f };
    static const char *const names[3] = { "walk_x0.76", "walk", "walk_x1.56" };
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        for (int i = 0; i < 3; i++) {
            if (strcmp(range->name, names[i]) == 0) {
                float seconds = (float)(range->stop - range->start) / db->fps;
                way[i] = am_v3_distance(db->root_positions[range->stop - 1], db->root_positions[range->start]);
                way[i] /= seconds;
            }
        }
        for (int f = range->start; f < range->stop; f++) {
            assert_int_equal((int)(db->tags[f] >> AM_TAG_JUMP & 1), 0);
        }
    }
    check_near(way[1], 1.3f, 0.2); // as fast as it was: the rate is the file's
    check_near(way[0] / way[1], 0.87f * 0.87f, 0.02);
    check_near(way[2] / way[1], 1.25f * 1.25f, 0.02);
    assert_true(turn_of(db, "walk_bent+120") > 10.0f);
    am_db_close(db);
    write_text(path, "{\"bend\": [], " FEATURES "}"); // switched off
    check_ok(am_build(&db, NULL, &def, &err), &err);
    assert_int_equal(db->range_count, 1);
    am_db_close(db);
}

TEST_SUITE(build_bend)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_are_bent_as_the_config_says),
        cmocka_unit_test(a_loop_in_place_becomes_walks_of_other_paces_and_curves),
        cmocka_unit_test(a_run_in_place_gets_jogs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
