// Puts bad stretches into words: what was found, what cleaning does about it, what the user must decide.
#include "doctor/examine.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/// The joint of the file that a joint of the converted clip comes from.
static int file_joint(const ami_exam *exam, int joint)
{
    return joint < 0 ? -1 : am_skeleton_find(exam->clip->skeleton, exam->made->skeleton->names[joint]);
}

static void describe(char *text, size_t size, const am_fault *fault, const char *joint)
{
    double amount = (double)fault->amount;
    double degrees = amount / (double)AM_DEG;
    switch (fault->kind) {
    case AM_FAULT_STEP:
        snprintf(text, size, "%s jumps by %.1f cm in one frame", joint, amount * 100.0);
        break;
    case AM_FAULT_FROZEN:
        snprintf(text, size, "%s is frozen for %.0f frames %s", joint, amount,
                 fault->joint < 0 ? "in full motion" : "while the body keeps moving");
        break;
    case AM_FAULT_FLIP:
        snprintf(text, size, "%s turns by %.0f degrees in one frame", joint, degrees);
        break;
    case AM_FAULT_RANGE:
        snprintf(text, size, "%s is bent up to %.0f degrees from the rest pose, beyond what a body can do", joint,
                 degrees);
        break;
    case AM_FAULT_FLOOR:
        snprintf(text, size, "the feet stand %.1f cm %s than elsewhere: a step, or a floor that drifts",
                 am_abs(fault->amount) * 100.0, fault->amount < 0.0f ? "lower" : "higher");
        break;
    case AM_FAULT_ORIGIN:
        snprintf(text, size, "the pose falls to the origin");
        break;
    default:
        snprintf(text, size, "numbers that are not finite");
        break;
    }
}

static am_result report(ami_exam *exam, const am_fault *fault, am_error *err)
{
    char text[160];
    const char *joint = fault->joint >= 0 ? exam->clip->skeleton->names[fault->joint] : "the body";
    describe(text, sizeof text, fault, joint);
    const char *remedy = fault->kind == AM_FAULT_FLOOR ? "left as it is; check it"
                         : fault->serious              ? "cut out by --fix"
                                                       : "bridged by --fix";
    return ami_finding_add(exam->out, am_fault_name(fault->kind), fault->first, fault->last, fault->serious, err,
                           "%.150s; %s", text, remedy);
}

/// The clip with the rest pose that was found, so that angles from it mean something.
static am_result take_rest(ami_exam *exam, am_error *err)
{
    if (!exam->out->rests) {
        return AM_OK;
    }
    am_clip *made = NULL;
    am_result result = am_clip_set_rest(&made, exam->made, exam->out->rests, &exam->out->alloc, err);
    if (result == AM_OK) {
        am_clip_destroy(exam->made);
        exam->made = made;
    }
    return result;
}

static am_result find_all(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    int count = 0;
    am_result result = am_faults_find(NULL, 0, &count, exam->made, &exam->roles, &out->alloc, err);
    if (result != AM_OK || count == 0) {
        return result;
    }
    out->faults = ami_alloc_array(&out->alloc, (size_t)count, sizeof *out->faults);
    if (!out->faults) {
        return ami_fail_memory(err, (size_t)count * sizeof *out->faults);
    }
    out->fault_count = count;
    return am_faults_find(out->faults, count, &count, exam->made, &exam->roles, &out->alloc, err);
}

am_result ami_exam_faults(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    exam->made->fps = out->fps_true; // ours; limits are in seconds
    am_result result = AM_OK;
    if (exam->roles.joint[AM_ROLE_LEFT_FOOT] >= 0 && exam->roles.joint[AM_ROLE_RIGHT_FOOT] >= 0) {
        result = am_floor_find(&out->floor_m, exam->made, &exam->roles, &out->alloc, err);
    }
    if (result == AM_OK && exam->def->faults) {
        result = take_rest(exam, err);
        result = result == AM_OK ? find_all(exam, err) : result;
    }
    for (int i = 0; result == AM_OK && i < out->fault_count; i++) {
        out->faults[i].joint = file_joint(exam, out->faults[i].joint);
        result = report(exam, &out->faults[i], err);
    }
    return result;
}
