/// Measures of tracks along paths that the lab takes alone.
#ifndef AMI_REPORT_METRICS_PATH_H
#define AMI_REPORT_METRICS_PATH_H

#include <amble/tools/metrics.h>

/// How a track swings about a path, m: root mean square of its signed distance, smoothed over half a second (so that
/// the sway of a step does not count), about the mean; up to where the end is reached.
double ami_path_oscillation(const am_track *track, const am_polyline *path);

#endif
