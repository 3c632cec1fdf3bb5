// How rough a frame of the capture is to land on. Captures flick: a hand, a knee or a toe leaves its path for a frame
// or two. Where a transition lands on such a frame, both bends add up where the eye notices them.
#include "method/match.h"

static void joint_places(const am_db *db, am_vec3 *out, int frame)
{
    am_transform local[AM_MAX_JOINTS];
    am_transform world[AM_MAX_JOINTS];
    am_db_pose(db, frame, local);
    local[0] = am_transform_mul(am_db_root(db, frame), local[0]);
    am_fk(world, local, db->skeleton->parents, db->joint_count);
    for (int j = 0; j < db->joint_count; j++) {
        out[j] = world[j].translation;
    }
}

float ami_roughness(const am_db *db, int frame)
{
    am_vec3 places[3][AM_MAX_JOINTS];
    float largest = 0.0f;
    for (int f = 0; f < 4; f++) {
        am_vec3 *now = places[f % 3];
        joint_places(db, now, am_db_clamp(db, frame, f));
        const am_vec3 *last = places[(f + 2) % 3];
        const am_vec3 *before = places[(f + 1) % 3];
        for (int j = 0; f > 1 && j < db->joint_count; j++) {
            am_vec3 bend = am_v3_sub(am_v3_sub(now[j], last[j]), am_v3_sub(last[j], before[j]));
            largest = am_max(largest, am_v3_length2(bend));
        }
    }
    return sqrtf(largest);
}
