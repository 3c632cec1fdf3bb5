/// Three small networks of learned motion matching, trained within seconds on procedural motion: Decompressor,
/// Stepper and Projector by plain regression. The latents are a fixed random projection of the poses, which a
/// Decompressor reads as well as those of a Compressor.
#ifndef AMBLE_TESTS_TRAIN_TINY_LMM_H
#define AMBLE_TESTS_TRAIN_TINY_LMM_H

#include "support/check.h"
#include "support/synth_db.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/pose_vector.h"
#include "data/search.h"
#include "net/build.h"
#include "train/training.h"

#include <amble/train.h>

enum { tiny_latent = 24, tiny_hidden = 128, tiny_batch = 64 };

typedef struct tiny_lmm {
    am_db *db;
    am_index *index;
    am_search_work *work; ///< of the one thread that trains
    float *y;             ///< [frame][y_count]
    float *z;             ///< [frame][tiny_latent]
    int x_count, y_count;
    am_net_graph *graphs[3]; ///< decompressor, stepper, projector
    am_model *bare;          ///< the three parts
    am_model *model;         ///< packed
} tiny_lmm;

/// What a pass of training needs.
typedef struct tiny_task {
    const tiny_lmm *t;
    int which;
    float *weights; ///< [outputs] 1 / deviation
} tiny_task;

static inline void tiny_scale(const float *rows, int count, size_t stride, int width, float *mean, float *deviation)
{
    for (int d = 0; d < width; d++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < count; i++) {
            double v = (double)rows[(size_t)i * stride + (size_t)d];
            sum += v;
            squares += v * v;
        }
        double m = sum / count;
        double var = squares / count - m * m;
        mean[d] = (float)m;
        deviation[d] = var > 1e-8 ? (float)sqrt(var) : 1e-2f;
    }
}

/// Row of one sample: inputs, then the target. Frames whose next one is in the same range only.
static inline void tiny_sample(const tiny_task *task, am_rng *rng, float *in, float *out)
{
    const tiny_lmm *t = task->t;
    const am_db *db = t->db;
    size_t x = (size_t)t->x_count, latent = tiny_latent, y = (size_t)t->y_count;
    int f = 0;
    do {
        f = (int)am_rng_below(rng, (uint32_t)db->frame_count);
    } while (ami_db_clamp(db, f, 1) == f);
    memcpy(in, am_db_x(db, f), x * sizeof(float));
    if (task->which == 2) {
        float sigma = am_rng_float(rng);
        float noisy[AM_MAX_FEATURES] = { 0 };
        for (size_t d = 0; d < x; d++) {
            in[d] += sigma * am_rng_normal(rng);
            noisy[d] = in[d];
        }
        am_hit hit = { f, 0.0f };
        ami_search search = ami_search_default();
        search.x = noisy;
        search.k = 1;
        ami_index_search(t->index, &hit, &search, t->work);
        memcpy(out, am_db_x(db, hit.frame), x * sizeof(float));
        memcpy(out + x, t->z + (size_t)hit.frame * latent, latent * sizeof(float));
        return;
    }
    memcpy(in + x, t->z + (size_t)f * latent, latent * sizeof(float));
    if (task->which == 0) {
        memcpy(out, t->y + (size_t)f * y, y * sizeof(float));
        return;
    }
    for (size_t d = 0; d < x; d++) {
        out[d] = (am_db_x(db, f + 1)[d] - am_db_x(db, f)[d]) * db->fps;
    }
    for (size_t d = 0; d < latent; d++) {
        out[x + d] = (t->z[((size_t)f + 1) * latent + d] - t->z[(size_t)f * latent + d]) * db->fps;
    }
}

static inline double tiny_pass(void *user, ami_train_block *block)
{
    const tiny_task *task = user;
    const am_net_graph *g = task->t->graphs[task->which];
    int columns = ami_block_columns(block);
    int output = ami_net_graph_output_at(g, 0);
    int width = g->values[output].width;
    float *target = ami_block_scratch(block, (size_t)width * (size_t)columns);
    float in[1024], out[1024];
    for (int c = 0; c < ami_block_used(block); c++) {
        am_rng rng = ami_rng_make(7 + (uint64_t)task->which);
        rng = ami_rng_fork(&rng, ami_block_item(block, c));
        tiny_sample(task, &rng, in, out);
        int at = 0;
        for (int i = 0; i < g->input_count; i++) {
            int value = ami_net_graph_input_at(g, i);
            float *x = ami_block_value(block, 0, value, 0);
            for (int d = 0; d < g->values[value].width; d++) {
                x[(size_t)d * (size_t)columns + (size_t)c] = in[at++];
            }
        }
        for (int d = 0; d < width; d++) {
            target[(size_t)d * (size_t)columns + (size_t)c] = out[d];
        }
    }
    ami_block_forward(block, 0, 0);
    ami_loss loss = { AMI_LOSS_L1, task->weights, 1.0 };
    double sum = ami_block_loss(block, &loss, ami_block_grad(block, 0, output, 0),
                                ami_block_value(block, 0, output, 0), target, width);
    ami_block_backward(block, 0, 0);
    return sum;
}

