// The stages of latent flow matching through am_train_run: pose_encoder, flow, distil.
#include "support/check.h"
#include "train/recipe_place.h"

#include "data/pose_vector.h"
#include "method/flow_file.h"
#include "net/build.h"
#include "train/flow.h"

#include <math.h>
#include <unistd.h>

#define PINNED_FIRST 1.298024
#define PINNED_LAST 1.295126
#define ENCODER                                                                                                      \
    "{ \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": 24, \"hidden\": 0, \"iterations\": 0 }"
#define FLOW                                                                                                         \
    "{ \"kind\": \"flow\", \"database\": \"db.amdb\", \"hidden\": 2, \"units\": 48, \"batch\": 64, \"optimiser\": "  \
    "\"adam\", \"rate\": 0.002, \"average\": 0.99"

static am_model *train(const place *p, const char *text, int threads, am_train_summary *s)
{
    am_error err = { 0 };
    am_model *model = NULL;
    check_ok(run_as(p, text, threads, false, NULL, s, &err), &err);
    check_ok(am_model_open(&model, p->output, NULL, &err), &err);
    return model;
}

static am_db *open_database(const place *p)
{
    char path[600];
    am_error err = { 0 };
    am_db *db = NULL;
    snprintf(path, sizeof path, "%s/db.amdb", p->dir);
    check_ok(am_db_open(&db, path, NULL, &err), &err);
    return db;
}

static am_net_graph *part(const am_model *model, const char *name)
{
    am_error err = { 0 };
    am_net_graph *g = NULL;
    const int i = am_model_find(model, name);
    assert_true(i >= 0);
    check_ok(am_model_graph(model, i, &g, NULL, &err), &err);
    return g;
}

/// Mean distance (m) by which reproduced joints are off over all frames.
static double reproduced(const am_model *model, const am_db *db)
{
    am_error err = { 0 };
    am_net_graph *encoder = part(model, "pose_encoder"), *decoder = part(model, "pose_decoder");
    const ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    double sum = 0.0;
    for (int f = 0; f < db->frame_count; f += 7) {
        float y[4096], z[256], back[4096];
        am_transform want[AM_MAX_JOINTS], got[AM_MAX_JOINTS];
        ami_pose pose = { .local = got };
        ami_pose_vector(db, f, y);
        check_ok(ami_graph_rows(encoder, z, y, 1, NULL, &err), &err);
        check_ok(ami_graph_rows(decoder, back, z, 1, NULL, &err), &err);
        ami_pose_read(&pose, &l, back, db->skeleton, db->moving);
        am_db_pose(db, f, want);
        am_fk(want, want, db->skeleton->parents, db->joint_count);
        am_fk(got, got, db->skeleton->parents, db->joint_count);
        for (int j = 0; j < db->joint_count; j++) {
            sum += (double)am_v3_length(am_v3_sub(want[j].translation, got[j].translation)) / db->joint_count;
        }
    }
    am_net_graph_destroy(encoder);
    am_net_graph_destroy(decoder);
    return sum * 7 / db->frame_count;
}

static void principal_axes_keep_poses(void **state)
{
    (void)state;
    place p = make_place("flow_axes");
    put_database(&p, 0);
    am_db *db = open_database(&p);
    double error[3];
    const int latents[3] = { 8, 24, 64 };
    for (int i = 0; i < 3; i++) {
        char text[300];
        am_train_summary s;
        snprintf(
            text, sizeof text,
            "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": %d, \"hidden\": 0, "
            "\"iterations\": 0 } ] }",
            latents[i]);
        am_model *model = train(&p, text, 1, &s);
        error[i] = reproduced(model, db);
        am_model_close(model);
    }
    assert_true(error[0] > error[1] && error[1] > error[2]);
    assert_true(error[2] < 0.002);
    am_db_close(db);
}

