/// Poses in training: forward kinematics of whole pose vectors (data/pose_vector.h) with their velocities, the losses
/// of Learned Motion Matching's algorithm 1, and the way back of both. One table of functions for each instruction
/// set in float, and one in double for the tests.
///
/// Columns are samples, as everywhere in training: y(count, n), n a multiple of AMI_COLUMNS. Model-space numbers lie
/// as q(18 joints, n): places [joint][3], rotations [joint][9] row-major, velocities [joint][3], angular velocities
/// [joint][3].
#ifndef AMI_TRAIN_POSES_H
#define AMI_TRAIN_POSES_H

#include "data/pose_vector.h"
#include "train/ops.h"

enum {
    AMI_Q_PLACES = 0, ///< all in units of joints
    AMI_Q_ROTATIONS = 3,
    AMI_Q_VELOCITIES = 12,
    AMI_Q_ANGULAR = 15,
    AMI_Q_COUNT = 18
};

/// What a pose vector means: borrowed from a database.
typedef struct ami_pose_shape {
    ami_pose_layout layout;
    const int16_t *parents; ///< [joint]
    const int16_t *moves;   ///< [joint] number among the moving joints, -1 for none
    const am_vec3 *offsets; ///< [joint]
} ami_pose_shape;

/// Groups of numbers that share a scale and a weight in the losses.
enum {
    AMI_LOC_TRANSLATIONS,
    AMI_LOC_ROTATIONS,
    AMI_LOC_VELOCITIES,
    AMI_LOC_ANGULAR,
    AMI_LOC_ROOT_LINEAR,
    AMI_LOC_ROOT_ANGULAR,
    AMI_LOC_CONTACTS,
    AMI_CHR_PLACES,
    AMI_CHR_ROTATIONS,
    AMI_CHR_VELOCITIES,
    AMI_CHR_ANGULAR,
    AMI_LVEL_TRANSLATIONS,
    AMI_LVEL_ROTATIONS,
    AMI_CVEL_PLACES,
    AMI_CVEL_ROTATIONS,
    AMI_POSE_GROUPS
};

/// The rows of group g: of y for the local ones, of q for the character's. Returns their number.
int ami_pose_group(const ami_pose_layout *layout, int g, int *first, bool *of_q);

#define real float
#define POSES ami_poses_f32
#include "train/poses_table.h"
#undef real
#undef POSES

/// The functions of an instruction set of ami_train_ops.
const ami_poses_f32 *ami_train_poses(const char *isa);
extern const ami_poses_f32 ami_poses_base, ami_poses_avx2, ami_poses_avx512;

#endif
