// A learned character, trained here within seconds on procedural motion: it stands, walks and turns without a
// database, the same in batches and after a rollback, and survives targets and numbers that make no sense.
#include "actor/get.h"
#include "train/tiny_walk.h"
#include "actor/intent.h"
#include "base/budget.h"
#include "report/metrics_parts.h"

#include <math.h>

static int train(void **state)
{
    (void)state;
    return tiny_train(600);
}

static void a_packed_model_carries_start_states_of_its_own(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    const am_db *db = source->db;
    assert_string_equal(source->interface->name, "learned");
    assert_null(source->index);
    assert_true(db->frame_count >= 3 && db->frame_count <= 8);
    assert_string_equal(db->ranges[0].name, "stand");
    assert_int_equal(db->joint_count, tiny.db->joint_count);
    assert_int_equal(db->latent_count, tiny_latent);
    assert_true(db->image_size < 64 * 1024);
    // Poses near those of the frames that they come from, but not the same bytes.
    am_transform pose[AM_MAX_JOINTS];
    am_db_pose(db, 0, pose);
    assert_true(pose[0].translation.y > 0.5f * source->facts->hip_m);
    assert_true(source->facts->far > 0.1f && source->facts->data_hash == tiny.db->hash);
    am_intent_def intent = ami_intent_def_for(source);
    check_near(intent.walk_mps, ami_intent_def_of(tiny.db).walk_mps, 0.0);
    am_db_measures own, ours;
    am_error err = { 0 };
    check_ok(am_db_measure(&own, tiny.db, NULL, &err), &err);
    check_ok(ami_source_measure(&ours, source, NULL, &err), &err);
    check_near(ours.quality.jitter_cm, own.quality.jitter_cm, 1e-4);
    check_near(ours.floor.toe_m, own.floor.toe_m, 1e-6);
    ami_source_destroy(source);
}

static void it_goes_where_it_is_told_and_stops(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    am_actor *c = body(source);
    float speed = source->facts->walk_mps;
    walk(c, target(0.0f, speed), 60, DT);
    float went = walk(c, target(0.0f, speed), 120, DT);
    assert_true(went > 0.5f * 2.0f * speed && went < 1.6f * 2.0f * speed);
    assert_true(ami_pose_of(c).root.translation.z > 0.5f * 2.0f * speed);
    walk(c, target(0.0f, 0.0f), 120, DT);
    assert_true(walk(c, target(0.0f, 0.0f), 60, DT) < 0.25f);
    am_actor_view view = ami_view_of(c);
    assert_int_equal(view.activity, AM_ACTIVITY_STAND);
    assert_true(view.transitions > 10 && view.fallback_frames == 0);
    assert_int_equal(view.output->frame, -1);
    am_actor_destroy(c);
    ami_source_destroy(source);
}

static void ten_minutes_of_a_wild_stick_neither_explode_nor_freeze(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    am_actor *c = body(source);
    am_rng rng = ami_rng_make(11);
    am_intent intent = target(0.0f, 0.0f);
    float highest = 0.0f, lowest = 10.0f;
    am_vec3 last[AM_MAX_JOINTS] = { { 0 } };
    int frozen = 0, longest = 0;
    for (int i = 0; i < 36000; i++) {
        if (i % 30 == 0) {
            intent = target(am_rng_range(&rng, -4.0f, 4.0f), am_rng_range(&rng, -4.0f, 4.0f));
        }
        am_actor_step(c, &intent, DT);
        am_actor_pose pose = ami_pose_of(c);
        float moved = 0.0f;
        for (int j = 0; j < source->skeleton->joint_count; j++) {
            am_vec3 at = pose.local[j].translation;
            at.x += pose.local[j].rotation.x;
            at.y += pose.local[j].rotation.y;
            moved += am_v3_distance(at, last[j]);
            last[j] = at;
        }
        frozen = moved < 1e-6f ? frozen + 1 : 0;
        longest = frozen > longest ? frozen : longest;
        float hips = pose.world[0].translation.y;
        highest = hips > highest ? hips : highest;
        lowest = hips < lowest ? hips : lowest;
    }
    float hip = source->facts->hip_m;
    assert_true(highest < 1.8f * hip && lowest > 0.3f * hip);
    assert_true(longest < 30);
    am_actor_destroy(c);
    ami_source_destroy(source);
}

