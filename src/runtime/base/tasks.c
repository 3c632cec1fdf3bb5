// Parallel work: the serial runner, and a pool of threads that share jobs item by item. Which thread runs an item is
// left to chance, so results must not depend on it; everything else in the library may then use any number of
// threads.
#include "base/error.h"
#include "base/memory.h"
#include "base/tasks.h"

static void run_serial(void *user, int count, am_task_fn fn, void *context)
{
    (void)user;
    for (int i = 0; i < count; i++) {
        fn(context, i);
    }
}

am_tasks ami_tasks_serial(void)
{
    am_tasks tasks = { NULL, run_serial, 1 };
    return tasks;
}

#if defined(__EMSCRIPTEN__)

struct am_pool {
    am_alloc alloc;
    am_tasks tasks;
};

am_result am_pool_create(am_pool **out, int threads, const am_alloc *alloc, am_error *err)
{
    (void)threads;
    am_alloc from = ami_alloc_or_default(alloc);
    *out = ami_alloc_zero(&from, sizeof **out);
    if (!*out) {
        return ami_fail_memory(err, sizeof **out);
    }
    (*out)->alloc = from;
    (*out)->tasks = ami_tasks_serial();
    return AM_OK;
}

void am_pool_destroy(am_pool *pool)
{
    if (pool) {
        am_alloc alloc = pool->alloc;
        ami_release(&alloc, pool, sizeof *pool);
    }
}

const am_tasks *am_pool_tasks(const am_pool *pool) { return &pool->tasks; }

#else

#include "base/os.h"
#include "base/thread.h"

#include <stdatomic.h>

enum { most_threads = 256 };

// One call of run; lives on the caller's stack until no worker touches it.
typedef struct job {
    struct job *next; // in the pool's list
    am_task_fn fn;
    void *context;
    int count;
    atomic_int item; // the next one to hand out
    int helpers;     // workers inside; guarded by the pool's mutex
} job;

struct am_pool {
    am_alloc alloc;
    am_tasks tasks;
    ami_mutex mutex;
    ami_condition work; // there is a new job, or stop
    ami_condition idle; // some job lost its last helper
    job *jobs;          // those that may still have items, newest first
    bool stop;
    int workers;
    size_t size; // of this block
    ami_thread thread[];
};

static void take_items(job *j)
{
    for (;;) {
        int item = atomic_fetch_add_explicit(&j->item, 1, memory_order_relaxed);
        if ((unsigned)item >= (unsigned)j->count) { // unsigned: the counter may have run past INT_MAX
            return;
        }
        j->fn(j->context, item);
    }
}

static job *find_job(am_pool *pool)
{
    for (job *j = pool->jobs; j; j = j->next) {
        if ((unsigned)atomic_load_explicit(&j->item, memory_order_relaxed) < (unsigned)j->count) {
            return j;
        }
    }
    return NULL;
}

static void work(void *argument)
{
    am_pool *pool = argument;
    ami_mutex_lock(&pool->mutex);
    for (;;) {
        job *j = find_job(pool);
        if (j) {
            j->helpers++;
            ami_mutex_unlock(&pool->mutex);
            take_items(j);
            ami_mutex_lock(&pool->mutex);
            if (--j->helpers == 0) {
                ami_condition_wake_all(&pool->idle);
            }
        } else if (pool->stop) {
            break;
        } else {
            ami_condition_wait(&pool->work, &pool->mutex);
        }
    }
    ami_mutex_unlock(&pool->mutex);
}

// The caller works on its own job until all items are handed out and then waits only for the threads inside it. A
// nested run does the same one level deeper, so waiting goes strictly downward and cannot form a cycle.
static void run_pool(void *user, int count, am_task_fn fn, void *context)
{
    am_pool *pool = user;
    if (count <= 1 || pool->workers == 0) {
        run_serial(NULL, count, fn, context);
        return;
    }
    job j = { .fn = fn, .context = context, .count = count };
    atomic_init(&j.item, 0);
    ami_mutex_lock(&pool->mutex);
    j.next = pool->jobs;
    pool->jobs = &j;
    ami_condition_wake_all(&pool->work);
    ami_mutex_unlock(&pool->mutex);

    take_items(&j);

    ami_mutex_lock(&pool->mutex);
    job **link = &pool->jobs;
    while (*link != &j) {
        link = &(*link)->next;
    }
    *link = j.next;
    while (j.helpers > 0) {
        ami_condition_wait(&pool->idle, &pool->mutex);
    }
    ami_mutex_unlock(&pool->mutex);
}

am_result am_pool_create(am_pool **out, int threads, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    threads = threads <= 0 ? am_processor_count() : threads;
    threads = threads > most_threads ? most_threads : threads;
    am_alloc from = ami_alloc_or_default(alloc);
    size_t size = sizeof(am_pool) + (size_t)(threads - 1) * sizeof(ami_thread);
    am_pool *pool = ami_alloc_zero(&from, size);
    if (!pool) {
        return ami_fail_memory(err, size);
    }
    pool->alloc = from;
    pool->size = size;
    ami_mutex_init(&pool->mutex);
    ami_condition_init(&pool->work);
    ami_condition_init(&pool->idle);
    // The calling thread is one of them. With fewer threads the result is the same, only slower.
    ami_mutex_lock(&pool->mutex);
    while (pool->workers < threads - 1 && ami_thread_start(&pool->thread[pool->workers], work, pool)) {
        pool->workers++;
    }
    pool->tasks = (am_tasks){ pool, run_pool, pool->workers + 1 };
    ami_mutex_unlock(&pool->mutex);
    *out = pool;
    return AM_OK;
}

void am_pool_destroy(am_pool *pool)
{
    if (!pool) {
        return;
    }
    ami_mutex_lock(&pool->mutex);
    pool->stop = true;
    ami_condition_wake_all(&pool->work);
    ami_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->workers; i++) {
        ami_thread_join(&pool->thread[i]);
    }
    ami_condition_destroy(&pool->idle);
    ami_condition_destroy(&pool->work);
    ami_mutex_destroy(&pool->mutex);
    am_alloc alloc = pool->alloc;
    ami_release(&alloc, pool, pool->size);
}

const am_tasks *am_pool_tasks(const am_pool *pool) { return &pool->tasks; }

#endif
