// Flow and segment controllers from the inside: algorithm 2 against a plain evaluation, ticks and the poses between
// them, controls within their ranges, batches, and models that are refused.
#include "method/flow.h"
#include "support/flow_model.h"
#include "support/player.h"
#include "support/refuse.h"
#include "base/budget.h"
#include "base/rng.h"

#include <math.h>

enum { most_state = 4096 };

/// One character by such a source.
typedef struct mover {
    am_source *source;
    am_model *model;
    am_search_work *room;
    uint64_t state[most_state / sizeof(uint64_t) * 4];
    am_transform local[most_joints], left[most_joints], landed[most_joints];
    am_velocity left_velocity[most_joints], landed_velocity[most_joints];
    am_source_output out;
    am_settings settings;
    am_rng rng;
    am_transform root;
    am_control *control;
    bool search_now;
} mover;

static void begin(mover *m, uint64_t seed)
{
    m->out.local = m->local;
    m->out.left = (am_source_pose){ .local = m->left, .velocity = m->left_velocity };
    m->out.landed = (am_source_pose){ .local = m->landed, .velocity = m->landed_velocity };
    m->rng = ami_rng_make(seed);
    m->root = am_transform_identity();
    assert_true(m->source->interface->state_size(m->source) <= sizeof m->state);
    m->source->interface->reset(m->source, m->state, -1, &m->settings);
}

static void make(mover *m, const flow_model_def *def)
{
    am_error err = { 0 };
    memset(m, 0, sizeof *m);
    m->model = flow_model_make(db, def, &err);
    check_ok(m->model ? AM_OK : err.code, &err);
    ami_latent_def latent = ami_latent_def_default();
    latent.model = m->model;
    check_ok((def->segments ? ami_segments_create : ami_flow_create)(&m->source, &latent, &err), &err);
    check_ok(am_source_work_create(&m->room, m->source, 8, NULL, &err), &err);
    am_settings_init(&m->settings, def->segments ? AM_METHOD_SEGMENTS : AM_METHOD_FLOW);
    const am_control_schema *schema = ami_latent_schema(m->source);
    if (schema) {
        check_ok(am_control_create(&m->control, schema, NULL, &err), &err);
    }
    begin(m, 5);
}

static void done(mover *m)
{
    am_control_destroy(m->control);
    am_source_work_destroy(m->room);
    ami_source_destroy(m->source);
    am_model_close(m->model);
}

static am_source_input input_of(mover *m, float dt)
{
    am_source_input input = { .dt = dt,
                              .root = m->root,
                              .control = m->control,
                              .settings = &m->settings,
                              .search_now = m->search_now,
                              .rng = &m->rng };
    return input;
}

static void moved(mover *m, float dt)
{
    am_transform way = { am_quat_from_scaled_axis(am_v3_scale(m->out.root_angular, dt)),
                         am_v3_scale(m->out.root_linear, dt) };
    m->root = am_transform_mul(m->root, way);
}

static void step(mover *m, float dt)
{
    am_source_input input = input_of(m, dt);
    m->source->interface->step(m->source, m->state, &m->out, &input, m->room);
    moved(m, dt);
}

static void ask(mover *m, float x, float z)
{
    am_error err = { 0 };
    const float at[3] = { x, 0.0f, z };
    check_ok(am_control_set(m->control, "target", at, 3, &err), &err);
}

static const float *latents(const mover *m)
{
    const ami_latent *l = ami_latent_of(m->source);
    return (const float *)(const void *)((const ami_latent_head *)(const void *)m->state + 1) + l->at_last;
}

// ---------------------------------------------------------------------------------------------
// Algorithm 2

