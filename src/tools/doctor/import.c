// From motion files to clean clips, for amble import and amble build alike: list, read, examine, clean. Clips are
// processed in parallel; each item writes only its own clip.
#include <amble/tools/doctor.h>
#include <amble/tools/os.h>

#include "base/batch.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/defs.h"
#include "base/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A folder with more files than this is the wrong folder.
#define MAX_CLIPS 100000
// Ends circles of symbolic links.
#define MAX_DEPTH 32

am_import am_import_begin(const am_alloc *alloc)
{
    am_import import = { .alloc = ami_alloc_or_default(alloc),
                         .doctor = am_doctor_def_default(),
                         .clean = am_clean_def_default(),
                         .cookie = AM_COOKIE };
    return import;
}

void am_import_free(am_import *import)
{
    for (int i = 0; i < import->count; i++) {
        am_import_clip *clip = &import->clips[i];
        am_clip_destroy(clip->raw);
        am_clips_free(&clip->pieces);
        ami_release(&import->alloc, clip->first_frames, clip->first_room * sizeof *clip->first_frames);
        if (clip->examined) {
            am_diagnosis_free(&clip->diagnosis);
        }
    }
    ami_release(&import->alloc, import->clips, (size_t)import->room * sizeof *import->clips);
    import->clips = NULL;
    import->count = 0;
    import->room = 0;
}

// ---------------------------------------------------------------------------------------------
// Names

/// Makes text fit for a file name: no folders, no leading dot, no control characters. Names inside a motion file may
/// be anything; "../x" must not leave the folder.
static void make_safe(char *name)
{
    name[0] = name[0] == '.' ? '_' : name[0];
    for (char *at = name; *at; at++) {
        unsigned char c = (unsigned char)*at;
        *at = c < 32 || c == 127 || c == '/' || c == '\\' ? '_' : *at;
    }
}

static void name_clip(am_import_clip *clip)
{
    char stem[sizeof clip->name];
    ami_file_stem(stem, sizeof stem, clip->path);
    if (clip->clip_count > 1) {
        snprintf(clip->name, sizeof clip->name, "%.90s#%.90s", stem, clip->raw->name);
    } else {
        snprintf(clip->name, sizeof clip->name, "%s", stem[0] ? stem : "clip");
    }
    make_safe(clip->name);
}

void am_piece_name(char *out, size_t size, const char *name, int piece, int count)
{
    if (count == 1) {
        snprintf(out, size, "%s", name);
        return;
    }
    char number[12] = "";
    if (piece >= 26) {
        snprintf(number, sizeof number, "%d", piece / 26);
    }
    snprintf(out, size, "%.*s-%c%s", (int)size - 16, name, 'a' + piece % 26, number);
}

// ---------------------------------------------------------------------------------------------
// List

static am_result grow(am_import *import, int room, am_error *err)
{
    if (room <= import->room) {
        return AM_OK;
    }
    if (room > MAX_CLIPS) {
        return ami_fail(err, AM_ERR_LIMIT, "more than %d motion files; is this the right folder?", MAX_CLIPS);
    }
    room = room < 2 * import->room ? 2 * import->room : room;
    am_import_clip *larger = ami_alloc_array(&import->alloc, (size_t)room, sizeof *larger);
    if (!larger) {
        return ami_fail_memory(err, (size_t)room * sizeof *larger);
    }
    if (import->clips) {
        memcpy(larger, import->clips, (size_t)import->count * sizeof *larger);
        ami_release(&import->alloc, import->clips, (size_t)import->room * sizeof *larger);
    }
    import->clips = larger;
    import->room = room;
    return AM_OK;
}

am_result am_import_add_file(am_import *import, const char *path, am_error *err)
{
    am_result result = grow(import, import->count + 1, err);
    if (result == AM_OK && strlen(path) >= sizeof import->clips->path) {
        result = ami_fail(err, AM_ERR_LIMIT, "the path '%.80s...' is too long", path);
    }
    if (result == AM_OK) {
        am_import_clip *clip = &import->clips[import->count++];
        snprintf(clip->path, sizeof clip->path, "%s", path);
        name_clip(clip);
    }
    return result;
}

