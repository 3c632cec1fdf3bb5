// What the answer to a push knows about a body: its mass, its centre of mass, and the ground that its feet enclose.
#include "actor/capture.h"

// As the physics library has it (Drillis and Contini 1966): legs are this share of the height.
#define LEGS_OF_HEIGHT 0.491f
#define KG_PER_M2 22.0f

/// A part of the body: its share of the mass, the joints that it lies between.
typedef struct part {
    float share;
    am_role from, to;
    float along;
} part;

static const part parts[] = {
    { 0.069f, AM_ROLE_HEAD, AM_ROLE_HEAD, 0.0f },
    { 0.217f, AM_ROLE_HIPS, AM_ROLE_LEFT_ARM, 0.5f },
    { 0.218f, AM_ROLE_HIPS, AM_ROLE_RIGHT_ARM, 0.5f },
    { 0.027f, AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, 0.5f },
    { 0.027f, AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM, 0.5f },
    { 0.022f, AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND, 0.7f },
    { 0.022f, AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND, 0.7f },
    { 0.142f, AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, 0.4f },
    { 0.142f, AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, 0.4f },
    { 0.043f, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, 0.45f },
    { 0.043f, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, 0.45f },
    { 0.014f, AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE, 0.5f },
    { 0.014f, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE, 0.5f },
};

bool ami_capture_has_legs(const am_roles *roles)
{
    static const am_role needed[] = { AM_ROLE_HIPS,      AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG,
                                      AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE,    AM_ROLE_RIGHT_UP_LEG,
                                      AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT,  AM_ROLE_RIGHT_TOE };
    bool has = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        has &= roles->joint[needed[i]] >= 0;
    }
    return has;
}

am_vec3 ami_centre_of_mass(const am_roles *roles, const am_transform *world)
{
    am_vec3 sum = am_v3_zero();
    float mass = 0.0f;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const part *p = &parts[i];
        int from = roles->joint[p->from], to = roles->joint[p->to];
        if (from >= 0 && to >= 0) {
            am_vec3 at = am_v3_lerp(world[from].translation, world[to].translation, p->along);
            sum = am_v3_add(sum, am_v3_scale(at, p->share));
            mass += p->share;
        }
    }
    return am_v3_scale(sum, 1.0f / mass); // the legs are there
}

float ami_body_mass(const am_skeleton *skeleton, const am_roles *roles)
{
    float leg = am_v3_length(skeleton->offsets[roles->joint[AM_ROLE_LEFT_LEG]]) +
                am_v3_length(skeleton->offsets[roles->joint[AM_ROLE_LEFT_FOOT]]);
    float height = am_max(leg, 0.1f) / LEGS_OF_HEIGHT;
    return KG_PER_M2 * height * height;
}

static am_vec3 on_segment(am_vec3 a, am_vec3 b, am_vec3 to)
{
    am_vec3 way = am_v3_ground(am_v3_sub(b, a));
    float t = am_v3_dot(am_v3_ground(am_v3_sub(to, a)), way) / am_max(am_v3_length2(way), 1e-12f);
    return am_v3_add(am_v3_ground(a), am_v3_scale(way, am_clamp(t, 0.0f, 1.0f)));
}

/// Twice the signed area of a triangle on the ground.
static float area(am_vec3 a, am_vec3 b, am_vec3 c) { return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x); }

static bool in_triangle(am_vec3 a, am_vec3 b, am_vec3 c, am_vec3 to)
{
    float u = area(a, b, to), v = area(b, c, to), w = area(c, a, to);
    return area(a, b, c) != 0.0f && ((u >= 0.0f && v >= 0.0f && w >= 0.0f) || (u <= 0.0f && v <= 0.0f && w <= 0.0f));
}

am_vec3 ami_hull_nearest(const am_vec3 *points, int count, am_vec3 to)
{
    am_vec3 nearest = am_v3_ground(points[0]);
    float least = am_v3_distance(nearest, am_v3_ground(to));
    // A hull of few points: inside one of its triangles, or nearest on one of the lines between them.
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            am_vec3 at = on_segment(points[a], points[b], to);
            float far = am_v3_distance(at, am_v3_ground(to));
            nearest = far < least ? at : nearest;
            least = am_min(least, far);
            for (int c = b + 1; c < count; c++) {
                if (in_triangle(points[a], points[b], points[c], to)) {
                    return am_v3_ground(to);
                }
            }
        }
    }
    return nearest;
}
