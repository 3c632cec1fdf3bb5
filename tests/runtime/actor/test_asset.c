// Assets and what their actors can do: settings while they run, snapshots that carry them, crowds on threads, poses
// between steps, sticks.
#include "actor/get.h"
#include "support/refuse.h"
#include "support/world.h"
#include "base/tasks.h"
#include "net/build.h"

static am_asset *shared; // match, long-horizon and a field without values

static int make_asset(void **state)
{
    am_error err = { 0 };
    am_asset_def def;
    am_asset_def_init(&def);
    if (make_db(state) != 0) {
        return -1;
    }
    def.db = shared_db;
    def.methods = 1u << AM_METHOD_MATCH | 1u << AM_METHOD_FIELD;
    return am_asset_create(&shared, &def, &err) == AM_OK ? 0 : -1;
}

static int free_asset(void **state)
{
    am_asset_close(shared);
    return free_db(state);
}

static am_actor *make_actor(void)
{
    am_error err = { 0 };
    am_actor *actor = NULL;
    am_actor_def def;
    am_actor_def_init(&def, shared);
    check_ok(am_actor_create(&actor, &def, &err), &err);
    return actor;
}

static void walk(am_actor *actor, int steps)
{
    const am_intent ahead = { .velocity = { 0.3f, 0.0f, 1.1f } };
    for (int i = 0; i < steps; i++) {
        am_actor_step(actor, &ahead, DT);
    }
}

static void an_asset_says_what_it_has(void **state)
{
    (void)state;
    assert_int_equal(am_asset_methods(shared),
                     1u << AM_METHOD_MATCH | 1u << AM_METHOD_LONG_HORIZON | 1u << AM_METHOD_FIELD);
    int toe = am_asset_joint(shared, "left_toe");
    assert_int_equal(toe, am_asset_roles(shared)->joint[AM_ROLE_LEFT_TOE]);
    assert_int_equal(am_asset_joint(shared, am_asset_skeleton(shared)->names[toe]), toe);
    assert_int_equal(am_asset_joint(shared, "tail"), -1);
    assert_int_equal(am_asset_value(shared, 0, 0), 0);
    assert_ptr_equal(am_asset_db(shared, AM_METHOD_FIELD), shared_db);
    am_asset_info info;
    am_asset_get_info(shared, &info);
    assert_true(info.index_bytes > 0 && info.field_bytes > 0 && info.field_states > 0);
    assert_int_equal(info.field_neighbours, 15);
    assert_false(info.has_direction);
}

static void a_field_shows_the_neighbours_of_its_tick(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_actor_neighbour near[AM_MAX_CANDIDATES];
    am_actor *actor = make_actor();
    walk(actor, 30);
    assert_int_equal(am_actor_get_neighbours(actor, near), 0); // of matching
    am_settings settings;
    am_settings_init(&settings, AM_METHOD_FIELD);
    settings.policy = AM_FIELD_GREEDY; // there are no values
    settings.candidates = AM_MAX_CANDIDATES;
    check_ok(am_actor_set(actor, &settings, &err), &err);
    walk(actor, 30);
    walk(actor, ami_view_of(actor).output->searched ? 0 : 1); // every other step has a tick
    float sum = 0.0f;
    int count = am_actor_get_neighbours(actor, near);
    assert_int_equal(count, AM_MAX_CANDIDATES);
    for (int i = 0; i < count; i++) {
        sum += near[i].weight;
        assert_true(near[i].weight >= 0.0f && am_abs(near[i].x) < 0.2f && am_abs(near[i].z) < 0.2f);
    }
    check_near(sum, 1.0f, 1e-5f);
    am_actor_destroy(actor);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_asset *asset = NULL;
    am_asset_def def;
    am_asset_def_init(&def);
    check_refused(am_asset_create(&asset, &def, &err), AM_ERR_SUPPORT);
    def.methods = 1u << AM_METHOD_MATCH;
    check_refused(am_asset_create(&asset, &def, &err), AM_ERR_SUPPORT);
    def.db = shared_db;
    def.methods = 1u << AM_METHOD_LEARNED;
    check_refused(am_asset_create(&asset, &def, &err), AM_ERR_SUPPORT);
    def.cookie = 0;
    check_refused(am_asset_create(&asset, &def, &err), AM_ERR_DEF);
    am_asset_file none = { .name = "no/such/file.amdb" };
    check_refused(am_asset_open(&asset, &none, 1, NULL, &err), AM_ERR_OPEN);
    am_actor *actor = NULL;
    check_refused(am_actor_open(&actor, "no/such/file.amdb", &err), AM_ERR_OPEN);
    assert_null(asset);
}

