// Compares decompressed poses with the database's own, and measures how the Stepper drifts.
#include "eval_learned.h"

#include "base/rng.h"
#include "data/database.h"
#include "data/kinematics.h"
#include "net/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 64 };

static am_result no_memory(am_error *err)
{
    cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the evaluation");
    return AM_ERR_MEMORY;
}

bool learned_counts(const am_db *db, int joint)
{
    bool moves = false;
    for (int m = 0; m < db->moving_count; m++) {
        moves |= db->moving[m] == joint;
    }
    return moves || am_v3_length(db->skeleton->offsets[joint]) > 1e-4f;
}

// ---------------------------------------------------------------------------------------------
// Latents

/// The Compressor's input: the pose vector, then places, two-axis rotations and velocities in character space.
static void compressor_input(const am_db *db, int frame, float *out, int count)
{
    am_transform local[AM_MAX_JOINTS], model[AM_MAX_JOINTS], scratch[2 * AM_MAX_JOINTS];
    am_velocity local_velocity[AM_MAX_JOINTS], velocity[AM_MAX_JOINTS];
    const int joints = db->joint_count;
    ami_pose_vector(db, frame, out);
    am_db_pose(db, frame, local);
    ami_db_velocity(db, frame, local_velocity, scratch);
    ami_fk_velocity(model, velocity, local, local_velocity, db->skeleton->parents, joints);
    float *places = out + count, *axes = places + (ptrdiff_t)3 * joints, *linear = axes + (ptrdiff_t)6 * joints;
    float *angular = linear + (ptrdiff_t)3 * joints;
    for (int j = 0; j < joints; j++) {
        memcpy(places + (ptrdiff_t)3 * j, &model[j].translation, 3 * sizeof(float));
        am_quat_to_two_axis(model[j].rotation, axes + (ptrdiff_t)6 * j);
        memcpy(linear + (ptrdiff_t)3 * j, &velocity[j].linear, 3 * sizeof(float));
        memcpy(angular + (ptrdiff_t)3 * j, &velocity[j].angular, 3 * sizeof(float));
    }
}

/// A job over ranges, one item each.
typedef struct ranges {
    const learned *l;
    const learned_part *part;
    const float *z_in;
    float *z_out;
    int latent;
    pose_score *scores;
    am_result *results; ///< [range]
    am_error *errors;
} ranges;

static void latent_of_range(void *context, int item)
{
    ranges *r = context;
    const am_db *db = r->l->db;
    const am_db_range *range = &db->ranges[item];
    am_net_work *work = NULL;
    r->results[item] = am_net_work_create(&work, r->part->net, batch, NULL, &r->errors[item]);
    for (int f = range->start; f < range->stop && work; f += batch) {
        const int count = range->stop - f < batch ? range->stop - f : batch;
        for (int i = 0; i < count; i++) {
            compressor_input(db, f + i, ami_net_input(work, 0, i, 0), r->l->layout.count);
        }
        am_net_run(r->part->net, work, count);
        for (int i = 0; i < count; i++) {
            am_net_get(work, 0, i, r->z_out + (size_t)(f + i) * (size_t)r->latent);
        }
    }
    am_net_work_destroy(work);
}

/// Runs an item for each range on all threads; the first failure is the job's.
static am_result over_ranges(ranges *r, am_task_fn fn, am_error *err)
{
    const int count = r->l->db->range_count;
    r->results = calloc((size_t)count, sizeof *r->results);
    r->errors = calloc((size_t)count, sizeof *r->errors);
    am_result result = r->results && r->errors ? AM_OK : no_memory(err);
    if (result == AM_OK) {
        r->l->e->tasks->run(r->l->e->tasks->user, count, fn, r);
    }
    for (int i = 0; i < count && result == AM_OK; i++) {
        if (r->results[i] != AM_OK) {
            *err = r->errors[i];
            result = r->results[i];
        }
    }
    free(r->results);
    free(r->errors);
    return result;
}

am_result learned_latent(const learned *l, const learned_part *compressor, float *z, int latent, am_error *err)
{
    ranges r = { .l = l, .part = compressor, .z_out = z, .latent = latent };
    return over_ranges(&r, latent_of_range, err);
}

// ---------------------------------------------------------------------------------------------
// Poses

