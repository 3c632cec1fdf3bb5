// Reading a database: ranges, poses, velocities by finite differences within a range, tag selection.
#include "data/format.h"

#include "base/error.h"
#include "data/features.h"

int am_db_range_of(const am_db *db, int frame)
{
    int lo = 0;
    int hi = db->range_count - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        if (db->ranges[middle].start <= frame) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return lo;
}

int ami_db_clamp(const am_db *db, int frame, int offset)
{
    const am_db_range *range = &db->ranges[am_db_range_of(db, frame)];
    int64_t at = (int64_t)frame + offset;
    return at < range->start ? range->start : at >= range->stop ? range->stop - 1 : (int)at;
}

am_transform ami_db_root(const am_db *db, int frame)
{
    am_transform root = { db->root_rotations[frame], db->root_positions[frame] };
    return root;
}

static am_vec3 unpack_vec3(const uint16_t *in, am_vec3 low, am_vec3 extent)
{
    return am_v3(low.x + extent.x * ((float)in[0] / 65535.0f), low.y + extent.y * ((float)in[1] / 65535.0f),
                 low.z + extent.z * ((float)in[2] / 65535.0f));
}

static am_quat rotation_at(const am_db *db, size_t at)
{
    return db->rotations ? db->rotations[at] : ami_unpack_quat(db->packed_rotations + 3 * at);
}

static am_vec3 translation_at(const am_db *db, size_t at, size_t moving)
{
    return db->translations
               ? db->translations[at]
               : unpack_vec3(db->packed_translations + 3 * at, db->packed_low[moving], db->packed_extent[moving]);
}

am_transform ami_db_joint(const am_db *db, int frame, int joint, int moving)
{
    am_transform local = { db->skeleton->rests[joint], db->skeleton->offsets[joint] };
    if (db->has_poses) {
        local.rotation = rotation_at(db, (size_t)frame * (size_t)db->joint_count + (size_t)joint);
    }
    if (db->has_poses && moving >= 0) {
        size_t m = (size_t)moving;
        local.translation = translation_at(db, (size_t)frame * (size_t)db->moving_count + m, m);
    }
    return local;
}

void am_db_pose(const am_db *db, int frame, am_transform *out)
{
    size_t joints = (size_t)db->joint_count;
    size_t moving = (size_t)db->moving_count;
    size_t first = (size_t)frame * joints;
    if (!db->has_poses) {
        for (size_t j = 0; j < joints; j++) {
            out[j] = (am_transform){ db->skeleton->rests[j], db->skeleton->offsets[j] };
        }
        return;
    }
    for (size_t j = 0; j < joints; j++) {
        out[j].rotation = rotation_at(db, first + j);
        out[j].translation = db->skeleton->offsets[j];
    }
    for (size_t m = 0; m < moving; m++) {
        out[db->moving[m]].translation = translation_at(db, (size_t)frame * moving + m, m);
    }
}

void ami_db_velocity(const am_db *db, int frame, am_velocity *out, am_transform *scratch)
{
    int before = ami_db_clamp(db, frame, -1);
    int after = ami_db_clamp(db, frame, 1);
    am_transform *a = scratch;
    am_transform *b = scratch + db->joint_count;
    am_db_pose(db, before, a);
    am_db_pose(db, after, b);
    float dt = (float)(after > before ? after - before : 1) / db->fps;
    for (int j = 0; j < db->joint_count; j++) {
        out[j].linear = am_v3_scale(am_v3_sub(b[j].translation, a[j].translation), 1.0f / dt);
        out[j].angular = am_quat_velocity(a[j].rotation, b[j].rotation, dt);
    }
}

am_velocity ami_db_root_velocity(const am_db *db, int frame)
{
    int before = ami_db_clamp(db, frame, -1);
    int after = ami_db_clamp(db, frame, 1);
    float dt = (float)(after > before ? after - before : 1) / db->fps;
    am_vec3 step = am_v3_sub(db->root_positions[after], db->root_positions[before]);
    am_velocity velocity;
    velocity.linear = am_quat_unrotate(db->root_rotations[frame], am_v3_scale(step, 1.0f / dt));
    velocity.angular = am_quat_velocity(db->root_rotations[before], db->root_rotations[after], dt);
    return velocity;
}

am_result ami_db_tag_query(const am_db *db, ami_tag_query *out, const char *text, am_error *err)
{
    return ami_tag_query_parse(out, text, db->tag_names, db->tag_count, err);
}
