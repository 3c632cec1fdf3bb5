// Characters of a motion field: run by a script, recorded, restored, taken over from matching and given back.
#include "actor/get.h"
#include "support/world.h"
#include "base/budget.h"

static void parse(am_run_script *script, const char *options, const char *character)
{
    char text[1024];
    am_error err = { 0 };
    snprintf(text, sizeof text,
             "{\"database\": \"x.amdb\", \"controller\": \"field\", \"fps\": 60, \"seconds\": 6, \"options\": {%s}, "
             "\"characters\": [{%s}]}",
             options, character);
    check_ok(am_run_parse(script, text, strlen(text), "run.json", NULL, &err), &err);
}

static am_run *begin(const am_run_script *script, const am_alloc *alloc)
{
    am_error err = { 0 };
    am_run *run = NULL;
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = shared_db;
    def.alloc = alloc;
    check_ok(am_run_create(&run, &def, &err), &err);
    return run;
}

static const char turns[] = "\"gamepad\": [{\"t\": 0, \"left\": [0, 1]}, {\"t\": 2, \"left\": [1, 0]}]";

static void a_script_sets_task_and_policy(void **state)
{
    (void)state;
    am_run_script s;
    parse(&s, "\"task\": \"line\", \"policy\": \"greedy\", \"every\": 10", turns);
    assert_true(s.options.settings.method == AM_METHOD_FIELD);
    assert_int_equal(s.options.settings.policy, AM_FIELD_GREEDY);
    assert_string_equal(ami_field_task_name(s.options.settings.task), "line");
    assert_int_equal(s.options.settings.every, 10);
    assert_int_equal(s.options.settings.root, AM_ROOT_ANIMATION);
    am_run_script_free(&s);
}

/// Plays a script and what was recorded of it: the same frames.
static void check_recording(const char *options, const char *character)
{
    uint64_t hashes[2];
    am_error err = { 0 };
    am_bytes text = { 0 };
    am_run_script s;
    parse(&s, options, character);
    for (int round = 0; round < 2; round++) {
        am_run *run = begin(&s, NULL);
        am_recording *recording = NULL;
        check_ok(am_recording_create(&recording, run, NULL, &err), &err);
        while (am_run_step(run)) {
            am_run_sample sample = am_run_get_sample(run, 0);
            check_ok(am_recording_add(recording, &sample, &err), &err);
            assert_true(sample.view.output->frame >= 0);
        }
        hashes[round] = am_run_hash(run);
        assert_int_equal(ami_view_of(am_run_character(run, 0)).fallback_frames, 0);
        if (round == 0) {
            check_ok(am_recording_write(&text, recording, NULL, &err), &err);
        }
        am_recording_destroy(recording);
        am_run_destroy(run);
        am_run_script_free(&s);
        check_ok(am_run_parse(&s, (const char *)text.data, text.size, "again.json", NULL, &err), &err);
    }
    assert_true(hashes[0] == hashes[1]);
    am_run_script_free(&s);
    am_bytes_free(&text);
}

static const char goals[] = "\"goals\": [{\"t\": 0, \"values\": {\"target\": [0, 0, 2]}}, {\"t\": 3, \"values\": "
                            "{\"target\": [-2, 0, 3]}}, {\"t\": 5.5, \"values\": {}}]";

static void a_recording_of_a_field_gives_the_same_frames(void **state)
{
    (void)state;
    check_recording("\"policy\": \"greedy\"", turns);
    check_recording("\"policy\": \"greedy\", \"task\": \"point\"", goals);
}

static void goals_hold_from_their_times_on(void **state)
{
    (void)state;
    am_run_script s;
    parse(&s, "\"policy\": \"greedy\", \"task\": \"point\"", goals);
    am_run *run = begin(&s, NULL);
    const am_vec3 target[2] = { { 0.0f, 0.0f, 2.0f }, { -2.0f, 0.0f, 3.0f } };
    while (am_run_step(run)) {
        const am_run_sample sample = am_run_get_sample(run, 0);
        const int now = sample.time < 3.0f ? 0 : 1;
        assert_true(sample.time > 5.49f || (sample.intent.has_point && sample.intent.point.z == target[now].z));
        assert_false(sample.time > 5.51f && sample.intent.has_point);
    }
    am_run_destroy(run);
    am_run_script_free(&s);
}

static void lookahead_without_values_is_refused_by_name(void **state)
{
    (void)state;
    am_run_script s;
    am_run *run = NULL;
    am_error err = { 0 };
    parse(&s, "\"task\": \"direction\"", turns);
    am_run_def def = am_run_def_default();
    def.script = &s;
    def.db = shared_db;
    check_refused(am_run_create(&run, &def, &err), AM_ERR_SUPPORT);
    assert_non_null(strstr(err.text, "direction"));
    am_run_script_free(&s);
}