void pose_score_add(pose_score *to, const pose_score *from)
{
    to->sum += from->sum;
    to->squares += from->squares;
    to->largest = fmax(to->largest, from->largest);
    to->count += from->count;
    to->jitter += from->jitter;
    to->own_jitter += from->own_jitter;
    to->bends += from->bends;
    to->contacts += from->contacts;
    to->contacts_right += from->contacts_right;
    to->frames += from->frames;
    for (int j = 0; j < AM_MAX_JOINTS; j++) {
        to->joint_sum[j] += from->joint_sum[j];
        to->joint_squares[j] += from->joint_squares[j];
    }
}

/// Joint places of the last three frames, true and decompressed, in the world.
typedef struct trail {
    am_vec3 own[3][AM_MAX_JOINTS], made[3][AM_MAX_JOINTS];
    int count;
} trail;

static double bend_of(const am_vec3 *a, const am_vec3 *b, const am_vec3 *c)
{
    return (double)am_v3_length(am_v3_add(am_v3_sub(*a, *b), am_v3_sub(*c, *b)));
}

static void score_bends(pose_score *s, const trail *t, const am_db *db)
{
    const int a = t->count % 3, b = (t->count + 1) % 3, c = (t->count + 2) % 3;
    const double rate = (double)db->fps * (double)db->fps / 3600.0; // cm per frame squared at 60 Hz
    for (int j = 0; j < db->joint_count && t->count >= 3; j++) {
        s->own_jitter += rate * bend_of(&t->own[a][j], &t->own[b][j], &t->own[c][j]);
        s->jitter += rate * bend_of(&t->made[a][j], &t->made[b][j], &t->made[c][j]);
        s->bends++;
    }
}

/// A frame's joints in character space, the database's own and those that the numbers `y` give.
static ami_pose pose_both(am_transform *own, am_transform *made, const learned *l, const float *y, int frame)
{
    const am_db *db = l->db;
    ami_pose pose = { .local = made };
    ami_pose_read(&pose, &l->layout, y, db->skeleton, db->moving);
    am_db_pose(db, frame, own);
    am_fk(own, own, db->skeleton->parents, db->joint_count);
    am_fk(made, made, db->skeleton->parents, db->joint_count);
    return pose;
}

static void score_frame(pose_score *s, trail *t, const learned *l, int frame, const float *y)
{
    const am_db *db = l->db;
    am_transform own[AM_MAX_JOINTS], made[AM_MAX_JOINTS];
    const ami_pose pose = pose_both(own, made, l, y, frame);
    const am_transform root = ami_db_root(db, frame);
    const int slot = t->count++ % 3;
    for (int j = 0; j < db->joint_count; j++) {
        const double d = (double)am_v3_distance(own[j].translation, made[j].translation);
        t->own[slot][j] = am_transform_point(root, own[j].translation);
        t->made[slot][j] = am_transform_point(root, made[j].translation);
        s->joint_sum[j] += d;
        s->joint_squares[j] += d * d;
        if (learned_counts(db, j)) {
            s->sum += d;
            s->squares += d * d;
            s->largest = fmax(s->largest, d);
            s->count++;
        }
    }
    for (int i = 0; i < AMI_POSE_CONTACTS; i++) {
        s->contacts_right += (pose.contacts[i] > 0.5f) == ((db->contacts[frame] >> i & 1u) != 0);
        s->contacts++;
    }
    s->frames++;
    score_bends(s, t, db);
}

/// Plain pose compression has no features: then z is the only input.
static void put_xz(const am_net *net, am_net_work *work, int sample, const float *x, const float *z)
{
    const bool features = ami_net_input_count(net) > 1;
    if (features) {
        am_net_put(work, 0, sample, x);
    }
    am_net_put(work, features, sample, z);
}

static void score_range(void *context, int item)
{
    ranges *r = context;
    const am_db_range *range = &r->l->db->ranges[item];
    am_net_work *work = NULL;
    trail *t = calloc(1, sizeof *t);
    float *y = malloc((size_t)r->l->layout.count * sizeof *y);
    r->results[item] =
        t && y ? am_net_work_create(&work, r->part->net, batch, NULL, &r->errors[item]) : no_memory(&r->errors[item]);
    for (int f = range->start; f < range->stop && work; f += batch) {
        const int count = range->stop - f < batch ? range->stop - f : batch;
        for (int i = 0; i < count; i++) {
            put_xz(r->part->net, work, i, am_db_x(r->l->db, f + i), r->z_in + (size_t)(f + i) * (size_t)r->latent);
        }
        am_net_run(r->part->net, work, count);
        for (int i = 0; i < count; i++) {
            am_net_get(work, 0, i, y);
            score_frame(&r->scores[item], t, r->l, f + i, y);
        }
    }
    am_net_work_destroy(work);
    free(t);
    free(y);
}

