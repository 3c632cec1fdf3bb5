// What is measured on a clip: smoothing filters, ground root, floor, contacts.
#include "data/filter.h"
#include "base/memory.h"
#include "support/motion.h"
#include "base/rng.h"
#include "data/kinematics.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Filters

static void a_cubic_passes_the_smoothing_unchanged(void **state)
{
    (void)state;
    am_alloc alloc = ami_alloc_or_default(NULL);
    float in[100];
    float out[100];
    for (int i = 0; i < 100; i++) {
        float x = (float)(i - 50) / 50.0f;
        in[i] = 1.0f + 2.0f * x - 3.0f * x * x + 4.0f * x * x * x;
    }
    assert_true(ami_savgol(out, in, 100, 1, 31, &alloc));
    for (int i = 15; i < 85; i++) {
        check_near(out[i], in[i], 1e-5);
    }
    check_near(out[0], in[0], 1e-5); // ends stay where they are
    check_near(out[99], in[99], 1e-5);
}

static void smoothing_a_reversed_track_reverses_the_result(void **state)
{
    (void)state;
    am_alloc alloc = ami_alloc_or_default(NULL);
    am_rng rng = ami_rng_make(3);
    float in[80];
    float back[80];
    float out[80];
    float reversed[80];
    for (int window = 1; window < 200; window += 12) {
        for (int i = 0; i < 80; i++) {
            in[i] = am_rng_normal(&rng);
            back[79 - i] = in[i];
        }
        assert_true(ami_savgol(out, in, 80, 1, window, &alloc));
        assert_true(ami_savgol(reversed, back, 80, 1, window, &alloc));
        double noise = 0.0;
        for (int i = 0; i < 80; i++) {
            check_near(out[i], reversed[79 - i], 1e-4);
            noise += (double)(out[i] * out[i]) / 80.0;
        }
        assert_true(window < 13 || noise < 0.9);
    }
    assert_true(ami_savgol(out, in, 1, 1, 31, &alloc));
    check_near(out[0], in[0], 0.0);
}

static void windows_are_odd_and_bounded(void **state)
{
    (void)state;
    assert_int_equal(ami_window_frames(0.0f, 60.0f), 1);
    assert_int_equal(ami_window_frames(NAN, 60.0f), 1);
    assert_int_equal(ami_window_frames(0.5f, 60.0f), 31);
    assert_int_equal(ami_window_frames(1.0f, 30.0f), 31);
    assert_int_equal(ami_window_frames(1e20f, 1e10f) % 2, 1);
}

static void sorting_and_quantiles(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(5);
    float values[257];
    for (int count = 1; count <= 257; count += 16) {
        for (int i = 0; i < count; i++) {
            values[i] = (float)am_rng_below(&rng, 40);
        }
        ami_sort_floats(values, count);
        for (int i = 1; i < count; i++) {
            assert_true(values[i - 1] <= values[i]);
        }
    }
    float four[4] = { 0.0f, 1.0f, 2.0f, 10.0f };
    check_near(ami_quantile(four, 4, 0.5f), 1.5, 1e-6);
    check_near(ami_quantile(four, 4, 1.0f), 10.0, 0.0);
    check_near(ami_quantile(four, 1, 0.3f), 0.0, 0.0);
}

static void a_majority_removes_short_flickers(void **state)
{
    (void)state;
    uint8_t in[20] = { 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0 };
    uint8_t want[20] = { 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0 };
    uint8_t out[20] = { 0 };
    ami_majority(out, in, 20, 1, 5);
    assert_memory_equal(out, want, 20);
}

// ---------------------------------------------------------------------------------------------
// Ground root

static void track(am_vec3 *positions, am_quat *rotations, const am_clip *clip)
{
    am_roles roles = test_roles(clip->skeleton);
    am_root_def def = am_root_def_default();
    am_error err = { 0 };
    check_ok(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), &err);
}

static void the_root_follows_a_body_that_turns_and_travels(void **state)
{
    (void)state;
    am_clip *clip = test_walker(240);
    int joints = clip->skeleton->joint_count;
    for (int f = 0; f < 240; f++) {
        float t = (float)f / 60.0f;
        clip->rotations[f * joints] = am_quat_from_heading(2.0f * t); // past half a turn and on
        clip->translations[f] = am_v3(0.5f * t, 0.95f, 1.2f * t);
    }
    am_vec3 positions[240];
    am_quat rotations[240];
    track(positions, rotations, clip);
    for (int f = 0; f < 240; f++) {
        float t = (float)f / 60.0f;
        check_near(positions[f].y, 0.0, 0.0);
        check_near(positions[f].x, 0.5f * t, 0.01);
        check_near(positions[f].z, 1.2f * t, 0.01);
        check_near(am_wrap_angle(am_quat_heading(rotations[f]) - am_wrap_angle(2.0f * t)), 0.0, 0.01);
    }
    am_clip_destroy(clip);
}

