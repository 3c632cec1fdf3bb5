/// Threads, mutexes and conditions of this system. None of them allocates.
#ifndef AMI_BASE_THREAD_H
#define AMI_BASE_THREAD_H

#include <stdbool.h>

#if defined(_WIN32)
typedef struct ami_mutex {
    void *state; // an SRWLOCK
} ami_mutex;
typedef struct ami_condition {
    void *state; // a CONDITION_VARIABLE
} ami_condition;
typedef void *ami_thread_handle;
#else
#include <pthread.h>
typedef pthread_mutex_t ami_mutex;
typedef pthread_cond_t ami_condition;
typedef pthread_t ami_thread_handle;
#endif

/// Must not be moved between start and join.
typedef struct ami_thread {
    void (*fn)(void *user);
    void *user;
    ami_thread_handle handle;
} ami_thread;

/// Runs fn(user) on a new thread with a stack of 8 MB or what the user set. False when the system gives none.
bool ami_thread_start(ami_thread *thread, void (*fn)(void *user), void *user);
/// Waits until its function has returned.
void ami_thread_join(ami_thread *thread);
/// Lets another thread have this processor.
void ami_thread_yield(void);

void ami_mutex_init(ami_mutex *mutex);
void ami_mutex_destroy(ami_mutex *mutex);
void ami_mutex_lock(ami_mutex *mutex);
void ami_mutex_unlock(ami_mutex *mutex);

void ami_condition_init(ami_condition *condition);
void ami_condition_destroy(ami_condition *condition);
/// Releases the mutex while it sleeps; may wake up without a reason.
void ami_condition_wait(ami_condition *condition, ami_mutex *mutex);
void ami_condition_wake_all(ami_condition *condition);

#endif
