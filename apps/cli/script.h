/// Opens scripts (RUN.json) to be played, for all verbs that play one.
#ifndef AMBLE_CLI_SCRIPT_H
#define AMBLE_CLI_SCRIPT_H

#include "cli.h"

/// A script as a person asks for it, and what playing it needs. Zeroed before its first fields are set.
typedef struct cli_script {
    const char *path;             ///< a file, or the name of a config
    const char *database, *model; ///< in place of the script's
    bool trace;                   ///< the candidates of each search are wanted
    am_run_script script;
    am_model *direction; ///< shipped, when the script names no model
    am_run *run;
} cli_script;

/// Reads the script and begins its run, with pushes where this build has them. Tags that no frame has are reported on
/// stderr; a missing database is an error that says how to make it.
am_result cli_script_open(cli_script *s, am_error *err);
void cli_script_close(cli_script *s);

#endif
