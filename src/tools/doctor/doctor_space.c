// The space of a file: roles of the joints, length of a unit, up axis, and the direction that the rest pose faces.
#include "doctor/examine.h"

#include "data/filter.h"
#include "base/error.h"

#include <string.h>

static const char *const axis_names[6] = { "+x", "-x", "+y", "-y", "+z", "-z" };

am_vec3 ami_axis_vector(const char *name)
{
    static const am_vec3 vectors[6] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                        { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };
    for (int i = 0; i < 6; i++) {
        if (strcmp(name, axis_names[i]) == 0) {
            return vectors[i];
        }
    }
    return am_v3_zero();
}

/// File axes -> Amble axes for an up and a facing axis at right angles.
static am_quat axes_of(const char *up, const char *facing)
{
    am_vec3 y = ami_axis_vector(up);
    am_vec3 z = ami_axis_vector(facing);
    return am_quat_inv(am_quat_from_columns(am_v3_cross(y, z), y, z));
}

// ---------------------------------------------------------------------------------------------
// Roles

static bool has_legs(const am_roles *roles)
{
    return roles->joint[AM_ROLE_LEFT_FOOT] >= 0 && roles->joint[AM_ROLE_RIGHT_FOOT] >= 0;
}

static am_vec3 middle(const ami_figure *f, int a, int b) { return am_v3_lerp(f->joints[a], f->joints[b], 0.5f); }

/// Feet to hips and hips to head as unit vectors: where a body's up is.
static void body_up(const am_roles *roles, const ami_figure *f, am_vec3 *legs, am_vec3 *trunk)
{
    const int16_t *r = roles->joint;
    am_vec3 hips = middle(f, r[AM_ROLE_LEFT_UP_LEG], r[AM_ROLE_RIGHT_UP_LEG]);
    am_vec3 feet = middle(f, r[AM_ROLE_LEFT_FOOT], r[AM_ROLE_RIGHT_FOOT]);
    int top = r[AM_ROLE_HEAD] >= 0 ? r[AM_ROLE_HEAD] : r[AM_ROLE_CHEST];
    *legs = am_v3_normalize_or(am_v3_sub(hips, feet), am_v3_zero());
    *trunk = top >= 0 ? am_v3_normalize_or(am_v3_sub(f->joints[top], hips), am_v3_zero()) : *legs;
}

/// The sample in which the body is straightest; -1 (the rest pose) when that is straighter.
static int straightest(const ami_exam *exam, const am_roles *roles)
{
    int best = -1;
    float best_cosine = -2.0f;
    for (int i = -1; has_legs(roles) && i < exam->samples; i++) {
        ami_figure f = ami_exam_figure(exam, i);
        am_vec3 legs, trunk;
        body_up(roles, &f, &legs, &trunk);
        if (am_v3_dot(legs, trunk) > best_cosine + 0.01f) {
            best_cosine = am_v3_dot(legs, trunk);
            best = i;
        }
    }
    return best;
}

/// Joints between hips and chest that never turn only carry an offset: the spine is the first that bends.
static void skip_stiff_spine(ami_exam *exam)
{
    const am_clip *clip = exam->clip;
    int16_t *r = exam->out->roles.joint;
    int spine = r[AM_ROLE_SPINE];
    size_t joints = (size_t)clip->skeleton->joint_count;
    while (spine >= 0 && spine != r[AM_ROLE_CHEST]) {
        for (int f = 1; f < clip->frame_count; f++) {
            if (am_quat_angle(clip->rotations[(size_t)f * joints + (size_t)spine], clip->rotations[spine]) > 0.01f) {
                r[AM_ROLE_SPINE] = (int16_t)spine;
                return;
            }
        }
        int next = r[AM_ROLE_CHEST]; // the child on the way to the chest
        while (clip->skeleton->parents[next] != spine) {
            next = clip->skeleton->parents[next];
        }
        spine = next;
    }
}

