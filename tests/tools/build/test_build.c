// Builds: what a database holds of its clips, on generated motion everywhere, on the real data where they are
// present.
#include "support/folder.h"
#include "support/motion.h"
#include "data/database.h"
#include "data/features.h"

static void clips_become_ranges_with_times_and_provenance(void **state)
{
    (void)state;
    const char *folder = make_folder("build_plain", "{\"name\": \"plain\", \"clips\": {\"folders\": [\"clips\"]}, "
                                                    "\"mirror\": true, " FEATURES "}");
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    check_ok(build(&db, &summary, folder, &err), &err);
    assert_int_equal(summary.file_count, 3);
    assert_int_equal(summary.clip_count, 3);
    assert_int_equal(db->range_count, 6);
    assert_string_equal(db->ranges[0].name, "curve"); // by name, whatever the folder's order
    assert_string_equal(db->ranges[5].name, "walk_m");
    assert_true(db->ranges[5].flags & AM_RANGE_MIRRORED);
    assert_int_equal(db->ranges[0].tail, 20);
    assert_int_equal(db->features.count, 12);
    assert_non_null(strstr(db->config, "\"plain\""));
    for (int s = 0; s < AM_BUILD_WRITE; s++) {
        assert_true(summary.seconds[s] >= 0.0);
    }
    assert_string_equal(am_build_step_name(AM_BUILD_RETARGET), "retarget");
    check_ok(am_db_verify(db, &err), &err);
    am_build_summary_free(&summary);
    am_db_close(db);
}

static void mirrored_ranges_mirror_root_contacts_and_features(void **state)
{
    (void)state;
    const char *folder =
        make_folder("build_mirror", "{\"clips\": {\"folders\": [\"clips\"]}, \"mirror\": true, " FEATURES "}");
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(build(&db, NULL, folder, &err), &err);
    float a[AM_MAX_FEATURES];
    float b[AM_MAX_FEATURES];
    for (int f = db->ranges[0].start; f < db->ranges[0].stop; f += 5) {
        int m = f + db->ranges[3].start;
        check_near(db->root_positions[m].x, -db->root_positions[f].x, 1e-6);
        check_near(am_quat_heading(db->root_rotations[m]), -am_quat_heading(db->root_rotations[f]), 1e-5);
        unsigned swapped = (db->contacts[f] & 1u) << 1 | (db->contacts[f] & 2u) >> 1;
        assert_int_equal(db->contacts[m], swapped);
        ami_features_denormalise(&db->features, a, am_db_x(db, f));
        ami_features_denormalise(&db->features, b, am_db_x(db, m));
        check_near(b[0], -a[0], 1e-4); // trajectory x
        check_near(b[1], a[1], 1e-4);  // trajectory z
        check_near(b[9], -a[9], 1e-3); // hips velocity x
    }
    am_db_close(db);
}

