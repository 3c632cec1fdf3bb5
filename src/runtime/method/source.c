// What all sources share: destruction, and the work memory of batches.
#include <amble/source.h>

#include "base/error.h"
#include "method/sources.h"

void ami_source_destroy(am_source *source)
{
    if (source) {
        source->interface->destroy(source);
    }
}

am_result am_source_work_create(am_search_work **out, const am_source *source, int most, const am_alloc *alloc,
                                am_error *err)
{
    *out = NULL;
    if (!source || most < 1 || most > AM_NET_MOST_BATCH) {
        return ami_fail(err, AM_ERR_DEF, "a batch has 1 to %d characters, not %d", AM_NET_MOST_BATCH, most);
    }
    am_search_work *work = NULL;
    am_result result = ami_search_work_create(&work, source->index, alloc, err);
    if (result == AM_OK && source->interface->make_work) {
        result = source->interface->make_work(source, work, most, alloc, err);
    }
    if (result != AM_OK) {
        ami_search_work_destroy(work);
        return result;
    }
    *out = work;
    return AM_OK;
}

void am_source_work_destroy(am_search_work *work) { ami_search_work_destroy(work); }
