// Finds the shared motion capture.
#include "data.h"

#include "places.h"

#include <stdio.h>
#include <stdlib.h>

bool cli_data_find(char *out, size_t size, const char *set)
{
    static const char *const beside[] = { "build/data", "../shared/data", "../shared/data/cmu",
                                          "../shared/data/accad" };
    const char *only = getenv("AMBLE_DATA");
    only = only && only[0] ? only : NULL;
    if (snprintf(out, size, "%s/%s", only ? only : "build/data", set) < (int)size && cli_is_folder(out)) {
        return true;
    }
    for (int i = 0; i < CLI_COUNT(beside) && !only; i++) {
        char below[512];
        if (snprintf(below, sizeof below, "%s/%s", beside[i], set) < (int)sizeof below &&
            cli_source_path(out, size, below) && cli_is_folder(out)) {
            return true;
        }
    }
    return false;
}

bool cli_find_set(void *unused, const char *set, char *out, size_t size)
{
    (void)unused;
    return cli_data_find(out, size, set);
}