static void refused_settings_change_nothing(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_actor *actor = make_actor();
    walk(actor, 30);
    uint64_t hash = am_actor_hash(actor);
    am_settings before, after;
    am_actor_get_settings(actor, &before);
    am_settings bad = before;
    bad.clamp_m = 0.5f;
    bad.facing_halflife = -1.0f;
    check_refused(am_actor_set(actor, &bad, &err), AM_ERR_RANGE);
    assert_non_null(strstr(err.text, "facing_halflife_s"));
    bad = before;
    bad.method = AM_METHOD_LEARNED;
    check_refused(am_actor_set(actor, &bad, &err), AM_ERR_SUPPORT);
    bad.method = (am_method)1000;
    check_refused(am_actor_set(actor, &bad, &err), AM_ERR_RANGE);
    bad.method = AM_METHOD_FIELD; // look ahead without values
    check_refused(am_actor_set(actor, &bad, &err), AM_ERR_SUPPORT);
    check_refused(am_actor_set_weight(actor, "left_fot_position", 2.0f, &err), AM_ERR_KEY);
    check_refused(am_actor_set_tags(actor, AM_ACTIVITY_MOVE, "wlak", &err), AM_ERR_KEY);
    am_actor_get_settings(actor, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(am_actor_hash(actor) == hash);
    am_actor_destroy(actor);
}

static void a_change_of_method_keeps_the_pose_and_snapshots(void **state)
{
    (void)state;
    static const am_method methods[] = { AM_METHOD_LONG_HORIZON, AM_METHOD_FIELD, AM_METHOD_MATCH };
    am_error err = { 0 };
    am_actor *actor = make_actor(), *twin = make_actor();
    walk(actor, 90);
    walk(twin, 90);
    size_t size = am_actor_snapshot(actor, NULL, 0);
    void *matching = malloc(size);
    am_actor_snapshot(actor, matching, size);
    for (int m = 0; m < 3; m++) {
        am_vec3 hips = ami_pose_of(actor).world[0].translation;
        am_settings settings;
        am_settings_init(&settings, methods[m]);
        settings.policy = AM_FIELD_GREEDY;
        check_ok(am_actor_set(actor, &settings, &err), &err);
        walk(actor, 1);
        assert_true(am_v3_distance(hips, ami_pose_of(actor).world[0].translation) < 0.06f);
        walk(actor, 20);
        size_t room = am_actor_snapshot(actor, NULL, 0);
        void *bytes = malloc(room);
        am_actor_snapshot(actor, bytes, room);
        walk(actor, 60);
        uint64_t hash = am_actor_hash(actor);
        check_ok(am_actor_restore(actor, bytes, room, &err), &err);
        walk(actor, 60);
        assert_true(am_actor_hash(actor) == hash);
        free(bytes);
    }
    check_ok(am_actor_restore(actor, matching, size, &err), &err); // of a method three changes ago
    walk(actor, 60);
    walk(twin, 60);
    assert_true(am_actor_hash(actor) == am_actor_hash(twin));
    free(matching);
    am_actor_destroy(actor);
    am_actor_destroy(twin);
}

static void a_crowd_on_threads_moves_as_each_one_alone(void **state)
{
    (void)state;
    enum { many = 70 };
    am_error err = { 0 };
    am_pool *pool = NULL;
    check_ok(am_pool_create(&pool, 3, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    am_actor *crowd[many], *alone[many];
    am_intent targets[many];
    for (int i = 0; i < many; i++) {
        crowd[i] = make_actor();
        alone[i] = make_actor();
        targets[i] = (am_intent){ .velocity = am_v3(0.02f * (float)i, 0.0f, 1.0f) };
    }
    for (int f = 0; f < 40; f++) {
        am_actors_step(crowd, targets, many, DT, &tasks);
        for (int i = 0; i < many; i++) {
            am_actor_step(alone[i], &targets[i], DT);
        }
    }
    for (int i = 0; i < many; i++) {
        assert_true(am_actor_hash(crowd[i]) == am_actor_hash(alone[i]));
        am_actor_destroy(crowd[i]);
        am_actor_destroy(alone[i]);
    }
    am_pool_destroy(pool);
}

static void count_tasks(void *user, int count, void (*run)(void *context, int index), void *context)
{
    *(int *)user = count;
    am_tasks serial = ami_tasks_serial();
    serial.run(serial.user, count, run, context);
}

static void a_large_crowd_fills_as_many_threads(void **state)
{
    (void)state;
    enum { many = 32 * 12 };
    int count = 0;
    const am_tasks tasks = { .user = &count, .threads = 1, .run = count_tasks };
    am_actor *crowd[many], *alone = make_actor();
    am_intent targets[many];
    for (int i = 0; i < many; i++) {
        crowd[i] = make_actor();
        targets[i] = (am_intent){ .velocity = { 0.3f, 0.0f, 1.1f } };
    }
    am_actors_step(crowd, targets, many, DT, &tasks);
    assert_int_equal(count, 12);
    walk(alone, 1);
    for (int i = 0; i < many; i++) {
        assert_true(am_actor_hash(crowd[i]) == am_actor_hash(alone));
        am_actor_destroy(crowd[i]);
    }
    am_actor_destroy(alone);
}

static am_model *make_values(const ami_field *field, const ami_field_def *def, int first)
{
    enum { count = AM_NET_MOST_ATTACHMENTS };
    am_error err = { 0 };
    am_bytes bytes[count];
    am_model_blob blobs[count];
    char names[count][AM_NET_NAME_SIZE];
    ami_field_task task;
    assert_true(ami_field_task_find(&task, ami_field_task_name(0)));
    float *zeros = calloc((size_t)field->state_count * 1024, sizeof *zeros);
    for (int i = 0; i < count; i++) {
        const ami_field_value_head head = { .gamma = 0.9f,
                                            .every = first + i,
                                            .k = field->k,
                                            .field_fps = def->fps,
                                            .field_delta = def->delta,
                                            .field_root = def->root_weight,
                                            .field_turn = def->turn_weight,
                                            .field_thin = def->thin };
        check_ok(ami_field_value_pack(&bytes[i], &head, &task, field, zeros, NULL, &err), &err);
        ami_field_value_name(names[i], task.name, head.every);
        blobs[i] = (am_model_blob){ names[i], bytes[i].data, bytes[i].size };
    }
    const am_net_graph *none[1] = { NULL };
    am_model_def model_def = ami_model_def_default();
    model_def.graphs = none;
    model_def.attachments = blobs;
    model_def.attachment_count = count;
    am_model *model = NULL;
    check_ok(am_model_create(&model, &model_def, &err), &err);
    for (int i = 0; i < count; i++) {
        am_bytes_free(&bytes[i]);
    }
    free(zeros);
    return model;
}

static void value_functions_of_all_models_are_there(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_field *field = NULL;
    ami_field_def field_def = ami_field_def_default();
    field_def.db = shared_db;
    check_ok(ami_field_create(&field, &field_def, &err), &err);
    const am_model *models[3];
    for (int m = 0; m < 3; m++) {
        models[m] = make_values(field, &field_def, 100 + AM_NET_MOST_ATTACHMENTS * m);
    }
    am_asset *asset = NULL;
    am_asset_def def;
    am_asset_def_init(&def);
    def.db = shared_db;
    def.models = models;
    def.model_count = 3;
    def.methods = 1u << AM_METHOD_FIELD;
    check_ok(am_asset_create(&asset, &def, &err), &err);
    for (int every = 100; every < 100 + 3 * AM_NET_MOST_ATTACHMENTS; every++) {
        assert_int_equal(am_asset_value(asset, 0, every), every);
    }
    am_asset_close(asset);
    for (int m = 0; m < 3; m++) {
        am_model_close((am_model *)models[m]);
    }
    ami_field_destroy(field);
}

static void poses_lie_between_the_last_two_steps(void **state)
{
    (void)state;
    am_actor *actor = make_actor();
    walk(actor, 100);
    am_transform before = ami_pose_of(actor).root;
    walk(actor, 1);
    am_transform after = ami_pose_of(actor).root;
    am_transform root, local[AM_MAX_JOINTS];
    am_actor_sample(actor, 0.0f, &root, local);
    check_near(am_v3_distance(root.translation, before.translation), 0.0f, 1e-6f);
    am_actor_sample(actor, 1.0f, &root, local);
    check_near(am_v3_distance(root.translation, after.translation), 0.0f, 1e-6f);
    check_near(am_quat_angle(local[3].rotation, ami_pose_of(actor).local[3].rotation), 0.0f, 1e-3f);
    am_actor_sample(actor, 0.5f, &root, local);
    float whole = am_v3_distance(before.translation, after.translation);
    assert_true(whole > 0.01f);
    check_near(am_v3_distance(root.translation, before.translation), 0.5f * whole, 1e-5f);
    am_actor_destroy(actor);
}

static void a_stick_is_steered_by_the_camera(void **state)
{
    (void)state;
    am_actor *actor = make_actor();
    am_intent ahead, left;
    am_stick stick = { .y = 1.0f };
    am_actor_steer(actor, &ahead, &stick);
    stick.camera_heading = 90.0f * AM_DEG; // looks along +x
    am_actor_steer(actor, &left, &stick);
    assert_true(ahead.velocity.z > 0.5f);
    check_near(left.velocity.x, ahead.velocity.z, 1e-5f);
    check_near(left.velocity.z, 0.0f, 1e-5f);
    am_error err = { 0 };
    am_settings settings;
    am_actor_get_settings(actor, &settings);
    settings.walk_mps = 0.7f;
    check_ok(am_actor_set(actor, &settings, &err), &err);
    am_actor_steer(actor, &left, &stick);
    check_near(left.velocity.x, 0.7f, 1e-5f);
    am_actor_destroy(actor);
}

static void the_defaults_of_every_method_are_good(void **state)
{
    (void)state;
    am_error err = { 0 };
    int count;
    const am_option *table = am_options(&count);
    for (int m = 0; m < AM_METHOD_COUNT; m++) {
        am_settings settings;
        am_settings_init(&settings, (am_method)m);
        check_ok(am_settings_check(&settings, &err), &err);
        for (int i = 0; i < count; i++) { // a key means one thing for a method
            for (int j = 0; j < i; j++) {
                bool both = (table[i].methods & table[j].methods) != 0;
                assert_false(both && strcmp(table[i].key, table[j].key) == 0);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        bool number = table[i].type == AM_OPTION_NUMBER || table[i].type == AM_OPTION_INTEGER;
        assert_true(!number || (table[i].usual > table[i].low && table[i].usual <= table[i].high));
    }
    for (int i = 0; i < count && table[i].type == AM_OPTION_NUMBER; i++) {
        am_settings settings;
        am_settings_init(&settings, AM_METHOD_MATCH);
        am_option_put(&table[i], &settings, (double)table[i].high * 1.01);
        check_refused(am_settings_check(&settings, &err), AM_ERR_RANGE);
        assert_non_null(strstr(err.text, table[i].key));
    }
}

static void every_method_has_a_row_and_says_what_it_needs(void **state)
{
    (void)state;
    int count;
    const am_method_row *rows = am_methods(&count);
    assert_int_equal(count, AM_METHOD_OWN);
    for (int m = 0; m < count; m++) {
        assert_string_equal(rows[m].name, am_method_name((am_method)m));
        assert_true(rows[m].label[0] && (rows[m].database || rows[m].part));
        am_error err = { 0 };
        am_asset *none = NULL;
        am_asset_def def;
        am_asset_def_init(&def);
        def.methods = 1u << m;
        check_refused(am_asset_create(&none, &def, &err), AM_ERR_SUPPORT);
        assert_non_null(strstr(err.text, rows[m].name));
        assert_non_null(strstr(err.text, rows[m].database ? "database" : rows[m].part));
    }
}

TEST_SUITE(asset)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_asset_says_what_it_has),
        cmocka_unit_test(a_field_shows_the_neighbours_of_its_tick),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(refused_settings_change_nothing),
        cmocka_unit_test(a_change_of_method_keeps_the_pose_and_snapshots),
        cmocka_unit_test(a_crowd_on_threads_moves_as_each_one_alone),
        cmocka_unit_test(a_large_crowd_fills_as_many_threads),
        cmocka_unit_test(value_functions_of_all_models_are_there),
        cmocka_unit_test(poses_lie_between_the_last_two_steps),
        cmocka_unit_test(a_stick_is_steered_by_the_camera),
        cmocka_unit_test(the_defaults_of_every_method_are_good),
        cmocka_unit_test(every_method_has_a_row_and_says_what_it_needs),
    };
    return cmocka_run_group_tests(tests, make_asset, free_asset);
}
