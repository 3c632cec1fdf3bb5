// Captured motion to measure against: the points of a database's clips, percentiles of its standing and of its steps.
// Mirrored ranges are left out; where mirror images count, a measure makes them itself.
#include "report/reference.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/filter.h"
#include "data/database.h"

// Captured standing: windows in which the ankles stay in place and the body is upright. Clips often begin or end in a
// short stand, which shows the posture; life needs a longer one.
#define POSTURE_WINDOW_S 1.0f
#define LIFE_WINDOW_S 2.0f
#define STAYS_M 0.03f
#define STILL_M                                                                                                      \
    0.03f ///< the hips rise and sink by less: a body that bends down or winds up for a jump does not stand
#define UPRIGHT 0.97f  ///< legs that the hips are high; straight ones carry them at 1.05
#define POSTURE_S 0.1f ///< between postures that are looked at
#define FEWEST_S 10.0f ///< with less captured standing the limits are the usual ones
enum { figures = 4 };

am_reference_def am_reference_def_default(void)
{
    am_reference_def def = { .cookie = AM_COOKIE };
    return def;
}

am_standing_limits am_standing_limits_default(void)
{
    // Of the 90 s of standing in the CMU locomotion set, with some room for other rigs in hips and trunk.
    am_standing_limits limits = { .ankles = 0.44f,
                                  .knee_deg = 40.0f,
                                  .hips = 0.95f,
                                  .trunk_deg = 15.0f,
                                  .bob = 0.0008f,
                                  .hands = 0.018f,
                                  .head = 0.0147f,
                                  .sway = 0.0085f };
    return limits;
}

// ---------------------------------------------------------------------------------------------
// Clips

static bool taken(const am_db *db, int range) { return (db->ranges[range].flags & AM_RANGE_MIRRORED) == 0; }

am_motion ami_reference_clip(const am_reference *r, int index)
{
    const ami_captured *clip = &r->clips[index];
    am_motion motion = { .points = r->points + (size_t)clip->first * AM_POINT_COUNT,
                         .frames = clip->frames,
                         .fps = r->fps,
                         .body = r->body,
                         .floor = clip->floor };
    return motion;
}

void ami_reference_skip(am_reference *r, int index) { r->skipped = index >= 0 ? r->clips[index].source : -1; }

const am_standing_limits *am_reference_standing(const am_reference *r) { return &r->standing; }
const am_step_limits *am_reference_steps(const am_reference *r) { return r->steps; }

static void take_points(am_reference *r, const am_db *db, am_transform *pose)
{
    int at = 0;
    int clip = 0;
    for (int i = 0; i < db->range_count; i++) {
        if (!taken(db, i)) {
            continue;
        }
        r->clips[clip++] = (ami_captured){ .first = at,
                                           .frames = db->ranges[i].stop - db->ranges[i].start,
                                           .source = db->ranges[i].source };
        for (int f = db->ranges[i].start; f < db->ranges[i].stop; f++) {
            am_db_pose(db, f, pose);
            pose[0] = am_transform_mul(ami_db_root(db, f), pose[0]);
            am_fk(pose, pose, db->skeleton->parents, db->joint_count);
            am_body_take(r->points + (size_t)at * AM_POINT_COUNT, &r->body, pose);
            at++;
        }
    }
}

