// Threads through pthreads.
#include "base/thread.h"

#include <sched.h>

static void *begin(void *argument)
{
    const ami_thread *thread = argument;
    thread->fn(thread->user);
    return NULL;
}

bool ami_thread_start(ami_thread *thread, void (*fn)(void *user), void *user)
{
    thread->fn = fn;
    thread->user = user;
    return pthread_create(&thread->handle, NULL, begin, thread) == 0;
}

void ami_thread_join(ami_thread *thread) { pthread_join(thread->handle, NULL); }

void ami_thread_yield(void) { sched_yield(); }

void ami_mutex_init(ami_mutex *mutex) { pthread_mutex_init(mutex, NULL); }
void ami_mutex_destroy(ami_mutex *mutex) { pthread_mutex_destroy(mutex); }
void ami_mutex_lock(ami_mutex *mutex) { pthread_mutex_lock(mutex); }
void ami_mutex_unlock(ami_mutex *mutex) { pthread_mutex_unlock(mutex); }

void ami_condition_init(ami_condition *condition) { pthread_cond_init(condition, NULL); }
void ami_condition_destroy(ami_condition *condition) { pthread_cond_destroy(condition); }
void ami_condition_wait(ami_condition *condition, ami_mutex *mutex) { pthread_cond_wait(condition, mutex); }
void ami_condition_wake_all(ami_condition *condition) { pthread_cond_broadcast(condition); }
