// Clean clips as BVH files in a folder, for amble import --fix: named apart, all pieces of a clip or none, and never
// over an input.
#include <amble/tools/doctor.h>
#include <amble/tools/os.h>

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct write_job {
    const am_import *import;
    const char *folder;
    am_path_info *inputs; ///< [import->count]
} write_job;

/// Whether `path` is one of the files to be cleaned, by whatever path they were named.
static bool is_input(const write_job *job, const char *path)
{
    am_path_info info;
    bool found = false;
    if (am_path_look(&info, path) == AM_PATH_FILE) {
        for (int i = 0; i < job->import->count && !found; i++) {
            found = memcmp(job->inputs[i].identity, info.identity, sizeof info.identity) == 0;
        }
    }
    return found;
}

static am_result write_piece(const write_job *job, const char *path, const am_clip *piece, am_error *err)
{
    if (is_input(job, path)) {
        ami_fail(err, AM_ERR_WRITE, "is one of the files to clean; choose another folder");
        ami_error_file(err, path);
        return AM_ERR_WRITE;
    }
    am_write_def def = am_write_def_default();
    am_bytes bytes = { 0 };
    am_result result = am_bvh_write(&bytes, piece, &def, err);
    result = result == AM_OK ? am_file_write(path, bytes.data, bytes.size, err) : result;
    am_bytes_free(&bytes);
    return result;
}

static void name_piece(char *out, size_t size, const write_job *job, const am_import_clip *clip, int piece)
{
    char name[240];
    am_piece_name(name, sizeof name, clip->name, piece, clip->pieces.count);
    snprintf(out, size, "%s/%s.bvh", job->folder, name);
}

static void write_clip(void *user, am_import_clip *clip, int index)
{
    const write_job *job = user;
    char path[2048];
    (void)index;
    clip->finished = true;
    if (clip->error.code == AM_ERR_EMPTY) {
        clip->error = (am_error){ 0 };
        clip->left_out = true; // bad throughout: the findings say why
        return;
    }
    am_result result = clip->error.code;
    int count = 0;
    while (result == AM_OK && count < clip->pieces.count) {
        name_piece(path, sizeof path, job, clip, count);
        result = write_piece(job, path, clip->pieces.items[count], &clip->error);
        count += result == AM_OK;
    }
    while (result != AM_OK && count > 0) {
        name_piece(path, sizeof path, job, clip, --count);
        remove(path);
    }
    am_clips_free(&clip->pieces);
    if (result != AM_OK) {
        ami_error_file(&clip->error, clip->path);
    }
}

/// Whether `other` may be the name of a piece of `clip`: NAME-a, NAME-b1, when there is something to cut.
static bool may_be_piece(const am_import_clip *clip, const char *other)
{
    size_t size = strlen(clip->name);
    bool fits = strncmp(other, clip->name, size) == 0 && other[size] == '-' && other[size + 1] >= 'a' &&
                other[size + 1] <= 'z' && other[size + 2 + strspn(other + size + 2, "0123456789")] == '\0';
    for (int i = 0; fits && i < clip->diagnosis.fault_count; i++) {
        if (clip->diagnosis.faults[i].serious) {
            return true;
        }
    }
    return false;
}

static bool names_meet(const am_import_clip *a, const am_import_clip *b)
{
    return strcmp(a->name, b->name) == 0 || may_be_piece(a, b->name) || may_be_piece(b, a->name);
}

/// Two inputs of one name would overwrite each other: the later ones get a number.
static void name_apart(am_import *import)
{
    for (int i = 0; i < import->count; i++) {
        am_import_clip *clip = &import->clips[i];
        char base[sizeof clip->name];
        memcpy(base, clip->name, sizeof base);
        for (int k = 0, number = 1; clip->error.code == AM_OK && k < i; k++) {
            if (import->clips[k].error.code == AM_OK && names_meet(clip, &import->clips[k])) {
                snprintf(clip->name, sizeof clip->name, "%.*s-%d", (int)sizeof base - 16, base, ++number);
                k = -1; // the new name must be new too
            }
        }
    }
}

am_result am_import_write(am_import *import, const char *folder, am_error *err)
{
    const size_t room = (size_t)import->count + 1;
    write_job job = { import, folder, ami_alloc_array(&import->alloc, room, sizeof *job.inputs) };
    if (!job.inputs) {
        return ami_fail_memory(err, room * sizeof *job.inputs);
    }
    for (int i = 0; i < import->count; i++) {
        am_path_look(&job.inputs[i], import->clips[i].path);
    }
    name_apart(import);
    const am_result result = am_import_clean(import, write_clip, &job, err);
    ami_release(&import->alloc, job.inputs, room * sizeof *job.inputs);
    return result;
}
