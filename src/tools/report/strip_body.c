// A body as thick tapered limbs, seen without perspective.
#include "report/strip.h"
#include "actor/post.h"

#define RIM 1.5          ///< pixels
#define USUAL_LEG 0.85f  ///< m; thicknesses below are of such a body
#define PALE_BEHIND 0.25 ///< m behind the trunk for the palest colour

const uint32_t ami_side_colours[2] = { 0xCC4422, 0x2266BB };

// ---------------------------------------------------------------------------------------------
// Points on a skeleton

/// What lies beyond a joint at the end of a limb: its end site, or its first child; else zero.
static am_vec3 beyond(const am_skeleton *skeleton, int joint)
{
    for (int e = 0; e < skeleton->end_count; e++) {
        if (skeleton->end_joints[e] == joint) {
            return skeleton->end_offsets[e];
        }
    }
    for (int j = joint + 1; j < skeleton->joint_count; j++) {
        if (skeleton->parents[j] == joint) {
            return skeleton->offsets[j];
        }
    }
    return am_v3_zero();
}

static void add_point(ami_rig *rig, int point, int joint, am_vec3 offset)
{
    rig->joint[point] = (int16_t)joint;
    rig->offset[point] = offset;
}

/// Toes and fingers, at most `longest` long.
static void add_tip(ami_rig *rig, const am_skeleton *skeleton, int point, int joint, float longest)
{
    if (joint >= 0) {
        am_vec3 offset = beyond(skeleton, joint);
        float length = am_v3_length(offset);
        add_point(rig, point, length > 1e-4f ? joint : -1,
                  am_v3_scale(offset, length > longest ? longest / length : 1.0f));
    }
}

ami_rig ami_rig_make(const am_skeleton *skeleton, const am_roles *roles)
{
    ami_rig rig = { .scale = 1.0f };
    for (int p = 0; p < ami_body_points; p++) {
        rig.joint[p] = p < AM_ROLE_COUNT ? roles->joint[p] : -1;
    }
    int knee = roles->joint[AM_ROLE_LEFT_LEG];
    int ankle = roles->joint[AM_ROLE_LEFT_FOOT];
    if (knee >= 0 && ankle >= 0) {
        rig.scale = (am_v3_length(skeleton->offsets[knee]) + am_v3_length(skeleton->offsets[ankle])) / USUAL_LEG;
    }
    static const am_role feet[2][3] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE, AM_ROLE_LEFT_HAND },
                                        { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE, AM_ROLE_RIGHT_HAND } };
    for (int s = 0; s < 2; s++) {
        int foot = roles->joint[feet[s][0]];
        int toe = roles->joint[feet[s][1]];
        if (foot >= 0 && toe >= 0) {
            add_point(&rig, ami_left_heel + s, foot, ami_heel_offset(skeleton, foot, toe));
        }
        add_tip(&rig, skeleton, ami_left_tip + s, toe, 0.08f * rig.scale);
        add_tip(&rig, skeleton, ami_left_fingers + s, roles->joint[feet[s][2]], 0.12f * rig.scale);
    }
    int head = roles->joint[AM_ROLE_HEAD];
    if (head >= 0) {
        am_vec3 up = am_v3_normalize_or(beyond(skeleton, head), skeleton->offsets[head]);
        up = am_v3_normalize_or(up, am_v3(0.0f, 1.0f, 0.0f));
        add_point(&rig, ami_skull, head, am_v3_scale(up, 0.09f * rig.scale));
    }
    return rig;
}

void ami_body_place(ami_strip_body *out, const ami_rig *rig, const am_transform *world)
{
    for (int p = 0; p < ami_body_points; p++) {
        out->at[p] = rig->joint[p] >= 0 ? am_transform_point(world[rig->joint[p]], rig->offset[p]) : am_v3_zero();
    }
}

// ---------------------------------------------------------------------------------------------
// Views

ami_view ami_view_make(ami_look look, am_vec3 origin, float heading)
{
    float s = am_sin(heading);
    float c = am_cos(heading);
    ami_view view = { look, am_v3_ground(origin), am_v3(s, 0.0f, c), am_v3(c, 0.0f, -s) };
    return view;
}

am_vec3 ami_view_point(const ami_view *view, am_vec3 point)
{
    am_vec3 p = am_v3_sub(point, view->origin);
    float ahead = am_v3_dot(p, view->ahead);
    float left = am_v3_dot(p, view->left);
    switch (view->look) {
    case ami_look_side:
        return am_v3(ahead, p.y, -left);
    case ami_look_front:
        return am_v3(left, p.y, ahead);
    default:
        return am_v3(ahead, left, p.y);
    }
}

ami_spot ami_frame_spot(const ami_frame *frame, const ami_view *view, am_vec3 point)
{
    am_vec3 p = ami_view_point(view, point);
    ami_spot spot = { frame->at.x + frame->scale * (double)p.x, frame->at.y - frame->scale * (double)p.y };
    return spot;
}

// ---------------------------------------------------------------------------------------------
// Limbs

typedef struct part {
    int8_t a, b;            ///< points
    float a_thick, b_thick; ///< radii, m
} part;

enum { group_parts = 11, group_count = 6, head_group = 1, first_leg = 4 };

/// Parts that are drawn as one shape. side: 0 left, 1 right, -1 neither.
typedef struct group {
    int side;
    part parts[group_parts];
    int count;
} group;

