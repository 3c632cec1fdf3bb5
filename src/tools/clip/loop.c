// Loops: clips whose last frame meets the first in pose and velocity. Unrolled, they have a past and a future long
// enough for trajectories and searches.
#include <amble/tools/clip.h>

#include "base/error.h"

#define LONGEST_S 12.0f ///< longer clips have time enough
#define LEAST_FRAMES 8
#define MEET_SHARE 0.07f ///< of the clip's largest change of pose
#define MEET_M 0.01f     ///< and never farther than this
#define TURN_SHARE 0.95f ///< difference of velocities beside the step of a frame; motion that turns back has 2
#define STILL_M 0.004f   ///< a clip that moves less is a pose, not a loop

/// Joint positions of a frame over the place of its hips on the ground.
static void pose_of(am_vec3 *out, const am_clip *clip, int frame)
{
    am_transform local[AM_MAX_JOINTS];
    am_transform model[AM_MAX_JOINTS];
    const am_skeleton *s = clip->skeleton;
    am_clip_local(clip, frame, local);
    local[0].translation.x = 0.0f;
    local[0].translation.z = 0.0f;
    am_fk(model, local, s->parents, s->joint_count);
    for (int j = 0; j < s->joint_count; j++) {
        out[j] = model[j].translation;
    }
}

/// Root mean square over the joints.
static float apart(const am_vec3 *a, const am_vec3 *b, int joints)
{
    float sum = 0.0f;
    for (int j = 0; j < joints; j++) {
        sum += am_v3_length2(am_v3_sub(a[j], b[j]));
    }
    return sqrtf(sum / (float)joints);
}

/// Difference of the steps a -> b and c -> d.
static float steps_apart(am_vec3 *const pose[4], int joints)
{
    float sum = 0.0f;
    for (int j = 0; j < joints; j++) {
        am_vec3 first = am_v3_sub(pose[1][j], pose[0][j]);
        sum += am_v3_length2(am_v3_sub(am_v3_sub(pose[3][j], pose[2][j]), first));
    }
    return sqrtf(sum / (float)joints);
}

static float largest_change(const am_vec3 *first, am_vec3 *room, const am_clip *clip)
{
    float most = 0.0f;
    for (int f = 1; f < clip->frame_count; f++) {
        pose_of(room, clip, f);
        most = am_max(most, apart(first, room, clip->skeleton->joint_count));
    }
    return most;
}

int am_clip_find_loop(const am_clip *clip)
{
    int n = clip->frame_count;
    int joints = clip->skeleton->joint_count;
    if (n < LEAST_FRAMES || (float)n > LONGEST_S * clip->fps || clip->moving_count < 1 || clip->moving[0] != 0) {
        return 0;
    }
    am_vec3 poses[4][AM_MAX_JOINTS];
    am_vec3 *const pose[4] = { poses[0], poses[1], poses[2], poses[3] }; // the last two, the first two
    pose_of(pose[2], clip, 0);
    float range = largest_change(pose[2], pose[0], clip);
    pose_of(pose[0], clip, n - 2);
    pose_of(pose[1], clip, n - 1);
    pose_of(pose[3], clip, 1);
    float limit = am_min(MEET_SHARE * range, MEET_M);
    float step = am_max(apart(pose[0], pose[1], joints), apart(pose[2], pose[3], joints));
    if (!(range > STILL_M) || steps_apart(pose, joints) > TURN_SHARE * step) {
        return 0;
    }
    if (apart(pose[1], pose[2], joints) <= limit) {
        return n - 1; // the last frame is the first again
    }
    for (int j = 0; j < joints; j++) { // or the first follows the last
        pose[0][j] = am_v3_sub(am_v3_scale(pose[1][j], 2.0f), pose[0][j]);
    }
    return apart(pose[0], pose[2], joints) <= limit ? n : 0;
}

/// Hips' way over one round, on the ground.
static am_vec3 way_of(const am_clip *clip, int period)
{
    size_t row = (size_t)clip->moving_count;
    int n = clip->frame_count;
    am_vec3 first = clip->translations[0];
    am_vec3 last = clip->translations[(size_t)(n - 1) * row];
    am_vec3 way = am_v3_sub(last, first);
    if (period == n) { // the step back to the first frame is not in the clip: as long as the one before
        am_vec3 before = clip->translations[(size_t)(n - 2) * row];
        way = am_v3_add(way, am_v3_sub(last, before));
    }
    way.y = 0.0f;
    return way;
}

am_result am_clip_unroll(am_clip **out, const am_clip *clip, int period, int rounds, const am_alloc *alloc,
                         am_error *err)
{
    *out = NULL;
    if (period < 2 || period > clip->frame_count || rounds < 1 || rounds > AM_MAX_FRAMES / period) {
        return ami_fail(err, AM_ERR_RANGE, "a loop has from 2 to %d frames and one round or more", clip->frame_count);
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = period * rounds + (period < clip->frame_count ? 1 : 0);
    am_result result = am_clip_create(out, &def, err);
    if (result != AM_OK) {
        return result;
    }
    size_t joints = (size_t)clip->skeleton->joint_count;
    size_t row = (size_t)clip->moving_count;
    am_vec3 way = way_of(clip, period);
    for (int f = 0; f < (*out)->frame_count; f++) {
        size_t from = (size_t)(f % period);
        for (size_t j = 0; j < joints; j++) {
            (*out)->rotations[(size_t)f * joints + j] = clip->rotations[from * joints + j];
        }
        for (size_t m = 0; m < row; m++) {
            (*out)->translations[(size_t)f * row + m] = clip->translations[from * row + m];
        }
        am_vec3 *hips = &(*out)->translations[(size_t)f * row];
        int round = f / period;
        *hips = am_v3_add(*hips, am_v3_scale(way, (float)round));
    }
    return AM_OK;
}
