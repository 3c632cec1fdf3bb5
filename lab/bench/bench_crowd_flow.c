// The flow part of amble bench crowd: whole steps of flow characters with untrained networks of the paper's size and
// of the size that ships, one character alone and a crowd in batches on one and two threads, by four Euler steps and
// by one, as distilled networks take; and their control encoder alone.
#include "actor/actor.h"
#include "data/facts.h"
#include "data/pose_vector.h"
#include "method/flow.h"
#include "net/build.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_crowd = 1000, most_rounds = 2000 };

static const float dt = 1.0f / 60.0f;

/// Somewhere to go by any number of points, and how.
static const char schema_text[] =
    "{\"name\": \"bench\", \"control\": {\"and\": {\"target\": \"location\", \"facing\": {\"optional\": "
    "\"direction\"}, "
    "\"style\": {\"one_of\": [\"plain\", \"proud\", \"sad\", \"old\"]}, \"path\": {\"set\": {\"and\": {\"position\": "
    "\"location\", \"facing\": \"direction\"}}, \"most\": 8}}}}";

/// Sizes of the networks.
typedef struct flow_size {
    const char *name;
    int latents, hidden, units;
} flow_size;

static const flow_size sizes[2] = { { "small", 64, 4, 512 }, { "full", 128, 8, 800 } };

/// Everything about one model.
typedef struct flow_ground {
    am_control_schema *schema;
    am_model *model;
    am_asset *asset;
    am_actor *actors[most_crowd];
    am_control *controls[most_crowd];
    am_intent intents[most_crowd];
    int count;
} flow_ground;

// ---------------------------------------------------------------------------------------------
// Networks

static int one_layer(am_net_graph *g, int x, int units, int out)
{
    return ami_net_graph_linear(g, ami_net_graph_activation(g, ami_net_graph_linear(g, x, units), AM_NET_ELU), out);
}

static am_result begin(am_net_graph **g, const char *name, am_error *err)
{
    return ami_net_graph_create(g, name, NULL, err);
}

/// Operators 4.2: layer norm before each inner linear layer, GELU, the input joined to each hidden layer.
static int flow_layers(am_net_graph *g, int x, const flow_size *size)
{
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, size->units), AM_NET_GELU);
    for (int i = 1; i < size->hidden; i++) {
        const int both[2] = { h, x };
        int normed = ami_net_graph_layer_norm(g, ami_net_graph_concat(g, both, 2));
        h = ami_net_graph_activation(g, ami_net_graph_linear(g, normed, size->units), AM_NET_GELU);
    }
    const int both[2] = { h, x };
    return ami_net_graph_linear(g, ami_net_graph_layer_norm(g, ami_net_graph_concat(g, both, 2)), size->latents);
}

static am_result make_graphs(am_net_graph **graphs, const flow_size *size, const am_control_schema *schema, int pose,
                             am_error *err)
{
    static const char *const names[4] = { "pose_encoder", "pose_decoder", "control_encoder", "flow" };
    am_result result = AM_OK;
    for (int i = 0; i < 4 && result == AM_OK; i++) {
        result = begin(&graphs[i], names[i], err);
    }
    if (result != AM_OK) {
        return result;
    }
    ami_net_graph_output(graphs[0], "latent",
                         one_layer(graphs[0], ami_net_graph_input(graphs[0], "pose", pose), 512, size->latents));
    ami_net_graph_output(graphs[1], "pose",
                         one_layer(graphs[1], ami_net_graph_input(graphs[1], "latent", size->latents), 512, pose));
    int vector = ami_net_graph_input(graphs[2], "vector", schema->vector_count);
    ami_net_graph_output(graphs[2], "encoding", ami_control_encoder(graphs[2], schema, vector));
    const int in[4] = { ami_net_graph_input(graphs[3], "x", size->latents),
                        ami_net_graph_input(graphs[3], "previous", size->latents),
                        ami_net_graph_input(graphs[3], "control", schema->width),
                        ami_net_graph_input(graphs[3], "time", 1) };
    ami_net_graph_output(graphs[3], "latent", flow_layers(graphs[3], ami_net_graph_concat(graphs[3], in, 4), size));
    for (int i = 0; i < 4 && result == AM_OK; i++) {
        result = ami_net_graph_finish(graphs[i], err);
        if (result == AM_OK) {
            ami_net_graph_randomise(graphs[i], (uint64_t)i + 1);
        }
    }
    return result;
}

