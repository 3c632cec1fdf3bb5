// Operators table 3: memory and time of each network, and of a frame of each system.
#include "operators_tables.h"

#include <amble/tools/network.h>

#include "base/rng.h"
#include "method/flow_file.h"
#include "net/build.h"

#include <math.h>
#include <stdio.h>

enum { cost_parts = 4, timed = 400 };
static const char *const part_names[cost_parts] = { "control_encoder", "pose_encoder", "pose_decoder", "flow" };

typedef struct cost {
    double mb[cost_parts], us[cost_parts]; ///< 0: the model has no such part
} cost;

/// The least of many evaluations, each input as normalisation leaves it.
static double time_net(const am_net *net, am_error *err)
{
    am_net_work *work = NULL;
    if (am_net_work_create(&work, net, 1, NULL, err) != AM_OK) {
        return (double)NAN;
    }
    am_rng rng = ami_rng_make(1);
    for (int i = 0; i < ami_net_input_count(net); i++) {
        float *x = ami_net_input(work, i, 0, 0);
        for (int k = 0; k < am_net_input_size(net, i); k++) {
            x[k] = am_rng_normal(&rng);
        }
    }
    double best = (double)INFINITY;
    for (int i = 0; i < timed; i++) {
        const double begun = cli_now_us(NULL);
        am_net_run(net, work, 1);
        best = fmin(best, cli_now_us(NULL) - begun);
    }
    am_net_work_destroy(work);
    return best;
}

/// A part by itself with weights of one kind.
static am_result measure_part(double *mb, double *us, const am_model *model, int part, am_net_weights weights,
                              bool time, am_error *err)
{
    am_net_graph *graph = NULL;
    am_model *alone = NULL;
    am_net *net = NULL;
    am_result result = am_model_graph(model, part, &graph, NULL, err);
    if (result == AM_OK) {
        const am_net_graph *graphs[1] = { graph };
        am_model_def def = ami_model_def_default();
        def.graphs = graphs;
        def.graph_count = 1;
        def.weights = &weights;
        def.sample_count = 4; // the weights' error is not asked for
        result = am_model_create(&alone, &def, err);
    }
    am_net_def def;
    am_net_def_init(&def);
    def.model = alone;
    result = result == AM_OK ? am_net_create(&net, &def, err) : result;
    if (result == AM_OK) {
        *mb = (double)alone->parts[0].bytes / 1e6;
        *us = time ? time_net(net, err) : 0.0;
    }
    am_net_destroy(net);
    am_model_close(alone);
    am_net_graph_destroy(graph);
    return result;
}

static am_result measure(cost *out, const am_model *model, am_net_weights weights, bool time, am_error *err)
{
    am_result result = AM_OK;
    *out = (cost){ 0 };
    for (int p = 0; p < cost_parts && result == AM_OK; p++) {
        int part = am_model_find(model, part_names[p]);
        part = part < 0 && p == cost_parts - 1 ? am_model_find(model, "segments") : part;
        if (part >= 0) {
            result = measure_part(&out->mb[p], &out->us[p], model, part, weights, time, err);
        }
    }
    return result;
}

static double zero_to_empty(double x) { return x > 0.0 ? x : (double)NAN; }

static void row(const operators_shelf *s, const char *name, const cost *c, double total_mb, double frame_4,
                double frame_1)
{
    ami_tables *t = s->e->tables;
    ami_tables_row(t);
    ami_tables_text(t, name);
    for (int p = 0; p < cost_parts; p++) {
        ami_tables_number(t, zero_to_empty(c->mb[p]));
    }
    ami_tables_number(t, total_mb);
    for (int p = 0; p < cost_parts && s->e->timings; p++) {
        ami_tables_number(t, zero_to_empty(c->us[p]));
    }
    if (s->e->timings) {
        ami_tables_number(t, zero_to_empty(frame_4));
        ami_tables_number(t, zero_to_empty(frame_1));
    }
}

/// A network with weights of all kinds.
static am_result rows_of(const operators_shelf *s, const char *name, const am_model *model, am_error *err)
{
    static const am_net_weights kinds[] = { AM_NET_FP32, AM_NET_FP16, AM_NET_INT8 };
    const bool segments = am_model_find(model, "flow") < 0;
    am_result result = AM_OK;
    for (size_t k = 0; k < CLI_COUNT(kinds) && result == AM_OK; k++) {
        cost c;
        char text[80];
        result = measure(&c, model, kinds[k], s->e->timings, err);
        double sum = 0.0;
        for (int p = 0; p < cost_parts; p++) {
            sum += c.mb[p];
        }
        snprintf(text, sizeof text, "%s, %s", name, am_net_weights_name(kinds[k]));
        const double asked = c.us[0], decoded = c.us[2], made = c.us[3];
        const double frame = (asked + made) / 8.0 + decoded; // a segment is eight frames
        if (result == AM_OK) {
            row(s, text, &c, sum, segments ? frame : asked + 4.0 * made + decoded,
                segments ? 0.0 : asked + made + decoded);
        }
    }
    return result;
}

am_result operators_costs(const operators_shelf *s, am_error *err)
{
    static const char *const columns[] = { "network",        "control encoder", "pose encoder", "pose decoder",
                                           "flow, segments", "total",           "control us",   "encoder us",
                                           "decoder us",     "flow us",         "frame us",     "one step us" };
    static const char *const files[][2] = { { "full", "full, 8 x 800" },
                                            { "full_segments", "full, segments 9 x 1536" },
                                            { "no_latent_large", "pose space, 10 x 1024" },
                                            { "flow", "small flow of the tables" } };
    static const cost paper_flow = { { 0.63, 1.42, 1.40, 23.61 }, { 25, 62, 57, 702 } };
    static const cost paper_segments = { { 0.63, 1.42, 1.40, 19.38 }, { 25, 62, 57, 2913 } };
    am_result result = AM_OK;
    ami_tables *t = s->e->tables;
    ami_tables_begin(t, "table 3",
                     "memory (MB) and time of the networks, and of a frame of the system by its networks");
    for (int i = 0; i < (s->e->timings ? 12 : 6); i++) {
        ami_tables_column(t, columns[i], i == 0 ? -1 : i < 6 ? 2 : 1);
    }
    for (size_t i = 0; i < CLI_COUNT(files) && result == AM_OK; i++) {
        am_model *model = NULL;
        result = operators_open(&(operators_shelf){ .e = s->e }, files[i][0], &model, err);
        if (model) {
            result = rows_of(s, files[i][1], model, err);
        }
        am_model_close(model);
    }
    row(s, "paper: flow", &paper_flow, 27.06, 2890, 784);
    row(s, "paper: segments", &paper_segments, 22.83, 446, 0);
    ami_tables_note(t,
                    "frame: 4 steps of a flow, an eighth of a segment; the whole step of a character, with feet and "
                    "inertialisation, is in amble bench crowd");
    return result;
}
