/// Flow and segment characters of small networks, made in memory without training. No test framework here, so that
/// the bits program can use them too.
#ifndef AMBLE_TEST_FLOW_MODEL_H
#define AMBLE_TEST_FLOW_MODEL_H

#include <amble/tools/tools.h>

#include "data/facts.h"
#include "data/pose_vector.h"
#include "method/flow_file.h"
#include "method/sources.h"
#include "net/build.h"
#include "operators/control.h"

#include <stdlib.h>
#include <string.h>

/// What is asked of them: somewhere to go, a facing where one is given, and a style.
static const char flow_model_schema[] = "{\"name\": \"test\", \"control\": {\"and\": {\"target\": \"location\", "
                                        "\"facing\": {\"optional\": \"direction\"}, "
                                        "\"style\": {\"one_of\": [\"plain\", \"proud\", \"sad\"]}}}}";

enum { flow_model_latents = 7, flow_model_frames = 8 };

/// How one is made. All zero: a flow that predicts clean samples.
typedef struct flow_model_def {
    bool segments, velocity, guided, told;
    am_net_weights weights;
    const char *schema;   ///< NULL: flow_model_schema; "": nothing can be asked
    const char *controls; ///< file of controls to attach, or NULL
    /// Walks by its control instead of by chance: latent 0 is the speed ahead, latent 1 the turning.
    bool puppet;
    float blow_up; ///< factor of the decoder's weights and scales: 1e30 gives poses that are not finite. 0: 1
    // Faults:
    const char *without;  ///< a part or attachment to leave out
    int latents_off;      ///< added to the head's latent count
    int vector_off;       ///< added to the head's vector count
    float bad_latent;     ///< added to the first start latent
    uint32_t version_off; ///< added to the head's version
} flow_model_def;

/// Everything while one is made.
typedef struct flow_model_parts {
    const flow_model_def *def;
    const am_db *db;
    ami_pose_layout layout;
    am_control_schema *schema;
    am_net_graph *graphs[4];
    int graph_count;
    float *mean, *scale; ///< of poses
    int vector, control;
    am_error *err;
} flow_model_parts;

static inline am_net_graph *flow_model_begin(flow_model_parts *p, const char *name)
{
    am_net_graph *g = NULL;
    bool skip = p->def->without && strcmp(p->def->without, name) == 0;
    if (skip || ami_net_graph_create(&g, name, NULL, p->err) != AM_OK) {
        return NULL;
    }
    p->graphs[p->graph_count++] = g;
    return g;
}

/// Two layers of GELU.
static inline int flow_model_layers(am_net_graph *g, int x, int out)
{
    x = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 24), AM_NET_GELU);
    x = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 24), AM_NET_GELU);
    return ami_net_graph_linear(g, x, out);
}

static inline bool flow_model_end(flow_model_parts *p, am_net_graph *g, uint64_t seed)
{
    if (!g || ami_net_graph_finish(g, p->err) != AM_OK) {
        return g == NULL;
    }
    ami_net_graph_randomise(g, seed);
    return true;
}

