// Poses for the auto-encoder of Operators 4.1, how they are scaled, and the latents of a whole database.
#include "train/pose_codes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "net/build.h"
#include "train/plan.h"

enum { block_columns = 64 };

// ---------------------------------------------------------------------------------------------
// Poses

/// Velocities of joints, smoothed over five frames: differences of captured rotations tremble. Those of the root
/// stay, or standing feet would slide.
static void smooth(float *y, float *room, int first, int count, int stride, int frames)
{
    static const float kernel[5] = { 1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16 };
    for (int i = first; i < first + count; i++) {
        for (int f = 0; f < frames; f++) {
            room[f] = y[(size_t)f * (size_t)stride + (size_t)i];
        }
        for (int f = 0; f < frames; f++) {
            float sum = 0.0f;
            for (int k = -2; k <= 2; k++) {
                const int at = f + k < 0 ? 0 : f + k >= frames ? frames - 1 : f + k;
                sum += kernel[k + 2] * room[at];
            }
            y[(size_t)f * (size_t)stride + (size_t)i] = sum;
        }
    }
}

static am_result smooth_velocities(ami_codes_poses *p, am_error *err)
{
    const am_db *db = p->data.db;
    const ami_pose_layout *l = &p->data.shape.layout;
    float *room = ami_alloc_array(&p->data.alloc, (size_t)db->frame_count, sizeof *room);
    if (!room) {
        return ami_fail_memory(err, (size_t)db->frame_count * sizeof *room);
    }
    for (int r = 0; r < db->range_count; r++) {
        float *y = p->data.y + (size_t)db->ranges[r].start * (size_t)l->count;
        smooth(y, room, l->velocities, l->root_linear - l->velocities, l->count,
               db->ranges[r].stop - db->ranges[r].start);
    }
    ami_release(&p->data.alloc, room, (size_t)db->frame_count * sizeof *room);
    return AM_OK;
}

/// Times until the next frame of a clip that has a tag.
static void time_event(ami_codes_poses *p, int event, uint64_t bit)
{
    const am_db *db = p->data.db;
    for (int r = 0; r < db->range_count; r++) {
        float left = AMI_EVENT_FAR_S;
        for (int f = db->ranges[r].stop - 1; f >= db->ranges[r].start; f--) {
            left = (db->tags[f] & bit) != 0 ? 0.0f : left + 1.0f / db->fps;
            left = left < AMI_EVENT_FAR_S ? left : AMI_EVENT_FAR_S;
            p->events[f * p->event_count + event] = left;
        }
    }
}

static am_result find_events(ami_codes_poses *p, const ami_stage *s, am_error *err)
{
    const am_json *list = am_json_get(s->json, "events");
    if (!list) {
        return AM_OK;
    }
    const am_db *db = p->data.db;
    if (list->type != AM_JSON_ARRAY || list->count > AMI_MOST_EVENTS) {
        return am_json_fail(s->doc, list, AM_ERR_TYPE, err, "'events' must be a list of at most %d tags",
                            (int)AMI_MOST_EVENTS);
    }
    p->event_count = list->count;
    p->events = ami_alloc_array(&p->data.alloc, (size_t)db->frame_count * (size_t)list->count, sizeof *p->events);
    if (!p->events) {
        return ami_fail_memory(err, (size_t)db->frame_count * (size_t)list->count * sizeof *p->events);
    }
    int event = 0;
    for (const am_json *item = list->first; item; item = item->next, event++) {
        int tag = -1;
        for (int t = 0; t < db->tag_count && item->type == AM_JSON_STRING; t++) {
            tag = strcmp(db->tag_names[t], item->string) == 0 ? t : tag;
        }
        if (tag < 0) {
            return am_json_fail(s->doc, item, AM_ERR_KEY, err, "the database has no tag '%s'",
                                item->type == AM_JSON_STRING ? item->string : "?");
        }
        time_event(p, event, (uint64_t)1 << tag);
    }
    return AM_OK;
}

