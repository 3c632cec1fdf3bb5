// A drawing becomes a path in the world: checked, moved or joined to where the character stands (LHMM VII), turned
// into laps (Responsive 3.4.2), bent around obstacles.
#include "actor/path.h"

#include "base/error.h"

// A start nearer than this needs no approach.
#define JOIN_M 0.15f
// A drawing whose first second is slower than this sets no pace; the approach to it is walked at this speed.
#define STILL_MPS 0.05f
#define APPROACH_MPS 1.2f
// Coordinates and times beyond these are mistakes.
#define FARTHEST_M 1e5f
#define LONGEST_S 1e5f
// Room that a path needs besides its points, for arcs and ends.
#define SPARE 64
// How far a bent path keeps from an obstacle: half a body.
#define BODY_M 0.25f
// Points of a whole circle around an obstacle.
#define CIRCLE 32

am_path_method ami_path_method_default(void)
{
    am_path_method method = { .smooth = true,
                              .speed_limit = true,
                              .retime = true,
                              .lead = true,
                              .steer = true,
                              .plant = true,
                              .weigh = true,
                              .recover = true,
                              .guard = true,
                              .squares = true };
    return method;
}

am_path_method ami_path_method_paper(void)
{
    am_path_method method = { .smooth = true, .speed_limit = true, .corners = true };
    return method;
}

void am_path_def_init(am_path_def *def)
{
    *def = (am_path_def){ .scale = 1.0f, .method = ami_path_method_default(), .cookie = AM_COOKIE };
}

static am_result check_samples(const am_path_def *def, am_error *err)
{
    float before = 0.0f;
    for (int i = 0; i < def->count; i++) {
        am_path_sample s = def->samples[i];
        if (!((s.t + s.x + s.z) * 0.0f == 0.0f) || am_abs(s.x) > FARTHEST_M || am_abs(s.z) > FARTHEST_M ||
            am_abs(s.t) > LONGEST_S) {
            return ami_fail(err, AM_ERR_RANGE, "path point %d is not finite or too far away; give [time s, x m, z m]",
                            i);
        }
        if (i > 0 && s.t < before) {
            return ami_fail(err, AM_ERR_RANGE, "path point %d is at %g s, earlier than the previous point (%g s)", i,
                            (double)s.t, (double)before);
        }
        before = s.t;
    }
    return AM_OK;
}

am_result ami_path_check(const am_path_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || (def->count > 0 && !def->samples) || def->count < 0 ||
        (def->obstacle_count > 0 && !def->obstacles) || def->obstacle_count < 0) {
        return ami_fail(err, AM_ERR_DEF, "initialise the path def with am_path_def_init()");
    }
    if (def->count == 0) {
        return ami_fail(err, AM_ERR_RANGE, "a path needs at least one point");
    }
    if (!(def->scale >= 0.01f && def->scale <= 100.0f) || !(def->v_max >= 0.0f && def->v_max <= 50.0f)) {
        return ami_fail(err, AM_ERR_RANGE, "a path's scale must be from 0.01 to 100, its v_max from 0 to 50");
    }
    if (def->obstacle_count > AM_MAX_PATH_OBSTACLES) {
        return ami_fail(err, AM_ERR_LIMIT, "%d obstacles; at most %d", def->obstacle_count, AM_MAX_PATH_OBSTACLES);
    }
    for (int i = 0; i < def->obstacle_count; i++) {
        am_path_obstacle o = def->obstacles[i];
        if (!((o.x + o.z) * 0.0f == 0.0f) || !(o.radius >= 0.0f && o.radius < 1e3f)) {
            return ami_fail(err, AM_ERR_RANGE, "obstacle %d is not finite; give [x m, z m, radius m]", i);
        }
    }
    return check_samples(def, err);
}

static am_vec3 place_of(am_path_sample s) { return am_v3(s.x, 0.0f, s.z); }
static am_vec3 laid_place(ami_laid s) { return am_v3(s.x, 0.0f, s.z); }

static float length_of(const am_path_def *def)
{
    float length = 0.0f;
    for (int i = 1; i < def->count; i++) {
        length += am_v3_distance(place_of(def->samples[i - 1]), place_of(def->samples[i]));
    }
    return length;
}

/// Speed of the first second of a drawing as it is played; 0 where that says nothing.
static float first_speed(const am_path_def *def)
{
    float way = 0.0f;
    float time = 0.0f;
    for (int i = 1; i < def->count && time < 1.0f; i++) {
        float next = (def->samples[i].t - def->samples[0].t) / def->scale;
        float part = next > 1.0f ? (1.0f - time) / (next - time) : 1.0f; // the second may end between two samples
        way += part * am_v3_distance(place_of(def->samples[i - 1]), place_of(def->samples[i]));
        time = am_min(next, 1.0f);
    }
    return time > 0.0f ? way / time : way > 0.0f ? 1e3f : 0.0f;
}

