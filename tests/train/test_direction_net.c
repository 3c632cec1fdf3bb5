// DirectionNet at run time: windows, the check on captured clips, facing of characters on paths, models of scripts.
#include "net/net.h"
#include "actor/get.h"
#include "support/direction_nets.h"
#include "support/world.h"
#include "base/budget.h"
#include "train/direction_check.h"

#include <math.h>

static am_model *open_net(am_net **net, const float m[8])
{
    am_error err = { 0 };
    am_model *model = direction_net("direction", m, NULL);
    assert_non_null(model);
    check_ok(ami_direction_net_open(net, model, NULL, &err), &err);
    return model;
}

static void close_net(am_net *net, am_model *model)
{
    am_net_destroy(net);
    am_model_close(model);
}

/// An arc of 1 m radius at 1 m/s, begun with a heading.
static ami_direction_window arc(float heading, float x, float z)
{
    ami_direction_window w = { 0 };
    for (int t = 0; t < AMI_DIRECTION_POINTS; t++) {
        float angle = heading + (float)t / AMI_DIRECTION_HZ;
        w.x[t] = x - am_cos(angle);
        w.z[t] = z + am_sin(angle);
    }
    for (int t = 0; t < AMI_DIRECTION_KNOWN; t++) {
        w.facing[t] = am_wrap_angle(heading + (float)t / AMI_DIRECTION_HZ);
    }
    return w;
}

static float way_at(const ami_direction_window *w, int t)
{
    int seen = t + AMI_DIRECTION_AHEAD;
    return am_atan2(w->x[seen] - w->x[seen - 1], w->z[seen] - w->z[seen - 1]);
}

static void a_net_goes_on_from_the_known_facing(void **state)
{
    (void)state;
    const float *const nets[] = { direction_ahead, direction_crab, direction_back };
    const float turned[] = { 0.0f, 0.5f * AM_PI, AM_PI };
    for (int n = 0; n < 3; n++) {
        am_error err = { 0 };
        am_net *net = NULL;
        am_net_work *work = NULL;
        am_model *model = open_net(&net, nets[n]);
        check_ok(am_net_work_create(&work, net, 1, NULL, &err), &err);
        ami_direction_window w = arc(0.3f, 0.0f, 0.0f), other = arc(2.3f, 40.0f, -7.0f);
        ami_direction_net_run(net, work, &w, AMI_DIRECTION_STEPS - AMI_DIRECTION_KNOWN);
        ami_direction_net_run(net, work, &other, AMI_DIRECTION_STEPS - AMI_DIRECTION_KNOWN);
        for (int t = AMI_DIRECTION_KNOWN; t < AMI_DIRECTION_STEPS; t++) {
            check_near(am_wrap_angle(w.facing[t] - way_at(&w, t) - turned[n]), 0.0, 0.01);
            // Place and heading do not matter.
            check_near(am_wrap_angle(other.facing[t] - w.facing[t] - 2.0f), 0.0, 0.01);
        }
        am_net_work_destroy(work);
        close_net(net, model);
    }
}

static void fewer_steps_say_the_same_and_write_no_more(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_model *model = open_net(&net, direction_crab);
    check_ok(am_net_work_create(&work, net, 1, NULL, &err), &err);
    ami_direction_window all = arc(0.0f, 0.0f, 0.0f), some = all;
    ami_direction_net_run(net, work, &all, 60);
    ami_direction_net_run(net, work, &some, 10);
    for (int t = AMI_DIRECTION_KNOWN; t < AMI_DIRECTION_STEPS; t++) {
        assert_true(some.facing[t] == (t < AMI_DIRECTION_KNOWN + 10 ? all.facing[t] : 0.0f));
    }
    am_net_work_destroy(work);
    close_net(net, model);
}

static void a_net_that_says_nothing_keeps_the_facing(void **state)
{
    (void)state;
    static const float silent[8] = { 0 };
    am_error err = { 0 };
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_model *model = open_net(&net, silent);
    check_ok(am_net_work_create(&work, net, 1, NULL, &err), &err);
    ami_direction_window w = arc(1.0f, 0.0f, 0.0f);
    ami_direction_net_run(net, work, &w, 60);
    check_near(w.facing[AMI_DIRECTION_STEPS - 1], w.facing[AMI_DIRECTION_KNOWN - 1], 1e-5);
    am_net_work_destroy(work);
    close_net(net, model);
}