am_result ami_codes_open(ami_codes_poses *p, ami_stage *s, am_error *err)
{
    am_result result = ami_lmm_open(&p->data, s, err);
    result = result == AM_OK ? smooth_velocities(p, err) : result;
    result = result == AM_OK ? find_events(p, s, err) : result;
    p->width = result == AM_OK ? p->data.shape.layout.count + p->event_count : 0;
    return result;
}

void ami_codes_close(ami_codes_poses *p)
{
    if (p->data.db) {
        ami_release(&p->data.alloc, p->events,
                    (size_t)p->data.db->frame_count * (size_t)p->event_count * sizeof *p->events);
    }
    ami_lmm_close(&p->data);
    memset(p, 0, sizeof *p);
}

void ami_codes_pose(const ami_codes_poses *p, int frame, float *out)
{
    const size_t count = (size_t)p->data.shape.layout.count, events = (size_t)p->event_count;
    memcpy(out, p->data.y + (size_t)frame * count, count * sizeof *out);
    if (events > 0) {
        memcpy(out + count, p->events + (size_t)frame * events, events * sizeof *out);
    }
}

void ami_codes_gather(const ami_codes_poses *p, float *out, const int *frames, int n, int used)
{
    const ptrdiff_t count = p->data.shape.layout.count;
    ami_lmm_gather(&p->data, out, frames, n, used);
    for (ptrdiff_t c = 0; c < used; c++) {
        for (ptrdiff_t e = 0; e < p->event_count; e++) {
            out[(count + e) * n + c] = p->events[(ptrdiff_t)frames[c] * p->event_count + e];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Scales

/// Types of numbers, which share a deviation in the paper's scaling.
enum {
    type_translation,
    type_rotation,
    type_velocity,
    type_angular,
    type_root_linear,
    type_root_angular,
    type_contact,
    type_event,
    type_count
};

static int type_of(const ami_codes_poses *p, int i)
{
    const ami_pose_layout *l = &p->data.shape.layout;
    const int ends[type_count] = { l->rotations,    l->velocities, l->angular, l->root_linear,
                                   l->root_angular, l->contacts,   l->count,   p->width };
    int type = 0;
    while (i >= ends[type]) {
        type++;
    }
    return type;
}

static void moments(const ami_codes_poses *p, double *mean, double *square)
{
    const int frames = p->data.db->frame_count;
    float row[AM_NET_MOST_WIDTH < 4096 ? AM_NET_MOST_WIDTH : 4096];
    memset(mean, 0, (size_t)p->width * sizeof *mean);
    memset(square, 0, (size_t)p->width * sizeof *square);
    for (int pass = 0; pass < 2; pass++) {
        for (int f = 0; f < frames; f++) {
            ami_codes_pose(p, f, row);
            for (int i = 0; i < p->width; i++) {
                const double d = pass ? (double)row[i] - mean[i] : (double)row[i];
                *(pass ? &square[i] : &mean[i]) += (pass ? d * d : d) / frames;
            }
        }
    }
}

/// How far a turn of joint j by one radian carries the body: root of the weighted sum of squared distances of what
/// hangs on it. A joint on which nothing hangs carries its own flesh.
#define LEAF_REACH_M 0.1f
#define FOOT_WEIGHT 5.0f
#define ROOT_VELOCITY_S 0.3f
#define VELOCITY_S 0.03f
#define CONTACT_M 0.02f ///< what a contact counts: little, but enough to be kept
#define EVENT_M 0.02f   ///< the same of a second until an event

static float joint_weight(const am_db *db, int joint)
{
    const int16_t *role = db->roles.joint;
    const bool foot = joint == role[AM_ROLE_LEFT_FOOT] || joint == role[AM_ROLE_RIGHT_FOOT] ||
                      joint == role[AM_ROLE_LEFT_TOE] || joint == role[AM_ROLE_RIGHT_TOE];
    return foot ? FOOT_WEIGHT : 1.0f;
}

static void find_reach(const am_db *db, float *reach, float *whole)
{
    const am_skeleton *k = db->skeleton;
    am_transform local[AM_MAX_JOINTS], world[AM_MAX_JOINTS];
    float total = 0.0f;
    for (int j = 0; j < db->joint_count; j++) {
        local[j].translation = k->offsets[j];
        local[j].rotation = am_quat_identity();
        total += joint_weight(db, j) * joint_weight(db, j);
    }
    am_fk(world, local, k->parents, db->joint_count);
    for (int j = 0; j < db->joint_count; j++) {
        const float own = LEAF_REACH_M * joint_weight(db, j);
        float sum = own * own;
        for (int d = j + 1; d < db->joint_count; d++) {
            int up = d;
            while (up > j) {
                up = k->parents[up];
            }
            if (up == j) {
                const float far =
                    joint_weight(db, d) * am_v3_length(am_v3_sub(world[d].translation, world[j].translation));
                sum += far * far;
            }
        }
        reach[j] = sqrtf(sum);
    }
    *whole = sqrtf(total);
}

static void metric_scales(const ami_codes_poses *p, float *scale, float *weight)
{
    const am_db *db = p->data.db;
    const ami_pose_layout *l = &p->data.shape.layout;
    float reach[AM_MAX_JOINTS] = { 0.0f }, whole;
    find_reach(db, reach, &whole);
    for (int i = 0; i < p->width; i++) {
        weight[i] = 1.0f;
        switch (type_of(p, i)) {
        case type_translation:
            scale[i] = whole;
            break;
        case type_rotation:
            scale[i] = reach[(i - l->rotations) / 6];
            break;
        case type_velocity:
            scale[i] = VELOCITY_S * whole;
            break;
        case type_angular:
            scale[i] = VELOCITY_S * reach[(i - l->angular) / 3];
            break;
        case type_root_linear:
            scale[i] = ROOT_VELOCITY_S * whole;
            break;
        case type_root_angular:
            scale[i] = ROOT_VELOCITY_S * reach[0];
            break;
        case type_contact:
            scale[i] = CONTACT_M * whole;
            break;
        default:
            scale[i] = EVENT_M * whole;
            break;
        }
    }
}

/// Length of all bones below joint j, and of a leaf its own.
static float chain_length(const am_db *db, int j)
{
    const am_skeleton *k = db->skeleton;
    float sum = 0.0f;
    for (int d = j + 1; d < db->joint_count; d++) {
        int up = d;
        while (up > j) {
            up = k->parents[up];
        }
        sum += up == j ? am_v3_length(k->offsets[d]) : 0.0f;
    }
    return sum > 0.0f ? sum : LEAF_REACH_M;
}

/// Operators 4.1: each type by its mean deviation, rotations and angular velocities by the length of the chain that
/// hangs on the joint, and weights that let every type count the same.
static void paper_scales(const ami_codes_poses *p, const double *square, float *scale, float *weight)
{
    const ami_pose_layout *l = &p->data.shape.layout;
    double deviation[type_count] = { 0 }, error[type_count] = { 0 };
    int count[type_count] = { 0 };
    for (int i = 0; i < p->width; i++) {
        deviation[type_of(p, i)] += sqrt(square[i]);
        count[type_of(p, i)]++;
    }
    for (int i = 0; i < p->width; i++) {
        const int type = type_of(p, i);
        const double usual = deviation[type] / count[type];
        scale[i] = usual > 1e-6 ? (float)(1.0 / usual) : 1.0f;
        if (type == type_rotation || type == type_angular) {
            const int joint = type == type_rotation ? (i - l->rotations) / 6 : (i - l->angular) / 3;
            scale[i] *= chain_length(p->data.db, joint);
        }
        error[type] += square[i] * (double)scale[i] * (double)scale[i];
    }
    for (int i = 0; i < p->width; i++) {
        const double sum = error[type_of(p, i)];
        weight[i] = sum > 1e-9 ? (float)((double)p->width / (type_count * sum)) : 1.0f;
    }
}

void ami_codes_scales(float *mean, float *scale, float *weight, const ami_codes_poses *p,
                      ami_pose_weighting weighting)
{
    double sum[4096], square[4096];
    moments(p, sum, square);
    for (int i = 0; i < p->width; i++) {
        mean[i] = (float)sum[i];
    }
    if (weighting == AMI_POSE_PAPER) {
        paper_scales(p, square, scale, weight);
    } else {
        metric_scales(p, scale, weight);
    }
}

// ---------------------------------------------------------------------------------------------
// Latents

const am_net_graph *ami_stage_finished(const ami_stage *s, const char *name)
{
    const am_net_graph *found = NULL;
    for (int g = 0; g < s->finished_count; g++) {
        found = strcmp(s->finished[g]->name, name) == 0 ? s->finished[g] : found;
    }
    return found;
}

typedef struct rows {
    ami_plan_f32 *plan;
    int in, out; ///< values
} rows;

static am_result rows_begin(rows *r, const am_net_graph *graph, const am_alloc *alloc, am_error *err)
{
    const ami_plan_def def = { .graph = graph, .columns = block_columns, .blocks = 1, .slots = 1, .alloc = alloc };
    r->in = ami_net_graph_input_at(graph, 0);
    r->out = ami_net_graph_output_at(graph, 0);
    return ami_plan_create_f32(&r->plan, &def, ami_train_ops(NULL), graph->weights, err);
}

/// The answers to what was written to the plan's input: rows of y.
static void rows_run(const rows *r, float *y, int used)
{
    const int width = r->plan->graph->values[r->out].width;
    ami_plan_forward_f32(r->plan, 0, 0);
    const float *from = ami_plan_value_f32(r->plan, r->out, 0, 0);
    for (int c = 0; c < used; c++) {
        for (int i = 0; i < width; i++) {
            y[(size_t)c * (size_t)width + (size_t)i] = from[(ptrdiff_t)i * block_columns + c];
        }
    }
}

am_result ami_graph_rows(const am_net_graph *graph, float *y, const float *x, int count, const am_alloc *alloc,
                         am_error *err)
{
    rows r = { 0 };
    am_result result = rows_begin(&r, graph, alloc, err);
    if (result != AM_OK) {
        return result;
    }
    const int in = graph->values[r.in].width, out = graph->values[r.out].width;
    for (int first = 0; first < count; first += block_columns) {
        const int used = count - first < block_columns ? count - first : block_columns;
        float *to = ami_plan_value_f32(r.plan, r.in, 0, 0);
        for (int c = 0; c < used; c++) {
            for (int i = 0; i < in; i++) {
                to[(ptrdiff_t)i * block_columns + c] = x[(size_t)(first + c) * (size_t)in + (size_t)i];
            }
        }
        rows_run(&r, y + (size_t)first * (size_t)out, used);
    }
    ami_plan_destroy_f32(r.plan);
    return AM_OK;
}

static am_result encode(ami_codes *codes, const ami_codes_poses *poses, am_error *err)
{
    rows r = { 0 };
    am_result result = rows_begin(&r, codes->encoder, &codes->alloc, err);
    for (int f = 0; f < codes->db->frame_count && result == AM_OK; f += block_columns) {
        int frames[block_columns];
        const int used = codes->db->frame_count - f < block_columns ? codes->db->frame_count - f : block_columns;
        for (int c = 0; c < used; c++) {
            frames[c] = f + c;
        }
        ami_codes_gather(poses, ami_plan_value_f32(r.plan, r.in, 0, 0), frames, block_columns, used);
        rows_run(&r, codes->z + (size_t)f * (size_t)codes->width, used);
    }
    ami_plan_destroy_f32(r.plan);
    return result;
}

static void measure(ami_codes *c)
{
    const size_t width = (size_t)c->width;
    const int frames = c->db->frame_count;
    for (size_t i = 0; i < width; i++) {
        double sum = 0.0, square = 0.0;
        float low = INFINITY, high = -INFINITY;
        for (int f = 0; f < frames; f++) {
            const float z = c->z[(size_t)f * width + i];
            sum += (double)z;
            square += (double)z * (double)z;
            low = z < low ? z : low;
            high = z > high ? z : high;
        }
        const double mean = sum / frames, variance = square / frames - mean * mean;
        c->deviation[i] = variance > 1e-12 ? (float)sqrt(variance) : 1e-6f;
        c->low[i] = low - 0.05f * (high - low);
        c->high[i] = high + 0.05f * (high - low);
    }
    // The encoder's last operation divides by deviations: what its latents weigh in the scaled pose.
    const float *scale = ami_net_graph_tensor(c->encoder, ami_net_graph_output_at(c->encoder, 0), 1);
    for (size_t i = 0; i < width; i++) {
        c->raw[i] = c->deviation[i] / scale[i];
    }
}

am_result ami_codes_make(ami_codes *c, ami_stage *s, int steps, am_error *err)
{
    ami_codes_poses poses = { 0 };
    *c = (ami_codes){ .alloc = s->alloc };
    c->encoder = ami_stage_finished(s, "pose_encoder");
    c->decoder = ami_stage_finished(s, "pose_decoder");
    if (!c->encoder || !c->decoder) {
        return ami_fail(err, AM_ERR_KEY, "a stage '%s' needs a stage 'pose_encoder' before it in the recipe",
                        s->kind->name);
    }
    am_result result = ami_codes_open(&poses, s, err);
    const int wanted = c->encoder->values[ami_net_graph_input_at(c->encoder, 0)].width;
    if (result == AM_OK && poses.width != wanted) {
        result = am_json_fail(s->doc, s->json, AM_ERR_KEY, err,
                              "poses have %d numbers here but %d in the stage 'pose_encoder'; give both the same "
                              "database and events",
                              poses.width, wanted);
    }
    result = result == AM_OK ? ami_lmm_list(&poses.data, steps, err) : result;
    if (result == AM_OK) {
        c->width = c->encoder->values[ami_net_graph_output_at(c->encoder, 0)].width;
        c->event_count = poses.event_count;
        const size_t width = (size_t)c->width, frames = (size_t)poses.data.db->frame_count;
        c->z = ami_pages_array(&c->alloc, frames * width, sizeof *c->z);
        c->deviation = ami_alloc_array(&c->alloc, 4 * width, sizeof *c->deviation);
        result = c->z && c->deviation ? AM_OK : ami_fail_memory(err, frames * width * sizeof *c->z);
    }
    if (result == AM_OK) {
        c->raw = c->deviation + c->width;
        c->low = c->raw + c->width;
        c->high = c->low + c->width;
    }
    c->db = poses.data.db;
    c->first = poses.data.first;
    c->first_count = poses.data.first_count;
    if (result == AM_OK) {
        result = encode(c, &poses, err);
    }
    if (result == AM_OK) {
        measure(c);
    }
    // Database and list of frames stay, the poses go.
    if (c->db) {
        ami_release(&c->alloc, poses.events,
                    (size_t)c->db->frame_count * (size_t)poses.event_count * sizeof *poses.events);
        ami_release(&c->alloc, poses.data.moves, (size_t)c->db->joint_count * sizeof *poses.data.moves);
        ami_lmm_drop_poses(&poses.data);
    }
    return result;
}

void ami_codes_free(ami_codes *c)
{
    if (c->db) {
        const size_t frames = (size_t)c->db->frame_count;
        ami_pages_release(&c->alloc, c->z, frames * (size_t)c->width, sizeof *c->z);
        ami_release(&c->alloc, c->deviation, 4 * (size_t)c->width * sizeof *c->deviation);
        ami_release(&c->alloc, c->first, frames * sizeof *c->first);
    }
    am_db_close(c->db);
    memset(c, 0, sizeof *c);
}
