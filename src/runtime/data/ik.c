// Analytic two-bone inverse kinematics: the knee's position by the law of cosines, then two shortest rotations.
#include <amble/skeleton.h>

#include "data/kinematics.h"

/// Lengths and directions that one call works with, model space.
typedef struct leg {
    am_vec3 hip, knee, ankle;
    float thigh, shin;
} leg;

/// The distance to aim for instead of `wanted`: the same within the leg's reach, eased toward its limits over
/// `soften`, so that the knee's angle has a bounded, continuous slope over the distance. At the limit itself the
/// slope is infinite, which shows as a pop.
static float eased_distance(const leg *l, float wanted, float soften)
{
    float longest = l->thigh + l->shin;
    float shortest = am_abs(l->thigh - l->shin);
    soften = am_min(soften, 0.25f * (longest - shortest));
    if (!(soften > 1e-6f)) {
        return am_clamp(wanted, shortest, longest);
    }
    if (wanted > longest - soften) {
        return longest - soften * am_exp((longest - soften - wanted) / soften);
    }
    if (wanted < shortest + soften) {
        return shortest + soften * am_exp((wanted - shortest - soften) / soften);
    }
    return wanted;
}

static am_vec3 any_perpendicular(am_vec3 unit)
{
    am_vec3 axis = am_abs(unit.x) < 0.7f ? am_v3(1.0f, 0.0f, 0.0f) : am_v3(0.0f, 0.0f, 1.0f);
    return am_v3_normalize_or(am_v3_cross(unit, axis), axis);
}

/// The part of v perpendicular to the unit vector `along`, or zero when it is tiny.
static am_vec3 across(am_vec3 v, am_vec3 along)
{
    am_vec3 part = am_v3_sub(v, am_v3_scale(along, am_v3_dot(v, along)));
    return am_v3_length2(part) > 1e-12f ? part : am_v3_zero();
}

/// Unit vector perpendicular to `along`, toward which the knee bends: the pole, otherwise where the knee is now.
static am_vec3 bend_direction(const leg *l, am_vec3 along, am_vec3 pole)
{
    am_vec3 knee_now = across(am_v3_sub(l->knee, l->hip), along);
    am_vec3 fallback = am_v3_normalize_or(knee_now, any_perpendicular(along));
    return am_v3_normalize_or(across(am_v3_normalize_or(pole, am_v3_zero()), along), fallback);
}

/// Shortest rotation from one vector to another, neither of unit length.
static am_quat swing(am_vec3 from, am_vec3 to)
{
    am_vec3 up = am_v3(0.0f, 1.0f, 0.0f);
    return am_quat_between(am_v3_normalize_or(from, up), am_v3_normalize_or(to, up));
}

/// Turn of the thigh about its axis that brings the old plane of the knee's bend to the new one. A leg that was
/// nearly straight has no such plane (and one bent backwards by a degree the opposite one), so the turn fades in
/// between 3 and 15 degrees of bend.
static am_quat plane_twist(const leg *l, am_quat swung, am_vec3 thigh, am_vec3 normal)
{
    am_vec3 was = am_v3_cross(am_v3_sub(l->knee, l->hip), am_v3_sub(l->ankle, l->knee));
    float bend = am_v3_length(was) / (l->thigh * l->shin); // sine of the knee's bend
    float weight = am_clamp((bend - 0.05f) / 0.2f, 0.0f, 1.0f);
    am_vec3 axis = am_v3_normalize_or(thigh, am_v3_zero());
    am_vec3 from = am_v3_normalize_or(across(am_quat_rotate(swung, was), axis), am_v3_zero());
    if (weight <= 0.0f || am_v3_length2(from) < 0.5f) {
        return am_quat_identity();
    }
    float angle = am_atan2(am_v3_dot(am_v3_cross(from, normal), axis), am_v3_dot(from, normal));
    return am_quat_from_axis_angle(axis, angle * weight * weight * (3.0f - 2.0f * weight));
}

/// Turns a joint by `turn`, a rotation in model space, given as a change of its local rotation.
static void turn_joint(am_transform *local, am_quat model, am_quat turn)
{
    am_quat inner = am_quat_mul(am_quat_mul(am_quat_inv(model), turn), model);
    local->rotation = am_quat_normalize(am_quat_mul(local->rotation, inner));
}

static bool finite_v3(am_vec3 v)
{
    float sum = am_abs(v.x) + am_abs(v.y) + am_abs(v.z);
    return sum < 1e18f; // false for NaN
}

void ami_ik_two_bone(const ami_ik_chain *chain, am_vec3 target, am_vec3 pole, float soften_m)
{
    leg l = { chain->model[chain->upper].translation, chain->model[chain->middle].translation,
              chain->model[chain->end].translation, 0.0f, 0.0f };
    l.thigh = am_v3_distance(l.knee, l.hip);
    l.shin = am_v3_distance(l.ankle, l.knee);
    if (!(l.thigh > 1e-6f) || !(l.shin > 1e-6f) || !finite_v3(target) || !finite_v3(pole) || !finite_v3(l.hip)) {
        return;
    }
    am_vec3 way = am_v3_sub(target, l.hip);
    am_vec3 now = am_v3_normalize_or(am_v3_sub(l.ankle, l.hip), am_v3(0.0f, -1.0f, 0.0f));
    am_vec3 along = am_v3_normalize_or(way, now);
    float distance = am_max(eased_distance(&l, am_v3_length(way), soften_m), 1e-6f);
    am_vec3 out = bend_direction(&l, along, pole);
    float ahead = (l.thigh * l.thigh + distance * distance - l.shin * l.shin) / (2.0f * distance);
    ahead = am_clamp(ahead, -l.thigh, l.thigh);
    float aside = sqrtf(am_max(l.thigh * l.thigh - ahead * ahead, 0.0f));
    am_vec3 thigh = am_v3_add(am_v3_scale(along, ahead), am_v3_scale(out, aside));
    am_vec3 shin = am_v3_sub(am_v3_scale(along, distance), thigh);
    // A knee that points along `out` bends about out x along.
    am_vec3 normal = am_v3_cross(out, along);

    am_quat swung = swing(am_v3_sub(l.knee, l.hip), thigh);
    am_quat upper = am_quat_mul(plane_twist(&l, swung, thigh, normal), swung);
    am_quat middle = swing(am_quat_rotate(upper, am_v3_sub(l.ankle, l.knee)), shin);
    // The knee's own turn, before the thigh's: both are applied to the original pose.
    am_quat middle_before = am_quat_mul(am_quat_mul(am_quat_inv(upper), middle), upper);
    turn_joint(&chain->local[chain->upper], chain->model[chain->upper].rotation, upper);
    turn_joint(&chain->local[chain->middle], chain->model[chain->middle].rotation, middle_before);
}

void ami_ik_keep_rotation(am_transform *local, const am_transform *model, const int16_t *parents, int joint)
{
    am_quat above = am_quat_identity();
    for (int p = parents[joint]; p >= 0; p = parents[p]) {
        above = am_quat_mul(local[p].rotation, above);
    }
    local[joint].rotation = am_quat_normalize(am_quat_mul(am_quat_inv(above), model[joint].rotation));
}
