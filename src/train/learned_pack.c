// Turns three trained networks into a character: adds start states whose poses are the networks' own, and facts that
// only the whole database can provide.
#include <amble/actor.h>
#include <amble/tools/database.h>
#include <amble/tools/metrics.h>

#include "actor/actor.h"
#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "method/decoder.h"
#include "base/rng.h"
#include "data/features.h"
#include "method/sources.h"
#include "train/starts.h"
#include "train/training.h"

#include <math.h>
#include <string.h>

// Queries from which the usual distance of projections is measured: half of them frames with noise as in the
// Projector's training (algorithm 3), half of them the body of one frame with the target of another, as sharp turns
// are.
enum { samples = 4096 };
// Beyond this many times the 99.9th percentile of their distances a query lies outside the data.
#define FAR_FACTOR 1.5f
#define FAR_SHARE 0.999f

/// One character in the making.
typedef struct packing {
    const am_model *model;
    const am_db *db;
    am_alloc alloc;
    am_error *err;
    ami_part_net projector, decompressor;
    am_net_work *project, *decompress;
    ami_pose_layout layout;
    int count, latent;
    ami_starts starts;
    float *x, *z;        ///< [start] [count], [latent]
    am_transform *poses; ///< [start] [joint]
    uint8_t contacts[AMI_MOST_STARTS];
} packing;

static am_result open_nets(packing *p)
{
    ami_nets_def def = { .model = p->model, .alloc = &p->alloc, .count = p->count };
    am_result result = ami_part_net_open(&p->decompressor, &def, "decompressor", "pose", p->layout.count, p->err);
    if (result == AM_OK && p->decompressor.in[1] < 0) {
        result = ami_fail(p->err, AM_ERR_FORMAT, "the Decompressor reads no latents");
    }
    if (result == AM_OK) {
        p->latent = ami_part_net_width(&p->decompressor, 1);
        result = ami_part_net_open(&p->projector, &def, "projector", "xz", p->count + p->latent, p->err);
    }
    if (result == AM_OK) {
        result = am_net_work_create(&p->project, p->projector.net, 1, &p->alloc, p->err);
    }
    return result == AM_OK ? am_net_work_create(&p->decompress, p->decompressor.net, 1, &p->alloc, p->err) : result;
}

// ---------------------------------------------------------------------------------------------
// Start states

/// xz(count + latent): what the Projector answers to a query.
static const float *ask(const packing *p, const float *query)
{
    ami_part_net_put(&p->projector, p->project, 0, query, NULL);
    am_net_run(p->projector.net, p->project, 1);
    return ami_part_net_get(&p->projector, p->project, 0);
}

