/// How good a DirectionNet is (LHMM VI-G): its facings along the paths of captured clips.
#ifndef AMI_TRAIN_DIRECTION_CHECK_H
#define AMI_TRAIN_DIRECTION_CHECK_H

#include "actor/direction_net.h"

/// Which of `folds` parts of the clips a range is in: by the hash of its source clip's name, so that the pieces of a
/// clip and its mirror image are together. The clips of one part are kept from training and checked on.
int ami_direction_fold(const am_db_range *range, int folds);

/// Which part a model kept from its training, by its recipe: folds 5 and fold 0 where the recipe does not say, fold
/// -1 (no clip was kept) without a recipe with a stage of the kind `direction`.
void ami_direction_kept(const am_model *model, int *folds, int *fold);

/// Frames by the angle between movement and facing: within 45 degrees, within 135, beyond; turning: any that turn
/// faster than 60 degrees a second.
typedef enum ami_direction_class {
    AMI_DIRECTION_ALL,
    AMI_DIRECTION_FORWARD,
    AMI_DIRECTION_SIDEWAYS,
    AMI_DIRECTION_BACKWARD,
    AMI_DIRECTION_TURNING,
    AMI_DIRECTION_CLASSES
} ami_direction_class;
const char *ami_direction_class_name(ami_direction_class which);

/// Mean angular errors over frames faster than 0.3 m/s, degrees.
typedef struct ami_direction_score {
    int64_t frames;
    double net_deg;     ///< free-running for 2 s from the first facing only
    double past_deg;    ///< the same with the facings of the 2 s before
    double tangent_deg; ///< facing along the path
    double kept_deg;    ///< along the path, turned by the initial offset
} ami_direction_score;

typedef struct ami_direction_report {
    ami_direction_score scores[AMI_DIRECTION_CLASSES];
    int clips, windows;
} ami_direction_report;

/// Runs the net along the paths of captured clips, smoothed like drawn ones: windows of 2 s, half a second apart.
/// Only those of one fold; fold -1: of all. net NULL: the scores of the rules alone.
am_result ami_direction_check(ami_direction_report *out, const am_net *net, const am_db *db, int folds, int fold,
                              const am_alloc *alloc, am_error *err);

#endif
