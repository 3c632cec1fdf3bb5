/// Finds the shared motion capture, for all verbs.
#ifndef AMBLE_CLI_DATA_H
#define AMBLE_CLI_DATA_H

#include "cli.h"

/// The folder of an unpacked set ("locomotion"): in AMBLE_DATA alone when it is set, else in build/data of the
/// working folder and of the source tree, then in ../shared/data from the source tree. False when there is none.
bool cli_data_find(char *out, size_t size, const char *set);
/// The same in the form of am_build_def's find_set.
bool cli_find_set(void *unused, const char *set, char *out, size_t size);

#endif