/// Operators 6.3.2: latents that are the numbers of the pose, each of deviation 1.
static void in_the_space_of_poses_nothing_is_lost(void **state)
{
    (void)state;
    place p = make_place("flow_space");
    put_database(&p, 0);
    am_db *db = open_database(&p);
    am_train_summary s;
    am_model *model = train(&p,
                            "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"space\": "
                            "\"pose\", \"hidden\": 0, \"iterations\": 0 } ] }",
                            1, &s);
    am_net_graph *encoder = part(model, "pose_encoder");
    const int width = ami_pose_layout_of(db->joint_count, db->moving_count).count;
    assert_int_equal(encoder->values[ami_net_graph_output_at(encoder, 0)].width, width);
    assert_true(reproduced(model, db) < 1e-5);
    double square = 0.0, cross = 0.0;
    for (int f = 0; f < db->frame_count; f++) { // the second number, the height of the hips, and the first beside it
        float y[4096], z[4096];
        am_error err = { 0 };
        ami_pose_vector(db, f, y);
        check_ok(ami_graph_rows(encoder, z, y, 1, NULL, &err), &err);
        square += (double)(z[1] * z[1]) / db->frame_count;
        y[0] += 1.0f;
        const float kept = z[1];
        check_ok(ami_graph_rows(encoder, z, y, 1, NULL, &err), &err);
        cross = fmax(cross, fabs((double)(z[1] - kept)));
    }
    assert_true(fabs(square - 1.0) < 0.1 && cross == 0.0);
    am_net_graph_destroy(encoder);
    am_model_close(model);
    am_db_close(db);
    static const char *const wrong[][2] = {
        { "\"latent\": 24, \"hidden\": 0, \"iterations\": 0", "has no \"latent\"" },
        { "\"axes\": true, \"hidden\": 0, \"iterations\": 0", "has no \"axes\"" },
        { "\"hidden\": 8, \"iterations\": 0", "needs \"hidden\": 0, \"iterations\": 0" },
        { "\"hidden\": 0, \"iterations\": 5", "needs \"hidden\": 0, \"iterations\": 0" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[300];
        am_error err = { 0 };
        snprintf(text, sizeof text,
                 "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"space\": \"pose\", %s } "
                 "] }",
                 wrong[i][0]);
        assert_int_equal(run_as(&p, text, 1, false, NULL, &s, &err), AM_ERR_RANGE);
        assert_non_null(strstr(err.text, wrong[i][1]));
    }
}

static void a_hidden_layer_learns_what_axes_leave(void **state)
{
    (void)state;
    place p = make_place("flow_hidden");
    put_database(&p, 0);
    am_db *db = open_database(&p);
    double error[2];
    for (int i = 0; i < 2; i++) {
        char text[400];
        am_train_summary s;
        snprintf(
            text, sizeof text,
            "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": 8, \"hidden\": 64, "
            "\"batch\": 128, \"iterations\": %d, \"optimiser\": \"adam\", \"rate\": 0.002, \"schedule\": { "
            "\"kind\": \"linear\" } } ] }",
            i * 400);
        am_model *model = train(&p, text, 1, &s);
        error[i] = reproduced(model, db);
        if (i == 1) {
            assert_true(s.last_loss < 0.7 * s.first_loss); // it begins as the axes
        }
        am_model_close(model);
    }
    assert_true(error[1] < error[0]);
    am_db_close(db);
}

/// Deviations of the latents of all frames.
static void deviations(const place *p, const char *standard, double out[8])
{
    char text[400];
    am_train_summary s;
    am_error err = { 0 };
    snprintf(text, sizeof text,
             "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": 8, \"hidden\": 0, "
             "\"iterations\": 0, \"standardise\": \"%s\", \"weighting\": \"paper\" } ] }",
             standard);
    am_model *model = train(p, text, 1, &s);
    am_db *db = open_database(p);
    am_net_graph *encoder = part(model, "pose_encoder");
    double sum[8] = { 0 }, square[8] = { 0 };
    for (int f = 0; f < db->frame_count; f++) {
        float y[4096], z[8];
        ami_pose_vector(db, f, y);
        check_ok(ami_graph_rows(encoder, z, y, 1, NULL, &err), &err);
        for (int i = 0; i < 8; i++) {
            sum[i] += (double)z[i] / db->frame_count;
            square[i] += (double)z[i] * (double)z[i] / db->frame_count;
        }
    }
    for (int i = 0; i < 8; i++) {
        out[i] = sqrt(square[i] - sum[i] * sum[i]);
    }
    am_net_graph_destroy(encoder);
    am_db_close(db);
    am_model_close(model);
}

static void latents_are_standardised_each_or_by_the_largest(void **state)
{
    (void)state;
    place p = make_place("flow_standard");
    put_database(&p, 0);
    double each[8], largest[8];
    deviations(&p, "each", each);
    deviations(&p, "largest", largest);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs(each[i] - 1.0) < 0.05);
        assert_true(largest[i] < 1.05);
    }
    assert_true(fabs(largest[0] - 1.0) < 0.05 && largest[7] < 0.8);
}

static void a_recipe_gives_a_character_of_latents(void **state)
{
    (void)state;
    place p = make_place("flow_whole");
    put_database(&p, 0);
    am_train_summary s;
    am_error err = { 0 };
    am_model *model =
        train(&p, "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 120, \"preview_every\": 50 } ] }", 1, &s);
    assert_true(s.last_loss < 0.5 * s.first_loss);
    assert_int_equal(model->part_count, 3);
    ami_flow_latents l;
    check_ok(ami_flow_latents_read(&l, model, &err), &err);
    assert_int_equal(l.head.latent_count, 24);
    assert_int_equal(l.head.frames, 1);
    assert_int_equal(l.head.steps, 4);
    assert_true(l.head.flags == 0);
    assert_true(l.head.start_count >= 1);
    for (int i = 0; i < 24; i++) {
        assert_true(l.deviation[i] > 0.9f && l.deviation[i] < 1.1f);
        assert_true(l.starts[i] > l.low[i] && l.starts[i] < l.high[i]);
    }
    size_t size = 0;
    assert_non_null(am_model_attached(model, AM_LEARNED_CHARACTER, &size));
    assert_non_null(am_model_attached(model, "facts", &size));
    assert_non_null(am_model_attached(model, AMI_FLOW_SCHEMA, &size));
    am_model_close(model);
}

/// Eleven steps by heart: from any noise, at any time, the next frame.
static void a_handful_of_frames_is_learnt_by_heart(void **state)
{
    (void)state;
    place p = make_place("flow_heart");
    put_database(&p, 12);
    am_train_summary s;
    am_model_close(train(&p,
                         "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"latent\": "
                         "6, \"hidden\": 0, \"iterations\": 0 }," FLOW
                         ", \"iterations\": 800, \"pose_noise\": 0.05, \"schedule\": { \"kind\": \"linear\" } } ] }",
                         1, &s));
    if (!(s.last_loss < 0.006 * s.first_loss)) {
        fail_msg("losses are %g and %g", s.first_loss, s.last_loss);
    }
}

