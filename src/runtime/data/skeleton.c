// Skeleton look-ups and the names of roles.
#include <amble/skeleton.h>

#include "data/kinematics.h"

#include <string.h>

int am_skeleton_find(const am_skeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (strcmp(skeleton->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

bool am_skeleton_same_shape(const am_skeleton *a, const am_skeleton *b)
{
    if (a->joint_count != b->joint_count) {
        return false;
    }
    for (int j = 0; j < a->joint_count; j++) {
        if (a->parents[j] != b->parents[j] || strcmp(a->names[j], b->names[j]) != 0) {
            return false;
        }
    }
    return true;
}

static const char *const role_names[AM_ROLE_COUNT] = {
    "hips",      "spine",        "chest",        "neck",           "head",       "left_up_leg",   "left_leg",
    "left_foot", "left_toe",     "right_up_leg", "right_leg",      "right_foot", "right_toe",     "left_shoulder",
    "left_arm",  "left_forearm", "left_hand",    "right_shoulder", "right_arm",  "right_forearm", "right_hand",
};

const char *am_role_name(am_role role) { return (int)role >= 0 && role < AM_ROLE_COUNT ? role_names[role] : "none"; }

int am_role_find(const char *name)
{
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (strcmp(role_names[r], name) == 0) {
            return r;
        }
    }
    return -1;
}

am_roles ami_roles_none(void)
{
    am_roles roles;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        roles.joint[r] = -1;
    }
    return roles;
}
