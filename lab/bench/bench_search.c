// amble bench search: exact nearest frames on one thread, one query at a time.
//
// Variants: amble (the fast index), boxes (LMM appendix B), linear, the peers of lab/peers/search_peers.cpp, and wasm
// (the fast index in WebAssembly under node, lab/peers/search_wasm.c). All variants answer the same queries in turn
// within a round. A round's time is the processor time of the thread, so that other work on the machine slows a long
// round no more than a short one; the 99th percentile is of single queries. Every answer is compared with the linear
// one.
#include "bench_search.h"

#include "boxes.h"
#include "database.h"

#include "data/search.h"
#include "base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    variant_boxes = 1,
    variant_linear = 2,
    own_variants = 3,
    variant_wasm = 7,
    variants = 8,
    questions = 100,
    most_rounds = 24,
    most_k = 15,
    slow_us = 400, // variants slower than this are measured only in the first rounds
    slow_rounds = 3,
    least_wash_mib = 64,
    most_wash_mib = 512,
};

static const char *const variant_names[variants] = { "amble",     "boxes", "linear", "flann",
                                                     "nanoflann", "ann",   "faiss",  "wasm" };

typedef struct tally {
    double us[most_rounds];                  ///< mean of each round
    double singles[most_rounds * questions]; ///< of each question in each round
    int rounds;
    int32_t found[questions * most_k];
    uint64_t checksum;
    bool absent;
} tally;

typedef struct search_bench {
    bench *b;
    search_data data;
    am_db db;
    am_db_range *ranges;
    am_index *index[own_variants]; ///< none for boxes
    am_search_work *work[own_variants];
    lab_boxes *boxes;
    float *asked;            ///< [set][question][stride]
    bench_peer *peer, *wasm; ///< the libraries, and our own index under node
    bool peer_here[variants];
    char *wash;
    int wash_mib; ///< memory that is read to flush the caches
    volatile char washed;
    tally *tallies; ///< [variants]
    char folder[400], frames_file[512], found_file[512];
    int ties; ///< answers of peers that are as near as ours, but another frame
    bool wrong;
} search_bench;

// ---------------------------------------------------------------------------------------------
// Indices and peers for one size

static void close_size(search_bench *s)
{
    lab_boxes_destroy(s->boxes);
    s->boxes = NULL;
    for (int i = 0; i < own_variants; i++) {
        ami_search_work_destroy(s->work[i]);
        ami_index_destroy(s->index[i]);
        s->work[i] = NULL;
        s->index[i] = NULL;
    }
    remove(s->frames_file);
    remove(s->found_file);
}

static bool write_frames(const search_bench *s)
{
    FILE *file = fopen(s->frames_file, "wb");
    int32_t head[4] = { s->data.dims, s->db.frame_count, questions, search_sets };
    bool ok = file && fwrite(head, sizeof head, 1, file) == 1;
    size_t stride = (size_t)s->data.stride, dims = (size_t)s->data.dims;
    for (size_t i = 0; ok && i < (size_t)s->db.frame_count; i++) {
        ok = fwrite(s->data.x + i * stride, sizeof(float), dims, file) == dims;
    }
    for (size_t i = 0; ok && i < questions * search_sets; i++) {
        ok = fwrite(s->asked + i * stride, sizeof(float), dims, file) == dims;
    }
    int32_t ranges = s->db.range_count;
    ok = ok && fwrite(&ranges, sizeof ranges, 1, file) == 1;
    for (int r = 0; ok && r < ranges; r++) {
        int32_t span[2] = { s->db.ranges[r].start, s->db.ranges[r].stop };
        ok = fwrite(span, sizeof span, 1, file) == 1;
    }
    return (!file || fclose(file) == 0) && ok;
}

static bench_peer *peer_of(const search_bench *s, int variant) { return variant == variant_wasm ? s->wasm : s->peer; }

/// Hands the frames to a program of peers, and finds out which of them there are.
static void load_peers(search_bench *s, bench_peer *peer)
{
    char question[600], answer[256];
    if (!peer) {
        return;
    }
    snprintf(question, sizeof question, "load %s", s->frames_file);
    if (!bench_peer_ask(peer, answer, sizeof answer, question)) {
        bench_note(s->b, "a peer program could not read the frames and is left out");
        return;
    }
    for (char *word = strtok(answer, " \n"); word; word = strtok(NULL, " \n")) {
        for (int v = own_variants; v < variants; v++) {
            s->peer_here[v] = s->peer_here[v] || strcmp(word, variant_names[v]) == 0;
        }
    }
}

