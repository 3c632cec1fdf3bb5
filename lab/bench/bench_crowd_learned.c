// The learned part of amble bench crowd: what a frame of learned motion matching costs with fp32 and int8 networks
// (Projector every ten frames), next to a frame of matching over databases of growing size; and whole steps of many
// learned characters, one by one and in batches.
#include "actor/actor.h"
#include "data/pose_vector.h"
#include "net/build.h"
#include "train/training.h"
#include "bench.h"

#include "bench_search.h"
#include "learned_cost.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { questions = 100, hidden = 512, latent = 32 };

static const float dt = 1.0f / 60.0f;

// ---------------------------------------------------------------------------------------------
// Networks

/// x (and z) through hidden layers of the paper's width (LMM table 1).
static am_net_graph *make_graph(const char *name, const char *output, int x, int z, int out, int layers)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    if (ami_net_graph_create(&g, name, NULL, &err) != AM_OK) {
        return NULL;
    }
    int in[2] = { ami_net_graph_input(g, "x", x), z > 0 ? ami_net_graph_input(g, "z", z) : -1 };
    int v = ami_net_graph_normalise(g, z > 0 ? ami_net_graph_concat(g, in, 2) : in[0]);
    for (int l = 0; l < layers; l++) {
        v = ami_net_graph_activation(g, ami_net_graph_linear(g, v, hidden), AM_NET_RELU);
    }
    ami_net_graph_output(g, output, ami_net_graph_restore(g, ami_net_graph_linear(g, v, out)));
    if (ami_net_graph_finish(g, &err) != AM_OK) {
        am_net_graph_destroy(g);
        return NULL;
    }
    ami_net_graph_randomise(g, 1);
    return g;
}

/// Untrained networks of the paper's sizes: as fast as trained ones, or slower, since fewer inputs are zero.
static am_result make_untrained(am_model **out, const am_db *db, am_error *err)
{
    int x = db->features.count;
    ami_pose_layout layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    am_net_graph *graphs[3] = { make_graph("decompressor", "pose", x, latent, layout.count, 1),
                                make_graph("stepper", "rate", x, latent, x + latent, 2),
                                make_graph("projector", "xz", x, 0, x + latent, 4) };
    am_model *bare = NULL;
    am_model_def def = ami_model_def_default();
    def.graphs = (const am_net_graph *const *)graphs;
    def.graph_count = 3;
    am_result result = am_model_create(&bare, &def, err);
    result = result == AM_OK ? ami_learned_pack(out, bare, db, NULL, err) : result;
    am_model_close(bare);
    for (int g = 0; g < 3; g++) {
        am_net_graph_destroy(graphs[g]);
    }
    return result;
}

static am_result open_model(bench *b, am_model **out, const am_db *db, am_error *err)
{
    char path[1024];
    if (cli_model_find(path, sizeof path, "locomotion.amnet")) {
        bench_note(b, "learned: %s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
        return am_model_open(out, path, NULL, err);
    }
    bench_note(b, "learned: models/locomotion.amnet was not found; untrained networks of the paper's sizes");
    return make_untrained(out, db, err);
}

// ---------------------------------------------------------------------------------------------
// A frame

static am_result frame_rows(bench *b, const am_model *const *models, int rounds, am_error *err)
{
    static double us[2][4096];
    learned_walker walkers[2] = { { 0 } };
    rounds = rounds < 4096 ? rounds : 4096;
    am_result result = learned_walker_begin(&walkers[0], models[0], err);
    result = result == AM_OK ? learned_walker_begin(&walkers[1], models[1], err) : result;
    for (int r = -20; r < rounds && result == AM_OK; r++) { // the first warm up
        for (int m = 0; m < 2; m++) {
            double one = learned_ten_frames(&walkers[m], r + 20);
            us[m][r < 0 ? 0 : r] = one;
        }
    }
    for (int m = 0; m < 2 && result == AM_OK; m++) {
        bench_row(b, m == 0 ? "learned frame fp32" : "learned frame int8", "amble", 1, "frames", us[m], rounds,
                  learned_walker_hash(&walkers[m]));
    }
    learned_walker_end(&walkers[0]);
    learned_walker_end(&walkers[1]);
    return result;
}

/// A tenth of a search over the first n frames: what matching pays where a learned character runs networks.
static am_result match_rows(bench *b, const char *config, int rounds, am_error *err)
{
    static const int sizes[] = { 10000, 100000, 300000 };
    static double us[4096];
    const int count = bench_size(b) > 0 ? 1 : 3; // a run of one crowd size measures one number of frames
    search_data data = { 0 };
    rounds = rounds < 4096 ? rounds : 4096;
    am_result result = search_data_load(&data, b, config, false, sizes[count - 1], err);
    am_db_range *ranges = result == AM_OK ? calloc((size_t)data.range_count + 1, sizeof *ranges) : NULL;
    float *asked = result == AM_OK ? calloc((size_t)questions * (size_t)data.stride, sizeof *asked) : NULL;
    for (int s = 0; s < count && result == AM_OK && ranges && asked; s++) {
        am_db db = search_data_db(&data, sizes[s], ranges);
        am_index *index = NULL;
        am_search_work *work = NULL;
        ami_index_def def = ami_index_def_default();
        def.db = &db;
        result = ami_index_create(&index, &def, err);
        result = result == AM_OK ? ami_search_work_create(&work, index, NULL, err) : result;
        search_data_questions(&data, sizes[s], 1, asked, questions);
        uint64_t sum = 0;
        for (int r = -2; r < rounds && result == AM_OK; r++) {
            am_hit hit = { 0 };
            ami_search search = ami_search_default();
            search.k = 1;
            double begun = bench_cpu_us();
            for (int q = 0; q < questions; q++) {
                search.x = asked + (size_t)q * (size_t)data.stride;
                ami_index_search(index, &hit, &search, work);
                sum += (uint64_t)hit.frame;
            }
            us[r < 0 ? 0 : r] = (bench_cpu_us() - begun) / questions / learned_project_every;
        }
        if (result == AM_OK) {
            bench_row(b, "match frame", "amble", sizes[s], config, us, rounds, sum);
            bench_note(b, "matching over %d frames: %.1f MB of features and index, poses not counted", sizes[s],
                       ((double)sizes[s] * data.stride * 4 + (double)ami_index_bytes(index)) / 1e6);
        }
        ami_search_work_destroy(work);
        ami_index_destroy(index);
    }
    free(asked);
    free(ranges);
    search_data_free(&data);
    return result;
}

// ---------------------------------------------------------------------------------------------
// A crowd

typedef struct crowd {
    am_asset *asset;
    am_search_work *work;
    am_actor **characters;
    am_intent *intents;
    int count;
} crowd;

static void crowd_end(crowd *c)
{
    for (int i = c->count - 1; i >= 0; i--) {
        am_actor_destroy(c->characters[i]);
    }
    free(c->characters);
    free(c->intents);
    ami_search_work_destroy(c->work);
    am_asset_close(c->asset);
}

static am_result crowd_begin(crowd *c, const am_model *model, int count, am_error *err)
{
    am_asset_def def;
    am_asset_def_init(&def);
    def.models = &model;
    def.model_count = 1;
    c->characters = calloc((size_t)count, sizeof *c->characters);
    c->intents = calloc((size_t)count, sizeof *c->intents);
    if (!c->characters || !c->intents) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d characters", count);
        return AM_ERR_MEMORY;
    }
    am_result result = am_asset_create(&c->asset, &def, err);
    if (result == AM_OK) {
        result = am_source_work_create(&c->work, ami_asset_source(c->asset, AM_METHOD_LEARNED), 1, NULL, err);
    }
    for (int i = 0; i < count && result == AM_OK; i++) {
        am_actor_def body;
        am_actor_def_init(&body, c->asset);
        body.work = c->work;
        body.position = am_v3((float)(i % 32), 0.0f, (float)i / 32.0f);
        result = am_actor_create(&c->characters[i], &body, err);
        c->count += result == AM_OK;
        float angle = 0.7f * (float)i;
        c->intents[i].velocity = am_v3(1.2f * am_sin(angle), 0.0f, 1.2f * am_cos(angle));
    }
    // Characters made at once would all project in the same frame.
    for (int i = 0; i < count && result == AM_OK; i++) {
        for (int f = 0; f < i % learned_project_every; f++) {
            am_actor_step(c->characters[i], &c->intents[i], dt);
        }
    }
    return result;
}

