// amble bench field: a controlled frame of a motion field on one thread, and its neighbour searches beside those of
// the libraries.
//
// A controlled frame has 16 queries for the k nearest states: of the character's own state, and of the result of each
// of its k = 15 actions. The queries come from a character that takes a random action every tick. The row `field
// searches` is those 16 together; `field frame` is a whole tick of the source with the policy lookahead (searches,
// actions, values, choice). A peer's frame is our tick with its searches in place of ours.
#include "bench.h"
#include "database.h"

#include "base/rng.h"
#include "method/sources.h"
#include "net/build.h"
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    k = 15,
    asks = k + 1, // of one frame
    most_frames = 64,
    large = 20000, // states: fewer frames are asked for then
    large_frames = 16,
    slow_us = 5000, // variants slower than this are measured only once
    most_rounds = 24,
    own_variants = 2,
    variants = 6,
};

static const char *const variant_names[variants] = { "amble", "linear", "flann", "nanoflann", "ann", "faiss" };

typedef struct field_bench {
    bench *b;
    am_db *db;
    ami_field *field;
    ami_field_work *search;
    am_model *model;
    ami_field_value *value;
    am_source *source;
    am_search_work *work;
    float *rows;                      ///< [frame][ask][stride]
    int32_t *hints;                   ///< [frame][2][k] for the first question of a frame, and for the others
    int32_t *found;                   ///< [variant][frame][ask][k]
    double us[variants][most_rounds]; ///< of the searches of a frame
    double frame_us[most_rounds];     ///< of whole ticks
    double rest_us[most_rounds];      ///< of them without the searches
    int rounds[variants];
    int frames;
    bench_peer *peer;
    bool here[variants];
    char folder[400], rows_file[512], found_file[512];
    bool wrong;
} field_bench;

// ---------------------------------------------------------------------------------------------
// Questions

static void follow(const ami_field *field, int32_t *hint, const ami_field_neighbours *near)
{
    for (int i = 0; i < near->count; i++) {
        int next = field->next[near->state[i]];
        hint[i] = next >= 0 ? next : near->state[i];
    }
}

/// Moves for a while by random actions and records the queries.
static bool collect(field_bench *s)
{
    const ami_field *field = s->field;
    size_t pose = (size_t)field->pose_count, velocity = (size_t)field->velocity_count;
    size_t stride = (size_t)field->stride;
    float *room = calloc((pose + velocity) * (k + 1), sizeof *room);
    if (!room) {
        return false;
    }
    float *x = room, *v = room + pose, *next_x = v + velocity, *next_v = next_x + k * pose;
    int begin = field->state_count / 3;
    am_rng rng = ami_rng_make(7);
    ami_field_neighbours near;
    memcpy(x, ami_field_x(field, begin), pose * sizeof *x);
    memcpy(v, ami_field_v(field, begin), velocity * sizeof *v);
    ami_field_search_reference(field, &near, ami_field_row(field, begin), 1);
    for (int f = 0; f < s->frames; f++) {
        float *rows = s->rows + (size_t)f * asks * stride;
        follow(field, s->hints + (size_t)f * 2 * k, &near);
        ami_field_embed(field, rows, x, v);
        ami_field_search_reference(field, &near, rows, 1);
        follow(field, s->hints + ((size_t)f * 2 + 1) * k, &near);
        ami_field_try_all(field, next_x, next_v, rows + stride, NULL, x, &near, s->search);
        size_t action = am_rng_below(&rng, k);
        memcpy(x, next_x + action * pose, pose * sizeof *x);
        memcpy(v, next_v + action * velocity, velocity * sizeof *v);
    }
    free(room);
    return true;
}

static bool write_rows(const field_bench *s)
{
    const ami_field *field = s->field;
    FILE *file = fopen(s->rows_file, "wb");
    size_t dims = (size_t)field->dims;
    int32_t head[4] = { field->dims, field->state_count, s->frames * asks, 1 };
    bool ok = file && fwrite(head, sizeof head, 1, file) == 1;
    for (int i = 0; ok && i < field->state_count; i++) {
        ok = fwrite(ami_field_row(field, i), sizeof(float), dims, file) == dims;
    }
    for (size_t i = 0; ok && i < (size_t)s->frames * asks; i++) {
        ok = fwrite(s->rows + i * (size_t)field->stride, sizeof(float), dims, file) == dims;
    }
    return (!file || fclose(file) == 0) && ok;
}