/// out(width): one value of a graph in double, from named inputs.
static void evaluate(const am_model *model, const char *part, const char *const *names, const double *const *inputs,
                     int count, double *out)
{
    am_net_graph *graph = NULL;
    am_error err = { 0 };
    check_ok(am_model_graph(model, am_model_find(model, part), &graph, NULL, &err), &err);
    double *values[64];
    assert_true(graph->value_count <= 64);
    for (int v = 0; v < graph->value_count; v++) {
        values[v] = calloc((size_t)graph->values[v].width, sizeof(double));
    }
    for (int i = 0; i < count; i++) {
        int v = ami_net_graph_find(graph, names[i]);
        assert_true(v >= 0);
        memcpy(values[v], inputs[i], (size_t)graph->values[v].width * sizeof(double));
    }
    ami_net_graph_eval(graph, values, 1);
    int last = ami_net_graph_output_at(graph, 0);
    memcpy(out, values[last], (size_t)graph->values[last].width * sizeof(double));
    for (int v = 0; v < graph->value_count; v++) {
        free(values[v]);
    }
    am_net_graph_destroy(graph);
}

/// Algorithm 2 as it reads, with the model's numbers and S steps: z(latents) of the first tick.
static void plain(const mover *m, int steps, double guidance, double *z)
{
    const ami_latent *l = ami_latent_of(m->source);
    const am_control_schema *schema = l->schema;
    float vector[64];
    double v[64], c[64], zero[64] = { 0 }, previous[flow_model_latents], noise = (double)l->data.head.pose_noise;
    am_transform root = am_transform_identity();
    ami_control_flatten(schema, vector, m->control->numbers, &root);
    for (int i = 0; i < schema->vector_count; i++) {
        v[i] = (double)vector[i];
    }
    static const char *const read[] = { "vector" };
    const double *const from[] = { v };
    evaluate(m->model, "control_encoder", read, from, 1, c);
    am_rng rng = ami_rng_make(5);
    for (int d = 0; d < l->z; d++) {
        previous[d] = (double)l->data.starts[l->standing * l->z + d];
        z[d] = (double)(l->data.head.noise * l->data.deviation[d] * am_rng_normal(&rng));
    }
    for (int s = 0; s < steps; s++) {
        double t = (double)s / steps;
        double with[flow_model_latents], without[flow_model_latents];
        static const char *const names[] = { "x", "previous", "control", "time", "noise" };
        const double *const inputs[] = { z, previous, c, &t, &noise };
        const double *const blind[] = { z, previous, zero, &t, &noise };
        int count = l->nets[ami_latent_main].in[4] >= 0 ? 5 : 4;
        evaluate(m->model, "flow", names, inputs, count, with);
        evaluate(m->model, "flow", names, blind, count, without);
        for (int d = 0; d < l->z; d++) {
            double said = without[d] + guidance * (with[d] - without[d]);
            bool velocity = (l->data.head.flags & AMI_FLOW_VELOCITY) != 0;
            z[d] += (velocity ? said : (said - z[d]) / (1.0 - t)) / steps;
        }
    }
}

static void a_tick_is_algorithm_2(void **state)
{
    (void)state;
    const flow_model_def defs[] = {
        { 0 }, { .velocity = true }, { .guided = true }, { .told = true, .velocity = true }
    };
    for (int d = 0; d < 4; d++) {
        for (int steps = 1; steps <= 5; steps += 2) {
            mover m;
            make(&m, &defs[d]);
            m.settings.steps = steps;
            ask(&m, 0.4f, 1.2f);
            step(&m, DT);
            double z[flow_model_latents];
            plain(&m, steps, defs[d].guided ? (double)1.6f : 1.0, z);
            assert_int_equal(m.out.steps, steps);
            for (int i = 0; i < flow_model_latents; i++) {
                check_near(latents(&m)[i], z[i], 2e-5);
            }
            done(&m);
        }
    }
}