am_result learned_poses(const learned *l, const learned_part *decompressor, const float *z, int latent,
                        pose_score *scores, am_error *err)
{
    ranges r = { .l = l, .part = decompressor, .z_in = z, .latent = latent, .scores = scores };
    return over_ranges(&r, score_range, err);
}

// ---------------------------------------------------------------------------------------------
// Drift

double learned_places_apart(const learned *l, const float *y, int frame)
{
    const am_db *db = l->db;
    am_transform own[AM_MAX_JOINTS], made[AM_MAX_JOINTS];
    pose_both(own, made, l, y, frame);
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < db->joint_count; j++) {
        if (learned_counts(db, j)) {
            sum += 100.0 * (double)am_v3_distance(own[j].translation, made[j].translation);
            count++;
        }
    }
    return sum / count;
}

static void run_window(const learned *l, drift_score *out, am_net_work *step, am_net_work *decode, int frame,
                       float *room)
{
    const int width = l->db->features.count, all = width + l->latent;
    float *xz = room, *y = room + all;
    memcpy(xz, am_db_x(l->db, frame), (size_t)width * sizeof *xz);
    memcpy(xz + width, l->z + (size_t)frame * (size_t)l->latent, (size_t)l->latent * sizeof *xz);
    int h = 0;
    for (int t = 1; h < learned_horizons; t++) {
        am_net_put(step, 0, 0, xz);
        am_net_put(step, 1, 0, xz + width);
        am_net_run(l->stepper.net, step, 1);
        const float *rate = ami_net_output(step, 0, 0, 0);
        for (int i = 0; i < all; i++) {
            xz[i] += rate[i] / l->db->fps;
        }
        if (t < (int)(out->seconds[h] * (double)l->db->fps + 0.5)) {
            continue;
        }
        const float *truth = am_db_x(l->db, frame + t);
        double squares = 0.0;
        for (int i = 0; i < width; i++) {
            squares += ((double)xz[i] - (double)truth[i]) * ((double)xz[i] - (double)truth[i]) / width;
        }
        put_xz(l->decompressor.net, decode, 0, xz, xz + width);
        am_net_run(l->decompressor.net, decode, 1);
        am_net_get(decode, 0, 0, y);
        out->x_error[h] += sqrt(squares);
        out->place_cm[h] += learned_places_apart(l, y, frame + t);
        ami_pose_vector(l->db, frame, y);
        out->still_cm[h] += learned_places_apart(l, y, frame + t);
        h++;
    }
    out->windows++;
}

am_result learned_drift(const learned *l, drift_score *out, am_error *err)
{
    *out = (drift_score){ .seconds = { 20.0 / 60.0, 1.0, 2.0 } }; // 20, 60 and 120 frames of the paper's 60 Hz
    const int longest = (int)(out->seconds[learned_horizons - 1] * (double)l->db->fps + 0.5);
    float *room = calloc((size_t)l->db->features.count + (size_t)l->latent + (size_t)l->layout.count, sizeof *room);
    am_net_work *step = NULL, *decode = NULL;
    am_result result = room ? am_net_work_create(&step, l->stepper.net, 1, NULL, err) : no_memory(err);
    if (result == AM_OK) {
        result = am_net_work_create(&decode, l->decompressor.net, 1, NULL, err);
    }
    am_rng rng = ami_rng_make(20);
    const int wanted = l->e->quick ? learned_drift_windows / 4 : learned_drift_windows;
    for (int tries = 0; result == AM_OK && out->windows < wanted && tries < 100 * wanted; tries++) {
        const int frame = (int)am_rng_below(&rng, (uint32_t)l->db->frame_count);
        if (l->db->ranges[am_db_range_of(l->db, frame)].stop - frame > longest) {
            run_window(l, out, step, decode, frame, room);
        }
    }
    for (int h = 0; h < learned_horizons && out->windows > 0; h++) {
        out->x_error[h] /= out->windows;
        out->place_cm[h] /= out->windows;
        out->still_cm[h] /= out->windows;
    }
    am_net_work_destroy(step);
    am_net_work_destroy(decode);
    free(room);
    return result;
}
