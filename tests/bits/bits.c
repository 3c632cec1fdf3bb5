// Prints one line for each subject: its name and a hash of its results over many inputs. Every compiler, instruction
// set and platform must print the same lines; scripts/check_bits.sh compares them with golden.txt. Each kernel
// subject goes through every version that runs here, and the program fails when two disagree. `bits --flip` changes
// one bit of one result: the fault that the comparison must catch.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <amble/amble.h>

#include "bits/input_log.h"
#include "bits/learned_bits.h"
#include "control/direction_nets.h"
#include "kernel/kernel.h"
#include "net/zoo_graph.h"
#include "support/synth_db.h"

/// A growing hash of numbers. The payload of a NaN is not fixed between machines, so that all count as one.
typedef struct digest {
    uint64_t value;
} digest;

static void put(digest *d, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = x != x ? 0x7FC00000u : bits;
    uint8_t bytes[4] = { (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24) };
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

static void put_all(digest *d, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(d, x[i]);
    }
}

static void put_double(digest *d, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

static void put_v3(digest *d, am_vec3 v) { put_all(d, &v.x, 3); }
static void put_quat(digest *d, am_quat q) { put_all(d, &q.x, 4); }

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static float uniform(uint32_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)next_random(state) / 16777216.0f;
}

// ---------------------------------------------------------------------------------------------
// Elementary functions over all floats, about half a million each

enum { sweep_step = 8009 };

static void sweep(digest *d, float (*f)(float))
{
    for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += sweep_step) {
        put(d, f(float_of((uint32_t)bits)));
    }
    // And densely where they are used.
    for (float x = -8.0f; x < 8.0f; x += 0.00037f) {
        put(d, f(x));
    }
}

static void bits_sin(digest *d) { sweep(d, am_sin); }
static void bits_cos(digest *d) { sweep(d, am_cos); }
static void bits_tan(digest *d) { sweep(d, am_tan); }
static void bits_acos(digest *d) { sweep(d, am_acos); }
static void bits_asin(digest *d) { sweep(d, am_asin); }
static void bits_exp(digest *d) { sweep(d, am_exp); }
static void bits_log(digest *d) { sweep(d, am_log); }
static void bits_tanh(digest *d) { sweep(d, am_tanh); }
static void bits_wrap_angle(digest *d) { sweep(d, am_wrap_angle); }

static void bits_atan2(digest *d)
{
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t j = 0; j < 400; j++) {
            put(d, am_atan2(float_of(i * 10737417u + j * 7919u), float_of(j * 10737431u + i * 104729u)));
            put(d, am_atan2((float)i - 200.3f, (float)j - 199.7f));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Random streams, rotations and springs

static void bits_rng(digest *d)
{
    am_rng rng = am_rng_make(11);
    for (uint64_t item = 0; item < 1000; item++) {
        am_rng stream = am_rng_fork(&rng, item);
        for (int i = 0; i < 100; i++) {
            put(d, am_rng_float(&stream));
            put(d, am_rng_normal(&stream));
            put(d, (float)am_rng_below(&stream, 1000));
        }
    }
}

static am_vec3 random_v3(uint32_t *state)
{
    float x = uniform(state, -3.0f, 3.0f), y = uniform(state, -3.0f, 3.0f), z = uniform(state, -3.0f, 3.0f);
    return am_v3(x, y, z);
}

static void bits_quat(digest *d)
{
    static const char *const orders[12] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                            "xyx", "xzx", "yxy", "yzy", "zxz", "zyz" };
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        am_quat a = am_quat_exp(random_v3(&state)), b = am_quat_from_scaled_axis(random_v3(&state));
        am_vec3 u = am_v3_normalize_or(random_v3(&state), am_v3(0.0f, 1.0f, 0.0f));
        am_vec3 v = am_v3_normalize_or(random_v3(&state), am_v3(0.0f, 1.0f, 0.0f));
        am_quat swing, twist;
        float angles[3], axes[6];
        put_v3(d, am_quat_log(a));
        put_v3(d, am_quat_velocity(a, b, 0.016f));
        put_quat(d, am_quat_slerp(a, b, 0.3f));
        put_quat(d, am_quat_nlerp(a, b, 0.3f));
        put_quat(d, am_quat_between(u, v));
        put(d, am_quat_heading(a));
        put(d, am_quat_angle(a, b));
        am_quat_swing_twist(&swing, &twist, a, u);
        put_quat(d, swing);
        put_quat(d, twist);
        am_quat_to_two_axis(b, axes);
        put_quat(d, am_quat_from_two_axis(axes));
        am_quat_to_euler(angles, a, orders[i % 12]);
        put_quat(d, am_quat_from_euler(orders[i % 12], angles[0], angles[1], angles[2]));
        put_v3(d, am_quat_rotate(a, v));
    }
}