static void foreign_models_are_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_net *net = NULL;
    am_model *model = direction_net("stepper", direction_ahead, NULL);
    check_refused(ami_direction_net_open(&net, model, NULL, &err), AM_ERR_KEY);
    assert_null(net);
    am_model_close(model);
    am_net_graph *g = NULL;
    check_ok(ami_net_graph_create(&g, "direction", NULL, &err), &err);
    ami_net_graph_output(g, "direction", ami_net_graph_linear(g, ami_net_graph_input(g, "point", 3), 2));
    check_ok(ami_net_graph_finish(g, &err), &err);
    am_model_def def = ami_model_def_default();
    def.graphs = (const am_net_graph *const *)&g;
    def.graph_count = 1;
    check_ok(am_model_create(&model, &def, &err), &err);
    check_refused(ami_direction_net_open(&net, model, NULL, &err), AM_ERR_FORMAT);
    assert_null(net);
    am_model_close(model);
    am_net_graph_destroy(g);
}

// ---------------------------------------------------------------------------------------------
// The check

static void pieces_and_mirror_images_share_their_fold(void **state)
{
    (void)state;
    const am_db_range whole = { .name = "94_02" }, piece = { .name = "94_02a-b" };
    const am_db_range mirrored = { .name = "94_02b-a_m", .flags = AM_RANGE_MIRRORED };
    const am_db_range named = { .name = "Male1_B3_Walk" }, named_m = { .name = "Male1_B3_Walk_m", .flags = 1 };
    int counts[5] = { 0 };
    for (int folds = 1; folds < 50; folds++) {
        int fold = ami_direction_fold(&whole, folds);
        assert_true(fold >= 0 && fold < folds);
        assert_int_equal(ami_direction_fold(&piece, folds), fold);
        assert_int_equal(ami_direction_fold(&mirrored, folds), fold);
        assert_int_equal(ami_direction_fold(&named, folds), ami_direction_fold(&named_m, folds));
    }
    for (int i = 0; i < 1000; i++) {
        am_db_range range = { 0 };
        snprintf(range.name, sizeof range.name, "%d_%02d", i / 20, i % 20);
        counts[ami_direction_fold(&range, 5)]++;
    }
    for (int f = 0; f < 5; f++) {
        assert_in_range(counts[f], 150, 250);
    }
}

static void the_check_knows_who_faces_where(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_direction_report rules, ahead, crab;
    check_ok(ami_direction_check(&rules, NULL, shared_db, 5, -1, NULL, &err), &err);
    const ami_direction_score *s = rules.scores;
    assert_true(rules.clips > 0 && rules.windows >= rules.clips && s[AMI_DIRECTION_ALL].frames > 0);
    assert_true(s[AMI_DIRECTION_ALL].frames == s[AMI_DIRECTION_FORWARD].frames + s[AMI_DIRECTION_SIDEWAYS].frames +
                                                   s[AMI_DIRECTION_BACKWARD].frames);
    assert_true(s[AMI_DIRECTION_FORWARD].tangent_deg < 45.0);
    assert_true(s[AMI_DIRECTION_ALL].net_deg == 0.0);
    am_net *net = NULL;
    am_model *model = open_net(&net, direction_ahead);
    check_ok(ami_direction_check(&ahead, net, shared_db, 5, -1, NULL, &err), &err);
    close_net(net, model);
    model = open_net(&net, direction_crab);
    check_ok(ami_direction_check(&crab, net, shared_db, 5, -1, NULL, &err), &err);
    close_net(net, model);
    // A network that faces ahead is as far off as the tangent, except for what it sees in advance.
    check_near(ahead.scores[AMI_DIRECTION_FORWARD].net_deg, s[AMI_DIRECTION_FORWARD].tangent_deg, 8.0);
    check_near(ahead.scores[AMI_DIRECTION_FORWARD].past_deg, ahead.scores[AMI_DIRECTION_FORWARD].net_deg, 0.01);
    check_near(crab.scores[AMI_DIRECTION_FORWARD].net_deg, 90.0, 15.0);
    // The folds are all clips, each once.
    int windows = 0;
    for (int f = 0; f < 5; f++) {
        ami_direction_report one;
        am_result result = ami_direction_check(&one, NULL, shared_db, 5, f, NULL, &err);
        windows += result == AM_OK ? one.windows : 0;
        assert_true(result == AM_OK || result == AM_ERR_EMPTY);
    }
    assert_int_equal(windows, rules.windows);
    assert_string_equal(ami_direction_class_name(AMI_DIRECTION_SIDEWAYS), "sideways");
    assert_string_equal(ami_direction_class_name(AMI_DIRECTION_CLASSES), "?");
}

