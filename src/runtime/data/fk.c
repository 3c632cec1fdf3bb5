// Forward kinematics of positions, rotations and velocities: LMM appendix C, eq. 2-6, with the erratum
// that the cross term of eq. 5 takes the parent's angular velocity.
#include <amble/skeleton.h>

#include "data/kinematics.h"

void am_fk(am_transform *out, const am_transform *local, const int16_t *parents, int joint_count)
{
    out[0] = local[0];
    for (int j = 1; j < joint_count; j++) {
        out[j] = am_transform_mul(out[parents[j]], local[j]);
    }
}

void ami_fk_velocity(am_transform *out, am_velocity *out_velocity, const am_transform *local,
                     const am_velocity *local_velocity, const int16_t *parents, int joint_count)
{
    out[0] = local[0];
    out_velocity[0] = local_velocity[0];
    for (int j = 1; j < joint_count; j++) {
        int p = parents[j];
        am_quat rotation = out[p].rotation;
        am_velocity parent = out_velocity[p];
        am_vec3 arm = am_quat_rotate(rotation, local[j].translation);
        am_vec3 linear = am_v3_add(parent.linear, am_quat_rotate(rotation, local_velocity[j].linear));
        out_velocity[j].linear = am_v3_add(linear, am_v3_cross(parent.angular, arm));
        out_velocity[j].angular = am_v3_add(parent.angular, am_quat_rotate(rotation, local_velocity[j].angular));
        out[j] = am_transform_mul(out[p], local[j]);
    }
}
