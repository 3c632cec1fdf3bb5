// Pairs the joints of a reference and a source skeleton, and finds how their rest poses differ.
#include "data/rig_map.h"

#include <string.h>

#define LIMB_ANGLE (3.0f * AM_DEG) ///< limbs that differ by more are aligned
#define BODY_ANGLE                                                                                                   \
    (40.0f * AM_DEG) ///< the same for spine, neck and feet, whose joints sit differently in each
                     ///< person (CMU: up to 20 degrees) and rig without meaning another pose

// ---------------------------------------------------------------------------------------------
// Which joint is which

/// The name after its namespace ("mixamorig:Hips").
static const char *bare_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static int find_bare(const am_skeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (strcmp(bare_name(skeleton->names[j]), bare_name(name)) == 0) {
            return j;
        }
    }
    return -1;
}

static void pair_joints(ami_retarget *r)
{
    bool taken[AM_MAX_JOINTS] = { false };
    bool same = am_skeleton_same_shape(r->source, r->reference);
    for (int j = 0; j < r->reference->joint_count; j++) {
        r->pair[j] = (int16_t)(same ? j : -1);
        r->trunk_row[j] = -1;
    }
    for (int role = 0; !same && role < AM_ROLE_COUNT; role++) {
        int from = r->source_roles->joint[role];
        int to = r->reference_roles->joint[role];
        if (from >= 0 && to >= 0 && r->pair[to] < 0 && !taken[from]) {
            r->pair[to] = (int16_t)from;
            taken[from] = true;
        }
    }
    for (int j = 0; !same && j < r->reference->joint_count; j++) {
        int from = r->pair[j] < 0 ? find_bare(r->source, r->reference->names[j]) : -1;
        if (from >= 0 && !taken[from]) {
            r->pair[j] = (int16_t)from;
            taken[from] = true;
        }
    }
}

static int paired_ancestor(const ami_retarget *r, int joint)
{
    int p = r->reference->parents[joint];
    while (p >= 0 && r->pair[p] < 0 && r->trunk_row[p] < 0) {
        p = r->reference->parents[p];
    }
    return p;
}

// ---------------------------------------------------------------------------------------------
// Trunk

/// Joints from hips to chest; 0 when they are not a chain of 3 to AMI_TRUNK_MAX joints.
static int trunk_of(int16_t *out, const am_skeleton *skeleton, const am_roles *roles)
{
    int hips = roles->joint[AM_ROLE_HIPS];
    int count = 0;
    for (int j = roles->joint[AM_ROLE_CHEST]; j >= 0 && count < AMI_TRUNK_MAX; j = skeleton->parents[j]) {
        out[count++] = (int16_t)j;
        if (j == hips) {
            for (int i = 0; i < count / 2; i++) {
                int16_t swap = out[i];
                out[i] = out[count - 1 - i];
                out[count - 1 - i] = swap;
            }
            return count >= 3 ? count : 0;
        }
    }
    return 0;
}

/// Where each joint's part of the length from hips to neck begins, as a share of it; starts[count] is 1.
static bool trunk_starts(float *starts, const int16_t *trunk, int count, const am_transform *rest,
                         const am_roles *roles)
{
    int left = roles->joint[AM_ROLE_LEFT_ARM];
    int right = roles->joint[AM_ROLE_RIGHT_ARM];
    if (left < 0 || right < 0) {
        return false;
    }
    // The upper end is between the shoulders: necks begin anywhere.
    am_vec3 top = am_v3_scale(am_v3_add(rest[left].translation, rest[right].translation), 0.5f);
    starts[0] = 0.0f;
    for (int i = 1; i <= count; i++) {
        am_vec3 to = i < count ? rest[trunk[i]].translation : top;
        starts[i] = starts[i - 1] + am_v3_distance(rest[trunk[i - 1]].translation, to);
    }
    float length = starts[count];
    for (int i = 1; i <= count; i++) {
        starts[i] /= length;
    }
    return length > 1e-4f;
}

