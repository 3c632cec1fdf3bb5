// Plain roll-outs of a flow network, and reproductions by the auto-encoder alone.
#include "rollouts.h"

#include <amble/tools/motion.h>
#include <amble/tools/network.h>

#include "base/error.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/filter.h"
#include "data/pose_vector.h"
#include "method/flow_file.h"
#include "report/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 64 };
#define DEPTH_M 0.005f
#define STAND_MPS 0.15f

// ---------------------------------------------------------------------------------------------
// Measures of one clip after another

typedef struct taker {
    const am_db *db;
    am_meter *meter;
    am_body body;
    am_floor floor;
    am_vec3 *points; ///< [frames][AM_POINT_COUNT] of the clip at hand
    int frames;
    am_vec3 toes[2]; ///< before
    bool stood;      ///< the last clip, through its last quarter
    double slide, toe, heel;
    int64_t slides, taken, toe_deep, heel_deep, stands, judged;
    double longest_s;
} taker;

rollouts_def rollouts_def_default(void)
{
    return (rollouts_def){
        .steps = -1, .noise = -1.0f, .memory = -1.0f, .pose_noise = -1.0f, .seed = 7, .novelty_every_s = 4.0f
    };
}

static am_result taker_begin(taker *t, const am_db *db, am_floor floor, int most_frames, am_error *err)
{
    *t = (taker){ .db = db, .body = am_body_find(db->skeleton, &db->roles), .floor = floor };
    am_meter_def def = am_meter_def_default();
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    def.floor = floor;
    t->points = calloc(((size_t)most_frames + 1) * AM_POINT_COUNT, sizeof *t->points);
    if (!t->points) {
        return ami_fail_memory(err, (size_t)most_frames);
    }
    return am_meter_create(&t->meter, &def, err);
}

static void taker_end(taker *t)
{
    am_meter_destroy(t->meter);
    free(t->points);
}

/// A frame: world(joint_count), and its contacts.
static void take(taker *t, const am_transform *world, unsigned contacts)
{
    am_meter_add(t->meter, world, 1.0f / t->db->fps, false);
    am_vec3 *points = t->points + (size_t)t->frames * AM_POINT_COUNT;
    am_body_take(points, &t->body, world);
    for (int side = 0; side < 2; side++) {
        const am_vec3 toe = points[AM_POINT_LEFT_TOE + side], heel = points[AM_POINT_LEFT_HEEL + side];
        if (t->frames > 0 && (contacts >> side & 1u) != 0) {
            t->slide += 100.0 * (double)(am_v3_length(am_v3_sub(toe, t->toes[side])) * t->db->fps / 60.0f);
            t->slides++;
        }
        t->toes[side] = toe;
        const float toe_depth = t->floor.toe_m - toe.y, heel_depth = t->floor.heel_m - heel.y;
        t->toe += toe_depth > 0.0f ? 50.0 * (double)toe_depth : 0.0;
        t->heel += heel_depth > 0.0f ? 50.0 * (double)heel_depth : 0.0;
        t->toe_deep += toe_depth > DEPTH_M;
        t->heel_deep += heel_depth > DEPTH_M;
    }
    t->taken++;
    t->frames++;
}

/// The clip is over: stands are counted. Gives its longest stand in s.
static double cut(taker *t)
{
    const int half = (int)(0.25f * t->db->fps + 0.5f);
    int standing = 0, longest = 0;
    const int quarter = t->frames / 4;
    for (int f = half; f + half < t->frames; f++) {
        const am_vec3 a = t->points[(size_t)(f - half) * AM_POINT_COUNT + AM_POINT_HIPS],
                      b = t->points[(size_t)(f + half) * AM_POINT_COUNT + AM_POINT_HIPS];
        const float speed = am_v3_length(am_v3_ground(am_v3_sub(b, a))) * t->db->fps / (float)(2 * half);
        standing = speed < STAND_MPS ? standing + 1 : 0;
        longest = standing > longest ? standing : longest;
        t->stands += speed < STAND_MPS;
        t->judged++;
    }
    t->stood = standing > 0 && standing >= quarter - half;
    const double seconds = (double)longest / (double)t->db->fps;
    t->longest_s = seconds > t->longest_s ? seconds : t->longest_s;
    am_meter_cut(t->meter);
    t->frames = 0;
    return seconds;
}

