// Frames as vectors of numbers, and back.
#include "data/database.h"
#include "data/pose_vector.h"

#include <math.h>

ami_pose_layout ami_pose_layout_of(int joint_count, int moving_count)
{
    ami_pose_layout l = { .joint_count = joint_count, .moving_count = moving_count };
    l.rotations = 3 * moving_count;
    l.velocities = l.rotations + 6 * joint_count;
    l.angular = l.velocities + 3 * moving_count;
    l.root_linear = l.angular + 3 * joint_count;
    l.root_angular = l.root_linear + 3;
    l.contacts = l.root_angular + 3;
    l.count = l.contacts + AMI_POSE_CONTACTS;
    return l;
}

static void put(float *y, am_vec3 v)
{
    y[0] = v.x;
    y[1] = v.y;
    y[2] = v.z;
}

void ami_pose_vector(const am_db *db, int frame, float *y)
{
    am_transform pose[AM_MAX_JOINTS], scratch[2 * AM_MAX_JOINTS];
    am_velocity velocity[AM_MAX_JOINTS];
    const ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    am_db_pose(db, frame, pose);
    ami_db_velocity(db, frame, velocity, scratch);
    for (int m = 0; m < db->moving_count; m++) {
        put(y + l.translations + 3 * m, pose[db->moving[m]].translation);
        put(y + l.velocities + 3 * m, velocity[db->moving[m]].linear);
    }
    for (int j = 0; j < db->joint_count; j++) {
        am_quat_to_two_axis(pose[j].rotation, y + l.rotations + 6 * j);
        put(y + l.angular + 3 * j, velocity[j].angular);
    }
    const am_velocity root = ami_db_root_velocity(db, frame);
    put(y + l.root_linear, root.linear);
    put(y + l.root_angular, root.angular);
    y[l.contacts] = db->contacts[frame] & AM_CONTACT_LEFT ? 1.0f : 0.0f;
    y[l.contacts + 1] = db->contacts[frame] & AM_CONTACT_RIGHT ? 1.0f : 0.0f;
}

/// Three numbers, or their substitutes when one is not finite.
static am_vec3 take(const float *y, am_vec3 otherwise)
{
    return isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2]) ? am_v3(y[0], y[1], y[2]) : otherwise;
}

void ami_pose_read(ami_pose *out, const ami_pose_layout *l, const float *y, const am_skeleton *skeleton,
                   const int16_t *moving)
{
    const am_vec3 zero = am_v3_zero();
    for (int j = 0; j < l->joint_count; j++) {
        out->local[j].translation = skeleton->offsets[j];
        out->local[j].rotation = am_quat_from_two_axis(y + l->rotations + 6 * j);
        if (out->velocity) {
            out->velocity[j].linear = zero;
            out->velocity[j].angular = take(y + l->angular + 3 * j, zero);
        }
    }
    for (int m = 0; m < l->moving_count; m++) {
        const int j = moving[m];
        out->local[j].translation = take(y + l->translations + 3 * m, skeleton->offsets[j]);
        if (out->velocity) {
            out->velocity[j].linear = take(y + l->velocities + 3 * m, zero);
        }
    }
    out->root.linear = take(y + l->root_linear, zero);
    out->root.angular = take(y + l->root_angular, zero);
    for (int i = 0; i < AMI_POSE_CONTACTS; i++) {
        const float contact = y[l->contacts + i];
        out->contacts[i] = isfinite(contact) ? am_clamp(contact, 0.0f, 1.0f) : 0.0f;
    }
}
