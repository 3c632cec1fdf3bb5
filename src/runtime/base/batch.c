// Parallel jobs in batches, so that cancelling takes effect soon and the progress hook is never called twice at once.
#include "base/batch.h"

#include "base/error.h"

typedef struct shifted {
    am_task_fn fn;
    void *context;
    int first;
} shifted;

static void run_shifted(void *context, int item)
{
    const shifted *s = context;
    s->fn(s->context, s->first + item);
}

static bool report(const am_progress *progress, const char *stage, int done, int total)
{
    return !progress || !progress->report || progress->report(progress->user, stage, done, total);
}

am_result ami_run_batches(const am_tasks *tasks, const am_progress *progress, const char *stage, int count,
                          am_task_fn fn, void *context, am_error *err)
{
    // Several items per thread in each batch, so that one long item does not leave the other threads idle for long.
    int batch = (tasks->threads > 1 ? tasks->threads : 1) * 8;
    for (int at = 0; at < count; at += batch) {
        if (!report(progress, stage, at, count)) {
            return ami_fail(err, AM_ERR_CANCELLED, "cancelled during '%s'", stage);
        }
        shifted s = { fn, context, at };
        tasks->run(tasks->user, count - at < batch ? count - at : batch, run_shifted, &s);
    }
    if (!report(progress, stage, count, count)) {
        return ami_fail(err, AM_ERR_CANCELLED, "cancelled during '%s'", stage);
    }
    return AM_OK;
}
