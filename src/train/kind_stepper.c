// Stage "stepper": the Stepper of Learned Motion Matching (section 4.2, algorithm 2). From features and latents of a
// frame it predicts their change per second; over a window of `window` steps it runs on its own results. Gives the
// part "stepper". Rates rather than steps let a game choose its own time step (section 7.1).
#include "train/lmm.h"

#include <string.h>

#include "base/error.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "net/build.h"

enum { term_xval, term_zval, term_xvel, term_zvel, term_count };
static const char *const term_names[term_count] = { "xval", "zval", "xvel", "zvel" };

typedef struct stepper {
    ami_lmm data;
    ami_xz table;
    ami_stage *stage;
    int window;
    float weight[term_count];
    int x, z, out;
    am_rng rng;
} stepper;

static const char *const keys[] = { "database", "held_out", "window", "layers", "loss_weights" };

static am_result build(ami_stage *s, stepper *a, am_error *err)
{
    const ami_xz *t = &a->table;
    am_result result = ami_net_graph_create(&s->graphs[0], s->name, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 1;
    am_net_graph *g = s->graphs[0];
    a->x = ami_net_graph_input(g, "x", t->features);
    a->z = ami_net_graph_input(g, "z", t->latent);
    const int scaled = ami_net_graph_normalise(g, ami_net_graph_concat(g, (int[]){ a->x, a->z }, 2));
    result = ami_lmm_network(s, g, scaled, 2, t->width, &a->out, err);
    if (result != AM_OK) {
        return result;
    }
    ami_net_graph_output(g, "rate", a->out);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed);
        ami_set_scales(g, scaled, t->mean, t->deviation);
        ami_set_scales(g, a->out, t->rate_mean, t->rate_deviation);
    }
    return result;
}

static am_result create(ami_stage *s, am_error *err)
{
    static const float usual[term_count] = { 1.0f, 1.0f, 0.4f, 0.4f };
    stepper *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    a->window = 20; // twice the ten frames between two searches
    am_result result = am_json_read_int(s->doc, s->json, "window", false, &a->window, 1, 1024, err);
    if (result == AM_OK) {
        result = ami_stage_weights(s, term_names, term_count, usual, a->weight, err);
    }
    if (result == AM_OK) {
        result = ami_lmm_open(&a->data, s, err);
    }
    if (result == AM_OK) {
        result = ami_lmm_list(&a->data, a->window, err);
    }
    if (result == AM_OK) {
        result = ami_xz_make(&a->table, &a->data, s, err);
    }
    if (result != AM_OK) {
        return result;
    }
    a->rng = ami_rng_make(s->seed ^ 0x73746570u);
    s->slots = a->window;
    s->input_grads = true;
    s->scratch = (a->window + 5) * a->table.width + 64;
    s->term_names = term_names;
    s->term_count = term_count;
    return build(s, a, err);
}

/// Numbers of one block and step.
typedef struct window {
    ami_train_block *block;
    int n, used;
    float *truth; ///< [window + 1](width, n)
    float *last;  ///< (width, n) behind the last step
    float *carry; ///< gradient of the state behind the step at hand
    float *want;  ///< rates of the truth
} window;

/// Features and latents of step t as pointers: they are two inputs of the graph, or rows of one array at the end.
static void state_at(const stepper *a, const window *w, int t, float *out[2])
{
    const bool end = t == a->window;
    out[0] = end ? w->last : ami_block_value(w->block, 0, a->x, t);
    out[1] = end ? w->last + (ptrdiff_t)a->table.features * w->n : ami_block_value(w->block, 0, a->z, t);
}

static void run_forward(const stepper *a, const window *w)
{
    const int widths[2] = { a->table.features, a->table.latent };
    const float dt = 1.0f / a->data.db->fps;
    float *now[2], *next[2];
    for (int t = 0; t < a->window; t++) {
        ami_block_forward(w->block, 0, t);
        const float *rate = ami_block_value(w->block, 0, a->out, t);
        state_at(a, w, t, now);
        state_at(a, w, t + 1, next);
        for (int part = 0; part < 2; part++) {
            const ptrdiff_t count = (ptrdiff_t)widths[part] * w->n;
            for (ptrdiff_t i = 0; i < count; i++) {
                next[part][i] = now[part][i] + dt * rate[i];
            }
            rate += count;
        }
    }
}