/// Pieces of one source clip follow one another and share its floor: a short one may be all flight.
static void find_floors(am_reference *r, float *room)
{
    for (int first = 0, next = 0; first < r->clip_count; first = next) {
        am_motion whole = ami_reference_clip(r, first);
        for (next = first + 1; next < r->clip_count && r->clips[next].source == r->clips[first].source; next++) {
            whole.frames += r->clips[next].frames;
        }
        am_floor floor = am_motion_floor(&whole, room);
        for (int c = first; c < next; c++) {
            r->clips[c].floor = floor;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// What is usual

static bool stands(const am_motion *m, int first, int count)
{
    float low = INFINITY;
    float high = -INFINITY;
    for (int f = first; f < first + count; f++) {
        for (int p = AM_POINT_LEFT_ANKLE; p <= AM_POINT_RIGHT_ANKLE; p++) {
            if (am_v3_distance(ami_point(m, f, p), ami_point(m, first, p)) > STAYS_M) {
                return false;
            }
        }
        float hips = ami_posture_of(m, f).hips;
        low = am_min(low, hips);
        high = am_max(high, hips);
        if (ami_in_flight(m, f) || hips < UPRIGHT) {
            return false;
        }
    }
    return (high - low) * m->body.leg_m < STILL_M;
}

/// [figures][room] each: postures and lives of captured standing.
typedef struct gathering {
    float *postures, *lives;
    size_t room;
    int posture_count, life_count;
} gathering;

static void gather_postures(gathering *g, const am_motion *m, int first, int count)
{
    for (int f = first; f < first + count; f += ami_frames(m, POSTURE_S)) {
        ami_posture p = ami_posture_of(m, f);
        const float values[figures] = { p.ankles, p.knee_deg, p.hips, p.trunk_deg };
        for (size_t i = 0; i < figures; i++) {
            g->postures[i * g->room + (size_t)g->posture_count] = values[i];
        }
        g->posture_count++;
    }
}

static void gather_life(gathering *g, const am_motion *m, int first, int count)
{
    ami_life life = ami_life_measure(m, first, count);
    const double values[figures] = { life.bob, life.hands, life.head, life.sway };
    for (size_t i = 0; i < figures; i++) {
        g->lives[i * g->room + (size_t)g->life_count] = (float)values[i] / m->body.leg_m;
    }
    g->life_count++;
}

typedef void (*gather)(gathering *g, const am_motion *m, int first, int count);

static void gather_standing(gathering *g, const am_reference *r, float window_s, float every_s, gather take)
{
    for (int c = 0; c < r->clip_count; c++) {
        am_motion m = ami_reference_clip(r, c);
        int window = ami_frames(&m, window_s);
        for (int f = 0; f + window <= m.frames; f += ami_frames(&m, every_s)) {
            if (stands(&m, f, window)) {
                take(g, &m, f, window);
            }
        }
    }
}

static float quantile(float *values, int count, float share)
{
    ami_sort_floats(values, count);
    return ami_quantile(values, count, share);
}

static void find_standing(am_reference *r, gathering *g)
{
    r->standing = am_standing_limits_default();
    gather_standing(g, r, POSTURE_WINDOW_S, POSTURE_WINDOW_S, gather_postures);
    gather_standing(g, r, LIFE_WINDOW_S, 0.5f * LIFE_WINDOW_S, gather_life);
    float postures_s = (float)g->posture_count * POSTURE_S;
    r->standing.frames = (int)(postures_s * r->fps);
    if (postures_s >= FEWEST_S) {
        r->standing.ankles = quantile(g->postures, g->posture_count, 0.99f);
        r->standing.knee_deg = quantile(g->postures + g->room, g->posture_count, 0.99f);
        r->standing.hips = quantile(g->postures + 2 * g->room, g->posture_count, 0.01f);
        r->standing.trunk_deg = quantile(g->postures + 3 * g->room, g->posture_count, 0.99f);
    }
    if ((float)g->life_count * 0.5f * LIFE_WINDOW_S >= FEWEST_S) {
        r->standing.bob = quantile(g->lives, g->life_count, 0.5f);
        r->standing.hands = quantile(g->lives + g->room, g->life_count, 0.5f);
        r->standing.head = quantile(g->lives + 2 * g->room, g->life_count, 0.5f);
        r->standing.sway = quantile(g->lives + 3 * g->room, g->life_count, 0.5f);
    }
}

/// Lengths of the steps of one speed.
typedef struct lengths {
    float *values;
    int bin, count;
    float leg_m;
} lengths;

static void take_length(void *user, const ami_step *step)
{
    lengths *l = user;
    if (!step->repeated && ami_step_bin(step->speed_mps) == l->bin) {
        l->values[l->count++] = step->length_m / l->leg_m;
    }
}

static void find_steps(am_reference *r, float *room)
{
    for (int b = 0; b < AM_STEP_BINS; b++) {
        lengths l = { .values = room, .bin = b, .leg_m = r->body.leg_m };
        for (int c = 0; c < r->clip_count; c++) {
            am_motion m = ami_reference_clip(r, c);
            ami_steps_walk(&m, take_length, &l);
        }
        r->steps[b].count = l.count;
        if (l.count > 0) {
            r->steps[b].low = quantile(room, l.count, 0.01f);
            r->steps[b].median = ami_quantile(room, l.count, 0.5f);
            r->steps[b].high = ami_quantile(room, l.count, 0.99f);
        }
    }
}

static am_result fill(am_reference *r, const am_db *db, am_error *err)
{
    size_t room = (size_t)r->frames + 1;
    size_t size = 0;
    uint8_t *block = NULL;
    am_transform *pose = NULL;
    gathering g = { .room = room };
    ami_layout layout = { 0 };
    for (int round = 0; round < 2; round++) {
        pose = ami_layout_take(&layout, (size_t)db->joint_count, sizeof *pose);
        g.postures = ami_layout_take(&layout, figures * room, sizeof(float));
        g.lives = ami_layout_take(&layout, figures * room, sizeof(float));
        if (round == 0) {
            size = layout.size;
            block = layout.overflow ? NULL : ami_alloc_zero(&r->alloc, size);
            if (!block) {
                return ami_fail_memory(err, size);
            }
            layout = (ami_layout){ block, 0, false };
        }
    }
    take_points(r, db, pose);
    find_floors(r, g.lives);
    find_standing(r, &g);
    find_steps(r, g.lives);
    ami_release(&r->alloc, block, size);
    return ami_window_index_fill(r, err);
}

// ---------------------------------------------------------------------------------------------
// Creation

static void place_arrays(am_reference *r, ami_layout *layout)
{
    ami_window_index *x = &r->index;
    size_t windows = (size_t)x->block_count * ami_window_lanes;
    r->points = ami_layout_take(layout, (size_t)r->frames * AM_POINT_COUNT, sizeof *r->points);
    r->clips = ami_layout_take(layout, (size_t)r->clip_count, sizeof *r->clips);
    x->places = ami_layout_take(layout, windows, sizeof *x->places);
    x->mean = ami_layout_take(layout, ami_window_floats, sizeof(float));
    x->axes = ami_layout_take(layout, (size_t)ami_window_floats * ami_window_axes, sizeof(float));
    x->rows = ami_layout_take(layout, windows * (ami_window_axes + 1), sizeof(float));
    x->bounds = ami_layout_take(layout, windows, sizeof(float));
}

am_result am_reference_create(am_reference **out, const am_reference_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->db) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the reference def with am_reference_def_default() and give it a database");
    }
    const am_db *db = def->db;
    am_reference sketch = { .alloc = ami_alloc_or_default(def->alloc),
                            .body = am_body_find(db->skeleton, &db->roles),
                            .fps = db->fps,
                            .skipped = -1 };
    am_motion probe = { .body = sketch.body, .fps = db->fps };
    if (!db->has_poses || !am_motion_usable(&probe)) {
        return ami_fail(
            err, AM_ERR_SUPPORT,
            "database '%s' cannot be a reference: it needs poses, and a rig with hips, legs, feet and toes",
            db->name);
    }
    sketch.has = sketch.body.has & (def->body ? def->body->has : ~0u);
    for (int i = 0; i < db->range_count; i++) {
        int frames = db->ranges[i].stop - db->ranges[i].start;
        if (taken(db, i)) {
            sketch.frames += frames;
            sketch.clip_count++;
            sketch.index.count += ami_windows_in(frames, db->fps);
        }
    }
    sketch.index.block_count = (sketch.index.count + ami_window_lanes - 1) / ami_window_lanes;
    ami_layout layout = { 0 };
    ami_layout_take(&layout, 1, sizeof sketch);
    place_arrays(&sketch, &layout);
    sketch.block_size = layout.size;
    uint8_t *block = layout.overflow ? NULL : ami_alloc_zero(&sketch.alloc, layout.size);
    if (!block) {
        return ami_fail_memory(err, layout.size);
    }
    ami_layout place = { block, 0, false };
    am_reference *r = ami_layout_take(&place, 1, sizeof *r);
    *r = sketch;
    place_arrays(r, &place);
    am_result result = fill(r, db, err);
    if (result != AM_OK) {
        am_reference_destroy(r);
        return result;
    }
    *out = r;
    return AM_OK;
}

void am_reference_destroy(am_reference *r)
{
    if (r) {
        am_alloc alloc = r->alloc;
        ami_release(&alloc, r, r->block_size);
    }
}
