// Characters by flow and segments as games have them: controls, arrivals and standing, snapshots, crowds, changes of
// the method, memory.
#include "actor/get.h"
#include "base/budget.h"
#include "support/check.h"
#include "support/flow_model.h"
#include "support/synth_db.h"
#include "base/tasks.h"

#define DT (1.0f / 60.0f)

static am_db *db;

static int make_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make_few(&err);
    return db ? 0 : -1;
}

static int free_all(void **state)
{
    (void)state;
    am_db_close(db);
    return 0;
}

/// An asset of one model, or of the database too.
typedef struct stage {
    am_model *model;
    am_asset *asset;
    am_method method;
} stage;

static void make(stage *s, const flow_model_def *def, bool with_db)
{
    am_error err = { 0 };
    s->model = flow_model_make(db, def, &err);
    check_ok(s->model ? AM_OK : err.code, &err);
    s->method = def->segments ? AM_METHOD_SEGMENTS : AM_METHOD_FLOW;
    am_asset_def asset;
    am_asset_def_init(&asset);
    asset.models = (const am_model *const *)&s->model;
    asset.model_count = 1;
    asset.db = with_db ? db : NULL;
    check_ok(am_asset_create(&s->asset, &asset, &err), &err);
}

static void done(stage *s)
{
    am_asset_close(s->asset);
    am_model_close(s->model);
}

static am_actor *make_actor(const stage *s, uint64_t seed)
{
    am_error err = { 0 };
    am_actor *actor = NULL;
    am_actor_def def;
    am_actor_def_init(&def, s->asset);
    am_settings_init(&def.settings, s->method);
    def.seed = seed;
    check_ok(am_actor_create(&actor, &def, &err), &err);
    return actor;
}

static am_control *make_control(const stage *s)
{
    am_error err = { 0 };
    am_control *control = NULL;
    check_ok(am_control_create(&control, am_asset_control_schema(s->asset, s->method), NULL, &err), &err);
    return control;
}

static void ask(am_control *control, float x, float z, const float *facing)
{
    am_error err = { 0 };
    const float at[3] = { x, 0.0f, z };
    am_control_clear(control);
    check_ok(am_control_set(control, "target", at, 3, &err), &err);
    if (facing) {
        check_ok(am_control_set(control, "facing", facing, 3, &err), &err);
    }
}

static void an_asset_offers_what_its_model_has(void **state)
{
    (void)state;
    stage s;
    flow_model_def def = { 0 };
    make(&s, &def, true);
    assert_int_equal(am_asset_methods(s.asset),
                     1u << AM_METHOD_MATCH | 1u << AM_METHOD_LONG_HORIZON | 1u << AM_METHOD_FLOW);
    assert_non_null(am_asset_control_schema(s.asset, AM_METHOD_FLOW));
    assert_null(am_asset_control_schema(s.asset, AM_METHOD_MATCH));
    assert_null(am_asset_control_schema(s.asset, AM_METHOD_SEGMENTS));
    done(&s);
}

/// Distance to a point on the ground and angle to a heading.
static void off(const am_actor *actor, float x, float z, float heading, float *metres, float *radians)
{
    am_transform root = ami_pose_of(actor).root;
    *metres = am_v3_distance(am_v3_ground(root.translation), am_v3(x, 0.0f, z));
    *radians = am_abs(am_wrap_angle(am_quat_heading(root.rotation) - heading));
}

static void a_target_is_reached_and_stood_on(void **state)
{
    (void)state;
    stage s;
    flow_model_def def = { .puppet = true };
    make(&s, &def, false);
    am_control *control = make_control(&s);
    const float targets[4][2] = { { 0.0f, 2.0f }, { 2.0f, 2.0f }, { -2.0f, 0.5f }, { 1.0f, -1.5f } };
    for (int plan = 0; plan < 2; plan++) {
        for (int t = 0; t < 4; t++) {
            am_error err = { 0 };
            am_actor *actor = make_actor(&s, 1);
            am_settings settings;
            am_actor_get_settings(actor, &settings);
            settings.plan = plan;
            check_ok(am_actor_set(actor, &settings, &err), &err);
            ask(control, targets[t][0], targets[t][1], NULL);
            const am_intent intent = { .control = control };
            for (int i = 0; i < 900; i++) {
                am_actor_step(actor, &intent, DT);
            }
            float metres, radians, before;
            off(actor, targets[t][0], targets[t][1], 0.0f, &metres, &radians);
            assert_true(metres < (plan ? 0.01f : 0.16f)); // standing, it steps to where it was sent
            assert_int_equal(ami_view_of(actor).activity, AM_ACTIVITY_STAND);
            // Stands for 20 s without drift, breathing a little.
            before = metres;
            float sway = 0.0f;
            am_vec3 head = ami_pose_of(actor).world[4].translation;
            for (int i = 0; i < 1200; i++) {
                am_actor_step(actor, &intent, DT);
                sway = am_max(sway, am_v3_distance(head, ami_pose_of(actor).world[4].translation));
            }
            off(actor, targets[t][0], targets[t][1], 0.0f, &metres, &radians);
            check_near(metres, before, 0.005);
            assert_true(sway < 0.1f);
            // Another target: it goes on.
            ask(control, targets[t][0] + 1.5f, targets[t][1], NULL);
            for (int i = 0; i < 900; i++) {
                am_actor_step(actor, &intent, DT);
            }
            off(actor, targets[t][0] + 1.5f, targets[t][1], 0.0f, &metres, &radians);
            assert_true(metres < 0.16f);
            am_actor_destroy(actor);
        }
    }
    am_control_destroy(control);
    done(&s);
}

