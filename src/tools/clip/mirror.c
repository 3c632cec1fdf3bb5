// Mirroring in the plane x = 0: each joint takes its partner's rotation away from the rest pose, reflected.
// In model space and relative to the rest pose, so that joint axes need not be symmetrical; the rest pose
// itself should be.
#include <amble/tools/clip.h>

#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

static am_quat reflect_quat(am_quat q) { return am_q(q.x, -q.y, -q.z, q.w); }

static am_vec3 reflect_v3(am_vec3 v) { return am_v3(-v.x, v.y, v.z); }

typedef struct mirror {
    const int16_t *map;
    int16_t moving[AM_MAX_JOINTS];
    int moving_count;
    am_transform rest[AM_MAX_JOINTS];  ///< model space
    am_transform local[AM_MAX_JOINTS]; ///< one source frame
    am_quat model[AM_MAX_JOINTS];      ///< rotations of the source frame
    am_quat made[AM_MAX_JOINTS];       ///< rotations of the mirrored frame, model space
} mirror;

/// Joints that move, and the partners of those.
static void gather_moving(mirror *m, const am_clip *clip)
{
    bool moves[AM_MAX_JOINTS] = { false };
    for (int i = 0; i < clip->moving_count; i++) {
        moves[clip->moving[i]] = true;
        moves[m->map[clip->moving[i]]] = true;
    }
    for (int j = 0; j < clip->skeleton->joint_count; j++) {
        if (moves[j]) {
            m->moving[m->moving_count++] = (int16_t)j;
        }
    }
}

static void mirror_rotations(am_quat *out, mirror *m, const am_skeleton *s)
{
    for (int j = 0; j < s->joint_count; j++) {
        am_quat own = m->local[j].rotation;
        m->model[j] = j == 0 ? own : am_quat_mul(m->model[s->parents[j]], own);
    }
    for (int j = 0; j < s->joint_count; j++) {
        int partner = m->map[j];
        am_quat away = am_quat_mul(m->model[partner], am_quat_inv(m->rest[partner].rotation));
        m->made[j] = am_quat_mul(reflect_quat(away), m->rest[j].rotation);
        am_quat local = j == 0 ? m->made[j] : am_quat_mul(am_quat_inv(m->made[s->parents[j]]), m->made[j]);
        out[j] = am_quat_normalize(local);
    }
}

/// The root's position is reflected; for other joints the offset from the rest position is, seen from the parent at
/// rest.
static am_vec3 mirror_translation(const mirror *m, const am_skeleton *s, int joint)
{
    int partner = m->map[joint];
    if (joint == 0 || partner == 0) {
        return reflect_v3(m->local[0].translation);
    }
    am_vec3 way = am_v3_sub(m->local[partner].translation, s->offsets[partner]);
    am_vec3 there = am_quat_rotate(m->rest[s->parents[partner]].rotation, way);
    am_vec3 here = am_quat_unrotate(m->rest[s->parents[joint]].rotation, reflect_v3(there));
    return am_v3_add(s->offsets[joint], here);
}

static void mirror_frame(am_clip *made, mirror *m, const am_clip *clip, int frame)
{
    const am_skeleton *s = clip->skeleton;
    am_clip_local(clip, frame, m->local);
    mirror_rotations(made->rotations + (size_t)frame * (size_t)s->joint_count, m, s);
    am_vec3 *translations = made->translations + (size_t)frame * (size_t)m->moving_count;
    for (int i = 0; i < m->moving_count; i++) {
        translations[i] = mirror_translation(m, s, m->moving[i]);
    }
}

static am_result check_map(const int16_t *map, int joint_count, am_error *err)
{
    for (int j = 0; j < joint_count; j++) {
        if (map[j] < 0 || map[j] >= joint_count || map[map[j]] != j) {
            return ami_fail(err, AM_ERR_SKELETON,
                            "the mirror map pairs joint %d with %d, which is not paired with it", j, map[j]);
        }
    }
    return map[0] == 0 ? AM_OK
                       : ami_fail(err, AM_ERR_SKELETON, "the mirror map pairs the root with joint %d", map[0]);
}

am_result am_clip_mirror(am_clip **out, const am_clip *clip, const int16_t *map, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_result result = check_map(map, clip->skeleton->joint_count, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    mirror *m = ami_alloc_zero(&a, sizeof *m);
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    m->map = map;
    gather_moving(m, clip);
    ami_rest_model(m->rest, clip->skeleton);
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.moving = m->moving;
    def.moving_count = m->moving_count;
    am_clip *made = NULL;
    result = am_clip_create(&made, &def, err);
    for (int f = 0; result == AM_OK && f < clip->frame_count; f++) {
        mirror_frame(made, m, clip, f);
    }
    ami_release(&a, m, sizeof *m);
    *out = made;
    return result;
}

// ---------------------------------------------------------------------------------------------
// Symmetrical skeletons

/// Mean of an offset and its partner's, reflected, each seen from the model axes at rest.
static am_vec3 mean_offset(am_vec3 own, am_quat own_axes, am_vec3 other, am_quat other_axes)
{
    am_vec3 here = am_quat_rotate(own_axes, own);
    am_vec3 there = reflect_v3(am_quat_rotate(other_axes, other));
    return am_quat_unrotate(own_axes, am_v3_scale(am_v3_add(here, there), 0.5f));
}

/// The end site of `joint` that is the `nth` of its joint, or -1.
static int find_end(const am_skeleton *s, int joint, int nth)
{
    for (int e = 0; e < s->end_count; e++) {
        if (s->end_joints[e] == joint && nth-- == 0) {
            return e;
        }
    }
    return -1;
}

static void even_ends(am_vec3 *out, const am_skeleton *s, const int16_t *map, const am_transform *rest)
{
    for (int e = 0; e < s->end_count; e++) {
        int joint = s->end_joints[e];
        int nth = 0;
        for (int k = 0; k < e; k++) {
            nth += s->end_joints[k] == joint;
        }
        int other = find_end(s, map[joint], nth);
        out[e] = s->end_offsets[e];
        if (other >= 0) {
            out[e] = mean_offset(s->end_offsets[e], rest[joint].rotation, s->end_offsets[other],
                                 rest[map[joint]].rotation);
        }
    }
}

am_result am_skeleton_symmetric(am_clip **out, const am_clip *clip, const int16_t *map, const am_alloc *alloc,
                                am_error *err)
{
    *out = NULL;
    const am_skeleton *s = clip->skeleton;
    am_result result = check_map(map, s->joint_count, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    mirror *m = ami_alloc_zero(&a, sizeof *m);
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    ami_rest_model(m->rest, s);
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    am_clip *made = NULL;
    result = am_clip_create(&made, &def, err);
    if (result == AM_OK) {
        // Not yet published: its arrays may be filled.
        am_vec3 *offsets = (am_vec3 *)made->skeleton->offsets;
        for (int j = 1; j < s->joint_count; j++) {
            offsets[j] = mean_offset(s->offsets[j], m->rest[s->parents[j]].rotation, s->offsets[map[j]],
                                     m->rest[s->parents[map[j]]].rotation);
        }
        even_ends((am_vec3 *)made->skeleton->end_offsets, s, map, m->rest);
    }
    ami_release(&a, m, sizeof *m);
    *out = made;
    return result;
}
