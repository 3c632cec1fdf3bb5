/// Correction of planted feet after retargeting and bending.
#ifndef AMI_ANIM_PLANT_H
#define AMI_ANIM_PLANT_H

#include <amble/tools/clip.h>

/// What the touch-up works on. `made` is changed in place.
typedef struct ami_plant {
    am_clip *made;
    const am_clip *source; ///< the same frames
    const am_roles *made_roles, *source_roles;
    const uint8_t *contacts; ///< [frame] of the source
    float scale;             ///< lengths of made / lengths of source
    float floor_m;           ///< toe height in stance to bring the feet to
    const float *turns; ///< [frame] how far a bent clip is turned about y (rad): feet then stay as high as in the
                        ///< source and stand still where they stood on average; NULL: not bent
    bool still;         ///< with turns: without what they slide in the source
} ami_plant;

/// Moves hips (a little, up and down) and legs so that in each contact the toe stands at floor height and slides
/// as it does in the source, no more.
am_result ami_plant_feet(const ami_plant *plant, const am_alloc *alloc, am_error *err);

#endif
