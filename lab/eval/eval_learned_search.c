// Compares the Projector with a true search, in answers and in cost.
#include "eval_learned.h"

#include "base/rng.h"
#include "data/database.h"
#include "data/features.h"
#include "data/search.h"
#include "net/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { top = 10, timed = 400 };

/// Whether a stored number describes the target rather than the body.
static bool is_target(const am_features *f, int dim)
{
    for (int c = 0; c < f->schema->channel_count && !f->pca; c++) {
        const am_channel *channel = &f->schema->channels[c];
        if (dim >= channel->first && dim < channel->first + channel->dims) {
            return ami_channel_is_target(channel);
        }
    }
    return false;
}

/// x(stride): a frame, the targets of another for a share of the queries, and noise of random size.
static void make_query(const learned *l, am_rng *rng, float noise, float swap, float *x)
{
    const am_db *db = l->db;
    const int from = (int)am_rng_below(rng, (uint32_t)db->frame_count);
    const int other = (int)am_rng_below(rng, (uint32_t)db->frame_count);
    const bool swapped = am_rng_float(rng) < swap;
    const float size = noise * am_rng_float(rng);
    memset(x, 0, (size_t)db->features.stride * sizeof *x);
    for (int i = 0; i < db->features.count; i++) {
        const int frame = swapped && is_target(&db->features, i) ? other : from;
        const float scale = db->features.pca ? 1.0f : db->features.weight[i];
        x[i] = am_db_x(db, frame)[i] + size * scale * am_rng_normal(rng);
    }
}

static double distance_of(const float *a, const float *b, int count)
{
    double squares = 0.0;
    for (int i = 0; i < count; i++) {
        squares += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    }
    return sqrt(squares);
}

typedef struct bench_search {
    am_index *index;
    am_search_work *work;
    am_net_work *project, *step, *decode;
    float *query, *result, *y; ///< [stride], [stride + latent], [pose]
} bench_search;

static int find(const bench_search *b, const float *x, am_hit *hits, int k)
{
    ami_search search = ami_search_default();
    search.x = x;
    search.k = k;
    return ami_index_search(b->index, hits, &search, b->work);
}

static void decode(const learned *l, const bench_search *b, const float *xz)
{
    am_net_put(b->decode, 0, 0, xz);
    am_net_put(b->decode, 1, 0, xz + l->db->features.count);
    am_net_run(l->decompressor.net, b->decode, 1);
    am_net_get(b->decode, 0, 0, b->y);
}

/// From one search to the next both continue: the networks by themselves, matching along its clip. Mean distance of
/// the joints over that time, xz(width) is used up.
static double segment_apart(const learned *l, const bench_search *b, float *xz, int frame)
{
    const int width = l->db->features.count + l->latent, steps = (int)(l->db->fps / 6.0f + 0.5f);
    double sum = 0.0;
    for (int t = 0; t <= steps; t++) {
        decode(l, b, xz);
        sum += learned_places_apart(l, b->y, ami_db_clamp(l->db, frame, t));
        am_net_put(b->step, 0, 0, xz);
        am_net_put(b->step, 1, 0, xz + l->db->features.count);
        am_net_run(l->stepper.net, b->step, 1);
        const float *rate = ami_net_output(b->step, 0, 0, 0);
        for (int i = 0; i < width; i++) {
            xz[i] += rate[i] / l->db->fps;
        }
    }
    return sum / (steps + 1);
}

static void judge(const learned *l, const bench_search *b, projection_score *out)
{
    const am_db *db = l->db;
    const int width = db->features.count, near = (int)(db->fps / 6.0f + 0.5f);
    am_hit truth[top], own;
    const int found = find(b, b->query, truth, top);
    am_net_put(b->project, 0, 0, b->query);
    am_net_run(l->projector.net, b->project, 1);
    const float *xz = ami_net_output(b->project, 0, 0, 0);
    memset(b->result, 0, (size_t)db->features.stride * sizeof *b->result);
    memcpy(b->result, xz, (size_t)width * sizeof *b->result);
    if (found < 1 || find(b, b->result, &own, 1) < 1) {
        return;
    }
    bool among = false, beside = false;
    for (int i = 0; i < found; i++) {
        among |= truth[i].frame == own.frame;
        beside |= abs(truth[i].frame - own.frame) <= near;
    }
    decode(l, b, xz);
    out->queries++;
    out->first += truth[0].frame == own.frame;
    out->ten += among;
    out->near_ten += beside;
    out->true_distance += distance_of(b->query, am_db_x(db, truth[0].frame), width);
    out->found_distance += distance_of(b->query, am_db_x(db, own.frame), width);
    out->off_data += distance_of(b->result, am_db_x(db, own.frame), width);
    out->place_cm += learned_places_apart(l, b->y, truth[0].frame);
    if (l->stepper.net) {
        memcpy(b->result, xz, (size_t)(width + l->latent) * sizeof *b->result);
        out->segment_cm += segment_apart(l, b, b->result, truth[0].frame);
    }
}