static rollouts_quality quality_of(const taker *t)
{
    const am_quality q = am_meter_result(t->meter);
    const double feet = t->taken > 0 ? 2.0 * (double)t->taken : 1.0;
    return (rollouts_quality){ .slide = t->slide / (double)(t->slides > 0 ? t->slides : 1),
                               .slide_slow = q.foot_slide_cm,
                               .jitter = q.jitter_cm,
                               .toe = 2.0 * t->toe / feet,
                               .heel = 2.0 * t->heel / feet,
                               .toe_share = (double)t->toe_deep / feet,
                               .heel_share = (double)t->heel_deep / feet,
                               .stand_share = (double)t->stands / (double)(t->judged > 0 ? t->judged : 1),
                               .longest_stand_s = t->longest_s };
}

static void world_of(const am_db *db, am_transform *world, am_transform *local, am_transform root)
{
    local[0] = am_transform_mul(root, local[0]);
    am_fk(world, local, db->skeleton->parents, db->joint_count);
}

static int most_frames(const am_db *db)
{
    int most = 0;
    for (int r = 0; r < db->range_count; r++) {
        const int frames = db->ranges[r].stop - db->ranges[r].start;
        most = frames > most ? frames : most;
    }
    return most;
}

/// The captured clips, without mirror images; of every `every`th source alone where that is not 0.
static am_result measure_captured(rollouts_quality *out, const am_db *db, am_floor floor, int every, am_error *err)
{
    taker t;
    am_result result = taker_begin(&t, db, floor, most_frames(db), err);
    for (int r = 0; r < db->range_count && result == AM_OK; r++) {
        const am_db_range *range = &db->ranges[r];
        if ((range->flags & AM_RANGE_MIRRORED) != 0 || (every > 0 && range->source % every != every - 1)) {
            continue;
        }
        for (int f = range->start; f < range->stop; f++) {
            am_transform local[AM_MAX_JOINTS], world[AM_MAX_JOINTS];
            am_db_pose(db, f, local);
            world_of(db, world, local,
                     (am_transform){ .translation = db->root_positions[f], .rotation = db->root_rotations[f] });
            take(&t, world, db->contacts[f]);
        }
        cut(&t);
    }
    *out = quality_of(&t);
    taker_end(&t);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Networks

typedef struct net {
    am_net *net;
    am_net_work *work;
} net;

static am_result open_net(net *out, const am_model *model, const char *part, am_error *err)
{
    am_net_def def;
    am_net_def_init(&def);
    def.model = model;
    def.part = am_model_find(model, part);
    def.mode = AM_NET_FAST;
    if (def.part < 0) {
        return ami_fail(err, AM_ERR_KEY, "the model has no part '%s'", part);
    }
    am_result result = am_net_create(&out->net, &def, err);
    return result == AM_OK ? am_net_work_create(&out->work, out->net, batch, NULL, err) : result;
}

static void close_net(net *n)
{
    am_net_work_destroy(n->work);
    am_net_destroy(n->net);
}

/// One character in the making.
typedef struct body {
    am_transform root;
    am_velocity last; ///< of the root, in its frame
    bool begun;
} body;

/// The next frame of a body from a pose vector: the root moves by the mean of its velocities before and after.
static unsigned step_body(body *b, am_transform *world, const am_db *db, const ami_pose_layout *l, const float *y)
{
    am_transform local[AM_MAX_JOINTS];
    ami_pose pose = { .local = local };
    ami_pose_read(&pose, l, y, db->skeleton, db->moving);
    if (b->begun) {
        const float half = 0.5f / db->fps;
        const am_vec3 turn = am_v3_scale(am_v3_add(b->last.angular, pose.root.angular), half);
        const am_vec3 way = am_v3_scale(am_v3_add(b->last.linear, pose.root.linear), half);
        const am_quat middle = am_quat_mul(b->root.rotation, am_quat_exp(am_v3_scale(turn, 0.25f)));
        b->root.translation = am_v3_add(b->root.translation, am_quat_rotate(middle, way));
        b->root.rotation = am_quat_normalize(am_quat_mul(b->root.rotation, am_quat_exp(am_v3_scale(turn, 0.5f))));
    }
    b->begun = true;
    b->last = pose.root;
    world_of(db, world, local, b->root);
    return (pose.contacts[0] > 0.5f ? AM_CONTACT_LEFT : 0u) | (pose.contacts[1] > 0.5f ? AM_CONTACT_RIGHT : 0u);
}

static am_result check(const rollouts_def *def, ami_flow_latents *latents, ami_pose_layout *layout, am_error *err)
{
    am_result result = ami_flow_latents_read(latents, def->model, err);
    *layout = ami_pose_layout_of(def->db->joint_count, def->db->moving_count);
    return result;
}

static am_floor floor_of(const am_db *db, am_error *err)
{
    am_db_measures own = { 0 };
    am_db_measure(&own, db, NULL, err);
    return own.floor;
}

// ---------------------------------------------------------------------------------------------
// The auto-encoder alone

am_result rollouts_reproduce(rollouts_result *out, const rollouts_def *def, int every, am_error *err)
{
    const am_db *db = def->db;
    ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    net encoder = { 0 }, decoder = { 0 };
    taker t;
    memset(out, 0, sizeof *out);
    const am_floor floor = floor_of(db, err);
    am_result result = measure_captured(&out->captured, db, floor, every, err);
    result = result == AM_OK ? open_net(&encoder, def->model, "pose_encoder", err) : result;
    result = result == AM_OK ? open_net(&decoder, def->model, "pose_decoder", err) : result;
    result = result == AM_OK ? taker_begin(&t, db, floor, most_frames(db), err) : result;
    if (result != AM_OK) {
        return result;
    }
    double sums[AM_MAX_JOINTS] = { 0 };
    int64_t count = 0;
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        body b = { .root.rotation = am_quat_identity() };
        if ((range->flags & AM_RANGE_MIRRORED) != 0 || range->source % every != every - 1) {
            continue;
        }
        for (int f = range->start; f < range->stop; f++, count++) {
            float y[8192] = { 0 }, z[AMI_FLOW_MOST_LATENTS];
            am_transform world[AM_MAX_JOINTS], truth[AM_MAX_JOINTS], local[AM_MAX_JOINTS];
            ami_pose_vector(db, f, y);
            am_net_put(encoder.work, 0, 0, y);
            am_net_run(encoder.net, encoder.work, 1);
            am_net_get(encoder.work, 0, 0, z);
            am_net_put(decoder.work, 0, 0, z);
            am_net_run(decoder.net, decoder.work, 1);
            am_net_get(decoder.work, 0, 0, y);
            b.begun = b.begun && f > range->start;
            const unsigned contacts = step_body(&b, world, db, &l, y);
            take(&t, world, contacts);
            am_db_pose(db, f, local);
            world_of(db, truth, local, b.root);
            for (int j = 0; j < db->joint_count; j++) {
                sums[j] += 100.0 * (double)am_v3_length(am_v3_sub(world[j].translation, truth[j].translation));
            }
        }
        cut(&t);
    }
    for (int j = 0; j < db->joint_count; j++) {
        const double mean = sums[j] / (double)(count > 0 ? count : 1);
        out->joint_cm += mean / db->joint_count;
        out->worst_joint_cm = mean > out->worst_joint_cm ? mean : out->worst_joint_cm;
    }
    out->out = quality_of(&t);
    taker_end(&t);
    close_net(&encoder);
    close_net(&decoder);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Roll-outs

typedef struct roll {
    const rollouts_def *def;
    ami_flow_latents data;
    ami_pose_layout layout;
    net encoder, decoder, flow;
    int steps;
    float noise, memory, pose_noise;
    int x, previous, time, told;
    float *z, *n, *at; ///< [batch][latent] previous latents, start noise, samples on their way
    am_rng rngs[batch];
    float *y; ///< [frame][batch][pose]
} roll;

/// The latents of frame f + 1 of `count` characters from those of frame f.
static void step_latents(roll *r, int count)
{
    const int latent = r->data.head.latent_count;
    const bool velocity = (r->data.head.flags & AMI_FLOW_VELOCITY) != 0;
    float y[AMI_FLOW_MOST_LATENTS], *at = r->at;
    const float fresh = sqrtf(1.0f - r->memory * r->memory);
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < latent; i++) {
            float *n = &r->n[(ptrdiff_t)c * latent + i];
            *n = r->memory * *n + fresh * am_rng_normal(&r->rngs[c]);
            at[(ptrdiff_t)c * latent + i] = r->noise * r->data.deviation[i] * *n;
        }
    }
    for (int s = 0; s < r->steps; s++) {
        const float t = (float)s / (float)r->steps;
        for (int c = 0; c < count; c++) {
            am_net_put(r->flow.work, r->x, c, at + (ptrdiff_t)c * latent);
            am_net_put(r->flow.work, r->previous, c, r->z + (ptrdiff_t)c * latent);
            am_net_put(r->flow.work, r->time, c, &t);
            if (r->told >= 0) {
                am_net_put(r->flow.work, r->told, c, &r->pose_noise);
            }
        }
        am_net_run(r->flow.net, r->flow.work, count);
        for (int c = 0; c < count; c++) {
            am_net_get(r->flow.work, 0, c, y);
            for (int i = 0; i < latent; i++) {
                at[(ptrdiff_t)c * latent + i] += velocity
                                                     ? y[i] / (float)r->steps
                                                     : (y[i] - at[(ptrdiff_t)c * latent + i]) / (float)(r->steps - s);
            }
        }
    }
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < latent; i++) {
            r->z[(ptrdiff_t)c * latent + i] =
                am_clamp(at[(ptrdiff_t)c * latent + i], r->data.low[i], r->data.high[i]);
        }
    }
}

