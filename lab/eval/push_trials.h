/// Internals of the push trials: recovery of a pushed character, from its distances to the data.
#ifndef AMI_MEASURE_PUSH_TRIALS_H
#define AMI_MEASURE_PUSH_TRIALS_H

#include "trials.h"

enum {
    ami_push_ticks = 90,     ///< samples of a distance after a push, at 30 Hz
    ami_push_stay_ticks = 9, ///< within reach at the end, else it is not back
};

/// Seconds until the last of far(ami_push_ticks) that is beyond `reach`, 0 without any: forces move a body for most
/// of the window, so being close early does not count as recovered. 3 when too few samples are left to tell that it
/// stays.
float ami_push_back(const float *far, float reach);
/// True when far(ami_push_ticks) is within reach for 0.3 s at some time after the window of a push: back, though it
/// may leave again, as characters without pushes do too.
bool ami_push_returns(const float *far, float reach);
/// The distance that 99 % of `count` samples of characters without pushes are within; sorts them. A single outlier
/// among them does not widen the reach for all others.
float ami_push_reach(float *far, int count);

#endif
