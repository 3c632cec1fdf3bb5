/// DirectionNet (LHMM VI-G): how a person would face along a path. A small recurrent network reads a path point by
/// point with the facing so far, and continues with its own: side steps and back steps where the data have them.
///
/// The part `direction` of a model: inputs `point`(2), where a point lies seen from the one before it, and
/// `facing`(2), the facing at the one before, a unit vector; one state; output `direction`(2), along the facing at
/// the point. Both are x and z in the frame of the body at the window's present: place and heading do not matter.
#ifndef AMBLE_DIRECTION_H
#define AMBLE_DIRECTION_H

#include <amble/db.h>
#include <amble/net.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_DIRECTION_HZ 30.0f ///< points a second
#define AM_DIRECTION_KNOWN 60 ///< of a window: 2 s up to the present, whose facing is known
#define AM_DIRECTION_STEPS 120
#define AM_DIRECTION_AHEAD 12 ///< points that it sees beyond the one whose facing it predicts: 0.2 s
#define AM_DIRECTION_POINTS (AM_DIRECTION_STEPS + AM_DIRECTION_AHEAD)

/// 4 s of a path about the present, which is point AM_DIRECTION_KNOWN - 1. Where there is no past the first point is
/// repeated, with its facing.
typedef struct am_direction_window {
    float x[AM_DIRECTION_POINTS], z[AM_DIRECTION_POINTS]; ///< m
    float facing[AM_DIRECTION_STEPS];                     ///< rad; the known ones are given, the others written
} am_direction_window;

/// The part `direction` of a model, ready to run in exact mode. AM_ERR_KEY when there is none, AM_ERR_FORMAT when it
/// does not have the inputs and outputs above.
AM_API am_result am_direction_open(am_net **out, const am_model *model, const am_alloc *alloc, am_error *err);
/// Predicts steps more points (at most 60). `work` is for a batch of one. Allocates nothing.
AM_API void am_direction_run(const am_net *net, am_net_work *work, am_direction_window *window, int steps);

// ---------------------------------------------------------------------------------------------
// How good it is

/// Which of `folds` parts of the clips a range is in: by the hash of its source clip's name, so that the pieces of a
/// clip and its mirror image are together. The clips of one part are kept from training and checked on.
AM_API int am_direction_fold(const am_db_range *range, int folds);

/// Which part a model kept from its training, by its recipe: folds 5 and fold 0 where the recipe does not say, fold
/// -1 (no clip was kept) without a recipe with a stage of the kind `direction`.
AM_API void am_direction_kept(const am_model *model, int *folds, int *fold);

/// Frames by the angle between movement and facing: within 45 degrees, within 135, beyond; turning: any that turn
/// faster than 60 degrees a second.
typedef enum am_direction_class {
    AM_DIRECTION_ALL,
    AM_DIRECTION_FORWARD,
    AM_DIRECTION_SIDEWAYS,
    AM_DIRECTION_BACKWARD,
    AM_DIRECTION_TURNING,
    AM_DIRECTION_CLASSES
} am_direction_class;
AM_API const char *am_direction_class_name(am_direction_class which);

/// Mean angular errors over frames faster than 0.3 m/s, degrees.
typedef struct am_direction_score {
    int64_t frames;
    double net_deg;     ///< free-running for 2 s from the first facing only
    double past_deg;    ///< the same with the facings of the 2 s before
    double tangent_deg; ///< facing along the path
    double kept_deg;    ///< along the path, turned by the initial offset
} am_direction_score;

typedef struct am_direction_report {
    am_direction_score scores[AM_DIRECTION_CLASSES];
    int clips, windows;
} am_direction_report;

/// Runs the net along the paths of captured clips, smoothed like drawn ones: windows of 2 s, half a second apart.
/// Only those of one fold; fold -1: of all. net NULL: the scores of the rules alone.
AM_API am_result am_direction_check(am_direction_report *out, const am_net *net, const am_db *db, int folds, int fold,
                                    const am_alloc *alloc, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
