/// Random stick input for endurance runs.
#ifndef AMBLE_LAB_WANDER_H
#define AMBLE_LAB_WANDER_H

#include <amble/actor.h>

/// A seeded random hand on a gamepad, for endurance runs: the left stick and the run button.
typedef struct lab_wander {
    am_rng rng;
    float left_s;      ///< s until the next change
    float angle, turn; ///< of the stick, rad and rad/s
    float push;        ///< 0 to 1
    bool run;
} lab_wander;
lab_wander lab_wander_make(uint64_t seed);
/// The gamepad for the next step of dt seconds.
am_gamepad lab_wander_next(lab_wander *wander, float dt);

#endif
