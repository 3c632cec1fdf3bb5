// The synthetic body: a T-pose with identity rotations and the joint names of common rigs.
#include "synth/synth.h"
#include "data/kinematics.h"

static const int16_t parents[J_COUNT] = {
    -1,         J_HIPS,         J_SPINE,  J_SPINE1,         J_SPINE2,    J_NECK,          J_SPINE2, J_LEFT_SHOULDER,
    J_LEFT_ARM, J_LEFT_FOREARM, J_SPINE2, J_RIGHT_SHOULDER, J_RIGHT_ARM, J_RIGHT_FOREARM, J_HIPS,   J_LEFT_UP_LEG,
    J_LEFT_LEG, J_LEFT_FOOT,    J_HIPS,   J_RIGHT_UP_LEG,   J_RIGHT_LEG, J_RIGHT_FOOT,
};

static const char *const names[J_COUNT] = {
    "Hips",         "Spine",     "Spine1",      "Spine2",       "Neck",          "Head",
    "LeftShoulder", "LeftArm",   "LeftForeArm", "LeftHand",     "RightShoulder", "RightArm",
    "RightForeArm", "RightHand", "LeftUpLeg",   "LeftLeg",      "LeftFoot",      "LeftToeBase",
    "RightUpLeg",   "RightLeg",  "RightFoot",   "RightToeBase",
};

static const am_vec3 offsets[J_COUNT] = {
    { 0.0f, BODY_REST_M, 0.0f },
    { 0.0f, 0.095f, -0.010f },
    { 0.0f, 0.125f, -0.005f },
    { 0.0f, 0.125f, 0.005f },
    { 0.0f, 0.175f, 0.010f },
    { 0.0f, 0.090f, 0.015f },
    { 0.030f, 0.125f, 0.010f },
    { 0.145f, -0.005f, -0.010f },
    { 0.285f, 0.0f, 0.0f },
    { 0.255f, 0.0f, 0.0f },
    { -0.030f, 0.125f, 0.010f },
    { -0.145f, -0.005f, -0.010f },
    { -0.285f, 0.0f, 0.0f },
    { -0.255f, 0.0f, 0.0f },
    { BODY_HIP_SIDE_M, -BODY_HIP_DROP_M, 0.0f },
    { 0.0f, -BODY_THIGH_M, 0.0f },
    { 0.0f, -BODY_SHANK_M, 0.0f },
    { 0.0f, BODY_SOLE_M - BODY_ANKLE_M, BODY_BALL_M },
    { -BODY_HIP_SIDE_M, -BODY_HIP_DROP_M, 0.0f },
    { 0.0f, -BODY_THIGH_M, 0.0f },
    { 0.0f, -BODY_SHANK_M, 0.0f },
    { 0.0f, BODY_SOLE_M - BODY_ANKLE_M, BODY_BALL_M },
};

static const int16_t end_joints[] = { J_HEAD, J_LEFT_HAND, J_RIGHT_HAND, J_LEFT_TOE, J_RIGHT_TOE };
static const am_vec3 end_offsets[] = {
    { 0.0f, 0.165f, 0.0f },      { 0.175f, 0.0f, 0.0f },      { -0.175f, 0.0f, 0.0f },
    { 0.0f, 0.0f, BODY_TOES_M }, { 0.0f, 0.0f, BODY_TOES_M },
};
static const int16_t moving[] = { J_HIPS };

void ami_synth_figure(am_clip_def *def)
{
    def->joint_count = J_COUNT;
    def->parents = parents;
    def->names = names;
    def->offsets = offsets;
    def->end_count = (int)(sizeof end_joints / sizeof end_joints[0]);
    def->end_joints = end_joints;
    def->end_offsets = end_offsets;
    def->moving_count = 1;
    def->moving = moving;
}

am_roles ami_synth_roles(void)
{
    am_roles roles = ami_roles_none();
    static const struct {
        int16_t role, joint;
    } table[] = {
        { AM_ROLE_HIPS, J_HIPS },
        { AM_ROLE_SPINE, J_SPINE },
        { AM_ROLE_CHEST, J_SPINE2 },
        { AM_ROLE_NECK, J_NECK },
        { AM_ROLE_HEAD, J_HEAD },
        { AM_ROLE_LEFT_UP_LEG, J_LEFT_UP_LEG },
        { AM_ROLE_LEFT_LEG, J_LEFT_LEG },
        { AM_ROLE_LEFT_FOOT, J_LEFT_FOOT },
        { AM_ROLE_LEFT_TOE, J_LEFT_TOE },
        { AM_ROLE_RIGHT_UP_LEG, J_RIGHT_UP_LEG },
        { AM_ROLE_RIGHT_LEG, J_RIGHT_LEG },
        { AM_ROLE_RIGHT_FOOT, J_RIGHT_FOOT },
        { AM_ROLE_RIGHT_TOE, J_RIGHT_TOE },
        { AM_ROLE_LEFT_SHOULDER, J_LEFT_SHOULDER },
        { AM_ROLE_LEFT_ARM, J_LEFT_ARM },
        { AM_ROLE_LEFT_FOREARM, J_LEFT_FOREARM },
        { AM_ROLE_LEFT_HAND, J_LEFT_HAND },
        { AM_ROLE_RIGHT_SHOULDER, J_RIGHT_SHOULDER },
        { AM_ROLE_RIGHT_ARM, J_RIGHT_ARM },
        { AM_ROLE_RIGHT_FOREARM, J_RIGHT_FOREARM },
        { AM_ROLE_RIGHT_HAND, J_RIGHT_HAND },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        roles.joint[table[i].role] = table[i].joint;
    }
    return roles;
}
