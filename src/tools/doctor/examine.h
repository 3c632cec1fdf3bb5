/// One examination of a clip: what its steps share. Internal to the import doctor.
#ifndef AMI_MAKE_EXAMINE_H
#define AMI_MAKE_EXAMINE_H

#include "doctor/roles.h"

#include <amble/tools/doctor.h>

enum { AMI_EXAM_SAMPLES = 64 };

typedef struct ami_exam {
    const am_clip *clip;
    const am_doctor_def *def;
    am_diagnosis *out;
    am_vec3 *joints; ///< [sample][joint] of frames spread over the clip, in the file's space
    am_vec3 *ends;   ///< [sample][end]
    am_vec3 *rest_joints, *rest_ends;
    int samples;
    float leg;      ///< thigh and shin in the file's unit, 0 when there are no legs
    am_clip *made;  ///< converted, rerooted at the hips, header's rate
    am_roles roles; ///< of `made`
} ami_exam;

/// The sample as a figure; -1 is the rest pose.
ami_figure ami_exam_figure(const ami_exam *exam, int sample);

/// Adds a finding; AM_ERR_MEMORY when it cannot. Frames -1 mean the whole file.
am_result ami_finding_add(am_diagnosis *out, const char *code, int first, int last, bool serious, am_error *err,
                          const char *format, ...) AM_PRINTF(7, 8);

// Steps, in order. Each fills its part of exam->out.
am_result ami_exam_roles(ami_exam *exam, am_error *err);
am_result ami_exam_space(ami_exam *exam, am_error *err);
am_result ami_exam_rest(ami_exam *exam, am_error *err);
am_result ami_exam_rate(ami_exam *exam, am_error *err);
am_result ami_exam_faults(ami_exam *exam, am_error *err);
/// Gaits in place and loops.
am_result ami_exam_games(ami_exam *exam, am_error *err);
/// What cleaning does about them: replaces *clip.
am_result ami_clip_mend_games(am_clip **clip, const am_roles *roles, const am_diagnosis *diagnosis,
                              const am_alloc *alloc, am_error *err);

/// "+x", "-x", "+y", ... as a unit vector; zero when it is none of the six.
am_vec3 ami_axis_vector(const char *name);

/// The same motion with the pose `rests` (local rotations, joint_count) as zero pose: offsets and rotations change,
/// rest rotations become the identity, so that formats without rest rotations keep it.
am_result ami_clip_bake_rest(am_clip **out, const am_clip *clip, const am_quat *rests, const am_alloc *alloc,
                             am_error *err);
/// Converted to metres and Amble axes with the given rate (0 keeps it), hips as joint 0; *roles are those of the new
/// clip.
am_result ami_clip_bring_home(am_clip **out, am_roles *roles, const am_clip *clip, const am_diagnosis *diagnosis,
                              float fps, const am_alloc *alloc, am_error *err);

#endif
