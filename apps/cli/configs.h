/// Finds configs by name, for all verbs.
#ifndef AMBLE_CLI_CONFIGS_H
#define AMBLE_CLI_CONFIGS_H

#include "cli.h"

/// What a config is for. Each kind has a folder below configs/.
typedef enum cli_config { CLI_DATABASE, CLI_RECIPE, CLI_RUN } cli_config;

/// The path of the config that the user means: a file as it is; otherwise a name ("locomotion", "curve") among the
/// configs of that kind, first below configs/ of the working folder, then among those that ship. A miss names the
/// nearest and lists the others.
am_result cli_config_find(char *out, size_t size, cli_config kind, const char *word, am_error *err);

#endif
