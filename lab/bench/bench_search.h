/// Frames and queries for the search bench: rows of features from databases, with some clips held out.
#ifndef AMBLE_CLI_BENCH_SEARCH_H
#define AMBLE_CLI_BENCH_SEARCH_H

#include "bench.h"

enum { search_sets = 3 };
extern const char *const search_set_names[search_sets]; ///< heldout, mixed, n1.0

/// Feature rows of many clips in a shuffled order of clips, and those of the clips held out.
typedef struct search_data {
    int dims, stride;
    int count;           ///< rows in x
    float *x;            ///< [count][stride]
    am_db_range *ranges; ///< of x, without ignored ends
    int range_count;
    int real_count; ///< rows of x that are not perturbed copies
    float *held;    ///< [held_count][stride]
    int held_count;
    bool trajectory[AM_MAX_FEATURES]; ///< the dimension belongs to the desired trajectory
} search_data;

/// Loads `want` frames: from config `config`, with `all` from every config of the same features; what is missing are
/// perturbed copies. Notes what it did.
am_result search_data_load(search_data *out, bench *b, const char *config, bool all, int want, am_error *err);
void search_data_free(search_data *data);

/// A database of the first n frames, as far as an index looks at one; ranges(data->range_count) is its room.
am_db search_data_db(const search_data *data, int n, am_db_range *ranges);
/// out[count][stride]: questions of set `set` for the first n frames. The same seed gives the same ones.
void search_data_questions(const search_data *data, int n, int set, float *out, int count);

/// Rows for batches over the frames of db: a crowd of unrelated questions, and the questions of a 3 x 3 tree of
/// long-horizon matching; against one by one. False, with a message, when answers differ or memory is short.
bool search_batches(bench *b, const search_data *data, const am_db *db, const float *mixed, int count);

#endif
