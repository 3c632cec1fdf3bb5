/// What retargeting knows about two skeletons before it looks at a frame.
#ifndef AMI_DATA_RIG_MAP_H
#define AMI_DATA_RIG_MAP_H

#include <amble/skeleton.h>

#define AMI_TRUNK_MAX 16 ///< joints from hips to chest, both included; longer trunks are paired by name only

typedef struct ami_retarget {
    const am_skeleton *source, *reference;
    const am_roles *source_roles, *reference_roles;
    int16_t pair[AM_MAX_JOINTS];  ///< source joint of each reference joint, -1 for none
    bool copied[AM_MAX_JOINTS];   ///< local rotation taken over as it is
    am_quat lay[AM_MAX_JOINTS];   ///< turns the reference's rest pose towards the source's, model space
    am_quat after[AM_MAX_JOINTS]; ///< reference rotation = source rotation * after, model space (in
                                  ///< trunk rows: = mean of source rotations away from rest * after)
    am_transform source_rest[AM_MAX_JOINTS], reference_rest[AM_MAX_JOINTS];
    /// Between hips and chest two rigs have different joints: there a reference joint turns like the source's trunk
    /// over the same part of its length.
    int source_trunk_count;
    int16_t source_trunk[AMI_TRUNK_MAX];
    int8_t trunk_row[AM_MAX_JOINTS]; ///< of each reference joint in trunk_share, -1 when paired otherwise
    float trunk_share[AMI_TRUNK_MAX][AMI_TRUNK_MAX]; ///< [row][item of source_trunk], rows sum to 1
    float scale;                                     ///< leg length of the reference / of the source
} ami_retarget;

/// rig_pair.c: fills everything after the four pointers, which the caller has set.
void ami_retarget_prepare(ami_retarget *r);
/// rig_map.c: out(reference joints): local rotations, from(source joints).
void ami_retarget_rotations(am_quat *out, const ami_retarget *r, const am_quat *from);
/// rig_pair.c: out(joint_count): model-space transforms of the rest pose.
void ami_rest_model(am_transform *out, const am_skeleton *skeleton);

#endif
