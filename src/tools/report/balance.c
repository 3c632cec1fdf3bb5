// Pushes: how far the feet slide, how many steps are taken, and when the body is in balance again. Balance is that of
// the inverted pendulum: the centre of mass, extrapolated by its velocity over the pendulum's frequency, lies over
// the feet (Hof, "The 'extrapolated center of mass' concept suggests a simple control of balance in walking", 2008).
#include "report/body.h"

#define GRAVITY 9.81f
#define WITHIN_S 2.0f
#define LEAVES_S 0.7f ///< a push throws the body out of balance within this time, or not at all
#define STAYS_S 0.2f
#define MARGIN_M 0.05f ///< a foot is wider and longer than the line from heel to toe joint
#define STRIDE_S 1.2f  ///< walking, the body leaves its feet in each stride: a push counts beyond that
#define OFF_M 0.01f    ///< a foot that rises by so much on its way up has left the ground
#define UP_M 0.02f
#define UP_S 0.15f
enum { directions = 36 };

/// A part of the body: its share of the mass (de Leva 1996, rounded), the points that it lies between.
typedef struct part {
    float share;
    int from, to; ///< am_point
    float along;
} part;

static const part parts[] = {
    { 0.069f, AM_POINT_HEAD, AM_POINT_HEAD, 0.0f },
    { 0.217f, AM_POINT_HIPS, AM_POINT_LEFT_ARM, 0.5f },
    { 0.218f, AM_POINT_HIPS, AM_POINT_RIGHT_ARM, 0.5f },
    { 0.027f, AM_POINT_LEFT_ARM, AM_POINT_LEFT_ELBOW, 0.5f },
    { 0.027f, AM_POINT_RIGHT_ARM, AM_POINT_RIGHT_ELBOW, 0.5f },
    { 0.022f, AM_POINT_LEFT_ELBOW, AM_POINT_LEFT_HAND, 0.7f },
    { 0.022f, AM_POINT_RIGHT_ELBOW, AM_POINT_RIGHT_HAND, 0.7f },
    { 0.142f, AM_POINT_LEFT_THIGH, AM_POINT_LEFT_KNEE, 0.4f },
    { 0.142f, AM_POINT_RIGHT_THIGH, AM_POINT_RIGHT_KNEE, 0.4f },
    { 0.043f, AM_POINT_LEFT_KNEE, AM_POINT_LEFT_ANKLE, 0.45f },
    { 0.043f, AM_POINT_RIGHT_KNEE, AM_POINT_RIGHT_ANKLE, 0.45f },
    { 0.014f, AM_POINT_LEFT_ANKLE, AM_POINT_LEFT_TOE, 0.5f },
    { 0.014f, AM_POINT_RIGHT_ANKLE, AM_POINT_RIGHT_TOE, 0.5f },
};

/// Parts that the rig lacks are left out.
static am_vec3 centre_of_mass(const am_motion *m, int frame)
{
    am_vec3 sum = am_v3_zero();
    float mass = 0.0f;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const part *p = &parts[i];
        if ((m->body.has >> p->from & m->body.has >> p->to & 1) != 0) {
            am_vec3 at = am_v3_lerp(ami_point(m, frame, p->from), ami_point(m, frame, p->to), p->along);
            sum = am_v3_add(sum, am_v3_scale(at, p->share));
            mass += p->share;
        }
    }
    return am_v3_scale(sum, 1.0f / mass);
}

/// The extrapolated centre of mass on the ground.
static am_vec3 extrapolated(const am_motion *m, int frame, am_vec3 velocity)
{
    int half = ami_frames(m, 0.05f);
    int from = frame - half < 0 ? 0 : frame - half;
    int to = frame + half >= m->frames ? m->frames - 1 : frame + half;
    am_vec3 now = centre_of_mass(m, frame);
    float dt = (float)(to - from) / m->fps;
    am_vec3 way = am_v3_sub(centre_of_mass(m, to), centre_of_mass(m, from));
    am_vec3 moves = dt > 0.0f ? am_v3_scale(way, 1.0f / dt) : am_v3_zero();
    float height = am_max(now.y - m->floor.toe_m, 0.1f);
    am_vec3 beyond = am_v3_scale(am_v3_sub(moves, velocity), sqrtf(height / GRAVITY));
    return am_v3_ground(am_v3_add(now, beyond));
}