static void decode(roll *r, int frame, int count)
{
    const int width = am_net_output_size(r->decoder.net, 0), latent = r->data.head.latent_count;
    for (int c = 0; c < count; c++) {
        am_net_put(r->decoder.work, 0, c, r->z + (ptrdiff_t)c * latent);
    }
    am_net_run(r->decoder.net, r->decoder.work, count);
    for (int c = 0; c < count; c++) {
        am_net_get(r->decoder.work, 0, c, r->y + ((ptrdiff_t)frame * batch + c) * width);
    }
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

typedef struct tally {
    taker t;
    am_reference *reference;
    float *novelty;
    int novelty_count, novelty_room;
    am_vec3 *ends; ///< [starts][runs]
} tally;

static void tell_novelty(tally *a, const roll *r)
{
    const am_motion motion = {
        .points = a->t.points, .frames = a->t.frames, .fps = r->def->db->fps, .body = a->t.body, .floor = a->t.floor
    };
    const float length = (float)a->t.frames / r->def->db->fps;
    for (float s = 1.0f; s < length - 0.5f && r->def->novelty_every_s > 0.0f; s += r->def->novelty_every_s) {
        const float novelty = ami_novelty_at(a->reference, &motion, s, false);
        if (novelty >= 0.0f && a->novelty_count < a->novelty_room) {
            a->novelty[a->novelty_count++] = novelty;
        }
    }
}

/// Runs first .. first + count - 1 of all.
static void roll_batch(roll *r, tally *a, rollouts_result *out, int first, int count)
{
    const am_db *db = r->def->db;
    const int frames = rollouts_frames(r->def), latent = r->data.head.latent_count;
    const int width = am_net_output_size(r->decoder.net, 0);
    for (int c = 0; c < count; c++) {
        float y[8192] = { 0 };
        const int group = (first + c) / r->def->runs;
        am_rng start = ami_rng_make(r->def->seed + (uint64_t)group);
        int frame;
        do { // a captured frame of an original clip
            frame = (int)am_rng_below(&start, (uint32_t)db->frame_count);
        } while ((db->ranges[am_db_range_of(db, frame)].flags & AM_RANGE_MIRRORED) != 0);
        ami_pose_vector(db, frame, y);
        am_net_put(r->encoder.work, 0, 0, y);
        am_net_run(r->encoder.net, r->encoder.work, 1);
        am_net_get(r->encoder.work, 0, 0, r->z + (ptrdiff_t)c * latent);
        am_rng seed = ami_rng_make(r->def->seed ^ 0x726f6c6cu);
        r->rngs[c] = ami_rng_fork(&seed, (uint64_t)first + (uint64_t)c);
        for (int i = 0; i < latent; i++) {
            r->n[(ptrdiff_t)c * latent + i] = am_rng_normal(&r->rngs[c]);
        }
    }
    for (int f = 0; f < frames; f++) {
        if (f > 0) {
            step_latents(r, count);
        }
        decode(r, f, count);
    }
    for (int c = 0; c < count; c++) {
        body b = { .root.rotation = am_quat_identity() };
        for (int f = 0; f < frames; f++) {
            am_transform world[AM_MAX_JOINTS];
            const unsigned contacts = step_body(&b, world, db, &r->layout, r->y + ((ptrdiff_t)f * batch + c) * width);
            take(&a->t, world, contacts);
            if (r->def->tracks) {
                r->def->tracks[(ptrdiff_t)(first + c) * frames + f] = b.root.translation;
            }
        }
        a->ends[first + c] = am_v3_ground(b.root.translation);
        tell_novelty(a, r);
        out->dead += cut(&a->t) > out->captured.longest_stand_s;
        out->died += a->t.stood ? 1.0 / (r->def->starts * r->def->runs) : 0.0;
    }
}

int rollouts_frames(const rollouts_def *def) { return (int)(def->seconds * def->db->fps); }

static void spread(rollouts_result *out, const rollouts_def *def, const am_vec3 *ends)
{
    out->apart_least_m = INFINITY;
    for (int s = 0; s < def->starts; s++) {
        const am_vec3 *e = ends + (ptrdiff_t)s * def->runs;
        double sum = 0.0;
        for (int i = 0; i < def->runs; i++) {
            for (int k = 0; k < i; k++) {
                sum += (double)am_v3_length(am_v3_sub(e[i], e[k]));
            }
        }
        const double mean = def->runs > 1 ? sum / (0.5 * def->runs * (def->runs - 1)) : 0.0;
        out->apart_m += mean / def->starts;
        out->apart_least_m = mean < out->apart_least_m ? mean : out->apart_least_m;
    }
}

am_result rollouts_run(rollouts_result *out, const rollouts_def *def, am_error *err)
{
    const am_db *db = def->db;
    const int frames = rollouts_frames(def), all = def->starts * def->runs;
    roll r = { .def = def };
    tally a = { 0 };
    memset(out, 0, sizeof *out);
    am_result result = check(def, &r.data, &r.layout, err);
    result = result == AM_OK ? open_net(&r.encoder, def->model, "pose_encoder", err) : result;
    result = result == AM_OK ? open_net(&r.decoder, def->model, "pose_decoder", err) : result;
    result = result == AM_OK ? open_net(&r.flow, def->model, "flow", err) : result;
    const am_floor floor = floor_of(db, err);
    result = result == AM_OK ? measure_captured(&out->captured, db, floor, 0, err) : result;
    result = result == AM_OK ? taker_begin(&a.t, db, floor, frames, err) : result;
    if (result == AM_OK && def->novelty_every_s > 0.0f) {
        am_reference_def reference = am_reference_def_default();
        reference.db = db;
        result = am_reference_create(&a.reference, &reference, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const ami_flow_head *h = &r.data.head;
    r.steps = def->steps > 0 ? def->steps : h->steps;
    r.noise = def->noise >= 0.0f ? def->noise : h->noise;
    r.memory = def->memory >= 0.0f ? def->memory : h->noise_memory;
    r.pose_noise = def->pose_noise >= 0.0f ? def->pose_noise : h->pose_noise;
    r.x = am_net_input_find(r.flow.net, "x");
    r.previous = am_net_input_find(r.flow.net, "previous");
    r.time = am_net_input_find(r.flow.net, "time");
    r.told = am_net_input_find(r.flow.net, "noise");
    r.z = calloc((size_t)batch * (size_t)h->latent_count, sizeof(float));
    r.n = calloc((size_t)batch * (size_t)h->latent_count, sizeof(float));
    r.at = calloc((size_t)batch * (size_t)h->latent_count, sizeof(float));
    r.y = calloc((size_t)frames * batch * (size_t)am_net_output_size(r.decoder.net, 0), sizeof(float));
    a.novelty_room = def->novelty_every_s > 0.0f ? all * (int)(def->seconds / def->novelty_every_s + 1.0f) : 1;
    a.novelty = calloc((size_t)a.novelty_room, sizeof(float));
    a.ends = calloc((size_t)all, sizeof *a.ends);
    if (r.z && r.n && r.at && r.y && a.novelty && a.ends) {
        for (int first = 0; first < all; first += batch) {
            roll_batch(&r, &a, out, first, all - first < batch ? all - first : batch);
        }
        out->out = quality_of(&a.t);
        spread(out, def, a.ends);
        qsort(a.novelty, (size_t)a.novelty_count, sizeof(float), compare);
        if (a.novelty_count > 0) {
            out->novelty_median = (double)a.novelty[a.novelty_count / 2];
            out->novelty_p95 = (double)a.novelty[(int)(0.95f * (float)a.novelty_count)];
        }
    } else {
        result = ami_fail_memory(err, (size_t)frames * batch);
    }
    free(r.z);
    free(r.n);
    free(r.at);
    free(r.y);
    free(a.novelty);
    free(a.ends);
    am_reference_destroy(a.reference);
    taker_end(&a.t);
    close_net(&r.encoder);
    close_net(&r.decoder);
    close_net(&r.flow);
    return result;
}
