// Characters that are pushed: which way they go, that they find back, that the same pushes give the same bits.
#include "actor/actor.h"
#include "actor/get.h"
#include "support/flow_model.h"
#include "push_trials.h"
#include "physics/pushable.h"
#include "base/budget.h"
#include "base/rng.h"
#include "data/database.h"
#include "physics/parts.h"

static void make_pushable(world *w)
{
    am_error err = { 0 };
    am_actor_def def = open_world(w);
    def.push = am_physics_solver(body);
    check_ok(am_actor_create(&w->character, &def, &err), &err);
}

static am_vec3 part(const world *w, am_role role)
{
    return ami_pose_of(w->character).world[shared_db->roles.joint[role]].translation;
}

/// The chest relative to the middle of the feet, on the ground.
static am_vec3 lean(const world *w)
{
    am_vec3 feet = am_v3_scale(am_v3_add(part(w, AM_ROLE_LEFT_FOOT), part(w, AM_ROLE_RIGHT_FOOT)), 0.5f);
    return am_v3_ground(am_v3_sub(part(w, AM_ROLE_CHEST), feet));
}

static void push(world *w, am_role role, am_vec3 force)
{
    am_error err = { 0 };
    check_ok(am_actor_push(w->character, shared_db->roles.joint[role], &force, 0.1f, &err), &err);
}

static void a_pushed_chest_leans_the_way_of_the_push(void **state)
{
    (void)state;
    const uint32_t keys[] = { 0, AM_KEY_W };
    for (int i = 0; i < 8; i++) {
        world w, still;
        float s, c;
        make_pushable(&w);
        make_pushable(&still);
        hold(&w, keys[i % 2], 1.0f);
        hold(&still, keys[i % 2], 1.0f);
        am_sincos((float)i * AM_PI / 4.0f, &s, &c);
        push(&w, AM_ROLE_CHEST, am_v3(250.0f * s, 0.0f, 250.0f * c));
        hold(&w, keys[i % 2], 0.25f);
        hold(&still, keys[i % 2], 0.25f);
        am_vec3 moved = am_v3_sub(lean(&w), lean(&still));
        float along = moved.x * s + moved.z * c;
        assert_true(along > 0.02f);
        assert_true(along > 0.8660254f * am_v3_length(moved)); // within 30 degrees
        free_world(&w);
        free_world(&still);
    }
}

static void without_pushes_a_character_moves_as_one_without_solver(void **state)
{
    (void)state;
    world w, plain;
    make_pushable(&w);
    make_world(&plain);
    hold(&w, AM_KEY_W, 2.0f);
    hold(&plain, AM_KEY_W, 2.0f);
    size_t size = (size_t)shared_db->joint_count * sizeof(am_transform);
    assert_memory_equal(ami_pose_of(w.character).world, ami_pose_of(plain.character).world, size);
    assert_true(am_actor_hash(w.character) == am_actor_hash(plain.character));
    am_error err = { 0 };
    check_refused(am_actor_push(plain.character, 0, &(am_vec3){ 1.0f, 0.0f, 0.0f }, 0.1f, &err), AM_ERR_SUPPORT);
    assert_int_equal(ami_push_of(plain.character).count, 0);
    free_world(&w);
    free_world(&plain);
}

