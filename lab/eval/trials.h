/// Push trials: many random pushes on characters of a source, each beside a twin that is not pushed.
#ifndef AMBLE_PUSH_TRIALS_H
#define AMBLE_PUSH_TRIALS_H

#include <amble/actor.h>
#include <amble/tools/motion.h>

#include "method/motion_field.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from lab_push_trials_def_default(): 200 pushes of 10 to 400 N for 0.1 s.
typedef struct lab_push_trials_def {
    const am_alloc *alloc;
    const am_tasks *tasks;        ///< NULL means serial
    const am_source *source;      ///< borrowed; its database has frames tagged idle and walk where it has any
    const ami_field *field;       ///< borrowed: measures how far a state is from the data; its database has the joint
                                  ///< ranges of joints
    const am_push_engine *engine; ///< borrowed
    int count;
    float least_n, most_n, seconds;
    float walk_mps;      ///< desired speed of walking characters; 0: the source's own
    am_push_blend blend; ///< of the characters
    bool trunk;          ///< pushes on chest and hips alone, each at random
    uint64_t seed;
    uint32_t cookie;
} lab_push_trials_def;
lab_push_trials_def lab_push_trials_def_default(void);

/// One push. Parts of the body take turns, every other one stands; horizontal directions and forces are random.
typedef struct lab_push_trial {
    int joint;
    bool walks;
    float newton, angle; ///< of the force; heading in the world, rad
    float farthest;      ///< largest distance from the nearest state of the data afterwards (Fields eq. 1)
    float end_far;       ///< the same of the last 0.3 s before 3 s
    float back_s;        ///< after the push, until it stays within reach of the data; 3: not 0.3 s before 3 s
    float usual_back_s;  ///< the same of the twin: 0 unless it goes that far by itself
    bool returns;        ///< within reach for 0.3 s at some time between the window of a push and 3 s
    float depth_m;       ///< deepest of toes and heels below the floor that feet are kept to
    float excess;        ///< rad, most that a joint is beyond the data's 0.1 to 99.9 percentiles
    int excess_joint;
    float usual_excess; ///< the same of the twin
    float lean_m;       ///< largest movement of the chest along the push, relative to the feet and against the twin,
                        ///< within 0.3 s
    float moved_m;      ///< largest movement of the chest in any direction, likewise
    float off;          ///< rad, of the movement (5 mm at least) from the push when it is nearest to it, within 0.3 s
    float off_slight; ///< rad, as off, of movements of 1 mm at least: what a light push does before the motion itself
                      ///< takes another way
    float off_end;    ///< rad, as off, 0.3 s after the push: no moment is chosen
    float off_last;   ///< rad, when it has gone farthest along; all pi when it never goes along
    float off_stance; ///< rad, as off, but relative to the feet that stood when it was pushed: a push on a leg in
                      ///< the air carries the middle of both feet away under the chest
    am_balance balance, usual_balance; ///< of the pushed and of the twin; zero where the rig lacks toes
} lab_push_trial;

/// trials(def->count). *reach: the distance from the data that counts as near: 99 % of what the twins have in all
/// ticks is less. The same trials for any tasks.
am_result lab_push_trials(lab_push_trial *trials, float *reach, const lab_push_trials_def *def, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
