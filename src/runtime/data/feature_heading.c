// Heading: where a joint (head, chest, hips) faces on the ground relative to the root, as a unit vector (x, z), so
// that nothing wraps around. A joint's forward is the direction that was +z in the rest pose.
#include "data/feature_kinds.h"

static int dims(const am_channel *channel)
{
    (void)channel;
    return 2;
}

static void put_forward(float *out, am_vec3 forward)
{
    // A joint that looks straight up or down has no heading; straight ahead is as good as any.
    ami_put_axes(out, am_v3_normalize_or(am_v3_ground(forward), am_v3(0.0f, 0.0f, 1.0f)), 2);
}

static void bake(float *out, const am_channel *channel, const ami_bake *motion, int frame)
{
    am_quat world = ami_bake_joint(motion, frame, channel->role).rotation;
    am_quat turned = am_quat_mul(world, am_quat_inv(motion->rests[motion->slots[channel->role]]));
    am_vec3 forward = am_quat_rotate(turned, am_v3(0.0f, 0.0f, 1.0f));
    put_forward(out, ami_bake_local_vector(motion, frame, forward));
}

static bool query(float *out, const am_channel *channel, const ami_query *target)
{
    // A pose comes without the skeleton's rest rotations, so only the trajectory's present facing is known.
    if (!target->trajectory || target->trajectory_count < 1 || channel->role != AM_ROLE_HIPS) {
        return false;
    }
    put_forward(out, am_quat_unrotate(target->root.rotation, ami_query_sample(target, 0.0f).direction));
    return true;
}

static void label(char *out, size_t size, const am_channel *channel, int dim)
{
    ami_label_times(out, size, channel, dim, 2);
}

const ami_feature_kind ami_feature_heading = {
    .uses = AMI_USES_JOINT | AMI_USES_BODY,
    .dims = dims,
    .bake = bake,
    .query = query,
    .label = label,
};
