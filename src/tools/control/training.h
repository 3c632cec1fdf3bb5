/// Training controls: which values of a schema go with a frame of a database (Operators 3.5), and the matching function
/// of the segment controller (4.3). JSON with expressions (operators/control.h) over the clip around the frame.
#ifndef AMI_CONTROL_TRAINING_H
#define AMI_CONTROL_TRAINING_H

#include "operators/control.h"

#include <amble/db.h>

typedef struct ami_training_controls ami_training_controls;
/// Reads training controls for a schema over a database (both borrowed).
am_result ami_training_controls_read(ami_training_controls **out, const am_control_schema *schema, const am_json_doc *doc,
                                     const am_json *json, const am_db *db, const am_alloc *alloc, am_error *err);
void ami_training_controls_destroy(ami_training_controls *controls);
/// The frames that may be drawn, ascending: those of "frames" without excluded clips, with one frame before and after.
const int *ami_training_controls_frames(const ami_training_controls *controls, int *count);
/// Draws a value (value_count, in the clip's own world) for a frame. False when the frame has none: draw another. The
/// same stream gives the same value. Any number of threads.
bool ami_training_controls_draw(const ami_training_controls *controls, float *value, int frame, am_rng *rng);

/// Matching functions: weighted squared differences of parts of values, and of the pose.
typedef struct ami_matching ami_matching;
am_result ami_matching_read(ami_matching **out, const am_control_schema *schema, const am_json_doc *doc,
                            const am_json *json, const am_alloc *alloc, am_error *err);
void ami_matching_destroy(ami_matching *matching);
/// The cost of answering vector `asked` with a frame whose own vector is `offered` (both vector_count).
float ami_matching_cost(const ami_matching *matching, const float *asked, const float *offered);
/// Its parts: weights(vector_count) when it is a plain weighted square, so that an index can search; else NULL.
const float *ami_matching_weights(const ami_matching *matching);

#endif