/// The attachment `latents`: standard latents, controls within 5 m.
static void *make_latents(const flow_size *size, const am_control_schema *schema, size_t *bytes)
{
    size_t z = (size_t)size->latents, v = (size_t)schema->vector_count;
    float *numbers = calloc(4 * z + 2 * v, sizeof *numbers);
    ami_flow_latents l = { .head = { .latent_count = size->latents,
                                     .frames = 1,
                                     .vector_count = schema->vector_count,
                                     .control_count = schema->width,
                                     .start_count = 1,
                                     .steps = 4,
                                     .fps = 60.0f,
                                     .noise = 0.6f,
                                     .noise_memory = 0.9f,
                                     .guidance = 1.0f,
                                     .schema_hash = schema->hash } };
    void *out = calloc(1, ami_flow_latents_size(&l.head));
    if (numbers && out) {
        l.deviation = numbers;
        l.low = numbers + z;
        l.high = numbers + 2 * z;
        l.starts = numbers + 3 * z;
        l.control_low = numbers + 4 * z;
        l.control_high = l.control_low + v;
        for (size_t i = 0; i < z; i++) {
            numbers[i] = 1.0f;
            numbers[z + i] = -3.0f;
            numbers[2 * z + i] = 3.0f;
        }
        for (size_t i = 0; i < v; i++) {
            numbers[4 * z + i] = -5.0f;
            numbers[4 * z + v + i] = 5.0f;
        }
        ami_flow_latents_write(out, &l);
        *bytes = ami_flow_latents_size(&l.head);
    }
    free(numbers);
    return numbers ? out : NULL;
}

static am_result make_model(am_model **out, const am_db *db, const flow_size *size, const am_control_schema *schema,
                            am_net_weights weights, am_error *err)
{
    const int frame = 0;
    static const char *const name = "stand";
    am_net_graph *graphs[4] = { NULL };
    am_db *character = NULL;
    am_db_copy_def copy = am_db_copy_def_default();
    copy.db = db;
    copy.frames = &frame;
    copy.frame_count = 1;
    copy.names = &name;
    copy.config = "{}";
    size_t bytes = 0;
    void *latents = make_latents(size, schema, &bytes);
    am_facts facts = { .version = AMI_FACTS_VERSION, .activities = 3, .hip_m = 0.9f, .walk_mps = 1.3f };
    am_result result = latents ? AM_OK : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the bench");
    int pose = ami_pose_layout_of(db->joint_count, db->moving_count).count;
    result = result == AM_OK ? make_graphs(graphs, size, schema, pose, err) : result;
    result = result == AM_OK ? am_db_copy(&character, &copy, err) : result;
    if (result == AM_OK) {
        const am_model_blob blobs[4] = { { AM_LEARNED_CHARACTER, character->image, character->image_size },
                                         { AMI_LEARNED_FACTS, &facts, sizeof facts },
                                         { AMI_FLOW_LATENTS, latents, bytes },
                                         { AMI_FLOW_SCHEMA, schema_text, strlen(schema_text) } };
        const am_net_weights kinds[4] = { weights, weights, weights, weights };
        am_model_def def = ami_model_def_default();
        def.graphs = (const am_net_graph *const *)graphs;
        def.graph_count = 4;
        def.weights = kinds;
        def.sample_count = 8;
        def.attachments = blobs;
        def.attachment_count = 4;
        result = am_model_create(out, &def, err);
    }
    am_db_close(character);
    free(latents);
    for (int i = 0; i < 4; i++) {
        am_net_graph_destroy(graphs[i]);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Characters

static void ground_close(flow_ground *f)
{
    for (int i = f->count - 1; i >= 0; i--) {
        am_actor_destroy(f->actors[i]);
        am_control_destroy(f->controls[i]);
    }
    am_asset_close(f->asset);
    am_model_close(f->model);
    am_control_schema_destroy(f->schema);
    free(f);
}

static am_result ground_open(flow_ground **out, const am_db *db, const flow_size *size, am_net_weights weights,
                             int count, am_error *err)
{
    flow_ground *f = calloc(1, sizeof *f);
    *out = f;
    if (!f) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the bench");
    }
    am_result result = am_control_schema_read(&f->schema, schema_text, strlen(schema_text), "bench", NULL, err);
    result = result == AM_OK ? make_model(&f->model, db, size, f->schema, weights, err) : result;
    am_asset_def asset;
    am_asset_def_init(&asset);
    asset.models = (const am_model *const *)&f->model;
    asset.model_count = 1;
    result = result == AM_OK ? am_asset_create(&f->asset, &asset, err) : result;
    for (int i = 0; i < count && result == AM_OK; i++) {
        am_actor_def def;
        am_actor_def_init(&def, f->asset);
        def.seed = (uint64_t)i;
        const float target[3] = { (float)(i % 9) - 4.0f, 0.0f, 3.0f };
        result = am_control_create(&f->controls[i], f->schema, NULL, err);
        result = result == AM_OK ? am_control_set(f->controls[i], "target", target, 3, err) : result;
        result = result == AM_OK ? am_control_set(f->controls[i], "path[3].position", target, 3, err) : result;
        result = result == AM_OK ? am_actor_create(&f->actors[i], &def, err) : result;
        f->count += result == AM_OK;
        f->intents[i].control = f->controls[i];
    }
    return result;
}

static am_result set_steps(flow_ground *f, int steps, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < f->count && result == AM_OK; i++) {
        am_settings settings;
        am_actor_get_settings(f->actors[i], &settings);
        settings.steps = steps;
        result = am_actor_set(f->actors[i], &settings, err);
    }
    return result;
}