/// The page offers pushes, `amble run` without them does not: a character that met an object has one hash in both.
static void one_that_met_an_object_hashes_as_one_without_solver(void **state)
{
    (void)state;
    am_error err = { 0 };
    const flow_model_def made = { .puppet = true,
                                  .schema = "{\"control\": {\"and\": {\"still\": \"velocity\", \"object\": "
                                            "\"location\"}}}" };
    am_model *model = flow_model_make(shared_db, &made, &err);
    am_asset *asset = NULL;
    am_control *control = NULL;
    am_actor *actors[2] = { NULL, NULL };
    check_ok(model ? AM_OK : err.code, &err);
    am_asset_def asset_def;
    am_asset_def_init(&asset_def);
    asset_def.models = (const am_model *const *)&model;
    asset_def.model_count = 1;
    check_ok(am_asset_create(&asset, &asset_def, &err), &err);
    check_ok(am_control_create(&control, am_asset_control_schema(asset, AM_METHOD_FLOW), NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        am_actor_def def;
        am_actor_def_init(&def, asset);
        am_settings_init(&def.settings, AM_METHOD_FLOW);
        def.push = i == 0 ? am_physics_solver(body) : NULL;
        check_ok(am_actor_create(&actors[i], &def, &err), &err);
        const am_vec3 hand = ami_pose_of(actors[i]).world[shared_db->roles.joint[AM_ROLE_LEFT_HAND]].translation;
        const float object[3] = { hand.x, hand.y + 0.1f, hand.z + 0.1f };
        check_ok(am_control_set(control, "object", object, 3, &err), &err);
        for (int step = 0; step < 30; step++) {
            am_actor_step(actors[i], &(am_intent){ .control = control }, DT);
        }
        assert_true(actors[i]->objects->met == 1);
    }
    assert_true(am_actor_hash(actors[0]) == am_actor_hash(actors[1]));
    am_actor_destroy(actors[0]);
    am_actor_destroy(actors[1]);
    am_control_destroy(control);
    am_asset_close(asset);
    am_model_close(model);
}

static void a_snapshot_within_a_reaction_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    world w;
    make_pushable(&w);
    hold(&w, AM_KEY_W, 1.0f);
    push(&w, AM_ROLE_HEAD, am_v3(150.0f, 0.0f, -80.0f));
    push(&w, AM_ROLE_LEFT_HAND, am_v3(0.0f, 40.0f, 80.0f));
    assert_int_equal(ami_push_of(w.character).count, 2);
    hold(&w, AM_KEY_W, 1.0f / 60.0f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    void *snapshot = malloc(size);
    for (int step = 0; step < 30; step += 5) {
        am_error err = { 0 };
        am_actor_snapshot(w.character, snapshot, size);
        hold(&w, AM_KEY_W, 0.5f);
        uint64_t hash = am_actor_hash(w.character);
        // Another body moves on in between: what is not part of the state is another one's.
        hold(&w, AM_KEY_A, 0.3f);
        check_ok(am_actor_restore(w.character, snapshot, size, &err), &err);
        hold(&w, AM_KEY_W, 0.5f);
        assert_true(am_actor_hash(w.character) == hash);
        check_ok(am_actor_restore(w.character, snapshot, size, &err), &err);
        hold(&w, AM_KEY_W, 5.0f * DT);
    }
    assert_int_equal(ami_push_of(w.character).count, 0);
    assert_int_equal(ami_push_of(w.character).total, 2);
    free(snapshot);
    free_world(&w);
}

static void a_new_push_ends_the_one_before(void **state)
{
    (void)state;
    world w;
    make_pushable(&w);
    hold(&w, 0, 0.5f);
    push(&w, AM_ROLE_CHEST, am_v3(200.0f, 0.0f, 0.0f));
    hold(&w, 0, 0.1f);
    assert_true(ami_push_of(w.character).frame > 1);
    am_vec3 before = part(&w, AM_ROLE_CHEST);
    push(&w, AM_ROLE_CHEST, am_v3(-200.0f, 0.0f, 0.0f));
    am_push_view view = ami_push_of(w.character);
    assert_int_equal(view.count, 1);
    assert_int_equal(view.frame, 0);
    check_near(view.pushes[0].force.x, -200.0f, 0.0f);
    hold(&w, 0, DT);
    check_near(am_v3_distance(part(&w, AM_ROLE_CHEST), before), 0.0f, 0.06f); // nothing jumps
    hold(&w, 0, 0.3f);
    assert_true(part(&w, AM_ROLE_CHEST).x < before.x);
    free_world(&w);
}

static void every_part_can_be_pushed_and_the_body_finds_back(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_joint_range *ranges = malloc((size_t)shared_db->joint_count * sizeof *ranges);
    check_ok(ami_joint_ranges(ranges, shared_db, 0.001f, 0, NULL, &err), &err);
    am_rng rng = ami_rng_make(5);
    world w;
    make_pushable(&w);
    float floor_m = ami_facts_of(w.character).toe_m;
    for (int i = 0; i < ami_physics_part_count(body); i++) {
        uint32_t keys = i % 2 ? AM_KEY_W : 0;
        hold(&w, keys, 0.5f);
        float angle = am_rng_range(&rng, -AM_PI, AM_PI);
        float newton = am_rng_range(&rng, 10.0f, 400.0f);
        am_vec3 force = am_v3(newton * am_sin(angle), 0.0f, newton * am_cos(angle));
        check_ok(am_actor_push(w.character, ami_physics_get_part(body, i).joint, &force, 0.1f, &err), &err);
        float worst = 0.0f;
        for (int step = 0; step < 60; step++) {
            hold(&w, keys, DT);
            am_actor_pose pose = ami_pose_of(w.character);
            for (int j = 0; j < shared_db->joint_count; j++) {
                worst = am_max(worst, ami_joint_excess(&ranges[j], pose.local[j].rotation));
            }
            float toe = am_min(part(&w, AM_ROLE_LEFT_TOE).y, part(&w, AM_ROLE_RIGHT_TOE).y);
            assert_true(toe > floor_m - 0.02f);
        }
        check_near(worst, 0.0f, 15.0f * AM_DEG);
        assert_true(ami_view_of(w.character).fallback_frames == 0);
    }
    free_world(&w);
    free(ranges);
}

static void bad_pushes_are_refused(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    make_pushable(&w);
    am_vec3 force = am_v3(1.0f, 0.0f, 0.0f);
    check_refused(am_actor_push(w.character, -1, &force, 0.1f, &err), AM_ERR_RANGE);
    check_refused(am_actor_push(w.character, shared_db->joint_count, &force, 0.1f, &err), AM_ERR_RANGE);
    check_refused(am_actor_push(w.character, 0, &force, 0.0f, &err), AM_ERR_RANGE);
    check_refused(am_actor_push(w.character, 0, &force, NAN, &err), AM_ERR_RANGE);
    check_refused(am_actor_push(w.character, 0, &(am_vec3){ NAN, 0.0f, 0.0f }, 0.1f, &err), AM_ERR_RANGE);
    for (int i = 0; i < AM_MAX_PUSHES; i++) {
        check_ok(am_actor_push(w.character, 0, &force, 0.1f, &err), &err);
    }
    check_refused(am_actor_push(w.character, 0, &force, 0.1f, &err), AM_ERR_LIMIT);
    free_world(&w);
}

static am_run *make_run(const am_run_script *script)
{
    am_error err = { 0 };
    const am_push_engine *engine = am_physics_engine();
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = shared_db;
    def.engine = engine;
    am_run *run = NULL;
    check_ok(am_run_create(&run, &def, &err), &err);
    return run;
}

/// What a recording and the traces of a run look at.
typedef struct watch {
    am_recording *recording;
    am_run *run;
    int pushed; ///< frames whose trace speaks of a push
} watch;

static am_result watch_frame(void *user, const am_run_sample *sample, am_error *err)
{
    watch *w = user;
    am_bytes line = { 0 };
    check_ok(am_run_trace(&line, w->run, sample, err), err);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, (const char *)line.data, line.size, "line", NULL, err), err);
    const am_json *pushes = am_json_get(am_json_root(doc), "pushes");
    assert_int_equal(pushes != NULL, sample->push.count > 0);
    w->pushed += pushes != NULL;
    am_json_free(doc);
    am_bytes_free(&line);
    return am_recording_add(w->recording, sample, err);
}

