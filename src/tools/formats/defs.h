/// What all readers and writers share: checks of their defs, and the name of a clip.
#ifndef AMI_IO_DEFS_H
#define AMI_IO_DEFS_H

#include <amble/tools/formats.h>

/// AM_OK, or AM_ERR_DEF for a def that was not initialised from its default or has limits out of range.
am_result ami_read_def_check(const am_read_def *def, am_error *err);
am_result ami_write_def_check(const am_write_def *def, am_error *err);

/// Copies the stem of a path ("walk" of "a/walk.bvh") into out, terminated and cut to size; NULL gives "".
void ami_file_stem(char *out, size_t size, const char *path);
/// True when the path ends with `extension` (".glb"), whatever the case.
bool ami_file_has_extension(const char *path, const char *extension);

#endif