static void facing_stays_steady_while_the_body_lies_on_its_side(void **state)
{
    (void)state;
    am_clip *clip = test_walker(300);
    int joints = clip->skeleton->joint_count;
    for (int f = 0; f < 300; f++) {
        // Falls on its left side, lies there with a tremble, gets up.
        float down = am_clamp(f < 150 ? ((float)f - 60.0f) / 40.0f : (240.0f - (float)f) / 40.0f, 0.0f, 1.0f);
        float tremble = 0.05f * am_sin(0.9f * (float)f);
        am_quat heading = am_quat_from_heading(0.7f);
        am_vec3 z = am_v3(0.0f, 0.0f, 1.0f);
        am_quat lie = am_quat_from_axis_angle(z, -down * (0.5f * AM_PI + tremble));
        clip->rotations[f * joints] = am_quat_mul(heading, lie);
    }
    am_vec3 positions[300];
    am_quat rotations[300];
    track(positions, rotations, clip);
    for (int f = 0; f < 300; f++) {
        check_near(am_quat_heading(rotations[f]), 0.7, 0.05);
    }
    am_clip_destroy(clip);
}

static void rigs_without_sides_use_the_hips_own_facing(void **state)
{
    (void)state;
    am_clip *clip = test_walker(50);
    for (int f = 0; f < 50; f++) {
        clip->rotations[f * clip->skeleton->joint_count] = am_quat_from_heading(3.0f + 0.01f * (float)f);
    }
    am_roles roles = ami_roles_none();
    am_root_def def = am_root_def_default();
    am_error err = { 0 };
    am_vec3 positions[50];
    am_quat rotations[50];
    check_refused(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), AM_ERR_ROLE);
    roles.joint[AM_ROLE_HIPS] = 0;
    check_ok(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), &err);
    check_near(am_wrap_angle(am_quat_heading(rotations[25]) - 3.25f), 0.0, 1e-3);
    am_clip_destroy(clip);
}

static void root_defs_out_of_range_are_refused(void **state)
{
    (void)state;
    am_clip *clip = test_walker(5);
    am_clip *empty = test_walker(0);
    am_roles roles = test_roles(clip->skeleton);
    am_vec3 positions[5];
    am_quat rotations[5];
    am_error err = { 0 };
    am_root_def def = am_root_def_default();
    check_refused(am_root_track(positions, rotations, empty, &roles, &def, NULL, &err), AM_ERR_EMPTY);
    def.facing_seconds = NAN;
    check_refused(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), AM_ERR_DEF);
    def = am_root_def_default();
    def.cookie = 1;
    check_refused(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), AM_ERR_DEF);
    roles.joint[AM_ROLE_LEFT_ARM] = 23;
    def = am_root_def_default();
    check_refused(am_root_track(positions, rotations, clip, &roles, &def, NULL, &err), AM_ERR_ROLE);
    am_clip_destroy(clip);
    am_clip_destroy(empty);
}

/// Fastest turn of the root (degrees per second) over up to `most` clips of a set.
static double fastest_turn(const char *set, int most, float unit_m)
{
    const char *dir = test_data_dir(set);
    if (!dir) {
        return 0.0;
    }
    char *paths[300];
    int count = test_list(paths, most, dir);
    double fastest = 0.0;
    for (int i = 0; i < count; i++) {
        am_clip *clip = test_load(paths[i], unit_m);
        am_vec3 *positions = malloc((size_t)clip->frame_count * sizeof *positions);
        am_quat *rotations = malloc((size_t)clip->frame_count * sizeof *rotations);
        track(positions, rotations, clip);
        for (int f = 1; f < clip->frame_count; f++) {
            double turn = (double)(am_quat_angle(rotations[f - 1], rotations[f]) * clip->fps / AM_DEG);
            fastest = turn > fastest ? turn : fastest;
        }
        free(positions);
        free(rotations);
        am_clip_destroy(clip);
        free(paths[i]);
    }
    printf("%s: the root turns by at most %.0f degrees per second\n", set, fastest);
    return fastest;
}

