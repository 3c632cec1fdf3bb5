// amble bench infer: one evaluation of a network, against a chain of OpenBLAS products and ONNX Runtime.
//
// Subjects name network, batch, weights and the share of zeros after ReLUs; batches also say "fast" where fused
// multiply-add is allowed. The peers always compute in fp32: next to fp16 and int8 they are what a user would run
// instead. Set "warm" evaluates repeatedly; "cold" reads 64 MB of other memory before each evaluation. All variants
// take turns in small groups, so that a busy machine slows them alike. Variant "read" only reads as many bytes as our
// weights have: a lower bound where nothing is skipped.
#include "bench.h"
#include "bench_infer.h"
#include "places.h"
#include <amble/tools/formats.h>

#include "base/rng.h"
#include "net/build.h"
#include "base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { group = 16, most_groups = 40, most_times = group * most_groups, samples = 64, cold_bytes = 64 << 20 };

typedef struct subject {
    infer_net net;
    int batch;
    am_net_weights weights;
    int zeros; ///< -1 where the network has no ReLU
    bool fast;
    bool cold; ///< has a cold row too
    bool full; ///< only with --full
} subject;

static const subject subjects[] = {
    { INFER_DECOMPRESSOR, 1, AM_NET_FP32, 0, false, true, false },
    { INFER_DECOMPRESSOR, 1, AM_NET_FP32, 50, false, true, false },
    { INFER_DECOMPRESSOR, 1, AM_NET_FP32, 85, false, true, false },
    { INFER_DECOMPRESSOR, 1, AM_NET_FP16, 50, false, true, false },
    { INFER_DECOMPRESSOR, 1, AM_NET_INT8, 50, false, true, false },
    { INFER_STEPPER, 1, AM_NET_FP32, 0, false, true, false },
    { INFER_STEPPER, 1, AM_NET_FP32, 50, false, true, false },
    { INFER_STEPPER, 1, AM_NET_FP32, 85, false, true, false },
    { INFER_STEPPER, 1, AM_NET_FP16, 50, false, true, false },
    { INFER_STEPPER, 1, AM_NET_INT8, 50, false, true, false },
    { INFER_PROJECTOR, 1, AM_NET_FP32, 0, false, true, false },
    { INFER_PROJECTOR, 1, AM_NET_FP32, 50, false, true, false },
    { INFER_PROJECTOR, 1, AM_NET_FP32, 85, false, true, false },
    { INFER_PROJECTOR, 1, AM_NET_FP16, 50, false, true, false },
    { INFER_PROJECTOR, 1, AM_NET_INT8, 50, false, true, false },
    { INFER_FLOW, 1, AM_NET_FP32, -1, false, true, false },
    { INFER_FLOW, 1, AM_NET_FP16, -1, false, true, false },
    { INFER_FLOW, 1, AM_NET_INT8, -1, false, true, false },
    { INFER_DECOMPRESSOR, 64, AM_NET_FP32, 50, false, false, false },
    { INFER_DECOMPRESSOR, 64, AM_NET_FP32, 50, true, false, false },
    { INFER_STEPPER, 64, AM_NET_FP32, 50, false, false, false },
    { INFER_STEPPER, 64, AM_NET_FP32, 50, true, false, false },
    { INFER_PROJECTOR, 64, AM_NET_FP32, 50, false, false, false },
    { INFER_PROJECTOR, 64, AM_NET_FP32, 50, true, false, false },
    { INFER_FLOW, 64, AM_NET_FP32, -1, false, false, false },
    { INFER_FLOW, 64, AM_NET_FP32, -1, true, false, false },
    { INFER_SEGMENTS, 1, AM_NET_FP32, -1, false, true, true },
    { INFER_SEGMENTS, 1, AM_NET_FP16, -1, false, true, true },
    { INFER_SEGMENTS, 1, AM_NET_INT8, -1, false, true, true },
    { INFER_SEGMENTS, 64, AM_NET_FP32, -1, false, false, true },
    { INFER_SEGMENTS, 64, AM_NET_FP32, -1, true, false, true },
};

enum { subject_count = sizeof subjects / sizeof subjects[0], variant_count = 4, read_variant = 3 };
static const char *const variants[variant_count] = { "amble", "openblas", "onnxruntime", "read" };

typedef struct infer {
    bench *b;
    char folder[512];
    char library[1024]; ///< ONNX Runtime's; "" when it was not found
    char *cold;
    const subject *subject;
    char name[64];
    float inputs[samples * 512];
    am_net_graph *graph;
    am_model *model;
    am_net *net;
    am_net_work *work;
    bench_peer *peer;
    bool no_peers;
    bool runs[variant_count];
    double sum[variant_count];
    double times[variant_count][most_times];
    int time_count;
} infer;

// ---------------------------------------------------------------------------------------------
// Set-up