static inline bool flow_model_poses(flow_model_parts *p)
{
    am_net_graph *e = flow_model_begin(p, "pose_encoder");
    int scaled = -1, restored = -1, first = -1;
    if (e) {
        scaled = ami_net_graph_normalise(e, ami_net_graph_input(e, "pose", p->layout.count));
        ami_net_graph_output(e, "latent", ami_net_graph_linear(e, scaled, flow_model_latents));
    }
    bool good = flow_model_end(p, e, 1);
    am_net_graph *d = flow_model_begin(p, "pose_decoder");
    if (d) {
        first = ami_net_graph_linear(d, ami_net_graph_input(d, "latent", flow_model_latents), p->layout.count);
        restored = ami_net_graph_restore(d, first);
        ami_net_graph_output(d, "pose", restored);
    }
    good = good && flow_model_end(p, d, 2);
    const size_t size = (size_t)p->layout.count * sizeof(float);
    for (int i = 0; good && e && i < p->layout.count; i++) {
        ami_net_graph_tensor(e, scaled, 0)[i] = p->mean[i];
        ami_net_graph_tensor(e, scaled, 1)[i] = 1.0f / p->scale[i];
    }
    if (good && d) {
        float *weights = ami_net_graph_tensor(d, first, 0);
        memcpy(ami_net_graph_tensor(d, restored, 1), p->scale, size);
        memcpy(ami_net_graph_tensor(d, restored, 0), p->mean, size);
        float blow = p->def->blow_up != 0.0f ? p->def->blow_up : 1.0f;
        for (int i = 0; i < p->layout.count * flow_model_latents; i++) {
            weights[i] *= p->def->puppet ? 0.0f : blow;
            ami_net_graph_tensor(d, restored, 1)[i % p->layout.count] = blow * p->scale[i % p->layout.count];
        }
        if (p->def->puppet) { // a statue on wheels
            memset(ami_net_graph_tensor(d, first, 1), 0, size);
            int ahead = p->layout.root_linear + 2, turns = p->layout.root_angular + 1;
            for (int i = p->layout.velocities; i < p->layout.contacts; i++) {
                ami_net_graph_tensor(d, restored, 0)[i] = 0.0f;
                ami_net_graph_tensor(d, restored, 1)[i] = 1.0f;
            }
            weights[ahead * flow_model_latents] = 1.0f;
            weights[turns * flow_model_latents + 1] = 1.0f;
        }
    }
    return good;
}

/// The puppet: speed ahead from how far the target is ahead, turning from how far it is aside, both limited by tanh.
static inline void flow_model_wire(am_net_graph *g, int x, int hidden, int out, int at)
{
    int in = g->values[x].width;
    float *w = ami_net_graph_tensor(g, hidden, 0), *b = ami_net_graph_tensor(g, hidden, 1);
    float *v = ami_net_graph_tensor(g, out, 0), *c = ami_net_graph_tensor(g, out, 1);
    memset(w, 0, 2 * (size_t)in * sizeof *w);
    memset(b, 0, 2 * sizeof *b);
    memset(v, 0, 2 * flow_model_latents * sizeof *v);
    memset(c, 0, flow_model_latents * sizeof *c);
    w[at + 2] = 0.8f;
    w[in + at] = 1.6f;
    v[0] = 1.2f;
    v[2 + 1] = 2.0f;
}

static inline bool flow_model_controller(flow_model_parts *p)
{
    const flow_model_def *def = p->def;
    bool good = true;
    if (p->control > 0) {
        am_net_graph *g = flow_model_begin(p, "control_encoder");
        int out = -1;
        if (g) {
            out = ami_net_graph_linear(g, ami_net_graph_input(g, "vector", p->vector), p->control);
            ami_net_graph_output(g, "encoding", out);
        }
        good = flow_model_end(p, g, 3);
        float *w = good && g && def->puppet ? ami_net_graph_tensor(g, out, 0) : NULL;
        for (int i = 0; w && i < p->control * p->vector; i++) {
            w[i] = i / p->vector == i % p->vector ? 1.0f : 0.0f;
        }
        for (int i = 0; w && i < p->control; i++) {
            ami_net_graph_tensor(g, out, 1)[i] = 0.0f;
        }
    }
    am_net_graph *g = flow_model_begin(p, def->segments ? "segments" : "flow");
    int inputs[5], count = 0, at = 0;
    if (!g) {
        return good;
    }
    if (!def->segments) {
        inputs[count++] = ami_net_graph_input(g, "x", flow_model_latents);
        inputs[count++] = ami_net_graph_input(g, "previous", flow_model_latents);
        at = 2 * flow_model_latents;
    }
    if (p->control > 0) {
        inputs[count++] = ami_net_graph_input(g, "control", p->control);
    }
    if (!def->segments) {
        inputs[count++] = ami_net_graph_input(g, "time", 1);
    }
    if (def->told) {
        inputs[count++] = ami_net_graph_input(g, "noise", 1);
    }
    if (count == 0) { // a fault: there is nothing to ask
        inputs[count++] = ami_net_graph_input(g, "control", 3);
    }
    int x = ami_net_graph_concat(g, inputs, count);
    int hidden = -1, out = -1;
    if (def->puppet) {
        hidden = ami_net_graph_linear(g, x, 2);
        out = ami_net_graph_linear(g, ami_net_graph_activation(g, hidden, AM_NET_TANH), flow_model_latents);
    } else {
        out = flow_model_layers(g, x, flow_model_latents * (def->segments ? flow_model_frames : 1));
    }
    ami_net_graph_output(g, def->segments ? "latents" : "latent", out);
    good = good && flow_model_end(p, g, 4);
    if (good && def->puppet) {
        flow_model_wire(g, x, hidden, out, at);
    }
    return good;
}

