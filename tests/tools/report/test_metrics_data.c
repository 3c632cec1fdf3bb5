// Metrics of databases and runs: procedural motion in memory, and the known figures of the CMU clips.
#include "support/check.h"
#include "support/motion.h"
#include "support/synth_db.h"
#include "base/budget.h"

static am_db *shared_db;               // made once for all tests: it takes a second
static am_reference *shared_reference; // of runs that are compared with it

static int make_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    shared_db = synth_db_make(false, &err);
    return shared_db ? 0 : -1;
}

static int free_db(void **state)
{
    (void)state;
    am_db_close(shared_db);
    return 0;
}

static const char script_text[] =
    "{ \"database\": \"synth.amdb\", \"seconds\": 12, \"characters\": ["
    "{ \"keys\": [{ \"t\": 0, \"down\": [\"W\"] }, { \"t\": 4, \"down\": [\"A\"] }, { \"t\": 8, \"down\": [] }] },"
    "{ \"keys\": [] } ] }";

/// A run over the procedural motion with its meter, played to its end.
typedef struct measured {
    am_run_script script;
    am_run *run;
    am_run_meter *meter;
} measured;

static am_result measure(measured *m, const am_alloc *alloc, const am_db_measures *own, am_error *err)
{
    memset(m, 0, sizeof *m);
    am_result result = am_run_parse(&m->script, script_text, sizeof script_text - 1, "script", alloc, err);
    if (result == AM_OK) {
        am_run_def def = am_run_def_default();
        def.script = &m->script;
        def.db = shared_db;
        def.alloc = alloc;
        result = am_run_create(&m->run, &def, err);
    }
    if (result == AM_OK) {
        am_run_meter_def def = am_run_meter_def_default();
        def.alloc = alloc;
        def.run = m->run;
        def.own = own;
        def.reference = shared_reference;
        result = am_run_meter_create(&m->meter, &def, err);
    }
    if (result == AM_OK) {
        am_run_observer observer = am_run_meter_observer(m->meter);
        result = am_run_play(m->run, &observer, 1, NULL, err);
    }
    return result;
}

static void free_measured(measured *m)
{
    am_run_meter_destroy(m->meter);
    am_run_destroy(m->run);
    am_run_script_free(&m->script);
}

static void procedural_feet_stand_still(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db_measures own;
    check_ok(am_db_measure(&own, shared_db, NULL, &err), &err);
    assert_int_equal(own.quality.frames, shared_db->frame_count);
    assert_true(own.quality.foot_slide_cm < 0.03); // stances slide by less than 0.01 mm; what is left is rolling off
    assert_true(own.quality.penetration_cm < 0.02);
    assert_true(own.bend_p999_cm > own.quality.jitter_cm);
    assert_true(own.quality.joint_travel_cm > 1.0 && own.quality.joint_travel_cm < 30.0);
}

static void a_run_is_measured_from_its_samples(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db_measures own;
    check_ok(am_db_measure(&own, shared_db, NULL, &err), &err);
    measured m;
    check_ok(measure(&m, NULL, &own, &err), &err);
    am_metrics walker = am_run_meter_result(m.meter, 0);
    check_near(walker.seconds, 12.0, 1e-3);
    assert_int_equal(walker.final.frames, 720);
    assert_int_equal(walker.turns, 1);
    assert_int_equal(walker.response_count, 2); // the turn and the stop; the target of the first frame is no change
    assert_true(walker.response_s < 1.5f && walker.stop_s < 1.5f);
    assert_true(walker.transitions_per_s > 0.0 && walker.frame_us == 0.0); // no clock was given
    assert_true(walker.final.foot_slide_cm <= walker.raw.foot_slide_cm);
    am_track track = am_run_meter_track(m.meter, 0);
    assert_int_equal(track.count, 720);
    assert_true(track.places[719].x > 2.0f && track.places[719].z > 2.0f);
    am_metrics still = am_run_meter_result(m.meter, 1);
    assert_int_equal(still.response_count, 0);
    assert_true(still.response_s != still.response_s);
    free_measured(&m);
}

static void metrics_are_written_by_their_names(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db_measures own;
    check_ok(am_db_measure(&own, shared_db, NULL, &err), &err);
    measured m;
    check_ok(measure(&m, NULL, &own, &err), &err);
    am_json_writer *w = NULL;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    am_run_meter_write(w, m.meter);
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, text, size, "metrics", NULL, &err), &err);
    const am_json *list = am_json_get(am_json_root(doc), "characters");
    assert_int_equal(list->count, 2);
    static const char *const keys[] = { "foot_slide_cm",     "skate_share",        "jitter_cm",
                                        "penetration_cm",    "foot_slide_cm_raw",  "skate_share_raw",
                                        "jitter_cm_raw",     "penetration_cm_raw", "response_s",
                                        "transitions_per_s", "frame_us",           "search_us",
                                        "fallback_frames" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_non_null(am_json_get(list->first, keys[i]));
    }
    assert_int_equal(am_json_get(list->first->next, "response_s")->type, AM_JSON_NULL);
    assert_non_null(am_json_get(am_json_get(am_json_root(doc), "database"), "jitter_cm"));
    am_json_free(doc);
    am_json_writer_destroy(w);
    free_measured(&m);
}