static void runs_with_pushes_are_traced_recorded_and_played_again(void **state)
{
    (void)state;
    static const char text[] =
        "{\"database\": \"x\", \"seconds\": 3, \"characters\": [{\"keys\": [{\"t\": 0, \"down\": [\"W\"]}],"
        "\"pushes\": [{\"t\": 0.5, \"joint\": \"chest\", \"force\": [200, 0, 0]},"
        "{\"t\": 1.5, \"joint\": \"Head\", \"force\": [-90, 0, 30], \"seconds\": 0.2}]}]}";
    am_run_script s, again;
    am_error err = { 0 };
    check_ok(am_run_parse(&s, text, strlen(text), "run.json", NULL, &err), &err);
    watch w = { .run = make_run(&s) };
    check_ok(am_recording_create(&w.recording, w.run, NULL, &err), &err);
    am_run_observer observer = { &w, watch_frame };
    check_ok(am_run_play(w.run, &observer, 1, NULL, &err), &err);
    check_near(w.pushed, 40, 2); // twice ten frames at 30 Hz
    assert_int_equal(am_run_get_sample(w.run, 0).push.total, 2);
    am_bytes bytes = { 0 };
    check_ok(am_recording_write(&bytes, w.recording, "r.json", &err), &err);
    check_ok(am_run_parse(&again, (const char *)bytes.data, bytes.size, "r.json", NULL, &err), &err);
    am_run *second = make_run(&again);
    check_ok(am_run_play(second, NULL, 0, NULL, &err), &err);
    assert_true(am_run_hash(second) == am_run_hash(w.run));
    am_bytes_free(&bytes);
    am_recording_destroy(w.recording);
    am_run_destroy(second);
    am_run_destroy(w.run);
    am_run_script_free(&again);
    am_run_script_free(&s);
}

