// Laid samples become points, one for each frame of the database.
//
// As in LHMM V: sampled at even times and smoothed by a Gaussian. The paper's 150 Hz of a drawing played at a fifth
// of its speed are 30 Hz of playing time; its sigma of 3 and width of 19 points are 0.1 s and 0.6 s.
//
// Retimed: sampled at even lengths and smoothed by a Gaussian of 0.1 m, so that a fast drawing loses no more of its
// shape than a slow one; then every point gets the drawing's speed, or less where bend or braking would exceed what
// the data contain.
#include "actor/path.h"

#include "base/error.h"

#define PAPER_SIGMA_S 0.1f
#define PAPER_HALF_S 0.3f
#define SIGMA_M 0.11f
#define SPEED_SIGMA_M 0.25f
#define STEP_M 0.02f
// Speed of the last step of a path: slow enough to stop after it.
#define END_MPS 0.4f
// Half of the length over which a bend is measured.
#define BEND_M 0.18f
// A path may take this much longer than it took to draw; otherwise it is tried faster, in steps of a tenth.
#define LATE 1.1f
#define HURRY 0.1f
#define HURRIES 8
#define MOST_HALF 256

/// A smoothing kernel: the weights of one half, the middle first.
typedef struct kernel {
    float weights[MOST_HALF + 1];
    int half;
} kernel;

static kernel make_kernel(float sigma, int half)
{
    kernel k;
    k.half = half < MOST_HALF ? half : MOST_HALF;
    float sum = 0.0f;
    for (int i = 0; i <= k.half; i++) {
        float x = (float)i / sigma;
        k.weights[i] = am_exp(-0.5f * x * x);
        sum += i > 0 ? 2.0f * k.weights[i] : k.weights[i];
    }
    for (int i = 0; i <= k.half; i++) {
        k.weights[i] /= sum;
    }
    return k;
}

/// A value beyond an end lies on the line through the last two values; a lap continues with its other end.
static float reach(const float *in, int count, int loop_first, int i)
{
    if (i >= 0 && i < count) {
        return in[i];
    }
    if (i >= count && loop_first >= 0) {
        return in[loop_first + (i - loop_first) % (count - loop_first)];
    }
    if (count < 2) {
        return in[0];
    }
    return i < 0 ? in[0] + (float)i * (in[1] - in[0])
                 : in[count - 1] + (float)(i - count + 1) * (in[count - 1] - in[count - 2]);
}

static void smooth(float *out, const float *in, int count, int loop_first, const kernel *k)
{
    for (int i = 0; i < count; i++) {
        float sum = k->weights[0] * in[i];
        for (int d = 1; d <= k->half; d++) {
            sum += k->weights[d] * (reach(in, count, loop_first, i - d) + reach(in, count, loop_first, i + d));
        }
        out[i] = sum;
    }
}

void ami_path_smooth_track(float *out, const float *in, int count, float fps)
{
    kernel k = make_kernel(PAPER_SIGMA_S * fps, (int)(PAPER_HALF_S * fps + 0.5f));
    smooth(out, in, count, -1, &k);
}

static float distance(float ax, float az, float bx, float bz)
{
    float x = bx - ax;
    float z = bz - az;
    return sqrtf(x * x + z * z);
}