/// Procedural motion played by matching is never far from the clips it comes from, and it stands in a posture of its
/// own; another reference says otherwise.
static void a_run_is_compared_with_captured_motion(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db_measures own;
    check_ok(am_db_measure(&own, shared_db, NULL, &err), &err);
    am_reference_def def = am_reference_def_default();
    def.db = shared_db;
    check_ok(am_reference_create(&shared_reference, &def, &err), &err);
    measured m;
    check_ok(measure(&m, NULL, &own, &err), &err);
    am_motion_metrics walker = am_run_meter_result(m.meter, 0).motion;
    assert_true(walker.measured);
    assert_int_equal(walker.novelty.windows, 112); // the middles of 12 s
    assert_true(walker.novelty.median_cm > 0.0f && walker.novelty.median_cm < 6.0f);
    assert_true(walker.novelty.max_cm >= walker.novelty.p95_cm && walker.novelty.p95_cm >= walker.novelty.median_cm);
    assert_true(walker.stepping.steps > 8 && walker.stepping.steps_repeated <= 2);
    assert_int_equal(walker.stops, 1);
    am_motion_metrics still = am_run_meter_result(m.meter, 1).motion;
    assert_int_equal(still.stepping.steps, 0);
    assert_true(still.standing.seconds > 10.0f && still.standing.drift_m < 0.2f);
    am_json_writer *w = NULL;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    am_run_meter_write(w, m.meter);
    static const char *const keys[] = { "\"reference\":",      "\"novelty_cm\":",    "\"novelty_p95_cm\":",
                                        "\"novelty_max_cm\":", "\"stand_drift_m\":", "\"stops_bad\":",
                                        "\"glide_s\":",        "\"starts_odd\":" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_non_null(strstr(am_json_text(w, NULL), keys[i]));
    }
    am_json_writer_destroy(w);
    free_measured(&m);
    am_reference_destroy(shared_reference);
    shared_reference = NULL;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db_measures own;
    for (size_t n = 1; n <= 3; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_result result = am_db_measure(&own, shared_db, &alloc, &err);
        assert_int_equal(result, n <= 2 ? AM_ERR_MEMORY : AM_OK); // the arrays, then the meter
        assert_int_equal(budget.live_count, 0);
    }
    measured m;
    check_ok(measure(&m, NULL, &own, &err), &err);
    for (size_t n = 1; n <= 8; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_run_meter_def def = am_run_meter_def_default();
        def.alloc = &alloc;
        def.run = m.run;
        def.own = &own;
        am_run_meter *meter = NULL;
        am_result result = am_run_meter_create(&meter, &def, &err);
        assert_int_equal(result,
                         n <= 7 ? AM_ERR_MEMORY : AM_OK); // its block, and three meters for each of two characters
        assert_int_equal(meter != NULL, n > 7);
        am_run_meter_destroy(meter);
        assert_int_equal(budget.live_count, 0);
    }
    free_measured(&m);
}

/// Slide and jitter of the CMU clips as they come, each on its own skeleton: what the design states of the source.
static void the_cmu_clips_measure_as_the_design_says(void **state)
{
    (void)state;
    const char *folder = test_data_dir("locomotion");
    if (!folder) {
        skip();
    }
    char *paths[512];
    int count = test_list(paths, 512, folder);
    double slide = 0.0;
    double jitter = 0.0;
    double slide_frames = 0.0;
    double frames = 0.0;
    for (int i = 0; i < count; i++) {
        am_error err = { 0 };
        am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
        am_roles roles = test_roles(clip->skeleton);
        am_meter_def def = am_meter_def_default();
        def.skeleton = clip->skeleton;
        def.roles = &roles;
        am_meter *meter = NULL;
        check_ok(am_meter_create(&meter, &def, &err), &err);
        int toes[2] = { roles.joint[AM_ROLE_LEFT_TOE], roles.joint[AM_ROLE_RIGHT_TOE] };
        am_vec3 last[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
        double slow = 0.0; // how many steps the mean slide stands for, to weigh clips by
        for (int f = 0; f < clip->frame_count; f++) {
            am_transform pose[AM_MAX_JOINTS];
            am_clip_local(clip, f, pose);
            am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
            am_meter_add(meter, pose, 1.0f / 60.0f, false);
            for (int s = 0; s < 2; s++) {
                am_vec3 now = pose[toes[s]].translation;
                slow += f > 0 && now.y < 0.2f && am_v3_distance(now, last[s]) * 60.0f < 0.2f;
                last[s] = now;
            }
        }
        am_quality q = am_meter_result(meter);
        slide += q.foot_slide_cm * slow;
        slide_frames += slow;
        jitter += q.jitter_cm * (double)(q.frames - 2);
        frames += (double)(q.frames - 2);
        am_meter_destroy(meter);
        am_clip_destroy(clip);
        free(paths[i]);
    }
    check_near(slide / slide_frames, 0.092, 0.0005);
    check_near(jitter / frames, 0.184, 0.0005);
}

TEST_SUITE(metrics_data)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procedural_feet_stand_still),
        cmocka_unit_test(a_run_is_measured_from_its_samples),
        cmocka_unit_test(metrics_are_written_by_their_names),
        cmocka_unit_test(a_run_is_compared_with_captured_motion),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(the_cmu_clips_measure_as_the_design_says),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}