static void ranges_hold_the_data_and_clamp_to_it(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_joint_range *ranges = malloc((size_t)shared_db->joint_count * sizeof *ranges);
    am_transform *pose = malloc((size_t)shared_db->joint_count * sizeof *pose);
    check_refused(ami_joint_ranges(ranges, shared_db, 0.6f, 0, NULL, &err), AM_ERR_DEF);
    check_ok(ami_joint_ranges(ranges, shared_db, 0.0f, 0, NULL, &err), &err);
    am_db_pose(shared_db, shared_db->frame_count / 2, pose);
    for (int j = 0; j < shared_db->joint_count; j++) {
        check_near(ami_joint_excess(&ranges[j], pose[j].rotation), 0.0f, 1e-4f);
        am_quat far = am_quat_mul(pose[j].rotation, am_quat_from_scaled_axis(am_v3(1.5f, 0.4f, -0.3f)));
        am_quat near = ami_joint_clamp(&ranges[j], far, 0.1f);
        assert_true(ami_joint_excess(&ranges[j], far) > 0.1f);
        check_near(ami_joint_excess(&ranges[j], near), 0.1f, 0.01f);
    }
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    for (size_t n = 1; n <= 2; n++) {
        budget.fail_at = budget.total_count + n;
        check_refused(ami_joint_ranges(ranges, shared_db, 0.0f, 100, &alloc, &err), AM_ERR_MEMORY);
        assert_int_equal(budget.live_count, 0);
    }
    free(pose);
    free(ranges);
}

static void who_leaves_the_data_after_a_while_is_back_after_that(void **state)
{
    (void)state;
    float far[ami_push_ticks] = { 0.0f };
    assert_true(ami_push_back(far, 1.0f) == 0.0f);
    for (int tick = 10; tick < 30; tick++) {
        far[tick] = 2.0f; // near for 0.33 s, while the forces begin
    }
    check_near(ami_push_back(far, 1.0f), 1.0f, 1e-6f);
    assert_true(ami_push_back(far, 2.0f) == 0.0f);
    far[50] = 1.5f; // leaves again after it was near for longer than 0.3 s
    check_near(ami_push_back(far, 1.0f), 1.7f, 1e-6f);
    far[ami_push_ticks - ami_push_stay_ticks - 1] = 1.5f;
    check_near(ami_push_back(far, 1.0f), 2.7f, 1e-6f);
    far[ami_push_ticks - ami_push_stay_ticks] = 1.5f; // nothing tells that it stays
    assert_true(ami_push_back(far, 1.0f) == 3.0f);
}