static uint64_t hash_of(const flow_ground *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < f->count; i++) {
        hash = hash * 0x9E3779B97F4A7C15u + am_actor_hash(f->actors[i]);
    }
    return hash;
}

/// One character alone.
static am_result frame_rows(bench *b, const am_db *db, const flow_size *size, am_net_weights weights, int rounds,
                            am_error *err)
{
    static double us[2][most_rounds];
    static const int steps[2] = { 4, 1 };
    flow_ground *f = NULL;
    am_result result = ground_open(&f, db, size, weights, 1, err);
    for (int r = -8; r < rounds && result == AM_OK; r++) { // the first warm up
        for (int s = 0; s < 2 && result == AM_OK; s++) {
            result = set_steps(f, steps[s], err);
            double begun = bench_cpu_us();
            am_actor_step(f->actors[0], &f->intents[0], dt);
            us[s][r < 0 ? 0 : r] = bench_cpu_us() - begun;
        }
    }
    for (int s = 0; f && s < 2 && result == AM_OK; s++) {
        char subject[64];
        snprintf(subject, sizeof subject, "flow frame %s %s S=%d", size->name, am_net_weights_name(weights),
                 steps[s]);
        bench_row(b, subject, "amble", 1, "frames", us[s], rounds, hash_of(f));
    }
    if (f) {
        ground_close(f);
    }
    return result;
}

/// The encoder of controls alone.
static am_result encoder_row(bench *b, const am_db *db, am_net_weights weights, int rounds, am_error *err)
{
    static double us[most_rounds];
    flow_ground *f = NULL;
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_result result = ground_open(&f, db, &sizes[0], weights, 1, err);
    am_net_def def;
    am_net_def_init(&def);
    if (result == AM_OK) {
        def.model = f->model;
        def.part = am_model_find(f->model, "control_encoder");
        result = am_net_create(&net, &def, err);
    }
    result = result == AM_OK ? am_net_work_create(&work, net, 1, NULL, err) : result;
    const am_transform root = am_transform_identity();
    for (int r = -8; r < rounds && result == AM_OK; r++) {
        double begun = bench_cpu_us();
        for (int i = 0; i < 10; i++) {
            ami_control_flatten(f->schema, ami_net_input(work, 0, 0, 0), f->controls[0]->numbers, &root);
            am_net_run(net, work, 1);
        }
        us[r < 0 ? 0 : r] = (bench_cpu_us() - begun) / 10.0;
    }
    if (result == AM_OK) {
        char subject[64];
        snprintf(subject, sizeof subject, "control encoder %s", am_net_weights_name(weights));
        const float *out = ami_net_output(work, 0, 0, 0);
        bench_row(b, subject, "amble", f->schema->vector_count, "frames", us, rounds,
                  am_hash64(out, (size_t)f->schema->width * sizeof *out, 0));
    }
    am_net_work_destroy(work);
    am_net_destroy(net);
    if (f) {
        ground_close(f);
    }
    return result;
}

