// The field character that ships for the page: it comes to a stand when the stick is released, stands without gliding
// or spinning, but not as a statue, and starts again.
#include "actor/get.h"
#include "support/check.h"
#include "actor/intent.h"
#include "method/sources.h"

#include <amble/tools/build.h>
#include <amble/actor.h>
#include <amble/tools/script.h>

static am_db *db;
static am_model *model;
static ami_field *field;
static ami_field_value *value;
static am_source *source;

static bool find_set(void *user, const char *name, char *folder, size_t size)
{
    (void)user;
    const char *dir = test_data_dir(name);
    return dir && snprintf(folder, size, "%s", dir) < (int)size;
}

static int open_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    if (!test_data_dir("accad_male1")) {
        return 0;
    }
    am_build_def build = am_build_def_default();
    build.config_path = AMBLE_SOURCE_DIR "/configs/databases/fields_play.json";
    build.find_set = find_set;
    ami_field_def def = ami_field_def_default();
    ami_field_value_def worth = ami_field_value_def_default();
    ami_field_source_def flow = ami_field_source_def_default();
    bool good = am_build(&db, NULL, &build, &err) == AM_OK &&
                am_model_open(&model, AMBLE_SOURCE_DIR "/models/fields_page.amnet", NULL, &err) == AM_OK &&
                ami_field_value_field(&def, model);
    def.db = db;
    good = good && ami_field_create(&field, &def, &err) == AM_OK;
    worth.model = model;
    worth.field = field;
    worth.task = "speed";
    good = good && ami_field_value_create(&value, &worth, &err) == AM_OK; // refuses values of other data
    flow.field = field;
    flow.value = value;
    return good && ami_field_source_create(&source, &flow, &err) == AM_OK ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    ami_source_destroy(source);
    ami_field_value_destroy(value);
    ami_field_destroy(field);
    am_model_close(model);
    am_db_close(db);
    return 0;
}

/// What a trial measures, in seconds from when the stick is released, and from when it is pushed again to the side;
/// from 2.5 s after the first on how quickly joints move on average, and toes at most.
typedef struct trial {
    float stand_s, drift_m, turn_rad, joints_mps, toes_mps, start_s, face_s;
} trial;

enum { rate = 60, rest_steps = 240, again_steps = 120 };

static float way(am_vec3 a, am_vec3 b) { return am_v3_length(am_v3_ground(am_v3_sub(a, b))); }

/// How quickly joints move on average and the toes at most, in a step while standing.
static void add_life(trial *t, const am_transform *before, const am_transform *now, int steps)
{
    for (int j = 0; j < db->joint_count; j++) {
        const float mps = am_v3_distance(before[j].translation, now[j].translation) * rate;
        const bool toe = j == db->roles.joint[AM_ROLE_LEFT_TOE] || j == db->roles.joint[AM_ROLE_RIGHT_TOE];
        t->joints_mps += mps / (float)(steps * db->joint_count);
        t->toes_mps = toe ? am_max(t->toes_mps, mps) : t->toes_mps;
    }
}

static trial let_go_after(int steps)
{
    am_error err = { 0 };
    am_actor *c = NULL;
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = source;
    def.settings.root = AM_ROOT_ANIMATION;
    check_ok(am_actor_create(&c, &def, &err), &err);
    const float walk = ami_intent_def_for(source).walk_mps;
    am_transform last[13] = { 0 }; // of the last 0.2 s
    am_transform stood = am_transform_identity();
    am_transform body[AM_MAX_JOINTS];
    trial t = { .start_s = 9.0f, .face_s = 9.0f };
    for (int i = 0; i < steps + rest_steps + again_steps; i++) {
        const int rest = i - steps, again = rest - rest_steps;
        am_intent target = { 0 };
        target.velocity = rest < 0 ? am_v3(0.0f, 0.0f, walk) : again >= 0 ? am_v3(walk, 0.0f, 0.0f) : target.velocity;
        memcpy(body, ami_pose_of(c).world, (size_t)db->joint_count * sizeof *body);
        am_actor_step(c, &target, 1.0f / rate);
        if (rest > 150 && again < 0) {
            add_life(&t, body, ami_pose_of(c).world, rest_steps - 151);
        }
        memmove(last, last + 1, 12 * sizeof *last);
        last[12] = ami_pose_of(c).root;
        const float speed = way(last[12].translation, last[0].translation) / 0.2f;
        const float off = am_abs(am_wrap_angle(am_quat_heading(last[12].rotation) - AM_PI / 2.0f));
        if (rest >= 0 && again < 0) {
            t.stand_s = speed > 0.15f ? (float)(rest + 1) / rate : t.stand_s;
            stood = rest == 150 ? last[12] : stood;
        }
        if (again == 0) {
            t.drift_m = way(last[12].translation, stood.translation);
            t.turn_rad = am_abs(am_wrap_angle(am_quat_heading(last[12].rotation) - am_quat_heading(stood.rotation)));
        }
        if (again >= 0) {
            t.start_s = speed > 0.6f * walk ? am_min(t.start_s, (float)again / rate) : t.start_s;
            t.face_s = off < 5.0f * AM_DEG ? am_min(t.face_s, (float)again / rate) : t.face_s;
        }
    }
    am_actor_destroy(c);
    return t;
}

