// How well a track follows a drawn path, in both directions: track against path, and path against track, so that
// shortcuts do not pay.
#include "report/metrics_parts.h"

#define END_RADIUS_M 0.3
// How far ahead along the path the progress looks: further than a frame goes, nearer than the next crossing.
#define AHEAD_M 1.0
#define LAST_PART 0.9

typedef struct flat {
    double x, z;
} flat;

static flat flat_of(am_vec3 v)
{
    flat p = { (double)v.x, (double)v.z };
    return p;
}

static double distance(flat a, flat b)
{
    double x = a.x - b.x;
    double z = a.z - b.z;
    return sqrt(x * x + z * z);
}

/// The part (0 to 1) of the stretch from a to b that is nearest to p, and how far that is.
static double nearest_part(flat a, flat b, flat p, double *far)
{
    double x = b.x - a.x;
    double z = b.z - a.z;
    double length2 = x * x + z * z;
    double part = length2 > 0.0 ? ((p.x - a.x) * x + (p.z - a.z) * z) / length2 : 0.0;
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    flat on = { a.x + part * x, a.z + part * z };
    *far = distance(on, p);
    return part;
}

double ami_polyline_distance(const am_vec3 *points, int count, am_vec3 place)
{
    flat p = flat_of(place);
    double best = count > 0 ? distance(flat_of(points[0]), p) : (double)INFINITY;
    for (int i = 0; i + 1 < count; i++) {
        double far;
        nearest_part(flat_of(points[i]), flat_of(points[i + 1]), p, &far);
        best = far < best ? far : best;
    }
    return best;
}

static double length_of(const am_polyline *path)
{
    double length = 0.0;
    for (int i = 0; i + 1 < path->count; i++) {
        length += distance(flat_of(path->points[i]), flat_of(path->points[i + 1]));
    }
    return length;
}

/// The distance along the path of its point nearest to p, between `from` and AHEAD_M beyond it.
static double advance(const am_polyline *path, double from, flat p)
{
    double along = 0.0;
    double best = (double)INFINITY;
    double reached = from;
    for (int i = 0; i + 1 < path->count && along <= from + AHEAD_M; i++) {
        flat a = flat_of(path->points[i]);
        flat b = flat_of(path->points[i + 1]);
        double length = distance(a, b);
        double far;
        double way = along + nearest_part(a, b, p, &far) * length;
        if (along + length >= from && far < best && way >= from) {
            best = far;
            reached = way <= from + AHEAD_M ? way : from + AHEAD_M;
        }
        along += length;
    }
    return reached;
}

/// The frame at which the end is reached, or the last one; *completed says which.
static int last_frame(const am_track *track, const am_polyline *path, double length, bool *completed)
{
    double radius = path->end_radius_m > 0.0f ? (double)path->end_radius_m : END_RADIUS_M;
    double along = 0.0;
    flat end = flat_of(path->points[path->count - 1]);
    for (int f = 0; f < track->count; f++) {
        flat p = flat_of(track->places[f]);
        along = advance(path, along, p);
        if (along >= LAST_PART * length && distance(p, end) <= radius) {
            *completed = true;
            return f;
        }
    }
    *completed = false;
    return track->count - 1;
}

am_path_metrics am_path_measure(const am_track *track, const am_polyline *path)
{
    am_path_metrics out = { 0 };
    if (track->count < 1 || path->count < 1) {
        return out;
    }
    double length = length_of(path);
    int last = last_frame(track, path, length, &out.path_completed);
    for (int f = 0; f <= last; f++) {
        out.path_error_m += ami_polyline_distance(path->points, path->count, track->places[f]) / (last + 1);
    }
    for (int i = 0; i < path->count; i++) {
        // The whole track: a character that comes closer after it reached the end has still been there.
        double far = ami_polyline_distance(track->places, track->count, path->points[i]);
        out.path_cover_m += far / path->count;
        out.path_cover_max_m = far > out.path_cover_max_m ? far : out.path_cover_max_m;
    }
    double fastest = path->v_max > 0.0f ? length / (double)path->v_max : 0.0;
    double wanted = (double)path->duration_s > fastest ? (double)path->duration_s : fastest;
    out.path_s = (double)last * (double)track->dt;
    out.path_time_ratio = wanted > 0.0 ? out.path_s / wanted : 0.0;
    out.path_end_m = distance(flat_of(track->places[track->count - 1]), flat_of(path->points[path->count - 1]));
    return out;
}

/// Distance of p from the line, to the left above 0.
static double signed_distance(const am_polyline *path, flat p)
{
    double best = (double)INFINITY;
    double side = 1.0;
    for (int i = 0; i + 1 < path->count; i++) {
        flat a = flat_of(path->points[i]);
        flat b = flat_of(path->points[i + 1]);
        double far;
        nearest_part(a, b, p, &far);
        if (far < best) {
            best = far;
            side = (b.z - a.z) * (p.x - a.x) - (b.x - a.x) * (p.z - a.z) >= 0.0 ? 1.0 : -1.0;
        }
    }
    return best * side;
}

double ami_path_oscillation(const am_track *track, const am_polyline *path)
{
    if (track->count < 1 || path->count < 2 || !(track->dt > 0.0f)) {
        return 0.0;
    }
    bool completed;
    int last = last_frame(track, path, length_of(path), &completed);
    int half = (int)(0.25f / track->dt + 0.5f);
    double mean = 0.0;
    double squares = 0.0;
    int count = 0;
    for (int f = half; f + half <= last; f++) {
        // The middle of half a second of places; its distance is that of the smoothed track.
        flat middle = { 0.0, 0.0 };
        for (int d = -half; d <= half; d++) {
            middle.x += (double)track->places[f + d].x / (2 * half + 1);
            middle.z += (double)track->places[f + d].z / (2 * half + 1);
        }
        double far = signed_distance(path, middle);
        mean += far;
        squares += far * far;
        count++;
    }
    if (count == 0) {
        return 0.0;
    }
    mean /= count;
    double variance = squares / count - mean * mean;
    return variance > 0.0 ? sqrt(variance) : 0.0;
}