static void facing_never_flips_on_captured_motion(void **state)
{
    (void)state;
    if (!test_data_dir("locomotion")) {
        skip();
    }
    assert_true(fastest_turn("locomotion", 270, TEST_CMU_UNIT) < 400.0);
    assert_true(fastest_turn("low", 29, TEST_CMU_UNIT) < 300.0);      // crouch, crawl
    assert_true(fastest_turn("recovery", 20, TEST_CMU_UNIT) < 800.0); // falls
    assert_true(fastest_turn("jump", 80, TEST_CMU_UNIT) < 800.0);
    assert_true(fastest_turn("indian_dance", 18, TEST_CMU_UNIT) < 800.0);
    assert_true(fastest_turn("basketball", 49, TEST_CMU_UNIT) < 800.0);
    assert_true(fastest_turn("salsa", 36, TEST_CMU_UNIT) < 1400.0); // 61_03 spins at 1350 as captured
    assert_true(fastest_turn("accad_male1", 69, TEST_ACCAD_UNIT) < 400.0);
}

// ---------------------------------------------------------------------------------------------
// Floor and contacts

static void contacts_of_a_known_walk_are_found(void **state)
{
    (void)state;
    am_clip *clip = test_walker(600);
    am_roles roles = test_roles(clip->skeleton);
    am_error err = { 0 };
    float floor_m = 9.0f;
    check_ok(am_floor_find(&floor_m, clip, &roles, NULL, &err), &err);
    check_near(floor_m, 0.02, 1e-4); // 0.95 - 0.05 - 0.42 - 0.40 - 0.06
    uint8_t contacts[600];
    am_contact_def def = am_contact_def_default();
    check_ok(am_contacts_find(contacts, clip, &roles, &def, NULL, &err), &err);
    int hits = 0;
    int false_hits = 0;
    int misses = 0;
    for (int f = 0; f < 600; f++) {
        for (int side = 0; side < 2; side++) {
            bool truth = (f + 30 * side) % 60 <= 30;
            bool found = (contacts[f] & (side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT)) != 0;
            hits += truth && found;
            false_hits += found && !truth;
            misses += truth && !found;
        }
    }
    double f1 = 2.0 * hits / (2.0 * hits + false_hits + misses);
    printf("contacts of the made walk: F1 %.3f\n", f1);
    assert_true(f1 > 0.9); // the swing begins and ends gently, so its edges are a matter of taste
    am_clip_destroy(clip);
}

static void feet_without_toes_stand_on_their_ankles(void **state)
{
    (void)state;
    am_clip *clip = test_walker(120);
    am_roles roles = test_roles(clip->skeleton);
    roles.joint[AM_ROLE_LEFT_TOE] = -1;
    am_error err = { 0 };
    float floor_m = 0.0f;
    check_ok(am_floor_find(&floor_m, clip, &roles, NULL, &err), &err);
    check_near(floor_m, 0.02, 1e-3); // the right toe is the lower one still
    roles.joint[AM_ROLE_RIGHT_TOE] = -1;
    check_ok(am_floor_find(&floor_m, clip, &roles, NULL, &err), &err);
    check_near(floor_m, 0.08, 1e-3);
    roles.joint[AM_ROLE_RIGHT_FOOT] = -1;
    check_refused(am_floor_find(&floor_m, clip, &roles, NULL, &err), AM_ERR_ROLE);
    am_clip_destroy(clip);
}

static void a_clip_that_is_never_slow_has_a_floor_all_the_same(void **state)
{
    (void)state;
    am_clip *clip = test_walker(60);
    for (int f = 0; f < 60; f++) {
        clip->translations[f].z = 0.2f * (float)f; // 12 m/s
    }
    am_roles roles = test_roles(clip->skeleton);
    am_error err = { 0 };
    float floor_m = 0.0f;
    check_ok(am_floor_find(&floor_m, clip, &roles, NULL, &err), &err);
    check_near(floor_m, 0.02, 1e-3);
    am_clip_destroy(clip);
}

static void contact_defs_out_of_range_are_refused(void **state)
{
    (void)state;
    am_clip *clip = test_walker(4);
    am_clip *empty = test_walker(0);
    am_roles roles = test_roles(clip->skeleton);
    uint8_t out[4];
    float floor_m = 0.0f;
    am_error err = { 0 };
    am_contact_def def = am_contact_def_default();
    check_refused(am_contacts_find(out, empty, &roles, &def, NULL, &err), AM_ERR_EMPTY);
    check_refused(am_floor_find(&floor_m, empty, &roles, NULL, &err), AM_ERR_EMPTY);
    def.speed_off_mps = 0.1f;
    check_refused(am_contacts_find(out, clip, &roles, &def, NULL, &err), AM_ERR_DEF);
    def = am_contact_def_default();
    def.median_seconds = NAN;
    check_refused(am_contacts_find(out, clip, &roles, &def, NULL, &err), AM_ERR_DEF);
    def = am_contact_def_default();
    def.cookie = 0;
    check_refused(am_contacts_find(out, clip, &roles, &def, NULL, &err), AM_ERR_DEF);
    am_clip_destroy(clip);
    am_clip_destroy(empty);
}