static void bits_springs(digest *d)
{
    uint32_t state = 2;
    am_vec3 x = am_v3_zero(), v = x, a = x;
    am_quat q = am_quat_identity();
    for (int i = 0; i < 20000; i++) {
        am_vec3 goal = random_v3(&state), drift = random_v3(&state);
        float halflife = am_exp(uniform(&state, -8.0f, 2.0f)), dt = uniform(&state, 0.0f, 0.05f);
        am_spring_v3(&x, &v, goal, halflife, dt);
        am_spring_moving_v3(&x, &v, goal, drift, halflife, dt);
        am_spring_character_v3(&x, &v, &a, drift, halflife, dt);
        am_spring_quat(&q, &v, am_quat_from_scaled_axis(goal), halflife, dt);
        am_decay_v3(&a, &v, halflife, dt);
        put_v3(d, x);
        put_v3(d, v);
        put_v3(d, a);
        put_quat(d, q);
    }
}

// ---------------------------------------------------------------------------------------------
// Kernels

enum { rows = 203, stride = 40, cells = rows * stride };

typedef struct numbers {
    float a[cells], b[cells], out[cells];
    double sum[stride], squares[stride];
    am_quat quats[rows], others[rows];
    ami_euler_order orders[rows];
} numbers;

static void fill(numbers *n)
{
    uint32_t state = 3;
    for (int i = 0; i < cells; i++) {
        n->a[i] = uniform(&state, -200.0f, 200.0f);
        // Every seventh so small that products are subnormal.
        n->b[i] = uniform(&state, -5.0f, 5.0f) * (i % 7 ? 1.0f : 1e-22f);
    }
    for (int i = 0; i < rows; i++) {
        const char axes[3] = { "xyz"[next_random(&state) % 3], "xyz"[next_random(&state) % 3],
                               "xyz"[next_random(&state) % 3] };
        // The first hundred as they come, the rest of one kind.
        n->orders[i] = ami_euler_order_make(i < 100 ? axes : "zyx");
        n->quats[i] = am_quat_exp(random_v3(&state));
        float scale = uniform(&state, 0.0f, 2.0f);
        am_vec3 v = random_v3(&state);
        n->others[i] = am_q(v.x * scale, v.y * scale, v.z * scale, scale);
    }
}

static void kernel_distances(const ami_kernels *k, numbers *n, digest *d)
{
    k->distances(n->out, n->b, n->a, rows, stride);
    put_all(d, n->out, rows);
    k->distances_weighted(n->out, n->b, n->b + stride, n->a, rows, stride);
    put_all(d, n->out, rows);
    for (size_t dims = 0; dims < 64; dims++) {
        k->distances_block(n->out, n->b, n->a, dims);
        put_all(d, n->out, 8);
        k->distances_box(n->out, n->b, n->a, n->a + 8, dims);
        put_all(d, n->out, 8);
    }
}

/// The bounds of the fast index, and the blocks that it looks into.
static void kernel_bounds(const ami_kernels *k, numbers *n, digest *d)
{
    enum { pairs = 20 };
    uint8_t block[pairs * 64], query[pairs * 64];
    uint16_t factors[pairs * 64] = { 0 }, bounds[AMI_BOUNDS_LANES]; // slopes 0
    uint32_t state = 4;
    for (int i = 0; i < pairs * 64; i++) {
        block[i] = (uint8_t)next_random(&state);
        query[i] = (uint8_t)next_random(&state);
        factors[i / 32 * 32 + i / 2 % AMI_BOUNDS_LANES] = (uint16_t)next_random(&state);
    }
    for (size_t count = 0; count <= pairs; count++) {
        k->bounds(bounds, block, query, count, 65535);
        for (int i = 0; i < AMI_BOUNDS_LANES; i++) {
            put(d, (float)bounds[i]);
        }
        k->bounds_weighted(bounds, block, query, factors, count, 65535);
        for (int i = 0; i < AMI_BOUNDS_LANES; i++) {
            put(d, (float)bounds[i]);
        }
    }
    for (size_t dims = 0; dims < 64; dims++) {
        k->distances_block_weighted(n->out, n->b, n->b + 64, n->a, dims);
        put_all(d, n->out, 8);
    }
}

