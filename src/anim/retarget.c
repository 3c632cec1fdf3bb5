// Retargeting: the motion of one skeleton on another. Each joint of the reference turns away from its rest pose
// as its partner does, in model space; where the rest poses point limbs differently, the reference's limb is
// first laid along the source's. For two skeletons of one rig this is the same as copying local rotations, and
// is then done so. The hip sockets travel in proportion to leg length.
#include <amble/motion.h>

#include "anim/contacts.h"
#include "anim/filter.h"
#include "anim/plant.h"
#include "anim/track.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define LIMB_ANGLE (3.0f * AM_DEG)   ///< limbs that point apart by more are laid along each other
#define BODY_ANGLE (25.0f * AM_DEG)  ///< the same for trunk, collars, feet, whose joints sit differently in
                                     ///< each person (CMU: up to 20 degrees) without meaning another pose

am_retarget_def am_retarget_def_default(void)
{
    am_retarget_def def = { .floor_m = NAN, .reference_floor_m = 0.02f, .ik = true, .cookie = AM_COOKIE };
    return def;
}

/// Everything about the two skeletons that does not change from frame to frame.
typedef struct retarget {
    const am_skeleton *source, *reference;
    const am_roles    *source_roles, *reference_roles;
    int16_t      pair[AM_MAX_JOINTS];  ///< source joint of each reference joint, -1 for none
    bool         copied[AM_MAX_JOINTS];///< local rotation taken over as it is
    am_quat      lay[AM_MAX_JOINTS];   ///< turns the reference's rest pose towards the source's, model space
    am_quat      after[AM_MAX_JOINTS]; ///< reference rotation = source rotation * after, model space
    am_transform source_rest[AM_MAX_JOINTS], reference_rest[AM_MAX_JOINTS];
    am_quat      source_model[AM_MAX_JOINTS];
    float        scale;
} retarget;

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

