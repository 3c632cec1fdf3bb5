/// Finds databases by the name of their config, or builds and keeps them, for all verbs.
#ifndef AMBLE_CLI_DATABASE_H
#define AMBLE_CLI_DATABASE_H

#include "cli.h"

/// Whether all motion capture that a config asks for is on this machine.
bool cli_database_has_data(const char *config);

/// A database by the name of its config ("locomotion"). It is kept as NAME.amdb in the cache folder
/// "databases" (am_build_open). "synth" needs no data.
am_result cli_database_open(am_db **out, const char *config, const am_tasks *tasks, const am_progress *progress,
                            am_error *err);

/// Makes the message of a failed open say which command makes the database at `path`, then `otherwise`. Its config is
/// found by name in configs/databases. Nothing changes when the file is there.
void cli_database_advise(am_error *err, const char *path, const char *otherwise);

#endif