/// A network with normal inputs and outputs; `scales` are those of the inputs, then of the outputs.
static inline am_net_graph *tiny_graph(const char *name, const char *output, int x, int z, int out, int hidden,
                                       const float *in_mean, const float *in_dev, const float *out_mean,
                                       const float *out_dev)
{
    am_net_graph *g = NULL;
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&g, name, NULL, &err), &err);
    int parts[2] = { ami_net_graph_input(g, "x", x), -1 };
    if (z > 0) {
        parts[1] = ami_net_graph_input(g, "z", z);
    }
    int v = z > 0 ? ami_net_graph_concat(g, parts, 2) : parts[0];
    int normal = v = ami_net_graph_normalise(g, v);
    for (int h = 0; h < hidden; h++) {
        v = ami_net_graph_activation(g, ami_net_graph_linear(g, v, tiny_hidden), AM_NET_RELU);
    }
    int restored = ami_net_graph_restore(g, ami_net_graph_linear(g, v, out));
    ami_net_graph_output(g, output, restored);
    check_ok(ami_net_graph_finish(g, &err), &err);
    ami_net_graph_randomise(g, 3);
    for (int d = 0; d < x + z; d++) {
        ami_net_graph_tensor(g, normal, 0)[d] = in_mean[d];
        ami_net_graph_tensor(g, normal, 1)[d] = 1.0f / in_dev[d];
    }
    for (int d = 0; d < out; d++) {
        ami_net_graph_tensor(g, restored, 0)[d] = out_mean[d];
        ami_net_graph_tensor(g, restored, 1)[d] = out_dev[d];
    }
    return g;
}

static inline void tiny_data(tiny_lmm *t)
{
    const am_db *db = t->db;
    ami_pose_layout layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    size_t frames = (size_t)db->frame_count, width = (size_t)layout.count;
    t->x_count = db->features.count;
    t->y_count = layout.count;
    t->y = calloc(frames * width, sizeof(float));
    t->z = calloc(frames * tiny_latent, sizeof(float));
    float *mean = calloc(2 * width, sizeof(float));
    float *mix = calloc(width * tiny_latent, sizeof(float));
    for (int f = 0; f < db->frame_count; f++) {
        ami_pose_vector(db, f, t->y + (size_t)f * width);
    }
    tiny_scale(t->y, db->frame_count, width, layout.count, mean, mean + width);
    am_rng rng = ami_rng_make(5);
    for (size_t i = 0; i < width * tiny_latent; i++) {
        mix[i] = am_rng_normal(&rng) / sqrtf((float)width);
    }
    for (size_t f = 0; f < frames; f++) {
        for (size_t k = 0; k < tiny_latent; k++) {
            float sum = 0.0f;
            for (size_t d = 0; d < width; d++) {
                sum += mix[k * width + d] * (t->y[f * width + d] - mean[d]) / mean[width + d];
            }
            t->z[f * tiny_latent + k] = sum;
        }
    }
    free(mix);
    free(mean);
}

static inline void tiny_learn(tiny_lmm *t, int which, float *weights, int iterations)
{
    am_error err = { 0 };
    ami_trainer *trainer = NULL;
    ami_trainer_def def = ami_trainer_def_default();
    def.graphs = &t->graphs[which];
    def.graph_count = 1;
    def.batch = tiny_batch;
    def.threads = 1;
    def.optimiser.rate = 0.002f;
    def.optimiser.schedule = AMI_RATE_LINEAR;
    def.optimiser.factor = 0.1f;
    def.optimiser.iterations = iterations;
    check_ok(ami_trainer_create(&trainer, &def, &err), &err);
    tiny_task task = { t, which, weights };
    double first = 0.0, loss = 0.0;
    for (int i = 0; i < iterations; i++) {
        check_ok(ami_trainer_step(trainer, tiny_pass, &task, &loss, &err), &err);
        first = i == 0 ? loss : first;
    }
    assert_true(loss < 0.8 * first);
    ami_trainer_destroy(trainer);
}