static const char whole[] =
    "{ \"seed\": 2, \"stages\": [" ENCODER "," FLOW
    ", \"iterations\": 40, \"checkpoint_every\": 9, \"pose_noise_end\": 0.1 }, { \"kind\": "
    "\"distil\", \"database\": \"db.amdb\", \"batch\": 64, \"iterations\": 30, \"average\": 0.9 } ] }";

static void any_number_of_threads_gives_the_same_weights(void **state)
{
    (void)state;
    place p = make_place("flow_threads");
    put_database(&p, 0);
    // Blocks of 128 samples, however many threads take them.
    static const char text[] =
        "{ \"stages\": [" ENCODER ", { \"kind\": \"flow\", \"database\": \"db.amdb\", \"hidden\": 1, "
        "\"units\": 32, \"batch\": 512, \"average\": 0.9, \"iterations\": 12 } ] }";
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        am_train_summary s;
        am_model_close(train(&p, text, 1 + i, &s));
        hash[i] = s.hash;
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

static void stopped_anywhere_it_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    place p = make_place("flow_resume");
    put_database(&p, 0);
    am_train_summary s;
    am_model_close(train(&p, whole, 1, &s));
    const uint64_t want = s.hash;
    am_error err = { 0 };
    am_result result = AM_ERR_CANCELLED;
    int stops = 0;
    for (; result == AM_ERR_CANCELLED && stops < 20; stops++) {
        watcher w = { .stop_after = stops < 6 ? 1 + stops % 2 : 0 };
        result = run_as(&p, whole, 1, true, &w, &s, &err);
    }
    check_ok(result, &err);
    assert_true(stops >= 3);
    assert_true(s.hash == want);
}

/// What one step of the student and four of the teacher make of the same start, root mean square apart in deviations.
static double apart(const am_net_graph *student, const am_net_graph *teacher, int latent)
{
    double *values[2][64] = { { 0 } }, sum = 0.0;
    const am_net_graph *graphs[2] = { student, teacher };
    am_rng rng;
    am_rng_init(&rng, 3);
    for (int g = 0; g < 2; g++) {
        for (int v = 0; v < graphs[g]->value_count; v++) {
            values[g][v] = calloc((size_t)graphs[g]->values[v].width, sizeof(double));
        }
    }
    for (int trial = 0; trial < 20; trial++) {
        double start[64], previous[64], x[2][64];
        for (int i = 0; i < latent; i++) {
            start[i] = 0.7 * (double)am_rng_normal(&rng);
            previous[i] = 0.7 * (double)am_rng_normal(&rng);
        }
        for (int g = 0; g < 2; g++) {
            const ami_flow_values at = ami_flow_find(graphs[g]);
            const int steps = g == 0 ? 1 : 4;
            memcpy(x[g], start, sizeof start);
            for (int step = 0; step < steps; step++) {
                memcpy(values[g][at.x], x[g], (size_t)latent * sizeof(double));
                memcpy(values[g][at.previous], previous, (size_t)latent * sizeof(double));
                values[g][at.time][0] = step / 4.0;
                values[g][at.noise][0] = 0.1;
                ami_net_graph_eval(graphs[g], values[g], 1);
                for (int i = 0; i < latent; i++) {
                    x[g][i] += (values[g][at.out][i] - x[g][i]) / (steps - step);
                }
            }
        }
        for (int i = 0; i < latent; i++) {
            sum += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]) / (20 * latent);
        }
    }
    for (int g = 0; g < 2; g++) {
        for (int v = 0; v < graphs[g]->value_count; v++) {
            free(values[g][v]);
        }
    }
    return sqrt(sum);
}

static void a_student_makes_in_one_step_what_its_teacher_makes_in_four(void **state)
{
    (void)state;
    place p = make_place("flow_distil");
    put_database(&p, 0);
    am_train_summary s;
    am_error err = { 0 };
#define TEACHER "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 200 }"
    am_model *before = train(&p, TEACHER "] }", 1, &s);
    am_net_graph *teacher = part(before, "flow");
    am_model_close(before);
    am_model *model = train(
        &p,
        TEACHER
        ", { \"kind\": \"distil\", \"database\": \"db.amdb\", \"batch\": 64, \"iterations\": 300, \"optimiser\": "
        "\"adam\", \"rate\": 0.002, \"schedule\": { \"kind\": \"linear\" } } ] }",
        1, &s);
    am_net_graph *student = part(model, "flow");
    assert_int_equal(model->part_count, 3); // the student in its teacher's place
    assert_true(apart(student, teacher, 24) < 0.6 * apart(teacher, teacher, 24) + 0.15);
    ami_flow_latents l;
    check_ok(ami_flow_latents_read(&l, model, &err), &err);
    assert_int_equal(l.head.steps, 1);
    assert_true((l.head.flags & AMI_FLOW_DISTILLED) != 0);
    am_net_graph_destroy(student);
    am_net_graph_destroy(teacher);
    am_model_close(model);
}