static void name_subject(infer *f)
{
    const subject *s = f->subject;
    int at = snprintf(f->name, sizeof f->name, "%s batch=%d %s", infer_name(s->net), s->batch,
                      am_net_weights_name(s->weights));
    if (s->zeros >= 0) {
        at += snprintf(f->name + at, sizeof f->name - (size_t)at, " zeros=%d", s->zeros);
    }
    snprintf(f->name + at, sizeof f->name - (size_t)at, "%s", s->fast ? " fast" : "");
}

static void path_of(const infer *f, char *out, size_t size, const char *file)
{
    snprintf(out, size, "%s/%s", f->folder, file);
}

static am_result make_net(infer *f, am_error *err)
{
    const subject *s = f->subject;
    am_rng rng = ami_rng_make(11);
    int width = infer_width(s->net);
    for (int i = 0; i < samples * width; i++) {
        f->inputs[i] = am_rng_normal(&rng);
    }
    am_result result = infer_build(&f->graph, s->net, s->zeros, f->inputs, samples, err);
    am_model_def model = ami_model_def_default();
    const am_net_graph *graphs[1] = { f->graph };
    model.graphs = graphs;
    model.graph_count = 1;
    model.weights = &s->weights;
    result = result == AM_OK ? am_model_create(&f->model, &model, err) : result;
    am_net_def def;
    am_net_def_init(&def);
    def.model = f->model;
    def.mode = s->fast ? AM_NET_FAST : AM_NET_EXACT;
    result = result == AM_OK ? am_net_create(&f->net, &def, err) : result;
    result = result == AM_OK ? am_net_work_create(&f->work, f->net, s->batch, NULL, err) : result;
    for (int i = 0; result == AM_OK && i < s->batch; i++) {
        am_net_put(f->work, 0, i, f->inputs + (i % samples) * width);
    }
    return result;
}

/// Writes the files for the peers and asks which of them can run the network.
static am_result open_peers(infer *f, am_error *err)
{
    char onnx[600], chain[600], inputs[600], line[4000], answer[256];
    path_of(f, onnx, sizeof onnx, "net.onnx");
    path_of(f, chain, sizeof chain, "net.chain");
    path_of(f, inputs, sizeof inputs, "inputs.bin");
    am_bytes bytes = { 0 };
    am_result result = am_onnx_write(&bytes, f->graph, NULL, err);
    result = result == AM_OK ? am_file_write(onnx, bytes.data, bytes.size, err) : result;
    am_bytes_free(&bytes);
    size_t size = (size_t)f->subject->batch * (size_t)infer_width(f->subject->net) * sizeof(float);
    result = result == AM_OK ? am_file_write(inputs, f->inputs, size, err) : result;
    if (result != AM_OK || !infer_write_chain(f->graph, chain)) {
        return result;
    }
    f->peer = f->no_peers ? NULL : bench_peer_start(f->b, "infer_peers");
    f->no_peers = !f->peer; // said once
    snprintf(line, sizeof line, "open %s %s %s %d %llu %s", onnx, chain, inputs, f->subject->batch,
             (unsigned long long)f->model->parts[0].bytes, f->library);
    if (f->peer && bench_peer_ask(f->peer, answer, sizeof answer, line)) {
        f->runs[1] = strstr(answer, "openblas") != NULL;
        f->runs[2] = strstr(answer, "onnxruntime") != NULL;
        f->runs[read_variant] = strstr(answer, "read") && f->subject->batch == 1 && f->subject->zeros <= 0;
    }
    remove(onnx);
    remove(chain);
    remove(inputs);
    return AM_OK;
}

static void close_subject(infer *f)
{
    bench_peer_stop(f->peer);
    am_net_work_destroy(f->work);
    am_net_destroy(f->net);
    am_model_close(f->model);
    am_net_graph_destroy(f->graph);
    f->peer = NULL;
    f->work = NULL;
    f->net = NULL;
    f->model = NULL;
    f->graph = NULL;
    memset(f->runs, 0, sizeof f->runs);
}

// ---------------------------------------------------------------------------------------------
// Measuring

static void run_amble(infer *f, bool cold, int count)
{
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; cold && k < cold_bytes; k += 64) {
            f->cold[k]++;
        }
        double begun = bench_now_us();
        am_net_run(f->net, f->work, f->subject->batch);
        f->times[0][f->time_count + i] = bench_now_us() - begun;
    }
    double sum = 0.0;
    for (int s = 0; s < f->subject->batch; s++) {
        const float *out = ami_net_output(f->work, 0, s, 0);
        for (int i = 0; i < am_net_output_size(f->net, 0); i++) {
            sum += (double)out[i];
        }
    }
    f->sum[0] = sum;
}

static void run_peer(infer *f, int variant, bool cold, int count)
{
    char line[64], answer[group * 24 + 64];
    snprintf(line, sizeof line, "run %s %d %d", variants[variant], count, cold ? 1 : 0);
    if (!bench_peer_ask(f->peer, answer, sizeof answer, line)) {
        bench_note(f->b, "peer %s: failed on %s", variants[variant], f->name);
        f->runs[variant] = false;
        return;
    }
    char *at = answer;
    f->sum[variant] = strtod(at, &at);
    for (int i = 0; i < count; i++) {
        f->times[variant][f->time_count + i] = strtod(at, &at);
    }
}