static void start_noise_remembers(void **state)
{
    (void)state;
    // The noise of a tick keeps 0.9 of the one before and stays of deviation 1.
    mover m;
    flow_model_def def = { 0 };
    make(&m, &def);
    const ami_latent *l = ami_latent_of(m.source);
    double square = 0.0, product = 0.0;
    int count = 0;
    float before[flow_model_latents];
    for (int t = 0; t < 4000; t++) {
        const float *noise = ami_latent_at(l, m.state, l->at_noise);
        memcpy(before, noise, sizeof before);
        step(&m, DT);
        for (int i = 0; i < flow_model_latents && t > 0; i++, count++) {
            square += (double)(noise[i] * noise[i]);
            product += (double)(noise[i] * before[i]);
        }
    }
    check_near(square / count, 1.0, 0.1);
    check_near(product / square, 0.9, 0.02);
    done(&m);
}

// ---------------------------------------------------------------------------------------------
// Ticks

static void a_tick_comes_sixty_times_a_second_whatever_the_steps(void **state)
{
    (void)state;
    mover slow, fast;
    for (int kind = 0; kind < 2; kind++) {
        flow_model_def def = { .segments = kind == 1 };
        for (int parts = 2; parts <= 5; parts++) {
            make(&slow, &def);
            make(&fast, &def);
            ask(&slow, 1.0f, 2.0f);
            ask(&fast, 1.0f, 2.0f);
            for (int t = 0; t < 30; t++) {
                step(&slow, DT);
                for (int p = 0; p < parts; p++) {
                    step(&fast, DT / (float)parts);
                }
                check_near(am_v3_distance(slow.root.translation, fast.root.translation), 0.0, 2e-4);
                for (int i = 0; i < flow_model_latents; i++) {
                    check_near(latents(&slow)[i], latents(&fast)[i], 2e-3);
                }
                for (int j = 0; j < db->joint_count; j++) {
                    check_near(am_quat_angle(slow.local[j].rotation, fast.local[j].rotation), 0.0, 5e-3);
                }
            }
            done(&slow);
            done(&fast);
        }
        // A step of three ticks draws what three steps draw.
        make(&slow, &def);
        make(&fast, &def);
        step(&slow, 3.0f * DT);
        for (int t = 0; t < 3; t++) {
            step(&fast, DT);
        }
        assert_memory_equal(&slow.rng, &fast.rng, sizeof slow.rng);
        done(&slow);
        done(&fast);
    }
}

static void poses_between_ticks_lie_between_them(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { 0 };
    make(&m, &def);
    step(&m, DT);
    am_transform first[most_joints], middle[most_joints];
    memcpy(first, m.local, sizeof first);
    step(&m, 0.5f * DT);
    memcpy(middle, m.local, sizeof middle);
    step(&m, 0.5f * DT);
    for (int j = 0; j < db->joint_count; j++) {
        am_quat last = am_quat_nearest(m.local[j].rotation, first[j].rotation);
        am_quat mean = am_quat_nlerp(first[j].rotation, last, 0.5f);
        check_near(am_quat_angle(mean, middle[j].rotation), 0.0, 1e-3);
    }
    done(&m);
}

/// Rotations of the last tick by their own pose vector: no blend with where the angular velocities lead.
static void raw_poses_are_what_the_decoder_says(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { 0 };
    make(&m, &def);
    const ami_latent *l = ami_latent_of(m.source);
    float off[2] = { 0 };
    for (int raw = 0; raw < 2; raw++) {
        begin(&m, 5);
        m.settings.steady = raw ? 0.0f : 0.75f;
        for (int t = 0; t < 20; t++) {
            step(&m, DT);
            const float *y = ami_latent_at(l, m.state, l->at_y[1]);
            for (int j = 0; j < l->joints; j++) {
                am_quat said = am_quat_from_two_axis(y + l->layout.rotations + 6 * j);
                off[raw] = am_max(off[raw], am_quat_angle(said, m.local[j].rotation));
            }
        }
    }
    assert_true(off[0] > 1e-3f && off[1] < 1e-3f);
    done(&m);
}