int am_path_room(const am_path_def *def, float away_m, float fps)
{
    const float slowest = 0.4f; // ami_path_limits.v_least is no slower
    if (def->count < 1) {
        return SPARE;
    }
    double seconds = (double)(def->samples[def->count - 1].t - def->samples[0].t) / (double)def->scale;
    float approach = def->method.retime ? slowest : am_clamp(first_speed(def), STILL_MPS, slowest);
    double going = (double)(length_of(def) + away_m) / (double)slowest;
    double around = (double)def->obstacle_count * 20.0;
    double points = ((seconds > going ? seconds : going) + (double)(away_m / approach) + around) * (double)fps;
    points = (points * (def->loop ? 2.2 : 1.0)) + 2.0 * def->count;
    points += SPARE + def->obstacle_count * (CIRCLE + 4) * (def->loop ? 2 : 1);
    return points < 1e8 ? (int)points : 100000000;
}

// ---------------------------------------------------------------------------------------------
// Laying

typedef struct layer {
    ami_path_memory *room;
    int count;
    float t;
    bool full;
} layer;

static void add(layer *l, float t, am_vec3 place)
{
    if (l->count >= l->room->room) {
        l->full = true;
        return;
    }
    l->room->laid[l->count++] = (ami_laid){ .t = t, .x = place.x, .z = place.z };
    l->t = t;
}

/// Speed of the straight approach: the average of the drawing's first second (LHMM VII); a retimed path keeps it
/// within the data's. A drawing that stands still for a second says nothing.
static float approach_speed(const am_path_def *def, const ami_path_limits *limits)
{
    float speed = first_speed(def);
    speed = speed > STILL_MPS ? speed : APPROACH_MPS;
    return def->method.retime ? am_clamp(speed, limits->v_least, limits->v_max) : speed;
}

/// The straight approach to the start, at the average speed of the drawing's first second (LHMM VII).
static void join(layer *l, const am_path_def *def, am_vec3 from, am_vec3 to)
{
    const ami_path_limits *limits = &l->room->head->limits;
    float away = am_v3_distance(from, to);
    if (away > JOIN_M) {
        add(l, 0.0f, from);
        l->t = away / approach_speed(def, limits);
    }
}

/// A lap from sample `first` back to itself. The stretch from the end back to the beginning takes as long as the same
/// length elsewhere.
static void lay_lap(layer *l, const am_path_def *def, int first, am_vec3 offset, bool closes)
{
    float duration = (def->samples[def->count - 1].t - def->samples[0].t) / def->scale;
    float length = length_of(def);
    float back = am_v3_distance(place_of(def->samples[def->count - 1]), place_of(def->samples[0]));
    float back_s = length > 0.0f ? duration * back / length : 0.0f;
    float begin = l->t;
    float zero = def->samples[first].t;
    for (int i = 0; i <= def->count - (closes ? 0 : 1); i++) {
        bool round = first + i >= def->count;
        int at = round ? first + i - def->count : first + i;
        float t = (def->samples[at].t - zero) / def->scale + (round ? duration + back_s : 0.0f);
        add(l, begin + t, am_v3_add(place_of(def->samples[at]), offset));
    }
}

// ---------------------------------------------------------------------------------------------
// Obstacles

typedef struct circle {
    am_vec3 centre;
    float radius;
} circle;

static circle circle_of(am_path_obstacle o) { return (circle){ am_v3(o.x, 0.0f, o.z), o.radius + BODY_M }; }

static bool inside(circle c, am_vec3 p) { return am_v3_distance(c.centre, p) < c.radius; }

static bool in_obstacle(const am_path_def *def, am_vec3 p)
{
    bool in = false;
    for (int i = 0; i < def->obstacle_count; i++) {
        in |= inside(circle_of(def->obstacles[i]), p);
    }
    return in;
}

/// Where a lap begins: the sample nearest to a place that lies in no obstacle, so that a bent lap closes; -1 when
/// all do.
static int lap_begin(const am_path_def *def, am_vec3 place, am_vec3 offset)
{
    int best = -1;
    float nearest = INFINITY;
    for (int i = 0; i < def->count; i++) {
        am_vec3 sample = am_v3_add(place_of(def->samples[i]), offset);
        float away = am_v3_distance(sample, place);
        if (away < nearest && !in_obstacle(def, sample)) {
            nearest = away;
            best = i;
        }
    }
    return best;
}