static void who_is_let_go_stands_and_starts_again(void **state)
{
    (void)state;
    if (!source) {
        print_message("skipped: no motion capture\n");
        skip();
    }
    enum { trials = 12 };
    trial sum = { 0 }, most = { 0 };
    for (int i = 0; i < trials; i++) {
        const trial t = let_go_after(120 + 10 * i);
        const float *one = &t.stand_s;
        float *all = &sum.stand_s, *top = &most.stand_s;
        for (size_t n = 0; n < sizeof t / sizeof(float); n++) {
            all[n] += one[n] / trials;
            top[n] = am_max(top[n], one[n]);
        }
    }
    print_message(
        "stands after %.2f s (at most %.2f), drifts %.3f m, joints move %.4f m/s and toes at most %.4f, starts in "
        "%.2f s (%.2f), faces 90 degrees aside in %.2f s (%.2f)\n",
        (double)sum.stand_s, (double)most.stand_s, (double)most.drift_m, (double)sum.joints_mps,
        (double)most.toes_mps, (double)sum.start_s, (double)most.start_s, (double)sum.face_s, (double)most.face_s);
    assert_true(sum.stand_s < 1.1f && most.stand_s < 1.8f);
    assert_true(sum.joints_mps > 0.006f && sum.joints_mps < 0.03f); // standing people in the data: 0.013
    assert_true(most.toes_mps < 0.02f);
    assert_true(most.drift_m < 0.05f && most.turn_rad < 3.0f * AM_DEG); // in 1.5 s
    // By motion: 0.38 and 0.73 s were those of a character of which nine tenths of the turning were steering.
    assert_true(sum.start_s < 0.8f && most.start_s < 1.0f);
    assert_true(sum.face_s < 1.05f && most.face_s < 1.2f);
}

/// A standing character gets a desired facing some degrees aside: how far off it is in the end, and how far its root
/// moved.
static float face_aside(float degrees, float *drift_m)
{
    am_error err = { 0 };
    am_actor *c = NULL;
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = source;
    def.settings.root = AM_ROOT_ANIMATION;
    check_ok(am_actor_create(&c, &def, &err), &err);
    am_intent target = { 0 };
    for (int i = 0; i < 60; i++) {
        am_actor_step(c, &target, 1.0f / rate);
    }
    const am_transform stood = ami_pose_of(c).root;
    const am_quat turn = am_quat_from_heading(degrees * AM_DEG);
    target.facing = am_quat_rotate(am_quat_mul(turn, stood.rotation), am_v3(0.0f, 0.0f, 1.0f));
    for (int i = 0; i < 4 * rate; i++) {
        am_actor_step(c, &target, 1.0f / rate);
    }
    const am_transform now = ami_pose_of(c).root;
    am_actor_destroy(c);
    *drift_m = way(now.translation, stood.translation);
    const float turned = am_wrap_angle(am_quat_heading(now.rotation) - am_quat_heading(stood.rotation));
    return am_abs(turned / AM_DEG - degrees);
}

