// The height of the toe joints in stance, which defines the floor of a clip.
#include <amble/tools/clip.h>

#include "clip/contacts.h"
#include "data/filter.h"
#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

#define SLOW_MPS 0.4f   ///< a toe in stance as captured: 90 % slide slower than 0.17 m/s (CMU locomotion)
#define LOW_SHARE 0.05f ///< low quantile over slow frames

am_result ami_check_toes(int toes[2], const am_clip *clip, const am_roles *roles, am_error *err)
{
    static const am_role wanted[2][2] = { { AM_ROLE_LEFT_TOE, AM_ROLE_LEFT_FOOT },
                                          { AM_ROLE_RIGHT_TOE, AM_ROLE_RIGHT_FOOT } };
    toes[0] = toes[1] = -1;
    if (clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "clip '%s' has no frames", clip->name);
    }
    for (int side = 0; side < 2; side++) {
        int toe = roles->joint[wanted[side][0]];
        toes[side] = toe >= 0 ? toe : roles->joint[wanted[side][1]];
        if (toes[side] < 0 || toes[side] >= clip->skeleton->joint_count) {
            return ami_fail(err, AM_ERR_ROLE, "clip '%s' has no joint for '%s'; name it in the roles", clip->name,
                            am_role_name(wanted[side][0]));
        }
    }
    return AM_OK;
}

/// Appends the heights of slow frames (or of all) to `heights`; returns the new count.
static int gather_heights(float *heights, int count, const am_vec3 *positions, const float *speeds, int frames,
                          float slow_mps)
{
    for (int f = 0; f < frames; f++) {
        if (speeds[f] < slow_mps) {
            heights[count++] = positions[f].y;
        }
    }
    return count;
}

static float floor_of(float *heights, am_vec3 *positions, float *speeds, const am_clip *clip, const int toes[2])
{
    int frames = clip->frame_count;
    int count = 0;
    for (int pass = 0; pass < 2 && count < frames / 20 + 1; pass++) {
        // Hardly ever slow (a jump, a crawl): all frames then.
        float slow = pass == 0 ? SLOW_MPS : 1e30f;
        count = 0;
        for (int side = 0; side < 2; side++) {
            ami_joint_positions(positions, clip, toes[side]);
            ami_track_speed(speeds, positions, frames, clip->fps);
            count = gather_heights(heights, count, positions, speeds, frames, slow);
        }
    }
    ami_sort_floats(heights, count);
    return count > 0 ? ami_quantile(heights, count, LOW_SHARE) : 0.0f;
}

am_result am_floor_find(float *out, const am_clip *clip, const am_roles *roles, const am_alloc *alloc, am_error *err)
{
    int toes[2];
    am_result result = ami_check_toes(toes, clip, roles, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    size_t frames = (size_t)clip->frame_count;
    size_t size = frames * (sizeof(am_vec3) + 3 * sizeof(float));
    am_vec3 *positions = ami_alloc_zero(&a, size);
    if (!positions) {
        return ami_fail_memory(err, size);
    }
    float *speeds = (float *)(void *)(positions + frames);
    *out = floor_of(speeds + frames, positions, speeds, clip, toes);
    ami_release(&a, positions, size);
    return AM_OK;
}
