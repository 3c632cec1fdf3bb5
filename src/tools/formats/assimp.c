// Reads other formats through Assimp, which may crash on a bad file: it runs in a helper program (assimp_child.c)
// that returns a GLB, so that the worst case here is an error.
#include "formats/assimp.h"

#include "base/bytes.h"
#include "base/child.h"
#include "base/error.h"
#include "base/os.h"
#include "formats/assimp_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__) || defined(_WIN32)

am_result ami_assimp_read(am_clips *out, const char *path, const am_read_def *def, am_error *err)
{
    (void)path;
    memset(out, 0, sizeof *out);
    ami_fail(err, AM_ERR_SUPPORT, "this build reads BVH, GLB and NPZ; convert the file first");
    ami_error_file(err, def->file);
    return AM_ERR_SUPPORT;
}

#else

#define HELPER "amble-assimp"
// A minute is many times what the largest rig takes; a file that needs longer has put the importer into an endless
// loop.
#define SECONDS 60.0
#define MAX_OUTPUT ((size_t)2 << 30)

/// The helper: where AMBLE_ASSIMP says, beside the running program, or where it was installed.
static bool find_helper(char *out, size_t size)
{
    const char *named = getenv("AMBLE_ASSIMP");
    if (named && named[0]) {
        snprintf(out, size, "%s", named);
        return am_path_look(NULL, out) == AM_PATH_FILE;
    }
    if (am_program_beside(out, size, HELPER)) {
        return true;
    }
#if defined(AMI_HELPER_DIR)
    snprintf(out, size, "%s/%s", AMI_HELPER_DIR, HELPER);
    return am_path_look(NULL, out) == AM_PATH_FILE;
#else
    return false;
#endif
}

static double time_limit(void)
{
    const char *text = getenv("AMBLE_ASSIMP_SECONDS");
    double seconds = text ? strtod(text, NULL) : SECONDS;
    return seconds > 0.0 && seconds < 86400.0 ? seconds : SECONDS;
}

/// Turns how the helper ended into an error, or AM_OK.
static am_result judge(const ami_child *child, am_error *err)
{
    if (child->signal) {
        return ami_fail(err, AM_ERR_CHILD,
                        "the importer crashed (signal %d) on this file; try another exporter, or BVH or GLB",
                        child->signal);
    }
    if (child->exit_code == 0) {
        return AM_OK;
    }
    int code = child->exit_code - AMI_ASSIMP_STATUS;
    bool known = code > AM_OK && code < AM_ERR_COUNT;
    char text[400];
    snprintf(text, sizeof text, "%s", child->message);
    text[strcspn(text, "\n")] = '\0';
    return ami_fail(err, known ? (am_result)code : AM_ERR_CHILD, "%s",
                    text[0] ? text : "the importer failed without a message; try another exporter, or BVH or GLB");
}

am_result ami_assimp_read(am_clips *out, const char *path, const am_read_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    const char *file = def->file ? def->file : path;
    char helper[1200];
    am_result result;
    if (am_path_look(NULL, path) == AM_PATH_NONE) {
        result = ami_fail(err, AM_ERR_OPEN, "the file cannot be opened");
    } else if (!find_helper(helper, sizeof helper)) {
        result = ami_fail(err, AM_ERR_SUPPORT,
                          "not BVH, GLB or NPZ, and " HELPER ", which reads others, is not beside the command");
    } else {
        ami_child child;
        const char *argv[] = { helper, path, NULL };
        result = ami_child_run(&child, argv, time_limit(), MAX_OUTPUT, def->alloc, err);
        if (result == AM_OK) {
            result = judge(&child, err);
        }
        if (result == AM_OK) {
            am_read_def named = *def;
            named.file = file;
            result = am_glb_read(out, child.output.data, child.output.size, &named, err);
        }
        am_bytes_free(&child.output);
    }
    if (result != AM_OK) {
        ami_error_file(err, file);
    }
    return result;
}

#endif