/// Mean and deviation of the database's pose vectors.
static inline bool flow_model_scales(flow_model_parts *p)
{
    size_t width = (size_t)p->layout.count;
    float *y = calloc(width, sizeof *y);
    p->mean = calloc(2 * width, sizeof *p->mean);
    p->scale = p->mean ? p->mean + width : NULL;
    int every = p->db->frame_count / 200 + 1, count = 0;
    for (int f = 0; y && p->mean && f < p->db->frame_count; f += every, count++) {
        ami_pose_vector(p->db, f, y);
        for (size_t i = 0; i < width; i++) {
            p->mean[i] += y[i];
            p->scale[i] += y[i] * y[i];
        }
    }
    for (size_t i = 0; p->mean && i < width; i++) {
        p->mean[i] /= (float)count;
        float variance = p->scale[i] / (float)count - p->mean[i] * p->mean[i];
        p->scale[i] = variance > 1e-4f ? sqrtf(variance) : 1e-2f;
    }
    free(y);
    return p->mean != NULL;
}

/// The attachments, and the model around them.
static inline am_model *flow_model_pack(flow_model_parts *p)
{
    const flow_model_def *def = p->def;
    enum { starts = 3 };
    const size_t z = flow_model_latents, v = (size_t)p->vector;
    float *numbers = calloc(3 * z + 2 * v + starts * z, sizeof *numbers);
    uint32_t random = 9;
    ami_flow_latents l = { .head = { .flags = (def->velocity ? AMI_FLOW_VELOCITY : 0u) |
                                              (def->guided ? AMI_FLOW_GUIDED : 0u),
                                     .latent_count = flow_model_latents,
                                     .frames = def->segments ? flow_model_frames : 1,
                                     .vector_count = p->vector,
                                     .control_count = p->control,
                                     .start_count = starts,
                                     .steps = 4,
                                     .fps = 60.0f,
                                     .noise = def->puppet ? 0.0f : 0.6f,
                                     .noise_memory = 0.9f,
                                     .guidance = def->guided ? 1.6f : 1.0f,
                                     .pose_noise = 0.1f,
                                     .schema_hash = p->schema ? p->schema->hash : 0 },
                           .deviation = numbers,
                           .low = numbers + z,
                           .high = numbers + 2 * z,
                           .control_low = numbers + 3 * z,
                           .control_high = numbers + 3 * z + v,
                           .starts = numbers + 3 * z + 2 * v };
    for (size_t i = 0; i < z; i++) {
        numbers[i] = 0.5f + 0.1f * (float)i;
        numbers[z + i] = -3.0f;
        numbers[2 * z + i] = 3.0f;
    }
    for (size_t i = 0; i < v; i++) {
        numbers[3 * z + i] = -2.0f;
        numbers[3 * z + v + i] = i == 2 ? 4.0f : 2.0f;
    }
    for (size_t i = 0; i < starts * z && !def->puppet; i++) {
        random = random * 1664525u + 1013904223u;
        numbers[3 * z + 2 * v + i] = (float)(random >> 8) / 16777216.0f - 0.5f;
    }
    numbers[3 * z + 2 * v] += def->bad_latent;
    size_t size = ami_flow_latents_size(&l.head);
    void *latents = malloc(size);
    ami_flow_latents_write(latents, &l);
    ((ami_flow_head *)latents)->latent_count += def->latents_off;
    ((ami_flow_head *)latents)->vector_count += def->vector_off;
    ((ami_flow_head *)latents)->version += def->version_off;
    const int frames[starts] = { 10, 1300, 2000 };
    static const char *const names[starts] = { "stand", "walk", "run" };
    am_db *character = NULL;
    am_db_copy_def copy = am_db_copy_def_default();
    copy.db = p->db;
    copy.frames = frames;
    copy.frame_count = starts;
    copy.names = names;
    copy.config = "{}";
    am_facts facts = { .version = AMI_FACTS_VERSION,
                       .activities = 1u << AM_ACTIVITY_MOVE | 1u << AM_ACTIVITY_STAND,
                       .hip_m = 0.9f,
                       .walk_mps = 1.3f,
                       .sprint_mps = 3.0f,
                       .sneak_mps = 0.7f,
                       .v_max = 3.5f,
                       .v_least = 0.4f,
                       .v_run = 2.0f,
                       .lateral = 3.0f,
                       .faster_mps2 = 2.0f,
                       .slower_mps2 = 2.0f };
    am_model *model = NULL;
    const char *schema = def->schema ? def->schema : flow_model_schema;
    if (latents && am_db_copy(&character, &copy, p->err) == AM_OK) {
        const am_model_blob all[] = { { AM_LEARNED_CHARACTER, character->image, character->image_size },
                                      { AMI_LEARNED_FACTS, &facts, sizeof facts },
                                      { AMI_FLOW_LATENTS, latents, size },
                                      { AMI_FLOW_SCHEMA, schema, strlen(schema) },
                                      { AMI_FLOW_CONTROLS, def->controls,
                                        def->controls ? strlen(def->controls) : 0 } };
        am_model_blob blobs[5];
        const am_net_weights weights[4] = { def->weights, def->weights, def->weights, def->weights };
        am_model_def m;
        am_model_def_init(&m, NULL);
        for (int i = 0; i < 5; i++) {
            bool skip =
                (def->without && strcmp(def->without, all[i].name) == 0) || (i == 3 && !p->schema) || !all[i].data;
            if (!skip) {
                blobs[m.attachment_count++] = all[i];
            }
        }
        m.graphs = (const am_net_graph *const *)p->graphs;
        m.graph_count = p->graph_count;
        m.weights = weights;
        m.sample_count = 8;
        m.attachments = blobs;
        if (am_model_create(&model, &m, p->err) != AM_OK) {
            model = NULL;
        }
    }
    am_db_close(character);
    free(latents);
    free(numbers);
    return model;
}

/// A model over the skeleton and some frames of a database of at least 2,001; NULL with *err filled when it cannot be
/// made.
static inline am_model *flow_model_make(const am_db *db, const flow_model_def *def, am_error *err)
{
    flow_model_parts p = { .def = def, .db = db, .err = err };
    p.layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    const char *schema = def->schema ? def->schema : flow_model_schema;
    bool good = !schema[0] || am_control_schema_read(&p.schema, schema, strlen(schema), "schema", NULL, err) == AM_OK;
    p.vector = good && p.schema ? p.schema->vector_count : 0;
    p.control = good && p.schema ? p.schema->width : 0;
    good = good && flow_model_scales(&p) && flow_model_poses(&p) && flow_model_controller(&p);
    am_model *model = good ? flow_model_pack(&p) : NULL;
    for (int g = 0; g < p.graph_count; g++) {
        am_net_graph_destroy(p.graphs[g]);
    }
    am_control_schema_destroy(p.schema);
    free(p.mean);
    return model;
}

#endif