static void the_check_frees_all_when_memory_ends(void **state)
{
    (void)state;
    am_net *net = NULL;
    am_model *model = open_net(&net, direction_ahead);
    am_result result = AM_ERR_MEMORY;
    for (size_t fail_at = 1; result == AM_ERR_MEMORY && fail_at < 10; fail_at++) {
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        am_error err = { 0 };
        ami_direction_report report;
        budget.fail_at = fail_at;
        result = ami_direction_check(&report, net, shared_db, 5, 0, &alloc, &err);
        assert_int_equal((int)budget.live_count, 0);
    }
    check_refused(result, AM_OK);
    close_net(net, model);
}

// ---------------------------------------------------------------------------------------------
// Characters

/// 6 m to the left and a round back, at a walk.
static am_path_sample drawing[400];

static am_path_def make_path(bool loop)
{
    int count = 360;
    for (int i = 0; i < count; i++) {
        float angle = (float)i * 2.0f * AM_PI / (float)count;
        drawing[i] = (am_path_sample){ (float)i * DT * 2.0f, 2.0f - 2.0f * am_cos(angle), 2.0f * am_sin(angle) };
    }
    am_path_def def;
    am_path_def_init(&def);
    def.samples = drawing;
    def.count = count;
    def.loop = loop;
    def.facing = AM_PATH_FACING_NET;
    return def;
}

static void make_net_world(world *w, const am_net *net, const am_alloc *alloc)
{
    am_error err = { 0 };
    am_actor_def def = open_world(w);
    def.alloc = alloc;
    def.path_points = 6000;
    am_asset_def asset;
    am_asset_def_init(&asset);
    asset.alloc = alloc;
    asset.source = w->source;
    asset.models = net ? &net->model : NULL;
    asset.model_count = net ? 1 : 0;
    check_ok(am_asset_create(&w->asset, &asset, &err), &err);
    def.source = NULL;
    def.asset = w->asset;
    check_ok(am_actor_create(&w->character, &def, &err), &err);
}

static void go(world *w, float seconds, bool run)
{
    am_intent target = { .run = run };
    for (int i = 0; i < (int)(seconds / DT); i++) {
        am_actor_step(w->character, &target, DT);
    }
}

/// Mean distance (degrees) of the desired facing a third of a second ahead from the way there turned by `turned`.
static float facing_off(world *w, float seconds, float turned)
{
    double sum = 0.0;
    int count = 0;
    for (; count < (int)(seconds / DT); count++) {
        go(w, DT * 1.01f, false);
        am_actor_view view = ami_view_of(w->character);
        const am_query_point *p = &view.trajectory[1];
        float way = am_atan2(p->velocity.x, p->velocity.z);
        sum += (double)am_abs(am_wrap_angle(am_atan2(p->direction.x, p->direction.z) - way - turned * AM_DEG));
    }
    return (float)(sum / count) / AM_DEG;
}

static void without_a_net_such_paths_are_refused(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    make_net_world(&w, NULL, NULL);
    am_path_def path = make_path(false);
    check_refused(am_actor_follow(w.character, &path, &err), AM_ERR_SUPPORT);
    assert_non_null(strstr(err.text, "direction"));
    assert_false(ami_path_of(w.character).following);
    free_world(&w);
}

