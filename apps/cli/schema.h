/// What info does with control schemas.
#ifndef AMBLE_CLI_SCHEMA_H
#define AMBLE_CLI_SCHEMA_H

#include "cli.h"

/// Whether a JSON file is a control schema: whether it has a "control".
bool schema_is(const char *path);
/// With `check` every mistake is listed, else the encoder is printed.
int schema_info(const char *path, bool check, bool json);

#endif