static void a_snapshot_goes_on_with_the_same_frames(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    am_actor *c = body(source);
    am_error err = { 0 };
    walk(c, target(1.0f, 1.0f), 37, DT);
    size_t size = am_actor_snapshot(c, NULL, 0);
    void *saved = calloc(1, size);
    am_actor_snapshot(c, saved, size);
    walk(c, target(-1.0f, 0.5f), 50, DT);
    uint64_t hash = am_actor_hash(c);
    check_ok(am_actor_restore(c, saved, size, &err), &err);
    walk(c, target(-1.0f, 0.5f), 50, DT);
    assert_true(am_actor_hash(c) == hash);
    free(saved);
    am_actor_destroy(c);
    ami_source_destroy(source);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_error err = { 0 };
    am_source *source = NULL;
    ami_learned_def def = ami_learned_def_default();
    def.model = tiny.model;
    def.alloc = &alloc;
    check_ok(ami_learned_create(&source, &def, &err), &err);
    am_actor *c = NULL;
    am_actor_def body_def;
    am_actor_def_init(&body_def, NULL);
    body_def.source = source;
    body_def.alloc = &alloc;
    check_ok(am_actor_create(&c, &body_def, &err), &err);
    uint64_t before = budget.total_count;
    walk(c, target(1.0f, 2.0f), 200, DT);
    assert_true(budget.total_count == before);
    am_actor_destroy(c);
    ami_source_destroy(source);
    assert_int_equal(budget.live_count, 0);
}

static void any_time_step_leads_to_about_the_same_place(void **state)
{
    (void)state;
    const float steps[4] = { 1.0f / 144.0f, 1.0f / 60.0f, 1.0f / 30.0f, 1.0f / 20.0f };
    float way[4];
    for (int i = 0; i < 4; i++) {
        am_source *source = learned(tiny.model);
        am_actor *c = body(source);
        float speed = source->facts->walk_mps;
        walk(c, target(0.0f, speed), (int)(1.0f / steps[i] + 0.5f), steps[i]);
        way[i] = walk(c, target(0.0f, speed), (int)(3.0f / steps[i] + 0.5f), steps[i]);
        am_actor_destroy(c);
        ami_source_destroy(source);
        assert_true(way[i] > 0.7f * way[0] && way[i] < 1.3f * way[0]);
    }
}