static void kernel_products(const ami_kernels *k, numbers *n, digest *d)
{
    for (size_t length = 0; length < 300; length++) {
        put(d, k->dot(n->a, n->b + length, length));
        k->axpy(n->out, n->b, n->a[length], length);
    }
    put_all(d, n->out, 300);
    k->gemv(n->out, n->a, n->b, n->b + 1, rows, stride);
    put_all(d, n->out, rows);
}

static void kernel_columns(const ami_kernels *k, numbers *n, digest *d)
{
    k->column_moments(n->sum, n->squares, n->a, NULL, rows, stride);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < stride; c++) {
            put_double(d, n->sum[c]);
            put_double(d, n->squares[c]);
            n->sum[c] /= rows;
        }
        double center[stride];
        memcpy(center, n->sum, sizeof center);
        k->column_moments(n->sum, n->squares, n->a, center, rows, stride);
    }
    k->column_bounds(n->out, n->out + stride, n->b, rows, stride);
    put_all(d, n->out, 2 * stride);
}

static void kernel_angles(const ami_kernels *k, numbers *n, digest *d)
{
    k->sincos(n->out, n->out + rows, n->a, rows);
    put_all(d, n->out, 2 * rows);
    for (size_t start = 0; start < 400; start++) {
        k->euler(n->quats, n->a + start * 17, n->orders + start % 100, 100);
        put_all(d, &n->quats[0].x, 400);
    }
    for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 1000003) {
        float x[8], s[8], c[8];
        for (uint32_t lane = 0; lane < 8; lane++) {
            x[lane] = float_of((uint32_t)bits + lane * 3u);
        }
        k->sincos(s, c, x, 8);
        put_all(d, s, 8);
        put_all(d, c, 8);
    }
}

static void kernel_quats(const ami_kernels *k, numbers *n, digest *d)
{
    for (int i = 0; i < 20; i++) {
        k->nlerp(n->quats, n->quats, n->others, (float)i * 0.05f, rows - (size_t)i);
        put_all(d, &n->quats[0].x, 4 * rows);
    }
    k->normalize(n->others, rows);
    put_all(d, &n->others[0].x, 4 * rows);
}

// ---------------------------------------------------------------------------------------------
// Motion: a small body that steps, sways and turns, through every operation on clips

#define BODY_JOINTS 12
#define BODY_FRAMES 150

static am_clip *make_body(float size)
{
    static const int16_t parents[BODY_JOINTS] = { -1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 9 };
    static const int16_t moving[1] = { 0 };
    static const char *const names[BODY_JOINTS] = { "Hips",     "LeftUpLeg",  "LeftLeg",  "LeftFoot",
                                                    "LeftToe",  "RightUpLeg", "RightLeg", "RightFoot",
                                                    "RightToe", "Chest",      "LeftArm",  "RightArm" };
    am_vec3 offsets[BODY_JOINTS] = { { 0, 0.95f, 0 },      { 0.09f, -0.05f, 0 }, { 0, -0.42f, 0.01f },
                                     { 0, -0.4f, -0.01f }, { 0, -0.06f, 0.13f }, { -0.1f, -0.05f, 0 },
                                     { 0, -0.41f, 0.01f }, { 0, -0.4f, -0.02f }, { 0, -0.07f, 0.12f },
                                     { 0, 0.4f, 0.02f },   { 0.17f, 0.1f, 0 },   { -0.17f, 0.1f, 0 } };
    for (int j = 0; j < BODY_JOINTS; j++) {
        offsets[j] = am_v3_scale(offsets[j], size);
    }
    am_clip_def def = am_clip_def_default();
    def.joint_count = BODY_JOINTS;
    def.frame_count = BODY_FRAMES;
    def.fps = 30.0f;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = moving;
    def.moving_count = 1;
    am_clip *clip = NULL;
    if (am_clip_create(&clip, &def, NULL) != AM_OK) {
        return NULL;
    }
    for (int f = 0; f < BODY_FRAMES; f++) {
        float t = (float)f / 30.0f;
        am_quat *q = clip->rotations + (size_t)f * BODY_JOINTS;
        for (int j = 0; j < BODY_JOINTS; j++) {
            float swing = am_max(am_sin(6.0f * t + (j > 4 ? AM_PI : 0.0f)), 0.0f);
            float bend = j == 1 || j == 5 ? -0.6f : j == 2 || j == 6 ? 1.2f : j == 9 ? 0.1f : -0.2f;
            q[j] = am_quat_from_scaled_axis(am_v3(bend * swing, 0.02f * swing, 0.03f * (float)(j - 5) * swing));
        }
        q[0] = am_quat_from_heading(0.4f * t);
        clip->translations[f] = am_v3(0.05f * t, 0.95f * size, 0.1f * t);
    }
    return clip;
}

