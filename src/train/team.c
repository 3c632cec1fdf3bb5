// A team of threads that meet several times in a third of a millisecond. Waiting spins first, since waking a sleeping
// thread takes longer than most waits, then yields the processor, since on a busy machine the other thread may not be
// running. OpenMP's teams do the first but not the second: with two other programs running, an iteration took ten
// times as long.
#include "train/team.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/thread.h"

enum { most_threads = 64, spins = 600, idle_yields = 200 };

struct ami_team {
    am_alloc alloc;
    int size;
    ami_thread threads[most_threads];
    struct member {
        ami_team *team;
        int number;
    } members[most_threads];
    void (*fn)(void *context, int thread, int threads);
    void *context;
    atomic_uint round;  ///< of work given out
    atomic_bool over;   ///< the round is the end
    atomic_int arrived; ///< at the meeting point
    atomic_uint phase;  ///< meetings so far
    ami_mutex lock;
    ami_condition wake;
    int sleepers; ///< under the lock
};

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

int ami_team_most(void)
{
    const int count = am_processor_count();
    return count > most_threads ? most_threads : count;
}

void ami_team_wait(ami_team *team)
{
    const unsigned phase = atomic_load_explicit(&team->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->size) {
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->phase, phase + 1, memory_order_release);
        return;
    }
    for (int i = 0; atomic_load_explicit(&team->phase, memory_order_acquire) == phase; i++) {
        if (i < spins) {
            pause_a_little();
        } else {
            ami_thread_yield();
        }
    }
}

/// Waits for a round other than `seen`: spins, yields, then sleeps.
static unsigned next_round(ami_team *team, unsigned seen)
{
    unsigned round = seen;
    for (int i = 0; i < spins + idle_yields && round == seen; i++) {
        if (i < spins) {
            pause_a_little();
        } else {
            ami_thread_yield();
        }
        round = atomic_load_explicit(&team->round, memory_order_acquire);
    }
    if (round == seen) {
        ami_mutex_lock(&team->lock);
        team->sleepers++;
        while ((round = atomic_load_explicit(&team->round, memory_order_acquire)) == seen) {
            ami_condition_wait(&team->wake, &team->lock);
        }
        team->sleepers--;
        ami_mutex_unlock(&team->lock);
    }
    return round;
}

static void live(void *user)
{
    const struct member *me = user;
    ami_team *team = me->team;
    unsigned seen = 0;
    for (;;) {
        seen = next_round(team, seen);
        if (atomic_load(&team->over)) {
            return;
        }
        team->fn(team->context, me->number, team->size);
        ami_team_wait(team);
    }
}

/// Lets the others begin a round. The lock ensures that no thread falls asleep in between.
static void give_out(ami_team *team)
{
    ami_mutex_lock(&team->lock);
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    if (team->sleepers > 0) {
        ami_condition_wake_all(&team->wake);
    }
    ami_mutex_unlock(&team->lock);
}

void ami_team_run(ami_team *team, void (*fn)(void *context, int thread, int threads), void *context)
{
    if (team->size == 1) {
        fn(context, 0, 1);
        return;
    }
    team->fn = fn;
    team->context = context;
    give_out(team);
    fn(context, 0, team->size);
    ami_team_wait(team);
}

am_result ami_team_create(ami_team **out, int threads, const am_alloc *alloc, am_error *err)
{
    const am_alloc from = ami_alloc_or_default(alloc);
    ami_team *team = ami_alloc_zero(&from, sizeof *team);
    *out = team;
    if (!team) {
        return ami_fail_memory(err, sizeof *team);
    }
    team->alloc = from;
    ami_mutex_init(&team->lock);
    ami_condition_init(&team->wake);
    const int want = threads < most_threads ? threads : most_threads;
    team->size = 1;
    for (int i = 1; i < want; i++) {
        team->members[i] = (struct member){ team, i };
        if (!ami_thread_start(&team->threads[i], live, &team->members[i])) {
            break; // fewer do the same work
        }
        team->size = i + 1;
    }
    return AM_OK;
}

void ami_team_destroy(ami_team *team)
{
    if (!team) {
        return;
    }
    atomic_store(&team->over, true);
    give_out(team);
    for (int i = 1; i < team->size; i++) {
        ami_thread_join(&team->threads[i]);
    }
    ami_mutex_destroy(&team->lock);
    ami_condition_destroy(&team->wake);
    const am_alloc alloc = team->alloc;
    ami_release(&alloc, team, sizeof *team);
}

int ami_team_size(const ami_team *team) { return team->size; }