static void a_character_faces_as_its_net_tells(void **state)
{
    (void)state;
    const float *const nets[] = { direction_ahead, direction_crab, direction_back };
    const float turned[] = { 0.0f, 90.0f, 180.0f };
    for (int n = 0; n < 3; n++) {
        world w;
        am_error err = { 0 };
        am_net *net = NULL;
        am_model *model = open_net(&net, nets[n]);
        make_net_world(&w, net, NULL);
        am_path_def path = make_path(false);
        check_ok(am_actor_follow(w.character, &path, &err), &err);
        go(&w, 1.0f, false);
        // The net looks 0.4 s ahead on a round that turns by 30 degrees per second.
        assert_true(facing_off(&w, 2.0f, turned[n]) < 20.0f);
        go(&w, 40.0f, false);
        assert_true(ami_path_of(w.character).ended);
        free_world(&w);
        close_net(net, model);
    }
}

static void other_facings_do_not_ask_the_net(void **state)
{
    (void)state;
    uint64_t hashes[2];
    am_net *net = NULL;
    am_model *model = open_net(&net, direction_back);
    for (int n = 0; n < 2; n++) {
        world w;
        am_error err = { 0 };
        make_net_world(&w, n == 0 ? NULL : net, NULL);
        am_path_def path = make_path(false);
        path.facing = AM_PATH_FACING_TANGENT;
        check_ok(am_actor_follow(w.character, &path, &err), &err);
        go(&w, 3.0f, false);
        am_transform root = ami_pose_of(w.character).root;
        hashes[n] = am_hash64(&root, sizeof root, 0);
        free_world(&w);
    }
    assert_true(hashes[0] == hashes[1]);
    close_net(net, model);
}

static void a_snapshot_goes_on_bit_for_bit_without_allocating(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_net *net = NULL;
    am_model *model = open_net(&net, direction_crab);
    for (int loop = 0; loop < 2; loop++) {
        world w;
        am_error err = { 0 };
        make_net_world(&w, net, &alloc);
        am_path_def path = make_path(loop != 0);
        size_t before = budget.total_count;
        check_ok(am_actor_follow(w.character, &path, &err), &err);
        go(&w, loop != 0 ? 45.0f : 3.05f, false);
        size_t size = am_actor_snapshot(w.character, NULL, 0);
        void *snapshot = test_malloc(size);
        am_actor_snapshot(w.character, snapshot, size);
        go(&w, 4.0f, false);
        uint64_t hash = am_actor_hash(w.character);
        go(&w, 2.0f, true);
        check_ok(am_actor_restore(w.character, snapshot, size, &err), &err);
        go(&w, 4.0f, false);
        assert_true(am_actor_hash(w.character) == hash);
        assert_int_equal((int)(budget.total_count - before), 0);
        assert_true(loop == 0 || ami_path_of(w.character).laps > 0);
        test_free(snapshot);
        free_world(&w);
        assert_int_equal((int)budget.live_count, 0);
    }
    close_net(net, model);
}

