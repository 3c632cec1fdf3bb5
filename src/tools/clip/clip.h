/// Internals of clips.
#ifndef AMI_ANIM_CLIP_H
#define AMI_ANIM_CLIP_H

#include <amble/tools/clip.h>

/// A def for clips of a skeleton, which it borrows: frames, rate, what moves, name and memory are still to be said.
am_clip_def ami_clip_def_of(const am_skeleton *skeleton);

#endif
