/// What info and export do with networks.
#ifndef AMBLE_CLI_NETWORK_H
#define AMBLE_CLI_NETWORK_H

#include "cli.h"

/// Whether a file is a network, by its first bytes or its name.
bool network_is(const char *path);
int network_info(const char *path, bool verify, bool json);

typedef struct network_export {
    const char *input, *output;
    const char *part;    ///< --part, NULL for all
    const char *weights; ///< --weights: an NPZ to take the numbers from, or NULL
    const char *type;    ///< --type: fp32, fp16 or int8 for .amnet; NULL as it is
} network_export;

/// .npz (all parts), .onnx (one part) or .amnet (other weights, another type).
int network_write(const network_export *job, bool json);

#endif