/// The schema and the controls of a target half a second ahead.
static void put_controls(const place *p)
{
    static const char schema[] = "{ \"control\": { \"encode\": { \"and\": { \"target\": \"location\", \"speed\": "
                                 "\"velocity\" } }, \"width\": 8, \"activation\": \"elu\" } }";
    static const char controls[] = "{ \"training\": { \"set\": { \"target\": \"position(root, now + 0.5)\", "
                                   "\"speed\": \"velocity(root, now)\" } }, "
                                   "\"matching\": { \"parts\": { \"\": 1 } } }";
    char path[600];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/schema.json", p->dir);
    check_ok(am_file_write(path, schema, sizeof schema - 1, &err), &err);
    snprintf(path, sizeof path, "%s/controls.json", p->dir);
    check_ok(am_file_write(path, controls, sizeof controls - 1, &err), &err);
}
#define CONTROLS ", \"schema\": \"schema.json\", \"controls\": \"controls.json\""

static void a_flow_learns_with_the_encoder_of_its_controls(void **state)
{
    (void)state;
    place p = make_place("flow_controls");
    put_database(&p, 0);
    put_controls(&p);
    am_error err = { 0 };
    am_net_graph *encoders[2];
    for (int i = 0; i < 2; i++) {
        char text[900];
        am_train_summary s;
        snprintf(text, sizeof text,
                 "{ \"stages\": [" ENCODER "," FLOW CONTROLS ", \"uncontrolled\": 0.25, \"iterations\": %d } ] }",
                 i == 0 ? 1 : 60);
        am_model *model = train(&p, text, 1, &s);
        ami_flow_latents l;
        check_ok(ami_flow_latents_read(&l, model, &err), &err);
        assert_int_equal(l.head.vector_count, 6);
        assert_int_equal(l.head.control_count, 8);
        assert_true((l.head.flags & AMI_FLOW_GUIDED) != 0);
        assert_true(l.control_low[2] < l.control_high[2]); // where the target lies ahead
        size_t size = 0;
        assert_non_null(am_model_attached(model, AMI_FLOW_CONTROLS, &size));
        encoders[i] = part(model, "control_encoder");
        am_model_close(model);
    }
    // Both begin alike; what the flow wants of the encoder changes it.
    double moved = 0.0;
    for (size_t i = 0; i < encoders[0]->weight_count; i++) {
        moved += fabs((double)encoders[0]->weights[i] - (double)encoders[1]->weights[i]);
    }
    assert_true(moved > 0.1);
    am_net_graph_destroy(encoders[0]);
    am_net_graph_destroy(encoders[1]);
}

/// First loss of a recipe over one iteration.
static double first_loss(const place *p, const char *text)
{
    am_train_summary s;
    am_model_close(train(p, text, 1, &s));
    return s.first_loss;
}

static void a_flow_begins_as_another(void **state)
{
    (void)state;
    place p = make_place("flow_begins");
    put_database(&p, 0);
    put_controls(&p);
    am_train_summary s;
    am_error err = { 0 };
    static const char way[] = "{ \"control\": { \"and\": { \"way\": \"velocity\" } } }";
    static const char way_controls[] = "{ \"training\": { \"set\": { \"way\": \"velocity(root, now)\" } } }";
    char from[700], path[700];
    snprintf(path, sizeof path, "%s/way.json", p.dir);
    check_ok(am_file_write(path, way, sizeof way - 1, &err), &err);
    snprintf(path, sizeof path, "%s/way_controls.json", p.dir);
    check_ok(am_file_write(path, way_controls, sizeof way_controls - 1, &err), &err);
    am_model *model = train(
        &p, "{ \"stages\": [" ENCODER "," FLOW CONTROLS ", \"uncontrolled\": 0.5, \"iterations\": 300 } ] }", 1, &s);
    am_model_close(model);
    snprintf(from, sizeof from, "%s/from.amnet", p.dir);
    assert_int_equal(rename(p.output, from), 0);
#define BEGUN                                                                                                        \
    "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"from\": \"from.amnet\", "            \
    "\"latent\": "                                                                                                   \
    "24, \"hidden\": 0, \"iterations\": 0 }," FLOW ", \"from\": \"from.amnet\""
    // The same schema: nothing is lost.
    const double fresh = first_loss(&p, "{ \"stages\": [" ENCODER "," FLOW CONTROLS
                                        ", \"uncontrolled\": 0.5, \"iterations\": 1 } ] }");
    const double same = first_loss(&p, BEGUN CONTROLS ", \"uncontrolled\": 0.5, \"iterations\": 1 } ] }");
    // Without controls, and with other ones: what it makes uncontrolled.
    const double without = first_loss(&p, BEGUN ", \"iterations\": 1 } ] }");
    const double other = first_loss(
        &p, BEGUN ", \"schema\": \"way.json\", \"controls\": \"way_controls.json\", \"iterations\": 1 } ] }");
    // Another schema of the same width: its control works as the first one's did.
    static const char like[] = "{ \"control\": { \"encode\": { \"and\": { \"spot\": \"location\", \"speed\": "
                               "\"velocity\" } }, \"width\": 8, \"activation\": \"elu\" } }";
    static const char like_controls[] = "{ \"training\": { \"set\": { \"spot\": \"position(root, now + 0.5)\", "
                                        "\"speed\": \"velocity(root, now)\" } } }";
    snprintf(path, sizeof path, "%s/way.json", p.dir);
    check_ok(am_file_write(path, like, sizeof like - 1, &err), &err);
    snprintf(path, sizeof path, "%s/way_controls.json", p.dir);
    check_ok(am_file_write(path, like_controls, sizeof like_controls - 1, &err), &err);
    const double alike = first_loss(&p, BEGUN ", \"schema\": \"way.json\", \"controls\": \"way_controls.json\", "
                                              "\"uncontrolled\": 0.5, \"iterations\": 1 } ] }");
    assert_true(same < 1.1 * s.last_loss && alike < 1.1 * s.last_loss && without < 0.5 * fresh &&
                other < 0.5 * fresh);
    // Other layers are refused.
    am_train_summary none;
    assert_int_equal(
        run_as(&p,
               "{ \"stages\": [" ENCODER
               ", { \"kind\": \"flow\", \"database\": \"db.amdb\", \"from\": \"from.amnet\", \"hidden\": 2, "
               "\"units\": 40, \"batch\": 64, \"iterations\": 1 } ] }",
               1, false, NULL, &none, &err),
        AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "other layers"));
}

