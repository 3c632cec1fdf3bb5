// The ground root, the field's "simulation bone": where a character is and which way it faces, without the sway
// of its steps. As in Holden's public motion matching work the place is the chest on the ground smoothed over
// half a second and the facing is smoothed over one second, both by Savitzky-Golay filters. Unlike there the
// facing is smoothed as an unwrapped angle: averaged directions can cancel out and flip. Motion fields turn as
// quickly as their root does, and take the hips alone.
#include <amble/tools/clip.h>

#include "data/filter.h"
#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

am_root_def am_root_def_default(void)
{
    am_root_def def = { .position_seconds = 0.5f, .facing_seconds = 1.0f, .cookie = AM_COOKIE };
    return def;
}

/// Working arrays of one call, [frame] each.
typedef struct root_work {
    am_vec3 *left, *right; ///< a pair of joints
    am_vec3 *across;       ///< sum of unit vectors to the left
    float *heading;        ///< radians, unwrapped
    float *smooth;
} root_work;

static void root_work_take(root_work *work, ami_layout *layout, size_t frames)
{
    work->left = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->right = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->across = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->heading = ami_layout_take(layout, frames, sizeof(float));
    work->smooth = ami_layout_take(layout, frames, sizeof(float));
}

static void add_across(root_work *work, const am_clip *clip, int left, int right)
{
    if (left < 0 || right < 0) {
        return;
    }
    ami_joint_positions(work->left, clip, left);
    ami_joint_positions(work->right, clip, right);
    for (int f = 0; f < clip->frame_count; f++) {
        am_vec3 unit = am_v3_normalize_or(am_v3_sub(work->left[f], work->right[f]), am_v3_zero());
        work->across[f] = am_v3_add(work->across[f], unit);
    }
}

/// Headings of the frames whose left-to-right line lies well on the ground (within about 70 degrees of it), each the
/// nearest turn to the one before; a straight line through the frames between, as when rolling over. Returns false
/// when no frame decides.
static bool find_headings(root_work *work, int frame_count)
{
    int last = -1;
    for (int f = 0; f < frame_count; f++) {
        am_vec3 a = work->across[f];
        float ground2 = a.x * a.x + a.z * a.z;
        if (!(ground2 > 0.12f * am_v3_length2(a)) || !(ground2 > 0.04f)) {
            continue;
        }
        // left x up = forward: (x, y, z) x (0, 1, 0) = (-z, 0, x)
        float heading = am_atan2(-a.z, a.x);
        if (last >= 0) {
            heading = work->heading[last] + am_wrap_angle(heading - work->heading[last]);
        }
        for (int k = last + 1; k < f; k++) {
            float t = (float)(k - last) / (float)(f - last);
            work->heading[k] = last < 0 ? heading : am_lerp(work->heading[last], heading, t);
        }
        work->heading[f] = heading;
        last = f;
    }
    for (int k = last + 1; last >= 0 && k < frame_count; k++) {
        work->heading[k] = work->heading[last];
    }
    return last >= 0;
}

static am_result track_facing(am_quat *rotations, root_work *work, const am_clip *clip, const am_roles *roles,
                              const am_root_def *def, const am_alloc *alloc, am_error *err)
{
    const int16_t *joint = roles->joint;
    add_across(work, clip, joint[AM_ROLE_LEFT_UP_LEG], joint[AM_ROLE_RIGHT_UP_LEG]);
    if (!def->pelvis) {
        add_across(work, clip, joint[AM_ROLE_LEFT_ARM], joint[AM_ROLE_RIGHT_ARM]);
    }
    int window = ami_window_frames(def->facing_seconds, clip->fps);
    if (!find_headings(work, clip->frame_count)) {
        // No hips or shoulders, or never upright: the hips' own forward axis is all there is.
        for (int f = 0; f < clip->frame_count; f++) {
            float heading = am_quat_heading(ami_joint_model(clip, f, joint[AM_ROLE_HIPS]).rotation);
            float before = f > 0 ? work->heading[f - 1] : heading;
            work->heading[f] = before + am_wrap_angle(heading - before);
        }
    }
    if (!ami_savgol(work->smooth, work->heading, clip->frame_count, 1, window, alloc)) {
        return ami_fail_memory(err, (size_t)window * sizeof(double));
    }
    for (int f = 0; f < clip->frame_count; f++) {
        rotations[f] = am_quat_from_heading(am_wrap_angle(work->smooth[f]));
    }
    return AM_OK;
}

static am_result track_position(am_vec3 *positions, root_work *work, const am_clip *clip, const am_roles *roles,
                                const am_root_def *def, const am_alloc *alloc, am_error *err)
{
    bool chest = roles->joint[AM_ROLE_CHEST] >= 0 && !def->pelvis;
    int window = ami_window_frames(def->position_seconds, clip->fps);
    ami_joint_positions(work->left, clip, roles->joint[chest ? AM_ROLE_CHEST : AM_ROLE_HIPS]);
    for (int f = 0; f < clip->frame_count; f++) {
        positions[f] = am_v3_zero();
    }
    if (!ami_savgol(&positions[0].x, &work->left[0].x, clip->frame_count, 3, window, alloc) ||
        !ami_savgol(&positions[0].z, &work->left[0].z, clip->frame_count, 3, window, alloc)) {
        return ami_fail_memory(err, (size_t)window * sizeof(double));
    }
    return AM_OK;
}

static am_result check_root(const am_clip *clip, const am_roles *roles, const am_root_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !(def->position_seconds >= 0.0f) || !(def->position_seconds <= 5.0f) ||
        !(def->facing_seconds >= 0.0f) || !(def->facing_seconds <= 5.0f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "ground root def: initialise it from its default; smoothing must be 0 to 5 s");
    }
    if (clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "clip '%s' has no frames", clip->name);
    }
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (roles->joint[r] >= clip->skeleton->joint_count || (r == AM_ROLE_HIPS && roles->joint[r] < 0)) {
            return ami_fail(err, AM_ERR_ROLE, "clip '%s' has no joint for '%s'", clip->name,
                            am_role_name((am_role)r));
        }
    }
    return AM_OK;
}

am_result am_root_track(am_vec3 *positions, am_quat *rotations, const am_clip *clip, const am_roles *roles,
                        const am_root_def *def, const am_alloc *alloc, am_error *err)
{
    am_result result = check_root(clip, roles, def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    root_work work;
    ami_layout measure = { 0 };
    root_work_take(&work, &measure, (size_t)clip->frame_count);
    ami_layout place = ami_layout_room(&measure, &a);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    root_work_take(&work, &place, (size_t)clip->frame_count);
    result = track_position(positions, &work, clip, roles, def, &a, err);
    if (result == AM_OK) {
        result = track_facing(rotations, &work, clip, roles, def, &a, err);
    }
    ami_release(&a, place.base, measure.size);
    return result;
}