static void who_stands_turns_to_a_facing_that_is_desired(void **state)
{
    (void)state;
    if (!source) {
        print_message("skipped: no motion capture\n");
        skip();
    }
    static const float targets[] = { 10.0f, -20.0f, 20.0f, 30.0f, -45.0f, 60.0f, 90.0f };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        float drift;
        const float off = face_aside(targets[i], &drift);
        print_message("desired facing %.0f degrees aside: %.1f degrees off after 4 s, %.2f m away\n",
                      (double)targets[i], (double)off, (double)drift);
        assert_true(off < 4.0f);
    }
}

static void goals_of_a_script_send_it_to_places(void **state)
{
    (void)state;
    if (!source) {
        print_message("skipped: no motion capture\n");
        skip();
    }
    static const char text[] =
        "{\"database\": \"x.amdb\", \"controller\": \"field\", \"fps\": 60, \"seconds\": 16, \"options\": {\"task\": "
        "\"point\"}, \"characters\": [{\"goals\": [{\"t\": 0, \"values\": {\"target\": [0, 0, 3]}}, {\"t\": 8, "
        "\"values\": {\"target\": [-3, 0, 2]}}]}]}";
    const am_vec3 target[2] = { { 0.0f, 0.0f, 3.0f }, { -3.0f, 0.0f, 2.0f } };
    am_error err = { 0 };
    am_run_script script;
    am_run *run = NULL;
    check_ok(am_run_parse(&script, text, strlen(text), "run.json", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    const am_model *models[] = { model };
    def.script = &script;
    def.db = db;
    def.models = models;
    def.model_count = 1;
    check_ok(am_run_create(&run, &def, &err), &err);
    float off[2] = { 0 }, moved[2] = { 0 };
    am_vec3 before = am_v3_zero();
    while (am_run_step(run)) {
        const am_run_sample sample = am_run_get_sample(run, 0);
        const am_vec3 at = am_v3_ground(sample.pose.root.translation);
        const int leg = sample.frame < 480 ? 0 : 1;
        off[leg] = way(at, target[leg]);
        moved[leg] += sample.frame % 480 > 420 ? way(at, before) : 0.0f; // in the last second
        before = at;
    }
    print_message("sent to two places: %.2f and %.2f m off, moves %.3f and %.3f m in the last second\n",
                  (double)off[0], (double)off[1], (double)moved[0], (double)moved[1]);
    assert_true(off[0] < 0.6f && off[1] < 0.6f && moved[0] < 0.05f && moved[1] < 0.05f);
    am_run_destroy(run);
    am_run_script_free(&script);
}

static void its_turns_are_motion(void **state)
{
    (void)state;
    if (!source) {
        print_message("skipped: no motion capture\n");
        skip();
    }
    static const char text[] =
        "{\"database\": \"x.amdb\", \"controller\": \"field\", \"fps\": 60, \"seconds\": 18, \"options\": {\"task\": "
        "\"speed\", \"walk_mps\": 1.2}, \"characters\": [{\"keys\": [{\"t\": 0, \"down\": [\"W\"]}, {\"t\": 3, "
        "\"down\": "
        "[\"A\"]}, {\"t\": 6, \"down\": [\"D\"]}, {\"t\": 9, \"down\": [\"S\"]}, {\"t\": 12, \"down\": []}, {\"t\": "
        "15, "
        "\"down\": [\"W\"]}]}]}";
    am_error err = { 0 };
    am_run_script script;
    am_run *run = NULL;
    check_ok(am_run_parse(&script, text, strlen(text), "run.json", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    const am_model *models[] = { model };
    def.script = &script;
    def.db = db;
    def.models = models;
    def.model_count = 1;
    check_ok(am_run_create(&run, &def, &err), &err);
    double turned = 0.0, own = 0.0;
    while (am_run_step(run)) {
        const am_run_sample sample = am_run_get_sample(run, 0);
        turned += (double)sample.view.output->turned;
        own += (double)sample.view.output->turned_by_motion;
    }
    print_message("turned %.1f rad, %.0f %% of them by motion\n", turned, 100.0 * own / turned);
    assert_true(turned > 6.0 && own > 0.8 * turned);
    am_run_destroy(run);
    am_run_script_free(&script);
}

TEST_SUITE(field_stand)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_let_go_stands_and_starts_again),
        cmocka_unit_test(who_stands_turns_to_a_facing_that_is_desired),
        cmocka_unit_test(goals_of_a_script_send_it_to_places),
        cmocka_unit_test(its_turns_are_motion),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
