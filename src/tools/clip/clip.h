/// Internals of clips.
#ifndef AMI_ANIM_CLIP_H
#define AMI_ANIM_CLIP_H

#include <amble/tools/clip.h>

/// A def for clips of a skeleton, which it borrows: frames, rate, moving joints, name and memory are still to be set.
am_clip_def ami_clip_def_of(const am_skeleton *skeleton);

#endif