/// A crowd of small networks: processor time of one thread, and the clock with two.
static am_result crowd_rows(bench *b, const am_db *db, am_net_weights weights, int steps, int count, int frames,
                            am_error *err)
{
    static double us[2][most_rounds];
    uint64_t sums[2] = { 0 };
    am_pool *pool = NULL;
    am_result result = am_pool_create(&pool, 2, NULL, err);
    for (int threads = 1; threads <= 2 && result == AM_OK; threads++) {
        flow_ground *f = NULL;
        result = ground_open(&f, db, &sizes[0], weights, count, err);
        result = result == AM_OK ? set_steps(f, steps, err) : result;
        for (int r = 0; r < frames && result == AM_OK; r++) {
            double begun = threads == 1 ? bench_cpu_us() : bench_now_us();
            am_actors_step(f->actors, f->intents, count, dt, threads == 1 ? NULL : am_pool_tasks(pool));
            us[threads - 1][r] = ((threads == 1 ? bench_cpu_us() : bench_now_us()) - begun) / count;
        }
        sums[threads - 1] = result == AM_OK && f ? hash_of(f) : 0;
        if (f) {
            ground_close(f);
        }
    }
    am_pool_destroy(pool);
    if (result == AM_OK && sums[0] != sums[1]) {
        return cli_error(err, AM_ERR_DEF, NULL, "bench crowd: flow characters on two threads gave other bits");
    }
    if (result == AM_OK) {
        char subject[64];
        snprintf(subject, sizeof subject, "flow crowd small %s S=%d", am_net_weights_name(weights), steps);
        bench_row(b, subject, "amble", count, "one thread", us[0], frames, sums[0]);
        bench_row(b, subject, "amble", count, "two threads", us[1], frames, sums[1]);
        bench_note(b, "%s: %.0f characters fit into 1/60 s on one thread, %.0f on two", subject,
                   1e6 / 60.0 / bench_least_us(b, subject, "amble", count, "one thread"),
                   1e6 / 60.0 / bench_least_us(b, subject, "amble", count, "two threads"));
    }
    return result;
}

int bench_crowd_flow(bench *b, const am_db *db, int count, int frames)
{
    static const am_net_weights weights[3] = { AM_NET_FP32, AM_NET_FP16, AM_NET_INT8 };
    am_error err = { 0 };
    am_result result = AM_OK;
    int rounds = frames < most_rounds ? frames : most_rounds;
    count = count < most_crowd ? count : most_crowd;
    bench_note(b, "flow: untrained networks, small 4 x 512 with 64 latents, full 8 x 800 with 128");
    for (int s = 1; s >= 0 && result == AM_OK; s--) {
        for (int w = 0; w < 3 && result == AM_OK; w++) {
            result = frame_rows(b, db, &sizes[s], weights[w], rounds / 4 + 1, &err);
        }
    }
    for (int w = 0; w < 3 && result == AM_OK; w++) {
        result = encoder_row(b, db, weights[w], rounds / 4 + 1, &err);
    }
    for (int steps = 4; steps >= 1 && result == AM_OK; steps -= 3) {
        for (int w = 0; w < 3 && result == AM_OK; w++) {
            result = crowd_rows(b, db, weights[w], steps, count, rounds / 10 + 1, &err);
        }
    }
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}
