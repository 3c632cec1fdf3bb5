// Measures the accuracy lost by 16- and 8-bit weights: both networks run on the same inputs.
#include "net/pack.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/layer.h"
#include "base/rng.h"
#include "net/build.h"

#include <math.h>
#include <string.h>

/// A network of one part, for the measurement only.
typedef struct trial {
    am_model *model;
    am_net *net;
    am_net_work *work;
} trial;

static void trial_end(trial *t)
{
    am_net_work_destroy(t->work);
    am_net_destroy(t->net);
    am_model_close(t->model);
}

static am_result finish_trial(trial *t, const am_alloc *alloc, am_error *err)
{
    am_net_def def;
    am_net_def_init(&def);
    def.alloc = alloc;
    def.model = t->model;
    am_result result = am_net_create(&t->net, &def, err);
    return result == AM_OK ? am_net_work_create(&t->work, t->net, 1, alloc, err) : result;
}

static am_result trial_begin(trial *t, const am_net_graph *graph, am_net_weights weights, const am_alloc *alloc,
                             am_error *err)
{
    am_model_def def = ami_model_def_default();
    def.alloc = alloc;
    def.graphs = &graph;
    def.weights = &weights;
    def.graph_count = 1;
    am_result result = ami_model_pack(&t->model, &def, false, err);
    return result == AM_OK ? finish_trial(t, alloc, err) : result;
}

/// The operation that reads a value first, or NULL.
static const am_net_op *reader_of(const am_net_graph *graph, int value, int *place)
{
    for (int i = 0; i < graph->op_count; i++) {
        for (int k = 0; k < ami_net_in_count(&graph->ops[i]); k++) {
            if (graph->ops[i].in[k] == value) {
                *place = k;
                return &graph->ops[i];
            }
        }
    }
    return NULL;
}

/// Standard normal numbers before normalisation; a random index or count where one is read.
static void draw(float *out, const am_net_graph *graph, int value, am_rng *rng)
{
    const am_net_value *v = &graph->values[value];
    int place = 0;
    const am_net_op *op = reader_of(graph, value, &place);
    const ami_net_layer *layer = op ? ami_net_layer_of(op->kind) : NULL;
    bool whole = layer && (layer->whole_in >> place & 1u) != 0;
    uint32_t choices = whole ? (uint32_t)layer->choices(op, graph->values) : 0;
    bool scaled = op && op->kind == AM_NET_NORMALISE;
    const float *mean = scaled ? ami_net_graph_tensor(graph, op->out, 0) : NULL;
    const float *scale = scaled ? ami_net_graph_tensor(graph, op->out, 1) : NULL;
    for (int i = 0; i < v->rows * v->width; i++) {
        float x = choices ? (float)am_rng_below(rng, choices) : am_rng_normal(rng);
        int c = i % v->width;
        out[i] = scaled && scale[c] != 0.0f ? mean[c] + x / scale[c] : x;
    }
}

/// Sums over all samples.
typedef struct sums {
    double change, size, most;
    uint64_t count;
} sums;

static void compare(sums *s, const trial *a, const trial *b, float *x, float *y)
{
    for (int o = 0; o < ami_net_output_count(a->net); o++) {
        am_net_get(a->work, o, 0, x);
        am_net_get(b->work, o, 0, y);
        for (int i = 0; i < am_net_output_size(a->net, o); i++) {
            double d = (double)y[i] - (double)x[i];
            d = d < 0.0 ? -d : d;
            s->change += d * d;
            s->size += (double)x[i] * (double)x[i];
            s->most = d > s->most ? d : s->most;
            s->count++;
        }
    }
}

static void run_samples(sums *s, const trial *a, const trial *b, const am_net_graph *graph, const float *samples,
                        int sample_count, float *x, float *y)
{
    am_rng rng = ami_rng_make(20201);
    for (int n = 0; n < sample_count; n++) {
        for (int i = 0; i < graph->input_count; i++) {
            const float *given = samples;
            if (samples) {
                samples += am_net_input_size(a->net, i);
            } else {
                draw(x, graph, ami_net_graph_input_at(graph, i), &rng);
                given = x;
            }
            am_net_put(a->work, i, 0, given);
            am_net_put(b->work, i, 0, given);
        }
        am_net_run(a->net, a->work, 1);
        am_net_run(b->net, b->work, 1);
        compare(s, a, b, x, y);
    }
}

am_result ami_net_measure(am_model_part *part, const am_net_graph *graph, const am_net_graph *rounded,
                          const float *samples, int sample_count, const am_alloc *alloc, am_error *err)
{
    trial plain = { 0 }, packed = { 0 };
    size_t most = 1;
    for (int v = 0; v < graph->value_count; v++) {
        size_t size = (size_t)graph->values[v].rows * (size_t)graph->values[v].width;
        most = size > most ? size : most;
    }
    float *x = ami_alloc_array(alloc, 2 * most, sizeof *x);
    if (!x) {
        return ami_fail_memory(err, 2 * most * sizeof *x);
    }
    am_result result = trial_begin(&plain, graph, AM_NET_FP32, alloc, err);
    result = result == AM_OK ? trial_begin(&packed, rounded, (am_net_weights)part->weights, alloc, err) : result;
    if (result == AM_OK) {
        sums s = { 0 };
        run_samples(&s, &plain, &packed, graph, samples, sample_count, x, x + most);
        double rms = sqrt(s.size / (double)s.count);
        part->error_samples = sample_count;
        part->error_rms = rms > 0.0 ? (float)(sqrt(s.change / (double)s.count) / rms) : 0.0f;
        part->error_max = rms > 0.0 ? (float)(s.most / rms) : 0.0f;
    }
    trial_end(&packed);
    trial_end(&plain);
    ami_release(alloc, x, 2 * most * sizeof *x);
    return result;
}
