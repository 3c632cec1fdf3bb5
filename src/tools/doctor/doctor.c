// The import doctor: one examination, step by step, and its findings.
#include "doctor/examine.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

am_doctor_def am_doctor_def_default(void)
{
    am_doctor_def def = { .unit_m = NAN, .faults = true, .in_place = true, .loops = true, .cookie = AM_COOKIE };
    return def;
}

void am_diagnosis_free(am_diagnosis *d)
{
    ami_release(&d->alloc, d->faults, (size_t)d->fault_count * sizeof(am_fault));
    ami_release(&d->alloc, d->findings, (size_t)d->finding_room * sizeof(am_finding));
    ami_release(&d->alloc, d->rests, (size_t)d->rest_count * sizeof(am_quat));
    memset(d, 0, sizeof *d);
}

am_result ami_finding_add(am_diagnosis *out, const char *code, int first, int last, bool serious, am_error *err,
                          const char *format, ...)
{
    if (out->finding_count == out->finding_room) {
        int room = out->finding_room ? out->finding_room * 2 : 8;
        am_finding *more = ami_alloc_array(&out->alloc, (size_t)room, sizeof *more);
        if (!more) {
            return ami_fail_memory(err, (size_t)room * sizeof *more);
        }
        if (out->finding_count) {
            memcpy(more, out->findings, (size_t)out->finding_count * sizeof *more);
        }
        ami_release(&out->alloc, out->findings, (size_t)out->finding_room * sizeof *more);
        out->findings = more;
        out->finding_room = room;
    }
    am_finding *finding = &out->findings[out->finding_count++];
    memset(finding, 0, sizeof *finding);
    snprintf(finding->code, sizeof finding->code, "%s", code);
    va_list args;
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
    finding->frame = first;
    finding->last = last;
    finding->serious = serious;
    return AM_OK;
}

ami_figure ami_exam_figure(const ami_exam *exam, int sample)
{
    const am_skeleton *s = exam->clip->skeleton;
    ami_figure rest = { s, exam->rest_joints, exam->rest_ends };
    ami_figure pose = { s, exam->joints + (size_t)(sample < 0 ? 0 : sample) * (size_t)s->joint_count,
                        exam->ends + (size_t)(sample < 0 ? 0 : sample) * (size_t)s->end_count };
    return sample < 0 ? rest : pose;
}

static bool figure_is_finite(const ami_figure *f)
{
    float sum = 0.0f;
    for (int j = 0; j < f->skeleton->joint_count; j++) {
        sum += f->joints[j].x + f->joints[j].y + f->joints[j].z;
    }
    for (int e = 0; e < f->skeleton->end_count; e++) {
        sum += f->ends[e].x + f->ends[e].y + f->ends[e].z;
    }
    return sum - sum == 0.0f;
}

/// Poses of up to AMI_EXAM_SAMPLES finite frames spread over the clip.
static void take_samples(ami_exam *exam)
{
    const am_clip *clip = exam->clip;
    am_transform local[AM_MAX_JOINTS];
    ami_figure_pose(exam->rest_joints, exam->rest_ends, clip->skeleton, NULL);
    int wanted = clip->frame_count < AMI_EXAM_SAMPLES ? clip->frame_count : AMI_EXAM_SAMPLES;
    for (int i = 0; i < wanted; i++) {
        int frame = (int)((int64_t)i * clip->frame_count / wanted);
        am_clip_local(clip, frame, local);
        ami_figure figure = ami_exam_figure(exam, exam->samples);
        ami_figure_pose(exam->joints + (size_t)exam->samples * (size_t)clip->skeleton->joint_count,
                        exam->ends + (size_t)exam->samples * (size_t)clip->skeleton->end_count, clip->skeleton,
                        local);
        exam->samples += figure_is_finite(&figure) ? 1 : 0;
    }
}

static void lay_out(ami_exam *exam, ami_layout *layout)
{
    size_t joints = (size_t)exam->clip->skeleton->joint_count;
    size_t ends = (size_t)exam->clip->skeleton->end_count;
    exam->joints = ami_layout_take(layout, (size_t)AMI_EXAM_SAMPLES * joints, sizeof(am_vec3));
    exam->ends = ami_layout_take(layout, (size_t)AMI_EXAM_SAMPLES * ends, sizeof(am_vec3));
    exam->rest_joints = ami_layout_take(layout, joints, sizeof(am_vec3));
    exam->rest_ends = ami_layout_take(layout, ends, sizeof(am_vec3));
}

