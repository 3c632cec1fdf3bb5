// Features and latents side by side: the training data of Stepper and Projector.
#include "train/lmm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "net/build.h"

static const am_net_graph *find_compressor(const ami_stage *s)
{
    const am_net_graph *found = NULL;
    for (int g = 0; g < s->finished_count; g++) {
        found = strcmp(s->finished[g]->name, "compressor") == 0 ? s->finished[g] : found;
    }
    return found;
}

/// Adds up one row or one rate.
static void add_row(double *sum, double *squares, const float *a, const float *b, double scale, int width)
{
    for (int i = 0; i < width; i++) {
        const double v = ((double)a[i] - (b ? (double)b[i] : 0.0)) * scale;
        sum[i] += v;
        squares[i] += v * v;
    }
}

static void finish(float *mean, float *deviation, const double *sum, const double *squares, double count, int width)
{
    for (int i = 0; i < width; i++) {
        const double middle = sum[i] / count, variance = squares[i] / count - middle * middle;
        mean[i] = (float)middle;
        deviation[i] = variance > 0.0 ? (float)sqrt(variance) : 0.0f;
    }
}

/// Numbers that hardly change must not be amplified: no deviation is below a tenth of that of all features, or
/// latents.
static void raise_small(float *deviation, int count)
{
    double squares = 0.0;
    for (int i = 0; i < count; i++) {
        squares += (double)deviation[i] * (double)deviation[i] / count;
    }
    const float least = squares > 0.0 ? 0.1f * (float)sqrt(squares) : 1.0f;
    for (int i = 0; i < count; i++) {
        deviation[i] = deviation[i] > least ? deviation[i] : least;
    }
}

/// Mean |v - mean| over features, then over latents, of rows or of rates.
static void sizes(double size[2], const ami_xz *t, const am_db *db, bool rate)
{
    const float *mean = rate ? t->rate_mean : t->mean;
    double sum[2] = { 0 };
    int64_t count = 0;
    for (int r = 0; r < db->range_count; r++) {
        for (int f = db->ranges[r].start; f + rate < db->ranges[r].stop; f++, count++) {
            const float *a = t->rows + (size_t)f * (size_t)t->width, *b = a + t->width;
            for (int i = 0; i < t->width; i++) {
                const double v = rate ? ((double)b[i] - (double)a[i]) * (double)db->fps : (double)a[i];
                sum[i >= t->features] += fabs(v - (double)mean[i]);
            }
        }
    }
    const double all = (double)(count > 0 ? count : 1);
    size[0] = sum[0] / (all * (t->features > 0 ? t->features : 1));
    size[1] = sum[1] / (all * t->latent);
    size[0] = size[0] > 1e-6 ? size[0] : 1.0;
    size[1] = size[1] > 1e-6 ? size[1] : 1.0;
}

static void measure(ami_xz *t, const am_db *db, double *room)
{
    const size_t w = (size_t)t->width;
    double *sum = room, *squares = room + w, *rate_sum = room + 2 * w, *rate_squares = room + 3 * w;
    int64_t steps = 0;
    for (int r = 0; r < db->range_count; r++) {
        for (int f = db->ranges[r].start; f < db->ranges[r].stop; f++) {
            const float *row = t->rows + (size_t)f * w;
            add_row(sum, squares, row, NULL, 1.0, t->width);
            if (f + 1 < db->ranges[r].stop) {
                add_row(rate_sum, rate_squares, row + w, row, (double)db->fps, t->width);
                steps++;
            }
        }
    }
    finish(t->mean, t->deviation, sum, squares, (double)db->frame_count, t->width);
    finish(t->rate_mean, t->rate_deviation, rate_sum, rate_squares, (double)(steps > 0 ? steps : 1), t->width);
    raise_small(t->deviation, t->features);
    raise_small(t->deviation + t->features, t->latent);
    raise_small(t->rate_deviation, t->features);
    raise_small(t->rate_deviation + t->features, t->latent);
    sizes(t->size, t, db, false);
    sizes(t->rate_size, t, db, true);
}

static void join(ami_xz *t, const am_db *db, const float *z)
{
    for (int f = 0; f < db->frame_count; f++) {
        float *row = t->rows + (size_t)f * (size_t)t->width;
        memcpy(row, am_db_x(db, f), (size_t)t->features * sizeof *row);
        memcpy(row + t->features, z + (size_t)f * (size_t)t->latent, (size_t)t->latent * sizeof *row);
    }
}

am_result ami_xz_make(ami_xz *t, ami_lmm *d, const ami_stage *s, am_error *err)
{
    const am_net_graph *compressor = find_compressor(s);
    if (!compressor) {
        return ami_fail(err, AM_ERR_KEY,
                        "a stage '%s' needs the Compressor of a stage 'decompressor' before it in the recipe",
                        s->kind->name);
    }
    float *z = NULL;
    *t = (ami_xz){ .alloc = d->alloc, .frame_count = d->db->frame_count, .features = d->features };
    am_result result = ami_lmm_latent(d, compressor, &z, &t->latent, err);
    if (result != AM_OK) {
        return result;
    }
    ami_lmm_drop_poses(d);
    t->width = t->features + t->latent;
    const size_t w = (size_t)t->width, frames = (size_t)t->frame_count;
    double *room = ami_alloc_zero(&t->alloc, 4 * w * sizeof *room);
    t->rows = ami_pages_array(&t->alloc, frames * w, sizeof *t->rows);
    t->mean = ami_alloc_array(&t->alloc, 4 * w, sizeof *t->mean);
    if (room && t->rows && t->mean) {
        t->deviation = t->mean + w;
        t->rate_mean = t->mean + 2 * w;
        t->rate_deviation = t->mean + 3 * w;
        join(t, d->db, z);
        measure(t, d->db, room);
    } else {
        result = ami_fail_memory(err, frames * w * sizeof *t->rows);
    }
    ami_release(&t->alloc, room, 4 * w * sizeof *room);
    ami_release(&t->alloc, z, frames * (size_t)t->latent * sizeof *z);
    return result;
}

void ami_xz_free(ami_xz *t)
{
    ami_pages_release(&t->alloc, t->rows, (size_t)t->frame_count * (size_t)t->width, sizeof *t->rows);
    ami_release(&t->alloc, t->mean, 4 * (size_t)t->width * sizeof *t->mean);
    *t = (ami_xz){ 0 };
}

void ami_xz_gather(const ami_xz *t, float *to, const int *frames, int offset, int n, int used)
{
    for (int c = 0; c < used; c++) {
        const float *row = t->rows + (size_t)(frames[c] + offset) * (size_t)t->width;
        for (int i = 0; i < t->width; i++) {
            to[(ptrdiff_t)i * n + c] = row[i];
        }
    }
}

am_result ami_lmm_network(const ami_stage *s, am_net_graph *g, int x, int hidden, int width, int *out, am_error *err)
{
    if (am_json_get(s->json, "layers")) {
        const am_result result = ami_stage_layers(s, "layers", g, x, &x, err);
        if (result != AM_OK) {
            return result;
        }
    } else {
        for (int i = 0; i < hidden; i++) {
            x = ami_net_graph_activation(g, ami_net_graph_linear(g, x, 512), AM_NET_RELU);
        }
    }
    *out = ami_net_graph_restore(g, ami_net_graph_linear(g, x, width));
    return AM_OK;
}
