// What amble import prints: one JSON object, or lines for people.
#include "import.h"

#include <stdio.h>

static void write_json_clip(am_json_writer *w, const am_import_clip *e, bool nothing)
{
    am_json_begin_object(w, NULL);
    am_json_string(w, "file", e->path);
    if (e->error.code != AM_OK) {
        char text[1024];
        am_error_format(&e->error, text, sizeof text);
        am_json_string(w, "error", text);
        am_json_end_object(w);
        return;
    }
    const am_diagnosis *d = &e->diagnosis;
    if (e->clip_count > 1) {
        am_json_string(w, "clip", e->raw->name);
    }
    am_json_number(w, "fps", (double)d->fps);
    am_json_number(w, "fps_true", (double)d->fps_true);
    am_json_integer(w, "frames", e->raw->frame_count);
    am_json_number(w, "unit_m", (double)d->unit_m);
    am_json_string(w, "up", d->up);
    am_json_string(w, "facing", d->facing);
    am_json_number(w, "floor_m", (double)d->floor_m);
    am_json_bool(w, "rest_usable", !d->rest_is_pose);
    am_json_begin_object(w, "joints");
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (d->roles.joint[r] >= 0) {
            am_json_string(w, am_role_name((am_role)r), e->raw->skeleton->names[d->roles.joint[r]]);
        }
    }
    am_json_end_object(w);
    if (nothing) {
        am_json_bool(w, "left_out", true);
    }
    am_json_begin_array(w, "warnings");
    for (int i = 0; i < d->finding_count; i++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "code", d->findings[i].code);
        am_json_string(w, "text", d->findings[i].text);
        am_json_integer(w, "frame", d->findings[i].frame);
        am_json_integer(w, "last", d->findings[i].last);
        am_json_bool(w, "serious", d->findings[i].serious);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

int import_print_json(const import_job *j)
{
    am_json_writer *w = NULL;
    am_error err = { 0 };
    if (am_json_writer_create(&w, 1, NULL, &err) != AM_OK) {
        return cli_fail(&err);
    }
    am_json_begin_object(w, NULL);
    am_json_begin_array(w, "files");
    for (int i = 0; i < j->import.count; i++) {
        write_json_clip(w, &j->import.clips[i], j->marks[i].nothing);
    }
    am_json_end_array(w);
    am_json_end_object(w);
    int status = cli_print_json(w);
    am_json_writer_destroy(w);
    return status;
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

void import_print_text(const import_job *j)
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
            printf("  ! left out: no usable stretch of a second or more remains\n");
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