static void pair_joints(retarget *r)
{
    bool taken[AM_MAX_JOINTS] = { false };
    bool same = am_skeleton_same_shape(r->source, r->reference);
    for (int j = 0; j < r->reference->joint_count; j++) {
        r->pair[j] = (int16_t)(same ? j : -1);
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

static int paired_ancestor(const retarget *r, int joint)
{
    int p = r->reference->parents[joint];
    while (p >= 0 && r->pair[p] < 0) {
        p = r->reference->parents[p];
    }
    return p;
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

/// Joint whose direction tells how a joint of this role lies, and by how much it may differ.
typedef struct bone_role {
    am_role from, to;
    float   most;
} bone_role;

static const bone_role bone_roles[] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, LIMB_ANGLE },
    { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, LIMB_ANGLE },
    { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE, BODY_ANGLE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, LIMB_ANGLE },
    { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, LIMB_ANGLE },
    { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE, BODY_ANGLE },
    { AM_ROLE_LEFT_SHOULDER, AM_ROLE_LEFT_ARM, BODY_ANGLE },
    { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM, LIMB_ANGLE },
    { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND, LIMB_ANGLE },
    { AM_ROLE_RIGHT_SHOULDER, AM_ROLE_RIGHT_ARM, BODY_ANGLE },
    { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM, LIMB_ANGLE },
    { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND, LIMB_ANGLE },
    { AM_ROLE_SPINE, AM_ROLE_CHEST, BODY_ANGLE },
    { AM_ROLE_CHEST, AM_ROLE_NECK, BODY_ANGLE },
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

/// What reference joint j's rest pose must be turned by, beyond what its parent's was, to lie as the source's.
static am_quat lay_along(const retarget *r, int joint, am_quat above)
{
    for (size_t i = 0; i < sizeof bone_roles / sizeof bone_roles[0]; i++) {
        const bone_role *bone = &bone_roles[i];
        if (r->reference_roles->joint[bone->from] != joint) {
            continue;
        }
        am_vec3 want = rest_bone(r->source_rest, r->source_roles, bone);
        am_vec3 have = am_quat_rotate(above, rest_bone(r->reference_rest, r->reference_roles, bone));
        // A bone without length has no direction (CMU's neck sits on its chest).
        if (am_v3_length2(want) > 0.5f && am_v3_length2(have) > 0.5f &&
            am_acos(am_v3_dot(want, have)) > bone->most) {
            return am_quat_mul(am_quat_between(have, want), above);
        }
    }
    return above;
}

static bool near_identity(am_quat q)
{
    // Half angle below 1e-5: what rounding leaves.
    return q.x * q.x + q.y * q.y + q.z * q.z < 1e-10f;
}

static void prepare_rest(retarget *r)
{
    ami_rest_model(r->source_rest, r->source);
    ami_rest_model(r->reference_rest, r->reference);
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
        if (from >= 0) {
            am_quat laid = am_quat_mul(r->lay[j], r->reference_rest[j].rotation);
            r->after[j] = am_quat_mul(am_quat_inv(r->source_rest[from].rotation), laid);
        }
    }
    for (int j = 0; j < r->reference->joint_count; j++) {
        int p = r->reference->parents[j];
        int from = r->pair[j];
        bool whole = p < 0 ? from == 0
                           : from >= 0 && r->pair[p] >= 0 && r->source->parents[from] == r->pair[p] &&
                                 near_identity(r->after[p]);
        r->copied[j] = whole && near_identity(r->after[j]);
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

// ---------------------------------------------------------------------------------------------
// Frames

/// Middle of the hip sockets, or the hips themselves where a rig names none.
static am_vec3 socket_middle(const am_clip *clip, int frame, const am_roles *roles)
{
    int left = roles->joint[AM_ROLE_LEFT_UP_LEG];
    int right = roles->joint[AM_ROLE_RIGHT_UP_LEG];
    if (left < 0 || right < 0) {
        int hips = roles->joint[AM_ROLE_HIPS] >= 0 ? roles->joint[AM_ROLE_HIPS] : 0;
        return ami_joint_model(clip, frame, hips).translation;
    }
    return am_v3_scale(am_v3_add(ami_joint_model(clip, frame, left).translation,
                                 ami_joint_model(clip, frame, right).translation), 0.5f);
}

static void transfer_rotations(am_quat *out, retarget *r, const am_quat *from)
{
    am_quat model[AM_MAX_JOINTS];
    for (int j = 0; j < r->source->joint_count; j++) {
        r->source_model[j] = j == 0 ? from[0] : am_quat_mul(r->source_model[r->source->parents[j]], from[j]);
    }
    for (int j = 0; j < r->reference->joint_count; j++) {
        int p = r->reference->parents[j];
        am_quat above = p < 0 ? am_quat_identity() : model[p];
        if (r->pair[j] < 0) {
            out[j] = r->reference->rests[j];
            model[j] = am_quat_mul(above, out[j]);
        } else {
            model[j] = am_quat_normalize(am_quat_mul(r->source_model[r->pair[j]], r->after[j]));
            out[j] = r->copied[j] ? from[r->pair[j]] : am_quat_normalize(am_quat_mul(am_quat_inv(above), model[j]));
        }
    }
}

static void transfer_frames(am_clip *made, retarget *r, const am_clip *clip, float floor_m, float reference_floor_m)
{
    for (int f = 0; f < clip->frame_count; f++) {
        const am_quat *from = clip->rotations + (size_t)f * (size_t)r->source->joint_count;
        transfer_rotations(made->rotations + (size_t)f * (size_t)r->reference->joint_count, r, from);
        am_vec3 at = socket_middle(clip, f, r->source_roles);
        at.y -= floor_m;
        at = am_v3_scale(at, r->scale);
        at.y += reference_floor_m;
        am_vec3 *root = &made->translations[f];
        *root = am_v3_zero();
        *root = am_v3_sub(at, socket_middle(made, f, r->reference_roles));
    }
}

/// Median height of the toes in contact; false without contacts.
static bool stance_height(float *out, const am_clip *clip, const int toes[2], const uint8_t *contacts, float *heights,
                          am_vec3 *positions)
{
    int count = 0;
    for (int side = 0; side < 2; side++) {
        ami_joint_positions(positions, clip, toes[side]);
        for (int f = 0; f < clip->frame_count; f++) {
            if (contacts[f] & (side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT)) {
                heights[count++] = positions[f].y;
            }
        }
    }
    if (count == 0) {
        return false;
    }
    ami_sort_floats(heights, count);
    *out = ami_quantile(heights, count, 0.5f);
    return true;
}

/// Moves the whole clip so that toes in contact stand at the reference's floor.
static am_result settle(am_clip *made, const am_retarget_def *def, const uint8_t *contacts, const am_alloc *alloc,
                        am_error *err)
{
    int toes[2];
    am_result result = ami_check_toes(toes, made, def->reference_roles, err);
    if (result != AM_OK) {
        return result;
    }
    size_t frames = (size_t)made->frame_count;
    size_t size = frames * (sizeof(am_vec3) + 2 * sizeof(float));
    am_vec3 *positions = ami_alloc_zero(alloc, size);
    if (!positions) {
        return ami_fail_memory(err, size);
    }
    float height = 0.0f;
    if (stance_height(&height, made, toes, contacts, (float *)(void *)(positions + frames), positions)) {
        for (size_t f = 0; f < frames; f++) {
            made->translations[f].y += def->reference_floor_m - height;
        }
    }
    ami_release(alloc, positions, size);
    return AM_OK;
}

static am_result find_contacts(uint8_t *contacts, float *floor_m, const am_clip *clip, const am_retarget_def *def,
                               const am_alloc *alloc, am_error *err)
{
    am_result result = AM_OK;
    *floor_m = def->floor_m;
    if (!(*floor_m == *floor_m)) {
        result = am_floor_find(floor_m, clip, def->roles, alloc, err);
    }
    am_contact_def contact = am_contact_def_default();
    contact.floor_m = *floor_m;
    return result == AM_OK ? am_contacts_find(contacts, clip, def->roles, &contact, alloc, err) : result;
}

static am_result fill(am_clip *made, retarget *r, const am_clip *clip, const am_retarget_def *def,
                      const am_alloc *alloc, am_error *err)
{
    size_t frames = (size_t)clip->frame_count;
    uint8_t *contacts = ami_alloc_zero(alloc, frames);
    if (!contacts) {
        return ami_fail_memory(err, frames);
    }
    float floor_m = 0.0f;
    am_result result = find_contacts(contacts, &floor_m, clip, def, alloc, err);
    if (result == AM_OK) {
        transfer_frames(made, r, clip, floor_m, def->reference_floor_m);
        result = settle(made, def, contacts, alloc, err);
    }
    if (result == AM_OK && def->ik) {
        ami_plant plant = { made, clip, def->reference_roles, def->roles, contacts, r->scale, def->reference_floor_m };
        result = ami_plant_feet(&plant, alloc, err);
    }
    ami_release(alloc, contacts, frames);
    return result;
}

// ---------------------------------------------------------------------------------------------

static am_result check_roles(const am_roles *roles, const am_skeleton *skeleton, am_error *err)
{
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (roles->joint[r] >= skeleton->joint_count) {
            return ami_fail(err, AM_ERR_ROLE, "role '%s' names joint %d of a skeleton of %d",
                            am_role_name((am_role)r), roles->joint[r], skeleton->joint_count);
        }
    }
    return AM_OK;
}

static am_result check_def(const am_clip *clip, const am_retarget_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->reference || !def->reference_roles || !def->roles ||
        !(am_abs(def->reference_floor_m) < 1e6f)) {
        return ami_fail(err, AM_ERR_DEF, "a retarget def needs the reference skeleton, both roles and a finite floor, "
                        "begun from its default");
    }
    if (clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "clip '%s' has no frames", clip->name);
    }
    am_result result = check_roles(def->roles, clip->skeleton, err);
    return result == AM_OK ? check_roles(def->reference_roles, def->reference, err) : result;
}