static void who_returns_stays_for_a_while_after_the_window(void **state)
{
    (void)state;
    float far[ami_push_ticks] = { 0.0f };
    assert_true(ami_push_returns(far, 1.0f));
    for (int tick = AM_PUSH_WINDOW; tick < ami_push_ticks; tick++) {
        far[tick] = tick % ami_push_stay_ticks == 0 ? 2.0f : 0.0f; // near for long before, never for 0.3 s after
    }
    assert_false(ami_push_returns(far, 1.0f));
    far[45] = 0.0f;
    assert_true(ami_push_returns(far, 1.0f));
    assert_true(ami_push_back(far, 1.0f) == 3.0f); // but does not stay
}

static void one_twin_that_goes_astray_does_not_make_all_others_near(void **state)
{
    (void)state;
    float far[1000];
    for (int i = 0; i < 1000; i++) {
        far[i] = i % 200 == 7 ? 50.0f : 0.001f * (float)i;
    }
    check_near(ami_push_reach(far, 1000), 0.995f, 0.01f);
}

static void random_pushes_on_a_field_and_on_matching_come_back(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    am_error err = { 0 };
    world w;
    open_world(&w);
    const am_push_engine *engine = am_physics_engine();
    const am_source *const sources[2] = { passive, w.source };
    for (int i = 0; i < 2; i++) {
        lab_push_trial trials[8], again[8];
        float reach = 0.0f;
        lab_push_trials_def def = lab_push_trials_def_default();
        check_refused(lab_push_trials(trials, &reach, &def, &err), AM_ERR_DEF);
        def.source = sources[i];
        def.field = field;
        def.engine = engine;
        def.count = 8;
        check_ok(lab_push_trials(trials, &reach, &def, &err), &err);
        assert_true(reach > 0.0f);
        int late = 0;
        for (int t = 0; t < 8; t++) {
            late += trials[t].back_s >= 3.0f;
            assert_true(trials[t].depth_m < 0.01f);
            assert_true(trials[t].excess < 10.0f * AM_DEG + trials[t].usual_excess);
            assert_true(trials[t].moved_m >= trials[t].lean_m && trials[t].off_stance <= AM_PI);
            assert_true(trials[t].off_slight <= trials[t].off && trials[t].off <= trials[t].off_end);
            assert_true(trials[t].off_end <= AM_PI && trials[t].usual_back_s <= 3.0f);
            assert_true(trials[t].newton >= 10.0f && trials[t].newton <= 400.0f);
        }
        assert_true(late <= 1);     // so few twins tell little of how far from the data is usual
        def.count = i == 0 ? 2 : 0; // the first of the same, and none
        assert_int_equal(lab_push_trials(again, &reach, &def, &err), i == 0 ? AM_OK : AM_ERR_DEF);
        if (i == 0) {
            assert_true(again[1].farthest == trials[1].farthest && again[1].off == trials[1].off);
            def.blend = AM_PUSH_PRINTED;
            check_ok(lab_push_trials(again, &reach, &def, &err), &err);
            assert_true(again[1].moved_m != trials[1].moved_m);
        }
    }
    free_world(&w);
}

TEST_SUITE(push)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_chest_leans_the_way_of_the_push),
        cmocka_unit_test(without_pushes_a_character_moves_as_one_without_solver),
        cmocka_unit_test(one_that_met_an_object_hashes_as_one_without_solver),
        cmocka_unit_test(a_snapshot_within_a_reaction_goes_on_with_the_same_bits),
        cmocka_unit_test(a_new_push_ends_the_one_before),
        cmocka_unit_test(every_part_can_be_pushed_and_the_body_finds_back),
        cmocka_unit_test(bad_pushes_are_refused),
        cmocka_unit_test(ranges_hold_the_data_and_clamp_to_it),
        cmocka_unit_test(who_leaves_the_data_after_a_while_is_back_after_that),
        cmocka_unit_test(who_returns_stays_for_a_while_after_the_window),
        cmocka_unit_test(one_twin_that_goes_astray_does_not_make_all_others_near),
        cmocka_unit_test(random_pushes_on_a_field_and_on_matching_come_back),
        cmocka_unit_test(runs_with_pushes_are_traced_recorded_and_played_again),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
