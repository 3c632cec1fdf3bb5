// amble import: the doctor examines motion files and reports what they are and what is wrong; --fix writes clean
// clips.
#include "cli.h"
#include "places.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the command knows of a clip beside the library.
typedef struct import_mark {
    am_path_info file; ///< which file it is from, whatever the path
    bool done;         ///< --fix had it
    bool nothing;      ///< and left nothing of it
} import_mark;

typedef struct import_job {
    am_import import;
    import_mark *marks; ///< [import.count] once the clips are read
    const char *out_dir;
} import_job;

// ---------------------------------------------------------------------------------------------
// --fix

/// Whether `path` is one of the files to be cleaned: an input is never overwritten.
static bool is_input(const import_job *j, const char *path)
{
    am_path_info info;
    bool found = false;
    if (am_path_look(&info, path) == AM_PATH_FILE) {
        for (int i = 0; i < j->import.count && !found; i++) {
            found = memcmp(j->marks[i].file.identity, info.identity, sizeof info.identity) == 0;
        }
    }
    return found;
}

static am_result write_piece(const import_job *j, const char *path, const am_clip *piece, am_error *err)
{
    if (is_input(j, path)) {
        return cli_error(err, AM_ERR_WRITE, path, "is one of the files to clean; choose another folder for -o");
    }
    am_write_def write = am_write_def_default();
    am_bytes bytes = { 0 };
    return cli_write(path, &bytes, am_bvh_write(&bytes, piece, &write, err), err);
}

static void piece_path(char *out, size_t size, const import_job *j, const am_import_clip *clip, int piece)
{
    char name[240];
    am_piece_name(name, sizeof name, clip->name, piece, clip->pieces.count);
    snprintf(out, size, "%s/%s.bvh", j->out_dir, name);
}

/// Writes all clean pieces of one clip, or none of them.
static void write_clip(void *user, am_import_clip *clip, int index)
{
    import_job *j = user;
    char path[2048];
    j->marks[index].done = true;
    if (clip->error.code == AM_ERR_EMPTY) {
        clip->error = (am_error){ 0 };
        j->marks[index].nothing = true; // bad throughout: the findings say why
        return;
    }
    am_result result = clip->error.code;
    int count = 0;
    while (result == AM_OK && count < clip->pieces.count) {
        piece_path(path, sizeof path, j, clip, count);
        result = write_piece(j, path, clip->pieces.items[count], &clip->error);
        count += result == AM_OK ? 1 : 0;
    }
    while (result != AM_OK && count > 0) {
        piece_path(path, sizeof path, j, clip, --count);
        remove(path);
    }
    am_clips_free(&clip->pieces);
    if (result != AM_OK && !clip->error.file[0]) {
        snprintf(clip->error.file, sizeof clip->error.file, "%.255s", clip->path);
    }
}