static am_clip_def describe(const am_skeleton *s, const am_clip *clip, const int16_t *moving, const am_alloc *alloc)
{
    am_clip_def def = am_clip_def_default();
    def.alloc = alloc;
    def.joint_count = s->joint_count;
    def.end_count = s->end_count;
    def.frame_count = clip->frame_count;
    def.moving_count = 1;
    def.fps = clip->fps;
    def.parents = s->parents;
    def.offsets = s->offsets;
    def.rests = s->rests;
    def.names = s->names;
    def.end_joints = s->end_joints;
    def.end_offsets = s->end_offsets;
    def.moving = moving;
    def.name = clip->name;
    return def;
}

am_result am_clip_retarget(am_clip **out, const am_clip *clip, const am_retarget_def *def, const am_alloc *alloc,
                           am_error *err)
{
    *out = NULL;
    am_result result = check_def(clip, def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    retarget *r = ami_alloc_zero(&a, sizeof *r);
    if (!r) {
        return ami_fail_memory(err, sizeof *r);
    }
    r->source = clip->skeleton;
    r->reference = def->reference;
    r->source_roles = def->roles;
    r->reference_roles = def->reference_roles;
    pair_joints(r);
    prepare_rest(r);
    float source_leg = leg_length(r->source_rest, r->source_roles);
    float reference_leg = leg_length(r->reference_rest, r->reference_roles);
    r->scale = source_leg > 1e-4f && reference_leg > 1e-4f ? reference_leg / source_leg : 1.0f;
    static const int16_t moving[1] = { 0 };
    am_clip_def made_def = describe(def->reference, clip, moving, &a);
    am_clip *made = NULL;
    result = am_clip_create(&made, &made_def, err);
    if (result == AM_OK) {
        result = fill(made, r, clip, def, &a, err);
    }
    if (result != AM_OK) {
        am_clip_destroy(made);
        made = NULL;
    }
    ami_release(&a, r, sizeof *r);
    *out = made;
    return result;
}
