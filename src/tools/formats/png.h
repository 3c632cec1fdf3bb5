/// PNG files of pictures.
#ifndef AMI_FORMATS_PNG_H
#define AMI_FORMATS_PNG_H

#include <amble/base.h>
#include <amble/tools/files.h>

/// Writes pixels [height][width][3] (red, green, blue) as PNG, with a palette where 256 colours suffice. `out` is
/// zeroed; free it with am_bytes_free.
am_result ami_png_write(am_bytes *out, const uint8_t *pixels, int width, int height, const am_alloc *alloc,
                        am_error *err);

#endif