/// Losses of step t: of the state behind it into the carry, of its rate into d_rate.
static void step_losses(const stepper *a, const window *w, int t, float *d_rate, double terms[term_count])
{
    const ami_poses_f32 *p = a->data.poses;
    const int widths[2] = { a->table.features, a->table.latent };
    const double mean = 1.0 / ((double)a->window * ami_block_batch(w->block)), fps = (double)a->data.db->fps;
    const ptrdiff_t all = (ptrdiff_t)a->table.width * w->n;
    const float *truth = w->truth + t * all, *behind = truth + all, *rate = ami_block_value(w->block, 0, a->out, t);
    float *next[2];
    state_at(a, w, t + 1, next);
    for (ptrdiff_t i = 0; i < all; i++) {
        w->want[i] = (behind[i] - truth[i]) * (float)fps;
    }
    for (int part = 0; part < 2; part++) {
        const ptrdiff_t at = part ? (ptrdiff_t)widths[0] * w->n : 0;
        const double each = mean / widths[part];
        const double val = (double)a->weight[term_xval + part] * each / a->table.size[part];
        const double vel = (double)a->weight[term_xvel + part] * each / a->table.rate_size[part];
        terms[term_xval + part] +=
            val * p->l1(w->carry + at, next[part], behind + at, widths[part], w->n, w->used, (float)val);
        terms[term_xvel + part] +=
            vel * p->l1(d_rate + at, rate + at, w->want + at, widths[part], w->n, w->used, (float)vel);
    }
}

static void run_back(const stepper *a, const window *w, double terms[term_count])
{
    const ptrdiff_t all = (ptrdiff_t)a->table.width * w->n, features = (ptrdiff_t)a->table.features * w->n;
    const float dt = 1.0f / a->data.db->fps;
    for (int t = a->window - 1; t >= 0; t--) {
        float *d_rate = ami_block_grad(w->block, 0, a->out, t);
        step_losses(a, w, t, d_rate, terms);
        for (ptrdiff_t i = 0; i < all; i++) {
            d_rate[i] += dt * w->carry[i];
        }
        ami_block_backward(w->block, 0, t);
        const float *dx = ami_block_grad(w->block, 0, a->x, t), *dz = ami_block_grad(w->block, 0, a->z, t);
        for (ptrdiff_t i = 0; i < all; i++) {
            w->carry[i] += i < features ? dx[i] : dz[i - features];
        }
    }
}

static double pass(void *user, ami_train_block *block)
{
    const stepper *a = user;
    const ami_xz *t = &a->table;
    window w = { .block = block, .n = ami_block_columns(block), .used = ami_block_used(block) };
    const size_t all = (size_t)t->width * (size_t)w.n, features = (size_t)t->features * (size_t)w.n;
    w.truth = ami_block_scratch(block, ((size_t)a->window + 1) * all);
    w.last = ami_block_scratch(block, all);
    w.carry = ami_block_scratch(block, all);
    w.want = ami_block_scratch(block, all);
    int frames[AMI_MOST_COLUMNS];
    for (int c = 0; c < w.used; c++) {
        am_rng stream = ami_rng_fork(&a->rng, ami_block_item(block, c));
        frames[c] = a->data.first[am_rng_below(&stream, (uint32_t)a->data.first_count)];
    }
    for (int i = 0; i <= a->window; i++) {
        ami_xz_gather(t, w.truth + (size_t)i * all, frames, i, w.n, w.used);
    }
    memcpy(ami_block_value(block, 0, a->x, 0), w.truth, features * sizeof(float));
    memcpy(ami_block_value(block, 0, a->z, 0), w.truth + features, (all - features) * sizeof(float));
    double *terms = a->stage->terms + (ptrdiff_t)block->index * term_count, loss = 0.0;
    memset(terms, 0, term_count * sizeof *terms);
    run_forward(a, &w);
    run_back(a, &w, terms);
    for (int i = 0; i < term_count; i++) {
        loss += terms[i];
    }
    return loss;
}

static void destroy(ami_stage *s)
{
    stepper *a = s->state;
    if (a) {
        ami_xz_free(&a->table);
        ami_lmm_close(&a->data);
        ami_release(&s->alloc, a, sizeof *a);
    }
}

const ami_kind ami_kind_stepper = {
    .name = "stepper",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