static const group groups[group_count] = {
    { -1,
      { { AM_ROLE_HIPS, AM_ROLE_SPINE, 0.10f, 0.10f },
        { AM_ROLE_SPINE, AM_ROLE_CHEST, 0.10f, 0.11f },
        { AM_ROLE_HIPS, AM_ROLE_CHEST, 0.09f, 0.10f },
        { AM_ROLE_LEFT_UP_LEG, AM_ROLE_RIGHT_UP_LEG, 0.08f, 0.08f },
        { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_UP_LEG, 0.045f, 0.07f },
        { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_UP_LEG, 0.045f, 0.07f },
        { AM_ROLE_LEFT_ARM, AM_ROLE_SPINE, 0.045f, 0.10f },
        { AM_ROLE_RIGHT_ARM, AM_ROLE_SPINE, 0.045f, 0.10f },
        { AM_ROLE_LEFT_ARM, AM_ROLE_RIGHT_ARM, 0.055f, 0.055f },
        { AM_ROLE_CHEST, AM_ROLE_NECK, 0.08f, 0.05f },
        { AM_ROLE_NECK, AM_ROLE_HEAD, 0.045f, 0.045f } },
      11 },
    { -1, { { ami_skull, ami_skull, 0.105f, 0.105f } }, 1 },
    { 0,
      { { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, 0.050f, 0.038f },
        { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND, 0.038f, 0.027f },
        { AM_ROLE_LEFT_HAND, ami_left_fingers, 0.032f, 0.020f } },
      3 },
    { 1,
      { { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM, 0.050f, 0.038f },
        { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND, 0.038f, 0.027f },
        { AM_ROLE_RIGHT_HAND, ami_right_fingers, 0.032f, 0.020f } },
      3 },
    { 0,
      { { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, 0.082f, 0.055f },
        { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, 0.056f, 0.034f },
        { AM_ROLE_LEFT_FOOT, ami_left_heel, 0.034f, 0.026f },
        { ami_left_heel, AM_ROLE_LEFT_TOE, 0.026f, 0.024f },
        { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE, 0.034f, 0.024f },
        { AM_ROLE_LEFT_TOE, ami_left_tip, 0.024f, 0.016f } },
      6 },
    { 1,
      { { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, 0.082f, 0.055f },
        { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, 0.056f, 0.034f },
        { AM_ROLE_RIGHT_FOOT, ami_right_heel, 0.034f, 0.026f },
        { ami_right_heel, AM_ROLE_RIGHT_TOE, 0.026f, 0.024f },
        { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE, 0.034f, 0.024f },
        { AM_ROLE_RIGHT_TOE, ami_right_tip, 0.024f, 0.016f } },
      6 },
};

/// A group ready to draw.
typedef struct drawn {
    int group;
    ami_limb limbs[group_parts];
    int count;
    double depth; ///< towards the viewer, mean of its limbs, m
} drawn;

static void project(drawn *out, const ami_rig *rig, const ami_strip_body *body, const ami_view *view,
                    const ami_frame *frame)
{
    const group *g = &groups[out->group];
    double thick = frame->scale * (double)rig->scale;
    for (int i = 0; i < g->count; i++) {
        const part *p = &g->parts[i];
        if (rig->joint[p->a] < 0 || rig->joint[p->b] < 0) {
            continue;
        }
        out->depth += 0.5 * (double)(ami_view_point(view, body->at[p->a]).z + ami_view_point(view, body->at[p->b]).z);
        out->limbs[out->count++] =
            (ami_limb){ ami_frame_spot(frame, view, body->at[p->a]), ami_frame_spot(frame, view, body->at[p->b]),
                        thick * (double)p->a_thick, thick * (double)p->b_thick };
    }
    out->depth /= out->count > 0 ? out->count : 1;
    if (view->look == ami_look_front && out->group >= first_leg) {
        out->depth -= 0.12 * (double)rig->scale; // hips lie behind the front of the trunk
    }
}

void ami_body_draw(ami_canvas *canvas, const ami_rig *rig, const ami_strip_body *body, const ami_view *view,
                   const ami_frame *frame, uint32_t trunk)
{
    drawn parts[group_count] = { 0 };
    int order[group_count] = { 0 };
    for (int g = 0; g < group_count; g++) {
        parts[g].group = g;
        project(&parts[g], rig, body, view, frame);
        if (g == head_group && parts[g].depth <= parts[0].depth) { // over its neck, whichever way it is held
            parts[g].depth = parts[0].depth + 1e-3;
        }
        int at = g;
        for (; at > 0 && parts[order[at - 1]].depth > parts[g].depth; at--) {
            order[at] = order[at - 1];
        }
        order[at] = g;
    }
    for (int i = 0; i < group_count; i++) {
        const drawn *d = &parts[order[i]];
        int side = groups[d->group].side;
        double behind = (parts[0].depth - d->depth) / (PALE_BEHIND * (double)rig->scale);
        behind = behind < 0.0 || view->look == ami_look_above ? 0.0 : behind > 1.0 ? 1.0 : behind;
        uint32_t colour = side < 0 ? trunk : ami_tint(ami_side_colours[side], 1.0 - 0.5 * behind);
        ami_canvas_shape(canvas, d->limbs, d->count, colour, RIM);
    }
}