/// One source moves three states, alone and together.
static void a_batch_gives_the_bits_of_single_steps(void **state)
{
    (void)state;
    enum { many = 7 };
    am_source *source = learned(tiny.model);
    am_error err = { 0 };
    am_search_work *one = NULL;
    am_search_work *all = NULL;
    check_ok(am_source_work_create(&one, source, 1, NULL, &err), &err);
    check_ok(am_source_work_create(&all, source, 4, NULL, &err), &err); // fewer than there are
    size_t size = source->interface->state_size(source);
    size_t joints = (size_t)source->skeleton->joint_count;
    assert_int_equal(size % 16, 0);
    void *states[2][many];
    am_source_output *outs[2][many];
    am_source_input inputs[many];
    const am_source_input *asked[many];
    am_query_point points[many][2];
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < many; i++) {
            states[s][i] = calloc(1, size);
            outs[s][i] = calloc(1, sizeof(am_source_output));
            am_source_output *o = outs[s][i];
            o->local = calloc(5 * joints, sizeof(am_transform));
            o->left = (am_source_pose){ .local = o->local + joints, .velocity = calloc(joints, sizeof(am_velocity)) };
            o->landed =
                (am_source_pose){ .local = o->local + 2 * joints, .velocity = calloc(joints, sizeof(am_velocity)) };
            source->interface->reset(source, states[s][i], i % source->db->frame_count, NULL);
        }
    }
    for (int frame = 0; frame < 40; frame++) {
        for (int i = 0; i < many; i++) {
            float far = i == 5 ? 1e4f : 1.0f; // one target is beyond any motion
            points[i][0] = (am_query_point){ 0.3333333f, am_v3(0.2f * (float)i, 0.0f, 0.5f * far), am_v3(0, 0, 1),
                                             am_v3(0, 0, 1.5f) };
            points[i][1] =
                (am_query_point){ 1.0f, am_v3(0.6f * (float)i, 0.0f, 1.5f * far), am_v3(0, 0, 1), am_v3(0, 0, 1.5f) };
            inputs[i] = (am_source_input){ .dt = i == 3 ? 2.0f * DT : DT,
                                           .root = am_transform_identity(),
                                           .trajectory = points[i],
                                           .trajectory_count = 2,
                                           .search_now = (frame + i) % 7 == 0 };
            asked[i] = &inputs[i];
            source->interface->step(source, states[0][i], outs[0][i], &inputs[i], one);
        }
        source->interface->step_batch(source, states[1], outs[1], asked, many, all);
        for (int i = 0; i < many; i++) {
            assert_memory_equal(states[0][i], states[1][i], size);
            assert_memory_equal(outs[0][i]->local, outs[1][i]->local, joints * sizeof(am_transform));
            assert_memory_equal(&outs[0][i]->root_linear, &outs[1][i]->root_linear, sizeof(am_vec3));
            assert_int_equal(outs[0][i]->transition, outs[1][i]->transition);
            assert_int_equal(outs[0][i]->fell_back, outs[1][i]->fell_back);
        }
    }
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < many; i++) {
            free(outs[s][i]->left.velocity);
            free(outs[s][i]->landed.velocity);
            free(outs[s][i]->local);
            free(outs[s][i]);
            free(states[s][i]);
        }
    }
    ami_search_work_destroy(one);
    ami_search_work_destroy(all);
    ami_source_destroy(source);
}

/// A second of a target at `mps`; gives how many steps fell back to the last good one, and how many projected.
static int far_steps(const am_source *source, void *own, am_source_output *out, am_search_work *work, float mps,
                     int *projected)
{
    const am_query_point points[2] = {
        { 0.3333333f, am_v3(0.0f, 0.0f, mps / 3.0f), am_v3(0, 0, 1), am_v3(0, 0, mps) },
        { 1.0f, am_v3(0.0f, 0.0f, mps), am_v3(0, 0, 1), am_v3(0, 0, mps) },
    };
    const am_source_input input = {
        .dt = DT, .root = am_transform_identity(), .trajectory = points, .trajectory_count = 2
    };
    int fell_back = 0;
    *projected = 0;
    for (int frame = 0; frame < 60; frame++) {
        source->interface->step(source, own, out, &input, work);
        fell_back += out->fell_back;
        *projected += out->transition;
    }
    return fell_back;
}

static void targets_far_outside_the_data_keep_the_last_good_one_and_are_counted(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    am_error err = { 0 };
    am_search_work *work = NULL;
    check_ok(am_source_work_create(&work, source, 1, NULL, &err), &err);
    const size_t joints = (size_t)source->skeleton->joint_count;
    void *own = calloc(1, source->interface->state_size(source));
    am_source_output out = { .local = calloc(3 * joints, sizeof(am_transform)) };
    am_velocity *velocities = calloc(2 * joints, sizeof *velocities);
    out.left = (am_source_pose){ .local = out.local + joints, .velocity = velocities };
    out.landed = (am_source_pose){ .local = out.local + 2 * joints, .velocity = velocities + joints };
    source->interface->reset(source, own, -1, NULL);
    int projected = 0;
    assert_int_equal(far_steps(source, own, &out, work, 1.2f, &projected), 0);
    assert_true(far_steps(source, own, &out, work, 50.0f, &projected) >= 5);
    assert_true(projected >= 5); // the last good target is projected still
    assert_true(out.local[0].translation.y > 0.4f * source->facts->hip_m);
    free(velocities);
    free(out.local);
    free(own);
    ami_search_work_destroy(work);
    ami_source_destroy(source);
}

