// amble bench train: one iteration (forward, loss, backward, Adam) of the papers' networks, against PyTorch.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(AMBLE_HAS_TRAIN)

int bench_train(bench *b)
{
    bench_note(b, "this build has no training code; build Amble with training");
    return CLI_DONE;
}

#else

#include <amble/train.h>

#include "base/rng.h"
#include "net/build.h"
#include "train/training.h"

/// One row group: a network and a batch. The shapes are those of the papers.
typedef struct train_shape {
    const char *name;
    int batch;
    int slots;
    int rounds; ///< usual number of timed iterations
    bool slow;  ///< only with --full
    void (*build)(am_net_graph *graph);
} train_shape;

typedef struct subject {
    const train_shape *shape;
    am_net_graph *graph;
    ami_trainer *trainer;
    int in, out; ///< values
    int n_in, n_out;
    float *target; ///< [slot][n_out][columns]
    float *start;  ///< [n_in][columns]
    double loss;
} subject;

static int dense(am_net_graph *g, int x, const int *widths, int count, am_net_kind kind)
{
    for (int i = 0; i < count; i++) {
        x = ami_net_graph_linear(g, x, widths[i]);
        x = i + 1 < count ? ami_net_graph_activation(g, x, kind) : x;
    }
    return x;
}

static void build_decompressor(am_net_graph *g)
{
    ami_net_graph_output(g, "y", dense(g, ami_net_graph_input(g, "x", 59), (int[]){ 512, 420 }, 2, AM_NET_RELU));
}

static void build_stepper(am_net_graph *g)
{
    ami_net_graph_output(g, "y", dense(g, ami_net_graph_input(g, "x", 59), (int[]){ 512, 512, 59 }, 3, AM_NET_RELU));
}

static void build_projector(am_net_graph *g)
{
    ami_net_graph_output(
        g, "y", dense(g, ami_net_graph_input(g, "x", 27), (int[]){ 512, 512, 512, 512, 59 }, 5, AM_NET_RELU));
}

static void build_autoencoder(am_net_graph *g)
{
    ami_net_graph_output(g, "y",
                         dense(g, ami_net_graph_input(g, "x", 400), (int[]){ 512, 128, 512, 400 }, 4, AM_NET_ELU));
}

static void build_flow(am_net_graph *g)
{
    int x = ami_net_graph_input(g, "x", 285);
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 800), AM_NET_GELU);
    for (int i = 1; i < 8; i++) {
        int both[2] = { ami_net_graph_layer_norm(g, h), x };
        h = ami_net_graph_activation(g, ami_net_graph_linear(g, ami_net_graph_concat(g, both, 2), 800), AM_NET_GELU);
    }
    ami_net_graph_output(g, "y", ami_net_graph_linear(g, h, 128));
}

static const train_shape shapes[] = {
    { "decompressor", 32, 1, 200, false, build_decompressor },
    { "stepper", 32, 20, 14, false, build_stepper },
    { "projector", 32, 1, 80, false, build_projector },
    { "autoencoder", 1024, 1, 14, false, build_autoencoder },
    { "flow", 256, 1, 6, false, build_flow },
    { "flow", 4096, 1, 3, true, build_flow },
};
enum { shape_count = sizeof shapes / sizeof shapes[0], most_rounds = 2000 };

// ---------------------------------------------------------------------------------------------
// Our side

static double pass_once(void *user, ami_train_block *block)
{
    const subject *s = user;
    const int n = ami_block_columns(block);
    memcpy(ami_block_value(block, 0, s->in, 0), s->start, (size_t)s->n_in * (size_t)n * sizeof(float));
    ami_block_forward(block, 0, 0);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, 0, s->out, 0),
                                        ami_block_value(block, 0, s->out, 0), s->target, s->n_out);
    ami_block_backward(block, 0, 0);
    return value;
}

/// The Stepper over its window: x += dt net(x), the loss is of every x.
static double pass_window(void *user, ami_train_block *block)
{
    const subject *s = user;
    const size_t count = (size_t)s->n_in * (size_t)ami_block_columns(block);
    const int slots = ami_block_slots(block);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 / slots };
    const float dt = 1.0f / 60.0f;
    float *last = ami_block_scratch(block, count), *carry = ami_block_scratch(block, count);
    double value = 0.0;
    memcpy(ami_block_value(block, 0, s->in, 0), s->start, count * sizeof(float));
    for (int t = 0; t < slots; t++) {
        ami_block_forward(block, 0, t);
        const float *x = ami_block_value(block, 0, s->in, t), *y = ami_block_value(block, 0, s->out, t);
        float *next = t + 1 < slots ? ami_block_value(block, 0, s->in, t + 1) : last;
        for (size_t i = 0; i < count; i++) {
            next[i] = x[i] + dt * y[i];
        }
    }
    for (int t = slots - 1; t >= 0; t--) {
        const float *next = t + 1 < slots ? ami_block_value(block, 0, s->in, t + 1) : last;
        value += ami_block_loss(block, &loss, carry, next, s->target + (size_t)t * count, s->n_in);
        float *dy = ami_block_grad(block, 0, s->out, t);
        for (size_t i = 0; i < count; i++) {
            dy[i] = dt * carry[i];
        }
        ami_block_backward(block, 0, t);
        const float *dx = ami_block_grad(block, 0, s->in, t);
        for (size_t i = 0; i < count; i++) {
            carry[i] += dx[i];
        }
    }
    return value;
}