/// True when the trunks have the same joints at much the same places, so that pairing them one by one is right.
static bool same_trunk(const ami_retarget *r, const int16_t *trunk, int count, const float *from, const float *to)
{
    bool same = count == r->source_trunk_count;
    for (int i = 0; same && i < count; i++) {
        same = r->pair[trunk[i]] == r->source_trunk[i] && am_abs(from[i] - to[i]) < 0.1f;
    }
    return same;
}

static void share_trunk(ami_retarget *r)
{
    int16_t trunk[AMI_TRUNK_MAX];
    float from[AMI_TRUNK_MAX + 1];
    float to[AMI_TRUNK_MAX + 1];
    int count = trunk_of(trunk, r->reference, r->reference_roles);
    r->source_trunk_count = trunk_of(r->source_trunk, r->source, r->source_roles);
    if (am_skeleton_same_shape(r->source, r->reference) || count == 0 || r->source_trunk_count == 0 ||
        !trunk_starts(to, trunk, count, r->reference_rest, r->reference_roles) ||
        !trunk_starts(from, r->source_trunk, r->source_trunk_count, r->source_rest, r->source_roles) ||
        same_trunk(r, trunk, count, from, to)) {
        return;
    }
    // Hips and chest keep their partners: legs, neck and arms hang on them.
    for (int i = 1; i + 1 < count; i++) {
        float *share = r->trunk_share[i];
        float middle = 0.5f * (to[i] + to[i + 1]);
        float sum = 0.0f;
        for (int k = 0; k < r->source_trunk_count; k++) {
            float overlap = am_min(to[i + 1], from[k + 1]) - am_max(to[i], from[k]);
            // A bone without length takes the one source bone it sits on.
            bool on = to[i + 1] - to[i] < 1e-4f && middle >= from[k] && middle < from[k + 1];
            share[k] = on ? 1.0f : am_max(overlap, 0.0f);
            sum += share[k];
        }
        for (int k = 0; k < r->source_trunk_count; k++) {
            share[k] /= sum;
        }
        r->trunk_row[trunk[i]] = (int8_t)(sum > 1e-6f ? i : -1);
    }
}

// ---------------------------------------------------------------------------------------------
// Rest poses

/// Heading of a rest pose: across the hips and shoulders. False when neither is known.
static bool rest_heading(float *out, const am_transform *rest, const am_roles *roles)
{
    static const am_role sides[2][2] = { { AM_ROLE_LEFT_UP_LEG, AM_ROLE_RIGHT_UP_LEG },
                                         { AM_ROLE_LEFT_ARM, AM_ROLE_RIGHT_ARM } };
    am_vec3 across = am_v3_zero();
    for (int i = 0; i < 2; i++) {
        int left = roles->joint[sides[i][0]];
        int right = roles->joint[sides[i][1]];
        if (left >= 0 && right >= 0) {
            am_vec3 way = am_v3_sub(rest[left].translation, rest[right].translation);
            across = am_v3_add(across, am_v3_normalize_or(am_v3_ground(way), am_v3_zero()));
        }
    }
    *out = am_atan2(-across.z, across.x);
    return am_v3_length2(across) > 0.01f;
}

/// The joint whose direction defines the orientation of this role, and by how much it may differ.
typedef struct bone_role {
    am_role from, to;
    float most;
} bone_role;

// Not the collars: one rig has them at the neck, another in the middle of the chest.
static const bone_role bone_roles[] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, LIMB_ANGLE },
    { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, LIMB_ANGLE },
    { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE, BODY_ANGLE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, LIMB_ANGLE },
    { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, LIMB_ANGLE },
    { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE, BODY_ANGLE },
    { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, LIMB_ANGLE },
    { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND, LIMB_ANGLE },
    { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM, LIMB_ANGLE },
    { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND, LIMB_ANGLE },
    { AM_ROLE_SPINE, AM_ROLE_CHEST, BODY_ANGLE },
    { AM_ROLE_NECK, AM_ROLE_HEAD, BODY_ANGLE },
};

static am_vec3 rest_bone(const am_transform *rest, const am_roles *roles, const bone_role *bone)
{
    int from = roles->joint[bone->from];
    int to = roles->joint[bone->to];
    if (from < 0 || to < 0) {
        return am_v3_zero();
    }
    return am_v3_normalize_or(am_v3_sub(rest[to].translation, rest[from].translation), am_v3_zero());
}

