/// The results of amble import and how they are printed.
#ifndef AMBLE_CLI_IMPORT_H
#define AMBLE_CLI_IMPORT_H

#include "cli.h"

/// What the command knows about a clip besides the library.
typedef struct import_mark {
    am_path_info file; ///< which file it is from, whatever the path
    bool done;         ///< --fix has cleaned it
    bool nothing;      ///< and nothing was left
} import_mark;

typedef struct import_job {
    am_import import;
    import_mark *marks; ///< [import.count] once the clips are read
    const char *out_dir;
} import_job;

/// {"files": [...]} on stdout.
int import_print_json(const import_job *j);
/// The same for people; what could not be read is not in it.
void import_print_text(const import_job *j);

#endif