/// Runtime controls: a point in the intent becomes the target, and without one the stick leads.
static void the_intent_reaches_the_model_by_its_runtime_controls(void **state)
{
    (void)state;
    stage s;
    flow_model_def def = { .puppet = true,
                           .schema = "{\"name\": \"go\", \"control\": {\"and\": {\"target\": \"location\"}}}",
                           .controls = "{\"runtime\": {\"set\": {\"target\": \"trajectory_position(1)\"}}}" };
    make(&s, &def, false);
    for (int plan = 0; plan < 2; plan++) {
        am_error err = { 0 };
        am_actor *actor = make_actor(&s, 1);
        am_settings settings;
        am_actor_get_settings(actor, &settings);
        settings.plan = plan;
        check_ok(am_actor_set(actor, &settings, &err), &err);
        // Nothing is asked: it stands.
        am_intent intent = { .velocity = { 0 } };
        for (int i = 0; i < 120; i++) {
            am_actor_step(actor, &intent, DT);
        }
        assert_true(am_v3_length(ami_pose_of(actor).root.translation) < 0.025f); // it may step into a stance
        // A stick: it walks there.
        intent.velocity = am_v3(1.0f, 0.0f, 0.0f);
        for (int i = 0; i < 240; i++) {
            am_actor_step(actor, &intent, DT);
        }
        am_vec3 root = ami_pose_of(actor).root.translation;
        assert_true(root.x > 1.0f && am_abs(root.z) < 1.5f);
        // A point: it arrives and stands.
        const am_vec3 point = { 0.0f, 0.0f, 3.0f };
        for (int i = 0; i < 900; i++) {
            am_transform at = ami_pose_of(actor).root;
            am_intent_to_point(&intent, &at, &point, 1.2f);
            am_actor_step(actor, &intent, DT);
        }
        float metres, radians;
        off(actor, 0.0f, 3.0f, 0.0f, &metres, &radians);
        print_message("%s plan: %.2f m off\n", plan ? "with a" : "without a", (double)metres);
        assert_true(metres < (plan ? 0.01f : 0.7f));
        assert_int_equal(ami_view_of(actor).activity, AM_ACTIVITY_STAND);
        am_actor_destroy(actor);
    }
    done(&s);
}

static void play(am_actor *actor, am_control *control, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        float turn = 0.02f * (float)i;
        float facing[3] = { am_sin(turn), 0.0f, am_cos(turn) };
        ask(control, 2.0f * am_sin(turn), 1.5f, i / 50 % 2 ? facing : NULL);
        const am_intent intent = { .control = control };
        am_actor_step(actor, &intent, i % 3 == 0 ? 0.011f : DT);
    }
}

static void a_snapshot_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        stage s;
        am_error err = { 0 };
        flow_model_def def = { .segments = kind == 1 };
        make(&s, &def, false);
        am_control *control = make_control(&s);
        am_actor *one = make_actor(&s, 3), *two = make_actor(&s, 4);
        play(one, control, 0, 100);
        size_t size = am_actor_snapshot(one, NULL, 0);
        void *bytes = malloc(size);
        assert_int_equal(am_actor_snapshot(one, bytes, size), size);
        play(two, control, 0, 37);
        assert_true(am_actor_hash(one) != am_actor_hash(two));
        check_ok(am_actor_restore(two, bytes, size, &err), &err);
        play(one, control, 100, 100);
        play(two, control, 100, 100);
        assert_true(am_actor_hash(one) == am_actor_hash(two));
        // The same seed gives the same frames, another one others (a flow draws, segments do not).
        am_actor *again = make_actor(&s, 3), *other = make_actor(&s, 9);
        play(again, control, 0, 200);
        play(other, control, 0, 200);
        assert_true(am_actor_hash(one) == am_actor_hash(again));
        am_vec3 a = ami_pose_of(again).root.translation, b = ami_pose_of(other).root.translation;
        assert_true((am_v3_distance(a, b) > 1e-3f) == (kind == 0));
        free(bytes);
        am_actor_destroy(one);
        am_actor_destroy(two);
        am_actor_destroy(again);
        am_actor_destroy(other);
        am_control_destroy(control);
        done(&s);
    }
}

