/// Sets of frames of a database.
#ifndef AMI_CONTROL_FRAMES_H
#define AMI_CONTROL_FRAMES_H

#include "control/moment.h"

/// A bit for each frame; NULL: all frames.
typedef struct ami_frames {
    uint64_t *words; ///< [ami_frames_words]
} ami_frames;

static inline bool ami_frames_have(const ami_frames *set, int frame)
{
    return !set->words || (set->words[frame / 64] >> (frame % 64) & 1u) != 0;
}
size_t ami_frames_words(const ami_motion *m);
/// An empty set.
am_result ami_frames_make(const ami_motion *m, ami_frames *set, am_error *err);
void ami_frames_free(const ami_motion *m, ami_frames *set);
int ami_frames_count(const ami_motion *m, const ami_frames *set);
/// The frames that "frames" (a tag query) and "where" (a condition) of an object accept, without excluded ones, with
/// one frame before and after. Refuses an empty set (AM_ERR_EMPTY).
am_result ami_frames_read(const ami_motion *m, ami_frames *out, const am_json_doc *doc, const am_json *object,
                          am_error *err);

#endif