/// Hash of the motion alone: rotations, and the root's movement from its first position; no names, no lengths.
static uint64_t hash_content(const am_clip *clip)
{
    size_t rotations = (size_t)clip->frame_count * (size_t)clip->skeleton->joint_count;
    uint64_t hash = am_hash64(clip->rotations, rotations * sizeof(am_quat), (uint64_t)clip->frame_count);
    for (int f = 0; clip->moving_count > 0 && f < clip->frame_count; f++) {
        am_vec3 moved = am_v3_sub(clip->translations[(size_t)f * (size_t)clip->moving_count], clip->translations[0]);
        // In 1/100 of a unit: what is left after two roundings of one number is less.
        int32_t way[3] = { (int32_t)am_clamp(floorf(moved.x * 100.0f + 0.5f), -2e9f, 2e9f),
                           (int32_t)am_clamp(floorf(moved.y * 100.0f + 0.5f), -2e9f, 2e9f),
                           (int32_t)am_clamp(floorf(moved.z * 100.0f + 0.5f), -2e9f, 2e9f) };
        hash = am_hash64(way, sizeof way, hash);
    }
    return hash;
}

static am_result check_def(const am_clip *clip, const am_doctor_def *def, am_error *err)
{
    if (!clip || !def || def->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the doctor def with am_doctor_def_default()");
    }
    if ((def->up && am_v3_length(ami_axis_vector(def->up)) < 0.5f) ||
        (def->facing && am_v3_length(ami_axis_vector(def->facing)) < 0.5f)) {
        return ami_fail(err, AM_ERR_DEF, "an axis is one of +x -x +y -y +z -z");
    }
    if (def->up && def->facing && def->up[1] == def->facing[1]) {
        return ami_fail(err, AM_ERR_DEF, "up %s and facing %s lie on the same axis; give two different ones", def->up,
                        def->facing);
    }
    if (def->unit_m <= 0.0f || def->unit_m > 1e6f || def->fps < 0.0f || def->fps > 1e5f) {
        return ami_fail(err, AM_ERR_DEF, "unit and rate must be above 0");
    }
    for (int r = 0; def->roles && r < AM_ROLE_COUNT; r++) {
        if (def->roles->joint[r] >= clip->skeleton->joint_count) {
            return ami_fail(err, AM_ERR_ROLE,
                            "the role %s names joint %d, but the clip has %d joints; give the roles of this clip",
                            am_role_name((am_role)r), def->roles->joint[r], clip->skeleton->joint_count);
        }
    }
    if (clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "the clip has no frames");
    }
    return AM_OK;
}

/// A header that announces fewer frames than there are rows: the clip was cut there, or miscounted.
static am_result note_unread(const ami_exam *exam, am_error *err)
{
    const am_clip *clip = exam->clip;
    return clip->unread_rows == 0
               ? AM_OK
               : ami_finding_add(exam->out, "rows", -1, -1, false, err,
                                 "the header announces %d frames, %d more rows follow and were not read; if they "
                                 "belong to the motion, write 'Frames: %d'",
                                 clip->frame_count, clip->unread_rows, clip->frame_count + clip->unread_rows);
}

static am_result run_steps(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    am_result noted = note_unread(exam, err);
    if (noted != AM_OK) {
        return noted;
    }
    take_samples(exam);
    if (exam->samples == 0) {
        return ami_fail(err, AM_ERR_NUMBER, "every frame of the clip has a number that is not finite");
    }
    am_result result = ami_exam_roles(exam, err);
    result = result == AM_OK ? ami_exam_space(exam, err) : result;
    if (result == AM_OK) {
        result = ami_clip_bring_home(&exam->made, &exam->roles, exam->clip, out, 0.0f, &out->alloc, err);
    }
    result = result == AM_OK ? ami_exam_rest(exam, err) : result;
    result = result == AM_OK ? ami_exam_rate(exam, err) : result;
    result = result == AM_OK ? ami_exam_faults(exam, err) : result;
    return result == AM_OK ? ami_exam_games(exam, err) : result;
}

am_result am_doctor_examine(am_diagnosis *out, const am_clip *clip, const am_doctor_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    out->rest_frame = -1;
    am_result result = check_def(clip, def, err);
    if (result != AM_OK) {
        return result;
    }
    out->alloc = ami_alloc_or_default(def->alloc);
    out->fps = out->fps_true = clip->fps;
    ami_exam exam = { .clip = clip, .def = def, .out = out };
    ami_layout measure = { 0 };
    lay_out(&exam, &measure);
    ami_layout place = ami_layout_room(&measure, &out->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    lay_out(&exam, &place);
    result = run_steps(&exam, err);
    out->content = hash_content(clip);
    am_clip_destroy(exam.made);
    ami_release(&out->alloc, place.base, measure.size);
    if (result != AM_OK) {
        am_diagnosis_free(out);
    }
    return result;
}
