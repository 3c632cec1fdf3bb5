// Fuzzes the doctor with whatever the BVH reader accepts: examine, compare with itself, clean.
#include <amble/tools/doctor.h>

#include "base/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = (size_t)256 << 20;
    am_alloc alloc = ami_budget_alloc(&budget);
    am_read_def read = am_read_def_default();
    read.alloc = &alloc;
    read.max_frames = 2000; // long clips only cost time
    am_error err = { 0 };
    am_clip *clip = NULL;
    if (am_bvh_read(&clip, data, size, &read, &err) != AM_OK) {
        return 0;
    }
    am_doctor_def def = am_doctor_def_default();
    def.alloc = &alloc;
    am_diagnosis diagnoses[2];
    const am_clip *clips[2] = { clip, clip };
    am_result first = am_doctor_examine(&diagnoses[0], clip, &def, &err);
    am_result second = am_doctor_examine(&diagnoses[1], clip, &def, &err);
    if (first == AM_OK && second == AM_OK && am_doctor_compare(diagnoses, clips, 2, &err) == AM_OK) {
        am_clean_def clean = am_clean_def_default();
        clean.alloc = &alloc;
        am_clips made;
        am_roles roles;
        if (am_doctor_clean(&made, &roles, NULL, 0, clip, &diagnoses[0], &clean, &err) == AM_OK) {
            am_clips_free(&made);
        }
    }
    if (first == AM_OK) {
        am_diagnosis_free(&diagnoses[0]);
    }
    if (second == AM_OK) {
        am_diagnosis_free(&diagnoses[1]);
    }
    am_clip_destroy(clip);
    if (budget.live_count != 0) {
        __builtin_trap(); // something was not given back
    }
    return 0;
}