static void steps_allocate_nothing_and_paths_make_lines(void **state)
{
    (void)state;
    am_run_script s;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    parse(&s, "\"task\": \"line\", \"policy\": \"greedy\"",
          "\"path\": {\"points\": [[0, 0, 0], [1, 0, 1.3], [2, 0, 2.6], [3, 0, 3.9], [4, 0, 5.2]]}");
    am_run *run = begin(&s, &alloc);
    size_t before = budget.total_count;
    while (am_run_step(run)) {
        am_actor_view view = ami_view_of(am_run_character(run, 0));
        assert_int_equal(view.transitions, 0);
    }
    assert_int_equal(budget.total_count, before);
    am_run_destroy(run);
    assert_int_equal(budget.live_count, 0);
    am_run_script_free(&s);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    am_run_script s;
    parse(&s, "\"policy\": \"passive\"", "");
    am_result result = AM_ERR_MEMORY;
    for (size_t fail = 1; result == AM_ERR_MEMORY && fail < 64; fail++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = fail;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_run *run = NULL;
        am_run_def def = am_run_def_default();
        def.script = &s;
        def.db = shared_db;
        def.alloc = &alloc;
        result = am_run_create(&run, &def, NULL);
        am_run_destroy(run);
        assert_int_equal(budget.live_count, 0);
    }
    assert_int_equal(result, AM_OK);
    am_run_script_free(&s);
}

static void a_field_takes_a_body_over_and_gives_it_back(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    make_world(&w);
    am_run_script s;
    parse(&s, "\"policy\": \"passive\"", "");
    am_run *run = begin(&s, NULL);
    am_actor *field = am_run_character(run, 0);
    am_intent go = { .velocity = { 0.0f, 0.0f, 1.4f } };
    for (int i = 0; i < 120; i++) {
        am_actor_step(w.character, &go, DT);
    }
    am_vec3 places[3];
    am_vec3 worst = am_v3_zero();
    am_actor *now = w.character;
    int hand = am_skeleton_find(shared_db->skeleton, "LeftHand");
    assert_true(hand >= 0);
    for (int i = 0; i < 180; i++) {
        if (i == 40) {
            check_ok(am_actor_take_over(field, now, &err), &err);
            now = field;
        } else if (i == 110) {
            check_ok(am_actor_take_over(w.character, now, &err), &err);
            now = w.character;
        }
        am_actor_step(now, &go, DT);
        places[i % 3] = ami_pose_of(now).world_raw[hand].translation;
        if (i > 1) {
            am_vec3 bend =
                am_v3_add(am_v3_sub(places[i % 3], am_v3_scale(places[(i + 2) % 3], 2.0f)), places[(i + 1) % 3]);
            worst.x = i < 40 ? am_max(worst.x, am_v3_length(bend)) : worst.x;
            worst.y = i >= 40 ? am_max(worst.y, am_v3_length(bend)) : worst.y;
        }
    }
    print_message("largest bend of a hand: %.1f mm by itself, %.1f mm at a switch\n", (double)worst.x * 1e3,
                  (double)worst.y * 1e3);
    assert_true(worst.y < 0.03f);
    am_run_destroy(run);
    am_run_script_free(&s);
    free_world(&w);
}

static void a_snapshot_of_a_field_goes_on_the_same(void **state)
{
    (void)state;
    static uint8_t bytes[65536];
    am_run_script s;
    am_error err = { 0 };
    parse(&s, "\"policy\": \"greedy\"", turns);
    am_run *run = begin(&s, NULL);
    am_actor *c = am_run_character(run, 0);
    size_t size = am_actor_snapshot(c, NULL, 0);
    assert_true(size <= sizeof bytes);
    am_intent go = { .velocity = { 0.5f, 0.0f, 1.0f } };
    for (int i = 0; i < 61; i++) {
        am_actor_step(c, &go, DT);
    }
    am_actor_snapshot(c, bytes, size);
    uint64_t hashes[2];
    for (int round = 0; round < 2; round++) {
        check_ok(am_actor_restore(c, bytes, size, &err), &err);
        for (int i = 0; i < 61; i++) {
            am_actor_step(c, &go, 1.0f / 50.0f);
        }
        hashes[round] = am_actor_hash(c);
    }
    assert_true(hashes[0] == hashes[1]);
    am_run_destroy(run);
    am_run_script_free(&s);
}

TEST_SUITE(run_field)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_sets_task_and_policy),
        cmocka_unit_test(a_recording_of_a_field_gives_the_same_frames),
        cmocka_unit_test(goals_hold_from_their_times_on),
        cmocka_unit_test(lookahead_without_values_is_refused_by_name),
        cmocka_unit_test(steps_allocate_nothing_and_paths_make_lines),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(a_field_takes_a_body_over_and_gives_it_back),
        cmocka_unit_test(a_snapshot_of_a_field_goes_on_the_same),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}