static am_roles body_roles(void)
{
    static const int8_t joints[AM_ROLE_COUNT] = { 0, -1, 9,  -1, -1, 1,  2,  3,  4,  5, 6,
                                                  7, 8,  -1, 10, -1, -1, -1, 11, -1, -1 };
    am_roles roles;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        roles.joint[r] = joints[r];
    }
    return roles;
}

static void put_clip(digest *d, const am_clip *clip)
{
    for (int i = 0; clip && i < clip->frame_count * clip->skeleton->joint_count; i++) {
        put_quat(d, clip->rotations[i]);
    }
    for (int i = 0; clip && i < clip->frame_count * clip->moving_count; i++) {
        put_v3(d, clip->translations[i]);
    }
    put(d, clip ? clip->fps : NAN); // a refusal shows
}

static void bits_clips(digest *d)
{
    am_clip *clip = make_body(1.0f);
    am_clip *made[3] = { NULL, NULL, NULL };
    int16_t map[BODY_JOINTS];
    am_mirror_map(map, clip->skeleton);
    am_clip_convert(&made[0], clip, 0.7f, am_quat_from_heading(0.3f), 0.0f, NULL, NULL);
    am_clip_resample(&made[1], clip, 77.0f, NULL, NULL);
    am_clip_mirror(&made[2], clip, map, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        put_clip(d, made[i]);
        am_clip_destroy(made[i]);
    }
    am_clip_destroy(clip);
}

static void bits_ground(digest *d)
{
    static am_vec3 positions[BODY_FRAMES];
    static am_quat rotations[BODY_FRAMES];
    static uint8_t contacts[BODY_FRAMES];
    am_clip *clip = make_body(1.0f);
    am_roles roles = body_roles();
    am_root_def root = am_root_def_default();
    am_contact_def contact = am_contact_def_default();
    float floor_m = NAN;
    am_root_track(positions, rotations, clip, &roles, &root, NULL, NULL);
    am_floor_find(&floor_m, clip, &roles, NULL, NULL);
    am_contacts_find(contacts, clip, &roles, &contact, NULL, NULL);
    for (int f = 0; f < BODY_FRAMES; f++) {
        put_v3(d, positions[f]);
        put_quat(d, rotations[f]);
        put(d, (float)contacts[f]);
    }
    put(d, floor_m);
    am_clip_destroy(clip);
}

static void bits_retarget(digest *d)
{
    am_clip *clip = make_body(0.85f);
    am_clip *reference = make_body(1.0f);
    am_roles roles = body_roles();
    am_retarget_def def = am_retarget_def_default();
    def.reference = reference->skeleton;
    def.reference_roles = &roles;
    def.roles = &roles;
    am_clip *made = NULL;
    am_clip_retarget(&made, clip, &def, NULL, NULL);
    put_clip(d, made);
    am_clip_destroy(made);
    am_clip_destroy(clip);
    am_clip_destroy(reference);
}

static void bits_synth(digest *d)
{
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_WANDER; // goes through nearly all of it
    def.seconds = 40.0f;
    am_synth synth;
    if (am_synth_make(&synth, &def, NULL) == AM_OK) {
        put_clip(d, synth.clip);
    }
    am_synth_free(&synth);
}

// ---------------------------------------------------------------------------------------------

// ---------------------------------------------------------------------------------------------
// Characters: two of them, 3,600 frames of a recorded input log on procedural motion, by springs and by the quintic

static void put_u64(digest *d, uint64_t x)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(x >> 8 * i);
    }
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

/// By matching over a database, or by a learned character.
static bool play_log(digest *d, const am_db *db, const am_model *learned, am_inertialise inertialise,
                     am_root_mode root, am_error *err)
{
    am_run_script script;
    am_run *run = NULL;
    if (am_run_parse(&script, input_log, strlen(input_log), "log", NULL, err) != AM_OK) {
        return false;
    }
    script.options.character.inertialise = inertialise;
    script.options.character.root = root;
    script.options.learned = learned != NULL;
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    def.models = &learned;
    def.model_count = learned != NULL;
    bool good = am_run_create(&run, &def, err) == AM_OK;
    while (good && am_run_step(run)) {
        put_v3(d, am_run_get_sample(run, 0).pose.root.translation);
        put_v3(d, am_run_get_sample(run, 1).pose.world[5].translation);
    }
    put_u64(d, good ? am_run_hash(run) : 0);
    am_run_destroy(run);
    am_run_script_free(&script);
    return good;
}

