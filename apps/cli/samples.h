/// amble info SCHEMA --samples: what training controls draw.
#ifndef AMBLE_CLI_SAMPLES_H
#define AMBLE_CLI_SAMPLES_H

#include "cli.h"

/// What the options of info say.
typedef struct samples_call {
    const char *controls; ///< file of controls, NULL: no samples are wanted
    const char *database;
    int count;
    double seed;
} samples_call;

/// Draws samples for the schema at `path` and prints them.
int samples_info(const char *path, const samples_call *options, bool json);

#endif
