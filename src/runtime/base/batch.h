/// A parallel job with progress: items in batches, the hook called between them by the calling thread only.
#ifndef AMI_BASE_BATCH_H
#define AMI_BASE_BATCH_H

#include <amble/base.h>

/// Runs fn(context, i) for i in [0, count). AM_ERR_CANCELLED when the progress hook (which may be NULL) says stop;
/// items of batches that have not started are then not run.
am_result ami_run_batches(const am_tasks *tasks, const am_progress *progress, const char *stage, int count,
                          am_task_fn fn, void *context, am_error *err);

#endif