/// Whether `other` may be the name of a piece of `clip`: NAME-a, NAME-b1, when there is something to cut.
static bool may_be_piece(const am_import_clip *clip, const char *other)
{
    size_t size = strlen(clip->name);
    bool fits = strncmp(other, clip->name, size) == 0 && other[size] == '-' &&
                islower((unsigned char)other[size + 1]) &&
                other[size + 2 + strspn(other + size + 2, "0123456789")] == '\0';
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

/// Finds out which files the inputs are, whatever their paths, and writes the clean clips.
static am_result fix(import_job *j, am_error *err)
{
    for (int i = 0; i < j->import.count; i++) {
        am_path_look(&j->marks[i].file, j->import.clips[i].path);
    }
    name_apart(&j->import);
    return am_import_clean(&j->import, write_clip, j, err);
}

// ---------------------------------------------------------------------------------------------
// What is said about it

static int print_json(const import_job *j)
{
    am_json_writer *w = cli_json_begin(1);
    if (!w) {
        return CLI_FAILED;
    }
    am_json_begin_array(w, "files");
    for (int i = 0; i < j->import.count; i++) {
        am_json_begin_object(w, NULL);
        am_import_clip_describe(w, &j->import.clips[i]);
        if (j->marks[i].nothing) {
            am_json_bool(w, "left_out", true);
        }
        am_json_end_object(w);
    }
    am_json_end_array(w);
    return cli_json_end(w);
}

static void print_finding(const am_finding *f)
{
    if (f->frame < 0) {
        printf("  %s %s: %s\n", f->serious ? "!" : "-", f->code, f->text);
    } else if (f->frame == f->last) {
        printf("  %s %s, frame %d: %s\n", f->serious ? "!" : "-", f->code, f->frame, f->text);
    } else {
        printf("  %s %s, frames %d-%d: %s\n", f->serious ? "!" : "-", f->code, f->frame, f->last, f->text);
    }
}

static void print_text(const import_job *j)
{
    int serious = 0;
    int failed = 0;
    int kept = 0;
    for (int i = 0; i < j->import.count; i++) {
        const am_import_clip *e = &j->import.clips[i];
        if (e->error.code != AM_OK) {
            failed++;
            continue; // said on stderr
        }
        const am_diagnosis *d = &e->diagnosis;
        printf("%s: %d frames at %g Hz, %d joints, unit %g m, up %s, facing %s\n", e->path, e->raw->frame_count,
               (double)d->fps_true, e->raw->skeleton->joint_count, (double)d->unit_m, d->up, d->facing);
        bool bad = false;
        for (int k = 0; k < d->finding_count; k++) {
            print_finding(&d->findings[k]);
            bad = bad || d->findings[k].serious;
        }
        serious += bad;
        kept += !j->marks[i].nothing;
        if (j->marks[i].nothing) {
            printf("  ! left out: no good piece of a second or more remains\n");
        }
    }
    if (j->import.count > 1) {
        printf("%d files, %d with bad stretches (!), %d that could not be used\n", j->import.count, serious, failed);
    }
    if (j->out_dir && kept > 0) {
        printf("clean clips are in %s\n", j->out_dir);
    } else if (j->out_dir) {
        printf("nothing was written: no clip could be used\n");
    }
}

// ---------------------------------------------------------------------------------------------
// The verb

static int report_errors(const import_job *j)
{
    int status = CLI_DONE;
    for (int i = 0; i < j->import.count; i++) {
        if (j->import.clips[i].error.code != AM_OK) {
            status = cli_fail(&j->import.clips[i].error);
        }
    }
    return status;
}

static int say_stopped(const import_job *j)
{
    int done = 0;
    for (int i = 0; j->marks && i < j->import.count; i++) {
        done += j->marks[i].done;
    }
    return done > 0 ? cli_stop(NULL, "stopped after %d of %d clips; every file written so far is complete", done,
                               j->import.count)
                    : cli_stop(NULL, "stopped; nothing was written");
}

static int run_job(import_job *j, const cli_common *common)
{
    am_pool *pool = NULL;
    const am_tasks *tasks = cli_tasks(common, &pool);
    am_progress progress = cli_progress();
    j->import.tasks = tasks;
    j->import.progress = &progress;
    am_error err = { 0 };
    am_result result = am_import_read(&j->import, &err);
    result = result == AM_OK ? am_import_examine(&j->import, &err) : result;
    j->marks = calloc((size_t)j->import.count + 1, sizeof *j->marks);
    if (!j->marks) {
        cli_error(&err, AM_ERR_MEMORY, NULL, "out of memory for %d clips", j->import.count);
        result = AM_ERR_MEMORY;
    }
    if (result == AM_OK && j->out_dir) {
        result = fix(j, &err);
    }
    cli_progress_end();
    am_pool_destroy(pool);
    if (result == AM_ERR_CANCELLED) {
        return say_stopped(j);
    }
    if (result != AM_OK) {
        return cli_fail(&err);
    }
    int status = report_errors(j);
    if (!common->json) {
        print_text(j);
        return status;
    }
    int printed = print_json(j);
    return printed != CLI_DONE ? printed : status;
}

/// Adds the named files and folders and processes them.
static int import_all(import_job *j, const cli_call *call, char **argv)
{
    am_error err = { 0 };
    for (int i = 0; i < call->operands; i++) {
        if (am_import_add(&j->import, argv[i], &err) != AM_OK) {
            return cli_fail(&err);
        }
    }
    if (j->import.count == 0) {
        return cli_stop(NULL, "no motion files (.bvh .glb .gltf .fbx .dae .npz) found");
    }
    return run_job(j, &call->common);
}

static bool is_axis(const char *text)
{
    return !text || (strlen(text) == 2 && (text[0] == '+' || text[0] == '-') && text[1] >= 'x' && text[1] <= 'z');
}

int verb_import(const cli_verb *verb, int argc, char **argv)
{
    bool wants_fix = false;
    bool keep_in_place = false;
    bool keep_loops = false;
    double unit = 0.0;
    double fps = 0.0;
    import_job j = { .import = am_import_begin(NULL) };
    am_doctor_def *doctor = &j.import.doctor;
    const cli_option options[] = {
        { "--fix", NULL, "write clean clips: metres, y up, +z forward, hips first", .flag = &wants_fix },
        { "--output,-o", "DIR", "folder for --fix", .text = &j.out_dir },
        { "--unit", "M", "metres in one unit of the files", .number = &unit },
        { "--fps", "N", "true frame rate in frames per second", .number = &fps },
        { "--up", "AXIS", "the files' up axis: +y, +z, ...", .text = &doctor->up },
        { "--facing", "AXIS", "the axis that the rest pose faces", .text = &doctor->facing },
        { "--keep-in-place", NULL, "give gaits in place no root motion", .flag = &keep_in_place },
        { "--keep-loops", NULL, "do not unroll loops", .flag = &keep_loops },
    };
    cli_call call;
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands == 0) {
        return cli_usage("import needs files or folders; see amble import --help");
    }
    if (wants_fix != (j.out_dir != NULL)) {
        return cli_usage("import: --fix and -o DIR go together");
    }
    if (!is_axis(doctor->up) || !is_axis(doctor->facing)) {
        return cli_usage("import: an axis is one of +x -x +y -y +z -z");
    }
    if (!(unit >= 0.0) || !(fps >= 0.0)) { // also refuses NaN
        return cli_usage("import: --unit and --fps must be numbers above 0");
    }
    if (unit > 0.0) {
        doctor->unit_m = (float)unit;
    }
    doctor->fps = (float)fps;
    doctor->in_place = !keep_in_place;
    doctor->loops = !keep_loops;
    if (j.out_dir && !am_folder_make(j.out_dir)) {
        return cli_usage("import: cannot create the folder %s; choose another place", j.out_dir);
    }
    int status = import_all(&j, &call, argv);
    am_import_free(&j.import);
    free(j.marks);
    return status;
}
