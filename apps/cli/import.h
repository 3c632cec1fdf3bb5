/// What amble import found, and how it is told.
#ifndef AMBLE_CLI_IMPORT_H
#define AMBLE_CLI_IMPORT_H

#include "cli.h"

/// One clip of a file (BVH has one; other formats may have several).
typedef struct import_entry {
    char *path;
    am_path_info file; ///< which file that is, whatever the path
    int clip;          ///< index within the file
    int clip_count;    ///< 0 until it was read
    am_clip *motion;
    am_diagnosis diagnosis;
    am_error error; ///< code AM_OK when it was read and examined
    bool nothing;   ///< --fix left nothing of it
} import_entry;

typedef struct import_job {
    import_entry *entries;
    int count, room;
    am_doctor_def doctor;
    const char *out_dir;
    am_progress progress;
} import_job;

/// {"files": [...]} on stdout.
int import_print_json(const import_job *j);
/// The same for people; what could not be read is not in it.
void import_print_text(const import_job *j);

#endif
