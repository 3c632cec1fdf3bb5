// What all sources share.
#include <amble/source.h>

void am_source_destroy(am_source *source)
{
    if (source) {
        source->interface->destroy(source);
    }
}