static void numbers_that_are_not_finite_keep_the_last_good_pose(void **state)
{
    (void)state;
    am_source *source = learned(tiny.model);
    am_actor *c = body(source);
    walk(c, target(0.0f, 1.2f), 30, DT);
    am_intent bad = target(NAN, INFINITY);
    walk(c, bad, 30, DT);
    assert_true(ami_view_of(c).fallback_frames >= 30);
    am_actor_pose pose = ami_pose_of(c);
    for (int j = 0; j < source->skeleton->joint_count; j++) {
        assert_true(isfinite(pose.world[j].translation.y) && isfinite(pose.world[j].rotation.w));
    }
    am_actor_destroy(c);
    // A state of nonsense stands up again.
    am_search_work *work = NULL;
    am_error err = { 0 };
    check_ok(am_source_work_create(&work, source, 1, NULL, &err), &err);
    size_t size = source->interface->state_size(source);
    size_t joints = (size_t)source->skeleton->joint_count;
    float *nonsense = calloc(1, size);
    am_source_output out = { .local = calloc(3 * joints, sizeof(am_transform)) };
    am_velocity *velocities = calloc(2 * joints, sizeof *velocities);
    out.left = (am_source_pose){ .local = out.local + joints, .velocity = velocities };
    out.landed = (am_source_pose){ .local = out.local + 2 * joints, .velocity = velocities + joints };
    source->interface->reset(source, nonsense, -1, NULL);
    for (int i = 4; i < 4 + tiny.x_count + tiny_latent; i++) {
        nonsense[i] = NAN;
    }
    am_source_input input = { .dt = DT, .root = am_transform_identity() };
    source->interface->step(source, nonsense, &out, &input, work);
    assert_true(out.fell_back);
    for (size_t j = 0; j < joints; j++) {
        assert_true(isfinite(out.local[j].rotation.w) && isfinite(out.local[j].translation.y));
    }
    source->interface->step(source, nonsense, &out, &input, work);
    assert_true(out.local[0].translation.y > 0.5f * source->facts->hip_m);
    free(nonsense);
    free(out.local);
    free(velocities);
    ami_search_work_destroy(work);
    ami_source_destroy(source);
}

static void half_and_eight_bit_networks_walk_the_same_way(void **state)
{
    (void)state;
    float way[3];
    for (int w = 0; w < 3; w++) {
        am_model *model = tiny_packed(&tiny, (am_net_weights)w);
        am_source *source = learned(model);
        am_actor *c = body(source);
        walk(c, target(0.0f, source->facts->walk_mps), 60, DT);
        way[w] = walk(c, target(0.0f, source->facts->walk_mps), 120, DT);
        assert_true(way[w] > 0.8f * way[0] && way[w] < 1.25f * way[0]);
        am_actor_destroy(c);
        ami_source_destroy(source);
        am_model_close(model);
    }
}

