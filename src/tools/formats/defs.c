// Defaults and checks of the readers' and writers' defs.
#include "formats/defs.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

am_read_def am_read_def_default(void)
{
    am_read_def def = { .max_joints = AM_MAX_JOINTS, .max_frames = AM_MAX_FRAMES, .cookie = AM_COOKIE };
    return def;
}

am_write_def am_write_def_default(void)
{
    am_write_def def = { .cookie = AM_COOKIE };
    return def;
}

am_result ami_read_def_check(const am_read_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the read def with am_read_def_default()");
    }
    if (def->max_joints < 1 || def->max_joints > AM_MAX_JOINTS || def->max_frames < 1 ||
        def->max_frames > AM_MAX_FRAMES) {
        return ami_fail(err, AM_ERR_DEF, "read def allows %d joints and %d frames; 1 to %d and 1 to %d are possible",
                        def->max_joints, def->max_frames, AM_MAX_JOINTS, AM_MAX_FRAMES);
    }
    return AM_OK;
}

am_result ami_write_def_check(const am_write_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the write def with am_write_def_default()");
    }
    return AM_OK;
}

void am_clips_free(am_clips *clips)
{
    if (clips && clips->items) {
        for (int i = 0; i < clips->count; i++) {
            am_clip_destroy(clips->items[i]);
        }
        ami_release(&clips->alloc, clips->items, (size_t)clips->count * sizeof *clips->items);
        clips->items = NULL;
        clips->count = 0;
    }
}

/// Where the file name of a path begins.
static const char *base_name(const char *path)
{
    const char *base = path;
    for (const char *at = path; *at; at++) {
        base = *at == '/' || *at == '\\' ? at + 1 : base;
    }
    return base;
}

void ami_file_stem(char *out, size_t size, const char *path)
{
    const char *base = path ? base_name(path) : "";
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    length = length < size ? length : size - 1;
    memcpy(out, base, length);
    out[length] = '\0';
}

bool ami_file_has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), size = strlen(extension);
    if (length < size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = path[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != extension[i]) {
            return false;
        }
    }
    return true;
}
