/// Playback of a database between its frames, shared by the sources that play clips.
#ifndef AMI_SOURCE_PLAYBACK_H
#define AMI_SOURCE_PLAYBACK_H

#include <amble/source.h>

/// out(joint_count): local transforms a fraction of a frame beyond `frame`, no further than its range.
void ami_play_pose(const am_db *db, am_transform *out, int frame, float fraction);
/// The ground root of such a moment in the clip's world.
am_transform ami_play_root(const am_db *db, int frame, float fraction);
/// Advances by a number of frames, no further than `last`. A time very near a frame snaps to it.
void ami_play_advance(int32_t *frame, float *fraction, int last, float frames);
/// Velocities of one side of a transition from two poses one frame of the database apart, `first` and `last`; zero
/// where these are the same frame, and of the joints when there are no poses (from NULL).
void ami_play_velocities(const am_db *db, am_source_pose *side, const am_transform *from, const am_transform *to,
                         int first, int last);
/// How the ground root moved between two moments in the clip's world, in its own frame before it, as velocities over
/// dt.
void ami_play_moved(am_source_output *out, am_transform before, am_transform after, float dt);
/// Whether every number of pose(joint_count) and root is finite.
bool ami_play_is_finite(const am_transform *pose, int joint_count, am_transform root);

#endif
