/// Training controls: which values of a schema go with a frame of a database (Operators 3.5), and the matching
/// function of the segment controller (4.3). JSON with expressions (operators/expr.h) over the clip around the frame
/// (docs/operators.md).
#ifndef AMI_CONTROL_TRAINING_H
#define AMI_CONTROL_TRAINING_H

#include "control/moment.h"

/// Training controls over a database. Immutable: any number of threads may draw.
typedef struct ami_training_controls ami_training_controls;
/// Reads the section "training" of a file of controls (`json`: the file's root), for a schema over a database (both
/// borrowed). Refuses controls of which no frame gives a value (AM_ERR_EMPTY), naming what is missing.
am_result ami_training_controls_read(ami_training_controls **out, const am_control_schema *schema,
                                     const am_json_doc *doc, const am_json *json, const am_db *db,
                                     const am_alloc *alloc, am_error *err);
/// NULL is allowed.
void ami_training_controls_destroy(ami_training_controls *controls);
/// The frames that may be drawn, ascending: those of "frames" and "where", without excluded ones, with one frame
/// before and after.
const int *ami_training_controls_frames(const ami_training_controls *controls, int *count);
/// Draws a value (value_count, in the clip's own world) for a frame. False when the frame has none: draw another. The
/// same stream gives the same value.
bool ami_training_controls_draw(const ami_training_controls *controls, float *value, int frame, am_rng *rng);
/// Draws a frame and its value, each branch as often as its share says: what training should call. False when 1000
/// frames in a row had none.
bool ami_training_controls_sample(const ami_training_controls *controls, float *value, int *frame, am_rng *rng);

/// What a draw looked at.
typedef struct ami_training_draw {
    float now, earliest, latest; ///< s in the clip
    int missing_node;            ///< -1, or the part that was missing
    const char *missing_text;
} ami_training_draw;
bool ami_training_controls_watch(const ami_training_controls *controls, float *value, int frame, am_rng *rng,
                                 ami_training_draw *out);
bool ami_training_controls_watch_sample(const ami_training_controls *controls, float *value, int *frame, am_rng *rng,
                                        ami_training_draw *out);

#endif
