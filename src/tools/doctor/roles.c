// Finds the roles of joints: by names first, by shape where names do not help, then the trunk from the tree; sides
// are checked against toes and knees.
#include "doctor/roles.h"

#include <amble/tools/doctor.h>

void ami_figure_pose(am_vec3 *joints, am_vec3 *ends, const am_skeleton *s, const am_transform *local)
{
    am_transform model[AM_MAX_JOINTS];
    for (int j = 0; j < s->joint_count; j++) {
        am_transform t = { s->rests[j], s->offsets[j] };
        t = local ? local[j] : t;
        model[j] = j > 0 ? am_transform_mul(model[s->parents[j]], t) : t;
        joints[j] = model[j].translation;
    }
    for (int e = 0; e < s->end_count; e++) {
        ends[e] = am_transform_point(model[s->end_joints[e]], s->end_offsets[e]);
    }
}

static int common_ancestor(const am_skeleton *s, int a, int b)
{
    while (a != b) {
        if (a > b) {
            a = s->parents[a];
        } else {
            b = s->parents[b];
        }
    }
    return a;
}

/// The joint that moves the whole body: where legs and trunk meet, or a named pelvis right above that.
static void set_hips(am_roles *roles, const am_skeleton *s)
{
    int16_t *r = roles->joint;
    if (r[AM_ROLE_LEFT_UP_LEG] < 0 || r[AM_ROLE_RIGHT_UP_LEG] < 0) {
        return;
    }
    int meet = common_ancestor(s, r[AM_ROLE_LEFT_UP_LEG], r[AM_ROLE_RIGHT_UP_LEG]);
    int above = r[AM_ROLE_HEAD] >= 0 ? r[AM_ROLE_HEAD] : r[AM_ROLE_LEFT_ARM];
    if (above >= 0) {
        meet = common_ancestor(s, meet, above);
    }
    int named = r[AM_ROLE_HIPS];
    r[AM_ROLE_HIPS] = named >= 0 && ami_joint_below(s, meet, named) ? (int16_t)named : (int16_t)meet;
}

/// The child of `from` on the way down to `to`, -1 when they are the same.
static int next_towards(const am_skeleton *s, int from, int to)
{
    int joint = -1;
    while (to > from) {
        joint = to;
        to = s->parents[to];
    }
    return joint;
}

/// Chest: what carries head and arms. Spine: the first joint above the hips. Neck: the first above the chest.
static void set_trunk(am_roles *roles, const am_skeleton *s)
{
    int16_t *r = roles->joint;
    int hips = r[AM_ROLE_HIPS];
    int chest = -1;
    static const am_role tops[] = { AM_ROLE_HEAD, AM_ROLE_LEFT_ARM, AM_ROLE_RIGHT_ARM };
    for (int i = 0; i < 3; i++) {
        int top = r[tops[i]];
        chest = top < 0 ? chest : chest < 0 ? top : common_ancestor(s, chest, top);
    }
    if (hips < 0 || chest < 0 || !ami_joint_below(s, chest, hips)) {
        return;
    }
    bool both = r[AM_ROLE_LEFT_ARM] >= 0 && r[AM_ROLE_RIGHT_ARM] >= 0;
    if (chest != hips && both) {
        r[AM_ROLE_CHEST] = (int16_t)chest;
        int spine = next_towards(s, hips, chest);
        r[AM_ROLE_SPINE] = spine != chest ? (int16_t)spine : -1;
    }
    int head = r[AM_ROLE_HEAD];
    if (head >= 0 && both) {
        int neck = next_towards(s, chest, head);
        r[AM_ROLE_NECK] = neck != head ? (int16_t)neck : -1;
    }
}

/// Where a foot has no named toe but carries a joint of some length, that is the toe.
static void set_toes(am_roles *roles, const am_skeleton *s)
{
    for (int side = 0; side < 2; side++) {
        int foot = roles->joint[side ? AM_ROLE_RIGHT_FOOT : AM_ROLE_LEFT_FOOT];
        int16_t *toe = &roles->joint[side ? AM_ROLE_RIGHT_TOE : AM_ROLE_LEFT_TOE];
        for (int j = foot + 1; foot >= 0 && *toe < 0 && j < s->joint_count; j++) {
            if (s->parents[j] == foot && am_v3_length(s->offsets[j]) > 0.0f) {
                *toe = (int16_t)j;
            }
        }
    }
}

void ami_roles_swap(am_roles *roles)
{
    static const am_role left[] = {
        AM_ROLE_LEFT_UP_LEG,   AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT,    AM_ROLE_LEFT_TOE,
        AM_ROLE_LEFT_SHOULDER, AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND
    };
    for (int i = 0; i < 8; i++) {
        am_role other = (am_role)(left[i] + 4); // each side has four roles in a row
        int16_t joint = roles->joint[left[i]];
        roles->joint[left[i]] = roles->joint[other];
        roles->joint[other] = joint;
    }
}

