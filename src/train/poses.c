// Picks the version of the kinematics for this processor, and groups the rows of a pose.
#include "train/poses.h"

#include <string.h>

const ami_poses_f32 *ami_train_poses(const char *isa)
{
    static const ami_poses_f32 *const all[] = {
#if defined(AMI_TRAIN_X86)
        &ami_poses_avx512,
        &ami_poses_avx2,
#endif
        &ami_poses_base
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(isa, all[i]->isa) == 0) {
            return all[i];
        }
    }
    return &ami_poses_base;
}

int ami_pose_group(const ami_pose_layout *l, int g, int *first, bool *of_q)
{
    const int j = l->joint_count, m = l->moving_count;
    const struct {
        int first, rows;
        bool of_q;
    } groups[AMI_POSE_GROUPS] = {
        [AMI_LOC_TRANSLATIONS] = { l->translations, 3 * m, false },
        [AMI_LOC_ROTATIONS] = { l->rotations, 6 * j, false },
        [AMI_LOC_VELOCITIES] = { l->velocities, 3 * m, false },
        [AMI_LOC_ANGULAR] = { l->angular, 3 * j, false },
        [AMI_LOC_ROOT_LINEAR] = { l->root_linear, 3, false },
        [AMI_LOC_ROOT_ANGULAR] = { l->root_angular, 3, false },
        [AMI_LOC_CONTACTS] = { l->contacts, AMI_POSE_CONTACTS, false },
        [AMI_CHR_PLACES] = { AMI_Q_PLACES * j, 3 * j, true },
        [AMI_CHR_ROTATIONS] = { AMI_Q_ROTATIONS * j, 9 * j, true },
        [AMI_CHR_VELOCITIES] = { AMI_Q_VELOCITIES * j, 3 * j, true },
        [AMI_CHR_ANGULAR] = { AMI_Q_ANGULAR * j, 3 * j, true },
        [AMI_LVEL_TRANSLATIONS] = { l->translations, 3 * m, false },
        [AMI_LVEL_ROTATIONS] = { l->rotations, 6 * j, false },
        [AMI_CVEL_PLACES] = { AMI_Q_PLACES * j, 3 * j, true },
        [AMI_CVEL_ROTATIONS] = { AMI_Q_ROTATIONS * j, 9 * j, true },
    };
    *first = groups[g].first;
    *of_q = groups[g].of_q;
    return groups[g].rows;
}