/// As many units as inputs: 24 + 24 latents, 3 numbers of a velocity, time and noise.
static void a_flow_begins_as_another_with_as_many_units_as_inputs(void **state)
{
    (void)state;
    place p = make_place("flow_square");
    put_database(&p, 0);
    am_train_summary s;
    am_error err = { 0 };
    static const char way[] = "{ \"control\": { \"and\": { \"way\": \"velocity\" } } }";
    static const char way_controls[] = "{ \"training\": { \"set\": { \"way\": \"velocity(root, now)\" } } }";
    char from[700], path[700];
    snprintf(path, sizeof path, "%s/way.json", p.dir);
    check_ok(am_file_write(path, way, sizeof way - 1, &err), &err);
    snprintf(path, sizeof path, "%s/way_controls.json", p.dir);
    check_ok(am_file_write(path, way_controls, sizeof way_controls - 1, &err), &err);
#define SQUARE                                                                                                       \
    ", { \"kind\": \"flow\", \"database\": \"db.amdb\", \"hidden\": 3, \"units\": 53, \"batch\": 64, "               \
    "\"optimiser\": \"adam\""
    am_model *model = train(&p, "{ \"stages\": [" ENCODER SQUARE ", \"rate\": 0.01, \"iterations\": 20 } ] }", 1, &s);
    am_net_graph *before = part(model, "flow");
    am_model_close(model);
    snprintf(from, sizeof from, "%s/from.amnet", p.dir);
    assert_int_equal(rename(p.output, from), 0);
    model = train(&p,
                  "{ \"stages\": [" ENCODER SQUARE
                  ", \"rate\": 0.000001, \"iterations\": 1, \"from\": \"from.amnet\", \"schema\": "
                  "\"way.json\", \"controls\": \"way_controls.json\" } ] }",
                  1, &s);
    am_net_graph *after = part(model, "flow");
    int same = 0;
    for (int t = 0; t < before->tensor_count; t++) {
        const am_net_tensor *a = &before->tensors[t], *b = &after->tensors[t];
        assert_int_equal(a->rows, b->rows);
        if (a->columns == b->columns) { // hidden: nothing of them belongs to the control
            for (size_t k = 0; k < (size_t)a->rows * (size_t)a->columns; k++) {
                assert_true(am_abs(before->weights[a->offset + k] - after->weights[b->offset + k]) < 1e-4f);
            }
            same++;
        } else {
            assert_int_equal(b->columns - a->columns, 3);
        }
    }
    assert_true(same > 4 && same < before->tensor_count);
    am_net_graph_destroy(before);
    am_net_graph_destroy(after);
    am_model_close(model);
}

static void a_student_keeps_its_teachers_encoder(void **state)
{
    (void)state;
    place p = make_place("flow_student");
    put_database(&p, 0);
    put_controls(&p);
    am_train_summary s;
    am_model *model = train(
        &p, "{ \"stages\": [" ENCODER "," FLOW CONTROLS ", \"uncontrolled\": 0.25, \"iterations\": 20 } ] }", 1, &s);
    am_net_graph *before = part(model, "control_encoder");
    am_model_close(model);
    model = train(&p,
                  "{ \"stages\": [" ENCODER "," FLOW CONTROLS
                  ", \"uncontrolled\": 0.25, \"iterations\": 20 }, { \"kind\": \"distil\", \"database\": "
                  "\"db.amdb\", \"batch\": 64, "
                  "\"guidance\": 1.5, \"iterations\": 10" CONTROLS " } ] }",
                  1, &s);
    am_net_graph *after = part(model, "control_encoder");
    assert_int_equal(model->part_count, 4);
    assert_memory_equal(before->weights, after->weights, before->weight_count * sizeof(float));
    assert_true((after->tensors[0].flags & AM_NET_FIXED) == (before->tensors[0].flags & AM_NET_FIXED));
    am_net_graph_destroy(before);
    am_net_graph_destroy(after);
    am_model_close(model);
}