static void another_net_makes_another_snapshot(void **state)
{
    (void)state;
    am_net *nets[2];
    am_model *models[2] = { open_net(&nets[0], direction_crab), open_net(&nets[1], direction_back) };
    world w[2];
    make_net_world(&w[0], nets[0], NULL);
    make_net_world(&w[1], nets[1], NULL);
    am_error err = { 0 };
    size_t size = am_actor_snapshot(w[0].character, NULL, 0);
    void *snapshot = test_malloc(size);
    am_actor_snapshot(w[0].character, snapshot, size);
    check_refused(am_actor_restore(w[1].character, snapshot, size, &err), AM_ERR_FORMAT);
    test_free(snapshot);
    for (int i = 0; i < 2; i++) {
        free_world(&w[i]);
        close_net(nets[i], models[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// Scripts

static const char script_text[] =
    "{\"database\": \"-\", \"controller\": \"long-horizon\",%s \"characters\": [{\"path\": {\"facing\": \"net\","
    " \"points\": [[0,0,0],[1,0,1.2],[2,0,2.4],[3,0.8,3.2]]}}]}";

static am_result start_run(am_run **run, am_run_script *script, const char *models, const am_model *extra,
                           const am_alloc *alloc, am_error *err)
{
    char text[1024];
    snprintf(text, sizeof text, script_text, models);
    am_result result = am_run_parse(script, text, strlen(text), "run", alloc, err);
    am_run_def def = am_run_def_default();
    def.alloc = alloc;
    def.script = script;
    def.db = shared_db;
    def.models = &extra;
    def.model_count = extra != NULL;
    return result == AM_OK ? am_run_create(run, &def, err) : result;
}

static void scripts_name_models_or_take_what_there_is(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_run_script script = { 0 };
    am_run *run = NULL;
    check_refused(start_run(&run, &script, "", NULL, NULL, &err), AM_ERR_SUPPORT);
    assert_non_null(strstr(err.text, "\"model\""));
    am_run_script_free(&script);
    am_model *model = direction_net("direction", direction_crab, NULL);
    check_ok(start_run(&run, &script, "", model, NULL, &err), &err);
    check_ok(am_run_play(run, NULL, 0, NULL, &err), &err);
    uint64_t hash = am_run_hash(run);
    am_run_destroy(run);
    am_run_script_free(&script);
    char path[600], key[700];
    snprintf(path, sizeof path, "%s/d.amnet", test_temp_dir("direction_models"));
    check_ok(am_model_write(model, path, &err), &err);
    // The script's own comes first, however it is written down; a recording names it again.
    am_model *other = direction_net("direction", direction_back, NULL);
    for (int list = 0; list < 2; list++) {
        snprintf(key, sizeof key, list ? " \"model\": [\"%s\"]," : " \"model\": \"%s\",", path);
        check_ok(start_run(&run, &script, key, other, NULL, &err), &err);
        am_recording *recording = NULL;
        am_bytes bytes = { 0 };
        check_ok(am_recording_create(&recording, run, NULL, &err), &err);
        check_ok(am_run_play(run, NULL, 0, NULL, &err), &err);
        check_ok(am_recording_write(&bytes, recording, NULL, &err), &err);
        assert_non_null(strstr((const char *)bytes.data, path));
        assert_true(am_run_hash(run) == hash);
        am_bytes_free(&bytes);
        am_recording_destroy(recording);
        am_run_destroy(run);
        am_run_script_free(&script);
    }
    snprintf(key, sizeof key, " \"model\": [\"%s.missing\"],", path);
    check_refused(start_run(&run, &script, key, model, NULL, &err), AM_ERR_OPEN);
    am_run_script_free(&script);
    am_model_close(model);
    am_model_close(other);
}

static void a_run_with_a_net_frees_all_when_memory_ends(void **state)
{
    (void)state;
    am_model *model = direction_net("direction", direction_crab, NULL);
    am_result result = AM_ERR_MEMORY;
    for (size_t fail_at = 1; result == AM_ERR_MEMORY && fail_at < 500; fail_at++) {
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        am_error err = { 0 };
        am_run_script script = { 0 };
        am_run *run = NULL;
        budget.fail_at = fail_at;
        result = start_run(&run, &script, "", model, &alloc, &err);
        am_run_destroy(run);
        am_run_script_free(&script);
        assert_int_equal((int)budget.live_count, 0);
    }
    check_refused(result, AM_OK);
    am_model_close(model);
}

TEST_SUITE(direction_net)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_goes_on_from_the_known_facing),
        cmocka_unit_test(fewer_steps_say_the_same_and_write_no_more),
        cmocka_unit_test(a_net_that_says_nothing_keeps_the_facing),
        cmocka_unit_test(foreign_models_are_refused),
        cmocka_unit_test(pieces_and_mirror_images_share_their_fold),
        cmocka_unit_test(the_check_knows_who_faces_where),
        cmocka_unit_test(the_check_frees_all_when_memory_ends),
        cmocka_unit_test(without_a_net_such_paths_are_refused),
        cmocka_unit_test(a_character_faces_as_its_net_tells),
        cmocka_unit_test(other_facings_do_not_ask_the_net),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit_without_allocating),
        cmocka_unit_test(another_net_makes_another_snapshot),
        cmocka_unit_test(scripts_name_models_or_take_what_there_is),
        cmocka_unit_test(a_run_with_a_net_frees_all_when_memory_ends),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}