static void play_both(digest *d, bool high, am_inertialise inertialise, am_root_mode root)
{
    am_error err = { 0 };
    am_db *db = synth_db_make(high, &err);
    if (!db || !play_log(d, db, NULL, inertialise, root, &err)) {
        fprintf(stderr, "bits: %s\n", err.text);
    }
    am_db_close(db);
}

static void bits_character(digest *d) { play_both(d, false, AM_INERTIALISE_SPRING, AM_ROOT_MIXED); }
static void bits_character_high(digest *d) { play_both(d, true, AM_INERTIALISE_QUINTIC, AM_ROOT_ANIMATION); }

/// A motion field: neighbours, greedy actions, integration, and the curve between the ticks.
static void bits_field(digest *d)
{
    am_error err = { 0 };
    am_run_script script;
    am_run *run = NULL;
    am_db *db = synth_db_make(false, &err);
    if (!db || am_run_parse(&script, input_log, strlen(input_log), "log", NULL, &err) != AM_OK) {
        fprintf(stderr, "bits: %s\n", err.text);
        am_db_close(db);
        return;
    }
    script.options.character.root = AM_ROOT_ANIMATION;
    script.options.field = true;
    script.options.policy = AM_FIELD_GREEDY;
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    if (am_run_create(&run, &def, &err) != AM_OK) {
        fprintf(stderr, "bits: %s\n", err.text);
    }
    while (run && am_run_step(run)) {
        put_v3(d, am_run_get_sample(run, 0).pose.root.translation);
        put_v3(d, am_run_get_sample(run, 1).pose.world[5].translation);
    }
    put_u64(d, run ? am_run_hash(run) : 0);
    am_run_destroy(run);
    am_run_script_free(&script);
    am_db_close(db);
}

/// Learned motion matching with each kind of weights: packing, projecting, stepping, decompressing.
static void bits_learned(digest *d)
{
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    for (int w = 0; db && w < 3; w++) {
        am_model *model = bits_learned_model(db, (am_net_weights)w, &err);
        if (!model || !play_log(d, NULL, model, AM_INERTIALISE_SPRING, AM_ROOT_MIXED, &err)) {
            fprintf(stderr, "bits: learned: %s\n", err.text);
        }
        put_u64(d, model ? model->hash : 0);
        am_model_close(model);
    }
    am_db_close(db);
}

/// A path whose facing a network tells, looking ahead.
static void bits_direction(digest *d)
{
    static const char text[] =
        "{\"database\": \"-\", \"controller\": \"long-horizon\", \"seconds\": 12, \"characters\": [{\"path\": "
        "{\"facing\": \"net\", \"points\": [[0,0,0],[2,1,2],[4,0,4],[6,-2,4],[8,-2,1]]}}]}";
    am_error err = { 0 };
    am_run_script script = { 0 };
    am_run *run = NULL;
    am_db *db = synth_db_make(false, &err);
    am_model *model = direction_net("direction", direction_crab, NULL);
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    def.models = (const am_model *const *)&model;
    def.model_count = 1;
    bool good = db && model && am_run_parse(&script, text, strlen(text), "path", NULL, &err) == AM_OK &&
                am_run_create(&run, &def, &err) == AM_OK;
    while (good && am_run_step(run)) {
        put_v3(d, am_run_get_sample(run, 0).pose.root.translation);
        put_quat(d, am_run_get_sample(run, 0).pose.root.rotation);
    }
    put_u64(d, good ? am_run_hash(run) : 0);
    if (!good) {
        fprintf(stderr, "bits: direction: %s\n", err.text);
    }
    am_run_destroy(run);
    am_run_script_free(&script);
    am_model_close(model);
    am_db_close(db);
}

// ---------------------------------------------------------------------------------------------
// Networks: every operation, batches and single samples, each kind of weights