static void free_subject(subject *s)
{
    ami_trainer_destroy(s->trainer);
    am_net_graph_destroy(s->graph);
    free(s->target);
    free(s->start);
    *s = (subject){ 0 };
}

static am_result make_subject(subject *s, const train_shape *shape, int threads, am_error *err)
{
    *s = (subject){ .shape = shape };
    am_result result = ami_net_graph_create(&s->graph, shape->name, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    shape->build(s->graph);
    result = ami_net_graph_finish(s->graph, err);
    if (result != AM_OK) {
        return result;
    }
    ami_net_graph_randomise(s->graph, 1);
    ami_trainer_def def = ami_trainer_def_default();
    def.graphs = &s->graph;
    def.graph_count = 1;
    def.batch = shape->batch;
    def.slots = shape->slots;
    def.threads = threads;
    def.input_grads = shape->slots > 1;
    def.optimiser.kind = AMI_ADAM;
    result = ami_trainer_create(&s->trainer, &def, err);
    s->in = ami_net_graph_input_at(s->graph, 0);
    s->out = ami_net_graph_output_at(s->graph, 0);
    s->n_in = s->graph->values[s->in].width;
    s->n_out = s->graph->values[s->out].width;
    // One block's worth of samples serves every block: only the time matters.
    const size_t columns = 128, targets = (size_t)shape->slots * (size_t)s->n_out * columns;
    s->target = malloc(targets * sizeof(float));
    s->start = malloc((size_t)s->n_in * columns * sizeof(float));
    if (result == AM_OK && (!s->target || !s->start)) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory");
        result = AM_ERR_MEMORY;
    }
    am_rng rng = ami_rng_make(2);
    for (size_t i = 0; i < targets && result == AM_OK; i++) {
        s->target[i] = am_rng_normal(&rng);
    }
    for (size_t i = 0; i < (size_t)s->n_in * columns && result == AM_OK; i++) {
        s->start[i] = am_rng_normal(&rng);
    }
    return result;
}

/// Times of the clock and of the processor, alternating, as the peer gives them.
static am_result time_rounds(subject *s, double *us, int rounds, am_error *err)
{
    am_result result = AM_OK;
    for (int i = -3; i < rounds && result == AM_OK; i++) { // three to warm up, as the peer
        const double begun = bench_now_us(), computed = bench_cpu_us();
        result = ami_trainer_step(s->trainer, s->shape->slots > 1 ? pass_window : pass_once, s, &s->loss, err);
        if (i >= 0) {
            us[2 * i] = bench_now_us() - begun;
            us[2 * i + 1] = bench_cpu_us() - computed;
        }
    }
    return result;
}

/// The rows of one thread are compared with the rows of one, by the clock, with the processor time next to them as
/// proof that it was one; two threads are compared with the peer's better configuration, which may be its single
/// thread.
static const char *const set_names[] = { "1 thread", "2 threads" };

/// Rows of a series of alternating times.
static void add_rows(bench *b, const train_shape *shape, const char *label, const char *variant, int threads,
                     double *us, int rounds, double loss)
{
    if (rounds < 1) {
        return;
    }
    uint64_t bits;
    memcpy(&bits, &loss, sizeof bits);
    double *wall = malloc((size_t)rounds * sizeof *wall);
    double *cpu = malloc((size_t)rounds * sizeof *cpu);
    for (int i = 0; wall && cpu && i < rounds; i++) {
        wall[i] = us[2 * i];
        cpu[i] = us[2 * i + 1];
    }
    if (wall && cpu) {
        bench_row(b, label, variant, shape->batch, set_names[threads - 1], wall, rounds, bits);
        if (threads == 1) {
            bench_row(b, label, variant, shape->batch, "1 thread, cpu", cpu, rounds, bits);
        }
    }
    free(wall);
    free(cpu);
}

// ---------------------------------------------------------------------------------------------
// PyTorch's side

/// "ok LOSS US US ..." into times; the number of them.
static int read_times(const char *answer, double *us, int most, double *loss)
{
    char *end = NULL;
    *loss = strtod(answer + 3, &end);
    int count = 0;
    for (const char *at = end; count < most; at = end) {
        const double t = strtod(at, &end);
        if (end == at) {
            break;
        }
        us[count++] = t;
    }
    return count;
}