static void a_crowd_moves_like_its_members(void **state)
{
    (void)state;
    enum { crowd = 45 };
    stage s;
    flow_model_def def = { .guided = true };
    make(&s, &def, false);
    am_actor *single[crowd], *together[crowd];
    am_control *controls[crowd];
    am_intent intents[crowd];
    memset(intents, 0, sizeof intents);
    for (int i = 0; i < crowd; i++) {
        single[i] = make_actor(&s, (uint64_t)i);
        together[i] = make_actor(&s, (uint64_t)i);
        controls[i] = make_control(&s);
        ask(controls[i], (float)i * 0.05f, 2.0f, NULL);
        intents[i].control = i % 7 ? controls[i] : NULL;
    }
    for (int t = 0; t < 30; t++) {
        for (int i = 0; i < crowd; i++) {
            am_actor_step(single[i], &intents[i], DT);
        }
        am_actors_step(together, intents, crowd, DT, NULL);
    }
    for (int i = 0; i < crowd; i++) {
        assert_true(am_actor_hash(single[i]) == am_actor_hash(together[i]));
        am_actor_destroy(single[i]);
        am_actor_destroy(together[i]);
        am_control_destroy(controls[i]);
    }
    done(&s);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        stage s;
        am_error err = { 0 };
        flow_model_def def = { .segments = kind == 1 };
        make(&s, &def, false);
        am_control *control = make_control(&s);
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        am_actor_def actor_def;
        am_actor *actor = NULL;
        am_actor_def_init(&actor_def, s.asset);
        am_settings_init(&actor_def.settings, s.method);
        actor_def.alloc = &alloc;
        check_ok(am_actor_create(&actor, &actor_def, &err), &err);
        size_t made = budget.total_count;
        play(actor, control, 0, 120);
        assert_int_equal(budget.total_count, made);
        am_actor_destroy(actor);
        assert_int_equal(budget.live_count, 0);
        am_control_destroy(control);
        done(&s);
    }
}

/// Fastest joint of a character in a step, m/s in the world.
static float fastest(const am_actor *actor, am_vec3 *before)
{
    am_actor_pose pose = ami_pose_of(actor);
    float most = 0.0f;
    for (int j = 0; j < db->joint_count; j++) {
        most = am_max(most, am_v3_distance(pose.world[j].translation, before[j]) / DT);
        before[j] = pose.world[j].translation;
    }
    return most;
}

static void the_method_changes_without_a_jump(void **state)
{
    (void)state;
    stage s;
    am_error err = { 0 };
    flow_model_def def = { .puppet = true };
    make(&s, &def, true);
    am_actor *actor = NULL;
    am_actor_def actor_def;
    am_actor_def_init(&actor_def, s.asset);
    check_ok(am_actor_create(&actor, &actor_def, &err), &err);
    am_control *control = make_control(&s);
    am_intent intent = { .velocity = { 0.0f, 0.0f, 1.2f } };
    am_vec3 before[64];
    for (int i = 0; i < 120; i++) {
        am_actor_step(actor, &intent, DT);
        fastest(actor, before);
    }
    float usual = 0.0f, most = 0.0f;
    for (int i = 0; i < 60; i++) {
        am_actor_step(actor, &intent, DT);
        usual = am_max(usual, fastest(actor, before));
    }
    for (int turn = 0; turn < 2; turn++) {
        am_settings settings;
        am_settings_init(&settings, turn == 0 ? AM_METHOD_FLOW : AM_METHOD_MATCH);
        check_ok(am_actor_set(actor, &settings, &err), &err);
        ask(control, 0.0f, 40.0f, NULL);
        intent.control = turn == 0 ? control : NULL;
        for (int i = 0; i < 60; i++) {
            am_actor_step(actor, &intent, DT);
            most = am_max(most, fastest(actor, before));
        }
    }
    print_message("fastest joint %.1f m/s walking, %.1f m/s around changes of the method\n", (double)usual,
                  (double)most);
    assert_true(most < 2.0f * usual);
    am_actor_destroy(actor);
    am_control_destroy(control);
    done(&s);
}

TEST_SUITE(flow_actor)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_asset_offers_what_its_model_has),
        cmocka_unit_test(a_target_is_reached_and_stood_on),
        cmocka_unit_test(the_intent_reaches_the_model_by_its_runtime_controls),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(a_crowd_moves_like_its_members),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(the_method_changes_without_a_jump),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
