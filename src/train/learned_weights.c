// Rounds a learned character's weights to 16 or 8 bits. The networks themselves provide the inputs that they meet in
// play: from its start states the character projects noisy queries and steps on, and the int8 weights are fitted to
// these inputs. No database is needed.
#include <amble/train.h>

#include "base/error.h"
#include "base/memory.h"
#include "method/learned.h"
#include "base/rng.h"
#include "method/sources.h"

#include <string.h>

// 512 inputs of a layer need a few times as many samples; more than this changes the error by under a hundredth.
enum { sample_count = 2048, longest_s = 10, life = 64 };

/// Numbers on their way through the networks.
typedef struct rehearsal {
    const ami_learned *learned;
    am_net_work *work[ami_net_count];
    float *xz;      ///< [sample_count][count + latent] what Stepper and Decompressor read
    float *queries; ///< [sample_count][count] what the Projector reads
    int both;
} rehearsal;

static void project(const rehearsal *r, const float *query, float *xz)
{
    const ami_part_net *net = &r->learned->nets[ami_net_projector];
    ami_part_net_put(net, r->work[ami_net_projector], 0, query, NULL);
    am_net_run(net->net, r->work[ami_net_projector], 1);
    memcpy(xz, ami_part_net_get(net, r->work[ami_net_projector], 0), (size_t)r->both * sizeof *xz);
}

static void step(const rehearsal *r, float *xz)
{
    const ami_part_net *net = &r->learned->nets[ami_net_stepper];
    ami_part_net_put(net, r->work[ami_net_stepper], 0, xz, xz + r->learned->count);
    am_net_run(net->net, r->work[ami_net_stepper], 1);
    const float *rate = ami_part_net_get(net, r->work[ami_net_stepper], 0);
    for (int d = 0; d < r->both; d++) {
        xz[d] += rate[d] / r->learned->character->fps;
    }
}

/// A rehearsal begins at a start state: query, projection and up to `longest_s` of steps, repeatedly.
static am_result rehearse(const rehearsal *r, am_error *err)
{
    const ami_learned *l = r->learned;
    am_rng rng = ami_rng_make(7);
    float xz[2 * AM_MAX_FEATURES];
    for (int s = 0; s < sample_count; s++) {
        float *query = r->queries + (size_t)s * (size_t)l->count;
        if (s % life == 0) {
            memcpy(xz, am_db_x(l->character, s / life % l->character->frame_count), (size_t)l->count * sizeof *xz);
        }
        float sigma = am_rng_float(&rng); // as the Projector was trained, but for weights of features
        for (int d = 0; d < l->count; d++) {
            query[d] = xz[d] + sigma * am_rng_normal(&rng);
        }
        project(r, query, xz);
        for (int steps = (int)am_rng_below(&rng, longest_s); steps > 0; steps--) {
            step(r, xz);
        }
        if (!ami_all_finite(xz, r->both)) {
            return ami_fail(err, AM_ERR_NUMBER, "the networks give numbers that are not finite; train them again");
        }
        memcpy(r->xz + (size_t)s * (size_t)r->both, xz, (size_t)r->both * sizeof *xz);
    }
    return AM_OK;
}

static am_result make_room(rehearsal *r, const am_alloc *alloc, am_error *err)
{
    const ami_learned *l = r->learned;
    r->both = l->count + l->latent;
    if (r->both > 2 * AM_MAX_FEATURES) {
        return ami_fail(err, AM_ERR_LIMIT, "%d latents with %d features are too many for this conversion", l->latent,
                        l->count);
    }
    r->xz = ami_alloc_array(alloc, sample_count * (size_t)r->both, sizeof(float));
    r->queries = ami_alloc_array(alloc, sample_count * (size_t)l->count, sizeof(float));
    am_result result = r->xz && r->queries ? AM_OK : ami_fail_memory(err, sample_count * (size_t)r->both);
    for (int n = 0; n < ami_net_count && result == AM_OK; n++) {
        result = am_net_work_create(&r->work[n], l->nets[n].net, 1, alloc, err);
    }
    return result;
}

static void release(rehearsal *r, const am_alloc *alloc)
{
    for (int n = 0; n < ami_net_count; n++) {
        am_net_work_destroy(r->work[n]);
    }
    ami_release(alloc, r->xz, sample_count * (size_t)r->both * sizeof(float));
    ami_release(alloc, r->queries, sample_count * (size_t)r->learned->count * sizeof(float));
}

/// What a part reads in play; NULL for parts that are not of the character.
static const float *samples_of(const rehearsal *r, const am_model_part *part)
{
    bool of_xz = strcmp(part->name, "decompressor") == 0 || strcmp(part->name, "stepper") == 0;
    return of_xz ? r->xz : strcmp(part->name, "projector") == 0 ? r->queries : NULL;
}

/// Makes the model again with the same graphs but other packed weights.
static am_result pack_again(am_model **out, const am_model *model, const am_net_weights *weights, const rehearsal *r,
                            const am_alloc *alloc, am_error *err)
{
    am_net_graph *graphs[AM_NET_MOST_PARTS] = { 0 };
    const float *samples[AM_NET_MOST_PARTS];
    am_model_blob blobs[AM_NET_MOST_ATTACHMENTS];
    am_result result = AM_OK;
    for (int p = 0; p < model->part_count && result == AM_OK; p++) {
        samples[p] = samples_of(r, &model->parts[p]);
        result = am_model_graph(model, p, &graphs[p], alloc, err);
    }
    for (int i = 0; i < model->attachment_count; i++) {
        blobs[i].name = model->attachments[i].name;
        blobs[i].data = am_model_attached(model, blobs[i].name, &blobs[i].size);
    }
    if (result == AM_OK) {
        am_model_def def;
        am_model_def_init(&def, model);
        def.alloc = alloc;
        def.graphs = (const am_net_graph *const *)graphs;
        def.graph_count = model->part_count;
        def.weights = weights;
        def.samples = samples;
        def.sample_count = sample_count;
        def.attachments = blobs;
        def.attachment_count = model->attachment_count;
        result = am_model_create(out, &def, err);
    }
    for (int p = 0; p < model->part_count; p++) {
        am_net_graph_destroy(graphs[p]);
    }
    return result;
}

am_result am_learned_weights(am_model **out, const am_model *model, const am_net_weights *weights,
                             const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    am_source *source = NULL;
    ami_learned_def def = ami_learned_def_default();
    def.alloc = &own;
    def.model = model;
    am_result result = ami_learned_create(&source, &def, err);
    if (result != AM_OK) {
        return result;
    }
    rehearsal r = { .learned = ami_learned_of(source) };
    result = make_room(&r, &own, err);
    if (result == AM_OK && r.xz && r.queries) { // both are there then, which clang-tidy cannot know
        result = rehearse(&r, err);
    }
    result = result == AM_OK ? pack_again(out, model, weights, &r, &own, err) : result;
    release(&r, &own);
    ami_source_destroy(source);
    return result;
}
