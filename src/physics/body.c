// Makes the parts of a body from a skeleton: which joints move together, the length and mass of each part, and the
// stiffness of its joint.
#include "physics/body.h"

#include "base/error.h"

// Density of water: people barely float.
#define DENSITY_KG_M3 1000.0f
// Body mass for a height: the middle of the normal weight range.
#define KG_PER_M2 22.0f
// Thigh and shank together in body heights (Drillis and Contini 1966: 0.245 + 0.246).
#define LEG_HEIGHTS 0.491f
#define SHORTEST_M 0.02f
// The springs were chosen for a body of this mass and height.
#define USUAL_KG 67.0f
#define USUAL_M 1.75f
// Dampers in springs: a trunk of 35 kg on 300 N m/rad comes to rest without swinging at about this ratio.
#define DAMPING_S 0.2f
// A person pushed on a limb moves as a whole: this share of the force acts on the whole body, each part by its mass,
// and the limb the rest. Without it a kick sweeps the foot away under the chest or vanishes in the ground: 52 of 72
// pushes on legs did not carry the chest along, and with stiff legs alone still 26 to 31 of them
// (docs/results/pushes.md).
#define LEG_SPREAD 0.7f
#define ARM_SPREAD 0.4f
// Of a leg about the vertical over a planted foot, in N m/rad: hip and shank are about as stiff against turning.
#define TWIST 150.0f

/// Properties of a part by its role: share of the body's mass (Winter 2009, table 4.1); spring of its joint in N
/// m/rad, as standing people show against quick pushes: about what holds the part upright, and no more; and the share
/// of a force on it that the whole body takes.
static const struct {
    am_role role;
    float share, spring, spread;
} known[] = {
    { AM_ROLE_HIPS, 0.142f, 0.0f, 0.0f },
    { AM_ROLE_SPINE, 0.139f, 300.0f, 0.0f },
    { AM_ROLE_CHEST, 0.216f, 300.0f, 0.0f },
    { AM_ROLE_HEAD, 0.081f, 40.0f, 0.0f },
    { AM_ROLE_LEFT_UP_LEG, 0.1f, 200.0f, LEG_SPREAD },
    { AM_ROLE_LEFT_LEG, 0.0465f, 150.0f, LEG_SPREAD },
    { AM_ROLE_LEFT_FOOT, 0.0145f, 40.0f, LEG_SPREAD },
    { AM_ROLE_RIGHT_UP_LEG, 0.1f, 200.0f, LEG_SPREAD },
    { AM_ROLE_RIGHT_LEG, 0.0465f, 150.0f, LEG_SPREAD },
    { AM_ROLE_RIGHT_FOOT, 0.0145f, 40.0f, LEG_SPREAD },
    { AM_ROLE_LEFT_ARM, 0.028f, 80.0f, ARM_SPREAD },
    { AM_ROLE_LEFT_FOREARM, 0.016f, 50.0f, ARM_SPREAD },
    { AM_ROLE_LEFT_HAND, 0.006f, 16.0f, ARM_SPREAD },
    { AM_ROLE_RIGHT_ARM, 0.028f, 80.0f, ARM_SPREAD },
    { AM_ROLE_RIGHT_FOREARM, 0.016f, 50.0f, ARM_SPREAD },
    { AM_ROLE_RIGHT_HAND, 0.006f, 16.0f, ARM_SPREAD },
};
enum { known_count = sizeof known / sizeof *known };

/// The index in `known` of the role that a joint has; the first joint is the hips whatever the roles say.
static int role_of(const am_roles *roles, int joint)
{
    if (joint == 0) {
        return 0;
    }
    for (int i = 1; i < known_count; i++) {
        if (roles->joint[known[i].role] == joint) {
            return i;
        }
    }
    return -1;
}

static void find_parts(am_physics *p, const am_roles *roles)
{
    const am_skeleton *s = p->skeleton;
    for (int j = 0; j < s->joint_count; j++) {
        int role = role_of(roles, j);
        if (role < 0) {
            p->part_of[j] = p->part_of[s->parents[j]];
            continue;
        }
        ami_body_part *part = &p->parts[p->part_count];
        part->joint = j;
        part->parent = j > 0 ? p->part_of[s->parents[j]] : -1;
        part->mass = known[role].share;
        part->spring = known[role].spring;
        part->spread = known[role].spread;
        part->leg = -1;
        p->part_of[j] = (int16_t)p->part_count++;
    }
}

/// Mean and farthest of the points that a part reaches, seen from its joint in the rest pose: joints of the parts
/// that hang on it, or else its own joints and end sites.
typedef struct reach {
    am_vec3 sum;
    float farthest;
    int count;
} reach;

static void reach_to(reach *r, am_vec3 point)
{
    r->sum = am_v3_add(r->sum, point);
    r->farthest = am_max(r->farthest, am_v3_length(point));
    r->count++;
}

