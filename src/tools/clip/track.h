/// Where single joints are in a clip, without posing the whole skeleton.
#ifndef AMI_ANIM_TRACK_H
#define AMI_ANIM_TRACK_H

#include <amble/tools/clip.h>

#include "data/rig_map.h"

/// Model-space transform of one joint in one frame.
am_transform ami_joint_model(const am_clip *clip, int frame, int joint);
/// out(frame_count): model-space positions of one joint.
void ami_joint_positions(am_vec3 *out, const am_clip *clip, int joint);
/// out(frame_count): speed (m/s) of a track by central differences over about 1/30 s, one-sided at the ends.
void ami_track_speed(float *out, const am_vec3 *positions, int frame_count, float fps);

#endif