am_result ami_exam_roles(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    if (exam->def->roles) {
        out->roles = *exam->def->roles;
        return AM_OK;
    }
    am_roles named = ami_roles_by_names(exam->clip->skeleton);
    bool by_names = has_legs(&named);
    ami_figure rest = ami_exam_figure(exam, -1);
    out->roles = ami_roles_guess_in(&rest);
    if (!has_legs(&out->roles)) {
        return ami_finding_add(out, "roles", -1, -1, true, err,
                               "no two legs found in %d joints: not a person, or a "
                               "rig that must be described by hand",
                               exam->clip->skeleton->joint_count);
    }
    if (!by_names || named.joint[AM_ROLE_LEFT_HAND] < 0 || named.joint[AM_ROLE_RIGHT_HAND] < 0) {
        ami_figure pose = ami_exam_figure(exam, straightest(exam, &out->roles));
        out->roles = ami_roles_guess_in(&pose);
    }
    skip_stiff_spine(exam);
    float told = 0.0f;
    for (int i = 0; i < exam->samples; i++) {
        ami_figure f = ami_exam_figure(exam, i);
        told += ami_roles_sides(&out->roles, &f) / (float)exam->samples;
    }
    if (told >= (by_names ? -0.15f : 0.0f)) {
        return AM_OK;
    }
    ami_roles_swap(&out->roles);
    if (!by_names) {
        return AM_OK;
    }
    return ami_finding_add(out, "sides", -1, -1, false, err,
                           "joints called left are on the body's right: sides are taken from toes and knees; if the "
                           "file is mirrored, mirror it back instead");
}

// ---------------------------------------------------------------------------------------------
// Unit

// Units in use: metre, centimetre, millimetre, inch, foot, and cgspeed's conversion of CMU (2.54 cm / 0.45).
static const float units[] = { 1.0f, 0.01f, 0.001f, 0.0254f, 0.3048f, 0.0564444f };

// Thigh and shin of grown people: 0.73 to 0.95 m, median 0.84 (CMU's 40 actors). Units lie a factor of 2.2 or more
// apart, so that the nearest one is sure for legs between 0.57 and 1.25 m.
static const float usual_leg_m = 0.84f;

static float ratio_to(float a, float b) { return a > b ? a / b : b / a; }

static float measure_leg(const ami_exam *exam)
{
    const int16_t *r = exam->out->roles.joint;
    float sum = 0.0f;
    for (int i = 0; has_legs(&exam->out->roles) && i < exam->samples; i++) {
        ami_figure f = ami_exam_figure(exam, i);
        for (int side = 0; side < 2; side++) {
            const int16_t *leg = r + (side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG);
            sum += am_v3_distance(f.joints[leg[0]], f.joints[leg[1]]) +
                   am_v3_distance(f.joints[leg[1]], f.joints[leg[2]]);
        }
    }
    return sum / (float)(2 * exam->samples);
}