static void another_control_is_said_in_terms_of_the_known_one(void **state)
{
    (void)state;
    place p = make_place("flow_map");
    put_database(&p, 0);
    put_controls(&p);
    static const char way[] =
        "{ \"control\": { \"encode\": { \"encode\": { \"and\": { \"half\": \"location\", \"quick\": "
        "\"velocity\" } }, \"width\": 32, \"activation\": \"elu\" }, \"width\": 8, "
        "\"activation\": \"none\" } }";
    static const char way_controls[] = "{ \"training\": { \"set\": { \"half\": \"position(root, now + 0.5)\", "
                                       "\"quick\": \"velocity(root, now)\" } } }";
    char path[700];
    am_error err = { 0 };
    am_train_summary s;
    snprintf(path, sizeof path, "%s/way.json", p.dir);
    check_ok(am_file_write(path, way, sizeof way - 1, &err), &err);
    snprintf(path, sizeof path, "%s/way_controls.json", p.dir);
    check_ok(am_file_write(path, way_controls, sizeof way_controls - 1, &err), &err);
#define KNOWING "{ \"stages\": [" ENCODER "," FLOW CONTROLS ", \"uncontrolled\": 0.25, \"iterations\": 20 }"
#define MAP                                                                                                          \
    ", { \"kind\": \"control_map\", \"database\": \"db.amdb\", \"batch\": 64, \"rate\": 0.003, \"schema\": "         \
    "\"way.json\", "                                                                                                 \
    "\"controls\": \"way_controls.json\""
    am_model *model = train(&p, KNOWING " ] }", 1, &s);
    am_net_graph *before = part(model, "flow");
    am_model_close(model);
    model = train(&p,
                  KNOWING MAP ", \"known_schema\": \"schema.json\", \"known_controls\": \"controls.json\", "
                              "\"uncontrolled\": 0.25, \"iterations\": 400 } ] }",
                  1, &s);
    am_net_graph *after = part(model, "flow");
    ami_flow_latents latents;
    check_ok(ami_flow_latents_read(&latents, model, &err), &err);
    assert_int_equal(model->part_count, 4); // the known encoder is no part
    assert_true(s.last_loss < 0.2 * s.first_loss);
    assert_memory_equal(before->weights, after->weights, before->weight_count * sizeof(float));
    assert_true((latents.head.flags & AMI_FLOW_GUIDED) != 0);
    size_t size = 0;
    const char *schema = am_model_attached(model, AMI_FLOW_SCHEMA, &size);
    assert_true(schema && size == sizeof way - 1 && memcmp(schema, way, size) == 0);
    am_net_graph_destroy(before);
    am_net_graph_destroy(after);
    am_model_close(model);
    // Without the known control, and with one of another shape.
    assert_int_equal(run_as(&p, KNOWING MAP ", \"iterations\": 1 } ] }", 1, false, NULL, &s, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "known_schema"));
    static const char narrow[] = "{ \"control\": { \"and\": { \"half\": \"location\", \"quick\": \"velocity\" } } }";
    check_ok(am_file_write(path, way_controls, sizeof way_controls - 1, &err), &err);
    snprintf(path, sizeof path, "%s/way.json", p.dir);
    check_ok(am_file_write(path, narrow, sizeof narrow - 1, &err), &err);
    assert_int_equal(run_as(&p,
                            KNOWING MAP ", \"known_schema\": \"schema.json\", \"known_controls\": \"controls.json\", "
                                        "\"iterations\": 1 } ] }",
                            1, false, NULL, &s, &err),
                     AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "encoded as 6"));
}

static void segments_are_learned_from_matched_controls(void **state)
{
    (void)state;
    place p = make_place("flow_segments");
    put_database(&p, 0);
    put_controls(&p);
    am_train_summary s;
    am_error err = { 0 };
    am_model *model = train(
        &p,
        "{ \"stages\": [" ENCODER ", { \"kind\": \"segments\", \"database\": \"db.amdb\", \"frames\": 4, "
        "\"hidden\": 2, \"units\": 64, \"samples\": 500, \"control_noise\": 0.1, \"batch\": 64, \"iterations\": 150, "
        "\"optimiser\": \"adam\", \"rate\": 0.002" CONTROLS " } ] }",
        1, &s);
    assert_true(s.last_loss < 0.75 * s.first_loss);
    ami_flow_latents l;
    check_ok(ami_flow_latents_read(&l, model, &err), &err);
    assert_int_equal(l.head.frames, 4);
    am_net_graph *g = part(model, "segments");
    assert_int_equal(g->values[ami_net_graph_output_at(g, 0)].width, 4 * 24);
    am_net_graph_destroy(g);
    am_model_close(model);
}

/// How far ahead a model may be asked to go, that learned it from one of `share` + 1 samples.
static float farthest(const place *p, int share)
{
    static const char schema[] = "{ \"control\": { \"or\": { \"none\": \"null\", \"go\": \"location\" } } }";
    char controls[300], path[600];
    am_error err = { 0 };
    am_train_summary s;
    ami_flow_latents l;
    snprintf(controls, sizeof controls,
             "{ \"training\": { \"choose\": { \"none\": { \"share\": %d }, \"go\": { \"value\": "
             "\"position(root, now + 0.5)\" } } } }",
             share);
    snprintf(path, sizeof path, "%s/schema.json", p->dir);
    check_ok(am_file_write(path, schema, sizeof schema - 1, &err), &err);
    snprintf(path, sizeof path, "%s/controls.json", p->dir);
    check_ok(am_file_write(path, controls, strlen(controls), &err), &err);
    am_model *model = train(p, "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1" CONTROLS " } ] }", 1, &s);
    check_ok(ami_flow_latents_read(&l, model, &err), &err);
    assert_true(l.control_low[3] <= 0.0f && l.control_high[1] >= 0.0f); // what is absent is 0
    const float high = l.control_high[l.head.vector_count - 1];
    am_model_close(model);
    return high;
}

static void what_is_seldom_asked_keeps_its_range(void **state)
{
    (void)state;
    place p = make_place("flow_range");
    put_database(&p, 0);
    const float often = farthest(&p, 1), seldom = farthest(&p, 30);
    assert_true(often > 0.3f);
    check_near(seldom, often, 0.15f * often);
}

