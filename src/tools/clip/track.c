// Where single joints are in a clip, found by walking up from the joint to the root.
#include "clip/track.h"

static am_transform local_of(const am_clip *clip, int frame, int joint)
{
    const am_skeleton *s = clip->skeleton;
    am_transform t;
    t.rotation = clip->rotations[(size_t)frame * (size_t)s->joint_count + (size_t)joint];
    t.translation = s->offsets[joint];
    for (int m = 0; m < clip->moving_count; m++) {
        if (clip->moving[m] == joint) {
            t.translation = clip->translations[(size_t)frame * (size_t)clip->moving_count + (size_t)m];
        }
    }
    return t;
}

am_transform ami_joint_model(const am_clip *clip, int frame, int joint)
{
    am_transform t = local_of(clip, frame, joint);
    for (int p = clip->skeleton->parents[joint]; p >= 0; p = clip->skeleton->parents[p]) {
        t = am_transform_mul(local_of(clip, frame, p), t);
    }
    return t;
}

void ami_joint_positions(am_vec3 *out, const am_clip *clip, int joint)
{
    for (int f = 0; f < clip->frame_count; f++) {
        am_vec3 at = local_of(clip, f, joint).translation;
        for (int p = clip->skeleton->parents[joint]; p >= 0; p = clip->skeleton->parents[p]) {
            at = am_transform_point(local_of(clip, f, p), at);
        }
        out[f] = at;
    }
}

void ami_track_speed(float *out, const am_vec3 *positions, int frame_count, float fps)
{
    // One frame each side at 60 Hz and below, more above, so that a higher rate does not mean more noise.
    int reach = (int)(fps / 60.0f + 0.5f);
    reach = reach < 1 ? 1 : reach;
    for (int f = 0; f < frame_count; f++) {
        int before = f - reach > 0 ? f - reach : 0;
        int after = f + reach < frame_count ? f + reach : frame_count - 1;
        float seconds = (float)(after - before) / fps;
        out[f] = seconds > 0.0f ? am_v3_distance(positions[before], positions[after]) / seconds : 0.0f;
    }
}
