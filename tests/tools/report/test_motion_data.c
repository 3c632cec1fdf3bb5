// The measures of motion on captured clips: what they say of motion that people made is their scale.
#include "support/check.h"

#include "data/filter.h"
#include "report/body.h"
#include "report/reference.h"

/// A database of a set as configs/databases has it, in memory; NULL after saying that the data is not here.
static am_db *build_set(const char *set)
{
    if (!test_data_dir(set)) {
        return NULL;
    }
    am_error err = { 0 };
    char config[600];
    snprintf(config, sizeof config, "%s/configs/databases/%s.json", AMBLE_SOURCE_DIR, set);
    am_build_def def = am_build_def_default();
    def.config_path = config;
    def.find_set = test_find_set;
    am_db *db = NULL;
    check_ok(am_build(&db, NULL, &def, &err), &err);
    return db;
}

static am_reference *refer(const am_db *db)
{
    am_error err = { 0 };
    am_reference_def def = am_reference_def_default();
    def.db = db;
    am_reference *reference = NULL;
    check_ok(am_reference_create(&reference, &def, &err), &err);
    return reference;
}

enum { most_values = 20000 };

/// Novelties of windows of a clip.
static int add_windows(float *values, int count, am_reference *reference, const am_motion *clip, float every_s)
{
    for (int i = 0; count < most_values; i++) {
        float value = ami_novelty_at(reference, clip, 0.4f + every_s * (float)i, false);
        if (value < 0.0f) {
            break;
        }
        values[count++] = value;
    }
    return count;
}

/// Clips against the other clips.
static void clips_are_near_the_other_clips(am_reference *all)
{
    static float values[most_values];
    int count = 0;
    for (int c = 0; c < all->clip_count; c++) {
        am_motion motion = ami_reference_clip(all, c);
        ami_reference_skip(all, c);
        count = add_windows(values, count, all, &motion, test_quick() ? 2.0f : 0.5f);
    }
    ami_reference_skip(all, -1);
    assert_true(count > 500);
    ami_sort_floats(values, count);
    float median = ami_quantile(values, count, 0.5f);
    float high = ami_quantile(values, count, 0.95f);
    print_message("novelty of %d windows: median %.2f, 95th percentile %.2f cm\n", count, (double)median,
                  (double)high);
    assert_true(median > 3.0f && median < 6.5f);
    assert_true(high > 9.0f && high < 16.0f);
}

static void captured_feet_take_turns(const am_reference *all)
{
    am_stepping sum = { 0 };
    for (int c = 0; c < all->clip_count; c++) {
        am_motion clip = ami_reference_clip(all, c);
        am_stepping s = am_stepping_measure(&clip, am_reference_steps(all));
        sum.steps += s.steps;
        sum.steps_repeated += s.steps_repeated;
        sum.steps_odd += s.steps_odd;
        sum.glides += s.glides;
    }
    assert_true(sum.steps > 2000);
    assert_true(sum.steps_repeated < sum.steps / 50);
    assert_true(sum.steps_odd < sum.steps / 25); // 1 % at either end, by definition
    assert_true(sum.glides < 12);                // in 32 minutes
}

/// Standing, then a walk a second later.
static void captured_starts_are_walked(const am_reference *all)
{
    int starts = 0;
    int odd = 0;
    for (int c = 0; c < all->clip_count; c++) {
        am_motion m = ami_reference_clip(all, c);
        for (int f = 20; f + 75 < m.frames; f++) {
            float then = ami_speed(&m, f + 60);
            if (ami_speed(&m, f) < 0.15f && ami_speed(&m, f + 15) > 0.3f && then > 0.5f && then < 1.8f) {
                am_moment moment = { (float)f / m.fps, INFINITY, then };
                odd += am_moment_check(&m, &moment) != 0;
                starts++;
                f += 60;
            }
        }
    }
    assert_true(starts > 50);
    assert_true(odd <= starts / 20);
}

static void the_cmu_clips_set_the_scale(void **state)
{
    (void)state;
    am_db *db = build_set("locomotion");
    if (!db) {
        skip();
    }
    am_reference *all = refer(db);
    const am_standing_limits *standing = am_reference_standing(all);
    float leg = ami_reference_clip(all, 0).body.leg_m;
    check_near((double)(standing->ankles * leg), 0.38, 0.05);
    check_near((double)standing->knee_deg, 40.0, 4.0);
    assert_true(standing->frames > 60 * 60 && standing->bob * leg < 0.002f);
    const am_step_limits *walk = &am_reference_steps(all)[ami_step_bin(1.2f)];
    check_near((double)(walk->median * leg), 0.70, 0.05);
    captured_feet_take_turns(all);
    captured_starts_are_walked(all);
    clips_are_near_the_other_clips(all);
    am_reference_destroy(all);
    am_db_close(db);
}

/// Another actor, rig and studio: his walks and runs are further from CMU's than those from one another, and still
/// near.
static void another_actor_is_a_little_further(void **state)
{
    (void)state;
    am_db *db = build_set("locomotion");
    am_db *other = build_set("accad_male1");
    if (!db || !other) {
        am_db_close(db);
        am_db_close(other);
        skip();
        return;
    }
    am_reference *reference = refer(db);
    am_reference *clips = refer(other);
    static float values[most_values];
    int count = 0;
    int clip = 0;
    for (int r = 0; r < other->range_count; r++) {
        if ((other->ranges[r].flags & AM_RANGE_MIRRORED) == 0) {
            am_motion motion = ami_reference_clip(clips, clip++);
            bool walk = strstr(other->ranges[r].name, "_B3_Walk") || strstr(other->ranges[r].name, "WalkT") ||
                        strstr(other->ranges[r].name, "ToWalk") || strstr(other->ranges[r].name, "WalkToStand");
            bool box = strstr(other->ranges[r].name, "Box") || strstr(other->ranges[r].name, "Crouch") ||
                       strstr(other->ranges[r].name, "Skip");
            count = walk && !box ? add_windows(values, count, reference, &motion, 0.2f) : count;
        }
    }
    assert_true(count > 100);
    ami_sort_floats(values, count);
    float median = ami_quantile(values, count, 0.5f);
    float high = ami_quantile(values, count, 0.95f);
    print_message("novelty of %d windows: median %.2f, 95th percentile %.2f cm\n", count, (double)median,
                  (double)high);
    assert_true(median > 5.0f && median < 10.0f);
    assert_true(high < 16.0f);
    am_reference_destroy(clips);
    am_reference_destroy(reference);
    am_db_close(other);
    am_db_close(db);
}

TEST_SUITE(motion_data)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cmu_clips_set_the_scale),
        cmocka_unit_test(another_actor_is_a_little_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
