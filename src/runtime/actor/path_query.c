// The target of a character on a path (LHMM section VI and appendix D): the character's point on the path and the
// points after it, no faster than v_max, extended to the vertex of a sharp corner.
#include "actor/path.h"

// The paper counts these in frames of 30 Hz.
#define WINDOW_S (10.0f / 30.0f) // beta; alpha is 0
#define PUSH_S (2.0f / 30.0f)    // c
#define SHARP_RAD (80.0f * AM_DEG)
// How far the target may get ahead of a body that does not follow.
#define LEAD_S 0.15f

float ami_path_along(const ami_path *path, const am_path_point *points, int i)
{
    int first = path->loop_first;
    if (i < path->count || first < 0) {
        return points[ami_path_index(path, i)].along;
    }
    int lap = path->count - first;
    float length = points[path->count - 1].along - points[first].along;
    int laps = (i - first) / lap;
    return points[ami_path_index(path, i)].along + length * (float)laps;
}

static am_vec3 place_at(const ami_path *path, const am_path_point *points, float i)
{
    float whole = floorf(i);
    const am_path_point *a = &points[ami_path_index(path, (int)whole)];
    const am_path_point *b = &points[ami_path_index(path, (int)whole + 1)];
    float part = i - whole;
    return am_v3(am_lerp(a->x, b->x, part), 0.0f, am_lerp(a->z, b->z, part));
}

static float heading_at(const ami_path *path, const am_path_point *points, float i)
{
    return points[ami_path_index(path, (int)(i + 0.5f))].heading;
}

static float turn_between(const ami_path *path, const am_path_point *points, float a, float b)
{
    return am_abs(am_wrap_angle(heading_at(path, points, b) - heading_at(path, points, a)));
}

/// The point nearest to a place among first..last; of equals the first.
static int nearest(const ami_path *path, const am_path_point *points, am_vec3 place, int first, int last)
{
    int best = first;
    float least = INFINITY;
    for (int i = first; i <= last; i++) {
        const am_path_point *p = &points[ami_path_index(path, i)];
        float x = p->x - place.x;
        float z = p->z - place.z;
        float away = x * x + z * z;
        if (away < least) {
            least = away;
            best = i;
        }
    }
    return best;
}

void ami_path_progress(const ami_path *path, const am_path_point *points, ami_path_context *context, am_vec3 place)
{
    int end = path->loop_first < 0 ? path->count - 1 : INT32_MAX - path->count;
    int last = context->at + (int)(WINDOW_S * path->fps + 0.5f);
    if (path->desired == AM_PATH_DESIRED_FRAME) {
        context->at = (int)am_min(context->clock, (float)end);
        return;
    }
    if (path->desired == AM_PATH_DESIRED_NEAREST) {
        context->at = nearest(path, points, place, 0, path->count - 1);
    } else {
        context->at = nearest(path, points, place, context->at, last < end ? last : end);
    }
    float most = ami_path_has(path, ami_path_lead) ? (float)context->at + LEAD_S * path->fps : (float)context->at;
    context->clock = am_clamp(context->clock, (float)context->at, most);
}

/// i_f for each time: as drawn, or as far as v_max leads in the longest time (VI-B).
static void future_indices(const ami_path *path, const am_path_point *points, float from, float *out,
                           const float *times, int count)
{
    float longest = times[count - 1];
    float reach = longest * path->fps;
    if (ami_path_has(path, ami_path_speed_limit)) {
        int first = (int)from;
        float most = ami_path_along(path, points, first) + path->v_max * longest;
        int low = 0;
        int high = (int)reach + 1;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (ami_path_along(path, points, first + middle) <= most) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        reach = am_min(reach, am_max((float)low, 1.0f));
    }
    for (int i = 0; i < count; i++) {
        out[i] = from + (longest > 0.0f ? times[i] / longest * reach : 0.0f);
    }
}

/// The interval that holds a sharp corner: from index J (0 is the character's point) to J + 1; -1 for none.
static int find_corner(const ami_path *path, const am_path_point *points, const float *index, int count)
{
    for (int j = 0; j + 1 < count; j++) {
        if (turn_between(path, points, index[j], index[j + 1]) > SHARP_RAD) {
            return j;
        }
    }
    return -1;
}

/// i_corner: the point just before the sharpest turn strictly between two indices.
static int corner_between(const ami_path *path, const am_path_point *points, float from, float to)
{
    int best = (int)from + 1;
    float most = -1.0f;
    for (int i = best; (float)i < to; i++) {
        float turn = turn_between(path, points, (float)i, (float)(i + 1));
        if (turn > most) {
            most = turn;
            best = i;
        }
    }
    return best;
}

/// Appendix D: targets beyond a sharp corner lie on the line to its vertex, so that the vertex is reached.
static void hold_corner(const ami_path *path, const am_path_point *points, am_query_point *out, const float *index,
                        int count, int corner, int j)
{
    am_vec3 base = out[j].position;
    am_vec3 vertex = place_at(path, points, (float)corner);
    float span = am_max((float)corner - index[j], 1.0f);
    float k = (index[j + 1] - index[j]) / span;
    am_vec3 moved = am_v3_add(base, am_v3_scale(am_v3_sub(vertex, base), k));
    am_vec3 shift = am_v3_sub(moved, out[j + 1].position);
    for (int i = j + 1; i < count; i++) {
        out[i].position = am_v3_add(out[i].position, shift);
    }
}

void ami_path_query(const ami_path_memory *room, ami_path_context *context, am_query_point *out, const float *times,
                    int count)
{
    const ami_path *path = room->head;
    const am_path_point *points = room->points;
    bool told = path->facing == AM_PATH_FACING_NET && room->facings;
    float index[AM_MAX_TRAJECTORY];
    bool corners = ami_path_has(path, ami_path_corners);
    float from = ami_path_has(path, ami_path_lead) ? context->clock : (float)context->at;
    future_indices(path, points, from, index, times, count);
    int j = corners ? find_corner(path, points, index, count) : -1;
    if (j >= 0 && context->at == context->before) {
        // Stuck in the corner: advance by c, once per query.
        context->at += (int)(PUSH_S * path->fps + 0.5f);
        context->at = path->loop_first < 0 && context->at > path->count - 1 ? path->count - 1 : context->at;
        context->clock = (float)context->at;
        future_indices(path, points, context->clock, index, times, count);
        j = find_corner(path, points, index, count);
    }
    for (int i = 0; i < count; i++) {
        float s, co;
        am_sincos(told ? ami_path_told(path, room->facings, index[i]) : heading_at(path, points, index[i]), &s, &co);
        out[i].time = times[i];
        out[i].position = place_at(path, points, index[i]);
        out[i].direction = am_v3(s, 0.0f, co);
        am_vec3 ahead = am_v3_sub(place_at(path, points, index[i] + 1.0f), out[i].position);
        out[i].velocity = am_v3_scale(ahead, path->fps);
    }
    context->corner = j >= 0 ? corner_between(path, points, index[j], index[j + 1]) : -1;
    if (j >= 0) {
        hold_corner(path, points, out, index, count, context->corner, j);
    }
}