static void load_peers(field_bench *s)
{
    char question[600], answer[256];
    s->here[0] = s->here[1] = true;
    snprintf(question, sizeof question, "load %s", s->rows_file);
    if (!s->peer || !write_rows(s) || !bench_peer_ask(s->peer, answer, sizeof answer, question)) {
        return;
    }
    // With many states, only the reference variants run, unless all are requested.
    int last = bench_full(s->b) || s->field->state_count <= large ? variants : own_variants + 1;
    for (char *word = strtok(answer, " \n"); word; word = strtok(NULL, " \n")) {
        for (int v = own_variants; v < last; v++) {
            s->here[v] = s->here[v] || strcmp(word, variant_names[v]) == 0;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The whole tick

/// A value function with invented values: looking them up takes as long as with trained ones.
static am_result make_value(field_bench *s, am_error *err)
{
    ami_field_task task;
    ami_field_task_find(&task, "direction");
    int anchors = ami_field_anchors(s->field, 1, NULL, NULL, NULL);
    size_t count = (size_t)anchors * (size_t)ami_field_task_cells(&task);
    float *values = calloc(count, sizeof *values);
    if (!values) {
        return AM_ERR_MEMORY;
    }
    am_rng rng = ami_rng_make(3);
    for (size_t i = 0; i < count; i++) {
        values[i] = am_rng_float(&rng);
    }
    ami_field_value_head head = { .numbers = AM_NET_FP16, .gamma = 0.99f, .every = 1, .iterations = 1 };
    am_bytes bytes = { 0 };
    char name[AM_NET_NAME_SIZE];
    ami_field_value_name(name, "direction", 1);
    am_result result = ami_field_value_pack(&bytes, &head, &task, s->field, values, NULL, err);
    free(values);
    if (result == AM_OK) {
        am_model_blob blob = { .name = name, .data = bytes.data, .size = bytes.size };
        am_net_graph *graph = NULL; // a model has at least one
        result = ami_net_graph_create(&graph, "none", NULL, err);
        am_model_def def = ami_model_def_default();
        const am_net_graph *graphs[1] = { graph };
        if (result == AM_OK) {
            ami_net_graph_output(graph, "y", ami_net_graph_linear(graph, ami_net_graph_input(graph, "x", 1), 1));
            result = ami_net_graph_finish(graph, err);
        }
        def.graphs = graphs;
        def.graph_count = 1;
        def.attachments = &blob;
        def.attachment_count = 1;
        result = result == AM_OK ? am_model_create(&s->model, &def, err) : result;
        am_net_graph_destroy(graph);
    }
    am_bytes_free(&bytes);
    ami_field_value_def def = ami_field_value_def_default();
    def.model = s->model;
    def.field = s->field;
    def.task = "direction";
    return result == AM_OK ? ami_field_value_create(&s->value, &def, err) : result;
}

static am_result make_source(field_bench *s, am_error *err)
{
    ami_field_source_def def = ami_field_source_def_default();
    am_result result = make_value(s, err);
    def.field = s->field;
    def.value = s->value;
    result = result == AM_OK ? ami_field_source_create(&s->source, &def, err) : result;
    return result == AM_OK ? am_source_work_create(&s->work, s->source, 1, NULL, err) : result;
}

/// Mean microseconds of a tick over the frames; the target direction turns all the time.
static double run_ticks(field_bench *s)
{
    am_transform local[AM_MAX_JOINTS];
    am_source_output out = { .local = local };
    void *state = calloc(1, s->source->interface->state_size(s->source));
    if (!state) {
        return 0.0;
    }
    s->source->interface->reset(s->source, state, s->db->frame_count / 3, NULL);
    double begun = 0.0;
    for (int f = -1; f < s->frames; f++) {
        begun = f == 0 ? bench_cpu_us() : begun;
        am_source_input input = { .dt = 1.0f / s->field->fps, .root = am_transform_identity() };
        input.target.heading = 0.2f * (float)f;
        s->source->interface->step(s->source, state, &out, &input, s->work);
    }
    double mean = (bench_cpu_us() - begun) / s->frames;
    free(state);
    return mean;
}

// ---------------------------------------------------------------------------------------------
// Searches

static void keep_found(field_bench *s, int variant, int frame, const ami_field_neighbours *near)
{
    for (int q = 0; q < asks; q++) {
        memcpy(s->found + (((size_t)variant * (size_t)s->frames + (size_t)frame) * asks + (size_t)q) * k,
               near[q].state, k * sizeof(int32_t));
    }
}

/// Microseconds of the searches of a frame: all of them, or only those after the first.
static double ask_own(field_bench *s, bool all)
{
    ami_field_neighbours near[asks];
    size_t stride = (size_t)s->field->stride;
    double begun = bench_cpu_us();
    for (int f = 0; f < s->frames; f++) {
        const float *rows = s->rows + (size_t)f * asks * stride;
        const int32_t *hints = s->hints + (size_t)f * 2 * k;
        if (all) {
            ami_field_search(s->field, near, rows, 1, hints, k, s->search);
        }
        ami_field_search(s->field, near + 1, rows + stride, k, hints + k, k, s->search);
        if (all) {
            keep_found(s, 0, f, near);
        }
    }
    return (bench_cpu_us() - begun) / s->frames;
}

static double ask_linear(field_bench *s)
{
    ami_field_neighbours near[asks];
    double begun = bench_cpu_us();
    for (int f = 0; f < s->frames; f++) {
        ami_field_search_reference(s->field, near, s->rows + (size_t)f * asks * (size_t)s->field->stride, asks);
        keep_found(s, 1, f, near);
    }
    return (bench_cpu_us() - begun) / s->frames;
}

static double ask_peer(field_bench *s, int variant)
{
    char question[700], answer[256];
    double mean = -1.0;
    static double singles[most_frames * asks];
    size_t count = (size_t)s->frames * asks * k;
    size_t asked = (size_t)s->frames * asks;
    snprintf(question, sizeof question, "run %s 0 %d 0 %s", variant_names[variant], k, s->found_file);
    if (!bench_peer_ask(s->peer, answer, sizeof answer, question) || sscanf(answer, "%lf", &mean) != 1) {
        return -1.0;
    }
    FILE *file = fopen(s->found_file, "rb");
    bool ok = file && fread(singles, sizeof *singles, asked, file) == asked &&
              fread(s->found + (size_t)variant * count, sizeof(int32_t), count, file) == count;
    if (file) {
        fclose(file);
    }
    return ok ? mean * asks : -1.0;
}

static float distance2(const ami_field *field, const float *row, int32_t state)
{
    float sum = 0.0f;
    for (int d = 0; d < field->dims; d++) {
        float diff = row[d] - ami_field_row(field, state)[d];
        sum += diff * diff;
    }
    return sum;
}

/// Compares with the linear answer; a peer adds up in another order and may swap states that are practically equally
/// near.
static uint64_t check_answers(field_bench *s, int variant)
{
    size_t count = (size_t)s->frames * asks * k;
    const int32_t *found = s->found + (size_t)variant * count;
    const int32_t *truth = s->found + count;
    uint64_t sum = 0;
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = found[i] == truth[i];
        if (!same && variant >= own_variants && found[i] >= 0 && found[i] < s->field->state_count) {
            const float *row = s->rows + i / k * (size_t)s->field->stride;
            float there = distance2(s->field, row, found[i]), right = distance2(s->field, row, truth[i]);
            same = am_abs(there - right) <= 1e-5f * right + 1e-7f;
        }
        bad += !same;
        sum += (uint64_t)(int64_t)truth[i];
    }
    if (bad > 0) {
        bench_note(s->b, "MISMATCH: %s, %d states: %d of %d neighbours are not the nearest", variant_names[variant],
                   s->field->state_count, bad, (int)count);
        s->wrong = s->wrong || variant == 0;
    }
    return sum + (uint64_t)bad;
}

// ---------------------------------------------------------------------------------------------

static double ask(field_bench *s, int variant)
{
    return variant == 0 ? ask_own(s, true) : variant == 1 ? ask_linear(s) : ask_peer(s, variant);
}

static void run_rounds(field_bench *s, const char *set)
{
    int rounds = bench_rounds(s->b, 8, most_rounds);
    int64_t n = s->field->state_count;
    uint64_t sums[variants] = { 0 };
    for (int round = -1; round < rounds && !cli_interrupted(); round++) { // the first warms up
        double whole = run_ticks(s);
        for (int v = 0; v < variants; v++) {
            bool slow = v > 0 && s->rounds[v] > 0 && s->us[v][0] > slow_us;
            double us = s->here[v] && !slow ? ask(s, v) : -1.0;
            if (round >= 0 && us >= 0.0) {
                s->us[v][s->rounds[v]++] = us;
            }
        }
        if (round >= 0) {
            s->frame_us[round] = whole;
            double others = ask_own(s, false);
            s->rest_us[round] = whole > others ? whole - others : 0.0;
        }
    }
    for (int v = 0; v < variants; v++) {
        sums[v] = s->rounds[v] > 0 ? check_answers(s, v) : 0;
        bench_row(s->b, "field searches k=15", variant_names[v], n, set, s->us[v], s->rounds[v], sums[v]);
    }
    bench_sort(s->rest_us, rounds);
    bench_row(s->b, "field frame k=15", "amble", n, set, s->frame_us, rounds, sums[0]);
    for (int v = own_variants; v < variants; v++) {
        double with[most_rounds];
        for (int i = 0; i < s->rounds[v]; i++) {
            with[i] = s->rest_us[rounds / 2] + s->us[v][i];
        }
        bench_row(s->b, "field frame k=15", variant_names[v], n, set, with, s->rounds[v], sums[v]);
    }
    double own = bench_least_us(s->b, "field frame k=15", "amble", n, set);
    double flann = bench_least_us(s->b, "field frame k=15", "flann", n, set);
    double searches = bench_least_us(s->b, "field searches k=15", "amble", n, set);
    double peer = bench_least_us(s->b, "field searches k=15", "flann", n, set);
    if (own > 0.0 && searches > 0.0 && flann > 0.0) {
        bench_note(s->b,
                   "%lld states of %d numbers: %.0f controlled frames per second; %.1fx as fast as with FLANN, "
                   "searches alone %.1fx",
                   (long long)n, s->field->dims, 1e6 / own, flann / own, peer / searches);
    } else if (own > 0.0) { // the peers were not there
        bench_note(s->b, "%lld states of %d numbers: %.0f controlled frames per second", (long long)n, s->field->dims,
                   1e6 / own);
    }
}

static void close_all(field_bench *s)
{
    ami_search_work_destroy(s->work);
    ami_source_destroy(s->source);
    ami_field_value_destroy(s->value);
    am_model_close(s->model);
    ami_field_work_destroy(s->search);
    ami_field_destroy(s->field);
    am_db_close(s->db);
    free(s->rows);
    free(s->hints);
    free(s->found);
    bench_peer_stop(s->peer);
    ami_folder_remove(s->folder);
}

static am_result open_all(field_bench *s, const char *config, am_error *err)
{
    am_result result = cli_database_open(&s->db, config, NULL, NULL, err);
    ami_field_def def = ami_field_def_default();
    def.db = s->db;
    result = result == AM_OK ? ami_field_create(&s->field, &def, err) : result;
    result = result == AM_OK ? ami_field_work_create(&s->search, s->field, NULL, err) : result;
    result = result == AM_OK ? make_source(s, err) : result;
    if (result != AM_OK) {
        return result;
    }
    s->frames = s->field->state_count > large ? large_frames : most_frames;
    ami_folder_make_temporary(s->folder, sizeof s->folder, "amble-field"); // without it the peers are not asked
    snprintf(s->rows_file, sizeof s->rows_file, "%s/rows", s->folder);
    snprintf(s->found_file, sizeof s->found_file, "%s/found", s->folder);
    s->rows = calloc((size_t)s->frames * asks * (size_t)s->field->stride, sizeof *s->rows);
    s->hints = calloc((size_t)s->frames * 2 * k, sizeof *s->hints);
    s->found = calloc((size_t)variants * (size_t)s->frames * asks * k, sizeof *s->found);
    return s->rows && s->hints && s->found && collect(s) ? AM_OK : AM_ERR_MEMORY;
}

int bench_field(bench *b)
{
    const char *usual[2] = { "fields_locomotion", "locomotion" };
    const char *given = bench_config(b);
    bool data = cli_database_has_data(usual[0]) && cli_database_has_data(usual[1]);
    int count = given || !data ? 1 : 2;
    for (int i = 0; i < count; i++) {
        const char *config = given ? given : data ? usual[i] : "synth";
        field_bench s = { .b = b };
        am_error err = { 0 };
        am_result result = open_all(&s, config, &err);
        if (result != AM_OK) {
            close_all(&s);
            return cli_fail(&err);
        }
        s.peer = bench_peer_start(b, "search_peers");
        load_peers(&s);
        const char *name = strrchr(config, '/');
        run_rounds(&s, name ? name + 1 : config);
        close_all(&s);
        if (s.wrong) {
            return CLI_FAILED;
        }
    }
    return CLI_DONE;
}