/// How far a place lies outside the hull of the planted feet (both when none is), m.
static float outside(const am_motion *m, int frame, am_vec3 place)
{
    bool planted[2] = { ami_foot_planted(m, frame, 0), ami_foot_planted(m, frame, 1) };
    bool all = !planted[0] && !planted[1];
    float farthest = 0.0f;
    for (int i = 0; i < directions; i++) {
        float s, c;
        am_sincos(2.0f * AM_PI * (float)i / (float)directions, &s, &c);
        float edge = -INFINITY;
        for (int side = 0; side < 2; side++) {
            if (all || planted[side]) {
                am_vec3 toe = ami_point(m, frame, AM_POINT_LEFT_TOE + side);
                am_vec3 heel = ami_point(m, frame, AM_POINT_LEFT_HEEL + side);
                edge = am_max(edge, am_max(toe.x * s + toe.z * c, heel.x * s + heel.z * c));
            }
        }
        farthest = am_max(farthest, place.x * s + place.z * c - edge);
    }
    return farthest;
}

/// True when a foot that stood at height `base` is on its way up: it stays off the ground until it is well above it.
static bool lifts(const am_motion *m, int frame, int side, float base)
{
    int last = frame + ami_frames(m, UP_S);
    bool up = false;
    for (int f = frame; f <= last && f < m->frames && !up; f++) {
        float height = ami_foot_height(m, f, side) - base;
        if (height < OFF_M) {
            return false;
        }
        up = height > UP_M;
    }
    return up;
}

/// Way of a foot on the ground from when it is planted until it lifts. A foot that turns on its toe or heel does not
/// slide.
static float slide_of(const am_motion *m, int first, int last, int side)
{
    int f = first;
    while (f <= last && !ami_foot_planted(m, f, side)) {
        f++;
    }
    float farthest = 0.0f;
    float base = INFINITY;
    for (int begin = f; f <= last; f++) {
        base = am_min(base, ami_foot_height(m, f, side));
        if (lifts(m, f, side, base)) {
            break;
        }
        float way = INFINITY;
        for (int p = AM_POINT_LEFT_TOE; p <= AM_POINT_LEFT_HEEL; p += AM_POINT_LEFT_HEEL - AM_POINT_LEFT_TOE) {
            am_vec3 d = am_v3_sub(ami_point(m, f, p + side), ami_point(m, begin, p + side));
            way = am_min(way, am_v3_length(am_v3_ground(d)));
        }
        farthest = am_max(farthest, way);
    }
    return farthest;
}

/// A step stands on the other foot for half of its swing at least: feet that are dragged along together take none.
static bool is_step(const ami_walker *w, int side) { return 2 * w->supported[side] >= w->swing[side]; }

/// Landings after frame `first`. The step that a walk is taking then counts: where that foot lands is its answer
/// (Hof 2008), so feet are followed from a stride before on.
static int count_steps(const am_motion *m, int first, int last)
{
    const int needed = ami_frames(m, AMI_PLANTED_S);
    const int begin = first - ami_frames(m, STRIDE_S) < 0 ? 0 : first - ami_frames(m, STRIDE_S);
    ami_walker walker = { 0 };
    for (int side = 0; side < 2; side++) { // where the feet are is no landing
        walker.landed[side] = true;
        walker.place[side] = am_v3_ground(ami_point(m, begin, AM_POINT_LEFT_ANKLE + side));
        walker.planted[side] = ami_foot_planted(m, begin, side) ? needed : 0;
    }
    int steps = 0;
    for (int f = begin + 1; f <= last; f++) {
        int landed = ami_walker_step(&walker, m, f);
        if (f - needed + 1 > first) { // it came down after the push
            steps += (landed == 0 || landed == 2) && is_step(&walker, 0);
            steps += (landed == 1 || landed == 2) && is_step(&walker, 1);
        }
    }
    return steps;
}

am_balance am_balance_measure(const am_motion *m, float seconds, am_vec3 velocity)
{
    int first = ami_frame_at(m, seconds);
    int last = ami_frame_at(m, seconds + WITHIN_S);
    int leaves = ami_frame_at(m, seconds + LEAVES_S);
    am_balance out = { .slide_cm = 100.0f * am_max(slide_of(m, first, last, 0), slide_of(m, first, last, 1)) };
    float usual = MARGIN_M;
    for (int f = ami_frame_at(m, am_max(seconds - STRIDE_S, 0.0f)); f < first; f++) {
        usual = am_max(usual, outside(m, f, extrapolated(m, f, velocity)));
    }
    bool lost = false;
    int inside = 0;
    int back = -1;
    for (int f = first; f <= last && back < 0 && (lost || f <= leaves); f++) {
        float beyond = am_max(outside(m, f, extrapolated(m, f, velocity)) - usual, 0.0f);
        out.beyond_cm = am_max(out.beyond_cm, 100.0f * beyond);
        lost = lost || beyond > 0.0f;
        inside = beyond > 0.0f ? 0 : inside + 1;
        back = lost && inside >= ami_frames(m, STAYS_S) ? f - inside + 1 : -1;
    }
    out.balance_s = !lost ? 0.0f : back < 0 ? INFINITY : (float)(back - first) / m->fps;
    out.steps = count_steps(m, first, back < 0 ? last : back + ami_frames(m, STAYS_S));
    return out;
}
