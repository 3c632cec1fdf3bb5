// Raw roll-outs and reproductions of latent flows, as amble eval operators measures them.
#include "support/check.h"
#include "train/recipe_place.h"
#include "rollouts.h"

#include <amble/tools/network.h>

#include <math.h>

typedef struct trained {
    am_db *db;
    am_model *model;
} trained;

static trained make(void)
{
    static const char text[] =
        "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": 48, \"hidden\": 0, "
        "\"iterations\": 0 }, { \"kind\": \"flow\", \"database\": \"db.amdb\", \"hidden\": 1, \"units\": 64, "
        "\"batch\": 64, "
        "\"iterations\": 150, \"optimiser\": \"adam\", \"rate\": 0.002 } ] }";
    place p = make_place("rollouts");
    char path[600];
    am_train_summary s;
    am_error err = { 0 };
    trained t = { 0 };
    put_database(&p, 0);
    check_ok(run_as(&p, text, 1, false, NULL, &s, &err), &err);
    snprintf(path, sizeof path, "%s/db.amdb", p.dir);
    check_ok(am_db_open(&t.db, path, NULL, &err), &err);
    check_ok(am_model_open(&t.model, p.output, NULL, &err), &err);
    return t;
}

static rollouts_def def_of(const trained *t)
{
    return (rollouts_def){ .db = t->db,
                           .model = t->model,
                           .starts = 3,
                           .runs = 3,
                           .seconds = 2.0f,
                           .steps = -1,
                           .noise = -1.0f,
                           .memory = -1.0f,
                           .pose_noise = -1.0f,
                           .seed = 1,
                           .novelty_every_s = 0.5f };
}

static void reproductions_are_measured_against_their_clips(void **state)
{
    (void)state;
    trained t = make();
    const rollouts_def def = def_of(&t);
    rollouts_result r;
    am_error err = { 0 };
    check_ok(rollouts_reproduce(&r, &def, 1, &err), &err);
    assert_true(r.joint_cm > 0.0 && r.joint_cm < 0.5);
    assert_true(r.worst_joint_cm >= r.joint_cm);
    assert_true(r.out.slide < 1.5 * r.captured.slide + 0.02);
    assert_true(r.out.jitter < 1.3 * r.captured.jitter);
    am_model_close(t.model);
    am_db_close(t.db);
}

static void noise_shakes_roll_outs_and_leads_them_apart(void **state)
{
    (void)state;
    trained t = make();
    rollouts_def def = def_of(&t);
    rollouts_result quiet, loud, again;
    am_error err = { 0 };
    def.noise = 0.0f;
    check_ok(rollouts_run(&quiet, &def, &err), &err);
    def.noise = 2.0f;
    def.memory = 0.0f;
    check_ok(rollouts_run(&loud, &def, &err), &err);
    check_ok(rollouts_run(&again, &def, &err), &err);
    assert_true(quiet.apart_m < 1e-3); // without noise every run of a start is the same
    assert_true(loud.apart_m > 10.0 * quiet.apart_m + 1e-3);
    assert_true(loud.out.jitter > 1.5 * quiet.out.jitter);
    assert_true(loud.novelty_p95 >= loud.novelty_median && loud.novelty_median > 0.0);
    assert_memory_equal(&loud, &again, sizeof loud);
    am_model_close(t.model);
    am_db_close(t.db);
}

/// Roots begin at the origin, and end as far apart as is measured; characters that stand are counted.
static void tracks_are_where_the_roots_go(void **state)
{
    (void)state;
    trained t = make();
    rollouts_def def = def_of(&t);
    rollouts_result r;
    am_error err = { 0 };
    const int frames = rollouts_frames(&def), all = def.starts * def.runs;
    assert_int_equal(frames, 120);
    def.tracks = calloc((size_t)all * (size_t)frames, sizeof *def.tracks);
    check_ok(rollouts_run(&r, &def, &err), &err);
    double apart = 0.0;
    for (int i = 0; i < all; i++) {
        assert_true(am_v3_length(def.tracks[i * frames]) == 0.0f);
        for (int k = i / def.runs * def.runs; k < i; k++) {
            const am_vec3 a = def.tracks[i * frames + frames - 1], b = def.tracks[k * frames + frames - 1];
            apart += (double)am_v3_length(am_v3_ground(am_v3_sub(a, b))) / all; // three pairs of three runs
        }
    }
    check_near(r.apart_m, apart, 1e-5);
    assert_true(r.died >= 0.0 && r.died <= 1.0 && r.died <= r.out.stand_share * 4.0 + 1e-9);
    free(def.tracks);
    am_model_close(t.model);
    am_db_close(t.db);
}

TEST_SUITE(rollouts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reproductions_are_measured_against_their_clips),
        cmocka_unit_test(noise_shakes_roll_outs_and_leads_them_apart),
        cmocka_unit_test(tracks_are_where_the_roots_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