/// The three graphs, not yet trained.
static inline void tiny_graphs(tiny_lmm *t)
{
    enum { most = 1024 };
    const am_db *db = t->db;
    int x = t->x_count, both = t->x_count + tiny_latent;
    size_t frames = (size_t)db->frame_count;
    float *rows = calloc(frames * (size_t)both, sizeof(float));
    float *rates = calloc(frames * (size_t)both, sizeof(float));
    static float in_mean[most], in_dev[most], rate_mean[most], rate_dev[most], y_mean[most], y_dev[most];
    for (size_t f = 0; f < frames; f++) {
        memcpy(rows + f * (size_t)both, am_db_x(db, (int)f), (size_t)x * sizeof(float));
        memcpy(rows + f * (size_t)both + x, t->z + f * tiny_latent, tiny_latent * sizeof(float));
    }
    for (size_t f = 0; f + 1 < frames; f++) {
        bool joined = ami_db_clamp(db, (int)f, 1) != (int)f;
        for (size_t d = 0; joined && d < (size_t)both; d++) {
            rates[f * (size_t)both + d] = (rows[(f + 1) * (size_t)both + d] - rows[f * (size_t)both + d]) * db->fps;
        }
    }
    tiny_scale(rows, db->frame_count, (size_t)both, both, in_mean, in_dev);
    tiny_scale(rates, db->frame_count, (size_t)both, both, rate_mean, rate_dev);
    tiny_scale(t->y, db->frame_count, (size_t)t->y_count, t->y_count, y_mean, y_dev);
    t->graphs[0] = tiny_graph("decompressor", "pose", x, tiny_latent, t->y_count, 1, in_mean, in_dev, y_mean, y_dev);
    t->graphs[1] = tiny_graph("stepper", "rate", x, tiny_latent, both, 2, in_mean, in_dev, rate_mean, rate_dev);
    t->graphs[2] = tiny_graph("projector", "xz", x, 0, both, 2, in_mean, in_dev, in_mean, in_dev);
    free(rows);
    free(rates);
}

static inline am_model *tiny_model(const tiny_lmm *t, am_net_weights weights)
{
    am_model *model = NULL;
    am_error err = { 0 };
    const am_net_weights all[3] = { weights, weights, weights };
    const am_net_graph *graphs[3] = { t->graphs[0], t->graphs[1], t->graphs[2] };
    am_model_def def = ami_model_def_default();
    def.graphs = graphs;
    def.graph_count = 3;
    def.weights = all;
    def.sample_count = 16;
    def.data_hash = def.database_hash = t->db->hash;
    check_ok(am_model_create(&model, &def, &err), &err);
    return model;
}

static inline am_model *tiny_packed(const tiny_lmm *t, am_net_weights weights)
{
    am_error err = { 0 };
    am_model *packed = NULL;
    am_model *bare = tiny_model(t, weights);
    check_ok(ami_learned_pack(&packed, bare, t->db, NULL, &err), &err);
    am_model_close(bare);
    return packed;
}

/// Trains all three for a number of iterations.
static inline void tiny_begin(tiny_lmm *t, const char *schema, int iterations)
{
    static float weights[3][1024];
    am_error err = { 0 };
    memset(t, 0, sizeof *t);
    t->db = synth_db_make_of(schema, &err);
    assert_non_null(t->db);
    ami_index_def index = ami_index_def_default();
    index.db = t->db;
    index.kind = AMI_INDEX_FAST;
    check_ok(ami_index_create(&t->index, &index, &err), &err);
    check_ok(ami_search_work_create(&t->work, t->index, NULL, &err), &err);
    tiny_data(t);
    tiny_graphs(t);
    for (int g = 0; g < 3; g++) {
        int output = ami_net_graph_output_at(t->graphs[g], 0);
        for (int d = 0; d < t->graphs[g]->values[output].width; d++) {
            weights[g][d] = 1.0f / ami_net_graph_tensor(t->graphs[g], output, 1)[d];
        }
        tiny_learn(t, g, weights[g], iterations);
    }
    t->bare = tiny_model(t, AM_NET_FP32);
    check_ok(ami_learned_pack(&t->model, t->bare, t->db, NULL, &err), &err);
}

static inline void tiny_end(tiny_lmm *t)
{
    am_model_close(t->model);
    am_model_close(t->bare);
    for (int g = 0; g < 3; g++) {
        am_net_graph_destroy(t->graphs[g]);
    }
    ami_search_work_destroy(t->work);
    ami_index_destroy(t->index);
    am_db_close(t->db);
    free(t->y);
    free(t->z);
}

#endif
