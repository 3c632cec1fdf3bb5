/// Velocities by forward kinematics, and inverse kinematics of limbs.
#ifndef AMI_DATA_KINEMATICS_H
#define AMI_DATA_KINEMATICS_H

#include <amble/skeleton.h>

/// No joint has a role: all -1.
am_roles ami_roles_none(void);

/// LMM appendix C, eq. 2-6 with the erratum (the parent's angular velocity in the cross term).
/// Local velocities are in the parent's space; outputs in the skeleton's. Sizes joint_count each.
void ami_fk_velocity(am_transform *out, am_velocity *out_velocity, const am_transform *local,
                     const am_velocity *local_velocity, const int16_t *parents, int joint_count);

/// Analytic two-bone IK on model-space transforms: turns hip and knee (local rotations) so that the ankle reaches
/// `target`; `pole` is the model-space direction in which the knee bends. Exact where the leg reaches; within
/// `soften_m` of full stretch (or full fold) the target is eased in so that the knee does not pop, and the ankle then
/// stays up to 0.4 soften_m short. Joints between the three are carried along. The ankle's own local rotation stays
/// (see ami_ik_keep_rotation). A target or pole that is not finite, or a bone without length, changes nothing.
typedef struct ami_ik_chain {
    am_transform *local;       ///< [joint] changed in place
    const am_transform *model; ///< [joint] model-space transforms of `local` before the change
    int upper, middle, end;    ///< hip, knee, ankle joints; each an ancestor of the next
} ami_ik_chain;
void ami_ik_two_bone(const ami_ik_chain *chain, am_vec3 target, am_vec3 pole, float soften_m);
/// Restores the model-space rotation that `joint` has in `model` after its ancestors in `local` changed: keeps a foot
/// flat after its leg moved.
void ami_ik_keep_rotation(am_transform *local, const am_transform *model, const int16_t *parents, int joint);

#endif
