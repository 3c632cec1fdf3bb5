// Points of a body over time, found by role, and what follows from them frame by frame: speeds, feet, lean, facing.
#include "report/body.h"

#include "data/filter.h"
#include "actor/post.h"

static const am_role roles_of[AM_POINT_COUNT] = {
    [AM_POINT_HIPS] = AM_ROLE_HIPS,
    [AM_POINT_HEAD] = AM_ROLE_HEAD,
    [AM_POINT_LEFT_THIGH] = AM_ROLE_LEFT_UP_LEG,
    [AM_POINT_RIGHT_THIGH] = AM_ROLE_RIGHT_UP_LEG,
    [AM_POINT_LEFT_KNEE] = AM_ROLE_LEFT_LEG,
    [AM_POINT_RIGHT_KNEE] = AM_ROLE_RIGHT_LEG,
    [AM_POINT_LEFT_ANKLE] = AM_ROLE_LEFT_FOOT,
    [AM_POINT_RIGHT_ANKLE] = AM_ROLE_RIGHT_FOOT,
    [AM_POINT_LEFT_TOE] = AM_ROLE_LEFT_TOE,
    [AM_POINT_RIGHT_TOE] = AM_ROLE_RIGHT_TOE,
    [AM_POINT_LEFT_ELBOW] = AM_ROLE_LEFT_FOREARM,
    [AM_POINT_RIGHT_ELBOW] = AM_ROLE_RIGHT_FOREARM,
    [AM_POINT_LEFT_HAND] = AM_ROLE_LEFT_HAND,
    [AM_POINT_RIGHT_HAND] = AM_ROLE_RIGHT_HAND,
    [AM_POINT_LEFT_ARM] = AM_ROLE_LEFT_ARM,
    [AM_POINT_RIGHT_ARM] = AM_ROLE_RIGHT_ARM,
    [AM_POINT_LEFT_HEEL] = AM_ROLE_LEFT_FOOT,
    [AM_POINT_RIGHT_HEEL] = AM_ROLE_RIGHT_FOOT,
};

/// Length of the bones from a joint up to an ancestor.
static float chain_length(const am_skeleton *skeleton, int from, int up_to)
{
    float length = 0.0f;
    for (int j = from; j >= 0 && j != up_to; j = skeleton->parents[j]) {
        length += am_v3_length(skeleton->offsets[j]);
    }
    return length;
}

am_body am_body_find(const am_skeleton *skeleton, const am_roles *roles)
{
    am_body body = { .has = 0 };
    for (int p = 0; p < AM_POINT_COUNT; p++) {
        body.joint[p] = roles->joint[roles_of[p]];
        body.has |= body.joint[p] >= 0 ? 1u << p : 0u;
    }
    for (int side = 0; side < 2; side++) {
        int ankle = body.joint[AM_POINT_LEFT_ANKLE + side];
        int toe = body.joint[AM_POINT_LEFT_TOE + side];
        if (ankle >= 0 && toe >= 0) {
            body.heels[side] = ami_heel_offset(skeleton, ankle, toe);
        } else {
            body.has &= ~(1u << (AM_POINT_LEFT_HEEL + side));
        }
    }
    int ankle = body.joint[AM_POINT_LEFT_ANKLE];
    int thigh = body.joint[AM_POINT_LEFT_THIGH];
    body.leg_m = ankle >= 0 && thigh >= 0 ? chain_length(skeleton, ankle, thigh) : 0.0f;
    return body;
}

void am_body_take(am_vec3 *out, const am_body *body, const am_transform *world)
{
    for (int p = 0; p < AM_POINT_COUNT; p++) {
        bool there = (body->has >> p & 1) != 0;
        out[p] = there ? world[body->joint[p]].translation : am_v3_zero();
        if (there && p >= AM_POINT_LEFT_HEEL) {
            out[p] = am_transform_point(world[body->joint[p]], body->heels[p - AM_POINT_LEFT_HEEL]);
        }
    }
}

bool am_motion_usable(const am_motion *m)
{
    uint32_t needed = 1u << AM_POINT_HIPS;
    for (int p = AM_POINT_LEFT_THIGH; p <= AM_POINT_RIGHT_TOE; p++) {
        needed |= 1u << p;
    }
    return (m->body.has & needed) == needed && m->body.leg_m > 0.05f && m->fps > 0.0f;
}