static am_result crowd_rows(bench *b, const am_model *model, const char *weights, int count, int frames,
                            am_error *err)
{
    static double us[2][4096];
    uint64_t sums[2] = { 0, 0 };
    frames = frames < 4096 ? frames : 4096;
    am_result result = AM_OK;
    for (int batched = 0; batched < 2 && result == AM_OK; batched++) {
        crowd c = { 0 };
        result = crowd_begin(&c, model, count, err);
        for (int f = 0; f < frames && result == AM_OK; f++) {
            double begun = bench_cpu_us();
            if (batched) {
                am_actors_step(c.characters, c.intents, count, dt, NULL);
            } else {
                for (int i = 0; i < count; i++) {
                    am_actor_step(c.characters[i], &c.intents[i], dt);
                }
            }
            us[batched][f] = (bench_cpu_us() - begun) / count;
        }
        for (int i = 0; i < c.count; i++) {
            sums[batched] = sums[batched] * 0x9E3779B97F4A7C15u + am_actor_hash(c.characters[i]);
        }
        crowd_end(&c);
    }
    if (result == AM_OK && sums[0] != sums[1]) {
        cli_error(err, AM_ERR_DEF, NULL,
                  "bench crowd: a batch of learned characters gave bits that differ from single steps");
        result = AM_ERR_DEF;
    }
    if (result == AM_OK) {
        char subject[64];
        snprintf(subject, sizeof subject, "learned step %s", weights);
        bench_row(b, subject, "amble", count, "single", us[0], frames, sums[0]);
        bench_row(b, subject, "amble", count, "batch", us[1], frames, sums[1]);
    }
    return result;
}

int bench_crowd_learned(bench *b, const am_db *db, const char *config, int count, int frames)
{
    am_error err = { 0 };
    am_model *fp32 = NULL, *int8 = NULL;
    am_result result = open_model(b, &fp32, db, &err);
    am_model *plain = NULL; // the shipped model may already have smaller weights
    result = result == AM_OK ? learned_convert(&plain, fp32, AM_NET_FP32, &err) : result;
    result = result == AM_OK ? learned_convert(&int8, fp32, AM_NET_INT8, &err) : result;
    const am_model *models[2] = { plain, int8 };
    result = result == AM_OK ? frame_rows(b, models, frames, &err) : result;
    if (result == AM_OK) {
        bench_note(b, "networks: %.2f MB fp32, %.2f MB int8 with start states and facts",
                   (double)plain->image_size / 1e6, (double)int8->image_size / 1e6);
        result = match_rows(b, config, bench_full(b) ? 60 : 12, &err);
    }
    result = result == AM_OK ? crowd_rows(b, plain, "fp32", count, frames / 5 + 1, &err) : result;
    result = result == AM_OK ? crowd_rows(b, int8, "int8", count, frames / 5 + 1, &err) : result;
    am_model_close(int8);
    am_model_close(plain);
    am_model_close(fp32);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}