/// The rotation, beyond that of its parent, that aligns reference joint j's rest pose with the source's.
static am_quat lay_along(const ami_retarget *r, int joint, am_quat above)
{
    for (size_t i = 0; i < sizeof bone_roles / sizeof bone_roles[0]; i++) {
        const bone_role *bone = &bone_roles[i];
        if (r->reference_roles->joint[bone->from] != joint) {
            continue;
        }
        am_vec3 want = rest_bone(r->source_rest, r->source_roles, bone);
        am_vec3 have = am_quat_rotate(above, rest_bone(r->reference_rest, r->reference_roles, bone));
        // A bone without length has no direction (CMU's neck sits on its chest).
        if (am_v3_length2(want) > 0.5f && am_v3_length2(have) > 0.5f && am_acos(am_v3_dot(want, have)) > bone->most) {
            return am_quat_mul(am_quat_between(have, want), above);
        }
    }
    return above;
}

static bool near_identity(am_quat q)
{
    // Half angle below 1e-5: rounding error.
    return q.x * q.x + q.y * q.y + q.z * q.z < 1e-10f;
}

static void compare_rests(ami_retarget *r)
{
    float source = 0.0f;
    float reference = 0.0f;
    am_quat facing = am_quat_identity();
    if (rest_heading(&source, r->source_rest, r->source_roles) &&
        rest_heading(&reference, r->reference_rest, r->reference_roles) &&
        am_abs(am_wrap_angle(source - reference)) > 10.0f * AM_DEG) {
        facing = am_quat_from_heading(am_wrap_angle(source - reference));
    }
    for (int j = 0; j < r->reference->joint_count; j++) {
        int above = paired_ancestor(r, j);
        int from = r->pair[j];
        r->lay[j] = lay_along(r, j, above < 0 ? facing : r->lay[above]);
        am_quat laid = am_quat_mul(r->lay[j], r->reference_rest[j].rotation);
        bool alone = from < 0 || r->trunk_row[j] >= 0;
        r->after[j] = alone ? laid : am_quat_mul(am_quat_inv(r->source_rest[from].rotation), laid);
    }
    for (int j = 0; j < r->reference->joint_count; j++) {
        int p = r->reference->parents[j];
        int from = r->pair[j];
        bool whole = p < 0 ? from == 0
                           : from >= 0 && r->pair[p] >= 0 && r->source->parents[from] == r->pair[p] &&
                                 r->trunk_row[p] < 0 && near_identity(r->after[p]);
        r->copied[j] = whole && r->trunk_row[j] < 0 && near_identity(r->after[j]);
    }
}

static float leg_length(const am_transform *rest, const am_roles *roles)
{
    static const am_role legs[2][3] = { { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT },
                                        { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT } };
    float sum = 0.0f;
    for (int side = 0; side < 2; side++) {
        int hip = roles->joint[legs[side][0]];
        int knee = roles->joint[legs[side][1]];
        int ankle = roles->joint[legs[side][2]];
        if (hip < 0 || knee < 0 || ankle < 0) {
            return 0.0f;
        }
        sum += am_v3_distance(rest[hip].translation, rest[knee].translation) +
               am_v3_distance(rest[knee].translation, rest[ankle].translation);
    }
    return 0.5f * sum;
}

void ami_rest_model(am_transform *out, const am_skeleton *skeleton)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        am_transform local = { skeleton->rests[j], skeleton->offsets[j] };
        out[j] = j == 0 ? local : am_transform_mul(out[skeleton->parents[j]], local);
    }
}

void ami_retarget_prepare(ami_retarget *r)
{
    ami_rest_model(r->source_rest, r->source);
    ami_rest_model(r->reference_rest, r->reference);
    pair_joints(r);
    share_trunk(r);
    compare_rests(r);
    float source = leg_length(r->source_rest, r->source_roles);
    float reference = leg_length(r->reference_rest, r->reference_roles);
    r->scale = source > 1e-4f && reference > 1e-4f ? reference / source : 1.0f;
}
