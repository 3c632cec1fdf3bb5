/// Plain roll-outs of a flow network (Operators algorithm 2), without any procedural fix, and how the auto-encoder
/// alone reproduces captured clips: what table 1 of the paper measures, beside novelty and variety.
#ifndef AMBLE_LAB_ROLLOUTS_H
#define AMBLE_LAB_ROLLOUTS_H

#include <amble/db.h>
#include <amble/net.h>
#include <amble/tools/metrics.h>

typedef struct rollouts_def {
    const am_db *db;       ///< the captured motion: starts, reference, multiples
    const am_model *model; ///< parts and attachments of method/flow_file.h
    int starts, runs;      ///< of each start
    float seconds;
    // Settings of the run, negative for the model's own:
    int steps;
    float noise, memory, pose_noise;
    uint64_t seed;
    float novelty_every_s; ///< between windows that are looked at; 0: none are
    am_vec3 *tracks;       ///< [starts * runs][rollouts_frames] roots, or NULL
} rollouts_def;
/// What the model itself says of its play; seed 7, a window of novelty every 4 s.
rollouts_def rollouts_def_default(void);
int rollouts_frames(const rollouts_def *def);

/// What table 1 measures, and more. Lengths in cm, for frames of 1/60 s.
typedef struct rollouts_quality {
    double slide;                 ///< way of a toe in a frame while its contact label is on
    double slide_slow;            ///< the same over frames in which it is low and slow (am_quality.foot_slide_cm)
    double jitter;                ///< mean second difference of all joint positions
    double toe, heel;             ///< mean depth below the floor
    double toe_share, heel_share; ///< of frames deeper than half a centimetre
    double stand_share, longest_stand_s; ///< hips slower than 0.15 m/s over half a second
} rollouts_quality;

typedef struct rollouts_result {
    rollouts_quality captured, out;
    double novelty_median, novelty_p95;
    double apart_m, apart_least_m;   ///< of end points of one start: mean distance, and of the start with the least
    double died;                     ///< share of runs that stand through their last quarter
    int dead;                        ///< runs that stand longer than any captured clip does
    double joint_cm, worst_joint_cm; ///< of rollouts_reproduce: mean distance of joints, and of the worst joint
} rollouts_result;

am_result rollouts_run(rollouts_result *out, const rollouts_def *def, am_error *err);
/// The auto-encoder over every `every`th source clip (held out), all in `out` but novelty and variety.
am_result rollouts_reproduce(rollouts_result *out, const rollouts_def *def, int every, am_error *err);

#endif
