// Batches in the search bench: many queries in one call, against one call each.
#include "bench_search.h"

#include "data/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    most_questions = 128,
    most_k = 10,
    most_rounds = 24,
    tree = 9,        // leaves of a tree with three candidates at two steps
    tree_ahead = 20, // frames that a candidate plays until the next step
};

typedef struct batches {
    bench *b;
    am_index *index;
    am_search_work *work;
    ami_search searches[most_questions];
    am_hit hits[2][most_questions * most_k]; ///< single, batch
    int found[2][most_questions];
    float *x; ///< [most_questions][stride]
    int count;
} batches;

/// What long-horizon matching asks after a question: the desired trajectory again, from the pose that each of its
/// nearest frames has led to.
static void ask_tree(batches *s, const search_data *data, const am_db *db, const float *mixed, int roots)
{
    size_t stride = (size_t)data->stride;
    s->count = 0;
    for (int r = 0; r < roots && s->count + tree <= most_questions; r++) {
        ami_search search = ami_search_default();
        am_hit hits[tree];
        search.x = mixed + (size_t)r * stride;
        search.k = tree;
        int found = ami_index_search(s->index, hits, &search, s->work);
        for (int i = 0; i < tree; i++) {
            int frame = (i < found ? hits[i].frame : 0) + tree_ahead;
            const float *row = am_db_x(db, frame < db->frame_count ? frame : db->frame_count - 1);
            float *to = s->x + (size_t)s->count++ * stride;
            memcpy(to, row, stride * sizeof *to);
            for (int d = 0; d < data->dims; d++) {
                to[d] = data->trajectory[d] ? search.x[d] : row[d];
            }
        }
    }
}

static void ask_crowd(batches *s, const search_data *data, const float *mixed, int count)
{
    s->count = count < most_questions ? count : most_questions;
    memcpy(s->x, mixed, (size_t)s->count * (size_t)data->stride * sizeof *s->x);
}

static uint64_t answer_sum(const batches *s, int which, int k)
{
    uint64_t sum = 0;
    for (int i = 0; i < s->count * k; i++) {
        sum += (uint64_t)(int64_t)s->hits[which][i].frame;
    }
    return sum;
}

static bool same_answers(const batches *s, int k)
{
    bool same = true;
    for (int i = 0; i < s->count; i++) {
        same = same && s->found[0][i] == s->found[1][i];
        for (int j = i * k; j < i * k + s->found[0][i]; j++) {
            const am_hit *a = &s->hits[0][j], *b = &s->hits[1][j];
            same = same && a->frame == b->frame && !(a->cost < b->cost) && !(a->cost > b->cost);
        }
    }
    return same;
}

/// Microseconds per query, one by one or `together` at once.
static double time_round(batches *s, int k, int together)
{
    double begun = bench_cpu_us();
    for (int i = 0; i < s->count; i += together ? together : 1) {
        if (together) {
            int count = together < s->count - i ? together : s->count - i;
            ami_index_search_batch(s->index, s->hits[1] + i * k, s->found[1] + i, s->searches + i, s->work, count);
        } else {
            s->found[0][i] = ami_index_search(s->index, s->hits[0] + i * k, &s->searches[i], s->work);
        }
    }
    return (bench_cpu_us() - begun) / s->count;
}

static bool run_case(batches *s, const search_data *data, int64_t n, int k, int together, const char *set)
{
    double us[2][most_rounds];
    char subject[48];
    for (int i = 0; i < s->count; i++) {
        s->searches[i] = ami_search_default();
        s->searches[i].x = s->x + (size_t)i * (size_t)data->stride;
        s->searches[i].k = k;
    }
    memset(s->hits, 0, sizeof s->hits);
    int rounds = bench_rounds(s->b, 12, most_rounds);
    for (int round = -1; round < rounds; round++) {
        for (int v = 0; v < 2; v++) {
            us[v][round < 0 ? 0 : round] = time_round(s, k, v ? together : 0);
        }
    }
    if (!same_answers(s, k)) {
        fprintf(stderr, "amble: bench search: MISMATCH: a batch found other frames than single searches\n");
        return false;
    }
    snprintf(subject, sizeof subject, "search k=%d batch=%d", k, together);
    bench_row(s->b, subject, "amble", n, set, us[1], rounds, answer_sum(s, 1, k));
    bench_row(s->b, subject, "single", n, set, us[0], rounds, answer_sum(s, 0, k));
    return true;
}

bool search_batches(bench *b, const search_data *data, const am_db *db, const float *mixed, int count)
{
    am_error err = { 0 };
    batches *s = calloc(1, sizeof *s);
    ami_index_def def = ami_index_def_default();
    def.db = db;
    bool ok = s && (s->x = calloc(most_questions, (size_t)data->stride * sizeof *s->x)) != NULL;
    if (!ok) {
        cli_error(&err, AM_ERR_MEMORY, NULL, "out of memory for the queries of a batch");
    }
    ok = ok && ami_index_create(&s->index, &def, &err) == AM_OK &&
         ami_search_work_create(&s->work, s->index, NULL, &err) == AM_OK;
    if (!ok) {
        cli_fail(&err);
    } else {
        s->b = b;
        ask_crowd(s, data, mixed, count);
        ok = run_case(s, data, db->frame_count, 1, count, "mixed");
        ask_tree(s, data, db, mixed, count);
        ok = ok && run_case(s, data, db->frame_count, 3, tree, "tree") &&
             run_case(s, data, db->frame_count, 10, tree, "tree");
    }
    if (s) {
        ami_search_work_destroy(s->work);
        ami_index_destroy(s->index);
        free(s->x);
    }
    free(s);
    return ok;
}