/// A process of its own for each measurement: the threads of an earlier one would keep spinning beside it, and beside
/// ours. The loss, and times into us; their count, -1 when PyTorch is not here.
static int ask_peer(bench *b, const train_shape *shape, int threads, const char *policy, int rounds, double *us,
                    double *loss)
{
    enum { size = 1 << 17 };
    bench_peer *peer = bench_peer_start(b, "train_torch");
    char *answer = malloc(size);
    int count = -1;
    char question[96];
    snprintf(question, sizeof question, "hello %d %s", threads, policy);
    if (peer && answer && bench_peer_ask(peer, answer, size, question)) {
        snprintf(question, sizeof question, "%s %d %d", shape->name, shape->batch, rounds);
        count = bench_peer_ask(peer, answer, size, question) ? read_times(answer, us, 2 * most_rounds, loss) / 2 : 0;
    }
    bench_peer_stop(peer);
    free(answer);
    return count;
}

static double least_of(const double *us, int rounds)
{
    double least = 1e300;
    for (int i = 0; i < rounds; i++) {
        least = us[2 * i] < least ? us[2 * i] : least;
    }
    return least;
}

/// PyTorch's row of `threads` threads: with two, the better of both ways to wait. False when PyTorch is not
/// installed.
static bool measure_peer(bench *b, const train_shape *shape, int threads, const char *label, int rounds)
{
    double *us = calloc(4 * (size_t)most_rounds, sizeof *us), *other = us ? us + 2 * (size_t)most_rounds : NULL;
    double loss = 0.0, other_loss = 0.0;
    int count = us ? ask_peer(b, shape, threads, "passive", rounds, us, &loss) : 0;
    if (count < 0) {
        bench_note(b, "peer torch: absent, python3-torch is not installed");
        free(us);
        return false;
    }
    const int others = us && threads > 1 ? ask_peer(b, shape, threads, "active", rounds, other, &other_loss) : 0;
    if (others > 0 && (count == 0 || least_of(other, others) < least_of(us, count))) {
        memcpy(us, other, 2 * (size_t)others * sizeof *us);
        count = others;
        loss = other_loss;
    }
    if (count == 0) {
        bench_note(b, "peer torch: no answer for %s", label);
    }
    add_rows(b, shape, label, threads == 1 ? "torch1" : "torch2", threads, us, count, loss);
    free(us);
    return true;
}

/// Our row and PyTorch's. Half of our rounds run before the peer's and half after them, since the load of the machine
/// changes in between.
static int measure(bench *b, const train_shape *shape, int threads, const char *label, int rounds, bool *peer)
{
    double *us = calloc(2 * (size_t)most_rounds, sizeof *us); // two clocks
    am_error err;
    cli_error(&err, AM_ERR_MEMORY, NULL, "out of memory");
    subject s = { 0 };
    am_result result = us ? make_subject(&s, shape, threads, &err) : AM_ERR_MEMORY;
    const int half = (rounds + 1) / 2;
    if (result == AM_OK) {
        result = time_rounds(&s, us, half, &err);
    }
    *peer = *peer && result == AM_OK && measure_peer(b, shape, threads, label, rounds);
    if (result == AM_OK) {
        result = time_rounds(&s, us + (ptrdiff_t)2 * half, rounds - half, &err);
    }
    if (result == AM_OK) {
        add_rows(b, shape, label, "amble", threads, us, rounds, s.loss);
    }
    free_subject(&s);
    free(us);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}

static void compare(bench *b, const train_shape *shape, const char *label)
{
    const double own1 = bench_least_us(b, label, "amble", shape->batch, set_names[0]);
    const double own2 = bench_least_us(b, label, "amble", shape->batch, set_names[1]);
    const double torch1 = bench_least_us(b, label, "torch1", shape->batch, set_names[0]);
    const double torch2 = bench_least_us(b, label, "torch2", shape->batch, set_names[1]);
    if (own1 > 0.0 && own2 > 0.0 && torch1 > 0.0 && torch2 > 0.0) {
        bench_note(b, "%s: one thread against one %.2fx, two threads against PyTorch's best of one and two %.2fx",
                   label, torch1 / own1, (torch1 < torch2 ? torch1 : torch2) / own2);
    }
}

int bench_train(bench *b)
{
    bool peer = true;
    int status = CLI_DONE;
    for (int i = 0; i < shape_count && status == CLI_DONE; i++) {
        const train_shape *shape = &shapes[i];
        if (shape->slow && !bench_full(b)) {
            bench_note(b, "%s batch=%d: only with --full", shape->name, shape->batch);
            continue;
        }
        char label[64];
        snprintf(label, sizeof label, "train %s batch=%d", shape->name, shape->batch);
        const int rounds = bench_rounds(b, shape->rounds, most_rounds);
        for (int threads = 1; threads <= 2 && status == CLI_DONE; threads++) {
            status = measure(b, shape, threads, label, rounds, &peer);
        }
        compare(b, shape, label);
    }
    return status == CLI_DONE ? bench_train_lmm(b) : status;
}

#endif