static am_result find_unit(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    exam->leg = measure_leg(exam);
    if (exam->def->unit_m == exam->def->unit_m) {
        out->unit_m = exam->def->unit_m;
        return AM_OK;
    }
    out->unit_m = 1.0f;
    if (!(exam->leg > 0.0f)) {
        return ami_finding_add(out, "unit", -1, -1, false, err, "no legs to measure: treated as metres; give --unit");
    }
    for (int i = 1; i < (int)(sizeof units / sizeof units[0]); i++) {
        if (ratio_to(exam->leg * units[i], usual_leg_m) < ratio_to(exam->leg * out->unit_m, usual_leg_m)) {
            out->unit_m = units[i];
        }
    }
    if (ratio_to(exam->leg * out->unit_m, usual_leg_m) > 1.45f) {
        return ami_finding_add(
            out, "unit", -1, -1, false, err,
            "a leg of %.2f m in the likeliest unit (%g m): a child, a giant, or an unknown unit; give --unit",
            (double)(exam->leg * out->unit_m), (double)out->unit_m);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Up and facing

static float lowest_along(const ami_figure *f, am_vec3 axis)
{
    float lowest = am_v3_dot(f->joints[0], axis);
    for (int j = 1; j < f->skeleton->joint_count; j++) {
        lowest = am_min(lowest, am_v3_dot(f->joints[j], axis));
    }
    return lowest;
}

/// How well an axis fits as up, by four indications: the body in the clip (head above hips above feet), the legs of
/// the rest pose, a floor near zero, and a floor that stays where it is. The last two help when the person lies or
/// crawls.
static float up_score(const ami_exam *exam, am_vec3 axis)
{
    const am_roles *roles = &exam->out->roles;
    float lowest[AMI_EXAM_SAMPLES] = { 0 };
    float body = 0.0f;
    am_vec3 legs, trunk;
    for (int i = 0; i < exam->samples; i++) {
        ami_figure f = ami_exam_figure(exam, i);
        body_up(roles, &f, &legs, &trunk);
        body += 0.5f * (am_v3_dot(legs, axis) + am_v3_dot(trunk, axis)) / (float)exam->samples;
        lowest[i] = lowest_along(&f, axis) / exam->leg;
    }
    ami_sort_floats(lowest, exam->samples);
    float middle_floor = lowest[exam->samples / 2];
    float spread = lowest[exam->samples * 9 / 10] - lowest[exam->samples / 10];
    ami_figure rest = ami_exam_figure(exam, -1);
    body_up(roles, &rest, &legs, &trunk);
    return body + am_v3_dot(legs, axis) + am_max(0.0f, 1.0f - am_abs(middle_floor) / 0.3f) +
           0.5f * am_max(0.0f, 1.0f - spread / 0.3f);
}

static am_result find_up(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    int best = 2;
    float scores[6] = { 0 };
    for (int i = 0; exam->leg > 0.0f && i < 6; i++) {
        scores[i] = up_score(exam, ami_axis_vector(axis_names[i]));
        best = scores[i] > scores[best] ? i : best;
    }
    memcpy(out->up, exam->def->up ? exam->def->up : axis_names[best], 3);
    float second = -9.0f;
    for (int i = 0; i < 6; i++) {
        second = i != best ? am_max(second, scores[i]) : second;
    }
    if (!exam->def->up && scores[best] - second < 0.3f) {
        return ami_finding_add(out, "up", -1, -1, false, err,
                               "%s is treated as up, but the body is not conclusive; give --up", out->up);
    }
    return AM_OK;
}

/// The axis at right angles to `up` nearest to v.
static const char *nearest_axis(am_vec3 v, am_vec3 up)
{
    int best = 0;
    float most = -2.0f;
    for (int i = 0; i < 6; i++) {
        am_vec3 axis = ami_axis_vector(axis_names[i]);
        if (am_abs(am_v3_dot(axis, up)) < 0.5f && am_v3_dot(axis, v) > most) {
            best = i;
            most = am_v3_dot(axis, v);
        }
    }
    return axis_names[best];
}

static am_vec3 along_ground(am_vec3 v, am_vec3 up)
{
    return am_v3_normalize_or(am_v3_sub(v, am_v3_scale(up, am_v3_dot(v, up))), am_v3_zero());
}

/// Where the rest pose faces: across the hips, and where the toes point. Both must agree; a contorted rest pose has
/// no facing, and the convention for its up axis is as good as any.
static const char *find_facing(const ami_exam *exam, am_vec3 up)
{
    const am_roles *roles = &exam->out->roles;
    const int16_t *r = roles->joint;
    const char *custom = exam->out->up[1] == 'z' ? "-y" : "+z";
    if (!has_legs(roles)) {
        return custom;
    }
    ami_figure f = ami_exam_figure(exam, -1);
    am_vec3 legs, trunk;
    body_up(roles, &f, &legs, &trunk);
    am_vec3 left = am_v3_sub(f.joints[r[AM_ROLE_LEFT_UP_LEG]], f.joints[r[AM_ROLE_RIGHT_UP_LEG]]);
    am_vec3 forward = along_ground(am_v3_cross(left, up), up);
    am_vec3 toes = am_v3_zero();
    for (int side = 0; side < 2; side++) {
        int foot = r[side ? AM_ROLE_RIGHT_FOOT : AM_ROLE_LEFT_FOOT];
        int toe = r[side ? AM_ROLE_RIGHT_TOE : AM_ROLE_LEFT_TOE];
        if (toe >= 0) {
            toes = am_v3_add(toes, am_v3_sub(f.joints[toe], f.joints[foot]));
        }
    }
    toes = along_ground(toes, up);
    bool stands = am_v3_dot(legs, up) > 0.7f && am_v3_dot(trunk, up) > 0.7f;
    bool agree = am_v3_length(toes) < 0.5f || am_v3_dot(toes, forward) > 0.5f;
    return stands && agree ? nearest_axis(forward, up) : custom;
}

am_result ami_exam_space(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    am_result result = find_unit(exam, err);
    result = result == AM_OK ? find_up(exam, err) : result;
    if (result != AM_OK) {
        return result;
    }
    const char *facing = exam->def->facing ? exam->def->facing : find_facing(exam, ami_axis_vector(out->up));
    if (facing[1] == out->up[1]) {
        return ami_fail(err, AM_ERR_DEF, "by the body %s is up, so it cannot face %s; give both --up and --facing",
                        out->up, facing);
    }
    memcpy(out->facing, facing, 3);
    out->axes = axes_of(out->up, out->facing);
    return AM_OK;
}