static reach find_reach(const am_physics *p, const am_transform *rest, int part)
{
    const am_skeleton *s = p->skeleton;
    am_transform back = am_transform_inv(rest[p->parts[part].joint]);
    reach r = { 0 };
    for (int i = part + 1; i < p->part_count; i++) {
        if (p->parts[i].parent == part) {
            reach_to(&r, am_transform_point(back, rest[p->parts[i].joint].translation));
        }
    }
    for (int j = 0; r.count == 0 && j < s->joint_count; j++) {
        if (p->part_of[j] == part && j != p->parts[part].joint) {
            reach inner = { 0 };
            reach_to(&inner, am_transform_point(back, rest[j].translation));
            r = inner.farthest > r.farthest ? inner : r;
            r.count = 0;
        }
    }
    for (int e = 0; r.count == 0 && e < s->end_count; e++) {
        int j = s->end_joints[e];
        if (p->part_of[j] == part) {
            am_vec3 tip = am_transform_point(back, am_transform_point(rest[j], s->end_offsets[e]));
            reach inner = { tip, am_v3_length(tip), 0 };
            r = inner.farthest > r.farthest ? inner : r;
        }
    }
    r.sum = r.count > 1 ? am_v3_scale(r.sum, 1.0f / (float)r.count) : r.sum;
    return r;
}

static float distance_between(const am_transform *rest, const am_roles *roles, am_role a, am_role b)
{
    int i = roles->joint[a], j = roles->joint[b];
    return i >= 0 && j >= 0 ? am_v3_distance(rest[i].translation, rest[j].translation) : 0.0f;
}

/// Body height by the legs, or by the rest pose where there are none.
static float find_height(const am_physics *p, const am_transform *rest, const am_roles *roles)
{
    float left = distance_between(rest, roles, AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG) +
                 distance_between(rest, roles, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT);
    float right = distance_between(rest, roles, AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG) +
                  distance_between(rest, roles, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT);
    float leg = left > 0.0f && right > 0.0f ? 0.5f * (left + right) : am_max(left, right);
    if (leg > 0.0f) {
        return leg / LEG_HEIGHTS;
    }
    float low = 0.0f, high = 0.0f;
    for (int j = 0; j < p->skeleton->joint_count; j++) {
        low = am_min(low, rest[j].translation.y - rest[0].translation.y);
        high = am_max(high, rest[j].translation.y - rest[0].translation.y);
    }
    return high - low;
}

static void weigh_parts(am_physics *p, float mass, float height, float tone)
{
    float shares = 0.0f;
    for (int i = 0; i < p->part_count; i++) {
        shares += p->parts[i].mass;
    }
    // Torques with the same effect grow with the body's mass and the square of its size.
    float scale = tone * mass * height * height / (USUAL_KG * USUAL_M * USUAL_M);
    for (int i = 0; i < p->part_count; i++) {
        ami_body_part *part = &p->parts[i];
        part->mass *= mass / shares;
        float area = part->mass / (DENSITY_KG_M3 * part->length);
        part->radius = am_max(sqrtf(area / AM_PI), SHORTEST_M);
        part->spring *= (dReal)scale;
    }
    p->mass = (dReal)mass;
    p->twist = (dReal)(TWIST * scale);
    p->damping_s = (dReal)DAMPING_S;
}

am_result ami_body_plan(am_physics *p, const am_physics_def *def, am_error *err)
{
    const am_skeleton *s = p->skeleton;
    am_transform *rest = p->pose;
    for (int j = 0; j < s->joint_count; j++) {
        rest[j] = (am_transform){ s->rests[j], s->offsets[j] };
    }
    am_fk(rest, rest, s->parents, s->joint_count);
    find_parts(p, def->roles);
    for (int i = 0; i < p->part_count; i++) {
        ami_body_part *part = &p->parts[i];
        reach r = find_reach(p, rest, i);
        part->length = am_max(r.farthest, SHORTEST_M);
        part->centre = am_v3_scale(r.sum, 0.5f);
        part->axis = am_v3_normalize_or(r.sum, am_v3(0.0f, 1.0f, 0.0f));
    }
    static const am_role feet[2] = { AM_ROLE_LEFT_FOOT, AM_ROLE_RIGHT_FOOT };
    for (int side = 0; side < 2; side++) {
        int ankle = def->roles->joint[feet[side]];
        p->foot[side] = ankle > 0 ? p->part_of[ankle] : -1;
        for (int i = p->foot[side], n = 0; i > 0 && n < 3; i = p->parts[i].parent, n++) { // foot, shank, thigh
            p->parts[i].leg = side;
        }
    }
    float height = find_height(p, rest, def->roles);
    float mass = def->mass_kg > 0.0f ? def->mass_kg : KG_PER_M2 * height * height;
    if (!(height > 0.05f && height < 100.0f && mass > 1e-3f && mass < 1e6f)) {
        return ami_fail(err, AM_ERR_SKELETON, "a body of %g m and %g kg cannot be pushed; is the skeleton in metres?",
                        (double)height, (double)mass);
    }
    weigh_parts(p, mass, height, def->tone);
    return AM_OK;
}