static am_result open_size(search_bench *s, int n, am_error *err)
{
    s->db = search_data_db(&s->data, n, s->ranges);
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < own_variants; i++) {
        ami_index_def def = ami_index_def_default();
        def.db = &s->db;
        def.kind = i == variant_linear ? AMI_INDEX_LINEAR : AMI_INDEX_FAST;
        if (i != variant_boxes) {
            result = ami_index_create(&s->index[i], &def, err);
            result = result == AM_OK ? ami_search_work_create(&s->work[i], s->index[i], NULL, err) : result;
        }
    }
    result = result == AM_OK ? lab_boxes_create(&s->boxes, s->index[variant_linear], NULL, err) : result;
    if (result == AM_OK) {
        for (int set = 0; set < search_sets; set++) {
            search_data_questions(&s->data, n, set, s->asked + (size_t)(set * questions) * (size_t)s->data.stride,
                                  questions);
        }
        memset(s->peer_here, 0, sizeof s->peer_here);
        if ((s->peer || s->wasm) && write_frames(s)) {
            load_peers(s, s->peer);
            load_peers(s, s->wasm);
        }
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// One round of one variant

static void wash_caches(search_bench *s)
{
    char washed = 0;
    for (size_t i = 0; i < (size_t)s->wash_mib << 20; i += 64) {
        washed = (char)(washed ^ s->wash[i]);
    }
    s->washed = washed;
}

/// A quarter more than the largest cache that the system reports.
static int find_wash_mib(void)
{
    int largest = least_wash_mib;
    for (int level = 0; level < 8; level++) {
        char path[96];
        int size = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%dK", &size) == 1 && size / 1024 * 5 / 4 > largest) {
            largest = size / 1024 * 5 / 4;
        }
        if (file) {
            fclose(file);
        }
    }
    return largest < most_wash_mib ? largest : most_wash_mib;
}

static double ask_own(search_bench *s, int variant, int set, int k, bool cold, double *singles)
{
    tally *t = &s->tallies[variant];
    double sum = 0.0, begun = bench_cpu_us();
    for (int q = 0; q < questions; q++) {
        ami_search search = ami_search_default();
        am_hit hits[most_k];
        search.x = s->asked + (size_t)(set * questions + q) * (size_t)s->data.stride;
        search.k = k;
        if (cold) {
            wash_caches(s);
        }
        double start = cold ? bench_cpu_us() : bench_now_us();
        int count = variant == variant_boxes ? lab_boxes_search(s->boxes, hits, &search)
                                             : ami_index_search(s->index[variant], hits, &search, s->work[variant]);
        singles[q] = (cold ? bench_cpu_us() : bench_now_us()) - start;
        sum += singles[q];
        for (int i = 0; i < k; i++) {
            t->found[q * k + i] = i < count ? hits[i].frame : -1;
        }
    }
    return (cold ? sum : bench_cpu_us() - begun) / questions;
}

/// Negative when the peer failed.
static double ask_peer(search_bench *s, int variant, int set, int k, bool cold, double *singles)
{
    char question[700], answer[256];
    double mean = -1.0;
    snprintf(question, sizeof question, "run %s %d %d %d %s", variant_names[variant], set, k, cold ? s->wash_mib : 0,
             s->found_file);
    if (!bench_peer_ask(peer_of(s, variant), answer, sizeof answer, question) || sscanf(answer, "%lf", &mean) != 1) {
        return -1.0;
    }
    FILE *file = fopen(s->found_file, "rb");
    size_t count = (size_t)questions * (size_t)k;
    bool ok = file && fread(singles, sizeof *singles, questions, file) == questions &&
              fread(s->tallies[variant].found, sizeof(int32_t), count, file) == count;
    if (file) {
        fclose(file);
    }
    return ok ? mean : -1.0;
}

/// Compares with the linear answer. A peer adds up in another order: of two frames that are practically equally near
/// it may take the other one, which then counts as correct.
static void check_answer(search_bench *s, int variant, int set, int k)
{
    tally *t = &s->tallies[variant];
    const tally *truth = &s->tallies[variant_linear];
    const am_index *linear = s->index[variant_linear];
    t->checksum = 0;
    int bad = 0;
    for (int i = 0; i < questions * k; i++) {
        int32_t found = t->found[i], right = truth->found[i];
        if (found != right && variant >= own_variants && variant != variant_wasm && found >= 0 &&
            found < s->db.frame_count) {
            const float *x = s->asked + (size_t)(set * questions + i / k) * (size_t)s->data.stride;
            float other = ami_index_cost(linear, found, x, NULL), best = ami_index_cost(linear, right, x, NULL);
            if (other <= best * 1.00001f + 1e-6f && best <= other * 1.00001f + 1e-6f) {
                found = right;
                s->ties++;
            }
        }
        bad += found != right;
        t->checksum += (uint64_t)(int64_t)found;
    }
    if (bad > 0) {
        fprintf(stderr, "amble: bench search: MISMATCH: %s found %d of %d frames that are not the nearest\n",
                variant_names[variant], bad, questions * k);
        bench_note(s->b, "MISMATCH: %s, %s, k=%d, %d frames: %d of %d answers are not the nearest",
                   variant_names[variant], search_set_names[set], k, s->db.frame_count, bad, questions * k);
        s->wrong = s->wrong || variant < own_variants || variant == variant_wasm;
    }
}

