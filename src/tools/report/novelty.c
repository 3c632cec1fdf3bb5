// Novelty: the nearest captured window of each moment. Exact: a lower bound of every distance, along the principal
// axes of the captured windows and by the length of what those leave, says which windows are looked at in full.
#include "report/reference.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/filter.h"
#include "base/rng.h"

#include <string.h>

enum {
    axes = ami_window_axes,
    lanes = ami_window_lanes,
    floats = ami_window_floats,
    middle = AM_NOVELTY_SAMPLES / 2
};
// Windows that the axes are found from, and rounds: more change the speed of a search by little and its result never.
enum { most_training = 1000, rounds = 4, most_windows = 4096 };
#define STRIDE_S (1.0f / 30.0f) ///< between captured windows
#define ROUNDING 0.999f         ///< what a bound computed in floats may be too high by, and more

static float reach(float fps) { return (float)middle * AM_NOVELTY_EVERY_S * fps; }

static int window_stride(float fps)
{
    int stride = (int)(STRIDE_S * fps + 0.5f);
    return stride > 0 ? stride : 1;
}

static int first_middle(float fps) { return (int)ceilf(reach(fps) - 1e-3f); }

int ami_windows_in(int frames, float fps)
{
    int room = frames - 2 * first_middle(fps);
    int stride = window_stride(fps);
    return room > 0 ? (room + stride - 1) / stride : 0;
}

// ---------------------------------------------------------------------------------------------
// Windows

/// One sample: the points between two frames.
static void sample_points(am_vec3 *out, const am_motion *m, float frame)
{
    int f = (int)frame;
    float t = frame - (float)f;
    if (t < 1e-3f || f + 1 >= m->frames) {
        memcpy(out, m->points + (size_t)f * AM_POINT_COUNT, AM_POINT_COUNT * sizeof *out);
        return;
    }
    for (int p = 0; p < AM_POINT_COUNT; p++) {
        out[p] = am_v3_lerp(ami_point(m, f, p), ami_point(m, f + 1, p), t);
    }
}

/// What a window is relative to.
typedef struct ground_root {
    am_vec3 place, forward;
    float floor, scale;
} ground_root;

static ground_root root_at(const am_motion *m, float frame, uint32_t has, float scale)
{
    am_vec3 points[AM_POINT_COUNT];
    sample_points(points, m, frame);
    ground_root root = { points[AM_POINT_HIPS], ami_facing(points, has), m->floor.toe_m, scale };
    return root;
}

/// A sample of a window: out(AM_POINT_NOVELTY * 3), left, up, forward of each point; 0 for those that are left out.
static void take_sample(float *out, const am_motion *m, float frame, const ground_root *root, uint32_t has)
{
    am_vec3 points[AM_POINT_COUNT];
    sample_points(points, m, frame);
    am_vec3 z = root->forward;
    for (int p = 0; p < AM_POINT_NOVELTY; p++) {
        float there = (has >> p & 1) != 0 ? root->scale : 0.0f;
        am_vec3 d = am_v3_sub(points[p], root->place);
        out[3 * p] = there * (d.x * z.z - d.z * z.x);
        out[3 * p + 1] = there * (points[p].y - root->floor);
        out[3 * p + 2] = there * (d.x * z.x + d.z * z.z);
    }
}

static float sample_frame(const am_motion *m, float centre, int sample)
{
    float frame = centre + (float)(sample - middle) * AM_NOVELTY_EVERY_S * m->fps;
    return am_clamp(frame, 0.0f, (float)(m->frames - 1));
}

static void take_window(float *out, const am_motion *m, float centre, uint32_t has, float scale)
{
    ground_root root = root_at(m, centre, has, scale);
    for (int s = 0; s < AM_NOVELTY_SAMPLES; s++) {
        take_sample(out + s * AM_POINT_NOVELTY * 3, m, sample_frame(m, centre, s), &root, has);
    }
}

/// Left for right.
static void mirror_window(float *out, const float *in)
{
    for (int i = 0; i < AM_NOVELTY_SAMPLES * AM_POINT_NOVELTY; i++) {
        int p = i % AM_POINT_NOVELTY;
        int from = p < AM_POINT_LEFT_THIGH ? i : (p & 1) == 0 ? i + 1 : i - 1;
        out[3 * i] = -in[3 * from];
        out[3 * i + 1] = in[3 * from + 1];
        out[3 * i + 2] = in[3 * from + 2];
    }
}

