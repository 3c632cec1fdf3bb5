/// Checks of clips before writing, and unit quaternions after reading.
#ifndef AMI_IO_CLIPS_H
#define AMI_IO_CLIPS_H

#include <amble/tools/clip.h>

/// AM_OK when there is at least one clip, all share the first one's joints, and every number is finite.
am_result ami_clips_check(const am_clip *const *clips, int count, am_error *err);

/// Unit length; what is unit already (to rounding) is kept bit for bit, so that what Amble wrote comes back the same.
/// Anything that is not a rotation (zero, not finite, far too large) stays as it is: check it with ami_is_unit.
static inline am_quat ami_unit_quat(am_quat q)
{
    float square = am_quat_dot(q, q);
    bool odd = !(square > 1e-12f) || !(square < 1e12f);
    return odd || am_abs(square - 1.0f) < 1e-6f ? q : am_quat_normalize(q);
}

static inline bool ami_is_unit(am_quat q) { return am_abs(am_quat_dot(q, q) - 1.0f) < 1e-3f; }

/// Finite, with a unit rotation.
static inline bool ami_is_rigid(am_transform t)
{
    return isfinite(t.translation.x) && isfinite(t.translation.y) && isfinite(t.translation.z) &&
           ami_is_unit(t.rotation);
}

#endif