/// With cold caches, and with large k beyond the size at which everything is compared, only the reference variants
/// run.
static bool is_wanted(const search_bench *s, int variant, int k, bool cold)
{
    bool first = variant == 0 || variant == 1 || variant == 3;
    return first || (!cold && (k == 1 || s->db.frame_count <= 100000));
}

static void run_round(search_bench *s, int set, int k, bool cold, bool counted)
{
    // Linear first: it is the reference for the others. It runs in the checking round even where it has no row.
    static const int order[variants] = { 2, 0, 1, 3, 4, 5, 6, variant_wasm };
    bool wanted_cold = cold;
    cold = cold && counted;
    for (int i = 0; i < variants; i++) {
        int v = order[i];
        tally *t = &s->tallies[v];
        bool slow = t->rounds >= slow_rounds && t->us[0] > slow_us;
        bool truth = !counted && v == 2;
        if (t->absent || slow || t->rounds == most_rounds || !(truth || is_wanted(s, v, k, wanted_cold))) {
            continue;
        }
        double *singles = t->singles + t->rounds * questions;
        double mean = v < own_variants ? ask_own(s, v, set, k, cold, singles) : ask_peer(s, v, set, k, cold, singles);
        if (mean < 0.0) {
            bench_note(s->b, "peer %s failed at %d frames", variant_names[v], s->db.frame_count);
            t->absent = true;
        } else if (counted) {
            t->us[t->rounds++] = mean;
        } else {
            check_answer(s, v, set, k);
        }
    }
}

static bool run_case(search_bench *s, int set, int k, bool cold)
{
    char subject[32];
    snprintf(subject, sizeof subject, "search k=%d%s", k, cold ? " cold" : "");
    for (int v = 0; v < variants; v++) {
        s->tallies[v].rounds = 0;
        s->tallies[v].absent = v >= own_variants && !s->peer_here[v];
    }
    int rounds = bench_rounds(s->b, cold ? 2 : 12, most_rounds);
    double budget = bench_full(s->b) ? 15e6 : 10e6, begun = bench_now_us();
    // Round -1 warms caches, builds the peers' trees and checks the answers.
    for (int round = -1; round < rounds && (round < 2 || bench_now_us() - begun < budget); round++) {
        run_round(s, set, k, cold, round >= 0);
        if (cli_interrupted()) {
            return false;
        }
    }
    for (int v = 0; v < variants; v++) {
        tally *t = &s->tallies[v];
        if (!t->absent && t->rounds > 0) {
            bench_row_singles(s->b, subject, variant_names[v], s->db.frame_count, search_set_names[set], t->us,
                              t->rounds, t->singles, t->rounds * questions, t->checksum);
        }
    }
    return !s->wrong;
}

// ---------------------------------------------------------------------------------------------
// All cases

static void note_ratios(const search_bench *s, int n)
{
    for (int set = 0; set < search_sets; set++) {
        const char *name = search_set_names[set];
        double own = bench_least_us(s->b, "search k=1", "amble", n, name);
        double boxes = bench_least_us(s->b, "search k=1", "boxes", n, name);
        double flann = bench_least_us(s->b, "search k=1", "flann", n, name);
        double wasm = bench_least_us(s->b, "search k=1", "wasm", n, name);
        if (own > 0.0 && wasm > 0.0) {
            bench_note(s->b, "%d frames, %s: %.2f times as long in WebAssembly", n, name, wasm / own);
        }
        if (own > 0.0 && flann > 0.0) {
            bench_note(s->b, "%d frames, %s: %.1fx as fast as boxes, %.1fx as FLANN; boxes take %.2f of FLANN's time",
                       n, name, boxes / own, flann / own, boxes / flann);
        } else if (own > 0.0) {
            bench_note(s->b, "%d frames, %s: %.1fx as fast as boxes", n, name, boxes / own);
        }
    }
}

static void note_growth(const search_bench *s, int from, int to)
{
    for (int set = 0; set < search_sets; set++) {
        double small = bench_least_us(s->b, "search k=1", "amble", from, search_set_names[set]);
        double large = bench_least_us(s->b, "search k=1", "amble", to, search_set_names[set]);
        if (small > 0.0 && large > 0.0) {
            bench_note(s->b, "%s: time grows as N^%.2f from %d to %d frames", search_set_names[set],
                       log(large / small) / log((double)to / from), from, to);
        }
    }
}