static uint64_t checksum(const infer *f)
{
    uint64_t hash = 0;
    for (int s = 0; s < f->subject->batch; s++) {
        hash =
            am_hash64(ami_net_output(f->work, 0, s, 0), (size_t)am_net_output_size(f->net, 0) * sizeof(float), hash);
    }
    return hash;
}

/// A peer's outputs are not ours bit for bit: its checksum is the sum of its outputs, rounded to four digits.
static uint64_t peer_checksum(double sum) { return (uint64_t)(int64_t)llround(sum * 1e4); }

static void measure(infer *f, bool cold)
{
    int groups = bench_rounds(f->b,
                              cold                                                     ? 1
                              : f->subject->net >= INFER_FLOW && f->subject->batch > 1 ? 8
                                                                                       : 16,
                              most_groups);
    int count = f->subject->batch > 1 ? 4 : group;
    f->time_count = 0;
    run_amble(f, cold, 1); // the first evaluation warms up and is written over
    for (int g = 0; g < groups; g++) {
        run_amble(f, cold, count);
        for (int v = 1; v < variant_count; v++) {
            if (f->runs[v]) {
                run_peer(f, v, cold, count);
            }
        }
        f->time_count += count;
    }
    for (int v = 0; v < variant_count; v++) {
        if (v == 0 || f->runs[v]) {
            bench_row(f->b, f->name, variants[v], (int64_t)f->graph->parameter_count, cold ? "cold" : "warm",
                      f->times[v], f->time_count, v == 0 ? checksum(f) : peer_checksum(f->sum[v]));
        }
    }
}

/// The peers computed the same network: their sums differ by rounding only (fp32).
static void compare(infer *f)
{
    for (int v = 1; v < read_variant; v++) {
        int numbers = f->subject->batch * am_net_output_size(f->net, 0);
        if (f->runs[v] && f->subject->weights == AM_NET_FP32 && fabs(f->sum[v] - f->sum[0]) > 1e-4 * numbers) {
            bench_note(f->b, "peer %s: outputs differ on %s (sum %g, ours %g)", variants[v], f->name, f->sum[v],
                       f->sum[0]);
        }
    }
    if (f->subject->weights != AM_NET_FP32 && f->subject->batch == 1) {
        bench_note(f->b, "%s: output error against fp32 RMS %.2g", f->name, (double)f->model->parts[0].error_rms);
    }
}

static am_result run_subject(infer *f, am_error *err)
{
    name_subject(f);
    f->runs[0] = true;
    am_result result = make_net(f, err);
    result = result == AM_OK ? open_peers(f, err) : result;
    if (result == AM_OK) {
        measure(f, false);
        compare(f);
        if (f->subject->cold) {
            measure(f, true);
        }
    }
    close_subject(f);
    return result;
}

/// The library inside onnxruntime-node: where AMBLE_ORT says, else among the tests' packages.
static void find_library(infer *f)
{
    const char *named = getenv("AMBLE_ORT");
    bool found = named ? snprintf(f->library, sizeof f->library, "%s", named) > 0
                       : cli_source_path(f->library, sizeof f->library,
                                         "tests/browser/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/"
                                         "libonnxruntime.so.1");
    if (!found || am_path_look(NULL, f->library) == AM_PATH_NONE) {
        bench_note(f->b, "peer onnxruntime: absent, onnxruntime-node is not installed (./run bench installs it)");
        f->library[0] = '\0';
    }
}

int bench_infer(bench *b)
{
    infer *f = calloc(1, sizeof *f);
    char *cold = malloc(cold_bytes);
    am_error err = { 0 };
    am_result result = f && cold ? AM_OK : AM_ERR_MEMORY;
    bool made = false;
    if (result == AM_OK) {
        memset(cold, 1, cold_bytes);
        f->b = b;
        f->cold = cold;
        made = ami_folder_make_temporary(f->folder, sizeof f->folder, "amble-bench");
        find_library(f);
    } else {
        cli_error(&err, AM_ERR_MEMORY, NULL, "out of memory for the bench");
    }
    am_progress progress = cli_progress();
    int count = 0; // those for --full come last
    while (count < subject_count && (!subjects[count].full || bench_full(b))) {
        count++;
    }
    for (int i = 0; i < count && result == AM_OK; i++) {
        f->subject = &subjects[i];
        result = run_subject(f, &err);
        if (result == AM_OK && !progress.report(progress.user, "infer", i + 1, count)) {
            result = cli_error(&err, AM_ERR_CANCELLED, NULL, "stopped");
        }
    }
    cli_progress_end();
    if (made) {
        ami_folder_remove(f->folder);
    }
    free(cold);
    free(f);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}