static am_result make_starts(packing *p)
{
    size_t count = (size_t)p->count;
    size_t latent = (size_t)p->latent;
    for (int i = 0; i < p->starts.count; i++) {
        float *x = p->x + (size_t)i * count;
        float *z = p->z + (size_t)i * latent;
        const float *xz = ask(p, am_db_x(p->db, p->starts.frames[i]));
        memcpy(x, xz, count * sizeof(float));
        memcpy(z, xz + count, latent * sizeof(float));
        ami_part_net_put(&p->decompressor, p->decompress, 0, x, z);
        am_net_run(p->decompressor.net, p->decompress, 1);
        const float *y = ami_part_net_get(&p->decompressor, p->decompress, 0);
        if (!ami_all_finite(x, p->count) || !ami_all_finite(z, p->latent) || !ami_all_finite(y, p->layout.count)) {
            return ami_fail(p->err, AM_ERR_NUMBER, "the networks give numbers that are not finite; train them again");
        }
        ami_pose pose = { .local = p->poses + (size_t)i * (size_t)p->db->joint_count };
        ami_pose_read(&pose, &p->layout, y, p->db->skeleton, p->db->moving);
        p->contacts[i] = ami_contacts_from(&p->layout, y);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Facts

/// q(count): a query as they come in play.
static void draw_query(const packing *p, float *q, am_rng *rng, int sample)
{
    const am_db *db = p->db;
    int frame = (int)am_rng_below(rng, (uint32_t)db->frame_count);
    int other = (int)am_rng_below(rng, (uint32_t)db->frame_count);
    memcpy(q, am_db_x(db, frame), (size_t)p->count * sizeof(float));
    if (sample % 2 == 0 || db->features.pca) {
        float sigma = am_rng_float(rng);
        for (int d = 0; d < p->count; d++) {
            q[d] += sigma * (db->features.pca ? 1.0f : db->features.weight[d]) * am_rng_normal(rng);
        }
        return;
    }
    for (int c = 0; c < db->features.schema->channel_count; c++) {
        const am_channel *channel = &db->features.schema->channels[c];
        if (ami_channel_is_target(channel)) {
            memcpy(q + channel->first, am_db_x(db, other) + channel->first, (size_t)channel->dims * sizeof(float));
        }
    }
}

static am_result learn_far(packing *p)
{
    float *away = ami_alloc_array(&p->alloc, samples, sizeof(float));
    if (!away) {
        return ami_fail_memory(p->err, samples * sizeof(float));
    }
    am_rng rng = ami_rng_make(1);
    for (int s = 0; s < samples; s++) {
        float q[AM_MAX_FEATURES];
        draw_query(p, q, &rng, s);
        const float *xz = ask(p, q);
        float sum = 0.0f;
        for (int d = 0; d < p->count; d++) {
            sum += (xz[d] - q[d]) * (xz[d] - q[d]);
        }
        away[s] = sum * 0.0f == 0.0f ? sqrtf(sum) : 0.0f;
    }
    ami_sort_floats(away, samples);
    p->starts.facts.far = FAR_FACTOR * ami_quantile(away, samples, FAR_SHARE);
    ami_release(&p->alloc, away, samples * sizeof(float));
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

static am_result attach(packing *p, am_model **out, const am_alloc *alloc)
{
    am_db *states = NULL;
    am_db_copy_def def = am_db_copy_def_default();
    def.alloc = &p->alloc;
    def.db = p->db;
    def.frames = p->starts.frames;
    def.frame_count = p->starts.count;
    def.names = p->starts.names;
    def.z = p->z;
    def.latent_count = p->latent;
    def.latent_key = p->model->latent_key;
    def.x = p->x;
    def.poses = p->poses;
    def.contacts = p->contacts;
    def.config = "{}";
    am_result result = am_db_copy(&states, &def, p->err);
    if (result == AM_OK) {
        const am_model_blob blobs[2] = { { AM_LEARNED_CHARACTER, states->image, states->image_size },
                                         { AMI_LEARNED_FACTS, &p->starts.facts, sizeof p->starts.facts } };
        result = ami_model_attach(out, p->model, blobs, 2, alloc, p->err);
    }
    am_db_close(states);
    return result;
}

static am_result make_room(packing *p)
{
    size_t joints = (size_t)p->db->joint_count;
    p->x = ami_alloc_array(&p->alloc, AMI_MOST_STARTS * (size_t)p->count, sizeof(float));
    p->z = ami_alloc_array(&p->alloc, AMI_MOST_STARTS * (size_t)p->latent, sizeof(float));
    p->poses = ami_alloc_array(&p->alloc, AMI_MOST_STARTS * joints, sizeof(am_transform));
    return p->x && p->z && p->poses ? AM_OK
                                    : ami_fail_memory(p->err, AMI_MOST_STARTS * joints * sizeof(am_transform));
}

static void release(packing *p)
{
    size_t joints = (size_t)p->db->joint_count;
    ami_release(&p->alloc, p->x, AMI_MOST_STARTS * (size_t)p->count * sizeof(float));
    ami_release(&p->alloc, p->z, AMI_MOST_STARTS * (size_t)p->latent * sizeof(float));
    ami_release(&p->alloc, p->poses, AMI_MOST_STARTS * joints * sizeof(am_transform));
    am_net_work_destroy(p->project);
    am_net_work_destroy(p->decompress);
    am_net_destroy(p->projector.net);
    am_net_destroy(p->decompressor.net);
}

am_result ami_learned_pack(am_model **out, const am_model *model, const am_db *db, const am_alloc *alloc,
                           am_error *err)
{
    *out = NULL;
    if (!model || !db || !db->has_poses) {
        return ami_fail(err, AM_ERR_DEF, "a character needs a model and a database with poses");
    }
    packing p = { .model = model, .db = db, .alloc = ami_alloc_or_default(alloc), .err = err };
    p.layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    p.count = db->features.count;
    am_result result = open_nets(&p);
    result = result == AM_OK ? make_room(&p) : result;
    result = result == AM_OK ? ami_starts_find(&p.starts, db, &p.alloc, err) : result;
    result = result == AM_OK ? make_starts(&p) : result;
    result = result == AM_OK ? learn_far(&p) : result;
    result = result == AM_OK ? attach(&p, out, alloc) : result;
    release(&p);
    return result;
}
