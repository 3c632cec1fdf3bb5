/// How quickly a source responds (Fields 6.1.2, tables 1 and 2): the target changes abruptly, and the response is the
/// first time at which the ground root faces within a tolerance of it, and stands near the desired line, and stays so
/// for a while. The source runs by itself: no character, no springs, no inverse kinematics.
#ifndef AMBLE_AGILITY_H
#define AMBLE_AGILITY_H

#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured. Start from lab_agility_def_default().
typedef struct lab_agility_def {
    const am_alloc *alloc;       ///< NULL means malloc/free
    const am_tasks *tasks;       ///< NULL means serial; the numbers are the same
    const am_progress *progress; ///< NULL means none
    const char *stage;           ///< name shown with the progress
    const am_source *source;     ///< borrowed; with a database
    bool line;                   ///< the target is a line, which moves sideways too; else a direction
    int changes;                 ///< of the direction, even (default 36): +-180 degrees in equal steps without 0
    int starts;                  ///< frames that are begun at (default 50)
    float offset_m;              ///< lines move sideways by up to this, uniformly drawn (default 0.5)
    float near_rad, near_m;      ///< tolerances (default 5 degrees, 0.1 m)
    float hold_s;                ///< s that it must stay there (default 0.3)
    float most_s;                ///< a later response is late and counts as this (default 3)
    float settle_s;              ///< before the change, with a constant target (default 2)
    float dt;                    ///< of a step (default 1/30)
    uint64_t seed;               ///< of starts and offsets
    uint32_t cookie;
} lab_agility_def;
lab_agility_def lab_agility_def_default(void);

/// The results, in seconds.
typedef struct lab_agility {
    float minimum, average, maximum;
    float median, p95;
    int trials, late; ///< `late`: not there within most_s
    int steps;        ///< that were computed
    float by_motion;  ///< [0, 1] share of the turns, until the target is reached, that is the motion's own
} lab_agility;
am_result lab_agility_measure(lab_agility *out, const lab_agility_def *def, am_error *err);

/// A change of the desired direction at a time.
typedef struct lab_agility_turn {
    float t;     ///< s
    float angle; ///< rad, added to the target
} lab_agility_turn;
/// Figure 7: out(count) = facing after each step of dt while the target direction changes, in radians from the
/// beginning, unwrapped.
am_result lab_agility_curve(const lab_agility_def *def, float *out, int count, const lab_agility_turn *turns,
                            int turn_count, am_error *err);
/// out(turn_count): the response to each turn of such a curve by the rule of lab_agility_measure: seconds until the
/// facing is within near_rad of the target and stays so for hold_s. Infinite when the next turn or the end comes
/// before.
void lab_agility_answers(const lab_agility_def *def, float *out, const float *facing, int count,
                         const lab_agility_turn *turns, int turn_count);

#ifdef __cplusplus
}
#endif
#endif
