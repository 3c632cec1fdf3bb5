// amble import: the doctor examines motion files and reports what they are and what is wrong; --fix writes clean
// clips.
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct import_job {
    am_import import;
    const char *out_dir;
} import_job;

// ---------------------------------------------------------------------------------------------
// What is said about it

static int print_json(const import_job *j)
{
    am_json_writer *w = cli_json_begin(1);
    am_json_begin_array(w, "files");
    for (int i = 0; i < j->import.count; i++) {
        am_json_begin_object(w, NULL);
        am_import_clip_describe(w, &j->import.clips[i]);
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
        kept += !j->import.clips[i].left_out;
        if (j->import.clips[i].left_out) {
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
    for (int i = 0; i < j->import.count; i++) {
        done += j->import.clips[i].finished;
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
    if (result == AM_OK && j->out_dir) {
        result = am_import_write(&j->import, j->out_dir, &err);
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
        return cli_stop(NULL, "no motion files (" AM_MOTION_EXTENSIONS ") found");
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
        { "-o,--output", "DIR", "folder for --fix", .text = &j.out_dir },
        { "--unit", "M", "metres in one unit of the files", .number = &unit },
        { "--fps", "N", "true frame rate in frames per second", .number = &fps },
        { "--up", "AXIS", "the files' up axis: +y, +z, ...", .text = &doctor->up },
        { "--facing", "AXIS", "the axis that the rest pose faces", .text = &doctor->facing },
        { "--keep-in-place", NULL, "give gaits in place no root motion", .flag = &keep_in_place },
        { "--keep-loops", NULL, "do not unroll loops", .flag = &keep_loops },
    };
    cli_call call = { 0 };
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
    return status;
}
