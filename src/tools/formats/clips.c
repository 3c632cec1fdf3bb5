// Checks of clips before they are written.
#include "formats/clips.h"

#include "base/error.h"

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static am_result check_numbers(const am_clip *clip, am_error *err)
{
    const am_skeleton *s = clip->skeleton;
    size_t joints = (size_t)s->joint_count;
    size_t moving = (size_t)clip->moving_count;
    if (!all_finite(&s->offsets[0].x, joints * 3) || !all_finite(&s->rests[0].x, joints * 4) ||
        (s->end_count > 0 && !all_finite(&s->end_offsets[0].x, (size_t)s->end_count * 3))) {
        return ami_fail(err, AM_ERR_NUMBER, "the skeleton of clip '%s' has a number that is not finite", clip->name);
    }
    for (size_t f = 0; f < (size_t)clip->frame_count; f++) {
        if (!all_finite(&clip->rotations[f * joints].x, joints * 4) ||
            (moving > 0 && !all_finite(&clip->translations[f * moving].x, moving * 3))) {
            return ami_fail(err, AM_ERR_NUMBER,
                            "frame %zu of clip '%s' has a number that is not finite; see amble import", f,
                            clip->name);
        }
    }
    return AM_OK;
}

am_result ami_clips_check(const am_clip *const *clips, int count, am_error *err)
{
    if (count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "no clip to write");
    }
    for (int c = 0; c < count; c++) {
        if (!am_skeleton_same_shape(clips[0]->skeleton, clips[c]->skeleton)) {
            return ami_fail(err, AM_ERR_SKELETON,
                            "clip '%s' and '%s' have different joints; write it to a file of its own", clips[c]->name,
                            clips[0]->name);
        }
        am_result result = check_numbers(clips[c], err);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}
