// Converts a clip to metres, Amble's axes and hips first, and finds its rest pose: the file's own if it is usable, or
// a frame in which the person stands.
#include "doctor/examine.h"

#include "clip/faults.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/kinematics.h"

/// Roles of a rerooted clip: the same joints by name, which are unique.
static am_roles roles_after(const am_roles *roles, const am_skeleton *before, const am_skeleton *after)
{
    am_roles out = ami_roles_none();
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (roles->joint[r] >= 0) {
            out.joint[r] = (int16_t)am_skeleton_find(after, before->names[roles->joint[r]]);
        }
    }
    return out;
}

am_result ami_clip_bring_home(am_clip **out, am_roles *roles, const am_clip *clip, const am_diagnosis *diagnosis,
                              float fps, const am_alloc *alloc, am_error *err)
{
    int hips = diagnosis->roles.joint[AM_ROLE_HIPS];
    am_result result = am_clip_convert(out, clip, diagnosis->unit_m, diagnosis->axes, fps, alloc, err);
    *roles = diagnosis->roles;
    if (result != AM_OK || hips <= 0) {
        return result;
    }
    am_clip *whole = *out;
    result = am_clip_reroot(out, whole, hips, alloc, err);
    if (result == AM_OK) {
        *roles = roles_after(&diagnosis->roles, whole->skeleton, (*out)->skeleton);
    }
    am_clip_destroy(whole);
    return result;
}

am_result ami_clip_bake_rest(am_clip **out, const am_clip *clip, const am_quat *rests, const am_alloc *alloc,
                             am_error *err)
{
    const am_skeleton *from = clip->skeleton;
    size_t joints = (size_t)from->joint_count;
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.rests = NULL;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    am_result result = am_clip_create(out, &def, err);
    if (result != AM_OK) {
        return result;
    }
    am_quat model[AM_MAX_JOINTS];
    for (size_t j = 0; j < joints; j++) {
        model[j] = j > 0 ? am_quat_normalize(am_quat_mul(model[from->parents[j]], rests[j])) : rests[0];
    }
    am_clip *made = *out;
    am_vec3 *offsets = (am_vec3 *)made->skeleton->offsets; // ours until it is given away
    am_vec3 *ends = (am_vec3 *)made->skeleton->end_offsets;
    for (size_t j = 1; j < joints; j++) {
        offsets[j] = am_quat_rotate(model[from->parents[j]], offsets[j]);
    }
    for (int e = 0; e < from->end_count; e++) {
        ends[e] = am_quat_rotate(model[from->end_joints[e]], ends[e]);
    }
    for (size_t i = 0; i < (size_t)clip->frame_count * joints; i++) {
        size_t j = i % joints;
        am_quat turned = am_quat_mul(made->rotations[i], am_quat_inv(model[j]));
        made->rotations[i] = am_quat_normalize(j > 0 ? am_quat_mul(model[from->parents[j]], turned) : turned);
    }
    for (size_t i = 0; i < (size_t)clip->frame_count * (size_t)clip->moving_count; i++) {
        int joint = clip->moving[i % (size_t)clip->moving_count];
        if (joint > 0) {
            made->translations[i] = am_quat_rotate(model[from->parents[joint]], made->translations[i]);
        }
    }
    return AM_OK;
}

/// How far a pose is from standing: sum of 1 - cosine of trunk, thighs and shins with the vertical; large when one of
/// them leans by more than 35 degrees.
static float stance_cost(const am_transform *model, const am_roles *roles)
{
    const int16_t *r = roles->joint;
    float cost = 0.0f;
    for (int side = 0; side < 2; side++) {
        const int16_t *leg = r + (side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG);
        for (int i = 0; i < 2; i++) {
            am_vec3 bone = am_v3_sub(model[leg[i]].translation, model[leg[i + 1]].translation);
            float lean = 1.0f - am_v3_normalize_or(bone, am_v3_zero()).y;
            cost += lean > 0.18f ? 10.0f : lean;
        }
    }
    int top = r[AM_ROLE_HEAD] >= 0 ? r[AM_ROLE_HEAD] : r[AM_ROLE_CHEST];
    if (top >= 0) {
        am_vec3 trunk = am_v3_sub(model[top].translation, model[0].translation);
        float lean = 1.0f - am_v3_normalize_or(trunk, am_v3_zero()).y;
        cost += lean > 0.18f ? 10.0f : lean;
    }
    // Feet side by side rather than in mid-step.
    am_vec3 apart = am_v3_sub(model[r[AM_ROLE_LEFT_FOOT]].translation, model[r[AM_ROLE_RIGHT_FOOT]].translation);
    return cost + 0.5f * am_v3_length(apart);
}

/// The frame in which the person stands best, -1 when there is none. rests(joint_count) gets its pose, facing +z.
static int find_stance(am_quat *rests, float *lean, const am_clip *clip, const am_roles *roles)
{
    am_transform model[AM_MAX_JOINTS];
    int stride = 1 + clip->frame_count / 2000;
    int best = -1;
    float best_cost = 5.0f;
    for (int f = 0; f < clip->frame_count; f += stride) {
        am_clip_local(clip, f, model);
        am_fk(model, model, clip->skeleton->parents, clip->skeleton->joint_count);
        float cost = stance_cost(model, roles);
        if (cost < best_cost) {
            best_cost = cost;
            best = f;
        }
    }
    *lean = best_cost;
    if (best < 0) {
        return -1;
    }
    am_clip_local(clip, best, model);
    for (int j = 0; j < clip->skeleton->joint_count; j++) {
        rests[j] = model[j].rotation;
    }
    am_fk(model, model, clip->skeleton->parents, clip->skeleton->joint_count);
    am_vec3 left = am_v3_sub(model[roles->joint[AM_ROLE_LEFT_UP_LEG]].translation,
                             model[roles->joint[AM_ROLE_RIGHT_UP_LEG]].translation);
    // Left is +x when facing +z: the heading is that of left, a quarter turn on.
    am_quat heading = am_quat_from_heading(am_atan2(-left.z, left.x));
    rests[0] = am_quat_normalize(am_quat_mul(am_quat_inv(heading), rests[0]));
    return best;
}

am_result ami_exam_rest(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    const am_clip *clip = exam->made;
    if (exam->roles.joint[AM_ROLE_LEFT_FOOT] < 0 || exam->roles.joint[AM_ROLE_RIGHT_FOOT] < 0 ||
        ami_rest_is_stance(clip->skeleton, &exam->roles)) {
        return AM_OK;
    }
    out->rest_is_pose = true;
    int joints = clip->skeleton->joint_count;
    am_quat *rests = ami_alloc_array(&out->alloc, (size_t)joints, sizeof *rests);
    if (!rests) {
        return ami_fail_memory(err, (size_t)joints * sizeof *rests);
    }
    out->rest_frame = find_stance(rests, &out->rest_lean, clip, &exam->roles);
    if (out->rest_frame < 0) {
        ami_release(&out->alloc, rests, (size_t)joints * sizeof *rests);
        return ami_finding_add(out, "rest", -1, -1, false, err,
                               "zero rotations do not give a standing figure, and no frame of this file stands: "
                               "import it together with a file of the same rig in which the person stands");
    }
    out->rests = rests;
    out->rest_count = joints;
    return ami_finding_add(out, "rest", out->rest_frame, out->rest_frame, false, err,
                           "zero rotations do not give a standing figure: the pose of frame %d is used as rest pose",
                           out->rest_frame);
}
