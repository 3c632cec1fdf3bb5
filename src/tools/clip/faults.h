/// What the finders of bad stretches share. Internal to src/tools/clip and the import doctor.
#ifndef AMI_ANIM_FAULTS_H
#define AMI_ANIM_FAULTS_H

#include <amble/tools/clip.h>

/// Positions and flags that every finder reads, and the list that they fill.
typedef struct ami_fault_scan {
    const am_clip *clip;
    const am_roles *roles;
    int frames, joints;
    am_vec3 *positions; ///< [frame][joint] model space
    bool *body;         ///< [joint] on a way from the hips to head, hands and toes
    bool *fine;         ///< [joint] hands and toes: noisy in most captures
    bool *bad;          ///< [frame] not finite: the other detectors skip it
    uint8_t *marks;     ///< [frame] scratch of the finder at work
    float *values;      ///< [2 * frame] scratch
    am_fault *out;      ///< the caller's
    int capacity;
    int count;
} ami_fault_scan;

/// Adds one fault; counts beyond the capacity.
void ami_fault_add(ami_fault_scan *scan, am_fault fault);
/// Adds one fault for each stretch of marked frames; gaps of up to `join` frames do not end one. Each is serious
/// when it is longer than what a curve can bridge, or has no frame on one side to bridge from.
void ami_fault_add_marked(ami_fault_scan *scan, am_fault_kind kind, int joint, int join);
/// Frames of a stretch that am_clip_bridge may repair: 83 ms, a tenth of a step.
int ami_fault_bridgeable(float fps);
/// True when both frames and everything between them is finite.
bool ami_fault_fit(const ami_fault_scan *scan, int first, int last);

void ami_faults_step(ami_fault_scan *scan);
void ami_faults_flip(ami_fault_scan *scan);
void ami_faults_frozen(ami_fault_scan *scan);
void ami_faults_range(ami_fault_scan *scan);
void ami_faults_floor(ami_fault_scan *scan);

/// True when the rest pose (y up, +z forward) is a person standing: trunk up, legs down and straight, left on +x.
/// Only then do angles from the rest pose mean anything.
bool ami_rest_is_stance(const am_skeleton *skeleton, const am_roles *roles);

#endif