/// How far forward the foot points and the knee bends, as one vector in the figure's space.
static am_vec3 leg_forward(const am_roles *roles, const ami_figure *f, int side)
{
    const am_skeleton *s = f->skeleton;
    const int16_t *leg = &roles->joint[side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG];
    am_vec3 hip = f->joints[leg[0]];
    am_vec3 knee = f->joints[leg[1]];
    am_vec3 ankle = f->joints[leg[2]];
    am_vec3 along = am_v3_normalize_or(am_v3_sub(ankle, hip), am_v3_zero());
    am_vec3 bend = am_v3_sub(knee, hip);
    am_vec3 forward = am_v3_sub(bend, am_v3_scale(along, am_v3_dot(bend, along)));
    am_vec3 tip = leg[3] >= 0 ? f->joints[leg[3]] : ankle;
    for (int e = 0; leg[3] < 0 && e < s->end_count; e++) {
        tip = s->end_joints[e] == leg[2] ? f->ends[e] : tip;
    }
    am_vec3 foot = am_v3_sub(tip, ankle);
    return am_v3_add(forward, am_v3_sub(foot, am_v3_scale(along, am_v3_dot(foot, along))));
}

float ami_roles_sides(const am_roles *roles, const ami_figure *f)
{
    const int16_t *r = roles->joint;
    int left = r[AM_ROLE_LEFT_UP_LEG];
    int right = r[AM_ROLE_RIGHT_UP_LEG];
    if (left < 0 || right < 0 || r[AM_ROLE_LEFT_FOOT] < 0 || r[AM_ROLE_RIGHT_FOOT] < 0) {
        return 0.0f;
    }
    am_vec3 middle = am_v3_lerp(f->joints[left], f->joints[right], 0.5f);
    am_vec3 feet = am_v3_lerp(f->joints[r[AM_ROLE_LEFT_FOOT]], f->joints[r[AM_ROLE_RIGHT_FOOT]], 0.5f);
    int top = r[AM_ROLE_HEAD] >= 0 ? r[AM_ROLE_HEAD] : r[AM_ROLE_CHEST];
    am_vec3 up = top >= 0 ? am_v3_sub(f->joints[top], middle) : am_v3_sub(middle, feet);
    am_vec3 forward = am_v3_add(leg_forward(roles, f, 0), leg_forward(roles, f, 1));
    up = am_v3_normalize_or(up, am_v3_zero());
    // Scaled by the leg, so that a few millimetres of bent knee do not count as much as two feet.
    float leg = am_v3_distance(f->joints[left], f->joints[r[AM_ROLE_LEFT_LEG]]);
    am_vec3 across = am_v3_normalize_or(am_v3_sub(f->joints[left], f->joints[right]), am_v3_zero());
    float told = am_v3_dot(am_v3_cross(up, forward), across) / am_max(leg, 1e-6f);
    return am_clamp(told * 4.0f, -1.0f, 1.0f);
}

am_roles ami_roles_guess_in(const ami_figure *figure)
{
    const am_skeleton *s = figure->skeleton;
    am_roles roles = ami_roles_by_names(s);
    int16_t *r = roles.joint;
    bool legs = r[AM_ROLE_LEFT_FOOT] >= 0 && r[AM_ROLE_RIGHT_FOOT] >= 0;
    bool arms = r[AM_ROLE_LEFT_HAND] >= 0 && r[AM_ROLE_RIGHT_HAND] >= 0;
    if (!legs || !arms || r[AM_ROLE_HEAD] < 0) {
        am_roles named = roles;
        if (!legs) {
            // Arms whose sides are guessed must follow the legs' guess.
            for (int i = AM_ROLE_LEFT_UP_LEG; i <= AM_ROLE_RIGHT_TOE; i++) {
                r[i] = -1;
            }
        }
        ami_roles_by_shape(&roles, figure);
        if (!legs && ami_roles_sides(&roles, figure) < 0.0f) {
            ami_roles_swap(&roles);
            if (arms) { // these were named: keep them
                for (int i = AM_ROLE_LEFT_SHOULDER; i <= AM_ROLE_RIGHT_HAND; i++) {
                    r[i] = named.joint[i];
                }
            }
        }
    }
    set_toes(&roles, s);
    set_hips(&roles, s);
    set_trunk(&roles, s);
    return roles;
}

am_roles am_roles_guess(const am_skeleton *skeleton)
{
    am_vec3 joints[AM_MAX_JOINTS];
    am_vec3 ends[AM_MAX_JOINTS];
    am_skeleton fewer = *skeleton; // more end sites than joints tell nothing new
    fewer.end_count = fewer.end_count < AM_MAX_JOINTS ? fewer.end_count : AM_MAX_JOINTS;
    ami_figure_pose(joints, ends, &fewer, NULL);
    ami_figure figure = { &fewer, joints, ends };
    return ami_roles_guess_in(&figure);
}
