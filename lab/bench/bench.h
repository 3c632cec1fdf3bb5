/// What the benches share. A bench is a file bench_NAME.c with one function, and a line in bench.c.
#ifndef AMBLE_CLI_BENCH_H
#define AMBLE_CLI_BENCH_H

#include "cli.h"
#include <amble/asset.h>
#include <amble/tools/network.h>

typedef struct bench bench;

/// True when the user asked for --full: more files, slow peers, large sizes.
bool bench_full(const bench *b);
/// How often to measure: what the user asked for, else `usual`; at most `most`.
int bench_rounds(const bench *b, int usual, int most);

/// The only size to measure, 0 when the bench decides.
int bench_size(const bench *b);
/// The config whose data to use, NULL when the bench decides.
const char *bench_config(const bench *b);

/// Microseconds of a steady clock.
double bench_now_us(void);
/// Microseconds that this thread has computed: the clock for long rounds on a busy machine.
double bench_cpu_us(void);

/// Least first.
void bench_sort(double *values, int count);

/// Adds one row. `us` are the times of all rounds, in any order (sorted in place); `variant` is "amble" or the name
/// of the peer; `checksum` is that of the answer, so that skipped work is noticed.
void bench_row(bench *b, const char *subject, const char *variant, int64_t n, const char *set, double *us, int rounds,
               uint64_t checksum);
/// The same, with the 99th percentile taken from singles(single_count) instead: times of single questions.
void bench_row_singles(bench *b, const char *subject, const char *variant, int64_t n, const char *set, double *us,
                       int rounds, double *singles, int single_count, uint64_t checksum);
/// The least time of a row, 0 when there is no such row.
double bench_least_us(const bench *b, const char *subject, const char *variant, int64_t n, const char *set);
/// A row as it was added.
typedef struct bench_line {
    char subject[64];
    char variant[24];
    char set[24];
    int64_t n;
    double us_min, us_median, us_p99;
    uint64_t checksum;
} bench_line;
/// All rows so far; notes(note_count) are the remarks.
typedef struct bench_results {
    const char *name, *machine;
    const bench_line *lines;
    int line_count;
    const char *const *notes;
    int note_count;
} bench_results;
/// Writes a page: the rows, the remarks, and curves over n of every subject that was measured at several sizes.
am_result bench_page_write(const bench_results *results, const char *path, am_error *err);
/// A remark for the reader: which peer was absent and why, what the data was. One that begins with "peer " is also
/// printed on stderr at once. Without a bench it is not used.
void bench_note(bench *b, const char *format, ...) AM_PRINTF(2, 3);

/// A peer: a program of lab/peers beside the command, asked over pipes, one line for one line.
typedef struct bench_peer bench_peer;
/// Starts peer `name`; NULL when it was not built or does not start, after a note about it.
bench_peer *bench_peer_start(bench *b, const char *name);
/// Starts NAME.js of the WebAssembly build beside this one (build/wasm/peers) under node; NULL, with a note, without.
bench_peer *bench_peer_start_wasm(bench *b, const char *name);
/// Sends `question` and gets the line that answers it. False when the peer died or said "error".
bool bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *question);
void bench_peer_stop(bench_peer *peer);

// The benches.
int bench_load(bench *b);
/// bench_open.c: its part about databases.
int bench_open(bench *b);
int bench_search(bench *b);
int bench_crowd(bench *b);
/// bench_crowd_paths.c: its part with `count` characters on paths.
int bench_crowd_paths(bench *b, const am_db *db, const char *set, int count, int frames);
/// bench_crowd_learned.c: its part with learned characters.
int bench_crowd_learned(bench *b, const am_db *db, const char *config, int count, int frames);
/// bench_crowd_flow.c: its part with flow characters over the skeleton of a database.
int bench_crowd_flow(bench *b, const am_db *db, int count, int frames);
/// bench_crowd_field.c: the asset for characters of a motion field.
typedef struct bench_field_ground {
    am_db *db;
    am_model *model;
    am_asset *asset;
} bench_field_ground;
/// settings: of its actors.
am_result bench_field_ground_open(bench_field_ground *ground, const char **set, am_settings *settings, am_error *err);
void bench_field_ground_close(bench_field_ground *ground);
int bench_infer(bench *b);
int bench_field(bench *b);
int bench_train(bench *b);
/// bench_train_lmm.c: its part about the stages of Learned Motion Matching.
int bench_train_lmm(bench *b);

#endif
