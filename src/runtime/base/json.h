/// What the JSON parser and its typed readers share.
#ifndef AMI_BASE_JSON_H
#define AMI_BASE_JSON_H

#include "base/memory.h"

#include <amble/tools/json.h>

struct am_json_doc {
    ami_arena arena; // holds everything, this struct too
    const am_json *root;
    const char *file; // name for errors, or NULL
};

#endif
