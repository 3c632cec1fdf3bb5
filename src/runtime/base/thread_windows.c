// Threads through the API of Windows 7 and later, so that programs need no pthreads library.
#include "base/thread.h"

#include <process.h>
#include <windows.h>

enum { stack_bytes = 8 << 20 }; // what other systems give; Windows' own 1 MB is too little for the readers

static unsigned __stdcall begin(void *argument)
{
    const ami_thread *thread = argument;
    thread->fn(thread->user);
    return 0;
}

bool ami_thread_start(ami_thread *thread, void (*fn)(void *user), void *user)
{
    thread->fn = fn;
    thread->user = user;
    thread->handle =
        (void *)_beginthreadex(NULL, stack_bytes, begin, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return thread->handle != NULL;
}

void ami_thread_join(ami_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void ami_thread_yield(void) { SwitchToThread(); }

_Static_assert(sizeof(ami_mutex) == sizeof(SRWLOCK) && sizeof(ami_condition) == sizeof(CONDITION_VARIABLE),
               "both are one pointer");

void ami_mutex_init(ami_mutex *mutex) { InitializeSRWLock((SRWLOCK *)mutex); }
void ami_mutex_destroy(ami_mutex *mutex) { (void)mutex; }
void ami_mutex_lock(ami_mutex *mutex) { AcquireSRWLockExclusive((SRWLOCK *)mutex); }
void ami_mutex_unlock(ami_mutex *mutex) { ReleaseSRWLockExclusive((SRWLOCK *)mutex); }

void ami_condition_init(ami_condition *condition) { InitializeConditionVariable((CONDITION_VARIABLE *)condition); }
void ami_condition_destroy(ami_condition *condition) { (void)condition; }

void ami_condition_wait(ami_condition *condition, ami_mutex *mutex)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, INFINITE, 0);
}

void ami_condition_wake_all(ami_condition *condition) { WakeAllConditionVariable((CONDITION_VARIABLE *)condition); }
