/// Import of the formats that Amble does not read itself, through Assimp in a child process.
#ifndef AMI_IO_ASSIMP_H
#define AMI_IO_ASSIMP_H

#include <amble/tools/formats.h>

/// Reads the file at `path` in a child process: a crash of the importer is an ordinary error (AM_ERR_CHILD). Gives
/// AM_ERR_SUPPORT where the build has no Assimp or Assimp does not know the format.
am_result ami_assimp_read(am_clips *out, const char *path, const am_read_def *def, am_error *err);

#endif