static void a_segment_is_played_latent_by_latent(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { .segments = true };
    make(&m, &def);
    const ami_latent *l = ami_latent_of(m.source);
    int seams = 0;
    for (int t = 0; t < 40; t++) {
        ask(&m, (float)t * 0.05f, 1.0f);
        step(&m, DT);
        bool seam = t % flow_model_frames == 0;
        assert_int_equal(m.out.transition, seam);
        assert_int_equal(m.out.searched, seam);
        seams += seam;
        const float *segment = ami_latent_at(l, m.state, l->at_segment);
        for (int i = 0; i < flow_model_latents; i++) {
            check_near(latents(&m)[i], segment[t % flow_model_frames * flow_model_latents + i], 1e-6);
        }
    }
    assert_int_equal(seams, 5);
    // A sharp change of the target does not wait.
    step(&m, DT);
    step(&m, DT);
    m.search_now = true;
    step(&m, DT);
    assert_true(m.out.transition && m.out.searched);
    done(&m);
}

// ---------------------------------------------------------------------------------------------
// Controls

static void far_places_are_pulled_in_along_their_direction(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { 0 };
    make(&m, &def);
    const ami_latent *l = ami_latent_of(m.source);
    float v[64] = { 30.0f, 0.5f, 40.0f, -7.0f, 0.25f }; // target, then others
    ami_latent_limit(l, v);
    check_near(v[0], 2.0f, 1e-6);
    check_near(v[1], 0.5f, 1e-6);
    check_near(v[2], 2.0f * 40.0f / 30.0f, 1e-5);
    check_near(v[3], -2.0f, 0.0);
    check_near(v[4], 0.25f, 0.0);
    float near[64] = { 1.0f, 0.0f, 3.0f };
    ami_latent_limit(l, near);
    check_near(near[0], 1.0f, 0.0);
    check_near(near[2], 3.0f, 0.0);
    // So a target at a kilometre is one at the edge, and huge numbers stay numbers.
    for (int far = 0; far < 3; far++) {
        begin(&m, 5);
        ask(&m, far == 0 ? 0.3f : far == 1 ? 75.0f : 3e6f, far == 0 ? 4.0f : far == 1 ? 1000.0f : 4e7f);
        for (int t = 0; t < 60; t++) {
            step(&m, DT);
            assert_false(m.out.fell_back);
        }
        for (int i = 0; i < flow_model_latents; i++) {
            assert_true(latents(&m)[i] >= -3.0f && latents(&m)[i] <= 3.0f);
        }
    }
    done(&m);
}

static void a_value_of_another_schema_is_not_taken(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { 0 };
    make(&m, &def);
    am_control_schema *schema = NULL;
    am_control *other = NULL, *own = m.control;
    am_error err = { 0 };
    static const char text[] = "{\"name\": \"other\", \"control\": {\"and\": {\"velocity\": \"velocity\"}}}";
    check_ok(am_control_schema_read(&schema, text, sizeof text - 1, "other", NULL, &err), &err);
    check_ok(am_control_create(&other, schema, NULL, &err), &err);
    m.control = other;
    step(&m, DT);
    assert_true(m.out.fell_back);
    m.control = own;
    step(&m, DT);
    assert_false(m.out.fell_back);
    am_control_destroy(other);
    am_control_schema_destroy(schema);
    done(&m);
}

static void a_value_that_is_reached_rests(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = { 0 };
    am_error err = { 0 };
    make(&m, &def);
    const ami_near near = { 0.06f, 8.0f * AM_DEG }, far = { 0.12f, 15.0f * AM_DEG };
    am_transform there = { am_quat_from_heading(0.5f), { 2.0f, 0.0f, 3.0f } };
    ask(&m, 2.05f, 3.0f);
    assert_true(ami_latent_rests(m.source, m.control, there, near));
    ask(&m, 2.1f, 3.0f);
    assert_false(ami_latent_rests(m.source, m.control, there, near)); // a body that moves goes on
    assert_true(ami_latent_rests(m.source, m.control, there, far));
    ask(&m, 2.05f, 3.0f);
    assert_false(ami_latent_rests(m.source, m.control, am_transform_identity(), near));
    float facing[3] = { am_sin(0.5f), 0.0f, am_cos(0.5f) };
    check_ok(am_control_set(m.control, "facing", facing, 3, &err), &err);
    assert_true(ami_latent_rests(m.source, m.control, there, near));
    facing[2] = -facing[2];
    check_ok(am_control_set(m.control, "facing", facing, 3, &err), &err);
    assert_false(ami_latent_rests(m.source, m.control, there, near));
    check_ok(am_control_drop(m.control, "facing", &err), &err);
    assert_true(ami_latent_rests(m.source, m.control, there, near));
    done(&m);
}