/// Rows of one control that was asked again and again.
static am_result same_again(void *user, am_train_array *out, const char *path, const char *name, am_error *err)
{
    (void)err;
    (void)path;
    assert_string_equal(name, "asked");
    *out = (am_train_array){ user, 3, 6 };
    return AM_OK;
}

static void segments_learn_from_controls_of_play_too(void **state)
{
    (void)state;
    place p = make_place("flow_played");
    put_database(&p, 0);
    put_controls(&p);
    float rows[18];
    double losses[2];
    for (int i = 0; i < 18; i++) {
        rows[i] = i % 6 == 2 || i % 6 == 5 ? 1.0f : 0.0f; // straight ahead
    }
    for (int again = 0; again < 2; again++) {
        char text[700];
        am_train_summary s;
        am_train_def def;
        am_error err = { 0 };
        snprintf(text, sizeof text,
                 "{ \"stages\": [" ENCODER ", { \"kind\": \"segments\", \"database\": \"db.amdb\", \"frames\": 4, "
                 "\"hidden\": 2, \"units\": 64, \"samples\": 200, \"data\": \"play.npz\", \"resampled\": %d, "
                 "\"control_noise\": 0.01, \"batch\": 64, \"iterations\": 150, \"optimiser\": \"adam\", \"rate\": "
                 "0.002" CONTROLS " } ] }",
                 again ? 5000 : 0);
        check_ok(am_file_write(p.recipe, text, strlen(text), &err), &err);
        am_train_def_init(&def);
        def.recipe = p.recipe;
        def.output = p.output;
        def.threads = 1;
        def.load = same_again;
        def.load_user = rows;
        check_ok(am_train_run(&s, &def, &err), &err);
        assert_true(s.last_loss < s.first_loss);
        losses[again] = s.last_loss;
    }
    assert_true(losses[1] < 0.5 * losses[0]); // nearly all samples are the same segment
}

/// Keeps the last output under another name in its folder.
static void keep_as(const place *p, const char *name)
{
    char path[600];
    size_t size = 0;
    am_error err = { 0 };
    char *bytes = test_read_file(p->output, &size);
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    check_ok(am_file_write(path, bytes, size, &err), &err);
    free(bytes);
}

static void a_new_control_moves_the_start_of_a_flow_that_stays(void **state)
{
    (void)state;
    place p = make_place("flow_prior");
    put_database(&p, 0);
    put_controls(&p);
    am_train_summary s;
    am_error err = { 0 };
#define PRIOR TEACHER ", { \"kind\": \"distil\", \"database\": \"db.amdb\", \"batch\": 64, \"iterations\": 60 }"
    am_model *model = train(&p, PRIOR "] }", 1, &s);
    am_net_graph *before = part(model, "flow");
    am_model_close(model);
    keep_as(&p, "prior.amnet");
#define QUICK                                                                                                        \
    ", { \"kind\": \"control_prior\", \"database\": \"db.amdb\", \"batch\": 64, \"units\": 32, \"iterations\": "     \
    "150, \"optimiser\": \"adam\", \"rate\": 0.003" CONTROLS
    static const char *const recipes[2] = { PRIOR QUICK " } ] }", // its own flow, or a model's
                                            "{ \"seed\": 3, \"stages\": [" ENCODER QUICK
                                            ", \"prior\": \"prior.amnet\" } ] }" };
    double losses[2];
    for (int r = 0; r < 2; r++) { // their stages have the same seed
        model = train(&p, recipes[r], 1, &s);
        losses[r] = s.last_loss;
        assert_true(s.last_loss < 0.9 * s.first_loss);
        assert_int_equal(model->part_count, 4);
        ami_flow_latents l;
        check_ok(ami_flow_latents_read(&l, model, &err), &err);
        assert_int_equal(l.head.control_count, 8);
        assert_true((l.head.flags & AMI_FLOW_DISTILLED) != 0);
        am_net_graph *after = part(model, "flow");
        assert_true(ami_flow_find(after).control >= 0);
        // The earlier flow's last matrix is the new one's.
        const am_net_tensor *was = NULL, *is = NULL;
        for (int t = 0; t < before->tensor_count; t++) {
            was = (before->tensors[t].flags & AM_NET_MATRIX) != 0 ? &before->tensors[t] : was;
        }
        for (int t = 0; t < after->tensor_count; t++) {
            is = (after->tensors[t].flags & AM_NET_MATRIX) != 0 ? &after->tensors[t] : is;
        }
        assert_int_equal(ami_net_tensor_count(was), ami_net_tensor_count(is));
        assert_memory_equal(before->weights + was->offset, after->weights + is->offset,
                            ami_net_tensor_count(was) * sizeof(float));
        assert_true((is->flags & AM_NET_FIXED) == 0);
        am_net_graph_destroy(after);
        am_model_close(model);
    }
    assert_true(losses[0] == losses[1]);
    am_net_graph_destroy(before);
}

/// A clip that comes to rest again and again, as db.amdb.
static void put_stops(const place *p)
{
    char path[600];
    am_error err = { 0 };
    am_db *db = NULL;
    for (int i = 0; !db && i < 64; i++) {
        const am_synth_def def = am_synth_all_item(i, 1);
        if (def.kind == AM_SYNTH_START_STOP) {
            db = synth_db_make_some(NULL, &i, 1, &err);
            assert_non_null(db);
        }
    }
    assert_non_null(db);
    snprintf(path, sizeof path, "%s/db.amdb", p->dir);
    check_ok(am_db_write(db, path, &err), &err);
    am_db_close(db);
}

