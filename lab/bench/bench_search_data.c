// The data of the search bench: frames of whole clips, in an order that is shuffled once, so that every size is a
// fair sample of all; every tenth source clip (with its mirror image) is held out for queries.
#include "bench_search.h"

#include "database.h"

#include "base/rng.h"
#include "data/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_configs = 16, held_every = 10 };

const char *const search_set_names[search_sets] = { "heldout", "mixed", "n1.0" };

// With --full: everything on the one CMU skeleton that is described by the same features.
static const char *const all_configs[] = { "locomotion", "jump",  "low",      "dance",  "indian_dance", "salsa",
                                           "chair",      "pairs", "recovery", "styles", "terrain" };

typedef struct piece {
    const am_db *db;
    const am_db_range *range;
} piece;

typedef struct gather {
    am_db *dbs[most_configs];
    int db_count;
    piece *kept, *held;
    int kept_count, held_count;
} gather;

static am_result no_memory(am_error *err)
{
    cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the frames of the bench");
    return AM_ERR_MEMORY;
}

static int offered(const am_db_range *range)
{
    int count = range ? range->stop - range->tail - (range->start + range->head) : 0;
    return count > 0 ? count : 0;
}

static bool same_schema(const am_schema *a, const am_schema *b)
{
    if (a->channel_count != b->channel_count || a->pca_count || b->pca_count) {
        return false;
    }
    for (int c = 0; c < a->channel_count; c++) {
        const am_channel *x = &a->channels[c], *y = &b->channels[c];
        if (x->kind != y->kind || x->role != y->role || x->dims != y->dims || x->time_count != y->time_count) {
            return false;
        }
        for (int t = 0; t < x->time_count; t++) {
            if (am_abs(x->times[t] - y->times[t]) > 1e-6f) {
                return false;
            }
        }
    }
    return true;
}

/// Opens config after config; those whose data is not here or that have other features are left out, with a note.
static am_result open_all(gather *g, bench *b, const char *config, bool all, am_error *err)
{
    am_progress progress = cli_progress();
    am_result result = cli_database_open(&g->dbs[0], config, NULL, &progress, err);
    g->db_count = result == AM_OK;
    int others = sizeof all_configs / sizeof all_configs[0];
    for (int i = 0; all && result == AM_OK && i < others && g->db_count < most_configs; i++) {
        if (strcmp(all_configs[i], config) == 0 || !cli_database_has_data(all_configs[i])) {
            continue;
        }
        am_db *db = NULL;
        am_error why = { 0 };
        if (cli_database_open(&db, all_configs[i], NULL, &progress, &why) != AM_OK) {
            bench_note(b, "data set %s left out: %s", all_configs[i], why.text);
        } else if (!same_schema(db->features.schema, g->dbs[0]->features.schema)) {
            bench_note(b, "data set %s left out: it has other features", all_configs[i]);
            am_db_close(db);
        } else {
            g->dbs[g->db_count++] = db;
        }
    }
    cli_progress_end();
    return result;
}

static void shuffle(piece *pieces, int count)
{
    am_rng rng = ami_rng_make(1);
    for (int i = count - 1; i > 0; i--) {
        int j = (int)am_rng_below(&rng, (uint32_t)i + 1);
        piece swap = pieces[i];
        pieces[i] = pieces[j];
        pieces[j] = swap;
    }
}

static am_result split(gather *g, am_error *err)
{
    int ranges = 0;
    for (int d = 0; d < g->db_count; d++) {
        ranges += g->dbs[d]->range_count;
    }
    g->kept = calloc((size_t)ranges, sizeof *g->kept);
    g->held = calloc((size_t)ranges, sizeof *g->held);
    if (!g->kept || !g->held) {
        return no_memory(err);
    }
    for (int d = 0; d < g->db_count; d++) {
        for (int r = 0; r < g->dbs[d]->range_count; r++) {
            const am_db_range *range = &g->dbs[d]->ranges[r];
            piece p = { g->dbs[d], range };
            if (offered(range) == 0) {
                continue;
            }
            if (range->source % held_every == held_every / 2) {
                g->held[g->held_count++] = p;
            } else {
                g->kept[g->kept_count++] = p;
            }
        }
    }
    if (g->kept_count == 0 || g->held_count == 0) {
        cli_error(err, AM_ERR_EMPTY, NULL, "the database has too few clips to hold some out; name another config");
        return AM_ERR_EMPTY;
    }
    shuffle(g->kept, g->kept_count);
    return AM_OK;
}

/// Copies a stretch of rows; those of another database are scaled as the first one's are.
static void copy_rows(float *out, const am_db *from, const am_db *scale, int first, int count)
{
    size_t stride = (size_t)from->features.stride;
    for (int i = 0; i < count; i++) {
        if (from == scale) {
            memcpy(out + (size_t)i * stride, am_db_x(from, first + i), stride * sizeof *out);
        } else {
            float raw[AM_MAX_FEATURES];
            ami_features_denormalise(&from->features, raw, am_db_x(from, first + i));
            ami_features_normalise(&scale->features, out + (size_t)i * stride, raw);
        }
    }
}

static void add_range(search_data *data, int count)
{
    am_db_range *range = &data->ranges[data->range_count++];
    *range = (am_db_range){ .start = data->count, .stop = data->count + count };
    data->count += count;
}