static float low_percentile(const am_motion *m, int left, float *room)
{
    for (int f = 0; f < m->frames; f++) {
        room[f] = am_min(ami_point(m, f, left).y, ami_point(m, f, left + 1).y);
    }
    ami_sort_floats(room, m->frames);
    return m->frames > 0 ? ami_quantile(room, m->frames, 0.01f) : 0.0f;
}

am_floor am_motion_floor(const am_motion *m, float *room)
{
    am_floor floor;
    floor.toe_m = low_percentile(m, AM_POINT_LEFT_TOE, room);
    floor.heel_m = low_percentile(m, AM_POINT_LEFT_HEEL, room);
    return floor;
}

am_vec3 ami_point_velocity(const am_motion *m, int frame, int point, float window_s)
{
    int half = ami_frames(m, 0.5f * window_s);
    int from = frame - half < 0 ? 0 : frame - half;
    int to = frame + half >= m->frames ? m->frames - 1 : frame + half;
    am_vec3 way = am_v3_sub(ami_point(m, to, point), ami_point(m, from, point));
    return to > from ? am_v3_scale(am_v3_ground(way), m->fps / (float)(to - from)) : am_v3_zero();
}

float ami_speed(const am_motion *m, int frame)
{
    return am_v3_length(ami_point_velocity(m, frame, AM_POINT_HIPS, 0.5f));
}

float ami_foot_height(const am_motion *m, int frame, int side)
{
    float toe = ami_point(m, frame, AM_POINT_LEFT_TOE + side).y - m->floor.toe_m;
    float heel = ami_point(m, frame, AM_POINT_LEFT_HEEL + side).y - m->floor.heel_m;
    return am_min(toe, heel);
}

bool ami_foot_planted(const am_motion *m, int frame, int side)
{
    if (ami_foot_height(m, frame, side) > AMI_LOW_M) {
        return false;
    }
    float toe = am_v3_length(ami_point_velocity(m, frame, AM_POINT_LEFT_TOE + side, 0.05f));
    float heel = am_v3_length(ami_point_velocity(m, frame, AM_POINT_LEFT_HEEL + side, 0.05f));
    return am_min(toe, heel) < AMI_PLANT_MPS + AMI_PLANT_SHARE * ami_speed(m, frame);
}

bool ami_in_flight(const am_motion *m, int frame)
{
    return ami_foot_height(m, frame, 0) > AMI_LOW_M && ami_foot_height(m, frame, 1) > AMI_LOW_M;
}

float ami_trunk_lean(const am_motion *m, int frame)
{
    uint32_t arms = 1u << AM_POINT_LEFT_ARM | 1u << AM_POINT_RIGHT_ARM;
    am_vec3 top = ami_point(m, frame, AM_POINT_HEAD);
    if ((m->body.has & arms) == arms) {
        top = am_v3_lerp(ami_point(m, frame, AM_POINT_LEFT_ARM), ami_point(m, frame, AM_POINT_RIGHT_ARM), 0.5f);
    } else if ((m->body.has >> AM_POINT_HEAD & 1) == 0) {
        return 0.0f;
    }
    am_vec3 trunk = am_v3_sub(top, ami_point(m, frame, AM_POINT_HIPS));
    return am_acos(am_v3_normalize_or(trunk, am_v3(0.0f, 1.0f, 0.0f)).y);
}

am_vec3 ami_facing(const am_vec3 *points, uint32_t has)
{
    am_vec3 across = am_v3_normalize_or(
        am_v3_ground(am_v3_sub(points[AM_POINT_LEFT_THIGH], points[AM_POINT_RIGHT_THIGH])), am_v3_zero());
    if ((has >> AM_POINT_LEFT_ARM & 3) == 3) {
        am_vec3 arms = am_v3_ground(am_v3_sub(points[AM_POINT_LEFT_ARM], points[AM_POINT_RIGHT_ARM]));
        across = am_v3_add(across, am_v3_normalize_or(arms, am_v3_zero()));
    }
    // left x up = forward: (x, y, z) x (0, 1, 0) = (-z, 0, x)
    return am_v3_normalize_or(am_v3(-across.z, 0.0f, across.x), am_v3(0.0f, 0.0f, 1.0f));
}
