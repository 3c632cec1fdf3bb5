/// Work of one thread, where the caller gave no tasks.
#ifndef AMI_BASE_TASKS_H
#define AMI_BASE_TASKS_H

#include <amble/base.h>

/// Runs items one after another on the calling thread.
am_tasks ami_tasks_serial(void);

#endif
