// The floor of a database, from a sample of its frames: feet are locked to it, and slide and penetration are measured
// from it.
#include "actor/floor.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/filter.h"
#include "actor/post.h"
#include "data/facts.h"

enum { most_samples = 16384 }; // frames to sample: enough for a percentile, quick for any database

am_transform ami_joint_place(const am_skeleton *skeleton, const am_transform *local, int joint)
{
    am_transform out = local[joint];
    for (int p = skeleton->parents[joint]; p >= 0; p = skeleton->parents[p]) {
        out = am_transform_mul(local[p], out);
    }
    return out;
}

/// Sampled heights of the feet.
typedef struct samples {
    float *toes, *heels; ///< [2 * most_samples] each
    int toe_count, heel_count;
} samples;

static void take(float *values, int *count, float value)
{
    values[*count] = value;
    *count += value * 0.0f == 0.0f;
}

static void take_feet(samples *s, const am_skeleton *skeleton, const am_roles *roles, const am_transform *pose)
{
    static const am_role sides[2][2] = { { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
                                         { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE } };
    for (int side = 0; side < 2; side++) {
        int ankle = roles->joint[sides[side][0]];
        int toe = roles->joint[sides[side][1]];
        if (ankle >= 0 && toe >= 0) {
            am_vec3 heel =
                am_transform_point(ami_joint_place(skeleton, pose, ankle), ami_heel_offset(skeleton, ankle, toe));
            take(s->toes, &s->toe_count, ami_joint_place(skeleton, pose, toe).translation.y);
            take(s->heels, &s->heel_count, heel.y);
        }
    }
}

static float low(float *values, int count)
{
    ami_sort_floats(values, count);
    return count > 0 ? ami_quantile(values, count, 0.01f) : 0.0f;
}

am_result ami_db_floor(const am_db *db, float *toe_m, float *heel_m, const am_alloc *alloc, am_error *err)
{
    if (db->facts) {
        *toe_m = db->facts->toe_m;
        *heel_m = db->facts->heel_m;
        return AM_OK;
    }
    size_t each = 2 * most_samples + 1; // both feet, and one that is not finite
    float *room = ami_alloc_array(alloc, 2 * each, sizeof *room);
    if (!room) {
        return ami_fail_memory(err, 2 * each * sizeof *room);
    }
    samples s = { room, room + each, 0, 0 };
    int stride = (db->frame_count + most_samples - 1) / most_samples;
    for (int f = 0; f < db->frame_count; f += stride) {
        am_transform pose[AM_MAX_JOINTS];
        am_db_pose(db, f, pose);
        take_feet(&s, db->skeleton, &db->roles, pose);
    }
    *toe_m = low(s.toes, s.toe_count);
    *heel_m = low(s.heels, s.heel_count);
    ami_release(alloc, room, 2 * each * sizeof *room);
    return AM_OK;
}