static void stands_are_shortened(void **state)
{
    (void)state;
    place p = make_place("flow_stands");
    put_stops(&p);
    am_train_summary s;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        char text[700];
        snprintf(text, sizeof text, "{ \"stages\": [" ENCODER "," FLOW "%s, \"iterations\": 9 } ] }",
                 i ? ", \"stand_s\": 0" : "");
        am_model_close(train(&p, text, 1, &s));
        hash[i] = s.hash;
    }
    assert_true(hash[0] != hash[1]); // other frames were drawn
}

static void the_first_losses_of_a_seed_stay(void **state)
{
    (void)state;
    place p = make_place("flow_pinned");
    put_database(&p, 0);
    am_train_summary s;
    am_model_close(train(&p, "{ \"seed\": 4, \"stages\": [" ENCODER "," FLOW ", \"iterations\": 3 } ] }", 1, &s));
    // Of the first and the third iteration; other instruction sets round otherwise.
    if (fabs(s.first_loss - PINNED_FIRST) > 1e-3 || fabs(s.last_loss - PINNED_LAST) > 1e-3) {
        fail_msg("first losses are %.6f and %.6f", s.first_loss, s.last_loss);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        am_result code;
        const char *says;
    } cases[] = {
        { "{ \"stages\": [" FLOW ", \"iterations\": 1 } ] }", AM_ERR_KEY, "pose_encoder" },
        { "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"iterations\": 0 } ] }", AM_ERR_KEY, "database" },
        { "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"iterations\": 0, \"latent\": "
          "300 } ] }",
          AM_ERR_RANGE, "latent" },
        { "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"iterations\": 0, \"events\": "
          "[\"jmp\"] } ] }",
          AM_ERR_KEY, "jmp" },
        { "{ \"stages\": [ { \"kind\": \"pose_encoder\", \"database\": \"db.amdb\", \"iterations\": 0, \"latent\": "
          "4, \"events\": [\"jump\"] }," FLOW ", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "events" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1, \"skip\": \"conkat\" } ] }", AM_ERR_RANGE,
          "concat" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1, \"play\": { \"nose\": 1 } } ] }", AM_ERR_KEY,
          "noise" },
        { "{ \"stages\": [" ENCODER ", { \"kind\": \"distil\", \"database\": \"db.amdb\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "flow" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1 }, { \"kind\": \"distil\", \"database\": "
          "\"db.amdb\", \"iterations\": 1, \"start\": [1, 0.5] } ] }",
          AM_ERR_RANGE, "smaller" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1, \"controls\": \"x.json\" } ] }", AM_ERR_KEY,
          "schema" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 1, \"schema\": \"x.json\" } ] }", AM_ERR_OPEN, "" },
        { "{ \"stages\": [" ENCODER ", { \"kind\": \"segments\", \"database\": \"db.amdb\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "schema" },
        { "{ \"stages\": [" ENCODER "," FLOW
          ", \"iterations\": 1 }, { \"kind\": \"control_prior\", \"database\": \"db.amdb\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "schema" },
        { "{ \"stages\": [" ENCODER
          ", { \"kind\": \"control_prior\", \"database\": \"db.amdb\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "without controls" },
        { "{ \"stages\": [" ENCODER "," FLOW ", \"iterations\": 0 } ] }", AM_ERR_RANGE, "iterations" },
    };
    place p = make_place("flow_mistakes");
    put_database(&p, 40);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_train_summary s;
        am_error err = { 0 };
        const am_result result = run_as(&p, cases[i].text, 1, false, NULL, &s, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says)) {
            fail_msg("case %zu: %s: %s", i, am_result_name(result), err.text);
        }
    }
}

TEST_SUITE(flow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(principal_axes_keep_poses),
        cmocka_unit_test(in_the_space_of_poses_nothing_is_lost),
        cmocka_unit_test(a_hidden_layer_learns_what_axes_leave),
        cmocka_unit_test(latents_are_standardised_each_or_by_the_largest),
        cmocka_unit_test(a_recipe_gives_a_character_of_latents),
        cmocka_unit_test(a_handful_of_frames_is_learnt_by_heart),
        cmocka_unit_test(any_number_of_threads_gives_the_same_weights),
        cmocka_unit_test(stopped_anywhere_it_goes_on_to_the_same_bits),
        cmocka_unit_test(a_student_makes_in_one_step_what_its_teacher_makes_in_four),
        cmocka_unit_test(a_flow_learns_with_the_encoder_of_its_controls),
        cmocka_unit_test(a_flow_begins_as_another),
        cmocka_unit_test(a_flow_begins_as_another_with_as_many_units_as_inputs),
        cmocka_unit_test(a_student_keeps_its_teachers_encoder),
        cmocka_unit_test(another_control_is_said_in_terms_of_the_known_one),
        cmocka_unit_test(segments_are_learned_from_matched_controls),
        cmocka_unit_test(segments_learn_from_controls_of_play_too),
        cmocka_unit_test(what_is_seldom_asked_keeps_its_range),
        cmocka_unit_test(a_new_control_moves_the_start_of_a_flow_that_stays),
        cmocka_unit_test(stands_are_shortened),
        cmocka_unit_test(the_first_losses_of_a_seed_stay),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