static void one_and_two_threads_build_the_same_database(void **state)
{
    (void)state;
    const char *folder =
        make_folder("build_threads", "{\"clips\": {\"folders\": [\"clips\"]}, \"mirror\": true, " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/config.json", folder);
    uint64_t hashes[3];
    for (int threads = 1; threads <= 3; threads++) {
        am_pool *pool = NULL;
        am_error err = { 0 };
        check_ok(am_pool_create(&pool, threads, NULL, &err), &err);
        am_tasks tasks = *am_pool_tasks(pool);
        am_build_def def = am_build_def_default();
        def.config_path = path;
        def.tasks = &tasks;
        am_db *db = NULL;
        check_ok(am_build(&db, NULL, &def, &err), &err);
        hashes[threads - 1] = db->hash;
        am_db_close(db);
        am_pool_destroy(pool);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

static void cuts_excludes_and_includes_take_effect(void **state)
{
    (void)state;
    const char *folder = make_folder(
        "build_cuts", "{\"clips\": {\"folders\": [\"clips\"], \"include\": [\"w*\", \"?un\"], "
                      "\"exclude\": [\"ru*\"], \"cut\": [{\"clip\": \"walk\", \"first\": 100, "
                      "\"last\": 109, \"why\": \"a try\"}, {\"clip\": \"walk\", \"first\": -4}]}, " FEATURES "}");
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    check_ok(build(&db, &summary, folder, &err), &err);
    assert_int_equal(db->range_count, 2);
    assert_string_equal(db->ranges[0].name, "walk-a");
    assert_string_equal(db->ranges[1].name, "walk-b");
    assert_int_equal(db->ranges[0].stop - db->ranges[0].start, 100);
    assert_int_equal(db->ranges[1].source_first, 110);
    int cut = 0;
    int excluded = 0;
    for (int i = 0; i < summary.note_count; i++) {
        cut += summary.notes[i].first == 100 && summary.notes[i].last == 109;
        excluded += summary.notes[i].first < 0 && strcmp(summary.notes[i].clip, "run") == 0;
    }
    assert_int_equal(cut, 1);
    assert_int_equal(excluded, 1);
    am_build_summary_free(&summary);
    am_db_close(db);
}

static void a_file_cut_into_too_many_pieces_is_left_out(void **state)
{
    (void)state;
    enum { pieces = 80, each = 70 }; // frames; a piece of a second or more is kept
    static char config[pieces * 64 + 1024];
    int used = snprintf(config, sizeof config, "{\"clips\": {\"folders\": [\"clips\"], \"cut\": [");
    for (int i = 1; i < pieces; i++) {
        used +=
            snprintf(config + used, sizeof config - (size_t)used,
                     "%s{\"clip\": \"long\", \"first\": %d, \"last\": %d}", i > 1 ? ", " : "", i * each, i * each);
    }
    snprintf(config + used, sizeof config - (size_t)used, "]}, " FEATURES "}");
    const char *folder = make_folder("build_pieces", config);
    char path[1200];
    snprintf(path, sizeof path, "%s/clips/long.bvh", folder);
    write_synth(path, AM_SYNTH_WALK, (float)(pieces * each) / 60.0f, 4);
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    check_ok(build(&db, &summary, folder, &err), &err);
    assert_int_equal(summary.clip_count, 3);
    assert_int_equal(summary.note_count, 1);
    assert_string_equal(summary.notes[0].clip, "long");
    assert_non_null(strstr(summary.notes[0].why, "80 pieces"));
    am_build_summary_free(&summary);
    am_db_close(db);
}

static void tag_rows_reach_their_frames_also_after_resampling_and_mirroring(void **state)
{
    (void)state;
    const char *folder = make_folder("build_tags", "{\"clips\": {\"folders\": [\"clips\"]}, \"tags\": \"tags.csv\", "
                                                   "\"mirror\": true, \"fps\": 30, " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/tags.csv", folder);
    write_text(path, "clip, tag, first, last\nwalk, go_left, 60, 119\nwalk, go_right, 0, 9\nrun, sprint, 0, -1\n");
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(build(&db, NULL, folder, &err), &err);
    assert_int_equal(db->tag_count, AM_AUTO_TAG_COUNT + 3);
    const am_db_range *walk = &db->ranges[2];
    const am_db_range *mirrored = &db->ranges[5];
    assert_string_equal(walk->name, "walk");
    for (int f = 0; f < walk->stop - walk->start; f++) {
        uint64_t tags = db->tags[walk->start + f];
        uint64_t other = db->tags[mirrored->start + f];
        bool left = f >= 30 && f < 60; // 60 to 119 of 60 Hz
        bool right = f < 5;
        assert_int_equal((tags >> AM_AUTO_TAG_COUNT) & 1u, left);
        assert_int_equal((tags >> (AM_AUTO_TAG_COUNT + 1)) & 1u, right);
        assert_int_equal((other >> (AM_AUTO_TAG_COUNT + 1)) & 1u, left); // the mirror image goes the other way
        assert_int_equal((other >> AM_AUTO_TAG_COUNT) & 1u, right);
        assert_true(tags >> AM_TAG_WALK & 1u);
    }
    const am_db_range *run = &db->ranges[1];
    assert_true(db->tags[run->start + 40] >> (AM_AUTO_TAG_COUNT + 2) & 1u);
    write_text(path, "wlak, go_left, 60, 119\n");
    am_db *none = NULL;
    check_refused(build(&none, NULL, folder, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "wlak"));
    am_db_close(db);
}

static bool give_custom(void *user, const char *clip, float source_frame, float *out, int count)
{
    (void)user;
    assert_int_equal(count, 3);
    out[0] = source_frame;
    return strcmp(clip, "walk") == 0;
}

static void custom_numbers_come_from_side_files_and_from_the_hook(void **state)
{
    (void)state;
    const char *folder = make_folder("build_custom", "{\"clips\": {\"folders\": [\"clips\"], \"include\": [\"walk\", "
                                                     "\"run\"]}, \"custom\": {\"props\": \"props.csv\"}, "
                                                     "\"features\": {\"normalise\": \"none\", \"channels\": "
                                                     "[{\"kind\": \"custom\", \"name\": \"frame\", \"dims\": 1},"
                                                     "{\"kind\": \"custom\", \"name\": \"props\", \"dims\": 2}]}}");
    char path[1200];
    snprintf(path, sizeof path, "%s/props.csv", folder);
    write_text(path, "clip, frame, a, b\n# comment\nwalk, 10, 1, -1\nwalk, 20, 2, -3\n");
    snprintf(path, sizeof path, "%s/config.json", folder);
    am_build_def def = am_build_def_default();
    def.config_path = path;
    def.custom = give_custom;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_build(&db, NULL, &def, &err), &err);
    const am_db_range *walk = &db->ranges[1];
    float raw[8];
    const float want[4][2] = { { 1.0f, -1.0f }, { 1.0f, -1.0f }, { 1.5f, -2.0f }, { 2.0f, -3.0f } };
    const int at[4] = { 0, 10, 15, 99 };
    for (int i = 0; i < 4; i++) {
        ami_features_denormalise(&db->features, raw, am_db_x(db, walk->start + at[i]));
        check_near(raw[0], at[i], 1e-4);
        check_near(raw[1], want[i][0], 1e-5);
        check_near(raw[2], want[i][1], 1e-5);
    }
    ami_features_denormalise(&db->features, raw, am_db_x(db, db->ranges[0].start + 3));
    assert_true(raw[0] == 0.0f && raw[1] == 0.0f);
    am_db_close(db);
    static const char *const bad[] = {
        "walk\n",      "walk, x, 1, 2\n",  "walk, 1, 2\n", "walk, 1, 2, 3, 4\n", "walk, 2, 1, 1\nwalk, 2, 1, 1\n",
        ", 1, 1, 1\n", "walk, 1, 1, nan\n"
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(path, sizeof path, "%s/props.csv", folder);
        write_text(path, bad[i]);
        am_result result = build(&db, NULL, folder, &err);
        if (result != AM_ERR_SYNTAX || err.line < 1) {
            fail_msg("'%s' gave '%s'", bad[i], am_result_name(result));
        }
    }
}

static void clips_option_replaces_clips_tags_and_reference(void **state)
{
    (void)state;
    const char *folder = make_folder("build_clips", "{\"clips\": {\"sets\": [\"nowhere\"]}, \"tags\": \"none.csv\", "
                                                    "\"reference\": \"nobody\", " FEATURES "}");
    char path[1200];
    char clips[1200];
    snprintf(path, sizeof path, "%s/config.json", folder);
    snprintf(clips, sizeof clips, "%s/clips", folder);
    am_build_def def = am_build_def_default();
    def.config_path = path;
    am_db *db = NULL;
    am_error err = { 0 };
    check_refused(am_build(&db, NULL, &def, &err), AM_ERR_OPEN);
    assert_non_null(strstr(err.text, "AMBLE_DATA"));
    def.clips_dir = clips;
    check_ok(am_build(&db, NULL, &def, &err), &err);
    assert_int_equal(db->range_count, 3);
    am_db_close(db);
}

static void an_unreadable_file_is_left_out_and_told(void **state)
{
    (void)state;
    const char *folder = make_folder("build_bad", "{\"clips\": {\"folders\": [\"clips\"]}, " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/clips/broken.bvh", folder);
    write_text(path, "HIERARCHY\nROOT Hips\n{\n");
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    check_ok(build(&db, &summary, folder, &err), &err);
    assert_int_equal(summary.clip_count, 3);
    assert_int_equal(summary.note_count, 1);
    assert_string_equal(summary.notes[0].clip, "broken");
    am_build_summary_free(&summary);
    am_db_close(db);
}

static void duplicates_are_left_out(void **state)
{
    (void)state;
    const char *folder = make_folder("build_twice", "{\"clips\": {\"folders\": [\"clips\"]}, " FEATURES "}");
    char path[1200];
    snprintf(path, sizeof path, "%s/clips/walk_again.bvh", folder);
    write_synth(path, AM_SYNTH_WALK, 4.0f, 1);
    am_db *db = NULL;
    am_build_summary summary;
    am_error err = { 0 };
    check_ok(build(&db, &summary, folder, &err), &err);
    assert_int_equal(db->range_count, 3);
    assert_string_equal(summary.notes[0].clip, "walk_again");
    am_build_summary_free(&summary);
    am_db_close(db);
}

/// Frames of a source clip that a range covers, at 60 Hz.
static bool covers(const am_db *db, const char *clip, int first, int last)
{
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        size_t size = strlen(clip);
        bool same = strncmp(range->name, clip, size) == 0 &&
                    (range->name[size] == '\0' || range->name[size] == '-' || range->name[size] == '_');
        int from = range->source_first;
        int to = from + range->stop - range->start - 1;
        if (same && from <= last && to >= first) {
            return true;
        }
    }
    return false;
}

static void shipped_configs_leave_out_what_is_bad(void **state)
{
    (void)state;
    static const struct {
        const char *config, *clip;
        int first, last;
    } faults[] = {
        { "salsa", "60_06", 0, 100000 },         { "salsa", "60_07b", 0, 100000 },
        { "salsa", "60_07a", 669, 100000 },      { "salsa", "60_01", 395, 420 },
        { "chair", "75_20", 0, 100000 },         { "low", "127_32", 0, 100000 },
        { "low", "111_03", 0, 100000 },          { "recovery", "111_06", 0, 100000 },
        { "recovery", "111_08", 0, 100000 },     { "basketball", "06_02", 316, 100000 },
        { "basketball", "06_13", 0, 100000 },    { "dance", "05_18", 700, 720 },
        { "indian_dance", "94_10b", 0, 100000 },
    };
    if (!test_data_dir("locomotion") || !test_data_dir("salsa")) {
        skip();
    }
    am_db *db = NULL;
    const char *open = "";
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strcmp(open, faults[i].config) != 0) {
            char path[1200];
            snprintf(path, sizeof path, "%s/configs/databases/%s.json", AMBLE_SOURCE_DIR, faults[i].config);
            am_build_def def = am_build_def_default();
            def.config_path = path;
            def.find_set = test_find_set;
            am_error err = { 0 };
            am_db_close(db);
            check_ok(am_build(&db, NULL, &def, &err), &err);
            open = faults[i].config;
        }
        if (covers(db, faults[i].clip, faults[i].first, faults[i].last)) {
            fail_msg("%s still holds %s", faults[i].config, faults[i].clip);
        }
    }
    am_db_close(db);
}

// ---------------------------------------------------------------------------------------------
// Round trip

/// Largest differences of two clips of one skeleton: joints in metres, rotations in radians.
static void compare(const am_clip *a, const am_clip *b, float unit, float *away, float *angle)
{
    assert_int_equal(a->frame_count, b->frame_count);
    am_transform pa[AM_MAX_JOINTS];
    am_transform pb[AM_MAX_JOINTS];
    for (int f = 0; f < a->frame_count; f++) {
        am_clip_local(a, f, pa);
        am_clip_local(b, f, pb);
        am_fk(pa, pa, a->skeleton->parents, a->skeleton->joint_count);
        am_fk(pb, pb, b->skeleton->parents, b->skeleton->joint_count);
        for (int j = 0; j < a->skeleton->joint_count; j++) {
            am_vec3 scaled = am_v3_scale(pa[j].translation, unit);
            *away = am_max(*away, am_v3_distance(scaled, pb[j].translation));
            *angle = am_max(*angle, am_quat_angle(pa[j].rotation, pb[j].rotation));
        }
    }
}

static void bvh_to_database_to_bvh_keeps_the_motion(void **state)
{
    (void)state;
    static const char *const clips[] = { "02_01", "16_17", "69_01" };
    float away = 0.0f;
    float angle = 0.0f;
    const char *real = test_data_dir("locomotion");
    if (!real) {
        skip();
    }
    char source[1024];
    snprintf(source, sizeof source, "%s", real);
    for (int i = 0; i < 3; i++) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s", test_temp_dir("build_round"));
        char line[4096];
        snprintf(line, sizeof line, "mkdir '%s/clips' && cp '%s/%s.bvh' '%s/clips'", folder, source, clips[i],
                 folder);
        assert_int_equal(system(line), 0);
        char path[1200];
        snprintf(path, sizeof path, "%s/config.json", folder);
        write_text(path,
                   "{\"clips\": {\"folders\": [\"clips\"]}, \"retarget\": false, \"floor\": \"none\", \"fps\": 0, "
                   "\"doctor\": {\"cut\": false, \"bridge\": false, \"unit_m\": 0.0564444, \"fps\": 60}, " FEATURES
                   "}");
        am_db *db = NULL;
        am_error err = { 0 };
        check_ok(build(&db, NULL, folder, &err), &err);
        char out[1200];
        char amdb[1200];
        snprintf(amdb, sizeof amdb, "%s/x.amdb", folder);
        snprintf(out, sizeof out, "%s/out.bvh", folder);
        check_ok(am_db_write(db, amdb, &err), &err);
        am_db_close(db);
        assert_int_equal(test_shell(NULL, 0, "'%s' export '%s' -o '%s' > /dev/null", test_command(), amdb, out), 0);
        snprintf(path, sizeof path, "%s/clips/%s.bvh", folder, clips[i]);
        am_clip *a = test_load(path, 1.0f);
        am_clip *b = test_load(out, 1.0f);
        compare(a, b, 0.0564444f, &away, &angle);
        am_clip_destroy(a);
        am_clip_destroy(b);
    }
    printf("round trip: %.4f mm, %.5f degrees\n", (double)away * 1e3, (double)(angle / AM_DEG));
    assert_true(away < 1e-4f);
    assert_true(angle < 0.05f * AM_DEG);
}

TEST_SUITE(build)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_become_ranges_with_times_and_provenance),
        cmocka_unit_test(mirrored_ranges_mirror_root_contacts_and_features),
        cmocka_unit_test(one_and_two_threads_build_the_same_database),
        cmocka_unit_test(cuts_excludes_and_includes_take_effect),
        cmocka_unit_test(a_file_cut_into_too_many_pieces_is_left_out),
        cmocka_unit_test(tag_rows_reach_their_frames_also_after_resampling_and_mirroring),
        cmocka_unit_test(custom_numbers_come_from_side_files_and_from_the_hook),
        cmocka_unit_test(clips_option_replaces_clips_tags_and_reference),
        cmocka_unit_test(an_unreadable_file_is_left_out_and_told),
        cmocka_unit_test(duplicates_are_left_out),
        cmocka_unit_test(shipped_configs_leave_out_what_is_bad),
        cmocka_unit_test(bvh_to_database_to_bvh_keeps_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