static void a_crowd_in_batches_walks_as_each_one_alone(void **state)
{
    (void)state;
    enum { many = 37 };
    am_error err = { 0 };
    am_asset *asset = NULL;
    am_asset_def asset_def;
    am_asset_def_init(&asset_def);
    asset_def.models = (const am_model *const *)&tiny.model;
    asset_def.model_count = 1;
    check_ok(am_asset_create(&asset, &asset_def, &err), &err);
    assert_int_equal(am_asset_methods(asset), 1u << AM_METHOD_LEARNED);
    am_pool *pool = NULL;
    check_ok(am_pool_create(&pool, 2, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    am_actor *alone[many], *crowd[many];
    am_intent intents[many];
    for (int i = 0; i < many; i++) {
        am_actor_def def;
        am_actor_def_init(&def, asset);
        def.position = am_v3((float)i, 0.0f, 0.0f);
        check_ok(am_actor_create(&alone[i], &def, &err), &err);
        check_ok(am_actor_create(&crowd[i], &def, &err), &err);
    }
    for (int f = 0; f < 50; f++) {
        for (int i = 0; i < many; i++) {
            intents[i] = target(0.1f * (float)(i % 5), f < 25 ? 1.2f : -1.0f);
            am_actor_step(alone[i], &intents[i], DT);
        }
        am_actors_step(crowd, intents, many, DT, f % 2 == 0 ? &tasks : NULL);
    }
    for (int i = 0; i < many; i++) {
        assert_true(am_actor_hash(alone[i]) == am_actor_hash(crowd[i]));
    }
    for (int i = many - 1; i >= 0; i--) {
        am_actor_destroy(crowd[i]);
    }
    for (int i = many - 1; i >= 0; i--) {
        am_actor_destroy(alone[i]);
    }
    am_pool_destroy(pool);
    am_asset_close(asset);
}

static void a_script_plays_it_without_a_database(void **state)
{
    (void)state;
    am_error err = { 0 };
    const char *folder = test_temp_dir("learned_run");
    char path[512], text[1024];
    snprintf(path, sizeof path, "%s/tiny.amnet", folder);
    check_ok(am_model_write(tiny.model, path, &err), &err);
    snprintf(path, sizeof path, "%s/run.json", folder);
    snprintf(text, sizeof text,
             "{ \"model\": \"tiny.amnet\", \"controller\": \"learned\", \"seconds\": 4,"
             "  \"characters\": [ { \"keys\": [ { \"t\": 0, \"down\": [\"W\"] },"
             "                              { \"t\": 2, \"down\": [\"A\"] } ] } ] }");
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
    char command[2048], out[4096];
    snprintf(command, sizeof command,
             "cd %s && %s run run.json -o out.bvh --metrics m.json --trace t.jsonl --record r.json 2>&1", folder,
             test_command());
    if (test_shell(out, sizeof out, "%s", command) != 0) {
        fail_msg("%s", out);
    }
    char *metrics = NULL;
    snprintf(path, sizeof path, "%s/m.json", folder);
    metrics = test_read_file(path, NULL);
    assert_non_null(strstr(metrics, "\"fallback_frames\""));
    assert_non_null(strstr(metrics, "\"foot_slide_cm\""));
    free(metrics);
    // What was recorded plays the same again, from another folder too.
    assert_int_equal(test_shell(out, sizeof out, "cd %s && %s run r.json -o again.bvh 2>&1 && cmp out.bvh again.bvh",
                                folder, test_command()),
                     0);
    if (test_shell(out, sizeof out,
                   "cd %s && mkdir -p sub/sub && %s run run.json --record sub/sub/r.json 2>&1 && cd sub && "
                   "%s run sub/r.json -o ../again.bvh 2>&1 && cmp ../out.bvh ../again.bvh",
                   folder, test_command(), test_command()) != 0) {
        fail_msg("%s", out);
    }
    snprintf(text, sizeof text,
             "{ \"controller\": \"learned\", \"seconds\": 1, \"characters\": [ { \"keys\": [] } ] }");
    snprintf(path, sizeof path, "%s/none.json", folder);
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
    assert_int_equal(test_shell(out, sizeof out, "cd %s && %s run none.json -o x.bvh 2>&1", folder, test_command()),
                     1);
    assert_non_null(strstr(out, "projector"));
}

TEST_SUITE(learned)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_model_carries_start_states_of_its_own),
        cmocka_unit_test(it_goes_where_it_is_told_and_stops),
        cmocka_unit_test(ten_minutes_of_a_wild_stick_neither_explode_nor_freeze),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_frames),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(any_time_step_leads_to_about_the_same_place),
        cmocka_unit_test(a_batch_gives_the_bits_of_single_steps),
        cmocka_unit_test(targets_far_outside_the_data_keep_the_last_good_one_and_are_counted),
        cmocka_unit_test(numbers_that_are_not_finite_keep_the_last_good_pose),
        cmocka_unit_test(half_and_eight_bit_networks_walk_the_same_way),
        cmocka_unit_test(a_crowd_in_batches_walks_as_each_one_alone),
        cmocka_unit_test(a_script_plays_it_without_a_database),
    };
    return cmocka_run_group_tests(tests, train, tiny_free);
}