/// The body itself says what a part called `pose` is about.
static void pose_features_come_from_the_body(void **state)
{
    (void)state;
    mover m;
    flow_model_def def = {
        .segments = true,
        .schema =
            "{\"name\": \"p\", \"control\": {\"and\": {\"target\": \"location\", \"pose\": {\"and\": "
            "{\"left_foot\": {\"and\": {\"position\": {\"location\": {\"space\": \"local\"}}, \"velocity\": "
            "{\"velocity\": {\"space\": \"local\"}}}}, \"right_hand\": \"location\", \"velocity\": \"velocity\"}}}}}"
    };
    make(&m, &def);
    const ami_latent *l = ami_latent_of(m.source);
    assert_int_equal(l->feature_count, 4);
    m.root = (am_transform){ am_quat_from_heading(1.0f), { 1.0f, 0.0f, -2.0f } };
    m.settings.steady = 0.0f;
    step(&m, DT);
    // As of the next tick: where the joints are, by the pose vector that is there now.
    const float *y = ami_latent_at(l, m.state, l->at_y[1]);
    am_transform world[most_joints], local[most_joints];
    ami_pose pose = { .local = local };
    ami_pose_read(&pose, &l->layout, y, l->character->skeleton, l->character->moving);
    am_fk(world, local, l->character->skeleton->parents, l->joints);
    am_transform root = m.root;
    // As the next seam will ask.
    {
        ami_latent_batch b = { .latent = l, .nets = ami_search_work_nets(m.room), .value = ami_latent_value(m.room) };
        am_source_input input = input_of(&m, DT);
        const am_source_input *inputs[1] = { &input };
        am_source_output *outs[1] = { &m.out };
        void *states[1] = { m.state };
        b.states = states;
        b.outs = outs;
        b.inputs = inputs;
        b.count = b.listed = 1;
        b.moved[0] = am_transform_identity();
        ami_latent_ask(&b);
        const float *v = b.value;
        int foot = l->character->roles.joint[AM_ROLE_LEFT_FOOT], hand = l->character->roles.joint[AM_ROLE_RIGHT_HAND];
        am_vec3 place = world[foot].translation;
        check_near(v[3], place.x, 1e-5);
        check_near(v[4], place.y, 1e-5);
        check_near(v[5], place.z, 1e-5);
        am_vec3 held = am_transform_mul(root, world[hand]).translation;
        check_near(v[9], held.x, 1e-4);
        check_near(v[11], held.z, 1e-4);
        am_vec3 own = am_quat_rotate(root.rotation, am_v3(y[l->layout.root_linear], y[l->layout.root_linear + 1],
                                                          y[l->layout.root_linear + 2]));
        check_near(v[12], own.x, 1e-4);
        check_near(v[14], own.z, 1e-4);
        // A foot's velocity: where it is a moment later, seen from here.
        am_velocity velocity[most_joints];
        ami_pose later = { .local = local, .velocity = velocity };
        ami_pose_read(&later, &l->layout, y, l->character->skeleton, l->character->moving);
        const float h = 1e-3f;
        for (int j = 0; j < l->joints; j++) {
            local[j].translation = am_v3_add(local[j].translation, am_v3_scale(later.velocity[j].linear, h));
            am_quat turn = am_quat_from_scaled_axis(am_v3_scale(later.velocity[j].angular, h));
            local[j].rotation = am_quat_mul(turn, local[j].rotation);
        }
        am_fk(world, local, l->character->skeleton->parents, l->joints);
        am_transform on = { am_quat_from_scaled_axis(am_v3_scale(later.root.angular, h)),
                            am_v3_scale(later.root.linear, h) };
        am_vec3 then = am_transform_mul(on, world[foot]).translation;
        am_vec3 speed = am_v3_scale(am_v3_sub(then, place), 1.0f / h);
        check_near(am_v3_distance(speed, am_v3(v[6], v[7], v[8])), 0.0, 0.02 + 0.02 * (double)am_v3_length(speed));
    }
    done(&m);
}