static void stances_of_captured_locomotion_are_as_common_as_measured(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char *paths[270];
    int count = test_list(paths, 270, dir);
    double share[4] = { 0.0 };
    double frames = 0.0;
    am_error err = { 0 };
    am_contact_def def = am_contact_def_default();
    for (int i = 0; i < count; i++) {
        am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
        am_roles roles = test_roles(clip->skeleton);
        uint8_t *contacts = malloc((size_t)clip->frame_count);
        check_ok(am_contacts_find(contacts, clip, &roles, &def, NULL, &err), &err);
        for (int f = 0; f < clip->frame_count; f++, frames += 1.0) {
            share[contacts[f]] += 1.0;
        }
        free(contacts);
        am_clip_destroy(clip);
        free(paths[i]);
    }
    double both = share[3] / frames;
    double single = (share[1] + share[2]) / frames;
    printf("stance: %.1f %% double, %.1f single, %.1f none\n", 100 * both, 100 * single, 100 * share[0] / frames);
    // The data's own notes, with a simpler rule: 24 double, 66 single, 10 none.
    check_near(both, 0.24, 0.05);
    check_near(single, 0.66, 0.05);
    check_near(share[0] / frames, 0.10, 0.05);
    check_near(share[1] / share[2], 1.0, 0.1);
}

/// Rows of the data's own list: name of a locomotion file, its toe floor.
static int read_floors(char names[300][32], float *floors)
{
    FILE *file = fopen(AMBLE_SOURCE_DIR "/../shared/data/cmu/MANIFEST.tsv", "r");
    char line[1024];
    int count = 0;
    while (file && count < 300 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "locomotion/%31[^.].bvh", names[count]) == 1 && strrchr(line, '\t')) {
            floors[count++] = strtof(strrchr(line, '\t'), NULL);
        }
    }
    if (file) {
        fclose(file);
    }
    return count;
}

static void floors_of_captured_locomotion_are_where_they_were_measured(void **state)
{
    (void)state;
    static char names[300][32];
    static float floors[300];
    float misses[300];
    const char *dir = test_data_dir("locomotion");
    int count = read_floors(names, floors);
    if (!dir || count == 0) {
        printf("SKIPPED: no list of measured floors\n");
        skip();
    }
    am_error err = { 0 };
    for (int i = 0; i < count; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s.bvh", dir, names[i]);
        am_clip *clip = test_load(path, TEST_CMU_UNIT);
        am_roles roles = test_roles(clip->skeleton);
        float floor_m = 9.0f;
        check_ok(am_floor_find(&floor_m, clip, &roles, NULL, &err), &err);
        misses[i] = am_abs(floor_m - floors[i]);
        am_clip_destroy(clip);
    }
    ami_sort_floats(misses, count);
    printf("floors of %d clips: %.1f mm off (median), %.1f mm (90 %%)\n", count,
           1e3 * (double)ami_quantile(misses, count, 0.5f), 1e3 * (double)ami_quantile(misses, count, 0.9f));
    assert_true(ami_quantile(misses, count, 0.5f) < 0.003f);
    assert_true(ami_quantile(misses, count, 0.9f) < 0.010f);
}

TEST_SUITE(ground)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubic_passes_the_smoothing_unchanged),
        cmocka_unit_test(smoothing_a_reversed_track_reverses_the_result),
        cmocka_unit_test(windows_are_odd_and_bounded),
        cmocka_unit_test(sorting_and_quantiles),
        cmocka_unit_test(a_majority_removes_short_flickers),
        cmocka_unit_test(the_root_follows_a_body_that_turns_and_travels),
        cmocka_unit_test(facing_stays_steady_while_the_body_lies_on_its_side),
        cmocka_unit_test(rigs_without_sides_use_the_hips_own_facing),
        cmocka_unit_test(root_defs_out_of_range_are_refused),
        cmocka_unit_test(facing_never_flips_on_captured_motion),
        cmocka_unit_test(contacts_of_a_known_walk_are_found),
        cmocka_unit_test(feet_without_toes_stand_on_their_ankles),
        cmocka_unit_test(a_clip_that_is_never_slow_has_a_floor_all_the_same),
        cmocka_unit_test(contact_defs_out_of_range_are_refused),
        cmocka_unit_test(floors_of_captured_locomotion_are_where_they_were_measured),
        cmocka_unit_test(stances_of_captured_locomotion_are_as_common_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