/// Where the line from a to b crosses the circle: the first time (entering) or the last.
static float crossing(circle c, am_vec3 a, am_vec3 b, bool entering)
{
    am_vec3 d = am_v3_sub(b, a);
    am_vec3 m = am_v3_sub(a, c.centre);
    float dd = am_v3_dot(d, d);
    float md = am_v3_dot(m, d);
    float root = md * md - dd * (am_v3_dot(m, m) - c.radius * c.radius);
    if (!(root > 0.0f) || !(dd > 0.0f)) {
        return -1.0f;
    }
    return (-md + (entering ? -sqrtf(root) : sqrtf(root))) / dd;
}

/// Around the circle from a to b on the shorter side.
static void add_arc(layer *l, circle c, am_vec3 a, am_vec3 b, float t0, float t1)
{
    am_vec3 u = am_v3_sub(a, c.centre);
    am_vec3 v = am_v3_sub(b, c.centre);
    float from = am_atan2(u.x, u.z);
    float turn = am_wrap_angle(am_atan2(v.x, v.z) - from);
    int steps = (int)(am_abs(turn) / AM_PI * (CIRCLE / 2.0f)) + 1;
    for (int i = 0; i <= steps; i++) {
        float part = (float)i / (float)steps;
        float s, co;
        am_sincos(from + turn * part, &s, &co);
        add(l, am_lerp(t0, t1, part), am_v3_add(c.centre, am_v3_scale(am_v3(s, 0.0f, co), c.radius)));
    }
}

/// The point on the rim nearest to a point inside.
static am_vec3 push_out(circle c, am_vec3 p)
{
    am_vec3 way = am_v3_normalize_or(am_v3_sub(p, c.centre), am_v3(0.0f, 0.0f, 1.0f));
    return am_v3_add(c.centre, am_v3_scale(way, c.radius));
}

/// Lays was(count), bent around one circle. A stretch inside becomes an arc; a path that would begin or end inside
/// does so on the rim.
static void bend(layer *l, circle c, const ami_laid *was, int count)
{
    bool in = inside(c, laid_place(was[0]));
    am_vec3 entry = in ? push_out(c, laid_place(was[0])) : am_v3_zero();
    float entry_t = was[0].t;
    if (!in) {
        add(l, was[0].t, laid_place(was[0]));
    }
    for (int i = 1; i < count; i++) {
        am_vec3 a = laid_place(was[i - 1]);
        am_vec3 b = laid_place(was[i]);
        float enter = crossing(c, a, b, true);
        float leave = crossing(c, a, b, false);
        if (!in && enter >= 0.0f && enter <= 1.0f) {
            in = true;
            entry = am_v3_lerp(a, b, enter);
            entry_t = am_lerp(was[i - 1].t, was[i].t, enter);
        }
        if (in && leave >= 0.0f && leave <= 1.0f) {
            in = false;
            add_arc(l, c, entry, am_v3_lerp(a, b, leave), entry_t, am_lerp(was[i - 1].t, was[i].t, leave));
        }
        if (!in) {
            add(l, was[i].t, b);
        }
    }
    if (in) {
        add_arc(l, c, entry, push_out(c, laid_place(was[count - 1])), entry_t, was[count - 1].t);
    }
}

/// Bends what was laid from sample `from` on.
static void bend_all(layer *l, const am_path_def *def, int from)
{
    ami_laid *copy = (ami_laid *)(void *)l->room->scratch;
    for (int i = 0; i < def->obstacle_count; i++) {
        int count = l->count - from;
        for (int s = 0; s < count; s++) {
            copy[s] = l->room->laid[from + s];
        }
        l->count = from;
        bend(l, circle_of(def->obstacles[i]), copy, count);
    }
}

am_result ami_path_lay(ami_path_memory *room, const am_path_def *def, am_vec3 from, am_error *err)
{
    ami_path *path = room->head;
    layer l = { room, 0, 0.0f, false };
    am_vec3 offset = am_v3_zero();
    path->loop_first = path->laid_loop = -1;
    if (def->mode == AM_PATH_LOCAL) {
        offset = am_v3_sub(am_v3_ground(from), place_of(def->samples[0]));
    }
    int first = def->loop ? lap_begin(def, from, offset) : 0;
    if (first < 0) {
        return ami_fail(err, AM_ERR_RANGE, "the obstacles cover the whole lap; leave a point of it free");
    }
    join(&l, def, from, am_v3_add(place_of(def->samples[first]), offset));
    lay_lap(&l, def, first, offset, def->loop);
    bend_all(&l, def, 0);
    if (def->loop) {
        path->laid_loop = l.count - 1;
        lay_lap(&l, def, first, offset, true);
        bend_all(&l, def, path->laid_loop + 1);
    }
    path->laid_count = l.count;
    path->drawn_first = am_v3_add(place_of(def->samples[0]), offset);
    path->drawn_offset = offset;
    if (l.full) {
        return ami_fail(err, AM_ERR_LIMIT, "the path has more points than the character has room for (%d)",
                        room->room);
    }
    return AM_OK;
}