static void run_network(digest *d, const am_model *model, int batch, am_error *err)
{
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_net_def def = am_net_def_default();
    def.model = model;
    if (am_net_create(&net, &def, err) == AM_OK && am_net_work_create(&work, net, batch, NULL, err) == AM_OK) {
        for (int step = 0; step < 20; step++) {
            for (int s = 0; s < batch; s++) {
                float x[21], set[30], scalars[3], out[11];
                zoo_inputs(x, set, scalars, step + s);
                am_net_put(work, 0, s, x);
                am_net_put(work, 1, s, set);
                for (int i = 0; i < 3; i++) {
                    am_net_put(work, 2 + i, s, &scalars[i]);
                }
                am_net_get(work, 0, s, out);
                put_all(d, out, 11);
            }
            am_net_run(net, work, batch);
        }
    }
    am_net_work_destroy(work);
    am_net_destroy(net);
}

static void bits_networks(digest *d)
{
    am_error err = { 0 };
    am_graph *graph = zoo_all(NULL);
    const am_graph *graphs[1] = { graph };
    for (int w = 0; graph && w < 3; w++) {
        am_net_weights weights = (am_net_weights)w;
        am_model_def def = am_model_def_default();
        def.graphs = graphs;
        def.graph_count = 1;
        def.weights = &weights;
        am_model *model = NULL;
        if (am_model_create(&model, &def, &err) == AM_OK) {
            // The whole file, errors of smaller weights included.
            d->value = am_hash64(model->image, model->image_size, d->value);
            run_network(d, model, 1, &err);
            run_network(d, model, 7, &err);
        }
        am_model_close(model);
    }
    if (!graph || err.code != AM_OK) {
        fprintf(stderr, "bits: networks: %s\n", err.text);
    }
    am_graph_destroy(graph);
}

typedef struct subject {
    const char *name;
    void (*run)(digest *d); ///< one of the two
    void (*run_kernel)(const ami_kernels *k, numbers *n, digest *d);
} subject;

static const subject subjects[] = {
    { "base.rng", bits_rng, NULL },
    { "math.sin", bits_sin, NULL },
    { "math.cos", bits_cos, NULL },
    { "math.tan", bits_tan, NULL },
    { "math.acos", bits_acos, NULL },
    { "math.asin", bits_asin, NULL },
    { "math.atan2", bits_atan2, NULL },
    { "math.exp", bits_exp, NULL },
    { "math.log", bits_log, NULL },
    { "math.tanh", bits_tanh, NULL },
    { "math.wrap_angle", bits_wrap_angle, NULL },
    { "math.quat", bits_quat, NULL },
    { "math.springs", bits_springs, NULL },
    { "kernel.distances", NULL, kernel_distances },
    { "kernel.bounds", NULL, kernel_bounds },
    { "kernel.products", NULL, kernel_products },
    { "kernel.columns", NULL, kernel_columns },
    { "kernel.angles", NULL, kernel_angles },
    { "kernel.quats", NULL, kernel_quats },
    { "anim.clips", bits_clips, NULL },
    { "anim.ground", bits_ground, NULL },
    { "anim.retarget", bits_retarget, NULL },
    { "net.zoo", bits_networks, NULL },
    { "make.synth", bits_synth, NULL },
    { "control.character", bits_character, NULL },
    { "control.high", bits_character_high, NULL },
    { "control.learned", bits_learned, NULL },
    { "control.field", bits_field, NULL },
    { "control.direction", bits_direction, NULL },
};

/// The hash of one subject; false when two versions of a kernel disagree.
static bool hash_subject(const subject *s, uint64_t *hash)
{
    static numbers n;
    digest first = { 0 };
    if (s->run) {
        s->run(&first);
        *hash = first.value;
        return true;
    }
    const ami_kernels *k;
    for (size_t version = 0; (k = ami_kernels_at(version)) != NULL; version++) {
        digest d = { 0 };
        memset(&n, 0, sizeof n);
        fill(&n);
        s->run_kernel(k, &n, &d);
        if (version > 0 && d.value != first.value) {
            fprintf(stderr, "bits: %s: %s differs from the reference\n", s->name, k->name);
            return false;
        }
        first = d;
    }
    *hash = first.value;
    return true;
}

int main(int argc, char **argv)
{
    bool flip = argc > 1 && strcmp(argv[1], "--flip") == 0;
    int status = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        uint64_t hash = 0;
        if (!hash_subject(&subjects[i], &hash)) {
            status = 1;
            continue;
        }
        printf("%-18s %016" PRIx64 "\n", subjects[i].name, hash ^ (flip && i == 3 ? 1u : 0u));
    }
    fprintf(stderr, "bits: kernels up to %s\n", ami_kernels_pick()->name);
    return status;
}
