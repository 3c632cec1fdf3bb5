/// Parts of the measures, for the lab and for tests.
#ifndef AMI_REPORT_METRICS_PARTS_H
#define AMI_REPORT_METRICS_PARTS_H

#include <amble/tools/metrics.h>

/// How a track swings about a path, m: root mean square of its signed distance, smoothed over half a second (so that
/// the sway of a step does not count), about the mean; up to where the end is reached.
double ami_path_oscillation(const am_track *track, const am_polyline *path);

/// Distance of a place from a line of points on the ground, m; infinite without points.
double ami_polyline_distance(const am_vec3 *points, int count, am_vec3 place);

/// am_db_measure of the data behind a source: of its database, or of its facts about the data that it was trained on.
am_result ami_source_measure(am_db_measures *out, const am_source *source, const am_alloc *alloc, am_error *err);

#endif