static int run_size(search_bench *s, int n)
{
    static const int ks[3] = { 1, 3, 15 };
    am_error err = { 0 };
    am_progress progress = cli_progress();
    char stage[48];
    snprintf(stage, sizeof stage, "search %d", n);
    bool ok = open_size(s, n, &err) == AM_OK;
    if (!ok) {
        cli_fail(&err);
    }
    int k_count = bench_full(s->b) && n >= 100000 ? 3 : 1;
    for (int i = 0; i < k_count * search_sets && ok; i++) {
        ok = run_case(s, i % search_sets, ks[i / search_sets], false) &&
             progress.report(progress.user, stage, i + 1, k_count * search_sets);
    }
    for (int set = 0; bench_full(s->b) && n >= 100000 && ok && set < search_sets; set++) {
        ok = run_case(s, set, 1, true);
    }
    if (ok) {
        const float *mixed = s->asked + (size_t)questions * (size_t)s->data.stride;
        ok = search_batches(s->b, &s->data, &s->db, mixed, questions);
    }
    cli_progress_end();
    if (ok) {
        note_ratios(s, n);
    }
    close_size(s);
    return ok ? CLI_DONE : CLI_FAILED;
}

static bool make_room(search_bench *s)
{
    ami_folder_make_temporary(s->folder, sizeof s->folder, "amble-search"); // without it the peers are not asked
    snprintf(s->frames_file, sizeof s->frames_file, "%s/frames", s->folder);
    snprintf(s->found_file, sizeof s->found_file, "%s/found", s->folder);
    s->ranges = calloc((size_t)s->data.range_count, sizeof *s->ranges);
    s->asked = calloc((size_t)(questions * search_sets) * (size_t)s->data.stride, sizeof *s->asked);
    s->tallies = calloc(variants, sizeof *s->tallies);
    if (bench_full(s->b)) {
        s->wash_mib = find_wash_mib();
        s->wash = malloc((size_t)s->wash_mib << 20);
        if (s->wash) {
            memset(s->wash, 1, (size_t)s->wash_mib << 20); // pages of zeros would all be the same one
            bench_note(s->b, "cold: %d MiB are read before every query", s->wash_mib);
        }
    }
    return s->ranges && s->asked && s->tallies && (s->wash || !bench_full(s->b));
}

static void note_absent(search_bench *s)
{
    for (int v = own_variants; s->peer && v < variant_wasm; v++) {
        if (!s->peer_here[v]) {
            bench_note(s->b, "peer %s: absent, its library was not found when this was built", variant_names[v]);
        }
    }
    if (s->ties > 0) {
        bench_note(s->b,
                   "%d answers of peers were another frame that is equally near within rounding; they count as equal",
                   s->ties);
    }
    bench_note(s->b, "one thread, one query at a time; processor time of a round over its queries; p99 of single "
                     "queries on the wall clock");
}

int bench_search(bench *b)
{
    static const int full_sizes[4] = { 10000, 100000, 500000, 1000000 };
    const char *config = bench_config(b);
    if (!config) {
        config = cli_database_has_data("locomotion") ? "locomotion" : "synth";
    }
    if (!bench_config(b) && strcmp(config, "synth") == 0) {
        bench_note(b,
                   "the shared motion capture was not found (AMBLE_DATA, build/data): measured on procedural motion");
    }
    int one_size = bench_size(b);
    int count = one_size ? 1 : bench_full(b) ? 4 : 2;
    const int *sizes = one_size ? &one_size : full_sizes;
    search_bench s = { .b = b };
    am_error err = { 0 };
    if (search_data_load(&s.data, b, config, bench_full(b) && strcmp(config, "synth") != 0, sizes[count - 1], &err) !=
        AM_OK) {
        search_data_free(&s.data);
        return cli_fail(&err);
    }
    s.peer = bench_peer_start(b, "search_peers");
    s.wasm = bench_peer_start_wasm(b, "search_wasm");
    int status = make_room(&s) ? CLI_DONE : CLI_FAILED;
    for (int i = 0; status == CLI_DONE && i < count; i++) {
        status = run_size(&s, sizes[i]);
    }
    if (status == CLI_DONE) {
        note_growth(&s, 100000, 1000000);
        note_absent(&s);
    }
    bench_peer_stop(s.peer);
    bench_peer_stop(s.wasm);
    ami_folder_remove(s.folder);
    free(s.ranges);
    free(s.asked);
    free(s.wash);
    free(s.tallies);
    search_data_free(&s.data);
    return status;
}
