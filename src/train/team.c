// Threads by OpenMP: its team is kept between iterations and its barriers spin, which a pool with locks does not.
#include "train/team.h"

#if defined(_OPENMP)
#include <omp.h>

void ami_team_run(int threads, void (*fn)(void *context, int thread, int threads), void *context)
{
    if (threads <= 1) {
        fn(context, 0, 1);
        return;
    }
#pragma omp parallel num_threads(threads)
    fn(context, omp_get_thread_num(), omp_get_num_threads());
}

void ami_team_wait(void)
{
#pragma omp barrier
}

int ami_team_most(void) { return omp_get_num_procs(); }

#else

void ami_team_run(int threads, void (*fn)(void *context, int thread, int threads), void *context)
{
    (void)threads;
    fn(context, 0, 1);
}

void ami_team_wait(void) {}
int ami_team_most(void) { return 1; }

#endif