static bool is_motion(const char *name)
{
    char all[] = AM_MOTION_EXTENSIONS;
    bool is = false;
    for (char *end = all, *next = NULL; end && !is; end = next) {
        next = strchr(end, ' ');
        if (next) {
            *next++ = '\0';
        }
        is = ami_file_has_extension(name, end);
    }
    return is;
}

static bool is_folder(const char *path) { return am_path_look(NULL, path) == AM_PATH_FOLDER; }

am_result am_import_add_folder(am_import *import, const char *folder, int depth, am_error *err)
{
    am_folder_names listed;
    if (!am_folder_list(&listed, folder)) {
        return ami_fail(err, AM_ERR_OPEN, "cannot open the folder '%s'; does it exist?", folder);
    }
    am_result result = AM_OK;
    for (int i = 0; i < listed.count && result == AM_OK; i++) {
        char path[sizeof import->clips->path];
        size_t length = strlen(folder);
        const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
        int used = snprintf(path, sizeof path, "%s%s%s", folder, slash, listed.items[i]);
        if (used < 0 || (size_t)used >= sizeof path) {
            result =
                ami_fail(err, AM_ERR_LIMIT, "a path in '%s' is longer than %d bytes", folder, (int)sizeof path - 1);
        } else if (is_folder(path)) {
            result = depth > 0 ? am_import_add_folder(import, path, depth - 1, err) : AM_OK;
        } else if (is_motion(path)) {
            result = am_import_add_file(import, path, err);
        }
    }
    am_folder_names_free(&listed);
    return result;
}

am_result am_import_add(am_import *import, const char *path, am_error *err)
{
    return is_folder(path) ? am_import_add_folder(import, path, MAX_DEPTH, err)
                           : am_import_add_file(import, path, err);
}

// ---------------------------------------------------------------------------------------------
// Read

static am_result run(am_import *import, const char *stage, am_task_fn fn, void *context, am_error *err)
{
    am_tasks tasks = import->tasks ? *import->tasks : ami_tasks_serial();
    return ami_run_batches(&tasks, import->progress, stage, import->count, fn, context, err);
}

static void read_item(void *context, int item)
{
    am_import *import = context;
    am_import_clip *clip = &import->clips[item];
    am_read_def def = am_read_def_default();
    def.alloc = &import->alloc;
    def.file = clip->path;
    clip->file = item;
    am_motion_read_file(&clip->pieces, clip->path, &def, &clip->error);
}

/// Clips of one file: the first takes the file's place, the others follow it.
static void take_clips(am_import_clip *to, am_import_clip *file)
{
    am_clips clips = file->pieces;
    memset(&file->pieces, 0, sizeof file->pieces);
    for (int k = 0; k < (clips.count > 1 ? clips.count : 1); k++) {
        to[k] = *file;
        to[k].clip_count = clips.count;
        if (k < clips.count) {
            to[k].raw = clips.items[k];
            clips.items[k] = NULL; // ours now: am_clips_free must not free it
            to[k].frame_count = to[k].raw->frame_count;
            to[k].fps = to[k].raw->fps;
            name_clip(&to[k]);
        }
        if (to[k].error.code == AM_OK && to[k].frame_count < 1) {
            ami_fail(&to[k].error, AM_ERR_EMPTY, clips.count ? "no frames" : "the file holds no motion");
            ami_error_file(&to[k].error, to[k].path);
        }
    }
    am_clips_free(&clips);
}