// ---------------------------------------------------------------------------------------------
// Batches, memory, faults

static void batches_have_the_bits_of_single_steps(void **state)
{
    (void)state;
    enum { crowd = 11 };
    for (int kind = 0; kind < 3; kind++) {
        flow_model_def def = { .segments = kind == 1, .guided = kind == 2 };
        mover *all = calloc(2 * crowd, sizeof *all);
        assert_non_null(all);
        for (int i = 0; i < 2 * crowd; i++) {
            make(&all[i], &def);
            begin(&all[i], (uint64_t)(i % crowd) + 1);
            all[i].settings.steps = i % crowd % 3;
            all[i].settings.guidance = i % crowd % 4 == 0 ? 1.0f : -1.0f;
            ask(&all[i], (float)(i % crowd) * 0.2f - 1.0f, 1.5f);
        }
        for (int t = 0; t < 20; t++) {
            void *states[crowd];
            am_source_output *outs[crowd];
            am_source_input inputs[crowd];
            const am_source_input *asked[crowd];
            for (int i = 0; i < crowd; i++) {
                float dt = i % 2 ? DT : 0.7f * DT;
                step(&all[i], dt);
                mover *m = &all[crowd + i];
                states[i] = m->state;
                outs[i] = &m->out;
                inputs[i] = input_of(m, dt);
                asked[i] = &inputs[i];
            }
            mover *first = &all[crowd]; // one source for all of them: the models are alike
            first->source->interface->step_batch(first->source, states, outs, asked, crowd, first->room);
            for (int i = 0; i < crowd; i++) {
                moved(&all[crowd + i], i % 2 ? DT : 0.7f * DT);
                assert_memory_equal(all[i].state, all[crowd + i].state, sizeof all[i].state);
                assert_memory_equal(all[i].local, all[crowd + i].local, sizeof all[i].local);
            }
        }
        for (int i = 0; i < 2 * crowd; i++) {
            done(&all[i]);
        }
        free(all);
    }
}

static void poses_that_are_not_finite_are_not_shown(void **state)
{
    (void)state;
    am_error err = { 0 };
    // Start poses are checked when the model is opened.
    flow_model_def def = { .blow_up = 1e30f };
    am_model *model = flow_model_make(db, &def, &err);
    assert_non_null(model);
    ami_latent_def latent = ami_latent_def_default();
    latent.model = model;
    am_source *source = NULL;
    check_refused(ami_flow_create(&source, &latent, &err), AM_ERR_NUMBER);
    am_model_close(model);
    // A puppet starts at latents of 0, whose pose is finite; then it breaks.
    mover m;
    def = (flow_model_def){ 0 };
    make(&m, &def);
    step(&m, DT);
    am_transform last[most_joints];
    memcpy(last, m.local, sizeof last);
    const ami_latent *l = ami_latent_of(m.source);
    float *before = ami_latent_at(l, m.state, l->at_last);
    before[2] = INFINITY; // as a network's own overflow would leave it
    float *noise = ami_latent_at(l, m.state, l->at_noise);
    noise[0] = NAN;
    for (int t = 0; t < 5; t++) {
        step(&m, DT);
        assert_true(m.out.fell_back);
        for (int j = 0; j < db->joint_count; j++) {
            am_quat q = m.local[j].rotation;
            assert_true((q.x + q.y + q.z + q.w) * 0.0f == 0.0f);
        }
        assert_true(am_v3_length(m.root.translation) < 10.0f);
    }
    done(&m);
}

