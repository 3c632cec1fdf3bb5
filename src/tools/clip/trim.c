// Cuts a stretch out of a clip.
#include <amble/tools/clip.h>

#include "base/error.h"

am_result am_clip_trim(am_clip **out, const am_clip *clip, int first, int last, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (first < 0 || last < first || last >= clip->frame_count) {
        return ami_fail(err, AM_ERR_RANGE, "there are no frames %d to %d; the clip has %d", first, last,
                        clip->frame_count);
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = last - first + 1;
    def.rotations = clip->rotations + (size_t)first * (size_t)clip->skeleton->joint_count;
    def.translations = clip->translations + (size_t)first * (size_t)clip->moving_count;
    return am_clip_create(out, &def, err);
}