am_result am_import_read(am_import *import, am_error *err)
{
    if (import->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the import with am_import_begin()");
    }
    am_result result = run(import, "read", read_item, import, err);
    int files = import->count;
    int total = 0;
    for (int i = 0; i < files; i++) {
        total += import->clips[i].pieces.count > 1 ? import->clips[i].pieces.count : 1;
    }
    result = result == AM_OK ? grow(import, total, err) : result;
    if (result != AM_OK) {
        return result;
    }
    import->count = total;
    for (int i = files - 1; i >= 0; i--) { // from the last, so that no clip is overwritten before it has moved
        int room = import->clips[i].pieces.count > 1 ? import->clips[i].pieces.count : 1;
        am_import_clip file = import->clips[i];
        total -= room;
        take_clips(&import->clips[total], &file);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Examine

static void examine_item(void *context, int item)
{
    am_import *import = context;
    am_import_clip *clip = &import->clips[item];
    if (clip->error.code != AM_OK) {
        return;
    }
    am_doctor_def def = import->doctor;
    def.alloc = &import->alloc;
    def.faults = def.faults && !clip->trusted;
    clip->examined = am_doctor_examine(&clip->diagnosis, clip->raw, &def, &clip->error) == AM_OK;
    if (clip->examined && clip->diagnosis.fps_true > 0.0f) {
        clip->fps = clip->diagnosis.fps_true;
    } else if (!clip->examined) {
        ami_error_file(&clip->error, clip->path);
    }
}

static am_result compare_in(am_import *import, am_diagnosis *diagnoses, const am_clip **clips, am_error *err)
{
    int count = 0;
    for (int i = 0; i < import->count; i++) {
        if (import->clips[i].examined) {
            diagnoses[count] = import->clips[i].diagnosis;
            clips[count++] = import->clips[i].raw;
        }
    }
    am_result result = am_doctor_compare(diagnoses, clips, count, err);
    // Findings may have been added before a failure, too: what the copies own goes back in every case.
    for (int i = 0, k = 0; k < count; i++) {
        if (import->clips[i].examined) {
            import->clips[i].diagnosis = diagnoses[k++];
        }
    }
    return result;
}

am_result am_import_examine(am_import *import, am_error *err)
{
    am_result result = run(import, "examine", examine_item, import, err);
    if (result != AM_OK) {
        return result;
    }
    // Separate arrays, because clips that could not be examined are left out.
    size_t room = (size_t)import->count;
    am_diagnosis *diagnoses = ami_alloc_array(&import->alloc, room, sizeof *diagnoses);
    const am_clip **clips = ami_alloc_array(&import->alloc, room, sizeof *clips);
    result = diagnoses && clips ? compare_in(import, diagnoses, clips, err)
                                : ami_fail_memory(err, room * sizeof *diagnoses);
    ami_release(&import->alloc, diagnoses, room * sizeof *diagnoses);
    ami_release(&import->alloc, clips, room * sizeof *clips);
    return result;
}

am_result am_import_cut(am_import_clip *clip, int first, int last, am_error *err)
{
    am_diagnosis *d = &clip->diagnosis;
    int end = clip->frame_count - 1;
    first = first < 0 ? clip->frame_count + first : first;
    last = last < 0 || last > end ? end : last;
    if (!clip->examined || first > last) {
        return AM_OK;
    }
    size_t size = (size_t)d->fault_count * sizeof *d->faults;
    am_fault *faults = ami_alloc_array(&d->alloc, (size_t)d->fault_count + 1, sizeof *faults);
    if (!faults) {
        return ami_fail_memory(err, size + sizeof *faults);
    }
    if (d->faults) {
        memcpy(faults, d->faults, size);
        ami_release(&d->alloc, d->faults, size);
    }
    d->faults = faults;
    d->faults[d->fault_count++] = (am_fault){ AM_FAULT_STEP, first < 0 ? 0 : first, last, -1, 0.0f, true };
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Clean

typedef struct clean_job {
    am_import *import;
    am_import_fn done;
    void *user;
} clean_job;

static void clean_item(void *context, int item)
{
    const clean_job *job = context;
    am_import *import = job->import;
    am_import_clip *clip = &import->clips[item];
    if (clip->error.code != AM_OK) {
        return;
    }
    clip->first_room = (size_t)clip->diagnosis.fault_count + 1; // pieces at most
    clip->first_frames = ami_alloc_array(&import->alloc, clip->first_room, sizeof *clip->first_frames);
    if (!clip->first_frames) {
        ami_fail_memory(&clip->error, clip->first_room * sizeof *clip->first_frames);
        return;
    }
    am_clean_def def = import->clean;
    def.alloc = &import->alloc;
    am_doctor_clean(&clip->pieces, &clip->roles, clip->first_frames, (int)clip->first_room, clip->raw,
                    &clip->diagnosis, &def, &clip->error);
    job->done(job->user, clip, item);
}

am_result am_import_clean(am_import *import, am_import_fn done, void *user, am_error *err)
{
    clean_job job = { import, done, user };
    return run(import, "clean", clean_item, &job, err);
}
