// The range of each joint in a database: quantiles of rotation vectors about the joint's mean.
#include <amble/db.h>

#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/database.h"

static const float *component_of(const am_vec3 *v, int axis) { return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z; }

/// Normalised sum of all rotations, with the sign of the first: the mean, accurate enough for ranges.
static am_quat mean_of(const am_transform *poses, int count, size_t joints)
{
    am_quat sum = am_q(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < count; i++) {
        am_quat q = am_quat_nearest(poses[(size_t)i * joints].rotation, poses[0].rotation);
        sum = am_q(sum.x + q.x, sum.y + q.y, sum.z + q.z, sum.w + q.w);
    }
    return am_quat_normalize(sum);
}

static am_vec3 vector_of(const ami_joint_range *range, am_quat rotation)
{
    return am_quat_to_scaled_axis(am_quat_abs(am_quat_mul(am_quat_inv(range->mean), rotation)));
}

am_result ami_joint_ranges(ami_joint_range *out, const am_db *db, float share, int most, const am_alloc *allocator,
                           am_error *err)
{
    if (!(share >= 0.0f && share < 0.5f) || most < 0) {
        return ami_fail(err, AM_ERR_DEF, "the share of a joint's range must be from 0 to 0.5");
    }
    am_alloc alloc = ami_alloc_or_default(allocator);
    int count = most > 0 && most < db->frame_count ? most : db->frame_count;
    size_t joints = (size_t)db->joint_count;
    am_transform *poses = ami_alloc_array(&alloc, (size_t)count * joints, sizeof *poses);
    float *values = ami_alloc_array(&alloc, (size_t)count, sizeof *values);
    am_result result = poses && values ? AM_OK : ami_fail_memory(err, (size_t)count * joints * sizeof *poses);
    for (int i = 0; result == AM_OK && i < count; i++) {
        am_db_pose(db, (int)((int64_t)i * db->frame_count / count), poses + (size_t)i * joints);
    }
    for (size_t j = 0; result == AM_OK && j < joints; j++) {
        am_vec3 *vectors[2] = { &out[j].low, &out[j].high };
        out[j].mean = mean_of(poses + j, count, joints);
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < count; i++) {
                am_vec3 v = vector_of(&out[j], poses[(size_t)i * joints + j].rotation);
                values[i] = *component_of(&v, axis);
            }
            ami_sort_floats(values, count);
            for (int end = 0; end < 2; end++) {
                float *to = axis == 0 ? &vectors[end]->x : axis == 1 ? &vectors[end]->y : &vectors[end]->z;
                *to = ami_quantile(values, count, end == 0 ? share : 1.0f - share);
            }
        }
    }
    ami_release(&alloc, poses, (size_t)count * joints * sizeof *poses);
    ami_release(&alloc, values, (size_t)count * sizeof *values);
    return result;
}

float ami_joint_excess(const ami_joint_range *range, am_quat rotation)
{
    am_vec3 v = vector_of(range, rotation);
    float most = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float x = *component_of(&v, axis);
        most = am_max(most, *component_of(&range->low, axis) - x);
        most = am_max(most, x - *component_of(&range->high, axis));
    }
    return most;
}

am_quat ami_joint_clamp(const ami_joint_range *range, am_quat rotation, float margin)
{
    am_vec3 v = vector_of(range, rotation);
    am_vec3 inside = am_v3(am_clamp(v.x, range->low.x - margin, range->high.x + margin),
                           am_clamp(v.y, range->low.y - margin, range->high.y + margin),
                           am_clamp(v.z, range->low.z - margin, range->high.z + margin));
    if (inside.x == v.x && inside.y == v.y && inside.z == v.z) {
        return rotation;
    }
    am_quat clamped = am_quat_mul(range->mean, am_quat_from_scaled_axis(inside));
    return am_quat_nearest(am_quat_normalize(clamped), rotation);
}
