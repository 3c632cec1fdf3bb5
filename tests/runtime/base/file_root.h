/// A folder of their own for the tests of files.
#ifndef AMBLE_TEST_BASE_FILE_ROOT_H
#define AMBLE_TEST_BASE_FILE_ROOT_H

#include "support/check.h"

static char root[512];
static char path[700];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int files_in_root(void)
{
    am_folder_names names;
    assert_true(am_folder_list(&names, root));
    const int count = names.count;
    am_folder_names_free(&names);
    return count;
}

#endif
