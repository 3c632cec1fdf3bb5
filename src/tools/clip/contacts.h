/// The joints that touch the ground, for everything that looks at feet.
#ifndef AMI_ANIM_CONTACTS_H
#define AMI_ANIM_CONTACTS_H

#include <amble/tools/clip.h>

/// The joints that touch the ground, left and right: toes, or ankles on rigs without toes. Refuses a clip
/// without frames or feet.
am_result ami_check_toes(int toes[2], const am_clip *clip, const am_roles *roles, am_error *err);

#endif
