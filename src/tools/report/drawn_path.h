/// The drawn paths of one character and when they were followed.
#ifndef AMI_MEASURE_DRAWN_PATH_H
#define AMI_MEASURE_DRAWN_PATH_H

#include <amble/tools/metrics.h>

typedef struct ami_drawn_path {
    am_vec3 *points; ///< [1 + count] the drawing from 1 on; 0 is where the way to it began
    int count;
    float duration_s, v_max;
    int first, last; ///< frames; -1 before it was begun
    int recoveries, laps;
    bool loop, joined;
} ami_drawn_path;

/// Points that all paths of a character need.
size_t ami_drawn_path_samples(const am_run_actor *actor);
/// drawn(path_count), points(ami_drawn_path_samples): as they were drawn.
void ami_drawn_path_begin(ami_drawn_path *drawn, am_vec3 *points, const am_run_actor *actor);
/// A frame of the character, the number `frame` of its track, and its hips on the ground.
void ami_drawn_path_add(ami_drawn_path *drawn, const am_run_sample *sample, int frame, am_vec3 hips);
/// One path against the frames that were played for it.
am_path_metrics ami_drawn_path_measure(const ami_drawn_path *drawn, const am_track *track);

#endif