/// Squared distance of a window from a captured one, or some number above `limit`.
static float exact_distance(const am_reference *r, const float *window, ami_window_place place, float limit)
{
    am_motion clip = ami_reference_clip(r, place.clip);
    ground_root root = root_at(&clip, (float)place.frame, r->has, 1.0f);
    float sum = 0.0f;
    for (int s = 0; s < AM_NOVELTY_SAMPLES && sum <= limit; s++) {
        float sample[AM_POINT_NOVELTY * 3];
        take_sample(sample, &clip, sample_frame(&clip, (float)place.frame, s), &root, r->has);
        const float *asked = window + s * AM_POINT_NOVELTY * 3;
        for (int i = 0; i < AM_POINT_NOVELTY * 3; i++) {
            sum += (asked[i] - sample[i]) * (asked[i] - sample[i]);
        }
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// The index

/// Makes the columns of axes[floats][axes] orthonormal, one after another.
static void orthonormalise(float *v)
{
    for (int a = 0; a < axes; a++) {
        for (int b = 0; b < a; b++) {
            double dot = 0.0;
            for (int i = 0; i < floats; i++) {
                dot += (double)v[i * axes + a] * (double)v[i * axes + b];
            }
            for (int i = 0; i < floats; i++) {
                v[i * axes + a] -= (float)dot * v[i * axes + b];
            }
        }
        double square = 0.0;
        for (int i = 0; i < floats; i++) {
            square += (double)v[i * axes + a] * (double)v[i * axes + a];
        }
        // Without a direction left the axis is 0: it then adds nothing to a bound.
        float scale = square > 1e-12 ? (float)(1.0 / sqrt(square)) : 0.0f;
        for (int i = 0; i < floats; i++) {
            v[i * axes + a] *= scale;
        }
    }
}

static void project(float *out, const float *window, const float *v)
{
    memset(out, 0, axes * sizeof *out);
    for (int i = 0; i < floats; i++) {
        for (int a = 0; a < axes; a++) {
            out[a] += window[i] * v[i * axes + a];
        }
    }
}

static void centre_window(float *out, const am_reference *r, int window)
{
    ami_window_place place = r->index.places[window];
    am_motion clip = ami_reference_clip(r, place.clip);
    take_window(out, &clip, (float)place.frame, r->has, 1.0f);
    for (int i = 0; i < floats; i++) {
        out[i] -= r->index.mean[i];
    }
}

/// Principal axes by power iteration on a sample of windows(training): any orthonormal axes would be right, these are
/// quick.
static void find_axes(am_reference *r, float *windows, float *next, int training)
{
    ami_window_index *x = &r->index;
    for (int t = 0; t < training; t++) {
        centre_window(windows + (size_t)t * floats, r, (int)((int64_t)t * x->count / training));
    }
    for (int t = 0; t < training; t++) {
        for (int i = 0; i < floats; i++) {
            x->mean[i] += windows[(size_t)t * floats + (size_t)i] / (float)training;
        }
    }
    for (int t = 0; t < training; t++) {
        for (int i = 0; i < floats; i++) {
            windows[(size_t)t * floats + (size_t)i] -= x->mean[i];
        }
    }
    am_rng rng = ami_rng_make(1);
    for (int i = 0; i < floats * axes; i++) {
        x->axes[i] = am_rng_float(&rng) - 0.5f;
    }
    orthonormalise(x->axes);
    for (int round = 0; round < rounds; round++) {
        memset(next, 0, (size_t)floats * axes * sizeof *next);
        for (int t = 0; t < training; t++) {
            const float *window = windows + (size_t)t * floats;
            float along[axes];
            project(along, window, x->axes);
            for (int i = 0; i < floats; i++) {
                for (int a = 0; a < axes; a++) {
                    next[i * axes + a] += window[i] * along[a];
                }
            }
        }
        memcpy(x->axes, next, (size_t)floats * axes * sizeof *next);
        orthonormalise(x->axes);
    }
}

/// row(axes + 1) of a window without its mean.
static void make_row(float *row, const float *window, const float *v)
{
    project(row, window, v);
    double rest = 0.0;
    for (int i = 0; i < floats; i++) {
        rest += (double)window[i] * (double)window[i];
    }
    for (int a = 0; a < axes; a++) {
        rest -= (double)row[a] * (double)row[a];
    }
    row[axes] = rest > 0.0 ? (float)sqrt(rest) : 0.0f;
}

am_result ami_window_index_fill(am_reference *r, am_error *err)
{
    ami_window_index *x = &r->index;
    int at = 0;
    for (int c = 0; c < r->clip_count; c++) {
        for (int i = 0; i < ami_windows_in(r->clips[c].frames, r->fps); i++) {
            int frame = first_middle(r->fps) + i * window_stride(r->fps);
            x->places[at++] = (ami_window_place){ c, frame };
        }
    }
    if (x->count == 0) {
        return AM_OK;
    }
    int training = x->count < most_training ? x->count : most_training;
    size_t room = ((size_t)training + axes) * floats;
    float *scratch = ami_alloc_array(&r->alloc, room, sizeof *scratch);
    if (!scratch) {
        return ami_fail_memory(err, room * sizeof *scratch);
    }
    find_axes(r, scratch, scratch + (size_t)training * floats, training);
    for (int w = 0; w < x->block_count * lanes; w++) {
        float window[floats];
        float row[axes + 1];
        centre_window(window, r, w < x->count ? w : x->count - 1); // the last block is filled up
        make_row(row, window, x->axes);
        float *block = x->rows + (size_t)(w / lanes) * (axes + 1) * lanes;
        for (int a = 0; a <= axes; a++) {
            block[a * lanes + w % lanes] = row[a];
        }
    }
    ami_release(&r->alloc, scratch, room * sizeof *scratch);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Search

static bool skipped(const am_reference *r, int window)
{
    return r->clips[r->index.places[window].clip].source == r->skipped;
}

/// bounds of all captured windows.
static void find_bounds(am_reference *r, const float *window)
{
    ami_window_index *x = &r->index;
    float centred[floats];
    float row[axes + 1];
    for (int i = 0; i < floats; i++) {
        centred[i] = window[i] - x->mean[i];
    }
    make_row(row, centred, x->axes);
    for (int b = 0; b < x->block_count; b++) {
        const float *block = x->rows + (size_t)b * (axes + 1) * lanes;
        float sum[lanes] = { 0 };
        for (int a = 0; a <= axes; a++) {
            for (int l = 0; l < lanes; l++) {
                float d = row[a] - block[a * lanes + l];
                sum[l] += d * d;
            }
        }
        for (int l = 0; l < lanes; l++) {
            x->bounds[b * lanes + l] = ROUNDING * sum[l];
        }
    }
}

/// The least squared distance below `best`, or `best`.
static float search(am_reference *r, const float *window, float best, bool linear)
{
    const ami_window_index *x = &r->index;
    int lowest = -1; // the best guess comes first
    if (!linear) {
        find_bounds(r, window);
        for (int w = 0; w < x->count; w++) {
            lowest = (lowest < 0 || x->bounds[w] < x->bounds[lowest]) && !skipped(r, w) ? w : lowest;
        }
    }
    if (lowest >= 0) {
        best = am_min(best, exact_distance(r, window, x->places[lowest], best));
    }
    for (int w = 0; w < x->count; w++) {
        if ((linear || x->bounds[w] < best) && !skipped(r, w)) {
            best = am_min(best, exact_distance(r, window, x->places[w], best));
        }
    }
    return best;
}

float ami_novelty_at(am_reference *r, const am_motion *m, float seconds, bool linear)
{
    float centre = seconds * m->fps;
    float margin = reach(m->fps) - 1e-3f * m->fps;
    if (r->index.count == 0 || !am_motion_usable(m) || centre < margin || centre + margin > (float)(m->frames - 1)) {
        return -1.0f;
    }
    float window[floats];
    float mirrored[floats];
    take_window(window, m, centre, r->has, r->body.leg_m / m->body.leg_m);
    mirror_window(mirrored, window);
    float best = search(r, window, INFINITY, linear);
    best = search(r, mirrored, best, linear);
    int points = 0;
    for (int p = 0; p < AM_POINT_NOVELTY; p++) {
        points += (int)(r->has >> p & 1);
    }
    return 100.0f * sqrtf(best / (float)(points * AM_NOVELTY_SAMPLES));
}

am_novelty am_novelty_measure(am_reference *r, const am_motion *m)
{
    am_novelty out = { 0 };
    float values[most_windows];
    float seconds = (float)(m->frames - 1) / m->fps;
    float every = AM_NOVELTY_EVERY_S;
    while (seconds / every > (float)(most_windows - 1)) {
        every += AM_NOVELTY_EVERY_S; // of runs beyond seven minutes not every window
    }
    for (int i = 0; out.windows < most_windows; i++) {
        float t = (float)middle * AM_NOVELTY_EVERY_S + (float)i * every;
        float value = ami_novelty_at(r, m, t, false);
        if (value < 0.0f) {
            break;
        }
        out.max_s = value > out.max_cm ? t : out.max_s;
        out.max_cm = am_max(out.max_cm, value);
        values[out.windows++] = value;
    }
    if (out.windows > 0) {
        ami_sort_floats(values, out.windows);
        out.median_cm = ami_quantile(values, out.windows, 0.5f);
        out.p95_cm = ami_quantile(values, out.windows, 0.95f);
    }
    return out;
}
