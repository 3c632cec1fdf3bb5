// Changes unit, axes and rate, the root, or the rest pose of a clip; the motion stays the same.
#include <amble/tools/clip.h>

#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool finite_quat(am_quat q)
{
    float length2 = am_quat_dot(q, q);
    return length2 > 0.5f && length2 < 2.0f; // false for NaN too
}

// ---------------------------------------------------------------------------------------------
// Unit, axes, rate

typedef struct basis {
    am_quat axes;
    float unit_m;
} basis;

static am_vec3 to_basis(const basis *b, am_vec3 v) { return am_v3_scale(am_quat_rotate(b->axes, v), b->unit_m); }

static am_quat turn_basis(const basis *b, am_quat q)
{
    return am_quat_normalize(am_quat_mul(am_quat_mul(b->axes, q), am_quat_inv(b->axes)));
}

/// The skeleton's arrays are const for readers; a clip that is not yet published may be filled.
static void convert_skeleton(am_clip *clip, const basis *b)
{
    const am_skeleton *s = clip->skeleton;
    am_vec3 *offsets = (am_vec3 *)s->offsets;
    am_quat *rests = (am_quat *)s->rests;
    am_vec3 *end_offsets = (am_vec3 *)s->end_offsets;
    for (int j = 0; j < s->joint_count; j++) {
        offsets[j] = to_basis(b, offsets[j]);
        rests[j] = turn_basis(b, rests[j]);
    }
    for (int e = 0; e < s->end_count; e++) {
        end_offsets[e] = to_basis(b, end_offsets[e]);
    }
}