static void close_search(bench_search *b)
{
    ami_search_work_destroy(b->work);
    ami_index_destroy(b->index);
    am_net_work_destroy(b->project);
    am_net_work_destroy(b->step);
    am_net_work_destroy(b->decode);
    free(b->query);
    free(b->result);
    free(b->y);
}

static am_result open_search(const learned *l, bench_search *b, am_error *err)
{
    ami_index_def def = ami_index_def_default();
    def.db = l->db;
    def.kind = AMI_INDEX_FAST;
    *b = (bench_search){ 0 };
    am_result result = ami_index_create(&b->index, &def, err);
    if (result == AM_OK) {
        result = ami_search_work_create(&b->work, b->index, NULL, err);
    }
    if (result == AM_OK && l->projector.net) {
        result = am_net_work_create(&b->project, l->projector.net, 1, NULL, err);
    }
    if (result == AM_OK && l->stepper.net) {
        result = am_net_work_create(&b->step, l->stepper.net, 1, NULL, err);
    }
    if (result == AM_OK) {
        result = am_net_work_create(&b->decode, l->decompressor.net, 1, NULL, err);
    }
    b->query = calloc((size_t)l->db->features.stride, sizeof *b->query);
    b->result = calloc((size_t)l->db->features.stride + (size_t)l->latent, sizeof *b->result);
    b->y = calloc((size_t)l->layout.count, sizeof *b->y);
    if (result == AM_OK && (!b->query || !b->result || !b->y)) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
        result = AM_ERR_MEMORY;
    }
    return result;
}

am_result learned_projection(const learned *l, float noise, float swap, projection_score *out, am_error *err)
{
    bench_search b;
    *out = (projection_score){ 0 };
    const am_result result = open_search(l, &b, err);
    am_rng rng = ami_rng_make(30);
    for (int i = 0; result == AM_OK && i < (l->e->quick ? 400 : 2000); i++) {
        make_query(l, &rng, noise, swap, b.query);
        judge(l, &b, out);
    }
    const double count = out->queries > 0 ? (double)out->queries : 1.0;
    out->first /= count;
    out->ten /= count;
    out->near_ten /= count;
    out->true_distance /= count;
    out->found_distance /= count;
    out->off_data /= count;
    out->place_cm /= count;
    out->segment_cm /= count;
    close_search(&b);
    return result;
}

double learned_time(const learned_part *part, am_error *err)
{
    am_net_work *work = NULL;
    if (!part->net || am_net_work_create(&work, part->net, 1, NULL, err) != AM_OK) {
        return (double)NAN;
    }
    am_rng rng = ami_rng_make(1);
    for (int i = 0; i < ami_net_input_count(part->net); i++) {
        float *x = ami_net_input(work, i, 0, 0);
        for (int k = 0; k < am_net_input_size(part->net, i); k++) {
            x[k] = am_rng_normal(&rng);
        }
    }
    double best = (double)INFINITY;
    for (int i = 0; i < timed; i++) {
        const double begun = cli_now_us(NULL);
        am_net_run(part->net, work, 1);
        best = fmin(best, cli_now_us(NULL) - begun);
    }
    am_net_work_destroy(work);
    return best;
}

double learned_search_time(const learned *l, am_error *err)
{
    bench_search b;
    double best = (double)NAN;
    if (open_search(l, &b, err) == AM_OK) {
        am_rng rng = ami_rng_make(31);
        am_hit hit;
        double sum = 0.0;
        for (int i = 0; i < timed; i++) { // queries differ: the mean, each the better of two
            make_query(l, &rng, 0.3f, 0.5f, b.query);
            double least = (double)INFINITY;
            for (int k = 0; k < 2; k++) {
                const double begun = cli_now_us(NULL);
                find(&b, b.query, &hit, 1);
                least = fmin(least, cli_now_us(NULL) - begun);
            }
            sum += least;
        }
        best = sum / timed;
    }
    close_search(&b);
    return best;
}