/// Headings and lengths of points(count) whose positions are set.
static void finish(am_path_point *points, int count, float heading)
{
    float along = 0.0f;
    bool known = false;
    for (int i = 0; i < count; i++) {
        points[i].along = along;
        points[i].heading = heading;
        if (i + 1 < count) {
            float x = points[i + 1].x - points[i].x;
            float z = points[i + 1].z - points[i].z;
            float way = sqrtf(x * x + z * z);
            along += way;
            if (way > 1e-5f) {
                heading = am_atan2(x, z);
                points[i].heading = heading;
                for (int b = 0; !known && b < i; b++) {
                    points[b].heading = heading; // the character stands before it starts
                }
                known = true;
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The paper's

/// s from a sample to the next; no slower than `least` m/s.
static float lasts(const ami_laid *laid, int i, float least)
{
    float drawn = laid[i + 1].t - laid[i].t;
    float way = distance(laid[i].x, laid[i].z, laid[i + 1].x, laid[i + 1].z);
    return least > 0.0f ? am_min(drawn, way / least) : drawn;
}

/// s from the beginning to a sample.
static float time_of(const ami_laid *laid, int at, float least)
{
    float time = laid[0].t;
    for (int i = 0; i < at; i++) {
        time += lasts(laid, i, least);
    }
    return time;
}

/// x(count), z(count): places at even times. The last one is that of `end_s`.
static void sample_times(const ami_path *path, const ami_laid *laid, float *x, float *z, int count, float least,
                         float end_s)
{
    int seg = 0;
    float begin = laid[0].t;
    float span = path->laid_count > 1 ? lasts(laid, 0, least) : 0.0f;
    for (int i = 0; i < count; i++) {
        float t = i + 1 < count ? (float)i / path->fps : end_s;
        while (seg + 2 < path->laid_count && begin + span < t) {
            begin += span;
            span = lasts(laid, ++seg, least);
        }
        int next = seg + 1 < path->laid_count ? seg + 1 : seg;
        float part = span > 0.0f ? am_clamp((t - begin) / span, 0.0f, 1.0f) : next > seg ? 1.0f : 0.0f;
        x[i] = am_lerp(laid[seg].x, laid[next].x, part);
        z[i] = am_lerp(laid[seg].z, laid[next].z, part);
    }
}

static am_result shape_by_time(ami_path_memory *room, float least, float heading, am_error *err)
{
    ami_path *path = room->head;
    float *x = room->scratch;
    float *z = x + room->room;
    float total = time_of(room->laid, path->laid_count - 1, least);
    bool laps = path->laid_loop >= 0;
    // Even times only (V-A): a last point off the beat would bend the line that the filter extends. A path loses at
    // most its last frame; one shorter than a frame is its end. Laps have no end and close on the beat nearest to it.
    double points = (double)total * (double)path->fps + (laps ? 1.5 : 1.001);
    if (points > room->room) {
        return ami_fail(err, AM_ERR_LIMIT, "the path lasts %.0f s, more than the character has room for",
                        (double)total);
    }
    int count = (int)points;
    path->loop_first = laps ? (int)(time_of(room->laid, path->laid_loop, least) * path->fps + 0.5f) : -1;
    path->loop_first = path->loop_first >= count - 1 ? -1 : path->loop_first;
    sample_times(path, room->laid, x, z, count, least, laps || count == 1 ? total : (float)(count - 1) / path->fps);
    if (ami_path_has(path, ami_path_smooth)) {
        kernel k = make_kernel(PAPER_SIGMA_S * path->fps, (int)(PAPER_HALF_S * path->fps + 0.5f));
        smooth(x + 2 * room->room, x, count, path->loop_first, &k);
        smooth(z + 2 * room->room, z, count, path->loop_first, &k);
        x += 2 * room->room;
        z += 2 * room->room;
    }
    for (int i = 0; i < count; i++) {
        room->points[i].x = x[i];
        room->points[i].z = z[i];
    }
    path->count = count;
    finish(room->points, count, heading);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Retimed

/// The geometry at even lengths.
typedef struct curve {
    float *x, *z, *v; ///< [count]
    float *a, *b, *c; ///< [count] scratch
    int count, loop_first;
    float step; ///< m
} curve;

static float laid_length(const ami_path *path, const ami_laid *laid)
{
    float length = 0.0f;
    for (int i = 1; i < path->laid_count; i++) {
        length += distance(laid[i - 1].x, laid[i - 1].z, laid[i].x, laid[i].z);
    }
    return length;
}

/// Positions and drawn speeds at even lengths. Pauses in the drawing are skipped.
static void sample_curve(curve *c, const ami_path *path, const ami_laid *laid, float least)
{
    int seg = 0;
    float begin = 0.0f;
    float length = path->laid_count > 1 ? distance(laid[0].x, laid[0].z, laid[1].x, laid[1].z) : 0.0f;
    for (int i = 0; i < c->count; i++) {
        float s = (float)i * c->step;
        while (seg + 2 < path->laid_count && s > begin + length) {
            begin += length;
            seg++;
            length = distance(laid[seg].x, laid[seg].z, laid[seg + 1].x, laid[seg + 1].z);
            c->loop_first = seg == path->laid_loop && c->loop_first < 0 ? i : c->loop_first;
        }
        int next = seg + 1 < path->laid_count ? seg + 1 : seg;
        float part = length > 0.0f ? am_clamp((s - begin) / length, 0.0f, 1.0f) : 0.0f;
        float time = laid[next].t - laid[seg].t;
        float speed = time > 0.0f ? length / time : path->v_max;
        c->x[i] = am_lerp(laid[seg].x, laid[next].x, part);
        c->z[i] = am_lerp(laid[seg].z, laid[next].z, part);
        c->v[i] = am_clamp(am_max(speed, least), path->limits.v_least, path->v_max);
    }
}

/// How sharply the curve bends at i, 1/m.
static float curvature(const curve *c, int i, int reach_by)
{
    int before = i - reach_by > 0 ? i - reach_by : 0;
    int after = i + reach_by < c->count ? i + reach_by : c->count - 1;
    float ax = c->x[i] - c->x[before];
    float az = c->z[i] - c->z[before];
    float bx = c->x[after] - c->x[i];
    float bz = c->z[after] - c->z[i];
    float turn = am_abs(am_atan2(az * bx - ax * bz, ax * bx + az * bz));
    float way = 0.5f * (float)(after - before) * c->step;
    return way > 0.0f ? turn / way : 0.0f;
}

/// Limits the speed at each point by its bend, and by braking and speeding up toward its neighbours. drawn(count) are
/// the requested speeds, hurry scales them and the accelerations; returns the seconds that the curve takes.
static float limit_speeds(curve *c, const float *drawn, const ami_path *path, float v_start, float hurry)
{
    const ami_path_limits *limits = &path->limits;
    float most_mps = am_max(path->v_max, limits->v_least);
    int reach_by = (int)(BEND_M / c->step + 0.5f);
    for (int i = 0; i < c->count; i++) {
        float bend = curvature(c, i, reach_by > 1 ? reach_by : 1);
        float most = bend > 0.0f ? sqrtf(limits->lateral / bend) : most_mps;
        c->v[i] = am_clamp(am_min(drawn[i] * hurry, most), limits->v_least, most_mps);
    }
    c->v[0] = am_min(c->v[0], am_max(v_start, limits->v_least));
    if (c->loop_first < 0) {
        c->v[c->count - 1] = am_min(limits->v_least, END_MPS);
    }
    for (int i = 1; i < c->count; i++) {
        float most = sqrtf(c->v[i - 1] * c->v[i - 1] + 2.0f * hurry * limits->faster_mps2 * c->step);
        c->v[i] = am_min(c->v[i], most);
    }
    float seconds = 0.0f;
    for (int i = c->count - 2; i >= 0; i--) {
        float most = sqrtf(c->v[i + 1] * c->v[i + 1] + 2.0f * hurry * limits->slower_mps2 * c->step);
        c->v[i] = am_min(c->v[i], most);
        seconds += 2.0f * c->step / (c->v[i] + c->v[i + 1]);
    }
    return seconds;
}

/// Time lost at corners is made up on clear stretches: faster than drawn, until the whole takes hardly longer than
/// the drawing or the limit of `hurry` is reached. Hurry also accelerates and brakes harder, which is all that helps
/// on a zigzag.
static void retime(curve *c, const float *drawn, const ami_path *path, float v_start)
{
    float wanted = 0.0f;
    for (int i = 0; i + 1 < c->count; i++) {
        wanted += 2.0f * c->step / (drawn[i] + drawn[i + 1]);
    }
    for (int i = 0; i < HURRIES; i++) {
        if (limit_speeds(c, drawn, path, v_start, 1.0f + HURRY * (float)i) <= LATE * wanted) {
            return;
        }
    }
}

/// Points at the frames' times along the curve.
static am_result emit(ami_path_memory *room, const curve *c, float heading, am_error *err)
{
    ami_path *path = room->head;
    double time = 0.0;
    double due = 0.0;
    int count = 0;
    for (int i = 0; i + 1 < c->count; i++) {
        double span = 2.0 * (double)c->step / (double)(c->v[i] + c->v[i + 1]);
        for (; due < time + span && count < room->room; count++, due += 1.0 / (double)path->fps) {
            float part = (float)((due - time) / span);
            room->points[count].x = am_lerp(c->x[i], c->x[i + 1], part);
            room->points[count].z = am_lerp(c->z[i], c->z[i + 1], part);
        }
        path->loop_first = c->loop_first == i ? count - 1 : path->loop_first;
        time += span;
    }
    if (count >= room->room) {
        return ami_fail(err, AM_ERR_LIMIT, "the path takes more frames than the character has room for (%d)",
                        room->room);
    }
    room->points[count].x = c->x[c->count - 1];
    room->points[count].z = c->z[c->count - 1];
    path->count = count + 1;
    path->loop_first = path->loop_first >= count ? -1 : path->loop_first;
    finish(room->points, path->count, heading);
    return AM_OK;
}

static am_result shape_by_length(ami_path_memory *room, float v_start, float least, float heading, am_error *err)
{
    ami_path *path = room->head;
    float length = laid_length(path, room->laid);
    float *s = room->scratch;
    size_t n = (size_t)room->room;
    curve c = { s, s + n, s + 2 * n, s + 3 * n, s + 4 * n, s + 5 * n, 0, -1, STEP_M };
    c.step = am_max(STEP_M, length / (float)(room->room - 2));
    c.count = (int)(length / c.step) + 2;
    c.step = length / (float)(c.count - 1);
    path->loop_first = -1;
    if (!(length > 1e-3f)) {
        c.count = 1; // it goes nowhere
    }
    sample_curve(&c, path, room->laid, least);
    if (c.count > 1) {
        kernel place = make_kernel(SIGMA_M / c.step, (int)(3.0f * SIGMA_M / c.step + 1.0f));
        kernel speed = make_kernel(SPEED_SIGMA_M / c.step, (int)(2.5f * SPEED_SIGMA_M / c.step + 1.0f));
        if (ami_path_has(path, ami_path_smooth)) {
            smooth(c.a, c.x, c.count, c.loop_first, &place);
            smooth(c.b, c.z, c.count, c.loop_first, &place);
            c.x = c.a;
            c.z = c.b;
        }
        smooth(c.c, c.v, c.count, c.loop_first, &speed);
        for (int i = 0; i < c.count; i++) {
            c.c[i] = am_clamp(c.c[i], path->limits.v_least, am_max(path->v_max, path->limits.v_least));
        }
        retime(&c, c.c, path, v_start);
    }
    return emit(room, &c, heading, err);
}

am_result ami_path_shape(ami_path_memory *room, float v_start, float least, float heading, am_error *err)
{
    return ami_path_has(room->head, ami_path_retime) ? shape_by_length(room, v_start, least, heading, err)
                                                     : shape_by_time(room, least, heading, err);
}