am_result am_clip_convert(am_clip **out, const am_clip *clip, float unit_m, am_quat axes, float fps,
                          const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (!(unit_m > 0.0f) || !(unit_m < 1e9f) || !finite_quat(axes)) {
        return ami_fail(
            err, AM_ERR_RANGE,
            "the unit is %g m, or the axes are not a rotation; give a length above 0 and a unit quaternion",
            (double)unit_m);
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.fps = fps > 0.0f ? fps : clip->fps;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    am_clip *made = NULL;
    am_result result = am_clip_create(&made, &def, err);
    if (result != AM_OK) {
        return result;
    }
    basis b = { am_quat_normalize(axes), unit_m };
    convert_skeleton(made, &b);
    size_t rotations = (size_t)clip->frame_count * (size_t)clip->skeleton->joint_count;
    for (size_t i = 0; i < rotations; i++) {
        made->rotations[i] = turn_basis(&b, made->rotations[i]);
    }
    size_t translations = (size_t)clip->frame_count * (size_t)clip->moving_count;
    for (size_t i = 0; i < translations; i++) {
        made->translations[i] = to_basis(&b, made->translations[i]);
    }
    *out = made;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Rest pose

am_result am_clip_set_rest(am_clip **out, const am_clip *clip, const am_quat *rests, const am_alloc *alloc,
                           am_error *err)
{
    *out = NULL;
    for (int j = 0; j < clip->skeleton->joint_count; j++) {
        if (!finite_quat(rests[j])) {
            return ami_fail(err, AM_ERR_NUMBER, "the rest rotation of joint '%s' is not a unit quaternion",
                            clip->skeleton->names[j]);
        }
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.rests = rests;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    return am_clip_create(out, &def, err);
}

// ---------------------------------------------------------------------------------------------
// Another root

/// Arrays of the smaller skeleton while a clip is rerooted.
typedef struct branch {
    int joint_count, end_count, moving_count;
    int16_t from[AM_MAX_JOINTS]; ///< old joint of each new one
    int16_t to[AM_MAX_JOINTS];   ///< new joint of each old one, -1 when dropped
    int16_t parents[AM_MAX_JOINTS];
    int16_t moving[AM_MAX_JOINTS];
    am_vec3 offsets[AM_MAX_JOINTS];
    am_quat rests[AM_MAX_JOINTS];
    const char *names[AM_MAX_JOINTS];
    am_transform model[AM_MAX_JOINTS];
} branch;

static void gather_joints(branch *b, const am_skeleton *s, int root)
{
    ami_rest_model(b->model, s);
    for (int j = 0; j < s->joint_count; j++) {
        int parent = j > root ? b->to[s->parents[j]] : -1;
        b->to[j] = -1;
        if (j != root && parent < 0) {
            continue;
        }
        int n = b->joint_count++;
        b->to[j] = (int16_t)n;
        b->from[n] = (int16_t)j;
        b->parents[n] = (int16_t)parent;
        b->names[n] = s->names[j];
        b->offsets[n] = j == root ? b->model[j].translation : s->offsets[j];
        b->rests[n] = j == root ? b->model[j].rotation : s->rests[j];
    }
}

/// The new root always moves; others keep what they had.
static void gather_moving(branch *b, const am_clip *clip, int root)
{
    b->moving[b->moving_count++] = 0;
    for (int m = 0; m < clip->moving_count; m++) {
        int joint = clip->moving[m];
        if (joint != root && b->to[joint] >= 0) {
            b->moving[b->moving_count++] = b->to[joint];
        }
    }
}

static int gather_ends(int16_t *joints, am_vec3 *offsets, const branch *b, const am_skeleton *s)
{
    int count = 0;
    for (int e = 0; e < s->end_count; e++) {
        if (b->to[s->end_joints[e]] >= 0) {
            joints[count] = b->to[s->end_joints[e]];
            offsets[count++] = s->end_offsets[e];
        }
    }
    return count;
}

static void fill_rerooted(am_clip *made, const branch *b, const am_clip *clip, int root)
{
    size_t old_joints = (size_t)clip->skeleton->joint_count;
    for (int f = 0; f < clip->frame_count; f++) {
        const am_quat *from = clip->rotations + (size_t)f * old_joints;
        am_quat *to = made->rotations + (size_t)f * (size_t)b->joint_count;
        for (int n = 1; n < b->joint_count; n++) {
            to[n] = from[b->from[n]];
        }
        am_transform model = ami_joint_model(clip, f, root);
        to[0] = am_quat_normalize(model.rotation);
        am_vec3 *translations = made->translations + (size_t)f * (size_t)b->moving_count;
        translations[0] = model.translation;
        int m = 1;
        for (int i = 0; i < clip->moving_count; i++) {
            if (clip->moving[i] != root && b->to[clip->moving[i]] >= 0) {
                translations[m++] = clip->translations[(size_t)f * (size_t)clip->moving_count + (size_t)i];
            }
        }
    }
}

static am_result build_branch(am_clip **out, branch *b, const am_clip *clip, int root, const am_alloc *alloc,
                              am_error *err)
{
    const am_skeleton *s = clip->skeleton;
    size_t ends = (size_t)s->end_count;
    size_t size = ends * (sizeof(am_vec3) + sizeof(int16_t));
    am_vec3 *end_offsets = ami_alloc_zero(alloc, size);
    if (!end_offsets) {
        return ami_fail_memory(err, size);
    }
    int16_t *end_joints = (int16_t *)(void *)(end_offsets + ends);
    gather_joints(b, s, root);
    gather_moving(b, clip, root);
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.joint_count = b->joint_count;
    def.end_count = gather_ends(end_joints, end_offsets, b, s);
    def.frame_count = clip->frame_count;
    def.moving_count = b->moving_count;
    def.parents = b->parents;
    def.offsets = b->offsets;
    def.rests = b->rests;
    def.names = b->names;
    def.end_joints = end_joints;
    def.end_offsets = end_offsets;
    def.moving = b->moving;
    am_result result = am_clip_create(out, &def, err);
    ami_release(alloc, end_offsets, size);
    if (result == AM_OK) {
        fill_rerooted(*out, b, clip, root);
    }
    return result;
}

am_result am_clip_reroot(am_clip **out, const am_clip *clip, int joint, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (joint < 0 || joint >= clip->skeleton->joint_count) {
        return ami_fail(err, AM_ERR_RANGE, "joint %d cannot be the root; the skeleton has %d joints", joint,
                        clip->skeleton->joint_count);
    }
    am_alloc a = ami_alloc_or_default(alloc);
    branch *b = ami_alloc_zero(&a, sizeof *b);
    if (!b) {
        return ami_fail_memory(err, sizeof *b);
    }
    am_result result = build_branch(out, b, clip, joint, &a, err);
    ami_release(&a, b, sizeof *b);
    return result;
}
