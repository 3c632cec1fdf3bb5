/// Finding which joint is what: by names, by shape, and on which side. Internal to the import doctor.
#ifndef AMI_MAKE_ROLES_H
#define AMI_MAKE_ROLES_H

#include <amble/tools/clip.h>

/// A skeleton in one pose, any unit and axes.
typedef struct ami_figure {
    const am_skeleton *skeleton;
    const am_vec3 *joints; ///< [joint] positions
    const am_vec3 *ends;   ///< [end] positions
} ami_figure;

/// Positions of the rest pose, or of `local` (joint_count) when it is not NULL. joints(joint_count), ends(end_count).
void ami_figure_pose(am_vec3 *joints, am_vec3 *ends, const am_skeleton *skeleton, const am_transform *local);

/// Roles found by names alone; the rest -1.
am_roles ami_roles_by_names(const am_skeleton *skeleton);
/// Fills limbs that are still -1 from the tree and its lengths; sides from the figure.
void ami_roles_by_shape(am_roles *roles, const ami_figure *figure);
/// Names first, then shape in the given pose.
am_roles ami_roles_guess_in(const ami_figure *figure);

/// What the body itself says about its sides: above 0 when the joints called left are on the left, below 0 when they
/// are on the right, in [-1, 1]; 0 when toes and knees are not conclusive.
float ami_roles_sides(const am_roles *roles, const ami_figure *figure);
/// Exchanges left and right.
void ami_roles_swap(am_roles *roles);

/// True when `joint` is `root` or hangs somewhere below it.
bool ami_joint_below(const am_skeleton *skeleton, int joint, int root);

#endif