/// The same clips again, each moved as a whole by a quarter of a standard deviation and roughened a little.
static void add_copies(search_data *data, int want)
{
    am_rng rng = ami_rng_make(2);
    size_t stride = (size_t)data->stride;
    for (int r = 0; data->count < want; r++) {
        const am_db_range *range = &data->ranges[r];
        int count = range->stop - range->start;
        count = count < want - data->count ? count : want - data->count;
        const float *from = data->x + (size_t)range->start * stride;
        float *to = data->x + (size_t)data->count * stride;
        float shift[AM_MAX_FEATURES] = { 0 };
        for (int d = 0; d < data->dims; d++) {
            shift[d] = 0.25f * am_rng_normal(&rng);
        }
        for (int i = 0; i < count * data->stride; i++) {
            int d = i % data->stride;
            to[i] = d < data->dims ? from[i] + shift[d] + 0.02f * am_rng_normal(&rng) : 0.0f;
        }
        add_range(data, count);
    }
}

static am_result fill(search_data *data, const gather *g, int want, am_error *err)
{
    const am_db *scale = g->dbs[0];
    data->dims = scale->features.count;
    data->stride = scale->features.stride;
    size_t row = (size_t)data->stride * sizeof(float);
    int held = 0;
    for (int i = 0; i < g->held_count; i++) {
        held += offered(g->held[i].range);
    }
    // A copy has at least one frame, so there can be no more ranges than frames.
    data->x = calloc((size_t)want + 1, row);
    data->ranges = calloc((size_t)want, sizeof *data->ranges);
    data->held = calloc((size_t)held + 1, row);
    if (!data->x || !data->ranges || !data->held) {
        return no_memory(err);
    }
    for (int i = 0; i < g->kept_count && data->count < want; i++) {
        const am_db_range *range = g->kept[i].range;
        int count = offered(range) < want - data->count ? offered(range) : want - data->count;
        if (count > 0) {
            copy_rows(data->x + (size_t)data->count * (size_t)data->stride, g->kept[i].db, scale,
                      range->start + range->head, count);
            add_range(data, count);
        }
    }
    for (int i = 0; i < g->held_count; i++) {
        const am_db_range *range = g->held[i].range;
        int count = offered(range);
        if (count > 0) {
            copy_rows(data->held + (size_t)data->held_count * (size_t)data->stride, g->held[i].db, scale,
                      range->start + range->head, count);
            data->held_count += count;
        }
    }
    data->real_count = data->count;
    add_copies(data, want);
    const am_schema *schema = scale->features.schema;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        bool desired =
            channel->kind == AM_FEATURE_TRAJECTORY_POSITION || channel->kind == AM_FEATURE_TRAJECTORY_DIRECTION;
        for (int d = channel->first; d < channel->first + channel->dims; d++) {
            data->trajectory[d] = desired;
        }
    }
    return AM_OK;
}

am_result search_data_load(search_data *out, bench *b, const char *config, bool all, int want, am_error *err)
{
    *out = (search_data){ 0 };
    gather g = { 0 };
    am_result result = open_all(&g, b, config, all, err);
    result = result == AM_OK ? split(&g, err) : result;
    result = result == AM_OK ? fill(out, &g, want, err) : result;
    if (result == AM_OK) {
        bench_note(b, "%d features; %d frames of %s%s, %d frames of other clips held out", out->dims, out->real_count,
                   config, g.db_count > 1 ? " and other sets" : "", out->held_count);
        if (out->real_count < out->count) {
            bench_note(b, "beyond %d frames: copies of the clips, moved by 0.25 and roughened by 0.02 sigma",
                       out->real_count);
        }
    }
    free(g.kept);
    free(g.held);
    for (int d = 0; d < g.db_count; d++) {
        am_db_close(g.dbs[d]);
    }
    return result;
}

void search_data_free(search_data *data)
{
    free(data->x);
    free(data->ranges);
    free(data->held);
    *data = (search_data){ 0 };
}

am_db search_data_db(const search_data *data, int n, am_db_range *ranges)
{
    am_db db = { .frame_count = n, .x = data->x, .ranges = ranges };
    db.features.raw_count = db.features.count = data->dims;
    db.features.stride = data->stride;
    for (int r = 0; r < data->range_count && data->ranges[r].start < n; r++) {
        ranges[r] = data->ranges[r];
        ranges[r].stop = ranges[r].stop < n ? ranges[r].stop : n;
        db.range_count = r + 1;
    }
    return db;
}

void search_data_questions(const search_data *data, int n, int set, float *out, int count)
{
    am_rng rng = ami_rng_make((uint64_t)10 + (uint64_t)set);
    for (int q = 0; q < count; q++) {
        const float *held = data->held + am_rng_below(&rng, (uint32_t)data->held_count) * (size_t)data->stride;
        const float *own = data->x + am_rng_below(&rng, (uint32_t)n) * (size_t)data->stride;
        float *to = out + (size_t)q * (size_t)data->stride;
        memset(to, 0, (size_t)data->stride * sizeof *to);
        for (int d = 0; d < data->dims; d++) {
            if (set == 0) {
                to[d] = held[d];
            } else if (set == 1) {
                to[d] = data->trajectory[d] ? held[d] : own[d];
            } else {
                to[d] = own[d] + am_rng_normal(&rng);
            }
        }
    }
}