static am_result open_model(const am_model *model, bool segments, const am_alloc *alloc, am_error *err)
{
    ami_latent_def latent = ami_latent_def_default();
    latent.model = model;
    latent.alloc = alloc;
    am_source *source = NULL;
    am_result result = (segments ? ami_segments_create : ami_flow_create)(&source, &latent, err);
    assert_true((result == AM_OK) == (source != NULL));
    ami_source_destroy(source);
    return result;
}

static void models_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const struct {
        flow_model_def def;
        bool as_segments;
        am_result code;
        const char *word;
    } faults[] = {
        { { .without = "pose_encoder" }, false, AM_ERR_FORMAT, "pose_encoder" },
        { { .without = "pose_decoder" }, false, AM_ERR_FORMAT, "pose_decoder" },
        { { .without = "control_encoder" }, false, AM_ERR_FORMAT, "control_encoder" },
        { { .without = "flow" }, false, AM_ERR_FORMAT, "flow" },
        { { .without = "latents" }, false, AM_ERR_FORMAT, "latents" },
        { { .without = "schema" }, false, AM_ERR_FORMAT, "schema" },
        { { .without = "facts" }, false, AM_ERR_FORMAT, "facts" },
        { { .without = "character" }, false, AM_ERR_FORMAT, "character" },
        { { .latents_off = 1 }, false, AM_ERR_FORMAT, "bytes" },
        { { .vector_off = -1 }, false, AM_ERR_FORMAT, "bytes" },
        { { .version_off = 1 }, false, AM_ERR_VERSION, "version" },
        { { .bad_latent = INFINITY }, false, AM_ERR_NUMBER, "finite" },
        { { .segments = true }, false, AM_ERR_FORMAT, "segments" },
        { { 0 }, true, AM_ERR_FORMAT, "one" },
        { { .segments = true, .schema = "" }, true, AM_ERR_FORMAT, "control" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        am_error err = { 0 };
        am_model *model = flow_model_make(db, &faults[i].def, &err);
        check_ok(model ? AM_OK : err.code, &err);
        am_result result = open_model(model, faults[i].as_segments, NULL, &err);
        if (result != faults[i].code || (i != 12 && i != 13 && !strstr(err.text, faults[i].word))) {
            print_message("fault %zu: %s\n", i, err.text);
        }
        check_refused(result, faults[i].code);
        am_model_close(model);
    }
    // Without anything to ask a flow plays by itself.
    am_error err = { 0 };
    flow_model_def free_one = { .schema = "" };
    am_model *model = flow_model_make(db, &free_one, &err);
    check_ok(open_model(model, false, NULL, &err), &err);
    am_model_close(model);
}

static am_result open_one(void *user, const am_alloc *alloc)
{
    am_error err = { 0 };
    am_result result = open_model(user, false, alloc, &err);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_error err = { 0 };
    flow_model_def def = { 0 };
    am_model *model = flow_model_make(db, &def, &err);
    assert_true(refuse_allocations(open_one, model) > 10);
    am_model_close(model);
}

static int open_few(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make_few(&err);
    return db ? 0 : -1;
}

TEST_SUITE(flow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_is_algorithm_2),
        cmocka_unit_test(start_noise_remembers),
        cmocka_unit_test(a_tick_comes_sixty_times_a_second_whatever_the_steps),
        cmocka_unit_test(poses_between_ticks_lie_between_them),
        cmocka_unit_test(raw_poses_are_what_the_decoder_says),
        cmocka_unit_test(a_segment_is_played_latent_by_latent),
        cmocka_unit_test(far_places_are_pulled_in_along_their_direction),
        cmocka_unit_test(a_value_of_another_schema_is_not_taken),
        cmocka_unit_test(a_value_that_is_reached_rests),
        cmocka_unit_test(pose_features_come_from_the_body),
        cmocka_unit_test(batches_have_the_bits_of_single_steps),
        cmocka_unit_test(poses_that_are_not_finite_are_not_shown),
        cmocka_unit_test(models_that_do_not_fit_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, open_few, close_all);
}
