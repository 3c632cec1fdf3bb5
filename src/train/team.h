/// A team of threads that does one iteration together, kept between iterations.
#ifndef AMI_TRAIN_TEAM_H
#define AMI_TRAIN_TEAM_H

#include <amble/base.h>

typedef struct ami_team ami_team;

/// A team of at most `threads`, the caller included; fewer when the system gives no more.
am_result ami_team_create(ami_team **out, int threads, const am_alloc *alloc, am_error *err);
void ami_team_destroy(ami_team *team);
int ami_team_size(const ami_team *team);
/// Calls fn(context, t, size) for each t of the team at once and returns when all have ended.
void ami_team_run(ami_team *team, void (*fn)(void *context, int thread, int threads), void *context);
/// Inside fn: waits for all of the team.
void ami_team_wait(ami_team *team);
/// How many processors this program may use.
int ami_team_most(void);

#endif
