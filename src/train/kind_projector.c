// Stage "projector": the Projector of Learned Motion Matching (section 4.3, algorithm 3). Learns to give features and
// latent numbers of the frame that a search would find for a query: a frame's features with noise of random size, and
// for a share of the queries (`swap`, none in the paper) the targets of another frame, since a player's query is this
// pose with another trajectory. Gives the part "projector".
#include "train/lmm.h"

#include <math.h>

#include "base/error.h"
#include "train/neighbours.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "net/build.h"

enum { term_xval, term_zval, term_dist, term_count };
static const char *const term_names[term_count] = { "xval", "zval", "dist" };

typedef struct projector {
    ami_lmm data;
    ami_xz table;
    ami_stage *stage;
    ami_neighbours *neighbours;
    float noise, swap;
    float weight[term_count];
    int x, out;
} projector;

static const char *const keys[] = { "database", "held_out", "noise", "swap", "layers", "loss_weights" };

/// Deviation of a query's number: the data's, and that of the noise, whose size is uniform in 0 .. noise.
static void query_scales(const projector *a, float *deviation)
{
    const am_features *f = &a->data.db->features;
    for (int i = 0; i < a->table.features; i++) {
        const float noise = a->noise * (f->pca ? 1.0f : f->weight[i]);
        deviation[i] = sqrtf(a->table.deviation[i] * a->table.deviation[i] + noise * noise / 3.0f);
    }
}

static am_result build(ami_stage *s, projector *a, am_error *err)
{
    const ami_xz *t = &a->table;
    am_result result = ami_net_graph_create(&s->graphs[0], s->name, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_net_graph *g = s->graphs[0];
    float deviation[AM_MAX_FEATURES];
    a->x = ami_net_graph_input(g, "x", t->features);
    const int scaled = ami_net_graph_normalise(g, a->x);
    result = ami_lmm_network(s, g, scaled, 4, t->width, &a->out, err);
    if (result != AM_OK) {
        return result;
    }
    ami_net_graph_output(g, "xz", a->out);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        query_scales(a, deviation);
        ami_net_graph_randomise(g, s->seed);
        ami_set_scales(g, scaled, t->mean, deviation);
        ami_set_scales(g, a->out, t->mean, t->deviation);
    }
    return result;
}

static am_result read_keys(const ami_stage *s, projector *a, am_error *err)
{
    static const float usual[term_count] = { 1.0f, 1.0f, 0.5f };
    a->noise = 1.0f;
    am_result result = am_json_read_float(s->doc, s->json, "noise", false, &a->noise, 0.0f, 100.0f, err);
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "swap", false, &a->swap, 0.0f, 1.0f, err);
    }
    return result == AM_OK ? ami_stage_weights(s, term_names, term_count, usual, a->weight, err) : result;
}

/// The network costs little next to the searches: of several threads one trains, the others search ahead.
static am_result begin_search(ami_stage *s, projector *a, am_error *err)
{
    const bool alone = !s->def->group || s->def->group->size == 1;
    const int threads = s->threads > 0 ? s->threads : ami_team_most();
    const ami_neighbours_def def = { .alloc = s->alloc,
                                     .db = a->data.db,
                                     .first = a->data.first,
                                     .first_count = a->data.first_count,
                                     .noise = a->noise,
                                     .swap = a->swap,
                                     .rng = ami_rng_make(s->seed ^ 0x70726f6au),
                                     .batch = s->batch,
                                     .blocks = s->batch / AMI_COLUMNS + 1,
                                     .helpers = alone ? threads - 1 : 0 };
    s->threads = alone ? 1 : s->threads;
    return ami_neighbours_create(&a->neighbours, &def, err);
}

static am_result create(ami_stage *s, am_error *err)
{
    projector *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    am_result result = read_keys(s, a, err);
    if (result == AM_OK) {
        result = ami_lmm_open(&a->data, s, err);
    }
    if (result == AM_OK) {
        result = ami_lmm_list(&a->data, 0, err);
    }
    if (result == AM_OK) {
        result = ami_xz_make(&a->table, &a->data, s, err);
    }
    if (result == AM_OK) {
        result = begin_search(s, a, err);
    }
    s->scratch = a->table.width + 64;
    s->term_names = term_names;
    s->term_count = term_count;
    return result == AM_OK ? build(s, a, err) : result;
}

/// Weighted mean of | |q - near|^2 - |q - x|^2 | / features, with its gradient into dx; near and x are (features, n).
static double distance_loss(const projector *a, float *dx, const float *x, const float *near, const float *q, int n,
                            int used, double weight)
{
    const double each = weight / a->table.features;
    double total = 0.0;
    for (int c = 0; c < used; c++) {
        double d = 0.0;
        for (ptrdiff_t i = c; i < (ptrdiff_t)a->table.features * n; i += n) {
            const double to_near = (double)q[i] - (double)near[i], to_own = (double)q[i] - (double)x[i];
            d += to_near * to_near - to_own * to_own;
        }
        total += each * (d < 0.0 ? -d : d);
        const float slope = (float)((d > 0.0 ? 2.0 : d < 0.0 ? -2.0 : 0.0) * each);
        for (ptrdiff_t i = c; i < (ptrdiff_t)a->table.features * n; i += n) {
            dx[i] += slope * (q[i] - x[i]);
        }
    }
    return total;
}

static double pass(void *user, ami_train_block *block)
{
    const projector *a = user;
    const ami_xz *t = &a->table;
    const ami_poses_f32 *p = a->data.poses;
    const int n = ami_block_columns(block), used = ami_block_used(block), batch = ami_block_batch(block);
    float *x = ami_block_value(block, 0, a->x, 0), *near = ami_block_scratch(block, (size_t)t->width * (size_t)n);
    int frames[AMI_MOST_COLUMNS];
    const uint64_t item = ami_block_item(block, 0), begun = (uint64_t)block->trainer->iteration * (uint64_t)batch;
    ami_neighbours_take(a->neighbours, block->index, begun, item, used, x, frames, n);
    ami_xz_gather(t, near, frames, 0, n, used);
    ami_block_forward(block, 0, 0);
    float *dy = ami_block_grad(block, 0, a->out, 0);
    const float *y = ami_block_value(block, 0, a->out, 0);
    double *terms = a->stage->terms + (ptrdiff_t)block->index * term_count;
    const int widths[2] = { t->features, t->latent };
    for (int part = 0; part < 2; part++) {
        const ptrdiff_t at = part ? (ptrdiff_t)t->features * n : 0;
        const double weight = (double)a->weight[part] / ((double)batch * widths[part] * t->size[part]);
        terms[part] = weight * p->l1(dy + at, y + at, near + at, widths[part], n, used, (float)weight);
    }
    terms[term_dist] = distance_loss(a, dy, y, near, x, n, used, (double)a->weight[term_dist] / batch);
    ami_block_backward(block, 0, 0);
    return terms[term_xval] + terms[term_zval] + terms[term_dist];
}

static void destroy(ami_stage *s)
{
    projector *a = s->state;
    if (a) {
        ami_neighbours_destroy(a->neighbours);
        ami_xz_free(&a->table);
        ami_lmm_close(&a->data);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_projector = {
    .name = "projector",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
