/// A team of threads that does one iteration together.
#ifndef AMI_TRAIN_TEAM_H
#define AMI_TRAIN_TEAM_H

/// Calls fn(context, t, threads) for each t of the team at once; `threads` may be fewer than asked for.
void ami_team_run(int threads, void (*fn)(void *context, int thread, int threads), void *context);
/// Inside fn: waits for all of the team.
void ami_team_wait(void);
/// How many threads this machine offers.
int ami_team_most(void);

#endif
